"""How a fused group walks over tensors that are not all contiguous and of one shape: the plan and the task.

Both are arrays of 64-bit cells on the stack of the group. The *task* is what the group's loop reads: for each array its
address and a mask (-1; 0 for an array that repeats one element, which then lies at the address a whole vector wide),
behind them the scalars. The *plan* belongs to the kernels `rows_begin` and `rows_next`, which set the addresses in the task
for one run of elements after the other:

    rows_begin(plan)
    while (n = rows_next(plan)) > 0: loop(task, 0, n)

The arrays of a plan are the inputs, then the outputs. Strides are in bytes.
"""

from __future__ import annotations

CAPACITY = 0
"""Cell: dimensions that were given, at least 1."""
INPUTS = 1
"""Cell: arrays that are read."""
ARRAYS = 2
"""Cell: all arrays."""
TASK = 3
"""Cell: address of the task."""
REPEAT = 4
"""Cell: how many copies of a repeated element its buffer needs."""
RANK = 5
"""Cell: dimensions that are left (set by `rows_begin`)."""
DONE = 6
"""Cell: elements of the current row that are finished."""
COUNT = 7
"""Cell: elements of the run before; -1 at first, 0 when everything is done."""
BUFFERED = 8
"""Cell: whether an array goes through its buffer."""
HEAD = 9
"""Cells before the sizes; behind those the odometer's index, then the arrays."""

POINTER = 0
"""Cell of an array: address of its element at the current row's start."""
ITEMSIZE = 1
"""Cell of an array: bytes of an element."""
KIND = 2
"""Cell of an array: one of the kinds below (set by `rows_begin`)."""
BUFFER = 3
"""Cell of an array: address of `BLOCK` elements of its own."""
REPEATED_FROM = 4
"""Cell of an array: the address whose element fills its buffer now."""
ARRAY_HEAD = 5
"""Cells of an array before its strides."""

DIRECT = 0
"""Kind: the loop reads or writes the array itself."""
REPEATED = 1
"""Kind: an input of inner stride 0."""
GATHERED = 2
"""Kind: elements are moved through the buffer."""

BLOCK = 256
"""Elements of a run that goes through buffers, at most."""


def plan_cells(capacity: int, arrays: int) -> int:
    """How many cells a plan takes.

    Example:
        >>> plan_cells(2, 3)
        34
    """
    return array_cell(capacity, arrays)


def array_cell(capacity: int, array: int) -> int:
    """The first cell of an array, by its number."""
    return HEAD + 2 * capacity + array * (ARRAY_HEAD + capacity)
