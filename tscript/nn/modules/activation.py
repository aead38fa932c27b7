"""Activations: functions of each element, of each vector along a dimension, and attention."""

from __future__ import annotations

import warnings
from typing import Any

import tscript.nn.functional as F
from tscript import Tensor
from tscript.nn.modules.making import empty
from tscript.nn.modules.module import Module
from tscript.nn.parameter import Parameter


class Threshold(Module):
    """x above the threshold, else another value.

    Args:
        threshold: The threshold.
        value: The other value.
        inplace: Whether the input is overwritten.
    """

    __constants__: tuple[str, ...] = ("threshold", "value", "inplace")
    threshold: float
    value: float
    inplace: bool

    def __init__(self, threshold: float, value: float, inplace: bool = False) -> None:
        super().__init__()
        self.threshold = threshold
        self.value = value
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """The function of each element."""
        if self.inplace:
            return input.copy_(F.threshold(input, self.threshold, self.value))
        return F.threshold(input, self.threshold, self.value)

    def extra_repr(self) -> str:
        text = f"threshold={self.threshold}, value={self.value}"
        return text + (", inplace=True" if self.inplace else "")


class ReLU(Module):
    """The positive part.

    Args:
        inplace: Whether the input is overwritten.
    """

    __constants__: tuple[str, ...] = ("inplace",)
    inplace: bool

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """The function of each element."""
        if self.inplace:
            return input.relu_()
        return F.relu(input)

    def extra_repr(self) -> str:
        return "inplace=True" if self.inplace else ""


class RReLU(Module):
    """x where positive, else x times a slope, which is drawn for each element in training mode.

    Args:
        lower: The least slope.
        upper: The greatest slope.
        inplace: Whether the input is overwritten.
    """

    __constants__: tuple[str, ...] = ("lower", "upper", "inplace")
    lower: float
    upper: float
    inplace: bool

    def __init__(self, lower: float = 1.0 / 8, upper: float = 1.0 / 3, inplace: bool = False) -> None:
        super().__init__()
        self.lower = lower
        self.upper = upper
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """The function of each element."""
        return F.rrelu(input, self.lower, self.upper, self.training, self.inplace)

    def extra_repr(self) -> str:
        text = f"lower={self.lower}, upper={self.upper}"
        return text + (", inplace=True" if self.inplace else "")


class Hardtanh(Module):
    """Within two limits.

    Args:
        min_val, max_val: The limits.
        inplace: Whether the input is overwritten.
        min_value, max_value: Older names of the limits.

    Raises:
        ValueError: The limits are not in order.
    """

    __constants__: tuple[str, ...] = ("min_val", "max_val", "inplace")
    min_val: float
    max_val: float
    inplace: bool

    def __init__(
        self,
        min_val: float = -1.0,
        max_val: float = 1.0,
        inplace: bool = False,
        min_value: float | None = None,
        max_value: float | None = None,
    ) -> None:
        super().__init__()
        if min_value is not None:
            warnings.warn("keyword argument `min_value` is deprecated: it is `min_val`", FutureWarning, stacklevel=2)
            min_val = min_value
        if max_value is not None:
            warnings.warn("keyword argument `max_value` is deprecated: it is `max_val`", FutureWarning, stacklevel=2)
            max_val = max_value
        if max_val <= min_val:
            raise ValueError(f"max_val must be larger than min_val, found {max_val} and {min_val}")
        self.min_val = min_val
        self.max_val = max_val
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """The function of each element."""
        if self.inplace:
            return input.hardtanh_(self.min_val, self.max_val)
        return F.hardtanh(input, self.min_val, self.max_val)

    def extra_repr(self) -> str:
        text = f"min_val={self.min_val}, max_val={self.max_val}"
        return text + (", inplace=True" if self.inplace else "")


class ReLU6(Hardtanh):
    """Within [0, 6].

    Args:
        inplace: Whether the input is overwritten.
    """

    def __init__(self, inplace: bool = False) -> None:
        super().__init__(0.0, 6.0, inplace)

    def extra_repr(self) -> str:
        return "inplace=True" if self.inplace else ""


class Sigmoid(Module):
    """``1 / (1 + exp(-x))``."""

    def forward(self, input: Tensor) -> Tensor:
        """The function of each element."""
        return F.sigmoid(input)


class Hardsigmoid(Module):
    """``relu6(x + 3) / 6``.

    Args:
        inplace: Whether the input is overwritten.
    """

    __constants__: tuple[str, ...] = ("inplace",)
    inplace: bool

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """The function of each element."""
        if self.inplace:
            return input.copy_(F.hardsigmoid(input))
        return F.hardsigmoid(input)


class Tanh(Module):
    """Hyperbolic tangent."""

    def forward(self, input: Tensor) -> Tensor:
        """The function of each element."""
        return F.tanh(input)


class SiLU(Module):
    """``x * sigmoid(x)``.

    Args:
        inplace: Whether the input is overwritten.
    """

    __constants__: tuple[str, ...] = ("inplace",)
    inplace: bool

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """The function of each element."""
        if self.inplace:
            return input.copy_(F.silu(input))
        return F.silu(input)

    def extra_repr(self) -> str:
        return "inplace=True" if self.inplace else ""


class Mish(Module):
    """``x * tanh(softplus(x))``.

    Args:
        inplace: Whether the input is overwritten.
    """

    __constants__: tuple[str, ...] = ("inplace",)
    inplace: bool

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """The function of each element."""
        if self.inplace:
            return input.copy_(F.mish(input))
        return F.mish(input)

    def extra_repr(self) -> str:
        return "inplace=True" if self.inplace else ""


class Hardswish(Module):
    """``x * relu6(x + 3) / 6``.

    Args:
        inplace: Whether the input is overwritten.
    """

    __constants__: tuple[str, ...] = ("inplace",)
    inplace: bool

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """The function of each element."""
        if self.inplace:
            return input.copy_(F.hardswish(input))
        return F.hardswish(input)


class ELU(Module):
    """x where positive, else ``alpha * (exp(x) - 1)``.

    Args:
        alpha: Of the formula.
        inplace: Whether the input is overwritten.
    """

    __constants__: tuple[str, ...] = ("alpha", "inplace")
    alpha: float
    inplace: bool

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__()
        self.alpha = alpha
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """The function of each element."""
        if self.inplace:
            return input.elu_(self.alpha)
        return F.elu(input, self.alpha)

    def extra_repr(self) -> str:
        text = f"alpha={self.alpha}"
        return text + (", inplace=True" if self.inplace else "")


class CELU(Module):
    """x where positive, else ``alpha * (exp(x / alpha) - 1)``.

    Args:
        alpha: Of the formula.
        inplace: Whether the input is overwritten.
    """

    __constants__: tuple[str, ...] = ("alpha", "inplace")
    alpha: float
    inplace: bool

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__()
        self.alpha = alpha
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """The function of each element."""
        if self.inplace:
            return input.copy_(F.celu(input, self.alpha))
        return F.celu(input, self.alpha)

    def extra_repr(self) -> str:
        text = f"alpha={self.alpha}"
        return text + (", inplace=True" if self.inplace else "")


class SELU(Module):
    """Scaled `ELU`.

    Args:
        inplace: Whether the input is overwritten.
    """

    __constants__: tuple[str, ...] = ("inplace",)
    inplace: bool

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """The function of each element."""
        if self.inplace:
            return input.copy_(F.selu(input))
        return F.selu(input)

    def extra_repr(self) -> str:
        return "inplace=True" if self.inplace else ""


class GLU(Module):
    """The first half along a dimension times the sigmoid of the other.

    Args:
        dim: The dimension.
    """

    __constants__: tuple[str, ...] = ("dim",)
    dim: int

    def __init__(self, dim: int = -1) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        """The product, of half the size."""
        return F.glu(input, self.dim)

    def extra_repr(self) -> str:
        return f"dim={self.dim}"


class GELU(Module):
    """Gaussian error linear unit.

    Args:
        approximate: ``none`` or ``tanh``.
    """

    __constants__: tuple[str, ...] = ("approximate",)
    approximate: str

    def __init__(self, approximate: str = "none") -> None:
        super().__init__()
        self.approximate = approximate

    def forward(self, input: Tensor) -> Tensor:
        """The function of each element."""
        return F.gelu(input, approximate=self.approximate)

    def extra_repr(self) -> str:
        return f"approximate={self.approximate!r}"


class Hardshrink(Module):
    """x outside of [-lambd, lambd], else 0.

    Args:
        lambd: The limit.
    """

    __constants__: tuple[str, ...] = ("lambd",)
    lambd: float

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__()
        self.lambd = lambd

    def forward(self, input: Tensor) -> Tensor:
        """The function of each element."""
        return F.hardshrink(input, self.lambd)

    def extra_repr(self) -> str:
        return f"{self.lambd}"


class LeakyReLU(Module):
    """x where positive, else ``x * negative_slope``.

    Args:
        negative_slope: The slope.
        inplace: Whether the input is overwritten.
    """

    __constants__: tuple[str, ...] = ("negative_slope", "inplace")
    negative_slope: float
    inplace: bool

    def __init__(self, negative_slope: float = 1e-2, inplace: bool = False) -> None:
        super().__init__()
        self.negative_slope = negative_slope
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """The function of each element."""
        if self.inplace:
            return input.leaky_relu_(self.negative_slope)
        return F.leaky_relu(input, self.negative_slope)

    def extra_repr(self) -> str:
        text = f"negative_slope={self.negative_slope}"
        return text + (", inplace=True" if self.inplace else "")


class LogSigmoid(Module):
    """``log(sigmoid(x))``."""

    def forward(self, input: Tensor) -> Tensor:
        """The function of each element."""
        return F.logsigmoid(input)


class Softplus(Module):
    """``log(1 + exp(beta * x)) / beta``, x beyond the threshold.

    Args:
        beta: Of the formula.
        threshold: The threshold of ``beta * x``.
    """

    __constants__: tuple[str, ...] = ("beta", "threshold")
    beta: float
    threshold: float

    def __init__(self, beta: float = 1.0, threshold: float = 20.0) -> None:
        super().__init__()
        self.beta = beta
        self.threshold = threshold

    def forward(self, input: Tensor) -> Tensor:
        """The function of each element."""
        return F.softplus(input, self.beta, self.threshold)

    def extra_repr(self) -> str:
        return f"beta={self.beta}, threshold={self.threshold}"


class Softshrink(Module):
    """x outside of [-lambd, lambd] brought closer to 0 by that, else 0.

    Args:
        lambd: The limit.
    """

    __constants__: tuple[str, ...] = ("lambd",)
    lambd: float

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__()
        self.lambd = lambd

    def forward(self, input: Tensor) -> Tensor:
        """The function of each element."""
        return F.softshrink(input, self.lambd)

    def extra_repr(self) -> str:
        return str(self.lambd)


class Softsign(Module):
    """``x / (1 + abs(x))``."""

    def forward(self, input: Tensor) -> Tensor:
        """The function of each element."""
        return F.softsign(input)


class Tanhshrink(Module):
    """``x - tanh(x)``."""

    def forward(self, input: Tensor) -> Tensor:
        """The function of each element."""
        return F.tanhshrink(input)


class PReLU(Module):
    """x where positive, else x times a parameter: one for each channel, or one for all.

    Args:
        num_parameters: 1, or the number of channels, which are the second dimension.
        init: First value of the parameters.
        device, dtype: Of the parameters.
    """

    __constants__: tuple[str, ...] = ("num_parameters",)
    num_parameters: int
    weight: Tensor

    def __init__(self, num_parameters: int = 1, init: float = 0.25, device: Any = None, dtype: Any = None) -> None:
        super().__init__()
        self.num_parameters = num_parameters
        self.init = init
        self.weight = Parameter(empty(num_parameters, device=device, dtype=dtype))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """The first value."""
        self.weight.fill_(self.init)

    def forward(self, input: Tensor) -> Tensor:
        """The function of each element."""
        return F.prelu(input, self.weight)

    def extra_repr(self) -> str:
        return f"num_parameters={self.num_parameters}"


class Softmin(Module):
    """``softmax(-x)`` along a dimension.

    Args:
        dim: The dimension; without it the first of tensors of 1 or 3 dimensions and the second of others.
    """

    __constants__: tuple[str, ...] = ("dim",)
    dim: int | None

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        """The function of each vector along the dimension."""
        dim = self.dim
        return F.softmin(input, _usual_dim(input.dim()) if dim is None else dim)

    def extra_repr(self) -> str:
        return f"dim={self.dim}"


class Softmax(Module):
    """``exp(x)`` along a dimension, scaled to the sum 1.

    Args:
        dim: The dimension; without it the first of tensors of 1 or 3 dimensions and the second of others.
    """

    __constants__: tuple[str, ...] = ("dim",)
    dim: int | None

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        """The function of each vector along the dimension."""
        dim = self.dim
        return F.softmax(input, _usual_dim(input.dim()) if dim is None else dim)

    def extra_repr(self) -> str:
        return f"dim={self.dim}"


class LogSoftmax(Module):
    """Logarithm of the softmax.

    Args:
        dim: The dimension; without it the first of tensors of 1 or 3 dimensions and the second of others.
    """

    __constants__: tuple[str, ...] = ("dim",)
    dim: int | None

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        """The function of each vector along the dimension."""
        dim = self.dim
        return F.log_softmax(input, _usual_dim(input.dim()) if dim is None else dim)

    def extra_repr(self) -> str:
        return f"dim={self.dim}"


def _usual_dim(ndim: int) -> int:
    """The dimension of a softmax if none is said."""
    return 0 if ndim == 0 or ndim == 1 or ndim == 3 else 1


class Softmax2d(Module):
    """The softmax over the channels of ``(N, C, H, W)`` or ``(C, H, W)``.

    Raises:
        ValueError: The input of a call has another number of dimensions.
    """

    def forward(self, input: Tensor) -> Tensor:
        """The softmax of each pixel."""
        if input.dim() != 3 and input.dim() != 4:
            raise ValueError(f"Softmax2d: expected input to be 3D or 4D, got {input.dim()}D instead")
        return F.softmax(input, -3)
