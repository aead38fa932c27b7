"""Golden IR: `tests/data/passes/<pass>/*.ir` holds a program and, below a line ``// -----``, what the pass makes of it.

The first lines may be ``// field=value`` (options of the pass), ``// types: …`` and ``// constants: 1=True`` (for
`specialise`). Each program is also run before and after.
"""

from __future__ import annotations

# mypy: disable-error-code="attr-defined"
import ast
from collections.abc import Callable
from pathlib import Path

import pytest

import tscript
from tscript import Tensor, library, passes
from tscript.ir.parser import parse_program
from tscript.ir.printer import print_program
from tscript.passes import Pass, PassContext
from tscript.pipeline import Compiler
from tscript.runtime.session.process import current
from tscript.types import FLOAT, INT, ClassInfo, ClassType, parse_type

DATA = Path(__file__).resolve().parents[1] / "data" / "passes"
FILES = sorted(DATA.glob("*/*.ir"))
CLASSES: dict[str, type[Pass]] = {
    p.name: p for p in vars(passes).values() if isinstance(p, type) and issubclass(p, Pass) and p is not Pass
}
SEPARATOR = "// -----\n"


class Point:
    """A class of golden programs."""


class Pair:
    """One whose instances hold others."""


POINT = ClassType(ClassInfo("Point", Point, fields={"x": FLOAT, "y": FLOAT, "n": INT}))
PAIR = ClassType(ClassInfo("Pair", Pair, fields={"left": POINT, "right": POINT}))


def twice(x: Tensor) -> Tensor:
    return x + x


def fourfold(x: Tensor) -> Tensor:
    return tscript.ops.golden.twice(tscript.ops.golden.twice(x))


@pytest.fixture(scope="module")
def compiler() -> Compiler:
    """The compiler of the process, with operators that have a body."""
    library.script_op("golden::twice", twice)
    library.script_op("golden::fourfold", fourfold)
    return current().compiler


def test_every_pass_has_golden_files():
    assert {path.parent.name for path in FILES} == {*CLASSES, "specialise", "pipeline"}


@pytest.mark.parametrize("path", FILES, ids=lambda p: f"{p.parent.name}-{p.stem}")
def test_golden(path: Path, golden: Callable[[str, str], None], context: PassContext, check, compiler: Compiler):
    source = path.read_text(encoding="utf-8").split(SEPARATOR)[0].rstrip() + "\n\n"
    lines = source.splitlines(keepends=True)
    head = [line for line in lines if line.startswith("//")]
    settings = dict(line[2:].strip().split(": " if ": " in line else "=", 1) for line in head)
    program = parse_program("".join(lines[len(head) :]), compiler.table, classes={"Point": POINT, "Pair": PAIR})
    name = path.parent.name
    if name == "expand_custom":
        context = compiler.context
    if name == "specialise":
        types = [parse_type(t.strip()) for t in settings["types"].split(";")] if settings["types"] else []
        pairs = [p.split("=") for p in settings.get("constants", "").split(";") if p]
        constants = {int(i): ast.literal_eval(v) for i, v in pairs}
        made = passes.specialise(program, types, constants, context)
        check(made, lambda p: p)
    elif name == "pipeline":
        made = check(program, lambda p: passes.run_pipeline(p, passes.OPTIMISE, context, verify=True))
    else:
        step = CLASSES[name](**{k: ast.literal_eval(v) for k, v in settings.items()})
        made = check(program, lambda p: step.run(p, context), bodies=context.lower_body)
    golden(f"passes/{name}/{path.name}", source + SEPARATOR + print_program(made))
