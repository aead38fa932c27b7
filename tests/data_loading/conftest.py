"""No test of this folder may leave a process behind."""

from __future__ import annotations

import gc
import multiprocessing
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = str(Path(__file__).resolve().parents[2])


@pytest.fixture(autouse=True)
def workers_find_the_data_sets(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that is spawned gets the path of its parent, where it finds `tests.data_loading.sets`."""
    if ROOT not in sys.path:
        monkeypatch.syspath_prepend(ROOT)


@pytest.fixture(autouse=True)
def no_process_is_left() -> Iterator[None]:
    yield
    gc.collect()  # an exception that a test has caught may hold an iterator
    assert multiprocessing.active_children() == []
