"""Samples of recurrent networks."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.samples.base import Call, Samples, T, Wrong


def sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def sums(x: Any, w: Any, b: Any) -> Any:
    return x @ w.T + (0 if b is None else b)


def lstm_cell(x: Any, hx: Any, w_ih: Any, w_hh: Any, b_ih: Any = None, b_hh: Any = None) -> Any:
    i, f, g, o = np.split(sums(x, w_ih, b_ih) + sums(hx[0], w_hh, b_hh), 4, -1)
    c = sigmoid(f) * hx[1] + sigmoid(i) * np.tanh(g)
    return sigmoid(o) * np.tanh(c), c


def gru_cell(x: Any, h: Any, w_ih: Any, w_hh: Any, b_ih: Any = None, b_hh: Any = None) -> Any:
    (r, z, n), (hr, hz, hn) = np.split(sums(x, w_ih, b_ih), 3, -1), np.split(sums(h, w_hh, b_hh), 3, -1)
    z = sigmoid(z + hz)
    return (1 - z) * np.tanh(n + sigmoid(r + hr) * hn) + z * h


def step(function: Any) -> Any:
    return lambda x, h, w, v, b=None, c=None: function(sums(x, w, b) + sums(h, v, c))


SAMPLES = (
    Samples(
        "lstm_cell",
        lstm_cell,
        Call(T(3, 2), [T(3, 4), T(3, 4)], T(16, 2), T(16, 4), T(16), T(16)),
        Call(T(3, 2), (T(3, 4), T(3, 4)), T(16, 2), T(16, 4)),
        wrong=(
            Wrong(RuntimeError, "inconsistent input_size", T(3, 5), [T(3, 4), T(3, 4)], T(16, 2), T(16, 4)),
            Wrong(RuntimeError, "needs weights of", T(3, 2), [T(3, 4), T(3, 4)], T(12, 2), T(12, 4)),
        ),
    ),
    Samples(
        "gru_cell",
        gru_cell,
        Call(T(3, 2), T(3, 4), T(12, 2), T(12, 4), T(12), T(12)),
        Call(T(1, 2), T(1, 4), T(12, 2), T(12, 4)),
    ),
    Samples(
        "rnn_tanh_cell",
        step(np.tanh),
        Call(T(3, 2), T(3, 4), T(4, 2), T(4, 4), T(4), T(4)),
        Call(T(1, 2), T(1, 4), T(4, 2), T(4, 4)),
    ),
    Samples("rnn_relu_cell", step(lambda x: np.maximum(x, 0)), Call(T(3, 2), T(3, 4), T(4, 2), T(4, 4), T(4), T(4))),
)
"""All samples of this module."""
