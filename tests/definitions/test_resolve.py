"""Overload resolution: which operator, how arguments fill its parameters, and what the user reads when none fits."""

from __future__ import annotations

import re

import pytest

from tscript.definitions.absent import MISSING
from tscript.definitions.opdef import OperatorTypeError, Pointwise
from tscript.definitions.resolve import Constant, Default, Gathered, Given, resolve
from tscript.operators.table import TABLE
from tscript.types import BOOL, DTYPE, FLOAT, INT, NONE, SIZE, STR, TENSOR, TensorType, TupleType, Type, dtypes


def arg(type: Type) -> Constant:
    return Constant(MISSING, type)


X = arg(TensorType(dtypes.float32, 2))
N, F, B = arg(INT), arg(FLOAT), arg(BOOL)


@pytest.mark.parametrize(
    ("name", "args", "expected"),
    [
        ("add", [N, N], "add.int"),
        ("add", [B, B], "add.int"),
        ("add", [N, F], "add.float"),
        ("add", [B, F], "add.float"),
        ("add", [X, N], "add"),
        ("add", [F, X], "add"),
        ("add", [X, X], "add"),
        ("bitwise_and", [B, B], "bitwise_and.bool"),
        ("bitwise_and", [B, N], "bitwise_and.int"),
        ("div", [N, N], "div.int"),
        ("lt", [N, F], "lt.int_float"),
        ("lt", [F, N], "lt.float_int"),
        ("eq", [B, B], "eq.bool"),
        ("eq", [B, N], "eq.int"),
        ("eq", [arg(STR), arg(STR)], "eq.str"),
        ("eq", [arg(DTYPE), arg(DTYPE)], "eq.dtype"),
        ("max", [X], "max"),
        ("max", [X, N], "max.dim"),
        ("max", [X, X], "max.other"),
        ("max", [N, F], "max.float"),
        ("sum", [X], "sum"),
        ("sum", [X, N], "sum.dim"),
        ("sum", [X, arg(TupleType((INT, INT)))], "sum.dim"),
        ("clamp", [X, N, F], "clamp"),
        ("clamp", [X, N], "clamp.min"),
        ("clamp", [X, arg(NONE), N], "clamp.max_positional"),
        ("bool", [X], "bool.Tensor"),
        ("len", [arg(TupleType((INT, STR)))], "len.tuple"),
        ("getitem", [arg(SIZE), N], "getitem.Size"),
        ("math_floor", [N], "math_floor.int"),
        ("math_floor", [F], "math_floor.float"),
        ("round", [F, N], "round.float_digits"),
    ],
)
def test_overload(name: str, args: list[Constant], expected: str) -> None:
    assert resolve(TABLE, name, args).op.name == expected


def test_slots_carry_conversions_and_defaults() -> None:
    found = resolve(TABLE, "add", [N, F])
    assert found.slots == (Given(N, TABLE["float.int"]), Given(F))
    assert resolve(TABLE, "add", [X, N]).slots == (Given(X), Given(N), Default(1))
    assert resolve(TABLE, "sum", [X, N]).slots == (Given(X), Gathered((N,)), Default(False), Default(None))


def test_sizes_one_by_one_or_as_a_tuple() -> None:
    assert resolve(TABLE, "view", [X, N, N]).slots == (Given(X), Gathered((N, N)))
    assert resolve(TABLE, "zeros", [N]).slots[0] == Gathered((N,))
    pair = arg(TupleType((INT, INT)))
    assert resolve(TABLE, "view", [X, pair]).slots == (Given(X), Given(pair))
    assert resolve(TABLE, "zeros", [arg(SIZE)]).slots[0] == Given(arg(SIZE))
    assert resolve(TABLE, "zeros", [], {"size": pair, "dtype": arg(DTYPE)}).slots == (Given(pair), Given(arg(DTYPE)))


def test_keywords() -> None:
    assert resolve(TABLE, "sum", [X], {"dim": N, "keepdim": B}).slots[1:3] == (Gathered((N,)), Given(B))
    assert resolve(TABLE, "clamp", [X], {"max": N}).op.name == "clamp.max"
    assert resolve(TABLE, "div", [X, X], {"rounding_mode": arg(STR)}).op.name == "div.mode"
    assert resolve(TABLE, "div", [X, N], {"rounding_mode": arg(STR)}).op.name == "div.mode"
    assert resolve(TABLE, "arange", [], {"start": N, "end": N, "step": N}).op.name == "arange.start_step"


def refusal(name: str, *args: Constant, **kwargs: Constant) -> str:
    with pytest.raises(OperatorTypeError) as caught:
        resolve(TABLE, name, args, kwargs)
    return str(caught.value)


def test_unknown_names_suggest_a_close_one() -> None:
    assert refusal("softmx", X) == "there is no operator 'softmx'; did you mean 'softmax'?"
    text = refusal("sum", X, keepdin=B)
    assert "has no parameter 'keepdin'; did you mean 'keepdim'?" in text


def test_refusal_lists_overloads_with_reasons() -> None:
    assert refusal("add", N, arg(STR)) == (
        "'add' does not take (int, str); its overloads are:\n"
        "  add.int(int a, int b) -> int\n"
        "      'b' must be an int, not str\n"
        "  add.float(float a, float b) -> float\n"
        "      'b' must be a float, not str\n"
        "  add(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor\n"
        "      'other' must be a Tensor, not str\n"
        "  add.str(str a, str b) -> str\n"
        "      'a' must be a str, not int\n"
        "  add.bytes(bytes a, bytes b) -> bytes\n"
        "      'a' must be bytes, not int"
    )
    assert refusal("transpose", X, N) == (
        "'transpose' does not take (Tensor[float32, 2], int): is missing the argument 'dim1'\n"
        "  transpose(Tensor self, int dim0, int dim1) -> Tensor"
    )


def test_counts_and_doubles() -> None:
    assert "takes 1 positional argument, 2 given" in refusal("math_sqrt", F, F)
    assert "got two values for 'dim'" in refusal("unsqueeze", X, N, dim=N)
    assert "at least one argument must be a Tensor" in refusal("exp", F)


def test_in_place_operators_write_tensors_only() -> None:
    assert "'self' must be a Tensor, not float" in refusal("add_", F, X)


@pytest.mark.parametrize(
    ("name", "args", "error", "text"),
    [
        ("sub", [arg(TensorType(dtypes.bool_, 1))] * 2, RuntimeError, "two bool tensors is not supported"),
        (
            "add_",
            [arg(TensorType(dtypes.int64, 1)), F],
            RuntimeError,
            "result type Float can't be cast to the desired output type Long",
        ),
        ("bitwise_not", [X], NotImplementedError, "\"bitwise_not_cpu\" not implemented for 'Float'"),
        (
            "transpose",
            [X, Constant(0, INT), Constant(5, INT)],
            IndexError,
            "Dimension out of range (expected to be in range of [-2, 1], but got 5)",
        ),
        ("cat", [arg(TupleType(()))], ValueError, "expected a non-empty list of Tensors"),
        ("mean", [arg(TensorType(dtypes.int64, 1))], RuntimeError, "mean(): could not infer output dtype"),
    ],
)
def test_refused_dtypes_keep_their_own_error(
    name: str, args: list[Constant], error: type[Exception], text: str
) -> None:
    with pytest.raises(error, match=re.escape(text)) as caught:
        resolve(TABLE, name, args)
    assert isinstance(caught.value, OperatorTypeError)


def test_unknown_tensors_are_taken() -> None:
    assert resolve(TABLE, "add", [arg(TENSOR), F]).op.name == "add"
    assert resolve(TABLE, "mean", [arg(TENSOR)]).op.name == "mean"


@pytest.mark.parametrize("name", ["sum.dim", "mean.dim", "prod.dim", "amax", "any.dim"])
@pytest.mark.parametrize("rank", [0, 1, 2])
def test_reducing_more_dims_than_there_are_has_a_type(name: str, rank: int) -> None:
    """It raises when it runs; no type has a rank below 0."""
    operator = TABLE[name]
    dims = TupleType((INT, INT, INT))
    false = Constant(False, BOOL)
    given = [arg(TensorType(dtypes.float32, rank)), arg(dims), false, arg(NONE)][: len(operator.schema.parameters)]
    found = operator.type_rule(given)
    assert isinstance(found, TensorType) and (found.rank is None or found.rank >= 0)


@pytest.mark.parametrize(
    "name",
    [
        op.name
        for op in TABLE
        if isinstance(op.implementation, Pointwise) and getattr(op.implementation.rule, "in_place", False)
    ],
)
def test_what_is_written_in_place_is_a_tensor(name: str) -> None:
    """A number, as `x.item()` is where the dtype is known, cannot be written to."""
    operator = TABLE[name]
    tensor = arg(TensorType(dtypes.float32, 1))
    given = [arg(FLOAT), *[tensor] * (len(operator.schema.parameters) - 1)]
    with pytest.raises(OperatorTypeError):
        operator.type_rule(given)


def test_pytorchs_other_keywords() -> None:
    assert resolve(TABLE, "sum", [X], {"axis": N, "keepdims": B}).slots[1:3] == (Gathered((N,)), Given(B))
    assert resolve(TABLE, "add", [], {"input": X, "other": F}).slots[:2] == (Given(X), Given(F))
    assert resolve(TABLE, "mul", [X], {"x2": F}).slots == (Given(X), Given(F))
    assert resolve(TABLE, "transpose", [X], {"axis0": N, "axis1": N}).op.name == "transpose"
    with pytest.raises(OperatorTypeError, match="got two values for 'dim'"):
        resolve(TABLE, "sum", [X, N], {"axis": N})
    with pytest.raises(OperatorTypeError, match="got two values for 'dim'"):
        resolve(TABLE, "softmax", [X], {"axis": N, "dim": N})
