"""The allocator: size classes, reuse, limits, and what happens when there is no memory left."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tscript.dialect import Void, address, memory_model, pointer
from tscript.dialect import machine as leaves
from tscript.runtime.kernels import memory, memory_blocks


@given(st.integers(1, 1 << 50))
def test_a_class_holds_its_size_and_wastes_at_most_a_quarter(nbytes):
    size = memory_blocks.class_bytes(memory_blocks.size_class(nbytes))
    assert size >= nbytes
    assert size <= max(64, nbytes * 1.25 + 1)


@given(st.integers(1, 1 << 50), st.integers(1, 1 << 50))
def test_classes_grow_with_sizes(a, b):
    if a <= b:
        assert memory_blocks.size_class(a) <= memory_blocks.size_class(b)


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


def test_small_blocks_come_from_slabs(model):
    model.heap.cache_limit = 1 << 14
    blocks = [memory.heap_allocate(64) for _ in range(60)]
    assert len([r for r in model.space.regions if r.name == "heap"]) == 2
    for number, b in enumerate(blocks):
        assert address(b) % 16 == 0
        for i in range(64):
            b[i] = number
    assert all(b[i] == number for number, b in enumerate(blocks) for i in (0, 63))
    assert model.heap.live_blocks == 60
    model.heap.cache_limit = 0
    for b in blocks:
        memory.heap_free(b, 64)
    memory_blocks.heap_trim()
    assert model.heap.live_bytes == 0
    assert model.heap.cached_bytes == 102 * 64
    assert {address(memory.heap_allocate(64)) for _ in range(102)} > {address(b) for b in blocks}
    assert model.heap.cached_bytes == 0


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
