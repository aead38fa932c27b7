"""Declared types that leave something to values: of parameters without annotation, of bare ``list``, ``dict`` … and of
arrays without a number of dimensions, also inside of other types: ``dict[str, NDArray[np.float64]]``.

A function with such parameters is a template. It is lowered once for each combination of the types that calls give to
them, so an `OpenType` is only ever in the type of a parameter of a template, and in what names and results declare: no
value has it, and no IR.
"""

from __future__ import annotations

from collections.abc import Iterable

from tscript.late import dataclass
from tscript.types import dtypes
from tscript.types.base import Type
from tscript.types.dtypes import DType
from tscript.types.relations import members_of, union
from tscript.types.types import (
    BOOL,
    FLOAT,
    INT,
    NEVER,
    NONE,
    ArrayType,
    CallableType,
    ClassType,
    DictType,
    FutureType,
    ListType,
    OptionalType,
    SetType,
    SimpleType,
    TupleType,
    UnionType,
)


@dataclass(frozen=True, slots=True, eq=False)
class KnownType(Type):
    """The type of one function or dtype. A parameter of it is that function in the body: nothing is passed for it.

    Attributes:
        value: The function or dtype, as Python has it, or its symbol.
    """

    value: object

    def __str__(self) -> str:
        name = getattr(self.value, "__name__", None) or getattr(self.value, "shown", None)
        return f"function {name}" if isinstance(name, str) else "function"


INTERFACE = "interface"
"""The name of the `OpenType` of instances of any class, or of one of several."""

_KINDS: dict[str, tuple[type[Type], ...]] = {
    "": (Type,),
    "list": (ListType,),
    "dict": (DictType,),
    "set": (SetType,),
    "tuple": (TupleType,),
    "Callable": (CallableType, KnownType),
    "ndarray": (ArrayType,),
    INTERFACE: (ClassType, UnionType),
}


@dataclass(frozen=True, slots=True, eq=False)
class OpenType(Type):
    """A type, or a part of one, that is the type of the value it is given.

    Attributes:
        name: What values have to be: ``list``, ``dict``, ``set``, ``tuple``, ``Callable``, ``ndarray`` or
            `INTERFACE`; empty: anything.
        dtype: That of an ``ndarray``, if it is declared.
        rank: Its number of dimensions, if they are declared.
    """

    name: str = ""
    dtype: DType | None = None
    rank: int | None = None

    def __str__(self) -> str:
        if self.dtype is None and self.rank is None:
            return self.name or "..."
        dtype, rank = "?" if self.dtype is None else self.dtype.name, "?" if self.rank is None else self.rank
        return f"ndarray[{dtype}, {rank}]"

    def takes(self, given: Type) -> bool:
        """Whether a parameter declared like this takes values of a type."""
        if isinstance(given, ListType) and given.frozen:
            return self.name in ("", "tuple")
        if isinstance(given, ArrayType):
            if self.dtype is not None and given.dtype is not self.dtype:
                return False
            if self.rank is not None and given.rank != self.rank:
                return False
        return isinstance(given, _KINDS[self.name])


OPEN = OpenType()
"""Of a parameter without annotation."""


def leaves_open(type: Type) -> bool:
    """Whether a declared type, or a part of it, is open: a class too, as long as types of attributes are not known."""
    if isinstance(type, ClassType):
        return any(leaves_open(type.info.fields[name]) for name in type.info.open)
    return isinstance(type, OpenType) or any(map(leaves_open, type.made_of))


def completed(declared: Type, given: Type, *, narrow: bool = False) -> Type | None:
    """A declared type with the types of a value in place of what it leaves open; None if the value is another.

    An empty container stays one of unknown element type.

    Args:
        declared: The declared type.
        given: The type of the value.
        narrow: Whether the result is, of the members of a declared union, only that of the value.

    Example:
        >>> from tscript.types import FLOAT, INT, STR, dtypes
        >>> vectors = DictType(STR, OpenType("ndarray", dtypes.float64))
        >>> print(completed(vectors, DictType(STR, ArrayType(dtypes.float64, 1))))
        Dict[str, ndarray[float64, 1]]
        >>> completed(vectors, DictType(STR, ArrayType(dtypes.float32, 1)))
    """
    if isinstance(declared, OpenType):
        return given if declared.takes(given) else None
    if isinstance(declared, OptionalType | UnionType):
        return _member(declared, given, narrow)
    if not leaves_open(declared):
        return declared
    if NEVER in given.made_of and given.__class__ is declared.__class__:
        return given
    match declared, given:
        case ListType(), ListType() if declared.frozen == given.frozen:
            element = completed(declared.element, given.element)
            return None if element is None else ListType(element, frozen=declared.frozen)
        case ListType(frozen=True), TupleType(named=None):
            parts = _all(completed(declared.element, part) for part in given.elements)
            return None if parts is None else ListType(union(parts), frozen=True)
        case SetType(), SetType():
            element = completed(declared.element, given.element)
            return None if element is None else SetType(element)
        case DictType(), DictType():
            key, value = completed(declared.key, given.key), completed(declared.value, given.value)
            return None if key is None or value is None else DictType(key, value)
        case TupleType(), TupleType() if len(declared.elements) == len(given.elements):
            parts = _all(map(completed, declared.elements, given.elements))
            if declared.named is not None and declared.named.typed is not None:
                return given if given.named is not None and given.named.typed is declared.named.typed else None
            return None if parts is None else TupleType(tuple(parts), declared.named)
        case ClassType(), ClassType() if given.info.derives_from(declared.info):
            return declared
        case FutureType(), FutureType():
            value = completed(declared.value, given.value)
            return None if value is None else FutureType(value)
    return None


def _member(declared: OptionalType | UnionType, given: Type, narrow: bool) -> Type | None:
    """What a value, or each that it may be, is of the members of a declared union."""
    members = members_of(declared)
    found: list[Type] = []
    for one in members_of(given) if isinstance(given, OptionalType | UnionType) else (given,):
        taken = one if one in members else None
        if taken is None and one in (BOOL, INT):
            taken = next((wide for wide in (INT, FLOAT) if wide in members), None)
        if taken is None:
            candidates = (completed(member, one) for member in members if leaves_open(member))
            taken = next((type for type in candidates if type is not None), None)
        if taken is None:
            return None
        found.append(taken)
    return union(found if narrow else [*found, *(member for member in members if not leaves_open(member))])


def _all(types: Iterable[Type | None]) -> list[Type] | None:
    found = list(types)
    return None if None in found else [type for type in found if type is not None]


def with_rank(declared: Type, given: Type, rank: int) -> Type:
    """The type of a value with arrays of `rank` dimensions where a declared type has arrays and the value, which is
    empty there, says nothing.

    Example:
        >>> print(with_rank(ListType(OpenType("ndarray", dtypes.float64)), ListType(NEVER), 2))
        List[ndarray[float64, 2]]
    """
    if isinstance(declared, OptionalType | UnionType) and given in (NEVER, NONE):
        return union([with_rank(member, NEVER, rank) for member in members_of(declared)])
    match declared, given:
        case OpenType(name="ndarray"), _ if given == NEVER:
            return ArrayType(declared.dtype or dtypes.float64, rank if declared.rank is None else declared.rank)
        case ListType(), ListType() | SimpleType():
            inner = given.element if isinstance(given, ListType) else NEVER
            return ListType(with_rank(declared.element, inner, rank), frozen=declared.frozen)
        case DictType(), DictType() | SimpleType():
            key, value = (given.key, given.value) if isinstance(given, DictType) else (NEVER, NEVER)
            return DictType(with_rank(declared.key, key, rank), with_rank(declared.value, value, rank))
        case TupleType(), TupleType():
            pairs = zip(declared.elements, given.elements, strict=True)
            return TupleType(tuple(with_rank(d, g, rank) for d, g in pairs), given.named)
    return declared if given == NEVER else given


def is_complete(declared: Type, type: Type) -> bool:
    """Whether a declared type has become `type` with nothing left to find out: a declared ``V | None`` that was given
    None has not."""
    return not leaves_open(declared) or not (type == NONE or has_unknown(type))


def has_unknown(type: Type) -> bool:
    """Whether a type is that of an empty container, or has one in it."""
    return type == NEVER or any(map(has_unknown, type.made_of))


__all__ = [
    "INTERFACE",
    "OPEN",
    "KnownType",
    "OpenType",
    "completed",
    "has_unknown",
    "is_complete",
    "leaves_open",
    "with_rank",
]
