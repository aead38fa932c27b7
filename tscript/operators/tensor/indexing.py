"""Indexing by ints and slices: the views that ``x[i, a:b, None]`` is made of, and operators that index by tensors."""

from __future__ import annotations

from collections.abc import Sequence

from tscript.arrays import Array, np
from tscript.definitions.array_errors import check_select
from tscript.definitions.define import kernel, view
from tscript.definitions.opdef import Arg, ForArrays, OpDef, OperatorIndexError, OperatorRuntimeError
from tscript.definitions.rules import check_dim, constant_int, tensor_of
from tscript.definitions.values import wrap_dim
from tscript.types import TensorType, Type, dtypes


def _select(args: Sequence[Arg]) -> Type:
    found = tensor_of(args[0])
    if found.rank == 0:
        raise OperatorIndexError("select() cannot be applied to a 0-dim tensor.")
    check_dim(constant_int(args[1]), found.rank)
    return TensorType(found.dtype, None if found.rank is None else found.rank - 1)


def _slice(args: Sequence[Arg]) -> Type:
    found = tensor_of(args[0])
    if found.rank == 0:
        raise OperatorIndexError("slice() cannot be applied to a 0-dim tensor.")
    check_dim(constant_int(args[1]), found.rank)
    return found


def _narrow(args: Sequence[Arg]) -> Type:
    found = tensor_of(args[0])
    if found.rank == 0:
        raise OperatorRuntimeError("narrow() cannot be applied to a 0-dim tensor.")
    check_dim(constant_int(args[1]), found.rank)
    return found


def _index_select(args: Sequence[Arg]) -> Type:
    found, index = tensor_of(args[0]), tensor_of(args[2])
    check_dim(constant_int(args[1]), found.rank)
    if index.dtype not in (None, dtypes.int32, dtypes.int64):
        raise OperatorRuntimeError("index_select(): Expected dtype int32 or int64 for index")
    if index.rank is not None and index.rank > 1:
        raise OperatorIndexError("index_select(): Index is supposed to be a vector")
    return found


def _gather(args: Sequence[Arg]) -> Type:
    found, index = tensor_of(args[0]), tensor_of(args[2])
    check_dim(constant_int(args[1]), found.rank)
    return TensorType(found.dtype, index.rank)


# ---- on arrays


def select(array: Array, dim: int, index: int) -> Array:
    """``x[:, index]`` along `dim`.

    Raises:
        IndexError: The dimension or the index is out of range, in PyTorch's words.
    """
    if array.ndim == 0:
        raise IndexError("select() cannot be applied to a 0-dim tensor.")
    at = wrap_dim(dim, array.ndim)
    size = array.shape[at]
    if not -size <= index < size:
        raise IndexError(f"index {index} is out of bounds for dimension {at} with size {size}")
    out: Array = array[(slice(None),) * at + (index, ...)]
    return out


def slice_of(array: Array, dim: int, start: int | None, end: int | None, step: int) -> Array:
    """``x[start:end:step]`` along `dim`.

    Raises:
        IndexError: The dimension is out of range.
        ValueError: The step is not positive.
    """
    if array.ndim == 0:
        raise IndexError("slice() cannot be applied to a 0-dim tensor.")
    at = wrap_dim(dim, array.ndim)
    if step == 0:
        raise ValueError("slice step cannot be zero")
    if step < 0:
        raise ValueError("step must be greater than zero")
    out: Array = array[(slice(None),) * at + (slice(start, end, step), ...)]
    return out


def _narrowed(array: Array, dim: int, start: int, length: int) -> Array:
    if array.ndim == 0:
        raise RuntimeError("narrow() cannot be applied to a 0-dim tensor.")
    if length < 0:
        raise RuntimeError("narrow(): length must be non-negative.")
    at = wrap_dim(dim, array.ndim)
    size = array.shape[at]
    if not -size <= start <= size:
        raise IndexError(f"start out of range (expected to be in range of [{-size}, {size}], but got {start})")
    first = start + size if start < 0 else start
    if first > size - length:
        raise RuntimeError(f"start ({first}) + length ({length}) exceeds dimension size ({size}).")
    return slice_of(array, at, first, first + length, 1)


def _index_selected(array: Array, dim: int, index: Array) -> Array:
    at = wrap_dim(dim, array.ndim)
    if index.dtype not in (np.int32, np.int64):
        raise RuntimeError("index_select(): Expected dtype int32 or int64 for index")
    if index.ndim > 1:
        raise IndexError("index_select(): Index is supposed to be a vector")
    size = array.shape[at] if array.ndim else 1
    if np.any((index < 0) | (index >= size)):
        raise IndexError("index out of range in self")
    return array.copy() if array.ndim == 0 else np.take(array, index.reshape(-1), axis=at)


def _gathered(array: Array, dim: int, index: Array) -> Array:
    at = wrap_dim(dim, array.ndim)
    if index.size == 0:
        return np.empty(index.shape, array.dtype)
    if index.dtype not in (np.int32, np.int64):
        raise RuntimeError("gather(): Expected dtype int32/int64 for index")
    if max(array.ndim, 1) != max(index.ndim, 1):
        raise RuntimeError("Index tensor must have the same number of dimensions as input tensor")
    size = array.shape[at] if array.ndim else 1
    bad = index[(index < 0) | (index >= size)]
    if bad.size:
        raise RuntimeError(f"index {bad.flat[0]} is out of bounds for dimension {at} with size {size}")
    for d, (have, want) in enumerate(zip(array.shape, index.shape, strict=False)):
        if d != at and want > have:
            raise RuntimeError(
                f"Size does not match at dimension {d} expected index {list(index.shape)} to be no larger than self "
                f"{list(array.shape)} apart from dimension {at}"
            )
    cut = array.reshape((1,) * (1 - min(array.ndim, 1)) + array.shape)
    at_least = index.reshape((1,) * (1 - min(index.ndim, 1)) + index.shape)
    cut = cut[tuple(slice(None) if d == at else slice(n) for d, n in enumerate(at_least.shape))]
    return np.take_along_axis(cut, at_least.astype(np.int64), axis=at).reshape(index.shape)


OPERATORS: tuple[OpDef, ...] = (
    view(
        "select.int(Tensor self, int dim, int index) -> Tensor",
        _select,
        select,
        "views_slice.select",
        "One index of a dimension, which goes.",
        for_arrays=ForArrays("array_forms.select_of_array", check_select),
    ),
    view(
        "slice.Tensor(Tensor self, int dim=0, int? start=None, int? end=None, int step=1) -> Tensor",
        _slice,
        slice_of,
        "views_slice.slice_",
        "``x[start:end:step]`` along a dimension; bounds are clipped.",
        names="tscript.slice Tensor.slice",
    ),
    view(
        "narrow(Tensor self, int dim, int start, int length) -> Tensor",
        _narrow,
        _narrowed,
        "views_slice.narrow",
        "`length` indices from `start`.",
    ),
    kernel(
        "index_select(Tensor self, int dim, Tensor index) -> Tensor",
        _index_select,
        _index_selected,
        "indexing.index_select",
        "The chosen indices of a dimension.",
        complex=True,
    ),
    kernel(
        "gather(Tensor self, int dim, Tensor index) -> Tensor",
        _gather,
        _gathered,
        "indexing.gather",
        "Along `dim`, element by element, what `index` says.",
        complex=True,
    ),
)
"""All operators of this module."""
