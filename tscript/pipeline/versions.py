"""Whether code depends on the version of Python: what differs between versions is decided when it is compiled.

Bodies of operators compare the version with constants (`tscript.abi.python.PYTHON`), and some operators name other
kernels in other versions. Kernels ask for the version when they run.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from functools import cache
from types import FunctionType

from tscript.abi.python import PYTHON
from tscript.definitions.opdef import OpDef
from tscript.ir.graph import Op, Program, walk

BY_VERSION = frozenset(
    {"sums.list_sum_floats_compensated", "sums.list_sum_floats", "lists.list_index", "raising.list_index_shown"}
)
"""Kernels that operators name in some versions only."""


def is_version_specific(program: Program) -> bool:
    """Whether code of a program, of which no operator is gone yet, says or does what the running Python does."""
    used = {node.op for graph in program.graphs.values() for node in walk(graph.body) if isinstance(node, Op)}
    return any(map(_is_specific, used))


@cache
def _is_specific(op: OpDef) -> bool:
    bodies = list(_parts(op.implementation))
    return any(part in BY_VERSION if isinstance(part, str) else _asks(part, set()) for part in bodies)


def _parts(value: object) -> Iterator[FunctionType | str]:
    """The functions and names of kernels in a definition."""
    match value:
        case FunctionType() | str():
            yield value
        case dict():
            for inner in value.values():
                yield from _parts(inner)
        case tuple():
            for inner in value:
                yield from _parts(inner)
        case _ if dataclasses.is_dataclass(value) and not isinstance(value, type | OpDef):
            for field in dataclasses.fields(value):
                yield from _parts(getattr(value, field.name))


def _asks(function: FunctionType, seen: set[FunctionType]) -> bool:
    """Whether a function of ours, or one that it calls, asks for the version."""
    if function in seen or not function.__module__.startswith("tscript"):
        return False
    seen.add(function)
    known = function.__globals__
    for name in function.__code__.co_names:
        found = known.get(name)
        if name == "PYTHON" and found == PYTHON:
            return True
        if isinstance(found, FunctionType) and _asks(found, seen):
            return True
    return False
