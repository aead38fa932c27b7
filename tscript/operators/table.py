"""The vocabulary: every operator, gathered from the modules that define them, and how names reach them.

`TABLE` is what the frontend, the passes, the parser of IR and the docs look operators up in.
"""

from __future__ import annotations

from collections.abc import Iterable

from tscript.dialect import machine
from tscript.operators.core.opdef import OpDef
from tscript.operators.core.table import OperatorTable
from tscript.operators.python import (
    appending,
    caches,
    classes,
    conversions,
    dicts,
    displays,
    exceptions,
    formatting,
    futures,
    iteration,
    lists,
    numbers,
    objects,
    own_keys,
    references,
    scalar_math,
    scalars,
    sets,
    strings,
    strings_case,
    unchecked,
)
from tscript.operators.python import python_calls as python
from tscript.operators.tensor import (
    activations,
    arithmetic,
    casts,
    comparison,
    creation,
    division,
    exponential,
    indexing,
    linalg,
    logic,
    reductions,
    rounding,
    selection,
    shape,
    tensor_lists,
    trigonometric,
    views,
)

OPERATORS: tuple[OpDef, ...] = (
    *scalars.OPERATORS,
    *scalar_math.OPERATORS,
    *arithmetic.OPERATORS,
    *division.OPERATORS,
    *rounding.OPERATORS,
    *comparison.OPERATORS,
    *selection.OPERATORS,
    *logic.OPERATORS,
    *exponential.OPERATORS,
    *trigonometric.OPERATORS,
    *casts.OPERATORS,
    *activations.OPERATORS,
    *reductions.OPERATORS,
    *views.OPERATORS,
    *indexing.OPERATORS,
    *creation.OPERATORS,
    *linalg.OPERATORS,
    *shape.OPERATORS,
    *formatting.OPERATORS,
    *lists.OPERATORS,
    *dicts.OPERATORS,
    *sets.OPERATORS,
    *iteration.ENTRIES,
    *tensor_lists.OPERATORS,
    *numbers.OPERATORS,
    *objects.OPERATORS,
    *python.OPERATORS,
    *strings.OPERATORS,
    *strings_case.OPERATORS,
)
"""The operators users can name, in resolution order."""

HIDDEN: tuple[OpDef, ...] = (
    *machine.LEAVES,
    futures.WAIT,
    machine.TUPLE_MAKE,
    machine.TUPLE_GET,
    *caches.OPERATORS,
    *conversions.CONVERSIONS,
    *displays.DISPLAYS,
    *classes.CLASSES,
    *exceptions.EXCEPTION_OPERATORS,
    *division.HIDDEN,
    *iteration.ITERATION,
    *lists.HIDDEN,
    *own_keys.OPERATORS,
    python.FLUSH,
    *references.REFERENCES,
    *scalar_math.EXTERNS,
    *scalar_math.HIDDEN,
    *scalars.HIDDEN,
    *shape.HIDDEN,
    *strings.HIDDEN,
    *unchecked.OPERATORS,
    *appending.OPERATORS,
)
"""Operators that IR contains and nobody calls by name."""

FUNCTION_ALIASES: dict[str, str] = {
    "absolute": "abs",
    "subtract": "sub",
    "multiply": "mul",
    "divide": "div",
    "true_divide": "div",
    "negative": "neg",
    "greater": "gt",
    "greater_equal": "ge",
    "less": "lt",
    "less_equal": "le",
    "not_equal": "ne",
    "clip": "clamp",
    "concat": "cat",
    "concatenate": "cat",
    "swapaxes": "transpose",
    "swapdims": "transpose",
    "fix": "trunc",
    "logsigmoid": "log_sigmoid",
}
"""PyTorch's second names; the in-place ones follow (``multiply_``)."""

METHOD_ALIASES: dict[str, str] = {
    "float": "to_float",
    "double": "to_double",
    "int": "to_int",
    "long": "to_long",
    "short": "to_short",
    "bool": "to_bool",
    "char": "to_char",
    "byte": "to_byte",
    "ndimension": "dim",
    "nelement": "numel",
    "type": "to",
    "where": "where_of",
}
"""Methods whose name as an operator means Python's builtin (``float(x)``), or that have a second name."""


def _takes_tensor(op: OpDef) -> bool:
    return bool(op.schema.parameters) and op.schema.parameters[0].kind in ("Tensor", "Tensor[]")


def _methods(operators: Iterable[OpDef]) -> dict[str, str]:
    out = {
        op.schema.name: op.schema.name
        for op in operators
        if op.schema.parameters[:1] and op.schema.parameters[0].kind == "Tensor"
    }
    out = {name: name for name in out if name not in NOT_METHODS}
    for alias, name in FUNCTION_ALIASES.items():
        out |= {alias + tail: name + tail for tail in ("", "_") if name + tail in out}
    return out | METHOD_ALIASES


def _functions(operators: Iterable[OpDef]) -> dict[str, str]:
    visible = {op.schema.name for op in operators if _takes_tensor(op)} | {op.schema.name for op in creation.OPERATORS}
    out = {name: name for name in visible if name not in NOT_FUNCTIONS}
    for alias, name in FUNCTION_ALIASES.items():
        out |= {alias + tail: name + tail for tail in ("", "_") if name + tail in out}
    return out


NOT_METHODS = frozenset({"int", "float", "bool", "len", "getitem", *scalars.BUILTIN_ONLY})
"""Operators over tensors that are no tensor methods: Python's builtins."""

NOT_FUNCTIONS = frozenset(
    {*NOT_METHODS, "dtype", "size", "stride", "T", "mT", "tensor_of_ints", "tensor_of_floats", *METHOD_ALIASES.values()}
    - {"numel"}
)
"""Operators that are no function of the ``torch`` namespace."""

TABLE = OperatorTable(
    OPERATORS,
    methods=_methods(OPERATORS),
    functions=_functions(OPERATORS),
    math=scalar_math.MATH,
    hidden=HIDDEN,
)
"""The whole vocabulary."""
