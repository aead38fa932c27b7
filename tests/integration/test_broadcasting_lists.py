"""``BroadcastingList2[int]``, and ``torch.jit._awaitable``."""

# mypy: disable-error-code="arg-type, assignment"

from __future__ import annotations

from pathlib import Path
from typing import Any, List, Optional, Tuple

import pytest

import tscript
from tscript.checking import check_file
from tscript.diagnostics import CompileError
from tscript.jit import (
    Await,
    BroadcastingList1,
    BroadcastingList2,
    BroadcastingList3,
    _awaitable,
    _awaitable_wait,
)


@tscript.script
def sizes(size: BroadcastingList2[int] = 4) -> List[int]:
    size.append(9)
    return size


@tscript.script
def several(
    scale: BroadcastingList3[float] = 2,
    stride: Optional[BroadcastingList2[int]] = None,
    pad: BroadcastingList1[int] = (7,),
) -> Tuple[List[float], List[int]]:
    if stride is None:
        stride = pad
    return scale, stride


@tscript.script
def calls(n: int) -> List[int]:
    return sizes() + sizes(n) + sizes((n, 1)) + sizes([n]) + sizes(size=n)


def test_python_gives_numbers_lists_and_tuples() -> None:
    assert sizes() == [4, 4, 9] and sizes(3) == [3, 3, 9] and sizes([1, 2, 3]) == [1, 2, 3, 9]
    assert sizes((4, 5)) == [4, 5, 9]
    assert several() == ([2.0] * 3, [7])
    assert several(3, 4) == ([3.0] * 3, [4, 4])
    assert several([1.5, 2.0], [1]) == ([1.5, 2.0], [1])
    assert several(pad=3) == ([2.0] * 3, [3])


def test_compiled_code_does_so_too() -> None:
    assert calls(3) == [4, 4, 9, 3, 3, 9, 3, 1, 9, 3, 9, 3, 3, 9]


def test_a_list_is_taken_as_it_is() -> None:
    own = [1]
    assert sizes(own) is own and own == [1, 9]


def test_inside_a_function_it_is_a_list() -> None:
    @tscript.script
    def inner(n: int) -> int:
        def last(pair: BroadcastingList2[int]) -> int:
            return pair[1]

        kept: BroadcastingList2[int] = [n, 8]
        return last(n) + kept[1]

    assert inner(5) == 13


def strings(x: BroadcastingList2[str]) -> int:
    return len(x)


def bare(x: BroadcastingList2) -> int:  # type: ignore[type-arg]
    return 0


def test_what_it_cannot_be_of() -> None:
    with pytest.raises(CompileError, match="it is of int, float or bool"):
        tscript.script(strings)
    with pytest.raises(CompileError, match=r"write the type: BroadcastingList2\[int\]"):
        tscript.script(bare)
    with pytest.raises(TypeError, match="size"):
        sizes("no")


FILE = """
import torch
from torch._jit_internal import BroadcastingList2

@torch.jit.script
def f(size: BroadcastingList2[int], other: "torch._jit_internal.BroadcastingList3[float]" = 1.0) -> int:
    return size[1] + len(other)

@torch.jit.script
def g(n: int) -> int:
    return f(n) + f([n, 2])
"""


def test_a_file_of_pytorch(tmp_path: Path) -> None:
    """Read, and run with torch or what stands for it."""
    place = tmp_path / "read.py"
    place.write_text(FILE, encoding="utf-8")
    assert not check_file(place)
    names: dict[str, Any] = {"__name__": "read"}
    with tscript.install_as_torch():
        exec(compile(FILE, str(place), "exec"), names)
    assert names["g"](3) == 3 + 3 + 2 + 3 and names["f"](5) == 8


def slow(x: tscript.Tensor, n: int) -> tscript.Tensor:
    return x + n


@tscript.script
def start(x: tscript.Tensor, n: int) -> Await[tscript.Tensor]:
    return _awaitable(slow, x, n=n)


@tscript.script
def awaited(x: tscript.Tensor) -> tscript.Tensor:
    first = _awaitable(slow, x, 2)
    return _awaitable_wait(first) * _awaitable_wait(start(x, 3)) + _awaitable_wait(first)


def wrong(x: tscript.Tensor) -> tscript.Tensor:
    return _awaitable_wait(x)


def test_awaitables() -> None:
    assert awaited(tscript.ones(2)).tolist() == [15.0, 15.0]
    assert _awaitable_wait(start(tscript.ones(1), 1)).tolist() == [2.0]
    assert _awaitable_wait(_awaitable(slow, tscript.ones(1), 1)).tolist() == [2.0]
    with pytest.raises(CompileError, match=r"wait\(\) takes a Future, not a Tensor"):
        tscript.script(wrong)
