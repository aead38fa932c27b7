"""Errors of shapes that do not go together, in NumPy's words: of `reshape`, of joining and of products."""

from __future__ import annotations

from collections.abc import Sequence

from tscript.abi.layout import MAX_ERROR_ARGS
from tscript.definitions.array_errors import NOT_ASSIGNED
from tscript.diagnostics import Span
from tscript.frontend.lowering.function import FunctionLowering
from tscript.frontend.lowering.merging import when
from tscript.frontend.values.array_promotion import apply, array_type
from tscript.ir.graph import Raise, Value
from tscript.types import INT, ArrayType


def _size(lowering: FunctionLowering, array: Value, dim: int, span: Span) -> Value:
    return lowering.apply("size", [array, lowering.const(dim, INT, span)], span)


def _rank(array: Value) -> int:
    return array_type(array).rank or 0


def _raise_if(lowering: FunctionLowering, wrong: Value, message: str, args: Sequence[Value], span: Span) -> None:
    failing = Raise("ValueError", message, list(args), span)
    when(lowering, wrong, lambda: lowering.block.nodes.append(failing), span)


def check_reshape(lowering: FunctionLowering, array: Value, sizes: Sequence[Value], span: Span) -> None:
    """Raise where an array has another number of elements than a shape."""
    unknown = [s for s in sizes if s.constant == -1]
    if len(sizes) >= MAX_ERROR_ARGS or not sizes or len(unknown) > 1:
        return
    count = lowering.apply("numel", [array], span)
    product = lowering.const(1, INT, span)
    fine = lowering.constant(True, span)
    zero = lowering.const(0, INT, span)
    for size in sizes:
        if size.constant == -1:
            continue
        product = lowering.apply("wrapping_mul", [product, size], span)
        if not isinstance(size.constant, int):
            known = lowering.apply("ge", [size, zero], span)  # else it is the unknown size, perhaps
            fine = lowering.apply("bitwise_and", [fine, known], span)
    shown = [s for s in sizes if s.constant != -1]
    places = iter(range(1, len(shown) + 1))
    texts = ["newaxis" if s.constant == -1 else f"{{{next(places)}}}" for s in sizes]
    message = f"cannot reshape array of size {{0}} into shape ({','.join(texts)}{',' if len(texts) == 1 else ''})"

    def check() -> None:
        if not unknown:
            wrong = lowering.apply("ne", [count, product], span)
            _raise_if(lowering, wrong, message, [count, *shown], span)
            return
        _raise_if(lowering, lowering.apply("eq", [product, zero], span), message, [count, *shown], span)
        rest = lowering.apply("remainder", [count, product], span)
        _raise_if(lowering, lowering.apply("ne", [rest, zero], span), message, [count, *shown], span)

    when(lowering, fine, check, span)


def check_joined(lowering: FunctionLowering, arrays: Sequence[Value], axis: int, span: Span) -> None:
    """Raise where arrays differ in a size besides that of the axis along which they are joined."""
    first = arrays[0]
    for position, other in enumerate(arrays[1:], 1):
        if _rank(other) != _rank(first):
            return
        for dim in range(_rank(first)):
            if dim == axis:
                continue
            sizes = [_size(lowering, v, dim, span) for v in (first, other)]
            message = (
                "all the input array dimensions except for the concatenation axis must match exactly, but along "
                f"dimension {dim}, the array at index 0 has size {{0}} and the array at index {position} has size {{1}}"
            )
            _raise_if(lowering, lowering.apply("ne", sizes, span), message, sizes, span)


def check_stacked(lowering: FunctionLowering, arrays: Sequence[Value], span: Span) -> None:
    """Raise where arrays differ in a size."""
    first = arrays[0]
    for other in arrays[1:]:
        for dim in range(min(_rank(first), _rank(other))):
            sizes = [_size(lowering, v, dim, span) for v in (first, other)]
            wrong = lowering.apply("ne", sizes, span)
            _raise_if(lowering, wrong, "all input arrays must have the same shape", [], span)


def check_one_element(lowering: FunctionLowering, array: Value, span: Span) -> None:
    """Raise where an array has not exactly one element."""
    if _rank(array):
        wrong = _not_one(lowering, lowering.apply("numel", [array], span), span)
        _raise_if(lowering, wrong, "can only convert an array of size 1 to a Python scalar", [], span)


NOT_REPEATED = (
    "operands could not be broadcast together with remapped shapes [original->remapped]: %  and requested shape %"
)
NOT_AT = "shape mismatch: value array of shape % could not be broadcast to indexing result of shape %"
INDICES = "shape mismatch: indexing arrays could not be broadcast together with shapes % % "


def check_broadcast(
    lowering: FunctionLowering, shape: Sequence[Value], target: Sequence[Value], message: str, span: Span
) -> None:
    """Raise ValueError where an array of one shape cannot be repeated to another one; a ``%`` stands for a shape."""
    for size, wanted in zip(reversed(shape), reversed(target), strict=False):
        wrong = _both(lowering, [_differ(lowering, size, wanted, span), _not_one(lowering, size, span)], span)
        _raise_shapes(lowering, wrong, "ValueError", message, (shape, target), span)


def without_leading(lowering: FunctionLowering, value: Value, part: Value, span: Span) -> Value:
    """A value that is assigned to a part of an array, without dimensions of size 1 that it has more."""
    if not isinstance(value.type, ArrayType):
        return value
    sizes = [_size(lowering, value, d, span) for d in range(_rank(value))]
    own = [_size(lowering, part, d, span) for d in range(_rank(part))]
    for size in sizes[: max(len(sizes) - len(own), 0)]:
        wrong = _not_one(lowering, size, span)
        _raise_shapes(lowering, wrong, "ValueError", NOT_ASSIGNED, (sizes, own), span)
        value = apply(lowering, "select", [value, lowering.const(0, INT, span), lowering.const(0, INT, span)], span)
    return value


def check_indices(lowering: FunctionLowering, first: Sequence[Value], second: Sequence[Value], span: Span) -> None:
    """Raise IndexError where the shapes of two index arrays do not go together."""
    for size, other in zip(reversed(first), reversed(second), strict=False):
        each = [_differ(lowering, size, other, span), *(_not_one(lowering, v, span) for v in (size, other))]
        _raise_shapes(lowering, _both(lowering, each, span), "IndexError", INDICES, (first, second), span)


def _differ(lowering: FunctionLowering, left: Value, right: Value, span: Span) -> Value:
    return lowering.apply("ne", [left, right], span)


def _not_one(lowering: FunctionLowering, size: Value, span: Span) -> Value:
    return _differ(lowering, size, lowering.const(1, INT, span), span)


def _both(lowering: FunctionLowering, conditions: Sequence[Value], span: Span) -> Value:
    found = conditions[0]
    for other in conditions[1:]:
        found = lowering.apply("bitwise_and", [found, other], span)
    return found


def _raise_shapes(
    lowering: FunctionLowering,
    wrong: Value,
    exception: str,
    message: str,
    shapes: Sequence[Sequence[Value]],
    span: Span,
) -> None:
    """Raise if `wrong`. Shapes of more sizes than a message has are shown without them."""
    values = [v for shape in shapes for v in shape]
    if len(values) > MAX_ERROR_ARGS:
        values, shown = [], [_shape(["..."] * len(shape)) for shape in shapes]
    else:
        places = iter(range(len(values)))
        shown = [_shape([f"{{{next(places)}}}" for _ in shape]) for shape in shapes]
    text = message
    for shape_text in shown:
        text = text.replace("%", shape_text, 1)
    failing = Raise(exception, text, values, span)
    when(lowering, wrong, lambda: lowering.block.nodes.append(failing), span)


def check_product(lowering: FunctionLowering, left: Value, right: Value, span: Span, *, is_dot: bool = False) -> None:
    """Raise where the inner sizes of a product differ."""
    ranks = _rank(left), _rank(right)
    if 0 in ranks:
        return
    dim = max(ranks[1] - 2, 0)
    inner = _size(lowering, left, ranks[0] - 1, span)
    other = _size(lowering, right, dim, span)
    wrong = lowering.apply("ne", [inner, other], span)
    if is_dot and sum(ranks) + 2 <= MAX_ERROR_ARGS:
        sizes = [_size(lowering, v, d, span) for v in (left, right) for d in range(_rank(v))]
        places = [f"{{{i}}}" for i in range(len(sizes))]
        shapes = [_shape(places[: ranks[0]]), _shape(places[ranks[0] :])]
        last = f"{{{len(sizes)}}} (dim {ranks[0] - 1}) != {{{len(sizes) + 1}}} (dim {dim})"
        message = f"shapes {shapes[0]} and {shapes[1]} not aligned: {last}"
        _raise_if(lowering, wrong, message, [*sizes, inner, other], span)
        return
    message = (
        "matmul: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature (n?,k),(k,m?)->(n?,m?) "
        "(size {0} is different from {1})"
    )
    _raise_if(lowering, wrong, message, [other, inner], span)


def _shape(texts: Sequence[str]) -> str:
    return f"({','.join(texts)}{',' if len(texts) == 1 else ''})"
