"""Counting references: what `tscript.passes.count_references` writes into IR, and what it has to know of operators.

A value whose type `is_counted` refers to objects on the heap. The block in which it was made owns these references,
until they are released or handed on. `retain` adds one reference to each, which the block it stands in owns; `release`
gives back what the block still owns of a value. What leaves a block (``return``, ``yield``, ``break``, ``continue``)
hands on what it passes, and releases what the blocks that it leaves still own; so do exceptions. A loop takes over its
initial values. A call and an operator borrow their arguments; one that keeps them counts them itself.
"""

from __future__ import annotations

from collections.abc import Sequence

from tscript.definitions.opdef import Effects, OpDef, Structural
from tscript.definitions.schema import parse_schema
from tscript.dialect import machine
from tscript.operators.python.classes import ENUM_INDEX, ENUM_MEMBER, IS_SAME, NAMED_MAKE
from tscript.operators.python.conversions import DOWNCAST, IS_NONE, UNBOX, UPCAST
from tscript.types import NONE, Type


def _nothing(args: Sequence[object]) -> Type:
    return NONE


def _no_effect(value: object) -> None:
    return None


RETAIN = OpDef(
    parse_schema("retain(Any value) -> None"),
    _nothing,
    _no_effect,
    Structural(),
    Effects(world=True),
    doc="One more reference to what a value refers to.",
)
RELEASE = OpDef(
    parse_schema("release(Any value) -> None"),
    _nothing,
    _no_effect,
    Structural(),
    Effects(world=True),
    doc="The last use of a value is over.",
)
REFERENCES: tuple[OpDef, ...] = (RETAIN, RELEASE)

ALIASES: frozenset[OpDef] = frozenset(
    {
        *(machine.TUPLE_MAKE, machine.TUPLE_GET, UPCAST, DOWNCAST, UNBOX, IS_NONE),
        *(NAMED_MAKE, ENUM_INDEX, ENUM_MEMBER, IS_SAME),
    }
)
"""Operators whose results refer to what their inputs refer to, and own nothing; and those of `ALIAS_NAMES`."""

ALIAS_NAMES = frozenset({"getitem.tuple", "getitem.Size", "len.tuple"})

BORROWS = frozenset(
    {"getitem.list", "item_in.list", "entry_key.dict", "entry_key.set", "entry_value.dict", "get_field.object"}
)
"""Operators that give what their first input, a container, holds: the container goes on owning it."""


def is_alias(op: OpDef) -> bool:
    """Whether an operator is one of `ALIASES`."""
    return op in ALIASES or op.name in ALIAS_NAMES


__all__ = ["ALIASES", "ALIAS_NAMES", "BORROWS", "REFERENCES", "RELEASE", "RETAIN", "is_alias"]
