"""`Converter`: native values as Python objects and back, by the kernels that know their types."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

from tscript.abi.kinds import TypeKind
from tscript.abi.layout import CONTEXT, MARSHAL, MAX_DEPTH, NO_STACK, TYPEINFO
from tscript.abi.symbols import kernel_symbol
from tscript.runtime.values.errors import Errors
from tscript.runtime.values.strings import str_at

_CONVERSION = ctypes.PYFUNCTYPE(ctypes.c_int)
"""A kernel of conversions, whatever its arguments are."""


class Converter:
    """Converts values at the boundary.

    Args:
        errors: Gives the exceptions that kernels leave.
        kernel: Gives what gives the addresses of kernels.
    """

    def __init__(self, errors: Errors, kernel: Callable[[], Callable[[str], int] | None]) -> None:
        self._errors = errors
        self._kernel = kernel
        self._functions: dict[str, Callable[..., int]] = {}

    def to_python(self, info: int, cells: int) -> object:
        """The native value of the type at `info` whose cells are at `cells`, as a Python object."""
        if TYPEINFO.ctype.from_address(info).kind == TypeKind.STR:
            return str_at(ctypes.c_int64.from_address(cells).value)
        with Conversions(self) as conversions:
            return conversions.to_python(info, cells)

    def from_python(self, value: object, info: int, cells: int, label: str) -> None:
        """Write a Python object to cells as a value of the type at `info`.

        Raises:
            TypeError, OverflowError: It is none; the message begins with `label`.
        """
        with Conversions(self) as conversions:
            found = conversions.from_python(value, info, label)
            conversions.keep()
        ctypes.memmove(cells, found, ctypes.sizeof(found))

    def convert(self, kernel: str, *args: Any) -> None:
        """Call a kernel of conversions; a Python exception that it sets stays set."""
        context = CONTEXT.ctype()
        context.depth, context.stack = MAX_DEPTH, NO_STACK
        function = self._functions.get(kernel)
        if function is None:
            address = self._kernel()
            assert address is not None
            function = self._functions[kernel] = _CONVERSION(address(kernel_symbol(kernel)))
        passed = [ctypes.c_int64(a) if isinstance(a, int) else a for a in args]
        if function(ctypes.byref(context), *passed):
            raise self._errors.exception_of(ctypes.addressof(context))


class Conversions:
    """Values that are converted together: what two of them refer to is one object in both. They end with the block.

    Args:
        converter: Converts one value.
        marshal: Address of the `Marshal` of a call that goes on, whose arguments are the objects they were given as; 0:
            none.
    """

    def __init__(self, converter: Converter, marshal: int = 0) -> None:
        self._converter = converter
        self._own = MARSHAL.ctype()
        self._marshal = marshal or ctypes.addressof(self._own)
        self._frames: list[object] = []

    def __enter__(self) -> Conversions:
        return self

    def __exit__(self, *error: object) -> None:
        self._converter.convert("marshal_end", ctypes.byref(self._own), 0, ctypes.byref(ctypes.c_int64()))

    def to_python(self, info: int, cells: int) -> object:
        """The native value of the type at `info` whose cells are at `cells`."""
        count = TYPEINFO.ctype.from_address(info).cells
        copy, out = (ctypes.c_int64 * max(count, 1))(), ctypes.c_void_p()
        ctypes.memmove(copy, cells, 8 * count)
        self._converter.convert("retain_cells", info, copy)
        self._converter.convert("object_out", self._marshal, info, copy, ctypes.byref(out))
        if not out.value:
            raise SystemError("a conversion failed without an exception")
        found = ctypes.cast(out.value, ctypes.py_object).value
        ctypes.pythonapi.Py_DecRef(out)
        return found

    def from_python(self, value: object, info: int, label: str) -> ctypes.Array[ctypes.c_int64]:
        """The cells of a Python object as a value of the type at `info`; they are released at the end.

        Raises:
            TypeError, OverflowError: It is none; the message begins with `label`.
        """
        count = TYPEINFO.ctype.from_address(info).cells
        frame, failed = (ctypes.c_int64 * (2 + count))(), ctypes.c_int64()
        self._frames.append(frame)
        given, text = ctypes.c_void_p(id(value)), ctypes.c_void_p(id(label))
        self._converter.convert("object_in", self._marshal, given, info, text, frame, 0, ctypes.byref(failed))
        cells: ctypes.Array[ctypes.c_int64] = (ctypes.c_int64 * count).from_buffer(frame, 16)
        return cells

    def keep(self) -> None:
        """Let what came from Python be the caller's."""
        self._own.arguments = None
