"""Samples of views by strides."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tests.samples.base import ALL, Array, Call, Name, Samples, T, Wrong

ANY = "the elements may be any"


def _strided(x: Array, size: Sequence[int], stride: Sequence[int], storage_offset: int = 0) -> Array:
    flat = np.ascontiguousarray(x).reshape(-1)[storage_offset:]
    return np.lib.stride_tricks.as_strided(flat, size, [s * x.itemsize for s in stride])


def _unfolded(x: Array, dimension: int, size: int, step: int) -> Array:
    windows = np.lib.stride_tricks.sliding_window_view(x, size, dimension)
    return windows[(*(slice(None),) * (dimension % x.ndim), slice(None, None, step))]


def _scattered(x: Array, src: Array, size: Sequence[int], stride: Sequence[int], storage_offset: int = 0) -> Array:
    out = x.copy()
    flat = out.reshape(-1)[storage_offset:]
    np.lib.stride_tricks.as_strided(flat, size, [s * x.itemsize for s in stride])[...] = src
    return out


SAMPLES = (
    Samples(
        "as_strided",
        _strided,
        Call(T(2, 3), (2, 2), (3, 1), 1),
        Call(T(6), (5, 2), (1, 1)),
        Call(T(3), (), (), 2),
        Call(T(3), (2, 0), (9, 1), storage_offset=1),
        dtypes=ALL,
        wrong=(
            Wrong(RuntimeError, "out of bounds", T(3), (2,), (3,)),
            Wrong(RuntimeError, "out of bounds", T(3), (2**40,), (2**40,)),
            Wrong(RuntimeError, "out of bounds", T(3), (1,), (1,), 3),
            Wrong(RuntimeError, "Negative strides", T(3), (2,), (-1,), 2),
            Wrong(RuntimeError, "length of strides", T(3), (2, 1), (1,)),
            Wrong(RuntimeError, "negative", T(3), (-2,), (1,)),
            Wrong(RuntimeError, "storage offset", T(3), (2,), (1,), -1),
        ),
    ),
    Samples(
        "Tensor.unfold",
        _unfolded,
        Call(T(2, 5), 1, 3, 2),
        Call(T(4, 3, layout="t"), -2, 2, 1),
        Call(T(3, 2, layout="s"), 0, 3, 5),
        dtypes=ALL,
        wrong=(
            Wrong(RuntimeError, "maximum size", T(3), 0, 4, 1),
            Wrong(RuntimeError, "step is 0", T(3), 0, 1, 0),
            Wrong(RuntimeError, "size is -1", T(3), 0, -1, 1),
            Wrong(IndexError, "out of range", T(3), 1, 1, 1),
        ),
    ),
    Samples(
        "as_strided_scatter",
        _scattered,
        Call(T(6), T(2), (2,), (3,)),
        Call(T(2, 3), T(2, 2), (2, 2), (3, 1), 1),
        dtypes=ALL,
        wrong=(Wrong(RuntimeError, "out of bounds", T(3), T(2), (2,), (3,)),),
    ),
    Samples(
        "empty_strided",
        None,
        Call((2, 3), (1, 2)),
        Call((2, 0), (9, 1), dtype=Name("int64")),
        Call((), ()),
        random=True,
        wrong=(
            Wrong(RuntimeError, "length of strides", (2, 3), (1,)),
            Wrong(RuntimeError, "negative", (2,), (-1,)),
            Wrong(RuntimeError, "negative", (-2,), (1,)),
        ),
        why=ANY,
    ),
    Samples(
        "Tensor.new_empty_strided",
        None,
        Call(T(2), (2, 3), (1, 2)),
        Call(T(2), (2,), (3,), dtype=Name("float64")),
        random=True,
        wrong=(Wrong(RuntimeError, "length of strides", T(2), (2, 3), (1,)),),
        why=ANY,
    ),
    Samples(
        "empty_permuted",
        None,
        Call((2, 3, 4), (2, 0, 1)),
        Call((), ()),
        random=True,
        wrong=(
            Wrong(RuntimeError, "does not match the length", (2, 3), (1,)),
            Wrong(RuntimeError, "Duplicate", (2, 3), (1, 1)),
            Wrong(RuntimeError, "out of range", (2, 3), (1, 2)),
        ),
        why=ANY,
    ),
)
"""All samples of this module."""
