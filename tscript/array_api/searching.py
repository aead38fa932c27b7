"""The array API standard: functions that search, sort and find distinct elements."""

from __future__ import annotations

from typing import Any, NamedTuple

import tscript
from tscript.array_api.tables import alike, dims_of


def argmax(x: Any, /, *, axis: int | None = None, keepdims: bool = False) -> Any:
    """Where the greatest elements are, the first of equal ones."""
    return _where_best(tscript.argmax, x, axis, keepdims)


def argmin(x: Any, /, *, axis: int | None = None, keepdims: bool = False) -> Any:
    """Where the least elements are, the first of equal ones."""
    return _where_best(tscript.argmin, x, axis, keepdims)


def _where_best(function: Any, x: Any, axis: int | None, keepdims: bool) -> Any:
    if axis is None and keepdims:
        return function(x.flatten(), dim=0).reshape((1,) * x.ndim)
    return function(x, dim=axis, keepdim=keepdims)


def argsort(x: Any, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Any:
    """Where the elements come from that sorting gives."""
    return tscript.argsort(x, dim=axis, descending=descending, stable=stable)


def sort(x: Any, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Any:
    """Sorted elements.

    Example:
        >>> import tscript.array_api as xp
        >>> xp.sort(xp.asarray([2, 1, 3]), descending=True).tolist()
        [3, 2, 1]
    """
    return tscript.sort(x, dim=axis, descending=descending, stable=stable).values


def count_nonzero(x: Any, /, *, axis: Any = None, keepdims: bool = False) -> Any:
    """How many elements are not zero."""
    return tscript.sum(x != 0, dim=tuple(range(x.ndim)) if axis is None else dims_of(axis), keepdim=keepdims)


def isin(x1: Any, x2: Any, /, *, invert: bool = False) -> Any:
    """Whether each element of `x1` is in `x2`; with `invert` whether it is not."""
    return tscript.isin(x1, x2, invert=invert)


def nonzero(x: Any, /) -> tuple[Any, ...]:
    """Where elements are that are not zero: indices for each dimension.

    Raises:
        ValueError: There are no dimensions.
    """
    if x.ndim == 0:
        raise ValueError("nonzero: an array without dimensions has no indices")
    return tuple(tscript.nonzero(x, as_tuple=True))


def searchsorted(x1: Any, x2: Any, /, *, side: str = "left", sorter: Any = None) -> Any:
    """Where elements of `x2` would stand in the sorted array `x1`.

    Args:
        x1: One dimension.
        x2: What is searched.
        side: ``left``: before equal elements; ``right``: behind them.
        sorter: Indices that sort `x1`.
    """
    first, second = (x1, x2) if x1.dtype == x2.dtype else _common(x1, x2)
    ordered = first if sorter is None else tscript.index_select(first, 0, sorter)
    return tscript.searchsorted(ordered, second, right=side == "right")


def _common(x1: Any, x2: Any) -> tuple[Any, Any]:
    wanted = tscript.promote_types(x1.dtype, x2.dtype)
    return x1.to(wanted), x2.to(wanted)


def where(condition: Any, x1: Any, x2: Any, /) -> Any:
    """Elements of the one array where a condition holds, of the other elsewhere."""
    first, second = alike(x1, x2)
    return tscript.where(condition, first, second)


class UniqueAll(NamedTuple):
    """What `unique_all` gives."""

    values: Any
    indices: Any
    inverse_indices: Any
    counts: Any


class UniqueCounts(NamedTuple):
    """What `unique_counts` gives."""

    values: Any
    counts: Any


class UniqueInverse(NamedTuple):
    """What `unique_inverse` gives."""

    values: Any
    inverse_indices: Any


def unique_all(x: Any, /) -> UniqueAll:
    """Distinct elements in order, where each is first, where each element is among them, and how often it is there.
    Each NaN counts by itself.

    Example:
        >>> import tscript.array_api as xp
        >>> xp.unique_all(xp.asarray([2, 1, 2])).indices.tolist()
        [1, 0]
    """
    flat = x.flatten()
    order = tscript.argsort(flat.to(tscript.uint8) if flat.dtype == tscript.bool else flat, stable=True)
    ordered = flat[order]
    begins = tscript.ones(flat.shape, dtype=tscript.bool)
    if flat.numel() > 1:
        begins[1:] = ordered[1:] != ordered[:-1]
    places = begins.nonzero().flatten()
    ends = tscript.cat([places[1:], tscript.tensor([flat.numel()])]) if places.numel() else places
    inverse = tscript.empty(flat.shape, dtype=tscript.int64)
    inverse[order] = begins.to(tscript.int64).cumsum(0) - 1
    return UniqueAll(ordered[places], order[places], inverse.reshape(x.shape), ends - places)


def unique_counts(x: Any, /) -> UniqueCounts:
    """Distinct elements, and how often each is there."""
    found = unique_all(x)
    return UniqueCounts(found.values, found.counts)


def unique_inverse(x: Any, /) -> UniqueInverse:
    """Distinct elements, and where each element is among them."""
    found = unique_all(x)
    return UniqueInverse(found.values, found.inverse_indices)


def unique_values(x: Any, /) -> Any:
    """Distinct elements."""
    return unique_all(x).values
