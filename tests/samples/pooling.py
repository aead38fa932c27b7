"""Samples of pooling. The references go over windows one by one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.samples.base import FLOATS, HALVES, Array, Call, Samples, T, Wrong


def _each(value: Any, dims: int) -> tuple[int, ...]:
    found = (value,) if isinstance(value, int) else tuple(value)
    return found * dims if len(found) == 1 else found


def _windows(x: Array, dims: int, k: Any, stride: Any, padding: Any, dilation: Any, ceil: bool) -> list[list[Any]]:
    found = []
    triples = zip(*(_each(v, dims) for v in (k, stride or k, padding, dilation)), strict=True)
    for (w, s, p, d), n in zip(triples, x.shape[x.ndim - dims :], strict=True):
        reach = (w - 1) * d + 1
        starts = [at for at in range(-p, n + p, s) if at + reach <= n + p or (ceil and at < n)]
        if ceil:
            full = -(-(n + 2 * p - reach) // s) + 1
            starts = [at for at in starts if at < -p + full * s]
        found.append([([i for i in range(at, at + reach, d) if 0 <= i < n], min(at + w, n + p) - at) for at in starts])
    return found


def _adaptive(x: Array, dims: int, size: Any) -> list[list[Any]]:
    sizes = zip(_each(size, dims), x.shape[x.ndim - dims :], strict=True)
    sizes = ((n if m is None else m, n) for m, n in sizes)
    return [[([*range(i * n // m, -(-(i + 1) * n // m))], 0) for i in range(m)] for m, n in sizes]


def _over(x: Array, places: list[list[Any]], of_one: Callable[..., Any]) -> Array:
    dims = len(places)
    shape = (*x.shape[: x.ndim - dims], *map(len, places))
    out = np.zeros(shape)
    for at in np.ndindex(*map(len, places)):
        chosen = [places[d][i] for d, i in enumerate(at)]
        inside = x[(..., *np.ix_(*(c[0] for c in chosen)))].astype(np.float64)
        out[(..., *at)] = of_one(inside.reshape(*shape[: x.ndim - dims], -1), int(np.prod([c[1] for c in chosen])))
    return out.astype(x.dtype)  # cuts means of ints


def _max(dims: int) -> Callable[..., Any]:
    def reference(
        x: Array,
        k: Any,
        stride: Any = None,
        padding: Any = 0,
        dilation: Any = 1,
        ceil: bool = False,
        return_indices: bool = False,
    ) -> Any:
        places = _windows(x, dims, k, stride, padding, dilation, ceil)
        return _at(x, places) if return_indices else _over(x, places, lambda v, n: v.max(-1))

    return reference


def _at(x: Array, places: list[list[Any]]) -> tuple[Array, Array]:
    dims = len(places)
    values = _over(x, places, lambda v, n: v.max(-1))
    flat = np.arange(int(np.prod(x.shape[x.ndim - dims :])), dtype=np.float64).reshape(x.shape[x.ndim - dims :])
    found = np.zeros(values.shape, np.int64)
    for at in np.ndindex(*map(len, places)):
        inside = np.ix_(*(places[d][i][0] for d, i in enumerate(at)))
        elements = x[(..., *inside)].reshape(*values.shape[: x.ndim - dims], -1)
        found[(..., *at)] = flat[inside].reshape(-1)[elements.argmax(-1)]
    return values, found


def _adaptive_max(dims: int) -> Callable[..., Any]:
    def reference(x: Array, size: Any, return_indices: bool = False) -> Any:
        places = _adaptive(x, dims, size)
        return _at(x, places) if return_indices else _over(x, places, lambda v, n: v.max(-1))

    return reference


def _max_at(dims: int) -> Callable[..., Any]:
    return lambda x, k, stride=None, padding=0, dilation=1, ceil_mode=False: _at(
        x, _windows(x, dims, k, stride, padding, dilation, ceil_mode)
    )


def _avg(dims: int) -> Callable[..., Array]:
    def reference(
        x: Array,
        k: Any,
        stride: Any = None,
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> Array:
        def of_one(v: Array, n: int) -> Any:
            return v.sum(-1) / (divisor_override or (n if count_include_pad else v.shape[-1]))

        return _over(x, _windows(x, dims, k, stride, padding, 1, ceil_mode), of_one)

    return reference


def _samples(dims: int) -> tuple[Samples, ...]:
    sizes = (7, 6, 5)[:dims]
    small = T(2, *sizes)
    name = f"nn.functional.{{}}_pool{dims}d".format
    wide, steps = (3, 2, 2)[:dims], (2, 1, 2)[:dims]
    return (
        Samples(
            name("max"),
            _max(dims),
            Call(T(2, 2, *sizes), 3, 2, 1),
            Call(T(2, *sizes, layout="t"), wide, None, 0, 2),
            Call(T(2, *sizes, layout="s"), wide, steps, 1, 1, True),
            Call(T(2, *sizes), 2, return_indices=True),
            *((Call(T(2, *sizes, dtype=d), 2, 1) for d in ("int64", "int8", "uint8")) if dims > 1 else ()),
            dtypes=(*FLOATS, *HALVES),
            wrong=(
                Wrong(RuntimeError, "pad", small, 2, 1, 2),
                Wrong(RuntimeError, "", small, 9),
                Wrong(RuntimeError, "", T(5), 2, torch=dims > 1),
            ),
        ),
        Samples(
            f"{name('max')}_with_indices",
            _max_at(dims),
            Call(T(2, 2, *sizes), 3, 2, 1),
            Call(T(2, *sizes, layout="t"), wide, steps),
        ),
        Samples(
            name("avg"),
            _avg(dims),
            Call(T(2, 2, *sizes), 3, 2, 1),
            Call(T(2, *sizes, dtype="int64", low=-50, high=50), 2, 1),
            Call(T(2, *sizes, layout="s"), wide, steps, 1, True, False),
            *((Call(T(2, *sizes), 2, divisor_override=3),) if dims > 1 else ()),
            dtypes=(*FLOATS, *HALVES) if dims < 3 else FLOATS,
            wrong=(Wrong(RuntimeError, "", small, 9),),
        ),
        Samples(
            name("adaptive_avg"),
            lambda x, size: _over(x, _adaptive(x, dims, size), lambda v, n: v.mean(-1)),
            Call(T(2, 2, *sizes), (3, 1, 4)[:dims]),
            Call(T(2, *sizes, layout="t"), 2),
            *((Call(T(2, *sizes), (3, None, 2)[:dims]),) if dims > 1 else ()),
            dtypes=(*FLOATS, *HALVES) if dims < 3 else FLOATS,
            wrong=(Wrong(RuntimeError, "output", small, -1),),
        ),
        Samples(
            name("adaptive_max"),
            _adaptive_max(dims),
            Call(T(2, 2, *sizes), (3, 1, 4)[:dims]),
            Call(T(2, *sizes), 2, True),
            *(
                (Call(T(2, *sizes), (3, None, 2)[:dims]), Call(T(2, *sizes), (None, 2, 3)[:dims], return_indices=True))
                if dims > 1
                else ()
            ),
            dtypes=(*FLOATS, *HALVES),
        ),
        Samples(
            f"{name('adaptive_max')}_with_indices",
            lambda x, size: _at(x, _adaptive(x, dims, size)),
            Call(T(2, *sizes), 3),
        ),
    )


SAMPLES = (*_samples(1), *_samples(2), *_samples(3))
"""All samples of this module."""
