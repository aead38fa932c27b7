"""What events need of memory: counters of the heap, read where an event begins and ends.

Each thread counts what it makes and frees (`tscript.abi.layout.HEAP`), and the most that it had of blocks of more than
8 KiB. An event sets that to what there is when it begins, and puts back the larger one of both when it ends, so events
inside each other, and several profiles, all find their own.
"""

from __future__ import annotations

import threading
from typing import Any, final

from tscript.late import dataclass

Begun = tuple[Any, int, int, int, int]
"""The heap of the thread, what was in use of it, the most until then, what it took until then; what the process had."""


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
        heap = self._own()
        live, most = heap.live_bytes, heap.peak_bytes
        heap.peak_bytes = live
        return heap, live, most, heap.allocated_bytes, self._total(self._first, "live_bytes")

    def end(self, begun: Begun) -> Usage:
        """It ends."""
        heap, live, most, allocated, before = begun
        own = self._own()
        if own is not heap:  # the thread has got one of its own meanwhile
            heap, live, most, allocated = own, 0, 0, 0
        peak = max(heap.peak_bytes, heap.live_bytes)
        heap.peak_bytes = max(most, peak)
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
