"""The worker processes of a `DataLoader`, seen from the parent."""

from __future__ import annotations

import os
import time
import weakref
from collections.abc import Sequence
from multiprocessing.connection import wait
from multiprocessing.context import BaseContext
from multiprocessing.process import BaseProcess
from typing import Any

from tscript.data.errors import LoaderTimeoutError, WorkerExitError
from tscript.data.messages import Begin, DisconnectedError, Fetch, ParentEnd, Received
from tscript.data.worker import Job, main

_GRACE_SECONDS = 5.0
"""How long workers may take for the sample they are at before they are terminated, and then killed."""

_LOOK_SECONDS = 1.0
"""How often to look whether the workers live, in case a connection does not tell."""


class WorkerPool:
    """Running workers. They end when the pool is closed, when it dies and when the interpreter exits.

    Args:
        job: What they do.
        context: How they are started.

    Attributes:
        epoch: Number of the pass that began last.
        owner: The process whose children the workers are.

    Raises:
        Exception: A worker cannot be started, for instance because the data set cannot be pickled.
    """

    def __init__(self, job: Job, context: BaseContext) -> None:
        self.epoch = -1
        self.owner = os.getpid()
        self._processes: list[BaseProcess] = []
        self._ends: list[ParentEnd] = []
        self._close = weakref.finalize(self, _close, self._processes, self._ends, self.owner)
        try:
            for id in range(job.num_workers):
                self._start(id, job, context)
        except BaseException as error:
            self.close()
            method = context.get_start_method()
            if isinstance(error, Exception) and method != "fork":
                error.add_note(
                    f"while DataLoader workers were started: the method {method!r} sends the data set to them by "
                    "pickle; define it at the top level of a module, or use multiprocessing_context='fork'"
                )
            raise

    def _start(self, id: int, job: Job, context: BaseContext) -> None:
        ours, theirs = context.Pipe()
        try:
            self._ends.append(ParentEnd(ours))
            process: BaseProcess = context.Process(  # type: ignore[attr-defined]
                target=main, args=(id, job, theirs), name=f"tscript-data-{id}", daemon=True
            )
            process.start()
            self._processes.append(process)
        finally:
            theirs.close()

    @property
    def is_closed(self) -> bool:
        """Whether the workers are gone."""
        return not self._close.alive

    @property
    def pids(self) -> tuple[int, ...]:
        """The process ids of the workers."""
        return tuple(p.pid or 0 for p in self._processes)

    def begin(self) -> int:
        """Begin a new pass over the data; returns its number.

        Raises:
            WorkerExitError: A worker is gone.
        """
        self.epoch += 1
        for worker in range(len(self._processes)):
            self._send(worker, Begin(self.epoch))
        return self.epoch

    def fetch(self, worker: int, number: int, indices: Any) -> None:
        """Ask a worker for batch `number`.

        Raises:
            WorkerExitError: The worker is gone.
            Exception: The indices cannot be pickled.
        """
        self._send(worker, Fetch(self.epoch, number, indices, self._ends[worker].returned()))

    def _send(self, worker: int, message: Begin | Fetch) -> None:
        try:
            self._ends[worker].send(message)
        except DisconnectedError:
            raise self._gone(worker) from None

    def receive(self, deadline: float | None, timeout: float) -> list[Received]:
        """Wait for answers; at least one is returned.

        Args:
            deadline: On the clock `time.monotonic`; None waits for ever.
            timeout: What to say in the error.

        Raises:
            LoaderTimeoutError: None came until the deadline.
            WorkerExitError: A worker is gone.
        """
        while True:
            left = _LOOK_SECONDS if deadline is None else min(_LOOK_SECONDS, deadline - time.monotonic())
            ready = wait([end.connection for end in self._ends], max(0.0, left))
            if ready:
                return self._read(ready)
            for worker, process in enumerate(self._processes):
                if not process.is_alive():
                    raise self._gone(worker)
            if deadline is not None and time.monotonic() >= deadline:
                raise LoaderTimeoutError(f"DataLoader timed out: no batch came within {timeout:g} seconds")

    def _read(self, ready: Sequence[Any]) -> list[Received]:
        found = []
        for worker, end in enumerate(self._ends):
            if end.connection in ready:
                try:
                    found.append(end.receive())
                except DisconnectedError:
                    raise self._gone(worker) from None
        return found

    def _gone(self, worker: int) -> WorkerExitError:
        process = self._processes[worker]
        process.join(_GRACE_SECONDS)
        return WorkerExitError(worker, process.pid or 0, process.exitcode)

    def close(self) -> None:
        """End the workers; returns when they are gone."""
        self._close()


def _close(processes: list[BaseProcess], ends: list[ParentEnd], owner: int) -> None:
    for end in ends:
        end.close()
    if os.getpid() != owner:  # a forked child: the workers are its parent's
        return
    limit = time.monotonic() + _GRACE_SECONDS
    for process in processes:
        process.join(max(0.0, limit - time.monotonic()))
    for end_it in (BaseProcess.terminate, BaseProcess.kill):
        alive = [p for p in processes if p.is_alive()]
        for process in alive:
            end_it(process)
        for process in alive:
            process.join(1.0)
