"""What LLVM is told of references: that there is an object, with its header at least."""

from __future__ import annotations

from tscript.abi.cells import cells_of, held
from tscript.abi.layout import DICT_STRUCT, LIST_STRUCT, OBJECT_STRUCT, STR_STRUCT
from tscript.types import BYTES, STR, ClassType, DictType, ListType, SetType, Type


def size_of_object(leaf: Type) -> int:
    """The bytes that are at a reference of a type for certain, its header at least; 0 where it may refer to nothing."""
    if isinstance(leaf, ClassType):
        return OBJECT_STRUCT.size + 8 * sum(map(cells_of, held(leaf.info).values()))
    if isinstance(leaf, ListType):
        return LIST_STRUCT.size
    if isinstance(leaf, DictType | SetType):
        return DICT_STRUCT.size
    return STR_STRUCT.size if leaf in (STR, BYTES) else 0


def attributes_of(leaf: Type) -> str:
    """What LLVM may assume of a parameter, so that headers are read before a loop though not each way through it reads
    them."""
    size = size_of_object(leaf)
    return f" nonnull align 8 dereferenceable({size})" if size else ""


def facts_of(leaf: Type, is_set: bool = True) -> str:
    """The same of a reference that is loaded; it may be null unless it `is_set`."""
    size = size_of_object(leaf)
    if not size:
        return ""
    known = "!nonnull !{}, !dereferenceable" if is_set else "!dereferenceable_or_null"
    return f", {known} !{{i64 {size}}}, !align !{{i64 8}}"
