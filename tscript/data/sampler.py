"""Samplers: in which order a `DataLoader` asks a data set for its samples. Any iterable of indices is one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sized
from itertools import islice
from typing import Any, Generic, TypeVar

import numpy as np

T_co = TypeVar("T_co", covariant=True)

Seed = np.random.Generator | int | None
"""Where random numbers come from: a NumPy generator, a seed, or (None) NumPy's global generator."""

_CHUNK = 4096
"""How many indices at a time become Python ints."""


def generator_of(seed: Seed) -> np.random.Generator:
    """A generator for `seed`. For None its seed is drawn from NumPy's global generator, so `np.random.seed` counts.

    Raises:
        TypeError: It is none of the three.
        ValueError: The seed is negative.
    """
    if isinstance(seed, np.random.Generator):
        return seed
    if seed is None:
        return np.random.default_rng(np.random.randint(0, 2**32, 4, np.uint32))
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer):
        raise TypeError(f"generator should be a numpy.random.Generator or an int seed, but got {type(seed).__name__}")
    return np.random.default_rng(seed)


class Sampler(Generic[T_co]):
    """What other samplers may inherit from: ``__iter__`` gives indices, and ``__len__`` how many."""

    def __iter__(self) -> Iterator[T_co]:
        raise NotImplementedError(f"{type(self).__name__} must define __iter__")


class SequentialSampler(Sampler[int]):
    """All indices in order.

    Example:
        >>> from tscript.data import SequentialSampler
        >>> list(SequentialSampler("abc"))
        [0, 1, 2]
    """

    def __init__(self, data_source: Sized) -> None:
        self.data_source = data_source

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self.data_source)))

    def __len__(self) -> int:
        return len(self.data_source)


class RandomSampler(Sampler[int]):
    """Indices in random order, another one each time it is iterated.

    Args:
        data_source: The data set; only its length is used.
        replacement: Draw every index from all of them, so that some may come twice.
        num_samples: How many; as many as the data set has if not given. Without replacement, a number beyond that
            begins another permutation.
        generator: A NumPy generator, or a seed.

    Raises:
        TypeError: `replacement` is not a bool, or `generator` not as above.
        ValueError: `num_samples` is not a number of samples, or there is nothing to draw from.

    Example:
        >>> from tscript.data import RandomSampler
        >>> sampler = RandomSampler(range(5), generator=0)
        >>> list(sampler), list(sampler)
        ([1, 3, 2, 4, 0], [2, 3, 1, 0, 4])
    """

    def __init__(
        self, data_source: Sized, replacement: bool = False, num_samples: int | None = None, generator: Seed = None
    ) -> None:
        if not isinstance(replacement, bool):
            raise TypeError(f"replacement should be a boolean value, but got replacement={replacement}")
        if num_samples is not None and (type(num_samples) is not int or num_samples < 0):
            raise ValueError(f"num_samples should be a number of samples, but got num_samples={num_samples}")
        self.data_source = data_source
        self.replacement = replacement
        self.generator = None if generator is None else generator_of(generator)
        self._num_samples = num_samples

    @property
    def num_samples(self) -> int:
        """How many indices one iteration gives."""
        return len(self.data_source) if self._num_samples is None else self._num_samples

    def __iter__(self) -> Iterator[int]:
        # The seed is drawn here and not with the first index, so that the state of a shared generator does not depend
        # on how far ahead somebody reads.
        rng = np.random.default_rng(generator_of(self.generator).integers(0, 2**63, 2))
        size, wanted = len(self.data_source), self.num_samples
        if wanted and not size:
            raise ValueError(f"there are no samples to draw {wanted} from")
        return islice(self._draw(rng, size), wanted)

    def _draw(self, rng: np.random.Generator, size: int) -> Iterator[int]:
        while True:
            if self.replacement:
                yield from rng.integers(0, size, _CHUNK).tolist()
                continue
            order = rng.permutation(size)
            for start in range(0, size, _CHUNK):
                yield from order[start : start + _CHUNK].tolist()

    def __len__(self) -> int:
        return self.num_samples


class SubsetRandomSampler(Sampler[int]):
    """The given indices in random order, another one each time it is iterated.

    Example:
        >>> from tscript.data import SubsetRandomSampler
        >>> sorted(SubsetRandomSampler([7, 3, 5], generator=0))
        [3, 5, 7]
    """

    def __init__(self, indices: Iterable[int], generator: Seed = None) -> None:
        self.indices = list(indices)
        self.generator = None if generator is None else generator_of(generator)

    def __iter__(self) -> Iterator[int]:
        order = generator_of(self.generator).permutation(len(self.indices)).tolist()
        return (self.indices[i] for i in order)

    def __len__(self) -> int:
        return len(self.indices)


class BatchSampler(Sampler[list[Any]]):
    """Lists of `batch_size` indices of another sampler.

    Args:
        sampler: Any iterable of indices.
        batch_size: At least 1.
        drop_last: Leave out the last batch if it is not full.

    Raises:
        ValueError: `batch_size` is not a positive int, or `drop_last` not a bool.

    Example:
        >>> from tscript.data import BatchSampler
        >>> list(BatchSampler(range(5), batch_size=2, drop_last=False))
        [[0, 1], [2, 3], [4]]
    """

    def __init__(self, sampler: Iterable[Any], batch_size: int, drop_last: bool = False) -> None:
        if type(batch_size) is not int or batch_size <= 0:
            raise ValueError(f"batch_size should be a positive integer value, but got batch_size={batch_size}")
        if not isinstance(drop_last, bool):
            raise ValueError(f"drop_last should be a boolean value, but got drop_last={drop_last}")
        self.sampler = sampler
        self.batch_size = batch_size
        self.drop_last = drop_last

    def __iter__(self) -> Iterator[list[Any]]:
        # Not inside the generator: a random sampler draws its seed when it is asked for an iterator.
        return self._batches(iter(self.sampler))

    def _batches(self, indices: Iterator[Any]) -> Iterator[list[Any]]:
        while batch := list(islice(indices, self.batch_size)):
            if len(batch) == self.batch_size or not self.drop_last:
                yield batch

    def __len__(self) -> int:
        count = len(self.sampler)  # type: ignore[arg-type]
        return count // self.batch_size if self.drop_last else -(-count // self.batch_size)
