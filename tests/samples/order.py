"""Samples of sorting and searching."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.samples.base import ALL, FLOATS, HALVES, NUMBERS, WIDE, Array, Call, Samples, T, Wrong

NAN = float("nan")


def _sort(x: Array, dim: int = -1, descending: bool = False, stable: bool | None = None) -> tuple[Array, Array]:
    if x.ndim == 0:
        return x, np.asarray(0)
    turned = np.flip(x, dim) if descending else x
    places = np.argsort(turned, dim, kind="stable")
    if descending:
        places = np.flip(x.shape[dim] - 1 - places, dim)
    return np.take_along_axis(x, places, dim), places


def _taken(x: Array, k: Any, dim: int, keepdim: bool) -> tuple[Array, Array]:
    values, places = _sort(x, dim)
    at = np.expand_dims(np.asarray(k), dim) if np.ndim(k) == x.ndim - 1 and np.ndim(k) else np.full((1,) * x.ndim, k)
    at = np.broadcast_to(at, [1 if d == dim % x.ndim else n for d, n in enumerate(x.shape)])
    found = np.take_along_axis(values, at, dim), np.take_along_axis(places, at, dim)
    return found if keepdim else (found[0].squeeze(dim), found[1].squeeze(dim))


def _topk(x: Array, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> tuple[Array, ...]:
    return tuple(np.take(a, range(k), dim) for a in _sort(x, dim, largest))


def _median(x: Array, dim: int | None = None, keepdim: bool = False) -> Any:
    if dim is None:
        return np.sort(x, None)[(x.size - 1) // 2]
    return _taken(x, (x.shape[dim] - 1) // 2, dim, keepdim)


def _nanmedian(x: Array, dim: int | None = None, keepdim: bool = False) -> Any:
    if dim is None:
        found = np.sort(x[x == x], None)
        return found[(found.size - 1) // 2]
    return _taken(x, (np.sum(x == x, dim) - 1) // 2, dim, keepdim)


def _mode(x: Array, dim: int = -1, keepdim: bool = False) -> tuple[Array, Array]:
    def line(row: Array) -> tuple[Any, int]:
        values, counts = np.unique(row, return_counts=True)
        value = values[np.argmax(counts)]
        return value, int(np.flatnonzero(row == value)[-1])

    pairs = [line(row) for row in np.moveaxis(x, dim, -1).reshape(-1, x.shape[dim])]
    shape = np.sum(x, dim, keepdims=keepdim).shape
    return np.array([p[0] for p in pairs], x.dtype).reshape(shape), np.array([p[1] for p in pairs]).reshape(shape)


def _unique(
    x: Array,
    sorted: bool = True,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: int | None = None,
) -> Any:
    values, inverse, counts = np.unique(x, return_inverse=True, return_counts=True, axis=dim)
    inverse = inverse.reshape(x.shape if dim is None else -1)
    found = (values, *([inverse] if return_inverse else []), *([counts] if return_counts else []))
    return found if len(found) > 1 else values


def _consecutive(x: Array, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None) -> Any:
    rows = x.reshape(-1, 1) if dim is None else np.moveaxis(x, dim, 0).reshape(x.shape[dim], -1)
    begins = np.append(True, (rows[1:] != rows[:-1]).any(1))[: len(rows)]
    number = np.cumsum(begins) - 1
    inverse = number.reshape(x.shape if dim is None else -1)
    values = x.reshape(-1)[begins] if dim is None else np.compress(begins, x, dim)
    found = (values, *([inverse] if return_inverse else []), *([np.bincount(number)] if return_counts else []))
    return found if len(found) > 1 else found[0]


def _search(rows: Array, values: Any, out_int32: bool = False, right: bool = False, side: str | None = None) -> Array:
    side = side or ("right" if right else "left")
    if rows.ndim == 1:
        found = np.searchsorted(rows, values, side=side)  # type: ignore[call-overload]
    else:
        found = np.array([np.searchsorted(r, v, side=side) for r, v in zip(rows, values, strict=True)])  # type: ignore[call-overload]
    return np.asarray(found).astype(np.int32 if out_int32 else np.int64)


_RANGE = Wrong(IndexError, "Dimension out of range", T(3), dim=2)
_ROWS = T(2, 3, values=[[0.0, 1.0, 2.0], [-1.0, 0.0, 1.0]])
_TIES = "which of equal elements an index names is open in PyTorch"

SAMPLES = (
    Samples(
        "sort",
        _sort,
        Call(T(3, 4), stable=True),
        Call(T(3, 4, layout="t"), 0, True),
        Call(T(5, values=[1.0, NAN, -0.0, 0.0, NAN]), descending=True, stable=True),
        Call(T(2, 450, layout="s"), dim=-1),
        Call(T()),
        Call(T(0, 3), 0),
        dtypes=(*ALL, *HALVES, *WIDE),
        wrong=(_RANGE,),
    ),
    Samples(
        "argsort",
        lambda x, dim=-1, descending=False, stable=False: _sort(x, dim, descending)[1],
        Call(T(3, 4), stable=True, dim=1),
        Call(T(3, 4, layout="s"), dim=0, stable=True),
        dtypes=(*NUMBERS, *HALVES, *WIDE),
        wrong=(_RANGE,),
    ),
    Samples("msort", lambda x: np.sort(x, 0), Call(T(3, 4)), dtypes=NUMBERS),
    Samples(
        "topk",
        _topk,
        Call(T(3, 4), 2),
        Call(T(3, 4, layout="t"), 2, 0, largest=False),
        Call(T(3, 4), 0),
        dtypes=FLOATS,
        wrong=(Wrong(RuntimeError, "out of range", T(3), 4), Wrong(RuntimeError, "out of range", T(3), -1)),
    ),
    Samples(
        "kthvalue",
        lambda x, k, dim=-1, keepdim=False: _taken(x, k - 1, dim, keepdim),
        Call(T(3, 4), 2),
        Call(T(3, 4, layout="r"), 1, 0, True),
        dtypes=FLOATS,
        wrong=(Wrong(RuntimeError, "out of range", T(3), 4), Wrong(RuntimeError, "out of range", T(3), 0)),
    ),
    Samples(
        "median",
        _median,
        Call(T(3, 4)),
        Call(T(3, 4, layout="t"), 1, True),
        Call(T(3, 5), dim=0),
        dtypes=FLOATS,
        wrong=(_RANGE, Wrong(IndexError, "non-zero size", T(2, 0), 1)),
    ),
    Samples(
        "nanmedian",
        _nanmedian,
        Call(T(3, 4)),
        Call(T(4, values=[NAN, 3.0, 1.0, 2.0])),
        Call(T(2, 3, values=[[NAN, 3.0, 1.0], [0.0, 2.0, 1.0]]), 1),
        dtypes=FLOATS,
    ),
    Samples(
        "mode",
        _mode,
        Call(T(3, 8, low=0, high=3)),
        Call(T(7, 2, low=0, high=3, layout="t", dtype="int64"), 0, True),
        dtypes=("int64", "int8"),
        torch=False,
        why=_TIES,
    ),
    Samples(
        "unique",
        _unique,
        Call(T(3, 8)),
        Call(T(3, 4, dtype="int64", layout="t"), return_inverse=True),
        Call(T(9, dtype="int64"), return_counts=True),
        Call(T(9, dtype="uint8"), True, True, True),
        Call(T(0)),
        Call(T(7, 2, low=0, high=2, dtype="int64"), dim=0),
        Call(T(2, 7, low=0, high=2, dtype="int64", layout="t"), return_inverse=True, return_counts=True, dim=-1),
        Call(T(5, 2, low=0, high=2, dtype="int8"), return_inverse=True, dim=0),
        Call(T(5, 2, low=0, high=2, dtype="bool"), return_counts=True, dim=0),
        dtypes=(*ALL, *HALVES, *WIDE),
    ),
    Samples(
        "unique_consecutive",
        _consecutive,
        Call(T(9, low=0, high=2)),
        Call(T(3, 4, dtype="int64", low=0, high=2), return_inverse=True),
        Call(T(9, dtype="bool"), True, True),
        Call(T(7, 1, low=0, high=2, dtype="int64"), dim=0),
        Call(T(1, 7, low=0, high=2, dtype="int64"), True, True, dim=1),
        Call(T(7, 1, low=0, high=2, dtype="int8"), return_inverse=True, dim=0),
        Call(T(7, 1, low=0, high=2, dtype="bool"), return_counts=True, dim=0),
        dtypes=(*NUMBERS, *HALVES, *WIDE),
        wrong=(Wrong(IndexError, "out of range", T(3), dim=1),),
    ),
    Samples(
        "searchsorted",
        _search,
        Call(T(4, values=[-2, 0, 0, 2]), T(2, 3)),
        Call(_ROWS, T(2, 2, layout="t"), right=True),
        Call(_ROWS, T(2, 2), side="right", out_int32=True),
        Call(T(3, values=[0.0, 1.0, 2.0]), 1.0),
        Call(T(3, values=[0.0, 1.0, 2.0]), 1.5),
        Call(T(3, values=[0, 1, 2], dtype="uint8"), 2, out_int32=True),
        Call(T(3, values=[0.0, 1.0, 2.0]), -0.5, right=True),
        Call(T(3, values=[0.0, 1.0, 2.0]), T(3, dtype="int32")),
        dtypes=(*NUMBERS, *HALVES, *WIDE),
        wrong=(
            Wrong(RuntimeError, "side can only be", T(3), T(3), side="up"),
            Wrong(RuntimeError, "1 dimension or the first", _ROWS, T(3)),
        ),
    ),
    Samples(
        "bucketize",
        lambda x, boundaries, right=False: _search(boundaries, x, right=right),
        Call(T(2, 3), T(3, values=[-1, 0, 1])),
        Call(T(2, 3, layout="s"), T(3, values=[-1.0, 0.0, 1.0]), right=True),
        Call(0.5, T(3, values=[0, 1, 2])),
        Call(2, T(3, values=[0, 1, 2]), right=True),
        dtypes=FLOATS,
        wrong=(Wrong(RuntimeError, "1 dimension", T(3), T(2, 2)),),
    ),
)
"""All samples of this module."""
