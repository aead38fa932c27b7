"""A program to one LLVM module."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import chain
from types import MappingProxyType
from typing import Any

import numpy as np

from tscript.abi.leaves import leaves
from tscript.abi.symbols import INTERNAL
from tscript.backend.llvm.constants import Constants, symbol_name
from tscript.backend.llvm.effort import Effort, Length
from tscript.backend.llvm.emitted import MARK, Emitted, whole_module
from tscript.backend.llvm.target import Target
from tscript.backend.llvm.text import Text
from tscript.backend.llvm.types import memory_type
from tscript.backend.lower import emit_graph
from tscript.backend.nodes.bodies import BodyLibrary
from tscript.backend.nodes.cells import memory_lines
from tscript.backend.nodes.containers import METADATA
from tscript.backend.nodes.cost import BUDGET, calls_library
from tscript.backend.nodes.state import ModuleState
from tscript.definitions.shared import Shared
from tscript.ir.analysis import trip_count
from tscript.ir.graph import (
    Call,
    Closure,
    For,
    Fork,
    Fused,
    Graph,
    Invoke,
    Loop,
    Node,
    ParallelCall,
    Program,
    Raise,
    walk,
)
from tscript.late import replace
from tscript.types import Type


def emit_module(
    program: Program,
    *,
    target: Target,
    entry_symbols: Mapping[str, str],
    bodies: BodyLibrary,
    tensor_symbol: Callable[[np.ndarray[Any, Any]], str] | None = None,
    shared_symbol: Callable[[Shared, Type], str] | None = None,
    safepoints: bool = True,
    budget: int = BUDGET,
    observed: bool = False,
    external: Mapping[str, str] = MappingProxyType({}),
    uniform: str = "",
    resumable: bool = False,
) -> Emitted:
    """LLVM text of all graphs of `program`, in the native calling convention::

        i32 @symbol(ptr ctx, parameters …, ptr out …)

    Parameters and results are flattened (`tscript.abi.leaves`); the status is one of `tscript.abi.status`. On an
    error the outs are untouched, nothing leaks and ``Context.trace`` names the place. In a module of kernels, a graph
    whose name is the symbol of a kernel is that kernel: operators call it instead of a linked one.

    Args:
        program: Lowered.
        target: What it is compiled for.
        entry_symbols: Exported symbol of each graph that is called from outside; the others are internal.
        bodies: Bodies of pointwise operators.
        tensor_symbol: Names the external symbol of the `TensorImpl` of a constant tensor.
        shared_symbol: Names that of a shared container of a type.
        external: Symbols of graphs that are called and defined elsewhere.
        safepoints: Whether long loops and recursion have safepoints. Kernels, whose loops end with their data, have
            none; they are never freed, either.
        budget: The cost between two safepoints, see `tscript.backend.nodes.cost`.
        observed: Whether operators call callbacks (`tscript.backend.nodes.observe`).
        uniform: Exported symbol of the uniform entry of the program (`tscript.abi.symbols.uniform_symbol`); empty: it
            has none.
        resumable: Whether better code may take over at the safepoints of loops.

    Raises:
        InternalError: The program has a node that the backend cannot emit.
    """
    known = {**entry_symbols, **external}
    prefix = INTERNAL if safepoints else ""
    symbols = {name: known.get(name, prefix + name) for name in program.graphs}
    nodes = {name: list(walk(graph.body)) for name, graph in program.graphs.items()}
    module = ModuleState(
        target=target,
        bodies=bodies,
        symbols=symbols,
        parameter_types={n: tuple(v.type for v in g.body.params) for n, g in program.graphs.items()},
        result_types={n: g.result for n, g in program.graphs.items()},
        recursive=recursive_graphs(nodes),
        tensor_symbol=tensor_symbol,
        shared_symbol=shared_symbol,
        safepoints=safepoints,
        budget=budget,
        observed=observed,
        resumable=resumable,
        small=safepoints and sum(map(len, nodes.values())) <= SMALL,
        raises=sum(1 for n in chain(*nodes.values()) if isinstance(n, Raise) and n.inputs) if safepoints else 0,
        constants=Constants(is_freed=safepoints),
    )
    module.defined.update(s for name, s in symbols.items() if name not in external)
    for name, graph in program.graphs.items():
        if name in external:
            continue
        module.functions.append(emit_graph(module, graph, "" if name in entry_symbols else "internal "))
    if uniform:
        module.functions.append(uniform_entry(program.entry, symbols[program.main], uniform))
    declared = {symbol: line for symbol, line in module.declarations.items() if symbol not in module.defined}
    metadata = (*METADATA, *memory_lines(module)) if module.names_memory else ()
    parts = (*module.constants.lines, *module.constants.loaded(), *module.functions, *metadata)
    longest = max((function.count("\n") for function in module.functions), default=0)
    made = whole_module(target, declared, parts, effort(list(chain(*nodes.values())), longest))
    if not safepoints:
        return made
    entry = (symbol_name(symbols[program.main]), module.signatures[program.main])
    made = replace(made, entry=entry, length=length(chain(*nodes.values()), module.recursive))
    return (
        replace(made, text=re.sub(MARK, "", made.text), marked=made.text, marks=module.marks) if module.marks else made
    )


def uniform_entry(graph: Graph, symbol: str, uniform: str) -> str:
    """The LLVM function of a uniform entry.

    Args:
        graph: What it calls.
        symbol: The symbol of that.
        uniform: Its own.
    """
    text = Text({})

    def cell(number: int) -> str:
        return text.let(f"getelementptr i64, ptr %cells, i64 {number}") if number else "%cells"

    count = len(leaves(graph.result))
    passed = ["ptr %ctx"]
    for i, leaf in enumerate(leaf for value in graph.body.params for leaf in leaves(value.type)):
        native = memory_type(leaf)
        passed.append(f"{native} {text.let(f'load {native}, ptr {cell(count + i)}')}")
    passed += [f"ptr {cell(i)}" for i in range(count)]
    status = text.let(f"call i32 {symbol_name(symbol)}({', '.join(passed)})")
    text.terminate(f"ret i32 {status}")
    return text.function(f"define i32 {symbol_name(uniform)}(ptr %ctx, ptr %cells) #0")


FULL_LINES = 16_000
"""The lines of a function in LLVM up to which it gets all passes (some 400 of Python). Their time is not linear: LLVM
walks up the dominators, and forgets what it knew of all later loops, for each of many values."""

LIGHT_LINES = 60_000
"""Those up to which code generation takes its time, which is not linear either."""


def effort(nodes: Sequence[Node], longest: int = 0) -> Effort:
    """The work of LLVM on a program. If no loop consists only of inline instructions, better code gains less than its
    compilation costs. Such programs get the light passes if there is nothing to inline, and also quick code generation
    if they are long. So does what is so long that LLVM would take many seconds.

    Args:
        nodes: Those of the program, lowered.
        longest: Lines of LLVM of its longest function.
    """
    if longest > FULL_LINES:
        return Effort.LIGHT if longest <= LIGHT_LINES else Effort.QUICK
    if not all(calls_library(n.body) for n in nodes if isinstance(n, Loop | For)):
        return Effort.FULL
    if len(nodes) > LONG and not any(isinstance(n, Fused) for n in nodes):
        return Effort.QUICK
    calls = any(isinstance(n, Call | Fork | Closure | Invoke) for n in nodes)
    return Effort.FULL if calls else Effort.LIGHT


LONG_LOOP = 1 << 20
"""Iterations of a loop of known length from which a call takes long."""


def length(nodes: Iterable[Node], recursive: Collection[str]) -> Length:
    """How long a call of a program may take.

    Args:
        nodes: Its nodes.
        recursive: The graphs that may call themselves.
    """
    seen = list(nodes)
    if recursive or any(isinstance(n, ParallelCall) for n in seen):
        return Length.DEEP
    return Length.LOOPS if any(isinstance(n, Loop | For) and is_long(n) for n in seen) else Length.SHORT


def is_long(loop: Loop | For) -> bool:
    """Whether a loop may have many iterations."""
    trips = trip_count(loop) if isinstance(loop, For) else None
    return trips is None or trips >= LONG_LOOP


SMALL = 150
"""The number of nodes up to which all frames of a program are small."""

LONG = 400
"""The number of nodes from which code may be generated quickly."""


def recursive_graphs(nodes: Mapping[str, Sequence[Node]]) -> frozenset[str]:
    """Names of the graphs, given by their nodes, that can call themselves, directly or through others. One that calls a
    value may."""
    callees = {
        name: {n.callee for n in own if isinstance(n, Call) and n.callee in nodes} for name, own in nodes.items()
    }
    invoking = {name for name, own in nodes.items() if any(isinstance(n, Invoke) for n in own)}
    if not any(callees.values()):
        return frozenset(invoking)

    def reaches_itself(name: str) -> bool:
        seen: set[str] = set()
        pending = list(callees[name])
        while pending:
            found = pending.pop()
            if found not in seen:
                seen.add(found)
                pending.extend(callees[found])
        return name in seen

    return frozenset(invoking.union(filter(reaches_itself, callees)))
