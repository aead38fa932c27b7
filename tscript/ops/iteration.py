"""Operators of loops over containers, which nobody calls by name."""

from __future__ import annotations

from tscript.ops.define import native
from tscript.ops.opdef import Effects, OpDef


def _has_item(items: list[object], index: int) -> bool:
    return 0 <= index < len(items)


HAS_ITEM = native(
    "has_item.list(list self, int index) -> bool",
    _has_item,
    "list_has_item",
    "Whether a list has an element with this index, counted from the front.",
    effects=Effects(world=True),
)
"""Asked again for each element: the body of a loop may change the list."""

ITERATION: tuple[OpDef, ...] = (HAS_ITEM,)
