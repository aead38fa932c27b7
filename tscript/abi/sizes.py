"""Sizes of the types of the low-level dialect."""

from __future__ import annotations

from tscript.abi.fields import scalar_size
from tscript.abi.layout import STRUCTS
from tscript.types import PtrType, StructType, Type


def sizeof(type: Type) -> int:
    """Bytes of a machine type, pointer or struct in memory."""
    match type:
        case PtrType():
            return 8
        case StructType():
            return STRUCTS[type.name].size
        case _:
            return scalar_size(type)
