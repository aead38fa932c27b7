"""Native structs as tables of fields; which there are, `tscript.abi.layout` says.

A table is text that is read when it is asked for: most processes need the offsets of few structs, and no types.
"""

from __future__ import annotations

import ctypes
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tscript.types import Type


class Field:
    """A field.

    Attributes:
        name: Its name.
        text: Its type as text: a machine type or a pointer.
        count: How many of it there are, in place.
    """

    def __init__(self, name: str, text: str, count: int) -> None:
        self.name, self.text, self.count = name, text, count

    @cached_property
    def type(self) -> Type:
        """Its type."""
        return _type(self.text)

    @property
    def size(self) -> int:
        """Bytes of one of it."""
        return 8 if self.text.startswith("Ptr[") else ctypes.sizeof(_CTYPES[self.text])


class Struct:
    """A native struct.

    Args:
        name: What `StructType` calls it.
        table: Its fields in memory order, a line each: the name, the type, and how many there are if it is several.

    Example:
        >>> point = Struct("Point", "x: i32 * 3  # the rest is a comment\\nnext: Ptr[Point]")
        >>> point.offsets, point.size
        ({'x': 0, 'next': 16}, 24)
    """

    def __init__(self, name: str, table: str) -> None:
        self.name = name
        self._table = table

    def __repr__(self) -> str:
        return f"Struct({self.name!r})"

    @cached_property
    def fields(self) -> tuple[Field, ...]:
        """Its fields."""
        found = []
        for line in self._table.splitlines():
            name, colon, about = line.partition("#")[0].partition(":")
            if colon:
                text, _, count = about.partition("*")
                found.append(Field(name.strip(), text.strip(), int(count or 1)))
        return tuple(found)

    @cached_property
    def offsets(self) -> dict[str, int]:
        """Byte offset of each field."""
        out, at = {}, 0
        for f in self.fields:
            at = -(-at // f.size) * f.size
            out[f.name] = at
            at += f.size * f.count
        return out

    @cached_property
    def size(self) -> int:
        """Bytes of the struct, a multiple of 8."""
        last = self.fields[-1]
        return -(-(self.offsets[last.name] + last.size * last.count) // 8) * 8

    def field(self, name: str) -> Field:
        """The field `name`.

        Raises:
            KeyError: There is none.
        """
        for f in self.fields:
            if f.name == name:
                return f
        raise KeyError(f"struct {self.name} has no field {name!r}")

    @cached_property
    def ctype(self) -> type[ctypes.Structure]:
        """A ctypes view; pointers are plain integers (`c_void_p`)."""
        members = []
        for f in self.fields:
            c = ctypes.c_void_p if f.text.startswith("Ptr[") else _CTYPES[f.text]
            members.append((f.name, c * f.count if f.count > 1 else c))
        return type(self.name, (ctypes.Structure,), {"_fields_": members})


_CTYPES: dict[str, Any] = {
    "i8": ctypes.c_int8,
    "u8": ctypes.c_uint8,
    "bool": ctypes.c_uint8,
    "i16": ctypes.c_int16,
    "u16": ctypes.c_uint16,
    "i32": ctypes.c_int32,
    "u32": ctypes.c_uint32,
    "int": ctypes.c_int64,
    "u64": ctypes.c_uint64,
    "f16": ctypes.c_uint16,
    "bf16": ctypes.c_uint16,
    "f32": ctypes.c_float,
    "float": ctypes.c_double,
    "c64": ctypes.c_float * 2,
    "c128": ctypes.c_double * 2,
}


def _type(text: str) -> Type:
    from tscript.types import PtrType, StructType, parse_type

    if text.startswith("Ptr["):
        return PtrType(_type(text[4:-1]))
    return StructType(text) if text[0].isupper() else parse_type(text)


def scalar_size(type: Type) -> int:
    """Bytes of a machine type in memory."""
    return ctypes.sizeof(_CTYPES[str(type)])
