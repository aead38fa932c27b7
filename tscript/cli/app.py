"""The table of verbs, as a Typer application. Imported only when a verb is wanted: `tscript --version` stays quick."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Annotated, Any

import typer

from tscript._version import __version__
from tscript.cli.check import check
from tscript.cli.compile import compile_
from tscript.cli.env import env
from tscript.cli.errors import reported
from tscript.cli.explain import explain
from tscript.cli.extract import extract
from tscript.cli.inspect import inspect
from tscript.cli.ir import ir
from tscript.cli.profile import profile
from tscript.cli.run import run
from tscript.cli.verify import verify
from tscript.runtime.session.usage import log_api_usage_once

VERBS: dict[str, Callable[..., None]] = {
    "check": check,
    "explain": explain,
    "compile": compile_,
    "run": run,
    "inspect": inspect,
    "extract": extract,
    "verify": verify,
    "ir": ir,
    "profile": profile,
    "env": env,
}
"""What the command can do, in the order of its help."""

app = typer.Typer(
    name="tscript",
    help="Compile a typed subset of Python over tensors and scalars to native code.",
    epilog="Example: tscript compile model.py -o model.tsa && tscript run model.tsa forward --input x=2x3xf32=1",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _reporting(name: str, verb: Callable[..., None]) -> Callable[..., None]:
    """`verb` with its exceptions turned into messages and exit codes before Typer sees them."""

    @functools.wraps(verb)
    def guarded(*args: Any, **kwargs: Any) -> None:
        with reported():
            log_api_usage_once(f"tscript.cli.{name}")
            verb(*args, **kwargs)

    return guarded


for name, verb in VERBS.items():
    app.command(name)(_reporting(name, verb))


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
