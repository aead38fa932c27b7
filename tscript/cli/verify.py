"""``tscript verify``: whether archives are whole and keep the rules of the format."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from tscript.cli.arguments import read_archive
from tscript.cli.errors import Exit, UsageError
from tscript.cli.libraries import Imports
from tscript.cli.parameters import Argument, Option

if TYPE_CHECKING:
    from tscript.archive import Archive
    from tscript.definitions.table import OperatorTable


def verify(
    paths: Annotated[list[Path], Argument(metavar="ARCHIVE...", help="The archives.")],
    as_json: Annotated[bool, Option("--json", help="Print one JSON document.")] = False,
    quiet: Annotated[bool, Option("-q", "--quiet", help="Print problems only.")] = False,
    imports: Imports = None,
) -> None:
    """Check the structure and all digests of archives, and that their IR is valid: exit code 3 when one fails.

    Nothing of an archive is run. Who wrote it is not checked: digests are no signature.

    Example: tscript verify model.tsa
    """
    from tscript.archive import ArchiveError, MissingOperatorError
    from tscript.operators.table import TABLE

    table = TABLE
    if imports:
        from tscript.runtime.session.process import current

        table = current().compiler.table
    report: list[dict[str, object]] = []
    for path in paths:
        if not path.exists():
            raise UsageError(f"{path}: no such file")
    for path in paths:
        try:
            what = _verify(path, table)
            problem = None
        except ArchiveError as error:
            what, problem = {}, error.what
            if isinstance(error, MissingOperatorError):
                problem += ", with --import MODULE"
            print(f"error: {path}: {problem}", file=sys.stderr)
        counted = {f"{name}s": count for name, count in what.items()}
        report.append({"archive": str(path), "valid": problem is None, "problem": problem, **counted})
        if problem is None and not as_json and not quiet:
            counts = [f"{count} {name.replace('_', ' ')}{'s' * (count != 1)}" for name, count in what.items()]
            print(f"{path}  {', '.join(counts)}: valid")
    if as_json:
        print(json.dumps(report, indent=1))
    sys.exit(Exit.OK if all(item["valid"] for item in report) else Exit.ARCHIVE)


def _verify(path: Path, table: OperatorTable) -> dict[str, int]:
    """How many of what the archive holds, all of it read.

    Raises:
        ArchiveError: Something is wrong with it.
    """
    archive: Archive = read_archive(path)
    for entry in archive.entries.values():
        entry.program(table)
    for file in (*archive.extra.values(), *archive.unused.values()):
        file.read()
    return {
        "function": len(archive.entries),
        "native_object": sum(len(entry.native) for entry in archive.entries.values()),
        "kernel": sum(len(kernels.kernels) for kernels in archive.kernels),
        "extra_file": len(archive.extra),
    }
