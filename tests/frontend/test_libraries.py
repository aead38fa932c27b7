"""What is called into a library is one error at the program's own line, with what to write instead."""

from __future__ import annotations

import collections
import json
import os
import random
import re
import statistics
import time
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np
import pytest

from tscript import Tensor, script
from tscript.checking import check_file
from tscript.diagnostics import CompileError
from tscript.frontend.source.libraries import INSTEAD


def findall(s: str) -> int:
    return len(re.findall("a+", s))


def averaged(x: list[float]) -> float:
    return statistics.mean(x)


def average(x: list[float]) -> float:
    return mean(x)


def clock() -> float:
    return time.time()


def seeded(n: int) -> None:
    random.seed(n)


def joined(a: str, b: str) -> str:
    return os.path.join(a, b)


def encoded(a: list[int]) -> str:
    return json.dumps(a)


def window(n: int) -> Any:
    return np.piecewise(n, [True], [1.0])


def drawn() -> Any:
    return np.random.get_state()


def array(x: list[np.matrix]) -> int:
    return len(x)


def path(p: Path) -> int:
    return 1


def counted(n: int) -> int:
    return collections.Counter([n])[n]


def third(n: int) -> float:
    return float(Fraction(n, 3))


USES: dict[Callable[..., Any], tuple[str, str]] = {
    findall: ("re.findall", "methods of str"),
    averaged: ("statistics.mean", "sum(xs) / len(xs)"),
    average: ("mean", "sum(xs) / len(xs)"),
    clock: ("time.time", "outside of the function"),
    seeded: ("random.seed", "as arguments"),
    joined: ("os.path.join", "f'{folder}/{name}'"),
    encoded: ("json.dumps", "@tscript.ignore"),
    window: ("np.piecewise", "@tscript.ignore"),
    drawn: ("np.random.get_state", "np.random.default_rng(seed)"),
    array: ("np.matrix", "np.ndarray"),
    path: ("Path", "as strings"),
    counted: ("collections.Counter", "d.get(x, 0) + 1"),
    third: ("Fraction", "@tscript.ignore"),
}


@pytest.mark.parametrize("function", USES, ids=lambda f: f.__name__)
def test_a_use_of_a_library_is_one_error_of_the_program(function: Callable[..., Any]) -> None:
    written, helps = USES[function]
    with pytest.raises(CompileError) as caught:
        script(function)
    (found,) = caught.value.diagnostics
    assert found.span.source.name == __file__ and f"'{written}'" in found.message() and helps in found.help_text()


def test_files_that_are_read_say_the_same(tmp_path: Path) -> None:
    text = Path(__file__).read_text(encoding="utf-8").partition("\nUSES")[0]
    file = tmp_path / "uses.py"
    file.write_text(text)
    by_function = {d.span.function: d for d in check_file(file)}
    assert len(by_function) == len(USES)
    for function, (written, helps) in USES.items():
        found = by_function[function.__name__]
        assert f"'{written}'" in found.message() and helps in found.help_text()


def test_a_library_compiles_its_own_functions_and_those_that_are_scripted() -> None:
    # This module stands for a library: what it calls of its own is compiled.
    helper = re.compile  # of another one
    assert callable(helper)
    scripted = script(_own)
    assert scripted(2) == 5


def _helper(n: int) -> int:
    return 2 * n


def _own(n: int) -> int:
    return _helper(n) + 1


def test_every_help_says_what_to_write() -> None:
    assert all(text[0].islower() and not text.endswith(".") for text in INSTEAD.values())
    with pytest.raises(CompileError, match="leave it to the caller"):
        script(_numpy)


def _numpy(x: Tensor) -> Any:
    return x.numpy()
