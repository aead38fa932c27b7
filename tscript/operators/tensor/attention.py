"""What attention is made of: rows of a table by their numbers, and sums of values weighted by what keys say."""

from __future__ import annotations

from tscript.definitions.define import composite
from tscript.definitions.language import Tensor, generic, torch
from tscript.definitions.opdef import OpDef


def embedding(
    input: Tensor,
    weight: Tensor,
    padding_idx: int | None,
    max_norm: float | None,
    norm_type: float,
    scale_grad_by_freq: bool,
    sparse: bool,
) -> Tensor:
    """Rows of a table by their numbers: ``weight[input]``, the formula of `torch.nn.functional.embedding`.

    Args:
        input: Numbers of rows, int32 or int64.
        weight: The table, a matrix.
        padding_idx: A row that is not trained: it makes no difference here.
        max_norm: Must be None: the table is not changed.
        norm_type, scale_grad_by_freq, sparse: Make no difference here.

    Raises:
        RuntimeError: The table is no matrix, or the numbers are no int32 or int64.
        IndexError: There is no such row.
        NotImplementedError: `max_norm` is given.

    Example:
        >>> table = tscript.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> tscript.nn.functional.embedding(tscript.tensor([1, 0, 1]), table).tolist()
        [[3.0, 4.0], [1.0, 2.0], [3.0, 4.0]]
    """
    if weight.dim() != 2:
        raise RuntimeError("'weight' must be 2-D")
    if max_norm is not None:
        raise NotImplementedError("embedding(max_norm=...) is not supported: the table is not changed")
    return weight.index_select(0, input.reshape(-1)).reshape(input.size() + weight.size()[1:])


@generic
def dropped(weights, p):  # type: ignore[no-untyped-def]
    """Some of the weights."""
    if p == 0:
        return weights
    return torch.dropout(weights, float(p), True)


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
        enable_gqa: Must be False.

    Raises:
        RuntimeError: The shapes do not go together, or both a mask and `is_causal` are given.
        NotImplementedError: `enable_gqa` is given, or there are no floats.

    Example:
        >>> keys, values = tscript.zeros(2, 4), tscript.tensor([[1.0], [3.0]])
        >>> tscript.nn.functional.scaled_dot_product_attention(tscript.ones(1, 4), keys, values).tolist()
        [[2.0]]
    """
    if enable_gqa:
        raise NotImplementedError("scaled_dot_product_attention(enable_gqa=True) is not supported")
    products = query.matmul(key.transpose(-2, -1)) * (query.size(-1) ** -0.5 if scale is None else scale)
    if is_causal:
        if attn_mask is not None:
            raise RuntimeError(
                "_scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True"
            )
        later = torch.arange(key.size(-2)) > torch.arange(query.size(-2)).unsqueeze(1)
        return products.masked_fill(later, -torch.inf).softmax(-1).matmul(value)
    if attn_mask is None:
        return dropped(products.softmax(-1), dropout_p).matmul(value)
    if attn_mask.dtype == torch.bool:
        products = products.masked_fill(attn_mask.logical_not(), -torch.inf)
    else:
        products = products + attn_mask
    nothing = (products == -torch.inf).all(-1, True)
    return dropped(products.softmax(-1), dropout_p).masked_fill(nothing, 0.0).matmul(value)


OPERATORS: tuple[OpDef, ...] = (
    composite(
        "embedding(Tensor input, Tensor weight, int? padding_idx=None, Scalar? max_norm=None, Scalar norm_type=2.0, "
        "bool scale_grad_by_freq=False, bool sparse=False) -> Tensor",
        embedding,
        names="F.embedding",
    ),
    composite(
        "scaled_dot_product_attention(Tensor query, Tensor key, Tensor value, Tensor? attn_mask=None, "
        "Scalar dropout_p=0.0, bool is_causal=False, *, Scalar? scale=None, bool enable_gqa=False) -> Tensor",
        scaled_dot_product_attention,
        world=True,
        names="F.scaled_dot_product_attention",
    ),
)
"""All operators of this module."""
