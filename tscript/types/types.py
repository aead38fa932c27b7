"""The types of values: frozen, hashable, printed and parsed in one syntax (`str(type)`, `parse_type`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from tscript.types import dtypes
from tscript.types.classes import ClassInfo, EnumInfo, NamedTupleInfo
from tscript.types.dtypes import DType


@dataclass(frozen=True, slots=True)
class Type:
    """Base of all types."""


@dataclass(frozen=True, slots=True)
class SimpleType(Type):
    """A type without parameters: the language's scalars, `None`, constants."""

    name: str

    def __str__(self) -> str:
        return self.name


INT = SimpleType("int")
"""64-bit signed, wraps."""
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
DTYPE = SimpleType("dtype")
"""An element type as a value, such as ``x.dtype``."""
TYPE = SimpleType("type")
"""A type as a compile-time value: an argument of the dialect's conversions."""
NEVER = SimpleType("never")
"""The type of an expression that does not return; subtype of every type."""


@dataclass(frozen=True, slots=True)
class TensorType(Type):
    """A tensor; `dtype` and `rank` are None while unknown."""

    dtype: DType | None = None
    rank: int | None = None

    def __str__(self) -> str:
        if self.dtype is None and self.rank is None:
            return "Tensor"
        return f"Tensor[{self.dtype.name if self.dtype else '?'}, {'?' if self.rank is None else self.rank}]"

    @property
    def is_known(self) -> bool:
        """Whether dtype and rank are both known."""
        return self.dtype is not None and self.rank is not None


TENSOR = TensorType()


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
class ListType(Type):
    """A list. A ``tuple[T, ...]``, whose length is not known, is one that is `frozen`."""

    element: Type
    frozen: bool = False

    def __str__(self) -> str:
        return f"tuple[{self.element}, ...]" if self.frozen else f"list[{self.element}]"


@dataclass(frozen=True, slots=True)
class DictType(Type):
    """A dict, in order of insertion."""

    key: Type
    value: Type

    def __str__(self) -> str:
        return f"dict[{self.key}, {self.value}]"


@dataclass(frozen=True, slots=True)
class SetType(Type):
    """A set."""

    element: Type

    def __str__(self) -> str:
        return f"set[{self.element}]"


@dataclass(frozen=True, slots=True)
class OptionalType(Type):
    """A value or None. The value is never `NONE`, another `OptionalType`, a `UnionType` or `ANY`; see `optional`."""

    value: Type

    def __str__(self) -> str:
        return f"Optional[{self.value}]"


@dataclass(frozen=True, slots=True)
class UnionType(Type):
    """A value of one of several types, which may be `NONE`; see `union`."""

    members: tuple[Type, ...]

    def __str__(self) -> str:
        return f"Union[{', '.join(map(str, self.members))}]"


@dataclass(frozen=True, slots=True)
class CallableType(Type):
    """A function as a value: its code and what it holds of the function around it."""

    parameters: tuple[Type, ...]
    result: Type

    def __str__(self) -> str:
        return f"Callable[[{', '.join(map(str, self.parameters))}], {self.result}]"


@dataclass(frozen=True, slots=True)
class ClassType(Type):
    """Instances of a class. Two are the same when their `info` is the same object."""

    info: ClassInfo

    def __str__(self) -> str:
        return self.info.name


@dataclass(frozen=True, slots=True)
class EnumType(Type):
    """Members of an enum."""

    info: EnumInfo

    def __str__(self) -> str:
        return self.info.name


@dataclass(frozen=True, slots=True)
class SizeType(Type):
    """A tuple of ints of unknown length: ``x.shape`` before the rank of ``x`` is known."""

    def __str__(self) -> str:
        return "Size"


SIZE = SizeType()


@dataclass(frozen=True, slots=True)
class FutureType(Type):
    """The result of a forked call, which may not be there yet."""

    value: Type

    def __str__(self) -> str:
        return f"Future[{self.value}]"


@dataclass(frozen=True, slots=True)
class MachineType(Type):
    """A fixed-width number of the low-level dialect that the language has no type for: ``i32``, ``u8``, ``f32`` …

    ``i64`` is `INT`, ``f64`` is `FLOAT` and ``b8`` is `BOOL` (one byte in memory).
    """

    dtype: DType

    def __str__(self) -> str:
        return self.dtype.machine


@dataclass(frozen=True, slots=True)
class StructType(Type):
    """A native struct of `tscript.abi`, by name; only ever behind a pointer."""

    name: str

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class PtrType(Type):
    """A raw pointer of the low-level dialect."""

    pointee: Type

    def __str__(self) -> str:
        return f"Ptr[{self.pointee}]"


I64 = INT
F64 = FLOAT
B8 = BOOL
_LANGUAGE: dict[DType, Type] = {dtypes.int64: INT, dtypes.float64: FLOAT, dtypes.bool_: BOOL}
MACHINE: dict[str, Type] = {d.machine: _LANGUAGE.get(d, MachineType(d)) for d in dtypes.DTYPES}
"""Dialect name to type."""
I8, I16, I32, U8, F32 = (MACHINE[n] for n in ("i8", "i16", "i32", "u8", "f32"))


def machine_type(dtype: DType) -> Type:
    """The type of one element of `dtype` in a register."""
    return MACHINE[dtype.machine]


def dtype_of(type: Type) -> DType | None:
    """The dtype of a scalar type (`machine_type` backwards), or None for other types."""
    match type:
        case MachineType():
            return type.dtype
        case SimpleType():
            return _SCALAR_DTYPES.get(type)
    return None


_SCALAR_DTYPES: dict[Type, DType] = {t: d for d, t in _LANGUAGE.items()}


_SIMPLE: dict[str, Type] = {
    **{t.name: t for t in (INT, FLOAT, BOOL, STR, BYTES, COMPLEX, NONE, ANY, DEVICE, DTYPE, TYPE, NEVER)},
    **MACHINE,
    "Tensor": TENSOR,
    "Size": SIZE,
}


def parse_type(text: str, classes: Mapping[str, Type] = MappingProxyType({})) -> Type:
    """The type that `str` printed as `text`.

    Args:
        text: The type.
        classes: Classes, enums and named tuples by name.

    Raises:
        ValueError: `text` is not a type.

    Example:
        >>> parse_type("tuple[int, Tensor[float32, ?]]").elements[1]
        TensorType(dtype=tscript.float32, rank=None)
    """
    found, rest = _parse(text.strip(), 0, classes)
    if rest:
        raise ValueError(f"not a type: {text!r} (what follows {found}: {rest!r})")
    return found


MAX_DEPTH = 64
"""Types inside each other that `parse_type` reads."""


def _parse(text: str, depth: int, classes: Mapping[str, Type]) -> tuple[Type, str]:
    """The type that `text` begins with, and the rest of it."""
    if depth > MAX_DEPTH:
        raise ValueError(f"a type has at most {MAX_DEPTH} levels")
    end = 0
    while end < len(text) and (text[end].isalnum() or text[end] in "_.#<>"):
        end += 1
    name, rest = text[:end], text[end:].lstrip()
    if not rest.startswith("["):
        if name in _SIMPLE:
            return _SIMPLE[name], rest
        if name in classes:
            return classes[name], rest
        if name.isidentifier() and name[0].isupper() and name not in _GENERIC:
            return StructType(name), rest
        raise ValueError(f"not a type: {text!r}")
    inner = rest[1:].lstrip()
    if name == "Tensor":
        return _parse_tensor(inner)
    if name not in _GENERIC:
        raise ValueError(f"not a type: {text!r}")
    elements: list[Type] = []
    frozen = False
    if name == "Callable":
        return _parse_callable(inner, depth, classes)
    if name == "tuple" and inner.startswith("()"):
        inner = inner[2:].lstrip()
    else:
        while True:
            element, inner = _parse(inner, depth + 1, classes)
            elements.append(element)
            inner = inner.lstrip()
            if not inner.startswith(","):
                break
            inner = inner[1:].lstrip()
            if name == "tuple" and inner.startswith("..."):
                frozen, inner = True, inner[3:].lstrip()
                break
    rest = _expect(inner, "]")
    return _generic(name, elements, frozen, text), rest


def _parse_callable(inner: str, depth: int, classes: Mapping[str, Type]) -> tuple[Type, str]:
    inner = _expect(inner, "[").lstrip()
    parameters: list[Type] = []
    while not inner.startswith("]"):
        parameter, inner = _parse(inner, depth + 1, classes)
        parameters.append(parameter)
        inner = inner.lstrip()
        if inner.startswith(","):
            inner = inner[1:].lstrip()
        elif not inner.startswith("]"):
            raise ValueError(f"expected ',' or ']' in a type, found {inner!r}")
    result, inner = _parse(_expect(_expect(inner, "]"), ",").lstrip(), depth + 1, classes)
    return CallableType(tuple(parameters), result), _expect(inner, "]")


def _parse_tensor(inner: str) -> tuple[Type, str]:
    body, _, rest = inner.partition("]")
    dtype_text, _, rank_text = (part.strip() for part in body.partition(","))
    if dtype_text != "?" and dtype_text not in dtypes.BY_NAME:
        raise ValueError(f"not a dtype: {dtype_text!r}")
    if rank_text != "?" and not (rank_text.isascii() and rank_text.isdigit() and len(rank_text) < 10):
        raise ValueError(f"not a rank: {rank_text!r}")
    return TensorType(
        None if dtype_text == "?" else dtypes.BY_NAME[dtype_text],
        None if rank_text == "?" else int(rank_text),
    ), rest


_GENERIC: dict[str, int | None] = {
    "Ptr": 1, "Future": 1, "list": 1, "set": 1, "Optional": 1, "dict": 2, "tuple": None, "Union": None, "Callable": None
}  # fmt: skip
"""Types with parameters, and how many; None: any number."""


def _generic(name: str, parts: list[Type], frozen: bool, text: str) -> Type:
    wanted = _GENERIC[name]
    if (wanted is not None and len(parts) != wanted) or (not parts and name != "tuple") or (frozen and len(parts) != 1):
        raise ValueError(f"not a type: {text!r} ({name} does not take {len(parts)} parameters)")
    match name:
        case "Ptr":
            return PtrType(parts[0])
        case "Future":
            return FutureType(parts[0])
        case "list":
            return ListType(parts[0])
        case "set":
            return SetType(parts[0])
        case "dict":
            return DictType(parts[0], parts[1])
        case "Optional":
            from tscript.types.relations import optional

            return optional(parts[0])
        case "Union":
            return UnionType(tuple(parts))
    return ListType(parts[0], frozen=True) if frozen else TupleType(tuple(parts))


def _expect(text: str, sign: str) -> str:
    text = text.lstrip()
    if not text.startswith(sign):
        raise ValueError(f"expected {sign!r} in a type, found {text!r}")
    return text[1:]
