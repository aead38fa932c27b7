"""Samples of losses."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.samples.base import FLOATS, Call, Samples, T, Wrong


def reduced(losses: Any, reduction: str = "mean") -> Any:
    return {"none": lambda: losses, "mean": lambda: losses.mean(), "sum": lambda: losses.sum()}[reduction]()


def log_softmax(x: Any) -> Any:
    """Of dimension 1."""
    x = x.astype(np.float64)
    return x - np.log(np.exp(x).sum(1, keepdims=True))


def nll(x: Any, target: Any, weight: Any = None, ignore_index: int = -100, reduction: str = "mean") -> Any:
    counts = target != ignore_index
    safe = np.where(counts, target, 0)
    w = (np.ones(x.shape[1]) if weight is None else weight)[safe] * counts
    losses = -np.take_along_axis(x, np.expand_dims(safe, 1), 1)[:, 0] * w
    return losses.sum() / w.sum() if reduction == "mean" else reduced(losses, reduction)


def cross_entropy(
    x: Any,
    target: Any,
    weight: Any = None,
    ignore_index: int = -100,
    reduction: str = "mean",
    label_smoothing: float = 0,
) -> Any:
    likely = log_softmax(x)
    w = np.ones(x.shape[1]) if weight is None else weight
    shaped = w.reshape(-1, *[1] * (x.ndim - 2))
    if target.dtype.kind == "f":
        shares = target * (1 - label_smoothing) + label_smoothing / x.shape[1]
        losses = -(likely * shares * shaped).sum(1)
        return losses.sum() / (x.size // x.shape[1]) if reduction == "mean" else reduced(losses, reduction)
    right = nll(likely, target, weight, ignore_index, reduction)
    counts = target != ignore_index
    spread = np.where(counts, -(likely * shaped).sum(1), 0)
    total = (w[np.where(counts, target, 0)] * counts).sum()
    smooth = spread.sum() / total if reduction == "mean" else reduced(spread, reduction)
    return (1 - label_smoothing) * right + label_smoothing / x.shape[1] * smooth


def linear_cross_entropy(x: Any, rows: Any, target: Any, linear_bias: Any = None, **options: Any) -> Any:
    scores = x @ rows.reshape(-1, rows.shape[-1]).T + (0 if linear_bias is None else linear_bias.reshape(-1))
    return cross_entropy(scores.reshape(len(x), *rows.shape[:-1]), target, **options)


def bce(x: Any, target: Any, weight: Any = None, reduction: str = "mean") -> Any:
    losses = -(target * np.maximum(np.log(x), -100) + (1 - target) * np.maximum(np.log1p(-x), -100))
    return reduced(losses if weight is None else losses * weight, reduction)


def bce_logits(x: Any, target: Any, weight: Any = None, reduction: str = "mean", pos_weight: Any = None) -> Any:
    x = x.astype(np.float64)
    p = 1 / (1 + np.exp(-x))
    losses = -(target * np.log(p) * (1 if pos_weight is None else pos_weight) + (1 - target) * np.log(1 - p))
    return reduced(losses if weight is None else losses * weight, reduction)


def kl_div(x: Any, target: Any, reduction: str = "mean", log_target: bool = False) -> Any:
    losses = np.exp(target) * (target - x) if log_target else target * (np.log(target) - x)
    return losses.sum() / x.shape[0] if reduction == "batchmean" else reduced(losses, reduction)


def multi_margin(
    x: Any, target: Any, p: int = 1, margin: float = 1.0, weight: Any = None, reduction: str = "mean"
) -> Any:
    if x.ndim < 2:
        found = multi_margin(x.reshape(1, -1), target.reshape(-1), p, margin, weight, reduction)
        return found.reshape(target.shape) if reduction == "none" else found
    rows = np.arange(len(x))
    near = np.maximum(x - x[rows, target][:, None] + margin, 0) ** p
    near[rows, target] = 0
    return reduced((near * (1 if weight is None else weight[target][:, None])).mean(1), reduction)


def cosine(a: Any, b: Any, target: Any, margin: float = 0, reduction: str = "mean") -> Any:
    cos = (a * b).sum(-1) / np.sqrt(((a * a).sum(-1) + 1e-12) * ((b * b).sum(-1) + 1e-12))
    return reduced(np.where(target == 1, 1 - cos, np.maximum(cos - margin, 0)), reduction)


def triplet(a: Any, p: Any, n: Any, margin: float = 1.0, swap: bool = False, reduction: str = "mean") -> Any:
    def d(u: Any, v: Any) -> Any:
        return np.sqrt(((u - v + 1e-6) ** 2).sum(-1))

    away = np.minimum(d(a, n), d(p, n)) if swap else d(a, n)
    return reduced(np.maximum(margin + d(a, p) - away, 0), reduction)


def poisson(x: Any, target: Any, log_input: bool = True, full: bool = False, reduction: str = "mean") -> Any:
    losses = np.exp(x) - target * x if log_input else x - target * np.log(x + 1e-8)
    if full:
        stirling = target * np.log(target) - target + 0.5 * np.log(2 * np.pi * target)
        losses = losses + np.where(target > 1, stirling, 0)
    return reduced(losses, reduction)


def gaussian(x: Any, target: Any, var: Any, full: bool = False, reduction: str = "mean") -> Any:
    var = np.maximum(var, 1e-6)
    return reduced(0.5 * (np.log(var) + (x - target) ** 2 / var) + (0.5 * np.log(2 * np.pi) if full else 0), reduction)


def soft_labels(x: Any, target: Any, weight: Any = None, reduction: str = "mean") -> Any:
    losses = bce_logits(x, target, reduction="none") * (1 if weight is None else weight)
    return reduced(losses.mean(-1), reduction)


CLASSES = T(4, dtype="int64", values=[1, 0, 2, 1])
SOME = T(4, dtype="int64", values=[1, -100, 2, 1])
SIGNS = T(3, dtype="int64", values=[1, -1, 1])
PROBABLE = T(4, 3, low=0.1, high=0.9)
F = "nn.functional."

SAMPLES = (
    Samples(
        F + "nll_loss",
        nll,
        Call(T(4, 3), CLASSES),
        Call(T(4, 3, layout="t"), SOME, T(3, low=0.5, high=2), reduction="sum"),
        Call(T(2, 3, 2), T(2, 2, dtype="int64", values=[0, 1, 2, 0]), ignore_index=2, reduction="none"),
        dtypes=FLOATS,
        wrong=(
            Wrong(IndexError, "Target 7 is out of bounds", T(4, 3), T(4, dtype="int64", values=[0, 7, 1, 1])),
            Wrong(ValueError, "to match target batch_size", T(4, 3), T(3, dtype="int64", low=0)),
            Wrong(RuntimeError, "Long or Byte", T(4, 3), T(4)),
            Wrong(ValueError, "is not a valid value for reduction", T(4, 3), CLASSES, reduction="most"),
        ),
    ),
    Samples(
        F + "cross_entropy",
        cross_entropy,
        Call(T(4, 3), CLASSES),
        Call(T(4, 3), SOME, T(3, low=0.5, high=2), label_smoothing=0.25),
        Call(T(4, 3), PROBABLE, T(3, low=0.5, high=2), reduction="sum", label_smoothing=0.5),
        Call(T(2, 3, 2), T(2, 2, dtype="int64", values=[0, 1, 2, 0]), reduction="none", label_smoothing=0.125),
        dtypes=FLOATS,
        wrong=(
            Wrong(RuntimeError, "label_smoothing must be between", T(4, 3), CLASSES, label_smoothing=1.5),
            Wrong(RuntimeError, "the shape of the input", T(4, 3), T(4, 2)),
        ),
    ),
    Samples(
        F + "linear_cross_entropy",
        linear_cross_entropy,
        Call(T(4, 2), T(3, 2), CLASSES),
        Call(T(4, 2), T(3, 2), SOME, linear_bias=T(3), weight=T(3, low=0.5, high=2), label_smoothing=0.25),
        Call(T(1, 2), T(3, 2, 2), T(1, 2, dtype="int64", values=[2, 0]), linear_bias=T(3, 2), reduction="none"),
        dtypes=FLOATS,
        wrong=(
            Wrong(RuntimeError, "more than 2 dimensions", T(2), T(3, 2, 2), CLASSES, torch=False),
            Wrong(RuntimeError, "at least 2 dimensions", T(4, 2), T(2), CLASSES, torch=False),
        ),
    ),
    Samples(
        F + "binary_cross_entropy",
        bce,
        Call(PROBABLE, PROBABLE),
        Call(PROBABLE, T(4, 3, low=0, high=1), T(3, low=0.5, high=2), reduction="none"),
        dtypes=FLOATS,
        wrong=(
            Wrong(RuntimeError, "between 0 and 1", T(3, low=2, high=3), T(3)),
            Wrong(ValueError, "is different to the input size", PROBABLE, T(4, 1)),
        ),
    ),
    Samples(
        F + "binary_cross_entropy_with_logits",
        bce_logits,
        Call(T(4, 3), PROBABLE),
        Call(T(4, 3), PROBABLE, T(3, low=0.5, high=2), pos_weight=T(3, low=0.5, high=2), reduction="none"),
        dtypes=FLOATS,
        wrong=(Wrong(ValueError, "must be the same as input size", T(4, 3), T(4, 1)),),
    ),
    Samples(
        F + "kl_div",
        kl_div,
        Call(T(4, 3), PROBABLE, reduction="batchmean"),
        Call(T(4, 3), T(4, 3, low=-2, high=0), reduction="sum", log_target=True),
        Call(T(4, 3), PROBABLE, reduction="none"),
        dtypes=FLOATS,
    ),
    Samples(
        F + "multi_margin_loss",
        multi_margin,
        Call(T(4, 3), CLASSES),
        Call(T(4, 3), CLASSES, 2, 0.5, T(3, low=0.5, high=2), reduction="none"),
        Call(T(3), T(values=2, dtype="int64")),
        Call(T(3), T(1, values=[2], dtype="int64"), reduction="none"),
        Call(T(), T(values=0, dtype="int64"), reduction="none"),
        dtypes=FLOATS,
        wrong=(
            Wrong(ValueError, "only p == 1 and p == 2", T(4, 3), CLASSES, 3),
            Wrong(RuntimeError, "with size 2", T(2, 3), CLASSES),
            Wrong(RuntimeError, "non-empty", T(4, 0), CLASSES),
        ),
    ),
    Samples(
        F + "margin_ranking_loss",
        lambda a, b, y, margin=0, reduction="mean": reduced(np.maximum(-y * (a - b) + margin, 0), reduction),
        Call(T(3), T(3), SIGNS),
        Call(T(3), T(3), SIGNS, 0.5, reduction="none"),
        dtypes=FLOATS,
    ),
    Samples(
        F + "hinge_embedding_loss",
        lambda x, y, margin=1.0, reduction="mean": reduced(np.where(y == 1, x, np.maximum(margin - x, 0)), reduction),
        Call(T(3), SIGNS),
        Call(T(2, 3), SIGNS, 2.0, reduction="none"),
        dtypes=FLOATS,
    ),
    Samples(
        F + "cosine_embedding_loss",
        cosine,
        Call(T(3, 4), T(3, 4), SIGNS),
        Call(T(3, 4), T(3, 4), SIGNS, margin=0.25, reduction="none"),
        dtypes=FLOATS,
        wrong=(Wrong(RuntimeError, "cosine_embedding_loss", T(2, 3, 4), T(2, 3, 4), SIGNS),),
    ),
    Samples(
        F + "triplet_margin_loss",
        triplet,
        Call(T(3, 4), T(3, 4), T(3, 4)),
        Call(T(3, 4), T(3, 4), T(3, 4), margin=2.0, swap=True, reduction="none"),
        dtypes=FLOATS,
        rtol=1e-4,
        wrong=(Wrong(RuntimeError, "same number of dimensions", T(3, 4), T(3, 4), T(4)),),
    ),
    Samples(
        F + "triplet_margin_with_distance_loss",
        triplet,
        Call(T(3, 4), T(3, 4), T(3, 4)),
        Call(T(3, 4), T(3, 4), T(3, 4), margin=2.0, swap=True, reduction="none"),
        dtypes=FLOATS,
        rtol=1e-4,
        wrong=(
            Wrong(RuntimeError, "same number of dimensions", T(3, 4), T(3, 4), T(4)),
            Wrong(ValueError, "greater than 0", T(3), T(3), T(3), margin=0.0),
        ),
    ),
    Samples(
        F + "poisson_nll_loss",
        poisson,
        Call(T(4), T(4, low=0, high=5)),
        Call(T(4, low=0.5, high=4), T(4, low=1.5, high=5), log_input=False, full=True, reduction="none"),
        dtypes=FLOATS,
    ),
    Samples(
        F + "gaussian_nll_loss",
        gaussian,
        Call(T(4), T(4), T(4, low=0.5, high=2)),
        Call(T(2, 3), T(2, 3), T(2, 1, low=0.5, high=2), full=True, reduction="none"),
        dtypes=FLOATS,
        wrong=(Wrong(ValueError, "negative", T(2), T(2), T(2, low=-2, high=-1)),),
    ),
    Samples(
        F + "soft_margin_loss",
        lambda x, y, reduction="mean": reduced(np.log1p(np.exp(-y * x)), reduction),
        Call(T(3), SIGNS),
        Call(
            T(2, 3),
            SIGNS,
            reduction="none",
        ),
        dtypes=FLOATS,
        torch=False,
        why="PyTorch refuses to broadcast",
    ),
    Samples(
        F + "multilabel_soft_margin_loss",
        soft_labels,
        Call(T(4, 3), PROBABLE),
        Call(T(4, 3), PROBABLE, T(3, low=0.5, high=2), reduction="none"),
        dtypes=FLOATS,
    ),
)
"""All samples of this module."""
