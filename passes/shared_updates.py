"""Elements that all iterations of a loop update: ``hist[k[i]] += 1``.

Sums of integers, unions of their bits, and the greatest and least of them do not depend on their order. If a loop does
nothing else with an array, each thread may update a copy of its own, which begins with what changes nothing; the copies
are joined at the end::

    %0: numpy.int64 = element_in(%hist, %k)
    %1: numpy.int64 = add(%0, %x, %one)
    %2: None = set_element_in(%hist, %1, %k)
"""

from __future__ import annotations

from collections.abc import Iterable

from tscript.ir.graph import Node, Op, Value
from tscript.operators.python.elements import CONVERT
from tscript.types import ArrayType, ScalarType

_OPERATORS = {
    "add": "add",
    "sub": "add",
    "bitwise_or": "or",
    "bitwise_xor": "xor",
    "bitwise_and": "and",
}
_GREATER = {"gt": True, "ge": True, "lt": False, "le": False}
_READS = {"element": 1, "element_in": 1}
_WRITES = {"set_element": 2, "set_element_in": 2}

Uses = dict[Value, list[tuple[Node, int]]]


def is_integer(array: Value) -> bool:
    """Whether the elements of an array are integers."""
    type = array.type
    return isinstance(type, ArrayType) and type.dtype is not None and type.dtype.is_integer


def shared_kind(nodes: Iterable[Node], uses: Uses) -> str:
    """How the nodes that read or write an array update it; empty if some do otherwise.

    Args:
        nodes: All that read or write it.
        uses: Of all values of the loop.
    """
    everything = list(nodes)
    kinds: set[str] = set()
    read: set[Node] = set()
    for node in everything:
        if isinstance(node, Op) and node.op.name in _WRITES:
            found = _update(node, uses)
            if found is None:
                return ""
            kinds.add(found[0])
            read.add(found[1])
    others = {n for n in everything if not (isinstance(n, Op) and n.op.name in _WRITES)}
    return kinds.pop() if len(kinds) == 1 and others == read else ""


def _update(write: Op, uses: Uses) -> tuple[str, Node] | None:
    """The kind of an update, and what reads the element; None if it is none."""
    array, value = write.inputs[:2]
    place = write.inputs[_WRITES[write.op.name] :]
    node, is_cast = value.node, False
    if isinstance(node, Op) and node.op is CONVERT and _is_only(value, uses, 1) and _is_whole(node.inputs[0]):
        value, is_cast = node.inputs[0], True
        node = value.node
    if not isinstance(node, Op) or not _is_only(value, uses, 1):
        return None
    kind, operands = _combination(node)
    for old in operands:
        reading = old.node
        if is_cast and isinstance(reading, Op) and reading.op is CONVERT and _is_only(old, uses, 1):
            if kind in ("max", "min") or not _is_whole(old):
                continue
            old = reading.inputs[0]
            reading = old.node
        if not isinstance(reading, Op) or reading.op.name not in _READS or reading.inputs[0] is not array:
            continue
        times = 2 if kind in ("max", "min") else 1
        if reading.inputs[_READS[reading.op.name] :] == place and _is_only(old, uses, times):
            return kind, reading
    return None


def _combination(node: Op) -> tuple[str, list[Value]]:
    """The kind of an operator, and the operands that may be what was read from the element."""
    name = node.op.name
    if name in _OPERATORS:
        if any(v.constant != 1 for v in node.inputs[2:]):
            return "", []
        return _OPERATORS[name], node.inputs[:1] if name == "sub" else node.inputs[:2]
    if name == "where":
        condition, first, second = node.inputs
        compared = condition.node
        if isinstance(compared, Op) and compared.op.name in _GREATER and first is not second:
            greater = _GREATER[compared.op.name]
            if compared.inputs[:2] in ([first, second], [second, first]):
                is_max = greater is (compared.inputs[0] is first)
                return "max" if is_max else "min", [first, second]
    return "", []


def _is_only(value: Value, uses: Uses, count: int) -> bool:
    return len(uses.get(value, ())) == count


def _is_whole(value: Value) -> bool:
    return isinstance(value.type, ScalarType) and value.type.dtype.is_integer


__all__ = ["Uses", "is_integer", "shared_kind"]
