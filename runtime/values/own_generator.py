"""What the generators of random tensors are known by, wherever values are given types."""

from __future__ import annotations


class OwnGenerator:
    """The base of `tscript.Generator`, which has no other subclass."""

    __slots__ = ()
