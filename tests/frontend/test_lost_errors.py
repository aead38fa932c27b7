"""No error gets lost: a function with an error, wherever it is called first, never becomes part of a program."""

from __future__ import annotations

import ast
import random
import sys
from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import pytest

import tscript.frontend
from tscript.diagnostics import CompileError, InternalError
from tscript.frontend import language, lower, module_functions
from tscript.frontend.diagnostics.abandoned import Abandoned
from tscript.frontend.lowering.lowering import Lowering
from tscript.ir.graph import Program

ROOT = Path(__file__).resolve().parents[2]

BROKEN = "def broken() -> int:\n    return (1).nothere\n\n"

HEAD = f"""
from typing import Callable, Iterable, TypeVar
T = TypeVar('T')

{BROKEN}
def twice(x: T) -> T:
    return [x, x][0]

def mapped(f: Callable[[int], T], n: int) -> T:
    return f(n)

class Two:
    def __init__(self, n: int):
        self.n = n
    def more(self) -> int:
        return self.n + broken()

"""

EXPRESSIONS = (
    "broken()",
    "sum(broken() for i in range(n))",
    "sum([broken()])",
    "sum(x.more() for x in [Two(n)])",
    "sum(sum(broken() for j in range(i)) for i in range(n))",
    "any(broken() > i for i in range(n))",
    "len([broken() for i in range(n)])",
    "max(range(n), key=lambda i: broken())",
    "max(broken() for i in range(n))",
    "sorted([n], key=lambda i: i * broken())[0]",
    "len({i: broken() for i in range(n)})",
    "twice(broken())",
    "mapped(lambda i: broken(), n)",
    "sum(map(lambda i: broken(), range(n)))",
    "len([*[broken()], n])",
    "len(f'{broken()}')",
    "n if broken() else 0",
    "[y := broken(), y][1]",
    "Two(n).more()",
    "sum(a * b for a, b in zip([broken()], range(n)))",
    "int(str(broken()))",
    "bin(broken()).count('1')",
    "[n][broken()]",
)
STATEMENTS = (
    "x = None\nfor i in range(n):\n    x = i\n    r = {0}\n",
    "x = None\nwhile n > 0:\n    n -= 1\n    r = {0}\n    x = n\n",
    "x = None\nfor i in range(n):\n    for j in range(n):\n        x = j\n        if x > {0}: break\n"
    "    else:\n        x = None\n",
    "x = None\ntry:\n    x = {0}\nexcept ValueError:\n    r = 1\n",
    "x = None\ntry:\n    r = 0\nexcept ValueError:\n    x = {0}\nfinally:\n    x = n\n",
    "x = None\nfor i in range(n):\n    try:\n        x = i\n        if i > 2: return {0}\n    finally:\n"
    "        r = 2\n",
    "x = None\nfor i in [1, 2]:\n    x = i\n    if i == n: return {0}\n",
    "x = []\nfor i in range(n):\n    x.append({0})\nr = len(x)\n",
    "x = None\nfor i in range(n):\n    x = i\n    y = None\n    while y is None:\n        y = {0}\n",
    "def inner(k: int):\n    return k + {0}\nx = None\nfor i in range(n):\n    x = inner(i)\n",
    "match n:\n    case 1:\n        r = {0}\n    case _:\n        r = 0\n",
    "x = None\nfor k in (1, 'a'):\n    x = k\n    r = {0}\n",
)


def lowered(source: str) -> Program:
    found = module_functions(source, "lost.py", everything=True)
    return lower(next(f for f in found if f.name == "main"))


@pytest.mark.parametrize("statement", STATEMENTS)
@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_an_error_is_told_wherever_its_function_is_called(statement: str, expression: str) -> None:
    body = statement.format(f"({expression})").replace("\n", "\n    ")
    source = f"{HEAD}def main(n: int) -> int:\n    r = 0\n    {body}\n    return r\n"
    with pytest.raises(CompileError) as caught:
        lowered(source)
    assert sum("nothere" in d.message() for d in caught.value.diagnostics) == 1


class _Break(ast.NodeTransformer):
    """Puts a call of the broken function in the place of one int of the bodies of functions."""

    def __init__(self, place: int) -> None:
        self.place = place
        self.seen = 0
        self.inside = 0

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        self.inside += 1
        node.body = [self.visit(statement) for statement in node.body]
        self.inside -= 1
        return node

    def visit_match_case(self, node: ast.match_case) -> ast.AST:
        node.body = [self.visit(statement) for statement in node.body]
        return node

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        if type(node.value) is not int or not self.inside:
            return node
        self.seen += 1
        return ast.parse("broken()", mode="eval").body if self.seen == self.place else node


def _random_programs(count: int) -> Iterator[str]:
    sys.path.append(str(ROOT))
    try:
        generator, features = import_module("tests.fuzz.generator"), import_module("tests.fuzz.features")
        for seed in range(count):
            source = generator.generate(seed, features.ALL).source
            if "\ndef main(" in source:  # else another function makes it
                yield source
    finally:
        sys.path.remove(str(ROOT))


def test_no_random_program_contains_a_function_with_an_error() -> None:
    rng = random.Random(5)
    told = 0
    for source in _random_programs(60):
        tree = ast.parse(source)
        counting = _Break(0)
        counting.visit(tree)
        broken = _Break(rng.randint(1, counting.seen or 1))
        text = f"{BROKEN}{ast.unparse(ast.fix_missing_locations(broken.visit(tree)))}\n"
        try:
            program = lowered(text)
        except CompileError:
            told += 1
        else:  # code that nothing reaches
            assert "broken" not in program.graphs
    assert told >= 25


def test_what_is_left_out_without_an_error_reaches_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bug of the compiler, but not one that runs."""

    def lost(lowering: Lowering, node: ast.AugAssign) -> None:
        raise Abandoned

    faulty = replace(language.LANGUAGE, statements={**language.LANGUAGE.statements, ast.AugAssign: lost})
    monkeypatch.setattr(language, "LANGUAGE", faulty)
    with pytest.raises(InternalError, match=r"lost.py:3:5: .* a statement was left out although no error was found"):
        lowered("def main(n: int) -> int:\n    m = 0\n    m += n\n    return m\n")


def test_whoever_goes_on_after_an_error_says_so() -> None:
    """A handler of `Abandoned` that noted nothing would let a function without the statement be compiled."""
    silent: list[str] = []
    for path in Path(tscript.frontend.__file__).parent.rglob("*.py"):
        for attempt in (n for n in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(n, ast.Try)):
            is_undone = any("take_back" in ast.unparse(statement) for statement in attempt.finalbody)
            for node in attempt.handlers:
                if node.type is not None and "Abandoned" in ast.unparse(node.type) and not is_undone:
                    text = ast.unparse(node).partition("\n")[2]
                    is_told = "abandon" in text or "raise" in text
                    if not is_told and path.stem not in ("checking", "language_resolver", "unreached"):
                        silent.append(f"{path.name}:{node.lineno}")
    assert silent == []
