"""Attention: sums of values, weighted by what keys say."""

# mypy: disable-error-code="no-untyped-def,operator"

from __future__ import annotations

from collections.abc import Sequence

from tscript.arrays import Array, np
from tscript.definitions.define import composite, kernel
from tscript.definitions.language import Tensor, generic, torch
from tscript.definitions.opdef import Arg, OpDef, OperatorNotImplementedError, OperatorRuntimeError
from tscript.definitions.promotion import torch_name
from tscript.definitions.rules import tensor_of
from tscript.operators.tensor.checks import SCALAR_TYPE
from tscript.types import TensorType, Type, dtypes

# ---- attention without dropout, in one kernel


def _attended(args: Sequence[Arg]) -> Type:
    tensors = [tensor_of(arg) for arg in args[:3]]
    for t in tensors:
        if t.dtype is not None and not t.dtype.is_floating_point:
            raise OperatorNotImplementedError(f"attention is not implemented for '{torch_name(t.dtype)}'")
        if t.rank is not None and t.rank < 2:
            raise OperatorRuntimeError(
                f"Expected query, key, and value to all be at least 2 dimensional, but got {t.rank} dimensions"
            )
    found = {t.dtype for t in tensors if t.dtype is not None}
    if len(found) > 1:
        names = " and ".join(sorted(map(str, found)))
        raise OperatorRuntimeError(f"Expected query, key, and value to have the same dtype, but got {names}")
    if isinstance(args[3].type, TensorType) and found:
        mask = tensor_of(args[3]).dtype
        if mask is not None and mask is not dtypes.bool_ and mask not in found:
            raise OperatorRuntimeError(
                f"Expected attn_mask dtype to be bool or to match query dtype, but got {mask} and {found.pop()}"
            )
    ranks = [t.rank for t in tensors]
    return TensorType(tensors[0].dtype, None if None in ranks else max(rank for rank in ranks if rank is not None))


def _attend(
    query: Array, key: Array, value: Array, mask: Array | None, factor: float, causal: bool, grouped: bool
) -> Array:
    if min(query.ndim, key.ndim, value.ndim) < 2:
        raise RuntimeError("Expected query, key, and value to all be at least 2 dimensional")
    if grouped:
        if min(query.ndim, key.ndim, value.ndim) < 3:
            raise RuntimeError("scaled_dot_product_attention(enable_gqa=True) needs tensors with heads in dimension -3")
        heads = query.shape[-3]
        for t in (key, value):
            if t.shape[-3] == 0 or heads % t.shape[-3]:
                raise RuntimeError(
                    "Number of heads in key and value must divide the number of heads in query, got "
                    f"{t.shape[-3]} and {heads}"
                )
        key, value = (np.repeat(t, heads // t.shape[-3], -3) for t in (key, value))
    if query.shape[-1] != key.shape[-1]:
        raise RuntimeError(f"queries and keys of one size expected, got {query.shape[-1]} and {key.shape[-1]}")
    if key.shape[-2] != value.shape[-2]:
        raise RuntimeError(f"as many keys as values expected, got {key.shape[-2]} and {value.shape[-2]}")
    try:
        batch = np.broadcast_shapes(query.shape[:-2], key.shape[:-2], value.shape[:-2])
    except ValueError as error:
        raise RuntimeError(f"The size of tensor a must match the size of tensor b: {error}") from None
    scores = query @ np.swapaxes(key, -1, -2) * query.dtype.type(factor)
    shape = (*batch, *scores.shape[-2:])
    scores = np.broadcast_to(scores, shape)
    if mask is not None:
        try:
            mask = np.broadcast_to(mask, shape)
        except ValueError:
            raise RuntimeError(f"a mask of shape {mask.shape} for scores of shape {shape}") from None
        scores = np.where(mask, scores, -np.inf) if mask.dtype == bool else scores + mask
    if causal:
        scores = np.where(np.tri(*scores.shape[-2:]) > 0, scores, -np.inf)
    with np.errstate(all="ignore"):
        top = scores.max(-1, keepdims=True, initial=-np.inf)
        weights = np.exp(scores - np.where(top == -np.inf, 0, top))
        sums = weights.sum(-1, keepdims=True)
        return np.asarray((weights / np.where(sums == 0, 1, sums)) @ value, query.dtype)


ATTEND = kernel(
    "attend(Tensor query, Tensor key, Tensor value, Tensor? mask, float factor, bool causal, bool grouped) -> Tensor",
    _attended,
    _attend,
    "attention.attend",
    "Sums of values, weighted by how their keys go with the query.",
    generic=(0,),
    exact=False,
    names="",
)


# ---- attention in full


@generic
def repeated(x, query):
    """As many heads as the query has."""
    own, heads = x.size(-3), query.size(-3)
    if own == 0 or heads % own != 0:
        raise RuntimeError(
            f"Number of heads in key and value must divide the number of heads in query, got {own} and {heads}"
        )
    return x.repeat_interleave(heads // own, -3)


@generic
def weights_of(query, key, mask, factor, is_causal):
    """What each value counts for each query; nothing at all where no key takes part."""
    scores = query.matmul(key.transpose(-2, -1)) * factor
    if mask is not None:
        scores = scores.masked_fill(mask.logical_not(), -torch.inf) if mask.dtype == torch.bool else scores + mask
    if is_causal:
        later = torch.arange(key.size(-2)) > torch.arange(query.size(-2)).unsqueeze(1)
        scores = scores.masked_fill(later, -torch.inf)
    nothing = (scores == -torch.inf).all(-1, True)
    return scores.softmax(-1).masked_fill(nothing, 0.0)


@generic
def dropped_attention(query, key, value, mask, factor, is_causal, grouped, p):
    """Attention some of whose weights are dropped."""
    keys, values = (repeated(key, query), repeated(value, query)) if grouped else (key, value)
    return torch.dropout(weights_of(query, keys, mask, factor, is_causal), p, True).matmul(values)


@generic
def attention(query, key, value, mask, factor, is_causal, grouped, p):
    """Attention, with dropout or without."""
    if p == 0:
        return ATTEND(query, key, value, mask, factor, is_causal, grouped)
    return dropped_attention(query, key, value, mask, factor, is_causal, grouped, float(p))


def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None,
    dropout_p: float,
    is_causal: bool,
    scale: float | None,
    enable_gqa: bool,
) -> Tensor:
    """Sums of values, weighted by how their keys go with the query.

    ``softmax(query @ key.mT * scale + mask) @ value``: Vaswani and others, "Attention Is All You Need",
    arXiv:1706.03762.

    Args:
        query: Of shape ``(..., L, E)``.
        key: Of shape ``(..., S, E)``.
        value: Of shape ``(..., S, V)``.
        attn_mask: What is added to the products, or which of them take part. A row without any gives zeros.
        dropout_p: The probability with which a weight is dropped: set to 0, and the others multiplied so that the mean
            stays. It is always in force: leave it out where a model is evaluated.
        is_causal: Whether a query takes part with those keys only that stand no later than itself.
        scale: What the products are multiplied by; None for ``1 / sqrt(E)``.
        enable_gqa: Whether several heads of queries, in dimension -3, share a head of keys and values.

    Raises:
        RuntimeError: The shapes do not go together, or both a mask and `is_causal` are given.
        NotImplementedError: There are no floats.

    Example:
        >>> keys, values = tscript.zeros(2, 4), tscript.tensor([[1.0], [3.0]])
        >>> tscript.nn.functional.scaled_dot_product_attention(tscript.ones(1, 4), keys, values).tolist()
        [[2.0]]
    """
    if is_causal and attn_mask is not None:
        raise RuntimeError("_scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True")
    if attn_mask is not None and attn_mask.dtype != torch.bool and not attn_mask.is_floating_point():
        raise RuntimeError(
            f"Expected attn_mask dtype to be bool or float or to match query dtype, but got {SCALAR_TYPE(attn_mask)}"
        )
    factor = max(query.size(-1), 1) ** -0.5 if scale is None else float(scale)
    return attention(query, key, value, attn_mask, factor, is_causal, enable_gqa, dropout_p)


# ---- several heads


@generic
def rows_of(together, separate, is_separate, number, size):
    """The weights of queries, keys or values, which are separate or rows of one matrix."""
    if together is None:
        return separate
    if separate is None:
        return together.narrow(0, number * size, size)
    return separate if is_separate else together.narrow(0, number * size, size)


@generic
def projected(x, weight, bias, number, size):
    """The product with weights, and the bias."""
    found = x.matmul(weight.t())
    return found if bias is None else found + bias.narrow(0, number * size, size)


@generic
def merged(x, length, batch, size, weight, bias):
    """The heads, ``(N, heads, L, E / heads)``, side by side and projected."""
    found = x.permute(2, 0, 1, 3).reshape(length * batch, size).matmul(weight.t())
    return (found if bias is None else found + bias).reshape(length, batch, weight.size(0))


@generic
def split_heads(x, batch, heads):
    """``(L, N, heads * E)`` as ``(N, heads, L, E)``."""
    return x.reshape(x.size(0), batch, heads, x.size(-1) // heads).permute(1, 2, 0, 3)


@generic
def as_numbers(mask, like, name):
    """A mask as numbers that are added to the scores."""
    if mask is None:
        return None
    if mask.dtype == torch.bool:
        return torch.zeros(mask.size(), dtype=like.dtype).masked_fill(mask, -torch.inf)
    if not mask.is_floating_point():
        raise RuntimeError(f"only bool and floating types of {name} are supported, not {SCALAR_TYPE(mask)}")
    return mask.to(like.dtype)


@generic
def longer(mask, more):
    """A mask with columns of zeros for further keys."""
    return None if mask is None else torch.nn.functional.pad(mask, (0, more))


@generic
def added(a, b):
    """The sum of two masks, of which any may be None."""
    if a is None:
        return b
    return a if b is None else a + b


@generic
def with_key(x, bias):
    """The keys or values and one more, the same for each element of the batch."""
    return x if bias is None else torch.cat((x, bias.expand(1, x.size(1), x.size(2))))


@generic
def given_heads(x, given, batch, heads, name):
    """Keys or values by heads: projected, or given by the caller as ``(N * heads, S, E)``."""
    if given is None:
        return split_heads(x, batch, heads)
    if given.size(0) != batch * heads:
        raise RuntimeError(f"expecting {name}.size(0) of {batch * heads}, but got {given.size(0)}")
    return given.reshape(batch, heads, given.size(1), given.size(2))


def multi_head_attention_forward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    embed_dim_to_check: int,
    num_heads: int,
    in_proj_weight: Tensor | None,
    in_proj_bias: Tensor | None,
    bias_k: Tensor | None,
    bias_v: Tensor | None,
    add_zero_attn: bool,
    dropout_p: float,
    out_proj_weight: Tensor,
    out_proj_bias: Tensor | None,
    training: bool,
    key_padding_mask: Tensor | None,
    need_weights: bool,
    attn_mask: Tensor | None,
    use_separate_proj_weight: bool,
    q_proj_weight: Tensor | None,
    k_proj_weight: Tensor | None,
    v_proj_weight: Tensor | None,
    static_k: Tensor | None,
    static_v: Tensor | None,
    average_attn_weights: bool,
    is_causal: bool,
) -> tuple[Tensor, Tensor | None]:
    """Attention of several heads, each over its own projections: the formula of `torch.nn.MultiheadAttention`.

    Vaswani and others, "Attention Is All You Need", arXiv:1706.03762.

    Args:
        query: Of shape ``(L, N, E)``, or ``(L, E)`` without a batch.
        key, value: Of shapes ``(S, N, K)`` and ``(S, N, V)``, or without a batch.
        embed_dim_to_check: E.
        num_heads: The number of heads, which divides E.
        in_proj_weight: The weights of queries, keys and values, ``(3 * E, E)``; None if they are separate.
        in_proj_bias: Of size ``3 * E``.
        bias_k, bias_v: One more key and value, of shape ``(1, 1, E)``.
        add_zero_attn: Whether there is one more key and value of zeros.
        dropout_p, training: With which probability weights are dropped, if `training`.
        out_proj_weight, out_proj_bias: Of shapes ``(E, E)`` and ``(E,)``.
        key_padding_mask: Of shape ``(N, S)``: true for keys that take no part, or what is added to their scores.
        need_weights: Whether the weights are wanted.
        attn_mask: Of shape ``(L, S)`` or ``(N * num_heads, L, S)``, likewise.
        use_separate_proj_weight: Whether `q_proj_weight` ``(E, E)``, `k_proj_weight` ``(E, K)`` and `v_proj_weight`
            ``(E, V)`` are the weights.
        static_k, static_v: Keys and values in place of the projected ones, ``(N * num_heads, S, E / num_heads)``.
        average_attn_weights: Whether the weights are the mean of those of the heads.
        is_causal: That `attn_mask` hides later keys: a hint. It needs the mask.

    Returns:
        The result, of the shape of `query`, and the weights ``(N, L, S)``, ``(N, num_heads, L, S)`` if they are not
        averaged, or None.

    Raises:
        RuntimeError: Shapes do not go together.

    Example:
        >>> x, one = tscript.ones(2, 1, 1), tscript.ones(1, 1)
        >>> attend = tscript.nn.functional.multi_head_attention_forward
        >>> out, weights = attend(
        ...     x, x, x, 1, 1, tscript.ones(3, 1), None, None, None, False, 0.0, one, None
        ... )
        >>> out.flatten().tolist(), weights.tolist()
        ([1.0, 1.0], [[[0.5, 0.5], [0.5, 0.5]]])
    """
    if query.dim() == 2:
        if key.dim() != 2 or value.dim() != 2:
            raise RuntimeError(f"For unbatched (2-D) `query`, expected 2-D `key` and `value`, not {key.dim()}-D")
        q, k, v = query.unsqueeze(1), key.unsqueeze(1), value.unsqueeze(1)
    else:
        if query.dim() != 3 or key.dim() != 3 or value.dim() != 3:
            raise RuntimeError(
                f"query should be unbatched 2D or batched 3D tensor but received {query.dim()}-D query tensor"
            )
        q, k, v = query, key, value
    length, batch, size = q.size(0), q.size(1), q.size(2)
    if size != embed_dim_to_check:
        raise RuntimeError(f"was expecting embedding dimension of {embed_dim_to_check}, but got {size}")
    if size % num_heads != 0:
        raise RuntimeError(f"embed_dim {size} not divisible by num_heads {num_heads}")
    if k.size(0) != v.size(0) or k.size(1) != batch or v.size(1) != batch:
        raise RuntimeError(f"key shape {k.size()} does not match value shape {v.size()} or the batch of {batch}")
    if is_causal and attn_mask is None:
        raise RuntimeError("Need attn_mask if specifying the is_causal hint.")
    if (bias_k is None) != (bias_v is None):
        raise RuntimeError("bias_k and bias_v must both be given, or none of them")
    scores = as_numbers(attn_mask, q, "attn_mask")
    if scores is not None:
        if scores.dim() == 2:
            if scores.size(0) != length or scores.size(1) != k.size(0):
                raise RuntimeError(
                    f"The shape of the 2D attn_mask is {scores.size()}, but should be ({length}, {k.size(0)})."
                )
            scores = scores.unsqueeze(0).unsqueeze(0)
        else:
            if scores.dim() != 3:
                raise RuntimeError(f"attn_mask's dimension {scores.dim()} is not supported")
            if scores.size(0) != batch * num_heads or scores.size(1) != length or scores.size(2) != k.size(0):
                raise RuntimeError(
                    f"The shape of the 3D attn_mask is {scores.size()}, but should be "
                    f"({batch * num_heads}, {length}, {k.size(0)})."
                )
            scores = scores.reshape(batch, num_heads, length, k.size(0))
    padding = as_numbers(key_padding_mask, q, "key_padding_mask")
    if padding is not None:
        padding = padding.reshape(batch, 1, 1, k.size(0))
    if use_separate_proj_weight:
        if q_proj_weight is None or k_proj_weight is None or v_proj_weight is None:
            raise RuntimeError("use_separate_proj_weight is True but a weight of queries, keys or values is None")
    elif in_proj_weight is None:
        raise RuntimeError("use_separate_proj_weight is False but in_proj_weight is None")
    queries = projected(
        q, rows_of(in_proj_weight, q_proj_weight, use_separate_proj_weight, 0, size), in_proj_bias, 0, size
    )
    keys = projected(
        k, rows_of(in_proj_weight, k_proj_weight, use_separate_proj_weight, 1, size), in_proj_bias, 1, size
    )
    values = projected(
        v, rows_of(in_proj_weight, v_proj_weight, use_separate_proj_weight, 2, size), in_proj_bias, 2, size
    )
    if bias_k is not None:
        scores, padding = longer(scores, 1), longer(padding, 1)
    queries = split_heads(queries, batch, num_heads)
    keys = given_heads(with_key(keys, bias_k), static_k, batch, num_heads, "static_k")
    values = given_heads(with_key(values, bias_v), static_v, batch, num_heads, "static_v")
    if add_zero_attn:
        keys, values = torch.nn.functional.pad(keys, (0, 0, 0, 1)), torch.nn.functional.pad(values, (0, 0, 0, 1))
        scores, padding = longer(scores, 1), longer(padding, 1)
    mask = added(scores, padding)
    factor = (size // num_heads) ** -0.5
    p = float(dropout_p) if training else 0.0
    if need_weights:
        products = (queries * factor).matmul(keys.transpose(-2, -1))
        weights = (products if mask is None else products + mask).softmax(-1)
        if p > 0:
            weights = torch.dropout(weights, p, True)
        out = merged(weights.matmul(values), length, batch, size, out_proj_weight, out_proj_bias)
        shown = weights.mean(1) if average_attn_weights else weights
        if query.dim() == 2:
            return out.squeeze(1), shown.squeeze(0)
        return out, shown
    found = attention(queries, keys, values, mask, factor, False, False, p)
    out = merged(found, length, batch, size, out_proj_weight, out_proj_bias)
    if query.dim() == 2:
        return out.squeeze(1), None
    return out, None


OPERATORS: tuple[OpDef, ...] = (
    composite(
        "scaled_dot_product_attention(Tensor query, Tensor key, Tensor value, Tensor? attn_mask=None, "
        "Scalar dropout_p=0.0, bool is_causal=False, *, Scalar? scale=None, bool enable_gqa=False) -> Tensor",
        scaled_dot_product_attention,
        world=True,
        names="F.scaled_dot_product_attention",
    ),
    composite(
        "multi_head_attention_forward(Tensor query, Tensor key, Tensor value, int embed_dim_to_check, int num_heads, "
        "Tensor? in_proj_weight, Tensor? in_proj_bias, Tensor? bias_k, Tensor? bias_v, bool add_zero_attn, "
        "float dropout_p, Tensor out_proj_weight, Tensor? out_proj_bias, bool training=True, "
        "Tensor? key_padding_mask=None, bool need_weights=True, Tensor? attn_mask=None, "
        "bool use_separate_proj_weight=False, Tensor? q_proj_weight=None, Tensor? k_proj_weight=None, "
        "Tensor? v_proj_weight=None, Tensor? static_k=None, Tensor? static_v=None, bool average_attn_weights=True, "
        "bool is_causal=False) -> (Tensor, Tensor?)",
        multi_head_attention_forward,
        world=True,
        names="F.multi_head_attention_forward",
    ),
)
"""All operators of this module."""
HIDDEN: tuple[OpDef, ...] = (ATTEND,)
"""What bodies call."""
