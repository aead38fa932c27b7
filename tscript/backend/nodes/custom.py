"""Custom operators: plain Python functions through dispatch, C functions by symbol.

A C function takes the context, the table `symbols.OPERATOR_API`, its arguments as kernels take them
(`tscript.backend.nodes.marshal`), and an out pointer for each leaf of its result; it returns a status. The result of
neither kind is trusted: a tensor that is missing, has another dtype or rank than the operator's rule, or shares memory
with an argument raises an error.
"""

from __future__ import annotations

from tscript.abi import symbols
from tscript.abi.dispatch import PREFIX
from tscript.abi.layout import STORAGE, STORAGE_READONLY
from tscript.abi.leaves import leaves
from tscript.backend.llvm.text import LIKELY
from tscript.backend.llvm.types import memory_type
from tscript.backend.nodes.dispatch import emit_dispatch
from tscript.backend.nodes.failing import call_symbol, raise_error
from tscript.backend.nodes.function import FunctionEmitter
from tscript.backend.nodes.marshal import marshalled
from tscript.backend.nodes.values import tensor_field
from tscript.definitions.opdef import NativeCall
from tscript.ir.graph import Op
from tscript.types import BOOL, TensorType, TupleType, Type, is_counted


def emit_python_call(f: FunctionEmitter, node: Op) -> None:
    """A call of a Python function: of a custom operator, or of the program's own."""
    emit_dispatch(f, node)
    if not node.op.name.startswith(PREFIX):
        _check_result(f, node)


def emit_native_call(f: FunctionEmitter, node: Op) -> None:
    """A call of a C function."""
    args = marshalled(f, node)
    implementation = node.op.implementation
    assert isinstance(implementation, NativeCall)
    text = f.text
    _check_writable(f, node)
    name = f.module.constants.text(node.op.name)
    if implementation.releases_gil:
        call_symbol(f, symbols.RELEASE_GIL, (), (), node.span)
    types = leaves(node.output.type)
    outs = [text.slot(memory_type(t), i) for i, t in enumerate(types)]
    for out, t in zip(outs, types, strict=True):
        if is_counted(t):
            text.line(f"store ptr null, ptr {out}")
    api = text.declare_global(symbols.OPERATOR_API)
    everything = ["ptr %ctx", f"ptr {api}", *args, *(f"ptr {o}" for o in outs)]
    symbol = text.declare_function(implementation.symbol, "i32", [a.rpartition(" ")[0] for a in everything], "nounwind")
    status = text.let(f"call i32 {symbol}({', '.join(everything)})", "status")
    call_symbol(f, symbols.OPERATOR_FAILED, [f"ptr {name}", f"i32 {status}"], (), node.span)
    found = [_loaded(f, out, t) for out, t in zip(outs, types, strict=True)]
    tensors = [o for o, t in zip(found, types, strict=True) if is_counted(t)]
    for tensor in tensors:
        good, bad = text.fresh_label("given"), text.fresh_label("missing")
        there = text.let(f"icmp ne ptr {tensor}, null")
        text.terminate(f"br i1 {there}, label %{good}, label %{bad}{LIKELY}")
        text.label(bad)
        text.declare_function(symbols.OPERATOR_DROP, "i32", ["ptr", "ptr"])
        for other in tensors:
            if other != tensor:
                text.line(f"call i32 @{symbols.OPERATOR_DROP}(ptr %ctx, ptr {other})")
        raise_error(f, node.span, "RuntimeError", f"{node.op.name} returned no tensor where one is due")
        text.label(good)
    f.own(found, types)
    f.env[node.output] = tuple(found)
    _check_result(f, node)


def _check_writable(f: FunctionEmitter, node: Op) -> None:
    """Raise if a tensor that the function writes to is read-only."""
    text = f.text
    for value, parameter in zip(node.inputs, node.op.schema.parameters, strict=True):
        if not (parameter.written and isinstance(value.type, TensorType)):
            continue
        storage = tensor_field(f, f.operand(value), "storage", "ptr")
        address = text.let(f"getelementptr i8, ptr {storage}, i64 {STORAGE.offsets['flags']}")
        flag = text.let(f"and i64 {text.let(f'load i64, ptr {address}')}, {STORAGE_READONLY}")
        good, bad = text.fresh_label("writable"), text.fresh_label("readonly")
        text.terminate(f"br i1 {text.let(f'icmp eq i64 {flag}, 0')}, label %{good}, label %{bad}{LIKELY}")
        text.label(bad)
        raise_error(
            f, node.span, "RuntimeError", "the memory of this tensor is read-only: clone() it before writing to it"
        )
        text.label(good)


def _loaded(f: FunctionEmitter, address: str, type: Type) -> str:
    found = f.text.let(f"load {memory_type(type)}, ptr {address}")
    return f.text.let(f"icmp ne i8 {found}, 0") if type == BOOL else found


def _check_result(f: FunctionEmitter, node: Op) -> None:
    """Raise unless the result tensors of `node` have the declared types, and memory of their own."""
    results = [(o, t) for o, t in zip(f.env[node.output], leaves(node.output.type), strict=True)]
    parameters = node.op.schema.parameters
    repeated = parameters[-1:] * (len(node.inputs) - len(parameters))
    arguments = [
        operand
        for value, parameter in zip(node.inputs, (*parameters, *repeated), strict=True)
        if not parameter.written and _holds_tensor(value.type)
        for operand, leaf in zip(f.operands(value), leaves(value.type), strict=True)
        if isinstance(leaf, TensorType)
    ]
    for operand, type in results:
        if isinstance(type, TensorType):
            _check_type(f, node, operand, type)
            for argument in arguments:
                _check_separate(f, node, operand, argument)


def _holds_tensor(type: Type) -> bool:
    return isinstance(type, TensorType) or (isinstance(type, TupleType) and any(map(_holds_tensor, type.elements)))


def _check_type(f: FunctionEmitter, node: Op, tensor: str, type: TensorType) -> None:
    text, conditions = f.text, []
    if type.dtype is None and type.rank is None:
        return
    dtype, rank = tensor_field(f, tensor, "dtype", "i32"), tensor_field(f, tensor, "ndim", "i32")
    if type.dtype is not None:
        conditions.append(text.let(f"icmp eq i32 {dtype}, {type.dtype.code}"))
    if type.rank is not None:
        conditions.append(text.let(f"icmp eq i32 {rank}, {type.rank}"))
    fine = conditions[0] if len(conditions) == 1 else text.let(f"and i1 {conditions[0]}, {conditions[1]}")
    good, bad = text.fresh_label("fits"), text.fresh_label("other")
    text.terminate(f"br i1 {fine}, label %{good}, label %{bad}{LIKELY}")
    text.label(bad)
    args = [(text.let(f"zext i32 {dtype} to i64"), 2), (text.let(f"zext i32 {rank} to i64"), 0)]
    expected = str(type).replace("{", "{{").replace("}", "}}")
    message = f"{node.op.name} returned a tensor of {{0}} with {{1}} dimensions, its rule says {expected}"
    raise_error(f, node.span, "TypeError", message, args)
    text.label(good)


def _check_separate(f: FunctionEmitter, node: Op, result: str, argument: str) -> None:
    text = f.text
    same = text.let(
        f"icmp eq ptr {tensor_field(f, result, 'storage', 'ptr')}, {tensor_field(f, argument, 'storage', 'ptr')}"
    )
    place = text.let(
        f"icmp eq ptr {tensor_field(f, result, 'data', 'ptr')}, {tensor_field(f, argument, 'data', 'ptr')}"
    )
    full = text.let(f"icmp ne i64 {tensor_field(f, result, 'numel', 'i64')}, 0")
    shared = text.let(f"or i1 {same}, {text.let(f'and i1 {place}, {full}')}")
    good, bad = text.fresh_label("own"), text.fresh_label("shared")
    text.terminate(f"br i1 {text.let(f'xor i1 {shared}, true')}, label %{good}, label %{bad}{LIKELY}")
    text.label(bad)
    raise_error(
        f,
        node.span,
        "RuntimeError",
        f"{node.op.name} returned memory of one of its arguments: return a clone, or say mutates_args",
    )
    text.label(good)
