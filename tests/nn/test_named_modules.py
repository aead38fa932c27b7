"""Modules that functions name: they stay shared with Python."""

from __future__ import annotations

import inspect
import io
import pickle
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, List

import pytest

import tscript
from tscript import Tensor, nn
from tscript.archive import ArchiveError
from tscript.diagnostics import CompileError


class Net(nn.Module):
    log: List[str]

    def __init__(self) -> None:
        super().__init__()
        self.last = nn.Linear(2, 2)
        self.parts = nn.ModuleList([nn.Linear(2, 2), nn.LeakyReLU(0.5)])
        self.calls = 0
        self.log = []

    def forward(self, x: Tensor) -> Tensor:
        self.calls += 1
        self.log.append("a")
        for part in self.parts:
            x = part(x)
        y: Tensor = self.last(x)
        return y

    def scaled(self, x: Tensor, by: int = 2) -> Tensor:
        return x * by


net: Any = tscript.script(Net())
X = tscript.tensor([1.0, -2.0])


def again(value: Any) -> Any:
    file = io.BytesIO()
    tscript.save(value, file)
    file.seek(0)
    return tscript.load(file)


def same(a: Any, b: Any) -> bool:
    return bool(tscript.allclose(a, b, atol=1e-6))


def inner(x: Tensor) -> Tensor:
    return net.scaled(x) + net.last.weight.sum()


@tscript.script
def calls(x: Tensor, n: int = 1) -> tuple[Tensor, int]:
    y = inner(x)
    for _ in range(n):
        y = y + net(y)
    net.calls = net.calls + 10
    for part in net.parts:
        y = part(y)
    return y * len(net.parts) + net.scaled(x, by=3), net.calls


def test_what_changes_is_shared() -> None:
    net.calls, net.log = 0, []
    first, count = calls(X, 2)
    assert count == net.calls == 12
    assert net.log == ["a", "a"]
    net.last.weight.add_(1.0)
    second, _ = calls(X)
    assert not same(first, second)
    net.last = nn.Linear(2, 2)
    y = net.scaled(X) + net.last.weight.sum()
    y = y + net(y)
    for part in net.parts:
        y = part(y)
    assert same(calls(X)[0], y * 2 + X * 3)


def test_no_argument_stands_for_it() -> None:
    assert str(inspect.signature(calls)).startswith("(x: ")
    assert "held" not in repr(calls)
    with pytest.raises(TypeError, match="takes 1 to 2 positional arguments but 4 were given"):
        calls(X, 1, 2, 3)
    with pytest.raises(TypeError, match="held_0"):
        calls(X, 1, 2)
    with pytest.raises(TypeError, match="unexpected keyword argument 'held_0'"):
        calls(X, held_0=net)


def test_another_dtype() -> None:
    module: Any = tscript.script(nn.Linear(2, 2))

    @tscript.script
    def applied(x):  # type: ignore[no-untyped-def]
        return module(x)

    assert applied(X).dtype == tscript.float32
    module.double()
    assert applied(X.double()).dtype == tscript.float64


def test_threads_closures_recursion_and_other_scripts() -> None:
    module: Any = tscript.script(nn.Linear(2, 2))

    @tscript.script
    def applied(x: Tensor) -> Tensor:
        return module(x)  # type: ignore[no-any-return]

    @tscript.script
    def closed(x: Tensor, k: float) -> Tensor:
        def by(y: Tensor) -> Tensor:
            return module(y) * k  # type: ignore[no-any-return]

        functions: List[Callable[[Tensor], Tensor]] = [by, applied]
        return functions[0](x) + functions[1](x)

    @tscript.script
    def again_and_again(x: Tensor, n: int) -> Tensor:
        return module(x) if n == 0 else again_and_again(applied(x), n - 1)

    wanted = module(X)
    assert same(closed(X, 2.0), wanted * 3)
    assert same(again_and_again(X, 2), module(module(wanted)))
    with ThreadPoolExecutor(3) as pool:
        assert all(same(each, wanted) for each in pool.map(lambda _: applied(X), range(6)))


class Outer(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return inner(x) + net.scaled(x)


def test_methods_of_modules_name_others(tmp_path: Path) -> None:
    wanted = net.scaled(X) * 2 + net.last.weight.sum()
    outer = tscript.script(Outer().eval())
    assert same(outer(X), wanted)
    frozen = tscript.freeze(outer)
    assert same(frozen(X), wanted)
    assert same(again(frozen)(X), wanted)
    with pytest.raises(ArchiveError, match="make that an attribute of the module which is saved"):
        tscript.save(outer, tmp_path / "outer.tsa")


def test_archives() -> None:
    module: Any = tscript.script(nn.Linear(2, 2))

    @tscript.script
    def scaled(x: Tensor, by: int = 2) -> Tensor:
        return module(x) * by

    @tscript.script
    def both(x, y=None):  # type: ignore[no-untyped-def]
        return module(x) + net.scaled(x) if y is None else module(y)

    wanted = module(X)
    loaded = again(scaled)
    assert same(loaded.scaled(X, by=3), wanted * 3)
    assert same(loaded(X), wanted * 2)
    archive = again({"scaled": scaled, "both": both})
    assert same(archive.both(X), wanted + X * 2)
    assert same(archive.both(X, X), wanted)
    archive.held_0.bias.add_(1.0)
    assert same(archive.scaled(X), (wanted + 1) * 2)
    assert same(scaled(X), wanted * 2)
    assert same(pickle.loads(pickle.dumps(archive)).scaled(X), archive.scaled(X))

    @tscript.script
    def used(x: Tensor) -> Tensor:
        return archive.scaled(x) + archive.both(x)  # type: ignore[no-any-return]

    wanted = used(X)
    assert same(again(used)(X), wanted)
    assert same(again(again(used)).used(X), wanted)


def test_a_pickle_brings_a_copy() -> None:
    module: Any = tscript.script(nn.Linear(2, 2))

    def applied(x: Tensor) -> Tensor:
        return module(x)  # type: ignore[no-any-return]

    assert same(pickle.loads(pickle.dumps(tscript.script(applied)))(X), module(X))


def test_tasks_are_given_modules() -> None:
    def forked(x: Tensor) -> Tensor:
        return tscript.wait(tscript.fork(inner, x))

    with pytest.raises(CompileError, match=r"tscript\.fork\(net, x\)"):
        tscript.script(forked)


CLASSES = """
from dataclasses import dataclass, field
from enum import Enum
from typing import List, NamedTuple

import tscript

class Kind(Enum):
    A = 1
    B = 2

@dataclass(order=True)
class Item:
    a: int
    b: float = 2.5
    xs: List[int] = field(default_factory=list)

    def total(self) -> float:
        return self.a + self.b

    @property
    def twice(self) -> int:
        return self.a * 2

    @staticmethod
    def zero() -> int:
        return 0

    @classmethod
    def of(cls, a: int) -> "Item":
        return Item(a)

class Counted:
    def __init__(self, n: int, by: int = 2) -> None:
        self.m = n * by

    def __len__(self) -> int:
        return self.m

class Pair(NamedTuple):
    p: int
    q: str = "q"

@dataclass
class Base:
    a: int

    def name(self) -> str:
        return "base"

@dataclass
class Derived(Base):
    c: str = "x"

    def name(self) -> str:
        return "derived " + self.c

def use(item: Item, kind: Kind, counted: Counted, pair: Pair, base: Base) -> Item:
    return Item(item.a + 1, item.b, [1])

def name(derived: Derived) -> str:
    return derived.name()

tscript.save({"use": tscript.script(use), "name": tscript.script(name)}, "classes.tsa")
"""


@pytest.fixture(scope="module")
def classes(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("classes")
    (folder / "made.py").write_text(CLASSES)
    subprocess.run([sys.executable, "made.py"], cwd=folder, check=True)
    return tscript.load(folder / "classes.tsa")


def test_classes_of_archives_in_new_scripts(classes: Any) -> None:
    def made(a: int) -> tuple[float, int, int, int, bool, bool, str, int]:
        item = classes.Item(a, xs=[1])
        item.xs.append(2)
        smaller = classes.Item(1) < classes.Item(2) and classes.Item(1) == classes.Item(1)
        is_a = classes.Kind.A == classes.Kind.A
        made = classes.Item.of(4).a + classes.Item.zero()
        return item.total(), item.twice, made, len(item.xs), smaller, is_a, str(item), len(classes.Counted(3, by=4))

    def typed(
        item: classes.Item, base: classes.Base, pair: classes.Pair
    ) -> tuple[str, str, classes.Pair, classes.Item]:
        used = classes.use(item, classes.Kind.B, classes.Counted(1), pair, base)
        return base.name(), classes.Derived(1).name(), classes.Pair(2), used

    wanted = (5.5, 6, 4, 2, True, True, "Item(a=3, b=2.5, xs=[1, 2])", 12)
    assert tscript.script(made)(3) == wanted
    assert again(tscript.script(made))(3) == wanted
    own = again(tscript.script(typed))  # whose classes are others, as it says less of them
    scripted = tscript.script(typed)
    for function, names in ((scripted, classes), (own, own), (pickle.loads(pickle.dumps(scripted)), classes)):
        first, second, pair, item = function(names.Item(1, 2.0, []), names.Derived(5, "y"), names.Pair(1))
        assert (first, second, pair) == ("derived y", "derived x", names.Pair(2, "q"))
        assert type(item) is names.Item
        assert (item.a, item.xs) == (2, [1])


class _Twice(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(2, 2)

    def forward(self, x: Tensor, by: float = 1.0) -> Tensor:
        return self.layer(x) * by  # type: ignore[no-any-return]

    @tscript.export
    def twice(self, x: Tensor) -> Tensor:
        return self.layer(self.layer(x))  # type: ignore[no-any-return]


def test_methods_are_forked_with_their_module() -> None:
    x = tscript.ones(3, 2)
    scripted = tscript.script(_Twice().eval())
    wanted = scripted.twice(x).tolist()
    for net in (scripted, again(scripted), tscript.freeze(scripted, preserved_attrs=["twice"])):
        assert tscript.fork(net.twice, x).wait().tolist() == wanted
        assert tscript.fork(net.forward, x, by=2.0).wait().tolist() == net(x, 2.0).tolist()
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'x'"):
        tscript.fork(scripted.twice).wait()
