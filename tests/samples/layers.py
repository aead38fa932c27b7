"""Samples of normalizations, softmax, activations, pairwise losses and quotients rounded by a mode."""

from __future__ import annotations

from math import erf
from typing import Any

import numpy as np

from tests.samples.base import FLOATS, HALVES, Array, Call, Name, Samples, T, Wrong

ROUGH = (*FLOATS, *HALVES)
WRONG_DIM = Wrong(IndexError, "Dimension out of range", T(2, 3), 2)


def _wide(x: Array) -> Array:
    return x.astype(np.float64)


def _softmax(x: Array, dim: int, dtype: Any = None) -> Array:
    if not x.size:
        return x
    powers = np.exp(_wide(x) - _wide(x).max(dim, keepdims=True))
    return np.asarray(powers / powers.sum(dim, keepdims=True)).astype(dtype or x.dtype)


def _log_softmax(x: Array, dim: int, dtype: Any = None) -> Array:
    shifted = _wide(x) - _wide(x).max(dim, keepdims=True)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(dim, keepdims=True))).astype(dtype or x.dtype)


def _logsumexp(x: Array, dim: Any, keepdim: bool = False) -> Array:
    wide = _wide(x)
    top = wide.max(axis=dim, keepdims=True)
    found = np.log(np.exp(wide - top).sum(axis=dim, keepdims=True)) + top
    kept = found if keepdim or not x.ndim else np.squeeze(found, dim)
    return np.asarray(kept).astype(x.dtype if x.dtype.kind == "f" else np.float32)


def _standard(x: Array, axes: tuple[int, ...], eps: float) -> Array:
    wide = _wide(x)
    return np.asarray((wide - wide.mean(axes, keepdims=True)) / np.sqrt(wide.var(axes, keepdims=True) + eps))


def _layer_norm(x: Array, shape: Any, weight: Any = None, bias: Any = None, eps: float = 1e-5) -> Array:
    found = _standard(x, tuple(range(-len(shape), 0)), eps)
    return (found * (1 if weight is None else weight) + (0 if bias is None else bias)).astype(x.dtype)


def _rms_norm(x: Array, shape: Any, weight: Any = None, eps: float | None = None) -> Array:
    axes = tuple(range(-len(shape), 0))
    least = np.finfo(x.dtype).eps if eps is None else eps
    found = _wide(x) / np.sqrt((_wide(x) ** 2).mean(axes, keepdims=True) + least)
    return (found * (1 if weight is None else weight)).astype(x.dtype)


def _divided(x: Array, y: Array, rounding_mode: str) -> Array:
    found = (np.floor if rounding_mode == "floor" else np.trunc)(_wide(x) / _wide(y))
    return found.astype(np.result_type(x, y))


def _gelu(x: Array, approximate: str = "none") -> Array:
    wide = _wide(x)
    if approximate == "tanh":
        inner = np.tanh(np.sqrt(2 / np.pi) * (wide + 0.044715 * wide**3))
    else:
        inner = np.vectorize(erf, otypes=[float])(wide / np.sqrt(2)) if wide.size else wide
    return np.asarray(wide * 0.5 * (1 + inner)).astype(x.dtype)


def _glu(x: Array, dim: int = -1) -> Array:
    first, second = np.split(_wide(x), 2, dim)
    return np.asarray(first / (1 + np.exp(-second))).astype(x.dtype)


def _reduced(each: Array, reduction: str) -> Array:
    found = np.sum(each) if reduction == "sum" else np.mean(each) if reduction == "mean" else each
    return np.asarray(found).astype(each.dtype)


def _smooth(x: Array, y: Array, reduction: str = "mean", beta: float = 1.0) -> Array:
    d = np.abs(x - y)
    return _reduced(np.where(d < beta, 0.5 * d * d / beta, d - 0.5 * beta).astype(d.dtype) if beta else d, reduction)


def _huber(x: Array, y: Array, reduction: str = "mean", delta: float = 1.0) -> Array:
    d = np.abs(x - y)
    return _reduced(np.where(d <= delta, 0.5 * d * d, delta * (d - 0.5 * delta)).astype(d.dtype), reduction)


def _losses(name: str, function: Any, option: str | None = None, value: float = 0.5) -> Samples:
    further = () if option is None else (Call(T(2, 3), T(2, 3, layout="t"), **{option: value}),)
    return Samples(
        f"nn.functional.{name}",
        function,
        Call(T(3, 4), T(3, 4)),
        Call(T(3, 4, layout="t"), T(3, 4, layout="s"), reduction="sum"),
        Call(T(2, 3), T(2, 3), reduction="none"),
        Call(T(), T()),
        *further,
        wrong=(
            Wrong((ValueError), "reduction", T(2), T(2), reduction="most"),
            Wrong(RuntimeError, "must match", T(3), T(4)),
        ),
    )


SAMPLES = (
    *(
        Samples(
            path,
            function,
            Call(T(3, 4), 1),
            Call(T(3, 4, layout="t"), 0),
            Call(T(2, 3, 4, layout="s"), -1),
            Call(T(5, layout="r"), 0),
            Call(T(), 0),
            Call(T(3, 70, low=-50, high=50), 1),
            *typed,
            dtypes=ROUGH,
            atol=1e-5,
            wrong=(WRONG_DIM,),
        )
        for function, paths, typed in (
            (_softmax, ("softmax", "special.softmax"), (Call(T(2, 3, dtype="int64"), 1, dtype=Name("float64")),)),
            (_softmax, ("nn.functional.softmax",), (Call(T(2, 3, dtype="int64"), 1, dtype=Name("float64")),)),
            (_log_softmax, ("log_softmax", "special.log_softmax"), (Call(T(2, 3), 1, dtype=Name("float64")),)),
            (_log_softmax, ("nn.functional.log_softmax",), (Call(T(2, 3), 1, dtype=Name("float64")),)),
            (lambda x, dim, dtype=None: _softmax(-x, dim, dtype), ("nn.functional.softmin",), ()),
        )
        for path in paths
    ),
    Samples(
        "div",
        _divided,
        Call(T(3, 4), T(3, 4, low=0.5, high=3), rounding_mode="floor"),
        Call(T(3, 4, layout="t"), T(4, low=0.5, high=3), rounding_mode="trunc"),
        Call(T(3, layout="s"), T(), rounding_mode="floor"),
        Call(T(2, 3, dtype="int64", low=-9, high=9), T(3, dtype="int64", values=(2, -2, 4)), rounding_mode="trunc"),
        Call(T(2, 3, dtype="int8", low=-9, high=9), T(3, dtype="int64", values=(2, -2, 4)), rounding_mode="floor"),
        Call(T(3, layout="r"), T(3, values=(0.0, 2.0, -1.0)), rounding_mode="floor"),
        dtypes=ROUGH,
        wrong=(
            Wrong(RuntimeError, "rounding_mode", T(2), T(2), rounding_mode="up"),
            Wrong(
                RuntimeError,
                "ZeroDivisionError",
                T(2, dtype="int64"),
                T(2, dtype="int64", values=(0, 1)),
                rounding_mode="floor",
            ),
        ),
    ),
    *(
        Samples(
            path,
            _logsumexp,
            Call(T(3, 4), 1),
            Call(T(3, 4, layout="t"), 0, True),
            Call(T(2, 3, 4, layout="s"), (0, 2)),
            Call(T(3, low=-90, high=90), -1),
            dtypes=ROUGH,
            wrong=(WRONG_DIM,),
        )
        for path in ("logsumexp", "special.logsumexp")
    ),
    *(
        Samples(
            path,
            _layer_norm,
            Call(T(3, 4), (4,)),
            Call(T(3, 4, layout="t"), (4,), T(4), T(4)),
            Call(T(2, 3, 4, layout="s"), (3, 4), None, T(3, 4), 0.5),
            Call(T(3, 70), (70,), T(70)),
            rtol=1e-4,
            atol=1e-5,
            wrong=(Wrong(RuntimeError, "normalized_shape", T(3, 4), (3,)), Wrong(RuntimeError, "", T(3, 4), ())),
        )
        for path in ("layer_norm", "nn.functional.layer_norm")
    ),
    *(
        Samples(
            path,
            _rms_norm,
            Call(T(3, 4), (4,)),
            Call(T(3, 4, layout="t"), (4,), T(4)),
            Call(T(2, 3, 4, layout="s"), (3, 4), None, 0.5),
            rtol=1e-4,
            atol=1e-5,
            wrong=(Wrong(RuntimeError, "normalized_shape", T(3, 4), (3,)),),
        )
        for path in ("rms_norm", "nn.functional.rms_norm")
    ),
    Samples(
        "nn.functional.gelu",
        _gelu,
        Call(T(3, 4)),
        Call(T(3, 4, layout="t"), approximate="tanh"),
        Call(T()),
        Call(T(0)),
        Call(T(9, layout="r", low=-9, high=9)),
        dtypes=ROUGH,
        wrong=(
            Wrong(RuntimeError, "approximate argument must be either none or tanh", T(2), approximate="fast"),
            Wrong(NotImplementedError, "", T(2, dtype="int64")),
        ),
    ),
    Samples(
        "nn.functional.glu",
        _glu,
        Call(T(3, 4)),
        Call(T(4, 3, layout="t"), 0),
        Call(T(2, 4, 3, layout="s"), dim=1),
        dtypes=ROUGH,
        wrong=(Wrong(RuntimeError, "must be even", T(2, 3)), Wrong(RuntimeError, "0-dimensional", T())),
    ),
    Samples(
        "nn.functional.softsign", lambda x: x / (1 + np.abs(x)), Call(T(3, 4)), Call(T()), Call(T(0)), dtypes=ROUGH
    ),
    Samples("nn.functional.tanhshrink", lambda x: x - np.tanh(x), Call(T(3, 4)), Call(T(3, layout="r")), Call(T())),
    _losses("l1_loss", lambda x, y, reduction="mean": _reduced(np.abs(x - y), reduction)),
    _losses("mse_loss", lambda x, y, reduction="mean": _reduced((x - y) ** 2, reduction)),
    _losses("smooth_l1_loss", _smooth, "beta"),
    _losses("huber_loss", _huber, "delta"),
)
"""All samples of this module."""
