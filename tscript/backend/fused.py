"""Fused groups: a chain of pointwise operators as one native function that allocates its results and runs one loop.

`analyse` reads a `Fused` node: which inputs are arrays, which are scalars, and the arithmetic of one element (`Steps`).
`emit_group` writes up to three functions:

- ``name``: the group by the ordinary native convention. Where all arrays have one rank it looks, in a few instructions,
  whether they are contiguous and of one shape; then it allocates the results and runs the loop once over everything.
- ``name.any``: everything else. It broadcasts the shapes (member by member, so that an error names the operator whose
  operands do not go together), separates memory that an in-place operator writes from what it reads, and lets the kernels
  `rows_begin` and `rows_next` lead the same loop over the arrays (`tscript.abi.rows`).
- ``name.loop``: the loop (`tscript.backend.loops`).

A group of 0-d tensors is straight-line code. In-place operators write the memory of their first operand as it lies. There
is at most one in a group, it stands last, and all arrays feed it: so every element is read before it is written.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from tscript.abi import rows, symbols
from tscript.abi.layout import CONTEXT, MAX_ERROR_ARGS, STORAGE, STORAGE_READONLY, TENSOR_CONTIGUOUS, TENSOR_STRUCT
from tscript.abi.status import Status
from tscript.backend.bodies import BodyLibrary
from tscript.backend.constants import Constants
from tscript.backend.loops import Array, Id, LoopSpec, Scalar, Steps, emit_loop, lanes_for, size_of
from tscript.backend.machine import load, store
from tscript.backend.target import Target
from tscript.backend.text import Text
from tscript.backend.values import native_types
from tscript.diagnostics import InternalError, Span
from tscript.ir.graph import Const, Fused, Op, Value, Yield
from tscript.ops.opdef import MISSING, Pointwise
from tscript.ops.promotion import PointwiseRule
from tscript.types import BOOL, DType, TensorType, Type, dtype_of, machine_type

LONG_WORK = 1 << 18
"""Elements above which a group lets other Python threads run."""

BROADCAST = "The size of tensor a ({0}) must match the size of tensor b ({1}) at non-singleton dimension {2}"

LIKELY = ', !prof !{!"branch_weights", i32 2000, i32 1}'
UNLIKELY = ', !prof !{!"branch_weights", i32 1, i32 2000}'

Shape = tuple[str, ...]
"""Sizes as LLVM operands."""


@dataclass(frozen=True, slots=True)
class Input:
    """One parameter of the group that takes part.

    Attributes:
        name: Its LLVM name; a number is in memory form (a bool is a byte).
        type: Its type.
        value: An element of it in the arithmetic.
    """

    name: str
    type: Type
    value: Id

    @property
    def rank(self) -> int:
        """Dimensions; 0 for a number."""
        return self.type.rank or 0 if isinstance(self.type, TensorType) else 0


@dataclass(frozen=True, slots=True)
class Member:
    """One operator of the group: its operands (inputs, outputs of members before, constants) and what it defines."""

    node: Op
    operands: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Output:
    """One result: what yields it, its type, and the element to store."""

    value: Value
    type: TensorType
    element: Id


@dataclass(slots=True)
class Group:
    """What `analyse` found.

    Attributes:
        steps: The arithmetic.
        parameters: LLVM parameters of the group, with their types.
        inputs: By parameter of the body; a value given twice is one input.
        members: In order.
        outputs: In order. The result of the in-place operator, where there is one, is `written`, not allocated.
        written: The tensor that the in-place operator writes, and the element it stores.
        rank: Of the group's iteration: the largest of all inputs.
        span: The group's place.
    """

    steps: Steps = field(default_factory=Steps)
    parameters: list[str] = field(default_factory=list)
    inputs: dict[Value, Input] = field(default_factory=dict)
    members: list[Member] = field(default_factory=list)
    outputs: list[Output] = field(default_factory=list)
    written: tuple[Input, Op, Id] | None = None
    rank: int = 0
    span: Span | None = None

    @property
    def distinct_inputs(self) -> list[Input]:
        """Each input once."""
        return list({i.name: i for i in self.inputs.values()}.values())

    @property
    def arrays(self) -> list[Input]:
        """The tensors with dimensions."""
        return [i for i in self.distinct_inputs if i.rank > 0]

    @property
    def allocated(self) -> list[Output]:
        """The results that are new tensors."""
        return [o for o in self.outputs if not self.is_written(o)]

    def is_written(self, output: Output) -> bool:
        """Whether a result is the tensor that the in-place operator wrote."""
        return self.written is not None and output.value is self.written[1].output


def analyse(node: Fused, bodies: BodyLibrary) -> Group:
    """Read a fused group.

    Raises:
        InternalError: It holds something that is no pointwise operator of known types, or an in-place operator that is
            not last.
    """
    group = Group(span=node.span)
    steps = group.steps
    elements: dict[Value, Id] = {}
    first: dict[Value, Input] = {}
    for number, (param, given) in enumerate(zip(node.body.params, node.inputs, strict=True)):
        name = f"%a{number}"
        native = native_types(given.type)
        group.parameters += [f"{t} {name}" for t in native]
        if given.constant is not MISSING and dtype_of(given.type) is not None:
            elements[param] = steps.literal(given.constant, given.type)
            continue
        element_type = _element_type(given)
        if element_type is None:
            continue
        if given not in first:
            rank = given.type.rank if isinstance(given.type, TensorType) else 0
            first[given] = Input(name, given.type, steps.input(element_type, bool(rank)))
        group.inputs[param] = first[given]
        elements[param] = first[given].value
    group.rank = max((i.rank for i in group.inputs.values()), default=0)
    for inner in node.body.nodes:
        match inner:
            case Op():
                _add_member(group, inner, elements, bodies)
            case Yield():
                for value in inner.inputs:
                    if not isinstance(value.type, TensorType) or not value.type.is_known:
                        raise InternalError(f"a fused group yields {value.type}", inner.span)
                    group.outputs.append(Output(value, value.type, elements[value]))
            case Const():
                pass
            case _:
                raise InternalError(f"a fused group holds a {type(inner).__name__}", inner.span)
    return group


def _element_type(given: Value) -> Type | None:
    """The type of an element of an input; None for arguments that are no operands (a dtype, None, a text)."""
    if isinstance(given.type, TensorType):
        if given.type.dtype is None or given.type.rank is None:
            raise InternalError(f"a fused group takes a {given.type}", given.span)
        return machine_type(given.type.dtype)
    return given.type if dtype_of(given.type) is not None else None


def _add_member(group: Group, node: Op, elements: dict[Value, Id], bodies: BodyLibrary) -> None:
    implementation = node.op.implementation
    if not isinstance(implementation, Pointwise) or not isinstance(implementation.rule, PointwiseRule):
        raise InternalError(f"{node.op.name} is not a pointwise operator but stands in a fused group", node.span)
    if group.written is not None:
        raise InternalError(f"{node.op.name} follows an in-place operator in a fused group", node.span)
    rule = implementation.rule
    computation = rule(node.inputs)
    if computation is None:
        raise InternalError(f"the dtypes of {node.op.name} in a fused group are not known", node.span)
    steps = group.steps
    operands = tuple(node.inputs[i] for i in rule.operands)
    graph = bodies.scalar_graph(implementation.body, (machine_type(computation.compute),))
    args = []
    for operand, param in zip(operands, graph.body.params, strict=True):
        if operand not in elements:
            if operand.constant is MISSING or dtype_of(operand.type) is None:
                raise InternalError(f"an operand of {node.op.name} is no value of its fused group", node.span)
            elements[operand] = steps.literal(operand.constant, operand.type)
        args.append(steps.convert(elements[operand], param.type))
    result = steps.convert(steps.inline(graph, args), machine_type(computation.result))
    elements[node.output] = result
    group.members.append(Member(node, operands))
    if rule.in_place:
        target = group.inputs.get(operands[0])
        if target is None or not isinstance(target.type, TensorType):
            raise InternalError(f"{node.op.name} writes a tensor made in its own fused group", node.span)
        group.written = (target, node, result)


def emit_group(
    name: str, node: Fused, bodies: BodyLibrary, target: Target, constants: Constants, declarations: dict[str, str]
) -> str:
    """The functions of a fused group, as LLVM text.

    Args:
        name: Symbol of the group, a plain identifier without its sign. Parameters are ``ptr %ctx``, the native values
            of the node's inputs, one out pointer for each output; the tensors it gives are owned by the caller.
        node: The group; dtypes and ranks of its tensors are known.
        bodies: Bodies of the members.
        target: What the code is made for.
        constants: Receives the places of errors.
        declarations: Receives the module-level lines, by symbol.

    Raises:
        InternalError: See `analyse`.
    """
    group = analyse(node, bodies)
    emitter = _Emitter(name, group, target, constants, declarations)
    if group.rank == 0:
        return emitter.zero_dimensional()
    functions = [emitter.loop(), emitter.any_layout()]
    if emitter.may_be_flat:
        functions.append(emitter.flat())
    return "\n".join(functions)


class _Emitter:
    """Writes the functions of one group."""

    def __init__(
        self, name: str, group: Group, target: Target, constants: Constants, declarations: dict[str, str]
    ) -> None:
        self.name = f"@{name}"
        self.group = group
        self.target = target
        self.constants = constants
        self.declarations = declarations
        arrays = group.arrays
        scalars = [i for i in group.distinct_inputs if i.rank == 0]
        stored = [Array(machine_type(_known(o.type)), o.element) for o in group.allocated]
        if group.written is not None and group.rank:
            written, _, element = group.written
            stored.append(Array(_element(written), element))
        needed = group.steps.needed(a.value for a in stored)
        self.read = [a for a in arrays if a.value in needed]
        self.spec = LoopSpec(
            group.steps,
            tuple(Array(_element(a), a.value) for a in self.read),
            tuple(stored),
            tuple(Scalar(_element(s), s.value) for s in scalars if s.value in needed),
        )
        self.scalars = [s for s in scalars if s.value in needed]
        self.may_be_flat = all(a.rank == group.rank for a in arrays) and all(
            o.type.rank == group.rank for o in group.allocated
        )

    @property
    def head(self) -> str:
        """Parameters of the group and of `any_layout`."""
        outs = [f"ptr %out{i}" for i in range(len(self.group.outputs))]
        return ", ".join(["ptr %ctx", *self.group.parameters, *outs])

    def loop(self) -> str:
        """The loop."""
        return emit_loop(f"{self.name}.loop", self.spec, self.target, self.declarations)

    def flat(self) -> str:
        """The entry: the whole work when all arrays are contiguous and of one shape."""
        body = _Body(self)
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
        status = text.let(f"call i32 {self.name}.any({self.head})")
        text.terminate(f"ret i32 {status}")
        text.label("flat")
        sizes = body.at(leading.name, TENSOR_STRUCT.size)
        for output in group.allocated:
            body.allocate(output.value, _known(output.type).code, group.rank, sizes)
        task = body.task()
        stored = [body.field(body.made[o.value], "data", "ptr") for o in group.allocated]
        if group.written is not None:
            stored.append(datas[leading.name])
        for number, pointer in enumerate([*(datas[a.name] for a in self.read), *stored]):
            text.line(f"store ptr {pointer}, ptr {body.at(task, 16 * number)}")
            text.line(f"store i64 -1, ptr {body.at(task, 16 * number + 8)}")
        body.let_others_run(numel)
        text.line(f"call void {self.name}.loop(ptr {task}, i64 0, i64 {numel})")
        body.finish()
        return text.function(f"define internal i32 {self.name}({self.head}) {self.target.attributes}")

    def any_layout(self) -> str:
        """The whole work for any shapes, strides and overlaps."""
        body = _Body(self)
        text, group = body.text, self.group
        shapes = _Shapes(body, group)
        if group.written is not None:
            body.call("check_distinct", [f"ptr {group.written[0].name}"])
        sizes = shapes.check_members()
        names = body.separated() if group.written is not None else {a.name: a.name for a in group.arrays}
        for output in group.allocated:
            own = shapes.of(output.value)
            cells = body.cells([*own]) if own else "null"
            body.allocate(output.value, _known(output.type).code, len(own), cells)
        task = body.task()
        numel = "1"
        for size in sizes:
            numel = size if numel == "1" else text.let(f"mul i64 {numel}, {size}")
        empty, begin, step, run = (text.fresh_label(n) for n in ("finished", "begin", "step", "run"))
        text.branch_if(text.let(f"icmp eq i64 {numel}, 0"), empty, begin)
        text.label(begin)
        stored = [(body.made[o.value], o.type) for o in group.allocated]
        if group.written is not None:
            stored.append((group.written[0].name, _tensor(group.written[0])))
        plan = body.plan(sizes, task, [*((names[a.name], _tensor(a)) for a in self.read), *stored])
        body.let_others_run(numel)
        text.declare(f"declare i32 @{symbols.kernel_symbol('rows_begin')}(ptr, ptr) nounwind")
        text.line(f"call i32 @{symbols.kernel_symbol('rows_begin')}(ptr %ctx, ptr {plan})")
        count = text.alloca("i64", "count", "0")
        text.branch(step)
        text.label(step)
        text.declare(f"declare i32 @{symbols.kernel_symbol('rows_next')}(ptr, ptr, ptr) nounwind")
        text.line(f"call i32 @{symbols.kernel_symbol('rows_next')}(ptr %ctx, ptr {plan}, ptr {count})")
        n = text.let(f"load i64, ptr {count}")
        text.branch_if(text.let(f"icmp eq i64 {n}, 0"), empty, run)
        text.label(run)
        text.line(f"call void {self.name}.loop(ptr {task}, i64 0, i64 {n})")
        text.branch(step)
        text.label(empty)
        body.finish()
        name = f"{self.name}.any" if self.may_be_flat else self.name
        return text.function(f"define internal i32 {name}({self.head}) {self.target.attributes} noinline")

    def zero_dimensional(self) -> str:
        """The whole work for 0-d tensors."""
        body = _Body(self)
        text, group = body.text, self.group
        wanted = [(o.element, o) for o in group.allocated]
        needed = group.steps.needed([e for e, _ in wanted] + ([group.written[2]] if group.written else []))
        values: dict[Id, str] = {}
        for scalar in group.distinct_inputs:
            if scalar.value in needed:
                values[scalar.value] = body.scalar(scalar)
        group.steps.emit_scalars(text, needed, values)
        if group.written is not None:
            body.call("check_distinct", [f"ptr {group.written[0].name}"])
        for element, output in wanted:
            body.allocate(output.value, _known(output.type).code, 0, "null")
            data = body.field(body.made[output.value], "data", "ptr")
            store(text, group.steps.types[element], values[element], data)
        if group.written is not None:
            written, _, element = group.written
            store(text, group.steps.types[element], values[element], body.field(written.name, "data", "ptr"))
        body.finish()
        return text.function(f"define internal i32 {self.name}({self.head}) {self.target.attributes}")


class _Body:
    """One of the functions while it is written.

    Attributes:
        made: The tensors allocated so far, by the values they are.
        owned: References that have to go when an error leaves the function.
    """

    def __init__(self, emitter: _Emitter) -> None:
        self.emitter = emitter
        self.group = emitter.group
        self.text = Text(emitter.declarations)
        self.made: dict[Value, str] = {}
        self.owned: list[str] = []
        self.borrowed_copies: list[str] = []
        self.late: list[Callable[[], None]] = []

    def at(self, base: str, offset: int) -> str:
        """An address so many bytes further."""
        return self.text.let(f"getelementptr i8, ptr {base}, i64 {offset}") if offset else base

    def field(self, tensor: str, name: str, type: str) -> str:
        """Load a field of a `TensorImpl`."""
        return self.text.let(f"load {type}, ptr {self.at(tensor, TENSOR_STRUCT.offsets[name])}", name)

    def size(self, tensor: str, dim: int) -> str:
        """Load a size."""
        return self.text.let(f"load i64, ptr {self.at(tensor, TENSOR_STRUCT.size + 8 * dim)}", "size")

    def stride(self, tensor: str, rank: int, dim: int) -> str:
        """Load a stride, in elements."""
        return self.text.let(f"load i64, ptr {self.at(tensor, TENSOR_STRUCT.size + 8 * (rank + dim))}", "stride")

    def scalar(self, scalar: Input) -> str:
        """The value of a number or a 0-d tensor, in a register."""
        if isinstance(scalar.type, TensorType):
            return load(self.text, _element(scalar), self.field(scalar.name, "data", "ptr"))
        if scalar.type == BOOL:
            return self.text.let(f"icmp ne i8 {scalar.name}, 0")
        return scalar.name

    def cells(self, values: Sequence[str]) -> str:
        """64-bit values in an array on the stack."""
        array = self.text.alloca(f"[{len(values)} x i64]", "cells")
        for i, value in enumerate(values):
            self.text.line(f"store i64 {value}, ptr {self.at(array, 8 * i)}")
        return array

    # Calls and errors

    def call(self, kernel: str, args: Sequence[str], result: bool = False) -> str:
        """Call a function of the native library and leave on an error. Gives the tensor it returns, owned."""
        text = self.text
        out = [f"ptr {text.slot('ptr', 0)}"] if result else []
        everything = ["ptr %ctx", *args, *out]
        symbol = symbols.kernel_symbol(kernel)
        text.declare(f"declare i32 @{symbol}({', '.join(a.split()[0] for a in everything)}) nounwind")
        status = text.let(f"call i32 @{symbol}({', '.join(everything)})", "status")
        fine, failed = text.fresh_label("fine"), text.fresh_label("failed")
        good = text.let(f"icmp eq i32 {status}, 0")
        text.terminate(f"br i1 {good}, label %{fine}, label %{failed}{LIKELY}")
        owned = list(self.owned)

        def leave() -> None:
            text.label(failed)
            self._append_to_trace()
            for reference in reversed(owned):
                self.release(reference)
            text.terminate(f"ret i32 {status}")

        self.late.append(leave)
        text.label(fine)
        return text.let(f"load ptr, ptr {out[0].split()[1]}") if result else ""

    def raise_if(self, condition: str, span: Span, exception: str, message: str, args: Sequence[str]) -> None:
        """Raise when the i1 `condition` holds; `args` are ints."""
        text = self.text
        fine, wrong = text.fresh_label("fine"), text.fresh_label("wrong")
        text.terminate(f"br i1 {condition}, label %{wrong}, label %{fine}{UNLIKELY}")
        owned = list(self.owned)

        def leave() -> None:
            text.label(wrong)
            site = self.emitter.constants.site(span, exception, message)
            text.line(f"store i64 {len(args)}, ptr {self.at('%ctx', CONTEXT.offsets['nargs'])}")
            text.line(f"store i64 0, ptr {self.at('%ctx', CONTEXT.offsets['kinds'])}")
            for i, arg in enumerate(args):
                text.line(f"store i64 {arg}, ptr {self.at('%ctx', CONTEXT.offsets['args'] + 8 * i)}")
            text.line(f"store ptr {site}, ptr {self.at('%ctx', CONTEXT.offsets['trace'])}")
            text.line(f"store i64 1, ptr {self.at('%ctx', CONTEXT.offsets['ntrace'])}")
            for reference in reversed(owned):
                self.release(reference)
            text.terminate(f"ret i32 {int(Status.RAISED)}")

        self.late.append(leave)
        text.label(fine)

    def _append_to_trace(self) -> None:
        """An error of the native library: the group's place follows it in the trace, which has room for it."""
        text = self.text
        place = self.at("%ctx", CONTEXT.offsets["ntrace"])
        count = text.let(f"load i64, ptr {place}")
        assert self.group.span is not None
        site = self.emitter.constants.site(self.group.span)
        cell = text.let(f"getelementptr ptr, ptr {self.at('%ctx', CONTEXT.offsets['trace'])}, i64 {count}")
        text.line(f"store ptr {site}, ptr {cell}")
        text.line(f"store i64 {text.let(f'add i64 {count}, 1')}, ptr {place}")

    def release(self, reference: str) -> None:
        """One reference less."""
        self._count(symbols.TENSOR_RELEASE, reference)

    def retain(self, reference: str) -> None:
        """One reference more."""
        self._count(symbols.TENSOR_RETAIN, reference)

    def _count(self, symbol: str, reference: str) -> None:
        self.text.declare(f"declare i32 @{symbol}(ptr, ptr)")
        self.text.line(f"call i32 @{symbol}(ptr %ctx, ptr {reference})")

    # Parts of the work

    def all_flat(self, arrays: Sequence[Input], leading: Input) -> str:
        """Whether all arrays are contiguous and have the sizes of `leading`."""
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
        differences = ""
        for dim in range(self.group.rank):
            size = self.size(leading.name, dim)
            for array in others:
                different = text.let(f"xor i64 {size}, {self.size(array.name, dim)}")
                differences = text.let(f"or i64 {differences}, {different}") if differences else different
        same = text.let(f"icmp eq i64 {differences}, 0")
        return text.let(f"and i1 {condition}, {same}")

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
            nbytes = text.let(f"mul i64 {numel}, {size_of(_element(array))}")
            return start, text.let(f"add i64 {start}, {nbytes}")

        start, end = span(written)
        for array in self.emitter.read:
            if array is written:
                continue
            other_start, other_end = span(array)
            before = text.let(f"icmp ule i64 {other_end}, {start}")
            behind = text.let(f"icmp ule i64 {end}, {other_start}")
            fine = text.let(f"or i1 {before}, {behind}")
            if size_of(_element(array)) == size_of(_element(written)):
                fine = text.let(f"or i1 {fine}, {text.let(f'icmp eq i64 {start}, {other_start}')}")
            condition = text.let(f"and i1 {condition}, {fine}")
        return condition

    def separated(self) -> dict[str, str]:
        """The tensors to read in place of the arrays, by their names, so that none partly overlaps what is written."""
        assert self.group.written is not None
        written = self.group.written[0]
        out = {written.name: written.name}
        for array in self.emitter.read:
            if array is not written:
                found = self.call("separate", [f"ptr {written.name}", f"ptr {array.name}"], result=True)
                self.owned.append(found)
                self.borrowed_copies.append(found)
                out[array.name] = found
        return out

    def allocate(self, value: Value, code: int, rank: int, sizes: str) -> None:
        """A new tensor for `value`."""
        found = self.call("tensor_alloc", [f"i32 {code}", f"i64 {rank}", f"ptr {sizes}"], result=True)
        self.made[value] = found
        self.owned.append(found)

    def task(self) -> str:
        """The task, its scalars filled in."""
        spec = self.emitter.spec
        task = self.text.alloca(f"[{spec.task_cells} x i64], align 16", "task")
        for index, scalar in enumerate(self.emitter.scalars):
            cell = self.at(task, 8 * spec.scalar_cell(index))
            store(self.text, _element(scalar), self.scalar(scalar), cell)
        return task

    def plan(self, sizes: Shape, task: str, arrays: Sequence[tuple[str, TensorType]]) -> str:
        """The plan for `rows_begin`; `arrays` are tensors with their types, in the order of the task."""
        text, rank = self.text, self.group.rank
        plan = text.alloca(f"[{rows.plan_cells(rank, len(arrays))} x i64], align 16", "plan")

        def put(cell: int, value: str) -> None:
            text.line(f"store i64 {value}, ptr {self.at(plan, 8 * cell)}")

        put(rows.CAPACITY, str(rank))
        put(rows.INPUTS, str(len(self.emitter.read)))
        put(rows.ARRAYS, str(len(arrays)))
        put(rows.TASK, text.let(f"ptrtoint ptr {task} to i64"))
        put(rows.REPEAT, str(lanes_for(self.emitter.spec, self.emitter.target)))
        for dim, size in enumerate(sizes):
            put(rows.HEAD + dim, size)
        for number, (tensor, type) in enumerate(arrays):
            first = rows.array_cell(rank, number)
            itemsize = _known(type).itemsize
            data = self.field(tensor, "data", "ptr")
            buffer = text.alloca(f"[{rows.BLOCK * itemsize} x i8], align 64", "buffer")
            put(first + rows.POINTER, text.let(f"ptrtoint ptr {data} to i64"))
            put(first + rows.ITEMSIZE, str(itemsize))
            put(first + rows.BUFFER, text.let(f"ptrtoint ptr {buffer} to i64"))
            own = type.rank or 0
            for dim in range(rank):
                dim_of = dim - (rank - own)
                stride = "0"
                if dim_of >= 0:
                    elements = self.stride(tensor, own, dim_of)
                    nbytes = text.let(f"mul i64 {elements}, {itemsize}")
                    single = text.let(f"icmp eq i64 {self.size(tensor, dim_of)}, 1")
                    stride = text.let(f"select i1 {single}, i64 0, i64 {nbytes}")
                put(first + rows.ARRAY_HEAD + dim, stride)
        return plan

    def let_others_run(self, numel: str) -> None:
        """Release the GIL before long work."""
        text = self.text
        long = text.let(f"icmp ugt i64 {numel}, {LONG_WORK}")
        given = text.let("icmp ne ptr %ctx, null")
        both = text.let(f"and i1 {long}, {given}")
        release, following = text.fresh_label("long"), text.fresh_label("work")
        text.terminate(f"br i1 {both}, label %{release}, label %{following}{UNLIKELY}")
        text.label(release)
        symbol = symbols.kernel_symbol("release_gil")
        text.declare(f"declare i32 @{symbol}(ptr)")
        text.line(f"call i32 @{symbol}(ptr %ctx)")
        text.branch(following)
        text.label(following)

    def finish(self) -> None:
        """Note the write, hand out the results, return; then the ways out of errors."""
        text, group = self.text, self.group
        for copy in self.borrowed_copies:
            self.release(copy)
        if group.written is not None:
            storage = self.field(group.written[0].name, "storage", "ptr")
            version = self.at(storage, STORAGE.offsets["version"])
            before = text.let(f"load i64, ptr {version}")
            text.line(f"store i64 {text.let(f'add i64 {before}, 1')}, ptr {version}")
        for number, output in enumerate(group.outputs):
            if group.is_written(output):
                assert group.written is not None
                result = group.written[0].name
                self.retain(result)
            else:
                result = self.made[output.value]
            text.line(f"store ptr {result}, ptr %out{number}")
        text.terminate("ret i32 0")
        for leave in self.late:
            leave()


class _Shapes:
    """Broadcasts shapes at run time, in PyTorch's order and words. What is known to be equal is not compared."""

    def __init__(self, body: _Body, group: Group) -> None:
        self.body = body
        self.group = group
        self._shapes: dict[Value, Shape] = {}
        self._inputs: dict[str, Shape] = {}

    def of(self, value: Value) -> Shape:
        """The shape of a value of the group; () for a number."""
        found = self._shapes.get(value)
        if found is None:
            given = self.group.inputs.get(value)
            if given is None or given.rank == 0:
                return ()
            found = self._inputs.get(given.name)
            if found is None:
                found = tuple(self.body.size(given.name, d) for d in range(given.rank))
                self._inputs[given.name] = found
            self._shapes[value] = found
        return found

    def check_members(self) -> Shape:
        """Compute the shape of every member, raising where operands do not go together. Gives the whole group's shape."""
        whole: Shape = ()
        for member in self.group.members:
            shape: Shape = ()
            for operand in member.operands:
                shape = self.broadcast(shape, self.of(operand), member.node.span)
            if self.group.written is not None and self.group.written[1] is member.node:
                own = self.of(member.operands[0])
                self._check_written(own, shape, member.node.span)
                shape = own
            self._shapes[member.node.output] = shape
            whole = self.broadcast(whole, shape, member.node.span)
        return whole

    def broadcast(self, a: Shape, b: Shape, span: Span) -> Shape:
        """The shape that both broadcast to."""
        rank = max(len(a), len(b))
        out: list[str] = []
        for k in range(1, rank + 1):
            if k > len(a) or k > len(b) or a[-k] == b[-k]:
                out.append(a[-k] if k <= len(a) else b[-k])
            else:
                out.append(self._broadcast_dim(a[-k], b[-k], rank - k, span))
        return tuple(reversed(out))

    def _broadcast_dim(self, a: str, b: str, dim: int, span: Span) -> str:
        text = self.body.text
        different = text.let(f"icmp ne i64 {a}, {b}")
        a_spreads, b_spreads = text.let(f"icmp eq i64 {a}, 1"), text.let(f"icmp eq i64 {b}, 1")
        neither = text.let(f"xor i1 {text.let(f'or i1 {a_spreads}, {b_spreads}')}, true")
        wrong = text.let(f"and i1 {different}, {neither}")
        self.body.raise_if(wrong, span, "RuntimeError", BROADCAST, (a, b, str(dim)))
        return text.let(f"select i1 {a_spreads}, i64 {b}, i64 {a}")

    def _check_written(self, own: Shape, shape: Shape, span: Span) -> None:
        """The operands of an in-place operator must broadcast to the shape of what it writes."""
        text = self.body.text
        wrong = "true" if len(own) != len(shape) else ""
        for a, b in zip(own, shape, strict=False):
            if a != b and wrong != "true":
                different = text.let(f"icmp ne i64 {a}, {b}")
                wrong = text.let(f"or i1 {wrong}, {different}") if wrong else different
        if not wrong:
            return
        sizes = (*own, *shape)
        if len(sizes) <= MAX_ERROR_ARGS:
            places = [f"{{{i}}}" for i in range(len(sizes))]
            left, right = ", ".join(places[: len(own)]), ", ".join(places[len(own) :])
            message = f"output with shape [{left}] doesn't match the broadcast shape [{right}]"
            self.body.raise_if(wrong, span, "RuntimeError", message, sizes)
        else:
            message = "the shape of the output doesn't match the shape that the operands broadcast to"
            self.body.raise_if(wrong, span, "RuntimeError", message, ())




def _tensor(given: Input) -> TensorType:
    assert isinstance(given.type, TensorType)
    return given.type


def _known(type: TensorType) -> DType:
    assert type.dtype is not None
    return type.dtype


def _element(given: Input) -> Type:
    return machine_type(_known(given.type)) if isinstance(given.type, TensorType) else given.type
