"""Operators between tensors and lists: tensors of a list joined, a tensor of the numbers in a list."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tscript.arrays import Array, np
from tscript.definitions.opdef import Arg, OpDef, OperatorTypeError
from tscript.operators.python.lists import reads
from tscript.operators.tensor.creation import joined, stacked
from tscript.types import BOOL, FLOAT, INT, SIZE, ListType, TensorType, Type, dtypes


def _of_tensors(more: int) -> Callable[[Sequence[Arg]], Type]:
    """The rule of what joins tensors of a list; of arrays, dtype and rank are known.

    Args:
        more: How many dimensions the result has more than an element.
    """

    def rule(args: Sequence[Arg]) -> Type:
        found = args[0].type
        if not isinstance(found, ListType) or not isinstance(found.element, TensorType):
            raise OperatorTypeError(f"'tensors' must be a list of Tensors, not {found}")
        rank = found.element.rank
        return TensorType(found.element.dtype, None if rank is None else rank + more)

    return rule


def _of_numbers(elements: tuple[Type, ...], result: Type) -> Callable[[Sequence[Arg]], Type]:
    def rule(args: Sequence[Arg]) -> Type:
        found = args[0].type
        if not isinstance(found, ListType) or found.element not in elements:
            raise OperatorTypeError(f"a tensor is made of a list of numbers, not of {found}")
        return result

    return rule


def _ints(data: Sequence[Any]) -> Array:
    return np.array(data, np.int64)


def _floats(data: Sequence[Any]) -> Array:
    return np.array(data, np.float64)


LIST_SIZE = reads(
    "list_size(list data) -> Size",
    tuple,
    "tensor_lists.tensor_of_list",
    "The ints of a list as a shape.",
    rule=_of_numbers((INT,), SIZE),
)
OPERATORS: tuple[OpDef, ...] = (
    reads(
        "cat.list(list tensors, int dim=0) -> Tensor",
        joined,
        "tensor_lists.list_cat",
        "Joined along a dimension.",
        rule=_of_tensors(0),
    ),
    reads(
        "stack.list(list tensors, int dim=0) -> Tensor",
        stacked,
        "tensor_lists.list_stack",
        "Joined along a new dimension.",
        rule=_of_tensors(1),
    ),
    LIST_SIZE,
    reads(
        "list_tensor.int(list data) -> Tensor",
        _ints,
        "tensor_lists.tensor_of_list",
        "The ints of a list, in int64.",
        rule=_of_numbers((INT, BOOL), TensorType(dtypes.int64, 1)),
    ),
    reads(
        "list_tensor.float(list data) -> Tensor",
        _floats,
        "tensor_lists.tensor_of_float_list",
        "The floats of a list, in float64.",
        rule=_of_numbers((FLOAT,), TensorType(dtypes.float64, 1)),
    ),
)
"""Operators that users can name, the last two by `tensor` alone."""
