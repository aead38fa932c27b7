"""``@tscript.vectorize``: functions of numbers as ufuncs, in Python and in scripted functions."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,return-value,type-var"

from __future__ import annotations

import copy
import itertools
import math
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tscript
from tscript.diagnostics import CompileError


def straight(x: Any, y: Any) -> Any:
    half = x * 0.5
    return half + y * y


def smaller(x: Any, y: Any) -> Any:
    return x if x < y else y


def counted(x: Any, y: Any) -> Any:
    """How often x can be halved."""
    n = 0
    while x > y and n < 20:
        x = x / 2
        n += 1
    return n


def rooted(x: Any, y: Any) -> Any:
    return math.sqrt(x * x + y * y)


ARRAYS: dict[str, Any] = {
    "row": np.arange(1.0, 7.0),
    "column": np.arange(1.0, 7.0)[:, None],
    "strided": np.arange(12.0)[::2] + 1,
    "reversed": np.arange(6.0)[::-1] + 1,
    "matrix": np.arange(1.0, 37.0).reshape(6, 6),
    "transposed": np.arange(1.0, 37.0).reshape(6, 6).T,
    "deep": np.arange(1.0, 73.0).reshape(2, 6, 6),
    "empty": np.empty((0, 6)),
    "one": np.array([3.0]),
    "no dimensions": np.array(2.0),
    "scalar": np.float64(3.0),
    "number": 2.5,
}
"""Arguments that are broadcast."""


def by_hand(function: Any, x: Any, y: Any) -> Any:
    """A function of each element, called by Python."""
    pairs = np.broadcast(x, y)
    found = [function(a, b) for a, b in pairs]
    return np.array(found).reshape(pairs.shape)


def fit(x: Any, y: Any) -> bool:
    """Whether two shapes are broadcast."""
    try:
        np.broadcast(x, y)
    except ValueError:
        return False
    return True


@pytest.mark.parametrize("function", [straight, smaller, counted, rooted])
def test_is_the_function_of_each_element(function: Any) -> None:
    made = tscript.vectorize(function)
    for x, y in itertools.product(ARRAYS.values(), repeat=2):
        if not fit(x, y):
            continue
        found, wanted = made(x, y), by_hand(function, x, y)
        assert np.shape(found) == wanted.shape
        np.testing.assert_allclose(found, wanted, rtol=1e-14)
        assert wanted.size == 0 or found.dtype == wanted.dtype
        assert isinstance(found, np.ndarray) == (wanted.ndim > 0)


@pytest.mark.parametrize("first", ["bool", "uint8", "int8", "int16", "int32", "int64", "float32", "float64"])
def test_dtypes_are_those_of_numpy(first: str) -> None:
    def sum_of(x: Any, y: Any) -> Any:
        return x + y

    def larger(x: Any, y: Any) -> Any:
        if x > y:
            return x + y
        return y + x

    x = np.array([0, 1, 1, 0]).astype(first)
    for second in ("bool", "uint8", "int8", "int16", "int32", "int64", "float32", "float64"):
        y = np.array([1, 0, 1, 1]).astype(second)
        for function in (sum_of, larger):
            found = tscript.vectorize(function)(x, y)
            np.testing.assert_array_equal(found, x + y)
            assert found.dtype == (x + y).dtype
    for number in (2, 2.5):
        found = tscript.vectorize(sum_of)(x, number)
        np.testing.assert_array_equal(found, x + number)
        assert found.dtype == (x + number).dtype


@tscript.vectorize
def clamped(x, low, high):
    """Within bounds."""
    if x < low:
        return low
    return high if x > high else x


def test_numbers_give_numpy_scalars() -> None:
    found = clamped(3, 5, 7)
    assert isinstance(found, np.int64)
    assert found == 5
    assert isinstance(clamped(np.float32(3), np.float32(1), np.float32(2)), np.float32)


def test_lists_are_arrays() -> None:
    assert clamped([1.0, 9.0], 2.0, [3.0, 4.0]).tolist() == [2.0, 4.0]


def test_tensors_give_tensors() -> None:
    found = clamped(tscript.tensor([1.0, 9.0]), 2.0, tscript.tensor([3.0, 4.0]))
    assert isinstance(found, tscript.Tensor)
    assert found.tolist() == [2.0, 4.0]
    out = tscript.tensor([0.0, 0.0])
    assert clamped(tscript.tensor([1.0, 9.0]), 2.0, 3.0, out=out) is out
    assert out.tolist() == [2.0, 3.0]


def test_attributes_are_those_of_a_ufunc() -> None:
    assert (clamped.nin, clamped.nout, clamped.nargs) == (3, 1, 4)
    assert clamped.__name__ == "clamped"
    assert clamped.__doc__ == "Within bounds."
    assert clamped.__wrapped__(1, 2, 3) == 2
    assert repr(clamped) == "<tscript.vectorize clamped>"


def test_types_are_those_declared_and_those_of_calls() -> None:
    @tscript.vectorize(["float64(float64, float64)", "int32(int32, int32)"])
    def declared(x, y):
        return x + y

    @tscript.vectorize
    def larger(x, y):
        return x if x > y else y

    assert declared.types == ["dd->d", "ii->i"]
    assert (declared.identity, declared.signature) == (None, None)
    assert larger.types == []
    larger(np.ones(3), 2.0)
    larger(np.ones((3, 2)), np.float64(2.0))
    larger(np.arange(3), np.arange(3))
    larger(np.ones(2, dtype=np.float32), np.arange(2, dtype=np.int8))
    larger(True, False)
    assert larger.types == ["dd->d", "ll->l", "fb->f", "??->?"]


def test_out_takes_the_result() -> None:
    x = np.arange(6.0)
    out = np.empty(6)
    assert clamped(x, 1.0, 4.0, out=out) is out
    assert clamped(x, 1.0, 4.0, out=(out,)) is out
    assert out.tolist() == [1.0, 1.0, 2.0, 3.0, 4.0, 4.0]
    wide = np.zeros((2, 6), np.float64)
    clamped(x.astype(np.float32), np.float32(1), np.float32(4), out=wide)
    assert wide.tolist() == [out.tolist()] * 2


@pytest.mark.parametrize("function", [straight, smaller])
def test_out_may_overlap_arguments(function: Any) -> None:
    made = tscript.vectorize(function)
    memory = np.arange(10.0)
    wanted = function_of(made, memory[:-1].copy(), memory[::-1][1:].copy())
    made(memory[:-1], memory[::-1][1:], out=memory[1:])
    np.testing.assert_array_equal(memory[1:], wanted)


def function_of(made: Any, *args: Any) -> Any:
    return by_hand(made.__wrapped__, *args)


def test_where_leaves_elements_as_they_are() -> None:
    x, out = np.array([1.0, 9.0, 5.0]), np.array([7.0, 7.0, 7.0])
    clamped(x, 2.0, 4.0, out=out, where=np.array([True, False, True]))
    assert out.tolist() == [2.0, 7.0, 4.0]
    clamped(x, 2.0, 3.0, out=out, where=False)
    assert out.tolist() == [2.0, 7.0, 4.0]


def test_the_function_is_not_called_where_the_mask_is_not_set() -> None:
    @tscript.vectorize
    def halvings(x):
        n = 0
        while x != 1:
            x = x // 2
            n += 1
        return n

    x = np.array([8, 0, 16])
    assert halvings(x, where=x > 0).tolist() == [3, 0, 4]


@pytest.mark.parametrize(
    ("out", "error", "message"),
    [
        (np.zeros(5), ValueError, "non-broadcastable output operand"),
        (np.zeros(6, np.int64), TypeError, "cannot store a result of float64 in an array of int64"),
        (np.zeros(()), TypeError, "'out' has 0 dimensions, and the result 1"),
        (3.0, TypeError, "'out' is no ndarray"),
    ],
)
def test_out_that_does_not_fit_is_refused(out: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        clamped(np.arange(6.0), 1.0, 4.0, out=out)


def test_arguments_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match="could not be broadcast together"):
        clamped(np.zeros(3), np.zeros(4), 1.0)
    with pytest.raises(TypeError, match="'low' is a str"):
        clamped(np.zeros(3), "a", 1.0)
    with pytest.raises(TypeError, match="missing 1 required positional argument"):
        clamped(np.zeros(3), 1.0)
    with pytest.raises(TypeError, match="takes 3 arguments, 2 given"):
        clamped(np.zeros(3), 1.0, out=np.zeros(3))
    with pytest.raises(TypeError, match="'where' is an array of float64"):
        clamped(np.zeros(3), 1.0, 2.0, where=np.zeros(3))


def test_scripted_functions_call_it() -> None:
    @tscript.vectorize
    def squared(x, y):
        return x * x + y

    @tscript.script
    def all_of_it(a, b, out):
        clamped(a, 0.0, 1.0, out=out)
        one = clamped(a[0], b[0], 3)
        return np.exp(squared(a, b)) + clamped(a, b, 2.0) + one, squared.nin

    a, b = np.array([1.0, 2.0]), np.array([[0.5, 1.5]])
    out = np.zeros(2)
    found, count = all_of_it(a, b[0], out)
    wanted = np.exp(a * a + b[0]) + np.minimum(np.maximum(a, b[0]), 2.0) + 1.0
    np.testing.assert_allclose(found, wanted)
    assert count == 2
    assert out.tolist() == [1.0, 1.0]


def test_a_straight_body_is_fused() -> None:
    made = tscript.vectorize(straight)

    @tscript.script
    def twice(a, b):
        return made(a, b) * made(b, a)

    a = np.arange(3.0)
    shown = str(twice.graph_for(a, a))  # type: ignore[attr-defined]
    assert shown.count("= fused") == 1
    assert "for " not in shown


def test_declared_dtypes_convert() -> None:
    @tscript.vectorize
    def mean(x: float, n: int) -> np.float32:
        return x / n

    found = mean(np.array([1, 2], np.int32), np.array([2, 0], np.int8))
    assert found.dtype == np.float32
    assert found.tolist() == [0.5, math.inf]
    with pytest.raises(TypeError, match="'n' is float64, and the function declares int64"):
        mean(1.0, np.array([1.0]))


def test_signatures_are_tried_in_order() -> None:
    @tscript.vectorize(["int64(int64, int64)", "float64(float64, float64)"])
    def total(x, y):
        return x + y

    assert total(np.array([1], np.int8), np.array([2], np.uint8)).dtype == np.int64
    assert total(np.array([1], np.float32), 2).dtype == np.float64
    with pytest.raises(TypeError, match="is no signature"):
        tscript.vectorize(["float64"])
    with pytest.raises(TypeError, match="takes no 'target'"):
        tscript.vectorize(["float64(float64)"], target="parallel")


@pytest.mark.parametrize(
    "text",
    ["def f(x, y=1): return x", "def f(*x): return 1", "def f(): return 1", "def f(x, *, y): return x"],
)
def test_other_parameters_are_refused(text: str, tmp_path: Path) -> None:
    file = tmp_path / "bad.py"
    file.write_text(f"import tscript\n@tscript.vectorize\n{text}\n@tscript.script\ndef g(x: int): return f(x)\n")
    with pytest.raises(CompileError, match="cannot be compiled"):
        exec(compile(file.read_text(), str(file), "exec"), {"__name__": "bad"})
    done = subprocess.run([sys.executable, "-m", "tscript", "check", str(file)], capture_output=True, text=True)
    assert done.returncode == 1
    assert "TS106" in done.stderr + done.stdout


def test_a_result_that_is_no_number_is_refused() -> None:
    @tscript.vectorize
    def both(x):
        return x, x

    @tscript.vectorize
    def nothing(x):
        pass

    for function in (both, nothing):
        with pytest.raises(TypeError, match="return a number"):
            function(np.zeros(2))


def test_tensors_in_scripted_functions_are_refused_by_name() -> None:
    def of_tensor(t: tscript.Tensor) -> tscript.Tensor:
        return clamped(t, 0.0, 1.0)

    with pytest.raises(TypeError, match="'x' is a Tensor"):
        tscript.script(of_tensor)


def test_pickles_by_name_and_by_value() -> None:
    assert pickle.loads(pickle.dumps(clamped)) is clamped
    assert copy.deepcopy(clamped) is clamped
    factor = 3.0

    @tscript.vectorize
    def scaled(x):
        return x * factor if x > 0 else x

    @tscript.script
    def caller(x):
        return scaled(x) + 1.0

    data = [pickle.dumps(scaled), pickle.dumps(caller)]
    code = f"import pickle, numpy as np; print([pickle.loads(d)(np.array([1.0, -1.0])).tolist() for d in {data!r}])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "[[3.0, -1.0], [4.0, 0.0]]\n", done.stderr


def test_archives_have_it(tmp_path: Path) -> None:
    @tscript.script
    def user(a, b):
        return clamped(a, b, 1.0) * 2.0

    a = np.array([0.5, 2.0])
    signature = ("ndarray[float64, 1]", "float")
    functions = {"user": user, "clamped": clamped}
    signatures = [("user", signature), ("clamped", (*signature, "float"))]
    tscript.save(functions, tmp_path / "a.tsa", signatures=signatures)
    module = tscript.load(tmp_path / "a.tsa")
    assert module.user(a, 0.75).tolist() == [1.5, 2.0]
    assert module.clamped(a, 0.75, 1.0).tolist() == [0.75, 1.0]


def test_files_are_checked_and_compiled(tmp_path: Path) -> None:
    file = tmp_path / "ufuncs.py"
    file.write_text(
        "import tscript\n"
        "@tscript.vectorize(['float64(float64, float64)'])\n"
        "def relu(x, low):\n"
        "    return low if x < low else x\n"
        "@tscript.script\n"
        "def layer(a, b):\n"
        "    return relu(a, b) + 1.0\n"
    )
    tool = [sys.executable, "-m", "tscript"]
    done = subprocess.run([*tool, "check", str(file)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    given = ["--signature", "layer(ndarray[float32, 1], float)", "--signature", "relu(ndarray[int8, 1], int)"]
    done = subprocess.run(
        [*tool, "compile", str(file), "-o", str(tmp_path / "a.tsa"), *given], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    module = tscript.load(tmp_path / "a.tsa")
    found = module.layer(np.array([-1.0, 2.0], np.float32), 0.5)
    assert found.dtype == np.float64
    assert found.tolist() == [1.5, 3.0]
    assert module.relu(np.array([-1, 2], np.int8), 0).tolist() == [0.0, 2.0]


def test_methods_take_the_same_arguments_while_compiled_code_is_disabled() -> None:
    @tscript.vectorize
    def added(x, y):
        return x + y

    a = np.arange(6.0).reshape(2, 3)

    def results() -> list[Any]:
        mask = a > 1
        return [
            added.reduce(a, axis=(0, 1)),
            added.reduce(a, axis=None, initial=1.0, where=mask, keepdims=True),
            added.reduce(a, axis=1, dtype=np.float32, out=np.zeros(2)),
            added.accumulate(a, 1, out=np.zeros((2, 3))),
        ]

    compiled = results()
    with tscript.disabled():
        for wanted, found in zip(compiled, results(), strict=True):
            np.testing.assert_array_equal(wanted, found)


def test_python_runs_while_compiled_code_is_disabled() -> None:
    x, out = np.array([1.0, 9.0, 5.0]), np.zeros(3)
    with tscript.disabled():
        assert clamped(x, 2.0, 4.0).tolist() == [2.0, 4.0, 4.0]
        clamped(x, 2.0, 4.0, out=out, where=x > 1)
        assert isinstance(clamped(1, 2, 3), np.int64)
    assert out.tolist() == [0.0, 4.0, 4.0]


def test_a_vectorized_function_may_call_others() -> None:
    @tscript.vectorize
    def outer_one(x, y):
        return clamped(x, y, 10.0) + helper(x)

    assert outer_one(np.array([1.0, 20.0]), 2.0).tolist() == [2.5, 20.0]


def helper(x):
    if x > 10:
        return x / 2
    return x / 2


def test_recursion() -> None:
    @tscript.vectorize
    def factorial(n) -> int:
        return 1 if n <= 1 else n * factorial(n - 1)

    assert factorial(np.array([3, 5])).tolist() == [6, 120]


@tscript.vectorize
def larger(x, y):
    return x if x > y else y


@tscript.vectorize
def plus_twice(x, y):
    return x + y * 2


CUBE = np.random.default_rng(1).random((3, 4, 5))


@pytest.mark.parametrize("axis", [0, 1, -1, None, (0, 2), (0, 1, 2)])
def test_reduce(axis: Any) -> None:
    for keywords in ({}, {"keepdims": True}, {"initial": 0.9}, {"initial": 0.1, "where": CUBE < 0.5}):
        found = larger.reduce(CUBE, axis=axis, **keywords)
        wanted = np.maximum.reduce(CUBE, axis=axis, **keywords)
        np.testing.assert_array_equal(found, wanted)
        assert np.shape(found) == np.shape(wanted)


def test_methods_of_a_ufunc() -> None:
    for axis in (0, 1, 2):
        np.testing.assert_array_equal(larger.accumulate(CUBE, axis), np.maximum.accumulate(CUBE, axis))
    np.testing.assert_array_equal(larger.outer(CUBE[0], CUBE[1, 0]), np.maximum.outer(CUBE[0], CUBE[1, 0]))
    out = np.zeros((4, 5))
    larger.reduce(CUBE, out=out)
    np.testing.assert_array_equal(out, CUBE.max(axis=0))
    row, grid = np.zeros(4), np.zeros((2, 2), np.int64)
    plus_twice.at(row, np.array([1, 1, -1]), np.array([1.0, 2.0, 3.0]))
    plus_twice.at(grid, (np.array([0, 0, 1]), np.array([1, 1, 0])), 1)
    assert row.tolist() == [0.0, 6.0, 0.0, 6.0]
    assert grid.tolist() == [[0, 4], [2, 0]]
    assert isinstance(larger.reduce([1, 5, 2]), np.int64)
    assert larger.reduce(tscript.tensor([1.0, 3.0])).item() == 3.0
    with pytest.raises(ValueError, match="zero-size array to reduction operation larger which has no identity"):
        larger.reduce(np.zeros(0))
    with pytest.raises(TypeError, match="takes 3 arguments"):
        clamped.reduce(np.zeros(3))
    with tscript.disabled():
        np.testing.assert_array_equal(larger.reduce(CUBE, axis=1), CUBE.max(axis=1))
        plus_twice.at(grid, (np.array([0]), np.array([1])), 1)
    assert grid.tolist() == [[0, 6], [2, 0]]


@pytest.mark.parametrize("axis", [0, 1, -1, None, (0, 2), (0, 1, 2), ()])
def test_methods_while_compiled_code_is_disabled(axis: Any) -> None:
    with tscript.disabled():
        for keywords in ({}, {"keepdims": True}, {"initial": 0.9}, {"initial": 0.1, "where": CUBE < 0.5}):
            found = larger.reduce(CUBE, axis=axis, **keywords)
            wanted = np.maximum.reduce(CUBE, axis=axis, **keywords)
            np.testing.assert_array_equal(found, wanted)
            assert np.shape(found) == np.shape(wanted)
        for at in (0, 1, 2):
            out = CUBE.copy()
            assert larger.accumulate(out, at, out=out) is out
            np.testing.assert_array_equal(out, np.maximum.accumulate(CUBE, at))
        out = np.zeros((4, 5))
        assert larger.reduce(CUBE, out=out) is out
        np.testing.assert_array_equal(out, CUBE.max(axis=0))
        pairs, mask = np.zeros((4, 5, 4)), np.arange(4) > 1
        assert larger.outer(CUBE[0], CUBE[1, :, 0], out=pairs, where=mask) is pairs
        np.testing.assert_array_equal(pairs, np.where(mask, np.maximum.outer(CUBE[0], CUBE[1, :, 0]), 0))
        assert plus_twice.accumulate([1, 2, 3], dtype=np.float32).dtype == np.float32
        assert plus_twice.reduce(np.array([1, 2, 3], np.int16), dtype=np.int64) == 11
        with pytest.raises(ValueError, match="does not have an identity"):
            larger.reduce(CUBE, where=CUBE > 0.5)
        with pytest.raises(ValueError, match="out of bounds"):
            larger.reduce(CUBE, axis=3)


def test_scripted_functions_call_methods() -> None:
    @tscript.script
    def f(a):
        return larger.reduce(a, axis=1), plus_twice.accumulate(a[0]), larger.outer(a[0], a[1])

    a = CUBE[0]
    rows, sums, pairs = f(a)
    np.testing.assert_array_equal(rows, a.max(axis=1))
    np.testing.assert_allclose(sums, 2 * np.cumsum(a[0]) - a[0, 0])
    np.testing.assert_array_equal(pairs, np.maximum.outer(a[0], a[1]))
