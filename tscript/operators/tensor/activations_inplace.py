"""Activations with the argument `inplace`, which functions of ``torch.nn.functional`` have.

Each is an overload of the activation; which of the two runs is decided where the function is compiled if `inplace` is a
constant.
"""

from __future__ import annotations

from tscript.definitions.define import composite
from tscript.definitions.language import Tensor, torch
from tscript.definitions.opdef import OpDef


def relu(input: Tensor, inplace: bool) -> Tensor:
    return torch.relu_(input) if inplace else torch.relu(input)


def relu6(input: Tensor, inplace: bool) -> Tensor:
    return input.relu6_() if inplace else torch.nn.functional.relu6(input)


def hardtanh(input: Tensor, min_val: float, max_val: float, inplace: bool) -> Tensor:
    if inplace:
        return input.hardtanh_(min_val, max_val)
    return torch.nn.functional.hardtanh(input, min_val, max_val)


def elu(input: Tensor, alpha: float, inplace: bool) -> Tensor:
    return input.elu_(alpha) if inplace else torch.nn.functional.elu(input, alpha)


def selu(input: Tensor, inplace: bool) -> Tensor:
    return torch.selu_(input) if inplace else torch.selu(input)


def celu(input: Tensor, alpha: float, inplace: bool) -> Tensor:
    return torch.celu_(input, alpha) if inplace else torch.celu(input, alpha)


def leaky_relu(input: Tensor, negative_slope: float, inplace: bool) -> Tensor:
    if inplace:
        return input.leaky_relu_(negative_slope)
    return torch.nn.functional.leaky_relu(input, negative_slope)


def hardsigmoid(input: Tensor, inplace: bool) -> Tensor:
    return input.hardsigmoid_() if inplace else torch.nn.functional.hardsigmoid(input)


def hardswish(input: Tensor, inplace: bool) -> Tensor:
    return input.hardswish_() if inplace else torch.nn.functional.hardswish(input)


def silu(input: Tensor, inplace: bool) -> Tensor:
    return input.silu_() if inplace else torch.nn.functional.silu(input)


def mish(input: Tensor, inplace: bool) -> Tensor:
    return input.mish_() if inplace else torch.nn.functional.mish(input)


def threshold(input: Tensor, threshold: float, value: float, inplace: bool) -> Tensor:
    return torch.threshold_(input, threshold, value) if inplace else torch.threshold(input, threshold, value)


OPERATORS: tuple[OpDef, ...] = tuple(
    composite(
        f"{name}.inplace(Tensor self, {more}bool inplace=False) -> Tensor",
        body,
        "The same in place, or not.",
        names=names,
    )
    for name, more, body, names in (
        ("relu", "", relu, "F.relu"),
        ("relu6", "", relu6, "F.relu6"),
        ("hardtanh", "Scalar min_val=-1, Scalar max_val=1, ", hardtanh, "F.hardtanh"),
        ("elu", "Scalar alpha=1, ", elu, "F.elu"),
        ("selu", "", selu, "F.selu"),
        ("celu", "Scalar alpha=1.0, ", celu, "F.celu"),
        ("leaky_relu", "Scalar negative_slope=0.01, ", leaky_relu, "F.leaky_relu"),
        ("hardsigmoid", "", hardsigmoid, "F.hardsigmoid"),
        ("hardswish", "", hardswish, "F.hardswish"),
        ("silu", "", silu, "F.silu"),
        ("mish", "", mish, "F.mish"),
        ("threshold", "Scalar threshold, Scalar value, ", threshold, "F.threshold"),
    )
)
