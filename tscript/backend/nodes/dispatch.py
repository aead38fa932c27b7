"""Operators of unknown dtypes: they run through the eager path (`symbols.DISPATCH`)."""

from __future__ import annotations

from tscript.abi import symbols
from tscript.abi.dispatch import END, DispatchKind
from tscript.abi.leaves import leaves
from tscript.abi.signature_types import has_objects
from tscript.backend.llvm.types import memory_type
from tscript.backend.nodes.cells import cells as cells_on_stack
from tscript.backend.nodes.cells import load_cells
from tscript.backend.nodes.failing import call_symbol, load_result
from tscript.backend.nodes.function import FunctionEmitter
from tscript.backend.nodes.marshal import converted, text_of
from tscript.backend.nodes.state import Operands
from tscript.definitions.opdef import Kernel, Pointwise, PythonCall
from tscript.definitions.promotion import PointwiseRule
from tscript.diagnostics import InternalError
from tscript.ir.graph import Op, Value
from tscript.types import (
    BOOL,
    COMPLEX,
    DTYPE,
    FLOAT,
    INT,
    NEVER,
    NONE,
    STR,
    ArrayType,
    DType,
    ScalarType,
    SizeType,
    TensorType,
    TupleType,
    Type,
    dtype_of,
    dtypes,
)


def _tensor_types(type: Type) -> list[TensorType]:
    match type:
        case TensorType():
            return [type]
        case TupleType():
            return [t for e in type.elements for t in _tensor_types(e)]
    return []


def kernel_binding(node: Op, kernel: Kernel) -> list[DType] | None:
    """The dtypes that instantiate the kernel of `node`, or None when they are not known here."""
    # A kernel over several tensors relies on the dtype check of the type rule.
    tensors = [t for v in node.inputs for t in _tensor_types(v.type)]
    if len(tensors) > 1 and any(t.dtype is None for t in tensors):
        return None
    binding: list[DType] = []
    for position in kernel.generic:
        type = node.outputs[0].type if position < 0 else node.inputs[position].type
        dtype = type.dtype if isinstance(type, TensorType) else dtype_of(type)
        if dtype is None:
            return None
        binding.append(dtype)
    return binding


def is_dispatched(node: Op) -> bool:
    """Whether a tensor operator is run through the eager path, its dtypes being unknown here."""
    match node.op.implementation:
        case Kernel() as kernel:
            return kernel_binding(node, kernel) is None
        case Pointwise(rule=PointwiseRule() as rule):
            return not rule.is_decided(node.inputs)
    return not all(t.is_known for v in (*node.inputs, *node.outputs) if isinstance(t := v.type, TensorType))


def emit_dispatch(f: FunctionEmitter, node: Op) -> None:
    """Run an operator whose dtypes are not known here through the eager path."""
    text = f.text
    kinds: list[DispatchKind] = []
    cells: list[str] = []
    is_plain = isinstance(node.op.implementation, PythonCall) and node.op.library is None
    for value in node.inputs:
        if is_plain and isinstance(value.type, ArrayType):
            kinds.append(DispatchKind.ARRAY)
            cells.append(f"ptr {f.operand(value)}")
        elif is_plain and isinstance(value.type, ScalarType):
            _describe_cells(f, value.type, f.operands(value), kinds, cells)
        else:
            add_cells(f, value, kinds, cells)
    type = node.output.type
    results = leaves(type)
    by_type = has_objects(type)
    if by_type:
        kinds.append(DispatchKind.RESULT)
        cells.append(f"ptr {f.declare_type(type)}")
    array = text.alloca(f"[{max(1, len(cells))} x i64]", "args")
    for i, cell in enumerate(cells):
        text.line(f"store {cell}, ptr {text.let(f'getelementptr i64, ptr {array}, i64 {i}')}")
    out = text.alloca(f"[{max(1, len(results))} x i64]", "results")
    kind_text = f.module.constants.data(bytes([*kinds, *([] if by_type else kinds_of(type)), END]))
    name = f.module.constants.text(node.op.name)
    args = [f"ptr {name}", f"i64 {len(kinds)}", f"ptr {kind_text}", f"ptr {array}", f"ptr {out}"]
    call_symbol(f, symbols.DISPATCH, args, (), node.span)
    if by_type:
        f.define(node.output, load_cells(f, out, type))
        return
    operands = []
    for i, leaf in enumerate(results):
        cell = text.let(f"getelementptr i64, ptr {out}, i64 {i}") if i else out
        operands.append(load_result(f, cell, memory_type(leaf), leaf))
    f.env[node.output] = tuple(operands)


def kinds_of(type: Type) -> list[DispatchKind]:
    """The kinds of the leaves of a result."""
    return [_RESULT_KINDS.get(leaf, _tensor_kind(leaf)) for leaf in leaves(type)]


def add_cells(f: FunctionEmitter, value: Value, kinds: list[DispatchKind], cells: list[str]) -> None:
    """Append the kinds and the typed cells of `value`; its conversion is emitted to the current block."""
    _describe(f, value, value.type, _operands_or_text(f, value), kinds, cells)


def kinds_described(type: Type) -> list[DispatchKind]:
    """The kinds that `add_cells` gives for a value of this type."""
    if isinstance(type, TupleType):
        return [DispatchKind.TUPLE, *(kind for element in type.elements for kind in kinds_described(element))]
    if isinstance(type, SizeType):
        return [DispatchKind.SIZE]
    if isinstance(type, TensorType):
        return [DispatchKind.TENSOR]
    if type == NEVER:
        return [DispatchKind.NONE]
    if type in (NONE, STR, DTYPE):
        known: dict[Type, DispatchKind] = {NONE: DispatchKind.NONE, STR: DispatchKind.STR, DTYPE: DispatchKind.DTYPE}
        return [known[type]]
    if type == COMPLEX:
        return [DispatchKind.VALUE, DispatchKind.VALUE]
    dtype = dtype_of(type)
    if dtype is None:
        raise InternalError(f"a {type} cannot be an argument of a dispatched operator")
    number = DispatchKind.FLOAT if dtype.is_floating_point else DispatchKind.INT
    return [DispatchKind.BOOL if dtype is dtypes.bool_ else number]


_RESULT_KINDS: dict[Type, DispatchKind] = {
    INT: DispatchKind.INT,
    FLOAT: DispatchKind.FLOAT,
    BOOL: DispatchKind.BOOL,
    DTYPE: DispatchKind.DTYPE,
}


def _tensor_kind(leaf: Type) -> DispatchKind:
    return DispatchKind.SIZE if isinstance(leaf, SizeType) else DispatchKind.TENSOR


def _operands_or_text(f: FunctionEmitter, value: Value) -> Operands:
    return (text_of(f, value),) if isinstance(value.constant, str) else f.operands(value)


def _describe(
    f: FunctionEmitter, value: Value, type: Type, operands: Operands, kinds: list[DispatchKind], cells: list[str]
) -> None:
    """Append kinds and typed cells of one argument."""
    text = f.text
    match type:
        case TupleType():
            kinds.append(DispatchKind.TUPLE)
            cells.append(f"i64 {len(type.elements)}")
            at = 0
            for element in type.elements:
                n = len(leaves(element))
                _describe(f, value, element, operands[at : at + n], kinds, cells)
                at += n
            return
        case TensorType():
            kind, cell = DispatchKind.TENSOR, f"ptr {operands[0]}"
        case SizeType():
            kind, cell = DispatchKind.SIZE, f"ptr {operands[0]}"
        case _ if type in (NONE, NEVER):  # what has no value is not reached
            kind, cell = DispatchKind.NONE, "i64 0"
        case _ if type == STR and isinstance(value.constant, str):
            kind, cell = DispatchKind.STR, f"ptr {operands[0]}"
        case _ if has_objects(type) or type == COMPLEX:
            _describe_cells(f, type, operands, kinds, cells)
            return
        case _ if type == DTYPE:
            kind, cell = DispatchKind.DTYPE, f"i64 {text.let(f'zext i32 {operands[0]} to i64')}"
        case _:
            dtype = dtype_of(type)
            if dtype is None:
                raise InternalError(f"a {type} cannot be an argument of a dispatched operator", value.span)
            if dtype is dtypes.bool_:
                kind, cell = DispatchKind.BOOL, f"i64 {text.let(f'zext i1 {operands[0]} to i64')}"
            elif dtype.is_floating_point:
                kind, cell = DispatchKind.FLOAT, f"double {converted(f, operands[0], type, FLOAT)}"
            else:
                kind, cell = DispatchKind.INT, f"i64 {converted(f, operands[0], type, INT)}"
    kinds.append(kind)
    cells.append(cell)


def _describe_cells(
    f: FunctionEmitter, type: Type, operands: Operands, kinds: list[DispatchKind], cells: list[str]
) -> None:
    """A value that is converted by its type."""
    kinds += [DispatchKind.VALUE, DispatchKind.VALUE]
    cells += [f"ptr {f.declare_type(type)}", f"ptr {cells_on_stack(f, operands, type)}"]
