"""The vocabulary: every operator, gathered from the modules that define them.

`TABLE` is what the frontend, the passes, the parser of IR and the docs look operators up in.
"""

from __future__ import annotations

from tscript.definitions.opdef import OpDef
from tscript.definitions.table import OperatorTable
from tscript.dialect import machine
from tscript.operators.python import (
    appending,
    caches,
    classes,
    container_literals,
    conversions,
    dicts,
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
    attention,
    casts,
    checks,
    comparison,
    creation,
    division,
    exponential,
    indexing,
    linalg,
    logic,
    losses,
    moments,
    normalization,
    norms,
    outputs,
    reductions,
    rounding,
    selection,
    shape,
    softmax,
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
    *softmax.OPERATORS,
    *moments.OPERATORS,
    *norms.OPERATORS,
    *normalization.OPERATORS,
    *losses.OPERATORS,
    *views.OPERATORS,
    *indexing.OPERATORS,
    *creation.OPERATORS,
    *linalg.OPERATORS,
    *attention.OPERATORS,
    *outputs.OPERATORS,
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
    *container_literals.CONTAINER_LITERALS,
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
    *checks.HIDDEN,
    *strings.HIDDEN,
    *unchecked.OPERATORS,
    *appending.OPERATORS,
)
"""Operators that IR contains and nobody calls by name."""

TABLE = OperatorTable(OPERATORS, hidden=HIDDEN)
"""The whole vocabulary."""
