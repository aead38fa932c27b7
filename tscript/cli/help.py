"""What ``--help`` prints."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Callable, Mapping
from inspect import cleandoc

from tscript.cli.parameters import Option, Parameter, parameters_of

SUMMARY = "Compile a typed subset of Python over tensors and scalars to native code."
EXAMPLE = "Example: tscript compile model.py -o model.tsa && tscript run model.tsa forward --input x=2x3xf32=1"
_HELP = ("--help", "Show this message and exit.")


def help_of_all(verbs: Mapping[str, Callable[..., None]]) -> str:
    """The page of the command: its options and verbs."""
    lines = {name: (verb.__doc__ or "").partition("\n\n")[0] for name, verb in verbs.items()}
    return "\n\n".join(
        [
            "Usage: tscript [OPTIONS] COMMAND [ARGS]...",
            _paragraph(SUMMARY),
            _table("Options", [("--version", "Print the version and exit."), _HELP]),
            _table("Commands", [(name, _first_sentence(text)) for name, text in lines.items()]),
            _paragraph(EXAMPLE),
        ]
    )


def help_of(name: str, verb: Callable[..., None]) -> str:
    """The page of a verb: what it does, an example, its parameters."""
    arguments = [p for p in parameters_of(verb) if not isinstance(p.declared, Option)]
    options = [p for p in parameters_of(verb) if isinstance(p.declared, Option)]
    usage = " ".join(["Usage: tscript", name, "[OPTIONS]", *map(_place, arguments)])
    parts = [usage, *map(_paragraph, cleandoc(verb.__doc__ or "").split("\n\n"))]
    if arguments:
        parts.append(_table("Arguments", [(p.value_shown, _described(p)) for p in arguments]))
    rows = [(" ".join(filter(None, (", ".join(p.flags), p.value_shown))), _described(p)) for p in options]
    return "\n\n".join([*parts, _table("Options", [*rows, _HELP])])


def _place(argument: Parameter) -> str:
    shown = argument.value_shown
    if shown.startswith("["):
        return shown
    several = "..." if argument.several and not shown.endswith("...") else ""
    return f"{shown}{several}" if argument.is_required else f"[{shown}{several}]"


def _described(parameter: Parameter) -> str:
    notes = ["required"] if parameter.is_required else []
    if parameter.default not in (None, False) and not parameter.is_required:
        notes.append(f"default: {parameter.default}")
    return f"{parameter.declared.help}{''.join(f' [{note}]' for note in notes)}"


def _first_sentence(text: str) -> str:
    line = " ".join(text.split())
    return line.partition(": ")[0].partition(". ")[0].rstrip(".") + "."


def _width() -> int:
    return min(shutil.get_terminal_size().columns, 100) - 2


def _paragraph(text: str) -> str:
    return textwrap.fill(" ".join(text.split()), _width(), initial_indent="  ", subsequent_indent="  ")


def _table(title: str, rows: list[tuple[str, str]]) -> str:
    """Rows of a name and a text; a long name has a line of its own."""
    column = min(max(len(name) for name, _ in rows), 30) + 4
    lines = [f"{title}:"]
    for name, text in rows:
        wrapped = textwrap.wrap(text, max(_width() - column, 20))
        if len(name) + 4 > column:
            lines.append(f"  {name}")
        else:
            lines.append(f"  {name:<{column - 2}}{wrapped.pop(0) if wrapped else ''}".rstrip())
        lines += [" " * column + line for line in wrapped]
    return "\n".join(lines)
