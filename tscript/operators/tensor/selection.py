"""Choosing between elements by a condition."""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from tscript.definitions.define import pointwise, pointwise_pair
from tscript.definitions.opdef import OpDef
from tscript.definitions.promotion import PointwiseRule, first, promote
from tscript.dialect import T, b8, select


def where(condition: b8, x: T, y: T) -> T:
    return select(condition, x, y)


def masked_fill(x: T, mask: b8, value: T) -> T:
    return select(mask, value, x)


OPERATORS: tuple[OpDef, ...] = (
    pointwise(
        "where(Tensor condition, Tensor self, Tensor other) -> Tensor",
        PointwiseRule((0, 1, 2), promote, conditions=(0,)),
        where,
        "`self` where `condition` holds, else `other`.",
        names="torch.where",
        complex=True,
    ),
    pointwise(
        "where_of(Tensor self, Tensor condition, Tensor other) -> Tensor",
        PointwiseRule((1, 0, 2), promote, conditions=(1,)),
        where,
        "The method `where`: `self` where `condition` holds, else `other`.",
        names="Tensor.where",
        complex=True,
    ),
    *pointwise_pair(
        "masked_fill(Tensor self, Tensor mask, Tensor value) -> Tensor",
        PointwiseRule((0, 1, 2), first, conditions=(1,)),
        masked_fill,
        "`value` where `mask` holds, else `self`.",
        names="masked_fill out=no",
        complex=True,
    ),
)
"""All operators of this module."""
