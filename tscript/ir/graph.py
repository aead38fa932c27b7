"""Graphs and programs: functions of the IR. `nodes.py` defines their nodes. Both print as text.

All of the IR is imported from here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

from tscript.diagnostics import UNKNOWN, Span
from tscript.ir.nodes import (
    REQUIRED,
    TENSOR,
    Block,
    Break,
    Call,
    Closure,
    Const,
    Continue,
    Division,
    For,
    Fork,
    Fused,
    Handler,
    If,
    Invoke,
    Label,
    Loop,
    Node,
    Op,
    ParallelCall,
    Param,
    Raise,
    Return,
    SetSlot,
    Terminator,
    Throw,
    Try,
    Unreachable,
    Value,
    Yield,
    walk,
)
from tscript.types import NEVER, Type


@final
class Graph:
    """One function.

    Attributes:
        name: Its symbol in the program, unique there; IR text prints it as ``@name``.
        params: The parameters, in the order of `body.params`.
        result: Type of the returned value.
        body: The entry block, whose parameters are the arguments.
        span: The definition.
        fastmath: Whether its arithmetic of floats may be reordered and contracted.
    """

    __slots__ = ("body", "fastmath", "name", "params", "result", "span")

    def __init__(
        self,
        name: str,
        params: Sequence[Param] = (),
        result: Type = NEVER,
        span: Span = UNKNOWN,
        fastmath: bool = False,
    ) -> None:
        self.name = name
        self.fastmath = fastmath
        self.params: tuple[Param, ...] = tuple(params)
        self.result = result
        self.span = span
        self.body = Block([Value(p.type, p.name) for p in self.params])

    def __str__(self) -> str:
        from tscript.ir.printer import print_graph

        return print_graph(self)

    __repr__ = __str__


@final
class Program:
    """Graphs that call each other by name. `main` is the entry."""

    __slots__ = ("graphs", "main")

    def __init__(self, main: str, graphs: Sequence[Graph] = ()) -> None:
        self.main = main
        self.graphs: dict[str, Graph] = {g.name: g for g in graphs}

    @property
    def entry(self) -> Graph:
        """The graph named `main`."""
        return self.graphs[self.main]

    def __str__(self) -> str:
        from tscript.ir.printer import print_program

        return print_program(self)

    __repr__ = __str__


__all__ = [
    "REQUIRED",
    "TENSOR",
    "Block",
    "Break",
    "Call",
    "Closure",
    "Const",
    "Continue",
    "Division",
    "For",
    "Fork",
    "Fused",
    "Graph",
    "Handler",
    "If",
    "Invoke",
    "Label",
    "Loop",
    "Node",
    "Op",
    "ParallelCall",
    "Param",
    "Program",
    "Raise",
    "Return",
    "SetSlot",
    "Terminator",
    "Throw",
    "Try",
    "Unreachable",
    "Value",
    "Yield",
    "walk",
]
