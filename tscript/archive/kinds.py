"""Whether a file is an archive of tscript or of TorchScript: its first member decides once which reader takes it."""

from __future__ import annotations

import os
import stat

from tscript.archive.container import LOCAL, MAX_NAME, Data

_FIRST = ("data.pkl", "data", "code", "constants.pkl", "constants", "extra", "version", "byteorder", "traced_inputs")


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


def is_torchscript_file(path: str | os.PathLike[str]) -> bool:
    """`is_torchscript` of a file; False for what is no plain file.

    Raises:
        OSError: It cannot be read.
    """
    if not stat.S_ISREG(os.stat(path).st_mode):  # before it is opened: a pipe can be opened once
        return False
    with open(path, "rb") as file:
        return is_torchscript(file.read(LOCAL.size + MAX_NAME))
