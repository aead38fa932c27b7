"""Words of the command line, read as the parameters that a verb declares."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import pytest

from tscript.cli.errors import UsageError
from tscript.cli.parameters import Argument, Option, arguments_of, parser_of

CALLED: list[object] = []


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


def verb(
    path: Annotated[Path, Argument("The file.", metavar="FILE")],
    rest: Annotated[list[str] | None, Argument("More.")] = None,
    output: Annotated[Path | None, Option("-o", "--output", help="Where to.")] = None,
    quiet: Annotated[bool, Option("-q", "--quiet", help="Nothing.")] = False,
    verbose: Annotated[bool, Option("-v", help="Much.")] = False,
    colour: Annotated[Colour, Option(help="Which.")] = Colour.RED,
    top_rows: Annotated[int, Option(least=1, help="Rows.")] = 20,
    share: Annotated[float, Option(help="Of all.")] = 1.0,
    tags: Annotated[list[str] | None, Option("--tag", callback=CALLED.append, help="Several.")] = None,
    early: Annotated[bool, Option(callback=CALLED.append, first=True, help="First.")] = False,
) -> None:
    """Do something. This is the rest.

    Example: tscript verb a
    """


PARSER = parser_of("verb", verb)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["a"], {"path": Path("a")}),
        (["a", "b", "c"], {"path": Path("a"), "rest": ["b", "c"]}),
        (["-q", "a", "-o", "x", "b"], {"path": Path("a"), "rest": ["b"], "output": Path("x"), "quiet": True}),
        (["a", "-qvox"], {"path": Path("a"), "output": Path("x"), "quiet": True, "verbose": True}),
        (["a", "-o", "-"], {"path": Path("a"), "output": Path("-")}),
        (["a", "--output=x=y"], {"path": Path("a"), "output": Path("x=y")}),
        (["a", "--output", "-x", "--tag", "--tag"], {"path": Path("a"), "output": Path("-x"), "tags": ["--tag"]}),
        (["a", "--output="], {"path": Path("a"), "output": Path("")}),
        (["--tag", "x", "a", "--tag=y"], {"path": Path("a"), "tags": ["x", "y"]}),
        (["a", "--", "-q", "b"], {"path": Path("a"), "rest": ["-q", "b"]}),
        (["a", "-q", "--", "--tag", "b"], {"path": Path("a"), "quiet": True, "rest": ["--tag", "b"]}),
        (["a", "--colour", "blue"], {"path": Path("a"), "colour": Colour.BLUE}),
        (["a", "--top-rows", "3", "--share=0.5"], {"path": Path("a"), "top_rows": 3, "share": 0.5}),
        (["a", "--top-rows", "3", "--top-rows", "4"], {"path": Path("a"), "top_rows": 4}),
    ],
)
def test_words(words: list[str], expected: dict[str, Any]) -> None:
    assert arguments_of(PARSER, words) == expected


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "the following arguments are required: FILE; 'tscript verb --help' shows what it takes"),
        (["a", "--colour", "green"], "argument --colour: expected one of red, blue, not 'green'"),
        (["a", "--top-rows", "0"], "argument --top-rows: expected a number from 1 on, not 0"),
        (["a", "--top-rows", "x"], "argument --top-rows: expected a whole number, not 'x'"),
        (["a", "--share", "x"], "argument --share: expected a number, not 'x'"),
        (["a", "--outptu", "x"], "unrecognized arguments: --outptu"),
        (["a", "-x"], "unrecognized arguments: -x"),
        (["a", "-o"], "argument -o/--output: expected one argument"),
        (["a", "--quiet=yes"], "argument -q/--quiet: ignored explicit argument 'yes'"),
    ],
)
def test_words_that_are_refused(words: list[str], message: str) -> None:
    with pytest.raises(UsageError) as raised:
        arguments_of(PARSER, words)
    assert str(raised.value).startswith(message)


def test_a_verb_without_arguments_takes_none() -> None:
    def none(flag: Annotated[bool, Option("--flag", help="It.")] = False) -> None: ...

    with pytest.raises(UsageError, match="unrecognized arguments: a b"):
        arguments_of(parser_of("none", none), ["a", "b"])


def test_callbacks_come_in_the_order_that_options_ask_for() -> None:
    CALLED.clear()
    arguments_of(PARSER, ["a", "--tag", "x", "--early"])
    assert CALLED == [True, ["x"]]


def test_help_names_every_parameter() -> None:
    shown = PARSER.format_help()
    assert "Do something. This is the rest.\n\nExample: tscript verb a" in shown
    for part in ("FILE", "The file.", "--top-rows ROWS", "Rows. (default: 20)", "--colour {red,blue}", "--tag TAG"):
        assert part.replace("ROWS", "TOP-ROWS") in shown
