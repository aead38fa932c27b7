"""The error when no overload of an operator takes the arguments."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from tscript.frontend.diagnostics import advice, container_errors, elsewhere, type_errors
from tscript.frontend.diagnostics.type_names import kind_of_receiver, shown
from tscript.ir.graph import Value
from tscript.types import BOOL, FLOAT, INT, STR, ListType, TensorType, dtypes

if TYPE_CHECKING:
    from tscript.definitions.opdef import OperatorTypeError
    from tscript.definitions.table import OperatorTable
    from tscript.diagnostics import Diagnostic, Span

_TAKEN = re.compile(r"'\w+' must be (.+), not ")
"""Why an overload does not take an argument."""

MAX_NOTES = 6
"""Overloads shown when an operator refuses its arguments."""


def _mend(table: OperatorTable, text: str, args: Sequence[Value], kwargs: Mapping[str, Value], name: str) -> str:
    """What to write instead of a form that other libraries have; empty where nothing is known."""
    for keyword in kwargs:
        if keyword in elsewhere.KEYWORDS and keyword in text and not (keyword == "device" and name == "to"):
            return elsewhere.KEYWORDS[keyword]
    tensors = [isinstance(a.type, TensorType) for a in args]
    owner, _, function = name.rpartition(".")
    if owner == "math" and any(tensors):
        known = function in table.functions
        return f"it takes numbers; for tensors use tscript.{function}(...)" if known else "it takes numbers: float(x)"
    if (dtype := kwargs.get("dtype")) is not None and dtype.type == STR:
        return "use a dtype of tscript: tscript.float32"
    if function == "tensor" and any(tensors):
        return "it is a tensor: x.clone() copies it"
    if name == "to" and len(args) > 1 and args[1].type == STR:
        named = text.rpartition("device string: ")[2]
        return f"use a dtype of tscript: tscript.{named}" if named in dtypes.BY_NAME else elsewhere.ON_CPU
    if function in ("cat", "stack", "concat", "hstack", "vstack") and len(args) > 1 and all(tensors):
        return "put the tensors into a list: [x, y]"
    if owner in ("torch", "tscript") and args and isinstance(args[0].type, ListType):
        if args[0].type.element in (INT, FLOAT, BOOL):
            return "convert the list: tscript.tensor(xs)"
    return ""


def refusal(
    table: OperatorTable,
    error: OperatorTypeError,
    name: str,
    args: Sequence[Value],
    kwargs: Mapping[str, Value],
    span: Span,
    shown_as: str,
) -> Diagnostic:
    """The error: no overload of an operator takes the arguments.

    Args:
        table: The operators.
        error: The error of overload resolution.
        name: Of the operator.
        args, kwargs: The arguments.
        span: The place of the call.
        shown_as: The operator as the user wrote it.
    """
    values = [*args, *kwargs.values()]
    if nothing := container_errors.nothing_said(values, span):
        return nothing
    text = str(error)
    for value in values:
        text = text.replace(str(value.type), shown(value.type))
    first, *rest = text.split("\n")
    notes: list[str] = []
    for line in rest:
        if line.startswith("   ") and notes:
            notes[-1] += f": {line.strip()}"
        else:
            notes.append(line.strip())
    if shown_as and not shown_as[0].isalpha():
        found = " and ".join(shown(a.type) for a in args)
        return type_errors.OperatorRefused(
            span, f"'{shown_as}' does not take {found}", advice.operands(shown_as, [a.type for a in args])
        )
    if shown_as:
        first = first.replace(f"'{name}'", f"'{shown_as}'", 1)
    instead = advice.narrowing(a.type for a in values) or _mend(table, str(error), args, kwargs, shown_as or name)
    kind = kind_of_receiver(args[0].type) if args else ""
    alike = [n for n in notes if n.startswith((f"{name}.{kind}(", f"{name}.{kind}_"))] if kind else []
    if not alike and any(isinstance(a.type, TensorType) for a in values):
        alike = [n for n in notes if "Tensor" in n.partition("->")[0]]
    taken = [_TAKEN.search(n) for n in notes]
    if not shown_as and len(notes) > 1 and all(taken):
        kinds = list(dict.fromkeys(m[1] for m in taken if m))
        instead = instead or f"it takes {', '.join(kinds[:-1])} or {kinds[-1]}" if len(kinds) > 1 else instead
    if instead:
        first, _, _ = first.partition("; its overloads are:")
    elif len(alike) == 1 and len(notes) > 1:
        written, _, why = alike[0].partition(" -> ")
        result, _, why = why.partition(": ")
        first = f"{first.partition('; its overloads are:')[0]}: {why}"
        notes = [f"{written} -> {result}"]
    return type_errors.OperatorRefused(span, first, instead, () if instead else tuple((alike or notes)[:MAX_NOTES]))
