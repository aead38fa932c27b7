"""Loops: while a test holds, counted, and unrolled over elements of different types.

``while`` becomes a `Loop` whose body computes the condition; ``for`` over a range becomes a `For`. Names that exist
before a loop and are assigned in it are carried. A ``for`` with ``else`` and a ``break`` is inside a `Loop` that runs
once, so that ``break`` can skip the ``else``:

    for i in range(n):          loop L0 () {
        if c: break               for L1 %i in range(0, %n, 1) () { if %c { break L0 () } else { yield } ... }
    else:                         ... else ...
        ...                       break L0 ()
                                }
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from tscript.diagnostics import Span
from tscript.dialect.machine import EQ
from tscript.frontend.diagnostics.abandoned import Abandoned
from tscript.frontend.diagnostics.errors import InvalidSyntax
from tscript.frontend.lowering.bodies import lower_statements
from tscript.frontend.lowering.exits import Before, Once, finish, forget, report_once
from tscript.frontend.lowering.frames import LoopExits, LoopFrame
from tscript.frontend.lowering.lowering import Lowering
from tscript.frontend.lowering.merging import as_declared, merge
from tscript.frontend.lowering.returns import crosses_finals
from tscript.frontend.lowering.scopes import (
    FACTS,
    POISONED,
    Bound,
    Conflicting,
    Scope,
    facts_in,
    meet,
)
from tscript.frontend.lowering.widening import widening
from tscript.ir.graph import Block, Continue, Division, For, If, Label, Loop, Raise, Value, Yield
from tscript.types import BOOL, INT


def repeat(
    lowering: Lowering,
    test: Callable[[], Value],
    body: Callable[[], None],
    assigned: dict[str, ast.AST],
    span: Span,
    *,
    test_node: ast.expr | None = None,
    orelse: Sequence[ast.stmt] = (),
    exits: LoopExits | None = None,
    leaving: Callable[[], None] | None = None,
) -> None:
    """A loop that runs while a test holds.

    Args:
        test: Lowers the test, in the loop.
        body: Lowers the body.
        assigned: Names that test and body assign.
        span: The loop.
        test_node: The test, where it is an expression of the source.
        orelse: What runs when the test fails.
        exits: Those of a loop around that a ``break`` in the body leaves; the loop itself when left out.
        leaving: Applies the types that are known when the test fails.
    """
    widening(
        lowering, lambda: _repeat(lowering, test, body, assigned, span, test_node, orelse, exits, leaving), span, exits
    )


def _repeat(
    lowering: Lowering,
    test: Callable[[], Value],
    body: Callable[[], None],
    assigned: dict[str, ast.AST],
    span: Span,
    test_node: ast.expr | None,
    orelse: Sequence[ast.stmt],
    exits: LoopExits | None,
    leaving: Callable[[], None] | None,
) -> LoopExits:
    label = Label()
    at = span if test_node is None else lowering.span(test_node)
    carried = _carried(lowering, assigned)
    block, params = _body(carried)
    loop = Loop(label, [b.value for b in carried.values()], block, (), span)
    own = LoopExits(label)
    outer_block, outer_scope = lowering.block, lowering.scope
    outer_block.nodes.append(loop)
    lowering.block, lowering.scope = block, {**outer_scope, **params}
    frame = LoopFrame(label, carried, exits or own, own, facts=facts_in(outer_scope))
    lowering.loops.append(frame)
    try:
        cond = test()
    except Abandoned:
        if test_node is None:
            lowering.program.findings.abandoned.append(at)
        else:
            lowering.abandon_test(test_node)
        cond = Value(BOOL)
    endless = cond.constant is True

    def run_then() -> None:
        pass

    def run_else() -> None:
        lowering.loops.pop()
        if leaving is not None:
            leaving()
        lower_statements(lowering, orelse)
        if lowering.is_alive:
            own.leave(lowering, at)
        lowering.loops.append(frame)

    if cond.constant is False:
        run_else()
    elif not endless:
        then, otherwise = lowering.branch(run_then), lowering.branch(run_else)
        merge(lowering, cond, then, otherwise, at)
    if lowering.is_alive:
        body()
    if lowering.is_alive:
        _continue(lowering, frame, span)
    lowering.loops.pop()
    poisoned = _poisoned(lowering, outer_scope, [lowering.scope, *(scope for _, scope, _ in own.found)])
    lowering.block, lowering.scope = outer_block, outer_scope
    if not own.is_again:
        finish(lowering, loop, own, assigned)
        lowering.scope.update(poisoned)
    return own


Bounds = tuple[Value, Value, Value]
"""Start, stop and step of a counted loop."""


def count(
    lowering: Lowering,
    bounds: Bounds | None,
    body: Callable[[Value], None],
    assigned: dict[str, ast.AST],
    span: Span,
    *,
    name: str = "",
    orelse: Sequence[ast.stmt] = (),
    breaks: bool = False,
    exits: LoopExits | None = None,
    division: Division = Division.NONE,
) -> None:
    """A counted loop.

    Args:
        bounds: Start, stop and step, which is not zero; None after an error.
        body: Lowers the body for a counter.
        assigned: Names that the body assigns.
        span: The loop.
        name: Hint for the counter.
        orelse: What runs when the counter reaches its end.
        breaks: Whether a ``break`` in the body leaves the loop.
        exits: Those of a loop around that a ``break`` leaves instead.
        division: Whether iterations may run at the same time.
    """
    if not orelse or not breaks:
        widening(lowering, lambda: _count(lowering, bounds, body, assigned, exits, span, name, division), span, exits)
        lower_statements(lowering, orelse)
        return
    around = Once(lowering, span)
    widening(
        lowering,
        lambda: _count(lowering, bounds, body, assigned, around.exits, span, name, division),
        span,
        around.exits,
    )
    lower_statements(lowering, orelse)
    around.finish(assigned)


def unroll(
    lowering: Lowering,
    elements: Sequence[Value],
    body: Callable[[Value], None],
    assigned: dict[str, ast.AST],
    span: Span,
    *,
    orelse: Sequence[ast.stmt] = (),
    leaves: bool = False,
    exits: LoopExits | None = None,
) -> None:
    """A loop over elements that may differ in type: the body is copied for each. A body with a ``break`` or
    ``continue`` of its own (`leaves`) is inside loops that run once."""
    if not leaves:
        for element in elements:
            if lowering.is_alive:
                body(element)
        forget(lowering, assigned)
        if lowering.is_alive:
            lower_statements(lowering, orelse)
        return
    around = Once(lowering, span)
    for element in elements:
        if not lowering.is_alive:
            break
        inner = Once(lowering, span)
        lowering.loops.append(LoopFrame(inner.exits.label, {}, exits or around.exits, inner.exits, once=True))
        body(element)
        lowering.loops.pop()
        inner.finish(assigned)
    if lowering.is_alive:
        lower_statements(lowering, orelse)
    around.finish(assigned)


def check_step(lowering: Lowering, step: Value, span: Span) -> None:
    """Raise when the step of a range is zero."""
    if step.constant == 0 or not isinstance(step.constant, int):
        then = Block()
        then.nodes.append(Raise("ValueError", "range() arg 3 must not be zero", (), span))
        orelse = Block()
        orelse.nodes.append(Yield((), span))
        is_zero = lowering.leaf(EQ, [step, lowering.const(0, step.type, span)], BOOL, span)
        lowering.block.nodes.append(If(is_zero, then, orelse, (), span))


def _count(
    lowering: Lowering,
    bounds: Bounds | None,
    body: Callable[[Value], None],
    assigned: dict[str, ast.AST],
    exits: LoopExits | None,
    span: Span,
    name: str,
    division: Division,
) -> LoopExits:
    """The `For` itself; with `exits` a ``break`` leaves the loop around it."""
    label = Label()
    carried = _carried(lowering, assigned)
    block, params = _body(carried)
    if bounds is None:
        zero = lowering.const(0, INT, span)
        bounds = (zero, zero, zero)
    counter = Value(bounds[0].type, name)
    block.params.insert(0, counter)
    loop = For(label, *bounds, [b.value for b in carried.values()], block, span, division)
    own = LoopExits(label)
    outer_block, outer_scope = lowering.block, lowering.scope
    outer_block.nodes.append(loop)
    lowering.block, lowering.scope = block, {**outer_scope, **params}
    frame = LoopFrame(label, carried, exits or own, own, facts=facts_in(outer_scope))
    lowering.loops.append(frame)
    body(counter)
    if lowering.is_alive:
        _continue(lowering, frame, span)
    lowering.loops.pop()
    poisoned = _poisoned(lowering, outer_scope, [lowering.scope, *(scope for _, scope, _ in own.found)])
    lowering.block, lowering.scope = outer_block, outer_scope
    for end, scope, block in own.found:
        with Before(lowering, end, block):
            end.inputs.extend(_carried_values(lowering, frame, scope))
    for (target, before), output in zip(carried.items(), loop.outputs, strict=True):
        output.name = target
        output.type = before.value.type
        reported = target in own.reported or target in frame.exits.reported
        lowering.scope[target] = POISONED if reported else Bound(output, lowering.span(assigned[target]))
    lowering.scope.update(poisoned)
    lowering.scope[FACTS] = meet([lowering.scope, *(scope for _, scope, _ in own.found)])
    forget(lowering, assigned)
    return own


def _poisoned(lowering: Lowering, outer: Scope, ends: Sequence[Scope]) -> Scope:
    """Names of which a body has left something out, in a function with parameters of unknown types."""
    if not lowering.program.is_template:
        return {}
    return {name: POISONED for name in outer if any(scope.get(name) is POISONED for scope in ends)}


def check_in_loop(lowering: Lowering, word: str, span: Span) -> None:
    """Report a ``break`` or ``continue`` outside of loops, which Python's parser lets pass."""
    if not lowering.loops:
        raise lowering.failure(InvalidSyntax(span, f"'{word}' outside of a loop"))


def leave_loop(lowering: Lowering, span: Span) -> None:
    """Leave the enclosing loop, through the ``finally`` bodies in between."""
    if not crosses_finals(lowering, "break", span):
        check_in_loop(lowering, "break", span)
        lowering.loops[-1].exits.leave(lowering, span)


def next_iteration(lowering: Lowering, span: Span) -> None:
    """Begin the next iteration of the enclosing loop, through the ``finally`` bodies in between."""
    if not crosses_finals(lowering, "continue", span):
        check_in_loop(lowering, "continue", span)
        _continue(lowering, lowering.loops[-1], span)


def _carried(lowering: Lowering, assigned: dict[str, ast.AST]) -> dict[str, Bound]:
    found: dict[str, Bound] = {}
    for name in assigned:
        binding = lowering.scope.get(name)
        if isinstance(binding, Bound):
            found[name] = binding.base
    return found


def _body(carried: dict[str, Bound]) -> tuple[Block, Scope]:
    """The body of a loop with a parameter per carried name, and the bindings of the names in it."""
    params = [Value(b.value.type, name) for name, b in carried.items()]
    bound: Scope = {n: Bound(p, b.span) for (n, b), p in zip(carried.items(), params, strict=True)}
    return Block(params), bound


def _continue(lowering: Lowering, frame: LoopFrame, span: Span) -> None:
    if frame.once:
        frame.own.leave(lowering, span)
        return
    values = _carried_values(lowering, frame, lowering.scope)
    known = facts_in(lowering.scope).types
    frame.own.forgotten |= {place for place, type in frame.facts.types.items() if known.get(place) != type}
    lowering.block.nodes.append(Continue(frame.label, values, span))


def _carried_values(lowering: Lowering, frame: LoopFrame, scope: Scope) -> list[Value]:
    """The values of the carried names in `scope`, with the types they have at the beginning of the loop. A name that
    needs a wider type is recorded. A name that otherwise changes its type is reported."""
    out: list[Value] = []
    for name, before in frame.carried.items():
        found = scope.get(name)
        value = before.value
        match found:
            case Bound():
                value = found.value
                if value.type != before.value.type:
                    value = _as_before(lowering, frame, name, before, found)
            case Conflicting(first=first, second=second):
                changed = second if first.value.type == before.value.type else first
                report_once(lowering, frame.own, name, before, changed)
        out.append(value)
    return out


def _as_before(lowering: Lowering, frame: LoopFrame, name: str, before: Bound, found: Bound) -> Value:
    value = as_declared(lowering, frame.own, name, before.value.type, found)
    if value is None:
        if name not in frame.own.widened:
            report_once(lowering, frame.own, name, before, found)
        return found.value
    return value
