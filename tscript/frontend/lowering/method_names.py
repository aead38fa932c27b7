"""The methods of builtin types by name, and suggestions for missing ones."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from functools import lru_cache

from tscript.definitions.opdef import Native, OpDef
from tscript.definitions.table import OperatorTable
from tscript.diagnostics.suggest import meant
from tscript.frontend.diagnostics import elsewhere
from tscript.frontend.lowering.arguments import Function
from tscript.frontend.lowering.function import FunctionLowering
from tscript.frontend.lowering.hints import unannotated
from tscript.operators.python.functions import complex_numbers, floats, ints
from tscript.types import BOOL, COMPLEX, FLOAT, INT, Type


def methods_of(lowering: FunctionLowering, kind: str) -> dict[str, list[OpDef]]:
    """The operators that are methods of a kind of receiver, by name."""
    return _methods_of(lowering.program.resolver.table, kind)


@lru_cache(maxsize=64)
def _methods_of(table: OperatorTable, kind: str) -> dict[str, list[OpDef]]:
    found: dict[str, list[OpDef]] = {}
    wanted = "list" if kind == "tuple" else kind
    for op in table.of_kind(wanted) if kind else ():
        if (
            isinstance(op.implementation, Native)
            and op.schema.parameters
            and (op.schema.name not in NOT_METHODS or (kind, op.schema.name) == ("set", "add"))
            and (kind != "tuple" or op.schema.name in ("index", "count"))
        ):
            found.setdefault(op.schema.name, []).append(op)
    return found


NOT_METHODS = frozenset(
    {
        *(
            "add",
            "sub",
            "mul",
            "div",
            "floor_divide",
            "remainder",
            "pow",
            "eq",
            "ne",
            "lt",
            "le",
            "gt",
            "ge",
            "iadd",
            "imul",
        ),
        *(
            "getitem",
            "setitem",
            "delitem",
            "slice",
            "set_slice",
            "delete_slice",
            "len",
            "contains",
            "bool",
            "int",
            "float",
            "str",
        ),
        *(
            "bitwise_and",
            "bitwise_or",
            "bitwise_xor",
            "min",
            "max",
            "sum",
            "sorted",
            "argsort",
            "argmin",
            "argmax",
            "permute",
        ),
        *(
            "next_entry",
            "entry_key",
            "entry_value",
            "set",
            "list",
            "dict",
            "to_tuple",
            "format",
            "repr",
            "hash",
            "ord",
            "chr",
        ),
        *(
            "ascii",
            "print",
            "percent_format",
            "to_list",
            "to_set",
            "to_dict",
            "take",
            "ior",
            "iand",
            "isub",
            "ixor",
            "fromkeys",
        ),
    }
)
"""Operators of strings and containers that are written as signs or builtins."""


def missing(lowering: FunctionLowering, node: ast.expr | None, kind: str, name: str, names: Iterable[str]) -> str:
    """What to write for a method or attribute that a value does not have; empty where nothing is known.

    Args:
        lowering: Of the function around.
        node: The value as written, if it is.
        kind: Its name in schemas, or "Tensor".
        name: The missing name.
        names: The existing names.
    """
    if kind == "Tensor" and isinstance(node, ast.Name):
        of = next((k for k in elsewhere.KINDS if name in methods_of(lowering, k)), "")
        if of and (found := unannotated(lowering.function, lowering.scope, node, elsewhere.KINDS[of])):
            return found
    if found := elsewhere.method(kind, name):
        return found
    close = meant(name, names)
    if not close and kind == "tuple":
        return "a tuple is immutable and has no methods but 'count' and 'index'; use a list"
    return f"did you mean '{close}'?" if close else ""


_METHODS: dict[tuple[Type, str], Function] = {
    (INT, "bit_length"): ints.bit_length,
    (INT, "bit_count"): ints.bit_count,
    (INT, "to_bytes"): ints.to_bytes,
    (INT, "as_integer_ratio"): ints.int_ratio,
    (FLOAT, "is_integer"): floats.is_whole,
    (FLOAT, "as_integer_ratio"): floats.float_ratio,
    (FLOAT, "hex"): floats.float_hex,
    (COMPLEX, "conjugate"): complex_numbers.complex_conjugate,
}


def number_methods(type: Type) -> list[str]:
    """The names of the methods of a type of numbers."""
    wanted = INT if type == BOOL else type
    return [name for known, name in _METHODS if known == wanted]
