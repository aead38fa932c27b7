"""CPython's rules for hashes, by class definitions: which classes define one, and which values have none."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from tscript.abi.layout import CLASS_EQ, CLASS_FROZEN, CLASS_OWN_KEYS
from tscript.frontend.source.classes import ClassDefinition, class_definition
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
)

WRITTEN, GENERATED, IDENTITY, NONE, OTHER = "written", "generated", "identity", "none", "other"
"""Where the hash of an instance comes from: a ``__hash__`` of a class, the fields of a dataclass, the instance itself,
nowhere, or what cannot be compiled."""


def source_of(definition: ClassDefinition) -> tuple[str, ClassDefinition]:
    """Where the hash of instances of exactly this class comes from, and the class that defines it."""
    for d in definition.bases:
        if "__hash__" in d.methods:
            return WRITTEN, d
        options = d.options or {}
        if options.get("unsafe_hash") or (options.get("eq") and options.get("frozen") and not d.has_no_hash):
            return GENERATED, d
        constant = d.constants.get("__hash__", d)
        nothing = constant is None or (isinstance(constant, ast.Constant) and constant.value is None)
        if d.has_no_hash or options.get("eq") or nothing or (constant is d and "__eq__" in d.methods):
            return NONE, d
        if constant is not d:
            return OTHER, d
    return IDENTITY, definition


def hashed_fields(definition: ClassDefinition) -> list[str]:
    """The fields of a dataclass in its generated hash."""
    specs = [f for f in definition.fields or () if f.only_init is None]
    return [f.name for f in specs if (f.compare if f.hash is None else f.hash)]


def is_native(definition: ClassDefinition, flags: int) -> bool:
    """Whether the native library computes hash and equality of instances of exactly this class."""
    kind, owner = source_of(definition)
    equal, frozen = flags & CLASS_EQ != 0, flags & CLASS_FROZEN != 0
    if kind == IDENTITY:
        return not equal and definition.method("__eq__") is None
    if kind == GENERATED:
        return equal and frozen and hashed_fields(owner) == list(definition.info.fields)
    return kind == NONE and equal and not frozen  # its hash raises


def asks(type: Type) -> bool:
    """Whether hash and equality of keys of a type need methods of classes, which the native library cannot call."""
    return _asks(type, set())


def _asks(type: Type, seen: set[Type]) -> bool:
    match type:
        case ClassType() if type not in seen:
            seen.add(type)
            definition = class_definition(type)
            if definition is None:
                return type.info.flags & CLASS_OWN_KEYS != 0
            if not definition.is_final:
                definition.assumed |= {"__hash__", "__eq__"}
            family = [definition, *definition.known_derived]
            if not all(is_native(d, d.info.flags) for d in family):
                return True
            return any(_asks(t, seen) for d in family if d.info.flags & CLASS_EQ for t in d.info.fields.values())
        case EnumType():
            definition = class_definition(type)
            return definition is not None and not definition.methods.keys().isdisjoint(("__hash__", "__eq__"))
        case TupleType(named=named):
            definition = class_definition(type) if named is not None else None
            if definition is not None and not definition.methods.keys().isdisjoint(("__hash__", "__eq__")):
                return True
            return any(_asks(e, seen) for e in type.elements)
        case OptionalType(value=value) | ListType(element=value, frozen=True):
            return _asks(value, seen)
        case UnionType(members=members):
            return any(_asks(m, seen) for m in members)
    return False


def unhashable_part(type: Type) -> Type | None:
    """The part of `type` that is not hashable: a list, a dict …; None if there is none."""
    return _unhashable_part(type, set())


def _unhashable_part(type: Type, seen: set[Type]) -> Type | None:
    """As `unhashable_part`, but for the classes `seen`: a class may have fields of its own type."""
    parts: Iterable[Type] = ()
    match type:
        case TupleType(elements=elements):
            definition = class_definition(type)
            parts = () if definition is not None and "__hash__" in definition.methods else elements
        case OptionalType(value=value):
            parts = (value,)
        case UnionType(members=members):
            parts = members
        case ListType(frozen=True, element=element):
            parts = (element,)
        case ListType() | DictType() | SetType() | FutureType() | CallableType():
            return type
        case EnumType():
            definition = class_definition(type)
            if definition is not None and "__eq__" in definition.methods and "__hash__" not in definition.methods:
                return type
        case ClassType(info=info) if type not in seen:
            seen.add(type)
            definition = class_definition(type)
            kind, owner = (IDENTITY, definition) if definition is None else source_of(definition)
            if definition is None and info.flags & CLASS_EQ and not info.flags & (CLASS_FROZEN | CLASS_OWN_KEYS):
                return type
            if kind in (NONE, OTHER):
                return type
            if kind == GENERATED and owner is not None:
                parts = [info.fields[n] for n in hashed_fields(owner) if n in info.fields]
    return next((found for part in parts if (found := _unhashable_part(part, seen)) is not None), None)


def no_key(type: Type) -> tuple[str, str]:
    """Why a value of a type that `unhashable_part` found is not hashable, and the help."""
    if isinstance(type, ClassType | EnumType):
        return "its class has '__eq__' and no '__hash__'", "write '__hash__' too, or @dataclass(frozen=True)"
    return (
        "it can change",
        "keys are numbers, strings, enums, tuples of those, and instances that have a hash; make a tuple of it",
    )
