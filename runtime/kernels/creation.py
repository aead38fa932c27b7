"""Tier 3: tensors made from sizes and numbers: zeros, ones, empty, full, arange, linspace, eye, literals.

A number comes as a float and as an int, each the conversion of the other: a `Scalar` of the language.
"""

from __future__ import annotations

from tscript.dialect import (
    ByType,
    Ptr,
    T,
    TensorImpl,
    b8,
    bitcast,
    c64,
    c128,
    ceil,
    f64,
    i32,
    i64,
    memset,
    pointer_cast,
    stack,
)
from tscript.runtime.kernels import codes
from tscript.runtime.kernels.convert import fill_contiguous, store_row
from tscript.runtime.kernels.memory_blocks import LARGEST
from tscript.runtime.kernels.shapes import multiply_sizes
from tscript.runtime.kernels.tensor import (
    begin_work,
    check_rank,
    is_complex,
    is_floating,
    itemsize_of,
    part_of,
    sizes_of,
    tensor_alloc,
)
from tscript.types import dtypes

LARGEST_FINITE = 1.7976931348623157e308


def code_of_real(like: T) -> i32:
    """The code of the dtype ``T``, found by what its numbers can hold; a constant once ``T`` is bound."""
    # Variables: a literal that a type cannot hold is refused.
    minus_one = -1
    bit_10 = 1 << 10
    bit_12 = 1 << 12
    bit_20 = 1 << 20
    bit_24 = 1 << 24
    bit_40 = 1 << 40
    if T(2) == T(1):
        return i32(codes.BOOL)
    if T(0.5) != T(0):
        if T(bit_10 + 1) == T(bit_10):
            return i32(codes.BFLOAT16)
        if T(bit_12 + 1) == T(bit_12):
            return i32(codes.FLOAT16)
        if T(bit_24 + 1) == T(bit_24):
            return i32(codes.FLOAT32)
        return i32(codes.FLOAT64)
    if T(minus_one) > T(0):
        if T(bit_40) != T(0):
            return i32(codes.UINT64)
        if T(bit_20) != T(0):
            return i32(codes.UINT32)
        if T(bit_12) != T(0):
            return i32(codes.UINT16)
        return i32(codes.UINT8)
    if T(bit_40) != T(0):
        return i32(codes.INT64)
    if T(bit_20) != T(0):
        return i32(codes.INT32)
    if T(bit_12) != T(0):
        return i32(codes.INT16)
    return i32(codes.INT8)


def code_of_c64(like: c64) -> i32:
    """The same of complex64."""
    return i32(codes.COMPLEX64)


def code_of_c128(like: c128) -> i32:
    """The same of complex128."""
    return i32(codes.COMPLEX128)


code_of = ByType(
    {
        **dict.fromkeys(dtypes.DTYPES, code_of_real),
        dtypes.complex64: code_of_c64,
        dtypes.complex128: code_of_c128,
    }
)


def filled(n: i64, size: Ptr[i64], dtype: i32, value: f64, whole: i64) -> Ptr[TensorImpl]:
    """A tensor of `n` sizes with one number everywhere.

    Raises RuntimeError for a negative size, MemoryError when it is too large.
    """
    out = tensor_alloc(dtype, n, size)
    begin_work(out.numel)
    if whole == 0 and i64(bitcast(value, i64)) == 0:
        memset(out.data, 0, out.numel * itemsize_of(dtype))
    else:
        fill_contiguous(out.data, dtype, value, whole, out.numel)
    return out


def dtype_or(dtype: i32, default: i32) -> i32:
    """`dtype`, or `default` for None."""
    if dtype < 0:
        return default
    return dtype


def zeros(size: Ptr[i64], n: i64, dtype: i32) -> Ptr[TensorImpl]:
    """`torch.zeros`, of a dtype that is known. Raises RuntimeError for a negative size."""
    return filled(n, size, dtype, 0.0, 0)


def ones(size: Ptr[i64], n: i64, dtype: i32) -> Ptr[TensorImpl]:
    """`torch.ones`, of a dtype that is known. Raises RuntimeError for a negative size."""
    return filled(n, size, dtype, 1.0, 1)


def empty(size: Ptr[i64], n: i64, dtype: i32) -> Ptr[TensorImpl]:
    """`torch.empty`, of a dtype that is known. Raises RuntimeError for a negative size."""
    return tensor_alloc(dtype, n, size)


def full(size: Ptr[i64], n: i64, value: f64, whole: i64, dtype: i32) -> Ptr[TensorImpl]:
    """`torch.full`, of dtype ``T``. Raises RuntimeError for a negative size."""
    return filled(n, size, code_of(T(0)), value, whole)


def zeros_like(self: Ptr[TensorImpl], dtype: i32) -> Ptr[TensorImpl]:
    """`torch.zeros_like`."""
    return filled(i64(self.ndim), sizes_of(self), dtype_or(dtype, self.dtype), 0.0, 0)


def ones_like(self: Ptr[TensorImpl], dtype: i32) -> Ptr[TensorImpl]:
    """`torch.ones_like`."""
    return filled(i64(self.ndim), sizes_of(self), dtype_or(dtype, self.dtype), 1.0, 1)


def empty_like(self: Ptr[TensorImpl], dtype: i32) -> Ptr[TensorImpl]:
    """`torch.empty_like`."""
    return tensor_alloc(dtype_or(dtype, self.dtype), i64(self.ndim), sizes_of(self))


def full_like(self: Ptr[TensorImpl], value: f64, whole: i64, dtype: i32) -> Ptr[TensorImpl]:
    """`torch.full_like`, of dtype ``T``."""
    return filled(i64(self.ndim), sizes_of(self), code_of(T(0)), value, whole)


def new_zeros(self: Ptr[TensorImpl], size: Ptr[i64], n: i64, dtype: i32) -> Ptr[TensorImpl]:
    """`Tensor.new_zeros`. Raises RuntimeError for a negative size."""
    return filled(n, size, dtype_or(dtype, self.dtype), 0.0, 0)


def new_ones(self: Ptr[TensorImpl], size: Ptr[i64], n: i64, dtype: i32) -> Ptr[TensorImpl]:
    """`Tensor.new_ones`. Raises RuntimeError for a negative size."""
    return filled(n, size, dtype_or(dtype, self.dtype), 1.0, 1)


def new_empty(self: Ptr[TensorImpl], size: Ptr[i64], n: i64, dtype: i32) -> Ptr[TensorImpl]:
    """`Tensor.new_empty`. Raises RuntimeError for a negative size."""
    return tensor_alloc(dtype_or(dtype, self.dtype), n, size)


def new_full(self: Ptr[TensorImpl], size: Ptr[i64], n: i64, value: f64, whole: i64, dtype: i32) -> Ptr[TensorImpl]:
    """`Tensor.new_full`, of dtype ``T``. Raises RuntimeError for a negative size."""
    return filled(n, size, code_of(T(0)), value, whole)


# ---- ranges


def is_finite(x: f64) -> b8:
    """Whether x is neither infinite nor NaN."""
    return x <= LARGEST_FINITE and x >= -LARGEST_FINITE


def count_steps(start: f64, end: f64, step: f64) -> i64:
    """How many numbers start, start + step … lie before `end`, in float arithmetic."""
    n = ceil((end - start) / step)
    if not (n <= f64(LARGEST)):
        raise RuntimeError("invalid size, possible overflow?")
    if n < 0.0:
        return 0
    return i64(n)


def count_whole_steps(start: i64, end: i64, step: i64) -> i64:
    """How many ints start, start + step … lie before `end`; the step has the sign of end - start."""
    if start == end:
        return 0
    estimate = count_steps(f64(start), f64(end), f64(step))
    span = end - start
    if (span > 0) != (step > 0):
        # The difference is beyond 64 bits; the step is then large too, or the estimate has raised.
        return estimate
    return (span - select_sign(step)) // step + 1


def select_sign(x: i64) -> i64:
    """1 for a positive number, -1 for a negative one."""
    if x > 0:
        return 1
    return -1


def arange(start: f64, start_int: i64, end: f64, end_int: i64, step: f64, step_int: i64, like: T) -> Ptr[TensorImpl]:
    """start, start + step … before `end`, of dtype ``T``; `like` only binds it.

    Ints are computed as ints, and for int64 counted as ints too; all else in float64, rounded once to ``T``.

    Raises RuntimeError when the step is zero or leads away from `end`, or a bound is not finite.
    """
    code = code_of(like)
    if step == 0.0 or (code == codes.INT64 and step_int == 0):
        raise RuntimeError("step must be nonzero")
    if not (is_finite(start) and is_finite(end)):
        raise RuntimeError("unsupported range: {0} -> {1}", start, end)
    if (step > 0.0 and end < start) or (step < 0.0 and end > start):
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    n = 0
    if code == codes.INT64:
        n = count_whole_steps(start_int, end_int, step_int)
    else:
        n = count_steps(start, end, step)
    sizes = stack(1, i64)
    sizes[0] = n
    out = tensor_alloc(code, 1, sizes)
    begin_work(n)
    to = pointer_cast(out.data, T)
    if not is_floating(code) and code != codes.BOOL:
        for i in range(n):
            to[i] = T(start_int + i * step_int)
    else:
        for i in range(n):
            to[i] = T(start + f64(i) * step)
    return out


def arange_end(end: f64, end_int: i64, dtype: i32) -> Ptr[TensorImpl]:
    """``torch.arange(end)``, of dtype ``T``. Raises RuntimeError for a bad range."""
    return arange(0.0, 0, end, end_int, 1.0, 1, T(0))


def arange_start(start: f64, start_int: i64, end: f64, end_int: i64, dtype: i32) -> Ptr[TensorImpl]:
    """``torch.arange(start, end)``, of dtype ``T``. Raises RuntimeError for a bad range."""
    return arange(start, start_int, end, end_int, 1.0, 1, T(0))


def arange_start_step(
    start: f64, start_int: i64, end: f64, end_int: i64, step: f64, step_int: i64, dtype: i32
) -> Ptr[TensorImpl]:
    """``torch.arange(start, end, step)``, of dtype ``T``. Raises RuntimeError for a bad range."""
    return arange(start, start_int, end, end_int, step, step_int, T(0))


def linspace(start: f64, start_int: i64, end: f64, end_int: i64, steps: i64, dtype: i32) -> Ptr[TensorImpl]:
    """`torch.linspace`: `steps` numbers from `start` to `end`, both included, of dtype ``T``.

    Each half is computed from its own end, so the result is symmetric. Of ints, both ends are cut to ints.

    Raises RuntimeError when `steps` is negative.
    """
    if steps < 0:
        raise RuntimeError("number of steps must be non-negative")
    if T(0.5) == T(0):
        start = f64(T(start))
        end = f64(T(end))
    sizes = stack(1, i64)
    sizes[0] = steps
    out = tensor_alloc(code_of(T(0)), 1, sizes)
    begin_work(steps)
    to = pointer_cast(out.data, T)
    if steps == 1:
        to[0] = T(start)
        return out
    step = 0.0
    if steps > 1:
        step = (end - start) / f64(steps - 1)
    half = steps // 2
    for i in range(half):
        to[i] = T(start + step * f64(i))
    for i in range(half, steps):
        to[i] = T(end - step * f64(steps - 1 - i))
    return out


def eye_m(n: i64, m: i64, dtype: i32) -> Ptr[TensorImpl]:
    """``torch.eye(n, m)``, of a dtype that is known. Raises RuntimeError for a negative size."""
    if n < 0:
        raise RuntimeError("n must be greater or equal to 0, got {0}", n)
    if m < 0:
        raise RuntimeError("m must be greater or equal to 0, got {0}", m)
    sizes = stack(2, i64)
    sizes[0] = n
    sizes[1] = m
    out = filled(2, sizes, dtype, 0.0, 0)
    one = stack(1, i64)
    one[0] = 1
    length = n
    if m < n:
        length = m
    code = out.dtype
    step = m + 1
    if is_complex(code):
        code = part_of(code)
        step = 2 * step
    store_row(out.data, code, step, one, 0, length)
    return out


def eye(n: i64, dtype: i32) -> Ptr[TensorImpl]:
    """``torch.eye(n)``, of a dtype that is known. Raises RuntimeError for a negative size."""
    return eye_m(n, n, dtype)


# ---- literals


def from_values(values: Ptr[T], n: i64, shape: Ptr[i64], ndim: i64, dtype: i32) -> Ptr[TensorImpl]:
    """A tensor of `n` numbers in row-major order. Raises RuntimeError when the shape has another number of elements."""
    check_rank(ndim)
    for i in range(ndim):
        if shape[i] < 0:
            raise RuntimeError("Trying to create tensor with negative dimension {0}", shape[i])
    if multiply_sizes(ndim, shape) != n:
        raise RuntimeError("{0} values do not fill the shape of a tensor", n)
    out = tensor_alloc(dtype, ndim, shape)
    store_row(out.data, dtype, 1, values, 1, n)
    return out


def tensor_of_ints(values: Ptr[i64], n: i64, shape: Ptr[i64], ndim: i64, dtype: i32) -> Ptr[TensorImpl]:
    """A literal of ints. Raises RuntimeError when the shape has another number of elements."""
    return from_values(values, n, shape, ndim, dtype)


def tensor_of_floats(values: Ptr[f64], n: i64, shape: Ptr[i64], ndim: i64, dtype: i32) -> Ptr[TensorImpl]:
    """A literal of floats. Raises RuntimeError when the shape has another number of elements."""
    return from_values(values, n, shape, ndim, dtype)
