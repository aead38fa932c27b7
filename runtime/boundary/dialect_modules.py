"""LLVM modules of what Python modules define in the low-level dialect.

Such a module has two tuples: `FUNCTIONS` that it exports or takes the address of, and `VARIABLES` that are its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType

from tscript.abi.signature import Signature
from tscript.backend.llvm.emitted import Emitted
from tscript.backend.llvm.target import Target
from tscript.dialect.linkage import linkage_of, variable_of


def exports_of(modules: Sequence[ModuleType]) -> tuple[str, ...]:
    """The symbols of functions and variables that others see."""
    functions = [linkage_of(f).symbol for module in modules for f in module.FUNCTIONS]
    variables = [variable_of(v) for module in modules for v in module.VARIABLES]
    return (*filter(None, functions), *(v.symbol for v in variables if v.is_exported))


def emit_modules(
    modules: Sequence[ModuleType], target: Target, stubs: Sequence[Signature] = (), tuple_items: int = 0
) -> Emitted:
    """One LLVM module of them all.

    Args:
        modules: What is in it, with all that these functions call.
        target: What it is compiled for.
        stubs: Signatures whose stubs are in it too.
        tuple_items: Offset of the first item of a Python tuple.
    """
    from tscript.backend.c_functions import emit_module
    from tscript.frontend import lower_functions

    program, linkage = lower_functions([function for module in modules for function in module.FUNCTIONS])
    variables = [variable_of(v) for module in modules for v in module.VARIABLES]
    return emit_module(program, linkage, variables, target, stubs, tuple_items)
