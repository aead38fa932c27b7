"""Programs as text, contexts, and the comparison of what programs do before and after a pass."""

from __future__ import annotations

import copy
import importlib.util
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from tscript.dialect import machine
from tscript.ir.bodies import LowerBody
from tscript.ir.builder import Builder
from tscript.ir.graph import Graph, Param, Program
from tscript.ir.interpreter import StepLimitError, interpret
from tscript.ir.parser import parse_program
from tscript.ir.printer import print_program
from tscript.ir.verifier import verify
from tscript.operators.table import TABLE
from tscript.passes import PassContext
from tscript.types import BOOL, DTYPE, FLOAT, INT, NONE, STR, TensorType, TupleType, Type, dtypes


def _add(b: Builder) -> None:
    b.return_(b.op(machine.ADD, *b.block.params))


def _floor_divide(b: Builder) -> None:
    x, y = b.block.params
    zero = b.const(0)
    with b.if_(b.op(machine.EQ, y, zero)) as branch, branch.then:
        b.raise_("ZeroDivisionError", "integer division or modulo by zero")
    q, r = b.op(machine.QUOT, x, y), b.op(machine.REM, x, y)
    with b.if_(b.op(machine.NE, r, zero)) as branch:
        with branch.then:
            signs = b.op(machine.NE, b.op(machine.LT, r, zero), b.op(machine.LT, y, zero))
            b.yield_(b.op(machine.SELECT, signs, b.op(machine.SUB, q, b.const(1)), q))
        with branch.orelse:
            b.yield_(q)
    b.return_(branch.output)


def _simple(op: Any) -> Callable[[Builder], None]:
    return lambda b: (b.return_(b.op(op, *b.block.params)), None)[1]


SCALAR_BODIES: dict[str, Callable[[Builder], None]] = {
    "add.int": _add,
    "sub.int": _simple(machine.SUB),
    "mul.int": _simple(machine.MUL),
    "lt.int": _simple(machine.LT),
    "eq.int": _simple(machine.EQ),
    "add.float": _add,
    "mul.float": _simple(machine.MUL),
    "floor_divide.int": _floor_divide,
}
"""Bodies of scalar operators, so that these tests need no frontend."""


class Bodies:
    """Stands in for the pipeline: bodies by operator name; those of composites are given as IR text."""

    def __init__(self) -> None:
        self.composites: dict[str, str] = {}
        self.asked: list[str] = []

    def lower_body(self, body: Callable[..., object], types: Sequence[Type], name: str) -> Program:
        self.asked.append(name)
        if name in self.composites:
            return parse_program(self.composites[name], TABLE)
        names = [p.name for p in TABLE[name].schema.parameters]
        graph = Graph("body", [Param(n, t) for n, t in zip(names, types, strict=True)])
        SCALAR_BODIES[name](Builder(graph.body))
        graph.result = graph.body.terminator.inputs[0].type
        return Program("body", [graph])


@pytest.fixture
def bodies() -> Bodies:
    return Bodies()


@pytest.fixture
def context(bodies: Bodies) -> PassContext:
    return PassContext(TABLE, bodies.lower_body)


@pytest.fixture
def parse() -> Callable[[str], Program]:
    """A verified program from text."""

    def parse(text: str) -> Program:
        program = parse_program(text, TABLE)
        verify(program)
        return program

    return parse


def copied(args: Sequence[object]) -> list[object]:
    """Arguments of their own: what is one array stays one, and views stay views of it."""
    return copy.deepcopy(list(args))


def outcome(program: Program, args: Sequence[object], bodies: LowerBody | None = None) -> tuple[object, ...]:
    """What a call does, comparable: the result or the exception, and the arguments afterwards."""
    own = copied(args)
    try:
        found: object = ("returns", interpret(program, own, step_limit=50_000, bodies=bodies))
    except StepLimitError:
        return ("too long",)
    except (ArithmeticError, ValueError, RuntimeError, LookupError, TypeError) as error:
        found = ("raises", natural_class(error).__name__, str(error))
    return (shown(found), shown(own))


def natural_class(error: Exception) -> type:
    """The builtin class that native code raises: type rules raise a subclass of it that is a `TypeError` besides."""
    builtin = [c for c in type(error).__mro__ if c.__module__ == "builtins"]
    return builtin[1] if builtin[0] is TypeError and builtin[1] is not Exception else builtin[0]


def shown(value: object) -> object:
    """`value` with arrays as dtype, shape and bits."""
    if isinstance(value, (tuple, list)):
        return tuple(shown(v) for v in value)
    if isinstance(value, np.ndarray):
        return (value.dtype.name, value.shape, np.ascontiguousarray(value).tobytes())
    return repr(value)


def same(a: tuple[object, ...], b: tuple[object, ...]) -> bool:
    """Whether two outcomes agree, as far as both are known."""
    return ("too long",) in (a, b) or a == b


def arguments(program: Program) -> list[list[object]]:
    """A few sets of arguments for the entry's types."""
    return [[_argument(p.type, i, n) for i, p in enumerate(program.entry.params)] for n in range(4)]


def _argument(type: Type, position: int, n: int) -> object:
    if type == INT:
        return (3, 0, -5, 7)[(n + position) % 4]
    if type == FLOAT:
        return (1.5, -0.0, 3.0, float("inf"))[(n + position) % 4]
    if type == BOOL:
        return (n + position) % 2 == 0
    if type == NONE:
        return None
    if type == STR:
        return "text"
    if type == DTYPE:
        return dtypes.float32
    if isinstance(type, TupleType):
        return tuple(_argument(t, position + i, n) for i, t in enumerate(type.elements))
    if isinstance(type, TensorType):
        rank = 2 if type.rank is None else type.rank
        shape = ((2, 3, 2), (1, 3, 2), (2, 3, 2), (2, 1, 2))[(n * (position > 0)) % 4][-rank:] if rank else ()
        count = int(np.prod(shape))
        values = (np.arange(count) * 7 + position * 3 + n) % 11 - 4
        return values.reshape(shape).astype((type.dtype or dtypes.float32).name)
    raise AssertionError(type)


@pytest.fixture
def check() -> Callable[..., Program]:
    """`check(program, run)`: `run` leaves valid IR that does what it did; gives the program it made."""

    def check(
        program: Program,
        run: Callable[[Program], Program | bool],
        sets: list[list[object]] | None = None,
        bodies: LowerBody | None = None,
    ) -> Program:
        verify(program)
        sets = arguments(program) if sets is None else sets
        before = [outcome(program, args, bodies) for args in sets]
        text = print_program(program)
        found = run(program)
        after = found if isinstance(found, Program) else program
        verify(after)
        if isinstance(found, bool):
            assert found or print_program(program) == text, "a change that was not reported"
        for args, expected in zip(sets, before, strict=True):
            actual = outcome(after, args, bodies)
            assert same(expected, actual), f"{args}: {expected} became {actual}\n{text}\n{after}"
        return after

    return check


@pytest.fixture(scope="session")
def random_programs() -> ModuleType:
    """The generator of random programs of the tests of the IR."""
    path = Path(__file__).resolve().parents[1] / "ir" / "test_properties.py"
    spec = importlib.util.spec_from_file_location("random_programs", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
