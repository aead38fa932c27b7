"""Tests of the boundary between Python and native code: callables, keys, tables, stubs."""

from __future__ import annotations

import ctypes
import gc
import sys
import threading
import weakref
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tscript.runtime.boundary.boundary import Boundary
from tscript.runtime.boundary.callables import REQUIRED
from tscript.runtime.boundary.native.keys import Flag, Tag
from tscript.runtime.values.interpreter import UnsupportedInterpreterError, check_interpreter
from tscript.types.dtypes import float32, float64

STATIC, LIST = int(Flag.STATIC), int(Flag.LIST)


def test_check_interpreter_refuses_free_threading(monkeypatch: pytest.MonkeyPatch) -> None:
    check_interpreter()
    monkeypatch.setattr("sys.abiflags", "t")
    with pytest.raises(UnsupportedInterpreterError, match="free-threaded"):
        check_interpreter()


def test_check_interpreter_refuses_other_implementations(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.implementation, "name", "pypy")
    with pytest.raises(UnsupportedInterpreterError, match="needs CPython; this is pypy"):
        check_interpreter()


# -- calls ------------------------------------------------------------------------------------------------------------


def test_second_call_hits(fake: Any) -> None:
    f = fake.function("fma", "ff:f")
    assert f(2.0, 3.0) == 8.0
    assert f(2.0, 4.0) == 10.0
    assert f.misses == [((2.0, 3.0), {})]
    assert f.__name__ == f.__qualname__ == "fma"


@pytest.mark.parametrize(
    "args",
    [
        (),
        (1.0,),
        (1.0, 2.0, 3.0),
        ("x", 1.0),
        (1.0, object()),
        ([1.0], 2.0),
        (type("F", (float,), {})(1), 2.0),
        (1j, 2.0),
    ],
)
def test_what_has_no_key_misses(fake: Any, args: tuple[Any, ...]) -> None:
    f = fake.function("fma", "ff:f")
    assert f(*args) == "no key"
    assert f.misses == [(args, {})]


def test_keywords_reach_miss_unchanged(fake: Any) -> None:
    f = fake.function("fma", "ff:f")
    assert f(1.0, b=2.0) == "no key"
    assert f.misses == [((1.0,), {"b": 2.0})]


def test_keywords_and_defaults_hit(fake: Any) -> None:
    f = fake.function("fma", "ff:f", names=("a", "second"), defaults=(REQUIRED, 3.0))
    assert f(2.0, 3.0) == 8.0
    f.misses.clear()
    assert f(2.0) == f(a=2.0) == f(second=3.0, a=2.0) == f(2.0, second=3.0) == 8.0
    assert f.misses == []
    assert f(2.0, **{bytes(b"second").decode(): 3.0}) == 8.0
    assert f.misses == []
    assert f() == f(2.0, a=1.0) == f(2.0, c=1.0) == f(second=1.0) == f(1.0, 2.0, 3.0) == "no key"
    assert [kwargs for _, kwargs in f.misses] == [{}, {"a": 1.0}, {"c": 1.0}, {"second": 1.0}, {}]


def test_a_default_that_is_an_object_is_part_of_the_key(native: Boundary, fake: Any) -> None:
    f = fake.function("double_it", "f_:f", defaults=(REQUIRED, float32))
    key = native.callables.key_of(f, (1.0, float32))
    assert key == (Tag.FLOAT, Tag.OBJECT, id(float32))
    native.callables.add_row(f, key, "f_:f", fake["double_it"], fake.keepalive)
    assert f(4.0) == 8.0
    assert f.misses == []


def test_variadic_and_lists(native: Boundary, fake: Any) -> None:
    f = fake.function("add_int", "ii:i", nparams=1, flags=[LIST], variadic=True)
    assert f(3, 4) == 7
    assert f(5, 6) == 11
    assert len(f.misses) == 1
    g = fake.function("add_int", "(ii):i", nparams=1, flags=[LIST])
    assert g((3, 4)) == g([3, 4]) == 7
    values = [3, 4]
    before = sys.getrefcount(values)
    for _ in range(100):
        g(values)
    assert sys.getrefcount(values) == before
    assert len(g.misses) == 1
    plain = fake.function("add_int", "(ii):i", nparams=1)
    assert plain([3, 4]) == "no key"
    assert len(f(*range(100))) == len("no key") if isinstance(f(*range(100)), str) else True


def test_keywords_of_a_variadic_callable(native: Boundary, fake: Any) -> None:
    """Operators have overloads, so keywords have no fixed place: they are further arguments, named in the key."""
    seen: list[Any] = []

    def miss(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        seen.append((args, kwargs))
        key = native.callables.key_of(fn, (*args, *kwargs.values()), tuple(kwargs))
        if not key:
            return "no key" if key is None else "no arguments"
        native.callables.add_row(fn, key, "ii:i" if len(args) + len(kwargs) == 2 else "i_i:i", fake["add_int"])
        return fn(*args, **kwargs)

    f = native.callables.new("f", 1, [Flag.LIST | Flag.STATIC_BOOL], miss, variadic=True)
    for _ in range(3):
        assert f(1, dim=2) == 3
        assert f(1, 2) == 3
        assert f(1, other=2) == 3
        assert f(1, True, dim=2) == f(1, False, dim=2) == f(1, keepdim=True, dim=2) == 3
    assert len(seen) == 6
    assert f(dim="x") == f(1, dim=[2, "x"]) == "no key"
    assert f(1, **{f"k{i}": i for i in range(40)}) == "no key"
    assert f() == "no arguments"
    name = "".join(["d", "im"])
    assert f(1, **{name: 2}) == 3
    g = fake.function("add_int", "ii:i", names=("a", "b"), nparams=2)
    assert native.callables.key_of(g, (1, 2), ("b",)) is None
    assert native.callables.key_of(f, (1,), [f"n{i}" for i in range(100)]) is None


def test_bool_is_an_int_where_the_row_says_so(fake: Any) -> None:
    f = fake.function("add_int", "ii:i")
    assert f(1, True) == 2
    assert f(True, True) == 2
    assert f(1, 1) == 2
    assert len(f.misses) == 3


def test_widening_letter(fake: Any) -> None:
    f = fake.function("double_it", "w:f")
    assert f(3) == 6.0
    with pytest.raises(OverflowError):
        f(10**400)
    assert f(-1) == -2.0


def test_huge_ints(fake: Any) -> None:
    f = fake.function("add_int", "ii:i")
    assert f(1, 2) == 3
    for args, position in (((2**63, 0), 1), ((0, -(2**63) - 1), 2), ((0, 10**100), 2)):
        with pytest.raises(OverflowError, match=f"argument {position}: the int does not fit into 64 bits"):
            f(*args)
    assert f(2**63 - 1, 0) == 2**63 - 1
    assert f(-(2**63), 0) == -(2**63)
    assert f(-1, 0) == -1
    assert f(2**63 - 1, 1) == -(2**63)


def test_static_parameters(native: Boundary, fake: Any) -> None:
    f = fake.function("double_it", "f_:f", flags=[0, STATIC])
    assert f(1.0, 3) == 2.0
    assert f(1.0, 3) == 2.0
    assert len(f.misses) == 1
    f(1.0, 4)
    f(1.0, True)
    f(1.0, False)
    f(1.0, 0.5)
    f(1.0, -0.0)
    f(1.0, 0.0)
    f(1.0, None)
    f(1.0, float32)
    f(1.0, (1, (2, True)))
    f(1.0, (1, (2, False)))
    assert len(f.misses) == native.callables.row_count(f) == 11
    for value in (3, 4, True, False, 0.5, 0.0, None, float32, (1, (2, True))):
        assert f(1.0, value) == 2.0
    assert len(f.misses) == 11
    assert f(1.0, 2**63) == "no key"


def test_many_rows(native: Boundary, fake: Any) -> None:
    f = fake.function("double_it", "f_:f", flags=[0, STATIC])
    for i in range(500):
        assert f(float(i), i) == 2.0 * i
    assert native.callables.row_count(f) == 500
    f.misses.clear()
    for i in range(500):
        assert f(1.0, i) == 2.0
    assert f.misses == []


def test_zero_parameters(native: Boundary, fake: Any) -> None:
    f = fake.function("nothing", ":N")
    assert f() is None
    assert f() is None
    assert len(f.misses) == 1
    assert f(1) == "no key"
    assert native.callables.key_of(f, (1,)) is None


def test_a_row_is_added_once(native: Boundary, fake: Any) -> None:
    f = fake.function("fma", "ff:f")
    key = native.callables.key_of(f, (1.0, 2.0))
    assert key is not None
    assert native.callables.add_row(f, key, "ff:f", fake["fma"], fake.keepalive)
    assert not native.callables.add_row(f, key, "ff:f", fake["fma"], fake.keepalive)
    assert native.callables.row_count(f) == 1


@pytest.mark.parametrize(
    ("args", "signature"),
    [
        ((1.0, 2.0), "f:f"),
        ((1.0, 2.0), "fff:f"),
        ((1.0, 2.0), "fi:f"),
        ((1.0, 2.0), "fT:f"),
        ((1, 2.0), "ff:f"),
        ((1, 2.0), "_f:f"),
        (((1, 2), 2.0), "if:f"),
        (((1, 2), 2.0), "(iii)f:f"),
        ((None, 2.0), "ff:f"),
        ((1.0, 2.0), "ff:c"),
        ((1.0, 2.0), "ff"),
        ((1.0, 2.0), "ff:"),
        ((1.0, 2.0), "f(f:f"),
        ((1.0, 2.0), "fx:f"),
    ],
)
def test_rows_that_would_misread_are_refused(
    native: Boundary, fake: Any, args: tuple[Any, ...], signature: str
) -> None:
    f = fake.function("fma", "ff:f")
    key = native.callables.key_of(f, args)
    assert key is not None
    with pytest.raises(ValueError, match="signature"):
        native.callables.add_row(f, key, signature, fake["fma"])
    with pytest.raises(TypeError, match="not a native callable"):
        native.callables.add_row(len, key, "ff:f", fake["fma"])


def test_new_callable_checks_its_arguments(native: Boundary) -> None:
    def miss(*_: object) -> None: ...

    for options in ({"flags": b"12"}, {"names": ("a", "b")}, {"defaults": (1, 2)}, {"nparams": 0, "variadic": True}):
        with pytest.raises(ValueError, match="parameter"):
            native.callables.new("f", **{"nparams": 1, "flags": b"", "miss": miss, **options})  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="miss must be callable"):
        native.callables.new("f", 1, b"", None)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="new_type"):
        native.callables.new("f", 1, b"", miss, type=int)


def test_callables_come_from_new_callable_only(native: Boundary) -> None:
    for make in (native.callables.type, native.Tensor, lambda: object.__new__(native.callables.type)):
        with pytest.raises(TypeError):
            make()
    for base in (native.callables.type, native.Tensor):
        with pytest.raises(TypeError):
            type("Sub", (base,), {})


# -- as a Python object -----------------------------------------------------------------------------------------------


def test_attributes_and_weak_references(native: Boundary, fake: Any) -> None:
    f = fake.function("fma", "ff:f")
    f.graph = "graph"
    f.__doc__ = "Says what."
    assert f.__dict__["graph"] == "graph"
    assert f.__doc__ == "Says what."
    reference = weakref.ref(f)
    assert reference() is f
    del f
    gc.collect()
    assert reference() is None


def test_binds_as_a_method(native: Boundary, fake: Any) -> None:
    seen: list[Any] = []

    def miss(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        seen.append((args, kwargs))
        return len(args)

    class A:
        method = native.callables.new("method", 2, b"", miss)

    a = A()
    assert a.method(1) == 2
    assert A.method(a, 1) == 2
    bound = a.method
    assert bound(1, k=2) == 2
    assert seen == [((a, 1), {}), ((a, 1), {}), ((a, 1), {"k": 2})]


def test_types_of_their_own(native: Boundary, fake: Any) -> None:
    kind = native.callables.new_type("tscript.ScriptFunction", "A scripted function.")
    kind.twice = property(lambda self: self.__name__ * 2)
    f = fake.function("fma", "ff:f", type=kind)
    assert type(f) is kind
    assert kind.__module__ == "tscript"
    assert kind.__doc__ == "A scripted function."
    assert f.twice == "fmafma"
    assert f(2.0, 3.0) == 8.0


def test_miss_may_raise_and_recurse(native: Boundary) -> None:
    def fail(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        raise KeyError(args)

    with pytest.raises(KeyError):
        native.callables.new("f", 1, b"", fail)(1)

    def again(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return fn(*args)

    with pytest.raises(RecursionError):
        native.callables.new("f", 1, b"", again)(1)


def test_callables_in_cycles_are_collected(native: Boundary, fake: Any) -> None:
    class Probe:
        pass

    probe = Probe()
    dead = weakref.ref(probe)

    def make(probe: Probe) -> None:
        def miss(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
            return probe, f

        f = native.callables.new("f", 1, b"", miss, names=("x",), defaults=((),))
        f.itself = f
        native.callables.add_row(f, (Tag.NONE,), "_:N", fake["nothing"], (f, probe))

    make(probe)
    del probe
    gc.collect()
    assert dead() is None


def test_a_cleared_callable_refuses(native: Boundary, fake: Any) -> None:
    """A weak reference's callback can still hold a callable that the collector has cleared."""
    f = fake.function("fma", "ff:f")
    assert f(2.0, 3.0) == 8.0
    clear = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object)(native.module.addresses["tsb_callable_clear"])
    clear(f)
    with pytest.raises(SystemError, match="cleared"):
        f(2.0, 3.0)
    with pytest.raises(SystemError, match="cleared"):
        native.callables.add_row(f, (Tag.FLOAT, Tag.FLOAT), "ff:f", fake["fma"])


def test_callable_is_let_go_during_its_own_call(native: Boundary) -> None:
    holder: list[Any] = []

    def miss(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        holder.clear()
        del fn
        gc.collect()
        return "done"

    holder.append(native.callables.new("f", 0, b"", miss))
    assert holder[0]() == "done"


def test_no_references_leak(native: Boundary, fake: Any) -> None:
    f = fake.function("double_it", "f_:f", names=("a", "b"), defaults=(REQUIRED, None), flags=[0, STATIC])
    marker, other = (), object()
    f(1.0, marker)
    f(1.0, None)
    watched = (f, marker, other, None, f.misses, native.callables.type)
    f.misses.clear()
    before = [sys.getrefcount(w) for w in watched]
    for _ in range(1000):
        f(1.0, marker)
        f(1.0)
        f(b=marker, a=1.0)
        f(other, marker)
        f(1.0, other, c=other)
        f.misses.clear()
    after = [sys.getrefcount(w) for w in watched]
    assert all(abs(a - b) < 10 for a, b in zip(after, before, strict=True))


# -- keys -------------------------------------------------------------------------------------------------------------

scalars = st.one_of(st.integers(), st.floats(), st.booleans(), st.none(), st.sampled_from([float32, float64]))
arguments = st.recursive(scalars, lambda inner: st.lists(inner, max_size=4).map(tuple), max_leaves=12)


def _key(value: Any, static: bool) -> tuple[int, ...] | None:
    match value:
        case None:
            return (Tag.NONE,)
        case bool():
            return (Tag.STATIC_BOOL | int(value) << 8,) if static else (Tag.BOOL,)
        case int():
            if not static:
                return (Tag.INT,)
            return (Tag.STATIC_INT, value) if -(2**63) <= value < 2**63 else None
        case float():
            bits = ctypes.c_int64.from_buffer(ctypes.c_double(value)).value
            return (Tag.STATIC_FLOAT, bits) if static else (Tag.FLOAT,)
        case tuple():
            parts = [_key(v, static) for v in value]
            if any(p is None for p in parts):
                return None
            return (Tag.TUPLE | len(value) << 8, *(w for p in parts if p is not None for w in p))
        case _:
            return (Tag.OBJECT, id(value))


@given(st.lists(st.tuples(arguments, st.booleans()), max_size=5))
def test_keys_are_what_the_documentation_says(native: Boundary, values: list[tuple[Any, bool]]) -> None:
    flags = [STATIC if static else 0 for _, static in values]
    f = native.callables.new("f", len(values), flags, lambda *a: a)
    parts = [_key(v, static) for v, static in values]
    expected = None if any(p is None for p in parts) else tuple(w for p in parts if p is not None for w in p)
    found = native.callables.key_of(f, tuple(v for v, _ in values))
    assert found == expected or (found is None and expected is not None and len(expected) > 60)


def test_long_keys_miss(native: Boundary) -> None:
    f = native.callables.new("f", 1, b"", lambda fn, args, kwargs: "missed")
    assert native.callables.key_of(f, (tuple(range(70)),)) is None
    deep: Any = ()
    for _ in range(10_000):
        deep = (deep,)
    assert native.callables.key_of(f, (deep,)) is None
    assert f(deep) == "missed"
    while deep:
        (deep,) = deep


# -- stubs ------------------------------------------------------------------------------------------------------------


def test_boxing(native: Boundary, fake: Any) -> None:
    assert native.stubs.invoke("b:b", fake["negate"], True) is False
    assert native.stubs.invoke("b:b", fake["negate"], False) is True
    assert native.stubs.invoke("d:d", fake["dtype_code"], float64) is float64
    assert native.stubs.invoke("(i(i)):i", fake["add_int"], (40, (2,))) == 42
    assert native.stubs.invoke(":(N(c)c)", fake["nothing"], constants=("a", "b")) == (None, ("a",), "b")
    assert native.stubs.invoke(":()", fake["nothing"]) == ()
    t, half, pair = native.stubs.invoke("ii:(Tf(ii))", fake["nested"], 3, 4)
    assert (half, pair) == (0.5, (3, 4))
    assert fake.values(t) == [1.0] * 3
    assert native.stubs.invoke("i:S", fake["size"], 3) == (0, 1, 2)
    assert native.stubs.invoke("i:S", fake["size"], 0) == ()


@pytest.mark.parametrize(
    ("signature", "args"),
    [
        ("ff:f", (1.0,)),
        ("ff:f", (1.0, 2)),
        ("ff:f", (1.0, "x")),
        ("T:T", (1.0,)),
        ("d:d", (1,)),
        ("b:b", (1,)),
        ("i:i", (1.0,)),
        ("(ii):i", ((1,),)),
        ("(ii):i", ([1, 2],)),
        ("(ii):i", ((1, 2.0),)),
    ],
)
def test_invoke_checks_arguments(native: Boundary, fake: Any, signature: str, args: tuple[Any, ...]) -> None:
    with pytest.raises(TypeError, match="argument"):
        native.stubs.invoke(signature, fake["nothing"], *args)


def test_native_code_that_breaks_its_word(native: Boundary, fake: Any) -> None:
    with pytest.raises(SystemError, match="no tensor"):
        native.stubs.invoke(":T", fake["no_tensor"])
    with pytest.raises(SystemError, match="no tensor"):
        native.stubs.invoke(":S", fake["no_tensor"])
    with pytest.raises(SystemError, match="unknown dtype code: 99"):
        native.stubs.invoke(":d", fake["bad_dtype"])
    with pytest.raises(SystemError, match="constants"):
        native.stubs.invoke(":(cc)", fake["nothing"], constants=("a",))
    for status in (2, 3, -1):
        with pytest.raises(SystemError, match="without setting an exception"):
            native.stubs.invoke("i:N", fake["status"], status)
    with pytest.raises(SystemError, match="without saying where"):
        native.stubs.invoke("i:N", fake["status"], 1)
    with pytest.raises(ValueError, match="null"):
        native.stubs.invoke(":N", 0)


def test_out_of_memory_while_boxing(native: Boundary, fake: Any) -> None:
    testcapi = pytest.importorskip("_testcapi")
    f = fake.function("two_tensors", ":(TT)")
    # Enough to use up the free lists of wrappers and tuples.
    kept = [f() for _ in range(3000)]

    def attempt(start: int) -> object:
        """A call whose allocation of that number fails; None when it was one of the call."""
        try:
            begin(start, start + 1)
            try:
                return f()
            finally:
                end()
        except MemoryError:  # also that of the interpreter itself around the call
            end()
            return None

    begin, end = testcapi.set_nomemory, testcapi.remove_mem_hooks
    gc.collect()
    gc.disable()  # finalizers of other tests would fail in it
    try:
        kept += [attempt(start) for start in range(1, 40)]
    finally:
        gc.enable()
    assert None in kept


def test_threads_share_a_callable(native: Boundary, fake: Any) -> None:
    f = fake.function("double_it", "f_:f", flags=[0, STATIC])
    errors: list[object] = []

    def work(seed: int) -> None:
        for i in range(2000):
            key = (i * seed) % 97
            if f(1.0, key) != 2.0:
                errors.append(key)

    threads = [threading.Thread(target=work, args=(n,)) for n in (3, 5, 7, 11)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert errors == []
    assert native.callables.row_count(f) == 97
