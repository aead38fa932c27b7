"""Functions and modules of archives in newly scripted code: the errors say what to do."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import tscript
from tscript import Tensor, nn
from tscript.diagnostics import CompileError

LOADED = (
    "help: what archives hold has no source: call it from Python, or script the function or class that it was made of"
)
MODULE = (
    "help: call it from Python, or, unless it was loaded, make it an attribute of the module whose 'forward' calls it"
)


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.row = nn.Linear(2, 2)

    def forward(self, x: Tensor) -> Tensor:
        return self.row(x)


class Outer(nn.Module):
    def __init__(self, inner: Any) -> None:
        super().__init__()
        self.inner = inner

    def forward(self, x: Tensor) -> Tensor:
        return self.inner(x) + 1


class Named(Outer):
    def forward(self, x: Tensor) -> Tensor:
        return self.inner.forward(x) + 1


def double(x: Tensor) -> Tensor:
    return x * 2


def error(made: Any) -> str:
    with pytest.raises(CompileError) as caught:
        tscript.script(made)
    return str(caught.value)


@pytest.fixture
def net(tmp_path: Path) -> Any:
    tscript.save(tscript.script(Net()), tmp_path / "net.tsa")
    return tscript.load(tmp_path / "net.tsa")


@pytest.fixture
def functions(tmp_path: Path) -> Any:
    tscript.save(tscript.script(double), tmp_path / "double.tsa")
    return tscript.load(tmp_path / "double.tsa")


def test_a_loaded_module_as_a_part(net: Any) -> None:
    for outer in (Outer(net), Named(net), Outer(nn.Sequential(net))):
        found = error(outer)
        assert LOADED in found and "define" not in found
    assert "a Net cannot be called" in error(Outer(net)) and "Net has no method 'forward'" in error(Named(net))
    x = tscript.ones(1, 2)
    assert Outer(net)(x).tolist() == (net(x) + 1).tolist()


def test_a_module_in_a_function(net: Any) -> None:
    for module in (net, Net(), tscript.script(Net())):

        def calls(x: Tensor, module: Any = None) -> Tensor:
            return held(x)

        held = module
        assert MODULE in error(calls)


def test_functions_of_archives(functions: Any) -> None:
    function = functions.double

    def by_module(x: Tensor) -> Tensor:
        return functions.double(x)  # type: ignore[no-any-return]

    def by_name(x: Tensor) -> Tensor:
        return function(x)  # type: ignore[no-any-return]

    assert LOADED in error(by_module) and LOADED in error(by_name) and LOADED in error(Outer(function))
