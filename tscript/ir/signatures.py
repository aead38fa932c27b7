"""Parameters, results and defaults in JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from tscript.abi.exceptions import EXCEPTIONS
from tscript.definitions.absent import REQUIRED
from tscript.definitions.values import plain_default, typed_default
from tscript.diagnostics.archives import ArchiveError
from tscript.ir.graph import Param
from tscript.types import (
    OPTIONS,
    TYPE,
    DType,
    EnumMember,
    EnumType,
    MachineType,
    PtrType,
    StructType,
    Type,
    dtypes,
    parse_type,
)
from tscript.types.options import Option, option_named
from tscript.types.parsing import shortened

MAX_NUMBER = 4000
"""Digits of an integer that is kept as text: reading one takes time that grows with the square of their number."""


def number_of(text: object) -> int:
    """The integer that is kept as a text.

    Raises:
        ValueError: It is none, or has too many digits.
    """
    if not isinstance(text, str) or len(text) > MAX_NUMBER:
        raise ValueError(f"a number is a text of at most {MAX_NUMBER:,} digits")
    return int(text)


def text_of(value: object) -> str:
    """A text that can be encoded: JSON can also name half a surrogate pair.

    Raises:
        ValueError: It is not text, or cannot be encoded.
    """
    if not isinstance(value, str):
        raise ValueError(f"expected a text, found {type(value).__name__}")
    return value.encode().decode()


def _option(path: object) -> Option:
    found = option_named(text_of(path))
    if found is None:
        raise KeyError(path)
    return found


_TAGS: tuple[tuple[type, str, Callable[[Any], Any], Callable[[Any], Any]], ...] = (
    (bool, "bool", bool, bool),
    (int, "int", str, number_of),
    (float, "float", float.hex, float.fromhex),
    (str, "str", str, text_of),
    (DType, "dtype", lambda d: d.name, lambda name: dtypes.BY_NAME[name]),
    *((kind, kind.space, lambda o: f"{o.space}.{o.name}", _option) for kind in OPTIONS.values()),
    (type(None), "None", lambda _: None, lambda _: None),
)
"""Constants of defaults: Python type, tag, to JSON, from JSON. Integers and floats are texts, so that no reader
rounds."""


def value_json(value: object, tensors: Sequence[np.ndarray[Any, Any]] = ()) -> list[Any]:
    for i, known in enumerate(tensors):
        if known is value:
            return ["tensor", str(i)]
    if isinstance(value, EnumMember):
        return ["member", [str(value.type), value.name]]
    if type(value) is tuple:
        return ["tuple", [value_json(v, tensors) for v in value]]
    for kind, tag, to_json, _ in _TAGS:
        if type(value) is kind:
            return [tag, to_json(value)]
    raise ArchiveError(f"a default of type {type(value).__name__} cannot be kept in an archive")


MAX_DEPTH = 32
"""Tuples inside each other in a default."""


def value_from(
    item: Any, tensors: Sequence[np.ndarray[Any, Any]] = (), depth: int = 0, types: Mapping[str, Type] | None = None
) -> object:
    tag, value = item
    if depth > MAX_DEPTH:
        raise ArchiveError(f"a default with more than {MAX_DEPTH} levels")
    if tag == "tuple":
        return tuple(value_from(v, tensors, depth + 1, types) for v in value)
    if tag == "member":
        enum, name = value
        if not isinstance(type := language_type(enum, types or {}), EnumType) or name not in type.info.members:
            raise ArchiveError(f"a default is {shortened(str(name))!r}, no member of {shortened(str(enum))}")
        return EnumMember(type, name)
    if tag == "tensor":
        number = number_of(value)
        if not 0 <= number < len(tensors):
            raise ArchiveError(f"a default is tensor {number} of {len(tensors)}")
        return tensors[number]
    for _, known, _, from_json in _TAGS:
        if tag == known:
            return from_json(value)
    raise ArchiveError(f"unknown kind of constant {tag!r}")


def param_json(param: Param, tensors: Sequence[np.ndarray[Any, Any]]) -> dict[str, Any]:
    out: dict[str, Any] = {"name": param.name, "type": str(param.type)}
    if param.default is not REQUIRED:
        out["default"] = value_json(plain_default(param.default), tensors)
    if param.keyword_only:
        out["keyword_only"] = True
    if param.positional_only:
        out["positional_only"] = True
    if param.variadic:
        out["variadic"] = True
    return out


def signature_json(params: Sequence[Param], result: Type, tensors: Sequence[np.ndarray[Any, Any]]) -> object:
    """A signature in a form that compares equal exactly when it is the same (``nan`` and ``-0.0`` included)."""
    return [[param_json(p, tensors) for p in params], str(result)]


def param_from(item: Any, types: Mapping[str, Type], tensors: Sequence[np.ndarray[Any, Any]]) -> Param:
    type = language_type(item["type"], types)
    default = typed_default(value_from(item["default"], tensors, 0, types), type) if "default" in item else REQUIRED
    flags = [bool(item.get(flag, False)) for flag in ("keyword_only", "positional_only", "variadic")]
    name = text_of(item["name"])
    if not name.isidentifier():
        raise ArchiveError(f"the name of a parameter {shortened(name)!r} is not an identifier")
    return Param(name, type, default, *flags)


def language_type(text: object, types: Mapping[str, Type]) -> Type:
    """The type of the language that a text of an archive names.

    Args:
        text: As `str` printed the type.
        types: The classes of the archive.

    Raises:
        ArchiveError: It is none: unknown, one of the low-level dialect, or beyond the limits.
    """
    try:
        found = parse_type(str(text), {**EXCEPTIONS, **types})
    except ValueError as error:
        raise ArchiveError(str(error)) from None
    pending, seen = [found], {found}
    while pending:
        at = pending.pop()
        if isinstance(at, PtrType | StructType | MachineType) or at == TYPE:
            raise ArchiveError(f"{shortened(str(at))!r} is neither a type of the language nor a class of the archive")
        new = set(at.made_of) - seen
        seen |= new
        pending += new
    return found
