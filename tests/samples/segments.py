"""Samples of reductions of segments, and of pooling over windows whose places are given."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from tests.samples.base import Array, Call, Samples, T, Wrong

_HOW: dict[str, tuple[Any, float]] = {
    "sum": (np.sum, 0.0),
    "prod": (np.prod, 1.0),
    "mean": (np.sum, 0.0),
    "max": (np.max, -np.inf),
    "min": (np.min, np.inf),
}


def _segments(
    data: Array,
    how: str,
    lengths: Array | None = None,
    offsets: Array | None = None,
    axis: int = 0,
    unsafe: bool = False,
    initial: float | None = None,
) -> Array:
    function, neutral = _HOW[how]
    if offsets is None:
        assert lengths is not None
        offsets = np.concatenate([np.zeros_like(lengths[..., :1]), np.cumsum(lengths, -1)], -1)
    out = np.zeros((*data.shape[:axis], offsets.shape[-1] - 1, *data.shape[axis + 1 :]))
    for at in np.ndindex(*data.shape[:axis]):
        for k in range(out.shape[axis]):
            part = data[at][offsets[at][k] : offsets[at][k + 1]].astype(np.float64)
            start = np.full((1, *part.shape[1:]), neutral if initial is None else initial)
            found = function(np.concatenate([start, part]), 0)
            count = len(part) if initial is None else max(len(part), 1)
            out[(*at, k)] = np.divide(found, count) if how == "mean" else found
    return out.astype(data.dtype)


def _places(u: float, whole: int, kernel: int, size: int) -> list[int]:
    if size == 1:
        return [whole - kernel]
    step = (whole - kernel) / (size - 1)
    return [*(int((i + u) * step) - int(u * step) for i in range(size - 1)), whole - kernel]


def _fractional(dims: int, places: bool) -> Any:
    def reference(
        x: Array,
        kernel: Any,
        output_size: Any = None,
        output_ratio: Any = None,
        return_indices: bool = False,
        _random_samples: Any = None,
    ) -> Any:
        whole = x.shape[x.ndim - dims :]
        kernels = (kernel,) * dims if isinstance(kernel, int) else kernel
        ratios = (output_ratio,) * dims if isinstance(output_ratio, float) else output_ratio
        sizes = (output_size,) * dims if isinstance(output_size, int) else output_size
        sizes = [int(n * r) for n, r in zip(whole, ratios, strict=True)] if sizes is None else sizes
        batch = x.reshape(-1, x.shape[x.ndim - dims - 1], *whole)
        values = np.zeros((*batch.shape[:2], *sizes), x.dtype)
        found = np.zeros(values.shape, np.int64)
        numbers = np.arange(int(np.prod(whole))).reshape(whole)
        for n, c in np.ndindex(*batch.shape[:2]):
            order = (1, 0) if dims == 2 else (0, 1, 2)
            starts = [_places(_random_samples[n, c, order[d]], whole[d], kernels[d], sizes[d]) for d in range(dims)]
            for at in product(*map(range, sizes)):
                window = tuple(
                    slice(starts[d][i], starts[d][i] + k) for d, (i, k) in enumerate(zip(at, kernels, strict=True))
                )
                best = batch[n, c][window].argmax()
                values[(n, c, *at)] = batch[n, c][window].flat[best]
                found[(n, c, *at)] = numbers[window].flat[best]
        shape = (*x.shape[: x.ndim - dims], *sizes)
        both = values.reshape(shape), found.reshape(shape)
        return both if places or return_indices else both[0]

    return reference


def _ints(values: Any) -> T:
    return T(*np.shape(values), values=values, dtype="int64")


def _pooling(dims: int) -> tuple[Samples, ...]:
    whole = (7, 6, 5)[:dims]
    name = f"nn.functional.fractional_max_pool{dims}d"
    drawn = T(2, 3, dims, low=0.1, high=0.9)
    ratios = (0.5, 0.6, 0.7)[:dims]
    return (
        Samples(
            name,
            _fractional(dims, False),
            Call(T(2, 3, *whole), 2, (4, 3, 2)[:dims], _random_samples=drawn),
            Call(T(2, 3, *whole), (2, 3, 2)[:dims], output_ratio=ratios, _random_samples=drawn),
            Call(T(3, *whole), 2, 1, None, True, T(1, 3, dims, low=0.1, high=0.9)),
            wrong=(
                Wrong(RuntimeError, "do not fit", T(3, *whole), 2, output_size=9),
                Wrong(ValueError, "either an output_size or", T(3, *whole), 2),
                Wrong(ValueError, "between 0 and 1", T(3, *whole), 2, output_ratio=1.5, torch=False),
                Wrong(RuntimeError, "Expected", T(*whole), 2, output_size=1, torch=False),
                Wrong(RuntimeError, "_random_samples", T(3, *whole), 2, 1, _random_samples=T(2), torch=False),
            ),
        ),
        Samples(
            f"{name}_with_indices",
            _fractional(dims, True),
            Call(T(2, 3, *whole), 2, (4, 3, 2)[:dims], _random_samples=drawn),
        ),
    )


def _begins(rows: Array, size: int, out_int32: bool = False) -> Array:
    return np.searchsorted(rows, np.arange(size + 1)).astype(np.int32 if out_int32 else np.int64)


def _entries(begins: Array, columns: Array, out_int32: bool = False, transpose: bool = False) -> Array:
    pair = [np.repeat(np.arange(len(begins) - 1), np.diff(begins)), columns]
    return np.stack(pair[::-1] if transpose else pair).astype(np.int32 if out_int32 else np.int64)


SAMPLES = (
    Samples(
        "segment_reduce",
        _segments,
        Call(T(6), "sum", lengths=_ints([2, 0, 4])),
        Call(T(6, 2), "mean", lengths=_ints([2, 1, 3])),
        Call(T(2, 6, 3), "max", offsets=_ints([[0, 2, 6], [0, 0, 6]]), axis=1, initial=0.5),
        Call(T(6), "prod", offsets=_ints([1, 3, 5])),
        Call(T(6), "min", lengths=_ints([2, 0, 4])),
        Call(T(6), "mean", lengths=_ints([2, 0, 4]), initial=1.5),
        Call(T(6), "sum", lengths=_ints([2, 2]), unsafe=True),
        wrong=(
            Wrong(RuntimeError, "sum to data.size", T(6), "sum", lengths=_ints([2, 2])),
            Wrong(RuntimeError, "must be defined", T(6), "sum"),
            Wrong(RuntimeError, "reduce argument", T(6), "least", lengths=_ints([6])),
            Wrong(RuntimeError, "negative", T(6), "sum", lengths=_ints([7, -1])),
            Wrong(RuntimeError, "last dimension", T(2, 6), "sum", lengths=_ints([1, 1]), axis=1),
            Wrong(NotImplementedError, "Long", T(6, dtype="int64"), "sum", lengths=_ints([6])),
            Wrong(NotImplementedError, "Float", T(6), "sum", lengths=T(1, values=[6.0])),
        ),
    ),
    Samples(
        "_convert_indices_from_coo_to_csr",
        _begins,
        Call(_ints([0, 0, 2, 5]), 6),
        Call(T(3, values=[1, 1, 2], dtype="int32"), 4, out_int32=True),
        Call(T(0, dtype="int64"), 2),
        wrong=(
            Wrong(RuntimeError, "vector", T(2, 2, dtype="int64"), 3),
            Wrong(RuntimeError, "int32 or int64", T(3), 3, torch=False),
            Wrong(RuntimeError, "negative", _ints([0]), -1, torch=False),
        ),
    ),
    Samples(
        "_convert_indices_from_csr_to_coo",
        _entries,
        Call(_ints([0, 2, 2, 3]), _ints([0, 1, 1])),
        Call(_ints([0, 2, 2, 3]), _ints([0, 1, 1]), out_int32=True, transpose=True),
        Call(T(2, values=[0, 3], dtype="int32"), T(3, values=[5, 4, 0], dtype="int32")),
        Call(_ints([0]), T(0, dtype="int64")),
        wrong=(
            Wrong(RuntimeError, "vectors", T(2, 2, dtype="int64"), _ints([0]), torch=False),
            Wrong(RuntimeError, "empty", T(0, dtype="int64"), T(0, dtype="int64"), torch=False),
        ),
    ),
    *_pooling(2),
    *_pooling(3),
)
"""All samples of this module."""
