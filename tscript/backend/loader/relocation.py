"""Relocations: the addresses that code and data of an object need, written into its image.

Each type of a machine is one row: how many bytes it changes, and a function from values to those bytes. Everything is
done for all relocations of a type at once. What does not fit is refused, except branches to symbols elsewhere: these go
through a veneer, a jump to any address, which lies in the image. Names of types are those of the ELF supplements.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tscript.backend.loader.elf import Array
from tscript.backend.loader.loading import AARCH64, X86_64, LoadError
from tscript.late import dataclass

VENEER = 16
"""Bytes of a veneer."""

SLOT = 8
"""Bytes of a symbol's address in the table of addresses (GOT)."""

BRANCHES: dict[int, frozenset[int]] = {X86_64: frozenset({4}), AARCH64: frozenset({282, 283, 314})}
"""Types that may need a veneer: PLT32; JUMP26, CALL26, PLT32."""

THROUGH_TABLE: dict[int, frozenset[int]] = {X86_64: frozenset({9, 41, 42, 43}), AARCH64: frozenset({311, 312})}
"""Types that need a symbol's slot: GOTPCREL and its variants; ADR_GOT_PAGE, LD64_GOT_LO12_NC."""


@dataclass(frozen=True, slots=True)
class Request:
    """All relocations of one type, as arrays of the same length.

    Attributes:
        image: The bytes of the image; they are changed.
        base: The address of its first.
        at: Where in the image each is.
        symbols: Addresses of the symbols, as signed numbers.
        addends: What is added.
        slots: Addresses of the symbols' slots, for types that need them.
        veneers: Addresses of the symbols' veneers; 0: there is none.
    """

    image: Array
    base: int
    at: Array
    symbols: Array
    addends: Array
    slots: Array
    veneers: Array

    @property
    def places(self) -> Array:
        """Where each is, in the process."""
        return self.at + np.int64(self.base)

    @property
    def targets(self) -> Array:
        """What each refers to."""
        return self.symbols + self.addends

    def read(self, at: Array, nbytes: int) -> Array:
        """The unsigned numbers at some places."""
        return self.image[at[:, None] + np.arange(nbytes)].copy().view(f"<u{nbytes}")[:, 0]

    def write(self, at: Array, values: Array, nbytes: int) -> None:
        """Put numbers at some places."""
        self.image[at[:, None] + np.arange(nbytes)] = values.astype(f"<i{nbytes}")[:, None].view(np.uint8)


Apply = Callable[[Request], None]


@dataclass(frozen=True, slots=True)
class Kind:
    """A type of relocations.

    Attributes:
        name: As the supplement has it.
        nbytes: What it changes.
        apply: Does it.
    """

    name: str
    nbytes: int
    apply: Apply


def veneer(machine: int, address: int) -> bytes:
    """The code that jumps to an address, of `VENEER` bytes."""
    # jmp *2(%rip); ud2 -- ldr x16, 8; br x16
    code = bytes.fromhex("ff25020000000f0b" if machine == X86_64 else "5000005800021fd6")
    return code + address.to_bytes(SLOT, "little")


def kinds_of(machine: int) -> dict[int, Kind]:
    """The types of a machine, by number."""
    return _X86_64 if machine == X86_64 else _AARCH64


def _outside(values: Array, bits: int, *, signed: bool = True) -> Array:
    """Which values do not fit."""
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
    return (values < low) | (values > high)


def _fit(values: Array, bits: int, *, signed: bool = True) -> Array:
    if _outside(values, bits, signed=signed).any():
        raise LoadError("an address is out of reach")
    return values


def _absolute(nbytes: int, *, signed: bool = True) -> Apply:
    def apply(request: Request) -> None:
        values = request.targets
        request.write(request.at, values if nbytes == 8 else _fit(values, 8 * nbytes, signed=signed), nbytes)

    return apply


def _relative(nbytes: int) -> Apply:
    def apply(request: Request) -> None:
        values = request.targets - request.places
        request.write(request.at, values if nbytes == 8 else _fit(values, 8 * nbytes), nbytes)

    return apply


def _reached(request: Request, bits: int, addend: int) -> Array:
    """Distances of branches, which go to a veneer where they are too far."""
    found = request.targets - request.places
    far = _outside(found, bits)
    if far.any():
        if (request.veneers[far] == 0).any() or (request.addends[far] != addend).any():
            raise LoadError("an address is out of reach")
        found[far] = request.veneers[far] + addend - request.places[far]
    return found


def _plt32(request: Request) -> None:
    request.write(request.at, _fit(_reached(request, 32, -4), 32), 4)


def _gotpcrel(request: Request) -> None:
    request.write(request.at, _fit(request.slots + request.addends - request.places, 32), 4)


def _gotpcrelx(request: Request) -> None:
    """A load of an address from its slot is a sum where the address is near; other instructions stay as they are."""
    near = (request.addends == -4) & (request.at >= 2) & ~_outside(request.targets - request.places, 32)
    chosen = np.flatnonzero(near)
    begins = request.at[chosen] - 2
    is_load = (request.image[begins] == 0x8B) & (request.image[begins + 1] & 0xC7 == 0x05)
    chosen, begins = chosen[is_load], begins[is_load]
    request.image[begins] = 0x8D  # mov to lea
    values = request.slots + request.addends - request.places
    values[chosen] = (request.targets - request.places)[chosen]
    request.write(request.at, _fit(values, 32), 4)


def _nothing(request: Request) -> None:
    """There is nothing to do."""


_X86_64: dict[int, Kind] = {
    0: Kind("R_X86_64_NONE", 0, _nothing),
    1: Kind("R_X86_64_64", 8, _absolute(8)),
    2: Kind("R_X86_64_PC32", 4, _relative(4)),
    4: Kind("R_X86_64_PLT32", 4, _plt32),
    9: Kind("R_X86_64_GOTPCREL", 4, _gotpcrel),
    10: Kind("R_X86_64_32", 4, _absolute(4, signed=False)),
    11: Kind("R_X86_64_32S", 4, _absolute(4)),
    24: Kind("R_X86_64_PC64", 8, _relative(8)),
    41: Kind("R_X86_64_GOTPCRELX", 4, _gotpcrelx),
    42: Kind("R_X86_64_REX_GOTPCRELX", 4, _gotpcrelx),
    43: Kind("R_X86_64_CODE_4_GOTPCRELX", 4, _gotpcrel),
}


def _patch(request: Request, values: Array, bits: int, shift: int) -> None:
    """Put the low bits of values into a field of instructions."""
    mask = (1 << bits) - 1
    words = request.read(request.at, 4).astype(np.int64) & ~np.int64(mask << shift)
    request.write(request.at, words | ((values & mask) << shift), 4)


def _aligned(values: Array, nbytes: int) -> Array:
    if (values & (nbytes - 1)).any():
        raise LoadError("an address is not aligned")
    return values


def _branch(bits: int, shift: int, *, is_far: bool = False) -> Apply:
    def apply(request: Request) -> None:
        found = _reached(request, bits + 2, 0) if is_far else request.targets - request.places
        _patch(request, _aligned(_fit(found, bits + 2), 4) >> 2, bits, shift)

    return apply


def _adr(request: Request, values: Array) -> None:
    """The field of `adr` and `adrp`: two low bits, then nineteen."""
    _patch(request, _fit(values, 21), 2, 29)
    _patch(request, values >> 2, 19, 5)


def _pages(values: Array, request: Request) -> Array:
    return (values >> 12) - (request.places >> 12)


def _low(nbytes: int) -> Apply:
    """The low twelve bits of an address, in units of what is loaded or stored."""

    def apply(request: Request) -> None:
        _patch(request, _aligned(request.targets & 0xFFF, nbytes) // nbytes, 12, 10)

    return apply


def _slot_low(request: Request) -> None:
    _patch(request, _aligned((request.slots + request.addends) & 0xFFF, 8) >> 3, 12, 10)


def _movw(group: int, *, checked: bool) -> Apply:
    def apply(request: Request) -> None:
        values = request.targets
        if checked and group < 3 and (_outside(values, 16 * (group + 1), signed=False)).any():
            raise LoadError("an address is out of reach")
        _patch(request, values >> (16 * group), 16, 5)

    return apply


def _word(nbytes: int) -> Apply:
    """An address in a datum of a few bytes, signed or not."""

    def apply(request: Request) -> None:
        values = request.targets
        if (_outside(values, 8 * nbytes) & _outside(values, 8 * nbytes, signed=False)).any():
            raise LoadError("an address is out of reach")
        request.write(request.at, values, nbytes)

    return apply


_AARCH64: dict[int, Kind] = {
    0: Kind("R_AARCH64_NONE", 0, _nothing),
    257: Kind("R_AARCH64_ABS64", 8, _absolute(8)),
    258: Kind("R_AARCH64_ABS32", 4, _word(4)),
    260: Kind("R_AARCH64_PREL64", 8, _relative(8)),
    261: Kind("R_AARCH64_PREL32", 4, _relative(4)),
    263: Kind("R_AARCH64_MOVW_UABS_G0", 4, _movw(0, checked=True)),
    264: Kind("R_AARCH64_MOVW_UABS_G0_NC", 4, _movw(0, checked=False)),
    265: Kind("R_AARCH64_MOVW_UABS_G1", 4, _movw(1, checked=True)),
    266: Kind("R_AARCH64_MOVW_UABS_G1_NC", 4, _movw(1, checked=False)),
    267: Kind("R_AARCH64_MOVW_UABS_G2", 4, _movw(2, checked=True)),
    268: Kind("R_AARCH64_MOVW_UABS_G2_NC", 4, _movw(2, checked=False)),
    269: Kind("R_AARCH64_MOVW_UABS_G3", 4, _movw(3, checked=True)),
    273: Kind("R_AARCH64_LD_PREL_LO19", 4, _branch(19, 5)),
    274: Kind("R_AARCH64_ADR_PREL_LO21", 4, lambda r: _adr(r, r.targets - r.places)),
    275: Kind("R_AARCH64_ADR_PREL_PG_HI21", 4, lambda r: _adr(r, _pages(r.targets, r))),
    277: Kind("R_AARCH64_ADD_ABS_LO12_NC", 4, _low(1)),
    278: Kind("R_AARCH64_LDST8_ABS_LO12_NC", 4, _low(1)),
    279: Kind("R_AARCH64_TSTBR14", 4, _branch(14, 5)),
    280: Kind("R_AARCH64_CONDBR19", 4, _branch(19, 5)),
    282: Kind("R_AARCH64_JUMP26", 4, _branch(26, 0, is_far=True)),
    283: Kind("R_AARCH64_CALL26", 4, _branch(26, 0, is_far=True)),
    284: Kind("R_AARCH64_LDST16_ABS_LO12_NC", 4, _low(2)),
    285: Kind("R_AARCH64_LDST32_ABS_LO12_NC", 4, _low(4)),
    286: Kind("R_AARCH64_LDST64_ABS_LO12_NC", 4, _low(8)),
    299: Kind("R_AARCH64_LDST128_ABS_LO12_NC", 4, _low(16)),
    311: Kind("R_AARCH64_ADR_GOT_PAGE", 4, lambda r: _adr(r, _pages(r.slots + r.addends, r))),
    312: Kind("R_AARCH64_LD64_GOT_LO12_NC", 4, _slot_low),
    314: Kind("R_AARCH64_PLT32", 4, _plt32),
}

__all__ = ["BRANCHES", "SLOT", "THROUGH_TABLE", "VENEER", "Kind", "Request", "kinds_of", "veneer"]
