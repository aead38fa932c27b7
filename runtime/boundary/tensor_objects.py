"""`TensorObjects`: the native tensor type, and tensors as its objects."""

from __future__ import annotations

import ctypes
from typing import Any

from tscript.abi.layout import TENSOR_STRUCT
from tscript.runtime.boundary.native_module import NativeModule
from tscript.runtime.boundary.type_objects import make_tensor_type
from tscript.types.dtypes import EVERY


class TensorObjects:
    """Makes the Python objects of native tensors.

    Args:
        module: The boundary module.

    Attributes:
        type: The tensor type.
        retain: One reference of a native tensor more.
    """

    def __init__(self, module: NativeModule) -> None:
        self._module = module
        for dtype in EVERY:
            module.set_pointer("tsb_dtypes", dtype, dtype.code)
        self.type: Any = make_tensor_type(module.addresses, "tscript.Tensor", "A multi-dimensional array of numbers.")
        module.set_pointer("tsb_tensor_type", self.type)
        obj, ptr = ctypes.py_object, ctypes.c_void_p
        self._wrap = module.bind("tsb_wrap", obj, ptr)
        self._wrap_borrowed = module.bind("tsb_wrap_borrowed", obj, ptr)
        self.retain = module.bind("tsb_retain", None, ptr)

    def wrap(self, impl: int) -> Any:
        """The Python tensor of a native one, whose reference it takes over; the same object while one lives.

        Args:
            impl: Address of a `TensorImpl`.

        Raises:
            SystemError: The address is null.
        """
        return self._wrap(impl)

    def wrap_borrowed(self, impl: int) -> Any:
        """Like `wrap`, for a native tensor that stays the caller's."""
        return self._wrap_borrowed(impl)

    def impl_of(self, tensor: Any) -> int:
        """Address of the `TensorImpl` of a Python tensor, which keeps it alive.

        Raises:
            TypeError: It is not a tensor.
        """
        if type(tensor) is not self.type:
            raise TypeError(f"expected a tensor, found {type(tensor).__name__}")
        return int(tensor._impl)

    def size(self, impl: int) -> tuple[int, ...]:
        """The ints of a native Size."""
        header = TENSOR_STRUCT.ctype.from_address(impl)
        return tuple((ctypes.c_int64 * header.numel).from_address(header.data)) if header.numel else ()

    def set_release(self, address: int) -> None:
        """Say what drops a reference of a native tensor: the address of ``ts_tensor_release_v1(ctx, tensor)``."""
        ctypes.c_void_p.from_address(self._module.address("tsb_release")).value = address
