"""One graph to one LLVM function: the table of node emitters and the function around them."""

from __future__ import annotations

from collections.abc import Mapping

from tscript.abi.symbols import FRAME
from tscript.backend import calls, closures, control, counted, exceptions, futures, observe
from tscript.backend.function import FunctionEmitter, ModuleState, NodeEmitter
from tscript.backend.machine import memory_type
from tscript.backend.values import leaves, native_types
from tscript.diagnostics import InternalError
from tscript.ir.graph import (
    Break,
    Call,
    Closure,
    Const,
    Continue,
    For,
    Fork,
    Fused,
    Graph,
    If,
    Invoke,
    Loop,
    Node,
    Op,
    Raise,
    Return,
    SetSlot,
    Throw,
    Try,
    Unreachable,
    Yield,
    walk,
)
from tscript.types import BOOL


def _const(f: FunctionEmitter, node: Const) -> None:
    """Constants are written where they are used."""


EMITTERS: Mapping[type[Node], NodeEmitter] = {
    Const: _const,
    Op: calls.emit_op,
    Call: calls.emit_call,
    Fork: futures.emit_fork,
    Closure: closures.emit_closure,
    Invoke: closures.emit_invoke,
    Fused: calls.emit_fused,
    If: control.emit_if,
    Loop: control.emit_loop,
    For: counted.emit_for,
    Try: exceptions.emit_try,
    SetSlot: exceptions.emit_set_slot,
    Yield: control.emit_yield,
    Break: control.emit_break,
    Continue: control.emit_continue,
    Return: control.emit_return,
    Raise: control.emit_raise,
    Throw: exceptions.emit_throw,
    Unreachable: control.emit_unreachable,
}

OBSERVED: Mapping[type[Node], NodeEmitter] = {
    **EMITTERS,
    Op: observe.emit_op,
    Call: observe.emit_call,
    Fork: observe.emit_fork,
    Fused: observe.emit_fused,
}


LARGE = 150
"""Nodes of a graph whose frame may be so large that a few are as much as is left of a small stack."""


def emit_graph(module: ModuleState, graph: Graph, linkage: str) -> str:
    """The LLVM function of `graph`.

    Args:
        module: What the functions of the module share; gains the declarations and constants this one needs.
        graph: Lowered: no `Scalar` or `Composite` operators are left in it.
        linkage: ``internal `` or empty for an exported function.

    Raises:
        InternalError: The graph holds what the backend has no code for.
    """
    f = FunctionEmitter(module, graph, OBSERVED if module.observed else EMITTERS)
    params = ["ptr %ctx"]
    for i, value in enumerate(graph.body.params):
        operands = []
        for j, leaf in enumerate(leaves(value.type)):
            name = f"%{f.hint(value)}.p{i}.{j}"
            params.append(f"{memory_type(leaf)} {name}")
            # Callers from outside may give any byte for a bool.
            operands.append(f.text.let(f"icmp ne i8 {name}, 0") if leaf == BOOL else name)
        f.env[value] = tuple(operands)
    params += [f"ptr %out{i}" for i in range(len(native_types(graph.result)))]
    if module.observed:
        observe.begin_function(f, is_entry=not linkage)
    is_recursive = graph.name in module.recursive
    is_framed = module.safepoints and ((is_recursive and not module.small) or sum(1 for _ in walk(graph.body)) > LARGE)
    if is_recursive:
        f.enter_depth(seen=is_framed)
    f.emit_block(graph.body)
    if not f.text.terminated:
        raise InternalError(f"graph @{graph.name} does not end", graph.span)
    f.emit_cleanups()
    symbol = module.symbols[graph.name]
    if not is_framed:
        return f.text.function(f"define {linkage}i32 {symbol}({', '.join(params)}) #0")
    # The frame is made in a function of its own, which is called once it was seen that there is room.
    frames = module.constants.frames
    plain, quote = symbol.removesuffix('"'), '"' * symbol.endswith('"')
    framed = f"{plain}{FRAME}{len(frames)}{quote}"
    outer = FunctionEmitter(module, graph, EMITTERS)
    outer.see_frame(len(frames))
    outer.text.line(f"%done = musttail call i32 {framed}({', '.join(params)})")
    outer.text.terminate("ret i32 %done")
    outer.emit_cleanups()
    inner = f.text.function(f"define internal i32 {framed}({', '.join(params)}) noinline #0")
    frames.append(8 * inner.count("\n"))
    return inner + "\n" + outer.text.function(f"define {linkage}i32 {symbol}({', '.join(params)}) #0")
