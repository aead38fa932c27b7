"""What goes wrong in a `DataLoader`, beside the exceptions of the data set itself."""

from __future__ import annotations

import signal


class WorkerError(RuntimeError):
    """A worker process raised an exception that cannot be sent to the parent; the message holds its traceback.

    Attributes:
        worker: Number of the worker.
        kind: Name of the class of the exception.
    """

    def __init__(self, worker: int, kind: str, traceback: str) -> None:
        super().__init__(f"{kind} in DataLoader worker {worker}, which cannot be sent between processes:\n{traceback}")
        self.worker = worker
        self.kind = kind
        self.traceback = traceback

    def __reduce__(self) -> tuple[object, ...]:
        return (WorkerError, (self.worker, self.kind, self.traceback))


class WorkerExitError(RuntimeError):
    """A worker process ended while batches were expected from it.

    Attributes:
        worker: Number of the worker.
        pid: Its process id.
        exitcode: Its exit code, the negative number of the signal that killed it, None if not known.
    """

    def __init__(self, worker: int, pid: int, exitcode: int | None) -> None:
        super().__init__(f"DataLoader worker {worker} (pid {pid}) {_end(exitcode)}")
        self.worker = worker
        self.pid = pid
        self.exitcode = exitcode

    def __reduce__(self) -> tuple[object, ...]:
        return (WorkerExitError, (self.worker, self.pid, self.exitcode))


class LoaderTimeoutError(TimeoutError, RuntimeError):
    """No batch came within the `timeout` of a `DataLoader`."""


class RemoteTraceback(Exception):
    """The traceback of a worker, as text; it is the cause of the exception raised in the parent."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text

    def __str__(self) -> str:
        return f'\n"""\n{self.text}"""'


def _end(exitcode: int | None) -> str:
    if exitcode is None:
        return "closed its connection"
    if exitcode >= 0:
        return f"ended with exit code {exitcode} before its work was done; its stderr may say why"
    try:
        name = signal.Signals(-exitcode).name
    except ValueError:
        name = f"signal {-exitcode}"
    hint = "; the machine may have run out of memory" if -exitcode == signal.SIGKILL else ""
    return f"was killed by {name}{hint}"
