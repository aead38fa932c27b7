"""Classes that are defined anew go, with all that was found out about them, and not before native values of them do."""

import enum
import functools
import gc
import pickle
import sys
import tracemalloc
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple, Protocol, runtime_checkable

import pytest

import tscript
import tscript.api
from tscript.frontend.source.class_table import KNOWN
from tscript.runtime.session.process import current


def there() -> tuple[int, int, int, int]:
    """Classes that are known, types that native code knows, loaded objects, memory maps."""
    gc.collect()
    gc.collect()  # what native values needed goes with the second one
    objects = tscript.memory_stats()["code_objects"]
    with open("/proc/self/maps", encoding="utf-8") as maps:
        return len(current().compiler.class_table.by_name), len(current().types.known()), objects, sum(1 for _ in maps)


def traced() -> int:
    """Bytes that Python has, but for names that its cache of methods refers to."""
    gc.collect()
    with warnings.catch_warnings(action="ignore", category=DeprecationWarning):
        sys._clear_type_cache()
    return tracemalloc.get_traced_memory()[0]


def steady(step: Callable[[], object], rounds: int, nbytes: int = 50_000) -> None:
    """A step that is repeated leaves neither classes nor code, and at most `nbytes` of Python's memory in all.

    Two steps more are done, and the two largest growths do not count, of more than 100 steps one of 50: then a table of
    the process, which other tests have filled, has doubled. What leaks grows in each step.
    """
    for _ in range(3):
        step()
        gc.collect()  # so that names are given again, and what is compiled is in the cache
    before = there()
    tracemalloc.start()
    try:
        step()
        sizes = [traced()]
        for _ in range(rounds + 2):
            step()
            sizes.append(traced())
        growth = sorted(b - a for a, b in pairwise(sizes))
        grown = sum(growth[: -max(2, rounds // 50)])
    finally:
        tracemalloc.stop()
    after = there()
    assert after[:3] == before[:3]
    assert after[3] <= before[3] + 6
    assert grown <= nbytes


class Base:
    def __init__(self, n: int) -> None:
        self.n = n


def defined_anew() -> None:
    class Wrong(ValueError):
        pass

    class Color(enum.Enum):
        RED = 1
        BLUE = 2

    class Pair(NamedTuple):
        a: int
        b: str

    @dataclass
    class Point:
        x: int
        color: Color
        pair: Pair

        def double(self) -> int:
            return self.x * 2

    class Derived(Base):
        def __init__(self, n: int, p: Point) -> None:
            super().__init__(n)
            self.p = p

        def total(self) -> int:
            return self.n + self.p.double()

    def made(p: Point, n: int) -> dict[str, list[Derived]]:
        if n < 0:
            raise Wrong("below 0")
        assert p.color == Color.RED
        return {p.pair.b: [Derived(n, p)]}

    scripted: Any = tscript.script(made)
    point = Point(3, Color.RED, Pair(1, "x"))
    assert scripted(point, 5)["x"][0].total() == 11
    with pytest.raises(Wrong):
        scripted(point, -1)


def test_classes_that_are_defined_again_and_again() -> None:
    steady(defined_anew, 5)


def with_caches() -> None:
    class Node:
        def __init__(self, n: int) -> None:
            self.n = n

        @functools.cache
        def more(self, k: int) -> str:
            return str(self.n + k)

    @dataclass(frozen=True)
    class Frozen:
        n: int

        @functools.cache
        def more(self, k: int) -> int:
            return self.n + k

    @functools.cache
    def beside(node: Frozen, s: str) -> str:
        return s * node.n

    def made(n: int) -> str:
        return Node(n).more(n) + str(Frozen(n).more(n)) + beside(Frozen(n), str(n))

    scripted: Any = tscript.script(made)
    assert scripted(2) + scripted(3) + scripted(2) == "4422" + "66333" + "4422"
    assert [Node.more.cache_info().misses, Frozen.more.cache_info().misses, beside.cache_info().misses] == [3, 2, 2]


def test_classes_go_with_the_caches_of_their_methods() -> None:
    steady(with_caches, 5)


@pytest.mark.slow
def test_classes_that_are_defined_hundreds_of_times() -> None:
    steady(defined_anew, 300)


ARCHIVED = """
import enum
from dataclasses import dataclass
import tscript

class Color(enum.Enum):
    RED = 1
    BLUE = 2

@dataclass
class Point:
    x: int
    color: Color

class Wrong(ValueError):
    pass

@tscript.script
def made(n: int) -> list[Point]:
    if n < 0:
        raise Wrong("below 0")
    return [Point(i, Color.BLUE) for i in range(n)]
"""


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    """An archive with classes that this process does not have."""
    (tmp_path / "a.py").write_text(ARCHIVED, encoding="utf-8")
    functions = tscript.api.functions_of_file(tmp_path / "a.py")
    tscript.save(functions["made"], tmp_path / "a.tsa", native=True)
    return tmp_path / "a.tsa"


def loaded_and_called(archive: Path) -> None:
    for native in (True, False):
        module = tscript.load(archive, trust_native=native)
        assert [p.x for p in module(3)] == [0, 1, 2]
        with pytest.raises(ValueError, match="below 0"):
            module(-1)


def test_archives_with_classes(archive: Path) -> None:
    steady(lambda: loaded_and_called(archive), 6)


@pytest.mark.slow
def test_archives_that_are_loaded_hundreds_of_times(archive: Path) -> None:
    steady(lambda: loaded_and_called(archive), 150)


def holding(b: Base) -> Callable[[], Base]:
    def get() -> Base:
        return b

    return get


def test_native_values_keep_their_class() -> None:
    def derived() -> Base:
        class Derived(Base):
            label = "derived"

            def twice(self) -> int:
                return 2 * self.n

        return Derived(21)

    scripted: Any = tscript.script(holding)
    assert scripted(Base(1))().n == 1
    before = there()
    gets = [scripted(derived()) for _ in range(3)]
    for _ in range(3):  # a class may be needed more than once when nothing but a native value has it
        there()
        found: list[Any] = [get() for get in gets]
        assert [(type(d).__name__, d.label, d.n, d.twice()) for d in found] == [("Derived", "derived", 21, 42)] * 3
        assert len({type(d) for d in found}) == 3
        assert len({str(current().compiler.class_type(type(d))) for d in found}) == 3
        del found
    assert there()[0] == before[0] + 3
    del gets
    assert there()[:3] == before[:3]


def remembering() -> Callable[[int], Base]:
    class Derived(Base):
        pass

    @functools.cache
    def found(n: int) -> Derived:
        return Derived(n)

    scripted: Callable[[int], Base] = tscript.script(found)
    return scripted


def test_caches_keep_the_classes_of_what_is_in_them() -> None:
    remembering()(1)
    before = there()
    found = remembering()
    assert found(4).n == 4
    there()
    assert found(4).n == 4 and type(found(4)).__name__ == "Derived"
    del found
    assert there()[:3] == before[:3]


def test_names_are_given_again() -> None:
    def name() -> str:
        class Named:
            def __init__(self) -> None:
                self.x = 1

        return str(current().compiler.class_type(Named))

    kept = name()
    there()
    assert name() == kept
    assert name() != kept  # the one before may be there still
    there()
    assert name() == kept


def test_what_is_known_of_a_class_stays_behind_when_it_is_copied() -> None:
    class Original:
        def __init__(self, x: int) -> None:
            self.x = x

    first = current().compiler.class_type(Original)
    copied = type("Original", (), {n: v for n, v in vars(Original).items() if n not in ("__dict__", "__weakref__")})
    assert current().compiler.class_type(copied) != first
    assert current().compiler.class_type(Original) == first
    known = vars(Original)[KNOWN]
    assert pickle.loads(pickle.dumps(known)).symbol is None  # as when a class is pickled by value


def test_protocols_have_no_more_members_than_before() -> None:
    @runtime_checkable
    class Sized(Protocol):
        n: int

        def twice(self) -> int: ...

    class Derived(Base):
        def twice(self) -> int:
            return 2 * self.n

    current().compiler.class_type(Sized)
    current().compiler.class_type(Derived)
    assert KNOWN in vars(Derived)
    assert isinstance(Derived(1), Sized) and not isinstance(Base(1), Sized)


def test_functions_that_stay_in_python() -> None:
    def step() -> None:
        class Plain:
            def __init__(self, n: int) -> None:
                self.n = n

        @tscript.ignore
        def outside(n: int) -> int:
            return n + 1

        def inside(p: Plain) -> int:
            return outside(p.n)

        assert tscript.script(inside)(Plain(4)) == 5

    steady(step, 15)


def test_functions_that_refer_to_each_other() -> None:
    def step() -> None:
        class Node:
            def __init__(self, n: int) -> None:
                self.n = n

            def again(self) -> int:
                found: int = scripted(self)  # the class refers to the code, and the code to the class
                return found

        def taken(node: Node) -> int:
            return node.n

        scripted = tscript.script(taken)
        assert Node(3).again() == 3

    steady(step, 8)
