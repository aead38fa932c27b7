"""Values as LLVM operands: tuples are flattened into leaves, texts and None have none.

=========================== ===================== =========================
type                        register              parameter, result, memory
=========================== ===================== =========================
bool                        i1                    i8
int, float, f32, i32, Ptr…  as they are           the same
Tensor, Size                ptr to a `TensorImpl` the same
Future                      ptr to a `Future`     the same
dtype                       i32 code              the same
tuple                       its leaves            its leaves
None, str, type             nothing               nothing
=========================== ===================== =========================
"""

from __future__ import annotations

from functools import cache

from tscript.backend.machine import llvm_type, memory_type
from tscript.types import NEVER, NONE, STR, TYPE, FutureType, SizeType, TensorType, TupleType, Type

_NOTHING = frozenset({NONE, STR, TYPE, NEVER})


@cache
def leaves(type: Type) -> tuple[Type, ...]:
    """The native values that one value of `type` consists of.

    Example:
        >>> from tscript.types import FLOAT, INT
        >>> leaves(TupleType((INT, NONE, TupleType((FLOAT, INT)))))
        (SimpleType(name='int'), SimpleType(name='float'), SimpleType(name='int'))
    """
    if isinstance(type, TupleType):
        return tuple(leaf for element in type.elements for leaf in leaves(element))
    return () if type in _NOTHING else (type,)


@cache
def is_counted(type: Type) -> bool:
    """Whether values of `type` own references: tensors, sizes, futures, and tuples with one inside."""
    if isinstance(type, TupleType):
        return any(map(is_counted, type.elements))
    return isinstance(type, TensorType | SizeType | FutureType)


@cache
def register_types(type: Type) -> tuple[str, ...]:
    """The LLVM types of the leaves of `type` in registers."""
    return tuple(llvm_type(leaf) for leaf in leaves(type))


@cache
def native_types(type: Type) -> tuple[str, ...]:
    """The LLVM types of the leaves of `type` as parameters, results and in memory."""
    return tuple(memory_type(leaf) for leaf in leaves(type))
