"""``tscript explain``."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

Command = Callable[..., Any]


def test_one_error(command: Command) -> None:
    result = command("explain", "ts301")
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith("TS301: A name is not defined.\n\nRaised as a NameError. ")
    wrong, fixed = result.out.split("\nThis is refused:\n")[1].split("\nFixed:\n")
    assert "    return 2 * valeu" in wrong and "    return 2 * value\n" in fixed


def test_several(command: Command) -> None:
    out = command("explain", "TS602", "TS301").out
    assert out.index("TS602: ") < out.index("TS301: ")


def test_the_list_has_all_codes_in_groups(command: Command) -> None:
    result = command("explain")
    assert result.code == 0
    titles = [line for line in result.out.splitlines() if line and not line.startswith(" ")]
    assert titles[2] == "Names" and len(titles) == 7
    assert "  TS301  A name is not defined.\n" in result.out


def test_json(command: Command) -> None:
    (found,) = json.loads(command("explain", "--json", "TS301").out)
    assert (found["code"], found["name"], found["exception"]) == ("TS301", "UnknownName", "NameError")
    assert set(found) == {"code", "name", "exception", "summary", "text", "wrong", "fixed"}
    assert len(json.loads(command("explain", "--json").out)) > 60


def test_unknown_codes_are_usage(command: Command) -> None:
    result = command("explain", "TS3O1")
    assert result.code == 2
    assert "there is no error 'TS3O1'; did you mean TS301" in result.err
    assert "'tscript explain' lists all" in command("explain", "pineapple").err
