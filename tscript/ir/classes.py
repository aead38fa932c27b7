"""The classes, enums and named tuples that programs name."""

from __future__ import annotations

from tscript.abi.exceptions import is_builtin, is_exception
from tscript.ir.graph import Const, Program, Try, walk
from tscript.types import (
    CallableType,
    ClassType,
    DictType,
    EnumType,
    FutureType,
    ListType,
    OptionalType,
    SetType,
    TupleType,
    Type,
    UnionType,
    members_in,
)


def classes_of(program: Program) -> tuple[Type, ...]:
    """The classes, enums and named tuples that a program names, bases before what derives from them."""
    found: dict[Type, None] = {}
    seen: set[Type] = set()

    def add(type: Type) -> None:
        if type not in seen:
            seen.add(type)
            add_classes(type, found)

    for graph in program.graphs.values():
        for param in graph.params:
            for type in (param.type, *(m.type for m in members_in(param.default))):
                add(type)
        add(graph.result)
        for value in graph.body.params:
            add(value.type)
        for node in walk(graph.body):
            for value in node.outputs:
                add(value.type)
            if node.has_blocks:
                for block in node.blocks:
                    for value in block.params:
                        add(value.type)
            if isinstance(node, Const) and isinstance(node.value, Type):
                add(node.value)
            if isinstance(node, Try):
                for named in (c for handler in node.handlers for c in handler.classes):
                    add(named)
    return tuple(found)


def add_classes(type: Type, found: dict[Type, None]) -> None:
    """Add the classes, enums and named tuples that a type names to those `found`, as `classes_of` does."""
    pending, seen = [type], set[Type]()
    while pending:
        at = pending.pop()
        if at in seen:
            continue
        seen.add(at)
        match at:
            case ClassType(info=info):
                if at in found or (is_exception(at) and is_builtin(info)):
                    continue
                if info.base is not None:
                    add_classes(ClassType(info.base), found)
                found[at] = None
                pending += info.fields.values()
            case EnumType():
                found[at] = None
            case TupleType(elements=elements):
                if at.named is not None:
                    if at in found:
                        continue
                    found[at] = None
                pending += elements
            case ListType() | SetType():
                pending.append(at.element)
            case DictType():
                pending += (at.key, at.value)
            case OptionalType() | FutureType():
                pending.append(at.value)
            case UnionType():
                pending += at.members
            case CallableType():
                pending += (*at.parameters, at.result)


__all__ = ["add_classes", "classes_of"]
