"""How the running interpreter lays out its objects, and that it is one we know."""

from __future__ import annotations

import ctypes
import sys

from tscript.abi.layout import PythonWord

_STATE = 32
"""Offset of the word of a str that says how its characters are kept."""


class UnsupportedInterpreterError(ImportError):
    """This Python interpreter cannot run tscript's native code; the message says what is different."""


def layouts() -> dict[PythonWord, int]:
    """How the running interpreter lays out ints, tuples and strings.

    Raises:
        UnsupportedInterpreterError: In a way that is not known.
    """
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
