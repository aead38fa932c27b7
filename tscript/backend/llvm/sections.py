"""LLVM modules with a section for each function and each constant.

A linker may leave out or share what has a section of its own. What is written to stays where it is.
"""

from __future__ import annotations

import re

CONSTANT = "c."
"""Begins the names of sections of constants; those of functions begin with ``t.``."""

_FUNCTION = re.compile(r"^(define .*?) \{$", re.MULTILINE)
_CONSTANT = re.compile(r"^(@\S+ = (?:private|internal) (?:unnamed_addr )?constant .*?)(, align \d+)?$", re.MULTILINE)


def sectioned(text: str) -> str:
    """A module with a section for each function and each constant.

    Example:
        >>> print(sectioned("define void @f() {\\n  ret void\\n}"))
        define void @f() section "t.0" {
          ret void
        }
    """
    count = iter(range(1 << 30))
    text = _FUNCTION.sub(lambda m: f'{m[1]} section "t.{next(count)}" {{', text)
    return _CONSTANT.sub(lambda m: f'{m[1]}, section "{CONSTANT}{next(count)}"{m[2] or ""}', text)


__all__ = ["CONSTANT", "sectioned"]
