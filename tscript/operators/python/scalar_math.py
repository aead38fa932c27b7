"""Python's `math` on scalars, a file per family."""

from __future__ import annotations

from tscript.definitions.opdef import OpDef
from tscript.dialect import libm
from tscript.operators.python import math_functions, math_gamma, math_integers

OPERATORS: tuple[OpDef, ...] = (*math_functions.OPERATORS, *math_gamma.OPERATORS, *math_integers.OPERATORS)
"""What users can name."""

HIDDEN: tuple[OpDef, ...] = math_integers.HIDDEN
"""What operators of old archives are read as."""

EXTERNS: tuple[OpDef, ...] = libm.EXTERNS
"""The C functions that bodies call."""
