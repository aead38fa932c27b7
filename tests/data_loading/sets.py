"""Data sets of the tests, where worker processes of every start method can import them."""

from __future__ import annotations

import os
import signal
import time
from collections import namedtuple
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from tscript.data import Dataset, IterableDataset, get_worker_info

Pair = namedtuple("Pair", ["x", "y"])


class Images(Dataset[Any]):
    """Arrays large enough for shared memory, with their index."""

    def __init__(self, size: int = 50, shape: tuple[int, ...] = (3, 16, 16)) -> None:
        self.x = np.random.default_rng(0).random((size, *shape), np.float32)

    def __len__(self) -> int:
        return len(self.x)

    def __getitem__(self, index: int) -> Any:
        return self.x[index], index


class Failing(Dataset[Any]):
    def __init__(self, error: BaseException, at: int = 3) -> None:
        self.error = error
        self.at = at

    def __len__(self) -> int:
        return 8

    def __getitem__(self, index: int) -> int:
        if index == self.at:
            raise self.error
        return index


class Unpicklable(Exception):
    def __init__(self, one: int, two: int) -> None:
        super().__init__("needs two arguments")


class Killed(Images):
    """Ends its worker at a sample: by SIGKILL, or with an exit code."""

    def __init__(self, exitcode: int | None = None) -> None:
        super().__init__()
        self.exitcode = exitcode

    def __getitem__(self, index: int) -> Any:
        if index == 20:
            if self.exitcode is None:
                os.kill(os.getpid(), signal.SIGKILL)
            else:
                os._exit(self.exitcode)
        return super().__getitem__(index)


class Slow(Dataset[int]):
    def __init__(self, seconds: float, size: int = 4) -> None:
        self.seconds = seconds
        self.size = size

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, index: int) -> int:
        time.sleep(self.seconds)
        return index


class Stubborn(Slow):
    """Does not end when asked to."""

    def __getitem__(self, index: int) -> int:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        return super().__getitem__(index)


class Count(IterableDataset[Any]):
    """The numbers up to `stop`, shared out between the workers; worker `i` has `i` numbers more of its own if
    `uneven`."""

    def __init__(self, stop: int, uneven: bool = False) -> None:
        self.stop = stop
        self.uneven = uneven

    def __iter__(self) -> Iterator[int]:
        info = get_worker_info()
        if info is None:
            return iter(range(self.stop))
        extra = range(100 * info.id, 101 * info.id) if self.uneven else ()
        return iter([*range(info.id, self.stop, info.num_workers), *extra])

    def __len__(self) -> int:
        return self.stop


class BrokenCount(IterableDataset[Any]):
    def __iter__(self) -> Iterator[int]:
        raise LookupError("no source")


class Who(Dataset[Any]):
    """What a worker knows of itself, and what its random generators give."""

    def __len__(self) -> int:
        return 8

    def __getitem__(self, index: int) -> Any:
        import random

        info = get_worker_info()
        assert info is not None and info.dataset is self
        return index, info.id, info.num_workers, str(info.seed), random.random(), np.random.random(), os.getpid()


class Tensors(Dataset[Any]):
    def __len__(self) -> int:
        return 6

    def __getitem__(self, index: int) -> Any:
        import tscript

        return {"x": tscript.from_numpy(np.full((40, 40), index, np.float32)), "name": f"n{index}"}


def strange_collate(batch: list[Any]) -> Any:
    """Tensors and arrays of many kinds, views and aliases among them."""
    import tscript
    from tscript.data import default_collate

    x, y = default_collate(batch)
    big = np.arange(20000.0)
    return Pair(
        {"x": x, "again": x, "transposed": x.permute((3, 0, 1, 2)), "row": x[0]},
        [y, big, big[::-2], tscript.from_numpy(big), np.arange(3), tscript.tensor(1.5), "text", None],
    )


def unpicklable_collate(batch: list[Any]) -> Any:
    return lambda: batch


def broken_init(worker: int) -> None:
    raise ValueError(f"worker {worker} cannot begin")


def is_gone(pid: int) -> bool:
    """Whether a process has ended; one that nobody has waited for counts as ended."""
    try:
        return "\nState:\tZ" in Path(f"/proc/{pid}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return True
