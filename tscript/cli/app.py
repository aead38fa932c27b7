"""The table of verbs, and what the words of the command line ask of them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

from tscript._version import __version__
from tscript.cli.errors import Exit, UsageError
from tscript.cli.help import help_of, help_of_all
from tscript.cli.importing import importing
from tscript.cli.parameters import arguments_of, call_back, parameters_of
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


def run(words: Sequence[str]) -> None:
    """Do what the words after ``tscript`` ask for.

    Raises:
        UsageError: They ask for nothing that there is.
    """
    if not words or words[0] == "--help":
        with importing():
            page = help_of_all({name: load() for name, load in VERBS.items()})
        print(page, file=sys.stdout if words else sys.stderr)
        sys.exit(Exit.OK if words else Exit.USAGE)
    name, *rest = words
    if name == "--version":
        print(f"tscript {__version__}")
        return
    if name not in VERBS:
        raise UsageError(_unknown(name))
    with importing():
        verb = VERBS[name]()
    if "--help" in rest[: rest.index("--") if "--" in rest else None]:
        print(help_of(name, verb))
        return
    parameters = parameters_of(verb)
    try:
        arguments = arguments_of(parameters, rest)
    except UsageError as error:
        raise UsageError(f"{error}; 'tscript {name} --help' shows what it takes") from None
    call_back(parameters, arguments)
    log_api_usage_once(f"tscript.cli.{name}")
    verb(**arguments)


def _unknown(name: str) -> str:
    from difflib import get_close_matches

    what = "option" if name.startswith("-") else "command"
    near = get_close_matches(name, VERBS, n=1)
    return f"there is no {what} {name!r}; " + (
        f"did you mean {near[0]!r}?" if near else f"commands: {', '.join(VERBS)}"
    )
