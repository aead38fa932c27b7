"""Keys, tables and calls of callables, as plain Python over checked memory with a model of CPython."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.runtime.boundary.conftest import Python
from tscript.dialect import PyCallable, PyObject, TensorImpl, Unit, Void, i64, memset, pointer, pointer_cast, u8
from tscript.dialect.memory_model import allocate, reset, space, to_address
from tscript.runtime.boundary.native import callable, records, table
from tscript.runtime.boundary.native import python_api as api
from tscript.runtime.boundary.native.keys import Flag, Tag

NULL = pointer(0, PyObject)


class Function:
    """A callable of the model, whose misses and runs are kept."""

    def __init__(self, python: Python, nparams: int, flags: bytes = b"", **options: Any) -> None:
        self.python = python
        self.misses: list[tuple[Any, Any]] = []
        self.runs: list[tuple[int, tuple[Any, ...]]] = []
        self.codes: dict[int, Any] = {}
        records.WATCHING[0] = 0
        buffer: Any = allocate(max(1, nparams), u8, "flags")
        for i in range(max(1, nparams)):
            buffer[i] = flags[i] if i < len(flags) else 0
        kind = python.made(api.PyLong_Type, "type")
        self.miss = python.made(api.PyLong_Type, self._missed)
        names = options.get("names")
        defaults = options.get("defaults")
        named = NULL if names is None else python.tuple_of(*map(python.string, names))
        filled = NULL if defaults is None else python.tuple_of(*defaults)
        made = callable.new(kind, nparams, buffer, int(options.get("variadic", False)), self.miss, named, filled)
        self.object: Any = pointer_cast(made, PyCallable) if to_address(made) else made
        for one in (named, filled):
            if to_address(one):
                python.Py_DecRef(one)

    def _missed(self, function: Any, args: Any, kwargs: Any) -> Any:
        self.misses.append((self.python.value(args), self.python.value(kwargs)))
        return self.python.integer(-1)

    def _run(self, number: int, n: int) -> Any:
        def stub(code: Any, args: Any, constants: Any) -> Any:
            assert code == self.codes[number]
            self.runs.append((number, tuple(self.python.value(args[i]) for i in range(n))))
            return self.python.integer(number)

        return space().address_of(stub)

    def add(self, words: list[int], number: int, n: int) -> int:
        """A row whose code is `number` and that takes `n` arguments."""
        key: Any = allocate(8 * max(1, len(words)), i64, "key")
        for i, word in enumerate(words):
            key[i] = word
        stub = self._run(number, n)
        kept = self.python.integer(number)
        self.codes[number] = allocate(8, Void, "code")
        status: int = table.add_row(
            self.object, key, len(words), stub, self.codes[number], NULL, pointer(0, Unit), kept
        )
        self.python.Py_DecRef(kept)
        return status

    def key(self, *args: Any) -> list[int] | int:
        """The key words of arguments; negative when they have none."""
        words: Any = allocate(8 * 64, i64, "words")
        vector = self.python.vector(*args)
        n = table.keys(self.object, vector, len(args), words)
        return n if n < 0 else [words[i] for i in range(n)]

    def call(self, *args: Any, **keywords: Any) -> Any:
        """A call; what it returns, as a value."""
        names = self.python.tuple_of(*map(self.python.string, keywords)) if keywords else NULL
        vector = self.python.vector(*args, *keywords.values())
        found = callable.call(self.object, vector, len(args), names)
        if to_address(names):
            self.python.Py_DecRef(names)
        if not to_address(found):
            return None
        value = self.python.value(found)
        self.python.Py_DecRef(found)
        return value


def tensor(python: Python, dtype: int, rank: int) -> Any:
    """A tensor's Python object."""
    kind = python.made(api.PyLong_Type, "Tensor") if not to_address(table.TENSOR_TYPE[0]) else table.TENSOR_TYPE[0]
    table.TENSOR_TYPE[0] = kind
    impl: Any = allocate(128, TensorImpl, "impl")
    memset(impl, 0, 128)
    impl.dtype, impl.ndim = dtype, rank
    made = python.made(kind, "tensor")
    pointer_cast(made, PyCallable).vectorcall = impl  # where a tensor has its impl
    return made


@pytest.fixture(autouse=True)
def _types(python: Python) -> None:
    table.TENSOR_TYPE[0] = NULL
    for i in range(8):
        table.KEYED_KINDS[i] = NULL


def test_words_of_each_kind_of_argument(python: Python) -> None:
    f = Function(python, 1)
    assert f.key(python.real(0.5)) == [Tag.FLOAT]
    assert f.key(python.integer(5)) == [Tag.INT]
    assert f.key(api.Py_None) == [Tag.NONE]
    assert f.key(tensor(python, 3, 2)) == [Tag.TENSOR | 3 << 8 | 2 << 40]
    assert f.key(python.tuple_of(python.integer(1), python.real(2.0))) == [Tag.TUPLE | 2 << 8, Tag.INT, Tag.FLOAT]
    assert f.key(python.instance()) == -1
    assert f.key(python.list_of()) == -1


def test_values_that_are_part_of_the_key(python: Python) -> None:
    f = Function(python, 1, bytes([Flag.STATIC]))
    assert f.key(python.integer(-7)) == [Tag.STATIC_INT, -7]
    assert f.key(python.integer(1 << 70)) == -1
    assert f.key(python.real(1.0)) == [Tag.STATIC_FLOAT, 0x3FF0000000000000]
    assert f.key(python.tuple_of(python.integer(4))) == [Tag.TUPLE | 1 << 8, Tag.STATIC_INT, 4]
    for value, one in ((api.Py_True, 1), (api.Py_False, 0)):
        assert f.key(value) == [Tag.STATIC_BOOL | one << 8]
        assert Function(python, 1).key(value) == [Tag.BOOL]
        assert Function(python, 1, bytes([Flag.STATIC_BOOL])).key(value) == [Tag.STATIC_BOOL | one << 8]


def test_objects_and_lists(python: Python) -> None:
    one = python.instance()
    assert Function(python, 1, bytes([Flag.OBJECT])).key(one) == [Tag.ANY]
    assert Function(python, 1, bytes([Flag.OBJECTS])).key(one) == [Tag.ANY]
    assert Function(python, 1, bytes([Flag.OBJECTS])).key(python.list_of()) == [Tag.ANY]
    assert Function(python, 1, bytes([Flag.LIST])).key(python.list_of()) == -2
    table.KEYED_KINDS[3] = one.type
    assert Function(python, 1).key(one) == [Tag.OBJECT, to_address(one)]


def test_keys_have_a_longest_length(python: Python) -> None:
    f = Function(python, 1)
    assert len(f.key(python.tuple_of(*(python.integer(0) for _ in range(62))))) == 63  # type: ignore[arg-type]
    assert f.key(python.tuple_of(*(python.integer(0) for _ in range(63)))) == -1


@settings(deadline=None, max_examples=30)
@given(st.lists(st.lists(st.integers(-(1 << 63), (1 << 63) - 1), max_size=4), unique_by=tuple, max_size=40))
def test_every_row_is_found_and_no_other(rows: list[list[int]]) -> None:
    reset()
    python = Python()
    f = Function(python, 1)
    assert [f.add(words, i, 1) for i, words in enumerate(rows)] == [1] * len(rows)
    assert [f.add(words, 99, 1) for words in rows] == [0] * len(rows)
    assert callable.count(f.object) == len(rows)
    for i, words in enumerate(rows):
        key: Any = allocate(64, i64)
        for j, word in enumerate(words):
            key[j] = word
        row = table.find(f.object, key, len(words))
        assert row.code == f.codes[i]
        key[0] = words[0] ^ 1 if words else 0
        if [key[j] for j in range(max(1, len(words)))] not in rows:
            assert to_address(table.find(f.object, key, max(1, len(words)))) == 0
    assert f.object.table.count * 2 <= f.object.table.mask + 1


def test_a_call_runs_the_row_of_its_key(python: Python) -> None:
    f = Function(python, 2)
    assert f.call(python.integer(1), python.real(2.0)) == -1
    assert f.misses == [((1, 2.0), {})]
    assert f.add([Tag.INT, Tag.FLOAT], 5, 2) == 1
    assert f.call(python.integer(3), python.real(4.0)) == 5
    assert f.runs == [(5, (3, 4.0))]
    assert f.call(python.real(3.0), python.real(4.0)) == -1


def test_keywords_and_defaults_are_put_in_order(python: Python) -> None:
    required = python.instance("REQUIRED")
    callable.REQUIRED[0] = required
    f = Function(python, 3, names=("a", "b", "c"), defaults=(required, required, python.integer(30)))
    f.add([Tag.INT] * 3, 1, 3)
    one, two, three = map(python.integer, (1, 2, 3))
    assert f.call(one, c=three, b=two) == 1
    assert f.call(one, b=two) == 1
    assert f.call(one, two) == 1
    assert f.runs == [(1, (1, 2, 3)), (1, (1, 2, 30)), (1, (1, 2, 30))]
    assert f.misses == []


@pytest.mark.parametrize("keywords", [{"a": 5}, {"z": 5}, {"b": 1, "c": 2, "d": 3}, {}])
def test_calls_that_do_not_fit_are_misses_as_they_were_written(python: Python, keywords: dict[str, int]) -> None:
    f = Function(python, 3, names=("a", "b", "c"))
    f.add([Tag.INT] * 3, 1, 3)
    f.call(python.integer(9), **{name: python.integer(value) for name, value in keywords.items()})
    assert (f.misses, f.runs) == ([((9,), keywords)], [])


def test_names_made_at_run_time_are_the_same(python: Python) -> None:
    f = Function(python, 1, names=("a",))
    f.add([Tag.INT], 1, 1)
    names = python.tuple_of(python.string("a", interned=False))
    found = callable.call(f.object, python.vector(python.integer(4)), 0, names)
    assert (python.value(found), f.runs) == (1, [(1, (4,))])


def test_lists_become_tuples_where_they_are_meant(python: Python) -> None:
    f = Function(python, 1, bytes([Flag.LIST]))
    f.add([Tag.TUPLE | 1 << 8, Tag.INT], 1, 1)
    given = python.list_of(python.integer(7))
    before = python.alive
    assert f.call(given) == 1
    assert f.runs == [(1, ((7,),))]
    assert python.alive == before
    assert python.value(given) == (7,)


def test_lists_in_tuples_become_tuples_too(python: Python) -> None:
    f = Function(python, 1, bytes([Flag.LIST]))
    f.add([Tag.TUPLE | 1 << 8, Tag.TUPLE | 1 << 8, Tag.INT], 1, 1)
    inner = python.list_of(python.integer(7))
    for outer in (python.list_of(inner), python.tuple_of(inner)):
        before = python.alive
        assert f.call(outer) == 1
        assert f.runs.pop() == (1, (((7,),),))
        assert python.alive == before


def test_a_variadic_callable_has_the_names_of_keywords_in_its_key(python: Python) -> None:
    f = Function(python, 1, variadic=True)
    name = python.string("dim")
    f.add([Tag.INT, Tag.INT, Tag.KEYWORDS | 1 << 8, to_address(name)], 3, 2)
    assert f.call(python.integer(1), dim=python.integer(2)) == 3
    assert f.call(python.integer(1), axis=python.integer(2)) == -1
    assert f.runs == [(3, (1, 2))]


def test_a_variadic_callable_takes_any_number_of_arguments(python: Python) -> None:
    f = Function(python, 1, variadic=True)
    one, two = python.integer(1), python.integer(2)
    for count in range(4):
        f.add([Tag.INT] * count, 5 + count, count)
        assert f.call(*[one, two, one][:count]) == 5 + count
    assert f.runs == [(5, ()), (6, (1,)), (7, (1, 2)), (8, (1, 2, 1))]
    named = Function(python, 1, variadic=True, names=("a",))
    named.add([Tag.INT] * 3, 2, 3)
    assert named.call(one, two, one) == 2
    assert named.call() == -1


def test_what_miss_refuses_is_raised(python: Python) -> None:
    f = Function(python, 0)
    error = python.instance("an error")
    kind = python.made(api.PyLong_Type, "Refused")
    callable.REFUSED[0] = kind
    python.values[to_address(f.miss)] = lambda *_: python.made(kind, {"error": error})
    assert f.call() is None
    assert python.error == ("object", "an error")


def test_a_cleared_callable_only_refuses(python: Python) -> None:
    f = Function(python, 1, names=("a",), defaults=(python.integer(3),))
    f.add([Tag.INT], 1, 1)
    seen: list[int] = []

    def visited(o: Any, argument: Any) -> int:
        seen.append(to_address(o))
        return 0

    visit = space().address_of(visited)
    assert callable.traverse(f.object, visit, pointer(0, Void)) == 0
    assert len(seen) == 5  # the type, and no dict
    callable.clear(f.object)
    assert f.call(python.integer(1)) is None
    assert python.error == ("SystemError", table.CLEARED)
    assert f.add([Tag.INT], 1, 1) == -1
    seen.clear()
    callable.traverse(f.object, visit, pointer(0, Void))
    assert len(seen) == 1


def test_nothing_is_left_of_a_callable(python: Python) -> None:
    before = python.alive
    regions = sum(not r.freed for r in space().regions if r.name == "raw")
    f = Function(python, 2, names=("a", "b"), defaults=(python.integer(3), python.integer(4)))
    for i in range(20):
        f.add([i], i, 1)
    kind = f.object.type
    python.Py_DecRef(f.miss)
    callable.dealloc(f.object)
    assert kind.refcount == 1
    python.Py_DecRef(kind)
    assert python.values.get(to_address(kind)) is None
    assert python.alive == before
    assert sum(not r.freed for r in space().regions if r.name == "raw") == regions


def test_parameters_that_are_known_later(python: Python) -> None:
    before = python.alive
    regions = sum(not r.freed for r in space().regions if r.name == "raw")
    f = Function(python, 0)
    two, three = python.integer(2), python.integer(3)
    assert f.call(two) == -1
    flags: Any = allocate(2, u8, "flags")
    flags[0] = flags[1] = 0
    python.memory = 0
    assert callable.shape(f.object, 2, flags, NULL, NULL) == -1
    assert (python.error, f.object.nparams) == (("MemoryError", None), 0)
    python.memory = 1 << 30
    names, defaults = python.tuple_of(*map(python.string, "ab")), python.tuple_of(two, three)
    assert callable.shape(f.object, 2, flags, names, defaults) == 0
    f.add([Tag.INT] * 2, 1, 2)
    assert f.call(b=two) == 1 and f.call(three) == 1
    assert f.runs == [(1, (2, 2)), (1, (3, 3))]
    for one in (names, defaults):
        python.Py_DecRef(one)
    kind = f.object.type
    python.Py_DecRef(f.miss)
    callable.dealloc(f.object)
    python.Py_DecRef(kind)
    assert python.alive == before
    assert sum(not r.freed for r in space().regions if r.name == "raw") == regions


@pytest.mark.parametrize("memory", range(4))
def test_without_memory_there_is_no_callable(python: Python, memory: int) -> None:
    python.memory = memory
    f = Function(python, 1)
    assert to_address(f.object) == 0
    assert python.error == ("MemoryError", None)


@pytest.mark.parametrize("memory", range(3))
def test_without_memory_a_miss_leaves_nothing(python: Python, memory: int) -> None:
    f = Function(python, 1)
    argument = python.integer(1)
    before = python.alive
    python.memory = memory
    assert f.call(argument) is None
    assert (python.error, f.misses, python.alive) == (("MemoryError", None), [], before)


def test_binding_is_like_that_of_functions(python: Python) -> None:
    f = Function(python, 1)
    itself: Any = pointer_cast(f.object, PyObject)
    assert callable.bind(itself, NULL, NULL) == itself == callable.bind(itself, api.Py_None, NULL)
    one = python.instance()
    assert python.value(callable.bind(itself, one, NULL)) == ("method", to_address(itself), to_address(one))


def test_other_callables_are_called_by_their_arguments(python: Python) -> None:
    seen: list[Any] = []

    def called(*args: Any) -> Any:
        seen.append([python.value(a) for a in args])
        return python.integer(8)

    one: Any = python.made(api.PyLong_Type, called)
    vector: Any = python.vector(python.integer(1), python.integer(2))
    assert python.value(callable.call_any(one, vector, 2, NULL)) == 8
    assert seen == [[1, 2]]
