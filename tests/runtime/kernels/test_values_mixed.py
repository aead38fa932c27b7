"""Values that may be of any type: what is equal, has one hash and an order in CPython does so here, whatever types its
parts have."""

from __future__ import annotations

import enum
import random
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.runtime.kernels.heap_values import HEAPS, Heap
from tscript.types import (
    ANY,
    BOOL,
    FLOAT,
    INT,
    STR,
    DictType,
    EnumType,
    ListType,
    OptionalType,
    SetType,
    TupleType,
    Type,
)
from tscript.types.classes import EnumInfo


class Level(enum.IntEnum):
    HIGH = 2
    LOW = 1


class Word(enum.StrEnum):
    B = "b"
    A = "a"


LEVEL = EnumType(EnumInfo("values.Level", {m.name: int(m) for m in Level}, Level, "int"))
WORD = EnumType(EnumInfo("values.Word", {m.name: str(m) for m in Word}, Word, "str"))

leaves = (
    st.sampled_from([*Level, *Word])
    | st.none()
    | st.integers(-1, 2)
    | st.booleans()
    | st.sampled_from([0.0, 1.0, 2.5, -1.0])
    | st.sampled_from("ab")
)
keys = st.recursive(leaves, lambda inner: st.lists(inner, max_size=3).map(tuple), max_leaves=4)
values = st.recursive(
    leaves,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(keys, inner, max_size=3)
        | st.sets(keys, max_size=3)
    ),
    max_leaves=6,
)


def other_type(value: Any, chance: random.Random, *, outermost: bool = False) -> Type:
    """A type that a value may have, drawn by chance: of its parts too."""
    if not outermost and chance.random() < 0.3:
        return (
            ANY if chance.random() < 0.7 or value is None else OptionalType(other_type(value, chance, outermost=True))
        )
    match value:
        case None:
            return ANY
        case Level():
            return LEVEL
        case Word():
            return WORD
        case bool() | int() | float() | str():
            return {bool: BOOL, int: INT, float: FLOAT, str: STR}[type(value)]
        case tuple() if chance.random() < 0.5:
            return TupleType(tuple(other_type(v, chance) for v in value))
        case tuple():
            return ListType(shared_type(list(value), chance), frozen=True)
        case list():
            return ListType(shared_type(value, chance))
        case set():
            return SetType(shared_type([*value], chance))
    return DictType(shared_type([*value], chance), shared_type([*value.values()], chance))


def shared_type(parts: list[Any], chance: random.Random) -> Type:
    """A type that all `parts` have."""
    kinds = {type(p) for p in parts}
    if kinds <= {Level} or kinds <= {Word} or kinds <= {int} or kinds <= {float} or kinds <= {str} or kinds <= {bool}:
        return other_type(parts[0], chance) if parts and chance.random() < 0.8 else ANY
    return ANY


def respelled(value: Any, chance: random.Random) -> Any:
    """The same value with numbers of other kinds, where they are equal."""
    match value:
        case bool() | int() | float():
            others = (value, int(value), float(value), bool(value), *Level)
            return chance.choice([v for v in others if v == value])
        case str():
            return chance.choice([v for v in (value, str(value), *Word) if v == value])
        case tuple() | list() | set():
            return type(value)(respelled(v, chance) for v in value)
        case dict():
            return {respelled(k, chance): respelled(v, chance) for k, v in value.items()}
    return value


def result(call: Callable[[], Any]) -> Any:
    try:
        return call()
    except TypeError:
        return TypeError


@pytest.mark.parametrize("heap", HEAPS, ids=["model", "native"])
@given(a=values, b=values, seed=st.integers(0, 2**32))
@settings(max_examples=120, deadline=None)
def test_types_of_parts_decide_nothing(heap: type[Heap], a: Any, b: Any, seed: int) -> None:
    chance = random.Random(seed)
    if chance.random() < 0.6:
        b = respelled(a, chance)
    place, any_ = heap(), ANY
    place.type_of = lambda value: other_type(value, chance, outermost=True)  # type: ignore[method-assign]
    info = place.info(any_)
    with place.held(any_, a) as x, place.held(any_, b) as y:
        assert bool(place.call("any_eq", info, x, info, y)) == (a == b)
        assert bool(place.call("any_ne", info, y, info, x)) == (a != b)
        hashes = [result(lambda: place.call("any_hash", info, at)) for at in (x, y)]
        assert [h is TypeError for h in hashes] == [result(lambda: hash(v)) is TypeError for v in (a, b)]
        assert a != b or hashes[0] == hashes[1]
        assert result(lambda: bool(place.call("any_lt", info, x, info, y))) == result(lambda: a < b)
        assert result(lambda: bool(place.call("any_ge", info, x, info, y))) == result(lambda: a >= b)
