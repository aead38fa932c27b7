"""Memory that nobody uses goes back to the system."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import tscript
from tscript.runtime.session.keeper import MOST_CACHED, cache_limit
from tscript.runtime.session.process import current


def until(seconds: float, condition) -> bool:
    """Whether a condition holds within so many seconds."""
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.01)
    return bool(condition())


def keepers() -> list[threading.Thread]:
    return [t for t in threading.enumerate() if t.name == "tscript-heap"]


@pytest.fixture
def quick():
    """Rounds follow each other at once."""
    keeper = current().keeper
    before, keeper.interval = keeper.interval, 0.01
    yield keeper
    keeper.interval = before
    assert until(60, lambda: not keepers())


def test_what_is_cached_goes_back_and_the_thread_ends(quick):
    made = [tscript.zeros(1 << 22) for _ in range(12)]  # 16 MiB each
    del made
    assert tscript.memory_stats()["cached_bytes"] > 150 << 20
    assert until(60, lambda: tscript.memory_stats()["cached_bytes"] < 64 << 20)
    assert until(60, lambda: not keepers() and current().heap.decays == 0)
    made = [tscript.zeros(1 << 22) for _ in range(12)]  # it begins again
    del made
    assert until(60, lambda: tscript.memory_stats()["cached_bytes"] < 64 << 20)


@tscript.script
def words(n: int) -> int:
    made: list[str] = []
    for i in range(n):
        made.append(str(i))
    return len(made)


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs /proc")
def test_pages_of_small_blocks_go_back_to_the_system(quick):
    def resident() -> int:
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")

    words(10)
    before = resident()
    assert words(2_000_000) == 2_000_000
    assert until(60, lambda: resident() < before + (48 << 20))
    assert words(1000) == 1000


HUGE = """
from pathlib import Path
import tscript
large = tscript.empty(3 << 22)
at = large.data_ptr() + (4 << 20)
flags, inside = "", False
for line in Path("/proc/self/smaps").read_text().splitlines():
    head = line.split(" ", 1)[0]
    if "-" in head and not head.endswith(":"):
        begin, end = (int(n, 16) for n in head.split("-"))
        inside = begin <= at < end
    elif inside and head == "VmFlags:":
        flags = line
print("hg" in flags.split())
"""


@pytest.mark.skipif(
    not Path("/sys/kernel/mm/transparent_hugepage/enabled").exists() or not Path("/proc/self/smaps").exists(),
    reason="needs a system with large pages that says which memory has them",
)
@pytest.mark.parametrize("wanted", ["0", "1"])
def test_large_blocks_come_in_large_pages_if_wanted(wanted):
    env = {**os.environ, "TSCRIPT_HUGE_PAGES": wanted}
    done = subprocess.run([sys.executable, "-c", HUGE], capture_output=True, text=True, env=env, check=True)
    assert done.stdout.strip() == str(wanted == "1")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_child_begins_its_own(quick):
    made = [tscript.zeros(1 << 22) for _ in range(12)]
    child = os.fork()
    if child == 0:
        code = 1
        try:
            del made
            code = 0 if until(60, lambda: tscript.memory_stats()["cached_bytes"] < 64 << 20) else 2
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@pytest.mark.parametrize(
    ("text", "limit"),
    [("max\n", MOST_CACHED), ("1073741824\n", 1 << 28), ("99999999999999\n", MOST_CACHED), ("", MOST_CACHED)],
)
def test_a_container_with_little_memory_keeps_less(tmp_path, text, limit):
    (tmp_path / "memory.max").write_text(text)
    assert cache_limit(str(tmp_path / "memory.max")) == limit
    assert cache_limit(str(tmp_path / "absent")) == MOST_CACHED
