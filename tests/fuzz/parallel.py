"""Random loops over `tscript.prange`: what is not refused gives what Python's loop gives, on any threads.

Statements of a loop write elements, rows and slices at indices that depend on the counter in many ways, read others,
and combine names. The interpreter runs parts in reverse order, so a loop that is divided and should have been refused
shows; native code runs on one thread and on three, with the same bits.
"""

from __future__ import annotations

import linecache
import random
import types
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

import tscript
from tests.fuzz.arrays import difference, outcome
from tests.fuzz.execute import Failure, last_lines
from tscript.backend.nodes import parallel
from tscript.diagnostics import CompileError, InternalError
from tscript.ir import nodes
from tscript.ir.interpreter import interpret
from tscript.passes import OPTIMISE, Parallelise, run_pipeline
from tscript.runtime.session.process import current
from tscript.runtime.session.scripted import scripted_of

HEAD = """import numpy as np
from tscript import prange

Row = np.ndarray[tuple[int], np.dtype[np.float64]]
Ints = np.ndarray[tuple[int], np.dtype[np.int64]]
Matrix = np.ndarray[tuple[int, int], np.dtype[np.float64]]


def put(x: Row, i: int, value: float) -> None:
    x[i] = value


def main(a: Row, b: Row, p: Ints, m: Matrix, xs: list[int], n: int, k: int, rng: np.random.Generator):
    s, t, c, best, at, last = 0.0, 1.5, 0, -1.0, -1, 0
    ok = True
"""
TAIL = "    return float(s), float(t), c, float(best), at, last, bool(ok), a, b, p, m, xs, rng.random()\n"

INDICES = (
    "i", "i", "i", "i", "i + 1", "i - 1", "2 * i", "2 * i + 1", "n - 1 - i", "n - i", "-i", "i + k", "k - i", "0", "j",
    "p[i]", "i // 2", "i % 3", "3 * i + k", "-1 - i", "k",
    "i * k + j", "i * k + j", "2 * i + j", "k + i * n + j", "(i + 1) * k - 1",
)  # fmt: skip
PLAIN = INDICES[:4]
RANGES = ("n", "n", "n", "1, n", "n - 1, -1, -1", "0, n, 2", "k, n", "-2, n - 2", "n, 0, -1", "0, n, k")


@dataclass(frozen=True, slots=True)
class ParallelProgram:
    """A program.

    Attributes:
        source: Its text; the function is `main`.
        seed: Of its arguments.
    """

    source: str
    seed: int

    def arguments(self, which: int) -> tuple[Any, ...]:
        """The arguments of a call; arrays may be views of one memory."""
        choices = np.random.default_rng([self.seed, which])
        n = int(choices.choice((0, 1, 4, 6, 7, 8, 8)))
        memory = choices.permutation(80) / 8.0 - 3.0
        first = int(choices.integers(0, 5))
        long = max(0, 2 * n + int(choices.integers(-2, 9)))
        starts = (first, int(choices.integers(0, 11))) if which else (0, 40)
        a, b = (memory[s : s + long] for s in starts)
        p = choices.permutation(n + 6)
        m = choices.permutation((n + 6) ** 2).reshape(n + 6, n + 6) / 4.0
        xs = choices.integers(0, 9, 2 * n + 6).tolist()
        rng = np.random.default_rng([self.seed, which, 1])
        return a, b, p, m.T if which == 2 else m, xs, n, int(choices.integers(1, 4)), rng


def parallel_program(seed: int) -> ParallelProgram:
    """The program of a seed."""
    pick = random.Random(seed)
    clean = pick.random() < 0.6

    def index() -> str:
        return pick.choice(PLAIN) if clean and pick.random() < 0.8 else pick.choice(INDICES)

    def value(depth: int = 0) -> str:
        forms = (
            "{}[{}]", "{}[{}]", "m[{1}, {2}]", "xs[{1}] * 0.5", "float(i)", "x", "2.5", "m[{1}].sum()", "({3} + {4})",
            "min({3}, {4})", "float(p[{1}])", "len(xs) * 0.25", "rng.random()",
        )  # fmt: skip
        form = pick.choice(forms if depth < 2 else forms[:7])
        inner = (value(depth + 1), value(depth + 1)) if "{3}" in form else ("", "")
        return form.format(pick.choice("ab"), index(), index(), *inner)

    def statement(depth: str) -> Iterator[str]:
        forms = (
            "{a}[{i}] = {v}", "{a}[{i}] = {v}", "{a}[{i}] += {v}", "m[{i}, {k}] = {v}", "m[{k}, {i}] -= {v}",
            "xs[{i}] = i * 2", "s += {v}", "s -= {v}", "t *= 1.0 + {v} / 64.0", "c += i", "c ^= i", "t = max(t, {v})",
            "last = i * k", "ok = ok and {v} > -9.0", "put({a}, {i}, {v})", "m[{i}] = {v}", "m[:, {i}] += {v}",
            "m[{i}, 1:] = {v}", "a[{i}:{k}] = {v}", "b[2 * i : 2 * i + 2] = {v}", "m[i : i + 2, 0] = {v}", "x = {v}",
            "s = s + {v} + x", "p[{i}] += 1", "c = i - c", "xs.append(i)", "s += float(c)", "m.T[{i}, {k}] = {v}",
            "{a}[{i}] = rng.normal(1.0, 0.5)", "x = rng.exponential()", "c += int(rng.integers(9))",
        )  # fmt: skip
        choice = pick.random()
        if choice < 0.12:
            yield f"{depth}if {value(1)} > {pick.choice(('0.0', 'x', '1.5'))}:"
            yield from statement(depth + "    ")
        elif choice < 0.22:
            yield f"{depth}for j in range({pick.choice(('2', 'k', 'n', 'i'))}):"
            yield from statement(depth + "    ")
        elif choice < 0.28:
            yield f"{depth}if {value(2)} > best:"
            yield f"{depth}    best = {value(2)}"
            yield f"{depth}    at = i"
        elif choice < 0.33:
            found = value(1)
            yield f"{depth}y = {found}"
            yield f"{depth}if y > best:"
            yield f"{depth}    best = y"
            if pick.random() < 0.6:
                yield f"{depth}    at = i"
        elif choice < 0.37:
            yield f"{depth}if {value(1)} < -1.0:"
            yield f"{depth}    continue"
        else:
            yield depth + pick.choice(forms).format(a=pick.choice("ab"), i=index(), k=index(), v=value())

    lines = [f"    for i in prange({pick.choice(RANGES)}):", "        x, j = i * 0.5, 0"]
    for _ in range(pick.randint(1, 4)):
        lines += statement("        ")
    return ParallelProgram(HEAD + "\n".join(lines) + "\n" + TAIL, seed)


SIZES = ((parallel, "GRAIN"), (parallel, "WORTH"), (nodes, "WORTH"))
"""What decides how much work is worth a part."""


@contextmanager
def divided() -> Iterator[None]:
    """The shortest loops are divided, too."""
    before = [(module, name, vars(module)[name]) for module, name in SIZES]
    for module, name in SIZES:
        setattr(module, name, 1)
    current().team.set_patience(0)
    try:
        yield
    finally:
        for module, name, value in before:
            setattr(module, name, value)
        current().team.set_patience(63)


class Streams:
    """A generator of Python's run: in the loop each iteration draws from its own numbers, as the documentation says.

    Args:
        module: Where `prange` is.
        program: The program.
        which: Of its arguments.
    """

    def __init__(self, module: Any, program: ParallelProgram, which: int) -> None:
        self._rng = program.arguments(which)[-1]
        self._draws = "rng." in program.source.removesuffix(TAIL)
        module.prange = self._prange

    def _prange(self, *bounds: int) -> Iterator[int]:
        if not self._draws:
            yield from range(*bounds)
            return
        before = self._rng
        key = before.integers(2**64, size=2, dtype=np.uint64)
        for i in range(*bounds):
            self._rng = np.random.Generator(np.random.Philox(key=key, counter=(i % 2**64) << 64))
            yield i
        self._rng = before

    def __getattr__(self, name: str) -> Any:
        return getattr(self._rng, name)


class ParallelExecutor:
    """Runs programs."""

    def __init__(self) -> None:
        self.raised = 0
        self.ran = 0

    def check(self, program: ParallelProgram) -> list[Failure]:
        """What goes wrong with a program."""
        name = f"<parallel {program.seed}>"
        linecache.cache[name] = (len(program.source), None, program.source.splitlines(keepends=True), name)
        module: Any = types.ModuleType("random_parallel")
        exec(compile(program.source, name, "exec"), module.__dict__)
        with divided():
            try:
                module.prange = tscript.prange
                scripted = tscript.script(module.main)
                run = self.interpreted(scripted, program.arguments(0))
            except InternalError as error:
                return [Failure("compile", type(error).__name__, f"{program.source}\n{last_lines(error)}")]
            except CompileError as error:
                codes = {d.code for d in error.diagnostics}
                if codes <= {"TS605", "TS606", "TS607"}:
                    return []
                return [Failure("compile", f"{codes}", f"{program.source}\n{last_lines(error)}")]
            for which in range(3):
                args = program.arguments(which)
                wanted = outcome(module.main, (*program.arguments(which)[:-1], Streams(module, program, which)))
                self.ran += 1
                self.raised += isinstance(wanted, Exception)
                found = {"in reverse": outcome(run, args)}
                for threads in (1, 3):
                    tscript.set_num_threads(threads)
                    found[f"on {threads} threads"] = outcome(scripted, program.arguments(which))
                for how, its in found.items():
                    where = difference(wanted, its)
                    if where or (isinstance(wanted, Exception) and str(wanted) != str(its)):
                        text = f"{program.source}\n{how}, arguments {which}: {program.arguments(which)}"
                        return [Failure("differs", where or "message", f"{text}\nPython: {wanted!r}\nours: {its!r}")]
                if repr(found["on 1 threads"]) != repr(found["on 3 threads"]):
                    return [Failure("differs", "threads", f"{program.source}\n{found}")]
        return []

    @staticmethod
    def interpreted(scripted: Any, args: tuple[Any, ...]) -> Any:
        """The program with its loop divided, in the interpreter."""
        compiler, own = current().compiler, scripted_of(scripted)
        made = compiler.specialise(own.program, own.types_of(args, {})[0], {})
        passes = OPTIMISE[: next(i for i, step in enumerate(OPTIMISE) if isinstance(step, Parallelise)) + 1]
        run_pipeline(made, passes, compiler.context, verify=True)
        bodies = compiler.context.lower_body
        return lambda *given: interpret(made, given, bodies=bodies)


__all__ = ["ParallelExecutor", "ParallelProgram", "parallel_program"]
