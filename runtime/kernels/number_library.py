"""The kernels between numbers and text by symbol."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tscript.runtime.kernels import digits, exact, format, format_spec, number_errors, parse, percent

NUMBERS: dict[str, Callable[..., Any]] = {
    fn.__name__: fn
    for fn in (
        # numbers as text
        format.bool_repr,
        format.complex_repr,
        format.float_repr,
        format.int_bin,
        format.int_hex,
        format.int_oct,
        format.int_repr,
        format.none_repr,
        # by a spec
        format.bool_format,
        format.complex_format,
        format.float_format,
        format.int_format,
        format.str_format,
        percent.float_percent,
        percent.int_percent,
        percent.str_percent,
        # text as numbers
        parse.parse_float,
        parse.parse_int,
        # messages
        number_errors.parse_float_error,
        number_errors.parse_int_error,
        number_errors.spec_error,
        # what these share
        digits.write_float,
        digits.write_int,
        exact.float_text,
        format.lay_out,
        format_spec.parse_spec,
    )
}
"""Kernel symbol to dialect function."""

NUMBER_CORE: tuple[str, ...] = ("write_int", "write_float", "float_text", "parse_spec", "lay_out")
"""Kernels that are called by symbol, by all others and by those behind them here."""
