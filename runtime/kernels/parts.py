"""Tier 3: a complex and its parts; bytes of ints."""

from __future__ import annotations

from tscript.dialect import List, Ptr, Str, f64, i64, u8
from tscript.runtime.kernels.strings import data_of
from tscript.runtime.kernels.strings_codec import new_bytes


def complex_parts(real: f64, imag: f64, out: Ptr[f64]) -> None:
    """``complex(real, imag)``"""
    out[0] = real
    out[1] = imag


def complex_real(self: Ptr[f64]) -> f64:
    """``self.real``"""
    return self[0]


def complex_imag(self: Ptr[f64]) -> f64:
    """``self.imag``"""
    return self[1]


def bytes_of_ints(self: Ptr[List]) -> Ptr[Str]:
    """``bytes(self)`` of a list of ints; raises ValueError for one that is no byte."""
    every = i64(0)
    for k in range(self.length):
        byte = self.data[k]
        if byte < 0 or byte > 255:
            raise ValueError("bytes must be in range(0, 256)")
        every = every | byte
    out = new_bytes(self.length, every < 128)
    chars = data_of(out)
    for k in range(self.length):
        chars[k] = u8(self.data[k])
    return out
