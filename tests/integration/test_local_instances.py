"""Instances that nothing else can reach are not made, and nobody can tell."""

# mypy: disable-error-code="attr-defined"

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tscript
from tscript.ir.graph import Op, walk


@dataclass
class Vec:
    x: float
    y: float = 0.0

    def __add__(self, other: Vec) -> Vec:
        return Vec(self.x + other.x, self.y + other.y)

    def scaled(self, by: float) -> Vec:
        return Vec(self.x * by, self.y * by)

    def dot(self, other: Vec) -> float:
        return self.x * other.x + self.y * other.y


class Best:
    count: int
    value: Vec
    last: Vec | None
    history: list[float]

    def __init__(self) -> None:
        self.count = 0
        self.value = Vec(0.0)
        self.last = None
        self.history = []

    def push(self, v: Vec) -> None:
        self.count += 1
        if v.x > self.value.x:
            self.value = v
            self.history.append(v.x)
        self.last = v


class Late:
    word: str

    def __init__(self, early: bool) -> None:
        self.length = 0
        if early:
            self.look()
        self.word = "set"
        self.look()

    def look(self) -> None:
        self.length += len(self.word)


def walked(n: int, dt: float) -> float:
    place, speed = Vec(0.0, 1.0), Vec(1.0, 2.0)
    for _ in range(n):
        place = place + speed.scaled(dt)
        if place.dot(place) > 10.0:
            speed = speed.scaled(-1.0)
    return place.x + speed.y


def best(n: int, dt: float) -> float:
    found = Best()
    for i in range(n):
        found.push(Vec(float(i * 7 % 5), dt))
    return found.value.x + found.value.y + found.count + len(found.history)


def changed_by_another_name(n: int, dt: float) -> float:
    a = Vec(1.0)
    b = a
    for i in range(n):
        if i % 2:
            b = Vec(2.0)
        a.x += dt
        b.y += a.x
    return a.x + a.y * 3.0 + b.y


def swapped(n: int, dt: float) -> float:
    a, b = Vec(1.0, 2.0), Vec(3.0, dt)
    for _ in range(n):
        a, b = b, a + b
    return a.x - b.y


def while_loop(n: int, dt: float) -> float:
    state = Vec(0.0, dt)
    while True:
        state.x += 1.0
        if state.x > n:
            break
        if state.x == 2.0:
            continue
        state.y += state.x
    return state.x * state.y


def returned(n: int, dt: float) -> float:
    at = Vec(0.0)
    for i in range(n):
        at.x += dt
        if at.x > 2.0:
            return at.x * i
    return -at.x


def caught(n: int, dt: float) -> float:
    state = Vec(dt)
    try:
        for i in range(n + 1):
            state.x += 1.0
            state.y += 10 // (3 - i)
    except ZeroDivisionError:
        state.y = -state.y
    return state.x + state.y


def kept(n: int, dt: float) -> float:
    items: list[Vec] = []
    for _ in range(n):
        v = Vec(dt)
        v.y = v.x + 1.0
        items.append(v)
        v.x += 5.0
    return sum([v.x + v.y for v in items])


def same(n: int, dt: float) -> float:
    a, b = Vec(dt), Vec(dt)
    c = a if n % 2 else b
    return float(a is c) + 2.0 * float(a == b) + float(b is c) * 4.0


def unset(n: int, dt: float) -> float:
    late = Late(n % 2 == 1)
    return float(len(late.word) + late.length) + dt


PROGRAMS = [walked, best, changed_by_another_name, swapped, while_loop, returned, caught, kept, same, unset]


def outcome(function: Callable[..., Any], *args: Any) -> object:
    """What a call gives or raises."""
    try:
        return function(*args)
    except AttributeError as error:
        return type(error), str(error)


@pytest.mark.parametrize("program", PROGRAMS)
def test_results_are_those_of_python(program: Callable[..., Any]) -> None:
    scripted = tscript.script(program)
    for n in (0, 1, 2, 3, 4, 9):
        assert outcome(scripted, n, 0.75) == outcome(program, n, 0.75)


@pytest.mark.parametrize("program", [walked, swapped, while_loop, returned])
def test_nothing_is_made(program: Callable[..., Any]) -> None:
    graph = tscript.script(program).graph_for(3, 0.5)
    names = {n.op.name for g in graph.graphs.values() for n in walk(g.body) if isinstance(n, Op)}
    assert "object.make" not in names


MOVES = [
    "a = b",
    "b = a",
    "a = Vec(b.x, t)",
    "b = a + b",
    "a.x += 1.0",
    "b.y = t",
    "a.x, b.x = b.y, a.y",
    "t += a.x",
    "t -= b.y",
]
HEADS = ["", "if t > 2.0:", "for _ in range(2):", "if i % 2:"]


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(HEADS), st.sampled_from(MOVES)), min_size=2, max_size=9), st.booleans())
def test_random_programs(lines: list[tuple[str, str]], mutable: bool) -> None:
    """Any mixture of names, branches, loops and writes."""
    source = ["def f(n: int, t: float) -> float:", "    a, b = Vec(1.0, 2.0), Vec(3.0)", "    for i in range(n):"]
    for head, move in lines:
        if not mutable and (".x +=" in move or ".y =" in move or "a.x, b.x" in move):
            move = "a = b.scaled(0.5)"
        source.append(f"        {head} {move}" if head else f"        {move}")
    source.append("    return a.x + 2.0 * a.y + 3.0 * b.x + 4.0 * b.y + t")
    text = "\n".join(source)
    scope: dict[str, Any] = {"Vec": Vec}
    exec(text, scope)
    scripted = tscript.script(scope["f"], source=text)
    for n in (0, 1, 3):
        assert scripted(n, 0.25) == scope["f"](n, 0.25)
