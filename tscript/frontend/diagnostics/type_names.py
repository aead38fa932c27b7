"""How messages write types, and how they explain one type in place of another."""

from __future__ import annotations

import re

from tscript.ir.graph import Value
from tscript.types import (
    ANY,
    BOOL,
    BYTES,
    COMPLEX,
    FLOAT,
    INT,
    NONE,
    STR,
    TENSOR,
    CallableType,
    DictType,
    ListType,
    OptionalType,
    PtrType,
    SetType,
    SizeType,
    TupleType,
    Type,
    UnionType,
    members_of,
)
from tscript.types.inference import weaken


def shown(type: Type) -> str:
    """A type as messages write it; a class by its own name."""
    return _MODULES.sub("", _written(weaken(type)))


_MODULES = re.compile(r"(?:\w+\.)+(?=\w)")
"""The part of a name in front of the name of the class."""


def _written(type: Type) -> str:
    """A type as annotations write it."""
    match type:
        case ListType():
            return f"tuple[{_written(type.element)}, ...]" if type.frozen else f"list[{_written(type.element)}]"
        case SetType():
            return f"set[{_written(type.element)}]"
        case DictType():
            return f"dict[{_written(type.key)}, {_written(type.value)}]"
        case TupleType(named=None) if type.elements:
            return f"tuple[{', '.join(map(_written, type.elements))}]"
        case OptionalType():
            return f"{_written(type.value)} | None"
        case UnionType():
            return " | ".join(map(_written, type.members))
        case CallableType():
            return f"Callable[[{', '.join(map(_written, type.parameters))}], {_written(type.result)}]"
    return str(type)


def article(type: Type) -> str:
    """A type with its article: ``an int``, ``a Tensor``, ``None``."""
    text = shown(type)
    if text in ("None", "Any", "bytes"):
        return text
    return f"an {text}" if text[0] in "aeiouAEIO" else f"a {text}"


_MACHINE_NAMES: dict[Type, str] = {INT: "i64", FLOAT: "f64", BOOL: "b8"}


def machine_name(type: Type) -> str:
    """A type as the low-level dialect writes it."""
    if isinstance(type, PtrType):
        return f"Ptr[{machine_name(type.pointee)}]"
    return _MACHINE_NAMES.get(type, str(type))


def machine_article(type: Type) -> str:
    """A type as the low-level dialect writes it, with its article."""
    text = machine_name(type)
    return f"an {text}" if text[0] in "if" and text != "float" else f"a {text}"


def same_type_help(name: str, first: Type, second: Type, begins: object = None) -> str:
    """What to do when `name` has two types in two places; `begins` is the constant that it has in the first of them."""
    if {first, second} == {INT, FLOAT}:
        if type(begins) is int:
            return f"begin with a float: '{name} = {float(begins)}'"
        return f"declare it where it begins: '{name}: float = ...'"
    if TENSOR in (weaken(first), weaken(second)):
        return "make both tensors, or both numbers: float(x) and int(x) convert a tensor of one element"
    return f"use another name for the value of the other type, or convert it so that '{name}' has one type"


def conversion_help(found: Type | Value, wanted: Type) -> str:
    """How to convert a value of type `found` to `wanted`; empty when there is no general way."""
    if isinstance(found, Value):
        if isinstance(found.constant, str) and wanted in (INT, FLOAT):
            return ""
        found = found.type
    if wanted == BOOL and found == TENSOR:
        return "test all elements: bool(x.all()), or one element: bool(x)"
    if wanted in (INT, FLOAT, BOOL) and found in (INT, FLOAT, BOOL, TENSOR):
        return f"convert it: {wanted}(...)"
    if wanted == TENSOR and found in (INT, FLOAT, BOOL):
        return "convert it: tscript.tensor(...)"
    if isinstance(found, OptionalType) and found.value == wanted:
        return "it may be None: test it first, with 'is not None'"
    if found == ANY or (isinstance(found, UnionType | OptionalType) and wanted in members_of(found)):
        return f"it may be something else: test it first, with 'isinstance(..., {shown(wanted)})'"
    if wanted == STR and found in (INT, FLOAT, BOOL):
        return "convert it: str(...)"
    if found == STR and wanted in (INT, FLOAT):
        return f"parse it: {wanted}(...)"
    if {found, wanted} == {STR, BYTES}:
        return "encode it: .encode()" if found == STR else "decode it: .decode()"
    if found == NONE:
        return f"give {article(wanted)}, or say that it may be None: '{shown(wanted)} | None'"
    if isinstance(wanted, ListType) and not wanted.frozen and isinstance(found, ListType | SetType | TupleType):
        return _elements_help(found, wanted)
    if isinstance(found, SizeType) and wanted == INT:
        return "take one of its sizes: x.shape[0]"
    if isinstance(found, TupleType) and wanted in found.elements:
        return f"take one element: ...[{found.elements.index(wanted)}]"
    return ""


def _elements_help(found: ListType | SetType | TupleType, wanted: ListType) -> str:
    """How to convert a list, set or tuple to a list of another type."""
    held = found.elements[:1] if isinstance(found, TupleType) else (found.element,)
    if held == (wanted.element,):
        return "convert it: list(...)"
    if wanted.element in (INT, FLOAT, STR) and held and held[0] in (INT, FLOAT, BOOL, STR):
        return f"convert the elements: [{wanted.element}(x) for x in ...]"
    return ""


def kind_of_receiver(type: Type) -> str:
    """The name of a receiver in schemas: ``str``, ``list`` …; empty for a type without methods."""
    match type:
        case ListType(frozen=True):
            return "tuple"
        case ListType():
            return "list"
        case DictType():
            return "dict"
        case SetType():
            return "set"
        case TupleType():
            return "tuple"
    return _SIMPLE.get(type, "")


_SIMPLE: dict[Type, str] = {STR: "str", BYTES: "bytes", COMPLEX: "complex"}
