"""Methods and functions of ints."""

from __future__ import annotations


def bit_length(n: int) -> int:
    """``n.bit_length()``"""
    if n == -(2**63):
        return 64
    rest = -n if n < 0 else n
    out = 0
    while rest:
        rest >>= 1
        out += 1
    return out


def bit_count(n: int) -> int:
    """``n.bit_count()``"""
    if n == -(2**63):
        return 1
    rest = -n if n < 0 else n
    out = 0
    while rest:
        rest &= rest - 1
        out += 1
    return out


def to_bytes(n: int, length: int = 1, byteorder: str = "big", *, signed: bool = False) -> bytes:
    """``n.to_bytes(length, byteorder, signed=signed)``"""
    if byteorder != "big" and byteorder != "little":
        raise ValueError("byteorder must be either 'little' or 'big'")
    if length < 0:
        raise ValueError("length argument must be non-negative")
    if n < 0 and not signed:
        raise OverflowError("can't convert negative int to unsigned")
    if length < 8:
        bits = 8 * length - (1 if signed else 0)
        fits = n == 0 or (n == -1 and signed) if bits <= 0 else n >> bits == 0 or (n >> bits == -1 and signed)
        if not fits:
            raise OverflowError("int too big to convert")
    found = [n >> min(8 * i, 63) & 255 for i in range(length)]
    if byteorder == "big":
        found.reverse()
    return bytes(found)


def from_bytes(data: bytes, byteorder: str = "big", *, signed: bool = False) -> int:
    """``int.from_bytes(data, byteorder, signed=signed)``"""
    if byteorder != "big" and byteorder != "little":
        raise ValueError("byteorder must be either 'little' or 'big'")
    found = list(data)
    if byteorder == "little":
        found.reverse()
    negative = signed and len(found) > 0 and found[0] >= 128
    out = -1 if negative else 0
    for byte in found:
        if not -(1 << 55) <= out < 1 << 55:
            raise OverflowError("Python int too large to convert to 64 bits")
        out = out << 8 | byte
    return out


def int_ratio(n: int) -> tuple[int, int]:
    """``n.as_integer_ratio()``"""
    return n, 1
