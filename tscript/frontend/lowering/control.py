"""Control flow: ``if``, ``while``, ``for`` over a range, ``break`` and ``continue``."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence

from tscript.frontend.diagnostics.abandoned import Abandoned
from tscript.frontend.lowering.assignment import assign_to
from tscript.frontend.lowering.bodies import lower_statements
from tscript.frontend.lowering.loops import Bounds, check_step, count, leave_loop, next_iteration, repeat
from tscript.frontend.lowering.lowering import Lowering
from tscript.frontend.lowering.merging import merge
from tscript.frontend.lowering.names import poison
from tscript.frontend.lowering.scopes import (
    assigned_names,
)
from tscript.ir.graph import Division, Value
from tscript.types import BOOL


def lower_if(lowering: Lowering, node: ast.If) -> None:
    """``if``; a constant condition lowers only the branch that runs."""
    span = lowering.span(node.test)
    try:
        cond = lowering.condition(node.test)
    except Abandoned:
        lowering.abandon_test(node.test)
        cond = Value(BOOL)
    if isinstance(cond.constant, bool):
        lower_statements(lowering, node.body if cond.constant else node.orelse)
        return
    holds, fails = lowering.narrowing_of(node.test, True), lowering.narrowing_of(node.test, False)

    def run_then() -> None:
        holds()
        lower_statements(lowering, node.body)

    def run_else() -> None:
        fails()
        lower_statements(lowering, node.orelse)

    then, orelse = lowering.branch(run_then), lowering.branch(run_else)
    merge(lowering, cond, then, orelse, span)


def lower_while(lowering: Lowering, node: ast.While) -> None:
    """``while`` with its ``else``."""
    narrowings: dict[bool, Callable[[], None]] = {}

    def test() -> Value:
        narrowings.clear()
        cond = lowering.condition(node.test)
        narrowings.update({holds: lowering.narrowing_of(node.test, holds) for holds in (True, False)})
        return cond

    def use(holds: bool) -> None:
        if holds in narrowings:
            narrowings[holds]()

    def body() -> None:
        use(True)
        lower_statements(lowering, node.body)

    repeat(
        lowering,
        test,
        body,
        assigned_names([node.test, *node.body], lowering.function.has_walrus),
        lowering.span(node),
        test_node=node.test,
        orelse=node.orelse,
        leaving=lambda: use(False),
    )


def lower_range_for(
    lowering: Lowering, node: ast.For, bounds: Callable[[], Bounds], division: Division = Division.NONE
) -> None:
    """``for name in range(...)``; `bounds` lowers the arguments of the range."""
    found: Bounds | None
    try:
        found = bounds()
        check_step(lowering, found[2], lowering.span(node.iter))
    except Abandoned:
        lowering.abandon(node.iter)
        found = None

    def body(counter: Value) -> None:
        assign_element(lowering, node.target, None if found is None else counter)
        lower_statements(lowering, node.body)

    count(
        lowering,
        found,
        body,
        assigned_names([node.target, *node.body], lowering.function.has_walrus),
        lowering.span(node),
        name=node.target.id if isinstance(node.target, ast.Name) else "",
        orelse=node.orelse,
        breaks=breaks_out(node.body),
        division=division,
    )


def assign_element(lowering: Lowering, target: ast.expr, value: Value | None) -> None:
    """Assign an element of an iterable to the target of a loop; None after an error."""
    try:
        if value is None:
            raise Abandoned
        assign_to(lowering, target, value)
    except Abandoned:
        lowering.abandon(target)
        poison(lowering, [target])


def lower_break(lowering: Lowering, node: ast.Break) -> None:
    """``break``."""
    leave_loop(lowering, lowering.span(node))


def lower_continue(lowering: Lowering, node: ast.Continue) -> None:
    """``continue``."""
    next_iteration(lowering, lowering.span(node))


def breaks_out(statements: Sequence[ast.stmt]) -> bool:
    """Whether a ``break`` among `statements` leaves the loop they are the body of."""
    return any(isinstance(node, ast.Break) for node in _own_statements(statements))


def leaves_early(statements: Sequence[ast.stmt]) -> bool:
    """Whether a ``break`` or ``continue`` among `statements` belongs to the loop they are the body of."""
    return any(isinstance(node, ast.Break | ast.Continue) for node in _own_statements(statements))


def _own_statements(statements: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    for node in statements:
        yield node
        match node:
            case ast.If():
                yield from _own_statements([*node.body, *node.orelse])
            case ast.For() | ast.While():
                yield from _own_statements(node.orelse)
            case ast.With():
                yield from _own_statements(node.body)
            case ast.Try():
                handlers = [s for handler in node.handlers for s in handler.body]
                yield from _own_statements([*node.body, *handlers, *node.orelse, *node.finalbody])
            case ast.Match():
                yield from _own_statements([s for case in node.cases for s in case.body])
