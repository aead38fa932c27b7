"""Levels: the machines that the native library is built for ahead, each with an image of its own.

An image runs on every processor that has the features of its level. All levels have fused multiply-add, so they give
the same bits.
"""

from __future__ import annotations

from tscript.late import dataclass


@dataclass(frozen=True, slots=True)
class Level:
    """A machine.

    Attributes:
        name: What it is called, and what its image is called by.
        triple: LLVM's name of the platform.
        cpu: LLVM's name of the processor.
        features: LLVM's string of features.
    """

    name: str
    triple: str
    cpu: str
    features: str

    @property
    def architecture(self) -> str:
        """``x86_64`` or ``aarch64``."""
        return self.triple.partition("-")[0]

    def fits(self, triple: str, features: str) -> bool:
        """Whether a machine runs code of this level.

        Args:
            triple: The machine's.
            features: The machine's.

        Example:
            >>> X86_64_V3.fits("x86_64-unknown-linux-gnu", "+avx,+avx2")
            False
            >>> AARCH64.fits("aarch64-unknown-linux-gnu", "+fp-armv8,+lse,+neon")
            True
        """
        architecture, _, system = triple.partition("-")
        if architecture != self.architecture or "linux" not in system:
            return False
        has = f",{features},"
        return all(f",{feature}," in has for feature in self.features.split(","))


_V2 = "+cmov,+crc32,+cx16,+cx8,+fxsr,+mmx,+popcnt,+sahf,+sse,+sse2,+sse3,+sse4.1,+sse4.2,+ssse3"
_V3 = f"+avx,+avx2,+bmi,+bmi2,{_V2},+f16c,+fma,+lzcnt,+movbe,+xsave"
_V4 = f"{_V3},+avx512bw,+avx512cd,+avx512dq,+avx512f,+avx512vl"

X86_64_V3 = Level("x86-64-v3", "x86_64-unknown-linux-gnu", "x86-64-v3", _V3)
X86_64_V4 = Level("x86-64-v4", "x86_64-unknown-linux-gnu", "x86-64-v4", _V4)
AARCH64 = Level("aarch64", "aarch64-unknown-linux-gnu", "generic", "+fp-armv8,+neon")

X86_64_V2 = Level("x86-64-v2", "x86_64-unknown-linux-gnu", "x86-64-v2", _V2)
"""No image is built for it: it has no fused multiply-add."""

LEVELS = (X86_64_V4, X86_64_V3, AARCH64)
"""The levels with images; of one architecture the best first."""

ALL_LEVELS = (X86_64_V2, X86_64_V3, X86_64_V4, AARCH64)
"""Those that archives can have code for."""

SHIPPED = (X86_64_V3, AARCH64)
"""Those whose images a wheel has unless others are named. Kernels that gain by x86-64-v4 have variants in the image of
x86-64-v3 (see ``docs/performance.md``)."""


def level_of(name: str) -> Level:
    """The level of a name.

    Raises:
        ValueError: There is none.
    """
    found = next((level for level in LEVELS if level.name == name), None)
    if found is None:
        raise ValueError(f"no level {name!r}: there are {', '.join(level.name for level in LEVELS)}")
    return found


def fitting(triple: str, features: str) -> tuple[Level, ...]:
    """The levels whose code a machine runs, the best first."""
    return tuple(level for level in LEVELS if level.fits(triple, features))
