"""Ranges of loop-carried values: the results of one walk after the other, and the bounds that follow."""

from __future__ import annotations

from typing import final

from tscript.ir.graph import For, Loop, Value
from tscript.passes.intervals import HIGHEST, LOWEST, WHOLE, Range, join
from tscript.types import INT

Added = tuple[Value, int, int]
"""A value, and bounds of what was added to it."""


@final
class Carried:
    """The ranges of the carried values of one loop.

    Attributes:
        trips: The maximum number of iterations; None if unknown.
    """

    __slots__ = (
        "_breaks",
        "_broken",
        "_changes",
        "_counted",
        "_exceeded",
        "_frozen",
        "_inits",
        "_moved",
        "_now",
        "_params",
        "_seen",
        "_steps",
        "_used",
        "trips",
    )

    def __init__(self, node: Loop | For) -> None:
        self._params = node.body.params if isinstance(node, Loop) else node.body.params[1:]
        self.trips: int | None = None
        self._counted = isinstance(node, For)
        count = len(self._params)
        self._seen: list[Range | None] = [None] * count
        """The ranges that iterations pass on."""
        self._steps: list[Range | None] = [None] * count
        """The range that an iteration adds, found by the walk before."""
        self._used: list[Range] = [WHOLE] * count
        self._inits: list[Range] = [WHOLE] * count
        self._frozen: list[Range] | None = None
        self._exceeded: list[bool] = [p.type != INT for p in self._params]
        """Whether a value that is passed on may be greater than the first one."""
        self._moved = False
        self._now: list[Range | None] = []
        self._changes: list[Range | None] = []
        self._breaks: dict[int, Range] = {}
        self._broken: dict[int, Range | None] = {}

    def start_walk(self) -> None:
        """Begin a walk, with nothing known of its iterations."""
        count = len(self._params)
        self._now = [None] * count
        self._changes = [(0, 0)] * count
        self._breaks = {}
        self._broken = {}

    def begin(self, i: int, init: Range) -> Range:
        """The range of carried value `i` at the head of the loop."""
        self._inits[i] = init
        if self._frozen is not None:
            self._used[i] = self._frozen[i]
            return self._frozen[i]
        seen, step = self._seen[i], self._steps[i]
        found = init if seen is None else join(init, seen)
        if step is not None:
            low, high = self._after(i, step, 1)
            found = (max(found[0], low), min(found[1], high))
        self._used[i] = found
        return found

    def _after(self, i: int, step: Range, less: int) -> Range:
        """Bounds of carried value `i` by what each iteration adds, but for the last `less` iterations."""
        trips = HIGHEST * 4 if self.trips is None else max(0, self.trips - less)
        low, high = self._inits[i]
        return (low + min(0, step[0]) * trips, high + max(0, step[1]) * trips)

    def is_first_greatest(self, i: int) -> bool:
        """Whether carried value `i` is never greater than its first value, as far as is known."""
        return not self._exceeded[i]

    def exceeds(self, i: int) -> None:
        """Carried value `i` may be greater than its first value."""
        self._exceeded[i] = self._moved = True

    def continued(self, i: int, range: Range, added: Added | None) -> None:
        """An iteration passes on a value in `range`."""
        old = self._now[i]
        self._now[i] = range if old is None else join(old, range)
        change = self._changes[i]
        if change is not None:
            mine = added is not None and added[0] is self._params[i]
            self._changes[i] = join(change, (added[1], added[2])) if mine and added else None

    def broke(self, i: int, range: Range, added: Added | None) -> None:
        """The loop is left with a value in `range`."""
        old = self._breaks.get(i)
        self._breaks[i] = range if old is None else join(old, range)
        mine = i < len(self._params) and added is not None and added[0] is self._params[i]
        step = (added[1], added[2]) if mine and added else None
        before = self._broken.get(i, (0, 0))
        self._broken[i] = None if before is None or step is None else join(before, step)

    def result(self, i: int) -> Range:
        """The range of result `i` of the loop."""
        left = self._breaks.get(i)
        if not self._counted or i >= len(self._params):
            return WHOLE if left is None else left
        found = self._inits[i]
        now, change = self._now[i], self._changes[i]
        if now is not None:
            found = join(found, now)
        if change is not None:
            low, high = self._after(i, change, 0)
            found = (max(found[0], low), min(found[1], high))
        return found if left is None else join(found, left)

    def set_aside(self) -> tuple[list[Range | None], list[Range | None]]:
        """Begin another walk over the body; returns the state for `put_back`."""
        kept = (self._now, self._changes)
        self._now = [None] * len(self._params)
        self._changes = [(0, 0)] * len(self._params)
        return kept

    def put_back(self, kept: tuple[list[Range | None], list[Range | None]]) -> None:
        """Restore the results of the walk."""
        self._now, self._changes = kept

    def stays(self, i: int, inside: Range, trips: int, most: int) -> bool:
        """Whether carried value `i` stays `inside`, or changes by `most` in so many iterations."""
        now, change = self._now[i], self._changes[i]
        if change is not None and max(-change[0], change[1]) * trips <= most:
            return True
        return now is None or (inside[0] <= now[0] and now[1] <= inside[1])

    def total(self, i: int) -> Range | None:
        """The range that the entire loop adds to carried value `i`."""
        change, broken = self._changes[i], self._broken.get(i, (0, 0))
        if change is None or broken is None or self.trips is None:
            return None
        low, high = min(0, change[0]) * self.trips, max(0, change[1]) * self.trips
        return (low + min(0, broken[0]), high + max(0, broken[1]))

    def grow(self, widen: bool) -> bool:
        """Merge the results of the walk; returns whether a range has grown."""
        moved, self._moved = self._moved, False
        for i, now in enumerate(self._now):
            change = self._changes[i]
            self._steps[i] = change
            if now is None:
                continue
            used = self._used[i]
            low, high = now if change is None else self._after(i, change, 1)
            lower = now[0] < used[0] and low < used[0]
            higher = now[1] > used[1] and high > used[1]
            seen = self._seen[i]
            found = now if seen is None else join(seen, now)
            if lower or higher:
                moved = True
                if widen:
                    found = (_lower(found[0]) if lower else found[0], _higher(found[1]) if higher else found[1])
            self._seen[i] = found
        return moved

    def give_up(self) -> None:
        """Anything may be carried."""
        self._seen = list(self._used)
        self._frozen = [WHOLE] * len(self._params)
        self._exceeded = [True] * len(self._params)

    def save(self) -> list[Range]:
        """The bounds that the last walk confirmed."""
        return list(self._used)

    def restore(self, saved: list[Range]) -> None:
        """Begin all further walks with bounds that were confirmed."""
        self._frozen = saved

    def tighten(self) -> None:
        """Begin the next walk with the results of the last one."""
        self._frozen = None
        self._seen = list(self._now)


def _lower(low: int) -> int:
    return next(x for x in (0, -1, LOWEST) if x <= low)


def _higher(high: int) -> int:
    return next(x for x in (0, 255, HIGHEST) if x >= high)


__all__ = ["Added", "Carried"]
