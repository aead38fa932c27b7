"""Leaves: the native values that a value consists of. Tuples are flattened, None has none.

=========================== ===================== =========================
type                        register              parameter, result, memory
=========================== ===================== =========================
bool                        i1                    i8
int, float, f32, i32, Ptr…  as they are           the same
Tensor, Size                ptr to a `TensorImpl` the same
Future                      ptr to a `Future`     the same
dtype                       i32 code              the same
str, list, class, union …   ptr to a heap object  the same
Optional of a heap value    the same, or null     the same
Optional of anything else   i1, then its leaves   i8, then its leaves
complex                     two doubles           the same
enum, device, layout …      i64                   the same
tuple                       its leaves            its leaves
None, type                  nothing               nothing
=========================== ===================== =========================
"""

from __future__ import annotations

from tscript.types import (
    BOOL,
    COMPLEX,
    FLOAT,
    INT,
    NEVER,
    NONE,
    OPTIONS,
    TYPE,
    EnumType,
    FutureType,
    OptionalType,
    SizeType,
    TensorType,
    TupleType,
    Type,
    is_heap,
    kept_by_type,
    optional,
)

_NOTHING = frozenset({NONE, TYPE, NEVER})
_PLAIN: dict[Type, tuple[Type, ...]] = {COMPLEX: (FLOAT, FLOAT), **dict.fromkeys(OPTIONS, (INT,))}


@kept_by_type
def leaves(type: Type) -> tuple[Type, ...]:
    """The native values that one value of `type` consists of.

    Example:
        >>> from tscript.types import FLOAT, INT
        >>> leaves(TupleType((INT, NONE, TupleType((FLOAT, INT)))))
        (SimpleType(name='int'), SimpleType(name='float'), SimpleType(name='int'))
    """
    match type:
        case TupleType():
            return tuple(leaf for element in type.elements for leaf in leaves(element))
        case OptionalType() if not is_heap(type.value):
            return (BOOL, *(optional(leaf) if is_heap(leaf) else leaf for leaf in leaves(type.value)))
        case EnumType():
            return (INT,)
    if type in _NOTHING:
        return ()
    return _PLAIN.get(type, (type,))


def is_tensor(leaf: Type) -> bool:
    """Whether a leaf is a tensor, a size or a future: never null, and counted by functions of its own."""
    return isinstance(leaf, TensorType | SizeType | FutureType)
