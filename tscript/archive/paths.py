"""`ArchivePath`: an archive by its path and the SHA-256 of its content."""

from __future__ import annotations

import hashlib
import os

from tscript.diagnostics.archives import ArchiveError
from tscript.late import dataclass


@dataclass(frozen=True, slots=True)
class ArchivePath:
    """An archive that pickles name.

    Attributes:
        path: The file, absolute.
        sha256: Of its bytes, in hex.
    """

    path: str
    sha256: str

    @staticmethod
    def of(path: str | os.PathLike[str]) -> ArchivePath:
        """The archive at a path, as it is now.

        Raises:
            OSError: It cannot be read.
        """
        return ArchivePath(os.path.abspath(os.fsdecode(path)), hashlib.sha256(_bytes_of(path)).hexdigest())

    def read(self) -> bytes:
        """Its bytes.

        Raises:
            ArchiveError: They are others now.
            OSError: It cannot be read.
        """
        data = _bytes_of(self.path)
        found = hashlib.sha256(data).hexdigest()
        if found != self.sha256:
            raise ArchiveError(
                f"it is not the archive that was pickled, whose SHA-256 is {self.sha256}; this one has {found}",
                self.path,
            )
        return data


def _bytes_of(path: str | os.PathLike[str]) -> bytes:
    with open(path, "rb") as file:
        return file.read()
