"""`Transformer`, its encoder and decoder, and their layers (Vaswani et al., 2017)."""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from typing import Any

import tscript
import tscript.nn.functional as F
from tscript import Tensor
from tscript.nn import init
from tscript.nn.modules.attention import MultiheadAttention, _added
from tscript.nn.modules.container import ModuleList
from tscript.nn.modules.dropout import Dropout
from tscript.nn.modules.linear import Linear
from tscript.nn.modules.module import Module
from tscript.nn.modules.normalization import LayerNorm

_Activation = str | Callable[[Tensor], Tensor]


def _function(activation: _Activation) -> Any:
    """The function of a name.

    Raises:
        RuntimeError: It is neither ``relu`` nor ``gelu``.
    """
    if activation == "relu":
        return F.relu
    if activation == "gelu":
        return F.gelu
    if isinstance(activation, str):
        raise RuntimeError(f"activation should be relu/gelu, not {activation}")
    return activation


def _clones(module: Module, count: int) -> ModuleList:
    return ModuleList([copy.deepcopy(module) for _ in range(count)])


def _causal(mask: Tensor | None, is_causal: bool | None, size: int) -> bool:
    """Whether a mask is the causal one."""
    if is_causal is not None:
        return is_causal
    if mask is None or mask.shape[-2:] != (size, size):
        return False
    causal = tscript.full((size, size), -math.inf).triu(1)
    return bool((_added(mask, causal.dtype) == causal).all())


class TransformerEncoderLayer(Module):
    """Attention of a sequence to itself, then two linear layers, each with a norm and the input added.

    Args:
        d_model: Size of an element of the sequence.
        nhead: Heads of the attention.
        dim_feedforward: Size between the linear layers.
        dropout: Part that is set to 0 in training mode.
        activation: ``relu``, ``gelu`` or a function.
        layer_norm_eps: Of the norms.
        batch_first: Whether the batch is the first dimension.
        norm_first: Whether the norms come first.
        bias: Whether layers and norms add something.
        device, dtype: Of the parameters.

    Raises:
        RuntimeError: There is no such activation.
    """

    __constants__: tuple[str, ...] = ("norm_first",)

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: _Activation = F.relu,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        made = {"device": device, "dtype": dtype}
        self.self_attn = MultiheadAttention(d_model, nhead, dropout, bias, batch_first=batch_first, **made)
        self.linear1 = Linear(d_model, dim_feedforward, bias, **made)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, bias, **made)
        self.norm_first = norm_first
        self.norm1 = LayerNorm(d_model, layer_norm_eps, bias=bias, **made)
        self.norm2 = LayerNorm(d_model, layer_norm_eps, bias=bias, **made)
        self.dropout1 = Dropout(dropout)
        self.dropout2 = Dropout(dropout)
        self.activation = _function(activation)

    def forward(
        self,
        src: Tensor,
        src_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool = False,
    ) -> Tensor:
        """The sequence, of the same shape.

        Args:
            src: The sequence.
            src_mask, src_key_padding_mask: The masks of the attention.
            is_causal: That `src_mask` is causal.
        """
        x = src
        if self.norm_first:
            x = x + self._sa_block(self.norm1(x), src_mask, src_key_padding_mask, is_causal)
            return x + self._ff_block(self.norm2(x))
        x = self.norm1(x + self._sa_block(x, src_mask, src_key_padding_mask, is_causal))
        return self.norm2(x + self._ff_block(x))

    def _sa_block(self, x: Tensor, attn_mask: Tensor | None, padding: Tensor | None, is_causal: bool) -> Tensor:
        found = self.self_attn(
            x, x, x, attn_mask=attn_mask, key_padding_mask=padding, need_weights=False, is_causal=is_causal
        )[0]
        return self.dropout1(found)

    def _ff_block(self, x: Tensor) -> Tensor:
        return self.dropout2(self.linear2(self.dropout(self.activation(self.linear1(x)))))


class TransformerDecoderLayer(Module):
    """As `TransformerEncoderLayer`, with attention to the result of an encoder between the two.

    Args:
        d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first, bias, device,
            dtype: As of `TransformerEncoderLayer`.

    Raises:
        RuntimeError: There is no such activation.
    """

    __constants__: tuple[str, ...] = ("norm_first",)

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: _Activation = F.relu,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        made = {"device": device, "dtype": dtype}
        self.self_attn = MultiheadAttention(d_model, nhead, dropout, bias, batch_first=batch_first, **made)
        self.multihead_attn = MultiheadAttention(d_model, nhead, dropout, bias, batch_first=batch_first, **made)
        self.linear1 = Linear(d_model, dim_feedforward, bias, **made)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, bias, **made)
        self.norm_first = norm_first
        self.norm1 = LayerNorm(d_model, layer_norm_eps, bias=bias, **made)
        self.norm2 = LayerNorm(d_model, layer_norm_eps, bias=bias, **made)
        self.norm3 = LayerNorm(d_model, layer_norm_eps, bias=bias, **made)
        self.dropout1 = Dropout(dropout)
        self.dropout2 = Dropout(dropout)
        self.dropout3 = Dropout(dropout)
        self.activation = _function(activation)

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool = False,
        memory_is_causal: bool = False,
    ) -> Tensor:
        """The sequence, of the same shape.

        Args:
            tgt: The sequence.
            memory: The result of the encoder.
            tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask: The masks of both attentions.
            tgt_is_causal, memory_is_causal: That these are causal.
        """
        x = tgt
        if self.norm_first:
            x = x + self._sa_block(self.norm1(x), tgt_mask, tgt_key_padding_mask, tgt_is_causal)
            x = x + self._mha_block(self.norm2(x), memory, memory_mask, memory_key_padding_mask, memory_is_causal)
            return x + self._ff_block(self.norm3(x))
        x = self.norm1(x + self._sa_block(x, tgt_mask, tgt_key_padding_mask, tgt_is_causal))
        x = self.norm2(x + self._mha_block(x, memory, memory_mask, memory_key_padding_mask, memory_is_causal))
        return self.norm3(x + self._ff_block(x))

    def _sa_block(self, x: Tensor, attn_mask: Tensor | None, padding: Tensor | None, is_causal: bool) -> Tensor:
        found = self.self_attn(
            x, x, x, attn_mask=attn_mask, key_padding_mask=padding, need_weights=False, is_causal=is_causal
        )[0]
        return self.dropout1(found)

    def _mha_block(
        self, x: Tensor, memory: Tensor, attn_mask: Tensor | None, padding: Tensor | None, is_causal: bool
    ) -> Tensor:
        found = self.multihead_attn(
            x, memory, memory, attn_mask=attn_mask, key_padding_mask=padding, need_weights=False, is_causal=is_causal
        )[0]
        return self.dropout2(found)

    def _ff_block(self, x: Tensor) -> Tensor:
        return self.dropout3(self.linear2(self.dropout(self.activation(self.linear1(x)))))


class TransformerEncoder(Module):
    """Encoder layers, one behind the other.

    Args:
        encoder_layer: A layer, of which each is a copy.
        num_layers: How many.
        norm: What comes behind them.
        enable_nested_tensor, mask_check: Taken and not needed: they change no result.
    """

    __constants__: tuple[str, ...] = ("norm",)

    def __init__(
        self,
        encoder_layer: Module,
        num_layers: int,
        norm: Module | None = None,
        enable_nested_tensor: bool = True,
        mask_check: bool = True,
    ) -> None:
        super().__init__()
        self.layers = _clones(encoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm
        self.enable_nested_tensor = enable_nested_tensor
        self.mask_check = mask_check

    def forward(
        self,
        src: Tensor,
        mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool | None = None,
    ) -> Tensor:
        """The sequence, of the same shape; arguments as of `TransformerEncoderLayer.forward`."""
        out = src
        causal = _causal(mask, is_causal, src.size(-2 if src.dim() == 2 else 0))
        for layer in self.layers:
            out = layer(out, src_mask=mask, is_causal=causal, src_key_padding_mask=src_key_padding_mask)
        return out if self.norm is None else self.norm(out)


class TransformerDecoder(Module):
    """Decoder layers, one behind the other.

    Args:
        decoder_layer: A layer, of which each is a copy.
        num_layers: How many.
        norm: What comes behind them.
    """

    __constants__: tuple[str, ...] = ("norm",)

    def __init__(self, decoder_layer: Module, num_layers: int, norm: Module | None = None) -> None:
        super().__init__()
        self.layers = _clones(decoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Tensor:
        """The sequence, of the same shape; arguments as of `TransformerDecoderLayer.forward`."""
        out = tgt
        causal = _causal(tgt_mask, tgt_is_causal, tgt.size(-2 if tgt.dim() == 2 else 0))
        for layer in self.layers:
            out = layer(
                out,
                memory,
                tgt_mask=tgt_mask,
                memory_mask=memory_mask,
                tgt_key_padding_mask=tgt_key_padding_mask,
                memory_key_padding_mask=memory_key_padding_mask,
                tgt_is_causal=causal,
                memory_is_causal=memory_is_causal,
            )
        return out if self.norm is None else self.norm(out)


class Transformer(Module):
    """An encoder and a decoder.

    Args:
        d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first, bias, device,
            dtype: As of `TransformerEncoderLayer`.
        num_encoder_layers, num_decoder_layers: How many layers.
        custom_encoder, custom_decoder: In place of these.
    """

    def __init__(
        self,
        d_model: int = 512,
        nhead: int = 8,
        num_encoder_layers: int = 6,
        num_decoder_layers: int = 6,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: _Activation = F.relu,
        custom_encoder: Any | None = None,
        custom_decoder: Any | None = None,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        how = (dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first, bias, device, dtype)
        if custom_encoder is not None:
            self.encoder = custom_encoder
        else:
            norm = LayerNorm(d_model, layer_norm_eps, bias=bias, device=device, dtype=dtype)
            self.encoder = TransformerEncoder(TransformerEncoderLayer(d_model, nhead, *how), num_encoder_layers, norm)
        if custom_decoder is not None:
            self.decoder = custom_decoder
        else:
            norm = LayerNorm(d_model, layer_norm_eps, bias=bias, device=device, dtype=dtype)
            self.decoder = TransformerDecoder(TransformerDecoderLayer(d_model, nhead, *how), num_decoder_layers, norm)
        self._reset_parameters()
        self.d_model = d_model
        self.nhead = nhead
        self.batch_first = batch_first

    def forward(
        self,
        src: Tensor,
        tgt: Tensor,
        src_mask: Tensor | None = None,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        src_is_causal: bool | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Tensor:
        """The result of the decoder, for two sequences; masks as of the layers.

        Raises:
            RuntimeError: The sequences have other batches or sizes.
        """
        dim = 0 if self.batch_first else 1
        if src.dim() == 3 and src.size(dim) != tgt.size(dim):
            raise RuntimeError("the batch number of src and tgt must be equal")
        if src.size(-1) != self.d_model or tgt.size(-1) != self.d_model:
            raise RuntimeError("the feature number of src and tgt must be equal to d_model")
        memory = self.encoder(src, src_mask, src_key_padding_mask, src_is_causal)
        return self.decoder(
            tgt,
            memory,
            tgt_mask,
            memory_mask,
            tgt_key_padding_mask,
            memory_key_padding_mask,
            tgt_is_causal,
            memory_is_causal,
        )

    @staticmethod
    def generate_square_subsequent_mask(sz: int, device: Any = None, dtype: Any = None) -> Tensor:
        """A mask that hides all later elements: ``-inf`` above the diagonal, 0 elsewhere."""
        mask = tscript.full((sz, sz), -math.inf, dtype=dtype if dtype is not None else tscript.float32)
        return mask.triu(1)

    def _reset_parameters(self) -> None:
        for parameter in self.parameters():
            if parameter.dim() > 1:
                init.xavier_uniform_(parameter)
