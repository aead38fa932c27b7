"""Duplicates loops with checks of indices. The first copy has none, and runs if one test before the loop proves that no
index in it can be out of range; else the second one runs, which is what the loop was.

Before::

    for L0 %i: int in range(%zero, %n, %one) {
      %x: float = getitem.list(%xs, %i)
      %p: int = element_index(%a, %zero, %i)
      ...
    }

After::

    %length: int = len.list(%xs)
    %0: bool = machine.lt(%last, %length)                 # %last is %n - 1, the largest index
    %size: int = size.int(%a, %zero)
    %1: bool = machine.lt(%last, %size)
    %2: bool = machine.and(%0, %1)
    if %2 {
      for L1 %i: int in range(%zero, %n, %one) {
        %x: float = item_in.list(%xs, %i)
        ...                                               # %i itself in place of %p
      }
      yield
    } else {
      for L0 %i: int in range(%zero, %n, %one) { ... }
      yield
    }

The largest value of an index is a sum of products of ints that are known before the loop (`Bounds`): it follows from
the ranges of counters, from conditions that hold where the index is used, and from arithmetic. A container takes part
whose length no one can change while the loop runs; sizes of arrays never change.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence, Set
from typing import final

from tscript.definitions.opdef import OpDef
from tscript.definitions.table import OperatorTable
from tscript.dialect import machine
from tscript.ir.analysis import falls_through
from tscript.ir.builder import Builder
from tscript.ir.cloning import clone_node
from tscript.ir.graph import Block, For, If, Loop, Node, Op, Unreachable, Value, Yield, walk
from tscript.ir.rewrite import resolve, rewrite
from tscript.late import dataclass, field
from tscript.passes.known_ranges import KnownRanges
from tscript.types import ListType, TensorType

MOST_NODES = 500
"""The maximum number of nodes of a loop that is duplicated."""

MOST_DENSE = 250
"""The same of a loop in which nothing but strides is tested."""

MOST_STRIDED = 60
"""The maximum number of nodes of a loop that has a version without checks for other strides than 1."""

MOST_TESTS = 24
"""The maximum number of comparisons before a loop."""

MOST_TERMS = 4
"""The maximum number of products that are added to find the largest index."""

SMALL = 1 << 28
"""Values in products must be less than this, so that no sum of `MOST_TERMS` products overflows."""

LARGE = 1 << 56
"""Other values in sums must be less than this."""

MOST_LIMITS = 12
"""The maximum number of values that are compared with these so that sums in a loop need no checks."""

CONSTANT = 1 << 40
"""The absolute value of constants in a bound is less than this."""

Terms = tuple[tuple[int, tuple[Value, ...]], ...]
"""A sum: of each term the factor, and up to two values to multiply."""


@dataclass(frozen=True, slots=True)
class Test:
    """One check: `last` must be less than the length of a container, or than the size of a dimension."""

    container: Value
    dim: int | None
    last: Terms


@dataclass(frozen=True, slots=True)
class Writable:
    """One check: the memory of an array may be written."""

    array: Value


@dataclass(slots=True)
class Versions:
    """A loop to be duplicated.

    Attributes:
        tests: By node, the test that replaces its check.
        dense: The accesses of arrays whose last stride is to be 1.
        sums: Arithmetic that fits where the values in its bounds are small.
        reasons: The part of it that is a reason to duplicate a loop.
    """

    tests: dict[Node, Test | Writable] = field(default_factory=dict)
    dense: dict[Node, None] = field(default_factory=dict)
    sums: dict[Node, Terms] = field(default_factory=dict)
    reasons: dict[Node, None] = field(default_factory=dict)


@final
class Bounds:
    """The largest and the least values of ints at a point of a walk, as sums of values known before a loop.

    Args:
        known: What is known at that point.
        inside: The values that the loop defines.
    """

    def __init__(self, known: KnownRanges, inside: frozenset[Value] | set[Value]) -> None:
        self._known = known
        self._inside = inside
        self._steps = 60

    def upper(self, value: Value, depth: int = 7) -> Terms | None:
        """A sum that is no less than `value`."""
        return self._bound(value, depth, upper=True)

    def lower(self, value: Value, depth: int = 7) -> Terms | None:
        """A sum that is no greater than `value`."""
        return self._bound(value, depth, upper=False)

    def _bound(self, value: Value, depth: int, *, upper: bool) -> Terms | None:
        self._steps -= 1
        if depth == 0 or self._steps < 0:
            return None
        low, high = self._known.of(value)
        if low == high:
            return ((low, ()),) if abs(low) < CONSTANT else None
        if value not in self._inside:
            return ((1, (value,)),)
        known = self._by_definition(value, depth - 1, upper=upper)
        if known is None and upper:
            for other, distance in self._known.at_most(value):
                known = _sum(self.upper(other, depth - 1), ((distance, ()),))
                if known is not None:
                    break
        if known is None:
            limit = high if upper else low
            known = ((limit, ()),) if abs(limit) < CONSTANT else None
        return known

    def _by_definition(self, value: Value, depth: int, *, upper: bool) -> Terms | None:
        node = value.node
        if not isinstance(node, Op) or len(node.inputs) != 2:
            return None
        a, b = node.inputs
        match node.op.name:
            case "add.int" | "wrapping_add.int" | "machine.add" if self._known.exact(node):
                return _sum(self._bound(a, depth, upper=upper), self._bound(b, depth, upper=upper))
            case "sub.int" | "wrapping_sub.int" | "machine.sub" if self._known.exact(node):
                return _sum(self._bound(a, depth, upper=upper), _negative(self._bound(b, depth, upper=not upper)))
            case "mul.int" | "wrapping_mul.int" | "machine.mul" if self._known.exact(node):
                if self._known.of(a)[0] >= 0 and self._known.of(b)[0] >= 0:
                    return _product(self._bound(a, depth, upper=upper), self._bound(b, depth, upper=upper))
            case "remainder.int" if upper and self._known.of(b)[0] > 0:
                return _sum(self.upper(b, depth), ((-1, ()),))
            case "floor_divide.int" | "machine.shr" if upper:
                if self._known.of(a)[0] >= 0 and self._known.of(b)[0] >= 0:
                    return self.upper(a, depth)
            case "min.int" if upper:
                return self.upper(a, depth) or self.upper(b, depth)
        return None


def _sum(a: Terms | None, b: Terms | None) -> Terms | None:
    if a is None or b is None:
        return None
    found: dict[tuple[Value, ...], int] = {}
    for factor, values in (*a, *b):
        product = values[::-1] if values[::-1] in found else values
        found[product] = found.get(product, 0) + factor
    terms = tuple((factor, values) for values, factor in found.items() if factor)
    fine = len(terms) <= MOST_TERMS and all(abs(f) < (CONSTANT if not v else 16) for f, v in terms)
    return terms if fine else None


def _negative(a: Terms | None) -> Terms | None:
    return None if a is None else tuple((-factor, values) for factor, values in a)


def _product(a: Terms | None, b: Terms | None) -> Terms | None:
    if a is None or b is None:
        return None
    found: Terms | None = ()
    for one, left in a:
        for other, right in b:
            values = (*left, *right)
            if len(values) > 2 or abs(one * other) >= SMALL:
                return None
            found = _sum(found, ((one * other, values),))
    return found


def is_short(block: Block, most: int) -> bool:
    """Whether a block has less nodes than `most`."""
    return all(count < most for count, _ in enumerate(walk(block), 1))


def may_version(loop: Loop | For) -> bool:
    """Whether a loop is small enough to be duplicated."""
    return is_short(loop.body, MOST_NODES)


def versioned(
    loop: Loop | For,
    plan: Versions,
    others: Iterable[Versions],
    unchecked: Mapping[str, OpDef],
    table: OperatorTable,
    mapping: Mapping[Value, Value],
    b: Builder,
) -> Sequence[Value] | None:
    """Append the test and both versions of `loop`; returns the replacements of its outputs.

    Args:
        loop: Goes to the second version.
        plan: Its nodes; those that are no longer in it do not count.
        others: Plans of loops around it: they learn of the nodes of the first version.
        unchecked: By the name of an operator with a check, the one without.
        table: All operators.
        mapping: Replacements of values.
        b: Where they go.
    """
    tests = {n: plan.tests[n] for n in walk(loop.body) if n in plan.tests}
    dense = {n for n in walk(loop.body) if n in plan.dense}
    arrays = dict.fromkeys(n.inputs[0] for n in walk(loop.body) if n in dense)
    wanted = dict.fromkeys(tests.values())
    reasons = any(n in plan.reasons for n in walk(loop.body))
    if not (wanted or arrays or reasons) or len(wanted) + len(arrays) > MOST_TESTS:
        return None
    if not (wanted or reasons) and not is_short(loop.body, MOST_DENSE):
        return None
    sums = {n: plan.sums[n] for n in walk(loop.body) if n in plan.sums}
    limits = _limits(sums.values(), mapping)
    if len(limits) > MOST_LIMITS:
        sums, limits = {}, {}
    if not (wanted or arrays or limits):
        return None
    copies = [_copy(loop, tests, dense, sums, others, unchecked, table)]
    small = is_short(loop.body, MOST_STRIDED)
    if (wanted or limits) and arrays and small:
        copies.append(_copy(loop, tests, set(), sums, others, unchecked, table))
    conditions: list[Callable[[Builder], Value]] = []
    if wanted or limits:
        conditions.append(lambda b: _holds(wanted, limits, table, mapping, b))
    if arrays:
        conditions.append(lambda b: _are_dense(arrays, table, mapping, b))
    if len(conditions) == 2 and not small:
        first, second = conditions
        conditions = [lambda b: b.op(machine.LIKELY, b.op(machine.AND, first(b), second(b)))]
    made = _choice(conditions[0](b), loop, b)
    if len(copies) == 2:
        strided = copies.pop()
        inner = Builder(made.then, loop.span)
        within = _choice(conditions[1](inner), loop, inner)
        _fill(within.then, copies[0], loop)
        _fill(within.orelse, strided, loop)
        made.then.nodes.append(Yield(within.outputs, loop.span) if falls_through(loop) else Unreachable(loop.span))
    else:
        _fill(made.then, copies[0], loop)
    _fill(made.orelse, loop, loop)
    return made.outputs


def _copy(
    loop: Loop | For,
    tests: Mapping[Node, Test | Writable],
    dense: Set[Node],
    sums: Container[Node],
    others: Iterable[Versions],
    unchecked: Mapping[str, OpDef],
    table: OperatorTable,
) -> Loop | For:
    """A version of `loop` in which the tests hold, the sums fit, and the accesses `dense` are of arrays whose last
    stride is 1."""
    fast = clone_node(loop)
    assert isinstance(fast, Loop | For)
    proved: set[Node] = set()
    for node, copy in zip(walk(loop.body), list(walk(fast.body)), strict=True):
        for other in others:
            if node in other.tests:
                other.tests[copy] = other.tests[node]
            if node in other.dense:
                other.dense[copy] = None
            if node in other.sums:
                other.sums[copy] = other.sums[node]
            if node in other.reasons:
                other.reasons[copy] = None
        test = tests.get(node)
        if test is None and node not in dense and node not in sums:
            continue
        assert isinstance(copy, Op)
        name = copy.op.name
        if name == "element_in" or name == "set_element_in":
            copy.op = table[f"{name}.dense" if node in dense else f"{name}.writable"]
        elif test is None or (isinstance(test, Test) and test.dim is None):
            copy.op = unchecked[name]
        else:
            proved.add(copy)

    def visit(node: Node, builder: Builder) -> Sequence[Value] | None:
        if node not in proved:
            return None
        return (node.inputs[2],) if len(node.inputs) > 1 else (builder.const(None),)

    rewrite(fast.body, visit)
    return fast


def _choice(condition: Value, loop: Loop | For, b: Builder) -> If:
    """Append a branch to versions of `loop`."""
    both = If(condition, Block(), Block(), [v.type for v in loop.outputs], loop.span)
    for old, new in zip(loop.outputs, both.outputs, strict=True):
        new.name = old.name
    if not falls_through(loop):
        both.outputs = []
    b.append(both)
    return both


def _fill(block: Block, version: Loop | For, loop: Loop | For) -> None:
    """Put a version into a block."""
    end = Yield(version.outputs, loop.span) if falls_through(version) else Unreachable(loop.span)
    block.nodes += [version, end]


def _are_dense(arrays: Mapping[Value, None], table: OperatorTable, mapping: Mapping[Value, Value], b: Builder) -> Value:
    """Whether the last stride of all arrays is 1."""
    found: Value | None = None
    for array in arrays:
        array = resolve(mapping, array)
        assert isinstance(array.type, TensorType) and array.type.rank
        stride = b.op(table["tensor.stride"], array, b.const(array.type.rank - 1))
        one = b.op(machine.EQ, stride, b.const(1))
        found = one if found is None else b.op(machine.AND, found, one)
    assert found is not None
    return b.op(machine.LIKELY, found)


def _limits(sums: Iterable[Terms], mapping: Mapping[Value, Value]) -> dict[Value, int]:
    """What the values in sums must be less than, so that no part of a sum overflows."""
    found: dict[Value, int] = {}
    for terms in sums:
        for _, values in terms:
            for value in values:
                value = resolve(mapping, value)
                found[value] = min(found.get(value, LARGE), SMALL if len(values) > 1 else LARGE)
    return found


def _is_plain(terms: Terms) -> bool:
    """Whether a sum is a value plus a constant."""
    values = [(f, v) for f, v in terms if v]
    return len(values) == 1 and values[0][0] == 1 and len(values[0][1]) == 1


def _holds(
    tests: Iterable[Test | Writable],
    limits: Mapping[Value, int],
    table: OperatorTable,
    mapping: Mapping[Value, Value],
    b: Builder,
) -> Value:
    """Whether all tests hold, and values are less than their limits."""
    found: Value | None = None

    def also(condition: Value) -> None:
        nonlocal found
        found = condition if found is None else b.op(machine.AND, found, condition)

    least = dict(limits)
    sums = [t.last for t in tests if isinstance(t, Test) and not _is_plain(t.last)]
    for value, limit in _limits(sums, mapping).items():
        least[value] = min(limit, least.get(value, limit))
    for value, limit in least.items():
        also(b.op(machine.LT, value, b.const(limit)))
        also(b.op(machine.GT, value, b.const(-limit)))
    for test in tests:
        if isinstance(test, Writable):
            also(b.op(table["tensor.writable"], resolve(mapping, test.array)))
            continue
        container = resolve(mapping, test.container)
        if test.dim is None:
            name = "len.list" if isinstance(container.type, ListType) else "len.str"
            length = b.op(table[name], container)
        else:
            length = b.op(table["size.int"], container, b.const(test.dim))
        terms = [(factor, [resolve(mapping, v) for v in values]) for factor, values in test.last]
        if _is_plain(test.last):
            (value,) = next(v for _, v in terms if v)
            constant = sum(f for f, v in terms if not v)
            also(b.op(machine.LT, value, b.op(machine.SUB, length, b.const(constant))))
        else:
            also(b.op(machine.LT, _evaluated(terms, b), length))
    assert found is not None
    return b.op(machine.LIKELY, found)


def _evaluated(terms: Sequence[tuple[int, Sequence[Value]]], b: Builder) -> Value:
    total: Value | None = None
    for factor, values in terms:
        term: Value | None = None
        for value in values:
            term = value if term is None else b.op(machine.MUL, term, value)
        if term is None:
            term = b.const(factor)
        elif factor != 1:
            term = b.op(machine.MUL, term, b.const(factor))
        total = term if total is None else b.op(machine.ADD, total, term)
    return b.const(0) if total is None else total


def homes(block: Block) -> Iterator[tuple[Loop | For, frozenset[Value]]]:
    """The values that each loop defines, its parameters among them."""
    for node in walk(block):
        if isinstance(node, Loop | For):
            found = set(node.body.params)
            for inner in walk(node.body):
                found.update(inner.outputs)
                for nested in inner.blocks:
                    found.update(nested.params)
            yield node, frozenset(found)


__all__ = ["Bounds", "Test", "Versions", "Writable", "homes", "may_version", "versioned"]
