"""Native callbacks and their header, the statistics of operators, and callbacks in processes that fork and end."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import tscript
from tscript import RecordScope, Tensor
from tscript.abi.dispatch import DispatchKind
from tscript.abi.layout import MAX_ACTIVE, RECORD, RECORD_SITE, TENSOR_STRUCT
from tscript.runtime.session.process import current


@tscript.script
def chain(x: Tensor, n: int) -> Tensor:
    for _ in range(n):
        x = tscript.tanh(x * 2.0) + 1.0
    return x.sum()


@pytest.fixture(autouse=True)
def nothing_registered() -> Iterator[None]:
    assert current().observation.watching.value == 0
    yield
    assert current().observation.watching.value == 0, "a test left its callback registered"


@pytest.fixture
def x() -> Any:
    """A tensor; the operators that tests watch are compiled already."""
    made = tscript.tensor([1.0, 2.0, 3.0, 4.0])
    made + 1.0
    made * 3.0
    made + 2
    return made


def in_thread(function: Callable[[], object]) -> None:
    errors: list[BaseException] = []

    def run() -> None:
        try:
            function()
        except BaseException as error:  # noqa: BLE001
            errors.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join(60)
    assert not thread.is_alive()
    if errors:
        raise errors[0]


# -- native callbacks
# ---------------------------------------------------------------------------------------------------

ENTER = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
EXIT = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)


def test_native_callbacks_get_records_as_the_layout_says(x: Any) -> None:
    found: list[Any] = []

    @ENTER  # type: ignore[untyped-decorator]
    def enter(address: int, data: int) -> int:
        view = RECORD.ctype.from_address(address)
        site = RECORD_SITE.ctype.from_address(view.site)
        kinds = list((ctypes.c_uint8 * view.num_cells).from_address(view.kinds))
        cells = list((ctypes.c_int64 * view.num_cells).from_address(view.inputs))
        found.append((ctypes.string_at(site.name).decode(), kinds, cells, data))
        return 77

    @EXIT  # type: ignore[untyped-decorator]
    def leave(address: int, context: int, data: int) -> None:
        view = RECORD.ctype.from_address(address)
        impl = TENSOR_STRUCT.ctype.from_address((ctypes.c_int64 * 1).from_address(view.outputs)[0])
        found.append((context, impl.numel, view.failed))

    handle = tscript.add_native_callback(
        ctypes.cast(enter, ctypes.c_void_p).value,
        leave,  # a function pointer will do, too
        ctypes.c_void_p(1234),
        needs_inputs=True,
        needs_outputs=True,
        scopes=["OPERATOR"],
    )
    chain(x, 1)
    x + 2
    handle.remove()
    assert found[0][0] == "fused_mul_tanh_add" and found[0][1] == [DispatchKind.TENSOR] and found[0][3] == 1234
    assert found[1] == (77, 4, 0)
    assert found[4][1] == [DispatchKind.TENSOR, DispatchKind.INT] and found[4][2][1] == 2


@pytest.mark.parametrize(
    ("args", "error"),
    [
        ((None, None), ValueError),
        ((0, 0), ValueError),
        ((ctypes.c_void_p(),), ValueError),
        (("x",), TypeError),
        ((print,), TypeError),
        ((True,), TypeError),
        ((-1,), ValueError),
        ((1, 1, "x"), TypeError),
        ((1, 1, -1), ValueError),
    ],
)
def test_bad_addresses(args: tuple[Any, ...], error: type[Exception]) -> None:
    with pytest.raises(error):
        tscript.add_native_callback(*args)


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs a C compiler")
def test_the_header_describes_the_layout(tmp_path: Path, x: Any) -> None:
    offsets = {f"ts_record, {f.name}": RECORD.offsets[f.name] for f in RECORD.fields[:11]}
    offsets |= {f"ts_site, {f.name}": RECORD_SITE.offsets[f.name] for f in RECORD_SITE.fields[:10]}
    offsets |= {f"ts_tensor, {f.name}": TENSOR_STRUCT.offsets[f.name] for f in TENSOR_STRUCT.fields}
    offsets["ts_tensor, sizes_and_strides"] = TENSOR_STRUCT.size
    checks = [f'_Static_assert(offsetof({field}) == {at}, "{field}");' for field, at in offsets.items()]
    checks += [f'_Static_assert(TS_SCOPE_{s.name} == {int(s)}, "{s.name}");' for s in RecordScope]
    checks += [f'_Static_assert(TS_{k.name} == {int(k)}, "{k.name}");' for k in DispatchKind]
    source = tmp_path / "count.c"
    source.write_text(
        '#include <stddef.h>\n#include <string.h>\n#include "tscript_callbacks.h"\n'
        + "\n".join(checks)
        + """
static long entered, elements;
void *enter(const ts_record *record, void *data) {
    if (!strcmp(record->site->name, data)) { entered++; elements += ((ts_tensor *)record->inputs[0])->numel; }
    return data;
}
void leave(const ts_record *record, void *context, void *data) { if (context != data) entered = -1000; }
long result(int which) { return which ? elements : entered; }
"""
    )
    library = tmp_path / "count.so"
    include = Path(tscript.__file__).parent / "include"
    subprocess.run(["gcc", "-Wall", "-Werror", "-shared", "-fPIC", f"-I{include}", source, "-o", library], check=True)
    code = ctypes.CDLL(str(library))
    name = ctypes.create_string_buffer(b"sum")
    enter, leave = (ctypes.cast(f, ctypes.c_void_p).value for f in (code.enter, code.leave))
    handle = tscript.add_native_callback(enter, leave, ctypes.addressof(name), needs_inputs=True, scopes=["OPERATOR"])
    chain(x, 3)
    handle.remove()
    assert (code.result(0), code.result(1)) == (1, 4)


# -- statistics --------------------------------------------------------------------------------------------------------


def test_operator_stats(x: Any) -> None:
    tscript.reset_operator_stats()
    chain(x, 1)
    tscript.enable_operator_stats(timing_prob=1.0)
    try:
        for _ in range(20):
            chain(x, 3)
        in_thread(lambda: chain(x, 1))
    finally:
        tscript.enable_operator_stats(False)
    chain(x, 1)
    stats = tscript.operator_stats()
    assert {name: s.count for name, s in stats.items()} == {"fused_mul_tanh_add": 61, "sum": 21}
    for s in stats.values():
        assert s.timed == s.count == sum(s.histogram)
        assert 0 < s.max_ns <= s.total_ns and s.estimated_total_ns == pytest.approx(s.total_ns)
    assert tscript.operator_stats(RecordScope.USER) == {}
    tscript.reset_operator_stats()
    assert tscript.operator_stats() == {}


def test_operator_stats_time_a_share_of_the_runs(x: Any) -> None:
    tscript.reset_operator_stats()
    tscript.enable_operator_stats(timing_prob=0.25)
    tscript.enable_operator_stats(timing_prob=0.25)  # again: no second collector
    for _ in range(2000):
        x + 1.0
    tscript.enable_operator_stats(False)
    tscript.enable_operator_stats(False)
    stats = tscript.operator_stats()["add"]
    assert stats.count == 2000 and 400 <= stats.timed <= 600
    tscript.reset_operator_stats()
    with pytest.raises(ValueError, match="between 0 and 1"):
        tscript.enable_operator_stats(timing_prob=2.0)


def test_operator_stats_take_names_of_scopes(x: Any) -> None:
    tscript.reset_operator_stats()
    tscript.enable_operator_stats(timing_prob=1e-300, scopes=["USER"])
    with tscript.record_function("mine"):
        x + 1.0
    tscript.enable_operator_stats(False)
    assert tscript.operator_stats() == {} and tscript.operator_stats("USER")["mine"].count == 1
    tscript.reset_operator_stats()
    with pytest.raises(ValueError, match="unknown scope 'OP'; there are FUNCTION"):
        tscript.enable_operator_stats(scopes=["OP"])
    with pytest.raises(ValueError, match="unknown scope 'OP'"):
        tscript.operator_stats("OP")


# -- processes ---------------------------------------------------------------------------------------------------------


def run_in_process(code: str, timeout: float = 120) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=timeout)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.skipif(not hasattr(sys.modules["os"], "fork"), reason="needs fork")
def test_the_registry_survives_fork_under_load() -> None:
    code = """
import os, threading, sys, warnings
warnings.simplefilter("ignore")
import tscript
x = tscript.tensor([1.0, 2.0])
seen = []
handle = tscript.add_global_callback(lambda r: seen.append(r.name), scopes=["OPERATOR"])
tscript.enable_operator_stats()
stop = False
def work():
    while not stop:
        (x + 1.0).sum()
threads = [threading.Thread(target=work) for _ in range(4)]
for t in threads: t.start()
while len(seen) < 100: pass
for _ in range(5):
    pid = os.fork()
    if pid == 0:
        seen.clear()
        assert handle.seen == 0, handle.seen
        for _ in range(10): x + 1.0
        ok = seen == ["add"] * 10 and handle.seen == handle.sampled == 10
        ok = ok and tscript.operator_stats()["add"].count == 10
        handle.remove()
        x + 1.0
        y = x.exp()  # compiles
        os._exit(0 if ok and len(seen) == 10 else 1)
    _, status = os.waitpid(pid, 0)
    assert os.waitstatus_to_exitcode(status) == 0
stop = True
for t in threads: t.join()
handle.remove()
tscript.enable_operator_stats(False)
print("fine")
"""
    assert run_in_process(code) == "fine\n"


def test_ctrl_c_inside_a_callback_reaches_the_program() -> None:
    code = """
import signal, tscript
x = tscript.tensor([1.0])
def enter(record):
    signal.raise_signal(signal.SIGINT)
handle = tscript.add_global_callback(enter)
try:
    for _ in range(1000):
        x + 1.0
except KeyboardInterrupt:
    handle.remove()
    print("interrupted", handle.faulted)
"""
    assert run_in_process(code) == "interrupted 0\n"


def test_exit_with_everything_registered() -> None:
    code = """
import threading, tscript, atexit
x = tscript.tensor([1.0])
tscript.enable_operator_stats()
tscript.add_global_callback(lambda r: None, lambda r, c: None)
tscript.add_thread_local_callback(lambda r: None)
def forever():
    while True: x + 1.0
threading.Thread(target=forever, daemon=True).start()
atexit.register(lambda: x + 1.0)
tscript.record_function("open").__enter__()
x + 1.0
print("fine")
"""
    assert run_in_process(code) == "fine\n"


def test_no_source_of_the_compiler_is_named_as_a_place(x: Any) -> None:
    @tscript.script
    def soft(a: Tensor) -> Tensor:
        return tscript.softmax(a, 0)

    places = set()
    handle = tscript.add_global_callback(lambda r: places.add((Path(r.file).name, r.function)), scopes=["OPERATOR"])
    soft(x)
    handle.remove()
    assert places == {(Path(__file__).name, "soft")}


def test_statistics_are_timed_again_after_they_were_not(x: Any) -> None:
    try:
        tscript.enable_operator_stats(timing_prob=0.0)
        _ = x + 1.0
        tscript.enable_operator_stats(timing_prob=1.0)
        _ = x + 1.0
        found = tscript.operator_stats()["add"]
        assert (found.count, found.timed) == (2, 1)
    finally:
        tscript.enable_operator_stats(False)
        tscript.reset_operator_stats()


def test_too_many_callbacks(x: Any) -> None:
    handles = [tscript.add_global_callback(lambda r: None) for _ in range(MAX_ACTIVE)]
    with pytest.raises(tscript.CallbackError, match="at most 16"):
        tscript.add_global_callback(lambda r: None)
    x + 1.0
    assert [h.sampled for h in handles] == [1] * MAX_ACTIVE
    for h in handles:
        h.remove()
