"""The functions of `heapq`, with the algorithms of CPython's `Lib/heapq.py`: the same comparisons, the same lists."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,type-arg"

from __future__ import annotations


def heappush(heap: list, item) -> None:
    """``heapq.heappush``"""
    heap.append(item)
    _move_up(heap, 0, len(heap) - 1)


def heappop(heap: list):
    """``heapq.heappop``"""
    if not heap:
        raise IndexError("index out of range")
    last = heap.pop()
    if not heap:
        return last
    first = heap[0]
    heap[0] = last
    _move_down(heap, 0)
    return first


def heapify(x: list) -> None:
    """``heapq.heapify``"""
    for i in reversed(range(len(x) // 2)):
        _move_down(x, i)


def heapreplace(heap: list, item):
    """``heapq.heapreplace``"""
    if not heap:
        raise IndexError("index out of range")
    first = heap[0]
    heap[0] = item
    _move_down(heap, 0)
    return first


def heappushpop(heap: list, item):
    """``heapq.heappushpop``"""
    if heap and heap[0] < item:
        first = heap[0]
        heap[0] = item
        _move_down(heap, 0)
        return first
    return item


def nsmallest(n: int, iterable, key=None):
    """``heapq.nsmallest``"""
    return sorted(iterable, key=key)[: max(n, 0)]


def nlargest(n: int, iterable, key=None):
    """``heapq.nlargest``"""
    return sorted(iterable, key=key, reverse=True)[: max(n, 0)]


def _move_up(heap: list, start: int, place: int) -> None:
    """Move the last element of a heap that begins at `start` towards the root, to where none above is greater."""
    item = heap[place]
    while place > start:
        parent = (place - 1) >> 1
        if not item < heap[parent]:
            break
        heap[place] = heap[parent]
        place = parent
    heap[place] = item


def _move_down(heap: list, place: int) -> None:
    """Move an element down to a leaf, along the lesser children, then up to its place."""
    end = len(heap)
    start = place
    item = heap[place]
    child = 2 * place + 1
    while child < end:
        right = child + 1
        if right < end and not heap[child] < heap[right]:
            child = right
        heap[place] = heap[child]
        place = child
        child = 2 * place + 1
    heap[place] = item
    _move_up(heap, start, place)
