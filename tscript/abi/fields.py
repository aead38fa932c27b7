"""Native structs as tables of fields; which there are, `tscript.abi.layout` says."""

from __future__ import annotations

import ctypes
from functools import cached_property
from typing import Any

from tscript.late import dataclass
from tscript.types import U8, PtrType, Type

BYTES = PtrType(U8)


@dataclass(frozen=True)
class Field:
    """A field: its name, type (a machine type, a pointer) and how many of it (arrays in place)."""

    name: str
    type: Type
    count: int = 1


@dataclass(frozen=True)
class Struct:
    """A native struct.

    Attributes:
        name: What `StructType` calls it.
        fields: In memory order.
    """

    name: str
    fields: tuple[Field, ...]

    @cached_property
    def offsets(self) -> dict[str, int]:
        """Byte offset of each field."""
        out, at = {}, 0
        for f in self.fields:
            size = scalar_size(f.type)
            at = -(-at // size) * size
            out[f.name] = at
            at += size * f.count
        return out

    @cached_property
    def size(self) -> int:
        """Bytes of the struct, a multiple of 8."""
        last = self.fields[-1]
        return -(-(self.offsets[last.name] + scalar_size(last.type) * last.count) // 8) * 8

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
            c = ctypes.c_void_p if isinstance(f.type, PtrType) else _CTYPES[str(f.type)]
            members.append((f.name, c * f.count if f.count > 1 else c))
        return type(self.name, (ctypes.Structure,), {"_fields_": members})


_CTYPES: dict[str, Any] = {
    "i8": ctypes.c_int8,
    "u8": ctypes.c_uint8,
    "bool": ctypes.c_uint8,
    "i16": ctypes.c_int16,
    "i32": ctypes.c_int32,
    "int": ctypes.c_int64,
    "f32": ctypes.c_float,
    "float": ctypes.c_double,
}


def scalar_size(type: Type) -> int:
    """Bytes of a machine type or pointer in memory."""
    return 8 if isinstance(type, PtrType) else ctypes.sizeof(_CTYPES[str(type)])
