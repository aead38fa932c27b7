"""Samples of `tscript.masked`, against NumPy without what is masked out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.samples.base import ALL, COMPLEX, FLOATS, HALVES, INTS, NUMBERS, Array, Call, Name, Samples, T, Wrong

NAN = float("nan")
INF = float("inf")

HALF = [[True, False, True, True], [False, False, False, False], [False, True, True, False]]
"""A mask with a row in which nothing counts."""
ROWS = [[True], [False], [True]]


def _mask(x: Array, mask: Any) -> Array:
    return np.broadcast_to(True if mask is None else np.asarray(mask) != 0, x.shape)


def _axis(dim: Any) -> Any:
    return None if dim is None or dim == () else tuple(dim) if isinstance(dim, list) else dim


def _wide(x: Array) -> Any:
    return np.int64 if x.dtype.kind in "bi" or x.dtype == np.uint8 else x.dtype


def _least(x: Array) -> Any:
    return -INF if x.dtype.kind == "f" else False if x.dtype == bool else np.iinfo(x.dtype).min


def _greatest(x: Array) -> Any:
    return INF if x.dtype.kind == "f" else True if x.dtype == bool else np.iinfo(x.dtype).max


def _added(function: Any, identity: int) -> Callable[..., Array]:
    def reduced(x: Array, dim: Any = None, *, keepdim: bool = False, dtype: Any = None, mask: Any = None) -> Array:
        filled = np.where(_mask(x, mask), x, np.asarray(identity, x.dtype)).astype(dtype or _wide(x))
        return np.asarray(function(filled, axis=_axis(dim), keepdims=keepdim)).astype(dtype or _wide(x))

    return reduced


def _extreme(function: Any, identity: Callable[[Array], Any]) -> Callable[..., Array]:
    def reduced(x: Array, dim: Any = None, *, keepdim: bool = False, dtype: Any = None, mask: Any = None) -> Array:
        filled = np.where(_mask(x, mask), x, np.asarray(identity(x), x.dtype))
        return np.asarray(function(filled, axis=_axis(dim), keepdims=keepdim)).astype(dtype or x.dtype)

    return reduced


def _mean(x: Array, dim: Any = None, *, keepdim: bool = False, dtype: Any = None, mask: Any = None) -> Array:
    counts = _mask(x, mask)
    total = np.where(counts, x, np.asarray(0, x.dtype)).sum(axis=_axis(dim), keepdims=keepdim, dtype=dtype or x.dtype)
    with np.errstate(all="ignore"):
        return np.asarray(total / counts.sum(axis=_axis(dim), keepdims=keepdim)).astype(dtype or x.dtype)


def _median(x: Array, dim: int = -1, *, keepdim: bool = False, dtype: Any = None, mask: Any = None) -> Array:
    filled = np.where(_mask(x, mask), x, NAN)
    found = np.apply_along_axis(_lower_median, dim, filled) if filled.ndim else filled
    if keepdim and filled.ndim:
        found = np.expand_dims(found, dim)
    return np.asarray(found).astype(x.dtype if x.dtype.kind == "f" else dtype or x.dtype)


def _lower_median(row: Array) -> Any:
    there = np.sort(row[~np.isnan(row)])
    return there[(len(there) - 1) // 2] if len(there) else NAN


def _norm(
    x: Array, order: Any = 2.0, dim: Any = None, *, keepdim: bool = False, dtype: Any = None, mask: Any = None
) -> Array:
    result = dtype or np.abs(x).dtype
    sizes = np.abs(np.where(_mask(x, mask), x, np.asarray(INF if order == -INF else 0, x.dtype))).astype(np.float64)
    options = {"axis": _axis(dim), "keepdims": keepdim}
    if order in (INF, -INF):
        found = (np.max if order > 0 else np.min)(sizes, **options)
    elif order == 0:
        found = np.sum(sizes != 0, **options)
    else:
        found = np.sum(sizes**order, **options) ** (1 / order)
    return np.asarray(found).astype(result)


def _var(
    x: Array,
    dim: Any = None,
    unbiased: bool | None = None,
    *,
    correction: Any = None,
    keepdim: bool = False,
    dtype: Any = None,
    mask: Any = None,
) -> Array:
    counts, axis = _mask(x, mask), _axis(dim)
    result = dtype or (x.dtype if x.dtype.kind in "fc" else np.float32)
    wide = x.astype(np.complex128 if x.dtype.kind == "c" else np.float64)
    divisor = correction if correction is not None else 1 if unbiased is None else int(unbiased)
    with np.errstate(all="ignore"):
        middle = np.where(counts, wide, 0).sum(axis=axis, keepdims=True) / counts.sum(axis=axis, keepdims=True)
        squares = np.where(counts, np.abs(wide - middle) ** 2, 0).sum(axis=axis, keepdims=keepdim)
        found = squares / np.maximum(counts.sum(axis=axis, keepdims=keepdim) - divisor, 0)
        return np.asarray(found).astype(result)


def _std(x: Array, *args: Any, dtype: Any = None, **more: Any) -> Array:
    result = dtype or (x.dtype if x.dtype.kind in "fc" else np.float32)
    return np.sqrt(_var(x.astype(np.float64) if x.dtype.kind != "c" else x, *args, **more)).astype(result)


def _logsumexp(x: Array, dim: Any = None, *, keepdim: bool = False, dtype: Any = None, mask: Any = None) -> Array:
    filled = np.where(_mask(x, mask), x.astype(np.float64), -INF)
    return np.asarray(np.logaddexp.reduce(filled, axis=_axis(dim), keepdims=keepdim)).astype(dtype or x.dtype)


def _scan(function: Any, identity: int) -> Callable[..., Array]:
    def scanned(x: Array, dim: int, *, dtype: Any = None, mask: Any = None) -> Array:
        filled = np.where(_mask(x, mask), x, np.asarray(identity, x.dtype))
        return np.asarray(function(filled, axis=dim, dtype=dtype or x.dtype)).reshape(x.shape)

    return scanned


def _softmax(sign: int, *, logarithm: bool = False) -> Callable[..., Array]:
    def scaled(x: Array, dim: int, *, dtype: Any = None, mask: Any = None) -> Array:
        powers = np.where(_mask(x, mask), np.exp(sign * x.astype(np.float64)), 0)
        with np.errstate(all="ignore"):
            found = powers / powers.sum(axis=dim if x.ndim else None, keepdims=True)
            return np.asarray(np.log(found) if logarithm else found).astype(dtype or x.dtype)

    return scaled


def _normalize(x: Array, order: float, dim: Any, *, eps: float = 1e-12, dtype: Any = None, mask: Any = None) -> Array:
    length = _norm(x, order, dim, keepdim=True, dtype=dtype, mask=mask)
    return np.asarray(np.where(_mask(x, mask), x, 0) / np.maximum(length, np.asarray(eps, length.dtype)))


def _logaddexp(x: Array, y: Array, *, dtype: Any = None, input_mask: Any = None, other_mask: Any = None) -> Array:
    a, b = np.where(_mask(x, input_mask), x, -INF), np.where(_mask(y, other_mask), y, -INF)
    return np.logaddexp(a, b).astype(dtype or x.dtype)


def _m(values: Any = HALF, **more: Any) -> T:
    return T(values=values, dtype="bool", **more)


REDUCED = (
    Call(T(3, 4), mask=_m()),
    Call(T(3, 4, layout="t"), 1, mask=_m()),
    Call(T(2, 3, 4, layout="s"), (0, 2), keepdim=True, mask=_m(ROWS)),
    Call(T(3, 4, layout="r"), [-1], mask=_m()),
    Call(T(3, 4), (), keepdim=True),
    Call(T(2, 3, 4), (0, 1), mask=T(4, values=[1, 0, 2, 0], dtype="int64")),
    Call(T(3, 4, dtype="int64"), 0, dtype=Name("float64"), mask=_m(ROWS)),
    Call(T(), mask=T(values=True, dtype="bool")),
    Call(T(), 0),
)
"""Calls of all reductions along any number of dimensions."""
EMPTY = (Call(T(0, 3), 0, mask=T(0, 3, dtype="bool")), Call(T(2, 0)))
WRONG_MASK = (
    Wrong(IndexError, "mask", T(3), 0, mask=T(2, 3, dtype="bool")),
    Wrong(RuntimeError, "expand", T(3), 0, mask=T(2, dtype="bool")),
)
WRONG = (Wrong(IndexError, "Dimension out of range", T(3), 1), *WRONG_MASK)
TWICE = Wrong(RuntimeError, "multiple times", T(2, 3), (1, 1))
NO_IDENTITY = Wrong(NotImplementedError, "identity", T(3, dtype="bool"), 0, mask=T(3, dtype="bool"))
REALS = (*NUMBERS, *HALVES)

SAMPLES = (
    Samples(
        "masked.sum",
        _added(np.sum, 0),
        *REDUCED,
        *EMPTY,
        Call(T(40, 70), 1, mask=T(40, 70, dtype="bool")),
        dtypes=(*ALL, *HALVES, *COMPLEX),
        atol=1e-5,
        wrong=(*WRONG, TWICE),
    ),
    Samples(
        "masked.prod",
        _added(np.prod, 1),
        *REDUCED,
        *EMPTY,
        Call(T(2, 3), keepdim=True, mask=T(3, dtype="bool")),
        dtypes=(*ALL, *HALVES, *COMPLEX),
        rtol=1e-4,
        wrong=(*WRONG, TWICE),
    ),
    Samples("masked.amax", _extreme(np.max, _least), *REDUCED, dtypes=REALS, wrong=(*WRONG, TWICE, NO_IDENTITY)),
    Samples("masked.amin", _extreme(np.min, _greatest), *REDUCED, dtypes=REALS, wrong=(*WRONG, TWICE, NO_IDENTITY)),
    *(
        Samples(
            f"masked.{name}",
            _extreme(function, identity),
            Call(T(3, 4), mask=_m()),
            Call(T(3, 4, layout="t"), 1, mask=_m()),
            Call(T(2, 3, 4, layout="s"), -2, keepdim=True, mask=_m(ROWS)),
            Call(T(3, 4), 0, dtype=Name("int64")),
            dtypes=REALS,
            wrong=(*WRONG, NO_IDENTITY),
        )
        for name, function, identity in (("argmax", np.argmax, _least), ("argmin", np.argmin, _greatest))
    ),
    Samples(
        "masked.mean",
        _mean,
        *REDUCED,
        *EMPTY,
        dtypes=(*FLOATS, *HALVES, *COMPLEX),
        wrong=(
            *WRONG,
            TWICE,
            Wrong(ValueError, "Input dtype", T(3, dtype="int64")),
            Wrong(ValueError, "Optional dtype", T(3), dtype=Name("int64")),
        ),
    ),
    Samples(
        "masked.median",
        _median,
        Call(T(3, 4), mask=_m()),
        Call(T(3, 4, layout="t"), 0, keepdim=True, mask=_m(ROWS)),
        Call(T(2, 3, values=[[1.0, NAN, 2.0], [0.0, -1.0, 4.0]])),
        Call(T(3, 4, dtype="int64"), 0, mask=_m(ROWS), dtype=Name("int32")),
        Call(T()),
        dtypes=FLOATS,
        wrong=(*WRONG, Wrong(ValueError, "fully masked out", T(3, 4, dtype="int64"), mask=_m())),
    ),
    Samples(
        "masked.norm",
        _norm,
        Call(T(3, 4), mask=_m()),
        Call(T(3, 4, layout="t"), 1, 1, mask=_m()),
        Call(T(2, 3, 4, layout="s"), INF, (0, 2), keepdim=True, mask=_m(ROWS)),
        Call(T(3, 4, layout="r"), -INF, 1, mask=_m()),
        Call(T(3, 4), 3.5, dim=0, mask=_m(ROWS), dtype=Name("float64")),
        Call(T(3, 4), 0, mask=_m()),
        Call(T(3, 4), dim=()),
        Call(T()),
        dtypes=(*FLOATS, *HALVES, *COMPLEX),
        wrong=(Wrong(RuntimeError, "floating point", T(3, dtype="int64")),),
    ),
    *(
        Samples(
            f"masked.{name}",
            reference,
            *REDUCED,
            Call(T(3, 4), 1, False, mask=_m()),
            Call(T(3, 4), 0, True, mask=_m(ROWS)),
            Call(T(3, 4), correction=2, dim=0, mask=_m(ROWS)),
            Call(T(3, 4, dtype="int64"), 0),
            dtypes=(*FLOATS, *HALVES, *COMPLEX),
            rtol=1e-4,
            wrong=(*WRONG, TWICE, Wrong(AssertionError, "Only one of", T(3), 0, True, correction=1)),
        )
        for name, reference in (("var", _var), ("std", _std))
    ),
    Samples(
        "masked.logsumexp",
        _logsumexp,
        *REDUCED,
        Call(T(2, values=[1000.0, 1000.0]), mask=T(2, values=[True, False], dtype="bool")),
        dtypes=(*FLOATS, *HALVES),
        wrong=(*WRONG, NO_IDENTITY),
    ),
    *(
        Samples(
            f"masked.{name}",
            _scan(function, identity),
            Call(T(3, 4), 0, mask=_m()),
            Call(T(2, 3, 4, layout="s"), -1, mask=_m(ROWS)),
            Call(T(3, 4, layout="t"), 1, mask=_m(), dtype=Name("float64")),
            Call(T(3, 4, dtype="int32"), 1),
            Call(T(0, 3), 0, mask=T(3, dtype="bool")),
            dtypes=(*FLOATS, *INTS, *COMPLEX),
            rtol=1e-4,
            wrong=WRONG,
        )
        for name, function, identity in (("cumsum", np.cumsum, 0), ("cumprod", np.cumprod, 1))
    ),
    *(
        Samples(
            f"masked.{name}",
            reference,
            Call(T(3, 4), 1, mask=_m()),
            Call(T(2, 3, 4, layout="s"), 1, mask=_m(ROWS)),
            Call(T(3, 4, layout="t"), -1, mask=_m(), dtype=Name("float64")),
            Call(T(3, 4, dtype="int64"), 0, dtype=Name("float32")),
            Call(T(3, 4), 0),
            dtypes=(*FLOATS, *HALVES),
            wrong=(*WRONG, Wrong(NotImplementedError, "not implemented", T(3, dtype="int64"), 0)),
        )
        for name, reference in (
            ("softmax", _softmax(1)),
            ("log_softmax", _softmax(1, logarithm=True)),
            ("softmin", _softmax(-1)),
        )
    ),
    Samples(
        "masked.normalize",
        _normalize,
        Call(T(3, 4), 2.0, 1, eps=0.5, mask=_m()),
        Call(T(3, 4), 2.0, 1, mask=_m()),
        Call(T(2, 3, 4, layout="s"), 1.0, -2, mask=_m(ROWS)),
        Call(T(3, 4, layout="t"), INF, 0, eps=9.0, mask=_m()),
        Call(T(3, 4), 3, 0),
        dtypes=(*FLOATS, *HALVES),
        wrong=(Wrong(RuntimeError, "floating point", T(3, dtype="int64"), 2.0, 0),),
    ),
    Samples(
        "masked.logaddexp",
        _logaddexp,
        Call(T(3, 4), T(3, 4), input_mask=_m(), other_mask=_m(ROWS)),
        Call(T(3, 4, layout="t"), T(4), input_mask=_m()),
        Call(T(3, 4), T(3, 4), other_mask=_m(), dtype=Name("float64")),
        wrong=(Wrong(IndexError, "mask", T(3), T(3), other_mask=T(1, 3, dtype="bool")),),
    ),
)
"""All samples of this module."""
