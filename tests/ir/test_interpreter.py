"""The reference interpreter: values, control flow, errors."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tscript.definitions.opdef import PURE, Effects, Kernel, OpDef, OperatorRuntimeError, Pointwise, Scalar
from tscript.definitions.schema import parse_schema
from tscript.dialect import machine
from tscript.ir.builder import Builder
from tscript.ir.coercion import InterpreterError, coercion
from tscript.ir.graph import Block, Graph, If, Node, Param, Return, Value
from tscript.ir.interpreter import StepLimitError, interpret
from tscript.ir.parser import parse_program
from tscript.types import (
    BOOL,
    F32,
    FLOAT,
    I8,
    I32,
    INT,
    MACHINE,
    SIZE,
    TENSOR,
    U8,
    TensorType,
    TupleType,
    Type,
    dtypes,
)


def op(schema: str, result: Type, semantics, implementation=Pointwise(abs, abs), effects: Effects = PURE) -> OpDef:
    return OpDef(parse_schema(schema), lambda args: result, semantics, implementation, effects)


def add_in_place(x, y):
    x += y
    return x


def floor_divide(a: int, b: int) -> int:
    return a // b


def refused(x):
    raise OperatorRuntimeError("not for these")


OPS = (
    *machine.LEAVES,
    machine.TUPLE_MAKE,
    machine.TUPLE_GET,
    machine.extern("sin", [FLOAT], FLOAT, math.sin),
    machine.extern("getpid", [], I32),
    op("add(Tensor self, Tensor other) -> Tensor", TENSOR, lambda x, y: x + y),
    op("add_(Tensor(a!) self, Tensor other) -> Tensor", TENSOR, add_in_place, effects=Effects(writes=(0,))),
    op("t(Tensor self) -> Tensor", TENSOR, lambda x: x.T, Kernel("t"), Effects(view_of=0)),
    op("refused(Tensor self) -> Tensor", TENSOR, refused, Kernel("refused")),
    op("sum(Tensor self) -> Tensor", TENSOR, lambda x: x.sum(), Kernel("sum")),
    op("item(Tensor self) -> float", FLOAT, lambda x: x.item(), Kernel("item")),
    op("size(Tensor self) -> Any", SIZE, lambda x: x.shape, Kernel("size")),
    op("wrong(Tensor self) -> Tensor", TensorType(dtypes.float32, 1), lambda x: x, Kernel("wrong")),
    op("wrong_int(Tensor self) -> int", INT, lambda x: 0.5, Kernel("wrong")),
    op("floor_divide.int(int a, int b) -> int", INT, floor_divide, Scalar(floor_divide)),
)
TABLE = {o.name: o for o in OPS}


def run(text: str, *args: object, **kwargs: object):
    return interpret(parse_program(text, TABLE), args, kwargs, step_limit=100_000)


def binary(name: str, type: str, a: object, b: object, result: str | None = None):
    text = f"graph @f(%a: {type}, %b: {type}) -> {result or type} {{ %0: {result or type} = {name}(%a, %b) return %0 }}"
    return run(text, a, b)


@pytest.mark.parametrize(
    ("name", "type", "a", "b", "expected"),
    [
        ("machine.add", "int", 2**63 - 1, 1, -(2**63)),
        ("machine.sub", "int", -(2**63), 1, 2**63 - 1),
        ("machine.mul", "i8", 100, 100, 16),
        ("machine.add", "u8", 250, 10, 4),
        ("machine.sub", "u8", 0, 1, 255),
        ("machine.quot", "int", -7, 2, -3),
        ("machine.quot", "int", 7, 0, 0),
        ("machine.quot", "i8", -128, -1, -128),
        ("machine.rem", "int", -7, 2, -1),
        ("machine.shl", "int", 1, 64, 1),
        ("machine.shl", "int", 1, 65, 2),
        ("machine.shl", "i8", 1, 7, -128),
        ("machine.shl", "int", 3, 2**62, 3),
        ("machine.shr", "int", -8, 1, -4),
        ("machine.shr", "u8", 255, 9, 127),
        ("machine.xor", "bool", True, True, False),
        ("machine.add", "f32", 16777216.0, 1.0, 16777216.0),
        ("machine.add", "float", 0.1, 0.2, 0.30000000000000004),
        ("machine.mul", "f32", 1e38, 10.0, math.inf),
        ("machine.div", "float", 1.0, 0.0, math.inf),
        ("machine.div", "float", -1.0, 0.0, -math.inf),
        ("floor_divide.int", "int", -7, 2, -4),
    ],
)
def test_machine_arithmetic(name, type, a, b, expected):
    found = binary(name, type, a, b)
    assert found == expected
    assert found.__class__ is expected.__class__


def test_comparisons_of_nan():
    for name in ("eq", "lt", "le", "gt", "ge"):
        assert binary(f"machine.{name}", "float", math.nan, 1.0, "bool") is False
    assert binary("machine.ne", "float", math.nan, math.nan, "bool") is True
    assert math.isnan(binary("machine.div", "float", 0.0, 0.0))


def convert(value: object, source: str, target: str, name: str = "convert"):
    return run(
        f"graph @f(%x: {source}) -> {target} {{ %t: type = const type({target}) "
        f"%0: {target} = machine.{name}(%x, %t) return %0 }}",
        value,
    )


@pytest.mark.parametrize(
    ("value", "source", "target", "expected"),
    [
        (1e300, "float", "int", 2**63 - 1),
        (math.nan, "float", "int", 0),
        (-1.9, "float", "int", -1),
        (300.0, "float", "u8", 255),
        (-5.0, "float", "u8", 0),
        (300, "int", "u8", 44),
        (200, "u8", "i8", -56),
        (0.1, "float", "f32", 0.10000000149011612),
        (2**53 + 2**29 + 1, "int", "f32", 9007200328482816.0),
        (True, "bool", "int", 1),
        (2, "int", "bool", True),
    ],
)
def test_conversions(value, source, target, expected):
    assert convert(value, source, target) == expected


def test_bits():
    assert convert(1.0, "float", "int", "bitcast") == 0x3FF0000000000000
    assert convert(-1, "i32", "f32", "bitcast") != convert(-1, "i32", "f32", "bitcast")
    assert convert(0x80, "u8", "i8", "bitcast") == -128
    assert convert(0x40490FDB, "i32", "f32", "bitcast") == pytest.approx(math.pi)


COUNT = """
graph @f(%n: int) -> int {
  %0: int = const 0
  %1: int = const 1
  %r: int = loop L0 (%i: int = %0, %s: int = %0) {
    %c: bool = machine.ge(%i, %n)
    if %c { break L0 (%s) } else { yield }
    %j: int = machine.add(%i, %1)
    %t: int = machine.add(%s, %i)
    continue L0 (%j, %t)
  }
  return %r
}
"""


def test_loops_do_not_use_pythons_stack():
    assert run(COUNT, 5000) == sum(range(5000))


def test_step_limit():
    program = parse_program("graph @f() -> int { loop L0 { continue L0 } unreachable }", TABLE)
    with pytest.raises(StepLimitError):
        interpret(program, step_limit=1000)
    assert interpret(parse_program(COUNT, TABLE), [10], step_limit=200) == 45


def test_for_counts_like_range_and_carries_its_values():
    text = """graph @f(%a: {t}, %b: {t}, %s: {t}) -> tuple[int, {t}] {{
      %0: int = const 0
      %1: int = const 1
      %n: int, %last: {t} = for L0 %k: {t} in range(%a, %b, %s) (%i: int = %0, %l: {t} = %b) {{
        %j: int = machine.add(%i, %1)
        continue L0 (%j, %k)
      }}
      %r: tuple[int, {t}] = tuple.make(%n, %last)
      return %r
    }}"""
    for t in ("int", "i8"):
        for bounds in ((0, 5, 1), (5, 0, -2), (0, 0, 1), (3, -3, 1), (-3, 4, 3)):
            counters = list(range(*bounds))
            assert run(text.format(t=t), *bounds) == (len(counters), counters[-1] if counters else bounds[1])
    with pytest.raises(ValueError, match="must not be zero"):
        run(text.format(t="int"), 0, 1, 0)


def test_exits_leave_any_loop_around():
    text = """graph @f(%way: int) -> int {
      %0: int = const 0
      %1: int = const 1
      %2: int = const 2
      %9: int = const 9
      %r: int = loop outer0 (%i: int = %0) {
        %s: int = for inner1 %k: int in range(%0, %9, %1) (%z: int = %i) {
          loop L2 {
            %a: bool = machine.eq(%way, %0)
            if %a { break outer0 (%k) } else { yield }
            %b: bool = machine.eq(%way, %1)
            if %b { break inner1 (%9) } else { yield }
            %c: bool = machine.ge(%i, %2)
            if %c { return %z } else { continue outer0 (%9) }
            unreachable
          }
          unreachable
        }
        break outer0 (%s)
      }
      %n: int = machine.neg(%r)
      return %n
    }"""
    assert run(text, 0) == 0
    assert run(text, 1) == -9
    assert run(text, 2) == 9


FACTORIAL = """
graph @f(%n: int) -> int {
  %1: int = const 1
  %c: bool = machine.le(%n, %1)
  if %c { return %1 } else { yield }
  %m: int = machine.sub(%n, %1)
  %r: int = call @f(%m)
  %p: int = machine.mul(%n, %r)
  return %p
}
"""


def test_calls_recur_as_deep_as_native_ones():
    assert run(FACTORIAL, 10) == 3628800
    assert run(FACTORIAL, 1990) == 0
    with pytest.raises(RecursionError, match="maximum recursion depth exceeded"):
        run(FACTORIAL, 3000)


def test_raise():
    text = 'graph @f(%i: int, %x: float) -> int { raise %s "{{1}} then {0} {{{0}}} and {1}" (%i, %x) }'
    for name in ("IndexError", "ZeroDivisionError", "ValueError"):
        with pytest.raises(__builtins__[name] if isinstance(__builtins__, dict) else getattr(__builtins__, name)) as e:
            run(text.replace("%s", name), 7, 0.5)
        assert str(e.value) == "{1} then 7 {7} and 0.5"
    with pytest.raises(AssertionError) as caught:
        run("graph @f() -> int { raise AssertionError }")
    assert caught.value.args == ()


def test_what_operators_raise_comes_out():
    with pytest.raises(ZeroDivisionError):
        binary("floor_divide.int", "int", 1, 0)


@pytest.mark.parametrize("caught", ["RuntimeError", "TypeError"])
def test_what_a_type_rule_refuses_is_of_the_class_that_is_raised_and_no_other(caught):
    text = f"""graph @f(%x: Tensor) -> int {{
      %1: int = try T0 {{
        %2: int = const 1
        %3: Tensor = refused(%x)
        yield %2
      }} except {caught} {{
        %4: int = const 2
        yield %4
      }}
      return %1
    }}"""
    given = np.zeros(2)
    if caught == "RuntimeError":
        assert run(text, given) == 2
        return
    with pytest.raises(RuntimeError, match="not for these") as e:
        run(text, given)
    assert type(e.value) is RuntimeError


def test_tensors_are_arrays_and_views_share_memory():
    text = """graph @f(%x: Tensor, %y: Tensor) -> Tensor {
      %v: Tensor = t(%x)
      %r: Tensor = add_(%v, %y)
      return %r
    }"""
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    found = run(text, x, np.ones((3, 2), np.float32))
    assert np.array_equal(x, np.arange(1, 7).reshape(2, 3))
    assert np.shares_memory(found, x)


def test_results_of_no_dimensions_are_arrays():
    found = run("graph @f(%x: Tensor) -> Tensor { %s: Tensor = sum(%x) return %s }", np.ones(3))
    assert isinstance(found, np.ndarray)
    assert found.shape == ()
    assert run("graph @f(%x: Tensor) -> float { %s: float = item(%x) return %s }", np.float32(2.5)) == 2.5
    assert run("graph @f(%x: Tensor) -> Size { %s: Size = size(%x) return %s }", np.ones((2, 3))) == (2, 3)


def test_fused_groups_run_as_they_stand():
    text = """graph @f(%x: Tensor, %y: Tensor) -> tuple[Tensor, Tensor] {
      %a: Tensor, %b: Tensor = fused (%p: Tensor = %x, %q: Tensor = %y) {
        %s: Tensor = add(%p, %q)
        %t: Tensor = add(%s, %q)
        yield %s, %t
      }
      %r: tuple[Tensor, Tensor] = tuple.make(%a, %b)
      return %r
    }"""
    a, b = run(text, np.ones(2), np.ones((3, 1)))
    assert a.tolist() == [[2, 2]] * 3
    assert b.tolist() == [[3, 3]] * 3


def test_external_functions_with_a_meaning():
    assert run("graph @f(%x: float) -> float { %s: float = extern.sin(%x) return %s }", 0.5) == math.sin(0.5)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "graph @f() -> i32 { %p: i32 = extern.getpid() return %p }",
            "@f: extern.getpid has no meaning on values; run native code instead",
        ),
        (
            "graph @f() -> int { %p: Ptr[Context] = machine.context() unreachable }",
            "@f: machine.context has no meaning",
        ),
        ("graph @f() -> int { %r: int = call @g() return %r }", "@f: there is no graph @g"),
        ("graph @f() -> int { }", "@f: a block ends without a terminator"),
        ("graph @f() -> int { yield }", "@f: a yield that nothing takes"),
        ("graph @f() -> int { unreachable }", "@f: control reached what it cannot reach"),
        ("graph @f() -> int { raise print }", "@f: print is not a builtin exception"),
        (
            "graph @f() -> int { %c: bool = const True if %c { %x: int = const 1 yield %x } else { yield } return %x }",
            "@f: 1 values for 0 names",
        ),
        (
            "graph @f() -> int { %c: bool = const False if %c { %x: int = const 1 yield } else { yield } return %x }",
            "@f: <Value x: int> has no value yet",
        ),
    ],
)
def test_what_cannot_run_is_said_clearly(text, message):
    with pytest.raises(InterpreterError) as caught:
        run(text)
    assert str(caught.value).startswith(message)


def test_an_operator_that_breaks_its_own_type_is_found():
    text = "graph @f(%x: Tensor) -> {0} {{ %r: {0} = {1}(%x) return %r }}"
    for x, message in ((np.ones(2), "has elements of type float64"), (np.ones((2, 2), np.float32), "has 2 dimensions")):
        with pytest.raises(InterpreterError, match=message):
            run(text.format("Tensor[float32, 1]", "wrong"), x)
    with pytest.raises(InterpreterError, match=r"wrong_int gave 0\.5"):
        run(text.format("int", "wrong_int"), np.ones(2))


def test_nodes_of_unknown_classes():
    class Odd(Node):
        pass

    graph = Graph("f", [Param("x", INT)], INT)
    graph.body.nodes = [Odd((), (), Return(Value(INT)).span)]
    with pytest.raises(InterpreterError, match="Odd is not a class of nodes"):
        interpret(graph, [1])


ARGUMENTS = """graph @f(%a: int, %b: float = 2.0, *, %c: bool = True) -> tuple[int, float, bool] {
  %r: tuple[int, float, bool] = tuple.make(%a, %b, %c)
  return %r
}"""


def test_arguments():
    assert run(ARGUMENTS, 1) == (1, 2.0, True)
    assert run(ARGUMENTS, 1, 3) == (1, 3.0, True)
    assert run(ARGUMENTS, True, c=False) == (1, 2.0, False)
    assert run(ARGUMENTS, b=1, a=2**64 + 5) == (5, 1.0, True)
    for args, kwargs, message in (
        ((), {}, "missing the argument 'a'"),
        ((1, 2, 3, 4), {}, "takes 3 arguments but 4 were given"),
        ((1,), {"a": 2}, "unexpected argument 'a'"),
        ((1,), {"d": 2}, "unexpected argument 'd'"),
        ((1.5,), {}, "'float' object cannot be interpreted as an integer"),
    ):
        with pytest.raises(TypeError, match=message):
            run(ARGUMENTS, *args, **kwargs)


@pytest.mark.parametrize("type", [INT, I8, I32, U8, MACHINE["i16"]])
def test_integers_wrap_as_numpys_do(type):
    dtype = {"int": "int64", "u8": "uint8"}.get(str(type), str(type).replace("i", "int"))
    for value in (0, 1, -1, 127, 128, 255, 256, 2**31, 2**63 - 1, -(2**63)):
        assert coercion(type)(value) == int(np.int64(value).astype(dtype))


def test_other_coercions():
    assert coercion(F32)(0.1) == float(np.float32(0.1))
    assert coercion(F32)(1e300) == math.inf
    assert coercion(BOOL)(np.True_) is True
    assert type(coercion(FLOAT)(np.float32(1))) is float
    assert coercion(TupleType((INT, F32)))((2**64, 0.1)) == (0, float(np.float32(0.1)))
    assert coercion(SIZE)(np.array([1, 2])) == (1, 2)


def test_a_builder_made_graph_runs_alone():
    graph = Graph("f", [Param("c", BOOL)], INT)
    b = Builder(graph.body)
    node = b.append(If(graph.body.params[0], Block(), Block(), [INT]))
    for block, value in zip(node.blocks, (1, 2), strict=True):
        with b.inside(block):
            b.yield_(b.const(value))
    b.return_(node.output)
    assert [interpret(graph, [c]) for c in (True, False)] == [1, 2]


def test_an_int_that_does_not_fit_is_no_value():
    """Operators of the language raise for it; only machine operators wrap."""
    with pytest.raises(
        InterpreterError, match=r"floor_divide\.int gave 9223372036854775808, which is no int of 64 bits"
    ):
        binary("floor_divide.int", "int", -(2**63), -1)
