"""``tscript compile``: functions of a file into an archive."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from tscript.cli.arguments import parse_signature, split_source
from tscript.cli.errors import UsageError
from tscript.cli.libraries import Imports
from tscript.cli.output import check_output, write


def compile_(
    source: Annotated[str, typer.Argument(metavar="FILE.py[:NAME]", help="The file, or one function of it.")],
    output: Annotated[Path, typer.Option("-o", "--output", help="The archive to write.")],
    native: Annotated[list[str] | None, typer.Option(help="Also add object code; `host` is this machine.")] = None,
    signature: Annotated[
        list[str] | None,
        typer.Option(help="Types to compile ahead: 'train(Tensor[float32, 2], int)'. Repeat for several."),
    ] = None,
    meta: Annotated[
        list[str] | None, typer.Option(metavar="KEY=VALUE", help="A string to keep in the archive.")
    ] = None,
    quiet: Annotated[bool, typer.Option("-q", "--quiet", help="Print nothing.")] = False,
    imports: Imports = None,
) -> None:
    """Compile a file's scripted functions into an archive. The file is not run.

    Example: tscript compile model.py -o model.tsa --native host --signature 'f(Tensor[float32, 1])'
    """
    from tscript.api import SignatureError, archive_of, functions_of_file
    from tscript.archive import pack

    started = time.perf_counter()
    if unknown := [target for target in native or () if target != "host"]:
        raise UsageError(f"--native {unknown[0]}: only `host` can be compiled for")
    path, name = split_source(source)
    check_output(output)
    functions = functions_of_file(path, name)
    if not functions:
        raise UsageError(f"{path}: has no functions")
    signatures = [parse_signature(text) for text in signature or ()]
    for wanted, _ in signatures:
        if wanted is not None and wanted not in functions:
            raise UsageError(f"--signature {wanted}(…): {path} has no such function, only {', '.join(functions)}")
    if signatures and not native:
        raise UsageError("--signature names types to compile ahead for: add --native host")
    metadata = dict(_pair(text) for text in meta or ())
    try:
        archive = archive_of(functions, native=bool(native), signatures=signatures, metadata=metadata)
    except SignatureError as error:
        raise UsageError(f"--signature: {error}") from None
    data = pack(archive)
    write(output, data)
    if not quiet:
        objects = sum(len(e.native) for e in archive.entries.values())
        what = f"{len(functions)} function{'s' * (len(functions) > 1)}"
        what += f", {objects} native specialisation{'s' * (objects > 1)}" if objects else ""
        print(f"{output}  {what}, {len(data):,} bytes, {time.perf_counter() - started:.1f} s")


def _pair(text: str) -> tuple[str, str]:
    key, sign, value = text.partition("=")
    if not sign or not key:
        raise UsageError(f"--meta {text!r}: expected KEY=VALUE")
    return key, value
