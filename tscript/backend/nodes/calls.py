"""Operators and calls: leaf instructions, C functions, scripted functions, kernels, fused groups."""

from __future__ import annotations

from tscript.abi import symbols
from tscript.abi.leaves import leaves
from tscript.backend.llvm.machine import EMITTERS
from tscript.backend.llvm.machine import emit_leaf as emit_instruction
from tscript.backend.llvm.types import llvm_type, memory_type
from tscript.backend.nodes.dispatch import emit_dispatch, is_dispatched, kernel_binding
from tscript.backend.nodes.failing import call_symbol
from tscript.backend.nodes.function import FunctionEmitter
from tscript.backend.nodes.marshal import arguments_of, marshalled
from tscript.backend.nodes.state import Operands
from tscript.backend.nodes.values import coerce, convert
from tscript.definitions.opdef import CCall, Extern, Kernel, kernel_name
from tscript.diagnostics import InternalError
from tscript.ir.graph import Block, Call, Const, Fused, Op, Value, Yield
from tscript.types import BOOL, NONE, ArrayType, TensorType, TupleType

NAME_LENGTH = 80
"""The maximum length of the name of a fused group."""


def emit_op(f: FunctionEmitter, node: Op) -> None:
    """An operator, by the class of its implementation."""
    f.emitters.operators[type(node.op.implementation)](f, node)


def emit_leaf(f: FunctionEmitter, node: Op) -> None:
    """A machine operator: an instruction."""
    if node.op not in EMITTERS:
        raise InternalError(f"no instruction for {node.op.name}", node.span)
    inputs = node.inputs
    operands = [_leaf_operand(f, v) for v in inputs]
    out = emit_instruction(f.text, node.op, operands, [v.type for v in inputs], node.outputs[0].type)
    f.env[node.outputs[0]] = (out,) if out else ()


def _leaf_operand(f: FunctionEmitter, value: Value) -> str:
    constant = value.constant
    if isinstance(constant, str):  # the name of a field or symbol
        return constant
    found = f.operands(value)
    return found[0] if found else ""


def emit_extern(f: FunctionEmitter, node: Op) -> None:
    """A C function."""
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
    # A function with a meaning on values is one of libm: LLVM may move and merge calls, but not replace them by an
    # instruction or another function, so that results equal CPython's digit for digit.
    attributes = "nounwind willreturn memory(none)" if node.op.effects.is_pure else "nounwind"
    name = text.declare_function(implementation.symbol, native, [t for t, _ in arguments], attributes)
    call = f"call {native} {name}({', '.join(f'{t} {o}' for t, o in arguments)}) nobuiltin"
    if result == NONE:
        text.line(call)
        f.env[node.outputs[0]] = ()
        return
    out = text.let(call)
    f.env[node.outputs[0]] = (text.let(f"icmp ne i8 {out}, 0") if result == BOOL else out,)


def emit_c_call(f: FunctionEmitter, node: Op) -> None:
    """A call of a C function, with its own declaration."""
    call, text = node.op.implementation, f.text
    assert isinstance(call, CCall)
    result = node.output.type
    native = llvm_type(result)
    operands = list(node.inputs)
    if call.symbol:
        name = text.declare_function(call.symbol, native, _parameters(call))
    else:
        name = f.operand(operands.pop(0))
    shape = f"{native} ({', '.join(_parameters(call))})" if call.variadic else native
    args = ", ".join(f"{llvm_type(v.type)} {f.operand(v)}" for v in operands)
    if result == NONE:
        text.line(f"call {shape} {name}({args})")
        f.env[node.output] = ()
    else:
        f.env[node.output] = (text.let(f"call {shape} {name}({args})"),)


def _parameters(call: CCall) -> list[str]:
    return [*map(llvm_type, call.parameters), *(["..."] if call.variadic else [])]


def refuse(f: FunctionEmitter, node: Op) -> None:
    """An operator that passes replace by its body."""
    raise InternalError(f"{node.op.name} reached the backend without being lowered", node.span)


def emit_call(f: FunctionEmitter, node: Call) -> None:
    """A call of a scripted function."""
    module = f.module
    if node.callee not in module.symbols:
        raise InternalError(f"call of {node.callee!r}, which is not part of the program", node.span)
    args = [
        a
        for value, type in zip(node.inputs, module.parameter_types[node.callee], strict=True)
        for a in arguments_of(f, coerce(f, value, type), type)
    ]
    result = module.result_types[node.callee]
    operands = call_symbol(f, module.symbols[node.callee], args, leaves(result), node.span)
    f.env[node.outputs[0]] = convert(f, operands, result, node.outputs[0].type)


def is_of_arrays(node: Op) -> bool:
    """Whether an operator takes or makes an array."""
    return any(isinstance(v.type, ArrayType) for v in (*node.inputs, *node.outputs))


def emit_kernel(f: FunctionEmitter, node: Op) -> None:
    """A function of the native library over tensors; where their dtypes are not known, the eager operator."""
    kernel = node.op.implementation
    assert isinstance(kernel, Kernel)
    binding = kernel_binding(node, kernel)
    if binding is None:
        emit_dispatch(f, node)
        return
    args = marshalled(f, node)
    result = node.outputs[0].type
    if node.op.schema.result == "Size" and isinstance(result, TupleType):
        raise InternalError(f"{node.op.name} gives a shape, but {result} is expected", node.span)
    name = kernel.symbol
    if kernel.for_arrays is not None and is_of_arrays(node):
        name, binding = kernel_name(kernel.for_arrays.body), []
    symbol = symbols.kernel_symbol(name, binding)
    if node.op.takes_epilogue and f.thread is None:
        args[-1] = f"i64 {_epilogue(f, node)}"
    f.env[node.outputs[0]] = call_symbol(f, symbol, args, leaves(result), node.span)


def _epilogue(f: FunctionEmitter, node: Op) -> str:
    """What a kernel gets to know of the group behind it; 0: nothing."""
    from tscript.backend.nodes import epilogues

    if f.epilogues is None:
        f.epilogues = epilogues.epilogues_of(f.graph)
    group = f.epilogues.get(node)
    return "0" if group is None else epilogues.begin_epilogue(f, node, group, _new_name(f, group))


def emit_pointwise(f: FunctionEmitter, node: Op) -> None:
    """A pointwise operator outside any group: a group of one."""
    if is_dispatched(node):
        emit_dispatch(f, node)
        return
    body = Block()
    inputs: list[Value] = []
    replaced: list[Value] = []
    for value in node.inputs:
        if isinstance(value.node, Const) and not isinstance(value.type, TensorType):
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
    if node in f.records:
        from tscript.backend.nodes import epilogues

        epilogues.end_epilogue(f, node)
        return
    for value, operands in zip(node.outputs, _group(f, node), strict=True):
        f.env[value] = operands


def group_name(node: Fused) -> str:
    """The name of a fused group: its operators in order, as many as fit into `NAME_LENGTH` characters."""
    name = "_".join(["fused", *(n.op.schema.name for n in node.body.nodes if isinstance(n, Op))])
    return name if len(name) <= NAME_LENGTH else f"{name[: NAME_LENGTH - 3]}..."


def _new_name(f: FunctionEmitter, node: Fused) -> str:
    return f"{group_name(node)}.{len(f.module.defined)}"


def _group(f: FunctionEmitter, node: Fused) -> list[Operands]:
    from tscript.backend.nodes import fused

    module = f.module
    name = _new_name(f, node)
    module.defined.add(name)
    module.functions += fused.emit_group(
        f"@{name}", node, module.bodies, module.target, module.constants, module.declarations
    )
    args = [a for v in node.inputs for a in arguments_of(f, f.operands(v), v.type)]
    results = [leaf for v in node.outputs for leaf in leaves(v.type)]
    # The sites of its errors are those of its members.
    return [(o,) for o in call_symbol(f, name, args, results, None)]
