"""How the parts of an index with masks and index tensors are written down, see `tscript.operators.tensor.index_parts`.

It stands by itself, since every process needs it for eager tensors, and few need those operators.
"""

from __future__ import annotations

from collections.abc import Sequence

AT, PART, NEW, REST, TENSOR, WHOLE, FLAG = range(1, 8)
BITS = 3
MOST_PARTS = 21
END = (1 << 63) - 1
"""The end of a slice that has none."""


def layout_of(kinds: Sequence[int]) -> int:
    """The layout of parts of these kinds."""
    return sum(kind << (BITS * i) for i, kind in enumerate(kinds))


def kinds_of(layout: int) -> list[int]:
    """The kinds of the parts of a layout; a negative number, which only a file can hold, has none."""
    found = []
    while layout > 0:
        found.append(layout & 7)
        layout >>= BITS
    return found
