"""`FunctionEmitter`: the shared state while one graph is emitted as one LLVM function.

**Values.** Each IR value is a tuple of operands, one per leaf of its type (`tscript.abi.leaves`).

**References.** Structured control flow determines statically which references a function owns at each point. `scopes`
has them, one list per open block, and an owned reference is named by its operand. A value made by a node is owned by
its block. ``retain`` and ``release`` in the IR (`tscript.passes.count_references`) add and end references. An exit
moves the values that it passes on out of the scopes it leaves, and releases the rest. Parameters are borrowed.

Shared steps are in modules of their own: references (`references`), values passed to exits and loops (`passing`), calls
that may fail (`failing`), `phis`, `safepoints`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tscript.abi.layout import CONTEXT
from tscript.abi.leaves import is_tensor, leaves
from tscript.abi.symbols import type_symbol
from tscript.backend.llvm.machine import FAST
from tscript.backend.llvm.text import Text
from tscript.backend.nodes.cost import Costs
from tscript.backend.nodes.literals import constant_operands
from tscript.backend.nodes.state import Join, LoopState, ModuleState, Operands, Region, Segments, Slots
from tscript.definitions.opdef import OpDef
from tscript.diagnostics import InternalError, Span
from tscript.ir.graph import Const, Fused, Graph, Label, Node, Op, Value
from tscript.ir.liveness import Crossing
from tscript.late import dataclass
from tscript.types import (
    Type,
    is_counted,
)

NodeEmitter = Callable[["FunctionEmitter", Any], None]
"""Writes one node; there is one per class of node."""

OpEmitter = Callable[["FunctionEmitter", Op], None]
"""Writes one operator."""

InPlaceEmitter = Callable[["FunctionEmitter", Op], bool]
"""Emits one operator inline; returns False if it cannot."""


@dataclass(frozen=True, slots=True)
class Emitters:
    """The emitters of nodes.

    Attributes:
        nodes: By class of node.
        operators: By class of the operator's implementation.
        structural: By operator, for those without code of their own; those that are missing run dynamically.
        in_place: By operator, for those of the native library that may be emitted inline.
    """

    nodes: Mapping[type[Node], NodeEmitter]
    operators: Mapping[type, OpEmitter]
    structural: Mapping[OpDef, OpEmitter]
    in_place: Mapping[OpDef, InPlaceEmitter]


class FunctionEmitter:
    """The state of one function under construction.

    Attributes:
        module: What the functions of the module share.
        graph: The graph.
        text: Its LLVM body.
        env: Operands of the values emitted so far.
        scopes: Owned references, one list per open block.
        slots: Those of the `Try`s whose bodies are open.
        yields: Where ``yield`` goes, innermost last.
        loops: Open loops, innermost last.
        regions: The regions that errors leave: the function, and the enclosing bodies of `Try`s, innermost last.
        emitters: What writes each node.
        objects, tensors: Operands that are references, by how they are counted.
        cold: How many branches are open that are hardly ever taken.
        crossing: The values that are alive at loops, once they are asked for.
        budget: The stack slot that counts down to the next safepoint, once there is one.
        depth: Levels of call depth left at the entry, in functions that may call themselves.
        thread: State of the thread, in observed variants.
        epilogues: The groups that kernels may run, by their calls, once they are asked for.
        records: The groups that are not met yet, whose kernels have been: their names and records
            (`tscript.backend.nodes.epilogues`).
        segments: What `tscript.backend.nodes.observe` knows of runs of operators, there too.
    """

    __slots__ = (
        "budget",
        "cold",
        "costs",
        "crossing",
        "depth",
        "emitters",
        "env",
        "epilogues",
        "graph",
        "loops",
        "module",
        "objects",
        "records",
        "regions",
        "scopes",
        "segments",
        "slots",
        "tensors",
        "text",
        "thread",
        "yields",
    )

    def __init__(self, module: ModuleState, graph: Graph, emitters: Emitters) -> None:
        self.module = module
        self.emitters = emitters
        self.depth: str | None = None
        self.objects: set[str] = set()
        self.tensors: set[str] = set()
        self.graph = graph
        self.text = Text(module.declarations, fast=FAST if graph.fastmath else "")
        self.env: dict[Value, Operands] = {}
        self.scopes: list[list[str]] = [[]]
        self.yields: list[Join] = []
        self.loops: dict[Label, LoopState] = {}
        self.costs = Costs(module.safepoints, module.budget)
        self.thread: str | None = None
        self.segments: Segments | None = None
        self.epilogues: Mapping[Node, Fused] | None = None
        self.records: dict[Fused, tuple[str, str]] = {}
        self.regions: list[Region] = [Region()]
        self.slots: dict[Label, Slots] = {}
        self.budget: str | None = None
        self.cold = 0
        self.crossing: Crossing | None = None

    def operands(self, value: Value) -> Operands:
        """The operands of `value`, one per leaf; those of a constant are literals."""
        found = self.env.get(value)
        if found is None:
            node = value.node
            if not isinstance(node, Const):
                raise InternalError(f"value {value!r} is used before it is defined", value.span)
            found = self.env[value] = self.constant(node.value, node.outputs[0].type, node.span)
        return found

    def operand(self, value: Value) -> str:
        """The only operand of `value`."""
        (found,) = self.operands(value)
        return found

    def constant(self, value: object, type: Type, span: Span) -> Operands:
        """The operands of a constant."""
        return constant_operands(self.module, self.text, value, type, span)

    def declare_type(self, type: Type) -> str:
        """The symbol, with its sign, of the `TypeInfo` of a type."""
        return self.text.declare_global(type_symbol(type))

    def note(self, operand: str, leaf: Type) -> None:
        """Record how references of `operand` are counted.

        One operand can be a tensor where a condition says so and an object of any type elsewhere; functions of objects
        take both.
        """
        if not is_tensor(leaf):
            self.objects.add(operand)
            self.tensors.discard(operand)
        elif operand not in self.objects:
            self.tensors.add(operand)

    def own(self, operands: Sequence[str], types: Sequence[Type]) -> None:
        """The current scope owns those of `operands` that are references."""
        for operand, leaf in zip(operands, types, strict=True):
            if is_counted(leaf):
                self.note(operand, leaf)
                self.scopes[-1].append(operand)

    def define(self, value: Value, operands: Sequence[str]) -> None:
        """`value`, made by a node, is `operands`; its references belong to the current scope."""
        self.env[value] = tuple(operands)
        if is_counted(value.type):
            self.own(operands, leaves(value.type))

    def context_field(self, name: str) -> str:
        """Address of a field of the context."""
        offset = CONTEXT.offsets[name]
        return self.text.let(f"getelementptr i8, ptr %ctx, i64 {offset}", name) if offset else "%ctx"
