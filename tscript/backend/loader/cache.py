"""`ObjectCache`: compiled objects on disk, one file an entry.

An entry is a magic line, the digest of key and payload, and the payload. An invalid entry (truncated, altered, renamed,
foreign) is a miss. A disk error (read-only, full) is reported once as a warning and then ignored. Entries are written
under a temporary name and moved into place, so readers and other processes see only complete entries.

An entry is code that runs as the user who reads it. So no other user may control the folder and its parents (see
`folders.py`). One warning names an unsafe folder, and how to fix it.

Keys cover the text, the target, the level, and the versions of all tools that compile text, so an entry never goes
stale; old ones are evicted, oldest first, when the cache is larger than its limit.

========================= ==================================================
``TSCRIPT_CACHE_DIR``     the folder; default: the user's cache folder
``TSCRIPT_CACHE``         ``off``: none; ``ro``: read, never write
========================= ==================================================
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from functools import cache
from pathlib import Path
from typing import TypeVar

from tscript._version import __version__
from tscript.abi.layout import ABI_VERSION
from tscript.backend.llvm.effort import PIPELINE_VERSION
from tscript.backend.llvm.target import Target
from tscript.backend.loader.folders import Folder, UnsafeFolderError
from tscript.backend.loader.locks import WAIT, Lock, release, take
from tscript.digests import sha256
from tscript.late import dataclass

T = TypeVar("T")

MAGIC = b"tscript object 1\n"
SUFFIX = ".tso"
LIMIT = 1 << 30
"""Bytes the cache may take on disk."""

_HEAD = len(MAGIC) + 32
_SWEEP_EVERY = 1024
_SWEEP_SECONDS = 3600.0
_MARKER = ".swept"
_LOCKS = ".locks"
_TEMPORARY = ".new-"
_STALE_SECONDS = 3600.0


class CacheWarning(UserWarning):
    """The cache cannot be used as asked for; everything works without it, only slower."""


class Mode(Enum):
    """What a cache may do; the values are those of ``TSCRIPT_CACHE``."""

    OFF = "off"
    READ = "ro"
    WRITE = "on"


@dataclass(slots=True)
class Stats:
    """Counters of one process.

    Attributes:
        hits: Entries found.
        misses: Entries not found, or not usable.
        errors: Times the disk refused, and damaged entries.
        evictions: Entries removed to stay within the limit.
        written: Entries written.
    """

    hits: int = 0
    misses: int = 0
    errors: int = 0
    evictions: int = 0
    written: int = 0


@dataclass(frozen=True, slots=True)
class Entry:
    """One file of the cache.

    Attributes:
        key: Its key.
        path: The file.
        size: Bytes.
        modified: When it was written, in seconds since the epoch.
    """

    key: str
    path: Path
    size: int
    modified: float


Entries = list[Entry]
# `ObjectCache.list` is named as its command; this name stands for the type inside the class.


def default_folder(environment: Mapping[str, str] = os.environ, platform: str = sys.platform) -> Path | None:
    """The user's cache folder by the rules of the platform, or None when there is no home."""
    home = environment.get("HOME") or environment.get("USERPROFILE")
    if platform == "win32":
        base = environment.get("LOCALAPPDATA") or (os.path.join(home, "AppData", "Local") if home else None)
        return Path(base, "tscript", "cache") if base else None
    if platform == "darwin":
        return Path(home, "Library", "Caches", "tscript") if home else None
    base = environment.get("XDG_CACHE_HOME") or ""
    if os.path.isabs(base):
        return Path(base, "tscript")
    return Path(home, ".cache", "tscript") if home else None


class ObjectCache:
    """A folder of objects. May be used from several threads and processes at once.

    Args:
        folder: The folder of the entries, made at the first write. None: there is no cache.
        mode: Whether it reads, writes, or neither.
        limit: Its maximum size in bytes.
    """

    def __init__(self, folder: Path | None, mode: Mode = Mode.WRITE, limit: int = LIMIT) -> None:
        self.mode = Mode.OFF if folder is None else mode
        self.limit = limit
        self.stats = Stats()
        self._root = folder
        self._folder = Path() if folder is None else folder / "objects"
        self._lock = threading.Lock()
        self._held = threading.local()
        self._refused = False
        self._warned = False
        self._writes = 0

    @staticmethod
    def from_environment(environment: Mapping[str, str] = os.environ) -> ObjectCache:
        """The cache that the environment variables configure."""
        given = environment.get("TSCRIPT_CACHE_DIR")
        folder = Path(given).expanduser() if given else default_folder(environment)
        asked = environment.get("TSCRIPT_CACHE", "").strip().lower()
        mode = {"off": Mode.OFF, "0": Mode.OFF, "no": Mode.OFF, "ro": Mode.READ}.get(asked, Mode.WRITE)
        return ObjectCache(folder, mode)

    @property
    def path(self) -> Path | None:
        """The configured folder, or None."""
        return self._root

    @property
    def is_used(self) -> bool:
        """Whether entries are read."""
        return self.mode is not Mode.OFF

    def key(self, text: str, target: Target, level: int) -> str:
        """The key of the object of `text`: 64 hexadecimal digits."""
        digest = sha256(_versions())
        digest.update(f"{target.triple}\n{target.cpu}\n{target.features}\n{level}\n".encode())
        digest.update(text.encode("utf-8", "surrogatepass"))
        return digest.hexdigest()

    def get(self, key: str) -> bytes | None:
        """The payload of an entry, or None."""
        data = self._read(key)
        payload = None if data is None else _payload(key, data)
        if payload is None:
            self.stats.errors += data is not None
            self.stats.misses += 1
            return None
        self.stats.hits += 1
        return payload

    def _read(self, key: str) -> bytes | None:
        """The content of the file of an entry, or None."""
        with self._open() as folder:
            if folder is None:
                return None
            try:
                return folder.read(key + SUFFIX)
            except FileNotFoundError:
                return None
            except (OSError, UnsafeFolderError) as error:
                self._complain(f"cannot be read: {error}")
                return None

    def put(self, key: str, payload: bytes) -> bool:
        """Write an entry. Returns whether it exists now; a failure is never an error."""
        if self.mode is not Mode.WRITE:
            return False
        with self._open(create=True) as folder:
            if folder is None:
                return False
            try:
                folder.write(key + SUFFIX, [MAGIC, _digest(key, payload), payload], _TEMPORARY)
            except OSError as error:
                self._complain(f"cannot be written: {error}")
                return False
            self.stats.written += 1
            due = self._sweep_is_due(folder)
        if due:
            self.evict()
        return True

    def remove(self, key: str) -> None:
        """Remove an entry, if there is one and the cache may be written."""
        if self.mode is Mode.WRITE:
            with self._open() as folder:
                if folder is not None:
                    folder.remove(key + SUFFIX)

    def made_once(self, key: str, find: Callable[[], T | None], make: Callable[[], T], wait: float = WAIT) -> T:
        """What several processes need at once: one of them makes it, the others wait for its entry.

        Without a cache that can be written, every process makes it.

        Args:
            key: What stands for it: hexadecimal digits.
            find: Returns what is in the cache; None if it is not.
            make: Makes it, and puts it into the cache.
            wait: Seconds to wait for another process before making it here.
        """
        found = find()
        if found is not None:
            return found
        handle = self._lock_file()
        if handle is None:
            return make()
        try:
            lock = take(handle, key, wait)
            if lock is not Lock.FREE:
                found = find()
                if found is None:  # the other process could not keep it: nobody waits for this one
                    release(handle, key)
            return make() if found is None else found
        finally:
            release(handle, key)
            os.close(handle)

    def _lock_file(self) -> int | None:
        """A handle of the file of locks; None if there is none."""
        if self.mode is not Mode.WRITE:
            return None
        with self._open(create=True) as folder:
            try:
                return None if folder is None else folder.open(_LOCKS)
            except OSError:
                return None

    def _sweep_is_due(self, folder: Folder) -> bool:
        """Whether the folder should be scanned: after a number of writes, or when the last scan is long ago."""
        with self._lock:
            self._writes += 1
            due = self._writes % _SWEEP_EVERY == 0
            first = self._writes == 1
        if first:
            due = time.time() - folder.changed(_MARKER) > _SWEEP_SECONDS
        if due:
            with contextlib.suppress(OSError):
                folder.touch(_MARKER)
        return due

    def list(self) -> Entries:
        """The entries, oldest first."""
        with self._open(quietly=True) as folder:
            return self._entries(folder)

    def verify(self) -> Entries:
        """The damaged entries; `get` treats them as missing."""
        damaged = []
        with self._open(quietly=True) as folder:
            for entry in self._entries(folder):
                assert folder is not None
                try:
                    data = folder.read(entry.key + SUFFIX)
                except UnsafeFolderError:
                    data = b""
                except OSError:
                    continue
                if _payload(entry.key, data) is None:
                    damaged.append(entry)
        return damaged

    def clear(self) -> int:
        """Remove all entries; returns their number."""
        with self._open(quietly=True) as folder:
            if folder is None:
                return 0
            removed = sum(folder.remove(entry.key + SUFFIX) for entry in self._entries(folder))
            _remove_stale(folder, 0.0)
            folder.remove(_MARKER)
        return removed

    def evict(self) -> int:
        """Remove the oldest entries beyond the limit, and temporary files of interrupted writers; returns the number of
        removed entries."""
        removed = 0
        with self._open(quietly=True) as folder:
            if folder is None:
                return 0
            entries = self._entries(folder)
            total = sum(e.size for e in entries)
            for entry in entries:
                if total <= self.limit:
                    break
                removed += folder.remove(entry.key + SUFFIX)
                total -= entry.size
            _remove_stale(folder, _STALE_SECONDS)
        self.stats.evictions += removed
        return removed

    def _file(self, key: str) -> Path:
        return self._folder / (key + SUFFIX)

    def _entries(self, folder: Folder | None) -> Entries:
        found = [
            Entry(name.removesuffix(SUFFIX), self._folder / name, info.st_size, info.st_mtime)
            for name, info in (() if folder is None else folder.files())
            if name.endswith(SUFFIX) and not name.startswith(".")
        ]
        return sorted(found, key=lambda e: (e.modified, e.key))

    @contextlib.contextmanager
    def _open(self, *, create: bool = False, quietly: bool = False) -> Iterator[Folder | None]:
        """The folder, opened anew unless it is held: None if there is no cache, or if another user could have written
        code to it."""
        is_held = getattr(self._held, "on", False)
        folder: Folder | None = self._held.folder if is_held else None
        if folder is not None and create and folder.is_removed:
            folder.close()
            folder = self._held.folder = None
        if folder is None and self._root is not None and not self._refused and (quietly or self.mode is not Mode.OFF):
            try:
                folder = Folder(self._folder, create=create)
            except FileNotFoundError:
                pass
            except UnsafeFolderError as error:
                self._refused = True
                self._complain(f"is not used: {error}")
            except OSError as error:
                self._complain(f"cannot be used: {error}")
        if is_held:
            self._held.folder = folder
        if folder is None or is_held:
            yield folder
            return
        with folder:
            yield folder

    @contextlib.contextmanager
    def held(self) -> Iterator[None]:
        """Open the folder once for all that this thread does meanwhile, such as one compilation."""
        if getattr(self._held, "on", False):
            yield
            return
        self._held.on, self._held.folder = True, None
        try:
            yield
        finally:
            folder: Folder | None = self._held.folder
            self._held.on, self._held.folder = False, None
            if folder is not None:
                folder.close()

    def _complain(self, what: str) -> None:
        self.stats.errors += 1
        with self._lock:
            if self._warned:
                return
            self._warned = True
        warnings.warn(f"the compilation cache {self._folder} {what}", CacheWarning, stacklevel=6)


def _remove_stale(folder: Folder, age: float) -> None:
    oldest = time.time() - age
    for name, info in folder.files():
        if name.startswith(_TEMPORARY) and info.st_mtime <= oldest:
            folder.remove(name)


def _digest(key: str, payload: bytes) -> bytes:
    digest = sha256(f"{key}\n".encode())
    digest.update(payload)
    return digest.digest()


def _payload(key: str, data: bytes) -> bytes | None:
    """The content of an entry file, or None if it is not a complete entry of this key."""
    payload = data[_HEAD:]
    if data[: len(MAGIC)] != MAGIC or data[len(MAGIC) : _HEAD] != _digest(key, payload):
        return None
    return payload


@cache
def _versions() -> bytes:
    return f"tscript {__version__} {ABI_VERSION} {PIPELINE_VERSION}\nllvmlite {_compiler()}\n".encode()


def _compiler() -> str:
    """Which llvmlite is installed, with which LLVM: its version file and the size of its library, as importing it takes
    long."""
    found = importlib.util.find_spec("llvmlite")
    if found is None:
        return "none"
    try:
        folder = Path(str(found.origin)).parent
        library = max((folder / "binding").glob("*llvmlite.*"), key=lambda path: path.stat().st_size)
        version = sha256((folder / "_version.py").read_bytes()).hexdigest()
        return f"{version} {library.stat().st_size}"
    except (OSError, ValueError):  # packed into something that is not a folder
        import llvmlite
        from llvmlite import binding

        return f"{llvmlite.__version__} {'.'.join(map(str, binding.llvm_version_info))}"
