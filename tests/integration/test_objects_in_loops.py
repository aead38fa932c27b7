"""Loops over instances: their fields are read and written without counting references, and nothing else changes."""

# mypy: disable-error-code="attr-defined"

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

import tscript
from tscript.ir.graph import Op, walk


@dataclass
class Point:
    x: float
    speed: float
    name: str = "p"
    near: Point | None = None


@dataclass
class Grid:
    width: int
    cells: list[float]
    rows: list[list[float]]


def points(count: int) -> list[Point]:
    return [Point(float(i), 0.5 * i, str(i)) for i in range(count)]


def moved(count: int, steps: int) -> float:
    items = points(count)
    for _ in range(steps):
        for p in items:
            p.x += p.speed * 0.25
            if p.x > 4.0:
                p.speed = -p.speed
    return sum([p.x for p in items])


def pairs(count: int, steps: int) -> float:
    items = points(count)
    for _ in range(steps):
        for i in range(len(items)):
            a = items[i]
            for j in range(i, len(items)):  # with itself, too
                b = items[j]
                a.speed -= b.x * 0.125
                b.x += a.speed * 0.125
    return items[0].x + items[-1].speed


def swept(width: int, steps: int) -> float:
    grid = Grid(width, [float(i % 5) for i in range(width * width)], [[1.0, 2.0], [3.0]])
    for _ in range(steps):
        for y in range(1, grid.width - 1):
            for x in range(1, grid.width - 1):
                at = y * grid.width + x
                grid.cells[at] = 0.25 * (grid.cells[at - 1] + grid.cells[at + 1])
                grid.rows[0][1] += grid.cells[at]
    return grid.cells[width + 1] + grid.rows[0][1]


def renamed(count: int, steps: int) -> str:
    """A field is replaced by a new object while its old value is at hand."""
    items = points(count)
    out = ""
    for step in range(steps):
        for p in items:
            before = p.name
            p.name = before + str(step)
            out += before + ";"
    return out


def relinked(count: int, steps: int) -> float:
    """Instances that only a field keeps are released while they are at hand."""
    first = Point(0.0, 1.0)
    for i in range(count):
        first = Point(float(i), 1.0, str(i), first)
    total = 0.0
    for _ in range(steps):
        near = first.near
        if near is not None:
            first.near = near.near
            total += near.x + len(near.name)
            near.x = total
    return total


def overwritten(count: int, steps: int) -> float:
    """An element is replaced while it is at hand."""
    items = points(count)
    total = 0.0
    for step in range(steps):
        p = items[step % count]
        items[step % count] = Point(total, float(step), "new")
        total += p.x + len(p.name)
    return total


def replaced_list(count: int, steps: int) -> float:
    """The list that holds an element is replaced while the element is at hand."""
    grid = Grid(count, [], [[float(i)] for i in range(count)])
    total = 0.0
    for step in range(steps):
        row = grid.rows[step % len(grid.rows)]
        if step % 3 == 0:
            grid.rows = [[float(step)], [total]]
        total += row[0]
    return total


def grown(count: int, steps: int) -> float:
    """A list grows while one of its elements is at hand."""
    items = points(count)
    total = 0.0
    for step in range(steps):
        p = items[step]
        items.append(Point(p.x + 0.5, p.speed))
        total += p.x * len(p.name)
    return total + len(items)


class Heat:
    def __init__(self, width: int, height: int) -> None:
        self.width = width
        self.height = height
        self.cells = [float(i % 7) for i in range(width * height)]
        self.swaps = 0

    def sweep(self) -> None:
        for y in range(1, self.height - 1):
            for x in range(1, self.width - 1):
                at = y * self.width + x
                self.cells[at] = 0.25 * (self.cells[at - 1] + self.cells[at + self.width])

    def swap(self, steps: int) -> float:
        total = 0.0
        for i in range(steps):
            total += self.cells[0]
            if i % 3 == 2:
                self.cells = [float(i), total]
                self.swaps += 1
            total += self.cells[1] * self.swaps
        return total

    def shrink(self, steps: int) -> float:
        """The number of rows changes while they are counted."""
        total = 0.0
        for i in range(steps):
            for y in range(self.height):
                total += y * self.height
                if self.height > 1 and y == 1:
                    self.height -= 1
        return total


def heated(count: int, steps: int) -> float:
    heat = Heat(count, count)
    others = [heat]  # so that its fields are in memory
    for _ in range(steps):
        heat.sweep()
    return sum(heat.cells) + heat.swap(steps) + others[0].shrink(steps) + len(others)


def rows(count: int, steps: int) -> float:
    """Rows are replaced and grow while loops go over them."""
    grid = [[float(i * j) for j in range(count)] for i in range(count)]
    total = 0.0
    for step in range(steps):
        for i in range(count):
            for j in range(count):
                total += grid[i][j] * grid[j][i]
                if (i + j + step) % 5 == 0:
                    grid[i] = [x + 1.0 for x in grid[j]]
                if j == 3:
                    grid[j].append(total)
    return total


PROGRAMS = [heated, rows, moved, pairs, swept, renamed, relinked, overwritten, replaced_list, grown]
PLAIN: list[Callable[..., Any]] = [moved, pairs, swept]


@pytest.mark.parametrize("program", PROGRAMS)
def test_results_are_those_of_python(program: Callable[..., Any]) -> None:
    scripted = tscript.script(program)
    for count, steps in ((3, 1), (4, 7), (9, 30)):
        assert scripted(count, steps) == program(count, steps)


@pytest.mark.parametrize("program", PLAIN)
def test_no_reference_is_counted_in_inner_loops(program: Callable[..., Any]) -> None:
    graph = tscript.script(program).graph_for(4, 7)
    loops = [n for g in graph.graphs.values() for n in walk(g.body) if type(n).__name__ in ("Loop", "For")]
    inner = [n for n in loops if not any(type(i).__name__ in ("Loop", "For") for i in walk(n.body))]
    stores = [n for n in inner if any(isinstance(i, Op) and i.op.name in _STORES for i in walk(n.body))]
    assert stores
    for loop in stores:
        found = [i.op.name for i in walk(loop.body) if isinstance(i, Op) and i.op.name in ("retain", "release")]
        assert not found or any(isinstance(i, Op) and i.op.name == "object.make" for i in walk(loop.body))


_STORES = frozenset({"set_field.object", "setitem.list", "set_item_in.list"})


def lengthened(items: list[Point], dt: float) -> None:
    for p in items:
        p.x += p.speed * dt


def test_a_loop_that_sets_fields_is_counted() -> None:
    """The length of the list is read once."""
    graph = tscript.script(lengthened).graph_for([Point(1.0, 2.0)], 0.5)
    assert not any(isinstance(n, Op) and n.op.name == "has_item.list" for n in walk(graph.entry.body))


def test_memories_have_metadata_of_their_own() -> None:
    """LLVM knows that a field is not where the elements of a list are."""
    text = tscript.script(lengthened).llvm_for([Point(1.0, 2.0)], 0.5)
    assert text.count('!{!"memory ') >= 3


class Words:
    words: list[int]

    def __init__(self, early: bool, count: int) -> None:
        self.total = 0
        if early:
            self.look(count)
        self.words = [1, 2, 3]
        self.look(count)

    def look(self, count: int) -> None:
        for i in range(count):
            self.total += self.words[i]


def read_before_set(early: bool, count: int) -> int:
    words = Words(early, count)
    return words.total


def test_a_loop_that_does_not_run_reads_nothing() -> None:
    scripted = tscript.script(read_before_set)
    assert scripted(True, 0) == 0
    assert scripted(False, 3) == 6
    for function in (scripted, read_before_set):
        with pytest.raises(AttributeError, match="words"):
            function(True, 1)


def test_fields_are_read_before_loops() -> None:
    graph = tscript.script(heated).graph_for(4, 2)
    loops = [n for g in graph.graphs.values() for n in walk(g.body) if type(n).__name__ == "For"]
    sweeps = [n for n in loops if any(isinstance(i, Op) and i.op.name == "set_item_in.list" for i in walk(n.body))]
    inner = [n for n in sweeps if not any(type(i).__name__ == "For" for i in walk(n.body))]
    names = [{i.op.name for i in walk(loop.body) if isinstance(i, Op)} for loop in inner]
    assert any(not found & {"get_field.object", "getitem.list", "setitem.list"} for found in names)
