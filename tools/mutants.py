"""Puts faults into copies of the code and counts which the tests catch: `python tools/mutants.py --count 40`.

A mutant is the tree with one small fault, made by rule (see `RULES`): a comparison that is off by one or turned round,
a condition that is negated or dropped, a constant that is one more, an operator in place of another, a statement that
is gone. Which mutants there are depends on the seed and on the sources alone. Each runs the tests that stand nearest to
it first (those of its folder, then those that run whole programs, then the rest) and counts as caught at the first
failure, also when a test crashes or runs into its time limit. What passes all tests is shown as a difference: either
the fault changes no behaviour, or a test is missing.

What was done is kept in a folder (``--state``), one line of JSON for each mutant, and a run goes on where it stopped.

The rules are those of mutation testing since DeMillo, Lipton and Sayward, "Hints on Test Data Selection", 1978:
relational, arithmetic and logical operators replaced, constants changed, conditions negated, statements deleted.
"""

from __future__ import annotations

import argparse
import ast
import difflib
import json
import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

ROOMS = (
    "passes", "tscript/dialect", "tscript/operators", "tscript/ir", "tscript/types", "tscript/abi",
    "tscript/frontend", "tscript/backend",
    "tscript/archive", "runtime",
)  # fmt: skip
"""Folders whose modules get faults: the compiler and the runtime."""

COPIED = ("pyproject.toml", "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "MANIFEST.in", "Makefile",
          "SECURITY.md",
          "docs", "passes", "runtime", "samples", "tests", "tools", "tscript")  # fmt: skip

CONTROL = "tests/ir/test_verifier.py"
"""Tests that pass in the copy before any fault is put there; else what stops them would count as what catches
faults."""

WHOLE_PROGRAMS = ("tests/passes", "tests/integration", "tests/test_language_samples.py")
"""Tests that notice most faults, wherever they are."""

_COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.Gt),
    ast.LtE: (ast.Lt, ast.GtE),
    ast.Gt: (ast.GtE, ast.Lt),
    ast.GtE: (ast.Gt, ast.LtE),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
}

_ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.FloorDiv: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
}
# `|` is left alone: it joins types and sets more often than bits.


def comparison(node: ast.AST) -> Iterator[ast.expr]:
    """``a < b`` becomes ``a <= b`` or ``a > b``."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        for other in _COMPARISONS[type(node.ops[0])]:
            yield ast.Compare(node.left, [other()], node.comparators)


def arithmetic(node: ast.AST) -> Iterator[ast.expr]:
    """``a + b`` becomes ``a - b``; texts are left alone."""
    if isinstance(node, ast.BinOp) and type(node.op) in _ARITHMETIC and not _is_text(node):
        yield ast.BinOp(node.left, _ARITHMETIC[type(node.op)](), node.right)


def logic(node: ast.AST) -> Iterator[ast.expr]:
    """``a and b`` becomes ``a or b``, or loses its last condition; ``not a`` becomes ``a``."""
    if isinstance(node, ast.BoolOp):
        yield ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values)
        yield node.values[0] if len(node.values) == 2 else ast.BoolOp(node.op, node.values[:-1])
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield node.operand


def constant(node: ast.AST) -> Iterator[ast.expr]:
    """A number becomes one more; True becomes False."""
    if isinstance(node, ast.Constant):
        if isinstance(node.value, bool):
            yield ast.Constant(not node.value)
        elif isinstance(node.value, int):
            yield ast.Constant(node.value + 1)


def deletion(node: ast.AST) -> Iterator[ast.stmt]:
    """A call that is a statement, or an augmented assignment, is gone."""
    if isinstance(node, ast.AugAssign) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)):
        yield ast.Pass()


Rule = Callable[[ast.AST], Iterator[ast.expr] | Iterator[ast.stmt]]

RULES: tuple[Rule, ...] = (comparison, arithmetic, logic, constant, deletion)


@dataclass(frozen=True, slots=True)
class Mutant:
    """One fault.

    Attributes:
        path: The module, from the root of the tree.
        line: Where the fault is.
        rule: Name of the rule that made it.
        source: Text of the whole module with the fault.
    """

    path: str
    line: int
    rule: str
    source: str

    def difference(self, root: Path) -> str:
        """The fault as a unified diff."""
        before = (root / self.path).read_text().splitlines(keepends=True)
        return "".join(difflib.unified_diff(before, self.source.splitlines(keepends=True), self.path, self.path, n=1))


def _is_text(node: ast.AST) -> bool:
    return any(
        isinstance(n, ast.JoinedStr) or (isinstance(n, ast.Constant) and isinstance(n.value, str))
        for n in ast.walk(node)
    )


def _behaviour(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes below `node` whose change may change behaviour: no annotations, messages or guards of the compiler
    itself."""
    for name, field in ast.iter_fields(node):
        if name in {"annotation", "returns", "type_params", "decorator_list", "type_comment"}:
            continue
        for child in field if isinstance(field, list) else [field]:
            if not isinstance(child, ast.AST) or isinstance(
                child, ast.Assert | ast.Raise | ast.JoinedStr | ast.Import | ast.ImportFrom
            ):
                continue
            if isinstance(child, ast.If) and _is_guard(child):
                continue
            if isinstance(child, ast.If) and isinstance(child.test, ast.Name) and child.test.id == "TYPE_CHECKING":
                continue
            yield child
            yield from _behaviour(child)


def _is_guard(node: ast.If) -> bool:
    """Whether it only looks for faults of the compiler itself."""
    return any(
        isinstance(n, ast.Name) and n.id == "InternalError" for statement in node.body for n in ast.walk(statement)
    )


@dataclass(frozen=True, slots=True)
class Site:
    """A place where a rule applies: the bytes from `begin` to `end` become `text`."""

    begin: int
    end: int
    line: int
    rule: str
    text: str


def sites(source: str) -> Iterator[Site]:
    """All places of a module where a fault can be put, in the order of the source."""
    data = source.encode()
    starts = [0]
    for line in data.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    for node in _behaviour(ast.parse(source)):
        if not isinstance(node, ast.expr | ast.stmt) or node.end_lineno is None or node.end_col_offset is None:
            continue
        begin = starts[node.lineno - 1] + node.col_offset
        end = starts[node.end_lineno - 1] + node.end_col_offset
        for rule in RULES:
            for other in rule(node):
                text = ast.unparse(ast.fix_missing_locations(other))
                # What binds more loosely than what stood there needs its parentheses.
                if isinstance(other, ast.BoolOp | ast.BinOp | ast.Compare) and data[begin - 1 : begin] not in _OPENING:
                    text = f"({text})"
                yield Site(begin, end, node.lineno, rule.__name__, text)


_OPENING = (b"", b"(", b" ")


def mutant_at(path: str, source: str, site: Site) -> Mutant | None:
    """The module with a fault at `site`; None if that is the same program or none at all."""
    data = source.encode()
    changed = (data[: site.begin] + site.text.encode() + data[site.end :]).decode()
    return Mutant(path, site.line, site.rule, changed) if _is_another_program(source, changed) else None


def _is_another_program(source: str, changed: str) -> bool:
    try:
        return ast.dump(ast.parse(changed)) != ast.dump(ast.parse(source))
    except SyntaxError:
        return False


def draw(root: Path, rooms: Sequence[str], seed: int) -> Iterator[Mutant]:
    """Mutants without end, each room equally often, a module as often as it is long.

    Args:
        root: Of the tree.
        rooms: Folders or modules.
        seed: What is drawn depends on it and on the sources.
    """
    chance = random.Random(seed)
    modules = {
        room: sorted(
            p
            for p in ((root / room).rglob("*.py") if (root / room).is_dir() else [root / room])
            if "__pycache__" not in p.parts
        )
        for room in rooms
    }
    while True:
        paths = modules[chance.choice(list(rooms))]
        path = chance.choices(paths, [p.stat().st_size for p in paths])[0]
        source = path.read_text()
        found = _one(str(path.relative_to(root)), source, chance)
        if found is not None:
            yield found


def _one(path: str, source: str, chance: random.Random) -> Mutant | None:
    """A mutant of a module: first its rule is drawn, so that frequent constructs do not crowd out the others."""
    by_rule: dict[str, list[Site]] = {}
    for site in sites(source):
        by_rule.setdefault(site.rule, []).append(site)
    return mutant_at(path, source, chance.choice(by_rule[chance.choice(sorted(by_rule))])) if by_rule else None


def nearest_tests(root: Path, path: str) -> list[str]:
    """The tests for a module, nearest first; all of them together are the suite."""
    folder = path.removeprefix("tscript/").split("/")[0]
    near = [f"tests/{folder}"] if (root / "tests" / folder).is_dir() else []
    if path.startswith("runtime/kernels"):
        near = ["tests/runtime/kernels"]
    return [*near, *(name for name in WHOLE_PROGRAMS if name not in near)]


def run_tests(tree: Path, tests: Sequence[str], jobs: int, seconds: float) -> str:
    """Run tests in a copy of the tree; empty if all pass, else the first failure in a line."""
    environment = {
        **os.environ,
        "PYTHONPATH": str(tree),
        "TSCRIPT_CACHE_DIR": str(tree.parent / "cache"),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-x",
        "-q",
        "-n",
        str(jobs),
        "-m",
        "not slow",
        "-p",
        "no:cacheprovider",
    ]
    process = subprocess.Popen(
        [*command, *tests],
        cwd=tree,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        output, _ = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, 9)
        process.communicate()
        return f"no end within {seconds:.0f} s"
    if process.returncode == 0:
        return ""
    failed = [line for line in output.splitlines() if line.startswith(("FAILED", "ERROR"))]
    return failed[0] if failed else (output.strip().splitlines() or ["no output"])[-1]


def copy_tree(root: Path, target: Path) -> None:
    """Copy what tests need; the links of the package stay links."""
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    for name in COPIED:
        source = root / name
        if source.is_dir():
            shutil.copytree(source, target / name, symlinks=True, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy2(source, target / name)
    (target.parent / "cache").mkdir(mode=0o700, exist_ok=True)


def judge(mutant: Mutant, tree: Path, jobs: int, seconds: float, *, whole: bool) -> str:
    """What catches a mutant, empty if nothing does.

    Args:
        mutant: The fault.
        tree: A copy of the tree, which is as it was afterwards.
        jobs: Test processes.
        seconds: For one set of tests.
        whole: Whether what the nearest tests let through runs the whole suite.
    """
    path = tree / mutant.path
    before = path.read_text()
    path.write_text(mutant.source)
    try:
        for test in nearest_tests(tree, mutant.path):
            if caught := run_tests(tree, [test], jobs, seconds):
                return caught
        return run_tests(tree, [], jobs, 3 * seconds) if whole else ""
    finally:
        path.write_text(before)


def main(arguments: Sequence[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0], allow_abbrev=False)
    parser.add_argument("--count", type=int, default=40, help="how many mutants, those of earlier runs among them")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2, help="test processes")
    parser.add_argument("--seconds", type=float, default=900.0, help="limit for one set of tests")
    parser.add_argument("--state", type=Path, default=Path(".mutants"), help="folder of the record and of the copy")
    parser.add_argument("--nearest", action="store_true", help="only the nearest tests, not the whole suite")
    parser.add_argument("--show", action="store_true", help="show the faults and run nothing")
    parser.add_argument("rooms", nargs="*", default=list(ROOMS), help="folders or modules that get faults")
    chosen = parser.parse_args(arguments)

    drawn = draw(ROOT, chosen.rooms, chosen.seed)
    chosen.state.mkdir(parents=True, exist_ok=True)
    record = chosen.state.resolve() / f"mutants-{chosen.seed}.jsonl"
    done = (
        {(d["path"], d["difference"]): d for d in map(json.loads, record.read_text().splitlines())}
        if record.exists()
        else {}
    )
    tree = chosen.state.resolve() / "tree"
    if not chosen.show:
        copy_tree(ROOT, tree)
    controlled = False
    passed: list[str] = []
    for number in range(chosen.count):
        mutant = next(drawn)
        difference = mutant.difference(ROOT)
        if chosen.show:
            sys.stdout.write(difference + "\n")
            continue
        found = done.get((mutant.path, difference))
        if found is None:
            if not controlled and (failed := run_tests(tree, [CONTROL], chosen.jobs, chosen.seconds)):
                parser.exit(2, f"The tests fail without a fault: {failed}\n")
            controlled = True
            began = time.monotonic()
            caught = judge(mutant, tree, chosen.jobs, chosen.seconds, whole=not chosen.nearest)
            found = {"path": mutant.path, "line": mutant.line, "rule": mutant.rule, "difference": difference,
                     "caught": caught,
                     "seconds": round(time.monotonic() - began, 1)}  # fmt: skip
            with record.open("a") as file:
                file.write(json.dumps(found) + "\n")
        if not found["caught"]:
            passed.append(difference)
        verdict = found["caught"] or "PASSED ALL TESTS"
        sys.stdout.write(f"{number + 1}/{chosen.count} {mutant.path}:{mutant.line} {mutant.rule}: {verdict}\n")
        sys.stdout.flush()
    if chosen.show:
        return 0
    sys.stdout.write("".join(f"\n{difference}" for difference in passed))
    sys.stdout.write(f"\n{len(passed)} of {chosen.count} mutants passed\n")
    return 1 if 20 * len(passed) > chosen.count else 0


if __name__ == "__main__":
    sys.exit(main())
