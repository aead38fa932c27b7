"""Tensor operators on values: hand-picked cases of what is easy to get wrong. The wide sweep is in
`test_against_torch`."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pytest

import tscript
from tscript.definitions.absent import MISSING
from tscript.definitions.opdef import Composite, OpDef, OperatorTypeError
from tscript.definitions.resolve import Constant
from tscript.definitions.values import ValueArg, broadcast_shape, cast, type_of_value
from tscript.ir.interpreter import meaning
from tscript.operators.table import TABLE
from tscript.operators.tensor.creation import literal_shape
from tscript.passes import PassContext
from tscript.passes.specialise import result_type
from tscript.pipeline.bodies import Bodies
from tscript.types import FLOAT, INT, NEVER, NONE, TENSOR, TensorType, TupleType, Type, dtypes

NAN, INF = float("nan"), float("inf")
BODIES = Bodies(TABLE)
CONTEXT = PassContext(TABLE, BODIES.lower_body)


def run(name: str, *args: Any) -> Any:
    """The semantics of an operator; what its type rule says of the result must hold."""
    op = TABLE[name]
    declared = result_type(op, [ValueArg(a) for a in args], CONTEXT)
    found = meaning(op, BODIES.lower_body)(*args)
    if isinstance(declared, TensorType) and isinstance(found, np.ndarray):
        actual = type_of_value(found)
        assert isinstance(actual, TensorType)
        assert declared.dtype in (None, actual.dtype)
        assert declared.rank in (None, actual.rank)
    return found


def f32(*values: float) -> np.ndarray:
    return np.array(values, np.float32)


def i64(*values: int) -> np.ndarray:
    return np.array(values, np.int64)


def same(found: Any, expected: Any) -> None:
    assert isinstance(found, np.ndarray)
    expected = np.asarray(expected)
    assert found.shape == expected.shape
    assert np.array_equal(found, expected, equal_nan=found.dtype.kind == "f")


# ---- values


def test_cast_saturates_and_wraps() -> None:
    same(cast(f32(1.9, -1.9, NAN, 300.0, -INF), dtypes.int8), [1, -1, 0, 127, -128])
    same(cast(i64(257, -1), dtypes.uint8), [1, 255])
    same(cast(f32(0.5, 0.0, NAN), dtypes.bool_), [True, False, True])
    assert cast(2**63, dtypes.int64) == -(2**63)
    assert cast(f32(2.0**63), dtypes.int64)[0] == 2**63 - 1


def test_broadcast_shape() -> None:
    assert broadcast_shape([(2, 1), (3,), ()]) == (2, 3)
    assert broadcast_shape([(0, 3), (1, 3)]) == (0, 3)
    text = "The size of tensor a (3) must match the size of tensor b (4) at non-singleton dimension 1"
    with pytest.raises(RuntimeError, match=re.escape(text)):
        broadcast_shape([(2, 3), (4,)])


# ---- pointwise


def test_bool_arithmetic() -> None:
    t, f = np.array([True]), np.array([False])
    same(run("add", t, t, 1), [True])
    same(run("mul", t, f), [False])
    same(run("div", t, t, None), f32(1.0))
    same(run("square", t), i64(1))


def test_rounding_divisions() -> None:
    same(run("floor_divide", i64(7, -7, 7, -7), i64(2, 2, -2, -2)), [3, -4, -4, 3])
    same(run("trunc_divide", i64(7, -7, 7, -7), i64(2, 2, -2, -2)), [3, -3, -3, 3])
    same(run("remainder", i64(7, -7, 7, -7), i64(2, 2, -2, -2)), [1, 1, -1, -1])
    same(run("fmod", i64(7, -7, 7, -7), i64(2, 2, -2, -2)), [1, -1, 1, -1])
    same(run("floor_divide", f32(7.5, -7.5), f32(2.0, 2.0)), f32(3.0, -4.0))
    same(run("remainder", f32(-7.5, 7.5), 2.0), f32(0.5, 1.5))
    same(run("div.mode", f32(-7.5), 2.0, "trunc"), f32(-3.0))


def test_only_integers_divided_by_zero_raise() -> None:
    for name in ("floor_divide", "remainder", "fmod"):
        with pytest.raises(RuntimeError, match="ZeroDivisionError"):
            run(name, i64(5, 6), i64(1, 0))
    same(run("floor_divide", f32(5.0, 0.0), f32(0.0, 0.0)), f32(INF, NAN))


def test_integer_powers() -> None:
    same(run("pow", i64(2, -3, 1, -1, 5, 2), i64(10, 3, -2, -3, -1, 64)), [1024, -27, 1, -1, 0, 0])
    same(run("pow", f32(-8.0), 1 / 3), f32(NAN))


def test_nan_wins_order_and_passes_through_relu() -> None:
    same(run("maximum", f32(NAN, 1.0, 2.0), f32(0.0, NAN, 3.0)), f32(NAN, NAN, 3.0))
    same(run("clamp", f32(NAN, -5.0, 5.0), -1.0, 1.0), f32(NAN, -1.0, 1.0))
    same(run("clamp", i64(5), 9, 3), [3])
    same(run("relu", f32(NAN, -1.0, 2.0)), f32(NAN, 0.0, 2.0))


def test_shifts_beyond_the_width() -> None:
    x = np.array([1, -1], np.int8)
    same(run("bitwise_left_shift", x, 8), [0, 0])
    same(run("bitwise_right_shift", x, 100), [0, -1])


def test_where_and_masks() -> None:
    c = np.array([True, False])
    assert run("where", c, 1, 2).dtype == np.int64
    assert run("where", c, f32(1.0, 2.0), 0).dtype == np.float32
    same(run("where_of", f32(1.0, 2.0), c, 9), f32(1.0, 9.0))
    same(run("masked_fill", i64(1, 2), c, 7), [7, 2])


def test_in_place_writes_and_checks() -> None:
    x = np.zeros((2, 3), np.float32)
    assert run("add_", x, f32(1.0, 2.0, 3.0), 1) is x
    same(x, [[1, 2, 3], [1, 2, 3]])
    run("copy_", x[0], i64(7, 8, 9), False)
    run("fill_", x[1], 2)
    same(x, [[7, 8, 9], [2, 2, 2]])
    with pytest.raises(RuntimeError, match=r"output with shape \[3\] doesn't match the broadcast shape \[2, 3\]"):
        run("add_", f32(1.0, 2.0, 3.0), x, 1)
    with pytest.raises(RuntimeError, match="result type Float can't be cast to the desired output type Long"):
        run("add_", i64(1), 0.5, 1)
    frozen = f32(1.0)
    frozen.flags.writeable = False
    with pytest.raises(RuntimeError, match="read-only"):
        run("add_", frozen, 1, 1)


def test_casts_give_the_tensor_itself_when_nothing_changes() -> None:
    x = f32(1.5)
    assert run("to.dtype", x, dtypes.float32, False) is x
    assert run("to_float", x) is x
    assert run("to_long", x).dtype == np.int64


# ---- reductions


def test_reduction_dtypes() -> None:
    for dtype in (np.uint8, np.int32, np.bool_):
        assert run("sum", np.ones(3, dtype), None).dtype == np.int64
    assert run("sum", np.ones(3, np.int8), dtypes.float32).dtype == np.float32
    assert run("any", np.ones(3, np.uint8)).dtype == np.uint8
    assert run("argmax", f32(1.0, 2.0), None, False).dtype == np.int64
    with pytest.raises(RuntimeError, match=r"mean\(\): could not infer output dtype. Input dtype .* Got: Long"):
        run("mean", i64(1), None)


def test_reduction_shapes() -> None:
    x = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    assert run("sum.dim", x, (0, -1), False, None).shape == (3,)
    assert run("sum.dim", x, (0, -1), True, None).shape == (1, 3, 1)
    assert run("sum.dim", x, None, True, None).shape == (1, 1, 1)
    assert run("any.dim", x, (), False).shape == (2, 3, 4)
    assert run("amax", x, (), False).shape == ()
    assert run("sum.dim", np.zeros((0, 3), np.float32), (0,), False, None).shape == (3,)


def test_extremes() -> None:
    values, indices = run("max.dim", np.array([[1.0, NAN, 3.0], [2.0, 2.0, 1.0]]), 1, False)
    same(values, [NAN, 2.0])
    same(indices, [1, 0])
    same(run("argmin", i64(3, 1, 1), None, False), 1)
    with pytest.raises(RuntimeError, match=r"max\(\): Expected reduction dim to be specified for input.numel\(\) == 0"):
        run("max", f32())
    with pytest.raises(IndexError, match=r"amin\(\): Expected reduction dim 0 to have non-zero size"):
        run("amin", np.zeros((0, 2)), (0,), False)


def test_dimension_errors() -> None:
    with pytest.raises(IndexError, match=r"expected to be in range of \[-1, 0\], but got 1"):
        run("sum.dim", f32(1.0), (1,), False, None)
    with pytest.raises(RuntimeError, match="dim 0 appears multiple times in the list of dims"):
        TABLE["sum.dim"].semantics(f32(1.0), (0, -1), False, None)


# ---- views, indexing, shapes


def test_views_share_memory() -> None:
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    calls: list[tuple[Any, ...]] = [
        ("transpose", 0, 1),
        ("t",),
        ("T",),
        ("mT",),
        ("permute", (1, 0)),
        ("view", (3, -1)),
        ("reshape", (6,)),
        ("flatten", 0, -1),
        ("unflatten", 1, (3, 1)),
        ("unsqueeze", 1),
        ("squeeze",),
        ("expand", (4, 2, 3), False),
        ("select.int", 0, -1),
        ("slice.Tensor", 1, 1, None, 2),
        ("narrow", 1, 0, 2),
        ("diagonal", 0, 0, 1),
        ("detach",),
        ("contiguous",),
    ]
    for name, *args in calls:
        assert np.shares_memory(x, run(name, x, *args)), name
        assert TABLE[name].effects.view_of == 0
    assert not np.shares_memory(x, run("reshape", x.T, (6,)))
    assert not np.shares_memory(x, run("contiguous", x.T))


def test_view_errors() -> None:
    x = np.zeros((2, 3))
    with pytest.raises(RuntimeError, match=r"shape '\[4, -1\]' is invalid for input of size 6"):
        run("view", x, (4, -1))
    with pytest.raises(RuntimeError, match="view size is not compatible with input tensor's size and stride"):
        run("view", x.T, (6,))
    with pytest.raises(RuntimeError, match=r"The expanded size of the tensor \(5\) must match the existing size \(3\)"):
        run("expand", x, (2, 5), False)
    with pytest.raises(IndexError, match="index 2 is out of bounds for dimension 0 with size 2"):
        run("select.int", x, 0, 2)
    with pytest.raises(ValueError, match="step must be greater than zero"):
        run("slice.Tensor", x, 0, None, None, -1)


def test_zero_dim_results_stay_tensors() -> None:
    assert run("select.int", f32(1.0, 2.0), 0, 1).shape == ()
    assert isinstance(run("sum", f32(1.0), None), np.ndarray)
    assert isinstance(run("add", np.float32(1.0), 1, 1), np.ndarray)


def test_conversions_to_scalars() -> None:
    assert run("item", f32(2.5)) == 2.5
    assert run("int.Tensor", f32(2.5)) == 2
    assert TABLE["item"].type_rule([Constant(None, TENSOR)]) == TensorType(None, 0)
    assert TABLE["item"].type_rule([ValueArg(np.ones(1, np.int8))]) == INT
    with pytest.raises(RuntimeError, match="Boolean value of Tensor with more than one value is ambiguous"):
        run("bool.Tensor", f32(1.0, 2.0))
    with pytest.raises(ValueError, match="only one element tensors can be converted to Python scalars"):
        run("float.Tensor", f32())


def test_sizes() -> None:
    rule = TABLE["size"].type_rule
    assert rule([ValueArg(np.zeros((2, 3)))]) == TupleType((INT, INT))
    assert str(rule([Constant(None, TENSOR)])) == "Size"
    assert run("size.int", np.zeros((2, 3)), -1) == 3
    assert run("stride", np.zeros((2, 3)).T) == (1, 3)
    assert run("stride", np.zeros((0, 3))) == (3, 1)


def test_tuple_items() -> None:
    pair = Constant(None, TupleType((INT, FLOAT)))
    rule = TABLE["getitem.tuple"].type_rule
    assert rule([pair, Constant(-1, INT)]) == FLOAT
    with pytest.raises(OperatorTypeError, match="tuple index out of range"):
        rule([pair, Constant(2, INT)])
    with pytest.raises(OperatorTypeError, match="must be a constant"):
        rule([pair, Constant(MISSING, INT)])


# ---- creation


MIXED = ((1, 2.5), (2**53 + 1, 0.5), (-(2**62) - 1, 3e10), (16777217, math.nan), (300, -300.7), (2**63 - 1, 1e300))


@pytest.mark.parametrize(
    "name", "float32 float64 float16 bfloat16 complex64 int8 uint8 int32 int64 uint64 bool".split()
)
def test_ints_and_floats_in_one_literal(name: str) -> None:
    """Each number becomes an element as it would alone: an int is not rounded twice."""
    dtype = getattr(tscript, name)
    for values in MIXED:
        found = tscript.ones(1).to(dtype).new_tensor(values)
        alone = [tscript.tensor(v).to(dtype) if type(v) is int else tscript.tensor(v, dtype=dtype) for v in values]
        assert repr(found.tolist()) == repr(tscript.stack(alone).tolist()) and found.dtype is dtype


def test_dtype_of_new_tensors() -> None:
    assert run("zeros", (2,), None).dtype == np.float32
    assert run("full", (2,), 1, None).dtype == np.int64
    assert run("full", (2,), True, None).dtype == np.bool_
    assert run("arange", 3, None).dtype == np.int64
    assert run("arange", 3.0, None).dtype == np.float32
    assert run("tensor", ((1, 2.5), (3, 4)), None).dtype == np.float32
    assert run("tensor", (), None).dtype == np.float32
    assert run("tensor", (True, False), None).dtype == np.bool_
    assert run("zeros_like", i64(1, 2), None).dtype == np.int64


def test_ranges() -> None:
    same(run("arange.start_step", 10, 0, -3, None), [10, 7, 4, 1])
    same(run("arange.start_step", 0.0, 1.0, 0.25, None), f32(0.0, 0.25, 0.5, 0.75))
    same(run("linspace", 0, 1, 5, None), f32(0.0, 0.25, 0.5, 0.75, 1.0))
    with pytest.raises(RuntimeError, match="upper bound and lower bound inconsistent with step sign"):
        run("arange.start_step", 0, 5, -1, None)


def test_literals() -> None:
    pair: Type = TupleType((INT, FLOAT))
    assert literal_shape(TupleType((pair, pair))) == ((2, 2), (INT, FLOAT, INT, FLOAT))
    with pytest.raises(ValueError, match=r"expected sequence of length 2 at dim 1 \(got 1\)"):
        literal_shape(TupleType((pair, TupleType((INT,)))))
    with pytest.raises(OperatorTypeError, match="a tensor is made of numbers in nested tuples or lists, not of None"):
        literal_shape(NONE)
    same(run("tensor_of_ints", (1, 2, 3, 4), (2, 2), dtypes.float32), [[1, 2], [3, 4]])


def test_joining() -> None:
    a, b = f32(1.0), i64(2)
    assert run("cat", (a, b), 0).dtype == np.float32
    assert run("stack", (a, a), -1).shape == (1, 2)
    same(run("cat", (np.zeros((0,), np.float32), np.ones((1, 2), np.float32)), 1), [[1, 1]])
    with pytest.raises(RuntimeError, match="Expected size 1 but got size 2 for tensor number 1 in the list"):
        run("cat", (np.zeros((1, 3)), np.zeros((2, 3))), 1)


# ---- products


def test_products() -> None:
    a, b = np.ones((2, 3), np.float32), np.ones((3, 4), np.float32)
    assert run("matmul", a, b).shape == (2, 4)
    assert run("matmul", a, b[:, 0]).shape == (2,)
    assert run("matmul", a[0], b[:, 0]).shape == ()
    assert run("matmul", np.ones((5, 1, 2, 3), np.float32), np.ones((7, 3, 4), np.float32)).shape == (5, 7, 2, 4)
    with pytest.raises(RuntimeError, match=r"mat1 and mat2 shapes cannot be multiplied \(2x3 and 2x3\)"):
        run("mm", a, a)
    with pytest.raises(RuntimeError, match="expected m1 and m2 to have the same dtype, but got: Float != Double"):
        run("matmul", a, b.astype(np.float64))


# ---- composites

X = np.array([[0.5, -1.0, 2.0], [3.0, 0.25, -0.5]], np.float32)
W = np.ones((4, 3), np.float32)
B = np.arange(4, dtype=np.float32)
POWERS = np.exp(X)
WIDE = np.exp(X.astype(np.float64))
CALLS: dict[str, tuple[tuple[Any, ...], Any]] = {
    "gelu": ((X, "tanh"), 0.5 * X * (1 + np.tanh(0.7978845608028654 * (X + 0.044715 * X**3)))),
    "div.mode": ((X, 0.75, "floor"), np.floor(X / np.float32(0.75))),
    "std": ((X, True), np.std(X, ddof=1)),
    "std.dim": ((X, (0,), False, True), np.std(X, 0, keepdims=True)),
    "std.correction": ((X, (1,), 2, False), np.std(X, 1, ddof=2)),
    "softmax": ((X, 1), POWERS / POWERS.sum(1, keepdims=True)),
    "softmax.dtype": ((X, 0, dtypes.float64), WIDE / WIDE.sum(0)),
    "log_softmax": ((X, -1), X - np.log(POWERS.sum(1, keepdims=True))),
    "log_softmax.dtype": ((X, 0, dtypes.float64), X - np.log(WIDE.sum(0))),
    "logsumexp": ((X, (1,), False), np.log(POWERS.sum(1))),
    "outer": ((X[0], X[1]), np.outer(X[0], X[1])),
    "linear": ((X, W, None), X @ W.T),
    "linear.bias": ((X, W, B), X @ W.T + B),
    "addmm": ((X, X, np.eye(3, dtype=np.float32), 2, 0.5), 2.5 * X),
    "baddbmm": ((X, X[None], np.eye(3, dtype=np.float32)[None], 1, 3), 4 * X[None]),
    "item.number": ((X[0, :1],), 0.5),
    "addmv": ((X[:, 0], X, W[0], 2, 0.5), 2 * X[:, 0] + 0.5 * X.sum(1)),
    "trace": ((X,), 0.75),
    "addr": ((X, X[:, 0], W[0], 2, 0.5), 2 * X + 0.5 * X[:, :1]),
    "inner": ((X, W[:, ::-1]), X @ W.T),
    "var_mean": ((X, True), (np.var(X, ddof=1), X.mean())),
    "var_mean.dim": ((X, (0,), False, True), (X.var(0, keepdims=True), X.mean(0, keepdims=True))),
    "var_mean.correction": ((X, (1,), 2, False), (np.var(X, 1, ddof=2), X.mean(1))),
    "std_mean": ((X, False), (X.std(), X.mean())),
    "std_mean.dim": ((X, (0,), True, False), (X.std(0, ddof=1), X.mean(0))),
    "std_mean.correction": ((X, None, None, False), (X.std(ddof=1), X.mean())),
    "embedding": ((np.array([[1, 0, 1]]), X, None, None, 2.0, False, False), X[[[1, 0, 1]]]),
    "scaled_dot_product_attention": ((X, W, B[:, None], None, 0, False, 0.5, False), np.full((2, 1), 1.5)),
    "batch_norm": ((X, W[0], W[0], W[0] * 2, W[0], False, 0.1, 3.0), (X - 1) / 2 * 2 + 1),
    "linalg_vector_norm": ((X, 3, (1,), False, None), (np.abs(X) ** 3).sum(1) ** (1 / 3)),
    "norm": ((X, None, (0,), True, None), np.sqrt((X * X).sum(0, keepdims=True))),
    "norm.str": ((X, "fro", None, False, None), np.sqrt((X * X).sum())),
    "dist": ((X, X + 1, 1), 6.0),
    "pairwise_distance": ((X, X + 1, 1, 0.5, False), np.array([1.5, 1.5])),
    "cosine_similarity": ((X, -X, 1, 1e-8), np.array([-1.0, -1.0])),
    "normalize": ((X, 1, (1,), 1e-12), X / np.abs(X).sum(1, keepdims=True)),
    "layer_norm": ((X, (3,), None, None, 0.0), (X - X.mean(1, keepdims=True)) / X.std(1, keepdims=True)),
    "rms_norm": ((X, (3,), W[0], None), X / np.sqrt((X * X).mean(1, keepdims=True))),
    "l1_loss": ((X, X + 2, "mean"), 2.0),
    "mse_loss": ((X, X + 2, "none"), np.full((2, 3), 4.0)),
    "smooth_l1_loss": ((X, X + 2, "sum", 4.0), 3.0),
    "huber_loss": ((X, X + 2, "sum", 1.0), 9.0),
    "glu": ((X, 0), X[:1] / (1 + np.exp(-X[1:]))),
    "softmin": ((X, 1, None), 1 / POWERS / (1 / POWERS).sum(1, keepdims=True)),
    "softsign": ((X,), X / (1 + np.abs(X))),
    "tanhshrink": ((X,), X - np.tanh(X)),
    "divmod.int": ((-7, 2), (-4, 1)),
    "divmod.float": ((-7.5, 2.0), (-4.0, 0.5)),
}


@pytest.mark.parametrize(
    "op",
    [op for op in TABLE.operators if isinstance(op.implementation, Composite) and op.name in CALLS],
    ids=lambda op: op.name,
)
def test_composite(op: OpDef) -> None:
    args, expected = CALLS[op.name]
    found = run(op.name, *args)
    pair = isinstance(found, tuple) and isinstance(expected[0], np.ndarray | np.floating)
    for value, wanted in zip(found, expected, strict=True) if pair else [(found, expected)]:
        if not isinstance(value, np.ndarray):
            assert value == wanted
            continue
        wanted = np.asarray(wanted)
        assert value.dtype == (wanted.dtype if ".dtype" in op.name else np.float32)
        assert value.shape == wanted.shape
        np.testing.assert_allclose(value, wanted, rtol=1e-5, atol=1e-6)


def test_logsumexp_of_infinities() -> None:
    same(run("logsumexp", np.array([[INF, 1.0], [-INF, -INF]], np.float32), (1,), False), f32(INF, -INF))


def test_composite_without_dtype_is_unknown() -> None:
    arg = Constant(MISSING, TENSOR)
    assert result_type(TABLE["softmax"], [arg, Constant(1, INT)], CONTEXT) == TENSOR
    known = Constant(MISSING, TensorType(dtypes.float64, None))
    assert result_type(TABLE["softmax"], [known, Constant(1, INT)], CONTEXT) == TensorType(dtypes.float64, None)
    refused = Constant(MISSING, TensorType(dtypes.int64, 1))
    assert result_type(TABLE["softmax"], [refused, Constant(0, INT)], CONTEXT) == NEVER


def test_a_negative_int_is_no_exponent_of_integers() -> None:
    """Whether it is a constant or not, and in place; of tensors of exponents each gives 1, -1 or 0."""

    @tscript.script
    def power(x: tscript.Tensor, n: int) -> tscript.Tensor:
        return x**n

    x = tscript.tensor([2, -1])
    for call in (lambda: x**-2, lambda: x.clone().pow_(-2), lambda: tscript.pow(x, -1), lambda: power(x, -2)):
        with pytest.raises(RuntimeError, match="Integers to negative integer powers are not allowed"):
            call()
    assert power(x, 3).tolist() == [8, -1]
    assert (x ** tscript.tensor([-2, -1])).tolist() == [0, -1]
    assert power(x.float(), -1).tolist() == [0.5, -1.0]


def test_batch_norm_of_a_vector_without_elements_is_one() -> None:
    for training in (True, False):
        for given in ((None, None), (tscript.zeros(0), tscript.ones(0))):
            if training or given[0] is not None:
                found = tscript.nn.functional.batch_norm(tscript.zeros(0), *given, training=training)
                assert (found.shape, found.dtype) == ((0,), tscript.float32)
