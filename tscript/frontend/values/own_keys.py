"""Keys whose classes define ``__hash__`` and ``__eq__``: dicts, sets and lists of such keys.

The native library cannot call methods of a class. So if an operator of a dict, set or list would have to, a function of
`tscript.operators.python.functions.keys` replaces it. `OPERATORS` is the only table of these functions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tscript.abi.python import PYTHON
from tscript.definitions.opdef import OpDef
from tscript.diagnostics import Span
from tscript.frontend.lowering import common
from tscript.frontend.lowering.arguments import call_function
from tscript.frontend.lowering.function import FunctionLowering
from tscript.frontend.lowering.merging import merge
from tscript.frontend.lowering.new_containers import make_dict, make_set
from tscript.frontend.source import hashing
from tscript.frontend.source.classes import defines
from tscript.ir.graph import Value
from tscript.operators.python.functions import keys
from tscript.operators.python.iteration import ENTRY_VALUE
from tscript.operators.python.own_keys import DROP_ENTRY
from tscript.types import (
    BOOL,
    INT,
    NONE,
    DictType,
    ListType,
    SetType,
    Type,
)

Lower = Callable[["FunctionLowering", Sequence[Value], Type, Span], Value]


def lower(lowering: FunctionLowering, op: OpDef, inputs: Sequence[Value], span: Span) -> Value | None:
    """An operator of a dict, set or list that needs methods of keys or elements; None for any other."""
    how = OPERATORS.get(op.name)
    if how is None:
        return None
    result = op.type_rule(inputs)
    holder = result if op.name in _MAKES else inputs[0].type
    if isinstance(holder, ListType):
        wanted = defines(holder.element, common.EQUAL if op.name != "index.list" else _INDEX_ASKS)
    else:
        wanted = asks_keys(holder)
    return how(lowering, inputs, result, span) if wanted else None


def asks_keys(type: Type) -> bool:
    """Whether the keys of a dict or set type define hash and equality."""
    match type:
        case DictType(key=key) | SetType(element=key):
            return hashing.asks(key)
    return False


def filled(lowering: FunctionLowering, made: Value, elements: Sequence[Value], span: Span) -> Value:
    """A new dict or set with the elements of a literal: keys, for a dict in turn with their values."""
    if isinstance(made.type, DictType):
        for key, value in zip(elements[::2], elements[1::2], strict=True):
            call_function(lowering, keys.put, [made, key, value], span)
    else:
        for element in elements:
            call_function(lowering, keys.add, [made, element], span)
    return made


def filled_literal(
    lowering: FunctionLowering, made: DictType | SetType, elements: Sequence[Value], span: Span
) -> Value | None:
    """The value of a dict or set literal; None if no method of a class is needed."""
    if not asks_keys(made):
        return None
    empty = make_dict(lowering, made, [], span) if isinstance(made, DictType) else make_set(lowering, made, [], span)
    return filled(lowering, empty, elements, span)


def _by(function: Callable[..., object]) -> Lower:
    """A function in the language with the same arguments."""
    return lambda lowering, inputs, result, span: call_function(lowering, function, inputs, span)


def _not(function: Callable[..., object]) -> Lower:
    def how(lowering: FunctionLowering, inputs: Sequence[Value], result: Type, span: Span) -> Value:
        return lowering.apply("not", [call_function(lowering, function, inputs, span)], span)

    return how


def _swapped(how: Lower) -> Lower:
    return lambda lowering, inputs, result, span: how(lowering, inputs[::-1], result, span)


def _less(lowering: FunctionLowering, inputs: Sequence[Value], result: Type, span: Span) -> Value:
    """``xs < ys`` of sets."""
    shorter = lowering.apply("lt", [lowering.apply("len", [v], span) for v in inputs], span)
    subset = lowering.branch(lambda: call_function(lowering, keys.is_subset, inputs, span))
    found = merge(lowering, shorter, subset, lowering.branch(lambda: lowering.const(False, BOOL, span)), span, BOOL)
    assert found is not None
    return found


def _same_sets(lowering: FunctionLowering, inputs: Sequence[Value], result: Type, span: Span) -> Value:
    """``xs == ys`` of sets."""
    alike = lowering.apply("eq", [lowering.apply("len", [v], span) for v in inputs], span)
    subset = lowering.branch(lambda: call_function(lowering, keys.is_subset, inputs, span))
    found = merge(lowering, alike, subset, lowering.branch(lambda: lowering.const(False, BOOL, span)), span, BOOL)
    assert found is not None
    return found


def _other_sets(lowering: FunctionLowering, inputs: Sequence[Value], result: Type, span: Span) -> Value:
    return lowering.apply("not", [_same_sets(lowering, inputs, result, span)], span)


def _in_place(function: Callable[..., object]) -> Lower:
    """An operator in place, which gives the container itself."""

    def how(lowering: FunctionLowering, inputs: Sequence[Value], result: Type, span: Span) -> Value:
        call_function(lowering, function, inputs, span)
        return inputs[0]

    return how


def _to_copy(function: Callable[..., object]) -> Lower:
    """An operator as a method on a copy of the first container."""

    def how(lowering: FunctionLowering, inputs: Sequence[Value], result: Type, span: Span) -> Value:
        made = lowering.apply("copy", inputs[:1], span)
        call_function(lowering, function, [made, *inputs[1:]], span)
        return made

    return how


def _to_new(function: Callable[..., object], *more: object) -> Lower:
    """An operator as a method on a new container."""

    def how(lowering: FunctionLowering, inputs: Sequence[Value], result: Type, span: Span) -> Value:
        made = (
            make_dict(lowering, result, [], span) if isinstance(result, DictType) else _new_set(lowering, result, span)
        )
        constants = [lowering.constant(c, span) for c in more]
        call_function(lowering, function, [made, *inputs, *constants], span)
        return made

    return how


def _new_set(lowering: FunctionLowering, result: Type, span: Span) -> Value:
    assert isinstance(result, SetType)
    return make_set(lowering, result, [], span)


def _value(lowering: FunctionLowering, table: Value, number: Value, span: Span) -> Value:
    return lowering.leaf(ENTRY_VALUE, [table, number], ENTRY_VALUE.type_rule([table, number]), span)


def _load(lowering: FunctionLowering, inputs: Sequence[Value], result: Type, span: Span) -> Value:
    """``xs[key]``."""
    return _value(lowering, inputs[0], call_function(lowering, keys.known, inputs, span), span)


def _pop(lowering: FunctionLowering, inputs: Sequence[Value], result: Type, span: Span) -> Value:
    """``xs.pop(key)``."""
    return _taken(lowering, inputs[0], call_function(lowering, keys.known, inputs, span), span)


def _taken(lowering: FunctionLowering, table: Value, number: Value, span: Span) -> Value:
    found = _value(lowering, table, number, span)
    lowering.leaf(DROP_ENTRY, [table, number], NONE, span)
    return found


def _set_default(lowering: FunctionLowering, inputs: Sequence[Value], result: Type, span: Span) -> Value:
    """``xs.setdefault(key, default)``."""
    return _value(lowering, inputs[0], call_function(lowering, keys.slot, inputs, span), span)


def _or_default(how: Callable[[FunctionLowering, Value, Value, Span], Value]) -> Lower:
    """``xs.get(key, default)`` and ``xs.pop(key, default)``; without a default it is None."""

    def lower(lowering: FunctionLowering, inputs: Sequence[Value], result: Type, span: Span) -> Value:
        table = inputs[0]
        number = call_function(lowering, keys.number_of, inputs[:2], span)
        there = lowering.apply("ge", [number, lowering.const(0, INT, span)], span)

        def as_result(value: Value) -> Value:
            found = lowering.coerce(value, result, span)
            assert found is not None
            return found

        then = lowering.branch(lambda: as_result(how(lowering, table, number, span)))
        default = inputs[2] if len(inputs) > 2 else lowering.const(None, NONE, span)
        found = merge(lowering, there, then, lowering.branch(lambda: as_result(default)), span, result)
        assert found is not None
        return found

    return lower


_INDEX_ASKS: tuple[str, ...] = ("__eq__",) if PYTHON >= 314 else ("__eq__", "__repr__")
"""The operators that ``index`` of a list needs for elements: before Python 3.14 its message shows the missing one."""

_MAKES = frozenset({"fromkeys.list", "to_dict.list", "to_set.list"})

OPERATORS: dict[str, Lower] = {
    "getitem.dict": _load,
    "setitem.dict": _by(keys.put),
    "delitem.dict": _by(keys.remove),
    "contains.dict": _by(keys.contains),
    "get.dict": _or_default(_value),
    "get.dict_default": _or_default(_value),
    "pop.dict": _pop,
    "pop.dict_default": _or_default(_taken),
    "setdefault.dict": _set_default,
    "update.dict": _by(keys.update),
    "ior.dict": _in_place(keys.update),
    "bitwise_or.dict": _to_copy(keys.update),
    "eq.dict": _by(keys.dicts_equal),
    "ne.dict": _not(keys.dicts_equal),
    "fromkeys.list": _to_new(keys.put_keys),
    "to_dict.list": _to_new(keys.put_items),
    "contains.set": _by(keys.contains),
    "add.set": _by(keys.add),
    "discard.set": _by(keys.discard),
    "remove.set": _by(keys.remove),
    "update.set": _by(keys.add_all),
    "intersection_update.set": _by(keys.keep),
    "difference_update.set": _by(keys.take_out),
    "symmetric_difference_update.set": _by(keys.toggle),
    "ior.set": _in_place(keys.add_all),
    "iand.set": _in_place(keys.keep),
    "isub.set": _in_place(keys.take_out),
    "ixor.set": _in_place(keys.toggle),
    "union.set": _to_copy(keys.add_all),
    "bitwise_or.set": _to_copy(keys.add_all),
    "intersection.set": _to_new(keys.intersect),
    "bitwise_and.set": _to_new(keys.intersect),
    "difference.set": _to_new(keys.choose, False),
    "sub.set": _to_new(keys.choose, False),
    "symmetric_difference.set": _to_copy(keys.toggle),
    "bitwise_xor.set": _to_copy(keys.toggle),
    "issubset.set": _by(keys.is_subset),
    "issuperset.set": _swapped(_by(keys.is_subset)),
    "isdisjoint.set": _by(keys.is_disjoint),
    "eq.set": _same_sets,
    "ne.set": _other_sets,
    "le.set": _by(keys.is_subset),
    "lt.set": _less,
    "ge.set": _swapped(_by(keys.is_subset)),
    "gt.set": _swapped(_less),
    "to_set.list": _to_new(keys.add_each),
    "contains.list": _by(keys.in_row),
    "index.list": _by(keys.index_of if PYTHON < 314 else keys.index_not_shown),
    "tuple_index.list": _by(keys.tuple_index),
    "count.list": _by(keys.count_of),
    "remove.list": _by(keys.remove_from),
}
"""By name: the replacement of an operator if keys, or elements of a list, define hash and equality."""
