"""Arrays that are unusual, wrong, or change while they are shared."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from __future__ import annotations

import gc
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided

import tscript


@tscript.script
def get(a, i):
    return a[i]


@tscript.script
def get2(a, i, j):
    return a[i, j]


@tscript.script
def put(a, i, v):
    a[i] = v
    return a


@tscript.script
def count(a, n):
    for i in range(n):
        a[i] = i + 1
    return a


@tscript.script
def total(a):
    return a.sum()


@tscript.script
def looped(a):
    s = 0.0
    for i in range(len(a)):
        s += a[i]
    return s


@tscript.script
def double(a):
    return a * 2


@tscript.script
def sizes(a):
    return a.size, a.shape, a.ndim


@tscript.script
def of_list(xs):
    return xs[0].sum()


@tscript.script
def middle(a):
    return a[1:3]


@tscript.script
def itself(a):
    return a


PLANE = np.arange(6.0).reshape(2, 3)


@pytest.mark.parametrize(
    ("function", "args", "said"),
    [
        (get, (np.arange(4.0), 4), "index 4 is out of bounds for axis 0 with size 4"),
        (get, (np.arange(4.0), -5), "index -5 is out of bounds for axis 0 with size 4"),
        (get2, (PLANE, 1, 3), "index 3 is out of bounds for axis 1 with size 3"),
        (get2, (PLANE, -3, 0), "index -3 is out of bounds for axis 0 with size 2"),
        (put, (np.zeros(2), 9, 1.0), "index 9 is out of bounds for axis 0 with size 2"),
        (get, (np.zeros(0), 0), "index 0 is out of bounds for axis 0 with size 0"),
        (get2, (np.zeros((3, 0)), 1, 0), "index 0 is out of bounds for axis 1 with size 0"),
    ],
    ids=lambda thing: thing if isinstance(thing, str) else "",
)
def test_indices_out_of_range(function: Callable[..., Any], args: tuple[Any, ...], said: str):
    with pytest.raises(IndexError) as found:
        function(*args)
    with pytest.raises(IndexError) as wanted:
        function.__wrapped__(*args)  # type: ignore[attr-defined]
    assert str(found.value) == str(wanted.value) == said


def test_what_python_would_have_written_is_written():
    a = np.zeros(3)
    with pytest.raises(IndexError, match="index 3"):
        count(a, 5)
    assert a.tolist() == [1.0, 2.0, 3.0]


def test_negative_indices_and_strides():
    a = np.arange(5.0)[::-1]
    assert get(a, -1) == 0.0 and total(a) == 10.0 and put(a, 0, 9.0)[0] == 9.0
    assert get2(PLANE.T, 2, -1) == 5.0 and np.array_equal(double(np.asfortranarray(PLANE)), PLANE * 2)


def test_an_array_in_use_is_not_resized():
    a = np.arange(4.0)
    kept = middle(a)
    with pytest.raises(ValueError, match="cannot resize"):
        a.resize(10)
    assert kept.tolist() == [1.0, 2.0]


def test_a_view_keeps_its_array():
    def view() -> Any:
        return middle(np.arange(5.0))

    views = [view() for _ in range(100)]
    gc.collect()
    assert all(v.tolist() == [1.0, 2.0] for v in views)


def test_overlapping_parts():
    def shift(a):
        a[1:] = a[:-1]
        return a

    def shift_more(a):
        a[1:] += a[:-1]
        return a

    for function in (shift, shift_more):
        assert tscript.script(function)(np.arange(500.0)).tolist() == function(np.arange(500.0)).tolist()


def test_sizes_of_nothing_and_many_dimensions():
    assert double(np.zeros((0, 3))).shape == (0, 3) and total(np.zeros((3, 0))) == 0.0 and looped(np.zeros(0)) == 0.0
    assert double(np.array(3.0)) == 6.0 and sizes(np.array(3)) == (1, (), 0)
    many = np.ones((1,) * 10)
    assert sizes(many) == (1, (1,) * 10, 10) and total(many) == 1.0 and np.array_equal(double(many), many * 2)
    assert sizes(np.ones((1,) * 33)) == (1, (1,) * 33, 33)


def test_more_elements_than_32_bits_count():
    line = as_strided(np.ones(1), shape=(2**31 + 5,), strides=(0,))
    assert sizes(line) == (2**31 + 5, (2**31 + 5,), 1)
    assert get(line, 2**31 + 4) == get(line, -1) == 1.0
    with pytest.raises(IndexError, match=f"index {2**31 + 5} is out of bounds for axis 0 with size {2**31 + 5}"):
        get(line, 2**31 + 5)
    plane = np.broadcast_to(np.float32(2), (2**40, 2**18))
    assert sizes(plane)[0] == 2**58 and get2(plane, 2**40 - 1, -1) == 2.0
    with pytest.raises(IndexError, match=f"index {2**40} is out of bounds for axis 0"):
        get2(plane, 2**40, 0)


class Derived(np.ndarray[Any, Any]):
    pass


with warnings.catch_warnings(action="ignore"):
    MATRIX = np.matrix([[1.0, 2.0]])

REFUSED: dict[str, tuple[Any, str]] = {
    "bytes in the other order": (np.zeros(3, ">f8"), r"array\.astype\(np\.float64\)"),
    "objects": (np.zeros(3, "O"), "object: make numbers of the objects"),
    "strings": (np.zeros(3, "U3"), "<U3: pass numbers"),
    "bytes": (np.zeros(3, "S3"), r"\|S3: pass numbers"),
    "dates": (np.zeros(3, "M8[s]"), r"datetime64\[s\]: pass numbers"),
    "long floats": (np.zeros(3, "g"), r"pass array\.astype\(np\.float64\)"),
    "fields": (np.zeros(3, [("a", "f8"), ("b", "i4")]), r"pass one of its fields, array\['name'\]"),
    "records": (np.rec.array([(1.0, 2)], dtype=[("a", "f8"), ("b", "i4")]), "pass one of its fields"),
    "not aligned": (np.zeros(33, np.uint8)[1:].view(np.float64), r"not aligned in memory: pass array\.copy\(\)"),
    "masked": (np.ma.masked_array([1.0, 2.0], [False, True]), r"has no mask: pass array\.filled"),
    "matrix": (MATRIX, r"a matrix has products of its own: pass np\.asarray\(matrix\)"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_arrays_that_are_refused_by_name(name: str):
    array, said = REFUSED[name]
    with pytest.raises(TypeError, match=rf"total\(\) argument 'a' has no type.*{said}"):
        total(array)
    with pytest.raises(TypeError, match=rf"of_list\(\) argument 'xs' has no type.*{said}"):
        of_list([array])


Line = np.ndarray[tuple[int], np.dtype[np.float64]]


@dataclass
class Box:
    line: Line


@tscript.script
def of_lines(xs: list[Line]) -> float:
    s = 0.0
    for i in tscript.prange(len(xs)):
        s += xs[i][0]
    return s


@tscript.script
def of_box(box: Box) -> None:
    for i in tscript.prange(len(box.line)):
        box.line[i] += 1.0


@tscript.vectorize
def larger(x, y):
    return x if x > y else y


@pytest.mark.parametrize("name", [n for n in REFUSED if n not in ("masked", "matrix", "records")])
def test_arrays_in_lists_and_classes_and_of_ufuncs_are_refused_by_name(name: str):
    array, said = REFUSED[name]
    said = said.replace("pass numbers", ".*")
    with pytest.raises(TypeError, match=rf"element 0 must be ndarray\[float64, 1\], not ndarray: .*{said}"):
        of_lines([array])
    with pytest.raises(TypeError, match=rf"attribute 'line' must be ndarray\[float64, 1\], not ndarray: .*{said}"):
        of_box(Box(array))
    with pytest.raises(TypeError, match=rf"larger\(\) argument 'x' .*{said}"):
        larger(array, 1.0)
    with pytest.raises(TypeError, match=rf"larger\(\) argument 'out' .*{said}"):
        larger(np.ones(3), 1.0, out=array)


def test_arrays_of_another_type_in_lists_and_classes():
    with pytest.raises(TypeError, match=r"element 1 must be .*, not ndarray: it has 2 dimensions"):
        of_lines([np.ones(3), np.ones((2, 2))])
    with pytest.raises(TypeError, match=r"its dtype is float32, pass array\.astype\(np\.float64\)"):
        of_box(Box(np.ones(3, dtype=np.float32)))
    with pytest.raises(IndexError, match="index 0 is out of bounds for axis 0 with size 0"):
        of_lines([np.ones(3), np.ones(0)])
    with pytest.raises(ValueError, match="read-only"):
        of_box(Box(np.broadcast_to(np.ones(1), (5,))))
    assert of_lines([]) == 0.0 and of_lines([np.ones(1)] * 3) == 3.0


def test_ufuncs_of_unusual_shapes():
    ten = np.arange(2.0**10).reshape((2,) * 10)
    assert np.array_equal(larger(ten, ten.T), np.maximum(ten, ten.T))
    assert larger(np.zeros((1,) * 33), 1.0).shape == (1,) * 33
    assert larger(np.zeros((0, 3)), np.ones(3)).shape == (0, 3)
    out = np.zeros(())
    assert larger(np.zeros(()), 3.0, out=out) is out and out == 3.0
    line = np.arange(10.0)
    larger(line[:-1], 3.0, out=line[1:])
    assert line.tolist() == [0.0, 3.0, 3.0, 3.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]


def test_a_field_of_records():
    array = np.array([(1.0, 2), (3.0, 4)], dtype=[("a", "f8"), ("b", "i8")])
    assert total(array["a"]) == 4.0 and total(array["b"]) == 6
    put(array["a"], 0, 5.0)
    assert array["a"].tolist() == [5.0, 3.0]


def test_read_only_arrays_are_not_written():
    a = np.arange(3.0)
    a.flags.writeable = False

    def add(x):
        x += 1

    def order(x):
        x.sort()

    def part(x):
        x[1:] = 7

    def inside(xs):
        xs[0][0] = 5

    assert total(a) == 3.0
    for function, given in ((add, a), (order, a), (part, a), (inside, [a])):
        with pytest.raises((ValueError, RuntimeError), match="read-only"):
            tscript.script(function)(given)
    with pytest.raises(ValueError, match="assignment destination is read-only"):
        put(a, 0, 5.0)
    with pytest.raises(ValueError, match="assignment destination is read-only"):
        count(a, 2)
    assert a.tolist() == [0.0, 1.0, 2.0]


def test_files_in_memory_and_classes_of_arrays(tmp_path: Path):
    mapped = np.memmap(tmp_path / "numbers", dtype=np.float64, mode="w+", shape=(3,))
    put(mapped, 0, 5.0)
    assert mapped[0] == 5.0 and total(mapped) == 5.0 and np.shares_memory(itself(mapped), mapped)
    derived = np.arange(3.0).view(Derived)
    assert total(derived) == 3.0 and type(double(derived)) is np.ndarray
    with pytest.raises(TypeError, match=r"element 0 must be ndarray\[float64, 1\], not memmap"):
        of_list([mapped])


def test_an_error_on_several_threads_arrives_as_one():
    @tscript.script
    def divided(a, out):
        for i in tscript.prange(len(a)):
            out[i] = a[i + 1]
        return out

    a, out = np.arange(100000.0), np.zeros(100000)
    with pytest.raises(IndexError, match="index 100000 is out of bounds for axis 0 with size 100000"):
        divided(a, out)
