"""The functions of the native library: kernels, and for which dtypes the operators need those that are generic."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from tscript.abi.symbols import kernel_symbol
from tscript.definitions.absent import MISSING
from tscript.definitions.opdef import Kernel, OpDef
from tscript.late import dataclass
from tscript.operators.table import TABLE
from tscript.runtime.kernels.library import GENERIC
from tscript.runtime.session.build import kernels
from tscript.runtime.session.eager_forms import USUAL
from tscript.types import BOOL, DTYPE, INT, NONE, DType, TensorType, TupleType, Type, dtypes

COMPLEX = (dtypes.complex64, dtypes.complex128)
"""Dtypes of operators that take no others."""

RANKS = (2, 1, 3)
"""Ranks with which operators are tried: each takes one of them."""


@dataclass(frozen=True, slots=True)
class Given:
    """An argument that a type rule is asked about (`tscript.definitions.opdef.Arg`)."""

    type: Type
    constant: object = MISSING


def kernel_symbols() -> list[str]:
    """The symbols of the kernels that are worth compiling ahead.

    Generic ones are there for the dtypes that operators give them when no ``dtype`` is named.
    """
    generic = {k.symbol: op for op in TABLE if isinstance(k := op.implementation, Kernel) and k.generic}
    found: dict[str, None] = {}
    for name in sorted(kernels().keys() - set(GENERIC)):
        op = generic.get(name)
        for binding in [()] if op is None else instances(op):
            found[kernel_symbol(name, binding)] = None
    return list(found)


def instances(op: OpDef) -> Iterator[tuple[DType, ...]]:
    """The dtypes that an operator with a generic kernel instantiates it for.

    Example:
        >>> [[d.machine for d in binding] for binding in instances(TABLE["mean"])]
        [['f32', 'f32'], ['f64', 'f64']]
    """
    kernel = op.implementation
    assert isinstance(kernel, Kernel)
    found: dict[tuple[DType, ...], None] = {}
    for dtype in (*USUAL, *COMPLEX):
        if dtype.is_complex and any(not d.is_complex for binding in found for d in binding):
            break
        for ranks in product(RANKS, repeat=sum(p.kind == "Tensor" for p in op.schema.parameters)):
            args = _arguments(op, dtype, ranks)
            try:
                result = op.type_rule(args)
            except (TypeError, ValueError, IndexError):
                continue
            binding = tuple(_dtype(result if i < 0 else args[i].type) for i in kernel.generic)
            if None not in binding:
                found[tuple(d for d in binding if d is not None)] = None
            break
    yield from found


def _arguments(op: OpDef, dtype: DType, ranks: Sequence[int]) -> list[Given]:
    has_tensors, left = bool(ranks), iter(ranks)
    found = []
    for parameter in op.schema.parameters:
        match parameter.kind:
            case "Tensor":
                found.append(Given(TensorType(dtype, next(left))))
            case "dtype?":
                found.append(Given(NONE, None) if has_tensors else Given(DTYPE, dtype))
            case "int[]" | "int[1]":
                found.append(Given(TupleType((INT,)), (0,)))
            case "bool":
                found.append(Given(BOOL, False))
            case kind if kind.endswith("?"):
                found.append(Given(NONE, None))
            case _:
                found.append(Given(INT, 0))
    return found


def _dtype(type: Type) -> DType | None:
    if isinstance(type, TupleType):
        return _dtype(type.elements[0])
    return type.dtype if isinstance(type, TensorType) else None


__all__ = ["instances", "kernel_symbols"]
