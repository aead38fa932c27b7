"""Changing IR in place: uses and substitution, erasing, a rewriting walk.

Definitions come before their uses in textual order, so one forward walk sees every definition before its
uses: `rewrite` applies replacements as it goes, in one walk.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping, Sequence

from tscript.ir.analysis import walk_blocks
from tscript.ir.builder import Builder
from tscript.ir.graph import (
    Block,
    Node,
    Value,
    walk,
)

# Uses and substitution


def uses(block: Block) -> dict[Value, list[tuple[Node, int]]]:
    """Where each value is used in `block` and below it: the nodes and the positions among their inputs, in order.

    Values that are not used do not appear.
    """
    found: dict[Value, list[tuple[Node, int]]] = {}
    for node in walk(block):
        for i, value in enumerate(node.inputs):
            found.setdefault(value, []).append((node, i))
    return found


def use_counts(block: Block) -> dict[Value, int]:
    """How often each value is used in `block` and below it."""
    found: dict[Value, int] = {}
    for node in walk(block):
        for value in node.inputs:
            found[value] = found.get(value, 0) + 1
    return found


def resolve(mapping: MutableMapping[Value, Value] | Mapping[Value, Value], value: Value) -> Value:
    """The final replacement of `value`, when a replacement may itself be replaced.

    Raises:
        ValueError: The replacements form a cycle.
    """
    found = mapping.get(value)
    if found is None:
        return value
    steps = 0
    while (further := mapping.get(found)) is not None and further is not found:
        found = further
        steps += 1
        if steps > len(mapping):
            raise ValueError(f"replacements of {value!r} go round in a circle")
    return found


def replace_values(block: Block, mapping: Mapping[Value, Value]) -> None:
    """Use ``mapping[v]`` in place of each ``v`` in `block` and below it; a replacement may be replaced in turn."""
    if not mapping:
        return
    for node in walk(block):
        replace_inputs(node, mapping)


def replace_inputs(node: Node, mapping: Mapping[Value, Value]) -> None:
    """`replace_values` for the inputs of `node` alone."""
    inputs = node.inputs
    for i, value in enumerate(inputs):
        if value in mapping:
            inputs[i] = resolve(mapping, value)


def erase(block: Block, nodes: Iterable[Node]) -> None:
    """Remove `nodes` from `block` and the blocks below it. Their outputs must not be used."""
    gone = set(nodes)
    if not gone:
        return
    for inner in list(walk_blocks(block)):
        if any(node in gone for node in inner.nodes):
            inner.nodes = [node for node in inner.nodes if node not in gone]


# Clones


# Walking while changing


def blocks_inside_out(block: Block) -> Iterator[Block]:
    """`block` and all blocks below it, inner ones first. The nodes of a block may be replaced once it is given."""
    for node in list(block.nodes):
        if node.has_blocks:
            for inner in node.blocks:
                yield from blocks_inside_out(inner)
    yield block


Visit = Callable[[Node, Builder], Sequence[Value] | None]


def rewrite(block: Block, visit: Visit, mapping: dict[Value, Value] | None = None) -> bool:
    """Walk `block` and the blocks below it forwards, letting `visit` keep or replace each node.

    `visit(node, builder)` sees a node after its own blocks were rewritten and with its inputs replaced already. It
    either returns None: the node stays, after nodes appended to `builder`; or the replacements of the node's outputs
    (an empty sequence if it has none): then the node is dropped and the appended nodes replace it. Appended nodes are
    not visited. When a terminator was appended, the rest of the block is dropped.

    Args:
        block: Changed in place.
        visit: The rules.
        mapping: Initial replacements; receives new ones, too.

    Returns:
        Whether any node was replaced, inserted or dropped.

    Example:
        Drop all negations of negations::

            def visit(node: Node, builder: Builder) -> Sequence[Value] | None:
                match node:
                    case Op(op=machine.NEG, inputs=[Value(node=Op(op=machine.NEG) as inner)]):
                        return inner.inputs
                return None
    """
    return _Rewriting(visit, {} if mapping is None else mapping).block(block)


class _Rewriting:
    """One walk of `rewrite`."""

    __slots__ = ("mapping", "visit")

    def __init__(self, visit: Visit, mapping: dict[Value, Value]) -> None:
        self.visit = visit
        self.mapping = mapping

    def block(self, block: Block) -> bool:
        old = block.nodes
        target = Block()
        new = target.nodes
        mapping, visit = self.mapping, self.visit
        builder = Builder(target)
        changed = False
        before = 0
        for i, node in enumerate(old):
            if mapping:
                replace_inputs(node, mapping)
            if node.has_blocks:
                for inner in node.blocks:
                    changed |= self.block(inner)
            builder.block, builder.span = target, node.span
            found = visit(node, builder)
            if found is None:
                if len(new) != before:
                    changed = True
                    if not new[-1].is_terminator:
                        new.append(node)
                else:
                    new.append(node)
            else:
                changed = True
                if len(found) != len(node.outputs) and not target.is_terminated:
                    raise ValueError(f"{len(node.outputs)} outputs were replaced by {len(found)} values")
                mapping.update((a, b) for a, b in zip(node.outputs, found, strict=False) if a is not b)
            before = len(new)
            if before and new[-1].is_terminator and i + 1 < len(old):
                changed = True
                break
        block.nodes = new
        return changed


# Splicing
