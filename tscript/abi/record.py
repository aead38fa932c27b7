"""Scopes and routes of operator callbacks: the numbers that native code, its header for C and Python share."""

from __future__ import annotations

from enum import IntEnum


class RecordScope(IntEnum):
    """What kind of thing a record is about."""

    FUNCTION = 0
    """A scripted function."""
    OPERATOR = 1
    """A tensor operator, eager or compiled, or a fused group of them."""
    USER = 2
    """A range that the program marks itself (`record_function`)."""
    COMPILE = 3
    """A specialisation being compiled."""
    LOAD = 4
    """An archive being loaded."""
    BACKWARD = 5
    """An operator of a backward pass."""


class Route(IntEnum):
    """How a callback is called."""

    NATIVE = 0
    """C functions, with or without the GIL."""
    PYTHON = 1
    """Python callables, with the GIL."""
    STATISTICS = 2
    """The built-in collector of `operator_stats`."""


HOOK_NAMES = ("build", "site", "values", "fault", "range_site")
"""Python functions that the boundary calls for records, in order: ``build(source, granularity)`` makes an observed
variant, ``site(address)`` gives what the records of a site have in common, ``values(kinds, n, cells)`` boxes values of
any kind, ``fault(callback, error)`` is told what a callback raised, ``range_site(name, scope)`` gives the site of a
range."""

KERNELS = ("thread_refresh", "record_enter", "record_exit", "record_unwind")
"""Kernels whose addresses the boundary holds, in order."""

NEEDS_INPUTS = 1
NEEDS_OUTPUTS = 2

NEVER = 1 << 62
"""A countdown that does not end."""

GROUPS = "groups"
SINGLE = "single"
"""Observed variants: callbacks see fused groups as one operator, or each operator."""
