"""Marshalling: every kind of kernel argument, generic kernels, C functions, dynamic dispatch."""

from __future__ import annotations

import ctypes
import math
import re
import struct
from typing import Any

import numpy as np
import pytest

from tscript.abi.dispatch import DispatchKind
from tscript.abi.layout import NONE_INT
from tscript.abi.symbols import kernel_symbol, split_kernel_symbol
from tscript.backend.module import emit_module
from tscript.definitions.opdef import Effects, Extern, Kernel, OpDef, Pointwise, Scalar
from tscript.definitions.schema import parse_schema
from tscript.diagnostics import InternalError
from tscript.dialect import machine
from tscript.ir.builder import Builder
from tscript.ir.graph import Graph, Param, Program
from tscript.types import (
    BOOL,
    F32,
    FLOAT,
    I8,
    INT,
    NONE,
    SIZE,
    STR,
    TENSOR,
    DType,
    TensorType,
    TupleType,
    dtypes,
)

NO_BODIES: Any = None


def kernel(schema: str, result, generic: tuple[int, ...] = ()) -> OpDef:
    parsed = parse_schema(schema)
    return OpDef(
        parsed, lambda args: result, lambda *args: None, Kernel(parsed.overload, generic), Effects(raises=True)
    )


NATIVE = {
    "Tensor": "ptr",
    "Tensor?": "ptr",
    "int": "i64",
    "int?": "i64",
    "float": "double",
    "float?": "double i64",
    "bool": "i8",
    "bool?": "i8",
    "dtype": "i32",
    "dtype?": "i32",
    "str": "ptr",
    "int[]": "ptr i64",
    "int[1]": "ptr i64",
    "int[]?": "ptr i64",
    "int[1]?": "ptr i64",
    "Tensor[]": "ptr i64",
    "Scalar": "double i64",
    "Scalar?": "double i64 i64",
}


def ints(pointer, length):
    return None if length < 0 else list((ctypes.c_int64 * length).from_address(pointer)) if length else []


TUPLE = TupleType((INT, INT, INT))
CASES = [
    ("int", INT, 7, (7,)),
    ("int", BOOL, True, (1,)),
    ("int?", INT, -7, (-7,)),
    ("int?", NONE, None, (NONE_INT,)),
    ("float", FLOAT, 2.5, (2.5,)),
    ("float", INT, 3, (3.0,)),
    ("float?", FLOAT, 2.5, (2.5, 1)),
    ("float?", NONE, None, (0.0, 0)),
    ("bool", BOOL, True, (1,)),
    ("bool?", BOOL, False, (0,)),
    ("bool?", NONE, None, (-1,)),
    ("Scalar", INT, 2**62 + 1, (float(2**62), 2**62 + 1)),
    ("Scalar", FLOAT, -2.75, (-2.75, -2)),
    ("Scalar", FLOAT, 1e300, (1e300, 2**63 - 1)),
    ("Scalar", BOOL, True, (1.0, 1)),
    ("Scalar", F32, 0.5, (0.5, 0)),
    ("Scalar", I8, -5, (-5.0, -5)),
    ("Scalar?", INT, 3, (3.0, 3, 1)),
    ("Scalar?", NONE, None, (0.0, 0, 0)),
    ("int[]", TUPLE, (4, -5, 6), ([4, -5, 6],)),
    ("int[]", TupleType(()), (), ([],)),
    ("int[1]", INT, 9, ([9],)),
    ("int[1]", TupleType((INT,)), (9,), ([9],)),
    ("int[]?", NONE, None, (None,)),
    ("int[1]?", TUPLE, (1, 2, 3), ([1, 2, 3],)),
]


def record(native, symbol, signature, result=0):
    """Define a kernel that notes its arguments and gives `result`."""
    seen = []

    def run(ctx, *args):
        *given, out = args
        seen.append(given)
        ctypes.c_int64.from_address(out).value = result
        return 0

    native.function(symbol, f"{signature} ptr", run)
    return seen


@pytest.mark.parametrize("constant", [False, True], ids=["variable", "constant"])
@pytest.mark.parametrize(("kind", "type", "value", "expected"), CASES, ids=lambda v: str(v)[:20])
def test_arguments(native, kind, type, value, expected, constant):
    name = "marshal_" + re.sub(r"\W", lambda m: str(ord(m[0])), kind)
    op = kernel(f"k.{name}({kind} x) -> int", INT)
    seen = record(native, kernel_symbol(name), NATIVE[kind], 42)
    graph = Graph("f", [] if constant else [Param("x", type)], INT)
    b = Builder(graph.body)
    x = b.const(value, type=type) if constant else graph.body.params[0]
    b.return_(b.op(op, x))
    function = native.compile(graph, 0)
    collected = []
    inner = native._kernels[kernel_symbol(name)]

    def run(ctx, *args):
        given = list(args[:-1])
        collected.append(([ints(*given)] if kind.startswith("int[") else given))
        return inner(ctx, *args)

    native._kernels[kernel_symbol(name)] = run
    given = [] if constant else [value] if type not in (NONE, STR) else []
    assert function(*given) == 42
    assert len(seen) == 1
    assert [repr(v) for v in collected[0]] == [repr(v) for v in expected]


def test_tensor_arguments(native):
    op = kernel("k.tensors(Tensor a, Tensor? b, Tensor? c, Tensor[] d) -> int", INT)
    found = []

    def run(ctx, a, b, c, d, n, out):
        found.append((a, b, c, list((ctypes.c_void_p * n).from_address(d))))
        return 0

    native.function(kernel_symbol("tensors"), "ptr ptr ptr ptr i64 ptr", run)
    vector = TensorType(dtypes.float32, 1)
    graph = Graph("f", [Param("a", vector), Param("b", vector)], INT)
    b = Builder(graph.body)
    x, y = graph.body.params
    b.return_(b.op(op, x, y, b.const(None), b.op(machine.TUPLE_MAKE, y, x, y)))
    native.compile(graph)(100, 200)
    assert found == [(100, 200, None, [200, 100, 200])]


def test_static_arguments(native):
    op = kernel("k.statics(dtype d, dtype? e, dtype? f, str s) -> int", INT)
    found = []

    def run(ctx, d, e, f, s, out):
        found.append((d, e, f, ctypes.string_at(s)))
        return 0

    native.function(kernel_symbol("statics"), "i32 i32 i32 ptr ptr", run)
    graph = Graph("f", [], INT)
    b = Builder(graph.body)
    b.return_(b.op(op, b.const(dtypes.int16), b.const(dtypes.bool_), b.const(None), b.const('naïve "x"')))
    native.compile(graph)()
    assert found == [(2, 11, -1, 'naïve "x"'.encode())]


def test_size_arguments(native):
    op = kernel("k.sizes(int[] d) -> int", INT)
    found = []

    def run(ctx, p, n, out):
        found.append(ints(p, n))
        return 0

    native.function(kernel_symbol("sizes"), "ptr i64 ptr", run)
    graph = Graph("f", [Param("s", SIZE)], INT)
    b = Builder(graph.body)
    b.return_(b.op(op, graph.body.params[0]))
    function = native.compile(graph)
    tensor = native.heap.of(np.array([5, 6, 7], np.int64))
    function(tensor)
    native.heap.release(tensor)
    assert found == [[5, 6, 7]]


def generic_call(tensor: TensorType) -> Program:
    op = kernel("k.generic(Tensor a, Tensor b, Scalar c) -> int", INT, (1, 0))
    graph = Graph("f", [Param("a", tensor), Param("b", TensorType(dtypes.bool_, None))], INT)
    b = Builder(graph.body)
    b.return_(b.op(op, *graph.body.params, b.const(1.5)))
    return Program("f", [graph])


def test_generic_kernels_are_named_by_dtypes(native):
    seen = record(native, "ts_generic$b8$f32_v1", "ptr ptr double i64")
    native.compile(generic_call(TensorType(dtypes.float32, None)))(1, 2)
    assert seen == [[1, 2, 1.5, 1]]


def test_symbols_name_kernels_and_dtypes():
    for bound in ((), (dtypes.float32,), (dtypes.bool_, dtypes.int64)):
        symbol = kernel_symbol("some_kernel", bound)
        assert split_kernel_symbol(symbol) == ("some_kernel", tuple(d.machine for d in bound))
    assert split_kernel_symbol("ts_x_v0") is None
    assert split_kernel_symbol("memcpy") is None


def test_unknown_dtypes_are_dispatched(native):
    found = []

    def dispatched(name, kinds, cells, out):
        found.append((name, kinds, cells))
        out[0] = 77
        return 0

    native.dispatched = dispatched
    assert native.compile(generic_call(TENSOR))(1000, 2000) == 77
    one_and_a_half = struct.unpack("q", struct.pack("d", 1.5))[0]
    assert found == [
        ("k.generic", [DispatchKind.TENSOR, DispatchKind.TENSOR, DispatchKind.FLOAT], [1000, 2000, one_and_a_half])
    ]


def test_dispatch_describes_every_type(native):
    result = TupleType((TENSOR, INT, FLOAT, BOOL))
    op = OpDef(
        parse_schema("k.anything(Tensor a, int[] b, Scalar c, bool d, dtype? e, str f, int? g, Tensor[] h) -> Tensor"),
        lambda args: result,
        lambda *a: None,
        Pointwise(lambda x: x, lambda *a: None),
    )
    graph = Graph("f", [Param("a", TENSOR), Param("s", SIZE), Param("n", INT), Param("c", BOOL)], result)
    b = Builder(graph.body)
    a, s, n, c = graph.body.params
    pair = b.op(machine.TUPLE_MAKE, a, a)
    out = b.op(
        op,
        a,
        b.op(machine.TUPLE_MAKE, n, n),
        b.const(-0.0),
        c,
        b.const(dtypes.int8),
        b.const("hé"),
        b.const(None),
        pair,
    )
    other = b.op(op, a, s, n, c, b.const(None), b.const(""), n, pair)
    b.return_(out)
    assert other.type == result
    found = []

    def dispatched(name, kinds, cells, out):
        text = [ctypes.string_at(v).decode() if k == DispatchKind.STR else v for k, v in zip(kinds, cells, strict=True)]
        found.append((name, [DispatchKind(k) for k in kinds], text))
        out[0] = native.heap.of(np.array([1.0]))
        out[1], out[2], out[3] = -9, struct.unpack("q", struct.pack("d", 0.25))[0], 1
        return 0

    native.dispatched = dispatched
    tensor, number, fraction, flag = native.compile(graph)(100, 200, 3, True)
    assert (number, fraction, flag) == (-9, 0.25, True)
    native.heap.release(tensor)
    k = DispatchKind
    first, second = found
    assert first == (
        "k.anything",
        [k.TENSOR, k.TUPLE, k.INT, k.INT, k.FLOAT, k.BOOL, k.DTYPE, k.STR, k.NONE, k.TUPLE, k.TENSOR, k.TENSOR],
        [100, 2, 3, 3, -(2**63), 1, 1, "hé", 0, 2, 100, 100],
    )
    assert second[1] == [k.TENSOR, k.SIZE, k.INT, k.BOOL, k.NONE, k.STR, k.INT, k.TUPLE, k.TENSOR, k.TENSOR]
    assert second[2] == [100, 200, 3, 1, 0, "", 3, 2, 100, 100]


def test_failing_kernels_name_the_call(native):
    op = kernel("k.failing(int x) -> int", INT)
    native.function(kernel_symbol("failing"), "i64 ptr", lambda ctx, x, out: 2)
    graph = Graph("f", [], INT)
    b = Builder(graph.body)
    b.return_(b.op(op, b.const(1)))
    function = native.compile(graph)
    with pytest.raises(Exception, match="2"):
        function()
    assert [(s.line, s.exception) for s in function.trace] == [(1, None)]


SIN = machine.extern("sin", [FLOAT], FLOAT, math.sin)
POW = machine.extern("pow", [FLOAT, FLOAT], FLOAT, math.pow)
ABS = machine.extern("llabs", [INT], INT)


def test_libm_is_called_digit_for_digit(native, level):
    program = native.program(
        """
        graph @f(%x: float) -> tuple[float, float, int] {
          %s: float = extern.sin(%x)
          %two: float = const 2.0
          %p: float = extern.pow(%s, %two)
          %n: int = const -5
          %a: int = extern.llabs(%n)
          %r: tuple[float, float, int] = tuple.make(%s, %p, %a)
          return %r
        }""",
        SIN,
        POW,
        ABS,
    )
    function = native.compile(program, level)
    for x in (0.1, 1.0, 2.5, 1e6, -3.25):
        assert function(x) == (math.sin(x), math.pow(math.sin(x), 2.0), 5)
    for symbol in ("sin", "pow", "llabs"):
        assert f"@{symbol}(" in function.text


def test_pure_functions_may_be_merged_but_not_replaced(native):
    from tscript.backend.loader.optimise import optimised_text

    graph = Graph("f", [Param("x", FLOAT)], FLOAT)
    b = Builder(graph.body)
    (x,) = graph.body.params
    two = b.const(2.0)
    b.return_(b.op(machine.ADD, b.op(POW, x, two), b.op(POW, x, two)))
    function = native.compile(graph)
    text = optimised_text(function.text, native.target, effort=function.effort)
    assert text.count("call double @pow") >= 1


@pytest.mark.parametrize("implementation", [Scalar(lambda x: x), Extern("nothing")])
def test_what_cannot_be_compiled_is_an_internal_error(native, implementation):
    op = OpDef(parse_schema("odd.op(int x) -> int"), lambda args: INT, lambda x: x, implementation)
    graph = Graph("f", [Param("x", INT)], INT)
    b = Builder(graph.body)
    b.return_(b.op(op, graph.body.params[0]))
    if isinstance(implementation, Extern):
        from tscript.backend.loader.loading import LoadError

        with pytest.raises(LoadError, match="undefined symbols: nothing"):
            native.compile(graph)
    else:
        with pytest.raises(InternalError, match=r"odd\.op reached the backend"):
            native.compile(graph)


def test_constant_tensors_are_symbols(native):
    handle = np.zeros(1)
    graph = Graph("f", [], INT)
    b = Builder(graph.body)
    op = kernel("k.sizes_of(Tensor t) -> int", INT)
    b.return_(b.op(op, b.const(handle, type=TENSOR)))
    program = Program("f", [graph])
    text = emit_module(
        program, target=native.target, entry_symbols={}, bodies=NO_BODIES, tensor_symbol=lambda v: "my_constant"
    ).text
    assert "@my_constant = external global [" in text
    assert "@ts_sizes_of_v1(ptr %ctx, ptr @my_constant, " in text
    with pytest.raises(InternalError, match="constant Tensor has no place"):
        emit_module(program, target=native.target, entry_symbols={}, bodies=NO_BODIES)


def test_kernels_of_the_program_are_called_directly(native, level):
    inner = Graph("ts_twice_v1", [Param("x", INT)], INT)
    b = Builder(inner.body)
    b.return_(b.op(machine.ADD, inner.body.params[0], inner.body.params[0]))
    outer = Graph("f", [Param("x", INT)], INT)
    b = Builder(outer.body)
    b.return_(b.op(kernel("k.twice(int x) -> int", INT), outer.body.params[0]))
    function = native.compile(Program("f", [outer, inner]), level, safepoints=False)  # a module of kernels
    assert function(21) == 42
    assert "declare i32 @ts_twice_v1" not in function.text


def test_dtype_binding_of_a_generic_result(native):
    op = kernel("k.filled(int n, dtype d) -> Tensor", TensorType(dtypes.int8, 1), (-1,))
    graph = Graph("f", [Param("n", INT)], TensorType(dtypes.int8, 1))
    b = Builder(graph.body)
    b.return_(b.op(op, graph.body.params[0], b.const(dtypes.int8)))
    assert isinstance(dtypes.int8, DType)
    assert (
        "@ts_filled$i8_v1("
        in emit_module(Program("f", [graph]), target=native.target, entry_symbols={}, bodies=NO_BODIES).text
    )


def test_pointwise_operators_outside_groups(native):
    from tscript.ir.interpreter import interpret
    from tscript.operators.table import TABLE
    from tscript.pipeline.bodies import Bodies

    vector = TensorType(dtypes.float32, 1)
    graph = Graph("f", [Param("x", vector), Param("y", vector), Param("s", FLOAT)], vector)
    b = Builder(graph.body)
    x, y, s = graph.body.params
    total = b.op(TABLE["add.Tensor"], x, y, b.const(2))
    b.return_(b.op(TABLE["mul.Tensor"], total, s))
    program = Program("f", [graph])
    given = [np.arange(37, dtype=np.float32), np.linspace(-1, 1, 37, dtype=np.float32)]
    expected = interpret(program, [*given, 1.5])
    function = native.compile(program, bodies=Bodies(TABLE))
    assert function.text.count("call i32 @fused_") >= 2
    x, y = (native.heap.of(a) for a in given)
    out = function(x, y, 1.5)
    assert native.heap.array(out).tobytes() == np.asarray(expected).tobytes()
    for tensor in (x, y, out):
        native.heap.release(tensor)
