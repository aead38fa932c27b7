"""Random well-formed programs: what every tool of the IR must do with any of them.

`Generator` builds programs of scalar arithmetic, tuples, calls and nested control flow with exits to any loop around.
They always end: each loop counts, and only continues below its limit.
"""

from __future__ import annotations

import contextlib
import random

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tscript.abi.exceptions import EXCEPTIONS
from tscript.definitions.opdef import OpDef
from tscript.diagnostics import SourceFile, Span
from tscript.dialect import machine
from tscript.ir.analysis import defined_values, walk_blocks
from tscript.ir.builder import Builder
from tscript.ir.cloning import clone_graph
from tscript.ir.graph import Block, Call, Graph, Label, Node, Param, Program, Try, Value, walk
from tscript.ir.interpreter import StepLimitError, interpret
from tscript.ir.parser import parse_program
from tscript.ir.printer import print_program
from tscript.ir.reader import IRSyntaxError
from tscript.ir.rewrite import rewrite
from tscript.ir.splicing import drop_dead_ends, splice_graph
from tscript.ir.verifier import verify
from tscript.ir.verify_types import VerifyError
from tscript.types import BOOL, F32, FLOAT, I8, I32, INT, U8, TupleType, Type, dtype_of

TABLE = {op.name: op for op in (*machine.LEAVES, machine.TUPLE_MAKE, machine.TUPLE_GET)}
SCALARS = (INT, FLOAT, BOOL, I8, I32, U8, F32)
PAIR = TupleType((INT, FLOAT))
TYPES = (INT, INT, INT, FLOAT, FLOAT, BOOL, I8, I32, U8, F32, PAIR)
INTS = (0, 1, 2, 3, 7, -1, -2, 10, 63, 64, 127, -128, 2**31 - 1, 2**63 - 1, -(2**63))
FLOATS = (0.0, -0.0, 1.0, 0.5, -1.5, 1e300, 1e-300, 5e-324, 0.1, 3e9, float("inf"), float("-inf"), float("nan"))
INTEGER_OPS = (
    machine.ADD, machine.SUB, machine.MUL, machine.QUOT, machine.REM, machine.AND, machine.OR, machine.XOR,
    machine.SHL, machine.SHR,
)  # fmt: skip
FLOAT_OPS = (machine.ADD, machine.SUB, machine.MUL, machine.DIV, machine.COPYSIGN)
COMPARISONS = (machine.EQ, machine.NE, machine.LT, machine.LE, machine.GT, machine.GE)
NAMES = ("", "", "x", "x", "y", "acc", "naïve", "a b", "1st", "_")


HANDLERS = [
    [EXCEPTIONS[name] for name in names]
    for names in (("ValueError",), ("LookupError",), ("ArithmeticError", "KeyError"), ("BaseException",), ("OSError",))
]


class Generator:
    """Draws one program."""

    def __init__(self, choices: random.Random) -> None:
        self.choices = choices
        self.budget = 60
        self.graphs: list[Graph] = []
        self.sources = [SourceFile("f.py"), SourceFile('odd "name".py')]

    def program(self) -> Program:
        for i in range(self.choices.randint(1, 3)):
            self.graph(f"f{i}")
        return Program(self.graphs[-1].name, self.graphs)

    def graph(self, name: str) -> None:
        types = [self.choices.choice(TYPES[:-1]) for _ in range(self.choices.randint(0, 3))]
        params = [Param(f"p{i}", t) for i, t in enumerate(types)]
        graph = Graph(name, params, self.choices.choice(TYPES), self.span())
        self.b = Builder(graph.body)
        self.result = graph.result
        self.loops: list[tuple[Label, Value, list[Type], list[Type]]] = []
        self.tries: list[Try] = []
        env = list(graph.body.params)
        self.statements(env, 0)
        if not self.b.block.is_terminated:
            self.b.return_(self.value(env, graph.result))
        self.graphs.append(graph)

    def span(self) -> Span:
        c = self.choices
        span = Span(c.choice(self.sources), c.randint(1, 9), 0, 9, 4, c.choice(("", "f", "A.<locals>")))
        return span.inlined_at(span) if c.random() < 0.2 else span

    def value(self, env: list[Value], type: Type) -> Value:
        """A visible value of `type`, or a constant."""
        known = [v for v in env if v.type == type]
        if known and self.choices.random() < 0.75:
            return self.choices.choice(known)
        if type == PAIR:
            return self.b.op(machine.TUPLE_MAKE, self.value(env, INT), self.value(env, FLOAT))
        dtype = dtype_of(type)
        assert dtype is not None
        if type == BOOL:
            constant: object = self.choices.random() < 0.5
        elif dtype.is_floating_point:
            constant = machine.wrap(self.choices.choice(FLOATS), type)
        else:
            constant = machine.wrap(self.choices.choice(INTS), type)
        return self.b.const(constant, self.span(), type=type, name=self.choices.choice(NAMES))

    def statements(self, env: list[Value], depth: int) -> None:
        """Some statements; the block may be terminated by them."""
        for _ in range(self.choices.randint(0, 5)):
            self.budget -= 1
            if self.budget < 0 or self.b.block.is_terminated:
                return
            kinds = [self.arithmetic] * 6 + [self.tuples, self.conversion, self.call]
            if depth < 4:
                kinds += [self.branch, self.branch, self.loop, self.counted, self.guarded]
            if self.tries:
                kinds += [self.set_slot, self.set_slot]
            if depth > 0:
                kinds += [self.leave]
            self.b.span = self.span()
            self.choices.choice(kinds)(env, depth)

    def arithmetic(self, env: list[Value], depth: int) -> None:
        type = self.choices.choice(SCALARS)
        dtype = dtype_of(type)
        assert dtype is not None
        a, b = self.value(env, type), self.value(env, type)
        kind = self.choices.random()
        op: OpDef
        if kind < 0.3:
            op = self.choices.choice(COMPARISONS)
        elif kind < 0.4:
            env.append(self.b.op(machine.SELECT, self.value(env, BOOL), a, b))
            return
        elif type == BOOL:
            op = self.choices.choice((machine.AND, machine.OR, machine.XOR))
        elif dtype.is_floating_point:
            op = self.choices.choice(FLOAT_OPS)
        else:
            op = self.choices.choice(INTEGER_OPS)
        env.append(self.b.op(op, a, b, name=self.choices.choice(NAMES)))

    def conversion(self, env: list[Value], depth: int) -> None:
        x = self.value(env, self.choices.choice(SCALARS))
        to = self.choices.choice([t for t in SCALARS if t != BOOL])
        env.append(self.b.op(machine.CONVERT, x, self.b.const(to)))

    def tuples(self, env: list[Value], depth: int) -> None:
        pair = self.value(env, PAIR)
        env.append(self.b.op(machine.TUPLE_GET, pair, self.b.const(self.choices.randint(0, 1))))

    def call(self, env: list[Value], depth: int) -> None:
        if self.graphs:
            callee = self.choices.choice(self.graphs)
            env.append(self.b.call(callee, *[self.value(env, p.type) for p in callee.params]))

    def nested(self, block: Block, env: list[Value], depth: int, results: list[Type]) -> None:
        with self.b.inside(block):
            inner = list(env)
            self.statements(inner, depth + 1)
            if not block.is_terminated:
                self.b.yield_(*[self.value(inner, t) for t in results])

    def branch(self, env: list[Value], depth: int) -> None:
        results = [self.choices.choice(TYPES) for _ in range(self.choices.randint(0, 2))]
        branches = self.b.if_(self.value(env, BOOL), results)
        self.nested(branches.node.then, env, depth, results)
        self.nested(branches.node.orelse, env, depth, results)
        env += branches.outputs

    def guarded(self, env: list[Value], depth: int) -> None:
        """A `Try`; its slots have the types of some values."""
        results = [self.choices.choice(TYPES) for _ in range(self.choices.randint(0, 2))]
        slots = [self.value(env, self.choices.choice(TYPES)) for _ in range(self.choices.randint(0, 3))]
        with self.b.try_(slots) as attempt:
            attempt.node.outputs.extend(Value(t, "", attempt.node) for t in results)
            handlers = self.choices.sample(HANDLERS, self.choices.randint(1, 2))
            blocks = [(attempt.handler(*classes), classes) for classes in handlers]
            self.tries.append(attempt.node)
            self.nested(attempt.node.body, env, depth, results)
            self.tries.pop()
            for inside, _ in blocks:
                self.nested(inside.block, [*env, *inside.block.params], depth, results)
        env += attempt.outputs

    def set_slot(self, env: list[Value], depth: int) -> None:
        target = self.choices.choice(self.tries)
        if target.inputs:
            index = self.choices.randrange(len(target.inputs))
            self.b.set(target, index, self.value(env, target.inputs[index].type))

    def limit(self, i: Value) -> Value:
        """Whether loop counter `i` is below the limit."""
        return self.b.op(machine.LT, i, self.b.const(self.choices.randint(0, 3)))

    def loop(self, env: list[Value], depth: int) -> None:
        carried = [self.choices.choice(TYPES) for _ in range(self.choices.randint(0, 2))]
        results = [self.choices.choice(TYPES) for _ in range(self.choices.randint(0, 2))]
        inits = [self.b.const(0), *[self.value(env, t) for t in carried]]
        with self.b.loop(inits, results, label=self.choices.choice(("L", "outer", "L7"))) as loop:
            self.loops.append((loop.label, loop.params[0], carried, results))
            inner = [*env, *loop.params]
            with self.b.if_(self.limit(loop.params[0])) as branch:
                with branch.orelse:
                    self.b.break_(loop, *[self.value(inner, t) for t in results])
            self.statements(inner, depth + 1)
            if not self.b.block.is_terminated:
                self.leave(inner, depth, kind=0)
            self.loops.pop()
        env += loop.outputs

    def counted(self, env: list[Value], depth: int) -> None:
        carried = [self.choices.choice(TYPES) for _ in range(self.choices.randint(0, 2))]
        type = self.choices.choice((INT, INT, I32))
        bounds = [self.b.const(self.choices.randint(-3, 3), type=type) for _ in range(2)]
        step = self.b.const(self.choices.choice((1, 1, 2, -1)), type=type)
        inits = [self.value(env, t) for t in carried]
        with self.b.for_(bounds[0], bounds[1], step, inits, counter="k") as loop:
            self.loops.append((loop.label, loop.counter, carried, carried))
            inner = [*env, loop.counter, *loop.params]
            self.statements(inner, depth + 1)
            if not self.b.block.is_terminated:
                self.b.continue_(loop, *[self.value(inner, t) for t in carried])
            self.loops.pop()
        env += loop.outputs

    def leave(self, env: list[Value], depth: int, kind: int | None = None) -> None:
        """End the block early: 0 continues, 1 breaks, 2 returns, 3 raises."""
        if kind is None:
            kind = self.choices.randint(0, 3)
        if kind < 2 and self.loops:
            label, counter, carried, results = self.loops[-1] if kind == 0 else self.choices.choice(self.loops)
            if kind == 1:
                self.b.break_(label, *[self.value(env, t) for t in results])
                return
            values = [self.value(env, t) for t in carried]
            if not isinstance(self.owner_of(label), str):
                values.insert(0, self.b.op(machine.ADD, counter, self.b.const(1)))
            self.b.continue_(label, *values)
        elif kind == 3:
            shown = [self.value(env, t) for t in (INT, BOOL)]
            self.b.raise_(
                self.choices.choice(("ValueError", "ValueError", "KeyError", "ZeroDivisionError")),
                '{{{0}}} of {1} "quoted"\n',
                shown,
            )
        else:
            self.b.return_(self.value(env, self.result))

    def owner_of(self, label: Label) -> object:
        """The counter to increase for loops that count by hand; a text for counted loops."""
        for known, counter, _, results in self.loops:
            if known is label:
                return "counted" if counter.name == "k" else counter
        raise AssertionError(results)


def argument(choices: random.Random, type: Type) -> object:
    dtype = dtype_of(type)
    assert dtype is not None
    if dtype.is_floating_point:
        return machine.wrap(choices.choice(FLOATS), type)
    return machine.wrap(choices.choice(INTS), type)


def outcome(program: Program, args: list[object]) -> tuple[object, ...]:
    """What a program does, comparable with NaN among the results."""
    try:
        return ("returns", repr(interpret(program, args, step_limit=20_000)))
    except (ValueError, KeyError, ZeroDivisionError) as error:
        return ("raises", type(error), str(error))
    except StepLimitError:
        return ("too long",)


many = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
randoms = st.randoms(use_true_random=False)


@many
@given(randoms)
def test_programs_verify_round_trip_and_mean_the_same(choices):
    program = Generator(choices).program()
    args = [argument(choices, p.type) for p in program.entry.params]
    verify(program)
    text = print_program(program)
    assert print_program(program) == text
    again = parse_program(text, TABLE)
    assert print_program(again) == text
    verify(again)
    assert outcome(again, args) == outcome(program, args)


@many
@given(randoms)
def test_spans_round_trip(choices):
    program = Generator(choices).program()
    text = print_program(program, spans=True)
    again = parse_program(text, TABLE)
    assert print_program(again, spans=True) == text
    assert print_program(again) == print_program(program)


@many
@given(randoms)
def test_a_clone_prints_the_same_and_shares_nothing(choices):
    program = Generator(choices).program()
    for graph in program.graphs.values():
        mapping: dict[Value, Value] = {}
        clone = clone_graph(graph, mapping=mapping)
        assert str(clone) == str(graph)
        assert not defined_values(clone.body) & defined_values(graph.body)
        assert set(mapping) == defined_values(graph.body)
        assert not {v for n in walk(clone.body) for v in n.inputs} - defined_values(clone.body)
        assert not set(walk_blocks(clone.body)) & set(walk_blocks(graph.body))
    # The verifier finds nodes, blocks, values and labels that stand in two places.
    clones = [clone_graph(g, g.name + "_copy") for g in program.graphs.values()]
    verify(Program(program.main, [*program.graphs.values(), *clones]))


def is_calling(graph: Graph) -> bool:
    return any(isinstance(n, Call) for n in walk(graph.body))


@many
@given(randoms)
def test_inlining_calls_changes_nothing(choices):
    program = Generator(choices).program()
    args = [argument(choices, p.type) for p in program.entry.params]
    before = outcome(program, args)

    def visit(node: Node, builder: Builder):
        if not isinstance(node, Call):
            return None
        found = splice_graph(builder, program.graphs[node.callee], node.inputs, node.span)
        return () if found is None else (found,)

    for graph in program.graphs.values():  # callees first: they are built in this order
        while is_calling(graph):
            assert rewrite(graph.body, visit)
            verify(program)
    assert outcome(program, args) == before


@many
@given(randoms)
def test_inlining_calls_while_walking_changes_nothing(choices):
    program = Generator(choices).program()
    args = [argument(choices, p.type) for p in program.entry.params]
    before = outcome(program, args)

    def visit(node: Node, builder: Builder) -> list[Value] | None:
        if not isinstance(node, Call):
            return None
        result = splice_graph(builder, program.graphs[node.callee], node.inputs, node.span)
        return [] if result is None else [result]

    for graph in program.graphs.values():
        had_calls = any(isinstance(n, Call) for n in walk(graph.body))
        assert rewrite(graph.body, visit) == had_calls
        assert not any(isinstance(n, Call) for n in walk(graph.body))
        verify(program)
    assert outcome(program, args) == before
    text = print_program(program, spans=True)
    assert print_program(parse_program(text, TABLE), spans=True) == text


@many
@given(randoms)
def test_dropping_dead_ends_changes_nothing(choices):
    program = Generator(choices).program()
    args = [argument(choices, p.type) for p in program.entry.params]
    before = outcome(program, args)
    for graph in program.graphs.values():
        drop_dead_ends(graph.body)
        assert not drop_dead_ends(graph.body)
    verify(program)
    assert outcome(program, args) == before


@many
@given(randoms)
def test_a_walk_that_keeps_everything_changes_nothing(choices):
    program = Generator(choices).program()
    text = str(program)
    for graph in program.graphs.values():
        assert not rewrite(graph.body, lambda node, builder: None)
    assert str(program) == text


PIECES = ("", "%0", "}", "{", "int", '"', "Tensor[", "L0", "9" * 5000, "\\", "\0")


@many
@given(randoms)
def test_altered_text_is_refused_or_verified_but_never_crashes(choices):
    text = print_program(Generator(choices).program(), spans=choices.random() < 0.3)
    for _ in range(5):
        at, end = sorted(choices.randrange(len(text)) for _ in range(2))
        piece = choices.choice((*PIECES, text[at:end][:30]))
        altered = text[:at] + piece + text[at + choices.randint(0, 8) :]
        with contextlib.suppress(IRSyntaxError, VerifyError):
            verify(parse_program(altered, TABLE), from_file=True)
