"""Leaves the source ranges out of an archive of TorchScript: they are larger than the code, and name files."""

from __future__ import annotations

import struct
from pathlib import Path

_END = struct.Struct("<4s4H2LH")
_WIDE_END = struct.Struct("<4sQHHIIQQQQ")
_LOCATOR = struct.Struct("<4sIQI")


def slim(path: Path) -> None:
    """Leave them out; the records of all other members stay as PyTorch wrote them."""
    data = path.read_bytes()
    size, start = _END.unpack(data[-_END.size :])[5:7]
    records: list[tuple[bytes, int]] = []
    at = start
    while at < start + size:
        length = 46 + sum(struct.unpack("<3H", data[at + 28 : at + 34]))
        records.append((data[at : at + length], struct.unpack("<L", data[at + 42 : at + 46])[0]))
        at += length
    ends = [offset for _, offset in records[1:]] + [start]
    members, directory, count = b"", b"", 0
    for (record, offset), end in zip(records, ends):  # noqa: B905 - Python 3.9
        if not record[46:].endswith(b".debug_pkl"):
            directory += record[:42] + struct.pack("<L", len(members)) + record[46:]
            members += data[offset:end]
            count += 1
    first, whole = len(members), len(members) + len(directory)
    wide = _WIDE_END.pack(b"PK\6\6", _WIDE_END.size - 12, 0, 0, 0, 0, count, count, len(directory), first)
    locator = _LOCATOR.pack(b"PK\6\7", 0, whole, 1)
    last = _END.pack(b"PK\5\6", 0, 0, count, count, len(directory), first, 0)
    path.write_bytes(members + directory + wide + locator + last)
