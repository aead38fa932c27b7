"""Operators that make lists, dicts and sets of given elements. The first operand is the type, which elements may not
tell."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tscript.definitions.opdef import Arg, Effects, OpDef, OperatorTypeError, Structural
from tscript.definitions.schema import parse_schema
from tscript.types import DictType, ListType, SetType, Type, passes_as


def _rule(wanted: type[Type]) -> Callable[[Sequence[Arg]], Type]:
    def rule(args: Sequence[Arg]) -> Type:
        found = args[0].constant if args else None
        if not isinstance(found, wanted):
            raise OperatorTypeError("the first operand is the type of the container")
        parts = _parts(found)
        if (len(args) - 1) % len(parts):
            raise OperatorTypeError("a key has no value")
        for i, arg in enumerate(args[1:]):
            if not passes_as(arg.type, parts[i % len(parts)]):
                raise OperatorTypeError(f"element {i} must be {parts[i % len(parts)]}, not {arg.type}")
        return found

    return rule


def _parts(type: Type) -> tuple[Type, ...]:
    match type:
        case ListType() | SetType():
            return (type.element,)
        case DictType():
            return (type.key, type.value)
    raise OperatorTypeError(f"{type} is no container")


def _list(type: object, *elements: object) -> object:
    return tuple(elements) if isinstance(type, ListType) and type.frozen else list(elements)


def _dict(type: object, *items: object) -> object:
    return dict(zip(items[::2], items[1::2], strict=True))


def _set(type: object, *elements: object) -> object:
    return set(elements)


def _make(schema: str, wanted: type[Type], semantics: Callable[..., object], doc: str) -> OpDef:
    effects = Effects(raises=True, world=True)  # each call makes a new one
    return OpDef(
        parse_schema(schema), _rule(wanted), semantics, Structural(), effects, doc, variadic=True, portable=True
    )


LIST_MAKE = _make("list.make(type type, Any elements) -> Any", ListType, _list, "A new list.")
DICT_MAKE = _make("dict.make(type type, Any items) -> Any", DictType, _dict, "A new dict of keys and values in turn.")
SET_MAKE = _make("set.make(type type, Any elements) -> Any", SetType, _set, "A new set.")
CONTAINER_LITERALS: tuple[OpDef, ...] = (LIST_MAKE, DICT_MAKE, SET_MAKE)
