"""Simplifies small patterns of operators: identities, inverses, casts there and back.

Before::

    %0: Tensor[float32, 2] = t(%x)
    %1: Tensor[float32, 2] = t(%0)
    %2: int = const 0
    %3: int = add.int(%n, %2)
    %4: bool = not.bool(%c)
    %5: bool = not.bool(%4)
    %6: tuple[int, int] = tuple.make(%3, %n)
    %7: int = tuple.get(%6, %2)

After, `%x` replaces `%1`, `%n` replaces `%3` and `%7`, and `%c` replaces `%5`. If a program can distinguish `%1` from
`%x` (it returns it, or tests ``is``), ``alias(%x)`` replaces it.

One rule per operator, as data: `RULES`. No rule changes a result: ``x + 0`` is an identity of ints but not of floats
(it makes ``-0.0`` positive), ``x * 1`` is one of both. A rule that looks through a tensor that was computed earlier
makes sure that what it then reads has not been written to.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, final

from tscript.dialect import machine
from tscript.ir.builder import Builder
from tscript.ir.graph import Const, Graph, If, Node, Op, Program, Value
from tscript.ir.rewrite import rewrite
from tscript.operators.core.opdef import MISSING, SAME_DTYPE_IS_SELF, OpDef, Pointwise
from tscript.operators.python.conversions import BOX
from tscript.passes.aliases import Aliases, observed
from tscript.passes.base import Pass, PassContext
from tscript.passes.folding import constant_key
from tscript.types import BOOL, NUMBER, DType, TensorType, TupleType, Type, dtype_of


@dataclass(frozen=True, slots=True)
class Peephole(Pass):
    """Applies the rules once, forwards."""

    name: ClassVar[str] = "peephole"

    def run_graph(self, graph: Graph, program: Program, context: PassContext) -> bool:
        """One walk."""
        window = Window(graph, context)
        return rewrite(graph.body, window.visit) or window.swapped


@final
class Window:
    """The context of a rule.

    Attributes:
        builder: Appends in front of the operator.
    """

    __slots__ = ("_aliases", "_graph", "_observed", "builder", "context", "negation", "rules", "swapped")

    def __init__(self, graph: Graph, context: PassContext) -> None:
        self._graph = graph
        self._aliases: Aliases | None = None
        self._observed: set[Value] | None = None
        self.context = context
        self.rules = context.by_operator(RULES)
        self.negation = {machine.NOT, *context.by_operator(_NEGATIONS)}
        self.builder = Builder(graph.body)
        self.swapped = False

    def visit(self, node: Node, builder: Builder) -> Sequence[Value] | None:
        """For `rewrite`."""
        if isinstance(node, Op):
            rule = self.rules.get(node.op) or self.rule_of_tags(node.op)
            if rule is not None:
                self.builder = builder
                found = rule(node, self)
                if found is not None and found.type == node.outputs[0].type:
                    return (found,)
        elif isinstance(node, If):
            self.positive(node)
        return None

    def rule_of_tags(self, op: OpDef) -> Rule | None:
        """The first rule of `_TAGGED` for a tag of `op`."""
        return next((rule for tag, rule in _TAGGED.items() if tag in op.tags), None)

    def positive(self, node: If) -> None:
        """Swap the branches of an `If` on a negation."""
        cond = node.inputs[0].node
        if isinstance(cond, Op) and cond.op in self.negation:
            node.inputs[0] = cond.inputs[0]
            node.then, node.orelse = node.orelse, node.then
            self.swapped = True

    def is_unchanged(self, tensor: Value) -> bool:
        """Whether no node of the graph writes to `tensor`, so that it may be read later than it was."""
        if self._aliases is None:
            self._aliases = Aliases(self._graph)
        return self._aliases.root(tensor) not in self._aliases.written

    def is_observed(self, tensor: Value) -> bool:
        """Whether the program may distinguish `tensor` from another one over the same elements."""
        if self._observed is None:
            self._observed = observed(self._graph.body)
        return tensor in self._observed

    def view(self, node: Op, source: Value) -> Value | None:
        """`source` for the result of `node`, which is a view of all of it with the dimensions as they are."""
        if not self.is_observed(node.outputs[0]):
            return source
        return self.builder.op(self.context.table["alias"], source) if "alias" in self.context.table else None

    def const(self, value: object, like: Value) -> Value:
        """A constant of the type of `like`."""
        return self.builder.const(value, type=like.type, name=like.name)


Rule = Callable[[Op, Window], Value | None]
"""A rule: returns the replacement of the result of an operator, or None. The value must be visible at the operator."""

# ---- Numbers


def _is(value: Value, number: float) -> bool:
    found = value.constant
    if isinstance(found, bool) or not isinstance(found, (int, float)):
        return False
    return constant_key(found) == constant_key(type(found)(number))


def _is_float(value: Value) -> bool:
    dtype = dtype_of(value.type)
    return dtype is not None and dtype.is_floating_point


def _add(node: Op, window: Window) -> Value | None:
    a, b = node.inputs
    zero = -0.0 if _is_float(a) else 0
    return b if _is(a, zero) else a if _is(b, zero) else None


def _sub(node: Op, window: Window) -> Value | None:
    a, b = node.inputs
    if a is b and not _is_float(a):
        return window.const(0, node.outputs[0])
    return a if _is(b, 0) else None


def _mul(node: Op, window: Window) -> Value | None:
    a, b = node.inputs
    if not _is_float(a):
        for value in (a, b):
            if _is(value, 0):
                return value
    return b if _is(a, 1) else a if _is(b, 1) else None


def _divide_by_one(node: Op, window: Window) -> Value | None:
    a, b = node.inputs[:2]
    return a if _is(b, 1) else None


def _power(value: Value) -> int | None:
    """k for the constant 2**k."""
    n = value.constant
    return n.bit_length() - 1 if isinstance(n, int) and n > 0 and not n & (n - 1) else None


def _floor_divide(node: Op, window: Window) -> Value | None:
    """A division by a power of two shifts."""
    a, b = node.inputs
    k = _power(b)
    return a if k == 0 else None if k is None else window.builder.op(machine.SHR, a, window.builder.const(k))


def _remainder(node: Op, window: Window) -> Value | None:
    """The remainder by a power of two is the low bits."""
    a, b = node.inputs
    k = _power(b)
    return None if k is None else window.builder.op(machine.AND, a, window.builder.const((1 << k) - 1))


def _by_zero_bits(node: Op, window: Window) -> Value | None:
    """Shifts by zero."""
    a, b = node.inputs
    return a if _is(b, 0) else None


def _and(node: Op, window: Window) -> Value | None:
    a, b = node.inputs
    for x, y in ((a, b), (b, a)):
        if x is y or _is(x, -1) or x.constant is True:
            return y
        if _is(x, 0) or x.constant is False:
            return x
    return None


def _or(node: Op, window: Window) -> Value | None:
    a, b = node.inputs
    for x, y in ((a, b), (b, a)):
        if x is y or _is(x, 0) or x.constant is False:
            return y
        if _is(x, -1) or x.constant is True:
            return x
    return None


def _xor(node: Op, window: Window) -> Value | None:
    a, b = node.inputs
    for x, y in ((a, b), (b, a)):
        if _is(x, 0) or x.constant is False:
            return y
    return None


def _involution(node: Op, window: Window) -> Value | None:
    """An operator that undoes itself: negation, `not`."""
    inner = node.inputs[0].node
    return inner.inputs[0] if isinstance(inner, Op) and inner.op is node.op else None


def _idempotent(node: Op, window: Window) -> Value | None:
    """An operator that changes nothing the second time."""
    inner = node.inputs[0].node
    return node.inputs[0] if isinstance(inner, Op) and inner.op is node.op else None


def _identity(node: Op, window: Window) -> Value | None:
    return node.inputs[0]


def _of_itself(result: bool) -> Rule:
    def rule(node: Op, window: Window) -> Value | None:
        a, b = node.inputs
        return window.const(result, node.outputs[0]) if a is b and not _is_float(a) else None

    return rule


def _equal(node: Op, window: Window) -> Value | None:
    a, b = node.inputs
    if a.type == BOOL:
        for x, y in ((a, b), (b, a)):
            if x.constant is True:
                return y
            if x.constant is False:
                return window.builder.op(machine.NOT, y)
    return _of_itself(True)(node, window)


def _select(node: Op, window: Window) -> Value | None:
    cond, a, b = node.inputs
    if a is b or (cond.constant is not MISSING and cond.constant):
        return a
    if cond.constant is not MISSING:
        return b
    return cond if a.constant is True and b.constant is False else None


def _through(other: str) -> Rule:
    """A cast whose operand is the exact cast `other` of something: that something."""

    def rule(node: Op, window: Window) -> Value | None:
        inner = node.inputs[0].node
        if isinstance(inner, Op) and inner.op.name == other:
            return inner.inputs[0]
        return None

    return rule


def _unbox(node: Op, window: Window) -> Value | None:
    """The number that was boxed here."""
    made = node.inputs[0].node
    return made.inputs[0] if isinstance(made, Op) and made.op is BOX else None


def _boxed_is(node: Op, window: Window) -> Value | None:
    """The type of a boxed number is known if it was boxed here."""
    made = node.inputs[0].node
    if not isinstance(made, Op) or made.op is not BOX or made.inputs[0].type not in NUMBER.members:
        return None
    return window.const(made.inputs[0].type == node.inputs[1].constant, node.outputs[0])


def _convert(node: Op, window: Window) -> Value | None:
    value, to = node.inputs
    if value.type == to.constant:
        return value
    inner = value.node
    if isinstance(inner, Op) and inner.op is machine.CONVERT:
        source = inner.inputs[0]
        if is_exact_cast(source.type, value.type):
            if source.type == to.constant:
                return source
            return window.builder.op(machine.CONVERT, source, to)
    return None


def is_exact_cast(source: Type, target: Type) -> bool:
    """Whether every number of the machine type `source` is one of `target`."""
    a, b = dtype_of(source), dtype_of(target)
    return a is not None and b is not None and _holds_all(a, b)


_MANTISSA = {4: 24, 8: 53}


def _holds_all(a: DType, b: DType) -> bool:
    if a is b or a.name == "bool":
        return True
    if b.name == "bool" or (a.is_floating_point and not b.is_floating_point):
        return False
    if a.is_floating_point:
        return a.itemsize <= b.itemsize
    if b.is_floating_point:
        return a.itemsize * 8 <= _MANTISSA[b.itemsize]
    if a.signed == b.signed:
        return a.itemsize <= b.itemsize
    return b.signed and a.itemsize < b.itemsize


# ---- Tuples


def _tuple_get(node: Op, window: Window) -> Value | None:
    whole, index = node.inputs[0], node.inputs[1].constant
    if not isinstance(index, int):
        return None
    made = whole.node
    if isinstance(made, Op) and made.op is machine.TUPLE_MAKE:
        return made.inputs[index]
    if isinstance(made, Const) and isinstance(made.value, tuple):
        return window.const(made.value[index], node.outputs[0])
    return None


def _tuple_make(node: Op, window: Window) -> Value | None:
    """A tuple of all elements of a tuple, in order."""
    whole: Value | None = None
    for i, value in enumerate(node.inputs):
        item = value.node
        if not (isinstance(item, Op) and item.op is machine.TUPLE_GET and item.inputs[1].constant == i):
            return None
        if whole is not None and item.inputs[0] is not whole:
            return None
        whole = item.inputs[0]
    if whole is None or not isinstance(whole.type, TupleType) or len(whole.type.elements) != len(node.inputs):
        return None
    return whole


def _tuple_item(node: Op, window: Window) -> Value | None:
    """An index into a tuple, or into a shape whose length is known by now."""
    whole, index = node.inputs[0], node.inputs[1].constant
    if not isinstance(whole.type, TupleType) or not isinstance(index, int):
        return None
    length = len(whole.type.elements)
    if not -length <= index < length:
        return None
    position = window.builder.const(index % length)
    return window.builder.op(machine.TUPLE_GET, whole, position)


# ---- Tensors


def _each(name: str) -> Rule:
    """``size`` of a tensor of known rank: a tuple of its sizes, each asked for by ``size.int``."""

    def rule(node: Op, window: Window) -> Value | None:
        result = node.outputs[0].type
        if not isinstance(result, TupleType):
            return None
        builder, op = window.builder, window.context.table[name]
        sizes = [builder.op(op, node.inputs[0], builder.const(i)) for i in range(len(result.elements))]
        return builder.op(machine.TUPLE_MAKE, *sizes)

    return rule


def _cast(node: Op, window: Window) -> Value | None:
    """A cast to the same dtype; a cast of an exact cast."""
    value, result = node.inputs[0], node.outputs[0].type
    if not (isinstance(value.type, TensorType) and isinstance(result, TensorType)) or result.dtype is None:
        return None
    if value.type.dtype is result.dtype:
        return value
    inner = value.node
    if not isinstance(inner, Op) or SAME_DTYPE_IS_SELF not in inner.op.tags:
        return None
    source = inner.inputs[0]
    if not isinstance(source.type, TensorType) or source.type.dtype is None or value.type.dtype is None:
        return None
    if not _holds_all(source.type.dtype, value.type.dtype) or not window.is_unchanged(source):
        return None
    if source.type.dtype is result.dtype:
        return window.builder.op(window.context.table["clone"], source) if "clone" in window.context.table else None
    inputs = [source, *node.inputs[1:]]
    return window.builder.op(node.op, *inputs)


def _transposed_twice(node: Op, window: Window) -> Value | None:
    """``x.t().t()``: a view of a view with the dimensions as they were."""
    inner = node.inputs[0].node
    return window.view(node, inner.inputs[0]) if isinstance(inner, Op) and inner.op is node.op else None


def _alias(node: Op, window: Window) -> Value | None:
    """Another tensor over the same elements."""
    return None if window.is_observed(node.outputs[0]) else node.inputs[0]


def _dims(values: Sequence[Value], rank: int | None) -> tuple[int, ...] | None:
    """Constant dimensions, counted from the front."""
    out: list[int] = []
    for value in values:
        found = value.constant
        if isinstance(found, tuple):
            out += [d for d in found if isinstance(d, int)]
        elif isinstance(found, int):
            out.append(found)
        else:
            return None
    if any(d < 0 for d in out):
        if rank is None:
            return None
        out = [d + rank if d < 0 else d for d in out]
    return tuple(out)


def _rank(value: Value) -> int | None:
    return value.type.rank if isinstance(value.type, TensorType) else None


def _transpose(node: Op, window: Window) -> Value | None:
    rank = _rank(node.inputs[0])
    dims = _dims(node.inputs[1:], rank)
    if dims is None:
        return None
    if dims[0] == dims[1] and rank is not None and 0 <= dims[0] < rank:
        return window.view(node, node.inputs[0])
    inner = node.inputs[0].node
    if isinstance(inner, Op) and inner.op is node.op:
        earlier = _dims(inner.inputs[1:], rank)
        if earlier is not None and set(earlier) == set(dims):
            return window.view(node, inner.inputs[0])
    return None


def _permute(node: Op, window: Window) -> Value | None:
    source, rank = node.inputs[0], _rank(node.inputs[0])
    dims = _dims(node.inputs[1:], rank)
    if dims is None or rank is None or sorted(dims) != list(range(rank)):
        return None
    if dims == tuple(range(rank)):
        return window.view(node, source)
    inner = source.node
    if isinstance(inner, Op) and inner.op is node.op:
        earlier = _dims(inner.inputs[1:], rank)
        if earlier is None or sorted(earlier) != list(range(rank)):
            return None
        together = tuple(earlier[d] for d in dims)
        if together == tuple(range(rank)):
            return window.view(node, inner.inputs[0])
        return window.builder.op(node.op, inner.inputs[0], window.builder.const(together))
    return None


def _squeeze(node: Op, window: Window) -> Value | None:
    """Takes out the dimension that was just put in."""
    inner = node.inputs[0].node
    if not (isinstance(inner, Op) and inner.op is window.context.table["unsqueeze"]):
        return None
    rank = _rank(node.inputs[0])
    here, there = _dims(node.inputs[1:], rank), _dims(inner.inputs[1:], rank)
    return window.view(node, inner.inputs[0]) if here is not None and len(here) == 1 and here == there else None


def _contiguous(node: Op, window: Window) -> Value | None:
    """A new result of a pointwise operator, or of this one, is contiguous."""
    inner = node.inputs[0].node
    if not isinstance(inner, Op) or inner.op.effects.writes:
        return None
    if SAME_DTYPE_IS_SELF in inner.op.tags:
        return None
    return node.inputs[0] if isinstance(inner.op.implementation, Pointwise) or inner.op is node.op else None


RULES: Mapping[str, Rule] = {
    "add.int": _add,
    "sub.int": _sub,
    "mul.int": _mul,
    "floor_divide.int": _floor_divide,
    "wrapping_floor_divide.int": _floor_divide,
    "remainder.int": _remainder,
    "bitwise_and.int": _and,
    "bitwise_or.int": _or,
    "bitwise_xor.int": _xor,
    "bitwise_left_shift.int": _by_zero_bits,
    "bitwise_right_shift.int": _by_zero_bits,
    "wrapping_add.int": _add,
    "wrapping_sub.int": _sub,
    "wrapping_mul.int": _mul,
    "wrapping_shl.int": _by_zero_bits,
    "wrapping_neg.int": _involution,
    "abs.int": _idempotent,
    "positive.int": _identity,
    "bitwise_not.int": _involution,
    "add.float": _add,
    "sub.float": _sub,
    "mul.float": _mul,
    "div.float": _divide_by_one,
    "neg.float": _involution,
    "abs.float": _idempotent,
    "positive.float": _identity,
    "bitwise_and.bool": _and,
    "bitwise_or.bool": _or,
    "bitwise_xor.bool": _xor,
    "not.bool": _involution,
    "unbox": _unbox,
    "is_instance": _boxed_is,
    "int.int": _identity,
    "float.float": _identity,
    "bool.bool": _identity,
    "bool.int": _through("int.bool"),
    "bool.float": _through("float.bool"),
    "eq.int": _of_itself(True),
    "le.int": _of_itself(True),
    "ge.int": _of_itself(True),
    "ne.int": _of_itself(False),
    "lt.int": _of_itself(False),
    "gt.int": _of_itself(False),
    "eq.bool": _equal,
    "machine.add": _add,
    "machine.sub": _sub,
    "machine.mul": _mul,
    "machine.div": _divide_by_one,
    "machine.quot": _divide_by_one,
    "machine.and": _and,
    "machine.or": _or,
    "machine.xor": _xor,
    "machine.shl": _by_zero_bits,
    "machine.shr": _by_zero_bits,
    "machine.neg": _involution,
    "machine.not": _involution,
    "machine.fabs": _idempotent,
    "machine.eq": _equal,
    "machine.le": _of_itself(True),
    "machine.ge": _of_itself(True),
    "machine.ne": _of_itself(False),
    "machine.lt": _of_itself(False),
    "machine.gt": _of_itself(False),
    "machine.select": _select,
    "machine.convert": _convert,
    "tuple.get": _tuple_get,
    "tuple.make": _tuple_make,
    "getitem.tuple": _tuple_item,
    "getitem.Size": _tuple_item,
    "size": _each("size.int"),
    "stride": _each("stride.int"),
    "t": _transposed_twice,
    "T": _transposed_twice,
    "mT": _transposed_twice,
    "transpose": _transpose,
    "permute": _permute,
    "squeeze.dims": _squeeze,
    "contiguous": _contiguous,
    "alias": _alias,
    "detach": _alias,
}
"""Qualified name of an operator to its rule."""

_NEGATIONS: Mapping[str, None] = {"not.bool": None, "logical_not.bool": None}

_TAGGED: Mapping[str, Rule] = {SAME_DTYPE_IS_SELF: _cast}
"""Rules for all operators with a tag, in the order in which they are tried."""
