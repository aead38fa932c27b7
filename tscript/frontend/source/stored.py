"""Functions without source: those of archives and of frozen modules, whose programs are there.

A function that calls one of them gets its graphs as they are, under names of their own (`adopt`). Its signature is that
of the program.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tscript.definitions.absent import REQUIRED
from tscript.ir.cloning import clone_graph
from tscript.ir.graph import Graph, Param, Program, walk
from tscript.late import dataclass, field
from tscript.types import TENSOR, Type, is_subtype


@dataclass(frozen=True, slots=True, eq=False)
class Stored:
    """What is there of a function instead of its source.

    Attributes:
        params, result: Its signature.
        program: Gives its program, which stays as it is.
        text: Canonical source, for people.
        members: What the frozen module has that it is `forward` of, or the archive whose only function it is, by name.
        versions: The same function for other types of parameters.
    """

    params: tuple[Param, ...]
    result: Type
    program: Callable[[], Program] = field(repr=False)
    text: str = field(repr=False)
    members: Mapping[str, Any] = field(default_factory=dict, repr=False)
    versions: tuple[Stored, ...] = field(default=(), repr=False)

    @property
    def opened(self) -> frozenset[str]:
        """Names of the parameters whose types tell its versions apart."""
        rows = [[(p.name, p.type) for p in each.params] for each in (self, *self.versions)]
        return frozenset(column[0][0] for column in zip(*rows, strict=True) if len({*column}) > 1)

    def version(self, types: Mapping[str, Type | None]) -> Stored:
        """The first of its versions that takes types of parameters; itself if none does.

        Args:
            types: By name; a parameter that is not named is a tensor, or has its default.
        """
        for each in (self, *self.versions):
            if all(_takes(p, types.get(p.name)) for p in each.params if p.name in self.opened):
                return each
        return self


def _takes(param: Param, given: Type | None) -> bool:
    """Whether a parameter takes a type; None is a tensor, or the default."""
    if given is not None:
        return is_subtype(given, param.type)
    return param.default is not REQUIRED or is_subtype(TENSOR, param.type)


def adopt(program: Program, main: str, add: Callable[[str, Callable[[str], Graph]], str]) -> Graph:
    """Copies of the graphs of a program under other names.

    Args:
        program: The program.
        main: The name that the first one gets, if it is free.
        add: Is called with a name for each graph, and with what makes it of the name that it gets; returns that.

    Returns:
        The copy of its entry.
    """
    made: list[Graph] = []
    names: dict[str, str] = {}
    for old, graph in program.graphs.items():

        def make(name: str, graph: Graph = graph) -> Graph:
            made.append(clone_graph(graph, name))
            return made[-1]

        names[old] = add(main if old == program.main else old, make)
    for graph in made:
        for node in walk(graph.body):
            callee = getattr(node, "callee", None)
            if callee is not None:
                setattr(node, "callee", names[callee])  # noqa: B010 - several classes of nodes have one
    return next(graph for graph in made if graph.name == names[program.main])


def written(params: tuple[Param, ...]) -> str:
    """The parameters of a ``def`` line."""
    parts: list[str] = []
    only_by_position = [p for p in params if p.positional_only]
    is_starred = False
    for param in params:
        if param.keyword_only and not is_starred:
            parts.append("*")
            is_starred = True
        is_starred = is_starred or param.variadic
        parts.append(f"*{param.name}" if param.variadic else param.name + ("" if param.default is REQUIRED else "=..."))
        if only_by_position and param is only_by_position[-1]:
            parts.append("/")
    return ", ".join(parts)
