"""What the profiler refuses."""

from __future__ import annotations


class ProfilerError(RuntimeError):
    """A profile is asked for something that its state does not allow: results before there are any, a second start."""
