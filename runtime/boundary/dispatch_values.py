"""`DispatchValues`: what native code hands to Python functions, and what these return, as cells of known kinds."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Iterator

from tscript.abi.dispatch import END, DispatchKind
from tscript.runtime.boundary.array_objects import ArrayObjects
from tscript.runtime.boundary.converter import Converter
from tscript.runtime.boundary.tensor_objects import TensorObjects
from tscript.types.dtypes import BY_CODE, DType


class DispatchValues:
    """Reads and writes values by their kinds.

    Args:
        tensors: Makes the objects of tensors.
        arrays: Makes those of arrays.
        converter: Converts values of other types.
    """

    def __init__(self, tensors: TensorObjects, arrays: ArrayObjects, converter: Converter) -> None:
        self._tensors = tensors
        self._arrays = arrays
        self._converter = converter

    def read(self, kinds: int, count: int, cells: int) -> tuple[object, ...]:
        """Native values as Python objects.

        Args:
            kinds: Address of `count` bytes, a `DispatchKind` each.
            cells: Address of as many 64-bit values.
        """
        words = struct.unpack(f"{count}q", ctypes.string_at(cells, 8 * count))
        entries = iter(list(zip(ctypes.string_at(kinds, count), words, strict=True)))
        return tuple([self._argument(kind, value, entries) for kind, value in entries])

    def _argument(self, kind: int, value: int, rest: Iterator[tuple[int, int]]) -> object:
        match DispatchKind(kind):
            case DispatchKind.NONE:
                return None
            case DispatchKind.INT:
                return value
            case DispatchKind.FLOAT:
                return ctypes.c_double.from_buffer(ctypes.c_int64(value)).value
            case DispatchKind.BOOL:
                return value != 0
            case DispatchKind.TENSOR:
                return self._tensors.wrap_borrowed(value)
            case DispatchKind.ARRAY:
                return self._arrays.of_borrowed(value)
            case DispatchKind.DTYPE:
                return BY_CODE[value]
            case DispatchKind.STR:
                return ctypes.string_at(value).decode()
            case DispatchKind.SIZE:
                return self._tensors.size(value)
            case DispatchKind.OBJECT:
                return ctypes.cast(value, ctypes.py_object).value
            case DispatchKind.VALUE:
                return self._converter.to_python(value, next(rest)[1])
            case DispatchKind.RESULT:
                return Result(value)
            case DispatchKind.TUPLE:
                return tuple(self._argument(*next(rest), rest) for _ in range(value))

    def cells(self, result: object, owned: list[int]) -> Iterator[tuple[DispatchKind, int]]:
        """The leaves of a result as kinds and 64-bit values; tensors among them are added to `owned`."""
        match result:
            case None:
                return
            case tuple():
                for element in result:
                    yield from self.cells(element, owned)
            case bool():
                yield DispatchKind.BOOL, int(result)
            case int():
                if not -(2**63) <= result < 2**63:
                    raise OverflowError("the int does not fit into 64 bits")
                yield DispatchKind.INT, result
            case float():
                yield DispatchKind.FLOAT, ctypes.c_int64.from_buffer(ctypes.c_double(result)).value
            case DType():
                yield DispatchKind.DTYPE, result.code
            case _:
                impl = self._tensors.impl_of(result)
                owned.append(impl)
                yield DispatchKind.TENSOR, impl


class Result:
    """The type of the result of a dispatched call, among its arguments."""

    def __init__(self, info: int) -> None:
        self.info = info


def expect(kinds: int, found: list[DispatchKind], name: int) -> None:
    """Refuse the result of an operator whose leaves are not of the kinds listed at the address `kinds`."""
    expected: list[int] = []
    while (kind := ctypes.c_uint8.from_address(kinds + len(expected)).value) != END:
        expected.append(kind)
    if expected != found:
        shown = [[DispatchKind(k).name for k in kinds_of] for kinds_of in (found, expected)]
        raise SystemError(f"{ctypes.string_at(name).decode()} returned {shown[0]}, native code expected {shown[1]}")
