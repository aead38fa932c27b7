"""Instances between Python and compiled code: identity, changes, classes defined later, cycles, placeholders,
archives."""

# mypy: disable-error-code="arg-type, attr-defined, no-any-return, return-value"

from __future__ import annotations

import subprocess
import sys
import textwrap
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Any, NamedTuple, Optional

import pytest

import tscript
from tscript.api import functions_of_file
from tscript.diagnostics import CompileError


class Base:
    def __init__(self, n: int):
        self.n = n

    def get(self) -> int:
        return self.n


class Point:
    def __init__(self, x: int, y: int):
        self.x = x
        self.y = y

    def norm(self) -> int:
        return self.x * self.x + self.y * self.y


@dataclass
class Tree:
    value: int
    children: "list[Tree]" = field(default_factory=list)
    parent: "Optional[Tree]" = None


class Side(Enum):
    LEFT = 1
    RIGHT = "r"


class Pair(NamedTuple):
    first: int
    second: str = "b"


@dataclass(frozen=True)
class Key:
    name: str


def test_instances_keep_their_identity() -> None:
    @tscript.script
    def swap(points: list[Point], other: Point) -> Point:
        points[0].x += 10
        points.append(other)
        other.y = points[0].x
        return points[0]

    points, other = [Point(1, 2)], Point(3, 4)
    first = points[0]
    assert swap(points, other) is first
    assert points[1] is other
    assert (first.x, other.y) == (11, 11)


def test_new_instances_are_of_the_python_class() -> None:
    @tscript.script
    def make(n: int) -> tuple[Point, Tree, Side, Pair, dict[Key, int]]:
        tree = Tree(n)
        tree.children.append(Tree(n + 1, parent=tree))
        return Point(n, n), tree, Side.RIGHT, Pair(n), {Key("a"): n}

    point, tree, side, pair, keys = make(3)
    assert type(point) is Point and point.norm() == 18
    assert type(tree) is Tree and tree.children[0].parent is tree
    assert side is Side.RIGHT
    assert type(pair) is Pair and pair == (3, "b")
    assert keys == {Key("a"): 3}


def test_a_graph_with_cycles_comes_and_goes() -> None:
    @tscript.script
    def grow(tree: Tree) -> Tree:
        for child in tree.children:
            if child.parent is tree:
                child.value += 100
        tree.parent = tree.children[0]
        return tree

    root = Tree(1)
    root.children = [Tree(2, parent=root), Tree(3)]
    assert grow(root) is root
    assert root.parent is root.children[0]
    assert [c.value for c in root.children] == [102, 3]


def test_cycles_inside_compiled_code_do_no_harm() -> None:
    @tscript.script
    def knot(n: int) -> int:
        total = 0
        for i in range(n):
            a, b = Tree(i), Tree(i + 1)
            a.parent, b.parent = b, a
            total += a.value + b.value
        return total

    assert knot(100) == sum(2 * i + 1 for i in range(100))


def test_an_attribute_of_another_type_is_named() -> None:
    @tscript.script
    def norm(point: Point) -> int:
        return point.norm()

    assert norm(Point(3, 4)) == 25
    wrong: Any = Point(1, 2)
    wrong.y = "two"
    with pytest.raises(TypeError, match="attribute 'y' must be int, not str"):
        norm(wrong)
    del wrong.y
    with pytest.raises(TypeError, match="has no attribute 'y'"):
        norm(wrong)
    with pytest.raises(TypeError, match="Point"):
        norm("a point")


def test_classes_defined_later_are_taken_unless_they_override_what_was_called() -> None:
    @tscript.script
    def get(x: Base) -> int:
        return x.get()

    assert get(Base(4)) == 4

    class More(Base):
        def other(self) -> int:
            return 0

    assert get(More(5)) == 5

    class Less(Base):
        def get(self) -> int:
            return -self.n

    with pytest.raises(
        TypeError, match="Less was defined after code that takes a Base was compiled, and it overrides 'get'"
    ):
        get(Less(5))


def test_exact_methods_are_inlined() -> None:
    @tscript.script
    def f(n: int) -> int:
        total = 0
        for i in range(n):
            total += Point(i, 1).norm()
        return total

    assert "call" not in str(f.graph_for(3))
    assert f(10) == sum(i * i + 1 for i in range(10))


def test_a_scripted_class_is_checked_and_stays_the_class() -> None:
    @tscript.script
    @dataclass
    class Good:
        n: int

        def twice(self) -> int:
            return 2 * self.n

    assert Good(3).twice() == 6

    with pytest.raises(CompileError) as caught:

        @tscript.script
        class Bad:
            def __init__(self, n: int):
                self.n = n

            def first(self) -> str:
                return self.n

            def second(self) -> int:
                return self.m

    assert [d.code for d in caught.value.diagnostics] == ["TS204", "TS213"]


def test_archives_keep_classes(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(
        textwrap.dedent(
            """
            from dataclasses import dataclass, field
            from enum import Enum
            from typing import NamedTuple
            import tscript

            class Color(Enum):
                RED = 1
                GREEN = 2

            class Size(NamedTuple):
                width: int
                height: float = 2.5

            @dataclass
            class Base:
                name: str

                def text(self) -> str:
                    return "base " + self.name

            @dataclass
            class Item(Base):
                size: Size
                color: Color = Color.GREEN
                parts: list["Item"] = field(default_factory=list)

                def text(self) -> str:
                    return "item " + self.name + str(self.color)

            @tscript.script
            def grow(item: Item, n: int) -> Item:
                for i in range(n):
                    item.parts.append(Item(str(i), Size(i)))
                return item

            @tscript.script
            def describe(item: Base) -> str:
                return item.text()

            @tscript.script
            def make(name: str) -> Item:
                return Item(name, Size(1))

            if __name__ == "__main__":
                tscript.save({"grow": grow, "describe": describe, "make": make}, "model.tsa", native=True)
            """
        )
    )
    use = """
        import tscript
        module = tscript.load("model.tsa", trust_native=TRUST)
        item = module.make("x")
        assert module.grow(item, 2) is item
        print(item)
        print(module.describe(item), type(item.color).__name__, item.size.height)
        """
    shown = (
        "Item(name='x', size=Size(width=1, height=2.5), color=<Color.GREEN: 2>, parts=[Item(name='0', "
        "size=Size(width=0, height=2.5), color=<Color.GREEN: 2>, parts=[]), Item(name='1', size=Size(width=1, "
        "height=2.5), "
        "color=<Color.GREEN: 2>, parts=[])])\nitem xColor.GREEN Color 2.5\n"
    )
    _run(tmp_path, "import runpy; runpy.run_path('model.py', run_name='__main__')")
    for trust in ("True", "False"):
        assert _run(tmp_path, use.replace("TRUST", trust)) == shown
        assert _run(tmp_path, "import model\n" + textwrap.dedent(use).replace("TRUST", trust)) == shown


def _run(folder: Path, source: str) -> str:
    command = [sys.executable, "-c", textwrap.dedent(source)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_classes_of_a_text_have_stand_ins(tmp_path: Path) -> None:
    file = tmp_path / "shapes.py"
    file.write_text(
        textwrap.dedent(
            """
            from dataclasses import dataclass
            from enum import Enum, auto

            class Kind(Enum):
                ROUND = auto()
                FLAT = auto()

            @dataclass
            class Shape:
                kind: Kind
                size: float = 1.0

            def double(shape: Shape) -> Shape:
                return Shape(shape.kind, 2 * shape.size)

            def make(n: int) -> Shape:
                return double(Shape(Kind.FLAT if n > 2 else Kind.ROUND, n))
            """
        )
    )
    made = functions_of_file(file)["make"](3)
    assert repr(made) == "Shape(kind=<Kind.FLAT: 2>, size=6.0)"
    assert functions_of_file(file)["double"].params[0].name == "shape"


class Sized:
    def __init__(self, n: int) -> None:
        self.n = n

    def __len__(self) -> int:
        return self.n


def measured(n: int) -> int:
    return len(Sized(n))


def filled(n: int) -> bool:
    return bool(Sized(n)) or not Sized(n)


@pytest.mark.parametrize("function", [measured, filled])
def test_lengths_are_not_negative(function: Any) -> None:
    scripted = tscript.script(function)
    assert scripted(3) == function(3) and scripted(0) == function(0)
    for one in (scripted, function):
        with pytest.raises(ValueError, match=r"__len__\(\) should return >= 0"):
            one(-1)
