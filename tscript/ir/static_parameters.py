"""Parameters whose values, not only their types, determine types in a program, and programs without them."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from tscript.ir.graph import Call, Fork, Op, Program, walk
from tscript.types import DTYPE

if TYPE_CHECKING:
    from tscript.definitions.opdef import OpDef

_STATIC_KINDS = frozenset({"bool", "bool?", "dtype", "dtype?", "str", "str?"})


def static_parameters(program: Program) -> frozenset[int]:
    """Parameters of the entry worth specialising on by value.

    They reach, unchanged, arguments of operators that determine types (``keepdim``, ``dtype``), here or in a called
    function. Strings and dtypes always count.
    """
    return static_by_graph(program)[program.main]


def static_by_graph(program: Program) -> dict[str, frozenset[int]]:
    """`static_parameters` of each graph."""
    found: dict[str, set[int]] = {name: set() for name in program.graphs}
    given: dict[tuple[str, int], list[tuple[str, int]]] = {}
    """By parameter, those that are passed on to it."""
    pending: list[tuple[str, int]] = []
    for name, graph in program.graphs.items():
        position = {v: i for i, v in enumerate(graph.body.params)}
        pending += [(name, i) for i, p in enumerate(graph.params) if p.type == DTYPE]
        for node in walk(graph.body):
            if isinstance(node, Op):
                for value, parameter in zip(node.inputs, node.op.schema.parameters, strict=False):
                    if value in position and parameter.kind in _STATIC_KINDS and has_tensors(node.op):
                        pending.append((name, position[value]))
            elif isinstance(node, Call | Fork) and node.callee in program.graphs:
                for i, value in enumerate(node.inputs):
                    if value in position:
                        given.setdefault((node.callee, i), []).append((name, position[value]))
    while pending:
        name, i = pending.pop()
        if i not in found[name]:
            found[name].add(i)
            pending += given.get((name, i), ())
    return {name: frozenset(parameters) for name, parameters in found.items()}


def has_tensors(op: OpDef) -> bool:
    """Whether an operator takes or gives tensors."""
    return "Tensor" in op.schema.result or any("Tensor" in p.kind for p in op.schema.parameters)


def drop_parameters(program: Program, positions: Collection[int]) -> None:
    """Take parameters away whose values are built in."""
    graph = program.entry
    kept = [i for i in range(len(graph.params)) if i not in positions]
    graph.params = tuple(graph.params[i] for i in kept)
    graph.body.params = [graph.body.params[i] for i in kept]
