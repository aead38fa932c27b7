"""`ArchiveError`: whatever is wrong with an archive. `ExtraFileError`: with the files users put into one."""

from __future__ import annotations


class ArchiveError(ValueError):
    """The bytes are not an archive this version can read: truncated, altered, of a later format, breaking a format
    rule.

    Args:
        what: What was found and what was expected.
        path: The file, where there is one.
    """

    def __init__(self, what: str, path: str = "") -> None:
        super().__init__(f"{path}: {what}" if path else what)
        self.what = what
        self.path = path

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), (self.what, self.path))


class ExtraFileError(ArchiveError):
    """An extra file cannot be kept or given: its name breaks a rule or clashes, the archive has none of that name, or
    it was asked for as text and is none.
    """


class ExportHookWarning(RuntimeWarning):
    """The hook for extra files failed, or named a file that the caller of `save` names too; the archive is written.

    Turned into an error by a filter (``warnings.simplefilter("error", tscript.ExportHookWarning)``) it fails the save
    instead, and nothing is written.
    """


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
