"""Values of any type: hashes, repr, what becomes of objects, and errors."""

from __future__ import annotations

import collections
import dataclasses
import enum
import math
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.runtime.kernels.heap_values import HEAPS, Heap, NativeHeap
from tscript.abi.layout import CLASS_EQ, CLASS_REPR, LIST_STRUCT
from tscript.types import INT, STR, ClassType, EnumType, ListType, OptionalType, TupleType, Type, parse_type
from tscript.types.classes import ClassInfo, EnumInfo, NamedTupleInfo

on_heaps = pytest.mark.parametrize("heap", HEAPS, ids=["model", "native"])
numbers = (
    st.tuples(st.just("int"), st.integers(-(2**63), 2**63 - 1))
    | st.tuples(st.just("float"), st.floats(allow_nan=False))
    | st.tuples(st.just("complex"), st.complex_numbers(allow_nan=False))
    | st.tuples(st.just("tuple[int, float]"), st.tuples(st.integers(-2, 2), st.floats(allow_nan=False)))
    | st.tuples(st.just("tuple[bool, ...]"), st.lists(st.booleans()).map(tuple))
)


@on_heaps
@given(case=numbers)
@settings(max_examples=60, deadline=None)
def test_hashes_of_numbers_and_tuples_are_cpythons(heap: type[Heap], case: tuple[str, Any]) -> None:
    place, type = heap(), parse_type(case[0])
    with place.held(type, case[1]) as cells:
        assert place.call("hash_cells", place.info(type), cells) == hash(case[1])


class Color(enum.Enum):
    RED = 1
    DARK = "d"


Point = collections.namedtuple("Point", "x y")


@dataclasses.dataclass
class Node:
    a: int
    b: list[str]


POINT = TupleType((INT, STR), NamedTupleInfo("shapes.Point", ("x", "y"), {}, Point))
NODE = ClassType(ClassInfo("shapes.Node", Node, None, {"a": INT, "b": ListType(STR)}, CLASS_REPR))
COLOR = EnumType(EnumInfo("shapes.Color", {m.name: m.value for m in Color}, Color))
strs = st.text(max_size=4)
SHOWN: list[tuple[Type, Any]] = [
    (parse_type("list[float]"), st.lists(st.floats())),
    (parse_type("dict[str, Optional[int]]"), st.dictionaries(strs, st.none() | st.integers(-5, 5))),
    (parse_type("set[int]"), st.frozensets(st.integers(0, 9), max_size=1).map(set)),
    (parse_type("tuple[int, ...]"), st.lists(st.integers(0, 9), max_size=3).map(tuple)),
    (parse_type("tuple[bytes, bool, None]"), st.tuples(st.binary(max_size=4), st.booleans(), st.none())),
    (parse_type("tuple[()]"), st.just(())),
    (parse_type("tuple[Optional[list[str]]]"), st.tuples(st.none() | st.lists(strs, max_size=2))),
    (parse_type("list[complex]"), st.lists(st.complex_numbers(), max_size=2)),
    (ListType(POINT), st.lists(st.builds(Point, st.integers(0, 9), strs), max_size=2)),
    (OptionalType(COLOR), st.none() | st.sampled_from(Color)),
]


def shown(place: Heap, type: Type, value: Any) -> str:
    with place.held(type, value) as cells:
        return str(place.owned(STR, place.call("repr_value", place.info(type), cells)))


@on_heaps
@pytest.mark.parametrize("case", SHOWN, ids=lambda case: str(case[0]))
@given(data=st.data())
@settings(max_examples=8, deadline=None)
def test_repr_is_cpythons(heap: type[Heap], case: tuple[Type, Any], data: st.DataObject) -> None:
    place, value = heap(), data.draw(case[1])
    before = place.live
    assert shown(place, case[0], value) == repr(value)
    assert place.live == before


@on_heaps
@pytest.mark.parametrize("case", SHOWN, ids=lambda case: str(case[0]))
@given(data=st.data())
@settings(max_examples=4, deadline=None)
def test_str_is_cpythons(heap: type[Heap], case: tuple[Type, Any], data: st.DataObject) -> None:
    place, value = heap(), data.draw(case[1])
    with place.held(case[0], value) as cells:
        found = str(place.owned(STR, place.call("str_value", place.info(case[0]), cells)))
    assert found == (repr(value) if isinstance(value, str) else str(value))  # a str is never asked for


@on_heaps
def test_instances_show_their_fields(heap: type[Heap]) -> None:
    assert shown(heap(), ListType(NODE), [Node(1, ["x"]), Node(2, [])]) == "[Node(a=1, b=['x']), Node(a=2, b=[])]"


LINK = ClassInfo("shapes.Link")
LINK.fields["next"] = OptionalType(ClassType(LINK))


def chain(place: Heap, length: int) -> int:
    """A linked list of nodes; the address of the first."""
    first = 0
    for _ in range(length):
        made = place.call("heap_allocate", 24)
        for k, cell in enumerate((1, place.info(ClassType(LINK)), first)):
            place.write(made + 8 * k, cell)
        first = int(made)
    return first


@on_heaps
def test_a_long_chain_is_dropped_without_recursion(heap: type[Heap]) -> None:
    place = heap()
    before = place.live
    first = chain(place, 100_000 if heap is NativeHeap else 2_000)
    place.call("object_retain", first)
    place.call("object_release", first)
    assert place.live > before
    place.call("object_release", first)
    place.call("object_release", 0)
    assert place.live == before


def test_what_is_nested_too_deeply_raises() -> None:
    place = NativeHeap()
    before = place.live
    a, b = place.memory(8), place.memory(8)
    info = ClassInfo("shapes.Deep", flags=CLASS_REPR | CLASS_EQ)
    info.fields["next"] = OptionalType(ClassType(info))
    for at in (a, b):
        first = 0
        for _ in range(5_000):
            made = place.call("heap_allocate", 24)
            for k, cell in enumerate((1, place.info(ClassType(info)), first)):
                place.write(made + 8 * k, cell)
            first = int(made)
        place.write(at, first)
    for name, args in (("repr_value", (a,)), ("equal_cells", (a, b))):
        with pytest.raises(RecursionError):
            place.call(name, place.info(ClassType(info)), *args)
    for at in (a, b):
        place.release(ClassType(info), at)
    assert place.live == before


@on_heaps
def test_a_list_in_itself_shows_dots(heap: type[Heap]) -> None:
    place = heap()
    before = place.live
    info = ClassInfo("shapes.Tree", flags=CLASS_REPR)
    info.fields["rows"] = ListType(ClassType(info))
    type = ClassType(info)
    items = place.call("list_new", place.info(ListType(type)), 1)
    made = place.call("heap_allocate", 24)
    for k, cell in enumerate((1, place.info(type), items)):
        place.write(made + 8 * k, cell)
    place.write(place.field(items, LIST_STRUCT, "data"), made)  # takes the only reference over
    place.write(items + LIST_STRUCT.offsets["length"], 1)
    place.call("object_retain", made)
    at = place.memory(8)
    place.write(at, made)
    assert place.owned(STR, place.call("repr_value", place.info(type), at)) == "Tree(rows=[...])"
    place.write(items + LIST_STRUCT.offsets["length"], 0)  # undo the cycle
    place.call("object_release", made)
    place.call("object_release", made)
    assert place.live == before


@on_heaps
@pytest.mark.parametrize("count", [1 << 62, 1 << 53, 1 << 45])
def test_lists_beyond_memory_are_refused(heap: type[Heap], count: int) -> None:
    place = heap()
    before = place.live
    items = place.object(ListType(INT), [1, 2, 3])
    with pytest.raises(MemoryError):
        place.call("list_new", place.info(ListType(INT)), 1 << 60)
    for name in ("list_mul", "list_imul"):
        with pytest.raises(MemoryError):
            place.call(name, items, count << 8 if count < 1 << 54 else count)
    assert place.owned(ListType(INT), items) == [1, 2, 3]
    assert place.live == before


@on_heaps
def test_nan_keys_stay_and_are_never_found(heap: type[Heap]) -> None:
    place, type = heap(), parse_type("dict[float, int]")
    before = place.live
    table = place.object(type, {})
    for k in range(3):
        with place.held(parse_type("float"), math.nan) as key, place.held(INT, k) as value:
            place.call("dict_setitem", table, key, value)
            assert place.call("dict_find", table, key) == -1
    assert place.call("dict_len", table) == 3
    copied = place.call("dict_copy", table)
    assert [k != k for k in place.owned(type, copied)] == [True] * 3
    place.call("object_release", table)
    assert place.live == before


@on_heaps
def test_changes_while_iterating_are_noticed(heap: type[Heap]) -> None:
    place, type = heap(), parse_type("dict[int, int]")
    table = place.object(type, {k: k for k in range(5)})
    assert [place.call("dict_next", table, k, 5) for k in (0, 3, 5)] == [0, 3, -1]
    assert [place.call("dict_previous", table, k, 5) for k in (5, 1, 0)] == [4, 0, -1]
    with place.held(INT, 2) as key:
        place.call("dict_delitem", table, key)
    with pytest.raises(RuntimeError, match="changed size during iteration"):
        place.call("dict_next", table, 0, 5)
    assert place.call("dict_next", table, 2, 4) == 3
    place.call("object_release", table)


@on_heaps
@pytest.mark.parametrize("seed", range(4))
def test_dicts_live_through_any_changes(heap: type[Heap], seed: int) -> None:
    """Entries come and go until all slots of the index have been in use, more than once."""
    place, type, pair = heap(), parse_type("dict[int, int]"), parse_type("tuple[int, int]")
    before, choose = place.live, random.Random(seed)
    table, model = place.object(type, {}), dict[int, int]()
    for step in range(400):
        chosen = choose.choice(("set", "set", "take", "take" if seed else "set", "delete", "find"))
        key = choose.randrange(10 if seed < 3 else 100)
        with place.held(INT, key) as key_cell, place.held(INT, step) as value_cell:
            match chosen:
                case "set":
                    place.call("dict_setitem", table, key_cell, value_cell)
                    model[key] = step
                case "take" if model:
                    assert place.out(pair, "dict_popitem", table) == model.popitem()
                case "delete" if key in model:
                    place.call("dict_delitem", table, key_cell)
                    del model[key]
            assert place.call("dict_contains", table, key_cell) == (key in model)
        assert place.call("dict_len", table) == len(model)
    assert place.owned(type, table) == model
    assert place.live == before


def test_keys_that_differ_in_high_bits_only_do_not_collide() -> None:
    place, type = NativeHeap(), parse_type("dict[int, int]")
    keys = [k << 40 for k in range(4000)]
    with place.held(ListType(INT), keys) as items:
        table = place.call("dict_fromkeys", place.info(type), place.read(items), place.info(INT), items)
    homes = {entry: place.read(entry) & 8191 for entry in place.entries(table)}
    most = collections.Counter(homes.values()).most_common(1)[0][1]
    assert most <= 10
    place.call("object_release", table)
