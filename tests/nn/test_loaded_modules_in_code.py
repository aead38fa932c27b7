"""Functions and modules of archives in newly scripted code."""

from __future__ import annotations

import copy
import io
import pickle
from typing import Any

import pytest

import tscript
from tscript import Tensor, nn
from tscript.diagnostics import CompileError

MODULE = "help: name what tscript.script makes of it, 'net = tscript.script(net)', or pass it as an argument"


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(2, 2), nn.Tanh()])
        self.heads = nn.ModuleDict({"a": nn.Linear(2, 2), "b": nn.ReLU()})
        self.register_buffer("calls", tscript.zeros(()))
        self.scale = 0.5

    @property
    def twice(self) -> float:
        return self.scale * 2

    def forward(self, x: Tensor) -> Tensor:
        self.calls += 1  # type: ignore[has-type]
        for layer in self.layers:
            x = layer(x)
        return x * self.scale

    @tscript.export
    def shifted(self, x: Tensor, n: int = 2, *, by: float = 1.0) -> Tensor:
        return x + n * by

    @tscript.ignore
    def in_python(self, x: Tensor) -> Tensor:
        return x


class Outer(nn.Module):
    """Uses everything that a module has."""

    def __init__(self, inner: Any) -> None:
        super().__init__()
        self.inner = inner

    def forward(self, x: Tensor) -> Tensor:
        y = self.inner(x) + self.inner.forward(x) * self.inner.scale + self.inner.twice
        y = y + self.inner.shifted(x) + self.inner.shifted(x, 3, by=0.5)
        for layer in self.inner.layers:
            y = layer(y)
        for name, head in self.inner.heads.items():
            y = head(y) + len(name)
        return y + self.inner.heads["a"](x) + self.inner.layers[0].weight


class Missing(Outer):
    def forward(self, x: Tensor) -> Tensor:
        return self.inner.in_python(x)  # type: ignore[no-any-return]


def again(value: Any) -> Any:
    """What an archive of something gives."""
    file = io.BytesIO()
    tscript.save(value, file)
    file.seek(0)
    return tscript.load(file)


def close(a: Tensor, b: Tensor) -> bool:
    return tscript.allclose(a, b, atol=1e-6)


X = tscript.ones(3, 2)


def test_a_loaded_module_as_a_part() -> None:
    """Methods, properties, attributes and containers of it; what it changes is seen in both."""
    net = Net()
    x = tscript.ones(2, 2)
    wanted = Outer(net)(x)
    loaded = again(net)
    before = loaded.calls.item()
    outer = tscript.script(Outer(loaded))
    assert close(outer(x), wanted) and outer.inner is loaded and loaded.calls.item() == before + 2
    for other in (again(outer), again(again(outer)), copy.deepcopy(outer), pickle.loads(pickle.dumps(outer))):
        assert close(other(x), wanted) and close(other.inner.shifted(x), x + 2)
    assert close(tscript.freeze(outer.eval())(x), wanted)
    assert close(tscript.script(Outer(again(outer).inner))(x), wanted)


def test_a_loaded_module_of_another_dtype_as_a_part() -> None:
    outer = tscript.script(Outer(again(Net())))
    wanted = outer(tscript.ones(2, 2))
    outer.double()
    found = outer(tscript.ones(2, 2, dtype=tscript.float64))
    assert found.dtype == tscript.float64 and close(found.float(), wanted)


def test_a_method_that_the_archive_does_not_have() -> None:
    with pytest.raises(CompileError, match="Net has no method 'in_python'") as error:
        tscript.script(Missing(again(Net())))
    assert "its archive has no code of it" in str(error.value)


def test_a_module_in_a_function() -> None:
    """A scripted one is shared with Python. A module of Python would be another one."""

    def calls(x: Tensor) -> Tensor:
        return held(x)  # type: ignore[no-any-return]

    for module in (again(Net()), tscript.script(Net())):
        held: Any = module
        assert close(tscript.script(calls)(X), module(X))
    held = Net()
    with pytest.raises(CompileError) as error:
        tscript.script(calls)
    assert MODULE in str(error.value)

    @tscript.script
    def given(net, x: Tensor) -> Tensor:  # type: ignore[no-untyped-def]
        return net.shifted(x) + net(x)  # type: ignore[no-any-return]

    loaded = again(Net())
    assert close(given(loaded, X), loaded.shifted(X) + loaded(X))


def helper(x: Tensor, n: int) -> Tensor:
    for _ in range(n):
        x = x * 2
    return x


def powered(x: Tensor, n: int = 2, *, by: float = 1.0) -> Tensor:
    return helper(x, n) + by


def counted(*words: str) -> dict[str, int]:
    return {word: len(word) for word in words}


def test_functions_of_archives() -> None:
    """By name and as attributes of the archive, with defaults, keywords and what they call; names of the new program
    stay its own."""
    archive: Any = again({"powered": tscript.script(powered), "counted": tscript.script(counted)})
    function = archive.powered

    def helper(x: Tensor) -> Tensor:
        return x - 1

    def calls(x: Tensor) -> Tensor:
        return helper(function(x, by=3.0)) + archive.powered(x, 1) + archive.counted("a", "bc")["bc"]

    class Calls(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.function = function

        def forward(self, x: Tensor) -> Tensor:
            return self.function(x)  # type: ignore[no-any-return]

    wanted = powered(X, by=3.0) - 1 + powered(X, 1) + 2
    made = tscript.script(calls)
    assert close(made(X), wanted) and close(again(made)(X), wanted) and close(again(again(made))(X), wanted)
    assert "def powered" in made.code  # type: ignore[attr-defined]
    assert close(pickle.loads(pickle.dumps(made))(X), wanted)
    assert close(tscript.script(Calls())(X), powered(X)) and close(again(Calls())(X), powered(X))


def test_an_error_of_a_call_names_the_function_of_the_archive() -> None:
    function = again(tscript.script(powered)).powered

    def calls(n: int) -> Tensor:
        return function([n])  # type: ignore[no-any-return]

    with pytest.raises(CompileError, match=r"powered\(\) expects Tensor for 'x', found list\[int\]"):
        tscript.script(calls)
