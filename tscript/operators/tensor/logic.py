"""Logic on tensors, and on their bits."""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from typing import TYPE_CHECKING

from tscript.definitions.opdef import OpDef
from tscript.definitions.promotion import is_float, keep, logical, not_implemented, promote
from tscript.dialect import T, b8, i64, leaf, machine, select
from tscript.operators.tensor.pointwise import binary, no_bools, unary

if TYPE_CHECKING:
    Bits = int
else:
    Bits = T


def logical_and(x: T, y: T) -> b8:
    return (x != 0) & (y != 0)


def logical_or(x: T, y: T) -> b8:
    return (x != 0) | (y != 0)


def logical_xor(x: T, y: T) -> b8:
    return (x != 0) ^ (y != 0)


def logical_not(x: T) -> b8:
    return x == 0


def left_shift(x: Bits, y: Bits) -> Bits:
    count = i64(y)
    return T(select((count < 0) | (count > 63), i64(0), i64(x) << count))  # type: ignore[return-value]


def right_shift(x: Bits, y: Bits) -> Bits:
    count = i64(y)
    return T(i64(x) >> select((count < 0) | (count > 63), i64(63), count))  # type: ignore[return-value]


OPERATORS: tuple[OpDef, ...] = (
    *binary("logical_and", logical, logical_and, "Whether both are not zero.", complex=True),
    *binary("logical_or", logical, logical_or, "Whether one is not zero.", complex=True),
    *binary("logical_xor", logical, logical_xor, "Whether exactly one is not zero.", complex=True),
    *unary(
        "logical_not",
        logical,
        logical_not,
        "Whether it is zero.",
        names="logical_not -torch.logical_not_ tscript.logical_not_",
        complex=True,
    ),
    *binary(
        "bitwise_and", not_implemented(promote, "bitwise_and_cpu", is_float), leaf(machine.AND), "``self & other``."
    ),
    *binary("bitwise_or", not_implemented(promote, "bitwise_or_cpu", is_float), leaf(machine.OR), "``self | other``."),
    *binary(
        "bitwise_xor", not_implemented(promote, "bitwise_xor_cpu", is_float), leaf(machine.XOR), "``self ^ other``."
    ),
    *unary(
        "bitwise_not",
        not_implemented(keep, "bitwise_not_cpu", is_float),
        leaf(machine.NOT),
        "``~self``; of bools `not`.",
        names="bitwise_not -torch.bitwise_not_ tscript.bitwise_not_",
    ),
    *binary(
        "bitwise_left_shift",
        not_implemented(no_bools("lshift_cpu"), "lshift_cpu", is_float),
        left_shift,
        "``self << other``; 0 beyond the width.",
    ),
    *binary(
        "bitwise_right_shift",
        not_implemented(no_bools("rshift_cpu"), "rshift_cpu", is_float),
        right_shift,
        "``self >> other``, with the sign.",
    ),
)
"""All operators of this module."""
