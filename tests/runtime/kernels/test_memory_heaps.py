"""Heaps of threads: whose block it is, what others free, heaps of threads that have ended."""

from __future__ import annotations

import itertools
import random
from typing import Any

import pytest

from tscript.abi.layout import HEAP_SLOT_SHIFT, OWN_HEAP_BYTES
from tscript.dialect import Heap, Page, Void, address, memory_model, memset, pointer
from tscript.dialect.memory_model import allocate, space, to_address
from tscript.runtime.kernels import memory, memory_blocks, memory_heaps, memory_pages


class Threads:
    """A process with threads, one of which runs.

    Args:
        model: The address space.
    """

    def __init__(self, model: Any) -> None:
        self.first: Any = model.heap
        self.first.paged, self.first.cache_limit, self.first.taken = 1, 1 << 30, 1
        memory_model._symbol("ts_concurrent_v1", Void.type)[0] = 1
        self.heaps: dict[int, Any] = {0: self.first}
        self.running = 0

    def heap(self) -> int:
        """What `thread_heap` gives."""
        return to_address(self.heaps[self.running]) if self.running in self.heaps else 0

    def on(self, number: int) -> None:
        """Let another thread run, which is new or has run before."""
        self.running = number
        if number in self.heaps:
            return
        for heap in self.all():
            if heap.taken == 0:
                break
        else:
            heap = allocate(OWN_HEAP_BYTES, Heap, "heap of a thread")
            memset(heap, 0, OWN_HEAP_BYTES)
            heap.next = self.first.next
            self.first.next = to_address(heap)
        heap.taken = 1
        self.heaps[number] = heap

    def end(self, number: int) -> None:
        """A thread ends."""
        self.heaps.pop(number).taken = 0

    def all(self) -> list[Any]:
        """All heaps."""
        found = [self.first]
        while found[-1].next:
            found.append(pointer(found[-1].next, Heap))
        return found

    def counts(self) -> tuple[int, int, int]:
        """Blocks, bytes and bytes in pages that are in use."""
        heaps = self.all()
        return (
            sum(h.live_blocks for h in heaps),
            sum(h.live_bytes for h in heaps),
            sum(h.paged_bytes for h in heaps),
        )


@pytest.fixture
def threads(model: Any, monkeypatch: pytest.MonkeyPatch) -> Threads:
    made = Threads(model)
    monkeypatch.setattr(memory_heaps, "thread_heap", made.heap)
    return made


def pages(blocks: list[Any]) -> set[int]:
    return {address(b) >> memory_pages.PAGE_SHIFT for b in blocks}


def test_threads_have_pages_of_their_own(threads: Threads) -> None:
    ours = [memory.heap_allocate(64) for _ in range(100)]
    threads.on(1)
    theirs = [memory.heap_allocate(64) for _ in range(100)]
    assert not pages(ours) & pages(theirs)
    assert [h.live_blocks for h in threads.all()] == [100, 100]


def test_what_another_thread_frees_waits_for_the_owner(threads: Threads) -> None:
    blocks = [memory.heap_allocate(256) for _ in range(1250)]
    threads.on(1)
    for block in blocks:
        memory.heap_free(block, 256)
    assert threads.counts() == (0, 0, 0)
    assert [h.live_blocks for h in threads.all()] == [1250, -1250]
    assert threads.first.pages_in_use == 5
    threads.on(0)
    again = [memory.heap_allocate(256) for _ in range(1250)]
    assert pages(again) == pages(blocks)
    assert threads.first.chunks == 1


def test_heap_collect_takes_everything_back(threads: Threads) -> None:
    blocks = [memory.heap_allocate(256) for _ in range(1250)]
    threads.on(1)
    for block in blocks:
        memory.heap_free(block, 256)
    memory_blocks.heap_collect()
    assert threads.first.pages_in_use == 5
    threads.on(0)
    memory_blocks.heap_collect()
    assert (threads.first.pages_in_use, threads.first.kept_pages) == (1, 4)


def test_a_block_of_a_thread_that_has_ended_is_freed_in_its_place(threads: Threads) -> None:
    threads.on(1)
    blocks = [memory.heap_allocate(64) for _ in range(3000)]
    threads.on(0)
    memory.heap_free(blocks.pop(), 64)
    threads.end(1)
    for block in blocks:
        memory.heap_free(block, 64)
    assert threads.counts() == (0, 0, 0)
    assert threads.first.kept_pages == 2
    assert [h.taken for h in threads.all()] == [1, 0]
    assert all(h.returned == 0 for h in threads.all())


def test_a_new_thread_takes_over_the_heap_of_one_that_has_ended(threads: Threads) -> None:
    threads.on(1)
    blocks = [memory.heap_allocate(64) for _ in range(100)]
    threads.end(1)
    threads.on(2)
    assert len(threads.all()) == 2
    more = [memory.heap_allocate(64) for _ in range(100)]
    assert pages(more) == pages(blocks)
    assert not {address(b) for b in more} & {address(b) for b in blocks}


def test_what_waits_in_a_heap_without_a_thread_is_used_before_more_memory_is(threads: Threads) -> None:
    threads.on(1)
    blocks = [memory.heap_allocate(8192) for _ in range(8 * 31)]
    threads.on(0)
    for block in blocks:
        memory.heap_free(block, 8192)
    threads.end(1)
    assert len([memory.heap_allocate(8192) for _ in range(8 * 30)]) == 240
    assert threads.first.chunks == 1


def test_heaps_are_found_by_numbers_of_threads(threads: Threads, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def thread_heap() -> int:
        asked.append(1)
        return threads.heap()

    monkeypatch.setattr(memory_heaps, "thread_heap", thread_heap)
    number = 5 << HEAP_SLOT_SHIFT
    space().thread = number
    memory_heaps.own_heap()
    threads.first.slots[5] = to_address(threads.first)
    memory_heaps.own_heap()
    assert len(asked) == 2
    threads.first.thread = number
    assert memory_heaps.own_heap() == threads.first
    assert len(asked) == 2
    space().thread = number + (16 << HEAP_SLOT_SHIFT)  # another one with the same slot
    memory_heaps.own_heap()
    assert len(asked) == 3


def test_without_memory_for_a_heap_there_are_no_blocks_but_frees(threads: Threads) -> None:
    blocks = [memory.heap_allocate(n) for n in (64, 20_000)]
    threads.running = 7
    assert address(memory.heap_try_allocate(64)) == 0
    for block, n in zip(blocks, (64, 20_000), strict=True):
        memory.heap_free(block, n)
    assert threads.first.cached_bytes == 20_480
    threads.on(0)
    memory_blocks.heap_collect()
    assert address(memory.heap_allocate(64)) == address(blocks[0])


def test_the_lock_is_waited_for(threads: Threads, monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[int] = []

    def let_run() -> None:
        waits.append(1)
        threads.first.lock = 0

    monkeypatch.setattr(memory_heaps, "let_run", let_run)
    threads.first.lock = 1
    memory_heaps.heap_lock(threads.first)
    assert (len(waits), threads.first.lock) == (1, 1)
    memory_heaps.heap_unlock(threads.first)
    assert threads.first.lock == 0


SIZES = (1, 64, 65, 100, 500, 1025, 4096, 8192, 8193, 20_000)


@pytest.mark.parametrize("seed", range(4))
def test_random_programs_of_threads(threads: Threads, seed: int) -> None:
    """Blocks keep what is written into them, whoever frees them, and everything comes back."""
    choose = random.Random(seed)
    live: list[tuple[Any, int, int]] = []
    for step in range(40):
        threads.on(choose.randrange(4))
        if choose.random() < 0.2 and threads.running != 0:
            threads.end(threads.running)
            continue
        nbytes = choose.choice(SIZES)
        if choose.random() < 0.55:
            for _ in range(choose.randrange(120)):
                block = memory.heap_allocate(nbytes)
                block[0], block[nbytes - 1] = step % 251, step % 251
                live.append((block, nbytes, step % 251))
        else:
            choose.shuffle(live)
            for block, n, value in live[: len(live) // 2]:
                assert (block[0], block[n - 1]) == (value, value)
                memory.heap_free(block, n)
            del live[: len(live) // 2]
        held = sum(memory_blocks.class_bytes(memory_pages.size_class(n)) for _, n, _ in live)
        assert threads.counts()[:2] == (len(live), held)
        spans = sorted((address(b), address(b) + n) for b, n, _ in live)
        assert all(a[1] <= b[0] for a, b in itertools.pairwise(spans))
    threads.on(0)
    for block, n, value in live:
        assert (block[0], block[n - 1]) == (value, value)
        memory.heap_free(block, n)
    for number in list(threads.heaps):
        threads.on(number)
        memory_blocks.heap_collect()
    assert threads.counts() == (0, 0, 0)
    for heap in threads.all():  # the first page of each class stays
        for index in range(29):
            page = heap.pages[index]
            assert page == 0 or pointer(page, Page).used == 0
    memory_blocks.heap_trim()
    assert threads.first.cached_bytes == threads.first.kept_pages == 0
