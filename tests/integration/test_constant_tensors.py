"""Tensors of the module, of enclosing functions and of classes: compiled code reads their memory and leaves it
alone."""

from __future__ import annotations

import gc
import linecache
import weakref
from typing import Any

import numpy as np
import pytest

import tscript
from tscript import Tensor
from tscript.api import Module, archive_of
from tscript.archive import pack, unpack
from tscript.types import dtypes, parse_type

W = tscript.tensor([[1.0, 2.0], [3.0, 4.0]])
V = W.t()
COUNTS: Any = np.arange(12, dtype=np.int32).reshape(3, 4)[:, ::-2]
EMPTY = np.zeros((0, 3))
PAIR = (W, tscript.tensor([7, 8]))


class Layer:
    weight = tscript.tensor([10.0, 20.0])

    def __init__(self, n: int) -> None:
        self.n = n

    def run(self, x: Tensor) -> Tensor:
        return x * self.weight + Layer.weight * self.n


def branches(x: Tensor, n: int) -> Tensor:
    y = x
    for i in range(n):
        y = y @ W if i % 2 else W
        y = y + COUNTS[1:].sum() + V[i % 2]
    return y


def items(n: int) -> float:
    total = 0.0
    for i in range(n):
        total += float(W[i][1]) * len(COUNTS) + len(EMPTY)
    return total


def held(n: int) -> tuple[Tensor, Tensor, Tensor, tuple[Tensor, Tensor]]:
    kept = [W, PAIR[0], V]
    names = {"w": W, "c": PAIR[1]}
    return PAIR[1] + n, kept[n] * names["w"], names["c"], PAIR


def in_class(x: Tensor, n: int) -> Tensor:
    return Layer(n).run(x)


def pick(n: int) -> Tensor:
    return W if n else V


def through_call(n: int) -> Tensor:
    y = pick(n)
    y += 1
    return y


def in_task(x: Tensor) -> Tensor:
    return x + W


def tasks(x: Tensor) -> Tensor:
    future = tscript.fork(in_task, x)
    return tscript.wait(future) * W


@pytest.mark.parametrize(
    ("function", "calls"),
    [
        (branches, [(np.ones((2, 2)), n) for n in range(3)]),
        (items, [(n,) for n in (0, 2, 3)]),
        (held, [(1,)]),
        (in_class, [(np.ones(2, np.float32), 2)]),
        (tasks, [(np.ones(2, np.float32),)]),
    ],
)
def test_every_way_to_run_reads_the_same(harness: Any, function: Any, calls: list[tuple[Any, ...]]) -> None:
    for args in calls:
        harness.agree(function, *args)


@pytest.mark.parametrize("dtype", [d.name for d in dtypes.EVERY if d is not dtypes.bfloat16])
def test_every_dtype(harness: Any, dtype: str) -> None:
    array: Any = np.array([[0, 1, 1], [1, 0, 1]], dtype)[:, ::2]
    tensor, single = tscript.from_numpy(array), np.array(1, dtype)
    other = dtype if dtype in ("uint16", "uint32", "uint64") else "int8"  # those have no promotion

    def f(x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        return array + x, tensor.t(), single

    found = harness.agree(f, np.ones(2, other), python=False)
    assert [v.dtype.name for v in found.value[1:]] == [dtype, dtype]
    np.testing.assert_array_equal(found.value[1], array.T)


def test_bfloat16() -> None:
    tensor = tscript.tensor([[0, 1, 1], [1, 0, 1]], dtype=tscript.bfloat16)[:, ::2]  # NumPy has no such arrays

    @tscript.script
    def f(x: Tensor) -> tuple[Tensor, Tensor]:
        return tensor + x, tensor.t()

    total, other = f(tscript.ones(2, dtype=tscript.int8))
    assert (total.dtype, other.dtype) == (tscript.bfloat16, tscript.bfloat16)
    assert (total.tolist(), other.tolist()) == ([[1, 2], [2, 2]], [[0, 1], [1, 1]])


def test_memory_is_shared_and_writes_of_python_are_seen() -> None:
    w, a = tscript.zeros(2), np.zeros(3)

    @tscript.script
    def f(x: Tensor) -> tuple[Tensor, Tensor, float]:
        before = w + 0
        x += 1
        return before, w * 1, float(w.sum()) + float(a[1])

    @tscript.script
    def same() -> Tensor:
        return w

    assert f(tscript.zeros(2))[2] == 0
    w[0] = 5
    a[1] = 2
    assert f(tscript.zeros(2))[2] == 7
    before, after, total = f(w)  # what is written is an argument, and the constant too
    assert (before.tolist(), after.tolist(), total) == ([5, 0], [6, 1], 9)
    assert same().data_ptr() == w.data_ptr()
    with pytest.raises(RuntimeError, match="read-only"):
        same().add_(1)
    w += 1
    assert same().tolist() == [7, 2]


WRITES = ["W.add_(1)", "W[0] = 1", "W[0][1:] += 2", "W.t().mul_(2)", "PAIR[0].zero_()", "Layer.weight[0] = x[0]"]


@pytest.mark.parametrize("write", WRITES)
def test_a_write_that_is_seen_is_an_error(write: str) -> None:
    names: dict[str, Any] = {"W": W, "PAIR": PAIR, "Layer": Layer, "Tensor": Tensor}
    text = f"def f(x: Tensor) -> Tensor:\n    {write}\n    return x\n"
    linecache.cache["<writes>"] = (len(text), None, text.splitlines(True), "<writes>")
    exec(compile(text, "<writes>", "exec", dont_inherit=True), names)
    with pytest.raises(tscript.CompileError, match=r"constant of compiled code.*\n.*\n.*\n.*clone\(\)") as caught:
        tscript.script(names["f"])
    assert isinstance(caught.value, TypeError)


@pytest.mark.parametrize("n", [0, 1])
def test_a_write_that_only_a_run_can_see_raises(harness: Any, n: int) -> None:
    scripted = tscript.script(through_call)
    with pytest.raises(RuntimeError, match="read-only"):
        scripted(n)
    assert W.tolist() == [[1, 2], [3, 4]]
    found = harness.agree(through_call, n, python=False)
    assert found.error is not None


def test_containers_and_custom_kernels_refuse_too() -> None:
    @tscript.script
    def f(x: Tensor, n: int) -> None:
        kept = [x, W, V]
        if n == 3:
            kept[1][0] = x[0]
        elif n == 4:
            kept[1].copy_(x)
        elif n == 5:
            kept[2].fill_(1)
        else:
            kept[n] -= 1
            kept[n].clamp_(0, 1)

    f(tscript.zeros(2, 2), 0)
    for n in range(1, 6):
        with pytest.raises(RuntimeError, match="read-only"):
            f(tscript.zeros(2, 2), n)
    assert W.tolist() == [[1, 2], [3, 4]]


@pytest.mark.parametrize(
    ("array", "what"),
    [
        (np.zeros(2, "M8[s]"), "an ndarray of datetime64"),
        (np.array(["a"]), "an ndarray of <U1"),
        (np.zeros(2, ">f4"), "an ndarray of >f4"),
        (np.ma.masked_array([1.0], [True]), "an ndarray of float64"),
        (np.zeros(3, np.dtype([("a", "i1"), ("b", "f8")]))["b"], "not aligned"),
    ],
)
def test_arrays_that_are_no_tensors(array: Any, what: str) -> None:
    def f() -> int:
        return int(array.size(0))

    with pytest.raises(tscript.CompileError, match=f"TS305|{what}"):
        tscript.script(f)


def test_a_tensor_goes_with_the_function() -> None:
    array = np.zeros(3)
    gone = weakref.ref(array)

    def make(w: Any) -> Any:
        def f(n: int) -> float:
            return float(w[n])

        return tscript.script(f)

    f = make(array)
    del array
    assert f(1) == 0
    gc.collect()
    assert gone() is not None
    del f
    gc.collect()
    assert gone() is None


LIMITS = tscript.tensor([[1000, 1], [2, 3]])


def within(x: Tensor) -> Tensor:
    return (LIMITS < x) & (x > 0)


def test_operators_are_observed_one_by_one() -> None:
    x = tscript.tensor([[1000], [2]])
    archive = archive_of(
        {"within": tscript.script(within)},
        native=True,
        observed=True,
        signatures=[(None, (parse_type("Tensor[int64, 2]"),))],
    )
    assert {n.observed for n in archive.entries["within"].native} == {"", "groups", "single"}
    assert Module(unpack(pack(archive)), trust_native=True).within(x).tolist() == [[False, True], [False, False]]
