"""Functions of the dialect in C's calling convention: as Python over checked memory, and as native code."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import pytest

from tscript.backend.c_functions import emit_functions, emit_variables
from tscript.backend.llvm.instructions import INSTRUCTIONS
from tscript.backend.llvm.target import Target
from tscript.backend.loader.optimise import compile_text
from tscript.backend.loader.session import Session
from tscript.diagnostics import CompileError
from tscript.dialect import (
    Ptr,
    Void,
    address,
    atomic_acquire,
    atomic_add_relaxed,
    atomic_add_release,
    atomic_cas,
    atomic_relaxed,
    atomic_release,
    atomic_store_relaxed,
    counter,
    function,
    i32,
    i64,
    memory_model,
    pause,
    pointer,
    pointer_cast,
    text,
    u8,
    unsigned_less,
    unsigned_shr,
)
from tscript.dialect.linkage import (
    NOINLINE,
    c_function,
    c_signature,
    exported,
    external,
    imported,
    internal,
    linkage_of,
    variable,
    variable_of,
)
from tscript.dialect.memory_model import MemoryFault
from tscript.frontend import lower_functions

COUNT = variable("test_count", i64, exported=True)
TABLE = variable("test_table", i64, 3, initial=(7).to_bytes(8, "little"))
NONE_OBJECT = external("_Py_NoneStruct", Void)
strlen = c_function("strlen", i64, Ptr[Void])
snprintf = c_function("snprintf", i32, Ptr[Void], i64, Ptr[Void], ...)
binary = c_signature(i64, i64, i64)


@internal(NOINLINE)
def plus(a: i64, b: i64) -> i64:
    return a + b


@exported("test_times")
def times(a: i64, b: i64) -> i64:
    return a * b


@exported("test_fold")
def fold(multiply: i32, a: i64, b: i64) -> i64:
    chosen = function(times) if multiply != 0 else function(plus)
    return binary(chosen, a, b)


@exported("test_count_up")
def count_up(by: i64) -> i64:
    COUNT[0] = COUNT[0] + by
    TABLE[2] = COUNT[0]
    return TABLE[0] + TABLE[2]


@exported("test_length")
def length() -> i64:
    return strlen(text("für"))


@exported("test_format")
def format(out: Ptr[u8], n: i64) -> i32:
    return snprintf(pointer_cast(out, Void), 64, text("%ld and %s"), n, text("more"))


@exported("test_none")
def none() -> Ptr[Void]:
    return NONE_OBJECT


@exported("test_bits")
def bits(a: i64, n: i64) -> i64:
    return unsigned_shr(a, n) + i64(unsigned_less(a, n))


@exported("test_take")
def take(lock: Ptr[i64]) -> i64:
    if atomic_relaxed(lock) == 0 and atomic_cas(lock, 0, 5):
        before = atomic_acquire(lock)
        atomic_release(lock, 9)
        return before
    return -1


@exported("test_twice")
def twice(p: Ptr[i64]) -> i64:
    return atomic_add_relaxed(p, 3) + atomic_add_relaxed(p, 4)


@exported("test_cycles")
def cycles() -> i64:
    first = counter()
    return counter() - first


@exported("test_orders")
def orders(p: Ptr[i64]) -> i64:
    pause()
    atomic_store_relaxed(p, 20)
    return atomic_add_relaxed(p, 5) + atomic_add_release(p, -1)


@exported("test_nothing")
def nothing(p: Ptr[i64]) -> None:
    if address(p) != 0:
        p[0] = 1


FUNCTIONS = (fold, times, count_up, length, format, none, bits, take, twice, cycles, orders, nothing)
VARIABLES = (COUNT, TABLE)


@pytest.fixture(scope="module")
def native() -> Callable[..., Any]:
    """Calls an exported function by its symbol: result type, then arguments."""
    target = Target.host()
    program, linkage = lower_functions(FUNCTIONS)
    functions = emit_functions(program, linkage, target)
    variables = emit_variables(map(variable_of, VARIABLES))
    declared = {symbol: line for symbol, line in functions.declarations.items() if symbol not in variables}
    needed = [INSTRUCTIONS[s](target) if s in INSTRUCTIONS else line for s, line in declared.items()]
    llvm = "\n".join([*variables.values(), *needed, *functions.definitions.values()])
    symbols = [linkage_of(f).symbol for f in FUNCTIONS]
    session = Session(target)
    loaded = session.load(compile_text(llvm, target), [*symbols, "test_count"])

    def call(symbol: str, result: Any, *args: Any) -> Any:
        types = [type(a) for a in args]
        return ctypes.CFUNCTYPE(result, *types)(loaded.addresses[symbol])(*args)

    call.addresses = loaded.addresses  # type: ignore[attr-defined]
    return call


LONG = ctypes.c_int64


def test_addresses_of_functions_are_called(native: Any) -> None:
    assert native("test_fold", LONG, ctypes.c_int32(0), LONG(3), LONG(4)) == 7 == fold(0, 3, 4)
    assert native("test_fold", LONG, ctypes.c_int32(1), LONG(3), LONG(4)) == 12 == fold(1, 3, 4)


def test_variables_keep_their_values(native: Any) -> None:
    memory_model.reset()
    assert [native("test_count_up", LONG, LONG(n)) for n in (2, 3)] == [9, 12] == [count_up(2), count_up(3)]
    assert ctypes.c_int64.from_address(native.addresses["test_count"]).value == 5 == COUNT[0]
    memory_model.reset()
    assert COUNT[0] == 0


def test_strings_and_variable_arguments(native: Any) -> None:
    assert native("test_length", LONG) == 4
    out = ctypes.create_string_buffer(64)
    assert native("test_format", ctypes.c_int32, out, LONG(42)) == 11
    assert out.value == b"42 and more"


def test_variables_of_the_process(native: Any) -> None:
    assert native("test_none", ctypes.c_void_p) == id(None)


@pytest.mark.parametrize(("a", "n"), [(-1, 60), (8, 3), (-8, 1), (5, 9), (1 << 62, 62)])
def test_unsigned_operators(native: Any, a: int, n: int) -> None:
    assert native("test_bits", LONG, LONG(a), LONG(n)) == bits(a, n)


def test_atomics(native: Any) -> None:
    lock = ctypes.c_int64(0)
    assert native("test_take", LONG, ctypes.c_void_p(ctypes.addressof(lock))) == 5
    assert native("test_take", LONG, ctypes.c_void_p(ctypes.addressof(lock))) == -1
    assert lock.value == 9
    modelled: Any = memory_model.allocate(8, i64)
    modelled[0] = 0
    assert (take(modelled), take(modelled), modelled[0]) == (5, -1, 9)


def test_counts_of_several_threads(native: Any) -> None:
    word = ctypes.c_int64(5)
    assert native("test_twice", LONG, ctypes.c_void_p(ctypes.addressof(word))) == 5 + 8
    modelled: Any = memory_model.allocate(8, i64)
    modelled[0] = 5
    assert (twice(modelled), modelled[0], word.value) == (13, 12, 12)


def test_counters_grow(native: Any) -> None:
    assert native("test_cycles", LONG) >= 0
    assert cycles() == 1


def test_atomics_that_order_less(native: Any) -> None:
    word = ctypes.c_int64(0)
    assert native("test_orders", LONG, ctypes.c_void_p(ctypes.addressof(word))) == 45
    assert word.value == 24
    modelled: Any = memory_model.allocate(8, i64)
    assert (orders(modelled), modelled[0]) == (45, 24)


def test_functions_without_a_result(native: Any) -> None:
    word = ctypes.c_int64(0)
    assert native("test_nothing", None, ctypes.c_void_p(ctypes.addressof(word))) is None
    assert word.value == 1
    assert native("test_nothing", None, ctypes.c_void_p(0)) is None


def test_c_functions_are_models_of_the_test() -> None:
    memory_model.reset()
    with pytest.raises(MemoryFault, match="a call of strlen, which has no model here"):
        length()
    memory_model.space().functions["strlen"] = lambda p: next(i for i in range(100) if p[i] == 0)
    assert length() == 4


def test_functions_of_other_modules() -> None:
    memory_model.reset()
    other = imported(twice)
    memory_model.space().functions["test_twice"] = lambda p: 40 + p[0]
    modelled: Any = memory_model.allocate(8, i64)
    modelled[0] = 2
    assert other(modelled) == 42

    def wrong() -> i64:
        return other(3)

    with pytest.raises(CompileError, match="is not of type Ptr"):
        lower_functions([wrong])


def test_a_call_through_an_address_that_is_no_function() -> None:
    with pytest.raises(MemoryFault, match="where no function lies"):
        binary(pointer(64, Void), 1, 2)


def test_wrong_arguments_are_refused() -> None:
    def wrong() -> i64:
        return strlen(3)

    with pytest.raises(CompileError, match="strlen"):
        lower_functions([wrong])
