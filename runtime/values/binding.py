"""Python arguments of a call of a scripted function: bound to parameters, converted by the rules of the language."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tscript.abi.signature_types import has_objects
from tscript.arrays import is_array, np
from tscript.definitions.absent import REQUIRED
from tscript.definitions.values import is_value_of
from tscript.diagnostics.suggest import close_matches
from tscript.runtime.values.arguments import BY_CLASS, Argument, describe, own_value
from tscript.runtime.values.futures import Future
from tscript.runtime.values.sharing import facts_of, is_torch, plain_array, plain_shared
from tscript.runtime.values.tracebacks import raises_user_errors
from tscript.types import (
    BOOL,
    DEVICE,
    FLOAT,
    INT,
    SIZE,
    ArrayType,
    FutureType,
    KnownType,
    ListType,
    ScalarType,
    TensorType,
    TupleType,
    Type,
    is_subtype,
    members_of,
    spoken,
)
from tscript.types.dtypes import Category
from tscript.types.options import Device

if TYPE_CHECKING:
    from tscript.ir.graph import Param


def describe_as(value: object, type: Type, tensor: type[Any]) -> Argument:
    """The type of a converted argument for a parameter of type `type`; a natively converted argument has the declared
    type."""
    if (
        isinstance(type, TupleType)
        and type.named is None
        and isinstance(value, tuple)
        and (has_objects(type) or _has_arrays(type))
    ):
        parts = [describe_as(v, t, tensor).type for v, t in zip(value, type.elements, strict=True)]
        return Argument(TupleType(tuple(parts)))
    if isinstance(type, ArrayType | ScalarType | KnownType) or has_objects(type):
        return Argument(type)
    return describe(value, tensor)


def _has_arrays(type: Type) -> bool:
    """Whether a value has arrays or NumPy scalars in it, which look like tensors and numbers."""
    return isinstance(type, ArrayType | ScalarType) or any(map(_has_arrays, type.made_of))


def bind(name: str, params: Sequence[Param], args: Sequence[object], kwargs: Mapping[str, object]) -> list[object]:
    """One value per parameter, defaults filled in.

    Raises:
        TypeError: As CPython words it: too many, missing, doubled or unknown arguments.
    """
    positional = [p for p in params if not p.keyword_only and not p.variadic and p.held is None]
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
    known = [p.name for p in params if not p.positional_only and not p.variadic and p.held is None]
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
    return [values[p.name] if p.name in values else _as_given(p.default, p.type) for p in params]


def takes_own_list(param: Param) -> bool:
    """Whether the default is a tuple where a list is declared: each call gets a list of its own."""
    return _as_given(param.default, param.type) is not param.default


def _as_given(default: object, type: Type) -> object:
    """A default as an argument: a tuple where a list is declared as a list."""
    lists = [m for m in members_of(type) if isinstance(m, ListType) and not m.frozen]
    if not isinstance(default, tuple) or not lists or is_value_of(default, type):
        return default
    return [_as_given(element, lists[0].element) for element in default]


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
        what = f"{function}() argument '{param.name}' must be {spoken(param.type)}, not {_found(value, tensor)}"
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
    if isinstance(wanted, ScalarType):
        return _scalar(value, wanted)
    if isinstance(wanted, ArrayType):
        if not is_array(value):
            raise TypeError("pass an ndarray")
        array = plain_array(value)
        if facts_of(array) != wanted.facts:
            raise TypeError(f"its dtype is {array.dtype} and it has {array.ndim} dimensions")
        return array
    if isinstance(wanted, TensorType):
        value = plain_shared(value)
        if not isinstance(value, tensor) and not is_array(value) and not is_torch(value):
            if type(value).__module__ == "numpy":
                raise TypeError(f"write tscript.tensor({value!r})")
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
    if wanted == SIZE and isinstance(value, tuple) and all(type(size) is int for size in value):
        return tuple(value)
    value = Device(value) if wanted == DEVICE and isinstance(value, str) else own_value(value)
    if BY_CLASS.get(type(value)) == wanted:
        return value
    raise TypeError


def _scalar(value: Any, wanted: ScalarType) -> object:
    """A NumPy scalar of the declared dtype, or a number of Python as one."""
    if isinstance(value, np.generic):
        if value.dtype.name != wanted.dtype.name:
            raise TypeError(f"write np.{wanted.dtype.name}(...)")
        return value
    number = {int: wanted.dtype.category >= Category.INTEGER, float: wanted.dtype.is_floating_point, bool: True}
    if not number.get(type(value), False):
        raise TypeError
    return np.dtype(wanted.dtype.name).type(value)


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
