"""The intermediate representation: typed, structured SSA with labelled exits.

A `Graph` is one function: a `Block` of nodes. Control flow is nested: `If`, `Loop` and `For` own blocks. Every block
ends in one terminator:

- ``yield``      the block's results become the results of the `If` (or `Fused`, or `Try`) around it;
- ``continue L`` next iteration of loop L with new values of its carried parameters;
- ``break L``    leave loop L; the values become its results (`Loop`, and `For` alike);
- ``return``     leave the function with a result;
- ``raise``, ``throw`` go to the nearest enclosing handler that catches the exception, else leave the function with it;
- ``unreachable``        control cannot get here: the node before it never falls through.

A block may leave any enclosing loop or `Try`. Exceptions of operators and calls propagate like ``raise``.
A `For` that runs out of iterations yields its carried values, so its results have the types of its carried parameters;
a `Loop` runs until something breaks out of it.

Values are defined once: as an output of a node or a parameter of a block. A value is visible in its block after its
definition and in all blocks nested below. There are no use lists; `tscript.ir.rewrite` computes uses and applies
substitutions. `Op` and `Const` have exactly one output. Values defined in the body of a `Try` are not visible in its
handlers: these get the values of its *slots*, which `SetSlot` writes in the body.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import Enum
from typing import TYPE_CHECKING, ClassVar, final

from tscript.definitions.absent import MISSING, REQUIRED
from tscript.definitions.shared import Shared
from tscript.diagnostics import UNKNOWN, Span
from tscript.late import dataclass, field
from tscript.types import TENSOR, ClassType, EnumType, TensorType, TupleType, Type

if TYPE_CHECKING:
    from tscript.definitions.opdef import OpDef


def _has_members(type: Type) -> bool:
    """Whether values of a type are members of an enum, or tuples with one."""
    return isinstance(type, EnumType) or (isinstance(type, TupleType) and any(map(_has_members, type.elements)))


@final
class Value:
    """An SSA value.

    Attributes:
        type: Its type.
        name: A hint for printing, the user's variable name where there is one.
        node: The node that defines it; None for a block parameter.
    """

    __slots__ = ("name", "node", "type")

    def __init__(self, type: Type, name: str = "", node: Node | None = None) -> None:
        self.type = type
        self.name = name
        self.node = node

    @property
    def constant(self) -> object:
        """The value when it is a compile-time constant, else `MISSING`; so for what may change: tensors, and what is
        `Shared`.

        It is for members of enums too, and tuples of them: their constants are names, which are no strings (see
        `member`).
        """
        if not isinstance(self.node, Const) or isinstance(self.type, TensorType) or type(self.node.value) is Shared:
            return MISSING
        return MISSING if _has_members(self.type) else self.node.value

    @property
    def member(self) -> str | None:
        """The name of a constant enum member; None for other values."""
        if isinstance(self.type, EnumType) and isinstance(self.node, Const) and isinstance(self.node.value, str):
            return self.node.value
        return None

    @property
    def span(self) -> Span:
        """Where it was defined."""
        return self.node.span if self.node is not None else UNKNOWN

    def __repr__(self) -> str:
        return f"<Value {self.name or '?'}: {self.type}>"


@final
class Label:
    """Names a loop for its exits, or a `Try` for its slots; compared by identity."""

    __slots__ = ("name",)

    def __init__(self, name: str = "L") -> None:
        self.name = name


@final
class Block:
    """A list of nodes with parameters; the last node is its terminator once it is complete."""

    __slots__ = ("nodes", "params")

    def __init__(self, params: Sequence[Value] = ()) -> None:
        self.params: list[Value] = list(params)
        self.nodes: list[Node] = []

    @property
    def terminator(self) -> Terminator:
        """The last node."""
        last = self.nodes[-1]
        assert isinstance(last, Terminator)
        return last

    @property
    def is_terminated(self) -> bool:
        """Whether the block is complete."""
        return bool(self.nodes) and isinstance(self.nodes[-1], Terminator)


class Node:
    """Base of all nodes.

    Attributes:
        inputs: Values it uses itself (its blocks have their own).
        outputs: Values it defines.
        span: The source it came from.
    """

    __slots__ = ("inputs", "outputs", "span")

    has_blocks: ClassVar[bool] = False
    """Whether nodes of this class have nested blocks."""

    is_terminator: ClassVar[bool] = False
    """Whether nodes of this class end a block."""

    def __init__(self, inputs: Sequence[Value], output_types: Sequence[Type], span: Span, names: Sequence[str] = ()):
        self.inputs: list[Value] = list(inputs)
        self.outputs: list[Value] = [
            Value(t, names[i] if i < len(names) else "", self) for i, t in enumerate(output_types)
        ]
        self.span = span

    @property
    def blocks(self) -> tuple[Block, ...]:
        """Nested blocks."""
        return ()

    @property
    def output(self) -> Value:
        """The only output."""
        assert len(self.outputs) == 1
        return self.outputs[0]

    def add_output(self, type: Type, name: str = "") -> Value:
        """Append one more output (`If`, `Loop`, `For`, `Fused`, `Try`)."""
        value = Value(type, name, self)
        self.outputs.append(value)
        return value


@final
class Const(Node):
    """A constant: int, float, bool, str, None, a `DType`, a tuple of constants, a tensor, as a read-only array, or a
    `Shared` container."""

    __slots__ = ("value",)

    def __init__(self, value: object, type: Type, span: Span = UNKNOWN) -> None:
        # These two classes are most of all nodes, so they specialise the constructor of the base.
        self.inputs = []
        self.outputs = [Value(type, "", self)]
        self.span = span
        self.value = value


@final
class Op(Node):
    """An application of an operator; one input per parameter of its schema, defaults filled in."""

    __slots__ = ("op",)

    def __init__(self, op: OpDef, inputs: Sequence[Value], type: Type, span: Span = UNKNOWN) -> None:
        self.inputs = list(inputs)
        self.outputs = [Value(type, "", self)]
        self.span = span
        self.op = op


class Call(Node):
    """A call of another graph of the program, by name; one input per parameter."""

    __slots__ = ("callee",)

    def __init__(self, callee: str, inputs: Sequence[Value], type: Type, span: Span = UNKNOWN) -> None:
        super().__init__(inputs, (type,), span)
        self.callee = callee


BLOCKS = 128
"""The number of parts into which a loop with results is divided, at most."""

WORTH = 4096
"""The least work of such a part, in some nanoseconds."""


SHARED_KINDS = ("add", "or", "xor", "and", "max", "min")
"""How copies of an array are joined; a kernel takes the position."""


@final
class ParallelCall(Call):
    """A call of a graph that runs a counted loop, whose iterations may run at the same time and in any order.

    The first three inputs are start, stop and step of the loop; the call may be several, for parts of that range. If
    the graph returns None, the parts are as they come. Otherwise they have `part_size` iterations, whatever runs them,
    and their results are joined in order.

    Attributes:
        join: The graph that makes one result of two; empty if the result is None.
        work: The estimated work of one iteration, in some nanoseconds; at least 1.
        shared: Positions of inputs, arrays of integers that all iterations update, each with the operation, one of
            `SHARED_KINDS`. Each thread has a copy.
    """

    __slots__ = ("join", "shared", "work")

    def __init__(
        self,
        callee: str,
        join: str,
        work: int,
        inputs: Sequence[Value],
        type: Type,
        span: Span = UNKNOWN,
        shared: Sequence[tuple[int, str]] = (),
    ) -> None:
        super().__init__(callee, inputs, type, span)
        self.join = join
        self.work = work
        self.shared = tuple(shared)

    @property
    def least(self) -> int:
        """The iterations of a part, at least."""
        return max(1, WORTH // self.work)

    def part_size(self, count: int) -> int:
        """The iterations of each part but the last, of `count`."""
        return max(self.least, -(-count // BLOCKS))


@final
class Fork(Node):
    """Starts a call of another graph of the program as a task of its own; one input per parameter.

    The output is the `Future` of its result. The task may run at once, on another thread, or in the waiting function.
    Until then it may write to its tensor arguments.
    """

    __slots__ = ("callee",)

    def __init__(self, callee: str, inputs: Sequence[Value], type: Type, span: Span = UNKNOWN) -> None:
        super().__init__(inputs, (type,), span)
        self.callee = callee


@final
class Closure(Node):
    """Makes a function value of a graph of the program. Inputs: the captured values, for the first parameters of the
    graph. The output is a `CallableType` of the remaining parameters."""

    __slots__ = ("callee",)

    def __init__(self, callee: str, inputs: Sequence[Value], type: Type, span: Span = UNKNOWN) -> None:
        super().__init__(inputs, (type,), span)
        self.callee = callee


@final
class Invoke(Node):
    """A call of a function value. Inputs: the function, then one per parameter of its type."""

    __slots__ = ()

    def __init__(self, inputs: Sequence[Value], type: Type, span: Span = UNKNOWN) -> None:
        super().__init__(inputs, (type,), span)


@final
class If(Node):
    """Runs one of two blocks. Input: the condition (`bool`). Blocks have no parameters; they yield the outputs."""

    __slots__ = ("orelse", "then")

    has_blocks = True

    def __init__(
        self, cond: Value, then: Block, orelse: Block, output_types: Sequence[Type] = (), span: Span = UNKNOWN
    ):
        super().__init__((cond,), output_types, span)
        self.then = then
        self.orelse = orelse

    @property
    def blocks(self) -> tuple[Block, ...]:
        return (self.then, self.orelse)


@final
class Loop(Node):
    """Repeats its body until a ``break``. Inputs: initial values of its parameters. Outputs: the values that breaks
    pass."""

    __slots__ = ("body", "label")

    has_blocks = True

    def __init__(
        self, label: Label, inits: Sequence[Value], body: Block, output_types: Sequence[Type] = (), span: Span = UNKNOWN
    ):
        super().__init__(inits, output_types, span)
        self.label = label
        self.body = body

    @property
    def blocks(self) -> tuple[Block, ...]:
        return (self.body,)


class Division(Enum):
    """Whether iterations of a loop may run at the same time; IR text begins such loops with these words.

    `REQUIRED`: they may, and have to be independent; the pass `parallelise` refuses the loop otherwise. `ALLOWED`: they
    may if that pass can prove that they are, and nothing else changes by it.
    """

    NONE = "for"
    REQUIRED = "prange"
    ALLOWED = "auto_prange"


@final
class For(Node):
    """A counted loop over ``range(start, stop, step)``.

    Inputs: start, stop, step (`int`, or all of one machine type), then the initial carried values. The body's
    parameters: the counter, then the carried values. Outputs: one per carried value. A step of zero raises
    `ValueError`; it is checked before the loop by the frontend, so here step is not zero.

    Attributes:
        division: Whether iterations may run at the same time.
    """

    __slots__ = ("body", "division", "label")

    has_blocks = True

    def __init__(
        self,
        label: Label,
        start: Value,
        stop: Value,
        step: Value,
        inits: Sequence[Value],
        body: Block,
        span: Span = UNKNOWN,
        division: Division = Division.NONE,
    ):
        super().__init__((start, stop, step, *inits), [v.type for v in inits], span)
        self.label = label
        self.body = body
        self.division = division

    @property
    def blocks(self) -> tuple[Block, ...]:
        return (self.body,)


@final
class Fused(Node):
    """A group of pointwise operators and reductions computed in one loop nest. The body's parameters match the inputs;
    its nodes are the member operators; it yields the outputs. Members operate on tensors, so the interpreter can run
    the group unchanged. All outputs have one shape, the broadcast of all tensor inputs, or that with its last
    dimension, or everything, reduced.

    Attributes:
        reuse: Parameters of the body whose tensors nobody needs afterwards, so that outputs may take their memory.
    """

    __slots__ = ("body", "reuse")

    has_blocks = True

    def __init__(self, inputs: Sequence[Value], body: Block, output_types: Sequence[Type] = (), span: Span = UNKNOWN):
        super().__init__(inputs, output_types, span)
        self.body = body
        self.reuse: tuple[Value, ...] = ()

    @property
    def blocks(self) -> tuple[Block, ...]:
        return (self.body,)


@final
class Handler:
    """A handler of a `Try` for exceptions of some classes.

    Attributes:
        classes: Types of the classes; there is at least one.
        block: Its parameters are the values of the slots when the exception was raised and, optionally, the exception
            itself.
    """

    __slots__ = ("block", "classes")

    def __init__(self, classes: Sequence[ClassType], block: Block) -> None:
        self.classes: tuple[ClassType, ...] = tuple(classes)
        self.block = block


@final
class Try(Node):
    """Runs its body; an exception raised there goes to the first handler with a matching class.

    Inputs: the initial values of the slots. Outputs: the values that the body, or a handler, yields. An exception
        without a matching handler propagates. Handlers do not catch exceptions of each other.
    """

    __slots__ = ("body", "handlers", "label")

    has_blocks = True

    def __init__(
        self,
        label: Label,
        inits: Sequence[Value],
        body: Block,
        handlers: Sequence[Handler],
        output_types: Sequence[Type] = (),
        span: Span = UNKNOWN,
    ) -> None:
        super().__init__(inits, output_types, span)
        self.label = label
        self.body = body
        self.handlers: list[Handler] = list(handlers)

    @property
    def blocks(self) -> tuple[Block, ...]:
        return (self.body, *[h.block for h in self.handlers])

    def slots(self, handler: Handler) -> list[Value]:
        """The parameters of `handler` that are slots."""
        return handler.block.params[: len(self.inputs)]

    def caught(self, handler: Handler) -> Value | None:
        """The parameter of `handler` that is the exception, or None if it has none."""
        params = handler.block.params
        return params[-1] if len(params) > len(self.inputs) else None


@final
class SetSlot(Node):
    """Writes a slot of the enclosing `Try`. Input: the value."""

    __slots__ = ("index", "label")

    def __init__(self, label: Label, index: int, value: Value, span: Span = UNKNOWN) -> None:
        super().__init__((value,), (), span)
        self.label = label
        self.index = index


class Terminator(Node):
    """Base of the nodes that end a block."""

    __slots__ = ()

    is_terminator = True

    def __init__(self, inputs: Sequence[Value], span: Span) -> None:
        super().__init__(inputs, (), span)


@final
class Yield(Terminator):
    """Ends a block of an `If`, `Fused` or `Try` with its results."""

    __slots__ = ()

    def __init__(self, values: Sequence[Value] = (), span: Span = UNKNOWN) -> None:
        super().__init__(values, span)


@final
class Break(Terminator):
    """Leaves the loop `label` with its results."""

    __slots__ = ("label",)

    def __init__(self, label: Label, values: Sequence[Value] = (), span: Span = UNKNOWN) -> None:
        super().__init__(values, span)
        self.label = label


@final
class Continue(Terminator):
    """Starts the next iteration of the loop `label` with new carried values (the counter of a `For` is not one)."""

    __slots__ = ("label",)

    def __init__(self, label: Label, values: Sequence[Value] = (), span: Span = UNKNOWN) -> None:
        super().__init__(values, span)
        self.label = label


@final
class Return(Terminator):
    """Returns one value (a tuple value for several, a None constant for none)."""

    __slots__ = ()

    def __init__(self, value: Value, span: Span = UNKNOWN) -> None:
        super().__init__((value,), span)


@final
class Raise(Terminator):
    """Raises a builtin exception.

    Attributes:
        exception: Name of the builtin class, ``ValueError``.
        message: A format string over the inputs, ``index {0} is out of range``; None: raised without an argument.

    Inputs: at most six ints, floats or machine scalars.
    """

    __slots__ = ("exception", "message")

    def __init__(self, exception: str, message: str | None, values: Sequence[Value] = (), span: Span = UNKNOWN) -> None:
        super().__init__(values, span)
        self.exception = exception
        self.message = message


@final
class Throw(Terminator):
    """Raises an exception object. Input: the exception."""

    __slots__ = ()

    def __init__(self, value: Value, span: Span = UNKNOWN) -> None:
        super().__init__((value,), span)


@final
class Unreachable(Terminator):
    """Ends a block whose end is unreachable."""

    __slots__ = ()

    def __init__(self, span: Span = UNKNOWN) -> None:
        super().__init__((), span)


@dataclass(frozen=True, slots=True)
class Param:
    """One parameter of a scripted function.

    Attributes:
        name: Its name.
        type: Declared type; a `Tensor` when there is no annotation.
        default: A constant, or `REQUIRED`.
        keyword_only: Whether it comes after ``*``.
        positional_only: Whether it comes before ``/``.
        variadic: Whether it takes all further positional arguments, as a tuple.
        held: The module that the function names, which every call passes for it; None: it is no such parameter.
    """

    name: str
    type: Type
    default: object = REQUIRED
    keyword_only: bool = False
    positional_only: bool = False
    variadic: bool = False
    held: object = field(default=None, repr=False)


def walk(block: Block) -> Iterator[Node]:
    """All nodes of `block` and of the blocks nested in it, in source order, a node before its blocks."""
    nodes = iter(block.nodes)
    waiting: list[Block | Iterator[Node]] = []
    while True:
        for node in nodes:
            yield node
            if node.has_blocks:
                waiting.append(nodes)
                waiting.extend(reversed(node.blocks))
                break
        if not waiting:
            return
        following = waiting.pop()
        nodes = iter(following.nodes) if isinstance(following, Block) else following


__all__ = [
    "REQUIRED",
    "SHARED_KINDS",
    "TENSOR",
    "Block",
    "Break",
    "Call",
    "Closure",
    "Const",
    "Continue",
    "Division",
    "For",
    "Fork",
    "Fused",
    "Handler",
    "If",
    "Invoke",
    "Label",
    "Loop",
    "Node",
    "Op",
    "ParallelCall",
    "Param",
    "Raise",
    "Return",
    "SetSlot",
    "Terminator",
    "Throw",
    "Try",
    "Unreachable",
    "Value",
    "Yield",
    "walk",
]
