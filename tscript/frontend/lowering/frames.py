"""The surroundings of the statement that is being lowered: the results of the function, loops, `try` bodies,
``finally`` bodies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from tscript.diagnostics import Span
from tscript.frontend.lowering.scopes import NOTHING, Bound, Facts, Place, Scope
from tscript.ir.graph import Block, Break, Label, Value, Yield
from tscript.late import dataclass, field
from tscript.types import Type


@dataclass(slots=True)
class ReturnState:
    """The result of a function.

    Attributes:
        type: Declared, or of the first return; None while unknown.
        declared: The annotation's place, None when inferred.
        first: The first return's place.
        widened: The common type of the returns, when one needs a wider type than those before it.
        open: A declared type that leaves something to what is returned.
    """

    type: Type | None
    declared: Span | None
    first: Span | None = None
    widened: Type | None = None
    open: Type | None = None


@dataclass(slots=True)
class LoopFrame:
    """One loop around the current statement.

    Attributes:
        label: Of the IR loop that ``continue`` names.
        carried: Names whose values go from iteration to iteration, with their types and first assignments.
        exits: Collects the ``break``s. Where several loops implement one loop of the source, those of the outermost.
        own: The exits of this loop itself.
        once: Whether it runs once, so that ``continue`` leaves it.
        facts: What is known of attributes when it begins.
    """

    label: Label
    carried: Mapping[str, Bound]
    exits: LoopExits
    own: LoopExits
    once: bool = False
    facts: Facts = NOTHING


RETURNED = "return "
"""The hidden name of a return value while ``finally`` bodies run."""


@dataclass(slots=True)
class TryFrame:
    """A `Try` whose body is being lowered.

    Attributes:
        exits: Those of the `Try`.
        slots: Number and type of each name's slot.
        changed: Names that get a value of another type in the body.
        forgotten: Names of attributes that the body may change, the empty one for all.
    """

    exits: LoopExits
    slots: dict[str, tuple[int, Type]]
    changed: dict[str, Bound] = field(default_factory=dict)
    forgotten: set[str] = field(default_factory=set)


@dataclass(slots=True)
class FinalFrame:
    """A body with a ``finally`` that is being lowered.

    Attributes:
        depth: Number of loops around it.
        ways: The first target of each ``return``, ``break`` and ``continue`` in it.
    """

    depth: int
    ways: dict[str, LoopExits]


@dataclass(slots=True)
class Lowered:
    """The result of a branch: its block, its scope (None if control leaves it), its value."""

    block: Block
    scope: Scope | None
    value: Value | None = field(default=None)


class Point(Protocol):
    """The current point of lowering: the block that receives nodes, and the bindings of names."""

    block: Block
    scope: Scope


class LoopExits:
    """The exits of one loop, or of a `Try`: each ``break`` (``yield``) with its scope and its block.

    Args:
        label: Of the loop.
        where: Its name in messages.
        in_loop: Whether a name is missing on some paths because a loop may not have run.

    Attributes:
        widened: Names that need wider types from the beginning, found while the body was lowered.
        forgotten: Attributes of which less is known from the beginning, because the body changes them.
    """

    __slots__ = ("forgotten", "found", "in_loop", "label", "reported", "where", "widened")

    def __init__(self, label: Label, where: str = "a loop", in_loop: bool = True) -> None:
        self.label = label
        self.where = where
        self.in_loop = in_loop
        self.found: list[tuple[Break | Yield, Scope, Block]] = []
        self.widened: dict[str, Type] = {}
        self.forgotten: set[Place] = set()
        self.reported: set[str] = set()

    @property
    def is_again(self) -> bool:
        """Whether an assumption of the beginning was wrong, so that the loop has to be lowered again."""
        return bool(self.widened or self.forgotten)

    def leave(self, at: Point, span: Span) -> None:
        """End the current block with a break."""
        node = Break(self.label, (), span)
        at.block.nodes.append(node)
        self.found.append((node, at.scope, at.block))


MAX_WIDENINGS = 8
"""The maximum number of times that a loop is lowered until the types of its names are stable."""
