"""Keys of calls: how values appear in them, and how parameters say that."""

from __future__ import annotations


class Tag:
    """Low byte of the first word of an argument in a key."""

    TENSOR = 1
    """From bit 8: what is known of the tensor (`tscript.abi.tensor_facts`)."""
    FLOAT = 2
    INT = 3
    BOOL = 4
    OBJECT = 5
    """The next word is the object's address: dtypes, and strings whose value is part of the key."""
    STATIC_INT = 6
    """The next word is the value."""
    STATIC_BOOL = 7
    """Bit 8 is the value."""
    STATIC_FLOAT = 8
    """The next word is the value's bits."""
    TUPLE = 9
    """From bit 8: how many elements; their words follow."""
    NONE = 10
    KEYWORDS = 11
    """Behind all arguments. From bit 8: how many of the last arguments were given by keyword; their names' addresses
    follow."""

    ANY = 12
    """Says nothing of the value: its type is checked when it is converted."""
    ARRAY = 13
    """An ndarray that needs no conversion. From bit 8: what is known of it as a tensor."""
    TORCH = 14
    """The same of a tensor of PyTorch."""

    CLASS = 16
    """The next word is the address of the object's class."""
    LIST = 17
    """From bit 8: the classes of its elements, as bits of `Simple`. If one is of another class, the words of such an
    element follow, which all of them share."""
    SET = 18
    """As `LIST`."""
    DICT = 19
    """As `LIST`, for its keys; then the same word again, for its values."""


class Simple:
    """Classes of elements of which nothing else is in a key, as bits."""

    INT = 1
    FLOAT = 2
    BOOL = 4
    STR = 8
    NONE = 16
    TENSOR = 32
    OTHER = 64
    """Any other."""


class Flag:
    """How a parameter is treated, one byte for each."""

    DYNAMIC = 0
    """Numbers are passed; only their type is part of the key."""
    STATIC = 1
    """Values of int, bool and float are part of the key (elements of tuples too) and not passed."""
    LIST = 2
    """A list is taken as a tuple."""
    STATIC_BOOL = 4
    """As `STATIC`, for bools only."""
    OBJECT = 8
    """The value is converted by its parameter's type and has no part in the key."""
    OBJECTS = 16
    """What has no key otherwise (a list, a str, an instance) is converted and has no part in the key."""
    OPEN = 32
    """The type comes from the call: the key has the classes of all values in containers, and of what has no key
    otherwise."""
    STRING = 64
    """The value of a string is part of the key, as the address of the one that Python keeps for literals."""


MAX_WORDS = 64
"""Of a key; longer ones miss."""
FIRST_CAPACITY = 8

KINDS = 8
"""Room for types whose objects are keyed by identity."""
