"""The file of the prebuilt native library: code and data of one level at their distances, and an index.

The file is a header, the segment, the index. The segment is what is mapped: code, what is only read, what is only read
once addresses are filled in, what is written. Each of the four begins at a multiple of `ALIGN`, so it may be protected
on its own whatever the size of pages. Numbers are little-endian; names are UTF-8, joined by newlines.

The index is a sequence of fields, each its length and its bytes, in the order of `FIELDS`. The header has its checksum.
A file that ends early, has other sizes, or an index that points outside the segment is a `LoadError`. Code itself is
believed, as in any library.
"""

from __future__ import annotations

import itertools
import struct
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from tscript._version import __version__
from tscript.abi.layout import ABI_VERSION
from tscript.backend.loader.loading import LoadError
from tscript.late import dataclass

Array = np.ndarray[Any, Any]

MAGIC = b"tsnative"
FORMAT = 1
ALIGN = 1 << 16
"""Bytes to which the parts of the segment are aligned: no system has larger pages."""

HEADER = 256
"""Bytes of the header; its checksum is in the last four."""

MAX_FILE = 1 << 28

VARIANT = "+"
"""Begins the names of exported symbols that are variants, and so come first: ``+x86-64-v4 symbol``."""

_VERSION = __version__.encode()[:32]

_HEADER = struct.Struct("<8s10I32s")
_REFERENCE = np.dtype([("at", "<u4"), ("external", "<u4"), ("addend", "<i8")])

FIELDS = (
    "about",
    "externals",
    "slots",
    "references",
    "relatives",
    "exports",
    "places",
    "sizes",
    "needs",
    "ends",
    "needed",
    "modules",
    "keys",
    "record_ends",
    "records",
)
"""What the index is made of."""


@dataclass(frozen=True, slots=True)
class Header:
    """What the header says.

    Attributes:
        machine: As ELF numbers machines.
        tuple_items: Offset of the first item of a Python tuple that the code was made for.
        code_end: Where the code ends, as an offset in the segment.
        read_end: Where what is only read ends.
        fixed_end: Where what is only read once addresses are filled in ends.
        written_end: Where the segment ends.
        index: Bytes of the index.
        checksum: Of the index.
    """

    machine: int
    tuple_items: int
    code_end: int
    read_end: int
    fixed_end: int
    written_end: int
    index: int = 0
    checksum: int = 0

    @property
    def nbytes(self) -> int:
        """Bytes of the whole file."""
        return ALIGN + self.written_end + self.index


@dataclass(frozen=True, slots=True)
class Index:
    """What is in an image.

    Attributes:
        about: What made it, for people.
        externals: The symbols it needs from elsewhere.
        slots: Where the address of each of them goes.
        references: Data that has addresses of them: structured, ``at``, ``external``, ``addend``.
        relatives: Where addresses within the image lie; each has the base added.
        exports: The symbols that it defines, sorted.
        places: Where each of them is.
        sizes: Bytes of each.
        needs: The number of the set of externals that each of them uses, with all it calls.
        sets: These sets, as numbers of externals.
        modules: The symbols of each module that was linked as one, by its name.
        records: Records by key.
    """

    about: str
    externals: tuple[str, ...]
    slots: Array
    references: Array
    relatives: Array
    exports: tuple[str, ...]
    places: Array
    sizes: Array
    needs: Array
    sets: tuple[Array, ...]
    modules: Mapping[str, tuple[str, ...]]
    records: Mapping[str, bytes]


def packed_file(header: Header, segment: bytes | bytearray, index: bytes) -> bytes:
    """The whole file; sizes and checksum of the header are taken from what it describes."""
    data = _HEADER.pack(
        MAGIC, FORMAT, ABI_VERSION, header.machine, header.tuple_items, header.code_end, header.read_end,
        header.fixed_end, header.written_end, len(index), zlib.crc32(index), _VERSION,
    )  # fmt: skip
    data = data.ljust(HEADER - 4, b"\0")
    data += zlib.crc32(data).to_bytes(4, "little")
    return b"".join((data.ljust(ALIGN, b"\0"), segment, index))


def read_header(data: bytes) -> Header:
    """What the header says.

    Args:
        data: The first `HEADER` bytes of the file.

    Raises:
        LoadError: It is damaged, or of another version of tscript.
    """
    if len(data) < HEADER or data[: len(MAGIC)] != MAGIC:
        raise LoadError("not a native library")
    if zlib.crc32(data[: HEADER - 4]) != int.from_bytes(data[HEADER - 4 : HEADER], "little"):
        raise LoadError("a damaged native library: its header")
    _, format, abi, *numbers, version = _HEADER.unpack_from(data)
    if format != FORMAT or abi != ABI_VERSION or version.rstrip(b"\0") != _VERSION:
        raise LoadError("a native library of another version")
    found = Header(*numbers)
    ends = (0, found.code_end, found.read_end, found.fixed_end, found.written_end)
    if any(b < a or b % ALIGN for a, b in itertools.pairwise(ends)) or found.nbytes > MAX_FILE:
        raise LoadError("a damaged native library: odd sizes")
    return found


def packed_index(index: Index) -> bytes:
    """The bytes of an index."""
    ends = np.cumsum([len(s) for s in index.sets], dtype=np.uint32)
    needed = np.concatenate([*index.sets, np.zeros(0, np.uint32)])
    modules = "\n".join("\t".join((name, *symbols)) for name, symbols in index.modules.items())
    keys = sorted(index.records)
    fields: dict[str, bytes] = {
        "about": index.about.encode(),
        "externals": "\n".join(index.externals).encode(),
        "slots": index.slots.astype("<u4").tobytes(),
        "references": index.references.astype(_REFERENCE).tobytes(),
        "relatives": index.relatives.astype("<u4").tobytes(),
        "exports": "\n".join(index.exports).encode(),
        "places": index.places.astype("<u4").tobytes(),
        "sizes": index.sizes.astype("<u4").tobytes(),
        "needs": index.needs.astype("<u4").tobytes(),
        "ends": ends.astype("<u4").tobytes(),
        "needed": needed.astype("<u4").tobytes(),
        "modules": modules.encode(),
        "keys": "\n".join(keys).encode(),
        "record_ends": np.cumsum([len(index.records[k]) for k in keys], dtype=np.uint32).astype("<u4").tobytes(),
        "records": b"".join(index.records[k] for k in keys),
    }
    parts = []
    for name in FIELDS:
        data = fields[name]
        parts += [len(data).to_bytes(8, "little"), data, b"\0" * (-len(data) % 8)]
    return b"".join(parts)


class SortedNames:
    """Names in the order of their bytes, which are found without all of them being read.

    Args:
        data: The names, joined by newlines.

    Example:
        >>> names = SortedNames(b"cat\\nones\\nsum")
        >>> names.find("sum"), names.find("su"), names.find_all(["sum", "cat"])
        (2, None, {'cat': 0, 'sum': 2})
    """

    __slots__ = ("_data", "_ends")

    def __init__(self, data: bytes) -> None:
        self._data = b"\n" + data + b"\n" if data else b"\n"
        self._ends = np.flatnonzero(np.frombuffer(self._data, np.uint8) == ord("\n"))

    def __len__(self) -> int:
        return len(self._ends) - 1

    def __getitem__(self, number: int) -> str:
        return self._data[self._ends[number] + 1 : self._ends[number + 1]].decode()

    def __iter__(self) -> Iterator[str]:
        text = self._data[1:-1].decode()
        return iter(text.split("\n") if text else ())

    def find(self, name: str) -> int | None:
        """The number of a name; None: it is none of these."""
        wanted, data, ends = name.encode(), self._data, self._ends
        low, high = 0, len(self)
        while low < high:
            middle = (low + high) // 2
            found = data[ends[middle] + 1 : ends[middle + 1]]
            if found == wanted:
                return middle
            if found < wanted:
                low = middle + 1
            else:
                high = middle
        return None

    def find_all(self, names: Iterable[str]) -> dict[str, int]:
        """The numbers of many names.

        Raises:
            KeyError: One of them is none of these.
        """
        wanted, places, at = sorted(names), [], 0
        for name in wanted:
            at = self._data.find(f"\n{name}\n".encode(), at)
            if at < 0:
                raise KeyError(name)
            places.append(at)
        return dict(zip(wanted, np.searchsorted(self._ends, places).tolist(), strict=True))


class Fields:
    """The fields of an index, unread.

    Args:
        data: Its bytes.
        header: What the header says of it.

    Raises:
        LoadError: It is damaged.
    """

    __slots__ = ("_fields", "header")

    def __init__(self, data: bytes, header: Header) -> None:
        if len(data) != header.index or zlib.crc32(data) != header.checksum:
            raise LoadError("a damaged native library: its index")
        self.header = header
        self._fields: dict[str, bytes] = {}
        at = 0
        for name in FIELDS:
            size = int.from_bytes(data[at : at + 8], "little")
            self._fields[name] = data[at + 8 : at + 8 + size]
            if len(self._fields[name]) != size:
                raise LoadError("a damaged native library: a field of its index is missing")
            at += 8 + size + -size % 8

    def bytes_of(self, name: str) -> bytes:
        """A field as it is."""
        return self._fields[name]

    def names(self, name: str) -> list[str]:
        """A field of names."""
        data = self._fields[name]
        try:
            return data.decode().split("\n") if data else []
        except UnicodeDecodeError:
            raise LoadError(f"a damaged native library: {name}") from None

    def sorted_names(self, name: str) -> SortedNames:
        """A field of names that are sorted."""
        data = self._fields[name]
        if not data.isascii():
            self.names(name)
        return SortedNames(data)

    def numbers(
        self, name: str, count: int | None = None, limits: tuple[int, int] | None = None, step: int = 1
    ) -> Array:
        """A field of numbers.

        Args:
            name: The field.
            count: How many there must be; None: any.
            limits: The least they may be, and what all must be less than; None: they may be anything.
            step: All must be multiples of it.

        Raises:
            LoadError: They are not as they must be.
        """
        data = self._fields[name]
        if len(data) % 4:
            raise LoadError(f"a damaged native library: {name}")
        found = np.frombuffer(data, "<u4")
        self._check(name, found, count, limits, step)
        return found

    def references(self, externals: int, limits: tuple[int, int]) -> Array:
        """The field of that name.

        Args:
            externals: How many externals there are.
            limits: Where they may be.

        Raises:
            LoadError: They are not as they must be.
        """
        data = self._fields["references"]
        if len(data) % _REFERENCE.itemsize:
            raise LoadError("a damaged native library: references")
        found = np.frombuffer(data, _REFERENCE)
        self._check("references", found["external"], None, (0, externals), 1)
        self._check("references", found["at"], None, limits, 8)
        return found

    def _check(self, name: str, found: Array, count: int | None, limits: tuple[int, int] | None, step: int) -> None:
        odd = count is not None and len(found) != count
        if len(found) and limits is not None:
            odd = odd or int(found.min()) < limits[0] or int(found.max()) >= limits[1]
        if odd or (step > 1 and bool((found % step).any())):
            raise LoadError(f"a damaged native library: {name}")


def references_of(places: Sequence[tuple[int, int, int]]) -> Array:
    """The array of `Index.references`, from where each is, the number of its external, and what is added."""
    return np.array(places, _REFERENCE)


__all__ = [
    "ALIGN",
    "FIELDS",
    "HEADER",
    "Fields",
    "Header",
    "Index",
    "SortedNames",
    "packed_file",
    "packed_index",
    "read_header",
    "references_of",
]
