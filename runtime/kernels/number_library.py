"""The kernels between numbers and text by symbol."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tscript.runtime.kernels import digits, exact, format, format_spec, number_errors, parse, percent

NUMBERS: dict[str, Callable[..., Any]] = {
    # numbers as text
    "bool_repr": format.bool_repr,
    "complex_repr": format.complex_repr,
    "float_repr": format.float_repr,
    "int_bin": format.int_bin,
    "int_hex": format.int_hex,
    "int_oct": format.int_oct,
    "int_repr": format.int_repr,
    "none_repr": format.none_repr,
    # by a spec
    "bool_format": format.bool_format,
    "complex_format": format.complex_format,
    "float_format": format.float_format,
    "int_format": format.int_format,
    "str_format": format.str_format,
    "float_percent": percent.float_percent,
    "int_percent": percent.int_percent,
    "str_percent": percent.str_percent,
    # text as numbers
    "parse_float": parse.parse_float,
    "parse_int": parse.parse_int,
    # messages
    "parse_float_error": number_errors.parse_float_error,
    "parse_int_error": number_errors.parse_int_error,
    "spec_error": number_errors.spec_error,
    # what these share
    "write_float": digits.write_float,
    "write_int": digits.write_int,
    "float_text": exact.float_text,
    "lay_out": format.lay_out,
    "parse_spec": format_spec.parse_spec,
}
"""Kernel symbol to dialect function."""

NUMBER_CORE: tuple[str, ...] = ("write_int", "write_float", "float_text", "parse_spec", "lay_out")
"""Kernels that are called by symbol, by all others and by those behind them here."""
