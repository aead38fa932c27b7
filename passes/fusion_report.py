"""What fusion did and why it did no more: data that ``tscript ir --explain-fusion`` shows."""

from __future__ import annotations

from enum import Enum
from typing import final

from tscript.diagnostics import Span
from tscript.ir.graph import Node, Op
from tscript.late import dataclass, field


class Reason(Enum):
    """Why a group ends, or an operator is in none."""

    CONTROL = "the block ends, or control flow begins"
    USED = "its result is used by what cannot be in a group"
    ORDER = "effects and errors keep their order"
    WRITES = "an in-place operator ends its group"
    READS = "what is written in place was read in another shape or by a reduction"
    SHAPES = "its result has another shape than the group"
    OTHER_USES = "it would have to be computed in a larger shape, and has other uses"
    COSTLY = "it would be computed again for each element of a larger shape"
    RANKS = "shapes of these ranks are not those of rows of one loop, or ranks are not known"
    BROADCAST = "a result without the reduced dimension is broadcast"
    OF_ROWS = "a result of rows is reduced again"
    KINDS = "one reduction takes rows, another everything"
    MEMBERS = "the group has as many operators as it may"
    INPUTS = "the group reads as many tensors as it may"
    DTYPES = "dtypes are not known when it is compiled"
    DIMENSIONS = "it reduces neither the first dimensions, the last one nor all, or which ones is not known"
    ALONE = "a reduction with nothing to compute for each element gains nothing"
    VIEW = "it is a view, which copies nothing"
    OPERATOR = "it is neither an elementwise operator nor a reduction that can be fused"


class Form(Enum):
    """How a group runs."""

    ELEMENTS = "one loop over elements"
    ALIKE = "one loop over elements, if its results have one shape"
    ROWS = "one loop over rows"
    WHOLE = "one loop over everything, as one row"
    COLUMNS = "one loop over columns"


Place = tuple[str, Span]
"""The name of an operator, and where it stands."""


@dataclass(frozen=True, slots=True)
class Joined:
    """A group.

    Attributes:
        members: Its operators.
        form: How it runs.
        reason: Why it ends.
        ended_by: The operator that does not join it; None if it is no operator.
    """

    members: tuple[Place, ...]
    form: Form
    reason: Reason
    ended_by: Place | None


@dataclass(frozen=True, slots=True)
class Alone:
    """An operator with a tensor as its result that is in no group."""

    operator: Place
    reason: Reason


@final
@dataclass(slots=True)
class FusionReport:
    """What the pass did.

    Attributes:
        notes: By the name of the graph, in order.
    """

    notes: dict[str, list[Joined | Alone]] = field(default_factory=dict)

    def text(self) -> str:
        """For people."""
        lines: list[str] = []
        for name, notes in self.notes.items():
            lines.append(f"{name}:")
            number = 0
            for note in notes:
                if isinstance(note, Alone):
                    lines.append(f"  alone: {_shown(note.operator)}: {note.reason.value}")
                    continue
                number += 1
                lines.append(f"  group {number}: {note.form.value}")
                lines += [f"    {_shown(member)}" for member in note.members]
                by = f" ({_shown(note.ended_by)})" if note.ended_by is not None else ""
                lines.append(f"    ends: {note.reason.value}{by}")
            if not notes:
                lines.append("  nothing to fuse")
        return "\n".join(lines)


def place_of(node: Node) -> Place | None:
    """The place of an operator; None for other nodes."""
    return (node.op.name, node.span) if isinstance(node, Op) else None


def _shown(place: Place) -> str:
    name, span = place
    frames = span.frames()
    inside = f" of {frames[0].function}" if len(frames) > 1 and frames[0].function else ""
    return f"{name}{inside}  {frames[-1]!r}"
