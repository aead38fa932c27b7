"""What passes make of `Try`."""

from __future__ import annotations

import pytest

from tscript.ir.graph import Call, Fused, SetSlot, Try, walk
from tscript.ir.printer import print_program
from tscript.ir.verifier import verify
from tscript.passes import (
    CommonSubexpressions,
    ConstantPropagation,
    ControlFlow,
    DeadCode,
    Fusion,
    Inline,
    LoopUnrolling,
    specialise,
)
from tscript.types import INT, TensorType, dtypes


def tries(program):
    return [n for n in walk(program.entry.body) if isinstance(n, Try)]


def shown(program):
    return print_program(program).partition("\n\n")[2].rstrip()


def test_what_cannot_raise_needs_no_handler(parse, context):
    program = parse("""
    graph @f(%x: int) -> int {
      %0: int = try T0 (%x) {
        %1: int = machine.add(%x, %x)
        set T0 0 (%1)
        yield %1
      } except KeyError (%a: int) { yield %a }
      return %0
    }""")
    assert ControlFlow().run(program, context)
    verify(program)
    assert not tries(program)
    assert not any(isinstance(n, SetSlot) for n in walk(program.entry.body))


@pytest.mark.parametrize("body", ["%1: int = call @f(%x) yield %1", "%1: int = floor_divide.int(%x, %x) yield %1"])
def test_what_can_raise_does(parse, context, body):
    program = parse(
        f"graph @f(%x: int) -> int {{ %0: int = try T0 {{ {body} }} except KeyError {{ yield %x }} return %0 }}"
    )
    ControlFlow().run(program, context)
    assert tries(program)


def test_slots_that_are_never_set_are_initial_values(parse, context):
    program = parse("""
    graph @f(%x: int) -> int {
      %0: int = try T0 (%x) { %1: int = call @f(%x) yield %1 } except KeyError (%a: int) { yield %a }
      return %0
    }""")
    ControlFlow().run(program, context)
    DeadCode().run(program, context)
    verify(program)
    (node,) = tries(program)
    assert node.inputs == []
    assert node.handlers[0].block.terminator.inputs == [program.entry.body.params[0]]


def test_unused_slots_exceptions_and_results_go(parse, context):
    program = parse("""
    graph @f(%x: int) -> int {
      %0: int = const 1
      %1: int, %2: int = try T0 (%x, %0, %x) {
        %3: int = machine.add(%x, %0)
        set T0 0 (%3)
        set T0 2 (%3)
        %4: int = call @f(%3)
        %5: int = machine.mul(%4, %4)
        set T0 1 (%5)
        yield %4, %5
      } except KeyError as %e: KeyError (%a: int, %b: int, %c: int) {
        yield %c, %b
      }
      return %1
    }""")
    assert DeadCode().run(program, context)
    verify(program)
    assert (
        shown(program)
        == """graph @f(%x: int) -> int {
  %0: int = const 1
  %1: int = try T0 (%x) {
    %2: int = machine.add(%x, %0)
    set T0 0 (%2)
    %3: int = call @f(%2)
    yield %3
  } except KeyError (%c: int) {
    yield %c
  }
  return %1
}"""
    )


def test_a_try_without_effect_goes(parse, context):
    program = parse("""
    graph @f(%x: int) -> int {
      %0: int = try T0 { yield %x } except KeyError { yield %x }
      return %x
    }""")
    assert DeadCode().run(program, context)
    assert not tries(program)


def test_what_the_body_computes_does_not_stand_for_what_a_handler_does(parse, context):
    program = parse("""
    graph @f(%x: int) -> int {
      %0: int = machine.mul(%x, %x)
      %1: int = try T0 {
        %2: int = machine.add(%x, %x)
        %3: int = machine.mul(%x, %x)
        %4: int = call @f(%2)
        yield %3
      } except KeyError {
        %5: int = machine.add(%x, %x)
        %6: int = machine.mul(%x, %x)
        %7: int = machine.sub(%5, %6)
        yield %7
      }
      return %1
    }""")
    assert CommonSubexpressions().run(program, context)
    verify(program)
    assert shown(program).count("machine.mul") == 1
    assert shown(program).count("machine.add") == 2


def test_constants_are_not_carried_out_of_a_body(parse, check, context):
    program = parse("""
    graph @f(%x: int, %c: bool) -> int {
      %0: int = const 0
      %1: int = try T0 (%0) {
        if %c { raise ValueError } else { yield }
        %2: int = const 7
        set T0 0 (%2)
        %3: int = floor_divide.int(%2, %x)
        yield %3
      } except ValueError, ArithmeticError (%a: int) {
        %4: int = if %c { yield %a } else { %5: int = const 1 %6: int = machine.add(%a, %5) yield %6 }
        yield %4
      }
      return %1
    }""")
    sets = [[0, False], [2, False], [3, True]]
    for step in (ConstantPropagation(), ControlFlow(), CommonSubexpressions(), DeadCode()):
        check(program, lambda p, step=step: step.run(p, context), sets)


def test_inlined_exceptions_find_the_handlers_of_the_caller(parse, check, context):
    program = parse("""
    program @f
    graph @f(%x: int) -> int {
      %0: int = const 0
      %1: int = try T0 (%0) {
        %2: int = call @g(%x)
        set T0 0 (%2)
        %3: int = call @g(%2)
        yield %3
      } except ValueError (%a: int) { yield %a }
      return %1
    }
    graph @g(%n: int) -> int {
      %0: int = const 4
      %1: bool = machine.gt(%n, %0)
      if %1 { raise ValueError } else { yield }
      %2: bool = machine.eq(%n, %0)
      if %2 { return %0 } else { yield }
      %3: int = machine.add(%n, %n)
      return %3
    }""")
    check(program, lambda p: Inline().run(p, context), [[1], [2], [3], [4], [5]])
    assert not any(isinstance(n, Call) for n in walk(program.entry.body))


def test_loops_in_and_around_a_try_are_unrolled(parse, check, context):
    program = parse("""
    graph @f(%x: int) -> int {
      %0: int = const 0
      %1: int = const 1
      %2: int = const 3
      %3: int = for L0 %i: int in range(%0, %2, %1) (%t: int = %0) {
        %4: int = try T1 (%t) {
          %5: int = for L2 %k: int in range(%0, %2, %1) (%u: int = %t) {
            %6: int = machine.sub(%x, %k)
            %7: int = floor_divide.int(%i, %6)
            %8: int = machine.add(%u, %7)
            set T1 0 (%8)
            continue L2 (%8)
          }
          yield %5
        } except ArithmeticError (%s: int) {
          %9: bool = machine.eq(%s, %2)
          if %9 { break L0 (%s) } else { yield }
          yield %s
        }
        %10: int = machine.add(%4, %1)
        continue L0 (%10)
      }
      return %3
    }""")
    check(program, lambda p: LoopUnrolling().run(p, context), [[0], [1], [2], [5]])
    assert len(tries(program)) == 3


def test_types_of_slots_are_joined(parse, context):
    program = parse("""
    graph @f(%x: Tensor, %y: Tensor) -> Tensor {
      %0: Tensor = try T0 (%x) {
        %1: Tensor = exp(%y)
        set T0 0 (%1)
        %2: Tensor = matmul(%1, %y)
        yield %2
      } except RuntimeError (%s: Tensor) { yield %s }
      return %0
    }""")
    one, two = TensorType(dtypes.float32, 1), TensorType(dtypes.float32, 2)
    found = specialise(program, [one, two], {}, context)
    verify(found)
    (node,) = tries(found)
    assert str(node.handlers[0].block.params[0].type) == "Tensor[float32, ?]"
    assert found.entry.result == node.outputs[0].type


def test_constants_in_slots_are_known(parse, context):
    program = parse("""
    graph @f(%x: int) -> int {
      %0: int = const 2
      %1: int = try T0 (%0) {
        set T0 0 (%0)
        %2: int = call @f(%x)
        yield %2
      } except RuntimeError as %e: RuntimeError (%s: int) { %3: int = machine.add(%s, %s) yield %3 }
      return %1
    }""")
    found = specialise(program, [INT], {}, context)
    verify(found)
    assert "const 4" in shown(found)


def test_fused_groups_stay_inside(parse, context):
    program = parse("""
    graph @f(%x: Tensor[float32, 1], %y: Tensor[float32, 1]) -> Tensor[float32, 1] {
      %0: Tensor[float32, 1] = exp(%x)
      %1: Tensor[float32, 1] = try T0 (%0) {
        %2: Tensor[float32, 1] = mul.Tensor(%0, %y)
        set T0 0 (%2)
        %3: Tensor[float32, 1] = sin(%2)
        %4: Tensor[float32, 1] = mul.Tensor(%3, %x)
        yield %4
      } except RuntimeError (%s: Tensor[float32, 1]) { yield %s }
      return %1
    }""")
    Fusion().run(program, context)
    verify(program)
    (node,) = tries(program)
    assert [len([n for n in walk(b) if isinstance(n, Fused)]) for b in node.blocks] == [2, 0]
