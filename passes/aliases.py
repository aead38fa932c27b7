"""Alias analysis: which tensors may share storage, and what a node reads and writes.

`Aliases` sorts the tensor values of a graph into classes; values of different classes never share storage. One class
holds everything the outside can reach: parameters, constants, arguments and results of calls. The classes do not depend
on the order of execution, so they hold at every point of the graph.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import final

from tscript.definitions.absent import MISSING
from tscript.definitions.opdef import MAY_BE_SELF, SAME_DTYPE_IS_SELF, Composite, OpDef, Pointwise
from tscript.definitions.promotion import PointwiseRule
from tscript.dialect.machine import TUPLE_GET, TUPLE_MAKE
from tscript.ir.graph import (
    Block,
    Break,
    Call,
    Closure,
    Const,
    Continue,
    For,
    Fork,
    Fused,
    Graph,
    If,
    Invoke,
    Label,
    Loop,
    Node,
    Op,
    Raise,
    Return,
    SetSlot,
    Throw,
    Try,
    Value,
    Yield,
    walk,
)
from tscript.late import dataclass
from tscript.operators.python.classes import IS_SAME
from tscript.types import (
    ANY,
    TENSOR,
    ArrayType,
    CallableType,
    ClassType,
    DictType,
    FutureType,
    ListType,
    OptionalType,
    SetType,
    TensorType,
    TupleType,
    Type,
    UnionType,
)


def holds_tensor(type: Type) -> bool:
    """Whether values of `type` are tensors or contain some. A future counts: its task holds its arguments."""
    kind = type.__class__
    if kind is TensorType or kind is ArrayType or kind is FutureType:
        return True
    return isinstance(type, TupleType) and any(map(holds_tensor, type.elements))


def holds_objects(type: Type) -> bool:
    """Whether values of `type` are, or contain, mutable objects that others may reach: lists, dicts, instances …"""
    if type.__class__ in _OBJECTS:
        return True
    if isinstance(type, TupleType):
        return any(map(holds_objects, type.elements))
    return holds_objects(type.value) if isinstance(type, OptionalType) else type == ANY


_OBJECTS = frozenset((ListType, DictType, SetType, ClassType, UnionType, CallableType))


def has_tensors(graph: Graph) -> bool:
    """Whether any value of `graph` holds a tensor."""
    if any(holds_tensor(v.type) for v in graph.body.params):
        return True
    return any(holds_tensor(v.type) for node in walk(graph.body) for v in node.outputs)


def is_opaque(op: OpDef) -> bool:
    """Whether `op` may do anything with the storage of its arguments."""
    return op.effects.world or isinstance(op.implementation, Composite)


def may_be_self(cast: Op) -> bool:
    """Whether a cast with `SAME_DTYPE_IS_SELF` may give back its operand: unless both dtypes are known and differ."""
    a, b = cast.inputs[0].type, cast.outputs[0].type
    if not (isinstance(a, TensorType) and isinstance(b, TensorType)) or a.dtype is None or b.dtype is None:
        return True
    return a.dtype is b.dtype


def may_give_back(node: Op) -> bool:
    """Whether `node`, which takes a tensor, may give back the very same one."""
    if SAME_DTYPE_IS_SELF in node.op.tags:
        return may_be_self(node)
    return bool(node.op.effects.writes) or MAY_BE_SELF in node.op.tags


def observed(block: Block) -> set[Value]:
    """The tensors whose identity may be observed: those with other uses than operators that make new tensors. Any use
    of an optional counts."""
    found: set[Value] = set()
    for node in walk(block):
        if isinstance(node, Op) and node.op is not IS_SAME and node.op is not TUPLE_MAKE and not is_opaque(node.op):
            seen = any(holds_objects(v.type) or isinstance(v.type, OptionalType) for v in (*node.inputs, *node.outputs))
            if not seen and not may_give_back(node):
                continue
        found.update(v for v in node.inputs if holds_tensor(v.type))
    return found


CHECKED_BY_TYPE = frozenset(
    ("transpose", "t", "T", "mT", "permute", "unsqueeze", "squeeze", "squeeze.dims", "contiguous", "detach", "alias")
) | frozenset(("flatten", "ravel", "size.int", "stride.int"))
"""Operators that cannot raise once rank and dimensions are known, because their type rule has checked them."""


METADATA = frozenset(
    ("dim", "size", "size.int", "stride", "stride.int", "numel", "dtype", "element_size", "len.Tensor")
) | frozenset(("element_index", "select_index", "check_writable", "tensor.stride", "tensor.writable"))
"""Operators that read properties of a tensor but not its elements; no write changes their result."""


def can_raise(node: Op) -> bool:
    """Whether `node` can raise.

    A pointwise operator raises if operands do not broadcast, or if it refuses dtypes that are not known yet.
    """
    effects = node.op.effects
    if node.op.name == "slice.Tensor":
        return not _is_plain_slice(node)
    if effects.raises and node.op.name in CHECKED_BY_TYPE:
        source, *rest = node.inputs
        known = isinstance(source.type, TensorType) and source.type.rank is not None
        return not (known and all(v.constant is not MISSING for v in rest))
    if isinstance(node.op.implementation, Pointwise) and not effects.writes:
        rule = node.op.implementation.rule
        tensors = [v.type for v in node.inputs if isinstance(v.type, TensorType)]
        decided = isinstance(rule, PointwiseRule) and rule.is_decided(node.inputs)
        return (effects.raises and len(tensors) > 1) or not decided
    return effects.raises


def _is_plain_slice(node: Op) -> bool:
    """Whether a slice has a dimension that is there and a positive step: bounds are clamped."""
    source, dim, _, _, step = node.inputs
    rank = source.type.rank if isinstance(source.type, TensorType) else None
    if rank is None or not isinstance(dim.constant, int) or not isinstance(step.constant, int):
        return False
    return -rank <= dim.constant < rank and step.constant > 0


@final
class Aliases:
    """The storage classes of a graph's tensors.

    Attributes:
        external: The class that the outside can reach; its own representative, whatever joins it.
        written: Classes that some node of the graph writes to.
        escaping: Classes whose tensors leave the graph or stay visible outside it.
    """

    __slots__ = ("_parents", "escaping", "external", "written")

    def __init__(self, graph: Graph) -> None:
        self.external = Value(TENSOR, "external")
        self._parents: dict[Value, Value] = {}
        written: list[Value] = []
        escaping: list[Value] = [self.external]
        for value in graph.body.params:
            if holds_tensor(value.type):
                self._union(value, self.external)
        targets: dict[Label, tuple[list[Value], list[Value]]] = {}
        self._block(graph.body, targets, written, escaping, [])
        self.written = {self.root(v) for v in written}
        self.escaping = {self.root(v) for v in escaping}

    def root(self, value: Value) -> Value:
        """The representative of the class of `value`, a tensor or a tuple with tensors."""
        parents = self._parents
        root = value
        while (up := parents.get(root)) is not None:
            root = up
        while value is not root:
            parents[value], value = root, parents[value]
        return root

    def roots(self, values: Iterable[Value]) -> set[Value]:
        """The classes of those of `values` that hold tensors."""
        return {self.root(v) for v in values if holds_tensor(v.type)}

    def merge(self, a: Value, b: Value) -> None:
        """Merge the classes of `a` and `b`, because a value of one may be a value of the other."""
        a, b = self.root(a), self.root(b)
        self._union(a, b)
        for classes in (self.written, self.escaping):
            if a in classes or b in classes:
                classes.add(self.root(a))

    def _union(self, a: Value, b: Value) -> None:
        a, b = self.root(a), self.root(b)
        if a is self.external:
            a, b = b, a
        if a is not b:
            self._parents[a] = b

    def _flow(self, sources: Iterable[Value], targets: Iterable[Value]) -> None:
        for source, target in zip(sources, targets, strict=False):
            if holds_tensor(target.type) or holds_tensor(source.type):
                self._union(source, target)

    def _block(
        self,
        block: Block,
        targets: dict[Label, tuple[list[Value], list[Value]]],
        written: list[Value],
        escaping: list[Value],
        results: list[Value],
    ) -> None:
        for node in block.nodes:
            match node:
                case Op():
                    self._op(node, written)
                case Const():
                    if isinstance(node.outputs[0].type, TensorType):
                        self._union(node.outputs[0], self.external)
                case Call() | Fork() | Closure() | Invoke():
                    for value in (*node.inputs, *node.outputs):
                        if holds_tensor(value.type):
                            self._union(value, self.external)
                            written.append(self.external)
                case If():
                    self._block(node.then, targets, written, escaping, node.outputs)
                    self._block(node.orelse, targets, written, escaping, node.outputs)
                case Loop():
                    self._flow(node.inputs, node.body.params)
                    targets[node.label] = (node.outputs, node.body.params)
                    self._block(node.body, targets, written, escaping, [])
                case For():
                    carried = node.body.params[1:]
                    self._flow(node.inputs[3:], carried)
                    self._flow(carried, node.outputs)
                    targets[node.label] = (node.outputs, carried)
                    self._block(node.body, targets, written, escaping, [])
                case Try():
                    for handler in node.handlers:
                        self._flow(node.inputs, handler.block.params)
                    targets[node.label] = ([], node.slots(node.handlers[0]))
                    for inner in node.blocks:
                        self._block(inner, targets, written, escaping, node.outputs)
                case SetSlot():
                    self._flow(node.inputs, [targets[node.label][1][node.index]])
                case Fused():
                    self._flow(node.inputs, node.body.params)
                    self._block(node.body, targets, written, escaping, node.outputs)
                case Yield():
                    self._flow(node.inputs, results)
                case Break():
                    self._flow(node.inputs, targets[node.label][0])
                case Continue():
                    self._flow(node.inputs, targets[node.label][1])
                case Return():
                    escaping.extend(v for v in node.inputs if holds_tensor(v.type))

    def _op(self, node: Op, written: list[Value]) -> None:
        op, output = node.op, node.outputs[0]
        effects = op.effects
        through_objects = any(holds_objects(v.type) for v in (*node.inputs, output))
        if is_opaque(op) or through_objects or op is IS_SAME:
            for value in (*node.inputs, output):
                if holds_tensor(value.type):
                    self._union(value, self.external)
                    if is_opaque(op):
                        written.append(self.external)
            return
        for i in effects.writes:
            if i < len(node.inputs):
                written.append(node.inputs[i])
        if not holds_tensor(output.type):
            return
        if op is TUPLE_MAKE or op is TUPLE_GET:
            shared: Iterable[Value] = node.inputs
        elif SAME_DTYPE_IS_SELF in op.tags:
            shared = node.inputs[:1] if may_be_self(node) else ()
        else:
            positions = effects.writes if effects.view_of is None else (*effects.writes, effects.view_of)
            shared = [node.inputs[i] for i in positions if i < len(node.inputs)]
        for value in shared:
            if holds_tensor(value.type):
                self._union(value, output)


@dataclass(slots=True)
class Summary:
    """The effects of a node, or of all nodes in a block.

    Attributes:
        reads: Classes whose elements it may read.
        writes: Classes whose elements it may write.
        raises: Whether it may raise, leave the block around it, or not terminate.
        world: Whether it has effects outside of tensors.
    """

    reads: set[Value]
    writes: set[Value]
    raises: bool = False
    world: bool = False

    @property
    def is_visible(self) -> bool:
        """Whether its order among other visible nodes matters."""
        return self.raises or self.world or bool(self.writes)


def summarise(node: Node, aliases: Aliases) -> Summary:
    """The effects of `node` with all its blocks."""
    found = Summary(set(), set())
    _summarise(node, aliases, found)
    return found


def own_writes(node: Node, aliases: Aliases) -> set[Value]:
    """The classes whose elements `node` without its blocks may write."""
    found: set[Value] = set()
    if isinstance(node, Op):
        if is_opaque(node.op):
            found.add(aliases.external)
        writes = node.op.effects.writes
        if writes:
            found |= aliases.roots(node.inputs[i] for i in writes)
    elif isinstance(node, Call | Fork | Closure | Invoke):
        found.add(aliases.external)
    return found


def _summarise(node: Node, aliases: Aliases, into: Summary) -> None:
    match node:
        case Op():
            effects = node.op.effects
            if is_opaque(node.op):
                into.world = into.raises = True
                into.reads.add(aliases.external)
                into.writes.add(aliases.external)
            into.raises |= can_raise(node)
            if node.op.name not in METADATA:
                into.reads |= aliases.roots(node.inputs)
            into.writes |= aliases.roots(node.inputs[i] for i in effects.writes)
        case Call() | Fork() | Closure() | Invoke():
            into.raises = into.world = True
            into.reads.add(aliases.external)
            into.writes.add(aliases.external)
        case Raise() | Throw() | Return() | Break() | Continue() | Loop() | SetSlot():
            into.raises = True
    for block in node.blocks:
        for inner in block.nodes:
            _summarise(inner, aliases, into)
