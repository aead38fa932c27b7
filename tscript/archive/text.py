"""JSON and text out of archives, read within a budget.

What a text becomes in memory is far larger than the text: a list of nothing takes 3 bytes in a file and 64 in memory.
So what would become many values is counted before it is read.
"""

from __future__ import annotations

import json
from typing import Any, NoReturn

from tscript.diagnostics.archives import ArchiveError

MAX_JSON_BYTES = 1 << 26
"""Bytes of one JSON text."""
MAX_JSON_VALUES = 1 << 20
"""Values in one JSON text; also at most one for each byte of the file, as its writer's objects are larger than that."""
MAX_JSON_LEVELS = 200
"""Lists and objects inside each other."""
MAX_DIGITS = 20
"""Of an integer: those of larger numbers are kept as texts of at most `tscript.ir.signatures.MAX_NUMBER` digits."""

_LONG = b"0" * (MAX_DIGITS + 1)
_ZEROS = bytes.maketrans(b"123456789", b"000000000")
_OTHERS = bytes(sorted(set(range(256)) - set(b"[]{},:")))
_BRACKETS = bytes.maketrans(b"{}", b"[]")


def parse_json(content: bytes, name: str, path: str, file_size: int) -> Any:
    """What a JSON text says.

    Args:
        content: The text.
        name: The member it comes from, for messages.
        path: The file, for messages.
        file_size: Bytes of the file.

    Raises:
        ArchiveError: It is no JSON, or more of it than is accepted.
    """
    if len(content) > MAX_JSON_BYTES:
        raise ArchiveError(f"{name} has {len(content):,} bytes, {MAX_JSON_BYTES:,} are accepted", path)
    rest = _without_strings(content)
    signs = rest.translate(None, _OTHERS)
    values = 1 + len(signs) - signs.count(b"]") - signs.count(b"}")
    allowed = min(MAX_JSON_VALUES, max(file_size, 1000))
    if values > allowed:
        raise ArchiveError(f"{name} has up to {values:,} values, {allowed:,} are accepted in a file of this size", path)
    if _is_deep(signs.translate(_BRACKETS, b":,")):
        raise ArchiveError(f"{name} has more than {MAX_JSON_LEVELS} levels", path)
    try:
        # Integers are read faster where nobody has to look at each.
        check = _integer if _LONG in rest.translate(_ZEROS) else None
        return json.loads(content.decode(), parse_int=check, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise ArchiveError(f"{name} is not valid JSON: {error}", path) from None


def _without_strings(content: bytes) -> bytes:
    """The text outside of strings: without escapes each quote begins or ends one. What follows a backslash outside of
    strings is not read."""
    if b"\\" in content:
        content = content.replace(b"\\\\", b"").replace(b'\\"', b"")
    return b"".join(content.split(b'"')[::2])


def _is_deep(brackets: bytes) -> bool:
    """Whether there are more levels than are accepted: each round takes away the innermost one."""
    for _ in range(MAX_JSON_LEVELS):
        if b"[]" not in brackets:
            break
        brackets = brackets.replace(b"[]", b"")
    return b"[]" in brackets or b"[" * (MAX_JSON_LEVELS + 1) in brackets


def _integer(text: str) -> int:
    if len(text) > MAX_DIGITS:
        raise ValueError(f"a number of {len(text):,} digits, {MAX_DIGITS} are accepted")
    return int(text)


def _no_number(text: str) -> NoReturn:
    raise ValueError(f"{text} is not a number")
