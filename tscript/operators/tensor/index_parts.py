"""``x[index]`` and ``x[index] = v`` where a part of the index is a mask or an index tensor; nobody calls these by name.

Parts that are ints, slices, None and ``...`` come first, as in PyTorch: they give a view, which the masks and index
tensors choose from. How parts are written down is in `tscript.runtime.kernels.index_plan`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tscript.arrays import Array, np
from tscript.definitions.define import kernel, view
from tscript.definitions.index_layout import AT, FLAG, NEW, PART, REST, TENSOR, WHOLE, kinds_of
from tscript.definitions.opdef import Arg, Effects, OpDef, OperatorIndexError
from tscript.definitions.rules import constant_int, tensor_of
from tscript.definitions.values import broadcast_shape, cast, check_distinct, dtype_of_array, is_bfloat16, widen
from tscript.operators.tensor.indexing import select
from tscript.types import TensorType, TupleType, Type, dtypes

_MASKS = (dtypes.bool_, dtypes.uint8)
_INDICES = (*_MASKS, dtypes.int32, dtypes.int64)
_WRONG_DTYPE = "tensors used as indices must be long, int, byte or bool tensors"


# ---- types


def _result(args: Sequence[Arg], at: int) -> Type:
    """The type of ``x[index]``; the index begins with argument `at`."""
    found = tensor_of(args[0])
    layout, listed = constant_int(args[at]), args[at + 2].type
    if not isinstance(listed, TupleType):
        return TensorType(found.dtype)
    tensors = [t if isinstance(t, TensorType) else None for t in listed.elements]
    for t in tensors:
        if t is not None and t.dtype is not None and t.dtype not in _INDICES:
            raise OperatorIndexError(_WRONG_DTYPE)
    if layout is None or found.rank is None:
        return TensorType(found.dtype)
    return TensorType(found.dtype, _rank(found.rank, kinds_of(layout), tensors))


def _rank(rank: int, kinds: Sequence[int], tensors: Sequence[TensorType | None]) -> int | None:
    dims, used, wide, chosen = rank, 0, 0, False
    rest = iter(tensors)
    taken = 0
    for kind in kinds:
        if kind in (AT, PART, WHOLE):
            taken += 1
            rank -= kind == AT
        elif kind == NEW:
            rank += 1
        elif kind == FLAG:
            chosen, wide = True, max(wide, 1)
        elif kind == TENSOR:
            tensor = next(rest)
            if tensor is None:
                taken += 1
                continue
            if tensor.dtype is None or tensor.rank is None:
                return None
            if tensor.dtype in _MASKS:
                chosen, wide = True, max(wide, 1)
                used += tensor.rank
            else:
                chosen = chosen or tensor.rank > 0
                wide = max(wide, tensor.rank)
                used += 1
    left = rank - used
    if left < 0 or taken + used > rank + sum(kind == AT for kind in kinds):
        raise OperatorIndexError(f"too many indices for tensor of dimension {dims}")
    return left + wide if chosen else left


def _read(args: Sequence[Arg]) -> Type:
    return _result(args, 1)


def _written(args: Sequence[Arg]) -> Type:
    tensor_of(args[1])
    _result(args, 2)
    return tensor_of(args[0])


def _filled(args: Sequence[Arg]) -> Type:
    _result(args, 2)
    return tensor_of(args[0])


def _row(args: Sequence[Arg]) -> Type:
    found = tensor_of(args[0])
    if found.rank == 0:
        raise OperatorIndexError("select() cannot be applied to a 0-dim tensor.")
    return TensorType(found.dtype, None if found.rank is None else found.rank - 1)


def _one(args: Sequence[Arg], at: int) -> Type:
    found, index = tensor_of(args[0]), tensor_of(args[at])
    if index.dtype is not None and index.dtype not in _INDICES:
        raise OperatorIndexError(_WRONG_DTYPE)
    return TensorType(found.dtype, None if found.rank is None else _rank(found.rank, [TENSOR], [index]))


def _one_written(args: Sequence[Arg]) -> Type:
    _one(args, 1)
    return tensor_of(args[0])


# ---- on arrays


def _as_key(array: Array, layout: int, numbers: Sequence[int], tensors: Sequence[Array | None]) -> tuple[Array, Any]:
    """The view that ints, slices and None give, and the index of it that is left."""
    kinds, ints, rest = kinds_of(layout), iter(numbers), iter(tensors)
    taken = sum(kind in (AT, PART, WHOLE) for kind in kinds)
    for tensor in tensors:
        if tensor is not None and tensor.dtype not in (np.bool_, np.uint8, np.int32, np.int64):
            raise IndexError(_WRONG_DTYPE)
        is_mask = tensor is not None and tensor.dtype in (np.bool_, np.uint8)
        taken += tensor.ndim if tensor is not None and is_mask else 1
    if taken > array.ndim:
        raise IndexError(f"too many indices for tensor of dimension {array.ndim}")
    if kinds.count(REST) > 1:
        raise IndexError("an index can only have a single ellipsis ('...')")
    basic: list[Any] = []
    key: list[Any] = []
    dim = 0
    whole = slice(None)
    for kind in kinds:
        if kind == AT:
            basic.append(_position(next(ints), dim, array.shape[dim]))
            dim += 1
        elif kind == PART:
            start, end, step = (next(ints) for _ in range(3))
            if step == 0:
                raise ValueError("slice step cannot be zero")
            if step < 0:
                raise ValueError("step must be greater than zero")
            basic.append(slice(start, end, step))
            key.append(whole)
            dim += 1
        elif kind in (NEW, FLAG):
            basic.append(None)
            key.append(whole if kind == NEW else np.arange(1 if next(ints) else 0))
        elif kind == REST:
            basic += [whole] * (array.ndim - taken)
            key += [whole] * (array.ndim - taken)
            dim += array.ndim - taken
        elif kind == WHOLE or (tensor := next(rest)) is None:
            basic.append(whole)
            key.append(whole)
            dim += 1
        elif tensor.dtype in (np.bool_, np.uint8):
            mask = tensor.astype(bool)
            for k, size in enumerate(mask.shape):
                if size != array.shape[dim + k]:
                    raise IndexError(
                        f"The shape of the mask {list(mask.shape)} at index {k} does not match the shape of the "
                        f"indexed tensor {list(array.shape)} at index {dim + k}"
                    )
            basic += [whole] * mask.ndim if mask.ndim else [None]
            key += np.nonzero(mask) if mask.ndim else [np.arange(int(mask))]
            dim += mask.ndim
        elif tensor.ndim == 0:
            basic.append(_position(int(tensor), dim, array.shape[dim]))
            dim += 1
        else:
            basic.append(whole)
            key.append(_Index(tensor, dim, array.shape[dim]))
            dim += 1
    arrays = [k.index if isinstance(k, _Index) else k for k in key if not isinstance(k, slice)]
    shape: tuple[int, ...] = arrays[0].shape if arrays else ()
    for found in arrays:
        try:
            together = np.broadcast_shapes(shape, found.shape)
        except ValueError:
            raise IndexError(
                "shape mismatch: indexing tensors could not be broadcast together with shapes "
                f"{list(arrays[0].shape)}, {list(found.shape)}"
            ) from None
        shape = together
    return array[(*basic, ...)], (*key, ...)


def _checked(key: Any) -> Any:
    """An index whose tensors are in range.

    Raises:
        IndexError: One is not.
    """
    return tuple(k.checked() if isinstance(k, _Index) else k for k in key)


def _shape(array: Array, key: Any) -> tuple[int, ...]:
    """The shape of ``array[key]``, whether or not the index tensors are in range."""
    tensors = [isinstance(k, _Index) for k in key[:-1]]
    sizes = [1 if is_tensor else size for size, is_tensor in zip(array.shape, tensors, strict=False)]
    zeroed = tuple(np.zeros_like(k.index) if isinstance(k, _Index) else k for k in key)
    sizes += array.shape[len(sizes) :]
    return tuple(np.broadcast_to(np.int8(0), sizes)[zeroed].shape)


class _Index:
    """An index tensor, and the dimension that it indexes."""

    def __init__(self, index: Array, dim: int, size: int) -> None:
        self.index, self.dim, self.size = index, dim, size

    def checked(self) -> Array:
        """The index.

        Raises:
            IndexError: One is out of range.
        """
        bad = self.index[(self.index < -self.size) | (self.index >= self.size)]
        if bad.size:
            raise IndexError(f"index {bad.flat[0]} is out of bounds for dimension {self.dim} with size {self.size}")
        return self.index


def _position(index: int, dim: int, size: int) -> int:
    if not -size <= index < size:
        raise IndexError(f"index {index} is out of bounds for dimension {dim} with size {size}")
    return index


def read(array: Array, layout: int, numbers: Sequence[int], tensors: Sequence[Array | None]) -> Array:
    """``x[index]`` of an array."""
    found, key = _as_key(array, layout, numbers, tensors)
    key = _checked(key)
    if all(isinstance(k, slice) or k is ... for k in key):
        return found
    return np.ascontiguousarray(found[key]).reshape(found[key].shape)


_COMBINE: dict[int, Any] = {
    2: lambda: np.add,
    3: lambda: np.multiply,
    4: lambda: np.minimum,
    5: lambda: np.maximum,
}


def check_action(action: int) -> None:
    """Raise RuntimeError for what is no way to write."""
    if action != 1 and action not in _COMBINE:
        raise RuntimeError(f"there is no action {action} at indices")


def combine_at(target: Array, key: Any, given: Array, action: int) -> None:
    """Elements of `given` combined with those of `target` at the places of a key, which may come several times."""
    how = _COMBINE[action]()
    if not is_bfloat16(target):
        how.at(target, key, given)
        return
    places = np.arange(target.size).reshape(target.shape)[key]
    found, dtype = target.flatten(), dtype_of_array(target)
    for place, value in zip(places.flat, np.broadcast_to(widen(given), places.shape).flat, strict=True):
        found[place] = cast(np.asarray(how(widen(found[place : place + 1])[0], value)), dtype)
    target[...] = found.reshape(target.shape)


def write(
    array: Array, value: Array, layout: int, numbers: Sequence[int], tensors: Sequence[Array | None], action: int
) -> Array:
    """``x[index] = value`` of an array."""
    check_distinct(array)
    check_action(action)
    found, key = _as_key(array, layout, numbers, tensors)
    chosen = [t for t in tensors if t is not None and (t.ndim or t.dtype in (np.bool_, np.uint8))]
    only_masks = FLAG not in kinds_of(layout) and all(t.dtype in (np.bool_, np.uint8) for t in chosen)
    is_chosen = bool(chosen) or FLAG in kinds_of(layout)
    if value.dtype != array.dtype and is_chosen and not (only_masks and value.size == 1):
        raise RuntimeError(
            "Index put requires the source and destination dtypes match: convert the values with .to(x.dtype)"
        )
    shape = _shape(found, key)
    given = value
    while given.ndim > len(shape) and given.shape[0] == 1:
        given = given[0]
    try:
        fits = broadcast_shape([given.shape, shape]) == shape
    except RuntimeError:
        fits = False
    if not fits:
        raise RuntimeError(
            f"shape mismatch: value tensor of shape {list(value.shape)} cannot be broadcast to indexing result of "
            f"shape {list(shape)}"
        )
    key = _checked(key)
    with np.errstate(all="ignore"):
        stored = given.astype(array.dtype)
        if action == 1:
            found[key] = stored.copy()
        else:
            combine_at(found, key, stored, action)
    return array


def fill(array: Array, value: float, layout: int, numbers: Sequence[int], tensors: Sequence[Array | None]) -> Array:
    """``x[index] = value`` of an array and a number."""
    return write(array, cast(np.asarray(value), dtype_of_array(array)), layout, numbers, tensors, 1)


INDEX_READ: OpDef = kernel(
    "index_read(Tensor self, int layout, int[] numbers, Tensor[] tensors) -> Tensor",
    _read,
    read,
    "index_moves.index_read",
    "``x[index]``.",
    effects=Effects(view_of=0, raises=True),
    names="",
)
INDEX_WRITE: OpDef = kernel(
    "index_write(Tensor(a!) self, Tensor value, int layout, int[] numbers, Tensor[] tensors, int action=1) -> Tensor",
    _written,
    write,
    "index_moves.index_write",
    "``x[index] = value``.",
    effects=Effects(writes=(0,), raises=True),
    names="",
    complex=True,
)
INDEX_FILL: OpDef = kernel(
    "index_fill_parts(Tensor(a!) self, Scalar value, int layout, int[] numbers, Tensor[] tensors) -> Tensor",
    _filled,
    fill,
    "index_moves.index_fill",
    "``x[index] = value`` of a number.",
    effects=Effects(writes=(0,), raises=True),
    names="",
)
ROW: OpDef = view(
    "row(Tensor self, int index) -> Tensor",
    _row,
    lambda x, index: select(x, 0, index),
    "index_moves.row",
    "``x[index]`` of an int.",
    names="",
)
INDEX_ONE: OpDef = kernel(
    "index_one(Tensor self, Tensor index) -> Tensor",
    lambda args: _one(args, 1),
    lambda x, index: read(x, TENSOR, (), (index,)),
    "index_moves.index_one",
    "``x[index]`` of one mask or index tensor.",
    effects=Effects(view_of=0, raises=True),
    names="",
)
INDEX_ONE_WRITE: OpDef = kernel(
    "index_one_(Tensor(a!) self, Tensor index, Tensor value) -> Tensor",
    _one_written,
    lambda x, index, value: write(x, value, TENSOR, (), (index,), 1),
    "index_moves.index_one_write",
    "``x[index] = value`` of one mask or index tensor.",
    effects=Effects(writes=(0,), raises=True),
    names="",
    complex=True,
)
INDEX_ONE_FILL: OpDef = kernel(
    "index_one_.Scalar(Tensor(a!) self, Tensor index, Scalar value) -> Tensor",
    _one_written,
    lambda x, index, value: fill(x, value, TENSOR, (), (index,)),
    "index_moves.index_one_fill",
    "``x[index] = value`` of one mask or index tensor, and a number.",
    effects=Effects(writes=(0,), raises=True),
    names="",
)
OPERATORS: tuple[OpDef, ...] = (
    INDEX_READ,
    INDEX_WRITE,
    INDEX_FILL,
    ROW,
    INDEX_ONE,
    INDEX_ONE_WRITE,
    INDEX_ONE_FILL,
)
"""All operators of this module."""
