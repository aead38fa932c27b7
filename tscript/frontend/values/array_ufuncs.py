"""Functions of each element, as NumPy's ufuncs: ``np.sqrt(x)``, ``np.maximum(x, y)``, ``np.arctan2(y, x)``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from tscript.definitions.opdef import OpDef
from tscript.dialect import libm
from tscript.frontend.lowering.iteration import Range
from tscript.frontend.lowering.kinds import Run
from tscript.frontend.lowering.tuples import make_tuple
from tscript.frontend.values import array_arithmetic
from tscript.frontend.values.array_axes import rank_of, shaped, sizes
from tscript.frontend.values.array_calls import Call, Function
from tscript.frontend.values.array_out import taking_out
from tscript.frontend.values.array_promotion import NUMBERS, apply, as_dtype, as_float, as_scalar, promoted
from tscript.ir.graph import Value
from tscript.operators.python.elements import ELEMENT, MACHINE_OF, SCALAR_OF, SET_ELEMENT
from tscript.types import F64, NONE, ArrayType, DType, ScalarType, dtype_of, dtypes, scalar_dtype


def _unary(operator: str, to_float: bool, call: Call) -> Value:
    x = _strong(call, call.number("x"))
    dtype = scalar_dtype([x.type])
    assert dtype is not None
    if dtype is dtypes.bool_ and operator in _SAME_OF_BOOLS:
        return apply(call.lowering, "clone", [x], call.span) if isinstance(x.type, ArrayType) else x
    if dtype is dtypes.bool_ and operator == "square":
        x = as_dtype(call.lowering, x, dtypes.int8, call.span)
    if to_float:
        x = as_dtype(call.lowering, x, as_float(dtype), call.span)
    return apply(call.lowering, operator, [x], call.span)


def _sign(call: Call) -> Value:
    """That of a nan is nan, and not 0 as PyTorch says."""
    lowering, span = call.lowering, call.span
    x = _strong(call, call.number("x"))
    found = apply(lowering, "sign", [x], span)
    return apply(lowering, "where", [apply(lowering, "eq", [x, x], span), found, x], span)


_SAME_OF_BOOLS = frozenset({"abs", "floor", "ceil", "trunc"})
"""Functions that give bools back."""


def _strong(call: Call, x: Value) -> Value:
    """A number of Python as the NumPy scalar that a function makes of it."""
    dtype = dtype_of(x.type)
    if isinstance(x.type, ArrayType | ScalarType) or dtype is None:
        return x
    return as_scalar(call.lowering, x, dtype, call.span)


def _angle(call: Call) -> Value:
    """``arctan2``"""
    found = [call.number("x1"), call.number("x2")]
    if all(v.type in NUMBERS for v in found):
        found = [_strong(call, v) for v in found]
    common = scalar_dtype([v.type for v in found])
    assert common is not None
    return apply(call.lowering, "atan2", promoted(call.lowering, found, call.span, as_float(common)), call.span)


def _binary(operator: str, call: Call) -> Value:
    left, right = call.number("x1"), call.number("x2")
    if all(v.type in NUMBERS for v in (left, right)):
        left = _strong(call, left)
    found = array_arithmetic.binary(call.lowering, operator, left, right, call.span)
    assert found is not None
    return found


def _compare(operator: str, call: Call) -> Value:
    left, right = _strong(call, call.number("x1")), call.number("x2")
    found = array_arithmetic.compare(call.lowering, operator, left, right, call.span)
    assert found is not None
    return found


def _where(call: Call) -> Value:
    lowering, span = call.lowering, call.span
    condition = as_dtype(lowering, call.number("condition"), dtypes.bool_, span)
    x, y = call.number("x"), call.number("y")
    if all(v.type in NUMBERS for v in (x, y)):
        x = _strong(call, x)
    return apply(lowering, "where", [condition, *promoted(lowering, [x, y], span)], span)


# ---- functions of the library of C

_OF_C: Mapping[str, OpDef] = {"cbrt": libm.cbrt.op}
_PAIRS_OF_C: Mapping[str, OpDef] = {"nextafter": libm.nextafter.op}


def _of_floats(op: OpDef, call: Call) -> Value:
    """A function of C of the elements, one by one, in double precision."""
    lowering, span = call.lowering, call.span
    found = [call.number(p) for p in ("x", "x1", "x2") if p in call.given]
    if all(v.type in NUMBERS for v in found):
        found = [_strong(call, v) for v in found]
    common = scalar_dtype([v.type for v in found])
    assert common is not None
    dtype = as_float(common)
    found = promoted(lowering, found, span, dtype)
    if not any(isinstance(v.type, ArrayType) for v in found):
        return _element(call, op, found, dtype)
    out = apply(lowering, "clone", found, span) if len(found) == 1 else apply(lowering, "add", found, span)
    whole = shaped(call, out, [call.const(-1)])
    flat = [_spread(call, v, out) if isinstance(v.type, ArrayType) else v for v in found]

    def each(index: Value) -> None:
        items = [
            lowering.leaf(ELEMENT, [v, index], ScalarType(dtype), span) if isinstance(v.type, ArrayType) else v
            for v in flat
        ]
        lowering.leaf(SET_ELEMENT, [whole, _element(call, op, items, dtype), index], NONE, span)

    count = lowering.apply("numel", [out], span)
    Range(call.const(0), count, call.const(1)).run(lowering, each, Run({}, span))
    return out


def _spread(call: Call, array: Value, like: Value) -> Value:
    if rank_of(array) < rank_of(like) or rank_of(array) > 0:
        shape = make_tuple(call.lowering, sizes(call, like), call.span)
        array = apply(call.lowering, "broadcast_to", [array, shape], call.span)
    return shaped(call, array, [call.const(-1)])


def _element(call: Call, op: OpDef, items: Sequence[Value], dtype: DType) -> Value:
    lowering, span = call.lowering, call.span
    inputs = [lowering.leaf(MACHINE_OF, [as_scalar(lowering, v, dtypes.float64, span)], F64, span) for v in items]
    found = lowering.leaf(op, inputs, F64, span)
    return as_scalar(lowering, lowering.leaf(SCALAR_OF, [found], ScalarType(dtypes.float64), span), dtype, span)


OF_FLOATS: Mapping[str, Function] = {"fmod": Function("x1 x2", partial(_of_floats, libm.fmod.op))}
"""Functions of floats, which are others of ints."""

BINARY: Mapping[str, str] = {
    "add": "add",
    "subtract": "sub",
    "multiply": "mul",
    "divide": "div",
    "true_divide": "div",
    "floor_divide": "floor_divide",
    "remainder": "remainder",
    "mod": "remainder",
    "power": "pow",
    **{n: n for n in ("maximum", "minimum", "bitwise_and", "bitwise_or", "bitwise_xor", "logical_and")},
    **{n: n for n in ("logical_or", "logical_xor")},
    "left_shift": "bitwise_left_shift",
    "right_shift": "bitwise_right_shift",
    "matmul": "matmul",
}
"""Ufuncs of two arguments, and their operators."""

COMPARISONS: Mapping[str, str] = {
    "equal": "eq",
    "not_equal": "ne",
    "less": "lt",
    "less_equal": "le",
    "greater": "gt",
    "greater_equal": "ge",
}
"""Comparisons, and their operators."""

_UFUNCS: Mapping[str, Function] = {
    **{
        name: Function("x", partial(_unary, operator, True))
        for name, operator in {
            **{n: n for n in ("sqrt", "exp", "exp2", "expm1", "log", "log1p", "log2", "log10", "sin", "cos", "tan")},
            **{n: n for n in ("sinh", "cosh", "tanh")},
            **{f"arc{n}": f"a{n}" for n in ("sin", "cos", "tan", "sinh", "cosh", "tanh")},
        }.items()
    },
    **{
        name: Function("x", partial(_unary, operator, False))
        for name, operator in {
            **{n: n for n in ("abs", "square", "floor", "ceil", "trunc", "isnan", "isinf", "isfinite")},
            "absolute": "abs",
            "negative": "neg",
            "positive": "positive",
            "logical_not": "logical_not",
            "rint": "round",
            "invert": "bitwise_not",
            "bitwise_not": "bitwise_not",
        }.items()
    },
    **{name: Function("x1 x2", partial(_binary, operator)) for name, operator in BINARY.items()},
    **{name: Function("x1 x2", partial(_compare, operator)) for name, operator in COMPARISONS.items()},
    **{name: Function("x", partial(_of_floats, op)) for name, op in _OF_C.items()},
    **{name: Function("x1 x2", partial(_of_floats, op)) for name, op in _PAIRS_OF_C.items()},
    "arctan2": Function("x1 x2", _angle),
    "sign": Function("x", _sign),
}

UFUNCS: Mapping[str, Function] = {
    **{name: taking_out(function, has_where=name != "matmul") for name, function in _UFUNCS.items()},
    "where": Function("condition x y", _where),
}
"""The functions by their names inside `numpy`."""

FUSED = frozenset(UFUNCS) - {*_OF_C, *_PAIRS_OF_C, "matmul"}
"""Those that are operators of elements, which are fused."""
