"""Functions over arrays of given dtypes, made from text: one for each operator and dtypes of its operands."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import numpy as np

import tscript

F64 = np.ndarray[tuple[int], np.dtype[np.float64]]
M64 = np.ndarray[tuple[int, int], np.dtype[np.float64]]

BINARY: Mapping[str, Callable[..., Any]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "//": operator.floordiv,
    "%": operator.mod, "&": operator.and_, "|": operator.or_, "^": operator.xor,
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq, "!=": operator.ne,
    "np.maximum": np.maximum, "np.minimum": np.minimum,
}  # fmt: skip

UNARY: Mapping[str, Callable[..., Any]] = {
    "-": operator.neg, "+": operator.pos, "~": operator.invert, "abs": abs,
    **{f"np.{n}": getattr(np, n) for n in ("sqrt", "exp", "log", "sin", "floor", "ceil", "sign", "square", "isnan")},
}  # fmt: skip


def _array(dtype: str, rank: int = 1) -> str:
    scalar = "bool_" if dtype == "bool" else dtype
    return f"np.ndarray[tuple[{', '.join(['int'] * rank)}], np.dtype[np.{scalar}]]"


def _applied(name: str, *operands: str) -> str:
    if name.isidentifier() or name.startswith("np."):
        return f"{name}({', '.join(operands)})"
    return f" {name} ".join(operands) if len(operands) == 2 else f"{name}{operands[0]}"


def script(text: str) -> Any:
    """The scripted function that is defined by a text."""
    return tscript.script(f"import numpy as np\n\n{text}")


@cache
def binary(left: str, right: str, names: tuple[str, ...]) -> Any:
    """The operators on two arrays, then on their elements at an index."""
    arrays = ", ".join(_applied(name, "a", "b") for name in names)
    scalars = ", ".join(_applied(name, "a[i]", "b[i]") for name in names)
    return script(
        f"def f(a: {_array(left)}, b: {_array(right)}):\n    return {arrays}\n\n"
        f"def g(a: {_array(left)}, b: {_array(right)}, i: int):\n    return {scalars}\n"
    )


@cache
def unary(dtype: str, names: tuple[str, ...]) -> Any:
    """The same of one array."""
    arrays = ", ".join(_applied(name, "a") for name in names)
    scalars = ", ".join(_applied(name, "a[i]") for name in names)
    return script(
        f"def f(a: {_array(dtype)}):\n    return {arrays}\n\ndef g(a: {_array(dtype)}, i: int):\n    return {scalars}\n"
    )
