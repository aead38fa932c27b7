"""Views by strides: any of them over a storage, windows along a dimension; and copies with one of them replaced."""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from collections.abc import Sequence

from tscript.arrays import Array, np
from tscript.definitions.define import composite, view
from tscript.definitions.language import Size, Tensor
from tscript.definitions.opdef import Arg, OpDef
from tscript.definitions.rules import check_dim, constant_int, int_count, tensor_of
from tscript.definitions.values import wrap_dim
from tscript.types import TensorType, Type


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
)
"""All operators of this module."""
