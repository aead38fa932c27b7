"""Uniform entries: one stub serves every signature of native code from archives, whatever types it has."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable, Iterator
from importlib.util import module_from_spec, spec_from_file_location
from typing import Any

import pytest

import tscript
from tscript import Tensor
from tscript.abi.signature import Signature
from tscript.api import Module, archive_of
from tscript.archive import pack, unpack
from tscript.runtime.session.process import current
from tscript.types import BOOL, FLOAT, INT, TupleType, parse_type

CLASSES = """
import tscript
import tscript as torch
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple
from tscript import Tensor


class Colour(Enum):
    RED = 1
    BLUE = 2


class Pair(NamedTuple):
    a: int
    b: str


@dataclass
class Point:
    x: int
    name: str
"""

VALUES = {
    "int": "-(2**63)",
    "float": "-0.5",
    "bool": "True",
    "complex": "1 - 2j",
    "str": "'größe'",
    "bytes": "b'\\0x'",
    "list[int]": "[1, 2]",
    "list[str]": "['a', 'b']",
    "dict[str, list[float]]": "{'a': [1.0], 'b': []}",
    "set[int]": "{1, 2}",
    "tuple[int, tuple[str, bool]]": "(1, ('x', False))",
    "int | None": "None",
    "float | None": "2.5",
    "str | None": "'x'",
    "complex | None": "2j",
    "int | str": "'u'",
    "Colour": "Colour.BLUE",
    "Pair": "Pair(3, 'c')",
    "Point": "Point(1, 'p')",
    "ValueError": "ValueError('v')",
}

SOURCE = """
@tscript.script
def same_{i}(x: {type}) -> {type}:
    return x


@tscript.script
def nested_{i}(n: int, x: tuple[{type}, tuple[int, {type}]], f: float) -> tuple[tuple[{type}, float], int, {type}]:
    return ((x[0], f), n + x[1][0], x[1][1])


@tscript.script
def several_{i}(f: float, x: {type}, t: bool, y: {type}) -> list[tuple[bool, {type}]]:
    return [(t, x), (f > 0.0, y)]
"""


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Any, Any, Any]]:
    """All functions as an archive with native code gives them, as they are compiled here, and their module."""
    path = tmp_path_factory.mktemp("uniform") / "uniform_functions.py"
    path.write_text(CLASSES + "".join(SOURCE.format(i=i, type=type) for i, type in enumerate(VALUES)))
    spec = spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module: Any = module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, path.stem, module)
        spec.loader.exec_module(module)
        found = {name: value for name, value in vars(module).items() if name.rpartition("_")[2].isdigit()}
        tscript.save(found, path.with_suffix(".tsa"), native=True)
        native = tscript.load(path.with_suffix(".tsa"), trust_native=True)
        yield native, module, vars(module)


@pytest.fixture
def stubs(monkeypatch: pytest.MonkeyPatch) -> list[Signature]:
    """No stub is compiled or taken; the signatures of uniform calls."""
    used: list[Signature] = []
    found = current().native.stubs
    real = type(found).uniform

    def uniform(self: Any, signature: Signature) -> tuple[int, float]:
        used.append(signature)
        return real(self, signature)

    monkeypatch.setattr(type(found), "uniform", uniform)
    monkeypatch.setattr(type(found), "has", lambda self, signature: False)
    monkeypatch.setattr(type(found), "stub", lambda self, signature: pytest.fail(f"{signature} needs a stub"))
    return used


@pytest.mark.parametrize(("number", "type"), list(enumerate(VALUES)), ids=list(VALUES))
def test_values_of_every_type_in_every_position(
    number: int, type: str, both: tuple[Any, Any, Any], stubs: list[Signature], monkeypatch: pytest.MonkeyPatch
) -> None:
    native, plain, names = both
    x = eval(VALUES[type], names)
    calls = [("same", (x,)), ("nested", (1, (x, (2, x)), 0.5)), ("several", (1.0, x, False, x))]
    results = [[native[f"{name}_{number}"](*args) for _ in range(3)] for name, args in calls]
    assert len(stubs) == len(calls), "the archive's code ran, and one row answers all calls"
    monkeypatch.undo()
    expected = [[getattr(plain, f"{name}_{number}")(*args) for _ in range(3)] for name, args in calls]
    assert repr(results) == repr(expected)
    assert type == "ValueError" or results == expected


@tscript.script
def change(n: int, x: list[int], y: dict[str, list[int]], z: set[int]) -> list[int]:
    x.append(n)
    y["new"] = x
    z.add(n)
    if n > 9:
        raise ValueError(f"{n} is too large")
    return x


@tscript.script
def look(x: Tensor, i: int, f: float) -> tuple[Tensor, float, tuple[int, ...] | None]:
    return x * f, x.sum().item() + i, None


@tscript.script
def total(*, a: int, b: float = 0.5, c: str = "x") -> str:
    return c * a + str(b)


@tscript.script
def many(a: list[int], b: list[int], c: list[int], d: list[int], e: list[int], f: list[int], g: list[int], h: list[int],
         i: list[int], j: list[int], k: list[int], m: list[int], n: list[int], o: list[int], p: list[int],
         q: list[int]) -> int:  # fmt: skip
    """Its cells and frames do not fit on the stack."""
    a.append(1)
    q.append(2)
    return len(a) + len(b) + len(c) + len(q)


def archived(**functions: Callable[..., Any]) -> Any:
    return Module(unpack(pack(archive_of(functions, native=True))), trust_native=True)


def test_changes_are_written_back_also_after_an_exception(stubs: list[Signature]) -> None:
    native = archived(change=change)
    x, y, z = [1], {"a": [2]}, {3}
    assert native.change(5, x, y, z) is x
    assert (x, y, z) == ([1, 5], {"a": [2], "new": [1, 5]}, {3, 5})
    assert y["new"] is x
    with pytest.raises(ValueError, match="10 is too large") as caught:
        native.change(10, x, y, z)
    assert (x, z) == ([1, 5, 10], {3, 5, 10})
    last = traceback.extract_tb(caught.value.__traceback__)[-1]
    assert (last.name, last.filename) == ("change", "test_uniform_entries.py")
    assert [str(s) for s in stubs] == ["iM<p>M<p>M<p>:O<p>"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((2**63, [1], {}, {1}), "int does not fit into 64 bits"),
        ((1, ["x"], {}, {1}), r"argument 'x' of change\(\): element 0 must be int, not str"),
        ((1, [1], {"a": [2, None]}, {1}), "must be int, not None"),
        ((1, [1], {}, [1]), "must be set"),
    ],
)
def test_arguments_that_do_not_fit(
    arguments: tuple[Any, ...], message: str, stubs: list[Signature], monkeypatch: pytest.MonkeyPatch
) -> None:
    native = archived(change=change)
    assert native.change(1, [1], {}, {1}) == [1, 1]
    with pytest.raises((TypeError, OverflowError), match=message) as refused:
        native.change(*arguments)
    monkeypatch.undo()
    assert change(1, [1], {}, {1}) == [1, 1]
    with pytest.raises(type(refused.value)) as expected:
        change(*arguments)
    assert str(refused.value) == str(expected.value)


def test_keywords_and_defaults(stubs: list[Signature]) -> None:
    native = archived(total=total)
    assert native.total(a=2) == "xx0.5"
    assert native.total(a=2, c="y") == "yy0.5"
    assert native.total(a=1, b=2) == "x2.0"


def test_more_values_than_the_stack_has_room_for(stubs: list[Signature]) -> None:
    native = archived(many=many)
    lists: list[list[int]] = [[] for _ in range(16)]
    for n in range(1, 4):
        assert native.many(*lists) == 2 * n
    assert (lists[0], lists[-1], lists[1]) == ([1] * 3, [2] * 3, [])
    same: list[int] = []
    assert native.many(*[same] * 16) == 8


@tscript.script
def task(x: Tensor, n: int, two: tuple[float, Tensor], b: bool) -> tuple[Tensor, tuple[float, bool], int]:
    if n > 9:
        raise ValueError("too large")
    return x * two[1], (two[0] * n, not b), n


def test_forked_calls(stubs: list[Signature], monkeypatch: pytest.MonkeyPatch) -> None:
    vector = parse_type("Tensor[float32, 1]")
    types = (vector, INT, TupleType((FLOAT, vector)), BOOL)
    made = archive_of({"task": task}, native=True, signatures=[("task", types)])
    native = Module(unpack(pack(made)), trust_native=True)
    monkeypatch.setattr(type(current().native.stubs), "fork_stub", lambda self, s, i: pytest.fail(f"{s} needs a stub"))
    x = tscript.tensor([1.0, 2.0])
    runtime = current()
    before = 0
    for n in range(1, 9):
        found = tscript.wait(tscript.fork(native.task, x, n, (0.5, x), True))
        assert (found[0].tolist(), *found[1:]) == ([1.0, 4.0], (0.5 * n, False), n)
        with pytest.raises(OverflowError):
            tscript.fork(native.task, x, 2**63, (0.5, x), True)
        with pytest.raises(ValueError, match="too large"):
            tscript.wait(tscript.fork(native.task, x, 10, (0.5, x), True))
        del found
        before = before or runtime.live_blocks()
    assert runtime.live_blocks() == before
    assert len(stubs) == 1


def test_nothing_leaks(stubs: list[Signature]) -> None:
    native = archived(change=change, total=total)
    runtime = current()

    refused: list[tuple[Any, ...]] = [(10, [1], {}, {1}), (1, ["x"], {}, {1})]

    def use() -> None:
        native.change(5, [1], {"a": [2]}, {3})
        native.total(a=2)
        for wrong in refused:
            with pytest.raises((TypeError, ValueError)):
                native.change(*wrong)

    use()
    before = runtime.live_blocks()
    for _ in range(20):
        use()
    assert runtime.live_blocks() == before
