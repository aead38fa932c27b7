"""Random IR as a file may bring it: every portable operator over values of every type, in every kind of node.

A program is grown a node at a time. An operator is drawn first; then values that its schema takes are drawn or made;
what its type rule accepts is kept, as the verifier would. So programs go as far as the verifier lets them, in types too
odd for the checker of source to write. A few have one node that breaks a rule.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.fuzz.ir_types import ODD, RAISED, TypeMaker, class_specs
from tscript.archive.classes import Classes, restore
from tscript.definitions.opdef import Native, OpDef, OperatorTypeError
from tscript.definitions.schema import Parameter
from tscript.definitions.shared import Shared
from tscript.diagnostics.archives import ArchiveError
from tscript.ir.graph import (
    Block,
    Break,
    Call,
    Closure,
    Const,
    Continue,
    For,
    Fork,
    Graph,
    Handler,
    If,
    Invoke,
    Label,
    Loop,
    Node,
    Op,
    Param,
    Program,
    Raise,
    Return,
    SetSlot,
    Throw,
    Try,
    Value,
    Yield,
)
from tscript.ir.printer import print_program
from tscript.ir.signatures import value_from
from tscript.ir.verify_types import accepts
from tscript.operators.python.caches import OPERATORS as CACHES
from tscript.operators.table import TABLE
from tscript.types import (
    ANY,
    BOOL,
    BYTES,
    COMPLEX,
    DTYPE,
    FLOAT,
    INT,
    NEVER,
    NONE,
    SIZE,
    STR,
    TENSOR,
    TYPE,
    CallableType,
    ClassType,
    DictType,
    EnumType,
    FutureType,
    ListType,
    OptionalType,
    SetType,
    TensorType,
    TupleType,
    Type,
    UnionType,
    dtypes,
    is_given,
    is_heap,
    is_taken,
)

PORTABLE: tuple[OpDef, ...] = tuple(op for op in TABLE if op.portable)
QUIET = tuple(op for op in PORTABLE if op.name not in ("print", "flush"))
ARGUMENTS = (INT, FLOAT, BOOL, STR, TENSOR, TENSOR, ListType(INT), ListType(STR), DictType(STR, INT), OptionalType(INT),
             OptionalType(STR),
             TupleType((INT, STR)), SetType(INT), ListType(FLOAT), ListType(TENSOR), TensorType(None, 1))  # fmt: skip
"""Types of parameters, whose values Python gives."""


@dataclass(frozen=True, slots=True)
class GeneratedIR:
    """One program.

    Attributes:
        seed: It was made from.
        text: The IR.
        classes: What the archive says of its classes.
        params, result: The signature, over classes of its own.
        wrong: Whether a node was made to break a rule.
        operators: Names of the operators that are in it.
        tensors: Its constant tensors.
    """

    seed: int
    text: str
    classes: tuple[dict[str, Any], ...]
    params: tuple[Param, ...]
    result: Type
    wrong: bool
    operators: tuple[str, ...]
    tensors: tuple[np.ndarray[Any, Any], ...] = ()


def constant_tensor(choices: random.Random) -> np.ndarray[Any, Any]:
    """A tensor as an archive keeps it: read-only."""
    shape = choices.choice(((), (1,), (3,), (2, 2), (0,), (2, 0), (1, 2, 2)))
    dtype = choices.choice([d for d in dtypes.DTYPES if d.name in NUMPY])
    array = np.array([choices.choice((0, 1, 2, 3, 100)) for _ in range(math.prod(shape))], dtype.name).reshape(shape)
    array.flags.writeable = False
    return array


NUMPY = ("float32", "float64", "int8", "int32", "int64", "uint8", "bool")


class Refused(Exception):
    """No value of a type can be made."""


class Grower:
    """Grows one program."""

    def __init__(self, choices: random.Random, types: TypeMaker) -> None:
        self.choices = choices
        self.types = types
        self.shared = [Shared(), Shared()]
        self.graphs: list[Graph] = []
        self.block = Block()
        self.pool: list[Value] = []
        self.loops: list[tuple[Loop | For, list[Type]]] = []
        self.tries: list[Try] = []
        self.result: Type = INT
        self.budget = 0
        self.depth = 0

    # Values

    def add(self, node: Node) -> Value:
        self.block.nodes.append(node)
        self.pool += node.outputs
        return node.outputs[0] if node.outputs else Value(NONE)

    def const(self, value: object, type: Type) -> Value:
        node = Const(value, type)
        self.block.nodes.append(node)
        return node.output

    def typed(self, type: Type) -> Value:
        return self.const(type, TYPE)

    def apply(self, name: str, *inputs: Value) -> Value:
        op = TABLE[name]
        try:
            return self.add(Op(op, inputs, op.type_rule(inputs)))
        except OperatorTypeError:
            raise Refused(name) from None

    def known(self, wanted: Callable[[Type], bool]) -> Value | None:
        found = [v for v in self.pool if wanted(v.type)]
        return self.choices.choice(found[-12:]) if found else None

    def value(self, type: Type, depth: int = 3) -> Value:
        """A value of a type: one that is there, or a new one."""
        choices = self.choices
        if choices.random() < 0.5:
            found = self.known(lambda t: t == type)
            if found is not None:
                return found
        if depth <= 0 or choices.random() < 0.5:
            try:
                return self.const(self.types.constant(type), type)
            except LookupError:
                pass
        if depth <= 0:
            raise Refused(type)
        made = self.made(type, depth - 1)
        self.pool.append(made)
        return made

    def made(self, type: Type, depth: int) -> Value:
        choices = self.choices
        match type:
            case ListType() | SetType():
                count = 0 if type.element == NEVER else choices.choice((0, 1, 1, 2, 3))
                name = "list.make" if isinstance(type, ListType) else "set.make"
                return self.apply(name, self.typed(type), *[self.value(type.element, depth) for _ in range(count)])
            case DictType():
                parts: list[Value] = []
                for _ in range(choices.randrange(3)):
                    parts += [self.value(type.key, depth), self.value(type.value, depth)]
                return self.apply("dict.make", self.typed(type), *parts)
            case TupleType(named=None):
                return self.apply("tuple.make", *[self.value(e, depth) for e in type.elements])
            case TupleType():
                return self.apply("named.make", self.typed(type), *[self.value(e, depth) for e in type.elements])
            case OptionalType():
                return self.apply("upcast", self.value(type.value, depth), self.typed(type))
            case UnionType():
                return self.member(choices.choice(type.members), type, depth)
            case ClassType():
                return self.instance(type, depth)
            case EnumType():
                return self.apply("enum.member", self.typed(type), self.const(choices.choice((0, 1, -1, 99)), INT))
            case TensorType():
                return self.tensor(depth)
            case FutureType():
                if not is_given(type.value) and choices.random() < 0.95:
                    raise Refused(type)
                graph = self.helper((), type.value)
                return self.add(Fork(graph.name, (), type))
            case CallableType():
                graph = self.helper(type.parameters, type.result)
                return self.add(Closure(graph.name, (), type))
        if type == ANY:
            return self.member(self.types.any(1), ANY, depth)
        if type == SIZE:
            return self.apply("size", self.value(TENSOR, depth))
        try:
            return self.const(self.types.constant(type), type)
        except LookupError:
            raise Refused(type) from None

    def member(self, member: Type, target: Type, depth: int) -> Value:
        if member == NONE:
            return self.const(None, target)
        value = self.value(member, depth)
        name = "upcast" if is_heap(member) else "box"
        return self.apply(name, value, self.typed(target))

    def instance(self, type: ClassType, depth: int) -> Value:
        choices = self.choices
        if "args" in type.info.fields:
            if choices.random() < 0.8:
                args = choices.choice((NONE, STR, ANY, INT))
                given = self.value(ANY if args == INT else args, depth)
                return self.apply("new.exception", given, self.typed(type))
        made = self.apply("object.make", self.typed(type))
        for name, field in type.info.fields.items():
            if choices.random() < 0.75:
                try:
                    self.apply("set_field.object", made, self.const(name, STR), self.value(field, depth))
                except Refused:
                    continue
        return made

    def tensor(self, depth: int) -> Value:
        choices = self.choices
        match choices.randrange(4):
            case 0:
                array = constant_tensor(choices)
                return self.const(array, TensorType(dtypes.BY_NAME[array.dtype.name], array.ndim))
            case 1:
                sizes = tuple(choices.choice((0, 1, 2, 3)) for _ in range(choices.randrange(4)))
                dtype = self.const(self.types.constant(DTYPE), DTYPE)
                return self.apply(
                    choices.choice(("ones", "zeros")), self.const(sizes, TupleType((INT,) * len(sizes))), dtype
                )
            case 2:
                end = self.const(choices.choice((0, 1, 4, 6)), INT)
                return self.apply("arange", end, self.const(None, NONE))
        return self.literal()

    def literal(self) -> Value:
        choices = self.choices
        element = choices.choice((INT, FLOAT, BOOL))
        shape = choices.choice(((), (1,), (3,), (2, 2), (0,), (2, 0)))
        type: Type = element
        value: object = self.types.constant(element)
        for size in reversed(shape):
            type, value = TupleType((type,) * size), (value,) * size
        return self.apply("tensor", self.const(value, type), self.const(None, NONE))

    def helper(self, parameters: Sequence[Type], result: Type) -> Graph:
        """A graph of such parameters."""
        if len(self.graphs) > 5:
            raise Refused("enough graphs")
        graph = Graph(f"g{len(self.graphs)}", [Param(f"p{i}", t) for i, t in enumerate(parameters)], result)
        self.graphs.append(graph)
        outside = self.block, self.pool, self.loops, self.tries, self.result, self.depth
        self.block, self.pool, self.loops, self.tries, self.result = graph.body, list(graph.body.params), [], [], result
        self.depth += 2
        try:
            self.grow(self.choices.randrange(3))
            self.block.nodes.append(Return(self.value(result)))
        except Refused:
            self.graphs.remove(graph)
            raise
        finally:
            self.block, self.pool, self.loops, self.tries, self.result, self.depth = outside
        return graph

    # Operators

    def input(self, p: Parameter, given: Sequence[Value], op: OpDef) -> Value:
        """A value for a parameter."""
        choices = self.choices
        kind = p.kind
        if kind.endswith("?"):
            if choices.random() < 0.35:
                return self.const(None, NONE)
            kind = kind[:-1]
            if choices.random() < 0.2 and kind in ("int", "str", "float") and isinstance(op.implementation, Native):
                return self.value(OptionalType({"int": INT, "str": STR, "float": FLOAT}[kind]))
        receiver = given[0].type if given else NONE
        named: dict[str, Type] = {"self": receiver, "list[int]": ListType(INT), "list[self]": ListType(receiver)}
        match receiver:
            case ListType() | SetType():
                named |= {"T": receiver.element, "list[T]": ListType(receiver.element, choices.random() < 0.3)}
            case DictType():
                named |= {"T": receiver.key, "K": receiver.key, "V": receiver.value}
        if kind in ("T", "K", "V", "self", "list[T]", "list[int]", "list[self]"):
            if kind in named and choices.random() < 0.9:
                return self.value(named[kind])
            return self.anything()
        if kind == "type":
            return self.typed(self.target(given, op))
        if kind == "Any":
            if given and choices.random() < 0.4:
                return self.value(given[0].type)
            return self.anything()
        found = self.known(lambda t: t != NEVER and accepts(kind, t)) if choices.random() < 0.5 else None
        if found is not None:
            return found
        return self.value(self.of_kind(kind, given, op))

    def target(self, given: Sequence[Value], op: OpDef) -> Type:
        """A type for an operand that is one."""
        choices, types = self.choices, self.types
        if choices.random() < 0.1:
            return types.any()
        if op.name == "list.make":
            return ListType(types.any(1), choices.random() < 0.2)
        if op.name in ("dict.make", "set.make"):
            return DictType(types.key(), types.any(1)) if op.name == "dict.make" else SetType(types.key())
        if op.name in ("object.make", "named.make", "enum.member", "new.exception"):
            return choices.choice([*types.classes, *RAISED[:8]])
        held = given[0].type if given else INT
        match held:
            case OptionalType(value=value):
                return choices.choice((value, NONE, held, ANY))
            case UnionType(members=members):
                return choices.choice((*members, ANY))
        return choices.choice((ANY, OptionalType(held) if held not in (NONE, ANY) else ANY, types.any(1), held))

    def of_kind(self, kind: str, given: Sequence[Value], op: OpDef) -> Type:
        choices, types = self.choices, self.types
        match kind:
            case "list":
                return ListType(choices.choice((INT, FLOAT, STR, TENSOR, types.any(1))), choices.random() < 0.2)
            case "dict":
                return DictType(types.key(), types.any(1))
            case "set":
                return SetType(types.key())
            case "table":
                return DictType(types.key(), types.any(1)) if choices.random() < 0.5 else SetType(types.key())
            case "object":
                return choices.choice([*[c for c in types.classes if isinstance(c, ClassType)], *RAISED[:6]])
            case "Tensor":
                return choices.choice((TENSOR, TENSOR, TENSOR, INT, FLOAT))
            case "Tensor[]":
                return TupleType((TENSOR,) * choices.randrange(4))
            case "int[]" | "int[1]":
                return choices.choice((TupleType((INT,) * choices.randrange(4)), SIZE))
            case "float[]":
                return TupleType((FLOAT,) * choices.randrange(4))
            case "Scalar":
                return choices.choice((INT, FLOAT, BOOL))
        named: dict[str, Type] = {"int": INT, "float": FLOAT, "bool": BOOL, "str": STR, "dtype": DTYPE, "None": NONE}
        return named.get(kind) or (BYTES if kind == "bytes" else COMPLEX)

    def anything(self) -> Value:
        if self.pool and self.choices.random() < 0.5:
            return self.choice_of_pool()
        return self.value(self.types.any())

    def choice_of_pool(self) -> Value:
        return self.choices.choice(self.pool[-15:])

    def operator(self, op: OpDef) -> bool:
        """Apply an operator, if values can be found that its rule takes."""
        for _ in range(4):
            mark, kept = len(self.block.nodes), list(self.pool)
            inputs: list[Value] = []
            try:
                parameters = list(op.schema.parameters)
                if op.variadic:
                    parameters[-1:] = parameters[-1:] * self.choices.randrange(4)
                if op in CACHES:
                    inputs += self.cache()
                for p in parameters[len(inputs) :]:
                    inputs.append(self.input(p, inputs, op))
                if "field" in op.name:
                    inputs[1] = self.field(inputs[0])
                    if len(inputs) > 2 and isinstance(inputs[0].type, ClassType):
                        wanted = inputs[0].type.info.fields.get(str(inputs[1].constant))
                        if wanted is not None and self.choices.random() < 0.9:
                            inputs[2] = self.value(wanted)
                fine = all(
                    v.type != NEVER
                    and (accepts(p.kind, v.type) or (p.kind == "Tensor" and v.type in (INT, FLOAT, BOOL)))
                    for p, v in zip(parameters, inputs, strict=True)
                )
                if fine:
                    found = op.type_rule(inputs)
                    type = found
                    if isinstance(found, TensorType) and self.choices.random() < 0.8:
                        type = TENSOR
                    self.add(Op(op, inputs, type))
                    return True
            except (Refused, OperatorTypeError):
                pass
            except Exception:  # noqa: BLE001 - a rule is not written for these: the verifier refuses them
                pass
            self.undo(mark, kept)
        return False

    def undo(self, mark: int, kept: list[Value]) -> None:
        """Take back what was appended."""
        del self.block.nodes[mark:]
        self.pool[:] = kept

    def cache(self) -> list[Value]:
        """The containers of a cache."""
        held = Const(self.choices.choice(self.shared), DictType(self.types.key(), self.types.any(1)))
        state = Const(self.choices.choice(self.shared), ListType(INT))
        self.block.nodes += [held, state]
        return [held.output, state.output]

    def field(self, value: Value) -> Value:
        fields = list(value.type.info.fields) if isinstance(value.type, ClassType) else []
        return self.const(self.choices.choice([*fields, *fields, "nothing", "__record__"] if fields else ["x"]), STR)

    # Nodes with blocks

    @contextmanager
    def inside(self, block: Block, *values: Value) -> Iterator[None]:
        outside = self.block, self.pool
        self.block, self.pool = block, [*self.pool, *values]
        self.depth += 1
        try:
            yield
        finally:
            self.block, self.pool = outside
            self.depth -= 1

    def statement(self) -> None:
        choices = self.choices
        if self.depth >= 3 or choices.random() < 0.75:
            for _ in range(3):
                if self.operator(choices.choice(QUIET)):
                    return
            return
        mark, kept, graphs = len(self.block.nodes), list(self.pool), list(self.graphs)
        try:
            choices.choice((self.if_, self.loop, self.for_, self.try_, self.call, self.invoke))()
        except Refused:
            self.undo(mark, kept)
            self.graphs[:] = graphs

    def grow(self, count: int) -> None:
        for _ in range(count):
            self.statement()

    def results(self) -> list[Type]:
        return [self.types.any(1) for _ in range(self.choices.randrange(3))]

    def end(self, types: Sequence[Type], *, yields: bool) -> None:
        """End the block: with its results, or by leaving."""
        choices = self.choices
        chance = choices.random()
        if chance < 0.08:
            self.raise_()
        elif chance < 0.13:
            self.block.nodes.append(Return(self.value(self.result)))
        elif chance < 0.25 and self.loops:
            self.leave()
        elif yields:
            self.block.nodes.append(Yield([self.value(t) for t in types]))
        else:
            self.leave()

    def leave(self) -> None:
        node, carried = self.choices.choice(self.loops)
        if isinstance(node, For) and self.choices.random() < 0.6:
            self.block.nodes.append(Continue(node.label, [self.value(t) for t in carried]))
        else:
            self.block.nodes.append(Break(node.label, [self.value(v.type) for v in node.outputs]))

    def raise_(self) -> None:
        choices = self.choices
        if choices.random() < 0.5:
            exception = choices.choice(RAISED)
            found = self.known(lambda t: t == INT)
            values = [found] if found is not None else []
            message = choices.choice((None, "m", "{0}", "{0:c}", "{0:x} {{}}", "{1}", "%s\0é"))
            if message is not None and "{0" in message and not values:
                message = "m"
            self.block.nodes.append(Raise(str(exception), message, values if message is not None else ()))
        else:
            self.block.nodes.append(
                Throw(
                    self.value(
                        choices.choice(
                            [
                                *RAISED[:6],
                                *[
                                    c
                                    for c in self.types.classes
                                    if isinstance(c, ClassType) and "args" in c.info.fields
                                ],
                            ]
                        )
                    )
                )
            )

    def if_(self) -> None:
        types = self.results()
        cond = self.value(BOOL)
        then, orelse = Block(), Block()
        for block in (then, orelse):
            with self.inside(block):
                self.grow(self.choices.randrange(3))
                self.end(types, yields=True)
        self.add(If(cond, then, orelse, types))

    def loop(self) -> None:
        """One that ends after a few rounds, by a counter of its own."""
        types, carried = self.results(), self.results()
        inits = [self.const(0, INT), *[self.value(t) for t in carried]]
        body = Block([Value(v.type) for v in inits])
        node = Loop(Label("L"), inits, body, types)
        with self.inside(body, *body.params):
            done = self.apply("ge.int", body.params[0], self.const(self.choices.randrange(4), INT))
            out, stay = Block(), Block()
            with self.inside(out):
                out.nodes.append(Break(node.label, [self.value(t) for t in types]))
            stay.nodes.append(Yield(()))
            self.block.nodes.append(If(done, out, stay))
            following = self.apply("add.int", body.params[0], self.const(1, INT))
            self.loops.append((node, []))
            try:
                self.grow(self.choices.randrange(3))
                again = [following, *[self.value(t) for t in carried]]
            finally:
                self.loops.pop()
            self.block.nodes.append(Continue(node.label, again))
        self.add(node)

    def for_(self) -> None:
        choices = self.choices
        carried = self.results()
        bounds = choices.choice(((0, 3, 1), (3, 0, -1), (0, 7, 2), (2**63 - 3, 2**63 - 1, 1),
                                 (-(2**63), -(2**63) + 2, 1), (5, 0, 1), (0, 3, 0),
                                 (2**63 - 1, -(2**63), -(2**63)), (0, 2**63 - 1, 2**62)))  # fmt: skip
        start, stop, step = (self.const(b, INT) for b in bounds)
        if choices.random() < 0.3:  # no constants to the compiler
            start, stop, step = (self.opaque(v) for v in (start, stop, step))
        inits = [self.value(t) for t in carried]
        body = Block([Value(INT), *[Value(t) for t in carried]])
        node = For(Label("L"), start, stop, step, inits, body)
        for output, type in zip(node.outputs, carried, strict=True):
            output.type = type
        with self.inside(body, *body.params):
            self.loops.append((node, carried))
            try:
                self.grow(choices.randrange(3))
                self.end(carried, yields=False)
            finally:
                self.loops.pop()
        self.add(node)

    def opaque(self, value: Value) -> Value:
        """The same number as an element of a list, which the compiler does not look into."""
        items = self.apply("list.make", self.typed(ListType(INT)), value)
        return self.apply("getitem.list", items, self.const(0, INT))

    def try_(self) -> None:
        choices = self.choices
        types, slots = self.results(), self.results()
        inits = [self.value(t) for t in slots]
        node = Try(Label("T"), inits, Block(), [], types)
        handlers: list[Handler] = []
        caught = [choices.choice([*RAISED, RAISED[0], RAISED[0]]) for _ in range(choices.randint(1, 2))]
        for type in caught:
            as_value = [Value(choices.choice((type, RAISED[0], type)))] if choices.random() < 0.6 else []
            block = Block([*[Value(t) for t in slots], *as_value])
            handlers.append(Handler([type], block))
        node.handlers = handlers
        with self.inside(node.body):
            self.tries.append(node)
            try:
                for _ in range(choices.randint(1, 3)):
                    self.statement()
                    if slots and choices.random() < 0.5:
                        at = choices.randrange(len(slots))
                        self.block.nodes.append(SetSlot(node.label, at, self.value(slots[at])))
                self.end(types, yields=True)
            finally:
                self.tries.pop()
        for handler in handlers:
            with self.inside(handler.block, *handler.block.params):
                self.grow(choices.randrange(2))
                self.end(types, yields=True)
        self.add(node)

    def call(self) -> None:
        parameters, result = self.results(), self.types.any(1)
        graph = self.helper(parameters, result)
        inputs = [self.value(t) for t in parameters]
        if self.choices.random() < 0.3:
            held = self.choices.randrange(len(parameters) + 1)
            self.add(Closure(graph.name, inputs[:held], CallableType(tuple(parameters[held:]), result)))
        elif self.choices.random() < 0.3 and is_given(result) and all(map(is_taken, parameters)):
            future = self.add(Fork(graph.name, inputs, FutureType(result)))
            self.apply("wait", future)
        else:
            self.add(Call(graph.name, inputs, result))

    def invoke(self) -> None:
        found = self.known(lambda t: isinstance(t, CallableType))
        if found is None:
            found = self.value(CallableType(tuple(self.results()), self.types.any(1)))
        assert isinstance(found.type, CallableType)
        self.add(Invoke([found, *[self.value(t) for t in found.type.parameters]], found.type.result))

    # Programs

    def spoil(self) -> bool:
        """Make one node break a rule."""
        choices = self.choices
        nodes = [n for n in self.block.nodes if isinstance(n, Op)]
        if not nodes:
            return False
        node = choices.choice(nodes)
        match choices.randrange(3):
            case 0 if node.inputs:
                earlier = [v for v in self.pool if v.node in self.block.nodes[: self.block.nodes.index(node)]]
                if not earlier:
                    return False
                node.inputs[choices.randrange(len(node.inputs))] = choices.choice(earlier)
            case 1:
                node.op = choices.choice(PORTABLE)
            case _:
                node.outputs[0].type = choices.choice((self.types.any(), choices.choice(ODD)))
        return True


def generate_ir(seed: int, classes: Callable[[], Classes]) -> GeneratedIR:
    """The program of a seed.

    Args:
        seed: Of the random choices.
        classes: What its classes join.

    Raises:
        ArchiveError: Its classes are refused.
    """
    choices = random.Random(f"ir {seed}")
    specs = class_specs(choices)
    try:
        known = restore(specs, value_from, classes())
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError) as error:
        raise ArchiveError(str(error)) from error
    grower = Grower(choices, TypeMaker(choices, known))
    params = [Param(f"a{i}", choices.choice(ARGUMENTS)) for i in range(choices.randrange(4))]
    graph = Graph("f", params, INT)
    grower.block, grower.pool = graph.body, list(graph.body.params)
    graph.result = grower.result = choices.choice((INT, ListType(ANY), STR, grower.types.any()))
    grower.graphs.append(graph)
    grower.grow(choices.randint(2, 8))
    wrong = choices.random() < 0.12 and grower.spoil()
    _return(grower, graph)
    program = Program("f", grower.graphs)
    handles: list[Any] = []
    text = print_program(program, handles=handles)
    names = {n.op.name for g in grower.graphs for n in _walk(g.body) if isinstance(n, Op)}
    return GeneratedIR(
        seed,
        text,
        tuple(specs),
        tuple(params),
        graph.result,
        wrong,
        tuple(sorted(names)),
        tuple(h for h in handles if not isinstance(h, Shared)),
    )


def _return(grower: Grower, graph: Graph) -> None:
    """Return some of the last values, or something of the type that returns within were made for."""
    returns = any(isinstance(n, Return) for n in _walk(graph.body))
    mark, kept = len(grower.block.nodes), list(grower.pool)
    values = [v for v in grower.pool if v.type not in (NEVER, TYPE)][-5:]
    try:
        if returns or not values:
            graph.body.nodes.append(Return(grower.value(graph.result)))
        else:
            whole = grower.apply("tuple.make", *values)
            graph.result = whole.type
            graph.body.nodes.append(Return(whole))
    except Refused:
        grower.undo(mark, kept)
        graph.body.nodes.append(Raise("ValueError", "nothing", ()))


def _walk(block: Block) -> Iterator[Node]:
    for node in block.nodes:
        yield node
        for inner in node.blocks:
            yield from _walk(inner)


__all__ = ["PORTABLE", "GeneratedIR", "generate_ir"]
