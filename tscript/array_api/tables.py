"""Which names of the array API standard are operators as they are, and the functions that call them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tscript

DTYPES = (
    *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("float32", "float64", "complex64", "complex128"),
)
"""The dtypes of the standard."""

SAME: dict[str, str] = {
    **{
        name: name
        for name in (
            *("abs", "acos", "acosh", "asin", "asinh", "atan", "atanh", "ceil", "conj", "cos", "cosh", "exp", "expm1"),
            *("floor", "imag", "isfinite", "isinf", "isnan", "log", "log10", "log1p", "log2", "logical_not"),
            *("positive", "real", "reciprocal", "round", "sign", "signbit", "sin", "sinh", "sqrt", "square", "tan"),
            *("tanh", "trunc"),
        )
    },
    "bitwise_invert": "bitwise_not",
    "negative": "neg",
}
"""Functions of one array: the name of the operator."""

BINARY: dict[str, str] = {
    **{
        name: name
        for name in (
            *("atan2", "bitwise_and", "bitwise_left_shift", "bitwise_or", "bitwise_right_shift", "bitwise_xor"),
            *("copysign", "floor_divide", "hypot", "logaddexp", "logical_and", "logical_or", "logical_xor", "maximum"),
            *("minimum", "nextafter", "pow", "remainder"),
        )
    },
    "add": "add",
    "divide": "div",
    "equal": "eq",
    "greater": "gt",
    "greater_equal": "ge",
    "less": "lt",
    "less_equal": "le",
    "multiply": "mul",
    "not_equal": "ne",
    "subtract": "sub",
}
"""Functions of two arrays, or of an array and a number."""

_MODULES: dict[str, str] = {
    "creation": "arange asarray empty empty_like eye from_dlpack full full_like linspace meshgrid ones ones_like tril "
    "triu zeros zeros_like",
    "data_types": "__array_namespace_info__ astype broadcast_arrays broadcast_shapes broadcast_to can_cast finfo iinfo "
    "isdtype result_type",
    "manipulation": "clip concat expand_dims flip moveaxis permute_dims repeat reshape roll squeeze stack take "
    "take_along_axis tile unstack",
    "searching": "argmax argmin argsort count_nonzero isin nonzero searchsorted sort unique_all unique_counts "
    "unique_inverse unique_values where",
    "statistics": "all any cumulative_prod cumulative_sum diff max mean min prod std sum var",
    "linalg": "matmul matrix_transpose tensordot vecdot",
}

PLACES: dict[str, str] = {name: module for module, names in _MODULES.items() for name in names.split()}
"""The module of each function that is written out."""


def same_function(name: str) -> Callable[..., Any]:
    """A function of one array."""
    operator = getattr(tscript, SAME[name])

    def function(x: Any, /) -> Any:
        return operator(x)

    return _named(function, name, SAME[name])


def binary_function(name: str) -> Callable[..., Any]:
    """A function of two arrays."""
    operator = getattr(tscript, BINARY[name])

    def function(x1: Any, x2: Any, /) -> Any:
        return operator(*alike(x1, x2))

    return _named(function, name, BINARY[name])


def _named(function: Callable[..., Any], name: str, operator: str) -> Callable[..., Any]:
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"The standard's `{name}`: `tscript.{operator}`."
    return function


def alike(x1: Any, x2: Any) -> tuple[Any, Any]:
    """Two arrays of which one has no dimensions, in the dtype that their dtypes have together; others as they are."""
    if isinstance(x1, tscript.Tensor) and isinstance(x2, tscript.Tensor) and x1.dtype != x2.dtype:
        if (x1.ndim == 0) != (x2.ndim == 0):
            common = tscript.promote_types(x1.dtype, x2.dtype)
            return x1.to(common), x2.to(common)
    return x1, x2


def dims_of(axis: Any) -> Any:
    """An axis, several or None, as a tuple or None."""
    return axis if axis is None or isinstance(axis, tuple) else (axis,)
