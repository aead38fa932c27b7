"""`infer_schema`: the schema of an operator from the annotations of its function."""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Callable, Sequence
from typing import Any

from tscript.definitions.custom import SchemaError
from tscript.types import BOOL, FLOAT, INT, NONE, DType, TensorType, TupleType, Type

_KINDS: dict[object, str] = {int: "int", float: "float", bool: "bool", str: "str", DType: "dtype"}


def infer_schema(function: Callable[..., Any], *, result: str | None = None) -> str:
    """The schema from the annotations of a function, without a name. A parameter without annotation is a Tensor.

    Args:
        function: A Python function.
        result: The result; by default, from the return annotation.

    Raises:
        SchemaError: An annotation is not a type of operators, or there is no return annotation.

    Example:
        >>> def f(x, by: float = 2.0) -> "tscript.Tensor": ...
        >>> infer_schema(f, result="Tensor")
        '(Tensor x, float by=2.0) -> Tensor'
    """
    name = getattr(function, "__name__", "function")
    try:
        signature = inspect.signature(function)
        hints = inspect.get_annotations(function, eval_str=True)
    except (TypeError, ValueError, NameError, SyntaxError, AttributeError) as error:
        raise SchemaError(f"the annotations of {name} cannot be read ({error}): give a schema") from None
    parts: list[str] = []
    star = False
    for parameter in signature.parameters.values():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            raise SchemaError(f"{name} takes *{parameter.name}: an operator has a fixed number of parameters")
        if parameter.kind is parameter.KEYWORD_ONLY and not star:
            parts.append("*")
            star = True
        kind = _kind(hints[parameter.name]) if parameter.name in hints else "Tensor"
        if kind is None:
            raise SchemaError(
                f"parameter '{parameter.name}' of {name}: an operator cannot take {hints[parameter.name]!r}; "
                "annotate Tensor, int, float, bool, str, dtype, list[int], list[float], list[Tensor], or one or None"
            )
        default = parameter.default
        if isinstance(default, DType):
            shown = f"={default.name}"
        else:
            shown = "" if default is parameter.empty else f"={default!r}"
        parts.append(f"{kind} {parameter.name}{shown}")
    if result is None:
        if "return" not in hints:
            raise SchemaError(f"{name} does not say what it returns: annotate it, or give a schema")
        result = _result_kind(hints["return"])
        if result is None:
            raise SchemaError(
                f"{name}: an operator cannot return {hints['return']!r}; "
                "annotate Tensor, int, float, bool, None or a tuple of those"
            )
    return f"({', '.join(parts)}) -> {result}"


def _kind(hint: object) -> str | None:
    """The schema's name for an annotation."""
    if isinstance(hint, type) and not typing.get_args(hint):
        if hint.__name__ == "Tensor":
            return "Tensor"
        return _KINDS.get(hint, "dtype" if hint.__name__ == "dtype" else None)
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType) and len(args) == 2 and type(None) in args:
        inner = _kind(next(a for a in args if a is not type(None)))
        return f"{inner}?" if inner in ("Tensor", "int", "float", "bool", "dtype", "int[]") else None
    if isinstance(origin, type) and issubclass(origin, Sequence | tuple) and args:
        if len(args) == 1 or args[1:] == (Ellipsis,):
            inner = _kind(args[0])
            return f"{inner}[]" if inner in ("Tensor", "int", "float") else None
    return None


def _result_kind(hint: object) -> str | None:
    if hint is None or hint is type(None):
        return "None"
    if isinstance(typing.get_origin(hint), type) and issubclass(typing.get_origin(hint), tuple):  # type: ignore[arg-type]
        parts = [_result_kind(a) for a in typing.get_args(hint)]
        return None if None in parts else f"({', '.join(map(str, parts))})"
    kind = _kind(hint)
    return kind if kind in ("Tensor", "int", "float", "bool") else None


def result_text(name: str, type: Type) -> str:
    """The result of this type in a schema.

    Raises:
        SchemaError: No operator returns such values.
    """
    if isinstance(type, TupleType):
        return f"({', '.join(result_text(name, t) for t in type.elements)})"
    if isinstance(type, TensorType):
        return "Tensor"
    if type in (INT, FLOAT, BOOL, NONE):
        return str(type)
    raise SchemaError(f"{name} returns {type}: expected Tensor, int, float, bool, None or a tuple of those")
