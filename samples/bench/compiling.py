"""Processor time of the parts of a compilation (check, specialise, optimise, lower, emit, LLVM), and how it grows."""

from __future__ import annotations

import gc
import linecache
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count
from types import ModuleType
from typing import Any

from harness import Row
from hundred import CLASSES, HUNDRED, TENSORS

from tscript.backend.loader.optimise import compile_text
from tscript.frontend import PythonFunction
from tscript.ir.graph import Program
from tscript.passes import Pass
from tscript.pipeline import Compiler
from tscript.types import Type, parse_type

_numbers = count()
INT, STR, DICT = "int", "str", "dict[str, int]"


@dataclass(frozen=True, slots=True)
class Work:
    """A function to compile.

    Attributes:
        source: Its module.
        name: The function.
        types: Those of its arguments.
    """

    source: str
    name: str
    types: Sequence[str]

    def load(self) -> Callable[..., Any]:
        """The function, from a module that nobody compiled before."""
        file = f"<bench {next(_numbers)}>"
        linecache.cache[file] = (len(self.source), None, self.source.splitlines(keepends=True), file)
        module = sys.modules["bench"] = ModuleType("bench")
        exec(compile(self.source, file, "exec"), vars(module))  # noqa: S102 - our own source
        found = getattr(module, self.name)
        assert callable(found)
        return found


def stages(compiler: Compiler, work: Work, *, llvm: bool = False) -> dict[str, float]:
    """Nanoseconds of processor time of each stage, the first once that of LLVM too."""
    function = work.load()
    types: list[Type] = [parse_type(t) for t in work.types]
    found: dict[str, float] = {}
    last = time.process_time_ns()

    def note(stage: str) -> None:
        nonlocal last
        now = time.process_time_ns()
        found[stage] = found.get(stage, 0) + now - last
        last = now

    def lowered(step: Pass, program: Program) -> None:
        note("lower")

    checked = compiler.check(PythonFunction.from_callable(function))
    note("check")
    program = compiler.specialise(checked, types, {})
    note("specialise")
    compiler.optimise(program)
    note("optimise")
    module = compiler.emit(program, "f", observer=lowered, tensors=[], shared=[])
    note("emit")
    found["ours"] = sum(found.values())
    if llvm:
        compile_text(module.text, compiler.target, compiler.options.level, None, module.effort)
        note("LLVM")
    return found


def best(compiler: Compiler, work: Work, rounds: int, *, llvm: bool = False) -> dict[str, float]:
    """The minimum of each stage."""
    found: dict[str, float] = {}
    for _ in range(rounds):
        gc.collect()
        for stage, taken in stages(compiler, work, llvm=llvm).items():
            found[stage] = min(taken, found.get(stage, taken))
    return found


HUNDREDS = {
    "strings and containers": Work(HUNDRED.format(n=1), "f1", (STR, INT)),
    "tensors": Work(TENSORS, "train", ("Tensor[float32, 2]", "Tensor[float32, 1]", INT)),
    "classes and exceptions": Work(CLASSES, "run", (STR, INT)),
}
"""Three functions of about a hundred lines, by what they are about."""

LINES = """
    a{i} = limit + {i}
    if text.startswith("x{j}"):
        a{i} += len(text)
    elif a{i} > {i}:
        names.append("n" + str(a{i}))
    for c{i} in range(a{i} % 7):
        total += c{i} * a{i}
        if total > 1000000:
            total -= 1000000
    counts["k{j}"] = counts.get("k{j}", 0) + total
"""
"""Ten lines of a long function."""


def lines(count: int) -> Work:
    """One function of so many lines."""
    body = "".join(LINES.strip("\n").format(i=i, j=i % 100) + "\n" for i in range(count // 10))
    head = "def f(text: str, limit: int) -> dict[str, int]:\n    total = 0\n    names: list[str] = []\n"
    return Work(f"{head}    counts: dict[str, int] = {{}}\n{body}    return counts\n", "f", (STR, INT))


def short_functions(count: int) -> Work:
    """So many functions of ten lines, which another one calls."""
    head = "def f{i}(text: str, limit: int) -> int:\n    total = 0\n    names: list[str] = []\n"
    body = "    counts: dict[str, int] = {{}}\n" + LINES.strip("\n") + "\n    return total\n\n"
    functions = "".join((head + body).format(i=i, j=i % 100) for i in range(count))
    calls = "".join(f"    total += f{i}(text, limit)\n" for i in range(count))
    main = f"def f(text: str, limit: int) -> int:\n    total = 0\n{calls}    return total\n"
    return Work(functions + main, "f", (STR, INT))


def constants(count: int) -> Work:
    """A list of so many strings."""
    strings = "".join(f'        "word number {i}",\n' for i in range(count))
    return Work(f"def f(i: int) -> str:\n    words = [\n{strings}    ]\n    return words[i]\n", "f", (INT,))


def compared(count: int) -> Work:
    """So many strings that an argument is compared with."""
    tests = "".join(f'    if text == "word number {i}":\n        found += {i}\n' for i in range(count))
    return Work(f"def f(text: str) -> int:\n    found = 0\n{tests}    return found\n", "f", (STR,))


def nested(depth: int) -> Work:
    """Loops inside each other."""
    body = "".join("    " * (i + 1) + f"for i{i} in range(n):\n" for i in range(depth))
    inside = "    " * (depth + 1) + f"total += i{depth - 1} * i0\n"
    inside += "    " * (depth + 1) + "if total > 1000:\n" + "    " * (depth + 2) + "total -= 1000\n"
    return Work(f"def f(n: int) -> int:\n    total = 0\n{body}{inside}    return total\n", "f", (INT,))


GROWTH: dict[str, Callable[[], Work]] = {
    "100 lines": lambda: lines(100),
    "1,000 lines": lambda: lines(1000),
    "10,000 lines": lambda: lines(10_000),
    "100 functions": lambda: short_functions(100),
    "1,000 functions": lambda: short_functions(1000),
    "300 strings in a list": lambda: constants(300),
    "3,000 strings in a list": lambda: constants(3000),
    "300 strings compared with": lambda: compared(300),
    "3,000 strings compared with": lambda: compared(3000),
    "5 loops inside each other": lambda: nested(5),
    "20 loops inside each other": lambda: nested(20),
}
"""What grows, by how much."""


def run() -> list[Row]:
    """Time functions of a hundred lines, of which the first one is compiled before anything else, then what grows."""
    compiler = Compiler()
    first = Row("the first in the process", stages(compiler, next(iter(HUNDREDS.values()))))
    rows = [Row(name, best(compiler, work, 12)) for name, work in HUNDREDS.items()]
    return [first, *rows, *(Row(name, stages(compiler, make())) for name, make in GROWTH.items())]
