"""Circular and hyperbolic functions of tensors."""

from __future__ import annotations

from tscript.definitions.opdef import OpDef
from tscript.dialect import vector_math as vm
from tscript.operators.tensor.pointwise import function

OPERATORS: tuple[OpDef, ...] = (
    *function("sin", vm.sin, "Sine."),
    *function("cos", vm.cos, "Cosine."),
    *function("tanh", vm.tanh, "Hyperbolic tangent.", names="tanh F.tanh"),
)
"""All operators of this module."""
