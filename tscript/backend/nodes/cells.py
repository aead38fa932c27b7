"""Values in cells: elements of lists, fields, values passed as any type (`tscript.abi.cells`)."""

from __future__ import annotations

from collections.abc import Sequence

from tscript.abi.cells import cells_of, itemsize_of
from tscript.abi.leaves import leaves
from tscript.backend.llvm.types import llvm_type, narrowed, widened
from tscript.backend.nodes.function import FunctionEmitter
from tscript.backend.nodes.referents import facts_of
from tscript.backend.nodes.state import ModuleState, Operands
from tscript.types import ScalarType, Type

CELL = ", !tbaa !4"
"""Alias metadata of loads and stores of cells: no header of a list or dict is in this memory."""

Memory = tuple[str, str, int]
"""Cells that no others overlap: of the elements of lists of one type, or of one field of a class and all that derive
from it. Loads and stores that do not say so may be of any cells."""


def element_memory(list_type: Type) -> Memory:
    """The elements of lists of a type."""
    return ("element", str(list_type), 0)


def _alias(f: FunctionEmitter, memory: Memory | None, leaf: int) -> str:
    """The alias metadata of one cell."""
    f.module.names_memory = True
    if memory is None:
        return CELL
    kind, owner, first = memory
    known = f.module.memories
    return f", !tbaa !{known.setdefault((kind, owner, first + leaf), FIRST_MEMORY + 2 * len(known) + 1)}"


FIRST_MEMORY = 10
"""The number of the first metadata node of a `Memory`; each has two."""


def memory_lines(f: ModuleState) -> tuple[str, ...]:
    """The metadata nodes of the memories of a module."""
    return tuple(
        line
        for tag in f.memories.values()
        for line in (f'!{tag - 1} = !{{!"memory {tag}", !2, i64 0}}', f"!{tag} = !{{!{tag - 1}, !{tag - 1}, i64 0}}")
    )


def store_cells(
    f: FunctionEmitter, address: str, operands: Sequence[str], type: Type, memory: Memory | None = None
) -> None:
    """Write a value to the cells at an address."""
    text = f.text
    for i, (operand, leaf) in enumerate(zip(operands, leaves(type), strict=True)):
        native = llvm_type(leaf)
        if isinstance(leaf, ScalarType):
            operand, native = widened(text, operand, leaf.dtype)
        elif native in ("i1", "i32"):
            operand, native = text.let(f"zext {native} {operand} to i64"), "i64"
        cell = text.let(f"getelementptr i64, ptr {address}, i64 {i}") if i else address
        text.line(f"store {native} {operand}, ptr {cell}{_alias(f, memory, i)}")


def load_cells(
    f: FunctionEmitter, address: str, type: Type, memory: Memory | None = None, *, is_set: bool | None = None
) -> Operands:
    """Read a value from the cells at an address. `is_set`: whether the cells of references surely hold some."""
    text = f.text
    out: list[str] = []
    for i, leaf in enumerate(leaves(type)):
        native = llvm_type(leaf)
        cell = text.let(f"getelementptr i64, ptr {address}, i64 {i}") if i else address
        if isinstance(leaf, ScalarType):
            wide = "double" if leaf.dtype.is_floating_point else "i64"
            out.append(narrowed(text, text.let(f"load {wide}, ptr {cell}{_alias(f, memory, i)}"), leaf.dtype))
            continue
        wide = "i64" if native in ("i1", "i32") else native
        facts = "" if is_set is None else facts_of(leaf, is_set)
        found = text.let(f"load {wide}, ptr {cell}{_alias(f, memory, i)}{facts}")
        out.append(found if wide == native else text.let(f"trunc i64 {found} to {native}"))
    return tuple(out)


def element_address(f: FunctionEmitter, data: str, number: str, element: Type) -> str:
    """Where an element of a list lies."""
    size = itemsize_of(element)
    if size == 1:
        return f.text.let(f"getelementptr i8, ptr {data}, i64 {number}")
    offset = number if size == 8 else f.text.let(f"mul nsw i64 {number}, {size // 8}")
    return f.text.let(f"getelementptr i64, ptr {data}, i64 {offset}")


def store_element(
    f: FunctionEmitter, address: str, operands: Sequence[str], element: Type, memory: Memory | None = None
) -> None:
    """Write a value to where an element of a list lies."""
    if itemsize_of(element) != 1:
        store_cells(f, address, operands, element, memory)
        return
    (operand,) = operands
    if llvm_type(element) == "i1":
        operand = f.text.let(f"zext i1 {operand} to i8")
    f.text.line(f"store i8 {operand}, ptr {address}{_alias(f, memory, 0)}")


def load_element(
    f: FunctionEmitter, address: str, element: Type, memory: Memory, *, is_set: bool | None = None
) -> Operands:
    """Read a value from where an element of a list lies; `is_set` as for `load_cells`."""
    if itemsize_of(element) != 1:
        return load_cells(f, address, element, memory, is_set=is_set)
    found = f.text.let(f"load i8, ptr {address}{_alias(f, memory, 0)}")
    return (f.text.let(f"trunc i8 {found} to i1") if llvm_type(element) == "i1" else found,)


def cells(f: FunctionEmitter, operands: Sequence[str], type: Type) -> str:
    """A value in cells on the stack; their address."""
    count = cells_of(type)
    if not count:
        return "null"
    address = f.text.alloca(f"[{count} x i64]", "cells")
    store_cells(f, address, operands, type)
    return address
