"""Stub."""

from __future__ import annotations

from tscript.ops.opdef import OpDef

OPERATORS: tuple[OpDef, ...] = ()
