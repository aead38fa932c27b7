"""Operators of forked calls. The fork itself is a node (`tscript.ir.graph.Fork`), since it names a graph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tscript.definitions.opdef import Arg, Effects, OpDef, OperatorTypeError, Wait
from tscript.definitions.schema import parse_schema
from tscript.types import NEVER, FutureType, Type, waited


def _waited(args: Sequence[Arg]) -> Type:
    found = args[0].type
    if found == NEVER:
        return NEVER
    if not isinstance(found, FutureType):
        raise OperatorTypeError(f"wait() takes a Future, which fork() gives, not {found}")
    return waited(found.value)


def _result(future: Any) -> object:
    return _unchanging(future.result())


def _unchanging(value: object) -> object:
    """A value with tuples in the place of lists."""
    return tuple(map(_unchanging, value)) if type(value) in (list, tuple) else value  # type: ignore[call-overload]


WAIT = OpDef(
    parse_schema("wait(Any future) -> Any"),
    _waited,
    _result,
    Wait(),
    Effects(raises=True, world=True),
    "The result of a forked call, or the exception it raised.",
    portable=True,
)
"""Other tasks write to tensors meanwhile, so nothing moves across it."""
