"""A fused group that reduces the first dimensions: one native function that allocates its results and runs one loop
over tiles of columns.

Fusion puts such a group where ``columns_fit`` has said yes; elsewhere the same operators run as smaller groups. See
`tscript.abi.column_task` and `tscript.backend.nodes.column_loop`.
"""

from __future__ import annotations

from tscript.abi.column_task import ARRAYS, COLUMNS
from tscript.abi.layout import MAX_RANK
from tscript.backend.llvm.constants import Constants
from tscript.backend.llvm.machine import store
from tscript.backend.llvm.target import Target
from tscript.backend.nodes.column_loop import VECTORS, ColumnSpec, column_lanes, emit_column_loop, plan_columns
from tscript.backend.nodes.fused_body import FusedBody
from tscript.backend.nodes.fused_group import Group, element_of, known_dtype
from tscript.backend.nodes.loops import Array, Scalar, grain_for, size_of
from tscript.backend.nodes.row_loop import needed_values
from tscript.types import machine_type


def emit_column_group(
    name: str, group: Group, target: Target, constants: Constants, declarations: dict[str, str]
) -> list[str]:
    """The functions of a group that reduces the first dimensions, as LLVM text; arguments as those of
    `fused.emit_group`."""
    spec = _spec(group)
    return [
        *emit_column_loop(f"{name}.loop", spec, target, declarations),
        _entry(name, group, spec, target, constants, declarations),
    ]


def _spec(group: Group) -> ColumnSpec:
    outputs = [o for o in group.outputs if o.keepdim is None]
    of_column = [o for o in group.outputs if o.keepdim is not None]
    needed = needed_values(group.steps, group.reductions, (o.element for o in group.outputs))
    assert group.count is not None and group.rank is not None
    spec = ColumnSpec(
        group.steps,
        tuple(Array(element_of(a), a.value) for a in group.arrays),
        tuple(Array(machine_type(known_dtype(o.type)), o.element) for o in outputs),
        tuple(Array(machine_type(known_dtype(o.type)), o.element) for o in of_column),
        tuple(Scalar(element_of(s), s.value) for s in group.distinct_inputs if s.rank == 0 and s.value in needed),
        tuple(r for r in group.reductions if r.total in needed),
        group.count,
        frozenset(group.made),
        frozenset(a.value for a in group.arrays if (a.rank or 0) <= group.rank - group.leading),
    )
    plan_columns(spec)
    return spec


def _entry(
    name: str, group: Group, spec: ColumnSpec, target: Target, constants: Constants, declarations: dict[str, str]
) -> str:
    """All work."""
    body = FusedBody(group, constants, declarations)
    text = body.text
    arrays = group.arrays
    task = text.alloca(f"[{spec.task_cells} x i64], align 16", "task")
    shape = text.alloca(f"[{MAX_RANK + 1} x i64]", "shape")
    table = body.table([a.name for a in arrays])
    given = [f"ptr {table}", f"i64 {len(arrays)}", f"i64 {group.leading}", f"ptr {shape}", f"ptr {task}"]
    numel = body.call_for_int("columns_lay_out", given)
    rank = text.let(f"load i64, ptr {shape}", "rank")
    sizes = body.at(shape, 8)
    full = [o for o in group.outputs if o.keepdim is None]
    of_column = [o for o in group.outputs if o.keepdim is not None]
    for output in full:
        body.allocate(output, rank, sizes)
    less = text.let(f"sub i64 {rank}, {group.leading}")
    for output in of_column:
        if not output.keepdim:
            body.allocate(output, less, body.at(sizes, 8 * group.leading))
    for d in range(group.leading):
        text.line(f"store i64 1, ptr {body.at(sizes, 8 * d)}")
    for output in of_column:
        if output.keepdim:
            body.allocate(output, rank, sizes)
    columns = text.let(f"load i64, ptr {body.at(task, 8 * COLUMNS)}", "columns")
    cell = ARRAYS + 2 * len(arrays)
    for output in (*full, *of_column):
        distance = "0"
        if output.keepdim is None:
            distance = text.let(f"mul i64 {columns}, {size_of(machine_type(known_dtype(output.type)))}")
        data = body.field(body.made[output.value], "data", "ptr")
        text.line(f"store ptr {data}, ptr {body.at(task, 8 * cell)}")
        text.line(f"store i64 {distance}, ptr {body.at(task, 8 * cell + 8)}")
        cell += 2
    for index, scalar in enumerate(spec.scalars):
        found = next(i for i in group.distinct_inputs if i.value == scalar.value)
        store(text, scalar.type, body.scalar(found), body.at(task, 8 * spec.scalar_cell(index)))
    _run(body, f"{name}.loop", spec, target, task, columns, numel)
    body.finish()
    outs = [f"ptr %out{i}" for i in range(len(group.outputs))]
    head = ", ".join(["ptr %ctx", *group.parameters, *outs])
    return text.function(f"define internal i32 {name}({head}) {target.attributes}")


def _run(body: FusedBody, loop: str, spec: ColumnSpec, target: Target, task: str, columns: str, numel: str) -> None:
    """The loop, its tiles on several threads if it is long."""
    text = body.text
    moved = sum(size_of(a.type) for a in (*spec.inputs, *spec.outputs))
    lanes = column_lanes(spec, target)
    grain = grain_for(len(spec.needed), lanes, moved)
    width = lanes * VECTORS
    units = text.let(f"udiv i64 {columns}, {width}")
    text.declare_function("llvm.umax.i64", "i64", ["i64", "i64"])
    units = text.let(f"call i64 @llvm.umax.i64(i64 {units}, i64 1)")
    is_long = text.let(f"icmp ugt i64 {numel}, {grain}")
    long, short, following = (text.fresh_label(n) for n in ("divided", "alone", "following"))
    text.branch_if(is_long, long, short)
    text.label(short)
    body.count_work(numel, grain)
    text.line(f"call i32 {loop}(ptr %ctx, ptr {task}, i64 0, i64 {units})")
    text.branch(following)
    text.label(long)
    each = text.let(f"udiv i64 {numel}, {units}")
    of_units = text.let(f"add i64 {text.let(f'udiv i64 {grain}, {each}')}, 1")
    body.call_surely("parallel", [f"ptr {loop}", f"ptr {task}", f"i64 {units}", f"i64 {of_units}"])
    text.branch(following)
    text.label(following)
