"""`sha256`, with the library that computes it imported at the first call: it is one of cryptography, and large."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hashlib import _Hash


def sha256(data: bytes = b"") -> _Hash:
    """`hashlib.sha256`."""
    import hashlib

    return hashlib.sha256(data)
