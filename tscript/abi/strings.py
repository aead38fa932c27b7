"""How a str or bytes lies in memory (`tscript.abi.layout.STR_STRUCT`)."""

from __future__ import annotations

from typing import NamedTuple

from tscript.abi.layout import STR_STRUCT

CODINGS = {1: "latin-1", 2: "utf-16-le", 4: "utf-32-le"}
"""By the bytes of a code point."""


class StrParts(NamedTuple):
    """What the object of a str or bytes holds.

    Attributes:
        width: Bytes of a code point.
        ascii: Whether all code points are below 128.
        data: The code points, and one that is 0.
    """

    width: int
    ascii: bool
    data: bytes


def str_parts(text: str | bytes) -> StrParts:
    """What the object of a str or bytes holds.

    Example:
        >>> str_parts("é")
        StrParts(width=1, ascii=False, data=b'\\xe9\\x00')
    """
    if isinstance(text, bytes):
        return StrParts(1, max(text, default=0) < 128, text + b"\0")
    widest = max(map(ord, text), default=0)
    width = 1 if widest < 256 else 2 if widest < 65536 else 4
    return StrParts(width, widest < 128, text.encode(CODINGS[width], "surrogatepass") + bytes(width))


def str_object(text: str | bytes, typeinfo: int, references: int) -> bytes:
    """The bytes of an object.

    Args:
        text: What it holds.
        typeinfo: The address of the `TypeInfo` of str or bytes.
        references: How many there are to it.
    """
    width, ascii, data = str_parts(text)
    head = STR_STRUCT.ctype()
    head.refcount, head.typeinfo, head.length, head.hash = references, typeinfo, len(text), 0
    head.width, head.ascii = width, ascii
    return bytes(head) + data
