"""Values as operands: conversion to supertypes, sizes, fields of tensors, names."""

from __future__ import annotations

from collections.abc import Sequence

from tscript.abi import symbols
from tscript.abi.layout import TENSOR_STRUCT
from tscript.abi.leaves import leaves
from tscript.backend.nodes.failing import call_symbol
from tscript.backend.nodes.function import FunctionEmitter
from tscript.backend.nodes.state import Operands
from tscript.ir.graph import Value
from tscript.types import (
    SIZE,
    SizeType,
    TupleType,
    Type,
    dtypes,
)


def hint_of(value: Value) -> str:
    """A readable, legal hint for the names of `value`."""
    name = value.name
    return name if name.isidentifier() and name.isascii() else "v"


def coerce(f: FunctionEmitter, value: Value, type: Type) -> Operands:
    """The operands of `value` as a value of the supertype `type`; a Size made of a tuple belongs to the scope."""
    return convert(f, f.operands(value), value.type, type)


def convert(f: FunctionEmitter, operands: Operands, source: Type, target: Type) -> Operands:
    """As `coerce`, for operands of type `source`."""
    if source is target:
        return operands
    match source, target:
        case TupleType(), SizeType():
            return (make_size(f, operands),)
        case TupleType(), TupleType():
            out: list[str] = []
            at = 0
            for s, t in zip(source.elements, target.elements, strict=True):
                n = len(leaves(s))
                out += convert(f, operands[at : at + n], s, t)
                at += n
            return tuple(out)
    return operands


def make_size(f: FunctionEmitter, elements: Sequence[str]) -> str:
    """A new Size of known elements; the current scope owns it."""
    text = f.text
    length = text.alloca("i64", "length")
    text.line(f"store i64 {len(elements)}, ptr {length}")
    (size,) = call_symbol(
        f, symbols.TENSOR_ALLOC, [f"i32 {dtypes.int64.code}", "i64 1", f"ptr {length}"], (SIZE,), f.graph.span
    )
    data = tensor_field(f, size, "data", "ptr")
    for i, element in enumerate(elements):
        text.line(f"store i64 {element}, ptr {text.let(f'getelementptr i64, ptr {data}, i64 {i}')}")
    return size


def tensor_field(f: FunctionEmitter, tensor: str, name: str, type: str) -> str:
    """Load a field of a `TensorImpl`."""
    offset = TENSOR_STRUCT.offsets[name]
    address = f.text.let(f"getelementptr i8, ptr {tensor}, i64 {offset}") if offset else tensor
    return f.text.let(f"load {type}, ptr {address}", name)
