"""A worker process of a `DataLoader`: makes batches until the parent closes the connection or is gone."""

from __future__ import annotations

import os
import pickle
import queue
import random
import signal
import sys
import threading
import traceback
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from multiprocessing.connection import Connection
from typing import Any

import numpy as np

from tscript.data.collate import ALLOCATE, TensorLeaf, collate, convert, default_collate, default_convert
from tscript.data.errors import RemoteTraceback, WorkerError
from tscript.data.fetch import END, Fetcher, IterableFetcher, MapFetcher, Stopped
from tscript.data.messages import Begin, DisconnectedError, Fetch, Kind, WorkerEnd
from tscript.late import dataclass, replace

_WATCH_SECONDS = 5.0
"""How often an idle worker looks whether its parent is alive, in case the connection does not tell."""


@dataclass(frozen=True, slots=True)
class WorkerInfo:
    """What a data set can know of the worker it is in; see `get_worker_info`.

    Attributes:
        id: Number of the worker, from 0.
        num_workers: How many there are.
        seed: Of this worker and pass; `random` and the global generator of NumPy are seeded with it.
        dataset: The copy of the data set in this process.
    """

    id: int
    num_workers: int
    seed: int
    dataset: Any


class _Process:
    """What is known of this process."""

    def __init__(self) -> None:
        self.info: WorkerInfo | None = None


_PROCESS = _Process()


def get_worker_info() -> WorkerInfo | None:
    """In a worker process of a `DataLoader`, which one it is; elsewhere None.

    Example:
        >>> from tscript.data import get_worker_info
        >>> get_worker_info() is None
        True
    """
    return _PROCESS.info


@dataclass(frozen=True, slots=True)
class Job:
    """What all workers of a `DataLoader` do.

    Attributes:
        dataset: The data set.
        collate: See `MapFetcher`.
        is_batched: Whether batches are made at all.
        is_iterable: Whether the data set is an `IterableDataset`.
        drop_last: Whether an iterable data set gives full batches only.
        init: Called with the number of the worker before anything else.
        num_workers: How many there are.
        seed: Worker `i` has the seed ``seed + i``.
        batches: How many batches of one worker may be in use at a time before their memory serves only once.
    """

    dataset: Any
    collate: Callable[[Any], Any]
    is_batched: bool
    is_iterable: bool
    drop_last: bool
    init: Callable[[int], object] | None
    num_workers: int
    seed: int
    batches: int

    def fetcher(self, check: Callable[[], None] | None = None) -> Fetcher:
        """What makes the batches of one pass.

        Raises:
            Exception: Whatever ``iter(dataset)`` raises.
        """
        if self.is_iterable:
            return IterableFetcher(self.dataset, self.collate, self.drop_last, check)
        return MapFetcher(self.dataset, self.collate, self.is_batched, check)


@dataclass(frozen=True, slots=True)
class Failure:
    """An exception on its way to the parent.

    Attributes:
        pickled: The exception; None when it cannot be pickled and read back.
        kind: Name of its class.
        traceback: As text.
    """

    worker: int
    pickled: bytes | None
    kind: str
    traceback: str

    @classmethod
    def of(cls, worker: int, error: Exception) -> Failure:
        """That of an exception just caught."""
        text = "".join(traceback.format_exception(error))
        pickled: bytes | None
        try:
            pickled = pickle.dumps(error)
            if type(pickle.loads(pickled)) is not type(error):  # noqa: S301 - what was pickled in the line before
                pickled = None
        except Exception:  # noqa: BLE001 - classes of users do anything here
            pickled = None
        return cls(worker, pickled, f"{type(error).__module__}.{type(error).__qualname__}", text)

    def exception(self) -> Exception:
        """The exception to raise in the parent: the same, caused by the worker's traceback, or a `WorkerError`."""
        error: Exception
        try:
            error = pickle.loads(self.pickled)  # type: ignore[arg-type] # noqa: S301 - from a process we started
        except Exception:  # noqa: BLE001 - None, or a class that exists in the worker only
            error = WorkerError(self.worker, self.kind, self.traceback)
        else:
            error.__cause__ = RemoteTraceback(self.traceback)
            error.add_note(f"raised in DataLoader worker {self.worker}")
        return error


class Worker:
    """The worker with number `id`, in its process."""

    def __init__(self, id: int, job: Job, end: WorkerEnd) -> None:
        self.id = id
        self.job = job
        self.end = end
        self.parent = os.getppid()
        self.epoch = -1
        self.is_closed = False
        self.inbox: queue.SimpleQueue[Begin | Fetch | BaseException | None] = queue.SimpleQueue()
        self.fetcher: Fetcher | Exception | None = None
        self.broken: Exception | None = None

    def listen(self) -> None:
        """Read what the parent sends; in a thread, so that the parent can always send and is seen to go."""
        try:
            while True:
                message = self.end.receive()
                if isinstance(message, Begin):
                    self.epoch = message.epoch
                self.inbox.put(message)
        except DisconnectedError:
            pass
        except BaseException as error:  # noqa: BLE001 - an index that cannot be unpickled: it ends the process
            self.inbox.put(error)
        finally:
            self.is_closed = True
            self.inbox.put(None)

    def run(self) -> None:
        """Answer until the parent closes the connection.

        Raises:
            DisconnectedError, Stopped: It has closed it while a batch was made or sent.
        """
        ALLOCATE.set(self.end.writer.empty)
        job = self.job
        seed = (job.seed + self.id) % 2**64
        _PROCESS.info = WorkerInfo(self.id, job.num_workers, seed, job.dataset)
        random.seed(seed)
        np.random.seed(np.random.SeedSequence(seed).generate_state(4))
        try:
            if job.init is not None:
                job.init(self.id)
        except Exception as error:  # noqa: BLE001 - of the user; goes to the parent
            self.broken = error
        while True:
            try:
                message = self.inbox.get(timeout=_WATCH_SECONDS)
            except queue.Empty:
                if os.getppid() != self.parent:
                    return
                continue
            match message:
                case None:
                    return
                case BaseException():
                    raise message
                case Begin():
                    self.begin()
                case Fetch() if message.epoch == self.epoch:
                    self.end.writer.take_back(message.returned)
                    self.answer(message)
                case Fetch():
                    self.end.writer.take_back(message.returned)

    def begin(self) -> None:
        """A new pass over the data."""
        try:
            if self.broken is not None:
                raise self.broken
            self.fetcher = self.job.fetcher(self.check)
        except Exception as error:  # noqa: BLE001 - of the user; goes to the parent
            self.fetcher = error

    def check(self) -> None:
        """Called between samples.

        Raises:
            Stopped: The parent has closed the connection.
        """
        if self.is_closed:
            raise Stopped

    def answer(self, message: Fetch) -> None:
        """Make a batch and send it, or what went wrong."""
        epoch, number = message.epoch, message.number
        try:
            match self.fetcher:
                case None:
                    batch: Any = END
                case Exception() as error:
                    # An iterable data set is asked until it ends, so it has to; the others are asked for each batch.
                    self.fetcher = None if self.job.is_iterable else error
                    raise error
                case fetcher:
                    batch = fetcher.fetch(message.indices)
            if batch is END:
                self.end.send(epoch, number, Kind.END)
                return
        except Exception as error:  # noqa: BLE001 - of the user; goes to the parent
            failure = Failure.of(self.id, error)
            error.__traceback__ = None
            self.end.send(epoch, number, Kind.FAILURE, failure)
            return
        try:
            self.end.send(epoch, number, Kind.BATCH, batch)
        except DisconnectedError:
            raise
        except Exception as error:  # noqa: BLE001 - the batch cannot be pickled
            error.add_note("while the batch was sent to the parent process; collate_fn may make something picklable")
            self.end.send(epoch, number, Kind.FAILURE, Failure.of(self.id, error))


def main(id: int, job: Job, connection: Connection) -> None:
    """Entry point of a worker process."""
    # Ctrl-C goes to the whole group; the parent alone decides. Handlers of the parent are not for this process.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.set_wakeup_fd(-1)
    _use_one_thread()
    worker = Worker(id, _in_worker(job), WorkerEnd(connection, job.batches))
    threading.Thread(target=worker.listen, name="tscript-data-listen", daemon=True).start()
    with suppress(Stopped, DisconnectedError):
        worker.run()


def _in_worker(job: Job) -> Job:
    """The job with our own ways to collate replaced by those that leave making tensors to the parent."""
    for public, own in ((default_collate, collate), (default_convert, convert)):
        if job.collate is public:
            return replace(job, collate=partial(own, wrap=TensorLeaf))
    return job


def _use_one_thread() -> None:
    """The workers are what runs in parallel; their threads would only get in each other's way."""
    os.environ["TSCRIPT_THREADS"] = "1"
    process = sys.modules.get("tscript.runtime.session.process")
    if process is not None and process.current.cache_info().currsize:
        if process.current().threads != 1:
            process.current().set_threads(1)
    else:
        from tscript.runtime.session import blas

        blas.set_num_threads(1)
