"""Queries on IR that several tools share: where control goes, which values a block defines, what an exception name
means, which module a call is for."""

from __future__ import annotations

import builtins
import re
from collections.abc import Iterator, Sequence

from tscript.ir.graph import (
    Block,
    Break,
    Call,
    For,
    Graph,
    If,
    Label,
    Loop,
    Node,
    Op,
    Return,
    Try,
    Value,
    Yield,
    walk,
)
from tscript.types import NEVER, ClassType


def falls_through(node: Node) -> bool:
    """Whether control can reach the node after `node`.

    An `If` or `Try` whose blocks all leave does not fall through, nor does a `Loop` that nothing breaks out of, nor a
    terminator. A `For` always can: it may run out of iterations.
    """
    if node.has_blocks:
        match node:
            case If():
                return block_falls_through(node.then) or block_falls_through(node.orelse)
            case Try():
                return any(map(block_falls_through, node.blocks))
            case Loop():
                return next(breaks(node.body, node.label), None) is not None
    if node.is_terminator:
        return False
    return NEVER not in [v.type for v in node.outputs]


def block_falls_through(block: Block) -> bool:
    """Whether `block`, a block of an `If` or `Try`, ends by yielding to the node around it."""
    return bool(block.nodes) and isinstance(block.nodes[-1], Yield)


def breaks(block: Block, label: Label) -> Iterator[Break]:
    """Every ``break`` of loop `label` in `block` and below it."""
    for node in walk(block):
        if isinstance(node, Break) and node.label is label:
            yield node


def returns(block: Block) -> Iterator[Return]:
    """Every ``return`` in `block` and below it."""
    for node in walk(block):
        if isinstance(node, Return):
            yield node


def walk_blocks(block: Block) -> Iterator[Block]:
    """`block` and all blocks nested in it, each before those inside it. The list of a block given may be replaced."""
    yield block
    for node in block.nodes:
        if node.has_blocks:
            for inner in node.blocks:
                yield from walk_blocks(inner)


def defined_values(block: Block) -> set[Value]:
    """All values that `block` and the blocks nested in it define, parameters included."""
    found = {v for b in walk_blocks(block) for v in b.params}
    found.update(v for node in walk(block) for v in node.outputs)
    return found


_NOT_RAISABLE = (UnicodeDecodeError, UnicodeEncodeError, UnicodeTranslateError, BaseExceptionGroup)


def builtin_exception(name: str) -> type[Exception] | None:
    """The builtin exception class `name`, or None if there is none that takes one message.

    Example:
        >>> builtin_exception("KeyError")
        <class 'KeyError'>
    """
    found = getattr(builtins, name, None) if name.isidentifier() else None
    if isinstance(found, type) and issubclass(found, Exception) and not issubclass(found, _NOT_RAISABLE):
        return found
    return None


_FIELD = re.compile(r"\{\{|\}\}|\{(\d{1,3})(:[cx])?\}|[{}]")
"""A field of a message: the number of an argument; ``:c`` shows an int as a character, ``:x`` in hexadecimal."""


def message_fields(message: str) -> list[int]:
    """Which arguments a message of `Raise` shows, in order.

    Raises:
        ValueError: It holds a brace that is neither doubled nor around an argument number.

    Example:
        >>> message_fields("index {0} is out of range for {1} elements")
        [0, 1]
    """
    found: list[int] = []
    for match in _FIELD.finditer(message):
        if match[1] is not None:
            found.append(int(match[1]))
        elif len(match[0]) == 1:
            raise ValueError(f"stray {match[0]!r} in message {message!r}")
    return found


def format_message(message: str, args: Sequence[object]) -> str:
    """`message` with its arguments filled in; ``{{`` and ``}}`` are braces.

    Example:
        >>> format_message("index {0} is out of range", [7])
        'index 7 is out of range'
        >>> format_message("'{0:c}' is code point {0:x}", [63])
        "'?' is code point 3f"
    """
    return _FIELD.sub(lambda m: m[0][0] if m[1] is None else format(args[int(m[1])], (m[2] or "")[1:]), message)


def trip_count(loop: For) -> int | None:
    """The number of iterations of `loop` without a break, or None if the range is not constant. `len` of a range fails
    from 2**63 on."""
    start, stop, step = (v.constant for v in loop.inputs[:3])
    if isinstance(start, int) and isinstance(stop, int) and isinstance(step, int) and step:
        return max(0, -((start - stop) // step))
    return None


def called_module(call: Call, graph: Graph) -> str:
    """Where the module whose method a graph calls stands in the module that the graph is a method of: ``layers.0``.

    Empty if it is that one, if there is none, or if it is not one attribute of another.
    """
    if not call.inputs or not isinstance(type := call.inputs[0].type, ClassType) or not type.info.is_module:
        return ""
    from tscript.operators.python.classes import GET_FIELD

    names: list[str] = []
    at = call.inputs[0]
    while isinstance(node := at.node, Op) and node.op is GET_FIELD:
        names.append(str(node.inputs[1].constant))
        at = node.inputs[0]
    return ".".join(reversed(names)) if graph.body.params and at is graph.body.params[0] else ""
