"""`FunctionValue`: the Python form of a function that compiled code made."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import NoReturn, Protocol

from tscript.types import CallableType


class Caller(Protocol):
    """What function values are called by."""

    def call(self, function: FunctionValue, args: Sequence[object]) -> object:
        """The result of a call."""

    def release(self, address: int) -> None:
        """Give the reference to a native function back."""


class FunctionValue:
    """A Python object for a function value of compiled code. It is called with values of its parameter types.

    Attributes:
        type: Its type.
        address: Of the native function, of which it owns a reference.
    """

    __slots__ = ("__weakref__", "_values", "address", "type")

    def __init__(self, values: Caller, address: int, type: CallableType) -> None:
        self._values = values
        self.address = address
        self.type = type

    def __call__(self, *args: object) -> object:
        return self._values.call(self, args)

    def __del__(self, is_finalizing: Callable[[], bool] = sys.is_finalizing) -> None:
        if not is_finalizing():
            self._values.release(self.address)

    def __repr__(self) -> str:
        return f"<tscript function {self.type}>"

    def __copy__(self) -> FunctionValue:
        return self

    def __deepcopy__(self, memo: object) -> FunctionValue:
        return self

    def __reduce__(self) -> NoReturn:
        raise TypeError("a function that compiled code made cannot be pickled: it holds values of that code")
