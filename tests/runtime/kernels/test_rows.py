"""The walk of fused groups over arrays of any layout, under CPython over checked memory: nothing outside is touched."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from tscript import dialect
from tscript.abi import rows as cells
from tscript.dialect import TypeName, i64, memory_model, pointer
from tscript.dialect.memory_model import to_address
from tscript.runtime.kernels import rows
from tscript.runtime.kernels import tensor as headers
from tscript.types import MACHINE, dtypes


def plan_of(model: Any, capacity: int, shapes: int, arrays: int) -> Any:
    """A plan for tensors of at most `capacity` dimensions."""
    fixed, of_dimension = cells.plan_cells(shapes, arrays)
    plan = model.ints((0,) * (fixed + capacity * of_dimension))
    plan[cells.CAPACITY] = capacity
    return plan


def walk(model: Any, inputs: list[Any], out: Any, parts: int = 0) -> tuple[Any, int]:
    """Add up `inputs` into `out` run by run, as the loop of a group would, in so many parts unless it is 0. Gives the
    result and the number of runs."""
    arrays = [*inputs, out]
    rank = max(a.ndim for a in arrays)
    tensors = [model.tensor(a) for a in arrays]
    program = model.ints((len(inputs), 1, len(inputs), len(arrays), 4, -1, len(inputs), *range(len(inputs))))
    plan = plan_of(model, rank, len(inputs) + 1, len(arrays))
    task = model.ints((0,) * (2 * len(arrays)))
    buffers: Any = memory_model.allocate(len(arrays) * cells.BLOCK_BYTES, i64, "buffers")
    assert rows.broadcast_members(program, plan, model.pointers(tensors[:-1])) == -1
    rows.rows_begin(program, plan, model.pointers(tensors), task, buffers)
    runs = 0

    def run(plan: Any, task: Any) -> None:
        nonlocal runs
        while (n := rows.rows_next(program, plan, task)) > 0:
            runs += 1
            pointers = []
            for k, array in enumerate(arrays):
                machine = MACHINE[dtypes.BY_NAME[array.dtype.name].machine]
                pointers.append((pointer(task[2 * k], TypeName(machine)), task[2 * k + 1]))
            for i in range(n):
                pointers[-1][0][i] = sum(p[i & mask] for p, mask in pointers[:-1])
        assert rows.rows_next(program, plan, task) == 0

    units = rows.rows_parts(plan)
    if not parts or not units:
        run(plan, task)
        return model.view(tensors[-1]), runs
    cells_of_plan = sum(n * (rank if k else 1) for k, n in enumerate(cells.plan_cells(len(inputs) + 1, len(arrays))))
    ends = [units * k // parts for k in range(parts + 1)]
    for begin, end in list(pairwise(ends))[::-1]:
        if begin < end:
            own, own_task = model.ints((0,) * cells_of_plan), model.ints((0,) * 2 * len(arrays))
            own_buffers: Any = memory_model.allocate(len(arrays) * cells.BLOCK_BYTES, i64, "buffers")
            shared = model.ints((to_address(plan), to_address(task), cells_of_plan, 2 * len(arrays)))
            rows.rows_enter(program, shared, own, own_task, own_buffers, begin, end)
            run(own, own_task)
    return model.view(tensors[-1]), runs


@pytest.mark.parametrize(
    ("shape", "views", "runs"),
    [
        ((3, 40), (np.s_[:], np.s_[:]), 1),
        ((3, 40), (np.s_[:], np.s_[:1]), 3),
        ((3, 40), (np.s_[:], np.s_[:, :1]), 3),
        ((3, 40), (np.s_[:, ::-1], np.s_[:]), 3),
        ((3, 600), (np.s_[:, ::-1], np.s_[:]), 9),
        ((300, 3), (np.s_[:], np.s_[:1]), 4),
        ((300, 3), (np.s_[:], np.s_[:, :1]), 4),
        ((2, 90, 3), (np.s_[:, ::-1], np.s_[:, :1]), 4),
        ((1, 1), (np.s_[:], np.s_[:]), 1),
        ((4, 0), (np.s_[:], np.s_[:1]), 0),
    ],
)
def test_walk(model: Any, shape: tuple[int, ...], views: tuple[Any, Any], runs: int) -> None:
    x = np.arange(np.prod(shape), dtype=np.int64).reshape(shape)
    a, b = x[views[0]], x[views[1]] * 1000
    found, counted = walk(model, [a, b], np.zeros(shape, np.int64))
    np.testing.assert_array_equal(found, a + b)
    assert counted == runs


@pytest.mark.parametrize("parts", [1, 2, 7])
def test_walk_in_parts(model: Any, monkeypatch: pytest.MonkeyPatch, parts: int) -> None:
    monkeypatch.setattr(rows, "UNIT", 70)
    for shape, first, second in (
        ((5, 90), np.s_[:, ::-1], np.s_[:1]),
        ((90, 3), np.s_[:], np.s_[:, :1]),
        ((2, 70, 3), np.s_[:, ::-1], np.s_[:, :1]),
        ((3, 4, 50), np.s_[::-1], np.s_[:, :, :1]),
        ((700,), np.s_[::-1], np.s_[:1]),
        ((1, 1), np.s_[:], np.s_[:]),
    ):
        x = np.arange(np.prod(shape), dtype=np.int64).reshape(shape)
        a, b = x[first], x[second] * 1000
        np.testing.assert_array_equal(walk(model, [a, b], np.zeros(shape, np.int64), parts)[0], a + b)
    x = np.arange(60 * 50).reshape(60, 50)
    for view in (np.s_[::2, ::-1], np.s_[:, ::7]):
        found, _ = walk(model, [x[view].T], np.zeros((60, 50), np.int64)[view].T, parts)
        np.testing.assert_array_equal(found, x[view].T)


@pytest.mark.parametrize("parts", [1, 3])
def test_walk_over_tiles_in_parts(model: Any, parts: int) -> None:
    for shape in ((37, 300), (2, 20, 300)):
        x = np.arange(np.prod(shape), dtype=np.int64).reshape(shape)
        y = np.ascontiguousarray(np.swapaxes(x, -1, -2)) * 100_000
        found, runs = walk(model, [x, np.swapaxes(y, -1, -2)], np.zeros(shape, np.int64), parts)
        np.testing.assert_array_equal(found, x * 100_001)
        assert runs == 2 * x.size // 300


@pytest.mark.parametrize("dtype", ["int8", "int16", "float32", "float64"])
def test_walk_into_a_strided_result(model: Any, dtype: str) -> None:
    x = np.arange(40 * 50, dtype=dtype).reshape(40, 50) % 100
    for view in (np.s_[::2, ::-1], np.s_[:, ::7], np.s_[5:8, 3:4]):
        out = np.zeros((40, 50), dtype)
        found, _ = walk(model, [x[view]], out[view])
        np.testing.assert_array_equal(found, x[view])
        found, _ = walk(model, [x[view].T], out[view].T)
        np.testing.assert_array_equal(found, x[view].T)


def test_a_transposed_result_is_walked_as_it_lies(model: Any) -> None:
    x = np.arange(60.0).reshape(6, 10)
    found, runs = walk(model, [x.T], np.zeros((6, 10)).T)
    np.testing.assert_array_equal(found, x.T)
    assert runs == 1


def test_separate(model: Any) -> None:
    storage = np.zeros((6, 8), np.float32)
    base = model.tensor(storage)

    def view(view_of: Any) -> Any:
        out = headers.view_of(base, view_of.ndim)
        out.data = base.data + (view_of.ctypes.data - storage.ctypes.data)
        for d in range(view_of.ndim):
            headers.sizes_of(out)[d] = view_of.shape[d]
            headers.strides_of(out)[d] = view_of.strides[d] // 4
        headers.finish_layout(out)
        return out

    def is_copied(a: Any, b: Any) -> bool:
        written, read = view(a), view(b)
        found = rows.separate(written, read)
        copied = found != read
        for t in (written, read, found):
            headers.tensor_release(t)
        return bool(copied)

    assert not is_copied(storage, storage)
    assert not is_copied(storage[:2], storage[2:])
    assert not is_copied(storage[:0], storage[:0])
    assert is_copied(storage[1:], storage[:-1])
    assert is_copied(storage[:, :6], storage[:, :6].T)
    assert is_copied(storage, storage[:, ::-1])
    assert not is_copied(storage[2], storage[2])


def test_refused_shapes(model: Any) -> None:
    a, b = model.tensor(np.zeros((2, 3))), model.tensor(np.zeros(4))
    program = model.ints((2, 1, 2, 3, 4, -1, 2, 0, 1))
    plan = plan_of(model, 2, 3, 3)
    assert rows.broadcast_members(program, plan, model.pointers([a, b])) == 0
    context = dialect.context()
    assert [context.args[i] for i in range(context.nargs)] == [3, 4, 1]


def test_plan_and_buffers_are_cells() -> None:
    assert cells.BLOCK_BYTES % 64 == 0
    assert cells.BLOCK // cells.SHORT >= 8
