"""The pool under many orders of its threads: nothing is lost, nobody sleeps for ever, no two accesses race."""

from __future__ import annotations

import random
from typing import Any

import pytest

from tests.runtime.boundary.conftest import Python
from tests.runtime.boundary.pool.pool_model import Process, process, result, returns
from tests.runtime.boundary.pool.schedule import Race
from tscript.abi.layout import MAX_DEPTH
from tscript.abi.status import Status
from tscript.dialect import atomic_acquire, atomic_store_relaxed, field
from tscript.runtime.boundary.pool import futures, queue, waiting, workers

SPINS = 3


def program(pool: Process, seed: int) -> None:
    """Forks and waits of all kinds, in tasks too."""
    choose = random.Random(seed)
    python = pool.python
    ran: list[int] = []
    forks = [0]

    def native(levels: int) -> Any:
        forks[0] += 1
        number, shared = forks[0], pool.me

        def body(context: Any, future: Any) -> int:
            ran.append(number)
            kind = choose.random()
            if kind < 0.15:
                return pool.raises(context, future)
            inner = [native(levels - 1) for _ in range(choose.randrange(levels + 1))]
            for one in inner:
                status = waiting.wait_for(context, one)
                assert status == one.status
                futures.release(one)
            return returns(number + shared)(context, future)

        return pool.forked(body)

    def called() -> Any:
        forks[0] += 1
        number = forks[0]

        def call() -> Any:
            ran.append(number)
            return pool.fail_with("wrong") if choose.random() < 0.2 else python.integer(number)

        return pool.forked_python(call)

    def waits(made: list[Any]) -> None:
        for future in made:
            context = pool.context(choose.choice((MAX_DEPTH, MAX_DEPTH, waiting.LEAST_DEPTH)))
            status = pool.wait(future, context)
            assert status == future.status
            if status == Status.PYTHON:
                assert pool.raised.startswith("copy of")
            futures.release(future)

    def other(made: list[Any]) -> None:
        """A thread of Python that waits for the same tasks."""
        pool.PyGILState_Ensure()
        waits(made)
        pool.PyGILState_Release(1)

    queue.set_limit(choose.choice((0, 1, 2, 4)))
    made = [native(2) if choose.random() < 0.7 else called() for _ in range(choose.randrange(1, 4))]
    shared = [native(1), called()]
    for future in shared:
        pool.retain(future)
    pool.schedule.start(lambda: other(shared))
    if choose.random() < 0.3:
        queue.set_limit(choose.choice((1, 3)))
    waits(made)
    waits(shared)
    pool.settle()
    assert sorted(ran) == list(range(1, forks[0] + 1))
    queue.lock()
    assert queue.UNFINISHED[0] == queue.QUEUED[0] == queue.SEARCHING[0] == 0
    queue.unlock()
    queue.set_limit(0)
    pool.settle()
    queue.lock()
    assert queue.THREADS[0] == 0
    queue.unlock()
    assert len(pool.held) == 1
    assert pool.log.count("freed") == forks[0]


@pytest.mark.parametrize("fine", [False, True])
@pytest.mark.parametrize("seed", range(25))
def test_any_order_of_threads(python: Python, monkeypatch: pytest.MonkeyPatch, seed: int, fine: bool) -> None:
    monkeypatch.setattr(workers, "SPINS", SPINS)
    monkeypatch.setattr(waiting, "SPINS", SPINS)
    pool = process(python, seed, monkeypatch, fine=fine)
    assert pool.races
    for module, name in ((waiting, "sleep"), (workers, "worker")):
        monkeypatch.setattr(module, name, pool.races.ends_frames(getattr(module, name)))
    alive = python.alive
    pool.run(lambda: program(pool, seed))
    assert python.alive == alive
    assert +pool.counts == {0: 1}
    assert pool.debug[0] == 0


def test_what_searches_without_the_lock_would_race_with_plain_stores(
    python: Python, monkeypatch: pytest.MonkeyPatch
) -> None:
    def put(future: Any) -> None:
        plain(future)
        queue.HEAD[0] = queue.HEAD[0]

    plain = queue.put
    monkeypatch.setattr(workers, "put", put)
    monkeypatch.setattr(workers, "SPINS", SPINS)

    def main() -> None:
        queue.set_limit(1)
        for _ in range(20):
            made = pool.forked(returns(1))
            while atomic_acquire(field(made, "state")) != futures.DONE:
                pool.schedule.switch()

    pool = process(python, 0, monkeypatch, fine=True)
    with pytest.raises(Race, match="queue_head"):
        pool.run(main)


def test_results_would_race_if_the_state_did_not_release_them(python: Python, monkeypatch: pytest.MonkeyPatch) -> None:
    pool = process(python, 1, monkeypatch)
    monkeypatch.setattr(workers, "atomic_release", atomic_store_relaxed)

    def main() -> None:
        made = pool.forked(returns(1))
        while atomic_acquire(field(made, "state")) != futures.DONE:
            pool.schedule.switch()
        result(made)

    with pytest.raises(Race, match="future"):
        pool.run(main)
