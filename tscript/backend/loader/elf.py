"""Relocatable ELF objects of 64-bit machines, taken apart: sections, symbols, relocations.

Nothing in the bytes is believed. Every offset, size, index, alignment and name is checked before it is used, so that a
damaged or hostile object is a `LoadError` and never a crash. What code of ours never has (thread-local data,
constructors, indirect functions, common symbols) is refused by name.
"""

from __future__ import annotations

import struct
from typing import Any

import numpy as np

from tscript.backend.loader.loading import AARCH64, X86_64, LoadError
from tscript.late import dataclass

MAX_IMAGE = 1 << 27
"""Bytes that an object may take in memory: within it every branch of both machines reaches."""

UNDEFINED = 0
ABSOLUTE = 0xFFF1
_RESERVED = 0xFF00  # section numbers from here on have special meanings

_HEADER = struct.Struct("<6s10xHHIQQQIHHHHHH")
_SECTION = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = np.dtype(
    [("name", "<u4"), ("info", "u1"), ("other", "u1"), ("section", "<u2"), ("value", "<u8"), ("size", "<u8")]
)
_RELOCATION = np.dtype([("offset", "<u8"), ("type", "<u4"), ("symbol", "<u4"), ("addend", "<i8")])

_PROGRAM, _SYMTAB, _STRTAB, _RELA, _NOTE, _NOBITS, _REL = 1, 2, 3, 4, 7, 8, 9
_UNWIND = 0x70000001  # SHT_X86_64_UNWIND
_WRITE, _ALLOC, _EXECUTE, _MERGE, _STRINGS, _TLS, _COMPRESSED = 1, 2, 4, 0x10, 0x20, 0x400, 0x800
_REFUSED_SECTIONS = {14: "constructors", 15: "destructors", 16: "constructors", _REL: "relocations without addends"}
_REFUSED_NAMES = {".ctors": "constructors", ".dtors": "destructors"}
_REFUSED_SYMBOLS = {6: "thread-local data", 10: "an indirect function"}

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True)
class Section:
    """A section that is loaded.

    Attributes:
        index: Its number.
        size: Its bytes in memory.
        align: A power of two.
        data: What it begins with; the rest is zeros.
        is_code: It is run.
        is_writable: It is written to.
        relocations: What is to be filled in, a structured array of offset, type, symbol, addend; offsets are unchecked.
        name: What the compiler calls it.
        entry: Bytes of its entries if they are constants that may be shared; else 0.
    """

    index: int
    size: int
    align: int
    data: bytes
    is_code: bool
    is_writable: bool
    relocations: tuple[Array, ...]
    name: str = ""
    entry: int = 0


@dataclass(frozen=True, slots=True)
class ElfObject:
    """An object.

    Attributes:
        machine: `X86_64` or `AARCH64`.
        sections: Those that are loaded.
        symbols: The symbol table, a structured array of name, info, other, section, value, size.
        undefined: Names of the symbols that it expects from elsewhere, by their number.
        exported: Numbers of the symbols that it defines for others, by name.
    """

    machine: int
    sections: tuple[Section, ...]
    symbols: Array
    undefined: dict[int, str]
    exported: dict[str, int]


def parsed(data: bytes) -> ElfObject:
    """Take an object apart.

    Raises:
        LoadError: It is no relocatable object of a known machine, or a damaged one.
    """
    try:
        return _parsed(data)
    except (struct.error, IndexError, OverflowError, ValueError) as error:
        raise LoadError(f"damaged object: {error}") from None


def _parsed(data: bytes) -> ElfObject:
    magic, kind, machine, _, _, _, table, _, _, _, _, entry, count, names_at = _HEADER.unpack_from(data)
    if magic != b"\x7fELF\x02\x01":
        raise LoadError("not a 64-bit ELF object")
    if kind != 1 or machine not in (X86_64, AARCH64):
        raise LoadError("not a relocatable object of a known machine")
    if entry != _SECTION.size or not 0 < count < _RESERVED or table + count * entry > len(data):
        raise LoadError("damaged object: odd section headers")
    headers = [_SECTION.unpack_from(data, table + i * entry) for i in range(count)]
    symbols, undefined, exported, number = _symbols(data, headers)
    names = _contents(data, headers[names_at])
    loaded: dict[int, tuple[Any, ...]] = {}
    called: dict[int, str] = {}
    for index, header in enumerate(headers):
        begin, type, flags, *_ = header
        if not flags & _ALLOC or type == _UNWIND:
            continue
        if type in _REFUSED_SECTIONS:
            raise LoadError(f"an object with {_REFUSED_SECTIONS[type]} cannot be loaded")
        name = names[begin : names.index(b"\0", begin)].decode()
        if refused := next((what for known, what in _REFUSED_NAMES.items() if name.startswith(known)), ""):
            raise LoadError(f"an object with {refused} cannot be loaded")
        if name == ".eh_frame":
            continue  # nothing unwinds through our code, it has frame pointers
        if flags & _TLS:
            raise LoadError("an object with thread-local data cannot be loaded")
        if flags & _COMPRESSED or type not in (_PROGRAM, _NOBITS, _NOTE):
            raise LoadError(f"damaged object: a section of type {type:#x}")
        if flags & _WRITE and flags & _EXECUTE:
            raise LoadError("an object with writable code cannot be loaded")
        loaded[index], called[index] = header, name
    wanted = _relocations(data, headers, loaded, number, len(symbols))
    sections = tuple(
        _section(data, index, header, wanted.get(index, ()), called[index]) for index, header in loaded.items()
    )
    if sum(s.size + s.align for s in sections) > MAX_IMAGE:
        raise LoadError(f"an object of more than {MAX_IMAGE >> 20} MiB cannot be loaded")
    return ElfObject(machine, sections, symbols, undefined, exported)


def _section(data: bytes, index: int, header: tuple[Any, ...], relocations: tuple[Array, ...], name: str) -> Section:
    _, type, flags, _, _, size, _, _, align, entry = header
    align = max(align, 1)
    if align & (align - 1) or align > 4096:
        raise LoadError(f"damaged object: an alignment of {align}")
    if size > MAX_IMAGE:
        raise LoadError(f"an object of more than {MAX_IMAGE >> 20} MiB cannot be loaded")
    if type == _NOBITS and relocations:
        raise LoadError("damaged object: relocations of a section without contents")
    contents = b"" if type == _NOBITS else _contents(data, header)
    is_shared = flags & (_MERGE | _STRINGS) == _MERGE and entry > 0 and size % entry == 0 and not relocations
    is_code, is_writable = bool(flags & _EXECUTE), bool(flags & _WRITE)
    return Section(index, size, align, contents, is_code, is_writable, relocations, name, entry if is_shared else 0)


def _symbols(data: bytes, headers: list[Any]) -> tuple[Array, dict[int, str], dict[str, int], int]:
    tables = [i for i, header in enumerate(headers) if header[1] == _SYMTAB]
    if len(tables) != 1:
        raise LoadError("damaged object: not one symbol table")
    header = headers[tables[0]]
    contents, link, entry = _contents(data, header), header[6], header[9]
    if entry != _SYMBOL.itemsize or not contents or len(contents) % entry:
        raise LoadError("damaged object: odd symbols")
    if not link < len(headers) or headers[link][1] != _STRTAB:
        raise LoadError("damaged object: symbols without names")
    names = _contents(data, headers[link])
    symbols = np.frombuffer(contents, _SYMBOL)
    sections = symbols["section"]
    odd = (sections >= len(headers)) & (sections != ABSOLUTE)
    if odd.any():
        common = (sections == 0xFFF2).any()
        raise LoadError("common symbols cannot be loaded" if common else "damaged object: a symbol in no section")
    sizes = np.array([h[5] for h in headers], np.uint64)
    placed = (sections != UNDEFINED) & (sections != ABSOLUTE)
    room = sizes[sections[placed]]
    if (symbols["value"][placed] > room).any() or (symbols["size"][placed] > room - symbols["value"][placed]).any():
        raise LoadError("damaged object: a symbol outside its section")
    for type, what in _REFUSED_SYMBOLS.items():
        if (symbols["info"] & 15 == type).any():
            raise LoadError(f"an object with {what} cannot be loaded")
    undefined: dict[int, str] = {}
    exported: dict[str, int] = {}
    for number in np.flatnonzero((symbols["info"] >> 4 != 0) & (symbols["name"] != 0)).tolist():
        begin = int(symbols["name"][number])
        name = names[begin : names.index(b"\0", begin)].decode()
        if sections[number] == UNDEFINED:
            undefined[number] = name
        elif name in exported:
            raise LoadError(f"damaged object: {name} is defined twice")
        else:
            exported[name] = number
    return symbols, undefined, exported, tables[0]


def _relocations(
    data: bytes, headers: list[Any], loaded: dict[int, tuple[Any, ...]], table: int, count: int
) -> dict[int, tuple[Array, ...]]:
    found: dict[int, tuple[Array, ...]] = {}
    for header in headers:
        _, type, _, _, _, size, link, info, _, entry = header
        if type == _REL and info in loaded:
            raise LoadError(f"an object with {_REFUSED_SECTIONS[_REL]} cannot be loaded")
        if type != _RELA or info not in loaded:
            continue
        if entry != _RELOCATION.itemsize or size % entry or link != table:
            raise LoadError("damaged object: odd relocations")
        relocations = np.frombuffer(_contents(data, header), _RELOCATION)
        if (relocations["symbol"] >= count).any():
            raise LoadError("damaged object: a relocation without a symbol")
        found[info] = (*found.get(info, ()), relocations)
    return found


def _contents(data: bytes, header: tuple[Any, ...]) -> bytes:
    type, offset, size = header[1], header[4], header[5]
    if type == _NOBITS or offset + size > len(data):
        raise LoadError("damaged object: a section lies outside it")
    return data[offset : offset + size]
