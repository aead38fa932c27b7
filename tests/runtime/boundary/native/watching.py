"""A process that is watched: the state of its thread, models of the kernels of records, and hooks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.runtime.boundary.conftest import Python
from tscript.abi.layout import RECORD, RECORD_SITE, REGISTRY, THREAD
from tscript.abi.record import HOOK_NAMES, KERNELS
from tscript.dialect import Record, RecordSite, Registry, ThreadState, i64, memset, pointer, pointer_cast
from tscript.dialect.memory_model import allocate, space
from tscript.runtime.boundary.native import python_api as api
from tscript.runtime.boundary.native import record_values, records, thread


class Watching:
    """A thread that callbacks watch.

    Attributes:
        thread: Its state.
        log: Calls of kernels: enter and its inputs, exit, its failure and outputs, unwind.
        records: Whether somebody waits for the end of what begins.
    """

    def __init__(self, python: Python) -> None:
        self.python = python
        self.log: list[tuple[Any, ...]] = []
        self.records = True
        self.thread = zeros(THREAD.size, ThreadState)
        self.thread.count = 1
        thread.REGISTRY[0] = zeros(REGISTRY.size, Registry)
        space().functions["pthread_getspecific"] = lambda key: self.thread
        records.WATCHING[0] = 1
        kernels: dict[str, Callable[..., Any]] = {
            "record_enter": self._enter,
            "record_exit": self._exit,
            "record_unwind": self._unwind,
        }
        for i, name in enumerate(KERNELS):
            if name in kernels:
                thread.RECORD_KERNELS[i] = space().address_of(kernels[name])
        record_values.EMPTY[0] = python.tuple_of()

    def hook(self, name: str, function: Callable[..., Any]) -> None:
        """Set a hook."""
        records.HOOKS[HOOK_NAMES.index(name)] = self.python.made(api.PyLong_Type, function)

    def raises(self, name: str = "ValueError") -> Any:
        """What a function of Python's that raises gives."""
        self.python.error = (name, "no")
        return pointer_cast(pointer(0, i64), i64)

    def site(self, **fields: int) -> Any:
        """A site."""
        made = zeros(RECORD_SITE.size, RecordSite)
        for name, value in fields.items():
            setattr(made, name, value)
        return made

    def record(self, site: Any) -> Any:
        """A record, which nobody has begun."""
        made = zeros(RECORD.size, Record)
        made.site = site
        return made

    def _enter(self, context: Any, t: Any, site: Any, kinds: Any, cells: Any, n: int, out: Any) -> int:
        self.log.append(("enter", *cells_of(kinds, cells, n)))
        if self.records:
            out[0] = self.record(site)
        return 0

    def _exit(self, context: Any, t: Any, record: Any, failed: int, kinds: Any, cells: Any, n: int) -> int:
        self.log.append(("exit", failed, *(() if failed else cells_of(kinds, cells, n))))
        return 0

    def _unwind(self, context: Any, t: Any, saved: Any) -> int:
        self.log.append(("unwind",))
        t.open = saved
        return 0


def zeros(size: int, kind: Any) -> Any:
    """Memory of zeros."""
    made: Any = allocate(size, kind)
    memset(made, 0, size)
    return made


def cells_of(kinds: Any, cells: Any, n: int) -> list[tuple[int, int]]:
    """Kinds and cells."""
    return [(kinds[i], cells[i]) for i in range(n)]
