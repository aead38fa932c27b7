"""``type(x).__name__`` and ``x.__class__.__name__``: a constant, or read from the class of an instance at run time."""

from __future__ import annotations

import ast

from tscript.frontend.diagnostics import errors
from tscript.frontend.lowering import receivers, unions
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


def class_name(lowering: FunctionLowering, node: ast.Attribute) -> Value | None:
    """The name of the class of a value; None for every other attribute."""
    match node:
        case ast.Attribute(ast.Attribute(of, "__class__"), "__name__"):
            pass
        case ast.Attribute(ast.Call(ast.Name() as called, [of], []), "__name__") if not isinstance(of, ast.Starred):
            symbol = static(lowering, called)
            if not isinstance(symbol, PythonSymbol) or symbol.value is not type:
                return None
        case _:
            return None
    return _name(lowering, lowering.value(of), node)


def _name(lowering: FunctionLowering, value: Value, node: ast.Attribute) -> Value:
    span = lowering.span(node)
    match value.type:
        case OptionalType():
            with receivers.values_named(lowering, [value], node) as (held,):
                is_none = ast.Compare(held, [ast.Is()], [ast.Constant(None)])
                of = ast.Attribute(ast.Attribute(held, "__class__", ast.Load()), "__name__", ast.Load())
                choice = ast.IfExp(is_none, ast.Constant("NoneType"), of)
                for inner in ast.walk(choice):
                    if isinstance(inner, ast.expr):
                        ast.copy_location(inner, node)
                return lowering.value(choice)
        case UnionType():
            found = unions.each(lowering, [value], lambda known: _name(lowering, known[0], node), span)
            assert found is not None
            return found
        case ClassType():
            return lowering.leaf(CLASS_NAME, [value], STR, span)
    name = _constant(value.type)
    if not name:
        raise lowering.failure(errors.UnsupportedBuiltin(lowering.span(node.value), "type", "use isinstance(x, T)"))
    return lowering.constant(name, span)


def _constant(type: Type) -> str:
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


__all__ = ["class_name"]
