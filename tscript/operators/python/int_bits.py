"""Bits of ints, shifts, and the same on bools."""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from tscript.definitions.define import scalar
from tscript.definitions.opdef import OVERFLOWS, OpDef
from tscript.dialect import b8, i64, leaf, machine, select
from tscript.late import replace
from tscript.operators.python.overflow import checked, exact, too_large

SHIFT_TOO_LARGE = too_large("{0} << {1}", "wrapping_shl")
MASK_TOO_LARGE = (
    "int overflow: the lower 64 bits do not fit an int, which has a sign; mask with at most 2**63 - 1, or use "
    "tscript.wrapping_add, wrapping_sub, wrapping_mul and wrapping_shl"
)


def left_shift_int(a: i64, b: i64) -> i64:
    if b < 0:
        raise ValueError("negative shift count")
    out = a << b
    if (out >> b != a) | ((b > 63) & (a != 0)):
        raise OverflowError(SHIFT_TOO_LARGE, a, b)
    return select(b > 63, 0, out)


def right_shift_int(a: i64, b: i64) -> i64:
    if b < 0:
        raise ValueError("negative shift count")
    if b > 63:
        return a >> 63
    return a >> b


def fits_int(a: i64) -> i64:
    if a < 0:
        raise OverflowError(MASK_TOO_LARGE)
    return a


def not_bool(a: b8) -> b8:
    return a ^ True


def shifted(a: int, b: int) -> int:
    """``a << b`` of Python ints, as far as it can fit 64 bits."""
    if b < 0:
        return left_shift_int(a, b)
    return a << min(b, 64)


FITS = replace(
    scalar(
        "fits.int(int a) -> int",
        fits_int,
        "An unsigned int of 64 bits, as an int.",
        meaning=exact(lambda a: a % 2**64, MASK_TOO_LARGE),
        raises=True,
    ),
    effects=OVERFLOWS,
)
"""What masks with 64 bits end with; nobody calls it by name."""

OPERATORS: tuple[OpDef, ...] = (
    scalar("bitwise_not.int(int a) -> int", leaf(machine.NOT), "``~a``."),
    scalar("bitwise_and.int(int a, int b) -> int", leaf(machine.AND), "``a & b``."),
    scalar("bitwise_or.int(int a, int b) -> int", leaf(machine.OR), "``a | b``."),
    scalar("bitwise_xor.int(int a, int b) -> int", leaf(machine.XOR), "``a ^ b``."),
    checked(
        "bitwise_left_shift.int(int a, int b) -> int",
        left_shift_int,
        shifted,
        SHIFT_TOO_LARGE,
        "``a << b``.",
        earlier="wrapping_shl.int",
        others=True,
    ),
    scalar("bitwise_right_shift.int(int a, int b) -> int", right_shift_int, "``a >> b``.", raises=True),
    scalar("not.bool(bool a) -> bool", not_bool, "``not a``."),
    scalar("bitwise_and.bool(bool a, bool b) -> bool", leaf(machine.AND), "``a & b``."),
    scalar("bitwise_or.bool(bool a, bool b) -> bool", leaf(machine.OR), "``a | b``."),
    scalar("bitwise_xor.bool(bool a, bool b) -> bool", leaf(machine.XOR), "``a ^ b``."),
)
"""All operators of this module that have a name; among overloads the narrower types come first."""
