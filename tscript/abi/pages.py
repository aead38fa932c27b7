"""`Pages`: memory for code, which is written first and run then, never writable and executable at once.

It is made of the C library's `mmap`, `mprotect` and `munmap`, so it is for systems that have them: Linux here.
"""

from __future__ import annotations

import ctypes
import mmap
import os
from functools import cache
from typing import Any

PAGE = mmap.PAGESIZE
"""Bytes of a page, the unit of protection."""

READ = 1
WRITE = 2
EXECUTE = 4

_FAILED = (1 << 64) - 1
_CLEAR = bytes.fromhex(
    "22003bd5 434c50d3 840080d2 8320c39a 650400d1 0500258a 257b0bd5 a500038b bf0001eb a3ffff54 9f3b03d5"
    "430c4092 8320c39a 650400d1 0500258a 25750bd5 a500038b bf0001eb a3ffff54 9f3b03d5 df3f03d5 c0035fd6"
)
"""aarch64: makes the instruction cache forget the bytes from x0 to x1. `dc cvau` for each line of data, `ic ivau` for
each of instructions, their sizes from `ctr_el0`, with the barriers between and after."""


class Pages:
    """Pages of this process: new ones, readable and writable at first, or those of a file, readable at first, of which
    the process has its own copy where it writes.

    Args:
        nbytes: At least so many.
        file: The number of an open file that has them; -1: they are new.
        offset: Where in the file they begin, a multiple of a page.

    Raises:
        OSError: There is no memory, or the system allows no such pages.
    """

    __slots__ = ("address", "is_file", "nbytes")

    def __init__(self, nbytes: int, file: int = -1, offset: int = 0) -> None:
        self.nbytes = whole(max(nbytes, 1))
        self.is_file = file >= 0
        access, flags = (READ | WRITE, mmap.MAP_ANONYMOUS) if file < 0 else (READ, 0)
        found = _libc().mmap(None, self.nbytes, access, mmap.MAP_PRIVATE | flags, file, offset)
        if found is None or found == _FAILED:
            raise OSError(ctypes.get_errno(), f"no memory for {self.nbytes} bytes of code")
        self.address: int = found

    def write(self, data: bytes | bytearray) -> None:
        """Put `data` at the beginning."""
        if len(data) > self.nbytes:
            raise ValueError("more than there is room for")
        source = data if isinstance(data, bytes) else (ctypes.c_char * len(data)).from_buffer(data)
        ctypes.memmove(self.address, source, len(data))

    def protect(self, begin: int, end: int, access: int) -> None:
        """Say what may be done with the pages from offset `begin` to `end`, multiples of a page.

        Args:
            begin: The first byte.
            end: The byte after the last.
            access: `READ`, with `WRITE` or `EXECUTE`.

        Raises:
            ValueError: It is both writable and executable, or outside these pages.
            OSError: The system refuses.
        """
        if access & WRITE and access & EXECUTE:
            raise ValueError("no page is writable and executable")
        if begin % PAGE or end % PAGE or not 0 <= begin <= end <= self.nbytes:
            raise ValueError("not whole pages of these")
        if begin == end:
            return
        if _libc().mprotect(self.address + begin, end - begin, access):
            raise OSError(ctypes.get_errno(), "pages cannot be protected")
        if access & EXECUTE and not self.is_file and os.uname().machine == "aarch64":
            _clear_instructions(self.address + begin, self.address + end)

    def free(self) -> None:
        """Give the pages back; nobody may use them any more."""
        _libc().munmap(self.address, self.nbytes)


def whole(nbytes: int) -> int:
    """`nbytes` rounded up to whole pages."""
    return -(-nbytes // PAGE) * PAGE


def process_symbol(name: str) -> int:
    """The address of a symbol of the process itself, of its program and the libraries it was started with; 0: none."""
    found = _libc().dlsym(_libc()._handle, name.encode())
    return 0 if found is None else int(found)


@cache
def _libc() -> Any:
    libc = ctypes.CDLL(None, use_errno=True)
    size, number, pointer = ctypes.c_size_t, ctypes.c_int, ctypes.c_void_p
    libc.mmap.argtypes, libc.mmap.restype = (pointer, size, number, number, number, ctypes.c_long), pointer
    libc.mprotect.argtypes, libc.munmap.argtypes = (pointer, size, number), (pointer, size)
    libc.dlsym.argtypes, libc.dlsym.restype = (pointer, ctypes.c_char_p), pointer
    return libc


@cache
def _clearing() -> Any:
    # The kernel itself clears the cache of a page that becomes executable for the first time.
    pages = Pages(len(_CLEAR))
    pages.write(_CLEAR)
    if _libc().mprotect(pages.address, pages.nbytes, READ | EXECUTE):
        raise OSError(ctypes.get_errno(), "pages cannot be protected")
    return ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(pages.address)


def _clear_instructions(begin: int, end: int) -> None:
    _clearing()(begin, end)
