"""What a relocatable ELF object defines and needs, read from its symbol table.

The session imports exactly what an object needs, and tools show where functions lie. Every count and offset is checked:
a damaged object is refused, never misread.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

_HEADER = struct.Struct("<4sBB10xHHIQQQIHHHHHH")
_SECTION = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_SYMTAB = 2
_MAX_SYMBOLS = 1 << 20


class ObjectError(ValueError):
    """The bytes are not a relocatable object of the expected kind."""


@dataclass(frozen=True, slots=True)
class Symbols:
    """The global symbols of an object.

    Attributes:
        defined: Name and size in bytes of what it defines.
        undefined: Names it expects from elsewhere, in the order of its table.
    """

    defined: dict[str, int]
    undefined: tuple[str, ...]


def read_symbols(data: bytes) -> Symbols:
    """The global symbols of a 64-bit little-endian ELF object.

    Raises:
        ObjectError: It is no such object, or a damaged one.
    """
    try:
        return _read(data)
    except ObjectError:
        raise
    except (struct.error, IndexError, OverflowError, ValueError) as error:
        raise ObjectError(f"damaged object: {error}") from None


def _read(data: bytes) -> Symbols:
    if data[:6] != b"\x7fELF\x02\x01":
        raise ObjectError("not a 64-bit ELF object")
    header = _HEADER.unpack_from(data)
    table_offset, entry_size, count = header[8], header[13], header[14]
    if entry_size != _SECTION.size:
        raise ObjectError("damaged object: odd section headers")
    sections = [_SECTION.unpack_from(data, table_offset + i * entry_size) for i in range(count)]
    defined: dict[str, int] = {}
    undefined: dict[str, None] = {}
    for section in sections:
        if section[1] != _SYMTAB:
            continue
        symbols = _contents(data, section)
        names = _contents(data, sections[section[6]])
        if len(symbols) // _SYMBOL.size > _MAX_SYMBOLS:
            raise ObjectError("damaged object: too many symbols")
        for name, info, _, index, _, size in _SYMBOL.iter_unpack(symbols[: len(symbols) // 24 * 24]):
            if info >> 4 not in (1, 2) or not name:  # global, weak
                continue
            text = names[name : names.index(b"\0", name)].decode()
            if index:
                defined[text] = size
            elif text != "_GLOBAL_OFFSET_TABLE_":
                undefined[text] = None
    return Symbols(defined, tuple(undefined))


def _contents(data: bytes, section: tuple[int, ...]) -> bytes:
    offset, size = section[4], section[5]
    if offset + size > len(data):
        raise ObjectError("damaged object: a section lies outside it")
    return data[offset : offset + size]
