"""`Printing`: the options of the process for printing tensors, which native code reads too."""

from __future__ import annotations

import ctypes

from tscript.abi.printing import DEFAULT, DEFAULT_DTYPE, SYMBOL, PrintOptions
from tscript.runtime.boundary.native_module import NativeModule
from tscript.types import DType


class Printing:
    """The options for printing.

    Args:
        module: Has their cells.
    """

    def __init__(self, module: NativeModule) -> None:
        self._cells = (ctypes.c_int64 * (DEFAULT_DTYPE + 1)).from_address(module.address(SYMBOL))

    @property
    def options(self) -> PrintOptions:
        """Those in place."""
        return PrintOptions(*self._cells[: len(DEFAULT)])

    def set(self, options: PrintOptions) -> None:
        """Replace them."""
        self._cells[: len(DEFAULT)] = list(options)

    def set_default_dtype(self, dtype: DType) -> None:
        """Say which dtype of floats tensors are shown without."""
        self._cells[DEFAULT_DTYPE] = dtype.code
