"""What is said of values holds in every run: random programs of the language's ints, loops and lists."""

# mypy: disable-error-code="attr-defined"

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

import pytest

import tscript
from tscript.ir.builder import Builder
from tscript.ir.graph import Graph, Node, Op, Param, Program, Value, walk
from tscript.ir.parser import parse_program
from tscript.ir.rewrite import rewrite
from tscript.operators.table import TABLE
from tscript.passes import PassContext, ValueRange
from tscript.passes.intervals import WHOLE, Range
from tscript.passes.ranges import Ranges
from tscript.passes.value_range import PROVED
from tscript.types import BOOL, INT, STR, ListType

EDGES = (
    0,
    1,
    -1,
    2,
    3,
    7,
    10,
    63,
    64,
    255,
    2**31,
    2**32,
    2**62,
    -(2**62),
    2**63 - 1,
    2**63 - 2,
    -(2**63),
    -(2**63) + 1,
)
TWO = [
    TABLE[f"{n}.int"]
    for n in ("add", "sub", "mul", "add", "sub", "mul", "wrapping_add", "wrapping_sub", "wrapping_mul")
]
TWO += [
    TABLE[f"{n}.int"] for n in ("floor_divide", "remainder", "min", "max", "bitwise_and", "bitwise_or", "bitwise_xor")
]
TWO += [TABLE[f"bitwise_{n}_shift.int"] for n in ("left", "right")]
ONE = [TABLE[f"{n}.int"] for n in ("neg", "abs", "bitwise_not", "positive")]
COMPARE = [TABLE[f"{n}.int"] for n in ("lt", "le", "gt", "ge", "eq", "ne")]
INTS = ListType(INT)


class Generator:
    """Draws one graph of an int, a bool and lists of ints."""

    def __init__(self, choices: random.Random) -> None:
        self.choices = choices
        self.budget = 30
        self.graph = Graph("f", [Param("x", INT), Param("y", INT), Param("xs", INTS), Param("t", STR)], INT)
        self.b = Builder(self.graph.body)
        x, y, xs, text = self.graph.body.params
        self.texts = [text]
        self.statements([x, y], [xs], 0)
        if not self.b.block.is_terminated:
            self.b.return_(self.number([x, y]))

    def program(self) -> Program:
        return Program("f", [self.graph])

    def number(self, env: Sequence[Value]) -> Value:
        if env and self.choices.random() < 0.7:
            return self.choices.choice(env[-6:])
        small = self.choices.random() < 0.6
        return self.b.const(self.choices.randint(-4, 9) if small else self.choices.choice(EDGES))

    def condition(self, env: Sequence[Value], depth: int = 0) -> Value:
        kind = self.choices.random()
        if depth < 2 and kind < 0.25:
            name = self.choices.choice(("bitwise_and.bool", "bitwise_or.bool"))
            return self.b.op(TABLE[name], self.condition(env, depth + 1), self.condition(env, depth + 1))
        if depth < 2 and kind < 0.35:
            return self.b.op(TABLE["not.bool"], self.condition(env, depth + 1))
        if depth < 2 and kind < 0.5:
            with self.b.if_(self.condition(env, depth + 1), [BOOL]) as branch:
                with branch.then:
                    self.b.yield_(self.condition(env, depth + 1))
                with branch.orelse:
                    self.b.yield_(self.b.const(self.choices.random() < 0.5))
            return branch.output
        return self.b.op(self.choices.choice(COMPARE), self.number(env), self.number(env))

    def statements(self, env: list[Value], lists: list[Value], depth: int) -> None:
        for _ in range(self.choices.randint(1, 5)):
            self.budget -= 1
            if self.budget < 0 or self.b.block.is_terminated:
                return
            kinds: list[Callable[..., None]] = [self.arithmetic] * 6 + [self.index] * 3 + [self.new_list, self.change]
            if depth < 4:
                kinds += [self.branch, self.branch, self.counted, self.counted, self.loop, self.filled]
            self.choices.choice(kinds)(env, lists, depth)

    def arithmetic(self, env: list[Value], lists: list[Value], depth: int) -> None:
        if self.choices.random() < 0.15:
            env.append(self.b.op(self.choices.choice(ONE), self.number(env)))
        else:
            env.append(self.b.op(self.choices.choice(TWO), self.number(env), self.number(env)))

    def index(self, env: list[Value], lists: list[Value], depth: int) -> None:
        xs, b = self.choices.choice(lists), self.b
        match self.choices.randint(0, 4):
            case 0:
                env.append(b.op(TABLE["len.list"], xs))
            case 1:
                b.op(TABLE["setitem.list"], xs, self.number(env), self.number(env))
            case 2:
                env.append(b.op(TABLE["code_at.str"], self.texts[0], self.number(env)))
            case 3:
                env.append(b.op(TABLE["len.str"], self.texts[0]))
            case _:
                env.append(b.op(TABLE["getitem.list"], xs, self.number(env)))

    def new_list(self, env: list[Value], lists: list[Value], depth: int) -> None:
        type = self.b.const(INTS)
        made = self.b.op(TABLE["list.make"], type, *[self.number(env) for _ in range(self.choices.randint(0, 3))])
        if self.choices.random() < 0.5:
            times = self.b.op(TABLE["remainder.int"], self.number(env), self.b.const(9))
            made = self.b.op(TABLE["mul.list"], made, times)
            env.append(times)
        lists.append(made)

    def change(self, env: list[Value], lists: list[Value], depth: int) -> None:
        xs = self.choices.choice(lists)
        if self.choices.random() < 0.6:
            self.b.op(TABLE["append.list"], xs, self.number(env))
        else:
            env.append(self.b.op(TABLE["pop.list"], xs))

    def nested(self, env: list[Value], lists: list[Value], depth: int, results: int) -> None:
        inner, held = list(env), list(lists)
        self.statements(inner, held, depth + 1)
        if not self.b.block.is_terminated:
            self.b.yield_(*[self.number(inner) for _ in range(results)])

    def branch(self, env: list[Value], lists: list[Value], depth: int) -> None:
        results = self.choices.randint(0, 2)
        leaves = self.choices.random() < 0.2
        with self.b.if_(self.condition(env), [INT] * results) as branch:
            with branch.then:
                self.nested(env, lists, depth, results)
            with branch.orelse:
                if leaves:
                    self.b.return_(self.number(env))
                else:
                    self.nested(env, lists, depth, results)
        env += branch.outputs

    def bounds(self, env: list[Value], lists: list[Value]) -> tuple[Value, Value, Value]:
        b, c = self.b, self.choices
        start = b.const(c.choice((0, 0, 0, 1, -2, 2**63 - 4)))
        step = b.const(c.choice((1, 1, 1, 2, 3, -1)))
        kind = c.random()
        if kind < 0.4:
            stop = b.op(TABLE["len.list"], c.choice(lists))
            env.append(stop)
        elif kind < 0.7:
            stop = b.op(TABLE["remainder.int"], self.number(env), b.const(12))
        else:
            stop = b.const(c.choice((0, 3, 5, -3, 2**63 - 1 if start.constant != 0 and start.constant != 1 else 4)))
        if step.constant == -1:
            start, stop = stop, b.const(c.choice((0, -1)))
            if isinstance(start.constant, int) and start.constant > 20:
                start = b.const(6)
        elif (
            isinstance(start.constant, int)
            and start.constant == -2
            and isinstance(stop.constant, int)
            and stop.constant > 9
        ):
            stop = b.const(6)
        return start, stop, step

    def counted(self, env: list[Value], lists: list[Value], depth: int) -> None:
        start, stop, step = self.bounds(env, lists)
        inits = [self.number(env) for _ in range(self.choices.randint(0, 2))]
        with self.b.for_(start, stop, step, inits, params=[INT] * len(inits), counter="i") as loop:
            inner, held = [*env, *loop.params, loop.counter], list(lists)
            self.statements(inner, held, depth + 1)
            if not self.b.block.is_terminated:
                if self.choices.random() < 0.25:
                    with self.b.if_(self.condition(inner)) as branch, branch.then:
                        self.b.break_(loop, *[self.number(inner) for _ in inits])
                self.b.continue_(loop, *[self.number(inner) for _ in inits])
        env += loop.outputs

    def loop(self, env: list[Value], lists: list[Value], depth: int) -> None:
        """A loop that counts in some way; it may not end, which the interpreter notices."""
        b = self.b
        inits = [self.number(env) for _ in range(self.choices.randint(1, 3))]
        with b.loop(inits, [INT], params=[INT] * len(inits)) as loop:
            inner, held = [*env, *loop.params], list(lists)
            with b.if_(self.condition([*inner, *loop.params])) as branch, branch.orelse:
                b.break_(loop, self.number(inner))
            self.statements(inner, held, depth + 1)
            if not b.block.is_terminated:
                step = b.op(
                    TABLE[self.choices.choice(("add.int", "sub.int"))],
                    loop.params[0],
                    b.const(self.choices.choice((1, 1, 2, 2**62))),
                )
                b.continue_(loop, step, *[self.number(inner) for _ in inits[1:]])
        env += loop.outputs

    def filled(self, env: list[Value], lists: list[Value], depth: int) -> None:
        """A list that a loop fills."""
        made = self.b.op(TABLE["list.make"], self.b.const(INTS))
        stop = self.b.op(TABLE["remainder.int"], self.number(env), self.b.const(7))
        with self.b.for_(self.b.const(0), stop, self.b.const(1), (), counter="k") as loop:
            inner = [*env, loop.counter]
            if self.choices.random() < 0.5:
                self.statements(inner, [*lists], depth + 1)
            if not self.b.block.is_terminated:
                self.b.op(TABLE["append.list"], made, self.number(inner))
                self.b.continue_(loop)
        env.append(stop)
        lists.append(made)


def arguments(choices: random.Random) -> list[object]:
    def any_int() -> int:
        return choices.choice(EDGES) if choices.random() < 0.5 else choices.randint(-20, 20)

    text = "".join(choices.choice("aé—z") for _ in range(choices.randint(0, 6)))
    return [any_int(), any_int(), [any_int() for _ in range(choices.randint(0, 6))], text]


class Claims(Ranges):
    """Notes what is said of the inputs of each node."""

    def __init__(self, graph: Graph, context: PassContext) -> None:
        super().__init__(graph, context)
        self.said: dict[Node, list[tuple[Value, Range]]] = {}
        self.lengths_said: dict[Node, list[tuple[Value, Value | None, int]]] = {}

    def visit(self, node: Node) -> None:
        if not isinstance(node, Op):
            return
        known = [(v, self.of(v)) for v in node.inputs if v.type == INT]
        self.said[node] = [(v, r) for v, r in known if r != WHOLE]
        for value in node.inputs:
            if value.type == INTS:
                self.lengths_said.setdefault(node, []).extend((value, n, k) for n, k in self.lengths.of(value))

    def insert(self, node: Node, b: Builder) -> None:
        """Before `node`, raise `AssertionError` where what is said does not hold."""

        def demand(good: Value, what: str) -> None:
            with b.if_(good) as branch, branch.orelse:
                b.raise_("AssertionError", what)

        for value, (low, high) in self.said.get(node, ()):
            demand(b.op(TABLE["ge.int"], value, b.const(low)), f"not at least {low}")
            demand(b.op(TABLE["le.int"], value, b.const(high)), f"not at most {high}")
        for xs, n, k in self.lengths_said.get(node, ()):
            length = b.op(TABLE["len.list"], xs)
            least = b.const(k) if n is None else b.op(TABLE["add.int"], n, b.const(k))
            demand(b.op(TABLE["ge.int"], length, least), "shorter")


@pytest.mark.parametrize("seed", range(100))
def test_what_is_said_of_values_holds(context, check, seed):
    choices = random.Random(seed)
    program = Generator(choices).program()
    sets = [arguments(choices) for _ in range(6)]

    def assert_claims(made: Program) -> Program:
        claims = Claims(made.entry, context)
        claims.run()
        rewrite(made.entry.body, lambda node, b: claims.insert(node, b))
        return made

    check(program, assert_claims, sets)


@pytest.mark.parametrize("seed", range(100, 200))
def test_nothing_changes(context, check, seed):
    choices = random.Random(seed)
    program = Generator(choices).program()
    sets = [arguments(choices) for _ in range(6)]
    check(program, lambda p: ValueRange().run(p, context), sets)


def checks(function: Callable[..., Any], *args: object) -> set[str]:
    """The names of the checked operators that are left of a function."""
    left = {*PROVED, "getitem.list", "setitem.list", "code_at.str"}
    graph = tscript.script(function).graph_for(*args)
    program = parse_program(str(graph), TABLE) if isinstance(graph, str) else graph
    body = program.entry.body if isinstance(program, Program) else program.body
    return {n.op.name for n in walk(body) if isinstance(n, Op) and n.op.name in left}


def sieve(n: int) -> int:
    composite = [0] * n
    count = 0
    for i in range(2, n):
        if composite[i] == 0:
            count += 1
            for j in range(i * i, n, i):
                composite[j] = 1
    return count


def hashed(text: str) -> int:
    h = 7
    for i in range(len(text)):
        h = (h * 31 + ord(text[i])) % 1000003
    return h


def halves(xs: list[int], key: int) -> int:
    low, high = 0, len(xs) - 1
    while low <= high:
        middle = (low + high) // 2
        if xs[middle] == key:
            return middle
        if xs[middle] < key:
            low = middle + 1
        else:
            high = middle - 1
    return -1


def triangle(n: int) -> int:
    rows = 0
    for i in range(n):
        for _ in range(i):
            rows += 1
    return rows % 10


def squares(n: int) -> int:
    xs = [i * i for i in range(n % 1000)]
    best = 0
    for i in range(n % 1000):
        best = max(best, xs[i])
    return best


def digits(n: int) -> int:
    total = 0
    while n > 0 and total < 1000:
        total += n % 10
        n //= 10
    return total


@pytest.mark.parametrize(
    ("function", "args", "left"),
    [
        (sieve, (100,), {"mul.int"}),
        (hashed, ("text",), set()),
        (halves, ([1, 2, 3], 2), set()),
        (triangle, (7,), {"add.int"}),
        (squares, (10,), set()),
        (digits, (123,), set()),
    ],
)
def test_checks_that_are_left(function, args, left):
    assert tscript.script(function)(*args) == function(*args)
    assert checks(function, *args) == left


_calls = 0


@tscript.ignore
def next_number() -> int:
    global _calls
    _calls += 1
    return _calls


def test_calls_without_arguments_in_loops_that_sum() -> None:
    """An operator without inputs has no constant either; Python runs it each time."""

    @tscript.script
    def total(n: int) -> int:
        s = 0
        for _ in range(n):
            s += next_number()
        return s

    first = total(4)
    assert total(4) == first + 16
