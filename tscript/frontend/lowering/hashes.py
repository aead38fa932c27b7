"""``hash(x)``."""

from __future__ import annotations

from tscript.diagnostics import Span
from tscript.frontend.lowering.conversions import plain
from tscript.frontend.lowering.function import FunctionLowering
from tscript.ir.graph import Value


def hash_of(lowering: FunctionLowering, value: Value, span: Span) -> Value:
    """``hash(value)``, as its kind says or by the operator of the table."""
    how = lowering.kind(value).hash
    found = None if how is None else how(lowering, value, span)
    return lowering.apply("hash", [plain(lowering, value, span)], span) if found is None else found
