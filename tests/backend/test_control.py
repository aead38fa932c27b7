"""Control flow in native code: the same results, errors and order of effects as the interpreter."""

from __future__ import annotations

import pytest

COLLATZ = """
graph @f(%n: int) -> int {
  %one: int = const 1
  %two: int = const 2
  %three: int = const 3
  %zero: int = const 0
  %steps: int = loop L (%x: int = %n, %k: int = %zero) {
    %done: bool = machine.le(%x, %one)
    if %done { break L (%k) } else { yield }
    %k2: int = machine.add(%k, %one)
    %odd: int = machine.and(%x, %one)
    %is_odd: bool = machine.eq(%odd, %one)
    %next: int = if %is_odd {
      %t: int = machine.mul(%x, %three)
      %u: int = machine.add(%t, %one)
      yield %u
    } else {
      %h: int = machine.quot(%x, %two)
      yield %h
    }
    continue L (%next, %k2)
  }
  return %steps
}
"""


def test_while(agree):
    agree(COLLATZ, (27,), (1,), (0,), (-5,), (97,))


def test_if_with_several_results_and_a_raise(agree):
    agree(
        """
        graph @f(%x: float, %b: bool) -> tuple[float, int, bool] {
          %zero: float = const 0.0
          %neg: bool = machine.lt(%x, %zero)
          %r: float, %i: int = if %neg {
            raise ValueError "bad {0} and {1}" (%x, %x)
          } else {
            %s: float = machine.sqrt(%x)
            %one: int = const 1
            yield %s, %one
          }
          %nb: bool = machine.not(%b)
          %t: tuple[float, int, bool] = tuple.make(%r, %i, %nb)
          return %t
        }
        """,
        (4.0, True),
        (2.0, False),
        (-1.5, True),
        (-0.0, False),
        (float("inf"), True),
        (float("nan"), True),
    )


FOR = """
graph @f(%a: int, %b: int, %c: int) -> tuple[int, int] {
  %zero: int = const 0
  %last: int = const -1
  %s: int, %l: int = for L %i: int in range(%a, %b, %c) (%acc: int = %zero, %p: int = %last) {
    %t: int = machine.mul(%acc, %i)
    %u: int = machine.add(%t, %i)
    %v: int = machine.xor(%u, %acc)
    continue L (%v, %i)
  }
  %r: tuple[int, int] = tuple.make(%s, %l)
  return %r
}
"""
TOP = 2**63 - 1
BOTTOM = -(2**63)


def test_for_with_any_step(agree):
    agree(
        FOR,
        (0, 10, 1),
        (0, 0, 1),
        (5, 0, 1),
        (0, 10, 3),
        (10, 0, -1),
        (10, 0, -3),
        (0, 10, -1),
        (TOP - 5, TOP, 2),
        (BOTTOM, BOTTOM + 7, 3),
        (BOTTOM + 7, BOTTOM, -3),
        (BOTTOM, TOP, 2**62),
        (TOP, BOTTOM, BOTTOM),
        (BOTTOM, TOP, TOP),
    )


@pytest.mark.parametrize("step", [1, 2, 7, -1, -5])
def test_for_with_constant_step(agree, step):
    text = FOR.replace("%c: int)", "%unused: int)")
    text = text.replace("%zero: int = const 0", f"%zero: int = const 0 %c: int = const {step}")
    agree(
        text, (0, 10, 0), (10, 0, 0), (3, 3, 0), (TOP - 9, TOP, 0), (BOTTOM + 9, BOTTOM, 0), (-70, 71, 0), (71, -70, 0)
    )


@pytest.mark.parametrize("bounds", [(0, 5, 1), (5, 0, -2), (3, 3, 1), (0, 7, 3), (0, 300000, 1)])
def test_for_with_constant_trip_count(agree, bounds):
    a, b, c = bounds
    text = FOR.replace("%a: int, %b: int, %c: int", "%x: int").replace(
        "%zero: int = const 0", f"%zero: int = const 0 %a: int = const {a} %b: int = const {b} %c: int = const {c}"
    )
    if b < 1000:
        agree(text, (0,))


@pytest.mark.parametrize("machine_type", ["i8", "u8", "i16", "i32"])
def test_for_over_narrow_counters(native, level, machine_type):
    program = native.program(f"""
        graph @f(%a: {machine_type}, %b: {machine_type}, %c: {machine_type}) -> int {{
          %zero: int = const 0
          %one: int = const 1
          %r: int = for L %i: {machine_type} in range(%a, %b, %c) (%s: int = %zero) {{
            %t: type = const type(int)
            %w: int = machine.convert(%i, %t)
            %u: int = machine.add(%s, %w)
            %v: int = machine.add(%u, %one)
            continue L (%v)
          }}
          return %r
        }}""")
    function = native.compile(program, level)
    low, high = (0, 255) if machine_type == "u8" else (-128, 127)
    for a, b, c in [(low, high, 1), (low, high, 7), (low, high, 100), (5, 5, 1), (0, 100, 50)]:
        assert function(a, b, c) == sum(i + 1 for i in range(a, b, c))
    if machine_type != "u8":
        assert function(high, low, -3) == sum(i + 1 for i in range(high, low, -3))


def test_exits_from_nested_loops(agree):
    agree(
        """
        graph @f(%n: int, %m: int) -> int {
          %zero: int = const 0
          %one: int = const 1
          %limit: int = const 20
          %r: int = for OUTER %i: int in range(%zero, %n, %one) (%s: int = %zero) {
            %t: int = for INNER %j: int in range(%zero, %m, %one) (%u: int = %s) {
              %p: int = machine.mul(%i, %j)
              %v: int = machine.add(%u, %p)
              %big: bool = machine.gt(%v, %limit)
              if %big {
                break OUTER (%v)
              } else {
                %same: bool = machine.eq(%i, %j)
                if %same {
                  %w: int = machine.add(%v, %one)
                  continue OUTER (%w)
                } else {
                  %far: bool = machine.gt(%j, %n)
                  if %far { break INNER (%v) } else { yield }
                  yield
                }
                yield
              }
              continue INNER (%v)
            }
            continue OUTER (%t)
          }
          return %r
        }
        """,
        *((n, m) for n in (0, 1, 3, 6, 9) for m in (0, 1, 4, 12)),
    )


def test_return_from_inside_loops(agree):
    agree(
        """
        graph @f(%n: int) -> int {
          %zero: int = const 0
          %one: int = const 1
          %r: int = loop A (%i: int = %zero) {
            %enough: bool = machine.ge(%i, %n)
            if %enough { break A (%i) } else { yield }
            %q: int = loop B (%j: int = %zero) {
              %ij: int = machine.mul(%i, %j)
              %seven: int = const 35
              %hit: bool = machine.eq(%ij, %seven)
              if %hit {
                %h: int = const 1000
                %x: int = machine.add(%h, %j)
                return %x
              } else { yield }
              %over: bool = machine.gt(%j, %i)
              if %over { break B (%j) } else { yield }
              %j2: int = machine.add(%j, %one)
              continue B (%j2)
            }
            %i2: int = machine.add(%i, %one)
            continue A (%i2)
          }
          return %r
        }
        """,
        (0,),
        (3,),
        (6,),
        (40,),
    )


def test_loop_that_only_returns_or_raises(agree):
    agree(
        """
        graph @f(%n: int) -> int {
          %zero: int = const 0
          %one: int = const 1
          loop A (%i: int = %zero) {
            %done: bool = machine.eq(%i, %n)
            if %done { return %i } else { yield }
            %far: int = const 9
            %lost: bool = machine.gt(%i, %far)
            if %lost { raise RuntimeError "lost at {0}" (%i) } else { yield }
            %j: int = machine.add(%i, %one)
            continue A (%j)
          }
          unreachable
        }
        """,
        (0,),
        (5,),
        (10,),
        (11,),
        (-1,),
    )


def test_body_that_never_continues(agree):
    agree(
        """
        graph @f(%n: int) -> int {
          %zero: int = const 0
          %one: int = const 1
          %r: int = for L %i: int in range(%zero, %n, %one) (%s: int = %n) {
            %t: int = machine.add(%s, %one)
            break L (%t)
          }
          return %r
        }
        """,
        (0,),
        (4,),
    )


def test_swapped_loop_values(agree):
    agree(
        """
        graph @f(%n: int) -> tuple[int, int] {
          %zero: int = const 0
          %one: int = const 1
          %a: int, %b: int = for L %i: int in range(%zero, %n, %one) (%x: int = %zero, %y: int = %one) {
            %s: int = machine.add(%x, %y)
            continue L (%y, %s)
          }
          %t: tuple[int, int] = tuple.make(%a, %b)
          return %t
        }
        """,
        (0,),
        (1,),
        (90,),
        (200,),
    )


def test_tuples_flow_through_everything(agree):
    agree(
        """
        graph @f(%t: tuple[int, tuple[float, bool]], %n: int) -> tuple[tuple[float, bool], int] {
          %zero: int = const 0
          %one: int = const 1
          %r: tuple[int, tuple[float, bool]] = for L %i: int in range(%zero, %n, %one)
              (%p: tuple[int, tuple[float, bool]] = %t) {
            %a: int = tuple.get(%p, %zero)
            %b: tuple[float, bool] = tuple.get(%p, %one)
            %x: float = tuple.get(%b, %zero)
            %c: bool = tuple.get(%b, %one)
            %y: float, %d: bool = if %c {
              %xx: float = machine.add(%x, %x)
              %no: bool = machine.not(%c)
              yield %xx, %no
            } else {
              %k: bool = const True
              yield %x, %k
            }
            %q: tuple[float, bool] = tuple.make(%y, %d)
            %a2: int = machine.add(%a, %i)
            %p2: tuple[int, tuple[float, bool]] = tuple.make(%a2, %q)
            continue L (%p2)
          }
          %u: tuple[float, bool] = tuple.get(%r, %one)
          %v: int = tuple.get(%r, %zero)
          %w: tuple[tuple[float, bool], int] = tuple.make(%u, %v)
          return %w
        }
        """,
        ((1, (2.5, True)), 5),
        ((1, (2.5, False)), 0),
    )


def test_constants_of_every_kind(agree):
    agree(
        """
        graph @f() -> tuple[int, tuple[float, bool], None, i8, f32] {
          %a: int = const -9223372036854775808
          %b: tuple[float, bool] = const (-0.0, True)
          %c: None = const None
          %d: i8 = const -128
          %e: f32 = const 0.5
          %t: tuple[int, tuple[float, bool], None, i8, f32] = tuple.make(%a, %b, %c, %d, %e)
          return %t
        }
        """,
        (),
    )


def test_dtype_values(native, level):
    program = native.program("""
        graph @f(%d: dtype, %c: bool) -> dtype {
          %e: dtype = const dtype.float64
          %r: dtype = if %c { yield %d } else { yield %e }
          return %r
        }""")
    function = native.compile(program, level)
    from tscript.types import dtypes

    assert function(dtypes.int16, True) == dtypes.int16.code
    assert function(dtypes.int16, False) == dtypes.float64.code
