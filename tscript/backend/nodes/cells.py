"""Values in cells: elements of lists, fields, values passed as any type (`tscript.abi.cells`)."""

from __future__ import annotations

from collections.abc import Sequence

from tscript.abi.cells import cells_of
from tscript.abi.leaves import leaves
from tscript.backend.llvm.types import llvm_type
from tscript.backend.nodes.function import FunctionEmitter
from tscript.backend.nodes.state import Operands
from tscript.types import Type

CELL = ", !tbaa !4"
"""Alias metadata of loads and stores of cells: no header of a list or dict is in this memory."""


def store_cells(f: FunctionEmitter, address: str, operands: Sequence[str], type: Type) -> None:
    """Write a value to the cells at an address."""
    text = f.text
    for i, (operand, leaf) in enumerate(zip(operands, leaves(type), strict=True)):
        native = llvm_type(leaf)
        if native in ("i1", "i32"):
            operand, native = text.let(f"zext {native} {operand} to i64"), "i64"
        cell = text.let(f"getelementptr i64, ptr {address}, i64 {i}") if i else address
        text.line(f"store {native} {operand}, ptr {cell}{CELL}")
        f.module.names_memory = True


def load_cells(f: FunctionEmitter, address: str, type: Type) -> Operands:
    """Read a value from the cells at an address."""
    text = f.text
    out: list[str] = []
    for i, leaf in enumerate(leaves(type)):
        native = llvm_type(leaf)
        cell = text.let(f"getelementptr i64, ptr {address}, i64 {i}") if i else address
        wide = "i64" if native in ("i1", "i32") else native
        found = text.let(f"load {wide}, ptr {cell}{CELL}")
        f.module.names_memory = True
        out.append(found if wide == native else text.let(f"trunc i64 {found} to {native}"))
    return tuple(out)


def cells(f: FunctionEmitter, operands: Sequence[str], type: Type) -> str:
    """A value in cells on the stack; their address."""
    count = cells_of(type)
    if not count:
        return "null"
    address = f.text.alloca(f"[{count} x i64]", "cells")
    store_cells(f, address, operands, type)
    return address
