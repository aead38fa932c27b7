"""Random programs over tensors: views, in-place writes, casts, reductions, errors. Every pass keeps what they do."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import tscript
from tscript.definitions.opdef import OperatorTypeError, Pointwise
from tscript.diagnostics import CompileError
from tscript.dialect import machine
from tscript.ir.builder import Builder
from tscript.ir.graph import Fused, Graph, Op, Param, Program, Value, walk
from tscript.operators.table import TABLE
from tscript.passes import (
    OPTIMISE,
    CommonSubexpressions,
    ConstantPropagation,
    ControlFlow,
    DeadCode,
    Fusion,
    LoopPeeling,
    LoopUnrolling,
    Pass,
    PassContext,
    Peephole,
    ScalarTensors,
    specialise,
)
from tscript.passes.fusion_groups import is_fusible
from tscript.runtime.session.process import current
from tscript.types import FLOAT, INT, TENSOR, ScalarType, TensorType, Type, dtypes

UNARY = ("neg", "abs", "exp", "relu", "clone", "floor", "logical_not", "to_float", "to_double", "to_long")
BINARY = ("add", "sub", "mul", "maximum", "lt", "eq")
IN_PLACE = ("add_", "mul_", "sub_", "copy_", "maximum_")
STEPS: tuple[Pass, ...] = (
    ControlFlow(), ConstantPropagation(), Peephole(), CommonSubexpressions(), DeadCode(), ScalarTensors(),
    LoopPeeling(), LoopUnrolling(), Fusion(),
)  # fmt: skip


class Generator:
    """Draws one program; `generic` gives its tensors no dtypes and ranks."""

    def __init__(self, choices: random.Random, generic: bool = False) -> None:
        self.choices = choices
        self.generic = generic

    def program(self) -> tuple[Program, list[object]]:
        c = self.choices
        shapes = [c.choice(((2, 3), (3, 2), (1, 3), (3,), (), (2, 2))) for _ in range(c.randint(1, 3))]
        kinds = [c.choice((dtypes.float32, dtypes.float32, dtypes.float64, dtypes.int64)) for _ in shapes]
        flat = [np.arange(int(np.prod(s))) * 5 % 7 - 3 for s in shapes]
        arrays = [a.reshape(s).astype(k.name) for a, s, k in zip(flat, shapes, kinds, strict=True)]
        if c.random() < 0.4:
            arrays.append(arrays[0] if c.random() < 0.5 else arrays[0].T)
        types = [TensorType(dtypes.BY_NAME[a.dtype.name], a.ndim) for a in arrays]
        params = [Param(f"t{i}", TENSOR if self.generic else t) for i, t in enumerate(types)]
        graph = Graph("f", [*params, Param("n", INT), Param("s", FLOAT)])
        self.types = [*types, INT, FLOAT]
        b = self.b = Builder(graph.body)
        *tensors, self.n, self.s = graph.body.params
        env = list(tensors)
        self.one = b.const(1)
        self.none = b.const(None)
        self.statements(env, 0)
        results = [c.choice(env) for _ in range(c.randint(1, 3))]
        made = b.op(machine.TUPLE_MAKE, *results)
        b.return_(made)
        graph.result = made.type
        return Program("f", [graph]), [*arrays, c.choice((0, 1, 3)), 0.5]

    def statements(self, env: list[Value], depth: int) -> None:
        for _ in range(self.choices.randint(1, 12 if depth == 0 else 4)):
            kinds = [
                self.unary,
                self.binary,
                self.binary,
                self.write,
                self.view,
                self.reduce,
                self.scalar,
                self.element,
                self.element,
            ]
            if depth < 2:
                kinds += [self.branch, self.loop, self.repeat, self.carry, self.carry]
            with contextlib.suppress(OperatorTypeError):  # dtypes that PyTorch refuses
                self.choices.choice(kinds)(env, depth)

    def unary(self, env: list[Value], depth: int) -> None:
        env.append(self.b.op(TABLE[self.choices.choice(UNARY)], self.choices.choice(env)))

    def operand(self, env: list[Value]) -> Value:
        return self.choices.choice([*env, *env, *env, self.s, self.one])

    def binary(self, env: list[Value], depth: int) -> None:
        op = TABLE[self.choices.choice(BINARY)]
        a, b = self.choices.choice(env), self.operand(env)
        env.append(self.b.op(op, a, b, *([self.one] if len(op.schema.parameters) == 3 else [])))

    def write(self, env: list[Value], depth: int) -> None:
        target = self.choices.choice(env)
        if isinstance(target.type, TensorType) and target.type.dtype is None and not self.generic:
            return
        if self.choices.random() < 0.2:
            self.b.op(TABLE["zero_"], target)
            return
        op = TABLE[self.choices.choice(IN_PLACE)]
        found = self.b.op(op, target, self.operand(env))
        if self.choices.random() < 0.5:
            env.append(found)

    def view(self, env: list[Value], depth: int) -> None:
        source = self.choices.choice(env)
        assert isinstance(source.type, TensorType)
        rank, zero = source.type.rank, self.b.const(0)
        if rank is None:
            return
        kind = self.choices.randint(0, 3)
        if kind == 0 and rank <= 2:
            env.append(self.b.op(TABLE["t"], source))
        elif kind == 1 and rank:
            env.append(self.b.op(TABLE["select.int"], source, zero, self.n))
        elif kind == 2 and rank == 2:
            env.append(self.b.op(TABLE["transpose"], source, zero, self.one))
        elif rank < 3:
            env.append(self.b.op(TABLE["unsqueeze"], source, zero))

    def element(self, env: list[Value], depth: int) -> None:
        """An element read, written, updated, copied, compared or made a number of Python."""
        c, b = self.choices, self.b
        source = c.choice(env)
        assert isinstance(source.type, TensorType)
        zero, found = b.const(0), source
        while isinstance(found.type, TensorType) and found.type.rank:
            dim = b.const(c.randrange(found.type.rank))
            found = b.op(TABLE["select.int"], found, dim, c.choice((zero, self.one, self.n, b.const(-1))))
        if not isinstance(found.type, TensorType) or found.type.rank != 0:
            return
        match c.randint(0, 7):
            case 0:
                self.s = b.op(TABLE["float.Tensor"], found) if depth == 0 else self.s
            case 1:
                self.n = b.op(TABLE["bitwise_and.int"], b.op(TABLE["int.Tensor"], found), self.one)
            case 2 | 3:
                op = TABLE[c.choice((*IN_PLACE, "floor_divide_", "lt_"))]
                env.append(b.op(op, found, self.operand(env)))
            case 4 if depth < 2:
                n, s = self.n, self.s
                truth = b.op(TABLE["bool.Tensor"], b.op(TABLE["lt"], found, self.s))
                with b.if_(truth) as branch:
                    for inside in (branch.then, branch.orelse):
                        with inside:
                            inner = [*env, found]
                            self.statements(inner, depth + 1)
                            b.yield_(c.choice((found, c.choice(inner))))
                            self.n, self.s = n, s
                env += [v for v in branch.outputs if isinstance(v.type, TensorType)]
            case 5:
                op = TABLE[c.choice(BINARY)]
                env.append(b.op(op, found, b.op(TABLE["mul"], found, self.operand(env))))
            case _:
                env.append(found)

    def reduce(self, env: list[Value], depth: int) -> None:
        source = self.choices.choice(env)
        assert isinstance(source.type, TensorType)
        if not source.type.rank:
            return
        keep = self.b.const(self.choices.random() < 0.7)
        env.append(self.b.op(TABLE["sum.dim"], source, self.b.const((0,)), keep, self.none))

    def scalar(self, env: list[Value], depth: int) -> None:
        self.n = self.b.op(TABLE[self.choices.choice(("floor_divide.int", "add.int"))], self.n, self.one)

    def branch(self, env: list[Value], depth: int) -> None:
        n = self.n
        with self.b.if_(self.b.op(TABLE["lt.int"], self.one, n)) as branch:
            for inside in (branch.then, branch.orelse):
                with inside:
                    inner = list(env)
                    self.statements(inner, depth + 1)
                    self.b.yield_(self.choices.choice(inner))
                    self.n = n
        env += [v for v in branch.outputs if isinstance(v.type, TensorType)]

    def loop(self, env: list[Value], depth: int) -> None:
        n = self.n
        init = self.choices.choice(env)
        stop = self.choices.choice((self.n, self.b.const(2)))
        start, step = self.b.const(0), self.one
        if self.choices.random() < 0.4:  # as many iterations as are unrolled, or more, up and down
            first, last, by = self.choices.choice(((5, 0, -1), (11, 0, -1), (9, -4, -3), (0, 23, 2)))
            start, stop, step = self.b.const(first), self.b.const(last), self.b.const(by)
        with self.b.for_(start, stop, step, [init], params=[TENSOR]) as loop:
            inner = [*env, loop.params[0]] if self.generic else list(env)
            self.statements(inner, depth + 1)
            self.b.continue_(loop, self.choices.choice([*inner, loop.params[0]]))
        self.n = n
        if self.generic:
            env.append(loop.output)

    def repeat(self, env: list[Value], depth: int) -> None:
        """A ``while``: what its condition and its body read may be written before the next iteration."""
        n, init = self.n, self.choices.choice(env)
        with self.b.loop([self.b.const(2), init], params=[INT, TENSOR]) as loop:
            left, carried = loop.params
            inner = [*env, carried] if self.generic else list(env)
            with self.b.if_(self.b.op(TABLE["lt.int"], left, self.one)) as branch:
                with branch.then:
                    self.b.break_(loop, carried)
                with branch.orelse:
                    self.b.yield_()
            self.statements(inner, depth + 1)
            left = self.b.op(TABLE["sub.int"], left, self.one)
            self.b.continue_(loop, left, self.choices.choice([*inner, carried]))
        self.n = n
        if self.generic:
            env.append(loop.output)

    def carry(self, env: list[Value], depth: int) -> None:
        """A loop that carries elements: computed, chosen in branches, views, kept or only read."""
        c, b, n, s = self.choices, self.b, self.n, self.s
        inits = [v for v in (self.single(env) for _ in range(c.randint(1, 2))) if v is not None]
        if not inits:
            return
        stop = c.choice((self.n, b.const(3)))
        with b.for_(b.const(0), stop, self.one, inits) as loop:
            inner = [*env, *loop.params]
            if c.random() < 0.3:
                with contextlib.suppress(OperatorTypeError):
                    self.element(inner, 2)
            ends = [self.next(env, p, loop.counter, depth) for p in loop.params]
            if c.random() < 0.2:
                ends.reverse()
            if any(p.type != v.type for p, v in zip(loop.params, ends, strict=True)):
                ends = loop.params
            if c.random() < 0.3:
                with b.if_(b.op(TABLE["lt.int"], loop.counter, self.one)) as branch:
                    with branch.then:
                        b.yield_()
                    with branch.orelse:
                        b.break_(loop, *ends) if c.random() < 0.5 else b.continue_(loop, *loop.params)
            b.continue_(loop, *ends)
        self.n, self.s = n, s
        outputs = loop.outputs
        match c.randint(0, 4):
            case 0:
                self.s = b.op(TABLE["float.Tensor"], outputs[0]) if depth == 0 else s
            case 1:
                env += outputs
            case _:
                env.append(c.choice(outputs))

    def single(self, env: list[Value]) -> Value | None:
        """An element of a tensor of the list."""
        found = self.choices.choice(env)
        while isinstance(found.type, TensorType) and found.type.rank:
            found = self.b.op(TABLE["select.int"], found, self.b.const(0), self.b.const(-1))
        return found if isinstance(found.type, TensorType) and found.type.rank == 0 else None

    def next(self, env: list[Value], value: Value, counter: Value, depth: int) -> Value:
        """What becomes of a carried element."""
        c, b = self.choices, self.b
        assert isinstance(value.type, TensorType)
        other = self.single(env) or value
        match c.randint(0, 6):
            case 0 | 1:
                made = b.op(TABLE["add"], b.op(TABLE["mul"], value, self.s), other, self.one)
            case 2:
                made = b.op(TABLE["maximum"], value, other)
            case 3:
                made = other
            case 4 if depth < 2:
                with b.for_(b.const(0), b.const(2), self.one, [value]) as loop:
                    found = self.next(env, loop.params[0], loop.counter, depth + 1)
                    b.continue_(loop, found if found.type == value.type else loop.params[0])
                made = loop.output
            case _:
                truth = b.op(TABLE["bool.Tensor"], b.op(TABLE["lt"], value, other))
                with b.if_(truth) as branch:
                    with branch.then:
                        found = self.next(env, value, counter, depth + 1)
                        b.yield_(found if found.type == value.type else value)
                    with branch.orelse:
                        b.yield_(other if other.type == value.type and c.random() < 0.5 else value)
                made = branch.output
        return made if made.type == value.type else value


SEEDS = range(60)


@pytest.mark.parametrize("seed", SEEDS)
def test_passes_in_any_order_change_nothing(context: PassContext, check: Callable[..., Program], seed: int):
    choices = random.Random(seed)
    program, args = Generator(choices).program()
    for step in choices.choices(STEPS, k=choices.randint(1, 5)):
        check(program, lambda p, step=step: step.run(p, context), [args])


@pytest.mark.parametrize("seed", SEEDS)
def test_the_whole_order_changes_nothing(context: PassContext, check: Callable[..., Program], seed: int):
    choices = random.Random(seed)
    program, args = Generator(choices, generic=True).program()
    types = types_of(args, has_ranks=seed % 3 > 0)
    program = check(program, lambda p: specialise(p, types, {}, context), [args])
    for step in OPTIMISE:
        check(program, lambda p, step=step: step.run(p, context), [args])
    alone = [
        node
        for block in [program.entry.body]
        for node in walk(block)
        if isinstance(node, Op) and isinstance(node.op.implementation, Pointwise)
        if not isinstance(node.output.type, ScalarType)
    ]
    inside = {n for node in walk(program.entry.body) if isinstance(node, Fused) for n in node.body.nodes}
    for node in alone:
        known = all(v.type.dtype is not None for v in (*node.inputs, *node.outputs) if isinstance(v.type, TensorType))
        assert node in inside or not known or (seed % 3 == 0 and not is_fusible(node))
        assert not is_fusible(node) or node in inside


def types_of(args: Sequence[object], *, has_ranks: bool) -> list[Type]:
    """The types of arguments, with the ranks of tensors or without."""
    arrays = [a for a in args if isinstance(a, np.ndarray)]
    found = [TensorType(dtypes.BY_NAME[a.dtype.name], a.ndim if has_ranks else None) for a in arrays]
    return [*found, INT, FLOAT]


@pytest.mark.parametrize("seed", range(40))
def test_code_that_knows_no_ranks_does_the_same(seed: int):
    """Natively, bit for bit: results, what was written, errors."""
    program, args = Generator(random.Random(1000 + seed), generic=True).program()
    assert outcome(program, args, has_ranks=True) == outcome(program, args, has_ranks=False)


def outcome(program: Program, args: list[Any], *, has_ranks: bool) -> tuple[object, ...]:
    """The result or the error of a native run, and what became of the tensors."""
    runtime, types = current(), types_of(args, has_ranks=has_ranks)
    try:
        made = runtime.linker.link(runtime.compiler.specialise(program, types, {}), types)
    except CompileError as error:
        return (type(error),)
    first = args[0].copy()
    tensors = [tscript.from_numpy(a.copy()) for a in args[:-2]]
    for i, a in enumerate(args[:-2]):  # the last one may be the first, or it transposed
        if a is args[0] or a.base is args[0]:
            tensors[i] = tscript.from_numpy(first if a is args[0] else first.T)
    found: Any
    try:
        found = runtime.native.stubs.invoke(made.signature, made.address, *tensors, *args[-2:])
    except (RuntimeError, IndexError, ZeroDivisionError, ValueError, OverflowError) as error:
        result: object = type(error), str(error)
    else:
        result = [(str(t.dtype), t.shape, t.stride(), t.numpy().tobytes()) for t in found]
    return result, [t.numpy().tobytes() for t in tensors]
