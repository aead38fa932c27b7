"""Data sets: `Dataset` by index, `IterableDataset` one after another, and those made of others."""

from __future__ import annotations

import bisect
import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Any, Generic, TypeVar

from tscript.data.sampler import Seed, generator_of

T_co = TypeVar("T_co", covariant=True)


class Dataset(Generic[T_co]):
    """Samples by index. Subclasses define ``__getitem__`` and ``__len__``.

    With a method ``__getitems__(indices)``, which returns a list of samples, a `DataLoader` reads a batch in one call.

    Example:
        >>> from tscript.data import Dataset
        >>> class Squares(Dataset):
        ...     def __len__(self):
        ...         return 5
        ...     def __getitem__(self, index):
        ...         return index * index
        >>> Squares()[3]
        9
    """

    def __getitem__(self, index: Any) -> T_co:
        raise NotImplementedError(f"{type(self).__name__} must define __getitem__")

    def __add__(self, other: Any) -> Any:
        return ConcatDataset([self, other])


class IterableDataset(Dataset[T_co]):
    """Samples one after another. Subclasses define ``__iter__``, and ``__len__`` if they know it.

    Every worker process iterates over a copy of its own: `get_worker_info` says which part is its to give.

    Example:
        >>> from tscript.data import DataLoader, IterableDataset
        >>> class Count(IterableDataset):
        ...     def __iter__(self):
        ...         return iter(range(3))
        >>> [batch.tolist() for batch in DataLoader(Count(), batch_size=2)]
        [[0, 1], [2]]
    """

    def __iter__(self) -> Iterator[T_co]:
        raise NotImplementedError(f"{type(self).__name__} must define __iter__")

    def __add__(self, other: Any) -> Any:
        return ChainDataset([self, other])


class TensorDataset(Dataset[tuple[Any, ...]]):
    """The rows of tensors or arrays of equal first size: sample `i` is a tuple of ``tensor[i]``.

    Args:
        tensors: At least one.

    Raises:
        ValueError: There is none, or their first sizes differ.

    Example:
        >>> import tscript
        >>> data = tscript.data.TensorDataset(tscript.tensor([1.0, 2.0]), tscript.tensor([3, 4]))
        >>> data[1]
        (tensor(2.), tensor(4))
    """

    def __init__(self, *tensors: Any) -> None:
        if not tensors:
            raise ValueError("TensorDataset expects at least one tensor")
        sizes = [len(t) for t in tensors]
        if len(set(sizes)) != 1:
            raise ValueError(f"TensorDataset expects tensors of equal first size, found {sizes}")
        self.tensors = tensors

    def __getitem__(self, index: Any) -> tuple[Any, ...]:
        return tuple(t[index] for t in self.tensors)

    def __len__(self) -> int:
        return len(self.tensors[0])


class Subset(Dataset[T_co]):
    """The samples of another data set at the given indices.

    Example:
        >>> from tscript.data import Subset
        >>> list(Subset("abcdef", [5, 0]))
        ['f', 'a']
    """

    def __init__(self, dataset: Any, indices: Sequence[int]) -> None:
        self.dataset = dataset
        self.indices = indices

    def __getitem__(self, index: Any) -> T_co:
        if isinstance(index, list):
            return self.dataset[[self.indices[i] for i in index]]  # type: ignore[no-any-return]
        return self.dataset[self.indices[index]]  # type: ignore[no-any-return]

    def __getitems__(self, indices: Sequence[int]) -> list[T_co]:
        return items(self.dataset, [self.indices[i] for i in indices])

    def __len__(self) -> int:
        return len(self.indices)


class ConcatDataset(Dataset[Any]):
    """Data sets by index, one behind the other.

    Raises:
        ValueError: There is none.
        TypeError: One is an `IterableDataset`; `ChainDataset` takes these.

    Example:
        >>> from tscript.data import ConcatDataset
        >>> data = ConcatDataset(["ab", "cde"])
        >>> len(data), data[2], data[-1]
        (5, 'c', 'e')
    """

    def __init__(self, datasets: Iterable[Any]) -> None:
        self.datasets = list(datasets)
        if not self.datasets:
            raise ValueError("ConcatDataset expects at least one data set")
        if any(isinstance(d, IterableDataset) for d in self.datasets):
            raise TypeError("ConcatDataset does not support IterableDataset; use ChainDataset")
        self.cumulative_sizes = list(accumulate(len(d) for d in self.datasets))

    def __len__(self) -> int:
        return self.cumulative_sizes[-1]

    def __getitem__(self, index: int) -> Any:
        found = index + len(self) if index < 0 else index
        if not 0 <= found < len(self):
            raise IndexError(f"index {index} is out of range for {len(self)} samples")
        part = bisect.bisect_right(self.cumulative_sizes, found)
        return self.datasets[part][found - (self.cumulative_sizes[part - 1] if part else 0)]


class ChainDataset(IterableDataset[Any]):
    """Iterable data sets, one behind the other.

    Example:
        >>> from tscript.data import ChainDataset
        >>> list(ChainDataset(["ab", "c"]))
        ['a', 'b', 'c']
    """

    def __init__(self, datasets: Iterable[Iterable[Any]]) -> None:
        self.datasets = list(datasets)

    def __iter__(self) -> Iterator[Any]:
        for dataset in self.datasets:
            yield from dataset

    def __len__(self) -> int:
        sizes: list[Any] = list(self.datasets)
        return sum(map(len, sizes))


def items(dataset: Any, indices: Sequence[Any]) -> list[Any]:
    """The samples at `indices`: by ``__getitems__`` where the data set has it, else one by one.

    Raises:
        RuntimeError: ``__getitems__`` returned more or fewer samples than indices.
    """
    get = getattr(dataset, "__getitems__", None)
    if get is None:
        return [dataset[i] for i in indices]
    found: list[Any] = get(indices)
    if len(found) != len(indices):
        kind = type(dataset).__name__
        raise RuntimeError(f"{kind}.__getitems__ returned {len(found)} samples for {len(indices)} indices")
    return found


def random_split(dataset: Any, lengths: Sequence[float], generator: Seed = None) -> list[Subset[Any]]:
    """Split a data set at random into parts that do not overlap.

    Args:
        dataset: By index, with a length.
        lengths: Sizes that add up to its length, or fractions that add up to 1; what rounding leaves over goes to the
            first parts, one each.
        generator: A NumPy generator or a seed, for splits that repeat.

    Raises:
        ValueError: The lengths are negative or do not add up.

    Example:
        >>> from tscript.data import random_split
        >>> train, test = random_split(range(10), [0.8, 0.2], generator=0)
        >>> len(train), sorted([*train, *test]) == list(range(10))
        (8, True)
    """
    total = len(dataset)
    if any(n < 0 for n in lengths):
        raise ValueError(f"random_split expects lengths that are not negative, found {list(lengths)}")
    if any(isinstance(n, float) for n in lengths) and math.isclose(sum(lengths), 1):
        sizes = [math.floor(total * n) for n in lengths]
        for i in range(total - sum(sizes)):
            sizes[i % len(sizes)] += 1
    elif sum(lengths) == total and all(n == int(n) for n in lengths):
        sizes = [int(n) for n in lengths]
    else:
        raise ValueError(
            f"random_split expects lengths that add up to {total}, the size of the data set, or fractions that add up "
            f"to 1; found {list(lengths)}"
        )
    order = generator_of(generator).permutation(total).tolist()
    ends = list(accumulate(sizes))
    return [Subset(dataset, order[end - size : end]) for size, end in zip(sizes, ends, strict=True)]
