"""The tensor wrapper as LLVM text: the Python object of a `TensorImpl`, and its number slots.

A wrapper is ``{head, impl, weak references}`` and owns one reference of its impl; the impl's `pyobject` points back while the
wrapper lives, so a tensor that comes out of native code again is the same Python object. The field is read and written
with the GIL held only. Wrappers take no part in garbage collection (they hold no Python object themselves) and
come from a free list.

Slots of the type (`nb_add` …) forward to a table of callables that the runtime fills (`SLOTS`, by the name of the special
method). A binary slot answers NotImplemented, so that Python asks the other operand, unless the other operand is a
tensor, a Python number or an instance of a type in `tsb_numbers`. An in-place slot that is not set answers NotImplemented
too: Python then uses the plain operator. Any other slot that is not set raises TypeError.
"""

from __future__ import annotations

from tscript.abi.layout import TENSOR_STRUCT

IMPL = 16
WEAK = 24
SIZE = 32
"""Offsets in a wrapper, and its bytes."""

FREE_LIMIT = 256
"""Wrappers kept for reuse."""

BINARY: dict[str, int] = {
    "__add__": 7,
    "__and__": 8,
    "__floordiv__": 12,
    "__lshift__": 27,
    "__mul__": 28,
    "__or__": 31,
    "__mod__": 34,
    "__rshift__": 35,
    "__sub__": 36,
    "__truediv__": 37,
    "__xor__": 38,
    "__matmul__": 75,
    "__iadd__": 14,
    "__iand__": 15,
    "__ifloordiv__": 16,
    "__ilshift__": 17,
    "__imul__": 18,
    "__ior__": 19,
    "__imod__": 21,
    "__irshift__": 22,
    "__isub__": 23,
    "__itruediv__": 24,
    "__ixor__": 25,
    "__imatmul__": 76,
}
"""Special methods with two operands, and the numbers of their type slots."""

POWER: dict[str, int] = {"__pow__": 33, "__ipow__": 20}
UNARY: dict[str, int] = {
    "__abs__": 6,
    "__float__": 11,
    "__index__": 13,
    "__int__": 26,
    "__invert__": 26 + 0,
    "__neg__": 29,
    "__pos__": 32,
}
UNARY["__invert__"] = 26
COMPARE: tuple[str, ...] = ("__lt__", "__le__", "__eq__", "__ne__", "__gt__", "__ge__")
"""In the order of CPython's comparison codes."""
OTHER: tuple[str, ...] = ("__bool__", "__len__", "__getitem__", "__setitem__")
