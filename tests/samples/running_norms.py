"""Samples of normalisation of channels, with running statistics and without. What is written is a second result."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.samples.base import Array, Call, Samples, T, Wrong


def _shaped(v: Array, x: Array) -> Array:
    return v.reshape(1, -1, *[1] * (x.ndim - 2))


def _scaled(x: Array, mean: Array, var: Array, weight: Array | None, bias: Array | None, eps: float) -> Array:
    out = (x.astype(np.float64) - mean) / np.sqrt(var + eps)
    out = out if weight is None else out * _shaped(weight, x)
    return (out if bias is None else out + _shaped(bias, x)).astype(x.dtype)


def _moved(running: Array | None, found: Array, momentum: float) -> None:
    if running is not None:
        running[...] = running * (1 - momentum) + found * momentum


def _batch_norm(
    x: Array,
    running_mean: Array | None,
    running_var: Array | None,
    weight: Array | None = None,
    bias: Array | None = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Array:
    if not training:
        assert running_mean is not None
        assert running_var is not None
        return _scaled(x, _shaped(running_mean, x), _shaped(running_var, x), weight, bias, eps)
    axes = (0, *range(2, x.ndim))
    _moved(running_mean, x.mean(axes), momentum)
    _moved(running_var, x.var(axes, ddof=1), momentum)
    return _scaled(x, x.mean(axes, keepdims=True), x.var(axes, keepdims=True), weight, bias, eps)


def _instance_norm(
    x: Array,
    running_mean: Array | None = None,
    running_var: Array | None = None,
    weight: Array | None = None,
    bias: Array | None = None,
    use_input_stats: bool = True,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Array:
    if not use_input_stats:
        return _batch_norm(x, running_mean, running_var, weight, bias, False, momentum, eps)
    axes = tuple(range(2, x.ndim))
    _moved(running_mean, x.mean(axes).mean(0), momentum)
    _moved(running_var, x.var(axes, ddof=1).mean(0), momentum)
    return _scaled(x, x.mean(axes, keepdims=True), x.var(axes, keepdims=True), weight, bias, eps)


def _layer(x: Array, shape: Any, weight: Array | None, bias: Array | None, eps: float) -> tuple[Array, ...]:
    axes = tuple(range(x.ndim - len(shape), x.ndim))
    mean, var = x.mean(axes, keepdims=True), x.var(axes, keepdims=True)
    out = (x - mean) / np.sqrt(var + eps)
    return out * (1 if weight is None else weight) + (0 if bias is None else bias), mean, 1 / np.sqrt(var + eps)


def _group(
    x: Array, weight: Array | None, bias: Array | None, n: int, c: int, inner: int, groups: int, eps: float
) -> tuple[Array, ...]:
    rows = x.reshape(n, groups, -1)
    mean, scale = rows.mean(2), 1 / np.sqrt(rows.var(2) + eps)
    out = ((rows - mean[..., None]) * scale[..., None]).reshape(n, c, inner)
    out = out * (1 if weight is None else weight[:, None]) + (0 if bias is None else bias[:, None])
    return out.reshape(x.shape), mean, scale


def _native(
    x: Array,
    weight: Array | None,
    bias: Array | None,
    running_mean: Array | None,
    running_var: Array | None,
    training: bool,
    momentum: float,
    eps: float,
) -> tuple[Array, ...]:
    out = _batch_norm(x, running_mean, running_var, weight, bias, training, momentum, eps)
    if not training:
        return out, np.empty(0, x.dtype), np.empty(0, x.dtype)
    axes = (0, *range(2, x.ndim))
    return out, x.mean(axes), 1 / np.sqrt(x.var(axes) + eps)


_ONES = T(3, low=0.5, high=2)

SAMPLES = (
    Samples(
        "nn.functional.batch_norm",
        _batch_norm,
        Call(T(4, 3, 5), T(3), _ONES, T(3), T(3), True, 0.25),
        Call(T(4, 3), T(3), _ONES, training=True, eps=0.5),
        Call(T(4, 3, 2, 2), T(3), _ONES, None, T(3)),
        Call(T(4, 3, layout="t"), None, None, training=True),
        wrong=(
            Wrong(RuntimeError, "", T(3), T(3), _ONES, training=True),
            Wrong(RuntimeError, "", T(3), T(3), _ONES),
            Wrong(ValueError, "more than 1 value", T(1, 3), T(3), T(3), training=True),
            Wrong(RuntimeError, "to be defined", T(2, 3), None, None, torch=False),
            Wrong(RuntimeError, "3 channels", T(2, 3), T(2), T(2), training=True),
        ),
        rtol=1e-4,
        atol=1e-5,
    ),
    Samples(
        "nn.functional.instance_norm",
        _instance_norm,
        Call(T(4, 3, 5), T(3), _ONES, T(3), T(3), True, 0.25),
        Call(T(2, 3, 4, 2), T(3), _ONES, use_input_stats=False),
        Call(T(2, 3, 4, layout="s"), eps=0.5),
        Call(T(2, 3, 4), weight=T(3), bias=T(3)),
        wrong=(
            Wrong(ValueError, "more than 1 spatial", T(2, 3, 1)),
            Wrong(RuntimeError, "3 channels", T(2, 3, 4), T(2), T(2)),
        ),
        rtol=1e-4,
        atol=1e-5,
    ),
    Samples(
        "native_layer_norm",
        _layer,
        Call(T(2, 3, 4), (3, 4), T(3, 4), None, 0.25),
        Call(T(5, 3, layout="t"), (3,), None, T(3), 1e-3),
        wrong=(Wrong(RuntimeError, "normalized_shape", T(2, 3), (2,), None, None, 0.1),),
        rtol=1e-4,
    ),
    Samples(
        "native_group_norm",
        _group,
        Call(T(2, 4, 3), T(4), T(4), 2, 4, 3, 2, 0.25),
        Call(T(2, 4, 3, 2), None, None, 2, 4, 6, 1, 1e-3),
        wrong=(
            Wrong(RuntimeError, "elements", T(2, 4, 3), None, None, 2, 4, 2, 2, 0.1),
            Wrong(RuntimeError, "divisible", T(2, 4, 3), None, None, 2, 4, 3, 3, 0.1),
        ),
        rtol=1e-4,
    ),
    Samples(
        "native_batch_norm",
        _native,
        Call(T(4, 3, 5), T(3), T(3), T(3), _ONES, True, 0.25, 1e-3),
        Call(T(4, 3), None, None, None, None, True, 0.1, 0.5),
        Call(T(4, 3), None, T(3), T(3), _ONES, False, 0.1, 0.5),
        rtol=1e-4,
        atol=1e-5,
    ),
)
"""All samples of this module."""
