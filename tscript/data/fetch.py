"""How batches are made from a data set: the same way in a worker and in the parent."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from enum import Enum
from itertools import islice
from typing import Any, Protocol

from tscript.data.dataset import items

Collate = Callable[[Any], Any]


class End(Enum):
    """`END`: an iterable data set has no more samples."""

    END = 0


END = End.END


class Fetcher(Protocol):
    """Makes batches."""

    def fetch(self, indices: Any) -> Any:
        """A batch, or `END`.

        Raises:
            Exception: Whatever the data set or the function that collates raises.
        """


class Stopped(BaseException):
    """The batch is not wanted any more."""


class MapFetcher:
    """Batches of a data set by index.

    Args:
        dataset: The data set.
        collate: Makes a batch of a list of samples; without batching, of one sample.
        is_batched: Whether indices come in lists.
        check: Called before each sample.
    """

    def __init__(
        self, dataset: Any, collate: Collate, is_batched: bool, check: Callable[[], None] | None = None
    ) -> None:
        self.dataset = dataset
        self.collate = collate
        self.is_batched = is_batched
        self.check = check

    def fetch(self, indices: Any) -> Any:
        """See `Fetcher.fetch`."""
        try:
            return self.collate(self._samples(indices))
        except StopIteration as error:
            raise RuntimeError("the data set or collate_fn raised StopIteration") from error

    def _samples(self, indices: Any) -> Any:
        if not self.is_batched:
            return self.dataset[indices]
        if self.check is None or getattr(self.dataset, "__getitems__", None) is not None:
            return items(self.dataset, indices)
        samples = []
        for i in indices:
            self.check()
            samples.append(self.dataset[i])
        return samples


class IterableFetcher:
    """Batches of an iterable data set. An index is how many samples to take, or None for one that is not batched."""

    def __init__(
        self, dataset: Iterable[Any], collate: Collate, drop_last: bool, check: Callable[[], None] | None = None
    ) -> None:
        self.iterator: Iterator[Any] = iter(dataset)
        self.collate = collate
        self.drop_last = drop_last
        self.check = check

    def fetch(self, indices: Any) -> Any:
        """See `Fetcher.fetch`."""
        samples = list(islice(self._checked(), 1 if indices is None else indices))
        if not samples or (self.drop_last and indices is not None and len(samples) < indices):
            return END
        try:
            return self.collate(samples[0] if indices is None else samples)
        except StopIteration as error:
            raise RuntimeError("collate_fn raised StopIteration") from error

    def _checked(self) -> Iterator[Any]:
        if self.check is None:
            return self.iterator
        return self._each(self.check)

    def _each(self, check: Callable[[], None]) -> Iterator[Any]:
        for sample in self.iterator:
            yield sample
            check()
