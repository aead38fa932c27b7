"""``type(x).__name__`` and ``x.__class__.__name__``: a constant, or read from the class of an instance at run time; and
``type(x)`` where a string is made of it."""

from __future__ import annotations

import ast

from tscript.diagnostics import Span
from tscript.frontend.diagnostics import errors
from tscript.frontend.lowering.conversions import by_member
from tscript.frontend.lowering.function import FunctionLowering
from tscript.frontend.lowering.names import static
from tscript.frontend.source.symbols import PythonSymbol
from tscript.ir.graph import Value
from tscript.operators.python.classes import CLASS_NAME
from tscript.types import (
    BOOL,
    BYTES,
    COMPLEX,
    FLOAT,
    INT,
    NONE,
    STR,
    ArrayType,
    ClassType,
    DictType,
    EnumType,
    ListType,
    OptionalType,
    SetType,
    TensorType,
    TupleType,
    Type,
    UnionType,
)

_NAMES: dict[Type, str] = {
    INT: "int", FLOAT: "float", BOOL: "bool", STR: "str", BYTES: "bytes", COMPLEX: "complex", NONE: "NoneType"
}  # fmt: skip


def typed_expression(lowering: FunctionLowering, node: ast.expr) -> ast.expr | None:
    """What `node` is the class of, ``x`` of ``type(x)`` and ``x.__class__``; None for every other expression."""
    match node:
        case ast.Attribute(of, "__class__"):
            return of
        case ast.Call(ast.Name() as called, [of], []) if not isinstance(of, ast.Starred):
            symbol = static(lowering, called)
            return of if isinstance(symbol, PythonSymbol) and symbol.value is type else None
    return None


def class_name(lowering: FunctionLowering, node: ast.Attribute) -> Value | None:
    """The name of the class of a value; None for every other attribute."""
    of = typed_expression(lowering, node.value) if node.attr == "__name__" else None
    return None if of is None else class_name_of(lowering, lowering.value(of), lowering.span(node))


def type_text(lowering: FunctionLowering, node: ast.expr) -> Value | None:
    """``str(type(x))``, as in a message: ``<class 'int'>``; None for every other expression."""
    of = typed_expression(lowering, node)
    if of is None:
        return None
    span = lowering.span(node)

    def text(value: Value) -> Value:
        if isinstance(value.type, OptionalType | UnionType):
            return by_member(lowering, value, text, STR, span)
        if isinstance(value.type, TensorType) and not isinstance(value.type, ArrayType):
            return lowering.constant("<class 'torch.Tensor'>", span)
        home = value.type.info.name.rpartition(".")[0] if isinstance(value.type, ClassType | EnumType) else ""
        start = lowering.constant(f"<class '{home}." if home else "<class '", span)
        parts = [start, class_name_of(lowering, value, span)]
        return lowering.apply("add", [lowering.apply("add", parts, span), lowering.constant("'>", span)], span)

    return text(lowering.value(of))


def class_name_of(lowering: FunctionLowering, value: Value, span: Span) -> Value:
    """The name of the class of a value."""
    match value.type:
        case OptionalType() | UnionType():
            return by_member(lowering, value, lambda member: class_name_of(lowering, member, span), STR, span)
        case ClassType():
            return lowering.leaf(CLASS_NAME, [value], STR, span)
    name = constant_class_name(value.type)
    if not name:
        raise lowering.failure(errors.UnsupportedBuiltin(span, "type", "use isinstance(x, T)"))
    return lowering.constant(name, span)


def constant_class_name(type: Type) -> str:
    """The class name of all values of a type; empty if unknown."""
    match type:
        case EnumType(info=info):
            return info.name.rpartition(".")[2]
        case TupleType(named=named) if named is not None:
            return named.name.rpartition(".")[2]
        case TupleType() | ListType(frozen=True):
            return "tuple"
        case ListType():
            return "list"
        case DictType():
            return "dict"
        case SetType():
            return "set"
        case TensorType():
            return "Tensor"
    return _NAMES.get(type, "")


__all__ = ["class_name", "class_name_of", "constant_class_name", "type_text", "typed_expression"]
