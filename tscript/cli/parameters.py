"""Parameters of verbs, which their signatures declare, and words of the command line read as them.

Words are read without a library: those start slower than the rest of the command.

Example:
    >>> def greet(name: Annotated[str, Argument("Whom.")], loud: Annotated[bool, Option("--loud")] = False) -> None: ...
    >>> arguments_of(parameters_of(greet), ["--loud", "Ada"])
    {'name': 'Ada', 'loud': True}
"""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from typing import Annotated, Any, NamedTuple, Union, get_args, get_origin, get_type_hints

from tscript.cli.errors import UsageError

_REQUIRED = object()


class Argument:
    """A parameter that is given by its place.

    Attributes:
        help: What it is.
        metavar: What help calls it; otherwise its name.
    """

    def __init__(self, help: str, metavar: str = "") -> None:
        self.help, self.metavar = help, metavar


class Option:
    """A parameter that is given by name: ``--name VALUE``, ``--name=VALUE``, or ``--name`` for a bool.

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


class Parameter(NamedTuple):
    """One parameter of a verb.

    Attributes:
        kind: The type of a value, of each value if there are `several`.
        default: Its default, `_REQUIRED` without one.
    """

    name: str
    declared: Argument | Option
    kind: type
    several: bool
    default: object

    @property
    def flags(self) -> tuple[str, ...]:
        """The spellings of an option."""
        assert isinstance(self.declared, Option)
        return self.declared.flags or (f"--{self.name.replace('_', '-')}",)

    @property
    def is_required(self) -> bool:
        """Whether it must be given."""
        return self.default is _REQUIRED

    @property
    def shown(self) -> str:
        """What messages call it."""
        if isinstance(self.declared, Option):
            return f"option {' / '.join(map(repr, self.flags))}"
        return f"argument {self.declared.metavar or self.name.upper()!r}"

    @property
    def value_shown(self) -> str:
        """What help calls its value."""
        if isinstance(self.declared, Option) and self.kind is bool:
            return ""
        return self.declared.metavar or (self.name.upper() if isinstance(self.declared, Argument) else self._kind())

    def _kind(self) -> str:
        if issubclass(self.kind, Enum):
            return "|".join(str(member.value) for member in self.kind)
        return {"str": "TEXT", "int": "N", "float": "NUMBER"}.get(self.kind.__name__, self.kind.__name__.upper())

    def converted(self, word: str) -> object:
        """The value that a word means.

        Raises:
            UsageError: It means none.
        """
        try:
            value = self.kind(word)
        except ValueError:
            kinds = {int: "a whole number", float: "a number"}
            expected = kinds.get(self.kind) or f"one of {self._kind().replace('|', ', ')}"
            raise UsageError(f"{self.shown} takes {expected}, not {word!r}") from None
        least = self.declared.least if isinstance(self.declared, Option) else None
        if least is not None and value < least:
            raise UsageError(f"{self.shown} takes a number from {least} on, not {word}")
        return value


def parameters_of(verb: Callable[..., None]) -> list[Parameter]:
    """The parameters that the signature of a verb declares."""
    hints = get_type_hints(verb, include_extras=True)
    code = verb.__code__
    names = code.co_varnames[: code.co_argcount]
    defaults = verb.__defaults__ or ()
    found = dict(zip(names[len(names) - len(defaults) :], defaults, strict=True))
    return [_parameter(name, hints[name], found.get(name, _REQUIRED)) for name in names]


def _parameter(name: str, hint: Any, default: object) -> Parameter:
    assert get_origin(hint) is Annotated
    kind, declared = get_args(hint)
    if get_origin(kind) in (Union, types.UnionType):
        kind = next(part for part in get_args(kind) if part is not types.NoneType)
    several = get_origin(kind) is list
    return Parameter(name, declared, get_args(kind)[0] if several else kind, several, default)


def arguments_of(parameters: Sequence[Parameter], words: Sequence[str]) -> dict[str, Any]:
    """The arguments that words of the command line give, by name.

    Raises:
        UsageError: They are none for these parameters.
    """
    given = _Reading(parameters, words).given
    for parameter in parameters:
        if parameter.name not in given and parameter.is_required:
            raise UsageError(f"{parameter.shown} is missing")
    return given


def call_back(parameters: Sequence[Parameter], arguments: Mapping[str, Any]) -> None:
    """Call what options want to be called with their values, before the verb is."""
    options = [(p.declared, arguments.get(p.name, p.default)) for p in parameters if isinstance(p.declared, Option)]
    for option, value in sorted(options, key=lambda found: not found[0].first):
        if option.callback is not None:
            option.callback(value)


class _Reading:
    """Words, read from left to right. Options may stand anywhere before ``--``."""

    def __init__(self, parameters: Sequence[Parameter], words: Sequence[str]) -> None:
        self.given: dict[str, Any] = {}
        self._flags = {flag: p for p in parameters if isinstance(p.declared, Option) for flag in p.flags}
        self._left = list(words)
        plain: list[str] = []
        while self._left:
            word = self._left.pop(0)
            if word == "--":
                plain += self._left
                break
            if word.startswith("--"):
                self._long(word)
            elif word.startswith("-") and len(word) > 1:
                self._short(word)
            else:
                plain.append(word)
        self._by_place([p for p in parameters if isinstance(p.declared, Argument)], plain)

    def _long(self, word: str) -> None:
        flag, given, value = word.partition("=")
        parameter = self._known(flag)
        if parameter.kind is not bool:
            self._give(parameter, value if given else self._next(flag))
        elif given:
            raise UsageError(f"option {flag!r} takes no value")
        else:
            self.given[parameter.name] = True

    def _short(self, word: str) -> None:
        """``-o VALUE``, ``-oVALUE``, ``-q``, or several of those in one word."""
        rest = word[1:]
        while rest:
            flag, rest = f"-{rest[0]}", rest[1:]
            parameter = self._known(flag)
            if parameter.kind is not bool:
                self._give(parameter, rest or self._next(flag))
                return
            self.given[parameter.name] = True

    def _known(self, flag: str) -> Parameter:
        if flag not in self._flags:
            from difflib import get_close_matches

            near = get_close_matches(flag, self._flags, n=1)
            hint = f"; did you mean {near[0]!r}?" if near else f", only {', '.join([*self._flags, '--help'])}"
            raise UsageError(f"there is no option {flag!r}{hint}")
        return self._flags[flag]

    def _next(self, flag: str) -> str:
        if not self._left:
            raise UsageError(f"option {flag!r} needs a value")
        return self._left.pop(0)

    def _give(self, parameter: Parameter, word: str) -> None:
        value = parameter.converted(word)
        if parameter.several:
            self.given.setdefault(parameter.name, []).append(value)
        else:
            self.given[parameter.name] = value

    def _by_place(self, arguments: Sequence[Parameter], words: list[str]) -> None:
        for parameter in arguments:
            taken = words if parameter.several else words[:1]
            words = [] if parameter.several else words[1:]
            for word in taken:
                self._give(parameter, word)
        if words:
            raise UsageError(f"unexpected argument{'s' * (len(words) > 1)}: {' '.join(words)}")


__all__ = ["Argument", "Option", "Parameter", "arguments_of", "call_back", "parameters_of"]
