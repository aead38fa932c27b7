"""The options of the process for printing tensors; see `tscript.abi.printing`."""

from __future__ import annotations

from tscript.abi.printing import DEFAULT, SYMBOL
from tscript.dialect import i64
from tscript.dialect.linkage import variable

OPTIONS = variable(
    SYMBOL,
    i64,
    len(DEFAULT),
    exported=True,
    initial=b"".join(v.to_bytes(8, "little", signed=True) for v in DEFAULT),
)
VARIABLES = (OPTIONS,)
FUNCTIONS = ()
