"""Random programs in several threads at once, with loops on one, two or four threads: each call gives the bits that it
gives alone, and nothing is left behind.

A seed gives a program over arrays, one of the language, or a chain of operators over tensors that are large enough to
be divided. Threads have arguments of their own, but the tensors of chains, which nobody writes, are everybody's.
"""

from __future__ import annotations

import gc
import linecache
import random
import sys
import threading
import types
from collections.abc import Callable
from typing import Any

import numpy as np

import tscript
from tests.fuzz.arrays import _copied, array_program, outcome
from tests.fuzz.execute import Failure, LoadedModule, last_lines, observe
from tests.fuzz.features import ALL, Feature
from tests.fuzz.generator import generate
from tscript.diagnostics import CompileError, InternalError
from tscript.runtime.session.process import current

COUNTS = (1, 2, 4)
"""On how many threads loops may run."""

ROUNDS = 3

Call = Callable[[], Any]

UNARY = (
    "{0} * 0.5 + 1.0", "tscript.tanh({0})", "tscript.relu({0} - 0.5)", "{0}.t()", "{0}[1:]", "{0}[:, ::2]",
    "tscript.softmax({0}, -1)", "{0} - {0}.mean(1, keepdim=True)", "{0} / ({0}.amax(0) + 3.0)", "{0} * {0}.sum()",
    "{0}.contiguous()", "{0}.sort(1)[0]", "{0}.cumsum(0)", "tscript.cat([{0}, {0}], 0)",
    "{0}.argmax(1).float().unsqueeze(1) + {0}",
    "{0} @ {0}.t()", "{0}.var(1).unsqueeze(1) * {0}", "{0}.clone()", "{0}.abs().sqrt()",
)  # fmt: skip
"""What chains are made of."""


def chain(choices: random.Random) -> str:
    """The source of a chain."""
    lines = ["def main(x: Tensor) -> Tensor:", f"    for i in range({choices.randrange(1, 4)}):"]
    lines += [f"        x = {choices.choice(UNARY).format('x')}" for _ in range(choices.randrange(1, 5))]
    lines += ["        if x.size(0) * x.size(1) > 400000 or x.size(0) < 2 or x.size(1) < 2:", "            return x"]
    return "\n".join([*lines, "    return x", ""])


def same(a: Any, b: Any) -> bool:
    """Whether two outcomes are the same bits."""
    if isinstance(a, BaseException) or isinstance(b, BaseException):
        return type(a) is type(b) and str(a) == str(b)
    if isinstance(a, list | tuple):
        return type(a) is type(b) and len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, tscript.Tensor):
        return isinstance(b, tscript.Tensor) and same(a.numpy(), b.numpy())
    if isinstance(a, np.ndarray | np.generic):
        return type(a) is type(b) and (a.dtype, a.shape, a.tobytes()) == (b.dtype, b.shape, b.tobytes())
    return type(a) is type(b) and bool(a == b or (a != a and b != b))


def together(calls: list[Call], threads: int) -> list[list[Any]]:
    """What the calls give in each of some threads that make them at once."""
    start = threading.Barrier(threads)
    found: list[list[Any]] = [[] for _ in range(threads)]
    failed: list[BaseException] = []

    def run(mine: list[Any]) -> None:
        try:
            start.wait(60)
            mine += [call() for _ in range(ROUNDS) for call in calls]
        except BaseException as error:  # noqa: BLE001 - whatever goes wrong
            failed.append(error)

    workers = [threading.Thread(target=run, args=(mine,)) for mine in found]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    if failed:
        raise failed[0]
    return found


class ThreadsExecutor:
    """Runs programs."""

    def __init__(self) -> None:
        self.raised = 0
        self.ran = 0
        current().team.set_patience(0)

    def check(self, seed: int) -> list[Failure]:
        """What goes wrong with the program of a seed."""
        choices = random.Random(seed)
        before = tscript.get_num_threads()
        try:
            text, calls, close = (self.arrays, self.language, self.chain)[seed % 3](seed, choices)
        except (CompileError, SyntaxError):  # which other kinds look at
            return []
        try:
            return self._check(text, calls, choices)
        except (InternalError, CompileError) as error:
            return [Failure("compile", type(error).__name__, f"{text}\n{last_lines(error)}")]
        finally:
            tscript.set_num_threads(before)
            close()

    def _check(self, text: str, calls: list[Call], choices: random.Random) -> list[Failure]:
        tscript.set_num_threads(1)
        wanted = [call() for call in calls]
        self.ran += len(calls)
        self.raised += sum(isinstance(w, BaseException) for w in wanted)
        gc.collect()
        blocks = current().live_blocks()
        for count in COUNTS:
            tscript.set_num_threads(count)
            for alone in [call() for call in calls], *together(calls, choices.randrange(2, 5)):
                for number, found in enumerate(alone):
                    expected = wanted[number % len(wanted)]
                    if not same(expected, found):
                        return [Failure("differs", f"{count} threads", f"{text}\nalone: {expected}\nnow: {found}")]
            del alone, found
        gc.collect()
        left = current().live_blocks() - blocks
        return [Failure("leak", "threads", f"{text}\n{left} blocks")] if left > 0 else []

    def arrays(self, seed: int, choices: random.Random) -> tuple[str, list[Call], Callable[[], None]]:
        """Calls of a program over arrays."""
        program = array_program(seed)
        name = f"<arrays in threads {seed}>"
        linecache.cache[name] = (len(program.source), None, program.source.splitlines(keepends=True), name)
        module = sys.modules["random_arrays"] = types.ModuleType("random_arrays")
        exec(compile(program.source, name, "exec"), module.__dict__)
        scripted = tscript.script(module.main)

        def call(args: tuple[Any, ...]) -> Any:
            mine = tuple(_copied(a) for a in args)
            place = getattr(module, "placed", lambda *given: given)
            return outcome(scripted, place(*mine)), mine

        return str(program), [lambda args=args: call(args) for args in program.calls], lambda: None  # type: ignore[misc]

    def language(self, seed: int, choices: random.Random) -> tuple[str, list[Call], Callable[[], None]]:
        """Calls of a program of the language that prints nothing and keeps nothing between calls."""
        program = generate(seed, ALL - {Feature.PRINT, Feature.CACHE})
        module = LoadedModule(program.source)
        scripted = tscript.script(module.module.main)

        def call(text: str) -> Any:
            found = observe(scripted, module.arguments(text), silent=True)
            return repr(found)

        return program.source, [lambda t=t: call(t) for t in program.arguments], module.close  # type: ignore[misc]

    def chain(self, seed: int, choices: random.Random) -> tuple[str, list[Call], Callable[[], None]]:
        """Calls of a chain of operators over tensors that all threads share."""
        source = chain(choices)
        name = f"<chain {seed}>"
        linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
        module = types.ModuleType("random_chain")
        vars(module).update(tscript=tscript, Tensor=tscript.Tensor)
        exec(compile(source, name, "exec"), module.__dict__)
        scripted = tscript.script(module.main)
        shape = choices.choice(((3, 5), (200, 300), (17, 20_000), (3000, 40), (600, 600)))
        values = np.random.default_rng(seed).standard_normal(shape).astype(choices.choice(("float32", "float64")))
        x = tscript.from_numpy(values)
        return source, [lambda: outcome(scripted, (x,))], lambda: None


__all__ = ["ThreadsExecutor"]
