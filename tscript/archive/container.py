"""The zip container: named members to bytes and back, with nothing left to chance.

Writing is reproducible: fixed dates and modes, the order given, no data descriptors, stored members aligned to 64 bytes so
that they can be mapped, text deflated. A file is written beside its target and moved over it, so no partial file remains.

Reading trusts nothing. `read_container` parses the zip records itself and refuses everything the writer does not write:
encrypted, multi-disk or zip64 files, data before the first or behind the last record, members that overlap, whose local and
central records differ, whose name could leave a folder or clash on another file system, or that inflate beyond the limits.
Nothing is unpacked until `Container.read` asks for it, and never more than the record says.

The format is PKWARE's APPNOTE 6.3.10, sections 4.3.7, 4.3.12 and 4.3.16.
"""

from __future__ import annotations

import errno
import os
import secrets
import stat
import struct
import zlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from tscript.archive.errors import ArchiveError

MAX_MEMBERS = 10_000
MAX_NAME = 512
MAX_MEMBER_BYTES = 1 << 32
MAX_RATIO = 200
"""Of inflated to deflated bytes, allowing for `RATIO_FLOOR` bytes in any case."""
RATIO_FLOOR = 1 << 16
ALIGNMENT = 64

_LOCAL = struct.Struct("<4sHHHHHIIIHH")
_CENTRAL = struct.Struct("<4sHHHHHHIIIHHHHHII")
_END = struct.Struct("<4sHHHHIIH")
_DOS_DATE = (1 << 5) | 1  # 1980-01-01
_UTF8 = 0x800
_STORED, _DEFLATED = 0, 8
_PAD = 0x5354  # id of the extra field that aligns stored members: "TS"
_MODE = (stat.S_IFREG | 0o644) << 16


@dataclass(frozen=True, slots=True)
class Member:
    """One member to write.

    Attributes:
        name: Relative path with forward slashes.
        data: The bytes.
        stored: Kept as they are and aligned (native code, tensors) instead of deflated (text).
    """

    name: str
    data: bytes
    stored: bool = False


def container_bytes(members: Iterable[Member]) -> bytes:
    """The zip file that holds `members` in this order; equal members give equal bytes.

    Raises:
        ArchiveError: A name breaks a rule or occurs twice.
    """
    out = bytearray()
    central = bytearray()
    seen: set[str] = set()
    count = 0
    for member in members:
        _check_name(member.name, seen)
        name = member.name.encode()
        packed = member.data
        method = _STORED
        if not member.stored:
            deflate = zlib.compressobj(9, zlib.DEFLATED, -15)
            packed = deflate.compress(member.data) + deflate.flush()
            method = _DEFLATED
            if len(packed) >= len(member.data):
                packed, method = member.data, _STORED
        extra = b""
        if member.stored:
            padding = -(len(out) + _LOCAL.size + len(name) + 4) % ALIGNMENT
            extra = struct.pack("<HH", _PAD, padding) + bytes(padding)
        offset = len(out)
        crc = zlib.crc32(member.data)
        common = (20, _UTF8, method, 0, _DOS_DATE, crc, len(packed), len(member.data), len(name), len(extra))
        out += _LOCAL.pack(b"PK\3\4", *common) + name + extra + packed
        central += _CENTRAL.pack(b"PK\1\2", (3 << 8) | 20, *common[:9], 0, 0, 0, 0, _MODE, offset) + name
        count += 1
    end = _END.pack(b"PK\5\6", 0, 0, count, count, len(central), len(out), 0)
    return bytes(out + central + end)


def write_atomically(path: str | os.PathLike[str], data: bytes) -> None:
    """Put `data` at `path`: written to a temporary file in the same folder, flushed, then moved into place.

    A link is followed, so what it points to is replaced.

    Raises:
        OSError: The folder does not exist or is not writable, or `path` is no plain file; `path` is as it was.
    """
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():
        raise OSError(errno.EINVAL, "not a plain file", os.fspath(path))
    temporary = target.parent / f".tscript-{secrets.token_hex(8)}.tmp"
    try:
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
    except OSError as error:
        raise OSError(error.errno, error.strerror, os.fspath(path)) from None
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
    except BaseException:
        os.unlink(temporary)
        raise


@dataclass(frozen=True, slots=True)
class Entry:
    """Where a member lies in the file."""

    name: str
    method: int
    crc: int
    packed: int
    size: int
    start: int


@dataclass(frozen=True, slots=True)
class Container:
    """An opened zip file; `entries` by name, in file order."""

    data: bytes = field(repr=False)
    path: str
    entries: dict[str, Entry]

    def read(self, name: str) -> bytes:
        """The bytes of member `name`, checked against its record.

        Raises:
            ArchiveError: There is no such member, or it is damaged.
        """
        entry = self.entries.get(name)
        if entry is None:
            raise ArchiveError(f"member {name!r} is missing", self.path)
        packed = self.data[entry.start : entry.start + entry.packed]
        content = packed
        if entry.method == _DEFLATED:
            inflate = zlib.decompressobj(-15)
            try:
                content = inflate.decompress(packed, entry.size + 1)
            except zlib.error as error:
                raise ArchiveError(f"member {name!r} is damaged: {error}", self.path) from None
            if len(content) != entry.size or not inflate.eof or inflate.unused_data:
                raise ArchiveError(f"member {name!r} does not have the size its record says", self.path)
        if zlib.crc32(content) != entry.crc:
            raise ArchiveError(f"member {name!r} is damaged: its checksum does not match", self.path)
        return content


def read_container(data: bytes, path: str = "") -> Container:
    """Parse a zip file.

    Args:
        data: The whole file.
        path: Its name, for messages.

    Raises:
        ArchiveError: It breaks a rule of the module docstring.
    """
    if len(data) < _END.size or data[:4] != b"PK\3\4":
        raise ArchiveError("not a tscript archive (no zip file begins here)", path)
    end = len(data) - _END.size
    magic, disk, central_disk, count_here, count, central_size, central_start, comment = _END.unpack_from(data, end)
    if magic != b"PK\5\6" or comment:
        raise ArchiveError("truncated, or followed by other data (no end record at the end)", path)
    if disk or central_disk or count_here != count:
        raise ArchiveError("zip files of several disks are not accepted", path)
    if not 0 < count <= MAX_MEMBERS:
        raise ArchiveError(f"it has {count} members, 1 to {MAX_MEMBERS} are accepted", path)
    if central_start + central_size != end:
        raise ArchiveError("the directory is not where the end record says", path)
    entries: dict[str, Entry] = {}
    seen: set[str] = set()
    at, expected = central_start, 0
    for _ in range(count):
        entry, at, expected = _read_entry(data, path, at, end, expected, central_start, seen)
        entries[entry.name] = entry
    if at != end:
        raise ArchiveError("the directory is longer than its records", path)
    if expected != central_start:
        raise ArchiveError("there is data between the last member and the directory", path)
    return Container(data, path, entries)


def _read_entry(
    data: bytes, path: str, at: int, end: int, expected: int, limit: int, seen: set[str]
) -> tuple[Entry, int, int]:
    """The entry of the directory record at `at`, the place of the next record and of the next member."""
    if at + _CENTRAL.size > end:
        raise ArchiveError("the directory is truncated", path)
    (magic, made_by, version, flags, method, time, date, crc, packed, size, name_len, extra_len, comment_len,
     disk, _internal, attributes, offset) = _CENTRAL.unpack_from(data, at)  # fmt: skip
    if magic != b"PK\1\2" or at + _CENTRAL.size + name_len > end or extra_len or comment_len or disk:
        raise ArchiveError("a record of the directory is damaged", path)
    raw = data[at + _CENTRAL.size : at + _CENTRAL.size + name_len]
    try:
        name = raw.decode()
    except UnicodeDecodeError:
        raise ArchiveError("a member's name is not UTF-8", path) from None
    try:
        _check_name(name, seen)
    except ArchiveError as error:
        raise ArchiveError(error.what, path) from None
    if flags != _UTF8 or method not in (_STORED, _DEFLATED):
        raise ArchiveError(f"member {name!r} is encrypted or packed in an unknown way", path)
    if made_by >> 8 == 3 and stat.S_IFMT(attributes >> 16) not in (0, stat.S_IFREG):
        raise ArchiveError(f"member {name!r} is not a plain file", path)
    if size > MAX_MEMBER_BYTES or (method == _STORED and packed != size) or size > packed * MAX_RATIO + RATIO_FLOOR:
        raise ArchiveError(f"member {name!r} would take {size} bytes from {packed}, beyond the limits", path)
    if offset != expected or offset + _LOCAL.size > limit:
        raise ArchiveError(f"member {name!r} does not follow the one before it", path)
    local = _LOCAL.unpack_from(data, offset)
    start = offset + _LOCAL.size + local[9] + local[10]
    if (
        local[:10] != (b"PK\3\4", version, flags, method, time, date, crc, packed, size, name_len)
        or data[offset + _LOCAL.size : offset + _LOCAL.size + name_len] != raw
    ):
        raise ArchiveError(f"the two records of member {name!r} differ", path)
    if start + packed > limit:
        raise ArchiveError(f"member {name!r} is truncated", path)
    return Entry(name, method, crc, packed, size, start), at + _CENTRAL.size + name_len, start + packed


def _check_name(name: str, seen: set[str]) -> None:
    """Refuse a member name that is not a plain relative path, or that equals one before it (case aside)."""
    parts = name.split("/")
    if (
        not name
        or len(name.encode()) > MAX_NAME
        or any(part in ("", ".", "..") for part in parts)
        or any(c in '\\:<>"|?*' or ord(c) < 32 or ord(c) == 127 for c in name)
    ):
        raise ArchiveError(f"member name {name!r} is not a plain relative path")
    folded = name.casefold()
    if folded in seen:
        raise ArchiveError(f"member {name!r} occurs twice")
    seen.add(folded)
