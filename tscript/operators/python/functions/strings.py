"""Methods of strings that take several strings or a table."""

from __future__ import annotations


def refused_value(message: str) -> str:
    """``"%d" % value`` of a value that it does not take."""
    raise TypeError(message)


def in_ascii(text: str) -> str:
    """A string with escapes for all that is not ASCII."""
    return text if text.isascii() else "".join([c if c.isascii() else ascii(c)[1:-1] for c in text])


def starts_with_any(text: str, prefixes: tuple[str, ...], start: int | None, end: int | None) -> bool:
    """``text.startswith(prefixes, start, end)``"""
    return any(text.startswith(prefix, start, end) for prefix in prefixes)


def ends_with_any(text: str, suffixes: tuple[str, ...], start: int | None, end: int | None) -> bool:
    """``text.endswith(suffixes, start, end)``"""
    return any(text.endswith(suffix, start, end) for suffix in suffixes)


def bytes_start_with_any(text: bytes, prefixes: tuple[bytes, ...], start: int | None, end: int | None) -> bool:
    """``text.startswith(prefixes, start, end)``"""
    return any(text.startswith(prefix, start, end) for prefix in prefixes)


def bytes_end_with_any(text: bytes, suffixes: tuple[bytes, ...], start: int | None, end: int | None) -> bool:
    """``text.endswith(suffixes, start, end)``"""
    return any(text.endswith(suffix, start, end) for suffix in suffixes)


def make_table(old: str, new: str) -> dict[int, int]:
    """``str.maketrans(old, new)``"""
    if len(old) != len(new):
        raise ValueError("the first two maketrans arguments must have equal length")
    out: dict[int, int] = {}
    for i in range(len(old)):
        out[ord(old[i])] = ord(new[i])
    return out


def make_table_without(old: str, new: str, gone: str) -> dict[int, int | None]:
    """``str.maketrans(old, new, gone)``"""
    if len(old) != len(new):
        raise ValueError("the first two maketrans arguments must have equal length")
    out: dict[int, int | None] = {}
    for i in range(len(old)):
        out[ord(old[i])] = ord(new[i])
    for c in gone:
        out[ord(c)] = None
    return out


def _key(text: str) -> int:
    if len(text) != 1:
        raise ValueError("string keys in translate table must be of length 1")
    return ord(text)


def table_of_strings(given: dict[str, str]) -> dict[int, str]:
    """``str.maketrans(given)``"""
    return {_key(k): v for k, v in given.items()}


def table_of_optional_strings(given: dict[str, str | None]) -> dict[int, str | None]:
    """``str.maketrans(given)``"""
    return {_key(k): v for k, v in given.items()}


def translate_points(text: str, table: dict[int, int]) -> str:
    """``text.translate(table)``"""
    return "".join([chr(table.get(ord(c), ord(c))) for c in text])


def translate_some_points(text: str, table: dict[int, int | None]) -> str:
    """``text.translate(table)``"""
    out: list[str] = []
    for c in text:
        if ord(c) in table:
            point = table[ord(c)]
            if point is not None:
                out.append(chr(point))
        else:
            out.append(c)
    return "".join(out)


def translate_strings(text: str, table: dict[int, str]) -> str:
    """``text.translate(table)``"""
    return "".join([table.get(ord(c), c) for c in text])


def translate_optional_strings(text: str, table: dict[int, str | None]) -> str:
    """``text.translate(table)``"""
    out: list[str] = []
    for c in text:
        if ord(c) in table:
            found = table[ord(c)]
            if found is not None:
                out.append(found)
        else:
            out.append(c)
    return "".join(out)
