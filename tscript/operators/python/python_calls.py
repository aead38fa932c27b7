"""Operators that are Python functions: `print`, flushing what it wrote, and warnings."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from tscript.definitions.opdef import Arg, OpDef, PythonCall
from tscript.definitions.python_functions import CALLS
from tscript.definitions.schema import parse_schema
from tscript.operators.python.functions.warned import warn
from tscript.types import NONE, Type


def _print(text: str) -> None:
    if sys.stdout is not None:  # as of a process without a console
        sys.stdout.write(text)


def _flush(wanted: bool) -> None:
    if wanted and sys.stdout is not None:
        sys.stdout.flush()


def _nothing(args: Sequence[Arg]) -> Type:
    return NONE


PRINT = OpDef(
    parse_schema("print(str text) -> None"),
    _nothing,
    _print,
    PythonCall(_print),
    CALLS,
    "Writes to ``sys.stdout``.",
    portable=True,
)


FLUSH = OpDef(
    parse_schema("flush(bool wanted) -> None"),
    _nothing,
    _flush,
    PythonCall(_flush),
    CALLS,
    "Flushes ``sys.stdout``.",
    portable=True,
)

WARN = OpDef(
    parse_schema("warn(str message, str category, int stacklevel, str file, int line) -> None"),
    _nothing,
    warn,
    PythonCall(warn),
    CALLS,
    "``warnings.warn`` at a line of a file.",
    portable=True,
)

OPERATORS: tuple[OpDef, ...] = (PRINT,)
HIDDEN: tuple[OpDef, ...] = (FLUSH, WARN)
