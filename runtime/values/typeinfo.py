"""`TypeInfos`: the types of heap objects and cells as native code sees them, one `TypeInfo` for each type and process.

Those of types without a class are never freed. The others belong to the class (`tscript.types.TypeTable`), and are
freed with it.
"""

from __future__ import annotations

import ctypes
import sys
import threading
from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any
from weakref import WeakValueDictionary

from tscript.abi.cells import LateType, cells_of, itemsize_of, kind_of, parts_of
from tscript.abi.kinds import FIRST_HEAP_KIND, TypeKind
from tscript.abi.layout import (
    CLASS_MODULE,
    ENUM_PLAIN,
    ENUM_VALUES,
    IMMORTAL,
    LIST_FROZEN,
    NOT_COUNTED,
    SCALAR_CODE,
    TENSOR_ARRAY,
    TENSOR_FACTS,
    TENSOR_GENERATOR,
    TENSOR_KNOWN,
    TENSOR_SIZE,
    TYPEINFO,
)
from tscript.abi.strings import str_object
from tscript.arrays import np
from tscript.types import (
    DTYPE,
    GENERATOR,
    INT,
    OPTIONS,
    STR,
    ArrayType,
    ClassType,
    DictType,
    EnumInfo,
    EnumType,
    ListType,
    OptionalType,
    ScalarType,
    SetType,
    SimpleType,
    SizeType,
    TensorType,
    TupleType,
    Type,
    TypeTable,
    dtypes,
    is_heap,
)


class TypeInfo:
    """The `TypeInfo` struct of a type, and the data it points to. Code that refers to the type may use its address.

    It is freed with the classes in the type. But if native values of the type are left, it stays, and the class with
    it, until there are none.
    """

    __slots__ = ("__weakref__", "_guard", "_table", "address", "is_filled", "kept", "struct", "type")

    def __init__(self, table: TypeInfos, type: Type) -> None:
        self.type = type
        self.struct = TYPEINFO.ctype()
        self.struct.values = NOT_COUNTED if type.owner is None else 0
        self.address = ctypes.addressof(self.struct)
        self.kept: list[object] = []
        self.is_filled = False
        self._table = table
        self._guard: Guard | None = None if type.owner is None else Guard(self)

    def rescue(self) -> None:
        """It was garbage, but native values are of the type."""
        self._guard = Guard(self)  # the old one is not needed any more
        self._table.wait(self)

    def array(self, addresses: Sequence[int]) -> int:
        """The address of an array."""
        made = (ctypes.c_void_p * max(1, len(addresses)))(*addresses)
        self.kept.append(made)
        return ctypes.addressof(made)

    def text(self, text: str) -> int:
        """The address of a NUL-terminated string."""
        return self.bytes(text.encode("utf-8", "surrogatepass") + b"\0")

    def bytes(self, data: bytes) -> int:
        """The address of a copy of some bytes."""
        made = ctypes.create_string_buffer(data, len(data))
        self.kept.append(made)
        return ctypes.addressof(made)

    def object(self, thing: object) -> int | None:
        """The address of a Python object."""
        self.kept.append(thing)
        return None if thing is None else id(thing)


class Guard:
    """Detects when a `TypeInfo` is garbage: they refer to each other."""

    __slots__ = ("_info",)

    def __init__(self, info: TypeInfo) -> None:
        self._info = info

    def __del__(self, is_finalizing: Callable[[], bool] = sys.is_finalizing) -> None:
        if self._info.struct.values > 0 and not is_finalizing():
            self._info.rescue()


class TypeInfos:
    """The `TypeInfo` structs of this process.

    Args:
        again: Called with a type of a class that was assumed to be freed, but is needed.
        generator: Gives the class of our own generators.

    Example:
        >>> from tscript.types import STR, ListType
        >>> infos = TypeInfos()
        >>> infos.address(ListType(STR)) == infos.address(ListType(STR))
        True
    """

    def __init__(
        self, again: Callable[[Type], None] = lambda type: None, generator: Callable[[], type | None] = lambda: None
    ) -> None:
        self._known: TypeTable[TypeInfo] = TypeTable()
        self._at: WeakValueDictionary[int, TypeInfo] = WeakValueDictionary()
        self._waiting: list[TypeInfo] = []
        self._unfilled: list[TypeInfo] = []
        self._filling = False
        self._lock = threading.RLock()
        self._again = again
        self._generator = generator

    def address(self, type: Type) -> int:
        """The address of the `TypeInfo` of a type, valid while something refers to the type."""
        return self._info(type).address

    def _info(self, type: Type) -> TypeInfo:
        found = self._known.get(type)
        if found is None or not found.is_filled:
            with self._lock:
                found = self._known.get(type) or self._new(type)
                if not self._filling:
                    self._fill_all()
        return found

    def _new(self, type: Type) -> TypeInfo:
        """A struct that is filled later: parts of types may contain each other, to any depth."""
        made = self._known.add(type, TypeInfo(self, type))
        self._at[made.address] = made
        self._unfilled.append(made)
        return made

    def _fill_all(self) -> None:
        """Fill what is new, with the parts that turn up. Other threads wait until all of it is filled."""
        self._filling = True
        try:
            for info in self._unfilled:  # it grows
                self._fill(info)
            for info in self._unfilled:
                info.is_filled = True
            self._unfilled.clear()
        finally:
            self._filling = False

    def known(self) -> tuple[Type, ...]:
        """All existing types that have been used."""
        return tuple(info.type for info in self._at.values())

    def has(self, address: int) -> bool:
        """Whether there is a `TypeInfo` at an address."""
        return address in self._at

    def type_at(self, address: int) -> Type:
        """The type whose `TypeInfo` is at an address.

        Raises:
            KeyError: There is none.
        """
        return self._at[address].type

    def wait(self, info: TypeInfo) -> None:
        """Keep one until no native value is of its type."""
        self._waiting.append(info)
        self.add_again(info.type)

    def add_again(self, type: Type) -> None:
        """A type that was garbage is needed: register it again, with all its parts."""
        pending: list[object] = [self._known.get(type)]
        seen = set[object]()
        while pending:
            at = pending.pop()
            if isinstance(at, TypeInfo) and at not in seen:
                seen.add(at)
                self._at[at.address] = at
                pending += at.kept
        self._again(type)

    def sweep(self) -> None:
        """Drop those that native values do not need any more."""
        done = [info for info in self._waiting.copy() if info.struct.values <= 0]
        for info in done:
            self._waiting.remove(info)

    def _fill(self, made: TypeInfo) -> None:
        info, type = made.struct, made.type
        parts = parts_of(type)
        info.kind = kind_of(type)
        info.cells = cells_of(type)
        info.itemsize = itemsize_of(type)
        info.count = len(parts)
        info.parts = self._addresses(made, parts)
        info.name = made.text(str(type))
        info.counted = len(references := references_of(type))
        info.references = made.array(references)
        match type:
            case SimpleType() if type == DTYPE:
                names = {d.code: d.name for d in dtypes.BY_CODE.values()}
                info.names = made.array([made.text(names.get(code, "")) for code in range(max(names) + 1)])
            case SimpleType() if type in OPTIONS:
                members = OPTIONS[type].members
                info.flags = ENUM_PLAIN
                info.count = len(members)
                info.names = made.array([made.text(t) for m in members for t in (m.name, repr(m), str(m))])
                info.python = made.object(OPTIONS[type])
                info.objects = made.object(members)
            case SimpleType() if type == GENERATOR:
                info.flags = TENSOR_GENERATOR
                info.python = made.object(np.random.Generator)
                info.objects = made.object((self._generator(),))
            case DictType(key=key) | SetType(element=key):  # after its parts, the arguments of a KeyError
                info.parts = self._addresses(made, (*parts, TupleType((key,))))
            case ListType():
                info.flags = LIST_FROZEN if type.frozen else 0
            case ClassType():
                type.info.is_fixed = True
                info.names = made.array([made.text(n) for n in type.info.fields])
                info.base = self._part(made, ClassType(type.info.base)) if type.info.base else None
                info.flags = type.info.flags | CLASS_MODULE * type.info.is_module
                info.python = made.object(type.info.python)
                info.objects = made.object(tuple(map(sys.intern, type.info.fields)))
            case EnumType():
                texts = strings_of_members(type.info)
                info.count = len(type.info.members)
                if type.info.kind:
                    info.flags = ENUM_VALUES
                    info.members = made.array([self._member(made, value) for value in type.info.members.values()])
                info.names = made.array([made.text(t) for t in texts])
                info.python = made.object(type.info.python)
                if type.info.python is not None:
                    info.objects = made.object(tuple(getattr(type.info.python, name) for name in type.info.members))
            case ScalarType():
                info.flags = type.dtype.code + SCALAR_CODE
            case ArrayType(facts=facts):
                assert facts.dtype is not None and facts.rank is not None
                info.flags = TENSOR_ARRAY | (facts.dtype.code | facts.rank << 8) << TENSOR_FACTS
            case TensorType(facts=facts) if facts.dtype is not None and facts.rank is not None:
                info.flags = TENSOR_KNOWN | (facts.dtype.code | facts.rank << 8) << TENSOR_FACTS
            case SizeType():
                info.flags = TENSOR_SIZE
                info.parts = self._addresses(made, (INT,))
            case TupleType(named=named) if named is not None:
                info.names = made.array([made.text(n) for n in named.fields])
                info.python = made.object(named.python)

    def _member(self, made: TypeInfo, value: object) -> int:
        """The cell of the value of a member."""
        if isinstance(value, int):
            return value
        assert isinstance(value, str)
        return made.bytes(str_object(value, self.address(STR), IMMORTAL))

    def _addresses(self, made: TypeInfo, types: Sequence[Type]) -> int:
        """An array of the addresses of others, which stay as long as `made`."""
        return made.array([self._part(made, type) for type in types])

    def _part(self, made: TypeInfo, type: Type) -> int:
        found = self._info(type)
        made.kept.append(found)
        return found.address


def strings_of_members(info: EnumInfo) -> list[str]:
    """The content of `TypeInfo.names` of an enum: name, repr of the value, and ``str()`` of each member."""
    return [t for name, value in info.members.items() for t in (name, repr(value), _str(info, name))]


def _str(info: EnumInfo, name: str) -> str:
    """``str()`` of a member, as Python's enum classes define it."""
    python: Any = info.python
    method = getattr(python, "__str__", None)
    if python is None or (isinstance(method, FunctionType) and method.__module__ != "enum"):
        return f"{info.name.rpartition('.')[2]}.{name}"
    return str(python[name])


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
        case LateType():
            return [1 + cell for cell in references_of(type.value)]
        case OptionalType() if not is_heap(type.value):
            return [1 + cell for cell in references_of(type.value)]
    return [0] if is_heap(type) or kind_of(type) >= FIRST_HEAP_KIND or kind_of(type) == TypeKind.OBJECT else []
