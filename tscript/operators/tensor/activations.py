"""Activation functions: pointwise operators of floats."""

from __future__ import annotations

import numpy as np

from tscript.operators.core.define import composite, pointwise_pair
from tscript.operators.core.opdef import OpDef
from tscript.operators.core.promotion import PointwiseRule, promote, refusing
from tscript.operators.core.values import Array
from tscript.operators.tensor import pointwise_arrays as arrays
from tscript.operators.tensor import pointwise_bodies as body
from tscript.operators.tensor.pointwise import UNARY, float_only, like, no_bool, unary
from tscript.operators.tensor.pointwise_arrays import Function


def _activation(
    schema: str,
    run: Function,
    numpy: Function,
    doc: str,
    *,
    operands: tuple[int, ...] = UNARY,
    exact: bool = False,
    known_as: str = "",
) -> tuple[OpDef, ...]:
    name = known_as or schema.partition("(")[0]
    rule = PointwiseRule(operands, float_only(name), silent=operands[1:])
    return pointwise_pair(schema, rule, run, numpy, doc, exact=exact)


def gelu_body(self, approximate: str = "none"):  # type: ignore[no-untyped-def]
    if approximate == "tanh":
        return self.gelu_tanh()
    if approximate == "none":
        return self.gelu_erf()
    raise RuntimeError("approximate argument must be either none or tanh.")


def _gelu(x: Array, approximate: str) -> object:
    """`gelu` by its name, in the language."""
    if approximate not in ("none", "tanh"):
        raise RuntimeError("approximate argument must be either none or tanh.")
    return (GELU_TANH if approximate == "tanh" else GELU_ERF).semantics(x)


(GELU_ERF,) = _activation(
    "gelu_erf(Tensor self) -> Tensor", body.gelu_erf, arrays.gelu_erf, "GELU by the error function.", known_as="gelu"
)[:1]
(GELU_TANH,) = _activation(
    "gelu_tanh(Tensor self) -> Tensor",
    body.gelu_tanh,
    arrays.gelu_tanh,
    "GELU by its tanh approximation.",
    known_as="gelu",
)[:1]
OPERATORS: tuple[OpDef, ...] = (
    *unary(
        "relu",
        refusing(promote, no_bool("Boolean inputs not supported for relu")),
        body.relu,
        lambda x: np.where(x < 0, x.dtype.type(0), x),
        "The positive part.",
    ),
    *_activation("silu(Tensor self) -> Tensor", body.silu, lambda x: x * arrays.sigmoid(x), "``x * sigmoid(x)``."),
    GELU_ERF,
    GELU_TANH,
    composite(
        "gelu(Tensor self, *, str approximate='none') -> Tensor",
        like(GELU_ERF.type_rule, 1),
        _gelu,
        gelu_body,
        "Gaussian error linear unit.",
    ),
    *_activation(
        "leaky_relu(Tensor self, Scalar negative_slope=0.01) -> Tensor",
        body.leaky_relu,
        lambda x, slope: np.where(x > 0, x, x * slope),
        "x where positive, else ``x * negative_slope``.",
        operands=(0, 1),
        exact=True,
    ),
    *_activation(
        "elu(Tensor self, Scalar alpha=1, Scalar scale=1, Scalar input_scale=1) -> Tensor",
        body.elu,
        lambda x, alpha, scale, inner: np.where(x > 0, x * scale, np.expm1(x * inner) * alpha * scale),
        "x where positive, else ``alpha * (exp(x) - 1)``.",
        operands=(0, 1, 2, 3),
    ),
    *pointwise_pair(
        "hardtanh(Tensor self, Scalar min_val=-1, Scalar max_val=1) -> Tensor",
        PointwiseRule((0, 1, 2), promote, silent=(1, 2)),
        body.clamp,
        arrays.clamp,
        "Within [min_val, max_val].",
    ),
    *unary(
        "relu6",
        promote,
        body.hard_six,
        lambda x: arrays.clamp(x, x.dtype.type(0), x.dtype.type(6)),
        "Within [0, 6].",
    ),
    *_activation(
        "hardsigmoid(Tensor self) -> Tensor",
        body.hard_sigmoid,
        lambda x: arrays.six(x) / x.dtype.type(6),
        "``relu6(x + 3) / 6``.",
        exact=True,
    ),
    *_activation(
        "hardswish(Tensor self) -> Tensor",
        body.hard_swish,
        lambda x: x * arrays.six(x) / x.dtype.type(6),
        "``x * relu6(x + 3) / 6``.",
        exact=True,
    ),
    *_activation(
        "softplus(Tensor self, Scalar beta=1, Scalar threshold=20) -> Tensor",
        body.softplus,
        arrays.softplus,
        "``log(1 + exp(beta * x)) / beta``, x beyond the threshold.",
        operands=(0, 1, 2),
    ),
    *_activation(
        "log_sigmoid(Tensor self) -> Tensor",
        body.log_sigmoid,
        lambda x: arrays.minimum(x, x.dtype.type(0)) - np.log1p(np.exp(-np.abs(x))),
        "``log(sigmoid(x))``.",
    ),
    *_activation(
        "mish(Tensor self) -> Tensor",
        body.mish,
        lambda x: x * np.tanh(np.log1p(np.exp(x))),
        "``x * tanh(softplus(x))``.",
    ),
)
"""All operators of this module."""
