"""Promotion: against tables recorded from PyTorch, and the rules built on it."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import tscript
from tscript.definitions.opdef import Arg, OperatorRuntimeError, OperatorTypeError
from tscript.definitions.promotion import (
    Computation,
    Decision,
    Kind,
    Operand,
    PointwiseRule,
    classify,
    comparison,
    first,
    keep,
    promote,
    promote_float,
    result_type,
)
from tscript.definitions.resolve import Constant
from tscript.definitions.values import ValueArg
from tscript.operators.table import TABLE
from tscript.types import BOOL, FLOAT, INT, NONE, STR, TENSOR, DType, TensorType, Type, dtypes

D = tuple(dtypes.BY_NAME[n] for n in "uint8 int8 int16 int32 int64 float32 float64 bool".split())
BY_MACHINE_NAME = {d.machine: d for d in D}

BOTH_DIMENSIONED = """
    u8 i16 i16 i32 i64 f32 f64  u8
   i16  i8 i16 i32 i64 f32 f64  i8
   i16 i16 i16 i32 i64 f32 f64 i16
   i32 i32 i32 i32 i64 f32 f64 i32
   i64 i64 i64 i64 i64 f32 f64 i64
   f32 f32 f32 f32 f32 f32 f64 f32
   f64 f64 f64 f64 f64 f64 f64 f64
    u8  i8 i16 i32 i64 f32 f64  b8
"""
"""Row and column by dtype, in the order of `DTYPES`."""

WITH_ZERO_DIM = """
    u8  u8  u8  u8  u8 f32 f64  u8
    i8  i8  i8  i8  i8 f32 f64  i8
   i16 i16 i16 i16 i16 f32 f64 i16
   i32 i32 i32 i32 i32 f32 f64 i32
   i64 i64 i64 i64 i64 f32 f64 i64
   f32 f32 f32 f32 f32 f32 f32 f32
   f64 f64 f64 f64 f64 f64 f64 f64
    u8  i8 i16 i32 i64 f32 f64  b8
"""
"""Row: a tensor with dimensions; column: a 0-d one."""

WITH_NUMBER = """
    u8  u8 f32
    i8  i8 f32
   i16 i16 f32
   i32 i32 f32
   i64 i64 f32
   f32 f32 f32
   f64 f64 f64
    b8 i64 f32
"""
"""Row: a tensor, with dimensions or 0-d; columns: a bool, an int, a float."""


def read(table: str) -> list[list[DType]]:
    return [[BY_MACHINE_NAME[word] for word in line.split()] for line in table.strip().splitlines()]


@pytest.mark.parametrize(
    ("table", "row_kinds", "columns"),
    [
        (BOTH_DIMENSIONED, [Kind.DIMENSIONED], [Operand(d, Kind.DIMENSIONED) for d in D]),
        (BOTH_DIMENSIONED, [Kind.ZERO_DIM], [Operand(d, Kind.ZERO_DIM) for d in D]),
        (WITH_ZERO_DIM, [Kind.DIMENSIONED], [Operand(d, Kind.ZERO_DIM) for d in D]),
        (
            WITH_NUMBER,
            [Kind.DIMENSIONED, Kind.ZERO_DIM],
            [Operand(d, Kind.NUMBER) for d in (dtypes.bool_, dtypes.int64, dtypes.float32)],
        ),
    ],
)
def test_result_type(table: str, row_kinds: list[Kind], columns: list[Operand]) -> None:
    for kind, (dtype, row) in product(row_kinds, zip(D, read(table), strict=True)):
        for column, expected in zip(columns, row, strict=True):
            assert result_type([Operand(dtype, kind), column]) is expected
            assert result_type([column, Operand(dtype, kind)]) is expected


def test_tables_are_those_of_torch() -> None:
    torch = pytest.importorskip("torch")
    for a, row, zero_row, number_row in zip(
        D, read(BOTH_DIMENSIONED), read(WITH_ZERO_DIM), read(WITH_NUMBER), strict=True
    ):
        x = torch.ones(1, dtype=getattr(torch, a.name))
        for b, both, zero in zip(D, row, zero_row, strict=True):
            y = torch.ones((), dtype=getattr(torch, b.name))
            assert str(torch.result_type(x, y.reshape(1))) == f"torch.{both.name}"
            assert str(torch.result_type(x, y)) == f"torch.{zero.name}"
        for number, expected in zip((True, 1, 1.0), number_row, strict=True):
            assert str(torch.result_type(x, number)) == f"torch.{expected.name}"


F32, I64, B8 = dtypes.float32, dtypes.int64, dtypes.bool_


@pytest.mark.parametrize(
    ("decision", "dtype", "expected"),
    [
        (promote, F32, Computation(F32, F32)),
        (promote, B8, Computation(dtypes.uint8, B8)),
        (keep, B8, Computation(B8, B8)),
        (promote_float, I64, Computation(F32, F32)),
        (promote_float, dtypes.float64, Computation(dtypes.float64, dtypes.float64)),
        (comparison, I64, Computation(I64, B8)),
        (classify, I64, Computation(F32, B8)),
        (first, I64, Computation(I64, I64)),
    ],
)
def test_decisions(decision: Decision, dtype: DType, expected: Computation) -> None:
    assert decision([Operand(dtype, Kind.DIMENSIONED)]) == expected


def args(*types: Type) -> list[Arg]:
    return [Constant(object(), t) for t in types]


def tensor(dtype: DType | None, rank: int | None) -> TensorType:
    return TensorType(dtype, rank)


RULE = PointwiseRule((0, 1), promote)


def test_unknown_rank_matters_only_where_it_decides() -> None:
    assert RULE(args(tensor(F32, None), INT)) == Computation(F32, F32)
    assert RULE(args(tensor(F32, None), tensor(F32, 2))) == Computation(F32, F32)
    assert RULE(args(tensor(dtypes.int32, 1), tensor(I64, None))) is None
    assert RULE(args(tensor(None, 1), INT)) is None


def test_result_types() -> None:
    assert RULE.result(args(tensor(F32, 1), tensor(F32, 3))) == tensor(F32, 3)
    assert RULE.result(args(TENSOR, FLOAT)) == TENSOR
    assert RULE.result(args(tensor(I64, 2), FLOAT)) == tensor(F32, 2)
    assert PointwiseRule((0, 1), comparison, fixed=B8).result(args(TENSOR, FLOAT)) == tensor(B8, None)
    assert RULE.stored().result(args(tensor(F32, 2), INT)) == tensor(F32, 2)


def test_refused_arguments() -> None:
    with pytest.raises(OperatorTypeError, match="argument 2 must be a Tensor or a number, not str"):
        RULE(args(tensor(F32, 1), STR))
    with pytest.raises(OperatorTypeError, match="at least one argument must be a Tensor"):
        RULE(args(INT, FLOAT))
    with pytest.raises(OperatorRuntimeError, match="result type Float can't be cast to the desired output type Long"):
        RULE.stored()(args(tensor(I64, 1), FLOAT))
    with pytest.raises(OperatorRuntimeError, match="result type Long can't be cast to the desired output type Bool"):
        RULE.stored()(args(tensor(B8, 1), INT))
    with pytest.raises(OperatorRuntimeError, match="expected condition to be a boolean tensor"):
        TABLE["where"].type_rule(args(tensor(F32, 1), tensor(F32, 1), INT))


def test_alpha_and_exponent_are_checked() -> None:
    ints = tensor(I64, 1)
    with pytest.raises(OperatorRuntimeError, match="argument alpha must not be a floating point number"):
        TABLE["add"].type_rule(args(ints, ints, FLOAT))
    with pytest.raises(OperatorRuntimeError, match="Boolean alpha only supported for Boolean results"):
        TABLE["add"].type_rule(args(ints, ints, BOOL))
    with pytest.raises(OperatorRuntimeError, match="Integers to negative integer powers are not allowed"):
        TABLE["pow"].type_rule([*args(ints), Constant(-1, INT)])


def test_casts_take_their_dtype_from_the_arguments() -> None:
    rule = TABLE["to.dtype"].type_rule
    known = Constant(F32, TABLE["dtype"].type_rule(args(TENSOR)))
    assert rule([*args(TENSOR), known, *args(BOOL)]) == tensor(F32, None)
    assert TABLE["type_as"].type_rule(args(tensor(I64, 1), tensor(F32, 3))) == tensor(F32, 1)
    assert TABLE["to_long"].type_rule(args(TENSOR)) == tensor(I64, None)


def test_none_is_no_operand() -> None:
    assert TABLE["clamp.min"].type_rule(args(tensor(I64, 1), FLOAT, NONE)) == tensor(F32, 1)


def test_value_args_show_types() -> None:
    shown = ValueArg(np.zeros((2, 1), np.int8))
    assert shown.type == tensor(dtypes.int8, 2)
    assert ValueArg(3).constant == 3


def test_numbers_have_the_dtype_that_they_have_in_arithmetic_with_a_row() -> None:
    bytes_, ints = (tscript.tensor([1, 2, 3], dtype=dtype) for dtype in (tscript.uint8, tscript.int64))
    for row, number, at in ((bytes_, -1, 3), (bytes_, -1.0, 0), (bytes_, 2.5, 2), (ints, -1, 0), (ints, 2.5, 2)):
        assert (tscript.searchsorted(row, number), tscript.bucketize(number, row)) == (at, at), (row, number)
