"""All errors of an expression are told at once, and none that only follows from another one."""

from __future__ import annotations

import ast
import random

import pytest

from tests.fuzz.features import Feature
from tests.fuzz.generator import generate
from tscript.diagnostics import CompileError, Diagnostic
from tscript.frontend import lower, module_functions

HEAD = """
from tscript import Tensor

class P:
    def __init__(self, x: int) -> None:
        self.x = x

    def m(self, k: int) -> int:
        return k + self.x

def add(a: int, b: int) -> int:
    return a + b

def main(p: P, q: P, xs: list[int], t: Tensor, o: int | None) -> None:
"""

STATEMENTS = (
    "r = add(p.bad0, add(q.bad1, unknown2))",
    "r = p.m(unknown0) + q.m(p.bad1) * -unknown2",
    "r = [p.bad0, unknown1, (q.bad2, {unknown3: p.bad4})]",
    "r = [i.bad0 + unknown1 for i in xs if unknown2]",
    "r = {unknown0: i.bad1 for i in xs}",
    "r = [unknown0 + i for i in unknown1 if i > unknown2 for j in p.bad3]",
    "r = sum(p.bad0 * i for i in xs) + sum(i for i in unknown1)",
    "r: list[float] = [unknown0, [1, p.bad1]]",
    'r = f"{p.bad0} {unknown1:{unknown2}}"',
    "r = unknown0 if p.bad1 else unknown2",
    "r = p.bad0 > 1 and unknown1 or xs.bad2",
    "r = 0 < p.bad0 < unknown1",
    "t[unknown0, p.bad1 : q.bad2] = unknown3",
    "t[unknown0] += p.bad1",
    "xs[p.bad0].append(unknown1)",
    "assert p.bad0, unknown1",
    "raise ValueError(p.bad0, unknown1)",
    "del xs[p.bad0 + unknown1]",
    "return add(unknown0, p.bad1)",
    "if unknown0 + p.bad1:\n        unknown2()",
    "while unknown0 + p.bad1:\n        unknown2()",
    "for i in range(unknown0, p.bad1):\n        unknown2(i)",
    "for i in zip(unknown0, p.bad1):\n        unknown2(i)",
    "match unknown0 + p.bad1:\n        case 1 if unknown2:\n            unknown3()\n        case k:\n"
    "            print(k + unknown4)",
    "with unknown0(p.bad1) as k:\n        print(k, unknown2)",
)


def errors(text: str) -> list[Diagnostic]:
    main = next(f for f in module_functions(text, "x.py") if f.name == "main")
    try:
        lower(main)
    except CompileError as error:
        return list(error.diagnostics)
    return []


@pytest.mark.parametrize("statement", STATEMENTS)
def test_all_errors_of_a_statement_are_told(statement: str) -> None:
    text = f"{HEAD}    {statement}\n"
    wrong = {name for n in ast.walk(ast.parse(text)) if (name := _name(n)).startswith(("bad", "unknown"))}
    found = [d.message().split("'")[1] for d in errors(text)]
    # What a case is guarded by, after an error in the subject, is left alone.
    assert sorted(found) == sorted(n for n in wrong if not (n == "unknown2" and "case" in statement))


def _name(node: ast.AST) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


@pytest.mark.parametrize(
    "body",
    [
        # What a literal or a lambda is depends on where it goes.
        "r: dict[str, float] = {'a': unknown, 'b': 1}\n    return r['b']",
        "f: list[Callable[[int], int]] = [lambda k: k + n, unknown]\n    return f[0](n)",
        # Types and methods are no values, and need none.
        "return add(unknown, int(isinstance(n, int)))",
        "return add(unknown, sum(map(str.isdigit, ['a'])))",
        "return max(xs, key=xs.index) + unknown",
        # What a condition would have said.
        "if isinstance(o, unknown):\n        return o + 1\n    return o",
        "assert o is not unknown\n    return o + 1",
        "return n if unknown(o) and o + 1 else o",
        "if (w := unknown) > 1:\n        return w\n    return w",
        "for i, *k in unknown:\n        print(k, i)\n    return 1",
        "a, *b = [unknown, n]\n    return b",
    ],
)
def test_nothing_is_told_that_only_follows(body: str) -> None:
    head = HEAD.replace("from tscript", "from collections.abc import Callable\nfrom tscript", 1)
    text = f"{head.replace('None) -> None:', 'None) -> int:')}    n = 1\n    {body}\n"
    assert [d.message() for d in errors(text)] == ["name 'unknown' is not defined"]


SILENT = (
    *(ast.Lambda, ast.JoinedStr, ast.arguments, ast.AnnAssign, ast.pattern, ast.ExceptHandler, ast.ClassDef, ast.Slice),
    *(ast.FunctionDef, ast.IfExp, ast.BoolOp),
)
"""What no expression is put into: where other errors than that of a name are due, or where what is reached depends on
others."""


def expressions(text: str) -> list[ast.expr]:
    """The expressions of a program that may be put in the place of any other, outside of conditions, which narrow
    types."""
    main = next(s for s in ast.parse(text).body if isinstance(s, ast.FunctionDef) and s.name == "main")
    found: list[ast.expr] = []

    def visit(node: ast.AST) -> None:
        if isinstance(node, SILENT):
            return
        if isinstance(node, ast.expr) and not isinstance(node, ast.Starred | ast.Constant):
            if isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
                found.append(node)
        for name, value in ast.iter_fields(node):
            if name not in ("test", "func", "guard", "returns", "decorator_list", "targets", "target"):
                for child in value if isinstance(value, list) else [value]:
                    if isinstance(child, ast.AST):
                        visit(child)

    for statement in main.body:
        visit(statement)
    return found


def replaced(text: str, nodes: list[ast.expr], names: list[str]) -> str:
    """A program with some expressions replaced by names."""
    data = text.encode()
    starts = [0]
    for line in data.split(b"\n"):
        starts.append(starts[-1] + len(line) + 1)
    for node, name in sorted(
        zip(nodes, names, strict=True), key=lambda p: (p[0].lineno, p[0].col_offset), reverse=True
    ):
        assert node.end_lineno is not None and node.end_col_offset is not None
        end = starts[node.end_lineno - 1] + node.end_col_offset
        data = data[: starts[node.lineno - 1] + node.col_offset] + name.encode() + data[end:]
    return data.decode()


@pytest.mark.parametrize("seed", range(12))
def test_undefined_names_in_random_programs_are_all_that_is_told(seed: int) -> None:
    rng = random.Random(seed)
    text = generate(seed, list(Feature)).source
    nodes: list[ast.expr] = []
    if "\ndef main(" not in text:
        pytest.skip("another function makes the one that is compiled")
    candidates = expressions(text)
    for node in rng.sample(candidates, min(6, len(candidates))):
        if not any(node in set(ast.walk(n)) or n in set(ast.walk(node)) for n in nodes):
            nodes.append(node)
    names = [f"undefined{i}" for i in range(len(nodes))]
    alone = set[str]()
    if errors(text):
        pytest.skip("the program is refused as it is")
    for node, name in zip(nodes, names, strict=True):
        one = replaced(text, [node], [name])
        found = errors(one)
        assert {d.message() for d in found} <= {f"name '{name}' is not defined"}
        alone |= {name for _ in found}
    if alone:
        told = {d.message().split("'")[1] for d in errors(replaced(text, nodes, names))}
        # With a value unknown, code is lowered that could not be reached.
        assert told >= alone
