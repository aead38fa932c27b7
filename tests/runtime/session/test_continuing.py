"""Calls in long loops go on in better code: from each place of each function, with the same result."""

from __future__ import annotations

import ctypes
import gc
import linecache
import logging
import os
import threading
import traceback
import weakref
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import count
from typing import Any

import numpy as np
import pytest

import tscript
from tscript.abi.symbols import CONTINUATIONS, LAST_PLACE
from tscript.backend.llvm.continuation import ContinuationError, type_of
from tscript.backend.llvm.counting import STEPS
from tscript.backend.loader.cache import ObjectCache
from tscript.pipeline.tiers import Later
from tscript.runtime.session.process import current
from tscript.runtime.session.tiers import Tiered, Tiers

BUDGET = 1
"""The cost between two safepoints, in these tests: loops meet one after each iteration."""

_numbers = count()


@pytest.fixture
def tiers(monkeypatch: pytest.MonkeyPatch) -> Iterator[Tiers]:
    """The tiers of the process; every function is quick at first, nothing asks by itself, and safepoints are many."""
    found = current().tiers
    assert found.settle()
    compiler = found.compiler
    monkeypatch.setattr(found, "calls", 1 << 40)
    monkeypatch.setattr(found, "patience", 1e6)
    monkeypatch.setattr(compiler, "cache", ObjectCache(None))
    monkeypatch.setattr(compiler, "options", replace(compiler.options, budget=BUDGET, at_once=0))
    yield found
    assert found.settle()


def made(source: str) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """The last function of a source: as Python has it, and scripted."""
    name = f"<continuing {next(_numbers)}>"
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    scope: dict[str, Any] = {"tscript": tscript, "Tensor": tscript.Tensor, "__name__": __name__}
    exec(compile(source, name, "exec"), scope)
    plain = [v for v in scope.values() if isinstance(v, type(made))][-1]
    return plain, tscript.script(plain, optimize="auto")


def outcome(function: Callable[..., Any], arguments: Callable[[], tuple[Any, ...]]) -> tuple[object, ...]:
    """What a call gives, and what it leaves in its arguments."""
    given = arguments()
    try:
        result: object = function(*given)
    except (ArithmeticError, LookupError, ValueError) as error:
        lines = [line for line in traceback.format_exception(error) if "test_continuing" not in line]
        return type(error), str(error), lines[1:], comparable(given)
    return comparable(result), comparable(given)


def comparable(value: Any) -> object:
    """A value, with the bits of tensors."""
    if isinstance(value, tscript.Tensor):
        return value.numpy().tobytes()
    if isinstance(value, list | tuple):
        return type(value), [comparable(v) for v in value]
    return value


def job_of(function: Any) -> Tiered:
    """The quick code of the only specialisation of a function."""
    (specialisation,) = function._scripted.dispatcher.table.values()
    found: Tiered | None = specialisation.tiered
    assert found is not None
    return found


def lead(tiers: Tiers, job: Tiered, place: int) -> None:
    """Let calls go on in better code from one place on."""
    assert job.later is not None
    job.resume(place, tiers._generated(job.later, place), tiers._callables)


FLOATS = """
def f(xs: list[float], ys: list[float], n: int) -> float:
    total = 0.0
    for r in range(n):
        for x in xs:
            for j in range(len(ys)):
                total += x * ys[j]
                if total > 1e9:
                    total = total / 3.0
        ys[r % len(ys)] += 0.5
    return total
"""

TRIES = """
def f(xs: list[float], n: int, names: list[str]) -> tuple[float, str, list[str]]:
    total = 0.0
    s = ""
    t = ""
    seen: list[str] = []
    for r in range(n):
        try:
            t = s + "!"
            for i in range(len(xs)):
                x = xs[i]
                for j in range(0, len(xs), 2):
                    total += x * xs[j]
                    t = names[j % len(names)]
                if total > 40.0:
                    raise ValueError("big " + str(i))
                seen.append(t)
            s += names[r]
        except ValueError as e:
            total = total - 40.0
            s = s + str(e) + t
        except IndexError:
            while len(s) > 3:
                s = s[1:]
        finally:
            for k in range(r):
                seen.append(str(k))
        while total > 10.0:
            total *= 0.5
            if total == 7.0:
                return total, s, seen
    return total + len(s), s, seen
"""

RETURNS = """
def f(rows: list[list[int]], wanted: int) -> tuple[int, int]:
    steps = 0
    found = -1
    for i, row in enumerate(rows):
        j = 0
        while True:
            if j >= len(row):
                break
            steps += 1
            if row[j] == wanted:
                found = j
                if i > 1:
                    return i, steps
                break
            j += 1
            if row[j - 1] < 0:
                continue
            for k in range(j, 0, -1):
                steps += row[k - 1] % 3
        if found == 5:
            return found, steps
    return found, steps
"""

RAISES = """
def inner(xs: list[int], at: int) -> int:
    total = 0
    for i in range(at):
        for j in range(len(xs)):
            total += xs[j] // (at - i)
            if total > 1 << 40:
                return total
    return total

def f(xs: list[int], n: int) -> int:
    s = 0
    for i in range(n):
        s += inner(xs, i + 1)
        if i > 3:
            s += xs[n]
    return s
"""

OBJECTS = """
def f(words: list[str], n: int) -> tuple[dict[str, int], list[str], str, bool]:
    counts: dict[str, int] = {}
    best = "none"
    constant = "con" + str(n)
    rows: list[str] = []
    last: str | None = None
    is_odd = False
    for i in range(n):
        for word in words:
            counts[word] = counts.get(word, 0) + i
            pair = (word, i)
            for c in word:
                if c == "a":
                    best = word + constant
                    is_odd = not is_odd
                    continue
                rows.append(pair[0] + c)
                if len(rows) > 50:
                    rows = rows[25:]
            if last is not None and last == word:
                best = last
            last = word
    for key, value in counts.items():
        if value > 10:
            best = best + key
    return counts, rows, best, is_odd
"""

STEPPING = """
def f(a: int, b: int, step: int) -> list[int]:
    found: list[int] = []
    for i in range(a, b, step):
        s = 0
        for j in range(i, a, -step):
            s += j * i
            for k in range(a, b, -3):
                s ^= k
        found.append(s)
    return found
"""

CONSTANTS = """
def f(n: int, flag: bool) -> list[str]:
    text = "first"
    other = "second"
    found: list[str] = []
    for i in range(n):
        if flag:
            text = other
        else:
            text = "third"
        for j in range(i):
            found.append(text)
            if j == 3:
                text = "fourth"
        flag = not flag
        found.append(other)
    return found
"""

SIBLINGS = """
def f(xs: dict[int, int], n: int) -> tuple[int, list[int]]:
    total = 0
    found: list[int] = []
    for i in range(n):
        for j in range(n):
            total += xs[j] * i
    for i in range(n):
        total += xs[i]
        for j in range(i):
            found.append(j)
    return total, found
"""

TENSORS = """
def f(x: Tensor, n: int) -> tuple[Tensor, list[Tensor]]:
    kept: list[Tensor] = []
    y = x * 2.0
    for i in range(n):
        for j in range(3 + n):
            y = tscript.tanh(y) + x / (j + 1.0)
            if float(y.sum()) > 1.5:
                kept.append(y)
                y = y - 0.5
        if i == 2:
            y = tscript.cat([y, y])[: x.size(0)]
    return y, kept
"""

CLASSES = """
from dataclasses import dataclass

@dataclass
class Point:
    x: float
    name: str

def f(n: int) -> tuple[float, list[str]]:
    points = [Point(float(i), "p" + str(i)) for i in range(n)]
    best = points[0]
    names: list[str] = []
    for i in range(n):
        for p in points:
            p.x += 0.25 * i
            if p.x > best.x:
                best = p
        try:
            for p in points[::-1]:
                if p.x > 4.0 and i == 4:
                    raise KeyError(p.name)
                names.append(p.name)
        except (KeyError, ValueError) as e:
            names.append(repr(e))
    return best.x, names
"""

INSTANCES = """
class Animal:
    def legs(self) -> int:
        return 4

class Bird(Animal):
    def legs(self) -> int:
        return 2

def f(n: int) -> int:
    found: list[Animal] = [Bird() if i % 3 else Animal() for i in range(n)]
    total = 0
    for i in range(n):
        for animal in found:
            if isinstance(animal, Bird):
                total += i
            total += animal.legs()
    return total
"""

Given = Callable[[], tuple[Any, ...]]

CASES: dict[str, tuple[str, list[Given]]] = {
    "floats": (
        FLOATS,
        [
            lambda: ([0.5 * i for i in range(9)], [1.0 + i for i in range(7)], 5),
            lambda: ([0.5 * i for i in range(9)], [1.0 + i for i in range(18)], 5),
        ],
    ),
    "tries": (
        TRIES,
        [
            lambda: ([0.5 * i for i in range(6)], 7, ["a", "bc", "def", "", "x"]),
            lambda: ([0.5 * i for i in range(6)], 5, ["a", "bc", "def", "", "x"]),  # no index is out of range
        ],
    ),
    "returns": (RETURNS, [lambda: ([[3, -1, 4, 1, 5], [9, 2, -6, 5], [], [5, 5, 7, 8]], 8)]),
    "raises": (RAISES, [lambda: ([5, 7, 9, 11], 9), lambda: ([5, 7, 9, 11, 13, 15], 5)]),
    "objects": (OBJECTS, [lambda: (["banana", "kiwi", "apple", "kiwi"], 6)]),
    "steps": (STEPPING, [lambda: (20, -3, -4)]),
    "constants": (CONSTANTS, [lambda: (9, True)]),
    "siblings": (SIBLINGS, [lambda: ({i: 3 * i for i in range(4)}, 4)]),
    "tensors": (TENSORS, [lambda: (tscript.from_numpy(np.linspace(0, 1, 5)), 5)]),
    "classes": (CLASSES, [lambda: (8,), lambda: (20,)]),
    "instances": (INSTANCES, [lambda: (4,), lambda: (20,)]),
}
"""Sources, and the arguments of calls that together reach all places: loops are there with and without checks."""

UNREACHED = {"tries": 3, "instances": 1}
"""The number of places that no call reaches: in handlers and else branches that are not taken."""


@pytest.mark.parametrize("name", CASES)
def test_a_call_goes_on_from_each_place(tiers: Tiers, name: str) -> None:
    source, calls = CASES[name]
    plain, f = made(source)
    expected = [outcome(f, arguments) for arguments in calls]
    if name != "tensors":
        assert [e[:2] for e in expected] == [outcome(plain, arguments)[:2] for arguments in calls]
    job = job_of(f)
    assert job.later is not None and job.later.marks
    last, passed = ctypes.c_int64.from_address(job.cell + LAST_PLACE), 0
    blocks = tscript.memory_stats()["live_blocks"]
    for place in range(job.later.marks):
        lead(tiers, job, place)
        reached = False
        for arguments, result in zip(calls, expected, strict=True):
            last.value = 0
            assert outcome(f, arguments) == result, place
            reached |= last.value == place + 1
        passed += reached
        tiers._callables.publish(job.cell + CONTINUATIONS + 8 * place, 0)
    assert job.later.marks - passed == UNREACHED.get(name, 0)
    for place in range(job.later.marks):
        lead(tiers, job, place)
    assert [outcome(f, arguments) for arguments in calls] == expected
    assert tscript.memory_stats()["live_blocks"] == blocks
    known = weakref.ref(job)
    codes = tscript.memory_stats()["code_objects"]
    made_of_it = 1 + 2 * job.later.marks
    del f, job
    gc.collect()
    assert known() is None and tscript.memory_stats()["code_objects"] <= codes - made_of_it


def test_a_long_call_asks_and_goes_on(tiers: Tiers, monkeypatch: pytest.MonkeyPatch) -> None:
    """What it asks for is made before it goes on, so the next safepoint is the last one in quick code."""
    monkeypatch.setattr(tiers, "_put", tiers._make)
    _, f = made(FLOATS)
    xs, ys = [0.5 * i for i in range(9)], [1.0 + i for i in range(7)]
    f([], ys, 0)
    job, resumed, done = job_of(f), tiers.resumed, tiers.done
    later = job.later
    assert later is not None
    monkeypatch.setattr(tiers, "calls", 1000)
    tiers._reset(job)
    expected = made(FLOATS)[0](xs, list(ys), 300)
    assert f(xs, ys, 300) == expected
    assert tiers.resumed == resumed + 1 and tiers.done == done + 1 and job.later is None
    left = ctypes.c_int64.from_address(job.cell).value
    assert 1000 - 2 * STEPS <= left <= 1000


def test_without_a_continuation_a_call_stays_in_quick_code(
    tiers: Tiers, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    compile_ = tiers._compile

    def refused(later: Later, place: int | None = None) -> bytes:
        if place is not None:
            raise ContinuationError("refused")
        return compile_(later)

    monkeypatch.setattr(tiers, "_compile", refused)
    monkeypatch.setattr(tiers, "_put", tiers._make)
    _, f = made(RETURNS)
    assert f([], 8) == (-1, 0)
    job, failed, resumed = job_of(f), tiers.failed, tiers.resumed
    monkeypatch.setattr(tiers, "calls", 100)
    tiers._reset(job)
    rows = [[3] * 50, [9] * 50]
    with caplog.at_level(logging.ERROR, "tscript.compile"):
        assert f(rows, 8) == made(RETURNS)[0](rows, 8)
    assert tiers.failed > failed and tiers.resumed == resumed and job.later is None
    assert "stays with quickly compiled code" in caplog.text


def test_types_of_instructions() -> None:
    kinds = {
        "add nuw nsw <4 x i64> %a, %b": "<4 x i64>",
        "icmp slt <4 x i64> %a, %b": "<4 x i1>",
        "fcmp olt double %a, %b": "i1",
        "load atomic i64, ptr %a acquire, align 8": "i64",
        "call { i64, i1 } @llvm.sadd.with.overflow.i64(i64 %a, i64 %b)": "{ i64, i1 }",
        "extractvalue { i64, i1 } %a, 1": "i1",
        "select i1 %c, ptr %a, ptr null": "ptr",
        "getelementptr i8, ptr %a, i64 16": "ptr",
        "zext i1 %a to i8": "i8",
        "shufflevector <4 x float> %a, <4 x float> poison, <8 x i32> zeroinitializer": "<8 x float>",
        "extractelement <4 x float> %a, i32 0": "float",
        "phi [2 x i64] [ %a, %b ]": "[2 x i64]",
    }
    assert {text: type_of(text) for text in kinds} == kinds
    with pytest.raises(ContinuationError, match="the type of this is not known"):
        type_of("cmpxchg ptr %a, i64 %b, i64 %c seq_cst seq_cst")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_child_asks_for_its_own_continuation(tiers: Tiers, monkeypatch: pytest.MonkeyPatch) -> None:
    """While the parent's is being made."""
    entered, released = threading.Event(), threading.Event()
    compile_ = tiers._compile

    def slow(later: Later, place: int | None = None) -> bytes:
        entered.set()
        assert released.wait(60)
        return compile_(later, place)

    monkeypatch.setattr(tiers, "_compile", slow)
    _, f = made(RETURNS)
    rows = [[3] * 50, [9] * 50]
    assert f([], 8) == (-1, 0)
    job, expected = job_of(f), f(rows, 8)
    monkeypatch.setattr(tiers, "calls", 300)
    tiers._reset(job)
    assert f(rows, 8) == expected
    assert entered.wait(60) and job.places
    child = os.fork()
    if child == 0:
        status = 1
        try:
            tiers._compile = compile_  # type: ignore[method-assign]
            first = job.places == [] and f(rows, 8) == expected
            status = 0 if first and tiers.settle(60) and tiers.resumed and f(rows, 8) == expected else 2
        finally:
            os._exit(status)
    _, status = os.waitpid(child, 0)
    released.set()
    assert os.waitstatus_to_exitcode(status) == 0
    assert tiers.settle() and job.settled and f(rows, 8) == expected
