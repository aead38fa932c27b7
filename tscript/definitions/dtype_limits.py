"""`torch.finfo` and `torch.iinfo`: what a dtype can hold, as named tuples."""

from __future__ import annotations

from typing import NamedTuple

from tscript.definitions.opdef import OperatorTypeError
from tscript.types import FLOAT, INT, STR, DType, NamedTupleInfo, TupleType, Type


class FloatInfo(NamedTuple):
    """What a dtype of floats can hold: `torch.finfo`."""

    resolution: float
    min: float
    max: float
    eps: float
    smallest_normal: float
    tiny: float
    bits: int
    dtype: str


class IntInfo(NamedTuple):
    """What a dtype of integers can hold: `torch.iinfo`."""

    min: int
    max: int
    bits: int
    dtype: str


_FLOATS: dict[str, tuple[int, int, float]] = {
    "float16": (10, 15, 1e-3),
    "bfloat16": (7, 127, 1e-2),
    "float32": (23, 127, 1e-6),
    "float64": (52, 1023, 1e-15),
}
"""Bits of the mantissa, the greatest exponent, the resolution."""


def float_info(dtype: DType) -> FloatInfo:
    """`torch.finfo`.

    Example:
        >>> from tscript.types import dtypes
        >>> float_info(dtypes.float16).max, float_info(dtypes.bfloat16).eps
        (65504.0, 0.0078125)
    """
    if dtype.name not in _FLOATS:
        raise OperatorTypeError(f"finfo() requires a dtype of floats, not {dtype.name}: use iinfo()")
    mantissa, exponent, resolution = _FLOATS[dtype.name]
    largest = (2 - 2.0**-mantissa) * 2.0**exponent
    tiny = 2.0 ** (1 - exponent)
    return FloatInfo(resolution, -largest, largest, 2.0**-mantissa, tiny, tiny, 8 * dtype.itemsize, dtype.name)


def int_info(dtype: DType) -> IntInfo:
    """`torch.iinfo`.

    Example:
        >>> from tscript.types import dtypes
        >>> int_info(dtypes.int16)
        IntInfo(min=-32768, max=32767, bits=16, dtype='int16')
    """
    if not dtype.is_integer:
        raise OperatorTypeError(f"iinfo() requires a dtype of integers, not {dtype.name}: use finfo()")
    bits = 8 * dtype.itemsize
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if dtype.signed else (0, (1 << bits) - 1)
    return IntInfo(low, high, bits, dtype.name)


FLOAT_INFO = TupleType((FLOAT,) * 6 + (INT, STR), NamedTupleInfo("torch.finfo", FloatInfo._fields, python=FloatInfo))
INT_INFO = TupleType((INT,) * 3 + (STR,), NamedTupleInfo("torch.iinfo", IntInfo._fields, python=IntInfo))

LIMITS: dict[str, Type] = {"torch.finfo": FLOAT_INFO, "torch.iinfo": INT_INFO}
"""These types by name."""
