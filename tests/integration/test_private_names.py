"""Private names, hashes that classes define, `dict.fromkeys` where a type is declared, and every letter of ``%``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

import tscript
from tests.integration.harness import function_of
from tscript.diagnostics import CompileError
from tscript.frontend import lower, module_functions
from tscript.ir.interpreter import interpret

PRIVATE = """
class Base:
    __count = 5
    __slots__ = ("__n", "_Base__extra")

    def __init__(self, n: int):
        self.__n = n
        self.__extra = 0

    def __more(self, __k: int) -> int:
        __t = self.__n + __k
        return __t

    @staticmethod
    def __twice(x: int) -> int:
        return 2 * x

    @property
    def __half(self) -> int:
        return self.__n // 2

    @__half.setter
    def __half(self, x: int) -> None:
        self.__n = 2 * x

    def run(self, k: int) -> int:
        self.__n += 1
        self.__extra = max(self.__extra, self.__half)
        self.__half = self.__half + 1
        def __inner(x: int) -> int:
            return x * 3
        total = sum(__x for __x in range(k))
        return self.__more(k) + Base.__twice(self.__count) + self.__extra + __inner(k) + total

class _Derived(Base):
    def __more(self, k: int) -> int:
        return -1000

    def other(self, that: Base) -> int:
        return self.__more(1) + that._Base__n

def main(n: int) -> int:
    d = _Derived(n)
    return d.run(3) + d.other(d) + d._Base__more(4) + d._Derived__more(2)
"""


def test_private_names_belong_to_their_class() -> None:
    plain, scripted = function_of(PRIVATE), tscript.script(function_of(PRIVATE))
    for n in (0, 7):
        assert scripted(n) == plain(n)


def test_private_names_in_the_text_of_a_module() -> None:
    text = PRIVATE.replace('    __slots__ = ("__n", "_Base__extra")\n', "")
    (entry,) = (f for f in module_functions(text, "private.py", everything=True) if f.name == "main")
    assert interpret(lower(entry), [7]) == function_of(PRIVATE)(7)


@dataclass(frozen=True)
class Point:
    a: int
    b: int

    def __hash__(self) -> int:
        return self.a % 3 - 1


class Named:
    def __init__(self, n: int):
        self.n = n

    def __hash__(self) -> int:
        return self.n


def test_hash_is_that_of_the_class() -> None:
    source = (
        "def main(n: int):\n    d: dict[Point, int] = {}\n    for i in range(n):\n        d[Point(i % 4, 0)] = i\n"
        "    s = {Point(1, 2), Point(1, 2), Point(1, 3)}\n"
        "    return hash(Point(n, 1)), hash(Point(0, 1)), hash(Named(-1)), hash(Named(n)), len(s), d, Point(2, "
        "0) in d, d[Point(3, 0)]\n"
    )
    plain, scripted = (f(function_of(source, Point=Point, Named=Named)) for f in (lambda f: f, tscript.script))
    assert scripted(9) == plain(9)
    source = (
        "def main(n: int):\n    return hash((Point(n, 1), 2)) == hash((Point(n, 1), 2)), hash((Point(n, 1), "
        "2)) == hash((Point(n, 2), 2))\n"
    )
    plain, scripted = (f(function_of(source, Point=Point)) for f in (lambda f: f, tscript.script))
    assert scripted(9) == plain(9)


def test_keys_without_values() -> None:
    source = (
        "def main(names: list[str]) -> dict[str, int | None]:\n    d: dict[str, int | None] = dict.fromkeys(names)\n"
        "    d['a'] = 3\n    e: dict[int, list[int] | None] = dict.fromkeys(range(3))\n    e[1] = [4]\n"
        "    f: dict[float, float] = dict.fromkeys([1, 2], 0)\n    d['n'] = len(e) + len(f) + len(e[1] or [])\n"
        "    return d\n"
    )
    assert tscript.script(function_of(source))(["b", "c"]) == function_of(source)(["b", "c"])


def test_tensors_by_key_keep_dtype_and_rank_open() -> None:
    source = (
        "def main(x: Tensor, keys: list[int]) -> dict[int, Tensor]:\n    d = dict.fromkeys(keys, x)\n"
        "    d[1] = x.sum()\n    d[2] = x.to(tscript.int64)\n    return d\n"
    )
    found = tscript.script(function_of(source, Tensor=tscript.Tensor, tscript=tscript))(tscript.tensor([1.0, 2.0]), [0])
    assert {k: v.tolist() for k, v in found.items()} == {0: [1.0, 2.0], 1: 3.0, 2: [1, 2]}


VALUES = (3, -7, True, False, 2.75, -3.99, 0.0, 1e22, -1e19, float("inf"), float("nan"), 97)


@pytest.mark.parametrize("letter", "diuxXofFeEgGcs")
@pytest.mark.parametrize("kind", [int, bool, float])
def test_every_letter_takes_what_python_takes(letter: str, kind: type) -> None:
    flags = ("", "8", "-8", "+", "08", "#", " ")
    for fields in (flags, ("5.2", ".3")):
        shown = ", ".join(f"'%{flag}{letter}|' % x" for flag in fields)
        source = f"def main(x: {kind.__name__}) -> tuple[{', '.join(['str'] * len(fields))}]:\n    return {shown}\n"
        plain: Any = function_of(source)
        try:
            scripted: Any = tscript.script(function_of(source))
        except CompileError:
            with pytest.raises(TypeError):
                plain(kind(1))
            continue
        for value in (v for v in VALUES if type(v) is kind):
            outcomes: list[object] = []
            for function in (plain, scripted):
                try:
                    outcomes.append(function(value))
                except (ValueError, OverflowError, TypeError) as error:
                    outcomes.append(type(error))
            too_large = fields is not flags and letter in "diu" and abs(value) > 2**63
            assert outcomes[0] == outcomes[1] or (too_large and outcomes[1] is OverflowError), (source, value)
