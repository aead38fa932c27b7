"""Operators of dicts and sets whose keys have a ``__hash__`` or ``__eq__`` of their own, which nobody calls by name.

User code cannot run in the middle of a native search. So the language searches itself
(`tscript.frontend.values.own_keys`): it asks a key for its hash, goes along the entries with that hash, one *place*
after the other, and asks whether their keys are equal. In between anything may happen to the table. Each operator looks
at what it is given: a place or number that means nothing any more gives -1, or raises.

To the interpreter a key with its hash is a `Kept`: a dict of Python that holds those asks nobody for anything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from enum import Enum
from typing import Any

from tscript.definitions.define import native
from tscript.definitions.opdef import RAISES, Effects, OpDef

LARGEST_HASH = (1 << 63) - 1
"""A table keeps that many bits of a hash."""


class Kept:
    """A key of a table, with its hash. Equal to nothing but itself.

    Attributes:
        key: The key.
        hash: What it said its hash is.
        number: Greater than those of all that came before.
    """

    __slots__ = ("hash", "key", "number")

    made = 0
    """How many there have been."""

    def __init__(self, key: object, hash: int) -> None:
        Kept.made += 1
        self.key, self.hash, self.number = key, hash & LARGEST_HASH, Kept.made

    def __repr__(self) -> str:
        return repr(self.key)


def key_of(found: object) -> Any:
    """The key itself of what a table holds."""
    return found.key if isinstance(found, Kept) else found


def plain_keys(values: Iterable[object]) -> None:
    """Let the tables in `values`, and in whatever they hold, have the keys themselves again, which asks them as Python
    does."""
    pending, seen = list(values), set[int]()
    while pending:
        value = pending.pop()
        if id(value) in seen or isinstance(value, str | bytes | int | float | Enum | type) or callable(value):
            continue
        seen.add(id(value))
        if isinstance(value, dict):
            if any(isinstance(k, Kept) for k in value):
                items = [(key_of(k), v) for k, v in value.items()]
                value.clear()
                value.update(items)
            pending += [*value, *value.values()]
        elif isinstance(value, set):
            if any(isinstance(k, Kept) for k in value):
                keys = list(map(key_of, value))
                value.clear()
                value.update(keys)
            pending += value
        elif isinstance(value, list | tuple):
            pending += value
        elif hasattr(value, "__dict__"):
            pending += vars(value).values()


# ---- meanings


def _moves(table: Any) -> int:
    return int(all(isinstance(k, Kept) for k in table))


def _version(table: Any) -> int:
    return hash(tuple(map(id, table)))


def _set_hashes(table: Any, hashes: Sequence[int], version: int) -> None:
    if _moves(table) or version != _version(table):
        return
    if len(hashes) != len(table):
        raise ValueError("there is one hash for each key")
    keys = [Kept(key_of(k), h) for k, h in zip(table, hashes, strict=True)]
    if isinstance(table, dict):
        items = list(zip(keys, table.values(), strict=True))
        table.clear()
        table.update(items)
    else:
        table.clear()
        table.update(keys)


def _next_place(table: Any, hash: int, place: int) -> int:
    kept = [k.number for k in table if isinstance(k, Kept) and k.hash == hash & LARGEST_HASH and k.number > place]
    return min(kept, default=-1)


def _entry_at(table: Any, place: int) -> int:
    return next((i for i, k in enumerate(table) if isinstance(k, Kept) and k.number == place), -1)


def _entry(table: Any, number: int) -> Any:
    keys = list(table)
    if not 0 <= number < len(keys):
        raise RuntimeError("the entry is gone")
    return keys[number]


def _is_entry(table: Any, number: int, key: object) -> bool:
    return 0 <= number < len(table) and _is_same(key_of(_entry(table, number)), key)


def _is_same(a: object, b: object) -> bool:
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(map(_is_same, a, b))
    return a is b or (isinstance(a, int | float | str | bytes) and type(a) is type(b) and a == b)


def _entry_hash(table: Any, number: int) -> int:
    found = _entry(table, number)
    return found.hash if isinstance(found, Kept) else 0


def _add_entry(table: Any, hash: int, key: object, value: object) -> int:
    kept = Kept(key, hash)
    if isinstance(table, dict):
        table[kept] = value
    else:
        table.add(kept)
    return _entry_at(table, kept.number)


def _next_entry(table: Any, position: int) -> int:
    return max(position, 0) if position < len(table) else -1


def _set_entry(table: Any, number: int, value: object) -> None:
    found = _entry(table, number)
    if isinstance(table, dict):
        table[found] = value


def _drop_entry(table: Any, number: int) -> None:
    found = _entry(table, number)
    if isinstance(table, dict):
        del table[found]
    else:
        table.remove(found)


def _missing(table: Any, key: object) -> None:
    raise KeyError(key)


def _operator(schema: str, semantics: Callable[..., object], doc: str, changes: bool = False) -> OpDef:
    effects = Effects(raises=True, world=True) if changes else RAISES
    return native(schema, semantics, "own_keys.table_" + schema.partition(".")[0], doc, effects=effects)


MOVES = _operator(
    "moves.table(table self) -> int",
    _moves,
    "How often entries have changed their places, at least once; 0 while the hashes of the keys are not known.",
)
VERSION = _operator("version.table(table self) -> int", _version, "Another number when keys have come or gone.")
SET_HASHES = _operator(
    "set_hashes.table(table self, list[int] hashes, int version) -> None",
    _set_hashes,
    "Says the hashes of all keys, in order, if they are not known and the version still is the same.",
    changes=True,
)
NEXT_PLACE = _operator(
    "next_place.table(table self, int hash, int place) -> int",
    _next_place,
    "The place behind another, or the first behind -1, of an entry with a hash; -1 if there is none.",
)
ENTRY_AT = _operator(
    "entry_at.table(table self, int place) -> int", _entry_at, "The number of the entry at a place; -1 if it is gone."
)
NEXT_ENTRY = _operator(
    "next_entry.table(table self, int position) -> int",
    _next_entry,
    "The number of the first entry from a position on; -1 if there is none.",
)
ENTRY = _operator(
    "entry.table(table self, int number) -> K",
    lambda table, number: key_of(_entry(table, number)),
    "The key of an entry.",
)
IS_ENTRY = _operator(
    "is_entry.table(table self, int number, K key) -> bool", _is_entry, "Whether an entry has this very key."
)
ENTRY_HASH = _operator("entry_hash.table(table self, int number) -> int", _entry_hash, "The hash of an entry's key.")
ADD_ENTRY = _operator(
    "add_entry.table(table self, int hash, K key, V value) -> int",
    _add_entry,
    "Adds a key that is not there; gives the number of its entry.",
    changes=True,
)
SET_ENTRY = _operator(
    "set_entry.table(table self, int number, V value) -> None",
    _set_entry,
    "Sets the value of an entry.",
    changes=True,
)
DROP_ENTRY = _operator(
    "drop_entry.table(table self, int number) -> None", _drop_entry, "Takes an entry out.", changes=True
)
MISSING = _operator("missing.table(table self, K key) -> None", _missing, "Raises KeyError with a key.")

OPERATORS: tuple[OpDef, ...] = (
    *(MOVES, VERSION, SET_HASHES, NEXT_PLACE, NEXT_ENTRY, ENTRY_AT, ENTRY),
    *(IS_ENTRY, ENTRY_HASH, ADD_ENTRY, SET_ENTRY, DROP_ENTRY, MISSING),
)
"""Operators of tables; `value` of a set is None."""
