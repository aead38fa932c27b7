"""The native heap at the boundary, as plain Python over checked memory."""

from __future__ import annotations

from typing import Any

from tscript.abi.layout import HEAP, HEAP_SLOT_SHIFT, HEAP_SLOTS
from tscript.dialect import Heap, Object, Registry, ThreadState, TypeInfo, memory_model, memset, pointer
from tscript.dialect.memory_model import Pointer, allocate, space, to_address
from tscript.runtime.boundary.native import heap, thread
from tscript.types import StructType


def test_objects_end_as_their_type_says() -> None:
    memory_model.reset()
    seen: list[int] = []
    info: Any = allocate(256, TypeInfo, "info")
    one: Any = allocate(64, Object, "object")
    info.drop = space().address_of(lambda o: seen.append(to_address(o)))
    one.typeinfo = info
    heap.drop_object(one)
    assert seen == [to_address(one)]


def test_the_heap_is_held_while_the_process_is_copied() -> None:
    memory_model.reset()
    one: Any = allocate(HEAP.size, Heap, "heap")
    memset(one, 0, HEAP.size)
    heap.HEAP[0] = one
    heap.hold_heap()
    assert (one.copying, one.lock) == (1, 1)
    heap.let_heap_go()
    assert (one.copying, one.lock) == (0, 0)


def test_who_is_at_work_on_a_cache_for_too_long_is_not_waited_for(monkeypatch: Any) -> None:
    memory_model.reset()
    one: Any = allocate(HEAP.size, Heap, "heap")
    memset(one, 0, HEAP.size)
    heap.HEAP[0], one.caches = one, 2
    monkeypatch.setattr(heap, "MOST_LOOKS", 5)
    heap.hold_heap()
    assert (one.copying, one.lock, one.caches) == (1, 1, 2)


class Threads:
    """A process with threads: `current` is the one that runs."""

    def __init__(self) -> None:
        memory_model.reset()
        self.states: dict[int, Any] = {}
        self.memory = True
        found = space().functions
        found["pthread_getspecific"] = lambda key: self.states.get(self.current, NULL)
        found["pthread_setspecific"] = lambda key, state: self.states.update({self.current: state}) or 0
        found["PyThread_get_thread_ident"] = lambda: self.current
        found["PyMem_RawCalloc"] = self._calloc
        registry: Any = zeros(Registry, 1024)
        thread.REGISTRY[0] = registry
        self.first: Any = zeros(Heap, HEAP.size)
        heap.HEAP[0] = self.first
        self.current = 1
        self.on(1)

    def _calloc(self, size: int, count: int) -> Any:
        return zeros(ThreadState, size * count) if self.memory else NULL

    def on(self, number: int) -> int:
        """The heap of a thread, which runs now."""
        self.current = number
        space().thread = number << HEAP_SLOT_SHIFT
        return heap.thread_heap()

    def end(self, number: int) -> None:
        heap.thread_exit(self.states.pop(number))


NULL: Any = Pointer(None, 0, StructType("ThreadState"))


def zeros(kind: Any, nbytes: int) -> Any:
    made: Any = allocate(nbytes, kind, "memory")
    memset(made, 0, nbytes)
    return made


def slots(threads: Threads) -> dict[int, int]:
    return {k: threads.first.slots[k] for k in range(HEAP_SLOTS) if threads.first.slots[k]}


def test_each_thread_has_a_heap() -> None:
    threads = Threads()
    assert threads.on(1) == to_address(threads.first)
    second, third = threads.on(2), threads.on(3)
    assert len({to_address(threads.first), second, third}) == 3
    assert second % 64 == third % 64 == 0
    assert (threads.on(2), threads.on(3)) == (second, third)
    assert (threads.first.next, pointer(third, Heap).next, pointer(second, Heap).next) == (third, second, 0)
    assert slots(threads) == {1: to_address(threads.first), 2: second, 3: third}


def test_heaps_of_threads_that_ended_are_used_again() -> None:
    threads = Threads()
    second = threads.on(2)
    threads.end(2)
    assert (pointer(second, Heap).taken, pointer(second, Heap).thread) == (0, 0)
    assert threads.on(2 + HEAP_SLOTS) == second
    assert pointer(second, Heap).thread == (2 + HEAP_SLOTS) << HEAP_SLOT_SHIFT
    third = threads.on(3 + HEAP_SLOTS)
    assert threads.on(3) != third
    assert slots(threads)[3] == third  # a slot stays with a thread that runs
    threads.end(3 + HEAP_SLOTS)
    threads.end(3)
    threads.on(3)
    assert slots(threads)[3] in (third, threads.on(3))


def test_without_memory_there_is_no_heap() -> None:
    threads = Threads()
    threads.memory = False
    assert threads.on(2) == 0
    threads.memory = True
    assert threads.on(3) != 0
    threads.memory = False
    threads.states[4] = thread.NOBODY
    assert threads.on(4) == 0


def test_a_child_lets_heaps_of_other_threads_lie() -> None:
    threads = Threads()
    second, third = threads.on(2), threads.on(3)
    threads.end(3)
    threads.on(2)
    heap.hold_heap()
    heap.heap_in_child()
    assert slots(threads) == {}
    assert (threads.first.thread, threads.first.taken) == (0, 1)
    assert pointer(second, Heap).thread == 2 << HEAP_SLOT_SHIFT
    assert threads.on(2) == second
    threads.states.pop(1)
    assert threads.on(1) == third
    assert threads.first.lock == threads.first.copying == 0


def test_who_waits_lets_others_run() -> None:
    memory_model.reset()
    ran: list[int] = []

    def sched_yield() -> int:
        ran.append(1)
        return 0

    space().functions["sched_yield"] = sched_yield
    heap.let_run()
    assert ran == [1]


def test_the_first_heap_stays_with_the_first_thread() -> None:
    threads = Threads()
    threads.current = 2
    threads.first.taken = 0
    heap.keep_first_heap()
    assert threads.first.taken == 1
    assert threads.on(2) == to_address(threads.first)
    heap.HEAP[0] = pointer(0, Heap)
    heap.keep_first_heap()
