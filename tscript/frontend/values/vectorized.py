"""Calls of vectorized functions: ``f(a, b)`` is ``f`` of each element, as a ufunc of NumPy.

A body without branches and loops is lowered with the arrays themselves, so it is a chain of operators that is fused
with those around it. Any other body is called for each element, in loops over the dimensions.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from tscript.frontend.diagnostics.abandoned import Abandoned
from tscript.frontend.lowering.arguments import call_function
from tscript.frontend.lowering.calls import call_symbol
from tscript.frontend.lowering.function import FunctionLowering
from tscript.frontend.lowering.merging import when
from tscript.frontend.lowering.tuples import make_tuple
from tscript.frontend.source.annotations import annotation_type
from tscript.frontend.source.functions import Elements, FunctionSymbol, VectorizedSymbol
from tscript.frontend.source.object_types import TypeContext
from tscript.frontend.source.vectorized import parameters
from tscript.frontend.values.array_axes import rank_of, sizes
from tscript.frontend.values.array_calls import Call, bound
from tscript.frontend.values.array_literals import empty
from tscript.frontend.values.array_out import check_shape, out_of, stored, where_of
from tscript.frontend.values.array_promotion import NUMBERS, apply, as_dtype, as_scalar, only_element
from tscript.frontend.values.scalars import truth
from tscript.frontend.values.straight_line import is_straight
from tscript.frontend.values.ufunc_methods import PARAMETERS, Ufunc, at, loops, lower_method, put
from tscript.ir.graph import Call as IrCall
from tscript.ir.graph import Division, Value
from tscript.operators.python.functions import array_out
from tscript.types import ANY, NONE, ArrayType, DType, ScalarType, TensorType, Type, dtype_of
from tscript.types.dtypes import promote_numpy


def call_vectorized(lowering: FunctionLowering, node: ast.Call, symbol: VectorizedSymbol) -> Value:
    """A call of a vectorized function, or of a method of it."""
    if lowering.function is symbol.elements.body:  # it calls itself
        return call_symbol(lowering, node, FunctionSymbol(symbol.elements.body))
    if symbol.method:
        return _method(lowering, node, symbol.elements, symbol.method)
    return _ufunc(lowering, node, symbol.elements)


def _method(lowering: FunctionLowering, node: ast.Call, elements: Elements, method: str) -> Value:
    """``f.reduce(a, axis=1)``"""
    name = f"{elements.body.name}.{method}"
    call = Call(lowering, node, name, bound(lowering, node, name, PARAMETERS[method]))
    count = len(parameters(elements.body))
    if count != 2 and not (method == "at" and count == 1):
        raise call.refuse(
            f"it takes {count} argument{'' if count == 1 else 's'}", "methods are those of functions of two"
        )
    result = _annotated(call, elements, "return") if not elements.signatures else elements.signatures[-1][0]
    ufunc = Ufunc(
        elements.body.name,
        lambda values: element(call, elements, values, result),
        lambda types: element_type(call, elements, types, result),
        lambda values: _of_elements(call, elements, values, result, None, None),
    )
    return lower_method(call, ufunc, method)


def _ufunc(lowering: FunctionLowering, node: ast.Call, elements: Elements) -> Value:
    """``f(a, b, out=c, where=mask)``"""
    name = elements.body.name
    names = parameters(elements.body)
    call = Call(lowering, node, name, bound(lowering, node, name, f"{' '.join(names)} out? * where?"))
    given = [_operand(call, p) for p in names]
    dtype, declared = declared_dtypes(call, elements, given)
    operands = typed(call, elements, given, declared)
    out, where = out_of(call), where_of(call)
    if not any(isinstance(v.type, ArrayType) for v in (*operands, where) if v is not None):
        found = _of_scalars(call, elements, operands, dtype, where)
        return stored(call, found, out, None)
    if is_straight(elements.body, lowering.program.resolver) and (where is None or out is not None):
        found = _called(call, elements, operands)
        if isinstance(found.type, ArrayType):
            return stored(call, found if dtype is None else as_dtype(lowering, found, dtype, call.span), out, where)
    return _of_elements(call, elements, operands, dtype, out, where)


def _operand(call: Call, parameter: str) -> Value:
    """An argument; an array without dimensions is its element."""
    node = call.given[parameter]
    if not isinstance(node, ast.List | ast.Tuple):
        found = call.value(parameter)
        if isinstance(found.type, TensorType) and not isinstance(found.type, ArrayType):
            instead = "inside of compiled code a vectorized function takes ndarrays and numbers, whose types are known"
            raise call.refuse(f"'{parameter}' is a Tensor", instead, parameter)
    found = call.number(parameter)
    if isinstance(found.type, ArrayType) and rank_of(found) == 0:
        return only_element(call.lowering, found, call.span)
    return found


def typed(call: Call, elements: Elements, operands: Sequence[Value], declared: Sequence[DType | None]) -> list[Value]:
    """Operands in the dtypes that the function declares. Numbers of Python stay what they are beside arrays and NumPy
    scalars; where all are, they are NumPy scalars."""
    lowering, span = call.lowering, call.span
    all_numbers = all(v.type in NUMBERS for v in operands)
    made: list[Value] = []
    for name, value, wanted in zip(parameters(elements.body), operands, declared, strict=True):
        dtype = value.type.dtype if isinstance(value.type, ArrayType | ScalarType) else dtype_of(value.type)
        assert dtype is not None
        if wanted is None:
            made.append(as_scalar(lowering, value, dtype, span) if all_numbers else value)
            continue
        is_weak = value.type in NUMBERS
        if dtype.category > wanted.category if is_weak else promote_numpy(dtype, wanted) is not wanted:
            problem = f"'{name}' is {dtype.name}, and the function declares {wanted.name}"
            raise call.refuse(problem, f"convert it with .astype(np.{wanted.name}), or declare {dtype.name}", name)
        made.append(as_dtype(lowering, value, wanted, span))
    return made


def declared_dtypes(
    call: Call, elements: Elements, operands: Sequence[Value]
) -> tuple[DType | None, Sequence[DType | None]]:
    """The dtypes that the function declares for its result and for each parameter; None where the call says it."""
    found = [v.type.dtype if isinstance(v.type, ArrayType | ScalarType) else None for v in operands]
    for result, *wanted in elements.signatures:
        if len(wanted) != len(found):
            names = ", ".join(parameters(elements.body))
            raise call.refuse(f"a signature has {len(wanted)} arguments", f"it takes {len(found)}: {names}")
        if all(d is None or promote_numpy(d, w) is w for d, w in zip(found, wanted, strict=True)):
            return result, wanted
    if elements.signatures:
        result, *wanted = elements.signatures[-1]
        return result, wanted
    return _annotated(call, elements, "return"), [_annotated(call, elements, n) for n in parameters(elements.body)]


def _annotated(call: Call, elements: Elements, name: str) -> DType | None:
    """The dtype that the annotation of a parameter, or of the result (``return``), names; None if there is none."""
    function = elements.written
    arguments = {a.arg: a.annotation for a in (*function.tree.args.posonlyargs, *function.tree.args.args)}
    node = function.tree.returns if name == "return" else arguments[name]
    if node is None:
        return None
    context = TypeContext(call.lowering.program.resolver, call.lowering.program.report)
    found = annotation_type(context, function, node, function.annotations.get(name))
    if isinstance(found, ScalarType):
        return found.dtype
    if found is None or found == ANY:
        return None
    if found in NUMBERS:
        return dtype_of(found)
    what = "its result" if name == "return" else f"'{name}'"
    instead = "elements of arrays are numbers: float, int, bool, np.float32 …"
    raise call.refuse(f"{what} is declared as {ast.unparse(node)}", instead)


def element(call: Call, elements: Elements, values: Sequence[Value], dtype: DType | None) -> Value:
    """The function of one element of each operand, as a NumPy scalar."""
    found = _called(call, elements, values)
    known = found.type.dtype if isinstance(found.type, ScalarType) else dtype_of(found.type)
    if known is None or found.type == NONE:
        problem = f"it returns {'nothing' if found.type == NONE else str(found.type)} for an element"
        raise call.refuse(problem, "return a number")
    return as_scalar(call.lowering, found, dtype or known, call.span)


def _instance(call: Call, elements: Elements, types: Sequence[Type]) -> tuple[str, Type]:
    """The graph of the function for arguments of these types, and its result."""
    given = dict(zip(parameters(elements.body), types, strict=True))
    instance = call.lowering.program.instance(elements.body, call.span, given)
    if instance.result is None:
        raise Abandoned
    return instance.graph.name, instance.result


def _called(call: Call, elements: Elements, values: Sequence[Value]) -> Value:
    graph, result = _instance(call, elements, [v.type for v in values])
    return call.lowering.emit(IrCall(graph, list(values), result, call.span))


def _of_scalars(
    call: Call, elements: Elements, operands: Sequence[Value], dtype: DType | None, where: Value | None
) -> Value:
    found = element(call, elements, operands, dtype)
    return found if where is None else stored(call, found, None, where)


def _of_elements(
    call: Call,
    elements: Elements,
    operands: Sequence[Value],
    dtype: DType | None,
    out: Value | None,
    where: Value | None,
) -> Value:
    lowering, span = call.lowering, call.span
    known = element_type(call, elements, [_element_type(v) for v in operands], dtype)
    arrays = [v for v in (*operands, where) if v is not None and isinstance(v.type, ArrayType)]
    shape = sizes(call, out) if out is not None else common_shape(call, arrays)
    if out is not None:
        check_shape(call, arrays, out)
    made = empty(lowering, shape, known, span)
    if where is not None:
        lowering.apply("zero_", [made], span)
    views = [_spread(call, v, shape) for v in operands]
    mask = None if where is None else _spread(call, where, shape)

    def each(index: list[Value]) -> None:
        def store() -> None:
            found = element(call, elements, [at(call, v, index) for v in views], known)
            put(call, made, found, index)

        if mask is None:
            store()
        else:
            when(lowering, truth(lowering, at(call, mask, index), span), store, span)

    loops(call, shape, each, division=Division.ALLOWED)
    return stored(call, made, out, where)


def _element_type(value: Value) -> Type:
    if not isinstance(value.type, ArrayType):
        return value.type
    assert value.type.dtype is not None
    return ScalarType(value.type.dtype)


def element_type(call: Call, elements: Elements, types: Sequence[Type], dtype: DType | None) -> DType:
    """The dtype of the function of elements of these types."""
    if dtype is not None:
        return dtype
    _, found = _instance(call, elements, types)
    known = found.dtype if isinstance(found, ScalarType) else dtype_of(found)
    if known is None:
        raise call.refuse(f"it returns {found} for an element", "return a number")
    return known


def common_shape(call: Call, arrays: Sequence[Value]) -> list[Value]:
    """The shape to which arrays are broadcast."""
    rank = max(map(rank_of, arrays))
    shape: list[Value] = []
    for dim in range(rank):
        found: Value | None = None
        for array in arrays:
            own = dim - rank + rank_of(array)
            if own < 0:
                continue
            size = sizes(call, array)[own]
            if found is not None:
                size = call_function(call.lowering, array_out.common_size, [found, size], call.span)
            found = size
        assert found is not None
        shape.append(found)
    return shape


def _spread(call: Call, value: Value, shape: Sequence[Value]) -> Value:
    """An array as a view of a shape; other values stay what they are."""
    if not isinstance(value.type, ArrayType):
        return value
    return apply(call.lowering, "broadcast_to", [value, make_tuple(call.lowering, shape, call.span)], call.span)
