"""Operators and calls: leaf instructions, C functions, scripted functions, kernels, fused groups, dynamic dispatch.

Arguments of a kernel by the kind its schema gives them:

=========== ============================================================
kind        native arguments
=========== ============================================================
Tensor      ptr
Tensor?     ptr; None: null
int         i64
int?        i64; None: `NONE_INT`
float       double
float?      double, i64 (1; None: 0)
bool        i8
bool?       i8; None: -1
dtype       i32
dtype?      i32; None: -1
str         ptr to NUL-terminated UTF-8; None: null
int[]       ptr, i64 length; None: length -1 (a Size likewise)
float[]     ptr, i64 length
Tensor[]    ptr, i64 length
Scalar      double, i64: the value as both
Scalar?     double, i64, i64 (1; None: 0)
=========== ============================================================
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tscript.abi import symbols
from tscript.abi.dispatch import END, DispatchKind
from tscript.abi.layout import NONE_INT
from tscript.backend import custom, fused, structural
from tscript.backend.constants import symbol_name
from tscript.backend.entry import has_objects
from tscript.backend.function import FunctionEmitter, Operands
from tscript.backend.futures import emit_wait
from tscript.backend.machine import EMITTERS, emit_leaf, literal, memory_type
from tscript.backend.native import cells as value_cells
from tscript.backend.native import emit_native, load_cells
from tscript.backend.values import leaves
from tscript.diagnostics import InternalError
from tscript.dialect import machine
from tscript.ir.graph import Block, Call, Const, Fused, Op, Value, Yield
from tscript.operators.core.opdef import (
    Composite,
    Extern,
    Kernel,
    Leaf,
    Native,
    NativeCall,
    Pointwise,
    PythonCall,
    Scalar,
    Structural,
    Wait,
)
from tscript.operators.python.python_calls import PREFIX
from tscript.types import (
    BOOL,
    DTYPE,
    FLOAT,
    INT,
    NONE,
    STR,
    DType,
    SizeType,
    TensorType,
    TupleType,
    Type,
    dtype_of,
    dtypes,
)

NAME_LENGTH = 80
"""Of the name of a fused group, at most."""

OpEmitter = Callable[[FunctionEmitter, Op], None]


def emit_op(f: FunctionEmitter, node: Op) -> None:
    """An operator, by the class of its implementation."""
    OPERATORS[type(node.op.implementation)](f, node)


def _leaf(f: FunctionEmitter, node: Op) -> None:
    if node.op not in EMITTERS:
        raise InternalError(f"no instruction for {node.op.name}", node.span)
    inputs = node.inputs
    operands = [_leaf_operand(f, v) for v in inputs]
    out = emit_leaf(f.text, node.op, operands, [v.type for v in inputs], node.outputs[0].type)
    f.env[node.outputs[0]] = (out,) if out else ()


def _leaf_operand(f: FunctionEmitter, value: Value) -> str:
    constant = value.constant
    if isinstance(constant, str):  # the name of a field or symbol
        return constant
    found = f.operands(value)
    return found[0] if found else ""


def _extern(f: FunctionEmitter, node: Op) -> None:
    text, implementation = f.text, node.op.implementation
    assert isinstance(implementation, Extern)
    result = node.outputs[0].type
    arguments = []
    for value in node.inputs:
        operand = f.operand(value)
        if value.type == BOOL:
            operand = text.let(f"zext i1 {operand} to i8")
        arguments.append((memory_type(value.type), operand))
    native = memory_type(result)
    name = symbol_name(implementation.symbol)
    # A function with a meaning on values is one of libm: LLVM may move and merge calls, but not replace them by an
    # instruction or another function, so that results equal CPython's digit for digit.
    pure = " willreturn memory(none)" if node.op.effects.is_pure else ""
    text.declare(f"declare {native} {name}({', '.join(t for t, _ in arguments)}) nounwind{pure}")
    call = f"call {native} {name}({', '.join(f'{t} {o}' for t, o in arguments)}) nobuiltin"
    if result == NONE:
        text.line(call)
        f.env[node.outputs[0]] = ()
        return
    out = text.let(call)
    f.env[node.outputs[0]] = (text.let(f"icmp ne i8 {out}, 0") if result == BOOL else out,)


def _structural(f: FunctionEmitter, node: Op) -> None:
    emitter = structural.emitters().get(node.op) or structural.makers().get(node.op)
    if emitter is None:
        emit_dispatch(f, node)
    else:
        emitter(f, node)


def _not_lowered(f: FunctionEmitter, node: Op) -> None:
    raise InternalError(f"{node.op.name} reached the backend without being lowered", node.span)


def emit_call(f: FunctionEmitter, node: Call) -> None:
    """A call of a scripted function."""
    module = f.module
    if node.callee not in module.symbols:
        raise InternalError(f"call of {node.callee!r}, which is not part of the program", node.span)
    args = [
        a
        for value, type in zip(node.inputs, module.parameter_types[node.callee], strict=True)
        for a in arguments_of(f, f.coerce(value, type), type)
    ]
    result = module.result_types[node.callee]
    operands = f.call(module.symbols[node.callee], args, leaves(result), node.span)
    f.env[node.outputs[0]] = f.convert(operands, result, node.outputs[0].type)


def arguments_of(f: FunctionEmitter, operands: Operands, type: Type) -> list[str]:
    """The leaves of a value as arguments of the native convention."""
    out = []
    for operand, leaf in zip(operands, leaves(type), strict=True):
        if leaf == BOOL:
            operand = f.text.let(f"zext i1 {operand} to i8")
        out.append(f"{memory_type(leaf)} {operand}")
    return out


def _tensor_types(type: Type) -> list[TensorType]:
    match type:
        case TensorType():
            return [type]
        case TupleType():
            return [t for e in type.elements for t in _tensor_types(e)]
    return []


def _kernel(f: FunctionEmitter, node: Op) -> None:
    kernel = node.op.implementation
    assert isinstance(kernel, Kernel)
    binding = _binding(node, kernel)
    if binding is None:
        emit_dispatch(f, node)
        return
    args = _marshalled(f, node)
    result = node.outputs[0].type
    symbol = symbol_name(symbols.kernel_symbol(kernel.symbol, binding))
    f.env[node.outputs[0]] = f.call(symbol, args, leaves(result), node.span)


def _marshalled(f: FunctionEmitter, node: Op) -> list[str]:
    """The arguments of an operator in the convention of kernels."""
    return [
        a
        for value, parameter in zip(node.inputs, node.op.schema.parameters, strict=True)
        for a in _MARSHAL[parameter.kind](f, value)
    ]


def _python_call(f: FunctionEmitter, node: Op) -> None:
    emit_dispatch(f, node)
    if not node.op.name.startswith(PREFIX):
        custom.check_result(f, node)


def _native_call(f: FunctionEmitter, node: Op) -> None:
    custom.call_native(f, node, _marshalled(f, node))


def _binding(node: Op, kernel: Kernel) -> list[DType] | None:
    """The dtypes that instantiate the kernel of `node`, or None when they are not known here."""
    # A kernel over several tensors relies on what the type rule said of their dtypes.
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
    """Whether a tensor operator is run through the eager path, its dtypes or ranks being unknown here."""
    if isinstance(node.op.implementation, Kernel):
        return _binding(node, node.op.implementation) is None
    return not all(t.is_known for v in (*node.inputs, *node.outputs) if isinstance(t := v.type, TensorType))


def _pointwise(f: FunctionEmitter, node: Op) -> None:
    """A pointwise operator outside any group: a group of one."""
    if is_dispatched(node):
        emit_dispatch(f, node)
        return
    body = Block()
    inputs: list[Value] = []
    replaced: list[Value] = []
    for value in node.inputs:
        if isinstance(value.node, Const):
            copy = Const(value.node.value, value.type, value.span)
            body.nodes.append(copy)
            replaced.append(copy.output)
        else:
            body.params.append(Value(value.type, value.name))
            inputs.append(value)
            replaced.append(body.params[-1])
    member = Op(node.op, replaced, node.output.type, node.span)
    body.nodes += [member, Yield([member.output], node.span)]
    group = Fused(inputs, body, [node.output.type], node.span)
    f.env[node.output] = _group(f, group)[0]


def emit_fused(f: FunctionEmitter, node: Fused) -> None:
    """A fused group: a function of its own, and its call."""
    for value, operands in zip(node.outputs, _group(f, node), strict=True):
        f.env[value] = operands


def group_name(node: Fused) -> str:
    """The name of a fused group: its operators in order, as many as fit into `NAME_LENGTH` characters."""
    name = "_".join(["fused", *(n.op.schema.name for n in node.body.nodes if isinstance(n, Op))])
    return name if len(name) <= NAME_LENGTH else f"{name[: NAME_LENGTH - 3]}..."


def _group(f: FunctionEmitter, node: Fused) -> list[Operands]:
    module = f.module
    name = f"{group_name(node)}.{len(module.defined)}"
    module.defined.add(name)
    module.functions += fused.emit_group(
        f"@{name}", node, module.bodies, module.target, module.constants, module.declarations
    )
    args = [a for v in node.inputs for a in arguments_of(f, f.operands(v), v.type)]
    results = [leaf for v in node.outputs for leaf in leaves(v.type)]
    # The group names the places of its own errors: those of its members.
    return [(o,) for o in f.call(name, args, results, None)]


# Marshalling of kernel arguments


def _is_none(value: Value) -> bool:
    return value.type == NONE


def _as_int(f: FunctionEmitter, value: Value) -> str:
    """A number as an i64."""
    return _converted(f, f.operand(value), value.type, INT)


def _as_float(f: FunctionEmitter, value: Value) -> str:
    """A number as a double."""
    return _converted(f, f.operand(value), value.type, FLOAT)


def _converted(f: FunctionEmitter, operand: str, source: Type, target: Type) -> str:
    if source == target:
        return operand
    if dtype_of(source) is None:
        raise InternalError(f"a {source} where a number is expected", f.graph.span)
    return emit_leaf(f.text, machine.CONVERT, [operand], [source], target)


def _tensor(f: FunctionEmitter, value: Value) -> list[str]:
    return ["ptr null"] if _is_none(value) else [f"ptr {f.operand(value)}"]


def _int(f: FunctionEmitter, value: Value) -> list[str]:
    return [f"i64 {NONE_INT}"] if _is_none(value) else [f"i64 {_as_int(f, value)}"]


def _maybe_int(f: FunctionEmitter, value: Value) -> list[str]:
    """The int that stands for None gives way to the next one, which is no dimension and no place either."""
    if _is_none(value):
        return [f"i64 {NONE_INT}"]
    if type(value.constant) is int:
        return [f"i64 {max(value.constant, NONE_INT + 1)}"]
    f.text.declare("declare i64 @llvm.smax.i64(i64, i64)")
    return [f"i64 {f.text.let(f'call i64 @llvm.smax.i64(i64 {_as_int(f, value)}, i64 {NONE_INT + 1})')}"]


def _float(f: FunctionEmitter, value: Value) -> list[str]:
    return [f"double {_as_float(f, value)}"]


def _optional_float(f: FunctionEmitter, value: Value) -> list[str]:
    return ["double 0.0", "i64 0"] if _is_none(value) else [f"double {_as_float(f, value)}", "i64 1"]


def _bool(f: FunctionEmitter, value: Value) -> list[str]:
    if _is_none(value):
        return ["i8 -1"]
    return [f"i8 {f.text.let(f'zext i1 {_converted(f, f.operand(value), value.type, BOOL)} to i8')}"]


def _dtype(f: FunctionEmitter, value: Value) -> list[str]:
    return ["i32 -1"] if _is_none(value) else [f"i32 {f.operand(value)}"]


def _str(f: FunctionEmitter, value: Value) -> list[str]:
    return ["ptr null"] if _is_none(value) else [f"ptr {_text_of(f, value)}"]


def _text_of(f: FunctionEmitter, value: Value) -> str:
    constant = value.constant
    if not isinstance(constant, str):
        raise InternalError("a str is not a constant", value.span)
    return f.module.constants.text(constant)


def _scalar(f: FunctionEmitter, value: Value) -> list[str]:
    constant = value.constant
    if isinstance(constant, bool | int | float):
        as_int = machine.CONVERT.semantics(constant, INT)
        return [f"double {literal(float(constant), FLOAT)}", f"i64 {literal(as_int, INT)}"]
    return [f"double {_as_float(f, value)}", f"i64 {_as_int(f, value)}"]


def _optional_scalar(f: FunctionEmitter, value: Value) -> list[str]:
    return ["double 0.0", "i64 0", "i64 0"] if _is_none(value) else [*_scalar(f, value), "i64 1"]


def _ints(f: FunctionEmitter, value: Value) -> list[str]:
    type = value.type
    if type == NONE:
        return ["ptr null", "i64 -1"]
    operands = f.operands(value)
    if isinstance(type, SizeType):
        return [
            f"ptr {f.tensor_field(operands[0], 'data', 'ptr')}",
            f"i64 {f.tensor_field(operands[0], 'numel', 'i64')}",
        ]
    elements = type.elements if isinstance(type, TupleType) else (type,)
    return _array(f, [_converted(f, o, t, INT) for o, t in zip(operands, elements, strict=True)], "i64")


def _floats(f: FunctionEmitter, value: Value) -> list[str]:
    elements = value.type.elements if isinstance(value.type, TupleType) else (value.type,)
    operands = f.operands(value)
    return _array(f, [_converted(f, o, t, FLOAT) for o, t in zip(operands, elements, strict=True)], "double")


def _tensors(f: FunctionEmitter, value: Value) -> list[str]:
    return _array(f, f.operands(value), "ptr")


def _array(f: FunctionEmitter, elements: Sequence[str], native: str) -> list[str]:
    """An array on the stack, as address and length."""
    if not elements:
        return ["ptr null", "i64 0"]
    text = f.text
    array = text.alloca(f"[{len(elements)} x {native}]", "array")
    for i, element in enumerate(elements):
        cell = text.let(f"getelementptr {native}, ptr {array}, i64 {i}") if i else array
        text.line(f"store {native} {element}, ptr {cell}")
    return [f"ptr {array}", f"i64 {len(elements)}"]


def _no_such_argument(f: FunctionEmitter, value: Value) -> list[str]:
    raise InternalError("a kernel cannot take an argument of kind Any", value.span)


_MARSHAL: dict[str, Callable[[FunctionEmitter, Value], list[str]]] = {
    "Tensor": _tensor,
    "Tensor?": _tensor,
    "int": _int,
    "int?": _maybe_int,
    "float": _float,
    "float?": _optional_float,
    "bool": _bool,
    "bool?": _bool,
    "dtype": _dtype,
    "dtype?": _dtype,
    "str": _str,
    "str?": _str,
    "int[]": _ints,
    "int[1]": _ints,
    "int[]?": _ints,
    "int[1]?": _ints,
    "float[]": _floats,
    "Tensor[]": _tensors,
    "Scalar": _scalar,
    "Scalar?": _optional_scalar,
    "None": lambda f, value: [],
    "Any": _no_such_argument,
}


# Dynamic dispatch


def emit_dispatch(f: FunctionEmitter, node: Op) -> None:
    """Run an operator whose dtypes or ranks are not known here through the eager path."""
    text = f.text
    kinds: list[DispatchKind] = []
    cells: list[str] = []
    for value in node.inputs:
        describe(f, value, kinds, cells)
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
    f.call(symbols.DISPATCH, args, (), node.span)
    if by_type:
        f.define(node.output, load_cells(f, out, type))
        return
    operands = []
    for i, leaf in enumerate(results):
        cell = text.let(f"getelementptr i64, ptr {out}, i64 {i}") if i else out
        operands.append(f.loaded(cell, memory_type(leaf), leaf))
    f.env[node.output] = tuple(operands)


def kinds_of(type: Type) -> list[DispatchKind]:
    """The kinds of the leaves of a result."""
    return [_RESULT_KINDS.get(leaf, _tensor_kind(leaf)) for leaf in leaves(type)]


def describe(f: FunctionEmitter, value: Value, kinds: list[DispatchKind], cells: list[str]) -> None:
    """Append the kinds and the typed cells that `value` is made of; what converts it is written to the current
    block."""
    _describe(f, value, value.type, _operands_or_text(f, value), kinds, cells)


def kinds_described(type: Type) -> list[DispatchKind]:
    """The kinds that `describe` gives for a value of this type."""
    if isinstance(type, TupleType):
        return [DispatchKind.TUPLE, *(kind for element in type.elements for kind in kinds_described(element))]
    if isinstance(type, SizeType):
        return [DispatchKind.SIZE]
    if isinstance(type, TensorType):
        return [DispatchKind.TENSOR]
    if type in (NONE, STR, DTYPE):
        known: dict[Type, DispatchKind] = {NONE: DispatchKind.NONE, STR: DispatchKind.STR, DTYPE: DispatchKind.DTYPE}
        return [known[type]]
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
    return (_text_of(f, value),) if isinstance(value.constant, str) else f.operands(value)


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
        case _ if type == NONE:
            kind, cell = DispatchKind.NONE, "i64 0"
        case _ if type == STR and isinstance(value.constant, str):
            kind, cell = DispatchKind.STR, f"ptr {operands[0]}"
        case _ if has_objects(type):
            kinds += [DispatchKind.VALUE, DispatchKind.VALUE]
            cells += [f"ptr {f.declare_type(type)}", f"ptr {value_cells(f, operands, type)}"]
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
                kind, cell = DispatchKind.FLOAT, f"double {_converted(f, operands[0], type, FLOAT)}"
            else:
                kind, cell = DispatchKind.INT, f"i64 {_converted(f, operands[0], type, INT)}"
    kinds.append(kind)
    cells.append(cell)


OPERATORS: dict[type, OpEmitter] = {
    Leaf: _leaf,
    Extern: _extern,
    Structural: _structural,
    Scalar: _not_lowered,
    Composite: _not_lowered,
    Pointwise: _pointwise,
    Kernel: _kernel,
    Native: emit_native,
    Wait: emit_wait,
    PythonCall: _python_call,
    NativeCall: _native_call,
}

__all__ = ["OPERATORS", "arguments_of", "emit_call", "emit_dispatch", "emit_fused", "emit_op"]
