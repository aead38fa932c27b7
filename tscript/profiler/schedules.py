"""Schedules: which steps of a long job are recorded."""

from __future__ import annotations

import operator
import warnings
from collections.abc import Callable
from enum import Enum


class ProfilerAction(Enum):
    """What a profile does during one step."""

    NONE = 0
    """Nothing."""
    WARMUP = 1
    """Get ready: the callbacks run, so that their first costs are over, and what they record is thrown away."""
    RECORD = 2
    """Record."""
    RECORD_AND_SAVE = 3
    """Record, and hand over the trace when the step ends."""


def schedule(
    *, wait: int, warmup: int, active: int, repeat: int = 0, skip_first: int = 0, skip_first_wait: int = 0
) -> Callable[[int], ProfilerAction]:
    """A schedule for `profile`, in cycles of ``wait + warmup + active`` steps.

    Args:
        wait: Steps at the beginning of a cycle in which nothing is done.
        warmup: Steps after these whose events are thrown away.
        active: Steps after these that are recorded; at the end of the last one the trace is handed over.
        repeat: How many cycles; 0: until the profile ends.
        skip_first: Steps before the first cycle.
        skip_first_wait: Not 0: the first cycle begins without its `wait` steps.

    Returns:
        A function of the number of a step.

    Raises:
        TypeError: An argument is not an int.
        ValueError: One is negative, or `active` is 0.

    Example:
        >>> plan = schedule(wait=1, warmup=1, active=2)
        >>> [plan(step).name for step in range(5)]
        ['NONE', 'WARMUP', 'RECORD', 'RECORD_AND_SAVE', 'NONE']
    """
    given = {"wait": wait, "warmup": warmup, "active": active, "repeat": repeat, "skip_first": skip_first}
    for name, value in {**given, "skip_first_wait": skip_first_wait}.items():
        try:
            operator.index(value)
        except TypeError:
            raise TypeError(f"schedule: {name} must be an int, not {type(value).__name__}") from None
    for name, value in given.items():
        least = 1 if name == "active" else 0
        if value < least:
            raise ValueError(f"schedule: {name} must be at least {least}, found {value}")
    if warmup == 0:
        warnings.warn("a schedule without warmup steps also records the profiler's own first costs", stacklevel=2)
    length = wait + warmup + active

    def action(step: int) -> ProfilerAction:
        if step < 0:
            raise ValueError(f"a step must not be negative, found {step}")
        if step < skip_first:
            return ProfilerAction.NONE
        step -= skip_first
        if skip_first_wait:
            step += wait
        cycle, place = divmod(step, length)
        if (repeat and cycle >= repeat) or place < wait:
            return ProfilerAction.NONE
        if place < wait + warmup:
            return ProfilerAction.WARMUP
        return ProfilerAction.RECORD if place < length - 1 else ProfilerAction.RECORD_AND_SAVE

    return action


def always(step: int) -> ProfilerAction:
    """The schedule of a profile without one: record everything."""
    return ProfilerAction.RECORD
