"""Modules, their methods and inner functions as tasks: ``fork(self.layer, x)``."""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import tscript
import tscript.jit
from tscript import CompileError, Future, Tensor, nn


class Layer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(tscript.tensor([2.0, 3.0]))
        self.sizes: list[int] = [4, 5]
        self.names: dict[str, int] = {"a": 1}
        self.bias: Tensor | None = None
        self.by = 10.0
        self.calls = 0

    def forward(self, x: Tensor) -> Tensor:
        y = x * self.weight * self.sizes[-1]
        return y if self.bias is None else y + self.bias

    def scaled(self, x: Tensor, *, twice: bool = False) -> Tensor:
        return self(x) * (self.by * 2 if twice else self.by)

    def named(self, x: Tensor) -> Tensor:
        return x * self.names["a"]

    def counted(self, x: Tensor) -> Tensor:
        self.calls += 1
        return x

    def grown(self, x: Tensor) -> Tensor:
        self.sizes.append(len(self.sizes))
        return x


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first = Layer()
        self.rest = nn.ModuleList([nn.Sequential(Layer(), nn.ReLU()), Layer()])
        self.offset = tscript.ones(2)

    def moved(self, x: Tensor) -> Tensor:
        return self.first(x) + self.offset

    def forward(self, x: Tensor) -> Tensor:
        tasks: list[Future[Tensor]] = [tscript.fork(self.first, x), tscript.fork(self.first.forward, x)]
        tasks.append(tscript.fork(self.first.scaled, x, twice=True))
        tasks.append(tscript.fork(self.moved, x))
        for layer in self.rest:
            tasks.append(tscript.fork(layer, x))
        out = x
        for task in tasks:
            out = out + task.wait()
        return out


def test_modules_and_methods_run_as_tasks(tmp_path: Path) -> None:
    net, x = Net(), tscript.tensor([1.0, -1.0])
    wanted = net(x).tolist()
    scripted = tscript.script(net)
    assert scripted(x).tolist() == wanted
    scripted.first.by = 1.0
    scripted.offset = tscript.zeros(2)
    assert scripted(x).tolist() == [w - by - 1 for w, by in zip(wanted, [180.0, -270.0], strict=True)]
    tscript.save(scripted, tmp_path / "net.tsa")
    assert tscript.load(tmp_path / "net.tsa")(x).tolist() == scripted(x).tolist()
    assert tscript.freeze(scripted.eval())(x).tolist() == scripted(x).tolist()


def test_functions_take_modules_in_tasks() -> None:
    class Given(Outer):
        def forward(self, x: Tensor) -> Tensor:
            return tscript.fork(_applied, self.layer, x).wait()

    assert tscript.script(Given())(tscript.ones(2)).tolist() == [10.0, 15.0]


def _applied(layer, x: Tensor) -> Tensor:  # type: ignore[no-untyped-def]
    return layer(x)


class Outer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = Layer()


class Counted(Outer):
    def forward(self, x: Tensor) -> Tensor:
        return tscript.fork(self.layer.counted, x).wait()


class Grown(Outer):
    def forward(self, x: Tensor) -> Tensor:
        return tscript.fork(self.layer.grown, x).wait()


class Named(Outer):
    def forward(self, x: Tensor) -> Tensor:
        return tscript.fork(self.layer.named, x).wait()


class Again(Outer):
    def forward(self, x: Tensor) -> Tensor:
        return x if x.sum() > 9 else tscript.fork(self.forward, x + 1).wait()


class Attribute(Outer):
    def forward(self, x: Tensor) -> Tensor:
        return tscript.fork(self.layer.by, x).wait()  # type: ignore[arg-type]


class Anonymous(Outer):
    def forward(self, x: Tensor) -> Tensor:
        return tscript.fork(lambda y: y, x).wait()


@pytest.mark.parametrize(
    ("cls", "message"),
    [
        (Counted, "fork() starts a task that may change 'calls' of a module"),
        (Grown, "cannot share 'sizes', a list[int], with a task"),
        (Named, "cannot share 'names', a dict[str, int], with a task"),
        (Again, "cannot start a function that is being compiled"),
        (Attribute, "takes a function, a module or a method of one first, not a float"),
        (Anonymous, "takes a function, a module or a method of one first, not a lambda"),
    ],
)
def test_what_tasks_of_modules_cannot_do(cls: Any, message: str) -> None:
    with pytest.raises(CompileError) as error:
        tscript.script(cls())(tscript.ones(2))
    assert message in str(error.value)


class Heads(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = Layer()

    def joined(self, features: list[Tensor], by: list[int], k: int = 0) -> Tensor:
        outs: list[Tensor] = []
        for feature in features:
            outs.append(self.layer(feature) * by[k])
        return tscript.cat(outs)

    def forward(self, x: Tensor) -> Tensor:
        features, by = [x, x + 1], [2, 3]
        task, other = tscript.fork(self.joined, features, by), tscript.fork(_total, features)
        features.append(x)
        features[0] = x * 100
        by.clear()
        return task.wait() + other.wait()


def _total(features: list[Tensor]) -> Tensor:
    return tscript.cat([*features]).sum() + len(features)


def test_tasks_take_lists_as_they_are_when_they_start(tmp_path: Path) -> None:
    net, x = Heads(), tscript.tensor([0.5, 1.0])
    scripted = tscript.script(net)
    features, by = [x, x + 1], [2, 3]
    wanted = (net.joined(features, by) + _total(features)).tolist()
    assert scripted(x).tolist() == wanted
    tscript.save(scripted, tmp_path / "heads.tsa")
    assert tscript.load(tmp_path / "heads.tsa")(x).tolist() == wanted


def test_tasks_take_no_lists_that_they_change() -> None:
    def grow(xs: list[Tensor]) -> int:
        xs.append(xs[0])
        return len(xs)

    def grown_by_another(xs: list[Tensor]) -> int:
        return grow(xs)

    def starts(x: Tensor) -> int:
        return tscript.fork(grow, [x]).wait()

    def starts_another(x: Tensor) -> int:
        return tscript.fork(grown_by_another, [x]).wait()

    for function in (starts, starts_another):
        with pytest.raises(CompileError, match="cannot share a list"):
            tscript.script(function)


def test_inner_functions_run_as_tasks() -> None:
    def inner(x: Tensor, k: int) -> Tensor:
        def times(y: Tensor, by: float = 2.0) -> Tensor:
            return y * k * by

        return tscript.fork(times, x).wait() + tscript.fork(times, x, by=1.0).wait()

    assert tscript.script(inner)(tscript.ones(2), 5).tolist() == inner(tscript.ones(2), 5).tolist() == [15.0, 15.0]


def test_futures_that_are_ready() -> None:
    def ready(x: Tensor) -> Tensor:
        return tscript.jit._awaitable_wait(tscript.jit._awaitable_nowait(x)) + 1

    assert tscript.script(ready)(tscript.ones(1)).tolist() == ready(tscript.ones(1)).tolist() == [2.0]
