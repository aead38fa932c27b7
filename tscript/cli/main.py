"""The entry point of the ``tscript`` command and the table of its verbs."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from tscript._version import __version__
from tscript.cli.check import check
from tscript.cli.compile import compile_
from tscript.cli.env import env
from tscript.cli.errors import Exit, reported
from tscript.cli.inspect import inspect
from tscript.cli.ir import ir
from tscript.cli.run import run

app = typer.Typer(
    name="tscript",
    help="Compile a typed subset of Python over tensors and scalars to native code.",
    epilog="Example: tscript compile model.py -o model.tsa && tscript run model.tsa forward --input x=2x3xf32=1",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

for name, verb in {"check": check, "compile": compile_, "run": run, "inspect": inspect, "ir": ir, "env": env}.items():
    app.command(name)(verb)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"tscript {__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Compile a typed subset of Python over tensors and scalars to native code."""


def main() -> None:
    """Run the command line; the exit code says how it went (see `Exit`)."""
    if sys.argv[1:] == ["--version"]:
        print(f"tscript {__version__}")
        sys.exit(Exit.OK)
    with reported():
        app()


if __name__ == "__main__":
    main()
