"""`parse_type`: types as text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from tscript.types import dtypes
from tscript.types.base import MAX_LEVELS, Type, TypeLimitError
from tscript.types.relations import optional
from tscript.types.types import (
    ANY,
    BOOL,
    BYTES,
    COMPLEX,
    DEVICE,
    DTYPE,
    FLOAT,
    GENERATOR,
    INT,
    LAYOUT,
    MACHINE,
    MEMORY_FORMAT,
    NEVER,
    NONE,
    SIZE,
    STR,
    TENSOR,
    TYPE,
    ArrayType,
    CallableType,
    DictType,
    FutureType,
    ListType,
    PtrType,
    ScalarType,
    SetType,
    StructType,
    TensorType,
    TupleType,
    UnionType,
)


def shortened(text: str, limit: int = 60) -> str:
    """`text`, cut off behind `limit` characters: for messages about what may be long."""
    return text if len(text) <= limit else text[:limit] + "…"


_SIMPLE: dict[str, Type] = {
    **{t.name: t for t in (INT, FLOAT, BOOL, STR, BYTES, COMPLEX, NONE, ANY, DTYPE, TYPE, GENERATOR, NEVER)},
    **{t.name: t for t in (DEVICE, LAYOUT, MEMORY_FORMAT)},
    **MACHINE,
    "Tensor": TENSOR,
    "Size": SIZE,
    **{str(scalar): scalar for scalar in map(ScalarType, dtypes.EVERY)},
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
        TensorType(dtype=tscript.float32, rank=None, device='cpu', layout='strided', requires_grad=False)
    """
    reader = _Reader(text, classes)
    found = reader.type(0)
    if reader.at < len(text):
        raise reader.error(f"nothing behind {shortened(str(found))}")
    return found


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
        if name not in _GENERIC and name not in ("Tensor", "ndarray"):
            self.at = start
            raise self.error("the name of a type with parameters")
        self.expect("[")
        if name == "Tensor":
            return self.tensor()
        if name == "ndarray":
            found = self.tensor()
            if found.dtype is None or found.rank is None:
                self.at = start
                raise self.error("the dtype and rank of an array")
            return ArrayType(found.dtype, found.rank)
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

    def tensor(self) -> TensorType:
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
                return optional(parts[0])
            case "Union":
                return UnionType(tuple(parts))
        return ListType(parts[0], frozen=True) if frozen else TupleType(tuple(parts))


_GENERIC: dict[str, int | None] = {
    "Ptr": 1, "Future": 1, "list": 1, "set": 1, "Optional": 1, "dict": 2, "tuple": None, "Union": None, "Callable": None
}  # fmt: skip
"""Types with parameters, and how many; None: any number."""
