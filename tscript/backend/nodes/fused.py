"""Fused groups: a chain of pointwise operators as one native function that allocates its results and runs one loop.

`analyse` reads a `Fused` node: which inputs are arrays, which are scalars, and the arithmetic of one element (`Steps`).
`emit_group` writes up to three functions:

- ``name``: the group by the ordinary native convention. If all arrays may have one rank, it tests in a few instructions
  whether they are contiguous and have one shape. Then it allocates the results and runs the loop once over all
  elements.
- ``name.any``: everything else. Kernels broadcast the shapes (member by member, so that an error names the operator
  whose operands do not match), separate memory that an in-place operator writes from memory that it reads, and run the
  same loop over the arrays; see `tscript.abi.rows`.
- ``name.loop``: the loop (`tscript.backend.nodes.loops`).

Groups with reductions are `tscript.backend.nodes.fused_rows` and `fused_columns`.

A rank that is not known at compile time is read when the group runs: by the test, and to make the plan of `any`. A
group of 0-d tensors is straight-line code. In-place operators write to the memory of their first operand. There is at
most one in a group, it comes last, and all arrays are its inputs, so every element is read before it is written.
"""

from __future__ import annotations

from collections.abc import Sequence

from tscript.abi import rows, symbols
from tscript.abi.layout import CONTEXT, MAX_ERROR_ARGS, STORAGE, STORAGE_READONLY, TENSOR_CONTIGUOUS, TENSOR_STRUCT
from tscript.abi.status import Status
from tscript.backend.llvm.constants import Constants
from tscript.backend.llvm.machine import store
from tscript.backend.llvm.target import Target
from tscript.backend.llvm.text import Text
from tscript.backend.nodes.bodies import BodyLibrary
from tscript.backend.nodes.fused_body import FusedBody
from tscript.backend.nodes.fused_columns import emit_column_group
from tscript.backend.nodes.fused_group import Group, Input, analyse, element_of, known_dtype
from tscript.backend.nodes.fused_rows import emit_row_group
from tscript.backend.nodes.loops import Array, LoopSpec, Scalar, emit_loop, grain_of, lanes_for, size_of
from tscript.backend.nodes.steps import Id
from tscript.definitions.array_errors import NOT_ASSIGNED, NOT_STORED, not_broadcast
from tscript.definitions.values import stored_message
from tscript.ir.graph import Fused, Value
from tscript.once import once
from tscript.types import ArrayType, TensorType, machine_type

BROADCAST = "The size of tensor a ({0}) must match the size of tensor b ({1}) at non-singleton dimension {2}"

LIKELY = ', !prof !{!"branch_weights", i32 2000, i32 1}'
UNLIKELY = ', !prof !{!"branch_weights", i32 1, i32 2000}'


def emit_group(
    name: str, node: Fused, bodies: BodyLibrary, target: Target, constants: Constants, declarations: dict[str, str]
) -> list[str]:
    """The functions of a fused group, as LLVM text.

    Args:
        name: Symbol of the group with its sign, not quoted. Its parameters are ``ptr %ctx``, the native values of the
            node's inputs, and an out pointer for each output; the tensors it gives are owned by the caller.
        node: The group; dtypes of its tensors are known.
        bodies: Bodies of the members.
        target: What the code is made for.
        constants: Receives the places of errors.
        declarations: Receives the module-level lines, by symbol.

    Raises:
        InternalError: See `analyse`.
    """
    group = analyse(node, bodies)
    if group.leading:
        return emit_column_group(name, group, target, constants, declarations)
    if group.reductions:
        return emit_row_group(name, group, target, constants, declarations)
    emitter = Emitter(name, group, target, constants, declarations)
    return emitter.functions()


class Emitter:
    """Writes the functions of one group."""

    def __init__(
        self, name: str, group: Group, target: Target, constants: Constants, declarations: dict[str, str]
    ) -> None:
        self.name = name
        self.group = group
        self.target = target
        self.constants = constants
        self.declarations = declarations
        arrays = group.arrays
        scalars = [i for i in group.distinct_inputs if i.rank == 0]
        stored = [Array(machine_type(known_dtype(o.type)), o.element) for o in group.allocated]
        if group.written is not None and group.rank != 0:
            written, _, element = group.written
            stored.append(Array(element_of(written), element))
        needed = group.steps.needed(a.value for a in stored)
        self.read = [a for a in arrays if a.value in needed]
        self.spec = LoopSpec(
            group.steps,
            tuple(Array(element_of(a), a.value) for a in self.read),
            tuple(stored),
            tuple(Scalar(element_of(s), s.value) for s in scalars if s.value in needed),
        )
        self.scalars = [s for s in scalars if s.value in needed]
        ranks = {r for r in (*(a.rank for a in group.shaped), *(o.type.rank for o in group.allocated)) if r is not None}
        self.may_be_flat = len(ranks) <= 1 and 0 not in ranks and not group.stores_other_rank

    def functions(self) -> list[str]:
        """All of them."""
        if self.group.rank == 0:
            return [self.zero_dimensional()]
        entry = self.flat() if self.may_be_flat else self.never_flat()
        return [self.loop(), self.some_units(), self.any_layout(), entry]

    @property
    def head(self) -> str:
        """Parameters of the group."""
        outs = [f"ptr %out{i}" for i in range(len(self.group.outputs))]
        return ", ".join(["ptr %ctx", *self.group.parameters, *outs])

    def loop(self) -> str:
        """The loop."""
        return emit_loop(f"{self.name}.loop", self.spec, self.target, self.declarations)

    def flat(self) -> str:
        """The entry: all work if the arrays are contiguous and have one shape."""
        body = Body(self)
        text, group = body.text, self.group
        arrays = group.arrays
        leading = group.written[0] if group.written is not None else arrays[0]
        datas = {a.name: body.field(a.name, "data", "ptr") for a in arrays}
        numel = body.field(leading.name, "numel", "i64")
        condition = body.all_flat(arrays, leading)
        if group.written is not None:
            condition = body.all_separate(condition, datas, numel)
        text.terminate(f"br i1 {condition}, label %flat, label %other{LIKELY}")
        text.label("other")
        text.terminate(f"ret i32 {text.let(self.call_of_any)}")
        text.label("flat")
        sizes = body.at(leading.name, TENSOR_STRUCT.size)
        rank = body.rank(leading)
        for output in group.allocated:
            body.allocate(output, rank, sizes, body.replaced(output))
        task = body.task()
        stored = [body.field(body.made[o.value], "data", "ptr") for o in group.allocated]
        if group.written is not None:
            stored.append(datas[leading.name])
        for number, pointer in enumerate([*(datas[a.name] for a in self.read), *stored]):
            text.line(f"store ptr {pointer}, ptr {body.at(task, 16 * number)}")
            text.line(f"store i64 -1, ptr {body.at(task, 16 * number + 8)}")
        body.run(task, numel)
        body.finish()
        return text.function(f"define internal i32 {self.name}({self.head}) {self.target.attributes}")

    @property
    def call_of_any(self) -> str:
        """The call of `any_layout` with the arguments of the group."""
        return f"call i32 {self.name}.any({self.head}, ptr {self.name}.loop, ptr {self.name}.some)"

    def never_flat(self) -> str:
        """The entry if nothing is to be tested."""
        text = Text(self.declarations)
        text.terminate(f"ret i32 {text.let(self.call_of_any)}")
        return text.function(f"define internal i32 {self.name}({self.head}) {self.target.attributes}")

    def any_layout(self) -> str:
        """All work for any shapes, strides and overlaps. The loop, and `some_units`, are arguments, so the code of
        groups that differ in their arithmetic alone is the same, and is in the native library once."""
        body = Body(self)
        text, group = body.text, self.group
        written = group.written[0] if group.written is not None else None
        same_shape = written is not None and group.members[-1].same_shape
        if written is not None and not same_shape:
            body.check_written(written)
        shapes = len(group.shaped) + len(group.members)
        arrays = len(self.spec.inputs) + len(self.spec.outputs)
        program = self.program
        plan = body.plan(shapes, arrays)
        found = body.table([a.name for a in group.shaped])
        site = body.call_for_int("broadcast_members", [f"ptr {program}", f"ptr {plan}", f"ptr {found}"])
        body.raise_at(site, program, plan)
        if written is not None and same_shape:
            body.check_written(written)
        names = {a.name: a.name for a in group.arrays}
        for array in self.read:
            if written is not None and array is not written:
                names[array.name] = body.separated(written, array)
        for output in group.allocated:
            rank, sizes = body.shape(plan, self.shape_number(output.value))
            body.allocate(output, rank, sizes, body.replaced(output))
        task = body.task()
        stored = [body.made[o.value] for o in group.allocated]
        if written is not None:
            stored.append(written.name)
        moved = body.table([*(names[a.name] for a in self.read), *stored])
        if written is not None and not group.allocated:
            body.delay(written, moved, len(self.read), plan)
        buffers = text.alloca(f"[{arrays * rows.BLOCK_BYTES} x i8], align 64", "buffers")
        begin = [f"ptr {program}", f"ptr {plan}", f"ptr {moved}", f"ptr {task}", f"ptr {buffers}"]
        body.call_surely("rows_begin", begin)
        divided, alone, done = (text.fresh_label(n) for n in ("divided", "alone", "done"))
        units = body.call_for_int("rows_parts", [f"ptr {plan}"])
        text.branch_if(text.let(f"icmp sge i64 {units}, {2 * rows.UNITS}"), divided, alone)
        text.label(divided)
        shared = text.alloca(f"[{rows.SHARED_HEAD} x i64], align 16", "shared")
        lengths = (f"i64 {body.plan_cells}", f"i64 {self.spec.task_cells}")
        for number, cell in enumerate((f"ptr {plan}", f"ptr {task}", *lengths)):
            text.line(f"store {cell}, ptr {body.at(shared, 8 * number)}")
        given = ["ptr %some", f"ptr {shared}", f"i64 {units}", f"i64 {rows.UNITS}"]
        body.call_surely("parallel", given)
        text.branch(done)
        text.label(alone)
        self.walk(body, program, plan, task, "%loop")
        text.branch(done)
        text.label(done)
        body.finish()
        # Not optimised, which would take a third of the compilation: the kernels do its work.
        head = f"{self.head}, ptr %loop, ptr %some"
        return text.function(f"define internal i32 {self.name}.any({head}) {self.target.attributes} noinline optnone")

    def walk(self, body: Body, program: str, plan: str, task: str, loop: str) -> None:
        """Run the loop for one run after the other."""
        text = body.text
        step, run, finished = (text.fresh_label(n) for n in ("step", "run", "finished"))
        text.branch(step)
        text.label(step)
        n = body.call_for_int("rows_next", [f"ptr {program}", f"ptr {plan}", f"ptr {task}"])
        text.branch_if(text.let(f"icmp eq i64 {n}, 0"), finished, run)
        text.label(run)
        text.line(f"call i32 {loop}(ptr %ctx, ptr {task}, i64 0, i64 {n})")
        text.branch(step)
        text.label(finished)

    def some_units(self) -> str:
        """What `any_layout` runs on several threads, ``i32 (ptr context, ptr shared, i64 begin, i64 end)``: some units,
        with a plan, a task and buffers of its own."""
        body = Body(self)
        text, arrays = body.text, len(self.spec.inputs) + len(self.spec.outputs)
        cells = text.let(f"load i64, ptr {body.at('%shared', 8 * rows.SHARED_CELLS)}")
        plan = text.let(f"alloca i64, i64 {cells}, align 16", "plan")
        own = text.alloca(f"[{max(1, self.spec.task_cells)} x i64], align 16", "task")
        buffers = text.alloca(f"[{arrays * rows.BLOCK_BYTES} x i8], align 64", "buffers")
        program = self.program
        entered = [f"ptr {program}", "ptr %shared", f"ptr {plan}", f"ptr {own}", f"ptr {buffers}"]
        body.call_surely("rows_enter", [*entered, "i64 %begin", "i64 %end"])
        self.walk(body, program, plan, own, f"{self.name}.loop")
        text.terminate("ret i32 0")
        head = "ptr %ctx, ptr %shared, i64 %begin, i64 %end"
        return text.function(f"define internal i32 {self.name}.some({head}) {self.target.attributes} noinline optnone")

    def shape_number(self, value: Value) -> int:
        """The number of the shape of an operand with dimensions, or of a member, in the program."""
        shaped = self.group.shaped
        given = self.group.inputs.get(value)
        if given is not None:
            return shaped.index(given)
        return len(shaped) + next(i for i, m in enumerate(self.group.members) if m.node.output is value)

    @once
    def program(self) -> str:
        """Symbol of the group's program (`tscript.abi.rows`)."""
        group = self.group
        cells = [0] * rows.FIRST_MEMBER
        cells[rows.TENSORS] = len(group.shaped)
        cells[rows.MEMBERS] = len(group.members)
        cells[rows.INPUTS] = len(self.spec.inputs)
        cells[rows.ARRAYS] = len(self.spec.inputs) + len(self.spec.outputs)
        cells[rows.REPEAT] = lanes_for(self.spec, self.target)
        cells[rows.WRITTEN] = -1 if group.written is None else group.shaped.index(group.written[0])
        for member in group.members:
            shaped = [o for o in member.broadcast if isinstance(o.type, TensorType) and o.type.rank != 0]
            cells += [len(shaped), *map(self.shape_number, shaped)]
        return self.constant("program", "i64", [str(c) for c in cells])

    def sites(self) -> str:
        """Symbol of the table of places where shapes can be refused, as `broadcast_members` numbers them."""
        group, constants = self.group, self.constants
        table = [constants.site(m.node.span, "RuntimeError", BROADCAST) for m in group.members]
        if group.written is not None and self.stored_ranks is not None:
            own, stored = self.stored_ranks
            places = [f"{{{i}}}" for i in range(own + stored)]
            said = stored_message(places[:own], places[own:], group.members[-1].same_shape)
            table.append(constants.site(group.written[1].span, "RuntimeError", said))
        return self.constant("sites", "ptr", table)

    def places(self) -> str:
        """Symbol of the table of the members' places, then that of what is written."""
        nodes = [member.node for member in self.group.members]
        table = [self.constants.site(node.span) for node in (*nodes, nodes[-1])]
        return self.constant("places", "ptr", table)

    def array_refusals(self) -> list[tuple[str, list[int]]]:
        """What is said of the shapes of arrays that do not go together, and which shapes; empty for tensors: of each
        member, then of what is written in place."""
        found: list[tuple[str, list[int]]] = []
        for member in self.group.members:
            shapes = [self.shown_shape(o) for o in member.shown]
            if not member.is_of_arrays:
                found.append(("", []))
            elif member.rule.assigns:
                found.append((NOT_ASSIGNED, [*shapes[:0:-1], shapes[0]]))
            else:
                shapes += shapes[:1] if member.rule.in_place else []
                found.append((not_broadcast(len(shapes)), shapes))
        last = self.group.members[-1]
        if self.group.written is not None and last.is_of_arrays:
            made, own = len(self.group.shaped) + len(self.group.members) - 1, self.shown_shape(last.operands[0])
            found.append(found[-1] if last.rule.assigns else (NOT_STORED, [own, made]))
        else:
            found.append(("", []))
        return found

    def shown_shape(self, operand: Value) -> int:
        """The number of the shape of an operand, -1 if it has no dimensions."""
        return self.shape_number(operand) if isinstance(operand.type, TensorType) and operand.type.rank != 0 else -1

    @property
    def stored_ranks(self) -> tuple[int, int] | None:
        """The ranks of what is written in place and of the value that it gets; None if they are not both known."""
        group = self.group
        assert group.written is not None
        own, stored = group.written[0].rank, group.stored_rank
        return None if own is None or stored is None else (own, stored)

    def stored_texts(self) -> list[str]:
        """The parts of the error for a value of another shape than what is written, before, between and behind the
        shapes; then the error for shapes that are too long to be shown."""
        same_shape = self.group.members[-1].same_shape
        said = stored_message(("{0}",), ("{1}",), same_shape)
        before, _, rest = said.partition("{0}")
        between, _, behind = rest.partition("{1}")
        texts = (before, between, behind, stored_message(range(MAX_ERROR_ARGS), (0,), same_shape))
        return [self.constants.text(text) for text in texts]

    def constant(self, name: str, type: str, values: Sequence[str]) -> str:
        """Symbol of a constant array."""
        symbol = f"{self.name}.{name}"
        content = ", ".join(f"{type} {v}" for v in values)
        self.constants.lines.append(f"{symbol} = private unnamed_addr constant [{len(values)} x {type}] [{content}]")
        return symbol

    def zero_dimensional(self) -> str:
        """All work for 0-d tensors."""
        body = Body(self)
        text, group = body.text, self.group
        wanted = [(o.element, o) for o in group.allocated]
        needed = group.steps.needed([e for e, _ in wanted] + ([group.written[2]] if group.written else []))
        values: dict[Id, str] = {}
        for scalar in group.distinct_inputs:
            if scalar.value in needed:
                values[scalar.value] = body.scalar(scalar)
        group.steps.emit_scalars(text, needed, values)
        if group.written is not None:
            body.check_written(group.written[0])
        for element, output in wanted:
            body.allocate(output, "0", "null")
            data = body.field(body.made[output.value], "data", "ptr")
            store(text, group.steps.types[element], values[element], data)
        if group.written is not None:
            written, _, element = group.written
            store(text, group.steps.types[element], values[element], body.field(written.name, "data", "ptr"))
        body.finish()
        return text.function(f"define internal i32 {self.name}({self.head}) {self.target.attributes}")


class Body(FusedBody):
    """One of the functions of a group without reductions.

    Attributes:
        capacity: The cell of the plan, an i64.
        plan_cells: How many cells the plan has.
    """

    def __init__(self, emitter: Emitter) -> None:
        super().__init__(emitter.group, emitter.constants, emitter.declarations)
        self.emitter = emitter
        self.capacity = ""
        self.plan_cells = ""

    def check_written(self, written: Input) -> None:
        """Refuse to write what is read-only, or has elements at one address."""
        kernel = "check_distinct"
        if isinstance(written.type, ArrayType):
            kernel = "check_assigned" if self.group.members[-1].rule.assigns else "check_output"
        self.call(kernel, [f"ptr {written.name}"])

    def raise_at(self, site: str, program: str, plan: str) -> None:
        """Raise at the group's site with this number, unless it is negative. The context has the error's arguments."""
        text, group = self.text, self.group
        fine, wrong = text.fresh_label("fine"), text.fresh_label("wrong")
        text.branch_if(text.let(f"icmp slt i64 {site}, 0"), fine, wrong)
        text.label(wrong)
        if any(member.is_of_arrays for member in group.members):
            self.raise_for_arrays(site, plan)
        if group.written is not None and self.emitter.stored_ranks is None:
            stored, at_site = text.fresh_label("stored"), text.fresh_label("member")
            text.branch_if(text.let(f"icmp eq i64 {site}, {len(group.members)}"), stored, at_site)
            text.label(stored)
            texts = [f"ptr {t}" for t in self.emitter.stored_texts()]
            self.call("raise_stored", [f"ptr {program}", f"ptr {plan}", *texts])
            text.terminate("unreachable")
            text.label(at_site)
        address = text.let(f"getelementptr ptr, ptr {self.emitter.sites()}, i64 {site}")
        text.line(f"store ptr {text.let(f'load ptr, ptr {address}')}, ptr {self.at('%ctx', CONTEXT.offsets['trace'])}")
        text.terminate(f"ret i32 {int(Status.RAISED)}")
        text.label(fine)

    def raise_for_arrays(self, site: str, plan: str) -> None:
        """Raise NumPy's error if the operands of this number are arrays."""
        text, refusals = self.text, self.emitter.array_refusals()
        width = max(len(shapes) for _, shapes in refusals)
        messages = [self.constants.text(m) if m else "null" for m, _ in refusals]
        cells = [str(c) for _, shapes in refusals for c in (*shapes, *(0,) * (width - len(shapes)))]
        table = self.emitter.constant("messages", "ptr", messages)
        message = text.let(f"load ptr, ptr {text.let(f'getelementptr ptr, ptr {table}, i64 {site}')}")
        of_arrays, others = text.fresh_label("arrays"), text.fresh_label("tensors")
        text.branch_if(text.let(f"icmp ne ptr {message}, null"), of_arrays, others)
        text.label(of_arrays)
        first = text.let(f"mul i64 {site}, {width}")
        shapes = text.let(f"getelementptr i64, ptr {self.emitter.constant('shapes', 'i64', cells)}, i64 {first}")
        raising = text.declare_function(symbols.kernel_symbol("raise_array_shapes"), "i32", ["ptr"] * 4, "nounwind")
        status = text.let(f"call i32 {raising}(ptr %ctx, ptr {plan}, ptr {message}, ptr {shapes})", "status")
        places = text.let(f"getelementptr ptr, ptr {self.emitter.places()}, i64 {site}")
        self.call_surely("append_site", [f"ptr {text.let(f'load ptr, ptr {places}')}"])
        text.terminate(f"ret i32 {status}")
        text.label(others)

    # Parts of the work

    def all_flat(self, arrays: Sequence[Input], leading: Input) -> str:
        """Whether all arrays are contiguous and have the sizes of `leading`; if ranks are not known, other sizes or
        ranks branch to ``other``."""
        text = self.text
        flags = ""
        for array in arrays:
            own = self.field(array.name, "flags", "i64")
            flags = text.let(f"and i64 {flags}, {own}") if flags else own
        contiguous = text.let(f"and i64 {flags}, {TENSOR_CONTIGUOUS}")
        condition = text.let(f"icmp ne i64 {contiguous}, 0")
        others = [a for a in arrays if a is not leading]
        if not others:
            return condition
        if self.group.rank is None:
            return self._all_of_one_shape(condition, leading, others)
        differences = ""
        for dim in range(self.group.rank):
            size = self.size(leading.name, dim)
            for array in others:
                different = text.let(f"xor i64 {size}, {self.size(array.name, dim)}")
                differences = text.let(f"or i64 {differences}, {different}") if differences else different
        same = text.let(f"icmp eq i64 {differences}, 0")
        return text.let(f"and i1 {condition}, {same}")

    def _all_of_one_shape(self, condition: str, leading: Input, others: Sequence[Input]) -> str:
        """`condition`, and the sizes of `leading` are those of the `others`."""
        text = self.text
        ndim = self.field(leading.name, "ndim", "i32")
        for array in others:
            same = text.let(f"icmp eq i32 {ndim}, {self.field(array.name, 'ndim', 'i32')}")
            condition = text.let(f"and i1 {condition}, {same}")
        rank = text.let(f"zext i32 {ndim} to i64")
        before, sizes, more, compare, same_shape = (
            text.block,
            *(text.fresh_label(name) for name in ("sizes", "more", "compare", "same_shape")),
        )
        text.terminate(f"br i1 {condition}, label %{sizes}, label %other{LIKELY}")
        text.label(sizes)
        left, after = text.fresh("left"), text.fresh("left")
        text.line(f"{left} = phi i64 [ {rank}, %{before} ], [ {after}, %{compare} ]")
        text.terminate(f"br i1 {text.let(f'icmp eq i64 {left}, 0')}, label %{same_shape}, label %{more}{LIKELY}")
        text.label(more)
        text.line(f"{after} = sub i64 {left}, 1")
        offset = text.let(f"shl i64 {after}, 3")
        found = []
        for array in (leading, *others):
            first = self.at(array.name, TENSOR_STRUCT.size)
            found.append(text.let(f"load i64, ptr {text.let(f'getelementptr i8, ptr {first}, i64 {offset}')}", "size"))
        differences = ""
        for size in found[1:]:
            different = text.let(f"xor i64 {found[0]}, {size}")
            differences = text.let(f"or i64 {differences}, {different}") if differences else different
        equal = text.let(f"icmp eq i64 {differences}, 0")
        text.branch(compare)
        text.label(compare)
        text.terminate(f"br i1 {equal}, label %{sizes}, label %other{LIKELY}")
        text.label(same_shape)
        return "true"

    def all_separate(self, condition: str, datas: dict[str, str], numel: str) -> str:
        """`condition`, and the written array may be written and shares no memory with the others, or all of it."""
        assert self.group.written is not None
        text, written = self.text, self.group.written[0]
        storage = self.field(written.name, "storage", "ptr")
        flags = text.let(f"load i64, ptr {self.at(storage, STORAGE.offsets['flags'])}")
        readonly = text.let(f"and i64 {flags}, {STORAGE_READONLY}")
        condition = text.let(f"and i1 {condition}, {text.let(f'icmp eq i64 {readonly}, 0')}")

        def span(array: Input) -> tuple[str, str]:
            start = text.let(f"ptrtoint ptr {datas[array.name]} to i64")
            nbytes = text.let(f"mul i64 {numel}, {size_of(element_of(array))}")
            return start, text.let(f"add i64 {start}, {nbytes}")

        start, end = span(written)
        for array in self.emitter.read:
            if array is written:
                continue
            other_start, other_end = span(array)
            before = text.let(f"icmp ule i64 {other_end}, {start}")
            behind = text.let(f"icmp ule i64 {end}, {other_start}")
            fine = text.let(f"or i1 {before}, {behind}")
            if size_of(element_of(array)) == size_of(element_of(written)):
                fine = text.let(f"or i1 {fine}, {text.let(f'icmp eq i64 {start}, {other_start}')}")
            condition = text.let(f"and i1 {condition}, {fine}")
        return condition

    def separated(self, written: Input, array: Input) -> str:
        """The tensor to read in place of `array`, which must not overlap a part of what is written."""
        kernel = "separate" if self.group.allocated else "separate_later"
        found = self.call(kernel, [f"ptr {written.name}", f"ptr {array.name}"], result=True)
        self.owned.append(found)
        self.borrowed_copies.append(found)
        return found

    def delay(self, written: Input, read: str, count: int, plan: str) -> None:
        """Make room for results that have to wait until their places are read."""
        given = [f"ptr {written.name}", f"ptr {read}", f"i64 {count}", f"ptr {plan}"]
        found = self.call("rows_delay", given, result=True)
        self.owned.append(found)
        self.borrowed_copies.append(found)

    def rank(self, tensor: Input) -> str:
        """The rank of a tensor, an i64."""
        if tensor.rank is not None:
            return str(tensor.rank)
        return self.text.let(f"zext i32 {self.field(tensor.name, 'ndim', 'i32')} to i64")

    def plan(self, shapes: int, arrays: int) -> str:
        """Memory for a plan (`tscript.abi.rows`) with so many shapes and arrays; sets its capacity."""
        text, group = self.text, self.group
        fixed, of_dimension = rows.plan_cells(shapes, arrays)
        if group.rank is not None:
            self.plan_cells = str(fixed + group.rank * of_dimension)
            plan = text.alloca(f"[{self.plan_cells} x i64], align 16", "plan")
            self.capacity = str(group.rank)
        else:
            self.capacity = str(max(1, *(i.rank or 0 for i in group.arrays)))
            for array in group.arrays:
                if array.rank is None:
                    rank = self.rank(array)
                    larger = text.let(f"icmp ugt i64 {rank}, {self.capacity}")
                    self.capacity = text.let(f"select i1 {larger}, i64 {rank}, i64 {self.capacity}", "capacity")
            of_dimensions = text.let(f"mul i64 {self.capacity}, {of_dimension}")
            self.plan_cells = text.let(f"add i64 {fixed}, {of_dimensions}")
            plan = text.let(f"alloca i64, i64 {self.plan_cells}, align 16", "plan")
        text.line(f"store i64 {self.capacity}, ptr {self.at(plan, 8 * rows.CAPACITY)}")
        return plan

    def shape(self, plan: str, number: int) -> tuple[str, str]:
        """The rank and the address of the sizes of a shape of the plan."""
        text = self.text
        if self.group.rank is not None:
            place = self.at(plan, 8 * rows.shape_cell(self.group.rank, number))
        else:
            fixed = rows.shape_cell(0, number)
            moving = text.let(f"mul i64 {self.capacity}, {rows.shape_cell(1, number) - fixed}")
            place = text.let(f"getelementptr i64, ptr {plan}, i64 {text.let(f'add i64 {moving}, {fixed}')}")
        rank = text.let(f"load i64, ptr {place}", "rank")
        skipped = text.let(f"sub i64 {self.capacity}, {rank}")
        return rank, text.let(f"getelementptr i64, ptr {self.at(place, 8)}, i64 {skipped}", "sizes")

    def task(self) -> str:
        """The task, its scalars filled in."""
        task = self.text.alloca(f"[{self.emitter.spec.task_cells} x i64], align 16", "task")
        self.fill_scalars(task)
        return task

    def fill_scalars(self, task: str) -> None:
        """Fill in the scalars of a task."""
        spec = self.emitter.spec
        for index, scalar in enumerate(self.emitter.scalars):
            cell = self.at(task, 8 * spec.scalar_cell(index))
            store(self.text, element_of(scalar), self.scalar(scalar), cell)

    def run(self, task: str, numel: str) -> None:
        """The loop, on several threads if it is long."""
        text, name = self.text, self.emitter.name
        grain = grain_of(self.emitter.spec, self.emitter.target)
        long, short, following = (text.fresh_label(n) for n in ("long", "short", "following"))
        is_long = text.let(f"icmp ugt i64 {numel}, {grain}")
        text.terminate(f"br i1 {is_long}, label %{long}, label %{short}{UNLIKELY}")
        text.label(short)
        self.count_work(numel, grain)
        text.line(f"call i32 {name}.loop(ptr %ctx, ptr {task}, i64 0, i64 {numel})")
        text.branch(following)
        text.label(long)
        self.call_surely("parallel", [f"ptr {name}.loop", f"ptr {task}", f"i64 {numel}", f"i64 {grain}"])
        text.branch(following)
        text.label(following)
