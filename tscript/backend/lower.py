"""One graph to one LLVM function."""

from __future__ import annotations

from tscript.abi.leaves import leaves
from tscript.abi.symbols import FRAME
from tscript.backend.emitters import EMITTERS, observed
from tscript.backend.llvm.constants import symbol_name
from tscript.backend.llvm.types import memory_type
from tscript.backend.llvm.values import native_types
from tscript.backend.nodes.blocks import emit_block
from tscript.backend.nodes.depth import enter_depth, see_frame
from tscript.backend.nodes.failing import emit_cleanups
from tscript.backend.nodes.function import FunctionEmitter
from tscript.backend.nodes.referents import attributes_of
from tscript.backend.nodes.state import ModuleState
from tscript.backend.nodes.values import hint_of
from tscript.diagnostics import InternalError
from tscript.ir.graph import Graph, walk
from tscript.types import BOOL

LARGE = 150
"""The number of nodes from which a frame may be so large that a few of them fill the rest of a small stack."""


def emit_graph(module: ModuleState, graph: Graph, linkage: str) -> str:
    """The LLVM function of `graph`.

    Args:
        module: What the functions of the module share; gains the declarations and constants this one needs.
        graph: Lowered: no `Scalar` or `Composite` operators are left in it.
        linkage: ``internal `` or empty for an exported function.

    Raises:
        InternalError: The graph has a node that the backend cannot emit.
    """
    f = FunctionEmitter(module, graph, observed() if module.observed else EMITTERS)
    params, attributed = ["ptr %ctx"], ["ptr %ctx"]
    for i, value in enumerate(graph.body.params):
        operands = []
        for j, leaf in enumerate(leaves(value.type)):
            name = f"%{hint_of(value)}.p{i}.{j}"
            params.append(f"{memory_type(leaf)} {name}")
            attributed.append(f"{memory_type(leaf)}{attributes_of(leaf)} {name}")
            # Callers from outside may pass any byte for a bool.
            operands.append(f.text.let(f"icmp ne i8 {name}, 0") if leaf == BOOL else name)
        f.env[value] = tuple(operands)
    outs = [f"ptr %out{i}" for i in range(len(native_types(graph.result)))]
    params += outs
    attributed += outs
    module.signatures[graph.name] = ", ".join(params)
    if module.observed:
        from tscript.backend.nodes import observe

        observe.begin_function(f, is_entry=not linkage)
    is_recursive = graph.name in module.recursive
    is_framed = module.safepoints and ((is_recursive and not module.small) or sum(1 for _ in walk(graph.body)) > LARGE)
    if is_recursive:
        enter_depth(f, seen=is_framed)
    emit_block(f, graph.body)
    if not f.text.terminated:
        raise InternalError(f"graph @{graph.name} does not end", graph.span)
    emit_cleanups(f)
    own = module.symbols[graph.name]
    symbol = symbol_name(own)
    if not is_framed:
        return f.text.function(f"define {linkage}i32 {symbol}({', '.join(attributed)}) #0")
    # The frame is made in a function of its own, which is called after the stack check.
    frames = module.constants.frames
    framed = symbol_name(f"{own}{FRAME}{len(frames)}")
    outer = FunctionEmitter(module, graph, EMITTERS)
    see_frame(outer, len(frames))
    outer.text.line(f"%done = musttail call i32 {framed}({', '.join(params)})")
    outer.text.terminate("ret i32 %done")
    emit_cleanups(outer)
    inner = f.text.function(f"define internal i32 {framed}({', '.join(attributed)}) noinline #0")
    frames.append(8 * inner.count("\n"))
    return inner + "\n" + outer.text.function(f"define {linkage}i32 {symbol}({', '.join(params)}) #0")
