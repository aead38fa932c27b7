"""Custom operators with a body become calls; other operators stay."""

from __future__ import annotations

# mypy: disable-error-code="attr-defined"
import numpy as np
import pytest

import tscript
from tscript import Tensor, library
from tscript.ir.graph import Call, Op, walk
from tscript.ir.interpreter import interpret
from tscript.ir.parser import parse_program
from tscript.ir.printer import print_program
from tscript.ir.verifier import verify
from tscript.passes import ExpandCustom
from tscript.runtime.session.process import current


def helper(x):
    return x + 1.0


@library.script_op("expanded::low")
def low(x: Tensor, n: int = 2) -> Tensor:
    for i in range(n):
        x = helper(x)
    return x


@library.script_op("expanded::high")
def high(x: Tensor) -> tuple[Tensor, int]:
    return low(x) * low(x, 3), 7


python = library.custom_op("expanded::python", lambda x: x * 3, schema="(Tensor x) -> Tensor")


@tscript.script
def f(x, k: int):
    y = x
    if k > 0:
        y, _ = high(x)
    return low(y, k) + python(x)


def test_bodies_become_calls() -> None:
    compiler = current().compiler
    program = compiler.portable(f.graph)
    verify(program)
    ops = {n.op.name for g in program.graphs.values() for n in walk(g.body) if isinstance(n, Op)}
    assert "expanded::python" in ops and not ops & {"expanded::low", "expanded::high"}
    assert list(program.graphs) == ["f", "expanded.high", "expanded.low", "helper"]
    assert all(n.callee in program.graphs for g in program.graphs.values() for n in walk(g.body) if isinstance(n, Call))
    assert print_program(parse_program(str(program), compiler.table)) == str(program)
    x = np.array([1.0, 2.0], np.float32)
    bodies = compiler.bodies.lower_body
    for k in (0, 2):
        assert interpret(program, [x, k]).tolist() == interpret(f.graph, [x, k], bodies=bodies).tolist()
    assert "expanded::high" in str(f.graph)  # the program it was made from is as it was


def test_nothing_to_do() -> None:
    compiler = current().compiler
    program = compiler.portable(f.graph)
    before = str(program)
    assert not ExpandCustom().run(program, compiler.context)
    assert str(program) == before


def test_names_that_are_taken() -> None:
    def low_(x):
        return x

    low_.__qualname__ = "expanded.low"

    def g(x):
        return low(x)

    compiler = current().compiler
    program = compiler.check(tscript.script(g).__tscript_function__)
    program.graphs["expanded.low"] = compiler.check(tscript.script(low_).__tscript_function__).entry
    program.graphs["expanded.low"].name = "expanded.low"
    assert ExpandCustom().run(program, compiler.context)
    assert "expanded.low_2" in program.graphs
    verify(program)


@pytest.mark.parametrize("text", ["a::b::c", "::f", "a::", "a:: f"])
def test_names_of_operators_in_text(text: str) -> None:
    from tscript.ir.reader import IRSyntaxError

    with pytest.raises(IRSyntaxError):
        parse_program(f"graph @f(%x: int) -> int {{ %0: int = {text}(%x) return %0 }}", current().compiler.table)
