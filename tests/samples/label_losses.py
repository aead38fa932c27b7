"""Samples of losses of several labels for one sample. The references go over all alignments, and over all pairs."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from tests.samples.base import Array, Call, Samples, T, Wrong


def _reduced(losses: Array, reduction: str, x: Array) -> Array:
    found = losses.mean() if reduction == "mean" else losses.sum() if reduction == "sum" else losses
    return np.asarray(found).astype(x.dtype)


def _collapsed(path: tuple[int, ...], blank: int) -> list[int]:
    return [p for i, p in enumerate(path) if p != blank and (i == 0 or path[i - 1] != p)]


def _ctc(
    x: Array,
    targets: Array,
    steps: Any,
    lengths: Any,
    blank: int = 0,
    reduction: str = "mean",
    zero_infinity: bool = False,
) -> Array:
    log_probs = (x[:, None] if x.ndim == 2 else x).astype(np.float64)
    steps, lengths = np.atleast_1d(steps), np.atleast_1d(lengths)
    begins = np.cumsum(lengths) - lengths
    found = []
    for n, (t, count) in enumerate(zip(steps, lengths, strict=True)):
        row = targets[n] if targets.ndim == 2 else targets[begins[n] :]
        wanted = [int(label) for label in row[:count]]
        paths = product(range(log_probs.shape[2]), repeat=int(t))
        likely = [
            np.exp(sum(log_probs[i, n, label] for i, label in enumerate(path)))
            for path in paths
            if _collapsed(path, blank) == wanted
        ]
        loss = -np.log(sum(likely)) if likely else np.inf
        found.append(0.0 if zero_infinity and np.isinf(loss) else loss)
    losses = np.array(found)
    if reduction == "mean":
        losses = losses / np.maximum(lengths, 1)
    elif x.ndim == 2:
        losses = losses.reshape(())
    return _reduced(losses, reduction, x)


def _multilabel(x: Array, target: Array, reduction: str = "mean") -> Array:
    rows, labels = np.atleast_2d(x), np.atleast_2d(target)
    found = []
    for scores, named in zip(rows, labels, strict=True):
        right = [int(n) for n in named[: [*named, -1].index(-1)]]
        pairs = [max(0.0, 1 - scores[j] + scores[i]) for j in right for i in range(len(scores)) if i not in right]
        found.append(sum(pairs) / len(scores))
    losses = np.array(found)
    return _reduced(losses if x.ndim == 2 else losses.reshape(()), reduction, x)


def _log_probs(*shape: int) -> T:
    """Numbers that may be logarithms of probabilities; they need not sum to 1."""
    return T(*shape, low=-4, high=-0.2)


def _ints(values: Any) -> T:
    return T(*np.shape(values), values=values, dtype="int64")


_TARGETS = [[1, 2, 2], [2, 1, 0]]

SAMPLES = (
    Samples(
        "nn.functional.ctc_loss",
        _ctc,
        Call(_log_probs(5, 2, 3), _ints(_TARGETS), _ints([5, 4]), _ints([3, 2])),
        Call(_log_probs(5, 2, 3), _ints(_TARGETS), _ints([5, 2]), _ints([3, 0]), reduction="none"),
        Call(_log_probs(4, 2, 3), _ints([1, 2, 2, 1]), (4, 3), (2, 2), reduction="sum"),
        Call(_log_probs(3, 2, 3), _ints(_TARGETS), (3, 3), (3, 2), 0, "none"),
        Call(_log_probs(3, 2, 3), _ints(_TARGETS), (3, 3), (3, 2), 0, "mean", True),
        Call(_log_probs(4, 3), _ints([1, 0]), _ints(4), _ints(2), 2, "none"),
        Call(_log_probs(3, 2, 3), _ints(_TARGETS), (3, 0), (1, 0), reduction="none"),
        wrong=(
            Wrong(RuntimeError, "at most 5", _log_probs(5, 1, 3), _ints([[1]]), (6,), (1,)),
            Wrong(RuntimeError, "input_lengths must be of size", _log_probs(5, 2, 3), _ints(_TARGETS), (5,), (1, 1)),
            Wrong(RuntimeError, "input_lengths must be of size", _log_probs(5, 2, 3), _ints(_TARGETS), (), (1, 1)),
            Wrong(RuntimeError, "target_lengths must be of size", _log_probs(5, 2, 3), _ints(_TARGETS), (5, 5), (1,)),
            Wrong(RuntimeError, "at least 0", _log_probs(5, 1, 3), _ints([[1]]), (5,), (-1,)),
            Wrong(RuntimeError, "label range", _log_probs(5, 1, 3), _ints([[1]]), (5,), (1,), 3),
            Wrong(RuntimeError, "out of range", _log_probs(5, 1, 3), _ints([[3]]), (5,), (1,), torch=False),
            Wrong(RuntimeError, "integral", _log_probs(5, 1, 3), _ints([[1]]), T(1, values=[5.0]), _ints([1])),
            Wrong(NotImplementedError, "ctc_loss_cpu", T(5, 1, 3, dtype="int64"), _ints([[1]]), (5,), (1,)),
            Wrong(ValueError, "reduction", _log_probs(5, 1, 3), _ints([[1]]), (5,), (1,), reduction="all"),
        ),
    ),
    Samples(
        "nn.functional.multilabel_margin_loss",
        _multilabel,
        Call(T(2, 4), _ints([[3, 0, -1, 1], [0, -1, 1, 2]])),
        Call(T(2, 4, layout="t"), _ints([[3, 0, -1, 1], [0, 1, 3, 2]]), reduction="none"),
        Call(T(3), _ints([2, -1, 0]), reduction="sum"),
        Call(T(3), _ints([-1, 1, 0]), reduction="none"),
        wrong=(
            Wrong(RuntimeError, "inconsistent target size", T(2, 3), _ints([0, 1, 2])),
            Wrong(RuntimeError, "out of range", T(3), _ints([3, -1, 0])),
            Wrong(RuntimeError, "Long", T(2), T(2, values=[1, 0], dtype="int32")),
            Wrong(RuntimeError, "non-empty", T(2, 0), T(2, 0, dtype="int64")),
            Wrong(NotImplementedError, "not implemented", T(2, dtype="int64"), _ints([0, -1])),
        ),
    ),
)
"""All samples of this module."""
