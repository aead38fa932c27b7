"""IR text: names, constants, places. Golden files fix what it looks like; the parser's tests have round trips."""

from __future__ import annotations

import pytest

from tscript.diagnostics import SourceFile, Span
from tscript.dialect import machine
from tscript.ir.builder import Builder
from tscript.ir.graph import Break, Graph, Label, Op, Param, Program, Value
from tscript.ir.printer import (
    Names,
    print_constant,
    print_graph,
    print_node,
    print_program,
    print_span,
    print_string,
)
from tscript.types import BOOL, F32, INT, TENSOR, TensorType, TupleType, dtypes


def test_type():
    assert str(TupleType((INT, TensorType(dtypes.float32)))) == "tuple[int, Tensor[float32, ?]]"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1, "1"),
        (-(2**70), "-1180591620717411303424"),
        (2**130, "0x400000000000000000000000000000000"),
        (1.0, "1.0"),
        (-0.0, "-0.0"),
        (float("-inf"), "-inf"),
        (float("nan"), "nan"),
        (-float("nan"), "-nan"),
        (True, "True"),
        (None, "None"),
        ('é\n"\\', '"\\xe9\\n\\"\\\\"'),
        (dtypes.bool_, "dtype.bool"),
        (F32, "type(f32)"),
        ((), "()"),
        ((1,), "(1,)"),
        ((1, ("a", None)), '(1, ("a", None))'),
    ],
)
def test_constants(value, text):
    assert print_constant(value) == text


def test_strings_are_ascii():
    assert print_string("😀\ud800\x00") == '"\\U0001f600\\ud800\\x00"'


def test_names_are_hints_made_unique():
    graph = Graph("f", [Param("x", INT), Param("y.1", INT), Param("1", INT)], INT)
    b = Builder(graph.body)
    x = graph.body.params[0]
    for name in ("x", "x", "", "y", "y", "a b", "1st", "x"):
        b.op(machine.NEG, x, name=name)
    names = [line.split(":")[0].strip() for line in str(graph).splitlines()[1:-1]]
    assert names == ["%x.1", "%x.2", "%0", "%y", "%y.2", "%a_b", "%_1st", "%x.3"]
    assert str(graph).startswith('graph @f(%x: int, %y.1: int, %"1": int)')


def test_labels_are_numbered():
    graph = Graph("f", (), INT)
    b = Builder(graph.body)
    for label in ("L", "outer", "L7", "a b", ""):
        with b.loop(label=label) as loop:
            b.break_(loop)
    heads = [line.strip() for line in str(graph).splitlines() if "loop" in line]
    assert heads == ["loop L0 {", "loop outer1 {", "loop L2 {", "loop a_b3 {", "loop L4 {"]


def build() -> Program:
    """One program with every class of nodes."""
    source = SourceFile("model.py")
    twice = Graph("twice", [Param("a", INT, 1), Param("b", BOOL, True, True)], INT, Span(source, 1, 0, 3, 4, "twice"))
    b = Builder(twice.body, Span(source, 2, 4, 2, 9, "twice"))
    a, flag = twice.body.params
    with b.if_(flag, [INT]) as branch:
        with branch.then:
            b.yield_(b.op(machine.ADD, a, a, name="sum"))
        with branch.orelse:
            b.raise_("ValueError", 'no "{0}"', [a])
    b.return_(branch.output)
    main = Graph("main", [Param("x", INT), Param("t", TENSOR)], TENSOR)
    b = Builder(main.body)
    x, t = main.body.params
    zero, one = b.const(0), b.const(1, name="one")
    with b.loop([x, zero], names=("i", "acc")) as loop:
        i, acc = loop.params
        with b.if_(b.op(machine.LE, i, zero)) as done:
            with done.then:
                b.break_(loop, acc)
        with b.for_(zero, i, one, [acc], counter="k", names=("s",)) as counted:
            b.continue_(counted, b.op(machine.ADD, counted.params[0], counted.counter))
        b.continue_(loop, b.op(machine.SUB, i, one, name="i"), counted.output)
    b.call(twice, loop.output, b.const(False), name="r")
    with b.fused([t]) as group:
        b.yield_(group.params[0])
    with b.loop(label="forever"):
        b.raise_("KeyError")
    b.unreachable()
    return Program("main", [twice, main])


def test_a_program(golden):
    golden("ir/program.ir", print_program(build()))


def test_a_program_with_places(golden):
    golden("ir/program_spans.ir", print_program(build(), spans=True))


def test_str_is_the_text():
    program = build()
    assert str(program) == print_program(program)
    assert str(program.entry) == print_graph(program.entry)


def test_places_name_all_callers():
    source = SourceFile("f.py")
    inner = Span(source, 7, 4, 7, 9, "g").inlined_at(Span(source, 2, 0, 2, 3, "A.<locals>.f"))
    assert print_span(inner) == '@ "f.py":7:5-7:10 in g <- "f.py":2:1-2:4 in "A.<locals>.f"'


def test_single_nodes():
    program = build()
    graph = program.graphs["twice"]
    branch = graph.body.nodes[0]
    assert print_node(branch, Names(graph)) == "%0: int = if %b"


def test_broken_ir_prints_too():
    assert print_node(Break(Label("L"), [Value(INT, "x")])) == "break L? (%x?)"
    assert print_node(Op(machine.NEG, [], INT)) == "%?: int = machine.neg()"
    graph = Graph("f", [Param("x", INT)], INT)
    graph.body.params.clear()
    b = Builder(graph.body)
    with b.loop([b.const(1)]) as loop:
        pass
    loop.node.inputs.clear()
    loop.node.body.params.append(Value(INT))
    assert "loop L0 (%1: int = %?, %2: int = %?) {" in str(graph)
