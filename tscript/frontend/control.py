"""Control flow: ``if``, ``while``, ``for``, ``break``, ``continue``, ``else`` of loops, and what names hold after them.

``while`` becomes a `Loop` whose body computes the condition; ``for`` over a range becomes a `For`. Names that exist before
a loop and are assigned in it are carried. A ``for`` with ``else`` and a ``break`` stands inside a `Loop` that runs once, so
that ``break`` can leave it past the ``else``:

    for i in range(n):          loop L0 () {
        if c: break               for L1 %i in range(0, %n, 1) () { if %c { break L0 () } else { yield } ... }
    else:                         ... else ...
        ...                       break L0 ()
                                }
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from tscript.diagnostics import Span
from tscript.frontend.lowering import Abandoned, LoopFrame
from tscript.frontend.scopes import POISONED, Binding, Bound, Conflicting, PartlyBound, Scope, assigned_names
from tscript.ir.graph import Block, Break, Continue, For, If, Label, Loop, Raise, Try, Unreachable, Value, Yield
from tscript.ops.machine import EQ
from tscript.types import BOOL, INT

if TYPE_CHECKING:
    from tscript.frontend.lowering import Lowering


class LoopExits:
    """The ways out of one loop, or of a `Try`: each ``break`` (``yield``) with the scope it leaves in.

    Args:
        label: Of the loop.
        where: What messages call it.
        in_loop: Whether names that only some ways bind are missing because a loop may not have run.
    """

    __slots__ = ("found", "in_loop", "label", "reported", "where")

    def __init__(self, label: Label, where: str = "a loop", in_loop: bool = True) -> None:
        self.label = label
        self.where = where
        self.in_loop = in_loop
        self.found: list[tuple[Break | Yield, Scope]] = []
        self.reported: set[str] = set()

    def report_change(self, lowering: Lowering, name: str, before: Bound, after: Bound) -> None:
        """Report, once per name, that `name` changes its type in the loop."""
        if name not in self.reported:
            self.reported.add(name)
            lowering.report_change(name, before, after, self.where)

    def leave(self, lowering: Lowering, span: Span) -> None:
        """End the current block with a break."""
        node = Break(self.label, (), span)
        lowering.block.nodes.append(node)
        self.found.append((node, lowering.scope))


def lower_body(lowering: Lowering, statements: Sequence[ast.stmt]) -> None:
    """Lower statements until one leaves; the rest cannot be reached."""
    from tscript.frontend.statements import lower_statement

    for statement in statements:
        if not lowering.is_alive:
            return
        lower_statement(lowering, statement)


def lower_if(lowering: Lowering, node: ast.If) -> None:
    """``if``; a constant condition lowers only the branch that runs."""
    span = lowering.span(node.test)
    try:
        cond = lowering.condition(node.test)
    except Abandoned:
        cond = Value(BOOL)
    if isinstance(cond.constant, bool):
        lower_body(lowering, node.body if cond.constant else node.orelse)
        return

    def run_then() -> None:
        lower_body(lowering, node.body)

    def run_else() -> None:
        lower_body(lowering, node.orelse)

    then, orelse = lowering.branch(run_then), lowering.branch(run_else)
    lowering.merge(cond, then, orelse, span)


def lower_while(lowering: Lowering, node: ast.While) -> None:
    """``while`` with its ``else``."""
    span = lowering.span(node)
    label = Label()
    assigned = assigned_names([node.test, *node.body], lowering.function.has_walrus)
    carried = _carried(lowering, assigned)
    body, params = _body(carried)
    loop = Loop(label, [b.value for b in carried.values()], body, (), span)
    exits = LoopExits(label)
    outer_block, outer_scope = lowering.block, lowering.scope
    outer_block.nodes.append(loop)
    lowering.block, lowering.scope = body, {**outer_scope, **params}
    frame = LoopFrame(label, carried, exits)
    lowering.loops.append(frame)
    test = lowering.span(node.test)
    try:
        cond = lowering.condition(node.test)
    except Abandoned:
        cond = Value(BOOL)
    endless = cond.constant is True

    def run_then() -> None:
        pass

    def run_else() -> None:
        lowering.loops.pop()
        lower_body(lowering, node.orelse)
        if lowering.is_alive:
            exits.leave(lowering, test)
        lowering.loops.append(frame)

    if cond.constant is False:
        run_else()
    elif not endless:
        then, orelse = lowering.branch(run_then), lowering.branch(run_else)
        lowering.merge(cond, then, orelse, test)
    if lowering.is_alive:
        lower_body(lowering, node.body)
    if lowering.is_alive:
        _continue(lowering, frame, span)
    lowering.loops.pop()
    lowering.block, lowering.scope = outer_block, outer_scope
    finish(lowering, loop, exits, assigned)


def lower_for(lowering: Lowering, node: ast.For) -> None:
    """``for name in range(...)`` with its ``else``."""
    span = lowering.span(node)
    bounds = _bounds(lowering, node)
    assigned = assigned_names([node.target, *node.body], lowering.function.has_walrus)
    if not node.orelse:
        _lower_range(lowering, node, bounds, assigned, None, span)
        return
    if not _breaks(node.body):
        _lower_range(lowering, node, bounds, assigned, None, span)
        lower_body(lowering, node.orelse)
        return
    label = Label()
    exits = LoopExits(label)
    body = Block()
    loop = Loop(label, (), body, (), span)
    outer_block, outer_scope = lowering.block, lowering.scope
    outer_block.nodes.append(loop)
    lowering.block, lowering.scope = body, dict(outer_scope)
    _lower_range(lowering, node, bounds, assigned, exits, span)
    lower_body(lowering, node.orelse)
    if lowering.is_alive:
        exits.leave(lowering, span)
    lowering.block, lowering.scope = outer_block, outer_scope
    finish(lowering, loop, exits, assigned)


def _bounds(lowering: Lowering, node: ast.For) -> tuple[Value, Value, Value] | None:
    """Start, stop and step, the step checked not to be zero; None after an error."""
    try:
        start, stop, step = lowering.range_bounds(node.iter)
    except Abandoned:
        return None
    if step.constant == 0 or not isinstance(step.constant, int):
        span = lowering.span(node.iter)
        then = Block()
        then.nodes.append(Raise("ValueError", "range() arg 3 must not be zero", (), span))
        orelse = Block()
        orelse.nodes.append(Yield((), span))
        is_zero = lowering.leaf(EQ, [step, lowering.const(0, step.type, span)], BOOL, span)
        lowering.block.nodes.append(If(is_zero, then, orelse, (), span))
    return start, stop, step


def _lower_range(
    lowering: Lowering,
    node: ast.For,
    bounds: tuple[Value, Value, Value] | None,
    assigned: dict[str, ast.AST],
    exits: LoopExits | None,
    span: Span,
) -> None:
    """The `For` itself; with `exits` a ``break`` leaves the loop around it."""
    label = Label()
    carried = _carried(lowering, assigned)
    body, params = _body(carried)
    failed = bounds is None
    if bounds is None:
        zero = lowering.const(0, INT, span)
        bounds = (zero, zero, zero)
    counter = Value(bounds[0].type, node.target.id if isinstance(node.target, ast.Name) else "")
    body.params.insert(0, counter)
    loop = For(label, *bounds, [b.value for b in carried.values()], body, span)
    own = exits is None
    exits = exits or LoopExits(label)
    outer_block, outer_scope = lowering.block, lowering.scope
    outer_block.nodes.append(loop)
    lowering.block, lowering.scope = body, {**outer_scope, **params}
    frame = LoopFrame(label, carried, exits)
    lowering.loops.append(frame)
    try:
        if failed:
            raise Abandoned
        lowering.assign(node.target, counter)
    except Abandoned:
        lowering.poison([node.target])
    lower_body(lowering, node.body)
    if lowering.is_alive:
        _continue(lowering, frame, span)
    lowering.loops.pop()
    lowering.block, lowering.scope = outer_block, outer_scope
    if own:
        for end, scope in exits.found:
            end.inputs.extend(_carried_values(lowering, frame, scope))
    for (name, before), output in zip(carried.items(), loop.outputs, strict=True):
        output.name = name
        output.type = before.value.type
        lowering.scope[name] = POISONED if name in exits.reported else Bound(output, lowering.span(assigned[name]))
    _forget(lowering, assigned)


def lower_break(lowering: Lowering, node: ast.Break) -> None:
    """``break``."""
    leave_loop(lowering, lowering.span(node))


def leave_loop(lowering: Lowering, span: Span) -> None:
    """Leave the loop around, by way of the final statements in between."""
    from tscript.frontend.exceptions import Way, crosses

    if not crosses(lowering, Way.BREAK, span):
        lowering.loops[-1].exits.leave(lowering, span)


def lower_continue(lowering: Lowering, node: ast.Continue) -> None:
    """``continue``."""
    next_iteration(lowering, lowering.span(node))


def next_iteration(lowering: Lowering, span: Span) -> None:
    """Begin the next iteration of the loop around, by way of the final statements in between."""
    from tscript.frontend.exceptions import Way, crosses

    if not crosses(lowering, Way.CONTINUE, span):
        _continue(lowering, lowering.loops[-1], span)


def _carried(lowering: Lowering, assigned: dict[str, ast.AST]) -> dict[str, Bound]:
    found: dict[str, Bound] = {}
    for name in assigned:
        binding = lowering.scope.get(name)
        if isinstance(binding, Bound):
            found[name] = binding
    return found


def _body(carried: dict[str, Bound]) -> tuple[Block, Scope]:
    """A loop's body with a parameter per carried name, and what the names are bound to in it."""
    params = [Value(b.value.type, name) for name, b in carried.items()]
    bound: Scope = {n: Bound(p, b.span) for (n, b), p in zip(carried.items(), params, strict=True)}
    return Block(params), bound


def _continue(lowering: Lowering, frame: LoopFrame, span: Span) -> None:
    values = _carried_values(lowering, frame, lowering.scope)
    lowering.block.nodes.append(Continue(frame.label, values, span))


def _carried_values(lowering: Lowering, frame: LoopFrame, scope: Scope) -> list[Value]:
    """What the carried names hold in `scope`; reports those that changed their type."""
    out: list[Value] = []
    for name, before in frame.carried.items():
        found = scope.get(name)
        value = before.value
        match found:
            case Bound():
                value = found.value
                if value.type != before.value.type:
                    frame.exits.report_change(lowering, name, before, found)
            case Conflicting(first=first, second=second):
                changed = second if first.value.type == before.value.type else first
                frame.exits.report_change(lowering, name, before, changed)
        out.append(value)
    return out


def finish(lowering: Lowering, loop: Loop | Try, exits: LoopExits, assigned: dict[str, ast.AST]) -> None:
    """Give `loop` its results: the names that its exits leave with other values than before.

    Args:
        loop: A loop, or a `Try`, to which the names are bound that `lowering` has now.
        exits: What leaves it.
        assigned: Names that it assigns, with the first place of each.
    """
    if not exits.found:
        lowering.block.nodes.append(Unreachable(loop.span))
        return
    before = lowering.scope
    scope: Scope = dict(before)
    names = dict.fromkeys(name for _, leaving in exits.found for name in leaving)
    for name in names:
        bindings = [leaving.get(name) for _, leaving in exits.found]
        if all(b is before.get(name) for b in bindings):
            continue
        scope[name] = _joined(lowering, name, bindings, before, loop, exits)
    lowering.scope = scope
    _forget(lowering, assigned, exits.in_loop)


def _joined(
    lowering: Lowering, name: str, bindings: Sequence[Binding | None], before: Scope, loop: Loop | Try, exits: LoopExits
) -> Binding:
    """What `name` is after a loop whose exits leave it as `bindings`."""
    if name in exits.reported or POISONED in bindings:
        return POISONED
    bound = [b for b in bindings if isinstance(b, Bound)]
    if len(bound) < len(bindings):
        kept = next((b for b in bindings if isinstance(b, PartlyBound | Conflicting)), None)
        return kept or PartlyBound(bound[0].span, exits.in_loop) if bound or kept else PartlyBound(loop.span, exits.in_loop)
    first = bound[0]
    for other in bound[1:]:
        if other.value.type != first.value.type:
            outer = before.get(name)
            if not isinstance(outer, Bound):
                return Conflicting(first, other)
            exits.report_change(lowering, name, outer, other if first.value.type == outer.value.type else first)
            return POISONED
    for (end, _), binding in zip(exits.found, bound, strict=True):
        end.inputs.append(binding.value)
    return Bound(loop.add_output(first.value.type, name), bound[-1].span)


def _forget(lowering: Lowering, assigned: dict[str, ast.AST], in_loop: bool = True) -> None:
    """Names bound only in the body are undefined after the loop."""
    for name, at in assigned.items():
        if name not in lowering.scope:
            lowering.scope[name] = PartlyBound(lowering.span(at), in_loop)


def _breaks(statements: Sequence[ast.stmt]) -> bool:
    """Whether a ``break`` among `statements` leaves the loop they are the body of."""
    return any(isinstance(node, ast.Break) for node in _own_statements(statements))


def _own_statements(statements: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    for node in statements:
        yield node
        match node:
            case ast.If():
                yield from _own_statements([*node.body, *node.orelse])
            case ast.For() | ast.While():
                yield from _own_statements(node.orelse)
            case ast.With() | ast.Try():
                yield from _own_statements(node.body)
