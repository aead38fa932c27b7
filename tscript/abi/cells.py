"""How values lie in memory that holds any of them: rows of cells of eight bytes (`tscript.abi.kinds.TypeKind`).

Only elements of lists may be smaller (`itemsize_of`).
"""

from __future__ import annotations

from tscript.abi.kinds import TypeKind
from tscript.late import dataclass
from tscript.types import (
    ANY,
    BOOL,
    BYTES,
    COMPLEX,
    DTYPE,
    FLOAT,
    GENERATOR,
    INT,
    NEVER,
    NONE,
    OPTIONS,
    STR,
    ArrayType,
    CallableType,
    ClassInfo,
    ClassType,
    DictType,
    EnumType,
    FutureType,
    ListType,
    OptionalType,
    ScalarType,
    SetType,
    SizeType,
    TensorType,
    TupleType,
    Type,
    UnionType,
    dtypes,
    is_heap,
    kept_by_type,
)
from tscript.types.dtypes import Category


@dataclass(frozen=True, slots=True, eq=False)
class LateType(Type):
    """How a field that may be read before it is set lies in an instance (`ClassInfo.late`). No value is of this
    type."""

    value: Type

    def __str__(self) -> str:
        return f"late {self.value}"


_KINDS: dict[Type, TypeKind] = {
    NONE: TypeKind.NONE,
    NEVER: TypeKind.NONE,
    INT: TypeKind.INT,
    FLOAT: TypeKind.FLOAT,
    BOOL: TypeKind.BOOL,
    COMPLEX: TypeKind.COMPLEX,
    DTYPE: TypeKind.DTYPE,
    **dict.fromkeys(OPTIONS, TypeKind.ENUM),
    ANY: TypeKind.OBJECT,
    STR: TypeKind.STR,
    BYTES: TypeKind.BYTES,
    GENERATOR: TypeKind.TENSOR,
}
_SCALARS: dict[int, TypeKind] = {
    Category.BOOL: TypeKind.BOOL, Category.INTEGER: TypeKind.INT, Category.FLOAT: TypeKind.FLOAT
}  # fmt: skip
"""NumPy scalars lie in cells as numbers of Python do; `TypeInfo.flags` tell their dtypes."""
_KINDS_BY_CLASS: dict[type[Type], TypeKind] = {
    TupleType: TypeKind.TUPLE,
    ListType: TypeKind.LIST,
    DictType: TypeKind.DICT,
    SetType: TypeKind.SET,
    OptionalType: TypeKind.OPTIONAL,
    UnionType: TypeKind.OBJECT,
    CallableType: TypeKind.CALLABLE,
    ClassType: TypeKind.CLASS,
    EnumType: TypeKind.ENUM,
    TensorType: TypeKind.TENSOR,
    ArrayType: TypeKind.TENSOR,
    SizeType: TypeKind.TENSOR,
    FutureType: TypeKind.FUTURE,
    LateType: TypeKind.LATE,
}


def kind_of(type: Type) -> TypeKind:
    """The kind of a type of the language.

    Raises:
        KeyError: It is one of the low-level dialect.
    """
    if isinstance(type, ScalarType):
        return _SCALARS[type.dtype.category]
    found = _KINDS.get(type)
    return _KINDS_BY_CLASS[type.__class__] if found is None else found


@kept_by_type
def cells_of(type: Type) -> int:
    """The cells of one value.

    Example:
        >>> cells_of(TupleType((INT, OptionalType(INT), OptionalType(STR))))
        4
    """
    if isinstance(type, TupleType):
        return sum(map(cells_of, type.elements))
    if isinstance(type, OptionalType):
        return 1 if is_heap(type.value) else 1 + cells_of(type.value)
    if isinstance(type, LateType):
        return 1 + cells_of(type.value)
    return {TypeKind.NONE: 0, TypeKind.COMPLEX: 2}.get(kind_of(type), 1)


@kept_by_type
def itemsize_of(type: Type) -> int:
    """The bytes of a value as an element of a list: one for what is a number from 0 to 255, else its cells.

    Example:
        >>> itemsize_of(BOOL), itemsize_of(INT), itemsize_of(TupleType((BOOL, BOOL)))
        (1, 8, 16)
    """
    if type == BOOL or (isinstance(type, ScalarType) and type.dtype in (dtypes.bool_, dtypes.uint8)):
        return 1
    return 8 * cells_of(type)


def held(info: ClassInfo) -> dict[str, Type]:
    """The fields of a class as they lie in its instances.

    Example:
        >>> info = ClassInfo("point", fields={"x": INT, "y": STR}, late=frozenset({"y"}))
        >>> " ".join(map(str, held(info).values()))
        'int late str'
    """
    return {name: LateType(type) if name in info.late else type for name, type in info.fields.items()}


def parts_of(type: Type) -> tuple[Type, ...]:
    """The types that `TypeInfo.parts` names: elements, key and value, fields, what an optional holds,
    members of a union, what the members of an IntEnum or StrEnum are besides."""
    match type:
        case TupleType():
            return type.elements
        case ListType() | SetType():
            return (type.element,)
        case DictType():
            return (type.key, type.value)
        case OptionalType() | LateType():
            return (type.value,)
        case UnionType():
            return type.members
        case ClassType():
            return tuple(held(type.info).values())
        case EnumType() if type.info.kind:
            return (INT if type.info.kind == "int" else STR,)
    return ()
