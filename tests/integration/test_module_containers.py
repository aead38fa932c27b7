"""Lists, dicts and sets of the module in compiled code: what they held when the function was compiled."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tscript
from tests.integration.harness import function_of
from tscript.checking import check_file
from tscript.diagnostics import CompileError

MODULE = """
import math
from enum import Enum

class Color(Enum):
    RED = 1
    BLUE = 2

MEAN = [0.5, 1.0, 2.25]
MIXED = [0.5, 1, True, "a", None]
NAMES = {"a": 1, "b": 2}
ODD = {1, 3, 5}
NESTED = {"x": [1, 2], "y": [3]}
PAIR = (1, [2, 3], Color.BLUE)
SAID = {Color.RED: "stop", Color.BLUE: "go"}
TYPES = [tscript.float32, tscript.int64]
NOTHING = []
BIG = [[0.25, math.pi], []]

class Table:
    rows = [10, 20, 30]

    def __init__(self, n: int):
        self.n = n

    def row(self) -> int:
        return self.rows[self.n] + Table.rows[0]

def change(xs: list[float]) -> None:
    xs.append(2.0)

def total(xs: list[float]) -> float:
    return sum(xs)

def last(xs):
    return xs[-1]

def counted(xs, n: int):
    return sum([last(xs) for _ in range(n)])
"""

READS = [
    ("i: int", "(MEAN[i], str(MIXED[i]), len(MIXED), MEAN[1:], MEAN + [2.0], 0.5 in MEAN)", [(0,), (-1,), (3,)]),
    ("k: str", "(NAMES.get(k, 0), NAMES[k], k in NAMES, list(NAMES.items()), {**NAMES, 'c': 3})", [("a",), ("z",)]),
    ("i: int", "(i in ODD, len(ODD | {2}), sorted(ODD))", [(1,), (2,)]),
    ("k: str", "(NESTED[k][-1], [x for row in NESTED.values() for x in row])", [("x",), ("q",)]),
    ("i: int", "(PAIR[1][i], PAIR[0], PAIR[2] == Color.BLUE)", [(1,), (2,)]),
    ("b: bool", "(SAID[Color.RED if b else Color.BLUE], len(NOTHING), BIG[0][1], BIG[1])", [(True,), (False,)]),
    ("i: int", "Table(i).row()", [(2,), (3,)]),
    ("x: float", "total(MEAN) + x + total(BIG[0])", [(1.0,)]),
    ("n: int", "(last(MEAN), counted(MEAN, n), [last(PAIR[1]) + i for i in range(n)], len(NAMES))", [(1,), (3,)]),
    ("n: int", "[MEAN[i % 3] + NAMES['a'] for i in range(n)]", [(0,), (5,)]),
    ("x: Tensor", "x.dtype in TYPES", [(tscript.ones(1).numpy(),)]),
]


@pytest.mark.parametrize(("parameters", "body", "calls"), READS)
def test_reads(harness: Any, parameters: str, body: str, calls: list[tuple[Any, ...]]) -> None:
    harness.agree_all(f"{MODULE}\ndef f({parameters}):\n    return {body}\n", calls)


def test_in_loops(harness: Any) -> None:
    source = """
def f(n: int) -> tuple[float, int]:
    out, found = 0.0, 0
    for i in range(n):
        while out < MEAN[i % 3]:
            out += 0.5
        for key, row in NESTED.items():
            found += row[0] * NAMES["b"]
    return out, found
"""
    harness.agree_all(MODULE + source, [(0,), (4,)])


@pytest.mark.parametrize(
    ("body", "name", "kind"),
    [
        ("NAMES['c'] = 3", "NAMES", "dict"),
        ("MEAN.append(1.0)", "MEAN", "list"),
        ("MEAN[0] += 1", "MEAN", "list"),
        ("ODD.add(7)", "ODD", "set"),
        ("del NAMES['a']", "NAMES", "dict"),
        ("xs = MEAN\n    xs.sort()", "MEAN", "list"),
        ("xs = MEAN if ODD else [1.0]\n    xs.clear()", "MEAN", "list"),
        ("for k in NESTED:\n        NESTED[k].append(1)", "NESTED", "dict"),
        ("for row in NESTED.values():\n        row.append(1)", "NESTED", "dict"),
        ("n, xs, c = PAIR\n    xs.append(3)", "PAIR", "list"),
        ("Table.rows.append(1)", "Table.rows", "list"),
    ],
)
def test_changes_are_refused(body: str, name: str, kind: str) -> None:
    with pytest.raises(CompileError) as caught:
        tscript.script(function_of(f"{MODULE}\ndef f() -> None:\n    {body}\n"))
    assert f"'{name}' is a {kind} of the module that is changed here" in str(caught.value)
    assert "change a copy" in str(caught.value)


def test_changes_in_a_called_function_are_refused() -> None:
    with pytest.raises(CompileError, match="'MEAN' is a list of the module that 'change' changes"):
        tscript.script(function_of(f"{MODULE}\ndef f() -> None:\n    change(MEAN)\n"))


def test_copies_may_be_changed(agree: Callable[..., Any]) -> None:
    body = "xs = MEAN.copy()\n    xs.append(1.0)\n    ys = list(MEAN)\n    ys.sort()\n    return xs, ys, MEAN"
    agree(f"{MODULE}\ndef f():\n    {body}\n")


def test_a_result_is_a_copy() -> None:
    table = [1, 2]

    @tscript.script
    def f() -> list[int]:
        return table

    f().append(3)
    table.append(4)
    assert f() == [1, 2]  # as it was compiled


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"f": len}, "is a dict with 'len'"),
        ([object()], "is a list with an object"),
        (list(range(5000)), "is a list of more than 4,096 elements"),
    ],
)
def test_refused(value: Any, message: str) -> None:
    with pytest.raises(CompileError) as caught:
        tscript.script(function_of("def f() -> int:\n    return len(TABLE)\n", TABLE=value))
    assert message in str(caught.value)


def test_one_that_holds_itself() -> None:
    table: list[Any] = []
    table.append(table)
    with pytest.raises(CompileError, match="holds itself"):
        tscript.script(function_of("def f() -> int:\n    return len(TABLE)\n", TABLE=table))


def test_ordered_dicts_and_frozen_sets() -> None:
    names = {"D": OrderedDict(a=1), "S": frozenset({1, 2})}
    f = tscript.script(function_of("def f(k: str, n: int) -> tuple[int, bool]:\n    return D[k], n in S\n", **names))
    assert f("a", 2) == (1, True)


def test_files_that_are_read(tmp_path: Path) -> None:
    path = tmp_path / "model.py"
    path.write_text(
        "import os\nimport tscript\n\nBASE = {'a': 1}\nTABLE = {**BASE, 'b': -2}\nROWS = [[1], [2, 3]]\n"
        "LATER = []\nLATER.append(1)\nFILES = [os.sep]\n\n"
        "@tscript.script\ndef good(k: str) -> int:\n    return TABLE[k] + ROWS[1][0]\n\n"
        "@tscript.script\ndef bad() -> int:\n    return len(LATER)\n\n"
        "@tscript.script\ndef worse() -> int:\n    return len(FILES)\n"
    )
    found = [f"{d.message()} {d.help_text()}" for d in check_file(path)]
    assert len(found) == 2
    assert "'LATER' is changed when the module runs" in found[0]
    assert "'FILES' is a list" in found[1] and "write its elements as constants" in found[1]


def test_saved_functions_hold_them(tmp_path: Path) -> None:
    f = tscript.script(function_of(f"{MODULE}\ndef f(k: str) -> int:\n    return NAMES[k]\n"))
    tscript.save(f, tmp_path / "f.tsa")
    assert tscript.load(tmp_path / "f.tsa")("b") == 2
