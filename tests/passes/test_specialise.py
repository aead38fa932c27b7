from __future__ import annotations

import numpy as np
import pytest

from tscript.diagnostics import UNKNOWN, CompileError, SourceFile, Span
from tscript.ir.graph import Call, Const, Op, Raise, walk
from tscript.ir.interpreter import interpret
from tscript.ir.static_parameters import static_parameters
from tscript.ir.verifier import verify
from tscript.passes import Inline, specialise
from tscript.passes.specialise import MAX_NESTED
from tscript.types import BOOL, DTYPE, FLOAT, INT, SIZE, STR, TENSOR, FutureType, TensorType, TupleType, dtypes

F32 = dtypes.float32
VECTOR, MATRIX = TensorType(F32, 1), TensorType(F32, 2)


def ops(program):
    return [n.op.name for g in program.graphs.values() for n in walk(g.body) if isinstance(n, Op)]


def test_the_program_given_is_not_changed(parse, context):
    program = parse("graph @f(%x: Tensor) -> Tensor { %0: Tensor = exp(%x) return %0 }")
    before = str(program)
    made = specialise(program, [MATRIX], {}, context)
    assert str(program) == before
    assert made.entry.result == MATRIX
    assert made.entry.params[0].type == MATRIX


def test_branches_ruled_out_by_rank_are_not_even_typed(parse, context):
    program = parse("""
    graph @f(%x: Tensor) -> Tensor {
      %0: int = dim(%x)
      %1: int = const 1
      %2: bool = eq.int(%0, %1)
      %3: Tensor = if %2 { yield %x } else { %4: Tensor = mm(%x, %x) yield %4 }
      return %3
    }""")
    assert ops(specialise(program, [VECTOR], {}, context)) == []
    assert ops(specialise(program, [MATRIX], {}, context)) == ["mm"]


def test_an_optional_tensor_that_is_given_keeps_its_dtype_and_rank(parse, context):
    program = parse("""
    graph @f(%x: Tensor, %w: Tensor) -> Tensor {
      %0: type = const type(Optional[Tensor])
      %1: Optional[Tensor] = upcast(%w, %0)
      %2: Tensor = call @g(%x, %1)
      return %2
    }
    graph @g(%x: Tensor, %w: Optional[Tensor]) -> Tensor {
      %0: bool = is_none(%w)
      %1: Tensor = if %0 { yield %x } else {
        %2: type = const type(Tensor)
        %3: Tensor = downcast(%w, %2)
        %4: Tensor = mm(%x, %3)
        yield %4
      }
      return %1
    }""")
    made = specialise(program, [MATRIX, MATRIX], {}, context)
    verify(made)
    assert made.entry.result == MATRIX
    assert ops(made) == ["mm"]
    (called,) = [g for g in made.graphs.values() if g is not made.entry]
    assert [p.type for p in called.params] == [MATRIX, MATRIX]


def test_an_optional_tensor_that_may_be_none_stays_one(parse, context):
    program = parse("""
    graph @f(%c: bool, %w: Tensor) -> Optional[Tensor] {
      %0: type = const type(Optional[Tensor])
      %1: Optional[Tensor] = if %c { %2: Optional[Tensor] = upcast(%w, %0) yield %2 } else {
        %3: None = const None
        %4: Optional[Tensor] = upcast(%3, %0)
        yield %4
      }
      return %1
    }""")
    made = specialise(program, [BOOL, MATRIX], {}, context)
    verify(made)
    assert str(made.entry.result) == "Optional[Tensor]"


def test_all_errors_are_reported_at_once_with_their_places(parse, context):
    source = SourceFile("m.py", "first\nsecond\n")
    program = parse(
        """
    graph @f(%x: Tensor, %y: tuple[Tensor]) -> Tensor {
      %0: Tensor = cat(%y, %k)
      %1: Tensor = stack(%y, %k)
      return %0
    }""".replace("(%x: Tensor, ", "(%k: int, %x: Tensor, ")
    )
    nodes = program.entry.body.nodes
    nodes[0].span = Span(source, 1, 0, 1, 5)
    nodes[1].span = Span(source, 2, 0, 2, 6)
    wrong = TupleType((INT,))
    with pytest.raises(CompileError) as caught:
        specialise(program, [INT, VECTOR, wrong], {}, context)
    assert isinstance(caught.value, TypeError)
    assert [(d.code, d.span.line) for d in caught.value.diagnostics] == [("TS601", 1), ("TS601", 2)]
    assert "'cat' refuses these arguments" in str(caught.value)
    assert "called with (tuple[int], int)" in str(caught.value)


def test_what_pytorch_refuses_when_it_runs_is_raised_when_it_runs(parse, context):
    program = parse("""
    graph @f(%x: Tensor, %c: bool) -> Tensor {
      %0: Tensor = if %c { %1: Tensor = t(%x) yield %1 } else { yield %x }
      return %0
    }""")
    made = specialise(program, [TensorType(F32, 3), BOOL], {}, context)
    verify(made)
    raises = [n for n in walk(made.entry.body) if isinstance(n, Raise)]
    assert [(n.exception, "<= 2 dimensions" in (n.message or "")) for n in raises] == [("RuntimeError", True)]
    assert made.entry.result == TensorType(F32, 3)


def test_texts_are_joined_where_they_are_known(parse, context):
    program = parse("""
    graph @f(%c: bool) -> str {
      %0: str = const "a"
      %1: str = const "b"
      %2: str = if %c { yield %0 } else { yield %1 }
      %3: str = add.str(%2, %1)
      return %3
    }""")
    assert specialise(program, [BOOL], {0: True}, context).entry.body.terminator.inputs[0].constant == "ab"
    assert "add.str" in str(specialise(program, [BOOL], {}, context))


def test_constants_stand_for_static_arguments(parse, context):
    program = parse("""
    graph @f(%x: Tensor, %keep: bool, %n: int, %d: dtype) -> Tensor {
      %0: tuple[int] = const (0,)
      %1: None = const None
      %2: Tensor = sum.dim(%x, %0, %keep, %1)
      return %2
    }""")
    assert static_parameters(program) == {1, 3}
    types = [MATRIX, BOOL, INT, DTYPE]
    assert specialise(program, types, {}, context).entry.result == TensorType(F32, None)
    assert specialise(program, types, {1: True}, context).entry.result == MATRIX
    assert specialise(program, types, {1: False}, context).entry.result == VECTOR


def test_static_parameters_are_seen_through_calls(parse):
    program = parse("""
    program @f
    graph @g(%keep: bool, %x: Tensor) -> Tensor {
      %0: None = const None
      %1: tuple[int] = const (0,)
      %2: Tensor = sum.dim(%x, %1, %keep, %0)
      return %2
    }
    graph @f(%n: int, %a: bool, %x: Tensor) -> Tensor { %0: Tensor = call @g(%a, %x) return %0 }
    """)
    assert static_parameters(program) == {1}


def test_mutual_recursion_settles(parse, context):
    program = parse("""
    program @even
    graph @even(%x: Tensor, %n: int) -> Tensor {
      %0: int = const 0
      %1: bool = eq.int(%n, %0)
      if %1 { return %x } else { yield }
      %2: int = const 1
      %3: int = sub.int(%n, %2)
      %4: Tensor = call @odd(%x, %3)
      return %4
    }
    graph @odd(%x: Tensor, %n: int) -> Tensor {
      %0: int = const 0
      %1: bool = eq.int(%n, %0)
      if %1 { %2: Tensor = to_double(%x) return %2 } else { yield }
      %3: int = const 1
      %4: int = sub.int(%n, %3)
      %5: Tensor = call @even(%x, %4)
      return %5
    }""")
    made = specialise(program, [VECTOR, INT], {}, context)
    verify(made)
    assert made.entry.result == TensorType(None, 1)
    assert made.graphs["odd"].result == TensorType(None, 1)


def test_a_recursion_with_ever_new_types_falls_back_to_the_declared_ones(parse, context):
    program = parse("""
    graph @f(%x: Tensor, %n: int) -> Tensor {
      %0: int = const 0
      %1: bool = eq.int(%n, %0)
      if %1 { return %x } else { yield }
      %2: int = const 1
      %3: int = sub.int(%n, %2)
      %4: Tensor = unsqueeze(%x, %0)
      %5: Tensor = call @f(%4, %3)
      return %5
    }""")
    made = specialise(program, [VECTOR, INT], {}, context)
    assert len(made.graphs) <= MAX_NESTED + 2
    assert made.entry.result == TensorType(None, None) or made.entry.result == TensorType(F32, None)


def test_a_function_that_never_returns(parse, context):
    program = parse("""
    program @f
    graph @fail(%x: Tensor) -> Tensor { raise ValueError "no" }
    graph @f(%x: Tensor) -> Tensor { %0: Tensor = call @fail(%x) %1: Tensor = exp(%0) return %1 }
    """)
    made = specialise(program, [VECTOR], {}, context)
    verify(made)
    with pytest.raises(ValueError, match="no"):
        interpret(made, [np.zeros(2, np.float32)])


def test_a_size_is_a_tuple_once_the_rank_is_known(parse, context):
    program = parse("""
    graph @f(%x: Tensor) -> int {
      %0: Size = size(%x)
      %1: int = const -1
      %2: int = getitem.Size(%0, %1)
      %3: int = len.tuple(%0)
      %4: int = add.int(%2, %3)
      return %4
    }""")
    made = specialise(program, [MATRIX], {}, context)
    verify(made)
    assert ops(made) == ["size", "getitem.tuple", "add.int"]
    assert ops(specialise(program, [TENSOR], {}, context)) == ["size", "getitem.Size", "len.tuple", "add.int"]


def test_numbers_that_were_tensors_take_the_operators_of_numbers(parse, context):
    program = parse("""
    graph @f(%x: Tensor, %n: int) -> float {
      %0: Tensor[?, 0] = item(%x)
      %1: int = const 1
      %2: Tensor[?, 0] = add(%0, %n, %1)
      %3: float = float.Tensor(%2)
      return %3
    }""")
    made = specialise(program, [TensorType(F32, 0), INT], {}, context)
    verify(made)
    assert ops(made) == ["item", "float.int", "add.float", "float.float"]


def test_composites_become_calls_whose_nodes_have_no_place_of_their_own(parse, context, bodies):
    bodies.composites["softmax"] = """
    graph @softmax(%x: Tensor, %dim: int) -> Tensor {
      %0: bool = const True
      %1: tuple[int] = tuple.make(%dim)
      %2: Tensor = amax(%x, %1, %0)
      %3: int = const 1
      %4: Tensor = sub(%x, %2, %3)
      %5: Tensor = exp(%4)
      %6: None = const None
      %7: Tensor = sum.dim(%5, %1, %0, %6)
      %8: None = const None
      %9: Tensor = div(%5, %7, %8)
      return %9
    }"""
    program = parse("""
    graph @f(%x: Tensor) -> Tensor {
      %0: int = const -1
      %1: Tensor = softmax(%x, %0)
      return %1
    }""")
    call_span = Span(SourceFile("m.py", "softmax(x, -1)"), 1, 0, 1, 14, "f")
    program.entry.body.nodes[1].span = call_span
    made = specialise(program, [MATRIX], {}, context)
    verify(made)
    assert [type(n) for n in made.entry.body.nodes] == [Const, Call, type(made.entry.body.terminator)]
    assert made.entry.result == MATRIX
    assert made.graphs["softmax"].span is UNKNOWN
    Inline().run(made, context)
    verify(made)
    assert list(made.graphs) == ["f"]
    spans = {n.span for n in walk(made.entry.body) if isinstance(n, Op)}
    assert spans == {call_span}


def test_an_error_in_the_body_of_an_operator_is_one_of_the_operator(parse, context, bodies):
    bodies.composites["softmax"] = """
    graph @softmax(%x: Tensor, %dim: int) -> Tensor {
      %0: tuple[Tensor, int] = tuple.make(%x, %dim)
      %1: int = const 0
      %2: Tensor = cat(%0, %1)
      return %2
    }""".replace("tuple[Tensor, int] = tuple.make(%x, %dim)", "tuple[Tensor] = tuple.make(%x)")
    program = parse("graph @f(%x: Tensor, %d: int) -> Tensor { %0: Tensor = softmax(%x, %d) return %0 }")
    place = Span(SourceFile("m.py", "softmax(x, d)"), 1, 0, 1, 13, "f")
    program.entry.body.nodes[0].span = place
    made = specialise(program, [MATRIX, INT], {}, context)
    assert made.entry.result == MATRIX
    with pytest.raises(CompileError) as caught:
        specialise(program, [FLOAT, INT], {}, context)
    (found,) = caught.value.diagnostics
    assert found.span == place
    assert found.message().startswith("'softmax' refuses these arguments")


def test_texts_are_constants_of_the_entry(parse, context):
    program = parse("""
    graph @f(%mode: str) -> bool { %0: str = const "none" %1: bool = eq.str(%mode, %0) return %1 }""")
    made = specialise(program, [STR], {0: "none"}, context)
    assert made.entry.body.terminator.inputs[0].constant is True


def test_what_ways_agree_on_decides_about_types_behind_them(parse, context):
    """Each way out gives the same dtype: a constant stands behind the node, as the types do that it decided."""
    ways = (
        "if %c { %a: dtype = const dtype.float64 yield %a } else { %b: dtype = const dtype.float64 yield %b }",
        "loop L0 () { if %c { break L0 (%d) } else { yield } continue L0 () }",
        "for L0 %k: int in range(%n, %n, %n) (%q: dtype = %d) { continue L0 (%d) }",
        "try T0 { yield %d } except ValueError { yield %d }",
    )
    for way in ways:
        program = parse(f"""
        graph @f(%x: Tensor, %c: bool, %n: int) -> Tensor {{
          %d: dtype = const dtype.float64
          %0: dtype = {way}
          %s: Size = size(%x)
          %1: Tensor = new_zeros(%x, %s, %0)
          return %1
        }}""")
        made = specialise(program, [MATRIX, BOOL, INT], {}, context)
        verify(made)
        assert made.entry.result == TensorType(dtypes.float64, 2)
        Inline().run(made, context)
        verify(made)


def test_tasks_keep_the_form_they_are_declared_with(parse, context):
    """A Size that turns out to be a tuple stays one in a future: what reads it reads a Size."""
    program = parse("""
    program @f
    graph @f(%x: Tensor) -> tuple[Future[Size], int] {
      %0: Callable[[Tensor], Future[Size]] = closure @g()
      %1: Future[Size] = invoke(%0, %x)
      %2: int = dim(%x)
      %3: tuple[Future[Size], int] = tuple.make(%1, %2)
      return %3
    }
    graph @g(%x: Tensor) -> Future[Size] { %0: Future[Size] = fork @h(%x) return %0 }
    graph @h(%x: Tensor) -> Size { %0: Size = size(%x) return %0 }""")
    made = specialise(program, [MATRIX], {}, context)
    verify(made)
    Inline().run(made, context)
    verify(made)
    assert made.entry.result == TupleType((FutureType(SIZE), INT))
