"""Attributes of classes whose types leave something open: arrays without a number of dimensions, bare containers."""

# mypy: disable-error-code="no-untyped-def,type-arg"

from __future__ import annotations

import copy
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

import tscript
from tscript.diagnostics import CompileError

Vector = NDArray[np.float64]

LINE = np.arange(3.0)
PLANE = np.ones((2, 3))


@dataclass
class Part:
    x: Vector
    n: int = 0
    best: Vector | None = None
    log: list[Vector] = field(default_factory=list)

    def total(self) -> float:
        return float(self.x.sum()) + self.n

    def grown(self, by: float) -> Part:
        return Part(self.x * by, self.n + 1)


@dataclass(frozen=True)
class Sum:
    x: np.ndarray

    @staticmethod
    def zeros(n: int) -> Sum:
        return Sum(np.zeros(n))

    @property
    def size(self) -> int:
        return len(self.x)

    def __add__(self, other: Sum) -> Sum:
        return Sum(self.x + other.x)


class Written:
    def __init__(self, x: Vector, n: int) -> None:
        self.x = x
        self.y = x * 2
        self.n = n

    def step(self) -> float:
        self.y += self.x
        return float(self.y[-1])


class Base:
    def __init__(self, x: Vector) -> None:
        self.x = x


class Derived(Base):
    def __init__(self, x: Vector, y: Vector) -> None:
        super().__init__(x)
        self.y = y


@dataclass
class Inner:
    w: Vector


@dataclass
class Outer:
    one: Inner
    several: list[Inner]


@dataclass
class Node:
    v: Vector
    next: Node | None = None


@dataclass
class Bare:
    xs: list
    d: dict
    t: tuple


class Named(NamedTuple):
    x: Vector
    n: int = 3


def methods(p: Part, ps: list[Part], d: dict[str, Part]):
    found = p.total()
    for q in ps:
        found += q.grown(2.0).total()
    d["b"] = p.grown(3.0)
    p.best = p.x + 1
    p.log.append(p.x)
    return found + d["a"].total() + len(p.log) + d["b"].n


def made_inside(n: int):
    p = Part(np.zeros(n))
    p.best = p.x + 1
    p.log.append(p.x)
    q = Part(np.ones(2), 1, p.x, [p.x])
    return p, q, q.grown(2.0)


def operators(n: int) -> int:
    return (Sum.zeros(n) + Sum.zeros(n)).size


def steps(k: Written):
    k.step()
    return k.step() + k.n


def written_inside(n: int):
    k = Written(np.ones(n), 2)
    return k.step() + k.n


def derived(a: Base, b: Derived):
    return a.x.sum() + b.x.sum() + b.y[0, 0]


def nested(p: Outer):
    return p.one.w.sum() + p.several[0].w[0]


def linked(n: Node):
    found = 0.0
    at: Node | None = n
    while at is not None:
        found += at.v.sum()
        at = at.next
    return found


def bare(p: Bare):
    return p.xs[0] + p.d["a"] + p.t[1]


def named(p: Named):
    return p.x.sum() + p.n, Named(p.x * 2), p._replace(n=4)


@dataclass
class Layer:
    w: Vector
    cache: Vector | None = None
    seen: list[Vector] = field(default_factory=list)
    sums: list[Vector] = field(default_factory=list)


def through(layers: list[Layer], x: Vector) -> Vector:
    for layer in layers:
        layer.cache = x
        layer.seen.append(x)
        layer.sums.append(x.sum(axis=0))
        x = x @ layer.w
    return x


def back(layers: list[Layer]) -> float:
    found = 0.0
    for layer in layers:
        if layer.cache is not None:
            found += float(layer.cache[0, 0] + layer.seen[0][0, 0] + layer.sums[0][0])
    return found


def layers_inside(n: int):
    layers = [Layer(np.ones((n, n))), Layer(np.ones((n, n)))]
    through(layers, np.ones((1, n)))
    return back(layers), layers


CASES: list[tuple[Callable[..., Any], list[tuple[object, ...]]]] = [
    (methods, [(Part(LINE), [Part(LINE, 2)], {"a": Part(LINE)})]),
    (made_inside, [(2,), (3,)]),
    (operators, [(3,)]),
    (steps, [(Written(LINE, 1),)]),
    (written_inside, [(3,)]),
    (derived, [(Base(LINE), Derived(LINE, PLANE)), (Derived(LINE, PLANE), Derived(LINE, PLANE))]),
    (nested, [(Outer(Inner(LINE), [Inner(LINE)]),)]),
    (linked, [(Node(LINE, Node(LINE)),)]),
    (bare, [(Bare([1, 2], {"a": 2.5}, ("a", 1)),)]),
    (through, [([Layer(PLANE.T)], PLANE)]),
    (layers_inside, [(2,)]),
    (named, [(Named(LINE),), (Named(PLANE, 1),)]),
]


def shown(values: object) -> object:
    """What values hold, of instances without a representation too."""
    if isinstance(values, tuple | list):
        return [shown(v) for v in values]
    return repr(vars(values)) if isinstance(values, Written | Base) else repr(values)


@pytest.mark.parametrize(("function", "calls"), CASES, ids=lambda x: getattr(x, "__name__", ""))
def test_it_is_what_python_makes_of_it(function: Callable[..., Any], calls: list[tuple[object, ...]]) -> None:
    scripted = tscript.script(function)
    for args in [*calls, *calls]:
        mine, its = copy.deepcopy(args), copy.deepcopy(args)
        expected = function(*its)
        assert repr(scripted(*mine)) == repr(expected)
        assert shown(mine) == shown(its)


def test_methods_of_a_scripted_class() -> None:
    @tscript.script
    class Counter:
        def __init__(self, x: Vector) -> None:
            self.x = x
            self.best: Vector | None = None
            self.log: list[float] = []

        def step(self) -> float:
            self.x += 1
            self.best = self.x * 2
            self.log.append(float(self.x.sum()))
            return self.log[-1]

    counter = Counter(np.zeros(2))
    assert [counter.step(), counter.step()] == [2, 4]
    assert counter.best is not None
    assert counter.best.tolist() == [4, 4]


@dataclass
class First:
    x: Vector


@dataclass
class Wrong:
    x: Vector


@dataclass
class Empty:
    xs: list


@dataclass
class Unseen:
    x: Vector


def first(p: First) -> float:
    return float(p.x.sum())


def wrong(p: Wrong) -> float:
    return float(p.x.sum())


def empty(p: Empty) -> int:
    return len(p.xs)


def unseen(p: Any) -> float:
    if isinstance(p, Unseen):
        return float(p.x.sum())
    return 0.0


def test_the_first_instance_says_the_type() -> None:
    scripted = tscript.script(first)
    assert scripted(First(LINE)) == 3
    with pytest.raises(TypeError, match=r"attribute 'x' must be ndarray\[float64, 1\]"):
        scripted(First(PLANE))


def test_another_dtype_is_refused() -> None:
    with pytest.raises(TypeError, match=r"'x' must be a ndarray\[float64, \?\], not ndarray\[float32, 1\]"):
        tscript.script(wrong)(Wrong(LINE.astype(np.float32)))


def test_an_empty_bare_container_says_nothing() -> None:
    with pytest.raises(TypeError, match="nothing says the types of its attributes xs"):
        tscript.script(empty)(Empty([]))


def test_an_attribute_of_which_no_instance_is_known() -> None:
    with pytest.raises(CompileError, match="cannot infer the type of the attribute 'x' of Unseen"):
        tscript.script(unseen)


MODULE = """
from dataclasses import dataclass
import numpy as np
import tscript
from numpy.typing import NDArray

Vector = NDArray[np.float64]
Fixed = np.ndarray[tuple[int], np.dtype[np.float64]]
Pairs = list[tuple[int, "Fixed"]]

@dataclass
class Own:
    x: Vector

@dataclass
class Exact:
    x: Fixed

@tscript.script
def inside(n: int) -> float:
    p, q = Own(np.ones(n)), Exact(np.ones(n))
    pairs: Pairs = [(n, p.x)]
    named: dict[str, Fixed] = {"a": q.x}
    return p.x[0] + q.x[1] + pairs[0][1][0] + named["a"].sum()
"""

GIVEN = """
from dataclasses import dataclass
import numpy as np
import tscript

@dataclass
class Own:
    x: np.ndarray

@tscript.script
def given(p: Own) -> float:
    return p.x[0]
"""


def run(*args: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tscript", *args], cwd=cwd, capture_output=True, text=True, check=False
    )


def test_files_that_are_not_run(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(MODULE)
    checked = run("check", "own.py", cwd=tmp_path)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    (tmp_path / "given.py").write_text(GIVEN)
    refused = run("compile", "given.py", "-o", "own.tsa", cwd=tmp_path)
    assert "argument 'p', a given.Own, takes its type from the call" in refused.stderr
    assert not (tmp_path / "own.tsa").exists()
    made = run("compile", "own.py:inside", "-o", "own.tsa", cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    assert tscript.load(tmp_path / "own.tsa").inside(3) == 6


class At(Exception):
    def __init__(self, where: Vector) -> None:
        self.where = where


class Told(ValueError):
    def __init__(self, message: str, where: Vector) -> None:
        super().__init__(message)
        self.where = where


class Counted(Told):
    def __init__(self, where: Vector, n: int) -> None:
        super().__init__("counted", where)
        self.n = n


class Several(Exception):
    def __init__(self, rows: list) -> None:
        self.rows = rows


class SeveralMore(Several):
    pass


def raised(x: Vector, k: int) -> float:
    if k == 0:
        raise At(x)
    if k == 1:
        raise Told("told", x)
    if k == 2:
        raise Counted(x, 3)
    if k == 3:
        raise SeveralMore([1, 2])
    return 0.0


def caught(x: Vector, k: int) -> float:
    try:
        return raised(x, k)
    except At as e:
        return float(e.where.sum())
    except Counted as e:
        return float(e.where.sum()) + e.n
    except Told as e:
        return float(e.where.sum()) + len(str(e))
    except Several as e:
        return float(sum(e.rows))


class Root:
    def __init__(self, x: Vector) -> None:
        self.x = x


class Inheriting(Root):
    pass


class Further(Root):
    def __init__(self, x: Vector, more: Vector) -> None:
        super().__init__(x)
        self.more = more


def inheriting(x: Vector) -> float:
    a, b = Inheriting(x), Further(x, x[1:])
    return float(a.x.sum() + b.x.sum() + b.more.sum())


def test_exceptions_that_a_call_fills_in() -> None:
    scripted = tscript.script(caught)
    assert [scripted(LINE, k) for k in range(5)] == [caught(LINE, k) for k in range(5)]
    with pytest.raises(Counted) as e:
        tscript.script(raised)(LINE, 2)
    assert (e.value.where.tolist(), e.value.n, e.value.args) == (LINE.tolist(), 3, ("counted",))


def test_an_inherited_init_says_the_type() -> None:
    assert tscript.script(inheriting)(LINE) == inheriting(LINE)
