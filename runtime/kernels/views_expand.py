"""Tier 3: views that repeat elements: broadcasting and expansion."""

from __future__ import annotations

from tscript.abi.layout import MAX_RANK
from tscript.dialect import Ptr, TensorImpl, b8, i64, stack
from tscript.runtime.kernels.shapes import multiply_sizes
from tscript.runtime.kernels.tensor import (
    check_rank,
    finish_layout,
    sizes_of,
    strides_of,
    view_of,
)


def expand_to(self: Ptr[TensorImpl], n: i64, sizes: Ptr[i64]) -> Ptr[TensorImpl]:
    """A view in which dimensions of size 1 repeat. `self` must broadcast to the `n` sizes."""
    ndim = i64(self.ndim)
    v = view_of(self, n)
    own = sizes_of(self)
    own_strides = strides_of(self)
    for i in range(n):
        sizes_of(v)[i] = sizes[i]
        strides_of(v)[i] = 0
        d = i - (n - ndim)
        if d >= 0:
            if own[d] == sizes[i]:
                strides_of(v)[i] = own_strides[d]
    finish_layout(v)
    return v


def broadcast_to(self: Ptr[TensorImpl], size: Ptr[i64], n: i64) -> Ptr[TensorImpl]:
    """`Tensor.broadcast_to`: a view in which dimensions of size 1 repeat.

    Args:
        size: `n` sizes; -1 keeps that of an existing dimension.

    Raises RuntimeError when the tensor does not broadcast to them.
    """
    ndim = i64(self.ndim)
    if n < ndim:
        raise RuntimeError(
            "expand: the number of sizes provided ({0}) must be greater or equal to the number of dimensions in the "
            "tensor ({1})",
            n,
            ndim,
        )
    check_rank(n)
    sizes = stack(MAX_RANK, i64)
    own = sizes_of(self)
    for i in range(n):
        d = i - (n - ndim)
        wanted = size[i]
        sizes[i] = wanted
        if d < 0:
            if wanted < 0:
                raise RuntimeError(
                    "The expanded size of the tensor ({0}) isn't allowed in a leading, non-existing dimension {1}",
                    wanted,
                    i,
                )
        else:
            if wanted == -1:
                sizes[i] = own[d]
            else:
                if wanted != own[d]:
                    if own[d] != 1 or wanted < 0:
                        raise RuntimeError(
                            "The expanded size of the tensor ({0}) must match the existing size ({1}) at non-singleton "
                            "dimension {2}.",
                            wanted,
                            own[d],
                            i,
                        )
    multiply_sizes(n, sizes)
    return expand_to(self, n, sizes)


def expand(self: Ptr[TensorImpl], size: Ptr[i64], n: i64, implicit: b8) -> Ptr[TensorImpl]:
    """`Tensor.expand`: `broadcast_to`; `implicit` has no meaning here."""
    return broadcast_to(self, size, n)


def expand_as(self: Ptr[TensorImpl], other: Ptr[TensorImpl]) -> Ptr[TensorImpl]:
    """`Tensor.expand_as`: `broadcast_to` the shape of another tensor."""
    return broadcast_to(self, sizes_of(other), i64(other.ndim))
