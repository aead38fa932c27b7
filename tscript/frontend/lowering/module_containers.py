"""Lists, dicts and sets of the module as values: what they held when the function was compiled.

A function makes them anew, where it reads them outside of loops, else when it begins. In Python all readers share one
object, so what a function would change in it is an error (`check_kept`).
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from tscript.diagnostics import Span
from tscript.frontend.diagnostics import errors
from tscript.frontend.lowering.common import common
from tscript.frontend.lowering.function import FunctionLowering
from tscript.frontend.lowering.holding import element, hashable
from tscript.frontend.lowering.new_containers import make_dict, make_list, make_set
from tscript.frontend.lowering.tuples import make_tuple
from tscript.frontend.source.annotations import annotation_type
from tscript.frontend.source.functions import ObjectEnvironment
from tscript.frontend.source.object_types import object_type
from tscript.frontend.source.source_modules import SourceEnvironment
from tscript.frontend.source.symbols import ContainerSymbol, Symbol
from tscript.ir.graph import Block, Call, For, Graph, If, Loop, Node, Op, Value, Yield, walk
from tscript.parsing import parse
from tscript.types import NEVER, DictType, ListType, SetType, TupleType, Type, members_of, union
from tscript.types.inference import is_open

ValueOf = Callable[[FunctionLowering, Symbol, ast.expr], Value]


def container_value(
    lowering: FunctionLowering, symbol: ContainerSymbol, node: ast.expr, value_of: ValueOf, name: str = ""
) -> Value:
    """A container of the module as a value.

    Args:
        lowering: The function that reads it.
        symbol: The container.
        node: What reads it.
        value_of: The value of an element.
        name: What errors call it; how it is written if left out.
    """
    name = name or ast.unparse(node)
    known = lowering.kept_early.get(id(symbol))
    if known is None and lowering.loops:
        block, lowering.block = lowering.block, Block()
        try:
            known = lowering.kept_early[id(symbol)] = _made(lowering, symbol, node, value_of, name)
            lowering.early.nodes += lowering.block.nodes
        finally:
            lowering.block = block
    return _made(lowering, symbol, node, value_of, name) if known is None else known


def _made(lowering: FunctionLowering, symbol: ContainerSymbol, node: ast.expr, value_of: ValueOf, name: str) -> Value:
    found = _new(lowering, symbol, node, value_of, name)
    lowering.kept[found] = name
    return found


def _new(lowering: FunctionLowering, symbol: ContainerSymbol, node: ast.expr, value_of: ValueOf, name: str) -> Value:
    span = lowering.span(node)
    parts = [
        _made(lowering, part, node, value_of, name)
        if isinstance(part, ContainerSymbol)
        else value_of(lowering, part, node)
        for part in symbol.parts
    ]
    if symbol.kind is tuple:
        return make_tuple(lowering, parts, span)
    if not parts and (declared := _declared(lowering, symbol, node)) is not None:
        return _EMPTY[type(declared)](lowering, declared, [], span)
    if symbol.kind is not dict:
        what = symbol.kind.__name__
        held = _held(lowering, parts)
        made = [element(lowering, node, part, held, what) for part in parts]
        if symbol.kind is list:
            return make_list(lowering, ListType(held), made, span)
        return make_set(lowering, SetType(hashable(lowering, held, span)), made, span)
    keys, values = parts[::2], parts[1::2]
    key, value = hashable(lowering, _held(lowering, keys), span), _held(lowering, values)
    flat: list[Value] = []
    for left, right in zip(keys, values, strict=True):
        flat += [element(lowering, node, left, key, "key"), element(lowering, node, right, value, "dict")]
    return make_dict(lowering, DictType(key, value), flat, span)


_EMPTY: dict[type[Type], Callable[[FunctionLowering, Any, Sequence[Value], Span], Value]] = {
    ListType: make_list,
    DictType: make_dict,
    SetType: make_set,
}
"""What makes an empty container of each type."""

_TYPES: dict[type, type[Type]] = {list: ListType, dict: DictType, set: SetType}


def _declared(lowering: FunctionLowering, symbol: ContainerSymbol, node: ast.expr) -> Type | None:
    """The type that the module declares for an empty container: ``NAMES: list[str] = []``."""
    environment: Any = lowering.function.environment
    if not isinstance(node, ast.Name) or not isinstance(environment, ObjectEnvironment | SourceEnvironment):
        return None
    written = environment.declared(node.id)
    if isinstance(written, str):
        written = parse(written, mode="eval").body
    if written is None:
        return None
    if isinstance(written, ast.expr):
        found = annotation_type(lowering.context, lowering.function, ast.copy_location(written, node))
    else:
        found = object_type(lowering.context, written)
    return next((m for m in members_of(found) if type(m) is _TYPES[symbol.kind]), None) if found is not None else None


def _held(lowering: FunctionLowering, parts: Sequence[Value]) -> Type:
    """The type of elements: that of all, or a union."""
    out: Type = NEVER
    for part in parts:
        if out == NEVER:
            out = part.type
        elif part.type != out and not lowering.settle(part, out):
            out = (None if is_open(part.type) else common(out, part.type)) or union([out, part.type])
    return out


def check_kept(lowering: FunctionLowering, graph: Graph) -> None:
    """Report what a function changes in containers of the module, and make those that it needs when it begins."""
    if lowering.early.nodes:
        used = {v for node in walk(graph.body) for v in node.inputs}
        if any(v in used for node in lowering.early.nodes for v in node.outputs):
            graph.body.nodes[:0] = lowering.early.nodes
    if not lowering.kept:
        return
    for span, value, callee in _changes(lowering, graph.body, {v: v for v in lowering.kept}, frozenset()):
        name = lowering.kept[value]
        changes = f"'{callee}' changes" if callee else "is changed here"
        instead = f"change a copy: '{name}.copy()'; or take it as a parameter"
        lowering.report(errors.UnsupportedGlobal(span, name, f"a {_kind(value)} of the module that {changes}", instead))


def _kind(value: Value) -> str:
    kinds = {ListType: "list", DictType: "dict", SetType: "set"}
    return kinds.get(type(value.type), "tuple")


_Change = tuple[Span, Value, str]


def _changes(
    lowering: FunctionLowering, body: Block, held: dict[Value, Value], seen: frozenset[tuple[str, int]]
) -> list[_Change]:
    """What a block changes of values that it holds, each with the value that it came from."""
    found: list[_Change] = []
    for node in walk(body):
        if isinstance(node, Op):
            first = node.inputs[0] if node.inputs else None
            if first not in held or first is None:
                continue
            if node.op.effects.world:
                found.append((node.span, held[first], ""))
            elif node.op.name.startswith(_PARTS) and _may_change(node.outputs[0]):
                held[node.outputs[0]] = held[first]
        elif isinstance(node, Call):
            found += _in_call(lowering, node, held, seen)
        else:
            _follow(node, held)
    return found


_PARTS = ("getitem", "get", "entry_value", "pop", "widen", "narrow", "values", "items", "to_list", "tuple.")
"""How the names of operators begin whose results may be, or hold, elements."""


def _may_change(value: Value) -> bool:
    return any(isinstance(t, ListType | DictType | SetType | TupleType) for t in members_of(value.type))


def _in_call(
    lowering: FunctionLowering, node: Call, held: dict[Value, Value], seen: frozenset[tuple[str, int]]
) -> list[_Change]:
    graph = lowering.program.graph_named(node.callee)
    found: list[_Change] = []
    for i, value in enumerate(node.inputs):
        if graph is not None and value in held and (node.callee, i) not in seen:
            parameter = graph.body.params[i]
            inner = _changes(lowering, graph.body, {parameter: parameter}, seen | {(node.callee, i)})
            if inner:
                found.append((node.span, held[value], graph.name))
    return found


def _follow(node: Node, held: dict[Value, Value]) -> None:
    """Values that stand for held ones in the blocks of a node, and behind it."""
    pairs: list[tuple[Sequence[Value], Sequence[Value]]] = []
    match node:
        case If():
            ends = [block.nodes[-1] for block in node.blocks if block.nodes]
            pairs = [(end.inputs, node.outputs) for end in ends if isinstance(end, Yield)]
        case Loop() | For():
            inits = node.inputs[len(node.inputs) - len(node.outputs) :]
            own = node.blocks[0].params
            pairs = [(inits, own[len(own) - len(inits) :]), (inits, node.outputs)]
    for given, taken in pairs:
        for value, other in zip(given, taken, strict=False):
            if value in held:
                held.setdefault(other, held[value])


__all__ = ["check_kept", "container_value"]
