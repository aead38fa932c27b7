"""Operators that are Python functions: `print`, and functions of the user's that stay in Python (``@tscript.ignore``)."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

from tscript.ops.opdef import Arg, Effects, OpDef, OperatorTypeError, PythonCall
from tscript.ops.schema import Parameter, Schema, parse_schema
from tscript.types import NONE, Type, passes_as

CALLS = Effects(raises=True, world=True)

PREFIX = "python::"
"""How the names of functions of the user's begin."""


def _print(text: str) -> None:
    sys.stdout.write(text)


def _nothing(args: Sequence[Arg]) -> Type:
    return NONE


PRINT = OpDef(
    parse_schema("print(str text) -> None"), _nothing, _print, PythonCall(_print), CALLS, "Writes to ``sys.stdout``."
)


def python_function(
    name: str, function: Callable[..., object], parameters: Sequence[tuple[str, Type]], result: Type
) -> OpDef:
    """The operator that calls a Python function with values of these types.

    Args:
        name: Unique in the process; the operator's is `PREFIX` and this.
        function: Takes one Python value for each parameter.
        parameters: Names and types.
        result: The declared type of what it returns, which is checked.
    """

    def rule(args: Sequence[Arg]) -> Type:
        for arg, (parameter, wanted) in zip(args, parameters, strict=True):
            if not passes_as(arg.type, wanted):
                raise OperatorTypeError(f"'{parameter}' must be {wanted}, not {arg.type}")
        return result

    schema = Schema(PREFIX + name, "", tuple(Parameter(n, "Any") for n, _ in parameters), "Any")
    return OpDef(schema, rule, function, PythonCall(function), CALLS, f"The Python function {name}.")


OPERATORS: tuple[OpDef, ...] = (PRINT,)
