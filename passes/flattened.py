"""Indices of flattened arrays: ``out[i * n + j]`` with ``j`` in ``range(n)`` belongs to the iteration ``i`` alone.

An index is a polynomial in counters and in values from before the loop. It is ``step * i + offset + rest``, where the
rest depends on counters of inner loops. If the rest is at least 0 and below the step, no two iterations have an index
in common. Both are proved by putting the bounds of each counter in its place::

    i * w * 3 + j * 3 + c    step w * 3, rest at most (w - 1) * 3 + 2, which is w * 3 - 1

For the proof values from before the loop are taken to be at least 1, which is asked when the loop begins.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from typing import final

from tscript.ir.graph import Block, For, Op, Value
from tscript.late import dataclass
from tscript.passes.index_checks import INDEX
from tscript.types import INT

Polynomial = dict[tuple[int, ...], int]
"""By the numbers of the variables of a product, in order, its factor."""

_COUNTER = 0
"""The number of the counter of the loop."""
_MOST_TERMS = 24
_MOST_FACTORS = 5
_LARGEST = 1 << 30


@dataclass(frozen=True, slots=True)
class Stretch:
    """Positions along a dimension of an array that one iteration has: ``step`` of them.

    Attributes:
        array: The array or list; a value from before the loop.
        dim: The dimension.
        step: How far it is to those of the next iteration.
        offset: Where those of iteration 0 begin.
        positive: Values that have to be at least 1.
        natural: Values that have to be at least 0.
    """

    array: Value
    dim: int
    step: frozenset[tuple[tuple[int, ...], int]]
    offset: frozenset[tuple[tuple[int, ...], int]]
    positive: tuple[Value, ...]
    natural: tuple[Value, ...]

    def is_apart(self, other: Stretch) -> bool:
        """Whether no two different iterations have a position in common, one of this and one of the other part."""
        own = self.array, self.dim, self.step, self.offset
        return own == (other.array, other.dim, other.step, other.offset)


@final
class Flattened:
    """The indices of one loop.

    Args:
        loop: The loop.
        inside: The values that it defines.
    """

    def __init__(self, loop: For, inside: Set[Value]) -> None:
        self._inside = inside
        self._variables: list[Value] = [loop.body.params[0]]
        self._taken: set[int] = set()
        """What the bounds of a place have."""
        self._loops: dict[Value, tuple[For, int]] = {}
        """By counter of an inner loop: the loop, and its depth."""
        for inner, depth in _loops(loop.body, 1):
            self._loops[inner.body.params[0]] = inner, depth

    def stretch(self, array: Value, dim: int, first: Value, stop: Value | None = None) -> Stretch | None:
        """What an iteration has of an array at an index, or from there to another one; None if it is not known."""
        place = self._polynomial(first)
        end = None if stop is None else self._polynomial(stop)
        if place is None or (stop is not None and end is None):
            return None
        width: Polynomial = {(): 1} if end is None else _sum(end, place, -1)
        step = {m[1:]: n for m, n in place.items() if m[:1] == (_COUNTER,)}
        if not step or not self._is_known(step) or not self._is_natural(width):
            return None
        self._taken = set()
        rest = {m: n for m, n in place.items() if m[:1] != (_COUNTER,)}
        fixed = {m: n for m, n in rest.items() if m and self._is_known({m: n})}
        for offset in {}, fixed:
            own = _sum(rest, offset, -1)
            low, high = self._bound(own, False), self._bound(_sum(own, width), True)
            if low is None or high is None or min(offset.values(), default=0) < 0:
                continue
            room = _sum(step, high, -1)
            if self._is_natural(low) and self._is_natural(room):
                self._take(step, low, room, width)
                positive = tuple(self._variables[k] for k in sorted(self._taken))
                natural = tuple(self._variables[k] for k in sorted({k for m in offset for k in m} - self._taken))
                return Stretch(array, dim, frozenset(step.items()), frozenset(offset.items()), positive, natural)
        return None

    # Polynomials

    def _number(self, value: Value) -> int:
        if value not in self._variables:
            self._variables.append(value)
        return self._variables.index(value)

    def _polynomial(self, value: Value, depth: int = 16) -> Polynomial | None:
        """An int as a polynomial."""
        constant = value.constant
        if isinstance(constant, int) and not isinstance(constant, bool):
            return ({(): constant} if constant else {}) if abs(constant) <= _LARGEST else None
        if value.type != INT:
            return None
        if value not in self._inside or value in self._loops or value is self._variables[_COUNTER]:
            return {(self._number(value),): 1}
        node = value.node
        if depth == 0 or not isinstance(node, Op):
            return None
        name = node.op.name
        if name in INDEX:
            return self._polynomial(node.inputs[2], depth - 1)
        if name not in ("add.int", "sub.int", "mul.int", "neg.int"):
            return None
        parts = [self._polynomial(v, depth - 1) for v in node.inputs]
        known = [p for p in parts if p is not None]
        if len(known) < len(parts):
            return None
        if name == "neg.int":
            found = _sum({}, known[0], -1)
        elif name == "mul.int":
            found = _product(known[0], known[1])
        else:
            found = _sum(known[0], known[1], -1 if name == "sub.int" else 1)
        return found if _is_small(found) else None

    def _is_counter(self, number: int) -> bool:
        return number == _COUNTER or self._variables[number] in self._loops

    def _is_known(self, polynomial: Polynomial) -> bool:
        """Whether it has values from before the loop alone."""
        return not any(self._is_counter(k) for m in polynomial for k in m)

    def _take(self, *polynomials: Polynomial) -> None:
        self._taken.update(k for p in polynomials for m in p for k in m if not self._is_counter(k))

    # Bounds

    def _bound(self, polynomial: Polynomial, upper: bool) -> Polynomial | None:
        """The greatest or the least value, in values from before the loop."""
        while True:
            counters = {k for m in polynomial for k in m if self._is_counter(k)}
            if not counters:
                return polynomial
            if _COUNTER in counters:
                return None
            inner = max(counters, key=lambda k: self._loops[self._variables[k]][1])
            factor: Polynomial = {}
            rest: Polynomial = {}
            for product, n in polynomial.items():
                if product.count(inner) > 1:
                    return None
                if inner in product:
                    factor[tuple(k for k in product if k != inner)] = n
                else:
                    rest[product] = n
            grows = min(factor.values()) > 0
            if not grows and max(factor.values()) > 0:
                return None
            limits = self._limits(self._variables[inner])
            if limits is None:
                return None
            polynomial = _sum(rest, _product(factor, limits[1 if grows == upper else 0]))
            if not _is_small(polynomial):
                return None

    def _limits(self, counter: Value) -> tuple[Polynomial, Polynomial] | None:
        """The least and the greatest value of a counter; None if they are not known, or it may be negative."""
        loop = self._loops[counter][0]
        start, stop = (self._polynomial(v) for v in loop.inputs[:2])
        step = loop.inputs[2].constant
        if start is None or stop is None or not isinstance(step, int) or step == 0:
            return None
        one: Polynomial = {(): 1}
        low, high = (start, _sum(stop, one, -1)) if step > 0 else (_sum(stop, one), start)
        self._take(low, high)
        least = self._bound(low, False)
        return (low, high) if least is not None and self._is_natural(least) else None

    def _is_natural(self, polynomial: Polynomial) -> bool:
        """Whether it is at least 0 if all its variables are at least 1."""
        found: Polynomial = {}
        for product, n in polynomial.items():
            term: Polynomial = {(): n}
            for k in product:
                term = _product(term, {(k,): 1, (): 0 if self._is_counter(k) else 1})
            found = _sum(found, term)
        return min(found.values(), default=0) >= 0


def _loops(block: Block, depth: int) -> Iterator[tuple[For, int]]:
    """The loops of a block, with how many are around them."""
    for node in block.nodes:
        if isinstance(node, For):
            yield node, depth
        for inner in node.blocks:
            yield from _loops(inner, depth + 1)


def _sum(a: Polynomial, b: Polynomial, factor: int = 1) -> Polynomial:
    found = dict(a)
    for product, n in b.items():
        found[product] = found.get(product, 0) + n * factor
    return {m: n for m, n in found.items() if n}


def _product(a: Polynomial, b: Polynomial) -> Polynomial:
    found: Polynomial = {}
    for first, m in a.items():
        for second, n in b.items():
            product = tuple(sorted((*first, *second)))
            found[product] = found.get(product, 0) + m * n
    return {m: n for m, n in found.items() if n}


def _is_small(polynomial: Polynomial) -> bool:
    return len(polynomial) <= _MOST_TERMS and all(
        len(m) <= _MOST_FACTORS and abs(n) <= _LARGEST for m, n in polynomial.items()
    )


__all__ = ["Flattened", "Stretch"]
