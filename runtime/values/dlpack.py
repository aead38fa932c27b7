"""DLPack for what NumPy does not exchange: bfloat16 crosses as uint16, with its own code in the capsule.

NumPy makes and takes the capsules, and so keeps their memory alive. Only the code of the dtype is written here: see
``dlpack.h`` of https://github.com/dmlc/dlpack.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from tscript.arrays import Array

UNSIGNED = 1
BFLOAT = 4
CPU = 1
_CODE = {b"dltensor": 20, b"dltensor_versioned": 32 + 20}
"""Where the code of the dtype lies in what a capsule of each name points to."""


def _code_of(capsule: Any) -> ctypes.c_uint8 | None:
    """The code of the dtype in a capsule, to read or to write."""
    api = ctypes.pythonapi
    api.PyCapsule_GetName.restype, api.PyCapsule_GetName.argtypes = ctypes.c_char_p, [ctypes.py_object]
    api.PyCapsule_GetPointer.restype = ctypes.c_void_p
    api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
    try:
        name = api.PyCapsule_GetName(capsule)
    except ValueError:
        return None
    if name not in _CODE:
        return None
    return ctypes.c_uint8.from_address(api.PyCapsule_GetPointer(capsule, name) + _CODE[name])


def exported(array: Array, is_bfloat: bool, options: dict[str, Any]) -> Any:
    """The capsule of an array, whose uint16 may stand for bfloat16."""
    capsule = array.__dlpack__(**options)
    if is_bfloat:
        code = _code_of(capsule)
        assert code is not None
        code.value = BFLOAT
    return capsule


class _Capsule:
    """A capsule of bfloat16 as NumPy takes it: of uint16."""

    def __init__(self, capsule: Any) -> None:
        self._capsule = capsule

    def __dlpack__(self, **options: Any) -> Any:
        return self._capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return (CPU, 0)


def imported(source: Any) -> tuple[Array, bool]:
    """The array over the memory of an object with ``__dlpack__``, and whether its uint16 stand for bfloat16.

    Raises:
        BufferError: The producer refuses, or its memory is not the CPU's.
        TypeError: It is no such object.
    """
    if not hasattr(source, "__dlpack__"):
        raise TypeError(f"expected an object with __dlpack__, not a {type(source).__name__}")
    place = source.__dlpack_device__()[0] if hasattr(source, "__dlpack_device__") else CPU
    if place != CPU:
        raise BufferError(f"its memory is on the device with DLPack's number {int(place)}: move it to the CPU first")
    try:
        capsule = source.__dlpack__(max_version=(1, 0))
    except TypeError:
        capsule = source.__dlpack__()
    code = _code_of(capsule)
    if code is None or code.value != BFLOAT:
        return np.from_dlpack(_Capsule(capsule)), False
    code.value = UNSIGNED
    return np.from_dlpack(_Capsule(capsule)), True
