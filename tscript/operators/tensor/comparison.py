"""Comparisons of tensors, the greater and the lesser, bounds, and what kind of number an element is.

NaN propagates through `maximum`, `minimum` and `clamp`.
"""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from tscript.definitions.define import pointwise_pair
from tscript.definitions.opdef import OpDef
from tscript.definitions.promotion import PointwiseRule, classify, comparison, promote
from tscript.dialect import T, b8, leaf, machine, select
from tscript.dialect import complex_math as cm
from tscript.dialect.complex_math import with_complex
from tscript.operators.tensor.pointwise import BINARY, binary, predicate

# ---- one with another


_COMPARED = (
    *binary("eq", comparison, leaf(machine.EQ), "``self == other`` by element.", complex=True),
    *binary("ne", comparison, leaf(machine.NE), "``self != other`` by element.", names="ne not_equal", complex=True),
    *binary("lt", comparison, leaf(machine.LT), "``self < other`` by element.", names="lt less"),
    *binary("le", comparison, leaf(machine.LE), "``self <= other`` by element.", names="le less_equal"),
    *binary("gt", comparison, leaf(machine.GT), "``self > other`` by element.", names="gt greater"),
    *binary("ge", comparison, leaf(machine.GE), "``self >= other`` by element.", names="ge greater_equal"),
)

# ---- order


def maximum(x: T, y: T) -> T:
    """The greater of two; NaN if one is."""
    return select((x > y) | (x != x), x, y)


def minimum(x: T, y: T) -> T:
    """The lesser of two; NaN if one is."""
    return select((x < y) | (x != x), x, y)


def at_least(x: T, low: T) -> T:
    return select((x < low) | (low != low), low, x)


def at_most(x: T, high: T) -> T:
    return select((x > high) | (high != high), high, x)


def clamp(x: T, low: T, high: T) -> T:
    """x within [low, high]; `high` if low > high."""
    return at_most(at_least(x, low), high)


_ORDER = (
    *binary("maximum", promote, maximum, "The greater of two; NaN if one is."),
    *binary("minimum", promote, minimum, "The lesser of two; NaN if one is."),
    *pointwise_pair(
        "clamp(Tensor self, Tensor min, Tensor max) -> Tensor",
        PointwiseRule((0, 1, 2), promote),
        clamp,
        "Within [min, max]; `max` if min > max.",
        names="clamp clip torch.clamp_ torch.clip_",
    ),
    *pointwise_pair(
        "clamp.min(Tensor self, Tensor min, None max=None) -> Tensor",
        PointwiseRule((0, 1), promote),
        at_least,
        "At least `min`.",
    ),
    *pointwise_pair(
        "clamp.max(Tensor self, None min=None, *, Tensor max) -> Tensor",
        PointwiseRule((0, 2), promote),
        at_most,
        "At most `max`.",
    ),
    *pointwise_pair(
        "clamp.max_positional(Tensor self, None min, Tensor max) -> Tensor",
        PointwiseRule((0, 2), promote),
        at_most,
        "At most `max`.",
    ),
    *pointwise_pair(
        "clamp_min(Tensor self, Tensor min) -> Tensor",
        PointwiseRule(BINARY, promote),
        at_least,
        "At least `min`.",
        names="clamp_min torch.clamp_min_",
    ),
    *pointwise_pair(
        "clamp_max(Tensor self, Tensor max) -> Tensor",
        PointwiseRule(BINARY, promote),
        at_most,
        "At most `max`.",
        names="clamp_max torch.clamp_max_",
    ),
)

# ---- kinds of numbers


def isnan(x: T) -> b8:
    return x != x


def isfinite(x: T) -> b8:
    return x - x == x - x


def isinf(x: T) -> b8:
    return (x == x) & (x - x != x - x)


_KINDS = (
    *predicate("isnan", classify, isnan, "Whether it is NaN.", complex=True),
    *predicate("isinf", classify, with_complex(isinf, cm.is_infinite), "Whether it is infinite.", complex=True),
    *predicate(
        "isfinite",
        classify,
        with_complex(isfinite, cm.is_finite),
        "Whether it is neither infinite nor NaN.",
        complex=True,
    ),
)

OPERATORS: tuple[OpDef, ...] = (*_COMPARED, *_ORDER, *_KINDS)
"""All operators of this module."""
