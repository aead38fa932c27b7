"""Results that are written into tensors which the caller gives: ``torch.add(x, y, out=z)``.

What is stored is computed from the arguments as they were, whatever memory they share with `out`. A pointwise operator
is fused with the operator that stores: it writes into `out` as it goes, and copies an argument only where that and
`out` overlap in part. Tensors are not resized.
"""

from __future__ import annotations

from collections.abc import Sequence

from tscript.definitions.define import pointwise
from tscript.definitions.opdef import OpDef, OperatorRuntimeError
from tscript.definitions.promotion import Computation, Operand, PointwiseRule
from tscript.operators.tensor.casts import second


def _stored(operands: Sequence[Operand]) -> Computation:
    return Computation(operands[1].dtype, operands[1].dtype)


def _same(operands: Sequence[Operand]) -> Computation:
    out, result = (operand.dtype for operand in operands)
    if out is not result:
        wanted, found = result.c_name, out.c_name
        raise OperatorRuntimeError(f"Expected out tensor to have dtype {wanted}, but got {found} instead")
    return _stored(operands)


STORE_OUT = pointwise(
    "store_out(Tensor(a!) self, Tensor result) -> Tensor",
    PointwiseRule((0, 1), _same, in_place=True, same_shape=True),
    second,
    "A result stored in the tensor given as `out`, which has its dtype and shape.",
    names="",
    complex=True,
)
CAST_OUT = pointwise(
    "cast_out(Tensor(a!) self, Tensor result) -> Tensor",
    PointwiseRule((0, 1), _stored, in_place=True, same_shape=True),
    second,
    "A result converted and stored in the tensor given as `out`, which has its shape.",
    names="",
    complex=True,
)

OPERATORS: tuple[OpDef, ...] = (STORE_OUT, CAST_OUT)
"""All operators of this module; none has a name."""
