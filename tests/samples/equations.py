"""Samples of sums of products that an equation describes."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.samples.base import Call, Samples, T, Wrong


def _einsum(equation: str, *operands: Any) -> Any:
    return np.einsum(equation, *(operands[0] if isinstance(operands[0], list) else operands))


SAMPLES = (
    Samples(
        "einsum",
        _einsum,
        Call("ij,jk->ik", T(2, 3), T(3, 4)),
        Call("...ii -> ...i", T(2, 3, 3, layout="t")),
        Call("b...,b", T(2, 3, 1), T(2)),
        Call("aB,Bc,c->a", [T(2, 3), T(3, 2, layout="t"), T(2)]),
        wrong=(
            Wrong(RuntimeError, "do not broadcast", "ij,kj", T(2, 3), T(2, 4)),
            Wrong(RuntimeError, "does not appear", "ij->k", T(2, 3)),
            Wrong(RuntimeError, "number of dimensions", "i", T(2, 3)),
        ),
    ),
)
"""All samples of this module."""
