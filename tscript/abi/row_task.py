"""The task of a loop over rows (`tscript.backend.nodes.row_loop`): 64-bit cells.

A loop runs over the rows of a *run*. Behind the cells below come, for each array, the address of its first row and the
distance of rows in bytes; behind them the scalars.
"""

LENGTH = 0
"""Cell: elements of a row."""

SCRATCH = 1
"""Cell: memory for the values of a row that later passes over it need, or null: the loop has its own for short rows."""

ARRAYS = 2
"""Cell: the first array."""

# ---- the plan, which says where the next run begins

OUTER = 0
"""Cell: dimensions outside of a run."""

RUN = 1
"""Cell: rows of a run."""

PLAN_HEAD = 2
"""Cells before the dimensions."""

SIZE = 0
"""Cell of a dimension."""

INDEX = 1
"""Cell of a dimension: where the walk is."""

DIMENSION_HEAD = 2
"""Cells of a dimension before the distances in bytes, one for each array that is read."""

# ----

FEW = 8
"""So many rows of less than `LANES` elements are faster in one loop than in a kernel for each operator."""

SHORT = 1 << 16
"""Bytes of scratch that a loop has on its stack at most."""
