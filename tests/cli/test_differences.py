"""What `tscript check --torch` notes: where Python's meaning is not TorchScript's."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tscript.cli.differences import DIFFERENCES, plain

Command = Callable[..., Any]

HEAD = "import torch\nfrom torch import Tensor\nfrom typing import Dict, List, Tuple\n\n@torch.jit.script\n"

HAVING = {
    "`2 ** 10`": ["def f(a: int) -> int:\n    return 2 ** 10 + a", "def f(a: int) -> int:\n    a **= 3\n    return a"],
    "an `int` beyond 64 bits": [
        "def f(a: int, b: int) -> int:\n    return a * b",
        "def f(a: int) -> int:\n    return a << a",
    ],
    "`a % 0` of ints": ["def f(a: int, b: int) -> int:\n    return a % b"],
    "`0 or 7`": ["def f(a: int, b: int) -> int:\n    return a or b"],
    "`str(0.1)`": ["def f(a: float) -> str:\n    return f'{a}'", "def f(a: List[float]) -> str:\n    return str(a)"],
    "`round(2)`": ["def f(a: float) -> int:\n    return round(a)"],
    '`len("naïve")`': ["def f(s: str) -> int:\n    return len(s)", "def f() -> int:\n    return len('naïve')"],
    "`d.popitem()`": ["def f() -> str:\n    d = {'a': 1}\n    return d.popitem()[0]"],
    "changes of a list argument": [
        "def f(a: List[int]) -> None:\n    a.append(1)",
        "def f(a: Dict[str, int], n: int) -> None:\n    if n > 0:\n        a['b'] = n",
    ],
    '`raise ValueError("no")`': ["def f(a: int) -> int:\n    raise ValueError('no')"],
    "a parameter without annotation": ["def f(x) -> Tensor:\n    return x + 1"],
    "a shape, `x.shape`": [
        "def f(x: Tensor) -> str:\n    return str(x.shape)",
        "def f(x: Tensor):\n    return x.shape",
    ],
    "`str(x.dtype)`": ["def f(x: Tensor) -> str:\n    return f'{x.dtype}'"],
}

NONE = """def f(x: Tensor, n: int, s: str, y: float) -> Tensor:
    mine = [n + 1]
    mine.append(n * 2)
    if n < 2 or n % 3 == 0 and y > 1.0:
        return x + x.shape[0] + mine[0] + n // 2
    assert n or s, "no"
    return x * 2 ** 0.5 * round(y, 2) + len("abc") if not (n and s) else x
"""


def noted(command: Command, place: Path, text: str) -> list[dict[str, Any]]:
    place.write_text(HEAD + text + "\n", encoding="utf-8")
    found: dict[str, Any] = json.loads(command("check", "--torch", "--json", str(place)).out)
    assert found["functions"][0]["compiles"], found
    notes: list[dict[str, Any]] = found["notes"]
    return notes


def test_each_has_a_case() -> None:
    assert {difference.what for difference in DIFFERENCES} == HAVING.keys()


@pytest.mark.parametrize(("what", "text"), [(w, t) for w, texts in HAVING.items() for t in texts])
def test_each_is_found(command: Command, tmp_path: Path, what: str, text: str) -> None:
    found = noted(command, tmp_path / "f.py", text)
    assert [note["what"] for note in found] == [plain(what)]
    lines = (HEAD + text).splitlines()
    if what != "a parameter without annotation":
        assert found[0]["line"] == len(lines) - (lines[-1] == "    return a" and "**" in text)


def test_what_does_not_differ_is_not_noted(command: Command, tmp_path: Path) -> None:
    assert noted(command, tmp_path / "f.py", NONE) == []


def test_the_report_for_people(command: Command, tmp_path: Path) -> None:
    place = tmp_path / "f.py"
    place.write_text(
        HEAD + "def f(a: float) -> str:\n" + "".join(f"    b{n} = str(a)\n" for n in range(5)) + "    return b0\n"
    )
    result = command("check", "--torch", str(place))
    assert result.code == 0
    assert result.out.splitlines()[2:] == [
        "places  where code means what it does in Python, and not in TorchScript",
        "     5  str(0.1): 0.10000000000000001 in TorchScript, 0.1 here",
        f"        {place}:7, {place}:8, {place}:9 and 2 more",
    ]


def test_the_page_has_the_same_table() -> None:
    page = (Path(__file__).parents[2] / "docs" / "coming-from-torchscript.md").read_text(encoding="utf-8")
    rows = page.partition("| | TorchScript | tscript |\n|---|---|---|\n")[2].partition("\n\n")[0].splitlines()
    assert rows == [f"| {d.what} | {d.theirs} | {d.ours} |" for d in DIFFERENCES]
