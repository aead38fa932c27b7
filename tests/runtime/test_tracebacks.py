"""Errors that are told show no frames of tscript: the traceback ends at the user's line, or goes on in scripted
code."""

from __future__ import annotations

import copy
import inspect
import pickle
import subprocess
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tscript
from tscript import Tensor
from tscript.runtime.values.tracebacks import SHOW
from tscript.types import TensorType


def wrong(n: int) -> int:
    return n + "a"  # type: ignore[operator]


def wrong_syntax(n: int) -> Any:
    yield n


class Wrong:
    def __init__(self, n: int) -> None:
        self.n = n

    def get(self) -> int:
        return self.n + "a"  # type: ignore[operator]


def late(n: int) -> int:
    return defined_nowhere(n)  # type: ignore[name-defined,no-any-return]  # noqa: F821


script: Callable[..., Any] = tscript.script
fork: Callable[..., Any] = tscript.fork
wait: Callable[..., Any] = tscript.wait
custom_op: Callable[..., Callable[..., Any]] = tscript.library.custom_op


@script
def divide(n: int, d: int) -> int:
    return n // d


@script
def first(xs: list[int]) -> int:
    return xs[0]


@script
def entry(d: dict[str, int]) -> int:
    return d["a"]


@script
def is_positive(x: Tensor) -> bool:
    return True if x > 0 else False


@custom_op("tracebacks::corner")
def corner(x: Tensor) -> Tensor:
    return x[0, 0].clone()


@corner.register_fake  # type: ignore[untyped-decorator]
def corner_type(x: Any) -> TensorType:
    if x.rank == 1:
        raise TypeError("a vector has no corner")
    return TensorType(x.dtype, 0)


@script
def select(x: Tensor) -> Tensor:
    return 2.0 * corner(x)


def frames(call: Callable[[], object]) -> tuple[BaseException, list[str]]:
    """What `call` raises, and the functions in its traceback after that of the caller."""
    with pytest.raises(Exception) as caught:  # noqa: PT011 - which one is the caller's matter
        call()
    return caught.value, [f.name for f in traceback.extract_tb(caught.value.__traceback__)][1:]


TOLD: dict[str, tuple[Callable[[], object], type[Exception], list[str]]] = {
    "decorator": (lambda: script(wrong), TypeError, []),
    "syntax": (lambda: script(wrong_syntax), SyntaxError, []),
    "class": (lambda: script(Wrong), TypeError, []),
    "first call": (lambda: script(late)(1), NameError, []),
    "attribute": (lambda: script(late).graph, NameError, []),
    "compile_for": (lambda: select.compile_for("Tensor[float32, 1]"), TypeError, []),
    "graph_for": (lambda: select.graph_for(tscript.ones(2)), TypeError, []),
    "specialisation": (lambda: select(tscript.ones(2)), TypeError, []),
    "load": (lambda: tscript.load(__file__), tscript.ArchiveError, []),
    "no file": (lambda: tscript.load("no/such/file"), OSError, []),
    "arguments": (lambda: divide("1", 2), TypeError, []),
    "count": (lambda: divide(1), TypeError, []),
    "argument of a type": (lambda: script(first.__wrapped__)({1, 2}), TypeError, []),
    "argument of a type, a known row": (lambda: first({1, 2}) if first([1]) else None, TypeError, []),
    "element": (lambda: first([1, "a"]), TypeError, []),
    "inside a kernel": (lambda: entry({}), KeyError, ["entry"]),
    "inside a kernel, a known row": (lambda: entry({}) if entry({"a": 1}) else None, KeyError, ["entry"]),
    "truth of a tensor": (lambda: is_positive(tscript.ones(2)), RuntimeError, ["is_positive"]),
    "fork": (lambda: tscript.fork(divide, "1", 2), TypeError, []),
    "fork, count": (lambda: tscript.fork(divide), TypeError, []),
    "fork of a list": (lambda: tscript.wait(tscript.fork(first, ["1"])), TypeError, []),
    "fork of nothing": (lambda: fork(3), TypeError, []),
    "wait": (lambda: wait(3), TypeError, []),
    "a task": (lambda: tscript.wait(tscript.fork(divide, 1, 0)), ZeroDivisionError, ["divide"]),
    "eager operator, types": (lambda: tscript.exp("a"), TypeError, []),
    "eager operator, overloads": (lambda: tscript.ones(2).sum(axes=0), TypeError, []),
    "eager operator, dims": (lambda: tscript.ones(2).sum(5), IndexError, []),
    "eager operator, sizes": (lambda: tscript.ones(2) + tscript.ones(3), RuntimeError, []),
    "eager index": (lambda: tscript.ones(2)[5], IndexError, []),
    "eager store": (lambda: tscript.ones(2).__setitem__("a", 1.0), TypeError, []),
    "item": (lambda: tscript.ones(2).item(), RuntimeError, []),
    "save of no function": (lambda: tscript.save(3, "x.tsa"), TypeError, []),
    "graph_for, arguments": (lambda: divide.graph_for("1", 2), TypeError, []),
    "run, the first time": (lambda: script(divide.__wrapped__)(1, 0), ZeroDivisionError, ["divide"]),
    "run": (lambda: divide(1, 0) if divide(1, 1) else None, ZeroDivisionError, ["divide"]),
}


@pytest.mark.parametrize("name", TOLD)
def test_what_is_told_ends_at_the_users_line(name: str) -> None:
    call, kind, inside = TOLD[name]
    error, found = frames(call)
    assert isinstance(error, kind)
    assert found == ["<lambda>", *inside]
    assert error.__context__ is None and error.__cause__ is None


def test_what_was_handled_stays_the_context() -> None:
    def handling() -> None:
        try:
            raise KeyError("outer")
        except KeyError:
            script(wrong)

    error, _ = frames(handling)
    assert isinstance(error.__context__, KeyError) and not error.__suppress_context__


def test_bugs_keep_all_frames(monkeypatch: pytest.MonkeyPatch) -> None:
    for bug in (tscript.InternalError("odd"), KeyError("odd"), TypeError("odd")):

        def broken(*_: object, bug: Exception = bug, **__: object) -> object:
            raise bug

        monkeypatch.setattr("tscript.pipeline.Compiler.check", broken)
        assert "broken" in frames(lambda: script(wrong))[1]
        monkeypatch.undo()
        monkeypatch.setattr("tscript.pipeline.programs.Programs.find", lambda *_: None)
        monkeypatch.setattr("tscript.pipeline.Compiler.optimise", broken)
        assert "broken" in frames(lambda: script(divide.__wrapped__)(1, 2))[1]
        monkeypatch.undo()


def test_a_variable_shows_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SHOW, "1")
    assert "lower" in frames(lambda: script(wrong))[1]


def test_a_variable_shows_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SHOW, "1")
    assert "dict_getitem" in frames(lambda: entry({}))[1]


def test_public_functions_are_like_functions() -> None:
    for function in (tscript.script, tscript.save, tscript.load, tscript.fork, tscript.wait):
        assert pickle.loads(pickle.dumps(function)) is function
        assert copy.deepcopy(function) is function
        assert inspect.signature(function).parameters and inspect.isroutine(function) and inspect.getdoc(function)
    assert list(inspect.signature(divide.compile_for).parameters) == ["types"]
    assert repr(tscript.load) == "<tscript function load>"


def test_a_program_prints_its_own_line_only(tmp_path: Path) -> None:
    file = tmp_path / "program.py"
    file.write_text("import tscript\n\n@tscript.script\ndef f(n: int) -> int:\n    return n + 'a'\n")
    done = subprocess.run([sys.executable, str(file)], capture_output=True, text=True, timeout=60, check=False)
    assert done.stderr.count("File ") == 1 and "in <module>" in done.stderr
