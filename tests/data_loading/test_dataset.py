"""Data sets made of others, and samplers."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tscript
from tscript.data import (
    BatchSampler,
    ChainDataset,
    ConcatDataset,
    Dataset,
    IterableDataset,
    RandomSampler,
    SequentialSampler,
    Subset,
    SubsetRandomSampler,
    TensorDataset,
    random_split,
)


class Batched(Dataset[int]):
    def __getitem__(self, index: int) -> int:
        return index

    def __getitems__(self, indices: list[int]) -> list[int]:
        return [10 * i for i in indices]

    def __len__(self) -> int:
        return 5


def test_what_must_be_defined() -> None:
    with pytest.raises(NotImplementedError, match="Dataset must define __getitem__"):
        Dataset[int]()[0]
    with pytest.raises(NotImplementedError, match="IterableDataset must define __iter__"):
        iter(IterableDataset[int]())


def test_tensor_dataset() -> None:
    data = TensorDataset(tscript.tensor([[1.0], [2.0]]), np.array([3, 4]))
    assert len(data) == 2
    x, y = data[1]
    assert (x.tolist(), y) == ([2.0], 4)
    with pytest.raises(ValueError, match="at least one"):
        TensorDataset()
    with pytest.raises(ValueError, match="equal first size, found \\[1, 2\\]"):
        TensorDataset(np.zeros(1), np.zeros(2))


def test_subset() -> None:
    part = Subset[int](Batched(), [4, 2])
    assert (len(part), part[1], part.__getitems__([1, 0])) == (2, 2, [20, 40])
    assert Subset[Any]("abc", [2, 1]).__getitems__([0]) == ["c"]


def test_concatenation() -> None:
    data = Batched() + range(7, 9)
    assert isinstance(data, ConcatDataset)
    assert [data[i] for i in range(len(data))] == [0, 1, 2, 3, 4, 7, 8]
    assert data[-1] == 8
    for index in (7, -8):
        with pytest.raises(IndexError, match="out of range for 7 samples"):
            data[index]
    with pytest.raises(ValueError, match="at least one"):
        ConcatDataset([])
    with pytest.raises(TypeError, match="use ChainDataset"):
        ConcatDataset([ChainDataset([])])
    chain = ChainDataset([[1], [2, 3]]) + ChainDataset([[4]])
    assert list(chain) == [1, 2, 3, 4]
    assert len(chain) == 4


@given(st.integers(0, 60), st.integers(0, 2**32), st.lists(st.integers(1, 9), min_size=1, max_size=5))
def test_random_split_loses_nothing(size: int, seed: int, weights: list[int]) -> None:
    parts = random_split(range(size), [w / sum(weights) for w in weights], generator=seed)
    assert sorted(x for part in parts for x in part.indices) == list(range(size))
    again = random_split(range(size), [len(p) for p in parts], generator=seed)
    assert [p.indices for p in again] == [p.indices for p in parts]


@pytest.mark.parametrize("lengths", [[1, 3], [0.5, 0.4], [4, -1], [1.5, 1.5]])
def test_random_split_refuses(lengths: list[float]) -> None:
    with pytest.raises(ValueError, match="random_split expects lengths"):
        random_split(range(3), lengths)


def test_random_sampler() -> None:
    assert list(SequentialSampler("abc")) == [0, 1, 2]
    sampler = RandomSampler(range(5000), generator=3)
    first, second = list(sampler), list(sampler)
    assert sorted(first) == sorted(second) == list(range(5000))
    assert first != second
    again = RandomSampler(range(5000), generator=np.random.default_rng(3))
    assert [list(again), list(again)] == [first, second]
    # The seed is drawn with the iterator, not with its first element.
    again = RandomSampler(range(5000), generator=3)
    one, two = iter(again), iter(again)
    assert (list(two), list(one)) == (second, first)
    assert len(list(RandomSampler(range(3), replacement=True, num_samples=9000))) == 9000
    assert Counter(RandomSampler(range(3), num_samples=6)) == {0: 2, 1: 2, 2: 2}
    assert list(RandomSampler([])) == []
    assert sorted(SubsetRandomSampler([5, 9], generator=1)) == [5, 9]


def test_without_a_generator_the_seed_of_numpy_counts() -> None:
    state = np.random.get_state()
    try:
        np.random.seed(5)
        first = list(RandomSampler(range(100)))
        np.random.seed(5)
        assert list(RandomSampler(range(100))) == first
    finally:
        np.random.set_state(state)


@pytest.mark.parametrize(
    ("keywords", "error", "text"),
    [
        ({"replacement": 1}, TypeError, "replacement should be a boolean value"),
        ({"num_samples": -1}, ValueError, "num_samples should be a number of samples"),
        ({"num_samples": 1.0}, ValueError, "num_samples should be a number of samples"),
        ({"generator": "x"}, TypeError, "generator should be a numpy.random.Generator or an int seed, but got str"),
        ({"generator": -1}, ValueError, "non-negative"),
    ],
)
def test_random_sampler_refuses(keywords: dict[str, Any], error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        RandomSampler("abc", **keywords)


def test_nothing_to_draw_from() -> None:
    with pytest.raises(ValueError, match="no samples to draw 3 from"):
        iter(RandomSampler([], num_samples=3))


def test_batch_sampler() -> None:
    assert list(BatchSampler(range(5), 2, False)) == [[0, 1], [2, 3], [4]]
    assert list(BatchSampler(range(5), 2, True)) == [[0, 1], [2, 3]]
    assert (len(BatchSampler(range(5), 2, False)), len(BatchSampler(range(5), 2, True))) == (3, 2)
    for size in (0, -1, 1.0, True):
        with pytest.raises(ValueError, match="batch_size should be a positive integer"):
            BatchSampler(range(5), size)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="drop_last should be a boolean"):
        BatchSampler(range(5), 1, 1)  # type: ignore[arg-type]
