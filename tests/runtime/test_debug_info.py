"""Debug info: guards, threads, tasks, callbacks; nothing is kept alive."""

from __future__ import annotations

import gc
import threading
import time
import weakref
from typing import Any

import pytest

import tscript
from tscript import DebugInfoGuard, Tensor, debug_info
from tscript.runtime.session.process import current


class Info:
    """Something that can be referred to weakly."""


@tscript.script
def increase(x: Tensor) -> Tensor:
    return x + 1.0


@tscript.script
def both(x: Tensor) -> Tensor:
    a = tscript.fork(increase, x)
    b = tscript.fork(increase, x * 2.0)
    return a.wait() + b.wait()


def test_the_innermost_guard_counts() -> None:
    assert debug_info("a") is None
    with DebugInfoGuard("a", 1), DebugInfoGuard("b", 2):
        with DebugInfoGuard("a", 3):
            assert (debug_info("a"), debug_info("b"), debug_info(("c", 1))) == (3, 2, None)
            with DebugInfoGuard("a", None):
                assert debug_info("a") is None
        assert debug_info("a") == 1
    assert debug_info("a") is None


def test_a_guard_may_be_used_again_and_inside_itself() -> None:
    guard = DebugInfoGuard(("kind", 1), "info")
    with guard, guard:
        assert debug_info(("kind", 1)) == "info"
    assert debug_info(("kind", 1)) is None


def test_an_exception_leaves_the_guard() -> None:
    with pytest.raises(ZeroDivisionError), DebugInfoGuard("a", 1):
        raise ZeroDivisionError
    assert debug_info("a") is None


def test_guards_left_out_of_turn() -> None:
    first, second, third = (DebugInfoGuard(k, i) for k, i in (("k", 1), ("k", 2), ("other", 3)))
    for guard in (first, second, third):
        guard.__enter__()
    second.__exit__(None, None, None)
    assert (debug_info("k"), debug_info("other")) == (1, 3)
    third.__exit__(None, None, None)
    assert debug_info("k") == 1
    first.__exit__(None, None, None)
    assert debug_info("k") is None


def test_other_threads_have_their_own() -> None:
    found: list[object] = []
    with DebugInfoGuard("a", 1):
        captured = tscript.capture_debug_info()

        def work() -> None:
            found.append(debug_info("a"))
            with DebugInfoGuard("a", 5), tscript.restore_debug_info(captured):
                found.append(debug_info("a"))
            found.append(debug_info("a"))

        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    assert found == [None, 1, None]


def test_tasks_have_the_info_of_their_fork() -> None:
    gate = threading.Event()
    before = tscript.get_num_interop_threads()
    tscript.set_num_interop_threads(1)
    try:
        blocked = tscript.fork(gate.wait)
        with DebugInfoGuard("a", "fork"):
            future = tscript.fork(debug_info, "a")
        without = tscript.fork(debug_info, "a")
        with DebugInfoGuard("a", "wait"):
            assert (future.wait(), without.wait(), debug_info("a")) == ("fork", None, "wait")
        gate.set()
        assert blocked.wait()
    finally:
        gate.set()
        tscript.set_num_interop_threads(before)


def test_callbacks_see_it_in_tasks_of_scripts() -> None:
    seen: list[tuple[str, Any]] = []
    handle = tscript.add_global_callback(lambda record: seen.append((record.name, debug_info("request"))))
    try:
        with DebugInfoGuard("request", 17):
            both(tscript.ones(3))
        both(tscript.ones(3))
    finally:
        handle.remove()
    added = [info for name, info in seen if name == "add"]
    assert sorted(added, key=str) == [17, 17, 17, None, None, None]


def test_nothing_is_kept_alive() -> None:
    info = Info()
    gone = weakref.ref(info)
    with DebugInfoGuard("a", info):
        future = tscript.fork(increase, tscript.ones(2))
    del info
    future.wait()
    del future
    end = time.monotonic() + 10
    while (gone() is not None or current().pool.unfinished) and time.monotonic() < end:
        gc.collect()
        time.sleep(0.001)
    assert gone() is None


def test_bad_input() -> None:
    with pytest.raises(TypeError, match="must be hashable, such as a str, not a list"):
        DebugInfoGuard([], 1)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"takes what capture_debug_info\(\) gives, not int"):
        tscript.restore_debug_info(1)  # type: ignore[arg-type]
