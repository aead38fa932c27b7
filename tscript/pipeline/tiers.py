"""The tiers of user code: how much work its first compilation is, and what a later one needs."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from enum import Enum
from typing import TYPE_CHECKING

from tscript.backend.llvm.effort import Effort, Length
from tscript.late import dataclass, field

if TYPE_CHECKING:
    from tscript.backend.llvm.emitted import Emitted

VARIABLE = "TSCRIPT_OPTIMIZE"


class Tier(Enum):
    """How code of a user is optimised; the values are those of `tscript.script` and of ``TSCRIPT_OPTIMIZE``.

    ``FULL``: with everything, before the first call. ``QUICK``: with little, for good. ``AUTO``: with little at first,
    and with everything in the background when it runs often or long.
    """

    FULL = "full"
    QUICK = "quick"
    AUTO = "auto"

    @staticmethod
    def of(name: object) -> Tier:
        """The tier of a name.

        Raises:
            ValueError: There is none.
        """
        found = next((tier for tier in Tier if tier.value == name), None)
        if found is None:
            raise ValueError(f"optimize must be {', '.join(repr(t.value) for t in Tier)} or None, not {name!r}")
        return found

    @staticmethod
    def from_environment(environment: Mapping[str, str] = os.environ) -> Tier:
        """The tier of functions that do not say theirs; a warning if the variable has another value."""
        name = environment.get(VARIABLE, "").strip().lower() or Tier.AUTO.value
        try:
            return Tier.of(name)
        except ValueError:
            wanted = ", ".join(tier.value for tier in Tier)
            warnings.warn(f"{VARIABLE} must be one of {wanted}, not {name!r}", RuntimeWarning, stacklevel=2)
            return Tier.AUTO


QUICK_LEVEL = 0
"""LLVM's level for quick code: no passes, and fast selection of instructions. The IR is that of better code, and has no
flags that let LLVM change a result, so both give the same bits."""

AT_ONCE = 30_000
"""Characters of LLVM text up to which code that may run long is optimised before its first call, which may be its only
one. LLVM takes 2 to 3 ms for 1,000 of them. Calls of longer code go on in better code at a safepoint."""


def is_quick(module: Emitted, tier: Tier, at_once: int = AT_ONCE) -> bool:
    """Whether a module is compiled with little work at first; `at_once` as in `tscript.pipeline.compiler.Options`."""
    if tier is Tier.FULL or module.effort is Effort.QUICK or module.length is Length.DEEP:
        return False
    return tier is Tier.QUICK or module.length is Length.SHORT or len(module.text) > at_once


FULL_SECONDS = 2.5e-6
LIGHT_SECONDS = 0.9e-6
"""What LLVM takes for a character of text, about, by the effort: with all passes, or with few."""


@dataclass(frozen=True, slots=True)
class Later:
    """A module whose better code is made later.

    Attributes:
        key: Of that in the cache.
        quick: Of the code that there is now.
        effort: The work on it.
        size: Characters of the text.
        marks: How many places there are at which better code may take over.
        packed: The text, compressed.
    """

    key: str
    quick: str
    effort: Effort
    size: int
    marks: int
    packed: bytes = field(repr=False)

    @staticmethod
    def of(module: Emitted, key: str, quick: str) -> Later:
        """What is needed of a module."""
        import zlib

        text = module.marked or module.text
        packed = zlib.compress(text.encode("utf-8", "surrogatepass"), 1)
        return Later(key, quick, module.effort, len(text), module.marks, packed)

    @property
    def seconds(self) -> float:
        """What LLVM takes for it, about."""
        return self.size * (FULL_SECONDS if self.effort is Effort.FULL else LIGHT_SECONDS)

    @property
    def text(self) -> str:
        """LLVM text, with these places."""
        import zlib

        return zlib.decompress(self.packed).decode("utf-8", "surrogatepass")
