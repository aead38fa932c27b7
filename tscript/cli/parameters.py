"""Parameters of verbs, which their signatures declare, as an `argparse` parser.

Example:
    >>> def greet(name: Annotated[str, Argument("Whom.")], loud: Annotated[bool, Option("--loud")] = False) -> None:
    ...     "Say hello."
    >>> arguments_of(parser_of("greet", greet), ["--loud", "Ada"])
    {'name': 'Ada', 'loud': True}
"""

from __future__ import annotations

import argparse
import functools
import inspect
import types
from collections.abc import Callable, Container, Iterator, Sequence
from enum import Enum
from typing import Annotated, Any, NoReturn, Union, get_args, get_origin, get_type_hints

from tscript.cli.errors import UsageError


class Argument:
    """A parameter that is given by its place.

    Attributes:
        help: What it is.
        metavar: What help calls it; otherwise its name.
    """

    def __init__(self, help: str, metavar: str = "") -> None:
        self.help, self.metavar = help, metavar


class Option:
    """A parameter that is given by name.

    Attributes:
        flags: Its spellings; otherwise ``--`` and its name.
        help: What it does.
        metavar: What help calls its value.
        least: The smallest number that it takes.
        callback: What is called with its value before the verb.
        first: Its callback is called before those of others.
    """

    def __init__(
        self,
        *flags: str,
        help: str = "",
        metavar: str = "",
        least: int | None = None,
        callback: Callable[[Any], object] | None = None,
        first: bool = False,
    ) -> None:
        self.flags, self.help, self.metavar, self.least = flags, help, metavar, least
        self.callback, self.first = callback, first


class Parser(argparse.ArgumentParser):
    """A parser whose errors are ours.

    Attributes:
        valued: Long options that take a value.
        callbacks: What is called with the values of options before the verb is: a name, its default, the option.
    """

    def __init__(self, name: str, text: str) -> None:
        plain = argparse.RawDescriptionHelpFormatter
        shown = inspect.cleandoc(text).replace("%", "%%")
        super().__init__(prog=f"tscript {name}", description=shown, formatter_class=plain, allow_abbrev=False)
        self.valued: set[str] = set()
        self.callbacks: list[tuple[str, object, Option]] = []

    def error(self, message: str) -> NoReturn:
        """See `argparse`.

        Raises:
            UsageError: Always.
        """
        raise UsageError(f"{message}; '{self.prog} --help' shows what it takes")


def parser_of(name: str, verb: Callable[..., None]) -> Parser:
    """The parser of a verb."""
    parser = Parser(name, verb.__doc__ or "")
    hints = get_type_hints(verb, include_extras=True)
    for parameter in inspect.signature(verb).parameters.values():
        assert get_origin(hints[parameter.name]) is Annotated
        _declare(parser, parameter, *get_args(hints[parameter.name]))
    return parser


def _declare(parser: Parser, parameter: inspect.Parameter, kind: Any, declared: Argument | Option) -> None:
    """Add a parameter to a parser."""
    if get_origin(kind) in (Union, types.UnionType):
        kind = next(part for part in get_args(kind) if part is not types.NoneType)
    several = get_origin(kind) is list
    kind = get_args(kind)[0] if several else kind
    added: Any
    is_required = parameter.default is parameter.empty
    more: dict[str, Any] = {"help": declared.help.replace("%", "%%"), "default": argparse.SUPPRESS}
    if kind is bool:
        more["action"] = "store_true"
    else:
        more["type"] = functools.partial(_converted, kind, getattr(declared, "least", None))
        choices = "{" + ",".join(str(m.value) for m in kind) + "}" if issubclass(kind, Enum) else ""
        if declared.metavar or choices:
            more["metavar"] = declared.metavar or choices
        if parameter.default not in (None, parameter.empty):
            more["help"] += f" (default: {parameter.default})"
    if isinstance(declared, Argument):
        if several or not is_required:
            more["nargs"] = ("+" if is_required else "*") if several else "?"
        added = parser.add_argument(parameter.name, **more)
    else:
        flags = declared.flags or (f"--{parameter.name.replace('_', '-')}",)
        action = {"action": "append"} if several else {}
        if kind is not bool:
            more.setdefault("metavar", flags[-1].lstrip("-").upper())
            parser.valued |= {flag for flag in flags if flag.startswith("--")}
        added = parser.add_argument(*flags, dest=parameter.name, required=is_required, **more, **action)
        parser.callbacks.append((parameter.name, parameter.default, declared))
    if issubclass(kind, Enum):  # what argcomplete asks
        added.completer = lambda **_: [str(member.value) for member in kind]


def _converted(kind: type, least: int | None, word: str) -> object:
    """The value that a word means."""
    try:
        value: Any = kind(word)
    except ValueError:
        kinds = {int: "a whole number", float: "a number"}
        expected = kinds.get(kind) or f"one of {', '.join(str(member.value) for member in kind)}"  # type: ignore[attr-defined]
        raise argparse.ArgumentTypeError(f"expected {expected}, not {word!r}") from None
    if least is not None and value < least:
        raise argparse.ArgumentTypeError(f"expected a number from {least} on, not {word}")
    return value


def arguments_of(parser: Parser, words: Sequence[str]) -> dict[str, Any]:
    """The arguments that words of the command line give, by name. Options may stand anywhere before ``--``.

    Raises:
        UsageError: They are none for this parser.
        SystemExit: They ask for help, which was printed.
    """
    found = vars(parser.parse_intermixed_args(list(_joined(words, parser.valued))))
    for name, default, option in sorted(parser.callbacks, key=lambda callback: not callback[2].first):
        if option.callback is not None:
            option.callback(found.get(name, default))
    return found


def _joined(words: Sequence[str], valued: Container[str]) -> Iterator[str]:
    """Options and their values as one word each: `argparse` takes a value that begins with a dash for an option."""
    left = iter(words)
    for word in left:
        if word == "--":
            yield word
            yield from left
        elif word in valued and (value := next(left, None)) is not None:
            yield f"{word}={value}"
        else:
            yield word


__all__ = ["Argument", "Option", "Parser", "arguments_of", "parser_of"]
