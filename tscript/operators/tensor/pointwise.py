"""Pointwise operators on tensors: one definition each, with the in-place variant ``name_`` derived.

A ``Tensor`` parameter also takes a number. Fusible; the bodies stand in `tscript.operators.tensor.pointwise_bodies` and
`vector_math`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from tscript.dialect import sqrt
from tscript.dialect import vector_math as vm
from tscript.operators.core.define import (
    NUMBERS_AS_TENSORS,
    composite,
    constant_dtype,
    pointwise,
    pointwise_pair,
    tensor_of,
)
from tscript.operators.core.opdef import SAME_DTYPE_IS_SELF, Arg, OpDef, OperatorRuntimeError, OperatorTypeError
from tscript.operators.core.promotion import (
    Computation,
    Decision,
    Operand,
    PointwiseRule,
    classify,
    comparison,
    first,
    is_bool,
    is_float,
    is_no_float,
    keep,
    logical,
    not_implemented,
    promote,
    promote_float,
    refusing,
)
from tscript.operators.core.values import Array, cast
from tscript.operators.tensor import pointwise_arrays as arrays
from tscript.operators.tensor import pointwise_bodies as body
from tscript.operators.tensor.pointwise_arrays import Function
from tscript.types import BOOL, FLOAT, DType, TensorType, Type, dtypes

UNARY = (0,)
_BINARY = (0, 1)


def no_bool(text: str) -> Callable[[Sequence[Operand], Computation], str | None]:
    """A refusal with `text` when the result would be bool."""

    def refuse(operands: Sequence[Operand], found: Computation) -> str | None:
        return text if found.result is dtypes.bool_ else None

    return refuse


def _both_bool(operands: Sequence[Operand], found: Computation) -> str | None:
    if all(o.dtype is dtypes.bool_ for o in operands):
        return (
            "Subtraction, the `-` operator, with two bool tensors is not supported. "
            "Use the `^` or `logical_xor()` operator instead."
        )
    if any(o.dtype is dtypes.bool_ for o in operands):
        return (
            "Subtraction, the `-` operator, with a bool tensor is not supported. "
            "If you are trying to invert a mask, use the `~` or `logical_not()` operator instead."
        )
    return None


def float_only(name: str) -> Decision:
    """Promotion that refuses all but floats, for the kernel `name` in PyTorch's words."""
    return not_implemented(promote, f"{name}_cpu", is_no_float)


def _no_bools(name: str) -> Decision:
    return not_implemented(promote, name, is_bool)


def _squared(operands: Sequence[Operand]) -> Computation:
    """A bool squared is an int, as a power of it is."""
    return Computation(dtypes.int64, dtypes.int64) if operands[0].dtype is dtypes.bool_ else promote(operands)


_INTEGER_DIVISION = (
    "Integer division with addcdiv is no longer supported, and in a future  release addcdiv will perform a true "
    "division "
    "of tensor1 and tensor2."
)


def _no_division(operands: Sequence[Operand], found: Computation) -> str | None:
    return None if found.compute.is_floating_point else _INTEGER_DIVISION


def _check_division(args: Sequence[Arg], computation: Computation) -> None:
    found = [a.type.dtype for a in args[1:3] if isinstance(a.type, TensorType) and a.type.dtype is not None]
    if len(found) == 2 and not any(d.is_floating_point for d in found):
        raise OperatorRuntimeError(_INTEGER_DIVISION)


def _check_alpha(args: Sequence[Arg], computation: Computation) -> None:
    found = args[2].type
    if found == BOOL and computation.result is not dtypes.bool_:
        raise OperatorRuntimeError("Boolean alpha only supported for Boolean results.")
    if found == FLOAT and not computation.compute.is_floating_point:
        raise OperatorRuntimeError("For integral input tensors, argument alpha must not be a floating point number.")


def _check_exponent(args: Sequence[Arg], computation: Computation) -> None:
    exponent = args[1].constant
    if isinstance(exponent, int) and exponent < 0 and not computation.compute.is_floating_point:
        if not isinstance(args[1].type, TensorType):
            raise OperatorRuntimeError("Integers to negative integer powers are not allowed.")


def _with_alpha(decision: Decision) -> PointwiseRule:
    return PointwiseRule((0, 1, 2), decision, silent=(2,), check=_check_alpha)


# ---- families


def unary(
    name: str, decision: Decision, run: Function, numpy: Function, doc: str, exact: bool = True
) -> tuple[OpDef, ...]:
    """An operator of one tensor and its in-place variant."""
    return pointwise_pair(
        f"{name}(Tensor self) -> Tensor", PointwiseRule(UNARY, decision), run, numpy, doc, exact=exact
    )


def _binary(
    name: str, decision: Decision, run: Function, numpy: Function, doc: str, exact: bool = True
) -> tuple[OpDef, ...]:
    rule = PointwiseRule(_BINARY, decision, fixed=dtypes.bool_ if decision is comparison else None)
    return pointwise_pair(f"{name}(Tensor self, Tensor other) -> Tensor", rule, run, numpy, doc, exact=exact)


def _predicate(name: str, decision: Decision, run: Function, numpy: Function, doc: str) -> tuple[OpDef, ...]:
    rule = PointwiseRule(UNARY, decision, fixed=dtypes.bool_)
    return (pointwise(f"{name}(Tensor self) -> Tensor", rule, run, numpy, doc),)


def _function(name: str, run: Function, numpy: Function, doc: str) -> tuple[OpDef, ...]:
    return unary(name, promote_float, run, numpy, doc, exact=False)


_ARITHMETIC = (
    *pointwise_pair(
        "add(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
        _with_alpha(promote),
        body.add,
        lambda x, y, alpha: x + alpha * y,
        "Sum ``self + alpha * other``.",
    ),
    *pointwise_pair(
        "sub(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
        _with_alpha(refusing(promote, _both_bool)),
        body.sub,
        lambda x, y, alpha: x - alpha * y,
        "Difference ``self - alpha * other``.",
    ),
    pointwise(
        "rsub(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
        _with_alpha(refusing(promote, _both_bool)),
        body.rsub,
        lambda x, y, alpha: y - alpha * x,
        "Difference ``other - alpha * self``.",
    ),
    *_binary("mul", promote, body.mul, lambda x, y: x * y, "Product."),
    *pointwise_pair(
        "div(Tensor self, Tensor other, *, None rounding_mode=None) -> Tensor",
        PointwiseRule(_BINARY, promote_float),
        body.div,
        lambda x, y: x / y,
        "True quotient; of integers a float.",
    ),
    *_binary(
        "floor_divide",
        _no_bools("div_floor_cpu"),
        body.floor_divide,
        arrays.floor_divide,
        "Quotient rounded down; an integer by zero raises RuntimeError.",
    ),
    *_binary(
        "trunc_divide",
        _no_bools("div_trunc_cpu"),
        body.trunc_divide,
        arrays.trunc_divide,
        "Quotient rounded towards zero.",
    ),
    *_binary(
        "remainder",
        _no_bools("remainder_cpu"),
        body.remainder,
        arrays.remainder,
        "Remainder with the sign of `other`; an integer by zero raises RuntimeError.",
    ),
    *_binary(
        "fmod",
        _no_bools("fmod_cpu"),
        body.fmod,
        arrays.fmod,
        "Remainder with the sign of `self`; an integer by zero raises RuntimeError.",
    ),
    *pointwise_pair(
        "pow(Tensor self, Tensor exponent) -> Tensor",
        PointwiseRule(_BINARY, _no_bools("pow"), check=_check_exponent),
        body.power,
        arrays.power,
        "``self`` to the power `exponent`.",
        exact=False,
    ),
    *unary(
        "neg",
        refusing(
            promote,
            no_bool(
                "Negation, the `-` operator, on a bool tensor is not supported. "
                "If you are trying to invert a mask, use the `~` or `logical_not()` operator instead."
            ),
        ),
        body.neg,
        lambda x: -x,
        "``-self``.",
    ),
    pointwise(
        "positive(Tensor self) -> Tensor",
        PointwiseRule(UNARY, refusing(promote, no_bool("The `+` operator, on a bool tensor is not supported."))),
        body.same,
        lambda x: x,
        "``+self``.",
    ),
    *unary("abs", _no_bools("abs_cpu"), body.absolute, np.abs, "Absolute value."),
    *unary("square", _squared, body.square, lambda x: x * x, "``self * self``."),
    *unary("sign", promote, body.sign, arrays.sign, "-1, 0 or 1; of NaN 0."),
    *unary("reciprocal", promote_float, vm.reciprocal, lambda x: x.dtype.type(1) / x, "``1 / self``."),
    *pointwise_pair(
        "lerp(Tensor self, Tensor end, Tensor weight) -> Tensor",
        PointwiseRule((0, 1, 2), float_only("lerp")),
        body.lerp,
        arrays.lerp,
        "From `self` to `end` by `weight`.",
    ),
    *pointwise_pair(
        "addcmul(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor",
        PointwiseRule((0, 1, 2, 3), promote, silent=(3,)),
        body.addcmul,
        lambda x, a, b, value: x + value * a * b,
        "``self + value * tensor1 * tensor2``.",
    ),
    *pointwise_pair(
        "addcdiv(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor",
        PointwiseRule((0, 1, 2, 3), refusing(promote, _no_division), silent=(3,), check=_check_division),
        body.addcdiv,
        lambda x, a, b, value: x + value * (a / b),
        "``self + value * tensor1 / tensor2``.",
    ),
)

_ROUNDING = (
    *unary("floor", _no_bools("floor_vml_cpu"), body.to_floor, arrays.whole(np.floor), "Rounded down."),
    *unary("ceil", _no_bools("ceil_vml_cpu"), body.to_ceil, arrays.whole(np.ceil), "Rounded up."),
    *unary("trunc", _no_bools("trunc_vml_cpu"), body.to_trunc, arrays.whole(np.trunc), "Rounded towards zero."),
    *unary(
        "round",
        _no_bools("round_vml_cpu"),
        body.to_round,
        arrays.whole(np.rint),
        "Rounded to the nearest integer, halves to even.",
    ),
    *unary(
        "frac",
        float_only("frac"),
        body.frac,
        lambda x: x - np.trunc(x),
        "The part behind the point.",
    ),
)

_ORDER = (
    *_binary("maximum", promote, body.maximum, arrays.maximum, "The greater of two; NaN if one is."),
    *_binary("minimum", promote, body.minimum, arrays.minimum, "The lesser of two; NaN if one is."),
    *pointwise_pair(
        "clamp(Tensor self, Tensor min, Tensor max) -> Tensor",
        PointwiseRule((0, 1, 2), promote),
        body.clamp,
        arrays.clamp,
        "Within [min, max]; `max` if min > max.",
    ),
    *pointwise_pair(
        "clamp.min(Tensor self, Tensor min, None max=None) -> Tensor",
        PointwiseRule((0, 1), promote),
        body.at_least,
        arrays.at_least,
        "At least `min`.",
    ),
    *pointwise_pair(
        "clamp.max(Tensor self, None min=None, *, Tensor max) -> Tensor",
        PointwiseRule((0, 2), promote),
        body.at_most,
        arrays.at_most,
        "At most `max`.",
    ),
    *pointwise_pair(
        "clamp.max_positional(Tensor self, None min, Tensor max) -> Tensor",
        PointwiseRule((0, 2), promote),
        body.at_most,
        arrays.at_most,
        "At most `max`.",
    ),
    *pointwise_pair(
        "clamp_min(Tensor self, Tensor min) -> Tensor",
        PointwiseRule(_BINARY, promote),
        body.at_least,
        arrays.at_least,
        "At least `min`.",
    ),
    *pointwise_pair(
        "clamp_max(Tensor self, Tensor max) -> Tensor",
        PointwiseRule(_BINARY, promote),
        body.at_most,
        arrays.at_most,
        "At most `max`.",
    ),
    pointwise(
        "where(Tensor condition, Tensor self, Tensor other) -> Tensor",
        PointwiseRule((0, 1, 2), promote, conditions=(0,)),
        body.where,
        np.where,
        "`self` where `condition` holds, else `other`.",
    ),
    pointwise(
        "where_of(Tensor self, Tensor condition, Tensor other) -> Tensor",
        PointwiseRule((1, 0, 2), promote, conditions=(1,)),
        body.where,
        np.where,
        "The method `where`: `self` where `condition` holds, else `other`.",
    ),
    *pointwise_pair(
        "masked_fill(Tensor self, Tensor mask, Tensor value) -> Tensor",
        PointwiseRule((0, 1, 2), first, conditions=(1,)),
        body.masked_fill,
        lambda x, mask, value: np.where(mask, value, x),
        "`value` where `mask` holds, else `self`.",
    ),
)

_LOGIC = (
    *_binary("eq", comparison, body.eq, np.equal, "``self == other`` by element."),
    *_binary("ne", comparison, body.ne, np.not_equal, "``self != other`` by element."),
    *_binary("lt", comparison, body.lt, np.less, "``self < other`` by element."),
    *_binary("le", comparison, body.le, np.less_equal, "``self <= other`` by element."),
    *_binary("gt", comparison, body.gt, np.greater, "``self > other`` by element."),
    *_binary("ge", comparison, body.ge, np.greater_equal, "``self >= other`` by element."),
    *_binary("logical_and", logical, body.logical_and, np.logical_and, "Whether both are not zero."),
    *_binary("logical_or", logical, body.logical_or, np.logical_or, "Whether one is not zero."),
    *_binary("logical_xor", logical, body.logical_xor, np.logical_xor, "Whether exactly one is not zero."),
    *unary("logical_not", logical, body.logical_not, np.logical_not, "Whether it is zero."),
    *_binary(
        "bitwise_and",
        not_implemented(promote, "bitwise_and_cpu", is_float),
        body.bitwise_and,
        np.bitwise_and,
        "``self & other``.",
    ),
    *_binary(
        "bitwise_or",
        not_implemented(promote, "bitwise_or_cpu", is_float),
        body.bitwise_or,
        np.bitwise_or,
        "``self | other``.",
    ),
    *_binary(
        "bitwise_xor",
        not_implemented(promote, "bitwise_xor_cpu", is_float),
        body.bitwise_xor,
        np.bitwise_xor,
        "``self ^ other``.",
    ),
    *unary(
        "bitwise_not",
        not_implemented(keep, "bitwise_not_cpu", is_float),
        body.bitwise_not,
        np.invert,
        "``~self``; of bools `not`.",
    ),
    *_binary(
        "bitwise_left_shift",
        not_implemented(_no_bools("lshift_cpu"), "lshift_cpu", is_float),
        body.left_shift,
        arrays.left_shift,
        "``self << other``; 0 beyond the width.",
    ),
    *_binary(
        "bitwise_right_shift",
        not_implemented(_no_bools("rshift_cpu"), "rshift_cpu", is_float),
        body.right_shift,
        arrays.right_shift,
        "``self >> other``, with the sign.",
    ),
    *_predicate("isnan", classify, body.isnan, np.isnan, "Whether it is NaN."),
    *_predicate("isinf", classify, body.isinf, np.isinf, "Whether it is infinite."),
    *_predicate("isfinite", classify, body.isfinite, np.isfinite, "Whether it is neither infinite nor NaN."),
)

_FUNCTIONS = (
    *_function("exp", vm.exp, np.exp, "e to the power."),
    *_function("expm1", vm.expm1, np.expm1, "``exp(x) - 1``, exact near 0."),
    *_function("log", vm.log, np.log, "Natural logarithm."),
    *_function("log1p", vm.log1p, np.log1p, "``log(1 + x)``, exact near 0."),
    *_function("log2", vm.log2, np.log2, "Logarithm to base 2."),
    *_function("log10", vm.log10, np.log10, "Logarithm to base 10."),
    *unary("sqrt", promote_float, sqrt, np.sqrt, "Square root."),
    *_function("rsqrt", vm.rsqrt, lambda x: x.dtype.type(1) / np.sqrt(x), "``1 / sqrt(x)``."),
    *_function("sin", vm.sin, np.sin, "Sine."),
    *_function("cos", vm.cos, np.cos, "Cosine."),
    *_function("tanh", vm.tanh, np.tanh, "Hyperbolic tangent."),
    *_function("erf", vm.erf, arrays.erf, "The error function."),
    *_function("sigmoid", vm.sigmoid, arrays.sigmoid, "``1 / (1 + exp(-x))``."),
)


_NAMED = {op.name: op for op in _ARITHMETIC}
ADD = _NAMED["add"]
MUL = _NAMED["mul"]
FLOOR_DIVIDE = _NAMED["floor_divide"]
TRUNC_DIVIDE = _NAMED["trunc_divide"]
INTEGER_DIVISIONS = frozenset(
    _NAMED[f"{name}{end}"] for name in ("floor_divide", "trunc_divide", "remainder", "fmod") for end in ("", "_")
)
"""Operators that raise when integers are divided by zero (`tscript.operators.tensor.divisors`)."""


def div_mode_body(self, other, rounding_mode: str):  # type: ignore[no-untyped-def]
    if rounding_mode == "floor":
        return self.floor_divide(other)
    if rounding_mode == "trunc":
        return self.trunc_divide(other)
    raise RuntimeError("div expected rounding_mode to be one of None, 'trunc', or 'floor'")


def _div_mode(x: Array, other: Array, rounding_mode: str) -> object:
    """`div` with a rounding mode, in the language."""
    by_mode = {"floor": FLOOR_DIVIDE, "trunc": TRUNC_DIVIDE}
    if rounding_mode not in by_mode:
        raise RuntimeError("div expected rounding_mode to be one of None, 'trunc', or 'floor'")
    return by_mode[rounding_mode].semantics(x, other)


def like(op_rule: Callable[[Sequence[Arg]], Type], n: int) -> Callable[[Sequence[Arg]], Type]:
    """The rule of a composite that takes the first `n` arguments to another operator."""

    def rule(args: Sequence[Arg]) -> Type:
        if not any(isinstance(a.type, TensorType) for a in args[:n]):
            raise OperatorTypeError("at least one argument must be a Tensor")
        return op_rule(args[:n])

    return rule


# ---- casts and copies


def _cast_rule(target: Callable[[Sequence[Arg]], DType | None]) -> PointwiseRule:
    return PointwiseRule(UNARY, keep, target=target)


def _dtype_at(position: int) -> Callable[[Sequence[Arg]], DType | None]:
    return lambda args: constant_dtype(args[position], None)


def _dtype_like(args: Sequence[Arg]) -> DType | None:
    return tensor_of(args[1]).dtype


def _always(dtype: DType) -> Callable[[Sequence[Arg]], DType | None]:
    return lambda args: dtype


def _cast(schema: str, target: Callable[[Sequence[Arg]], DType | None], doc: str) -> OpDef:
    made = pointwise(schema, _cast_rule(target), body.same, lambda x: x, doc, tags=(SAME_DTYPE_IS_SELF,))

    def semantics(*values: object) -> Array:
        from tscript.operators.core.values import ValueArg

        dtype = target([ValueArg(v) for v in values])
        assert dtype is not None and isinstance(values[0], np.ndarray | np.generic)
        return cast(values[0], dtype)

    from dataclasses import replace

    return replace(made, semantics=semantics)


_CASTS = (
    _cast(
        "to.dtype(Tensor self, dtype dtype, bool non_blocking=False) -> Tensor",
        _dtype_at(1),
        "Converted to `dtype`; `self` itself if it has it.",
    ),
    _cast(
        "to.other(Tensor self, Tensor other, bool non_blocking=False) -> Tensor",
        _dtype_like,
        "Converted to the dtype of `other`.",
    ),
    _cast("type_as(Tensor self, Tensor other) -> Tensor", _dtype_like, "Converted to the dtype of `other`."),
    *(
        _cast(
            f"to_{name}(Tensor self) -> Tensor", _always(dtype), f"Converted to {dtype.name}: the method ``{name}()``."
        )
        for name, dtype in (
            ("float", dtypes.float32),
            ("double", dtypes.float64),
            ("int", dtypes.int32),
            ("long", dtypes.int64),
            ("short", dtypes.int16),
            ("char", dtypes.int8),
            ("byte", dtypes.uint8),
            ("bool", dtypes.bool_),
        )
    ),
)

_COPIES = (
    pointwise("clone(Tensor self) -> Tensor", PointwiseRule(UNARY, keep), body.same, lambda x: x, "A contiguous copy."),
    pointwise(
        "copy_(Tensor(a!) self, Tensor src, bool non_blocking=False) -> Tensor",
        PointwiseRule(_BINARY, first, in_place=True),
        body.second,
        lambda x, value: value,
        "Overwrite `self` with `src`, broadcast and converted to its dtype.",
    ),
    pointwise(
        "fill_(Tensor(a!) self, Tensor value) -> Tensor",
        PointwiseRule(_BINARY, first, in_place=True),
        body.second,
        lambda x, value: value,
        "Overwrite every element with a number.",
    ),
    pointwise(
        "zero_(Tensor(a!) self) -> Tensor",
        PointwiseRule(UNARY, first, in_place=True),
        body.zero,
        np.zeros_like,
        "Overwrite every element with zero.",
    ),
)

_DIV_MODE = (
    composite(
        "div.mode(Tensor self, Tensor other, *, str rounding_mode) -> Tensor",
        like(FLOOR_DIVIDE.type_rule, 2),
        _div_mode,
        div_mode_body,
        "Quotient rounded as `rounding_mode` ('floor', 'trunc') says.",
        exact=True,
        tags=(NUMBERS_AS_TENSORS,),
    ),
)

OPERATORS: tuple[OpDef, ...] = (
    *_ARITHMETIC,
    *_ROUNDING,
    *_ORDER,
    *_LOGIC,
    *_FUNCTIONS,
    *_CASTS,
    *_COPIES,
    *_DIV_MODE,
)
"""All operators of this module."""
