"""Samples of recurrent networks."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.samples.base import FLOATS, Call, Samples, T, Wrong


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


def layers(kind: str, packed: bool = False) -> Any:
    """The reference of a network: each layer and direction, step by step."""

    def run(x: Any, *rest: Any) -> Any:
        batches = rest[0].tolist() if packed else None
        hx, params, has_biases, count, _, _, both = rest[1:] if packed else rest[:7]
        batch_first = not packed and rest[7]
        x = x.swapaxes(0, 1) if batch_first else x
        batches = batches or [x.shape[1]] * len(x)
        states = [np.array(h) for h in hx] if kind == "lstm" else [np.array(hx)]
        directions = 2 if both else 1
        each = len(params) // (count * directions)
        sequence = [list(x[sum(batches[:t]) :][:n]) if packed else list(x[t]) for t, n in enumerate(batches)]
        for layer in range(count):
            outs = [[[None] * directions for _ in rows] for rows in sequence]
            for d in range(directions):
                k = layer * directions + d
                own = params[k * each : k * each + each]
                biases = own[2:4] if has_biases else [None, None]
                steps = range(len(batches))
                for t in reversed(steps) if d else steps:
                    for b, row in enumerate(sequence[t]):
                        h = states[0][k, b]
                        if kind == "lstm":
                            h, states[1][k, b] = lstm_cell(row, (h, states[1][k, b]), *own[:2], *biases)
                            h = own[-1] @ h if len(own) % 2 else h
                        elif kind == "gru":
                            h = gru_cell(row, h, *own[:2], *biases)
                        else:
                            h = step(np.tanh if kind == "tanh" else lambda x: np.maximum(x, 0))(
                                row, h, *own[:2], *biases
                            )
                        states[0][k, b] = outs[t][b][d] = h
            sequence = [[np.concatenate(found) for found in rows] for rows in outs]
        out = np.concatenate([np.array(rows) for rows in sequence]) if packed else np.array(sequence)
        return (out.swapaxes(0, 1) if batch_first else out, *states)

    return run


def either(kind: str) -> Any:
    """The reference of a network whose data may be packed: then the second argument has the sizes of the batches."""
    return lambda x, second, *rest: layers(kind, getattr(second, "dtype", None) == np.int64)(x, second, *rest)


def small(*shape: int) -> T:
    """A weight: a step makes of rounded states what is as near to the right ones."""
    return T(*shape, low=-0.4, high=0.4)


def weights(gates: int, width: int, hidden: int, biases: bool = True, state: int = 0) -> list[T]:
    """The weights of a layer and direction."""
    found = [small(gates * hidden, width), small(gates * hidden, state or hidden)]
    if biases:
        found += [T(gates * hidden), T(gates * hidden)]
    return [*found, small(state, hidden)] if state else found


BATCHES = T(3, values=[3, 2, 1], dtype="int64")
ONCE = (True, 1, 0.0, False, False, False)
"""One layer with biases."""


def network(name: str, kind: str, gates: int) -> Samples:
    """The samples of a network without cells."""
    deep = [*weights(gates, 2, 4) * 2, *weights(gates, 8, 4) * 2, *weights(gates, 8, 4) * 2]
    wide = weights(gates, 3, 70)
    return Samples(
        name,
        either(kind),
        Call(T(5, 3, 2), T(1, 3, 4), weights(gates, 2, 4), *ONCE),
        Call(T(3, 5, 2), T(6, 3, 4), deep, True, 3, 0.0, True, True, True),
        Call(T(2, 7, 3, layout="t"), T(1, 7, 70, layout="s"), wide, *ONCE),
        Call(T(2, 1, 2), T(1, 1, 4), tuple(weights(gates, 2, 4, False)), False, 1, 0.0, False, False, False),
        Call(T(6, 2), BATCHES, T(2, 3, 4), weights(gates, 2, 4) * 2, True, 1, 0.0, False, True),
        dtypes=(*FLOATS, "float16"),
        rtol=1e-4,
        atol=1e-4,
        wrong=(
            Wrong(RuntimeError, "3 dimensions", T(5, 2), T(1, 3, 4), weights(gates, 2, 4), *ONCE, torch=False),
            Wrong(RuntimeError, "hidden size", T(5, 3, 2), T(1, 2, 4), weights(gates, 2, 4), *ONCE, torch=False),
            Wrong(RuntimeError, "input_size", T(5, 3, 3), T(1, 3, 4), weights(gates, 2, 4), *ONCE, torch=False),
            Wrong(
                RuntimeError, "weights and biases", T(5, 3, 2), T(1, 3, 4), weights(gates, 2, 4)[:2], *ONCE, torch=False
            ),
            Wrong(RuntimeError, "larger than 0", T(0, 3, 2), T(1, 3, 4), weights(gates, 2, 4), *ONCE, torch=False),
            Wrong(
                NotImplementedError,
                "convert it to float32",
                T(5, 3, 2, dtype="int64"),
                T(1, 3, 4, dtype="int64"),
                [T(gates * 4, 2, dtype="int64"), T(gates * 4, 4, dtype="int64")],
                False,
                *ONCE[1:],
                torch=False,
            ),
        ),
    )


LSTM = Samples(
    "lstm",
    either("lstm"),
    Call(T(5, 3, 2), [T(1, 3, 4), T(1, 3, 4)], weights(4, 2, 4), *ONCE),
    Call(
        T(3, 5, 2),
        [T(4, 3, 4), T(4, 3, 4)],
        [*weights(4, 2, 4) * 2, *weights(4, 8, 4) * 2],
        True,
        2,
        0.5,
        False,
        True,
        True,
    ),
    Call(T(2, 7, 3, layout="t"), (T(1, 7, 70), T(1, 7, 70, layout="s")), weights(4, 3, 70), *ONCE),
    Call(T(2, 2, 2), [T(1, 2, 4), T(1, 2, 4)], weights(4, 2, 4, False), False, 1, 0.0, False, False, False),
    Call(T(2, 3, 2), [T(2, 3, 3), T(2, 3, 5)], weights(4, 2, 5, True, 3) * 2, True, 1, 0.0, False, True, False),
    Call(T(6, 2), BATCHES, [T(2, 3, 4), T(2, 3, 4)], weights(4, 2, 4) * 2, True, 1, 0.0, False, True),
    Call(T(6, 2), BATCHES, [T(1, 3, 3), T(1, 3, 4)], weights(4, 2, 4, False, 3), False, 1, 0.0, False, False),
    dtypes=(*FLOATS, "bfloat16"),
    rtol=1e-4,
    atol=1e-4,
    wrong=(
        Wrong(RuntimeError, "two hidden states", T(5, 3, 2), [], weights(4, 2, 4), *ONCE),
        Wrong(RuntimeError, "two hidden states", T(5, 3, 2), [T(1, 3, 4)], weights(4, 2, 4), *ONCE, torch=False),
        Wrong(
            RuntimeError,
            "expected a weight",
            T(5, 3, 2),
            [T(1, 3, 4), T(1, 3, 4)],
            weights(4, 2, 5),
            *ONCE,
            torch=False,
        ),
        Wrong(
            RuntimeError,
            "batch_sizes",
            T(6, 2),
            T(3, values=[1, 2, 3], dtype="int64"),
            [T(1, 3, 4), T(1, 3, 4)],
            weights(4, 2, 4),
            *ONCE[:-1],
            torch=False,
        ),
    ),
)


SAMPLES = (
    LSTM,
    network("gru", "gru", 3),
    network("rnn_tanh", "tanh", 1),
    network("rnn_relu", "relu", 1),
    Samples(
        "lstm_cell",
        lstm_cell,
        Call(T(3, 2), [T(3, 4), T(3, 4)], T(16, 2), T(16, 4), T(16), T(16)),
        Call(T(3, 2), (T(3, 4), T(3, 4)), T(16, 2), T(16, 4)),
        wrong=(
            Wrong(RuntimeError, "inconsistent input_size", T(3, 5), [T(3, 4), T(3, 4)], T(16, 2), T(16, 4)),
            Wrong(RuntimeError, "needs weights of", T(3, 2), [T(3, 4), T(3, 4)], T(12, 2), T(12, 4)),
            Wrong(RuntimeError, "two hidden states", T(3, 2), [T(3, 4)], T(16, 2), T(16, 4)),
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
