"""Waiting for tasks, as plain Python over checked memory: who runs them, and what waiting raises."""

from __future__ import annotations

from typing import Any

import pytest

from tests.runtime.boundary.conftest import Python, str_at
from tests.runtime.boundary.pool.pool_model import NEW_THREAD, Process, process, result, returns
from tests.runtime.boundary.pool.schedule import Deadlock
from tscript.abi.exceptions import number_of
from tscript.abi.layout import MAX_DEPTH
from tscript.abi.status import Status
from tscript.dialect import Object
from tscript.dialect.memory_model import allocate, to_address
from tscript.runtime.boundary.pool import futures, queue, waiting
from tscript.runtime.boundary.pool.workers import finish


@pytest.fixture
def pool(python: Python) -> Process:
    return process(python)


def refusal(pool: Process, future: Any, context: Any = None) -> tuple[int, str, str]:
    """The number, class and message that waiting raises."""
    used = pool.context() if context is None else context
    assert pool.wait(future, used) == Status.RAISED
    assert (used.ntrace, used.nargs) == (1, 0)
    site = used.trace[0]
    assert (site.line, to_address(site.owner), to_address(site.caller)) == (1, 0, 0)
    return site.number, str_at(site.exception), str_at(site.message)


def test_a_task_that_is_done_keeps_the_gil(pool: Process) -> None:
    def main() -> None:
        made = pool.forked(returns(5))
        pool.settle()
        context = pool.context()
        assert waiting.wait_for(context, made) == 0
        assert (to_address(context.thread_state), made.waited, result(made)) == (0, 1, 5)

    pool.run(main)


@pytest.mark.parametrize("start", [False, True])
@pytest.mark.parametrize("seed", range(8))
def test_a_pool_of_any_size_gets_everything_done(python: Python, seed: int, start: bool) -> None:
    pool = process(python, seed)
    pool.can_start = start

    def chain(n: int) -> Any:
        def body(context: Any, future: Any) -> int:
            if n == 0:
                return returns(0)(context, future)
            inner = pool.forked(chain(n - 1))
            assert waiting.wait_for(context, inner) == 0
            returns(result(inner) + 1)(context, future)
            futures.release(inner)
            return 0

        return body

    def main() -> int:
        made = pool.forked(chain(12))
        assert pool.wait(made) == 0
        return result(made)

    assert pool.run(main) == 12
    assert queue.UNFINISHED[0] == queue.QUEUED[0] == 0


def test_who_waits_runs_that_task_and_no_other(pool: Process) -> None:
    pool.can_start = False
    first, second = pool.forked(returns(1)), pool.forked(returns(2))

    def main() -> None:
        assert pool.wait(second) == 0

    pool.run(main)
    assert (first.state, second.state, result(second)) == (futures.PENDING, futures.DONE, 2)
    assert queue.HEAD[0] == queue.TAIL[0] == first


def test_a_task_inside_another_has_less_depth_and_hears_signals(pool: Process) -> None:
    seen: list[Any] = []

    def body(context: Any, future: Any) -> int:
        seen.append((context.depth, to_address(context.thread_state)))
        return 0

    def main() -> None:
        pool.can_start = False
        assert pool.wait(pool.forked(body), pool.context(1500)) == 0

    pool.run(main)
    assert seen == [(1500 - waiting.NESTED_COST, to_address(pool.python_states[0]))]


@pytest.mark.parametrize("reason", ["depth", "stack"])
@pytest.mark.parametrize("seed", range(4))
def test_who_has_no_room_starts_another_thread(python: Python, reason: str, seed: int) -> None:
    pool = process(python, seed)
    pool.room = reason != "stack"

    def main() -> None:
        queue.set_limit(0)  # so the fork itself starts none
        made = pool.forked(returns(3))
        assert pool.log == []
        depth = waiting.LEAST_DEPTH if reason == "depth" else MAX_DEPTH
        assert pool.wait(made, pool.context(depth)) == 0
        assert result(made) == 3

    pool.run(main)
    assert pool.log.count(NEW_THREAD) == 1
    assert queue.THREADS[0] == 0


def test_too_many_tasks_that_nobody_has_begun(pool: Process) -> None:
    pool.room = pool.can_start = False
    made = pool.forked(returns(1))
    queue.THREADS[0] = queue.MOST_THREADS
    found = refusal(pool, made)
    assert found == (number_of("RecursionError"), "RecursionError", waiting.DEEP)
    assert not pool.held[to_address(queue.LOCK[0])]


def test_who_has_no_room_may_find_no_thread(pool: Process) -> None:
    def main() -> None:
        pool.room = pool.can_start = False
        made = pool.forked(returns(1))
        assert refusal(pool, made)[1:] == ("RecursionError", waiting.DEEP)
        assert (made.state, queue.THREADS[0], to_address(made.waiters)) == (futures.PENDING, 0, 0)
        pool.room = True
        assert pool.wait(made) == 0

    pool.run(main)
    assert len(pool.held) == 1


def test_tasks_of_the_parent_are_lost_in_a_child(pool: Process) -> None:
    pool.can_start = False
    pending, done = pool.forked(returns(1)), pool.forked(returns(2))
    assert pool.wait(done) == 0
    queue.before_fork()
    queue.after_fork_in_child()
    assert refusal(pool, pending) == (number_of("RuntimeError"), "RuntimeError", waiting.LOST)
    assert pool.wait(done) == 0
    assert pool.PyGILState_Check() == 1


def test_that_a_task_is_lost_can_be_kept_by_another(pool: Process) -> None:
    # The site of it was shorter than a `Site`.
    pool.can_start = False
    pending = pool.forked(returns(1))
    queue.before_fork()
    queue.after_fork_in_child()

    def body(context: Any, future: Any) -> int:
        return waiting.wait_for(context, pending)

    def main() -> None:
        made = pool.forked(body)
        for _ in range(2):
            assert refusal(pool, made)[1] == "RuntimeError"
        futures.release(made)

    pool.run(main)


def test_there_may_be_no_memory_to_sleep(pool: Process) -> None:
    def main() -> None:
        pool.room, pool.can_start = False, False
        made = pool.forked(returns(1))
        pool.locks = 0
        assert refusal(pool, made) == (number_of("MemoryError"), "MemoryError", waiting.NO_MEMORY)
        assert (queue.THREADS[0], to_address(made.waiters)) == (0, 0)

    pool.run(main)


@pytest.mark.parametrize("looks", [0, 2])
@pytest.mark.parametrize("seed", range(4))
def test_a_signal_ends_the_waiting(python: Python, seed: int, looks: int) -> None:
    pool = process(python, seed)
    may_end: list[int] = []

    def endless(context: Any, future: Any) -> int:
        pool.schedule.wait(lambda: bool(may_end))
        return 0

    def main() -> Any:
        made = pool.forked(endless)
        while made.state != queue.RUNNING:
            pool.schedule.switch()
        pool.signals = looks
        context = pool.context()
        assert waiting.wait_for(context, made) == Status.PYTHON
        assert (pool.PyGILState_Check(), to_address(context.thread_state)) == (1, 0)
        assert pool.raised == "KeyboardInterrupt"
        assert to_address(made.waiters) == 0
        may_end.append(1)
        return made

    made = pool.run(main)
    assert made.state == futures.DONE
    assert len(pool.held) == 2  # the pool's and that of the thread


def test_threads_of_the_pool_hear_no_signals(pool: Process) -> None:
    def main() -> Any:
        pool.signals = 0
        queue.set_limit(2)
        inner = pool.native(returns(1))
        inner.state = queue.RUNNING
        outer = pool.forked(lambda context, future: waiting.wait_for(context, inner))
        pool.settle()
        assert outer.state == queue.RUNNING
        inner.refcount = 2
        queue.UNFINISHED[0] += 1
        finish(inner)
        return outer

    assert pool.run(main).state == futures.DONE


def test_a_task_that_waits_for_itself_is_a_deadlock(pool: Process) -> None:
    def body(context: Any, future: Any) -> int:
        return waiting.wait_for(context, future)

    def main() -> None:
        made = pool.forked(body)
        pool.settle()
        assert made.state == queue.RUNNING
        pool.schedule.wait(lambda: made.state == futures.DONE)

    with pytest.raises(Deadlock):
        pool.run(main)


@pytest.mark.parametrize("seed", range(4))
def test_failures_are_raised_by_every_wait(python: Python, seed: int) -> None:
    pool = process(python, seed)

    def main() -> Any:
        made = pool.forked(pool.raises)
        for _ in range(3):
            context = pool.context()
            assert pool.wait(made, context) == Status.RAISED
            assert (context.ntrace, str_at(context.trace[0].message)) == (1, "wrong")
        return made

    made = pool.run(main)
    assert pool.owner.references == 1
    futures.release(made)
    assert (pool.owner.references, pool.lost) == (0, [])


def test_every_wait_has_a_reference_of_its_own_to_an_object(pool: Process) -> None:
    error: Any = allocate(64, Object, "error")
    error.refcount = 1

    def body(context: Any, future: Any) -> int:
        context.ntrace = 1
        context.trace[0], context.args[0] = pool.site(number=-1), to_address(error)
        return int(Status.RAISED)

    def main() -> None:
        made = pool.forked(body)
        for _ in range(2):
            context = pool.context()
            assert pool.wait(made, context) == Status.RAISED
            assert context.args[0] == to_address(error)
        assert error.refcount == 3
        futures.release(made)
        assert error.refcount == 2

    pool.run(main)
