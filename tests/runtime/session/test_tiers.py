"""Two tiers of user code: quick code first, better code in the background when it runs often or long."""

from __future__ import annotations

import ctypes
import gc
import linecache
import logging
import os
import pickle
import subprocess
import sys
import threading
import time
import traceback
import weakref
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import lru_cache
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tscript
from tscript.abi.symbols import TIME_LEFT
from tscript.backend.loader.cache import Mode, ObjectCache
from tscript.backend.loader.helper import Helper, HelperError, is_possible
from tscript.pipeline.tiers import Later, Tier
from tscript.runtime.session.process import current
from tscript.runtime.session.ticks import Ticks
from tscript.runtime.session.tiers import SMALL, Tiered, Tiers, processors

CALLS = 20
"""Calls until quick code is hot, in these tests."""

_numbers = count()


@pytest.fixture
def tiers(monkeypatch: pytest.MonkeyPatch) -> Iterator[Tiers]:
    """The tiers of the process, with few calls and without objects of earlier runs."""
    found = current().tiers
    assert found.settle()
    monkeypatch.setattr(found, "calls", CALLS)
    monkeypatch.setattr(found, "patience", 1e6)
    monkeypatch.setattr(found.compiler, "cache", ObjectCache(None))
    yield found
    assert found.settle()


def scripted(text: str, **options: Any) -> Any:
    """The last function of a source nobody compiled before, which may have a number in place of ``$``."""
    number = next(_numbers)
    source = text.replace("$", str(number))
    name = f"<tiers {number}>"
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    scope: dict[str, Any] = {"tscript": tscript, "Tensor": tscript.Tensor, "__name__": __name__}
    exec(compile(source, name, "exec"), scope)
    plain = [v for v in scope.values() if isinstance(v, type(scripted))][-1]
    return tscript.script(plain, **{"optimize": "auto", **options})


def tiered(function: Any) -> list[Tiered | None]:
    """The tiers of the specialisations of a function."""
    return [s.tiered for s in function._scripted.dispatcher.table.values()]


def is_better(function: Any) -> bool:
    """Whether quick code of a function was replaced."""
    return all(found is not None and found.later is None for found in tiered(function))


def heat(function: Callable[[], object], times: int = CALLS) -> None:
    """Call something often enough."""
    for _ in range(times):
        function()


def held(tiers: Tiers, monkeypatch: pytest.MonkeyPatch) -> tuple[threading.Event, threading.Event]:
    """Let the background wait in the middle of a compilation: one event says that it is there, the other lets it go
    on."""
    entered, released = threading.Event(), threading.Event()
    compile_ = tiers._compile

    def slow(later: Later) -> bytes:
        entered.set()
        assert released.wait(60)
        return compile_(later)

    monkeypatch.setattr(tiers, "_compile", slow)
    return entered, released


PLAIN = """
def f(a: float, b: float) -> float:
    c = a * b + $.0
    return c * a - b
"""

TEXTS = """
def f(text: str, least: int) -> dict[str, int]:
    found: dict[str, int] = {}
    if len(text) < least:
        raise ValueError("shorter than " + str(least) + " by $")
    found[text.upper()] = least // (least - 3)
    return found
"""

LOOP = """
def f(n: int) -> int:
    total = $
    for i in range(n):
        total = (total * 3 + i) % 1000003
    return total
"""


def loops(number: int) -> str:
    """A function with so many loops, each of 2,000 characters of LLVM text."""
    body = "".join(
        f"""
    for i in range(n):
        if (i + {k}) % 3 == 0:
            total = total * 0.5 + x / {k + 1}.0
        else:
            total -= i // {k + 1}
"""
        for k in range(number)
    )
    return f"\ndef f(n: int, x: float) -> float:\n    total = $.0\n{body}    return total\n"


LARGE = loops(60)


def test_a_function_that_is_called_often_gets_better_code(tiers: Tiers) -> None:
    f = scripted(PLAIN)
    expected, done = f(2.0, 3.0), tiers.done
    assert tiers.waiting == 0 and not is_better(f)
    heat(lambda: f(2.0, 3.0))
    assert tiers.settle() and tiers.done == done + 1
    assert is_better(f) and f(2.0, 3.0) == expected


def test_the_row_of_the_call_leads_to_the_better_code_itself(tiers: Tiers, monkeypatch: pytest.MonkeyPatch) -> None:
    swapped: list[int] = []
    swap = tiers._callables.swap_code

    def counted(*args: Any) -> int:
        swapped.append(swap(*args))
        return swapped[-1]

    monkeypatch.setattr(tiers._callables, "swap_code", counted)
    f = scripted(PLAIN)
    heat(lambda: f(2.0, 3.0))
    assert tiers.settle() and swapped == [1]
    (specialisation,) = f._scripted.dispatcher.table.values()
    assert swap(f, specialisation.address, specialisation.address) == 0


CHAIN = """
def f(x: Tensor) -> Tensor:
    return tscript.exp(tscript.tanh(x) * $.5) - x
"""


@pytest.mark.parametrize("processors", [1, 2])
def test_few_calls_that_take_long_ask_as_well(tiers: Tiers, monkeypatch: pytest.MonkeyPatch, processors: int) -> None:
    monkeypatch.setattr(tiers, "calls", 1 << 40)
    monkeypatch.setattr(tiers, "patience", 0.002)
    monkeypatch.setattr(tiers, "_has_other", processors > 1)
    f, x = scripted(CHAIN), tscript.ones(100_000)
    expected, began = f(x), time.perf_counter()
    while time.perf_counter() < began + 10 and not is_better(f):
        assert bool((f(x) == expected).all())
    assert tiers.settle() and is_better(f)


def test_many_threads_that_run_the_same_code_ask_once(tiers: Tiers, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tiers, "calls", 1 << 40)
    monkeypatch.setattr(tiers, "patience", 0.001)
    f, x, done = scripted(CHAIN), tscript.ones(50_000), tiers.done
    expected = f(x)
    wrong: list[object] = []

    def work() -> None:
        for _ in range(100):
            if not (f(x) == expected).all():
                wrong.append("another result")

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert tiers.settle() and is_better(f) and tiers.done == done + 1 and not wrong


def test_time_counts_in_ticks(tiers: Tiers, monkeypatch: pytest.MonkeyPatch) -> None:
    ticks = Ticks(current().observation)
    first, second = ticks.per_second(), ticks.per_second()
    assert 0.9 < second / first < 1.1
    f = scripted(CHAIN)
    f(tscript.ones(3))
    (job,) = tiered(f)
    assert job is not None and job.later is not None
    cell = ctypes.c_int64.from_address(job.cell + TIME_LEFT)
    for cores, least, seconds in (2, 0.5, 0.5), (1, 0.5, 0.5), (1, 0.0, job.later.seconds):
        monkeypatch.setattr(tiers, "patience", least)
        monkeypatch.setattr(tiers, "_has_other", cores > 1)
        tiers._reset(job)
        assert abs(cell.value / second - seconds) < 0.1 * seconds
    before = cell.value
    f(tscript.ones(3))
    assert cell.value < before


def test_nothing_runs_in_the_background_while_nothing_is_hot(tiers: Tiers) -> None:
    f = scripted(PLAIN)
    heat(lambda: f(2.0, 3.0), CALLS - 2)
    assert tiers.waiting == 0 and not is_better(f)


@pytest.mark.parametrize("optimize", ["full", "quick"])
def test_other_tiers_are_for_good(tiers: Tiers, optimize: str) -> None:
    f, done = scripted(PLAIN, optimize=optimize), tiers.done
    expected = f(2.0, 3.0)
    heat(lambda: f(2.0, 3.0))
    assert tiered(f) == [None] and tiers.settle() and tiers.done == done
    assert f(2.0, 3.0) == expected


def counted(words: list[str]) -> int:
    found: dict[str, int] = {}
    for word in words:
        found[word] = found.get(word, 0) + 1
    return len(found)


@pytest.mark.parametrize("optimize", [None, "full", "quick"])
def test_a_pickled_function_keeps_its_tier(optimize: Any) -> None:
    f = tscript.script(counted, optimize=optimize)
    copied = pickle.loads(pickle.dumps(f))
    assert copied._scripted.optimize == optimize and copied(["a", "b", "a"]) == 2


def test_another_value_of_optimize_is_an_error() -> None:
    with pytest.raises(ValueError, match="optimize must be 'full', 'quick', 'auto' or None, not 'fast'"):
        tscript.script(optimize="fast")  # type: ignore[call-overload]


def test_the_environment_says_it_for_functions_that_do_not() -> None:
    assert Tier.from_environment({"TSCRIPT_OPTIMIZE": " Full "}) is Tier.FULL
    assert Tier.from_environment({}) is Tier.AUTO
    with pytest.warns(RuntimeWarning, match="TSCRIPT_OPTIMIZE must be one of full, quick, auto, not 'fast'"):
        assert Tier.from_environment({"TSCRIPT_OPTIMIZE": "fast"}) is Tier.AUTO


def test_a_short_function_that_may_run_long_is_optimised_at_once(tiers: Tiers) -> None:
    loop, library = scripted(LOOP), tscript.script(counted, optimize="auto")
    loop(3)
    assert library(["a", "b"]) == 2 and tiered(library) == [None]
    recursive = scripted("def f$(n: int) -> int:\n    return n if n < 2 else f$(n - 1) + f$(n - 2)\n")
    assert recursive(10) == 55
    known = scripted(LOOP.replace("n: int", "").replace("(n)", "(100)"))
    known()
    assert tiered(loop) == tiered(recursive) == [None] and tiered(known) != [None]


def test_recursion_is_as_deep_in_quick_code(tiers: Tiers) -> None:
    """Frames of quick code are larger, so functions that call themselves have none."""
    f = scripted("def f$(n: int) -> int:\n    return 0 if n == 0 else 1 + f$(n - 1)\n", optimize="quick")
    assert f(900) == 900


def test_a_long_first_call_asks_for_better_code_at_its_safepoints(tiers: Tiers) -> None:
    f = scripted(LARGE)
    done, expected = tiers.done, f(10, 2.0)
    assert not is_better(f)
    f(100_000, 2.0)  # fewer calls than would make it hot
    assert tiers.settle() and tiers.done == done + 1 and is_better(f)
    assert f(10, 2.0) == expected


def test_better_code_stays_in_the_cache_and_quick_code_does_not(tiers: Tiers, tmp_path: Path) -> None:
    cache = tiers.compiler.cache = ObjectCache(tmp_path)
    text = PLAIN.replace("$", "1")
    f = scripted(text)
    f(2.0, 3.0)
    (quick,) = cache.list()
    again = scripted(text)
    again(2.0, 3.0)
    assert tiered(again) != [None] and cache.list() == [quick]
    heat(lambda: f(2.0, 3.0))
    assert tiers.settle()
    (full,) = cache.list()
    assert full.key != quick.key
    again = scripted(text)
    assert again(2.0, 3.0) == f(2.0, 3.0) and tiered(again) == [None]
    tiers.compiler.cache = ObjectCache(tmp_path, Mode.READ)
    again = scripted(text)
    assert again(2.0, 3.0) == f(2.0, 3.0) and tiered(again) == [None]


def test_a_cache_that_is_only_read(tiers: Tiers, tmp_path: Path) -> None:
    tiers.compiler.cache = ObjectCache(tmp_path, Mode.READ)
    f = scripted(PLAIN)
    heat(lambda: f(2.0, 3.0))
    assert tiers.settle() and is_better(f) and not list(tmp_path.iterdir())


def test_compile_for_takes_everything(tiers: Tiers) -> None:
    f = scripted(PLAIN)
    f.compile_for("float", "float")
    assert tiered(f) == [None]
    g = scripted(PLAIN)
    expected = g(2.0, 3.0)
    assert not is_better(g)
    g.compile_for("float", "float")
    assert is_better(g) and g(2.0, 3.0) == expected


def test_functions_of_archives_take_everything(tiers: Tiers, tmp_path: Path) -> None:
    tscript.save(scripted(PLAIN), tmp_path / "f.tsa")
    f = tscript.load(tmp_path / "f.tsa")["f"]
    f(2.0, 3.0)
    assert tiered(f) == [None]


def test_the_code_is_swapped_while_threads_run_it(tiers: Tiers) -> None:
    f = scripted(TEXTS)
    expected = f("abc", 2)
    wrong: list[object] = []
    ready = threading.Barrier(5)

    def work() -> None:
        ready.wait()
        for _ in range(300):
            if f("abc", 2) != expected:
                wrong.append("another result")

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    ready.wait()
    for thread in threads:
        thread.join()
    assert tiers.settle() and is_better(f) and not wrong


def test_whatever_holds_the_code_goes_on(tiers: Tiers) -> None:
    f = scripted("def f(n: int) -> int:\n    return n * $ + 1\n")
    expected, bound = f(5), f.__call__
    tasks = [tscript.fork(f, 5) for _ in range(CALLS)]
    assert [tscript.wait(t) for t in tasks] == [expected] * CALLS
    assert tiers.settle() and is_better(f)
    assert tscript.wait(tscript.fork(f, 5)) == bound(5) == f(n=5) == f(5) == expected


def test_a_cached_function_keeps_its_cache(tiers: Tiers) -> None:
    number = next(_numbers)
    source = f"def f(n: int) -> int:\n    return n * {number} + 1\n"
    name = f"<tiers {number}>"
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    scope: dict[str, Any] = {"__name__": __name__}
    exec(compile(source, name, "exec"), scope)
    f = tscript.script(lru_cache(maxsize=None)(scope["f"]), optimize="auto")
    first = [f(n) for n in range(3)]
    heat(lambda: f(1), CALLS * 2)
    assert tiers.settle()
    assert [f(n) for n in range(3)] == first
    assert f.cache_info().misses == 3


def test_errors_are_the_same_in_both_tiers(tiers: Tiers) -> None:
    f = scripted(TEXTS)

    def errors() -> list[str]:
        found = []
        for args in (("abc", 3), ("a", 2), ("abc", 1 << 62)):
            try:
                found.append(repr(f(*args)))
            except (ValueError, ZeroDivisionError) as error:
                found.append("".join(traceback.format_exception(error)))
        return found

    before = errors()
    assert not is_better(f) and any("ZeroDivisionError" in text for text in before)
    heat(lambda: f("abc", 2))
    assert tiers.settle() and is_better(f)
    assert errors() == before


NUMBERS = (
    0.0,
    -0.0,
    1.0,
    -1.5,
    0.1,
    1e-310,
    7.25,
    -88.0,
    709.5,
    1e17,
    1e300,
    float("inf"),
    -float("inf"),
    float("nan"),
)
"""Zeros, subnormal and large numbers, and those that are none."""

SCALARS = """
def f(x: float, y: float) -> list[float]:
    found = [x + y, x - y, x * y + x, abs(x), min(x, y), max(x, y), float(x < y), float(int(x) if abs(x) < 1e18 else 0)]
    if y != 0.0:
        found += [x / y, x % y, x // y]
    if abs(x) < 700.0:
        found += [math.exp(x), math.sin(x), math.cos(x), math.tanh(x), math.atan2(x, y), round(x, 3)]
        if x > 0.0:
            found += [math.log(x), math.sqrt(x), x ** 0.3, math.hypot(x, y)]
    text = str(x) + f"{y:.7g}"
    found.append(float(len(text)))
    return found
"""

TENSORS = """
def f(x: Tensor, y: Tensor) -> list[Tensor]:
    found = [x * y + x, tscript.exp(x), tscript.tanh(x) * y, tscript.sigmoid(x), tscript.log(tscript.abs(x))]
    found += [tscript.sin(x), tscript.maximum(x, y), tscript.minimum(x, y), x.sum(), x.mean(), x.std()]
    found += [tscript.softmax(x, 0), tscript.pow(tscript.abs(x), 0.3), tscript.clamp(x, -1.0, 1.0)]
    found.append((x * 0.5 + 1.0) * (y - 0.1) / (x * x + 1.0))
    return found
"""


def bits(numbers: Any) -> bytes:
    """The bits of floats; those of NaN are all the same."""
    found = np.asarray(numbers)
    return bytes(np.where(np.isnan(found), np.nan, found).astype(found.dtype).tobytes())


def test_numbers_have_the_same_bits_in_both_tiers() -> None:
    quick, full = (scripted("import math\n" + SCALARS, optimize=tier) for tier in ("quick", "full"))
    for x in NUMBERS:
        for y in NUMBERS:
            outcomes: list[object] = []
            for f in (quick, full):
                try:
                    outcomes.append(bits(f(x, y)))
                except (ValueError, OverflowError) as error:
                    outcomes.append(repr(error))
            assert outcomes[0] == outcomes[1], (x, y)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_tensors_have_the_same_bits_in_both_tiers(dtype: Any) -> None:
    quick, full = (scripted(TENSORS, optimize=tier) for tier in ("quick", "full"))
    random = np.random.default_rng(1)
    with np.errstate(over="ignore"):
        special = np.array(NUMBERS, dtype)
    for array in (special, random.normal(0, 3, 37).astype(dtype), random.normal(0, 30, 1001).astype(dtype)):
        x, y = tscript.from_numpy(array), tscript.from_numpy(array[::-1].copy())
        assert [bits(t.numpy()) for t in quick(x, y)] == [bits(t.numpy()) for t in full(x, y)]


def test_a_bug_in_the_background_loses_no_function(
    tiers: Tiers, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(later: Later) -> bytes:
        raise RuntimeError("broken")

    monkeypatch.setattr(tiers, "_compile", broken)
    f = scripted(PLAIN)
    expected, failed = f(2.0, 3.0), tiers.failed
    with caplog.at_level(logging.ERROR, "tscript.compile"):
        heat(lambda: f(2.0, 3.0))
        assert tiers.settle()
    assert tiers.failed == failed + 1 and not is_better(f) and f(2.0, 3.0) == expected
    assert "f() stays with quickly compiled code" in caplog.text and "broken" in caplog.text


def test_a_function_that_is_gone_is_not_compiled(tiers: Tiers, monkeypatch: pytest.MonkeyPatch) -> None:
    entered, released = held(tiers, monkeypatch)
    f, g = scripted(PLAIN), scripted(PLAIN)
    done = tiers.done
    heat(lambda: f(2.0, 3.0))
    assert entered.wait(60)
    for _ in range(CALLS):
        g(2.0, 3.0)
    assert tiers.waiting == 2
    known = weakref.ref(g)
    del g
    gc.collect()
    assert known() is None
    released.set()
    assert tiers.settle() and tiers.done == done + 1 and is_better(f)


def test_a_function_that_goes_while_it_is_compiled(tiers: Tiers, monkeypatch: pytest.MonkeyPatch) -> None:
    entered, released = held(tiers, monkeypatch)
    f, done = scripted(PLAIN), tiers.done
    for _ in range(CALLS):
        f(2.0, 3.0)
    assert entered.wait(60)
    del f
    gc.collect()
    released.set()
    assert tiers.settle() and tiers.done == done + 1


def test_the_background_is_seen_by_callbacks(tiers: Tiers) -> None:
    seen: list[tuple[str, int]] = []
    f = scripted("def seen$(a: float) -> float:\n    return a + $.0\n")
    f(1.0)
    handle = tscript.add_global_callback(
        lambda record: seen.append((record.name, record.thread_id)), scopes=[tscript.RecordScope.COMPILE]
    )
    try:
        heat(lambda: f(1.0), CALLS * 2)
        assert tiers.settle()
    finally:
        handle.remove()
    others = [name for name, thread in seen if thread != threading.get_ident()]
    assert not is_better(f) or [name for name in others if name.startswith("seen")]


@pytest.mark.parametrize("text", [PLAIN, LARGE])
def test_a_signal_while_quick_code_asks(tiers: Tiers, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    """At the entry, where the GIL is held, and at a safepoint, where it is not."""

    def interrupted(job: Tiered) -> None:
        raise KeyboardInterrupt

    f = scripted(text)
    first = f(1, 2.0)
    with monkeypatch.context() as patched:
        patched.setattr(tiers, "_put", interrupted)
        with pytest.raises(KeyboardInterrupt):
            heat(lambda: f(1 if text is PLAIN else 100_000, 2.0))
    assert f(1, 2.0) == first


def test_memory_stats_tell_of_it(tiers: Tiers) -> None:
    f = scripted(PLAIN)
    before = tscript.memory_stats()
    heat(lambda: f(2.0, 3.0))
    assert tiers.settle()
    after = tscript.memory_stats()
    assert after["background_compiles"] == before["background_compiles"] + 1
    assert after["background_waiting"] == 0


def test_the_helper_compiles_the_same(tiers: Tiers) -> None:
    if not is_possible():
        pytest.skip("no interpreter to start")
    compiler = tiers.compiler
    f = scripted(LARGE)
    f(1, 2.0)
    (job,) = tiered(f)
    assert job is not None and job.later is not None
    helper = Helper()
    try:
        from tscript.backend.loader.optimise import generate

        made = helper.generate(job.later.text, compiler.target, 2, job.later.effort)
        assert made == generate(job.later.text, compiler.target, 2, job.later.effort)
        with pytest.raises(RuntimeError, match="LLVM rejects the code"):
            helper.generate("nothing of LLVM", compiler.target, 2, job.later.effort)
        helper.kill()
        with pytest.raises(HelperError, match="the helper has ended"):
            helper.generate(job.later.text, compiler.target, 2, job.later.effort)
    finally:
        helper.close()


def test_llvm_is_the_helpers_where_it_takes_long(tiers: Tiers, monkeypatch: pytest.MonkeyPatch) -> None:
    """So no other thread waits for it: llvmlite holds one lock around every call."""
    if not is_possible():
        pytest.skip("no interpreter to start")
    from llvmlite.binding import ffi

    callers: set[int] = set()
    own = threading.get_ident()

    def taken() -> None:
        if (thread := threading.get_ident()) != own:
            callers.add(thread)

    def given() -> None:
        """Nothing."""

    monkeypatch.setattr(tiers.compiler, "options", replace(tiers.compiler.options, at_once=0))
    f, small = scripted(loops(12)), scripted(PLAIN)
    f(1, 2.0)
    small(1.0, 2.0)
    (job,) = tiered(f)
    assert job is not None and job.later is not None and job.later.seconds > SMALL
    tiers.calls = 1000  # so that it knows the place in a loop that asks
    tiers._reset(job)
    gc.collect()  # what is collected there is no call of the background
    ffi.register_lock_callback(taken, given)
    gc.disable()
    try:
        resumed = tiers.resumed
        f(400_000, 2.0)
        assert tiers.settle() and tiers.resumed > resumed
        assert is_better(f) and not callers
        tiers.calls = CALLS
        heat(lambda: small(1.0, 2.0))
        assert tiers.settle() and is_better(small)
        assert len(callers) == 1
    finally:
        gc.enable()
        tiers._stop()
        ffi.unregister_lock_callback(taken, given)


def test_without_a_helper_the_process_compiles_itself(tiers: Tiers, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tiers, "is_alone", True)
    f = scripted(LARGE)
    f(100_000, 2.0)
    assert tiers.settle() and is_better(f) and tiers._helper is None


def test_processors_of_a_quota(tmp_path: Path) -> None:
    file = tmp_path / "cpu.max"
    file.write_text("50000 100000\n")
    assert processors(file) == 0.5
    file.write_text("max 100000\n")
    assert processors(file) == processors(tmp_path / "none") >= 1


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_child_waits_for_nothing_of_its_parent(tiers: Tiers, monkeypatch: pytest.MonkeyPatch) -> None:
    entered, released = held(tiers, monkeypatch)
    f = scripted(PLAIN)
    heat(lambda: f(2.0, 3.0))
    assert entered.wait(60)
    child = os.fork()
    if child == 0:
        status = 1
        try:
            monkeypatch.undo()
            tiers.calls = CALLS
            g = scripted(PLAIN.replace("$", "5"))
            g(2.0, 3.0)
            heat(lambda: f(2.0, 3.0), CALLS * 2)
            status = 0 if tiers.settle(30) and is_better(f) else 2
        finally:
            os._exit(status)
    _, status = os.waitpid(child, 0)
    released.set()
    assert os.waitstatus_to_exitcode(status) == 0
    assert tiers.settle() and is_better(f)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_child_leaves_the_helper_to_its_parent(tiers: Tiers) -> None:
    f = scripted(LARGE)
    expected = f(3, 2.0)
    f(100_000, 2.0)
    child = os.fork()
    if child == 0:
        status = 1
        try:
            status = 0 if f(3, 2.0) == expected and tiers._helper is None and not tiers.waiting else 2
        finally:
            os._exit(status)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    assert tiers.settle() and is_better(f) and f(3, 2.0) == expected


ENDING = """
import tscript
from tscript.runtime.session.process import current
from tscript.runtime.session.ticks import Ticks

@tscript.script(optimize="auto")
{function}
tiers = current().tiers
tiers.calls = 1
{alone}
f(1, 2.0)
f(1, 2.0)
assert tiers.waiting
print("ends")
"""


@pytest.mark.parametrize("alone", ["", "tiers.is_alone = True"])
def test_a_process_ends_while_it_compiles(tmp_path: Path, alone: str) -> None:
    script = tmp_path / "ending.py"
    script.write_text(ENDING.format(function=LARGE.replace("$", "0").strip(), alone=alone))
    environment = {**os.environ, "TSCRIPT_CACHE": "ro"}
    done = subprocess.run(
        [sys.executable, str(script)], env=environment, capture_output=True, text=True, timeout=300, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "ends\n", "")
