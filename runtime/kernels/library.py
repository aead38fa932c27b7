"""Kernels by symbol: those that operators name, and those that compiled code and the boundary call by themselves."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Any

from tscript.definitions.opdef import KernelBody, Made, kernel_name
from tscript.runtime.kernels import (
    caches,
    convert,
    copy,
    dicts,
    digits,
    exact,
    exceptions,
    format_layout,
    format_spec,
    hashes,
    lists,
    memory,
    memory_blocks,
    memory_checked,
    memory_heaps,
    number_errors,
    objects,
    python_arguments,
    python_back,
    python_out,
    raising,
    record,
    record_due,
    row_groups,
    rows,
    rows_delay,
    rows_errors,
    shapes,
    shared_updates,
    sorting,
    strings_codec,
    strings_compare,
    sums,
    tables,
    tensor,
    tensor_printing,
    values_equal,
    values_order,
    views,
)

INTERNAL: dict[str, Callable[..., Any]] = {
    # memory and headers
    "heap_allocate": memory.heap_allocate,
    "checked_object": memory_checked.checked_object,
    "checked_optional": memory_checked.checked_optional,
    "heap_try_allocate": memory.heap_try_allocate,
    "heap_free": memory.heap_free,
    "heap_lock": memory_heaps.heap_lock,
    "heap_unlock": memory_heaps.heap_unlock,
    "heap_collect": memory_blocks.heap_collect,
    "heap_trim": memory_blocks.heap_trim,
    "heap_decay": memory_blocks.heap_decay,
    "storage_release": tensor.storage_release,
    "tensor_alloc": tensor.tensor_alloc,
    "tensor_alloc_over": tensor.tensor_alloc_over,
    "tensor_try_alloc": tensor.tensor_try_alloc,
    "tensor_from_memory": tensor.tensor_from_memory,
    "tensor_from_array": tensor.tensor_from_array,
    "tensor_release": tensor.tensor_release,
    "tensor_retain": tensor.tensor_retain,
    "view_of": tensor.view_of,
    "view_at": views.view_at,
    # copies
    "clone": copy.clone,
    "copy_": copy.copy_,
    "copy_raw": copy.copy_raw,
    "fill_": copy.fill_,
    "pack": copy.pack,
    "convert_elements": convert.convert_elements,
    "fill_contiguous": convert.fill_contiguous,
    "shared_begin": shared_updates.shared_begin,
    "shared_end": shared_updates.shared_end,
    # exceptions
    "key_error": raising.key_error,
    "float_error": raising.float_error,
    "int_error": raising.int_error,
    "item_error": raising.item_error,
    "field_error": raising.field_error,
    "list_index_shown": raising.list_index_shown,
    "exception_chain": exceptions.exception_chain,
    "exception_is": exceptions.exception_is,
    "exception_new": exceptions.exception_new,
    "exception_take": exceptions.exception_take,
    # fused groups
    "append_site": rows.append_site,
    "broadcast_members": rows.broadcast_members,
    "raise_array_shapes": rows_errors.raise_array_shapes,
    "raise_stored": rows_errors.raise_stored,
    "rows_begin": rows.rows_begin,
    "rows_next": rows.rows_next,
    "rows_parts": rows.rows_parts,
    "rows_enter": rows.rows_enter,
    "rows_lay_out": row_groups.rows_lay_out,
    "rows_advance": row_groups.rows_advance,
    "columns_lay_out": row_groups.columns_lay_out,
    "separate": rows.separate,
    "separate_later": rows_delay.separate_later,
    "rows_delay": rows_delay.rows_delay,
    "check_assigned": shapes.check_assigned,
    "check_distinct": shapes.check_distinct,
    "check_output": shapes.check_output,
    # callbacks
    "callback_publish": record.callback_publish,
    "record_begin": record.record_begin,
    "record_end": record.record_end,
    "record_enter": record.record_enter,
    "record_exit": record.record_exit,
    "record_unwind": record.record_unwind,
    "thread_refresh": record_due.thread_refresh,
    # Python objects
    "marshal_end": python_back.marshal_end,
    "object_out": python_out.object_out,
    "object_in": python_arguments.object_in,
    # objects and values
    "closure_new": objects.closure_new,
    "trace_hold": objects.trace_hold,
    "trace_leave": objects.trace_leave,
    "object_box": objects.object_box,
    "object_new": objects.object_new,
    "object_drop": objects.object_drop,
    "object_is": objects.object_is,
    "object_release": objects.object_release,
    "object_retain": objects.object_retain,
    "release_cells": objects.release_cells,
    "retain_cells": objects.retain_cells,
    "equal_cells": values_equal.equal_cells,
    "find_entry": values_equal.find_entry,
    "find_equal": values_equal.find_equal,
    "order_cells": values_order.order_cells,
    "hash_cells": hashes.hash_cells,
    # containers
    "list_from": lists.list_from,
    "list_grow": lists.list_grow,
    "list_index": lists.list_index,
    "list_new": lists.list_new,
    "list_room": lists.list_room,
    "list_try_sort": sorting.list_try_sort,
    "list_sum_floats_compensated": sums.list_sum_floats_compensated,
    "dict_begin": tables.dict_begin,
    "dict_find": tables.dict_find,
    "dict_find_int": tables.dict_find_int,
    "dict_find_str": tables.dict_find_str,
    "dict_new": tables.dict_new,
    "dict_previous": tables.dict_previous,
    "dict_slot": tables.dict_slot,
    "find_at": tables.find_at,
    "table_copy": tables.table_copy,
    "table_try_rebuild": tables.table_try_rebuild,
    "dict_drop": dicts.dict_drop,
    "dict_take": dicts.dict_take,
    "cache_state": caches.cache_state,
    # numbers and strings
    "parse_float_error": number_errors.parse_float_error,
    "parse_int_error": number_errors.parse_int_error,
    "spec_error": number_errors.spec_error,
    "write_float": digits.write_float,
    "write_int": digits.write_int,
    "float_text": exact.float_text,
    "lay_out": format_layout.lay_out,
    "parse_spec": format_spec.parse_spec,
    "str_compare": strings_compare.str_compare,
    "str_from_utf8": strings_codec.str_from_utf8,
    "size_repr": tensor_printing.size_repr,
}
"""Kernels by symbol that compiled code and the boundary call and no operator names."""


GENERIC: tuple[str, ...] = ("copy_", "fill_")
"""Those of them that have type parameters; code is instantiated for what it needs."""


def function_of(body: KernelBody) -> Callable[..., Any]:
    """The dialect function that an operator names."""
    match body:
        case str():
            module, _, name = body.rpartition(".")
            found: Callable[..., Any] = getattr(import_module(f"{__package__}.{module}"), name)
            return found
        case Made():
            made: Callable[..., Any] = function_of(body.maker)(*body.parts)
            return made
    return body


def library(named: Iterable[KernelBody]) -> dict[str, Callable[..., Any]]:
    """Kernels by symbol.

    Args:
        named: What operators name; one may be named more than once.

    Raises:
        ValueError: Two functions have one name.
    """
    found = dict(INTERNAL)
    bodies: dict[str, KernelBody] = {}
    for body in named:
        symbol = kernel_name(body)
        if symbol not in bodies:
            bodies[symbol] = body
            function = function_of(body)
            if found.setdefault(symbol, function) is not function:
                raise ValueError(f"two kernels are called {symbol}")
        elif bodies[symbol] != body:
            raise ValueError(f"two kernels are called {symbol}")
    return found


CORE: tuple[str, ...] = (
    "heap_allocate",
    "heap_try_allocate",
    "heap_free",
    "storage_release",
    "tensor_alloc",
    "tensor_try_alloc",
    "tensor_release",
    "view_of",
    "convert_elements",
    "copy_raw",
    "fill_contiguous",
)
"""Kernels, none of them generic, that the others call by symbol instead of having a copy of their own."""

SHARED: tuple[str, ...] = (
    "write_int",
    "write_float",
    "float_text",
    "parse_spec",
    "lay_out",
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
    "find_at",
    "dict_slot",
    "key_error",
    "float_error",
    "int_error",
    "item_error",
    "field_error",
)
"""More of them; each calls `CORE`, and those before it here, by symbol."""
