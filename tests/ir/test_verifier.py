"""Every rule of the verifier, each with a program that breaks it and nothing else."""

from __future__ import annotations

import pickle
import re

import numpy as np
import pytest

from tscript.definitions.opdef import PURE, Effects, OpDef, Pointwise
from tscript.definitions.schema import parse_schema
from tscript.diagnostics import UNKNOWN
from tscript.dialect import machine
from tscript.ir.builder import Builder
from tscript.ir.graph import (
    Block,
    Const,
    Graph,
    If,
    Node,
    Op,
    Param,
    Program,
    Return,
    Unreachable,
    Value,
    Yield,
)
from tscript.ir.parser import parse_graph, parse_program
from tscript.ir.reader import IRSyntaxError
from tscript.ir.verifier import verify
from tscript.ir.verify_types import VerifyError, accepts
from tscript.operators.python.references import REFERENCES
from tscript.types import (
    BOOL,
    DTYPE,
    FLOAT,
    INT,
    NONE,
    SIZE,
    STR,
    TENSOR,
    PtrType,
    StructType,
    TensorType,
    TupleType,
    Type,
    dtypes,
)


def tensor_op(schema: str, effects: Effects = PURE) -> OpDef:
    return OpDef(
        parse_schema(schema), lambda args: TENSOR, lambda *args: args[0], Pointwise(abs, abs), effects, portable=True
    )


OPS = (
    *machine.LEAVES,
    machine.TUPLE_MAKE,
    machine.TUPLE_GET,
    machine.extern("sin", [FLOAT], FLOAT, abs),
    machine.extern("system", [INT], INT),
    tensor_op("relu(Tensor self) -> Tensor"),
    tensor_op("add_(Tensor(a!) self, Tensor other) -> Tensor", Effects(writes=(0,), raises=True)),
    tensor_op("t(Tensor self) -> Tensor", Effects(view_of=0)),
    machine._structural("sum(Tensor self, int[1]? dim, dtype? dtype=None) -> Tensor", lambda a: TENSOR, abs, False),
)
TABLE = {op.name: op for op in OPS}

GOOD = """
graph @f(%x: int, %c: bool, %t: Tensor[float32, 2]) -> Tensor {
  %r: int = loop L0 (%i: int = %x) {
    %0: int = for L1 %k: int in range(%x, %x, %x) (%s: int = %i) {
      if %c { continue L1 (%s) } else { yield }
      if %c { continue L0 (%k) } else { break L1 (%s) }
      unreachable
    }
    if %c { break L0 (%0) } else { raise IndexError "{0} {{}}" (%0) }
    unreachable
  }
  %a: Tensor = fused (%y: Tensor = %t) {
    %1: Tensor = relu(%y)
    %2: Tensor = add_(%1, %y)
    yield %2
  }
  %n: None = const None
  %o: tuple[int] = tuple.make(%r)
  %b: Tensor = sum(%a, %o, %n)
  %d: Tensor = call @f(%r, %c, %t)
  return %t
}
"""


def test_well_formed_ir_passes():
    program = parse_program(GOOD, TABLE)
    verify(program)
    verify(program.entry)
    group = re.compile(r"fused \(%y: Tensor = %t\) \{.*?\n  \}", re.DOTALL)
    verify(parse_program(group.sub("relu(%t)", GOOD, count=1), TABLE), from_file=True)


HEAD = "graph @f(%x: int, %c: bool, %t: Tensor, %y: float) -> int {"
BROKEN = [
    # Structure
    ("if %c { %0: int = machine.neg(%x) yield } else { yield } return %0", "return %0", "%0 is not visible here"),
    ("if %c { %0: int = machine.neg(%x) yield } else { return %0 } return %x", "return %0", "%0 is not visible here"),
    ("loop L0 (%i: int = %x) { break L0 } return %i", "return %i", "%i is not visible here"),
    ("", "", "a block without a terminator"),
    ("if %c { } else { yield } return %x", "if %c", "a block without a terminator"),
    ("%0: int = machine.neg(%x)", "%0: int = machine.neg(%x)", "a block ends without a terminator"),
    ("return %x return %x", "return %x", "a terminator in the middle of a block"),
    ("unreachable", "unreachable", "control can get here"),
    ("%0: int = machine.neg(%x) unreachable", "unreachable", "control can get here"),
    ("if %c { return %x } else { yield } unreachable", "unreachable", "control can get here"),
    ("loop L0 { if %c { break L0 } else { continue L0 } unreachable } unreachable", "unreachable", "control can get"),
    ("for L0 %k: int in range(%x, %x, %x) { return %x } unreachable", "unreachable", "control can get here"),
    # Exits
    ("yield", "yield", "yield only ends a block of an if, a try or a fused group"),
    ("loop L0 { yield } return %x", "yield", "yield only ends a block of an if, a try or a fused group"),
    ("if %c { yield %x } else { yield } return %x", "yield %x", "results: expected 0 values, found 1"),
    ("%0: int = if %c { yield } else { yield %x } return %x", "yield", "results: expected 1 values, found 0"),
    (
        "%0: int = if %c { yield %y } else { yield %x } return %x",
        "yield %y",
        "results: expected int, found %y of type fl",
    ),
    ("loop L0 (%i: int = %x) { continue L0 } return %x", "continue L0", "carried values: expected 1 values, found 0"),
    (
        "loop L0 (%i: int = %x) { continue L0 (%y) } return %x",
        "continue L0 (%y)",
        "carried values: expected int, found",
    ),
    ("%0: int = loop L0 { break L0 } return %0", "break L0", "results of the loop: expected 1 values, found 0"),
    ("%0: int = loop L0 { break L0 (%y) } return %0", "break L0 (%y)", "results of the loop: expected int, found %y"),
    (
        "for L0 %k: int in range(%x, %x, %x) { continue L0 (%k) } return %x",
        "continue L0 (%k)",
        "carried values: expected 0 values, found 1",
    ),
    ("return %y", "return %y", "result of @f: expected int, found %y of type float"),
    ("raise Nonsense", "raise Nonsense", "Nonsense is not a builtin exception that takes a message"),
    ("raise print", "raise print", "print is not a builtin exception that takes a message"),
    ("raise Foo", "raise Foo", "Foo is not a builtin exception that takes a message"),
    ("raise UnicodeDecodeError", "raise UnicodeDecodeError", "UnicodeDecodeError is not a builtin exception that"),
    ('raise ValueError "{1}" (%x)', 'raise ValueError "{1}" (%x)', "the message shows argument 1, there are 1"),
    ('raise ValueError "{" (%x)', 'raise ValueError "{" (%x)', "stray '{' in message '{'"),
    ('raise ValueError "{0!r}" (%x)', 'raise ValueError "{0!r}" (%x)', "stray '{' in message"),
    ("raise ValueError (%t)", "raise ValueError (%t)", "a message shows numbers and dtypes, found %t of type Tensor"),
    ("raise ValueError (%x, %x, %x, %x, %x, %x, %x)", "raise ValueError (", "at most 6 values are shown, found 7"),
    # Nodes and their types
    ("if %x { yield } else { yield } return %x", "if %x", "the condition: expected bool, found %x of type int"),
    (
        "loop L0 (%i: int = %y) { return %x } return %x",
        "loop L0",
        "initial values: expected int, found %y of type float",
    ),
    (
        "for L0 %k: int in range(%x, %x, %y) { return %x } return %x",
        "for L0",
        "counter, start, stop and step are of one",
    ),
    ("for L0 %k: float in range(%y, %y, %y) { return %x } return %x", "for L0", "counter, start, stop and step are of"),
    (
        "%0: int = for L0 %k: int in range(%x, %x, %x) (%i: float = %y) { continue L0 (%y) } return %x",
        "%0: int = for L0",
        "results when the range ends: expected int, found %i of type float",
    ),
    ("%0: float = const 1 return %x", "%0: float = const 1", "the constant is not of type float"),
    ("%0: int = const True return %x", "%0: int = const True", "the constant is not of type int"),
    ("%0: int = const 9223372036854775808 return %x", "%0: int = const", "the constant is not of type int"),
    ("%0: u8 = const -1 return %x", "%0: u8 = const", "the constant is not of type u8"),
    ("%0: f32 = const 1 return %x", "%0: f32 = const 1", "the constant is not of type f32"),
    ('%0: dtype = const "float32" return %x', "%0: dtype = const", "the constant is not of type dtype"),
    ("%0: tuple[int] = const (1, 2) return %x", "%0: tuple[int] = const", "the constant is not of type tuple[int]"),
    ("%0: Size = const (1, 2.0) return %x", "%0: Size = const", "the constant is not of type Size"),
    ("%0: Tensor = const None return %x", "%0: Tensor = const", "the constant is not of type Tensor"),
    ("%0: Ptr[f32] = const 0 return %x", "%0: Ptr[f32] = const 0", "the constant is not of type Ptr[f32]"),
    ("%0: never = const 0 return %x", "%0: never = const 0", "the constant is not of type never"),
    (
        "%0: int = machine.add(%x) return %x",
        "%0: int = machine.add(%x)",
        "machine.add has 2 parameters, found 1 inputs",
    ),
    ("%0: int = machine.add(%x, %y) return %x", "%0: int = machine.add(%x, %y)", "operands must be numbers of one"),
    ("%0: float = machine.add(%x, %x) return %x", "%0: float = machine.add", "machine.add gives int, not float"),
    (
        "%0: float = machine.select(%x, %y, %y) return %x",
        "%0: float = machine.select",
        "parameter c takes bool, found %x",
    ),
    ("%0: Tensor = relu(%c, %c) return %x", "%0: Tensor = relu(%c, %c)", "relu has 1 parameters, found 2 inputs"),
    (
        "%0: Tensor = sum(%t, %y, %x) return %x",
        "%0: Tensor = sum",
        "parameter dim takes int[1]?, found %y of type float",
    ),
    ("%0: int = tuple.get(%x, %x) return %x", "%0: int = tuple.get", "int has no element MISSING"),
    ("%0: Tensor[float32, 2] = relu(%t) return %x", "%0: Tensor[float32, 2] = relu", "relu gives Tensor, not Tensor[f"),
    ("%0: Tensor[?, 65] = relu(%t) return %x", "%0: Tensor[?, 65] = relu(%t)", "relu gives Tensor, not Tensor[?, 65]"),
    ("%0: int = call @g() return %x", "%0: int = call @g()", "there is no graph @g"),
    ("%0: int = call @f(%x) return %x", "%0: int = call @f(%x)", "arguments of @f: expected 4 values, found 1"),
    ("%0: int = call @f(%y, %c, %t, %y) return %x", "%0: int = call", "arguments of @f: expected int, found %y"),
    ("%0: bool = call @f(%x, %c, %t, %y) return %x", "%0: bool = call", "@f returns int, not bool"),
    # Fused groups
    ("fused (%u: Tensor = %x) { yield } return %x", "fused", "inputs: expected Tensor, found %x of type int"),
    ("%0: Tensor = fused { yield %t } return %x", "yield %t", "%t comes from outside the fused group"),
    (
        "fused (%u: Tensor = %t) { %0: Tensor = t(%u) yield } return %x",
        "%0: Tensor = t(%u)",
        "a fused group has pointwise operators and reductions only",
    ),
    ("fused (%u: int = %x) { %0: int = machine.neg(%u) yield } return %x", "%0: int", "a fused group has pointwise"),
    (
        "fused (%u: int = %x) { return %u } return %x",
        "return %u",
        "a fused group has pointwise operators and reductions only",
    ),
    (
        "fused (%b: bool = %c) { if %b { yield } else { yield } yield } return %x",
        "if %b",
        "a fused group has pointwise",
    ),
]


@pytest.mark.parametrize(("body", "node", "rule"), BROKEN, ids=range(len(BROKEN)))
def test_broken_rules_are_named_with_graph_and_node(body, node, rule):
    program = parse_program(f"{HEAD} {body} }}", TABLE)
    with pytest.raises(VerifyError) as caught:
        verify(program)
    error = caught.value
    assert error.graph == "f"
    assert error.rule.startswith(rule)
    assert error.node.startswith(node)
    assert str(error).startswith("@f: ")
    assert error.rule in str(error)
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("graph @f(%x: Tensor[float32, 65]) -> int { return %x }", "the rank of a tensor is between 0 and 64"),
        ("graph @f(%x: Ptr[Nothing]) -> int { return %x }", "there is no struct Nothing"),
        ("graph @f(%x: Storage) -> int { return %x }", "a struct only stands behind a pointer"),
        ("graph @f() -> tuple[Tensor[?, 99]] { unreachable }", "the rank of a tensor"),
        ("graph @f(%x: int = 1.0) -> int { return %x }", "the default of x is not a constant of type int"),
        ("graph @f(%x: never) -> int { return %x }", "there is no value of type never to give for parameter x"),
        ("graph @f(%x: tuple[int, never]) -> int { unreachable }", "there is no value of type tuple[int, never]"),
        ('graph @f(%"x y": int) -> int { unreachable }', "parameter names are different identifiers, found 'x y'"),
    ],
)
def test_broken_signatures(text, rule):
    with pytest.raises(VerifyError) as caught:
        verify(parse_program(text, TABLE))
    assert caught.value.rule.startswith(rule)
    assert caught.value.node == ""


@pytest.mark.parametrize(
    "body",
    [
        "%1: type = const type(f32) %0: Ptr[f32] = machine.pointer(%x, %1) return %x",
        '%1: str = const "ts_x" %2: type = const type(f32) %0: Ptr[f32] = machine.symbol(%1, %2) return %x',
        "%0: Ptr[Context] = machine.context() return %x",
        "%1: type = const type(f32) %0: Ptr[f32] = machine.stack(%x, %1) return %x",
        "%0: int = extern.system(%x) return %x",
        "%0: type = const type(Ptr[f32]) return %x",
        "%0: type = const type(Storage) return %x",
    ],
)
def test_machine_memory_is_refused_where_it_is_not_allowed(body):
    program = parse_program(f"graph @f(%x: int) -> int {{ {body} }}", TABLE)
    verify(program)
    with pytest.raises(VerifyError, match="not allowed here"):
        verify(program, from_file=True)


def test_pointers_are_refused_in_signatures_where_memory_is_not_allowed():
    text = "graph @f(%p: Ptr[f32]) -> f32 { %0: f32 = machine.load(%p) return %0 }"
    program = parse_program(text, TABLE)
    verify(program)
    with pytest.raises(VerifyError, match="machine memory is not allowed here"):
        verify(program, from_file=True)


@pytest.mark.parametrize(
    "operator",
    ["extern.sin(%x)", "machine.add(%x, %x)", "machine.load(%x)", "retain(%x)", "release(%x)"],
)
def test_what_the_compiler_makes_for_itself_is_refused_in_files(operator):
    table = {**TABLE, **{op.name: op for op in REFERENCES}}
    text = f"graph @f(%x: float) -> float {{\n  %0: float = {operator}\n  return %0\n}}"
    name = operator.partition("(")[0]
    with pytest.raises(IRSyntaxError, match=rf"^line 2, column 15: the operator {name} .* no file may have it"):
        parse_program(text, table, portable=True)
    with pytest.raises(VerifyError, match=f"the operator {name} is not allowed here"):
        verify(parse_program(text, table), from_file=True)


@pytest.mark.parametrize(
    ("type", "value", "good"),
    [
        ("Tensor", np.zeros(3), True),
        ("Tensor[float64, 1]", np.zeros(3), True),
        ("Tensor[float32, 1]", np.zeros(3), False),
        ("Tensor[float64, 2]", np.zeros(3), False),
        ("Tensor", object(), True),
        ("Tensor[?, 0]", object(), False),
        ("Tensor[float32, ?]", object(), False),
        ("int", np.zeros(()), False),
    ],
)
def test_tensors_among_the_constants_are_what_their_type_says(type, value, good):
    text = f"graph @f() -> {type} {{ %0: {type} = const tensor 0 return %0 }}"
    graph = parse_graph(text, TABLE, handles=[value])
    if good:
        verify(graph)
    else:
        with pytest.raises(VerifyError, match="the constant is not of type"):
            verify(graph)


def test_elements_of_tuples_are_counted_from_the_front():
    for index in (-1, 2):
        body = f"%i: int = const {index} %0: int = tuple.get(%t, %i) return %0"
        with pytest.raises(VerifyError, match="has no element"):
            verify(parse_graph(f"graph @f(%t: tuple[int, int]) -> int {{ {body} }}", TABLE))


def test_a_graph_alone_may_call_any_graph():
    verify(parse_graph("graph @f(%x: int) -> int { %0: int = call @g(%x) return %0 }", TABLE))


# What no text can say


def graph_of(*nodes: Node) -> Graph:
    graph = Graph("f", [Param("x", INT)], INT)
    graph.body.nodes = [*nodes, Return(graph.body.params[0])]
    return graph


def broken(graph: Graph) -> str:
    with pytest.raises(VerifyError) as caught:
        verify(graph)
    return caught.value.rule


def test_shared_nodes_blocks_labels_and_values():
    node = Const(1, INT)
    assert broken(graph_of(node, node)) == "a node stands in two places"
    block = Block()
    block.nodes.append(Yield())
    cond = Const(True, BOOL)
    assert broken(graph_of(cond, If(cond.output, block, block))) == "a block stands in two places"
    twice = Graph("f", (), INT)
    b = Builder(twice.body)
    with b.loop() as outer:
        b.break_(outer)
    with b.loop() as other:
        other.node.label = outer.label
        b.break_(outer)
    b.unreachable()
    assert broken(twice) == "two nodes have one label"
    one, two = Const(1, INT), Const(2, INT)
    two.outputs = one.outputs
    assert broken(graph_of(one, two)) == "output %0 does not point to its node"


def test_values_of_another_graph_are_not_visible():
    other = graph_of(Const(1, INT))
    graph = graph_of()
    graph.body.nodes.insert(0, Op(machine.NEG, [other.body.nodes[0].output], INT))
    assert broken(graph) == "%? is not visible here"
    program = Program("f", [graph])
    program.graphs["g"] = other
    with pytest.raises(VerifyError, match="the program knows this graph as @g"):
        verify(program)


def test_the_entry_is_one_of_the_graphs():
    with pytest.raises(VerifyError, match="the program's entry is not among its graphs"):
        verify(Program("g", [graph_of()]))


def test_parameters_agree_with_the_body():
    graph = graph_of()
    graph.params = (Param("x", FLOAT),)
    assert broken(graph) == "parameter x is declared float but is int in the body"
    graph.params = ()
    assert broken(graph) == "0 parameters, but the body has 1"
    graph.params = (Param("x", INT, 1, True), Param("y", INT))
    graph.body.params.append(Value(INT))
    assert broken(graph) == "keyword-only parameters stand behind the others"


def test_nodes_of_other_classes_are_refused():
    class Odd(Node):
        pass

    assert broken(graph_of(Odd((), (), UNKNOWN))) == "Odd is not a class of nodes"


def test_nesting_without_end_is_an_error_and_no_crash():
    graph = Graph("f", [Param("c", BOOL)], NONE)
    block = graph.body
    cond = block.params[0]
    for _ in range(5000):
        inner, empty = Block(), Block()
        empty.nodes.append(Yield())
        block.nodes = [If(cond, inner, empty), Unreachable()]
        block = inner
    block.nodes.append(Unreachable())
    assert broken(graph) == "blocks are nested too deeply"


@pytest.mark.parametrize(
    ("kind", "good", "bad"),
    [
        ("Tensor", [TENSOR, TensorType(dtypes.int64, 0)], [INT, NONE, SIZE]),
        ("Tensor?", [TENSOR, NONE], [INT]),
        ("Tensor[]", [TupleType((TENSOR, TENSOR)), TupleType(())], [TENSOR, TupleType((TENSOR, INT)), NONE]),
        ("int[]", [SIZE, TupleType((INT,)), TupleType(())], [INT, TupleType((FLOAT,)), NONE]),
        ("int[1]", [SIZE, TupleType((INT, INT))], [INT, FLOAT, NONE]),
        ("int[1]?", [TupleType((INT,)), SIZE, NONE], [FLOAT]),
        ("float[]", [TupleType((FLOAT,)), TupleType(())], [FLOAT, SIZE, TupleType((INT,))]),
        ("Scalar", [INT, FLOAT, BOOL], [NONE, STR, TENSOR]),
        ("dtype?", [DTYPE, NONE], [INT]),
        ("Any", [INT, TENSOR, PtrType(StructType("Storage"))], []),
    ],
)
def test_schema_kinds_and_types(kind: str, good: list[Type], bad: list[Type]):
    assert all(accepts(kind, t) for t in good)
    assert not any(accepts(kind, t) for t in bad)
