"""Errors, calls and recursion: statuses, sites, traces, depth."""

from __future__ import annotations

import pytest

from tscript.abi.layout import MAX_TRACE
from tscript.diagnostics import SourceFile, Span
from tscript.dialect import machine
from tscript.ir.builder import Builder
from tscript.ir.graph import Graph, Param, Program
from tscript.types import BOOL, F32, FLOAT, INT, MACHINE

SOURCE = SourceFile("model.py", "\n" * 50)


def span(line: int, function: str = "f", caller: Span | None = None) -> Span:
    return Span(SOURCE, line, 4, line, 9, function, caller)


@pytest.mark.parametrize(
    ("type", "value", "shown"),
    [
        (INT, -7, "-7"),
        (FLOAT, -0.0, "-0.0"),
        (FLOAT, 1e300, "1e+300"),
        (F32, 0.5, "0.5"),
        (MACHINE["i8"], -3, "-3"),
        (MACHINE["u8"], 200, "200"),
        (BOOL, True, "1"),
    ],
)
def test_raise_carries_its_arguments(native, level, type, value, shown):
    graph = Graph("f", [Param("x", type)], INT, span(1))
    b = Builder(graph.body)
    (x,) = graph.body.params
    b.raise_("IndexError", "{0} and {1}", [x, b.const(3)], span=span(7))
    function = native.compile(graph, level)
    with pytest.raises(IndexError, match=f"^{shown.replace('+', '.')} and 3$"):
        function(value)
    assert [(s.function, s.line) for s in function.trace] == [("f", 7)]


def test_raise_without_message(native, level):
    graph = Graph("f", [], INT)
    Builder(graph.body).raise_("StopIteration", None, span=span(2))
    function = native.compile(graph, level)
    with pytest.raises(StopIteration) as e:
        function()
    assert e.value.args == ()


def test_inlined_code_names_its_callers(native):
    graph = Graph("f", [], INT)
    Builder(graph.body).raise_("ValueError", "no", span=span(30, "inner", span(20, "middle", span(10, "outer"))))
    text = native.compile(graph).text
    sites = [line for line in text.splitlines() if line.startswith("@site.")]
    assert ["i32 10," in sites[0], "i32 20," in sites[1], "i32 30," in sites[2]] == [True] * 3
    assert "ptr null, i64" in sites[0]
    assert "ptr {}, i64".format(sites[0].split()[0]) in sites[1]


def chain(length: int) -> Program:
    """`f0` calls `f1` calls … calls a function that divides, raising for zero."""
    graphs = []
    for i in range(length):
        graph = Graph(f"f{i}", [Param("x", INT)], INT, span(100 + i, f"f{i}"))
        b = Builder(graph.body)
        (x,) = graph.body.params
        if i + 1 < length:
            b.return_(b.call(f"f{i + 1}", x, type=INT, span=span(i + 1, f"f{i}")))
        else:
            with b.if_(b.op(machine.EQ, x, b.const(0)), []) as branch:
                with branch.then:
                    b.raise_("ZeroDivisionError", "integer division or modulo by zero", span=span(99, f"f{i}"))
                with branch.orelse:
                    b.yield_()
            b.return_(b.op(machine.QUOT, b.const(100), x))
        graphs.append(graph)
    return Program("f0", graphs)


def test_call_sites_are_traced(native, level):
    function = native.compile(chain(4), level)
    assert function(7) == 14
    with pytest.raises(ZeroDivisionError, match=r"^integer division or modulo by zero$"):
        function(0)
    assert [(s.function, s.line) for s in function.trace] == [("f3", 99), ("f2", 3), ("f1", 2), ("f0", 1)]
    assert [s.exception for s in function.trace] == ["ZeroDivisionError", None, None, None]


def test_traces_are_cut(native, level):
    function = native.compile(chain(MAX_TRACE + 10), level)
    with pytest.raises(ZeroDivisionError):
        function(0)
    assert len(function.trace) == MAX_TRACE
    assert function.trace[-1].function == f"f{10 + MAX_TRACE - 1 - (MAX_TRACE - 1)}"


FIBONACCI = """
program @fib

graph @fib(%n: int) -> int {
  %two: int = const 2
  %one: int = const 1
  %small: bool = machine.lt(%n, %two)
  if %small { return %n } else { yield }
  %a: int = machine.sub(%n, %one)
  %b: int = machine.sub(%n, %two)
  %x: int = call @fib(%a)
  %y: int = call @fib(%b)
  %r: int = machine.add(%x, %y)
  return %r
}
"""


def test_recursion(native, level):
    function = native.compile(native.program(FIBONACCI), level)
    assert [function(n) for n in (0, 1, 10, 20)] == [0, 1, 55, 6765]


DOWN = """
program @down

graph @down(%n: int) -> int {
  %zero: int = const 0
  %one: int = const 1
  %end: bool = machine.eq(%n, %zero)
  if %end { return %zero } else { yield }
  %m: int = machine.sub(%n, %one)
  %x: int = call @up(%m)
  %r: int = machine.add(%x, %one)
  return %r
}

graph @up(%n: int) -> int {
  %r: int = call @down(%n)
  return %r
}
"""


def test_depth_is_limited_and_given_back(native, level):
    function = native.compile(native.program(DOWN), level)
    assert function(49, depth=100) == 49
    assert function.depth == 100
    with pytest.raises(RecursionError, match=r"^maximum recursion depth exceeded$"):
        function(50, depth=100)
    assert function.depth == 100
    with pytest.raises(RecursionError):
        function(-1)
    assert function(900) == 900


def test_functions_that_do_not_recurse_ignore_the_depth(native, level):
    assert native.compile(chain(4), level)(3, depth=0) == 33


def test_recursion_lets_signals_in(native, level):
    function = native.compile(native.program(FIBONACCI), level)
    function(22)
    calls = 57313
    assert calls // 4096 - 1 <= native.safepoints <= calls // 4096 + 1
    native.safepoint_status = 2
    with pytest.raises(Exception, match="2"):
        function(22)


def test_calls_with_every_type(agree):
    agree(
        """
        program @main

        graph @main(%t: tuple[int, bool], %f: float) -> tuple[float, tuple[bool, int]] {
          %zero: int = const 0
          %c: bool = const True
          %r: tuple[tuple[bool, int], float] = call @swap(%t, %f, %c)
          %one: int = const 1
          %a: tuple[bool, int] = tuple.get(%r, %zero)
          %b: float = tuple.get(%r, %one)
          %s: tuple[float, tuple[bool, int]] = tuple.make(%b, %a)
          return %s
        }

        graph @swap(%t: tuple[int, bool], %f: float, %neg: bool) -> tuple[tuple[bool, int], float] {
          %zero: int = const 0
          %one: int = const 1
          %a: int = tuple.get(%t, %zero)
          %b: bool = tuple.get(%t, %one)
          %g: float = if %neg { %h: float = machine.neg(%f) yield %h } else { yield %f }
          %p: tuple[bool, int] = tuple.make(%b, %a)
          %q: tuple[tuple[bool, int], float] = tuple.make(%p, %g)
          return %q
        }
        """,
        ((5, True), 1.5),
        ((-5, False), 0.0),
    )


def test_procedures_without_a_result(native, level):
    program = native.program("""
        program @main

        graph @main(%x: int) -> int {
          %n: None = call @check(%x)
          return %x
        }

        graph @check(%x: int) -> None {
          %zero: int = const 0
          %bad: bool = machine.lt(%x, %zero)
          if %bad { raise AssertionError "negative" } else { yield }
          %n: None = const None
          return %n
        }""")
    function = native.compile(program, level)
    assert function(3) == 3
    with pytest.raises(AssertionError, match="negative"):
        function(-3)


def test_names_that_llvm_would_not_take(native, level):
    inner = Graph("f.<locals>.g é", [Param("naïve", INT)], INT)
    Builder(inner.body).return_(inner.body.params[0])
    outer = Graph('f"\\', [Param("x y", INT)], INT)
    b = Builder(outer.body)
    b.return_(b.call(inner, outer.body.params[0]))
    assert native.compile(Program(outer.name, [outer, inner]), level)(5) == 5
