"""`Prebuilt`: the prebuilt native library in this process, mapped from its file.

Code and constants are pages of the file itself, shared by all processes. What holds addresses is private: addresses
within the image are filled in when it is mapped. Those of symbols from elsewhere are filled in when a function that
uses them, itself or through what it calls, is asked for; so what nobody uses costs nothing. No page is ever writable
and executable at once. Where the file system allows no code (``noexec``), or the library lies in an archive, the bytes
are copied to memory.

========================= =========================================================================
``TSCRIPT_LIBRARY``       ``off``: none is used; a path: this file is, in place of the one installed
========================= =========================================================================
"""

from __future__ import annotations

import ctypes
import os
import sys
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from tscript.abi.levels import Level, fitting
from tscript.abi.pages import EXECUTE, PAGE, READ, WRITE, Pages, process_symbol
from tscript.abi.places import FOLDER as PACKAGE
from tscript.backend.loader.loading import AARCH64, X86_64, LoadError
from tscript.backend.loader.prebuilt_format import (
    ALIGN,
    HEADER,
    VARIANT,
    Array,
    Fields,
    Header,
    SortedNames,
    read_header,
)
from tscript.once import once

FOLDER = "native"
"""Where images lie inside the package."""

SUFFIX = ".image"

VARIABLE = "TSCRIPT_LIBRARY"

BOUNDARY = "boundary"
"""The module of the boundary to CPython."""

POOL = "pool"
"""The module of the pool of threads."""

MACHINES = {"x86_64": X86_64, "aarch64": AARCH64}

Resolve = Callable[[str], int]
"""The address of a symbol from elsewhere; it raises if there is none."""


class LibraryWarning(UserWarning):
    """The prebuilt library cannot be used; everything works without it, after it was compiled."""


class Prebuilt:
    """An image in this process. It stays until the process ends. Any thread may use it.

    Args:
        pages: The segment, readable and writable.
        fields: The index.
        name: Where it came from, for people.
        levels: Names of the levels whose variants the processor runs.

    Attributes:
        name: As given.
        resolve: Gives the addresses of symbols from elsewhere; at first, of those of the process.
        nbytes: Bytes of the segment.
        asked: The numbers of the exports whose addresses were asked for.

    Raises:
        LoadError: It is damaged, or made for another machine or Python.
    """

    def __init__(self, pages: Pages, fields: Fields, name: str, levels: Sequence[str] = ()) -> None:
        header = fields.header
        self.name = name
        self.resolve: Resolve = of_process
        self.nbytes = header.written_end
        self._pages = pages
        self._fields = fields
        self._lock = threading.RLock()
        self._header = header
        self._externals = fields.names("externals")
        begin, end, count = header.read_end, header.written_end, len(self._externals)
        self._slots = fields.numbers("slots", count, (begin, end - 7), 8)
        names = self._names = fields.sorted_names("exports")
        self._variants: dict[str, int] = {}
        for number in range(len(names)):
            variant = names[number]
            if not variant.startswith(VARIANT):
                break
            level, _, symbol = variant[1:].partition(" ")
            if level in levels:
                self._variants[symbol] = number
        self._places = fields.numbers("places", len(names), (0, end))
        self._ends = fields.numbers("ends")
        if (np.diff(self._ends.astype(np.int64)) < 0).any():
            raise LoadError("a damaged native library: ends")
        self._needs = fields.numbers("needs", len(names), (0, len(self._ends)))
        self._needed = fields.numbers("needed", int(self._ends[-1]) if len(self._ends) else 0, (0, count))
        self._references = fields.references(count, (begin, end - 7))
        self._bound = np.zeros(count, bool)
        self.asked: set[int] = set()
        self._relocate(fields.numbers("relatives", None, (begin, end - 7), 8))

    def _relocate(self, relatives: Array) -> None:
        """Protect the image, and fill in the addresses within it."""
        header, base, pages = self._header, self._pages.address, self._pages
        try:
            pages.protect(0, header.code_end, READ | EXECUTE)
            pages.protect(header.code_end, header.read_end, READ)
            pages.protect(header.read_end, header.written_end, READ | WRITE)
            memory: Any = (ctypes.c_char * self.nbytes).from_address(base)
            words = np.frombuffer(memory, np.uint64)
            words[relatives // 8] += np.uint64(base)
            pages.protect(header.read_end, header.fixed_end, READ)
        except OSError as error:
            raise LoadError(f"the native library cannot be mapped: {error}") from None

    def __contains__(self, symbol: object) -> bool:
        return isinstance(symbol, str) and self._names.find(symbol) is not None

    @property
    def exports(self) -> Mapping[str, int]:
        """Its symbols, each with its number."""
        return {**dict(zip(self._names, range(len(self._names)), strict=True)), **self._variants}

    def address(self, symbol: str) -> int:
        """The address of one of `exports`, once all it needs from elsewhere is there.

        Raises:
            Exception: As `resolve`: something is not.
        """
        number = self._variants.get(symbol)
        if number is None:
            number = self._names.find(symbol)
        if number is None:
            raise KeyError(symbol)
        return self._addresses({symbol: number})[symbol]

    def addresses(self, symbols: Iterable[str]) -> Mapping[str, int]:
        """As `address`, of many."""
        found = self._names.find_all(symbols)
        return self._addresses(found | {symbol: self._variants[symbol] for symbol in found if symbol in self._variants})

    def _addresses(self, numbers: Mapping[str, int]) -> Mapping[str, int]:
        missing: set[int] = set()
        for group in {int(self._needs[number]) for number in numbers.values()}:
            begin = int(self._ends[group - 1]) if group else 0
            needed = self._needed[begin : int(self._ends[group])]
            missing.update(needed[~self._bound[needed]].tolist())
        if missing:
            # Not under the lock: what resolves may wait for others that are here.
            self._bind({number: self.resolve(self._externals[number]) for number in sorted(missing)})
        self.asked.update(numbers.values())
        base = self._pages.address
        return {symbol: base + int(self._places[number]) for symbol, number in numbers.items()}

    def symbols(self) -> Iterator[tuple[str, int, int]]:
        """All exported symbols, each with its address and size, whether it can be used yet or not."""
        sizes = self._fields.numbers("sizes", len(self._names))
        for number, symbol in enumerate(self._names):
            yield symbol, self._pages.address + int(self._places[number]), int(sizes[number])

    @property
    def resident(self) -> int:
        """Bytes of the segment that this process has in memory, shared with others or not; 0 if the system does not
        say."""
        try:
            with open("/proc/self/pagemap", "rb", buffering=0) as file:
                file.seek(self._pages.address // PAGE * 8)
                found = np.frombuffer(file.read(self.nbytes // PAGE * 8), np.uint64)
        except (OSError, ValueError):
            return 0
        return int(np.count_nonzero(found >> np.uint64(63))) * PAGE

    def record(self, key: str) -> bytes | None:
        """The record of a key; None: there is none."""
        number = self._keys.find(key)
        if number is None:
            return None
        begin = int(self._record_ends[number - 1]) if number else 0
        return self._fields.bytes_of("records")[begin : int(self._record_ends[number])]

    @once
    def _keys(self) -> SortedNames:
        keys = self._fields.sorted_names("keys")
        self._record_ends = self._fields.numbers("record_ends", len(keys))
        return keys

    def module(self, name: str) -> tuple[str, ...]:
        """The symbols of a module that was linked as one; none if it is not there."""
        return self._modules.get(name, ())

    @once
    def _modules(self) -> Mapping[str, tuple[str, ...]]:
        lines = [line.split("\t") for line in self._fields.names("modules")]
        return {name: tuple(symbols) for name, *symbols in lines}

    def _bind(self, found: Mapping[int, int]) -> None:
        """Write addresses of symbols from elsewhere."""
        begin, end = self._header.read_end, self._header.fixed_end
        with self._lock:
            self._pages.protect(begin, end, READ | WRITE)
            base = self._pages.address
            for number, address in found.items():
                ctypes.c_uint64.from_address(base + int(self._slots[number])).value = address
            if len(self._references):
                for at, number, addend in self._references.tolist():
                    if number in found:
                        ctypes.c_uint64.from_address(base + at).value = (found[number] + addend) % (1 << 64)
            self._bound[list(found)] = True
            self._pages.protect(begin, end, READ)


def opened(
    data: bytes | str,
    tuple_items: int = tuple.__basicsize__,
    machine: int = MACHINES.get(os.uname().machine, 0),
    levels: Sequence[str] = (),
) -> Prebuilt:
    """Put an image into the process.

    Args:
        data: Its bytes, or the path of its file.
        tuple_items: Offset of the first item of a Python tuple.
        machine: This one, as ELF numbers machines; another one's code is not run.
        levels: Names of the levels whose variants the processor runs.

    Raises:
        LoadError: It is damaged, or made for another machine or Python.
    """
    try:
        if isinstance(data, bytes):
            return _copied(data, tuple_items, machine, levels)
        with open(data, "rb") as file:
            return _mapped(file, data, tuple_items, machine, levels)
    except (OSError, ValueError, IndexError, OverflowError) as error:
        raise LoadError(f"the native library cannot be loaded: {error}") from None


def _check(header: Header, size: int, tuple_items: int, machine: int) -> None:
    if header.nbytes != size:
        raise LoadError("a damaged native library: it ends early")
    if header.machine != machine:
        raise LoadError("a native library for another machine")
    if header.tuple_items != tuple_items:
        raise LoadError("a native library for another Python")


def _copied(data: bytes, tuple_items: int, machine: int, levels: Sequence[str]) -> Prebuilt:
    """An image in memory of its own."""
    header = read_header(data)
    _check(header, len(data), tuple_items, machine)
    fields = Fields(data[ALIGN + header.written_end :], header)
    pages = Pages(header.written_end)
    try:
        pages.write(data[ALIGN : ALIGN + header.written_end])
        return Prebuilt(pages, fields, "memory", levels)
    except BaseException:
        pages.free()
        raise


def _mapped(file: Any, path: str, tuple_items: int, machine: int, levels: Sequence[str]) -> Prebuilt:
    """An image that is pages of its file."""
    header = read_header(file.read(HEADER))
    _check(header, os.fstat(file.fileno()).st_size, tuple_items, machine)
    fields = Fields(os.pread(file.fileno(), header.index, ALIGN + header.written_end), header)
    try:
        pages = Pages(header.written_end, file.fileno(), ALIGN)
        try:
            return Prebuilt(pages, fields, path, levels)
        except BaseException:
            pages.free()
            raise
    except (LoadError, OSError):
        # A file system without code; where the bytes are to blame, the copy is refused too.
        file.seek(0)
        return _copied(file.read(), tuple_items, machine, levels)


def installed(level: Level) -> bytes | str | None:
    """The image of a level as it was installed with the package: the path of its file, or its bytes if the package is
    in an archive or a program; None: it has none."""
    name = level.name + SUFFIX
    path = os.path.join(PACKAGE, FOLDER, name)
    if os.path.isfile(path):
        return path
    if os.path.isdir(PACKAGE):
        return None
    from importlib import resources

    try:
        return resources.files("tscript").joinpath(FOLDER, name).read_bytes()
    except (OSError, ImportError, AttributeError, TypeError, ValueError, NotImplementedError):
        return None  # or what loads the package knows of no data


def find(triple: str, features: str, environment: Mapping[str, str] = os.environ) -> Prebuilt | None:
    """The prebuilt library of a machine; None if there is none that it can run.

    Args:
        triple: The machine's.
        features: The machine's.
        environment: Says what is wanted.
    """
    wanted = environment.get(VARIABLE, "").strip()
    if wanted.lower() in ("off", "0", "no") or not sys.platform.startswith("linux"):
        return None
    levels = fitting(triple, features)
    sources = [wanted] if wanted else [installed(level) for level in levels]
    for source in sources:
        if source is None:
            continue
        try:
            return opened(source, levels=[level.name for level in levels])
        except LoadError as error:
            warnings.warn(f"the native library is compiled anew: {error}", LibraryWarning, stacklevel=2)
    return None


def of_process(symbol: str) -> int:
    """The address of a symbol of the process itself.

    Raises:
        LoadError: There is none.
    """
    found = process_symbol(symbol)
    if not found:
        raise LoadError(f"undefined symbols: {symbol}")
    return found


__all__ = [
    "BOUNDARY",
    "FOLDER",
    "POOL",
    "SUFFIX",
    "VARIABLE",
    "LibraryWarning",
    "Prebuilt",
    "Resolve",
    "find",
    "installed",
    "of_process",
    "opened",
]
