"""Values of types from what JSON says, and back: objects for instances, names or values for members of enums.

The command line and servers take arguments like this: an archive's classes need not be there as Python classes.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from types import NoneType
from typing import TYPE_CHECKING, Any

from tscript.runtime.session.archived_classes import has_own_constructor
from tscript.travel.archives import python_of
from tscript.types import (
    FLOAT,
    INT,
    ClassType,
    DictType,
    EnumType,
    ListType,
    OptionalType,
    SetType,
    TensorType,
    TupleType,
    Type,
    UnionType,
    spoken,
)

if TYPE_CHECKING:
    from tscript.ir.graph import Param


def has_class(type: Type) -> bool:
    """Whether values of a type are instances or members of enums, or hold some.

    Example:
        >>> from tscript.types import FLOAT, ListType
        >>> has_class(ListType(FLOAT))
        False
    """
    named = isinstance(type, TupleType) and type.named is not None
    return named or isinstance(type, ClassType | EnumType) or any(map(has_class, type.made_of))


def from_json(value: Any, type: Type, where: str = "") -> Any:
    """A value of a type that JSON says.

    An instance is an object with its attributes, those with defaults left out or not; a named tuple is such an object
    or a list; a member of an enum is its name or its value; a tensor is a number or lists of
    numbers, float32 where one has a point; tuples and sets
    are lists. Everything else is as it is: a call checks it.

    Args:
        value: What the JSON parser returned.
        type: The type that is wanted.
        where: What messages call the value: the name of a parameter.

    Raises:
        TypeError: It has no such form; the message says which part, what was found and what is expected.

    Example:
        >>> import tscript
        >>> functions = tscript.script('''
        ... from dataclasses import dataclass
        ...
        ... @dataclass
        ... class Person:
        ...     name: str
        ...     score: float = 1.0
        ...
        ... def score(p: Person) -> float:
        ...     return p.score
        ... ''')
        >>> functions.score(from_json({"name": "a"}, functions.score.params[0].type))
        1.0
    """
    return _value(value, type, where)


def arguments_from_json(params: Sequence[Param], given: Any) -> tuple[list[Any], dict[str, Any]]:
    """The arguments of a call that JSON says: a list by position, or an object by name.

    Args:
        params: The parameters of the function.
        given: The list or object.

    Returns:
        Arguments by position and by name.

    Raises:
        TypeError: It is neither, names a parameter that there is none of, or an argument has another form.
    """
    if isinstance(given, list):
        if len(given) > len(params):
            raise TypeError(f"{len(given)} arguments, but there are {len(params)} parameters")
        return [from_json(v, p.type, p.name) for v, p in zip(given, params, strict=False)], {}
    if not isinstance(given, dict):
        raise TypeError(f"expected an object with arguments by name, or a list of them, found {_kind(given)}")
    types = {p.name: p.type for p in params}
    if unknown := [name for name in given if name not in types]:
        raise TypeError(f"there is no parameter {', '.join(map(repr, unknown))}, only {', '.join(types)}")
    return [], {name: from_json(v, types[name], name) for name, v in given.items()}


def to_json(value: Any) -> Any:
    """What JSON says of a result: the inverse of `from_json`.

    Members of enums are their names, instances and named tuples objects, tensors nested lists, sets and tuples lists.
    Keys of dicts that are no strings become strings, as JSON has no others.

    Raises:
        TypeError: JSON has nothing for it.

    Example:
        >>> import tscript
        >>> to_json({"best": (tscript.tensor([1.0, 2.0]), None)})
        {'best': [[1.0, 2.0], None]}
    """
    if isinstance(value, enum.Enum):
        return value.name
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, Mapping):
        return {_key(k): to_json(v) for k, v in value.items()}
    if hasattr(value, "_fields"):
        return {name: to_json(getattr(value, name)) for name in value._fields}
    if isinstance(value, list | tuple | set | frozenset):
        return [to_json(v) for v in value]
    fields = _fields_of(value)
    if fields is None:
        raise TypeError(f"JSON has nothing for a {type(value).__name__}")
    return {name: to_json(item) for name, item in fields.items()}


def _key(key: Any) -> str:
    plain = to_json(key)
    if isinstance(plain, str):
        return plain
    if isinstance(plain, bool | int | float):
        return str(plain).lower() if isinstance(plain, bool) else str(plain)
    raise TypeError(f"JSON has no keys like {key!r}")


def _fields_of(value: Any) -> dict[str, Any] | None:
    """The attributes of an instance of a class that functions know; None for other objects."""
    from tscript.runtime.session.process import current

    found = current().compiler.class_type(type(value))
    if not isinstance(found, ClassType):
        return None
    return {name: getattr(value, name) for name in found.info.fields if hasattr(value, name)}


def _tensor(value: Any) -> Any:
    """A tensor of numbers in lists: float32 where one has a point."""
    import numpy as np

    from tscript.runtime.session.process import from_numpy

    array = np.asarray(value)
    if array.dtype.kind not in "bif":
        raise ValueError("rows have different lengths, or are no numbers")
    return from_numpy(array.astype(np.float32) if array.dtype == np.float64 else array)


def _kind(value: Any) -> str:
    """What JSON calls a value."""
    names = {dict: "an object", list: "a list", str: "a string", bool: "a bool", NoneType: "null"}
    return next((name for kind, name in names.items() if isinstance(value, kind)), "a number")


def _value(value: Any, type: Type, where: str) -> Any:
    """A value of a type."""
    match type:
        case OptionalType(inner):
            return None if value is None else _value(value, inner, where)
        case UnionType(members=members):
            return _member(value, members, where)
        case ListType(element) if isinstance(value, list):
            return [_value(v, element, f"{where}[{i}]") for i, v in enumerate(value)]
        case SetType(element) if isinstance(value, list):
            return {_value(v, element, f"{where}[{i}]") for i, v in enumerate(value)}
        case DictType(key, element) if isinstance(value, dict):
            return {_dict_key(k, key, where): _value(v, element, f"{where}[{k!r}]") for k, v in value.items()}
        case TensorType() if isinstance(value, list | bool | int | float):
            try:
                return _tensor(value)
            except (ValueError, OverflowError) as error:
                raise TypeError(f"{_at(where)}expected a tensor: {error}") from None
        case EnumType():
            return _enum_member(value, type, where)
        case TupleType(named=named) if named is not None:
            fields = dict(zip(named.fields, type.elements, strict=True))
            is_row = isinstance(value, list) and len(value) <= len(fields)
            row = dict(zip(fields, value, strict=False)) if is_row else value
            return _instance(row, type, fields, where)
        case TupleType(elements=elements) if isinstance(value, list):
            if len(value) != len(elements):
                found = f"not {len(value)}"
                raise TypeError(f"{_at(where)}expected {len(elements)} values for a {spoken(type)}, {found}")
            parts = zip(value, elements, strict=True)
            return tuple(_value(v, e, f"{where}[{i}]") for i, (v, e) in enumerate(parts))
        case ClassType(info=info):
            return _instance(value, type, dict(info.fields), where)
    return value


def _instance(value: Any, type: Type, fields: dict[str, Type], where: str) -> Any:
    wanted = f"{_at(where)}expected an object with {', '.join(fields)} for a {spoken(type)}"
    if not isinstance(value, dict):
        raise TypeError(f"{wanted}, found {_kind(value)}")
    if unknown := [name for name in value if name not in fields]:
        raise TypeError(f"{wanted}, found {', '.join(map(repr, unknown))}")
    inside = f"{where}." if where else ""
    given = {name: _value(each, fields[name], f"{inside}{name}") for name, each in value.items()}
    python = python_of(type)
    if isinstance(type, ClassType) and has_own_constructor(python) and given.keys() == fields.keys():
        made = python.__new__(python)  # its attributes are given, not what it makes them of
        for name, each in given.items():
            object.__setattr__(made, name, each)
        return made
    try:
        return python(**given)
    except TypeError as error:  # one is missing that has no default
        raise TypeError(f"{wanted}: {error}") from None


def _dict_key(text: str, type: Type, where: str) -> Any:
    """A key: JSON has strings only."""
    if type in (INT, FLOAT):
        try:
            return int(text) if type == INT else float(text)
        except ValueError:
            raise TypeError(f"{_at(where)}expected keys that are {type}, found {text!r}") from None
    return _value(text, type, where)


def _member(value: Any, members: Sequence[Type], where: str) -> Any:
    """A value of the first of some types that it has the form of; as it is if there is none."""
    problems: list[TypeError] = []
    for type in members:
        if not has_class(type):
            continue
        try:
            return _value(value, type, where)
        except TypeError as error:
            problems.append(error)
    if problems and isinstance(value, dict):
        raise problems[0]
    return value


def _enum_member(value: Any, type: EnumType, where: str) -> Any:
    python = python_of(type)
    members = {**{m.value: m for m in python}, **{m.name: m for m in python}}
    if isinstance(value, list | dict) or value not in members:
        raise TypeError(f"{_at(where)}{value!r} is no member of {spoken(type)}, only {', '.join(type.info.members)}")
    return members[value]


def _at(where: str) -> str:
    return f"{where}: " if where else ""


__all__ = ["arguments_from_json", "from_json", "has_class", "to_json"]
