"""What tracing warns of and refuses."""

from __future__ import annotations


class TracerWarning(UserWarning):
    """A trace may not hold for other inputs."""


class TracingError(RuntimeError):
    """A program does what a trace cannot record."""


class TracingCheckError(RuntimeError):
    """What was traced computes something else than the program."""
