"""Archives: bytes to IR and back. Never compiles and never runs anything of a file."""

from tscript.archive.container import write_atomically
from tscript.archive.entries import (
    Archive,
    EntryPoint,
    Kernels,
    NativeKernel,
    NativeObject,
    OperatorNeed,
)
from tscript.archive.extra import ExtraFile, checked_files, checked_metadata, gather, set_export_extra_files_hook
from tscript.archive.format import (
    FORMAT_VERSION,
    entry_point,
    pack,
    pack_parts,
    read_archive,
    refuse_python,
    unpack,
    write_archive,
)
from tscript.archive.given import Given
from tscript.archive.paths import ArchivePath
from tscript.diagnostics.archives import ArchiveError, ExportHookWarning, ExtraFileError, MissingOperatorError

__all__ = [
    "FORMAT_VERSION",
    "Archive",
    "ArchiveError",
    "ArchivePath",
    "EntryPoint",
    "ExportHookWarning",
    "ExtraFile",
    "ExtraFileError",
    "Given",
    "Kernels",
    "MissingOperatorError",
    "NativeKernel",
    "NativeObject",
    "OperatorNeed",
    "checked_files",
    "checked_metadata",
    "entry_point",
    "gather",
    "pack",
    "pack_parts",
    "read_archive",
    "refuse_python",
    "set_export_extra_files_hook",
    "unpack",
    "write_archive",
    "write_atomically",
]
