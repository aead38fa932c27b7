"""Where Python and native code meet: calls that do not fit, tracebacks, threads, Ctrl-C, fork, the object cache."""

from __future__ import annotations

import gc
import os
import re
import signal
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tscript
from tscript import Tensor
from tscript.runtime.session.process import current

ROOT = Path(__file__).resolve().parents[2]


def _scripted(integration: Any, source: str) -> Any:
    return tscript.script(integration.function_of(source))


def _program(tmp_path: Path, source: str, **environment: str) -> subprocess.Popen[str]:
    """A fresh process that runs a file."""
    file = tmp_path / "program.py"
    file.write_text(source)
    path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    return subprocess.Popen(
        [sys.executable, str(file)],
        env={**os.environ, "PYTHONPATH": path, **environment},
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def _output(tmp_path: Path, source: str, **environment: str) -> str:
    process = _program(tmp_path, source, **environment)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    return out.strip()


# Calls


SIGNATURE = "def f(x: Tensor, n: int, s: float = 1.5, *, flag: bool = False):\n    return x * n + s\n"


@pytest.mark.parametrize(
    ("args", "kwargs", "message"),
    [
        ((), {}, "f() missing 2 required positional arguments: 'x' and 'n'"),
        ((1, 2, 3, 4), {}, "f() takes 2 to 3 positional arguments but 4 were given"),
        (("x", 1), {}, "f() argument 'x' must be Tensor, not str"),
        (("t", "a"), {}, "f() argument 'n' must be int, not str"),
        (("t", 1.5), {}, "f() argument 'n' must be int, not float"),
        (("t", None), {}, "f() argument 'n' must be int, not NoneType"),
        (("t", 1), {"m": 3}, "f() got an unexpected keyword argument 'm'"),
        (("t", 1), {"n": 3}, "f() got multiple values for argument 'n'"),
        (("t", 1), {"flag": 3}, "f() argument 'flag' must be bool, not int"),
        (("t", 1, [1.0]), {}, "f() argument 's' must be float, not list"),
    ],
)
def test_calls_that_do_not_fit(
    integration: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any], message: str
) -> None:
    f = _scripted(integration, SIGNATURE)
    given = [tscript.tensor([1.0, 2.0]) if a == "t" else a for a in args]
    for _ in range(2):
        with pytest.raises(TypeError) as caught:
            f(*given, **kwargs)
        assert message in str(caught.value)


def test_numpy_numbers_are_no_tensors(integration: Any) -> None:
    with pytest.raises(TypeError, match=r"not float64: write tscript.tensor\(np.float64\(1.0\)\)"):
        _scripted(integration, SIGNATURE)(np.float64(1.0), 1)


def test_tensors_of_another_library_are_named(integration: Any) -> None:
    foreign = type("Tensor", (), {"__module__": "torch", "__dlpack__": None})()
    with pytest.raises(TypeError, match=r"must be Tensor, not torch\.Tensor: wrap it with tscript\.from_dlpack"):
        _scripted(integration, SIGNATURE)(foreign, 1)


def test_numbers_from_0d_tensors_and_numpy(integration: Any) -> None:
    f = _scripted(integration, "def f(n: int, s: float) -> float:\n    return n * s\n")
    assert f(tscript.tensor(3), tscript.tensor(0.5)) == 1.5
    assert f(np.int32(3), np.float32(0.5)) == 1.5
    assert f(tscript.tensor(3.0), 1) == 3.0
    with pytest.raises(TypeError, match=r"3\.5"):
        f(tscript.tensor(3.5), 1)
    with pytest.raises(TypeError):
        f(tscript.tensor([3]), 1)
    assert f(1, tscript.tensor(2**53)) == 2.0**53
    with pytest.raises(TypeError, match="9007199254740993 is not exactly a float"):
        f(1, tscript.tensor(2**53 + 1))


def test_positional_only_parameters(integration: Any) -> None:
    f = _scripted(integration, "def f(a: int, /, b: int = 2, *, c: int = 3) -> int:\n    return a * 100 + b * 10 + c\n")
    g = _scripted(integration, "def f(a: int, b: int, /) -> int:\n    return a * 10 + b\n")
    for _ in range(2):
        assert (f(1), f(1, b=4), f(1, c=5), g(1, 2)) == (123, 143, 125, 12)
        with pytest.raises(TypeError, match="positional-only arguments passed as keyword arguments: 'a'"):
            f(a=1)
        with pytest.raises(TypeError, match="positional-only arguments passed as keyword arguments: 'a', 'b'"):
            g(b=1, a=2)
        with pytest.raises(TypeError, match=r"missing 1 required positional argument: 'b'"):
            g(1)
    assert "(%a: int, /, %b: int = 2, *, %c: int = 3)" in str(f.graph)
    assert "(%a: int, %b: int, /)" in str(g.graph)


def test_what_is_missing_is_named_by_kind(integration: Any) -> None:
    f = _scripted(integration, "def f(a: int, *, b: int) -> int:\n    return a + b\n")
    with pytest.raises(TypeError, match=r"f\(\) missing 1 required positional argument: 'a'"):
        f()
    with pytest.raises(TypeError, match=r"f\(\) missing 1 required keyword-only argument: 'b'"):
        f(1)


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: tscript.ones(2, dtype=tscript.int64).add_(0.5), RuntimeError),
        (lambda: -tscript.tensor([True]), RuntimeError),
        (lambda: tscript.ones(2, 2).sum(5), IndexError),
        (lambda: tscript.ones(2).exp(1), TypeError),
        (lambda: tscript.tensor([True]) ** tscript.tensor([True]), NotImplementedError),
    ],
)
def test_an_eager_operator_raises_one_natural_class(call: Any, error: type[Exception]) -> None:
    with pytest.raises(error) as caught:
        call()
    assert caught.type is error


def test_a_type_is_no_dtype() -> None:
    with pytest.raises(TypeError, match=r"zeros\(\) does not take the type float: a dtype is one of ours"):
        tscript.zeros(2, dtype=float)


def test_a_literal_beyond_64_bits() -> None:
    for number in (2**63, 2**70, -(2**64)):
        for data in (number, [1, number], [[number]]):
            with pytest.raises(OverflowError, match="does not fit into 64 bits"):
                tscript.tensor(data)
    assert tscript.tensor([1.0, 2**63]).dtype == tscript.float32
    assert tscript.tensor([-(2**63), 2**63 - 1]).tolist() == [-(2**63), 2**63 - 1]


def test_tensors_as_indices() -> None:
    x = tscript.tensor([[1, 2], [3, 4]])
    assert x[tscript.tensor(1)].tolist() == [3, 4]
    assert x[0, tscript.tensor(-1)].item() == 2
    assert [5, 6, 7][tscript.tensor([2])] == 7
    assert x[x > 2].tolist() == [3, 4]
    assert x[tscript.tensor([0, 1])].tolist() == [[1, 2], [3, 4]]
    assert x[tscript.tensor(True)].shape == (1, 2, 2)
    for wrong in (tscript.tensor(1.0), x):
        with pytest.raises(TypeError, match="only integer tensors of a single element"):
            [5, 6][wrong]


def test_an_int_beyond_64_bits(integration: Any) -> None:
    f = _scripted(integration, "def f(n: int) -> int:\n    return n\n")
    assert f(2**63 - 1) == 2**63 - 1
    assert f(-(2**63)) == -(2**63)
    for n in (2**63, 2**70, -(2**63) - 1):
        with pytest.raises(OverflowError):
            f(n)


def test_many_signatures_of_one_function(harness: Any, integration: Any) -> None:
    f = _scripted(integration, "def f(x, y):\n    return x + y\n")
    dtypes = ("float32", "float64", "int64", "bool")
    for _ in range(2):
        for a in dtypes:
            for b in dtypes:
                x, y = np.ones((2, 2), a), np.ones((2,), b)
                found = f(tscript.from_numpy(x), tscript.from_numpy(y)).numpy()
                expected = (tscript.from_numpy(x) + tscript.from_numpy(y)).numpy()
                assert not integration.difference(expected, found, 0)


# Tracebacks


def test_tracebacks_name_the_scripted_lines(integration: Any) -> None:
    source = """
def inner(x, i: int):
    y = x * 2
    return y[i]

def outer(x, i: int):
    z = x + 1

    return inner(z, i) + 1
"""
    f = _scripted(integration, source)
    x = tscript.tensor([1.0, 2.0])
    for _ in range(2):
        with pytest.raises(IndexError) as caught:
            f(x, 5)
        frames = traceback.extract_tb(caught.value.__traceback__)
        scripted = [(frame.name, frame.lineno) for frame in frames if frame.filename.startswith("<integration")]
        assert scripted == [("outer", 9), ("inner", 4)]
        assert "return y[i]" in "".join(traceback.format_exception(caught.value))


# Threads, signals, processes


def test_threads_call_one_function(harness: Any, integration: Any) -> None:
    f = _scripted(
        integration,
        "def f(x, n: int):\n    for i in range(n):\n        x = x * 0.5 + x.sum(0) * 0.001\n    return x\n",
    )
    x = tscript.from_numpy(np.arange(600, dtype=np.float32).reshape(20, 30))
    expected = f(x, 50).numpy().tobytes()
    g = _scripted(integration, "def f(x, n: int):\n    return x @ x.t() * n\n")
    found: list[bytes] = []
    errors: list[BaseException] = []

    def work() -> None:
        try:
            for i in range(20):
                found.append(f(x, 50).numpy().tobytes())
                g(x, i)
                try:
                    x + tscript.zeros(7)
                except RuntimeError:
                    pass
        except BaseException as error:  # noqa: BLE001 - whatever it is, the test shows it
            errors.append(error)

    gc.collect()  # tensors that tracebacks of earlier tests hold
    before = harness.runtime.live_blocks()
    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    assert set(found) == {expected}
    assert harness.runtime.live_blocks() == before


def test_threads_make_the_runtime_at_the_same_time(tmp_path: Path) -> None:
    source = """
import threading
results, barrier = [], threading.Barrier(4)
import tscript
from tscript import Tensor
def work():
    barrier.wait()
    x = tscript.tensor([1.0, 2.0])
    results.append((isinstance(x + 1, tscript.Tensor), (x + 1).tolist()))
threads = [threading.Thread(target=work) for _ in range(4)]
[t.start() for t in threads]; [t.join() for t in threads]
print(results == [(True, [2.0, 3.0])] * 4)
"""
    assert _output(tmp_path, source) == "True"


@pytest.mark.parametrize(
    "body",
    [
        "    i = 0\n    while True:\n        i += 1\n        if i < 0:\n            break\n    return i\n",
        "    s = 0\n    for i in range(10 ** 18):\n        s ^= i * n\n    return s\n",
        "    x = torch.zeros(4)\n    while n > 0:\n        x = x + 1\n    return int(x.sum())\n",
    ],
    ids=["while", "for", "tensors"],
)
def test_interrupt(tmp_path: Path, body: str) -> None:
    source = f"""
import tscript as torch
@torch.script
def f(n: int) -> int:
{body}
f.compile_for("int")
torch.zeros(4) + 1
print("ready", flush=True)
try:
    f(5)
except KeyboardInterrupt:
    print("interrupted")
print((torch.ones(2) + 1).tolist())
"""
    process = _program(tmp_path, source)
    assert process.stdout is not None
    assert process.stdout.readline().strip() == "ready", process.communicate()[1]
    timer = threading.Timer(0.2, process.send_signal, [signal.SIGINT])
    timer.start()
    try:
        out, err = process.communicate(timeout=30)
    finally:
        process.kill()
    assert out.split("\n")[:2] == ["interrupted", "[2.0, 2.0]"], err


def test_other_threads_run_during_a_loop(integration: Any) -> None:
    f = _scripted(
        integration,
        "def f(n: int) -> int:\n    s = 0\n    for i in range(n):\n        s ^= i * 3 + s\n"
        "        s &= 0xFFFF\n    return s\n",
    )
    f(3)
    started = threading.Event()

    def work() -> None:
        started.set()
        f(150_000_000)

    thread = threading.Thread(target=work)
    thread.start()
    started.wait()
    ticks = 0
    while thread.is_alive() and ticks < 3:
        thread.join(0.001)
        ticks += 1
    assert ticks >= 3
    thread.join()


def test_a_fork_works_on(tmp_path: Path) -> None:
    source = """
import os, warnings, tscript
warnings.simplefilter("ignore")
@tscript.script
def f(x, n: int):
    return x * n + x.sum()
x = tscript.tensor([1.0, 2.0])
f(x, 2)
pid = os.fork()
if pid == 0:
    @tscript.script
    def g(x):
        return f(x, 3) - 1
    good = f(x, 2).tolist() == [5.0, 7.0] and g(x).tolist() == [5.0, 8.0]
    good = good and (x.to(tscript.int64) // 2).tolist() == [0, 1]
    os._exit(0 if good else 1)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), f(x, 2).tolist())
"""
    assert _output(tmp_path, source) == "0 [5.0, 7.0]"


# The object cache


CACHED = """
import tscript
from tscript import Tensor
@tscript.script
def f(x, n: int):
    return tscript.exp(x * 0.0) * n
print(f(tscript.tensor([1.0, 2.0]), 3).tolist())
"""


def _entries(folder: Path) -> dict[Path, bytes]:
    return {p: p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_the_cache_across_processes(tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    assert _output(tmp_path, CACHED, TSCRIPT_CACHE_DIR=str(folder)) == "[3.0, 3.0]"
    first = _entries(folder)
    assert first
    assert _output(tmp_path, CACHED, TSCRIPT_CACHE_DIR=str(folder)) == "[3.0, 3.0]"
    assert _entries(folder).keys() == first.keys()
    # Damaged in every way: cut short, emptied, altered.
    for number, (path, data) in enumerate(first.items()):
        wrong = (data[: len(data) // 2], b"", bytes(255 - b for b in data), data[:-8] + b"\0" * 8)[number % 4]
        path.write_bytes(wrong)
    assert _output(tmp_path, CACHED, TSCRIPT_CACHE_DIR=str(folder)) == "[3.0, 3.0]"
    assert _output(tmp_path, CACHED, TSCRIPT_CACHE_DIR=str(folder)) == "[3.0, 3.0]"


@pytest.mark.slow
def test_no_cache(tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    assert _output(tmp_path, CACHED, TSCRIPT_CACHE_DIR=str(folder), TSCRIPT_CACHE="off") == "[3.0, 3.0]"
    assert not folder.exists()


def test_a_cache_that_cannot_be_written(tmp_path: Path) -> None:
    occupied = tmp_path / "file"
    occupied.write_text("")
    assert _output(tmp_path, CACHED, TSCRIPT_CACHE_DIR=str(occupied / "cache")) == "[3.0, 3.0]"


# Memory


def test_nothing_stays_allocated(harness: Any, integration: Any) -> None:
    f = _scripted(
        integration,
        "def f(x, n: int):\n    y = x\n    for i in range(n):\n        y = torch.cat([y, x[:1] + i]) * 2\n"
        "        if i == 3:\n            return y[1:], x\n    return y, y.t()\n",
    )
    for n in (0, 2, 9):
        harness.native(f, (np.ones((2, 3), np.float32), n), {}, repeat=3)


def test_results_outlive_what_they_came_from(harness: Any, integration: Any) -> None:
    before = harness.runtime.live_blocks()
    f = _scripted(integration, "def f(x):\n    y = x * 2\n    return y[1:], x[0]\n")
    x = tscript.from_numpy(np.arange(6, dtype=np.float32).reshape(3, 2))
    a, b = f(x)
    array = a.numpy()
    del x, a
    assert array.tolist() == [[4.0, 6.0], [8.0, 10.0]]
    assert b.tolist() == [0.0, 1.0]
    del array, b
    assert harness.runtime.live_blocks() == before


@tscript.script
def tensor_in(x: Tensor) -> Tensor:
    return x


@tscript.script
def floats_in(xs: list[float]) -> int:
    return len(xs)


floats: Any = floats_in


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: tensor_in([1.0, 2.0]), "not list: make one of it with tscript.tensor"),
        (lambda: tensor_in(1.5), "not float: write tscript.tensor(1.5)"),
        (lambda: tensor_in(np.zeros(2, "U1")), "not ndarray: a tensor cannot hold NumPy's <U1: pass numbers"),
        (lambda: tensor_in("a"), "not str$"),
        (lambda: floats(np.zeros(2)), "not ndarray: give x.tolist()"),
        (lambda: floats(tscript.ones(2)), "not Tensor: give x.tolist()"),
        (lambda: floats({1.0}), "not set$"),
        (lambda: floats("ab"), "not str$"),
    ],
)
def test_refused_arguments_say_how_they_are_made_of_what_was_given(call: Callable[[], object], said: str) -> None:
    with pytest.raises(TypeError, match=said if said.endswith("$") else re.escape(said)):
        call()


@tscript.script
def appended(xs: list[int]) -> list[int]:
    xs.append(9)
    return xs


@tscript.script
def either(x: int | list[int]) -> int:
    return x if isinstance(x, int) else len(x)


@tscript.script
def rows_in(rows: list[list[int]], more: list[float] | None = None) -> int:
    rows[0].append(5)
    return len(rows) + (0 if more is None else len(more))


def test_a_tuple_for_a_list_is_a_list_of_its_own() -> None:
    sizes: Any = (1, 2)
    changed: Any = appended
    assert changed([0]) == [0, 9]
    before = current().live_blocks()
    assert changed(sizes) == changed([1, 2]) == changed(sizes) == [1, 2, 9]
    assert sizes == (1, 2)
    assert changed(()) == [9]
    assert current().live_blocks() == before
    assert changed(tscript.ones(2, 3).shape) == [2, 3, 9]


def test_tuples_in_unions_optionals_and_lists() -> None:
    first: list[int] = [1]
    rows: Any = rows_in
    choice: Any = either
    assert rows((first, (2,)), (1.0, 2)) == 4
    assert first == [1, 5]
    assert rows([(1,)]) == 1
    assert (choice((1, 2)), choice([1]), choice(7)) == (2, 1, 7)


def test_an_element_of_a_tuple_for_a_list_is_named() -> None:
    bad: Any = (1, "a")
    with pytest.raises(TypeError, match="element 1 must be int, not str"):
        appended(bad)


@tscript.script
def device_in(device: tscript.device, other: tscript.device | None = None) -> str:
    return str(device)


@tscript.script
def named_or_device(device: tscript.device | str) -> bool:
    return isinstance(device, str)


def test_the_name_of_a_device_is_one_where_a_device_is_declared() -> None:
    given: Any = device_in
    assert [given("cpu"), given("cuda:1", "cpu"), given(tscript.device("cpu"))] == ["cpu", "cuda:1", "cpu"]
    assert named_or_device("cpu") and not named_or_device(tscript.device("cpu"))
    with pytest.raises(TypeError, match="must be Device, not str"):
        given("nowhere")
