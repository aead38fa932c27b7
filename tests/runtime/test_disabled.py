"""`tscript.disabled` and ``TSCRIPT_DISABLE=1``: scripted functions run as plain Python."""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

import functools
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

import tscript
from tscript import Tensor

SEEN: list[str] = []


@tscript.script
def inner(n: int) -> int:
    if not tscript.is_scripting():
        SEEN.append("inner")
    return n + 1


@tscript.script
def outer(x: Tensor, n: int = 2) -> Tensor:
    if not tscript.is_scripting():
        SEEN.append("outer")
    return x * inner(n)


class Counter:
    def __init__(self) -> None:
        self.n = 0

    @tscript.script
    def up(self, by: int = 1) -> int:
        if not tscript.is_scripting():
            SEEN.append("up")
        self.n += by
        return self.n


@tscript.script
@functools.cache
def fib(n: int) -> int:
    if not tscript.is_scripting():
        SEEN.append("fib")
    return n if n < 2 else fib(n - 1) + fib(n - 2)


@pytest.fixture(autouse=True)
def _nothing_seen() -> None:
    SEEN.clear()


def test_calls_run_python_and_are_compiled_again_afterwards() -> None:
    x, counter = tscript.ones(2), Counter()
    assert outer(x).tolist() == [3.0, 3.0] and counter.up() == 1 and SEEN == []
    with tscript.disabled():
        assert outer(x).tolist() == [3.0, 3.0] and outer(x, n=4).tolist() == [5.0, 5.0]
        assert counter.up(by=2) == 3
        assert SEEN == ["outer", "inner"] * 2 + ["up"]
        with tscript.disabled():
            inner(1)
        inner(1)
        assert SEEN[5:] == ["inner", "inner"]
    SEEN.clear()
    assert outer(x).tolist() == [3.0, 3.0] and counter.up() == 4 and SEEN == []


def test_it_ends_with_an_exception() -> None:
    with pytest.raises(ZeroDivisionError), tscript.disabled():
        1 / 0
    inner(1)
    assert SEEN == []


def test_it_is_a_decorator() -> None:
    @tscript.disabled()
    def run() -> int:
        return inner(1)

    assert run() == 2 and SEEN == ["inner"]


def test_caches_stay_caches() -> None:
    with tscript.disabled():
        assert fib(60) == 1548008755920
        assert SEEN.count("fib") == 61


def test_functions_that_are_decorated_meanwhile() -> None:
    with tscript.disabled():

        @tscript.script
        def scale(x: Tensor, by: float) -> Tensor:
            return x * by

        @tscript.script
        def cannot(n: int) -> int:
            return eval("n + 1")

        assert scale(tscript.ones(1), 2.0).tolist() == [2.0]
        assert cannot(2) == 3
        text = "lambda n: n * 2"
        assert tscript.script(eval(text))(4) == 8
    assert scale(tscript.ones(1), 3.0).tolist() == [3.0]
    assert "mul" in str(scale.graph)  # type: ignore[attr-defined]
    with pytest.raises(tscript.CompileError, match="TS408"):
        cannot(2)


def test_tasks_run_python() -> None:
    with tscript.disabled():
        assert tscript.wait(tscript.fork(inner, 4)) == 5
    assert SEEN == ["inner"]
    assert tscript.wait(tscript.fork(inner, 4)) == 5 and SEEN == ["inner"]


def test_archives_stay_native(tmp_path: Path) -> None:
    tscript.save(inner, tmp_path / "inner.tsa")
    loaded = tscript.load(tmp_path / "inner.tsa")
    with tscript.disabled():
        assert loaded(1) == 2
    assert SEEN == []


def test_threads_meet_both() -> None:
    results: list[int] = []
    stop = threading.Event()

    def work() -> None:
        while not stop.is_set():
            results.append(inner(1))

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for _ in range(200):
        with tscript.disabled():
            inner(1)
    stop.set()
    for thread in threads:
        thread.join()
    assert set(results) == {2}


PROGRAM = """
import sys
import tscript

@tscript.script
class Point:
    def __init__(self, x: int):
        self.x = x
    def wrong(self) -> int:
        return self.y

@tscript.script
def f(n: int) -> int:
    breakpoint()
    print("n is", n)
    return Point(n).x + 1

sys.breakpointhook = lambda: print("stopped in", sys._getframe(1).f_code.co_name)
print(f(2))
print(type(f).__name__, f.__name__)
"""


def run(program: str, **names: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", program], env={**os.environ, **names}, capture_output=True, text=True, check=False
    )


def test_the_environment_disables_it_from_the_start() -> None:
    assert run(PROGRAM, TSCRIPT_DISABLE="1").stdout == "stopped in f\nn is 2\n3\nScriptFunction f\n"


def test_breakpoints_say_how_they_work() -> None:
    found = run(PROGRAM.replace("self.y", "self.x")).stderr
    assert "with TSCRIPT_DISABLE=1 in the environment functions run as plain Python" in found


def test_a_debugger_steps_through_it() -> None:
    lines: list[Any] = []

    def trace(frame: Any, event: str, argument: object) -> Any:
        if frame.f_code.co_filename == __file__:
            lines.append((frame.f_code.co_name, event))
            return trace
        return None

    with tscript.disabled():
        sys.settrace(trace)
        try:
            inner(1)
        finally:
            sys.settrace(None)
    assert ("inner", "call") in lines and ("inner", "return") in lines
