"""Tier 2: arithmetic on sizes and dimensions that many kernels share, with PyTorch's messages."""

from __future__ import annotations

from tscript.abi.layout import MAX_RANK
from tscript.dialect import Ptr, TensorImpl, b8, i64
from tscript.runtime.kernels.tensor import check_rank, is_readonly, sizes_of, strides_of

LARGEST_COUNT = 1 << 62
"""No tensor has more elements, repeated ones included."""


def wrap_dim(dim: i64, ndim: i64) -> i64:
    """`dim` counted from the front.

    Args:
        dim: From -ndim to ndim - 1; a tensor without dimensions counts as one with one.

    Raises IndexError when it is out of range.
    """
    limit = ndim
    if limit == 0:
        limit = 1
    if dim < -limit or dim >= limit:
        raise IndexError(
            "Dimension out of range (expected to be in range of [{0}, {1}], but got {2})", -limit, limit - 1, dim
        )
    if dim < 0:
        return dim + limit
    return dim


def mark_dims(dims: Ptr[i64], n: i64, ndim: i64, marks: Ptr[i64]) -> None:
    """Set marks[d] to 1 for each of the `n` dims and to 0 for the others.

    Args:
        dims: May be negative; none means all when `n` is 0 or less.
        marks: Room for `MAX_RANK`.

    Raises IndexError when one is out of range, RuntimeError when one appears twice.
    """
    for d in range(MAX_RANK):
        marks[d] = 0
    if n <= 0:
        for d in range(ndim):
            marks[d] = 1
    for k in range(n):
        d = wrap_dim(dims[k], ndim)
        if marks[d] != 0:
            raise RuntimeError("dim {0} appears multiple times in the list of dims", d)
        marks[d] = 1


def multiply_sizes(ndim: i64, sizes: Ptr[i64]) -> i64:
    """The product of sizes of which none is negative.

    Raises RuntimeError when it is too large.
    """
    numel = 1
    for i in range(ndim):
        n = sizes[i]
        if (numel | n) >> 28 != 0:
            if n != 0 and numel > LARGEST_COUNT // n:
                raise RuntimeError("numel: integer multiplication overflow")
        numel = numel * n
    return numel


def copy_sizes(to: Ptr[i64], source: Ptr[i64], n: i64) -> None:
    """Copy `n` sizes or strides."""
    for i in range(n):
        to[i] = source[i]


def raise_invalid_shape(size: Ptr[i64], n: i64, numel: i64) -> None:
    """Raise the RuntimeError of `view` and `reshape` for a shape with another number of elements."""
    if n == 0:
        raise RuntimeError("shape '[]' is invalid for input of size {0}", numel)
    if n == 1:
        raise RuntimeError("shape '[{0}]' is invalid for input of size {1}", size[0], numel)
    if n == 2:
        raise RuntimeError("shape '[{0}, {1}]' is invalid for input of size {2}", size[0], size[1], numel)
    if n == 3:
        raise RuntimeError("shape '[{0}, {1}, {2}]' is invalid for input of size {3}", size[0], size[1], size[2], numel)
    if n == 4:
        raise RuntimeError(
            "shape '[{0}, {1}, {2}, {3}]' is invalid for input of size {4}", size[0], size[1], size[2], size[3], numel
        )
    if n == 5:
        raise RuntimeError(
            "shape '[{0}, {1}, {2}, {3}, {4}]' is invalid for input of size {5}",
            size[0],
            size[1],
            size[2],
            size[3],
            size[4],
            numel,
        )
    raise RuntimeError(
        "shape '[{0}, {1}, {2}, {3}, ...]' is invalid for input of size {4}", size[0], size[1], size[2], size[3], numel
    )


def infer_sizes(size: Ptr[i64], n: i64, numel: i64, out: Ptr[i64]) -> None:
    """The sizes that `view` and `reshape` were asked for, with a -1 replaced.

    Args:
        size: `n` sizes, one of them possibly -1.
        numel: Elements there are.
        out: Room for `MAX_RANK`.

    Raises RuntimeError when they do not fit.
    """
    check_rank(n)
    unknown = -1
    for i in range(n):
        length = size[i]
        if length == -1:
            if unknown >= 0:
                raise RuntimeError("only one dimension can be inferred")
            unknown = i
            out[i] = 1
        else:
            if length < 0:
                raise RuntimeError("invalid shape dimension {0} at index {1}", length, i)
            out[i] = length
    product = multiply_sizes(n, out)
    if unknown >= 0:
        if product == 0:
            if numel != 0:
                raise_invalid_shape(size, n, numel)
            raise RuntimeError(
                "cannot reshape tensor of {0} elements because the unspecified dimension size -1 can be any value and "
                "is ambiguous",
                numel,
            )
        if numel % product != 0:
            raise_invalid_shape(size, n, numel)
        out[unknown] = numel // product
    else:
        if product != numel:
            raise_invalid_shape(size, n, numel)


def broadcast_into(sizes: Ptr[i64], ndim: i64, other: Ptr[i64], other_ndim: i64) -> None:
    """Widen `sizes` to the broadcast of both.

    Args:
        sizes: `ndim` sizes, at least `other_ndim` of them; missing leading ones are 1.

    Raises RuntimeError when they do not go together.
    """
    for k in range(other_ndim):
        i = ndim - 1 - k
        a = sizes[i]
        b = other[other_ndim - 1 - k]
        if a == 1:
            sizes[i] = b
        else:
            if b != 1 and a != b:
                raise RuntimeError(
                    "The size of tensor a ({0}) must match the size of tensor b ({1}) at non-singleton dimension {2}",
                    a,
                    b,
                    i,
                )


def repeats_memory(ndim: i64, sizes: Ptr[i64], strides: Ptr[i64]) -> b8:
    """Whether more than one element lies at one address because a dimension was expanded."""
    found = False
    for i in range(ndim):
        if sizes[i] == 0:
            return False
        if strides[i] == 0 and sizes[i] > 1:
            found = True
    return found


def check_writable(t: Ptr[TensorImpl]) -> None:
    """Raise RuntimeError when the memory of `t` is read-only."""
    if is_readonly(t):
        raise RuntimeError("the memory of this tensor is read-only: clone() it before writing to it")


def check_distinct(t: Ptr[TensorImpl]) -> None:
    """Raise RuntimeError when the elements of `t` may not be written one by one: the memory is read-only, or a
    dimension was expanded."""
    check_writable(t)
    if repeats_memory(i64(t.ndim), sizes_of(t), strides_of(t)):
        raise RuntimeError(
            "unsupported operation: more than one element of the written-to tensor refers to a single memory location. "
            "Please clone() the tensor before performing the operation."
        )


def is_distinct(t: Ptr[TensorImpl]) -> b8:
    """Whether the elements of `t` may be written one by one."""
    return not is_readonly(t) and not repeats_memory(i64(t.ndim), sizes_of(t), strides_of(t))


def check_assigned(t: Ptr[TensorImpl]) -> None:
    """Raise NumPy's ValueError when an array that a value is assigned to may not be written."""
    if not is_distinct(t):
        raise ValueError("assignment destination is read-only")


def check_output(t: Ptr[TensorImpl]) -> None:
    """Raise NumPy's ValueError when the array that an operator writes in place may not be written."""
    if not is_distinct(t):
        raise ValueError("output array is read-only")


def bump_version(t: Ptr[TensorImpl]) -> None:
    """Note that the storage of `t` was written in place."""
    storage = t.storage
    storage.version = storage.version + 1
