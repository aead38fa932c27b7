"""The linker of the prebuilt native library: objects of one machine to one position-independent image.

An object is taken apart into atoms: its sections, and the entries of sections of constants. With a section for each
function and constant (`tscript.backend.llvm.sections`) each of these is an atom. Atoms with the same bytes that refer
to the same atoms are one: what kernels have copies of is there once. Functions call each other directly. Symbols that
no part defines are externals, each with a slot for its address; a branch to one goes through a jump beside the code.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from tscript.backend.llvm.sections import CONSTANT
from tscript.backend.loader.elf import UNDEFINED, ElfObject, Section, parsed
from tscript.backend.loader.loading import AARCH64, X86_64, LoadError
from tscript.backend.loader.prebuilt_format import (
    ALIGN,
    VARIANT,
    Header,
    Index,
    packed_file,
    packed_index,
    references_of,
)
from tscript.backend.loader.relocation import BRANCHES, SLOT, THROUGH_TABLE, Request, kinds_of
from tscript.late import dataclass, field

CODE, READ, FIXED, WRITTEN = range(4)
"""Where an atom goes, in the order of the image."""

_ABSOLUTE = {X86_64: 1, AARCH64: 257}
_RELAXED = frozenset({41, 42})
_FAR = 1 << 62
_JUMP = 16
# Types that are not filled in relative to where they are, and so would change with the address of the image.
_REFUSED = {X86_64: frozenset({10, 11}), AARCH64: frozenset({258, 263, 264, 265, 266, 267, 268, 269})}


@dataclass(frozen=True, slots=True)
class Part:
    """An object of the library.

    Attributes:
        name: What it is, for people, and for `Prebuilt.module` if it is a module.
        data: The object.
        exports: Its symbols that are asked for by name.
        is_module: Whether it is listed as a module.
        is_open: Whether others refer to its symbols directly; otherwise they get them from outside, as if they were
            not here.
        records: Records by key, which are found without it.
        level: It is a variant for processors of this level; they take it for a part that is not open and exports the
            same symbols.
    """

    name: str
    data: bytes
    exports: tuple[str, ...]
    is_module: bool = False
    is_open: bool = True
    records: Mapping[str, bytes] = field(default_factory=dict)
    level: str = ""


@dataclass(slots=True)
class Reference:
    """A relocation.

    Attributes:
        at: Where it is in its atom.
        type: As ELF numbers types.
        atom: The number of the atom it refers to; -1: an external.
        symbol: The external.
        offset: Where in the atom.
        addend: What is added.
    """

    at: int
    type: int
    atom: int
    symbol: str
    offset: int
    addend: int


@dataclass(slots=True)
class Atom:
    """A piece that stays together.

    Attributes:
        place: `CODE`, `READ`, `FIXED` or `WRITTEN`.
        align: A power of two.
        size: Bytes in memory.
        data: What it begins with.
        references: What is to be filled in.
        exports: The exported symbols in it, and where in it they are.
    """

    place: int
    align: int
    size: int
    data: bytes
    references: list[Reference] = field(default_factory=list)
    exports: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Linked:
    """The result of `link`.

    Attributes:
        data: The file.
        atoms: Atoms before equal ones became one.
        kept: Atoms that are in it.
        nbytes: Bytes of the segment.
        exports: How many symbols it exports.
        externals: Symbols it needs from elsewhere.
    """

    data: bytes
    atoms: int
    kept: int
    nbytes: int
    exports: int
    externals: tuple[str, ...]


def link(parts: Iterable[Part], *, tuple_items: int = tuple.__basicsize__, about: str = "") -> Linked:
    """Link parts into one image.

    Args:
        parts: Objects of one machine. The order is that of the code.
        tuple_items: Offset of the first item of a Python tuple that they were made for.
        about: What they are, for people.

    Raises:
        LoadError: One cannot be linked.
        ValueError: Two define the same symbol.
    """
    return _Linker(list(parts), tuple_items, about).run()


class _Linker:
    def __init__(self, parts: Sequence[Part], tuple_items: int, about: str) -> None:
        self.parts = parts
        self.tuple_items = tuple_items
        self.about = about
        self.machine = parsed(parts[0].data).machine if parts else X86_64
        self.atoms: list[Atom] = []
        self.globals: dict[str, tuple[int, int]] = {}

    def run(self) -> Linked:
        taken: list[_Object] = []
        for part in self.parts:
            obj = parsed(part.data)
            if obj.machine != self.machine:
                raise LoadError(f"{part.name} is for another machine")
            taken.append(_Object(part, obj, self.atoms))
        for one in taken:
            if one.part.is_open and not one.part.level:
                for symbol, place in one.exports.items():
                    if self.globals.setdefault(symbol, place) != place:
                        raise ValueError(f"{symbol} is defined twice, in {one.part.name} too")
        for one in taken:
            one.refer(self.globals)
        total = len(self.atoms)
        kept = self._fold()
        offsets, ends = self._laid_out(kept)
        return self._written(total, kept, offsets, ends)

    def _fold(self) -> list[int]:
        """Make equal atoms one. References go to the ones that are kept, whose numbers are returned."""
        atoms = self.atoms
        classes: list[int] = []
        known: dict[Any, int] = {}
        for number, atom in enumerate(atoms):
            shape = tuple((r.at, r.type, r.symbol, r.offset, r.addend, r.atom < 0) for r in atom.references)
            own = number if atom.place == WRITTEN else -1
            key = (own, atom.place, atom.align, atom.size, atom.data, shape)
            classes.append(known.setdefault(key, len(known)))
        count = len(known)
        while True:
            known = {}
            classes = [
                known.setdefault((classes[n], *(classes[r.atom] for r in a.references if r.atom >= 0)), len(known))
                for n, a in enumerate(atoms)
            ]
            if len(known) == count:
                break
            count = len(known)
        first: dict[int, int] = {}
        for number, atom in enumerate(atoms):  # one that is exported stands for the others
            if atom.exports:
                first.setdefault(classes[number], number)
        for number in range(len(atoms)):
            first.setdefault(classes[number], number)
        stands = [n if a.exports else first[classes[n]] for n, a in enumerate(atoms)]
        for atom in atoms:
            for reference in atom.references:
                if reference.atom >= 0:
                    reference.atom = stands[reference.atom]
        return self._reached([n for n, a in enumerate(atoms) if a.exports])

    def _reached(self, roots: Sequence[int]) -> list[int]:
        reached, pending = set(roots), list(roots)
        while pending:
            for reference in self.atoms[pending.pop()].references:
                if reference.atom >= 0 and reference.atom not in reached:
                    reached.add(reference.atom)
                    pending.append(reference.atom)
        return sorted(reached)

    def _laid_out(self, kept: Sequence[int]) -> tuple[dict[int, int], tuple[int, int, int, int]]:
        """Where each atom goes, and where the four places end; jumps and slots are not counted."""
        offsets: dict[int, int] = {}
        ends: list[int] = []
        jumps, slots = self._elsewhere(kept)
        self.jumps: dict[str, int] = {}
        self.slots: dict[tuple[str, int, int], int] = {}
        at = 0
        for place in range(4):
            for number in kept:
                atom = self.atoms[number]
                if atom.place == place:
                    at = -(-at // atom.align) * atom.align
                    offsets[number] = at
                    at += atom.size
            if place == CODE:
                at = -(-at // _JUMP) * _JUMP
                self.jumps = {symbol: at + i * _JUMP for i, symbol in enumerate(jumps)}
                at += len(jumps) * _JUMP
            if place == FIXED:
                at = -(-at // SLOT) * SLOT
                self.slots = {target: at + i * SLOT for i, target in enumerate(slots)}
                at += len(slots) * SLOT
            at = -(-at // ALIGN) * ALIGN
            ends.append(at)
        return offsets, (ends[0], ends[1], ends[2], ends[3])

    def _elsewhere(self, kept: Sequence[int]) -> tuple[list[str], list[tuple[str, int, int]]]:
        """The symbols that are jumped to, and all that have slots: externals by name, atoms by number and offset."""
        jumps: dict[str, None] = {}
        slots: dict[tuple[str, int, int], None] = {}
        branches, through = BRANCHES[self.machine], THROUGH_TABLE[self.machine]
        for number in kept:
            for r in self.atoms[number].references:
                if r.atom < 0:
                    slots[r.symbol, -1, 0] = None
                    if r.type in branches:
                        jumps[r.symbol] = None
                    elif r.type not in through and r.type != _ABSOLUTE[self.machine]:
                        raise LoadError(f"{r.symbol} is not referred to through a table")
                elif r.type in through and not self._is_relaxed(self.atoms[number], r):
                    slots["", r.atom, r.offset] = None
        return list(jumps), list(slots)

    def _is_relaxed(self, atom: Atom, r: Reference) -> bool:
        """Whether a load of an address becomes a sum (`tscript.backend.loader.relocation`)."""
        if self.machine != X86_64 or r.type not in _RELAXED or r.addend != -4 or r.at < 2:
            return False
        return atom.data[r.at - 2] == 0x8B and atom.data[r.at - 1] & 0xC7 == 0x05

    def _written(self, total: int, kept: list[int], offsets: dict[int, int], ends: tuple[int, int, int, int]) -> Linked:
        segment = bytearray(ends[-1])
        for number, at in offsets.items():
            atom = self.atoms[number]
            segment[at : at + len(atom.data)] = atom.data
        externals = sorted({symbol for symbol, _, _ in self.slots if symbol})
        numbers = {symbol: i for i, symbol in enumerate(externals)}
        relatives: list[int] = []
        for (symbol, atom_number, offset), at in self.slots.items():
            if not symbol:
                segment[at : at + SLOT] = (offsets[atom_number] + offset).to_bytes(SLOT, "little")
                relatives.append(at)
        for symbol, at in self.jumps.items():
            segment[at : at + _JUMP] = _jump(self.machine, at, self.slots[symbol, -1, 0])
        references = self._filled(segment, kept, offsets, relatives, numbers)
        exports = self._exports(kept, offsets)
        names = sorted(exports)
        sets, needs = self._needs(kept, numbers, {symbol: exports[symbol][1] for symbol in names})
        index = Index(
            self.about,
            tuple(externals),
            np.array([self.slots[symbol, -1, 0] for symbol in externals], np.uint32),
            references_of(references),
            np.array(sorted(relatives), np.uint32),
            tuple(names),
            np.array([exports[symbol][0] for symbol in names], np.uint32),
            np.array([exports[symbol][2] for symbol in names], np.uint32),
            np.array([needs[symbol] for symbol in names], np.uint32),
            tuple(np.array(s, np.uint32) for s in sets),
            {part.name: part.exports for part in self.parts if part.is_module},
            {key: record for part in self.parts for key, record in part.records.items()},
        )
        packed = packed_index(index)
        data = packed_file(Header(self.machine, self.tuple_items, *ends), segment, packed)
        return Linked(data, total, len(kept), len(segment), len(names), tuple(externals))

    def _filled(
        self,
        segment: bytearray,
        kept: Sequence[int],
        offsets: Mapping[int, int],
        relatives: list[int],
        numbers: Mapping[str, int],
    ) -> list[tuple[int, int, int]]:
        """Fill in distances. Addresses within the image join `relatives`; those of externals are returned."""
        branches, absolute, kinds = BRANCHES[self.machine], _ABSOLUTE[self.machine], kinds_of(self.machine)
        by_type: dict[int, list[tuple[int, int, int, int]]] = {}
        references: list[tuple[int, int, int]] = []
        for number in kept:
            for r in self.atoms[number].references:
                at = offsets[number] + r.at
                if r.type == absolute:
                    if self.atoms[number].place < FIXED:
                        raise LoadError("an address in what is only read")
                    if r.atom < 0:
                        references.append((at, numbers[r.symbol], r.addend))
                    else:
                        value = (offsets[r.atom] + r.offset + r.addend) % (1 << 64)
                        segment[at : at + 8] = value.to_bytes(8, "little")
                        relatives.append(at)
                    continue
                if r.type in _REFUSED[self.machine] or r.type not in kinds:
                    raise LoadError(f"relocations of type {r.type} are not supported")
                if r.atom < 0:
                    target = self.jumps[r.symbol] if r.type in branches else _FAR
                    slot = self.slots[r.symbol, -1, 0]
                else:
                    target = offsets[r.atom] + r.offset
                    slot = self.slots.get(("", r.atom, r.offset), 0)
                by_type.setdefault(r.type, []).append((at, target, r.addend, slot))
        image = np.frombuffer(segment, np.uint8)
        for type, rows in by_type.items():
            at_, targets, addends, slots = np.array(rows, np.int64).T
            kinds[type].apply(Request(image, 0, at_, targets, addends, slots, np.zeros_like(at_)))
        return references

    def _exports(self, kept: Sequence[int], offsets: Mapping[int, int]) -> dict[str, tuple[int, int, int]]:
        """Where each exported symbol is, its atom, and its size."""
        found: dict[str, tuple[int, int, int]] = {}
        for number in kept:
            atom = self.atoms[number]
            for symbol, offset in atom.exports.items():
                found[symbol] = offsets[number] + offset, number, atom.size - offset
        return found

    def _needs(
        self, kept: Sequence[int], numbers: Mapping[str, int], roots: Mapping[str, int]
    ) -> tuple[list[tuple[int, ...]], dict[str, int]]:
        """Sets of externals, and the number of the set that each exported symbol needs with all it refers to."""
        needed = dict.fromkeys(kept, 0)
        for number in kept:
            for r in self.atoms[number].references:
                if r.atom < 0:
                    needed[number] |= 1 << numbers[r.symbol]
        edges = {n: sorted({r.atom for r in self.atoms[n].references if r.atom >= 0}) for n in kept}
        changed = True
        while changed:
            changed = False
            for number in reversed(kept):
                found = needed[number]
                for other in edges[number]:
                    found |= needed[other]
                if found != needed[number]:
                    needed[number], changed = found, True
        sets: dict[int, int] = {0: 0}
        which = {symbol: sets.setdefault(needed[number], len(sets)) for symbol, number in roots.items()}
        listed = [tuple(i for i in range(len(numbers)) if bits >> i & 1) for bits in sets]
        return listed, which


def _jump(machine: int, at: int, slot: int) -> bytes:
    """The code at `at` that jumps to the address in a slot."""
    if machine == X86_64:
        return b"\xff\x25" + (slot - at - 6).to_bytes(4, "little", signed=True) + b"\x0f\x0b" * 5
    pages = (slot >> 12) - (at >> 12)
    adrp = 0x90000010 | (pages & 3) << 29 | (pages >> 2 & 0x7FFFF) << 5
    ldr = 0xF9400210 | (slot & 0xFFF) // 8 << 10
    return b"".join(word.to_bytes(4, "little") for word in (adrp, ldr, 0xD61F0200, 0xD4200000))


class _Object:
    """The atoms of one object.

    Args:
        part: The part it is of.
        obj: The object.
        atoms: All atoms; its own join them.
    """

    def __init__(self, part: Part, obj: ElfObject, atoms: list[Atom]) -> None:
        self.part = part
        self._obj = obj
        self._atoms = atoms
        self._sections: dict[int, tuple[Section, int, int]] = {}
        entered = self._entered()
        for section in obj.sections:
            entry = section.entry if section.index in entered else section.size
            self._sections[section.index] = section, len(atoms), max(entry, 1)
            place, align = _place_of(section), min(section.align, entry & -entry) if section.index in entered else 0
            for begin in range(0, max(section.size, 1), max(entry, 1)):
                data = section.data[begin : begin + entry]
                atoms.append(
                    Atom(place, align or section.align, entry, data.rstrip(b"\0") if place == WRITTEN else data)
                )
        self.exports: dict[str, tuple[int, int]] = {}
        asked, variant = set(part.exports), f"{VARIANT}{part.level} " if part.level else ""
        for name, number in obj.exported.items():
            index, value = int(obj.symbols["section"][number]), int(obj.symbols["value"][number])
            if index not in self._sections:
                raise LoadError(f"{part.name}: {name} is in no section that is loaded")
            self.exports[name] = place_of_it = self._at(index, value)
            if name in asked:
                atoms[place_of_it[0]].exports[variant + name] = place_of_it[1]
        if lacking := asked - set(self.exports):
            raise LoadError(f"{part.name}: not defined: {', '.join(sorted(lacking))}")

    def _entered(self) -> set[int]:
        """The sections whose entries are atoms: those of constants that are referred to by what is theirs."""
        found = {s.index for s in self._obj.sections if s.entry}
        if self._obj.machine != X86_64:
            return found
        kinds = self._obj.symbols["info"] & 15
        for section in self._obj.sections:
            for table in section.relocations:
                of_sections = table["symbol"][kinds[table["symbol"]] == 3]
                found -= set(self._obj.symbols["section"][of_sections].tolist())
        return found

    def _at(self, index: int, value: int) -> tuple[int, int]:
        """The atom at a place of a section, and where in it that is."""
        section, first, entry = self._sections[index]
        if entry == max(section.size, 1):
            return first, value
        return first + min(value, section.size - 1) // entry, value % entry

    def refer(self, known: Mapping[str, tuple[int, int]]) -> None:
        """Make relocations references.

        Args:
            known: Where the symbols are that parts define for each other.
        """
        symbols = self._obj.symbols
        sections, values = symbols["section"].tolist(), symbols["value"].tolist()
        infos = symbols["info"].tolist()
        for section in self._obj.sections:
            _, first, entry = self._sections[section.index]
            for table in section.relocations:
                for at, type, number, addend in table.tolist():
                    if type == 0:
                        continue
                    atom = self._atoms[first + at // entry if entry != max(section.size, 1) else first]
                    if at >= section.size:
                        raise LoadError(f"{self.part.name}: a relocation outside its section")
                    if sections[number] == UNDEFINED:
                        name = self._obj.undefined.get(number, "")
                        place = known.get(name)
                        target = Reference(at, type, -1, name, 0, addend)
                        if place is not None:
                            target = Reference(at, type, place[0], "", place[1], addend)
                    elif sections[number] not in self._sections:
                        raise LoadError(f"{self.part.name}: a symbol in a section that is not loaded")
                    else:
                        value = values[number]
                        if infos[number] & 15 == 3 and self._sections[sections[number]][2] != max(
                            self._sections[sections[number]][0].size, 1
                        ):
                            value, addend = value + addend, 0
                        place = self._at(sections[number], value)
                        target = Reference(at, type, place[0], "", place[1], addend)
                    atom.references.append(target)


def _place_of(section: Section) -> int:
    if section.is_code:
        return CODE
    if not section.is_writable:
        return READ
    return FIXED if section.name.startswith((CONSTANT, ".data.rel.ro")) else WRITTEN


__all__ = ["Linked", "Part", "link"]
