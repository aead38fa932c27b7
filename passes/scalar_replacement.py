"""Scalar replacement of instances: those that nothing else can reach have their fields in registers, and are not made.

Before::

    %p: Point = object.make(%type)
    %0: None = set_field.object(%p, %x, %zero)
    %q: Point = for L0 %i: int in range(%zero, %n, %one) (%a: Point = %p) {
      %1: float = get_field.object(%a, %x)
      %2: float = add.float(%1, %dt)
      %b: Point = object.make(%type)
      %3: None = set_field.object(%b, %x, %2)
      continue L0 (%b)
    }
    %r: float = get_field.object(%q, %x)

After::

    %q: float = for L0 %i: int in range(%zero, %n, %one) (%a: float = %zero) {
      %2: float = add.float(%a, %dt)
      continue L0 (%2)
    }

`tscript.passes.escaping` finds the instances. Each field that is read becomes a value: where the instance was the
result of a branch or was carried by a loop, its fields are; a field that is set in a branch becomes a result of the
``if``, one that is set in a loop is carried by the loop. An instance in a field of another one is next, once that has
been replaced. If a field may not be set where it is read, the instance stays: reading it raises.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import ClassVar, final

from tscript.ir.cloning import clone_graph
from tscript.ir.graph import (
    Block,
    Break,
    Const,
    Continue,
    For,
    Graph,
    If,
    Label,
    Loop,
    Node,
    Op,
    Program,
    Value,
    Yield,
    walk,
)
from tscript.ir.rewrite import replace_inputs
from tscript.late import dataclass
from tscript.operators.python.classes import GET_FIELD, OBJECT_NEW, SET_FIELD
from tscript.passes.base import Pass, PassContext
from tscript.passes.dead_code import DeadCode
from tscript.passes.escaping import Web, webs
from tscript.types import BOOL, FLOAT, INT, ClassType, Type

MAX_ROUNDS = 6
"""The maximum depth of instances in fields of others that are replaced."""

MAX_FIELDS = 32
"""Instances of which more fields are read stay in memory."""

Variable = tuple[Value, str]
"""A field of an instance that the graph makes."""

Known = dict[Variable, Value | None]
"""The value of each field at one point; None where it may not be set."""


@dataclass(frozen=True, slots=True)
class ScalarReplacement(Pass):
    """Keeps the fields of local instances in registers."""

    name: ClassVar[str] = "scalar_replacement"

    def run_graph(self, graph: Graph, program: Program, context: PassContext) -> bool:
        """Instances, then those in their fields."""
        changed = False
        for _ in range(MAX_ROUNDS):
            found = [w for w in webs(graph) if len(w.fields) <= MAX_FIELDS]
            if not found or not _replace(graph, found):
                break
            changed = True
            DeadCode().run_graph(graph, program, context)  # an instance may be in a field that nobody reads
        return changed


def _replace(graph: Graph, found: Sequence[Web]) -> bool:
    """Replace webs, without those that turn out to be read before they are set; whether any is left."""
    left = list(found)
    while left:
        mapping: dict[Value, Value] = {}
        copy = clone_graph(graph, mapping=mapping)
        try:
            _Replacing(left, mapping).block(copy.body, {})
        except _UnsetError as error:
            left = [w for w in left if all(mapping[v] is not error.value for v in w.values)]
            continue
        graph.body = copy.body
        return True
    return False


class _UnsetError(Exception):
    """A field is read that may not be set.

    Attributes:
        value: A value of its web.
    """

    def __init__(self, value: Value) -> None:
        super().__init__()
        self.value = value


_ZERO: Mapping[Type, object] = {INT: 0, FLOAT: 0.0, BOOL: False}
"""What fields of a new instance are."""


@final
class _Replacing:
    """The transformation of a graph, one walk in the order of the text.

    Args:
        found: The webs, of another graph.
        copies: The values of the graph that correspond to those.
    """

    def __init__(self, found: Iterable[Web], copies: Mapping[Value, Value]) -> None:
        self._fields: dict[Value, tuple[str, ...]] = {}
        for web in found:
            for value in web.values:
                self._fields[copies[value]] = tuple(web.fields)
        self._parts: dict[Value, list[Value]] = {}
        self._mapping: dict[Value, Value] = {}
        self._carried: dict[Label, tuple[Variable, ...]] = {}

    def _of(self, value: Value, known: Known) -> list[Value]:
        """What stands for an instance."""
        parts = self._parts.get(value)
        if parts is not None:
            return parts
        found: list[Value] = []
        for name in self._fields[value]:
            part = known[value, name]
            if part is None:
                raise _UnsetError(value)
            found.append(part)
        return found

    def _expanded(self, values: Iterable[Value], known: Known) -> list[Value]:
        return [p for v in values for p in (self._of(v, known) if v in self._fields else (v,))]

    def _targets(self, values: Sequence[Value], make: Callable[[Type, str], Value]) -> list[Value]:
        """Parameters or outputs, with those of fields in place of those of instances."""
        out: list[Value] = []
        for value in values:
            names = self._fields.get(value)
            if names is None:
                out.append(value)
                continue
            parts = [make(_type(value, name), f"{value.name}_{name}" if value.name else name) for name in names]
            self._parts[value] = parts
            out += parts
        return out

    def block(self, block: Block, known: Known) -> None:
        """Replace the nodes of a block; `known` is brought up to date."""
        nodes: list[Node] = []
        for node in block.nodes:
            replace_inputs(node, self._mapping)
            if isinstance(node, Op) and self._op(node, known, nodes):
                continue
            match node:
                case If():
                    self._if(node, known)
                case Loop() | For():
                    self._loop(node, known)
                case Yield():
                    node.inputs = self._expanded(node.inputs, known)
                case Break() | Continue():
                    more = [known[v] for v in self._carried[node.label]]
                    node.inputs = [*self._expanded(node.inputs, known), *[v for v in more if v is not None]]
                case _:
                    for inner in node.blocks:
                        self.block(inner, dict(known))
            nodes.append(node)
        block.nodes = nodes

    def _op(self, node: Op, known: Known, nodes: list[Node]) -> bool:
        """An operator on an instance."""
        if node.op is OBJECT_NEW:
            made = node.output
            if made not in self._fields:
                return False
            for name in self._fields[made]:
                known[made, name] = self._start(made, name, nodes, node)
            return True
        if node.op is not GET_FIELD and node.op is not SET_FIELD:
            return False
        owner, field = node.inputs[0], str(node.inputs[1].constant)
        names = self._fields.get(owner)
        if names is None:
            return False
        if node.op is SET_FIELD:
            if field in names:
                known[owner, field] = node.inputs[2]
            return True
        parts = self._parts.get(owner)
        found = known[owner, field] if parts is None else parts[names.index(field)]
        if found is None:
            raise _UnsetError(owner)
        self._mapping[node.output] = found
        return True

    def _start(self, made: Value, name: str, nodes: list[Node], node: Op) -> Value | None:
        type, owner = _type(made, name), made.type
        assert isinstance(owner, ClassType)
        if name in owner.info.late or type not in _ZERO:
            return None
        zero = Const(_ZERO[type], type, node.span)
        nodes.append(zero)
        return zero.output

    def _if(self, node: If, known: Known) -> None:
        ways: list[tuple[Yield, Known]] = []
        for inner in node.blocks:
            own = dict(known)
            self.block(inner, own)
            end = inner.nodes[-1]
            if isinstance(end, Yield):
                ways.append((end, own))
        node.outputs = self._targets(node.outputs, lambda type, name: Value(type, name, node))
        for variable, before in known.items():
            values = [own[variable] for _, own in ways]
            if all(v is before for v in values):
                continue
            if None in values:
                known[variable] = None
                continue
            for (end, _), found in zip(ways, values, strict=True):
                assert found is not None
                end.inputs.append(found)
            known[variable] = node.add_output(_type(*variable), variable[1])

    def _loop(self, node: Loop | For, known: Known) -> None:
        body = node.body
        written = {
            (n.inputs[0], str(n.inputs[1].constant)) for n in walk(body) if isinstance(n, Op) and n.op is SET_FIELD
        }
        carried = tuple(v for v, value in known.items() if v in written and value is not None)
        unset = [v for v in known if v in written and v not in carried]
        first = 3 if isinstance(node, For) else 0
        inits = [known[v] for v in carried]
        node.inputs = [
            *node.inputs[:first],
            *self._expanded(node.inputs[first:], known),
            *[v for v in inits if v is not None],
        ]
        own = dict(known)
        params = self._targets(body.params, Value)
        for variable in carried:
            param = Value(_type(*variable), variable[1])
            params.append(param)
            own[variable] = param
        body.params = params
        node.outputs = self._targets(node.outputs, lambda type, name: Value(type, name, node))
        for variable in carried:
            known[variable] = node.add_output(_type(*variable), variable[1])
        for variable in unset:
            known[variable] = own[variable] = None
        self._carried[node.label] = carried
        self.block(body, own)


def _type(owner: Value, name: str) -> Type:
    """The type of a field."""
    assert isinstance(owner.type, ClassType)
    return owner.type.info.fields[name]


__all__ = ["ScalarReplacement"]
