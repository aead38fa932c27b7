"""The builder: types from rules, defaults, contexts for nested blocks and their inferred results."""

from __future__ import annotations

import pytest

from tscript.definitions.opdef import OpDef, OperatorTypeError, Structural
from tscript.definitions.schema import parse_schema
from tscript.definitions.values import constant_type
from tscript.diagnostics import UNKNOWN, SourceFile, Span
from tscript.dialect import machine
from tscript.ir.builder import Builder
from tscript.ir.graph import Block, Const, Graph, Op, Param, Program, Value
from tscript.ir.verifier import verify
from tscript.types import (
    BOOL,
    DTYPE,
    F32,
    FLOAT,
    I32,
    INT,
    NONE,
    STR,
    TENSOR,
    TYPE,
    TensorType,
    TupleType,
    dtypes,
)


def graph(*types, result=INT) -> tuple[Graph, Builder, list[Value]]:
    out = Graph("f", [Param(f"p{i}", t) for i, t in enumerate(types)], result)
    return out, Builder(out.body), out.body.params


@pytest.mark.parametrize(
    ("value", "type"),
    [
        (1, INT),
        (True, BOOL),
        (1.0, FLOAT),
        ("a", STR),
        (None, NONE),
        (dtypes.float32, DTYPE),
        (F32, TYPE),
        ((), TupleType(())),
        ((1, (True, None)), TupleType((INT, TupleType((BOOL, NONE))))),
    ],
)
def test_constants_know_their_types(value, type):
    assert constant_type(value) == type
    _, b, _ = graph()
    found = b.const(value, name="c")
    assert (found.type, found.constant, found.name) == (type, value, "c")


def test_other_values_are_no_constants():
    with pytest.raises(TypeError, match="a list is not a constant"):
        constant_type([])
    _, b, _ = graph()
    assert b.const([], type=TENSOR).type == TENSOR
    assert b.const(1, type=I32).type == I32


def test_operators_get_their_type_span_and_name():
    here = Span(SourceFile("f.py"), 1, 0, 1, 1)
    _, b, (x,) = graph(INT)
    found = b.op(machine.LT, x, x, span=here, name="c")
    assert (found.type, found.name, found.span) == (BOOL, "c", here)
    assert b.op(machine.NEG, x).span is UNKNOWN
    b.span = here
    assert b.op(machine.NEG, x).span is here
    with pytest.raises(OperatorTypeError, match="operands must be numbers"):
        b.op(machine.ADD, x, b.const(1.0))


def test_missing_arguments_become_their_defaults():
    schema = parse_schema("f(Tensor self, float eps=1, *, bool keepdim=False, dtype? dtype=None) -> Tensor")
    op = OpDef(schema, lambda args: TENSOR, lambda *args: args[0], Structural())
    _, b, (x,) = graph(TENSOR)
    node = b.op(op, x).node
    assert isinstance(node, Op)
    assert [v.constant for v in node.inputs[1:]] == [1.0, False, None]
    assert node.inputs[1].type == FLOAT
    with pytest.raises(OperatorTypeError, match="f takes 4 arguments, found 0"):
        b.op(op)
    with pytest.raises(OperatorTypeError, match="f takes 4 arguments, found 5"):
        b.op(op, x, x, x, x, x)


def test_variadic_operators_take_any_number():
    _, b, (x,) = graph(INT)
    assert b.op(machine.TUPLE_MAKE).type == TupleType(())
    assert b.op(machine.TUPLE_MAKE, x, x).type == TupleType((INT, INT))


def test_branches_infer_their_results():
    g, b, (c, x) = graph(BOOL, INT)
    with b.if_(c) as branch:
        with branch.then:
            b.yield_(b.const(1.0), x)
        with branch.orelse:
            b.yield_(b.const(2.0), b.const(3))
    assert [v.type for v in branch.outputs] == [FLOAT, INT]
    with b.if_(c) as leaving:
        with leaving.then:
            b.return_(x)
    assert leaving.outputs == []
    b.return_(branch.outputs[1])
    verify(g)


def test_branches_that_do_not_agree_are_refused():
    _, b, (c, x) = graph(BOOL, INT)
    branch = b.if_(c)
    for block, value in zip(branch.node.blocks, (b.const(1.0), x), strict=True):
        with b.inside(block):
            b.yield_(value)
    with pytest.raises(ValueError, match="values of types float and int leave one node"), branch:
        pass
    branch = b.if_(c)
    with b.inside(branch.node.then):
        b.yield_(x)
    with pytest.raises(ValueError, match="1 values here and 0 there leave one node"), branch:
        pass


def test_results_are_joins():
    types = [TensorType(dtypes.float32, 1), TensorType(dtypes.float32, 2)]
    g, b, (c, x, y) = graph(BOOL, *types, result=TENSOR)
    with b.if_(c) as branch:
        with branch.then:
            b.yield_(x)
        with branch.orelse:
            b.yield_(y)
    assert branch.output.type == TensorType(dtypes.float32, None)
    b.return_(branch.output)
    verify(g)


def test_loops_infer_their_results_from_breaks_of_any_depth():
    _, b, (n,) = graph(INT)
    with b.loop([n, b.const(0)], names=("i", "acc"), label="outer") as outer:
        i, acc = outer.params
        assert (i.name, acc.name, outer.label.name) == ("i", "acc", "outer")
        with b.loop() as inner, b.if_(b.op(machine.LT, i, acc)) as branch:
            with branch.then:
                b.break_(outer, acc)
            with branch.orelse:
                b.break_(inner)
        b.continue_(outer, b.op(machine.SUB, i, b.const(1)), b.op(machine.ADD, acc, i))
    assert [v.type for v in outer.outputs] == [INT]
    b.return_(outer.output)
    assert [v.type for v in inner.outputs] == []


def test_a_body_left_open_continues():
    g, b, (n,) = graph(INT)
    with b.for_(n, n, n, [n], counter="k") as loop:
        b.op(machine.NEG, loop.counter)
    b.return_(loop.output)
    verify(g)
    assert "continue L0 (%1)" in str(g).replace("%p0.1", "%1")


def test_declared_types_win_over_inferred_ones():
    known = TensorType(dtypes.float32, 1)
    g, b, (n, t) = graph(INT, known, result=TENSOR)
    with b.for_(n, n, n, [t], params=[TENSOR]) as loop:
        assert loop.params[0].type == TENSOR
    with b.loop([loop.output], [TENSOR], params=[TENSOR]) as forever:
        b.break_(forever, t)
    with b.if_(b.const(True), [TENSOR]) as branch:
        with branch.then:
            b.yield_(t)
        with branch.orelse:
            b.raise_("ValueError", "no {0}", [n])
    assert [v.type for v in (loop.output, forever.output, branch.output)] == [TENSOR] * 3
    b.return_(branch.output)
    verify(g)


def test_groups():
    g, b, (t,) = graph(TENSOR, result=TENSOR)
    with b.fused([t]) as group:
        b.yield_(group.params[0], group.params[0])
    assert [v.type for v in group.outputs] == [TENSOR, TENSOR]
    b.return_(group.outputs[0])
    verify(g)
    with b.fused([t], [TENSOR]) as one:
        b.yield_(one.params[0])
    assert one.output.type == TENSOR


def test_calls_take_their_type_from_the_graph():
    callee, cb, _ = graph(INT, result=FLOAT)
    cb.return_(cb.const(1.0))
    caller = Graph("main", [Param("x", INT)], FLOAT)
    b = Builder(caller.body)
    b.call(callee, *caller.body.params)
    b.return_(b.call("f", *caller.body.params, type=FLOAT, name="r"))
    verify(Program("main", [caller, callee]))
    with pytest.raises(TypeError, match="the result type of @f has to be given"):
        b.call("f")


def test_inside_comes_back():
    _, b, _ = graph()
    outer, other = b.block, Block()
    with b.inside(other) as found:
        assert b.block is found is other
        b.append(Const(1, INT))
        b.unreachable()
    assert b.block is outer
    assert len(other.nodes) == 2


def test_an_error_inside_a_context_comes_out_unchanged():
    _, b, (c,) = graph(BOOL)
    outer = b.block
    for context in (b.if_(c), b.loop(), b.for_(c, c, c), b.fused([])):
        with pytest.raises(KeyError), context:
            raise KeyError
        assert b.block is outer
