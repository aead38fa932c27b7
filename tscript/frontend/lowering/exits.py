"""Exits of loops and `try`: the values of names after them; and `Once`, a loop that runs once."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from tscript.diagnostics import Span
from tscript.frontend.lowering.frames import LoopExits
from tscript.frontend.lowering.lowering import Lowering
from tscript.frontend.lowering.merging import joined, report_change
from tscript.frontend.lowering.scopes import (
    FACTS,
    POISONED,
    Binding,
    Bound,
    Conflicting,
    PartlyBound,
    Scope,
    meet,
)
from tscript.frontend.source.symbols import LocalFunction
from tscript.ir.graph import Block, Label, Loop, Node, Try, Unreachable, Value


class Once:
    """A loop that runs once and can be left by a break. Nodes are added to its body until it is finished.

    Args:
        lowering: Where it stands.
        span: The statement.
        where, in_loop: As of its `exits`.
    """

    def __init__(self, lowering: Lowering, span: Span, where: str = "a loop", in_loop: bool = True) -> None:
        self._lowering = lowering
        self._span = span
        self._outer = lowering.block, lowering.scope
        label = Label()
        self.exits = LoopExits(label, where, in_loop)
        block = Block()
        self._loop = Loop(label, (), block, (), span)
        lowering.block.nodes.append(self._loop)
        lowering.block, lowering.scope = block, dict(lowering.scope)

    def leave(self) -> None:
        """End the current block by leaving it."""
        self.exits.leave(self._lowering, self._span)

    def finish(self, assigned: dict[str, ast.AST]) -> None:
        """Continue after it."""
        lowering = self._lowering
        if lowering.is_alive:
            self.exits.leave(lowering, self._span)
        self.go_on(assigned)

    def go_on(self, assigned: dict[str, ast.AST]) -> None:
        """Continue after it; its body ends elsewhere."""
        lowering = self._lowering
        lowering.block, lowering.scope = self._outer
        finish(lowering, self._loop, self.exits, assigned)


class Before:
    """Lets nodes be added to a finished block before its last one."""

    def __init__(self, lowering: Lowering, end: Node, block: Block) -> None:
        self._lowering = lowering
        self._end = end
        self._outer, self._block = lowering.block, block

    def __enter__(self) -> None:
        assert self._block.nodes[-1] is self._end
        self._block.nodes.pop()
        self._lowering.block = self._block

    def __exit__(self, *error: object) -> None:
        self._block.nodes.append(self._end)
        self._lowering.block = self._outer


def report_once(lowering: Lowering, exits: LoopExits, name: str, before: Bound, after: Bound) -> None:
    """Report, once per name, that `name` changes its type in a loop."""
    if name not in exits.reported:
        exits.reported.add(name)
        report_change(lowering, name, before, after, exits.where)


def finish(lowering: Lowering, loop: Loop | Try, exits: LoopExits, assigned: dict[str, ast.AST]) -> None:
    """Give a loop or `Try` its results: the names that its exits leave with other values than before.

    Args:
        loop: It; `lowering` has the names as they were before it.
        exits: What leaves it.
        assigned: Names that it assigns, with the first place of each.
    """
    if not exits.found:
        lowering.block.nodes.append(Unreachable(loop.span))
        return
    before = lowering.scope
    scope: Scope = dict(before)
    scope[FACTS] = meet([leaving for _, leaving, _ in exits.found])
    names = dict.fromkeys(name for _, leaving, _ in exits.found for name in leaving if name != FACTS)
    for name in names:
        bindings = [_unrefined(leaving.get(name), before.get(name)) for _, leaving, _ in exits.found]
        if all(b is before.get(name) for b in bindings):
            continue
        scope[name] = _joined(lowering, name, bindings, before, loop, exits)
    lowering.scope = scope
    forget(lowering, assigned, exits.in_loop)


def _unrefined(found: Binding | None, before: Binding | None) -> Binding | None:
    """A binding without the narrowing of a name that has not been assigned."""
    if isinstance(found, Bound) and isinstance(before, Bound) and found.base is before.base:
        return before
    return found


def _joined(
    lowering: Lowering, name: str, bindings: Sequence[Binding | None], before: Scope, loop: Loop | Try, exits: LoopExits
) -> Binding:
    """The binding of `name` after a loop whose exits leave it as `bindings`."""
    if name in exits.reported or POISONED in bindings:
        return POISONED
    bound = [b for b in bindings if isinstance(b, Bound)]
    if len(bound) < len(bindings):
        kept = next((b for b in bindings if isinstance(b, PartlyBound | Conflicting)), None)
        some = next((b for b in bindings if isinstance(b, Bound | LocalFunction | PartlyBound)), None)
        if isinstance(some, LocalFunction) and all(
            isinstance(b, LocalFunction) and b.node is some.node for b in bindings
        ):
            return some
        if kept is not None:
            return kept
        assert some is not None
        return PartlyBound(some.span, exits.in_loop)
    wide = bound[0].value.type
    for other in bound[1:]:
        if other.value.type == wide:
            continue
        found = joined(lowering, name, Value(wide), other.value)
        if found is None:
            outer, first = before.get(name), bound[0]
            if not isinstance(outer, Bound):
                return Conflicting(first, other)
            report_once(lowering, exits, name, outer, other if first.value.type == outer.value.type else first)
            return POISONED
        wide = found
    for (end, _, block), binding in zip(exits.found, bound, strict=True):
        with Before(lowering, end, block):
            value = binding.value
            converted = value if value.type == wide else lowering.coerce(value, wide, binding.span)
            end.inputs.append(value if converted is None else converted)
    return Bound(loop.add_output(wide, name), bound[-1].span)


def forget(lowering: Lowering, assigned: dict[str, ast.AST], in_loop: bool = True) -> None:
    """Names bound only in the body are undefined after the loop."""
    for name, at in assigned.items():
        if name not in lowering.scope:
            lowering.scope[name] = PartlyBound(lowering.span(at), in_loop)
