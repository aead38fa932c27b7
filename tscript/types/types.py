"""The types of values: frozen, hashable, printed and parsed in one syntax (`str(type)`, `parse_type`)."""

from __future__ import annotations

from dataclasses import dataclass

from tscript.types import dtypes
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
"""A text known at compile time."""
NONE = SimpleType("None")
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
    """A tuple of fixed length."""

    elements: tuple[Type, ...]

    def __str__(self) -> str:
        return f"tuple[{', '.join(map(str, self.elements)) or '()'}]"


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
    **{t.name: t for t in (INT, FLOAT, BOOL, STR, NONE, DTYPE, TYPE, NEVER)},
    **MACHINE,
    "Tensor": TENSOR,
    "Size": SIZE,
}


def parse_type(text: str) -> Type:
    """The type that `str` printed as `text`.

    Raises:
        ValueError: `text` is not a type.

    Example:
        >>> parse_type("tuple[int, Tensor[float32, ?]]")
        TupleType(elements=(SimpleType(name='int'), TensorType(dtype=tscript.float32, rank=None)))
    """
    found, rest = _parse(text.strip(), 0)
    if rest:
        raise ValueError(f"not a type: {text!r} (what follows {found}: {rest!r})")
    return found


MAX_DEPTH = 64
"""Types inside each other that `parse_type` reads."""


def _parse(text: str, depth: int) -> tuple[Type, str]:
    """The type that `text` begins with, and the rest of it."""
    if depth > MAX_DEPTH:
        raise ValueError(f"a type has at most {MAX_DEPTH} levels")
    end = 0
    while end < len(text) and (text[end].isalnum() or text[end] == "_"):
        end += 1
    name, rest = text[:end], text[end:].lstrip()
    if not rest.startswith("["):
        if name in _SIMPLE:
            return _SIMPLE[name], rest
        if name and name[0].isupper() and name not in ("Ptr", "Future"):
            return StructType(name), rest
        raise ValueError(f"not a type: {text!r}")
    inner = rest[1:].lstrip()
    match name:
        case "Tensor":
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
        case "Ptr":
            pointee, rest = _parse(inner, depth + 1)
            return PtrType(pointee), _expect(rest, "]")
        case "Future":
            value, rest = _parse(inner, depth + 1)
            return FutureType(value), _expect(rest, "]")
        case "tuple":
            if inner.startswith("()"):
                return TupleType(()), _expect(inner[2:], "]")
            elements: list[Type] = []
            while True:
                element, inner = _parse(inner, depth + 1)
                elements.append(element)
                inner = inner.lstrip()
                if not inner.startswith(","):
                    return TupleType(tuple(elements)), _expect(inner, "]")
                inner = inner[1:].lstrip()
        case _:
            raise ValueError(f"not a type: {text!r}")


def _expect(text: str, sign: str) -> str:
    text = text.lstrip()
    if not text.startswith(sign):
        raise ValueError(f"expected {sign!r} in a type, found {text!r}")
    return text[1:]
