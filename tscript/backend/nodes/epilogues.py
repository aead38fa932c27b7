"""Fused groups behind a kernel, whose loop the kernel runs over its result while that is in the cache.

Kernels whose last parameter is called ``epilogue`` take the address of a record (`tscript.abi.epilogues`)::

    %p: Tensor[float32, 4] = convolve(%x, %w, %b, ..., 0)
    %y: Tensor[float32, 4] = fused (%p.1: Tensor[float32, 4] = %p, %r.1: Tensor[float32, 4] = %r) { ... }
    %0: None = release(%p)

The record names the loop of the group and its operands. Whether the kernel runs it depends on shapes and layouts, and
is known behind the kernel. If it did, the group's result is that of the kernel; else the group runs as everywhere.

So it is for a group with one result that has the dtype of what the kernel makes, if nothing else uses that, if all else
that the group reads is there before the kernel runs, and if nothing in between writes memory.
"""

from __future__ import annotations

from collections.abc import Sequence

from tscript.abi.epilogues import DONE, IN_CELL, LOOP, OPERAND_COUNT, OPERANDS, OUT_CELL, TASK
from tscript.abi.leaves import leaves
from tscript.backend.llvm.text import LIKELY
from tscript.backend.nodes.failing import call_symbol
from tscript.backend.nodes.function import FunctionEmitter
from tscript.backend.nodes.fused import Body, Emitter
from tscript.backend.nodes.fused_group import Input, analyse
from tscript.backend.nodes.marshal import arguments_of
from tscript.ir.graph import Block, Const, Fused, Graph, Node, Op, Value
from tscript.ir.reductions import reduction_of
from tscript.ir.rewrite import uses
from tscript.operators.python.references import RELEASE


def epilogues_of(graph: Graph) -> dict[Node, Fused]:
    """The groups that kernels may run, by the calls of these kernels."""
    found: dict[Node, Fused] = {}
    used = uses(graph.body)

    def visit(block: Block) -> None:
        for at, node in enumerate(block.nodes):
            if isinstance(node, Fused):
                maker = _maker(node, block.nodes[:at], used)
                if maker is not None:
                    found[maker] = node
            else:
                for inner in node.blocks:
                    visit(inner)

    visit(graph.body)
    return found


def _maker(group: Fused, before: Sequence[Node], used: dict[Value, list[tuple[Node, int]]]) -> Op | None:
    """The kernel in front of a group that may run its loop."""
    if len(group.outputs) != 1 or any(isinstance(n, Op) and not _is_plain(n) for n in group.body.nodes):
        return None
    made: set[Value] = set()
    for node in reversed(before):
        if isinstance(node, Op) and node.op.takes_epilogue and node.output in group.inputs:
            others = [user for user, _ in used[node.output] if user is not group]
            only = all(isinstance(user, Op) and user.op is RELEASE for user in others)
            is_same = node.output.type == group.outputs[0].type
            return node if only and is_same and made.isdisjoint(group.inputs) else None
        if not _is_quiet(node):
            return None
        if not isinstance(node, Const):
            made.update(node.outputs)
    return None


def _is_plain(node: Op) -> bool:
    return not node.op.effects.writes and reduction_of(node) is None


def _is_quiet(node: Node) -> bool:
    """Whether a node writes no memory that others may see."""
    if isinstance(node, Op):
        return node.op is RELEASE or not (node.op.effects.writes or node.op.effects.world)
    return isinstance(node, Const) or (isinstance(node, Fused) and all(map(_is_quiet, node.body.nodes[:-1])))


def begin_epilogue(f: FunctionEmitter, node: Op, group: Fused, name: str) -> str:
    """Write the functions of a group and, in front of the kernel that may run it, its record.

    Args:
        f: What is emitted; its `records` gets the name of the group and the record.
        node: The call of the kernel.
        group: The group behind it.
        name: Symbol of the group, without its sign.

    Returns:
        The address of the record as an int; 0 if the kernel cannot run the group. Then nothing is written.
    """
    module, text = f.module, f.text
    found = analyse(group, module.bodies)
    ranks = {a.rank for a in found.arrays}
    if not found.rank or ranks != {found.rank} or not found.allocated:
        return "0"
    emitter = Emitter(f"@{name}", found, module.target, module.constants, module.declarations)
    result = found.inputs[group.body.params[group.inputs.index(node.output)]]
    module.functions += [*emitter.functions(), _before(emitter, result), _behind(emitter, result)]
    module.defined.update((name, f"{name}.before", f"{name}.behind"))
    task = text.alloca(f"[{max(1, emitter.spec.task_cells)} x i64], align 16", "task")
    record = text.alloca(f"[{OPERANDS + len(found.arrays)} x i64], align 16", "record")
    args = [
        a for v in group.inputs for a in (["ptr null"] if v is node.output else arguments_of(f, f.operands(v), v.type))
    ]
    text.line(f"call void @{name}.before({', '.join([*args, f'ptr {task}', f'ptr {record}'])})")
    f.records[group] = (name, record)
    return text.let(f"ptrtoint ptr {record} to i64")


def end_epilogue(f: FunctionEmitter, group: Fused) -> None:
    """The group itself, which has a record: the result of the kernel if that has run it, else its call."""
    name, record = f.records.pop(group)
    args = [a for v in group.inputs for a in arguments_of(f, f.operands(v), v.type)]
    (output,) = group.outputs
    f.env[output] = call_symbol(f, f"{name}.behind", [*args, f"ptr {record}"], leaves(output.type), None)


def _before(emitter: Emitter, result: Input) -> str:
    """The function that fills the task and the record: ``void (..., ptr task, ptr record)``."""
    body = Body(emitter)
    text, spec, group = body.text, emitter.spec, emitter.group

    def keep(type: str, value: str, base: str, index: int) -> None:
        text.line(f"store {type} {value}, ptr {body.at(base, 8 * index)}")

    for number, array in enumerate(emitter.read):
        if array is not result:
            keep("ptr", body.field(array.name, "data", "ptr"), "%task", 2 * number)
            keep("i64", "-1", "%task", 2 * number + 1)
    body.fill_scalars("%task")
    operands = [array.name for array in group.arrays if array is not result]
    reads = [2 * number for number, array in enumerate(emitter.read) if array is result]
    keep("ptr", f"{emitter.name}.loop", "%record", LOOP)
    keep("ptr", "%task", "%record", TASK)
    keep("i64", "0", "%record", DONE)
    keep("i64", str(len(operands)), "%record", OPERAND_COUNT)
    keep("i64", str(reads[0] if reads else -1), "%record", IN_CELL)
    keep("i64", str(2 * len(spec.inputs)), "%record", OUT_CELL)
    for index, operand in enumerate(operands):
        keep("ptr", operand, "%record", OPERANDS + index)
    text.terminate("ret void")
    head = ", ".join([*group.parameters, "ptr %task", "ptr %record"])
    return text.function(f"define internal void {emitter.name}.before({head}) {emitter.target.attributes}")


def _behind(emitter: Emitter, result: Input) -> str:
    """The function that gives the group's result: ``i32 (ptr context, ..., ptr record, ptr out)``."""
    body = Body(emitter)
    text, group = body.text, emitter.group
    done = text.let(f"load i64, ptr {body.at('%record', 8 * DONE)}")
    kept, run = text.fresh_label("kept"), text.fresh_label("run")
    text.terminate(f"br i1 {text.let(f'icmp ne i64 {done}, 0')}, label %{kept}, label %{run}{LIKELY}")
    text.label(kept)
    body.retain(result.name)
    text.line(f"store ptr {result.name}, ptr %out0")
    text.terminate("ret i32 0")
    text.label(run)
    given = ", ".join(["ptr %ctx", *group.parameters, "ptr %out0"])
    text.terminate(f"ret i32 {text.let(f'call i32 {emitter.name}({given})')}")
    head = ", ".join(["ptr %ctx", *group.parameters, "ptr %record", "ptr %out0"])
    return text.function(f"define internal i32 {emitter.name}.behind({head}) {emitter.target.attributes}")


__all__ = ["begin_epilogue", "end_epilogue", "epilogues_of"]
