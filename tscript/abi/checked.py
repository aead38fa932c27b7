"""The checked mode: what compiled code, the native library and the runtime agree on. See docs/testing.md."""

from __future__ import annotations

from enum import IntEnum

HEAD = 64
"""Bytes in front of a block: these words, then a red zone."""
LIVE_MARK = 0x4556494C4B4C4254
FREED_MARK = 0x444545524B4C4254
"""First word of the head."""
FRESH, FREED, ZONE = 0xCB, 0xDD, 0xFA
"""What new memory, freed memory and red zones are filled with."""
ZONE_WORD = -0x505050505050506


class Word(IntEnum):
    """Words of a head."""

    MARK = 0
    NBYTES = 1
    SERIAL = 2
    """Number of the allocation."""
    NEXT = 3
    """The block allocated before, or the one freed next."""
    PREVIOUS = 4
    SITE = 5
    """Where it was allocated, or null."""
    ZONE = 6
    """The first of two words of red zone."""


class State(IntEnum):
    """Words at the symbol ``ts_checked_v1``."""

    OLDEST = 0
    """Head of the block that has been free for longest."""
    NEWEST = 1
    KEPT = 2
    """Bytes of the blocks that are free and not reused yet."""
    LIMIT = 3
    LIVE = 4
    """Head of the newest block in use."""
    SERIAL = 5


class Trouble(IntEnum):
    """What is wrong with an address or a block."""

    NULL = 1
    MISALIGNED = 2
    WILD = 3
    """It cannot be an address."""
    UNKNOWN = 4
    """No block begins there."""
    DEAD = 5
    """The block is free."""
    COUNT = 6
    """An object in use that nobody refers to."""
    SIZE = 7
    BEFORE = 8
    BEHIND = 9
    AFTER = 10


TEXTS = {
    Trouble.NULL: "a null address",
    Trouble.MISALIGNED: "a misaligned address",
    Trouble.WILD: "an address that cannot be one",
    Trouble.UNKNOWN: "an address where no block begins",
    Trouble.DEAD: "an object or block that was freed",
    Trouble.COUNT: "an object whose count of references is below 1",
    Trouble.SIZE: "a block that is freed as one of another size",
    Trouble.BEFORE: "a block that was written to in front of its beginning",
    Trouble.BEHIND: "a block that was written to behind its end",
    Trouble.AFTER: "a block that was written to after it was freed",
}
