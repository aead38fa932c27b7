"""Bytes: made of a number or of hexadecimal digits, and written in them."""

from __future__ import annotations


def zero_bytes(count: int) -> bytes:
    """``bytes(count)``"""
    if count < 0:
        raise ValueError("negative count")
    return b"\0" * count


def bytes_from_hex(text: str) -> bytes:
    """``bytes.fromhex(text)``"""
    out: list[int] = []
    at = 0
    while at < len(text):
        if text[at] in " \t\n\r\x0b\x0c":
            at += 1
            continue
        high = "0123456789abcdef".find(text[at].lower()) if text[at].isascii() else -1
        if high < 0:
            raise ValueError(f"non-hexadecimal number found in fromhex() arg at position {at}")
        at += 1
        low = "0123456789abcdef".find(text[at].lower()) if at < len(text) and text[at].isascii() else -1
        if low < 0:
            raise ValueError(f"non-hexadecimal number found in fromhex() arg at position {at}")
        at += 1
        out.append(high << 4 | low)
    return bytes(out)


def hex_with(data: bytes, separator: str) -> str:
    """``data.hex(separator)``"""
    if len(separator) != 1:
        raise ValueError("sep must be length 1.")
    return separator.join([f"{byte:02x}" for byte in data])
