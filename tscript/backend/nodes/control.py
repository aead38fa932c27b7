"""Structured control flow to basic blocks.

A `Loop` becomes a header with one phi per carried leaf, the body, and a latch where its ``continue``s meet. The counted
loops are in `tscript.backend.nodes.counted`.
"""

from __future__ import annotations

from collections.abc import Sequence

from tscript.abi.leaves import leaves
from tscript.abi.mode import IS_CHECKED
from tscript.backend.llvm.text import LIKELY, UNLIKELY
from tscript.backend.llvm.types import llvm_type
from tscript.backend.llvm.values import register_types
from tscript.backend.nodes.blocks import emit_block
from tscript.backend.nodes.cost import Counted
from tscript.backend.nodes.failing import leave_depth, raise_error
from tscript.backend.nodes.function import FunctionEmitter
from tscript.backend.nodes.passing import pass_in, pass_on
from tscript.backend.nodes.phis import begin_join
from tscript.backend.nodes.safepoints import budget_slot, count_down
from tscript.backend.nodes.state import Join, LoopState, Operands
from tscript.backend.nodes.values import hint_of
from tscript.dialect import machine
from tscript.ir.graph import (
    Block,
    Break,
    Const,
    Continue,
    For,
    If,
    Label,
    Loop,
    Node,
    Op,
    Raise,
    Return,
    Unreachable,
    Value,
    Yield,
)
from tscript.late import dataclass
from tscript.types import BOOL, DTYPE, PtrType, Type, dtype_of, is_counted


def emit_if(f: FunctionEmitter, node: If) -> None:
    """Two branches and, unless both leave, the block where they meet."""
    text = f.text
    blocks = {text.fresh_label("then"): node.then, text.fresh_label("else"): node.orelse}
    then, orelse = blocks
    join = Join(text.fresh_label("endif"), tuple(v.type for v in node.outputs))
    condition = f.operand(node.inputs[0])
    empty = _empty(f, node, join)
    if empty is not None:
        label = then if empty is node.then else orelse
        join.edges.append((tuple(o for v in empty.nodes[-1].inputs for o in f.operands(v)), text.block))
        del blocks[label]
        then, orelse = (join.label if x == label else x for x in (then, orelse))
    hint = UNLIKELY if _raises(node.then) else LIKELY if _raises(node.orelse) else ""
    text.terminate(f"br i1 {condition}, label %{then}, label %{orelse}{hint}")
    f.yields.append(join)
    test = node.inputs[0].node
    likely = isinstance(test, Op) and test.op is machine.LIKELY
    for label, block in blocks.items():
        text.label(label)
        f.scopes.append([])
        cold = likely and block is node.orelse
        f.cold += cold
        emit_block(f, block)
        f.cold -= cold
        f.scopes.pop()
    f.yields.pop()
    finish(f, node, join)


def _empty(f: FunctionEmitter, node: If, join: Join) -> Block | None:
    """A branch that needs no block of its own, in code of programs: it yields operands that are there."""
    if not f.module.safepoints or IS_CHECKED:
        return None
    for block in (node.orelse, node.then):
        end = block.nodes[-1]
        if isinstance(end, Yield) and all(isinstance(n, Const) for n in block.nodes[:-1]):
            if all(v.type is t and not is_counted(t) for v, t in zip(end.inputs, join.types, strict=True)):
                return block
    return None


def _raises(block: Block) -> bool:
    return bool(block.nodes) and isinstance(block.nodes[-1], Raise)


def finish(f: FunctionEmitter, node: Node, join: Join) -> None:
    """Begin the block after `node`, where the edges of `join` meet and become its outputs."""
    operands = begin_join(f, join)
    at = 0
    for value in node.outputs:
        n = len(leaves(value.type))
        f.define(value, operands[at : at + n])
        at += n


def emit_yield(f: FunctionEmitter, node: Yield) -> None:
    """To the end of the `If` around."""
    join = f.yields[-1]
    leave(f, join, pass_on(f, node.inputs, join.types, len(f.scopes) - 1))


def emit_break(f: FunctionEmitter, node: Break) -> None:
    """To the exit of a loop."""
    _settle_chunk(f, node.label, inclusive=True)
    loop = f.loops[node.label]
    leave(f, loop.exit, pass_on(f, node.inputs, loop.exit.types, loop.depth))


def emit_continue(f: FunctionEmitter, node: Continue) -> None:
    """To the latch of a loop."""
    _settle_chunk(f, node.label, inclusive=False)
    loop = f.loops[node.label]
    leave(f, loop.latch, pass_on(f, node.inputs, loop.latch.types, loop.depth))


def leave(f: FunctionEmitter, join: Join, operands: Operands) -> None:
    """End the block with an edge to `join`."""
    join.edges.append((operands, f.text.block))
    f.text.branch(join.label)


def _settle_chunk(f: FunctionEmitter, target: Label, inclusive: bool) -> None:
    """Subtract the iterations of an abandoned chunk from the budget. Only an innermost loop runs in chunks."""
    label, loop = next(reversed(f.loops.items()))
    if loop.count is None or (label is target and not inclusive):
        return
    text = f.text
    left = text.let(f"load i64, ptr {budget_slot(f)}")
    text.line(f"store i64 {text.let(f'sub i64 {left}, {loop.count()}')}, ptr {budget_slot(f)}")


def emit_return(f: FunctionEmitter, node: Return) -> None:
    """Store the results and leave."""
    text = f.text
    result = f.graph.result
    operands = pass_on(f, node.inputs, (result,), 0)
    for i, (operand, leaf) in enumerate(zip(operands, leaves(result), strict=True)):
        if leaf == BOOL:
            operand = text.let(f"zext i1 {operand} to i8")
        text.line(f"store {'i8' if leaf == BOOL else llvm_type(leaf)} {operand}, ptr %out{i}")
    leave_depth(f)
    text.terminate("ret i32 0")


def emit_raise(f: FunctionEmitter, node: Raise) -> None:
    """Fill the error record and leave."""
    args = [_raise_argument(f, v) for v in node.inputs]
    raise_error(f, node.span, node.exception, node.message, args)


def _raise_argument(f: FunctionEmitter, value: Value) -> tuple[str, int]:
    text, operand, dtype = f.text, f.operand(value), dtype_of(value.type)
    if value.type == DTYPE:
        return text.let(f"zext i32 {operand} to i64"), 2
    if isinstance(value.type, PtrType):
        return text.let(f"ptrtoint ptr {operand} to i64"), 0
    assert dtype is not None
    if dtype.is_floating_point:
        if dtype.itemsize == 4:
            operand = text.let(f"fpext float {operand} to double")
        return text.let(f"bitcast double {operand} to i64"), 1
    if dtype.itemsize == 8 and dtype.is_integer:
        return operand, 0
    widen = "sext" if dtype.is_integer and dtype.signed else "zext"
    return text.let(f"{widen} {llvm_type(value.type)} {operand} to i64"), 0


def emit_unreachable(f: FunctionEmitter, node: Unreachable) -> None:
    """Unreachable code."""
    f.text.terminate("unreachable")


class Phis:
    """The phis of a loop header: names now, operands once the back edges are known."""

    def __init__(self, f: FunctionEmitter, types: Sequence[str], hints: Sequence[str]) -> None:
        self._f = f
        self._types = types
        self._place = f.text.reserve()
        self._edges: list[tuple[Operands, str]] = []
        self.names: Operands = tuple(f.text.fresh(h) for h in hints)

    def add(self, operands: Sequence[str], block: str) -> None:
        """One more predecessor."""
        self._edges.append((tuple(operands), block))

    def write(self) -> None:
        """All predecessors are known."""
        lines = []
        for i, (name, type) in enumerate(zip(self.names, self._types, strict=True)):
            edges = ", ".join(f"[ {operands[i]}, %{block} ]" for operands, block in self._edges)
            lines.append(f"{name} = phi {type} {edges}")
        self._f.text.fill(self._place, lines)


@dataclass(frozen=True, slots=True)
class Carried:
    """The carried parameters of a loop: their types, and the LLVM types and name hints of their leaves."""

    types: tuple[Type, ...]
    native: tuple[str, ...]
    hints: tuple[str, ...]


def carried(f: FunctionEmitter, params: Sequence[Value]) -> Carried:
    """What `params` carry."""
    types = tuple(p.type for p in params)
    return Carried(
        types,
        tuple(r for t in types for r in register_types(t)),
        tuple(hint_of(p) for p in params for _ in leaves(p.type)),
    )


def bind(f: FunctionEmitter, params: Sequence[Value], operands: Operands) -> list[str]:
    """Bind carried parameters to operands; returns the references among them."""
    owned = []
    at = 0
    for param in params:
        mine = operands[at : at + len(leaves(param.type))]
        at += len(mine)
        f.env[param] = mine
        for operand, leaf in zip(mine, leaves(param.type), strict=True):
            if is_counted(leaf):
                f.note(operand, leaf)
                owned.append(operand)
    return owned


def emit_body(f: FunctionEmitter, node: Loop | For, owned: list[str], state: LoopState) -> None:
    f.loops[node.label] = state
    f.scopes.append(owned)
    emit_block(f, node.body)
    f.scopes.pop()
    del f.loops[node.label]


def owned_of(f: FunctionEmitter, operands: Operands, types: Sequence[Type]) -> list[str]:
    """The references among operands of these types."""
    owned = []
    for operand, leaf in zip(operands, [leaf for t in types for leaf in leaves(t)], strict=True):
        if is_counted(leaf):
            f.note(operand, leaf)
            owned.append(operand)
    return owned


def emit_loop(f: FunctionEmitter, node: Loop) -> None:
    """A loop that runs until something leaves it."""
    text = f.text
    params = node.body.params
    shape = carried(f, params)
    inits = pass_in(f, node.inputs, shape.types)
    head = text.fresh_label("loop")
    before = text.block
    text.branch(head)
    text.label(head)
    phis = Phis(f, shape.native, shape.hints)
    phis.add(inits, before)
    state = LoopState(
        len(f.scopes),
        latch=Join(text.fresh_label("latch"), shape.types),
        exit=Join(text.fresh_label("endloop"), tuple(v.type for v in node.outputs)),
    )
    emit_body(f, node, bind(f, params, phis.names), state)
    if state.latch.edges:
        again = begin_join(f, state.latch)
        plan = f.costs.plan(node)
        if isinstance(plan, Counted):
            count_down(f, plan.cost, owned_of(f, again, shape.types), node, zip(shape.native, again, strict=True))
        phis.add(again, text.block)
        text.branch(head)
    phis.write()
    finish(f, node, state.exit)
