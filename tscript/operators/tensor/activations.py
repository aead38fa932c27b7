"""Activation functions: pointwise operators of floats."""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from tscript.definitions.define import composite, pointwise_pair
from tscript.definitions.language import Tensor, torch
from tscript.definitions.opdef import OpDef
from tscript.definitions.promotion import PointwiseRule, is_exact, not_implemented, promote, refusing
from tscript.dialect import T, fabs, select
from tscript.dialect import complex_math as cm
from tscript.dialect import vector_math as vm
from tscript.dialect.complex_math import with_complex
from tscript.operators.tensor.checks import check_floating
from tscript.operators.tensor.comparison import clamp, minimum
from tscript.operators.tensor.pointwise import UNARY, Body, float_only, function, no_bool, unary
from tscript.types import DType


def _activation(
    schema: str,
    body: Body,
    doc: str,
    *,
    operands: tuple[int, ...] = UNARY,
    exact: bool = False,
    known_as: str = "",
    names: str | None = None,
) -> tuple[OpDef, ...]:
    name = schema.partition("(")[0]
    rule = PointwiseRule(operands, float_only(known_as or name), silent=operands[1:])
    found = f"F.{name} Tensor.{name}" if names is None else names
    return pointwise_pair(schema, rule, body, doc, exact=exact, names=found)


# ---- rectifiers


def relu(x: T) -> T:
    return select(x < 0, T(0), x)


def leaky_relu(x: T, slope: T) -> T:
    return select(x > 0, x, x * slope)


def elu(x: T, alpha: T, scale: T, input_scale: T) -> T:
    return select(x > 0, x * scale, vm.expm1(x * input_scale) * alpha * scale)


_RECTIFIERS = (
    *unary(
        "relu",
        refusing(promote, no_bool("Boolean inputs not supported for relu")),
        relu,
        "The positive part.",
        names="relu F.relu F.relu_ out=no",
    ),
    *_activation(
        "leaky_relu(Tensor self, Scalar negative_slope=0.01) -> Tensor",
        leaky_relu,
        "x where positive, else ``x * negative_slope``.",
        operands=(0, 1),
        exact=True,
        names="F.leaky_relu F.leaky_relu_ Tensor.leaky_relu",
    ),
    *_activation(
        "elu(Tensor self, Scalar alpha=1, *, Scalar scale=1, Scalar input_scale=1) -> Tensor",
        elu,
        "x where positive, else ``alpha * (exp(x) - 1)``.",
        operands=(0, 1, 2, 3),
        names="F.elu F.elu_ Tensor.elu",
    ),
)

# ---- within bounds


def hard_six(x: T) -> T:
    return clamp(x, T(0), T(6))


def hard_sigmoid(x: T) -> T:
    return clamp(x + T(3), T(0), T(6)) / T(6)


def hard_swish(x: T) -> T:
    return x * clamp(x + T(3), T(0), T(6)) / T(6)


_BOUNDED = (
    *pointwise_pair(
        "hardtanh(Tensor self, Scalar min_val=-1, Scalar max_val=1) -> Tensor",
        PointwiseRule((0, 1, 2), promote, silent=(1, 2)),
        clamp,
        "Within [min_val, max_val].",
        names="F.hardtanh F.hardtanh_ Tensor.hardtanh",
    ),
    *unary("relu6", promote, hard_six, "Within [0, 6].", names="F.relu6 Tensor.relu6"),
    *_activation("hardsigmoid(Tensor self) -> Tensor", hard_sigmoid, "``relu6(x + 3) / 6``.", exact=True),
    *_activation("hardswish(Tensor self) -> Tensor", hard_swish, "``x * relu6(x + 3) / 6``.", exact=True),
)

# ---- smooth


def silu(x: T) -> T:
    return x * vm.sigmoid(x)


def complex_silu(x: T) -> T:
    return cm.divide(x, T(1) + cm.exp(-x))


def softplus(x: T, beta: T, threshold: T) -> T:
    z = x * beta
    return select(z > threshold, x, vm.log1p(vm.exp(z)) / beta)


def log_sigmoid(x: T) -> T:
    return minimum(x, T(0)) - vm.log1p(vm.exp(-fabs(x)))


def mish(x: T) -> T:
    return x * vm.tanh(vm.log1p(vm.exp(x)))


_SMOOTH = (
    *function(
        "sigmoid",
        vm.sigmoid,
        "``1 / (1 + exp(-x))``.",
        cm.sigmoid,
        names="sigmoid F.sigmoid torch.special.expit",
    ),
    *unary(
        "silu",
        not_implemented(promote, "silu_cpu", is_exact),
        with_complex(silu, complex_silu),
        "``x * sigmoid(x)``.",
        exact=False,
        names="F.silu Tensor.silu",
        complex=True,
    ),
    *_activation(
        "softplus(Tensor self, Scalar beta=1, Scalar threshold=20) -> Tensor",
        softplus,
        "``log(1 + exp(beta * x)) / beta``, x beyond the threshold.",
        operands=(0, 1, 2),
    ),
    *_activation(
        "log_sigmoid(Tensor self) -> Tensor",
        log_sigmoid,
        "``log(sigmoid(x))``.",
        names="F.logsigmoid Tensor.logsigmoid tscript.log_sigmoid Tensor.log_sigmoid",
    ),
    *_activation("mish(Tensor self) -> Tensor", mish, "``x * tanh(softplus(x))``."),
)

# ---- GELU


def gelu_erf(x: T) -> T:
    return T(0.5) * x * (T(1) + vm.erf(x * T(0.7071067811865476)))


def gelu_tanh(x: T) -> T:
    inner = T(0.7978845608028654) * (x + T(0.044715) * x * x * x)
    return T(0.5) * x * (T(1) + vm.tanh(inner))


def gelu(self: Tensor, approximate: str) -> Tensor:
    if approximate == "tanh":
        return self.gelu_tanh()
    if approximate == "none":
        return self.gelu_erf()
    raise RuntimeError("approximate argument must be either none or tanh.")


# ---- in the language


def glu(self: Tensor, dim: int) -> Tensor:
    """The first half along a dimension times the sigmoid of the other.

    ``a * sigmoid(b)``: Dauphin, Fan, Auli and Grangier, "Language Modeling with Gated Convolutional Networks",
    arXiv:1612.08083.

    Args:
        input: Floats.
        dim: The dimension that is halved.

    Raises:
        RuntimeError: The size of the dimension is odd, or there is none.
        NotImplementedError: The input has no floats.
        IndexError: The dimension is out of range.

    Example:
        >>> tscript.nn.functional.glu(tscript.tensor([1.0, 2.0, 0.0, 0.0])).tolist()
        [0.5, 1.0]
    """
    if self.dim() == 0:
        raise RuntimeError("glu does not support 0-dimensional tensors")
    size = self.size(dim)
    if size % 2 != 0:
        found = dim if dim >= 0 else dim + self.dim()
        raise RuntimeError(f"Halving dimension must be even, but dimension {found} is size {size}")
    check_floating(self, "glu_cpu")
    return self.narrow(dim, 0, size // 2) * self.narrow(dim, size // 2, size // 2).sigmoid()


def softmin(input: Tensor, dim: int, dtype: DType | None) -> Tensor:
    """``softmax(-x)`` along a dimension: the formula of `torch.nn.Softmin`.

    Args:
        input: Floats.
        dim: The dimension.
        dtype: What the input is converted to before.

    Raises:
        NotImplementedError: The input has no floats.
        IndexError: The dimension is out of range.

    Example:
        >>> tscript.nn.functional.softmin(tscript.tensor([2.0, 2.0]), dim=0).tolist()
        [0.5, 0.5]
    """
    return (-input).softmax(dim) if dtype is None else (-input).softmax(dim, dtype)


def softsign(input: Tensor) -> Tensor:
    """``x / (1 + abs(x))``, element by element: the formula of `torch.nn.Softsign`.

    Args:
        input: Any numbers.

    Example:
        >>> tscript.nn.functional.softsign(tscript.tensor([-1.0, 0.0, 3.0])).tolist()
        [-0.5, 0.0, 0.75]
    """
    return input / (input.abs() + 1)


def tanhshrink(input: Tensor) -> Tensor:
    """``x - tanh(x)``, element by element: the formula of `torch.nn.Tanhshrink`.

    Args:
        input: Any numbers.

    Example:
        >>> tscript.nn.functional.tanhshrink(tscript.tensor([0.0, 20.0])).tolist()
        [0.0, 19.0]
    """
    return input - input.tanh()


def threshold(x: T, limit: T, value: T) -> T:
    return select(x > limit, x, select(x != x, x, value))


def hardshrink(x: T, lambd: T) -> T:
    return select(x > lambd, x, select(x < -lambd, x, select(x != x, x, T(0))))


def softshrink(x: T, lambd: T) -> T:
    return select(x > lambd, x - lambd, select(x < -lambd, x + lambd, select(x != x, x, T(0))))


def celu(x: T, alpha: T) -> T:
    return select(x > 0, x, vm.expm1(x / alpha) * alpha)


def selu(x: T) -> T:
    low = vm.expm1(x) * T(1.7580993408473766)
    return select(x > 0, x * T(1.0507009873554805), low)


def prelu(self: Tensor, weight: Tensor) -> Tensor:
    """x where positive, else ``x * weight``: of each channel, which is the second dimension, or the same for all.

    Args:
        input: Floats.
        weight: As many as there are channels, or one.

    Raises:
        RuntimeError: There are others.

    Example:
        >>> tscript.nn.functional.prelu(tscript.tensor([-2.0, 3.0]), tscript.tensor([0.5])).tolist()
        [-1.0, 3.0]
    """
    if weight.dim() > 1:
        raise RuntimeError(f"prelu: Expected `weight` to be a scalar or 1D tensor, but got: ndim = {weight.dim()}")
    if weight.numel() == 1:
        return torch.where(self > 0, self, self * weight.reshape(()))
    if self.dim() == 0:
        raise RuntimeError("Not allow zero-dim input tensor.")
    channels = self.size(1) if self.dim() > 1 else 1
    if weight.numel() != channels:
        raise RuntimeError(
            f"Mismatch of parameter numbers and input channel size. Found parameter numbers = {weight.numel()} and "
            f"channel size = {channels}."
        )
    sizes = [1 for _ in range(self.dim())]
    sizes[1] = channels
    return torch.where(self > 0, self, self * weight.reshape(sizes))


_SHRINKING = (
    *pointwise_pair(
        "threshold(Tensor self, Scalar threshold, Scalar value) -> Tensor",
        PointwiseRule((0, 1, 2), promote, silent=(1, 2)),
        threshold,
        "x above the threshold, else `value`.",
        names="torch.threshold F.threshold out=no",
    ),
    *_activation(
        "hardshrink(Tensor self, Scalar lambd=0.5) -> Tensor",
        hardshrink,
        "x outside of [-lambd, lambd], else 0.",
        operands=(0, 1),
        exact=True,
        names="F.hardshrink torch.hardshrink Tensor.hardshrink",
    )[:1],
    *_activation(
        "softshrink(Tensor self, Scalar lambd=0.5) -> Tensor",
        softshrink,
        "x outside of [-lambd, lambd] brought closer to 0 by that, else 0.",
        operands=(0, 1),
        exact=True,
        names="F.softshrink",
    )[:1],
    *_activation(
        "celu(Tensor self, Scalar alpha=1.0) -> Tensor",
        celu,
        "x where positive, else ``alpha * (exp(x / alpha) - 1)``.",
        operands=(0, 1),
        names="torch.celu F.celu",
    ),
    *_activation("selu(Tensor self) -> Tensor", selu, "Scaled `elu`.", names="torch.selu F.selu"),
    composite("prelu(Tensor self, Tensor weight) -> Tensor", prelu, names="torch.prelu F.prelu Tensor.prelu out=no"),
)

_COMPOSITE = (
    composite("glu(Tensor self, int dim=-1) -> Tensor", glu, names="F.glu"),
    composite("softmin(Tensor input, int dim, *, dtype? dtype=None) -> Tensor", softmin, names="F.softmin"),
    composite("softsign(Tensor input) -> Tensor", softsign, names="F.softsign"),
    composite("tanhshrink(Tensor input) -> Tensor", tanhshrink, names="F.tanhshrink"),
)

_GELU = (
    *_activation(
        "gelu_erf(Tensor self) -> Tensor",
        gelu_erf,
        "GELU by the error function.",
        known_as="gelu",
        names="tscript.gelu_erf Tensor.gelu_erf",
    )[:1],
    *_activation(
        "gelu_tanh(Tensor self) -> Tensor",
        gelu_tanh,
        "GELU by its tanh approximation.",
        known_as="gelu",
        names="tscript.gelu_tanh Tensor.gelu_tanh",
    )[:1],
    composite(
        "gelu(Tensor self, *, str approximate='none') -> Tensor",
        gelu,
        "Gaussian error linear unit.",
        names="F.gelu Tensor.gelu",
    ),
)

OPERATORS: tuple[OpDef, ...] = (
    *_RECTIFIERS,
    *_BOUNDED,
    *_SMOOTH,
    *_GELU,
    *_COMPOSITE,
    *_SHRINKING,
)
"""All operators of this module."""
