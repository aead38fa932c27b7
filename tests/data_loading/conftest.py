"""No test of this folder may leave a process behind."""

from __future__ import annotations

import gc
import multiprocessing
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def no_process_is_left() -> Iterator[None]:
    yield
    gc.collect()  # an exception that a test has caught may hold an iterator
    assert multiprocessing.active_children() == []
