"""Divisions of many elements by one number: three multiplications and additions in place of a division.

With y = 1 / d rounded, q = x y is nearly x / d, the remainder r = x - q d is exact, and q + r y rounded once is x / d
rounded (P. Markstein, "Computation of elementary functions on the IBM RISC System/6000 processor", 1990): the same bits
as a division gives. That holds where nothing leaves the range of normal numbers. So the divisor has to be within
`Bounds.divisor`, and elements within `Bounds.element` or positive zeros; vectors with others are divided.
"""

from __future__ import annotations

from tscript.backend.llvm.machine import call_intrinsic
from tscript.backend.llvm.target import Target
from tscript.backend.llvm.text import UNLIKELY, Text
from tscript.backend.llvm.types import literal, llvm_type, splat
from tscript.late import dataclass
from tscript.types import F32, FLOAT, I32, INT, Type


@dataclass(frozen=True, slots=True)
class Bounds:
    """Where the quotient of a type is exact.

    Attributes:
        integer: The type with the same bits.
        divisor: The exponent of two that a divisor has at most, and at least with its sign changed.
        element: That of elements.
        mantissa: Bits of the mantissa.
        bias: Of exponents.
    """

    integer: Type
    divisor: int
    element: int
    mantissa: int
    bias: int

    def bits(self, exponent: int) -> int:
        """A power of two."""
        return (exponent + self.bias) << self.mantissa


BOUNDS = {F32: Bounds(I32, 24, 100, 23, 127), FLOAT: Bounds(INT, 100, 800, 52, 1023)}
"""By type."""


@dataclass(frozen=True, slots=True)
class Divisor:
    """A number that is divided by.

    Attributes:
        vector: It in all lanes.
        reciprocal: 1 divided by it, in all lanes.
        is_extreme: Whether it is not within the bounds.
    """

    vector: str
    reciprocal: str
    is_extreme: str


def multiplies(target: Target) -> bool:
    """Whether the processor multiplies and adds in one instruction that rounds once."""
    return "fma" in target.enabled or target.architecture == "aarch64"


def prepare(text: Text, number: str, vector: str, type: Type, lanes: int) -> Divisor:
    """What is computed once for a divisor."""
    bounds, native = BOUNDS[type], llvm_type(type)
    size = call_intrinsic(text, "fabs", [number], type, 1)
    low, high = (literal(2.0**e, type, 1) for e in (-bounds.divisor, bounds.divisor))
    below = text.let(f"fcmp ult {native} {size}, {low}")
    above = text.let(f"fcmp ugt {native} {size}, {high}")
    one = text.let(f"fdiv {native} {literal(1.0, type, 1)}, {number}")
    return Divisor(vector, splat(text, one, type, lanes), text.let(f"or i1 {below}, {above}"))


def emit_quotient(text: Text, x: str, divisor: Divisor, type: Type, lanes: int) -> str:
    """`x` divided."""
    bounds, full = BOUNDS[type], llvm_type(type, lanes)
    integer = llvm_type(bounds.integer, lanes)
    condition = f"<{lanes} x i1>"
    first = text.let(f"fmul {full} {x}, {divisor.reciprocal}")
    minus = text.let(f"fneg {full} {first}")
    rest = call_intrinsic(text, "fma", [minus, divisor.vector, x], type, lanes)
    quotient = call_intrinsic(text, "fma", [rest, divisor.reciprocal, first], type, lanes)
    bits = text.let(f"bitcast {full} {x} to {integer}")
    low, high = bounds.bits(-bounds.element) << 1, bounds.bits(bounds.element) << 1
    moved = text.let(f"shl {integer} {bits}, {literal(1, bounds.integer, lanes)}")
    moved = text.let(f"sub {integer} {moved}, {literal(low, bounds.integer, lanes)}")
    outside = text.let(f"icmp uge {integer} {moved}, {literal(high - low, bounds.integer, lanes)}")
    other = text.let(f"icmp ne {integer} {bits}, {literal(0, bounds.integer, lanes)}")
    extreme = text.let(f"and {condition} {outside}, {other}")
    some = text.let(f"icmp ne i{lanes} {text.let(f'bitcast {condition} {extreme} to i{lanes}')}, 0")
    some = text.let(f"or i1 {some}, {divisor.is_extreme}")
    before, divide, following = text.block, text.fresh_label("divide"), text.fresh_label("quotient")
    text.terminate(f"br i1 {some}, label %{divide}, label %{following}{UNLIKELY}")
    text.label(divide)
    divided = text.let(f"fdiv {full} {x}, {divisor.vector}")
    text.branch(following)
    text.label(following)
    return text.let(f"phi {full} [ {quotient}, %{before} ], [ {divided}, %{divide} ]")
