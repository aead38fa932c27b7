"""Operators that make values of others without arithmetic: a complex and its parts, and bytes of ints."""

from __future__ import annotations

from typing import Any

from tscript.definitions.define import native
from tscript.definitions.opdef import PURE, OpDef

_COMPLEX = "complex.parts(float real, float imag=0.0) -> complex"


def _real(self: complex) -> float:
    return self.real


def _imag(self: complex) -> float:
    return self.imag


def _bytes(self: Any) -> bytes:
    return bytes(self)


OPERATORS: tuple[OpDef, ...] = (
    native(_COMPLEX, complex, "parts.complex_parts", "The complex number of two parts.", effects=PURE),
    native("real.complex(complex self) -> float", _real, "parts.complex_real", "The real part.", effects=PURE),
    native("imag.complex(complex self) -> float", _imag, "parts.complex_imag", "The imaginary part.", effects=PURE),
    native("bytes.list(list self) -> bytes", _bytes, "parts.bytes_of_ints", "The bytes of ints from 0 to 255."),
)
"""Operators that users can name."""
