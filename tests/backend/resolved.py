"""What a linker made of an object, decoded from memory, to compare two linkers."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Mapping

from tscript.backend.loader.elf import ElfObject, Section
from tscript.backend.loader.loading import AARCH64

Target = tuple[str, int]
"""A symbol from elsewhere and 0, or a section of the object by number and an address."""


def number(address: int, code: str) -> int:
    """A number in memory, as `struct` reads it."""
    (found,) = struct.unpack(f"<{code}", ctypes.string_at(address, struct.calcsize(code)))
    return int(found)


def signed(value: int, bits: int) -> int:
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> bits - 1 else value


def through_stubs(address: int, machine: int) -> int:
    """Where a call ends up: jumps through an address in memory are followed."""
    if machine == AARCH64:
        first = number(address, "I")
        if first == 0x58000050:  # ldr x16, 8
            return number(address + 8, "Q")
        if first & 0x9F00001F == 0x90000010:  # adrp x16; ldr x16, [x16, #n]
            page = (address & ~0xFFF) + (signed((first >> 5 & 0x7FFFF) << 2 | first >> 29 & 3, 21) << 12)
            return number(page + (number(address + 4, "I") >> 10 & 0xFFF) * 8, "Q")
        return address
    if ctypes.string_at(address, 2) == b"\xff\x25":
        return number(address + 6 + number(address + 2, "i"), "Q")
    return address


def resolved(obj: ElfObject, section: Section, begin: int, externals: Mapping[str, int]) -> dict[int, int]:
    """The address that each relocation of a section refers to, less its addend, by its offset.

    Args:
        obj: The object.
        section: The section.
        begin: Where it was loaded.
        externals: Symbols from elsewhere: what is branched to is followed only if it is one of them.
    """
    found: dict[int, int] = {}
    pages: dict[tuple[int, int], int] = {}
    for table in section.relocations:
        for offset, type, symbol, addend in table.tolist():
            place = begin + offset
            is_external = symbol in obj.undefined
            if type in (1, 257):
                found[offset] = number(place, "Q") - addend
            elif type == 2:
                found[offset] = number(place, "i") + place - addend
            elif type == 4:
                at = number(place, "i") + place - addend
                found[offset] = through_stubs(at, obj.machine) if at not in externals.values() and is_external else at
            elif type in (9, 41, 42):
                at = number(place, "i") + place - addend
                found[offset] = at if number(place - 2, "B") == 0x8D else number(at, "Q")
            elif type in (282, 283):
                at = place + signed(number(place, "I"), 26) * 4 - addend
                found[offset] = through_stubs(at, obj.machine) if at not in externals.values() and is_external else at
            elif type in (275, 311):
                word = number(place, "I")
                pages[symbol, addend] = (place & ~0xFFF) + (
                    signed((word >> 5 & 0x7FFFF) << 2 | word >> 29 & 3, 21) << 12
                )
            elif type in (277, 278, 284, 285, 286, 299):
                scale = {277: 1, 278: 1, 284: 2, 285: 4, 286: 8, 299: 16}[type]
                found[offset] = pages[symbol, addend] + (number(place, "I") >> 10 & 0xFFF) * scale - addend
            elif type == 312:
                word = number(place, "I")
                at = pages[symbol, addend] + (word >> 10 & 0xFFF) * (8 if word >> 22 == 0x3E5 else 1)
                found[offset] = number(at, "Q") if word >> 22 == 0x3E5 else at
            else:
                raise AssertionError(f"relocation {type}")
    return found


def outside_fields(obj: ElfObject, section: Section, begin: int) -> bytes:
    """The bytes of a section in memory, with zeros where addresses are filled in."""
    data = bytearray(ctypes.string_at(begin, section.size))
    for table in section.relocations:
        for offset, type, _, _ in table.tolist():
            width = 8 if type in (1, 24, 257, 260) else 4
            data[offset : offset + width] = bytes(width)
            if type in (41, 42):
                data[offset - 2] = 0  # a load may have become a sum
    return bytes(data)


def same(obj: ElfObject, ours: Mapping[str, int], theirs: Mapping[str, int], externals: Mapping[str, int]) -> int:
    """Check that two linkers made the same of an object; gives how many sections could be compared.

    Args:
        obj: The object.
        ours: Addresses of what it exports, by one linker.
        theirs: By the other.
        externals: The addresses of what it expects from elsewhere.
    """
    begins: dict[int, tuple[int, int]] = {}
    known = {s.index: s for s in obj.sections}
    for name, index in obj.exported.items():
        if name in theirs:
            at = int(obj.symbols["value"][index])
            begins[int(obj.symbols["section"][index])] = (ours[name] - at, theirs[name] - at)
    todo = list(begins)
    for one in todo:
        section, (mine, other) = known[one], begins[one]
        assert outside_fields(obj, section, mine) == outside_fields(obj, section, other)
        found, expected = (resolved(obj, section, at, externals) for at in (mine, other))
        assert found.keys() == expected.keys()
        for table in section.relocations:
            for offset, _, symbol, _ in table.tolist():
                if offset not in found:
                    continue
                if symbol in obj.undefined:
                    assert found[offset] == expected[offset] == externals[obj.undefined[symbol]]
                    continue
                index, value = int(obj.symbols["section"][symbol]), int(obj.symbols["value"][symbol])
                pair = (found[offset] - value, expected[offset] - value)
                if index not in begins:
                    begins[index] = pair
                    todo.append(index)
                assert begins[index] == pair
    return len(todo)
