"""The allocator: size classes, reuse, limits, and what happens when there is no memory left."""

from __future__ import annotations

import itertools
import random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tscript.dialect import Void, address, memory_model, pointer
from tscript.dialect import machine as leaves
from tscript.runtime.kernels import memory, memory_blocks, memory_pages


@given(st.integers(1, 1 << 50))
def test_a_class_holds_its_size_and_wastes_at_most_a_quarter(nbytes):
    size = memory_blocks.class_bytes(memory_pages.size_class(nbytes))
    assert size >= nbytes
    assert size <= max(64, nbytes * 1.25 + 1)


@given(st.integers(1, 1 << 50), st.integers(1, 1 << 50))
def test_classes_grow_with_sizes(a, b):
    if a <= b:
        assert memory_pages.size_class(a) <= memory_pages.size_class(b)


def test_blocks_are_aligned_and_do_not_overlap(model):
    blocks = [memory.heap_allocate(n) for n in (1, 64, 65, 100, 1000)]
    assert all(address(b) % 64 == 0 for b in blocks)
    for b, n in zip(blocks, (1, 64, 65, 100, 1000), strict=True):
        for i in range(n):
            b[i] = 7
        memory.heap_free(b, n)
    assert model.heap.live_blocks == 0
    assert model.heap.live_bytes == 0


def test_a_freed_block_is_used_again(model):
    model.heap.cache_limit = 1 << 20
    first = memory.heap_allocate(1000)
    memory.heap_free(first, 1000)
    assert model.heap.cached_bytes >= 1000
    assert address(memory.heap_allocate(1001)) == address(first)
    assert model.heap.cached_bytes == 0


def test_the_cache_keeps_to_its_limit_and_trim_empties_it(model):
    model.heap.cache_limit = 1 << 12
    blocks = [memory.heap_allocate(1000) for _ in range(8)]
    for b in blocks:
        memory.heap_free(b, 1000)
    assert 0 < model.heap.cached_bytes <= 1 << 12
    memory_blocks.heap_trim()
    assert model.heap.cached_bytes == 0
    assert all(region.freed for region in model.space.regions if region.name == "heap")


@pytest.fixture
def paged(model):
    """A heap whose small blocks come from pages, as in a process."""
    model.heap.paged = 1
    model.heap.cache_limit = 1 << 30
    return model


def chunks(model):
    return [r for r in model.space.regions if len(r.data) == 2 * memory_pages.CHUNK_BYTES]


def test_small_blocks_come_from_pages(paged):
    blocks = [memory.heap_allocate(64) for _ in range(3000)]
    assert len(chunks(paged)) == 1
    assert paged.heap.pages_in_use == 3
    at = [address(b) for b in blocks]
    assert len(set(at)) == 3000
    assert all(b - a == 64 for a, b in itertools.pairwise(at[:1024]))
    assert paged.heap.live_bytes == paged.heap.paged_bytes == 3000 * 64
    for b in blocks:
        memory.heap_free(b, 64)
    assert paged.heap.live_bytes == paged.heap.paged_bytes == 0
    assert paged.heap.pages_in_use == 1
    assert paged.heap.kept_pages == 2


def test_after_blocks_were_freed_in_any_order_neighbours_are_allocated_together(paged):
    blocks = [memory.heap_allocate(64) for _ in range(4_000)]
    random.Random(1).shuffle(blocks)
    for b in blocks:
        memory.heap_free(b, 64)
    again = [address(memory.heap_allocate(64)) for _ in range(4_000)]
    far = sum(a >> memory_pages.PAGE_SHIFT != b >> memory_pages.PAGE_SHIFT for a, b in itertools.pairwise(again))
    assert far <= 10


SIZES = st.sampled_from([1, 64, 65, 80, 100, 128, 500, 1000, 1025, 4096, 8191, 8192, 8193, 20_000])


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(SIZES, st.integers(0, 150), st.booleans()), min_size=1, max_size=16), st.randoms())
def test_blocks_do_not_overlap_and_everything_comes_back(make_model, steps, order):
    """Rounds of allocating and freeing: blocks keep what is written into them, and all counts end at zero."""
    model = make_model()
    model.heap.paged, model.heap.cache_limit = 1, 1 << 18
    live: list[tuple[Any, int, int]] = []
    for number, (nbytes, count, releases) in enumerate(steps):
        for k in range(count):
            block = memory.heap_allocate(nbytes)
            assert (
                address(block) % (64 if memory_blocks.class_bytes(memory_pages.size_class(nbytes)) % 64 == 0 else 16)
                == 0
            )
            block[0], block[nbytes - 1] = number, k % 251
            if nbytes == 1:
                block[0] = k % 251
            live.append((block, nbytes, k % 251))
        if releases:
            order.shuffle(live)
            for block, n, last in live[: len(live) // 2]:
                assert block[n - 1] == last
                memory.heap_free(block, n)
            del live[: len(live) // 2]
    held = sum(memory_blocks.class_bytes(memory_pages.size_class(n)) for _, n, _ in live)
    assert (model.heap.live_blocks, model.heap.live_bytes) == (len(live), held)
    spans = sorted((address(b), address(b) + n) for b, n, _ in live)
    assert all(a[1] <= b[0] for a, b in itertools.pairwise(spans))
    for block, n, last in live:
        assert block[n - 1] == last
        memory.heap_free(block, n)
    assert (model.heap.live_blocks, model.heap.live_bytes, model.heap.paged_bytes) == (0, 0, 0)
    classes = {memory_pages.size_class(n) for n, _, _ in steps}
    assert model.heap.pages_in_use <= len(classes)
    memory_blocks.heap_trim()
    assert model.heap.cached_bytes == model.heap.kept_pages == 0
    memory_model.reset()


def test_a_page_that_another_class_had_is_used_again(paged):
    small = [memory.heap_allocate(64) for _ in range(5000)]
    for b in small:
        memory.heap_free(b, 64)
    large = [memory.heap_allocate(8192) for _ in range(32)]
    assert len(chunks(paged)) == 1
    assert paged.heap.kept_pages == 0
    assert {address(b) >> memory_pages.PAGE_SHIFT for b in large} & {
        address(b) >> memory_pages.PAGE_SHIFT for b in small
    }


def test_memory_of_empty_pages_goes_back_beyond_the_limit(paged, monkeypatch):
    given_back: list[tuple[int, int]] = []
    monkeypatch.setattr(memory_pages, "discard", lambda at, n: given_back.append((at, n)))
    paged.heap.cache_limit = 3 << memory_pages.PAGE_SHIFT
    blocks = [memory.heap_allocate(4096) for _ in range(16 * 10)]
    for b in blocks:
        memory.heap_free(b, 4096)
    assert paged.heap.kept_pages == 3
    assert len(given_back) == 6
    memory_blocks.heap_trim()
    assert paged.heap.kept_pages == 0
    assert len({at for at, n in given_back if n == memory_pages.PAGE_BYTES}) == 9
    assert len([memory.heap_allocate(4096) for _ in range(16 * 10)]) == 160


def test_chunks_are_found_by_the_addresses_of_blocks(paged):
    blocks = [memory.heap_allocate(8192) for _ in range(8 * 31 * 33)]
    assert paged.heap.chunks == 33
    assert paged.heap.chunk_room == 128
    assert all(memory_pages.is_paged(paged.heap, address(b)) for b in blocks[::100])
    large = memory.heap_allocate(1 << 20)
    assert not memory_pages.is_paged(paged.heap, address(large))


def test_what_is_cached_and_not_used_goes_back(paged, monkeypatch):
    given_back: list[int] = []
    monkeypatch.setattr(memory_pages, "discard", lambda at, n: given_back.append(n))
    heap = paged.heap
    sizes = [20_000] * 8 + [4096] * 160
    for nbytes, block in [(n, memory.heap_allocate(n)) for n in sizes]:
        memory.heap_free(block, nbytes)
    cached, kept = heap.cached_bytes, heap.kept_pages
    assert memory_blocks.heap_decay(1 << 20) == 0  # a new time begins
    assert (heap.least_cached, heap.least_kept) == (cached, kept) == (8 * 20_480, 9)
    used = [memory.heap_allocate(20_000) for _ in range(3)] + [memory.heap_allocate(4096) for _ in range(48)]
    for k, block in enumerate(used):
        memory.heap_free(block, 20_000 if k < 3 else 4096)
    assert (heap.cached_bytes, heap.kept_pages) == (cached, kept)
    gave = [memory_blocks.heap_decay(1 << 17) for _ in range(6)]
    assert sum(gave) == 5 * 20_480 + 7 * memory_pages.PAGE_BYTES
    assert max(gave) <= (1 << 17) + 20_480
    assert gave[-1] == 0
    assert (heap.cached_bytes, heap.kept_pages) == (3 * 20_480, 2)
    assert len(given_back) == 7
    assert len([r for r in paged.space.regions if r.freed]) == 5


def test_much_that_is_cached_asks_for_decay_once(paged, monkeypatch):
    asked: list[int] = []
    monkeypatch.setattr(memory_blocks, "ask_for_decay", lambda: asked.append(1))
    monkeypatch.setattr(memory_pages, "DECAY_FROM", 1 << 20)
    paged.heap.hook = pointer(1 << 20, Void)
    for _ in range(3):
        blocks = [memory.heap_allocate(1 << 18) for _ in range(8)]
        for block in blocks:
            memory.heap_free(block, 1 << 18)
    assert (asked, paged.heap.decays) == ([1], 1)


@pytest.mark.parametrize("wanted", [0, 1])
def test_large_blocks_come_in_large_pages_if_wanted(paged, monkeypatch, wanted):
    advised: list[int] = []
    monkeypatch.setattr(memory_blocks, "huge_pages", lambda at, n: advised.append(n))
    paged.heap.huge = wanted
    for nbytes in (8192, 1 << 20, 1 << 22):
        memory.heap_allocate(nbytes)
    assert advised == [1 << 22] * wanted


def test_no_memory_left_for_a_page(paged, monkeypatch):
    monkeypatch.setitem(memory_model.RUN, leaves.MALLOC, lambda n: pointer(0, Void))
    with pytest.raises(MemoryError):
        memory.heap_allocate(64)
    assert paged.heap.live_blocks == paged.heap.live_bytes == paged.heap.paged_bytes == 0


@pytest.mark.parametrize("nbytes", [-1, (1 << 56) + 1, 1 << 62])
def test_impossible_sizes_are_refused(model, nbytes):
    with pytest.raises(MemoryError):
        memory.heap_allocate(nbytes)
    assert address(memory.heap_try_allocate(nbytes)) == 0
    assert model.heap.live_blocks == 0


def test_no_memory_left(model, monkeypatch):
    monkeypatch.setitem(memory_model.RUN, leaves.MALLOC, lambda n: pointer(0, Void))
    with pytest.raises(MemoryError):
        memory.heap_allocate(64)
    assert model.heap.live_blocks == 0
    assert model.heap.live_bytes == 0


def test_counts_are_atomic_once_several_threads_run(model, monkeypatch):
    calls: list[int] = []
    real = memory_model.RUN[leaves.ATOMIC_ADD]

    def noted(p, v):
        calls.append(v)
        return real(p, v)

    monkeypatch.setitem(memory_model.RUN, leaves.ATOMIC_ADD, noted)
    count = model.ints([1])
    memory_blocks.count_up(count)
    assert not memory_blocks.count_down(count)
    assert calls == []
    flag = memory_model._symbol("ts_concurrent_v1", Void.type)
    flag[0] = 1
    memory_blocks.count_up(count)
    assert not memory_blocks.count_down(count)
    assert memory_blocks.count_down(count)
    assert calls == [1, -1, -1]
    block = memory.heap_allocate(10)
    memory.heap_free(block, 10)
    assert model.heap.lock == 0
