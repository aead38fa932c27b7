"""Interfaces: ``torch.jit.interface`` and `Protocol` as types, and methods of instances of one of several classes."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

import pytest

import tscript
from tscript import CompileError, Tensor, nn
from tscript.jit import interface


@interface
class Splitter:
    joiner: str

    def split(self, text: str, most: int = 9) -> list[str]:
        """What the parts are."""
        raise NotImplementedError


class Counts(Protocol):
    def count(self, words: list[str]) -> int:
        """How many there are of what is counted."""


class Words:
    def __init__(self) -> None:
        self.joiner = " "

    def split(self, text: str, most: int = 9) -> list[str]:
        return text.split(" ")[:most]


class Characters:
    def __init__(self, joiner: str = "") -> None:
        self.joiner = joiner

    def split(self, text: str, most: int = 9) -> list[str]:
        return [c for c in text if c != " "][:most]

    def __call__(self, text: str) -> int:
        return len(text)


class Unlike:
    def parts(self) -> int:
        return 0


class Lengths:
    def count(self, words: list[str]) -> int:
        return sum([len(word) for word in words])


def parts(splitter: Splitter, text: str) -> str:
    return splitter.joiner.join(splitter.split(text, most=3))


def test_parameters_take_instances_of_any_class() -> None:
    scripted = tscript.script(parts)
    for splitter in (Words(), Characters("-")):
        assert scripted(splitter, "ab cd ef gh") == parts(splitter, "ab cd ef gh")
    with pytest.raises((CompileError, TypeError), match="split"):
        scripted(Unlike(), "a")
    with pytest.raises(TypeError, match="interface"):
        scripted("a", "b")


def test_lists_hold_instances_of_several_classes() -> None:
    def longest(splitters: list[Splitter], text: str) -> int:
        best = 0
        for splitter in splitters:
            best = max(best, len(splitter.split(text)))
        return best

    def all_of(text: str) -> int:
        splitters: list[Words | Characters] = [Words(), Characters("-")]
        return longest(splitters, text)  # type: ignore[arg-type]

    assert tscript.script(all_of)("ab cd") == all_of("ab cd") == 4

    def lengths(splitters: list[Splitter], text: str) -> list[int]:
        return [len(splitter.split(text)) for splitter in splitters]

    given = [Words(), Characters()]
    assert tscript.script(lengths)(given, "ab cd") == lengths(given, "ab cd") == [2, 4]
    assert tscript.script(lengths)(given[:1], "ab cd") == [2]


def test_names_change_their_class() -> None:
    def chosen(text: str, n: int) -> list[str]:
        splitter: Splitter = Words()
        if n > 1:
            splitter = Characters("/")
        found = [parts(splitter, text)]
        for i in range(n):
            found.append(splitter.joiner)
            if i % 2 == 0:
                splitter = Characters()
            else:
                splitter = Words()
        return found + splitter.split(text, n)

    for n in range(4):
        assert tscript.script(chosen)("ab cd ef", n) == chosen("ab cd ef", n)


def test_protocols_are_interfaces() -> None:
    def counted(counter: Counts, text: str) -> int:
        return counter.count(text.split())

    assert tscript.script(counted)(Lengths(), "ab c") == counted(Lengths(), "ab c") == 3


def test_unions_are_called_and_read() -> None:
    def both(which: int, text: str) -> str:
        one: Words | Characters = Words() if which == 0 else Characters("*")
        return one.joiner.join(one.split(text, 2 if which else 1))

    for which in range(2):
        assert tscript.script(both)(which, "ab cd") == both(which, "ab cd")

    def called(which: int) -> int:
        one: Words | Characters = Words() if which == 0 else Characters("*")
        return one("text")  # type: ignore[operator]

    with pytest.raises(CompileError, match="cannot be called"):
        tscript.script(called)(0)


@interface
class Step(nn.Module):
    def forward(self, x: Tensor) -> Tensor:  # type: ignore[empty-body]
        pass

    def named(self, n: int) -> str:  # type: ignore[empty-body]
        pass


class Twice(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x * 2

    def named(self, n: int) -> str:
        return "twice" * n


class Shifted(nn.Module):
    def __init__(self, by: float) -> None:
        super().__init__()
        self.by = nn.Parameter(tscript.full((2,), by))

    def forward(self, x: Tensor) -> Tensor:
        return x + self.by

    def named(self, n: int) -> str:
        return "shifted" + str(n)


class Chain(nn.Module):
    first: Step

    def __init__(self) -> None:
        super().__init__()
        self.first = Shifted(1.0)
        self.steps = nn.ModuleList([Twice(), Shifted(3.0), nn.ReLU()])
        self.known = nn.ModuleDict({"twice": Twice(), "shifted": Shifted(5.0)})

    def applied(self, step: Step, x: Tensor) -> Tensor:
        return step.forward(x)

    def forward(self, x: Tensor, i: int, name: str) -> Tensor:
        at: Step = self.steps[i]  # type: ignore[assignment]
        step: Step = self.known[name]  # type: ignore[assignment]
        if len(step.named(2)) > 8:
            x = x * 10
        return self.applied(self.first, x) + at(x) + self.applied(step, x)


def test_modules_are_chosen_by_computed_names(tmp_path: Path) -> None:
    chain, x = Chain(), tscript.tensor([1.0, -2.0])
    scripted = tscript.script(chain)
    tscript.save(scripted, tmp_path / "chain.tsa")
    for module in (scripted, tscript.load(tmp_path / "chain.tsa")):
        for i in range(-3, 3):
            for name in ("twice", "shifted"):
                assert module(x, i, name).tolist() == chain(x, i, name).tolist()
        with pytest.raises(IndexError, match="index 3 is out of range"):
            module(x, 3, "twice")
        with pytest.raises(KeyError, match="'other'"):
            module(x, 0, "other")


def test_submodules_of_an_interface_are_replaced_by_others() -> None:
    class Outer(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.inner = Chain()

        def forward(self, x: Tensor) -> Tensor:
            return self.inner(x, 2, "twice")

    outer, x = tscript.script(Outer()), tscript.tensor([1.0, -2.0])
    before = outer(x).tolist()
    outer.inner.first = tscript.script(Twice())
    assert outer(x).tolist() == [before[0] + 9.0, before[1] - 21.0]
    outer.inner.first = Shifted(2.0)
    assert outer(x).tolist() == [before[0] + 1.0, before[1] + 1.0]
    with pytest.raises(TypeError, match="must be"):
        outer.inner.steps = Twice()
    with pytest.raises(TypeError, match="must be"):
        outer.inner.first = 3


FILE = """
from typing import List, Protocol
import torch

@torch.jit.interface
class Shape:
    def area(self) -> float: ...

class Solid(Protocol):
    def volume(self) -> float: ...

class Square:
    def __init__(self, side: float) -> None:
        self.side = side

    def area(self) -> float:
        return self.side * self.side

class Cube:
    def __init__(self, side: float) -> None:
        self.side = side

    def volume(self) -> float:
        return self.side ** 3

def size(shape: Shape) -> float:
    return shape.area()

def content(solid: Solid) -> float:
    return solid.volume()

@torch.jit.script
def both(side: float) -> float:
    shape: Shape = Square(side)
    return size(shape) + content(Cube(side))
"""


def test_files_that_are_read_have_them(tmp_path: Path) -> None:
    from tscript.cli.migration import look_over

    path = tmp_path / "shapes.py"
    path.write_text(FILE)
    (found,) = look_over([path]).functions
    assert not found.diagnostics


def test_annotations_that_need_a_type_refuse_them() -> None:
    def annotated() -> int:
        return len(tscript.jit.annotate(list[Splitter], []))

    with pytest.raises(CompileError, match="an interface"):
        tscript.script(annotated)()
