"""Loops over instances: ``__iter__`` returns an object whose ``__next__`` is called until it raises `StopIteration`."""

from __future__ import annotations

import ast
import copy

from tscript.abi.exceptions import EXCEPTIONS
from tscript.diagnostics import Span
from tscript.frontend.diagnostics import errors
from tscript.frontend.diagnostics.type_names import article
from tscript.frontend.lowering import exits, frames, loops, method_calls, receivers, sources, tries
from tscript.frontend.lowering.bodies import lower_statements
from tscript.frontend.lowering.function import FunctionLowering, Source
from tscript.frontend.lowering.hidden import fresh_hidden, hidden_value
from tscript.frontend.lowering.kinds import Body, Run
from tscript.frontend.lowering.names import bind
from tscript.frontend.lowering.receivers import named
from tscript.frontend.source.classes import method_function
from tscript.ir.graph import Value
from tscript.late import dataclass
from tscript.types import BOOL, ClassType


def source_of(lowering: FunctionLowering, value: Value, node: ast.expr) -> Source | None:
    """The iterable of an instance; None if its class has no ``__iter__``."""
    definition = receivers.definition_of(value)
    found = None if definition is None else definition.method("__iter__")
    if found is None or definition is None:
        return None
    inner = _returned(lowering, value, node)
    if inner is not None:
        return inner
    span = lowering.span(node)
    iterator = method_calls.special_call(lowering, value, "__iter__", [], span)
    if iterator is None:
        return None
    owner = receivers.definition_of(iterator)
    if owner is None or owner.method("__next__") is None or not isinstance(iterator.type, ClassType):
        what = f"{article(value.type)}, whose '__iter__' gives {article(iterator.type)},"
        instead = "give an instance of a class with '__next__', such as self, or 'iter(...)' of a list"
        raise lowering.failure(errors.LoopOver(span, what, instead))
    return Steps(iterator)


def _returned(lowering: FunctionLowering, value: Value, node: ast.expr) -> Source | None:
    """The iterable of ``return iter(self.items)``."""

    definition = receivers.definition_of(value)
    assert definition is not None
    found = definition.method("__iter__")
    function = None if found is None else method_function(found[1], lowering.report)
    if function is None or any(d.methods.get("__iter__") for d in definition.known_derived):
        return None
    body = [s for s in function.tree.body if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))]
    arguments = function.tree.args.args
    match body:
        case [ast.Return(value=ast.Call(func=ast.Name(id="iter"), args=[inner], keywords=[]))] if len(arguments) == 1:
            names = {n.id for n in ast.walk(inner) if isinstance(n, ast.Name)}
            if names != {arguments[0].arg}:
                return None
            own = named(lowering, value, node)
            assert isinstance(own, ast.Name)
            placed = copy.deepcopy(inner)
            for part in ast.walk(placed):
                if isinstance(part, ast.expr):
                    ast.copy_location(part, node)
                if isinstance(part, ast.Name):
                    part.id = own.id
            return sources.source_of(lowering, placed)
    return None


@dataclass(slots=True)
class Steps(Source):
    """The results of ``__next__`` of an iterator."""

    iterator: Value

    def run(self, lowering: FunctionLowering, body: Body, run: Run) -> None:
        """See `Source`."""
        span = run.span

        def step() -> None:
            body(self._next(lowering, span))

        def loop(exits: frames.LoopExits | None) -> None:
            loops.repeat(lowering, lambda: lowering.const(True, BOOL, span), step, run.assigned, span, exits=exits)

        if not run.orelse:
            loop(run.exits)
            return
        around = exits.Once(lowering, span)
        loop(around.exits)
        if lowering.is_alive:
            lower_statements(lowering, run.orelse)
        around.finish(run.assigned)

    def _next(self, lowering: FunctionLowering, span: Span) -> Value:
        element = fresh_hidden(lowering)
        target = ast.Name(element, ast.Store())
        loop = lowering.loops[-1]

        def call() -> None:
            found = method_calls.special_call(lowering, self.iterator, "__next__", [], span)
            assert found is not None
            bind(lowering, element, found, span)

        def stop(caught: Value) -> None:
            loop.own.leave(lowering, span)

        guard = tries.Guard(lowering, [ast.Assign([target], ast.Constant(None))], call, span)
        guard.handle([EXCEPTIONS["StopIteration"]], stop, None, span)
        guard.finish({element: lowering.function.tree})
        return hidden_value(lowering, element)
