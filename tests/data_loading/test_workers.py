"""Worker processes: errors, ends, memory. What could hang or leave processes behind runs in a process of its own."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import textwrap
import time
import traceback
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tscript
from tests.data_loading.sets import (
    Failing,
    Images,
    Killed,
    Slow,
    Stubborn,
    Unpicklable,
    Who,
    broken_init,
    is_gone,
    strange_collate,
    unpicklable_collate,
)
from tscript.data import DataLoader, LoaderTimeoutError, WorkerError, WorkerExitError, pool, shared

ROOT = Path(__file__).resolve().parents[2]


def mappings() -> int:
    """How many segments of workers this process has mapped."""
    return Path("/proc/self/maps").read_text().count("memfd:tscript-data")


def run(code: str, timeout: float = 60) -> subprocess.CompletedProcess[str]:
    text = "from tests.data_loading.sets import *\nfrom tscript.data import *\nimport sys\n" + textwrap.dedent(code)
    path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    return subprocess.run(
        [sys.executable, "-c", text],
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
        env={**os.environ, "PYTHONPATH": path},
    )


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_other_start_methods(method: str) -> None:
    data = Images(20, (40, 40))
    loader = DataLoader(data, 4, num_workers=1, multiprocessing_context=method, shuffle=True, generator=1)
    rows = [(x, i) for x, i in loader]
    assert [i.tolist() for _, i in rows] == [i.tolist() for _, i in DataLoader(data, 4, shuffle=True, generator=1)]
    for x, i in rows:
        np.testing.assert_array_equal(x.numpy(), data.x[i.numpy()])


def test_a_data_set_that_cannot_be_pickled() -> None:
    class Local(Images):
        pass

    with pytest.raises(Exception, match="pickle") as caught:
        iter(DataLoader(Local(), num_workers=1, multiprocessing_context="spawn"))
    assert "use multiprocessing_context='fork'" in caught.value.__notes__[0]


def test_errors_keep_their_class_and_traceback() -> None:
    iterator = iter(DataLoader(Failing(KeyError("lost")), 2, num_workers=2))
    assert next(iterator).tolist() == [0, 1]
    with pytest.raises(KeyError) as caught:
        next(iterator)
    assert caught.value.args == ("lost",)
    assert caught.value.__notes__ == ["raised in DataLoader worker 1"]
    shown = "".join(traceback.format_exception(caught.value))
    assert 'sets.py", line' in shown
    assert "raise self.error" in shown
    # The error belongs to one batch.
    assert [b.tolist() for b in iterator] == [[4, 5], [6, 7]]


def test_errors_that_cannot_be_sent() -> None:
    with pytest.raises(WorkerError, match=r"sets\.Unpicklable in DataLoader worker 0(?s:.*)raise self.error") as caught:
        list(DataLoader(Failing(Unpicklable(1, 2)), num_workers=1))
    assert caught.value.worker == 0
    with pytest.raises(Exception, match="unpicklable_collate") as found:
        list(DataLoader([1], num_workers=1, collate_fn=unpicklable_collate))
    assert "while the batch was sent" in found.value.__notes__[0]
    with pytest.raises(ValueError, match="worker 0 cannot begin"):
        list(DataLoader([1], num_workers=1, worker_init_fn=broken_init))


@pytest.mark.parametrize(("exitcode", "text"), [(None, "was killed by SIGKILL"), (3, "ended with exit code 3")])
def test_a_worker_that_ends(exitcode: int | None, text: str) -> None:
    seen: list[Any] = []
    before = mappings()
    with pytest.raises(WorkerExitError, match=text) as caught:
        seen.extend(x for x, _ in DataLoader(Killed(exitcode), 8, num_workers=2))
    assert len(seen) <= 2
    assert caught.value.worker == 0
    assert caught.value.exitcode == (-signal.SIGKILL if exitcode is None else exitcode)
    x = None
    for i, x in enumerate(seen):  # they outlive the worker
        np.testing.assert_array_equal(x.numpy(), Images().x[8 * i : 8 * i + 8])
    del x, seen, caught
    gc.collect()
    assert mappings() == before


def test_timeout() -> None:
    iterator = iter(DataLoader(Slow(0.4, 1), num_workers=1, timeout=0.05))
    for kind in (TimeoutError, RuntimeError, LoaderTimeoutError):
        with pytest.raises(kind, match=r"no batch came within 0\.05 seconds"):
            next(iterator)
    while True:  # it may be asked again
        try:
            assert next(iterator).tolist() == [0]
            break
        except LoaderTimeoutError:
            continue


def test_leaving_early_ends_the_workers() -> None:
    before = mappings()
    loader = DataLoader(Images(400), 8, num_workers=2)
    for x, _ in loader:
        break
    iterator: Any = iter(loader)
    next(iterator)
    pids = iterator._pool.pids
    assert len(pids) == 2
    iterator.close()
    assert all(map(is_gone, pids))
    assert list(iterator) == []
    assert mappings() == before + 1  # of x
    del x
    assert mappings() == before


def test_a_worker_stops_between_samples() -> None:
    iterator: Any = iter(DataLoader(Slow(0.05, 1000), 1000, num_workers=1))
    pids = iterator._pool.pids
    del iterator
    assert all(map(is_gone, pids))


@pytest.mark.parametrize("kind", [Slow, Stubborn])
def test_a_worker_that_does_not_stop_is_ended(kind: type[Slow], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "_GRACE_SECONDS", 0.3)
    iterator: Any = iter(DataLoader(kind(1000.0), num_workers=1))
    pids = iterator._pool.pids
    iterator.close()
    assert all(map(is_gone, pids))


def test_batches_that_are_kept_are_not_overwritten() -> None:
    data = Images(400)
    before = mappings()
    kept = [(x, i) for x, i in DataLoader(data, 8, num_workers=2)]
    assert mappings() == before + len(kept)
    for x, i in kept:
        np.testing.assert_array_equal(x.numpy(), data.x[i.numpy()])
    row = kept[3][0].numpy()[2]
    del kept, x, i
    assert mappings() == before + 1
    np.testing.assert_array_equal(row, data.x[26])


def test_memory_is_used_again() -> None:
    before = mappings()
    peak = 0
    addresses = set()
    for x, _ in DataLoader(Images(800), 8, num_workers=1):
        addresses.add(x.data_ptr())
        peak = max(peak, mappings() - before)
    assert len(addresses) <= 4
    assert peak <= 4
    del x
    assert mappings() == before


def test_memory_that_a_forked_child_sees_is_not_used_again() -> None:
    result = run("""
        data = Images(200)
        it = iter(DataLoader(data, 8, num_workers=1))
        x, _ = next(it)
        ready, done = os.pipe()
        pid = os.fork()
        if not pid:
            os.read(ready, 1)  # the parent has gone on
            os._exit(not np.array_equal(x.numpy(), data.x[:8]))
        del x
        for _ in it:
            pass
        os.write(done, b".")
        print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
    """)
    assert (result.stdout, result.stderr) == ("0\n", "")


def test_batches_of_any_structure() -> None:
    data = Images(16)
    for k, batch in enumerate(DataLoader(data, 8, num_workers=1, collate_fn=strange_collate)):
        assert type(batch).__name__ == "Pair"
        whole = data.x[8 * k : 8 * k + 8]
        assert batch.x["x"] is not None
        np.testing.assert_array_equal(batch.x["x"].numpy(), whole)
        np.testing.assert_array_equal(batch.x["again"].numpy(), whole)
        np.testing.assert_array_equal(batch.x["transposed"].numpy(), whole.transpose(3, 0, 1, 2))
        np.testing.assert_array_equal(batch.x["row"].numpy(), whole[0])
        y, big, odd, tensor, small, number, text, none = batch.y
        assert y.tolist() == list(range(8 * k, 8 * k + 8))
        np.testing.assert_array_equal(big, np.arange(20000.0))
        np.testing.assert_array_equal(odd, np.arange(20000.0)[::-2])
        np.testing.assert_array_equal(tensor.numpy(), big)
        assert type(big) is type(odd) is type(small) is np.ndarray
        assert (small.tolist(), number.item(), text, none) == ([0, 1, 2], 1.5, "text", None)


def test_where_nothing_can_be_mapped(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: Any) -> Any:
        raise OSError("too many")

    data = Images(40)
    expected = data.x[8:16]
    with monkeypatch.context() as patch:  # in the parent only: the worker has forked before
        iterator = iter(DataLoader(data, 8, num_workers=1))
        patch.setattr(shared.Segment, "map", refuse)
        batches = [x for x, _ in iterator]
    np.testing.assert_array_equal(batches[1].numpy(), expected)
    monkeypatch.setattr(os, "memfd_create", refuse)
    batches = [x for x, _ in DataLoader(data, 8, num_workers=1, multiprocessing_context="fork")]
    np.testing.assert_array_equal(batches[1].numpy(), expected)


def test_persistent_workers() -> None:
    loader = DataLoader(Who(), None, num_workers=2, persistent_workers=True)
    first = {row[-1] for row in loader}
    assert {row[-1] for row in loader} == first
    iterator = iter(loader)
    next(iterator)
    assert [row[0] for row in loader] == list(range(8))
    with pytest.raises(RuntimeError, match="another iteration over this DataLoader has begun"):
        next(iterator)
    os.kill(min(first), signal.SIGKILL)
    with pytest.raises(WorkerExitError):
        list(loader)
    again = {row[-1] for row in loader}
    assert len(again) == 2
    assert not again & first
    del iterator, loader
    assert all(map(is_gone, first | again))


def test_an_iterator_belongs_to_its_process() -> None:
    result = run("""
        it = iter(DataLoader(Images(200), 8, num_workers=1))
        next(it)
        pid = os.fork()
        if not pid:
            try:
                next(it)
            except RuntimeError as error:
                print(error, flush=True)
            del it
            os._exit(0)
        os.waitpid(pid, 0)
        print(len(list(it)))
    """)
    assert result.stdout == "this iteration was begun in another process; begin one here\n24\n", result.stderr


@pytest.mark.parametrize("end", ["sys.exit(0)", "1 / 0", "os.kill(os.getpid(), signal.SIGKILL)"])
def test_workers_end_with_their_parent(end: str) -> None:
    result = run(f"""
        it = iter(DataLoader(Images(800), 8, num_workers=2))
        next(it)
        print(*it._pool.pids, flush=True)
        {end}
    """)
    pids = [int(p) for p in result.stdout.split()]
    assert len(pids) == 2, result.stderr
    limit = time.monotonic() + 30
    while not all(map(is_gone, pids)) and time.monotonic() < limit:
        time.sleep(0.02)
    assert all(map(is_gone, pids))
    assert ("ZeroDivisionError" in result.stderr) == ("/" in end), result.stderr
    assert result.stderr == "" or "/" in end


def test_keyboard_interrupt() -> None:
    code = """
        import threading
        it = iter(DataLoader(Slow(0.1, 1000), num_workers=2))
        next(it)
        pids = it._pool.pids
        threading.Timer(0.2, lambda: [os.kill(p, signal.SIGINT) for p in (*pids, os.getpid())]).start()
        try:
            for _ in it:
                pass
        except KeyboardInterrupt:
            print("interrupted", all(map(is_gone, pids)), list(it))
    """
    result = run(code)
    assert (result.stdout, result.stderr) == ("interrupted True []\n", "")


def test_no_shared_memory_has_a_name() -> None:
    before = set(os.listdir("/dev/shm"))
    iterator = iter(DataLoader(Images(400), 8, num_workers=2))
    next(iterator)
    assert set(os.listdir("/dev/shm")) <= before
    del iterator
    assert type(next(iter(DataLoader(Images(), 8)))[0]) is tscript.Tensor
