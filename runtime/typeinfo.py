"""`TypeInfos`: the types of heap objects and cells as native code sees them, one `TypeInfo` for each type and process."""

from __future__ import annotations

import ctypes
import sys
import threading
from typing import Any

from tscript.abi.cells import cells_of, kind_of, parts_of
from tscript.abi.layout import FIRST_HEAP_KIND, LIST_FROZEN, TENSOR_SIZE, TYPEINFO, TypeKind
from tscript.types import (
    DTYPE,
    ClassType,
    DictType,
    EnumType,
    ListType,
    OptionalType,
    SetType,
    SimpleType,
    SizeType,
    TupleType,
    Type,
    dtypes,
    is_heap,
)


class TypeInfos:
    """The `TypeInfo` structs of this process; they are never freed.

    Example:
        >>> from tscript.types import STR, ListType
        >>> infos = TypeInfos()
        >>> infos.address(ListType(STR)) == infos.address(ListType(STR))
        True
    """

    def __init__(self) -> None:
        self._known: dict[Type, Any] = {}
        self._types: dict[int, Type] = {}
        self._kept: list[object] = []
        self._lock = threading.RLock()

    def address(self, type: Type) -> int:
        """The address of the `TypeInfo` of a type."""
        found = self._known.get(type)
        if found is None:
            with self._lock:
                found = self._known.get(type) or self._make(type)
        return ctypes.addressof(found)

    def known(self) -> tuple[Type, ...]:
        """All types that have been asked for."""
        return tuple(self._known)

    def has(self, address: int) -> bool:
        """Whether a `TypeInfo` lies at an address."""
        return address in self._types

    def type_at(self, address: int) -> Type:
        """The type whose `TypeInfo` lies at an address.

        Raises:
            KeyError: None does.
        """
        return self._types[address]

    def _make(self, type: Type) -> Any:
        info = self._known[type] = TYPEINFO.ctype()  # known before its parts: a class may hold itself
        self._types[ctypes.addressof(info)] = type
        parts = parts_of(type)
        info.kind = kind_of(type)
        info.cells = cells_of(type)
        info.count = len(parts)
        info.parts = self._array([self.address(p) for p in parts])
        info.name = self._text(str(type))
        info.counted = len(references := references_of(type))
        info.references = self._array(references)
        match type:
            case SimpleType() if type == DTYPE:
                names = {d.code: d.name for d in dtypes.BY_CODE.values()}
                info.names = self._array([self._text(names.get(code, "")) for code in range(max(names) + 1)])
            case DictType(key=key) | SetType(element=key):  # behind its parts, the arguments of a KeyError
                info.parts = self._array([self.address(p) for p in (*parts, TupleType((key,)))])
            case ListType():
                info.flags = LIST_FROZEN if type.frozen else 0
            case ClassType():
                info.names = self._array([self._text(n) for n in type.info.fields])
                info.base = self.address(ClassType(type.info.base)) if type.info.base else None
                info.flags = type.info.flags
                info.python = self._object(type.info.python)
                info.objects = self._object(tuple(map(sys.intern, type.info.fields)))
            case EnumType():
                texts = [t for name, value in type.info.members.items() for t in (name, repr(value))]
                info.count = len(type.info.members)
                info.names = self._array([self._text(t) for t in texts])
                info.python = self._object(type.info.python)
                if type.info.python is not None:
                    info.objects = self._object(tuple(getattr(type.info.python, name) for name in type.info.members))
            case SizeType():
                info.flags = TENSOR_SIZE
            case TupleType(named=named) if named is not None:
                info.names = self._array([self._text(n) for n in named.fields])
                info.python = self._object(named.python)
        return info

    def _array(self, addresses: list[int]) -> int:
        made = (ctypes.c_void_p * max(1, len(addresses)))(*addresses)
        self._kept.append(made)
        return ctypes.addressof(made)

    def _text(self, text: str) -> int:
        made = ctypes.create_string_buffer(text.encode("utf-8", "surrogatepass"))
        self._kept.append(made)
        return ctypes.addressof(made)

    def _object(self, thing: object) -> int | None:
        self._kept.append(thing)
        return None if thing is None else id(thing)


def references_of(type: Type) -> list[int]:
    """The cells of a value that are addresses of heap objects, or 0.

    A cell behind the flag of an optional is one too: without a value it is 0.

    Example:
        >>> from tscript.types import INT, STR
        >>> references_of(TupleType((STR, INT, OptionalType(TupleType((INT, STR))))))
        [0, 4]
    """
    match type:
        case TupleType():
            found, at = [], 0
            for element in type.elements:
                found += [at + cell for cell in references_of(element)]
                at += cells_of(element)
            return found
        case OptionalType() if not is_heap(type.value):
            return [1 + cell for cell in references_of(type.value)]
    return [0] if is_heap(type) or kind_of(type) >= FIRST_HEAP_KIND or kind_of(type) == TypeKind.OBJECT else []
