"""The Python array API standard: its names and signatures over the operators of tscript.

The array object is `tscript.Tensor`; ``x.__array_namespace__()`` is this module. A function has the name, the
arguments and the meaning that the standard says; https://data-apis.org/array-api/2024.12/ documents them. What differs
from PyTorch's functions is written in the modules beside this one; the others are PyTorch's under another name. Where
two arrays come together, one without dimensions counts as much as any other for the dtype of the result.

Example:
    >>> import tscript
    >>> x = tscript.tensor([3.0, 1.0, 2.0])
    >>> xp = x.__array_namespace__()
    >>> xp.sort(x, descending=True)
    tensor([3., 2., 1.])
    >>> xp.concat([x, xp.zeros(1)]).shape
    (4,)
"""

from __future__ import annotations

import importlib
from typing import Any

from tscript.array_api.tables import BINARY, DTYPES, PLACES, SAME, binary_function, same_function

__array_api_version__ = "2024.12"
VERSIONS = ("2021.12", "2022.12", "2023.12", "2024.12")
"""The versions of the standard that it serves."""

__array_api_extensions__ = ("fft", "linalg")

_CONSTANTS = {
    "e": 2.718281828459045,
    "inf": float("inf"),
    "nan": float("nan"),
    "pi": 3.141592653589793,
    "newaxis": None,
}


def __getattr__(name: str) -> Any:
    value: Any
    if name in _CONSTANTS:
        value = _CONSTANTS[name]
    elif name in PLACES:
        value = getattr(importlib.import_module(f"tscript.array_api.{PLACES[name]}"), name)
    elif name in __array_api_extensions__:
        return importlib.import_module(f"tscript.array_api.{name}")
    elif name in BINARY:
        value = binary_function(name)
    elif name in SAME:
        value = same_function(name)
    elif name in DTYPES:
        value = getattr(importlib.import_module("tscript.types.dtypes"), "bool_" if name == "bool" else name)
    else:
        raise AttributeError(f"module 'tscript.array_api' has no attribute {name!r}: the standard has no such name")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*_CONSTANTS, *PLACES, *__array_api_extensions__, *BINARY, *SAME, *DTYPES, "__array_api_version__"})
