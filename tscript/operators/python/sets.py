"""Operators of sets. Natively their order is that of insertion."""

from __future__ import annotations

from typing import Any

from tscript.definitions.opdef import OpDef
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
    reads("len.set(set self) -> int", len, "dicts.dict_len", "The number of items."),
    reads(
        "contains.set(set self, T item) -> bool",
        lambda s, x: x in s,
        "dicts.dict_contains",
        "Whether an item is there.",
    ),
    changes("add.set(set self, T item) -> None", set.add, "sets.set_add", "Adds an item."),
    changes(
        "discard.set(set self, T item) -> None", set.discard, "sets.set_discard", "Takes an item out, if it is there."
    ),
    changes("remove.set(set self, T item) -> None", set.remove, "sets.set_remove", "Takes an item out."),
    changes("pop.set(set self) -> T", _pop, "sets.set_pop", "Takes some item out and gives it."),
    changes("clear.set(set self) -> None", set.clear, "dicts.dict_clear", "Takes all items out."),
    changes(
        "update.set(set self, self other) -> None", set.update, "sets.set_update", "Adds the items of another set."
    ),
    changes(
        "intersection_update.set(set self, self other) -> None",
        set.intersection_update,
        "sets.set_intersection_update",
        "Keeps the items that another set has.",
    ),
    changes(
        "difference_update.set(set self, self other) -> None",
        set.difference_update,
        "sets.set_difference_update",
        "Takes the items of another set out.",
    ),
    changes(
        "symmetric_difference_update.set(set self, self other) -> None",
        set.symmetric_difference_update,
        "sets.set_symmetric_difference_update",
        "Keeps or adds the items that one of both has.",
    ),
    changes("ior.set(set self, self other) -> self", _ior, "sets.set_ior", "Adds the items of another set in place."),
    changes("iand.set(set self, self other) -> self", _iand, "sets.set_iand", "Keeps the items that another set has."),
    changes("isub.set(set self, self other) -> self", _isub, "sets.set_isub", "Takes the items of another set out."),
    changes(
        "ixor.set(set self, self other) -> self",
        _ixor,
        "sets.set_ixor",
        "Keeps or adds the items that one of both has.",
    ),
    reads("copy.set(set self) -> self", set.copy, "dicts.dict_copy", "A set of the same items."),
    reads("union.set(set self, self other) -> self", set.union, "sets.set_union", "The items of both."),
    reads("bitwise_or.set(set self, self other) -> self", lambda a, b: a | b, "sets.set_union", "The items of both."),
    reads(
        "intersection.set(set self, self other) -> self", set.intersection, "sets.set_intersection", "The common items."
    ),
    reads(
        "bitwise_and.set(set self, self other) -> self",
        lambda a, b: a & b,
        "sets.set_intersection",
        "The common items.",
    ),
    reads(
        "difference.set(set self, self other) -> self",
        set.difference,
        "sets.set_difference",
        "The items without others.",
    ),
    reads(
        "sub.set(set self, self other) -> self", lambda a, b: a - b, "sets.set_difference", "The items without others."
    ),
    reads(
        "symmetric_difference.set(set self, self other) -> self",
        set.symmetric_difference,
        "sets.set_symmetric_difference",
        "The items that one of both has.",
    ),
    reads(
        "bitwise_xor.set(set self, self other) -> self",
        lambda a, b: a ^ b,
        "sets.set_symmetric_difference",
        "The items that one of both has.",
    ),
    reads(
        "issubset.set(set self, self other) -> bool",
        set.issubset,
        "sets.set_issubset",
        "Whether another has all items.",
    ),
    reads(
        "issuperset.set(set self, self other) -> bool",
        set.issuperset,
        "sets.set_issuperset",
        "Whether it has all of it.",
    ),
    reads(
        "isdisjoint.set(set self, self other) -> bool", set.isdisjoint, "sets.set_isdisjoint", "Whether none is common."
    ),
    reads(
        "eq.set(set self, self other) -> bool", lambda a, b: a == b, "dicts.dict_eq", "Whether the items are the same."
    ),
    reads("ne.set(set self, self other) -> bool", lambda a, b: a != b, "dicts.dict_ne", "Whether the items differ."),
    reads(
        "le.set(set self, self other) -> bool",
        lambda a, b: a <= b,
        "sets.set_issubset",
        "Whether another has all items.",
    ),
    reads(
        "lt.set(set self, self other) -> bool", lambda a, b: a < b, "sets.set_lt", "Whether another has all and more."
    ),
    reads(
        "ge.set(set self, self other) -> bool", lambda a, b: a >= b, "sets.set_issuperset", "Whether it has all of it."
    ),
    reads(
        "gt.set(set self, self other) -> bool", lambda a, b: a > b, "sets.set_gt", "Whether it has all of it and more."
    ),
    reads("to_set.list(list items) -> set[T]", set, "sets.set_from_list", "The elements as a set.", typed=True),
    reads("to_list.set(set self) -> list[T]", _list, "dicts.dict_keys_list", "The items as a list.", typed=True),
)
