"""Native strings as Python has them."""

from __future__ import annotations

import ctypes

from tscript.abi.layout import STR_STRUCT
from tscript.abi.strings import CODINGS


def str_at(address: int, *, bytes: bool = False) -> str | bytes:
    """The Python str, or bytes, of a native one."""
    text = STR_STRUCT.ctype.from_address(address)
    data = ctypes.string_at(address + STR_STRUCT.size, text.length * text.width)
    return data if bytes else data.decode(CODINGS[text.width], "surrogatepass")
