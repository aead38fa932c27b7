"""Random programs: a slice of them in every way there is, and the tools that make, run and shrink them."""

from __future__ import annotations

import contextlib
import importlib
import io
import itertools
import json
import math
import random
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tscript.archive.classes import Apart, restore
from tscript.diagnostics.archives import ArchiveError
from tscript.ir.parser import parse_program
from tscript.ir.printer import print_program
from tscript.ir.reader import IRSyntaxError
from tscript.ir.signatures import value_from
from tscript.ir.verifier import verify
from tscript.ir.verify_types import VerifyError
from tscript.operators.table import TABLE

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 12
PROGRAMS = 200
"""So many if there is time."""


@pytest.fixture(scope="module", autouse=True)
def importable() -> Any:
    """Lets `tests.fuzz` be imported, after everything else, so that the package tested is the installed one."""
    sys.path.append(str(ROOT))
    yield
    sys.path.remove(str(ROOT))


def module(name: str) -> Any:
    return importlib.import_module(f"tests.fuzz.{name}")


def command(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """``python -m tests.fuzz`` in a process of its own: children are forked, which a process with threads should not
    do."""
    start = (
        f"import sys, runpy; sys.path.append({str(ROOT)!r}); runpy.run_module('tests.fuzz', run_name='__main__', "
        f"alter_sys=True)"
    )
    return subprocess.run(
        [sys.executable, "-c", start, "--state", str(folder), *arguments],
        capture_output=True,
        text=True,
        timeout=300,
        cwd=folder,
    )


def test_a_slice_of_the_programs(tmp_path: Path) -> None:
    done = command(tmp_path, "--count", str(PROGRAMS), "--seconds", str(SECONDS), "--no-shrink")
    assert done.returncode == 0, done.stdout + done.stderr
    ran = re.search(r"^(\d+) programs, (\d+) calls, \d+ of which raised$", done.stdout, re.MULTILINE)
    assert ran is not None
    assert 3 <= int(ran[1]) <= PROGRAMS
    assert int(ran[2]) == 3 * int(ran[1])


@pytest.fixture(scope="module")
def sources(importable: Any) -> str:
    """The programs that the slice begins with."""
    generator, features = module("generator"), module("features")
    return "\n".join(generator.generate(seed, features.SUPPORTED).source for seed in range(PROGRAMS))


def test_tensors_lie_wherever_other_values_do(sources: str) -> None:
    """In the programs that the slice begins with."""
    places = (r"\(NamedTuple\):\n    a: Tensor", r"@dataclass.*\nclass \w+:\n    a: Tensor",
              r"def __init__\(self, h\d+: Tensor", r"list\[Tensor\]",
              r"dict\[\w+, Tensor\]", r"tuple\[[^]]*Tensor", r"Optional\[Tensor\]", r"fork\(", r"lambda q\d+: tscript",
              r"\) -> Tensor:",
              r"\*rest\d+: Tensor", r"Callable\[\[Tensor\]", r"isinstance\(\w+, Tensor\)")  # fmt: skip
    assert [p for p in places if not re.search(p, sources)] == []


def test_what_edges_and_odd_values_are_drawn(sources: str) -> None:
    """Loops over indices near their edges, names that widen, exceptions as values, private names, tensors of the
    module."""
    forms = (r"for i\d+ in range\(.*len\(z\d+\)", r"while i\d+ >=? ", r"range\(-?\d{19}, -?\d{19}",
             r"range\(.*, -(2|3|5|7|11)\):",
             r"o\d+ = None", r"elif o\d+ is not None", r"-> \w*Error:", r"raise [a-z]+\d+\n", r"self\.__count",
             r"self\.__step", r"WEIGHT\d+ = tscript")  # fmt: skip
    assert [f for f in forms if not re.search(f, sources)] == []


@pytest.mark.parametrize(
    ("kind", "seconds"),
    [("ir", 2), ("archives", 1), ("places", 2), ("arrays", 3), ("threads", 3), ("parallel", 3)],
)
def test_a_slice_of_what_files_bring(tmp_path: Path, kind: str, seconds: int) -> None:
    done = command(tmp_path, "--kind", kind, "--count", "100", "--seconds", str(seconds))
    assert done.returncode == 0, done.stdout + done.stderr
    ran = re.search(rf"^(\d+) of {kind}, (\d+) ran, \d+ of which raised$", done.stdout, re.MULTILINE)
    assert ran is not None
    assert int(ran[1]) >= 1


def test_random_ir_is_verified_or_refused() -> None:
    """Most of it is taken, every operator among it in time; what is altered is taken or refused, and nothing else comes
    out."""
    graphs, mutants = module("ir_graphs"), module("mutants")
    choices = random.Random(5)
    taken = 0
    used: set[str] = set()
    for seed in range(100):
        try:
            program = graphs.generate_ir(seed, Apart)
        except ArchiveError:
            continue
        types = restore(program.classes, value_from, Apart())
        for text in (program.text, mutants.altered(choices, program.text)):
            try:
                found = parse_program(text, TABLE, classes=types, handles=program.tensors, portable=True)
                verify(found, from_file=True)
            except (IRSyntaxError, VerifyError):
                continue
            if text is program.text:
                taken += 1
                used.update(program.operators)
                assert print_program(
                    parse_program(print_program(found, handles=[]), TABLE, classes=types, handles=program.tensors)
                ) == print_program(found)
    assert taken > 60
    assert len(used) > 200


def taken(program: Any, text: str) -> bool:
    """Whether the verifier takes another text of a program of random IR."""
    types = restore(program.classes, value_from, Apart())
    try:
        verify(parse_program(text, TABLE, classes=types, handles=program.tensors, portable=True), from_file=True)
    except (IRSyntaxError, VerifyError):
        return False
    return True


def programs_of_ir(seeds: range) -> Iterator[Any]:
    for seed in seeds:
        with contextlib.suppress(ArchiveError):
            program = module("ir_graphs").generate_ir(seed, Apart)
            if taken(program, program.text):
                yield program


def test_programs_with_other_nodes_are_mostly_valid() -> None:
    """So that mutants of archives get into native code."""
    choices = random.Random(3)
    valid = changed = 0
    for program in programs_of_ir(range(40)):
        types = restore(program.classes, value_from, Apart())
        found = parse_program(program.text, TABLE, classes=types, handles=program.tensors)
        if module("mutants_ir").restructure(choices, found):
            changed += 1
            try:
                verify(found, from_file=True)
                valid += 1
            except VerifyError:
                continue
    assert changed > 20
    assert valid > changed // 2


def test_random_ir_is_shrunk() -> None:
    """To the node that is asked for, and what it needs."""
    shrink = module("ir_shrink").shrink_ir
    before = after = 0
    for program in itertools.islice(programs_of_ir(range(100, 120)), 6):
        name = program.operators[len(program.operators) // 2]

        def fails(candidate: tuple[str, str], program: Any = program, name: str = name) -> bool:
            return f" {name}(" in candidate[0] and taken(program, candidate[0])

        small, result = shrink((program.text, str(program.result)), fails, math.inf)
        assert fails((small, result))
        before, after = before + program.text.count("\n"), after + small.count("\n")
    assert after < before / 2


def test_programs_are_valid_python() -> None:
    """Whatever they contain: names are set before they are read, types fit, and they end."""
    generator, features, execute = module("generator"), module("features"), module("execute")
    classes: set[str] = set()
    for seed in range(120):
        program = generator.generate(seed, features.ALL)
        assert generator.generate(seed, features.ALL) == program
        if "Tensor" in program.source:  # which take long where no kernel is built yet
            compile(program.source, "", "exec")
            continue
        loaded = execute.LoadedModule(program.source)
        for text in program.arguments:
            try:
                with contextlib.redirect_stdout(io.StringIO()):
                    loaded.module.main(*loaded.arguments(text))
            except Exception as error:  # noqa: BLE001 - whatever a program raises
                classes.add(type(error).__name__)
        loaded.close()
    assert not classes & {"NameError", "UnboundLocalError", "AttributeError", "RecursionError", "SyntaxError"}
    assert {"ZeroDivisionError", "ValueError"} <= classes


def test_features_are_named() -> None:
    features = module("features")
    assert features.parse_features("scalar,-math,+print") == features.SCALAR - {features.Feature.MATH} | {
        features.Feature.PRINT
    }
    assert features.parse_features("all") == features.ALL
    with pytest.raises(ValueError, match="unknown feature 'lst'"):
        features.parse_features("lst")


def test_shrinking_keeps_what_fails() -> None:
    source = (
        "def main(x: int) -> int:\n    y = x + 2\n    for i in range(3):\n        if x > i:\n"
        "            print(y // (x * 0 + 7))\n    return y\n"
    )
    small = module("shrink").shrink(source, lambda text: "//" in text, 10.0)
    assert len(small.splitlines()) <= 3
    assert "//" in small


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [(1, True, False), (1, 1.0, False), (0.0, -0.0, False), (float("nan"), float("nan"), True), ([1, 2], [1, 2], True),
     ((1,), [1], False), ({1: 2, 3: 4}, {3: 4, 1: 2}, False), ({1, 2}, {2, 1}, True), ("a", "b", False),
     (None, None, True)],
)  # fmt: skip
def test_values_are_compared_with_their_types(a: object, b: object, same: bool) -> None:
    outcome = module("outcome")
    first, second = (outcome.Outcome(outcome.Plain().of(v), (), (), "") for v in (a, b))
    assert (outcome.difference(first, second) == "") == same


def test_aliases_are_compared() -> None:
    outcome = module("outcome")
    shared = [1]
    assert outcome.Plain().of([shared, shared]) != outcome.Plain().of([[1], [1]])


def test_the_order_of_a_set_says_nothing() -> None:
    class Key:
        def __init__(self, a: int) -> None:
            self.a = a

        def __hash__(self) -> int:
            return self.a % 2

    def told(order: list[int]) -> object:
        keys = {a: Key(a) for a in (-1, 2, 7)}
        return module("outcome").Plain().of(({keys[a] for a in order}, keys[-1]))

    assert len({repr(told(list(order))) for order in itertools.permutations((-1, 2, 7))}) == 1


def test_exceptions_of_the_interpreter_show_tensors() -> None:
    import numpy as np

    import tscript

    observe = module("execute").observe

    class Holding(LookupError):
        pass

    def failing(error: Exception) -> None:
        raise error

    for given in (lambda x: (x, 1), lambda x: (x,), lambda x: ([x, {2: x}],)):
        array, tensor = (observe(failing, (Holding(*given(x)),)) for x in (np.zeros(2, np.float32), tscript.zeros(2)))
        assert array.error == tensor.error


def test_tensors_of_the_arguments_stay_one_object_in_every_way_of_running() -> None:
    source = """
from tscript import Tensor
class Held(Exception):
    def __init__(self, t: Tensor, n: int) -> None:
        super().__init__((t, n))
        self.t = t
def main(x: Tensor, e: Held) -> tuple[Tensor, Tensor]:
    return x, e.t
"""
    given = "(*(lambda x: (x, Held(x, 2)))(__import__('tscript').tensor([1.0])),)"
    assert not module("execute").Executor().check(module("generator").Generated(0, "", source, (given,)))


def test_a_crash_and_a_hang_are_noted_and_the_rest_runs(tmp_path: Path) -> None:
    code = """
from tests.fuzz.generator import Generated
from tests.fuzz.runner import run
sources = {0: "def main(x: int) -> int:\\n    return x\\n",
    1: "import os\\ndef main(x: int) -> int:\\n    os.abort()\\n",
    2: "def main(x: int) -> int:\\n    while x > 0:\\n        pass\\n    return x\\n",
    3: "def main(x: int) -> int:\\n    return x + 1\\n",
    4: "def main(x: int) -> int:\\n    return zzz(x)\\nzzz = abs\\n"}
programs = {seed: Generated(seed, "", text, ("(3,)",)) for seed, text in sources.items()}
for seed, found, calls, raised in run(sorted(programs), frozenset(), sources=programs, timeout=2.0):
    print(seed, *[f.kind for f in found])
"""
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.append({str(ROOT)!r})\n{code}"],
        capture_output=True,
        text=True,
        timeout=300,
        cwd=tmp_path,
    )
    assert done.stdout.splitlines() == ["0", "1 crash", "2 hang", "3", "4"], done.stderr


def test_a_run_goes_on_where_it_stopped_and_keeps_what_failed(tmp_path: Path) -> None:
    runner, features = module("runner"), module("features")
    record = runner.Record(tmp_path, features.SCALAR)
    failure = runner.Found(3, "value", "native O2", "Python: 1\nnative: 2")
    record.note(0, 3, [failure], 3, 1)
    program = module("generator").generate(3, features.SCALAR)
    path = record.keep(program, failure, None)
    record.save()
    again = runner.Record(tmp_path, features.SCALAR)
    assert again.next_seed(0) == 4
    assert again.next_seed(100) == 100
    assert json.loads(again.path.read_text())["found"] == {"value native O2": [3]}
    done = command(tmp_path, "--replay", str(path))
    assert done.returncode == 0, done.stdout + done.stderr
