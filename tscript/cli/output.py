"""Files that commands write: checked before the work begins, put in place when it is done."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from tscript.cli.errors import UsageError


def check_output(path: Path) -> None:
    """Make sure that `path` can be written, before time is spent on what goes there.

    Raises:
        UsageError: It is a folder or device, or its folder does not exist or cannot be written to.
    """
    folder = path.parent
    if path.exists() and not path.is_file():
        raise UsageError(f"{path}: not a plain file, it will not be replaced")
    if not folder.is_dir():
        raise UsageError(f"{path}: there is no folder {folder}")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise UsageError(f"{path}: the folder {folder} cannot be written to")


def write(path: Path, data: bytes | Iterable[bytes | memoryview], *, replace: bool = True) -> None:
    """Put `data`, or all its parts, at `path`, whole or not at all.

    Raises:
        UsageError: The disk refuses, or there is a file and `replace` is false; what was there stays.
    """
    from tscript.archive.container import write_atomically

    try:
        write_atomically(path, data, replace=replace)
    except OSError as error:
        raise UsageError(f"{path}: cannot be written: {error.strerror or error}") from None
