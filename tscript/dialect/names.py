"""What names in dialect functions are: types, type variables, pointers to types, functions by type."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tscript.dialect import machine
from tscript.late import dataclass
from tscript.types import DType, Type, dtypes


@dataclass(frozen=True, slots=True)
class TypeName:
    """A type of the dialect as a name: an annotation, and called, a conversion (``f32(x)``)."""

    type: Type

    def __call__(self, x: Any) -> Any:
        return machine.CONVERT.semantics(x, self.type)

    def __repr__(self) -> str:
        return str(self.type)


@dataclass(frozen=True, slots=True)
class TypeVariable:
    """A type bound per instantiation. Under CPython, calling one leaves the number as it is."""

    name: str

    def __call__(self, x: Any) -> Any:
        return x


@dataclass(frozen=True, slots=True)
class PointerTo:
    """A pointer type in an annotation: ``Ptr[f32]``, ``Ptr[T]``, ``Ptr[TensorImpl]``, ``Ptr[Ptr[TensorImpl]]``."""

    pointee: Any


@dataclass(frozen=True, slots=True, eq=False)
class ByType:
    """One function per dtype under one name: a call picks by the type of its first argument.

    Attributes:
        by_dtype: The functions.
        meaning: What those of floats approximate. Called with a NumPy array of floats this is computed in their place:
            so tests compare an approximation with something else than itself.
    """

    by_dtype: Mapping[DType, Callable[..., Any]]
    meaning: Callable[..., Any] | None = None

    def __call__(self, x: Any, *rest: Any) -> Any:
        import numpy as np

        if self.meaning is not None and isinstance(x, np.ndarray) and x.dtype.kind == "f":
            return np.asarray(self.meaning(x, *rest), x.dtype)
        dtype = dtypes.BY_NAME[np.result_type(x).name]
        return self.by_dtype[dtype](x, *rest)
