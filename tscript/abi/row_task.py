"""The task of a loop over rows (`tscript.backend.nodes.row_loop`): 64-bit cells.

Behind those below come, for each array, the address of its first row and the distance of rows in bytes; behind them the
scalars.
"""

LENGTH = 0
"""Cell: elements of a row."""

SCRATCH = 1
"""Cell: memory for the values of a row that later passes over it need, or null: the loop has its own for short rows."""

ARRAYS = 2
"""Cell: the first array."""

SHORT = 1 << 16
"""Bytes of scratch that a loop has on its stack at most."""
