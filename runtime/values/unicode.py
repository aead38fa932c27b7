"""Shared data of string kernels in a process: pages of Unicode records, made at their first use."""

from __future__ import annotations

import ctypes
import os

from tscript.abi.symbols import kernel_symbol
from tscript.abi.unicode import PAGES, RECORD, records


class TextState:
    """The shared data of string kernels in this process, and its symbols."""

    def __init__(self) -> None:
        self._table = (ctypes.c_int64 * PAGES)()
        self._made: dict[int, ctypes.Array[ctypes.c_int64]] = {}
        self._function = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_int64)(self.page)
        self._characters = (ctypes.c_int64 * (257 * 8))()
        self._seed = ctypes.c_int64(int.from_bytes(os.urandom(8), "little", signed=True))

    @property
    def symbols(self) -> dict[str, int]:
        """Addresses by symbol."""
        function = ctypes.cast(self._function, ctypes.c_void_p).value
        assert function is not None
        return {
            kernel_symbol("unicode"): ctypes.addressof(self._table),
            kernel_symbol("unicode_page"): function,
            kernel_symbol("characters"): ctypes.addressof(self._characters),
            kernel_symbol("hash_seed"): ctypes.addressof(self._seed),
        }

    def page(self, number: int) -> int:
        """The address of a page of records."""
        made = self._made.get(number)
        if made is None:
            made = self._made.setdefault(number, (ctypes.c_int64 * (256 * RECORD))(*records(number)))
        return ctypes.addressof(made)
