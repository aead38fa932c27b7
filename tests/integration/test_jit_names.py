"""The names of ``torch.jit`` in functions."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Dict, List, Optional, Tuple, Union

import pytest

import tscript
from tscript import jit
from tscript.checking import check_file
from tscript.diagnostics import CompileError


def held(x: Union[int, List[int], Dict[str, float], Tuple[int, str], None]) -> str:
    if jit.isinstance(x, List[int]):
        return f"list {sum(x)}"
    if tscript.jit.isinstance(x, (Dict[str, float], Tuple[int, str])):
        return "several"
    if jit.isinstance(x, Optional[int]):
        return "none" if x is None else f"int {x + 1}"  # type: ignore[operator]
    return "other"


def anything(x: Any) -> bool:
    return jit.isinstance(x, List[str])


def unwrapped(n: Optional[int]) -> int:
    return jit._unwrap_optional(n) + 1


@jit.script_if_tracing
def doubled(n: int) -> int:
    return 2 * n


def calls(n: int) -> int:
    future = jit._fork(doubled, n)
    return jit._wait(future) + doubled(n)


def test_isinstance_of_parametrised_types(agree: Any) -> None:
    """It refines; in Python it looks at what containers hold."""
    for x in (1, [1, 2], {"a": 1.0}, (1, "b"), None):
        agree(held, x)
    scripted = tscript.script(anything)
    assert scripted(["a"]) and not scripted([1])
    assert (
        jit.isinstance([], list[int]) and jit.isinstance((1, 2), tuple[int, ...]) and not jit.isinstance(1, list[int])
    )


def test_the_others(agree: Any) -> None:
    """``_unwrap_optional``, ``script_if_tracing``, ``_fork`` and ``_wait``."""
    agree(unwrapped, 3)
    agree(unwrapped, None)
    agree(calls, 4)
    assert jit.Attribute(1, int).type is int and not jit.is_tracing()


FILE = """
import torch
from typing import List, Optional

@torch.jit.script_if_tracing
def first(x: Optional[List[int]]) -> int:
    found = torch.jit._unwrap_optional(x)
    return found[0] if torch.jit.isinstance(found, List[int]) else 0

def second(n: int) -> int:
    return first([n])

@torch.jit.script
def f(n: int) -> int:
    return torch.jit._wait(torch.jit._fork(second, n))
"""


def test_a_file_that_is_read(tmp_path: Path) -> None:
    """As `tscript check` does."""
    place = tmp_path / "read.py"
    place.write_text(FILE)
    assert not check_file(place)


def test_wrappers_of_torch(tmp_path: Path) -> None:
    """A function inside of torch's ``script_if_tracing``, and torch's own names."""
    torch = pytest.importorskip("torch")
    place = tmp_path / "wrapped.py"
    place.write_text(FILE.replace("@torch.jit.script\n", ""))
    names: dict[str, Any] = {"__name__": "wrapped", "torch": torch}
    exec(compile(place.read_text(), str(place), "exec"), names)
    assert tscript.script(names["f"])(3) == 3


class Doubled(tscript.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: tscript.Tensor) -> tscript.Tensor:
        return x * 2


def test_functions_of_autograd_are_called_by_forward() -> None:
    @tscript.script
    def doubled(x: tscript.Tensor) -> tscript.Tensor:
        return Doubled.forward(None, x)

    assert doubled(tscript.ones(1)).tolist() == [2.0]

    def applied(x: tscript.Tensor) -> tscript.Tensor:
        return Doubled.apply(x)

    with pytest.raises(CompileError, match=r"call 'Doubled.forward\(None, ...\)'"):
        tscript.script(applied)
