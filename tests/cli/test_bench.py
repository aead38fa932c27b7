"""``tscript bench``."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tscript.cli.bench import shown, summary

Command = Callable[..., Any]

QUICK = ("--duration", "0.05", "--warmup", "0")


def test_figures(command: Command, archive: Path) -> None:
    found = command("bench", f"{archive}:gauss", "--input", "100", *QUICK)
    assert found.code == 0, found.err
    assert found.out.startswith("gauss  ") and "first call" in found.out and "calls a second" in found.out


def test_json_and_times(command: Command, archive: Path, tmp_path: Path) -> None:
    options = ("--callers", 2, "--threads", 1, "--json", "--export-times", "t.json")
    document = json.loads(command("bench", f"{archive}:gauss", "--input", "100", *QUICK, *options).out)
    assert (document["function"], document["callers"], document["threads"]) == ("gauss", 2, 1)
    seconds = document["seconds"]
    assert seconds["min"] <= seconds["p50"] <= seconds["p90"] <= seconds["p99"] <= seconds["max"]
    assert seconds["load"] > 0 and seconds["first"] > 0 and document["calls_per_second"] > 0
    times = json.loads((tmp_path / "t.json").read_text())
    assert len(times) == document["calls"] >= 2 and max(times) == seconds["max"]


def test_limits(command: Command, archive: Path) -> None:
    found = command("bench", f"{archive}:gauss", "--input", "9", *QUICK, "--limit", "p50=10000", "--limit", "min=0")
    assert found.code == 5 and "min took" in found.err and "p50" not in found.err
    assert command("bench", f"{archive}:gauss", "--input", "9", *QUICK, "--limit", "p50=10000").code == 0


def test_functions_of_python(command: Command, model: Path) -> None:
    assert command("bench", "model.py:gauss", "--input", "100", *QUICK).code == 0


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["gone.tsa"], 2, "gone.tsa: no such file"),
        (["model.tsa"], 2, "has several functions, name one: scale, gauss"),
        (["model.tsa:gone"], 2, "has no function 'gone', only scale"),
        (["model.tsa:gauss", "--duration", "0"], 2, "--duration takes seconds above 0"),
        (["model.tsa:gauss", "--limit", "p50"], 2, "expected NAME=MS"),
        (["model.tsa:gauss", "--limit", "p51=3"], 2, "NAME is one of load, first"),
        (["model.tsa:gauss", "--callers", "0"], 2, "from 1 on"),
        (["model.tsa:pair", "--input", "50", "--input", "1"], 4, "AssertionError: too large"),
    ],
)
def test_errors(command: Command, archive: Path, arguments: list[str], code: int, said: str) -> None:
    found = command("bench", *arguments)
    assert found.code == code, found
    assert said in found.err


def test_summaries() -> None:
    assert summary([3.0, 1.0, 2.0]) == pytest.approx(
        {"min": 1.0, "mean": 2.0, "p50": 2.0, "p90": 2.8, "p99": 2.98, "max": 3.0}
    )
    assert [shown(t) for t in (2.0, 0.0305, 1.25e-6, 3e-9)] == ["2 s", "30.5 ms", "1.25 us", "3 ns"]
