"""Reductions as nodes: what one does, if it takes the first dimensions, the last one or all of them, and all of that is
constant.

Fusion, the verifier and the backend read reductions with `reduction_of` alone.
"""

from __future__ import annotations

from tscript.definitions.absent import MISSING
from tscript.definitions.opdef import REFUSES_EMPTY, Kernel
from tscript.ir.graph import Op
from tscript.late import dataclass
from tscript.operators.python.folds import Fold
from tscript.types import NONE, TensorType


@dataclass(frozen=True, slots=True)
class ReductionNode:
    """What a node reduces.

    Attributes:
        fold: What is done with one element.
        as_bool: Whether the results are computed as bools.
        keepdim: Whether reduced dimensions stay with size 1.
        whole: Whether it takes all elements, not those along the last dimension.
        refuses_empty: Whether it raises when there is nothing to reduce.
        centre: Of a variance, the fold whose result is the shift of `fold`.
        correction: Of a variance, what the number of elements is lowered by.
        leading: How many dimensions it takes, if these are the first ones but not all; else 0.
    """

    fold: Fold
    as_bool: bool
    keepdim: bool
    whole: bool
    refuses_empty: bool
    centre: Fold | None = None
    correction: float = 1.0
    leading: int = 0


def reduction_of(node: Op) -> ReductionNode | None:
    """What `node` reduces, None if it is no such reduction: its operand has dimensions, and the dtypes are known. If
    their number is not, it takes the dimension -1, or all of them and keeps none."""
    implementation = node.op.implementation
    if not isinstance(implementation, Kernel) or implementation.reduces is None:
        return None
    fold = implementation.reduces.fold
    assert isinstance(fold, Fold)
    source, result = node.inputs[0].type, node.outputs[0].type
    if not isinstance(source, TensorType) or source.dtype is None or source.rank == 0:
        return None
    if not isinstance(result, TensorType) or result.dtype is None:
        return None
    if result.rank is None and source.rank is not None:
        return None
    if source.dtype.is_complex or result.dtype.is_complex:
        return None
    dims: object = None
    keepdim = False
    none_is_all = True
    correction = 1.0
    for parameter, value in zip(node.op.schema.parameters, node.inputs, strict=True):
        if parameter.name == "dim":
            dims = None if value.type == NONE else value.constant
            none_is_all = not implementation.reduces.as_bool
        elif parameter.name == "keepdim":
            if not isinstance(value.constant, bool):
                return None
            keepdim = value.constant
        elif parameter.name == "unbiased":
            if not isinstance(value.constant, bool):
                return None
            correction = float(value.constant)
        elif parameter.name == "correction" and value.type != NONE:
            if not isinstance(value.constant, int | float):
                return None
            correction = float(value.constant)
    if dims is MISSING:
        return None
    chosen = (dims,) if isinstance(dims, int) else dims
    takes_all = chosen is None or (chosen == () and none_is_all)
    whole, leading = takes_all, 0
    if source.rank is None:
        if keepdim if takes_all else chosen != (-1,):
            return None
    elif takes_all:
        pass
    elif isinstance(chosen, tuple) and all(type(d) is int and -source.rank <= d < source.rank for d in chosen):
        marked = {d % source.rank for d in chosen}
        if len(marked) != len(chosen):
            return None
        whole = len(marked) == source.rank
        leading = len(marked) if not whole and marked == set(range(len(marked))) else 0
        if not whole and not leading and marked != {source.rank - 1}:
            return None
    else:
        return None
    centre = implementation.reduces.centre
    assert centre is None or isinstance(centre, Fold)
    refuses_empty = REFUSES_EMPTY in node.op.tags
    as_bool = implementation.reduces.as_bool
    return ReductionNode(fold, as_bool, keepdim, whole, refuses_empty, centre, correction, leading)
