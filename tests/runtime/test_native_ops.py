"""Custom operators that are C functions: the convention of ``tscript_ops.h``, and what is not trusted."""

from __future__ import annotations

# mypy: disable-error-code="attr-defined,no-any-return,arg-type,untyped-decorator"
import builtins
import ctypes
import gc
import itertools
import shutil
import subprocess
import threading
import traceback
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tscript
from tscript import library
from tscript.ir.interpreter import interpret
from tscript.runtime.session.process import current
from tscript.types import TensorType

NUMBERS = itertools.count()
ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture
def lib() -> library.Library:
    """A namespace of the test's own."""
    return library.Library(f"native{next(NUMBERS)}", install="pip install test-ops")


@pytest.fixture
def x() -> Any:
    return tscript.tensor([[1.0, 2.0], [3.0, 4.0]])


def values(t: Any) -> Any:
    return t.numpy().tolist()


@pytest.fixture(scope="session")
def c(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    """The library of tests/data/custom_ops.c."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        pytest.skip("there is no C compiler")
    out = tmp_path_factory.mktemp("c") / "custom_ops.so"
    source = ROOT / "data" / "custom_ops.c"
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", f"-I{library.get_include()}", "-o", out, source], check=True)
    return ctypes.CDLL(str(out))


def test_a_c_function_eagerly_and_in_scripts(lib: library.Library, c: ctypes.CDLL, x: Any) -> None:
    scale = lib.native_op("scale", "(Tensor x, float by) -> Tensor", c.scale, result_like="x")
    assert values(scale(x, 2.0)) == [[2, 4], [6, 8]]
    assert values(scale(x.t(), 2)) == [[2, 6], [4, 8]]
    assert scale(x[:0], 2.0).shape == (0, 2)

    @tscript.script
    def f(x, n: int):
        for i in range(n):
            x = scale(x, 0.5) + 1.0
        return x

    expected = x.numpy()
    for _ in range(5):
        expected = expected * np.float32(0.5) + 1
    assert values(f(x, 5)) == expected.tolist() == interpret(f.graph, [x.numpy(), 5]).tolist()
    assert "ts_op$" in f.llvm_for(x, 5)


def test_c_arguments_and_results(lib: library.Library, c: ctypes.CDLL, x: Any) -> None:
    several = lib.native_op("several", "(Tensor x, bool flag, int? k=None) -> (Tensor, float, bool)", c.several)
    first = several(x, True)
    assert values(first[0]) == [0] and first[1:] == (0.5, False)
    second = several(x, False, 3)
    assert values(second[0]) == [0, 1, 2] and second[1:] == (0.5, True)
    every = lib.native_op(
        "every",
        "(Tensor[] ts, int[] ks, float[] fs, Tensor? maybe, dtype d, str text, float? opt=None) -> float",
        c.every,
    )
    assert every([x, x], [1, 2], (0.5,), None, tscript.int8, "A") == 8 + 30 + 0.5 + 1000 + 65
    assert every([], [], (), x, tscript.uint8, "", 0.25) == 100.25

    @tscript.script
    def f(x):
        return every((x, x), x.shape, (0.5, 1.5), None, tscript.uint8, "")

    assert f(x) == 8 + 40 + 2


def test_c_functions_that_write(lib: library.Library, c: ctypes.CDLL, x: Any) -> None:
    add_ = lib.native_op("add_", "(Tensor(a!) x, float by) -> None", c.add_)

    @tscript.script
    def f(x):
        before = x.sum()
        add_(x, 1.0)
        return before, x.sum()

    assert [float(v) for v in f(x)] == [10, 14]
    assert add_(x, 1.0) is None


def test_c_functions_do_not_write_to_what_is_read_only(lib: library.Library, c: ctypes.CDLL, x: Any) -> None:
    add_ = lib.native_op("add_", "(Tensor(a!) x, float by) -> None", c.add_)
    array = np.ones((2, 2), np.float32)
    array.flags.writeable = False
    locked = tscript.from_numpy(array)

    @tscript.script
    def f(x: tscript.Tensor, n: int) -> None:
        add_([locked, x][n], 1.0)

    f(x, 1)
    gc.collect()
    before = current().live_blocks()
    with pytest.raises(RuntimeError, match="read-only"):
        f(x, 0)
    with pytest.raises(RuntimeError, match="read-only"):
        add_(tscript.from_numpy(array), 1.0)
    assert current().live_blocks() == before
    assert array.tolist() == [[1, 1], [1, 1]]


def test_c_functions_that_fail(lib: library.Library, c: ctypes.CDLL, x: Any) -> None:
    scale = lib.native_op("scale", "(Tensor x, float by) -> Tensor", c.scale, result_like="x")
    status = lib.native_op("status", "(int n) -> int", c.status)
    raises = lib.native_op("raises", "(str name) -> None", c.raises)
    silent = lib.native_op("silent", "() -> None", c.raises_nothing)
    huge = lib.native_op("huge", "() -> Tensor", c.huge)

    @tscript.script
    def f(x):
        y = x * 2
        return scale(y, 1.0)

    wrong = tscript.tensor([1, 2])
    gc.collect()
    before = current().live_blocks()
    with pytest.raises(TypeError, match="scale takes float32 — only") as caught:
        f(wrong)
    assert traceback.extract_tb(caught.value.__traceback__)[-1].line == "return scale(y, 1.0)"
    del caught
    with pytest.raises(TypeError, match="only"):
        scale(wrong, 1.0)
    assert status(0) == 0
    for n in (1, 7, -5):
        with pytest.raises(RuntimeError, match=f"status failed with status {n} without saying why"):
            status(n)
    with pytest.raises(SystemError, match="without setting an exception"):
        status(2)
    for name in ("ValueError", "OSError", "StopIteration"):
        with pytest.raises(getattr(builtins, name), match="as asked"):
            raises(name)
    for name in ("", "print", "Nonsense", "KeyboardInterrupt", "__name__"):
        with pytest.raises(RuntimeError, match="as asked"):
            raises(name)
    with pytest.raises(RuntimeError):
        silent()
    with pytest.raises(MemoryError):
        huge()
    gc.collect()
    assert current().live_blocks() == before


def test_c_results_that_are_not_trusted(lib: library.Library, c: ctypes.CDLL, x: Any) -> None:
    nothing = lib.native_op("nothing", "(Tensor x) -> Tensor", c.nothing)
    half = lib.native_op("half", "() -> (Tensor, Tensor)", c.half)
    itself = lib.native_op("itself", "(Tensor x) -> Tensor", c.itself)
    wide = lib.native_op("wide", "(Tensor x, float by) -> Tensor", c.scale)
    wide.register_fake(lambda x, by: TensorType(tscript.float64, x.rank))
    gc.collect()
    before = current().live_blocks()
    for call, kind, said in [
        (lambda: nothing(x), RuntimeError, "returned no tensor where one is due"),
        (half, RuntimeError, "returned no tensor where one is due"),
        (lambda: itself(x), RuntimeError, "returned memory of one of its arguments"),
        (lambda: wide(x, 2.0), TypeError, "its rule says Tensor"),
    ]:
        with pytest.raises(kind, match=said):
            call()
    gc.collect()
    assert current().live_blocks() == before


def test_the_gil(lib: library.Library, c: ctypes.CDLL) -> None:
    away = lib.native_op("away", "(int release) -> int", c.holds_gil)
    kept = lib.native_op("kept", "(int release) -> int", c.holds_gil, releases_gil=False, side_effects=True)
    assert (away(0), kept(0), kept(1)) == (0, 1, 0)

    @tscript.script
    def f() -> int:
        return kept(0) * 100 + away(0) * 10 + kept(0)

    assert f() == 100


def test_c_functions_from_many_threads(lib: library.Library, c: ctypes.CDLL, x: Any) -> None:
    scale = lib.native_op("scale", "(Tensor x, float by) -> Tensor", c.scale, result_like="x")
    wrong: list[Any] = []

    def work() -> None:
        for i in range(300):
            if values(scale(x, float(i)))[1][1] != 4.0 * i:
                wrong.append(i)

    gc.collect()
    before = current().live_blocks()
    threads = [threading.Thread(target=work) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert wrong == [] and current().live_blocks() == before


def test_callbacks_of_ctypes(lib: library.Library) -> None:
    """No compiler needed: a callback takes the GIL by itself."""

    @ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p)
    def twice(context: int, api: int, n: int, out: int) -> int:
        ctypes.c_int64.from_address(out).value = 2 * n
        return 0

    op = lib.native_op("twice", "(int n) -> int", twice)
    address = ctypes.cast(twice, ctypes.c_void_p)
    other = lib.native_op("other", "(int n) -> int", address.value)
    third = lib.native_op("third", "(int n) -> int", address)
    assert op(21) == other(21) == third(21) == 42

    @tscript.script
    def f(n: int) -> int:
        return op(n) + other(n)

    del twice
    gc.collect()
    assert f(2) == 8


@pytest.mark.parametrize(
    ("function", "kind", "said"),
    [
        (0, ValueError, "this one is null"),
        (ctypes.c_void_p(), ValueError, "this one is null"),
        (-1, ValueError, "is none"),
        (1 << 64, ValueError, "is none"),
        (None, TypeError, "not a NoneType"),
        (True, TypeError, "not a bool"),
        (1.5, TypeError, "not a float"),
        (print, TypeError, "wrap it with ctypes.CFUNCTYPE"),
    ],
)
def test_pointers_that_are_none(lib: library.Library, function: Any, kind: type[Exception], said: str) -> None:
    with pytest.raises(kind, match=said):
        lib.native_op("f", "(int n) -> int", function)
    assert dir(getattr(tscript.ops, lib.namespace)) == []
