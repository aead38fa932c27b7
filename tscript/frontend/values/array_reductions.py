"""Reductions of NumPy with their keywords ``initial=``, ``where=`` and ``out=``, and methods of its ufuncs."""

from __future__ import annotations

import ast
import copy
from collections.abc import Mapping, Sequence
from functools import partial

from tscript.frontend.values import array_arithmetic, array_axes, ufunc_methods
from tscript.frontend.values.array_calls import Call, Function
from tscript.frontend.values.array_out import out_of, stored, where_of
from tscript.frontend.values.array_promotion import apply, as_dtype, promoted
from tscript.frontend.values.array_ufuncs import BINARY, COMPARISONS
from tscript.frontend.values.ufunc_methods import Ufunc
from tscript.ir.graph import Value
from tscript.types import DType, Type, dtypes, scalar_dtype

_IDENTITIES: Mapping[str, float] = {"sum": 0, "prod": 1, "all": 1, "any": 0}
"""What elements that a mask leaves out count as."""

_EXTREMES: Mapping[str, str] = {"max": "maximum", "min": "minimum"}
_ADDING: Mapping[str, str] = {"sum": "add", "prod": "mul"}


def reduced(name: str, call: Call) -> Value:
    """A reduction over all elements gives a NumPy scalar, one over axes an array."""
    out, where = out_of(call), where_of(call)
    if where is None and not call.has("initial"):
        return stored(call, array_axes.reduced(name, call), out, None)
    if name in _EXTREMES:
        if "axis" not in call.given:
            call.given = {**call.given, "axis": ast.Constant(None)}
        return ufunc_methods.lower_method(call, ufunc(call, _EXTREMES[name]), "reduce")
    found = _masked(name, call, where) if where is not None else array_axes.reduced(name, call)
    if call.has("initial"):
        with_initial = array_arithmetic.binary(call.lowering, _ADDING[name], found, call.number("initial"), call.span)
        assert with_initial is not None
        found = with_initial
    return stored(call, found, out, None)


def _masked(name: str, call: Call, where: Value) -> Value:
    """The reduction of the elements that a mask has."""
    lowering, span = call.lowering, call.span
    array = call.array("a")
    if name == "mean":
        counts = apply(lowering, "where", [where, *(_ones(call, array, n) for n in (1, 0))], span)
        total = _masked("sum", call, where)
        count = array_axes.reduced("sum", _of(call, counts))
        mean = array_arithmetic.binary(lowering, "div", total, count, span)
        assert mean is not None
        return mean
    others = _ones(call, array, _IDENTITIES[name])
    kept = apply(lowering, "where", [where, *promoted(lowering, [array, others], span)], span)
    return array_axes.reduced(name, _of(call, kept))


def _ones(call: Call, array: Value, number: float) -> Value:
    """A number in the dtype of an array."""
    return as_dtype(call.lowering, call.const(int(number)), array_axes.dtype_of_array(array), call.span)


def _of(call: Call, array: Value) -> Call:
    """The same call for another array."""
    made = copy.copy(call)
    made.receiver = array
    return made


# ---- methods of ufuncs

_REDUCTIONS = {
    "add": "sum",
    "multiply": "prod",
    "maximum": "max",
    "minimum": "min",
    "logical_and": "all",
    "logical_or": "any",
}
"""Ufuncs whose `reduce` is a reduction."""

_TO_INT8 = frozenset({"floor_divide", "remainder", "pow"})


def method(path: str) -> Function | None:
    """A method of a ufunc, as ``add.reduce``; None for anything else."""
    name, _, found = path.rpartition(".")
    if found not in ufunc_methods.PARAMETERS or name == "matmul" or name not in {*BINARY, *COMPARISONS}:
        return None
    return Function(ufunc_methods.PARAMETERS[found], partial(_method, name, found))


def _method(name: str, found: str, call: Call) -> Value:
    if found == "reduce" and name in _REDUCTIONS and (not call.has("initial") or name in ("add", "multiply")):
        if "axis" not in call.given:
            call.given = {**call.given, "axis": ast.Constant(0)}
        return reduced(_REDUCTIONS[name], call)
    return ufunc_methods.lower_method(call, ufunc(call, name), found)


def ufunc(call: Call, name: str) -> Ufunc:
    """A ufunc of NumPy."""
    operator = BINARY.get(name) or COMPARISONS[name]
    compares = name in COMPARISONS

    def of(values: Sequence[Value]) -> Value:
        lower = array_arithmetic.compare if compares else array_arithmetic.binary
        left, right = values
        found = lower(call.lowering, operator, left, right, call.span)
        assert found is not None
        return found

    return Ufunc(name, of, partial(_result, name, operator), of, name in ("add", "multiply"))


def _result(name: str, operator: str, types: Sequence[Type]) -> DType:
    common = scalar_dtype(types)
    assert common is not None
    if name in COMPARISONS or name.startswith("logical_"):
        return dtypes.bool_
    if operator == "div":
        return common if common.is_floating_point else dtypes.float64
    return dtypes.int8 if common is dtypes.bool_ and operator in _TO_INT8 else common


_OUT = "a axis? {}out? {}* keepdims?{}"

REDUCTIONS: Mapping[str, Function] = {
    **{n: Function(_OUT.format("dtype? ", "", " initial? where?"), partial(reduced, n)) for n in ("sum", "prod")},
    "mean": Function(_OUT.format("dtype? ", "", " where?"), partial(reduced, "mean")),
    **{n: Function(_OUT.format("", "", " initial? where?"), partial(reduced, n)) for n in ("max", "min")},
    "amax": Function(_OUT.format("", "", " initial? where?"), partial(reduced, "max")),
    "amin": Function(_OUT.format("", "", " initial? where?"), partial(reduced, "min")),
    **{n: Function(_OUT.format("", "", " where?"), partial(reduced, n)) for n in ("any", "all")},
    **{n: Function(_OUT.format("", "", ""), partial(reduced, n)) for n in ("argmax", "argmin")},
    **{n: Function(_OUT.format("dtype? ", "ddof? ", ""), partial(reduced, n)) for n in ("var", "std")},
}
"""The reductions by their names inside `numpy`."""

__all__ = ["REDUCTIONS", "method", "reduced", "ufunc"]
