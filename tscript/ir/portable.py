"""Additional rules for IR of a file: the types that values and containers may have.

The types of a file are untrusted. So a file may only have types that the language itself makes:

- A union has two or more different members, none of which is a union, an optional, `Any` or `never`; None comes last.
  An optional contains none of those either.
- Dtype and rank of a tensor are known only from rules of operators or arguments of the call, never for elements of a
  container, an attribute, an optional or a union, where nothing checks them again. Those of a module are checked when
  native code gets it, and what is assigned to them has their types.
- `never` has no values, so only containers that are always empty may have it as element type. A `type` is an operand of
  an operator. Numbers of machine types, pointers and structs are the compiler's.
"""

from __future__ import annotations

from collections.abc import Iterator

from tscript.types import (
    ANY,
    NEVER,
    NONE,
    TYPE,
    ArrayType,
    CallableType,
    ClassType,
    DictType,
    EnumType,
    FutureType,
    ListType,
    MachineType,
    OptionalType,
    PtrType,
    SetType,
    StructType,
    TensorType,
    TupleType,
    Type,
    UnionType,
    is_given,
)


def parts_of(type: Type) -> Iterator[tuple[Type, bool]]:
    """The component types of `type`, and whether a value of each is in memory that only the type describes."""
    match type:
        case TupleType(elements=elements):
            yield from ((e, False) for e in elements)
        case ListType(element=element) | SetType(element=element):
            if element != NEVER:
                yield element, True
        case DictType(key=key, value=value):
            if key != NEVER or value != NEVER:
                yield from ((key, True), (value, True))
        case OptionalType(value=value) | FutureType(value=value):
            yield value, True
        case UnionType(members=members):
            yield from ((m, True) for m in members)
        case CallableType(parameters=parameters, result=result):
            yield from ((t, True) for t in (*parameters, result))
        case ClassType(info=info):
            yield from ((t, True) for t in info.fields.values())


class PortableTypes:
    """The types of one program that were accepted for a file."""

    __slots__ = ("_held", "_plain")

    def __init__(self) -> None:
        self._plain: set[Type] = set()
        self._held: set[Type] = set()

    def refusal(self, type: Type) -> str | None:
        """Why `type` is not allowed as the type of a value in IR of a file; None if it is.

        Example:
            >>> from tscript.types import INT, parse_type
            >>> PortableTypes().refusal(parse_type("list[Tensor[float32, 1]]"))
            'dtype and rank are not known of what lies in memory, found Tensor[float32, 1]'
        """
        pending = [(type, False)]
        while pending:
            found, held = pending.pop()
            known = self._held if held else self._plain
            if found in known:
                continue
            reason = _refusal(found, held, found is type)
            if reason is not None:
                return reason
            known.add(found)
            is_module = isinstance(found, ClassType) and found.info.is_module
            for part, stored in parts_of(found):
                pending.append((part, (held or stored) and not (is_module and isinstance(part, TensorType))))
        return None


def _refusal(type: Type, held: bool, outermost: bool) -> str | None:
    match type:
        case PtrType() | StructType() | MachineType():
            return f"machine memory is not allowed here, found a {type}"
        case TensorType() if held and not isinstance(type, ArrayType) and type.facts != type.facts.general():
            return f"dtype and rank are not known of what lies in memory, found {type}"
        case OptionalType(value=value) if value in (NONE, ANY, NEVER) or isinstance(value, OptionalType | UnionType):
            return f"{value} is not optional, found {type}"
        case FutureType(value=value) if not is_given(value):
            return f"a task gives what never changes, tuples of it and lists of it, found {type}"
        case UnionType(members=members):
            return _of_union(type, members)
        case EnumType(info=info) if not info.members:
            return f"an enum has members, {type} has none"
        case TupleType(named=named) if named is not None and len(named.fields) != len(type.elements):
            return f"{type} has {len(named.fields)} names for {len(type.elements)} elements"
    if type == TYPE or (type == NEVER and not outermost):
        return f"no value is a {type} here"
    return None


def _of_union(type: UnionType, members: tuple[Type, ...]) -> str | None:
    if len(members) < 2 or len(set(members)) < len(members):
        return f"a union has two members or more, all different, found {type}"
    if any(m in (ANY, NEVER) or isinstance(m, OptionalType | UnionType) for m in members):
        return f"a union is flat and has no Any, found {type}"
    if NONE in members and (members[-1] != NONE or len(members) == 2):
        return f"None comes last in a union of at least two others, found {type}"
    return None


__all__ = ["PortableTypes", "parts_of"]
