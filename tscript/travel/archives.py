"""Functions of archives in pickles: by the bytes of an archive, or by its path and SHA-256.

Object code does not travel: it would be used by a process that did not say that it trusts it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TypeVar

from tscript.archive import Archive, ArchivePath, EntryPoint, ExtraFile, pack
from tscript.runtime.session.process import current

T = TypeVar("T")


def bytes_of(
    entries: Mapping[str, EntryPoint],
    metadata: Mapping[str, str] | None = None,
    extra: Mapping[str, ExtraFile] | None = None,
) -> bytes:
    """An archive of entry points, without object code."""
    plain = {name: replace(entry, native=()) for name, entry in entries.items()}
    return pack(Archive(plain, metadata=metadata or {}, extra=extra or {}))


def key_of(data: bytes | ArchivePath, name: str | None) -> str:
    """What stands for a function of an archive, or for the whole of it."""
    where = data if isinstance(data, bytes) else f"{data.path}\n{data.sha256}".encode()
    return hashlib.sha256(b"archive %s\n" % repr(name).encode() + where).hexdigest()


def once_per_process(key: str, size: int, make: Callable[[], T]) -> T:
    """What a process has under a key, made if it has nothing."""
    known = current().travelled
    with known.lock:
        digest = bytes.fromhex(key)
        found = known.objects.get(key) or known.recent(digest)
        if found is None:
            found = known.objects[key] = make()
            known.keep(digest, found, size)
        made: T = found
        return made


__all__ = ["bytes_of", "key_of", "once_per_process"]
