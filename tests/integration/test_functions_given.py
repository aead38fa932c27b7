"""Functions and dtypes as arguments of parameters without declared type: compared with plain Python."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return,type-arg"

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import tscript
from tscript.diagnostics import CompileError

if TYPE_CHECKING:
    import numpy.typing as npt


def square(x):
    return x * x


def scaled(x, k):
    return x * x - k


def typed(x: float) -> float:
    return x + 1


scripted = tscript.script(square)


def apply(f, x):
    return f(x)


def applied(f, xs):
    return [f(x) for x in xs]


def keyed(f, xs):
    return sorted(xs, key=f), list(map(f, xs))


def helper(f, x):
    return f(x) + f(x + 1)


def through(f, x):
    return helper(f, x)


def bisect(f, a, b, args=(), maxiter=100):
    fa = f(a, *args)
    for itr in range(maxiter):
        m = 0.5 * (a + b)
        fm = f(m, *args)
        if fm == 0 or abs(b - a) < 1e-9:
            break
        if fa * fm < 0:
            b = m
        else:
            a, fa = m, fm
    return m, itr


def by_default(x, f=square, dtype=np.float32):
    return f(x), np.zeros(2, dtype=dtype)


def inside(x):
    def thrice(v):
        return v * 3

    def twice(h, v):
        return h(h(v))

    return twice(thrice, x), helper(thrice, x), helper(lambda v: v + 1.5, x), helper(abs, x), helper(square, x)


def lambda_reads(f, x):
    more = lambda v: f(v) + 1  # noqa: E731
    return more(x), [f(v) for v in (x, x)]


def zeros(n, dtype):
    return np.zeros(n, dtype) + np.empty(n, dtype=dtype) * 0


def countdown(f, n):
    if n <= 0:
        return f(n)
    return countdown(f, n - 1) + f(n)


def cubic(x):
    return x**3 - 2


@pytest.mark.parametrize(
    ("function", "calls"),
    [
        (apply, [(square, 3), (square, 2.5), (scripted, 3), (typed, 2.0), (abs, -3), (len, "abc"), (np.sqrt, 4.0)]),
        (applied, [(square, [1, 2]), (scripted, [1.5]), (len, ["a"])]),
        (keyed, [(abs, [1, -3, 2]), (len, ["aa", "b"]), (square, [2, -1])]),
        (through, [(square, 3), (square, 2.5)]),
        (bisect, [(cubic, 0.0, 2.0), (scaled, 0.0, 2.0, (3.0,)), (scaled, 0.0, 2.0, (3.0,), 5)]),
        (by_default, [(3,), (3, abs), (2.5, square, np.int64)]),
        (inside, [(3,), (2.5,)]),
        (lambda_reads, [(square, 3), (abs, -2.5)]),
        (zeros, [(3, np.float32), (3, np.dtype(np.int64)), (2, np.float64)]),
        (countdown, [(square, 3), (abs, 3)]),
    ],
    ids=lambda thing: getattr(thing, "__name__", ""),
)
def test_as_python(function: Callable[..., Any], calls: list[tuple[Any, ...]]):
    compiled = tscript.script(function)
    for args in calls * 2:
        assert repr(compiled(*args)) == repr(function(*args)), args


def test_each_function_has_code_of_its_own():
    compiled = tscript.script(apply)
    assert [compiled(f, 3) for f in (square, abs, scripted, square)] == [9, 3, 9, 9]
    assert compiled(f=cubic, x=2) == 6
    closures = [tscript.script(apply)(adding(k), 1) for k in (1, 2)]
    assert closures == [2, 3]
    assert [compiled(adding(k), 1) for k in (1, 2, 1)] == [2, 3, 2]


def adding(k):
    def add(x):
        return x + k

    return add


def test_a_function_that_does_not_fit_names_both_lines():
    compiled = tscript.script(apply)
    with pytest.raises(CompileError) as found:
        compiled(square, "text")
    text = str(found.value)
    assert "'*' does not take str and str" in text and "'square' is compiled because it is called from 'apply'" in text
    assert "'apply' is compiled because it is called from 'test_a_function_that" in text


def test_what_is_refused():
    compiled = tscript.script(apply)
    with pytest.raises(TypeError, match="write the lambda as a function"):
        compiled(lambda x: x, 1)
    with pytest.raises(TypeError, match="no type of the language, a type"):
        compiled(str, 1)

    def captured(x, k):
        return helper(lambda v: v * k, x)

    with pytest.raises(CompileError, match="captures a name"):
        tscript.script(captured)


def test_functions_of_tensors():
    assert tscript.script(apply)(square, tscript.tensor([1.0, 4.0])).tolist() == [1.0, 16.0]


def test_annotations_name_dtypes_and_what_only_type_checkers_import():
    def made(n: int, dtype: np.dtype) -> np.ndarray:
        return np.zeros(n, dtype)

    def weighted(a: npt.NDArray[np.float64], f: Callable, n: int) -> npt.NDArray[np.float64]:
        return a * f(n)

    assert tscript.script(made)(2, np.dtype(np.float32)).dtype == np.float32
    assert tscript.script(weighted)(np.ones(2), square, 3).tolist() == [9.0, 9.0]
