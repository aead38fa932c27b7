"""Compiled code goes when nothing needs it any more, and not before."""

from __future__ import annotations

import gc
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import tscript
from tscript import Tensor
from tscript.runtime.session.process import current

ROUNDS = 70
"""More than objects share a JIT."""


def loaded() -> tuple[int, int, int]:
    """Memory maps of the process, loaded objects, and closed ones that are still needed."""
    gc.collect()
    objects = tscript.memory_stats()["code_objects"]
    with open("/proc/self/maps", encoding="utf-8") as maps:
        return sum(1 for _ in maps), objects, current().compiler.session.store.waiting


def steady(step: Callable[[], object], rounds: int = ROUNDS) -> None:
    """A step that is repeated leaves nothing loaded."""
    for _ in range(3):
        step()
    maps, objects, waiting = loaded()
    for _ in range(rounds):
        step()
    assert loaded()[1:] == (objects, waiting)
    assert loaded()[0] <= maps + 6


def total(xs: list[int], by: int) -> int:
    found = 0
    for x in xs:
        found += x // by
    return found


def named(n: int) -> str:
    return "odd" if n % 2 else "even"


def adder(n: int) -> Callable[[int], int]:
    label = "a constant"

    def add(m: int) -> int:
        if m < 0:
            raise ValueError(label)
        return n + m

    return add


def scaled(x: Tensor, by: float) -> Tensor:
    return x * by


def slow(n: int) -> int:
    found = 0
    for i in range(n):
        found ^= i * i
    return found


def test_a_function_that_is_defined_again_and_again() -> None:
    def step() -> None:
        assert tscript.script(total)([7, 9], 2) == 7
        assert tscript.script(named)(3) == "odd"
        with pytest.raises(ZeroDivisionError):
            tscript.script(total)([7], 0)

    steady(step)


def test_an_archive_that_is_loaded_again_and_again(tmp_path: Path) -> None:
    tscript.save(tscript.script(total), tmp_path / "a.tsa", native=True)
    trust = iter(range(1000))

    def step() -> None:
        module = tscript.load(tmp_path / "a.tsa", trust_native=next(trust) % 2 == 0)
        assert module([7, 9], 2) == 7

    steady(step)


def test_errors_that_are_kept() -> None:
    waiting = loaded()[2]
    errors: list[ZeroDivisionError] = []
    for _ in range(3):
        try:
            tscript.script(total)([7], 0)
        except ZeroDivisionError as error:
            errors.append(error)
    assert loaded()[2] == waiting
    for kept in errors:
        trace = kept.__traceback__
        while trace is not None and trace.tb_next is not None:
            trace = trace.tb_next
        assert trace is not None and trace.tb_frame.f_code.co_name == "total"


def test_functions_as_values_keep_their_code() -> None:
    def step() -> None:
        add = tscript.script(adder)(40)
        gc.collect()
        assert add(2) == 42
        with pytest.raises(ValueError, match="a constant"):
            add(-1)

    steady(step, 4)
    kept = [tscript.script(adder)(i) for i in range(5)]
    before = loaded()
    assert [f(1) for f in kept] == [1, 2, 3, 4, 5]
    kept.clear()
    assert loaded()[1] == before[1] - 5


def apply(f: Callable[[int], int], n: int) -> int:
    return f(n) + 1


def double(n: int) -> int:
    return 2 * n


def compose(f: Callable[[int], int], g: Callable[[int], int]) -> Callable[[int], int]:
    def both(n: int) -> int:
        return f(g(n))

    return both


def test_functions_that_are_passed_to_others() -> None:
    def step() -> None:
        assert tscript.script(apply)(tscript.script(double), 20) == 41
        both = tscript.script(compose)(tscript.script(double), tscript.script(adder)(1))
        gc.collect()
        loaded()
        assert both(4) == 10

    steady(step, 4)


def echo(make: Callable[[], str]) -> Callable[[], str]:
    text = make()

    def again() -> str:
        return text

    return again


def word() -> str:
    return "a text that is a constant of its function"


def test_constants_of_code_that_is_gone() -> None:
    def step() -> None:
        again = tscript.script(echo)(tscript.script(word))
        loaded()
        assert again() == "a text that is a constant of its function"

    steady(step, 4)


def failing(make: Callable[[], int]) -> Callable[[], str]:
    kept: Exception = ValueError()
    try:
        make()
    except ZeroDivisionError as error:
        kept = error

    def text() -> str:
        return str(kept)

    return text


def broken() -> int:
    n = 0
    return 1 // n


def test_exceptions_of_code_that_is_gone() -> None:
    def step() -> None:
        text = tscript.script(failing)(tscript.script(broken))
        loaded()
        assert "zero" in text()

    steady(step, 4)


def test_tasks_keep_their_code() -> None:
    def step() -> None:
        futures = [tscript.fork(tscript.script(slow), 200_000) for _ in range(3)]
        gc.collect()
        assert len({f.wait() for f in futures}) == 1
        tensor = tscript.fork(tscript.script(scaled), tscript.ones(2), 3.0)
        assert tensor.wait().tolist() == [3.0, 3.0]

    steady(step, 3)


def failed(n: int) -> int:
    return 10 // n


def test_tasks_that_fail_keep_their_places() -> None:
    def step() -> None:
        future = tscript.fork(tscript.script(failed), 0)
        while not future.done():
            time.sleep(0.001)
        loaded()
        with pytest.raises(ZeroDivisionError):
            future.wait()

    steady(step, 3)


def test_calls_in_flight_on_other_threads() -> None:
    ended: list[int] = []

    def run() -> None:
        ended.append(tscript.script(slow)(3_000_000))

    threads = [threading.Thread(target=run) for _ in range(3)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        loaded()
        tscript.script(named)(2)
    for thread in threads:
        thread.join()
    assert len(set(ended)) == 1 and len(ended) == 3


def watched(x: Tensor) -> Tensor:
    return (x * 2.0 + 1.0).exp()


def test_observed_variants_go_too() -> None:
    seen: list[str] = []
    counted: list[int] = []

    def step() -> None:
        tscript.enable_operator_stats(timing_prob=1.0)
        callback = tscript.add_global_callback(lambda record: seen.append(record.name))
        tscript.script(watched)(tscript.ones(3))
        callback.remove()
        tscript.enable_operator_stats(False)
        loaded()
        counted.append(sum(stats.count for stats in tscript.operator_stats().values()))

    steady(step, 3)
    assert counted == list(range(counted[0], counted[-1] + 1, counted[1] - counted[0]))
    assert seen.count("fused_mul_add_exp") == 6
    tscript.reset_operator_stats()
