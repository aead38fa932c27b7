"""What has a declaration of its own: classes, enums, named tuples."""

from __future__ import annotations

import itertools
from typing import Any

from tscript.late import dataclass, field

_SERIALS = itertools.count()


@dataclass(eq=False, slots=True, weakref_slot=True)
class Declared:
    """Whatever has a declaration of its own.

    Attributes:
        made: What other layers made for it, by keys of theirs.
        serial: Grows with each.
    """

    made: dict[Any, Any] = field(init=False, repr=False, default_factory=dict)
    serial: int = field(init=False, repr=False, default_factory=_SERIALS.__next__)
