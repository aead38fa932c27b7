"""Samples of attention."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.samples.base import FLOATS, Array, Call, Samples, T, Wrong


def softmax(x: Array) -> Array:
    top = x.max(-1, keepdims=True, initial=-np.inf)
    weights = np.exp(x - np.where(top == -np.inf, 0, top))
    total = weights.sum(-1, keepdims=True)
    return weights / np.where(total == 0, 1, total)


def attention(
    q: Array,
    k: Array,
    v: Array,
    attn_mask: Array | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    *,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Array:
    if enable_gqa:
        k, v = (np.repeat(t, q.shape[-3] // t.shape[-3], -3) for t in (k, v))
    scores = q @ np.swapaxes(k, -1, -2) * (max(q.shape[-1], 1) ** -0.5 if scale is None else scale)
    if attn_mask is not None:
        scores = np.where(attn_mask, scores, -np.inf) if attn_mask.dtype == bool else scores + attn_mask
    if is_causal:
        scores = np.where(np.tri(*scores.shape[-2:]) > 0, scores, -np.inf)
    return softmax(scores) @ v


def masked(mask: Array | None) -> Any:
    """A mask as numbers that are added."""
    return 0 if mask is None else np.where(mask, -np.inf, 0) if mask.dtype == bool else mask


def heads(
    q: Array,
    k: Array,
    v: Array,
    size: int,
    count: int,
    weight: Array | None,
    bias: Array | None,
    bias_k: Array | None,
    bias_v: Array | None,
    zeros: bool,
    dropout: float,
    out_weight: Array,
    out_bias: Array | None,
    training: bool = True,
    key_padding_mask: Array | None = None,
    need_weights: bool = True,
    attn_mask: Array | None = None,
    use_separate_proj_weight: bool = False,
    q_proj_weight: Array | None = None,
    k_proj_weight: Array | None = None,
    v_proj_weight: Array | None = None,
    static_k: Any = None,
    static_v: Any = None,
    average_attn_weights: bool = True,
    is_causal: bool = False,
) -> Any:
    """Attention of several heads, head by head."""
    alone = q.ndim == 2
    q, k, v = (x[:, None] if alone else x for x in (q, k, v))
    given = (q_proj_weight, k_proj_weight, v_proj_weight) if use_separate_proj_weight else np.split(weight, 3)
    biases = np.split(bias, 3) if bias is not None else [0, 0, 0]
    q, k, v = (x @ np.asarray(w).T + b for x, w, b in zip((q, k, v), given, biases, strict=True))
    batch, each = q.shape[1], size // count
    mask: Any = np.zeros((batch, count, len(q), len(k)), q.dtype)
    if attn_mask is not None:
        mask = mask + (masked(attn_mask) if attn_mask.ndim == 2 else masked(attn_mask).reshape(mask.shape))
    if key_padding_mask is not None:
        mask = mask + masked(key_padding_mask)[..., None, None, :]
    more = 0
    if bias_k is not None:
        k, v, more = (
            *(np.concatenate([x, np.broadcast_to(b, (1, *x.shape[1:]))]) for x, b in ((k, bias_k), (v, bias_v))),
            1,
        )
    if zeros:
        k, v = (np.concatenate([x, np.zeros((1, *x.shape[1:]), x.dtype)]) for x in (k, v))
        more += 1
    mask = np.concatenate([mask, np.zeros((*mask.shape[:-1], more))], -1)
    split = [x.reshape(len(x), batch, count, each).transpose(1, 2, 0, 3) for x in (q, k, v)]
    if static_k is not None:
        split[1:] = [s.reshape(batch, count, *s.shape[1:]) for s in (static_k, static_v)]
    weights = softmax(split[0] @ split[1].swapaxes(-1, -2) * each**-0.5 + mask)
    out = (weights @ split[2]).transpose(2, 0, 1, 3).reshape(len(q), batch, size) @ out_weight.T
    out = out if out_bias is None else out + out_bias
    shown = weights.mean(1) if average_attn_weights else weights
    out, shown = (out[:, 0], shown[0]) if alone else (out, shown)
    return (out, shown) if need_weights else (out, None)


QKV = T(2, 4, 5, 6), T(2, 4, 7, 6), T(2, 4, 7, 3)
X = T(5, 2, 6), T(7, 2, 6), T(7, 2, 6)
PACKED = (6, 2, T(18, 6), T(18), None, None, False, 0.0, T(6, 6), T(6))


SAMPLES = (
    Samples(
        "nn.functional.scaled_dot_product_attention",
        attention,
        Call(*QKV),
        Call(*QKV, T(5, 7, dtype="bool"), scale=0.3),
        Call(*QKV, T(2, 1, 1, 7, low=-1, high=1, layout="t")),
        Call(*QKV, None, 0.0, True),
        Call(T(2, 4, 5, 6), T(2, 2, 7, 6), T(2, 1, 7, 3), enable_gqa=True),
        Call(T(3, 6, layout="t"), T(2, 7, 6), T(7, 3)),
        Call(T(1, 1, 4, 0), T(1, 1, 3, 0), T(1, 1, 3, 2)),
        Call(T(1, 2, 300, 8), T(1, 2, 530, 8, layout="s"), T(1, 2, 530, 4), is_causal=True),
        Call(T(1, 1, 4, 2), T(1, 1, 6, 2), T(1, 1, 6, 2), T(4, 6, values=[*[False] * 12, *[True] * 12], dtype="bool")),
        Call(T(2, 130, 8), T(2, 260, 8), T(2, 260, 33, layout="t"), T(130, 260)),
        dtypes=(*FLOATS, "float16", "bfloat16"),
        atol=1e-4,
        wrong=(
            Wrong(RuntimeError, "is_causal", *QKV, T(5, 7), is_causal=True),
            Wrong(RuntimeError, "one size", T(2, 5), T(3, 6), T(3, 4)),
            Wrong(RuntimeError, "as many keys as values", T(2, 5), T(3, 5), T(4, 4)),
            Wrong(RuntimeError, "2 dimensional", T(5), T(5), T(5)),
            Wrong(RuntimeError, "same dtype", T(2, 5), T(2, 5, dtype="float64"), T(2, 5)),
            Wrong(RuntimeError, "dtype", T(2, 5), T(2, 5), T(2, 5), T(2, 2, dtype="int64")),
            Wrong(RuntimeError, "columns", T(2, 5), T(2, 5), T(2, 5), T(2, 3)),
            Wrong(RuntimeError, "heads", T(1, 3, 2, 5), T(1, 2, 2, 5), T(1, 2, 2, 5), enable_gqa=True),
        ),
    ),
    Samples(
        "nn.functional.multi_head_attention_forward",
        heads,
        Call(*X, *PACKED),
        Call(*X, *PACKED, need_weights=False),
        Call(*X, *PACKED, average_attn_weights=False, attn_mask=T(5, 7)),
        Call(*X, *PACKED, True, T(2, 7, values=[*[False] * 12, True, True], dtype="bool"), attn_mask=T(4, 5, 7)),
        Call(T(5, 6), T(7, 6), T(7, 6), *PACKED, True, T(7), False),
        Call(
            *X,
            *(6, 3, T(18, 6), T(18), T(1, 1, 6), T(1, 1, 6), True, 0.0, T(6, 6), None),
            attn_mask=T(5, 7),
            key_padding_mask=T(2, 7),
        ),
        Call(
            *(T(5, 2, 6), T(7, 2, 4), T(7, 2, 3)),
            *(6, 2, None, T(18), None, None, False, 0.0, T(6, 6), T(6)),
            use_separate_proj_weight=True,
            q_proj_weight=T(6, 6),
            k_proj_weight=T(6, 4),
            v_proj_weight=T(6, 3),
        ),
        Call(*X, *PACKED, static_k=T(4, 7, 3), static_v=T(4, 7, 3)),
        Call(
            *(T(5, 2, 6), T(5, 2, 6), T(5, 2, 6), *PACKED),
            need_weights=False,
            attn_mask=T(5, 5, values=np.triu(np.ones((5, 5)), 1).astype(bool).ravel().tolist(), dtype="bool"),
            is_causal=True,
        ),
        rtol=1e-4,
        atol=1e-4,
        wrong=(
            Wrong(RuntimeError, "is_causal", *X, *PACKED, is_causal=True),
            Wrong(RuntimeError, "2D attn_mask", *X, *PACKED, attn_mask=T(4, 7)),
            Wrong(RuntimeError, "embedding dimension", *X, 4, *PACKED[1:], torch=False),
            Wrong(RuntimeError, "divisible", *X, 6, 4, *PACKED[2:], torch=False),
        ),
    ),
)
"""All samples of this module."""
