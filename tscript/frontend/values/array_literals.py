"""Arrays out of numbers, lists and tuples: ``np.array([[1.0, 2.0], [3.0, 4.0]])``."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from tscript.diagnostics import Span
from tscript.frontend.diagnostics import type_errors
from tscript.frontend.lowering.arguments import call_function
from tscript.frontend.lowering.function import FunctionLowering
from tscript.frontend.lowering.tuples import make_tuple, tuple_elements
from tscript.frontend.values.array_promotion import NUMBERS, apply, as_array, as_dtype, as_scalar, one_number
from tscript.ir.graph import Value
from tscript.operators.python.elements import SET_ELEMENT
from tscript.operators.python.functions import arrays
from tscript.types import (
    DTYPE,
    INT,
    NONE,
    ArrayType,
    DType,
    ListType,
    ScalarType,
    TupleType,
    Type,
    dtype_of,
    dtypes,
)


def empty(lowering: FunctionLowering, sizes: Sequence[Value], dtype: DType, span: Span) -> Value:
    """``np.empty(sizes, dtype)``"""
    shape = make_tuple(lowering, sizes, span)
    return as_array(lowering.apply("empty", [shape], span, {"dtype": lowering.const(dtype, DTYPE, span)}))


def array_of(lowering: FunctionLowering, value: Value, dtype: DType | None, span: Span) -> Value | None:
    """An array of a value: the value itself if it is one. None if it holds something else than numbers."""
    found = value.type
    if isinstance(found, ArrayType):
        return value if dtype is None else as_dtype(lowering, value, dtype, span)
    if isinstance(found, ScalarType) or found in NUMBERS:
        wanted = dtype or dtype_of(found)
        assert wanted is not None
        made = empty(lowering, [], wanted, span)
        lowering.leaf(SET_ELEMENT, [made, as_scalar(lowering, value, wanted, span)], NONE, span)
        return made
    if isinstance(found, TupleType):
        return _nested(lowering, _elements(lowering, value, span), dtype, span)
    if isinstance(found, ListType) and isinstance(found.element, ArrayType):
        call_function(lowering, arrays.check_rows, [value], span)
        made = apply(lowering, "stack", [value, lowering.const(0, INT, span)], span)
        return made if dtype is None else as_dtype(lowering, made, dtype, span)
    depth, element = 0, found
    while isinstance(element, ListType):
        depth, element = depth + 1, element.element
    if not depth or not (isinstance(element, ScalarType) or element in NUMBERS):
        return None
    wanted = dtype or dtype_of(element)
    assert wanted is not None
    sizes, inner = [lowering.apply("len", [value], span)], value
    for function in (arrays.size_in, arrays.size_in_rows)[: depth - 1]:
        sizes.append(call_function(lowering, function, [inner], span))
    if len(sizes) < depth:
        return None
    made = empty(lowering, sizes, wanted, span)
    call_function(lowering, arrays.fill_from_list, [made, value], span)
    return made


_Nested = Value | list["_Nested"]


def _elements(lowering: FunctionLowering, value: Value, span: Span) -> _Nested:
    if not isinstance(value.type, TupleType):
        return one_number(lowering, value, span)
    return [_elements(lowering, e, span) for e in tuple_elements(lowering, value, span)]


def array_of_literal(lowering: FunctionLowering, node: ast.expr, dtype: DType | None) -> Value | None:
    """The same of a list or tuple that is written there; None for other expressions."""
    if not isinstance(node, ast.List | ast.Tuple) or any(isinstance(e, ast.Starred) for e in node.elts):
        return None

    def read(part: ast.expr) -> _Nested:
        if isinstance(part, ast.List | ast.Tuple):
            return [read(e) for e in part.elts]
        return _elements(lowering, lowering.value(part), lowering.span(part))

    made = _nested(lowering, read(node), dtype, lowering.span(node))
    if made is None:
        instead = "an array is made of numbers, and its rows are equally long"
        problem = "no array can be made of these elements"
        raise lowering.failure(type_errors.OperatorRefused(lowering.span(node), problem, instead))
    return made


def _nested(lowering: FunctionLowering, found: _Nested, dtype: DType | None, span: Span) -> Value | None:
    if _has_rows(found):
        return _stacked(lowering, found, dtype, span)
    shape: list[int] = []
    level: list[_Nested] = [found]
    while level and all(isinstance(part, list) for part in level):
        sizes = {len(part) for part in level if isinstance(part, list)}
        if len(sizes) != 1:
            return None
        shape.append(sizes.pop())
        level = [inner for part in level if isinstance(part, list) for inner in part]
    leaves = [part for part in level if isinstance(part, Value)]
    if len(leaves) != len(level):
        return None
    if not all(isinstance(v.type, ScalarType) or v.type in NUMBERS for v in leaves):
        return None
    wanted = dtype or _common([v.type for v in leaves])
    made = empty(lowering, [lowering.const(n, INT, span) for n in shape], wanted, span)
    for number, leaf in enumerate(leaves):
        index: list[Value] = []
        for size in reversed(shape):
            number, at = divmod(number, size)
            index.insert(0, lowering.const(at, INT, span))
        lowering.leaf(SET_ELEMENT, [made, as_scalar(lowering, leaf, wanted, span), *index], NONE, span)
    return made


def _has_rows(found: _Nested) -> bool:
    """Whether arrays, or lists of numbers, are among the elements."""
    if isinstance(found, Value):
        return isinstance(found.type, ArrayType | ListType)
    return any(map(_has_rows, found))


def _stacked(lowering: FunctionLowering, found: _Nested, dtype: DType | None, span: Span) -> Value | None:
    """An array of arrays, or of lists of numbers."""
    if isinstance(found, Value):
        return array_of(lowering, found, dtype, span)
    made = [_stacked(lowering, e, dtype, span) if _has_rows(e) else _nested(lowering, e, dtype, span) for e in found]
    rows = [row for row in made if row is not None]
    if len(rows) != len(made) or len({row.type.rank for row in rows if isinstance(row.type, ArrayType)}) != 1:
        return None
    wanted = dtype or _common([row.type for row in rows])
    same = [as_dtype(lowering, row, wanted, span) for row in rows]
    for row in same[1:]:
        call_function(lowering, arrays.check_two_rows, [same[0], row, lowering.const(len(same), INT, span)], span)
    return apply(lowering, "stack", [make_tuple(lowering, same, span), lowering.const(0, INT, span)], span)


def _common(found: Sequence[Type]) -> DType:
    """The dtype that `np.array` gives elements of these types."""
    common: DType | None = None
    for type in found:
        dtype = type.dtype if isinstance(type, ArrayType) else dtype_of(type)
        assert dtype is not None
        common = dtype if common is None else dtypes.promote_numpy(common, dtype)
    return common or dtypes.float64
