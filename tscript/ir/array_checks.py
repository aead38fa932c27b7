"""Errors of operators on arrays, in NumPy's words, before the operator is run on the values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tscript.definitions.array_errors import check_assigned, check_index, check_pointwise
from tscript.definitions.opdef import ForArrays, Kernel, Pointwise
from tscript.definitions.promotion import PointwiseRule
from tscript.ir.nodes import Op
from tscript.operators.python.elements import CHECK_WRITABLE, SELECT_INDEX
from tscript.types import ArrayType


def check_arrays(node: Op, values: Sequence[Any]) -> None:
    """Raise what an operator raises for arrays, and does not for tensors."""
    if not any(isinstance(v.type, ArrayType) for v in (*node.inputs, *node.outputs)):
        return
    match node.op.implementation:
        case Pointwise(rule=PointwiseRule() as rule):
            check_pointwise(node.op, rule, values)
        case Kernel(for_arrays=ForArrays(check=check)):
            check(*values)
        case _ if node.op is SELECT_INDEX:
            array, dim, index, axis = values
            check_index(index, array.shape[dim], axis)
        case _ if node.op is CHECK_WRITABLE:
            check_assigned(*values)
