"""Lists and dicts of instances whose classes say themselves what is equal and what comes first."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call,no-any-return"

from __future__ import annotations

from tscript.definitions.language import generic


@generic
def same(x, y):
    """Whether two values are the same object, or equal; the compiler lowers it."""


@generic
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


@generic
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


@generic
def options_equal(x, y) -> bool:
    """``x == y`` where both may be None."""
    if x is None:
        return y is None
    if y is None:
        return False
    return bool(x == y)


@generic
def update_dict(xs, ys) -> None:
    """``xs.update(ys)`` of a dict of other types."""
    for key in ys:
        xs[key] = ys[key]


@generic
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


@generic
def least_of(xs) -> int:
    """The place of the first least element."""
    best = 0
    for i in range(1, len(xs)):
        if xs[i] < xs[best]:
            best = i
    return best


@generic
def greatest_of(xs) -> int:
    """The place of the first greatest element."""
    best = 0
    for i in range(1, len(xs)):
        if xs[i] > xs[best]:
            best = i
    return best


@generic
def same_options(x, y) -> bool:
    """Whether two values, each of which may be None, are the same object or equal."""
    if x is None:
        return y is None
    if y is None:
        return False
    return same(x, y)
