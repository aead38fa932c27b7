"""The values of the interpreter: brought into the form of their types."""

from __future__ import annotations

import operator
import struct
from collections.abc import Callable, Sequence
from typing import Any

from tscript.arrays import np
from tscript.definitions.opdef import OpDef
from tscript.definitions.values import numpy_dtype
from tscript.dialect import machine
from tscript.ir.graph import (
    Op,
)
from tscript.types import BOOL, SIZE, EnumType, ScalarType, TensorType, TupleType, Type, dtype_of, kept_by_type
from tscript.types.dtypes import DTYPES


class InterpreterError(Exception):
    """The interpreter cannot continue: a graph is not well-formed, or an operator has no meaning on values.

    Errors of the program itself raise builtin exceptions, as in native code.
    """


def _tensor(type: TensorType) -> Callable[[object], object]:
    def coerce(value: object) -> object:
        array = np.asarray(value)
        if type.dtype is not None and array.dtype != numpy_dtype(type.dtype):
            raise InterpreterError(f"a value of type {type} has elements of type {array.dtype.name}")
        if type.rank is not None and array.ndim != type.rank:
            raise InterpreterError(f"a value of type {type} has {array.ndim} dimensions")
        return array

    return coerce


def _integer(type: Type) -> Callable[[object], object]:
    dtype = dtype_of(type)
    assert dtype is not None
    bits = 8 * dtype.itemsize
    half = 1 << bits - 1 if dtype.signed else 0
    mask = (1 << bits) - 1

    def coerce(value: Any) -> object:
        return ((operator.index(value) + half) & mask) - half

    return coerce


@kept_by_type
def coercion(type: Type) -> Callable[[Any], object]:
    """The function that converts a result of an operator's `semantics` to a value of `type`.

    Integers wrap, floats are rounded to the width of the type, NumPy scalars become Python's, tensors arrays.
    """
    match type:
        case TensorType():
            return _tensor(type)
        case ScalarType():
            numpy = numpy_dtype(type.dtype)
            return lambda value: np.asarray(value).astype(numpy)
        case TupleType():
            elements = [coercion(t) for t in type.elements]
            if type.named is not None and type.named.python is not None:
                cls = type.named.python
                return lambda value: tuple.__new__(cls, [c(v) for c, v in zip(elements, value, strict=True)])
            return lambda value: tuple(c(v) for c, v in zip(elements, value, strict=True))
        case EnumType():
            members: Any = type.info.python
            return lambda value: value if isinstance(value, members) else members[value]
    if type == SIZE:
        return lambda value: tuple(int(v) for v in value)
    dtype = dtype_of(type)
    if dtype is None:
        return lambda value: value
    if type == BOOL:
        return bool
    if dtype.is_integer:
        return _integer(type)
    return float if dtype.itemsize == 8 else lambda value: machine.wrap(value, type)


_CODES = {d.machine: "<" + {"l": "q", "L": "Q"}.get(d.letter, d.letter) for d in DTYPES if d.letter}


def _bitcast(node: Op, args: Sequence[Any]) -> object:
    source, target = dtype_of(node.inputs[0].type), dtype_of(args[1])
    if source is not None and target is not None and source.is_half and target.itemsize == 2:
        return machine.wrap(machine.half_bits(args[0], source), args[1])
    if source is None or target is None or source.itemsize != target.itemsize:
        raise InterpreterError(f"no bits in common: {node.inputs[0].type} and {args[1]}")
    found: object = struct.unpack(_CODES[target.machine], struct.pack(_CODES[source.machine], args[0]))[0]
    return found


def _shift(node: Op, args: Sequence[Any]) -> object:
    dtype = dtype_of(node.inputs[0].type)
    assert dtype is not None
    return node.op.semantics(args[0], args[1] & (dtype.itemsize * 8 - 1))


BY_TYPES: dict[OpDef, Callable[[Op, Sequence[Any]], object]] = {
    machine.BITCAST: _bitcast,
    machine.SHL: _shift,
    machine.SHR: _shift,
}
"""Operators whose meaning depends on the types of their inputs."""
