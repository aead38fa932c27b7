"""How a fused group walks over tensors that are not all contiguous and of one shape.

Four arrays of 64-bit cells, shared by generated code and the kernels of `tscript.runtime.kernels.rows`:

- The *program* is constant data of the group: its numbers, then what every member takes. No rank is in it.
- The *plan* is the kernels' working memory, on the stack of the group.
- The *task* is what the group's loop reads: for each array its address and a mask (-1; 0 for an array that repeats one
  element, which then lies at the address a whole vector wide), behind them the scalars.
- The *buffers*: `BLOCK_BYTES` for each array.

A group runs::

    plan[CAPACITY] = the largest rank of the tensors
    site = broadcast_members(program, plan, tensors)    # -1, or which of the group's sites to raise at
    allocate results of the sizes that are in the plan
    rows_delay(written, arrays, plan)                   # only if something is written in place
    rows_begin(program, plan, arrays, task, buffers)
    while (n = rows_next(program, plan, task)) > 0: loop(task, 0, n)

Long ones are divided: ``rows_parts(plan)`` says into how many units at most, and each thread runs
``rows_enter(program, shared, plan, task, buffers, begin, end)`` on a plan, a task and buffers of its own, then the loop
above; ``shared`` are the cells below.

``tensors`` are all tensors with dimensions that the members take; ``arrays`` are those whose elements are read, then
those that are written, as in the task.
"""

from __future__ import annotations

# ---- the program

TENSORS = 0
"""Cell: how many tensors the members take."""
MEMBERS = 1
"""Cell: how many members there are."""
INPUTS = 2
"""Cell: arrays that are read."""
ARRAYS = 3
"""Cell: all arrays."""
REPEAT = 4
"""Cell: how many copies of a repeated element a vector needs."""
WRITTEN = 5
"""Cell: the tensor that the last member writes in place, or -1."""
FIRST_MEMBER = 6
"""Cell: a member is the number of its operands with dimensions, then each: a tensor, or `TENSORS` plus an earlier
member."""

# ---- the plan

DONE = 0
"""Cell: elements of the current row that are finished."""
COUNT = 1
"""Cell: elements of the run before; -1 at first, 0 when everything is done."""
BUFFERED = 2
"""Cell: whether an array goes through its buffer."""
MINOR = 3
"""Cell: 0, or the size of a short innermost dimension that is walked together with the next one as one row."""
CAPACITY = 4
"""Cell: dimensions of the tensor that has most of them. It is set before anything else: it says where cells are."""
DELAY = 5
"""Cell: 0, or the address of the cells of results that wait (below)."""
TILED = 6
"""Cell: whether the runs at one place of all rows follow each other, before those behind them: what is gathered from
one line of memory for one row, the next rows need too."""
LEFT = 7
"""Cell: elements that are left, of the whole group or of the range of one thread."""
IN_ORDER = 8
"""Cell: whether something is read from places that are written later, so that one thread walks from the first element
to the last."""
RANK = 9
"""Cell: dimensions of the whole group, after `rows_begin` those that are left. With the sizes behind it, it is a
shape."""
HEAD = 10
"""Cells before the sizes; behind those the odometer's index, the shapes, the arrays."""

POINTER = 0
"""Cell of an array: address of its element at the current row's start."""
ITEMSIZE = 1
"""Cell of an array: bytes of an element."""
KIND = 2
"""Cell of an array: one of the kinds below."""
BUFFER = 3
"""Cell of an array: address of its buffer."""
REPEATED_FROM = 4
"""Cell of an array: the address whose element fills its buffer now."""
ARRAY_HEAD = 5
"""Cells of an array before its strides, which are in bytes."""

DIRECT = 0
"""Kind: the loop reads or writes the array itself."""
REPEATED = 1
"""Kind: an input of inner stride 0."""
GATHERED = 2
"""Kind: elements are moved through the buffer."""
DELAYED = 3
"""Kind: what is written waits until nothing reads its place any more."""

BLOCK = 256
"""Elements of a run that goes through buffers, at most."""
BLOCK_BYTES = BLOCK * 16
LINE = 64
"""Bytes of memory that are in the cache together."""
UNIT = 1024
"""Elements of the units that are divided among threads, at most."""
UNITS = 8
"""Units that are worth another thread."""
TILE_ROWS = 16
"""Rows of a unit of a walk that is `TILED`."""
SHORT = 32
"""Rows of at most this many elements are not worth a run of their own."""


# ---- what threads share

SHARED_PLAN, SHARED_TASK, SHARED_CELLS, SHARED_TASK_CELLS = range(4)
"""Cells: the addresses of a plan and a task that `rows_begin` has prepared; how many cells both have."""
SHARED_HEAD = 4


# ---- results that wait

NEXT = 0
"""Cell: the number of the next run."""
OLDEST = 1
"""Cell: that of the oldest run that waits."""
RUNS = 2
"""Cell: how many runs may wait."""
BEHIND = 3
"""Cell: how many bytes behind the place that is written something is still read."""
ROOM = 4
"""Cell: bytes for the results of all runs."""
OFFSET = 5
"""Cell: where in them the next run begins."""
DELAY_HEAD = 6
"""Cells before those of the runs, which are as many as may wait; behind these stand the results."""
RUN_POINTER, RUN_DONE, RUN_COUNT, RUN_OFFSET = range(4)
"""Cells of a run: `POINTER` of the array, `DONE` and `COUNT` as they were, and where its results are."""
RUN_CELLS = 4
DELAY_BLOCK = 1024
"""Elements of a run whose results wait, at most."""


def shape_cell(capacity: int, shape: int) -> int:
    """The first cell of a shape in the plan: its rank, then its sizes, aligned to the right in `capacity` cells.

    Args:
        capacity: The cell of the plan.
        shape: A tensor by its number, or the number of tensors plus that of a member.
    """
    return HEAD + 2 * capacity + shape * (1 + capacity)


def plan_cells(shapes: int, arrays: int) -> tuple[int, int]:
    """How many cells a plan takes, with the shapes of all tensors and members: so many, and so many per dimension.

    Example:
        >>> plan_cells(3, 3)
        (28, 8)
    """
    return shape_cell(0, shapes) + arrays * ARRAY_HEAD, shape_cell(1, shapes) - shape_cell(0, shapes) + arrays
