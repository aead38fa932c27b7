"""Whether the iterations of a loop are independent: none writes what another one reads or writes.

`independence` looks at every node of the loop, which it has to know or refuses. Writes to arrays have to be to a part
of their own (`tscript.passes.memory_origins`). That different arrays have no memory in common, that no two elements of
one lie at one address, and that indices do not count from both ends cannot be known before: `Verdict` has these
questions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

from tscript.definitions.opdef import DRAWS, NativeCall, PythonCall, Wait
from tscript.diagnostics import Diagnostic, Span
from tscript.ir.analysis import walk_blocks
from tscript.ir.graph import (
    Break,
    Call,
    Continue,
    For,
    Fork,
    Graph,
    Invoke,
    Label,
    Loop,
    Node,
    Op,
    Program,
    Return,
    SetSlot,
    Try,
    Value,
    walk,
)
from tscript.ir.rewrite import uses
from tscript.late import dataclass, field
from tscript.operators.python.classes import GET_FIELD
from tscript.passes.affine import Affine
from tscript.passes.aliases import METADATA, Aliases, holds_tensor, is_opaque
from tscript.passes.errors import CarriedByIterations, ChangesShared, WritesOverlap
from tscript.passes.flattened import Stretch
from tscript.passes.inline import needed_graphs
from tscript.passes.loop_results import Fold, Folds
from tscript.passes.memory_origins import MAKERS, Origin, Origins, Part, are_apart, has_memory
from tscript.passes.random_streams import GLOBAL_DRAWS, OWN_DRAWS, STREAMS, is_global, is_method, path_of
from tscript.passes.shared_updates import Uses, is_integer, shared_kind
from tscript.types import GENERATOR, ListType, TensorType, is_counted

_HASHES = frozenset({"hash.str", "hash.bytes"})
"""They keep the hash in the string: each thread the same."""

_ELEMENTS = {"element": 1, "element_in": 1, "set_element": 2, "set_element_in": 2}
"""Where the indices of operators of elements begin."""

_ITEMS = frozenset({"getitem.list", "item_in.list", "setitem.list", "set_item_in.list"})


@dataclass(slots=True)
class Verdict:
    """What is known of a loop.

    Attributes:
        problems: Why its iterations are not independent, or not known to be.
        folds: By carried value.
        apart: Pairs of arrays, or lists, that may not have memory in common.
        distinct: Arrays of which no two elements may lie at one address.
        places: Indices that have to be of one sign.
        shared: Arrays that all iterations update, and how; each thread may have a copy.
        least: What values from before the loop have to be, at least.
        generators: What random numbers are drawn from.
        draws_global: Whether some are drawn from the global generator.
    """

    problems: list[Diagnostic] = field(default_factory=list)
    folds: list[Fold] = field(default_factory=list)
    apart: dict[tuple[Value, Value], None] = field(default_factory=dict)
    distinct: dict[Value, None] = field(default_factory=dict)
    places: dict[Affine, None] = field(default_factory=dict)
    shared: dict[Value, str] = field(default_factory=dict)
    least: dict[Value, int] = field(default_factory=dict)
    generators: dict[Value, None] = field(default_factory=dict)
    draws_global: bool = False


@dataclass(frozen=True, slots=True)
class _Access:
    """A node reads or writes memory from before the loop."""

    node: Node
    value: Value
    origin: Origin
    writes: bool
    name: str


def independence(loop: For, graph: Graph, program: Program) -> Verdict:
    """What is known of a loop of a graph."""
    search = _Search(loop, graph, program)
    search.run()
    return search.verdict


@final
class _Search:
    """One walk over a loop."""

    def __init__(self, loop: For, graph: Graph, program: Program) -> None:
        self.verdict = Verdict()
        self._loop = loop
        self._program = program
        self._origins = Origins(loop)
        self._aliases = Aliases(graph)
        self._accesses: list[_Access] = []
        self._uses: Uses | None = None

    def run(self) -> None:
        """Look at everything."""
        self._control()
        for node in walk(self._loop.body):
            match node:
                case Op():
                    self._op(node)
                case Call():
                    self._call(node)
                case Fork() | Invoke():
                    what = "a task is started" if isinstance(node, Fork) else "a function is called that is not known"
                    self._refuse(node, what)
        self._conflicts()
        self._carried()

    def _refuse(self, node: Node, found: str) -> None:
        self.verdict.problems.append(ChangesShared(node.span, found, self._loop.span))

    # Control and carried values

    def _control(self) -> None:
        inside: set[Label] = set()
        for block in walk_blocks(self._loop.body):
            inside.update(n.label for n in block.nodes if isinstance(n, Loop | For | Try))
        for node in walk(self._loop.body):
            match node:
                case Return():
                    self._refuse(node, "the function is left")
                case Break() | Continue() if node.label not in inside:
                    if isinstance(node, Break) or node.label is not self._loop.label:
                        self._refuse(node, "the loop is left")
                case SetSlot() if node.label not in inside:
                    name = node.inputs[0].name or "a name"
                    self.verdict.problems.append(CarriedByIterations(node.span, name))

    def _carried(self) -> None:
        params = self._loop.body.params[1:]
        for param, fold in zip(params, Folds(self._loop).found(), strict=True):
            if fold is None:
                self.verdict.problems.append(CarriedByIterations(self._reading(param), param.name or "a value"))
            else:
                self.verdict.folds.append(fold)

    def _reading(self, param: Value) -> Span:
        """Where a carried value is read first."""
        users = (n for n in walk(self._loop.body) if param in n.inputs and not n.is_terminator)
        return next((n.span for n in users), self._loop.span)

    # Memory

    def _op(self, node: Op) -> None:
        op = node.op
        if op in OWN_DRAWS:
            self._draw(node, node.inputs[0])
            return
        if op in GLOBAL_DRAWS:
            self.verdict.draws_global = True
            return
        if path_of(node).startswith("random."):
            self._numpy(node)
            return
        if op.effects.world:
            self._world(node)
            return
        if is_opaque(op):
            self._refuse(node, f"'{op.schema.name}' may do anything")
            return
        if op.name in METADATA or op.effects.view_of is not None or op.name in MAKERS:
            return
        if op.name in _ITEMS:
            self._item(node, False)
            return
        first = _ELEMENTS.get(op.name)
        for i, value in enumerate(node.inputs):
            if has_memory(value) and (holds_tensor(value.type) or isinstance(value.type, ListType)):
                indices = node.inputs[first:] if first is not None and i == 0 else ()
                self._access(node, value, i in op.effects.writes, indices)

    def _draw(self, node: Node, rng: Value) -> None:
        """Numbers are drawn from a generator."""
        for origin in self._origins.of(rng):
            if origin.root is None or origin.root.type != GENERATOR:
                self._refuse(node, "numbers are drawn from a generator that other iterations may draw from, too,")
                return
            self.verdict.generators[origin.root] = None

    def _numpy(self, node: Op) -> None:
        """NumPy draws random numbers, or makes a generator."""
        path = path_of(node)
        if path == "random.seed":
            self._refuse(node, "'np.random.seed' is called")
        elif is_method(path):
            self._draw(node, node.inputs[2])
        elif is_global(path):
            self.verdict.draws_global = True
        for value in node.inputs[2:]:
            if value.type == GENERATOR:
                if path == "random.default_rng":
                    self._draw(node, value)
            elif has_memory(value):
                self._access(node, value, path.endswith(".shuffle"))

    def _access(self, node: Node, value: Value, writes: bool, indices: Sequence[Value] = ()) -> None:
        for origin in self._origins.of(value):
            found = origin
            if origin.part is None and origin.root is not None and indices:
                parts = (self._origins.place(value, dim, index) for dim, index in enumerate(indices))
                found = Origin(origin.root, next((p for p in parts if p is not None), None))
            name = (origin.root or value).name or value.name or _field(value) or "an array"
            self._accesses.append(_Access(node, value, found, writes, name))

    def _item(self, node: Op, writes: bool) -> None:
        self._access(node, node.inputs[0], writes, node.inputs[1:2])

    def _world(self, node: Op) -> None:
        """An operator that changes more than tensors."""
        op = node.op
        if op.name in MAKERS or op.name in _HASHES:
            return
        if isinstance(op.implementation, PythonCall | NativeCall | Wait) or not node.inputs:
            self._refuse(node, f"'{op.schema.name}' is called")
            return
        if DRAWS in op.tags:
            self._refuse(node, "a random tensor is drawn from a generator that other iterations draw from, too,")
            return
        changed = node.inputs[0]
        if not self._origins.of(changed):
            return
        if op.name in ("setitem.list", "set_item_in.list") and not is_counted(node.inputs[2].type):
            self._item(node, True)
            return
        name = changed.name or f"a {changed.type}"
        self._refuse(node, f"'{op.schema.name}' changes '{name}', which all iterations have,")

    def _call(self, node: Call) -> None:
        """A call that was not inlined."""
        pending, seen = [node.callee], {node.callee}
        while pending:
            graph = self._program.graphs[pending.pop()]
            for inner in walk(graph.body):
                if isinstance(inner, Invoke | Fork) or (isinstance(inner, Op) and not _is_quiet(inner, graph)):
                    name = graph.span.function or graph.name
                    found = (
                        "draws from the global generator"
                        if _draws_global(inner)
                        else "changes more than its own values"
                    )
                    self._refuse(node, f"a call of '{name}', which {found},")
                    return
            new = set(needed_graphs(graph)) - seen
            seen |= new
            pending += new
        for value in node.inputs:
            if value.type == GENERATOR:
                self._draw(node, value)
            elif has_memory(value):
                self._access(node, value, False)

    def _conflicts(self) -> None:
        refused: set[Value | None] = set()
        for access in self._accesses:
            if access.writes and access.origin.root not in refused and not self._write(access):
                refused.add(access.origin.root)

    def _write(self, write: _Access) -> bool:
        """Whether what is written is known to be of one iteration."""
        origin, verdict = write.origin, self.verdict
        if origin.root is not None and not self._is_divided(origin.root) and self._is_shared(origin.root):
            return True
        if origin.root is None or origin.part is None:
            found = "may write the same elements of"
            if origin.root is not None and self._update_of(origin.root):
                found = "add floats, which are rounded in another way in another order, to the same elements of"
            self._overlap(write, found)
            return False
        if isinstance(origin.root.type, TensorType):
            verdict.distinct[origin.root] = None
        self._asked(origin.part)
        for other in self._accesses:
            if other.origin.root is origin.root:
                part = other.origin.part
                if part is None or not are_apart(origin.part, part):
                    found = "may write the same elements of" if other.writes else "read what others write of"
                    self._overlap(other, found)
                    return False
                self._asked(part)
            elif not self._are_apart(origin.root, other.origin.root, other.value):
                self._overlap(write, f"may write elements of '{other.name}' that they also have as")
                return False
        return True

    def _is_divided(self, root: Value) -> bool:
        """Whether each iteration has a part of an array."""
        parts = [a.origin.part for a in self._accesses if a.origin.root is root]
        known = [p for p in parts if p is not None]
        return len(known) == len(parts) and all(are_apart(p, q) for p in known for q in known)

    def _is_shared(self, root: Value) -> bool:
        """Whether iterations only update an array, in any order, and each thread may have a copy of it."""
        if root in self.verdict.shared:
            return True
        kind = self._update_of(root) if is_integer(root) else ""
        others = [a for a in self._accesses if a.origin.root is not root]
        if not kind or not all(self._are_apart(root, a.origin.root, a.value) for a in others):
            return False
        self.verdict.distinct[root] = None
        self.verdict.shared[root] = kind
        return True

    def _update_of(self, root: Value) -> str:
        """How iterations update an array, if they do nothing else with it; else empty."""
        own = [a for a in self._accesses if a.origin.root is root]
        if any(len(self._origins.of(a.value)) != 1 for a in own):
            return ""
        if self._uses is None:
            self._uses = uses(self._loop.body)
        return shared_kind((a.node for a in own), self._uses)

    def _asked(self, part: Part | Stretch) -> None:
        """What has to be asked before the loop, so that a part is what it is taken for."""
        if isinstance(part, Part):
            self.verdict.places[part.place] = None
            return
        self.verdict.places[Affine(1, 0)] = None
        for value in part.positive:
            self.verdict.least[value] = 1
        for value in part.natural:
            self.verdict.least.setdefault(value, 0)

    def _overlap(self, access: _Access, found: str) -> None:
        self.verdict.problems.append(WritesOverlap(access.node.span, access.name, found, self._loop.span))

    def _are_apart(self, written: Value, other: Value | None, value: Value) -> bool:
        """Whether two arrays or lists have no memory in common, or that can be asked before the loop.

        Args:
            written: One from before the loop.
            other: The other one; None: nobody can name it.
            value: What it is in the loop.
        """
        if isinstance(written.type, ListType):
            if other is None:
                return False
            if isinstance(other.type, ListType) and other.type == written.type:
                self.verdict.apart[written, other] = None
            return not isinstance(other.type, ListType) or other.type == written.type
        if other is not None and isinstance(other.type, ListType):
            return True
        if other is None:
            return holds_tensor(value.type) and self._aliases.root(written) is not self._aliases.root(value)
        if self._aliases.root(written) is not self._aliases.root(other):
            return True
        if not isinstance(other.type, TensorType):
            return False
        self.verdict.apart[written, other] = None
        return True


def _field(value: Value) -> str:
    """The name of the field that a value was read from; empty if it was not."""
    node = value.node
    return str(node.inputs[1].constant) if isinstance(node, Op) and node.op is GET_FIELD else ""


def _is_quiet(node: Op, graph: Graph) -> bool:
    """Whether an operator of a graph changes nothing that its callers could see, but for generators that they gave."""
    effects = node.op.effects
    if node.op in OWN_DRAWS or is_method(path_of(node)):
        rng = node.inputs[0 if node.op in OWN_DRAWS else 2]
        return not path_of(node).endswith(".shuffle") and (rng in graph.body.params or _is_new(rng))
    if path_of(node) == "random.default_rng" or node.op in STREAMS:
        return True
    return not effects.writes and (not effects.world or node.op.name in MAKERS or node.op.name in _HASHES)


def _is_new(rng: Value) -> bool:
    """Whether a generator is made where it is used."""
    return isinstance(rng.node, Op) and (rng.node.op in STREAMS or path_of(rng.node) == "random.default_rng")


def _draws_global(node: Node) -> bool:
    return isinstance(node, Op) and (node.op in GLOBAL_DRAWS or is_global(path_of(node)))


__all__ = ["Verdict", "independence"]
