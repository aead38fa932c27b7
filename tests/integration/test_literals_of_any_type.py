"""Lists, dicts and sets that are written out take their types from where they go: declared names, elements, attributes,
`object`."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Optional

import pytest

import tscript
from tscript import Tensor


@dataclass
class Tags:
    tags: list[str | int] = field(default_factory=list)
    maybe: dict[str, list[Optional[int]]] = field(default_factory=dict)


def text(x: object) -> str:
    return str(x)


def returned(n: int) -> object:
    return [1, "a", None, (n, 2.5, ["b", 2]), [n, "x"], {"k": [1], "l": 2}, {1, "s"}]


def into_a_dict(n: int) -> Any:
    d: dict[str, object] = {}
    d["a"] = [1, "b", {1, "s"}]
    d["c"] = {"x": 1, "y": "z"}
    d["e"] = [1, 2]
    d["f"] = [k for k in range(n)]  # noqa: C416 - a comprehension is meant
    d["g"], d["h"] = ["i", 1], {n: "j", "k": n}
    d["l"] = d["m"] = [None, "n", 1]
    return d


def inside_each_other(n: int) -> list[object]:
    return [[1, "a"], {"a": 1, "b": None}, [1, 2], [1, None], [1, 2.5], {1: "a", "b": 2}, [[], [1]], [], {}]


def arguments(n: int) -> str:
    return text([n, "a"]) + text({"a": [1, "b"]}) + text([[1], ["a"]]) + text([n, [n, "q"], (1, [2, "r"])])


def of_tensors(n: int) -> str:
    x: Tensor = tscript.ones(n, 2)
    found: object = {"shape": x.shape, "dtype": str(x.dtype), "sum": x.sum().item(), "rows": [x[0], "first"]}
    return str(found)


def into_elements(n: int) -> list[object]:
    found: dict[str, list[object]] = {}
    names = ["a", "b"]
    found["a"] = [1, "b"]
    found["b"] = [*names]
    found["c"] = [{(1, 2): 3}]
    rows: list[list[object]] = [[], []]
    rows[n % 2] = [n, "x"]
    rows[0][1:] = [5, "6"]
    return [found, rows]


def into_attributes(n: int) -> Tags:
    t = Tags()
    t.tags = ["a", n]
    t.maybe = {"a": [1, None]}
    t.maybe["b"] = [None, 3]
    t.maybe["c"] = [k if k > 1 else None for k in range(3)]
    others = [t]
    others[0].tags = [1] if n > 1 else [n, "c"]
    return t


def into_what_is_not_known_yet(n: int) -> list[object]:
    d = {}
    d["k"] = [1, 2]
    d["l"] = [n]
    xs = [[], [n]]
    xs[0] = [3]
    return [d, xs]


FUNCTIONS: tuple[Callable[[int], object], ...] = (
    returned, into_a_dict, inside_each_other, arguments, of_tensors, into_elements, into_attributes,
    into_what_is_not_known_yet,
)  # fmt: skip


@pytest.mark.parametrize("function", FUNCTIONS)
def test_literals_are_what_they_are_in_python(function: Callable[[int], object], tmp_path: Path) -> None:
    scripted = tscript.script(function)
    tscript.save(scripted, tmp_path / "a.tsa")
    loaded = tscript.load(tmp_path / "a.tsa")
    for n in (1, 2):
        assert repr(copy.copy(scripted(n))) == repr(loaded(n)).replace("tags.Tags", "Tags") == repr(function(n))


def test_numbers_become_those_that_are_declared() -> None:
    def f(d: dict[str, list[float]]) -> dict[str, list[float]]:
        d["a"], n = [1, 2], 3
        d["b"] = d["c"] = [1]
        d["a"] += [n]
        return d

    assert repr(tscript.script(f)({})) == "{'a': [1.0, 2.0, 3.0], 'b': [1.0], 'c': [1.0]}"


def test_names_without_a_declaration_still_need_one() -> None:
    def f(n: int) -> object:
        xs = [n, "a"]
        return xs

    with pytest.raises(tscript.CompileError, match="give all one type, or declare"):
        tscript.script(f)(1)
