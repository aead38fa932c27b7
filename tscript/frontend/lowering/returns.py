"""``return``, through the enclosing ``finally`` bodies."""

from __future__ import annotations

import ast

from tscript.diagnostics import Span
from tscript.frontend.diagnostics import type_errors
from tscript.frontend.diagnostics.abandoned import Abandoned
from tscript.frontend.diagnostics.elsewhere import gives_none
from tscript.frontend.diagnostics.type_names import conversion_help, shown
from tscript.frontend.lowering.frames import RETURNED
from tscript.frontend.lowering.lowering import Lowering
from tscript.frontend.lowering.merging import wider
from tscript.frontend.lowering.scopes import Bound
from tscript.ir.graph import Return, Value
from tscript.types import FLOAT, INT, NONE, STR, OptionalType, Type, completed


def lower_return(lowering: Lowering, value: Value, span: Span, node: ast.expr | None = None) -> None:
    """End the block with a return of `value`, converted to the declared type; `node` is its expression."""
    returns = lowering.returns
    if returns.open is not None:
        value = _as_declared(lowering, value, returns.open, span, node)
    if returns.type is None:
        returns.type, returns.first = value.type, span
    elif value.type != returns.type:
        converted = lowering.coerce(value, returns.type, span)
        if converted is None and returns.declared is not None and node is not None:
            converted = _number(lowering, value, returns.type, span, node)
        wide = None if converted is not None or returns.declared else lowering.unified(Value(returns.type), value)
        if wide is not None:
            returns.widened = wide if returns.widened is None else wider(lowering, returns.widened, wide)
            converted = value
        if converted is None:
            _report_return(lowering, value.type, span, node)
            converted = value
        value = converted
    leave_function(lowering, value, span)


def _number(lowering: Lowering, value: Value, declared: Type, span: Span, node: ast.expr) -> Value | None:
    """The element of a returned tensor where a number is declared; of a parameter that lacks an annotation, none."""
    inner = declared.value if isinstance(declared, OptionalType) else declared
    if lowering.unannotated(node, shown(declared)):
        return None
    found = lowering.number_of(value, inner, span)
    return None if found is None else lowering.coerce(found, declared, span)


def _as_declared(lowering: Lowering, value: Value, declared: Type, span: Span, node: ast.expr | None) -> Value:
    """A returned value as what a declared type that leaves something open says of it."""
    wanted = completed(declared, value.type)
    if wanted is None or wanted == value.type:
        converted = None if wanted is None else value
    else:
        converted = lowering.coerce(value, wanted, span)
    if converted is None:
        instead = conversion_help(value.type, declared)
        name, tree = lowering.function.name, lowering.function.tree
        at = lowering.span(tree.returns or tree)
        lowering.report(type_errors.ReturnType(span, name, shown(declared), shown(value.type), instead, at))
        raise Abandoned
    return converted


def crosses_finals(lowering: Lowering, way: str, span: Span) -> bool:
    """Jump to the enclosing ``finally`` body, if a ``return``, ``break`` or ``continue`` passes one."""
    if not lowering.finals or (way != "return" and lowering.finals[-1].depth != len(lowering.loops)):
        return False
    lowering.finals[-1].ways[way].leave(lowering, span)
    return True


def leave_function(lowering: Lowering, value: Value, span: Span) -> None:
    """End the block with a return, through the ``finally`` bodies in between."""
    if lowering.finals:
        lowering.scope = {**lowering.scope, RETURNED: Bound(value, span)}
        crosses_finals(lowering, "return", span)
    else:
        lowering.block.nodes.append(Return(value, span))


def _report_return(lowering: Lowering, found: Type, span: Span, node: ast.expr | None) -> None:
    returns = lowering.returns
    assert returns.type is not None
    name = lowering.function.name
    if returns.declared is None:
        assert returns.first is not None
        instead = f"annotate the result: 'def {name}(...) -> {shown(returns.type)}:', and return that everywhere"
        if {found, returns.type} == {INT, FLOAT}:
            instead = f"annotate the result: 'def {name}(...) -> float:' converts the int"
        elif NONE in (found, returns.type):
            instead = "return a value everywhere; None beside another type cannot be returned yet"
        lowering.report(
            type_errors.ReturnTypesDiffer(span, name, shown(returns.type), shown(found), instead, returns.first)
        )
        return
    instead = "" if node is None else lowering.unannotated(node, shown(returns.type))
    if found == NONE and node is not None:
        instead = gives_none(lowering.function.tree, node)
    if returns.type == INT and isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
        instead = instead or "a whole number is 'a // b', or int(...)"
    if not isinstance(node, ast.Constant) or found != STR:
        instead = instead or conversion_help(found, returns.type)
    lowering.report(type_errors.ReturnType(span, name, shown(returns.type), shown(found), instead, returns.declared))
