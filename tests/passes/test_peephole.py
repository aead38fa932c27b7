from __future__ import annotations

from dataclasses import replace

from tscript.ir.builder import Builder
from tscript.ir.graph import Graph, Param, Program
from tscript.operators.table import TABLE
from tscript.passes import Peephole
from tscript.types import TensorType, dtypes


def test_rules_of_tags_hold_for_operators_with_further_tags(context):
    cast = TABLE["to.other"]
    tagged = replace(cast, tags=cast.tags | {f"tag-{i}" for i in range(100)})
    type = TensorType(dtypes.float32, 1)
    graph = Graph("f", [Param("x", type)], type)
    b = Builder(graph.body)
    x = graph.body.params[0]
    b.return_(b.op(tagged, x, x))
    assert Peephole().run(Program("f", [graph]), context)
    assert graph.body.terminator.inputs == [x]
