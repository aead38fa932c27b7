"""Parameters of a program whose values, and not their types alone, decide about the types in it."""

from __future__ import annotations

from tscript.ir.graph import Call, Fork, Graph, Op, Program, walk
from tscript.operators.core.opdef import OpDef
from tscript.types import DTYPE

_STATIC_KINDS = frozenset({"bool", "bool?", "dtype", "dtype?", "str", "str?"})


def static_parameters(program: Program) -> frozenset[int]:
    """Parameters of the entry worth specialising on by value.

    They go, unchanged, into arguments of operators that decide about types (``keepdim``, ``dtype``), here or in a
    function called. Texts and dtypes always are.
    """
    return static_in(program, program.entry, {})


def static_in(program: Program, graph: Graph, known: dict[str, frozenset[int]]) -> frozenset[int]:
    """`static_parameters` of a graph; `known` are those of others."""
    if graph.name in known:
        return known[graph.name]
    known[graph.name] = frozenset()
    position = {v: i for i, v in enumerate(graph.body.params)}
    found = {i for i, p in enumerate(graph.params) if p.type == DTYPE}
    for node in walk(graph.body):
        if isinstance(node, Op):
            for value, parameter in zip(node.inputs, node.op.schema.parameters, strict=False):
                if value in position and parameter.kind in _STATIC_KINDS and has_tensors(node.op):
                    found.add(position[value])
        elif isinstance(node, Call | Fork) and node.callee in program.graphs:
            for i in static_in(program, program.graphs[node.callee], known):
                if node.inputs[i] in position:
                    found.add(position[node.inputs[i]])
    known[graph.name] = frozenset(found)
    return known[graph.name]


def has_tensors(op: OpDef) -> bool:
    """Whether an operator takes or gives tensors."""
    return "Tensor" in op.schema.result or any("Tensor" in p.kind for p in op.schema.parameters)
