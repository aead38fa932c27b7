"""Lists of arrays that are joined, split arrays, limits of dtypes, functions along an axis, sums of elements."""

# mypy: ignore-errors
from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tscript


def joined(xs):
    return np.vstack(xs), np.concatenate(xs), np.stack(xs), np.hstack(xs), np.array(xs)


def joined_columns(xs):
    return np.concatenate(xs, axis=1), np.concatenate(xs, axis=-1), np.vstack(xs), np.stack(xs, axis=0)


def rows(xs):
    return np.concatenate(xs)


def columns(xs):
    return np.concatenate(xs, axis=1)


def stacked(xs):
    return np.stack(xs)


def grown(x):
    parts = [x[:1]]
    for i in range(3):
        parts.append(x * i)
    return np.concatenate(parts), parts


def of_a_call(x):
    count = [0]

    def made():
        count[0] += 1
        return [x, x]

    return np.concatenate(made()), count


def sums(x):
    return sum(v * v for v in x), sum(x[i] for i in range(3)), sum([v + 1 for v in x]), sum(v > 1 for v in x)


def parts(x):
    first, second = np.split(x, 2)
    return first - second, np.split(x, 3), np.array_split(x, 4), np.divmod(x, 4), np.divmod(7, x[1:])


def limits(x):
    i = np.iinfo(np.int16)
    smallest = np.finfo(x.dtype).max
    for v in x:
        smallest = min(smallest, v)
    out = np.full(3, np.iinfo(np.int64).max)
    out[0] = np.iinfo("int64").min
    return i.max, i.min, i.bits, smallest, out, np.finfo(np.float32).eps, np.finfo(float).tiny, np.finfo(float).bits


def all_limits():
    a, b = np.finfo(np.float32), np.finfo(np.float64)
    return (
        (a.eps, a.epsneg, a.max, a.min, a.tiny, a.smallest_normal, a.smallest_subnormal, a.resolution),
        (b.eps, b.epsneg, b.max, b.min, b.tiny, b.smallest_normal, b.smallest_subnormal, b.resolution),
        (a.bits, a.precision, b.bits, b.precision),
        (np.iinfo(np.int8).min, np.iinfo(np.uint8).max, np.iinfo(int).max, np.iinfo(np.int32).bits),
    )


def spread(r, k=2):
    return r.max() - r.min() * k


def along(m):
    k = 3
    return (
        np.apply_along_axis(lambda r: r[::-1] + k, 0, m),
        np.apply_along_axis(lambda r: r / (r.sum() + 1), 1, m),
        np.apply_along_axis(np.median, 1, m),
        np.apply_along_axis(spread, 0, m),
        np.apply_along_axis(spread, -1, m),
        np.apply_along_axis(np.sort, 0, m[0]),
    )


def unique_rows(m):
    return np.unique(m, axis=0), np.unique(m, axis=1), np.unique(m, axis=0, return_counts=True)


a, m = np.arange(6.0), np.arange(12.0).reshape(6, 2)
CASES: list[tuple[Any, tuple[Any, ...]]] = [
    (joined, ([a, a * 2],)),
    (joined, ([m, m * 2, m],)),
    (joined, ([a.astype(np.int32)],)),
    (joined_columns, ([m, m * 2],)),
    (columns, ([np.zeros((2, 2, 3)), np.ones((2, 1, 3))],)),
    (grown, (a,)),
    (grown, (m,)),
    (of_a_call, (a,)),
    (sums, (a,)),
    (sums, (np.arange(4, dtype=np.int32),)),
    (sums, (np.arange(4, dtype=np.float32),)),
    (parts, (a,)),
    (parts, (np.arange(6),)),
    (limits, (a,)),
    (limits, (a.astype(np.float32),)),
    (all_limits, ()),
    (along, (m,)),
    (along, (m[::2, ::-1],)),
    (unique_rows, (np.array([[1, 2], [0, 1], [1, 2]]),)),
]


def same(found: Any, wanted: Any) -> bool:
    """Equal values of the same types and dtypes."""
    if isinstance(wanted, tuple | list):
        return type(found) is type(wanted) and len(found) == len(wanted) and all(map(same, found, wanted))
    return (
        type(found) is type(wanted)
        and np.array_equal(found, wanted)
        and np.result_type(found) == np.result_type(wanted)
    )


@pytest.mark.parametrize(("function", "args"), CASES, ids=[f"{f.__name__}-{i}" for i, (f, _) in enumerate(CASES)])
def test_as_numpy(function, args):
    wanted = function(*args)
    scripted = tscript.script(function)
    assert same(scripted(*args), wanted), (scripted(*args), wanted)


@pytest.mark.parametrize(
    ("arrays", "function"),
    [
        ([np.zeros((3, 2)), np.zeros((3, 3))], rows),
        ([np.zeros((3, 2)), np.zeros((2, 2))], columns),
        ([np.zeros(3), np.zeros(2)], stacked),
    ],
)
def test_shapes_that_do_not_fit(arrays, function):
    with pytest.raises(ValueError, match="must") as wanted:
        function(arrays)
    with pytest.raises(ValueError, match="must") as found:
        tscript.script(function)(arrays)
    assert str(found.value) == str(wanted.value)


def test_nothing_to_join():
    @tscript.script
    def f(xs: list[np.ndarray[tuple[int], np.dtype[np.float64]]], how: int):
        return np.concatenate(xs) if how else np.stack(xs)[0]

    with pytest.raises(ValueError, match="need at least one array to concatenate"):
        f([], 1)
    with pytest.raises(ValueError, match="need at least one array to stack"):
        f([], 0)


def test_split_in_unequal_parts():
    @tscript.script
    def f(x):
        return np.split(x, 4)

    with pytest.raises(ValueError, match="array split does not result in an equal division"):
        f(np.arange(6.0))


def test_in_archives(tmp_path):
    @tscript.script
    def f(xs: list[np.ndarray[tuple[int], np.dtype[np.float64]]], k: float):
        least = np.finfo(np.float64)
        rows = np.vstack(xs)
        return np.apply_along_axis(lambda r: r.sum() * k, 1, rows), least.max, sum(v for v in rows[0])

    wanted = f([a, a * 2], 2.0)
    tscript.save(f, tmp_path / "f.tsa")
    assert same(tscript.load(tmp_path / "f.tsa")([a, a * 2], 2.0), wanted)
