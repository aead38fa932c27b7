"""The native heap at the boundary, as plain Python over checked memory."""

from __future__ import annotations

from typing import Any

from tscript.dialect import Heap, Object, TypeInfo, memory_model, memset
from tscript.dialect.memory_model import allocate, space, to_address
from tscript.runtime.boundary.native import heap


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
    one: Any = allocate(1024, Heap, "heap")
    memset(one, 0, 1024)
    heap.HEAP[0] = one
    heap.hold_heap()
    assert (one.copying, one.lock) == (1, 1)
    heap.free_heap()
    assert (one.copying, one.lock) == (0, 0)


def test_who_is_at_work_on_a_cache_for_too_long_is_not_waited_for(monkeypatch: Any) -> None:
    memory_model.reset()
    one: Any = allocate(1024, Heap, "heap")
    memset(one, 0, 1024)
    heap.HEAP[0], one.caches = one, 2
    monkeypatch.setattr(heap, "MOST_LOOKS", 5)
    heap.hold_heap()
    assert (one.copying, one.lock, one.caches) == (1, 1, 2)
