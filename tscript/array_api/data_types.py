"""The array API standard: dtypes, what arrays broadcast to, and what the library says of itself."""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np

import tscript
from tscript.array_api.tables import DTYPES
from tscript.late import dataclass

_KINDS: dict[str, tuple[str, ...]] = {
    "bool": ("bool",),
    "signed integer": ("int8", "int16", "int32", "int64"),
    "unsigned integer": ("uint8", "uint16", "uint32", "uint64"),
    "real floating": ("float32", "float64"),
    "complex floating": ("complex64", "complex128"),
}
_KINDS["integral"] = (*_KINDS["signed integer"], *_KINDS["unsigned integer"])
_KINDS["numeric"] = (*_KINDS["integral"], *_KINDS["real floating"], *_KINDS["complex floating"])


def check_device(device: Any) -> None:
    """Refuse devices that there are not.

    Raises:
        ValueError: It is not ``cpu``.
    """
    if device is not None and str(device).partition(":")[0] != "cpu":
        raise ValueError(f"there is one device, 'cpu', and no {device!r}")


def name_of(dtype: Any) -> str:
    """``float32`` of `tscript.float32`."""
    return str(dtype).rpartition(".")[2].removesuffix("_")


def astype(x: Any, dtype: Any, /, *, copy: bool = True, device: Any = None) -> Any:
    """The elements in another dtype; without `copy` the array itself if it has it.

    Raises:
        TypeError: Complex numbers would become real.
    """
    check_device(device)
    if x.dtype.is_complex and not dtype.is_complex:
        raise TypeError(f"astype: {name_of(x.dtype)} does not become {name_of(dtype)}: take xp.real or xp.imag")
    found = x.to(dtype)
    return found.clone() if copy and found is x else found


def broadcast_arrays(*arrays: Any) -> Any:
    """The arrays in the shape that they have together, as a list."""
    return list(tscript.broadcast_tensors(*arrays)) if arrays else []


def broadcast_shapes(*shapes: Any) -> tuple[int, ...]:
    """The shape that shapes have together.

    Raises:
        ValueError: They do not broadcast.
    """
    return tuple(np.broadcast_shapes(*shapes))


def broadcast_to(x: Any, /, shape: Any) -> Any:
    """The array in a larger shape, a view."""
    return tscript.broadcast_to(x, tuple(shape))


def can_cast(from_: Any, to: Any, /) -> bool:
    """Whether the dtype of an array, or a dtype, becomes another by promotion."""
    source = from_.dtype if isinstance(from_, tscript.Tensor) else from_
    return bool(tscript.promote_types(source, to) == to)


@dataclass(frozen=True)
class FloatInfo:
    """What the standard says of a dtype of floats; of complex dtypes, of their parts."""

    bits: int
    eps: float
    max: float
    min: float
    smallest_normal: float
    dtype: Any


@dataclass(frozen=True)
class IntInfo:
    """What it says of a dtype of ints."""

    bits: int
    max: int
    min: int
    dtype: Any


def finfo(type: Any, /) -> FloatInfo:
    """Limits of a dtype of floats.

    Raises:
        ValueError: It is none.

    Example:
        >>> import tscript.array_api as xp
        >>> xp.finfo(xp.float32).bits
        32
    """
    dtype = type.dtype if isinstance(type, tscript.Tensor) else type
    if not isdtype(dtype, ("real floating", "complex floating")):
        raise ValueError(f"finfo: {dtype} is no dtype of floats")
    found = np.finfo(name_of(dtype))
    parts = getattr(tscript, found.dtype.name)
    return FloatInfo(
        found.bits, float(found.eps), float(found.max), float(found.min), float(found.smallest_normal), parts
    )


def iinfo(type: Any, /) -> IntInfo:
    """Limits of a dtype of ints.

    Raises:
        ValueError: It is none.
    """
    dtype = type.dtype if isinstance(type, tscript.Tensor) else type
    if not isdtype(dtype, "integral"):
        raise ValueError(f"iinfo: {dtype} is no dtype of ints")
    found = np.iinfo(name_of(dtype))
    return IntInfo(found.bits, int(found.max), int(found.min), dtype)


def isdtype(dtype: Any, kind: Any) -> bool:
    """Whether a dtype is of a kind: a dtype, a name such as ``integral``, or a tuple of these.

    Raises:
        ValueError: There is no such kind.

    Example:
        >>> import tscript.array_api as xp
        >>> xp.isdtype(xp.int8, "signed integer"), xp.isdtype(xp.int8, ("bool", xp.float32))
        (True, False)
    """
    if isinstance(kind, tuple):
        return any(isdtype(dtype, k) for k in kind)
    if isinstance(kind, str):
        if kind not in _KINDS:
            raise ValueError(f"isdtype: there is no kind {kind!r}; there are {', '.join(map(repr, _KINDS))}")
        return name_of(dtype) in _KINDS[kind]
    return bool(dtype == kind)


def result_type(*arrays_and_dtypes: Any) -> Any:
    """The dtype that arrays, dtypes and numbers have together. Numbers give way.

    Raises:
        ValueError: There are none but numbers.
        TypeError: A number does not go with the dtype.
    """
    given = [a.dtype if isinstance(a, tscript.Tensor) else a for a in arrays_and_dtypes]
    numbers = [a for a in given if isinstance(a, bool | int | float | complex)]
    named = [a for a in given if not isinstance(a, bool | int | float | complex)]
    if not named:
        raise ValueError("result_type: at least one array or dtype is needed")
    found = reduce(tscript.promote_types, named)
    for number in numbers:
        if isinstance(number, bool):
            continue
        if found == tscript.bool or (isinstance(number, float | complex) and isdtype(found, "integral")):
            raise TypeError(f"result_type: {number!r} does not go with {name_of(found)}")
        if isinstance(number, complex) and not found.is_complex:
            found = tscript.complex128 if found == tscript.float64 else tscript.complex64
    return found


class NamespaceInfo:
    """What the library can do: the standard's object for questions about it."""

    def capabilities(self) -> dict[str, Any]:
        """Which optional parts there are."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}

    def default_device(self) -> Any:
        """The device of new arrays."""
        return tscript.device("cpu")

    def default_dtypes(self, *, device: Any = None) -> dict[str, Any]:
        """The dtypes of new arrays."""
        check_device(device)
        return {
            "real floating": tscript.get_default_dtype(),
            "complex floating": tscript.complex64,
            "integral": tscript.int64,
            "indexing": tscript.int64,
        }

    def devices(self) -> list[Any]:
        """All devices."""
        return [tscript.device("cpu")]

    def dtypes(self, *, device: Any = None, kind: Any = None) -> dict[str, Any]:
        """The dtypes by their names, or those of a kind."""
        check_device(device)
        found = {name: getattr(tscript, name) for name in DTYPES}
        return {name: d for name, d in found.items() if kind is None or isdtype(d, kind)}


def __array_namespace_info__() -> NamespaceInfo:  # noqa: N807 - the standard's name
    """What the library can do.

    Example:
        >>> import tscript.array_api as xp
        >>> sorted(xp.__array_namespace_info__().dtypes(kind="real floating"))
        ['float32', 'float64']
    """
    return NamespaceInfo()
