"""Python's `math` on scalars, equal to CPython digit for digit: bodies over libm with CPython's checks around them."""

from __future__ import annotations

from tscript.ops import libm
from tscript.ops.opdef import OpDef

OPERATORS: tuple[OpDef, ...] = ()
MATH: dict[str, str] = {}
EXTERNS: tuple[OpDef, ...] = libm.EXTERNS
