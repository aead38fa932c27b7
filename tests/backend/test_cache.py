"""The object cache: hits, every kind of damage, every refusal of the disk, several processes."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
import warnings
from pathlib import Path

import pytest

from tscript.backend.llvm.target import Target
from tscript.backend.loader import cache as module
from tscript.backend.loader.cache import MAGIC, CacheWarning, Mode, ObjectCache, default_folder
from tscript.backend.loader.folders import Folder
from tscript.backend.loader.optimise import compile_text

KEY = "ab" * 32
OTHER = "cd" * 32


@pytest.fixture
def cache(tmp_path: Path) -> ObjectCache:
    return ObjectCache(tmp_path / "cache")


def only_file(cache: ObjectCache) -> Path:
    (entry,) = cache.list()
    return entry.path


def test_what_is_put_is_found(cache):
    assert cache.get(KEY) is None
    assert cache.put(KEY, b"payload")
    assert cache.get(KEY) == b"payload"
    assert cache.get(OTHER) is None
    assert cache.put(KEY, b"")
    assert cache.get(KEY) == b""
    assert (cache.stats.hits, cache.stats.misses, cache.stats.errors) == (2, 2, 0)


def test_a_folder_that_is_held_is_opened_once(cache, monkeypatch):
    opened = []

    def folder(path: Path, *, create: bool = False) -> Folder:
        opened.append(path)
        return Folder(path, create=create)

    monkeypatch.setattr(module, "Folder", folder)
    with cache.held():
        cache.put(KEY, b"payload")
        with cache.held():
            assert cache.get(KEY) == b"payload"
        assert cache.get(OTHER) is None
    assert len(opened) == 1
    cache.get(KEY)
    assert len(opened) == 2


def test_a_folder_that_is_removed_while_it_is_held_is_made_again(cache):
    with cache.held():
        cache.put(KEY, b"payload")
        shutil.rmtree(cache.path)
        assert cache.get(KEY) is None
        assert cache.put(OTHER, b"other")
    assert (cache.get(KEY), cache.get(OTHER)) == (None, b"other")


def test_another_process_finds_it(cache):
    cache.put(KEY, b"payload")
    assert ObjectCache(cache.path).get(KEY) == b"payload"


def test_a_failed_lookup_makes_no_folder(cache):
    cache.get(KEY)
    assert cache.path is not None and not cache.path.exists()


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: data[:10],
        lambda data: data[:-1],
        lambda data: data + b"x",
        lambda data: data[:-1] + bytes([data[-1] ^ 1]),
        lambda data: b"X" + data[1:],
        lambda data: data[: len(MAGIC)] + bytes(32) + data[len(MAGIC) + 32 :],
        lambda data: MAGIC,
        lambda data: bytes(200),
    ],
)
def test_damaged_entries_are_misses(cache, damage):
    cache.put(KEY, b"payload " * 10)
    path = only_file(cache)
    path.write_bytes(damage(path.read_bytes()))
    assert cache.get(KEY) is None
    assert [e.key for e in cache.verify()] == [KEY]
    assert cache.put(KEY, b"new")
    assert cache.get(KEY) == b"new"
    assert cache.verify() == []


def test_a_renamed_entry_is_a_miss(cache):
    cache.put(KEY, b"payload")
    path = only_file(cache)
    path.rename(path.with_name(OTHER + path.suffix))
    assert cache.get(OTHER) is None


def test_an_entry_that_is_a_folder_is_a_miss(cache):
    cache.put(OTHER, b"")
    only_file(cache).with_name(KEY + module.SUFFIX).mkdir()
    with pytest.warns(CacheWarning):
        assert cache.get(KEY) is None


def test_off_and_read_only(tmp_path):
    folder = tmp_path / "cache"
    ObjectCache(folder).put(KEY, b"payload")
    off, read = (
        ObjectCache.from_environment({"TSCRIPT_CACHE_DIR": str(folder), "TSCRIPT_CACHE": v}) for v in ("off", "ro")
    )
    assert (off.mode, read.mode) == (Mode.OFF, Mode.READ)
    assert off.get(KEY) is None
    assert read.get(KEY) == b"payload"
    for cache in (off, read):
        assert not cache.put(OTHER, b"more")
    assert len(read.list()) == 1


def test_no_folder_means_no_cache():
    cache = ObjectCache.from_environment({})
    assert cache.path is None
    assert not cache.put(KEY, b"")
    assert cache.get(KEY) is None
    assert cache.list() == cache.verify() == []
    assert cache.clear() == cache.evict() == 0


@pytest.mark.parametrize(
    ("environment", "platform", "expected"),
    [
        ({"HOME": "/h"}, "linux", "/h/.cache/tscript"),
        ({"HOME": "/h", "XDG_CACHE_HOME": "/x"}, "linux", "/x/tscript"),
        ({"HOME": "/h", "XDG_CACHE_HOME": "relative"}, "linux", "/h/.cache/tscript"),
        ({"HOME": "/h"}, "darwin", "/h/Library/Caches/tscript"),
        ({"LOCALAPPDATA": "/l"}, "win32", "/l/tscript/cache"),
        ({"USERPROFILE": "/u"}, "win32", "/u/AppData/Local/tscript/cache"),
        ({}, "linux", None),
        ({}, "win32", None),
    ],
)
def test_default_folders(environment, platform, expected):
    assert default_folder(environment, platform) == (None if expected is None else Path(expected))


def test_the_folder_is_private(cache):
    cache.put(KEY, b"x")
    assert only_file(cache).parent.stat().st_mode & 0o777 == 0o700
    assert only_file(cache).stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("mode", [0o777, 0o770])
def test_a_folder_that_others_may_write_is_not_used(cache, mode):
    cache.put(KEY, b"x")
    only_file(cache).parent.chmod(mode)
    fresh = ObjectCache(cache.path)
    with pytest.warns(CacheWarning, match="others may write"):
        assert fresh.get(KEY) is None
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert not fresh.put(OTHER, b"y")


@pytest.mark.skipif(os.getuid() == 0, reason="what is root's is trusted; test_folders.py has real other users")
def test_a_folder_of_another_user_is_not_used(cache, monkeypatch):
    cache.put(KEY, b"x")
    monkeypatch.setattr(os, "getuid", lambda: 4_000_000)
    with pytest.warns(CacheWarning, match="belongs to"):
        assert ObjectCache(cache.path).get(KEY) is None


def test_a_file_in_the_way(tmp_path):
    (tmp_path / "cache").write_text("not a folder")
    cache = ObjectCache(tmp_path / "cache")
    with pytest.warns(CacheWarning):
        assert not cache.put(KEY, b"x")
    assert cache.get(KEY) is None
    assert cache.stats.errors


@pytest.mark.parametrize("function", ["fdopen", "replace"])
def test_a_disk_that_refuses_is_said_once(cache, monkeypatch, function):
    def refuse(*args, **kwargs):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, function, refuse)
    with pytest.warns(CacheWarning, match="No space left"):
        assert not cache.put(KEY, b"x")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert not cache.put(OTHER, b"x")
    assert cache.stats.errors == 2
    monkeypatch.undo()
    assert cache.put(KEY, b"x")
    assert [p.name for p in only_file(cache).parent.glob("[!.]*")] == [KEY + module.SUFFIX]


def test_eviction_takes_the_oldest(cache):
    for i in range(6):
        key = f"{i:064x}"
        cache.put(key, bytes(1000))
        os.utime(cache._file(key), (1000 + i, 1000 + i))
    cache.limit = 3 * 1100
    assert cache.evict() == 3
    assert [int(e.key, 16) for e in cache.list()] == [3, 4, 5]
    assert cache.stats.evictions == 3
    cache.limit = 0
    assert cache.evict() == 3


def test_writing_evicts_now_and_then(cache, monkeypatch):
    monkeypatch.setattr(module, "_SWEEP_EVERY", 64)
    cache.limit = 5000
    for i in range(130):
        cache.put(f"{i:064x}", bytes(1000))
    assert len(cache.list()) < 70


def test_leftovers_are_removed(cache):
    cache.put(KEY, b"x")
    folder = only_file(cache).parent
    old, new = folder / ".new-old", folder / ".new-new"
    for path in (old, new):
        path.write_bytes(b"half")
    os.utime(old, (1, 1))
    cache.evict()
    assert not old.exists() and new.exists()
    assert cache.clear() == 1
    assert list(folder.iterdir()) == []


def test_keys_depend_on_everything(cache, monkeypatch):
    target = Target("x86_64-unknown-linux-gnu", "cpu", "+a")
    keys = {
        cache.key("text", target, 2),
        cache.key("text ", target, 2),
        cache.key("text", target, 1),
        cache.key("text", Target("x86_64-unknown-linux-gnu", "cpu", "+a,+b"), 2),
        cache.key("text", Target("x86_64-unknown-linux-gnu", "other", "+a"), 2),
        cache.key("text", Target("aarch64-unknown-linux-gnu", "cpu", "+a"), 2),
    }
    monkeypatch.setattr(module, "_versions", lambda: b"another version")
    keys.add(cache.key("text", target, 2))
    assert len(keys) == 7
    assert cache.key("text", target, 2) == cache.key("text", Target(target.triple, "cpu", "+a", is_host=True), 2)


TEXT = "define i32 @f(i32 %x) {\n  %y = add i32 %x, 1\n  ret i32 %y\n}\n"


def test_compiling_twice_compiles_once(cache, monkeypatch):
    target = Target.host()
    first = compile_text(TEXT, target, 2, cache)
    monkeypatch.setattr("tscript.backend.loader.optimise.generate", None)
    assert compile_text(TEXT, target, 2, cache) == first
    assert (cache.stats.hits, cache.stats.misses) == (1, 1)


def test_threads_may_share_a_cache(cache):
    def work(n: int) -> None:
        for i in range(20):
            key = f"{i % 5:064x}"
            assert cache.get(key) in (None, bytes([i % 5]) * 5000)
            assert cache.put(key, bytes([i % 5]) * 5000)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert len(cache.list()) == 5
    assert cache.verify() == []


PROCESS = """
import sys
from pathlib import Path
from tscript.backend.loader.cache import ObjectCache
cache = ObjectCache(Path(sys.argv[1]))
for i in range(60):
    key = f"{i % 3:064x}"
    assert cache.get(key) in (None, bytes([i % 3]) * 20000)
    assert cache.put(key, bytes([i % 3]) * 20000)
assert cache.stats.errors == 0
"""


def test_processes_may_share_a_cache(cache):
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2])}
    running = [
        subprocess.Popen([sys.executable, "-c", PROCESS, str(cache.path)], env=environment, cwd="/") for _ in range(3)
    ]
    assert [p.wait(60) for p in running] == [0, 0, 0]
    assert len(cache.list()) == 3
    assert cache.verify() == []


MAKER = """
import sys, time
from pathlib import Path
from tscript.backend.loader.cache import ObjectCache
cache = ObjectCache(Path(sys.argv[1]))
key, made = "ab" * 32, []
def make():
    made.append(1)
    print("begin", flush=True)
    if sys.argv[2] == "stop":
        sys.stdin.read()
    time.sleep(float(sys.argv[2]))
    cache.put(key, b"payload")
    return b"payload"
found = cache.made_once(key, lambda: cache.get(key), make)
print(found.decode(), len(made))
"""


def maker(cache: ObjectCache, how: str) -> subprocess.Popen[str]:
    """A process that makes an entry, which takes so many seconds."""
    command = [sys.executable, "-c", MAKER, str(cache.path), how]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


has_locks = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="no such locks")


@has_locks
def test_one_of_many_processes_makes_an_entry(cache):
    found = [process.communicate()[0] for process in [maker(cache, "1") for _ in range(4)]]
    assert sorted(found) == ["begin\npayload 1\n", *["payload 0\n"] * 3]


@has_locks
@pytest.mark.parametrize("way", ["killed", "stopped"])
def test_a_maker_that_ends_or_stops_keeps_nobody_waiting(cache, way):
    other = maker(cache, "stop")
    assert other.stdout is not None and other.stdout.readline() == "begin\n"
    if way == "killed":
        other.kill()
        other.wait()
    else:
        os.kill(other.pid, signal.SIGSTOP)
    begin = time.monotonic()
    assert cache.made_once(KEY, lambda: cache.get(KEY), lambda: b"own", wait=0.3) == b"own"
    assert time.monotonic() - begin < 5
    assert cache.made_once(OTHER, lambda: cache.get(OTHER), lambda: b"own") == b"own"  # another key is free
    other.kill()
    other.communicate()


@has_locks
def test_an_entry_that_cannot_be_kept_is_made_by_all(cache):
    """Those that waited for the first one do not wait for each other."""
    began = threading.Barrier(3)
    first = threading.Event()

    def make() -> bytes:
        if not first.is_set():
            first.set()
            time.sleep(0.2)
        else:
            began.wait(10)  # all of them are here at once
        return b"own"

    def run() -> None:
        assert cache.made_once(KEY, lambda: cache.get(KEY), make) == b"own"

    threads = [threading.Thread(target=run) for _ in range(4)]
    threads[0].start()
    first.wait(10)
    for thread in threads[1:]:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert not began.broken


@pytest.mark.parametrize("mode", [Mode.OFF, Mode.READ])
def test_without_a_cache_to_write_nothing_is_locked(tmp_path, mode):
    cache = ObjectCache(tmp_path / "none", mode)
    assert cache.made_once(KEY, lambda: cache.get(KEY), lambda: b"own") == b"own"
    assert not (tmp_path / "none").exists()


@has_locks
def test_a_child_of_a_fork_does_not_keep_a_lock(cache):
    children = []

    def make() -> bytes:
        child = os.fork()
        if child == 0:
            time.sleep(5)
            os._exit(0)
        children.append(child)
        return b"own"

    assert cache.made_once(KEY, lambda: cache.get(KEY), make) == b"own"
    begin = time.monotonic()
    assert cache.made_once(KEY, lambda: cache.get(KEY), lambda: b"own") == b"own"
    assert time.monotonic() - begin < 3
    os.kill(children[0], signal.SIGKILL)
    os.waitpid(children[0], 0)
