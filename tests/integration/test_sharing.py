"""Arrays of NumPy in place of tensors: memory is shared both ways, and results come back as what went in."""

from __future__ import annotations

import gc
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tscript
from tscript import Tensor
from tscript.runtime.session.process import current
from tscript.types import dtypes


@tscript.script
def doubled(x: Tensor) -> Tensor:
    return x + x


@tscript.script
def same(x: Tensor) -> Tensor:
    return x


@tscript.script
def written(x: Tensor) -> Tensor:
    x.zero_()
    return x


@tscript.script
def several(xs: tuple[Tensor, Tensor], n: int) -> tuple[Tensor, tuple[Tensor, int]]:
    return xs[0] + n, (xs[1][1:], n)


@tscript.script
def added(x: Tensor, y: Tensor) -> Tensor:
    return x + y


def _of_rank(rank: int, dtype: Any) -> Any:
    shape = tuple((2, 3, 1)[i % 3] for i in range(rank))
    return np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(dtype)


LAYOUTS: list[Any] = [
    lambda x: x,
    lambda x: x.T,
    lambda x: x[..., ::-1] if x.ndim else x,
    lambda x: x[::2] if x.ndim else x,
    lambda x: x[:0] if x.ndim else x,
    lambda x: np.broadcast_to(x, (2, *x.shape)),
    lambda x: np.asfortranarray(x),
]


@pytest.mark.parametrize("dtype", [d.name for d in dtypes.DTYPES if d is not dtypes.bfloat16])
@pytest.mark.parametrize("rank", range(11))
def test_arrays_of_all_dtypes_ranks_and_layouts(rank: int, dtype: str) -> None:
    whole = _of_rank(rank, dtype)
    for layout in LAYOUTS:
        given = layout(whole)
        expected = doubled(tscript.from_numpy(given)).numpy()
        for _ in range(2):
            found = doubled(given)
            assert type(found) is np.ndarray
            assert (found.dtype, found.shape, found.tolist()) == (expected.dtype, expected.shape, expected.tolist())
            assert same(given) is given


@pytest.mark.parametrize("letter", np.typecodes["AllInteger"])
def test_every_integer_of_numpy_is_taken_or_refused_by_name(letter: str) -> None:
    given = np.arange(3, dtype=letter)
    if given.dtype.name in dtypes.BY_NAME:
        assert doubled(given).tolist() == [0, 2, 4]
        assert doubled(given).tolist() == [0, 2, 4]
    else:
        with pytest.raises(TypeError, match=f"cannot hold NumPy's {given.dtype.name}: pass array.astype"):
            doubled(given)


def test_memory_is_shared_both_ways() -> None:
    given = np.arange(6.0)
    for _ in range(2):
        (first, (rest, n)) = several((given, given[2:]), 1)
        assert (first.tolist(), rest.tolist(), n) == ((given + 1).tolist(), given[3:].tolist(), 1)
        assert np.shares_memory(rest, given)
        assert rest.base is not None
        rest[0] = 40.0
        assert given[3] == 40.0
        given[3] = 3.0
    assert written(given) is given
    assert not given.any()


def test_a_view_keeps_the_array_alive() -> None:
    @tscript.script
    def tail(x: Tensor) -> Tensor:
        return x[1:]

    for _ in range(3):
        found = tail(np.arange(1000.0))
        gc.collect()
        assert found.tolist() == list(range(1, 1000))
        assert tail(found).tolist() == list(range(2, 1000))


def test_a_result_outlives_everything_else() -> None:
    results = [doubled(np.full(n, 1.5)) for n in range(300)]
    gc.collect()
    for n, found in enumerate(results):
        assert found.tolist() == [3.0] * n
        assert found.flags.writeable
        assert found.flags.aligned
        assert found.flags.c_contiguous


def test_arrays_are_released() -> None:
    given = np.arange(4.0)
    other = np.arange(3.0)
    base = sys.getrefcount(given)
    for _ in range(200):
        doubled(given)
        same(given)
        written(given)
        several((given, given), 1)
        with pytest.raises(RuntimeError):
            added(given, other)
        with pytest.raises(OverflowError):
            several((given, given), 1 << 70)
    gc.collect()
    assert sys.getrefcount(given) == base


def test_a_read_only_array_refuses_writes_and_its_views_are_read_only() -> None:
    given = np.arange(4.0)
    given.flags.writeable = False

    @tscript.script
    def tail(x: Tensor) -> Tensor:
        return x[1:]

    for _ in range(2):
        with pytest.raises(RuntimeError, match="read-only"):
            written(given)
        found = tail(given)
        assert not found.flags.writeable
        assert doubled(given).flags.writeable
    assert given.tolist() == [0.0, 1.0, 2.0, 3.0]


def test_one_tensor_among_arrays_makes_results_tensors() -> None:
    array, tensor = np.ones(2, np.float32), tscript.ones(2)
    for _ in range(2):
        assert type(added(array, array)) is np.ndarray
        assert type(added(array, tensor)) is Tensor
        assert type(added(tensor, array)) is Tensor
        assert type(added(tensor, tensor)) is Tensor
    assert same(tensor) is tensor


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (np.zeros(2, ">f8" if sys.byteorder == "little" else "<f8"), "other order: pass array.astype(np.float64)"),
        (np.zeros(2, object), "hold NumPy's object: make numbers of the objects, array.astype(np.float64)"),
        (np.zeros(2, "U3"), "hold NumPy's <U3: pass numbers"),
        (np.zeros(2, "S3"), "hold NumPy's |S3: pass numbers"),
        (np.zeros(2, np.longdouble), "pass array.astype(np.float64)"),
        (np.zeros(2, "M8[s]"), "pass numbers, array.astype(np.int64)"),
        (np.zeros(2, [("a", "i4"), ("b", "f8")]), "pass one of its fields, array['name']"),
        (np.zeros(17, np.uint8)[1:].view(np.float64), "its elements are not aligned in memory: pass array.copy()"),
        (np.ma.masked_array([1.0, 2.0], [True, False]), "has no mask: pass array.filled(value), or array.data"),
    ],
)
def test_arrays_that_cannot_be_shared_say_what_to_pass(given: Any, said: str) -> None:
    for _ in range(2):
        with pytest.raises(TypeError) as caught:
            doubled(given)
        assert str(caught.value).startswith("doubled() argument 'x' must be Tensor, not ")
        assert said in str(caught.value)
    with pytest.raises(TypeError) as caught:
        tscript.exp(given)
    assert said in str(caught.value)


def test_an_array_of_a_subclass_is_taken_as_the_ndarray_under_it(tmp_path: Any) -> None:
    mapped = np.memmap(tmp_path / "numbers", np.float32, "w+", shape=(3,))
    for _ in range(2):
        assert type(doubled(mapped)) is np.ndarray
        written(mapped)
        mapped[:] = 1.0
        assert doubled(mapped).tolist() == [2.0] * 3


def test_operators_take_arrays() -> None:
    x = np.array([[1.0, 2.0], [3.0, 4.0]])
    for _ in range(2):
        assert type(tscript.exp(x)) is np.ndarray
        assert tscript.cat([x, x]).shape == (4, 2)
        assert type(tscript.cat([x, tscript.from_numpy(x)])) is Tensor
        assert tscript.sum(x, 1).tolist() == [3.0, 7.0]


@tscript.script
def maybe(x: Tensor | None, n: int) -> Tensor | None:
    return None if x is None else x * n


@tscript.script
def summed(xs: list[Tensor]) -> Tensor:
    total = xs[0]
    for i in range(1, len(xs)):
        total = total + xs[i]
    return total


@tscript.script
def swapped(xs: list[Tensor]) -> bool:
    first = xs[0]
    xs[0] = xs[1]
    xs[1] = first
    xs.append(first + 1.0)
    return xs[0] is xs[1]


@tscript.script
def by_name(xs: dict[str, Tensor]) -> dict[str, Tensor]:
    return {name: x + x for name, x in xs.items()}


class Layer:
    weight: Tensor

    def __init__(self, weight: Tensor) -> None:
        self.weight = weight


@tscript.script
def stepped(layer: Layer) -> Tensor:
    before = layer.weight
    layer.weight = before * 2.0
    return before


@tscript.script
def either(x: Tensor | int) -> Tensor | int:
    return x


def test_arrays_in_other_values() -> None:
    a: Any = np.arange(4, dtype=np.float32)
    b: Any = np.ones(4, np.float32)
    for _ in range(2):
        assert maybe(None, 1) is None
        assert type(maybe(a, 2)) is np.ndarray
        assert summed([a]) is a
        assert type(summed([a, b])) is np.ndarray
        given = [a, b]
        assert not swapped(given)
        assert given[0] is b
        assert given[1] is a
        assert type(given[2]) is np.ndarray
        assert swapped([a, a])
        assert by_name({"a": a})["a"].tolist() == [0.0, 2.0, 4.0, 6.0]
        layer = Layer(a)
        assert stepped(layer) is a
        assert type(layer.weight) is np.ndarray
        assert either(a) is a
        assert either(3) == 3


def test_one_tensor_in_other_values_makes_results_tensors() -> None:
    a: Any = np.arange(4, dtype=np.float32)
    for _ in range(2):
        given = [a, tscript.ones(4)]
        assert type(summed(given)) is Tensor
        assert not swapped(given)
        assert given[1] is a
        assert type(given[2]) is Tensor


def test_arrays_in_other_values_are_released() -> None:
    given: Any = np.arange(4.0)

    def everything() -> None:
        maybe(given, 1)
        summed([given, given])
        swapped([given, given])
        by_name({"x": given})
        stepped(Layer(given))
        with pytest.raises(RuntimeError):
            summed([given, np.ones(3)])

    everything()
    gc.collect()
    before = sys.getrefcount(given)
    for _ in range(50):
        everything()
    gc.collect()
    assert sys.getrefcount(given) == before


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda x: summed([x]), "argument 'xs' of summed(): element 0 must be Tensor, not ndarray: "),
        (lambda x: maybe(x, 1), "argument 'x' of maybe() must be Optional[Tensor], not ndarray: "),
        (
            lambda x: stepped(Layer(x)),
            "argument 'layer' of stepped(): attribute 'weight' must be Tensor, not ndarray: ",
        ),
    ],
)
def test_arrays_in_other_values_that_cannot_be_shared_say_what_to_pass(call: Any, said: str) -> None:
    for _ in range(2):
        with pytest.raises(TypeError) as caught:
            call(np.zeros(2, object))
        assert str(caught.value).startswith(said)
        assert str(caught.value).endswith("make numbers of the objects, array.astype(np.float64)")


def test_a_declared_array_is_an_array_whatever_else_is_given() -> None:
    @tscript.script
    def counted(xs: list[int]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        return np.zeros(len(xs))

    @tscript.script
    def first(
        xs: np.ndarray[tuple[int], np.dtype[np.float64]], y: Tensor, ns: list[int]
    ) -> tuple[np.ndarray[tuple[int], np.dtype[np.float64]], Tensor]:
        return xs, y + len(ns)

    a = np.ones(2)
    for _ in range(2):
        assert type(counted([1, 2])) is np.ndarray
        array, tensor = first(a, tscript.ones(2), [1])
        assert array is a
        assert type(tensor) is Tensor
        array, other = first(a, a, [1])
        assert array is a
        assert type(other) is np.ndarray


def test_arrays_are_taken_where_no_stub_can_be_made(monkeypatch: pytest.MonkeyPatch) -> None:
    @tscript.script
    def pair(n: int, x: Tensor, y: Tensor, m: int) -> tuple[Tensor, int, tuple[Tensor, Tensor]]:
        return x + n, m, (y, y[1:])

    monkeypatch.setattr(type(current().native.stubs), "serves", lambda *_: False)
    x, y = np.arange(2.0), np.arange(3.0)
    for _ in range(2):
        added, number, (same, rest) = pair(1, x, y, 7)
        assert (added.tolist(), number, rest.tolist()) == ([1.0, 2.0], 7, [1.0, 2.0])
        assert type(added) is np.ndarray
        assert same is y
        assert np.shares_memory(rest, y)


def test_python_functions_may_return_arrays_for_tensors() -> None:
    @tscript.ignore
    def doubled_by_numpy(x: Tensor) -> Tensor:
        assert type(x) is Tensor
        result: Any = np.asarray(x) * 2
        return result

    @tscript.script
    def calls(x: Tensor) -> Tensor:
        return doubled_by_numpy(x) + 1

    for _ in range(2):
        assert calls(np.ones(2)).tolist() == [3.0, 3.0]
        assert calls(tscript.ones(2)).tolist() == [3.0, 3.0]


def test_an_archive_takes_arrays(tmp_path: Path) -> None:
    path = tmp_path / "model.tsa"
    x = np.arange(4.0)
    several((x, x), 1)
    tscript.save(several, path, native=["host"])
    loaded = tscript.load(path, trust_native=True)
    for _ in range(3):
        first, (rest, n) = loaded((x, x), 2)
        assert (first.tolist(), rest.tolist(), n) == ([2.0, 3.0, 4.0, 5.0], [1.0, 2.0, 3.0], 2)
        assert np.shares_memory(rest, x)
        with pytest.raises(OverflowError):
            loaded((x, x), 1 << 70)


@tscript.script
def accumulated(x: Tensor, y: Tensor) -> None:
    x.add_(y)


def test_arrays_that_overlap_are_written_as_if_they_did_not() -> None:
    for first, second in (
        (slice(1, None), slice(None, -1)),
        (slice(None, -1), slice(1, None)),
        (slice(None), slice(None)),
    ):
        for _ in range(2):
            a = np.arange(1000.0)
            expected = a[first] + a[second]
            accumulated(a[first], a[second])
            assert (a[first] == expected).all()


@tscript.script
def identical(x: Tensor, y: Tensor, z: tuple[Tensor, int]) -> tuple[bool, bool, bool]:
    return x is y, y is z[0], x is z[0]


def test_one_object_is_one_tensor(tmp_path: Path) -> None:
    a, b = np.ones(2), np.ones(2)
    path = tmp_path / "model.tsa"
    identical(a, b, (b, 1))
    tscript.save(identical, path, native=["host"])
    before = sys.getrefcount(a)
    for function in (identical, tscript.load(path, trust_native=True)):
        for _ in range(2):
            assert function(a, a, (a, 1)) == (True, True, True)
            assert function(a, b, (b, 1)) == (False, True, False)
            assert function(a, b, (a, 1)) == (False, False, True)
            assert function(a, a.view(), (b, 1)) == (False, False, False)
    assert sys.getrefcount(a) == before


@tscript.script
def worked(xs: list[Tensor], rounds: int) -> Tensor:
    total = xs[0] * 0.0
    for _ in range(rounds):
        for x in xs:
            total = total + x
    return total


def test_owners_let_go_of_arrays_while_native_code_uses_them() -> None:
    given: list[Any] = [np.ones(20_000) for _ in range(4)]
    found: list[Any] = []
    worked(given, 1)
    threads = [threading.Thread(target=lambda: found.append(worked(list(given), 60))) for _ in range(3)]
    for thread in threads:
        thread.start()
    for i in range(60):
        given[i % 4] = np.ones(20_000)  # the old one may now belong to native code alone
        np.full(20_000, 7.0)
        time.sleep(0.0005)
    for thread in threads:
        thread.join()
    for result in found:
        assert type(result) is np.ndarray
        assert (result == 240.0).all()


def test_threads_share_one_array() -> None:
    given: Any = np.arange(5000.0)
    before = sys.getrefcount(given)
    wrong: list[object] = []

    def use() -> None:
        for _ in range(300):
            if doubled(given)[4999] != 9998.0 or same(given) is not given:
                wrong.append(1)

    doubled(given)
    threads = [threading.Thread(target=use) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert sys.getrefcount(given) == before


def test_forked_calls_take_arrays_and_give_tensors() -> None:
    for _ in range(2):
        found = tscript.fork(added, np.ones(2), np.ones(2)).wait()
        assert type(found) is Tensor
        assert found.tolist() == [2.0, 2.0]


def test_resizing_an_array_is_refused_while_a_view_of_it_lives() -> None:
    @tscript.script
    def tail(x: Tensor) -> Tensor:
        return x[1:]

    given = np.arange(4.0)
    doubled(given)
    given.resize(8)  # nothing refers to it any more
    found = tail(given)
    with pytest.raises(ValueError, match="cannot resize"):
        given.resize(100)
    assert found.tolist() == [1.0, 2.0, 3.0, 0.0, 0.0, 0.0, 0.0]
