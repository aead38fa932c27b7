"""`Tensors`: makes tensors of NumPy arrays and of Python's numbers."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from tscript.abi.layout import STORAGE_CONSTANT, STORAGE_READONLY
from tscript.arrays import Array
from tscript.definitions.values import cast, dtype_of_array, is_bfloat16, numpy_dtype
from tscript.runtime.boundary.array_objects import ArrayObjects
from tscript.runtime.boundary.tensor_objects import TensorObjects
from tscript.runtime.session.build import KernelLibrary
from tscript.runtime.session.usage import log_api_usage_once
from tscript.runtime.values.tensor import raw_array
from tscript.types import DType, dtypes

_NUMBERS: dict[type, Any] = {float: np.float32, int: np.int64, bool: np.bool_}
_INTEGERS = {"i": dtypes.int64, "b": dtypes.bool_}
_CONSTANT = STORAGE_READONLY | STORAGE_CONSTANT
_SUPPORTED = ", ".join(d.name for d in dtypes.EVERY)


class Tensors:
    """Makes the tensors of this process that are not results of operators.

    Args:
        objects: Makes their Python objects.
        library: Makes them.
        arrays: Makes them over most arrays.
    """

    def __init__(self, objects: TensorObjects, library: KernelLibrary, arrays: ArrayObjects) -> None:
        self._objects = objects
        self._arrays = arrays
        self._library = library

    def constant(self, value: Any) -> Any:
        """A tensor over an array that is a constant; any other value as it is."""
        if not isinstance(value, np.ndarray):
            return value
        from tscript.definitions.constant_arrays import is_constant_array

        dtype = dtype_of_array(value)
        return self._over(value, dtype, _CONSTANT) if is_constant_array(value) else self.from_array(value, dtype)

    def from_array(self, array: Array, dtype: DType) -> Any:
        """A tensor over an array's memory, which it keeps alive. The strides must be multiples of the element size."""
        return self._over(array, dtype, 0 if array.flags.writeable else STORAGE_READONLY)

    def _over(self, array: Array, dtype: DType, flags: int) -> Any:
        log_api_usage_once("tscript.tensor.create")
        ndim = array.ndim
        numbers = ctypes.c_int64 * max(1, ndim)
        sizes = numbers(*array.shape)
        strides = numbers(*(s // dtype.itemsize for s in array.strides))
        low = sum(min(0, s * (n - 1)) for s, n in zip(array.strides, array.shape, strict=True)) if array.size else 0
        high = sum(max(0, s * (n - 1)) for s, n in zip(array.strides, array.shape, strict=True)) if array.size else 0
        nbytes = high - low + dtype.itemsize if array.size else 0
        out = ctypes.c_void_p()
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(array))
        try:
            self._library.call(
                "tensor_from_memory", array.ctypes.data + low, nbytes, id(array), flags, dtype.code, ndim,
                sizes, strides, -low, ctypes.byref(out),
            )  # fmt: skip
        except BaseException:
            ctypes.pythonapi.Py_DecRef(ctypes.py_object(array))
            raise
        assert out.value is not None
        return self._objects.wrap(out.value)

    def over(self, array: Array) -> Any:
        """A tensor over an array, as `tscript.from_numpy` makes it."""
        found = self._arrays.over(array)
        if found is not None:
            log_api_usage_once("tscript.tensor.create")
            return found
        if not isinstance(array, np.ndarray):
            raise TypeError(f"expected np.ndarray (got {type(array).__name__})")
        dtype = dtypes.bfloat16 if is_bfloat16(array) else dtypes.BY_NAME.get(array.dtype.name)
        if dtype is None or not array.dtype.isnative:
            raise TypeError(
                f"can't convert np.ndarray of type {array.dtype!r}. The only supported types are: {_SUPPORTED}."
            )
        if any(s % dtype.itemsize for s in array.strides):
            raise ValueError("given numpy array strides are not a multiple of the element byte size")
        if not array.flags.aligned:
            raise ValueError("given numpy array is not aligned; copy it first")
        return self.from_array(array, dtype)

    def make(self, data: Any, dtype: DType | None = None) -> Any:
        """A new tensor with a copy of `data`, as `tscript.tensor` makes it."""
        default = dtypes.default_float()
        number = _NUMBERS.get(type(data))
        if number is not None and dtype is None and (type(data) is not float or default is dtypes.FIRST_DEFAULT):
            try:
                return self.over(np.array(data, number))
            except OverflowError:
                pass
        own = False
        if type(data) is not list and type(data) is not tuple:
            if isinstance(data, self._objects.type):
                data = raw_array(data)
            own = isinstance(data, np.ndarray | np.generic)
        try:
            array = np.array(data)
        except ValueError as error:
            raise ValueError(f"expected sequences of equal length: {error}") from None
        if dtype is not None:
            array = cast(array, dtype)
        elif not own:
            kind = array.dtype.kind
            if kind in "ufO" and _has_large_ints(array, data):
                raise OverflowError("an int does not fit into 64 bits: give it as a float")
            wanted = dtypes.complex_dtype(default) if kind == "c" else default if kind == "f" else _INTEGERS.get(kind)
            if wanted is None:
                raise TypeError(f"expected numbers, found elements of type {array.dtype}")
            array = cast(array, wanted) if wanted.is_half else array.astype(numpy_dtype(wanted), copy=False)
        if own and not array.flags.c_contiguous:
            array = np.ascontiguousarray(array).reshape(array.shape)
        return self.over(array)


def _has_large_ints(array: Array, data: object) -> bool:
    """Whether numbers are all ints and do not fit into 64 bits: NumPy stores these as objects, unsigned, or as
    floats."""
    first = data
    while (type(first) is list or type(first) is tuple) and first:
        first = first[0]
    if type(first) is float or (array.dtype.kind == "f" and not (np.abs(array) >= 2.0**63).any()):
        return False
    return array.size > 0 and all(isinstance(v, int) for v in np.array(data, dtype=object).reshape(-1).tolist())
