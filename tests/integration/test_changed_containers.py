"""What becomes of containers of the caller that hold narrower numbers than their types say: as they were where the
function changed nothing, else all of the declared kind."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

import tscript
from tests.integration.harness import function_of

LISTS = {
    "pass": [1, 2.5, 3, True],
    "xs[1] = xs[1]": [1, 2.5, 3, True],
    "xs.reverse(); xs.reverse()": [1, 2.5, 3, True],
    "xs.append(4.5)": [1.0, 2.5, 3.0, 1.0, 4.5],
    "xs[0] = 7": [7.0, 2.5, 3.0, 1.0],
    "xs.sort()": [1.0, 1.0, 2.5, 3.0],
    "xs.pop()": [1.0, 2.5, 3.0],
    "xs.insert(0, 0)": [0.0, 1.0, 2.5, 3.0, 1.0],
    "xs[:] = [1, 9]": [1.0, 9.0],
    "xs.clear()": [],
    "xs += [1]": [1.0, 2.5, 3.0, 1.0, 1.0],
}


def typed(value: Any) -> object:
    match value:
        case list() | tuple():
            return type(value), [typed(v) for v in value]
        case dict():
            return [(typed(k), typed(v)) for k, v in value.items()]
    return type(value), value


@pytest.mark.parametrize("change", LISTS)
def test_a_list_of_floats_is_as_it_was_or_holds_floats(change: str) -> None:
    xs: list[Any] = [1, 2.5, 3, True]
    before = list(xs)
    tscript.script(function_of(f"def main(xs: list[float]) -> None:\n    {change}\n"))(xs)
    assert typed(xs) == typed(LISTS[change])
    if LISTS[change] == before and typed(LISTS[change]) == typed(before):
        assert all(x is b for x, b in zip(xs, before, strict=True))


def test_each_container_by_itself() -> None:
    source = (
        "def main(rows: list[list[float]], d: dict[float, float | None], e: dict[str, list[int]], ts: "
        "list[tuple[float, int]]) -> None:\n"
        "    rows[0].append(1)\n    d[3] = 4\n    e['a'][0] = 5\n    ts.append((1, 2))\n"
    )
    rows, d, e, ts = [[1], [2]], {1: 2, 2: None}, {"a": [True, True], "b": [False]}, [(1, True)]
    second, kept = rows[1], e["b"]
    tscript.script(function_of(source))(rows, d, e, ts)
    assert rows[1] is second and e["b"] is kept
    assert typed(rows) == typed([[1.0, 1.0], [2]])
    assert typed(d) == typed({1.0: 2.0, 2.0: None, 3.0: 4.0})
    assert typed(e) == typed({"a": [5, 1], "b": [False]})
    assert typed(ts) == typed([(1.0, 1), (1.0, 2)])


def test_a_dict_that_did_not_change_stays() -> None:
    d: dict[Any, Any] = {1: 2, 2: True}
    source = "def main(d: dict[float, float], k: float) -> None:\n    d[1] = d[1] * k\n"
    tscript.script(function_of(source))(d, 1.0)
    assert typed(d) == typed({1: 2, 2: True})
    tscript.script(function_of(source))(d, 2.0)
    assert typed(d) == typed({1.0: 4.0, 2.0: 1.0})


@dataclass
class Pair:
    a: float
    b: float
    xs: list[float]


def test_attributes_one_by_one() -> None:
    pair = Pair(1, 2, [1, 2])
    tscript.script(function_of("def main(p: Pair) -> None:\n    p.b = p.b * 2\n", Pair=Pair))(pair)
    assert typed([pair.a, pair.b, pair.xs]) == typed([1, 4.0, [1, 2]])
    tscript.script(function_of("def main(p: Pair) -> None:\n    p.xs.append(p.a)\n", Pair=Pair))(pair)
    assert typed([pair.a, pair.b, pair.xs]) == typed([1, 4.0, [1.0, 2.0, 1.0]])
