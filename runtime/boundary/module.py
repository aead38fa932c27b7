"""The part of the boundary that is written in the low-level dialect, as the lines of one LLVM module."""

from __future__ import annotations

import re
from collections.abc import Iterable

from tscript.backend.llvm.target import Target
from tscript.dialect.linkage import linkage_of, variable_of
from tscript.runtime.boundary import (
    boxes,
    callable,
    debug_info,
    failures,
    gil,
    heap,
    objects,
    operators,
    python_calls,
    record_values,
    table,
    tasks,
    tensor,
    thread,
)

MODULES = (
    *(objects, table, callable, tensor, boxes, failures, python_calls, gil, operators),
    *(record_values, thread, tasks, heap, debug_info),
)
"""Modules of dialect functions; `FUNCTIONS` of each are exported or used by text, `VARIABLES` are its own."""

_SYMBOL = re.compile(r"^(?:(?:declare|define)\b[^@\n]*@([\w.]+)\(|@([\w.]+) =)", re.MULTILINE)


def exports() -> tuple[str, ...]:
    """The symbols of it that others see."""
    functions = [linkage_of(f).symbol for module in MODULES for f in module.FUNCTIONS]
    variables = [variable_of(v) for module in MODULES for v in module.VARIABLES]
    return (*filter(None, functions), *(v.symbol for v in variables if v.is_exported))


def module_lines(target: Target, known: frozenset[str]) -> list[str]:
    """What is compiled from the dialect.

    Args:
        target: What it is for.
        known: Symbols that the rest of the module declares or defines.
    """
    from tscript.backend.c_functions import emit_functions, emit_variables
    from tscript.frontend import lower_functions

    program, linkage = lower_functions([function for module in MODULES for function in module.FUNCTIONS])
    functions = emit_functions(program, linkage, target)
    variables = emit_variables(variable_of(v) for module in MODULES for v in module.VARIABLES)
    needed = [
        line for symbol, line in functions.declarations.items() if symbol not in known and symbol not in variables
    ]
    return [*variables.values(), *needed, *functions.definitions.values()]


def symbols_of(texts: Iterable[str]) -> frozenset[str]:
    """The symbols that LLVM text declares or defines."""
    return frozenset(a or b for text in texts for a, b in _SYMBOL.findall(text))
