"""What divisions of integer tensors check: PyTorch raises when a divisor is 0."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tscript.operators.core.define import kernel, tensor_of
from tscript.operators.core.opdef import READS_ELEMENTS, Arg, OpDef, OperatorTypeError
from tscript.operators.core.values import Array
from tscript.operators.tensor.pointwise_arrays import check_divisor
from tscript.types import BOOL, INT, Type


def _tensors(args: Sequence[Arg]) -> Type:
    for arg in args:
        tensor_of(arg)
    return BOOL


def _number(args: Sequence[Arg]) -> Type:
    tensor_of(args[0])
    if args[1].type != INT:
        raise OperatorTypeError(f"expected an int, not {args[1].type}")
    return BOOL


def _checked(self: Array, other: Array | int) -> bool:
    check_divisor(self, np.asarray(other))
    return True


CHECK: OpDef = kernel(
    "check_divisor(Tensor self, Tensor other) -> bool",
    _tensors,
    _checked,
    "check_divisor",
    "True, unless a division of the integers `self` by `other` divides by 0: then RuntimeError.",
    tags=(READS_ELEMENTS,),
)
CHECK_NUMBER: OpDef = kernel(
    "check_divisor.int(Tensor self, int other) -> bool",
    _number,
    _checked,
    "check_divisor_int",
    "The same for an int.",
)
OPERATORS: tuple[OpDef, ...] = (CHECK, CHECK_NUMBER)
