"""A fused group as it is read: its inputs, the arithmetic of one element, its results.

All dtypes are known; ranks need not be if the group has no reductions. A reduction takes all elements along the last
dimension of the group's shape, or all elements at all. Its result, and what is computed of such results alone, is a
value of the row; in the arithmetic it is a scalar that is known after a pass over the row. Or it takes all elements
along the first dimensions; then rows are columns, and what is known of them differs between elements.
"""

from __future__ import annotations

from collections.abc import Iterable

from tscript.backend.llvm.values import native_types
from tscript.backend.nodes.bodies import BodyLibrary
from tscript.backend.nodes.steps import Id, Steps
from tscript.definitions.absent import MISSING
from tscript.definitions.array_errors import shown_operands
from tscript.definitions.opdef import Kernel, Pointwise
from tscript.definitions.promotion import PointwiseRule
from tscript.diagnostics import InternalError, Span
from tscript.dialect import machine
from tscript.ir.graph import Const, Fused, Graph, Op, Value, Yield
from tscript.ir.reductions import reduction_of
from tscript.late import dataclass, field
from tscript.operators.python.elements import SCALAR_OF
from tscript.operators.python.folds import Fold, variance_of
from tscript.types import BOOL, C128, COMPLEX, FLOAT, INT, ArrayType, DType, TensorType, Type, dtype_of, machine_type


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
    def rank(self) -> int | None:
        """Dimensions; 0 for a number, None if only the run knows them."""
        return self.type.rank if isinstance(self.type, TensorType) else 0


@dataclass(frozen=True, slots=True)
class Member:
    """One operator of the group.

    Attributes:
        node: What it defines.
        operands: Inputs, outputs of members before, constants.
        rule: Its promotion.
    """

    node: Op
    operands: tuple[Value, ...]
    rule: PointwiseRule

    @property
    def same_shape(self) -> bool:
        """Whether it writes its first operand in place and the others must have its shape."""
        return self.rule.same_shape

    @property
    def shown(self) -> list[Value]:
        """The operands whose shapes errors of arrays show."""
        return [self.node.inputs[i] for i in shown_operands(self.node.op, self.rule)]

    @property
    def is_of_arrays(self) -> bool:
        """Whether an operand is an array: its errors are NumPy's."""
        return any(isinstance(o.type, ArrayType) for o in self.operands)

    @property
    def broadcast(self) -> tuple[Value, ...]:
        """The operands that its shape is made of."""
        return self.operands[1:] if self.same_shape else self.operands


@dataclass(frozen=True, slots=True)
class Reduction:
    """A reduction of the group.

    Attributes:
        node: What it defines.
        element: What is combined.
        type: The type that it is combined in.
        start: A literal.
        combine: The graph that combines two of them.
        total: The value that they are together, before the last step of the reduction.
        whole: Whether it takes all elements.
    """

    node: Op
    element: Id
    type: Type
    start: Id
    combine: Graph
    total: Id
    whole: bool


@dataclass(frozen=True, slots=True)
class Output:
    """One result.

    Attributes:
        value: What yields it.
        type: Its type.
        element: The element to store.
        keepdim: Of a value of the row, whether reduced dimensions stay with size 1; None for the others, which have the
            shape of the group.
    """

    value: Value
    type: TensorType
    element: Id
    keepdim: bool | None = None


@dataclass(slots=True)
class Group:
    """The result of `analyse`.

    Attributes:
        steps: The arithmetic.
        parameters: LLVM parameters of the group, with their types.
        inputs: By parameter of the body; a value given twice is one input.
        members: In order.
        outputs: In order. The result of the in-place operator, where there is one, is `written`, not allocated.
        written: The tensor that the in-place operator writes, and the element it stores.
        rank: Of the group's iteration: the largest of all inputs; None if that of an input is not known.
        span: The group's place.
        reductions: In order.
        of_row: The values of the row, and whether reduced dimensions of theirs stay with size 1.
        count: How many elements are reduced, if there are reductions.
        leading: How many dimensions are reduced, if these are the first ones but not all.
        reuse: Inputs whose memory results may take.
        made: What the members compute.
    """

    steps: Steps = field(default_factory=Steps)
    parameters: list[str] = field(default_factory=list)
    inputs: dict[Value, Input] = field(default_factory=dict)
    members: list[Member] = field(default_factory=list)
    outputs: list[Output] = field(default_factory=list)
    written: tuple[Input, Op, Id] | None = None
    rank: int | None = 0
    span: Span | None = None
    reductions: list[Reduction] = field(default_factory=list)
    of_row: dict[Value, bool] = field(default_factory=dict)
    count: Id | None = None
    leading: int = 0
    made: list[Id] = field(default_factory=list)
    reuse: list[Input] = field(default_factory=list)

    @property
    def distinct_inputs(self) -> list[Input]:
        """Each input once."""
        return list({i.name: i for i in self.inputs.values()}.values())

    @property
    def arrays(self) -> list[Input]:
        """The tensors that may have dimensions."""
        return [i for i in self.distinct_inputs if i.rank != 0]

    @property
    def shaped(self) -> list[Input]:
        """The tensors whose shapes count: `arrays`, and what is written even if it has no dimensions."""
        others = [self.written[0]] if self.written is not None and self.written[0].rank == 0 else []
        return self.arrays + others

    @property
    def stores_other_rank(self) -> bool:
        """Whether the in-place operator stores a value of another rank than it may. A rank that is not known is that
        of an array."""
        if self.written is None or not self.members[-1].same_shape:
            return False
        rank = self.stored_rank
        return rank is not None and rank != self.written[0].rank

    @property
    def stored_rank(self) -> int | None:
        """The rank of the value that the in-place operator stores; None if it is not known."""
        return _largest(o.type.rank for o in self.members[-1].broadcast if isinstance(o.type, TensorType))

    @property
    def allocated(self) -> list[Output]:
        """The results that are new tensors."""
        return [o for o in self.outputs if not self.is_written(o)]

    def is_written(self, output: Output) -> bool:
        """Whether a result is the tensor that the in-place operator wrote."""
        return self.written is not None and output.value is self.written[1].output


def _largest(ranks: Iterable[int | None]) -> int | None:
    """The rank that ranks broadcast to; None if one of them is not known."""
    known = list(ranks)
    return None if None in known else max((r for r in known if r is not None), default=0)


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
        group.parameters += [f"{t} {name}{f'.{i}' if i else ''}" for i, t in enumerate(native)]
        known = given.node.inputs[0] if isinstance(given.node, Op) and given.node.op is SCALAR_OF else given
        own = _number_type(known.type)
        if known.constant is not MISSING and own is not None:
            elements[param] = steps.literal(known.constant, own)
            continue
        element_type = _element_type(given)
        if element_type is None:
            continue
        if given not in first:
            rank = given.type.rank if isinstance(given.type, TensorType) else 0
            first[given] = Input(name, given.type, steps.input(element_type, rank != 0))
        group.inputs[param] = first[given]
        elements[param] = first[given].value
    group.rank = _largest(i.rank for i in group.inputs.values())
    group.reuse = [group.inputs[p] for p in node.reuse]
    for inner in node.body.nodes:
        match inner:
            case Op() if isinstance(inner.op.implementation, Kernel):
                _add_reduction(group, inner, elements, bodies)
            case Op():
                _add_member(group, inner, elements, bodies)
            case Yield():
                for value in inner.inputs:
                    if not isinstance(value.type, TensorType) or value.type.dtype is None:
                        raise InternalError(f"a fused group yields {value.type}", inner.span)
                    group.outputs.append(Output(value, value.type, elements[value], group.of_row.get(value)))
            case Const():
                pass
            case _:
                raise InternalError(f"a fused group holds a {type(inner).__name__}", inner.span)
    _check_feeds(group)
    return group


def _check_feeds(group: Group) -> None:
    """The tensor written by an in-place operator has the shape of the group: everything with dimensions is its
    input."""
    if group.written is None:
        return
    feeding: set[Value] = {group.written[1].output}
    for member in reversed(group.members):
        if member.node.output in feeding:
            feeding.update(member.operands)
    for value, given in group.inputs.items():
        if given.rank != 0 and value not in feeding:
            raise InternalError(f"a fused group writes in place what does not depend on {value!r}", group.span)


def _element_type(given: Value) -> Type | None:
    """The type of an element of an input; None for arguments that are not operands (a dtype, None, a string)."""
    if isinstance(given.type, TensorType):
        if given.type.dtype is None:
            raise InternalError(f"a fused group takes a {given.type}", given.span)
        return machine_type(given.type.dtype)
    dtype = dtype_of(given.type)
    return _number_type(given.type) if dtype is None else machine_type(dtype)


def _number_type(type: Type) -> Type | None:
    """The type of a number in registers; None for what is no number."""
    if type == COMPLEX:
        return C128
    return None if dtype_of(type) is None else type


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
            own = _number_type(operand.type)
            if operand.constant is MISSING or own is None:
                raise InternalError(f"an operand of {node.op.name} is no value of its fused group", node.span)
            elements[operand] = steps.literal(operand.constant, own)
        args.append(steps.convert(elements[operand], param.type))
    result = steps.convert(steps.inline(graph, args), machine_type(computation.result))
    elements[node.output] = result
    group.made.append(result)
    group.members.append(Member(node, operands, rule))
    shaped = [o for o in operands if (isinstance(o.type, TensorType) and o.type.rank != 0) or o in group.of_row]
    of_row = [o for o in shaped if o in group.of_row]
    if of_row and all(o in group.of_row or _is_of_column(group, o) for o in shaped):
        group.of_row[node.output] = any(group.of_row[o] for o in of_row)
    if rule.in_place:
        target = group.inputs.get(operands[0])
        if target is None or not isinstance(target.type, TensorType):
            raise InternalError(f"{node.op.name} writes a tensor made in its own fused group", node.span)
        group.written = (target, node, result)


def _is_of_column(group: Group, value: Value) -> bool:
    """Whether an operand has an element for each column."""
    rank = value.type.rank if isinstance(value.type, TensorType) else None
    return group.leading > 0 and None not in (rank, group.rank) and (rank or 0) <= (group.rank or 0) - group.leading


def _add_reduction(group: Group, node: Op, elements: dict[Value, Id], bodies: BodyLibrary) -> None:
    found, result = reduction_of(node), node.output.type
    if found is None or not isinstance(result, TensorType) or result.dtype is None:
        raise InternalError(f"{node.op.name} is no reduction of a fused group", node.span)
    steps = group.steps
    group.leading = found.leading
    if group.count is None:
        group.count = steps.input(INT, False)
    element = elements[node.inputs[0]]
    stored = machine_type(result.dtype)
    if found.centre is None:
        type = BOOL if found.as_bool else stored
        zero = steps.convert(steps.literal(0, INT), type)
        done = _folded(group, node, found.fold, element, zero, type, found.whole, bodies)
    else:
        shift = steps.literal(0.0, FLOAT)
        for fold in (found.centre, found.fold):
            shift = _folded(group, node, fold, element, shift, FLOAT, found.whole, bodies)
        count = steps.convert(group.count, FLOAT)
        free = steps.step(machine.SUB, (count, steps.literal(found.correction, FLOAT)), FLOAT)
        done = steps.inline(bodies.scalar_graph(variance_of, (FLOAT,)), [shift, free])
    elements[node.output] = steps.convert(done, stored)
    group.of_row[node.output] = found.keepdim


def _folded(
    group: Group, node: Op, fold: Fold, element: Id, shift: Id, type: Type, whole: bool, bodies: BodyLibrary
) -> Id:
    """The result of a fold over `element`, in `type`."""
    steps = group.steps
    assert group.count is not None
    types = (steps.types[element], type)
    start = steps.inline(bodies.scalar_graph(fold.start, types), [steps.literal(fold.first_of(type), type)])
    lifted = steps.inline(bodies.scalar_graph(fold.lift, types), [element, shift])
    total = steps.input(type, group.leading > 0)
    combine = bodies.scalar_graph(fold.combine, types)
    group.reductions.append(Reduction(node, lifted, type, start, combine, total, whole))
    return steps.inline(bodies.scalar_graph(fold.finish, types), [total, group.count])


def known_dtype(type: TensorType) -> DType:
    assert type.dtype is not None
    return type.dtype


def element_of(given: Input) -> Type:
    dtype = given.type.dtype if isinstance(given.type, TensorType) else dtype_of(given.type)
    if given.type == COMPLEX:
        return C128
    return given.type if dtype is None else machine_type(dtype)
