"""``tscript compile``: functions of a file into an archive."""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

from tscript.cli.arguments import pairs, parse_signature, read, split_source
from tscript.cli.errors import UsageError
from tscript.cli.libraries import Imports
from tscript.cli.output import check_output, write
from tscript.cli.parameters import Argument, Option


def compile_(
    source: Annotated[str, Argument(metavar="FILE.py[:NAME]", help="The file, or one function of it.")],
    output: Annotated[Path, Option("-o", "--output", help="The archive to write.")],
    native: Annotated[
        list[str] | None,
        Option(
            metavar="MACHINE,…",
            help="Also add object code: for `host`, this machine, x86-64-v2, x86-64-v3, x86-64-v4, aarch64.",
        ),
    ] = None,
    observed: Annotated[
        bool, Option("--observed", help="With --native: code that callbacks can observe, too, operator by operator.")
    ] = False,
    signature: Annotated[
        list[str] | None,
        Option(
            help="What to compile ahead for, types, or values where types depend on them: "
            "'train(Tensor[float32, 2], int, True)'. Repeat for several."
        ),
    ] = None,
    meta: Annotated[
        list[str] | None,
        Option(metavar="KEY=VALUE", help="A string to keep in the archive. Repeat for several."),
    ] = None,
    extra: Annotated[
        list[str] | None,
        Option(metavar="NAME=PATH", help="A file to keep in the archive, as extra/NAME. Repeat for several."),
    ] = None,
    args: Annotated[
        str | None,
        Option("--args", metavar="ARGS", help="Run the file: NAME makes a module of these literals, '64, bias=False'."),
    ] = None,
    weights: Annotated[
        Path | None,
        Option(
            "--weights", metavar="FILE", help="Run the file: NAME makes a module, which loads .safetensors or .npz."
        ),
    ] = None,
    quiet: Annotated[bool, Option("-q", "--quiet", help="Print nothing.")] = False,
    imports: Imports = None,
) -> None:
    """Compile a file's scripted functions into an archive, or a module. A file with functions is not run.

    NAME is a module if it is a class of modules, or a function that is annotated to return one: then the file is run
    and NAME is called, with --args, and the module gets the tensors of --weights. A module of a class is in evaluation
    mode.

    Example: tscript compile model.py -o model.tsa --native host --signature 'f(Tensor[float32, 1])'
    """
    from tscript.api import SignatureError, archive_of, functions_of_file, log_archive_metadata
    from tscript.archive import ArchiveError, ExtraFileError, checked_metadata, pack_parts
    from tscript.cli.modules import made_module, makes_module
    from tscript.runtime.session.ahead import machines
    from tscript.runtime.session.scripted import scripted_of
    from tscript.upper import Modules

    started = time.perf_counter()
    try:
        names = machines(native or ())
    except ValueError as error:
        raise UsageError(f"--native: {error}") from None
    try:
        metadata = checked_metadata(pairs("--meta", meta, "KEY=VALUE"))
    except ArchiveError as error:
        raise UsageError(f"--meta: {error.what}") from None
    extra_files = {kept: read(Path(file)) for kept, file in pairs("--extra", extra, "NAME=PATH").items()}
    path, name = split_source(source)
    check_output(output)
    module = None
    if args is not None or weights is not None or makes_module(path, name):
        if name is None:
            raise UsageError(
                "--args and --weights are for FILE.py:NAME, where NAME is a class or function that makes a module"
            )
        module = made_module(path, name, args, weights)
    functions = functions_of_file(path, name) if module is None else {}
    if not functions and module is None:
        raise UsageError(f"{path}: has no functions")
    signatures = [parse_signature(text) for text in signature or ()]
    for wanted, _ in signatures:
        if wanted is not None and wanted not in functions and module is None:
            raise UsageError(f"--signature {wanted}(…): {path} has no such function, only {', '.join(functions)}")
    if observed and not native:
        raise UsageError("--observed names a kind of object code: add --native host")
    if (
        signatures
        and not native
        and module is None
        and not any(scripted_of(function).versions for function in functions.values())
    ):
        raise UsageError("--signature names types to compile ahead for: add --native host")
    try:
        with _shown_warnings():
            archive = (archive_of if module is None else Modules.archived)(
                functions if module is None else module,
                native=names,
                observed=observed,
                signatures=signatures,
                metadata=metadata,
                extra_files=extra_files,
            )
        parts = pack_parts(archive)
    except SignatureError as error:
        raise UsageError(f"--signature: {error}") from None
    except ExtraFileError as error:
        raise UsageError(f"--extra: {error.what}") from None
    log_archive_metadata("tscript.cli.compile", archive)
    write(output, parts)
    if not quiet:
        objects = sum(not native.observed for e in archive.entries.values() for native in e.native)
        count = len(functions) if archive.modules is None else len(archive.modules.instances)
        what = f"{count} {'function' if archive.modules is None else 'module'}{'s' * (count > 1)}"
        what += f", {objects} native specialisation{'s' * (objects > 1)}" if objects else ""
        what += f" for {', '.join(names)}" if len(names) > 1 else ""
        what += f", {len(archive.extra)} extra file{'s' * (len(archive.extra) > 1)}" if archive.extra else ""
        print(f"{output}  {what}, {sum(map(len, parts)):,} bytes, {time.perf_counter() - started:.1f} s")


@contextmanager
def _shown_warnings() -> Iterator[None]:
    """Print warnings in the manner of this command; one that a filter makes an error ends it."""
    from tscript.archive import ExportHookWarning

    with warnings.catch_warnings(record=True) as caught:
        try:
            yield
        except ExportHookWarning as error:
            raise UsageError(str(error)) from None
        finally:
            for warning in caught:
                print(f"warning: {warning.message}", file=sys.stderr)
