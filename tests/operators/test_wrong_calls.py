"""Calls of all operators with arguments that were changed at one place: other ranks, sizes, dtypes and types, numbers
out of any range, too few and too many. Each gives something or raises an error that says what is wrong; none crashes or
hangs.

A quick run takes a slice of them, drawn by a fixed seed; ``-m slow`` runs all, in slices.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

SLICES = 40
"""Into how many slices all calls are divided."""

CALLS = 40
"""How many calls of a slice a quick run makes."""


def run(number: int, limit: int) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tests.operators.wrong_calls", str(number), str(SLICES), str(limit)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])}
    return subprocess.run(command, capture_output=True, text=True, timeout=540, cwd=ROOT, env=environment)


def test_some_wrong_calls_are_refused_in_order() -> None:
    done = run(7, CALLS)
    assert (done.returncode, done.stdout.splitlines()[:-1]) == (0, []), done.stdout + done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("number", range(SLICES))
def test_wrong_calls_are_refused_in_order(number: int) -> None:
    done = run(number, 1 << 30)
    assert (done.returncode, done.stdout.splitlines()[:-1]) == (0, []), done.stdout + done.stderr
