"""Kinds of types at run time, and states of futures."""

from __future__ import annotations

from enum import IntEnum


class FutureState(IntEnum):
    """How far a forked call is."""

    PENDING = 0
    """In the queue: whoever takes it out runs it."""
    RUNNING = 1
    DONE = 2


class TypeKind(IntEnum):
    """What the values of a type are, and how they lie in cells of eight bytes.

    A value is a row of cells, one after the other: an ``int``, a ``bool`` (0 or 1), the bits of a ``float``, the code
    of a dtype or the number of an enum's member takes one, ``None`` none, a tuple (also a named one) those of its
    elements. What lives on the heap is one cell, its address.
    """

    NONE = 0
    INT = 1
    FLOAT = 2
    BOOL = 3
    COMPLEX = 4
    """Two cells: real and imaginary part."""
    DTYPE = 5
    ENUM = 6
    """The number of the member; `names` holds the name and the value's repr of each, in turn."""
    TUPLE = 7
    """`parts` are the elements; `names` the fields of a named one, else null."""
    OPTIONAL = 8
    """Of a heap value: its address or 0. Of anything else: 0 or 1, then the cells of the value (zeros without one)."""
    OBJECT = 9
    """Of a union, or anything: the address of a heap object, whose header tells its type; 0 is None. Values that do not
    live on the heap are in an `OBJECT_STRUCT` whose type is theirs."""
    LATE = 10
    """A field that may be read before it is set: 0 or 1, then the cells of what `parts` names (zeros before). Only
    fields are of this kind."""
    STR = 16
    BYTES = 17
    LIST = 18
    DICT = 19
    SET = 20
    CLASS = 21
    """Instance of a class: `parts` are its fields, those of its bases first."""
    CALLABLE = 22
    FUTURE = 23
    TENSOR = 24


FIRST_HEAP_KIND = TypeKind.STR
"""Values of this kind and those above live on the heap."""
