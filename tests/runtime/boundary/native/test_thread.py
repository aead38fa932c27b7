"""States of threads, as plain Python over checked memory: who gets which, and what the destructor leaves."""

from __future__ import annotations

from typing import Any

import pytest

from tscript.abi.record import NEVER
from tscript.dialect import Context, Record, Registry, Void, memory_model, memset, pointer
from tscript.dialect.memory_model import Pointer, allocate, space, to_address
from tscript.runtime.boundary.native import thread
from tscript.types import StructType

NULL = Pointer(None, 0, StructType("ThreadState"))


class Threads:
    """A process with threads: `current` is the one that runs."""

    def __init__(self) -> None:
        self.current = 1
        self.states: dict[int, Any] = {}
        self.memory = True
        self.refreshed: list[Any] = []
        self.stack = (1 << 20, 8 << 20, 4096)
        found = space().functions
        found["pthread_getspecific"] = lambda key: self.states.get(self.current, NULL)
        found["pthread_setspecific"] = self._set
        found["PyThread_get_thread_ident"] = lambda: self.current * 100
        found["PyMem_RawCalloc"] = self._calloc
        found["pthread_self"] = lambda: pointer(0, Void)
        found["pthread_getattr_np"] = lambda itself, attributes: 0 if self.stack else 1
        found["pthread_attr_getstack"] = self._bounds
        found["pthread_attr_getguardsize"] = self._guard
        found["pthread_attr_destroy"] = lambda attributes: 0
        self.registry: Any = allocate(1024, Registry, "registry")
        memset(self.registry, 0, 1024)
        self.registry.seed[0] = 12345
        thread.REGISTRY[0] = self.registry

    def _set(self, key: int, state: Pointer) -> int:
        self.states[self.current] = state
        return 0

    def _calloc(self, size: int, count: int) -> Pointer:
        if not self.memory:
            return NULL
        made = allocate(size * count, StructType("ThreadState"), "state")
        assert made._region is not None
        made._region.data[:] = bytes(size * count)
        return made

    def _bounds(self, attributes: Any, low: Any, nbytes: Any) -> int:
        low[0], nbytes[0] = self.stack[:2]
        return 0

    def _guard(self, attributes: Any, out: Any) -> int:
        out[0] = self.stack[2]
        return 0

    def on(self, number: int) -> Any:
        """The state of a thread."""
        self.current = number
        return thread.current_thread()

    def end(self, number: int) -> None:
        """A thread ends."""
        thread.leave_state(self.states.pop(number))

    def refresh_with(self) -> None:
        """Set a kernel that makes lists of callbacks anew."""

        def kernel(context: Any, t: Any) -> int:
            self.refreshed.append(t)
            t.generation = self.registry.generation[0]
            return 0

        thread.RECORD_KERNELS[0] = space().address_of(kernel)


@pytest.fixture
def threads() -> Threads:
    memory_model.reset()
    return Threads()


def test_a_thread_has_one_state(threads: Threads) -> None:
    first = threads.on(1)
    assert first == threads.on(1)
    assert first != threads.on(2)
    assert (first.id, first.number, first.alive[0], first.generation) == (100, 1, 1, -1)
    assert threads.states[2].number == 2


def test_random_numbers_of_threads_differ_and_are_never_0(threads: Threads) -> None:
    seeds = {threads.on(n).random for n in range(1, 20)}
    assert len(seeds) == 19 and all(s & 1 for s in seeds)


def test_states_of_threads_that_ended_are_used_again(threads: Threads) -> None:
    first, second = threads.on(1), threads.on(2)
    first.guard, first.open, first.debug_info = 3, pointer(to_address(second), Record), 8
    epoch = first.epoch
    threads.end(1)
    assert (first.alive[0], first.guard, first.epoch) == (0, 0, epoch + 1)
    assert threads.on(3) == first
    assert (first.id, first.number, first.debug_info, first.generation) == (300, 1, 0, -1)
    assert to_address(first.open) == 0
    assert threads.on(4) not in (first, second)


def test_without_memory_all_share_a_state_that_is_never_observed(threads: Threads) -> None:
    threads.memory = False
    shared = threads.on(1)
    assert shared == thread.NOBODY == threads.on(2)
    assert threads.states == {}
    assert [shared.countdown[i] for i in range(8)] == [NEVER] * 8
    assert thread.observer() == thread.NOBODY
    assert to_address(thread.watcher()) == 0


def test_observers_are_up_to_date_with_the_registry(threads: Threads) -> None:
    t = threads.on(1)
    assert thread.observer() == t  # there is no kernel yet
    threads.refresh_with()
    assert [thread.observer(), thread.observer()] == [t, t]
    assert threads.refreshed == [t]
    threads.registry.generation[0] = 7
    thread.observer()
    assert threads.refreshed == [t, t]


@pytest.mark.parametrize("field", ["guard", "disabled"])
def test_nothing_is_observed_while_a_callback_runs_or_it_is_switched_off(threads: Threads, field: str) -> None:
    threads.refresh_with()
    t = threads.on(1)
    setattr(t, field, 1)
    assert thread.observer() == thread.NOBODY
    assert to_address(thread.watcher()) == 0
    assert threads.refreshed == []


def test_who_has_no_callbacks_does_not_watch(threads: Threads) -> None:
    t = threads.on(1)
    t.count = 0
    assert to_address(thread.watcher()) == 0
    t.count = 2
    assert thread.watcher() == t


def test_the_limit_of_a_stack_leaves_a_quarter_within_bounds(threads: Threads) -> None:
    t = threads.on(1)
    low, _, guard = threads.stack
    assert thread.stack_limit() == low + guard + thread.MOST_MARGIN == t.stack
    for size, margin in ((16 << 10, thread.LEAST_MARGIN), (256 << 10, 64 << 10)):
        t.stack, threads.stack = 0, (low, size, guard)
        assert thread.stack_limit() == low + guard + margin


def test_the_limit_of_a_shared_state_is_not_kept(threads: Threads) -> None:
    threads.memory = False
    threads.on(1)
    assert thread.stack_limit() == (1 << 20) + 4096 + thread.MOST_MARGIN
    assert thread.NOBODY.stack == 0


def test_a_frame_below_the_limit_has_no_room(threads: Threads) -> None:
    threads.on(1)
    context: Any = allocate(1024, Context)
    context.stack = thread.UNKNOWN_STACK
    limit = thread.stack_limit()
    assert thread.is_low(context, limit) == 0
    assert context.stack == limit
    assert thread.is_low(context, limit - 1) == 1
    space().frame = limit - 8
    assert thread.is_low(context, limit) == 1


def test_stack_that_is_left(threads: Threads) -> None:
    threads.on(1)
    space().frame = thread.stack_limit() + 1000
    assert thread.stack_left() == 1000
    thread.REGISTRY[0] = pointer(0, Registry)
    assert thread.stack_left() == thread.WHOLE
