"""The object layout of the running interpreter, and a check that it is a supported one."""

from __future__ import annotations

import ctypes
import struct
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tscript.abi.conversion import PythonWord

OLDEST = (3, 11)
"""The first supported version of CPython."""

_STATE = 32
"""Offset of the word of a str that describes the representation of its characters."""


class UnsupportedInterpreterError(ImportError):
    """This Python interpreter cannot run tscript's native code; the message explains why."""


def check_interpreter() -> None:
    """Refuse an unsupported interpreter.

    Raises:
        UnsupportedInterpreterError: It is not a CPython of at least 3.11 with a GIL on a 64-bit little-endian machine,
            or its objects are laid out in an unknown way.
    """
    found = f"this is {sys.implementation.name} {sys.version.split()[0]} on {sys.platform}"
    if sys.implementation.name != "cpython":
        raise UnsupportedInterpreterError(f"tscript needs CPython; {found}")
    if sys.version_info < OLDEST:
        raise UnsupportedInterpreterError(f"tscript needs Python {OLDEST[0]}.{OLDEST[1]} or later; {found}")
    if "t" in getattr(sys, "abiflags", ""):
        raise UnsupportedInterpreterError(
            f"tscript does not support free-threaded builds of Python; {found}, built without the GIL. "
            "Use the ordinary build of the same version"
        )
    if struct.calcsize("P") != 8 or sys.byteorder != "little":
        raise UnsupportedInterpreterError(f"tscript needs a 64-bit little-endian machine; {found}")
    if object.__basicsize__ != 16 or float.__basicsize__ != 24:
        raise UnsupportedInterpreterError(
            "tscript does not know the object layout of this build of Python (a debug build with traced references?); "
            + found
        )


def layouts() -> dict[PythonWord, int]:
    """The layout of ints, tuples and strings in the running interpreter.

    Raises:
        UnsupportedInterpreterError: The layout is unknown.
    """
    from tscript.abi.conversion import PythonWord

    texts = {"a": (1, True), "\xe9": (1, False), "\u0101": (2, False), "\U0001f600": (4, False)}
    states = [(ctypes.c_uint32.from_address(id(text) + _STATE).value, *expected) for text, expected in texts.items()]

    def fits(shift: int) -> bool:
        return all(
            state >> shift & 7 == width and state >> shift + 3 & 1 and state >> shift + 4 & 1 == ascii
            for state, width, ascii in states
        )

    shift = next(filter(fits, (2, 8, 16)), None)
    if shift is None:
        raise UnsupportedInterpreterError(f"tscript does not know how Python {sys.version.split()[0]} keeps strings")
    return {
        PythonWord.INT_TAG: int(sys.version_info >= (3, 12)),
        PythonWord.TUPLE_ITEMS: tuple.__basicsize__,
        PythonWord.ASCII_DATA: sys.getsizeof("") - 1,
        PythonWord.COMPACT_DATA: sys.getsizeof("\u0101") - 4,
        PythonWord.KIND_SHIFT: shift,
    }
