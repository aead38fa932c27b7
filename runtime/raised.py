"""Exception objects of native code as Python exceptions: class, arguments, attributes and cause."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from tscript.abi.cells import LateType, cells_of, held
from tscript.abi.exceptions import FIELDS, RECORD
from tscript.abi.layout import (
    CLASS_EXCEPTION,
    DELETED,
    DICT_STRUCT,
    LIST_STRUCT,
    OBJECT_STRUCT,
    SITE,
    STR_STRUCT,
    TYPEINFO,
    TypeKind,
)
from tscript.types import BOOL, FLOAT, INT, STR, TENSOR, ClassType, Type
from tscript.types.dtypes import BY_CODE

if TYPE_CHECKING:
    from tscript.runtime.build import KernelLibrary

_CELL = 8
LONGEST_CHAIN = 1000
"""Causes that are followed."""

MOST_INSTANCES = 100
"""Instances that the arguments of an exception are given back with; others are None."""

PYTHON_ARGUMENT = 3
"""In place of the kinds of an exception that came from Python: its first number is the key it is kept under."""


def new_text(library: KernelLibrary, text: str) -> int:
    """The address of a new str of native code."""
    widest = max(map(ord, text), default=0)
    width, coding = (1, "latin-1") if widest < 256 else (2, "utf-16-le") if widest < 65536 else (4, "utf-32-le")
    made = ctypes.c_void_p()
    library.call("heap_allocate", STR_STRUCT.size + (len(text) + 1) * width, ctypes.byref(made))
    assert made.value is not None
    head = STR_STRUCT.ctype.from_address(made.value)
    head.refcount, head.typeinfo, head.length, head.hash = 1, library.types.address(STR), len(text), 0
    head.width, head.ascii = width, widest < 128
    data = text.encode(coding, "surrogatepass") + bytes(width)
    ctypes.memmove(made.value + STR_STRUCT.size, data, len(data))
    return made.value


_CODINGS = {1: "latin-1", 2: "utf-16-le", 4: "utf-32-le"}


def text_at(address: int, *, bytes: bool = False) -> str | bytes:
    """The Python str, or bytes, of a native one."""
    text = STR_STRUCT.ctype.from_address(address)
    data = ctypes.string_at(address + STR_STRUCT.size, text.length * text.width)
    return data if bytes else data.decode(_CODINGS[text.width], "surrogatepass")


_PLAIN: dict[Type, type] = {BOOL: bool, INT: int, FLOAT: float, STR: str}
"""Types of attributes that come from Python."""


def _native() -> Any:
    from tscript.runtime.process import current

    return current().native


def is_tensor(value: object) -> bool:
    """Whether a value is one of our tensors."""
    return type(value) is _native().Tensor


def new_argument(library: KernelLibrary, error: BaseException) -> int:
    """The address of what stands for the arguments of a Python exception: its only one if that is a tensor, else its text."""
    only = error.args[0] if len(error.args) == 1 else None
    if is_tensor(only):
        found: int = _native().impl_of(only)
        library.call("object_retain", found)
        return found
    return new_text(library, only if isinstance(only, str) else str(error))


def has_attributes(type: ClassType, error: BaseException) -> bool:
    """Whether the attributes of a Python exception are there, and all of them numbers, texts and tensors as its class says."""
    for name, wanted in type.info.fields.items():
        if name in FIELDS or (name in type.info.late and name not in vars(error)):
            continue
        value: Any = vars(error).get(name)
        kind = value.__class__
        if wanted == TENSOR:
            if not is_tensor(value):
                return False
        elif _PLAIN.get(wanted) is not kind or (wanted == INT and not -(1 << 63) <= value < 1 << 63):
            return False
    return True


def take_attributes(library: KernelLibrary, type: ClassType, address: int, error: BaseException) -> None:
    """Set the fields of a new exception object to what `has_attributes` found."""
    at, cells = 0, _cells(address)
    for name, wanted in held(type.info).items():
        if name not in FIELDS and name in vars(error):
            value, to = vars(error)[name], at
            if isinstance(wanted, LateType):
                cells[at], to = 1, at + 1
            kind = type.info.fields[name]
            if kind == TENSOR:
                cells[to] = _native().impl_of(value)
                library.call("object_retain", cells[to])
            elif kind == STR:
                cells[to] = new_text(library, value)
            else:
                cells[to] = struct.unpack("q", struct.pack("d", value))[0] if kind == FLOAT else int(value)
        at += cells_of(wanted)


def error_of(
    address: int, message_of: Callable[[str, int, Sequence[int]], str], kept: Callable[[int], Any]
) -> BaseException:
    """The Python exception that an exception object stands for; the object stays as it is.

    Args:
        address: Of the object.
        message_of: Fills numbers into a message: the format string, ``Context.kinds`` and ``Context.args``.
        kept: The Python exception that native code caught under a key, or None.
    """
    first = made = one_error(address, message_of, kept)
    for _ in range(LONGEST_CHAIN):
        cause = _cells(address)[1]
        if not cause:
            break
        following = one_error(cause, message_of, kept)
        made.__cause__ = following
        made, address = following, cause
    return first


def origin_of(address: int) -> int:
    """The site that raised an exception before it became an object; 0 for none."""
    return int(record_of(address).site or 0)


def one_error(
    address: int, message_of: Callable[[str, int, Sequence[int]], str], kept: Callable[[int], Any]
) -> BaseException:
    """`error_of`, without causes."""
    info = _info(address)
    cls = _python(info)
    record = record_of(address)
    found = kept(int(record.args[0])) if record.kinds == PYTHON_ARGUMENT and not record.site else None
    if isinstance(found, BaseException):
        return found
    if record.site:
        message = SITE.ctype.from_address(record.site).message
        args: tuple[object, ...] = ()
        if message:
            text = ctypes.string_at(message).decode("utf-8", "replace")
            args = (message_of(text, int(record.kinds), [int(a) for a in record.args]),)
    else:
        given = _object(_cells(address)[0], {})
        args = () if given is None else given if isinstance(given, tuple) else (given,)
    made: BaseException = cls.__new__(cls, *args)
    made.args = args
    cell = 0
    for i in range(info.count):
        part = _type(_pointers(info.parts, i))
        if i >= len(FIELDS) and _is_set(part, _cells(address), cell):
            setattr(made, _text(_pointers(info.names, i)), _value(part, _cells(address), cell, {}))
        cell += part.cells
    return made


def _is_set(part: Any, cells: Any, at: int) -> bool:
    """Whether a field has been set, as far as it says so."""
    return bool(part.kind != TypeKind.LATE or cells[at])


def _info(address: int) -> Any:
    return _type(OBJECT_STRUCT.ctype.from_address(address).typeinfo)


def _type(address: int) -> Any:
    return TYPEINFO.ctype.from_address(address)


def record_of(address: int) -> Any:
    """The record of an exception object, where it was raised before it was one."""
    return RECORD.ctype.from_address(address + OBJECT_STRUCT.size + 2 * _CELL)


def _cells(address: int) -> Any:
    return ctypes.cast(address + OBJECT_STRUCT.size, ctypes.POINTER(ctypes.c_int64))


def _pointers(address: int, index: int) -> int:
    return int(ctypes.c_uint64.from_address(address + _CELL * index).value)


def _text(address: int) -> str:
    return ctypes.string_at(address).decode("utf-8", "surrogatepass")


def _python(info: Any) -> Any:
    return ctypes.cast(info.python, ctypes.py_object).value


def _value(info: Any, cells: Any, at: int, seen: dict[int, object]) -> object:
    """The value of a type in cells."""
    kind = info.kind
    match kind:
        case TypeKind.NONE:
            return None
        case TypeKind.INT:
            return int(cells[at])
        case TypeKind.BOOL:
            return bool(cells[at])
        case TypeKind.FLOAT | TypeKind.COMPLEX:
            parts = [struct.unpack("d", struct.pack("q", cells[at + i]))[0] for i in range(info.cells)]
            return parts[0] if kind == TypeKind.FLOAT else complex(*parts)
        case TypeKind.DTYPE:
            return BY_CODE.get(cells[at])
        case TypeKind.ENUM:
            return list(_python(info))[cells[at]]
        case TypeKind.TUPLE:
            found = []
            for i in range(info.count):
                part = _type(_pointers(info.parts, i))
                found.append(_value(part, cells, at, seen))
                at += part.cells
            return _python(info)(*found) if info.python else tuple(found)
        case TypeKind.OPTIONAL:
            part = _type(info.parts and _pointers(info.parts, 0))
            if part.kind >= TypeKind.STR or part.kind == TypeKind.OBJECT:
                return _object(cells[at], seen)
            return _value(part, cells, at + 1, seen) if cells[at] else None
        case TypeKind.LATE:
            return _value(_type(_pointers(info.parts, 0)), cells, at + 1, seen)
    return _object(cells[at], seen)


def _object(address: int, seen: dict[int, object]) -> object:
    """A heap object; one that has no meaning outside is None. A tensor has no type of its own, and one Python form.

    Args:
        address: Of the object, or 0.
        seen: Instances that have been made, by address.
    """
    if not address:
        return None
    if not OBJECT_STRUCT.ctype.from_address(address).typeinfo:
        return _native().wrap_borrowed(address)
    info = _info(address)
    match info.kind:
        case TypeKind.STR | TypeKind.BYTES:
            return text_at(address, bytes=info.kind == TypeKind.BYTES)
        case TypeKind.LIST:
            items = LIST_STRUCT.ctype.from_address(address)
            part = _type(_pointers(info.parts, 0))
            cells = ctypes.cast(items.data, ctypes.POINTER(ctypes.c_int64))
            found = [_value(part, cells, i * items.cells, seen) for i in range(items.length)]
            return tuple(found) if info.flags else found
        case TypeKind.DICT | TypeKind.SET:
            return _entries(info, DICT_STRUCT.ctype.from_address(address), seen)
        case TypeKind.CLASS if info.python and not info.flags & CLASS_EXCEPTION and len(seen) < MOST_INSTANCES:
            return seen[address] if address in seen else _instance(info, address, seen)
        case TypeKind.CLASS | TypeKind.CALLABLE | TypeKind.FUTURE | TypeKind.TENSOR:
            return None
    return _value(info, _cells(address), 0, seen)


def _instance(info: Any, address: int, seen: dict[int, object]) -> object:
    """An instance of a class, past what its class says of making one."""
    cls = _python(info)
    made = seen[address] = cls.__new__(cls)
    at, cells = 0, _cells(address)
    for i in range(info.count):
        part = _type(_pointers(info.parts, i))
        if _is_set(part, cells, at):
            object.__setattr__(made, _text(_pointers(info.names, i)), _value(part, cells, at, seen))
        at += part.cells
    return made


def _entries(info: Any, table: Any, seen: dict[int, object]) -> object:
    key = _type(_pointers(info.parts, 0))
    value = _type(_pointers(info.parts, 1)) if info.kind == TypeKind.DICT else None
    cells = ctypes.cast(table.entries, ctypes.POINTER(ctypes.c_int64))
    rows = [i * table.stride for i in range(table.used)]
    rows = [row for row in rows if cells[row] != DELETED]
    if value is None:
        return {_value(key, cells, row + 1, seen) for row in rows}
    return {_value(key, cells, row + 1, seen): _value(value, cells, row + 1 + key.cells, seen) for row in rows}
