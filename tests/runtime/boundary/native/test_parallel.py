"""Divided loops under many orders of their threads: each item is done once, the first error is raised, nobody sleeps
for ever, no two accesses race."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest

from tests.runtime.boundary.conftest import Python
from tests.runtime.boundary.pool.pool_model import NEW_THREAD, Process, process, zeros
from tests.runtime.boundary.pool.schedule import Race
from tscript.abi import layout
from tscript.abi.status import Status
from tscript.dialect import Site, Void, atomic_store_relaxed, i64, pointer, pointer_cast, text
from tscript.dialect.memory_model import allocate, space, to_address
from tscript.runtime.boundary.native import gil, parallel, parallel_errors, parallel_state

SPINS = 3
JUDGE = parallel.judge
NULL = pointer(0, Void)


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Threads look for work a few times only, and nothing observes them."""
    monkeypatch.setattr(parallel, "SPINS", SPINS)
    monkeypatch.setattr(parallel, "MOST_SPINS", 2 * SPINS)
    monkeypatch.setattr(parallel, "observer", lambda: NULL)
    monkeypatch.setattr(gil, "keep_first_heap", lambda: None)
    monkeypatch.setattr(parallel, "judge", lambda *_: None)
    monkeypatch.setattr(parallel_errors, "impl_release", lambda o: None)
    return monkeypatch


class Loop:
    """A loop whose items write their numbers.

    Args:
        pool: The process.
        n: How many items there are.
        fails: What the items do that fail: `Status.RAISED` or `Status.PYTHON`.
        inner: How many items each item's own loop has.
    """

    def __init__(self, pool: Process, n: int, fails: dict[int, int] | None = None, inner: int = 0) -> None:
        self.pool, self.n, self.fails, self.inner = pool, n, fails or {}, inner
        self.cells: Any = allocate(8 * max(1, n), i64, "items")
        self.counts = [0] * n
        self.threads: set[int] = set()

    def body(self, context: Any, task: Any, begin: int, end: int) -> int:
        self.threads.add(self.pool.me)
        cells = pointer_cast(task, i64)
        for i in range(begin, end):
            cells[i] = i + 1
            self.counts[i] += 1
            if self.inner:
                loop = Loop(self.pool, self.inner)
                assert loop.run(context) == 0
                assert loop.counts == [1] * self.inner
            if i in self.fails:
                return self.fail(context, i, self.fails[i])
        return 0

    def fail(self, context: Any, item: int, status: int) -> int:
        if status == Status.RAISED:
            context.ntrace, context.nargs, context.kinds = 1, 1, 0
            context.args[0] = item
            site = zeros(Site, 64, "site")
            site.number, site.message = 5, text("wrong")
            context.trace[0] = site
            return status
        if to_address(context.thread_state):
            self.pool.PyEval_RestoreThread(context.thread_state)
            context.thread_state = NULL
        elif not self.pool.PyGILState_Check():
            self.pool.PyGILState_Ensure()
        self.pool.fail_with(str(item))
        return status

    def run(self, context: Any, grain: int = 1) -> int:
        made: int = parallel.parallel(
            context, space().address_of(self.body), pointer_cast(self.cells, Void), self.n, grain
        )
        return made

    def check(self, context: Any, status: int) -> None:
        """See what became of it."""
        if not self.fails:
            assert status == 0
            assert self.counts == [1] * self.n
            assert [self.cells[i] for i in range(self.n)] == list(range(1, self.n + 1))
            return
        first = min(self.fails)
        assert status == self.fails[first]
        if status == Status.RAISED:
            assert context.args[0] == first
        else:
            assert self.pool.raised == str(first)
        assert self.counts[: first + 1] == [1] * (first + 1)
        assert max(self.counts) == 1


def fork(pool: Process) -> None:
    """Go on as the child of the process, which has none of its threads."""
    for thread in pool.schedule.threads[1:]:
        thread.is_over = True
    parallel.after_fork_in_child()


def ran(loop: Loop) -> Loop:
    """The loop, run by a thread that has the GIL."""
    context = loop.pool.context()
    status = loop.run(context)
    has_gil(loop.pool, context)
    loop.check(context, status)
    return loop


def has_gil(pool: Process, context: Any) -> None:
    """Take the GIL back at the end of a call."""
    if to_address(context.thread_state):
        pool.PyEval_RestoreThread(context.thread_state)


def program(pool: Process, seed: int) -> None:
    """Divided loops of all kinds, from two threads of Python."""
    choose = random.Random(seed)

    def calls() -> None:
        for _ in range(choose.randrange(1, 4)):
            atomic_store_relaxed(parallel_state.THREADS, choose.choice((1, 2, 3, 5)))
            n = choose.choice((0, 1, 2, 7, 20))
            fails = {}
            if n and choose.random() < 0.4:
                kinds = (int(Status.RAISED), int(Status.PYTHON))
                fails = {choose.randrange(n): choose.choice(kinds) for _ in range(choose.randrange(1, 4))}
            loop = Loop(pool, n, fails, choose.choice((0, 0, 3)))
            context = pool.context()
            if fails or choose.random() < 0.5:
                gil.release_gil(context)
            status = loop.run(context, choose.choice((1, 3)))
            has_gil(pool, context)
            loop.check(context, status)

    def other() -> None:
        state = pool.PyGILState_Ensure()
        calls()
        pool.PyGILState_Release(state)

    if choose.random() < 0.5:
        pool.schedule.start(other)
    calls()
    pool.settle()


@pytest.mark.parametrize("fine", [False, True])
@pytest.mark.parametrize("seed", range(40))
def test_any_order_of_threads(python: Python, quick: pytest.MonkeyPatch, seed: int, fine: bool) -> None:
    pool = process(python, seed, quick, fine=fine)
    assert pool.races
    for name in ("divide", "work"):
        quick.setattr(parallel, name, pool.races.ends_frames(getattr(parallel, name)))
    alive = python.alive
    pool.run(lambda: program(pool, seed))
    assert python.alive == alive
    assert +pool.counts == {0: 1}


def test_items_would_race_if_shares_did_not_release_them(python: Python, quick: pytest.MonkeyPatch) -> None:
    quick.setattr(parallel, "atomic_release", atomic_store_relaxed)
    quick.setattr(parallel, "atomic_store", atomic_store_relaxed)
    quick.setattr(parallel, "SPINS", 100)
    pool = process(python, 1, quick)

    def main() -> None:
        parallel_state.THREADS[0] = 3
        for _ in range(10):
            loop = Loop(pool, 20)
            for i in range(20):
                loop.cells[i] = 5
            ran(loop)

    with pytest.raises(Race):
        pool.run(main)


def test_a_worker_takes_part_and_is_kept(python: Python, quick: pytest.MonkeyPatch) -> None:
    pool = process(python, 3)

    def main() -> None:
        parallel_state.THREADS[0] = 3
        for _ in range(5):
            seen.update(ran(Loop(pool, 50)).threads)

    seen: set[int] = set()
    pool.run(main)
    assert seen == {0, 1, 2}
    assert pool.log.count(NEW_THREAD) == 2


def test_loops_that_lose_are_not_divided_for_a_while(python: Python) -> None:
    parallel.judge(start=0, middle=5, now=12, own=4, chunks=8)
    assert parallel.SKIPPED[0] == parallel.PENALTY[0] == 0
    for _ in range(3):
        parallel.judge(start=0, middle=5, now=13, own=4, chunks=8)
    assert parallel.SKIPPED[0] == 7
    for _ in range(9):
        parallel.judge(start=0, middle=5, now=13, own=4, chunks=8)
    assert parallel.SKIPPED[0] == parallel.PENALTY[0] == parallel.MOST_PENALTY[0] == 63
    assert parallel.UNTIL[0] == 13 + parallel.LONGEST
    for _ in range(6):
        parallel.judge(start=0, middle=5, now=7, own=4, chunks=8)
    assert parallel.PENALTY[0] == 0
    parallel.judge(start=0, middle=0, now=0, own=4, chunks=8)
    assert parallel.PENALTY[0] == 0


def test_loops_that_workers_come_too_late_to_lose_little(python: Python) -> None:
    def late(now: int) -> tuple[int, int]:
        parallel.judge(start=now - 8, middle=now, now=now, own=8, chunks=8)
        skipped, parallel.SKIPPED[0] = parallel.SKIPPED[0], 0
        return skipped, parallel.PENALTY[0]

    for _ in range(2):
        assert [late(10) for _ in range(parallel.TRIES - 1)] == [(0, 0)] * (parallel.TRIES - 1)
        parallel.judge(start=0, middle=5, now=7, own=4, chunks=8)
    few = parallel.FEW
    assert [late(10) for _ in range(parallel.TRIES + 3)][-4:] == [(few, few)] * 4
    parallel.judge(start=0, middle=5, now=13, own=4, chunks=8)
    assert (parallel.SKIPPED[0], parallel.PENALTY[0]) == (2 * few + 1, 2 * few + 1)
    assert late(20) == (few, 2 * few + 1)
    # All is forgiven in the end.
    assert late(14 + parallel.LONGEST) == (0, 0)
    assert late(15 + parallel.LONGEST) == (0, 0)


@pytest.mark.parametrize("waited", [False, True])
def test_no_loop_is_left_undivided_for_long(python: Python, quick: pytest.MonkeyPatch, waited: bool) -> None:
    pool = process(python, 3, quick)

    def main() -> None:
        parallel_state.THREADS[0] = 3
        parallel.SKIPPED[0], parallel.UNTIL[0] = 63, 1000
        for _ in range(5):
            seen.update(ran(Loop(pool, 50)).threads)

    seen: set[int] = set()
    quick.setattr(parallel, "counter", lambda: 1001 if waited else 999)
    pool.run(main)
    assert seen == ({0, 1, 2} if waited else {0})


def test_workers_on_the_processor_of_the_caller_leave_short_loops_to_it(
    python: Python, quick: pytest.MonkeyPatch
) -> None:
    quick.setattr(parallel, "processor", lambda: 3)
    quick.setattr(parallel, "judge", JUDGE)
    pool = process(python, 3, quick)

    def main() -> None:
        parallel_state.THREADS[0] = 3
        for _ in range(20):
            assert ran(Loop(pool, 20)).threads == {0}
            settled.append(parallel.PENALTY[0])
        ran(Loop(pool, 2 * parallel.SHORT))

    settled: list[int] = []
    pool.run(main)
    assert settled[-1] > 0


def test_workers_that_the_system_moves_take_part(python: Python, quick: pytest.MonkeyPatch) -> None:
    yields: Counter[int] = Counter()
    pool = process(python, 3, quick)
    quick.setattr(parallel, "processor", lambda: 4 if yields[pool.me] > 2 else 3)
    quick.setattr(parallel, "let_run", lambda: yields.update([pool.me]))

    def main() -> None:
        parallel_state.THREADS[0] = 3
        for _ in range(20):
            seen.update(ran(Loop(pool, 20)).threads)

    seen: set[int] = set()
    pool.run(main)
    assert seen == {0, 1, 2}
    assert yields == {1: 3, 2: 3}


@pytest.mark.parametrize("missing", ["threads", "locks"])
def test_without_workers_the_caller_does_all(python: Python, quick: pytest.MonkeyPatch, missing: str) -> None:
    pool = process(python, 3)
    if missing == "threads":
        pool.can_start = False
    else:
        pool.locks = 0

    def main() -> None:
        parallel_state.THREADS[0] = 3
        loop = ran(Loop(pool, 5))
        assert loop.threads == {0}

    pool.run(main)


@pytest.mark.parametrize("seed", range(10))
def test_a_signal_ends_the_wait(python: Python, quick: pytest.MonkeyPatch, seed: int) -> None:
    """A worker in an endless chunk leaves it at its next safepoint."""
    pool = process(python, seed, quick)

    def body(context: Any, task: Any, begin: int, end: int) -> int:
        while pool.me != 0:
            status = gil.safepoint(context)
            if status != 0:
                return status
            pool.schedule.switch()
        return 0

    def main() -> None:
        parallel_state.THREADS[0] = 2
        taken = 0
        while not taken:
            pool.signals = 2
            context = pool.context()
            gil.release_gil(context)
            status = parallel.parallel(context, space().address_of(body), NULL, 8, 1)
            taken = int(status == Status.PYTHON)
            has_gil(pool, context)
        assert pool.raised == "KeyboardInterrupt"
        pool.signals = -1
        ran(Loop(pool, 5))

    pool.run(main)


def test_other_threads_run_if_there_are_any(python: Python, quick: pytest.MonkeyPatch) -> None:
    pool = process(python, 0)

    def main() -> None:
        context = pool.context()
        gil.let_others_run(context)
        assert (pool.holder, context.work) == (0, 0)
        pool.python_states[5] = zeros(Void, 8, "thread state 5")
        gil.let_others_run(context)
        assert (pool.holder, context.work) == (None, layout.OFFERED)
        context.work = 5
        gil.let_others_run(context)
        assert context.work == layout.OFFERED
        has_gil(pool, context)

    pool.run(main)


def test_a_child_of_the_process_starts_anew(python: Python, quick: pytest.MonkeyPatch) -> None:
    pool = process(python, 3)

    def main() -> None:
        parallel_state.THREADS[0] = 2
        for _ in range(2):
            ran(Loop(pool, 50))
            fork(pool)
            assert parallel_state.WORKERS[0] == 0

    pool.run(main)
    assert pool.log.count(NEW_THREAD) == 2


def test_a_loop_in_which_the_process_forked_off_says_so(python: Python, quick: pytest.MonkeyPatch) -> None:
    pool = process(python, 3)

    def body(context: Any, task: Any, begin: int, end: int) -> int:
        if pool.me == 0:
            fork(pool)
        return 0

    def main() -> None:
        parallel_state.THREADS[0] = 2
        context = pool.context()
        assert parallel.parallel(context, space().address_of(body), NULL, 8, 1) == Status.RAISED
        assert parallel_state.BUSY[0] == 0

    pool.run(main)
