"""`Tree`: the sources of the whole package as one digest, which is part of the keys of what they made.

Contents count, as in `tscript.pipeline.sources`. They are read once: their digest is kept in the cache under the names,
sizes, times and numbers of the files, which takes a few milliseconds to find out. The time that counts is the one that
nobody can set. A tree that changed after the process began has no digest: modules may have been imported before.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from typing import TYPE_CHECKING

import numpy as np

from tscript.abi.mode import IS_CHECKED
from tscript.digests import sha256
from tscript.once import once
from tscript.pipeline.sources import PACKAGE
from tscript.started import STARTED

if TYPE_CHECKING:
    from tscript.backend.loader.cache import ObjectCache

_DIGEST = re.compile(rb"[0-9a-f]{64}")

File = tuple[str, str, int, int, int, int]
"""A source: its path below the package, where it is, its size, when content and file were changed last, its number."""


class Tree:
    """The sources of the package as this process has imported them.

    Args:
        cache: Keeps the digest of the contents.
        key: The key of a text of ours in the cache.
        started: When the process began, in nanoseconds since the epoch.
        folders: Where the sources are, by package; empty: where they are imported from.
    """

    def __init__(
        self,
        cache: ObjectCache,
        key: Callable[[str], str],
        started: int = STARTED,
        folders: tuple[tuple[str, str], ...] = (),
    ) -> None:
        self._cache = cache
        self._key = key
        self._started = started
        self._folders = folders

    @once
    def digest(self) -> str | None:
        """A digest of names and contents, and of the Python and NumPy that run them; None where there is none: the
        sources are no files, or may have changed since they were imported."""
        files = self._files()
        if files is None:
            return None
        about = f"{sys.version}\nnumpy {np.__version__}\n{IS_CHECKED}"
        key = self._key(f"tree\n{files}")
        known = self._cache.get(key)
        if known is None or not _DIGEST.fullmatch(known):
            found = sha256()
            try:
                for name, path, *_ in files:
                    with open(path, "rb") as file:
                        found.update(f"{name} {sha256(file.read()).hexdigest()}\n".encode())
            except OSError:
                return None
            if self._files() != files:
                return None
            known = found.hexdigest().encode()
            self._cache.put(key, known)
        return sha256(f"{known.decode()}\n{about}".encode()).hexdigest()

    def _files(self) -> list[File] | None:
        """All sources, sorted; None where there are none, or one is newer than the process."""
        found: list[File] = []
        try:
            for package, folder in self._folders or _folders():
                found += _sources(folder, package)
        except OSError:
            return None
        return None if not found or max(file[4] for file in found) > self._started else sorted(found)


def _folders() -> Iterator[tuple[str, str]]:
    """The folders that the package is imported from. Packages inside of it may stand elsewhere."""
    whole = _places(PACKAGE)
    yield from ((PACKAGE, folder) for folder in whole)
    for inner in ("passes", "runtime"):
        for folder in _places(f"{PACKAGE}.{inner}"):
            if os.path.islink(folder) or os.path.dirname(folder) not in whole:
                yield f"{PACKAGE}/{inner}", folder


def _places(package: str) -> list[str]:
    spec = find_spec(package)
    return [] if spec is None else list(spec.submodule_search_locations or ())


def _sources(folder: str, name: str) -> Iterator[File]:
    """The sources in a folder and those inside of it; links to folders are left out."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith((".py", ".pyc")):
                info = entry.stat()
                yield f"{name}/{entry.name}", entry.path, info.st_size, info.st_mtime_ns, info.st_ctime_ns, info.st_ino
            elif entry.name != "__pycache__" and entry.is_dir(follow_symlinks=False):
                yield from _sources(entry.path, f"{name}/{entry.name}")
