"""`ArrayObjects`: what native code has of NumPy (`tscript.runtime.boundary.native.arrays`)."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Any

import numpy as np

from tscript.abi.boundary import ARRAYS, PY_ARRAY, PY_DESCR
from tscript.abi.helpers import BOX_TENSOR, RETAIN
from tscript.abi.signature import Item, Seen
from tscript.arrays import Array, is_array
from tscript.definitions.values import numpy_dtype
from tscript.runtime.boundary.native_module import NativeModule, leak
from tscript.runtime.values.sharing import is_plain_torch, is_torch, plain_array, plain_shared
from tscript.types.dtypes import BY_NAME, EVERY

_NEW, _SET_BASE, _SCALAR, _SCALAR_AS_CTYPE = 94, 282, 60, 62
"""Entries of NumPy's table of C functions, whose numbers never change."""

_WRITEABLE, _ALIGNED = 0x400, 0x100


_FORMS: dict[Item, int] = {"A": Seen.ARRAY, "H": Seen.TORCH}


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
        self._module = module
        self._retain = module.bind(RETAIN, None, ctypes.c_void_p)
        self._box = module.bind(BOX_TENSOR, ctypes.py_object, ctypes.c_void_p, ctypes.c_int64)
        self._tensor = module.bind("tsb_shared_tensor", ctypes.py_object, ctypes.py_object)
        self._over = module.bind("tsb_tensor_over", ctypes.py_object, ctypes.py_object)
        self._knows_torch = False
        self.kernel: Callable[[], int] | None = None
        table = _functions() if _has_layout() else None
        self.native = table is not None
        if table is None:
            return
        arrays = ARRAYS.ctype.from_address(module.address("tsb_arrays"))
        arrays.new, arrays.set_base = table[_NEW], table[_SET_BASE]
        arrays.scalar, arrays.bytes_of = table[_SCALAR], table[_SCALAR_AS_CTYPE]
        codes = (ctypes.c_uint8 * 32).from_address(module.address("tsb_array_codes"))
        for dtype in EVERY:
            descr = numpy_dtype(dtype)
            leak(descr)
            arrays.descrs[dtype.code] = id(descr)
            arrays.shifts[dtype.code] = dtype.itemsize.bit_length() - 1
        for letter in np.typecodes["AllInteger"] + "efdFD?":
            found = BY_NAME.get(np.dtype(letter).name)
            if found is not None:
                codes[np.dtype(letter).num] = found.code + 1
        self._make = ctypes.c_void_p.from_address(module.address("tsb_from_array"))
        module.set_pointer("tsb_array_hook", self._connect)
        module.set_pointer("tsb_numpy_name", sys.intern("numpy"))
        module.set_pointer("tsb_meet_hook", self.meet)
        module.set_pointer("tsb_array_type", np.ndarray)

    def _connect(self) -> None:
        """Called before the first array becomes a tensor."""
        assert self.kernel is not None
        self._make.value = self.kernel()

    def as_tensor(self, value: Any) -> Any:
        """The Tensor over the memory of an array, or a tensor of PyTorch; anything else as it is, tuples item by item.

        Raises:
            TypeError: Its memory cannot be shared.
        """
        if type(value) is tuple:
            return tuple(map(self.as_tensor, value))
        return self._tensor(plain_shared(value)) if is_array(value) or is_torch(value) else value

    def over(self, array: Array) -> Any:
        """The Tensor over the memory of an array; None if native code does not take it as it is."""
        return self._over(array) if self.native else None

    def in_form(self, value: Any, item: Item) -> Any:
        """A result with arrays, or tensors of PyTorch, in place of Tensors where its item says so."""
        if isinstance(item, tuple):
            return tuple(map(self.in_form, value, item))
        if item not in _FORMS:
            return value
        impl = int(value._impl)
        self._retain(impl)
        return self._box(impl, _FORMS[item])

    def of_borrowed(self, impl: int) -> Any:
        """The ndarray over the memory of a native tensor that stays the caller's."""
        self._retain(impl)
        return self._box(impl, Seen.ARRAY)

    def meet(self, value: object) -> None:
        """Let native code take tensors of PyTorch, if `value` is one: nothing else imports PyTorch."""
        if self.native and not self._knows_torch and is_torch(value):
            torch = sys.modules["torch"]
            self._module.set_pointer("tsb_from_numpy", torch.from_numpy)
            self._module.set_pointer("tsb_torch_type", torch.Tensor)
            self._knows_torch = True

    def meet_all(self, values: Iterable[object]) -> None:
        """`meet` for values, at any depth of tuples."""
        for value in values:
            if isinstance(value, tuple):
                self.meet_all(value)
            else:
                self.meet(value)

    def takes_torch(self, value: object) -> bool:
        """The same of a tensor of PyTorch."""
        self.meet(value)
        return self._knows_torch and type(value) is sys.modules["torch"].Tensor and is_plain_torch(value)

    def takes(self, value: object) -> bool:
        """Whether native code takes an object as an array as it stands."""
        return self.native and type(value) is np.ndarray and plain_array(value) is value


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
