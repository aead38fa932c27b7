"""Evaluates operators at compile time: on constant arguments, and on types if the result depends only on dtype or rank.

Folding runs `OpDef.semantics`; it never folds what raises, what touches memory, or what native code may compute
differently (`OpDef.exact`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from tscript.definitions.absent import MISSING, Missing
from tscript.definitions.opdef import Arg, Composite, Leaf, OpDef
from tscript.dialect import machine
from tscript.types import (
    BOOL,
    BYTES,
    COMPLEX,
    DTYPE,
    FLOAT,
    INT,
    NONE,
    OPTIONS,
    SIZE,
    STR,
    TYPE,
    DType,
    MachineType,
    TensorType,
    TupleType,
    Type,
    dtype_of,
)
from tscript.types.options import Option

TypeFold = Callable[[Sequence[Arg]], object]


def _dim(args: Sequence[Arg]) -> object:
    found = args[0].type
    return found.rank if isinstance(found, TensorType) and found.rank is not None else MISSING


def _dtype(args: Sequence[Arg]) -> object:
    found = args[0].type
    return found.dtype if isinstance(found, TensorType) and found.dtype is not None else MISSING


def _of_dtype(fact: str) -> TypeFold:
    """What a dtype says of itself, of the elements of a tensor."""

    def rule(args: Sequence[Arg]) -> object:
        dtype = _dtype(args)
        return getattr(dtype, fact) if isinstance(dtype, DType) else MISSING

    return rule


def _size(args: Sequence[Arg]) -> object:
    found = args[0].type
    return () if isinstance(found, TensorType) and found.rank == 0 else MISSING


def _numel(args: Sequence[Arg]) -> object:
    found = args[0].type
    return 1 if isinstance(found, TensorType) and found.rank == 0 else MISSING


def _len(args: Sequence[Arg]) -> object:
    found = args[0].type
    return len(found.elements) if isinstance(found, TupleType) else MISSING


def _same_shape(args: Sequence[Arg]) -> object:
    a, b = args[0].type, args[1].type
    differ = isinstance(a, TupleType) and isinstance(b, TupleType) and len(a.elements) != len(b.elements)
    return False if differ else MISSING


BY_TYPE: Mapping[str, TypeFold] = {
    "dim": _dim,
    "dtype": _dtype,
    "is_floating_point": _of_dtype("is_floating_point"),
    "is_complex": _of_dtype("is_complex"),
    "element_size": _of_dtype("itemsize"),
    "size": _size,
    "numel": _numel,
    "len.tuple": _len,
    "eq.Size": _same_shape,
}
"""Operators whose result may follow from the argument's type alone."""


def fold(op: OpDef, args: Sequence[Arg], result: Type, by_type: Mapping[OpDef, TypeFold]) -> object:
    """The value of ``op(args)`` when it is known at compile time, else `MISSING`.

    Args:
        op: The operator.
        args: Its arguments: type and, where known, constant.
        result: Type of the result; the value is wrapped to it.
        by_type: `BY_TYPE` by operator.

    Example:
        >>> fold(machine.ADD, [one, two], INT, {})
        3
    """
    rule = by_type.get(op)
    if rule is not None and result != SIZE:  # the constant is a tuple, so the type has to be narrowed first
        found = rule(args)
        if found is not MISSING:
            return found
    values: list[Any] = []
    for arg in args:
        value = arg.constant
        if value is MISSING or not (is_foldable_type(arg.type) or arg.type == TYPE):
            return MISSING
        values.append(value)
    if not is_foldable(op) or not is_foldable_type(result) or not _is_short(values, result):
        return MISSING
    if op is machine.SHL or op is machine.SHR:
        values[1] &= width(result) - 1
    elif op is machine.CONVERT and abs(values[0]) > 1 << 53:  # an int becomes an f32 in one rounding
        return MISSING
    try:
        with np.errstate(all="ignore"):
            found = op.semantics(*values)
            if result == INT and type(found) is int and not _fits(found) and not isinstance(op.implementation, Leaf):
                return MISSING
            return as_constant(found, result)
    except Exception:  # noqa: BLE001 - an operator that raises here raises at run time
        return MISSING


MAX_STRING = 1 << 16
"""The maximum number of characters, or bytes, of a string computed at compile time; a few operators could double it
repeatedly."""
MAX_PAD = 4096
"""The maximum width of padding."""
_LONG_NUMBER = re.compile(r"[0-9]{5}")


def _is_short(values: Sequence[object], result: Type) -> bool:
    """Whether the result cannot be a long string: the arguments are short, and none asks for padding to a great
    width."""
    if result not in (STR, BYTES):
        return True
    total = sum(len(v) for v in values if isinstance(v, str | bytes))
    wide = any(isinstance(v, int) and abs(v) > MAX_PAD for v in values[1:])
    return (
        total <= MAX_STRING and not wide and not any(isinstance(v, str) and _LONG_NUMBER.search(v) for v in values[1:])
    )


def _fits(value: int) -> bool:
    return -(1 << 63) <= value < 1 << 63


def width(type: Type) -> int:
    """Bits of a machine integer."""
    dtype = dtype_of(type)
    assert dtype is not None
    return dtype.itemsize * 8


def is_foldable(op: OpDef) -> bool:
    """Whether calls of `op` may be evaluated at compile time at all."""
    effects = op.effects
    if effects.world or effects.writes or effects.view_of is not None or not op.exact:
        return False
    if op is machine.FMULADD or op is machine.BITCAST:  # fused on some targets only; has no semantics
        return False
    return not isinstance(op.implementation, Composite)


_SIMPLE = frozenset({INT, FLOAT, BOOL, STR, BYTES, COMPLEX, NONE, DTYPE, *OPTIONS})


_PYTHON: dict[Type, type] = {STR: str, BYTES: bytes, COMPLEX: complex}


def is_foldable_type(type: Type) -> bool:
    """Whether values of `type` can be constants that folding computes with: scalars, strings, dtypes, tuples of
    these."""
    if type in _SIMPLE or isinstance(type, MachineType):
        return True
    return isinstance(type, TupleType) and all(map(is_foldable_type, type.elements))


def as_constant(value: object, type: Type) -> object:
    """`value`, a result of an operator's semantics, as a constant of `type`; `MISSING` if it is none.

    Integers wrap, floats round to the type's width, NumPy scalars become Python's.
    """
    if isinstance(type, TupleType):
        if not isinstance(value, (tuple, list)) or len(value) != len(type.elements):
            return MISSING
        items = tuple(as_constant(v, t) for v, t in zip(value, type.elements, strict=True))
        if any(isinstance(v, Missing) for v in items):
            return MISSING
        if type.named is None:
            return items
        return MISSING if type.named.python is None else tuple.__new__(type.named.python, items)
    dtype = dtype_of(type)
    if dtype is not None:
        if isinstance(value, (np.generic, np.ndarray)):
            value = value.item()
        if not isinstance(value, (bool, int, float)) or (dtype.is_integer and isinstance(value, float)):
            return MISSING
        return machine.wrap(value, type)
    if type == NONE:
        return None if value is None else MISSING
    if type in _PYTHON:
        return value if isinstance(value, _PYTHON[type]) else MISSING
    if type == DTYPE:
        return value if isinstance(value, DType) else MISSING
    if type in OPTIONS:
        return value if isinstance(value, OPTIONS[type]) else MISSING
    return MISSING


_PLAIN_CONSTANTS = frozenset((bool, int, str, bytes, type(None)))


def same_constant(a: object, b: object) -> bool:
    """Whether two constants are one value: 0.0 and -0.0, 1 and True and 1.0 are not; nan is nan."""
    return a is b or constant_key(a) == constant_key(b)


def constant_key(value: object) -> object:
    """A hashable that is equal for the same constants only."""
    kind = type(value)
    if kind in _PLAIN_CONSTANTS:
        return (kind, value)
    if isinstance(value, tuple):
        return (tuple, *map(constant_key, value))
    if isinstance(value, float):
        return (float, value.hex())
    if isinstance(value, complex):
        return (complex, value.real.hex(), value.imag.hex())
    if isinstance(value, (bool, int, str, bytes, type(None))):
        return (type(value), value)
    return (type(value), value if isinstance(value, (DType, Type, Option)) else id(value))
