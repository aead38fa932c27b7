"""NumPy arrays in scripted functions: every result is what NumPy gives, element by element and as whole arrays."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from numpy.typing import NDArray

import tscript
from tests.integration.array_programs import BINARY, F64, M64, UNARY, binary, script, unary

DTYPES = ["uint8", "int8", "int16", "int32", "int64", "float32", "float64", "bool"]


def _values(dtype: str) -> Any:
    if dtype == "bool":
        return np.array([True, False, True, False])
    if dtype.startswith("float"):
        return np.array([1.5, -0.0, np.inf, -2.25, np.nan, 3.0], dtype)
    info = np.iinfo(dtype)
    return np.array([0, 1, info.max, info.min, 7, 3], dtype)


def _outcome(run: Callable[[], Any]) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return run()
        except Exception as error:  # noqa: BLE001 - compared by class
            return type(error)


def _check_same(got: Any, expected: Any) -> None:
    assert type(got) is type(expected), (got, expected)
    if isinstance(expected, np.ndarray | np.generic):
        assert got.dtype == expected.dtype
        assert np.array_equal(got, expected, equal_nan=got.dtype.kind == "f"), (got, expected)
    else:
        assert got == expected


def _taken(results: dict[str, Any]) -> tuple[str, ...]:
    """The operators that NumPy does not refuse, and whose dtypes there are."""
    return tuple(n for n, found in results.items() if not isinstance(found, type) and found.dtype.name in DTYPES)


@pytest.mark.parametrize("left", DTYPES)
@pytest.mark.parametrize("right", DTYPES)
def test_binary(left: str, right: str) -> None:
    """Of two arrays, and of their elements."""
    a, b = _values(left)[:4], _values(right)[3::-1]
    names = _taken({name: _outcome(partial(python, a, b)) for name, python in BINARY.items()})
    program = binary(left, right, names)
    for name, got in zip(names, program["f"](a, b), strict=True):
        _check_same(got, _outcome(partial(BINARY[name], a, b)))
    for i in range(4):
        for name, got in zip(names, program["g"](a, b, i), strict=True):
            _check_same(got, _outcome(partial(BINARY[name], a[i], b[i])))


@pytest.mark.parametrize("dtype", DTYPES)
def test_unary(dtype: str) -> None:
    """Of arrays, and of their elements."""
    a = _values(dtype)
    found = {name: _outcome(partial(python, a)) for name, python in UNARY.items()}
    names = tuple(n for n in _taken(found) if (n, dtype) != ("abs", "bool"))
    program = unary(dtype, names)
    for i, got in enumerate([program["f"](a), *(program["g"](a, i) for i in range(len(a)))]):
        for name, result in zip(names, got, strict=True):
            expected = _outcome(partial(UNARY[name], a if i == 0 else a[i - 1]))
            assert type(result) is type(expected), name
            assert result.dtype == expected.dtype
            assert np.allclose(result, expected, rtol=1e-6, atol=0, equal_nan=True), name


@tscript.script
def scaled(a: M64) -> M64:
    out = np.empty_like(a)
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            out[i, j] = 2 * a[i, j] + 1
    return out


@pytest.mark.parametrize("layout", [lambda x: x, lambda x: x.T, lambda x: x[::-1, ::2], lambda x: x[:0]])
def test_loops_over_any_layout(layout: Callable[[Any], Any]) -> None:
    """Strides are those of the array."""
    array = layout(np.arange(12.0).reshape(3, 4))
    assert np.array_equal(scaled(array), 2 * array + 1)


@tscript.script
def at(a: M64, i: int, j: int) -> np.float64:
    return a[i, j]  # type: ignore[no-any-return]


@tscript.script
def put(a: M64, i: int, j: int, x: float) -> None:
    a[i, j] = x


@pytest.mark.parametrize("index", [(0, 0), (-1, -1), (2, 3), (-3, -4), (3, 0), (0, 4), (-4, 0), (0, -5)])
def test_index(index: tuple[int, int]) -> None:
    """An index may count from the end; one outside is NumPy's error."""
    array = np.arange(12.0).reshape(3, 4)
    expected = _outcome(lambda: array[index])
    _check_same(_outcome(lambda: at(array, *index)), expected)
    if isinstance(expected, type):
        with pytest.raises(IndexError, match="is out of bounds for axis") as ours:
            put(array, *index, 1.0)
        with pytest.raises(IndexError) as theirs:
            array[index] = 1.0
        assert str(ours.value) == str(theirs.value)
    else:
        put(array, *index, -7.0)
        assert array[index] == -7.0


def test_names_of_loops_become_scalars() -> None:
    """A name that begins as a number of Python is a NumPy scalar after arithmetic with one."""
    program = script(
        """
def summed(a: np.ndarray[tuple[int], np.dtype[np.int32]]):
    total = 0
    for x in a:
        total += x
    return total

def smallest(a: np.ndarray[tuple[int], np.dtype[np.float64]]):
    best = np.inf
    for i in range(a.size):
        if a[i] < best:
            best = a[i]
    return best
"""
    )
    _check_same(program["summed"](np.arange(5, dtype=np.int32)), np.int32(10))
    _check_same(program["smallest"](np.array([3.0, -1.0, 2.0])), np.float64(-1.0))


def noted(seen: list[int], i: int) -> int:
    seen.append(i)
    return i


def augment(
    a: np.ndarray[tuple[int], np.dtype[np.int32]], b: np.ndarray[tuple[int, int], np.dtype[np.uint8]], seen: list[int]
) -> None:
    a[noted(seen, 0)] += 2
    a[noted(seen, -1)] *= noted(seen, 3)
    a[1] += 0.75
    a[2] //= 0
    a[3] **= 2
    a[4] <<= 3
    b[0, 1] -= a[0]
    b[1, noted(seen, 0)] += 200
    b[1] += 3
    b[:, -1] *= 2
    a[len(seen) + 1] += 1


def test_elements_are_changed_as_scalars() -> None:
    """``a[i] += x`` computes a scalar and converts it; the index is evaluated once, and before the value."""
    outcomes = []
    for function in (tscript.script(augment), augment):
        a, b = np.arange(5, 10, dtype=np.int32), np.arange(60, 66, dtype=np.uint8).reshape(2, 3)
        seen: list[int] = []
        with np.errstate(all="ignore"), pytest.raises(IndexError, match="index 5 is out of bounds for axis 0"):
            function(a, b, seen)
        outcomes.append((a.tolist(), b.tolist(), seen))
    assert outcomes[0] == outcomes[1]


def test_wrong_arrays() -> None:
    """Dtype and dimensions are those that are declared."""
    for wrong in (np.zeros(3), np.zeros((2, 2), np.float32), [[1.0]], 1.0, None):
        with pytest.raises(TypeError, match=r"argument 'a' must be ndarray\[float64, 2\]"):
            scaled(wrong)  # type: ignore[arg-type]


@tscript.script
def identical(a: F64) -> F64:
    return a


def test_what_is_handed_back_is_the_array_itself() -> None:
    """And results are ndarrays."""
    array = np.zeros(3)
    assert identical(array) is array
    assert type(scaled(np.zeros((2, 2)))) is np.ndarray


@tscript.script
def weighted(a: np.ndarray, b: NDArray[np.float32], k) -> np.ndarray:
    out: np.ndarray = np.zeros(a.shape, dtype=np.float64)
    for i in range(a.shape[0]):
        out[i] = a[i] * b[i] + k
    return out


@pytest.mark.parametrize("k", [1, 2.5, True, np.float32(1.5), np.int64(3), np.float64(0.25)])
@pytest.mark.parametrize("dtype", ["int64", "float32", "float64"])
def test_dtype_and_dimensions_from_the_call(dtype: str, k: Any) -> None:
    """Of parameters that declare no type or half of one; NumPy scalars are arguments too."""
    a, b = np.arange(4).astype(dtype), np.linspace(0, 1, 4, dtype=np.float32)
    for _ in range(2):
        _check_same(weighted(a, b, k), (a * b + k).astype(np.float64))
        plane = np.stack([a, a])
        _check_same(
            weighted(plane, b[:2], k), np.stack([r * w + k for r, w in zip(plane, b, strict=False)]).astype(float)
        )


def test_a_declared_dtype_is_that_of_the_argument() -> None:
    """An array of another dtype is refused and never copied."""
    with pytest.raises(TypeError, match=r"argument 'b' must be a ndarray\[float32, \?\], not ndarray\[float64, 1\]"):
        weighted(np.arange(4), np.zeros(4), 1)  # type: ignore[arg-type]


ROW32 = NDArray[np.float32]


@tscript.script
def shifted(a: ROW32, b: "npt.NDArray[np.int64]") -> ROW32:
    return a + np.float32(1) + b.astype(np.float32)


def test_aliases_declare_dtypes() -> None:
    """`NDArray` is an alias itself, and of another kind in newer versions of NumPy."""
    _check_same(shifted(np.zeros(2, np.float32), np.arange(2)), np.array([1, 2], np.float32))
    with pytest.raises(TypeError, match=r"argument 'a' must be a ndarray\[float32, \?\]"):
        shifted(np.zeros(2), np.arange(2))  # type: ignore[arg-type]


@tscript.ignore
def classes_of(a: F64, x: np.float32) -> str:
    """What a Python function is given."""
    return f"{type(a).__name__} {type(x).__name__}"


@tscript.script
def calls_python(a: F64, x: np.float32) -> str:
    """Pass an array and a NumPy scalar on."""
    return classes_of(a, x)


def test_python_functions_get_arrays() -> None:
    """Functions that stay in Python are given what their annotations say."""
    assert calls_python(np.zeros(2), np.float32(1)) == "ndarray float32"
