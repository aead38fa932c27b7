"""The work of a compilation grows with the size of the program and no faster: calls of Python functions, which are the
same numbers on every machine."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from types import FrameType, ModuleType

import pytest

import tscript
from tscript import Tensor
from tscript.backend.llvm.effort import Effort
from tscript.frontend import PythonFunction
from tscript.ir.graph import If, walk
from tscript.pipeline import Compiler
from tscript.types import parse_type

BENCH = Path(__file__).resolve().parents[1] / "samples" / "bench"


@pytest.fixture(scope="module")
def bench() -> Iterator[ModuleType]:
    """The workloads of the benchmark; what it imports is gone afterwards."""
    before = set(sys.modules)
    sys.path.insert(0, str(BENCH))
    try:
        yield importlib.import_module("compiling")
    finally:
        sys.path.remove(str(BENCH))
        for name in {"compiling", "harness", "hundred", "bench"} - before:
            sys.modules.pop(name, None)


@pytest.fixture(scope="module")
def compiler(bench: ModuleType) -> Compiler:
    """One that has lowered the bodies of all operators used here."""
    compiler = Compiler()
    for make in (bench.lines, bench.short_functions, bench.constants, bench.compared, bench.nested):
        bench.stages(compiler, make(20))
    return compiler


def calls(bench: ModuleType, compiler: Compiler, work: object) -> int:
    """How many calls of Python functions, and resumptions of generators, compiling takes without LLVM."""
    count = 0

    def note(frame: FrameType, event: str, arg: object) -> None:
        nonlocal count
        count += event == "call"

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        bench.stages(compiler, work)
    finally:
        sys.setprofile(before)
    return count


@pytest.mark.parametrize(
    ("what", "small", "factor"),
    [("lines", 40, 4), ("short_functions", 15, 4), ("constants", 40, 4), ("compared", 30, 4)],
)
def test_work_is_linear_in_the_size(bench, compiler, what, small, factor):
    make = getattr(bench, what)
    once, more = (calls(bench, compiler, make(n)) for n in (small, small * factor))
    assert more < once * factor * 1.25


def test_llvm_does_less_on_a_function_that_is_too_long_for_all_of_its_passes(bench, compiler):
    efforts = []
    for count in (100, 600, 2000):
        work = bench.lines(count)
        checked = compiler.check(PythonFunction.from_callable(work.load()))
        program = compiler.optimise(compiler.specialise(checked, [parse_type(t) for t in work.types], {}))
        efforts.append(compiler.emit(program, "f").effort)
    assert efforts == [Effort.FULL, Effort.LIGHT, Effort.QUICK]


def test_loops_inside_each_other_are_not_walked_once_for_each_level_of_each(bench, compiler):
    shallow, deep = (calls(bench, compiler, bench.nested(n)) for n in (5, 20))
    assert deep < shallow * 8


def test_a_hundred_lines_are_not_blown_up_by_unrolled_loops(bench, compiler):
    work = bench.HUNDREDS["strings and containers"]
    checked = compiler.check(PythonFunction.from_callable(work.load()))
    program = compiler.optimise(compiler.specialise(checked, [parse_type(t) for t in work.types], {}))
    lines = compiler.emit(program, "f").text.splitlines()
    assert sum(line.startswith("  ") for line in lines) < 2_200


def test_a_remainder_by_a_constant_has_no_branch(compiler):
    def f(a: int) -> int:
        return a % 7 + a // 7

    checked = compiler.check(PythonFunction.from_callable(f))
    program = compiler.optimise(compiler.specialise(checked, [parse_type("int")], {}))
    compiler.lower(program)
    assert not any(isinstance(node, If) for node in walk(program.entry.body))


def test_specialisations_share_what_is_checked(monkeypatch):
    checks = []
    check = Compiler.check

    def counted(self, function, **options):
        checks.append(function)
        return check(self, function, **options)

    monkeypatch.setattr(Compiler, "check", counted)

    @tscript.script
    def doubled(x: Tensor) -> Tensor:
        return x + x

    for dtype in (tscript.float32, tscript.float64, tscript.int64):
        for shape in ((2,), (2, 2)):
            doubled(tscript.ones(*shape, dtype=dtype))
    assert len(checks) == 1
