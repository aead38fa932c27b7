"""Control flow: ``if``, ``while``, ``for``, ``break``, ``continue``, ``else`` of loops, and the values of names after
them.

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
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from tscript.diagnostics import Span
from tscript.dialect.machine import EQ
from tscript.frontend.diagnostics.abandoned import Abandoned
from tscript.frontend.diagnostics.errors import InvalidSyntax
from tscript.frontend.lowering.assignment import assign_to
from tscript.frontend.lowering.bodies import lower_statements
from tscript.frontend.lowering.frames import MAX_WIDENINGS, LoopExits, LoopFrame
from tscript.frontend.lowering.lowering import Lowering
from tscript.frontend.lowering.merging import as_declared, joined, merge, report_change, wider
from tscript.frontend.lowering.names import poison
from tscript.frontend.lowering.remembered import Start, Step, paths_of
from tscript.frontend.lowering.returns import crosses_finals
from tscript.frontend.lowering.scopes import (
    FACTS,
    NOTHING,
    POISONED,
    Binding,
    Bound,
    Conflicting,
    PartlyBound,
    Scope,
    assigned_names,
    facts_in,
    meet,
)
from tscript.frontend.lowering.trials import Trial
from tscript.frontend.source.symbols import LocalFunction
from tscript.ir.graph import Block, Continue, For, If, Label, Loop, Node, Raise, Try, Unreachable, Value, Yield
from tscript.types import BOOL, INT


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
    lowering.block, lowering.scope = outer_block, outer_scope
    if not own.is_again:
        finish(lowering, loop, own, assigned)
    return own


Bounds = tuple[Value, Value, Value]
"""Start, stop and step of a counted loop."""


def lower_range_for(lowering: Lowering, node: ast.For, bounds: Callable[[], Bounds]) -> None:
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
    """
    if not orelse or not breaks:
        widening(lowering, lambda: _count(lowering, bounds, body, assigned, exits, span, name), span, exits)
        lower_statements(lowering, orelse)
        return
    around = Once(lowering, span)
    widening(lowering, lambda: _count(lowering, bounds, body, assigned, around.exits, span, name), span, around.exits)
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
        _forget(lowering, assigned)
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


class Once:
    """A loop that runs once and can be left by a break. Nodes are added to its body until it is finished.

    Args:
        lowering: Where it stands.
        span: The statement.
        where, in_loop: As of its `exits`.
    """

    def __init__(self, lowering: Lowering, span: Span, where: str = "a loop", in_loop: bool = True) -> None:
        self._lowering = lowering
        self._span = span
        self._outer = lowering.block, lowering.scope
        label = Label()
        self.exits = LoopExits(label, where, in_loop)
        block = Block()
        self._loop = Loop(label, (), block, (), span)
        lowering.block.nodes.append(self._loop)
        lowering.block, lowering.scope = block, dict(lowering.scope)

    def leave(self) -> None:
        """End the current block by leaving it."""
        self.exits.leave(self._lowering, self._span)

    def finish(self, assigned: dict[str, ast.AST]) -> None:
        """Continue after it."""
        lowering = self._lowering
        if lowering.is_alive:
            self.exits.leave(lowering, self._span)
        self.go_on(assigned)

    def go_on(self, assigned: dict[str, ast.AST]) -> None:
        """Continue after it; its body ends elsewhere."""
        lowering = self._lowering
        lowering.block, lowering.scope = self._outer
        finish(lowering, self._loop, self.exits, assigned)


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
    loop = For(label, *bounds, [b.value for b in carried.values()], block, span)
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
    lowering.block, lowering.scope = outer_block, outer_scope
    for end, scope, block in own.found:
        with _Before(lowering, end, block):
            end.inputs.extend(_carried_values(lowering, frame, scope))
    for (target, before), output in zip(carried.items(), loop.outputs, strict=True):
        output.name = target
        output.type = before.value.type
        reported = target in own.reported or target in frame.exits.reported
        lowering.scope[target] = POISONED if reported else Bound(output, lowering.span(assigned[target]))
    lowering.scope[FACTS] = meet([lowering.scope, *(scope for _, scope, _ in own.found)])
    _forget(lowering, assigned)
    return own


def lower_break(lowering: Lowering, node: ast.Break) -> None:
    """``break``."""
    leave_loop(lowering, lowering.span(node))


def check_in_loop(lowering: Lowering, word: str, span: Span) -> None:
    """Report a ``break`` or ``continue`` outside of loops, which Python's parser lets pass."""
    if not lowering.loops:
        raise lowering.failure(InvalidSyntax(span, f"'{word}' outside of a loop"))


def leave_loop(lowering: Lowering, span: Span) -> None:
    """Leave the enclosing loop, through the ``finally`` bodies in between."""
    if not crosses_finals(lowering, "break", span):
        check_in_loop(lowering, "break", span)
        lowering.loops[-1].exits.leave(lowering, span)


def lower_continue(lowering: Lowering, node: ast.Continue) -> None:
    """``continue``."""
    next_iteration(lowering, lowering.span(node))


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


class _Before:
    """Lets nodes be added to a finished block before its last one."""

    def __init__(self, lowering: Lowering, end: Node, block: Block) -> None:
        self._lowering = lowering
        self._end = end
        self._outer, self._block = lowering.block, block

    def __enter__(self) -> None:
        assert self._block.nodes[-1] is self._end
        self._block.nodes.pop()
        self._lowering.block = self._block

    def __exit__(self, *error: object) -> None:
        self._block.nodes.append(self._end)
        self._lowering.block = self._outer


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
                _report_once(lowering, frame.own, name, before, changed)
        out.append(value)
    return out


def _as_before(lowering: Lowering, frame: LoopFrame, name: str, before: Bound, found: Bound) -> Value:
    value = as_declared(lowering, frame.own, name, before.value.type, found)
    if value is None:
        if name not in frame.own.widened:
            _report_once(lowering, frame.own, name, before, found)
        return found.value
    return value


def widening(lowering: Lowering, run: Callable[[], LoopExits], span: Span, exits: LoopExits | None = None) -> None:
    """Lower a loop, again when names turn out to need wider types than they begin with.

    Args:
        lowering: Where it stands.
        run: Lowers it; gives its ways out.
        span: The statement or expression that it is.
        exits: Those of a loop around that it is a part of.
    """
    outer = lowering.remembered
    lowering.remembered = outer.inner(span)
    try:
        _widening(lowering, run, span, exits)
    finally:
        lowering.remembered = outer


def _widening(lowering: Lowering, run: Callable[[], LoopExits], span: Span, exits: LoopExits | None) -> None:
    remembered, before = lowering.remembered, dict(lowering.scope)
    start = remembered.start(lowering.scope, span)
    steps = [] if start is None else list(start.steps)
    for step in steps:
        _take(lowering, step, None)
    tries = 0 if start is not None and start.is_hopeless else MAX_WIDENINGS - len(steps)
    for _ in range(tries):
        remembered.begin()
        trial = Trial(lowering, () if exits is None else (exits,))
        own = run()
        if not own.is_again:
            if start is not None:
                remembered.keep(replace(start, steps=steps), before, partial(wider, lowering))
            return
        trial.take_back()
        if start is None:
            start = Start(remembered.state(lowering.scope, span), ())
        paths = paths_of(lowering.scope)
        forgotten = frozenset(paths[place] for place in own.forgotten if place in paths)
        steps.append(Step(dict(own.widened), forgotten))
        _take(lowering, replace(steps[-1], places=frozenset(own.forgotten)), own.where)
    if start is not None:
        remembered.keep(replace(start, steps=steps, is_hopeless=True), before, partial(wider, lowering))
    lowering.scope[FACTS] = NOTHING
    remembered.begin()
    own = run()
    for name, wide in own.widened.items():  # it grows with each iteration
        before_it = lowering.scope[name]
        assert isinstance(before_it, Bound)
        _report_once(lowering, own, name, before_it, Bound(Value(wide), before_it.span))


def _take(lowering: Lowering, step: Step, where: str | None) -> None:
    """Begin a loop with the types that it needs. A value that does not fit is an error in the loop (`where` in
    messages), or left out."""
    lowering.scope[FACTS] = step.facts(lowering.scope)
    for name, wide in step.widened.items():
        binding = lowering.scope.get(name)
        if where is None and not isinstance(binding, Bound):
            continue
        assert isinstance(binding, Bound)
        value = lowering.coerce(binding.base.value, wide, binding.span)
        if value is None:  # an empty container whose type cannot be decided here
            if where is None:
                continue
            report_change(lowering, name, binding, Bound(Value(wide), binding.span), where)
            value = Value(wide)
        lowering.scope[name] = Bound(binding.value, binding.span, Bound(value, binding.span))


def _report_once(lowering: Lowering, exits: LoopExits, name: str, before: Bound, after: Bound) -> None:
    """Report, once per name, that `name` changes its type in a loop."""
    if name not in exits.reported:
        exits.reported.add(name)
        report_change(lowering, name, before, after, exits.where)


def finish(lowering: Lowering, loop: Loop | Try, exits: LoopExits, assigned: dict[str, ast.AST]) -> None:
    """Give a loop or `Try` its results: the names that its exits leave with other values than before.

    Args:
        loop: It; `lowering` has the names as they were before it.
        exits: What leaves it.
        assigned: Names that it assigns, with the first place of each.
    """
    if not exits.found:
        lowering.block.nodes.append(Unreachable(loop.span))
        return
    before = lowering.scope
    scope: Scope = dict(before)
    scope[FACTS] = meet([leaving for _, leaving, _ in exits.found])
    names = dict.fromkeys(name for _, leaving, _ in exits.found for name in leaving if name != FACTS)
    for name in names:
        bindings = [_unrefined(leaving.get(name), before.get(name)) for _, leaving, _ in exits.found]
        if all(b is before.get(name) for b in bindings):
            continue
        scope[name] = _joined(lowering, name, bindings, before, loop, exits)
    lowering.scope = scope
    _forget(lowering, assigned, exits.in_loop)


def _unrefined(found: Binding | None, before: Binding | None) -> Binding | None:
    """A binding without the narrowing of a name that has not been assigned."""
    if isinstance(found, Bound) and isinstance(before, Bound) and found.base is before.base:
        return before
    return found


def _joined(
    lowering: Lowering, name: str, bindings: Sequence[Binding | None], before: Scope, loop: Loop | Try, exits: LoopExits
) -> Binding:
    """The binding of `name` after a loop whose exits leave it as `bindings`."""
    if name in exits.reported or POISONED in bindings:
        return POISONED
    bound = [b for b in bindings if isinstance(b, Bound)]
    if len(bound) < len(bindings):
        kept = next((b for b in bindings if isinstance(b, PartlyBound | Conflicting)), None)
        some = next((b for b in bindings if isinstance(b, Bound | LocalFunction | PartlyBound)), None)
        if isinstance(some, LocalFunction) and all(
            isinstance(b, LocalFunction) and b.node is some.node for b in bindings
        ):
            return some
        if kept is not None:
            return kept
        assert some is not None
        return PartlyBound(some.span, exits.in_loop)
    wide = bound[0].value.type
    for other in bound[1:]:
        if other.value.type == wide:
            continue
        found = joined(lowering, name, Value(wide), other.value)
        if found is None:
            outer, first = before.get(name), bound[0]
            if not isinstance(outer, Bound):
                return Conflicting(first, other)
            _report_once(lowering, exits, name, outer, other if first.value.type == outer.value.type else first)
            return POISONED
        wide = found
    for (end, _, block), binding in zip(exits.found, bound, strict=True):
        with _Before(lowering, end, block):
            value = binding.value
            converted = value if value.type == wide else lowering.coerce(value, wide, binding.span)
            end.inputs.append(value if converted is None else converted)
    return Bound(loop.add_output(wide, name), bound[-1].span)


def _forget(lowering: Lowering, assigned: dict[str, ast.AST], in_loop: bool = True) -> None:
    """Names bound only in the body are undefined after the loop."""
    for name, at in assigned.items():
        if name not in lowering.scope:
            lowering.scope[name] = PartlyBound(lowering.span(at), in_loop)


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
