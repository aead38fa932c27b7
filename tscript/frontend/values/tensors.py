"""Tensors: their attributes and methods, and their construction from lists."""

from __future__ import annotations

import ast

from tscript.definitions import factory
from tscript.definitions.opdef import OperatorTypeError
from tscript.diagnostics import Span
from tscript.frontend.diagnostics import type_errors
from tscript.frontend.lowering import operators
from tscript.frontend.lowering.arguments import Function, call_function
from tscript.frontend.lowering.branches import join_values
from tscript.frontend.lowering.calls import lower_operator, operator_argument, operator_call
from tscript.frontend.lowering.function import FunctionLowering, Source
from tscript.frontend.lowering.iteration import Items
from tscript.frontend.lowering.kinds import Kind
from tscript.frontend.lowering.method_names import missing
from tscript.frontend.lowering.names import static
from tscript.frontend.lowering.probing import type_of_expression
from tscript.frontend.lowering.tuples import make_tuple, tuple_elements
from tscript.frontend.source.symbols import OperatorSymbol
from tscript.frontend.values import in_place_views, sequences, tensor_indexing
from tscript.frontend.values.numbers import NUMBERS
from tscript.frontend.values.tensors_of_lists import numbers_in, tensor_of_lists
from tscript.ir.graph import Value
from tscript.operators.python.functions import tensor_lists
from tscript.operators.tensor.devices import CHECK_DEVICE, DEVICE_OF_NAME
from tscript.types import (
    BOOL,
    COMPLEX,
    DTYPE,
    FLOAT,
    INT,
    NONE,
    NUMBER,
    STR,
    ListType,
    OptionalType,
    SizeType,
    TensorType,
    TupleType,
    Type,
    dtypes,
)
from tscript.types.options import CPU, STRIDED

_ITEMS: dict[Type, Function] = {
    FLOAT: tensor_lists.float_items,
    INT: tensor_lists.int_items,
    BOOL: tensor_lists.bool_items,
    COMPLEX: tensor_lists.complex_items,
}


def to_list(lowering: FunctionLowering, node: ast.Call, target: Type | None) -> Value | None:
    """``x.tolist()`` of a tensor where a type of list is declared; None for any other call."""
    if not isinstance(node.func, ast.Attribute) or node.func.attr != "tolist" or node.args or node.keywords:
        return None
    found = None if target is None else numbers_in(_inner(target))
    if found is None or not isinstance(_inner(target or NONE), ListType) or static(lowering, node.func) is not None:
        return None
    receiver = lowering.value(node.func.value)
    if not isinstance(receiver.type, TensorType):
        return None
    (number, depth), span = found, lowering.span(node)
    flat = call_function(lowering, tensor_lists.checked_rank, [receiver, lowering.constant(depth, span)], span)
    items = call_function(lowering, _ITEMS[number], [flat], span, "tolist")
    for dim in range(depth - 1, 0, -1):
        items = call_function(lowering, tensor_lists.grouped, [items, receiver, lowering.constant(dim, span)], span)
    return items


def tensor_of(lowering: FunctionLowering, node: ast.Call) -> Value | None:
    """``torch.tensor(items)`` of a list that is not a literal; None for any other argument."""
    if len(node.args) != 1 or isinstance(node.args[0], ast.Starred | ast.Constant):
        return None
    options = [k for k in node.keywords if k.arg in factory.KEYWORDS]
    if options:
        kept = [k for k in node.keywords if k not in options]
        made = tensor_of(lowering, ast.copy_location(ast.Call(node.func, node.args, kept), node))
        for keyword in options if made is not None else ():
            _check_option(lowering, keyword)
        return made
    if any(k.arg != "dtype" for k in node.keywords):
        return None
    span = lowering.span(node)
    given = node.args[0]
    if isinstance(given, ast.List | ast.Tuple):
        parts = [e for e in given.elts if not isinstance(e, ast.Starred | ast.List | ast.Tuple)]
        elements = [type_of_expression(lowering, e) for e in parts]
        if NUMBER in elements and all(e == NUMBER or e in NUMBERS for e in elements):
            listed = ast.copy_location(ast.List(given.elts, ast.Load()), given)
            return _tensor_of_numbers(lowering, lowering.value_as(listed, ListType(NUMBER)), node)
        if not elements and any(isinstance(e, ast.List | ast.Tuple) for e in given.elts):
            return _tensor_of_rows(lowering, node)
        if not elements or not all(isinstance(e, ListType | SizeType) for e in elements):
            return None
    elif type_of_expression(lowering, given) in (ListType(NUMBER), ListType(NUMBER, frozen=True)):
        return _tensor_of_numbers(lowering, lowering.value(given), node)
    elif not isinstance(type_of_expression(lowering, given), ListType | SizeType):
        return None
    made = tensor_of_lists(lowering, lowering.value(given), span)
    if made is None or not node.keywords:
        return made
    return lowering.apply("to", [made, lowering.value(node.keywords[0].value)], span)


def _tensor_of_rows(lowering: FunctionLowering, node: ast.Call) -> Value:
    """``torch.tensor([[1, 0], [0, 1.5]])``: numbers of several kinds are all of the widest."""
    rows, span = operator_argument(lowering, node.args[0]), lowering.span(node)
    found = _leaves(rows.type)
    kinds = [kind for kind in (COMPLEX, FLOAT, INT, BOOL) if kind in found]
    if len(kinds) > 1 and found <= {*kinds}:
        rows = _converted(lowering, rows, kinds[0], span)
    named = {k.arg or "": lowering.value(k.value) for k in node.keywords}
    return lowering.apply("tensor", [rows], span, named, "torch.tensor")


def _leaves(type: Type) -> set[Type]:
    """The types of what is in nested tuples."""
    return {inner for e in type.elements for inner in _leaves(e)} if isinstance(type, TupleType) else {type}


def _converted(lowering: FunctionLowering, value: Value, number: Type, span: Span) -> Value:
    """A number, or the numbers in nested tuples, as those of a wider type."""
    if isinstance(value.type, TupleType):
        parts = [_converted(lowering, part, number, span) for part in tuple_elements(lowering, value, span)]
        return make_tuple(lowering, parts, span)
    return lowering.coerce(value, number, span) or value


def _check_option(lowering: FunctionLowering, keyword: ast.keyword) -> None:
    """Check one of the keywords that all operators take that make tensors."""
    span, value = lowering.span(keyword), lowering.value(keyword.value)
    try:
        is_open = factory.check(keyword.arg or "", value)
    except OperatorTypeError as error:
        raise lowering.failure(type_errors.OperatorRefused(span, str(error), "leave it out")) from None
    if is_open:
        if value.type == STR:
            value = operators.scalar(lowering, DEVICE_OF_NAME, [value], span)
        operators.scalar(lowering, CHECK_DEVICE, [value], span)


def _tensor_of_numbers(lowering: FunctionLowering, items: Value, node: ast.Call) -> Value:
    """``torch.tensor(items)`` of a list of `NUMBER`: of floats if one is a float, else of ints if one is an int."""
    span = lowering.span(node)

    def of(body: Function, dtype: Value) -> Value:
        made = lowering.apply("list_tensor", [call_function(lowering, body, [items], span)], span)
        return lowering.apply("to", [made, dtype], span)

    def has(kind: int) -> Value:
        return call_function(lowering, tensor_lists.has_kind, [items, lowering.constant(kind, span)], span)

    def whole() -> Value:
        ints = lowering.branch(lambda: of(tensor_lists.ints_of, lowering.const(dtypes.int64, DTYPE, span)))
        bools = lowering.branch(lambda: of(tensor_lists.ints_of, lowering.const(dtypes.bool_, DTYPE, span)))
        return join_values(lowering, has(1), ints, bools, node)

    floats = lowering.branch(lambda: of(tensor_lists.floats_of, lowering.apply("get_default_dtype", [], span)))
    made = join_values(lowering, has(2), floats, lowering.branch(whole), node)
    if not node.keywords:
        return made
    return lowering.apply("to", [made, lowering.value(node.keywords[0].value)], span)


def _inner(type: Type) -> Type:
    return type.value if isinstance(type, OptionalType) else type


def item(lowering: FunctionLowering, tensor: Value, span: Span) -> Value:
    """``tensor.item()``."""
    return lowering.leaf(lowering.program.resolver.table["item.number"], [tensor], NUMBER, span)


ATTRIBUTES: dict[str, str] = {
    "shape": "size",
    "ndim": "dim",
    "dtype": "dtype",
    "T": "T",
    "mT": "mT",
    "H": "H",
    "mH": "adjoint",
    "real": "real",
    "imag": "imag",
}
"""Attributes of tensors that are operators; `data` is not."""


KNOWN: dict[str, object] = {
    "device": CPU,
    "layout": STRIDED,
    "grad": None,
    "grad_fn": None,
    "is_cpu": True,
    "is_leaf": True,
    "requires_grad": False,
    **dict.fromkeys(("is_cuda", "is_mps", "is_meta", "is_xpu", "is_sparse", "is_sparse_csr", "is_quantized"), False),
    **dict.fromkeys(("is_nested", "is_mkldnn", "is_vulkan", "is_xla", "is_hpu", "is_ipu", "retains_grad"), False),
}
"""Attributes that are the same for all tensors."""


def call_operator(lowering: FunctionLowering, node: ast.Call, symbol: OperatorSymbol) -> Value:
    """A call of an operator."""
    made = tensor_of(lowering, node) if symbol.name == "tensor" else None
    return lower_operator(lowering, node, symbol) if made is None else made


def _truth(lowering: FunctionLowering, value: Value, span: Span) -> Value:
    return lowering.apply("bool", [value], span)


def _attribute(lowering: FunctionLowering, value: Value, name: str, span: Span, node: ast.expr | None) -> Value:
    operator = ATTRIBUTES.get(name)
    if operator is not None:
        return lowering.apply(operator, [value], span)
    if name == "data":
        return value
    if name in ("itemsize", "nbytes"):
        size = lowering.apply("element_size", [value], span)
        return (
            size if name == "itemsize" else lowering.apply("mul", [size, lowering.apply("numel", [value], span)], span)
        )
    if name in KNOWN:
        return lowering.constant(KNOWN[name], span)
    if name in lowering.program.resolver.table.methods:
        instead = f"'{name}' is a method: call it, 'x.{name}(...)'"
    else:
        instead = missing(lowering, node, "Tensor", name, ATTRIBUTES)
    raise lowering.failure(type_errors.NoAttribute(span, "Tensor", "attribute", name, instead))


def _method(lowering: FunctionLowering, node: ast.Call, receiver: Value) -> Value:
    function = node.func
    assert isinstance(function, ast.Attribute)
    name, methods = function.attr, lowering.program.resolver.table.methods
    operator = methods.get(in_place_views.method_of(lowering, node, receiver) or name)
    if operator is None:
        instead = missing(lowering, function.value, "Tensor", name, methods)
        if name in ATTRIBUTES:
            instead = f"'{name}' is an attribute: write 'x.{name}'"
        raise lowering.failure(type_errors.NoAttribute(lowering.span(function), "Tensor", "method", name, instead))
    if name == "item" and not node.args and not node.keywords:
        return item(lowering, receiver, lowering.span(node))
    return operator_call(lowering, node, operator, (receiver,), name)


def _rows(lowering: FunctionLowering, value: Value, node: ast.expr) -> Source:
    return Items(value, "select")


def _parts(lowering: FunctionLowering, value: Value, count: int, span: Span) -> list[Value]:
    sequences.check_length(lowering, value, count, span)
    first = lowering.const(0, INT, span)
    return [lowering.apply("select", [value, first, lowering.const(i, INT, span)], span) for i in range(count)]


def _parts_around(lowering: FunctionLowering, value: Value, before: int, after: int, span: Span) -> list[Value]:
    return sequences.parts_around(lowering, lowering.apply("unbind", [value], span), before, after, span)


TENSOR_KIND = Kind(
    truth=_truth,
    attribute=_attribute,
    method=_method,
    length=sequences.length,
    item=tensor_indexing.load_item,
    set_item=tensor_indexing.set_item,
    augment_item=tensor_indexing.augment_item,
    source=_rows,
    parts=_parts,
    parts_around=_parts_around,
    has_identity=True,
)
