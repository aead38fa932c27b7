"""Arrays without a number of dimensions, and bare containers, inside of other types: compared with plain Python."""

# mypy: disable-error-code="no-untyped-def,type-arg"

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import tscript
from tscript import types
from tscript.diagnostics import CompileError
from tscript.types import DictType, ListType, OpenType, OptionalType, TupleType, completed, leaves_open

Vector = NDArray[np.float64]
Vectors = dict[str, Vector]

LINE = np.arange(3.0)
PLANE = np.ones((2, 3))


def first_sum(xs: list[Vector]) -> float:
    return float(xs[0].sum())


def of_dict(xs: dict[str, Vector]):
    return xs["a"] * 2


def of_alias(xs: Vectors):
    return [k + str(v.ndim) for k, v in xs.items()]


def of_sequence(xs: Sequence[np.ndarray], y: Vector):
    return xs[-1] + y


def of_tuple(pair: tuple[Vector, int]):
    return pair[0] * pair[1]


def of_bare(x: dict[str, list], y: list[dict]):
    return x["a"][0] + y[0]["k"]


def into(x: Vector, out: Vector | None = None) -> Vector:
    if out is None:
        out = np.empty_like(x)
    for i in range(len(x)):
        out[i] = 2 * x[i]
    return out


def shifted(x: Vector | float):
    return x + 1


def maybe(n: int) -> Vector | None:
    if n > 2:
        return np.zeros(n)
    return None


def maybe_not(n: int) -> Vector | None:
    if n < 2:
        return None
    return np.zeros(n)


def pair(n: int) -> tuple[Vector, float]:
    return np.zeros(n), 1


def collected(n: int) -> dict[str, list[Vector]]:
    out: dict[str, list[Vector]] = {}
    for i in range(n):
        out.setdefault(str(i % 2), []).append(np.full(i, 1.0))
    return out


def largest(n: int):
    best: Vector | None = None
    for i in range(n):
        c = np.full(i, 1.0)
        if best is None or c.sum() > best.sum():
            best = c
    return best


def cleared(n: int):
    x: Vector | None = np.zeros(n)
    if n > 1:
        x = None
    return x


def comprehended(xs: list[Vector], by: float):
    ys: list[Vector] = [x * by for x in xs]
    zs: dict[int, Vector] = {i: ys[i] for i in range(len(ys))}
    both: tuple[Vector, Vector] = ys[0], zs[0]
    return both


def pick(xs: list[Vector], k: int) -> Vector:
    return xs[k] * 2


def calls(n: int):
    return pick([np.ones(n)], 0), pick([np.ones((n, n))], 0)


def total(xs: list[Vector]):
    found = 0.0
    for x in xs:
        found += x.sum()
    return found


def corners(xs: list[Vector]):
    return [x[0, 0] for x in xs]


def ranks(xs: list[Vector], k: int):
    if k:
        xs.append(np.ones((k, k)))
    return len(xs)


CASES: list[tuple[Callable[..., Any], tuple[object, ...]]] = [
    (first_sum, ([LINE],)),
    (first_sum, ([PLANE, PLANE],)),
    (of_dict, ({"a": LINE},)),
    (of_dict, ({"a": PLANE},)),
    (of_alias, ({"a": LINE, "b": LINE},)),
    (of_sequence, ([LINE], LINE)),
    (of_sequence, ([LINE], PLANE)),
    (of_tuple, ((PLANE, 3),)),
    (of_bare, ({"a": [1]}, [{"k": 2.5}])),
    (into, (LINE,)),
    (into, (LINE, np.zeros(3))),
    (shifted, (LINE,)),
    (shifted, (2.5,)),
    (maybe, (1,)),
    (maybe, (3,)),
    (maybe_not, (1,)),
    (maybe_not, (3,)),
    (collected, (3,)),
    (largest, (0,)),
    (largest, (3,)),
    (cleared, (1,)),
    (cleared, (2,)),
    (comprehended, ([LINE], 0.5)),
    (calls, (2,)),
    (total, ([],)),
    (total, ([PLANE],)),
    (corners, ([],)),
    (corners, ([PLANE],)),
    (ranks, ([], 2)),
]


@pytest.mark.parametrize(("function", "args"), CASES, ids=lambda x: getattr(x, "__name__", ""))
def test_it_is_what_python_makes_of_it(function: Callable[..., Any], args: tuple[object, ...]) -> None:
    scripted = tscript.script(function)
    for _ in range(2):
        np.testing.assert_equal(scripted(*copy.deepcopy(args)), function(*copy.deepcopy(args)))


def test_declared_types_convert_the_parts_that_they_say() -> None:
    array, number = tscript.script(pair)(2)
    assert array.tolist() == [0, 0]
    assert type(number) is float


@pytest.mark.parametrize(
    ("function", "arg", "found"),
    [
        (of_dict, {"a": LINE.astype(np.float32)}, "not dict[str, ndarray[float32, 1]]"),
        (of_dict, [LINE], "not list[ndarray[float64, 1]]"),
        (of_tuple, (LINE, 1, 2), "not tuple"),
        (shifted, "a", "not str"),
    ],
)
def test_other_types_are_refused(function: Callable[..., Any], arg: object, found: str) -> None:
    with pytest.raises(TypeError, match=r"argument '\w+' must be a") as raised:
        tscript.script(function)(arg)
    assert found in str(raised.value)


def test_what_is_returned_has_the_declared_dtype() -> None:
    def halves(n: int) -> list[Vector]:
        return [np.zeros(n, np.float32)]

    with pytest.raises(CompileError, match=r"declared to return list\[ndarray\[float64, \?\]\], but this returns"):
        tscript.script(halves)(2)


def test_names_have_the_declared_dtype() -> None:
    def halves(n: int):
        xs: list[Vector] = [np.zeros(n, np.float32)]
        return xs

    with pytest.raises(CompileError, match=r"'xs' is declared as list\[ndarray\[float64, \?\]\]"):
        tscript.script(halves)


def test_completed_types() -> None:
    array, other = types.ArrayType(types.dtypes.float64, 2), types.ArrayType(types.dtypes.int64, 1)
    vector = OpenType("ndarray", types.dtypes.float64)
    assert leaves_open(ListType(vector))
    assert not leaves_open(ListType(array))
    assert completed(ListType(vector), ListType(array)) == ListType(array)
    assert completed(ListType(vector), ListType(other)) is None
    assert completed(ListType(vector), types.INT) is None
    assert completed(OptionalType(vector), types.NONE) == types.NONE
    assert completed(OptionalType(vector), array) == OptionalType(array)
    assert completed(OptionalType(vector), array, narrow=True) == array
    pairs = completed(TupleType((vector, types.FLOAT)), TupleType((array, types.INT)))
    assert pairs == TupleType((array, types.FLOAT))
    assert completed(DictType(types.STR, vector), DictType(types.NEVER, types.NEVER)) is not None
