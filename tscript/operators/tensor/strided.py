"""Views by strides: any of them over a storage, windows along a dimension; and copies with one of them replaced."""

# mypy: disable-error-code="no-any-return,no-untyped-def,no-untyped-call"

from __future__ import annotations

from collections.abc import Sequence

from tscript.arrays import Array, np
from tscript.definitions.define import composite, view
from tscript.definitions.language import Size, Tensor, generic, torch
from tscript.definitions.opdef import FACTORY, Arg, OpDef
from tscript.definitions.rules import check_dim, constant_int, int_count, tensor_of
from tscript.definitions.values import wrap_dim
from tscript.types import DType, TensorType, Type


def _any_rank(args: Sequence[Arg]) -> Type:
    return TensorType(tensor_of(args[0]).dtype, int_count(args[1]))


def _strided(array: Array, size: Sequence[int], stride: Sequence[int], storage_offset: int | None) -> Array:
    if len(size) != len(stride):
        raise RuntimeError(f"mismatch in length of strides and shape: {len(stride)} and {len(size)}")
    for d, (n, step) in enumerate(zip(size, stride, strict=True)):
        if n < 0:
            raise RuntimeError(f"as_strided: size {n} of dimension {d} is negative")
        if step < 0:
            raise RuntimeError(
                f"as_strided: Negative strides are not supported at the moment, got stride {step} of dimension {d}"
            )
    storage = array
    while isinstance(storage.base, np.ndarray):
        storage = storage.base
    first = storage_offset
    if first is None:
        first = (array.ctypes.data - storage.ctypes.data) // array.itemsize
    if first < 0:
        raise RuntimeError(f"Tensor: invalid storage offset {first}")
    last = first + sum((n - 1) * step for n, step in zip(size, stride, strict=True))
    if 0 not in size and last >= storage.nbytes // array.itemsize:
        raise RuntimeError(
            f"as_strided: the sizes and strides with storage offset {first} are out of bounds for storage of size "
            f"{storage.nbytes}"
        )
    flat = storage.reshape(-1).view(array.dtype)[0 if 0 in size else first :]
    strides = [step * array.itemsize for step in stride]
    return np.lib.stride_tricks.as_strided(flat, size, strides, writeable=bool(array.flags.writeable))


def _windows_rank(args: Sequence[Arg]) -> Type:
    found = tensor_of(args[0])
    check_dim(constant_int(args[1]), found.rank)
    return TensorType(found.dtype, None if found.rank is None else found.rank + 1)


def _windows(array: Array, dimension: int, size: int, step: int) -> Array:
    d = wrap_dim(dimension, array.ndim)
    whole = array.shape[d] if array.ndim else 1
    if size < 0:
        raise RuntimeError(f"size is {size} but must be >= 0")
    if size > whole:
        raise RuntimeError(f"maximum size for tensor at dimension {d} is {whole} but size is {size}")
    if step <= 0:
        raise RuntimeError(f"step is {step} but must be > 0")
    if array.ndim == 0:
        return array.reshape(1)[:size]
    shape, strides = list(array.shape), list(array.strides)
    shape[d], strides[d] = (whole - size) // step + 1, strides[d] * step
    return np.lib.stride_tricks.as_strided(
        array, (*shape, size), (*strides, array.strides[d]), writeable=bool(array.flags.writeable)
    )


def as_strided_scatter(self: Tensor, src: Tensor, size: Size, stride: Size, storage_offset: int | None) -> Tensor:
    """A copy with the elements of a view by strides replaced.

    Args:
        input: Any tensor.
        src: Of the shape `size`.
        size, stride, storage_offset: Of the view, see `as_strided`.

    Raises:
        RuntimeError: The storage ends before, or the shapes differ.

    Example:
        >>> tscript.zeros(4).as_strided_scatter(tscript.ones(2), (2,), (3,)).tolist()
        [1.0, 0.0, 0.0, 1.0]
    """
    out = self.clone()
    out.as_strided(size, stride, storage_offset).copy_(src)
    return out


@generic
def listed(values) -> list[int]:
    """The ints of a tuple, whose indices have to be constants, as a list."""
    found = [0 for _i in range(len(values))]
    if len(values) > 0:
        for i, n in enumerate(values):
            found[i] = n
    return found


@generic
def spread(size, stride, dtype) -> Tensor:
    """A tensor of any elements with these sizes and strides, and no storage behind its last element."""
    if len(size) != len(stride):
        raise RuntimeError(f"mismatch in length of strides and shape: {len(stride)} and {len(size)}")
    reach, empty = 1, False
    sizes, steps = listed(size), listed(stride)
    for i in range(len(sizes)):
        if sizes[i] < 0:
            raise RuntimeError(f"size {sizes[i]} of dimension {i} is negative")
        if steps[i] < 0:
            raise RuntimeError(f"stride {steps[i]} of dimension {i} is negative: strides are not")
        if sizes[i] == 0:
            empty = True
        else:
            reach = reach + (sizes[i] - 1) * steps[i]
    return torch.empty(0 if empty else reach, dtype=dtype).as_strided(size, stride)


def empty_strided(size: Size, stride: Size, dtype: DType | None) -> Tensor:
    """A tensor of any elements with given strides.

    Args:
        size: Its sizes.
        stride: For each dimension, how many elements lie between neighbours.
        dtype: The default dtype if it is left out.

    Raises:
        RuntimeError: There are not as many strides as sizes, or one is negative.

    Example:
        >>> tscript.empty_strided((2, 3), (1, 2)).stride()
        (1, 2)
    """
    return spread(size, stride, torch.get_default_dtype() if dtype is None else dtype)


def new_empty_strided(self: Tensor, size: Size, stride: Size, dtype: DType | None) -> Tensor:
    """`empty_strided` of the dtype of a tensor, unless `dtype` is given.

    Args:
        size, stride: Those of the result.
        dtype: That of `self` if it is left out.

    Raises:
        RuntimeError: There are not as many strides as sizes, or one is negative.

    Example:
        >>> tscript.ones(1).new_empty_strided((2, 3), (1, 2)).stride()
        (1, 2)
    """
    return spread(size, stride, self.dtype if dtype is None else dtype)


def empty_permuted(size: Size, physical_layout: Size, dtype: DType | None) -> Tensor:
    """A tensor of any elements, contiguous but for the order of its dimensions.

    Args:
        size: Its sizes.
        physical_layout: The dimensions in the order in which they lie in memory, the outermost one first.
        dtype: The default dtype if it is left out.

    Raises:
        RuntimeError: The layout does not name each dimension once.

    Example:
        >>> tscript.empty_permuted((2, 3), (1, 0)).stride()
        (1, 2)
    """
    if len(size) != len(physical_layout):
        raise RuntimeError(
            f"Number of dimensions in size does not match the length of the physical_layout; i.e. {len(size)} is not "
            f"equal to {len(physical_layout)}"
        )
    sizes, order = listed(size), listed(physical_layout)
    strides = [0 for _i in range(len(sizes))]
    step = 1
    for k in range(len(sizes)):
        at = order[len(sizes) - 1 - k]
        if at < 0 or at >= len(sizes):
            raise RuntimeError(f"Dimension out of range (expected to be between 0 and {len(size) - 1}, but got {at})")
        if strides[at] != 0:
            raise RuntimeError("Duplicate dim not allowed")
        strides[at] = step
        step = step * max(sizes[at], 1)
    return spread(size, strides, torch.get_default_dtype() if dtype is None else dtype)


OPERATORS: tuple[OpDef, ...] = (
    view(
        "as_strided(Tensor self, int[] size, int[] stride, int? storage_offset=None) -> Tensor",
        _any_rank,
        _strided,
        "views_strided.as_strided",
        "A view of the storage with these sizes and strides; it may have an element several times.",
    ),
    view(
        "unfold(Tensor self, int dimension, int size, int step) -> Tensor",
        _windows_rank,
        _windows,
        "views_strided.unfold",
        "Windows of `size` indices along a dimension, each `step` further, as a further last dimension.",
        names="Tensor.unfold",
    ),
    composite(
        "as_strided_scatter(Tensor self, Tensor src, int[] size, int[] stride, int? storage_offset=None) -> Tensor",
        as_strided_scatter,
        names="as_strided_scatter out=no",
    ),
    composite(
        "empty_strided(int[] size, int[] stride, *, dtype? dtype=None) -> Tensor",
        empty_strided,
        names="torch.empty_strided out=no",
        tags=(FACTORY,),
    ),
    composite(
        "new_empty_strided(Tensor self, int[] size, int[] stride, *, dtype? dtype=None) -> Tensor",
        new_empty_strided,
        names="Tensor.new_empty_strided",
        tags=(FACTORY,),
    ),
    composite(
        "empty_permuted(int[] size, int[] physical_layout, *, dtype? dtype=None) -> Tensor",
        empty_permuted,
        names="torch.empty_permuted out=no",
        tags=(FACTORY,),
    ),
)
"""All operators of this module."""
