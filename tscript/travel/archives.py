"""Functions of archives in pickles: by the bytes of an archive, or by its path and SHA-256.

Object code does not travel: it would be used by a process that did not say that it trusts it.
"""

from __future__ import annotations

import enum
import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from tscript.archive import Archive, ArchivePath, EntryPoint, ExtraFile, pack
from tscript.archive.classes import MODULE, python_of, restore
from tscript.ir.signatures import value_from
from tscript.late import replace
from tscript.runtime.session.archived_classes import attach
from tscript.runtime.session.process import current
from tscript.travel.archived_definitions import describe
from tscript.types import Type

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


def carry(specs: Sequence[Any], types: Mapping[str, Type]) -> None:
    """Let instances of the classes that an archive brought be pickled: pickles have what the archive says of these.

    Args:
        specs: What the archive says of all its classes.
        types: Their types by the names they have in it.
    """
    text = json.dumps(list({spec["name"]: spec for spec in specs}.values()))
    for name, type in types.items():
        python = python_of(type)
        if python is not None and vars(python).get("__tscript_archived__") is True:
            python.__reduce_ex__ = _Reduced(text, name)
            python.__tscript_archived__ = text


def classes_of(archive: Archive, made: Callable[[str, EntryPoint], Any]) -> dict[str, type]:
    """The Python classes of those that an archive has, by the names that it has for them.

    Args:
        archive: The archive.
        made: Makes a method that can be called, of its name and its entry point.
    """
    carry([spec for spec in archive.specs if spec["kind"] != MODULE], archive.types)
    found = {name: python for name, type in archive.types.items() if (python := python_of(type)) is not None}
    if archive.methods:
        attach(archive.specs, found, archive.entries.__getitem__, made)
    for name, python in found.items():
        if "__tscript_archived__" in vars(python):
            describe(archive.types[name], python)
    return found


class _Reduced:
    """What `pickle` asks of instances of a class.

    Args:
        specs: What the archive says of all its classes, as JSON.
        name: That of the class in the archive.
    """

    def __init__(self, specs: str, name: str) -> None:
        self._specs, self._name = specs, name

    def __get__(self, instance: Any, owner: type) -> Callable[[int], tuple[Any, ...]]:
        return lambda protocol: (restored_instance, (self._specs, self._name, self._values(instance)))

    @property
    def place(self) -> tuple[str, str]:
        """What an archive says of all its classes, and the name of this one there."""
        return self._specs, self._name

    def _values(self, instance: Any) -> object:
        if isinstance(instance, enum.Enum):
            return instance.name
        if isinstance(instance, tuple):
            return tuple(instance)
        return {**({"args": instance.args} if isinstance(instance, BaseException) else {}), **vars(instance)}


def archived_as(cls: type) -> tuple[str, str] | None:
    """What `restored_class` takes for a class that came in an archive; None for others."""
    found = vars(cls).get("__reduce_ex__")
    return found.place if isinstance(found, _Reduced) else None


def restored_class(specs: str, name: str) -> type:
    """The class of a pickle, which names this function. Its methods are there once the archive is loaded.

    Raises:
        ArchiveError: The pickle is damaged.
    """
    found = json.loads(specs)
    types = restore(found, value_from, current().compiler.archived_classes())
    carry(found, types)
    python: type = python_of(types[name])
    if "__tscript_archived__" in vars(python):
        describe(types[name], python)
    return python


def restored_instance(specs: str, name: str, values: Any) -> Any:
    """The instance of a pickle, which names this function.

    Raises:
        ArchiveError: The pickle is damaged.
    """
    python: Any = restored_class(specs, name)
    if issubclass(python, enum.Enum):
        return python[values]
    if issubclass(python, tuple):
        return tuple.__new__(python, values)
    made = python.__new__(python)
    for field, value in values.items():
        object.__setattr__(made, field, value)
    return made


__all__ = ["bytes_of", "carry", "classes_of", "key_of", "once_per_process", "python_of", "restored_instance"]
