"""`DataLoader`: order, batches, length and arguments; with workers where these make a difference."""

from __future__ import annotations

import multiprocessing
import random
from typing import Any

import numpy as np
import pytest

import tscript
from tests.data_loading.sets import BrokenCount, Count, Failing, Images, Tensors, Who
from tscript.data import BatchSampler, DataLoader, Dataset, IterableDataset, SequentialSampler, Subset, get_worker_info

WORKERS = pytest.mark.parametrize("workers", [0, 1, 2])


def values(loader: Any) -> list[Any]:
    return [batch.tolist() for batch in loader]


@WORKERS
def test_batches_come_in_order(workers: int) -> None:
    loader = DataLoader(list(range(7)), batch_size=3, num_workers=workers)
    assert values(loader) == [[0, 1, 2], [3, 4, 5], [6]]
    assert len(loader) == len(iter(loader)) == 3
    loader = DataLoader(list(range(7)), 3, drop_last=True, num_workers=workers)
    assert values(loader) == [[0, 1, 2], [3, 4, 5]]
    assert len(loader) == 2
    assert values(DataLoader([], num_workers=workers)) == []


def test_the_order_does_not_depend_on_workers() -> None:
    runs = []
    for workers in (0, 1, 3):
        loader = DataLoader(list(range(40)), 3, shuffle=True, num_workers=workers, generator=7)
        runs.append([values(loader), values(loader)])
    assert runs[0] == runs[1] == runs[2]
    first, second = runs[0]
    assert first != second
    assert all(sorted(x for batch in run for x in batch) == list(range(40)) for run in (first, second))


@WORKERS
def test_large_arrays(workers: int) -> None:
    data = Images()
    seen = 0
    for x, index in DataLoader(data, 8, num_workers=workers):
        assert type(x) is type(index) is tscript.Tensor
        assert (x.dtype, index.dtype) == (tscript.float32, tscript.int64)
        np.testing.assert_array_equal(x.numpy(), data.x[index.numpy()])
        x += 1
        seen += len(index)
    assert seen == len(data)


@WORKERS
def test_samples_that_are_tensors(workers: int) -> None:
    for i, batch in enumerate(DataLoader(Tensors(), 3, num_workers=workers)):
        assert batch["x"].shape == (3, 40, 40)
        assert batch["x"].numpy()[:, 0, 0].tolist() == [3 * i, 3 * i + 1, 3 * i + 2]
        assert batch["name"] == [f"n{3 * i + k}" for k in range(3)]


@WORKERS
def test_single_samples(workers: int) -> None:
    data = Images(5, (80, 80))
    loader = DataLoader(data, batch_size=None, num_workers=workers)
    assert len(loader) == 5
    for i, (x, index) in enumerate(loader):
        assert index == i
        np.testing.assert_array_equal(x.numpy(), data.x[i])
    assert list(DataLoader(Count(4), batch_size=None, num_workers=workers)) == [0, 1, 2, 3]


@WORKERS
def test_samplers_and_collate_fn(workers: int) -> None:
    data = list("abcdef")
    assert list(DataLoader(data, 2, sampler=[5, 0, 3], num_workers=workers)) == [["f", "a"], ["d"]]
    loader: Any = DataLoader(data, batch_sampler=[[1, 2], [3]], num_workers=workers, collate_fn="".join)
    assert (list(loader), len(loader), loader.batch_size) == (["bc", "d"], 2, None)
    assert isinstance(DataLoader(data).sampler, SequentialSampler)
    assert isinstance(DataLoader(data).batch_sampler, BatchSampler)


class Batched(Dataset[int]):
    def __init__(self, extra: int = 0) -> None:
        self.extra = extra

    def __len__(self) -> int:
        return 5

    def __getitems__(self, indices: list[int]) -> list[int]:
        return [10 * i for i in indices] + [0] * self.extra


@WORKERS
def test_getitems(workers: int) -> None:
    assert values(DataLoader(Batched(), 3, num_workers=workers)) == [[0, 10, 20], [30, 40]]
    assert values(DataLoader(Subset(Batched(), [4, 1]), 3, num_workers=workers)) == [[40, 10]]
    with pytest.raises(RuntimeError, match=r"Batched\.__getitems__ returned 4 samples for 3 indices"):
        list(DataLoader(Batched(1), 3, num_workers=workers))


def test_iterable_data_sets() -> None:
    loader = DataLoader(Count(5), 2)
    assert values(loader) == values(loader) == [[0, 1], [2, 3], [4]]
    assert len(loader) == 3
    assert values(DataLoader(Count(5), 2, drop_last=True)) == [[0, 1], [2, 3]]
    assert len(DataLoader(Count(5), 2, drop_last=True)) == 2
    assert len(DataLoader(Count(5), None)) == 5
    # Workers take turns; one that has ended is left out.
    assert values(DataLoader(Count(9), 2, num_workers=2)) == [[0, 2], [1, 3], [4, 6], [5, 7], [8]]
    assert values(DataLoader(Count(9), 2, num_workers=2, drop_last=True)) == [[0, 2], [1, 3], [4, 6], [5, 7]]
    uneven = DataLoader(Count(3, uneven=True), 1, num_workers=3, prefetch_factor=1)
    assert values(uneven) == [[0], [1], [2], [100], [200], [201]]

    class Endless(IterableDataset[int]):
        pass

    with pytest.raises(TypeError):
        len(DataLoader(Endless()))


@WORKERS
def test_a_broken_iterator_ends(workers: int) -> None:
    if workers == 0:
        with pytest.raises(LookupError):
            iter(DataLoader(BrokenCount()))
        return
    iterator = iter(DataLoader(BrokenCount(), num_workers=workers))
    for _ in range(workers):
        with pytest.raises(LookupError, match="no source"):
            next(iterator)
    assert list(iterator) == []


def test_workers_know_who_they_are() -> None:
    assert get_worker_info() is None
    runs = [list(DataLoader(Who(), None, num_workers=2, generator=5)) for _ in range(2)]
    assert [row[:-1] for row in runs[0]] == [row[:-1] for row in runs[1]]
    rows = runs[0]
    assert [row[0] for row in rows] == list(range(8))
    assert [row[1] for row in rows] == [0, 1] * 4
    assert {row[2] for row in rows} == {2}
    assert int(rows[1][3]) == int(rows[0][3]) + 1
    assert len({row[4] for row in rows}) == len({row[5] for row in rows}) == 8
    assert len({row[6] for row in rows}) == 2
    assert random.Random(int(rows[0][3])).random() == rows[0][4]


@WORKERS
def test_stop_iteration_does_not_end_a_pass_silently(workers: int) -> None:
    with pytest.raises(RuntimeError, match="raised StopIteration"):
        list(DataLoader(Failing(StopIteration()), 2, num_workers=workers))


@WORKERS
def test_an_error_of_the_sampler_comes_in_its_turn(workers: int) -> None:
    def broken() -> Any:
        yield from (0, 1, 2)
        raise LookupError("no more")

    iterator = iter(DataLoader("abcd", sampler=broken(), num_workers=workers))
    assert [next(iterator) for _ in range(3)] == [["a"], ["b"], ["c"]]
    with pytest.raises(LookupError, match="no more"):
        next(iterator)
    assert list(iterator) == []


@pytest.mark.parametrize(
    ("keywords", "error", "text"),
    [
        ({"num_workers": -1}, ValueError, "num_workers option should be non-negative"),
        ({"num_workers": 1.0}, TypeError, "num_workers should be an int"),
        ({"timeout": -1, "num_workers": 1}, ValueError, "timeout option should be non-negative"),
        ({"timeout": float("nan"), "num_workers": 1}, ValueError, "timeout option should be non-negative"),
        ({"timeout": "1", "num_workers": 1}, TypeError, "timeout should be a number of seconds"),
        ({"timeout": 1}, ValueError, "timeout option needs num_workers > 0"),
        ({"prefetch_factor": 2}, ValueError, "could only be specified in multiprocessing"),
        ({"prefetch_factor": 0, "num_workers": 1}, ValueError, "prefetch_factor option should be a positive int"),
        ({"persistent_workers": True}, ValueError, "persistent_workers option needs num_workers > 0"),
        ({"multiprocessing_context": "spawn"}, ValueError, "can only be used with multi-process loading"),
        ({"multiprocessing_context": "thread", "num_workers": 1}, ValueError, "should be one of .*got 'thread'"),
        ({"multiprocessing_context": 3, "num_workers": 1}, TypeError, "a start method or a context"),
        ({"batch_size": 0}, ValueError, "batch_size should be a positive integer value, but got batch_size=0"),
        ({"batch_size": 2.0}, ValueError, "batch_size should be a positive integer value"),
        ({"batch_size": None, "drop_last": True}, ValueError, "batch_size=None option disables auto-batching"),
        ({"batch_sampler": [[0]], "batch_size": 2}, ValueError, "batch_sampler option is mutually exclusive"),
        ({"batch_sampler": [[0]], "shuffle": True}, ValueError, "batch_sampler option is mutually exclusive"),
        ({"sampler": [0], "shuffle": True}, ValueError, "sampler option is mutually exclusive with shuffle"),
        ({"generator": "seed"}, TypeError, "generator should be"),
        ({"collate_fn": 3}, TypeError, "collate_fn should be callable, but got int"),
        ({"worker_init_fn": 3, "num_workers": 1}, TypeError, "worker_init_fn should be callable"),
        ({"dataset": 5}, TypeError, "dataset should have __getitem__.*found int"),
        ({"dataset": Count(3), "shuffle": True}, ValueError, "expected unspecified shuffle option"),
        ({"dataset": Count(3), "sampler": [0]}, ValueError, "expected unspecified sampler option"),
        ({"dataset": Count(3), "batch_sampler": [[0]]}, ValueError, "expected unspecified batch_sampler option"),
        ({"dataset": Count(3), "batch_size": 0}, ValueError, "batch_size should be a positive integer"),
    ],
)
def test_bad_arguments(keywords: dict[str, Any], error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        DataLoader(**{"dataset": [1, 2], **keywords})


def test_attributes_are_fixed() -> None:
    loader = DataLoader([1])
    with pytest.raises(ValueError, match="batch_size attribute should not be set after DataLoader is initialized"):
        loader.batch_size = 2
    assert (loader.prefetch_factor, DataLoader([1], num_workers=1).prefetch_factor) == (None, 2)
    context = multiprocessing.get_context("spawn")
    assert DataLoader([1], num_workers=1, multiprocessing_context=context).multiprocessing_context is context


def test_it_is_a_public_module_loaded_at_need() -> None:
    import subprocess
    import sys

    code = "import sys, tscript; assert 'tscript.data' not in sys.modules; print(tscript.data.DataLoader.__name__)"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert (result.stdout, result.stderr) == ("DataLoader\n", "")
