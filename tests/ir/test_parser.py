"""Reading IR text: round trips of everything the syntax has, and precise errors for everything it has not."""

from __future__ import annotations

import math
import pickle
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tscript.diagnostics import UNKNOWN, SourceFile, Span
from tscript.dialect import machine
from tscript.ir.builder import Builder
from tscript.ir.graph import Const, Graph, Param, Program
from tscript.ir.parser import MAX_NESTING, parse_graph, parse_program
from tscript.ir.printer import print_constant, print_graph, print_program
from tscript.ir.reader import MAX_LENGTH, IRSyntaxError
from tscript.types import FLOAT, INT, NONE, TENSOR, TYPE, PtrType, StructType, TupleType, dtypes

TABLE = {op.name: op for op in (*machine.LEAVES, machine.TUPLE_MAKE, machine.TUPLE_GET)}


def constant(text: str, handles=()) -> object:
    graph = parse_graph(f"graph @f() -> None {{ %x: None = const {text} return %x }}", TABLE, handles=handles)
    node = graph.body.nodes[0]
    assert isinstance(node, Const)
    return node.value


def same(a: object, b: object) -> bool:
    """Equal, of the same classes, floats bit for bit."""
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, float) and isinstance(b, float):
        if a != a and b != b:
            return math.copysign(1, a) == math.copysign(1, b)
        return struct.pack("d", a) == struct.pack("d", b)
    if isinstance(a, complex) and isinstance(b, complex):
        return same(a.real, b.real) and same(a.imag, b.imag)
    return type(a) is type(b) and a == b


scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.integers(-(2**300), 2**300),
    st.floats(),
    st.complex_numbers(),
    st.text(st.characters()),
    st.text(st.characters(categories=["Cs", "Cc"]), max_size=3),
    st.sampled_from(dtypes.DTYPES),
    st.sampled_from([INT, TENSOR, TupleType((INT, TupleType(()))), PtrType(StructType("Storage"))]),
)
constants = st.recursive(scalars, lambda inner: st.lists(inner, max_size=3).map(tuple), max_leaves=8)


@given(constants)
def test_constants_round_trip(value):
    text = print_constant(value)
    assert text.isascii()
    assert same(constant(text), value)


@pytest.mark.parametrize("value", [0.0, -0.0, math.inf, -math.inf, math.nan, -math.nan, 1e16, 5e-324, 0.1, 1e22])
def test_every_float_round_trips_exactly(value):
    assert same(constant(print_constant(value)), value)


def test_integers_of_any_length_round_trip():
    for value in (10**40, -(10**40), 10**5000, -(16**6000)):
        assert constant(print_constant(value)) == value


def test_tensors_stand_outside_the_text_and_are_named_by_number():
    first, second = object(), object()
    graph = Graph("f", (), NONE)
    b = Builder(graph.body)
    for value in (first, second, first):
        b.const(value, type=TENSOR)
    b.return_(b.const(None))
    handles: list[object] = []
    text = print_graph(graph, handles=handles)
    assert handles == [first, second]
    assert [line.rpartition("const ")[2] for line in text.splitlines()[1:4]] == ["tensor 0", "tensor 1", "tensor 0"]
    again = parse_graph(text, TABLE, handles=handles)
    assert [n.value for n in again.body.nodes[:3] if isinstance(n, Const)] == [first, second, first]
    with pytest.raises(IRSyntaxError, match="expected the number of one of 1 tensors, found 1"):
        parse_graph(text, TABLE, handles=handles[:1])


EVERYTHING = """\
program @main

graph @helper(%x: Tensor[float32, 2], %n: int = 3, *, %scale: float = -0.0, %dtype: dtype = dtype.float32) -> None {
  %0: None = const None
  return %0
}

graph @main(%a: int, %b: tuple[int, Tensor[?, 1], tuple[()]], %p: Ptr[Storage]) -> int {
  %0: tuple[int, float] = const (1, nan)
  %c: bool = const True
  %s: str = const "a \\"quoted\\" \\\\ line\\n"
  %t: int, %u: float = if %c {
    %x: float = const 1e-05
    yield %a, %x
  } else {
    raise ValueError "no {0}" (%a)
  }
  %v: int = loop L0 (%i: int = %t, %x.1: float = %u) {
    if %c {
      break L0 (%i)
    } else {
      yield
    }
    loop outer1 {
      if %c {
        continue outer1
      } else {
        continue L0 (%i, %x.1)
      }
      unreachable
    }
    unreachable
  }
  %1: int = const -1
  for L2 %k: int in range(%v, %a, %1) {
    continue L2
  }
  %w: int = for L3 %k.1: int in range(%v, %a, %1) (%acc: int = %a) {
    %2: int = machine.add(%acc, %k.1)
    continue L3 (%2)
  }
  %3: Tensor = const tensor 0
  fused {
    yield
  }
  %f: Tensor = fused (%q: Tensor = %3) {
    yield %q
  }
  if %c {
    raise KeyError
  } else {
    yield
  }
  %r: int = call @main(%w, %b, %p)
  return %r
}
"""


def test_the_whole_syntax_round_trips():
    program = parse_program(EVERYTHING, TABLE, handles=[object()])
    assert print_program(program) == EVERYTHING
    assert program.main == "main"
    helper = program.graphs["helper"]
    assert [p.keyword_only for p in helper.params] == [False, False, True, True]
    assert [p.default for p in helper.params[1:]] == [3, 0.0, dtypes.float32]


def test_white_space_and_comments_do_not_matter():
    text = "graph@f(%x:int)->int{#comment }\n%0:int=machine.neg(%x)return %0}"
    assert print_graph(parse_graph(text, TABLE)).splitlines()[1] == "  %0: int = machine.neg(%x)"


def test_odd_names_are_quoted():
    graph = Graph('a "b" <locals>', [Param("x·y", INT), Param("名", INT)], INT)
    b = Builder(graph.body)
    b.return_(b.call('a "b" <locals>', *graph.body.params, type=INT))
    text = print_graph(graph)
    again = parse_graph(text, TABLE)
    assert print_graph(again) == text
    assert (again.name, again.params) == (graph.name, graph.params)


SPANS = """\
program @f

graph @f(%x: int) -> int {  @ "a \\"b\\".py":1:1-9:2
  %0: int = machine.neg(%x)  @ "f.py":7:5-7:10 in f
  if %x {  @ "f.py":8:5-9:10 in f
    yield  @ "f.py":7:5-7:10 in f <- "a \\"b\\".py":20:9-20:18 in "A.<locals>.m" <- "f.py":30:1-30:2
  } else {
    yield
  }
  return %0
}
"""


def test_places_round_trip():
    known = SourceFile("f.py", "text")
    program = parse_program(SPANS, TABLE, sources={"f.py": known})
    assert print_program(program, spans=True) == SPANS
    graph = program.entry
    assert graph.span.source.name == 'a "b".py'
    neg, branch, last = graph.body.nodes
    assert neg.span == Span(known, 7, 4, 7, 9, "f")
    assert last.span is UNKNOWN
    frames = branch.blocks[0].nodes[0].span.frames()
    assert [(f.source.name, f.line, f.function) for f in frames] == [
        ("f.py", 7, "f"),
        ('a "b".py', 20, "A.<locals>.m"),
        ("f.py", 30, ""),
    ]
    assert frames[1].source is graph.span.source


def test_the_first_graph_is_the_entry_when_none_is_named():
    body = "() -> int { unreachable }"
    program = parse_program(f"graph @b{body} graph @a{body}", TABLE)
    assert program.main == "b"
    assert parse_program(f"program @a graph @b{body} graph @a{body}", TABLE).main == "a"


ERRORS = [
    ("", 1, 1, "expected a graph, found the end of the text"),
    ("program @f", 1, 11, "expected a graph, found the end of the text"),
    ("program @g graph @f() -> int { }", 1, 33, "expected a graph named g, the program's entry, found none"),
    ("graph f() -> int { }", 1, 7, "expected the name of a graph, found f"),
    ("graph @f() -> int { } graph @f() -> int { }", 1, 29, "expected a new name of a graph"),
    ("graph @f(x: int) -> int { }", 1, 10, "expected a value, found x"),
    ("graph @f(%x: int, %x: int) -> int { }", 1, 19, "expected a new name, found %x, which is defined above"),
    ("graph @f(%x int) -> int { }", 1, 13, "expected ':', found int"),
    ("graph @f(%x: what) -> int { }", 1, 14, "expected a type, found what"),
    ("graph @f(%x: Tensor[float33, 1]) -> int { }", 1, 14, "expected a type, found Tensor"),
    ("graph @f(%x: tuple[int) -> int { }", 1, 35, "expected more, found the end of the text"),
    ("graph @f() -> int {\n  %0: int = const 1", 2, 20, "expected a statement, found the end of the text"),
    ("graph @f() -> int {\n  %0: int = consd 1\n}", 2, 13, "expected a statement or an operator, found consd"),
    ("graph @f() -> int {\n  %0: int = const one\n}", 2, 19, "expected a constant, found one"),
    ("graph @f() -> int {\n  %0: int = const (1\n}", 3, 1, "expected ')', found }"),
    ("graph @f() -> int {\n  %0: int = const (1)\n}", 2, 21, "expected ',' behind the only element of a tuple"),
    ("graph @f() -> int {\n  %0: int = const dtype.f\n}", 2, 19, "expected a constant, found dtype.f"),
    ("graph @f() -> int {\n  %0: str = const 'a'\n}", 2, 19, "expected a constant, found '"),
    ('graph @f() -> int {\n  %0: str = const "a\n}', 2, 19, "expected a string"),
    ('graph @f() -> int {\n  %0: str = const "\\q"\n}', 2, 19, "expected an escape sequence, found \\q"),
    ('graph @f() -> int {\n  %0: str = const "\\Uffffffff"\n}', 2, 19, "expected a character, found"),
    (f"graph @f() -> int {{\n  %0: int = const {'9' * 9000}\n}}", 2, 19, "expected an integer of fewer digits"),
    ("graph @f() -> int {\n  return %x\n}", 2, 10, "expected a value that is defined above, found %x"),
    ("graph @f() -> int {\n  return 1\n}", 2, 10, "expected a value, found 1"),
    ("graph @f() -> int {\n  yield = 3\n}", 2, 9, "expected a statement, found ="),
    ("graph @f() -> int {\n  %0: int = machine.neg(%0)\n}", 2, 25, "expected a value that is defined above"),
    ("graph @f() -> int {\n  const 1\n}", 2, 3, "expected one result, found 0"),
    ("graph @f(%x: int) -> int {\n  %a: int, %b: int = machine.neg(%x)\n}", 2, 22, "expected one result, found 2"),
    ("graph @f(%x: int) -> int {\n  %a: int = return %x\n}", 2, 13, "expected 0 results of return, found 1"),
    ("graph @f(%x: int) -> int {\n  %a: int = machine.neg(%x %x)\n}", 2, 28, "expected ',' or ')', found %x"),
    ("graph @f(%x: int) -> int {\n  if %x { yield }\n}", 3, 1, "expected 'else', found }"),
    ("graph @f(%x: int) -> int {\n  loop L0 (%i: int) { }\n}", 2, 19, "expected '=', found )"),
    ("graph @f() -> int {\n  break L0\n}", 2, 9, "expected the label of a loop around, found L0"),
    ("graph @f() -> int {\n  loop L0 { loop L0 { } }\n}", 2, 18, "expected a new label, found L0"),
    ("graph @f(%x: int) -> int {\n  for L0 %k: int in range(%x) { }\n}", 2, 29, "expected start, stop and step"),
    ("graph @f(%x: int) -> int {\n  call f(%x)\n}", 2, 3, "expected one result, found 0"),
    ("graph @f(%x: int) -> int {\n  return %x @ f.py:1:1-1:2\n}", 2, 15, "expected a string, found f.py"),
    ('graph @f(%x: int) -> int {\n  return %x @ "f.py":1\n}', 2, 22, "expected line:column-line:column, found 1"),
    ('graph @f(%x: int) -> int {\n  return %x @ "f.py":1:0-1:2\n}', 2, 22, "expected columns from 1"),
    ("graph @f() -> tuple[" + "tuple[" * 70 + "]" * 71 + " { }", 1, 404, "expected a type of at most 64 levels"),
    ("graph @f() -> int { %0: int = const " + "(" * 70, 1, 102, "expected a constant of at most 64 levels"),
]


@pytest.mark.parametrize(("text", "line", "column", "message"), ERRORS, ids=range(len(ERRORS)))
def test_errors_name_place_and_expectation(text, line, column, message):
    with pytest.raises(IRSyntaxError) as caught:
        parse_program(text, TABLE)
    error = caught.value
    assert error.message.startswith(message)
    assert (error.line, error.column) == (line, column)
    assert str(error) == f"line {line}, column {column}: {error.message}"
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


def test_a_graph_is_followed_by_nothing():
    with pytest.raises(IRSyntaxError, match="expected nothing behind the graph, found x"):
        parse_graph("graph @f() -> int { } x", TABLE)


def nested(depth: int) -> str:
    return "graph @f(%c: bool) -> int {" + "if %c {" * depth + "yield" + "} else { yield }" * depth + "}"


def test_blocks_may_be_nested_but_not_without_limit():
    parse_program(nested(MAX_NESTING - 1), TABLE)
    with pytest.raises(IRSyntaxError, match=f"expected at most {MAX_NESTING} blocks inside each other"):
        parse_program(nested(MAX_NESTING), TABLE)
    with pytest.raises(IRSyntaxError, match="expected at most"):
        parse_program(nested(100_000), TABLE)


def test_the_length_of_a_text_is_limited():
    with pytest.raises(IRSyntaxError, match="expected at most"):
        parse_program(" " * (MAX_LENGTH + 1), TABLE)


def test_hostile_texts_end_quickly():
    n = 100_000
    for text in ("(" * n, '"' * (n + 1), "%x" * n, "graph @f" + "." * n, "\\" * n, "#" * n):
        with pytest.raises(IRSyntaxError):
            parse_program(text, TABLE)
    frames = ' <- "f.py":1:1-1:2' * 5000
    with pytest.raises(IRSyntaxError, match="expected at most 100 places"):
        parse_program(f'graph @f() -> int {{ unreachable @ "f.py":1:1-1:2{frames} }}', TABLE)


def test_programs_keep_the_order_of_their_graphs():
    graphs = [Graph(name, (), FLOAT) for name in ("z", "a", "m")]
    text = print_program(Program("m", graphs))
    assert list(parse_program(text, TABLE).graphs) == ["z", "a", "m"]
    assert TYPE not in (g.result for g in graphs)


def test_rules_of_arithmetic_round_trip():
    text = "graph @f(%x: float) -> float fastmath {\n  return %x\n}"
    graph = parse_graph(text, TABLE)
    assert graph.fastmath
    assert print_graph(graph).strip() == text
    assert not parse_graph(text.replace(" fastmath", ""), TABLE).fastmath


def test_types_of_the_limits_of_dtypes_are_known():
    for name in ("torch.iinfo", "torch.finfo"):
        text = f"graph @f(%x: {name}) -> {name} {{\n  return %x\n}}"
        assert print_graph(parse_graph(text, TABLE)).strip() == text
