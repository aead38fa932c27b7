"""What one run of a program did, in a form that can be compared and sent to another process."""

from __future__ import annotations

import dataclasses
import enum
import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

import tscript
from tests.fuzz.memory import array_of
from tscript.definitions.values import dtype_of_array, widen


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one run did.

    Attributes:
        value: The result as `plain` gives it; None when it raised.
        error: Class and message of the exception; empty when it returned.
        args: The arguments afterwards, as `plain` gives them.
        printed: What went to standard output.
    """

    value: object
    error: tuple[str, ...]
    args: object
    printed: str

    def __str__(self) -> str:
        did = f"raised {': '.join(self.error)}" if self.error else f"returned {self.value!r}"
        return f"{did}; arguments {self.args!r}" + (f"; printed {self.printed!r}" if self.printed else "")


class Plain:
    """Turns values into tuples, numbers and texts. What is the same object becomes so visibly."""

    def __init__(self) -> None:
        self._seen: dict[int, int] = {}
        self._kept: list[object] = []
        self._memories: list[np.ndarray[Any, Any]] = []

    def of(self, value: Any) -> object:
        """`value` as nested tuples that begin with the name of its type; floats by their bits."""
        match value:
            case None | bool() | str() | bytes() if type(value) in (type(None), bool, str, bytes):
                return value
            case enum.Enum():
                return ("enum", type(value).__name__, value.name)
            case int() if type(value) is int:
                return value
            case float() if type(value) is float:
                return ("nan",) if value != value else ("float", repr(value))
            case complex():
                return ("complex", repr(value.real), repr(value.imag))  # the sign of a NaN says nothing
            case tuple():
                return (type(value).__name__, *map(self.of, value))
        number = self._seen.get(id(value))
        if number is not None:
            return ("again", number)
        self._seen[id(value)] = len(self._seen)
        self._kept.append(value)  # so that no other object gets its id
        if isinstance(value, tscript.Tensor):
            return self._tensor(array_of(value))
        if isinstance(value, np.ndarray):
            return self._tensor(value)
        match value:
            case list():
                return (type(value).__name__, *map(self.of, value))
            case dict():
                return ("dict", *((self.of(k), self.of(v)) for k, v in value.items()))
            case set() | frozenset():
                # in an order of their own, which decides what is seen first: that of a set says nothing
                held = sorted(value, key=lambda v: repr(Plain().of(v)))
                return (type(value).__name__, *sorted(map(self.of, held), key=repr))
        if isinstance(value, BaseException):
            return (type(value).__name__, *map(self.of, value.args))
        return (type(value).__name__, *((name, self.of(v)) for name, v in sorted(fields(value))))

    def _tensor(self, array: np.ndarray[Any, Any]) -> object:
        """Dtype, sizes, elements, and the first tensor that it shares memory with."""
        shared = next((i for i, other in enumerate(self._memories) if np.may_share_memory(array, other)), None)
        self._memories.append(array)
        elements = tuple(map(_shown, widen(array).ravel().tolist()))
        return (
            "tensor",
            dtype_of_array(array).name,
            array.shape,
            elements,
            *(() if shared is None else ("shares", shared)),
        )


def _shown(element: Any) -> str:
    """An element; the sign of a NaN says nothing."""
    if isinstance(element, complex):
        return f"{_shown(element.real)} {_shown(element.imag)}j"
    return "nan" if isinstance(element, float) and math.isnan(element) else repr(element)


def fields(value: Any) -> Iterable[tuple[str, object]]:
    """The attributes of an instance."""
    if dataclasses.is_dataclass(value):
        return [(f.name, getattr(value, f.name)) for f in dataclasses.fields(value) if hasattr(value, f.name)]
    return list(getattr(value, "__dict__", {}).items())


SAME_MESSAGES = (
    {
        "too many indices for tensor of dimension",
        "slice() cannot be applied to a 0-dim tensor.",
        "select() cannot be applied to a 0-dim",
    },
    {"iteration over a 0-d tensor", "len() of a 0-d tensor"},
)
"""Beginnings of messages that say the same: compiled code takes an index apart, and looks at the length before it
iterates."""


def _says_the_same(a: str, b: str) -> bool:
    return a == b or any(all(any(m.startswith(p) for p in same) for m in (a, b)) for same in SAME_MESSAGES)


def difference(expected: Outcome, found: Outcome) -> str:
    """In what two runs differ: one word, and empty when they do not."""
    if expected.error[:1] != found.error[:1]:
        return "exception"
    if expected.error and not _says_the_same(expected.error[1], found.error[1]):
        return "message"
    if expected.value != found.value or repr(expected.value) != repr(found.value):
        return "value"
    if expected.printed != found.printed:
        return "output"
    return "arguments" if repr(expected.args) != repr(found.args) else ""
