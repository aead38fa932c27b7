"""Hashes of tuples, of what may be None, and of what a ``__hash__`` gave; CPython's."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return"

from __future__ import annotations

from tscript.definitions.language import generic
from tscript.operators.python.wrapping import wrapping_add, wrapping_mul, wrapping_shl


def hash_next(state: int, lane: int) -> int:
    """The state of the hash of a tuple with one more element, whose hash is `lane`; CPython's ``tuplehash``."""
    x = wrapping_add(state, wrapping_mul(lane, -4417276706812531889))
    return wrapping_mul(wrapping_shl(x, 31) | ((x >> 33) & 0x7FFFFFFF), -7046029288634856825)


def hash_end(state: int, count: int) -> int:
    """The hash of a tuple of `count` elements."""
    found = wrapping_add(state, count ^ 2870177450013471926)
    return 1546275796 if found == -1 else found


@generic
def hash_row(xs) -> int:
    """``hash(xs)`` of a tuple of any length."""
    state = 2870177450012600261
    for x in xs:
        state = hash_next(state, hash(x))
    return hash_end(state, len(xs))


@generic
def hash_option(x) -> int:
    """``hash(x)`` where it may be None."""
    if x is None:
        return hash(None)
    return hash(x)


def hash_given(found: int) -> int:
    """What a ``__hash__`` gives as a hash."""
    return -2 if found == -1 else found


def no_hash(name: str) -> int:
    """What the hash of a value raises that has none."""
    raise TypeError("unhashable type: '" + name + "'")
