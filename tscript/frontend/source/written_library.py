"""Functions of the standard library that are written in the language: a call of one is a call of ours."""

from __future__ import annotations

import bisect
import heapq
from collections.abc import Callable
from typing import Any

from tscript.operators.python.functions import heaps, sorted_places

WRITTEN: dict[object, Callable[..., Any]] = {
    bisect.bisect_left: sorted_places.bisect_left,
    bisect.bisect_right: sorted_places.bisect_right,
    bisect.insort_left: sorted_places.insort_left,
    bisect.insort_right: sorted_places.insort_right,
    heapq.heapify: heaps.heapify,
    heapq.heappop: heaps.heappop,
    heapq.heappush: heaps.heappush,
    heapq.heappushpop: heaps.heappushpop,
    heapq.heapreplace: heaps.heapreplace,
    heapq.nlargest: heaps.nlargest,
    heapq.nsmallest: heaps.nsmallest,
}
"""What is called for each; `bisect.bisect` and `bisect.insort` are other names of two of them."""
