"""Operators of `functools.lru_cache`, which nobody calls by name, and `Shared`, what they work on where a cache
outlives a call.

A cache is a dict, whose keys are the arguments, in the order of use, and a list of `WORDS` ints, its *state*.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from tscript.abi.caches import HITS, MISSES
from tscript.abi.layout import CLASS_EQ, CLASS_FROZEN, CLASS_OWN_KEYS
from tscript.definitions.define import native
from tscript.definitions.opdef import Arg, KernelBody, OpDef, OperatorTypeError, TypeRule
from tscript.definitions.rules import schema_rule
from tscript.definitions.schema import parse_schema
from tscript.definitions.shared import Shared
from tscript.operators.python.lists import CHANGES
from tscript.types import (
    BOOL,
    BYTES,
    COMPLEX,
    DTYPE,
    FLOAT,
    INT,
    NONE,
    OPTIONS,
    STR,
    ClassType,
    DictType,
    EnumType,
    ListType,
    OptionalType,
    TensorType,
    TupleType,
    Type,
    UnionType,
)

_PLAIN = frozenset({INT, FLOAT, BOOL, STR, BYTES, NONE, COMPLEX, DTYPE, *OPTIONS})


class CacheInfo(NamedTuple):
    """What ``f.cache_info()`` gives."""

    hits: int
    misses: int
    maxsize: int | None
    currsize: int


def is_plain(type: Type) -> bool:
    """Whether values never change, and are compared by what they are, without code of a program: what a cache that
    threads share can have as keys.

    Example:
        >>> is_plain(TupleType((INT, OptionalType(STR)))), is_plain(ListType(INT))
        (True, False)
    """
    match type:
        case TupleType(elements=parts) | UnionType(members=parts):
            return all(map(is_plain, parts))
        case OptionalType(value=value):
            return is_plain(value)
        case ListType(element=element, frozen=True):
            return is_plain(element)
        case EnumType():
            return True
        case ClassType(info=info) if not info.flags & CLASS_OWN_KEYS and not {"__eq__", "__hash__"} & info.special:
            # By identity, or by fields that nothing sets.
            by_fields, frozen = bool(info.flags & CLASS_EQ), bool(info.flags & CLASS_FROZEN)
            return not by_fields or (frozen and all(f != type and is_plain(f) for f in info.fields.values()))
    return type in _PLAIN


def is_kept(type: Type) -> bool:
    """Whether threads may share values: numbers, strings, tensors, and tuples of them.

    Example:
        >>> is_kept(TupleType((INT, STR))), is_kept(DictType(INT, INT))
        (True, False)
    """
    match type:
        case TensorType():
            return True
        case TupleType(elements=parts) | UnionType(members=parts):
            return all(map(is_kept, parts))
        case OptionalType(value=value) | ListType(element=value, frozen=True):
            return is_kept(value)
    return not isinstance(type, ClassType) and is_plain(type)


def _find(self: dict[Any, Any], state: list[int], key: object, ordered: bool) -> object:
    if key not in self:
        state[MISSES] += 1
        return None
    state[HITS] += 1
    if ordered:
        self[key] = self.pop(key)
    return self[key]


def _keep(self: dict[Any, Any], state: list[int], key: object, value: object, maxsize: int) -> None:
    if key in self:
        return
    self[key] = value
    if 0 <= maxsize < len(self):
        del self[next(iter(self))]


def _clear(self: dict[Any, Any], state: list[int]) -> None:
    self.clear()
    state[HITS] = state[MISSES] = 0


def _counts(self: dict[Any, Any], state: list[int]) -> tuple[int, int, int]:
    return state[HITS], state[MISSES], len(self)


def _rule(schema: str) -> TypeRule:
    by_schema = schema_rule(parse_schema(schema), changes=True)

    def rule(args: Sequence[Arg]) -> Type:
        held = args[0].type
        if not isinstance(held, DictType) or not is_plain(held.key) or not is_kept(held.value):
            raise OperatorTypeError(f"no cache that threads share is a {held}")
        return by_schema(args)

    return rule


def _cache(schema: str, semantics: Callable[..., object], body: KernelBody, doc: str) -> OpDef:
    return native(schema, semantics, body, doc, rule=_rule(schema), effects=CHANGES, exact=False)


FIND = _cache(
    "find.cache(dict self, list[int] state, K key, bool ordered) -> Optional[V]",
    _find,
    "caches.cache_find",
    "What a cache keeps for a key, or None.",
)
KEEP = _cache(
    "keep.cache(dict self, list[int] state, K key, V value, int maxsize) -> None",
    _keep,
    "caches.cache_keep",
    "Keeps a value for a key, of `maxsize` at most unless that is negative.",
)
CLEAR = _cache("clear.cache(dict self, list[int] state) -> None", _clear, "caches.cache_clear", "Forgets everything.")
COUNTS = _cache(
    "counts.cache(dict self, list[int] state) -> tuple[int, int, int]",
    _counts,
    "caches.cache_counts",
    "Hits, misses, and what is kept.",
)

OPERATORS: tuple[OpDef, ...] = (FIND, KEEP, CLEAR, COUNTS)

__all__ = ["CLEAR", "COUNTS", "FIND", "KEEP", "OPERATORS", "CacheInfo", "Shared", "is_kept", "is_plain"]
