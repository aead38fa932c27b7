"""Function values (`tscript.abi.layout.CALLABLE_STRUCT`): creation and calls.

A function value runs a small adapter of the callee (`_adapter`), which loads the captured values from the environment
and calls the callee with these in front of the arguments. The function value owns its captured values, and its caller
keeps it alive.
"""

from __future__ import annotations

from tscript.abi import symbols
from tscript.abi.cells import cells_of
from tscript.abi.layout import CALLABLE_STRUCT, OBJECT_STRUCT
from tscript.abi.leaves import leaves
from tscript.backend.llvm.constants import symbol_name
from tscript.backend.llvm.text import Text
from tscript.backend.llvm.values import native_types
from tscript.backend.nodes.cells import cells
from tscript.backend.nodes.failing import call_symbol
from tscript.backend.nodes.function import FunctionEmitter
from tscript.backend.nodes.marshal import arguments_of
from tscript.backend.nodes.values import coerce, convert
from tscript.diagnostics import InternalError
from tscript.ir.graph import Closure, Invoke
from tscript.types import CallableType, TupleType


def emit_closure(f: FunctionEmitter, node: Closure) -> None:
    """A new value; it belongs to the current scope."""
    module = f.module
    if node.callee not in module.symbols:
        raise InternalError(f"closure of {node.callee!r}, which is not part of the program", node.span)
    held = TupleType(module.parameter_types[node.callee][: len(node.inputs)])
    operands = [o for v, t in zip(node.inputs, held.elements, strict=True) for o in coerce(f, v, t)]
    args = [f"ptr {f.declare_type(node.output.type)}", f"ptr {_adapter(f, node, held)}"]
    if cells_of(held):
        args += [f"ptr {f.declare_type(held)}", f"ptr {cells(f, operands, held)}"]
    else:
        args += ["ptr null", "ptr null"]
    args.append(f"ptr {module.constants.owner}")
    f.env[node.output] = call_symbol(f, symbols.kernel_symbol("closure_new"), args, (node.output.type,), node.span)


def emit_invoke(f: FunctionEmitter, node: Invoke) -> None:
    """A call of a value."""
    function, *given = node.inputs
    type = function.type
    assert isinstance(type, CallableType)
    value = f.operand(function)
    code = f.text.let(f"load ptr, ptr {_field(f.text, value, 'code')}", "code")
    args = [a for v, t in zip(given, type.parameters, strict=True) for a in arguments_of(f, coerce(f, v, t), t)]
    operands = call_symbol(f, code, [f"ptr {value}", *args], leaves(type.result), node.span)
    f.env[node.output] = convert(f, operands, type.result, node.output.type)


def _field(text: Text, value: str, name: str) -> str:
    return text.let(f"getelementptr i8, ptr {value}, i64 {CALLABLE_STRUCT.offsets[name]}", name)


def _adapter(f: FunctionEmitter, node: Closure, held: TupleType) -> str:
    """The symbol of the adapter of a callee for this number of captured values; emitted once in a module."""
    module = f.module
    callee = node.callee
    name = f"closure.{len(held.elements)}.{callee}"
    symbol = symbol_name(name)
    if name in module.defined:
        return symbol
    module.defined.add(name)
    text = Text(module.declarations)
    passed: list[str] = []
    if cells_of(held):
        environment = text.let(f"load ptr, ptr {_field(text, '%object', 'environment')}", "environment")
        for i, leaf in enumerate(leaves(held)):
            native = native_types(leaf)[0]
            wide = "i64" if native in ("i8", "i32") else native
            cell = text.let(f"getelementptr i8, ptr {environment}, i64 {OBJECT_STRUCT.size + 8 * i}", "cell")
            found = text.let(f"load {wide}, ptr {cell}")
            passed.append(f"{native} {found if wide == native else text.let(f'trunc i64 {found} to {native}')}")
    given = [leaf for t in module.parameter_types[callee][len(held.elements) :] for leaf in leaves(t)]
    params = [f"{native_types(leaf)[0]} %a{i}" for i, leaf in enumerate(given)]
    type = node.output.type
    assert isinstance(type, CallableType)
    outs = [f"ptr %out{i}" for i in range(len(leaves(type.result)))]
    results = outs[: len(leaves(module.result_types[callee]))]
    everything = ", ".join(["ptr %ctx", *passed, *params, *results])
    text.terminate(f"ret i32 {text.let(f'call i32 {symbol_name(module.symbols[callee])}({everything})', 'status')}")
    head = ", ".join(["ptr %ctx", "ptr %object", *params, *outs])
    module.functions.append(text.function(f"define internal i32 {symbol}({head}) #0"))
    return symbol
