"""Python arguments of a call: bound to parameters, converted by the rules of the language, described by types.

A call of a scripted function or an eager operator without a row in the native table comes here. The descriptions
determine the specialisation: tensors by dtype and rank, numbers by type, everything else (None, strings, dtypes) by
value.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from enum import Enum
from functools import partial
from types import NoneType
from typing import TYPE_CHECKING, Any

from tscript.abi.signature import has_objects
from tscript.definitions.absent import MISSING, REQUIRED
from tscript.definitions.values import SIMPLE_TYPES, type_of_value
from tscript.diagnostics.suggest import close_matches
from tscript.late import dataclass
from tscript.runtime.values.futures import Future
from tscript.runtime.values.tracebacks import raises_user_errors
from tscript.types import (
    BOOL,
    FLOAT,
    INT,
    DType,
    FutureType,
    TensorFacts,
    TensorType,
    TupleType,
    Type,
    is_subtype,
)

if TYPE_CHECKING:
    from tscript.ir.graph import Param

_BY_CLASS = {cls: SIMPLE_TYPES[cls] for cls in (float, int, bool, str, NoneType, DType)}
"""Types that the native table passes on by itself."""


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument as type rules and `resolve` see it.

    Attributes:
        type: Its type.
        constant: Its value if it is part of the specialisation, else `MISSING`.
    """

    type: Type
    constant: object = MISSING


def describe(value: object, tensor: type[Any], *, static_bool: bool = False) -> Argument:
    """The type of a Python value, and its value where specialisation depends on it.

    Args:
        value: A Tensor, number, None, str, dtype, or a tuple of them.
        tensor: The tensor type.
        static_bool: Whether bools count as constants (they do for eager operators: ``keepdim`` changes ranks).

    Raises:
        TypeError: It is none of these.
    """
    found = type_of_value(value, partial(_type_of_native, tensor), _BY_CLASS)
    return Argument(found, _constant_of(value, static_bool))


def _type_of_native(tensor: type[Any], value: Any) -> Type:
    """The type of a tensor or a future."""
    if isinstance(value, tensor):
        return TensorType(facts=TensorFacts(value.dtype, value.ndim))
    if isinstance(value, Future):
        if value.type is None:
            raise TypeError("the Future of a plain Python function has no type that scripts know; fork a scripted one")
        return FutureType(value.type)
    raise TypeError(f"a {type(value).__name__} is not a value of the language")


def _constant_of(value: object, static_bool: bool) -> object:
    """The value where specialisation depends on it, else `MISSING`."""
    if isinstance(value, tuple):
        constants = tuple(_constant_of(v, static_bool) for v in value)
        return constants if constants and all(c is not MISSING for c in constants) else MISSING
    static = value is None or isinstance(value, str | DType) or (static_bool and isinstance(value, bool))
    return value if static else MISSING


def describe_as(value: object, type: Type, tensor: type[Any]) -> Argument:
    """The type of a converted argument for a parameter of type `type`; a natively converted argument has the declared
    type."""
    if isinstance(type, TupleType) and type.named is None and isinstance(value, tuple) and has_objects(type):
        parts = [describe_as(v, t, tensor).type for v, t in zip(value, type.elements, strict=True)]
        return Argument(TupleType(tuple(parts)))
    return Argument(type) if has_objects(type) else describe(value, tensor)


def plain(value: object) -> object:
    """`value` with lists as tuples, NumPy scalars as Python numbers, and members of IntEnum or StrEnum as ints or
    strings, at any depth."""
    if type(value) in _BY_CLASS:
        return value
    if isinstance(value, Enum):
        return int(value) if isinstance(value, int) else str.__str__(value) if isinstance(value, str) else value
    if isinstance(value, list | tuple):
        return tuple(plain(v) for v in value)
    if hasattr(value, "item") and getattr(value, "shape", None) == () and type(value).__module__ == "numpy":
        return value.item()
    return value


def bind(name: str, params: Sequence[Param], args: Sequence[object], kwargs: Mapping[str, object]) -> list[object]:
    """One value per parameter, defaults filled in.

    Raises:
        TypeError: As CPython words it: too many, missing, doubled or unknown arguments.
    """
    positional = [p for p in params if not p.keyword_only and not p.variadic]
    variadic = next((p for p in params if p.variadic), None)
    if len(args) > len(positional) and variadic is None:
        least = sum(p.default is REQUIRED for p in positional)
        takes = f"{least} to {len(positional)}" if least != len(positional) else str(len(positional))
        plural = "" if takes == "1" else "s"
        given = f"{len(args)} {'was' if len(args) == 1 else 'were'} given"
        raise TypeError(f"{name}() takes {takes} positional argument{plural} but {given}")
    values: dict[str, object] = {p.name: v for p, v in zip(positional, args, strict=False)}
    if variadic is not None:
        values[variadic.name] = tuple(args[len(positional) :])
    known = [p.name for p in params if not p.positional_only and not p.variadic]
    unnamed = [p.name for p in params if p.positional_only and p.name in kwargs]
    if unnamed:
        given = ", ".join(f"'{n}'" for n in unnamed)
        raise TypeError(f"{name}() got some positional-only arguments passed as keyword arguments: {given}")
    for key, value in kwargs.items():
        if key not in known:
            close = close_matches(key, known)
            hint = f"; did you mean '{close[0]}'?" if close else ""
            raise TypeError(f"{name}() got an unexpected keyword argument '{key}'{hint}")
        if key in values:
            raise TypeError(f"{name}() got multiple values for argument '{key}'")
        values[key] = value
    missing = [p for p in params if p.name not in values and p.default is REQUIRED]
    if missing:
        missing = [p for p in missing if not p.keyword_only] or missing
        kind = "keyword-only" if missing[0].keyword_only else "positional"
        names = [f"'{p.name}'" for p in missing]
        listed = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
        plural = "s" if len(names) > 1 else ""
        raise TypeError(f"{name}() missing {len(names)} required {kind} argument{plural}: {listed}")
    return [values.get(p.name, p.default) for p in params]


@raises_user_errors
def convert(function: str, param: Param, value: object, tensor: type[Any]) -> object:
    """`value` as an argument for `param`: an int where a float is declared, a list for a tuple, an exact 0-d tensor for
    a number.

    Raises:
        TypeError: The parameter does not take it; names function, parameter, what was found and what was expected.
    """
    if param.type == FLOAT and type(value) in (int, bool):
        return value  # converted natively
    try:
        return _convert(value, param.type, tensor)
    except TypeError as error:
        what = f"{function}() argument '{param.name}' must be {param.type}, not {_found(value, tensor)}"
        raise TypeError(what + (f": {error}" if str(error) else "")) from None
    except OverflowError as error:
        raise OverflowError(f"{function}() argument '{param.name}': {error}") from None


def _found(value: object, tensor: type[Any]) -> str:
    if isinstance(value, tensor):
        return str(describe(value, tensor).type)
    cls = type(value)
    return f"{cls.__module__}.{cls.__name__}" if cls.__name__ in ("Tensor", "dtype", "Size") else cls.__name__


def _convert(value: Any, wanted: Type, tensor: type[Any]) -> object:
    plain = isinstance(wanted, TupleType) and wanted.named is None
    if not plain and has_objects(wanted):
        return value  # converted natively, which reports errors
    if isinstance(value, tensor) and wanted in (INT, FLOAT, BOOL):
        value = _number(value, wanted)
    if wanted == FLOAT:
        if isinstance(value, float | int):
            return value if type(value) is float else float(value)
        if hasattr(value, "__float__") and getattr(value, "shape", None) == ():
            return float(value)
        raise TypeError
    if wanted == INT:
        if isinstance(value, int):
            if not -(1 << 63) <= value < 1 << 63:
                raise OverflowError("the int does not fit into 64 bits")
            return value if type(value) is int else int(value)
        if isinstance(value, float):
            raise TypeError
        return operator.index(value) if hasattr(value, "__index__") else _refuse()
    if wanted == BOOL:
        if isinstance(value, bool):
            return value
        if type(value).__name__ == "bool" and type(value).__module__ == "numpy":
            return bool(value)
        raise TypeError
    if isinstance(wanted, TensorType):
        if not isinstance(value, tensor):
            if type(value).__module__ == "numpy":
                raise TypeError("wrap it with tscript.from_numpy(…)")
            if hasattr(value, "__dlpack__"):
                raise TypeError("wrap it with tscript.from_dlpack(…)")
            if isinstance(value, int | float):
                raise TypeError(f"write tscript.tensor({value!r})")
            if isinstance(value, list | tuple):
                raise TypeError("make one of it with tscript.tensor(…)")
            raise TypeError
        return value
    if isinstance(wanted, FutureType):
        if not isinstance(value, Future):
            raise TypeError
        result = value.type
        if result is None:
            raise TypeError("it is the Future of a plain Python function; fork a scripted one")
        if not is_subtype(FutureType(result), wanted):
            raise TypeError(f"its result is {result}")
        return value
    if isinstance(wanted, TupleType) and plain:
        if not isinstance(value, tuple | list) or len(value) != len(wanted.elements):
            raise TypeError
        return tuple(_convert(v, t, tensor) for v, t in zip(value, wanted.elements, strict=True))
    if _BY_CLASS.get(type(value)) == wanted:
        return value
    raise TypeError


def _refuse() -> object:
    raise TypeError


def _number(tensor: Any, wanted: Type) -> object:
    """The element of a 0-d tensor, if it is exactly a number of type `wanted`."""
    if tensor.dim() != 0:
        raise TypeError("only a 0-d tensor becomes a number")
    value = tensor.item()
    if wanted == INT and isinstance(value, float):
        if not value.is_integer():
            raise TypeError(f"its value {value!r} is not a whole number")
        return int(value)
    if wanted == BOOL and not isinstance(value, bool):
        raise TypeError
    if wanted == FLOAT and isinstance(value, int) and int(float(value)) != value:
        raise TypeError(f"its value {value} is not exactly a float")
    return value
