"""Exception objects of native code as Python exceptions: class, arguments, attributes and cause."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from tscript.abi.cells import LateType, cells_of, held
from tscript.abi.exceptions import FIELDS, RECORD
from tscript.abi.layout import (
    OBJECT_STRUCT,
    SITE,
    STR_STRUCT,
    TYPEINFO,
)
from tscript.abi.strings import CODINGS
from tscript.types import ClassType

if TYPE_CHECKING:
    from tscript.runtime.session.build import KernelLibrary

_CELL = 8


def text_at(address: int, *, bytes: bool = False) -> str | bytes:
    """The Python str, or bytes, of a native one."""
    text = STR_STRUCT.ctype.from_address(address)
    data = ctypes.string_at(address + STR_STRUCT.size, text.length * text.width)
    return data if bytes else data.decode(CODINGS[text.width], "surrogatepass")


def taken(library: KernelLibrary, type: ClassType, exact: ClassType, error: BaseException) -> int | None:
    """The address of a native form of a Python exception: of a class, with the attributes that it says, and its
    arguments; with its text alone where native code would say something else. None where an attribute is no value of
    its type.

    Args:
        library: Makes it.
        type: A class that code knows.
        exact: That class, or one derived from it that adds nothing.
        error: The exception.
    """
    return _taken(library, type, exact, error, None) or _taken(library, type, exact, error, str(error))


def _taken(
    library: KernelLibrary, type: ClassType, exact: ClassType, error: BaseException, text: str | None
) -> int | None:
    """`taken`, with one argument if it is given."""
    from tscript.runtime.boundary.native import Conversions
    from tscript.runtime.session.process import current

    made, said = ctypes.c_void_p(), ctypes.c_void_p()
    library.call("exception_new", library.types.address(exact), 0, ctypes.byref(made))
    assert made.value is not None
    args: Any = error.args if text is None else (text,)
    whole = args[0] if len(args) == 1 and args[0] is not None and not isinstance(args[0], tuple) else args
    values = {n: vars(error).get(n, _MISSING) for n in type.info.fields if n not in FIELDS} | {
        "args": whole if args else None
    }
    cells = _cells(made.value)
    try:
        with Conversions(current().native) as conversions:
            at, found = 0, list[tuple[int, list[int]]]()
            for name, wanted in held(type.info).items():
                value = values.get(name, _MISSING)
                if name in values and (value is not _MISSING or name not in type.info.late):
                    info = library.types.address(type.info.fields[name])
                    row = list(conversions.from_python(value, info, name))
                    found.append((at, [1, *row] if isinstance(wanted, LateType) else row))
                at += cells_of(wanted)
            conversions.keep()
    except (TypeError, OverflowError, RecursionError):
        library.call("object_release", made.value)
        return None
    for start, row in found:
        for i, cell in enumerate(row):
            cells[start + i] = cell
    if text is None:
        library.call("exception_str", made.value, ctypes.byref(said))
        assert said.value is not None
        same = text_at(said.value) == _said(error, type)
        for used in (said.value, *([] if same else [made.value])):
            library.call("object_release", used)
        return made.value if same else None
    return made.value


_MISSING = object()
"""In place of an attribute that is not there: a value of no type."""


def _said(error: BaseException, type: ClassType) -> str:
    """The text of an exception, but for what its class says if native code knows that."""
    if error.__class__ is not type.info.python:
        return str(error)
    builtin: Any = next(c for c in error.__class__.__mro__ if c.__module__ == "builtins")
    return str(builtin.__str__(error))


def origin_of(address: int) -> int:
    """The site that raised an exception before it became an object; 0 for none."""
    return int(record_of(address).site or 0)


def new_error(address: int, given: object, message_of: Callable[[str, int, Sequence[int]], str]) -> BaseException:
    """A Python exception for an exception object, without attributes and cause.

    Args:
        address: Of the object; it stays as it is.
        given: Its arguments: None for none, a tuple for several, else the only one.
        message_of: Fills numbers into a message: the format string, ``Context.kinds`` and ``Context.args``.
    """
    cls = _python(_type(type_of(address)))
    record = record_of(address)
    args = () if given is None else given if isinstance(given, tuple) else (given,)
    if record.site:
        message = SITE.ctype.from_address(record.site).message
        text = ctypes.string_at(message).decode("utf-8", "replace") if message else ""
        args = (message_of(text, int(record.kinds), [int(a) for a in record.args]),) if message else ()
    made: BaseException = cls.__new__(cls, *args)
    made.args = args
    return made


def type_of(address: int) -> int:
    """The address of the `TypeInfo` of an object."""
    return int(OBJECT_STRUCT.ctype.from_address(address).typeinfo)


def _type(address: int) -> Any:
    return TYPEINFO.ctype.from_address(address)


def record_of(address: int) -> Any:
    """The record of an exception object, where it was raised before it was one."""
    return RECORD.ctype.from_address(address + OBJECT_STRUCT.size + 2 * _CELL)


def _cells(address: int) -> Any:
    return ctypes.cast(address + OBJECT_STRUCT.size, ctypes.POINTER(ctypes.c_int64))


def _python(info: Any) -> Any:
    return ctypes.cast(info.python, ctypes.py_object).value
