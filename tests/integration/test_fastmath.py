"""``@script(fastmath=True)``: sums of floats in any order, in the function that asks for it and in no other."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,attr-defined"

from __future__ import annotations

import math
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

import tscript

X = np.random.default_rng(3).random(1003)


def total(a):
    s = 0.0
    for i in range(len(a)):
        s += a[i]
    return s


def in_order(a: Any) -> float:
    return float(total(a.tolist()))


FAST: Any = tscript.script(fastmath=True)(total)
EXACT: Any = tscript.script(total)


def test_results_are_close_and_those_without_are_exact() -> None:
    assert EXACT(X) == in_order(X)
    assert math.isclose(FAST(X), in_order(X), rel_tol=1e-12)


def test_flags_are_those_of_the_function() -> None:
    assert "fadd reassoc nsz arcp contract afn double" in FAST.llvm_for(X)
    assert "reassoc" not in EXACT.llvm_for(X)
    assert "fastmath {" in str(FAST.graph_for(X))
    assert "fastmath" not in str(EXACT.graph_for(X))


def test_loops_are_vectorised() -> None:
    def packed(function: Any) -> bool:
        return any("addpd" in line or "fadd\tv" in line for line in function.asm_for(X).splitlines())

    assert packed(FAST)
    assert not packed(EXACT)


def test_nan_and_infinity_keep_their_meaning() -> None:
    @tscript.script(fastmath=True)
    def checked(a):
        s = 0.0
        for i in range(len(a)):
            s += a[i]
        if s != s:
            return "nan"
        return "infinite" if s > 1e300 else "finite"

    assert checked(np.array([1.0, math.nan])) == "nan"
    assert checked(np.array([math.inf, -math.inf])) == "nan"
    assert checked(np.array([math.inf, 1.0])) == "infinite"


def test_called_functions_keep_their_own_rule() -> None:
    @tscript.script
    def exact_in_fast(a):
        return FAST(a), EXACT(a), total(a)

    @tscript.script(fastmath=True)
    def fast(a):
        s = 1.0
        for i in range(len(a)):
            s += a[i]
        return EXACT(a), total(a), s - s

    assert exact_in_fast(X)[1:] == (in_order(X), in_order(X))
    assert exact_in_fast(X)[0] == FAST(X)
    assert fast(X) == (in_order(X), in_order(X), 0.0)


def test_functions_inside_of_it_follow_it() -> None:
    @tscript.script(fastmath=True)
    def outer(a):
        def inner(b):
            s = 0.0
            for i in range(len(b)):
                s += b[i]
            return s

        return inner(a)

    assert "reassoc" in outer.llvm_for(X)
    assert math.isclose(outer(X), in_order(X), rel_tol=1e-12)


def test_it_is_pickled() -> None:
    @tscript.script(fastmath=True)
    def local(a):
        s = 0.0
        for i in range(len(a)):
            s += a[i]
        return s

    test = "print('reassoc' in f.llvm_for(np.ones(3)))"
    code = f"import pickle, numpy as np; f = pickle.loads({pickle.dumps(local)!r}); {test}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "True\n", done.stderr
    assert pickle.loads(pickle.dumps(local))(X) == local(X)


def test_archives_keep_it(tmp_path: Path) -> None:
    signature = ("ndarray[float64, 1]",)
    tscript.save({"fast": FAST, "exact": EXACT}, tmp_path / "a.tsa", signatures=[(None, signature)])
    module = tscript.load(tmp_path / "a.tsa")
    assert module.fast(X) == FAST(X)
    assert module.exact(X) == in_order(X)
    assert "reassoc" in module.fast.llvm_for(X)


def test_files_that_are_read_have_it(tmp_path: Path) -> None:
    file = tmp_path / "sums.py"
    file.write_text(
        "import tscript\n"
        "@tscript.script(fastmath=True)\n"
        "def total(a: list[float]) -> float:\n"
        "    s = 0.0\n"
        "    for x in a:\n"
        "        s += x\n"
        "    return s\n"
    )
    tool = [sys.executable, "-m", "tscript", "ir", str(file), "--stage", "llvm"]
    done = subprocess.run(tool, capture_output=True, text=True)
    assert "reassoc" in done.stdout, done.stderr
    assert "reassoc" in tscript.script(file.read_text()).total.llvm_for([1.0])


def test_methods_and_vectorized_functions_take_it() -> None:
    class Adder:
        def __init__(self, start: float) -> None:
            self.start = start

        @tscript.script(fastmath=True)
        def total(self, a: list[float]) -> float:
            s = self.start
            for x in a:
                s += x
            return s

    assert math.isclose(Adder(1.0).total(X.tolist()), 1.0 + in_order(X), rel_tol=1e-12)

    @tscript.vectorize(fastmath=True)
    def series(x):
        s = 0.0
        for i in range(8):
            s += x**i
        return s

    np.testing.assert_allclose(series(X), sum(X**i for i in range(8)), rtol=1e-12)
    assert "reassoc" in series.llvm_for(X)
