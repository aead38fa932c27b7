"""Tensors by an index: ints, slices, None and ``...``, masks, index tensors and lists.

An index of the first four becomes one view operator per part: ``x[i, 1:, None]`` is ``unsqueeze(slice(select(x, 0, i),
0, 1), 1)``. Parts after ``...`` count dimensions from the end. A write copies into the view. Any other index is one
operator with all parts, see `tscript.operators.tensor.index_parts`: which dimensions they index depends on dtypes.
"""

from __future__ import annotations

import ast

from tscript.definitions.index_layout import AT, END, FLAG, MOST_PARTS, NEW, PART, REST, TENSOR, layout_of
from tscript.diagnostics import Span
from tscript.frontend.diagnostics import errors
from tscript.frontend.diagnostics.type_names import article
from tscript.frontend.lowering import hints
from tscript.frontend.lowering.arguments import call_function
from tscript.frontend.lowering.augmented import write_in_place
from tscript.frontend.lowering.conversions import plain
from tscript.frontend.lowering.function import FunctionLowering
from tscript.frontend.lowering.merging import when
from tscript.frontend.lowering.subscripts import Slice, slice_of
from tscript.frontend.lowering.tuples import make_tuple, tuple_elements
from tscript.frontend.values.array_literals import array_of
from tscript.frontend.values.tensors_of_lists import numbers_in, tensor_of_lists
from tscript.ir.graph import Raise, Value
from tscript.late import dataclass
from tscript.operators.python.functions import array_selection, tensor_lists
from tscript.types import (
    BOOL,
    FLOAT,
    INT,
    NONE,
    NUMBER,
    ArrayType,
    ListType,
    ScalarType,
    TensorType,
    TupleType,
)


@dataclass(frozen=True, slots=True)
class At:
    """An int in an index."""

    index: Value
    span: Span


@dataclass(frozen=True, slots=True)
class New:
    """None in an index."""

    span: Span


@dataclass(frozen=True, slots=True)
class Many:
    """A mask or an index array in an index of an array."""

    array: Value
    span: Span


@dataclass(frozen=True, slots=True)
class Chosen:
    """A mask or an index tensor in an index of a tensor."""

    tensor: Value
    span: Span


@dataclass(frozen=True, slots=True)
class Flag:
    """A bool in an index of a tensor."""

    value: Value
    span: Span


Part = At | Slice | New | Many | Chosen | Flag


def parts(lowering: FunctionLowering, index: ast.expr, of: str = "Tensor") -> tuple[list[Part], list[Part]]:
    """The parts of an index before and after its ``...``, evaluated from left to right; messages call it one `of`."""
    nodes = index.elts if isinstance(index, ast.Tuple) else [index]
    if isinstance(index, ast.Name | ast.Attribute | ast.Subscript | ast.Call):
        value, span = lowering.value(index), lowering.span(index)
        if isinstance(value.type, TupleType):
            return [_value_part(lowering, v, index, of) for v in tuple_elements(lowering, value, span)], []
        return [_value_part(lowering, value, index, of)], []
    before: list[Part] = []
    after: list[Part] | None = None
    for node in nodes:
        if isinstance(node, ast.Constant) and node.value is ...:
            if after is not None:
                instead = "an index can have only one '...'"
                raise lowering.failure(errors.UnsupportedIndex(lowering.span(node), of, "two '...'", instead))
            after = []
            continue
        (before if after is None else after).append(_part(lowering, node, of))
    return before, after or []


def _part(lowering: FunctionLowering, node: ast.expr, of: str) -> Part:
    span = lowering.span(node)
    if isinstance(node, ast.Slice):
        return slice_of(lowering, node, of)
    if isinstance(node, ast.Starred):
        raise lowering.failure(
            errors.UnsupportedExpression(span, "unpacking in an index", "write each part of the index by itself")
        )
    return _value_part(lowering, lowering.value(node), node, of)


def _value_part(lowering: FunctionLowering, value: Value, node: ast.expr, of: str) -> Part:
    """What a value means as a part of an index."""
    span = lowering.span(node)
    value = plain(lowering, value, span)
    if value.type == NONE:
        return New(span)
    if value.type == NUMBER or isinstance(value.type, ScalarType):
        value = lowering.coerce(value, INT, span) or value
    if value.type == INT:
        return At(value, span)
    if of == "Tensor" and (chosen := _chosen(lowering, value, node)) is not None:
        return chosen
    if of == "ndarray" and isinstance(value.type, ArrayType | ListType):
        found = array_of(lowering, value, None, span)
        if found is not None and _is_index(found):
            return Many(found, span)
    instead = _index_help(value)
    if value.type == FLOAT and isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
        instead = "an index is an int: write 'a // b'"
    raise lowering.failure(errors.UnsupportedIndex(span, of, article(value.type), instead))


def _chosen(lowering: FunctionLowering, value: Value, node: ast.expr) -> Part | None:
    """A part that chooses elements; None of other values."""
    span = lowering.span(node)
    if value.type == BOOL:
        return Flag(value, span)
    if isinstance(value.type, TensorType):
        return Chosen(value, span)
    if isinstance(node, ast.List) and not node.elts:
        value = lowering.value_as(node, ListType(INT))
    numbers = numbers_in(value.type)
    made = None if numbers is None or numbers[0] == FLOAT else tensor_of_lists(lowering, value, span)
    return None if made is None else Chosen(made, span)


def _is_index(array: Value) -> bool:
    """Whether an array can be an index: of bools or ints."""
    dtype = array.type.dtype if isinstance(array.type, ArrayType) else None
    return dtype is not None and not dtype.is_floating_point


def _index_help(value: Value) -> str:
    if isinstance(value.type, TensorType):
        return "for several positions write x.index_select(0, i)"
    if isinstance(value.type, TupleType):
        return "write the parts of the index: x[i, j]"
    if isinstance(value.type, ListType):
        return "the elements of a list of indices are ints: for several lists write x[rows, columns]"
    return "indices are ints, slices, None, '...', masks and tensors of ints"


def view(lowering: FunctionLowering, x: Value, before: list[Part], after: list[Part]) -> Value:
    """The part of a tensor that the parts of an index mean; the tensor itself if there are none."""
    taken = [part for part in (*before, *after) if not isinstance(part, New)]
    if len(taken) > 1:
        _check_dimensions(lowering, x, len(taken), taken[-1].span)
    dim = 0
    for part in before:
        x = _apply_part(lowering, x, part, dim)
        dim += not isinstance(part, At)
    dim = -1
    for part in reversed(after):
        x = _apply_part(lowering, x, part, dim)
        dim -= not isinstance(part, At)
    return x


def _check_dimensions(lowering: FunctionLowering, x: Value, count: int, span: Span) -> None:
    """Raise PyTorch's error for more indices than dimensions, before any of them is used."""
    dims = lowering.apply("dim", [x], span)
    failing = Raise("IndexError", "too many indices for tensor of dimension {0}", [dims], span)
    less = lowering.apply("lt", [dims, lowering.const(count, INT, span)], span)
    when(lowering, less, lambda: lowering.block.nodes.append(failing), span)


def _apply_part(lowering: FunctionLowering, x: Value, part: Part, dim: int) -> Value:
    span = part.span
    at = lowering.const(dim, INT, span)
    match part:
        case At(index=index):
            return lowering.apply("select", [x, at, index], span)
        case Slice(start=start, stop=stop, step=step):
            if isinstance(x.type, ArrayType) and isinstance(step.constant, int) and step.constant < 0:
                return _reversed(lowering, x, part, at)
            return lowering.apply("slice", [x, at, start, stop, step], span)
        case New():
            return lowering.apply("unsqueeze", [x, at], span)
        case Many() | Chosen() | Flag():
            raise AssertionError("masks and index tensors are no views")


# ---- masks and index tensors


class Choice:
    """The operands of the operators of an index with masks or index tensors: its layout, ints and tensors."""

    def __init__(self, lowering: FunctionLowering, before: list[Part], after: list[Part], span: Span) -> None:
        self.lowering, self.span = lowering, span
        kinds: list[int] = []
        numbers: list[Value] = []
        tensors: list[Value] = []
        for part in (*before, None, *after) if after else before:
            match part:
                case None:
                    kinds.append(REST)
                case At(index=index):
                    kinds.append(AT)
                    numbers.append(index)
                case New():
                    kinds.append(NEW)
                case Flag(value=value):
                    kinds.append(FLAG)
                    numbers.append(lowering.coerce(value, INT, part.span) or value)
                case Chosen(tensor=tensor):
                    kinds.append(TENSOR)
                    tensors.append(tensor)
                case Slice(start=start, stop=stop, step=step):
                    kinds.append(PART)
                    numbers += [self._bound(start, 0), self._bound(stop, END), self._bound(step, 1)]
        if len(kinds) > MOST_PARTS:
            raise lowering.failure(
                errors.UnsupportedIndex(span, "Tensor", f"{len(kinds)} parts", "take the parts one after the other")
            )
        self.operands = [
            lowering.const(layout_of(kinds), INT, span),
            make_tuple(lowering, numbers, span),
            make_tuple(lowering, tensors, span),
        ]

    def _bound(self, value: Value, default: int) -> Value:
        if value.type == NONE:
            return self.lowering.const(default, INT, self.span)
        if value.type == INT:
            return value
        given = self.lowering.const(default, INT, self.span)
        return call_function(self.lowering, tensor_lists.int_or, [value, given], self.span)

    def read(self, x: Value) -> Value:
        """What the index chooses."""
        return self.lowering.apply("index_read", [x, *self.operands], self.span)

    def write(self, x: Value, value: Value) -> None:
        """Set it."""
        name = "index_write" if isinstance(value.type, TensorType) else "index_fill_parts"
        self.lowering.apply(name, [x, value, *self.operands], self.span, shown_as="[]=")


def choice(lowering: FunctionLowering, index: ast.expr, before: list[Part], after: list[Part]) -> Choice | None:
    """The operands of an index with masks or index tensors; None of any other index."""
    if not any(isinstance(part, Chosen | Flag) for part in (*before, *after)):
        return None
    return Choice(lowering, before, after, lowering.span(index))


def _reversed(lowering: FunctionLowering, x: Value, part: Slice, at: Value) -> Value:
    """``x[start:stop:-step]`` of an array: a slice of the dimension from its end."""
    span, size = part.span, lowering.apply("size", [x, at], part.span)
    ends = [
        end if end.type == NONE else call_function(lowering, array_selection.from_the_end, [end, size], span)
        for end in (part.start, part.stop)
    ]
    step = lowering.apply("neg", [part.step], span)
    return lowering.apply("slice", [lowering.apply("numpy_reverse", [x, at], span), at, *ends, step], span)


def load_item(lowering: FunctionLowering, container: Value, node: ast.Subscript) -> Value:
    """``x[index]``."""
    if isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str):
        if instead := hints.unannotated(lowering.function, lowering.scope, node.value, "dict[str, int]"):
            span = lowering.span(node.slice)
            raise lowering.failure(errors.UnsupportedIndex(span, "Tensor", "a str", instead))
    before, after = parts(lowering, node.slice)
    if (chosen := choice(lowering, node.slice, before, after)) is not None:
        return chosen.read(container)
    found = view(lowering, container, before, after)
    return lowering.apply("alias", [found], lowering.span(node)) if found is container else found


def augment_item(lowering: FunctionLowering, node: ast.AugAssign, target: ast.Subscript, container: Value) -> None:
    """``x[index] op= value``: in place on a view; what masks and index tensors choose is read, changed and written."""
    before, after = parts(lowering, target.slice)
    chosen = choice(lowering, target.slice, before, after)
    part = view(lowering, container, before, after) if chosen is None else chosen.read(container)
    write_in_place(lowering, node, part, lowering.value(node.value))
    if chosen is not None:
        chosen.write(container, part)


def set_item(lowering: FunctionLowering, target: ast.Subscript, container: Value, value: Value) -> bool:
    """``x[index] = value``: the value is written into the view."""
    span = lowering.span(target)
    before, after = parts(lowering, target.slice)
    if (chosen := choice(lowering, target.slice, before, after)) is not None:
        chosen.write(container, value)
        return True
    part = view(lowering, container, before, after)
    name = "copy_" if isinstance(value.type, TensorType) else "fill_"
    lowering.apply(name, [part, value], span, shown_as="[]=")
    return True
