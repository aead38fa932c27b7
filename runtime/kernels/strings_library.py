"""The kernels of texts by symbol."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tscript.runtime.kernels import strings, strings_case, strings_codec, strings_format, strings_search, strings_split

STRINGS: dict[str, Callable[..., Any]] = {
    # one text and two
    "int_mul_str": strings.int_mul_str,
    "str_add": strings.str_add,
    "str_append": strings.str_append,
    "str_truth": strings.str_truth,
    "str_char": strings.str_char,
    "str_code_at": strings.str_code_at,
    "str_compare": strings.str_compare,
    "str_equal": strings.str_equal,
    "str_ge": strings.str_ge,
    "str_getitem": strings.str_getitem,
    "str_gt": strings.str_gt,
    "str_hash": strings.str_hash,
    "str_le": strings.str_le,
    "str_len": strings.str_len,
    "str_lt": strings.str_lt,
    "str_mul": strings.str_mul,
    "str_ne": strings.str_ne,
    "str_slice": strings.str_slice,
    # case
    "code_isalnum": strings_case.code_isalnum,
    "code_isalpha": strings_case.code_isalpha,
    "code_isdigit": strings_case.code_isdigit,
    "code_isspace": strings_case.code_isspace,
    "str_capitalize": strings_case.str_capitalize,
    "str_casefold": strings_case.str_casefold,
    "str_isalnum": strings_case.str_isalnum,
    "str_isalpha": strings_case.str_isalpha,
    "str_isascii": strings_case.str_isascii,
    "str_isdecimal": strings_case.str_isdecimal,
    "str_isdigit": strings_case.str_isdigit,
    "str_isidentifier": strings_case.str_isidentifier,
    "str_islower": strings_case.str_islower,
    "str_isnumeric": strings_case.str_isnumeric,
    "str_isprintable": strings_case.str_isprintable,
    "str_isspace": strings_case.str_isspace,
    "str_istitle": strings_case.str_istitle,
    "str_isupper": strings_case.str_isupper,
    "str_lower": strings_case.str_lower,
    "str_swapcase": strings_case.str_swapcase,
    "str_title": strings_case.str_title,
    "str_upper": strings_case.str_upper,
    # searching
    "str_contains": strings_search.str_contains,
    "str_count": strings_search.str_count,
    "str_endswith": strings_search.str_endswith,
    "str_find": strings_search.str_find,
    "str_index": strings_search.str_index,
    "str_removeprefix": strings_search.str_removeprefix,
    "str_removesuffix": strings_search.str_removesuffix,
    "str_replace": strings_search.str_replace,
    "str_rfind": strings_search.str_rfind,
    "str_rindex": strings_search.str_rindex,
    "str_startswith": strings_search.str_startswith,
    # layout
    "str_ascii": strings_format.str_ascii,
    "str_center": strings_format.str_center,
    "str_expandtabs": strings_format.str_expandtabs,
    "str_ljust": strings_format.str_ljust,
    "str_repr": strings_format.str_repr,
    "str_rjust": strings_format.str_rjust,
    "str_zfill": strings_format.str_zfill,
    # coding
    "bytes_contains": strings_codec.bytes_contains,
    "bytes_decode": strings_codec.bytes_decode,
    "bytes_getitem": strings_codec.bytes_getitem,
    "bytes_hex": strings_codec.bytes_hex,
    "str_chr": strings_codec.str_chr,
    "str_encode": strings_codec.str_encode,
    "str_from_utf8": strings_codec.str_from_utf8,
    "str_ord": strings_codec.str_ord,
    # taking apart
    "str_join": strings_split.str_join,
    "str_lstrip": strings_split.str_lstrip,
    "str_next_piece": strings_split.str_next_piece,
    "str_partition": strings_split.str_partition,
    "str_rpartition": strings_split.str_rpartition,
    "str_rsplit": strings_split.str_rsplit,
    "str_rstrip": strings_split.str_rstrip,
    "str_split": strings_split.str_split,
    "str_splitlines": strings_split.str_splitlines,
    "str_strip": strings_split.str_strip,
}
"""Kernel symbol to dialect function."""
