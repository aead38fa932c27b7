"""Convolutions: each way of computing one against sums in float64, and which way is taken."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import tscript
from tests.runtime.kernels.conftest import Model, bound
from tests.samples.convolution import _conv, _transposed
from tscript.abi import epilogues
from tscript.abi.layout import STORAGE_CONSTANT, STORAGE_READONLY
from tscript.dialect import TensorImpl, address, f32, memory_model, pointer
from tscript.runtime.kernels import (
    columns,
    convolution,
    convolution_depthwise,
    convolution_direct,
    convolution_task,
    convolution_winograd,
    tensor,
    winograd_cells,
)
from tscript.runtime.kernels.convolution_task import TASK

F = tscript.nn.functional


@dataclass(frozen=True)
class Case:
    """A convolution and the way it is computed."""

    way: str
    x: tuple[int, ...]
    w: tuple[int, ...]
    stride: tuple[int, ...] = (1,)
    padding: tuple[int, ...] = (0,)
    dilation: tuple[int, ...] = (1,)
    groups: int = 1
    fast: bool = False

    @property
    def dims(self) -> int:
        return len(self.w) - 2

    @property
    def numbers(self) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...], int]:
        return self.stride, self.padding, self.dilation, self.groups


CASES = (
    # Blocks of tiles that begin within rows, odd sizes, no padding and much of it, batches, groups, edges of channels.
    Case("winograd", (1, 16, 14, 14), (16, 16, 3, 3), padding=(1,)),
    Case("winograd", (2, 17, 9, 12), (19, 17, 3, 3)),
    Case("winograd", (1, 24, 29, 31), (26, 24, 3, 3), padding=(1,)),
    Case("winograd", (3, 32, 7, 13), (34, 16, 3, 3), padding=(3, 2), groups=2),
    Case("winograd", (1, 140, 13, 13), (16, 140, 3, 3), padding=(1,)),
    Case("winograd", (1, 16, 1, 90), (16, 16, 3, 3), padding=(1, 0)),
    # Too few channels or tiles.
    Case("direct", (1, 15, 14, 14), (16, 15, 3, 3), padding=(1,)),
    Case("direct", (1, 16, 14, 14), (15, 16, 3, 3), padding=(1,)),
    Case("direct", (1, 16, 6, 6), (16, 16, 3, 3), padding=(1,)),
    # Remainders of 1, 2 and 3 channels, one channel in and out, tiles that are whole, partial and narrow.
    *(Case("direct", (2, 3, 9, 40), (made, 3, 3, 2), padding=(1,)) for made in (1, 2, 3, 4, 5, 6, 7)),
    # One channel that makes one or two: blocks of rows, both parities of padding, short rows, depth, three and columns.
    Case("depthwise", (1, 8, 20, 56), (8, 1, 3, 3), padding=(1,), groups=8),
    Case("depthwise", (2, 4, 20, 56), (8, 1, 3, 3), padding=(1,), groups=4),
    Case("depthwise", (1, 1, 70, 70), (1, 1, 5, 5), padding=(2,)),
    Case("depthwise", (1, 2, 150, 61), (2, 1, 3, 3), padding=(1,), groups=2),
    *(
        Case("depthwise", (1, 3, 61, n), (3, 1, 3, 3), (2,), (padding,), groups=3)
        for padding, n in enumerate((60, 61, 15, 14, 7))
    ),
    *(Case("depthwise", (2, 3, 7, n), (3, 1, 3, 3), padding=(1,), groups=3) for n in (2, 3, 4, 5, 7, 9)),
    Case("depthwise", (1, 2, 30, 31), (2, 1, 5, 4), (2, 1), (2, 3), (1, 2), groups=2),
    Case("depthwise", (1, 2, 30, 31), (4, 1, 4, 3), (1, 2), (0, 2), (2, 3), groups=2),
    Case("depthwise", (1, 2, 200, 33), (2, 1, 7, 7), (2,), (3,), groups=2),
    Case("depthwise", (2, 3, 300), (3, 1, 31), (1,), (15,), groups=3),
    Case("depthwise", (1, 3, 4, 9, 10), (6, 1, 1, 3, 3), padding=(0, 1, 1), groups=3),
    Case("direct", (1, 2, 9, 9), (6, 1, 3, 3), padding=(1,), groups=2),
    Case("direct", (1, 2, 9, 90), (2, 1, 3, 3), (1, 3), (1,), groups=2),
    Case("direct", (1, 2, 4, 9, 10), (2, 1, 3, 3, 3), padding=(1,), groups=2),
    # Strides, of which some elements of the window meet the same phase, dilation, both, and windows in every dimension.
    Case("direct", (2, 3, 33, 30), (6, 3, 7, 7), (2,), (3,)),
    Case("direct", (1, 5, 17, 19), (4, 5, 3, 4), (3, 2), (1, 2), (2, 3)),
    Case("direct", (1, 3, 32, 32), (8, 3, 8, 8), (8,)),
    Case("direct", (1, 6, 15, 15), (4, 6, 1, 1), (2,)),
    Case("direct", (1, 8, 15, 15), (4, 8, 3, 3), padding=(2,), dilation=(2,)),
    Case("direct", (2, 6, 300), (4, 3, 5), padding=(2,), groups=2),
    Case("direct", (1, 2, 1300), (3, 2, 31), (1,), (15,)),
    Case("direct", (1, 4, 6, 7, 8), (5, 4, 3, 2, 3), (1, 2, 1), (1, 0, 2)),
    Case("direct", (1, 4, 9, 8, 7), (4, 2, 2, 3, 1), (2, 1, 3), (1,), (2, 1, 1), 2),
    # Chains of more than one chunk; rows longer than a block; one row of a window that reaches far.
    Case("direct", (1, 150, 9, 9), (5, 150, 3, 3), (2,), (1,)),
    Case("direct", (1, 2, 3, 1100), (5, 2, 2, 3), padding=(1,)),
    Case("direct", (1, 8, 30, 30), (8, 8, 3, 3), padding=(16,), dilation=(1, 16)),
    # Products as they lie; windows of many places, or whose places lie far apart.
    Case("columns", (2, 20, 6, 7), (5, 20, 1, 1)),
    Case("columns", (1, 6, 50), (4, 3, 1), groups=2),
    Case("columns", (1, 2, 40, 40), (3, 2, 33, 33)),
    Case("columns", (1, 2, 50, 50), (3, 2, 2, 2), padding=(0,), dilation=(49,)),
    Case("rows", (2, 0, 5, 5), (3, 0, 2, 2)),
)

FAST = (
    # Lines of tiles that end within one, blocks that begin within a line, vectors that are not full, edges of channels.
    Case("winograd 4x4", (1, 16, 14, 14), (16, 16, 3, 3), padding=(1,), fast=True),
    Case("winograd 4x4", (2, 17, 9, 12), (19, 17, 3, 3), fast=True),
    Case("winograd 4x4", (1, 24, 29, 31), (26, 24, 3, 3), padding=(1,), fast=True),
    Case("winograd 4x4", (3, 32, 7, 13), (34, 16, 3, 3), padding=(3, 2), groups=2, fast=True),
    Case("winograd 4x4", (1, 140, 13, 14), (16, 140, 3, 3), padding=(1,), fast=True),
    Case("winograd 4x4", (1, 16, 1, 900), (16, 16, 3, 3), padding=(1, 0), fast=True),
    Case("winograd 4x4", (2, 16, 3, 22), (18, 16, 3, 3), padding=(1,), fast=True),
    # Too few tiles or channels; windows that move by two, or are not 3 x 3.
    Case("winograd", (1, 16, 4, 44), (16, 16, 3, 3), padding=(1,), fast=True),
    Case("direct", (1, 15, 20, 20), (16, 15, 3, 3), padding=(1,), fast=True),
    Case("direct", (1, 16, 20, 20), (16, 16, 3, 3), (2,), (1,), fast=True),
    Case("direct", (1, 16, 20, 20), (16, 16, 3, 3), padding=(2,), dilation=(2,), fast=True),
)


def operands(case: Case, dtype: str, views: bool = False) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Input, weight and bias; as views that are not contiguous if asked for."""
    random = np.random.default_rng(sum(case.x) * 31 + sum(case.w))
    made = []
    for shape in (case.x, case.w, case.w[:1]):
        whole = random.standard_normal((*shape[:-1], 2 * shape[-1]) if views else shape).astype(dtype)
        made.append(whole[..., ::-2] if views else whole)
    return made[0], made[1], made[2]


def way_of(case: Case, dtype: str) -> str:
    """The way that is chosen, in the model of memory."""
    model = Model()
    missing = 3 - case.dims
    triple = [(*(fill,) * missing, *(v * case.dims if len(v) == 1 else v)) for v, fill in (
        (case.w[2:], 1), (case.stride, 1), (case.padding, 0), (case.dilation, 1), (case.x[2:], 1)
    )]  # fmt: skip
    g = model.ints([*(n for three in triple for n in three), 0, 0, 0])
    assert bound(columns.slide, (dtype,))(g)
    task = model.ints([0] * TASK)
    size = np.dtype(dtype).itemsize
    for cell, value in (
        (convolution_task.IN_CHANNELS, case.w[1]),
        (convolution_task.OUT_CHANNELS, case.w[0] // case.groups),
        (convolution_task.DEPTH, int(np.prod(case.w[1:]))),
        (convolution_task.GROUPS, case.groups),
        (convolution_task.BATCH, case.x[0]),
        (convolution_task.PARTS, 1),
        (convolution_task.FAST, int(case.fast)),
        (convolution_task.CONSTANT, 0),
        (convolution_task.POSITIONS, int(np.prod([g[columns.OUT + i] for i in range(3)]))),
    ):
        task[cell] = value
    way = bound(convolution.lay_out_floats, (dtype,))(0.0, task, g, size)
    found = {
        convolution.BY_ROWS: "rows",
        convolution.DEPTHWISE: "depthwise",
        convolution.DIRECTLY: "direct",
        convolution.BY_COLUMNS: "columns",
    }[way]
    if found != "rows" and bound(convolution_winograd.lay_out_winograd, (dtype,))(task, g, size, 0.0):
        found = "winograd" if task[winograd_cells.SIDE] == 2 else "winograd 4x4"
    # What one thread takes beside the operands: columns, or copies of about a block, or weights again and blocks.
    room = task[convolution_task.ROOM] + task[convolution_task.SHARED]
    limit = 1 << 19
    if found.startswith("winograd"):
        limit = task[winograd_cells.COUNT] * np.prod(case.w[:2]) + (1 << 18) + (1 << 17)
    assert room <= limit, (case, room)
    return found


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_every_way_is_chosen_where_it_says(dtype):
    assert [way_of(case, dtype) for case in (*CASES, *FAST)] == [case.way for case in (*CASES, *FAST)]
    assert {case.way for case in CASES} == {"winograd", "depthwise", "direct", "columns", "rows"}


def exact(case: Case, *values: np.ndarray | None) -> np.ndarray:
    """The convolution in float64."""
    x, w, b = (None if v is None else v.astype(np.float64) for v in values)
    return _conv(x, w, b, *case.numbers)


def computed(case: Case, *values: np.ndarray | None) -> np.ndarray:
    """The convolution by the compiled kernels."""
    x, w, b = (None if v is None else tscript.from_numpy(v) for v in values)
    assert x is not None
    if case.fast:
        layer = tscript.nn.Conv2d(case.x[1], case.w[0], case.w[2:], *case.numbers, bias=b is not None, dtype=x.dtype)
        for parameter, value in ((layer.weight, w), (layer.bias, b)):
            if parameter is not None and value is not None:
                parameter.data.copy_(value)
        frozen = tscript.freeze(tscript.script(layer.eval()), fast=True)
        made: np.ndarray = frozen(x).numpy()
        assert made.tobytes() == frozen(x).numpy().tobytes()
        return made
    found: np.ndarray = getattr(F, f"conv{case.dims}d")(x, w, b, *case.numbers).numpy()
    return found


@pytest.mark.parametrize(("dtype", "views"), [("float32", False), ("float64", True)])
def test_every_way_agrees_with_float64(dtype, views):
    """The error is at most 6 units of the last place of the sum of the products' magnitudes."""
    for case in CASES:
        x, w, b = operands(case, dtype, views)
        for bias in (None, b):
            got, wanted = computed(case, x, w, bias), exact(case, x, w, bias)
            size = exact(case, abs(x), abs(w), None if bias is None else abs(bias))
            assert got.shape == wanted.shape
            assert got.dtype == dtype
            assert (abs(got - wanted) <= 6 * np.finfo(dtype).eps * size).all(), case


def test_winograd_is_as_accurate_as_sums_of_products():
    """On numbers of about one size its largest error is at most three times theirs."""
    for case in CASES:
        if case.way == "winograd" and case.groups == 1:
            x, w, _ = operands(case, "float32")
            wanted = exact(case, x, w, None)
            # Windows that move by two have every other result, without a transform.
            sums = Case("direct", case.x, case.w, (2,), case.padding)
            error = abs(computed(case, x, w, None) - wanted).max()
            assert error <= 3 * abs(computed(sums, x, w, None) - wanted[..., ::2, ::2]).max()


@pytest.mark.parametrize(("dtype", "views"), [("float32", True), ("float64", False)])
def test_fast_ones_agree_with_float64(dtype, views):
    """The error is at most 8 units of the last place of the greatest sum of the products' magnitudes."""
    for case in FAST:
        x, w, b = operands(case, dtype, views)
        for bias in (None, b):
            got, wanted = computed(case, x, w, bias), exact(case, x, w, bias)
            size = exact(case, abs(x), abs(w), None if bias is None else abs(bias))
            assert got.shape == wanted.shape
            assert got.dtype == dtype
            assert (abs(got - wanted) <= 8 * np.finfo(dtype).eps * size.max()).all(), case


def test_the_greatest_error_of_fast_ones_is_eight_times_that_of_sums_of_products():
    for case in FAST:
        if case.way == "winograd 4x4" and case.groups == 1:
            x, w, _ = operands(case, "float32")
            wanted = exact(case, x, w, None)
            sums = Case("direct", case.x, case.w, (2,), case.padding)
            error = abs(computed(case, x, w, None) - wanted).max()
            assert error <= 8 * abs(computed(sums, x, w, None) - wanted[..., ::2, ::2]).max()


@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan, 3e38])
@pytest.mark.parametrize("case", [CASES[0], FAST[0]], ids=["2x2", "4x4"])
def test_what_is_not_finite_stays_in_its_windows(case, value):
    x, w, b = operands(case, "float32")
    w = abs(w) / 64
    x[0, 3, 4, 7] = value
    got, wanted = computed(case, x, w, b), exact(case, x, w, b)
    assert np.isfinite(got).sum() == got.size - (0 if np.isfinite(value) else 9 * 16)
    np.testing.assert_array_equal(np.isnan(got), np.isnan(wanted))
    np.testing.assert_allclose(got, wanted, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_threads_change_no_bit(dtype):
    big = (
        Case("winograd", (2, 32, 40, 40), (33, 32, 3, 3), padding=(1,)),
        Case("winograd 4x4", (2, 64, 40, 40), (65, 64, 3, 3), padding=(1,), fast=True),
        Case("winograd", (1, 64, 14, 14), (70, 64, 3, 3), padding=(1,)),
        Case("winograd 4x4", (1, 128, 15, 15), (130, 128, 3, 3), padding=(1,), fast=True),
        Case("direct", (1, 40, 20, 70), (44, 40, 3, 3), padding=(1,), stride=(2,)),
        Case("direct", (1, 260, 7, 7), (256, 260, 3, 3), padding=(1,)),
        Case("direct", (1, 64, 60, 60), (192, 1, 3, 3), padding=(1,), groups=64),
        Case("depthwise", (1, 64, 90, 90), (64, 1, 3, 3), padding=(1,), groups=64),
    )
    threads = tscript.get_num_threads()
    try:
        for case in big:
            values = operands(case, dtype)
            found = []
            for n in (1, 2, 3):
                tscript.set_num_threads(n)
                found.append(computed(case, *values).tobytes())
            assert len(set(found)) == 1, case
    finally:
        tscript.set_num_threads(threads)


SMALL = (
    Case("winograd", (1, 2, 5, 6), (3, 2, 3, 3), padding=(1,)),
    Case("winograd 4x4", (1, 2, 9, 10), (3, 2, 3, 3), padding=(1,), fast=True),
    Case("direct", (1, 2, 5, 6), (3, 2, 3, 2), (2, 1), (1, 0)),
    Case("columns", (1, 3, 4, 4), (2, 3, 1, 1)),
    Case("rows", (1, 0, 3, 3), (2, 0, 2, 2)),
    Case("depthwise", (1, 2, 9, 5), (2, 1, 3, 2), (2, 1), (1,), groups=2),
    Case("depthwise", (2, 1, 7, 9), (2, 1, 3, 3), (1, 2), (1, 2)),
)


@pytest.fixture
def small(monkeypatch) -> Iterator[None]:
    """Ways are taken from few channels and tiles on; blocks are small."""
    for module, name, value in (
        (convolution_winograd, "LEAST_TILES", 2),
        (convolution_winograd, "LEAST_CHANNELS", 2),
        (convolution_winograd, "LEAST_LARGE_TILES", 2),
        (convolution_winograd, "MOST_TILES", 8),
        (convolution_direct, "BLOCK_POSITIONS", 8),
        (convolution_depthwise, "BLOCK", 32),
        (convolution_direct, "CHAIN", 6),
        (convolution_direct, "BLOCK_COLUMNS", 64),
    ):
        monkeypatch.setattr(module, name, value)
    bound.cache_clear()
    yield
    bound.cache_clear()


def modelled(model: Model, case: Case, operands: Sequence[Any]) -> Any:
    """The kernel, over checked memory."""
    x, w, b = operands
    bias = pointer(0, TensorImpl) if b is None else b
    lists = (list(case.stride), list(case.padding), list(case.dilation))
    return model.call("convolve", x, w, bias, *lists, case.groups, case.dims, False, case.fast, 0, types=(x.dtype,))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_ways_stay_within_their_memory(small, dtype):
    for case in SMALL:
        assert way_of(case, dtype) == case.way
        x, w, b = operands(case, dtype)
        for bias in (None, b):
            got = modelled(Model(), case, (x, w, bias))
            np.testing.assert_allclose(got, exact(case, x, w, bias), rtol=1e-4, atol=1e-5)
    for case in SMALL[:2]:
        x, w, b = operands(case, dtype)
        x[0, 0, 2, 2] = np.inf
        np.testing.assert_allclose(modelled(Model(), case, (x, w, b)), exact(case, x, w, b), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("case", SMALL[:2], ids=["2x2", "4x4"])
def test_weights_that_never_change_are_transformed_once(small, case, dtype):
    x, w, b = operands(case, dtype)
    model = Model()
    before = model.heap.live_blocks
    weight = model.tensor(w, STORAGE_READONLY | STORAGE_CONSTANT)
    lists = [list(v) for v in ((1,), (1,), (1,))]
    kept = 0
    for _ in range(2):
        source, bias = model.tensor(x), model.tensor(b)
        run = bound(convolution.convolve, (dtype,))
        made = run(source, weight, bias, *(v for one in lists for v in (model.ints(one), 1)), 1, 2, False, case.fast, 0)
        np.testing.assert_allclose(model.view(made), exact(case, x, w, b), rtol=1e-4, atol=1e-5)
        kept = kept or weight.storage.layouts
        for one in (source, bias, made):
            tensor.tensor_release(one)
        assert weight.storage.layouts == kept != 0
    tensor.tensor_release(weight)
    assert model.heap.live_blocks == before


ENDS = (
    *SMALL[:3],
    # Lines of tiles that blocks cut, images and groups, blocks of rows that are parts of lines.
    Case("winograd", (2, 4, 5, 9), (6, 2, 3, 3), padding=(1,), groups=2),
    Case("winograd 4x4", (3, 2, 7, 21), (2, 2, 3, 3), padding=(1,), fast=True),
    Case("direct", (2, 2, 7, 40), (6, 1, 2, 3), groups=2),
    Case("direct", (1, 1, 3, 150), (3, 1, 3, 3), padding=(1,)),
    Case("depthwise", (2, 2, 7, 40), (4, 1, 2, 3), groups=2),
    Case("columns", (2, 4, 3, 5), (6, 2, 1, 1), groups=2),
)


@pytest.mark.parametrize("case", ENDS, ids=lambda case: case.way)
@pytest.mark.parametrize("operand", ["same", "none", "strided", "other"])
def test_epilogues_run_once_over_every_element(small, case, operand):
    model = Model()
    x, w, b = operands(case, "float32")
    wanted = exact(case, x, w, b)
    seen = np.zeros(wanted.size, int)
    values = np.ones((*wanted.shape[:-1], 2 * wanted.shape[-1]), np.float32)
    values = {"strided": values[..., ::2], "other": values[..., :1].copy()}.get(operand, values[..., ::2].copy())
    other = model.tensor(values)
    task = model.ints([0] * 6)

    def loop(_context: Any, cells: Any, begin: int, end: int) -> int:
        assert cells[2] == cells[4]
        assert cells[3] == cells[5] == -1
        out = pointer(cells[4], f32)
        for i in range(begin, end):
            seen[i] += 1
            out[i] = out[i] + 1
        return 0

    record = model.ints([0] * 7)
    for cell, value in (
        (epilogues.LOOP, memory_model.space().address_of(loop)),
        (epilogues.TASK, task),
        (epilogues.OPERANDS, other),
    ):
        record[cell] = address(value)
    record[epilogues.OPERAND_COUNT] = operand != "none"
    record[epilogues.IN_CELL], record[epilogues.OUT_CELL] = 2, 4
    lists = [list(v) for v in (case.stride, case.padding, case.dilation)]
    numbers = *lists, case.groups, case.dims, False, case.fast, address(record)
    got = model.call("convolve", x, w, b, *numbers, types=("float32",))
    ran = operand in ("same", "none")
    assert record[epilogues.DONE] == ran
    assert (seen == ran).all()
    np.testing.assert_allclose(got, wanted + ran, rtol=1e-4, atol=1e-4)
    tensor.tensor_release(other)


def until_it_has_enough(call: Callable[[Model], Any]) -> tuple[Any, int]:
    """What a call gives in the end, and how often it failed for want of memory; each may allocate one block more."""
    for allocations in range(12):
        model = Model()
        model.allocations = allocations
        try:
            return call(model), allocations
        except Model.Error as error:
            if error.kind is not MemoryError:
                raise
    raise AssertionError("more allocations than any kernel needs")


def test_everything_is_given_back_when_memory_runs_out(small):
    for case in SMALL:
        values = operands(case, "float32", views=True)
        found, failed = until_it_has_enough(partial(modelled, case=case, operands=values))
        np.testing.assert_allclose(found, exact(case, *values), rtol=1e-4, atol=1e-5)
        assert failed > 0


def test_transposed_ones_give_everything_back():
    random = np.random.default_rng(0)
    x, w = (random.standard_normal(s).astype(np.float32)[..., ::2] for s in ((1, 2, 3, 8), (2, 3, 2, 6)))
    numbers = [2], [1], [1], [1], 1, 2
    found, failed = until_it_has_enough(
        lambda model: model.call("convolve_transposed", x, w, pointer(0, TensorImpl), *numbers, types=("float32",))
    )
    np.testing.assert_allclose(found, _transposed(x, w, None, 2, 1, 1), rtol=1e-4, atol=1e-5)
    assert failed > 0


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_drawn_convolutions_agree_with_float64(data):
    draw = data.draw
    dims = draw(st.integers(1, 3))
    groups = draw(st.sampled_from([1, 1, 2, 3]))
    window = [draw(st.integers(1, 4)) for _ in range(dims)]
    dilation = tuple(draw(st.integers(1, 3)) for _ in range(dims))
    sizes = [(k - 1) * d + draw(st.integers(1, 12)) for k, d in zip(window, dilation, strict=True)]
    case = Case(
        "any",
        (draw(st.integers(1, 2)), groups * draw(st.integers(1, 20)), *sizes),
        (groups * draw(st.integers(1, 20)), 0, *window),
        tuple(draw(st.integers(1, 4)) for _ in range(dims)),
        tuple(draw(st.integers(0, 4)) for _ in range(dims)),
        dilation,
        groups,
    )
    case = Case(case.way, case.x, (case.w[0], case.x[1] // groups, *window), *case.numbers)
    x, w, b = operands(case, draw(st.sampled_from(["float32", "float64"])), draw(st.booleans()))
    got, wanted = computed(case, x, w, b), exact(case, x, w, b)
    assert got.shape == wanted.shape
    assert (abs(got - wanted) <= 6 * np.finfo(x.dtype).eps * exact(case, abs(x), abs(w), abs(b))).all()
