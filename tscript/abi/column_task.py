"""The task of a loop over columns (`tscript.backend.nodes.column_loop`): 64-bit cells.

Behind the cells below come, for each array, the address of its first element and the distance of rows in bytes; behind
them the scalars.
"""

ROWS = 0
"""Cell: how many elements are reduced for each column."""

COLUMNS = 1
"""Cell: elements of a row."""

ARRAYS = 2
"""Cell: the first array."""

FEWEST = 32
"""Columns that a loop has at least."""
