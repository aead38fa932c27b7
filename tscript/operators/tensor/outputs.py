"""Results that are written into tensors which the caller gives: ``torch.add(x, y, out=z)``.

The result is computed first, and then stored, so `out` may be one of the arguments. Tensors are not resized.
"""

from __future__ import annotations

from collections.abc import Sequence

from tscript.operators.core.define import composite, pointwise
from tscript.operators.core.language import Tensor
from tscript.operators.core.opdef import Arg, OpDef, OperatorRuntimeError
from tscript.operators.core.promotion import Computation, Operand, PointwiseRule
from tscript.operators.tensor.casts import second
from tscript.types import DType, TensorType, dtypes

_META_NAMES: dict[DType, str] = {
    dtypes.float32: "float",
    dtypes.float64: "double",
    dtypes.int8: "signed char",
    dtypes.int16: "short int",
    dtypes.int32: "int",
    dtypes.int64: "long int",
    dtypes.uint8: "unsigned char",
    dtypes.bool_: "bool",
}
"""What PyTorch calls dtypes where it compares that of `out`."""


def _stored(operands: Sequence[Operand]) -> Computation:
    return Computation(operands[1].dtype, operands[1].dtype)


def _check_same(args: Sequence[Arg], computation: Computation) -> None:
    out, result = args[0].type, args[1].type
    assert isinstance(out, TensorType) and isinstance(result, TensorType)
    if out.dtype is not None and result.dtype is not None and out.dtype is not result.dtype:
        wanted, found = _META_NAMES[result.dtype], _META_NAMES[out.dtype]
        raise OperatorRuntimeError(f"Expected out tensor to have dtype {wanted}, but got {found} instead")


def check_out(self: Tensor, result: Tensor) -> None:
    if self.shape != result.shape:
        raise RuntimeError(
            f"the tensor given as out has shape {list(self.shape)}, the result has shape {list(result.shape)}: "
            "give a tensor of that shape, none is resized"
        )


CHECK_OUT = composite(
    "check_out(Tensor self, Tensor result) -> None", check_out, "RuntimeError if two tensors differ in shape.", names=""
)
STORE_OUT = pointwise(
    "store_out(Tensor(a!) self, Tensor result) -> Tensor",
    PointwiseRule((0, 1), _stored, in_place=True, check=_check_same),
    second,
    "A result stored in the tensor given as `out`, which has its dtype.",
    names="",
)
CAST_OUT = pointwise(
    "cast_out(Tensor(a!) self, Tensor result) -> Tensor",
    PointwiseRule((0, 1), _stored, in_place=True),
    second,
    "A result of a pointwise operator, converted and stored in the tensor given as `out`.",
    names="",
)

OPERATORS: tuple[OpDef, ...] = (STORE_OUT, CAST_OUT, CHECK_OUT)
"""All operators of this module; none has a name."""
