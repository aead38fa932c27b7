"""What conversions between Python objects and native values share with the kernels that do them."""

from __future__ import annotations

from enum import IntEnum


class Step(IntEnum):
    """How a value that does not fit is reached, in `MARSHAL`'s path."""

    ELEMENT = 0
    KEY = 1
    VALUE = 2
    """The object is the key."""
    FIELD = 3
    MISSING = 4
    """There is no such field."""


class PythonWord(IntEnum):
    """The words at the symbol ``ts_python_v1``: layouts of the running interpreter's objects, and hooks."""

    INT_TAG = 0
    """Whether an int has a tag (CPython 3.12 and later) instead of a signed number of digits."""
    TUPLE_ITEMS = 1
    ASCII_DATA = 2
    """Offset of the characters of an ASCII str."""
    COMPACT_DATA = 3
    """Offset of those of any other one, or of their address in a str that is not compact."""
    KIND_SHIFT = 4
    """Where in the word at 32 the width of characters is; the flags compact and ascii follow its three bits."""
    CLASSES = 5
    """A dict: `TypeInfo` addresses by class."""
    CLASS_HOOK = 6
    """``class -> address of its TypeInfo``, or 0: the language does not know it. Fills `CLASSES`."""
    TYPE_HOOK = 7
    """``value -> address of the TypeInfo`` to convert it to, or 0."""
    EXCEPTION_HOOK = 8
    """``address of a native exception -> its Python form`` without attributes of its class and cause"""
    FAIL_HOOK = 9
    """``(label, address of the expected TypeInfo, value, path)``: raises what the value that does not fit calls for."""
    RETURN_HOOK = 10
    """``(address of a TypeInfo)``: raises, for a result that Python has no form of."""
    TENSOR_TYPE = 11
    DTYPE_TYPE = 12
    FUTURE_TYPE = 13
    DEPTH_TEXT = 14
    """The message for values that are nested too deeply, NUL-terminated."""
    FUNCTION_IN_HOOK = 15
    """``(value, address of the TypeInfo of a Callable) -> address of a native function``, owned; 0: it is none."""
    FUNCTION_OUT_HOOK = 16
    """``address of a native function -> its Python form``, which takes over a reference."""
    OWN_HOOK = 17
    """``object -> address of our object`` for a dtype, device, layout or memory format of PyTorch, or 0."""
