"""`Team`: the threads that divide loops, whose native half is `tscript.runtime.boundary.native.parallel`."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Callable

from tscript.runtime.boundary import atfork
from tscript.runtime.boundary.native_module import NativeModule

MOST_THREADS = 256
CGROUP = "/sys/fs/cgroup"


class Team:
    """The threads of this process that divide loops. They are started when there is something for them to do.

    Args:
        module: The native half.
    """

    def __init__(self, module: NativeModule) -> None:
        self._threads = ctypes.c_int64.from_address(module.address("ts_parallel_threads_v1"))
        self._workers = ctypes.c_int64.from_address(module.address("tsb_parallel_workers"))
        self._penalty = ctypes.c_int64.from_address(module.address("tsb_parallel_most_penalty"))
        self._where = ctypes.c_int64.from_address(module.address("tsb_parallel_where"))
        self._yield = ctypes.c_int64.from_address(module.address("tsb_parallel_yield"))
        self._after_fork = module.address("tsb_parallel_after_fork")
        self._is_registered = False
        self.set_threads(default_threads())

    @property
    def threads(self) -> int:
        """On how many threads a loop may run."""
        return self._count

    @property
    def workers(self) -> int:
        """How many threads were started."""
        return self._workers.value

    def set_patience(self, loops: int) -> None:
        """How many long loops run undivided, at most, after one that lost by being divided. 0: all are divided."""
        self._penalty.value = loops

    def set_threads(self, count: int) -> None:
        """Let loops run on up to `count` threads; from `MOST_THREADS` on it makes no difference."""
        if count > 1 and not self._is_registered:
            self._is_registered = True
            atfork.register(0, 0, self._after_fork)
            self._where.value = _function("sched_getcpu")
            self._yield.value = _function("sched_yield")
        self._count = count
        self._threads.value = min(count, MOST_THREADS)


def _function(name: str) -> int:
    """The address of a function of C; 0: there is none."""
    if not sys.platform.startswith("linux"):
        return 0
    try:
        return ctypes.cast(getattr(ctypes.CDLL(None), name), ctypes.c_void_p).value or 0
    except (OSError, AttributeError):
        return 0


def default_threads() -> int:
    """``TSCRIPT_THREADS``, or the processors that this process may use: those of its affinity, and no more than the
    limit of its container."""
    wanted = os.environ.get("TSCRIPT_THREADS", "")
    if wanted.isdigit() and int(wanted) > 0:
        return int(wanted)
    if hasattr(os, "sched_getaffinity"):
        count = len(os.sched_getaffinity(0))
    else:
        count = os.cpu_count() or 1
    return max(1, min(count, container_limit(_content))) if count > 1 else 1


def container_limit(read: Callable[[str], str]) -> int:
    """How many processors the control groups of this process allow it, rounded up.

    Args:
        read: The content of a file; empty if there is none.

    Example:
        >>> container_limit({"/proc/self/cgroup": "0::/a", "/sys/fs/cgroup/a/cpu.max": "150000 100000"}.get)
        2
    """
    limit = MOST_THREADS
    for line in (read("/proc/self/cgroup") or "").splitlines():
        number, controllers, path = (*line.split(":", 2), "", "")[:3]
        folders = _upwards(path)
        if number == "0":
            limits = [(read(f"{CGROUP}{folder}/cpu.max") or "").split() for folder in folders]
        elif "cpu" in controllers.split(","):
            names = ("cpu.cfs_quota_us", "cpu.cfs_period_us")
            limits = [[(read(f"{CGROUP}/cpu{folder}/{name}") or "").strip() for name in names] for folder in folders]
        else:
            continue
        for found in limits:
            if len(found) == 2 and all(n.isdigit() and int(n) > 0 for n in found):
                limit = min(limit, -(-int(found[0]) // int(found[1])))
    return limit


def _upwards(path: str) -> list[str]:
    """A path and all that lead to it; the root is empty."""
    parts = [p for p in path.split("/") if p and p != ".."]
    return ["".join(f"/{p}" for p in parts[:n]) for n in range(len(parts), -1, -1)]


def _content(path: str) -> str:
    try:
        file = os.open(path, os.O_RDONLY)
    except OSError:
        return ""
    try:
        return os.read(file, 1 << 14).decode("utf-8", "replace")
    except OSError:
        return ""
    finally:
        os.close(file)


__all__ = ["Team", "container_limit", "default_threads"]
