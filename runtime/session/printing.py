"""`Printing`: the options of the process for printing tensors, which native code reads too."""

from __future__ import annotations

import ctypes

from tscript.abi.printing import DEFAULT, SYMBOL, PrintOptions
from tscript.runtime.boundary.native_module import NativeModule


class Printing:
    """The options for printing.

    Args:
        module: Has their cells.
    """

    def __init__(self, module: NativeModule) -> None:
        self._cells = (ctypes.c_int64 * len(DEFAULT)).from_address(module.address(SYMBOL))

    @property
    def options(self) -> PrintOptions:
        """Those in place."""
        return PrintOptions(*self._cells)

    def set(self, options: PrintOptions) -> None:
        """Replace them."""
        self._cells[:] = list(options)
