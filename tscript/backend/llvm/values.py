"""LLVM types of values: those of their leaves (`tscript.abi.leaves`)."""

from __future__ import annotations

from tscript.abi.leaves import leaves
from tscript.backend.llvm.types import llvm_type, memory_type
from tscript.types import Type, kept_by_type


@kept_by_type
def register_types(type: Type) -> tuple[str, ...]:
    """The LLVM types of the leaves of `type` in registers."""
    return tuple(llvm_type(leaf) for leaf in leaves(type))


@kept_by_type
def native_types(type: Type) -> tuple[str, ...]:
    """The LLVM types of the leaves of `type` as parameters, results and in memory."""
    return tuple(memory_type(leaf) for leaf in leaves(type))
