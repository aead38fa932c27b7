"""How much work LLVM does on a module."""

from __future__ import annotations

from enum import Enum

PIPELINE_VERSION = 2
"""Part of cache keys: changes when `tscript.backend.loader.optimise` changes."""


class Effort(Enum):
    """The work of LLVM on a module; the values are part of cache keys.

    ``FULL``: its own pipelines, for what a user or a kernel wrote as loops and calls. ``LIGHT``: a short list of
    passes, for straight-line code and loop nests that are emitted as vector code, where the full one takes several
    times longer for the same machine code, and for functions so long that it takes too long. ``QUICK``: those passes,
    and fast selection of instructions.
    """

    FULL = "full"
    LIGHT = "light"
    QUICK = "quick"


class Length(Enum):
    """How long a call of a program may take, as far as its text shows.

    ``SHORT``: it has no loop of unknown length. ``LOOPS``: it has. ``DEEP``: it may call itself, so that the sizes of
    frames matter, too, or divides loops among threads: such code is good from the first call on.
    """

    SHORT = "short"
    LOOPS = "loops"
    DEEP = "deep"
