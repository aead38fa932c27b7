"""The kernels of texts by symbol."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tscript.runtime.kernels import strings, strings_case, strings_codec, strings_format, strings_search, strings_split

STRINGS: dict[str, Callable[..., Any]] = {
    fn.__name__: fn
    for fn in (
        # one text and two
        strings.int_mul_str,
        strings.str_add,
        strings.str_append,
        strings.str_truth,
        strings.str_char,
        strings.str_code_at,
        strings.str_compare,
        strings.str_equal,
        strings.str_ge,
        strings.str_getitem,
        strings.str_gt,
        strings.str_hash,
        strings.str_le,
        strings.str_len,
        strings.str_lt,
        strings.str_mul,
        strings.str_ne,
        strings.str_slice,
        # case
        strings_case.code_isalnum,
        strings_case.code_isalpha,
        strings_case.code_isdigit,
        strings_case.code_isspace,
        strings_case.str_capitalize,
        strings_case.str_casefold,
        strings_case.str_isalnum,
        strings_case.str_isalpha,
        strings_case.str_isascii,
        strings_case.str_isdecimal,
        strings_case.str_isdigit,
        strings_case.str_isidentifier,
        strings_case.str_islower,
        strings_case.str_isnumeric,
        strings_case.str_isprintable,
        strings_case.str_isspace,
        strings_case.str_istitle,
        strings_case.str_isupper,
        strings_case.str_lower,
        strings_case.str_swapcase,
        strings_case.str_title,
        strings_case.str_upper,
        # searching
        strings_search.str_contains,
        strings_search.str_count,
        strings_search.str_endswith,
        strings_search.str_find,
        strings_search.str_index,
        strings_search.str_removeprefix,
        strings_search.str_removesuffix,
        strings_search.str_replace,
        strings_search.str_rfind,
        strings_search.str_rindex,
        strings_search.str_startswith,
        # layout
        strings_format.str_ascii,
        strings_format.str_center,
        strings_format.str_expandtabs,
        strings_format.str_ljust,
        strings_format.str_repr,
        strings_format.str_rjust,
        strings_format.str_zfill,
        # coding
        strings_codec.bytes_contains,
        strings_codec.bytes_decode,
        strings_codec.bytes_getitem,
        strings_codec.bytes_hex,
        strings_codec.str_chr,
        strings_codec.str_encode,
        strings_codec.str_from_utf8,
        strings_codec.str_ord,
        # taking apart
        strings_split.str_join,
        strings_split.str_lstrip,
        strings_split.str_next_piece,
        strings_split.str_partition,
        strings_split.str_rpartition,
        strings_split.str_rsplit,
        strings_split.str_rstrip,
        strings_split.str_split,
        strings_split.str_splitlines,
        strings_split.str_strip,
    )
}
"""Kernel symbol to dialect function."""
