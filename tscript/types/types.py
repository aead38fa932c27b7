"""The types of values: frozen, hashable, printed and parsed in one syntax (`str(type)`, `parse_type`)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from tscript.types import dtypes
from tscript.types.classes import ClassInfo, Declared, EnumInfo, NamedTupleInfo
from tscript.types.dtypes import DType

MAX_PARTS = 1 << 15
"""Parts of one type, those of its parts included; what occurs twice counts twice."""
MAX_LEVELS = 64
"""Types inside each other."""
MAX_MEMBERS = 64
"""Types of one union."""


class TypeLimitError(ValueError):
    """A type would be larger than a limit. Whatever goes over the parts of a type relies on these limits."""


@dataclass(frozen=True, slots=True, eq=False)
class Type:
    """Base of all types.

    Types are compared by what they are made of. As parts may be shared, a type can be far larger than the text that
    made it: its size is computed once, from those of its parts, and limited.

    Attributes:
        parts: How many types it is made of, itself included: what occurs twice counts twice.
        levels: How many of them are inside each other.
        owner: Of the classes, enums and named tuples in it, what was declared last; None: there are none. What lasts
            must not refer to the type then (`TypeTable`).

    Raises:
        TypeLimitError: It would have more than `MAX_PARTS` parts or `MAX_LEVELS` levels.
    """

    parts: int = field(init=False, repr=False, default=1)
    levels: int = field(init=False, repr=False, default=0)
    owner: Declared | None = field(init=False, repr=False, default=None)
    _made_of: tuple[object, ...] = field(init=False, repr=False, default=())
    _hash: int = field(init=False, repr=False, default=0)

    def __post_init__(self) -> None:
        made_of = tuple([getattr(self, name) for name in _fields(self)])
        parts, levels = 1, 0
        owner = next((part for part in made_of if isinstance(part, Declared)), None)
        for inner in _types_in(made_of):
            parts += inner.parts
            if inner.levels >= levels:
                levels = inner.levels + 1
            if inner.owner is not None and (owner is None or owner.serial < inner.owner.serial):
                owner = inner.owner
        if parts > MAX_PARTS:
            raise TypeLimitError(f"a type has at most {MAX_PARTS:,} parts, this {_kind(self)} would have {parts:,}")
        if levels > MAX_LEVELS:
            raise TypeLimitError(f"a type has at most {MAX_LEVELS} levels, this {_kind(self)} would have {levels}")
        put = object.__setattr__
        put(self, "parts", parts)
        put(self, "levels", levels)
        put(self, "owner", owner)
        put(self, "_made_of", made_of)
        put(self, "_hash", hash((self.__class__, made_of)))

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Type) or other.__class__ is not self.__class__:
            return False
        return self._hash == other._hash and self._made_of == other._made_of

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> tuple[object, ...]:
        return (self.__class__, self._made_of)

    @property
    def made_of(self) -> list[Type]:
        """The types it is made of, in order: elements, parameters and result, key and value. Fields of a class are
        none."""
        return _types_in(self._made_of)


def _fields(type: Any) -> tuple[str, ...]:
    names: tuple[str, ...] = type.__match_args__
    return names


def _types_in(made_of: tuple[object, ...]) -> list[Type]:
    found: list[Type] = []
    for part in made_of:
        if isinstance(part, Type):
            found.append(part)
        elif isinstance(part, tuple):
            found += part
    return found


def _kind(type: Type) -> str:
    return type.__class__.__name__.removesuffix("Type").lower()


@dataclass(frozen=True, slots=True, eq=False)
class SimpleType(Type):
    """A type without parameters: the language's scalars, `None`, constants."""

    name: str

    def __str__(self) -> str:
        return self.name


INT = SimpleType("int")
"""64-bit signed; what does not fit is an `OverflowError`."""
FLOAT = SimpleType("float")
"""IEEE double."""
BOOL = SimpleType("bool")
STR = SimpleType("str")
"""A text: a sequence of code points."""
BYTES = SimpleType("bytes")
COMPLEX = SimpleType("complex")
"""Two IEEE doubles."""
NONE = SimpleType("None")
ANY = SimpleType("Any")
"""Any value, known when the function runs."""
DEVICE = SimpleType("Device")
DTYPE = SimpleType("dtype")
"""An element type as a value, such as ``x.dtype``."""
TYPE = SimpleType("type")
"""A type as a compile-time value: an argument of the dialect's conversions."""
NEVER = SimpleType("never")
"""The type of an expression that does not return; subtype of every type."""


@dataclass(frozen=True, slots=True, eq=False)
class TensorType(Type):
    """A tensor; `dtype` and `rank` are None while unknown."""

    dtype: DType | None = None
    rank: int | None = None

    def __str__(self) -> str:
        if self.dtype is None and self.rank is None:
            return "Tensor"
        return f"Tensor[{self.dtype.name if self.dtype else '?'}, {'?' if self.rank is None else self.rank}]"

    @property
    def is_known(self) -> bool:
        """Whether dtype and rank are both known."""
        return self.dtype is not None and self.rank is not None


TENSOR = TensorType()


@dataclass(frozen=True, slots=True, eq=False)
class TupleType(Type):
    """A tuple of fixed length.

    Attributes:
        elements: Types of its elements.
        named: What the named tuple is called and has besides elements; None for a plain one.
    """

    elements: tuple[Type, ...]
    named: NamedTupleInfo | None = None

    def __str__(self) -> str:
        if self.named is not None:
            return self.named.name
        return f"tuple[{', '.join(map(str, self.elements)) or '()'}]"


@dataclass(frozen=True, slots=True, eq=False)
class ListType(Type):
    """A list. A ``tuple[T, ...]``, whose length is not known, is one that is `frozen`."""

    element: Type
    frozen: bool = False

    def __str__(self) -> str:
        return f"tuple[{self.element}, ...]" if self.frozen else f"list[{self.element}]"


@dataclass(frozen=True, slots=True, eq=False)
class DictType(Type):
    """A dict, in order of insertion."""

    key: Type
    value: Type

    def __str__(self) -> str:
        return f"dict[{self.key}, {self.value}]"


@dataclass(frozen=True, slots=True, eq=False)
class SetType(Type):
    """A set."""

    element: Type

    def __str__(self) -> str:
        return f"set[{self.element}]"


@dataclass(frozen=True, slots=True, eq=False)
class OptionalType(Type):
    """A value or None. The value is never `NONE`, another `OptionalType`, a `UnionType` or `ANY`; see `optional`."""

    value: Type

    def __str__(self) -> str:
        return f"Optional[{self.value}]"


@dataclass(frozen=True, slots=True, eq=False)
class UnionType(Type):
    """A value of one of several types, which may be `NONE`; see `union`.

    Raises:
        TypeLimitError: There are more than `MAX_MEMBERS`.
    """

    members: tuple[Type, ...]

    def __post_init__(self) -> None:
        if len(self.members) > MAX_MEMBERS:
            raise TypeLimitError(f"a union has at most {MAX_MEMBERS} members, this one would have {len(self.members)}")
        Type.__post_init__(self)

    def __str__(self) -> str:
        return f"Union[{', '.join(map(str, self.members))}]"


NUMBER = UnionType((INT, FLOAT, BOOL))
"""A number out of a tensor: which of them it is says the dtype. Where one of them is declared, it is taken as that."""


@dataclass(frozen=True, slots=True, eq=False)
class CallableType(Type):
    """A function as a value: its code and what it holds of the function around it."""

    parameters: tuple[Type, ...]
    result: Type

    def __str__(self) -> str:
        return f"Callable[[{', '.join(map(str, self.parameters))}], {self.result}]"


@dataclass(frozen=True, slots=True, eq=False)
class ClassType(Type):
    """Instances of a class. Two are the same when their `info` is the same object."""

    info: ClassInfo

    def __str__(self) -> str:
        return self.info.name


@dataclass(frozen=True, slots=True, eq=False)
class EnumType(Type):
    """Members of an enum."""

    info: EnumInfo

    def __str__(self) -> str:
        return self.info.name


@dataclass(frozen=True, slots=True, eq=False)
class SizeType(Type):
    """A tuple of ints of unknown length: ``x.shape`` before the rank of ``x`` is known."""

    def __str__(self) -> str:
        return "Size"


SIZE = SizeType()


@dataclass(frozen=True, slots=True, eq=False)
class FutureType(Type):
    """The result of a forked call, which may not be there yet."""

    value: Type

    def __str__(self) -> str:
        return f"Future[{self.value}]"


@dataclass(frozen=True, slots=True, eq=False)
class MachineType(Type):
    """A fixed-width number of the low-level dialect that the language has no type for: ``i32``, ``u8``, ``f32`` …

    ``i64`` is `INT`, ``f64`` is `FLOAT` and ``b8`` is `BOOL` (one byte in memory).
    """

    dtype: DType

    def __str__(self) -> str:
        return self.dtype.machine


@dataclass(frozen=True, slots=True, eq=False)
class StructType(Type):
    """A native struct of `tscript.abi`, by name; only ever behind a pointer."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True, eq=False)
class PtrType(Type):
    """A raw pointer of the low-level dialect."""

    pointee: Type

    def __str__(self) -> str:
        return f"Ptr[{self.pointee}]"


I64 = INT
F64 = FLOAT
_LANGUAGE: dict[DType, Type] = {dtypes.int64: INT, dtypes.float64: FLOAT, dtypes.bool_: BOOL}
MACHINE: dict[str, Type] = {d.machine: _LANGUAGE.get(d, MachineType(d)) for d in dtypes.DTYPES}
"""Dialect name to type."""
I8, I16, I32, U8, F32 = (MACHINE[n] for n in ("i8", "i16", "i32", "u8", "f32"))


def machine_type(dtype: DType) -> Type:
    """The type of one element of `dtype` in a register."""
    return MACHINE[dtype.machine]


def dtype_of(type: Type) -> DType | None:
    """The dtype of a scalar type (`machine_type` backwards), or None for other types."""
    match type:
        case MachineType():
            return type.dtype
        case SimpleType():
            return _SCALAR_DTYPES.get(type)
    return None


_SCALAR_DTYPES: dict[Type, DType] = {t: d for d, t in _LANGUAGE.items()}


_SIMPLE: dict[str, Type] = {
    **{t.name: t for t in (INT, FLOAT, BOOL, STR, BYTES, COMPLEX, NONE, ANY, DEVICE, DTYPE, TYPE, NEVER)},
    **MACHINE,
    "Tensor": TENSOR,
    "Size": SIZE,
}


def parse_type(text: str, classes: Mapping[str, Type] = MappingProxyType({})) -> Type:
    """The type that `str` printed as `text`, in time that grows with the length of `text`.

    Args:
        text: The type.
        classes: Classes, enums and named tuples by name.

    Raises:
        ValueError: `text` is not a type.
        TypeLimitError: It is one beyond the limits; a ValueError as well.

    Example:
        >>> parse_type("tuple[int, Tensor[float32, ?]]").elements[1]
        TensorType(dtype=tscript.float32, rank=None)
    """
    reader = _Reader(text, classes)
    found = reader.type(0)
    if reader.at < len(text):
        raise reader.error(f"nothing behind {shortened(str(found))}")
    return found


def shortened(text: str, limit: int = 60) -> str:
    """`text`, cut off behind `limit` characters: for messages about what may be long."""
    return text if len(text) <= limit else text[:limit] + "…"


_TYPE_NAME = re.compile(r"[\w.#<>]*")
_BLANK = re.compile(r"\s*")


class _Reader:
    """A type being read.

    Attributes:
        at: The place of what is read next, which is no blank.
    """

    __slots__ = ("at", "classes", "text")

    def __init__(self, text: str, classes: Mapping[str, Type]) -> None:
        self.text = text
        self.classes = classes
        self.at = 0
        self.skip(0)

    def error(self, expected: str) -> ValueError:
        found = shortened(self.text[self.at : self.at + 80], 40)
        return ValueError(f"not a type: {shortened(self.text)!r} (expected {expected}, found {found!r})")

    def skip(self, count: int) -> None:
        """Go on behind the next `count` characters and the blanks that follow."""
        blank = _BLANK.match(self.text, self.at + count)
        assert blank is not None
        self.at = blank.end()

    def accept(self, sign: str) -> bool:
        if self.text.startswith(sign, self.at):
            self.skip(len(sign))
            return True
        return False

    def expect(self, sign: str) -> None:
        if not self.accept(sign):
            raise self.error(repr(sign))

    def type(self, depth: int) -> Type:
        if depth > MAX_LEVELS:
            raise TypeLimitError(f"a type has at most {MAX_LEVELS} levels")
        start = self.at
        match = _TYPE_NAME.match(self.text, start)
        assert match is not None
        name = match[0]
        self.skip(len(name))
        if not self.text.startswith("[", self.at):
            if name in _SIMPLE:
                return _SIMPLE[name]
            if name in self.classes:
                return self.classes[name]
            if name.isidentifier() and name[0].isupper() and name not in _GENERIC:
                return StructType(name)
            self.at = start
            raise self.error("the name of a type")
        if name not in _GENERIC and name != "Tensor":
            self.at = start
            raise self.error("the name of a type with parameters")
        self.expect("[")
        if name == "Tensor":
            return self.tensor()
        if name == "Callable":
            return self.callable(depth)
        parts: list[Type] = []
        frozen = False
        if not (name == "tuple" and self.accept("()")):
            while not frozen:
                parts.append(self.type(depth + 1))
                if not self.accept(","):
                    break
                frozen = name == "tuple" and self.accept("...")
        self.expect("]")
        return self.generic(name, parts, frozen)

    def callable(self, depth: int) -> Type:
        parameters: list[Type] = []
        self.expect("[")
        while not self.accept("]"):
            parameters.append(self.type(depth + 1))
            if not self.accept(",") and not self.text.startswith("]", self.at):
                raise self.error("',' or ']'")
        self.expect(",")
        result = self.type(depth + 1)
        self.expect("]")
        return CallableType(tuple(parameters), result)

    def tensor(self) -> Type:
        end = self.text.find("]", self.at)
        dtype, _, rank = (part.strip() for part in self.text[self.at : end if end >= 0 else self.at].partition(","))
        if dtype != "?" and dtype not in dtypes.BY_NAME:
            raise self.error("a dtype")
        if rank != "?" and not (rank.isascii() and rank.isdigit() and len(rank) < 10):
            raise self.error("a dtype and a rank")
        self.skip(end + 1 - self.at)
        return TensorType(None if dtype == "?" else dtypes.BY_NAME[dtype], None if rank == "?" else int(rank))

    def generic(self, name: str, parts: list[Type], frozen: bool) -> Type:
        wanted = _GENERIC[name]
        if (wanted is not None and len(parts) != wanted) or (frozen and len(parts) != 1):
            raise self.error(
                f"{'one parameter' if wanted != 2 else 'two parameters'} of {name} before, not {len(parts)}"
            )
        match name:
            case "Ptr":
                return PtrType(parts[0])
            case "Future":
                return FutureType(parts[0])
            case "list":
                return ListType(parts[0])
            case "set":
                return SetType(parts[0])
            case "dict":
                return DictType(parts[0], parts[1])
            case "Optional":
                from tscript.types.relations import optional

                return optional(parts[0])
            case "Union":
                return UnionType(tuple(parts))
        return ListType(parts[0], frozen=True) if frozen else TupleType(tuple(parts))


_GENERIC: dict[str, int | None] = {
    "Ptr": 1, "Future": 1, "list": 1, "set": 1, "Optional": 1, "dict": 2, "tuple": None, "Union": None, "Callable": None
}  # fmt: skip
"""Types with parameters, and how many; None: any number."""
