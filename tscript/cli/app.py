"""The table of verbs, and what the words of the command line ask of them."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from collections.abc import Callable, Sequence
from typing import Any, cast

from tscript._version import __version__
from tscript.cli.errors import Exit, UsageError
from tscript.cli.importing import importing
from tscript.cli.parameters import Parser, arguments_of, parser_of
from tscript.runtime.session.usage import log_api_usage_once

Verb = Callable[..., None]

SUMMARY = "Compile a typed subset of Python over tensors and scalars to native code."
EXAMPLE = "Example: tscript compile model.py -o model.tsa && tscript run model.tsa forward --input x=2x3xf32=1"


def _check() -> Verb:
    from tscript.cli.check import check

    return check


def _explain() -> Verb:
    from tscript.cli.explain import explain

    return explain


def _compile() -> Verb:
    from tscript.cli.compile import compile_

    return compile_


def _import() -> Verb:
    from tscript.cli.torchscript import import_

    return import_


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


def _bench() -> Verb:
    from tscript.cli.bench import bench

    return bench


def _compare() -> Verb:
    from tscript.cli.compare import compare

    return compare


def _completion() -> Verb:
    from tscript.cli.completion import completion

    return completion


def _ops() -> Verb:
    from tscript.cli.ops import ops

    return ops


def _env() -> Verb:
    from tscript.cli.env import env

    return env


VERBS: dict[str, Callable[[], Verb]] = {
    "check": _check,
    "explain": _explain,
    "compile": _compile,
    "import": _import,
    "run": _run,
    "inspect": _inspect,
    "extract": _extract,
    "verify": _verify,
    "ir": _ir,
    "profile": _profile,
    "bench": _bench,
    "compare": _compare,
    "ops": _ops,
    "env": _env,
    "completion": _completion,
}
"""What the command can do, in the order of its help. Each imports its verb."""


def run(words: Sequence[str]) -> None:
    """Do what the words after ``tscript`` ask for.

    Raises:
        UsageError: They ask for nothing that there is.
    """
    if not words or words[0] == "--help":
        print(_help(), file=sys.stdout if words else sys.stderr)
        sys.exit(Exit.OK if words else Exit.USAGE)
    name, *rest = words
    if name == "--version":
        print(f"tscript {__version__}")
        return
    if name not in VERBS:
        raise UsageError(_unknown(name))
    with importing():
        verb = VERBS[name]()
    arguments = arguments_of(parser_of(name, verb), rest)
    log_api_usage_once(f"tscript.cli.{name}")
    verb(**arguments)


def _help() -> str:
    """The page of the command: its options and verbs."""
    with importing():
        texts = {name: (load().__doc__ or "").partition("\n\n")[0] for name, load in VERBS.items()}
    parser = Parser("", SUMMARY)
    parser.prog, parser.epilog = "tscript", EXAMPLE
    parser.add_argument("--version", action="store_true", help="print the version and exit")
    verbs = parser.add_subparsers(title="commands", metavar="COMMAND", parser_class=ArgumentParser)
    for name, text in texts.items():
        line = " ".join(text.split())
        verbs.add_parser(name, help=line.partition(": ")[0].partition(". ")[0].rstrip(".").replace("%", "%%"))
    return parser.format_help()


def whole_parser() -> ArgumentParser:
    """The parser of the command with all verbs, for completion: each verb is imported."""
    with importing():
        loaded = {name: load() for name, load in VERBS.items()}
    parser = ArgumentParser("tscript", description=SUMMARY)
    parser.add_argument("--version", action="store_true", help="print the version and exit")

    def made(prog: str, **_: object) -> Parser:
        name = prog.rsplit(maxsplit=1)[-1]
        return parser_of(name, loaded[name])

    verbs = parser.add_subparsers(parser_class=cast(Any, made))
    for name in loaded:
        verbs.add_parser(name)
    return parser


def complete() -> None:
    """Answer a shell that asks what may come next, and end; without argcomplete nothing may."""
    try:
        import argcomplete
    except ImportError:
        raise SystemExit(1) from None
    argcomplete.autocomplete(whole_parser(), always_complete_options="long")


def _unknown(name: str) -> str:
    from difflib import get_close_matches

    what = "option" if name.startswith("-") else "command"
    near = get_close_matches(name, VERBS, n=1)
    return f"there is no {what} {name!r}; " + (
        f"did you mean {near[0]!r}?" if near else f"commands: {', '.join(VERBS)}"
    )
