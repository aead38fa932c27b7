"""Programs of an archive with other operands, constants, operators and types: most are still valid, and so are compiled
and run."""

from __future__ import annotations

import random
from collections.abc import Iterator

from tests.fuzz.ir_graphs import PORTABLE
from tests.fuzz.ir_types import TypeMaker
from tscript.definitions.opdef import OpDef
from tscript.ir.graph import Block, Const, Graph, Node, Op, Program, Value
from tscript.types import TYPE, Type

Place = tuple[Node, list[Value]]
"""A node, and the values that are visible to it."""


def restructure(choices: random.Random, program: Program) -> bool:
    """Change one node of a program; whether one was found that could be."""
    graph = choices.choice(list(program.graphs.values()))
    places = list(_places(graph.body, []))
    for _ in range(20):
        node, visible = choices.choice(places)
        way = choices.choice((_operand, _operand, _constant, _constant, _operator, _operator, _output, _exchange))
        if way(choices, node, visible, graph):
            return True
    return False


def _places(block: Block, outside: list[Value]) -> Iterator[Place]:
    visible = [*outside, *block.params]
    for node in block.nodes:
        yield node, list(visible)
        for inner in node.blocks:
            yield from _places(inner, visible)
        visible += node.outputs


def _operand(choices: random.Random, node: Node, visible: list[Value], graph: Graph) -> bool:
    """Another value of the type; of any, now and then."""
    if not node.inputs:
        return False
    at = choices.randrange(len(node.inputs))
    old = node.inputs[at]
    odd = choices.random() < 0.1
    found = [v for v in visible if v is not old and (odd or v.type == old.type) and old.type != TYPE]
    if found:
        node.inputs[at] = choices.choice(found)
    return bool(found)


def _constant(choices: random.Random, node: Node, visible: list[Value], graph: Graph) -> bool:
    """Another constant of the type."""
    if not isinstance(node, Const):
        return False
    type = node.outputs[0].type
    makes = TypeMaker(choices, {})
    if type == TYPE:
        if choices.random() < 0.2:
            node.value = makes.any()
            return True
        return False
    try:
        node.value = makes.constant(type)
    except LookupError:
        return False
    return True


def _fitting(node: Op, type: Type) -> list[OpDef]:
    found = []
    for op in PORTABLE:
        if op is not node.op and len(op.schema.parameters) == len(node.inputs):
            try:
                if op.type_rule(node.inputs) == type:
                    found.append(op)
            except Exception:  # noqa: BLE001 - most rules do not take these
                continue
    return found


def _operator(choices: random.Random, node: Node, visible: list[Value], graph: Graph) -> bool:
    """Another operator of these operands, which gives the same type."""
    if not isinstance(node, Op) or node.op.variadic:
        return False
    found = _fitting(node, node.outputs[0].type) if choices.random() < 0.9 else list(PORTABLE)
    if found:
        node.op = choices.choice(found)
    return bool(found)


def _output(choices: random.Random, node: Node, visible: list[Value], graph: Graph) -> bool:
    """Another type of an output."""
    if not node.outputs or isinstance(node, Const) or choices.random() < 0.8:
        return False
    known = [v.type for v in visible]
    choices.choice(node.outputs).type = choices.choice(known) if known else TypeMaker(choices, {}).any()
    return True


def _exchange(choices: random.Random, node: Node, visible: list[Value], graph: Graph) -> bool:
    """Two operands in each other's place."""
    if len(node.inputs) < 2 or (choices.random() < 0.8 and len({v.type for v in node.inputs}) == len(node.inputs)):
        return False
    a, b = choices.sample(range(len(node.inputs)), 2)
    if node.inputs[a].type != node.inputs[b].type and choices.random() < 0.8:
        return False
    node.inputs[a], node.inputs[b] = node.inputs[b], node.inputs[a]
    return node.inputs[a] is not node.inputs[b]


__all__ = ["restructure"]
