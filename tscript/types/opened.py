"""Declared types that leave something to the call: of parameters without annotation, and of bare ``list``, ``dict`` …

A function with such parameters is a template. It is lowered once for each combination of the types that calls give to
them, so an `OpenType` is only ever the type of a parameter of a template: no value has it, and no IR.
"""

from __future__ import annotations

from tscript.late import dataclass
from tscript.types.base import Type
from tscript.types.dtypes import DType
from tscript.types.types import ArrayType, CallableType, DictType, ListType, SetType, TupleType

_KINDS: dict[str, tuple[type[Type], ...]] = {
    "": (Type,),
    "list": (ListType,),
    "dict": (DictType,),
    "set": (SetType,),
    "tuple": (TupleType,),
    "Callable": (CallableType,),
    "ndarray": (ArrayType,),
}


@dataclass(frozen=True, slots=True, eq=False)
class OpenType(Type):
    """The type of a parameter that takes what the call gives.

    Attributes:
        name: What values have to be: ``list``, ``dict``, ``set``, ``tuple``, ``Callable`` or ``ndarray``; empty:
            anything.
        dtype: That of an ``ndarray``, if it is declared.
    """

    name: str = ""
    dtype: DType | None = None

    def __str__(self) -> str:
        return f"ndarray[{self.dtype.name}, ?]" if self.dtype is not None else self.name or "..."

    def takes(self, given: Type) -> bool:
        """Whether a parameter declared like this takes values of a type."""
        if isinstance(given, ListType) and given.frozen:
            return self.name in ("", "tuple")
        if self.dtype is not None and isinstance(given, ArrayType) and given.dtype is not self.dtype:
            return False
        return isinstance(given, _KINDS[self.name])


OPEN = OpenType()
"""Of a parameter without annotation."""
