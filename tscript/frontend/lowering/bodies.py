"""Sequences of statements, and the entire body of a function."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from tscript.diagnostics import CompileError, InternalError
from tscript.frontend.diagnostics import errors, type_errors
from tscript.frontend.diagnostics.abandoned import Abandoned
from tscript.frontend.diagnostics.type_names import shown
from tscript.frontend.lowering.effort import TooMuchEffortError
from tscript.frontend.lowering.lowering import Lowering
from tscript.frontend.lowering.names import poison
from tscript.frontend.lowering.program import Contents, Instance
from tscript.frontend.lowering.returns import lower_return
from tscript.frontend.lowering.scopes import POISONED, Bound, Given, Scope
from tscript.ir.graph import Unreachable
from tscript.types import NONE, KnownType, TypeLimitError, members_of
from tscript.types.inference import is_open


def lower_function(lowering: Lowering, instance: Instance, run: Callable[[], None] | None = None) -> Contents:
    """Lower a function, its body by `run` if given. Returns the element types of the containers that begin empty."""
    lowering.contents = instance.contents
    lowering.scope.update(_parameters(lowering, instance))
    lowering.unassigned = instance.unassigned
    for name in instance.unassigned.names:
        span = instance.function.header
        value = lowering.not_assigned(name, instance.unassigned.types.get(name), span)
        if value is not None:
            lowering.scope[name] = Bound(value, span)
    for value in instance.graph.body.params:
        if is_open(value.type):
            lowering.open_parameter(value)
    declared = instance.signature.parameters
    lowering.declared = {p.name: p.type for p in declared if p.declared and p.type is not None}
    for parameter in declared:
        bound = lowering.scope.get(parameter.name)
        if parameter.broadcast and isinstance(bound, Bound):
            value = lowering.broadcast(bound.value, parameter.broadcast, parameter.span)
            lowering.scope[parameter.name] = Bound(value, parameter.span)
            lowering.declared[parameter.name] = value.type
    if run is None:
        lower_statements(lowering, instance.function.tree.body)
    else:
        run()
    instance.closed = frozenset(lowering.closed)
    _finish(lowering, instance)
    return lowering.contents_found()


def _parameters(lowering: Lowering, instance: Instance) -> Scope:
    """Bind the parameters at the beginning of the body."""
    scope: Scope = {}
    symbol = lowering.program.resolver.symbol
    for parameter in instance.signature.parameters:
        if isinstance(parameter.type, KnownType):
            scope[parameter.name] = Given(symbol(parameter.type.value), parameter.type)
    parameters = [p for p in instance.signature.parameters if p.is_passed]
    for parameter, value in zip(parameters, instance.graph.body.params, strict=True):
        scope[parameter.name] = POISONED if parameter.type is None else Bound(value, parameter.span)
    arguments = instance.function.tree.args
    if arguments.kwarg is not None:
        scope[arguments.kwarg.arg] = POISONED
    return {**scope, **instance.functions}


def _finish(lowering: Lowering, instance: Instance) -> None:
    returns = instance.returns
    if lowering.is_alive:
        lowering.finish()
        if returns.type is None or NONE in members_of(returns.type):
            end = instance.function.header
            lower_return(lowering, lowering.const(None, NONE, end), end)
        elif instance.signature.valid and not lowering.lost_return:
            assert returns.type is not None
            name = instance.function.name
            lowering.report(type_errors.MissingReturn(instance.function.header, name, shown(returns.type)))
    instance.graph.result = NONE if returns.type is None else returns.type
    instance.finished = True
    instance.is_lost = lowering.lost_return and returns.declared is None


def lower_statements(lowering: Lowering, statements: Sequence[ast.stmt]) -> None:
    """Lower statements until one leaves the block; the rest cannot be reached."""
    for statement in statements:
        if not lowering.is_alive:
            return
        lower_statement(lowering, statement)


def lower_statement(lowering: Lowering, node: ast.stmt) -> None:
    """Lower one statement; an error in it has been reported when this returns, and its names are poisoned."""
    block, scope, depth = lowering.block, lowering.scope, len(lowering.loops)
    lowering.begin_statement()
    lowering.program.effort.spend()
    try:
        lowering.statement(node)
    except (CompileError, InternalError, RecursionError, TooMuchEffortError):
        raise
    except (Abandoned, TypeLimitError) as error:
        if isinstance(error, TypeLimitError):
            lowering.report(errors.too_large(lowering.span(node), error))
        lowering.block, lowering.scope = block, scope
        del lowering.loops[depth:]
        lowering.abandon(node)
        poison(lowering, [node])
        if isinstance(node, ast.Return | ast.Raise):
            block.nodes.append(Unreachable(lowering.span(node)))
            lowering.lost_return |= isinstance(node, ast.Return)
        elif any(isinstance(inner, ast.Return) for inner in ast.walk(node)):
            lowering.lost_return = True
    except Exception as error:  # anything else is a bug of the compiler, and is reported as one
        raise InternalError(f"{type(error).__name__}: {error}", lowering.span(node)) from error


def unsupported(lowering: Lowering, node: ast.stmt) -> Abandoned:
    """Report a statement that is not supported."""
    what, instead = _UNSUPPORTED.get(type(node), ("this statement", "leave it out"))
    return lowering.failure(errors.UnsupportedStatement(lowering.span(node), what, instead))


_UNSUPPORTED: dict[type[ast.stmt], tuple[str, str]] = {
    ast.AsyncFunctionDef: ("a coroutine", "write a plain function, without 'async'"),
    ast.ClassDef: ("a class inside a function", "define it at the top level of the module"),
    ast.AsyncWith: ("'async with'", "leave it to the caller"),
    ast.AsyncFor: ("'async for'", "write a plain 'for' loop"),
    ast.TryStar: ("'except*'", "catch the exceptions one by one, with 'except'"),
    ast.Global: ("'global'", "take the value as a parameter and return the new one"),
    ast.Nonlocal: (
        "'nonlocal'",
        "return the new value and assign it where the function is called, or keep it in a list",
    ),
    ast.Import: ("an import inside a function", "import at the top of the module"),
    ast.ImportFrom: ("an import inside a function", "import at the top of the module"),
}
