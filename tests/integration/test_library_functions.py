"""``typing.cast``, ``itertools.repeat``, tests for abstract containers, functions that always raise, and empty
containers of the module."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tscript
from tests.integration.harness import function_of
from tscript.checking import check_file
from tscript.diagnostics import CompileError

SOURCE = """
import collections.abc
import itertools
import typing
from collections.abc import Mapping, Sequence
from itertools import repeat
from typing import Any, Dict, Iterable, List, NoReturn, Optional, Tuple, Union, cast

NAMES: list[str] = []
SIZES: "Dict[str, int]" = {}
SEEN: Optional[List[int]] = []

def fail(what: str) -> NoReturn:
    raise ValueError(f"no {what}")

def silently(what: str):
    fail(what)

def found(n: int) -> int:
    if n > 0:
        return n
    fail("number")

def assigned(n: int) -> int:
    if n > 0:
        y = n
    else:
        silently("number")
    return y + 1

def returned(n: int) -> str:
    if n > 0:
        return "a"
    return fail("name")

def caught(n: int) -> int:
    try:
        if n < 0:
            fail("x")
        return n
    except ValueError as error:
        return len(str(error))

class Checked:
    def __init__(self, n: int):
        if n < 0:
            self.refuse("n")
        self.n = n

    def refuse(self, what: str) -> NoReturn:
        fail(what)

def checked(n: int) -> int:
    return Checked(n).n

def kinds(xs: List[int], d: Dict[str, int], s: str, n: int) -> Tuple[bool, bool, bool, bool, bool, bool]:
    return (
        isinstance(xs, Iterable), isinstance(n, collections.abc.Iterable), isinstance(d, Mapping),
        isinstance(s, Sequence), isinstance(d, typing.Sequence), isinstance((1, 2), (int, Sequence)),
    )

def converted(n: int) -> int:
    return typing.cast(float, n) + 1

def narrowed(x: Optional[int]) -> int:
    return cast(int, x) + cast("int", x)

def of_union(x: Union[int, str, List[int]]) -> str:
    return cast(str, x).upper()

def of_any(x: Any) -> int:
    return cast(int, x) + 1

def repeated(x: float, n: int) -> Tuple[float, int]:
    return sum(repeat(x, n)), len(list(itertools.repeat(n, 3)))

def empty(x: str) -> Tuple[bool, int, int, bool]:
    for name in NAMES:
        x += name
    return x in NAMES, len(NAMES) + len(SIZES), SIZES.get(x, 4), 3 in SEEN
"""


PAIRS = """
def _ntuple(n):
    def parse(x):
        if isinstance(x, collections.abc.Iterable):
            return tuple(x)
        return tuple(repeat(x, n))
    return parse

_pair = _ntuple(2)

def pairs(x: int) -> int:
    return _pair(x)[1] + _pair((3, 4))[1] + len(_pair([5, 6, x]))

def either(x: Union[int, Tuple[int, int]]) -> int:
    a, b = _pair(x)
    return a * 10 + b
"""


@pytest.mark.parametrize(
    ("name", "calls"),
    [
        ("pairs", [(3,)]),
        ("either", [(3,), ((4, 5),)]),
        ("found", [(3,), (0,)]),
        ("assigned", [(3,), (0,)]),
        ("returned", [(3,), (0,)]),
        ("caught", [(3,), (-1,)]),
        ("checked", [(3,), (-1,)]),
        ("kinds", [([1], {"a": 1}, "a", 1)]),
        ("converted", [(3,)]),
        ("narrowed", [(3,)]),
        ("of_union", [("ab",)]),
        ("of_any", [(3,)]),
        ("repeated", [(2.0, 3)]),
        ("empty", [("a",)]),
    ],
)
def test_functions(agree: Callable[..., Any], name: str, calls: list[tuple[Any, ...]]) -> None:
    for call in calls:
        agree(f"{SOURCE}{PAIRS}\nf = {name}\n", *call)


def test_a_cast_of_another_type_is_an_error() -> None:
    """Python goes on with the value; compiled code cannot."""
    functions = tscript.script(SOURCE + "\ndef f(x: Optional[int]) -> int:\n    return narrowed(x)\n")
    with pytest.raises(TypeError, match=r"cast\(\) to int of a value that is of another type"):
        functions.f(None)
    with pytest.raises(TypeError, match=r"cast\(\) to str"):
        functions.of_union([1])
    with pytest.raises(TypeError, match=r"cast\(\) to int"):
        functions.of_any("a")


def test_files_that_are_read(tmp_path: Path) -> None:
    (tmp_path / "m.py").write_text(SOURCE)
    assert check_file(tmp_path / "m.py") == []


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("return len(repeat(n))", "takes a value and how often here"),
        ("return cast(int)", "cast"),
    ],
)
def test_mistakes(body: str, message: str) -> None:
    with pytest.raises(CompileError) as caught:
        tscript.script(function_of(f"{SOURCE}\ndef f(n: int) -> int:\n    {body}\n"))
    assert message in str(caught.value)
