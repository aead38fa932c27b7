"""Tier 3: whether tensors, and elements of one, have memory in common: asked before a loop runs on several threads."""

from __future__ import annotations

from tscript.dialect import Ptr, TensorImpl, b8, i64, select
from tscript.runtime.kernels.copy import may_overlap
from tscript.runtime.kernels.tensor import sizes_of, strides_of


def apart(self: Ptr[TensorImpl], other: Ptr[TensorImpl]) -> b8:
    """Whether two tensors surely have no byte in common."""
    return (self.numel == 0) | (other.numel == 0) or not may_overlap(self, other)


def magnitude(n: i64) -> i64:
    """A number without its sign."""
    return select(n < 0, -n, n)


def distinct_places(self: Ptr[TensorImpl]) -> b8:
    """Whether no two elements lie at one address: along each dimension an element is behind all that dimensions of
    smaller strides reach."""
    if self.numel == 0:
        return True
    for d in range(i64(self.ndim)):
        if sizes_of(self)[d] > 1:
            own = magnitude(strides_of(self)[d])
            reach = 1
            for e in range(i64(self.ndim)):
                stride = magnitude(strides_of(self)[e])
                if e != d and sizes_of(self)[e] > 1 and (stride < own or (stride == own and e < d)):
                    reach = reach + (sizes_of(self)[e] - 1) * stride
            if own < reach:
                return False
    return True
