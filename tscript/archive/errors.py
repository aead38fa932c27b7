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


class MissingOperatorError(ArchiveError):
    """An archive uses an operator that is not built in and not defined here.

    Args:
        what: Names the operator, its library, and how to get that.
        path: The file, where there is one.
        operator: ``mylib::name``.
        library: The library that defines it.
    """

    def __init__(self, what: str, path: str = "", operator: str = "", library: str = "") -> None:
        super().__init__(what, path)
        self.operator = operator
        self.library = library

    def __reduce__(self) -> tuple[object, ...]:
        return (MissingOperatorError, (self.what, self.path, self.operator, self.library))
