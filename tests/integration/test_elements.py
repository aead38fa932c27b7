"""Elements of tensors and arrays in loops: values, errors, aliases, memory that is read-only."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import tscript
from tscript import Tensor

DTYPES = ("float32", "float64", "int8", "int16", "int32", "int64", "uint8", "bool")


@tscript.script
def read_twice(x: Tensor, i: int, j: int) -> Tensor:
    return x[i, j] + x[i][j]


@tscript.script
def update(x: Tensor, y: Tensor) -> int:
    count = 0
    for i in range(x.shape[0]):
        if x[i] > y[i]:
            x[i] += y[i]
            count += 1
        elif x[i] == y[i]:
            x[i] = 7
        else:
            x[i] *= 2
    return count


@tscript.script
def view_between(x: Tensor) -> list[float]:
    first = x[0]
    row = x[1:]
    out = [float(first)]
    x.add_(1)
    out.append(float(first))
    row[0] = first
    first += 10
    out.append(x[0].item() + row[0].item())
    return out


@tscript.script
def write(x: Tensor, i: int) -> None:
    x[i] = 1


@tscript.script
def store(x: np.ndarray[tuple[int], np.dtype[np.float64]], i: int) -> None:
    x[i] = 1


@tscript.script
def scaled(x: Tensor, mask: Tensor) -> Tensor:
    out = x * x[0, 0]
    for i in range(mask.shape[0]):
        out = tscript.where(mask[i], out + x[i, 0], out)
    return out


@tscript.script
def halves(x: Tensor, d: Tensor) -> Tensor:
    out = x.clone()
    for i in range(x.shape[0]):
        out[i] = x[i] // d[i]
    return out


@tscript.script
def as_int(x: Tensor, i: int) -> int:
    return int(x[i])


@tscript.script
def product(a: Tensor, b: Tensor) -> Tensor:
    out = tscript.zeros((a.shape[0], b.shape[1]))
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            for k in range(a.shape[1]):
                out[i, j] += a[i, k] * b[k, j]
    return out


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_dtype_is_updated_as_numpy_does(dtype: str):
    x, y = np.array([0, 1, 3, 4, 1]).astype(dtype), np.array([1, 1, 2, 1, 0]).astype(dtype)
    if dtype == "bool":
        with pytest.raises(RuntimeError, match="can't be cast"):
            update(tscript.from_numpy(x) > 0, tscript.from_numpy(y.astype("int64")))
        return
    given = tscript.from_numpy(x.copy())
    assert update(given, tscript.from_numpy(y)) == int((x > y).sum())
    assert given.numpy().tolist() == np.where(x > y, x + y, np.where(x == y, np.array(7).astype(dtype), x * 2)).tolist()


def test_a_view_sees_what_is_written_later():
    assert view_between(tscript.tensor([1.0, 5.0])) == [1.0, 2.0, 14.0]


@pytest.mark.parametrize("index", [(3, 0, 3, 0, 2), (0, 4, 4, 0, 3), (-3, 0, -3, 0, 2), (0, -4, -4, 0, 3)])
def test_an_index_outside_is_refused_as_by_select(index: tuple[int, int, int, int, int]):
    i, j, shown, dim, size = index
    with pytest.raises(IndexError, match=f"index {shown} is out of bounds for dimension {dim} with size {size}"):
        read_twice(tscript.zeros((2, 3)), i, j)


def test_memory_that_is_read_only_is_not_written():
    a = np.zeros(3)
    a.flags.writeable = False
    with pytest.raises(ValueError, match="assignment destination is read-only"):
        store(a, 1)
    with pytest.raises(RuntimeError, match="memory of this tensor is read-only"):
        write(a, 1)
    assert not a.any()
    a.flags.writeable = True
    store(a, 1)
    write(a, 2)
    assert a.tolist() == [0, 1, 1]


def test_a_dimension_that_was_expanded_is_written_by_element():
    x = tscript.zeros((1,))
    write(x.expand(3), 2)
    assert x.tolist() == [1]


def test_elements_are_numbers_beside_tensors_with_dimensions():
    x, mask = np.arange(1, 7, dtype="f4").reshape(2, 3), np.array([False, True])
    got = scaled(tscript.from_numpy(x), tscript.from_numpy(mask))
    assert got.numpy().tolist() == (x * x[0, 0] + x[1, 0]).tolist()


def test_a_division_of_integers_by_zero_raises():
    x = tscript.tensor([7, -7, 5])
    assert halves(x, tscript.tensor([2, 2, -2])).tolist() == [3, -4, -3]
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        halves(x, tscript.tensor([2, 0, 1]))


@pytest.mark.parametrize(
    ("value", "error"), [(float("nan"), ValueError), (float("inf"), OverflowError), (1e30, OverflowError)]
)
def test_no_float_becomes_an_int_that_it_is_not(value: float, error: type[Exception]):
    with pytest.raises(error):
        as_int(tscript.tensor([value]), 0)
    assert as_int(tscript.tensor([-2.7]), -1) == -2


def test_products_accumulate_in_order():
    a, b = np.random.default_rng(1).random((4, 5), "f4"), np.random.default_rng(2).random((5, 3), "f4")
    want = np.zeros((4, 3), "f4")
    for i, j, k in np.ndindex(4, 3, 5):
        want[i, j] += a[i, k] * b[k, j]
    assert product(tscript.from_numpy(a), tscript.from_numpy(b)).numpy().tobytes() == want.tobytes()


@pytest.mark.parametrize("call", [lambda: update(tscript.ones((3,)), tscript.ones((2,)))])
def test_what_was_written_before_an_error_stays(call: Callable[[], int]):
    x = tscript.ones((3,))
    with pytest.raises(IndexError, match="index 2 is out of bounds for dimension 0 with size 2"):
        update(x, tscript.ones((2,)))
    assert x.tolist() == [7, 7, 1]
    with pytest.raises(IndexError):
        call()


def test_callbacks_of_single_operators_see_each_element():
    x, seen = tscript.ones((2,)), list[str]()
    handle = tscript.add_global_callback(
        lambda record: seen.append(record.name), scopes=["OPERATOR"], granularity="operator"
    )
    write(x, 1)
    handle.remove()
    assert seen == ["select", "fill_"]


@tscript.script
def element_as_out(x: Tensor) -> Tensor:
    out = x * 0
    for row in x.reshape(-1):
        y = tscript.maximum(x + 1, x * 2, out=row)
        out = out + y * row
    return out


def test_element_that_is_out() -> None:
    """An element that an operator writes with ``out=`` while its other operands have no dimensions either."""
    x = tscript.tensor(3.0)
    assert float(element_as_out(x)) == 36.0
    assert float(x) == 6.0
