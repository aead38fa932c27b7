"""Loading objects: symbols, damage, threads; and what an object says of itself."""

from __future__ import annotations

import ctypes
import gc
import math
import threading

import pytest

from tscript.backend.objects import ObjectError, read_symbols
from tscript.backend.optimise import compile_text
from tscript.backend.session import LoadError, Session
from tscript.backend.target import Target
from tscript.diagnostics import InternalError

TARGET = Target.host()
CALLS = """
declare double @exp(double)
declare i64 @ts_given_v1(i64)
@counter = internal global i64 0
define double @grow(double %x) {
  %y = call double @exp(double %x)
  ret double %y
}
define i64 @ask(i64 %x) {
  %n = load i64, ptr @counter
  %m = add i64 %n, 1
  store i64 %m, ptr @counter
  %y = call i64 @ts_given_v1(i64 %x)
  %z = add i64 %y, %m
  ret i64 %z
}
define internal i64 @hidden() { ret i64 0 }
"""


@pytest.fixture(scope="module")
def calls() -> bytes:
    return compile_text(CALLS, TARGET, 2)


def callback(n: int):
    kind = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)
    made = kind(lambda x: x * n)
    KEEP.append(made)
    return ctypes.cast(made, ctypes.c_void_p).value


KEEP: list[object] = []


def function(address: int, result=ctypes.c_int64, argument=ctypes.c_int64):
    return ctypes.PYFUNCTYPE(result, argument)(address)


def test_symbols_come_from_the_session_and_the_process(calls):
    session = Session(TARGET, {"ts_given_v1": callback(10)})
    library = session.load(calls)
    assert function(library.address("grow"), ctypes.c_double, ctypes.c_double)(1.5) == math.exp(1.5)
    ask = function(library.address("ask"))
    assert [ask(4), ask(4)] == [41, 42]
    with pytest.raises(KeyError):
        library.address("hidden")


def test_each_load_is_separate(calls):
    session = Session(TARGET, {"ts_given_v1": callback(10)})
    first = session.load(calls, exports=["ask"])
    second = session.load(calls, imports={"ts_given_v1": callback(100)})
    assert first.name != second.name
    assert list(first.addresses) == ["ask"]
    assert function(first.address("ask"))(1) == 11
    assert function(second.address("ask"))(1) == 101


def test_missing_symbols_are_named(calls):
    session = Session(TARGET)
    assert session.missing(calls) == ("ts_given_v1",)
    with pytest.raises(LoadError, match="undefined symbols: ts_given_v1"):
        session.load(calls)
    session.define({"ts_given_v1": callback(2)})
    assert session.missing(calls) == ()
    with pytest.raises(LoadError, match="not defined: hidden, nothing"):
        session.load(calls, exports=["grow", "hidden", "nothing"])
    with pytest.raises(ValueError, match="ts_given_v1 is defined twice"):
        session.define({"ts_given_v1": 1})


def test_code_outlives_everything(calls):
    ask = function(Session(TARGET).load(calls, imports={"ts_given_v1": callback(3)}).address("ask"))
    gc.collect()
    assert ask(5) == 16


def test_damaged_objects_are_refused(calls):
    session = Session(TARGET, {"ts_given_v1": callback(1)})
    for data in (b"", b"\x7fELF", calls[:100], calls[: len(calls) // 2], b"MZ" + calls[2:], bytes(500)):
        with pytest.raises(LoadError):
            session.load(data)
    assert function(session.load(calls).address("ask"))(1) == 2


def test_only_the_host_runs():
    with pytest.raises(InternalError, match="cannot run code for"):
        Session(Target("aarch64-unknown-linux-gnu")).load(compile_text("define void @f() {\n ret void\n}", TARGET, 0))


def test_symbol_tables(calls):
    symbols = read_symbols(calls)
    assert set(symbols.defined) == {"grow", "ask"}
    assert all(size > 0 for size in symbols.defined.values())
    assert set(symbols.undefined) == {"exp", "ts_given_v1"}


def test_symbol_tables_of_other_machines():
    text = "declare i32 @other()\ndefine i32 @f() {\n %x = call i32 @other()\n ret i32 %x\n}"
    symbols = read_symbols(compile_text(text, Target("aarch64-unknown-linux-gnu"), 2))
    assert (set(symbols.defined), symbols.undefined) == ({"f"}, ("other",))


def test_any_damage_is_found_out_or_harmless(calls):
    """Reading never fails but by `ObjectError`, whatever byte is changed."""
    for at in range(0, len(calls)):
        for value in (0, 0xFF):
            data = bytearray(calls)
            data[at] = value
            try:
                read_symbols(bytes(data))
            except ObjectError:
                continue


def test_threads_may_load(calls):
    session = Session(TARGET, {"ts_given_v1": callback(7)})
    results: list[int] = []

    def work() -> None:
        for _ in range(5):
            results.append(function(session.load(calls).address("ask"))(2))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert results == [15] * 20


def test_perf_map(calls, tmp_path, monkeypatch):
    import tscript.backend.session as module

    monkeypatch.setenv("TSCRIPT_PERF_MAP", "1")
    monkeypatch.setattr(module, "Path", lambda name: tmp_path / name.rsplit("/", 1)[-1])
    library = Session(TARGET, {"ts_given_v1": callback(1)}).load(calls)
    (path,) = tmp_path.iterdir()
    lines = [line.split() for line in path.read_text().splitlines()]
    sizes = read_symbols(calls).defined
    assert {n: (int(a, 16), int(s, 16)) for a, s, n in lines} == {n: (a, sizes[n]) for n, a in library.addresses.items()}
