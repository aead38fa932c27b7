"""The array API standard: functions that arrange elements."""

from __future__ import annotations

from functools import reduce
from typing import Any

import tscript
from tscript.array_api.tables import dims_of


def clip(x: Any, /, min: Any = None, max: Any = None) -> Any:
    """Elements between bounds, each a number, an array or None. The dtype is that of `x`."""
    found = x
    if min is not None:
        found = tscript.maximum(found, min) if isinstance(min, tscript.Tensor) else found.clamp(min=min)
    if max is not None:
        found = tscript.minimum(found, max) if isinstance(max, tscript.Tensor) else found.clamp(max=max)
    return found.clone() if found is x else found.to(x.dtype)


def concat(arrays: Any, /, *, axis: int | None = 0) -> Any:
    """Arrays one behind the other; for ``axis=None`` all their elements.

    Example:
        >>> import tscript.array_api as xp
        >>> xp.concat([xp.ones((1, 2)), xp.zeros(2)], axis=None).tolist()
        [1.0, 1.0, 0.0, 0.0]
    """
    common = reduce(tscript.promote_types, [a.dtype for a in arrays])
    parts = [a.to(common) for a in arrays]
    return tscript.cat([p.flatten() for p in parts], 0) if axis is None else tscript.cat(parts, axis)


def expand_dims(x: Any, /, axis: Any = 0) -> Any:
    """The array with dimensions of size 1 at `axis`, counted in the result.

    Raises:
        IndexError: An axis is out of range.
    """
    places = dims_of(axis)
    rank = x.ndim + len(places)
    if any(not -rank <= a < rank for a in places):
        raise IndexError(f"expand_dims: axis {axis} is out of range for {rank} dimensions")
    for place in sorted(a % rank for a in places):
        x = x.unsqueeze(place)
    return x


def flip(x: Any, /, *, axis: Any = None) -> Any:
    """Elements in reverse order, along all dimensions if `axis` is left out."""
    return tscript.flip(x, tuple(range(x.ndim)) if axis is None else dims_of(axis))


def moveaxis(x: Any, source: Any, destination: Any, /) -> Any:
    """Dimensions at other places."""
    return tscript.movedim(x, source, destination)


def permute_dims(x: Any, /, axes: Any) -> Any:
    """Dimensions in another order.

    Example:
        >>> import tscript.array_api as xp
        >>> xp.permute_dims(xp.ones((1, 2, 3)), (2, 0, 1)).shape
        (3, 1, 2)
    """
    return tscript.permute(x, tuple(axes))


def repeat(x: Any, repeats: Any, /, *, axis: int | None = None) -> Any:
    """Each element, or each part along `axis`, several times."""
    return tscript.repeat_interleave(x, repeats, dim=axis)


def reshape(x: Any, /, shape: Any, *, copy: bool | None = None) -> Any:
    """The elements in another shape.

    Raises:
        ValueError: `copy` is False and the memory does not allow a view.
    """
    sizes = tuple(shape)
    if copy is False:
        try:
            return x.view(sizes)
        except RuntimeError as error:
            raise ValueError(f"reshape: not without a copy: {error}") from error
    found = tscript.reshape(x, sizes)
    return found.clone() if copy and found.data_ptr() == x.data_ptr() else found


def roll(x: Any, /, shift: Any, *, axis: Any = None) -> Any:
    """Elements moved around, along all dimensions as if they were one if `axis` is left out."""
    if axis is None:
        return tscript.roll(x, shift)
    places = dims_of(axis)
    shifts = shift if isinstance(shift, tuple) else (shift,) * len(places)
    return tscript.roll(x, shifts, places)


def squeeze(x: Any, /, axis: Any) -> Any:
    """The array without dimensions of size 1.

    Raises:
        ValueError: The size of one is not 1.
    """
    places = dims_of(axis)
    if any(x.shape[a] != 1 for a in places):
        raise ValueError(f"squeeze: the sizes {tuple(x.shape[a] for a in places)} at axis {axis} are not all 1")
    return tscript.squeeze(x, places)


def stack(arrays: Any, /, *, axis: int = 0) -> Any:
    """Arrays along a new dimension."""
    common = reduce(tscript.promote_types, [a.dtype for a in arrays])
    return tscript.stack([a.to(common) for a in arrays], axis)


def take(x: Any, indices: Any, /, *, axis: int | None = None) -> Any:
    """Parts of an array along a dimension.

    Raises:
        ValueError: There are several dimensions and `axis` is left out.

    Example:
        >>> import tscript.array_api as xp
        >>> xp.take(xp.asarray([1.0, 2.0, 3.0]), xp.asarray([2, 0])).tolist()
        [3.0, 1.0]
    """
    if axis is None and x.ndim != 1:
        raise ValueError(f"take: say the axis of an array of {x.ndim} dimensions")
    dim = 0 if axis is None else axis
    wrapped = tscript.where(indices < 0, indices + x.shape[dim], indices)
    found = tscript.index_select(x, dim, wrapped.flatten())
    return found if indices.ndim == 1 else found.unflatten(dim, tuple(indices.shape))


def take_along_axis(x: Any, indices: Any, /, *, axis: int = -1) -> Any:
    """For each line along a dimension, its elements at indices."""
    wrapped = tscript.where(indices < 0, indices + x.shape[axis], indices)
    return tscript.take_along_dim(x, wrapped, axis)


def tile(x: Any, repetitions: Any, /) -> Any:
    """The array several times along each dimension."""
    return tscript.tile(x, tuple(repetitions))


def unstack(x: Any, /, *, axis: int = 0) -> tuple[Any, ...]:
    """The parts along a dimension."""
    return tuple(tscript.unbind(x, axis))
