"""Safepoints: long loops let signals in, short ones and kernels do not pay for it, and vectorisation survives."""

from __future__ import annotations

import pytest

from tscript.backend.loader.optimise import optimised_text
from tscript.backend.nodes.cost import BUDGET, Chunked, Costs, Counted, Uncounted
from tscript.backend.nodes.counted import SHORT
from tscript.ir.graph import For, Loop, walk

COUNT = """
graph @f(%n: int) -> int {
  %zero: int = const 0
  %one: int = const 1
  %r: int = for L %i: int in range(%zero, %n, %one) (%s: int = %zero) {
    %t: int = machine.xor(%s, %i)
    %u: int = machine.add(%t, %one)
    continue L (%u)
  }
  return %r
}
"""

WHILE = """
graph @f(%n: int) -> int {
  %zero: int = const 0
  %one: int = const 1
  %r: int = loop L (%i: int = %zero) {
    %done: bool = machine.eq(%i, %n)
    if %done { break L (%i) } else { yield }
    %j: int = machine.add(%i, %one)
    continue L (%j)
  }
  return %r
}
"""

ENDLESS = """
graph @f() -> int {
  loop L () { continue L }
  unreachable
}
"""


def expected(n: int) -> int:
    s = 0
    for i in range(n):
        s = (s ^ i) + 1
    return s


@pytest.mark.parametrize("n", [0, 1, BUDGET - 1, BUDGET, BUDGET + 1, 3 * BUDGET, 3 * BUDGET + 5])
def test_counted_loops_pause_between_chunks(native, level, n):
    function = native.compile(native.program(COUNT), level)
    assert function(n) == expected(n)
    assert native.safepoints == max(0, (n - 1) // BUDGET)


def test_while_loops_count_down(native, level):
    function = native.compile(native.program(WHILE), level)
    assert function(4 * BUDGET) == 4 * BUDGET
    assert native.safepoints >= 4


def test_endless_loops_end_by_a_signal(native, level):
    function = native.compile(native.program(ENDLESS), level)
    native.safepoint_status = 2
    with pytest.raises(Exception, match="2"):
        function()
    assert native.safepoints == 1
    assert [s.exception for s in function.trace] == [None]


def test_an_interrupted_chunk_leaves_the_function(native, level):
    function = native.compile(native.program(COUNT), level)
    native.safepoint_status = 2
    with pytest.raises(Exception, match="2"):
        function(5 * BUDGET)
    assert native.safepoints == 1


NEST = """
graph @f(%n: int, %m: int) -> int {
  %zero: int = const 0
  %one: int = const 1
  %r: int = for A %i: int in range(%zero, %n, %one) (%s: int = %zero) {
    %t: int = for B %j: int in range(%zero, %m, %one) (%u: int = %s) {
      %v: int = machine.add(%u, %j)
      continue B (%v)
    }
    continue A (%t)
  }
  return %r
}
"""


def test_nested_loops_share_one_countdown(native, level):
    function = native.compile(native.program(NEST), level)
    assert function(300, 1000) == 300 * 499500
    assert 4 <= native.safepoints <= 8


def test_leaving_chunks_early_counts_what_they_used(native, level):
    program = native.program(
        NEST.replace(
            "%v: int = machine.add(%u, %j)",
            """%v: int = machine.add(%u, %j)
            %k: int = const 999
            %stop: bool = machine.eq(%j, %k)
            if %stop { break B (%v) } else { yield }""",
        )
    )
    function = native.compile(program, level)
    assert function(300, 100000) == 300 * 499500
    assert 4 <= native.safepoints <= 8


@pytest.mark.parametrize("m", [0, 1, BUDGET * SHORT - 1, BUDGET * SHORT, BUDGET * SHORT + 1, 2 * BUDGET * SHORT])
def test_inner_loops_run_without_chunks_up_to_a_length(native, level, m):
    function = native.compile(native.program(NEST), level)
    assert function(2, m) == m * (m - 1)
    if m <= BUDGET * SHORT:
        assert native.safepoints == (0 if m <= 1 else 2)
    else:
        assert native.safepoints >= 2 * (m // BUDGET - 1)


def test_inner_loops_of_ranges_at_the_ends(native, level):
    program = native.program(
        NEST.replace("range(%zero, %m, %one)", "range(%m, %n, %one)").replace("range(%zero, %n", "range(%zero, %one")
    )
    function = native.compile(program, level)
    most = (1 << 63) - 1
    assert function(-most - 1, most) == 0
    assert function(most, most - 3) == 3 * most - 6 - (1 << 64)


def test_kernels_do_without(native, level):
    function = native.compile(native.program(COUNT), level, safepoints=False)
    assert function(2 * BUDGET) == expected(2 * BUDGET)
    assert native.safepoints == 0
    assert "safepoint" not in function.text


def plans(native, text):
    program = native.program(text)
    costs = Costs()
    return [costs.plan(n) for n in walk(program.entry.body) if isinstance(n, For | Loop)]


def test_plans(native):
    assert plans(native, COUNT) == [Chunked()]
    assert plans(native, WHILE) == [Counted(4)]
    assert plans(native, NEST) == [Counted(2), Chunked()]
    short = NEST.replace("%one: int = const 1", "%one: int = const 1 %k: int = const 100").replace(
        "%m, %one", "%k, %one"
    )
    assert plans(native, short) == [Counted(201), Uncounted()]
    both = short.replace("%n, %one", "%k, %one")
    assert plans(native, both) == [Uncounted(), Uncounted()]
    long = both.replace("const 100", "const 1000")
    assert plans(native, long) == [Counted(2001), Uncounted()]


def test_short_loops_are_free_of_counting(native):
    text = COUNT.replace("%one: int = const 1", "%one: int = const 1 %k: int = const 1000").replace(
        "%n, %one", "%k, %one"
    )
    function = native.compile(native.program(text))
    assert function(0) == expected(1000)
    assert "safepoint" not in function.text


SUM_OF_INTS = """
graph @f(%p: Ptr[i32], %n: int) -> i32 {
  %zero: int = const 0
  %one: int = const 1
  %z: i32 = const 0
  %r: i32 = for L %i: int in range(%zero, %n, %one) (%s: i32 = %z) {
    %q: Ptr[i32] = machine.offset(%p, %i)
    %v: i32 = machine.load(%q)
    %t: i32 = machine.add(%s, %v)
    continue L (%t)
  }
  return %r
}
"""

SCALE = """
graph @f(%p: Ptr[f32], %n: int, %a: f32) -> None {
  %zero: int = const 0
  %one: int = const 1
  for L %i: int in range(%zero, %n, %one) () {
    %q: Ptr[f32] = machine.offset(%p, %i)
    %v: f32 = machine.load(%q)
    %w: f32 = machine.mul(%v, %a)
    %none: None = machine.store(%q, %w)
    continue L
  }
  %none2: None = const None
  return %none2
}
"""


@pytest.mark.parametrize("safepoints", [True, False])
@pytest.mark.parametrize("text", [SUM_OF_INTS, SCALE])
def test_loops_over_memory_are_vectorised(native, text, safepoints):
    function = native.compile(native.program(text), safepoints=safepoints)
    after = optimised_text(function.text, native.target, effort=function.effort)
    assert " x i32>" in after or " x float>" in after


CHECKED = """
graph @f(%p: Ptr[f32], %n: int, %a: f32) -> None {
  %zero: int = const 0
  %one: int = const 1
  %step: int = const STEP
  %minus: int = const -1
  for L %i: int in range(RANGE, %step) () {
    %neg: bool = machine.lt(%i, %zero)
    %over: bool = machine.ge(%i, %n)
    %bad: bool = machine.or(%neg, %over)
    if %bad { raise IndexError "index {0} is out of range" (%i) } else { yield }
    %q: Ptr[f32] = machine.offset(%p, %i)
    %v: f32 = machine.load(%q)
    %w: f32 = machine.mul(%v, %a)
    %none: None = machine.store(%q, %w)
    continue L
  }
  %none2: None = const None
  return %none2
}
"""


@pytest.mark.parametrize("safepoints", [True, False])
@pytest.mark.parametrize("step", [1, 2, 3, -1, -2])
def test_bounds_checks_that_follow_from_the_range_disappear(native, step, safepoints):
    text = CHECKED.replace("STEP", str(step)).replace("RANGE", "%zero, %n" if step > 0 else "%n, %minus")
    if step < 0:
        text = text.replace("machine.ge(%i, %n)", "machine.gt(%i, %n)")
    function = native.compile(native.program(text), safepoints=safepoints)
    assert "IndexError" in function.text
    after = optimised_text(function.text, native.target, effort=function.effort)
    assert "IndexError" not in after
    assert step not in (1, -1) or " x float>" in after


NESTED = """
graph @f(%p: Ptr[f64], %n: int, %m: int, %c: bool) -> f64 {
  %zero: int = const 0
  %one: int = const 1
  %start: f64 = const 0.0
  %likely: bool = machine.likely(%c)
  %s: f64 = if %likely {
    %t: f64 = for L %i: int in range(%zero, %n, %one) (%a: f64 = %start) {
      %b: f64 = for M %j: int in range(%zero, %m, %one) (%d: f64 = %a) {
        %q: Ptr[f64] = machine.offset(%p, %j)
        %v: f64 = machine.load(%q)
        %e: f64 = machine.add(%d, %v)
        continue M (%e)
      }
      continue L (%b)
    }
    yield %t
  } else {
    %u: f64 = for N %k: int in range(%zero, %n, %one) (%g: f64 = %start) {
      %r: Ptr[f64] = machine.offset(%p, %k)
      %w: f64 = machine.load(%r)
      %h: f64 = machine.mul(%g, %w)
      continue N (%h)
    }
    yield %u
  }
  return %s
}
"""


def test_inner_loops_are_unrolled_but_in_code_that_hardly_ever_runs(native):
    function = native.compile(native.program(NESTED))
    assert function.text.count("llvm.loop.unroll.disable") == 1
    after = optimised_text(function.text, native.target, effort=function.effort)
    assert after.count("fadd double") >= 4
    assert after.count("fmul double") == 1
