"""The types of values: frozen, hashable, printed and parsed in one syntax (`str(type)`, `parse_type`)."""

from __future__ import annotations

from collections.abc import Mapping

from tscript.late import dataclass, frozen
from tscript.types import dtypes
from tscript.types.base import MAX_MEMBERS, Type, TypeLimitError
from tscript.types.classes import ClassInfo, EnumInfo, NamedTupleInfo
from tscript.types.dtypes import DType
from tscript.types.options import Device, Layout, MemoryFormat, Option
from tscript.types.tensor_facts import TensorFacts


@dataclass(frozen=True, slots=True, eq=False)
class SimpleType(Type):
    """A type without parameters: the language's scalars, `None`, constants."""

    name: str

    def __str__(self) -> str:
        return self.name


INT = SimpleType("int")
"""64-bit signed; what does not fit is an `OverflowError`."""
FLOAT = SimpleType("float")
"""IEEE double."""
BOOL = SimpleType("bool")
STR = SimpleType("str")
"""A text: a sequence of code points."""
BYTES = SimpleType("bytes")
COMPLEX = SimpleType("complex")
"""Two IEEE doubles."""
NONE = SimpleType("None")
ANY = SimpleType("Any")
"""Any value, known when the function runs."""
DEVICE = SimpleType("Device")
"""Where the elements of a tensor lie, ``torch.device``."""
LAYOUT = SimpleType("layout")
MEMORY_FORMAT = SimpleType("memory_format")
OPTIONS: Mapping[Type, type[Option]] = {DEVICE: Device, LAYOUT: Layout, MEMORY_FORMAT: MemoryFormat}
"""Types whose values are one object each, with the classes of these. At run time they are numbers, as members of enums
are."""
DTYPE = SimpleType("dtype")
"""An element type as a value, such as ``x.dtype``."""
TYPE = SimpleType("type")
"""A type as a compile-time value: an argument of the dialect's conversions."""
GENERATOR = SimpleType("Generator")
"""A generator of random numbers of NumPy: a tensor over its ``bitgen_t``, whose storage owns it."""
NEVER = SimpleType("never")
"""The type of an expression that does not return; subtype of every type."""


class TensorType(Type):
    """A tensor.

    Args:
        dtype: Its element type; None while unknown.
        rank: Its number of dimensions; None while unknown.
        facts: What is known of it, in place of both.
    """

    __slots__ = ("facts",)
    __match_args__ = ("facts",)

    facts: TensorFacts

    def __init__(
        self, dtype: DType | None = None, rank: int | None = None, *, facts: TensorFacts | None = None
    ) -> None:
        object.__setattr__(self, "facts", TensorFacts(dtype, rank) if facts is None else facts)
        Type.__post_init__(self)

    def __setattr__(self, name: str, value: object) -> None:
        raise frozen(f"cannot assign to field {name!r}")

    def __str__(self) -> str:
        return str(self.facts)

    def __repr__(self) -> str:
        return f"TensorType{repr(self.facts).removeprefix('TensorFacts')}"

    def __reduce__(self) -> tuple[object, ...]:
        return (_tensor_type, (self.facts,))

    @property
    def dtype(self) -> DType | None:
        """Its element type; None while unknown."""
        return self.facts.dtype

    @property
    def rank(self) -> int | None:
        """Its number of dimensions; None while unknown."""
        return self.facts.rank

    @property
    def is_known(self) -> bool:
        """Whether dtype and rank are both known."""
        return self.facts.is_known


def _tensor_type(facts: TensorFacts) -> TensorType:
    return TensorType(facts=facts)


class ArrayType(TensorType):
    """A NumPy array: a tensor at run time, with NumPy's semantics and its class in Python.

    Args:
        dtype: Its element type.
        rank: Its number of dimensions.

    Example:
        >>> print(ArrayType(dtypes.float32, 2))
        ndarray[float32, 2]
    """

    __slots__ = ()

    def __init__(self, dtype: DType, rank: int) -> None:
        TensorType.__init__(self, dtype, rank)

    def __str__(self) -> str:
        return f"ndarray[{self.dtype.name if self.dtype else '?'}, {self.rank}]"

    def __repr__(self) -> str:
        return f"ArrayType({self.dtype!r}, {self.rank})"

    def __reduce__(self) -> tuple[object, ...]:
        return (ArrayType, (self.dtype, self.rank))


@dataclass(frozen=True, slots=True, eq=False)
class ScalarType(Type):
    """An element of an array: a NumPy scalar, held in a register.

    Example:
        >>> print(ScalarType(dtypes.float32))
        numpy.float32
    """

    dtype: DType

    def __str__(self) -> str:
        return f"numpy.{self.dtype.name}"


TENSOR = TensorType()


@dataclass(frozen=True, slots=True, eq=False)
class TupleType(Type):
    """A tuple of fixed length.

    Attributes:
        elements: Types of its elements.
        named: What the named tuple is called and has besides elements; None for a plain one.
    """

    elements: tuple[Type, ...]
    named: NamedTupleInfo | None = None

    def __str__(self) -> str:
        if self.named is not None:
            return self.named.name
        return f"tuple[{', '.join(map(str, self.elements)) or '()'}]"


@dataclass(frozen=True, slots=True, eq=False)
class ListType(Type):
    """A list. A ``tuple[T, ...]``, whose length is not known, is one that is `frozen`."""

    element: Type
    frozen: bool = False

    def __str__(self) -> str:
        return f"tuple[{self.element}, ...]" if self.frozen else f"list[{self.element}]"


@dataclass(frozen=True, slots=True, eq=False)
class DictType(Type):
    """A dict, in order of insertion."""

    key: Type
    value: Type

    def __str__(self) -> str:
        return f"dict[{self.key}, {self.value}]"


@dataclass(frozen=True, slots=True, eq=False)
class SetType(Type):
    """A set."""

    element: Type

    def __str__(self) -> str:
        return f"set[{self.element}]"


@dataclass(frozen=True, slots=True, eq=False)
class OptionalType(Type):
    """A value or None. The value is never `NONE`, another `OptionalType`, a `UnionType` or `ANY`; see `optional`."""

    value: Type

    def __str__(self) -> str:
        return f"Optional[{self.value}]"


@dataclass(frozen=True, slots=True, eq=False)
class UnionType(Type):
    """A value of one of several types, which may be `NONE`; see `union`.

    Raises:
        TypeLimitError: There are more than `MAX_MEMBERS`.
    """

    members: tuple[Type, ...]

    def __post_init__(self) -> None:
        if len(self.members) > MAX_MEMBERS:
            raise TypeLimitError(f"a union has at most {MAX_MEMBERS} members, this one would have {len(self.members)}")
        Type.__post_init__(self)

    def __str__(self) -> str:
        return f"Union[{', '.join(map(str, self.members))}]"


NUMBER = UnionType((INT, FLOAT, BOOL))
"""A number out of a tensor: which of them it is says the dtype. Where one of them is declared, it is taken as that."""


@dataclass(frozen=True, slots=True, eq=False)
class CallableType(Type):
    """A function as a value: its code and what it holds of the function around it."""

    parameters: tuple[Type, ...]
    result: Type

    def __str__(self) -> str:
        return f"Callable[[{', '.join(map(str, self.parameters))}], {self.result}]"


@dataclass(frozen=True, slots=True, eq=False)
class ClassType(Type):
    """Instances of a class. Two are the same when their `info` is the same object."""

    info: ClassInfo

    def __str__(self) -> str:
        return self.info.name


@dataclass(frozen=True, slots=True, eq=False)
class EnumType(Type):
    """Members of an enum."""

    info: EnumInfo

    def __str__(self) -> str:
        return self.info.name


@dataclass(frozen=True, slots=True, eq=False)
class SizeType(Type):
    """A tuple of ints of unknown length: ``x.shape`` before the rank of ``x`` is known."""

    def __str__(self) -> str:
        return "Size"


SIZE = SizeType()


@dataclass(frozen=True, slots=True, eq=False)
class FutureType(Type):
    """The result of a forked call, which may not be there yet."""

    value: Type

    def __str__(self) -> str:
        return f"Future[{self.value}]"


@dataclass(frozen=True, slots=True, eq=False)
class MachineType(Type):
    """A fixed-width number of the low-level dialect that the language has no type for: ``i32``, ``u8``, ``f32`` …

    ``i64`` is `INT`, ``f64`` is `FLOAT` and ``b8`` is `BOOL` (one byte in memory).
    """

    dtype: DType

    def __str__(self) -> str:
        return self.dtype.machine


@dataclass(frozen=True, slots=True, eq=False)
class StructType(Type):
    """A native struct of `tscript.abi`, by name; only ever behind a pointer."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True, eq=False)
class PtrType(Type):
    """A raw pointer of the low-level dialect."""

    pointee: Type

    def __str__(self) -> str:
        return f"Ptr[{self.pointee}]"


I64 = INT
F64 = FLOAT
_LANGUAGE: dict[DType, Type] = {dtypes.int64: INT, dtypes.float64: FLOAT, dtypes.bool_: BOOL}
MACHINE: dict[str, Type] = {d.machine: _LANGUAGE.get(d, MachineType(d)) for d in dtypes.EVERY}
"""Dialect name to type."""
I8, I16, I32, U8, F32, C64, C128 = (MACHINE[n] for n in ("i8", "i16", "i32", "u8", "f32", "c64", "c128"))


def machine_type(dtype: DType) -> Type:
    """The type of one element of `dtype` in a register."""
    return MACHINE[dtype.machine]


def dtype_of(type: Type) -> DType | None:
    """The dtype of a scalar type (`machine_type` backwards), or None for other types."""
    match type:
        case MachineType() | ScalarType():
            return type.dtype
        case SimpleType():
            return _SCALAR_DTYPES.get(type)
    return None


_SCALAR_DTYPES: dict[Type, DType] = {t: d for d, t in _LANGUAGE.items()}
