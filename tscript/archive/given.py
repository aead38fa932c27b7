"""`Given`: an archive as it is given to `load`, a path or a file object; `write_to` writes to either."""

from __future__ import annotations

import os
from collections.abc import Iterable
from io import TextIOBase
from typing import Any, BinaryIO

from tscript.archive.container import write_atomically
from tscript.late import dataclass, field


@dataclass(frozen=True, slots=True)
class Given:
    """An archive that is to be read.

    Attributes:
        name: Its path; of a file object without one, what it is, for messages.
        content: What the file object holds; None of a path, whose file is opened when it is read.
    """

    name: str
    content: bytes | None = field(default=None, repr=False)

    @staticmethod
    def of(file: str | os.PathLike[str] | BinaryIO | Given) -> Given:
        """What is given as a path, or as a file object, which is read from its position to its end.

        Raises:
            TypeError: It is neither, or gives text.
            OSError: It cannot be read.
        """
        if isinstance(file, Given):
            return file
        if isinstance(file, str | bytes | os.PathLike):
            return Given(os.fsdecode(file))
        read: Any = getattr(file, "read", None)
        if read is None or isinstance(file, TextIOBase):
            raise TypeError(_expected(file, "reading", "rb"))
        content = read()
        if not isinstance(content, bytes | bytearray | memoryview):
            raise TypeError(_expected(file, "reading", "rb"))
        name = getattr(file, "name", None)
        return Given(name if isinstance(name, str) else f"<{type(file).__name__}>", bytes(content))


def write_to(file: str | os.PathLike[str] | BinaryIO, parts: Iterable[bytes | memoryview]) -> None:
    """Write the parts of an archive to a path, whole or not at all, or to a file object from its position on.

    Raises:
        TypeError: It is neither, or takes text.
        OSError: It cannot be written.
    """
    if isinstance(file, str | bytes | os.PathLike):
        write_atomically(file, parts)
        return
    write: Any = getattr(file, "write", None)
    if write is None or isinstance(file, TextIOBase):
        raise TypeError(_expected(file, "writing", "wb"))
    for part in parts:
        rest = memoryview(part)
        while rest:  # an unbuffered file may take less than it is given
            written = write(rest)
            rest = rest[written if isinstance(written, int) else len(rest) :]


def _expected(file: object, doing: str, mode: str) -> str:
    what = "a file of text" if isinstance(file, TextIOBase) or hasattr(file, "read") else f"'{type(file).__name__}'"
    return f"expected a path, or a file that is open for {doing} bytes, not {what}: open(path, {mode!r})"
