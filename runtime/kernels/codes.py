"""Codes of dtypes, for kernels that read them at run time."""

from __future__ import annotations

from typing import Final

from tscript.types import dtypes

UINT8: Final = dtypes.uint8.code
INT8: Final = dtypes.int8.code
INT16: Final = dtypes.int16.code
INT32: Final = dtypes.int32.code
INT64: Final = dtypes.int64.code
FLOAT32: Final = dtypes.float32.code
FLOAT64: Final = dtypes.float64.code
COMPLEX64: Final = dtypes.complex64.code
COMPLEX128: Final = dtypes.complex128.code
BOOL: Final = dtypes.bool_.code
FLOAT16: Final = dtypes.float16.code
BFLOAT16: Final = dtypes.bfloat16.code
UINT16: Final = dtypes.uint16.code
UINT32: Final = dtypes.uint32.code
UINT64: Final = dtypes.uint64.code

FLOATING: Final = sum(1 << dtype.code for dtype in dtypes.DTYPES if dtype.is_floating_point)
"""A bit for each dtype of floating-point numbers."""

SPLIT: Final = 20
"""Codes up to here are in `SHIFTS`, others in `FURTHER_SHIFTS`."""


def _shifts(low: int, high: int) -> int:
    known = [d for d in dtypes.EVERY if low < d.code <= high]
    return sum((d.itemsize.bit_length() - 1) << 3 * (d.code - low - 1) for d in known)


SHIFTS: Final = _shifts(-1, SPLIT)
"""The power of two that the bytes of an element are: three bits for each dtype."""

FURTHER_SHIFTS: Final = _shifts(SPLIT, 2 * SPLIT)
