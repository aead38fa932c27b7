"""The pool's queue, as plain Python over checked memory: order, who is woken, limits, copies of the process."""

from __future__ import annotations

from typing import Any

import pytest

from tests.runtime.boundary.conftest import Python
from tests.runtime.boundary.pool.pool_model import Process, process, returns
from tscript.dialect import Void, Waiter, pointer
from tscript.dialect.memory_model import to_address
from tscript.runtime.boundary.pool import from_python, queue


@pytest.fixture
def pool(python: Python) -> Process:
    return process(python)


def pending() -> list[Any]:
    """The futures of the queue, seen from both ends."""
    found, at = [], queue.HEAD[0]
    while to_address(at):
        found.append(at)
        at = at.next
    back, at = [], queue.TAIL[0]
    while to_address(at):
        back.append(at)
        at = at.previous
    assert back == found[::-1]
    assert len(found) == queue.QUEUED[0]
    return found


def sleeper(pool: Process) -> Any:
    """A thread that sleeps until there is work."""
    made: Any = pool.context()
    waiter: Any = pointer(to_address(made), Waiter)
    waiter.lock = pool.PyThread_allocate_lock()
    pool.PyThread_acquire_lock(waiter.lock, 1)
    waiter.next, queue.IDLE[0] = queue.IDLE[0], waiter
    return waiter


def test_first_in_first_out(pool: Process) -> None:
    made = [pool.native(returns(i)) for i in range(3)]
    for future in made:
        queue.put(future)
    assert pending() == made
    assert queue.UNFINISHED[0] == 3


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 0, 2), (1, 2, 0)])
def test_any_future_can_be_taken_out(pool: Process, order: tuple[int, ...]) -> None:
    made = [pool.native(returns(i)) for i in range(3)]
    for future in made:
        queue.put(future)
    left = list(made)
    for i in order:
        queue.claim(made[i])
        left.remove(made[i])
        assert pending() == left
        assert made[i].state == queue.RUNNING
    assert queue.UNFINISHED[0] == 3
    queue.put(pool.native(returns(3)))
    assert len(pending()) == 1


def test_who_searches_need_not_be_woken(pool: Process) -> None:
    one = sleeper(pool)
    queue.put(pool.native(returns(1)))
    queue.SEARCHING[0] = 1
    assert not queue.lacks_thread(8)
    assert queue.IDLE[0] == one
    queue.put(pool.native(returns(2)))
    assert not queue.lacks_thread(8)
    assert (to_address(queue.IDLE[0]), pool.held[to_address(one.lock)]) == (0, False)


def test_threads_are_started_up_to_a_limit(pool: Process) -> None:
    queue.put(pool.native(returns(1)))
    assert [queue.lacks_thread(2) for _ in range(3)] == [True, True, False]
    assert queue.THREADS[0] == 2


def test_all_that_sleep_look_at_a_new_limit(pool: Process) -> None:
    sleepers = [sleeper(pool) for _ in range(3)]
    queue.set_limit(5)
    assert queue.LIMIT[0] == 5
    assert [pool.held[to_address(w.lock)] for w in sleepers] == [False] * 3
    assert to_address(queue.IDLE[0]) == 0
    assert not pool.held[to_address(queue.LOCK[0])]


def test_the_queue_stands_still_while_the_process_is_copied(pool: Process) -> None:
    queue.before_fork()
    assert pool.held[to_address(queue.LOCK[0])]
    queue.after_fork_in_parent()
    assert not pool.held[to_address(queue.LOCK[0])]


def test_a_child_has_a_queue_of_its_own(pool: Process) -> None:
    inherited = pool.native(returns(1))
    queue.put(inherited)
    sleeper(pool)
    queue.THREADS[0], queue.SEARCHING[0] = 3, 1
    before = queue.LOCK[0]
    queue.before_fork()
    queue.after_fork_in_child()
    assert queue.LOCK[0] != before
    assert not pool.held[to_address(queue.LOCK[0])]
    assert pending() == []
    assert (queue.THREADS[0], queue.SEARCHING[0], queue.UNFINISHED[0], to_address(queue.IDLE[0])) == (0, 0, 0, 0)
    assert queue.LIMIT[0] == 1
    assert inherited.generation != queue.GENERATION[0] == pool.native(returns(2)).generation


def test_there_may_be_no_memory_for_the_lock(pool: Process) -> None:
    before = queue.LOCK[0]
    assert from_python.start() == 1
    assert queue.LOCK[0] == before
    queue.LOCK[0], pool.locks = pointer(0, Void), 0
    assert from_python.start() == 0
