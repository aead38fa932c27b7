"""Archives: bytes to IR and back. Never compiles and never runs anything of a file."""

from tscript.archive.container import write_atomically
from tscript.archive.errors import ArchiveError, MissingOperatorError
from tscript.archive.format import (
    FORMAT_VERSION,
    Archive,
    EntryPoint,
    NativeObject,
    OperatorNeed,
    entry_point,
    pack,
    unpack,
)

__all__ = [
    "FORMAT_VERSION",
    "Archive",
    "ArchiveError",
    "EntryPoint",
    "MissingOperatorError",
    "NativeObject",
    "OperatorNeed",
    "entry_point",
    "pack",
    "unpack",
    "write_atomically",
]
