"""The inner loop of a fused group: the arithmetic of one element (`Steps`) over vectors.

`emit_loop` writes the loop as a function of its own, ``i32 (ptr context, ptr task, i64 begin, i64 end)``, so that
elements can be divided among threads (``ts_parallel_v1``). See `tscript.abi.rows` for the task. The body stands there
once: it runs over whole vectors, then once more over the rest. Where the target has masked moves, the rest is a matter
of the mask; elsewhere it is moved through vectors on the stack.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from tscript.backend.llvm.machine import load
from tscript.backend.llvm.target import Target
from tscript.backend.llvm.text import Text
from tscript.backend.llvm.types import alignment, both_parts, intrinsic_suffix, literal, llvm_type, memory_type, splat
from tscript.backend.nodes.steps import Id, Steps
from tscript.late import dataclass
from tscript.types import BOOL, I32, Type, dtype_of

LOOP_PARAMETERS = "ptr %ctx, ptr %task, i64 %begin, i64 %end"
"""Of a loop."""

GRAIN = 10_000
"""Nanoseconds of work that are worth another thread."""


@dataclass(frozen=True, slots=True)
class Array:
    """An array of the loop: its element type and, of an input, the value that its elements are; of an output, the value
    that is stored."""

    type: Type
    value: Id


@dataclass(frozen=True, slots=True)
class Scalar:
    """A scalar of the task: a type and the value it is."""

    type: Type
    value: Id


@dataclass(frozen=True, slots=True)
class LoopSpec:
    """The computation of a loop.

    Attributes:
        steps: The arithmetic.
        inputs, outputs: The arrays, in the order of the task.
        scalars: The cells of the task behind the arrays.
    """

    steps: Steps
    inputs: tuple[Array, ...]
    outputs: tuple[Array, ...]
    scalars: tuple[Scalar, ...]

    @property
    def needed(self) -> set[Id]:
        """The values that are computed."""
        return self.steps.needed(a.value for a in self.outputs)

    @property
    def task_cells(self) -> int:
        """64-bit cells of the task."""
        return self.scalar_cell(len(self.scalars))

    def scalar_cell(self, index: int) -> int:
        """The first cell of a scalar, by its position in `scalars`."""
        return 2 * (len(self.inputs) + len(self.outputs)) + sum(cells_of(s.type) for s in self.scalars[:index])


def size_of(type: Type) -> int:
    """Bytes of one element."""
    dtype = dtype_of(type)
    assert dtype is not None
    return dtype.itemsize


def cells_of(type: Type) -> int:
    """64-bit cells of a scalar."""
    return 1 + (size_of(type) > 8)


def lanes_for(spec: LoopSpec, target: Target) -> int:
    """Elements of one vector: as many of the widest type among the arrays as a register of `target` holds, or half of
    that where values in between are so wide that they would take four registers."""
    register = target.vector_bits // 8
    steps, needed = spec.steps, spec.needed
    inner = max((size_of(steps.types[v]) for v in needed), default=1)
    outer = max((size_of(a.type) for a in (*spec.outputs, *(a for a in spec.inputs if a.value in needed))), default=1)
    return min(register // outer, 2 * register // inner)


def grain_of(spec: LoopSpec, target: Target) -> int:
    """How many elements take some ten microseconds."""
    needed = spec.needed
    moved = sum(size_of(a.type) for a in (*spec.outputs, *(a for a in spec.inputs if a.value in needed)))
    return grain_for(len(needed), lanes_for(spec, target), moved)


def grain_for(steps: int, lanes: int, moved: int) -> int:
    """How many elements take some ten microseconds: a power of two. As measured, each step takes a sixth of a
    nanosecond for a vector, and each byte an eightieth.

    Args:
        steps: Of the arithmetic.
        lanes: Elements of a vector.
        moved: Bytes that are loaded and stored for an element.
    """
    one = steps / (6 * lanes) + moved / 80
    if not one:  # there are only shapes to check
        return 1 << 16
    return 1 << max(8, min(16, round(math.log2(GRAIN / one))))


def has_masked_moves(target: Target) -> bool:
    """Whether vectors of every element type can be loaded and stored under a mask in one instruction."""
    return {"avx512bw", "avx512vl"} <= target.enabled


def emit_loop(name: str, spec: LoopSpec, target: Target, declarations: dict[str, str]) -> str:
    """The loop as an internal LLVM function.

    Args:
        name: Its symbol, with its sign.
        spec: Its computation.
        target: Decides the vector width and how the rest is handled.
        declarations: Receives the module-level lines it needs.
    """
    text = Text(declarations, target.enabled)
    _LoopEmitter(text, spec, lanes_for(spec, target), has_masked_moves(target)).emit()
    return text.function(f"define internal i32 {name}({LOOP_PARAMETERS}) {target.attributes}")


class _LoopEmitter:
    """Writes one loop.

    Blocks: ``entry`` → ``loop`` (again and again) → ``after`` → ``rest`` → ``loop`` (once) → ``after`` → ``done``. The
    addresses, the count of elements left in this pass, the elements left for the second pass and the mask are phis.
    """

    def __init__(self, text: Text, spec: LoopSpec, lanes: int, masked: bool) -> None:
        self.text = text
        self.spec = spec
        self.lanes = lanes
        self.masked = masked
        needed = spec.needed
        self.needed = needed
        self.arrays = [(2 * k, a) for k, a in enumerate(spec.inputs) if a.value in needed]
        first_output = 2 * len(spec.inputs)
        self.outputs = [(first_output + 2 * k, a) for k, a in enumerate(spec.outputs)]

    def cell(self, index: int, type: str) -> str:
        """Load a cell of the task."""
        text = self.text
        address = text.let(f"getelementptr i64, ptr %task, i64 {index}") if index else "%task"
        return text.let(f"load {type}, ptr {address}")

    def emit(self) -> None:
        """Write the function's body."""
        text, spec, steps, lanes = self.text, self.spec, self.spec.steps, self.lanes
        moving = [*self.arrays, *self.outputs]
        bases, strides = [], []
        for cell, array in moving:
            base = self.cell(cell, "ptr")
            mask = self.cell(cell + 1, "i64")
            first = text.let(f"and i64 %begin, {mask}")
            bases.append(text.let(f"getelementptr {memory_type(array.type)}, ptr {base}, i64 {first}"))
            strides.append(text.let(f"and i64 {mask}, {lanes * size_of(array.type)}"))
        scalars: dict[Id, str] = {}
        for index, scalar in enumerate(spec.scalars):
            if scalar.value in self.needed:
                scalars[scalar.value] = self._scalar(spec.scalar_cell(index), scalar.type)
        steps.emit_scalars(text, self.needed, scalars)
        vectors = steps.spread(text, self.needed, (a.value for a in spec.outputs), scalars, lanes)
        total = text.let("sub i64 %end, %begin")
        whole = text.let(f"and i64 {total}, {-lanes}")
        remaining = text.let(f"and i64 {total}, {lanes - 1}")
        none = text.let(f"icmp eq i64 {whole}, 0")
        buffers = [] if self.masked else [self._buffer(array) for _, array in moving]
        places = [] if self.masked else [text.alloca("ptr", "place") for _ in self.outputs]
        start = text.block
        text.branch_if(none, "rest", "loop")

        text.label("loop")
        phis = text.reserve()
        pointers = [text.fresh("p") for _ in moving]
        left, second, mask = text.fresh("left"), text.fresh("second"), text.fresh("mask")
        names = dict(vectors)
        for (_, array), pointer in zip(self.arrays, pointers, strict=False):
            names[array.value] = load_vector(text, array.type, lanes, pointer, mask if self.masked else "")
        steps.emit_varying(text, self.needed, names, lanes)
        for (_, array), pointer in zip(self.outputs, pointers[len(self.arrays) :], strict=True):
            store_vector(text, array.type, lanes, names[array.value], pointer, mask if self.masked else "")
        following = [text.let(f"getelementptr i8, ptr {p}, i64 {s}") for p, s in zip(pointers, strides, strict=True)]
        left_after = text.let(f"sub i64 {left}, {lanes}")
        again = text.let(f"icmp sgt i64 {left_after}, 0")
        end = text.block
        text.branch_if(again, "loop", "after")

        text.label("after")
        more = text.let(f"icmp sgt i64 {second}, 0")
        text.branch_if(more, "rest", "done" if self.masked else "finished")

        text.label("rest")
        at_rest = [
            text.let(f"phi ptr [ {base}, %{start} ], [ {next_}, %after ]")
            for base, next_ in zip(bases, following, strict=True)
        ]
        none_left = text.let(f"icmp eq i64 {remaining}, 0")
        text.branch_if(none_left, "done", "last")

        text.label("last")
        condition = llvm_type(BOOL, lanes)
        if self.masked:
            rest_mask = tail_mask(text, remaining, lanes)
            rest_pointers = at_rest
        else:
            rest_mask = ""
            rest_pointers = buffers
            split = len(self.arrays)
            for saved, pointer in zip(places, at_rest[split:], strict=True):
                text.line(f"store ptr {pointer}, ptr {saved}")
            types = [a.type for _, a in self.arrays]
            copy_elements(text, "fill", types, buffers[:split], at_rest[:split], remaining)
        last = text.block
        text.branch("loop")

        lines = [
            f"{p} = phi ptr [ {b}, %{start} ], [ {f}, %{end} ], [ {r}, %{last} ]"
            for p, b, f, r in zip(pointers, bases, following, rest_pointers, strict=True)
        ]
        lines.append(f"{left} = phi i64 [ {whole}, %{start} ], [ {left_after}, %{end} ], [ {lanes}, %{last} ]")
        lines.append(f"{second} = phi i64 [ {remaining}, %{start} ], [ {second}, %{end} ], [ -1, %{last} ]")
        if self.masked:
            full = literal(True, BOOL, lanes)
            lines.append(f"{mask} = phi {condition} [ {full}, %{start} ], [ {mask}, %{end} ], [ {rest_mask}, %{last} ]")
        text.fill(phis, lines)

        if not self.masked:
            text.label("finished")
            no_flush = text.let(f"icmp eq i64 {second}, 0")
            text.branch_if(no_flush, "done", "flush")
            text.label("flush")
            types = [a.type for _, a in self.outputs]
            targets = [text.let(f"load ptr, ptr {place}") for place in places]
            copy_elements(text, "empty", types, targets, buffers[len(self.arrays) :], remaining)
            text.branch("done")

        text.label("done")
        text.terminate("ret i32 0")

    def _scalar(self, cell: int, type: Type) -> str:
        text = self.text
        return load(text, type, text.let(f"getelementptr i64, ptr %task, i64 {cell}"))

    def _buffer(self, array: Array) -> str:
        vector = memory_type(array.type, self.lanes)
        return self.text.alloca(vector, "rest", "zeroinitializer")


def load_vector(text: Text, type: Type, lanes: int, pointer: str, mask: str) -> str:
    """Load `lanes` elements, those under `mask` if it is not empty; the others are zero."""
    vector, size = memory_type(type, lanes), alignment(type)
    if mask:
        mask, condition = _mask_of(text, type, mask, lanes)
        suffix = f"{intrinsic_suffix(type, lanes)}.p0"
        text.declare_function(f"llvm.masked.load.{suffix}", vector, ["ptr", condition, vector])
        value = text.let(
            f"call {vector} @llvm.masked.load.{suffix}"
            f"(ptr align {size} {pointer}, {condition} {mask}, {vector} zeroinitializer)"
        )
    else:
        value = text.let(f"load {vector}, ptr {pointer}, align {size}")
    return text.let(f"icmp ne {vector} {value}, zeroinitializer") if type == BOOL else value


def store_vector(text: Text, type: Type, lanes: int, value: str, pointer: str, mask: str) -> None:
    """Store `lanes` elements, those under `mask` if it is not empty."""
    vector, size = memory_type(type, lanes), alignment(type)
    if type == BOOL:
        value = text.let(f"zext {llvm_type(BOOL, lanes)} {value} to {vector}")
    if mask:
        mask, condition = _mask_of(text, type, mask, lanes)
        suffix = f"{intrinsic_suffix(type, lanes)}.p0"
        text.declare_function(f"llvm.masked.store.{suffix}", "void", [vector, "ptr", condition])
        text.line(
            f"call void @llvm.masked.store.{suffix}({vector} {value}, ptr align {size} {pointer}, {condition} {mask})"
        )
    else:
        text.line(f"store {vector} {value}, ptr {pointer}, align {size}")


def _mask_of(text: Text, type: Type, mask: str, lanes: int) -> tuple[str, str]:
    """A mask of `lanes` elements as one of what their vector holds, and its type."""
    dtype = dtype_of(type)
    if dtype is not None and dtype.is_complex:
        return both_parts(text, mask, lanes), f"<{2 * lanes} x i1>"
    return mask, llvm_type(BOOL, lanes)


def copy_elements(
    text: Text, name: str, types: Sequence[Type], to: Sequence[str], source: Sequence[str], count: str
) -> None:
    """Copy `count` elements, at least one, of each array."""
    before, block, following = text.block, text.fresh_label(name), text.fresh_label("next")
    text.branch(block)
    text.label(block)
    index, after = text.fresh("i"), text.fresh("i")
    text.line(f"{index} = phi i64 [ 0, %{before} ], [ {after}, %{block} ]")
    for type, target, origin in zip(types, to, source, strict=True):
        element = memory_type(type)
        from_ = text.let(f"getelementptr {element}, ptr {origin}, i64 {index}")
        value = text.let(f"load {element}, ptr {from_}, align {alignment(type)}")
        place = text.let(f"getelementptr {element}, ptr {target}, i64 {index}")
        text.line(f"store {element} {value}, ptr {place}, align {alignment(type)}")
    text.line(f"{after} = add i64 {index}, 1")
    more = text.let(f"icmp slt i64 {after}, {count}")
    text.branch_if(more, block, following)
    text.label(following)


def tail_mask(text: Text, rest: str, lanes: int, first: int = 0) -> str:
    """The mask of the lanes, numbered from `first`, below `rest`, an i64."""
    numbers = ", ".join(f"i32 {first + i}" for i in range(lanes))
    short = text.let(f"trunc i64 {rest} to i32")
    return text.let(f"icmp ult <{lanes} x i32> <{numbers}>, {splat(text, short, I32, lanes)}")
