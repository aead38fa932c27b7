"""The zip container: named members to bytes and back, with nothing left to chance.

Writing is reproducible: fixed dates and modes, the order given, no data descriptors, stored members aligned to 64 bytes
so that they can be mapped, text deflated. A file is written beside its target and moved over it, so no partial file
remains.

Reading trusts nothing. `read_container` parses the zip records itself and refuses everything the writer does not write:
encrypted, multi-disk or zip64 files, data before the first or behind the last record, members that overlap, whose local
and central records differ, whose name could leave a folder or clash on another file system, or that inflate beyond the
limits. Nothing is unpacked until `Container.read` asks for it, and never more than the record says. From a file only
the records are read until then (`open_container`), so a large member that nobody asks for costs nothing.

The format is PKWARE's APPNOTE 6.3.10, sections 4.3.7, 4.3.12 and 4.3.16.
"""

from __future__ import annotations

import errno
import os
import stat
import struct
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO, Protocol

from tscript.diagnostics.archives import ArchiveError
from tscript.late import dataclass, field

MAX_MEMBERS = 10_000
MAX_NAME = 512
MAX_FOLDERS = 16
"""Inside each other."""
MAX_MEMBER_BYTES = 1 << 32
MAX_FILE_BYTES = (1 << 32) - 2
"""Sizes and places are 32 bits wide in a zip file; the last value would mean zip64."""
MAX_RATIO = 200
"""Of inflated to deflated bytes, allowing for `RATIO_FLOOR` bytes in any case."""
RATIO_FLOOR = 1 << 16
TOTAL_RATIO = 20
"""Of the bytes of all members that are deflated, inflated, to those of the file, allowing for `RATIO_FLOOR` bytes in
any case."""
SMALL_MEMBER = 1 << 12
"""Bytes of a member that are not looked at when what it would inflate to is limited."""
ALIGNMENT = 64
SMALL_BYTES = 1 << 18
"""Files up to this size are read at once."""

LOCAL = struct.Struct("<4sHHHHHIIIHH")
CENTRAL = struct.Struct("<4sHHHHHHIIIHHHHHII")
END = struct.Struct("<4sHHHHIIH")
_DOS_DATE = (1 << 5) | 1  # 1980-01-01
_UTF8 = 0x800
_STORED, _DEFLATED = 0, 8
_PAD = 0x5354  # id of the extra field that aligns stored members: "TS"
_HOSTILE = frozenset('\\:<>"|?*')
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
    data: bytes | memoryview
    stored: bool = False


def container_parts(members: Iterable[Member]) -> list[bytes | memoryview]:
    """The zip file that holds `members` in this order, in parts to be written one after the other.

    Equal members give equal bytes. The data of a stored member is a part as it is, so that nothing large is copied.

    Raises:
        ArchiveError: A name breaks a rule or occurs twice, or there is more than a zip file can hold.
    """
    parts: list[bytes | memoryview] = []
    central = bytearray()
    names = Names()
    at = count = 0
    for member in members:
        names.add(member.name)
        name = member.name.encode()
        packed = member.data
        method = _STORED
        if not member.stored:
            deflate = zlib.compressobj(9, zlib.DEFLATED, -15)
            packed = deflate.compress(member.data) + deflate.flush()
            method = _DEFLATED
            # What inflates to too much would not be read again.
            if len(packed) >= len(member.data) or len(member.data) > len(packed) * TOTAL_RATIO + SMALL_MEMBER:
                packed, method = member.data, _STORED
        extra = b""
        if member.stored:
            extra = _padding(4 + -(at + LOCAL.size + len(name) + 4) % ALIGNMENT)
        offset = at
        at += LOCAL.size + len(name) + len(extra) + len(packed)
        count += 1
        # Checked before it is packed into fields that could not hold it.
        if at > MAX_FILE_BYTES:
            raise ArchiveError(
                f"with member {member.name!r} it would have {at:,} bytes, {MAX_FILE_BYTES:,} are possible"
            )
        crc = zlib.crc32(packed if method == _STORED else member.data)
        common = (20, _UTF8, method, 0, _DOS_DATE, crc, len(packed), len(member.data), len(name), len(extra))
        parts += [LOCAL.pack(b"PK\3\4", *common) + name + extra, packed]
        central += CENTRAL.pack(b"PK\1\2", (3 << 8) | 20, *common[:9], 0, 0, 0, 0, _MODE, offset) + name
    if count > MAX_MEMBERS:
        raise ArchiveError(f"it would have {count} members, {MAX_MEMBERS} are possible")
    if at + len(central) + END.size > MAX_FILE_BYTES:
        raise ArchiveError(f"it would have more than {MAX_FILE_BYTES:,} bytes")
    return [*parts, bytes(central), END.pack(b"PK\5\6", 0, 0, count, count, len(central), at, 0)]


def _padding(size: int) -> bytes:
    """An extra field of `size` bytes in all, which is none or at least 4: it says what it is."""
    return struct.pack("<HH", _PAD, size - 4) + bytes(size - 4) if size >= 4 else b""


def container_bytes(members: Iterable[Member]) -> bytes:
    """The parts of `container_parts` as one."""
    return b"".join(container_parts(members))


def write_atomically(
    path: str | os.PathLike[str], data: bytes | Iterable[bytes | memoryview], *, replace: bool = True
) -> None:
    """Put `data` at `path`: written to a temporary file in the same folder, flushed, then moved into place.

    A link is followed, so what it points to is replaced.

    Args:
        path: The file.
        data: Its content, or the parts of it.
        replace: Whether a file that is there gives way.

    Raises:
        FileExistsError: There is something at `path`, be it a link, and `replace` is false.
        OSError: The folder does not exist or is not writable, or `path` is no plain file; `path` is as it was.
    """
    if not replace and os.path.lexists(path):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), os.fspath(path))
    target = os.path.realpath(path)
    if os.path.exists(target) and not os.path.isfile(target):
        raise OSError(errno.EINVAL, "not a plain file", os.fspath(path))
    temporary = os.path.join(os.path.dirname(target), f".tscript-{os.urandom(8).hex()}.tmp")
    try:
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
    except OSError as error:
        raise OSError(error.errno, error.strerror, os.fspath(path)) from None
    try:
        with os.fdopen(handle, "wb") as file:
            file.writelines([data] if isinstance(data, bytes) else data)
            file.flush()
            os.fsync(file.fileno())
        if replace:
            os.replace(temporary, target)
        else:
            _move_beside(temporary, target, path)
    except BaseException:
        os.unlink(temporary)
        raise


def _move_beside(temporary: str, target: str, path: str | os.PathLike[str]) -> None:
    """Give `temporary` the name `target` unless somebody else has it, however late they took it."""
    taken = FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), os.fspath(path))
    try:
        os.link(temporary, target)
    except FileExistsError:
        raise taken from None
    except OSError:  # a file system without links: take the name with an empty file first
        try:
            os.close(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
        except FileExistsError:
            raise taken from None
        try:
            os.replace(temporary, target)
        except BaseException:
            os.unlink(target)
            raise
    else:
        os.unlink(temporary)


@dataclass(frozen=True, slots=True)
class Entry:
    """Where a member lies in the file."""

    name: str
    method: int
    crc: int
    packed: int
    size: int
    start: int

    @property
    def is_deflated(self) -> bool:
        """Whether it is not kept as it is."""
        return self.method == _DEFLATED


class Data(Protocol):
    """The bytes of a file that can be cut out: `bytes` themselves, or `FileData`."""

    def __len__(self) -> int: ...

    def __getitem__(self, part: slice, /) -> bytes: ...


class FileData:
    """The bytes of an open file, read as they are asked for; those of a small one at once, which is quicker.

    Args:
        file: A plain file, open for reading.
        path: Its name, for messages.
    """

    def __init__(self, file: BinaryIO, path: str) -> None:
        self._file = file
        self._path = path
        self._size = os.fstat(file.fileno()).st_size
        self._pages: memoryview | None = None
        self._all = self._cut(0, self._size) if self._size <= SMALL_BYTES else None

    @property
    def file(self) -> BinaryIO:
        """The open file."""
        return self._file

    def mapped(self, start: int, size: int) -> Any:
        """Bytes in memory: pages of the file, which are read when they are used, and copied when they are written to.
        None of a small file, whose bytes are read.

        Args:
            start: Where they begin.
            size: How many there are.
        """
        if self._all is not None:
            return None
        if self._pages is None:
            import mmap

            self._pages = memoryview(mmap.mmap(self._file.fileno(), self._size, access=mmap.ACCESS_COPY))
        return self._pages[start : start + size]

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, part: slice, /) -> bytes:
        if self._all is not None:
            return self._all[part]
        start, stop, _ = part.indices(self._size)
        return self._cut(start, max(stop - start, 0))

    def read_into(self, start: int, memory: memoryview) -> None:
        """Read as many bytes as `memory` has into it.

        Raises:
            ArchiveError: There are fewer.
            OSError: They cannot be read.
        """
        self._file.seek(start)
        if self._file.readinto(memory) != len(memory):  # type: ignore[attr-defined]
            raise ArchiveError("the file became shorter while it was read", self._path)

    def _cut(self, start: int, size: int) -> bytes:
        self._file.seek(start)
        found = self._file.read(size)
        if len(found) != size:
            raise ArchiveError("the file became shorter while it was read", self._path)
        return found


@dataclass(frozen=True, slots=True)
class Container:
    """An opened zip file; `entries` by name, in file order."""

    data: Data = field(repr=False)
    path: str
    entries: dict[str, Entry]

    def read(self, name: str) -> bytes:
        """The bytes of member `name`, checked against its record.

        Raises:
            ArchiveError: There is no such member, or it is damaged.
        """
        entry = self.entry(name)
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
        self._check(entry, content)
        return content

    def entry(self, name: str) -> Entry:
        """Where member `name` lies.

        Raises:
            ArchiveError: There is no such member.
        """
        entry = self.entries.get(name)
        if entry is None:
            raise ArchiveError(f"member {name!r} is missing", self.path)
        return entry

    def read_into(self, entry: Entry, memory: memoryview) -> None:
        """Read a member into memory of its size; one that is stored as it is without a copy in between.

        Raises:
            ArchiveError: It is damaged.
        """
        if entry.is_deflated or not isinstance(self.data, FileData):
            memory[:] = self.read(entry.name)
            return
        self.data.read_into(entry.start, memory)
        self._check(entry, memory)

    def _check(self, entry: Entry, content: bytes | memoryview) -> None:
        if zlib.crc32(content) != entry.crc:
            raise ArchiveError(f"member {entry.name!r} is damaged: its checksum does not match", self.path)


@contextmanager
def open_container(path: str | os.PathLike[str]) -> Iterator[Container]:
    """The zip file at `path`, of which only the records are read at once; members can be read inside the ``with``.

    Raises:
        ArchiveError: It breaks a rule of the module docstring.
        OSError: It cannot be read.
    """
    name = os.fspath(path)
    with open(name, "rb") as file:
        if stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            yield read_container(FileData(file, name), name)
        else:  # a pipe cannot be read twice
            yield read_container(file.read(), name)


def read_container(data: Data, path: str = "") -> Container:
    """Parse a zip file.

    Args:
        data: The whole file.
        path: Its name, for messages.

    Raises:
        ArchiveError: It breaks a rule of the module docstring.
    """
    if len(data) < END.size or data[:4] != b"PK\3\4":
        raise ArchiveError("not a tscript archive (no zip file begins here)", path)
    if len(data) > MAX_FILE_BYTES:
        raise ArchiveError(f"it has {len(data):,} bytes, {MAX_FILE_BYTES:,} are possible", path)
    end = len(data) - END.size
    magic, disk, central_disk, count_here, count, central_size, central_start, comment = END.unpack(data[end:])
    if magic != b"PK\5\6" or comment:
        raise ArchiveError("truncated, or followed by other data (no end record at the end)", path)
    if disk or central_disk or count_here != count:
        raise ArchiveError("zip files of several disks are not accepted", path)
    if not 0 < count <= MAX_MEMBERS:
        raise ArchiveError(f"it has {count} members, 1 to {MAX_MEMBERS} are accepted", path)
    if central_start + central_size != end:
        raise ArchiveError("the directory is not where the end record says", path)
    central = data[central_start:end]
    entries: dict[str, Entry] = {}
    names = Names()
    at = expected = 0
    inflated = 0
    for _ in range(count):
        entry, at, expected = _read_entry(data, path, central, at, expected, names)
        entries[entry.name] = entry
        if entry.is_deflated:
            inflated += entry.size
    if inflated > len(data) * TOTAL_RATIO + RATIO_FLOOR:
        raise ArchiveError(
            f"its members would inflate to {inflated:,} bytes, {TOTAL_RATIO} times the {len(data):,} of the "
            f"file are accepted",
            path,
        )
    if at != len(central):
        raise ArchiveError("the directory is longer than its records", path)
    if expected != central_start:
        raise ArchiveError("there is data between the last member and the directory", path)
    return Container(data, path, entries)


def _read_entry(data: Data, path: str, central: bytes, at: int, expected: int, names: Names) -> tuple[Entry, int, int]:
    """The entry of the record at `at` in the directory, the place of the next record and of the next member."""
    if at + CENTRAL.size > len(central):
        raise ArchiveError("the directory is truncated", path)
    (magic, made_by, version, flags, method, time, date, crc, packed, size, name_len, extra_len, comment_len,
     disk, _internal, attributes, offset) = CENTRAL.unpack_from(central, at)  # fmt: skip
    if magic != b"PK\1\2" or at + CENTRAL.size + name_len > len(central) or extra_len or comment_len or disk:
        raise ArchiveError("a record of the directory is damaged", path)
    raw = central[at + CENTRAL.size : at + CENTRAL.size + name_len]
    try:
        name = raw.decode()
    except UnicodeDecodeError:
        raise ArchiveError("a member's name is not UTF-8", path) from None
    try:
        names.add(name)
    except ArchiveError as error:
        raise ArchiveError(error.what, path) from None
    if flags != _UTF8 or method not in (_STORED, _DEFLATED):
        raise ArchiveError(f"member {name!r} is encrypted or packed in an unknown way", path)
    if made_by >> 8 == 3 and stat.S_IFMT(attributes >> 16) not in (0, stat.S_IFREG):
        raise ArchiveError(f"member {name!r} is not a plain file", path)
    try:
        refuse_inflated(name, method, packed, size)
    except ArchiveError as error:
        raise ArchiveError(error.what, path) from None
    limit = len(data) - END.size - len(central)
    if offset != expected or offset + LOCAL.size + name_len > limit:
        raise ArchiveError(f"member {name!r} does not follow the one before it", path)
    record = data[offset : min(offset + LOCAL.size + name_len + 4 + ALIGNMENT, limit)]
    local = LOCAL.unpack_from(record)
    start = offset + LOCAL.size + local[9] + local[10]
    padding = record[LOCAL.size + name_len : start - offset]
    if (
        local[:10] != (b"PK\3\4", version, flags, method, time, date, crc, packed, size, name_len)
        or record[LOCAL.size : LOCAL.size + name_len] != raw
    ):
        raise ArchiveError(f"the two records of member {name!r} differ", path)
    if padding != _padding(local[10]):
        raise ArchiveError(f"there is more than padding in front of member {name!r}", path)
    if start + packed > limit:
        raise ArchiveError(f"member {name!r} is truncated", path)
    return Entry(name, method, crc, packed, size, start), at + CENTRAL.size + name_len, start + packed


def refuse_inflated(name: str, method: int, packed: int, size: int) -> None:
    """Refuse a member whose record says that it takes more than it may.

    Args:
        name: Its name.
        method: How it is packed.
        packed: Its bytes in the file.
        size: Its bytes.

    Raises:
        ArchiveError: It does.
    """
    if size > MAX_MEMBER_BYTES or (method == _STORED and packed != size) or size > packed * MAX_RATIO + RATIO_FLOOR:
        raise ArchiveError(f"member {name!r} would take {size} bytes from {packed}, beyond the limits")


class Names:
    """Names of members that may stand beside each other, on any file system.

    Args:
        folder: Where they lie; not part of the names given, but of their length and depth.
        what: What messages call them.
    """

    def __init__(self, folder: str = "", what: str = "member") -> None:
        self._folder = folder
        self._what = what
        self._files: dict[str, str] = {}
        self._folders: dict[str, str] = {}

    def add(self, name: str) -> None:
        """Take in one more name.

        Raises:
            ArchiveError: It is not a plain relative path, too long, equals one before it (case and composition of
                letters aside), or one of the two names a file and the other a folder.
        """
        parts = name.split("/")
        if any(part in ("", ".", "..") for part in parts) or _is_hostile(name):
            raise ArchiveError(f"{self._what} name {name!r} is not a plain relative path")
        if len(f"{self._folder}{name}".encode()) > MAX_NAME:
            allowed = MAX_NAME - len(self._folder)
            raise ArchiveError(f"{self._what} name {name[:40]!r}… is too long, {allowed} bytes are allowed")
        if f"{self._folder}{name}".count("/") > MAX_FOLDERS:
            raise ArchiveError(f"{self._what} name {name[:40]!r}… lies deeper than {MAX_FOLDERS} folders")
        folded = [_folded(part) for part in parts]
        whole = "/".join(folded)
        above = ["/".join(folded[:i]) for i in range(1, len(folded))]
        if whole in self._files:
            raise ArchiveError(f"{self._what} {name!r} occurs twice{_as(self._files[whole], name)}")
        if whole in self._folders:
            raise ArchiveError(f"{self._what} {name!r} is a folder of {self._folders[whole]!r}")
        if found := next((self._files[folder] for folder in above if folder in self._files), None):
            raise ArchiveError(f"{self._what} {name!r} lies in {found!r}, which is not a folder")
        self._files[whole] = name
        self._folders.update(dict.fromkeys(above, name))


def _as(other: str, name: str) -> str:
    return f", also as {other!r}" if other != name else ""


def _folded(part: str) -> str:
    """What file systems that ignore case, or how letters are composed, compare."""
    if part.isascii():
        return part.lower()
    import unicodedata

    return unicodedata.normalize("NFC", part).casefold()


def _is_hostile(name: str) -> bool:
    """Whether a file system or a terminal gives one of the characters a meaning of its own."""
    if not _HOSTILE.isdisjoint(name):
        return True
    if name.isascii():
        return not name.isprintable()
    import unicodedata

    return any(unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp") for char in name)
