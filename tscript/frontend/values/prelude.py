"""Functions of the language that the compiler calls: what lists and dicts do with instances whose classes say
themselves what is equal, what comes first and what they look like. They are generic: each is lowered for the types of
its arguments.

Parameters have no annotations. Results have: the methods that these functions call may come back to them.
"""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return"

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class Generic:
    """A function of the prelude that others of it call, lowered for the types of the arguments. Never run.

    Args:
        function: The function; what the compiler lowers itself has a name only.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function

    def __call__(self, *args: Any) -> Any:
        """It is called in compiled code only."""
        raise NotImplementedError(self.function.__name__)


@Generic
def same(x, y):
    """Whether two values are the same object, or equal; the compiler lowers it."""


def lists_equal(xs, ys) -> bool:
    """``xs == ys``"""
    if len(xs) != len(ys):
        return False
    i = 0
    while i < len(xs) and i < len(ys):  # comparing may change them
        if not same(xs[i], ys[i]):
            return False
        i += 1
    return len(xs) == len(ys)


def dicts_equal(xs, ys) -> bool:
    """``xs == ys``"""
    if len(xs) != len(ys):
        return False
    for key in xs:
        if key not in ys:
            return False
        if not same(xs[key], ys[key]):
            return False
    return True


def update_dict(xs, ys) -> None:
    """``xs.update(ys)`` of a dict of other types."""
    for key in ys:
        xs[key] = ys[key]


def options_equal(x, y) -> bool:
    """``x == y`` where both may be None."""
    if x is None:
        return y is None
    if y is None:
        return False
    return bool(x == y)


def lost_in_sum(lost, counts, total, x, following) -> float:
    """What sums have lost when ``total + x`` is `following`, as Neumaier has it."""
    if not counts:
        return lost
    if abs(total) >= abs(x):
        return lost + ((total - following) + x)
    return lost + ((x - following) + total)


def sum_with_lost(total, lost) -> float:
    """A sum with what it has lost, unless that is no number."""
    return total + lost if lost != 0.0 and lost - lost == 0.0 else total


def order_of(xs, reverse) -> list[int]:
    """The places of the elements of a list in order, equal ones as they are: sorting from below, by merging."""
    xs = xs.copy()  # comparing may change it
    places = list(range(len(xs)))
    other = places.copy()
    width = 1
    while width < len(xs):
        start = 0
        while start < len(xs):
            middle = min(start + width, len(xs))
            end = min(start + 2 * width, len(xs))
            i = start
            j = middle
            for k in range(start, end):
                if i == middle:
                    take = False
                elif j == end:
                    take = True
                elif reverse:
                    take = not (xs[places[i]] < xs[places[j]])
                else:
                    take = not (xs[places[j]] < xs[places[i]])
                if take:
                    other[k] = places[i]
                    i += 1
                else:
                    other[k] = places[j]
                    j += 1
            start = end
        places, other = other, places
        width *= 2
    return places


def least_of(xs) -> int:
    """The place of the first least element."""
    best = 0
    for i in range(1, len(xs)):
        if xs[i] < xs[best]:
            best = i
    return best


def greatest_of(xs) -> int:
    """The place of the first greatest element."""
    best = 0
    for i in range(1, len(xs)):
        if xs[i] > xs[best]:
            best = i
    return best


def list_text(xs) -> str:
    """``repr(xs)``"""
    return "[" + ", ".join([repr(x) for x in xs]) + "]"


def long_tuple_text(xs) -> str:
    """``repr(xs)`` of a tuple of any length."""
    if len(xs) == 1:
        return "(" + repr(xs[0]) + ",)"
    return "(" + ", ".join([repr(x) for x in xs]) + ")"


def dict_text(xs) -> str:
    """``repr(xs)``"""
    return "{" + ", ".join([repr(k) + ": " + repr(xs[k]) for k in xs]) + "}"


def set_text(xs) -> str:
    """``repr(xs)``"""
    if not xs:
        return "set()"
    return "{" + ", ".join([repr(x) for x in xs]) + "}"


def option_text(x) -> str:
    """``repr(x)`` where it may be None."""
    if x is None:
        return "None"
    return repr(x)


def option_str(x):
    """``str(x)`` where it may be None."""
    if x is None:
        return "None"
    return str(x)


def no_enum_value(value, name: str):
    """What ``Color(value)`` raises."""
    raise ValueError(repr(value) + " is not a valid " + name)


def no_enum_name(name: str):
    """What ``Color[name]`` raises."""
    raise KeyError(name)
