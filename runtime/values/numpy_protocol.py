"""Functions of NumPy that are called with tensors.

``a + t`` is what ``t + a`` is: what Python's operators call goes to our operators. Every other function of NumPy gets
the tensors as arrays over their memory, follows NumPy's rules, and gives tensors. What a tensor cannot hold stays an
array.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from tscript.runtime.values.tracebacks import raises_user_errors
from tscript.types import dtypes

OPERATORS: dict[str, str] = {
    "add": "add",
    "subtract": "sub",
    "multiply": "mul",
    "divide": "div",
    "floor_divide": "floor_divide",
    "remainder": "remainder",
    "power": "pow",
    "matmul": "matmul",
    "bitwise_and": "bitwise_and",
    "bitwise_or": "bitwise_or",
    "bitwise_xor": "bitwise_xor",
    "left_shift": "bitwise_left_shift",
    "right_shift": "bitwise_right_shift",
    "equal": "eq",
    "not_equal": "ne",
    "less": "lt",
    "less_equal": "le",
    "greater": "gt",
    "greater_equal": "ge",
}
"""Ufuncs behind operators of Python, and our operators."""


class NumPyProtocol:
    """The special methods of tensors that NumPy asks for.

    Args:
        kind: The tensor type.
        operator: Returns an eager operator by its name.
        over: Makes a tensor over an array.
    """

    def __init__(self, kind: type, operator: Callable[[str], Any], over: Callable[[Any], Any]) -> None:
        self._kind = kind
        self._operator = operator
        self._over = over
        self._operands = (kind, np.ndarray, np.generic, int, float)

    @property
    def methods(self) -> dict[str, Callable[..., Any]]:
        """The methods by name."""

        @raises_user_errors
        def array_ufunc(x: Any, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
            """A ufunc with tensors among its arguments."""
            return self._ufunc(ufunc, method, inputs, options)

        @raises_user_errors
        def array_function(x: Any, function: Any, types: Any, args: Any, options: Any) -> Any:
            """Another function of NumPy with tensors among its arguments."""
            if any(self._is_foreign(t) for t in types):
                return NotImplemented
            return self._back(function(*self._arrays(args), **self._arrays(options)))

        return {"__array_ufunc__": array_ufunc, "__array_function__": array_function}

    def _is_foreign(self, kind: type) -> bool:
        """Whether objects of a type have a protocol of their own."""
        return not issubclass(kind, self._operands) and hasattr(kind, "__array_ufunc__")

    @raises_user_errors
    def _ufunc(self, ufunc: Any, method: str, inputs: tuple[Any, ...], options: dict[str, Any]) -> Any:
        out = options.get("out", ())
        if any(self._is_foreign(type(x)) for x in (*inputs, *out)):
            return NotImplemented
        name = OPERATORS.get(ufunc.__name__) if method == "__call__" and not options else None
        if name is not None and all(isinstance(x, self._operands) for x in inputs):
            return self._operator(name)(*inputs)
        result = getattr(ufunc, method)(*self._arrays(inputs), **self._arrays(options))
        if out:
            return out[0] if len(out) == 1 else out
        return self._back(result)

    def _arrays(self, value: Any) -> Any:
        """A value with the tensors in it as arrays."""
        if isinstance(value, self._kind):
            return np.asarray(value)
        if type(value) in (tuple, list):
            return type(value)(map(self._arrays, value))
        return {k: self._arrays(v) for k, v in value.items()} if isinstance(value, Mapping) else value

    def _back(self, value: Any) -> Any:
        """A result with tensors in place of its arrays."""
        if isinstance(value, np.ndarray | np.generic):
            return self._over(np.asarray(value)) if value.dtype.name in dtypes.BY_NAME else value
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            return type(value)(*map(self._back, value))
        return type(value)(map(self._back, value)) if type(value) in (tuple, list) else value
