"""``tscript import``: a model of TorchScript into an archive."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

from tscript.cli.errors import UsageError
from tscript.cli.output import check_output
from tscript.cli.parameters import Argument, Option


def import_(
    path: Annotated[Path, Argument(metavar="MODEL.pt", help="What torch.jit.save wrote.")],
    output: Annotated[Path | None, Option("-o", "--output", help="The archive to write.")] = None,
    report: Annotated[bool, Option("--report", help="Print which operators it uses, and which are missing.")] = False,
    strict: Annotated[
        bool, Option("--strict", help="Refuse operators that are missing, even where they are never reached.")
    ] = False,
    force: Annotated[bool, Option("--force", help="Replace a file that is there.")] = False,
    quiet: Annotated[bool, Option("-q", "--quiet", help="Print nothing.")] = False,
) -> None:
    """Bring a model of TorchScript over. PyTorch is not needed, and nothing of the file is run.

    Example: tscript import model.pt -o model.tsa --report
    """
    import tscript
    from tscript.diagnostics.archives import ArchiveError
    from tscript.upper import Modules

    if output is None and not report:
        raise UsageError("say where the archive goes with -o, or ask for --report")
    if output is not None:
        if os.path.lexists(output) and not force:
            raise UsageError(f"{output}: exists already, --force replaces it")
        check_output(output)
    if not path.is_file():
        raise UsageError(f"{path}: no such file")
    load = tscript.load
    found = Modules.reported(str(path)) if report or strict else None
    if report and not quiet:
        print(found)
    if strict and found is not None and found.missing:
        raise ArchiveError(f"it uses operators that tscript does not have: {', '.join(found.missing)}", str(path))
    if output is None:
        return
    tscript.save(load(path), output)
    if not quiet:
        print(f"{output}  {output.stat().st_size:,} bytes")
