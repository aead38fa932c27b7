"""Samples of operators that choose or write elements by masks and index tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.samples.base import ALL, FLOATS, HALVES, NUMBERS, Array, Call, Name, Samples, T, Wrong

I24 = T(2, 4, dtype="int64", values=[0, 2, 1, 0, 2, 1, 0, 1])
FAR = T(2, 4, dtype="int64", values=[0, 2, 1, 0, 2, 1, 0, 3])
J = T(2, dtype="int64", values=[2, 0])
MASK = T(3, 4, dtype="bool")

_WAYS: dict[str, Any] = {
    "sum": np.add,
    "mean": np.add,
    "add": np.add,
    "prod": np.multiply,
    "multiply": np.multiply,
    "amax": np.maximum,
    "amin": np.minimum,
}


def _places(x: Array, dim: int, index: Array) -> tuple[Array, ...]:
    places = list(np.indices(index.shape))
    places[dim] = index
    return tuple(places)


def _scatter(x: Array, dim: int, index: Array, src: Any, reduce: str = "", include_self: bool = True) -> Array:
    out, at = x.copy(), _places(x, dim, index)
    given = src[tuple(slice(n) for n in index.shape)] if isinstance(src, np.ndarray) else src
    if not reduce:
        out[at] = given
        return out
    if not include_self:
        out[at] = {"amax": -np.inf, "amin": np.inf, "prod": 1}.get(reduce, 0)
    _WAYS[reduce].at(out, at, given)
    if reduce == "mean":
        count = np.full(x.shape, float(include_self))
        np.add.at(count, at, 1)
        out = out / np.maximum(count, 1).astype(x.dtype)
    return out


def _along(action: Callable[[Array, Array, Any], None]) -> Callable[..., Array]:
    def run(x: Array, dim: int, index: Array, source: Any, alpha: float = 1) -> Array:
        out = x.copy()
        given = np.moveaxis(source, dim, 0) * np.asarray(alpha, x.dtype) if np.ndim(source) else source
        action(np.moveaxis(out, dim, 0), index, given)
        return out

    return run


def _set(x: Array, index: Array, value: Any) -> None:
    x[index] = value


def _put(x: Array, index: Array, source: Array, accumulate: bool = False) -> Array:
    out = x.reshape(-1).copy()
    if accumulate:
        np.add.at(out, index, source)
    else:
        out[index] = source
    return out.reshape(x.shape)


def _index_put(x: Array, indices: Any, values: Array, accumulate: bool = False) -> Array:
    out = x.copy()
    if accumulate:
        np.add.at(out, tuple(indices), values)
    else:
        out[tuple(indices)] = values
    return out


def _masked_scatter(x: Array, mask: Array, source: Array) -> Array:
    out, wide = x.copy(), np.broadcast_to(mask, x.shape)
    out[wide] = source.reshape(-1)[: wide.sum()]
    return out


def _written(x: Array, change: Callable[[Array], None]) -> Array:
    out = x.copy()
    change(out)
    return out


def _fill(x: Array, value: float) -> Array:
    return _written(x, lambda y: np.fill_diagonal(y, value))


def _take_along(x: Array, index: Array, dim: int | None = None) -> Array:
    return np.take_along_axis(x, index, dim)


def _one_hot(x: Array, num_classes: int = -1) -> Array:
    n = int(x.max()) + 1 if num_classes < 0 else num_classes
    return np.asarray(x[..., None] == np.arange(n)).astype(np.int64)


def _bincount(x: Array, weights: Array | None = None, minlength: int = 0) -> Array:
    found = np.bincount(x, weights, minlength)
    return found.astype(weights.dtype) if weights is not None and weights.dtype == np.float32 else found


def both(path: str, reference: Callable[..., Any], *calls: Call, **rest: Any) -> tuple[Samples, Samples]:
    """The samples of an operator, which are those of its in-place form."""
    return Samples(path, reference, *calls, **rest), Samples(f"Tensor.{path}_", reference, *calls, **rest)


SAMPLES = (
    Samples(
        "nonzero",
        lambda x, as_tuple=False: np.nonzero(np.atleast_1d(x)) if as_tuple else np.argwhere(x).reshape(-1, x.ndim),
        Call(T(3, 4, low=-1, high=2)),
        Call(T(5)),
        Call(T(2, 2, 3, dtype="bool", layout="t")),
        Call(T(0, 3)),
        Call(T(values=[2.0])),
        Call(T(3, 4, low=-1, high=2, dtype="int64"), as_tuple=True),
        Call(T(values=[2.0]), as_tuple=True),
        dtypes=ALL,
    ),
    Samples(
        "where",
        np.where,
        Call(T(3, 4, dtype="bool"), T(3, 4), T(4)),
        Call(T(3, dtype="bool"), T(3), 2.5),
        Call(T(3, 4, low=-1, high=2, dtype="int64")),
        Call(T(3, dtype="bool", layout="r")),
        dtypes=ALL,
    ),
    Samples("argwhere", lambda x: np.argwhere(x), Call(T(3, 4, low=-1, high=2)), dtypes=("int64", "bool")),
    Samples(
        "count_nonzero",
        lambda x, dim=None: np.asarray(np.count_nonzero(x, axis=dim)),
        Call(T(3, 4, low=-1, high=2)),
        Call(T(3, 4, dtype="int64", low=-1, high=2), 1),
        Call(T(2, 3, 4, dtype="bool"), dim=(0, 2)),
        dtypes=ALL,
    ),
    Samples(
        "masked_select",
        lambda x, mask: np.broadcast_arrays(x, mask)[0][np.broadcast_arrays(x, mask)[1]],
        Call(T(3, 4), MASK),
        Call(T(3, 4, layout="t"), T(4, dtype="bool")),
        Call(T(4), T(2, 1, dtype="bool")),
        dtypes=ALL,
        wrong=(Wrong(RuntimeError, "BoolTensor", T(3), T(3, dtype="int64")),),
    ),
    *both(
        "masked_scatter",
        _masked_scatter,
        Call(T(3, 4), MASK, T(3, 5)),
        Call(T(3, 4), T(4, dtype="bool"), T(12)),
        dtypes=ALL,
        wrong=(Wrong(RuntimeError, "", T(3), T(3, dtype="bool", values=[1, 1, 1]), T(2)),),
    ),
    Samples(
        "take",
        lambda x, index: x.reshape(-1)[index],
        Call(T(3, 4), I24),
        Call(T(3, 4, layout="t"), T(3, dtype="int64", values=[0, -1, 5])),
        dtypes=ALL,
        wrong=(Wrong(IndexError, "out of", T(3), T(1, dtype="int64", values=[3])),),
    ),
    *both(
        "put",
        _put,
        Call(T(3, 4), J, T(2)),
        Call(T(3, 4), T(3, dtype="int64", values=[1, 1, 2]), T(3), accumulate=True),
        dtypes=NUMBERS,
    ),
    Samples(
        "take_along_dim",
        _take_along,
        Call(T(3, 4), I24, 0),
        Call(T(3, 4), T(3, 1, dtype="int64", low=-4, high=3), dim=1),
        Call(T(3, 4), T(5, dtype="int64", low=0, high=9)),
        Call(T(3, 4), T(0, 4, dtype="int64"), 0),
        Call(T(3, 4), T(1, 0, dtype="int64"), -1),
        Call(T(0, 4), T(0, 1, dtype="int64"), 0),
        dtypes=NUMBERS,
        wrong=(
            Wrong(
                RuntimeError,
                "out of bounds for dimension 0 with size 0",
                T(0, 2),
                T(1, 2, dtype="int64"),
                0,
                torch=False,
            ),
        ),
    ),
    *both(
        "scatter",
        _scatter,
        Call(T(3, 4), 0, T(1, 4, dtype="int64", values=[0, 2, 1, 0]), T(3, 4)),
        Call(T(4, 3, layout="t"), 0, T(1, 3, dtype="int64", values=[3, 1, 0]), T(2, 6, layout="s")),
        Call(T(3, 4), -2, I24, 2),
        Call(T(3, 4), 0, I24, 1.5, reduce="multiply"),
        Call(T(3, 4), 0, I24, T(3, 4), reduce="add"),
        Call(T(3, 4, dtype="complex64"), 0, I24, T(3, 4, dtype="complex64"), reduce="add"),
        wrong=(
            Wrong(RuntimeError, "index 3 is out of bounds for dimension 0 with size 3", T(3, 4), 0, FAR, T(3, 4)),
            Wrong(RuntimeError, "dtype", T(3, 4), 0, I24, T(3, 4, dtype="float64")),
            Wrong(IndexError, "Dimension out of range", T(3, 4), 2, I24, T(3, 4)),
        ),
    ),
    *both(
        "scatter_add",
        lambda x, dim, index, src: _scatter(x, dim, index, src, "add"),
        Call(T(3, 4), 0, I24, T(2, 4)),
        Call(T(4, 3, layout="t"), 0, T(2, 3, dtype="int64", values=[3, 1, 0, 0, 1, 3]), T(2, 3)),
        dtypes=(*NUMBERS, *HALVES),
        wrong=(Wrong(RuntimeError, "index 3 is out of bounds", T(3, 4), 0, FAR, T(3, 4)),),
    ),
    *both(
        "scatter_reduce",
        _scatter,
        Call(T(3, 4), 0, I24, T(2, 4), "sum"),
        Call(T(3, 4), 0, I24, T(2, 4), "mean"),
        Call(T(3, 4), 0, I24, T(2, 4), "prod", include_self=False),
        Call(T(3, 4), 0, I24, T(2, 4), reduce="amax"),
        Call(T(3, 4), 0, I24, T(2, 4), "amin", include_self=False),
        dtypes=(*FLOATS, *HALVES),
        wrong=(Wrong(RuntimeError, "reduce argument", T(3, 4), 0, I24, T(2, 4), "median"),),
    ),
    *both(
        "index_add",
        _along(np.add.at),
        Call(T(3, 4), 0, J, T(2, 4)),
        Call(T(3, 4, layout="t"), 1, T(3, dtype="int64", values=[1, 1, 0]), T(3, 3), alpha=2),
        dtypes=(*NUMBERS, *HALVES),
    ),
    *both("index_copy", _along(_set), Call(T(3, 4), 0, J, T(2, 4)), Call(T(3, 4), -1, J, T(3, 2)), dtypes=ALL),
    *both(
        "index_fill",
        _along(_set),
        Call(T(3, 4), 0, J, 2),
        Call(T(3, 4), 1, J, 0.5),
        Call(T(3, 4), 0, J, T()),
        dtypes=FLOATS,
    ),
    *both(
        "index_put",
        _index_put,
        Call(T(3, 4), (J, J), T(2)),
        Call(T(3, 4), (T(3, dtype="int64", values=[0, 0, 1]),), T(4), accumulate=True),
        Call(T(3, 4), (MASK,), T(values=[2.0])),
        Call(T(3, 4, dtype="complex128"), (J,), T(4, dtype="complex128"), accumulate=True),
        wrong=(
            Wrong(RuntimeError, "dtypes match", T(3, 4), (J,), T(4, dtype="float64")),
            Wrong(IndexError, "index 2 is out of bounds for dimension 0 with size 2", T(2), (J,), T(2)),
        ),
    ),
    Samples("Tensor.fill_diagonal_", _fill, Call(T(3, 4), 2), Call(T(4, 3), 1)),
    Samples(
        "select_scatter",
        lambda x, src, dim, index: _written(x, lambda y: _set(np.moveaxis(y, dim, 0), np.asarray(index), src)),
        Call(T(3, 4), T(4), 0, 1),
        Call(T(3, 4), T(3), -1, -1),
    ),
    Samples(
        "slice_scatter",
        lambda x, src, dim, start, end, step=1: _written(
            x, lambda y: np.moveaxis(y, dim, 0)[start:end:step].__setitem__(..., np.moveaxis(src, dim, 0))
        ),
        Call(T(3, 4), T(2, 4), 0, 1, 3),
        Call(T(3, 4), T(3, 2), 1, 0, 4, 2),
    ),
    Samples(
        "diagonal_scatter",
        lambda x, src: _written(x, lambda y: np.fill_diagonal(y, src)),
        Call(T(3, 3), T(3)),
    ),
    Samples(
        "nn.functional.one_hot",
        _one_hot,
        Call(T(2, 3, dtype="int64", low=0, high=4)),
        Call(T(4, dtype="int64", low=0, high=3), 5),
        dtypes=("int64",),
        wrong=(Wrong(RuntimeError, "smaller than num_classes", I24, 2),),
    ),
    Samples(
        "bincount",
        _bincount,
        Call(T(7, low=0, high=4)),
        Call(T(5, dtype="int64", low=0, high=3), T(5)),
        Call(T(5, dtype="int64", low=0, high=3), minlength=9),
        Call(T(0, dtype="int64")),
        dtypes=("int64", "int32", "uint8"),
        wrong=(Wrong(RuntimeError, "non-negative", T(2, dtype="int64", values=[1, -1])),),
    ),
    Samples(
        "isin",
        lambda x, y, invert=False: np.isin(x, y, invert=invert),
        Call(T(3, 4), T(5)),
        Call(T(6, dtype="int64"), T(2, 2, dtype="int64"), invert=True),
        dtypes=NUMBERS,
    ),
    Samples(
        "tril_indices",
        lambda n, m, k=0, dtype="int64": np.array(np.tril_indices(n, k, m), dtype),
        Call(3, 4),
        Call(4, 2, 1),
        Call(3, 3, -1, dtype=Name("int32")),
        Call(0, 5),
        wrong=(
            Wrong(MemoryError, "does not fit", 1 << 31, 1 << 31, torch=False),
            Wrong(MemoryError, "does not fit", 1 << 62, 1 << 62, torch=False),
            Wrong(RuntimeError, "non-negative", -1, 3),
        ),
    ),
    Samples(
        "triu_indices",
        lambda n, m, k=0: np.array(np.triu_indices(n, k, m)),
        Call(3, 4),
        Call(4, 2, 1),
        Call(1, 3, 1 << 62),
        wrong=(Wrong(MemoryError, "does not fit", 1 << 31, 1 << 31, torch=False),),
    ),
)
