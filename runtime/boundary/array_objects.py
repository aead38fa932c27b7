"""`ArrayObjects`: what native code has of NumPy (`tscript.runtime.boundary.native.arrays`)."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from tscript.abi.boundary import ARRAYS, PY_ARRAY, PY_DESCR
from tscript.arrays import Array
from tscript.runtime.boundary.native_module import NativeModule, leak
from tscript.types.dtypes import BY_NAME, DTYPES

_NEW, _SET_BASE = 94, 282
"""Entries of NumPy's table of C functions, whose numbers never change."""

_WRITEABLE, _ALIGNED = 0x400, 0x100


class ArrayObjects:
    """ndarrays as native code reads and makes them.

    The layout of arrays is compared with what NumPy says of some, so an unknown NumPy is never read wrongly: then
    native code takes no arrays.

    Args:
        module: The boundary module.

    Attributes:
        native: Whether native code takes and makes arrays.
        kernel: Gives the address of what makes a tensor over an array (`TENSOR_FROM_ARRAY`).
    """

    def __init__(self, module: NativeModule) -> None:
        self.kernel: Callable[[], int] | None = None
        table = _functions() if _has_layout() else None
        self.native = table is not None
        if table is None:
            return
        arrays = ARRAYS.ctype.from_address(module.address("tsb_arrays"))
        arrays.new, arrays.set_base = table[_NEW], table[_SET_BASE]
        codes = (ctypes.c_uint8 * 32).from_address(module.address("tsb_array_codes"))
        for dtype in DTYPES:
            descr = np.dtype(dtype.name)
            leak(descr)
            arrays.descrs[dtype.code] = id(descr)
            arrays.shifts[dtype.code] = dtype.itemsize.bit_length() - 1
        for letter in np.typecodes["AllInteger"] + "fd?":
            found = BY_NAME.get(np.dtype(letter).name)
            if found is not None:
                codes[np.dtype(letter).num] = found.code + 1
        self._make = ctypes.c_void_p.from_address(module.address("tsb_from_array"))
        module.set_pointer("tsb_array_hook", self._connect)
        module.set_pointer("tsb_array_type", np.ndarray)

    def _connect(self) -> None:
        """Called before the first array becomes a tensor."""
        assert self.kernel is not None
        self._make.value = self.kernel()

    def takes(self, value: object) -> bool:
        """Whether native code takes an object as an array as it stands."""
        return self.native and type(value) is np.ndarray and _is_plain(value)


def _is_plain(array: Array) -> bool:
    return array.dtype.isnative and array.flags.aligned and array.dtype.name in BY_NAME


def _functions() -> Any:
    """NumPy's table of C functions, or None."""
    try:
        module = import_module("numpy._core._multiarray_umath")
        read = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)
        found = read(("PyCapsule_GetPointer", ctypes.pythonapi))(module._ARRAY_API, None)
    except (ImportError, AttributeError, ValueError):
        return None
    return (ctypes.c_void_p * (_SET_BASE + 1)).from_address(found)


def _has_layout() -> bool:
    """Whether arrays lie in memory as we read them."""
    whole = np.zeros((3, 5), np.int16)
    locked = whole[::2, 3:0:-1].T
    locked.flags.writeable = False
    return all(map(_is_laid_out, (whole, locked, np.zeros((), ">f8"), np.zeros(9, np.uint8)[1:].view(np.float64))))


def _is_laid_out(array: Array) -> bool:
    fields = PY_ARRAY.ctype.from_address(id(array))
    if (fields.ndim, fields.data) != (array.ndim, array.ctypes.data) or fields.descr != id(array.dtype):
        return False
    flags = (bool(fields.flags & _WRITEABLE), bool(fields.flags & _ALIGNED))
    if flags != (array.flags.writeable, array.flags.aligned):
        return False
    numbers = ctypes.c_int64 * array.ndim
    if array.ndim and tuple(numbers.from_address(fields.sizes)) != array.shape:
        return False
    if array.ndim and tuple(numbers.from_address(fields.strides)) != array.strides:
        return False
    descr = PY_DESCR.ctype.from_address(fields.descr)
    return (descr.number, chr(descr.order)) == (array.dtype.num, array.dtype.byteorder)
