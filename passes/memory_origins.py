"""Where the memory of a loop's values is: in arrays and objects from before the loop, in which part of them, or new.

`Origins` gives a set for each value: an array from before the loop, and the part of it that the iteration alone has
(`Part`); something from before the loop that nobody can name, such as an element of a list. What an iteration makes
itself has none.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import final

from tscript.definitions.opdef import MAY_BE_SELF, SAME_DTYPE_IS_SELF
from tscript.dialect.machine import TUPLE_GET, TUPLE_MAKE
from tscript.ir.analysis import defined_values
from tscript.ir.graph import (
    Block,
    Break,
    Call,
    Closure,
    Const,
    Continue,
    For,
    Fork,
    If,
    Invoke,
    Label,
    Loop,
    Op,
    SetSlot,
    Try,
    Value,
    Yield,
)
from tscript.late import dataclass
from tscript.passes.affine import Affine, affine
from tscript.passes.aliases import holds_objects, holds_tensor, may_be_self
from tscript.passes.flattened import Flattened, Stretch
from tscript.passes.random_streams import path_of
from tscript.types import GENERATOR, NONE, DictType, ListType, OptionalType, SetType, TensorType

MAKERS = frozenset({"list.make", "dict.make", "set.make", "object.make", "new.exception", "box"})
"""Operators that make objects, and change nothing else."""

_NEW = frozenset(
    {
        *("slice", "copy", "add", "mul", "to_list", "to_dict", "to_set", "sorted", "argsort", "take", "keys", "values"),
        *("items", "split", "rsplit", "splitlines", "union", "intersection", "difference", "symmetric_difference"),
        *("bitwise_or", "bitwise_and", "bitwise_xor", "sub", "fromkeys", "list_size"),
    }
)
"""Names of operators whose results are new lists, dicts and sets."""


@dataclass(frozen=True, slots=True)
class Part:
    """What one iteration has of an array or list: some of the positions along a dimension.

    Attributes:
        array: The array or list; a value from before the loop.
        dim: The dimension.
        place: The first position.
        width: The number of positions.
    """

    array: Value
    dim: int
    place: Affine
    width: int

    def is_apart(self, other: Part) -> bool:
        """Whether no two different iterations have a position in common, one of this and one of the other part."""
        distance = self.place.distance(other.place)
        if self.array is not other.array or self.dim != other.dim or distance is None:
            return False
        # Iterations k apart: [0, width) here, [distance + k * factor, ... + other.width) there.
        factor = abs(self.place.factor)
        reach = (abs(distance) + self.width + other.width) // factor + 1
        return factor > 0 and all(
            distance + k * factor >= self.width or distance + k * factor + other.width <= 0
            for k in range(-min(reach, 64), min(reach, 64) + 1)
            if k
        ) and reach <= 64  # fmt: skip


@dataclass(frozen=True, slots=True)
class Origin:
    """Where memory comes from.

    Attributes:
        root: A value from before the loop; None: nobody can name it.
        part: The part of it that the iteration has; None: any.
    """

    root: Value | None
    part: Part | Stretch | None = None


def are_apart(first: Part | Stretch, second: Part | Stretch) -> bool:
    """Whether no two different iterations have a position in common, one of the first and one of the second part."""
    if isinstance(first, Stretch):
        return first.is_apart(second) if isinstance(second, Stretch) else are_apart(second, first)
    if isinstance(second, Part):
        return first.is_apart(second)
    place, width = first.place, first.width
    if (first.array, first.dim) != (second.array, second.dim) or place.terms or second.offset or place.factor < 1:
        return False
    return second.step == {((), place.factor)} and 0 <= place.constant <= place.factor - width


Found = frozenset[Origin]

NEW: Found = frozenset()
UNKNOWN: Found = frozenset({Origin(None)})


def has_memory(value: Value) -> bool:
    """Whether a value refers to memory that may change."""
    type = value.type
    if type == GENERATOR:
        return True
    return holds_tensor(type) or holds_objects(type) or (isinstance(type, OptionalType) and holds_tensor(type.value))


@final
class Origins:
    """The origins of the values of a loop.

    Args:
        loop: The loop.
    """

    def __init__(self, loop: For) -> None:
        self.loop = loop
        self.counter = loop.body.params[0]
        self.inside = defined_values(loop.body)
        self._flattened = Flattened(loop, self.inside)
        self._found: dict[Value, Found] = {}
        self._dims: dict[Value, tuple[Value, tuple[int | None, ...]]] = {}
        """Views of arrays: which dimension of the array each of theirs is; None: only some positions of it."""
        self._targets: dict[Label, Sequence[tuple[Sequence[Value], Sequence[Value]]]] = {}
        self._changed = True
        while self._changed:
            self._changed = False
            self._block(loop.body, ())

    def of(self, value: Value) -> Found:
        """The origins of a value."""
        if value not in self.inside or isinstance(value.node, Const):
            return frozenset({Origin(value)})
        return self._found.get(value, NEW)

    def affine(self, value: Value) -> Affine | None:
        """An index as a function of the counter, if it is another one in each iteration."""
        found = affine(value, self.counter, self.inside)
        return found if found is not None and found.factor else None

    def place(self, array: Value, dim: int, index: Value) -> Part | Stretch | None:
        """The part of an array from before the loop at an index of the array or of a view of it."""
        whole = self._whole(array)
        if whole is None or (own := whole[1][dim]) is None:
            return None
        found = self.affine(index)
        if found is None:
            return self._flattened.stretch(whole[0], own, index)
        return Part(whole[0], own, found, 1)

    def _whole(self, array: Value) -> tuple[Value, tuple[int | None, ...]] | None:
        """The array from before the loop that a value is a view of, and its dimensions."""
        if array in self.inside and not isinstance(array.node, Const):
            return self._dims.get(array)
        rank = array.type.rank if isinstance(array.type, TensorType) else 1
        return None if rank is None else (array, tuple(range(rank)))

    def _add(self, value: Value, found: Iterable[Origin]) -> None:
        if has_memory(value):
            known = self._found.get(value, NEW)
            joined = known.union(found)
            if joined != known:
                self._found[value] = joined
                self._changed = True

    def _flow(self, sources: Sequence[Value], targets: Sequence[Value]) -> None:
        for source, target in zip(sources, targets, strict=False):
            if has_memory(target):
                self._add(target, self.of(source))

    def _block(self, block: Block, results: Sequence[Value]) -> None:
        for node in block.nodes:
            match node:
                case Op():
                    if has_memory(node.output):
                        self._add(node.output, self._op(node))
                case Call() | Fork() | Closure() | Invoke():
                    taken = (o for v in node.inputs if has_memory(v) for o in self.of(v))
                    for output in node.outputs:
                        self._add(output, (*taken, *UNKNOWN))
                case If():
                    self._block(node.then, node.outputs)
                    self._block(node.orelse, node.outputs)
                case Loop():
                    self._flow(node.inputs, node.body.params)
                    self._targets[node.label] = [(node.outputs, node.body.params)]
                    self._block(node.body, ())
                case For():
                    carried = node.body.params[1:]
                    self._flow(node.inputs[3:], carried)
                    self._flow(carried, node.outputs)
                    self._targets[node.label] = [(node.outputs, carried)]
                    self._block(node.body, ())
                case Try():
                    slots = [node.slots(h) for h in node.handlers]
                    for slot in slots:
                        self._flow(node.inputs, slot)
                    self._targets[node.label] = [((), slot) for slot in slots]
                    for inner in node.blocks:
                        self._block(inner, node.outputs)
                case SetSlot():
                    for _, own in self._targets.get(node.label, ()):
                        self._flow(node.inputs, own[node.index : node.index + 1])
                case Yield():
                    self._flow(node.inputs, results)
                case Break() | Continue():
                    for outputs, params in self._targets.get(node.label, ()):
                        self._flow(node.inputs, outputs if isinstance(node, Break) else params)

    def _op(self, node: Op) -> Iterable[Origin]:
        """The origins of what an operator gives."""
        op, inputs = node.op, node.inputs
        if op.name in MAKERS or path_of(node).startswith("random."):
            return NEW
        if op is TUPLE_MAKE or op is TUPLE_GET:
            found = [o for v in inputs if has_memory(v) for o in self.of(v)]
            return UNKNOWN if op is TUPLE_GET and any(o.part is None for o in found) else found
        if op.effects.view_of is not None:
            return self._view(node, inputs[op.effects.view_of])
        if isinstance(node.output.type, TensorType) and not any(holds_objects(v.type) for v in inputs):
            shared: list[Value] = [inputs[i] for i in op.effects.writes if i < len(inputs)]
            if SAME_DTYPE_IS_SELF in op.tags:
                shared += inputs[:1] if may_be_self(node) else []
            elif MAY_BE_SELF in op.tags:
                shared += [v for v in inputs if has_memory(v)]
            return [o for v in shared for o in self.of(v)]
        if isinstance(node.output.type, ListType | DictType | SetType) and op.name.partition(".")[0] in _NEW:
            return NEW
        return UNKNOWN

    def _view(self, node: Op, base: Value) -> Found:
        found, whole = self.of(base), self._whole(base)
        if whole is None or not whole[1] or any(o.part is not None for o in found):
            return found
        root, dims = whole
        name = node.op.name
        first = node.inputs[1].constant if len(node.inputs) > 1 else None
        dim = first % len(dims) if isinstance(first, int) else -1
        part: Part | Stretch | None = None
        if name in ("T", "t", "mT") and len(dims) == 2:
            self._dims[node.output] = root, dims[::-1]
        elif name == "select.int" and dim >= 0:
            part = self.place(base, dim, node.inputs[2])
            self._dims[node.output] = root, (*dims[:dim], *dims[dim + 1 :])
        elif name == "slice.Tensor" and dim >= 0:
            start, stop, step = node.inputs[2:5]
            if dims[dim] is not None:
                part = self._slice(root, dims[dim] or 0, start, stop)
            is_all = start.constant in (None, 0) and stop.type == NONE and step.constant == 1
            self._dims[node.output] = root, dims if is_all else (*dims[:dim], None, *dims[dim + 1 :])
        return found if part is None else frozenset({Origin(root, part)})

    def _slice(self, base: Value, dim: int, start: Value, stop: Value) -> Part | Stretch | None:
        if NONE in (start.type, stop.type):
            return None
        first, last = self.affine(start), self.affine(stop)
        width = None if first is None or last is None else first.distance(last)
        if first is None or width is None:
            return self._flattened.stretch(base, dim, start, stop)
        return Part(base, dim, first, width) if width > 0 else None


__all__ = ["MAKERS", "NEW", "UNKNOWN", "Origin", "Origins", "Part", "are_apart", "has_memory"]
