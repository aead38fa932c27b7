"""What this Python says of code points, as the kernels of strings read it: pages of 256 records.

A record is five ints: flags, then the code point in upper, lower, title and folded case, each up to three code points
of 21 bits. A page is made when a kernel first asks for it, so strings of ASCII cost nothing.
"""

from __future__ import annotations

RECORD = 5
UPPER, LOWER, TITLE, FOLD = 1, 2, 3, 4
"""Fields of a record behind the flags, which come first."""

ALPHA, DECIMAL, DIGIT, NUMERIC, SPACE, UPPERCASE, LOWERCASE, TITLECASE = (1 << i for i in range(8))
START, IDENTIFIER, PRINTABLE, LINE, CASED, IGNORABLE = (1 << i for i in range(8, 14))
"""Flags. `START` and `IDENTIFIER` say where in an identifier a code point may stand; `CASED` and `IGNORABLE` are what
Unicode calls so, `IGNORABLE` without those that are both and count as letters."""

PAGES = 0x110000 // 256


def packed(text: str) -> int:
    """Up to three code points as one number.

    Example:
        >>> hex(packed("ab"))
        '0xc400061'
    """
    return sum(ord(c) << 21 * i for i, c in enumerate(text))


def _flags(chars: list[str]) -> list[int]:
    """The flags of code points. What `str` has no method for is read off what its other methods do beside them."""
    found = [0] * len(chars)
    methods = (
        str.isalpha, str.isdecimal, str.isdigit, str.isnumeric, str.isspace, str.isupper, str.islower,
        lambda c: c.istitle() and not c.isupper(), str.isidentifier, lambda c: ("a" + c).isidentifier(),
        str.isprintable,
        lambda c: len((c + "a").splitlines()) > 1, lambda c: (c + "a").title()[-1] == "a",
        lambda c: ("a" + c + _SIGMA).lower()[-1] == _FINAL and (c + _SIGMA).lower()[-1] != _FINAL,
    )  # fmt: skip
    for flag, method in enumerate(methods):
        found = [before | has << flag for before, has in zip(found, map(method, chars), strict=True)]
    return found


_SIGMA, _FINAL = "\u03a3", "\u03c2"


def records(page: int) -> list[int]:
    """The records of a page, one after the other.

    Example:
        >>> [chr(records(0)[0xDF * RECORD + TITLE] >> 21 * i & 0x1FFFFF) for i in (0, 1)]
        ['S', 's']
    """
    chars = list(map(chr, range(256 * page, 256 * page + 256)))
    columns = [_flags(chars)]
    for method in (str.upper, str.lower, str.title, str.casefold):
        columns.append(
            [ord(c) if c == other else packed(other) for c, other in zip(chars, map(method, chars), strict=True)]
        )
    return [value for record in zip(*columns, strict=True) for value in record]
