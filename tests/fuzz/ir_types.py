"""Random types, constants and classes for random IR: plain ones, nested ones, and those that nobody writes by hand."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping
from typing import Any

from tscript.abi.exceptions import EXCEPTIONS, is_raisable
from tscript.ir.signatures import value_json
from tscript.types import (
    ANY,
    BOOL,
    BYTES,
    COMPLEX,
    DTYPE,
    FLOAT,
    INT,
    NEVER,
    NONE,
    SIZE,
    STR,
    TENSOR,
    TYPE,
    CallableType,
    ClassType,
    DictType,
    EnumType,
    FutureType,
    ListType,
    OptionalType,
    SetType,
    TensorType,
    TupleType,
    Type,
    UnionType,
    dtypes,
    optional,
    union,
)

SIMPLE: tuple[Type, ...] = (INT, FLOAT, BOOL, STR, BYTES, COMPLEX, NONE, ANY, DTYPE, TENSOR, SIZE)
ODD: tuple[Type, ...] = (
    NEVER,
    TYPE,
    UnionType((INT, INT)),
    UnionType((INT,)),
    UnionType((ANY, INT)),
    UnionType((NONE, STR)),
    OptionalType(NONE),
    OptionalType(OptionalType(INT)),
    OptionalType(ANY),
    TensorType(dtypes.float32, 1),
    TensorType(None, 2),
    TupleType(()),
    ListType(NEVER),
    DictType(NEVER, NEVER),
)
RAISED = tuple(t for t in EXCEPTIONS.values() if is_raisable(t))
INTS = (
    0,
    1,
    2,
    3,
    -1,
    -2,
    5,
    7,
    8,
    31,
    63,
    64,
    100,
    2**31,
    -(2**31) - 1,
    2**62,
    -(2**62),
    2**63 - 1,
    -(2**63),
    0x110000,
    0xD800,
)
FLOATS = (0.0, -0.0, 1.0, -1.5, 0.1, 1e308, 5e-324, math.inf, -math.inf, math.nan, 2.0**63, 1e16)
TEXTS = ("", "a", "ab", "  a b ", "%s", "{}", ",a,,b", "é", "\u0141\u017a", "\U0001f600x", "\ud800", "\0", "12",
         "-0x1F", "1e5", "A\nB\r\n", "ß", "x" * 40, "utf-8", "strict", ">08.3f")  # fmt: skip


class TypeMaker:
    """Draws types over the classes of one program."""

    def __init__(self, choices: random.Random, classes: Mapping[str, Type]) -> None:
        self.choices = choices
        self.classes = list(classes.values())

    def key(self) -> Type:
        """A type that has a hash."""
        return self.choices.choice(
            (INT, STR, FLOAT, BOOL, BYTES, NONE, COMPLEX, TupleType((INT, STR)), optional(STR), ANY, *self.classes)
        )

    def any(self, depth: int = 2) -> Type:
        """A type, now and then one that is none of the language."""
        choices = self.choices
        if choices.random() < 0.01:
            return choices.choice(ODD)
        if depth <= 0 or choices.random() < 0.45:
            return choices.choice(SIMPLE)
        match choices.randrange(11):
            case 0 | 1:
                return ListType(self.any(depth - 1), choices.random() < 0.25)
            case 2:
                return DictType(self.key() if choices.random() < 0.8 else self.any(depth - 1), self.any(depth - 1))
            case 3:
                return SetType(self.key() if choices.random() < 0.8 else self.any(depth - 1))
            case 4 | 5:
                return TupleType(tuple(self.any(depth - 1) for _ in range(choices.randrange(4))))
            case 6:
                return optional(self.any(depth - 1))
            case 7:
                return union([self.any(depth - 1) for _ in range(choices.randint(2, 3))])
            case 8:
                return choices.choice(RAISED)
            case 9:
                if choices.random() < 0.5:
                    given = choices.choice((INT, FLOAT, BOOL, NONE, DTYPE, TENSOR, SIZE, TupleType((INT, TENSOR))))
                    return FutureType(given if choices.random() < 0.9 else self.any(depth - 1))
                return CallableType(
                    tuple(self.any(depth - 1) for _ in range(choices.randrange(3))), self.any(depth - 1)
                )
        return choices.choice(self.classes) if self.classes else INT

    def constant(self, type: Type) -> object:
        """A constant of a type that has some.

        Raises:
            LookupError: It has none.
        """
        choices = self.choices
        if type == INT:
            return choices.choice(INTS) if choices.random() < 0.9 else choices.randint(-(2**63), 2**63 - 1)
        if type == FLOAT:
            return choices.choice(FLOATS)
        if type == BOOL:
            return choices.random() < 0.5
        if type == STR:
            return choices.choice(TEXTS)
        if type == BYTES:
            return choices.choice((b"", b"a", b"\xff\x00", b" a b ", b"12", b"x" * 30))
        if type == COMPLEX:
            return complex(choices.choice(FLOATS), choices.choice(FLOATS))
        if type == DTYPE:
            return choices.choice(dtypes.DTYPES)
        if type == SIZE and choices.random() < 0.05:  # native code has none: refused
            return tuple(choices.choice((0, 1, 2, 3)) for _ in range(choices.randrange(4)))
        if type in (NONE, ANY) or isinstance(type, OptionalType):
            return None
        match type:
            case UnionType(members=members) if NONE in members:
                return None
            case TupleType(elements=elements, named=None):
                return tuple(map(self.constant, elements))
            case EnumType(info=info) if info.members:
                return choices.choice(list(info.members))
        raise LookupError(type)


def class_specs(choices: random.Random) -> list[dict[str, Any]]:
    """What an archive says of its classes, enums and named tuples: odd ones now and then."""
    specs: list[dict[str, Any]] = []
    names: list[str] = []
    for i in range(choices.randrange(4)):
        name = f"mod.C{i}"
        base = choices.choice([None, None, *[n for n in names if n.startswith("mod.C")], "ValueError", "KeyError"])
        above: list[Any] = next((s["fields"] for s in specs if s["name"] == base), [])
        own = [[f"f{i}_{k}", _field(choices, names)] for k in range(choices.randrange(4))]
        known = base not in ("ValueError", "KeyError")
        fields = [*above, *own] if known or choices.random() < 0.98 else [["args", "int"], *own]
        flags = choices.choice((0, 1, 2, 3, 4, 7, 8, 15))
        late: list[str] = next((s["late"] for s in specs if s["name"] == base), [])
        if flags in (0, 2) or choices.random() < 0.02:
            late = [*late, *(n for n, _ in own if choices.random() < 0.4)]
        elif late and choices.random() < 0.98:
            flags &= 2
        specs.append(_spec("class", name, base=base, fields=fields, flags=flags, late=late,
                           special=choices.choice(([], ["__eq__"], ["__repr__", "__hash__"], ["__lt__"]))))  # fmt: skip
        names.append(name)
    if choices.random() < 0.5:
        mixed = choices.choice(("", "", "int", "str"))
        values: list[Any] = [["a", 1], ["b", 2], ["c", -(2**63)]]
        if mixed == "str":
            values = [["a", "x"], ["b", "y"]]
        elif not mixed and choices.random() < 0.3:
            values = [["a", 1.5], ["b", "z"], ["c", None]]
        specs.append(
            _spec(
                "enum",
                "mod.E",
                members=[[n, value_json(v)] for n, v in values] if choices.random() < 0.95 else [],
                mixed=mixed,
            )
        )
        names.append("mod.E")
    if choices.random() < 0.5:
        fields = [[f"x{k}", _field(choices, names)] for k in range(choices.randrange(3))]
        specs.append(_spec("named", "mod.N", fields=fields))
    return specs


def _spec(kind: str, name: str, **more: Any) -> dict[str, Any]:
    return {"kind": kind, "name": name, "module": "", "path": "", **more}


def _field(choices: random.Random, names: list[str]) -> str:
    plain = ("int", "float", "bool", "str", "bytes", "Any", "Tensor", "list[int]", "dict[str, int]", "set[str]",
             "dtype", "complex",
             "Optional[int]", "Optional[str]", "Union[int, str]", "tuple[int, str]", "tuple[str, ...]", "None", "Size",
             "Callable[[int], int]", "Future[int]", "Optional[tuple[int, str]]", "list[Tensor]")  # fmt: skip
    odd = (
        "never",
        "type",
        "Tensor[float32, 1]",
        "Ptr[i64]",
        "i32",
        "list[never]",
        "Storage",
        "Union[int, int]",
        "Optional[never]",
    )
    if choices.random() < 0.01:
        return choices.choice(odd)
    return choices.choice((*plain, *names))


__all__ = ["FLOATS", "INTS", "ODD", "RAISED", "SIMPLE", "TEXTS", "ClassType", "TypeMaker", "class_specs"]
