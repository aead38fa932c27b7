"""Constants as operands: literals, and symbols of constants in memory."""

from __future__ import annotations

import numpy as np

from tscript.abi.layout import TENSOR_STRUCT
from tscript.abi.leaves import leaves
from tscript.abi.symbols import type_symbol
from tscript.backend.llvm.text import Text
from tscript.backend.llvm.types import literal, llvm_type
from tscript.backend.nodes.state import ModuleState, Operands
from tscript.definitions.shared import Shared
from tscript.diagnostics import InternalError, Span
from tscript.types import (
    ANY,
    BYTES,
    COMPLEX,
    FLOAT,
    STR,
    EnumType,
    OptionalType,
    TupleType,
    Type,
    UnionType,
    is_counted,
)
from tscript.types.options import Option

ZEROS = {"ptr": "null", "double": "0.0", "i1": "false"}
"""The placeholder of a missing value, by LLVM type; 0 for the others."""


def constant_operands(module: ModuleState, text: Text, value: object, type: Type, span: Span) -> Operands:
    """The operands of a constant, whose data and symbols are added to the module."""
    if isinstance(type, TupleType):
        assert isinstance(value, tuple)
        parts = zip(value, type.elements, strict=True)
        return tuple(o for v, t in parts for o in constant_operands(module, text, v, t, span))
    if not leaves(type):
        return ()
    if isinstance(type, OptionalType | UnionType) or type == ANY:
        if value is not None:
            raise InternalError(f"a constant {type} has no place in native code", span)
        return tuple(ZEROS.get(llvm_type(leaf), "0") for leaf in leaves(type))
    if type in (STR, BYTES):
        text.declare_global(type_symbol(type))
        assert isinstance(value, str | bytes)
        return (module.constants.str_object(value),)
    if type == COMPLEX:
        assert isinstance(value, complex)
        return (literal(value.real, FLOAT), literal(value.imag, FLOAT))
    if isinstance(value, Option):
        return (str(value.number),)
    if isinstance(type, EnumType):
        return (str(list(type.info.members).index(str(value))),)
    if isinstance(value, Shared) and module.shared_symbol is not None:
        symbol = module.shared_symbol(value, type)
        return (text.declare_global(symbol),)
    if is_counted(type):
        if module.tensor_symbol is None or not isinstance(value, np.ndarray):
            raise InternalError(f"a constant {type} has no place in native code", span)
        symbol = module.tensor_symbol(value)
        size = TENSOR_STRUCT.size + 2 * 8 * value.ndim
        return (text.declare_global(symbol, f"[{size} x i8]"),)
    return (literal(value, type),)
