"""Samples of the operators of torchaudio's library."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.samples.base import Array, Call, Samples, T, Wrong

WHY = "PyTorch alone, without torchaudio, has no such operators"
FEEDBACK = T(values=[[0.5, -0.25, 1.0], [0.0, 0.75, 1.0]])


def _filtered(x: Array, a: Array, out: Array) -> Array:
    found = out.astype(np.float64)
    for t in range(x.shape[2]):
        found[:, :, t + a.shape[1] - 1] = x[:, :, t] - (found[:, :, t : t + a.shape[1]] * a).sum(-1)
    return found.astype(x.dtype)


def _overdriven(x: Array, distorted: Array, last_in: Array, last_out: Array, out: Array) -> Any:
    found, before, state = np.zeros(x.shape), last_in.astype(np.float64), last_out.astype(np.float64)
    for t in range(x.shape[1]):
        state = distorted[:, t] - before + 0.995 * state
        before = distorted[:, t].astype(np.float64)
        found[:, t] = x[:, t] * 0.5 + state * 0.75
    return before.astype(x.dtype), state.astype(x.dtype), found.astype(x.dtype)


SAMPLES = (
    Samples(
        "ops.torchaudio._lfilter_core_loop",
        _filtered,
        Call(T(3, 2, 9), FEEDBACK, T(3, 2, 11, low=0, high=1e-30)),
        Call(T(1, 2, 6, layout="s"), FEEDBACK, T(1, 2, 8, low=0, high=1e-30)),
        Call(T(0, 2, 6), FEEDBACK, T(0, 2, 8)),
        wrong=(
            Wrong(RuntimeError, "expected 3D, 2D and 3D", T(2, 9), FEEDBACK, T(3, 2, 11), torch=False),
            Wrong(RuntimeError, "batch and channels", T(3, 1, 9), FEEDBACK, T(3, 2, 11), torch=False),
            Wrong(RuntimeError, "do not give 10", T(3, 2, 9), FEEDBACK, T(3, 2, 10), torch=False),
        ),
        torch=False,
        rtol=1e-4,
        atol=1e-5,
        why=WHY,
    ),
    Samples(
        "ops.torchaudio._overdrive_core_loop",
        _overdriven,
        Call(T(2, 9), T(2, 9), T(2), T(2), T(2, 9)),
        Call(T(2, 9, layout="t"), T(2, 9, layout="s"), T(2), T(2), T(2, 9, layout="t")),
        Call(T(0, 9), T(0, 9), T(0), T(0), T(0, 9)),
        wrong=(
            Wrong(RuntimeError, "two dimensions", T(9), T(9), T(2), T(2), T(9), torch=False),
            Wrong(RuntimeError, "different sizes", T(2, 9), T(2, 8), T(2), T(2), T(2, 9), torch=False),
            Wrong(RuntimeError, "one number for each channel", T(2, 9), T(2, 9), T(3), T(2), T(2, 9), torch=False),
        ),
        torch=False,
        rtol=1e-4,
        atol=1e-5,
        why=WHY,
    ),
)
