"""``tscript extract``: an extra file out of an archive."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

from tscript.cli.arguments import read_archive
from tscript.cli.errors import UsageError
from tscript.cli.output import check_output, write
from tscript.cli.parameters import Argument, Option


def extract(
    path: Annotated[Path, Argument(metavar="ARCHIVE", help="The archive.")],
    name: Annotated[
        str,
        Argument(
            metavar="NAME", help="The extra file, as `tscript inspect` names it; or constants/tensors.safetensors."
        ),
    ],
    output: Annotated[
        Path | None,
        Option("-o", "--output", help="Where to put it; `-` is stdout. Otherwise here, under its base name."),
    ] = None,
    force: Annotated[bool, Option("--force", help="Replace a file that is there.")] = False,
    quiet: Annotated[bool, Option("-q", "--quiet", help="Print nothing.")] = False,
) -> None:
    """Take an extra file out of an archive.

    Example: tscript extract model.tsa docs/readme.txt -o readme.txt
    """
    to_stdout = output == Path("-")
    target = output or Path(name.rpartition("/")[2])
    from tscript.archive.weights import WEIGHTS

    archive = read_archive(path)
    found = {
        **archive.extra,
        **{n: f for n, f in archive.unused.items() if n == WEIGHTS and archive.modules is not None},
    }
    if name not in found:
        there = f"only {', '.join(found)}" if found else "it has none"
        raise UsageError(f"{path} has no extra file {name!r}, {there}")
    if not to_stdout:
        if os.path.lexists(target) and not force:
            raise UsageError(f"{target}: exists already, --force replaces it")
        check_output(target)
    content = found[name].read()
    if to_stdout:
        sys.stdout.buffer.write(content)
        return
    write(target, content, replace=force)
    if not quiet:
        print(f"{target}  {len(content):,} bytes")
