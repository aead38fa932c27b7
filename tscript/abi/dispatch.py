"""How arguments and results of a dynamically dispatched operator are described (`tscript.abi.symbols.DISPATCH`).

The kinds of the arguments are followed by those that the leaves of the result must have and by `END`, so that a result
of another form is refused instead of being misread.
"""

from __future__ import annotations

from enum import IntEnum


class DispatchKind(IntEnum):
    """What the 64-bit value of one argument is."""

    NONE = 0
    INT = 1
    FLOAT = 2
    """The bits of a double."""
    BOOL = 3
    TENSOR = 4
    """A pointer to the `TensorImpl`, borrowed."""
    DTYPE = 5
    """A `DType.code`."""
    TUPLE = 6
    """The number of elements, which follow."""
    SIZE = 7
    """A pointer to the rank-1 int64 `TensorImpl` that holds the elements, borrowed."""
    STR = 8
    """A pointer to NUL-terminated UTF-8."""
    OBJECT = 9
    """A pointer to a Python object, borrowed; in records of calls from Python only."""
    VALUE = 10
    """The address of a `TypeInfo`; the next value, of the same kind, is that of the cells of a value of this type."""
    RESULT = 11
    """The address of the `TypeInfo` of the result, whose cells go to where results go; the last one."""

    ARRAY = 12
    """A pointer to the `TensorImpl` of an array, borrowed."""


END = 255
"""Ends the kinds of a dispatch."""

PREFIX = "python::"
"""How the names of the user's Python functions begin, as operators."""
