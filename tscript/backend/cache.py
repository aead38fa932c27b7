"""`ObjectCache`: compiled objects on disk, one file an entry.

An entry is a magic line, the digest of key and payload, and the payload. Whatever is wrong with one (truncated, altered,
renamed, foreign) is a miss; whatever the disk refuses (read-only, full) is said once as a warning and then lived with.
Entries are written under a temporary name and moved into place, so readers and other processes see whole entries only.

Keys cover the text, the target, the level, and the versions of everything that turns text into code, so an entry never goes
stale; old ones are evicted, oldest first, when the cache is larger than its limit.

========================= ==================================================
``TSCRIPT_CACHE_DIR``     the folder; default: the user's cache folder
``TSCRIPT_CACHE``         ``off``: none; ``ro``: read, never write
========================= ==================================================
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cache
from pathlib import Path

from tscript._version import __version__
from tscript.abi.layout import ABI_VERSION
from tscript.backend.optimise import PIPELINE_VERSION
from tscript.backend.target import Target

MAGIC = b"tscript object 1\n"
SUFFIX = ".tso"
LIMIT = 1 << 30
"""Bytes the cache may take on disk."""

_HEAD = len(MAGIC) + 32
_SWEEP_EVERY = 1024
_SWEEP_SECONDS = 3600.0
_MARKER = ".swept"
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
    """

    hits: int = 0
    misses: int = 0
    errors: int = 0
    evictions: int = 0


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
_Found = list[os.DirEntry[str]]
# `ObjectCache.list` is named as its command; these names stand for the type inside the class.


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
        folder: Where the entries lie; made at the first write. None: there is no cache.
        mode: What it may do.
        limit: Bytes it may take.
    """

    def __init__(self, folder: Path | None, mode: Mode = Mode.WRITE, limit: int = LIMIT) -> None:
        self.mode = Mode.OFF if folder is None else mode
        self.limit = limit
        self.stats = Stats()
        self._root = folder
        self._folder = Path() if folder is None else folder / "objects"
        self._lock = threading.Lock()
        self._checked: bool | None = None
        self._warned = False
        self._writes = 0

    @staticmethod
    def from_environment(environment: Mapping[str, str] = os.environ) -> ObjectCache:
        """The cache that the environment variables ask for."""
        given = environment.get("TSCRIPT_CACHE_DIR")
        folder = Path(given).expanduser() if given else default_folder(environment)
        asked = environment.get("TSCRIPT_CACHE", "").strip().lower()
        mode = {"off": Mode.OFF, "0": Mode.OFF, "no": Mode.OFF, "ro": Mode.READ}.get(asked, Mode.WRITE)
        return ObjectCache(folder, mode)

    @property
    def path(self) -> Path | None:
        """The folder that was asked for, or None."""
        return self._root

    def key(self, text: str, target: Target, level: int) -> str:
        """The key of what `text` compiles to: 64 hexadecimal digits."""
        digest = hashlib.sha256(_versions())
        digest.update(f"{target.triple}\n{target.cpu}\n{target.features}\n{level}\n".encode())
        digest.update(text.encode("utf-8", "surrogatepass"))
        return digest.hexdigest()

    def get(self, key: str) -> bytes | None:
        """The payload of an entry, or None."""
        if self.mode is Mode.OFF or not self._is_usable():
            self.stats.misses += 1
            return None
        try:
            data = self._file(key).read_bytes()
        except FileNotFoundError:
            self.stats.misses += 1
            return None
        except OSError as error:
            self._complain(f"cannot be read: {error}")
            self.stats.misses += 1
            return None
        payload = _payload(key, data)
        if payload is None:
            self.stats.errors += 1
            self.stats.misses += 1
            return None
        self.stats.hits += 1
        return payload

    def put(self, key: str, payload: bytes) -> bool:
        """Write an entry. Gives whether it is there now; failing is never an error."""
        if self.mode is not Mode.WRITE or not self._is_usable(create=True):
            return False
        temporary = ""
        try:
            handle, temporary = tempfile.mkstemp(dir=self._folder, prefix=".new-")
            with os.fdopen(handle, "wb") as file:
                file.write(MAGIC + _digest(key, payload))
                file.write(payload)
            os.replace(temporary, self._file(key))
        except OSError as error:
            if temporary:
                _remove(Path(temporary))
            self._complain(f"cannot be written: {error}")
            return False
        if self._sweep_is_due():
            self.evict()
        return True

    def _sweep_is_due(self) -> bool:
        """Whether the folder should be looked through: after so many writes, or when nobody has for a while."""
        marker = self._folder / _MARKER
        with self._lock:
            self._writes += 1
            due = self._writes % _SWEEP_EVERY == 0
            first = self._writes == 1
        try:
            if first:
                due = time.time() - marker.stat().st_mtime > _SWEEP_SECONDS
        except OSError:
            due = True
        if due:
            with contextlib.suppress(OSError):
                marker.touch()
        return due

    def list(self) -> Entries:
        """The entries, oldest first."""
        return sorted(self._entries(), key=lambda e: (e.modified, e.key))

    def verify(self) -> Entries:
        """The entries that are damaged; `get` takes them for missing."""
        damaged = []
        for entry in self.list():
            try:
                data = entry.path.read_bytes()
            except OSError:
                continue
            if _payload(entry.key, data) is None:
                damaged.append(entry)
        return damaged

    def clear(self) -> int:
        """Remove all entries; gives how many there were."""
        removed = sum(_remove(entry.path) for entry in self._entries())
        self._remove_stale(0.0)
        _remove(self._folder / _MARKER)
        return removed

    def evict(self) -> int:
        """Remove the oldest entries beyond the limit, and what interrupted writers left; gives how many entries."""
        entries = self.list()
        total = sum(e.size for e in entries)
        removed = 0
        for entry in entries:
            if total <= self.limit:
                break
            if _remove(entry.path):
                removed += 1
            total -= entry.size
        self.stats.evictions += removed
        self._remove_stale(_STALE_SECONDS)
        return removed

    def _file(self, key: str) -> Path:
        return self._folder / (key + SUFFIX)

    def _entries(self) -> Iterator[Entry]:
        for found in self._scan():
            if found.name.endswith(SUFFIX) and not found.name.startswith("."):
                try:
                    info = found.stat(follow_symlinks=False)
                except OSError:
                    continue
                yield Entry(found.name.removesuffix(SUFFIX), Path(found.path), info.st_size, info.st_mtime)

    def _scan(self) -> _Found:
        if self._root is None:
            return []
        try:
            with os.scandir(self._folder) as found:
                return [*found]
        except OSError:
            return []

    def _remove_stale(self, age: float) -> None:
        oldest = time.time() - age
        for found in self._scan():
            try:
                if found.name.startswith(".new-") and found.stat().st_mtime <= oldest:
                    _remove(Path(found.path))
            except OSError:
                continue

    def _is_usable(self, create: bool = False) -> bool:
        """Whether the folder exists and nobody else could have put code into it."""
        if self._checked is None:
            try:
                if create:
                    os.makedirs(self._folder, mode=0o700, exist_ok=True)
                info = os.stat(self._folder)
            except FileNotFoundError:
                return False
            except OSError as error:
                self._complain(f"cannot be used: {error}")
                return False
            self._checked = self._is_private(info)
            if not self._checked:
                self._complain("is not used: it belongs to another user, or others may write to it")
        return self._checked

    @staticmethod
    def _is_private(info: os.stat_result) -> bool:
        if not stat.S_ISDIR(info.st_mode):
            return False
        if not hasattr(os, "getuid"):
            return True
        return info.st_uid == os.getuid() and not info.st_mode & (stat.S_IWGRP | stat.S_IWOTH)

    def _complain(self, what: str) -> None:
        self.stats.errors += 1
        with self._lock:
            if self._warned:
                return
            self._warned = True
        warnings.warn(f"the compilation cache {self._folder} {what}", CacheWarning, stacklevel=4)


def _digest(key: str, payload: bytes) -> bytes:
    digest = hashlib.sha256(f"{key}\n".encode())
    digest.update(payload)
    return digest.digest()


def _payload(key: str, data: bytes) -> bytes | None:
    """What an entry's file holds, or None when it is not a whole entry of this key."""
    payload = data[_HEAD:]
    if data[: len(MAGIC)] != MAGIC or data[len(MAGIC) : _HEAD] != _digest(key, payload):
        return None
    return payload


def _remove(path: Path) -> bool:
    try:
        path.unlink()
    except OSError:
        return False
    return True


@cache
def _versions() -> bytes:
    import llvmlite
    from llvmlite import binding

    llvm = ".".join(map(str, binding.llvm_version_info))
    return f"tscript {__version__} {ABI_VERSION} {PIPELINE_VERSION}\nllvmlite {llvmlite.__version__} {llvm}\n".encode()
