"""Tasks that call Python objects, and their exceptions, as plain Python over checked memory."""

from __future__ import annotations

from typing import Any

import pytest

from tests.runtime.boundary.conftest import Python, str_at
from tests.runtime.boundary.pool.pool_model import NULL, Process, process, returns
from tscript.abi.status import Status
from tscript.dialect.memory_model import space, to_address
from tscript.runtime.boundary.native import python_api as api
from tscript.runtime.boundary.pool import from_python, futures, python_tasks, queue


@pytest.fixture
def pool(python: Python) -> Process:
    return process(python)


def waited(pool: Process, future: Any) -> str:
    """None, or the exception that waiting raises; the future is given back."""
    found = from_python.wait_python(future)
    raised = "" if found == api.Py_None else pool.raised
    assert bool(raised) == (found == NULL)
    return raised


@pytest.mark.parametrize("seed", range(6))
def test_who_waits_runs_it_or_a_thread_does(python: Python, seed: int) -> None:
    pool = process(python, seed)
    alive = python.alive

    def main() -> None:
        made = pool.forked_python(lambda: python.integer(41))
        assert str_at(made.kinds) == "O"
        assert waited(pool, made) == ""
        assert pool.PyGILState_Check() == 1
        value = python_tasks.cells_of(made)[0]
        assert python.value(value) == 41
        futures.release(made)

    pool.run(main)
    assert python.alive == alive


@pytest.mark.parametrize("seed", range(6))
def test_each_wait_raises_a_copy(python: Python, seed: int) -> None:
    pool = process(python, seed)
    alive = python.alive

    def main() -> None:
        made = pool.forked_python(lambda: pool.fail_with("wrong"))
        assert [waited(pool, made) for _ in range(3)] == ["copy of wrong"] * 3
        futures.release(made)

    pool.run(main)
    assert python.alive == alive
    assert pool.lost == []


def test_what_cannot_be_copied_is_raised_itself(pool: Process) -> None:
    alive = pool.python.alive

    def main() -> None:
        made = pool.forked_python(lambda: pool.fail_with("cannot be copied"))
        assert [waited(pool, made) for _ in range(2)] == ["cannot be copied"] * 2
        futures.release(made)

    pool.run(main)
    assert pool.python.alive == alive


def test_the_frames_of_a_task_inside_who_waits_go_with_the_first_copy(pool: Process) -> None:
    def main() -> None:
        pool.can_start = False
        made = pool.forked_python(lambda: pool.fail_with("wrong"))
        assert from_python.wait_python(made) == NULL
        kind, value, traceback = pool.errors[0]
        assert (pool.python.value(value), pool.python.value(traceback)) == ("copy of wrong", "traceback of wrong")
        assert value.type == kind
        assert to_address(made.traceback) == 0
        assert "traceback is gone" in pool.log
        assert pool.raised
        assert from_python.wait_python(made) == NULL
        assert to_address(pool.errors[0][2]) == 0

    pool.run(main)


def test_destructors_of_arguments_do_not_touch_the_exception(pool: Process) -> None:
    during: list[bool] = []
    drop = pool.Py_DecRef

    def watched(o: Any) -> None:
        during.append(0 in pool.errors)
        drop(o)

    def main() -> None:
        pool.can_start = False
        made = pool.forked_python(lambda: pool.fail_with("wrong"))
        space().functions["Py_DecRef"] = watched
        assert waited(pool, made) == "copy of wrong"

    pool.run(main)
    assert during[:3] == [False] * 3


def test_threads_keep_the_state_that_the_interpreter_has_of_them(pool: Process) -> None:
    states: list[Any] = []

    def call() -> Any:
        states.append(pool.python_states[pool.me])
        return pool.python.integer(1)

    def main() -> None:
        for _ in range(3):
            pool.forked_python(call)
            pool.forked(returns(1))
            pool.settle()
        assert pool.counts[1] == 1
        queue.set_limit(0)
        pool.settle()

    pool.run(main)
    assert len(states) == 3 and len(set(map(to_address, states))) == 1
    assert (pool.counts[1], queue.THREADS[0]) == (0, 0)


def test_without_memory_nothing_is_forked(pool: Process) -> None:
    pool.python.memory = 1 << 30
    function = pool.python.made(api.PyLong_Type, returns(1))
    tasks = pool.python.tuple_of()
    pool.python.memory = 0

    def refused(context: Any, nbytes: int, out: Any) -> int:
        pool.raises(context, out)
        return int(Status.RAISED)

    space().functions["ts_heap_allocate_v1"] = refused
    assert to_address(from_python.fork_python(function, tasks, tasks)) == 0
    assert pool.raised == "wrong"
    assert (function.refcount, queue.QUEUED[0]) == (1, 0)
