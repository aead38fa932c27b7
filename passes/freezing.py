"""Freezing: a method of one object in place of a method of all objects of its class.

Attributes that cannot change become constants, which decide branches; what normalises channels goes into the weights
of what computes them (`fold_batch_norm`), and convolutions take faster ways where larger errors are allowed. Before::

    graph @Net.forward(%self: Net, %x: Tensor) -> Tensor {
      %0: Conv2d = get_field.object(%self, "conv")
      %1: Tensor = call @Conv2d.forward(%0, %x)
      %2: bool = get_field.object(%self, "training")
      %3: Tensor = if %2 { ... } else { yield %1 }
      return %3
    }

After::

    graph @Net.forward(%x: Tensor) -> Tensor {
      %0: Tensor[float32, 4] = const tensor(0)
      ...
      %1: Tensor = conv2d(%x, %0, ...)
      return %1
    }
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import numpy as np

from tscript.definitions.absent import MISSING
from tscript.dialect.machine import TUPLE_MAKE
from tscript.ir.builder import Builder
from tscript.ir.cloning import clone_graph
from tscript.ir.graph import Const, Graph, If, Node, Op, Program, Return, Value, Yield, walk
from tscript.ir.rewrite import erase, rewrite, use_counts, uses
from tscript.late import dataclass
from tscript.operators.python.classes import CLASS_NAME, GET_FIELD, SET_FIELD
from tscript.operators.python.container_literals import LIST_MAKE
from tscript.operators.python.conversions import BOX, DOWNCAST, UPCAST, widen_operator
from tscript.operators.tensor.tensor_lists import LIST_SIZE
from tscript.passes.base import PassContext, run_pipeline
from tscript.passes.common_subexpressions import CommonSubexpressions
from tscript.passes.constant_propagation import ConstantPropagation
from tscript.passes.control_flow import ControlFlow
from tscript.passes.dead_code import DeadCode
from tscript.passes.fold_batch_norm import fold_batch_norm
from tscript.passes.inline import Inline
from tscript.passes.loop_unrolling import LoopUnrolling
from tscript.passes.peephole import Peephole
from tscript.passes.retyping import retype
from tscript.types import (
    BOOL,
    FLOAT,
    INT,
    NONE,
    STR,
    ClassType,
    ListType,
    OptionalType,
    TensorType,
    TupleType,
    Type,
    UnionType,
)

Read = Callable[[object, str], object]
"""Reads an attribute of an object: a plain value, an array for a tensor, an object for one of a class; `MISSING` for an
attribute that has to stay one."""

_INLINE = Inline(max_callee=1 << 30, max_caller=1 << 30, max_depth=1 << 30)
_SIMPLIFY = (
    ControlFlow(),
    ConstantPropagation(),
    Peephole(portable=True),
    CommonSubexpressions(),
    LoopUnrolling(factor=1),
    DeadCode(),
)
_ROUNDS = 16
"""Of simplification, at most: constants decide branches, and what is left then more constants."""


def freeze(
    programs: Sequence[Program],
    root: object,
    read: Read,
    context: PassContext,
    *,
    fold: bool = True,
    fast: bool = False,
) -> list[Program]:
    """New programs for one object, their first argument. That is no parameter any more of those that do not need it.

    What one of them changes stays an attribute in all.

    Args:
        programs: Checked programs, all that are kept of the object; they stay as they are.
        root: The object.
        read: See `Read`.
        context: Of the passes.
        fold: Whether normalisations go into weights.
        fast: Whether errors of convolutions may be larger.
    """
    made = [_copy(program) for program in programs]
    for program in made:
        _INLINE.run(program, context)
    stored: set[str] = set()
    while True:
        tried = [_copy(program) for program in made] if len(made) > 1 else made
        for program in tried:
            _settle(program, _Attributes(program.entry, root, read, stored), context)
        found = set().union(*(_stored(program.entry) for program in tried))
        if len(made) == 1 or found <= stored:
            break
        stored |= found
    for _ in range(_ROUNDS):
        attributes = [_Attributes(program.entry, root, read, stored) for program in tried]
        written = [array for each in attributes for array in each.written()]
        changed = [_round(program, each, context, written) for program, each in zip(tried, attributes, strict=True)]
        if not any(changed):
            break
    for program in tried:
        if fold:
            while fold_batch_norm(program.entry, context):
                run_pipeline(program, _SIMPLIFY, context)
        if fast:
            hasten(program, context)
        graph = program.entry
        if not any(graph.body.params[0] in node.inputs for node in walk(graph.body)):
            del graph.body.params[0]
            graph.params = graph.params[1:]
    return tried


def _copy(program: Program) -> Program:
    return Program(program.main, [clone_graph(g) for g in program.graphs.values()])


def _settle(program: Program, attributes: _Attributes, context: PassContext) -> None:
    """Put constants in place of attributes that are no tensors, again and again, as they decide branches."""
    for _ in range(_ROUNDS):
        if not _round(program, attributes, context, None):
            break
        attributes = attributes.again()


def _round(
    program: Program, attributes: _Attributes, context: PassContext, written: Sequence[np.ndarray[Any, Any]] | None
) -> bool:
    """Put constants in place of attributes once, and simplify; whether anything changed.

    Args:
        program: The program.
        attributes: Of its entry.
        context: Of the passes.
        written: Tensors that are written to; None: all tensors stay attributes.
    """
    changed = attributes.run(written)
    rules = _Rules(context)
    for graph in program.graphs.values():
        changed |= rewrite(graph.body, rules.visit)
        if rules.narrowed:
            retype(graph, context.table)
        changed |= _drop_unused(graph, attributes.objects)
    return changed | run_pipeline(program, _SIMPLIFY, context)


def _stored(graph: Graph) -> set[str]:
    """Names of the attributes that a graph assigns."""
    nodes = (node for node in walk(graph.body) if isinstance(node, Op) and node.op is SET_FIELD)
    return {name for node in nodes if isinstance(name := node.inputs[1].constant, str)}


def fields_of(program: Program) -> set[str]:
    """Names of the attributes that a program reads or changes."""
    nodes = (node for graph in program.graphs.values() for node in walk(graph.body) if isinstance(node, Op))
    names = (node.inputs[1].constant for node in nodes if node.op in (GET_FIELD, SET_FIELD))
    return {name for name in names if isinstance(name, str)}


_FASTER = {"conv2d": "conv2d_fast", "conv2d.padding": "conv2d_fast.padding"}


def hasten(program: Program, context: PassContext) -> None:
    """Let convolutions of images with constant weights of 3 x 3 have larger errors, in place."""

    def visit(node: Node, builder: Builder) -> Sequence[Value] | None:
        if not isinstance(node, Op) or node.op.name not in _FASTER:
            return None
        weight = node.inputs[1].node
        if not isinstance(weight, Const) or np.asarray(weight.value).shape[2:] != (3, 3):
            return None
        faster = Op(context.table[_FASTER[node.op.name]], node.inputs, node.output.type, node.span)
        return builder.append(faster).outputs

    for graph in program.graphs.values():
        rewrite(graph.body, visit)


class _Attributes:
    """Puts constants in place of attributes that nothing changes.

    Args:
        graph: The graph, whose first parameter is the object.
        root, read: See `freeze`.
        stored: Names of the attributes that other graphs assign.

    Attributes:
        objects: Values that are known objects.
    """

    def __init__(self, graph: Graph, root: object, read: Read, stored: Collection[str]) -> None:
        self._graph = graph
        self._root = root
        self._read = read
        self._others = stored
        self._written: Sequence[np.ndarray[Any, Any]] | None = None
        self.objects: dict[Value, object] = {graph.body.params[0]: root}
        self._stored = {*stored, *_stored(graph)}

    def again(self) -> _Attributes:
        """The same for the graph as it is now."""
        return _Attributes(self._graph, self._root, self._read, self._others)

    def run(self, written: Sequence[np.ndarray[Any, Any]] | None) -> bool:
        """Whether anything changed.

        Args:
            written: Tensors that something writes to, which stay; None: all of them stay.
        """
        self._written = written
        return rewrite(self._graph.body, self._visit)

    def written(self) -> list[np.ndarray[Any, Any]]:
        """The attributes that the graph may write to."""
        found: list[np.ndarray[Any, Any]] = []
        used = uses(self._graph.body)
        owners = {block.nodes[-1]: node for node in walk(self._graph.body) for block in node.blocks}
        for node in walk(self._graph.body):
            if not isinstance(node, Op) or node.op is not GET_FIELD or node.inputs[0] not in self.objects:
                continue
            name = node.inputs[1].constant
            value = self._read(self.objects[node.inputs[0]], name) if isinstance(name, str) else MISSING
            if isinstance(node.outputs[0].type, ClassType) and value is not MISSING:
                self.objects[node.outputs[0]] = value
            elif isinstance(value, np.ndarray) and _is_written(node.outputs[0], used, owners):
                found.append(value)
        return found

    def _visit(self, node: Node, builder: Builder) -> Sequence[Value] | None:
        if not isinstance(node, Op) or not node.inputs or node.inputs[0] not in self.objects:
            return None
        builder.span = node.span
        if node.op is CLASS_NAME:
            assert isinstance(node.inputs[0].type, ClassType)
            return (builder.const(node.inputs[0].type.info.name.rpartition(".")[2]),)
        if node.op is not GET_FIELD:
            return None
        name = node.inputs[1].constant
        if not isinstance(name, str) or name in self._stored:
            return None
        value = self._read(self.objects[node.inputs[0]], name)
        output = node.outputs[0]
        if value is MISSING:
            return None
        if isinstance(output.type, ClassType):
            self.objects[output] = value
            return None
        if isinstance(value, np.ndarray):
            written = self._written
            if written is None or any(np.may_share_memory(value, other) for other in written):
                return None
        made = _constant(builder, value, output.type)
        return None if made is None else (made,)


def _constant(builder: Builder, value: Any, type: Type) -> Value | None:
    """A constant of a type; None for values that are no constants of the language."""
    if value is None and type != NONE and not isinstance(type, OptionalType):
        return None
    match type:
        case OptionalType(held) if value is not None:
            return _widened(builder, value, (held,), type)
        case UnionType():
            return _widened(builder, value, type.members, type)
        case TensorType():
            return builder.const(value, type=type) if isinstance(value, np.ndarray) else None
        case TupleType(elements, None) if value.__class__ is tuple and len(value) == len(elements):
            return _together(builder, value, elements, lambda parts: builder.op(TUPLE_MAKE, *parts))
        case ListType(element, frozen=True) if value.__class__ is tuple:
            kind = builder.const(type)
            return _together(builder, value, [element] * len(value), lambda parts: builder.op(LIST_MAKE, kind, *parts))
    is_plain = type in _PLAIN and value.__class__ is _PLAIN[type]
    return builder.const(value, type=type) if is_plain else None


_PLAIN: Mapping[Type, type] = {BOOL: bool, INT: int, FLOAT: float, STR: str, NONE: None.__class__}
"""Ints stand for floats in Python only."""


def _widened(builder: Builder, value: Any, members: Sequence[Type], wanted: Type) -> Value | None:
    """A constant of one of some types, as one of a wider type."""
    for member in members:
        held = _constant(builder, value, member)
        if held is not None:
            return builder.op(widen_operator(member, wanted), held, builder.const(wanted))
    return None


def _together(
    builder: Builder, values: Sequence[Any], types: Sequence[Type], make: Callable[[Sequence[Value]], Value]
) -> Value | None:
    """What is made of several constants."""
    parts = [_constant(builder, value, type) for value, type in zip(values, types, strict=True)]
    found = [part for part in parts if part is not None]
    return make(found) if len(found) == len(parts) else None


def _is_written(value: Value, found: dict[Value, list[tuple[Node, int]]], owners: dict[Node, Node]) -> bool:
    """Whether something in the graph may write to a tensor, or to a view of it."""
    pending, seen = [value], {value}
    while pending:
        for node, position in found.get(pending.pop(), ()):
            passed: Sequence[Value] = ()
            match node:
                case Op():
                    if position in node.op.effects.writes:
                        return True
                    if node.op.effects.view_of == position or node.op in (UPCAST, DOWNCAST):
                        passed = node.outputs
                case Yield():
                    passed = owners[node].outputs
                case Return() | If():
                    pass
                case _:  # carried by a loop, given to a call
                    return True
            for other in passed:
                if other not in seen:
                    seen.add(other)
                    pending.append(other)
    return False


_DROPPING = frozenset({
    "dropout", "train_dropout", "train_dropout_", "alpha_dropout", "feature_alpha_dropout", "feature_dropout",
    "dropout2d", "train_alpha_dropout", "train_feature_alpha_dropout",
})  # fmt: skip
"""Operators that give back their operand outside of training."""


_INTS = ListType(INT, frozen=True)


@dataclass(slots=True)
class _Rules:
    """What operators are outside of training, and of constants.

    Attributes:
        context: Of the passes.
        narrowed: Whether a value got a narrower type.
    """

    context: PassContext
    narrowed: bool = False

    def visit(self, node: Node, builder: Builder) -> Sequence[Value] | None:
        """For `rewrite`."""
        if not isinstance(node, Op):
            return None
        inputs, name = node.inputs, node.op.name
        if name == "batch_norm.running" and inputs[5].constant is False:
            plain = Op(self.context.table["batch_norm"], inputs, node.output.type, node.span)
            return builder.append(plain).outputs
        if name in _DROPPING and inputs[2].constant is False:
            p = inputs[1].constant
            return inputs[:1] if isinstance(p, float | int) and 0 <= p <= 1 else None
        if node.op is DOWNCAST and isinstance(made := inputs[0].node, Op) and made.op is UPCAST:
            held = made.inputs[0]
            if isinstance(held.type, TensorType) and isinstance(node.outputs[0].type, TensorType):
                self.narrowed = True
                return (held,)
        if node.op is LIST_SIZE and inputs[0].type == _INTS and isinstance(made := inputs[0].node, Op):
            if made.op is LIST_MAKE:
                self.narrowed = True
                return (builder.op(TUPLE_MAKE, *made.inputs[1:]),)
        return None


def _drop_unused(graph: Graph, objects: Collection[Value]) -> bool:
    """Remove what was made of attributes, and attributes of these objects, where nothing uses it; whether there was
    anything."""
    counts = use_counts(graph.body)
    gone: list[Node] = []
    for node in reversed([*walk(graph.body)]):
        if isinstance(node, Op) and not counts.get(node.outputs[0]):
            if node.op is LIST_MAKE or node.op is BOX or (node.op is GET_FIELD and node.inputs[0] in objects):
                gone.append(node)
                for value in node.inputs:
                    counts[value] -= 1
    erase(graph.body, gone)
    return bool(gone)


__all__ = ["Read", "freeze", "hasten"]
