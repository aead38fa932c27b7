"""`Builder`: appends nodes to a block, with types inferred by the operators' rules.

Example:
    >>> from tscript.ir.graph import Graph, Param
    >>> from tscript.dialect import machine
    >>> from tscript.types import INT
    >>> graph = Graph("f", [Param("x", INT)], INT)
    >>> b = Builder(graph.body)
    >>> x = graph.body.params[0]
    >>> with b.if_(b.op(machine.LT, x, b.const(0))) as branch:
    ...     with branch.then:
    ...         _ = b.yield_(b.op(machine.NEG, x))
    ...     with branch.orelse:
    ...         _ = b.yield_(x)
    >>> _ = b.return_(branch.output)
    >>> print(graph)
    graph @f(%x: int) -> int {
      %0: int = const 0
      %1: bool = machine.lt(%x, %0)
      %2: int = if %1 {
        %3: int = machine.neg(%x)
        yield %3
      } else {
        yield %x
      }
      return %2
    }
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from types import TracebackType
from typing import TypeAlias, TypeVar

from tscript.definitions.absent import REQUIRED
from tscript.definitions.opdef import Arg, OpDef, OperatorTypeError
from tscript.definitions.resolve import Resolved
from tscript.definitions.values import constant_type
from tscript.diagnostics import UNKNOWN, Span
from tscript.dialect.machine import TUPLE_MAKE
from tscript.ir import placing
from tscript.ir.analysis import breaks
from tscript.ir.graph import (
    Block,
    Break,
    Call,
    Const,
    Continue,
    For,
    Fork,
    Fused,
    Graph,
    Handler,
    If,
    Label,
    Loop,
    Node,
    Op,
    Raise,
    Return,
    SetSlot,
    Terminator,
    Throw,
    Try,
    Unreachable,
    Value,
    Yield,
)
from tscript.types import (
    ClassType,
    FutureType,
    Type,
    join,
)

N = TypeVar("N", bound=Node)
Kind: TypeAlias = type[BaseException] | None


class Inside:
    """A context in which a builder appends to one block; leaving it restores the block before."""

    __slots__ = ("_builder", "_outer", "block")

    def __init__(self, builder: Builder, block: Block) -> None:
        self._builder = builder
        self._outer = builder.block
        self.block = block

    def __enter__(self) -> Block:
        self._outer = self._builder.block
        self._builder.block = self.block
        return self.block

    def __exit__(self, kind: Kind, error: BaseException | None, trace: TracebackType | None) -> None:
        self._builder.block = self._outer


class Branches:
    """The result of `Builder.if_`: fill ``then`` and ``orelse`` as contexts; a block left open yields nothing.

    The outputs are known when the outer context ends: their types are the joins of what both blocks yield.
    """

    __slots__ = ("_builder", "node", "orelse", "then")

    def __init__(self, builder: Builder, node: If) -> None:
        self._builder = builder
        self.node = node
        self.then = Inside(builder, node.then)
        self.orelse = Inside(builder, node.orelse)

    def __enter__(self) -> Branches:
        return self

    def __exit__(self, kind: Kind, error: BaseException | None, trace: TracebackType | None) -> None:
        if kind is not None:
            return
        ends = []
        for block in self.node.blocks:
            if not block.is_terminated:
                block.nodes.append(Yield((), self.node.span))
            ends.append(block.terminator)
        _add_outputs(self.node, [end for end in ends if isinstance(end, Yield)])

    @property
    def output(self) -> Value:
        """The only output."""
        return self.node.output

    @property
    def outputs(self) -> list[Value]:
        """The results of the branches."""
        return self.node.outputs


class Repeated:
    """The result of `Builder.loop` and `Builder.for_`: the builder appends to the body until the context ends.

    A body left open continues with its own parameters unchanged.
    """

    __slots__ = ("_builder", "_inside", "node")

    def __init__(self, builder: Builder, node: Loop | For) -> None:
        self._builder = builder
        self._inside = Inside(builder, node.body)
        self.node = node

    def __enter__(self) -> Repeated:
        self._inside.__enter__()
        return self

    def __exit__(self, kind: Kind, error: BaseException | None, trace: TracebackType | None) -> None:
        self._inside.__exit__(kind, error, trace)
        if kind is not None:
            return
        body = self.node.body
        if not body.is_terminated:
            body.nodes.append(Continue(self.node.label, self.params, self.node.span))
        if isinstance(self.node, Loop):
            _add_outputs(self.node, list(breaks(body, self.node.label)))

    @property
    def label(self) -> Label:
        """The loop's label, for `Builder.break_` and `Builder.continue_`."""
        return self.node.label

    @property
    def counter(self) -> Value:
        """The counter of a `For`."""
        return self.node.body.params[0]

    @property
    def params(self) -> list[Value]:
        """The carried values inside the body."""
        return self.node.body.params[1:] if isinstance(self.node, For) else self.node.body.params

    @property
    def output(self) -> Value:
        """The only output."""
        return self.node.output

    @property
    def outputs(self) -> list[Value]:
        """The results of the loop."""
        return self.node.outputs


class Group:
    """The result of `Builder.fused`: the builder appends to the group's body until the context ends."""

    __slots__ = ("_inside", "node")

    def __init__(self, builder: Builder, node: Fused) -> None:
        self._inside = Inside(builder, node.body)
        self.node = node

    def __enter__(self) -> Group:
        self._inside.__enter__()
        return self

    def __exit__(self, kind: Kind, error: BaseException | None, trace: TracebackType | None) -> None:
        self._inside.__exit__(kind, error, trace)
        if kind is None:
            _add_outputs(self.node, [self.node.body.terminator])

    @property
    def params(self) -> list[Value]:
        """The inputs inside the body."""
        return self.node.body.params

    @property
    def output(self) -> Value:
        """The only output."""
        return self.node.output

    @property
    def outputs(self) -> list[Value]:
        """The results of the group."""
        return self.node.outputs


class Guarded:
    """The result of `Builder.try_`: fill ``body`` and each `handler` as contexts; a block left open yields nothing.

    The outputs are known when the outer context ends, as for `Branches`.
    """

    __slots__ = ("_builder", "body", "node")

    def __init__(self, builder: Builder, node: Try) -> None:
        self._builder = builder
        self.node = node
        self.body = Inside(builder, node.body)

    def __enter__(self) -> Guarded:
        return self

    def __exit__(self, kind: Kind, error: BaseException | None, trace: TracebackType | None) -> None:
        if kind is not None:
            return
        for block in self.node.blocks:
            if not block.is_terminated:
                block.nodes.append(Yield((), self.node.span))
        _add_outputs(self.node, [b.terminator for b in self.node.blocks if isinstance(b.terminator, Yield)])

    def handler(self, *classes: ClassType, catch: ClassType | None = None) -> Inside:
        """One more handler, as a context with its block.

        Args:
            classes: The exceptions that it catches.
            catch: Type of its last parameter, the exception; None: it has no such parameter.
        """
        params = _parameters(self.node.inputs)
        if catch is not None:
            params.append(Value(catch, "e"))
        block = Block(params)
        self.node.handlers.append(Handler(classes, block))
        return Inside(self._builder, block)

    @property
    def output(self) -> Value:
        """The only output."""
        return self.node.output

    @property
    def outputs(self) -> list[Value]:
        """The results of the body and the handlers."""
        return self.node.outputs


def _add_outputs(node: Node, ends: Sequence[Terminator]) -> None:
    """Give `node` the outputs that `ends` pass, unless it has them already."""
    if node.outputs or not ends:
        return
    types = [v.type for v in ends[0].inputs]
    for end in ends[1:]:
        if len(end.inputs) != len(types):
            raise ValueError(f"{len(types)} values here and {len(end.inputs)} there leave one node")
        for i, value in enumerate(end.inputs):
            joined = join(types[i], value.type)
            if joined is None:
                raise ValueError(f"values of types {types[i]} and {value.type} leave one node")
            types[i] = joined
    node.outputs.extend([Value(type, "", node) for type in types])


class Builder:
    """Appends nodes to `block`.

    Args:
        block: The block that receives nodes; assign it, or use the contexts below, to continue elsewhere.
        span: The default place of nodes.
    """

    __slots__ = ("block", "span")

    def __init__(self, block: Block, span: Span = UNKNOWN) -> None:
        self.block = block
        self.span = span

    def append(self, node: N) -> N:
        """Append any node and return it."""
        self.block.nodes.append(node)
        return node

    def inside(self, block: Block) -> Inside:
        """A context in which nodes go to `block`."""
        return Inside(self, block)

    def const(self, value: object, span: Span | None = None, *, type: Type | None = None, name: str = "") -> Value:
        """A constant.

        Args:
            value: As in `Const`.
            span: Where it stands.
            type: Its type; left out, that of `value` in the language. Machine types and tensors need it.
            name: Hint for printing.
        """
        node = Const(value, constant_type(value) if type is None else type, span or self.span)
        self.block.nodes.append(node)
        output = node.outputs[0]
        output.name = name
        return output

    def op(self, op: OpDef, *inputs: Value, span: Span | None = None, name: str = "") -> Value:
        """Apply an operator; the type comes from its rule.

        Args:
            op: The operator.
            inputs: One per parameter of its schema. Missing ones at the end become constants of their defaults.
            span: Where it stands.
            name: Hint for printing.

        Raises:
            OperatorTypeError: Its rule refuses the inputs, or there are too few or too many.
        """
        given: Sequence[Value] = inputs
        if len(given) != len(op.schema.parameters) and not op.variadic:
            given = self._with_defaults(op, given, span)
        node = Op(op, given, op.type_rule(given), span or self.span)
        self.block.nodes.append(node)
        output = node.outputs[0]
        output.name = name
        return output

    def apply(self, resolved: Resolved) -> Value:
        """Apply the operator that overload resolution found to the arguments, which are values of the graph."""
        return placing.apply(resolved, _Arguments(self))

    def _with_defaults(self, op: OpDef, inputs: Sequence[Value], span: Span | None) -> list[Value]:
        parameters = op.schema.parameters
        missing = parameters[len(inputs) :]
        if len(inputs) > len(parameters) or any(p.default is REQUIRED for p in missing):
            raise OperatorTypeError(f"{op.name} takes {len(parameters)} arguments, found {len(inputs)}")
        out = list(inputs)
        for p in missing:
            value = p.default
            out.append(self.const(float(value) if p.kind == "float" and isinstance(value, int) else value, span))
        return out

    def call(
        self, callee: Graph | str, *inputs: Value, type: Type | None = None, span: Span | None = None, name: str = ""
    ) -> Value:
        """Call a graph of the program.

        Args:
            callee: The graph, or its name; then `type` is the type of the result.
            inputs: One per parameter.
        """
        if isinstance(callee, Graph):
            type = callee.result if type is None else type
            callee = callee.name
        if type is None:
            raise TypeError(f"the result type of @{callee} has to be given with its name")
        output = self.append(Call(callee, inputs, type, span or self.span)).outputs[0]
        output.name = name
        return output

    def fork(self, callee: Graph, *inputs: Value, span: Span | None = None, name: str = "") -> Value:
        """Fork a call of a graph of the program; returns the future of its result.

        Args:
            callee: The graph.
            inputs: One per parameter.
        """
        output = self.append(Fork(callee.name, inputs, FutureType(callee.result), span or self.span)).outputs[0]
        output.name = name
        return output

    def if_(self, cond: Value, types: Sequence[Type] = (), *, span: Span | None = None) -> Branches:
        """An `If`, appended now, as a context whose ``then`` and ``orelse`` are filled.

        Args:
            cond: The condition.
            types: Types of the outputs; left out, they are inferred when the context ends.
        """
        return Branches(self, self.append(If(cond, Block(), Block(), types, span or self.span)))

    def loop(
        self,
        inits: Sequence[Value] = (),
        types: Sequence[Type] = (),
        *,
        params: Sequence[Type] | None = None,
        names: Sequence[str] = (),
        label: str = "L",
        span: Span | None = None,
    ) -> Repeated:
        """A `Loop`, appended now, as a context in which nodes go to its body.

        Args:
            inits: Initial carried values.
            types: Types of the outputs; left out, they are inferred from the breaks.
            params: Types of the carried values; left out, those of `inits`.
            names: Hints for the carried values; left out, those of `inits`.
            label: Hint for the label.
        """
        body = Block(_parameters(inits, params, names))
        return Repeated(self, self.append(Loop(Label(label), inits, body, types, span or self.span)))

    def for_(
        self,
        start: Value,
        stop: Value,
        step: Value,
        inits: Sequence[Value] = (),
        *,
        counter: str = "",
        params: Sequence[Type] | None = None,
        names: Sequence[str] = (),
        label: str = "L",
        span: Span | None = None,
    ) -> Repeated:
        """A `For` over ``range(start, stop, step)``, appended now, as a context in which nodes go to its body.

        Args:
            start, stop, step: Of one integer type.
            inits: Initial carried values.
            counter: Hint for the counter.
            params: Types of the carried values and outputs; left out, those of `inits`.
            names: Hints for the carried values; left out, those of `inits`.
            label: Hint for the label.
        """
        carried = _parameters(inits, params, names)
        body = Block([Value(start.type, counter), *carried])
        node = For(Label(label), start, stop, step, inits, body, span or self.span)
        for output, value in zip(node.outputs, carried, strict=True):
            output.type = value.type
        return Repeated(self, self.append(node))

    def fused(self, inputs: Sequence[Value], types: Sequence[Type] = (), *, span: Span | None = None) -> Group:
        """A `Fused` group, appended now, as a context in which nodes go to its body."""
        return Group(self, self.append(Fused(inputs, Block(_parameters(inits=inputs)), types, span or self.span)))

    def try_(self, slots: Sequence[Value] = (), *, label: str = "T", span: Span | None = None) -> Guarded:
        """A `Try`, appended now, as a context whose body and handlers are filled.

        Args:
            slots: The initial values of the slots. label: Hint for the label.
        """
        return Guarded(self, self.append(Try(Label(label), slots, Block(), (), (), span or self.span)))

    def set(self, target: Guarded | Try, index: int, value: Value, span: Span | None = None) -> SetSlot:
        """Write a slot."""
        node = target.node if isinstance(target, Guarded) else target
        return self.append(SetSlot(node.label, index, value, span or self.span))

    def throw(self, value: Value, span: Span | None = None) -> Throw:
        """Raise an exception object."""
        return self.append(Throw(value, span or self.span))

    def yield_(self, *values: Value, span: Span | None = None) -> Yield:
        """End a block of an `If`, `Fused` or `Try` with its results."""
        return self.append(Yield(values, span or self.span))

    def break_(self, loop: Repeated | Label, *values: Value, span: Span | None = None) -> Break:
        """Leave `loop` with its results."""
        return self.append(Break(loop if isinstance(loop, Label) else loop.label, values, span or self.span))

    def continue_(self, loop: Repeated | Label, *values: Value, span: Span | None = None) -> Continue:
        """Start the next iteration of `loop`."""
        return self.append(Continue(loop if isinstance(loop, Label) else loop.label, values, span or self.span))

    def return_(self, value: Value, span: Span | None = None) -> Return:
        """Return from the graph."""
        return self.append(Return(value, span or self.span))

    def raise_(
        self, exception: str, message: str | None = None, values: Iterable[Value] = (), *, span: Span | None = None
    ) -> Raise:
        """Raise a builtin exception; `message` is a format string over `values`."""
        return self.append(Raise(exception, message, tuple(values), span or self.span))

    def unreachable(self, span: Span | None = None) -> Unreachable:
        """End a block whose last node never falls through."""
        return self.append(Unreachable(span or self.span))


class _Arguments:
    """Values of a graph as the inputs of an operator; see `tscript.ir.placing.Inputs`."""

    def __init__(self, builder: Builder) -> None:
        self.builder = builder

    def given(self, arg: Arg) -> Value:
        assert isinstance(arg, Value)
        return arg

    def constant(self, value: object) -> Value:
        return self.builder.const(value)

    def gathered(self, elements: Sequence[Value]) -> Value:
        return self.builder.op(TUPLE_MAKE, *elements)

    def apply(self, op: OpDef, inputs: Sequence[Value]) -> Value:
        return self.builder.op(op, *inputs)


def _parameters(inits: Sequence[Value], types: Sequence[Type] | None = None, names: Sequence[str] = ()) -> list[Value]:
    return [
        Value(v.type if types is None else types[i], names[i] if i < len(names) else v.name)
        for i, v in enumerate(inits)
    ]
