"""`ArchiveError`: whatever is wrong with an archive."""

from __future__ import annotations


class ArchiveError(ValueError):
    """The bytes are not an archive this version can read: truncated, altered, of a later format, breaking a format rule.

    Args:
        what: What was found and what was expected.
        path: The file, where there is one.
    """

    def __init__(self, what: str, path: str = "") -> None:
        super().__init__(f"{path}: {what}" if path else what)
        self.what = what
        self.path = path

    def __reduce__(self) -> tuple[object, ...]:
        return (ArchiveError, (self.what, self.path))
