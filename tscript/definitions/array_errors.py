"""What operators say of arrays whose shapes do not go together, or that may not be written: NumPy's errors.

Tensors have PyTorch's. A ``%`` in a message stands for a shape.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tscript.arrays import Array, np
from tscript.definitions.opdef import OpDef
from tscript.definitions.promotion import PointwiseRule

ASSIGNMENT_READ_ONLY = "assignment destination is read-only"
OUTPUT_READ_ONLY = "output array is read-only"
NOT_ASSIGNED = "could not broadcast input array from shape % into shape %"
NOT_STORED = "non-broadcastable output operand with shape % doesn't match the broadcast shape %"
OUT_OF_BOUNDS = "index {0} is out of bounds for axis {1} with size {2}"


def not_broadcast(count: int) -> str:
    """The message for so many operands.

    Example:
        >>> not_broadcast(2)
        'operands could not be broadcast together with shapes % % '
    """
    return f"operands could not be broadcast together with shapes {'% ' * count}"


def shown_operands(op: OpDef, rule: PointwiseRule) -> list[int]:
    """The positions of the operands whose shapes are shown: not that of ``alpha``."""
    return [i for i in rule.operands if op.schema.parameters[i].kind == "Tensor"]


def shown_shape(sizes: Iterable[object]) -> str:
    """A shape as NumPy's errors show it.

    Example:
        >>> shown_shape((3,)), shown_shape((2, 3)), shown_shape(())
        ('(3,)', '(2,3)', '()')
    """
    texts = [str(size) for size in sizes]
    return f"({','.join(texts)}{',' if len(texts) == 1 else ''})"


def with_shapes(message: str, shapes: Sequence[Iterable[object]]) -> str:
    """A message with its shapes.

    Example:
        >>> with_shapes(NOT_ASSIGNED, [(4,), (3,)])
        'could not broadcast input array from shape (4,) into shape (3,)'
    """
    parts = message.split("%")
    return parts[0] + "".join(shown_shape(s) + part for s, part in zip(shapes, parts[1:], strict=True))


def check_select(array: Array, dim: int, index: int) -> None:
    """Raise IndexError for an index outside of a dimension."""
    axis = dim + array.ndim if dim < 0 else dim
    check_index(index, array.shape[axis], axis)


def check_index(index: int, size: int, axis: int) -> None:
    """Raise IndexError for an index outside of an axis of this size."""
    if not -size <= index < size:
        raise IndexError(OUT_OF_BOUNDS.format(index, axis, size))


def check_assigned(array: Array) -> None:
    """Raise ValueError for an array that may not be written."""
    if not array.flags.writeable:
        raise ValueError(ASSIGNMENT_READ_ONLY)


def check_sizes(size: Sequence[int], dtype: object) -> None:
    """Raise ValueError for a negative size."""
    if any(n < 0 for n in size):
        raise ValueError("negative dimensions are not allowed")


def check_pointwise(op: OpDef, rule: PointwiseRule, values: Sequence[object]) -> None:
    """Raise what a pointwise operator raises for arrays.

    Raises:
        ValueError: The operands do not go together, or the first may not be written.
    """
    operands: list[Array] = [np.asarray(values[i]) for i in shown_operands(op, rule)]
    if rule.in_place:
        repeats = any(s == 0 and n > 1 for s, n in zip(operands[0].strides, operands[0].shape, strict=True))
        if not operands[0].flags.writeable or (repeats and operands[0].size):
            raise ValueError(ASSIGNMENT_READ_ONLY if rule.assigns else OUTPUT_READ_ONLY)
    shapes = [o.shape for o in operands]
    try:
        shape = np.broadcast_shapes(*shapes)
    except ValueError:
        if rule.assigns:
            raise ValueError(with_shapes(NOT_ASSIGNED, (shapes[1], shapes[0]))) from None
        shown = [*shapes, shapes[0]] if rule.in_place else shapes
        raise ValueError(with_shapes(not_broadcast(len(shown)), shown)) from None
    if rule.in_place and shape != shapes[0]:
        shown = [shapes[1], shapes[0]] if rule.assigns else [shapes[0], shape]
        raise ValueError(with_shapes(NOT_ASSIGNED if rule.assigns else NOT_STORED, shown))
