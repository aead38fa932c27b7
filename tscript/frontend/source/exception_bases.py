"""Exception classes with several bases: `class ShapeError(PackageError, ValueError)`.

One base holds the attributes and methods, of the others only what they are counts: they are builtin, and one of them
derives from all others. Where Python would take a method of a builtin class that stands in front, the class is refused.
"""

from __future__ import annotations

from collections.abc import Sequence

from tscript.abi.exceptions import beside, is_exception
from tscript.frontend.source.classes import ClassDefinition
from tscript.types import ClassInfo

HIDDEN = ("__init__", "__new__", "__str__", "__repr__")
"""Methods that builtin exception classes have themselves."""


def main_base(
    bases: Sequence[ClassDefinition | ClassInfo],
) -> tuple[ClassDefinition | ClassInfo, ClassInfo | None] | None:
    """The base of an exception class, and what it derives from besides (`ClassInfo.beside`).

    Args:
        bases: In the order in which they are written; builtin ones as a `ClassInfo`.

    Returns:
        None if they cannot be combined.
    """
    written = [b for b in bases if isinstance(b, ClassDefinition)]
    builtin = [b for b in bases if isinstance(b, ClassInfo)]
    if not written:
        base = max(builtin, key=lambda b: len(b.bases))
        return (base, None) if all(base.derives_from(b) for b in builtin) else None
    if not all(is_exception(b.type) for b in written):
        return None
    first = max(written, key=lambda b: len(b.info.bases))
    if not all(first.info.derives_from(b.info) for b in written):
        return None
    for other in bases[: bases.index(first)]:
        hides = isinstance(other, ClassInfo) and not first.info.derives_from(other)
        if hides and any(first.method(name) is not None for name in HIDDEN):
            return None
    try:
        return first, beside(first.info, builtin)
    except ValueError:
        return None


__all__ = ["main_base"]
