"""Whether a file is an archive of tscript or of TorchScript: its first member decides once which reader takes it."""

from __future__ import annotations

import os
import stat

from tscript.archive.container import LOCAL, MAX_NAME, Data
from tscript.archive.given import Given

_FIRST = ("data.pkl", "data", "code", "constants.pkl", "constants", "extra", "version", "byteorder", "traced_inputs")


MAX_FIRST = LOCAL.size + MAX_NAME
"""Bytes of a file that say what it is, at most."""


def is_tscript(data: bytes) -> bool:
    """Whether a file that begins like this is an archive of tscript: its first member is the manifest."""
    if len(data) < LOCAL.size or data[:4] != b"PK\3\4":
        return False
    return data[LOCAL.size : LOCAL.size + LOCAL.unpack(data[: LOCAL.size])[9]] == b"manifest.json"


def is_torchscript(data: Data) -> bool:
    """Whether the first member of a file says that it is of TorchScript (or of `torch.save`): it lies in a folder, as
    ``model/data.pkl`` does. This decides once which reader takes the file."""
    if len(data) < LOCAL.size or data[:4] != b"PK\3\4":
        return False
    length = LOCAL.unpack(data[: LOCAL.size])[9]
    name = data[LOCAL.size : LOCAL.size + length].decode("utf-8", "replace")
    folder, _, rest = name.partition("/")
    first = rest.partition("/")[0]
    return bool(folder) and (first in _FIRST or first.startswith("."))


def is_torchscript_file(path: str | os.PathLike[str] | Given) -> bool:
    """`is_torchscript` of a file, or of what a file object held; False for what is no plain file.

    Raises:
        OSError: It cannot be read.
    """
    if isinstance(path, Given):
        if path.content is not None:
            return is_torchscript(path.content)
        path = path.name
    if not stat.S_ISREG(os.stat(path).st_mode):  # before it is opened: a pipe can be opened once
        return False
    with open(path, "rb") as file:
        return is_torchscript(file.read(MAX_FIRST))
