"""`MultiheadAttention`."""

from __future__ import annotations

import math
from typing import Any

import tscript
import tscript.nn.functional as F
from tscript import Tensor
from tscript.nn import init
from tscript.nn.modules.linear import NonDynamicallyQuantizableLinear
from tscript.nn.modules.making import empty
from tscript.nn.modules.module import Module
from tscript.nn.parameter import Parameter


def _added(mask: Tensor, dtype: tscript.dtype) -> Tensor:
    """A mask as numbers that are added to scores."""
    if mask.dtype == tscript.bool:
        return mask.new_zeros(mask.shape, dtype=dtype).masked_fill(mask, -math.inf)
    return mask.to(dtype)


class MultiheadAttention(Module):
    """Attention with several heads (Vaswani et al., 2017).

    Args:
        embed_dim: Size of the queries and of the result.
        num_heads: How many heads, which divide it.
        dropout: Part of the weights of attention that is set to 0 in training mode.
        bias: Whether the projections add something.
        add_bias_kv: Whether a key and a value that are parameters are added.
        add_zero_attn: Whether a key and a value of zeros are added.
        kdim, vdim: Sizes of keys and values; `embed_dim` if left out.
        batch_first: Whether the batch is the first dimension.
        device, dtype: Of the parameters.

    Raises:
        ValueError: A size is not positive.
        AssertionError: The heads do not divide the size.
    """

    __constants__: tuple[str, ...] = ("batch_first",)
    batch_first: bool
    in_proj_weight: Tensor | None
    q_proj_weight: Tensor | None
    k_proj_weight: Tensor | None
    v_proj_weight: Tensor | None
    in_proj_bias: Tensor | None
    bias_k: Tensor | None
    bias_v: Tensor | None

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        bias: bool = True,
        add_bias_kv: bool = False,
        add_zero_attn: bool = False,
        kdim: int | None = None,
        vdim: int | None = None,
        batch_first: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        if embed_dim <= 0 or num_heads <= 0:
            raise ValueError(
                f"embed_dim and num_heads must be greater than 0, got embed_dim={embed_dim} and num_heads={num_heads} "
                "instead"
            )
        if embed_dim % num_heads:
            raise AssertionError("embed_dim must be divisible by num_heads")
        self.embed_dim = embed_dim
        self.kdim = kdim if kdim is not None else embed_dim
        self.vdim = vdim if vdim is not None else embed_dim
        self._qkv_same_embed_dim = self.kdim == embed_dim and self.vdim == embed_dim
        self.num_heads = num_heads
        self.dropout = dropout
        self.batch_first = batch_first
        self.head_dim = embed_dim // num_heads
        same = self._qkv_same_embed_dim
        shapes = {
            "q_proj_weight": None if same else (embed_dim, embed_dim),
            "k_proj_weight": None if same else (embed_dim, self.kdim),
            "v_proj_weight": None if same else (embed_dim, self.vdim),
            "in_proj_weight": (3 * embed_dim, embed_dim) if same else None,
            "in_proj_bias": (3 * embed_dim,) if bias else None,
        }
        for name, shape in shapes.items():
            made = None if shape is None else Parameter(empty(shape, device=device, dtype=dtype))
            self.register_parameter(name, made)
        self.out_proj = NonDynamicallyQuantizableLinear(embed_dim, embed_dim, bias, device, dtype)
        for name in ("bias_k", "bias_v"):
            made = Parameter(empty((1, 1, embed_dim), device=device, dtype=dtype)) if add_bias_kv else None
            self.register_parameter(name, made)
        self.add_zero_attn = add_zero_attn
        self._reset_parameters()

    def _reset_parameters(self) -> None:
        for weight in (self.in_proj_weight, self.q_proj_weight, self.k_proj_weight, self.v_proj_weight):
            if weight is not None:
                init.xavier_uniform_(weight)
        if self.in_proj_bias is not None:
            init.zeros_(self.in_proj_bias)
            if self.out_proj.bias is not None:
                init.zeros_(self.out_proj.bias)
        if self.bias_k is not None:
            init.xavier_normal_(self.bias_k)
        if self.bias_v is not None:
            init.xavier_normal_(self.bias_v)

    def _projected(self, query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Queries, keys and values, of the size of the result."""
        weight = self.in_proj_weight
        bias = self.in_proj_bias
        n = self.embed_dim
        wq = weight[:n] if weight is not None else self.q_proj_weight
        wk = weight[n : 2 * n] if weight is not None else self.k_proj_weight
        wv = weight[2 * n :] if weight is not None else self.v_proj_weight
        assert wq is not None and wk is not None and wv is not None
        if bias is None:
            return F.linear(query, wq), F.linear(key, wk), F.linear(value, wv)
        return F.linear(query, wq, bias[:n]), F.linear(key, wk, bias[n : 2 * n]), F.linear(value, wv, bias[2 * n :])

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        key_padding_mask: Tensor | None = None,
        need_weights: bool = True,
        attn_mask: Tensor | None = None,
        average_attn_weights: bool = True,
        is_causal: bool = False,
    ) -> tuple[Tensor, Tensor | None]:
        """The values, weighted by how well keys fit queries.

        Args:
            query: ``(L, N, E)``, ``(N, L, E)`` with `batch_first`, or ``(L, E)``.
            key, value: ``(S, N, *)`` likewise.
            key_padding_mask: ``(N, S)``: keys that do not count, or what is added to their scores.
            need_weights: Whether the weights are given too.
            attn_mask: ``(L, S)`` or ``(N * heads, L, S)``: the same for each query.
            average_attn_weights: Whether the weights are the mean of the heads.
            is_causal: That `attn_mask` is causal.

        Returns:
            The result, and the weights ``(N, L, S)`` or None.

        Raises:
            RuntimeError: Masks of other shapes, or `is_causal` without `attn_mask`.
            AssertionError: Other numbers of dimensions.
        """
        batched = query.dim() == 3
        if query.dim() not in (2, 3) or key.dim() != query.dim() or value.dim() != query.dim():
            raise AssertionError(
                f"query should be unbatched 2D or batched 3D tensor but received {query.dim()}-D query tensor, with "
                f"key and value of {key.dim()} and {value.dim()} dimensions"
            )
        if is_causal and attn_mask is None:
            raise RuntimeError("Need attn_mask if specifying the is_causal hint.")
        if not batched:
            query, key, value = query.unsqueeze(0), key.unsqueeze(0), value.unsqueeze(0)
            if key_padding_mask is not None:
                key_padding_mask = key_padding_mask.unsqueeze(0)
        elif not self.batch_first:
            query, key, value = query.transpose(0, 1), key.transpose(0, 1), value.transpose(0, 1)
        count, length, sources = query.size(0), query.size(1), key.size(1)
        mask: Tensor | None = None
        if attn_mask is not None:
            mask = _added(attn_mask, query.dtype)
            if mask.dim() == 2:
                if mask.shape != (length, sources):
                    raise RuntimeError(
                        f"The shape of the 2D attn_mask is {tuple(mask.shape)}, but should be {(length, sources)}."
                    )
                mask = mask.reshape(1, 1, length, sources)
            elif mask.shape == (count * self.num_heads, length, sources):
                mask = mask.reshape(count, self.num_heads, length, sources)
            else:
                raise RuntimeError(
                    f"The shape of attn_mask is {tuple(mask.shape)}, but should be "
                    f"{(count * self.num_heads, length, sources)}."
                )
        if key_padding_mask is not None:
            if key_padding_mask.shape != (count, sources):
                raise AssertionError(
                    f"expecting key_padding_mask shape of {(count, sources)}, but got {tuple(key_padding_mask.shape)}"
                )
            padded = _added(key_padding_mask, query.dtype).reshape(count, 1, 1, sources)
            mask = padded if mask is None else mask + padded
        q, k, v = self._projected(query, key, value)
        bias_k = self.bias_k
        bias_v = self.bias_v
        more = 0
        if bias_k is not None and bias_v is not None:
            k = tscript.cat([k, bias_k.expand(count, 1, self.embed_dim)], 1)
            v = tscript.cat([v, bias_v.expand(count, 1, self.embed_dim)], 1)
            more += 1
        if self.add_zero_attn:
            zeros = k.new_zeros([count, 1, self.embed_dim])
            k, v = tscript.cat([k, zeros], 1), tscript.cat([v, zeros], 1)
            more += 1
        if mask is not None and more > 0:
            mask = F.pad(mask, [0, more])
        q = q.reshape(count, length, self.num_heads, self.head_dim).transpose(1, 2)
        k = k.reshape(count, sources + more, self.num_heads, self.head_dim).transpose(1, 2)
        v = v.reshape(count, sources + more, self.num_heads, self.head_dim).transpose(1, 2)
        dropout = self.dropout if self.training else 0.0
        weights: Tensor | None = None
        if need_weights:
            scores = tscript.matmul(q * (1.0 / math.sqrt(self.head_dim)), k.transpose(-2, -1))
            shares = F.softmax(scores if mask is None else scores + mask, -1)
            if dropout > 0.0:
                shares = F.dropout(shares, dropout)
            out = tscript.matmul(shares, v)
            weights = shares.mean(1) if average_attn_weights else shares
            if not batched:
                weights = weights.squeeze(0)
        else:
            out = F.scaled_dot_product_attention(q, k, v, mask, dropout)
        out = out.transpose(1, 2).reshape(count, length, self.embed_dim)
        out = F.linear(out, self.out_proj.weight, self.out_proj.bias)
        if not batched:
            return out.squeeze(0), weights
        return (out if self.batch_first else out.transpose(0, 1)), weights
