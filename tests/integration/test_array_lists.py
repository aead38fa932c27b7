"""Arrays of lists of arrays: ``np.concatenate(rows)``, ``np.stack(rows)``, ``np.array(rows)``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tscript

Arrays = list[np.ndarray]


@tscript.script
def joined(xs: list[np.ndarray]):
    return np.concatenate(xs), np.vstack(xs), np.hstack(xs), np.column_stack(xs), np.concatenate(xs, axis=None)


@tscript.script
def last(xs: list[np.ndarray]):
    return np.concatenate(xs, axis=-1)


@tscript.script
def stacked(xs: list[np.ndarray]):
    return np.stack(xs), np.stack(xs, axis=1)


@tscript.script
def made(xs: list[np.ndarray]):
    return np.array(xs), np.asarray(xs, dtype=np.float32), np.sum(xs), np.mean(xs, axis=0), np.max([x * 2 for x in xs])


@tscript.script
def rows_of_numbers(n: int):
    rows = []
    for i in range(n):
        rows.append([i * 1.0, 2.0])
    return np.stack(rows), np.vstack(rows), np.concatenate(rows)


def _as_python(function: Any) -> Callable[..., Any]:
    found: Callable[..., Any] = function.__wrapped__
    return found


def _outcome(function: Callable[..., Any], *args: Any) -> Any:
    try:
        found = function(*args)
    except (ValueError, IndexError) as error:
        return type(error), str(error)
    parts = found if isinstance(found, tuple) else (found,)
    return [(p.dtype, p.shape, p.tolist()) for p in parts]


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "int8", "bool"])
@pytest.mark.parametrize(
    "shapes", [((3,),), ((3,), (3,), (3,)), ((2, 3), (2, 3)), ((2, 2, 2), (2, 2, 2)), ((0, 2), (0, 2))]
)
def test_same_shapes(dtype: str, shapes: tuple[tuple[int, ...], ...]) -> None:
    """Lists of arrays of one shape, transposed and sliced ones too."""
    random = np.random.default_rng(1)
    xs = [random.integers(0, 2, shape).astype(dtype) for shape in shapes]
    for arrays in (xs, [x[::-1] for x in xs], [x.T for x in xs]):
        for function in (joined, last, stacked):
            assert _outcome(function, arrays) == _outcome(_as_python(function), arrays)
        if 0 not in shapes[0]:
            assert _outcome(made, arrays) == _outcome(_as_python(made), arrays)


@pytest.mark.parametrize(
    "shapes", [((1,), (4,)), ((1, 2), (3, 2)), ((2, 1), (2, 3)), ((2, 3), (3, 2)), ((2, 2), (3, 3)), ((2, 2), (2, 3))]
)
def test_other_shapes(shapes: tuple[tuple[int, ...], ...]) -> None:
    """What does not fit raises NumPy's error."""
    xs = [np.ones(shape) for shape in shapes]
    for function in (joined, last, stacked, made):
        assert _outcome(function, xs) == _outcome(_as_python(function), xs)


def test_lists_that_the_function_makes() -> None:
    """Rows that are lists of numbers, and no rows at all."""
    assert _outcome(rows_of_numbers, 3) == _outcome(_as_python(rows_of_numbers), 3)
    assert _outcome(rows_of_numbers, 0) == (ValueError, "need at least one array to stack")


@tscript.script
def literals(a: np.ndarray, b: np.ndarray, xs: list[float]):
    return np.array([a, b]), np.array([[a, b], [b, a]]), np.array((xs, xs)).T, np.array([xs, [1, 2]]), np.array([a, xs])


@tscript.script
def literal(a: np.ndarray, b: np.ndarray):
    return np.array([a, b])


def test_literals() -> None:
    """Lists that are written there, of arrays and lists of numbers."""
    args = np.ones(2), np.zeros(2, np.int32), [3.0, 4.0]
    assert _outcome(literals, *args) == _outcome(_as_python(literals), *args)
    for shapes in (((2,), (3,)), ((2, 2), (2, 3)), ((2, 2), (2, 2))):
        arrays = [np.ones(shape) for shape in shapes]
        assert _outcome(literal, *arrays) == _outcome(_as_python(literal), *arrays)
