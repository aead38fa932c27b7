"""Recursion ends with a `RecursionError` on every stack, whatever recurses, and never with the process."""

from __future__ import annotations

import ctypes
import subprocess
import sys
from pathlib import Path

import pytest

from tests.runtime.deep_calls import with_frame
from tscript.backend.loader import session
from tscript.backend.loader.loading import LoadError
from tscript.backend.loader.objects import Function, frame_of

PROGRAM = Path(__file__).with_name("deep_calls.py")
KINDS = ("plain", "frame", "repr", "eq", "drop", "out", "in", "python", "blas", "callable", "task")
LEAST = 48 if sys.version_info[:2] == (3, 12) else 32
"""The least stack in KiB: with 32, CPython 3.12 itself ends the process after ten calls of Python from C inside each
other."""


def deep(size: int, stack: int, kinds: tuple[str, ...] = KINDS) -> None:
    # CPython 3.13 itself ends the process when it frees nested objects on such a stack.
    if 0 < stack < (1024 if sys.version_info >= (3, 13) and size > 30 else 64):
        kinds = tuple(k for k in kinds if k not in ("out", "in"))
    command = [sys.executable, "-X", "faulthandler", str(PROGRAM), str(size), str(stack), *kinds]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.stdout.endswith("ok\n"), f"{done.returncode}: {done.stdout}\n{done.stderr[-3000:]}"


@pytest.mark.parametrize("stack", [0, LEAST, 64])
def test_recursion(stack: int) -> None:
    deep(300, stack)


@pytest.mark.slow  # LLVM takes ten seconds for the function
def test_frames_larger_than_the_stack() -> None:
    deep(6000, LEAST, ("frame", "task"))


@pytest.mark.parametrize("floats", [100, 2500])
def test_frames_are_as_large_as_the_look_at_the_stack_takes_them_for(
    floats: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each float of the function lives across the call; the function that looks has a small frame itself."""
    told: list[tuple[int, list[Function]]] = []
    tell = session._tell_frames

    def watched(table: int, size: int, functions: tuple[Function, ...]) -> None:
        tell(table, size, functions)
        told.append((table, list(functions)))

    monkeypatch.setattr(session, "_tell_frames", watched)
    function = with_frame(floats)
    with pytest.raises(RecursionError):
        function(0, 1.0)
    ((table, functions),) = told
    sizes = {f.name: frame_of(f) for f in functions}
    assert list(sizes) == ["tsf_deep.frame.0", "tsf_deep"]
    count, told_size = (ctypes.c_int64 * 2).from_address(table)
    assert (count, told_size) == (1, sizes["tsf_deep.frame.0"])
    assert -256 <= told_size - 8 * floats <= 4096
    assert (sizes["tsf_deep"] or 0) < 512


def test_frames_that_the_code_does_not_show_are_estimated() -> None:
    table = (ctypes.c_int64 * 3)(2, 777, 888)
    known = Function("g.frame.1", 1, 0, 9, bytes.fromhex("55 4889e5 4883ec40 c3"))
    functions = [Function("f.frame.0", 1, 0, 1, b"\xc3"), known, Function("h.frame.9", 1, 0, 9, known.begin)]
    session._tell_frames(ctypes.addressof(table), 24, functions)
    assert list(table) == [2, 777, 0x40]


@pytest.mark.parametrize(("count", "size"), [(2, 16), (3, 24), (-1, 24), (1 << 62, 24), (0, 0)])
def test_tables_of_frames_are_as_large_as_their_symbols(count: int, size: int) -> None:
    table = (ctypes.c_int64 * 3)(count, 777, 888)
    known = Function("g.frame.1", 1, 0, 9, bytes.fromhex("55 4889e5 4883ec40 c3"))
    with pytest.raises(LoadError, match="a table of"):
        session._tell_frames(ctypes.addressof(table), size, [known])
    assert list(table) == [count, 777, 888]


def test_a_frame_of_quick_code_leaves_room_for_that_of_better_code() -> None:
    table = (ctypes.c_int64 * 3)(2, 700, 64)
    session._double_frames(ctypes.addressof(table))
    assert list(table) == [2, 1400, 128]


@pytest.mark.slow
@pytest.mark.parametrize("stack", [0, *sorted({LEAST, 48}), 64, 100, 128, 256, 1024])
@pytest.mark.parametrize("size", [0, 30, 3000])
def test_recursion_of_all_kinds(stack: int, size: int) -> None:
    deep(size, stack)
