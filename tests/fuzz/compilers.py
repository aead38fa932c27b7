"""Compilers that share their work on the program at hand: it is optimised once for all ways it runs in, and emitted
once for both levels. `Leading` lets calls of quick code go on in better code."""

from __future__ import annotations

import copy
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from tscript.abi.symbols import HOT
from tscript.backend.llvm.counting import counting
from tscript.backend.llvm.effort import Effort
from tscript.backend.llvm.emitted import Emitted
from tscript.backend.loader.cache import ObjectCache
from tscript.backend.loader.optimise import generate, optimised
from tscript.ir.cloning import clone_graph
from tscript.ir.graph import Program
from tscript.ir.verifier import verify
from tscript.pipeline import Compiler, Options
from tscript.pipeline.tiers import Tier
from tscript.runtime.session.process import Runtime, current
from tscript.runtime.session.tiers import Tiered, Tiers
from tscript.types import Type

THOROUGH = 4
"""Of so many programs one is verified after every pass, the others when all passes are through; and of another one,
LLVM
generates code at its level of optimisation, of the others as quickly as it can: that alone takes a quarter of the
time."""


@dataclass(slots=True)
class Made:
    """What was made of the program at hand, by the text of its specialisations."""

    specialised: dict[tuple[object, ...], Program] = field(default_factory=dict)
    optimised: dict[str, Program] = field(default_factory=dict)
    emitted: dict[str, tuple[Emitted, list[np.ndarray[Any, Any]], list[Any]]] = field(default_factory=dict)
    built: dict[tuple[Emitted, int, bool], bytes] = field(default_factory=dict)

    def clear(self) -> None:
        """Another program is at hand."""
        self.specialised.clear()
        self.optimised.clear()
        self.emitted.clear()
        self.built.clear()


class SharingCompiler(Compiler):
    """A compiler that keeps nothing on disk, because no program comes twice, and shares its work with others.

    Args:
        options: How to compile.
        made: What any of them made.
    """

    def __init__(self, options: Options, made: Made) -> None:
        super().__init__(options)
        self.made = made
        self.quick = False
        self._key = ""

    @property
    def keeps_programs(self) -> bool:
        """No."""
        return False

    def specialise(self, program: Program, types: Sequence[Type], constants: Mapping[int, object]) -> Program:
        """As it is, or a copy of what is known."""
        key = (program, *types, repr(constants))
        if key not in self.made.specialised:
            self.made.specialised[key] = super().specialise(program, types, constants)
        return copied(self.made.specialised[key])

    def optimise(self, program: Program, observer: Any = None, *, fuse: bool = True) -> Program:
        """As it is; what comes of it is changed no more."""
        self._key = f"{fuse} {program}"
        known = self.made.optimised.get(self._key)
        if known is None:
            super().optimise(program, observer, fuse=fuse)
            known = self.made.optimised[self._key] = Program(program.main, list(program.graphs.values()))
            verify(known)
        program.graphs = dict(known.graphs)
        return program

    def lower(self, program: Program, observer: Any = None) -> Program:
        """As it is, and verified at the end."""
        super().lower(program, observer)
        verify(program)
        return program

    def emit(self, program: Program, symbol: str, *, tensors: Any = None, shared: Any = None, **how: Any) -> Emitted:
        """As it is, but over a copy; or the known text. Level 0 is that of quick code, which counts."""
        if self._key not in self.made.emitted:
            found: list[np.ndarray[Any, Any]] = []
            kept: list[Any] = []
            how["resumable"] = not how.get("observed")
            module = super().emit(copied(program), symbol, tensors=found, shared=kept, **how)
            self.made.emitted[self._key] = module, found, kept
        module, found, kept = self.made.emitted[self._key]
        for wanted, values in ((tensors, found), (shared, kept)):
            if wanted is not None:
                wanted += values
        if self.options.level > 0 or not module.entry[0]:
            return module
        return replace(module, text=counting(module, self.target), externals=(*module.externals, HOT))

    def build(self, module: Emitted) -> bytes:
        """Without the cache on disk."""
        level = self.options.level
        key = module, level, self.quick
        if key not in self.made.built:
            code = optimised(module.text, self.target, level, module.effort)
            self.made.built[key] = self.target.machine(0 if self.quick else level).emit_object(code)
            code.close()
        return self.made.built[key]


class Leading(Tiers):
    """Better code for calls in loops, from the beginning: from a few places of each function on.

    Args:
        runtime: Of which all but the compiler is taken.
        compiler: Of the quick code.

    Attributes:
        choices: Chooses places.
    """

    PLACES = 2

    def __init__(self, runtime: Runtime, compiler: Compiler) -> None:
        super().__init__(compiler, runtime.linker.native.callables, runtime.observation, runtime.compiling)
        self.choices = random.Random(0)

    def add(self, job: Tiered) -> None:
        """Make continuations; nothing is counted."""
        later = job.later
        assert later is not None
        for place in self.choices.sample(range(later.marks), min(later.marks, self.PLACES)):
            effort = self.choices.choice((later.effort, Effort.LIGHT, Effort.LIGHT))
            job.resume(place, generate(later.text, self.compiler.target, 2, effort, place), self._callables)


def copied(program: Program) -> Program:
    """A program of its own graphs."""
    return Program(program.main, [clone_graph(g) for g in program.graphs.values()])


def leading(made: Made) -> Runtime:
    """The runtime of this process, with quick code that better code takes over from."""
    found = at_level(2, made, Options(level=2, verify=True, tier=Tier.AUTO, at_once=0))
    found.compiler.cache = ObjectCache(None)
    found.tiers = tiers = Leading(found, found.compiler)
    found.linker = replace(found.linker, tiers=lambda: tiers)
    found.scripts = replace(found.scripts, linker=found.linker)
    return found


def at_level(level: int, made: Made, options: Options | None = None) -> Runtime:
    """The runtime of this process, with a compiler of its own."""
    base = current()
    found = copy.copy(base)
    found.compiler = SharingCompiler(options or Options(level=level, verify=True, tier=Tier.FULL), made)
    vars(found.compiler).update(session=base.compiler.session, target=base.compiler.target, bodies=base.compiler.bodies)
    found.compiler.class_table = base.compiler.class_table
    found.compiler.table_with = base.compiler.table_with
    found.linker = replace(base.linker, compiler=found.compiler)
    found.scripts = replace(base.scripts, linker=found.linker)
    return found


def for_program(runtimes: Any, seed: int, budget: int | None) -> None:
    """What the compilers of `runtimes` do for the program of a seed.

    Args:
        budget: See `Options`.
    """
    for runtime in runtimes:
        options = runtime.compiler.options
        runtime.compiler.options = replace(options, budget=budget, verify=seed // 2 % THOROUGH == 0)
        runtime.compiler.quick = seed // 2 % THOROUGH != 1
        if isinstance(runtime.tiers, Leading):
            runtime.tiers.choices.seed(seed)
