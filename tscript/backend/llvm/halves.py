"""Floats of 16 bits as float32 and back.

In registers they are integers of 16 bits, so that no compiler calls a library function that is not there. float16 is
converted by the processor's instructions if it has them, else by integer arithmetic with the same results; bfloat16 by
integer arithmetic. Both round to the nearest, halves to even.
"""

from __future__ import annotations

from tscript.backend.llvm.text import Text
from tscript.types import DType, dtypes


class _Vector:
    """Writes instructions on vectors of `lanes` elements."""

    def __init__(self, text: Text, lanes: int) -> None:
        self.text, self.lanes = text, lanes
        self.i16, self.i32, self.float, self.i1, self.half = map(self._full, ("i16", "i32", "float", "i1", "half"))

    def _full(self, scalar: str) -> str:
        return scalar if self.lanes == 1 else f"<{self.lanes} x {scalar}>"

    def constant(self, value: int, scalar: str = "i32") -> str:
        return str(value) if self.lanes == 1 else f"splat ({scalar} {value})"

    def single(self, value: str) -> str:
        """A float32, written as LLVM does."""
        return value if self.lanes == 1 else f"splat (float {value})"

    def do(self, name: str, a: str, b: str | int) -> str:
        """An instruction on integers of 32 bits."""
        return self.text.let(f"{name} {self.i32} {a}, {self.constant(b) if isinstance(b, int) else b}")

    def select(self, condition: str, a: str | int, b: str) -> str:
        chosen = self.constant(a) if isinstance(a, int) else a
        return self.text.let(f"select {self.i1} {condition}, {self.i32} {chosen}, {self.i32} {b}")

    def cast(self, name: str, value: str, source: str, target: str) -> str:
        return self.text.let(f"{name} {source} {value} to {target}")


def widened(text: Text, value: str, dtype: DType, lanes: int) -> str:
    """Elements of `dtype` as float32, exactly."""
    v = _Vector(text, lanes)
    if dtype is dtypes.float16 and _has_instructions(text):
        return v.cast("fpext", v.cast("bitcast", value, v.i16, v.half), v.half, v.float)
    bits = v.cast("zext", value, v.i16, v.i32)
    if dtype is dtypes.bfloat16:
        return v.cast("bitcast", v.do("shl", bits, 16), v.i32, v.float)
    magnitude = v.do("shl", v.do("and", bits, 0x7FFF), 13)
    exponent = v.do("and", magnitude, 0x0F800000)
    normal = v.do("add", magnitude, (127 - 15) << 23)
    special = v.do("add", normal, (128 - 16) << 23)
    quiet = v.select(v.do("icmp ugt", magnitude, 0x0F800000), v.do("or", special, 0x00400000), special)
    # A subnormal number: with the least exponent of normal ones, whose leading 1 is taken off again.
    shifted = v.cast("bitcast", v.do("add", normal, 1 << 23), v.i32, v.float)
    small = text.let(f"fsub {v.float} {shifted}, {v.single('0x3F10000000000000')}")
    found = v.select(v.do("icmp eq", exponent, 0), v.cast("bitcast", small, v.float, v.i32), normal)
    found = v.select(v.do("icmp eq", exponent, 0x0F800000), quiet, found)
    sign = v.do("shl", v.do("and", bits, 0x8000), 16)
    return v.cast("bitcast", v.do("or", found, sign), v.i32, v.float)


def narrowed(text: Text, value: str, dtype: DType, lanes: int) -> str:
    """float32 rounded to `dtype`."""
    v = _Vector(text, lanes)
    if dtype is dtypes.float16 and _has_instructions(text):
        return v.cast("bitcast", v.cast("fptrunc", value, v.float, v.half), v.half, v.i16)
    bits = v.cast("bitcast", value, v.float, v.i32)
    if dtype is dtypes.bfloat16:
        odd = v.do("and", v.do("lshr", bits, 16), 1)
        rounded = v.do("lshr", v.do("add", v.do("add", bits, 0x7FFF), odd), 16)
        nan = v.do("icmp ugt", v.do("and", bits, 0x7FFFFFFF), 0x7F800000)
        return v.cast("trunc", v.select(nan, 0x7FC0, rounded), v.i32, v.i16)
    magnitude = v.do("and", bits, 0x7FFFFFFF)
    # An addition whose last bit is that of the subnormal result rounds it.
    small = text.let(f"fadd {v.float} {v.cast('bitcast', magnitude, v.i32, v.float)}, {v.single('0x3FE0000000000000')}")
    small = v.do("sub", v.cast("bitcast", small, v.float, v.i32), 0x3F000000)
    odd = v.do("and", v.do("lshr", magnitude, 13), 1)
    normal = v.do("lshr", v.do("add", v.do("add", magnitude, ((15 - 127) << 23) + 0xFFF), odd), 13)
    payload = v.do("or", v.do("and", v.do("lshr", magnitude, 13), 0x3FF), 0x7E00)
    large = v.select(v.do("icmp ugt", magnitude, 0x7F800000), payload, v.constant(0x7C00))
    found = v.select(v.do("icmp ult", magnitude, 113 << 23), small, normal)
    found = v.select(v.do("icmp uge", magnitude, (127 + 16) << 23), large, found)
    sign = v.do("and", v.do("lshr", bits, 16), 0x8000)
    return v.cast("trunc", v.do("or", found, sign), v.i32, v.i16)


def _has_instructions(text: Text) -> bool:
    return not text.features.isdisjoint({"f16c", "neon"})
