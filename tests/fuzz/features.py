"""What generated programs may contain, as flags: `Feature`, and the sets of them that have a name."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum, auto


class Feature(Enum):
    """One part of the language. Numbers, truth values, `if`, `while`, `for` over a range, and calls are always
    there."""

    TERNARY = auto()
    CHAINED = auto()
    OPERANDS = auto()
    """`and` and `or` that give one of two numbers."""
    MATH = auto()
    ASSERT = auto()
    RAISE = auto()
    RECURSION = auto()
    TUPLE = auto()
    DEFAULTS = auto()
    """Parameters with defaults, keyword-only ones, arguments by keyword."""
    GLOBALS = auto()
    LOOP_ELSE = auto()
    STR = auto()
    FSTRING = auto()
    FORMAT = auto()
    """`str.format` and `%`."""
    LIST = auto()
    DICT = auto()
    SET = auto()
    ROW = auto()
    """`tuple[T, ...]`."""
    NESTED = auto()
    """Containers of containers."""
    COMPREHENSION = auto()
    GENERATOR = auto()
    """Generator expressions in `any`, `all`, `sum`, `sorted`."""
    SLICE = auto()
    ITERATION = auto()
    """`enumerate`, `zip`, `reversed`, `sorted`."""
    STARRED = auto()
    OPTIONAL = auto()
    UNION = auto()
    NAMED = auto()
    DATACLASS = auto()
    ENUM = auto()
    CLASS = auto()
    INHERITANCE = auto()
    TRY = auto()
    USER_ERROR = auto()
    WITH = auto()
    MATCH = auto()
    LAMBDA = auto()
    CLOSURE = auto()
    VARARGS = auto()
    WALRUS = auto()
    DEL = auto()
    PRINT = auto()
    COMPLEX = auto()
    BYTES = auto()
    MAP = auto()
    """`map`, `filter`, and `min` and `max` with a key."""
    PROPERTY = auto()
    """Properties and static methods."""
    OPERATOR = auto()
    """Classes with operators of their own."""
    KEY = auto()
    """Classes with a `__hash__` and an `__eq__` of their own, whose instances are keys."""
    ITERATOR = auto()
    """Classes with `__iter__` and `__next__`."""
    CALLABLE = auto()
    """Functions as arguments."""
    GENERIC = auto()
    """Functions over type variables."""
    ANY = auto()
    WIDE = auto()
    """Ints up to the limits of 64 bits, and masks."""
    FROM = auto()
    """`raise … from …`."""
    TENSOR = auto()
    """Tensors wherever numbers are."""
    FORK = auto()
    """Functions that run as tasks."""
    ZERO_DIVISION = auto()
    """Tensors divided by tensors that may hold zeros."""
    CACHE = auto()
    """`functools.lru_cache` around functions of the module, inside functions, and of classes."""
    RANGES = auto()
    """Loops over indices and counters near their edges."""
    WIDEN = auto()
    """Loops in which names come to be of wider types."""
    ERROR_VALUE = auto()
    """Exceptions as values: returned, stored, passed."""
    PRIVATE = auto()
    """Names that begin with two underscores."""
    MODULE_TENSOR = auto()
    """Tensors of the module as constants."""
    LIBRARY = auto()
    """Operators with index tensors, several results, further dtypes, devices, random numbers."""
    UNSET = auto()
    """Attributes that methods read before they are set."""
    INTERFACE = auto()
    """Interfaces, and values of several classes."""


SCALAR = frozenset(
    {
        Feature.TERNARY,
        Feature.CHAINED,
        Feature.OPERANDS,
        Feature.MATH,
        Feature.ASSERT,
        Feature.RAISE,
        Feature.RECURSION,
        Feature.TUPLE,
        Feature.DEFAULTS,
        Feature.GLOBALS,
        Feature.LOOP_ELSE,
        Feature.WIDE,
    }
)
ALL = frozenset(Feature)
SUPPORTED = ALL
"""What the compiler compiles: what `make exhaustive` and the tests use."""

_SETS = {"scalar": SCALAR, "all": ALL, "supported": SUPPORTED}


def parse_features(text: str) -> frozenset[Feature]:
    """The features of a list such as ``supported,+print,-math`` or ``str,list``.

    Raises:
        ValueError: A name is unknown.
    """
    found: frozenset[Feature] = frozenset()
    for word in filter(None, text.lower().replace(" ", "").split(",")):
        name = word.lstrip("+-")
        chosen = _SETS.get(name)
        if chosen is None:
            if name.upper() not in Feature.__members__:
                raise ValueError(f"unknown feature {name!r}; there are {describe(ALL)} and {', '.join(_SETS)}")
            chosen = frozenset({Feature[name.upper()]})
        found = found - chosen if word.startswith("-") else found | chosen
    return found


def describe(features: Iterable[Feature]) -> str:
    """The names of features, which `parse_features` takes."""
    return ",".join(sorted(f.name.lower() for f in features))
