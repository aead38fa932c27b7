"""Threads of the pool, as plain Python over checked memory: which tasks they run, and when they begin and leave."""

from __future__ import annotations

from typing import Any

import pytest

from tests.runtime.boundary.conftest import Python
from tests.runtime.boundary.pool.pool_model import NEW_THREAD, Process, process, result, returns, zeros
from tscript.abi.layout import MAX_DEPTH
from tscript.abi.status import Status
from tscript.dialect import Record, RecordSite, Unit, Void
from tscript.dialect.memory_model import allocate, to_address
from tscript.runtime.boundary.pool import futures, queue
from tscript.runtime.boundary.pool.workers import run


@pytest.fixture
def pool(python: Python) -> Process:
    return process(python)


def settled(pool: Process) -> None:
    """Nothing runs and nothing is left."""
    assert queue.UNFINISHED[0] == queue.QUEUED[0] == queue.SEARCHING[0] == 0
    assert not pool.held[to_address(queue.LOCK[0])]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("limit", [1, 2, 9])
def test_all_tasks_run_on_at_most_so_many_threads(python: Python, seed: int, limit: int) -> None:
    pool = process(python, seed)
    order: list[int] = []

    def task(i: int) -> Any:
        def body(context: Any, future: Any) -> int:
            order.append(i)
            assert pool.me != 0
            assert to_address(context.thread_state) == 0
            assert context.depth == MAX_DEPTH
            return returns(i)(context, future)

        return body

    def main() -> list[Any]:
        queue.set_limit(limit)
        return [pool.forked(task(i)) for i in range(5)]

    made = pool.run(main)
    assert [result(f) for f in made] == list(range(5))
    assert [(f.refcount, f.state, f.waited) for f in made] == [(1, futures.DONE, 0)] * 5
    assert queue.THREADS[0] == pool.log.count(NEW_THREAD) <= limit
    if limit == 1:
        assert order == list(range(5))
    settled(pool)


def test_threads_leave_when_there_are_too_many(pool: Process) -> None:
    def main() -> None:
        queue.set_limit(4)
        made = [pool.forked(returns(i)) for i in range(8)]
        pool.settle()
        assert all(f.state == futures.DONE for f in made)
        assert queue.THREADS[0] > 1
        queue.set_limit(1)

    pool.run(main)
    assert queue.THREADS[0] == 1
    assert len(pool.held) == 2  # the pool's and that of the thread
    settled(pool)


def test_a_thread_that_does_not_start_is_not_counted(pool: Process) -> None:
    pool.can_start = False
    made = pool.forked(returns(1))
    assert (made.state, queue.THREADS[0], queue.QUEUED[0]) == (futures.PENDING, 0, 1)


def test_a_thread_without_memory_leaves(pool: Process) -> None:
    def main() -> None:
        pool.locks = 0
        pool.forked(returns(1))

    pool.run(main)
    assert (queue.THREADS[0], queue.QUEUED[0]) == (0, 1)
    assert not pool.held[to_address(queue.LOCK[0])]


def test_tasks_have_debug_info_of_their_own_and_close_what_they_open(pool: Process) -> None:
    left: Any = allocate(1024, Record, "left open")

    def body(context: Any, future: Any) -> int:
        thread = pool.ts_thread_v1()
        assert thread.debug_info == 7
        assert context.observer == thread
        thread.open, thread.guard, thread.debug_info = left, 5, 99
        return 0

    def main() -> Any:
        pool.ts_thread_v1().debug_info = 7
        return pool.forked(body)

    made = pool.run(main)
    thread = pool.states[1]
    assert (to_address(thread.open), thread.guard, thread.debug_info) == (0, 0, 0)
    assert made.debug_info == 7
    assert pool.debug == {7: 0}


@pytest.mark.parametrize("observed", [False, True])
def test_calls_from_python_run_an_observed_variant(pool: Process, observed: bool) -> None:
    codes = [allocate(8, Void, "plain"), allocate(8, Void, "variant")]
    site = zeros(RecordSite, name="site")

    def body(context: Any, future: Any) -> int:
        assert future.code == codes[observed]
        return int(Status.OK)

    def main() -> None:
        unit = zeros(Unit, name="unit")
        unit.site = site
        if observed:
            unit.observed[0] = codes[1]
        made = pool.native(body)
        made.unit, made.code = unit, codes[0]
        pool.forked(returns(0))
        queue.lock()
        queue.put(made)
        queue.unlock()
        made.refcount = 2

    pool.run(main)
    assert [x for x in pool.log if x not in (NEW_THREAD, "freed")] == (["enter", ("leave", 0)] if observed else [])


def test_how_a_task_failed_is_kept(pool: Process) -> None:
    def main() -> Any:
        return pool.forked(pool.raises)

    made = pool.run(main)
    assert (made.status, made.record[0], pool.owner.references) == (Status.RAISED, 1, 1)


def test_a_python_exception_leaves_no_gil_behind(pool: Process) -> None:
    def body(context: Any, future: Any) -> int:
        pool.PyGILState_Ensure()
        pool.fail_with("wrong")
        return int(Status.PYTHON)

    def main() -> Any:
        made = pool.forked(body)
        pool.settle()
        return made

    made = pool.run(main)
    assert pool.python.value(made.error) == "wrong"
    assert pool.counts[1] == 0
    assert pool.errors == {}


def test_a_python_exception_that_was_caught_leaves_no_gil_behind(pool: Process) -> None:
    def body(context: Any, future: Any) -> int:
        pool.PyGILState_Ensure()
        return int(Status.OK)

    def main() -> Any:
        made = pool.forked(body)
        pool.settle()
        return made

    assert pool.run(main).status == 0
    assert pool.counts[1] == 0


def test_a_task_that_forks_the_process_ends_in_the_child(pool: Process) -> None:
    # Whom the task would wake stayed behind, and so did the count of tasks.
    def body(context: Any, future: Any) -> int:
        queue.before_fork()
        future.waiters = zeros(Void, 16, "stack of another thread")
        queue.after_fork_in_child()
        return returns(3)(context, future)

    def main() -> Any:
        made = pool.native(body)
        made.refcount = 2
        queue.put(made)
        queue.claim(made)
        pool.PyEval_RestoreThread(run(made, MAX_DEPTH, pool.PyEval_SaveThread()))
        return made

    made = pool.run(main)
    assert (made.state, result(made), made.refcount) == (futures.DONE, 3, 1)
    assert queue.UNFINISHED[0] == 0
