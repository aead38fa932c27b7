"""Tier 3: groups of pointwise operators behind a kernel, which it runs over its result while that is in the cache.

Code that calls such a kernel and then a fused group over its result may hand the kernel a *record* of the group's loop
(`tscript.backend.nodes.epilogues`). If all that the group reads has the shape and layout of the result, the kernel
calls the loop for each range of elements that it has finished, in place, and says so in the record. Else nothing
happens, and the group runs behind the kernel.
"""

from __future__ import annotations

from tscript.abi.epilogues import DONE, IN_CELL, LOOP, OPERAND_COUNT, OPERANDS, TASK
from tscript.abi.layout import TENSOR_CONTIGUOUS
from tscript.dialect import Context, Ptr, TensorImpl, address, b8, context, i32, i64, pointer
from tscript.dialect.linkage import c_signature
from tscript.runtime.kernels.tensor import sizes_of

run_loop = c_signature(i32, Ptr[Context], Ptr[i64], i64, i64)
"""The loop of a group: ``(function, context, task, begin, end)``."""


def has_shape_of(a: Ptr[TensorImpl], b: Ptr[TensorImpl]) -> b8:
    """Whether two tensors have one shape, and the first one no gaps."""
    if a.flags & TENSOR_CONTIGUOUS == 0 or a.ndim != b.ndim:
        return False
    found = True
    for i in range(i64(a.ndim)):
        found = found and sizes_of(a)[i] == sizes_of(b)[i]
    return found


def accepted(record: i64, out: Ptr[TensorImpl]) -> i64:
    """The address of a record whose loop may run over `out`, a new tensor; 0 if it may not, or there is none."""
    if record == 0:
        return 0
    cells = pointer(record, i64)
    for i in range(cells[OPERAND_COUNT]):
        if not has_shape_of(pointer(cells[OPERANDS + i], TensorImpl), out):
            return 0
    task = pointer(cells[TASK], i64)
    for cell in range(2):
        at = cells[IN_CELL + cell]
        if at >= 0:
            task[at] = address(out.data)
            task[at + 1] = -1
    return record


def run_epilogue(record: i64, begin: i64, n: i64) -> None:
    """Run the loop over `n` elements from `begin` on, if there is one."""
    if record != 0:
        cells = pointer(record, i64)
        run_loop(pointer(cells[LOOP], Context), context(), pointer(cells[TASK], i64), begin, begin + n)


def finish_epilogue(record: i64) -> None:
    """Note that the loop has run over all elements."""
    if record != 0:
        pointer(record, i64)[DONE] = 1
