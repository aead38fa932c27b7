"""The options of the process for printing tensors; see `tscript.abi.printing`."""

from __future__ import annotations

from tscript.abi.printing import DEFAULT, DEFAULT_DTYPE, SYMBOL
from tscript.dialect import i64
from tscript.dialect.linkage import variable
from tscript.types.dtypes import FIRST_DEFAULT

OPTIONS = variable(
    SYMBOL,
    i64,
    DEFAULT_DTYPE + 1,
    exported=True,
    initial=b"".join(v.to_bytes(8, "little", signed=True) for v in (*DEFAULT, FIRST_DEFAULT.code)),
)
VARIABLES = (OPTIONS,)
FUNCTIONS = ()
