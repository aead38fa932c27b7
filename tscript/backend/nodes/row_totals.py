"""Partial results of reductions, combined in the order of `tscript.abi.folds`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import final

from tscript.backend.llvm.machine import load, store
from tscript.backend.llvm.text import Text
from tscript.backend.llvm.types import llvm_type, memory_type
from tscript.backend.nodes.steps import Id, Steps
from tscript.ir.graph import Graph
from tscript.types import Type


@final
class Combine:
    """How two partial results become one."""

    def __init__(self, graph: Graph) -> None:
        steps = self.steps = Steps()
        first, second = graph.body.params
        self.a, self.b = steps.input(first.type, True), steps.input(second.type, True)
        self.result = steps.inline(graph, [self.a, self.b])
        self.needed = steps.needed((self.result,))

    def emit(self, text: Text, a: str, b: str, lanes: int) -> str:
        """`a` combined with `b`, which comes later."""
        names: Mapping[Id, str] = self.steps.spread(text, self.needed, (), {}, lanes)
        env = {**names, self.a: a, self.b: b}
        self.steps.emit_varying(text, self.needed, env, lanes)
        return env[self.result]


def push(text: Text, type: Type, combine: Combine, levels: str, number: str, value: str) -> None:
    """Add the result of block `number` to the partial results, as a binary counter counts."""
    before, head, merge, put = text.block, *(text.fresh_label(n) for n in ("push", "merge", "put"))
    text.branch(head)
    text.label(head)
    carry, shifted, at, following = (text.fresh(n) for n in ("carry", "carry", "level", "level"))
    own = text.fresh("value")
    place = text.reserve()
    text.branch_if(text.let(f"trunc i64 {carry} to i1"), merge, put)
    text.label(merge)
    merged = combine.emit(text, load(text, type, at), own, 1)
    text.line(f"{shifted} = lshr i64 {carry}, 1")
    text.line(f"{following} = getelementptr {memory_type(type)}, ptr {at}, i64 1")
    end = text.block
    text.branch(head)
    text.fill(
        place,
        [
            f"{carry} = phi i64 [ {number}, %{before} ], [ {shifted}, %{end} ]",
            f"{at} = phi ptr [ {levels}, %{before} ], [ {following}, %{end} ]",
            f"{own} = phi {llvm_type(type)} [ {value}, %{before} ], [ {merged}, %{end} ]",
        ],
    )
    text.label(put)
    store(text, type, own, at)


def total_of(text: Text, type: Type, combine: Combine, levels: str, blocks: str) -> str:
    """The partial results of so many blocks combined."""
    native = llvm_type(type)
    text.declare_function("llvm.cttz.i64", "i64", ["i64", "i1"])
    lowest = text.let(f"call i64 @llvm.cttz.i64(i64 {blocks}, i1 true)")
    start = text.let(f"getelementptr {memory_type(type)}, ptr {levels}, i64 {lowest}")
    first = load(text, type, start)
    rest = text.let(f"lshr i64 {text.let(f'lshr i64 {blocks}, {lowest}')}, 1")
    before, head, step, merge, skip, done = (
        text.block,
        *(text.fresh_label(n) for n in ("total", "step", "join", "skip", "sum")),
    )
    text.branch(head)
    text.label(head)
    left, shifted, at, following = (text.fresh(n) for n in ("left", "left", "level", "level"))
    own, kept = text.fresh("value"), text.fresh("value")
    place = text.reserve()
    text.branch_if(text.let(f"icmp eq i64 {left}, 0"), done, step)
    text.label(step)
    text.line(f"{following} = getelementptr {memory_type(type)}, ptr {at}, i64 1")
    text.branch_if(text.let(f"trunc i64 {left} to i1"), merge, skip)
    text.label(merge)
    merged = combine.emit(text, load(text, type, following), own, 1)
    end = text.block
    text.branch(skip)
    text.label(skip)
    text.line(f"{kept} = phi {native} [ {own}, %{step} ], [ {merged}, %{end} ]")
    text.line(f"{shifted} = lshr i64 {left}, 1")
    text.branch(head)
    text.fill(
        place,
        [
            f"{left} = phi i64 [ {rest}, %{before} ], [ {shifted}, %{skip} ]",
            f"{at} = phi ptr [ {start}, %{before} ], [ {following}, %{skip} ]",
            f"{own} = phi {native} [ {first}, %{before} ], [ {kept}, %{skip} ]",
        ],
    )
    text.label(done)
    return own
