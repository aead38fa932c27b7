"""Samples of convolutions, and of windows as columns. The references go over the places of a window, in float64."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from tests.samples.base import COMPLEX, FLOATS, HALVES, INTS, Array, Call, Samples, T, Wrong


def _each(value: Any, dims: int) -> tuple[int, ...]:
    found = (value,) if isinstance(value, int) else tuple(value)
    return found * dims if len(found) == 1 else found


def _wide(x: Array) -> type:
    """What sums are computed in."""
    return {"c": np.complex128, "f": np.float64}.get(x.dtype.kind, np.int64)


def _conv(
    x: Array, w: Array, b: Any = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: int = 1
) -> Array:
    dims = w.ndim - 2
    s, d = _each(stride, dims), _each(dilation, dims)
    reach = [(k - 1) * step for k, step in zip(w.shape[2:], d, strict=True)]
    if padding == "same":
        pads = [(r // 2, r - r // 2) for r in reach]
    else:
        pads = [(p, p) for p in _each(0 if padding == "valid" else padding, dims)]
    y: Array = np.pad(x, [(0, 0)] * (x.ndim - dims) + pads).astype(_wide(x))
    batch = y if x.ndim == dims + 2 else y[None]
    size = [(n - r - 1) // step + 1 for n, r, step in zip(batch.shape[2:], reach, s, strict=True)]
    out = np.zeros((len(batch), w.shape[0], *size), _wide(x))
    made = w.shape[0] // groups
    for o, c, at in product(range(w.shape[0]), range(w.shape[1]), np.ndindex(*w.shape[2:])):
        places = [slice(i * step, i * step + (n - 1) * t + 1, t) for i, step, n, t in zip(at, d, size, s, strict=True)]
        out[:, o] += batch[(slice(None), o // made * w.shape[1] + c, *places)] * w[(o, c, *at)].astype(_wide(x))
    if b is not None:
        out += b.reshape(-1, *[1] * dims).astype(out.dtype)
    return (out if x.ndim == dims + 2 else out[0]).astype(x.dtype)


def _transposed(
    x: Array,
    w: Array,
    b: Any = None,
    stride: Any = 1,
    padding: Any = 0,
    output_padding: Any = 0,
    groups: int = 1,
    dilation: Any = 1,
) -> Array:
    dims = w.ndim - 2
    s, d, p, more = (_each(v, dims) for v in (stride, dilation, padding, output_padding))
    batch: Array = (x if x.ndim == dims + 2 else x[None]).astype(_wide(x))
    room = [
        (n - 1) * t + (k - 1) * step + 1 + m
        for n, t, k, step, m in zip(batch.shape[2:], s, w.shape[2:], d, more, strict=True)
    ]
    whole = np.zeros((len(batch), w.shape[1] * groups, *room), _wide(x))
    inner, made = w.shape[0] // groups, w.shape[1]
    for c, o, at in product(range(w.shape[0]), range(made), np.ndindex(*w.shape[2:])):
        places = [
            slice(i * step, i * step + (n - 1) * t + 1, t)
            for i, step, n, t in zip(at, d, batch.shape[2:], s, strict=True)
        ]
        whole[(slice(None), c // inner * made + o, *places)] += batch[:, c] * w[(c, o, *at)].astype(_wide(x))
    out = whole[(slice(None), slice(None), *(slice(q, n - q) for q, n in zip(p, room, strict=True)))]
    if b is not None:
        out = out + b.reshape(-1, *[1] * dims)
    return (out if x.ndim == dims + 2 else out[0]).astype(x.dtype)


def _convolution(
    x: Array, w: Array, b: Any, stride: Any, padding: Any, dilation: Any, transposed: bool, more: Any, groups: int
) -> Array:
    if transposed:
        return _transposed(x, w, b, stride, padding, more, groups, dilation)
    return _conv(x, w, b, stride, padding, dilation, groups)


def _unfold(x: Array, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Array:
    k, d, p, s = (_each(v, 2) for v in (kernel_size, dilation, padding, stride))
    y = np.pad(x, [(0, 0)] * (x.ndim - 2) + [(q, q) for q in p])
    size = [(n - (a - 1) * b - 1) // t + 1 for n, a, b, t in zip(y.shape[-2:], k, d, s, strict=True)]
    parts = [
        y[
            ...,
            i * d[0] : i * d[0] + (size[0] - 1) * s[0] + 1 : s[0],
            j * d[1] : j * d[1] + (size[1] - 1) * s[1] + 1 : s[1],
        ]
        for i, j in np.ndindex(*k)
    ]
    return np.stack(parts, -3).reshape(*x.shape[:-3], x.shape[-3] * len(parts), size[0] * size[1])


def _fold(x: Array, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Array:
    size, k = _each(output_size, 2), _each(kernel_size, 2)
    channels = x.shape[-2] // (k[0] * k[1])
    places = np.arange(1, 1 + channels * size[0] * size[1]).reshape(channels, *size)
    columns = _unfold(places, kernel_size, dilation, padding, stride)
    out = np.zeros((*x.shape[:-2], places.size + 1), x.dtype)
    for at in np.ndindex(*x.shape[:-2]):
        np.add.at(out[at], columns, x[at])
    return out[..., 1:].reshape(*x.shape[:-2], *places.shape)


SAMPLES = (
    Samples(
        "nn.functional.conv1d",
        _conv,
        Call(T(2, 4, 9), T(6, 4, 3), T(6)),
        Call(T(4, 9, layout="t"), T(4, 1, 4, layout="t"), None, 2, 3, 2, 4),
        Call(T(1, 1, 400), T(1, 1, 31), padding=[15]),
        Call(T(1, 3, 8), T(5, 3, 4), T(5, layout="s"), padding="same", dilation=1),
        dtypes=(*FLOATS, *HALVES, *INTS, *COMPLEX),
        atol=1e-4,
        wrong=(
            Wrong(RuntimeError, "xpected", T(9), T(6, 4, 3)),
            Wrong(RuntimeError, "channels", T(1, 3, 9), T(6, 4, 3)),
            Wrong(RuntimeError, "Kernel size can't be greater", T(1, 1, 3), T(1, 1, 4)),
            Wrong(NotImplementedError, "Bool", T(1, 1, 4, dtype="bool"), T(1, 1, 3, dtype="bool"), torch=False),
            Wrong(RuntimeError, "scalar type", T(1, 1, 4, dtype="complex64"), T(1, 1, 3)),
        ),
    ),
    Samples(
        "nn.functional.conv2d",
        _conv,
        Call(T(2, 3, 6, 7), T(4, 3, 3, 2), T(4), padding=1),
        Call(T(3, 6, 7, layout="t"), T(4, 3, 1, 1)),
        Call(T(1, 4, 6, 7, layout="s"), T(6, 2, 3, 3), None, (2, 1), (0, 2), (1, 2), groups=2),
        Call(T(2, 4, 5, 9), T(4, 1, 3, 3), T(4), stride=2, padding=1, groups=4),
        Call(T(1, 2, 6, 6), T(5, 2, 4, 3), padding="same", dilation=(1, 2)),
        Call(T(0, 2, 5, 5), T(3, 2, 3, 3)),
        dtypes=(*FLOATS, *HALVES, *INTS, *COMPLEX),
        atol=1e-4,
        wrong=(
            Wrong(RuntimeError, "channels", T(1, 2, 5, 5), T(4, 3, 3, 3)),
            Wrong(RuntimeError, "groups", T(1, 2, 5, 5), T(3, 1, 3, 3), groups=2),
            Wrong(RuntimeError, "bias", T(1, 2, 5, 5), T(4, 2, 3, 3), T(3)),
            Wrong(RuntimeError, "padding", T(1, 2, 5, 5), T(4, 2, 3, 3), padding=-1),
            Wrong(RuntimeError, "scalar type", T(1, 2, 5, 5), T(4, 2, 3, 3, dtype="float64")),
        ),
    ),
    Samples(
        "nn.functional.conv3d",
        _conv,
        Call(T(1, 3, 4, 5, 6), T(4, 3, 2, 3, 2), T(4), padding=(1, 0, 1)),
        Call(T(2, 4, 5, 4), T(4, 1, 3, 3, 1), None, (1, 2, 1), 1, (1, 1, 2), 2),
        dtypes=(*FLOATS, *HALVES, *INTS, *COMPLEX),
        atol=1e-4,
        wrong=(Wrong(RuntimeError, "stride", T(1, 1, 3, 3, 3), T(1, 1, 1, 1, 1), stride=(1, 0, 1)),),
    ),
    Samples(
        "nn.functional.conv_transpose1d",
        _transposed,
        Call(T(2, 4, 5), T(4, 3, 3), T(3), 2, 1, 1),
        Call(T(4, 5, layout="t"), T(4, 2, 3), dilation=3, groups=2),
        dtypes=(*FLOATS, *HALVES, "int64", *COMPLEX),
        atol=1e-4,
        wrong=(Wrong(RuntimeError, "output_padding", T(1, 4, 5), T(4, 3, 3), output_padding=-1),),
    ),
    Samples(
        "nn.functional.conv_transpose2d",
        _transposed,
        Call(T(2, 3, 4, 5), T(3, 4, 3, 2), T(4), padding=1),
        Call(T(1, 4, 4, 5, layout="s"), T(4, 2, 3, 3, layout="t"), None, (2, 3), (1, 0), (1, 2), 2, (1, 2)),
        dtypes=(*FLOATS, *HALVES, "int64", *COMPLEX),
        atol=1e-4,
        wrong=(
            Wrong(RuntimeError, "channels", T(1, 2, 5, 5), T(3, 4, 3, 3)),
            Wrong(RuntimeError, "too small", T(1, 2, 3, 3), T(2, 1, 1, 1), padding=4),
            Wrong(RuntimeError, "must be smaller", T(1, 2, 3, 3), T(2, 1, 1, 1), output_padding=1),
        ),
    ),
    Samples(
        "nn.functional.conv_transpose3d",
        _transposed,
        Call(T(1, 2, 3, 2, 4), T(2, 3, 2, 3, 1), T(3), stride=2, padding=(1, 0, 0)),
        dtypes=(*FLOATS, *HALVES, "int64", *COMPLEX),
        atol=1e-4,
    ),
    Samples(
        "convolution",
        _convolution,
        Call(T(1, 4, 5, 6), T(4, 2, 3, 3), T(4), (1, 2), (1, 1), (1, 1), False, (0, 0), 2),
        Call(T(1, 2, 5), T(2, 3, 3), None, (2,), (1,), (1,), True, (1,), 1),
        atol=1e-4,
    ),
    Samples(
        "nn.functional.unfold",
        _unfold,
        Call(T(2, 3, 5, 6), (3, 2), padding=1),
        Call(T(2, 5, 6, layout="t"), 2, (1, 2), (0, 1), [2, 1]),
        dtypes=(*FLOATS, *HALVES, "bool", *COMPLEX),
        wrong=(
            Wrong(RuntimeError, "kernel", T(1, 2, 5, 5), 7),
            Wrong(NotImplementedError, "Long", T(1, 2, 5, 5, dtype="int64"), 2),
        ),
    ),
    Samples(
        "nn.functional.fold",
        _fold,
        Call(T(2, 18, 12), (5, 6), 3),
        Call(T(8, 10, layout="t"), (3, 4), 2, 1, 1, (2, 1)),
        dtypes=(*FLOATS, *HALVES, *COMPLEX),
        atol=1e-4,
        wrong=(
            Wrong(RuntimeError, "divisible", T(1, 17, 9), 5, 3),
            Wrong(RuntimeError, "", T(1, 18, 8), 5, 3),
        ),
    ),
)
"""All samples of this module."""
