"""Operators of dicts. Iteration goes by `next.dict`: entries have numbers, in the order of insertion."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from tscript.definitions.opdef import Arg, OpDef, OperatorTypeError
from tscript.operators.python.lists import changes, reads
from tscript.operators.python.own_keys import key_of
from tscript.types import DictType, ListType, TupleType, Type, general


def _getitem(self: dict[Any, Any], key: object) -> object:
    return self[key]


def _setitem(self: dict[Any, Any], key: object, value: object) -> None:
    self[key] = value


def _delitem(self: dict[Any, Any], key: object) -> None:
    del self[key]


def _ior(self: dict[Any, Any], other: dict[Any, Any]) -> dict[Any, Any]:
    self |= other
    return self


def _popitem(self: dict[Any, Any]) -> tuple[Any, Any]:
    key, value = self.popitem()
    return key_of(key), value


def _keys(self: Iterable[Any]) -> list[Any]:
    return list(map(key_of, self))


def _items(self: dict[Any, Any]) -> list[tuple[Any, Any]]:
    return [(key_of(k), v) for k, v in self.items()]


def _from_keys_type(args: Sequence[Arg]) -> Type:
    found = args[0].type
    if not isinstance(found, ListType):
        raise OperatorTypeError(f"fromkeys() takes a list of keys, not {found}")
    return DictType(found.element, general(args[1].type))


def _from_items_type(args: Sequence[Arg]) -> Type:
    match args[0].type:
        case ListType(element=TupleType(elements=(key, value))):
            return DictType(key, value)
    raise OperatorTypeError(f"dict() takes a list of pairs, not {args[0].type}")


OPERATORS: tuple[OpDef, ...] = (
    reads("len.dict(dict self) -> int", len, "dicts.dict_len", "The number of keys."),
    reads("getitem.dict(dict self, K key) -> V", _getitem, "dicts.dict_getitem", "The value of a key."),
    changes(
        "setitem.dict(dict self, K key, V value) -> None", _setitem, "dicts.dict_setitem", "Sets the value of a key."
    ),
    changes("delitem.dict(dict self, K key) -> None", _delitem, "dicts.dict_delitem", "Takes a key out."),
    reads(
        "contains.dict(dict self, K key) -> bool", lambda d, k: k in d, "dicts.dict_contains", "Whether a key is there."
    ),
    reads("get.dict(dict self, K key) -> Optional[V]", dict.get, "dicts.dict_get", "The value of a key, or None."),
    reads(
        "get.dict_default(dict self, K key, V default) -> V",
        dict.get,
        "dicts.dict_get_default",
        "The value of a key, or the default.",
    ),
    changes("pop.dict(dict self, K key) -> V", dict.pop, "dicts.dict_pop", "Takes a key out and gives its value."),
    changes(
        "pop.dict_default(dict self, K key, V default) -> V",
        dict.pop,
        "dicts.dict_pop_default",
        "Takes a key out, if it is there, and gives its value, or the default.",
    ),
    changes("popitem.dict(dict self) -> tuple[K, V]", _popitem, "dicts.dict_popitem", "Takes the last item out."),
    changes(
        "setdefault.dict(dict self, K key, V default) -> V",
        dict.setdefault,
        "dicts.dict_setdefault",
        "The value of a key, which the default becomes if there is none.",
    ),
    changes(
        "update.dict(dict self, self other) -> None",
        dict.update,
        "dicts.dict_update",
        "Adds the items of another dict.",
    ),
    changes("clear.dict(dict self) -> None", dict.clear, "dicts.dict_clear", "Takes all keys out."),
    changes(
        "ior.dict(dict self, self other) -> self", _ior, "dicts.dict_ior", "Adds the items of another dict in place."
    ),
    reads("copy.dict(dict self) -> self", dict.copy, "dicts.dict_copy", "A dict of the same items."),
    reads("bitwise_or.dict(dict self, self other) -> self", lambda a, b: a | b, "dicts.dict_or", "The items of both."),
    reads(
        "eq.dict(dict self, self other) -> bool", lambda a, b: a == b, "dicts.dict_eq", "Whether the items are equal."
    ),
    reads("ne.dict(dict self, self other) -> bool", lambda a, b: a != b, "dicts.dict_ne", "Whether the items differ."),
    reads("keys.dict(dict self) -> list[K]", _keys, "dicts.dict_keys_list", "The keys as a list.", typed=True),
    reads(
        "values.dict(dict self) -> list[V]",
        lambda d: list(d.values()),
        "dicts.dict_values_list",
        "The values as a list.",
        typed=True,
    ),
    reads(
        "items.dict(dict self) -> list[tuple[K, V]]",
        _items,
        "dicts.dict_items_list",
        "The items as a list.",
        typed=True,
    ),
    reads(
        "fromkeys.list(list keys, Any value) -> dict",
        dict.fromkeys,
        "dicts.dict_fromkeys",
        "A dict of these keys, all with one value.",
        rule=_from_keys_type,
        typed=True,
    ),
    reads(
        "to_dict.list(list items) -> dict",
        dict,
        "dicts.dict_from_items",
        "A dict of a list of pairs.",
        rule=_from_items_type,
        typed=True,
    ),
)
