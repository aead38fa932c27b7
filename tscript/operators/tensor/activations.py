"""Activation functions: pointwise operators of floats."""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from tscript.definitions.define import composite, pointwise_pair
from tscript.definitions.language import Tensor
from tscript.definitions.opdef import OpDef
from tscript.definitions.promotion import PointwiseRule, promote, refusing
from tscript.dialect import T, fabs, select
from tscript.dialect import vector_math as vm
from tscript.operators.tensor.checks import check_floating
from tscript.operators.tensor.comparison import clamp, minimum
from tscript.operators.tensor.pointwise import UNARY, Body, float_only, function, no_bool, unary


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
        "elu(Tensor self, Scalar alpha=1, Scalar scale=1, Scalar input_scale=1) -> Tensor",
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


def softplus(x: T, beta: T, threshold: T) -> T:
    z = x * beta
    return select(z > threshold, x, vm.log1p(vm.exp(z)) / beta)


def log_sigmoid(x: T) -> T:
    return minimum(x, T(0)) - vm.log1p(vm.exp(-fabs(x)))


def mish(x: T) -> T:
    return x * vm.tanh(vm.log1p(vm.exp(x)))


_SMOOTH = (
    *function("sigmoid", vm.sigmoid, "``1 / (1 + exp(-x))``.", names="sigmoid F.sigmoid torch.special.expit"),
    *_activation("silu(Tensor self) -> Tensor", silu, "``x * sigmoid(x)``."),
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


def softmin(input: Tensor, dim: int) -> Tensor:
    """``softmax(-x)`` along a dimension: the formula of `torch.nn.Softmin`.

    Args:
        input: Floats.
        dim: The dimension.

    Raises:
        NotImplementedError: The input has no floats.
        IndexError: The dimension is out of range.

    Example:
        >>> tscript.nn.functional.softmin(tscript.tensor([2.0, 2.0]), dim=0).tolist()
        [0.5, 0.5]
    """
    return (-input).softmax(dim)


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


_COMPOSITE = (
    composite("glu(Tensor self, int dim=-1) -> Tensor", glu, names="F.glu"),
    composite("softmin(Tensor input, int dim) -> Tensor", softmin, names="F.softmin"),
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
)
"""All operators of this module."""
