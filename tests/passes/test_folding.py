from __future__ import annotations

import math

import numpy as np
import pytest

import tscript
from tscript.definitions.absent import MISSING
from tscript.dialect import machine
from tscript.operators.table import TABLE
from tscript.passes.facts import Fact
from tscript.passes.folding import BY_TYPE, as_constant, fold, same_constant
from tscript.types import BOOL, F32, FLOAT, I32, INT, NONE, TENSOR, U8, TensorType, TupleType, dtypes


def value(op, args, result):
    return fold(op, args, result, {})


def test_results_are_wrapped_to_their_type():
    assert value(machine.ADD, [Fact(U8, 200), Fact(U8, 100)], U8) == 44
    assert value(machine.MUL, [Fact(INT, 2**62), Fact(INT, 4)], INT) == 0
    assert value(machine.ADD, [Fact(F32, 0.1), Fact(F32, 0.2)], F32) == float(np.float32(0.1) + np.float32(0.2))
    assert value(machine.SHL, [Fact(I32, 1), Fact(I32, 33)], I32) == 2


def test_what_raises_or_reads_memory_is_not_folded():
    assert value(TABLE["floor_divide.int"], [Fact(INT, 1), Fact(INT, 0)], INT) is MISSING
    assert value(machine.LOAD, [Fact(INT, 1)], INT) is MISSING
    assert value(machine.ADD, [Fact(INT, 1), Fact(INT)], INT) is MISSING
    assert value(machine.FMULADD, [Fact(FLOAT, 1.0)] * 3, FLOAT) is MISSING


def test_functions_of_floats_are_those_of_cpython():
    assert value(TABLE["math_exp"], [Fact(FLOAT, 1.1)], FLOAT) == math.exp(1.1)
    assert value(TABLE["math_log"], [Fact(FLOAT, 0.0)], FLOAT) is MISSING


@pytest.mark.parametrize(
    ("a", "b"),
    [(0.0, -0.0), (1, True), (1, 1.0), ((1, 2), (1, 2.0)), ("1", 1), (None, False), (0.0, 0)],
)
def test_constants_that_differ(a, b):
    assert not same_constant(a, b)


def test_constants_that_are_one():
    assert same_constant(math.nan, float("nan"))
    assert same_constant((1, (2.5, "a")), (1, (2.5, "a")))


def test_values_become_constants():
    assert as_constant(np.int64(3), INT) == 3
    assert as_constant(np.bool_(True), BOOL) is True
    assert as_constant((1, 2.0), TupleType((INT, FLOAT))) == (1, 2.0)
    assert as_constant(None, NONE) is None
    assert as_constant(1.5, INT) is MISSING
    assert as_constant((1,), TupleType((INT, INT))) is MISSING


@pytest.mark.parametrize(
    ("name", "result", "of_float", "of_complex"),
    [("is_floating_point", BOOL, True, False), ("is_complex", BOOL, False, True), ("element_size", INT, 4, 16)],
)
def test_what_a_dtype_says_is_known_where_it_is(name, result, of_float, of_complex):
    by_type = {TABLE[n]: rule for n, rule in BY_TYPE.items()}
    types = (TensorType(dtypes.float32, 2), TensorType(dtypes.complex128, 1), TENSOR)
    found = [fold(TABLE[name], [Fact(type)], result, by_type) for type in types]
    assert found == [of_float, of_complex, MISSING]


def test_a_convolution_has_no_branch_for_complex_numbers():
    conv = tscript.script(tscript.nn.Conv2d(1, 1, 1).eval())
    x = tscript.ones(1, 1, 2, 2)
    conv(x)
    shown = str(conv.graph_for(x))
    assert "convolve(" in shown and "is_complex" not in shown and " if " not in shown
