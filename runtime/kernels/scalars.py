"""Tier 3: what a tensor is made of (sizes, strides, dtype) and the value of a tensor with one element.

A Size is a rank-1 int64 tensor.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tscript.abi.layout import NONE_INT, TENSOR_CONTIGUOUS
from tscript.dialect import (
    ByType,
    Ptr,
    T,
    TensorImpl,
    address,
    b8,
    bf16,
    f16,
    f32,
    f64,
    i8,
    i16,
    i32,
    i64,
    imag,
    pointer_cast,
    real,
    stack,
    u8,
    u16,
    u32,
    u64,
)
from tscript.dialect.limits import int_float
from tscript.runtime.kernels import codes
from tscript.runtime.kernels.shapes import copy_sizes, wrap_dim
from tscript.runtime.kernels.tensor import is_complex as has_parts
from tscript.runtime.kernels.tensor import is_floating, itemsize_of, part_of, sizes_of, strides_of, tensor_alloc
from tscript.types import dtypes


def size_of_ints(n: i64, values: Ptr[i64]) -> Ptr[TensorImpl]:
    """A Size of `n` ints."""
    out = new_size(n)
    copy_sizes(pointer_cast(out.data, i64), values, n)
    return out


def new_size(n: i64) -> Ptr[TensorImpl]:
    """A Size of `n` ints that are not set yet."""
    length = stack(1, i64)
    length[0] = n
    return tensor_alloc(codes.INT64, 1, length)


def slice_bound(bound: i64, n: i64, low: i64, high: i64) -> i64:
    """A bound of a slice of `n` elements: counted from the end when it is negative, between `low` and `high`."""
    if bound < 0:
        if bound < low - n:
            return low
        bound = bound + n
    if bound < low:
        return low
    if bound > high:
        return high
    return bound


def size_slice(self: Ptr[i64], n: i64, start: i64, end: i64, step: i64) -> Ptr[TensorImpl]:
    """``shape[start:end:step]``, as Python slices a tuple. Raises ValueError when `step` is 0."""
    if step == 0:
        raise ValueError("slice step cannot be zero")
    first = i64(0)
    last = n
    count = i64(0)
    if step > 0:
        if start != NONE_INT:
            first = slice_bound(start, n, 0, n)
        if end != NONE_INT:
            last = slice_bound(end, n, 0, n)
        if last > first:
            count = (last - first - 1) // step + 1
    else:
        first = n - 1
        last = i64(-1)
        if start != NONE_INT:
            first = slice_bound(start, n, -1, n - 1)
        if end != NONE_INT:
            last = slice_bound(end, n, -1, n - 1)
        if first > last:
            count = (last - first + 1) // step + 1
    out = new_size(count)
    values = pointer_cast(out.data, i64)
    for i in range(count):
        values[i] = self[first + i * step]
    return out


def size_add(self: Ptr[i64], n: i64, other: Ptr[i64], m: i64) -> Ptr[TensorImpl]:
    """``shape + other``."""
    out = new_size(n + m)
    values = pointer_cast(out.data, i64)
    copy_sizes(values, self, n)
    for i in range(m):
        values[n + i] = other[i]
    return out


def size_eq(self: Ptr[i64], n: i64, other: Ptr[i64], m: i64) -> b8:
    """``shape == other``."""
    if n != m:
        return False
    for i in range(n):  # noqa: SIM110 - the dialect has no generators
        if self[i] != other[i]:
            return False
    return True


def size(self: Ptr[TensorImpl]) -> Ptr[TensorImpl]:
    """`Tensor.size()`: the sizes."""
    return size_of_ints(i64(self.ndim), sizes_of(self))


def stride(self: Ptr[TensorImpl]) -> Ptr[TensorImpl]:
    """`Tensor.stride()`: the strides, in elements."""
    return size_of_ints(i64(self.ndim), strides_of(self))


def dim_of(self: Ptr[TensorImpl], dim: i64) -> i64:
    """`dim` counted from the front.

    Raises IndexError when it is out of range or there are no dimensions.
    """
    if self.ndim == 0:
        raise IndexError("Dimension specified as {0} but tensor has no dimensions", dim)
    return wrap_dim(dim, i64(self.ndim))


def size_int(self: Ptr[TensorImpl], dim: i64) -> i64:
    """`Tensor.size(dim)`. Raises IndexError when `dim` is out of range."""
    return sizes_of(self)[dim_of(self, dim)]


def stride_int(self: Ptr[TensorImpl], dim: i64) -> i64:
    """`Tensor.stride(dim)`. Raises IndexError when `dim` is out of range."""
    return strides_of(self)[dim_of(self, dim)]


def dim(self: Ptr[TensorImpl]) -> i64:
    """`Tensor.dim()`: how many dimensions."""
    return i64(self.ndim)


def numel(self: Ptr[TensorImpl]) -> i64:
    """`Tensor.numel()`: how many elements."""
    return self.numel


def storage_offset(self: Ptr[TensorImpl]) -> i64:
    """`Tensor.storage_offset()`: where the first element lies in the storage, in elements."""
    return (address(self.data) - address(self.storage.data)) // itemsize_of(self.dtype)


def element_size(self: Ptr[TensorImpl]) -> i64:
    """`Tensor.element_size()`: bytes of one element."""
    return itemsize_of(self.dtype)


def is_contiguous(self: Ptr[TensorImpl]) -> b8:
    """`Tensor.is_contiguous()`."""
    return self.flags & TENSOR_CONTIGUOUS != 0


def dtype(self: Ptr[TensorImpl]) -> i32:
    """`Tensor.dtype`, as its code."""
    return self.dtype


def is_floating_point(self: Ptr[TensorImpl]) -> b8:
    """`Tensor.is_floating_point()`."""
    return is_floating(self.dtype)


def is_complex(self: Ptr[TensorImpl]) -> b8:
    """`Tensor.is_complex()`."""
    return has_parts(self.dtype)


def len_tensor(self: Ptr[TensorImpl]) -> i64:
    """``len(x)``: the first size. Raises TypeError when there are no dimensions."""
    if self.ndim == 0:
        raise TypeError("len() of a 0-d tensor")
    return sizes_of(self)[0]


def load_int(p: Ptr[u8], code: i32) -> i64:
    """The element of an integer or bool tensor at `p`."""
    if code == codes.INT64:
        return pointer_cast(p, i64)[0]
    if code == codes.INT32:
        return i64(pointer_cast(p, i32)[0])
    if code == codes.INT16:
        return i64(pointer_cast(p, i16)[0])
    if code == codes.INT8:
        return i64(pointer_cast(p, i8)[0])
    if code == codes.UINT16:
        return i64(pointer_cast(p, u16)[0])
    if code == codes.UINT32:
        return i64(pointer_cast(p, u32)[0])
    if code == codes.UINT64:
        return wide_to_int(pointer_cast(p, u64)[0])
    return i64(p[0])


def load_float(p: Ptr[u8], code: i32) -> f64:
    """The element of a float tensor at `p`."""
    if code == codes.FLOAT32:
        return f64(pointer_cast(p, f32)[0])
    if code == codes.FLOAT16:
        return f64(pointer_cast(p, f16)[0])
    if code == codes.BFLOAT16:
        return f64(pointer_cast(p, bf16)[0])
    return pointer_cast(p, f64)[0]


def check_one_element(self: Ptr[TensorImpl]) -> None:
    """Raise RuntimeError unless there is exactly one element."""
    if self.numel != 1:
        raise RuntimeError("a Tensor with {0} elements cannot be converted to Scalar", self.numel)


def float_to_float(x: T) -> f64:
    """A float element as the language's float."""
    return f64(x)


def int_to_int(x: T) -> i64:
    """An integer element as the language's int."""
    return i64(x)


def wide_to_int(x: u64) -> i64:
    """A uint64 as the language's int. Raises OverflowError beyond 63 bits."""
    found = i64(x)
    if found < 0:
        raise OverflowError("an element of a uint64 tensor is no 64-bit int: it is 2**63 or more")
    return found


def complex_to_complex(x: T):  # type: ignore[no-untyped-def]
    """A complex element as the language's complex."""
    return f64(real(x)), f64(imag(x))


def bool_to_bool(x: b8) -> b8:
    """A bool element as the language's bool."""
    return x


SCALAR_OF: dict[Any, Callable[..., Any]] = dict.fromkeys(dtypes.DTYPES, int_to_int)
SCALAR_OF |= {dtype: float_to_float for dtype in dtypes.DTYPES if dtype.is_floating_point}
SCALAR_OF |= {dtypes.bool_: bool_to_bool, dtypes.uint64: wide_to_int}
SCALAR_OF |= dict.fromkeys(dtypes.COMPLEX_DTYPES, complex_to_complex)
as_scalar = ByType(SCALAR_OF)


def item(self: Ptr[TensorImpl]):  # type: ignore[no-untyped-def]
    """`Tensor.item()`: the only element as a number. ``T`` is the dtype, and says whether it is an int, a float or a
    bool.

    Raises RuntimeError when there is another number of elements.
    """
    check_one_element(self)
    return as_scalar(pointer_cast(self.data, T)[0])


def item_int(self: Ptr[TensorImpl]) -> i64:
    """``x.item()`` where an int is declared. Raises RuntimeError for another number of elements, TypeError for
    floats."""
    check_one_element(self)
    if self.dtype == codes.FLOAT16:
        raise TypeError("item() is declared to give an int, but the dtype is float16")
    if self.dtype == codes.BFLOAT16:
        raise TypeError("item() is declared to give an int, but the dtype is bfloat16")
    if self.dtype == codes.FLOAT32:
        raise TypeError("item() is declared to give an int, but the dtype is float32")
    if self.dtype == codes.FLOAT64:
        raise TypeError("item() is declared to give an int, but the dtype is float64")
    return load_int(self.data, self.dtype)


def item_float(self: Ptr[TensorImpl]) -> f64:
    """``x.item()`` where a float is declared. Raises RuntimeError for another number of elements."""
    check_one_element(self)
    if is_floating(self.dtype):
        return load_float(self.data, self.dtype)
    return f64(load_int(self.data, self.dtype))


def item_bool(self: Ptr[TensorImpl]) -> b8:
    """``x.item()`` where a bool is declared. Raises RuntimeError for another number of elements, TypeError for
    numbers."""
    check_one_element(self)
    if self.dtype != codes.BOOL:
        refuse_number(self.dtype)
    return load_int(self.data, self.dtype) != 0


def refuse_number(dtype: i32) -> None:
    """Raise for an ``x.item()`` that is declared to be a bool."""
    if dtype == codes.UINT8:
        raise TypeError("item() is declared to give a bool, but the dtype is uint8")
    if dtype == codes.INT8:
        raise TypeError("item() is declared to give a bool, but the dtype is int8")
    if dtype == codes.INT16:
        raise TypeError("item() is declared to give a bool, but the dtype is int16")
    if dtype == codes.INT32:
        raise TypeError("item() is declared to give a bool, but the dtype is int32")
    if dtype == codes.INT64:
        raise TypeError("item() is declared to give a bool, but the dtype is int64")
    if dtype == codes.UINT16:
        raise TypeError("item() is declared to give a bool, but the dtype is uint16")
    if dtype == codes.UINT32:
        raise TypeError("item() is declared to give a bool, but the dtype is uint32")
    if dtype == codes.UINT64:
        raise TypeError("item() is declared to give a bool, but the dtype is uint64")
    if dtype == codes.FLOAT16:
        raise TypeError("item() is declared to give a bool, but the dtype is float16")
    if dtype == codes.BFLOAT16:
        raise TypeError("item() is declared to give a bool, but the dtype is bfloat16")
    if dtype == codes.FLOAT32:
        raise TypeError("item() is declared to give a bool, but the dtype is float32")
    raise TypeError("item() is declared to give a bool, but the dtype is float64")


def bool_tensor(self: Ptr[TensorImpl]) -> b8:
    """``bool(x)``. Raises RuntimeError unless there is one element."""
    if self.numel == 0:
        raise RuntimeError("Boolean value of Tensor with no values is ambiguous")
    if self.numel != 1:
        raise RuntimeError("Boolean value of Tensor with more than one value is ambiguous")
    if is_floating(self.dtype):
        return load_float(self.data, self.dtype) != 0.0
    if has_parts(self.dtype):
        part = part_of(self.dtype)
        other = self.data + itemsize_of(part)
        return load_float(self.data, part) != 0.0 or load_float(other, part) != 0.0
    return load_int(self.data, self.dtype) != 0


def check_one_number(self: Ptr[TensorImpl]) -> None:
    """Raise ValueError unless there is exactly one element."""
    if self.numel != 1:
        raise ValueError("only one element tensors can be converted to Python scalars")


def int_tensor(self: Ptr[TensorImpl]) -> i64:
    """``int(x)``: towards zero.

    Raises ValueError unless there is one element that is a number, OverflowError when it is no int of 64 bits.
    """
    check_one_number(self)
    if is_floating(self.dtype):
        return int_float(load_float(self.data, self.dtype))
    return load_int(self.data, self.dtype)


def float_tensor(self: Ptr[TensorImpl]) -> f64:
    """``float(x)``. Raises ValueError unless there is one element."""
    check_one_number(self)
    if is_floating(self.dtype):
        return load_float(self.data, self.dtype)
    return f64(load_int(self.data, self.dtype))
