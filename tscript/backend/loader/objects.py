"""Reads the defined and undefined symbols of a relocatable ELF object.

The session imports exactly the symbols that an object needs, and tools show the addresses of functions. Every count and
offset is checked: a damaged object is refused, never misread.
"""

from __future__ import annotations

import re
import struct

from tscript.late import dataclass

_HEADER = struct.Struct("<4sBB10xHHIQQQIHHHHHH")
_SECTION = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_SYMTAB = 2
_FUNCTION = 2  # STT_FUNC
_RESERVED = 0xFF00  # section numbers from here on have special meanings
_MAX_SYMBOLS = 1 << 20
_BEGIN = 128
"""The number of first bytes of a function in which its frame is made."""
_SUBTRACT = rb"(?s)\x48\x81\xec(....)|\x48\x83\xec(.)"
"""The instructions that subtract a frame from the stack pointer: with 32 or 8 bits. Only x86-64 has this code."""


def frame_of(function: Function) -> int | None:
    """The bytes of a function's frame, without saved registers; None where its code does not show it.

    Example:
        >>> code = bytes.fromhex("55 4889e5 4157 4881ec88130000 c3")
        >>> frame_of(Function("f", 1, 0, len(code), code))
        5000
    """
    found = re.search(_SUBTRACT, function.begin)
    if found is None:
        return None
    return int.from_bytes(found[1] or found[2], "little")


class ObjectError(ValueError):
    """The bytes are not a relocatable object of the expected kind."""


@dataclass(frozen=True, slots=True)
class Function:
    """A function in an object, exported or internal.

    Attributes:
        name: Its symbol.
        section: Number of the section it lies in. Sections are loaded whole, so distances within one stay.
        offset: Where in that section it begins.
        size: In bytes.
        begin: Its first bytes.
    """

    name: str
    section: int
    offset: int
    size: int
    begin: bytes = b""


@dataclass(frozen=True, slots=True)
class Symbols:
    """The symbols of an object.

    Attributes:
        defined: Name and size in bytes of exported symbols.
        undefined: Names of undefined symbols, in the order of its table.
        functions: All its functions, internal ones too, in the order of its table.
    """

    defined: dict[str, int]
    undefined: tuple[str, ...]
    functions: tuple[Function, ...] = ()


def read_symbols(data: bytes) -> Symbols:
    """The symbols of a 64-bit little-endian ELF object.

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
    functions: list[Function] = []
    for section in sections:
        if section[1] != _SYMTAB:
            continue
        symbols = _contents(data, section)
        names = _contents(data, sections[section[6]])
        if len(symbols) // _SYMBOL.size > _MAX_SYMBOLS:
            raise ObjectError("damaged object: too many symbols")
        for name, info, _, index, offset, size in _SYMBOL.iter_unpack(symbols[: len(symbols) // 24 * 24]):
            is_global = info >> 4 in (1, 2)  # global, weak
            is_function = info & 15 == _FUNCTION and 0 < index < _RESERVED
            if not name or not (is_global or is_function):
                continue
            text = names[name : names.index(b"\0", name)].decode()
            if is_function:
                at = sections[index][4] + offset
                functions.append(Function(text, index, offset, size, data[at : at + min(size, _BEGIN)]))
            if not is_global:
                continue
            if index:
                defined[text] = size
            elif text != "_GLOBAL_OFFSET_TABLE_":
                undefined[text] = None
    return Symbols(defined, tuple(undefined), tuple(functions))


def _contents(data: bytes, section: tuple[int, ...]) -> bytes:
    offset, size = section[4], section[5]
    if offset + size > len(data):
        raise ObjectError("damaged object: a section lies outside it")
    return data[offset : offset + size]
