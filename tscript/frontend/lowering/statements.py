"""Statements, one function each: `STATEMENTS` maps a class of AST node to it. Control flow is in `control`."""

from __future__ import annotations

import ast
import typing
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tscript.diagnostics import CompileError, InternalError
from tscript.frontend.diagnostics import errors, type_errors
from tscript.frontend.diagnostics.type_names import conversion_help, shown
from tscript.frontend.lowering import control, exceptions
from tscript.frontend.lowering.effort import TooMuchEffortError
from tscript.frontend.lowering.lowering import Abandoned
from tscript.frontend.source.annotations import annotation_type
from tscript.ir.graph import Unreachable
from tscript.types import NONE, TypeLimitError

if TYPE_CHECKING:
    from tscript.frontend.lowering.lowering import Lowering


def lower_statement(lowering: Lowering, node: ast.stmt) -> None:
    """Lower one statement; an error in it has been reported when this returns, and its names are poisoned."""
    block, scope, depth = lowering.block, lowering.scope, len(lowering.loops)
    lowering.begin_statement()
    lowering.program.effort.spend()
    try:
        handler = STATEMENTS.get(type(node))
        if handler is None:
            what, instead = _UNSUPPORTED.get(type(node), ("this statement", "leave it out"))
            raise lowering.failure(errors.UnsupportedStatement(lowering.span(node), what, instead))
        handler(lowering, node)
    except (CompileError, InternalError, RecursionError, TooMuchEffortError):
        raise
    except (Abandoned, TypeLimitError) as error:
        if isinstance(error, TypeLimitError):
            lowering.report(errors.too_large(lowering.span(node), error))
        lowering.block, lowering.scope = block, scope
        del lowering.loops[depth:]
        lowering.abandon(node)
        lowering.poison([node])
        if isinstance(node, ast.Return | ast.Raise):
            block.nodes.append(Unreachable(lowering.span(node)))
            lowering.lost_return |= isinstance(node, ast.Return)
        elif any(isinstance(inner, ast.Return) for inner in ast.walk(node)):
            lowering.lost_return = True
    except Exception as error:  # whatever else went wrong is a bug of ours, and is reported as one
        raise InternalError(f"{type(error).__name__}: {error}", lowering.span(node)) from error


def _expression(lowering: Lowering, node: ast.Expr) -> None:
    if not isinstance(node.value, ast.Constant):
        lowering.value(node.value)


def _assign(lowering: Lowering, node: ast.Assign) -> None:
    if len(node.targets) == 1:
        target = node.targets[0]
        if isinstance(node.value, ast.Tuple) and _pairs_up(target, node.value):
            assert isinstance(target, ast.Tuple | ast.List)
            found = [lowering.value_for(t, e) for t, e in zip(target.elts, node.value.elts, strict=True)]
            for element, value in zip(target.elts, found, strict=True):
                lowering.assign(element, value)
        elif isinstance(target, ast.Name) and isinstance(node.value, ast.Lambda):
            lowering.define_lambda(target.id, node.value)
        else:
            lowering.assign_from(target, node.value)
        return
    value = lowering.value_for(node.targets[0], node.value)
    for target in node.targets:
        lowering.assign(target, value)


def _pairs_up(target: ast.expr, value: ast.Tuple) -> bool:
    """Whether ``a, b = x, y`` needs no tuple."""
    if not isinstance(target, ast.Tuple | ast.List):
        return False
    parts = [*target.elts, *value.elts]
    return len(target.elts) == len(value.elts) and not any(isinstance(e, ast.Starred) for e in parts)


def _is_bare_final(lowering: Lowering, node: ast.expr) -> bool:
    """Whether an annotation is ``Final`` alone, which names no type."""
    if isinstance(node, ast.Attribute):
        return node.attr == "Final"
    try:
        return isinstance(node, ast.Name) and lowering.function.environment.lookup(node.id) is typing.Final
    except KeyError:
        return False


def _annotated(lowering: Lowering, node: ast.AnnAssign) -> None:
    target = node.target
    if isinstance(target, ast.Attribute):
        declared = annotation_type(lowering.context, lowering.function, node.annotation)
        if declared is None:
            raise Abandoned
        lowering.annotated_attribute(target, declared, node.value)
        return
    if not isinstance(target, ast.Name):
        raise lowering.failure(
            errors.UnsupportedTarget(
                lowering.span(target), "an annotated element or attribute", "leave out the annotation"
            )
        )
    if node.value is not None and _is_bare_final(lowering, node.annotation):
        lowering.assign_from(target, node.value)
        return
    declared = annotation_type(lowering.context, lowering.function, node.annotation)
    if declared is None:
        raise Abandoned
    lowering.declared[target.id] = declared
    if node.value is None:
        return
    found = lowering.value_as(node.value, declared)
    span = lowering.span(node.value)
    value = found if found.type == declared else lowering.coerce(found, declared, span)
    if value is None:
        instead = conversion_help(found, declared)
        raise lowering.failure(type_errors.DeclaredType(span, target.id, shown(declared), shown(found.type), instead))
    lowering.bind(target.id, value, lowering.span(target))


def _augmented(lowering: Lowering, node: ast.AugAssign) -> None:
    lowering.augment(node)


def _return(lowering: Lowering, node: ast.Return) -> None:
    span = lowering.span(node)
    if node.value is None:
        lowering.lower_return(lowering.const(None, NONE, span), span)
        return
    wanted = lowering.returns.type
    value = lowering.value(node.value) if wanted is None else lowering.value_as(node.value, wanted)
    lowering.lower_return(value, lowering.span(node.value), node.value)


def _pass(lowering: Lowering, node: ast.Pass) -> None:
    pass


def _assert(lowering: Lowering, node: ast.Assert) -> None:
    span = lowering.span(node)
    cond = lowering.condition(node.test)

    def succeed() -> None:
        pass

    def fail() -> None:
        lowering.fail_assert(node)

    if cond.constant is True:
        return
    if cond.constant is False:
        fail()
        return
    holds = lowering.told(node.test, True)
    then, orelse = lowering.branch(succeed), lowering.branch(fail)
    lowering.merge(cond, then, orelse, span)
    holds()


def _raise(lowering: Lowering, node: ast.Raise) -> None:
    lowering.raise_(node)


def _match(lowering: Lowering, node: ast.Match) -> None:
    lowering.lower_match(node)


def _define(lowering: Lowering, node: ast.FunctionDef) -> None:
    lowering.define(node)


def _delete(lowering: Lowering, node: ast.Delete) -> None:
    lowering.delete(node)


def _with(lowering: Lowering, node: ast.With) -> None:
    lowering.lower_with(node)


STATEMENTS: dict[type[ast.stmt], Callable[[Lowering, Any], None]] = {
    ast.Expr: _expression,
    ast.Assign: _assign,
    ast.AnnAssign: _annotated,
    ast.AugAssign: _augmented,
    ast.Return: _return,
    ast.If: control.lower_if,
    ast.While: control.lower_while,
    ast.For: control.lower_for,
    ast.Break: control.lower_break,
    ast.Continue: control.lower_continue,
    ast.Pass: _pass,
    ast.Assert: _assert,
    ast.Raise: _raise,
    ast.Try: exceptions.lower_try,
    ast.With: _with,
    ast.Delete: _delete,
    ast.FunctionDef: _define,
    ast.Match: _match,
}

_UNSUPPORTED: dict[type[ast.stmt], tuple[str, str]] = {
    ast.AsyncFunctionDef: ("a coroutine", "write a plain function, without 'async'"),
    ast.ClassDef: ("a class inside a function", "define it at the top level of the module"),
    ast.AsyncWith: ("'async with'", "leave it to the caller"),
    ast.AsyncFor: ("'async for'", "write a plain 'for' over values that are there"),
    ast.TryStar: ("'except*'", "catch the exceptions one by one, with 'except'"),
    ast.Global: ("'global'", "take the value as a parameter and return the new one"),
    ast.Nonlocal: (
        "'nonlocal'",
        "return the new value and assign it where the function is called, or keep it in a list",
    ),
    ast.Import: ("an import inside a function", "import at the top of the module"),
    ast.ImportFrom: ("an import inside a function", "import at the top of the module"),
}
