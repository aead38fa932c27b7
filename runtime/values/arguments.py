"""Python arguments of a call, described by types.

A call of a scripted function or an eager operator without a row in the native table comes here. The descriptions
determine the specialisation: tensors by dtype and rank, numbers by type, everything else (None, strings, dtypes) by
value.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from functools import partial
from types import NoneType
from typing import TYPE_CHECKING, Any

from tscript.arrays import np
from tscript.definitions.absent import MISSING
from tscript.definitions.values import SIMPLE_TYPES, type_of_value
from tscript.late import dataclass
from tscript.runtime.values.own_generator import OwnGenerator
from tscript.runtime.values.sharing import facts_of, plain_shared
from tscript.types import (
    GENERATOR,
    OPTIONS,
    DType,
    FutureType,
    TensorFacts,
    TensorType,
    Type,
    dtypes,
)
from tscript.types.options import Option, option_named

if TYPE_CHECKING:
    pass

_CLASSES: tuple[type, ...] = (float, int, bool, str, NoneType, DType, *OPTIONS.values())
_NARROW = frozenset(
    {dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.complex64, np.dtype("f2"), np.dtype("f4"), np.dtype("c8")}
)
_WIDE = frozenset({dtypes.float64, dtypes.complex128, np.dtype("f8"), np.dtype("c16")})
BY_CLASS = {cls: SIMPLE_TYPES[cls] for cls in _CLASSES}
"""Types that the native table passes on by itself."""


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument as type rules and `resolve` see it.

    Attributes:
        type: Its type.
        constant: Its value if it is part of the specialisation, else `MISSING`.
    """

    type: Type
    constant: object = MISSING


def describe(value: object, tensor: type[Any], *, static_bool: bool = False) -> Argument:
    """The type of a Python value, and its value where specialisation depends on it.

    Args:
        value: A Tensor, number, None, str, dtype, or a tuple of them.
        tensor: The tensor type.
        static_bool: Whether bools count as constants (they do for eager operators: ``keepdim`` changes ranks).

    Raises:
        TypeError: It is none of these.
    """
    found = type_of_value(value, partial(_type_of_native, tensor), BY_CLASS)
    return Argument(found, _constant_of(value, static_bool))


def _type_of_native(tensor: type[Any], value: Any) -> Type:
    """The type of a tensor or a future."""
    if isinstance(value, tensor):
        return TensorType(facts=TensorFacts(value.dtype, value.ndim))
    if (facts := facts_of(value)) is not None:
        return TensorType(facts=facts)
    if isinstance(value, OwnGenerator):
        return GENERATOR
    from tscript.runtime.values.futures import Future

    if isinstance(value, Future):
        if value.type is None:
            raise TypeError("the Future of a plain Python function has no type that scripts know; fork a scripted one")
        return FutureType(value.type)
    raise TypeError(f"a {type(value).__name__} is not a value of the language")


def _constant_of(value: object, static_bool: bool) -> object:
    """The value where specialisation depends on it, else `MISSING`."""
    if isinstance(value, tuple):
        constants = tuple(_constant_of(v, static_bool) for v in value)
        return constants if constants and all(c is not MISSING for c in constants) else MISSING
    static = value is None or isinstance(value, str | DType | Option) or (static_bool and isinstance(value, bool))
    return value if static else MISSING


TORCH_OPTIONS = frozenset({"device", "layout", "memory_format"})
"""Classes of PyTorch whose objects stand for ours of the same name."""


def own_option(value: object) -> Option | None:
    """Our object for a device, a layout or a memory format of PyTorch; None if there is none."""
    kind = type(value).__name__
    return option_named(f"{kind}.{str(value).removeprefix('torch.')}")


def own_value(value: object) -> object:
    """Our dtype, device, layout or memory format for one of PyTorch; any other object as it is."""
    cls = type(value)
    if cls.__module__ != "torch":
        return value
    if cls.__name__ in TORCH_OPTIONS:
        return own_option(value) or value
    return dtypes.BY_NAME.get(str(value).removeprefix("torch."), value) if cls.__name__ == "dtype" else value


def plain(value: object) -> object:
    """`value` with lists as tuples, NumPy scalars as Python numbers, and members of IntEnum or StrEnum as ints or
    strings, at any depth; of others `plain_shared`.

    Raises:
        TypeError: A tensor cannot share the memory of an array.
    """
    if type(value) in BY_CLASS:
        return value
    if isinstance(value, Enum):
        return int(value) if isinstance(value, int) else str.__str__(value) if isinstance(value, str) else value
    if type(value).__module__ == "torch" and type(value).__name__ in TORCH_OPTIONS:
        return own_option(value)
    if isinstance(value, list | tuple):
        return tuple(plain(v) for v in value)
    if hasattr(value, "item") and getattr(value, "shape", None) == () and type(value).__module__ == "numpy":
        return value.item()
    return plain_shared(value)


def complex_as_tensors(values: Sequence[Any]) -> list[object]:
    """Complex numbers as arrays without dimensions, of the dtype that gives the result the dtype that numbers give it:
    complex128 beside tensors of that precision; the default one where no tensor has a precision."""
    found = {getattr(v, "dtype", None) for v in values}
    wide = found & _WIDE or (dtypes.default_float() is dtypes.float64 and not found & _NARROW)
    dtype = np.complex128 if wide else np.complex64
    return [np.asarray(v, dtype) if type(v) is complex else v for v in values]
