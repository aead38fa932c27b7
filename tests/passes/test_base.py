from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import pytest

from tscript.diagnostics import InternalError, SourceFile, Span
from tscript.ir.graph import Graph, Program
from tscript.passes import LOWER, OPTIMISE, PIPELINE, SIMPLIFY, DeadCode, Inline, Pass, PassContext, run_pipeline

TEXT = """
program @f
graph @f(%x: int) -> int {
  %0: int = add.int(%x, %x)
  %1: int = mul.int(%x, %x)
  return %1
}
"""


@dataclass(frozen=True, slots=True)
class Broken(Pass):
    name: ClassVar[str] = "broken"

    def run_graph(self, graph: Graph, program: Program, context: PassContext) -> bool:
        raise KeyError("lost")


@dataclass(frozen=True, slots=True)
class Spoils(Pass):
    name: ClassVar[str] = "spoils"

    def run_graph(self, graph: Graph, program: Program, context: PassContext) -> bool:
        graph.body.nodes.pop()
        return True


def test_passes_run_in_order_and_are_observed(parse, context):
    seen: list[tuple[str, int]] = []
    program = parse(TEXT)
    changed = run_pipeline(
        program,
        [DeadCode(), Inline()],
        context,
        verify=True,
        observer=lambda step, p: seen.append((step.name, len(p.entry.body.nodes))),
    )
    assert changed
    assert seen == [("dead_code", 2), ("inline", 2)]
    assert not run_pipeline(program, [DeadCode()], context)


def test_a_bug_in_a_pass_names_the_pass_the_function_and_its_line(parse, context):
    program = parse(TEXT)
    program.entry.span = Span(SourceFile("model.py", "def f(x): ..."), 1, 0, 1, 5, "f")
    with pytest.raises(
        InternalError, match=r"model.py:1:1: internal error while compiling 'f': pass 'broken': KeyError"
    ):
        run_pipeline(program, [Broken()], context)


def test_invalid_ir_is_a_bug_of_the_pass_that_left_it(parse, context):
    with pytest.raises(InternalError, match="pass 'spoils': VerifyError"):
        run_pipeline(parse(TEXT), [Spoils()], context, verify=True)


def test_options_are_fields():
    assert Inline(max_callee=3).max_callee == 3
    assert Inline() == Inline(max_callee=100)


def test_every_pass_of_the_pipelines_has_a_name_and_a_docstring_with_ir():
    for step in {*SIMPLIFY, *OPTIMISE, *LOWER}:
        module = __import__(type(step).__module__, fromlist=["_"])
        assert module.__name__ == f"tscript.passes.{step.name}"
        text = module.__doc__ or ""
        assert "::\n" in text
        assert "%" in text
    assert PIPELINE == (*OPTIMISE, *LOWER)


def test_rules_are_those_of_the_operators_of_the_table(context):
    rules = {"add.int": 1, "no.such": 2}
    found = context.by_operator(rules)
    assert [op.name for op in found] == ["add.int"]
    assert dict(found) == {context.table["add.int"]: 1}
    other = replace(context.table["add.int"])
    assert other not in found and found.get(other) is None and found.get(other, 3) == 3
