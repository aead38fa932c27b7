"""The record of a group's loop that a kernel may run over its result: cells of 64 bits."""

LOOP, TASK, DONE, OPERAND_COUNT, IN_CELL, OUT_CELL, OPERANDS = range(7)
"""The addresses of the loop and of its task (`tscript.abi.rows`); whether the kernel has run it; how many tensors there
are besides the result of the kernel; the cells of the task for the address of that result where it is read (-1: it is
not) and where it is written; from ``OPERANDS`` on the addresses of the other tensors."""

__all__ = ["DONE", "IN_CELL", "LOOP", "OPERANDS", "OPERAND_COUNT", "OUT_CELL", "TASK"]
