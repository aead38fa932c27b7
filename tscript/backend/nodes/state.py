"""The state of a module, and of the open joins, loops, slots and regions of a function."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from tscript.backend.llvm.constants import Constants
from tscript.backend.llvm.target import Target
from tscript.backend.nodes.bodies import BodyLibrary
from tscript.backend.nodes.cost import BUDGET
from tscript.definitions.shared import Shared
from tscript.ir.graph import Node
from tscript.late import dataclass, field
from tscript.types import Type

Operands = tuple[str, ...]

Typed = tuple[str, str]
"""An LLVM type and an operand."""

SLOT = "slot:"
"""The prefix of addresses of `Try` slots among owned references."""


@dataclass(slots=True)
class ModuleState:
    """What the functions of one module share.

    Attributes:
        target: What the module is compiled for.
        bodies: Bodies of pointwise operators.
        symbols: Native symbol of each graph of the program.
        result_types: Result type of each graph of the program.
        parameter_types: Parameter types of each graph of the program.
        recursive: Names of the graphs that may call themselves.
        tensor_symbol: Names the symbol behind which a constant tensor lies; None where there are none.
        shared_symbol: The same for a shared container of a type.
        safepoints: Whether loops look at signals.
        budget: Cost of what runs between two safepoints.
        observed: Whether functions are observed variants (`tscript.backend.nodes.observe`).
        resumable: Whether better code may take over at the safepoints of loops (`tscript.backend.nodes.resuming`).
        marks: How many such places there are.
        small: Whether all frames together are less than what is left of every stack.
        names_memory: Whether loads and stores say which memory they touch (`containers.METADATA`).
        cold_loops: The number of loops that LLVM is to leave as they are (`counted.COLD`).
        memories: The number of the alias metadata of each kind of cells (`cells.Memory`).
        defined: Symbols of the functions that the module defines.
        declarations: See `Text.declarations`.
        constants: Texts and sites.
        raises: How many places raise exceptions with arguments.
        functions: Finished functions.
        signatures: The parameters of the finished functions, as LLVM text, by graph.
    """

    target: Target
    bodies: BodyLibrary
    symbols: Mapping[str, str]
    parameter_types: Mapping[str, tuple[Type, ...]]
    result_types: Mapping[str, Type]
    recursive: frozenset[str]
    tensor_symbol: Callable[[np.ndarray[Any, Any]], str] | None = None
    shared_symbol: Callable[[Shared, Type], str] | None = None
    safepoints: bool = True
    budget: int = BUDGET
    observed: bool = False
    resumable: bool = False
    marks: int = 0
    small: bool = False
    names_memory: bool = False
    cold_loops: int = 0
    memories: dict[tuple[str, str, int], int] = field(default_factory=dict)
    defined: set[str] = field(default_factory=set)
    declarations: dict[str, str] = field(default_factory=dict)
    constants: Constants = field(default_factory=Constants)
    raises: int = 0
    functions: list[str] = field(default_factory=list)
    signatures: dict[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class Join:
    """Where the edges of an exit meet: operands and predecessor of each edge."""

    label: str
    types: tuple[Type, ...]
    edges: list[tuple[Operands, str]] = field(default_factory=list)


@dataclass(slots=True)
class LoopState:
    """An open loop.

    Attributes:
        depth: Index in `scopes` of the body's scope.
        latch: Where ``continue`` goes.
        exit: Where ``break`` goes.
        count: Writes the number of iterations begun in this chunk before the current one, for chunked loops.
        kept: What the loop itself needs in each iteration, beside the values of the IR.
    """

    depth: int
    latch: Join
    exit: Join
    count: Callable[[], str] | None = None
    kept: tuple[Typed, ...] = ()


@dataclass(frozen=True, slots=True)
class Slots:
    """The slots of a `Try`: the stack slots of their leaves, and their types."""

    places: list[str]
    types: tuple[Type, ...]


MAX_EDGES = 16
"""After so many edges to a block of errors in a program, further places of the same kind get a copy of it."""


@dataclass(slots=True)
class Cleanup:
    """A cleanup, which releases references, and the edges to it.

    There are at most `MAX_EDGES`: LLVM's passes take quadratic time in the edges of one block.
    """

    label: str
    edges: list[tuple[str, str, str]] = field(default_factory=list)  # status, site, predecessor


@dataclass(slots=True)
class Region:
    """The references that an error inside has to release, and its target: the exit of the function, or the handlers of
    a `Try`.

    Attributes:
        depth: Index in `FunctionEmitter.scopes` of its outermost scope.
        kept: References of that scope that outlive the region: they stand first there.
        landing: Where the handlers begin, and the edges to it; None: errors leave the function.
        cleanups: By number of references, and by references: the last of each list takes further edges.
        raises: By owned references, where errors without arguments are raised: places that own the same share one.
    """

    depth: int = 0
    kept: int = 0
    landing: Join | None = None
    cleanups: list[dict[Operands, list[Cleanup]]] = field(default_factory=list)
    raises: dict[Operands, list[Cleanup]] = field(default_factory=dict)


@dataclass(slots=True)
class Segments:
    """Runs of operators without control flow in between (`tscript.backend.nodes.observe`).

    Attributes:
        lengths: Of each run, by its first operator.
        members: First operator of the run that each operator belongs to.
        answers: The result of the test at the beginning of a run, by its first operator.
    """

    lengths: dict[Node, int] = field(default_factory=dict)
    members: dict[Node, Node] = field(default_factory=dict)
    answers: dict[Node, str] = field(default_factory=dict)
