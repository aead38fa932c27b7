"""Members of enums as defaults of parameters, in calls from Python, in compiled code and in archives."""

from __future__ import annotations

import enum
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tscript
from tests.integration.harness import function_of
from tscript.ir.verify_types import VerifyError

CLASSES = """
from dataclasses import dataclass
from enum import Enum, IntEnum, StrEnum
from typing import Any, Optional, Union
class Color(Enum):
    RED = 1
    BLUE = 2
    CRIMSON = 1
class Level(IntEnum):
    LOW = 1
    HIGH = 5
class Word(StrEnum):
    A = "RED"
@dataclass
class Item:
    c: Color = Color.RED
class C:
    def __init__(self, c: Color = Color.BLUE) -> None:
        self.c = c
    def m(self, d: Color = Color.RED, *, l: Level = Level.HIGH) -> int:
        return self.c.value * 10 + d.value + l
    @staticmethod
    def s(c: Color = Color.BLUE) -> str:
        return c.name
"""

FUNCTIONS = {
    "alone": "def f(c: Color = Color.RED) -> str:\n    return c.name + str(c)",
    "alias": "def f(c: Color = Color.CRIMSON) -> Color:\n    return c",
    "by name": "def f(c: Optional[Color] = Color.BLUE, *, d: Color = Color.RED) -> str:\n"
    "    return d.name if c is None else c.name + d.name",
    "union": "def f(c: Union[str, Word, Color] = Color.RED) -> str:\n"
    "    return c.name if isinstance(c, Color) else 'no color'",
    "any": "def f(c: Any = Color.RED, d: object = (Level.LOW, 'RED')) -> bool:\n    return isinstance(c, Color)",
    "tuple": "def f(c: tuple[Color, int] = (Color.RED, 2)) -> str:\n    return c[0].name + str(c[1])",
    "wider tuple": "def f(c: tuple[Color | None, int | None] = (Color.RED, 2), *, d: tuple[Color | None, int] = (None, "
    "2)) -> str:\n"
    "    return str(c) + str(d)",
    "any length": "def f(c: tuple[Color, ...] = (Color.RED, Color.BLUE)) -> str:\n    return str([x.name for x in c])",
    "numbers": "def f(l: Level = Level.HIGH, n: int = Level.LOW, w: Word = Word.A, s: str = Word.A) -> str:\n"
    "    return str(l + n) + w + s + l.name + w.name",
    "number or member": "def f(l: int | Level = Level.LOW, b: int | bool = True) -> str:\n"
    "    return str(l + 1) + str(b)",
}


@pytest.mark.parametrize("source", FUNCTIONS.values(), ids=FUNCTIONS)
def test_members_are_defaults(agree: Callable[..., Any], source: str) -> None:
    agree(CLASSES + source)
    result = "bool" if "-> bool" in source else "Color" if "-> Color" in source else "str"
    agree(f"{CLASSES}{source}\ndef g(n: int) -> {result}:\n    return f()", 1)


@pytest.mark.parametrize(
    "call", ["C().m()", "C(Color.RED).m(Color.BLUE)", "C().m(l=Level.LOW)", "C.s()", "Item().c.value", "inner()"]
)
def test_members_are_defaults_of_methods(agree: Callable[..., Any], call: str) -> None:
    inner = "    def inner(c: Color = Color.RED, *, d: Color = Color.BLUE) -> str:\n        return c.name + d.name\n"
    agree(f"{CLASSES}\ndef f(n: int) -> str:\n{inner}    return str({call})", 1)


@pytest.mark.parametrize("source", FUNCTIONS.values(), ids=FUNCTIONS)
def test_archives_keep_them(tmp_path: Path, source: str) -> None:
    plain = function_of(CLASSES + source)
    file = tmp_path / "f.tsa"
    tscript.save(tscript.script(plain), file)
    assert repr(tscript.load(file)()) == repr(plain())


def test_a_member_of_another_enum_is_refused() -> None:
    with pytest.raises(tscript.CompileError, match="TS210"):
        tscript.script(function_of(f"{CLASSES}def f(c: Color = Level.LOW) -> int:\n    return 1"))()


def test_a_flag_is_no_default() -> None:
    class Bits(enum.Flag):
        A = 1

    with pytest.raises(tscript.CompileError, match="TS410"):
        tscript.script(function_of("def f(c: int = BIT) -> int:\n    return 1", BIT=Bits.A))()


@pytest.mark.parametrize(
    "text",
    ['member(m.Color, "GREEN")', "member(m.Color, 1)", 'member(int, "RED")', 'member("RED")', '"RED"'],
)
def test_ir_of_a_file_names_members_that_there_are(text: str) -> None:
    from tscript.ir.parser import parse_program
    from tscript.ir.verifier import verify
    from tscript.operators.table import TABLE
    from tscript.types import EnumInfo, EnumType

    color = EnumType(EnumInfo("m.Color", {"RED": 1, "BLUE": 2}))

    def read(default: str) -> None:
        program = f"graph @f(%c: m.Color = {default}) -> m.Color {{\n  return %c\n}}"
        verify(parse_program(program, TABLE, classes={"m.Color": color}))

    read('member(m.Color, "RED")')
    with pytest.raises((ValueError, VerifyError)):
        read(text)
