"""What the first function of a process imports: no module that only other programs need."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import tscript

CODE = """
import sys
import tscript

@tscript.script
def greet(name: str) -> str:
    return "hello " + name

greet.llvm_for("you")
print("\\\\n".join(name for name in sys.modules if name.startswith("tscript.")))
"""

ABSENT = (
    "archive",
    "backend.nodes.fused",
    "backend.nodes.observe",
    "frontend.checking",
    "frontend.diagnostics.refusals",
    "frontend.lowering.calls",
    "frontend.lowering.comparisons",
    "frontend.lowering.container_literals",
    "frontend.lowering.holding",
    "frontend.lowering.iteration",
    "frontend.lowering.method_calls",
    "frontend.lowering.sources",
    "frontend.lowering.unreached",
    "frontend.source.class_reading",
    "frontend.source.source_classes",
    "ir.parser",
    "ir.verifier",
    "operators.python.dicts",
    "operators.python.iteration",
    "operators.python.scalars",
    "operators.python.sets",
    "operators.tensor",
    "passes.certain_checks",
    "passes.ranges",
    "travel",
)
"""Modules and rooms for programs with numbers, containers, tensors, loops, calls or classes."""


def test_a_function_of_strings_imports_nothing_for_other_programs(tmp_path: Path) -> None:
    (tmp_path / "greeting.py").write_text(CODE.replace("\\\\n", "\\n"), encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(Path(tscript.__file__).parents[1])}
    done = subprocess.run(
        [sys.executable, str(tmp_path / "greeting.py")], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    found = done.stdout.split()
    rooms = tuple(f"tscript.{room}." for room in ABSENT)
    assert [name for name in found if f"{name}.".startswith(rooms)] == []
    values = sorted(name.rpartition(".")[2] for name in found if name.startswith("tscript.frontend.values."))
    assert values == ["sequences", "strings"]
