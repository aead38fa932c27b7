"""Loading objects: symbols, damage, threads; and what an object says of itself."""

from __future__ import annotations

import ctypes
import gc
import math
import os
import threading

import pytest

from tscript.abi.symbols import LOADED
from tscript.backend.llvm.target import Target
from tscript.backend.loader.loading import LoadError
from tscript.backend.loader.objects import ObjectError, read_symbols
from tscript.backend.loader.optimise import assembly, compile_text
from tscript.backend.loader.session import Session, readable
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


HIDDEN = """
define internal i64 @group.1.loop(i64 %x) noinline {
  %y = mul i64 %x, %x
  ret i64 %y
}
define internal i64 @elsewhere(i64 %x) noinline section ".text.cold" {
  %y = mul i64 %x, 5
  ret i64 %y
}
define i64 @tsf_f(i64 %x) {
  %y = call i64 @group.1.loop(i64 %x)
  %z = call i64 @elsewhere(i64 %y)
  ret i64 %z
}
"""


@pytest.fixture
def perf_maps(tmp_path, monkeypatch):
    """The folder of the maps of sessions made from here on."""
    import tscript.backend.loader.session as module

    monkeypatch.setenv("TSCRIPT_PERF_MAP", "1")
    monkeypatch.setattr(module, "PERF_FOLDER", tmp_path)
    return tmp_path


def entries(path) -> dict[str, tuple[int, int]]:
    lines = [line.split(" ") for line in path.read_text().splitlines()]
    return {name: (int(address, 16), int(size, 16)) for address, size, name in lines}


def test_perf_map(calls, perf_maps):
    library = Session(TARGET, {"ts_given_v1": callback(1)}).load(calls)
    (path,) = perf_maps.iterdir()
    assert path.name == f"perf-{os.getpid()}.map"
    sizes = read_symbols(calls).defined
    found = entries(path)
    assert {f"ts::{n}": (a, sizes[n]) for n, a in library.addresses.items()} == {
        n: found[n] for n in ("ts::grow", "ts::ask")
    }


def test_perf_map_has_internal_functions(perf_maps):
    data = compile_text(HIDDEN, TARGET, 0)
    library = Session(TARGET).load(data, place="some file.py:3")
    (path,) = perf_maps.iterdir()
    found = entries(path)
    # A section that exports nothing could lie anywhere.
    assert set(found) == {"ts::f:some_file.py:3", "ts::f:group.1.loop:some_file.py:3"}
    assert found["ts::f:some_file.py:3"][0] == library.address("tsf_f")
    address, size = found["ts::f:group.1.loop:some_file.py:3"]
    assert size > 0
    assert function(address)(7) == 49


def test_perf_map_of_a_forked_child(calls, perf_maps):
    session = Session(TARGET, {"ts_given_v1": callback(1)})
    session.load(calls)
    child = os.fork()
    if child == 0:
        try:
            session.load(compile_text(HIDDEN, TARGET, 0))
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    own, theirs = entries(perf_maps / f"perf-{os.getpid()}.map"), entries(perf_maps / f"perf-{child}.map")
    assert set(theirs) - set(own) == {"ts::f", "ts::f:group.1.loop"}
    assert own.items() <= theirs.items()


def test_perf_maps_do_not_grow_for_ever(calls, perf_maps, monkeypatch):
    import tscript.backend.loader.session as module

    monkeypatch.setattr(module, "MOST_DEAD", 5)
    session = Session(TARGET, {"ts_given_v1": callback(1)})
    kept = session.load(calls, lasting=False)
    (path,) = perf_maps.iterdir()
    with path.open("a", encoding="utf-8") as stream:
        stream.write("1234 10 py::somebody_else\n")
    data = compile_text(f"{HIDDEN}\n@{LOADED} = global {{ i64, i64, ptr }} {{ i64 1, i64 0, ptr null }}\n", TARGET, 0)
    for n in range(40):
        session.load(data, ["tsf_f"], place=f"file.py:{n}", lasting=False).close()
    session.load(data, place="file.py:last", lasting=False)
    found = entries(path)
    assert len(found) <= 4 + 2 * 8
    assert {"ts::grow", "ts::ask", "py::somebody_else", "ts::f:file.py:last"} <= set(found)
    assert found["ts::grow"][0] == kept.address("grow")


def test_a_perf_map_that_cannot_be_written_is_left_out(calls, perf_maps, tmp_path):
    victim = tmp_path / "victim"
    victim.write_text("mine")
    (perf_maps / f"perf-{os.getpid()}.map").symlink_to(victim)
    Session(TARGET, {"ts_given_v1": callback(1)}).load(calls)
    assert victim.read_text() == "mine"


@pytest.mark.parametrize(
    ("symbol", "exports", "place", "name"),
    [
        ("tsf_smooth", ["tsf_smooth"], "model.py:8", "ts::smooth:model.py:8"),
        ("group.2.loop", ["tsf_smooth"], "model.py:8", "ts::smooth:group.2.loop:model.py:8"),
        ("ts_sum_all$f32$f32_v1", ["ts_sum_all$f32$f32_v1"], "", "ts::sum_all<f32,f32>"),
        ("lay_out", ["ts_copy_raw_v1"], "", "ts::copy_raw:lay_out"),
        ("inner", ["one", "two"], "", "ts::inner"),
        ("tsf_smooth.frame.0", ["tsf_smooth"], "model.py:8", "ts::smooth:model.py:8"),
        ("tsg_other.frame.12", ["tsf_smooth"], "", "ts::smooth:other"),
        ("f<locals>\ng", [], "", "ts::f<locals>_g"),
    ],
)
def test_names_in_the_perf_map(symbol, exports, place, name):
    assert readable(symbol, exports, place) == name


def test_frame_pointers_stay():
    """Profilers walk the stack by them: every function of a module asks for one, and gets it."""
    text = f"""
declare i64 @ts_given_v1(i64)
define internal i64 @inner(i64 %x) noinline #0 {{
  %y = call i64 @ts_given_v1(i64 %x)
  %z = add i64 %y, 1
  ret i64 %z
}}
define i64 @outer(i64 %x) #0 {{
  %y = call i64 @inner(i64 %x)
  %z = add i64 %y, 1
  ret i64 %z
}}
attributes #0 = {{ {TARGET.attributes} }}
"""
    listing = assembly(text, Target("x86_64-unknown-linux-gnu"), 2)
    assert listing.count("movq\t%rsp, %rbp") == 2
