"""Ints that grow by the same amount with each iteration of a loop: ``factor * counter + constant + terms``."""

from __future__ import annotations

from collections.abc import Set

from tscript.ir.graph import Op, Value
from tscript.late import dataclass
from tscript.passes.index_checks import INDEX

LARGEST = 1 << 20
"""Of factors."""


@dataclass(frozen=True, slots=True)
class Affine:
    """An int of one iteration.

    Attributes:
        factor: What it grows by when the counter grows by 1.
        constant: The part that is known when compiling.
        terms: Values from before the loop that are added, each with a factor.
    """

    factor: int
    constant: int
    terms: frozenset[tuple[Value, int]] = frozenset()

    def scaled(self, by: int) -> Affine:
        """A multiple."""
        if by == 0:
            return Affine(0, 0)
        return Affine(self.factor * by, self.constant * by, frozenset((v, n * by) for v, n in self.terms))

    def plus(self, other: Affine) -> Affine:
        """The sum."""
        terms = dict(self.terms)
        for value, factor in other.terms:
            terms[value] = terms.get(value, 0) + factor
        kept = frozenset((v, n) for v, n in terms.items() if n)
        return Affine(self.factor + other.factor, self.constant + other.constant, kept)

    def distance(self, other: Affine) -> int | None:
        """How much `other` is greater in the same iteration; None if that is not known, or not the same in each."""
        if self.factor != other.factor or self.terms != other.terms:
            return None
        return other.constant - self.constant


def affine(value: Value, counter: Value, inside: Set[Value]) -> Affine | None:
    """A value as a function of the counter of a loop; None if it is no such function.

    Args:
        value: An int.
        counter: Of the loop.
        inside: The values that the loop defines.
    """
    found = _affine(value, counter, inside, 16)
    if found is None or max(abs(n) for n in (found.factor, *(n for _, n in found.terms))) > LARGEST:
        return None
    return found


def _affine(value: Value, counter: Value, inside: Set[Value], depth: int) -> Affine | None:
    if value is counter:
        return Affine(1, 0)
    constant = value.constant
    if isinstance(constant, int) and not isinstance(constant, bool):
        return Affine(0, constant) if abs(constant) <= LARGEST else None
    if value not in inside:
        return Affine(0, 0, frozenset({(value, 1)}))
    node = value.node
    if depth == 0 or not isinstance(node, Op):
        return None
    name = node.op.name
    if name in INDEX:
        return _affine(node.inputs[2], counter, inside, depth - 1)
    if name not in ("add.int", "sub.int", "mul.int", "neg.int"):
        return None
    parts = [_affine(v, counter, inside, depth - 1) for v in node.inputs]
    if any(p is None for p in parts):
        return None
    first, *others = [p for p in parts if p is not None]
    if name == "neg.int":
        return first.scaled(-1)
    (second,) = others
    if name == "add.int":
        return first.plus(second)
    if name == "sub.int":
        return first.plus(second.scaled(-1))
    if not second.factor and not second.terms:
        return first.scaled(second.constant)
    if not first.factor and not first.terms:
        return second.scaled(first.constant)
    return None


__all__ = ["LARGEST", "Affine", "affine"]
