"""`Linear`, `Bilinear`, `Identity`."""

from __future__ import annotations

import math
from typing import Any

import tscript.nn.functional as F
from tscript import Tensor
from tscript.nn import init
from tscript.nn.modules.making import empty
from tscript.nn.modules.module import Module
from tscript.nn.parameter import Parameter


class Identity(Module):
    """Gives its input; arguments are taken and ignored."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def forward(self, input: Tensor) -> Tensor:
        """The input."""
        return input


class Linear(Module):
    """``input @ weight.t() + bias``.

    Args:
        in_features: Size of the last dimension of the input.
        out_features: That of the result.
        bias: Whether something is added.
        device, dtype: Of the parameters.

    Example:
        >>> import tscript
        >>> from tscript import nn
        >>> nn.Linear(3, 2)(tscript.ones(5, 3)).shape
        (5, 2)
    """

    __constants__: tuple[str, ...] = ("in_features", "out_features")
    in_features: int
    out_features: int
    weight: Tensor
    bias: Tensor | None

    def __init__(
        self, in_features: int, out_features: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__()
        self.in_features = in_features
        self.out_features = out_features
        self.weight = Parameter(empty((out_features, in_features), device=device, dtype=dtype))
        if bias:
            self.bias = Parameter(empty(out_features, device=device, dtype=dtype))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Evenly spread numbers within ``1 / sqrt(in_features)``."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            limit = 1 / math.sqrt(self.in_features) if self.in_features > 0 else 0.0
            init.uniform_(self.bias, -limit, limit)

    def forward(self, input: Tensor) -> Tensor:
        """The result: ``(*, in_features)`` becomes ``(*, out_features)``."""
        return F.linear(input, self.weight, self.bias)

    def extra_repr(self) -> str:
        return f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}"


class NonDynamicallyQuantizableLinear(Linear):
    """`Linear`, as `MultiheadAttention` has it."""


class Bilinear(Module):
    """``input1 @ weight[k] @ input2 + bias[k]`` for each output k.

    Args:
        in1_features, in2_features: Sizes of the last dimensions of the inputs.
        out_features: That of the result.
        bias: Whether something is added.
        device, dtype: Of the parameters.

    Raises:
        ValueError: `in1_features` is not positive.
    """

    __constants__: tuple[str, ...] = ("in1_features", "in2_features", "out_features")
    in1_features: int
    in2_features: int
    out_features: int
    weight: Tensor
    bias: Tensor | None

    def __init__(
        self,
        in1_features: int,
        in2_features: int,
        out_features: int,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        if in1_features <= 0:
            raise ValueError(f"in1_features must be > 0, but got {in1_features}")
        self.in1_features = in1_features
        self.in2_features = in2_features
        self.out_features = out_features
        self.weight = Parameter(empty((out_features, in1_features, in2_features), device=device, dtype=dtype))
        if bias:
            self.bias = Parameter(empty(out_features, device=device, dtype=dtype))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Evenly spread numbers within ``1 / sqrt(in1_features)``."""
        limit = 1 / math.sqrt(self.weight.size(1))
        init.uniform_(self.weight, -limit, limit)
        if self.bias is not None:
            init.uniform_(self.bias, -limit, limit)

    def forward(self, input1: Tensor, input2: Tensor) -> Tensor:
        """The result, ``(*, out_features)``."""
        return F.bilinear(input1, input2, self.weight, self.bias)

    def extra_repr(self) -> str:
        return (
            f"in1_features={self.in1_features}, in2_features={self.in2_features}, out_features={self.out_features}, "
            f"bias={self.bias is not None}"
        )
