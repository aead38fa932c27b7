"""The names of NumPy: what a dotted name that begins with `numpy` means in compiled code.

Only names are looked at, so files that are not run can use them too. Which functions there are, their calls say
(`tscript.frontend.values.array_functions`).
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping

from tscript.frontend.source.symbols import ConstantSymbol, NamespaceSymbol, NumpySymbol, NumpyTypeSymbol, Symbol
from tscript.types import GENERATOR, ArrayType, DType, ScalarType, Type, dtypes

NUMPY = "numpy"

NAMESPACES = frozenset({"random", "linalg", "typing", "fft", "testing", "ma", "polynomial", "lib", "lib.stride_tricks"})
"""Modules inside `numpy`."""

CONSTANTS: Mapping[str, object] = {
    "pi": math.pi,
    "e": math.e,
    "inf": math.inf,
    "nan": math.nan,
    "euler_gamma": 0.5772156649015329,
    "newaxis": None,
}
"""Constants of `numpy`."""

_NUMPY = {d.name: d for d in dtypes.DTYPES if d.letter}

TYPES: Mapping[str, DType] = {
    **_NUMPY,
    "bool_": dtypes.bool_,
    "byte": dtypes.int8,
    "ubyte": dtypes.uint8,
    "short": dtypes.int16,
    "intc": dtypes.int32,
    "intp": dtypes.int64,
    "int_": dtypes.int64,
    "long": dtypes.int64,
    "longlong": dtypes.int64,
    "ushort": dtypes.uint16,
    "uintc": dtypes.uint32,
    "uint": dtypes.uint64,
    "uintp": dtypes.uint64,
    "ulong": dtypes.uint64,
    "ulonglong": dtypes.uint64,
    "half": dtypes.float16,
    "single": dtypes.float32,
    "double": dtypes.float64,
}
"""Classes of NumPy scalars, which name their dtypes."""

TYPE_CODES: Mapping[str, DType] = {
    **_NUMPY,
    "f4": dtypes.float32,
    "f8": dtypes.float64,
    "i1": dtypes.int8,
    "i2": dtypes.int16,
    "i4": dtypes.int32,
    "i8": dtypes.int64,
    "u1": dtypes.uint8,
    "u2": dtypes.uint16,
    "u4": dtypes.uint32,
    "u8": dtypes.uint64,
    "f2": dtypes.float16,
    "b1": dtypes.bool_,
    "?": dtypes.bool_,
    "e": dtypes.float16,
    "H": dtypes.uint16,
    "I": dtypes.uint32,
    "L": dtypes.uint64,
    "Q": dtypes.uint64,
    "f": dtypes.float32,
    "d": dtypes.float64,
    "b": dtypes.int8,
    "h": dtypes.int16,
    "i": dtypes.int32,
    "l": dtypes.int64,
    "q": dtypes.int64,
    "B": dtypes.uint8,
    "int": dtypes.int64,
    "float": dtypes.float64,
}
"""Strings that name a dtype: ``dtype="float32"``, ``"f4"``."""


_CLASSES: Mapping[str, Callable[[DType], bool]] = {
    "generic": lambda dtype: True,
    "number": lambda dtype: dtype is not dtypes.bool_,
    "integer": lambda dtype: dtype.is_integer,
    "signedinteger": lambda dtype: dtype.is_integer and dtype.signed,
    "unsignedinteger": lambda dtype: dtype.is_integer and not dtype.signed,
    "inexact": lambda dtype: dtype.is_floating_point,
    "floating": lambda dtype: dtype.is_floating_point,
}
"""Abstract classes of NumPy scalars, and of which dtypes their instances are."""


def test_of(symbol: Symbol | None) -> Callable[[Type], bool] | None:
    """Whether values of a type are instances of a class of NumPy; None for anything else."""
    match symbol:
        case NumpySymbol(path="ndarray"):
            return lambda type: isinstance(type, ArrayType)
        case NumpySymbol(path="random.Generator"):
            return lambda type: type == GENERATOR
        case NumpySymbol(path=path) if path in _CLASSES:
            return lambda type: isinstance(type, ScalarType) and _CLASSES[path](type.dtype)
        case NumpyTypeSymbol(dtype=dtype):
            return lambda type: type == ScalarType(dtype)
    return None


def at(path: str) -> Symbol:
    """The symbol of a name inside `numpy`: ``sqrt``, ``random.default_rng``."""
    if path in CONSTANTS:
        return ConstantSymbol(CONSTANTS[path])
    if path in TYPES:
        return NumpyTypeSymbol(TYPES[path], f"np.{path}")
    if path in NAMESPACES:
        return NamespaceSymbol(f"{NUMPY}.{path}")
    return NumpySymbol(path)


def path_of(value: object) -> str | None:
    """The name inside `numpy` of a function, ufunc, class or module of it; None of anything else."""
    numpy = sys.modules.get(NUMPY)
    module = getattr(value, "__module__", None) or ""
    if not isinstance(module, str):
        module = ""
    name = getattr(value, "__name__", None)
    if numpy is None or not isinstance(name, str):
        return None
    if vars(numpy).get(name) is value:
        return name
    inner = module.removeprefix(f"{NUMPY}.")
    if value is not None and getattr(vars(numpy).get("random"), name, None) is value:
        return f"random.{name}"
    if module.startswith(f"{NUMPY}.") and inner in NAMESPACES:
        return f"{inner}.{name}" if getattr(sys.modules.get(module), name, None) is value else None
    return None
