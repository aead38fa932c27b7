"""`Dispatch`: native code calls operators whose dtypes it does not know, and functions that are Python's."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

from tscript.abi.dispatch import PREFIX
from tscript.runtime.boundary.converter import Converter
from tscript.runtime.boundary.dispatch_values import DispatchValues, Result, expect


class Dispatch:
    """Runs operators for native code.

    Args:
        operators: Gives what runs an operator, ``operators(name, arguments)``; None: there are none.
        values: Reads arguments and writes results.
        converter: Writes results of known types.
        retain: One reference of a native tensor more.
        as_tensor: Makes tensors of the arrays in a result.
    """

    def __init__(
        self,
        operators: Callable[[], Callable[[str, tuple[Any, ...]], object] | None],
        values: DispatchValues,
        converter: Converter,
        retain: Callable[[int], object],
        as_tensor: Callable[[object], object],
    ) -> None:
        self._operators = operators
        self._values = values
        self._converter = converter
        self._retain = retain
        self._as_tensor = as_tensor

    def run(self, context: int, name: int, count: int, kinds: int, values: int, out: int) -> None:
        """Runs an operator for native code: reads its arguments, writes the leaves of the result behind `out`."""
        operators = self._operators()
        if operators is None:
            raise SystemError("no operators are known at run time")
        given = self._values.read(kinds, count, values)
        wanted = given[-1] if given and isinstance(given[-1], Result) else None
        result = operators(ctypes.string_at(name).decode(), given[:-1] if wanted else given)
        if wanted is not None:
            called = ctypes.string_at(name).decode().removeprefix(PREFIX)
            self._converter.from_python(result, wanted.info, out, f"the result of {called}()")
            return
        result = self._as_tensor(result)
        owned: list[int] = []
        described = list(self._values.cells(result, owned))
        cells = [cell for _, cell in described]
        expect(kinds + count, [kind for kind, _ in described], name)
        # Nothing is written or retained before all of the result is known to fit.
        for impl in owned:
            self._retain(impl)
        for i, cell in enumerate(cells):
            ctypes.c_int64.from_address(out + 8 * i).value = cell
