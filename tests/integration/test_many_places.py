"""Functions with so many places that raise that these share code: each says what happened there, and where."""

from __future__ import annotations

import importlib.util
import traceback
from pathlib import Path
from types import ModuleType

import pytest

import tscript

PLACES = 40


def load(folder: Path, source: str) -> ModuleType:
    """A module from a file of `source`."""
    path = folder / "many.py"
    path.write_text(source)
    spec = importlib.util.spec_from_file_location("many", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_each_overflow_names_its_operands_and_line(tmp_path):
    head = "def f(at: int, names: list[str]) -> str:\n    text = 'a' * len(names)\n"
    body = "".join(f"    text += str((2**62 if at == {i} else {i}) * 2)\n" for i in range(PLACES))
    f = tscript.script(load(tmp_path, head + body + "    return text\n").f)
    assert f(-1, ["x"]) == "a" + "".join(str(i * 2) for i in range(PLACES))
    for at in range(PLACES):
        with pytest.raises(OverflowError, match=r"4611686018427387904 \* 2 does not fit") as caught:
            f(at, ["x"])
        assert traceback.extract_tb(caught.value.__traceback__)[-1].lineno == at + 3


def test_each_exception_has_its_class_and_line(tmp_path):
    head = "def f(at: int, names: list[str]) -> str:\n    text = names[0] + 'b'\n"
    classes = ("ValueError", "KeyError", "IndexError")
    body = "".join(f"    if at == {i}:\n        raise {classes[i % 3]}\n    text += '{i}'\n" for i in range(PLACES))
    f = tscript.script(load(tmp_path, head + body + "    return text\n").f)
    assert f(-1, ["x"]) == "xb" + "".join(map(str, range(PLACES)))
    for at in range(PLACES):
        with pytest.raises((ValueError, KeyError, IndexError)) as caught:
            f(at, ["x"])
        assert type(caught.value).__name__ == classes[at % 3]
        assert traceback.extract_tb(caught.value.__traceback__)[-1].lineno == 3 * at + 4


def test_calls_that_fail_are_caught_wherever_they_are(tmp_path):
    head = "def f(words: list[str], at: int) -> int:\n    total = 0\n    try:\n"
    body = "".join(f"        total += int(words[{i}]) * (2**62 if at == {i} else 1)\n" for i in range(PLACES))
    tail = "    except (ValueError, OverflowError):\n        return -total\n    return total\n"
    f = tscript.script(load(tmp_path, head + body + tail).f)
    words = ["1", "2", "3", "4"] * (PLACES // 4)
    assert f(words, -1) == sum(map(int, words))
    for at in range(PLACES):
        before = -sum(map(int, words[:at]))
        assert f([*words[:at], "no", *words[at + 1 :]], -1) == before
        assert f([*words[:at], "5", *words[at + 1 :]], at) == before
