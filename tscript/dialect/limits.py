"""The ends of the ranges of ints and floats, and the conversion between them that refuses what does not fit."""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from tscript.dialect import f64, fabs, fitting, i64, likely

MIN_INT = -9223372036854775808
MAX_INT = 9223372036854775807
EXACT = 9007199254740992
"""2**53: ints up to here are floats without rounding."""
LARGEST = 1.7976931348623157e308
"""The largest float."""
TOO_LARGE = 9.223372036854775808e18
"""2**63, the first float that is no int."""


def int_float(a: f64) -> i64:
    """``int(a)``: towards zero. Raises what CPython raises, and OverflowError beyond 64 bits."""
    n = fitting(a)
    if likely(n != MIN_INT):
        return n
    if a == -TOO_LARGE:
        return MIN_INT
    if a != a:
        raise ValueError("cannot convert float NaN to integer")
    if fabs(a) > LARGEST:
        raise OverflowError("cannot convert float infinity to integer")
    raise OverflowError("float out of range of a 64-bit int")
