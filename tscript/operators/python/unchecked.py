"""Operators that take an index without asking whether it lies inside: what the compiler writes where it has proved
that.

They are for the compiler alone: no file may hold them, and nobody calls them by name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tscript.definitions.define import native
from tscript.definitions.opdef import Effects, KernelBody, OpDef
from tscript.operators.python.strings import CODE_AT

READS = Effects(raises=True)
"""What a list holds may be another thing the next time."""


def _inside(container: Any, index: int) -> None:
    if not 0 <= index < len(container):
        raise AssertionError(f"index {index} was said to lie inside of {len(container)} elements")


def _item(self: Any, index: int) -> object:
    _inside(self, index)
    return self[index]


def _set_item(self: Any, index: int, item: object) -> None:
    _inside(self, index)
    self[index] = item


def _code(self: str, index: int) -> int:
    _inside(self, index)
    return ord(self[index])


def _operator(schema: str, semantics: Callable[..., object], body: KernelBody, doc: str, effects: Effects) -> OpDef:
    return native(schema, semantics, body, doc, effects=effects, exact=False, portable=False)


ITEM_IN = _operator(
    "item_in.list(list self, int index) -> T", _item, "lists.list_getitem", "The element at an index.", READS
)
SET_ITEM_IN = _operator(
    "set_item_in.list(list self, int index, T item) -> None",
    _set_item,
    "lists.list_setitem",
    "Sets the element at an index.",
    Effects(raises=True, world=True),
)
CODE_IN = _operator(
    "code_in.str(str self, int index) -> int",
    _code,
    "strings_slice.str_code_at",
    "The code point at an index.",
    CODE_AT.effects,
)

OPERATORS: tuple[OpDef, ...] = (ITEM_IN, SET_ITEM_IN, CODE_IN)
"""All operators of this module."""

UNCHECKED: Mapping[str, OpDef] = {"getitem.list": ITEM_IN, "setitem.list": SET_ITEM_IN, "code_at.str": CODE_IN}
"""By the operator that asks, the one that does not."""

__all__ = ["CODE_IN", "ITEM_IN", "OPERATORS", "READS", "SET_ITEM_IN", "UNCHECKED"]
