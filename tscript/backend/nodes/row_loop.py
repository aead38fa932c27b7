"""The loop of a fused group with reductions: for each row, passes over it while it is in the cache.

`emit_row_loop` writes it as a function of its own, ``i32 (ptr context, ptr task, i64 begin, i64 end)`` over rows, so
that rows can be divided among threads; see `tscript.abi.row_task`. A value belongs to the *stage* in which it is known:
elements of arrays and scalars to stage 0, the result of a reduction to the stage behind that of its operand. Pass k
over the row computes what varies and belongs to stage k, as far as a reduction, a result or a later pass needs it;
behind it stand the scalars of stage k + 1::

    softmax:  pass 0  m = max(x)
              pass 1  e = exp(x - m), s = sum(e); e is stored into the row of the result
              pass 2  the row of the result = e / s

What a pass needs of an earlier stage is computed again if that is cheap, else it was stored: into the row of a result
that is written later, or into scratch. Elements are combined in the order of `tscript.abi.folds`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import final

from tscript.abi.folds import BLOCK, LANES, LEVELS
from tscript.abi.row_task import ARRAYS, LENGTH, SCRATCH
from tscript.backend.llvm.machine import load, store
from tscript.backend.llvm.target import Target
from tscript.backend.llvm.text import Text
from tscript.backend.llvm.types import literal, llvm_type, memory_type, splat
from tscript.backend.nodes.fused_group import Reduction
from tscript.backend.nodes.loops import (
    LOOP_PARAMETERS,
    Array,
    Scalar,
    cells_of,
    copy_elements,
    has_masked_moves,
    load_vector,
    size_of,
    store_vector,
    tail_mask,
)
from tscript.backend.nodes.quotients import multiplies, prepare
from tscript.backend.nodes.row_totals import Combine, push, total_of
from tscript.backend.nodes.steps import Id, Steps
from tscript.late import dataclass, field
from tscript.types import BOOL, Type

CHEAP = 6
"""Steps that are rather repeated in a later pass than stored."""

LINE = 64
"""Bytes that arrays of scratch are aligned to, and that one prefetch brings."""

AHEAD = 1024
"""Bytes that prefetches are ahead, at least, where rows follow each other."""

MOST_PARTS = 64
"""Of a row whose elements are divided among threads."""

LONG = 1 << 15
"""Bytes of rows that are not in the cache any more when a later pass needs them."""


@dataclass(slots=True)
class RowSpec:
    """The computation of a loop over rows.

    Attributes:
        steps: The arithmetic.
        inputs: The arrays that are read, in the order of the task.
        outputs: Behind them, the arrays of results.
        of_row: Behind them, the arrays of results that have one element a row.
        scalars: Behind them, one cell each.
        reductions: Those that are needed.
        count: The number of elements of a row.
        members: The values that operators of the group define, which may be stored.
        fixed: The inputs that are the same in all rows.
        loose: The inputs that may have one element a row. Behind the scalars they have a cell each: -1, or 0 for such.
        scratch: How the values are stored that later passes need and no result has, set by `plan`.
        in_parts: Whether the rows are parts of one that has `LENGTH` elements; the size of all but the last is in the
            cell `SCRATCH`.
        stages: Of each value, set by `plan`.
        kept: By value that is stored, its array: the number of an output, or minus one less than that in `scratch`.
    """

    steps: Steps
    inputs: tuple[Array, ...]
    outputs: tuple[Array, ...]
    of_row: tuple[Array, ...]
    scalars: tuple[Scalar, ...]
    reductions: tuple[Reduction, ...]
    count: Id
    members: frozenset[Id]
    fixed: frozenset[Id]
    loose: tuple[Id, ...] = ()
    in_parts: bool = False
    scratch: list[Type] = field(default_factory=list)
    stages: list[int] = field(default_factory=list)
    kept: dict[Id, int] = field(default_factory=dict)

    @property
    def arrays(self) -> int:
        """How many there are in the task."""
        return len(self.inputs) + len(self.outputs) + len(self.of_row)

    @property
    def task_cells(self) -> int:
        """64-bit cells of the task."""
        return self.loose_cell(len(self.loose))

    def loose_cell(self, index: int) -> int:
        """The cell of an input, by its position in `loose`."""
        return self.scalar_cell(len(self.scalars)) + index

    def scalar_cell(self, index: int) -> int:
        """The first cell of a scalar, by its position in `scalars`."""
        return ARRAYS + 2 * self.arrays + sum(cells_of(s.type) for s in self.scalars[:index])

    @property
    def scratch_size(self) -> int:
        """Bytes of scratch for each element of a row."""
        return sum(map(size_of, self.scratch))

    def stored_in(self, stage: int) -> list[Id]:
        """The varying values that pass `stage` stores."""
        found = dict.fromkeys(a.value for a in self.outputs if self.stages[a.value] == stage)
        found.update(dict.fromkeys(v for v in self.kept if self.stages[v] == stage))
        return list(found)

    def roots(self, stage: int) -> list[Id]:
        """What pass `stage` is run for."""
        combined = [r.element for r in self.reductions if self.stages[r.element] == stage]
        return list(dict.fromkeys((*combined, *self.stored_in(stage))))


def needed_values(steps: Steps, reductions: Sequence[Reduction], wanted: Iterable[Id]) -> set[Id]:
    """What `wanted` is computed from, through reductions too."""
    found = steps.needed(wanted)
    for reduction in reversed(reductions):
        if reduction.total in found:
            found |= steps.needed((*found, reduction.element))
    return found


def plan(spec: RowSpec) -> None:
    """Decide the stages and what is stored between passes."""
    steps, totals = spec.steps, {r.total: r for r in spec.reductions}
    for value in range(len(steps.types)):
        reduction = totals.get(value)
        if reduction is not None:
            spec.stages.append(spec.stages[reduction.element] + 1)
        else:
            spec.stages.append(max((spec.stages[a] for a in steps.arguments(value)), default=0))
    read = {a.value for a in spec.inputs}
    results = {a.value: number for number, a in enumerate(spec.outputs)}
    last = max((spec.stages[v] for v in (*results, *(r.element for r in spec.reductions))), default=0)
    taken: dict[int, list[tuple[int, int]]] = {n: [(spec.stages[a.value], last)] for n, a in enumerate(spec.outputs)}
    for stage in range(last, 0, -1):
        for value in sorted(_missed(spec, stage, read), reverse=True):
            if value in results:
                spec.kept[value] = results[value]
                continue
            place = _place_for(spec, value, stage, taken)
            if place is None:
                spec.scratch.append(steps.types[value])
                place = -len(spec.scratch)
            spec.kept[value] = place
            taken.setdefault(place, []).append((spec.stages[value], stage))


def _place_for(spec: RowSpec, value: Id, until: int, taken: dict[int, list[tuple[int, int]]]) -> int | None:
    """The row of a result, or scratch, that may have `value` until pass `until`, the last one that needs it.

    Args:
        taken: From which pass to which one each place has other values. A pass reads an element before it writes one.
    """
    since = spec.stages[value]
    for place, times in taken.items():
        type = spec.outputs[place].type if place >= 0 else spec.scratch[-1 - place]
        if type == spec.steps.types[value] and all(until <= first or last <= since for first, last in times):
            return place
    return None


def _missed(spec: RowSpec, stage: int, read: set[Id]) -> set[Id]:
    """The values of earlier stages that pass `stage` needs and that cost too much to be computed again."""
    found: set[Id] = set()
    pending = [v for v in spec.roots(stage) if spec.steps.varying[v]]
    seen: set[Id] = set()
    while pending:
        value = pending.pop()
        if value in seen or value in read or not spec.steps.varying[value]:
            continue
        seen.add(value)
        earlier = spec.stages[value] < stage
        if earlier and value in spec.kept:
            continue
        if earlier and value in spec.members and _cost(spec.steps, value, read) > CHEAP:
            found.add(value)
            continue
        pending.extend(spec.steps.arguments(value))
    return found


def _cost(steps: Steps, value: Id, read: set[Id]) -> int:
    """Steps for each element that compute `value` from arrays."""
    return sum(1 for v in steps.needed((value,)) if steps.varying[v] and v not in read)


def lanes_of(spec: RowSpec, target: Target, needed: set[Id]) -> int:
    """Elements of one vector: see `loops.lanes_for`; never more than a reduction has lanes."""
    register = target.vector_bits // 8
    steps = spec.steps
    inner = max((size_of(steps.types[v]) for v in needed if steps.varying[v]), default=1)
    inner = max(inner, *(size_of(r.type) for r in spec.reductions))
    outer = max((size_of(a.type) for a in (*spec.outputs, *(a for a in spec.inputs if a.value in needed))), default=1)
    return min(register // outer, 2 * register // inner, LANES)


def emit_row_loop(name: str, spec: RowSpec, target: Target, declarations: dict[str, str]) -> str:
    """The loop as an internal LLVM function.

    Args:
        name: Its symbol, with its sign.
        spec: Its computation, planned.
        target: Decides the vector width and how the rest is handled.
        declarations: Receives the module-level lines it needs.
    """
    text = Text(declarations, target.enabled)
    _RowEmitter(text, spec, target).emit()
    return text.function(f"define internal i32 {name}({LOOP_PARAMETERS}) {target.attributes}")


def emit_join(name: str, spec: RowSpec, target: Target, declarations: dict[str, str]) -> str:
    """The function that makes the results of one row, ``i32 (ptr context, ptr task, ptr totals, i64 parts)``: of the
    totals of its parts, `MOST_PARTS` cells for each reduction. Arguments as those of `emit_row_loop`."""
    text = Text(declarations, target.enabled)
    _RowEmitter(text, spec, target).emit_join()
    head = "ptr %ctx, ptr %task, ptr %totals, i64 %parts"
    return text.function(f"define internal i32 {name}({head}) {target.attributes}")


@final
class _RowEmitter:
    """Writes one loop over rows.

    Attributes:
        names: Scalars by value, as far as they are known at the place that is written.
        vectors: Scalars that are spread over vectors.
        rows: By array, moved or scratch, the address of its row.
        masks: Of inputs that may have one element a row, -1, or 0 for such, whose element then is repeated in memory.
    """

    def __init__(self, text: Text, spec: RowSpec, target: Target) -> None:
        self.text = text
        self.spec = spec
        self.target = target
        results = [a.value for a in (*spec.outputs, *spec.of_row)]
        self.needed = needed_values(spec.steps, spec.reductions, results)
        self.lanes = lanes_of(spec, target, self.needed)
        self.masked = has_masked_moves(target)
        self.names: dict[Id, str] = {}
        self.vectors: dict[Id, str] = {}
        self.count = ""
        self.inputs: dict[Id, tuple[Type, str]] = {}
        self.places: list[str] = []
        self.scratch: list[str] = []
        self.stages = 1 + max((spec.stages[v] for v in self.needed), default=0)
        self.passes = [stage for stage in range(self.stages) if spec.roots(stage)]
        self.masks: dict[Id, str] = {}
        self.next_inputs: list[tuple[Type, str, str]] = []
        self.next_outputs: list[tuple[Type, str]] = []

    def cell(self, index: int, type: str) -> str:
        """Load a cell of the task."""
        return self.text.let(f"load {type}, ptr {self.text.let(f'getelementptr i64, ptr %task, i64 {index}')}")

    def emit(self) -> None:
        """Write the function's body."""
        text, spec = self.text, self.spec
        self.count = self.names[spec.count] = self.cell(LENGTH, "i64")
        self.load_scalars()
        self.masks = {v: self.cell(spec.loose_cell(k), "i64") for k, v in enumerate(spec.loose) if v in self.needed}
        arrays = (*spec.inputs, *spec.outputs, *spec.of_row)
        bases = [(self.cell(ARRAYS + 2 * k, "ptr"), self.cell(ARRAYS + 2 * k + 1, "i64")) for k in range(len(arrays))]
        before, ahead = self.distances(arrays)
        self.allocate_scratch()
        self.scalars(0)
        entry = text.block
        text.branch("head")
        text.label("head")
        row, after = text.fresh("row"), text.fresh("row")
        place = text.reserve()
        text.branch_if(text.let(f"icmp slt i64 {row}, %end"), "body", "done")
        text.label("body")
        if spec.in_parts:
            self.count = self.of_part(row)
        addresses = [
            text.let(f"getelementptr i8, ptr {base}, i64 {text.let(f'mul i64 {row}, {stride}')}")
            for base, stride in bases
        ]
        for array, address in zip(spec.inputs, addresses, strict=False):
            if array.value in self.masks:
                address = self.repeated(array, address, self.masks[array.value])
            self.inputs[array.value] = (array.type, address)
        self.places = addresses[len(spec.inputs) : len(spec.inputs) + len(spec.outputs)]
        self.prefetched(bases, addresses, before, ahead)
        outside = dict(self.names), dict(self.vectors)
        for stage in range(self.stages):
            if stage:
                self.scalars(stage)
            self.over_row(stage)
        for array, address in zip(spec.of_row, addresses[len(spec.inputs) + len(spec.outputs) :], strict=True):
            value = spec.steps.constant_text(array.value, 1) or self.names[array.value]
            store(text, array.type, value, address)
        self.names, self.vectors = outside
        text.line(f"{after} = add i64 {row}, 1")
        end = text.block
        text.branch("head")
        text.fill(place, [f"{row} = phi i64 [ %begin, %{entry} ], [ {after}, %{end} ]"])
        text.label("done")
        text.terminate("ret i32 0")

    def repeated(self, array: Array, address: str, mask: str) -> str:
        """The address of a row, or, if it has one element, of memory where this is repeated."""
        text = self.text
        memory = text.alloca(f"[{LANES} x {memory_type(array.type)}], align {LINE}", "repeated")
        fill, filled = text.fresh_label("repeat"), text.fresh_label("row")
        one = text.let(f"icmp eq i64 {mask}, 0")
        text.branch_if(one, fill, filled)
        text.label(fill)
        vector = splat(text, load(text, array.type, address), array.type, self.lanes)
        for k in range(LANES // self.lanes):
            place = text.let(f"getelementptr {memory_type(array.type)}, ptr {memory}, i64 {k * self.lanes}")
            store_vector(text, array.type, self.lanes, vector, place, "")
        text.branch(filled)
        text.label(filled)
        return text.let(f"select i1 {one}, ptr {memory}, ptr {address}")

    def load_scalars(self) -> None:
        """Load the scalars of the task."""
        for index, scalar in enumerate(self.spec.scalars):
            address = self.text.let(f"getelementptr i64, ptr %task, i64 {self.spec.scalar_cell(index)}")
            self.names[scalar.value] = load(self.text, scalar.type, address)

    def of_part(self, part: str) -> str:
        """How many elements a part of the row has."""
        text = self.text
        size = self.cell(SCRATCH, "i64")
        left = text.let(f"sub i64 {self.names[self.spec.count]}, {text.let(f'mul i64 {part}, {size}')}")
        text.declare_function("llvm.umin.i64", "i64", ["i64", "i64"])
        return text.let(f"call i64 @llvm.umin.i64(i64 {left}, i64 {size})")

    def emit_join(self) -> None:
        """Write the body of the function that `emit_join` describes."""
        text, spec = self.text, self.spec
        self.names[spec.count] = self.cell(LENGTH, "i64")
        self.load_scalars()
        self.scalars(0)
        for number, reduction in enumerate(spec.reductions):
            self.names[reduction.total] = self.joined(number, reduction)
        for stage in range(1, self.stages):
            self.scalars(stage)
        first = len(spec.inputs) + len(spec.outputs)
        for index, array in enumerate(spec.of_row, first):
            value = spec.steps.constant_text(array.value, 1) or self.names[array.value]
            store(text, array.type, value, self.cell(ARRAYS + 2 * index, "ptr"))
        text.terminate("ret i32 0")

    def joined(self, number: int, reduction: Reduction) -> str:
        """The total of all parts."""
        text, type, combine = self.text, reduction.type, Combine(reduction.combine)
        levels = text.alloca(f"[{LEVELS} x {memory_type(type)}]", "levels")
        totals = text.let(f"getelementptr i64, ptr %totals, i64 {number * MOST_PARTS}")
        before, head, following = text.block, text.fresh_label("part"), text.fresh_label("parts")
        text.branch(head)
        text.label(head)
        part, next_ = text.fresh("part"), text.fresh("part")
        place = text.reserve()
        value = load(text, type, text.let(f"getelementptr i64, ptr {totals}, i64 {part}"))
        push(text, type, combine, levels, part, value)
        text.line(f"{next_} = add i64 {part}, 1")
        end = text.block
        text.branch_if(text.let(f"icmp slt i64 {next_}, %parts"), head, following)
        text.fill(place, [f"{part} = phi i64 [ 0, %{before} ], [ {next_}, %{end} ]"])
        text.label(following)
        return total_of(text, type, combine, levels, "%parts")

    def distances(self, arrays: Sequence[Array]) -> tuple[str, str]:
        """How many rows further rows are prefetched that are written, and those that are read: the next row, or one
        that is `AHEAD` bytes away. Of long rows none."""
        text = self.text
        if len(self.passes) < 2:
            return "", ""
        size = text.let(f"mul i64 {self.count}, {max(size_of(a.type) for a in arrays)}")
        some = text.let(f"call i64 @llvm.umax.i64(i64 {size}, i64 1)")
        text.declare_function("llvm.umax.i64", "i64", ["i64", "i64"])
        before = text.let(f"udiv i64 {AHEAD}, {some}")
        is_long = text.let(f"icmp ugt i64 {size}, {LONG}")
        more = text.let(f"select i1 {is_long}, i64 0, i64 1")
        return before, text.let(f"add i64 {before}, {more}")

    def prefetched(self, bases: Sequence[tuple[str, str]], addresses: Sequence[str], before: str, ahead: str) -> None:
        """The rows that are prefetched while this one is computed: the hardware does not look beyond a page, and a
        pass over a row that is in the cache already leaves memory idle."""
        text, spec = self.text, self.spec
        if len(self.passes) < 2:
            return

        def further(k: int, rows: str) -> str:
            return text.let(f"getelementptr i8, ptr {addresses[k]}, i64 {text.let(f'mul i64 {bases[k][1]}, {rows}')}")

        self.next_inputs = [
            (array.type, further(k, ahead), self.masks.get(array.value, ""))
            for k, array in enumerate(spec.inputs)
            if array.value in self.needed - spec.fixed
        ]
        self.next_outputs = [
            (array.type, further(len(spec.inputs) + k, before))
            for k, array in enumerate(spec.outputs)
            if spec.stages[array.value] > self.passes[0]
        ]

    def allocate_scratch(self) -> None:
        """The addresses of the arrays of scratch: in the task, or on the stack if rows are short."""
        text, spec = self.text, self.spec
        if not spec.scratch:
            return
        given = self.cell(SCRATCH, "ptr")
        none = text.let(f"icmp eq ptr {given}, null")
        room = text.let(f"add i64 {self.count}, {LINE}")
        length = text.let(f"select i1 {none}, i64 {room}, i64 0")
        own = text.let(f"alloca i8, i64 {text.let(f'mul i64 {length}, {spec.scratch_size}')}, align {LINE}")
        base = text.let(f"select i1 {none}, ptr {own}, ptr {given}")
        for type in spec.scratch:
            self.scratch.append(base)
            base = text.let(f"getelementptr {memory_type(type)}, ptr {base}, i64 {room}")

    def of_stage(self, stage: int) -> set[Id]:
        """The needed values that are known in a stage."""
        return {v for v in self.needed if self.spec.stages[v] <= stage}

    def scalars(self, stage: int) -> None:
        """Compute the scalars of a stage."""
        self.spec.steps.emit_scalars(self.text, self.of_stage(stage), self.names)

    def address(self, value: Id) -> str:
        """The address of the row of a value that is stored."""
        place = self.spec.kept[value]
        return self.places[place] if place >= 0 else self.scratch[-1 - place]

    # Passes

    def over_row(self, stage: int) -> None:
        """A pass over the row."""
        spec = self.spec
        reductions = [r for r in spec.reductions if spec.stages[r.element] == stage]
        roots = spec.roots(stage)
        if not roots:
            return
        work = _Pass(self, stage, reductions, roots)
        if not reductions:
            work.span("0", self.count, [])
            return
        for reduction, total in zip(reductions, work.blocks(), strict=True):
            self.names[reduction.total] = total


@final
class _Pass:
    """One pass over a row.

    Attributes:
        loaded: What it loads: value, type, address of the row.
        computed: What it computes.
        stored: What it stores, likewise.
    """

    def __init__(self, row: _RowEmitter, stage: int, reductions: Sequence[Reduction], roots: Sequence[Id]) -> None:
        self.row = row
        self.text = row.text
        self.lanes = row.lanes
        self.count = LANES // row.lanes
        self.reductions = reductions
        spec = row.spec
        steps = self.steps = spec.steps
        self.loaded: dict[Id, tuple[Type, str]] = {}
        self.computed: set[Id] = set()
        pending = list(roots)
        while pending:
            value = pending.pop()
            if value in self.computed or value in self.loaded:
                continue
            if value in row.inputs:
                self.loaded[value] = row.inputs[value]
            elif steps.varying[value] and value in spec.kept and spec.stages[value] < stage:
                self.loaded[value] = (steps.types[value], row.address(value))
            else:
                self.computed.add(value)
                if steps.varying[value]:
                    pending.extend(steps.arguments(value))
        self.stored: list[tuple[Id, Type, str]] = []
        for array, address in zip(spec.outputs, row.places, strict=True):
            if spec.stages[array.value] == stage:
                self.stored.append((array.value, array.type, address))
        written = {(v, address) for v, _, address in self.stored}
        for value in spec.kept:
            if spec.stages[value] == stage and (value, row.address(value)) not in written:
                self.stored.append((value, steps.types[value], row.address(value)))
        row.vectors |= steps.spread(self.text, self.computed, roots, row.names, self.lanes, row.vectors)
        self.divisors = {
            v: prepare(self.text, row.names[v], row.vectors[v], steps.types[v], self.lanes)
            for v in (steps.divisors(self.computed) if self.lanes > 1 and multiplies(row.target) else ())
        }
        self.combines = [Combine(r.combine) for r in reductions]
        self.steady = [row.masks.get(v, "") for v in self.loaded] + [""] * len(self.stored)
        self.prefetched: list[tuple[Type, str, str, bool]] = []
        if stage == row.passes[-1]:
            self.prefetched += [(type, address, mask, False) for type, address, mask in row.next_inputs]
        if stage == row.passes[0]:
            self.prefetched += [(type, address, "", True) for type, address in row.next_outputs]

    def blocks(self) -> list[str]:
        """The totals of the reductions over the row, block by block."""
        text, row = self.text, self.row
        levels = [text.alloca(f"[{LEVELS} x {memory_type(r.type)}]", "levels") for r in self.reductions]
        before, block, following = text.block, text.fresh_label("block"), text.fresh_label("blocks")
        text.branch(block)
        text.label(block)
        at, next_, number, more = (text.fresh(n) for n in ("at", "at", "number", "number"))
        place = text.reserve()
        left = text.let(f"sub i64 {row.count}, {at}")
        short = text.let(f"icmp slt i64 {left}, {BLOCK}")
        length = text.let(f"select i1 {short}, i64 {left}, i64 {BLOCK}")
        starts = []
        for reduction in self.reductions:
            start = self.steps.constant_text(reduction.start, self.lanes)
            assert start is not None
            starts.append([start] * self.count)
        found = self.span(at, length, starts)
        for reduction, combine, parts, place_of in zip(self.reductions, self.combines, found, levels, strict=True):
            push(text, reduction.type, combine, place_of, number, self.tree(reduction.type, combine, parts))
        text.line(f"{next_} = add i64 {at}, {length}")
        text.line(f"{more} = add i64 {number}, 1")
        again = text.let(f"icmp slt i64 {next_}, {row.count}")
        end = text.block
        text.branch_if(again, block, following)
        text.fill(
            place,
            [
                f"{at} = phi i64 [ 0, %{before} ], [ {next_}, %{end} ]",
                f"{number} = phi i64 [ 0, %{before} ], [ {more}, %{end} ]",
            ],
        )
        text.label(following)
        return [
            total_of(text, reduction.type, combine, place_of, more)
            for reduction, combine, place_of in zip(self.reductions, self.combines, levels, strict=True)
        ]

    def tree(self, type: Type, combine: Combine, parts: Sequence[str]) -> str:
        """All lanes of some vectors combined: each two neighbours, then those of the first half with those of the
        second."""
        text, vectors = self.text, list(parts)
        if self.lanes == 1:
            vectors = [combine.emit(text, a, b, 1) for a, b in zip(vectors[::2], vectors[1::2], strict=True)]
        else:
            whole, order = llvm_type(type, self.lanes), ", ".join(f"i32 {i ^ 1}" for i in range(self.lanes))
            swap = f"{whole} poison, <{self.lanes} x i32> <{order}>"
            vectors = [
                combine.emit(text, v, text.let(f"shufflevector {whole} {v}, {swap}"), self.lanes) for v in vectors
            ]
        while len(vectors) > 1:
            half = len(vectors) // 2
            vectors = [combine.emit(text, vectors[i], vectors[i + half], self.lanes) for i in range(half)]
        value, lanes = vectors[0], self.lanes
        while lanes > 2:
            full, half = llvm_type(type, lanes), lanes // 2
            low, high = (
                text.let(
                    f"shufflevector {full} {value}, {full} poison, <{half} x i32> "
                    f"<{', '.join(f'i32 {first + i}' for i in range(half))}>"
                )
                for first in (0, half)
            )
            value, lanes = combine.emit(text, low, high, half), half
        return value if lanes == 1 else text.let(f"extractelement {llvm_type(type, 2)} {value}, i64 0")

    def span(self, start: str, length: str, starts: Sequence[Sequence[str]]) -> list[list[str]]:
        """Go over `length` elements, at least one, from element `start` on.

        Blocks: ``loop`` (`LANES` elements, again and again) → ``after`` → ``rest`` → ``loop`` (once) → ``after`` →
        ``gone``. Where there are no masked moves, the rest goes through vectors on the stack.

        Args:
            starts: Of each reduction, what its vectors begin with.

        Returns:
            Of each reduction, its vectors.
        """
        text, lanes, count, masked = self.text, self.lanes, self.count, self.row.masked
        moving = [(t, a) for t, a in self.loaded.values()] + [(t, a) for _, t, a in self.stored]
        entry_addresses = [self.further(t, a, start, m) for (t, a), m in zip(moving, self.steady, strict=True)]
        ahead = [self.further(t, a, start, m) for t, a, m, _ in self.prefetched]
        whole = text.let(f"and i64 {length}, {-LANES}")
        rest = text.let(f"and i64 {length}, {LANES - 1}")
        buffers = (
            []
            if masked
            else [text.alloca(f"[{LANES} x {memory_type(t)}]", "rest", "zeroinitializer") for t, _ in moving]
        )
        loop, after, turn, gone = (text.fresh_label(n) for n in ("loop", "after", "rest", "gone"))
        entry = text.block
        text.branch_if(text.let(f"icmp eq i64 {whole}, 0"), turn, loop)

        text.label(loop)
        place = text.reserve()
        index, next_, limit = text.fresh("i"), text.fresh("i"), text.fresh("limit")
        masks = [text.fresh("mask") for _ in range(count)]
        origins = entry_addresses if masked else [text.fresh("p") for _ in moving]
        before = [[text.fresh("acc") for _ in range(count)] for _ in self.reductions]
        combined: list[list[str]] = [[] for _ in self.reductions]
        for (type, _, mask, writes), address in zip(self.prefetched, ahead, strict=True):
            self.prefetch(type, address, text.let(f"and i64 {index}, {mask}") if mask else index, writes)
        bases = [
            self.further(t, o, index, m) if m else o for (t, _), o, m in zip(moving, origins, self.steady, strict=True)
        ]
        for k in range(count):
            offset = text.let(f"add i64 {index}, {k * lanes}") if k else index
            addresses = [
                text.let(f"getelementptr {memory_type(t)}, ptr {base}, i64 {k * lanes if mask else offset}")
                for (t, _), base, mask in zip(moving, bases, self.steady, strict=True)
            ]
            moved_under = masks[k] if masked else ""
            names = dict(self.row.vectors)
            for (value, (type, _)), pointer in zip(self.loaded.items(), addresses, strict=False):
                names[value] = load_vector(text, type, lanes, pointer, moved_under)
            self.steps.emit_varying(text, self.computed, names, lanes, self.divisors)
            for (value, type, _), pointer in zip(self.stored, addresses[len(self.loaded) :], strict=True):
                store_vector(text, type, lanes, names[value], pointer, moved_under)
            for reduction, combine, own, out in zip(self.reductions, self.combines, before, combined, strict=True):
                found = combine.emit(text, own[k], names[reduction.element], lanes)
                full = llvm_type(reduction.type, lanes)
                out.append(text.let(f"select {llvm_type(BOOL, lanes)} {masks[k]}, {full} {found}, {full} {own[k]}"))
        text.line(f"{next_} = add i64 {index}, {LANES}")
        end = text.block
        text.branch_if(text.let(f"icmp slt i64 {next_}, {limit}"), loop, after)

        text.label(after)
        flushed = gone if masked or not self.stored else text.fresh_label("flush")
        text.branch_if(text.let(f"icmp slt i64 {limit}, {length}"), turn, flushed)

        text.label(turn)
        at_rest: list[list[str]] = []
        for reduction, first, then in zip(self.reductions, starts, combined, strict=True):
            full = llvm_type(reduction.type, lanes)
            at_rest.append(
                [
                    text.let(f"phi {full} [ {a}, %{entry} ], [ {b}, %{after} ]", "acc")
                    for a, b in zip(first, then, strict=True)
                ]
            )
        rest_masks = [tail_mask(text, rest, lanes, k * lanes) for k in range(count)]
        rest_addresses: list[str] = []
        if not masked:
            n = len(self.loaded)
            real = [
                self.further(t, a, whole, m) for (t, _), a, m in zip(moving, entry_addresses, self.steady, strict=True)
            ]
            if n:
                copy_elements(text, "fill", [t for t, _ in moving[:n]], buffers[:n], real[:n], rest)
            back = text.let(f"sub i64 0, {whole}")
            rest_addresses = [
                self.further(t, b, back, m) for (t, _), b, m in zip(moving, buffers, self.steady, strict=True)
            ]
        last = text.block
        text.branch(loop)

        condition = llvm_type(BOOL, lanes)
        phis = [
            f"{index} = phi i64 [ 0, %{entry} ], [ {next_}, %{end} ], [ {whole}, %{last} ]",
            f"{limit} = phi i64 [ {whole}, %{entry} ], [ {limit}, %{end} ], [ {length}, %{last} ]",
        ]
        full_mask = literal(True, BOOL, lanes)
        for mask, rest_mask in zip(masks, rest_masks, strict=True):
            phis.append(
                f"{mask} = phi {condition} [ {full_mask}, %{entry} ], [ {mask}, %{end} ], [ {rest_mask}, %{last} ]"
            )
        for origin, first, at_last in zip(origins, entry_addresses, rest_addresses, strict=False):
            phis.append(f"{origin} = phi ptr [ {first}, %{entry} ], [ {origin}, %{end} ], [ {at_last}, %{last} ]")
        for r, own, first_of, out, resting in zip(self.reductions, before, starts, combined, at_rest, strict=True):
            for k in range(count):
                phis.append(
                    f"{own[k]} = phi {llvm_type(r.type, lanes)} [ {first_of[k]}, %{entry} ], [ {out[k]}, %{end} ], "
                    f"[ {resting[k]}, %{last} ]"
                )
        text.fill(place, phis)

        if flushed != gone:
            text.label(flushed)
            text.branch_if(text.let(f"icmp eq i64 {rest}, 0"), gone, f"{flushed}.out")
            text.label(f"{flushed}.out")
            n = len(self.loaded)
            real = [
                text.let(f"getelementptr {memory_type(t)}, ptr {a}, i64 {whole}")
                for (t, _), a in zip(moving[n:], entry_addresses[n:], strict=True)
            ]
            copy_elements(text, "empty", [t for t, _ in moving[n:]], real, buffers[n:], rest)
            text.branch(gone)
        text.label(gone)
        return combined

    def further(self, type: Type, address: str, elements: str, mask: str) -> str:
        """The address so many elements further, or the same where one element is repeated."""
        text = self.text
        if mask:
            elements = text.let(f"and i64 {elements}, {mask}")
        return text.let(f"getelementptr {memory_type(type)}, ptr {address}, i64 {elements}")

    def prefetch(self, type: Type, row: str, index: str, writes: bool) -> None:
        """Ask for `LANES` elements of a row."""
        text = self.text
        text.declare_function("llvm.prefetch.p0", "void", ["ptr", "i32", "i32", "i32"])
        first = text.let(f"getelementptr {memory_type(type)}, ptr {row}, i64 {index}")
        for offset in range(0, LANES * size_of(type), LINE):
            place = text.let(f"getelementptr i8, ptr {first}, i64 {offset}")
            text.line(f"call void @llvm.prefetch.p0(ptr {place}, i32 {int(writes)}, i32 3, i32 1)")
