"""What events need of memory: counters of the heap, read where an event begins and ends.

Each thread counts what it makes and frees (`tscript.abi.layout.HEAP`), and the most that it had of blocks of more than
8 KiB. An event sets that to what there is when it begins, and puts back the larger one of both when it ends, so events
inside each other, and several profiles, all find their own.
"""

from __future__ import annotations

import sys
import threading
from ctypes import addressof
from typing import Any, final

from tscript.late import dataclass

State = tuple[Any, int, int, int]
"""A heap, what was in use of it, the most until then, what it took until then."""
Begun = tuple[State, int, list[State]]
"""The heap of the thread; what the process had; heaps of ended threads that the thread may get."""


@dataclass(frozen=True, slots=True)
class Usage:
    """What one event used.

    Attributes:
        before, after: Bytes in use in the process.
        peak: The most bytes in use beyond those at the beginning, of what its thread makes and frees.
        allocated: Bytes of all blocks of more than 8 KiB that its thread took.
    """

    before: int
    after: int
    peak: int
    allocated: int


def _reset(heap: Any) -> State:
    """The state of a heap, from which on its peak is found anew."""
    state = heap, heap.live_bytes, heap.peak_bytes, heap.allocated_bytes
    heap.peak_bytes = heap.live_bytes
    return state


@final
class Meter:
    """Reads the counters; one for a recording."""

    def __init__(self) -> None:
        from tscript.abi.layout import HEAP
        from tscript.runtime.session.keeper import total
        from tscript.runtime.session.process import current

        self._first = current().heap
        self._total = total
        self._at = HEAP.ctype.from_address
        self._heaps: dict[int, Any] = {}

    def begin(self) -> Begun:
        """An event begins: what `end` needs."""
        own, number = self._own(), threading.get_ident()
        others: list[State] = []
        if own.thread != number:  # it has none, and gets a new one or that of a thread that has ended
            running, heap = sys._current_frames(), own
            while heap.next:
                heap = self._at(heap.next)
                if heap.thread not in running:
                    others.append(_reset(heap))
        return _reset(own), self._total(self._first, "live_bytes"), others

    def end(self, begun: Begun) -> Usage:
        """It ends."""
        state, before, others = begun
        own = self._own()
        if own is not state[0]:  # the thread has got one of its own meanwhile
            state = next((s for s in others if addressof(s[0]) == addressof(own)), (own, 0, 0, 0))
        heap, live, _, allocated = state
        peak = max(heap.peak_bytes, heap.live_bytes)
        for each, _, most, _ in (begun[0], state, *others):
            each.peak_bytes = max(most, each.peak_bytes, each.live_bytes)
        after = self._total(self._first, "live_bytes")
        return Usage(before, after, peak - live, heap.allocated_bytes - allocated)

    def _own(self) -> Any:
        """The heap of the calling thread: the first one until there are several."""
        number = threading.get_ident()
        heap = self._heaps.get(number)
        if heap is None or heap.thread != number:
            heap = self._first
            while heap.thread != number and heap.next:
                heap = self._at(heap.next)
            if heap.thread != number:
                return self._first
            self._heaps[number] = heap
        return heap
