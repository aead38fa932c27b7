"""Operators of sets. Natively their order is that of insertion."""

from __future__ import annotations

from typing import Any

from tscript.operators.core.opdef import OpDef
from tscript.operators.python.lists import changes, reads
from tscript.operators.python.own_keys import key_of


def _ior(self: set[Any], other: set[Any]) -> set[Any]:
    self |= other
    return self


def _iand(self: set[Any], other: set[Any]) -> set[Any]:
    self &= other
    return self


def _isub(self: set[Any], other: set[Any]) -> set[Any]:
    self -= other
    return self


def _ixor(self: set[Any], other: set[Any]) -> set[Any]:
    self ^= other
    return self


def _pop(self: set[Any]) -> object:
    return key_of(self.pop())


def _list(self: set[Any]) -> list[Any]:
    return list(map(key_of, self))


OPERATORS: tuple[OpDef, ...] = (
    reads("len.set(set self) -> int", len, "dict_len", "The number of items."),
    reads("contains.set(set self, T item) -> bool", lambda s, x: x in s, "dict_contains", "Whether an item is there."),
    changes("add.set(set self, T item) -> None", set.add, "set_add", "Adds an item."),
    changes("discard.set(set self, T item) -> None", set.discard, "set_discard", "Takes an item out, if it is there."),
    changes("remove.set(set self, T item) -> None", set.remove, "set_remove", "Takes an item out."),
    changes("pop.set(set self) -> T", _pop, "set_pop", "Takes some item out and gives it."),
    changes("clear.set(set self) -> None", set.clear, "dict_clear", "Takes all items out."),
    changes("update.set(set self, self other) -> None", set.update, "set_update", "Adds the items of another set."),
    changes(
        "intersection_update.set(set self, self other) -> None",
        set.intersection_update,
        "set_intersection_update",
        "Keeps the items that another set has.",
    ),
    changes(
        "difference_update.set(set self, self other) -> None",
        set.difference_update,
        "set_difference_update",
        "Takes the items of another set out.",
    ),
    changes(
        "symmetric_difference_update.set(set self, self other) -> None",
        set.symmetric_difference_update,
        "set_symmetric_difference_update",
        "Keeps or adds the items that one of both has.",
    ),
    changes("ior.set(set self, self other) -> self", _ior, "set_ior", "Adds the items of another set in place."),
    changes("iand.set(set self, self other) -> self", _iand, "set_iand", "Keeps the items that another set has."),
    changes("isub.set(set self, self other) -> self", _isub, "set_isub", "Takes the items of another set out."),
    changes(
        "ixor.set(set self, self other) -> self", _ixor, "set_ixor", "Keeps or adds the items that one of both has."
    ),
    reads("copy.set(set self) -> self", set.copy, "dict_copy", "A set of the same items."),
    reads("union.set(set self, self other) -> self", set.union, "set_union", "The items of both."),
    reads("bitwise_or.set(set self, self other) -> self", lambda a, b: a | b, "set_union", "The items of both."),
    reads("intersection.set(set self, self other) -> self", set.intersection, "set_intersection", "The common items."),
    reads("bitwise_and.set(set self, self other) -> self", lambda a, b: a & b, "set_intersection", "The common items."),
    reads(
        "difference.set(set self, self other) -> self", set.difference, "set_difference", "The items without others."
    ),
    reads("sub.set(set self, self other) -> self", lambda a, b: a - b, "set_difference", "The items without others."),
    reads(
        "symmetric_difference.set(set self, self other) -> self",
        set.symmetric_difference,
        "set_symmetric_difference",
        "The items that one of both has.",
    ),
    reads(
        "bitwise_xor.set(set self, self other) -> self",
        lambda a, b: a ^ b,
        "set_symmetric_difference",
        "The items that one of both has.",
    ),
    reads("issubset.set(set self, self other) -> bool", set.issubset, "set_issubset", "Whether another has all items."),
    reads(
        "issuperset.set(set self, self other) -> bool", set.issuperset, "set_issuperset", "Whether it has all of it."
    ),
    reads("isdisjoint.set(set self, self other) -> bool", set.isdisjoint, "set_isdisjoint", "Whether none is common."),
    reads("eq.set(set self, self other) -> bool", lambda a, b: a == b, "dict_eq", "Whether the items are the same."),
    reads("ne.set(set self, self other) -> bool", lambda a, b: a != b, "dict_ne", "Whether the items differ."),
    reads(
        "le.set(set self, self other) -> bool", lambda a, b: a <= b, "set_issubset", "Whether another has all items."
    ),
    reads("lt.set(set self, self other) -> bool", lambda a, b: a < b, "set_lt", "Whether another has all and more."),
    reads("ge.set(set self, self other) -> bool", lambda a, b: a >= b, "set_issuperset", "Whether it has all of it."),
    reads("gt.set(set self, self other) -> bool", lambda a, b: a > b, "set_gt", "Whether it has all of it and more."),
    reads("to_set.list(list items) -> set[T]", set, "set_from_list", "The elements as a set.", typed=True),
    reads("to_list.set(set self) -> list[T]", _list, "dict_keys_list", "The items as a list.", typed=True),
)
