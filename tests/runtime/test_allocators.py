"""Custom allocators: every block goes back to who gave it, and an allocator that breaks its word breaks nothing
else."""

from __future__ import annotations

import ctypes
import gc
import subprocess
import sys
import threading
from collections.abc import Iterator
from typing import Any

import pytest

import tscript
from tscript.runtime.session.process import current

ALLOCATE = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p)
FREE = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p)

CODE = ("code_objects", "code_bytes", "background_compiles", "background_waiting",
        "library_bytes", "library_resident", "library_functions")  # fmt: skip


def of_blocks() -> dict[str, int]:
    """The counters that say nothing of code."""
    return {name: count for name, count in tscript.memory_stats().items() if name not in CODE}


class Counted:
    """An allocator over the C library that remembers its blocks and can be told to fail."""

    def __init__(self, user: int = 0) -> None:
        libc = ctypes.CDLL(None)
        self.blocks: dict[int, tuple[int, int]] = {}
        self.users: set[int] = set()
        self.wrong: list[object] = []
        self.empty = False
        self.shift = 0

        def allocate(nbytes: int, alignment: int, user: int | None) -> int | None:
            if self.empty:
                return None
            block = ctypes.c_void_p()
            libc.posix_memalign(ctypes.byref(block), ctypes.c_size_t(alignment), ctypes.c_size_t(nbytes + 64))
            assert block.value is not None
            self.users.add(user or 0)
            given = block.value + self.shift
            self.blocks[given] = (block.value, nbytes)
            return given

        def free(block: int, nbytes: int, user: int | None) -> None:
            real, asked = self.blocks.pop(block, (0, -1))
            if asked != nbytes:
                self.wrong.append((block, nbytes, asked))
            libc.free(ctypes.c_void_p(real))

        self.allocate = allocate
        self.allocator = tscript.Allocator(ALLOCATE(allocate), FREE(free), user)


@pytest.fixture
def mine() -> Iterator[Counted]:
    gc.collect()
    found = Counted(0x1234)
    yield found
    tscript.set_allocator(None)
    gc.collect()
    assert found.wrong == []


def test_tensors_come_from_it(mine: Counted) -> None:
    assert tscript.get_allocator() is None
    assert tscript.set_allocator(mine.allocator) is None
    assert tscript.get_allocator() is mine.allocator and mine.blocks == {} and mine.users == {0x1234}
    x = tscript.ones(1000)
    y = x + 1.0
    assert len(mine.blocks) == mine.allocator.live_blocks == 4
    assert mine.allocator.live_bytes >= 8000
    assert x.data_ptr() % 64 == y.data_ptr() % 64 == 0
    assert any(given <= x.data_ptr() < given + n for given, (_, n) in mine.blocks.items())
    assert y.tolist() == [2.0] * 1000
    del x, y
    assert mine.blocks == {} and mine.allocator.live_blocks == mine.allocator.live_bytes == 0  # nothing is cached


def test_compiled_code_uses_it(mine: Counted) -> None:
    @tscript.script
    def f(x, n: int):
        y = x
        for i in range(n):
            y = tscript.cat((y, x.t().clone()), 0).sum(0, keepdim=True) @ tscript.ones(y.shape[1], 3)
        return y

    x = tscript.ones(3, 3)
    expected = f(x, 4).tolist()
    before = current().live_blocks()
    tscript.set_allocator(mine.allocator)
    found = f(x, 4)
    assert found.tolist() == expected and len(mine.blocks) == 2
    del found
    assert current().live_blocks() == before and mine.blocks == {}


def test_switching_while_blocks_are_alive(mine: Counted) -> None:
    """All orders of making, switching and freeing: each block goes home."""
    other = Counted(0x99)
    before = tscript.memory_stats()
    makers: list[tscript.Allocator | None] = [None, mine.allocator, other.allocator]
    tensors: list[Any] = []
    for i in range(30):
        tscript.set_allocator(makers[i % 3])
        tensors.append((i, tscript.full((i * 7 + 1,), float(i))))
        if i % 4 == 3:
            tscript.set_allocator(makers[(i + 1) % 3])
            tensors.pop(i // 3)
    assert tscript.memory_stats()["foreign_blocks"] == len(mine.blocks) + len(other.blocks) > 0
    for i, t in tensors:
        assert t.tolist() == [float(i)] * (i * 7 + 1)
    tscript.set_allocator(None)
    cached = tscript.memory_stats()["cached_bytes"]
    del t
    tensors.clear()
    assert mine.blocks == other.blocks == {} and other.wrong == []
    after = tscript.memory_stats()
    assert after["live_blocks"] == before["live_blocks"] and after["live_bytes"] == before["live_bytes"]
    assert after["foreign_blocks"] == 0 and after["cached_bytes"] >= cached


def test_views_keep_a_block(mine: Counted) -> None:
    tscript.set_allocator(mine.allocator)
    x = tscript.ones(4, 4)
    row = x[1]
    tscript.set_allocator(None)
    del x
    assert row.tolist() == [1.0] * 4 and len(mine.blocks) == 2
    del row
    assert mine.blocks == {}


def test_an_allocator_without_memory(mine: Counted) -> None:
    tscript.set_allocator(mine.allocator)
    x = tscript.ones(4)
    before = of_blocks()
    mine.empty = True
    for call in (lambda: tscript.ones(3), lambda: x + 1.0, lambda: x.sum(), lambda: x.reshape(2, 2), lambda: x.clone()):
        with pytest.raises(MemoryError, match="cannot allocate"):
            call()
    assert mine.allocator.failures >= 5 and of_blocks() == before
    mine.empty = False
    assert (x + 1.0).tolist() == [2.0] * 4
    mine.empty = True
    with pytest.raises(MemoryError, match="gave nothing when it was asked"):
        tscript.set_allocator(tscript.Allocator(mine.allocator.allocate, mine.allocator.free))
    mine.empty = False
    assert tscript.get_allocator() is mine.allocator


@pytest.mark.parametrize("shift", [1, 8, 32, 63])
def test_an_allocator_that_does_not_align(mine: Counted, shift: int) -> None:
    tscript.set_allocator(mine.allocator)
    before = of_blocks()
    mine.shift = shift
    with pytest.raises(RuntimeError, match="not a multiple of 64"):
        tscript.ones(3)
    with pytest.raises(ValueError, match="which is not a multiple of 64"):
        tscript.set_allocator(tscript.Allocator(mine.allocator.allocate, mine.allocator.free))
    assert mine.blocks == {} and of_blocks() == before
    mine.shift = 0
    assert tscript.ones(1).tolist() == [1.0]


@pytest.mark.parametrize(
    ("arguments", "kind", "said"),
    [
        ((0, 1), ValueError, "'allocate' needs the address of a C function, this one is null"),
        ((1, 0), ValueError, "'free' needs the address of a C function, this one is null"),
        ((ctypes.c_void_p(), 1), ValueError, "is null"),
        ((ALLOCATE(), 1), ValueError, "is null"),
        ((None, 1), TypeError, "not a NoneType"),
        ((print, 1), TypeError, "wrap it with ctypes.CFUNCTYPE"),
        ((1, "free"), TypeError, "not a str"),
        ((1, 1, "user"), TypeError, "'user' is an address"),
        ((1, 1, -1), TypeError, "'user' is an address"),
    ],
)
def test_tables_that_are_none(arguments: tuple[Any, ...], kind: type[Exception], said: str) -> None:
    with pytest.raises(kind, match=said):
        tscript.Allocator(*arguments)


def test_what_is_no_allocator() -> None:
    with pytest.raises(TypeError, match=r"expected a tscript.Allocator or None, not tuple"):
        tscript.set_allocator((1, 2))  # type: ignore[arg-type]
    assert tscript.get_allocator() is None


def test_switching_under_load(mine: Counted) -> None:
    """Threads make and free tensors while others switch; at the end everything is home."""
    x = tscript.ones(64)
    before = current().live_blocks()
    stop = threading.Event()
    wrong: list[object] = []

    @tscript.script
    def work(x, n: int):
        total = 0.0
        for i in range(n):
            y = x.clone()
            total += float((y.reshape(8, 8) + 1.0).sum())
        return total

    expected = work(x, 50)

    def run() -> None:
        while not stop.is_set():
            if work(x, 50) != expected:
                wrong.append(1)

    threads = [threading.Thread(target=run) for _ in range(3)]
    for t in threads:
        t.start()
    for _ in range(40):
        tscript.set_allocator(mine.allocator)
        tscript.ones(2)
        tscript.set_allocator(None)
    stop.set()
    for t in threads:
        t.join()
    assert wrong == [] and mine.blocks == {} and current().live_blocks() == before


SCRIPT = """
import ctypes, tscript
libc = ctypes.CDLL(None)
@ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p)
def allocate(nbytes, alignment, user):
    block = ctypes.c_void_p()
    libc.posix_memalign(ctypes.byref(block), ctypes.c_size_t(alignment), ctypes.c_size_t(nbytes))
    return block.value
@ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p)
def free(block, nbytes, user):
    libc.free(ctypes.c_void_p(block))
tscript.set_allocator(tscript.Allocator(allocate, free))
class Cycle: pass
kept = Cycle(); kept.me = kept; kept.x = tscript.ones(1000) + 1.0
import builtins; builtins.last = tscript.ones(5)
print(kept.x.sum())
del allocate, free
"""


def test_the_end_of_the_process() -> None:
    """Tensors that outlive the interpreter's modules do not call back into it."""
    found = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, timeout=120, check=False)
    assert (found.returncode, found.stdout, found.stderr) == (0, "tensor(2000.)\n", "")


def test_counters() -> None:
    gc.collect()
    before = tscript.memory_stats()
    of_heaps = {"live_blocks", "live_bytes", "peak_bytes", "allocated_bytes", "cached_bytes", "cache_limit"}
    assert set(before) == {*of_heaps, "foreign_blocks", *CODE}
    x = tscript.ones(1000)
    during = tscript.memory_stats()
    assert during["live_blocks"] - before["live_blocks"] == 2 and during["live_bytes"] - before["live_bytes"] >= 4000
    del x
    after = tscript.memory_stats()
    assert after["live_blocks"] == before["live_blocks"] and after["live_bytes"] == before["live_bytes"]
