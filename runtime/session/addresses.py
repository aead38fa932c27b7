"""`address_of`: addresses of C functions of a program."""

from __future__ import annotations

import ctypes
from typing import Any

_FUNCTION_POINTER: Any = type(ctypes.pythonapi.Py_IncRef).__mro__[1]
"""The class of C functions and callbacks in `ctypes`."""


def address_of(function: object, what: str) -> int:
    """The address behind a C function pointer.

    Args:
        function: An int, or a function of `ctypes` (of a library, or a callback). Keep it alive.
        what: Its user, for messages.

    Raises:
        ValueError: It is null, or not an address.
        TypeError: It is something else.
    """
    if isinstance(function, _FUNCTION_POINTER | ctypes.c_void_p):
        pointer: Any = function
        address = ctypes.cast(pointer, ctypes.c_void_p).value or 0
    elif isinstance(function, int) and not isinstance(function, bool):
        address = function
    else:
        hint = ": wrap it with ctypes.CFUNCTYPE(…)" if callable(function) else ""
        raise TypeError(f"{what} needs the address of a C function, not a {type(function).__name__}{hint}")
    if address == 0:
        raise ValueError(f"{what} needs the address of a C function, this one is null")
    if not 0 < address < 1 << 64:
        raise ValueError(f"{what} needs the address of a C function, {address:#x} is none")
    return address
