"""Operators of loops over containers, which nobody calls by name."""

from __future__ import annotations

import itertools
from typing import Any

from tscript.definitions.define import native
from tscript.definitions.opdef import RAISES, OpDef
from tscript.operators.python.own_keys import key_of


def _has_item(items: list[object], index: int) -> bool:
    return 0 <= index < len(items)


HAS_ITEM = native(
    "has_item.list(list self, int index) -> bool",
    _has_item,
    "lists.list_has_item",
    "Whether a list has an element with this index, counted from the front.",
    effects=RAISES,
)
"""Asked again for each element: the body of a loop may change the list."""


def _next_entry(items: Any, position: int, size: int) -> int:
    if len(items) != size:
        what = "Set" if isinstance(items, set) else "dictionary"
        raise RuntimeError(f"{what} changed size during iteration")
    return max(position, 0) if position < len(items) else -1


def _key(items: Any, number: int) -> object:
    return key_of(_kept(items, number))


def _kept(items: Any, number: int) -> object:
    return next(itertools.islice(items, number, None))


def _value(items: dict[Any, Any], number: int) -> object:
    return items[_kept(items, number)]


def _operators(kind: str) -> tuple[OpDef, ...]:
    return (
        native(
            f"next_entry.{kind}({kind} self, int position, int size) -> int",
            _next_entry,
            "tables.dict_next",
            "The number of the first entry from a position on, -1 if there is none; raises when the size is another.",
            effects=RAISES,
        ),
        native(
            f"entry_key.{kind}({kind} self, int number) -> T",
            _key,
            "dicts.dict_entry_key",
            "The key of an entry.",
            effects=RAISES,
        ),
    )


ENTRY_VALUE = native(
    "entry_value.dict(dict self, int number) -> V",
    _value,
    "dicts.dict_entry_value",
    "The value of an entry.",
    effects=RAISES,
)
ENTRIES: tuple[OpDef, ...] = (*_operators("dict"), *_operators("set"), ENTRY_VALUE)
"""Loops over dicts and sets. The backend has code for the keys and values of entries."""

ITERATION: tuple[OpDef, ...] = (HAS_ITEM,)
