"""The order of tuples: elements of any type behind the first, compared only where those before are equal."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

import tscript
from tests.integration.harness import function_of
from tscript.diagnostics import CompileError

SOURCE = """
import enum
import heapq
from dataclasses import dataclass, field


class Plain:
    def __init__(self, n: int):
        self.n = n


@dataclass
class Equal:
    n: int


@dataclass(order=True)
class Parts:
    n: int
    note: str = field(default="", compare=False)


class Less:
    def __init__(self, n: int):
        self.n = n

    def __lt__(self, other: "Less") -> bool:
        return self.n < other.n

    def __gt__(self, other: "Less") -> bool:
        return self.n > other.n


class Level(enum.Enum):
    LOW = 0
    HIGH = 1


def signs(a: tuple[int, T], b: tuple[int, T]) -> tuple[bool, bool]:
    return a < b, a > b


def or_equal(a: tuple[int, T], b: tuple[int, T]) -> tuple[bool, bool]:
    return a <= b, b <= a


def inside(a: tuple[int, tuple[str, T]], b: tuple[int, tuple[str, T]]) -> bool:
    return a < b


def ordered(xs: list[tuple[int, T]]) -> tuple[list[int], int, int]:
    return [n for n, _ in sorted(xs)], min(xs)[0], max(xs)[0]


def heap(xs: list[tuple[int, T]]) -> list[int]:
    kept: list[tuple[int, T]] = []
    for x in xs:
        heapq.heappush(kept, x)
    return [heapq.heappop(kept)[0] for _ in range(len(kept))]


def first(a: tuple[T, int], b: tuple[T, int]) -> bool:
    return a < b
"""
VALUES = {
    "Plain": "Plain(1), Plain(2)",
    "Equal": "Equal(1), Equal(1), Equal(2)",
    "Parts": "Parts(1, 'a'), Parts(1, 'b'), Parts(2)",
    "Less": "Less(1), Less(2)",
    "Level": "Level.LOW, Level.HIGH",
    "dict[str, int]": "{'a': 1}, {'a': 1}, {}",
    "int | None": "None, 1, 2",
    "list[Equal]": "[Equal(1)], [Equal(1), Equal(2)], [Equal(2)]",
    "list[int | None]": "[1], [None], [1, 2]",
    "complex": "1j, 2j",
}


def _outcome(function: Any, *arguments: Any) -> object:
    try:
        return function(*arguments)
    except TypeError:
        return TypeError


@pytest.mark.parametrize("type", VALUES)
def test_is_pythons(type: str) -> None:
    """Results, and TypeError where elements that have no order decide."""
    module = function_of(SOURCE.replace("T]", f"{type}]").replace("[T,", f"[{type},")).__globals__
    plain = {name: module[name] for name in ("signs", "or_equal", "inside", "ordered", "heap")}
    compiled = {name: tscript.script(f) for name, f in plain.items()}
    values = eval(VALUES[type], module)
    pairs = [((n, a), (m, b)) for n, m in ((0, 1), (1, 0), (1, 1)) for a, b in itertools.product(values, repeat=2)]
    outcomes = set()
    for a, b in pairs:
        nested = (a[0], ("x", a[1])), (b[0], ("x", b[1]))
        for name, arguments in (("signs", (a, b)), ("or_equal", (a, b)), ("inside", nested), ("ordered", ([a, b],))):
            found = _outcome(compiled[name], *arguments)
            assert found == _outcome(plain[name], *arguments), (name, arguments)
            outcomes.add(found is TypeError)
    different = [(n, v) for n, v in zip((3, 1, 2), itertools.cycle(values), strict=False)]
    assert compiled["heap"](different) == [1, 2, 3]
    assert outcomes == ({False} if type == "Parts" else {False, True})


@pytest.mark.parametrize("type", ["Plain", "Equal", "Level", "dict[str, int]", "complex"])
def test_the_first_elements_have_an_order(type: str) -> None:
    """The first ones are always compared: an error of compilation."""
    module = function_of(SOURCE.replace("T]", f"{type}]").replace("[T,", f"[{type},")).__globals__
    with pytest.raises(CompileError, match="'<' does not take"):
        tscript.script(module["first"])
