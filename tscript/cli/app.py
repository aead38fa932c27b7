"""The table of verbs, as a Typer application. Imported only when a verb is wanted: `tscript --version` stays quick."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Annotated, Any

import typer

from tscript._version import __version__
from tscript.cli.errors import reported
from tscript.runtime.session.usage import log_api_usage_once

Verb = Callable[..., None]


def _check() -> Verb:
    from tscript.cli.check import check

    return check


def _explain() -> Verb:
    from tscript.cli.explain import explain

    return explain


def _compile() -> Verb:
    from tscript.cli.compile import compile_

    return compile_


def _run() -> Verb:
    from tscript.cli.run import run

    return run


def _inspect() -> Verb:
    from tscript.cli.inspect import inspect

    return inspect


def _extract() -> Verb:
    from tscript.cli.extract import extract

    return extract


def _verify() -> Verb:
    from tscript.cli.verify import verify

    return verify


def _ir() -> Verb:
    from tscript.cli.ir import ir

    return ir


def _profile() -> Verb:
    from tscript.cli.profile import profile

    return profile


def _env() -> Verb:
    from tscript.cli.env import env

    return env


VERBS: dict[str, Callable[[], Verb]] = {
    "check": _check,
    "explain": _explain,
    "compile": _compile,
    "run": _run,
    "inspect": _inspect,
    "extract": _extract,
    "verify": _verify,
    "ir": _ir,
    "profile": _profile,
    "env": _env,
}
"""What the command can do, in the order of its help. Each imports its verb."""


def application(words: Sequence[str]) -> typer.Typer:
    """The command, with the verb alone that the first of `words` names, or with all."""
    made = typer.Typer(
        name="tscript",
        help="Compile a typed subset of Python over tensors and scalars to native code.",
        epilog="Example: tscript compile model.py -o model.tsa && tscript run model.tsa forward --input x=2x3xf32=1",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )
    made.callback()(root)
    for name in [word for word in words[:1] if word in VERBS] or VERBS:
        made.command(name)(_reporting(name, VERBS[name]()))
    return made


def _reporting(name: str, verb: Verb) -> Verb:
    """`verb` with its exceptions turned into messages and exit codes before Typer sees them."""

    @functools.wraps(verb)
    def guarded(*args: Any, **kwargs: Any) -> None:
        with reported():
            log_api_usage_once(f"tscript.cli.{name}")
            verb(*args, **kwargs)

    return guarded


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"tscript {__version__}")
        raise typer.Exit


def root(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Compile a typed subset of Python over tensors and scalars to native code."""
