"""Circular and hyperbolic functions of tensors."""

from __future__ import annotations

from tscript.definitions.define import pointwise_pair
from tscript.definitions.opdef import OpDef
from tscript.definitions.promotion import PointwiseRule, promote_float
from tscript.dialect import complex_math as cm
from tscript.dialect import vector_angles as va
from tscript.dialect import vector_math as vm
from tscript.operators.tensor.pointwise import BINARY, function

ANGLE_OF = PointwiseRule(BINARY, promote_float)

OPERATORS: tuple[OpDef, ...] = (
    *function("sin", vm.sin, "Sine.", cm.sin),
    *function("cos", vm.cos, "Cosine.", cm.cos),
    *function("tanh", vm.tanh, "Hyperbolic tangent.", cm.tanh, names="tanh F.tanh"),
    *function("tan", va.tan, "Tangent.", cm.tan),
    *function("asin", va.asin, "Arc sine.", names="asin arcsin"),
    *function("acos", va.acos, "Arc cosine.", names="acos arccos"),
    *function("atan", va.atan, "Arc tangent.", names="atan arctan"),
    *function("sinh", va.sinh, "Hyperbolic sine.", cm.sinh),
    *function("cosh", va.cosh, "Hyperbolic cosine.", cm.cosh),
    *function("asinh", va.asinh, "Inverse hyperbolic sine.", names="asinh arcsinh"),
    *function("acosh", va.acosh, "Inverse hyperbolic cosine.", names="acosh arccosh"),
    *function("atanh", va.atanh, "Inverse hyperbolic tangent.", names="atanh arctanh"),
    *function("exp2", va.exp2, "Powers of two."),
    *pointwise_pair(
        "atan2(Tensor self, Tensor other) -> Tensor",
        ANGLE_OF,
        va.atan2,
        "The angle of the point with the coordinates `other` and `self`.",
        exact=False,
        names="atan2 arctan2",
    ),
)
"""All operators of this module."""
