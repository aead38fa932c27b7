"""Attributes that are read before they are set: an AttributeError in every way there is, as in Python."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pytest

import tscript
from tests.integration.harness import function_of
from tscript.diagnostics import CompileError
from tscript.runtime.session.process import current

PRELUDE = """
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Callable, NamedTuple, Optional, Union
class Color(Enum):
    RED = 1
class Pair(NamedTuple):
    x: int
    y: float
def twice(n: int) -> int:
    return n * 2
"""

VALUES: dict[str, str] = {
    "int": "3",
    "float": "2.5",
    "bool": "True",
    "complex": "1j",
    "str": "'a'",
    "bytes": "b'a'",
    "Optional[int]": "None",
    "Optional[str]": "'b'",
    "Optional[tuple[int, str]]": "(1, 'x')",
    "Union[int, str]": "7",
    "Union[int, str, None]": "None",
    "tuple[int, float]": "(1, 2.0)",
    "tuple[int, ...]": "(1, 2)",
    "list[int]": "[1]",
    "dict[str, float]": "{'a': 1.5}",
    "set[int]": "{4}",
    "Color": "Color.RED",
    "Pair": "Pair(1, 2.5)",
    "None": "None",
    "Tensor": "tscript.ones(2)",
    "Callable[[int], int]": "twice",
}
"""Types of attributes, and a value of each."""


@pytest.mark.parametrize("kind", VALUES)
@pytest.mark.parametrize("n", [0, 1, 2])
def test_attributes_of_all_types(harness: Any, kind: str, n: int) -> None:
    """Read before it is set, by a handler or not, and afterwards; given to Python when it is not set."""
    shown = {"Callable[[int], int]": "str(self.x(2))", "Tensor": "str(self.x is self.x)"}.get(kind, "repr(self.x)")
    source = f"""
{PRELUDE}
class A:
    before: int
    x: {kind}
    def __init__(self, n: int, log: list[str]) -> None:
        self.before = n
        if n == 1:
            self.look(log)
        else:
            try:
                self.look(log)
            except AttributeError as error:
                log.append(repr(error))
        self.x = {VALUES[kind]}
        self.look(log)
        self.x = {VALUES[kind]}
        self.look(log)
        self.after = 5
    def look(self, log: list[str]) -> None:
        log.append("look")
        log.append({shown})
def f(n: int) -> list[str]:
    log: list[str] = []
    if n == 2:
        A(0, log)
    a = A(n, log)
    log.append(str(a.after + a.before))
    return log
"""
    harness.agree(source, n)


PROGRAMS: dict[str, str] = {
    "hook": """
class Base:
    def __init__(self, n: int) -> None:
        self.n = n
        self.hook()
    def hook(self) -> int:
        return self.n
class Derived(Base):
    def __init__(self, n: int) -> None:
        if n == 1:
            self.v = 2.5
        super().__init__(n)
        self.v = 1.5
    def hook(self) -> int:
        return int(self.v) + self.n
class More(Derived):
    w: bool
    def hook(self) -> int:
        return 3 if self.n == 2 and self.w else 4
def f(n: int) -> float:
    xs: list[Base] = []
    try:
        xs.append(Derived(n))
    except AttributeError as error:
        xs.append(More(1))
        print(error)
    xs.append(More(n))
    return float(len(xs) + xs[0].hook())
""",
    "half way": """
class Node:
    def __init__(self, nodes: list['Node'], n: int) -> None:
        self.first = n
        nodes.append(self)
        if n > 1:
            raise ValueError(n)
        self.second = n
        if n == 1:
            return
        self.third = [n]
        nodes[0].second += 1
def f(n: int) -> int:
    nodes: list[Node] = []
    try:
        Node(nodes, n)
    except ValueError as error:
        print(error)
        nodes[0].first += 1
        if n == 3:
            nodes[0].second = 8
    return nodes[0].first + nodes[0].second
""".replace("        if n == 1:\n            return\n", ""),
    "another method": """
class A:
    late: int
    other: Optional[int]
    def open(self, n: int) -> None:
        self.late = n
    def close(self) -> int:
        return self.late
def f(n: int) -> int:
    a = A()
    if n > 1:
        a.open(n)
    if n == 3:
        return 1 if a.other is None else 2
    return a.close()
""",
    "dataclass": """
@dataclass(order=True)
class D:
    n: int
    total: int = field(init=False)
    names: list[str] = field(init=False)
    def __post_init__(self) -> None:
        if self.n == 1:
            self.total = self.count()
        else:
            self.total = 4
        if self.n < 3:
            self.names = []
    def count(self) -> int:
        return len(self.names) + self.n
@dataclass
class Never:
    n: int
    x: float = field(init=False)
def f(n: int) -> str:
    try:
        return f"{D(n).total} {D(n) == D(n)} {D(n) < D(2)} {D(n)}"
    except AttributeError as error:
        print(error)
    try:
        return f"{Never(n)}"
    except AttributeError as error:
        print(error)
    return f"{Never(n) == Never(n)}"
""",
    "from the class": """
class A:
    n: int = 5
    text: Optional[str] = None
    def __init__(self, n: int) -> None:
        self.show()
        if n > 1:
            self.n = n
        self.text = "x"
        self.show()
    def show(self) -> None:
        print(self.n, self.text)
class B(A):
    n = 6
class C(A):
    def __init__(self, n: int) -> None:
        self.show()
        super().__init__(n)
class Failed(Exception):
    code: int = 3
    def __init__(self, n: int) -> None:
        super().__init__(n)
        self.show()
        if n > 1:
            self.code = n
    def show(self) -> None:
        print(self.code)
def f(n: int) -> int:
    return A(n).n + B(n).n + C(n).n + Failed(n).code
""",
    "exceptions": """
class Failed(ValueError):
    def __init__(self, n: int) -> None:
        super().__init__("failed", n)
        self.tell(n)
        self.n = n
        if n > 2:
            raise self
        self.text = "t"
    def tell(self, n: int) -> None:
        if n == 1:
            print(self.n)
class Plain(RuntimeError):
    code: int
def f(n: int) -> str:
    try:
        raise Failed(n)
    except Failed as error:
        print(error.n, error)
        if n == 2:
            raise Plain("p")
        return error.text
""",
    "ways": """
class A:
    def __init__(self, n: int) -> None:
        for i in range(n):
            self.a = i
        else:
            self.a = 7
        while n > 5:
            n -= 1
        try:
            self.b = 10 // (n - 1)
        except ZeroDivisionError:
            self.b = self.a
        finally:
            self.c = n
        match n:
            case 1:
                self.d = 1
            case _:
                self.d = 2
        (self.e, self.f), *rest = (n, 2), 3
        self.g: int = n
        self.g += 1
        self.show()
        self.last = n
    def show(self) -> None:
        print(self.a, self.b, self.c, self.d, self.e, self.f, self.g)
        if self.c == 2:
            print(self.last)
def f(n: int) -> int:
    return A(n).last
""",
    "late super": """
class Base:
    def __init__(self, n: int) -> None:
        self.n = n
    def double(self) -> int:
        return self.n * 2
class Derived(Base):
    def __init__(self, n: int) -> None:
        self.m = self.other(n)
        Base.__init__(self, n) if n > 100 else super().__init__(n)
        self.k = self.double()
    def other(self, n: int) -> int:
        return n + 1 if n != 2 else self.k
def f(n: int) -> int:
    return Derived(n).k + Derived(1).m
""".replace("Base.__init__(self, n) if n > 100 else ", ""),
    "property": """
class A:
    def __init__(self, n: int) -> None:
        if n == 1:
            print(self.twice)
        self.twice = n
        self.n = n
        self.total = self.twice
    @property
    def twice(self) -> int:
        return self.n * 2
    @twice.setter
    def twice(self, value: int) -> None:
        if value == 2:
            self.n += value
def f(n: int) -> int:
    return A(n).total
""",
}
"""What may leave an attribute without a value."""


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("n", [1, 2, 3])
def test_ways_to_leave_an_attribute_unset(harness: Any, name: str, n: int) -> None:
    harness.agree(PRELUDE + PROGRAMS[name], n)


REFUSED = {
    "read": """
class Derived(Base):
    def __init__(self) -> None:
        self.m = self.double()
        super().__init__(1)
""",
    "handed on": """
class Derived(Base):
    def __init__(self) -> None:
        keep(self)
        super().__init__(1)
""",
    "overridden": """
class Middle(Base):
    def __init__(self) -> None:
        self.start()
        super().__init__(1)
    def start(self) -> None:
        pass
class Derived(Middle):
    def start(self) -> None:
        print(self.n)
""",
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_a_base_has_not_set_yet(name: str) -> None:
    """How instances of the base lie in memory is decided: the derived class is refused, and says what to do."""
    source = f"""
class Base:
    def __init__(self, n: int) -> None:
        self.n = n
    def double(self) -> int:
        return self.n * 2
def keep(base: Base) -> None:
    pass
{REFUSED[name]}
def f() -> int:
    return Derived().n
"""
    with pytest.raises(CompileError, match="TS242") as caught:
        tscript.script(function_of(source))
    assert "'n' of Base may be read before '__init__' of Base has assigned it" in str(caught.value)
    assert "call 'super().__init__(...)' at the beginning of '__init__' of Derived" in str(caught.value)


class Open:
    """Its attributes are set by whoever has it."""

    n: int
    name: str | None
    other: "Open"


def _filled(x: Open, n: int) -> Open:
    if n > 0:
        x.n = n
    if n > 1:
        x.name = None
    made = Open()
    made.name = "made"
    if n > 2:
        x.other = made
    if n > 3:
        return x
    return made


def test_instances_without_all_attributes_cross_the_boundary() -> None:
    """What Python gives may lack them, and lacks them afterwards unless they were set; so does what it gets."""
    scripted = tscript.script(_filled)
    for n in range(6):
        ours, theirs = Open(), Open()
        found, wanted = scripted(ours, n), _filled(theirs, n)
        assert {k: v for k, v in vars(ours).items() if k != "other"} == {
            k: v for k, v in vars(theirs).items() if k != "other"
        }
        assert vars(ours).keys() == vars(theirs).keys()
        assert vars(found).keys() == vars(wanted).keys()
        assert hasattr(found, "n") == hasattr(wanted, "n")
        assert getattr(found, "n", "none") == getattr(wanted, "n", "none")
        assert (found is ours) == (wanted is theirs)
        assert vars(pickle.loads(pickle.dumps(found))).keys() == vars(found).keys()
    with pytest.raises(AttributeError, match="'Open' object has no attribute 'n'"):
        print(scripted(Open(), 0).n)


def test_archives_keep_what_is_late(tmp_path: Path) -> None:
    """The class of an archive, where there is none in the process, has it too."""
    source = PRELUDE + PROGRAMS["another method"]
    scripted = tscript.script(function_of(source))
    tscript.save(scripted, tmp_path / "f.tsa")
    loaded = tscript.load(tmp_path / "f.tsa")
    assert loaded(2) == 2
    for n in (1, 3):
        with pytest.raises(AttributeError, match=r"'A' object has no attribute '(late|other)'"):
            loaded(n)


class Usual:
    """Nothing has it before all is set."""

    def __init__(self, n: int, xs: list[int]) -> None:
        self.n = n
        self.total = 0
        for x in xs:
            self.total += x
        self.first = xs[0] if xs else n
        self.add(n)

    def add(self, n: int) -> None:
        self.n += n


def _used(n: int) -> int:
    return Usual(n, [n]).total


def test_attributes_that_are_set_at_once_say_nothing_about_it() -> None:
    """So reading them costs nothing."""
    assert tscript.script(_used)(3) == 3
    definition = current().compiler.class_table.of_class(Usual)
    assert definition is not None
    assert definition.info.late == frozenset()
