"""Samples of interpolation, shuffled channels, and norms over them."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.samples.base import ALL, FLOATS, HALVES, Array, Call, Samples, T, Wrong


def _shuffled(x: Array, r: int) -> Array:
    *lead, c, h, w = x.shape
    parts = np.moveaxis(x.reshape(*lead, c // r // r, r, r, h, w), (-4, -3), (-3, -1))
    return parts.reshape(*lead, c // r // r, h * r, w * r)


def _unshuffled(x: Array, r: int) -> Array:
    rows = [x[..., i::r, j::r] for i in range(r) for j in range(r)]
    return np.stack(rows, -3).reshape(*x.shape[:-3], x.shape[-3] * r * r, x.shape[-2] // r, x.shape[-1] // r)


def _channels(x: Array, g: int) -> Array:
    return np.concatenate([x[:, i :: x.shape[1] // g] for i in range(x.shape[1] // g)], 1)


def _group_norm(x: Array, groups: int, weight: Any = None, bias: Any = None, eps: float = 1e-5) -> Array:
    rows = x.astype(np.float64).reshape(len(x), groups, -1)
    out = ((rows - rows.mean(-1, keepdims=True)) / np.sqrt(rows.var(-1, keepdims=True) + eps)).reshape(x.shape)
    shape = (-1, *[1] * (x.ndim - 2))
    out = out if weight is None else out * weight.reshape(shape)
    return (out if bias is None else out + bias.reshape(shape)).astype(x.dtype)


def _response(x: Array, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> Array:
    pads = [(0, 0)] * x.ndim
    pads[1] = (size // 2, (size - 1) // 2)
    squares = np.pad(x.astype(np.float64) ** 2, pads)
    total = sum(squares[:, i : i + x.shape[1]] for i in range(size))
    return (x / (k + alpha * total / size) ** beta).astype(x.dtype)


def _lp(x: Array, p: float, window: Any, stride: Any = None) -> Array:
    dims = 1 if isinstance(window, int) else len(window)
    k = (window,) if isinstance(window, int) else window
    s = (stride or window,) * dims if isinstance(stride or window, int) else stride or window
    wide = np.lib.stride_tricks.sliding_window_view(x.astype(np.float64) ** p, k, tuple(range(-dims, 0)))
    wide = wide[(..., *(slice(None, None, n) for n in s), *[slice(None)] * dims)]
    return (wide.sum(tuple(range(-dims, 0))) ** (1 / p)).astype(x.dtype)


SAMPLES = (
    Samples(
        "nn.functional.upsample_nearest",
        lambda x, size=None, scale_factor=1: x.repeat(2, -1) if size is None else x.repeat(3, -1),
        Call(T(1, 2, 3), scale_factor=2),
        Call(T(1, 2, 3, layout="t"), 9),
        wrong=(
            Wrong(ValueError, "only one of size or scale_factor", T(1, 2, 3), 2, 2.0),
            Wrong(ValueError, "either size or scale_factor", T(1, 2, 3)),
        ),
    ),
    Samples(
        "nn.functional.upsample_bilinear",
        None,
        Call(T(1, 2, 3, 4), scale_factor=2),
        Call(T(1, 2, 3, 4, layout="s"), (5, 3)),
        Call(T(1, 2, 3, 4), scale_factor=(2.0, 1.5)),
        atol=1e-5,
        wrong=(Wrong(ValueError, "either size or scale_factor", T(1, 2, 3, 4)),),
        why="NumPy has nothing of the kind: PyTorch's results are compared with",
    ),
    Samples(
        "nn.functional.interpolate",
        None,
        Call(T(2, 3, 5, 7), size=(7, 4), mode="bilinear"),
        Call(T(2, 3, 7, layout="t"), scale_factor=1.7),
        Call(T(1, 3, 5, 7, layout="s"), None, 2, "bicubic", True),
        Call(T(1, 2, 3, 4, 5), scale_factor=[1.3, 2.0, 0.5], mode="trilinear"),
        Call(T(1, 2, 9, 8), size=3, mode="bilinear", antialias=True),
        Call(T(1, 2, 9, 8), (4, 5), mode="bicubic", antialias=True),
        Call(T(1, 2, 9, 8), scale_factor=0.6, mode="area", recompute_scale_factor=True),
        Call(T(1, 2, 3, 4), size=5, mode="nearest-exact"),
        Call(T(1, 2, 6), size=4, mode="linear", align_corners=True),
        dtypes=(*FLOATS, *HALVES),
        atol=1e-5,
        wrong=(
            Wrong(ValueError, "only one of size or scale_factor", T(1, 2, 3), 2, 2.0),
            Wrong(ValueError, "either size or scale_factor", T(1, 2, 3)),
            Wrong(ValueError, "align_corners", T(1, 2, 3), 2, align_corners=True),
            Wrong(NotImplementedError, "", T(1, 2, 3), 2, mode="bilinear"),
            Wrong(RuntimeError, "greater than 0", T(1, 2, 3), 0),
        ),
        why="NumPy has no interpolation of images: PyTorch's results are compared with",
    ),
    Samples(
        "pixel_shuffle",
        _shuffled,
        Call(T(2, 8, 3, 2), 2),
        Call(T(9, 2, 2, layout="t"), 3),
        Call(T(0, 4, 2, 2), 2),
        dtypes=ALL,
        wrong=(Wrong(RuntimeError, "divisible by", T(6, 2, 2), 2), Wrong(RuntimeError, "at least 3", T(4, 4), 2)),
    ),
    Samples(
        "pixel_unshuffle",
        _unshuffled,
        Call(T(2, 2, 4, 6), 2),
        Call(T(3, 6, 3, layout="t"), 3),
        dtypes=ALL,
        wrong=(Wrong(RuntimeError, "divisible by", T(6, 3, 2), 2),),
    ),
    Samples(
        "channel_shuffle",
        _channels,
        Call(T(2, 6, 3, 2), 3),
        Call(T(1, 4, 5, layout="t"), 2),
        dtypes=ALL,
        wrong=(Wrong(RuntimeError, "divisible by", T(1, 6, 3), 4),),
    ),
    Samples(
        "nn.functional.group_norm",
        _group_norm,
        Call(T(2, 6, 3, 4), 3, T(6), T(6)),
        Call(T(2, 4, layout="t"), 2),
        Call(T(2, 4, 5), 4, T(4), eps=0.1),
        atol=1e-5,
        wrong=(Wrong(RuntimeError, "divisible by", T(1, 6, 3), 4),),
    ),
    Samples(
        "nn.functional.local_response_norm",
        _response,
        Call(T(2, 5, 3, 2), 3),
        Call(T(2, 4, 3), 2, alpha=0.5, beta=0.5, k=2.0),
        Call(T(0, 4, 3, dtype="int64"), 2),
        wrong=(Wrong(ValueError, "3D or higher", T(2, 3), 2),),
    ),
    Samples(
        "nn.functional.lp_pool1d",
        _lp,
        Call(T(2, 3, 7, low=0), 2, 3),
        Call(T(3, 7, low=0), 3.0, 2, 1),
    ),
    Samples(
        "nn.functional.lp_pool2d",
        _lp,
        Call(T(2, 3, 7, 6, low=0), 2, (3, 2)),
        Call(T(3, 7, 6, low=0, layout="t"), 3.0, (2, 2), (1, 2)),
    ),
    Samples("nn.functional.lp_pool3d", _lp, Call(T(2, 4, 5, 3, low=0), 2, (2, 1, 3))),
)
"""All samples of this module."""
