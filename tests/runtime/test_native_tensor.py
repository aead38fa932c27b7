"""Tests of the tensor wrapper and its number slots."""

from __future__ import annotations

import ctypes
import gc
import operator
import subprocess
import sys
import textwrap
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tscript.abi.layout import TENSOR_STRUCT
from tscript.runtime.boundary.boundary import Boundary
from tscript.runtime.boundary.native.special_methods import (
    CHOSEN,
    COMPLEX,
    COPY,
    FILL,
    FILL_PARTS,
    READ,
    ROW,
    SET_CHOSEN,
    SLOTS,
    WRITE,
)
from tscript.types.dtypes import float32


@pytest.fixture
def slots(native: Boundary) -> Iterator[Boundary]:
    """The boundary with an empty slot table, and empty again afterwards."""

    def clear() -> None:
        size = 16 * len(SLOTS)
        ctypes.memset(native.module.addresses["tsb_slots"], 0, size)

    clear()
    yield native
    clear()


def test_attributes(native: Boundary, fake: Any) -> None:
    t = fake.full(3, 1.5)
    assert type(t) is native.Tensor
    assert (t.ndim, t.dtype, t.shape) == (1, float32, (3,))
    assert fake.values(t) == [1.5] * 3
    assert native.tensors.impl_of(t) == t._impl
    assert hash(t) == hash(t)
    assert native.Tensor.__array_ufunc__ is None
    with pytest.raises(AttributeError):
        t.ndim = 2
    with pytest.raises(AttributeError):
        t.anything = 2
    with pytest.raises(TypeError, match="expected a tensor, found int"):
        native.tensors.impl_of(3)


def test_identity(native: Boundary, fake: Any) -> None:
    t = fake.full(3, 1.0)
    assert native.stubs.invoke("T:T", fake["same"], t) is t
    assert native.tensors.wrap_borrowed(native.tensors.impl_of(t)) is t
    same = fake.function("same", "T:T")
    same(t)
    same.misses.clear()
    before = sys.getrefcount(t)
    for _ in range(100):
        assert same(t) is t
    after = sys.getrefcount(t)
    assert after == before
    header = TENSOR_STRUCT.ctype.from_address(native.tensors.impl_of(t))
    assert header.refcount == 1
    with pytest.raises(SystemError, match="no tensor"):
        native.tensors.wrap(0)


def test_the_impl_outlives_its_wrapper(native: Boundary, fake: Any) -> None:
    t = fake.full(3, 1.0)
    impl = native.tensors.impl_of(t)
    ctypes.c_int64.from_address(impl).value += 1
    before = fake.live
    del t
    assert fake.live == before
    again = native.tensors.wrap(impl)
    assert fake.values(again) == [1.0] * 3
    del again
    assert fake.live == before - 1


def test_weak_references(native: Boundary, fake: Any) -> None:
    t = fake.full(3, 1.0)
    impl = native.tensors.impl_of(t)
    ctypes.c_int64.from_address(impl).value += 1
    met: list[Any] = []
    reference = weakref.ref(t, lambda _: met.append(native.tensors.wrap_borrowed(impl)))
    assert reference() is t
    del t
    assert reference() is None
    # The callback met the tensor while its wrapper was dying, and got a new one.
    assert fake.values(met[0]) == [1.0] * 3
    met.clear()
    native.tensors.wrap(impl)


def test_an_owner_is_let_go(native: Boundary, fake: Any) -> None:
    class Owner:
        pass

    owner = Owner()
    dead = weakref.ref(owner)
    t = fake.full(1, 1.0)
    header = TENSOR_STRUCT.ctype.from_address(native.tensors.impl_of(t))
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(owner))
    header.storage = id(owner)
    del owner
    gc.collect()
    assert dead() is not None
    del t
    assert dead() is None


def test_many_wrappers(fake: Any) -> None:
    kept = [fake.full(1, float(i)) for i in range(1000)]
    assert [fake.values(t) for t in kept] == [[float(i)] for i in range(1000)]
    kind = type(kept[0])
    counts = [sys.getrefcount(kind)]
    del kept[::2]
    counts.append(sys.getrefcount(kind))
    kept += [fake.full(1, -1.0) for _ in range(500)]
    counts.append(sys.getrefcount(kind))
    assert counts[1:] == [counts[0] - 500, counts[0]]


BINARY: dict[str, Any] = {
    "__add__": operator.add,
    "__sub__": operator.sub,
    "__mul__": operator.mul,
    "__truediv__": operator.truediv,
    "__floordiv__": operator.floordiv,
    "__mod__": operator.mod,
    "__matmul__": operator.matmul,
    "__and__": operator.and_,
    "__or__": operator.or_,
    "__xor__": operator.xor,
    "__lshift__": operator.lshift,
    "__rshift__": operator.rshift,
    "__pow__": operator.pow,
}
INPLACE: dict[str, Any] = {
    "__iadd__": operator.iadd,
    "__isub__": operator.isub,
    "__imul__": operator.imul,
    "__itruediv__": operator.itruediv,
    "__ifloordiv__": operator.ifloordiv,
    "__imod__": operator.imod,
    "__imatmul__": operator.imatmul,
    "__iand__": operator.iand,
    "__ior__": operator.ior,
    "__ixor__": operator.ixor,
    "__ilshift__": operator.ilshift,
    "__irshift__": operator.irshift,
    "__ipow__": operator.ipow,
}
COMPARE: dict[str, Any] = {
    "__lt__": operator.lt,
    "__le__": operator.le,
    "__eq__": operator.eq,
    "__ne__": operator.ne,
    "__gt__": operator.gt,
    "__ge__": operator.ge,
}
UNARY: dict[str, Any] = {
    "__neg__": operator.neg,
    "__pos__": operator.pos,
    "__abs__": abs,
    "__invert__": operator.invert,
}


def test_every_slot_is_tested() -> None:
    tested = {*BINARY, *INPLACE, *COMPARE, *UNARY}
    other = {"__int__", "__float__", "__index__", "__bool__", "__len__", "__getitem__", "__setitem__"}
    indexing = {ROW, CHOSEN, SET_CHOSEN, FILL, COPY, READ, WRITE, FILL_PARTS, COMPLEX}
    assert tested | other | indexing == set(SLOTS)


@pytest.mark.parametrize("native_callable", [True, False])
@pytest.mark.parametrize("name", [*BINARY, *INPLACE, *COMPARE])
def test_binary_slots(slots: Boundary, fake: Any, name: str, native_callable: bool) -> None:
    run = {**BINARY, **INPLACE, **COMPARE}[name]
    seen: list[Any] = []

    def record(*args: Any) -> Any:
        seen.append(args)
        return (name, args)

    def miss(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return record(*args)

    slots.slots.set(name, slots.callables.new(name, 2, b"", miss) if native_callable else record)
    t = fake.full(2, 1.0)
    numbers = (1, 1.5, True, type("F", (float,), {})(2.0), type("I", (int,), {})(3))
    for other in (t, *numbers):
        assert run(t, other) == (name, (t, other))
    if name in BINARY:
        for number in numbers:
            assert run(number, t) == (name, (number, t))
    refused: tuple[Any, ...] = ("x", [1], (1,), {}, np.ones(2), object())
    if name in ("__eq__", "__ne__"):
        for other in (None, *refused[:-2]):
            assert run(t, other) is (name == "__ne__")
    else:
        before = len(seen)
        for other in (None, *refused):
            with pytest.raises(TypeError):
                run(t, other)
        assert len(seen) == before
    # Types of numbers can be added.
    slots.slots.set_numbers((int, float, np.generic))
    assert run(t, np.float32(1.5)) == (name, (t, np.float32(1.5)))
    slots.slots.set_numbers((int, float))
    seen.clear()


def test_another_type_may_take_the_operator(slots: Boundary, fake: Any) -> None:
    slots.slots.set("__add__", lambda a, b: "ours")

    class Other:
        def __radd__(self, left: object) -> str:
            return "theirs"

        def __eq__(self, other: object) -> bool:
            return True

        __hash__ = None  # type: ignore[assignment]

    t = fake.full(2, 1.0)
    assert t + Other() == "theirs"
    slots.slots.set("__eq__", lambda a, b: "ours")
    assert (t == Other()) is True


@pytest.mark.parametrize("name", UNARY)
def test_unary_slots(slots: Boundary, fake: Any, name: str) -> None:
    slots.slots.set(name, lambda t: (name, t))
    t = fake.full(2, 1.0)
    assert UNARY[name](t) == (name, t)


def test_conversion_slots(slots: Boundary, fake: Any) -> None:
    t = fake.full(2, 1.0)
    slots.slots.set("__int__", lambda t: 3)
    slots.slots.set("__float__", lambda t: 4.0)
    slots.slots.set("__index__", lambda t: 1)
    slots.slots.set("__bool__", lambda t: True)
    assert (int(t), float(t), [0, 1][t], len(t), bool(t)) == (3, 4.0, 1, 2, True)
    slots.slots.set("__bool__", lambda t: False)
    assert not t


def test_slots_that_answer_nonsense(slots: Boundary, fake: Any) -> None:
    t = fake.full(2, 1.0)
    conversions: dict[str, Any] = {"__int__": int, "__float__": float, "__index__": operator.index}
    for name, run in conversions.items():
        slots.slots.set(name, lambda t: "x")
        with pytest.raises(TypeError):
            run(t)
    for answer in (lambda t: t, lambda t: 1, lambda t: None):
        slots.slots.set("__bool__", answer)
        with pytest.raises(TypeError, match="must be a bool"):
            bool(t)

    def fail(*_: object) -> object:
        raise KeyError("mine")

    actions: dict[str, Any] = {
        "__bool__": bool,
        "__neg__": operator.neg,
        "__getitem__": lambda t: t[None],
        ROW: lambda t: t[0],
        CHOSEN: lambda t: t[t],
        "__setitem__": lambda t: operator.setitem(t, 0, 1),
        SET_CHOSEN: lambda t: operator.setitem(t, t, 1),
        "__add__": lambda t: 1 + t,
        "__pow__": lambda t: t**2,
    }
    for name, act in actions.items():
        slots.slots.set(name, fail)
        with pytest.raises(KeyError, match="mine"):
            act(t)


def test_item_slots(slots: Boundary, fake: Any) -> None:
    t = fake.full(2, 1.0)
    stored: list[Any] = []
    slots.slots.set("__getitem__", lambda t, key: key)
    slots.slots.set("__setitem__", lambda t, key, value: stored.append((key, value)))
    assert t[1:2, ..., None] == (slice(1, 2), ..., None)
    t["key"] = "value"
    assert stored == [("key", "value")]
    for key in (0, t, None):
        with pytest.raises(TypeError, match="deleted"):
            del t[key]


def test_slots_of_frequent_keys(slots: Boundary, fake: Any) -> None:
    t = fake.full(2, 1.0)
    stored: list[Any] = []
    for name in ("__getitem__", ROW, CHOSEN):
        slots.slots.set(name, lambda t, key, name=name: (name, key))
    for name in ("__setitem__", SET_CHOSEN):
        slots.slots.set(name, lambda t, key, value, name=name: stored.append((name, key, value)))
    of_int = type("I", (int,), {})(3)
    keys = {2**70: ROW, -1: ROW, True: "__getitem__", of_int: "__getitem__", 1.5: "__getitem__", t: CHOSEN}
    for key, name in keys.items():
        found = t[key]
        assert found[0] == name
        assert found[1] is key
        t[key] = 5
        assert stored[-1][0] == (SET_CHOSEN if key is t else "__setitem__")
        assert stored[-1][1] is key
        assert stored[-1][2] == 5
    stored.clear()


def test_unset_slots_raise(slots: Boundary, fake: Any) -> None:
    t = fake.full(2, 1.0)
    unset: dict[str, Any] = {**BINARY, **INPLACE}
    for name, run in unset.items():
        with pytest.raises(TypeError, match="unsupported operand"):
            run(t, 1.0)
        assert getattr(t, name)(1.0) is NotImplemented
    actions: tuple[Any, ...] = (
        *UNARY.values(),
        int,
        float,
        operator.index,
        bool,
        lambda t: t[0],
        lambda t: t[t],
        lambda t: t[None],
        lambda t: operator.setitem(t, 0, 1),
        lambda t: operator.setitem(t, t, 1),
    )
    for act in actions:
        with pytest.raises(TypeError):
            act(t)
    assert (t == t) is True
    assert (t != t) is False
    with pytest.raises(TypeError):
        operator.lt(t, 1)
    with pytest.raises(TypeError):
        pow(t, 2, 3)


def test_in_place_falls_back(slots: Boundary, fake: Any) -> None:
    slots.slots.set("__add__", lambda a, b: "plain")
    t = fake.full(2, 1.0)
    t += 1
    assert t == "plain"


def test_set_slot_checks(slots: Boundary) -> None:
    with pytest.raises(KeyError, match="__radd__"):
        slots.slots.set("__radd__", lambda a, b: None)
    with pytest.raises(TypeError, match="callable"):
        slots.slots.set("__add__", 3)  # type: ignore[arg-type]


def test_native_slot_and_methods(slots: Boundary, fake: Any) -> None:
    add = fake.function("add_float", "Tf:T")
    slots.slots.set("__add__", add)
    t = fake.full(4, 1.0)
    assert fake.values(t + 1.5) == [2.5] * 4
    assert fake.values(t + 0.5) == [1.5] * 4
    assert len(add.misses) == 1
    first = fake.function("first", "T:f")
    slots.Tensor.first_element = first
    assert t.first_element() == t.first_element() == 1.0
    assert len(first.misses) == 1
    assert callable(t.first_element)
    del slots.Tensor.first_element
    add.misses.clear()
    first.misses.clear()


def test_class_cannot_be_changed(native: Boundary, fake: Any) -> None:
    t = fake.full(1, 1.0)

    class Slotted:
        __slots__ = ("__weakref__", "field")

    for other in (Slotted, native.callables.type, int, type("A", (), {})):
        with pytest.raises(TypeError):
            t.__class__ = other
    import copy
    import pickle

    for make in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError):
            make(t)


SHUTDOWN = """
    import sys, threading
    sys.path.insert(0, {root!r})
    import importlib.util
    spec = importlib.util.spec_from_file_location("support", {support!r})
    support = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(support)
    session = support.Session(support.Target.host())
    native = support.make_boundary(session)
    fake = support.Fake(native, session)
    native.tensors.set_release(fake["ts_tensor_release_v1"])

    class Owner:
        def __init__(self):
            self.tensor = fake.full(3, 1.0)
        def __del__(self):
            native.stubs.invoke("T:f", fake["first"], self.tensor)

    # Alive until the interpreter is torn down: module globals, attributes of builtins, cycles, a thread in native code.
    tensor = fake.full(3, 1.0)
    owner = Owner()
    sys.kept = [fake.full(3, 1.0), fake.function("fma", "ff:f"), owner]
    sys.kept.append(sys.kept)
    sys.kept[1](1.0, 2.0)
    native.Tensor.attached = fake.full(1, 1.0)
    threading.Thread(target=native.stubs.invoke, args=(":N", fake["spin"]), daemon=True).start()
    print("end")
"""


def test_interpreter_shutdown() -> None:
    root = Path(__file__).resolve().parents[2]
    text = textwrap.dedent(SHUTDOWN).format(root=str(root), support=str(Path(__file__).with_name("conftest.py")))
    for _ in range(3):
        done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=60, check=False)
        assert (done.returncode, done.stdout, done.stderr) == (0, "end\n", "")
