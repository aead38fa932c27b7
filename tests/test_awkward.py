"""Compiling is polynomial in the size of the program, for any program: what it makes is counted for families that
grow."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

from tests.fuzz.awkward import FAMILIES
from tscript.api import compiler, functions_of_file
from tscript.diagnostics import CompileError
from tscript.frontend.lowering import effort
from tscript.ir.graph import Value

SIZES = (4, 8, 16)
LARGE = 40
"""A size at which whatever doubles with each step would take for ever."""
MULTIPLYING = frozenset(
    {
        "chain: tuple of itself",
        "chain: tuple twice as long",
        "chain: lambdas",
        "chain: sum of tuples",
        "nested: for over mixed types",
        "nested: finally in finally",
        "calls: generic functions",
        "module: named tuples of two",
        "module: constants of two",
    }
)
"""Families that are refused from some size on, because they would double with each step."""
LOWERED_AGAIN = (
    "nested: None in loops", "nested: None in try", "nested: None read everywhere", "nested: attributes",
    "nested: calls of an inner function", "expression: sum of a generator", "expression: starred list",
    "expression: starred list in a sum", "expression: tensor of a list",
)  # fmt: skip
"""Families of loops that are lowered again, and of expressions whose type is asked for first: each once for each around
it at most."""
LIMITS = (
    "repeated this often", "nested this deeply", "nested too deeply", "a type this large", "a tuple of more than",
    "a string of more than", "does not fit into 64 bits", "too large to be a constant", "computed when the module runs",
)  # fmt: skip
"""What is said about programs that would become too large. (A number that overflows is refused for another reason.)"""
MOST = 60_000
"""Values that a program of these sizes may come to before it is refused."""


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many values have been made: by lowering, cloning, inlining, unrolling, whatever."""
    count = [0]
    init = Value.__init__

    def counted(self: Value, *args: Any, **kwargs: Any) -> None:
        count[0] += 1
        init(self, *args, **kwargs)

    monkeypatch.setattr(Value, "__init__", counted)
    monkeypatch.setattr(effort, "FLOOR", 1000)
    monkeypatch.setattr(effort, "RATIO", 10)
    return count


def compiled(path: Path, count: list[int]) -> int | None:
    """Values made and thousands of characters of machine code text, or None when the program is refused."""
    count[0] = 0
    the = compiler()
    try:
        program = functions_of_file(path, "f")["f"]._scripted.program
        special = the.optimise(the.specialise(program, [p.type for p in program.entry.params], {}))
        text = the.emit(special, "tsf_f").text
    except CompileError as error:
        refusal = str(error)
    else:
        return count[0] + len(text) // 100
    assert any(limit in refusal for limit in LIMITS), refusal
    assert count[0] < MOST
    return None


def cases() -> list[Any]:
    """Every third family, and all that are refused from some size on; the others too in ``make test-all``."""
    return [
        pytest.param(name, marks=() if i % 3 == 0 or name in MULTIPLYING else pytest.mark.slow, id=name)
        for i, name in enumerate(FAMILIES)
    ]


@pytest.mark.parametrize("name", cases())
def test_work_is_polynomial(name: str, tmp_path: Path, made: list[int]) -> None:
    found: list[int] = []
    for size in SIZES:
        path = tmp_path / f"m{size}.py"
        path.write_text(FAMILIES[name](size))
        work = compiled(path, made)
        if work is None:
            return  # within what it may take; see `compiled`
        found.append(max(work, 1000))
    if name not in MULTIPLYING and not name.startswith("calls"):
        path.write_text(FAMILIES[name](LARGE))
        compiled(path, made)
    assert name not in MULTIPLYING, "it is compiled in every size: better than said here"
    # The third power gives 8; what begins only where calls are deep enough to be kept apart comes on top.
    assert found[-1] < 10 * found[-2], f"work grows with more than the third power: {found}"


@pytest.mark.parametrize("name", LOWERED_AGAIN)
def test_what_is_lowered_again_begins_with_what_it_came_to(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    efforts: list[effort.Effort] = []
    init = effort.Effort.__init__

    def noted(self: effort.Effort) -> None:
        efforts.append(self)
        init(self)

    monkeypatch.setattr(effort.Effort, "__init__", noted)
    spent: dict[int, int] = {}
    for size in (4, 8, 12, 16):
        efforts.clear()
        path = tmp_path / f"m{size}.py"
        path.write_text(FAMILIES[name](size))
        assert functions_of_file(path, "f")["f"]._scripted.program
        spent[size] = max(e.spent for e in efforts)
    assert spent[16] < 5 * spent[8], f"more than the square of the depth: {spent}"
    assert spent[12] < 3 * spent[8], f"more than the square of the depth: {spent}"
    assert _value(tmp_path / "m4.py", 2) == functions_of_file(tmp_path / "m4.py", "f")["f"](2)


def _value(path: Path, x: int) -> object:
    """What Python says ``f(x)`` is."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.f(x)
