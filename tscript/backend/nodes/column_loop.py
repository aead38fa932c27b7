"""The loop of a fused group that reduces the first dimensions: for each tile of columns, passes over all rows.

The first dimensions are one dimension of *rows*, the others one of *columns*. What is known for each column (the result
of a reduction, and what is computed of such results) is a vector for each tile. As in `tscript.backend.nodes.row_loop`,
a value belongs to the stage in which it is known, and pass k over the rows computes what differs between rows and
belongs to stage k::

    batch norm:  pass 0  m = sum(x) / n
                 pass 1  v = sum((x - m) ** 2)
                 pass 2  the result = (x - m) / sqrt(v / n)

What a pass needs of an earlier stage is computed again if that is cheap, else it was stored where a result will be.
Element i of a column goes to lane i modulo `LANES`, which are a tile of memory each, so that elements are combined in
the order of `tscript.abi.folds`.

`emit_column_loop` writes three functions: ``name.wide`` and ``name.narrow`` for tiles of `VECTORS` vectors and of one,
``name`` for a range of wide tiles. The last of those has the columns that are left too, with narrow tiles that may
overlap.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import final

from tscript.abi.column_task import ARRAYS, COLUMNS, ROWS
from tscript.abi.folds import BLOCK, LANES, LEVELS
from tscript.backend.llvm.machine import load
from tscript.backend.llvm.target import Target
from tscript.backend.llvm.text import Text
from tscript.backend.llvm.types import memory_type
from tscript.backend.nodes.fused_group import Reduction
from tscript.backend.nodes.loops import LOOP_PARAMETERS, Array, Scalar, cells_of, load_vector, size_of, store_vector
from tscript.backend.nodes.row_loop import CHEAP, needed_values
from tscript.backend.nodes.row_totals import Combine
from tscript.backend.nodes.steps import Id, Steps
from tscript.late import dataclass, field
from tscript.types import Type

VECTORS = 4
"""Vectors of a wide tile."""

TILE_PARAMETERS = "ptr %ctx, ptr %task, i64 %column"


@dataclass(slots=True)
class ColumnSpec:
    """The computation of a loop over columns.

    Attributes:
        steps: The arithmetic.
        inputs: The arrays that are read, in the order of the task.
        outputs: Behind them, the arrays of results.
        of_column: Behind them, the arrays of results that have one element a column.
        scalars: Behind them, one cell each.
        reductions: Those that are needed.
        count: The number of rows.
        members: The values that operators of the group define, which may be stored.
        fixed: The inputs that have no rows.
        by_row: Of each value, whether it differs between rows; set by `plan_columns`.
        stages: Of each value, likewise.
        kept: By value that is stored, the number of the output that has it for a time.
    """

    steps: Steps
    inputs: tuple[Array, ...]
    outputs: tuple[Array, ...]
    of_column: tuple[Array, ...]
    scalars: tuple[Scalar, ...]
    reductions: tuple[Reduction, ...]
    count: Id
    members: frozenset[Id]
    fixed: frozenset[Id]
    by_row: list[bool] = field(default_factory=list)
    stages: list[int] = field(default_factory=list)
    kept: dict[Id, int] = field(default_factory=dict)

    @property
    def arrays(self) -> int:
        """How many there are in the task."""
        return len(self.inputs) + len(self.outputs) + len(self.of_column)

    @property
    def task_cells(self) -> int:
        """64-bit cells of the task."""
        return self.scalar_cell(len(self.scalars))

    def scalar_cell(self, index: int) -> int:
        """The first cell of a scalar, by its position in `scalars`."""
        return ARRAYS + 2 * self.arrays + sum(cells_of(s.type) for s in self.scalars[:index])

    @property
    def needed(self) -> set[Id]:
        """What the results are computed from."""
        results = [a.value for a in (*self.outputs, *self.of_column)]
        return needed_values(self.steps, self.reductions, results)

    def roots(self, stage: int) -> list[Id]:
        """What pass `stage` is run for."""
        found = dict.fromkeys(r.element for r in self.reductions if self.stages[r.element] == stage)
        found.update(dict.fromkeys(a.value for a in self.outputs if self.stages[a.value] == stage))
        found.update(dict.fromkeys(v for v in self.kept if self.stages[v] == stage))
        return list(found)


def plan_columns(spec: ColumnSpec) -> None:
    """Decide the stages and what is stored between passes."""
    steps, totals = spec.steps, {r.total: r for r in spec.reductions}
    read = {a.value for a in spec.inputs}
    for value in range(len(steps.types)):
        reduction, arguments = totals.get(value), steps.arguments(value)
        if reduction is not None:
            spec.stages.append(spec.stages[reduction.element] + 1)
            spec.by_row.append(False)
        else:
            spec.stages.append(max((spec.stages[a] for a in arguments), default=0))
            spec.by_row.append((value in read and value not in spec.fixed) or any(spec.by_row[a] for a in arguments))
    results = {a.value: number for number, a in enumerate(spec.outputs)}
    last = max((spec.stages[v] for v in (*results, *(r.element for r in spec.reductions))), default=0)
    taken = [[(spec.stages[a.value], last)] for a in spec.outputs]
    for stage in range(last, 0, -1):
        pending, seen = spec.roots(stage), set[Id]()
        while pending:
            value = pending.pop()
            if value in seen or value in read or not spec.by_row[value]:
                continue
            seen.add(value)
            since = spec.stages[value]
            if since < stage:
                if value in spec.kept:
                    continue
                place = results.get(value)
                cost = sum(1 for v in steps.needed((value,)) if spec.by_row[v] and v not in read)
                if place is None and value in spec.members and cost > CHEAP:
                    place = _place_for(spec, value, stage, taken)
                if place is not None and (cost > CHEAP):
                    spec.kept[value] = place
                    taken[place].append((since, stage))
                    continue
            pending.extend(steps.arguments(value))


def _place_for(spec: ColumnSpec, value: Id, until: int, taken: Sequence[list[tuple[int, int]]]) -> int | None:
    """The result where `value` may be until pass `until`, the last one that needs it."""
    since = spec.stages[value]
    for place, times in enumerate(taken):
        if spec.outputs[place].type == spec.steps.types[value]:
            if all(until <= first or last <= since for first, last in times):
                return place
    return None


def column_lanes(spec: ColumnSpec, target: Target) -> int:
    """Elements of one vector."""
    register, needed = target.vector_bits // 8, spec.needed
    inner = max((size_of(spec.steps.types[v]) for v in needed if spec.steps.varying[v]), default=1)
    outer = max((size_of(a.type) for a in (*spec.outputs, *(a for a in spec.inputs if a.value in needed))), default=1)
    return max(1, min(register // outer, 2 * register // inner, LANES))


def emit_column_loop(name: str, spec: ColumnSpec, target: Target, declarations: dict[str, str]) -> list[str]:
    """The loop over columns as internal LLVM functions; see the module.

    Args:
        name: Its symbol, with its sign.
        spec: Its computation, planned.
        target: Decides the vector width.
        declarations: Receives the module-level lines it needs.
    """
    lanes = column_lanes(spec, target)
    found = []
    for tile, vectors in ((f"{name}.wide", VECTORS), (f"{name}.narrow", 1)):
        text = Text(declarations, target.enabled)
        _TileEmitter(text, spec, lanes, vectors).emit()
        found.append(text.function(f"define internal void {tile}({TILE_PARAMETERS}) {target.attributes} noinline"))
    text = Text(declarations, target.enabled)
    _emit_range(text, name, lanes)
    return [*found, text.function(f"define internal i32 {name}({LOOP_PARAMETERS}) {target.attributes}")]


def _emit_range(text: Text, name: str, lanes: int) -> None:
    """The tiles of a range of units."""
    width = lanes * VECTORS
    columns = text.let(f"load i64, ptr {text.let(f'getelementptr i64, ptr %task, i64 {COLUMNS}')}")
    whole = text.let(f"udiv i64 {columns}, {width}")
    last = text.let(f"sub i64 {whole}, 1")

    def wide(unit: str) -> None:
        text.line(f"call void {name}.wide(ptr %ctx, ptr %task, i64 {text.let(f'mul i64 {unit}, {width}')})")

    text.declare_function("llvm.umin.i64", "i64", ["i64", "i64"])
    end = text.let(f"call i64 @llvm.umin.i64(i64 %end, i64 {whole})")
    repeat(text, "%begin", end, wide)
    ends, rest, done = text.let(f"icmp sgt i64 %end, {last}"), text.fresh_label("rest"), text.fresh_label("done")
    text.branch_if(ends, rest, done)
    text.label(rest)
    first = text.let(f"mul i64 {whole}, {width}")
    left = text.let(f"sub i64 {columns}, {first}")
    tiles = text.let(f"udiv i64 {text.let(f'add i64 {left}, {lanes - 1}')}, {lanes}")
    most = text.let(f"sub i64 {columns}, {lanes}")

    def narrow(tile: str) -> None:
        at = text.let(f"add i64 {first}, {text.let(f'mul i64 {tile}, {lanes}')}")
        at = text.let(f"call i64 @llvm.umin.i64(i64 {at}, i64 {most})")
        text.line(f"call void {name}.narrow(ptr %ctx, ptr %task, i64 {at})")

    repeat(text, "0", tiles, narrow)
    text.branch(done)
    text.label(done)
    text.terminate("ret i32 0")


def repeat(text: Text, start: str, end: str, body: Callable[[str], None]) -> None:
    """Write `body` for each i64 from `start` to `end`."""
    before, head, inside, out = text.block, *(text.fresh_label(n) for n in ("head", "inside", "out"))
    text.branch(head)
    text.label(head)
    index, after = text.fresh("i"), text.fresh("i")
    place = text.reserve()
    text.branch_if(text.let(f"icmp slt i64 {index}, {end}"), inside, out)
    text.label(inside)
    body(index)
    text.line(f"{after} = add i64 {index}, 1")
    text.fill(place, [f"{index} = phi i64 [ {start}, %{before} ], [ {after}, %{text.block} ]"])
    text.branch(head)
    text.label(out)


@final
class _TileEmitter:
    """Writes the passes over one tile.

    Attributes:
        known: Of each vector of the tile, what is known of its columns.
    """

    def __init__(self, text: Text, spec: ColumnSpec, lanes: int, vectors: int) -> None:
        self.text = text
        self.spec = spec
        self.lanes = lanes
        self.vectors = vectors
        self.needed = spec.needed
        self.known: list[dict[Id, str]] = []
        self.rows = ""
        self.bases: list[tuple[str, str]] = []
        self.totals: dict[Id, tuple[str, str]] = {}

    def cell(self, index: int, type: str) -> str:
        """Load a cell of the task."""
        return self.text.let(f"load {type}, ptr {self.text.let(f'getelementptr i64, ptr %task, i64 {index}')}")

    def emit(self) -> None:
        """Write the function's body."""
        text, spec, steps = self.text, self.spec, self.spec.steps
        self.rows = self.cell(ROWS, "i64")
        names = {spec.count: self.rows}
        for index, scalar in enumerate(spec.scalars):
            address = text.let(f"getelementptr i64, ptr %task, i64 {spec.scalar_cell(index)}")
            names[scalar.value] = load(text, scalar.type, address)
        arrays = (*spec.inputs, *spec.outputs, *spec.of_column)
        for k, array in enumerate(arrays):
            first = text.let(
                f"getelementptr {memory_type(array.type)}, ptr {self.cell(ARRAYS + 2 * k, 'ptr')}, i64 %column"
            )
            self.bases.append((first, self.cell(ARRAYS + 2 * k + 1, "i64")))
        steps.emit_scalars(text, self.needed, names)
        wanted = [a.value for a in (*spec.outputs, *spec.of_column)] + [r.element for r in spec.reductions]
        spread = steps.spread(text, self.needed, wanted, names, self.lanes)
        for v in range(self.vectors):
            known = dict(spread)
            for array, (base, _) in zip(spec.inputs, self.bases, strict=False):
                if array.value in spec.fixed and array.value in self.needed:
                    known[array.value] = load_vector(text, array.type, self.lanes, self.at(array.type, base, v), "")
            self.known.append(known)
        stages = 1 + max((spec.stages[v] for v in self.needed), default=0)
        for stage in range(stages):
            columns = {v for v in self.needed if spec.stages[v] <= stage and not spec.by_row[v]}
            for known in self.known:
                steps.emit_varying(text, columns, known, self.lanes)
            self.over_rows(stage)
        for k, array in enumerate(spec.of_column, len(spec.inputs) + len(spec.outputs)):
            for v, known in enumerate(self.known):
                place = self.at(array.type, self.bases[k][0], v)
                store_vector(text, array.type, self.lanes, known[array.value], place, "")
        text.terminate("ret void")

    def at(self, type: Type, base: str, vector: int, index: str = "") -> str:
        """The address of a vector of a tile; of the tile `index` behind it if given."""
        text = self.text
        if index:
            base = text.let(
                f"getelementptr {memory_type(type)}, ptr {base}, i64 "
                f"{text.let(f'mul i64 {index}, {self.lanes * self.vectors}')}"
            )
        return text.let(f"getelementptr {memory_type(type)}, ptr {base}, i64 {vector * self.lanes}") if vector else base

    def over_rows(self, stage: int) -> None:
        """A pass over all rows."""
        spec, text = self.spec, self.text
        roots = spec.roots(stage)
        if not roots:
            return
        reductions = [r for r in spec.reductions if spec.stages[r.element] == stage]
        work = _Pass(self, stage, reductions, roots)
        if not reductions:
            repeat(text, "0", self.rows, lambda row: work.row(row, ""))
            return
        work.blocks()


@final
class _Pass:
    """One pass over the rows of a tile.

    Attributes:
        loaded: What it loads: value, type, number of the array.
        computed: What it computes for each row.
        stored: What it stores, as `loaded`.
        lanes: Of each reduction, `LANES` tiles of partial results.
    """

    def __init__(self, tile: _TileEmitter, stage: int, reductions: Sequence[Reduction], roots: Sequence[Id]) -> None:
        self.tile = tile
        self.text = tile.text
        self.reductions = reductions
        spec = self.spec = tile.spec
        self.loaded: dict[Id, tuple[Type, int]] = {}
        self.computed: set[Id] = set()
        inputs = {a.value: (a.type, k) for k, a in enumerate(spec.inputs)}
        pending = list(roots)
        while pending:
            value = pending.pop()
            if value in self.computed or value in self.loaded or not spec.by_row[value]:
                continue
            if value in inputs:
                self.loaded[value] = inputs[value]
            elif value in spec.kept and spec.stages[value] < stage:
                self.loaded[value] = (spec.steps.types[value], len(spec.inputs) + spec.kept[value])
            else:
                self.computed.add(value)
                pending.extend(spec.steps.arguments(value))
        found = {(a.value, k): a.type for k, a in enumerate(spec.outputs) if spec.stages[a.value] == stage}
        found |= {(v, k): spec.steps.types[v] for v, k in spec.kept.items() if spec.stages[v] == stage}
        self.stored = [(value, type, len(spec.inputs) + k) for (value, k), type in found.items()]
        self.combines = [Combine(r.combine) for r in reductions]
        self.lanes = [self.memory(r.type, LANES) for r in reductions]

    def memory(self, type: Type, tiles: int) -> str:
        """Memory for so many tiles."""
        size = tiles * self.tile.lanes * self.tile.vectors
        return self.text.alloca(f"[{size} x {memory_type(type)}], align 64", "tiles")

    def row(self, row: str, lane: str) -> None:
        """Compute one row; `lane` is where its elements are combined."""
        text, tile, lanes = self.text, self.tile, self.tile.lanes
        places = {
            k: text.let(
                f"getelementptr i8, ptr {tile.bases[k][0]}, i64 {text.let(f'mul i64 {row}, {tile.bases[k][1]}')}"
            )
            for k in sorted({k for _, k in self.loaded.values()} | {k for _, _, k in self.stored})
        }
        for v, known in enumerate(tile.known):
            names = dict(known)
            for value, (type, k) in self.loaded.items():
                names[value] = load_vector(text, type, lanes, tile.at(type, places[k], v), "")
            self.spec.steps.emit_varying(text, self.computed, names, lanes)
            for value, type, k in self.stored:
                store_vector(text, type, lanes, names[value], tile.at(type, places[k], v), "")
            for reduction, combine, memory in zip(self.reductions, self.combines, self.lanes, strict=True):
                self.fold(reduction.type, combine, tile.at(reduction.type, memory, v, lane), names[reduction.element])

    def fold(self, type: Type, combine: Combine, place: str, value: str) -> None:
        """Combine what is at `place` with what comes later."""
        own = load_vector(self.text, type, self.tile.lanes, place, "")
        store_vector(self.text, type, self.tile.lanes, combine.emit(self.text, own, value, self.tile.lanes), place, "")

    def fold_tiles(self, type: Type, combine: Combine, first: str, second: str, to: str) -> None:
        """The tile at `to` becomes the one at `first` combined with the one at `second`."""
        tile, text = self.tile, self.text
        for v in range(tile.vectors):
            a, b = (load_vector(text, type, tile.lanes, tile.at(type, p, v), "") for p in (first, second))
            found = combine.emit(text, a, b, tile.lanes)
            store_vector(text, type, tile.lanes, found, tile.at(type, to, v), "")

    def blocks(self) -> None:
        """Combine all rows, block by block."""
        text, tile, rows = self.text, self.tile, self.tile.rows
        levels = [self.memory(r.type, LEVELS) for r in self.reductions]
        every = list(zip(self.reductions, self.combines, self.lanes, levels, strict=True))
        text.declare_function("llvm.smin.i64", "i64", ["i64", "i64"])
        before, block, more, done = text.block, *(text.fresh_label(n) for n in ("block", "more", "total"))
        text.branch(block)
        text.label(block)
        at, next_, number, following = (text.fresh(n) for n in ("at", "at", "number", "number"))
        place = text.reserve()
        length = text.let(f"call i64 @llvm.smin.i64(i64 {text.let(f'sub i64 {rows}, {at}')}, i64 {BLOCK})")
        count = text.let(f"call i64 @llvm.smin.i64(i64 {length}, i64 {LANES})")

        def begin(lane: str) -> None:
            for reduction, _, memory, _ in every:
                start = self.spec.steps.constant_text(reduction.start, tile.lanes)
                assert start is not None
                for v in range(tile.vectors):
                    store_vector(text, reduction.type, tile.lanes, start, tile.at(reduction.type, memory, v, lane), "")

        repeat(text, "0", count, begin)
        repeat(
            text,
            "0",
            length,
            lambda j: self.row(text.let(f"add i64 {at}, {j}"), text.let(f"and i64 {j}, {LANES - 1}")),
        )
        self.combine_pairs(every, text.let(f"and i64 {count}, -2"), 1)
        half = LANES // 2
        while half > 1:
            behind = text.let(f"sub i64 {count}, {half}")
            self.combine_pairs(every, text.let(f"call i64 @llvm.smin.i64(i64 {behind}, i64 {half})"), half)
            half //= 2
        text.line(f"{next_} = add i64 {at}, {length}")
        text.line(f"{following} = add i64 {number}, 1")
        text.branch_if(text.let(f"icmp slt i64 {next_}, {rows}"), more, done)
        text.label(more)
        for reduction, combine, memory, own in every:
            self.push(reduction.type, combine, memory, own, number)
        text.fill(
            place,
            [
                f"{at} = phi i64 [ 0, %{before} ], [ {next_}, %{text.block} ]",
                f"{number} = phi i64 [ 0, %{before} ], [ {following}, %{text.block} ]",
            ],
        )
        text.branch(block)
        text.label(done)
        for reduction, combine, memory, own in every:
            self.total(reduction.type, combine, memory, own, number)
            for v, known in enumerate(tile.known):
                place_of = tile.at(reduction.type, memory, v)
                known[reduction.total] = load_vector(text, reduction.type, tile.lanes, place_of, "")

    def combine_pairs(self, every: Sequence[tuple[Reduction, Combine, str, str]], end: str, distance: int) -> None:
        """Combine every other lane before `end` with the one `distance` lanes behind it."""
        text, tile = self.text, self.tile

        def pair(number: str) -> None:
            lane = text.let(f"shl i64 {number}, 1")
            other = text.let(f"add i64 {lane}, {distance}")
            for reduction, combine, memory, _ in every:
                first, second = (tile.at(reduction.type, memory, 0, i) for i in (lane, other))
                self.fold_tiles(reduction.type, combine, first, second, first)

        pairs = text.let(f"ashr i64 {text.let(f'add i64 {end}, 1')}, 1")
        repeat(text, "0", pairs, pair)

    def push(self, type: Type, combine: Combine, value: str, levels: str, number: str) -> None:
        """Add the tile at `value`, the result of block `number`, to the partial results, as a binary counter counts."""
        text, tile = self.text, self.tile
        text.declare_function("llvm.cttz.i64", "i64", ["i64", "i1"])
        ones = text.let(f"call i64 @llvm.cttz.i64(i64 {text.let(f'xor i64 {number}, -1')}, i1 false)")

        def merge(level: str) -> None:
            self.fold_tiles(type, combine, tile.at(type, levels, 0, level), value, value)

        repeat(text, "0", ones, merge)
        to = tile.at(type, levels, 0, ones)
        for v in range(tile.vectors):
            found = load_vector(text, type, tile.lanes, tile.at(type, value, v), "")
            store_vector(text, type, tile.lanes, found, tile.at(type, to, v), "")

    def total(self, type: Type, combine: Combine, value: str, levels: str, number: str) -> None:
        """Combine the tile at `value`, the result of the last block, with the partial results of the `number` blocks
        before it."""
        text, tile = self.text, self.tile

        def merge(level: str) -> None:
            some, skip = text.fresh_label("some"), text.fresh_label("none")
            bit = text.let(f"trunc i64 {text.let(f'lshr i64 {number}, {level}')} to i1")
            text.branch_if(bit, some, skip)
            text.label(some)
            self.fold_tiles(type, combine, tile.at(type, levels, 0, level), value, value)
            text.branch(skip)
            text.label(skip)

        any_, done = text.fresh_label("levels"), text.fresh_label("known")
        text.branch_if(text.let(f"icmp eq i64 {number}, 0"), done, any_)
        text.label(any_)
        repeat(text, "0", str(LEVELS), merge)
        text.branch(done)
        text.label(done)
