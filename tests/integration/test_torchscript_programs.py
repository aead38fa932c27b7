"""Small programs for TorchScript give the same as plain Python, compiled, and by TorchScript where it is installed."""

from __future__ import annotations

import copy
import importlib.util
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from typing import Any

import pytest

import tscript

HAS_TORCH = importlib.util.find_spec("torch") is not None

with nullcontext() if HAS_TORCH else tscript.install_as_torch():
    importlib.import_module("tests.integration.torchscript_source")
    importlib.import_module("tests.integration.torchscript_values")
    programs: Any = importlib.import_module("tests.integration.torchscript_cases")

Case = tuple[Callable[..., Any], Sequence[object], bool]

CASES: dict[str, Case] = {case[0].__name__: case for case in programs.CASES}


def shown(value: object) -> str:
    """The text of a result, in which tensors and sizes of PyTorch and ours are the same."""
    if isinstance(value, list):
        return f"[{', '.join(map(shown, value))}]"
    if isinstance(value, tuple):
        return f"({', '.join(map(shown, value))})"
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{key!r}: {shown(held)}' for key, held in value.items())}}}"
    return repr(value)


def called(function: Callable[..., object], args: Sequence[object]) -> tuple[str, str]:
    """The result for a copy of the arguments, and what became of these."""
    given = copy.deepcopy(args)
    found = function(*given)
    return shown(found), shown(given)


def test_there_are_many_different_ones() -> None:
    assert len(CASES) == len(programs.CASES) >= 148


OF_TORCH = ("autograd_function", "autograd_not", "compiler_queries")
"""What plain Python runs with PyTorch alone."""


@pytest.mark.parametrize("name", CASES)
def test_compiled_as_plain_python(name: str) -> None:
    function, args, _ = CASES[name]
    if name in OF_TORCH and not HAS_TORCH:
        pytest.skip("Python has no gradients and no PyTorch here")
    assert called(tscript.script(function), args) == called(function, args)


@pytest.mark.skipif(not HAS_TORCH, reason="PyTorch is not installed")
@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case[2]])
def test_as_torchscript_gives(name: str) -> None:
    import torch

    function, args, _ = CASES[name]
    # changes of lists and dicts stay in TorchScript
    assert called(tscript.script(function), args)[0] == called(torch.jit.script(function), args)[0]
