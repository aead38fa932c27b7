"""The zip file of TorchScript: its members, and what `Stored` has of them.

PyTorch's writer is not ours: it puts all members into one folder named after the file, notes sizes behind each member
(data descriptors) and aligns with an extra field ``FB``. Everything else is as strict as `tscript.archive.container`:
members follow each other without gaps or overlaps, the two records of each agree, names stay inside the folder, and
nothing inflates beyond the limits.
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Mapping
from typing import Any

import numpy as np

from tscript.archive.container import (
    CENTRAL,
    END,
    LOCAL,
    MAX_FILE_BYTES,
    MAX_MEMBERS,
    RATIO_FLOOR,
    TOTAL_RATIO,
    Container,
    Data,
    Entry,
    Names,
    refuse_inflated,
)
from tscript.archive.torchscript.pickles import read_pickle
from tscript.diagnostics.archives import ArchiveError
from tscript.late import dataclass, field
from tscript.types.parsing import shortened

MAX_CODE_BYTES = 1 << 24
"""Of one file of code."""
OLDEST, NEWEST = 1, 10
"""Versions of archives that are read."""

_WIDE_END = struct.Struct("<4sQHHIIQQQQ")
_LOCATOR = struct.Struct("<4sIQI")
_DESCRIPTOR = struct.Struct("<4sIII")
_HAS_DESCRIPTOR, _UTF8 = 0x8, 0x800
_STORED, _DEFLATED = 0, 8


@dataclass(frozen=True, slots=True)
class Stored:
    """What an archive of TorchScript holds.

    Attributes:
        path: The file, for messages.
        version: Of the archive: the operators mean what they meant then.
        root: The module, an `Object`.
        code: The text of each file of code by its dotted name: ``__torch__.torch.nn.modules.linear``.
        constants: The values that code names ``CONSTANTS.c0``, ``CONSTANTS.c1`` …
        extra: The extra files.
    """

    path: str
    version: int
    root: Any
    code: Mapping[str, str]
    constants: tuple[Any, ...]
    extra: Mapping[str, bytes]
    _container: Container = field(repr=False)
    _folder: str = field(repr=False)

    def elements(self, member: str, size: int) -> np.ndarray[Any, np.dtype[np.uint8]]:
        """The bytes of a member with elements of tensors, in memory of their own.

        Raises:
            ArchiveError: It is missing, damaged, or of another size.
        """
        entry = self._container.entry(self._folder + member)
        if entry.size != size:
            raise ArchiveError(f"member {member!r} has {entry.size} bytes, its tensors need {size}", self.path)
        found = np.empty(size, np.uint8)
        self._container.read_into(entry, found.data)
        return found


def read_torchscript(data: Data, path: str = "") -> Stored:
    """Read an archive of TorchScript. Nothing of it runs.

    Args:
        data: The whole file.
        path: Its name, for messages.

    Raises:
        ArchiveError: It is none, or breaks a rule.
    """
    try:
        return _read(data, path)
    except ArchiveError as error:
        raise error if error.path or not path else ArchiveError(error.what, path) from None


def _read(data: Data, path: str) -> Stored:
    container = _container(data, path)
    folder = next(iter(container.entries)).partition("/")[0] + "/"
    names = {name.removeprefix(folder) for name in container.entries}
    if "constants.pkl" not in names or "data.pkl" not in names:
        if "data.pkl" in names:
            raise ArchiveError("it holds what torch.save writes, not a program: save the model with torch.jit.save")
        raise ArchiveError("it is no archive of TorchScript: data.pkl and constants.pkl are missing")
    # from version 6 on it lies in the folder .data
    place = "version" if "version" in names else ".data/version"
    version = _version(container.read(folder + place) if place in names else b"")
    if "byteorder" in names and container.read(f"{folder}byteorder") != b"little":
        raise ArchiveError("its tensors are big-endian, which is not read")
    if sys.byteorder != "little":
        raise ArchiveError("its tensors are little-endian, and this machine is not")
    code: dict[str, str] = {}
    extra: dict[str, bytes] = {}
    for name in sorted(names):
        if name.startswith("code/") and name.endswith(".py"):
            code[name[5:-3].replace("/", ".")] = _text(container.read(folder + name), name)
        elif name.startswith("extra/"):
            extra[name[6:]] = container.read(folder + name)
    root = read_pickle(container.read(f"{folder}data.pkl"), "data.pkl", "data/")
    constants = read_pickle(container.read(f"{folder}constants.pkl"), "constants.pkl", "constants/")
    if not isinstance(constants, tuple):
        raise ArchiveError("constants.pkl holds no tuple")
    return Stored(path, version, root, code, constants, extra, container, folder)


def _version(text: bytes) -> int:
    number = text.strip()
    if not number.isdigit() or len(number) > 9:
        raise ArchiveError(f"the version of the archive is {shortened(repr(text))}, not a number")
    if not OLDEST <= int(number) <= NEWEST:
        raise ArchiveError(f"the archive has version {int(number)}, versions {OLDEST} to {NEWEST} are read")
    return int(number)


def _text(content: bytes, name: str) -> str:
    if len(content) > MAX_CODE_BYTES:
        raise ArchiveError(f"{name} has {len(content):,} bytes, {MAX_CODE_BYTES:,} are accepted")
    try:
        return content.decode()
    except UnicodeDecodeError:
        raise ArchiveError(f"{name} is not UTF-8") from None


# -- the zip file ----------------------------------------------------------------------------------------------------


def _container(data: Data, path: str) -> Container:
    if len(data) < END.size or len(data) > MAX_FILE_BYTES:
        raise ArchiveError(f"it has {len(data):,} bytes, {END.size} to {MAX_FILE_BYTES:,} are possible")
    end = len(data) - END.size
    magic, disk, central_disk, here, count, size, start, comment = END.unpack(data[end:])
    if magic != b"PK\5\6" or comment:
        raise ArchiveError("truncated, or followed by other data (no end record at the end)")
    if disk or central_disk or here != count or not 0 < count <= MAX_MEMBERS:
        raise ArchiveError(f"it has {count} members, 1 to {MAX_MEMBERS} in one file are accepted")
    if start + size != end - _wide(data, end, count, size, start):
        raise ArchiveError("the directory is not where the end record says")
    central = data[start : start + size]
    entries: dict[str, Entry] = {}
    names = Names()
    at = expected = inflated = 0
    folder = ""
    for _ in range(count):
        entry, at, expected = _entry(data, central, at, expected, start, names)
        first, separator, _rest = entry.name.partition("/")
        folder = folder or first
        if not separator or first != folder:
            raise ArchiveError(f"member {entry.name!r} does not lie in the folder {folder!r} of the others")
        entries[entry.name] = entry
        inflated += entry.size if entry.is_deflated else 0
    if inflated > len(data) * TOTAL_RATIO + RATIO_FLOOR:
        raise ArchiveError(
            f"its members would inflate to {inflated:,} bytes, {TOTAL_RATIO} times the {len(data):,} of the file are "
            "accepted"
        )
    if at != len(central) or expected != start:
        raise ArchiveError("there is data between the members and their directory, or behind it")
    return Container(data, path, entries)


def _wide(data: Data, end: int, count: int, size: int, start: int) -> int:
    """How long the second end record is, the one with fields of 64 bits, which PyTorch writes too; it must agree."""
    locator, record = end - _LOCATOR.size, end - _LOCATOR.size - _WIDE_END.size
    if record < 0 or data[locator : locator + 4] != b"PK\6\7":
        return 0
    found = _WIDE_END.unpack(data[record:locator])
    if found[0] != b"PK\6\6" or found[1] != _WIDE_END.size - 12 or found[4:] != (0, 0, count, count, size, start):
        raise ArchiveError("the two end records differ")
    if _LOCATOR.unpack(data[locator:end]) != (b"PK\6\7", 0, record, 1):
        raise ArchiveError("the second end record is not where it should be")
    return _LOCATOR.size + _WIDE_END.size


def _entry(data: Data, central: bytes, at: int, expected: int, end: int, names: Names) -> tuple[Entry, int, int]:
    """The entry of the record at `at` in the directory, the place of the next record and of the next member."""
    if at + CENTRAL.size > len(central):
        raise ArchiveError("the directory is truncated")
    (magic, _by, _version, flags, method, _time, _date, crc, packed, size, name_len, extra_len, comment_len, disk,
     _internal, _attributes, offset) = CENTRAL.unpack_from(central, at)  # fmt: skip
    following = at + CENTRAL.size + name_len
    if magic != b"PK\1\2" or following > len(central) or extra_len or comment_len or disk:
        raise ArchiveError("a record of the directory is damaged")
    raw = central[at + CENTRAL.size : following]
    try:
        name = raw.decode()
    except UnicodeDecodeError:
        raise ArchiveError("a member's name is not UTF-8") from None
    names.add(name)
    if flags & ~(_HAS_DESCRIPTOR | _UTF8) or method not in (_STORED, _DEFLATED):
        raise ArchiveError(f"member {name!r} is encrypted or packed in an unknown way")
    refuse_inflated(name, method, packed, size)
    if offset != expected or offset + LOCAL.size + name_len > end:
        raise ArchiveError(f"member {name!r} does not follow the one before it")
    record = data[offset : offset + LOCAL.size + name_len]
    sign, _needs, own_flags, own_method, _t, _d, own_crc, own_packed, own_size, own_name, own_extra = LOCAL.unpack(
        record[: LOCAL.size]
    )
    has_descriptor = bool(flags & _HAS_DESCRIPTOR)
    sizes = (own_crc, own_packed, own_size)
    agrees = sizes == (crc, packed, size) or (has_descriptor and sizes == (0, 0, 0))
    if sign != b"PK\3\4" or (own_flags, own_method, own_name) != (flags, method, name_len) or not agrees:
        raise ArchiveError(f"the two records of member {name!r} differ")
    if record[LOCAL.size :] != raw:
        raise ArchiveError(f"the two records of member {name!r} differ")
    start = offset + LOCAL.size + name_len + own_extra
    last = start + packed + (_DESCRIPTOR.size if has_descriptor else 0)
    if last > end:
        raise ArchiveError(f"member {name!r} is truncated")
    if own_extra and data[start - own_extra : start - own_extra + 2] != b"FB":
        raise ArchiveError(f"there is more than padding in front of member {name!r}")
    if has_descriptor and data[start + packed : last] != _DESCRIPTOR.pack(b"PK\7\x08", crc, packed, size):
        raise ArchiveError(f"what stands behind member {name!r} is not its size")
    return Entry(name, method, crc, packed, size, start), following, last
