"""`OpenContainers`: containers that begin empty. Their element type is inferred from added values, or recorded for the
next lowering of the function."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tscript.definitions.opdef import OperatorTypeError
from tscript.diagnostics import Span
from tscript.dialect.machine import TUPLE_MAKE
from tscript.frontend.lowering.common import filled
from tscript.ir.graph import Const, If, Op, Value, Yield
from tscript.operators.python.container_literals import CONTAINER_LITERALS
from tscript.types import DictType, ListType, OptionalType, SetType, TupleType, Type
from tscript.types.inference import is_open, is_open_within


class OpenContainers:
    """The containers of one function that begin empty."""

    def __init__(self) -> None:
        self._made: list[Value] = []
        self._parameters: list[Value] = []
        self._settled: list[tuple[Value, Type]] = []
        self._heard: dict[Span | str, Type] = {}

    def add(self, value: Value) -> None:
        """A container begins empty."""
        self._made.append(value)

    def add_parameter(self, value: Value) -> None:
        """A call gives an empty container."""
        self._parameters.append(value)

    def settle(self, value: Value, target: Type) -> bool:
        """Give an empty container of unknown element type that of `target`.

        It may be a literal, or derived from literals by operators and branches: a slice, a concatenation, an element of
            a tuple.

        A container of such containers cannot be changed any more: the function is lowered again with the types found.

        Returns:
            Whether the value is of type `target` now.
        """
        inner = target.value if isinstance(target, OptionalType) else target
        changed = self._change(value, inner)
        if changed is None:
            if is_open(value.type) and type(value.type) is type(target) and not is_open(target):
                _hint(value, target, self._heard)
            return False
        self._settled += changed
        return value.type == target

    def _change(self, value: Value, target: Type) -> list[tuple[Value, Type]] | None:
        """The values whose types have changed, with their old types; None if nothing could be done."""
        if is_open_within(value.type) and not is_open_within(target) and type(value.type) is type(target):
            self.expect(value, target)
            return None
        if isinstance(value.type, TupleType) and isinstance(target, TupleType):
            if value.type == target or filled(value.type, target) != target:
                return None
        elif not is_open(value.type) or type(value.type) is not type(target) or is_open(target):
            return None
        if isinstance(target, ListType) and isinstance(value.type, ListType) and target.frozen != value.type.frozen:
            return None
        changed: list[tuple[Value, Type]] = []
        if _settle(value, target, changed, self._parameters):
            return changed
        for item, before in reversed(changed):
            _retype(item, before)
        return None

    def expect(self, value: Value, type: Type) -> None:
        """Record the type of a container whose elements are containers that began empty."""
        if isinstance(value.node, Op) and value.node.op in CONTAINER_LITERALS:
            self._heard[value.span] = type

    def found(self) -> Mapping[Span | str, Type]:
        """Their types, by place or name. A place that makes containers of several types is left out."""
        types: dict[Span, set[Type]] = {}
        for value in self._made:
            if not is_open(value.type) and not is_open_within(value.type):
                types.setdefault(value.span, set()).add(value.type)
        given: dict[Span | str, Type] = {
            value.name: value.type for value in self._parameters if not is_open(value.type)
        }
        return {**{span: next(iter(found)) for span, found in types.items() if len(found) == 1}, **given, **self._heard}

    def snapshot(self) -> Callable[[], None]:
        """Calling the result restores the current state."""
        settled, made, heard = len(self._settled), len(self._made), dict(self._heard)

        def go_back() -> None:
            while len(self._settled) > settled:
                _retype(*self._settled.pop())
            del self._made[made:]
            self._heard = dict(heard)

        return go_back


def _settle(value: Value, target: Type, changed: list[tuple[Value, Type]], parameters: list[Value]) -> bool:
    """Give an open value, and all values it is derived from, another type; False if that is impossible."""
    node, before = value.node, value.type
    if before == target:
        return True
    if isinstance(before, TupleType) and isinstance(target, TupleType):
        if not isinstance(node, Op) or node.op is not TUPLE_MAKE:
            return False
        if not all(_settle(v, t, changed, parameters) for v, t in zip(node.inputs, target.elements, strict=True)):
            return False
        _retype(value, target)
        changed.append((value, before))
        return True
    if not is_open(before) or type(before) is not type(target):
        return False
    match node:
        case Op() if node.op in CONTAINER_LITERALS:
            if not isinstance(node.inputs[0].node, Const):
                return False
        case Op():
            parts = [v for v in node.inputs if is_open(v.type)]
            if not parts or not all(_settle(v, _holding(v.type, target), changed, parameters) for v in parts):
                return False
            try:
                if node.op.type_rule(node.inputs) != target:
                    return False
            except OperatorTypeError:
                return False
        case If():
            place = node.outputs.index(value)
            ends = [b.nodes[-1] for b in (node.then, node.orelse)]
            parts = [end.inputs[place] for end in ends if isinstance(end, Yield)]
            if not parts or not all(_settle(v, target, changed, parameters) for v in parts):
                return False
        case _ if value not in parameters:
            return False
    _retype(value, target)
    changed.append((value, before))
    return True


def _holding(container: Type, target: Type) -> Type:
    """The type of a container of this kind with the element type of `target`."""
    match container, target:
        case ListType(), ListType() | SetType():
            return ListType(target.element, container.frozen)
        case SetType(), ListType() | SetType():
            return SetType(target.element)
    return target


def _retype(value: Value, type: Type) -> None:
    """Give the container of a literal, or a value derived from it, another type."""
    value.type = type
    if isinstance(value.node, Op) and value.node.op in CONTAINER_LITERALS:
        assert isinstance(value.node.inputs[0].node, Const)
        value.node.inputs[0].node.value = type


def _hint(value: Value, target: Type, hints: dict[Span | str, Type]) -> None:
    """Record the type of an empty container that cannot be changed any more, for lowering the function again.

    The types are by the place of a literal, or by a name that a loop or branch carries.
    """
    node = value.node
    if isinstance(node, Op) and node.op in CONTAINER_LITERALS:
        hints[node.span] = target
    elif isinstance(node, Op) and node.op.schema.name in ("getitem", "setdefault"):
        match node.inputs[0].type:
            case ListType(frozen=False):
                _hint(node.inputs[0], ListType(target), hints)
            case DictType(key=key):
                _hint(node.inputs[0], DictType(key, target), hints)
    elif value.name:
        hints[value.name] = target
