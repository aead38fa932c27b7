"""Tests of conversions between Python objects and native values."""

from __future__ import annotations

import ctypes
import enum
import gc
import sys
from collections import OrderedDict, namedtuple
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tscript
from tests.runtime.conversions import call, cells, kernel
from tests.runtime.test_allocators import ALLOCATE, Counted
from tscript.abi.exceptions import FIELDS
from tscript.abi.layout import CLASS_EXCEPTION, CLASS_FROZEN, LIST_STRUCT
from tscript.abi.signature import Signature
from tscript.abi.signature_types import object_item
from tscript.runtime.boundary.native.keys import Flag, Tag
from tscript.runtime.session.process import current
from tscript.types import (
    BOOL,
    BYTES,
    COMPLEX,
    DTYPE,
    FLOAT,
    INT,
    NONE,
    STR,
    ClassType,
    DictType,
    EnumType,
    ListType,
    SetType,
    TupleType,
    Type,
    optional,
    parse_type,
    union,
)
from tscript.types.classes import ClassInfo, EnumInfo, NamedTupleInfo


@pytest.fixture(autouse=True)
def nothing_leaks() -> Iterator[None]:
    """All blocks are given back."""
    runtime = current()
    gc.collect()
    before = runtime.live_blocks()
    yield
    gc.collect()
    assert runtime.live_blocks() == before


# ---- round trips

ints = st.integers(-(2**63), 2**63 - 1) | st.integers(-3, 3)
texts = st.text(st.characters() | st.sampled_from("a\xe9\u0100\ud800\U0001f600"), max_size=6)
SCALARS: dict[Type, st.SearchStrategy[Any]] = {
    INT: ints,
    FLOAT: st.floats(),
    BOOL: st.booleans(),
    STR: texts,
    BYTES: st.binary(max_size=5),
    COMPLEX: st.complex_numbers(),
    NONE: st.none(),
    DTYPE: st.sampled_from([tscript.float32, tscript.int64]),
}
KEYS = (INT, STR, BOOL, BYTES)


def typed(depth: int) -> st.SearchStrategy[tuple[Type, st.SearchStrategy[Any]]]:
    """Types, each with a strategy for its values."""
    scalars = st.sampled_from(list(SCALARS.items()))
    if depth == 0:
        return scalars
    inner = typed(depth - 1)
    keys = st.sampled_from([(k, SCALARS[k]) for k in KEYS])
    keys |= st.tuples(keys, keys).map(lambda p: (TupleType((p[0][0], p[1][0])), st.tuples(p[0][1], p[1][1])))
    few = 4
    return st.one_of(
        scalars,
        inner.map(lambda t: (ListType(t[0]), st.lists(t[1], max_size=few))),
        inner.map(lambda t: (ListType(t[0], frozen=True), st.lists(t[1], max_size=few).map(tuple))),
        keys.map(lambda t: (SetType(t[0]), st.sets(t[1], max_size=few))),
        st.tuples(keys, inner).map(
            lambda p: (DictType(p[0][0], p[1][0]), st.dictionaries(p[0][1], p[1][1], max_size=few))
        ),
        st.lists(inner, max_size=3).map(
            lambda ts: (TupleType(tuple(t for t, _ in ts)), st.tuples(*(v for _, v in ts)))
        ),
        inner.map(lambda t: (optional(t[0]), st.none() | t[1])),
        st.tuples(scalars, scalars).map(lambda p: (union([p[0][0], p[1][0]]), p[0][1] | p[1][1])),
    )


def same(a: Any, b: Any) -> bool:
    """Equal and of the same types; NaNs too."""
    return type(a) is type(b) and repr(a) == repr(b)


TYPED = typed(2).filter(lambda t: "Union" not in str(t[0]) or "complex" not in str(t[0]))


@settings(max_examples=30, deadline=None)
@given(st.data())
def test_values_come_back(data: st.DataObject) -> None:
    type, values = data.draw(TYPED)
    value = data.draw(st.lists(values, max_size=3))
    before = repr(value)
    found = call(ListType(type), value)
    assert found is value
    assert repr(value) == before
    # As new objects: native code gives a copy.
    copied = call(ListType(type, frozen=True), tuple(value))
    assert len(copied) == len(value)
    fresh = call(ListType(type), value, result=ListType(type), make=lambda address: (_copy(address),))
    assert fresh is not value
    assert [repr(v) for v in fresh] == [repr(v) for v in value]


def _copy(address: int) -> int:
    out = ctypes.c_void_p()
    kernel("list_copy", ctypes.c_void_p(address), ctypes.byref(out))
    assert out.value
    return out.value


@pytest.mark.parametrize(
    ("type", "value", "expected"),
    [
        ("int", True, 1),
        ("tuple[float, float]", (1, 2.5), (1.0, 2.5)),
        ("float", 3, 3.0),
        ("float", 2**70, 2.0**70),
        ("float", True, 1.0),
        ("complex", 2, 2 + 0j),
        ("Optional[float]", 3, 3.0),
        ("Union[float, str]", 3, 3.0),
        ("Union[int, float]", 3, 3),
        ("Union[int, float]", 3.0, 3.0),
        ("Union[int, bool]", True, True),
        ("Union[list[int], list[str]]", ["a"], ["a"]),
        ("Union[list[str], dict[str, int], None]", {"a": 1}, {"a": 1}),
        ("Any", [1, "a", None, 2.5], [1, "a", None, 2.5]),
        ("Any", {"k": (1, [b"x"])}, {"k": (1, [b"x"])}),
        ("Any", [], []),
        ("tuple[int, ...]", (1, 2), (1, 2)),
    ],
)
def test_what_becomes_of_a_value(type: str, value: object, expected: object) -> None:
    assert same(call(type, value, mutable=False), expected) or value is expected


def test_large_values() -> None:
    numbers = list(range(-50_000, 50_000))
    assert call("tuple[int, ...]", tuple(numbers)) == tuple(numbers)
    pairs = {str(i): float(i) for i in range(20_000)}
    assert call("list[dict[str, float]]", [pairs]) == [pairs]
    assert list(pairs) == [str(i) for i in range(20_000)]
    long = "\U0001f600" * 100_000
    assert call("str", long) == long


# ---- what does not fit


@pytest.mark.parametrize(
    ("type", "value", "error", "message"),
    [
        ("int", "a", TypeError, "argument 'xs' of f must be int, not str"),
        ("int", 2**63, OverflowError, "argument 'xs' of f does not fit into 64 bits"),
        ("int", 1.0, TypeError, "argument 'xs' of f must be int, not float"),
        ("bool", 1, TypeError, "must be bool, not int"),
        ("str", None, TypeError, "must be str, not None"),
        ("float", 10**400, OverflowError, "argument 'xs' of f is too large for a float"),
        ("list[int]", {1}, TypeError, r"must be list\[int\], not set"),
        ("list[int]", [1, 2, 3, "x"], TypeError, "argument 'xs' of f: element 3 must be int, not str"),
        ("list[int]", [1, -(2**63) - 1], OverflowError, "element 1 does not fit into 64 bits"),
        ("list[float]", [1.0, None], TypeError, "element 1 must be float, not None"),
        ("list[list[str]]", [[], ["a", b"b"]], TypeError, "element 1 of element 1 must be str, not bytes"),
        ("dict[str, list[int]]", {"k": [None]}, TypeError, "element 0 of the value of key 'k' must be int, not None"),
        ("dict[str, int]", {1: 1}, TypeError, "a key must be str, not int"),
        ("dict[str, int]", [], TypeError, r"must be dict\[str, int\], not list"),
        ("set[int]", {"a"}, TypeError, "a key must be int, not str"),
        ("set[int]", frozenset({1}), TypeError, r"must be set\[int\], not frozenset"),
        ("tuple[int, str]", (1,), TypeError, "must have 2 elements, not 1"),
        ("tuple[int, tuple[int, str]]", (1, (2, 3)), TypeError, "element 1 of element 1 must be str, not int"),
        ("tuple[int, ...]", [1], TypeError, r"must be tuple\[int, ...\], not list"),
        ("Optional[int]", "a", TypeError, r"must be Optional\[int\], not str"),
        ("Optional[list[int]]", ["a"], TypeError, "element 0 must be int, not str"),
        ("Union[int, str]", 1.5, TypeError, "must be int or str, not float"),
        ("Union[int, list[str]]", [1], TypeError, "element 0 must be str, not int"),
        ("Any", print, TypeError, "must be a value of the language, not builtin_function_or_method"),
        ("Tensor", 1, TypeError, "must be Tensor, not int"),
        ("dtype", "float32", TypeError, "must be dtype, not str"),
        ("Callable[[int], int]", abs, TypeError, r"must be Callable\[\[int\], int\], not a plain Python function"),
        ("Callable[[int], int]", 3, TypeError, r"must be Callable\[\[int\], int\], not int"),
        ("complex", "1", TypeError, "must be complex, not str"),
        ("bytes", "1", TypeError, "must be bytes, not str"),
        ("None", 0, TypeError, "must be None, not int"),
    ],
)
def test_what_does_not_fit(type: str, value: object, error: type[Exception], message: str) -> None:
    before = repr(value)
    with pytest.raises(error, match=message):
        call(type, value)
    assert repr(value) == before


# ---- identity


def test_aliases_stay_aliases() -> None:
    inner = [1]
    value = [inner, inner]

    def add(address: int) -> None:
        first = _element(address, 0)
        assert first == _element(address, 1)
        _append(first, 7)

    assert call("list[list[int]]", value, add) is value
    assert value[0] is value[1] is inner
    assert inner == [1, 7]


def _element(address: int, index: int) -> int:
    data = LIST_STRUCT.ctype.from_address(address).data
    return int(ctypes.c_int64.from_address(data + 8 * index).value)


def _append(address: int, *item: int) -> None:
    kernel("list_append", ctypes.c_void_p(address), cells(*item))


class Node:
    def __init__(self, value: int) -> None:
        self.value = value
        self.children: list[Node] = []
        self.parent: Node | None = None


NODE = ClassType(ClassInfo("test.Node", Node))
NODE.info.fields.update(value=INT, children=ListType(NODE), parent=optional(NODE))


def _field(address: int, cell: int) -> Any:
    return ctypes.c_int64.from_address(address + 16 + 8 * cell)


def test_cycles_end() -> None:
    root, leaf = Node(1), Node(2)
    root.children.append(leaf)
    leaf.parent = root
    children = root.children

    def change(address: int) -> None:
        child = _element(_field(address, 1).value, 0)
        assert _field(child, 2).value == address
        _field(child, 0).value = 5

    assert call(NODE, root, change) is root
    assert leaf.value == 5
    assert root.value == 1
    assert root.children is children
    assert leaf.parent is root
    ring: list[Any] = [(1, "a")]
    ring.append({"k": ring})
    assert call("list[Any]", ring) is ring
    assert call("list[Any]", ring, mutable=False) is ring
    many = [Node(i) for i in range(30)]
    for i, node in enumerate(many):
        node.parent = many[i - 1]
        node.children = [many[(7 * i) % 30], node]
    tops = [many[3], root]
    assert call(ListType(NODE), tops) is tops


def test_new_instances_are_one_each() -> None:
    root = Node(1)

    def twice(address: int) -> tuple[int]:
        made = ctypes.c_void_p()
        kernel("list_new", ctypes.c_void_p(current().types.address(ListType(NODE))), 2, ctypes.byref(made))
        assert made.value
        for _ in range(2):
            _append(made.value, address)
        return (made.value,)

    found = call(NODE, root, result=ListType(NODE), make=twice)
    assert found == [root, root]


def test_what_failed_is_not_used_again() -> None:
    pair: list[object] = [1, "a"]
    ring: list[object] = [1, pair]
    ring.append(ring)
    member = union([ListType(INT), ListType(union([INT, STR]))])
    assert call(ListType(member), [pair, pair]) == [pair, pair]
    with pytest.raises(TypeError, match="must be"):
        call(ListType(member), [pair, ring])
    assert pair == [1, "a"]
    assert len(ring) == 3


def test_deep_values_are_refused() -> None:
    first = node = Node(0)
    for i in range(5000):
        node.parent = Node(i)
        node = node.parent
    with pytest.raises(RecursionError, match="nested too deeply"):
        call(NODE, first)


# ---- changes come back


@pytest.mark.parametrize("fails", [False, True])
def test_changed_lists(fails: bool) -> None:
    items = ["a", "b"]
    kept = items[1]
    value = [items]

    def change(address: int) -> None:
        inner = ctypes.c_void_p(_element(address, 0))
        kernel("list_append", inner, cells(_element(inner.value or 0, 0)))
        kernel("list_delitem", inner, 0)

    if fails:
        with pytest.raises(ValueError, match="no"):
            call("list[list[str]]", value, change, fails=True)
    else:
        call("list[list[str]]", value, change)
    assert value[0] is items
    assert items == ["b", "a"]
    assert items[0] == kept


def test_constant_arguments_stay() -> None:
    value = [1]
    call("list[int]", value, lambda address: _append(address, 2), mutable=False)
    assert value == [1]


def test_what_two_parameters_share() -> None:
    native = current().native
    type = parse_type("list[list[int]]")
    signature = Signature((object_item(type), object_item(type, True)), "N")

    def run(context: int, first: int, second: int) -> int:
        assert first == second
        _append(_element(first, 0), 5)
        return 0

    code = ctypes.PYFUNCTYPE(ctypes.c_int, *[ctypes.c_void_p] * 3)(run)
    address = ctypes.cast(code, ctypes.c_void_p).value
    assert address is not None
    constants = current().conversion.constants(signature, [type, type], NONE, "f", ["a", "b"])
    value: list[list[int]] = [[]]
    native.stubs.invoke(signature, address, value, value, constants=constants)
    assert value == [[5]]
    with pytest.raises(TypeError, match="argument 'b' of f must be"):
        native.stubs.invoke(signature, address, value, 1, constants=constants)


def test_a_list_keeps_what_did_not_change() -> None:
    big, value = 10**15, [10**15, 10**15 + 1]
    value[0] = big
    call("list[int]", value, lambda address: _append(address, 3))
    assert value == [big, big + 1, 3]
    assert value[0] is big


def _text_key(address: int, index: int) -> int:
    """The cell of key `index` of a dict or set."""
    entries = ctypes.c_int64.from_address(address + 40).value
    stride = ctypes.c_int64.from_address(address + 64).value
    return int(ctypes.c_int64.from_address(entries + 8 * (index * stride + 1)).value)


def test_changed_dicts() -> None:
    value = {"a": 1, "b": 2}
    call(
        "dict[str, int]", value, lambda d: kernel("dict_setitem", ctypes.c_void_p(d), cells(_text_key(d, 0)), cells(9))
    )
    assert value == {"a": 9, "b": 2}
    call("dict[str, int]", value, lambda d: kernel("dict_delitem", ctypes.c_void_p(d), cells(_text_key(d, 0))))
    assert value == {"b": 2}
    numbers = {1: [1], 2: [2]}
    one = numbers[1]

    def move(d: int) -> None:
        entries = ctypes.c_int64.from_address(d + 40).value
        kernel("dict_setitem", ctypes.c_void_p(d), cells(3), cells(ctypes.c_int64.from_address(entries + 16).value))
        kernel("dict_delitem", ctypes.c_void_p(d), cells(1))

    call("dict[int, list[int]]", numbers, move)
    assert list(numbers) == [2, 3]
    assert numbers[3] is one


def test_changed_sets() -> None:
    value = {1, 2}
    call("set[int]", value, lambda s: kernel("set_add", ctypes.c_void_p(s), cells(5)))
    assert value == {1, 2, 5}


def test_what_another_native_object_becomes() -> None:
    value: dict[int, list[int]] = {1: []}

    def change(d: int) -> None:
        made = ctypes.c_void_p()
        kernel("list_new", ctypes.c_void_p(current().types.address(ListType(INT))), 1, ctypes.byref(made))
        _append(made.value or 0, 4)
        for key in (1, 2):
            kernel("dict_setitem", ctypes.c_void_p(d), cells(key), cells(made.value or 0))
        kernel("object_release", made)

    call("dict[int, list[int]]", value, change)
    assert value == {1: [4], 2: [4]}
    assert value[1] is value[2]


# ---- classes, enums, named tuples


class Colour(enum.Enum):
    RED = 1
    BLUE = "b"


COLOUR = EnumType(EnumInfo("test.Colour", {m.name: m.value for m in Colour}, Colour))
Pair = namedtuple("Pair", ["x", "label"])
PAIR = TupleType((FLOAT, STR), NamedTupleInfo("test.Pair", ("x", "label"), {}, Pair))


def test_enums_and_named_tuples() -> None:
    assert call(ListType(COLOUR), [Colour.BLUE, Colour.RED]) == [Colour.BLUE, Colour.RED]
    assert call(optional(COLOUR), Colour.BLUE) is Colour.BLUE
    with pytest.raises(TypeError, match=r"must be test.Colour, not int"):
        call(COLOUR, 1)
    found = call(PAIR, Pair(1, "a"))
    assert found == Pair(1.0, "a")
    assert type(found) is Pair
    with pytest.raises(TypeError, match=r"must be test.Pair, not tuple"):
        call(PAIR, (1.0, "a"))


class Slotted:
    __slots__ = ("x",)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("frozen")


SLOTTED = ClassType(ClassInfo("test.Slotted", Slotted, None, {"x": STR}, CLASS_FROZEN))


class Child(Node):
    extra: str = "e"


CHILD = ClassType(ClassInfo("test.Child", Child, NODE.info, {**NODE.info.fields, "extra": STR}))


class Failure(ValueError):
    code: int


FAILURE = ClassType(ClassInfo("test.Failure", Failure, None, {**FIELDS, "code": INT}, CLASS_EXCEPTION))


def test_instances() -> None:
    thing = Slotted()
    with pytest.raises(TypeError, match="argument 'xs' of f has no attribute 'x'"):
        call(SLOTTED, thing)
    object.__setattr__(thing, "x", "y")
    assert call(SLOTTED, thing) is thing
    fresh = call(SLOTTED, thing, result=SLOTTED, make=lambda a: (_twin(a),))
    assert fresh is not thing
    assert fresh.x == "y"
    node = Node(1)
    node.value = "a"  # type: ignore[assignment]
    with pytest.raises(TypeError, match="argument 'xs' of f: attribute 'value' must be int, not str"):
        call(NODE, node)
    parent = Node(1)
    parent.children.append(node)
    with pytest.raises(
        TypeError,
        match="argument 'xs' of f: attribute 'value' of element 0 of attribute 'children' must be int, not str",
    ):
        call(NODE, parent)


def _twin(address: int) -> int:
    """A new instance with the one field, a str, of another."""
    out = ctypes.c_void_p()
    box = current().types.address(STR)
    kernel("object_box", ctypes.c_void_p(box), cells(_field(address, 0).value), ctypes.byref(out))
    assert out.value
    ctypes.c_int64.from_address(out.value + 8).value = ctypes.c_int64.from_address(address + 8).value
    return out.value


def test_derived_classes(monkeypatch: pytest.MonkeyPatch) -> None:
    conversion = current().conversion
    monkeypatch.setattr(
        conversion, "class_type", conversion._known_class
    )  # of classes that were not read from their source
    current().types.address(CHILD)
    child = Child(3)
    seen = []
    found = call(NODE, child, lambda a: seen.append(ctypes.c_int64.from_address(a + 8).value))
    assert found is child
    assert seen == [current().types.address(CHILD)]
    with pytest.raises(TypeError, match=r"must be test.Child, not Node"):
        call(CHILD, Node(1))

    class Unknown(Node):
        pass

    with pytest.raises(TypeError, match=r"must be test.Node, not Unknown"):
        call(NODE, Unknown(1))
    error = Failure("x")
    error.code = 3
    assert call(FAILURE, error) is error


class MyInt(int):
    def __index__(self) -> int:
        raise AssertionError

    __int__ = __index__


class MyList(list[int]):
    def __iter__(self) -> Any:
        raise AssertionError

    def __len__(self) -> int:
        raise AssertionError

    __getitem__ = __iter__  # type: ignore[assignment]


class MyStr(str):
    __slots__ = ()


def test_derived_builtin_types() -> None:
    value = MyList([MyInt(3), 4])
    assert call("list[int]", value) is value
    assert call("tuple[int, ...]", (MyInt(2**40),)) == (2**40,)
    for text in ("", "abc", "\xe9", "\u0100x", "\U0001f600"):
        assert same(call("str", MyStr(text)), text)
    table = OrderedDict(a=1)
    assert call("dict[str, int]", table) is table


# ---- what Python does meanwhile


class Rude:
    """Empties a list while it is read."""

    def __init__(self, victim: list[Any]) -> None:
        self.victim = victim

    @property
    def x(self) -> int:
        self.victim.clear()
        gc.collect()
        return 1


RUDE = ClassType(ClassInfo("test.Rude", Rude, None, {"x": INT}))


def test_a_list_that_shrinks_while_it_is_read() -> None:
    value: list[Any] = []
    value += [Rude(value) for _ in range(5)]
    lengths = []
    call(ListType(RUDE), value, lambda a: lengths.append(LIST_STRUCT.ctype.from_address(a).length), mutable=False)
    assert lengths == [1]


class Raises:
    @property
    def x(self) -> int:
        raise ZeroDivisionError


RAISES = ClassType(ClassInfo("test.Raises", Raises, None, {"x": INT}))


def test_exceptions_of_attributes_pass() -> None:
    with pytest.raises(ZeroDivisionError):
        call(ListType(RAISES), [Raises()])
    with pytest.raises(ZeroDivisionError):
        call(union([INT, ListType(RAISES)]), [Raises()])


def test_references_are_given_back() -> None:
    inner, text, node = [1, 2], "some text", Node(10**12)
    value: list[Any] = [inner, text, node, {"k": inner}, None, 2.5]
    type = ListType(union([ListType(INT), STR, NODE, DictType(STR, ListType(INT)), FLOAT, NONE]))

    def counts() -> list[int]:
        gc.collect()
        return [sys.getrefcount(o) for o in (value, inner, text, node, node.value, value[3], value[5], None, list)]

    call(type, value)
    before = counts()
    for _ in range(1000):
        call(type, value)
    for _ in range(100):
        with pytest.raises(TypeError):
            call("list[list[int]]", value)
    after = counts()
    assert before[:7] == after[:7]
    assert all(abs(a - b) < 500 for a, b in zip(before, after, strict=True))


def test_memory_that_runs_out() -> None:
    mine = Counted()
    allocate, left = mine.allocate, 1

    def sparing(nbytes: int, alignment: int, user: int | None) -> int | None:
        nonlocal left
        left -= 1
        return None if left < 0 else allocate(nbytes, alignment, user)

    node = Node(1)
    node.children = [node, Node(2)]
    value: dict[str, Any] = {
        "a": ([1, 2], "b", {1.5, 2.5}, b"c"),
        "d": ([3], "e", set(), b""),
        "f": None,
        "g": node,
        "h": 2.5,
        "i": {},
    }
    type = DictType(STR, parse_type("Union[tuple[list[int], str, set[float], bytes], float, dict[int, int], None]"))
    type = DictType(STR, union([type.value, NODE]))
    call(type, value)
    allocator = tscript.Allocator(ALLOCATE(sparing), mine.allocator.free)
    tscript.set_allocator(allocator)
    try:
        for allowed in range(100):
            left = allowed
            try:
                assert call(type, value) is value
                break
            except MemoryError:
                assert allocator.live_blocks == 0
    finally:
        tscript.set_allocator(None)
    assert 15 < allowed < 60


# ---- tensors and dtypes


def test_tensors_inside() -> None:
    x = tscript.tensor([1.0, 2.0])
    value = [x, x]
    assert call("list[Tensor]", value) is value
    assert value[0] is x
    found = call("tuple[Tensor, dtype]", (x, tscript.int64))
    assert found[0] is x
    assert found[1] is tscript.int64
    assert call("Union[Tensor, int, None]", x) is x
    assert call("Any", x) is x
    del found


# ---- keys


def test_keys() -> None:
    native = current().native

    def miss(*_: object) -> object:
        return "missed"

    by_object = native.callables.new("f", 1, [Flag.OBJECT], miss)
    assert {native.callables.key_of(by_object, (v,)) for v in (1, "a", [1], None, 2.0)} == {(Tag.ANY,)}
    inside = native.callables.new("f", 1, [Flag.OBJECTS], miss)
    assert native.callables.key_of(inside, ((1, [1], "a"),)) == (Tag.TUPLE | 3 << 8, Tag.INT, Tag.ANY, Tag.ANY)
    plain = native.callables.new("f", 1, [0], miss)
    assert native.callables.key_of(plain, ([1],)) is None
    assert plain([1]) == "missed"


def test_rows_need_their_constants() -> None:
    native = current().native
    function = native.callables.new("f", 1, [Flag.OBJECT], lambda *_: None)
    signature = Signature((object_item(parse_type("list[int]")),), "N")
    with pytest.raises(ValueError, match="needs 2 constants"):
        native.callables.add_row(function, (Tag.ANY,), signature, 8)
    with pytest.raises(ValueError, match="needs 2 constants"):
        native.stubs.invoke(signature, 8, [1])
