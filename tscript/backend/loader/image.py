"""`Image`: an object laid out in memory, its addresses filled in, its pages protected.

The order is code and veneers, what is only read and the table of addresses, what is written; each begins at a page.
The bytes are made complete in a buffer of Python's, copied once to pages that are writable, and these are protected
before anybody knows where they are: code is never writable and executable at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from tscript.abi.pages import EXECUTE, READ, WRITE, Pages, whole
from tscript.backend.loader.elf import UNDEFINED, Array, ElfObject, Section
from tscript.backend.loader.loading import LoadError
from tscript.backend.loader.relocation import BRANCHES, SLOT, THROUGH_TABLE, VENEER, Request, kinds_of, veneer
from tscript.late import dataclass


@dataclass(frozen=True, slots=True)
class Layout:
    """Where everything of an object lies, as offsets from its beginning.

    Attributes:
        sections: Each section's, by number.
        veneers: Each symbol's veneer, by number.
        slots: Each symbol's slot in the table of addresses, by number.
        read: Where the code ends and what is only read begins.
        written: Where what is written begins.
        nbytes: Whole pages.
    """

    sections: dict[int, int]
    veneers: dict[int, int]
    slots: dict[int, int]
    read: int
    written: int
    nbytes: int


def laid_out(obj: ElfObject) -> Layout:
    """Find a place for everything."""
    sections: dict[int, int] = {}

    def place(at: int, chosen: Sequence[Section]) -> int:
        for section in chosen:
            at = -(-at // section.align) * section.align
            sections[section.index] = at
            at += section.size
        return at

    used = _uses(obj)
    branches = _symbols_of(used, BRANCHES[obj.machine])
    veneers = [number for number in branches if number in obj.undefined]
    slots = _symbols_of(used, THROUGH_TABLE[obj.machine])
    at = -(-place(0, [s for s in obj.sections if s.is_code]) // VENEER) * VENEER
    at_veneers = at
    read = whole(at + VENEER * len(veneers))
    at = -(-place(read, [s for s in obj.sections if not s.is_code and not s.is_writable]) // SLOT) * SLOT
    at_slots = at
    written = whole(at + SLOT * len(slots))
    end = place(written, [s for s in obj.sections if s.is_writable])
    return Layout(
        sections,
        {number: at_veneers + i * VENEER for i, number in enumerate(veneers)},
        {number: at_slots + i * SLOT for i, number in enumerate(slots)},
        read,
        written,
        whole(max(end, 1)),
    )


def _uses(obj: ElfObject) -> set[tuple[int, int]]:
    """Each type of relocations with each symbol that one of it refers to."""
    tables = [table for section in obj.sections for table in section.relocations]
    return {pair for table in tables for pair in zip(table["type"].tolist(), table["symbol"].tolist(), strict=True)}


def _symbols_of(used: set[tuple[int, int]], types: frozenset[int]) -> list[int]:
    """The symbols that relocations of some types refer to."""
    return sorted({symbol for type, symbol in used if type in types})


def filled(obj: ElfObject, layout: Layout, base: int, externals: Mapping[str, int]) -> tuple[bytearray, Array]:
    """The bytes of the image at an address, and the addresses of the symbols.

    Args:
        obj: The object.
        layout: Where its parts lie.
        base: The address of the image.
        externals: The addresses of what it expects from elsewhere.

    Raises:
        LoadError: A symbol is undefined, an address out of reach, a relocation unknown or outside its section.
    """
    buffer = bytearray(layout.nbytes)
    image = np.frombuffer(buffer, np.uint8)
    addresses, known = _addresses(obj, layout, base, externals)
    for number, at in layout.veneers.items():
        buffer[at : at + VENEER] = veneer(obj.machine, _address(obj, addresses, known, number))
    for number, at in layout.slots.items():
        buffer[at : at + SLOT] = _address(obj, addresses, known, number).to_bytes(SLOT, "little")
    slots, veneers = _table(layout.slots, base, len(known)), _table(layout.veneers, base, len(known))
    kinds = kinds_of(obj.machine)
    for section in obj.sections:
        begin = layout.sections[section.index]
        buffer[begin : begin + len(section.data)] = section.data
        for table in section.relocations:
            for type in sorted(set(table["type"].tolist())):
                kind = kinds.get(type)
                if kind is None:
                    raise LoadError(f"relocations of type {type} are not supported")
                chosen = table[table["type"] == type]
                if (chosen["offset"] > max(section.size - kind.nbytes, 0)).any() or section.size < kind.nbytes:
                    raise LoadError("damaged object: a relocation outside its section")
                numbers = chosen["symbol"]
                if kind.nbytes and not known[numbers].all():
                    _address(obj, addresses, known, int(numbers[~known[numbers]][0]))
                at = chosen["offset"].astype(np.int64) + begin
                kind.apply(
                    Request(image, base, at, addresses[numbers], chosen["addend"], slots[numbers], veneers[numbers])
                )
    return buffer, addresses


def _addresses(obj: ElfObject, layout: Layout, base: int, externals: Mapping[str, int]) -> tuple[Array, Array]:
    """The addresses of the symbols, and which of them have one."""
    count = 1 + max([int(s) for s in layout.sections], default=0)
    begins, is_loaded = np.zeros(count, np.uint64), np.zeros(count, bool)
    for index, at in layout.sections.items():
        begins[index], is_loaded[index] = base + at, True
    sections = obj.symbols["section"]
    known = np.zeros(len(sections), bool)
    inside = sections < count
    known[inside] = is_loaded[sections[inside]]
    addresses = np.zeros(len(sections), np.uint64)
    addresses[known] = begins[sections[known]] + obj.symbols["value"][known]
    absolute = (sections >= count) & (sections == 0xFFF1)
    addresses[absolute] = obj.symbols["value"][absolute]
    known |= absolute
    for number, name in obj.undefined.items():
        if name in externals:
            addresses[number], known[number] = externals[name], True
    return addresses.view(np.int64), known


def _address(obj: ElfObject, addresses: Array, known: Array, number: int) -> int:
    if not known[number]:
        if int(obj.symbols["section"][number]) == UNDEFINED:
            raise LoadError(f"undefined symbols: {obj.undefined.get(number, '')}")
        raise LoadError("damaged object: a symbol in a section that is not loaded")
    return int(addresses[number]) & (1 << 64) - 1


def _table(offsets: Mapping[int, int], base: int, count: int) -> Array:
    found = np.zeros(count, np.int64)
    for number, at in offsets.items():
        found[number] = base + at
    return found


class Image:
    """An object in memory.

    Args:
        obj: The object; it must be of this machine.
        externals: The addresses of what it expects from elsewhere.

    Attributes:
        addresses: Address of each symbol that it defines for others.

    Raises:
        LoadError: It cannot be loaded.
    """

    __slots__ = ("_pages", "addresses")

    def __init__(self, obj: ElfObject, externals: Mapping[str, int]) -> None:
        layout = laid_out(obj)
        try:
            self._pages = Pages(layout.nbytes)
        except OSError as error:
            raise LoadError(f"cannot load an object: {error}") from None
        try:
            buffer, addresses = filled(obj, layout, self._pages.address, externals)
            self._pages.write(buffer)
            self._pages.protect(0, layout.read, READ | EXECUTE)
            self._pages.protect(layout.read, layout.written, READ)
            self._pages.protect(layout.written, layout.nbytes, READ | WRITE)
        except BaseException as error:
            self._pages.free()
            if isinstance(error, OSError):
                raise LoadError(f"cannot load an object: {error}") from None
            raise
        self.addresses = {name: int(addresses[number]) for name, number in obj.exported.items()}

    @property
    def nbytes(self) -> int:
        """Bytes that it takes."""
        return self._pages.nbytes

    def free(self) -> None:
        """Give its memory back; nobody may use it any more."""
        self._pages.free()


__all__ = ["Image", "Layout", "filled", "laid_out"]
