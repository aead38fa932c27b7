"""`try`, `finally`, and code that runs on every exit of a body."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from functools import reduce

from tscript.abi.exceptions import BASE_EXCEPTION
from tscript.diagnostics import Span
from tscript.frontend.diagnostics import errors
from tscript.frontend.diagnostics.abandoned import Abandoned
from tscript.frontend.lowering import exits, frames, loops, widening
from tscript.frontend.lowering.bodies import lower_statements
from tscript.frontend.lowering.frames import RETURNED, FinalFrame, TryFrame
from tscript.frontend.lowering.lowering import Lowering
from tscript.frontend.lowering.names import bind, unbind
from tscript.frontend.lowering.returns import leave_function
from tscript.frontend.lowering.scopes import (
    FACTS,
    Bound,
    Conflicting,
    Facts,
    PartlyBound,
    Scope,
    assigned_names,
    facts_in,
)
from tscript.ir.graph import Block, Handler, Label, Throw, Try, Unreachable, Value, Yield
from tscript.types import ClassType, Type, join

WHERE = "a 'try'"
"""Where names change their type, as messages call it."""


def lower_try(lowering: Lowering, node: ast.Try) -> None:
    """``try`` in all its forms."""
    check_handlers(lowering, node, "'try'")

    def run() -> None:
        if node.handlers:
            widening.widening(lowering, lambda: _lower_handlers(lowering, node), lowering.span(node))
        else:
            lower_statements(lowering, node.body)

    def leave(exception: Value | None) -> None:
        lower_statements(lowering, node.finalbody)
        if exception is not None and lowering.is_alive:
            lowering.block.nodes.append(Throw(exception, lowering.span(node)))

    if node.finalbody:
        lower_guarded(lowering, node, [*node.body, *node.handlers, *node.orelse], run, leave)
    else:
        run()


def _lower_handlers(lowering: Lowering, node: ast.Try) -> frames.LoopExits:
    span = lowering.span(node)
    classes = [_classes(lowering, handler) for handler in node.handlers]
    assigned = assigned_names([node], lowering.function.has_walrus)
    outer = exits.Once(lowering, span, WHERE, in_loop=False) if node.orelse else None
    guard = Guard(lowering, node.body, lambda: lower_statements(lowering, node.body), span)
    for handler, wanted in zip(node.handlers, classes, strict=True):

        def run(caught: Value, handler: ast.ExceptHandler = handler) -> None:
            if handler.name is not None:
                bind(lowering, handler.name, caught, lowering.span(handler))
            lower_statements(lowering, handler.body)
            if handler.name is not None:
                unbind(lowering, handler.name, lowering.span(handler))

        guard.handle(wanted, run, None if outer is None else outer.exits, lowering.span(handler))
    if guard.exits.is_again:
        return guard.exits
    if outer is None:
        guard.finish(assigned)
        return guard.exits
    guard.finish({})
    if lowering.is_alive:
        lower_statements(lowering, node.orelse)
    outer.finish(assigned)
    return guard.exits


def _classes(lowering: Lowering, handler: ast.ExceptHandler) -> list[ClassType]:
    """The classes that a handler catches; all after an error."""
    if handler.type is None:
        return [BASE_EXCEPTION]
    nodes = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    found: list[ClassType] = []
    for node in nodes:
        try:
            found.append(lowering.exception_class(node))
        except Abandoned:
            lowering.abandon(node)
            return [BASE_EXCEPTION]
    if not found:
        lowering.report(errors.UnsupportedRaise(lowering.span(handler.type), "no class at all"))
    return found or [BASE_EXCEPTION]


def common_base(classes: Sequence[ClassType]) -> ClassType:
    """The nearest class that all of `classes` derive from."""

    def nearer(a: ClassType, b: ClassType) -> ClassType:
        found = join(a, b)
        assert isinstance(found, ClassType)
        return found

    return reduce(nearer, classes)


class Guard:
    """A `Try`, appended to the block, whose body `run` lowers; handlers are added one by one.

    Args:
        lowering: Where it stands.
        body: The statements of the body.
        run: Lowers it.
        span: The statement.

    Attributes:
        node: The `Try`.
        exits: The exits to the statement after it.
    """

    def __init__(self, lowering: Lowering, body: Sequence[ast.AST], run: Callable[[], None], span: Span) -> None:
        self.lowering = lowering
        self.span = span
        self.exits = frames.LoopExits(Label("T"), WHERE, in_loop=False)
        self.node = Try(self.exits.label, (), Block(), (), (), span)
        inside = assigned_names(body, lowering.function.has_walrus)
        block, before = lowering.block, lowering.scope
        slots: dict[str, tuple[int, Type]] = {}
        for name in inside:
            binding = before.get(name)
            if isinstance(binding, Bound):
                slots[name] = (len(slots), binding.base.value.type)
                self.node.inputs.append(binding.base.value)
        block.nodes.append(self.node)
        self._frame = TryFrame(self.exits, slots)
        self._scope: Scope = dict(before)
        for name, at in inside.items():
            if name not in before:
                self._scope[name] = PartlyBound(lowering.span(at), in_loop=False)
        lowering.block, lowering.scope = self.node.body, dict(before)
        lowering.tries.append(self._frame)
        try:
            run()
            self._fall(span)
        finally:
            lowering.tries.pop()
            lowering.block, lowering.scope = block, before

    def handle(
        self, classes: Sequence[ClassType], run: Callable[[Value], None], handled: frames.LoopExits | None, span: Span
    ) -> None:
        """Add a handler, lowered by `run` from the exception. If it falls through, it leaves by `handled`, or
        yields."""
        lowering = self.lowering
        scope = dict(self._scope)
        scope[FACTS] = reduce(Facts.without, self._frame.forgotten, facts_in(scope))
        params: list[Value] = []
        for name, (_, type) in self._frame.slots.items():
            params.append(Value(type, name))
            before, changed = scope[name], self._frame.changed.get(name)
            assert isinstance(before, Bound)
            scope[name] = Bound(params[-1], before.span) if changed is None else Conflicting(before, changed)
        caught = Value(common_base(classes), "e")
        block = Block([*params, caught])
        self.node.handlers.append(Handler(classes, block))
        outer = lowering.block, lowering.scope
        lowering.block, lowering.scope = block, scope
        lowering.handling.append(caught)
        try:
            run(caught)
            if handled is None:
                self._fall(span)
            elif lowering.is_alive:
                handled.leave(lowering, span)
        finally:
            lowering.handling.pop()
            lowering.block, lowering.scope = outer

    def finish(self, assigned: dict[str, ast.AST]) -> None:
        """Continue after the `Try`."""
        exits.finish(self.lowering, self.node, self.exits, assigned)

    def _fall(self, span: Span) -> None:
        lowering = self.lowering
        if lowering.is_alive:
            end = Yield((), span)
            lowering.block.nodes.append(end)
            self.exits.found.append((end, lowering.scope, lowering.block))


def lower_guarded(
    lowering: Lowering,
    node: ast.stmt,
    body: Sequence[ast.AST],
    run: Callable[[], None],
    leave: Callable[[Value | None], None],
) -> None:
    """A body with code that runs on every exit.

    Args:
        node: The statement.
        body: The part of it that `run` lowers.
        run: Lowers the body.
        leave: Lowers this code, once for each kind of exit. Given the exception, it either raises it again or falls
            through, which handles the exception.
    """
    widening.widening(lowering, lambda: _lower_guarded(lowering, node, body, run, leave), lowering.span(node))


def _lower_guarded(
    lowering: Lowering,
    node: ast.stmt,
    body: Sequence[ast.AST],
    run: Callable[[], None],
    leave: Callable[[Value | None], None],
) -> frames.LoopExits:
    span = lowering.span(node)
    assigned = assigned_names([node], lowering.function.has_walrus)
    end = exits.Once(lowering, span, WHERE, in_loop=False)
    ways = {way: exits.Once(lowering, span, WHERE, in_loop=False) for way in _ways(body)}
    frame = FinalFrame(len(lowering.loops), {way: once.exits for way, once in ways.items()})

    def run_inside() -> None:
        lowering.finals.append(frame)
        try:
            run()
        finally:
            lowering.finals.pop()

    guard = Guard(lowering, body, run_inside, span)
    if guard.exits.is_again:
        return guard.exits
    guard.handle([BASE_EXCEPTION], leave, end.exits, span)
    guard.finish({})
    if lowering.is_alive:
        leave(None)
        if lowering.is_alive:
            end.exits.leave(lowering, span)
    for way, once in reversed(ways.items()):
        once.go_on({})
        if lowering.is_alive:
            _go_on(lowering, way, leave, span)
    end.go_on(assigned)
    return guard.exits


def _go_on(lowering: Lowering, way: str, leave: Callable[[Value | None], None], span: Span) -> None:
    """The ``finally`` body on one exit, and the rest of that exit."""
    returned = lowering.scope.pop(RETURNED, None)
    leave(None)
    if not lowering.is_alive:
        return
    if way == "return":
        if isinstance(returned, Bound):
            leave_function(lowering, returned.value, span)
        else:
            lowering.block.nodes.append(Unreachable(span))
    elif way == "break":
        loops.leave_loop(lowering, span)
    else:
        loops.next_iteration(lowering, span)


def check_handlers(lowering: Lowering, node: ast.stmt, what: str) -> None:
    if not lowering.has_handlers:
        instead = "test for the condition with 'if' before it raises, or catch it in the caller"
        raise lowering.failure(errors.UnsupportedStatement(lowering.span(node), what, instead))


def _ways(body: Sequence[ast.AST]) -> list[str]:
    """The kinds of exits of some statements, besides their end and exceptions."""
    found: dict[str, None] = {}

    def look(node: ast.AST, in_loop: bool) -> None:
        match node:
            case ast.Return():
                found["return"] = None
            case ast.Break() if not in_loop:
                found["break"] = None
            case ast.Continue() if not in_loop:
                found["continue"] = None
            case ast.For() | ast.While():
                for statement in node.body:
                    look(statement, True)
                for statement in node.orelse:
                    look(statement, in_loop)
            case ast.stmt() | ast.ExceptHandler() | ast.match_case():
                for inner in ast.iter_child_nodes(node):
                    look(inner, in_loop)

    for part in body:
        look(part, False)
    return list(found)
