"""Rounding of tensors to whole numbers."""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from tscript.definitions.opdef import OpDef
from tscript.dialect import ByType, Intrinsic, T, ceil, floor, rint, trunc
from tscript.operators.tensor.pointwise import INTEGERS, float_only, no_bools, same, unary
from tscript.types import dtypes


def _whole(leaf: Intrinsic) -> ByType:
    """What rounds floats by `leaf`; integers are whole."""
    return ByType({dtypes.float32: leaf, dtypes.float64: leaf, **dict.fromkeys(INTEGERS, same)})


def frac(x: T) -> T:
    return x - trunc(x)


OPERATORS: tuple[OpDef, ...] = (
    *unary("floor", no_bools("floor_vml_cpu"), _whole(floor), "Rounded down."),
    *unary("ceil", no_bools("ceil_vml_cpu"), _whole(ceil), "Rounded up."),
    *unary("trunc", no_bools("trunc_vml_cpu"), _whole(trunc), "Rounded towards zero.", names="trunc fix"),
    *unary(
        "round",
        no_bools("round_vml_cpu"),
        _whole(rint),
        "Rounded to the nearest integer, halves to even.",
        names="round torch.special.round",
    ),
    *unary("frac", float_only("frac"), frac, "The part behind the point."),
)
"""All operators of this module."""
