"""The kernels of heap objects, lists, dicts and sets by symbol."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tscript.runtime.kernels import dicts, lists, objects, str_values, values

CONTAINERS: dict[str, Callable[..., Any]] = {
    fn.__name__: fn
    for fn in (
        # references
        objects.object_box,
        objects.object_drop,
        objects.object_is,
        objects.object_release,
        objects.object_retain,
        objects.release_cells,
        objects.retain_cells,
        # values
        str_values.str_compare,
        str_values.str_equal,
        str_values.str_hash,
        values.equal_cells,
        values.find_entry,
        values.find_equal,
        values.hash_cells,
        values.order_cells,
        # lists
        lists.list_add,
        lists.list_append,
        lists.list_clear,
        lists.list_contains,
        lists.list_convert,
        lists.list_copy,
        lists.list_count,
        lists.list_delitem,
        lists.list_eq,
        lists.list_extend,
        lists.list_from,
        lists.list_ge,
        lists.list_getitem,
        lists.list_grow,
        lists.list_gt,
        lists.list_iadd,
        lists.list_imul,
        lists.list_index,
        lists.list_insert,
        lists.list_le,
        lists.list_len,
        lists.list_lt,
        lists.list_mul,
        lists.list_ne,
        lists.list_new,
        lists.list_pop,
        lists.list_remove,
        lists.list_reserve,
        lists.list_reverse,
        lists.list_room,
        lists.list_setitem,
        # dicts
        dicts.dict_contains,
        dicts.dict_delitem,
        dicts.dict_find,
        dicts.dict_find_int,
        dicts.dict_find_str,
        dicts.dict_getitem,
        dicts.dict_len,
        dicts.dict_new,
        dicts.dict_setitem,
        dicts.dict_slot,
        dicts.table_try_rebuild,
    )
}
"""Kernel symbol to dialect function."""

CONTAINER_CORE: tuple[str, ...] = (
    "object_drop",
    "str_hash",
    "str_equal",
    "str_compare",
    "equal_cells",
    "order_cells",
    "hash_cells",
    "find_entry",
    "list_new",
    "list_room",
    "table_try_rebuild",
    "dict_new",
)
"""Kernels that the others call by symbol; each of these does so with those before it."""
