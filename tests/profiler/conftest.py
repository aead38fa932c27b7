"""Entries as callbacks leave them, without callbacks: every time is chosen."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import Any

import pytest

from tscript.abi.record import RecordScope
from tscript.profiler.event_list import EventList
from tscript.profiler.memory import Usage
from tscript.profiler.recorder import Entry, Settings, Thread, forest


@dataclass
class FakeRecord:
    """The fields of a record that are read."""

    name: str = "op"
    overload: str = ""
    scope: RecordScope = RecordScope.OPERATOR
    thread_id: int = 1
    id: int = 0
    sequence_nr: int = -1
    file: str = ""
    line: int = 0
    function: str = ""
    members: tuple[str, ...] = ()
    module: str = ""
    failed: bool = False


@dataclass
class Made:
    """Makes entries, in the order in which they begin."""

    settings: Settings = field(default_factory=Settings)
    entries: list[Entry] = field(default_factory=list)
    threads: dict[int, Thread] = field(default_factory=lambda: {1: Thread(101, "MainThread"), 2: Thread(102, "worker")})

    def add(
        self,
        name: str,
        start: int,
        end: int,
        shapes: Any = None,
        frames: Any = None,
        live: tuple[int, int] = (0, 0),
        used: tuple[int, int] = (0, 0),
        **facts: Any,
    ) -> None:
        """An event from `start` to `end` microseconds; an end of 0: still running."""
        record = FakeRecord(name, id=len(self.entries), **facts)
        self.entries.append([start * 1000, end * 1000, record, shapes, frames, Usage(*live, *used)])

    def events(self, stopped: int = 1000) -> EventList:
        """What the profiler makes of them; recording began at 1 µs."""
        found = forest(self.entries, 1000, stopped * 1000, self.settings, self.threads)
        return EventList(found, profile_memory=self.settings.profile_memory)


@pytest.fixture
def made() -> Made:
    """No entries yet."""
    return Made()


@pytest.fixture
def this_thread() -> int:
    """The calling thread, as records name it."""
    return threading.get_ident()
