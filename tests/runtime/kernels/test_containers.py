"""Lists, dicts and sets against CPython's own: sequences of operators on the model and compiled."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.runtime.kernels.heap_values import HEAPS, Heap
from tscript.definitions.opdef import Native
from tscript.definitions.values import ValueArg
from tscript.operators.table import TABLE
from tscript.runtime.session.build import kernels
from tscript.types import (
    BOOL,
    FLOAT,
    INT,
    NONE,
    STR,
    DictType,
    ListType,
    OptionalType,
    SetType,
    TupleType,
    Type,
)

ints = st.integers(-3, 9) | st.integers(-(2**63), 2**63 - 1)
floats = st.floats(allow_nan=False)
strs = st.text(max_size=3) | st.sampled_from(["a", "ab", "\xff", "ሴ", "\U0001f600x", "\ud800"])
ELEMENTS: dict[str, tuple[Type, Any]] = {
    "int": (INT, ints),
    "float": (FLOAT, floats),
    "bool": (BOOL, st.booleans()),
    "str": (STR, strs),
    "pair": (TupleType((INT, STR)), st.tuples(st.integers(0, 3), strs)),
    "list": (ListType(INT), st.lists(st.integers(0, 3), max_size=3)),
    "maybe int": (OptionalType(INT), st.none() | st.integers(0, 3)),
    "maybe str": (OptionalType(STR), st.none() | strs),
    "none": (NONE, st.none()),
}
KEYS = ("int", "float", "bool", "str", "pair", "maybe int", "maybe str")
ORDERED = ("int", "float", "bool", "str", "pair", "list")
small = st.integers(-6, 6)
bounds = st.none() | small

LIST_STEPS: dict[str, tuple[str, ...]] = {
    "append.list": ("T",),
    "insert.list": ("int", "T"),
    "pop.list": ("int",),
    "remove.list": ("T",),
    "extend.list": ("list",),
    "getitem.list": ("int",),
    "setitem.list": ("int", "T"),
    "delitem.list": ("int",),
    "slice.list": ("bound", "bound", "bound"),
    "set_slice.list": ("bound", "bound", "bound", "list"),
    "delete_slice.list": ("bound", "bound", "bound"),
    "index.list": ("T", "int", "int"),
    "count.list": ("T",),
    "contains.list": ("T",),
    "reverse.list": (),
    "copy.list": (),
    "add.list": ("list",),
    "mul.list": ("int",),
    "imul.list": ("int",),
    "iadd.list": ("list",),
    "eq.list": ("list",),
    "ne.list": ("list",),
    "len.list": (),
    "clear.list": (),
    "to_tuple.list": (),
    "take.list": ("none",),
}
ORDER_STEPS: dict[str, tuple[str, ...]] = {
    "sort.list": ("bool",),
    "sorted.list": ("bool",),
    "argsort.list": ("bool",),
    "lt.list": ("list",),
    "le.list": ("list",),
    "gt.list": ("list",),
    "ge.list": ("list",),
    "argmin.list": (),
    "argmax.list": (),
    "min.list": (),
    "max.list": (),
}
DICT_STEPS: dict[str, tuple[str, ...]] = {
    "setitem.dict": ("K", "V"),
    "getitem.dict": ("K",),
    "delitem.dict": ("K",),
    "contains.dict": ("K",),
    "get.dict": ("K",),
    "get.dict_default": ("K", "V"),
    "pop.dict": ("K",),
    "pop.dict_default": ("K", "V"),
    "popitem.dict": (),
    "setdefault.dict": ("K", "V"),
    "update.dict": ("dict",),
    "ior.dict": ("dict",),
    "copy.dict": (),
    "clear.dict": (),
    "bitwise_or.dict": ("dict",),
    "eq.dict": ("dict",),
    "ne.dict": ("dict",),
    "len.dict": (),
    "keys.dict": (),
    "values.dict": (),
    "items.dict": (),
}
SET_STEPS: dict[str, tuple[str, ...]] = {
    **{f"{name}.set": ("T",) for name in ("add", "discard", "remove", "contains")},
    **{f"{name}.set": () for name in ("len", "clear", "copy")},
    **{
        f"{name}.set": ("set",)
        for name in (
            *("update", "intersection_update", "difference_update", "symmetric_difference_update"),
            *("ior", "iand", "isub", "ixor", "union", "intersection", "difference", "symmetric_difference"),
            *("bitwise_or", "bitwise_and", "sub", "bitwise_xor", "issubset", "issuperset", "isdisjoint"),
            *("eq", "ne", "le", "lt", "ge", "gt"),
        )
    },
}


class Subject:
    """A container on a heap and CPython's own, on which the same operators run."""

    def __init__(self, heap: Heap, type: Type, value: Any) -> None:
        self.heap, self.type, self.value = heap, type, value
        self.before = heap.live
        self.address = heap.object(type, value)

    def run(self, name: str, *args: Any) -> None:
        """Run an operator on both and compare what comes out and what becomes of the container."""
        op = TABLE[name]
        native = op.implementation
        assert isinstance(native, Native)
        found = [self.type, *(a[0] for a in args)]
        result = op.type_rule([ValueArg(None) if t is None else Typed(t) for t in found])
        try:
            wanted: Any = op.semantics(self.value, *(self.value if a[1] is self else a[1] for a in args))
        except (LookupError, ValueError) as error:
            wanted = error
        got = self.native(native, op.schema.parameters[1:], result, args)
        if isinstance(wanted, Exception):
            assert isinstance(got, Exception), (name, got, wanted)
            assert type(got) is type(wanted)
            if not isinstance(wanted, KeyError) and "not in list" not in str(wanted):
                assert str(got) == str(wanted)
        else:
            assert same(got, wanted), (name, self.value, args, got, wanted)
        now = self.heap.loaded(self.type, self.address)
        assert same(now, self.value), (name, args, now, self.value)

    def native(self, native: Native, parameters: Any, result: Type, args: Any) -> Any:
        heap = self.heap
        given: list[Any] = [heap.info(result)] if native.typed else []
        given.append(self.address)
        with Held(heap) as held:
            for parameter, (kind, value) in zip(parameters, args, strict=True):
                if value is self:
                    given.append(self.address)
                elif parameter.kind in ("T", "K", "V"):
                    given.append(held.cells(kind, value))
                elif parameter.kind.partition("[")[0] in ("list", "dict", "set", "self"):
                    given.append(held.made(kind, value))
                else:
                    given.append(-(2**63) if value is None else value)
            try:
                if "out" in hints_names(native.symbol):
                    return heap.out(result, native.symbol, *given)
                got = heap.call(native.symbol, *given)
            except (LookupError, ValueError) as error:
                message, *rest = error.args or ("",)
                return type(error)(str(message).format(*rest) if rest else str(message))
            if isinstance(result, ListType | DictType | SetType):
                return heap.owned(result, got)
            return bool(got) if result == BOOL else got

    def close(self) -> None:
        """Let go of the container: nothing is left."""
        self.heap.call("object_release", self.address)
        assert self.heap.live == self.before


class Typed:
    """An argument of a type rule."""

    constant = None

    def __init__(self, type: Type) -> None:
        self.type = type


class Held:
    """Arguments, released at the end."""

    def __init__(self, heap: Heap) -> None:
        self.heap = heap
        self.open: list[Any] = []

    def __enter__(self) -> Held:
        return self

    def cells(self, type: Type, value: Any) -> int:
        """The address of a value's cells."""
        context = self.heap.held(type, value)
        self.open.append(context)
        return int(context.__enter__())

    def made(self, type: Type, value: Any) -> int:
        """The address of a heap object."""
        return self.heap.read(self.cells(type, value))

    def __exit__(self, *_: object) -> None:
        for context in self.open:
            context.__exit__(None, None, None)


def hints_names(symbol: str) -> tuple[str, ...]:
    return kernels()[symbol].__code__.co_varnames[: kernels()[symbol].__code__.co_argcount]


def same(a: Any, b: Any) -> bool:
    """Equal in type, order and sign, not only in value."""
    if isinstance(a, dict) and isinstance(b, dict):
        return same(list(a.items()), list(b.items()))
    if isinstance(a, set):
        return bool(a == b)
    if isinstance(a, list | tuple):
        return type(a) is type(b) and len(a) == len(b) and all(map(same, a, b))
    return type(a) is type(b) and repr(a) == repr(b)


def draw_arg(data: st.DataObject, kind: str, subject: Subject, parts: dict[str, tuple[Type, Any]]) -> Any:
    """An argument of a kind: its type and its value."""
    match kind:
        case "int":
            return INT, data.draw(small)
        case "bound":
            return OptionalType(INT), data.draw(bounds)
        case "bool":
            return BOOL, data.draw(st.booleans())
        case "none":
            order = data.draw(st.permutations(range(len(subject.value))))
            return ListType(INT), list(order)
        case "list" | "dict" | "set":
            if data.draw(st.integers(0, 4)) == 0:
                return subject.type, subject
            return subject.type, data.draw(parts["self"][1])
    return parts[kind][0], data.draw(parts[kind][1])


def play(
    data: st.DataObject, subject: Subject, steps: dict[str, tuple[str, ...]], parts: dict[str, tuple[Type, Any]]
) -> None:
    for name in data.draw(st.lists(st.sampled_from(sorted(steps)), max_size=12)):
        args = [draw_arg(data, kind, subject, parts) for kind in steps[name]]
        if name == "mul.list" or name == "imul.list":
            args = [(INT, args[0][1] % 4 - 1)]
        subject.run(name, *args)
    subject.close()


on_heaps = pytest.mark.parametrize("heap", HEAPS, ids=["model", "native"])


@on_heaps
@pytest.mark.parametrize("element", ELEMENTS)
@given(data=st.data())
@settings(max_examples=12, deadline=None)
def test_lists_do_what_cpythons_do(heap: type[Heap], element: str, data: st.DataObject) -> None:
    kind, values = ELEMENTS[element]
    lists = st.lists(values, max_size=9)
    steps = LIST_STEPS | (ORDER_STEPS if element in ORDERED else {})
    parts = {"T": (kind, values), "self": (ListType(kind), lists)}
    play(data, Subject(heap(), ListType(kind), data.draw(lists)), steps, parts)


@on_heaps
@pytest.mark.parametrize("key", KEYS)
@given(data=st.data())
@settings(max_examples=12, deadline=None)
def test_dicts_do_what_cpythons_do(heap: type[Heap], key: str, data: st.DataObject) -> None:
    key_kind, keys = ELEMENTS[key]
    kind, values = ELEMENTS[data.draw(st.sampled_from(sorted(ELEMENTS)))]
    dicts = st.dictionaries(keys, values, max_size=9)
    found = DictType(key_kind, kind)
    parts = {"K": (key_kind, keys), "V": (kind, values), "self": (found, dicts)}
    play(data, Subject(heap(), found, data.draw(dicts)), DICT_STEPS, parts)


@on_heaps
@pytest.mark.parametrize("element", KEYS)
@given(data=st.data())
@settings(max_examples=12, deadline=None)
def test_sets_do_what_cpythons_do(heap: type[Heap], element: str, data: st.DataObject) -> None:
    kind, values = ELEMENTS[element]
    sets = st.sets(values, max_size=9)
    parts = {"T": (kind, values), "self": (SetType(kind), sets)}
    play(data, Subject(heap(), SetType(kind), data.draw(sets)), SET_STEPS, parts)
