"""`DataLoader`: batches of a data set, made in this process or in workers."""

from __future__ import annotations

import multiprocessing
import os
import time
import typing
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import repeat
from multiprocessing.context import BaseContext
from typing import TYPE_CHECKING, Any, Generic

from tscript.data.collate import default_collate, default_convert
from tscript.data.dataset import IterableDataset
from tscript.data.errors import LoaderTimeoutError
from tscript.data.fetch import END, Collate
from tscript.data.messages import Kind, Received
from tscript.data.pool import WorkerPool
from tscript.data.sampler import BatchSampler, RandomSampler, Seed, SequentialSampler, generator_of
from tscript.data.worker import Job
from tscript.runtime.session.usage import log_api_usage_once

if TYPE_CHECKING:
    from typing_extensions import TypeVar

    T_co = TypeVar("T_co", covariant=True, default=Any)
else:  # before Python 3.13 defaults would need another package
    T_co = typing.TypeVar("T_co", covariant=True)

_FIXED = frozenset(("batch_size", "batch_sampler", "sampler", "drop_last", "dataset", "persistent_workers"))
"""Attributes that cannot be set once a `DataLoader` is made."""


class DataLoader(Generic[T_co]):
    """Iterates over a data set in batches, in this process or with worker processes.

    Batches come in the order of the sampler, whatever the number of workers. Each iteration is a new pass, shuffled
    anew.

    Args:
        dataset: By index (``__getitem__`` and ``__len__``), or an `IterableDataset`.
        batch_size: Samples of a batch; None gives single samples, through `default_convert`.
        shuffle: Whether samples come in random order.
        sampler: In which order samples come, as an iterable of indices.
        batch_sampler: Which samples make up a batch, as an iterable of lists of indices.
        num_workers: How many processes make batches; 0 makes them in this one.
        collate_fn: Makes a batch of a list of samples; `default_collate` if not given.
        pin_memory: Accepted for compatibility; without another device there is nothing to pin memory for.
        drop_last: Whether to leave out a last batch that is not full; for an iterable data set, that of each worker.
        timeout: How many seconds to wait for a batch from the workers; 0 waits for ever.
        worker_init_fn: Called in each worker with its number before it begins.
        multiprocessing_context: How workers are started: "fork", "spawn", "forkserver" or a context of
            `multiprocessing`, whose default it is.
        generator: A NumPy generator or a seed: fixes the order and the seeds of the workers. Without it they follow
            from NumPy's global generator.
        prefetch_factor: How many batches each worker makes ahead; 2 if not given.
        persistent_workers: Whether the workers stay for the next iteration.

    Raises:
        TypeError: An argument is of the wrong type, `dataset` for instance.
        ValueError: An argument is out of range, or two exclude each other.

    Example:
        >>> from tscript.data import DataLoader
        >>> loader = DataLoader([1.0, 2.0, 3.0], batch_size=2)
        >>> len(loader)
        2
        >>> for batch in loader:
        ...     print(batch)
        tensor([1., 2.], dtype=tscript.float64)
        tensor([3.], dtype=tscript.float64)
    """

    def __init__(
        self,
        dataset: Any,
        batch_size: int | None = 1,
        shuffle: bool | None = None,
        sampler: Iterable[Any] | None = None,
        batch_sampler: Iterable[Iterable[Any]] | None = None,
        num_workers: int = 0,
        collate_fn: Collate | None = None,
        pin_memory: bool = False,
        drop_last: bool = False,
        timeout: float = 0,
        worker_init_fn: Callable[[int], object] | None = None,
        multiprocessing_context: BaseContext | str | None = None,
        generator: Seed = None,
        *,
        prefetch_factor: int | None = None,
        persistent_workers: bool = False,
    ) -> None:
        log_api_usage_once("tscript.data.DataLoader")
        self._is_iterable = isinstance(dataset, IterableDataset)
        if not self._is_iterable and not hasattr(dataset, "__getitem__"):
            raise TypeError(
                f"dataset should have __getitem__, or be an IterableDataset; found {type(dataset).__name__}"
            )
        _check_workers(num_workers, timeout, prefetch_factor, persistent_workers)
        for name, function in (("collate_fn", collate_fn), ("worker_init_fn", worker_init_fn)):
            if function is not None and not callable(function):
                raise TypeError(f"{name} should be callable, but got {type(function).__name__}")
        if self._is_iterable:
            _check_iterable(shuffle, sampler, batch_sampler)
        if sampler is not None and shuffle:
            raise ValueError("sampler option is mutually exclusive with shuffle")
        self.generator = None if generator is None else generator_of(generator)
        if batch_sampler is not None:
            if batch_size != 1 or shuffle or sampler is not None or drop_last:
                raise ValueError(
                    "batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and drop_last"
                )
            batch_size = None
        elif batch_size is None:
            if drop_last:
                raise ValueError(
                    "batch_size=None option disables auto-batching and is mutually exclusive with drop_last"
                )
        elif self._is_iterable:
            BatchSampler((), batch_size, drop_last)  # for its checks
        if sampler is None and not self._is_iterable and batch_sampler is None:
            sampler = RandomSampler(dataset, generator=self.generator) if shuffle else SequentialSampler(dataset)
        if batch_size is not None and sampler is not None:
            batch_sampler = BatchSampler(sampler, batch_size, drop_last)
        self.dataset = dataset
        self.batch_size = batch_size
        self.sampler = sampler
        self.batch_sampler = batch_sampler
        self.num_workers = num_workers
        self.pin_memory = pin_memory
        self.drop_last = drop_last
        self.timeout = timeout
        self.worker_init_fn = worker_init_fn
        self.multiprocessing_context = _context(multiprocessing_context, num_workers)
        self.prefetch_factor = 2 if prefetch_factor is None and num_workers else prefetch_factor
        self.persistent_workers = persistent_workers
        is_batched = batch_sampler is not None or (self._is_iterable and batch_size is not None)
        self._is_batched = is_batched
        self.collate_fn: Collate = collate_fn or (default_collate if is_batched else default_convert)
        self._pool: WorkerPool | None = None
        self._is_ready = True

    def __setattr__(self, name: str, value: object) -> None:
        if name in _FIXED and "_is_ready" in vars(self):
            raise ValueError(f"{name} attribute should not be set after DataLoader is initialized")
        super().__setattr__(name, value)

    def __len__(self) -> int:
        """The number of batches of one iteration.

        Raises:
            TypeError: The sampler, or the iterable data set, has no length.
        """
        if not self._is_iterable:
            return len(self._index_source())  # type: ignore[arg-type]
        count = len(self.dataset)
        if self.batch_size is None:
            return count
        return count // self.batch_size if self.drop_last else -(-count // self.batch_size)

    def __iter__(self) -> LoaderIterator:
        """A new pass over the data.

        Raises:
            Exception: The workers cannot be started.
        """
        # The same draws in the same order with and without workers.
        seed = int(generator_of(self.generator).integers(0, 2**63))
        indices = self._indices()
        if not self.num_workers:
            return _HereIterator(self, self._job(seed), indices)
        pool = self._pool
        if pool is None or pool.is_closed or pool.owner != os.getpid():
            assert isinstance(self.multiprocessing_context, BaseContext)
            pool = WorkerPool(self._job(seed), self.multiprocessing_context)
            if self.persistent_workers:
                self._pool = pool
        return _WorkerIterator(self, pool, indices)

    def _job(self, seed: int) -> Job:
        return Job(
            self.dataset, self.collate_fn, self._is_batched, self._is_iterable, self.drop_last, self.worker_init_fn,
            self.num_workers, seed, (self.prefetch_factor or 0) + 2,
        )  # fmt: skip

    def _index_source(self) -> Iterable[Any]:
        found = self.batch_sampler if self._is_batched else self.sampler
        assert found is not None
        return found

    def _indices(self) -> Iterator[Any]:
        """What to ask a fetcher for, batch by batch."""
        if self._is_iterable:
            return repeat(self.batch_size)
        return iter(self._index_source())


def _check_workers(num_workers: int, timeout: float, prefetch_factor: int | None, persistent: bool) -> None:
    if type(num_workers) is not int:
        raise TypeError(f"num_workers should be an int, but got {type(num_workers).__name__}")
    if num_workers < 0:
        raise ValueError("num_workers option should be non-negative; use num_workers=0 to disable multiprocessing.")
    if isinstance(timeout, bool) or not isinstance(timeout, int | float):
        raise TypeError(f"timeout should be a number of seconds, but got {type(timeout).__name__}")
    if not timeout >= 0:
        raise ValueError("timeout option should be non-negative")
    if prefetch_factor is not None and (type(prefetch_factor) is not int or prefetch_factor < 1):
        raise ValueError(f"prefetch_factor option should be a positive int, but got {prefetch_factor!r}")
    if num_workers == 0:
        if prefetch_factor is not None:
            raise ValueError(
                "prefetch_factor option could only be specified in multiprocessing; let num_workers > 0 to enable "
                "multiprocessing, otherwise set prefetch_factor to None."
            )
        if persistent:
            raise ValueError("persistent_workers option needs num_workers > 0")
        if timeout:
            raise ValueError("timeout option needs num_workers > 0")


def _check_iterable(shuffle: bool | None, sampler: object, batch_sampler: object) -> None:
    for name, value in (("shuffle", shuffle or None), ("sampler", sampler), ("batch_sampler", batch_sampler)):
        if value is not None:
            raise ValueError(
                f"DataLoader with IterableDataset: expected unspecified {name} option, but got {name}={value}"
            )


def _context(given: BaseContext | str | None, num_workers: int) -> BaseContext | None:
    if given is not None and not num_workers:
        raise ValueError(
            "multiprocessing_context can only be used with multi-process loading (num_workers > 0), but got "
            "num_workers=0"
        )
    if not num_workers:
        return None
    if isinstance(given, BaseContext):
        return given
    methods = multiprocessing.get_all_start_methods()
    if given is not None and given not in methods:
        if not isinstance(given, str):
            raise TypeError(
                "multiprocessing_context should be a start method or a context of multiprocessing, but got "
                f"{type(given).__name__}"
            )
        raise ValueError(f"multiprocessing_context option should be one of {methods}, but got {given!r}")
    return multiprocessing.get_context(given)


class LoaderIterator(Iterator[Any]):
    """One pass of a `DataLoader`. Its workers end with it, at the latest when it is no longer used."""

    def __init__(self, loader: DataLoader[Any], indices: Iterator[Any]) -> None:
        self._loader = loader
        self._indices = indices

    def __len__(self) -> int:
        return len(self._loader)

    def close(self) -> None:
        """End the pass now: no further batch comes, and workers that are not persistent end."""
        raise NotImplementedError


class _HereIterator(LoaderIterator):
    """Batches made in this process."""

    def __init__(self, loader: DataLoader[Any], job: Job, indices: Iterator[Any]) -> None:
        super().__init__(loader, indices)
        self._fetcher = job.fetcher()
        self._is_over = False

    def __next__(self) -> Any:
        if self._is_over:
            raise StopIteration
        batch = self._fetcher.fetch(next(self._indices))
        if batch is END:
            self._is_over = True
            raise StopIteration
        return batch

    def close(self) -> None:
        self._is_over = True


class _WorkerIterator(LoaderIterator):
    """Batches made by workers.

    Batch `i` is asked of the workers in turn, so that it does not depend on their speed; answers that come early wait.
    """

    def __init__(self, loader: DataLoader[Any], pool: WorkerPool, indices: Iterator[Any]) -> None:
        super().__init__(loader, indices)
        self._pool = pool
        self._timeout = loader.timeout
        self._ahead = loader.prefetch_factor or 1
        self._active = deque(range(loader.num_workers))
        self._asked = 0
        self._given = 0
        self._waiting: dict[int, Received] = {}
        self._workers: dict[int, int] = {}
        self._error: Exception | None = None
        """What the sampler raised; its turn comes after the batches asked for before."""
        self._has_indices = True
        self._is_over = False
        try:
            self._epoch = pool.begin()
            self._ask()
        except BaseException:
            self._abort()
            raise

    def _ask(self) -> None:
        """Keep every worker supplied."""
        while self._has_indices and self._active and len(self._workers) < self._ahead * len(self._active):
            try:
                indices = next(self._indices)
            except StopIteration:
                self._has_indices = False
                return
            except Exception as error:  # noqa: BLE001 - of the user; raised when its turn comes
                self._has_indices, self._error = False, error
                return
            worker = self._active[0]
            self._active.rotate(-1)
            self._pool.fetch(worker, self._asked, indices)
            self._workers[self._asked] = worker
            self._asked += 1

    def __next__(self) -> Any:
        try:
            return self._next()
        except Exception:
            raise
        except BaseException:  # Ctrl-C: the user wants it to end
            self._abort()
            raise

    def _next(self) -> Any:
        if self._is_over:
            raise StopIteration
        if self._pool.epoch != self._epoch:
            raise RuntimeError("another iteration over this DataLoader has begun, whose workers are persistent")
        if self._pool.owner != os.getpid():
            raise RuntimeError("this iteration was begun in another process; begin one here")
        answer = self._turn()
        if answer is None:
            error = self._error
            self._end()
            raise StopIteration if error is None else error
        # An error of one batch does not end the pass.
        content = answer.content()
        if answer.header.kind is Kind.FAILURE:
            raise content.exception()
        return content

    def _turn(self) -> Received | None:
        """The answer whose turn it is; None at the end."""
        while self._given < self._asked:
            try:
                answer = self._answer(self._given)
                worker = self._workers.pop(self._given)
                self._given += 1
                is_end = answer.header.kind is Kind.END
                if is_end and worker in self._active:
                    self._active.remove(worker)
                self._ask()
            except LoaderTimeoutError:
                raise
            except Exception:  # a worker is gone, or indices cannot be sent
                self._abort()
                raise
            if not is_end:
                return answer
        return None

    def _answer(self, number: int) -> Received:
        deadline = time.monotonic() + self._timeout if self._timeout else None
        while number not in self._waiting:
            for answer in self._pool.receive(deadline, self._timeout):
                if answer.header.epoch == self._epoch:
                    self._waiting[answer.header.number] = answer
        return self._waiting.pop(number)

    def _end(self) -> None:
        self._is_over = True
        self._waiting.clear()
        if not self._loader.persistent_workers:
            self._pool.close()

    def _abort(self) -> None:
        """End the pass and the workers, for what they are at cannot be told."""
        self._is_over = True
        self._waiting.clear()
        self._pool.close()

    def close(self) -> None:
        self._end()

    def __del__(self) -> None:
        if "_pool" in vars(self):
            self._end()
