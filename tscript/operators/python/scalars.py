"""Operators of the language's scalars: arithmetic, comparisons and conversions of int, float and bool, a file per
family."""

from __future__ import annotations

from tscript.definitions.opdef import OpDef
from tscript.operators.python import (
    float_arithmetic,
    int_arithmetic,
    int_bits,
    int_wrapping,
    number_comparison,
    number_conversion,
    number_rounding,
    powers,
)

OPERATORS: tuple[OpDef, ...] = (
    *int_arithmetic.OPERATORS,
    *int_bits.OPERATORS,
    *powers.OPERATORS,
    *float_arithmetic.OPERATORS,
    *number_rounding.OPERATORS,
    *number_comparison.OPERATORS,
    *number_conversion.OPERATORS,
    *int_wrapping.OPERATORS,
)
"""What users can name; among overloads the narrower types come first."""

HIDDEN: tuple[OpDef, ...] = (int_bits.FITS, *powers.HIDDEN, *int_wrapping.HIDDEN, *number_rounding.HIDDEN)
"""What only the compiler writes, and what operators of old archives are read as."""
