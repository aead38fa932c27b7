"""The boundary module as LLVM text: everything through which Python objects reach native code.

It is written in the low-level dialect (`MODULES`), but for the stubs in it (`tscript.backend.stubs`). So it depends
on the layouts of `tscript.abi` and on the running interpreter's own.

Every function that returns an object returns a new reference, or null with an exception set, unless it says otherwise.
All functions except those named ``ts_`` are called with the GIL held.
"""

from __future__ import annotations

from collections.abc import Iterable

from tscript.abi.signature import Signature
from tscript.backend.llvm.target import Target
from tscript.backend.stubs.call import call_stub
from tscript.dialect.linkage import linkage_of, variable_of
from tscript.runtime.boundary import (
    boxes,
    callable,
    debug_info,
    failures,
    gil,
    heap,
    objects,
    observed_calls,
    operators,
    python_calls,
    python_records,
    ranges,
    record_values,
    records,
    table,
    tasks,
    tensor,
    thread,
)

MODULES = (
    *(objects, thread, table, callable, tensor, boxes, failures, python_calls, gil, operators),
    *(records, observed_calls, record_values, python_records, ranges, tasks, heap, debug_info),
)
"""Modules of dialect functions; `FUNCTIONS` of each are exported, `VARIABLES` are its own."""


def exports() -> tuple[str, ...]:
    """The symbols of it that others see, without those of stubs."""
    functions = [linkage_of(f).symbol for module in MODULES for f in module.FUNCTIONS]
    variables = [variable_of(v) for module in MODULES for v in module.VARIABLES]
    return (*filter(None, functions), *(v.symbol for v in variables if v.is_exported))


def boundary_text(signatures: Iterable[Signature], tuple_items: int, target: Target) -> str:
    """The whole module.

    Args:
        signatures: Stubs to include, each with external linkage under `Signature.symbol`.
        tuple_items: Offset of the first item of a Python tuple.
        target: What it is for.
    """
    from tscript.backend.c_functions import emit_functions, emit_variables
    from tscript.frontend import lower_functions

    program, linkage = lower_functions([function for module in MODULES for function in module.FUNCTIONS])
    functions = emit_functions(program, linkage, target)
    variables = emit_variables(variable_of(v) for module in MODULES for v in module.VARIABLES)
    needed = dict(functions.declarations)
    stubs = [call_stub(s, needed, tuple_items) for s in signatures]
    here = variables.keys() | functions.definitions.keys()
    declarations = [line for symbol, line in needed.items() if symbol not in here]
    return "\n".join([*variables.values(), *declarations, *functions.definitions.values(), *stubs]) + "\n"
