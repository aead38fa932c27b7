"""Searching dicts and sets whose keys have a ``__hash__`` or ``__eq__`` of their own.

They stand in for the operators of dicts and sets, which the native library does for all other keys
(`tscript.frontend.values.own_keys`). A key is asked for its hash once; entries with that hash are asked whether they
are equal, one after the other. Methods that are
called may change the table: after each the search looks whether it stands where it stood, and else begins again, as in
CPython.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return,operator"

from __future__ import annotations

from tscript.definitions.language import generic
from tscript.operators.python.functions.containers import same
from tscript.operators.python.iteration import ENTRY_VALUE
from tscript.operators.python.own_keys import (
    ADD_ENTRY,
    DROP_ENTRY,
    ENTRY,
    ENTRY_AT,
    ENTRY_HASH,
    IS_ENTRY,
    MISSING,
    MOVES,
    NEXT_ENTRY,
    NEXT_PLACE,
    SET_ENTRY,
    SET_HASHES,
    VERSION,
)

# ---- searching


@generic
def ask(xs) -> None:
    """Ask the keys of a table that came from Python for their hashes."""
    while MOVES(xs) == 0:
        version = VERSION(xs)
        SET_HASHES(xs, [hash(x) for x in xs], version)


@generic
def find(xs, key, hashed: int) -> int:
    """The number of the entry with a key; -1 if there is none."""
    if MOVES(xs) == 0:
        ask(xs)
    moves = MOVES(xs)
    place = NEXT_PLACE(xs, hashed, -1)
    while place >= 0:
        number = ENTRY_AT(xs, place)
        if number < 0:
            return -1
        found = ENTRY(xs, number)
        equal = same(found, key)
        if MOVES(xs) != moves or ENTRY_AT(xs, place) != number or not IS_ENTRY(xs, number, found):
            moves = MOVES(xs)
            place = -1
        elif equal:
            return number
        place = NEXT_PLACE(xs, hashed, place)
    return -1


@generic
def contains(xs, key) -> bool:
    """``key in xs``"""
    return find(xs, key, hash(key)) >= 0


@generic
def number_of(xs, key) -> int:
    """The number of the entry with a key; -1 if there is none."""
    return find(xs, key, hash(key))


@generic
def known(xs, key) -> int:
    """The number of the entry with a key; raises KeyError."""
    number = find(xs, key, hash(key))
    if number < 0:
        MISSING(xs, key)
    return number


# ---- dicts


@generic
def put_hashed(xs, hashed: int, key, value) -> None:
    """``xs[key] = value``"""
    number = find(xs, key, hashed)
    if number < 0:
        ADD_ENTRY(xs, hashed, key, value)
    else:
        SET_ENTRY(xs, number, value)


@generic
def put(xs, key, value) -> None:
    """``xs[key] = value``"""
    put_hashed(xs, hash(key), key, value)


@generic
def remove(xs, key) -> None:
    """``del xs[key]``, and ``xs.remove(key)`` of a set"""
    DROP_ENTRY(xs, known(xs, key))


@generic
def slot(xs, key, default) -> int:
    """The number of the entry with a key, which gets a default if it is not there."""
    hashed = hash(key)
    number = find(xs, key, hashed)
    if number < 0:
        return ADD_ENTRY(xs, hashed, key, default)
    return number


@generic
def update(xs, ys) -> None:
    """``xs.update(ys)``"""
    if xs is ys:
        return
    ask(ys)
    version = VERSION(ys)
    number = NEXT_ENTRY(ys, 0)
    if len(xs) == 0:  # nothing is compared
        while number >= 0:
            ADD_ENTRY(xs, ENTRY_HASH(ys, number), ENTRY(ys, number), ENTRY_VALUE(ys, number))
            number = NEXT_ENTRY(ys, number + 1)
    while number >= 0:
        put_hashed(xs, ENTRY_HASH(ys, number), ENTRY(ys, number), ENTRY_VALUE(ys, number))
        if VERSION(ys) != version:
            raise RuntimeError("dict mutated during update")
        number = NEXT_ENTRY(ys, number + 1)


@generic
def dicts_equal(xs, ys) -> bool:
    """``xs == ys``"""
    if len(xs) != len(ys):
        return False
    ask(xs)
    number = NEXT_ENTRY(xs, 0)
    while number >= 0:
        value = ENTRY_VALUE(xs, number)
        other = find(ys, ENTRY(xs, number), ENTRY_HASH(xs, number))
        if other < 0 or not same(ENTRY_VALUE(ys, other), value):
            return False
        number = NEXT_ENTRY(xs, number + 1)
    return True


@generic
def put_keys(xs, keys, value) -> None:
    """Set the values of all keys of a list to one."""
    for key in keys:
        put(xs, key, value)


@generic
def put_items(xs, items) -> None:
    """Set the values of keys, by pairs."""
    for key, value in items:
        put(xs, key, value)


# ---- sets


@generic
def add_hashed(xs, hashed: int, key) -> None:
    """``xs.add(key)``"""
    if find(xs, key, hashed) < 0:
        ADD_ENTRY(xs, hashed, key, None)


@generic
def add(xs, key) -> None:
    """``xs.add(key)``"""
    add_hashed(xs, hash(key), key)


@generic
def discard(xs, key) -> None:
    """``xs.discard(key)``"""
    number = find(xs, key, hash(key))
    if number >= 0:
        DROP_ENTRY(xs, number)


@generic
def add_each(xs, keys) -> None:
    """Add the elements of a list."""
    for key in keys:
        add(xs, key)


@generic
def add_all(xs, ys) -> None:
    """``xs.update(ys)``"""
    if xs is ys:
        return
    ask(ys)
    number = NEXT_ENTRY(ys, 0)
    if len(xs) == 0:  # nothing is compared
        while number >= 0:
            ADD_ENTRY(xs, ENTRY_HASH(ys, number), ENTRY(ys, number), None)
            number = NEXT_ENTRY(ys, number + 1)
    while number >= 0:
        add_hashed(xs, ENTRY_HASH(ys, number), ENTRY(ys, number))
        number = NEXT_ENTRY(ys, number + 1)


@generic
def choose(made, xs, ys, wanted: bool) -> None:
    """Add those of `xs` to `made` that are in `ys`, or those that are not."""
    ask(xs)
    number = NEXT_ENTRY(xs, 0)
    while number >= 0:
        key = ENTRY(xs, number)
        hashed = ENTRY_HASH(xs, number)
        if (find(ys, key, hashed) >= 0) == wanted:
            add_hashed(made, hashed, key)
        number = NEXT_ENTRY(xs, number + 1)


@generic
def intersect(made, xs, ys) -> None:
    """``made = xs & ys``: those of the smaller one."""
    if len(ys) > len(xs):
        choose(made, xs, ys, True)
    else:
        choose(made, ys, xs, True)


@generic
def keep(xs, ys) -> None:
    """``xs.intersection_update(ys)``"""
    made = xs.copy()
    made.clear()
    intersect(made, xs, ys)
    xs.clear()
    add_all(xs, made)


@generic
def take_out(xs, ys) -> None:
    """``xs.difference_update(ys)``"""
    if xs is ys:
        xs.clear()
        return
    ask(ys)
    number = NEXT_ENTRY(ys, 0)
    while number >= 0:
        found = find(xs, ENTRY(ys, number), ENTRY_HASH(ys, number))
        if found >= 0:
            DROP_ENTRY(xs, found)
        number = NEXT_ENTRY(ys, number + 1)


@generic
def toggle(xs, ys) -> None:
    """``xs.symmetric_difference_update(ys)``"""
    if xs is ys:
        xs.clear()
        return
    ask(ys)
    number = NEXT_ENTRY(ys, 0)
    while number >= 0:
        key = ENTRY(ys, number)
        hashed = ENTRY_HASH(ys, number)
        found = find(xs, key, hashed)
        if found >= 0:
            DROP_ENTRY(xs, found)
        else:
            ADD_ENTRY(xs, hashed, key, None)
        number = NEXT_ENTRY(ys, number + 1)


@generic
def is_subset(xs, ys) -> bool:
    """``xs <= ys``"""
    if len(xs) > len(ys):
        return False
    ask(xs)
    number = NEXT_ENTRY(xs, 0)
    while number >= 0:
        if find(ys, ENTRY(xs, number), ENTRY_HASH(xs, number)) < 0:
            return False
        number = NEXT_ENTRY(xs, number + 1)
    return True


@generic
def is_disjoint(xs, ys) -> bool:
    """``xs.isdisjoint(ys)``"""
    if len(ys) > len(xs):
        xs, ys = ys, xs
    ask(ys)
    number = NEXT_ENTRY(ys, 0)
    while number >= 0:
        if find(xs, ENTRY(ys, number), ENTRY_HASH(ys, number)) >= 0:
            return False
        number = NEXT_ENTRY(ys, number + 1)
    return True


# ---- lists


@generic
def in_row(xs, value) -> bool:
    """``value in xs``"""
    for x in xs:  # noqa: SIM110 - the loop that `any` would become
        if same(x, value):
            return True
    return False


@generic
def index_in_row(xs, value, start: int, stop: int) -> int:
    """Where an element is; -1 if it is not there."""
    if start < 0:
        start = max(start + len(xs), 0)
    if stop < 0:
        stop = max(stop + len(xs), 0)
    while start < stop and start < len(xs):
        if same(xs[start], value):
            return start
        start += 1
    return -1


@generic
def index_of(xs, value, start: int, stop: int) -> int:
    """``xs.index(value, start, stop)``, as before Python 3.14"""
    found = index_in_row(xs, value, start, stop)
    if found < 0:
        raise ValueError(repr(value) + " is not in list")
    return found


@generic
def index_not_shown(xs, value, start: int, stop: int) -> int:
    """``xs.index(value, start, stop)``, since Python 3.14"""
    found = index_in_row(xs, value, start, stop)
    if found < 0:
        raise ValueError("list.index(x): x not in list")
    return found


@generic
def tuple_index(xs, value, start: int, stop: int) -> int:
    """``xs.index(value, start, stop)`` of a tuple"""
    found = index_in_row(xs, value, start, stop)
    if found < 0:
        raise ValueError("tuple.index(x): x not in tuple")
    return found


@generic
def count_of(xs, value) -> int:
    """``xs.count(value)``"""
    found = 0
    for x in xs:
        if same(x, value):
            found += 1
    return found


@generic
def remove_from(xs, value) -> None:
    """``xs.remove(value)``"""
    i = index_in_row(xs, value, 0, 9223372036854775807)
    if i < 0:
        raise ValueError("list.remove(x): x not in list")
    del xs[i : i + 1]  # comparing may have changed it
