"""A fused group with reductions: one native function that allocates its results and runs one loop over rows.

Fusion puts such a group where ``rows_fit`` has said yes; elsewhere the same operators run as smaller groups. So the
function only asks a kernel for the number of rows and where they lie. See `tscript.abi.row_task` and
`tscript.backend.nodes.row_loop`.
"""

from __future__ import annotations

from tscript.abi.folds import BLOCK
from tscript.abi.layout import MAX_RANK
from tscript.abi.row_task import ARRAYS, DIMENSION_HEAD, LENGTH, PLAN_HEAD, SCRATCH, SHORT
from tscript.backend.llvm.constants import Constants
from tscript.backend.llvm.machine import store
from tscript.backend.llvm.target import Target
from tscript.backend.nodes.fused_body import FusedBody
from tscript.backend.nodes.fused_group import Group, Input, Output, element_of, known_dtype
from tscript.backend.nodes.loops import Array, Scalar, grain_for, size_of
from tscript.backend.nodes.row_loop import LINE, MOST_PARTS, RowSpec, emit_join, emit_row_loop, needed_values
from tscript.backend.nodes.row_loop import plan as plan_passes
from tscript.backend.nodes.steps import Id
from tscript.late import replace
from tscript.types import dtypes, machine_type


def emit_row_group(
    name: str, group: Group, target: Target, constants: Constants, declarations: dict[str, str]
) -> list[str]:
    """The functions of a group with reductions, as LLVM text; arguments as those of `fused.emit_group`."""
    spec = _spec(group)
    of_parts = _of_parts(group, spec)
    functions = [emit_row_loop(f"{name}.loop", spec, target, declarations)]
    if of_parts is not None:
        functions.append(emit_row_loop(f"{name}.parts", of_parts, target, declarations))
        functions.append(emit_join(f"{name}.join", spec, target, declarations))
    return [*functions, _entry(name, group, spec, of_parts, target, constants, declarations)]


def _spec(group: Group) -> RowSpec:
    outputs = [o for o in group.outputs if o.keepdim is None]
    of_row = [o for o in group.outputs if o.keepdim is not None]
    needed = needed_values(group.steps, group.reductions, (o.element for o in group.outputs))
    assert group.count is not None
    spec = RowSpec(
        group.steps,
        tuple(Array(element_of(a), a.value) for a in group.arrays),
        tuple(Array(machine_type(known_dtype(o.type)), o.element) for o in outputs),
        tuple(Array(machine_type(known_dtype(o.type)), o.element) for o in of_row),
        tuple(Scalar(element_of(s), s.value) for s in group.distinct_inputs if s.rank == 0 and s.value in needed),
        tuple(r for r in group.reductions if r.total in needed),
        group.count,
        frozenset(group.made),
        frozenset(a.value for a in group.arrays if a.rank != group.rank),
        tuple(a.value for a in group.arrays if may_be_loose(group, a)),
    )
    plan_passes(spec)
    return spec


def may_be_loose(group: Group, array: Input) -> bool:
    """Whether the rows of an input may have one element each."""
    return not group.reductions[0].whole and len(group.arrays) > 1 and array.rank == group.rank


def _of_parts(group: Group, spec: RowSpec) -> RowSpec | None:
    """The loop over parts of the only row, whose results are their totals; None if it takes more than one pass."""
    values = (*(r.element for r in spec.reductions), *(a.value for a in spec.outputs))
    if not spec.reductions or not group.reductions[0].whole or any(spec.stages[v] for v in values):
        return None
    totals = tuple(Array(r.type, r.total) for r in spec.reductions)
    found = replace(spec, of_row=totals, in_parts=True, scratch=[], stages=[], kept={})
    plan_passes(found)
    return found


def _entry(
    name: str,
    group: Group,
    spec: RowSpec,
    of_parts: RowSpec | None,
    target: Target,
    constants: Constants,
    declarations: dict[str, str],
) -> str:
    """All work."""
    body = FusedBody(group, constants, declarations)
    text = body.text
    arrays = group.arrays
    task = text.alloca(f"[{spec.task_cells} x i64], align 16", "task")
    cells = PLAN_HEAD + (MAX_RANK if group.rank is None else group.rank) * (DIMENSION_HEAD + len(arrays))
    plan = text.alloca(f"[{cells} x i64]", "plan")
    shape = text.alloca(f"[{MAX_RANK + 1} x i64]", "shape")
    table = body.table([a.name for a in arrays])
    whole = int(group.reductions[0].whole)
    given = [f"ptr {table}", f"i64 {len(arrays)}", f"i64 {whole}", f"ptr {shape}", f"ptr {task}", f"ptr {plan}"]
    first = body.call_for_int("rows_lay_out", given)
    rank = text.let(f"load i64, ptr {shape}", "rank")
    sizes = body.at(shape, 8)
    full = [o for o in group.outputs if o.keepdim is None]
    of_row = [o for o in group.outputs if o.keepdim is not None]
    for number, output in enumerate(full):
        body.allocate(output, rank, sizes, body.replaced(output, _read_before(spec, number)))
    _allocate_of_row(body, of_row, rank, sizes, whole=bool(whole))
    length = text.let(f"load i64, ptr {body.at(task, 8 * LENGTH)}", "length")
    cell = ARRAYS + 2 * len(arrays)
    for output in (*full, *of_row):
        size = size_of(machine_type(known_dtype(output.type)))
        distance = text.let(f"mul i64 {length}, {size}") if output.keepdim is None else str(size)
        data = body.field(body.made[output.value], "data", "ptr")
        text.line(f"store ptr {data}, ptr {body.at(task, 8 * cell)}")
        text.line(f"store i64 {distance}, ptr {body.at(task, 8 * cell + 8)}")
        cell += 2
    for index, scalar in enumerate(spec.scalars):
        given_scalar = next(i for i in group.distinct_inputs if i.value == scalar.value)
        store(text, scalar.type, body.scalar(given_scalar), body.at(task, 8 * spec.scalar_cell(index)))
    for index, value in enumerate(spec.loose):
        array = next(i for i in group.arrays if i.value == value)
        same = text.let(f"icmp eq i64 {body.size(array.name, (group.rank or 1) - 1)}, {length}")
        text.line(f"store i64 {text.let(f'sext i1 {same} to i64')}, ptr {body.at(task, 8 * spec.loose_cell(index))}")
    scratch = _scratch(body, spec, task, length)
    grain = grain_of(spec, target)
    if of_parts is not None:
        _run_in_parts(body, name, spec, of_parts, task, first, length, grain)
    elif whole or group.rank == 1:
        _run(body, f"{name}.loop", task, first, length, grain, bool(scratch))
    else:
        _runs(body, f"{name}.loop", spec, task, plan, first, length, grain)
    if scratch:
        _free(body, scratch)
    body.finish()
    outs = [f"ptr %out{i}" for i in range(len(group.outputs))]
    head = ", ".join(["ptr %ctx", *group.parameters, *outs])
    return text.function(f"define internal i32 {name}({head}) {target.attributes}")


def _read_before(spec: RowSpec, number: int) -> set[Id]:
    """The arrays of which no element is read after that of output `number` is first written. What one pass does with an
    element, it does in this order."""
    value = spec.outputs[number].value
    first = min(spec.stages[v] for v in (value, *(v for v, place in spec.kept.items() if place == number)))
    last = max(spec.stages[v] for v in (value, *(a.value for a in spec.outputs), *(r.total for r in spec.reductions)))
    found = {a.value for a in spec.inputs}
    for stage in range(first + 1, last + 1):
        found -= _loaded(spec, stage)
    return found


def _loaded(spec: RowSpec, stage: int) -> set[Id]:
    """What a pass loads."""
    arrays = {a.value for a in spec.inputs}
    found: set[Id] = set()
    pending = spec.roots(stage)
    while pending:
        value = pending.pop()
        if value not in found:
            found.add(value)
            kept = value in spec.kept and spec.stages[value] < stage
            if spec.steps.varying[value] and value not in arrays and not kept:
                pending.extend(spec.steps.arguments(value))
    return found


def grain_of(spec: RowSpec, target: Target) -> int:
    """How many elements take some ten microseconds."""
    wanted = [a.value for a in (*spec.outputs, *spec.of_row)]
    moved = sum(size_of(a.type) for a in (*spec.inputs, *spec.outputs))
    largest = max(size_of(a.type) for a in (*spec.inputs, *spec.outputs, *spec.of_row))
    return grain_for(len(needed_values(spec.steps, spec.reductions, wanted)), target.vector_bits // 8 // largest, moved)


def _run(body: FusedBody, loop: str, task: str, rows: str, length: str, grain: int, has_scratch: bool) -> None:
    """The loop, its rows on several threads if it is long and they share no scratch."""
    text = body.text
    numel = text.let(f"mul i64 {rows}, {length}")
    is_long = text.let(f"icmp ugt i64 {numel}, {grain}")
    if has_scratch:
        shared = text.let(f"load ptr, ptr {body.at(task, 8 * SCRATCH)}")
        is_long = text.let(f"and i1 {is_long}, {text.let(f'icmp eq ptr {shared}, null')}")
    long, short, following = (text.fresh_label(n) for n in ("divided", "alone", "following"))
    text.branch_if(is_long, long, short)
    text.label(short)
    body.count_work(numel, grain)
    text.line(f"call i32 {loop}(ptr %ctx, ptr {task}, i64 0, i64 {rows})")
    text.branch(following)
    text.label(long)
    of_rows = text.let(f"add i64 {text.let(f'udiv i64 {grain}, {length}')}, 1")
    body.call_surely("parallel", [f"ptr {loop}", f"ptr {task}", f"i64 {rows}", f"i64 {of_rows}"])
    text.branch(following)
    text.label(following)


def _run_in_parts(
    body: FusedBody, name: str, spec: RowSpec, of_parts: RowSpec, task: str, rows: str, length: str, grain: int
) -> None:
    """The loop over one row, its elements on several threads if it is long. A part is a power of two of blocks: its
    totals are some that the loop over the row has, too."""
    text = body.text
    long, short, following = (text.fresh_label(n) for n in ("parted", "whole", "following"))
    text.branch_if(text.let(f"icmp uge i64 {length}, {2 * max(grain, BLOCK)}"), long, short)
    text.label(short)
    _run(body, f"{name}.loop", task, rows, length, grain, False)
    text.branch(following)
    text.label(long)
    for function in ("umax", "ctlz"):
        text.declare_function(f"llvm.{function}.i64", "i64", ["i64", "i1" if function == "ctlz" else "i64"])
    least = text.let(f"udiv i64 {text.let(f'sub i64 {length}, 1')}, {MOST_PARTS}")
    zeros = text.let(f"call i64 @llvm.ctlz.i64(i64 {least}, i1 false)")
    power = text.let(f"shl i64 1, {text.let(f'sub i64 64, {zeros}')}")
    size = text.let(f"call i64 @llvm.umax.i64(i64 {power}, i64 {max(BLOCK, grain // 4)})")
    up = text.let(f"add i64 {length}, {text.let(f'sub i64 {size}, 1')}")
    parts = text.let(f"udiv i64 {up}, {size}")
    totals = text.alloca(f"[{MOST_PARTS * len(of_parts.of_row)} x i64], align 16", "totals")
    own = text.alloca(f"[{of_parts.task_cells} x i64], align 16", "parts")
    cells: dict[int, str] = {LENGTH: length, SCRATCH: size}
    moved = (*of_parts.inputs, *of_parts.outputs)
    for index, array in enumerate(moved):
        cells[ARRAYS + 2 * index] = text.let(f"load i64, ptr {body.at(task, 8 * (ARRAYS + 2 * index))}")
        cells[ARRAYS + 2 * index + 1] = text.let(f"mul i64 {size}, {size_of(array.type)}")
    for index in range(len(of_parts.of_row)):
        cell = ARRAYS + 2 * (len(moved) + index)
        cells[cell] = text.let(f"ptrtoint ptr {body.at(totals, 8 * MOST_PARTS * index)} to i64")
        cells[cell + 1] = "8"
    first, own_first = spec.scalar_cell(0), of_parts.scalar_cell(0)
    for cell in range(of_parts.scalar_cell(len(of_parts.scalars)) - own_first):
        cells[own_first + cell] = text.let(f"load i64, ptr {body.at(task, 8 * (first + cell))}")
    for cell, value in cells.items():
        text.line(f"store i64 {value}, ptr {body.at(own, 8 * cell)}")
    together = text.let(f"call i64 @llvm.umax.i64(i64 {text.let(f'udiv i64 {grain}, {size}')}, i64 1)")
    body.call_surely("parallel", [f"ptr {name}.parts", f"ptr {own}", f"i64 {parts}", f"i64 {together}"])
    text.line(f"call i32 {name}.join(ptr %ctx, ptr {task}, ptr {totals}, i64 {parts})")
    text.branch(following)
    text.label(following)


def _runs(body: FusedBody, loop: str, spec: RowSpec, task: str, plan: str, first: str, length: str, grain: int) -> None:
    """The loop for one run of rows after the other."""
    text = body.text
    before, run, finished = text.block, text.fresh_label("run"), text.fresh_label("finished")
    text.branch(run)
    text.label(run)
    rows, place = text.fresh("rows"), text.reserve()
    _run(body, loop, task, rows, length, grain, bool(spec.scratch))
    counts = [f"i64 {len(spec.inputs)}", f"i64 {spec.arrays}"]
    next_ = body.call_for_int("rows_advance", [*counts, f"ptr {task}", f"ptr {plan}"])
    end = text.block
    text.branch_if(text.let(f"icmp eq i64 {next_}, 0"), finished, run)
    text.fill(place, [f"{rows} = phi i64 [ {first}, %{before} ], [ {next_}, %{end} ]"])
    text.label(finished)


def _allocate_of_row(body: FusedBody, outputs: list[Output], rank: str, sizes: str, *, whole: bool) -> None:
    """The results with one element a row. The sizes are changed for the first that keeps reduced dimensions."""
    text = body.text
    less = text.let(f"sub i64 {rank}, 1") if outputs else ""
    for output in outputs:
        if not output.keepdim:
            body.allocate(output, "0" if whole else less, sizes)
    kept = [o for o in outputs if o.keepdim]
    if not kept:
        return
    if whole:
        assert body.group.rank is not None
        for d in range(body.group.rank):
            text.line(f"store i64 1, ptr {body.at(sizes, 8 * d)}")
    else:
        text.line(f"store i64 1, ptr {text.let(f'getelementptr i64, ptr {sizes}, i64 {less}')}")
    for output in kept:
        body.allocate(output, rank, sizes)


def _scratch(body: FusedBody, spec: RowSpec, task: str, length: str) -> str:
    """Memory for long rows, in the cell of the task: the place of a tensor, null for short rows."""
    text = body.text
    if not spec.scratch:
        return ""
    place = text.alloca("ptr", "scratch", "null")
    size = text.let("alloca i64, align 8", "bytes")
    needed = text.let(f"mul i64 {text.let(f'add i64 {length}, {LINE}')}, {spec.scratch_size}")
    text.line(f"store i64 {needed}, ptr {size}")
    long, following = text.fresh_label("long"), text.fresh_label("enough")
    text.branch_if(text.let(f"icmp ugt i64 {needed}, {SHORT}"), long, following)
    text.label(long)
    made = body.call("tensor_alloc", [f"i32 {dtypes.uint8.code}", "i64 1", f"ptr {size}"], result=True)
    text.line(f"store ptr {made}, ptr {place}")
    data = text.let(f"load ptr, ptr {body.at(made, body.data_offset)}")
    text.line(f"store ptr {data}, ptr {body.at(task, 8 * SCRATCH)}")
    text.branch(following)
    text.label(following)
    return place


def _free(body: FusedBody, place: str) -> None:
    text = body.text
    found = text.let(f"load ptr, ptr {place}")
    free, following = text.fresh_label("free"), text.fresh_label("freed")
    text.branch_if(text.let(f"icmp eq ptr {found}, null"), following, free)
    text.label(free)
    body.release(found)
    text.branch(following)
    text.label(following)
