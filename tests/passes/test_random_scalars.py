"""Random programs of scalars and nested control flow: every pass, alone and in any order, keeps what they do."""

from __future__ import annotations

import random

import pytest

from tscript.passes import (
    OPTIMISE,
    CommonSubexpressions,
    ConstantPropagation,
    ControlFlow,
    DeadCode,
    Inline,
    LoopUnrolling,
    Pass,
    Peephole,
    specialise,
)

STEPS: tuple[Pass, ...] = (
    Inline(), Inline(max_callee=0, once=False), ControlFlow(), ConstantPropagation(), Peephole(),
    CommonSubexpressions(), DeadCode(), LoopUnrolling(), LoopUnrolling(max_trips=0),
)  # fmt: skip


@pytest.mark.parametrize("seed", range(150))
def test_passes_change_nothing(context, check, random_programs, seed):
    choices = random.Random(seed)
    program = random_programs.Generator(choices).program()
    sets = [[random_programs.argument(choices, p.type) for p in program.entry.params] for _ in range(3)]
    if seed % 3 == 0:
        types = [p.type for p in program.entry.params]
        program = check(program, lambda p: specialise(p, types, {}, context), sets)
    steps = OPTIMISE if seed % 2 else choices.choices(STEPS, k=choices.randint(1, 6))
    for step in steps:
        check(program, lambda p, step=step: step.run(p, context), sets)
