"""Recursion ends with a `RecursionError` on every stack, whatever recurses, and never with the process."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).with_name("deep_calls.py")
KINDS = ("plain", "frame", "repr", "eq", "drop", "out", "in", "python", "blas", "callable", "task")


def deep(size: int, stack: int, kinds: tuple[str, ...] = KINDS) -> None:
    command = [sys.executable, "-X", "faulthandler", str(PROGRAM), str(size), str(stack), *kinds]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.stdout.endswith("ok\n"), f"{done.returncode}: {done.stdout}\n{done.stderr[-3000:]}"


@pytest.mark.parametrize("stack", [0, 64])
def test_recursion(stack: int) -> None:
    deep(300, stack)


@pytest.mark.slow
@pytest.mark.parametrize("stack", [0, 64, 100, 128, 256, 1024])
@pytest.mark.parametrize("size", [0, 30, 3000])
def test_recursion_of_all_kinds(stack: int, size: int) -> None:
    deep(size, stack)
