"""Operators that join two strings or lists and may do it in the first one: what the compiler writes where nobody looks
at it again.

``append_to.str(a, b, owners)`` is ``a + b``. When exactly `owners` references to `a` are left, all of them about to go
or to be overwritten by the result, its kernel puts `b` behind `a` in place and gives `a` with one more reference;
otherwise, or when there is no room behind it, it makes a new string. They are for the compiler alone: no file may hold
them, and nobody calls them by name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tscript.definitions.define import native
from tscript.definitions.opdef import RAISES, Effects, KernelBody, OpDef
from tscript.definitions.rules import schema_rule
from tscript.definitions.schema import parse_schema


def _joined(a: Any, b: Any, owners: int) -> Any:
    return a + b


def _operator(schema: str, body: KernelBody, doc: str, effects: Effects) -> OpDef:
    semantics: Callable[..., object] = _joined
    return native(schema, semantics, body, doc, effects=effects, exact=False, portable=False)


_CHANGES = Effects(raises=True, world=True)
_JOIN_LISTS = "append_to.list(list self, self other, int owners) -> self"

APPEND_STR = _operator(
    "append_to.str(str a, str b, int owners) -> str", "strings_concat.str_append", "Both texts joined.", RAISES
)
APPEND_BYTES = _operator(
    "append_to.bytes(bytes a, bytes b, int owners) -> bytes", "strings_concat.str_append", "Both bytes joined.", RAISES
)
APPEND_LIST = native(
    _JOIN_LISTS,
    _joined,
    "lists.list_append_to",
    "The elements of both.",
    effects=_CHANGES,
    exact=False,
    portable=False,
    rule=schema_rule(parse_schema(_JOIN_LISTS)),  # what nobody else refers to may be a tuple as well
)

OPERATORS: tuple[OpDef, ...] = (APPEND_STR, APPEND_BYTES, APPEND_LIST)
"""All operators of this module."""

APPENDING: Mapping[str, OpDef] = {"add.str": APPEND_STR, "add.bytes": APPEND_BYTES, "add.list": APPEND_LIST}
"""By the operator that makes something new, the one that may not."""

__all__ = ["APPENDING", "APPEND_BYTES", "APPEND_LIST", "APPEND_STR", "OPERATORS"]
