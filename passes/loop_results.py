"""What a loop makes of a carried value, if the iterations may run in any groups: sums, products, the least and the
greatest, conjunctions … (*folds*).

A carried value is a fold if each iteration combines it with something, by operators of one kind, and nothing else looks
at it. It may be combined in branches and in loops inside, too::

    for L0 %i: int in range(...) (%s: float = %zero) {
      %t: float = if %c { %u: float = add.float(%s, %x) yield %u } else { yield %s }
      continue L0 (%t)
    }

Then groups of iterations may each begin with what changes nothing (0 for a sum), and their results are combined in
order. A value that no iteration reads is one, too: the result is that of the last one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import final

from tscript.ir.graph import Break, Const, Continue, For, If, Label, Loop, Node, Op, Value, Yield, walk
from tscript.ir.rewrite import uses
from tscript.late import dataclass
from tscript.operators.python.elements import BOOL_OF
from tscript.types import BOOL, FLOAT, INT, ScalarType

_FAMILIES = {
    **dict.fromkeys(("add.int", "add.float", "add", "sub.int", "sub.float", "sub"), "add"),
    **dict.fromkeys(("mul.int", "mul.float", "mul"), "mul"),
    **dict.fromkeys(("max.int", "max.float", "maximum"), "max"),
    **dict.fromkeys(("min.int", "min.float", "minimum"), "min"),
    **dict.fromkeys(("bitwise_and.int", "bitwise_and.bool", "bitwise_and"), "and"),
    **dict.fromkeys(("bitwise_or.int", "bitwise_or.bool", "bitwise_or"), "or"),
    **dict.fromkeys(("bitwise_xor.int", "bitwise_xor.bool", "bitwise_xor"), "xor"),
}
"""The kind of fold of an operator."""

_COMPARISONS = frozenset({f"{c}{t}" for c in ("lt", "le", "gt", "ge") for t in (".int", ".float", "")})

STARTS_ANEW = ("add", "mul", "xor")
"""Folds whose groups begin with what changes nothing; those of others begin with what the loop begins with."""


@dataclass(frozen=True, slots=True)
class Fold:
    """How the results of groups of iterations are combined.

    Attributes:
        kind: ``add``, ``mul``, ``min``, ``max``, ``and``, ``or``, ``xor``; ``last``; ``best``: the one that
            compares so.
        node: An operator that combines; None for ``last``. For ``best`` an `If`, or ``where``.
        leader: For ``best``: the position of the carried value that is compared.
        position: For ``best``: which operand of the comparison the carried value is.
        takes: For ``best``: whether the other value is taken if the comparison holds.
    """

    kind: str
    node: Node | None = None
    leader: int = -1
    position: int = 0
    takes: bool = True

    @property
    def starts_anew(self) -> bool:
        """Whether groups begin with what changes nothing."""
        return self.kind in STARTS_ANEW


def is_number(value: Value) -> bool:
    """Whether a value is a number, or a bool."""
    return value.type in (INT, FLOAT, BOOL) or isinstance(value.type, ScalarType)


@final
class Folds:
    """The folds of a loop.

    Args:
        loop: The loop.
    """

    def __init__(self, loop: For) -> None:
        self._loop = loop
        self._params = loop.body.params[1:]
        self._uses = uses(loop.body)
        self._loops: dict[Label, Loop | For] = {n.label: n for n in walk(loop.body) if isinstance(n, Loop | For)}
        self._parents = {end: n for n in walk(loop.body) for b in n.blocks for end in b.nodes[-1:]}

    def found(self) -> list[Fold | None]:
        """By carried value; None: it is none."""
        folds = [self._fold(k, {}) if is_number(p) else None for k, p in enumerate(self._params)]
        leaders = {f.node: f for f in folds if f is not None and f.kind == "best" and f.node is not None}
        for k, fold in enumerate(folds):
            if fold is None and is_number(self._params[k]):
                folds[k] = self._fold(k, leaders)
        return folds

    def _ends(self) -> Sequence[Continue]:
        own = (n for n in walk(self._loop.body) if isinstance(n, Continue) and n.label is self._loop.label)
        return list(own)

    def _fold(self, k: int, leaders: Mapping[Node, Fold]) -> Fold | None:
        """The fold of one value.

        Args:
            leaders: Folds for the best, by choice: a value may be kept together with one of them.
        """
        param = self._params[k]
        if param not in self._uses:
            return Fold("last")
        search = _Search(self._loop, k, self._uses, self._loops, self._parents, leaders)
        return search.fold() if search.run(self._ends()) else None


@final
class _Search:
    """Follows a carried value through one iteration."""

    def __init__(
        self,
        loop: For,
        k: int,
        uses: dict[Value, list[tuple[Node, int]]],
        loops: dict[Label, Loop | For],
        parents: dict[Node, Node],
        leaders: Mapping[Node, Fold],
    ) -> None:
        self._loop = loop
        self._k = k
        self._uses = uses
        self._loops = loops
        self._parents = parents
        self._known: set[Value] = set()
        self._combined: list[tuple[str, Node]] = []
        self._leaders = leaders
        self._chosen: set[Value] = set()
        self._selected: set[Value] = set()
        """Results of ``where``, which are chosen if a comparison of the value says so."""
        self._best: tuple[int, int, bool] = (k, 0, True)
        """Leader, position and `takes` of a fold for the best."""

    def fold(self) -> Fold | None:
        """The fold, after `run`."""
        kinds = {kind for kind, _ in self._combined}
        if len(kinds) != 1:
            return None
        kind, node = self._combined[0]
        if kind != "best":
            return Fold(kind, node)
        return Fold(kind, node, *self._best) if len(self._combined) == 1 else None

    def run(self, ends: Sequence[Continue]) -> bool:
        """Whether nothing but operators of one kind uses the value."""
        pending = [self._loop.body.params[1 + self._k]]
        while pending:
            value = pending.pop()
            if value in self._known:
                continue
            self._known.add(value)
            for node, position in self._uses.get(value, ()):
                found = self._use(value, node, position)
                if found is None:
                    return False
                pending += found
        if not self._selected <= self._chosen or not all(end.inputs[self._k] in self._known for end in ends):
            return False
        return all(map(self._is_complete, self._known))

    def _use(self, value: Value, node: Node, position: int) -> Sequence[Value] | None:
        """What holds the value behind one of its uses; None if it is another use."""
        match node:
            case Op():
                return self._op(value, node, position)
            case Yield():
                return self._yield(node, position)
            case If():
                return self._conjunction(value, node) if value.type == BOOL else None
            case For() if position >= 3:
                return [node.body.params[position - 2], node.outputs[position - 3]]
            case Loop():
                return [node.body.params[position]]
            case Break():
                return [self._loops[node.label].outputs[position]] if node.label in self._loops else None
            case Continue():
                if node.label is self._loop.label:
                    return [] if position == self._k else None
                inner = self._loops[node.label]
                return [inner.body.params[position + isinstance(inner, For)]]
        return None

    def _yield(self, node: Yield, position: int) -> Sequence[Value] | None:
        parent = self._parents[node]
        if not isinstance(parent, If):
            return None
        output, leader = parent.outputs[position], self._leaders.get(parent)
        if leader is not None and (parent.orelse if leader.takes else parent.then).terminator is node:
            self._combined.append(("best", parent))
            self._best = (leader.leader, leader.position, leader.takes)
            self._chosen.add(output)
        return [output]

    def _op(self, value: Value, node: Op, position: int) -> Sequence[Value] | None:
        name = node.op.name
        if name in _COMPARISONS:
            return self._comparison(value, node)
        if name == "where" and position:
            self._selected.add(node.output)
            return []
        if node.op is BOOL_OF:
            found = [self._conjunction(value, n) for n, _ in self._uses.get(node.output, ())]
            return None if None in found else [v for values in found if values for v in values]
        kind = _FAMILIES.get(name)
        numbers = node.inputs[:2]
        if kind is None or position > 1 or (name.startswith("sub") and position != 0):
            return None
        if len(node.inputs) > 2 and any(v.constant != 1 for v in node.inputs[2:]):
            return None  # the factor of ``add``
        if numbers[0] is numbers[1] or node.output.type != value.type or not is_number(node.output):
            return None
        self._combined.append((kind, node))
        return node.outputs

    def _comparison(self, value: Value, node: Op) -> Sequence[Value] | None:
        """``if x > best: best = x``, and what becomes of it: ``where``."""
        users = [n for n, _ in self._uses.get(node.output, ())]
        if len(users) == 1 and isinstance(cast := users[0], Op) and cast.op is BOOL_OF:
            users = [n for n, _ in self._uses.get(cast.output, ())]
        if len(users) != 1:
            return None
        (choice,) = users
        other = node.inputs[1] if node.inputs[0] is value else node.inputs[0]
        position = node.inputs.index(value)
        if isinstance(choice, Op) and choice.op.name == "where":
            taken = [tuple(choice.inputs[1:])]
        elif isinstance(choice, If) and all(isinstance(b.terminator, Yield) for b in choice.blocks):
            taken = list(zip(*(b.terminator.inputs for b in choice.blocks), strict=True))
        else:
            return None
        for output, pair in zip(choice.outputs, taken, strict=True):
            if pair in ((other, value), (value, other)) and other is not value:
                self._combined.append(("best", choice))
                self._chosen.add(output)
                self._best = (self._k, position, pair[0] is other)
                return [output]
        return None

    def _conjunction(self, value: Value, node: Node) -> Sequence[Value] | None:
        """``ok = ok and x``, and with ``or``."""
        if not isinstance(node, If) or len(node.outputs) != 1 or node.output.type != value.type:
            return None
        if not all(isinstance(b.terminator, Yield) for b in node.blocks):
            return None
        for inner in (n for b in node.blocks for n in b.nodes[:-1]):
            if not isinstance(inner, Op | Const) or (
                isinstance(inner, Op) and (inner.op.effects.world or inner.op.effects.writes)
            ):
                return None
        then, orelse = (b.terminator.inputs[0] for b in node.blocks)
        if orelse is value or orelse.constant is False:
            self._combined.append(("and", node))
        elif then is value or then.constant is True:
            self._combined.append(("or", node))
        else:
            return None
        self._chosen.add(node.output)
        return [node.output]

    def _is_complete(self, value: Value) -> bool:
        """Whether all that may flow into a value where control meets holds the carried value."""
        known, node = self._known, value.node
        if node is None:
            owner = next((n for n in self._loops.values() if value in n.body.params), None)
            if owner is None:
                return True
            at = owner.body.params.index(value)
            first = 1 if isinstance(owner, For) else 0
            again = [n for n in walk(owner.body) if isinstance(n, Continue) and n.label is owner.label]
            inits = owner.inputs[3:] if isinstance(owner, For) else owner.inputs
            return inits[at - first] in known and all(end.inputs[at - first] in known for end in again)
        if value in self._chosen:
            return True
        at = node.outputs.index(value)
        if isinstance(node, If):
            return all(b.terminator.inputs[at] in known for b in node.blocks if isinstance(b.terminator, Yield))
        if isinstance(node, Loop | For):
            leaving = [n for n in walk(node.body) if isinstance(n, Break) and n.label is node.label]
            return all(end.inputs[at] in known for end in leaving)
        return True


__all__ = ["Fold", "Folds", "is_number"]
