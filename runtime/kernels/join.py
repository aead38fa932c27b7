"""Tier 3: joining tensors: cat, stack."""

from __future__ import annotations

from tscript.abi.layout import MAX_RANK
from tscript.dialect import Ptr, TensorImpl, b8, i32, i64, stack
from tscript.runtime.kernels import codes
from tscript.runtime.kernels.convert import convert_elements
from tscript.runtime.kernels.shapes import copy_sizes, wrap_dim
from tscript.runtime.kernels.tensor import (
    begin_work,
    check_rank,
    is_complex,
    is_floating,
    itemsize_of,
    sizes_of,
    strides_of,
    tensor_alloc,
)


def category(code: i32) -> i64:
    """0 for bool, 1 for integers, 2 for floats, 3 for complex numbers."""
    if is_complex(code):
        return 3
    if is_floating(code):
        return 2
    if code == codes.BOOL:
        return 0
    return 1


def is_wide_unsigned(code: i32) -> b8:
    """Whether it is one of the unsigned integers that are promoted with floats only."""
    return code == codes.UINT16 or code == codes.UINT32 or code == codes.UINT64


def promote(a: i32, b: i32) -> i32:
    """The dtype that holds both: `tscript.types.dtypes.promote_dtypes` on codes.

    Raises RuntimeError if there is none.
    """
    if a == b:
        return a
    if not is_floating(a) and not is_floating(b) and (is_wide_unsigned(a) or is_wide_unsigned(b)):
        raise RuntimeError(
            "Promotion for uint16, uint32, uint64 types is not supported: convert the tensors with .to(dtype)"
        )
    if category(a) != category(b):
        if category(a) == 3 and b == codes.FLOAT64:
            return i32(codes.COMPLEX128)
        if category(b) == 3 and a == codes.FLOAT64:
            return i32(codes.COMPLEX128)
        if category(a) > category(b):
            return a
        return b
    if a == codes.UINT8 or b == codes.UINT8:
        if a == codes.INT8 or b == codes.INT8:
            return i32(codes.INT16)
    if is_floating(a) and itemsize_of(a) == 2 and itemsize_of(b) == 2:
        return i32(codes.FLOAT32)
    if itemsize_of(a) >= itemsize_of(b):
        return a
    return b


def is_skipped(t: Ptr[TensorImpl]) -> b8:
    """Whether `cat` takes no part of `t`: an empty vector goes with any shape."""
    return t.ndim == 1 and t.numel == 0


def place(out: Ptr[TensorImpl], at: i64, t: Ptr[TensorImpl], strides_to: Ptr[i64], ndim: i64, sizes: Ptr[i64]) -> None:
    """Write `t` into `out`, whose first element for it is element `at` of the memory; `ndim` counts those of `t`."""
    convert_elements(
        out.data + at * itemsize_of(out.dtype), out.dtype, strides_to, t.data, t.dtype, strides_of(t), sizes, ndim
    )


def cat(tensors: Ptr[Ptr[TensorImpl]], n: i64, dim: i64) -> Ptr[TensorImpl]:
    """`torch.cat`: joined along an existing dimension, in the dtype that holds all.

    Raises ValueError when there are none, RuntimeError when shapes differ elsewhere, IndexError for a bad dimension.
    """
    if n <= 0:
        raise ValueError("torch.cat(): expected a non-empty list of Tensors")
    model = tensors[0]
    code = model.dtype
    numel = 0
    for k in range(n):
        t = tensors[k]
        if t.ndim == 0:
            raise RuntimeError("zero-dimensional tensor (at position {0}) cannot be concatenated", k)
        if is_skipped(model):
            model = t
        code = promote(code, t.dtype)
        numel = numel + t.numel
    ndim = i64(model.ndim)
    d = wrap_dim(dim, ndim)
    sizes = stack(MAX_RANK, i64)
    copy_sizes(sizes, sizes_of(model), ndim)
    sizes[d] = 0
    for k in range(n):
        t = tensors[k]
        if not is_skipped(t):
            if i64(t.ndim) != ndim:
                raise RuntimeError("Tensors must have same number of dimensions: got {0} and {1}", ndim, i64(t.ndim))
            for i in range(ndim):
                if i != d and sizes_of(t)[i] != sizes[i]:
                    raise RuntimeError(
                        "Sizes of tensors must match except in dimension {0}. Expected size {1} but got size {2} for "
                        "tensor number {3} in the list.",
                        d,
                        sizes[i],
                        sizes_of(t)[i],
                        k,
                    )
            sizes[d] = sizes[d] + sizes_of(t)[d]
    out = tensor_alloc(code, ndim, sizes)
    begin_work(numel)
    at = 0
    for k in range(n):
        t = tensors[k]
        if not is_skipped(t):
            place(out, at, t, strides_of(out), ndim, sizes_of(t))
            at = at + sizes_of(t)[d] * strides_of(out)[d]
    return out


def stack_(tensors: Ptr[Ptr[TensorImpl]], n: i64, dim: i64) -> Ptr[TensorImpl]:
    """`torch.stack`: tensors of one shape along a new dimension, in the dtype that holds all.

    Raises RuntimeError when there are none or the shapes differ, IndexError for a bad dimension.
    """
    if n <= 0:
        raise RuntimeError("stack expects a non-empty TensorList")
    first = tensors[0]
    ndim = i64(first.ndim)
    check_rank(ndim + 1)
    d = wrap_dim(dim, ndim + 1)
    code = first.dtype
    for k in range(n):
        t = tensors[k]
        code = promote(code, t.dtype)
        if t.ndim != first.ndim:
            raise RuntimeError(
                "stack expects each tensor to be equal size, but got {0} dimensions at entry 0 and {1} at entry {2}",
                ndim,
                i64(t.ndim),
                k,
            )
        for i in range(ndim):
            if sizes_of(t)[i] != sizes_of(first)[i]:
                raise RuntimeError(
                    "stack expects each tensor to be equal size, but got size {0} in dimension {1} at entry 0 and "
                    "{2} at entry {3}",
                    sizes_of(first)[i],
                    i,
                    sizes_of(t)[i],
                    k,
                )
    sizes = stack(MAX_RANK, i64)
    for i in range(ndim + 1):
        if i < d:
            sizes[i] = sizes_of(first)[i]
        if i == d:
            sizes[i] = n
        if i > d:
            sizes[i] = sizes_of(first)[i - 1]
    out = tensor_alloc(code, ndim + 1, sizes)
    begin_work(out.numel)
    strides = stack(MAX_RANK, i64)
    for i in range(ndim):
        strides[i] = strides_of(out)[i]
        if i >= d:
            strides[i] = strides_of(out)[i + 1]
    for k in range(n):
        place(out, k * strides_of(out)[d], tensors[k], strides, ndim, sizes_of(first))
    return out
