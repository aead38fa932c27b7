"""The random numbers of a divided loop: each iteration draws from a stream of its own.

The stream of an iteration follows from two numbers, which are drawn from the generator before the loop, and from the
counter. So it is the same on any number of threads. The graph of the loop makes one generator for each of those from
before the loop, and puts it to its place where an iteration begins::

    %x: float = random.double(%rng)

becomes::

    %low: int = random.below(%rng, %0, %-1)     // before the loop, like %high
    %stream: Generator = random.stream()        // where the graph of the loop begins
    %1: None = random.begin(%stream, %low, %high, %i)
    %x: float = random.double(%stream)

A generator that NumPy itself draws from is an object of NumPy: ``random.numpy_stream``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tscript.definitions.opdef import OpDef
from tscript.dialect.machine import TUPLE_MAKE
from tscript.ir.builder import Builder
from tscript.ir.graph import Block, Break, Continue, If, Node, Op, Value, Yield
from tscript.operators.python import random_numbers as operators
from tscript.types import GENERATOR

OWN_DRAWS = frozenset({operators.DOUBLE, operators.NORMAL, operators.EXPONENTIAL, operators.BELOW})
"""What draws a number from its first operand."""

GLOBAL_DRAWS: Mapping[OpDef, OpDef] = {
    operators.LEGACY_DOUBLE: operators.DOUBLE,
    operators.LEGACY_NORMAL: operators.NORMAL,
    operators.LEGACY_EXPONENTIAL: operators.EXPONENTIAL,
    operators.LEGACY_BELOW: operators.BELOW,
}
"""What draws a number from the global generator, and from another one."""

DRAWS = OWN_DRAWS.union(GLOBAL_DRAWS)
"""What draws one number, and changes nothing but a generator."""

STREAMS = frozenset({operators.STREAM, operators.BEGIN, operators.NUMPY_STREAM, operators.NUMPY_BEGIN})
"""What makes streams."""

_METHODS = "random.Generator."
_OTHER_NAMES = {"random_sample": "random", "ranf": "random", "sample": "random", "randint": "integers"}
_SIZED = {"rand": "random", "randn": "standard_normal"}


def path_of(node: Op) -> str:
    """The function of NumPy that is called; empty if none is."""
    return str(node.inputs[0].constant).partition(" ")[0] if node.op is operators.CALL else ""


def is_method(path: str) -> bool:
    """Whether a function of NumPy draws from the generator that is its first argument."""
    return path.startswith(_METHODS)


def is_global(path: str) -> bool:
    """Whether a function of NumPy draws from the global generator."""
    return path.startswith("random.") and path not in ("random.default_rng", "random.seed") and not is_method(path)


def needs_numpy(nodes: Iterable[Node]) -> bool:
    """Whether anything but our own operators looks at a generator."""
    for node in nodes:
        if isinstance(node, Op):
            if is_global(path_of(node)):
                return True
            if node.op in OWN_DRAWS:
                continue
        elif isinstance(node, Yield | Continue | Break | If):
            continue
        if any(v.type == GENERATOR for v in node.inputs):
            return True
    return False


def keys(b: Builder, rng: Value | None) -> tuple[Value, Value]:
    """Draw the key of a loop's streams.

    Args:
        b: Before the loop.
        rng: The generator; None: the global one.
    """
    operands = [b.const(0), b.const(-1)]
    if rng is None:
        return b.op(operators.LEGACY_BELOW, *operands), b.op(operators.LEGACY_BELOW, *operands)
    return b.op(operators.BELOW, rng, *operands), b.op(operators.BELOW, rng, *operands)


def make(b: Builder, by_numpy: bool) -> Value:
    """A stream, where the graph of a loop begins."""
    return b.op(operators.NUMPY_STREAM if by_numpy else operators.STREAM)


def begin(b: Builder, stream: Value, key: tuple[Value, Value], counter: Value, by_numpy: bool) -> None:
    """Put a stream to where an iteration begins."""
    b.op(operators.NUMPY_BEGIN if by_numpy else operators.BEGIN, stream, *key, counter)


def draw_from(block: Block, stream: Value) -> None:
    """Replace the global generator in a block by a stream."""
    out = Block()
    for node in block.nodes:
        for inner in node.blocks:
            draw_from(inner, stream)
        if isinstance(node, Op) and node.op in GLOBAL_DRAWS:
            node.op, node.inputs = GLOBAL_DRAWS[node.op], [stream, *node.inputs]
        elif isinstance(node, Op) and is_global(path_of(node)):
            _call(Builder(out, node.span), node, stream)
        out.nodes.append(node)
    block.nodes = out.nodes


def _call(b: Builder, node: Op, stream: Value) -> None:
    """A call of NumPy becomes one of a method."""
    path, *keywords = str(node.inputs[0].constant).split()
    name = path.removeprefix("random.")
    result, *args = node.inputs[1:]
    if name in _SIZED:
        name, keywords, args = _SIZED[name], ["size"], [b.op(TUPLE_MAKE, *args)]
    else:
        name = _OTHER_NAMES.get(name, name)
    text = " ".join((_METHODS + name, *keywords))
    node.inputs = [b.const(text), result, stream, *args]


__all__ = [
    "DRAWS",
    "GLOBAL_DRAWS",
    "OWN_DRAWS",
    "STREAMS",
    "begin",
    "draw_from",
    "is_global",
    "is_method",
    "keys",
    "make",
    "needs_numpy",
    "path_of",
]
