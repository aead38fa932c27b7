"""Batch norms of trained networks put into the weights before them."""

from __future__ import annotations

import copy
from typing import Any

from tscript import Tensor
from tscript.nn.parameter import Parameter


def _factors(norm: Any) -> tuple[Tensor, Tensor]:
    """By what a batch norm in evaluation mode multiplies each channel, and what it adds."""
    scale = (norm.running_var + norm.eps).rsqrt()
    if norm.weight is not None:
        scale = scale * norm.weight
    shift = -norm.running_mean * scale
    return scale, shift if norm.bias is None else shift + norm.bias


def _fused(layer: Any, norm: Any, shape: list[int], scale: Tensor, shift: Tensor) -> Any:
    if layer.training or norm.training:
        raise AssertionError("fusion only for eval: call eval() first")
    made = copy.deepcopy(layer)
    dtype = layer.weight.dtype
    bias = shift if layer.bias is None else layer.bias * scale + shift
    wants = layer.weight.requires_grad
    made.weight = Parameter((layer.weight * scale.reshape(shape)).to(dtype), wants)
    made.bias = Parameter(bias.to(dtype), wants)
    return made


def fuse_conv_bn_eval(conv: Any, bn: Any, transpose: bool = False) -> Any:
    """A convolution that does what a convolution and the batch norm behind it do in evaluation mode.

    Args:
        conv: The convolution.
        bn: The batch norm.
        transpose: Whether the convolution is a transposed one.

    Raises:
        AssertionError: One of them is in training mode.
    """
    scale, shift = _factors(bn)
    shape = [1] * conv.weight.dim()
    shape[1 if transpose else 0] = -1
    return _fused(conv, bn, shape, scale, shift)


def fuse_linear_bn_eval(linear: Any, bn: Any) -> Any:
    """The same of a `Linear`.

    Raises:
        AssertionError: One of them is in training mode, or the sizes differ.
    """
    if linear.out_features != bn.num_features and bn.num_features != 1:
        raise AssertionError("To fuse, linear.out_features == bn.num_features or bn.num_features == 1")
    scale, shift = _factors(bn)
    return _fused(linear, bn, [-1, 1], scale, shift)
