"""The array API standard: sums, means, extremes and differences."""

from __future__ import annotations

from typing import Any

import tscript
from tscript.array_api.data_types import isdtype
from tscript.array_api.tables import dims_of


def _all_dims(x: Any, axis: Any) -> tuple[int, ...]:
    return tuple(range(x.ndim)) if axis is None else tuple(dims_of(axis))


def _summed(x: Any, dtype: Any) -> Any:
    """The dtype of a sum: unsigned ints as uint64, other ints and bools as int64."""
    if dtype is not None:
        return dtype
    if isdtype(x.dtype, "unsigned integer"):
        return tscript.uint64
    return tscript.int64 if isdtype(x.dtype, ("signed integer", "bool")) else x.dtype


def all(x: Any, /, *, axis: Any = None, keepdims: bool = False) -> Any:
    """Whether all elements are true."""
    found = x.to(tscript.bool)
    for dim in sorted((d % (x.ndim or 1) for d in _all_dims(x, axis)), reverse=True):
        found = tscript.all(found, dim, keepdim=keepdims)
    return found.clone() if found is x else found


def any(x: Any, /, *, axis: Any = None, keepdims: bool = False) -> Any:
    """Whether an element is true."""
    found = x.to(tscript.bool)
    for dim in sorted((d % (x.ndim or 1) for d in _all_dims(x, axis)), reverse=True):
        found = tscript.any(found, dim, keepdim=keepdims)
    return found.clone() if found is x else found


def cumulative_sum(x: Any, /, *, axis: int | None = None, dtype: Any = None, include_initial: bool = False) -> Any:
    """Sums of each element and all before it; with `include_initial` a 0 before them.

    Raises:
        ValueError: There are several dimensions and `axis` is left out.

    Example:
        >>> import tscript.array_api as xp
        >>> xp.cumulative_sum(xp.asarray([1, 2, 3]), include_initial=True).tolist()
        [0, 1, 3, 6]
    """
    return _cumulative(tscript.cumsum, x, axis, dtype, 0 if include_initial else None)


def cumulative_prod(x: Any, /, *, axis: int | None = None, dtype: Any = None, include_initial: bool = False) -> Any:
    """Products of each element and all before it; with `include_initial` a 1 before them."""
    return _cumulative(tscript.cumprod, x, axis, dtype, 1 if include_initial else None)


def _cumulative(function: Any, x: Any, axis: int | None, dtype: Any, initial: int | None) -> Any:
    if axis is None and x.ndim > 1:
        raise ValueError(f"say the axis of an array of {x.ndim} dimensions")
    dim = 0 if axis is None else axis
    wanted = _summed(x, dtype)
    wide = tscript.int64 if wanted == tscript.uint64 else wanted
    found = function(x.to(wide), dim).to(wanted)
    if initial is None:
        return found
    sizes = list(x.shape) or [1]
    sizes[dim] = 1
    return tscript.cat([tscript.full(tuple(sizes), initial, dtype=wanted), found], dim)


def diff(x: Any, /, *, axis: int = -1, n: int = 1, prepend: Any = None, append: Any = None) -> Any:
    """Differences of neighbours, `n` times."""
    return tscript.diff(x, n=n, dim=axis, prepend=prepend, append=append)


def max(x: Any, /, *, axis: Any = None, keepdims: bool = False) -> Any:
    """The greatest elements."""
    return tscript.amax(x, _all_dims(x, axis), keepdims)


def min(x: Any, /, *, axis: Any = None, keepdims: bool = False) -> Any:
    """The least elements."""
    return tscript.amin(x, _all_dims(x, axis), keepdims)


def mean(x: Any, /, *, axis: Any = None, keepdims: bool = False) -> Any:
    """Means."""
    dims = _all_dims(x, axis)
    return tscript.mean(x, dims, keepdims) if dims else x.clone()


def sum(x: Any, /, *, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Any:
    """Sums: of unsigned ints as uint64, of other ints as int64.

    Example:
        >>> import tscript.array_api as xp
        >>> xp.sum(xp.ones((2, 3)), axis=1).tolist()
        [3.0, 3.0]
    """
    wanted = _summed(x, dtype)
    dims = _all_dims(x, axis)
    wide = tscript.int64 if wanted == tscript.uint64 else wanted
    return tscript.sum(x.to(wide), dims, keepdims).to(wanted) if dims else astype_copied(x, wanted)


def astype_copied(x: Any, dtype: Any) -> Any:
    """A new array of the elements in a dtype."""
    found = x.to(dtype)
    return found.clone() if found is x else found


def prod(x: Any, /, *, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Any:
    """Products: of unsigned ints as uint64, of other ints as int64."""
    wanted = _summed(x, dtype)
    found = astype_copied(x, tscript.int64 if wanted == tscript.uint64 else wanted)
    for dim in sorted((d % x.ndim for d in _all_dims(x, axis)), reverse=True):
        found = tscript.prod(found, dim, keepdim=keepdims)
    return found.to(wanted)


def std(x: Any, /, *, axis: Any = None, correction: float = 0.0, keepdims: bool = False) -> Any:
    """Standard deviations of the elements themselves, unless there is a `correction`."""
    return tscript.sqrt(var(x, axis=axis, correction=correction, keepdims=keepdims))


def var(x: Any, /, *, axis: Any = None, correction: float = 0.0, keepdims: bool = False) -> Any:
    """Variances of the elements themselves, unless there is a `correction`."""
    dims = _all_dims(x, axis)
    return tscript.var(x, dims, correction=correction, keepdim=keepdims) if dims else x - x
