"""References to tensors: nothing leaks and nothing is released twice, on every way out of a function."""

from __future__ import annotations

import ctypes
import random

import numpy as np
import pytest

from tscript.abi.exceptions import EXCEPTIONS
from tscript.abi.symbols import EXCEPTION_FETCH, OBJECT_RELEASE, kernel_symbol
from tscript.definitions.opdef import Effects, Kernel, OpDef
from tscript.definitions.schema import parse_schema
from tscript.dialect import machine
from tscript.ir.builder import Builder
from tscript.ir.graph import Graph, Label, Param, Program, Try, Value
from tscript.ir.interpreter import interpret
from tscript.ir.verifier import verify
from tscript.types import INT, SIZE, U8, PtrType, StructType, TensorType, TupleType, Type, dtypes

RAISES = Effects(raises=True)


def kernel(schema: str, result: Type, semantics) -> OpDef:
    parsed = parse_schema(schema)
    return OpDef(parsed, lambda args: result, semantics, Kernel(parsed.overload), RAISES)


TENSOR = TensorType(dtypes.int64, 1)
MAKE = kernel("t.make(int x) -> Tensor", TENSOR, lambda x: np.array([x]))
JOIN = kernel("t.join(Tensor a, Tensor b) -> Tensor", TENSOR, lambda a, b: a + 3 * b)
SAME = kernel("t.same(Tensor a) -> Tensor", TENSOR, lambda a: a)
VALUE = kernel("t.value(Tensor a) -> int", INT, lambda a: int(a[0]))
PAIR = kernel(
    "t.pair(Tensor a) -> (Tensor, int, Tensor)", TupleType((TENSOR, INT, TENSOR)), lambda a: (a + 1, int(a[0]), a - 1)
)
TOTAL = kernel("t.total(int[] sizes) -> int", INT, lambda sizes: sum(sizes))
SHAPE = kernel("t.shape(Tensor a) -> Size", SIZE, lambda a: a.shape)
OPS = (MAKE, JOIN, SAME, VALUE, PAIR, TOTAL, SHAPE)


@pytest.fixture
def kernels(native):
    """The kernels over the test heap; `kernels.fail_at` makes the n-th call from now fail with status 2."""

    class Kernels:
        fail_at = -1
        calls = 0

    def guarded(run):
        def wrapped(ctx, *args):
            Kernels.calls += 1
            if Kernels.calls - 1 == Kernels.fail_at:
                return 2
            run(*args)
            return 0

        return wrapped

    def heap():
        return native.heap

    def put(out, value):
        ctypes.c_int64.from_address(out).value = value

    def first(t):
        assert t in heap().live, "use of a dead tensor"
        return int(heap().array(t)[0])

    def of(value):
        return heap().of(np.array([value], np.int64))

    def same(t, out):
        first(t)
        heap().retain(t)
        put(out, t)

    def pair(t, a, n, b):
        value = first(t)
        put(a, of(value + 1))
        put(n, value)
        put(b, of(value - 1))

    def wrapping(x):
        return (x + 2**63) % 2**64 - 2**63

    table = {
        "make": ("i64 ptr", lambda x, out: put(out, of(x))),
        "join": ("ptr ptr ptr", lambda a, b, out: put(out, of(wrapping(first(a) + 3 * first(b))))),
        "same": ("ptr ptr", same),
        "value": ("ptr ptr", lambda t, out: put(out, first(t))),
        "pair": ("ptr ptr ptr ptr", pair),
        "total": ("ptr i64 ptr", lambda p, n, out: put(out, sum((ctypes.c_int64 * n).from_address(p)) if n else 0)),
        "shape": ("ptr ptr", lambda t, out: put(out, heap().of(np.array(heap().array(t).shape, np.int64)))),
    }
    for name, (signature, run) in table.items():
        native.function(kernel_symbol(name), signature, guarded(run))
    native.function(EXCEPTION_FETCH, "", lambda ctx: 2)
    native.function(OBJECT_RELEASE, "ptr", lambda ctx, exception: 0)
    return Kernels


def run(native, program, *args, level=2):
    """Call with tensors made of ints and give the results as ints; checks that the arguments are untouched."""
    function = native.compile(program, level)
    return call(native, function, *args)


def call(native, function, *args):
    heap = native.heap
    params = function.graph.params
    given = [heap.of(np.array([a], np.int64)) if p.type == TENSOR else a for a, p in zip(args, params, strict=True)]
    try:
        result = function(*given)
        return taken(heap, result, function.graph.result)
    finally:
        for a, p in zip(given, params, strict=True):
            if p.type == TENSOR:
                assert heap.count(a) == 1
                heap.release(a)


def taken(heap, value, type):
    if isinstance(type, TupleType):
        return tuple(taken(heap, v, t) for v, t in zip(value, type.elements, strict=True))
    if type == INT:
        return value
    found = [int(x) for x in heap.array(value)]
    heap.release(value)
    return found


def test_unused_and_last_uses(native, kernels, level):
    program = native.program(
        """
        graph @f(%x: int) -> Tensor[int64, 1] {
          %unused: Tensor[int64, 1] = t.make(%x)
          %a: Tensor[int64, 1] = t.make(%x)
          %b: Tensor[int64, 1] = t.join(%a, %a)
          %c: Tensor[int64, 1] = t.join(%b, %a)
          return %c
        }""",
        *OPS,
    )
    assert run(native, program, 2, level=level) == [14]
    assert not native.heap.live


def test_values_are_released_at_their_last_use(native, kernels):
    program = native.program(
        """
        graph @f(%x: int) -> int {
          %a: Tensor[int64, 1] = t.make(%x)
          %b: Tensor[int64, 1] = t.join(%a, %a)
          %c: Tensor[int64, 1] = t.join(%b, %b)
          %d: Tensor[int64, 1] = t.join(%c, %c)
          %n: int = t.value(%d)
          return %n
        }""",
        *OPS,
    )
    most = 0

    def watched(ctx, a, b, out):
        nonlocal most
        ctypes.c_int64.from_address(out).value = native.heap.of(np.array([1], np.int64))
        most = max(most, len(native.heap.live))
        return 0

    native.function(kernel_symbol("join"), "", watched)
    assert run(native, program, 2) == 1
    assert most == 2


def test_returning_a_parameter_and_one_value_twice(native, kernels, level):
    program = native.program(
        """
        graph @f(%t: Tensor[int64, 1], %x: int)
            -> tuple[Tensor[int64, 1], Tensor[int64, 1], Tensor[int64, 1], Tensor[int64, 1]] {
          %a: Tensor[int64, 1] = t.make(%x)
          %r: tuple[Tensor[int64, 1], Tensor[int64, 1], Tensor[int64, 1], Tensor[int64, 1]] = tuple.make(%t, %a, %t, %a)
          return %r
        }""",
        *OPS,
    )
    assert run(native, program, 7, 5, level=level) == ([7], [5], [7], [5])


LOOP = """
graph @f(%t: Tensor[int64, 1], %n: int) -> tuple[Tensor[int64, 1], Tensor[int64, 1]] {
  %zero: int = const 0
  %one: int = const 1
  %keep: Tensor[int64, 1] = t.make(%one)
  %a: Tensor[int64, 1], %b: Tensor[int64, 1] = for L %i: int in range(%zero, %n, %one)
      (%x: Tensor[int64, 1] = %t, %y: Tensor[int64, 1] = %keep) {
    %five: int = const 5
    %late: bool = machine.gt(%i, %five)
    if %late { break L (%y, %y) } else { yield }
    %z: Tensor[int64, 1] = t.join(%x, %keep)
    %odd: int = machine.and(%i, %one)
    %is_odd: bool = machine.eq(%odd, %one)
    if %is_odd { continue L (%y, %z) } else { yield }
    continue L (%z, %z)
  }
  %r: tuple[Tensor[int64, 1], Tensor[int64, 1]] = tuple.make(%a, %b)
  return %r
}
"""


@pytest.mark.parametrize("n", [0, 1, 2, 3, 6, 9])
def test_carried_tensors(native, kernels, level, n):
    program = native.program(LOOP, *OPS)
    expected = interpret(program, (np.array([10]), n))
    assert run(native, program, 10, n, level=level) == tuple([int(a[0])] for a in expected)


def test_every_failing_call_cleans_up(native, kernels, level):
    function = native.compile(native.program(LOOP, *OPS), level)
    call(native, function, 10, 9)
    total = kernels.calls
    assert total > 5
    for n in range(total):
        kernels.calls, kernels.fail_at = 0, n
        with pytest.raises(Exception, match="2"):
            call(native, function, 10, 9)
        assert not native.heap.live
    kernels.fail_at = -1


def test_safepoints_in_loops_over_tensors(native, kernels, level):
    program = native.program(LOOP.replace("const 5", "const 5000"), *OPS)
    function = native.compile(program, level)
    call(native, function, 1, 400)
    assert native.safepoints >= 1
    native.safepoint_status = 2
    with pytest.raises(Exception, match="2"):
        call(native, function, 1, 400)
    assert not native.heap.live


def test_tuple_elements_keep_what_they_are_made_of(native, kernels, level):
    program = native.program(
        """
        graph @f(%x: int) -> tuple[int, Tensor[int64, 1]] {
          %zero: int = const 0
          %two: int = const 2
          %a: Tensor[int64, 1] = t.make(%x)
          %p: tuple[Tensor[int64, 1], int, Tensor[int64, 1]] = t.pair(%a)
          %b: Tensor[int64, 1] = tuple.get(%p, %zero)
          %c: Tensor[int64, 1] = tuple.get(%p, %two)
          %d: Tensor[int64, 1] = t.join(%b, %c)
          %n: int = t.value(%b)
          %r: tuple[int, Tensor[int64, 1]] = tuple.make(%n, %d)
          return %r
        }""",
        *OPS,
    )
    assert run(native, program, 4, level=level) == (5, [14])


def test_raise_releases(native, kernels, level):
    program = native.program(
        """
        graph @f(%t: Tensor[int64, 1], %x: int) -> Tensor[int64, 1] {
          %a: Tensor[int64, 1] = t.make(%x)
          %zero: int = const 0
          %bad: bool = machine.lt(%x, %zero)
          if %bad {
            %b: Tensor[int64, 1] = t.join(%a, %t)
            %n: int = t.value(%b)
            raise ValueError "sum is {0}" (%n)
          } else { yield }
          return %a
        }""",
        *OPS,
    )
    assert run(native, program, 1, 5, level=level) == [5]
    with pytest.raises(ValueError, match=r"^sum is -2$"):
        run(native, program, 1, -5, level=level)


def test_calls_borrow_arguments_and_own_results(native, kernels, level):
    program = native.program(
        """
        program @f
        graph @f(%t: Tensor[int64, 1], %x: int) -> Tensor[int64, 1] {
          %a: Tensor[int64, 1] = t.make(%x)
          %b: Tensor[int64, 1] = call @g(%a, %t)
          %c: Tensor[int64, 1] = call @g(%b, %b)
          return %c
        }
        graph @g(%a: Tensor[int64, 1], %b: Tensor[int64, 1]) -> Tensor[int64, 1] {
          %zero: int = const 0
          %n: int = t.value(%a)
          %bad: bool = machine.lt(%n, %zero)
          if %bad { raise ValueError } else { yield }
          %same: bool = machine.eq(%n, %zero)
          %r: Tensor[int64, 1] = if %same { yield %b } else { %s: Tensor[int64, 1] = t.join(%a, %b) yield %s }
          return %r
        }""",
        *OPS,
    )
    assert run(native, program, 2, 3, level=level) == [36]
    assert run(native, program, 2, 0, level=level) == [8]
    with pytest.raises(ValueError, match=r"^$"):
        run(native, program, 2, -1, level=level)


def test_tuples_become_sizes(native, kernels, level):
    program = native.program(
        """
        graph @f(%t: Tensor[int64, 1], %c: bool, %n: int) -> tuple[Size, int] {
          %p: tuple[int, int, int] = tuple.make(%n, %n, %n)
          %s: Size = if %c { yield %p } else { %q: Size = t.shape(%t) yield %q }
          %k: int = t.total(%s)
          %r: tuple[Size, int] = tuple.make(%s, %k)
          return %r
        }""",
        *OPS,
    )
    assert run(native, program, 9, True, 4, level=level) == ([4, 4, 4], 12)
    assert run(native, program, 9, False, 4, level=level) == ([1], 1)


class Generator:
    """Random well-typed programs over ints and tensors, with every kind of control flow."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.graph = Graph("f", [Param("t", TENSOR), Param("u", TENSOR), Param("n", INT)], TupleType((TENSOR, INT)))
        self.b = Builder(self.graph.body)
        self.left = 40
        self.tries: list[Try] = []

    def pick(self, values: list[Value]) -> Value:
        return self.random.choice(values[-6:] if self.random.random() < 0.7 else values)

    def build(self) -> Program:
        t, u, n = self.graph.body.params
        tensors, ints = [t, u], [n, self.b.const(1), self.b.const(2)]
        self.statements(tensors, ints, [], 0)
        if not self.b.block.is_terminated:
            self.leave(tensors, ints)
        return Program("f", [self.graph])

    def leave(self, tensors, ints) -> None:
        self.b.return_(self.b.op(machine.TUPLE_MAKE, self.pick(tensors), self.pick(ints)))

    def condition(self, ints) -> Value:
        return self.b.op(machine.LT, self.pick(ints), self.pick(ints))

    def statements(self, tensors, ints, loops: list[Label], depth: int) -> None:
        for _ in range(self.random.randint(1, 6)):
            if self.left <= 0 or self.b.block.is_terminated:
                return
            self.left -= 1
            self.statement(tensors, ints, loops, depth)

    def statement(self, tensors, ints, loops, depth: int) -> None:
        b, kind = self.b, self.random.random()
        if kind < 0.15:
            tensors.append(b.op(MAKE, self.pick(ints)))
        elif kind < 0.35:
            tensors.append(b.op(JOIN, self.pick(tensors), self.pick(tensors)))
        elif kind < 0.4:
            tensors.append(b.op(SAME, self.pick(tensors)))
        elif kind < 0.5:
            ints.append(b.op(VALUE, self.pick(tensors)))
        elif kind < 0.58:
            pair = b.op(PAIR, self.pick(tensors))
            tensors.append(b.op(machine.TUPLE_GET, pair, b.const(self.random.choice([0, 2]))))
        elif kind < 0.64:
            ints.append(b.op(machine.ADD, self.pick(ints), self.pick(ints)))
        elif kind < 0.8 and depth < 4:
            self.branch(tensors, ints, loops, depth)
        elif kind < 0.9 and depth < 3:
            self.counted(tensors, ints, loops, depth)
        elif kind < 0.94 and depth < 3:
            self.repeated(tensors, ints, loops, depth)
        elif kind < 0.98 and depth < 4:
            self.guarded(tensors, ints, loops, depth)
        elif self.tries:
            target = self.random.choice(self.tries)
            index = self.random.randrange(2)
            b.set(target, index, self.pick(ints if index else tensors))

    def branch(self, tensors, ints, loops, depth: int) -> None:
        b = self.b
        with b.if_(self.condition(ints), [TENSOR, INT]) as branch:
            for side in (branch.then, branch.orelse):
                with side:
                    inner, numbers = list(tensors), list(ints)
                    self.statements(inner, numbers, loops, depth + 1)
                    if not b.block.is_terminated:
                        self.exit(inner, numbers, loops)
        tensors.append(branch.outputs[0])
        ints.append(branch.outputs[1])

    def guarded(self, tensors, ints, loops, depth: int) -> None:
        b = self.b
        with b.try_([self.pick(tensors), self.pick(ints)]) as attempt:
            attempt.node.outputs.extend([Value(TENSOR, "", attempt.node), Value(INT, "", attempt.node)])
            classes = self.random.choice([("ValueError",), ("LookupError", "ValueError"), ("OSError",)])
            handler = attempt.handler(*(EXCEPTIONS[c] for c in classes))
            with attempt.body:
                self.tries.append(attempt.node)
                self.fill(tensors, ints, loops, depth)
                self.tries.pop()
            with handler as block:
                self.fill([*tensors, block.params[0]], [*ints, block.params[1]], loops, depth)
        tensors.append(attempt.outputs[0])
        ints.append(attempt.outputs[1])

    def fill(self, tensors, ints, loops, depth: int) -> None:
        inner, numbers = list(tensors), list(ints)
        self.statements(inner, numbers, loops, depth + 1)
        if not self.b.block.is_terminated:
            self.exit(inner, numbers, loops)

    def exit(self, tensors, ints, loops) -> None:
        b, kind = self.b, self.random.random()
        if loops and kind < 0.15:
            b.break_(self.random.choice(loops), self.pick(tensors), self.pick(ints))
        elif loops and kind < 0.3:
            # Only the innermost: it counts down.
            b.continue_(loops[-1], self.pick(tensors), self.pick(ints))
        elif kind < 0.34:
            self.leave(tensors, ints)
        elif kind < 0.38:
            b.raise_("ValueError", "{0}", [self.pick(ints)])
        else:
            b.yield_(self.pick(tensors), self.pick(ints))

    def counted(self, tensors, ints, loops, depth: int) -> None:
        b = self.b
        stop = b.const(self.random.choice([0, 1, 2, 3]))
        with b.for_(b.const(0), stop, b.const(1), [self.pick(tensors), self.pick(ints)]) as loop:
            params = loop.node.body.params
            inner, numbers = [*tensors, params[1]], [*ints, params[0], params[2]]
            self.statements(inner, numbers, [*loops, loop.label], depth + 1)
            if not b.block.is_terminated:
                b.continue_(loop, self.pick(inner), self.pick(numbers))
        tensors.append(loop.outputs[0])
        ints.append(loop.outputs[1])

    def repeated(self, tensors, ints, loops, depth: int) -> None:
        """A loop that ends by a counter of its own: `continue` from inside would skip it, so there is none."""
        b = self.b
        with b.loop([self.pick(tensors), b.const(0)], [TENSOR, INT]) as loop:
            t, k = loop.node.body.params
            with b.if_(b.op(machine.GE, k, b.const(3)), []) as branch:
                with branch.then:
                    b.break_(loop, t, k)
                with branch.orelse:
                    b.yield_()
            inner, numbers = [*tensors, t], [*ints, k]
            self.statements(inner, numbers, [], depth + 1)
            if not b.block.is_terminated:
                b.continue_(loop, self.pick(inner), b.op(machine.ADD, k, b.const(1)))
        tensors.append(loop.outputs[0])
        ints.append(loop.outputs[1])


def expectation(program, *args):
    try:
        tensor, number = interpret(program, args, step_limit=20000)
        return [int(tensor[0])], number
    except ValueError as e:
        return str(e)


@pytest.mark.parametrize("paired", [True, False])
@pytest.mark.parametrize("seed", range(40))
def test_random_programs(native, kernels, seed, paired):
    """With all counts, and with those alone that do not pair up."""
    program = Generator(seed).build()
    verify(program)
    function = native.compile(program, level=0 if seed % 3 else 2, paired=paired)

    def attempt():
        try:
            return call(native, function, 3, -4, 2)
        except ValueError as e:
            return str(e)

    kernels.calls, kernels.fail_at = 0, -1
    with np.errstate(all="ignore"):
        assert attempt() == expectation(program, np.array([3]), np.array([-4]), 2)
    assert not native.heap.live
    total = kernels.calls
    for n in sorted({0, 1, total // 3, total // 2, total - 1} & set(range(total))):
        kernels.calls, kernels.fail_at = 0, n
        with pytest.raises(Exception, match=r"^2$"):
            attempt()
        assert not native.heap.live, n
    kernels.fail_at = -1


def test_data_of_a_value_keeps_it_alive(native, kernels, level):
    """Pointers into a tensor count as uses of it."""
    graph = Graph("f", [Param("x", INT)], INT)
    b = Builder(graph.body)
    (x,) = graph.body.params
    t = b.op(MAKE, x)
    raw = b.op(machine.POINTER_CAST, t, b.const(StructType("TensorImpl")))
    field = b.op(machine.FIELD, raw, b.const("data"))
    data = b.op(machine.LOAD, field)
    cells = b.op(machine.POINTER_CAST, data, b.const(INT))
    value = b.op(machine.LOAD, cells)
    b.return_(value)
    assert PtrType(U8) == data.type
    function = native.compile(graph, level)
    assert call(native, function, 77) == 77
    text = function.text
    assert text.index("load i64") < text.index("call i32 @ts_tensor_release_v1")
