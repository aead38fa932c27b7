"""Many threads allocate, free what others allocated, begin, end and fork: nothing is lost, and nothing overlaps."""

from __future__ import annotations

import gc
import os
import queue
import random
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

import tscript
from tscript import Tensor
from tscript.runtime.session.process import current


@tscript.script
def words(n: int, k: int) -> int:
    groups: dict[str, list[int]] = {}
    for i in range(n):
        key = str(i * k % 97)
        if key not in groups:
            groups[key] = []
        groups[key].append(i)
    total = 0
    for group in groups.values():
        total += len(group)
    return total


@tscript.script
def tensors(x: Tensor, n: int) -> list[Tensor]:
    made: list[Tensor] = []
    for i in range(n):
        made.append(x * float(i) + 1.0)
    return made


@tscript.script
def lengths(n: int, k: int) -> int:
    made = [str(i * k) for i in range(n)]
    made.sort()
    return sum([len(one) for one in made])


def run(*works: Callable[[], None]) -> None:
    """Run functions in threads of their own."""
    with ThreadPoolExecutor(len(works)) as pool:
        for future in [pool.submit(work) for work in works]:
            future.result()


def blocks() -> int:
    gc.collect()
    return current().live_blocks()


@pytest.fixture(autouse=True)
def warm() -> None:
    """All is compiled."""
    assert words(2000, 3) == 2000
    assert lengths(10, 1) == 10
    tensors(tscript.ones(3), 2)


@pytest.mark.parametrize(("count", "rounds"), [(2, 60), (5, 30)])
def test_threads_pass_tensors_to_each_other(count: int, rounds: int) -> None:
    before = blocks()
    passed: queue.Queue[tuple[list[Tensor], int]] = queue.Queue(32)

    def look(made: list[Tensor]) -> None:
        for i, tensor in enumerate(made):
            assert float(tensor[0]) == float(tensor[-1]) == 2.0 * i + 1.0

    def work(seed: int) -> None:
        choose = random.Random(seed)
        for _ in range(rounds):
            what = choose.random()
            if what < 0.3:
                n = choose.randrange(1, 1500)
                assert words(n, choose.randrange(1, 50)) == n
            elif what < 0.65:
                size = choose.choice((1, 5, 64, 700, 5000, 40_000))
                try:
                    passed.put_nowait((tensors(tscript.full((size,), 2.0), 10), size))
                except queue.Full:
                    look(passed.get()[0])
            elif not passed.empty():
                try:
                    look(passed.get_nowait()[0])
                except queue.Empty:
                    pass

    for wave in range(3):  # the second one takes over the heaps of the first
        run(*[lambda k=k, wave=wave: work(100 * wave + k) for k in range(count)])
    while not passed.empty():
        look(passed.get()[0])
    assert blocks() == before


def test_memory_of_threads_that_have_ended_is_used_again() -> None:
    before = blocks()
    kept: list[list[Tensor]] = []
    run(lambda: kept.append(tensors(tscript.ones(100), 3000)))
    heaps = chunks = 0
    for _ in range(6):
        kept.clear()  # freed by this thread
        run(lambda: kept.append(tensors(tscript.ones(100), 3000)))
        heaps, chunks = heaps or current().heap.next, chunks or current().heap.chunks
    assert current().heap.next == heaps
    assert current().heap.chunks <= chunks + 1  # other threads of the process may take one
    kept.clear()
    assert blocks() == before


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*fork")
def test_children_forked_while_threads_allocate() -> None:
    ends = threading.Event()

    def busy() -> None:
        while not ends.is_set():
            lengths(3000, 7)

    kept = tensors(tscript.ones(100), 100)
    threads = [threading.Thread(target=busy) for _ in range(3)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(8):
            time.sleep(0.003)
            child = os.fork()
            if child == 0:
                code = 1
                try:
                    kept.clear()
                    found = [0]
                    other = threading.Thread(target=lambda: found.append(lengths(5000, 1)))
                    other.start()
                    other.join()
                    assert found[1] == lengths(5000, 1)
                    code = 0
                finally:
                    os._exit(code)
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    finally:
        ends.set()
        for thread in threads:
            thread.join()


def test_the_process_ends_while_threads_allocate() -> None:
    code = """
import threading, tscript
@tscript.script
def lengths(n: int) -> int:
    return len([str(i) for i in range(n)])
lengths(10)
def busy():
    while True:
        lengths(20000)
for _ in range(3):
    threading.Thread(target=busy, daemon=True).start()
print(lengths(100000))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "100000\n", "")
