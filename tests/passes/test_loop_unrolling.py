"""Loops over constant ranges of any length, up to those of more elements than fit 64 bits."""

from __future__ import annotations

import itertools

import pytest

from tscript.ir.analysis import trip_count
from tscript.ir.graph import For, walk
from tscript.ir.interpreter import interpret
from tscript.ir.verifier import verify
from tscript.runtime.session.process import current

ENDS = (-(2**63), -(2**63) + 1, -(2**62), -3, 0, 5, 2**62, 2**63 - 1)
STEPS = (1, -1, 7, 2**62, 2**63 - 1, -(2**63))
LEAVING = "%3: bool = eq.int(%n, %two) if %3 { break L0 (%n) } else { yield }"


def looping(start, stop, step, leaving):
    return f"""graph @f(%x: int) -> int {{
      %0: int = const {start}
      %1: int = const {stop}
      %2: int = const {step}
      %zero: int = const 0
      %one: int = const 1
      %two: int = const 2
      %r: int = for L0 %i: int in range(%0, %1, %2) (%n: int = %zero) {{
        {leaving}
        %4: int = wrapping_mul.int(%n, %x)
        %5: int = wrapping_add.int(%n, %one)
        continue L0 (%5)
      }}
      return %r
    }}"""


@pytest.mark.parametrize("step", STEPS)
def test_constant_ranges_of_any_length(parse, step):
    for start, stop in itertools.product(ENDS, ENDS):
        values = range(start, stop, step)
        for leaving in (LEAVING, ""):
            program = parse(looping(start, stop, step, leaving))
            loop = next(n for n in walk(program.entry.body) if isinstance(n, For))
            found = trip_count(loop)
            assert found is not None and found >= 0
            assert not found if not values else values[0] + (found - 1) * step == values[-1]
            compiler = current().compiler
            compiler.optimise(program)
            verify(program)
            if leaving or found < 100:
                given = {} if not program.entry.params else {p.name: 3 for p in program.entry.params}
                assert interpret(program, (), given) == (min(found, 2) if leaving else found), (start, stop)
            compiler.emit(program, "f")
