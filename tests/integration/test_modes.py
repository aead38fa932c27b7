# mypy: ignore-errors
"""Context managers and queries of PyTorch that change nothing here, and its functions that assert."""

from __future__ import annotations

from typing import Optional

import pytest

import tscript
import tscript as torch
from tscript import CompileError, Tensor


@tscript.script
def modes(x: Tensor) -> Tensor:
    with torch.no_grad():
        y = x * 2
        with torch.enable_grad(), torch.inference_mode(), torch.set_grad_enabled(False):
            y = y + 1
        if torch.is_grad_enabled():
            return x
    with torch.autocast("cpu", enabled=False):
        return y


def test_modes_change_nothing() -> None:
    assert modes(torch.ones(2)).tolist() == [3.0, 3.0]
    with torch.no_grad(), torch.inference_mode(True), torch.autocast("cpu", enabled=False):
        assert not torch.is_grad_enabled() and not torch.is_autocast_enabled()
    with pytest.raises(RuntimeError, match="enabled=False"):
        torch.autocast("cpu")


def test_autocast_is_refused() -> None:
    def cast(x: Tensor) -> Tensor:
        with torch.autocast("cpu"):
            return x

    with pytest.raises(CompileError, match="enabled=False"):
        tscript.script(cast)


@tscript.script
def on(x: Tensor, device: torch.device, name: Optional[str]) -> int:
    with device:
        return (torch.zeros(2, device=name) + x.data).nbytes + x.itemsize


def test_a_device_as_context() -> None:
    x, cpu = torch.ones(2), torch.device("cpu")
    assert on(x, cpu, None) == on(x, cpu, "cpu") == 12
    for device, name in ((torch.device("cuda"), None), (cpu, "cuda")):
        with pytest.raises(RuntimeError, match="no device 'cuda'"):
            on(x, device, name)
    assert x.data is x and x.nbytes == 8
    with cpu, pytest.raises(RuntimeError, match="no device 'cuda'"), torch.device("cuda"):
        pass


@torch.no_grad()
def plain(x: Tensor) -> Tensor:
    return x + 1


def test_a_mode_as_decorator() -> None:
    assert tscript.script(plain)(torch.ones(1)).tolist() == [2.0]


@tscript.script
def asserted(x: Tensor, n: int) -> int:
    torch._assert(x.dim() == 2, f"a matrix, not {x.dim()} dimensions")
    torch._check(n > 0, lambda: f"n is {n}")
    torch._check(n < 100)
    return n


def test_assertions() -> None:
    x = torch.ones(2, 2)
    assert asserted(x, 3) == 3
    for call, error, message in (
        ((torch.ones(2), 1), AssertionError, "a matrix, not 1 dimensions"),
        ((x, 0), RuntimeError, "n is 0"),
        ((x, 200), RuntimeError, "Expected n < 100"),
    ):
        with pytest.raises(error, match=message):
            asserted(*call)
