"""Tensors converted to another dtype, copied, and overwritten."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tscript.arrays import Array
from tscript.definitions.define import pointwise
from tscript.definitions.opdef import SAME_DTYPE_IS_SELF, Arg, OpDef
from tscript.definitions.promotion import PointwiseRule, first, keep
from tscript.definitions.rules import constant_dtype, tensor_of
from tscript.definitions.values import ValueArg, cast
from tscript.dialect import T
from tscript.late import replace
from tscript.operators.tensor.pointwise import BINARY, UNARY, same
from tscript.types import DType, dtypes

Target = Callable[[Sequence[Arg]], DType | None]


def _dtype_at(position: int) -> Target:
    return lambda args: constant_dtype(args[position], None)


def _dtype_like(args: Sequence[Arg]) -> DType | None:
    return tensor_of(args[1]).dtype


def _always(dtype: DType) -> Target:
    return lambda args: dtype


def _cast(schema: str, target: Target, doc: str, names: str) -> OpDef:
    rule = PointwiseRule(UNARY, keep, target=target)
    made = pointwise(schema, rule, same, doc, tags=(SAME_DTYPE_IS_SELF,), names=names, complex=True)

    def semantics(*values: object) -> Array:
        dtype = target([ValueArg(v) for v in values])
        assert dtype is not None
        return cast(values[0], dtype)

    return replace(made, semantics=semantics)


_CASTS = (
    _cast(
        "to.dtype(Tensor self, dtype dtype, bool non_blocking=False) -> Tensor",
        _dtype_at(1),
        "Converted to `dtype`; `self` itself if it has it.",
        "Tensor.to",
    ),
    _cast(
        "type(Tensor self, dtype dtype, bool non_blocking=False) -> Tensor",
        _dtype_at(1),
        "Converted to `dtype`.",
        "Tensor.type",
    ),
    _cast(
        "to.other(Tensor self, Tensor other, bool non_blocking=False) -> Tensor",
        _dtype_like,
        "Converted to the dtype of `other`.",
        "Tensor.to",
    ),
    _cast(
        "type_as(Tensor self, Tensor other) -> Tensor",
        _dtype_like,
        "Converted to the dtype of `other`.",
        "tscript.type_as Tensor.type_as",
    ),
    *(
        _cast(
            f"to_{name}(Tensor self) -> Tensor",
            _always(dtype),
            f"Converted to {dtype.name}: the method ``{name}()``.",
            f"Tensor.{name}",
        )
        for name, dtype in (
            ("float", dtypes.float32),
            ("double", dtypes.float64),
            ("half", dtypes.float16),
            ("bfloat16", dtypes.bfloat16),
            ("int", dtypes.int32),
            ("long", dtypes.int64),
            ("short", dtypes.int16),
            ("char", dtypes.int8),
            ("byte", dtypes.uint8),
            ("bool", dtypes.bool_),
            ("cfloat", dtypes.complex64),
            ("cdouble", dtypes.complex128),
        )
    ),
)


def second(x: T, value: T) -> T:
    return value


def zero(x: T) -> T:
    return T(0)


_COPIES = (
    pointwise(
        "clone(Tensor self) -> Tensor",
        PointwiseRule(UNARY, keep),
        same,
        "A contiguous copy.",
        names="clone out=no",
        complex=True,
    ),
    pointwise(
        "copy_(Tensor(a!) self, Tensor src, bool non_blocking=False) -> Tensor",
        PointwiseRule(BINARY, first, in_place=True, assigns=True),
        second,
        "Overwrite `self` with `src`, broadcast and converted to its dtype.",
        complex=True,
    ),
    pointwise(
        "fill_(Tensor(a!) self, Tensor value) -> Tensor",
        PointwiseRule(BINARY, first, in_place=True, assigns=True),
        second,
        "Overwrite every element with a number.",
        names="torch.fill_ Tensor.fill_",
        complex=True,
    ),
    pointwise(
        "zero_(Tensor(a!) self) -> Tensor",
        PointwiseRule(UNARY, first, in_place=True, assigns=True),
        zero,
        "Overwrite every element with zero.",
        names="torch.zero_ Tensor.zero_",
        complex=True,
    ),
)

OPERATORS: tuple[OpDef, ...] = (*_CASTS, *_COPIES)
"""All operators of this module."""
