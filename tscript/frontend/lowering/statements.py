"""Statements, one function each: `STATEMENTS` maps a class of AST node to it. Control flow is in `control`, `try` in
`tries`."""

from __future__ import annotations

import ast
import typing
from collections.abc import Callable
from typing import Any

from tscript.frontend.diagnostics import errors, type_errors
from tscript.frontend.diagnostics.abandoned import Abandoned
from tscript.frontend.diagnostics.type_names import conversion_help, shown
from tscript.frontend.lowering.lowering import Lowering
from tscript.frontend.lowering.names import bind
from tscript.frontend.lowering.returns import lower_return
from tscript.frontend.source.annotations import annotation_type
from tscript.frontend.source.opened import open_annotation
from tscript.ir.graph import Call, Raise, Value
from tscript.once import LateTable
from tscript.types import INTERFACE, NONE, OpenType, Type, completed, is_complete


def _expression(lowering: Lowering, node: ast.Expr) -> None:
    if not isinstance(node.value, ast.Constant):
        lowering.value(node.value)
        end_behind_raising(lowering, node)


def end_behind_raising(lowering: Lowering, node: ast.stmt) -> bool:
    """End the block if the last thing in it is a call of a function that always raises; returns whether it is."""
    last = lowering.block.nodes[-1] if lowering.block.nodes else None
    is_raising = isinstance(last, Call) and lowering.program.always_raises(last.callee)
    if is_raising:
        # the verifier of IR looks at one function at a time
        lowering.block.nodes.append(Raise("RuntimeError", "this cannot be reached", (), lowering.span(node)))
    return is_raising


def _assign(lowering: Lowering, node: ast.Assign) -> None:
    from tscript.frontend.lowering.assignment import assign_to

    if len(node.targets) == 1:
        target = node.targets[0]
        if isinstance(node.value, ast.Tuple) and _pairs_up(target, node.value):
            assert isinstance(target, ast.Tuple | ast.List)
            found = [lowering.value_for(t, e) for t, e in zip(target.elts, node.value.elts, strict=True)]
            for element, value in zip(target.elts, found, strict=True):
                assign_to(lowering, element, value)
        elif isinstance(target, ast.Name) and isinstance(node.value, ast.Lambda):
            lowering.define_lambda(target.id, node.value)
        else:
            lowering.assign_from(target, node.value)
        return
    value = lowering.value_for(node.targets[0], node.value)
    for target in node.targets:
        assign_to(lowering, target, value)


def _pairs_up(target: ast.expr, value: ast.Tuple) -> bool:
    """Whether ``a, b = x, y`` needs no tuple."""
    if not isinstance(target, ast.Tuple | ast.List):
        return False
    parts = [*target.elts, *value.elts]
    return len(target.elts) == len(value.elts) and not any(isinstance(e, ast.Starred) for e in parts)


def _is_bare_final(lowering: Lowering, node: ast.expr) -> bool:
    """Whether an annotation is ``Final`` alone, without a type."""
    if isinstance(node, ast.Attribute):
        return node.attr == "Final"
    try:
        return isinstance(node, ast.Name) and lowering.function.environment.lookup(node.id) is typing.Final
    except KeyError:
        return False


def _annotated(lowering: Lowering, node: ast.AnnAssign) -> None:
    target = node.target
    if isinstance(target, ast.Attribute):
        declared = open_annotation(lowering.function, lowering.context.resolver, node.annotation)
        declared = declared or annotation_type(lowering.context, lowering.function, node.annotation)
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
    opened = open_annotation(lowering.function, lowering.context.resolver, node.annotation)
    if opened is not None:
        _partly_annotated(lowering, target, opened, node.value)
        return
    declared = annotation_type(lowering.context, lowering.function, node.annotation)
    if declared is None:
        raise Abandoned
    lowering.declared[target.id] = declared
    if node.value is None:
        return
    _bind_declared(lowering, target, declared, lowering.value_as(node.value, declared), node.value)


def _partly_annotated(lowering: Lowering, target: ast.Name, opened: Type, node: ast.expr | None) -> None:
    """``x: dict[str, NDArray[np.float64]] = value``: what the annotation leaves open is that of the value.

    If the value says nothing of it, as ``{}`` and None do, the name has no declared type.
    """
    if node is None:
        return
    if opened == OpenType(INTERFACE):
        lowering.several.add(target.id)
    if isinstance(opened, OpenType):
        lowering.assign_from(target, node)
        return
    found = lowering.value(node)
    declared = completed(opened, found.type)
    if declared is not None and not is_complete(opened, declared):
        bind(lowering, target.id, found, lowering.span(target))
        return
    if declared is not None:
        lowering.declared[target.id] = declared
    _bind_declared(lowering, target, declared or opened, found, node)


def _bind_declared(lowering: Lowering, target: ast.Name, declared: Type, found: Value, node: ast.expr) -> None:
    span = lowering.span(node)
    value = found if found.type == declared else lowering.coerce(found, declared, span)
    if value is None:
        instead = conversion_help(found, declared)
        raise lowering.failure(type_errors.DeclaredType(span, target.id, shown(declared), shown(found.type), instead))
    bind(lowering, target.id, value, lowering.span(target))


def _return(lowering: Lowering, node: ast.Return) -> None:
    span = lowering.span(node)
    if node.value is None:
        lower_return(lowering, lowering.const(None, NONE, span), span)
        return
    wanted = lowering.returns.type
    value = lowering.value(node.value) if wanted is None else lowering.value_as(node.value, wanted)
    if value.type == NONE and end_behind_raising(lowering, node):
        return
    lower_return(lowering, value, lowering.span(node.value), node.value)


def _pass(lowering: Lowering, node: ast.Pass) -> None:
    pass


def _assert(lowering: Lowering, node: ast.Assert) -> None:
    from tscript.frontend.lowering.merging import merge

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
    holds = lowering.narrowing_of(node.test, True)
    then, orelse = lowering.branch(succeed), lowering.branch(fail)
    merge(lowering, cond, then, orelse, span)
    holds()


def _if() -> Callable[[Lowering, Any], None]:
    from tscript.frontend.lowering.control import lower_if

    return lower_if


def _while() -> Callable[[Lowering, Any], None]:
    from tscript.frontend.lowering.control import lower_while

    return lower_while


def _break() -> Callable[[Lowering, Any], None]:
    from tscript.frontend.lowering.control import lower_break

    return lower_break


def _continue() -> Callable[[Lowering, Any], None]:
    from tscript.frontend.lowering.control import lower_continue

    return lower_continue


def _try() -> Callable[[Lowering, Any], None]:
    from tscript.frontend.lowering.tries import lower_try

    return lower_try


STATEMENTS: LateTable[type[ast.stmt], Callable[[Lowering, Any], None]] = LateTable(
    {ast.If: _if, ast.While: _while, ast.Break: _break, ast.Continue: _continue, ast.Try: _try},
    {
        ast.Expr: _expression,
        ast.Assign: _assign,
        ast.AnnAssign: _annotated,
        ast.Return: _return,
        ast.Pass: _pass,
        ast.Assert: _assert,
    },
)
"""The statements with the same meaning in both languages."""
