"""The low-level dialect: same results under CPython and as IR; types, literals, generic calls, factories, memory."""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

import inspect
from typing import Any

import pytest

from tscript.definitions.opdef import OperatorTypeError, Scalar
from tscript.diagnostics import CompileError
from tscript.dialect import (
    ByType,
    Context,
    Intrinsic,
    MemoryIntrinsic,
    Ptr,
    T,
    TensorImpl,
    U,
    address,
    atomic_add,
    atomic_cas,
    bitcast,
    context,
    f32,
    f64,
    fmuladd,
    i32,
    i64,
    machine,
    memcpy,
    memset,
    pointer,
    pointer_cast,
    select,
    stack,
    symbol,
    u8,
)
from tscript.frontend import lower_dialect
from tscript.ir.graph import Call, Const, If, Op, Program, walk
from tscript.ir.interpreter import interpret
from tscript.ir.verifier import verify
from tscript.operators.table import TABLE
from tscript.pipeline.bodies import Bodies
from tscript.types import F32, FLOAT, I32, INT, NONE, U8, PtrType, dtypes
from tscript.types.parsing import parse_type

LIMIT = 1 << 40
MASK = -64


def lowered(fn: Any, **bindings: Any) -> Program:
    program = lower_dialect(fn, bindings, fn.__name__)
    verify(program)
    return program


def operators(program: Program) -> list[str]:
    return [n.op.name.removeprefix("machine.") for n in walk(program.entry.body) if isinstance(n, Op)]


def gcd(a: i64, b: i64) -> i64:
    while b != 0:
        a, b = b, a % b
    return a


def clamp(x: T, low: T, high: T) -> T:
    return select(x < low, low, select(x > high, high, x))


def polynomial(x: f64) -> f64:
    acc = 0.0
    for i in range(4):
        acc = fmuladd(acc, x, f64(i) + 0.5)
    return acc if acc > 1 else -acc


def conditions(a: i64, b: i64) -> i64:
    if 0 < a <= 10 and not (a == b or b > 5):
        return 1
    if a == 3 or a // b == 2:
        return 2
    return 3


def constants(a: i64) -> i64:
    return (a + LIMIT) & MASK | 1 << 3


@pytest.mark.parametrize(
    ("fn", "args"),
    [
        (gcd, [(12, 18), (7, 0), (270, 192)]),
        (polynomial, [(0.5,), (-3.0,), (2.0,)]),
        (conditions, [(1, 2), (3, 0), (4, 2), (9, 9), (20, 3)]),
        (constants, [(5,), (-3,)]),
    ],
)
def test_same_under_cpython(fn: Any, args: list[tuple[Any, ...]]):
    program = lowered(fn)
    for given in args:
        assert interpret(program, list(given)) == fn(*given)


def test_type_variables():
    assert lowered(clamp, T=F32).entry.result == F32
    assert interpret(lowered(clamp, T=INT), [7, 0, 5]) == 5
    with pytest.raises(CompileError, match="type variable 'T'"):
        lower_dialect(clamp, {}, "clamp")


def test_literals_take_the_type_they_meet():
    def fn(x: f32, n: i32) -> f32:
        y = x * 2
        n = n + 1
        n = 7
        z: f32 = 3
        return y + f32(n) + z

    program = lowered(fn)
    types = [n.output.type for n in walk(program.entry.body) if isinstance(n, Const) and n.value in (2.0, 1, 7, 3.0)]
    assert types == [F32, I32, I32, F32]


def test_unannotated_parameters_are_of_type_t():
    def sigmoid(x):
        return 1 / (1 + x)

    assert lowered(sigmoid, T=F32).entry.params[0].type == F32


def test_conversions():
    def fn(x: f64, n: i64) -> f32:
        return f32(i32(n)) + f32(x) + f32(n > 3) + f32(2.5)

    program = lowered(fn)
    assert operators(program).count("convert") == 4
    assert interpret(program, [1.5, 7]) == 7 + 1.5 + 1 + 2.5


def half(x: f32) -> f32:
    return x * 0.5


def half64(x: f64) -> f64:
    return x * 0.5


halved = ByType({dtypes.float32: half, dtypes.float64: half64, dtypes.int64: Intrinsic(machine.NEG, lambda x: -x)})


def test_families_by_type():
    def fn(x: f32, y: f64, n: i64) -> f64:
        return f64(halved(x)) + halved(y) + f64(halved(n))

    program = lowered(fn)
    assert sorted(program.graphs) == ["fn", "half", "half64"]
    assert interpret(program, [1.0, 2.0, 3]) == 0.5 + 1.0 - 3.0


def first(p: Ptr[T]) -> T:
    return p[0]


def zero() -> T:
    return T(0)


def test_generic_calls():
    def fn(p: Ptr[f32], q: Ptr[i32]) -> f32:
        return first(p) + f32(first(q)) + first(p)

    program = lowered(fn)
    assert sorted(program.graphs) == ["first__f32", "first__i32", "fn"]

    def outer(p: Ptr[T]) -> T:
        return first(p) + zero()

    assert sorted(lowered(outer, T=F32).graphs) == ["first__f32", "outer", "zero__f32"]


def test_type_parameters():
    def size(n: i64, kind: type) -> i64:
        p = stack(4, kind)
        return address(p + n) - address(p)

    def fn(n: i64) -> i64:
        return size(n, f32) + size(n, Ptr[i64])

    program = lowered(fn)
    assert len(program.graphs) == 3
    assert [len(g.params) for g in program.graphs.values()] == [1, 1, 1]


def make_kernel(operation: Any, start: int) -> Any:
    def kernel(p: Ptr[T], n: i64) -> T:
        acc = T(start)
        for i in range(n):
            acc = operation(acc, p[i])
        return acc

    return kernel


def test_factories_capture_functions_and_constants():
    def plus(a: T, b: T) -> T:
        return a + b

    program = lowered(make_kernel(plus, 3), T=F32)
    (call,) = [n for n in walk(program.entry.body) if isinstance(n, Call)]
    assert program.graphs[call.callee].result == F32
    assert 3.0 in [n.value for n in walk(program.entry.body) if isinstance(n, Const)]
    direct = lowered(make_kernel(Intrinsic(machine.ADD, None), 0), T=FLOAT)  # type: ignore[arg-type]
    assert list(direct.graphs) == ["kernel"]


drop = MemoryIntrinsic(machine.extern("ts_drop_v1", (PtrType(U8),), NONE))


def test_memory():
    def fn(t: Ptr[TensorImpl], p: Ptr[f32], n: i64) -> Ptr[u8]:
        t.flags = 0
        t.ndim = i32(n)
        t.refcount += 1
        p[n] = 1
        p[0] = p[1] * 2
        p[2] *= 3
        q = pointer_cast(p + 2 - n, i64)
        atomic_add(q, 1)
        while not atomic_cas(q, 0, 1):
            pass
        memcpy(q, p, 16)
        memset(q, 0, n * 8)
        buffer = stack(MASK & 127, Ptr[TensorImpl])
        buffer[0] = t
        word = symbol("ts_flag_v1", u8)
        if address(t.storage) != 0 and word[0] == 1:
            drop(t.data)
        error = context()
        error.args[1] = bitcast(f64(n), i64)
        return pointer(0, u8)

    program = lowered(fn)
    found = operators(program)
    assert found.count("store") == 8
    assert {"field", "offset", "load", "stack", "symbol", "context", "memcpy", "memset", "atomic_cas"} <= set(found)
    assert "extern.ts_drop_v1" in found


def test_raise():
    def fn(n: i64, x: f64) -> i64:
        if n < 0:
            raise ValueError("bad {0} and {1}", n, x)
        if n == 0:
            raise MemoryError
        assert n < 10, "too large"
        return n

    program = lowered(fn)
    with pytest.raises(ValueError, match=r"bad -1 and 2\.5"):
        interpret(program, [-1, 2.5])
    with pytest.raises(MemoryError):
        interpret(program, [0, 0.0])
    with pytest.raises(AssertionError, match="too large"):
        interpret(program, [10, 0.0])


def test_literal_conditions_lower_one_branch():
    def fn(n: i64) -> i64:
        if LIMIT > 3:
            return n
        return missing  # type: ignore[name-defined]  # noqa: F821

    assert not any(isinstance(n, If) for n in walk(lowered(fn).entry.body))


def test_recursion_and_defaults():
    def power(n: i64, e: i64 = 2) -> i64:
        return 1 if e == 0 else n * power(n, e - 1)

    def fn(n: i64) -> i64:
        return power(n) + power(e=3, n=n)

    assert interpret(lowered(fn), [3]) == 9 + 27


@pytest.mark.parametrize(
    "op", [o for o in TABLE.operators if isinstance(o.implementation, Scalar)], ids=lambda o: o.name
)
def test_every_scalar_operator(op: Any):
    types = [parse_type(p.kind) for p in op.schema.parameters]
    program = Bodies(TABLE).lower_body(op.implementation.body, types, op.name)
    verify(program)
    assert len(program.entry.params) == len(op.schema.parameters)


def test_context_is_a_struct_behind_a_pointer():
    def fn() -> Ptr[Context]:
        return context()

    assert str(lowered(fn).entry.result) == "Ptr[Context]"


def test_rules_name_what_is_wrong():
    assert issubclass(OperatorTypeError, TypeError)
    assert inspect.isfunction(zero)

    def fn(x: U, n: i64) -> U:
        return x + n

    with pytest.raises(CompileError, match=r"'\+' does not take an f32 and an i64"):
        lowered(fn, U=F32)
