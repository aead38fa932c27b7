"""Signatures as the command line shows them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tscript.arrays import np

if TYPE_CHECKING:
    from tscript.ir.graph import Param
    from tscript.types import Type


def signature(name: str, params: Sequence[Param], result: Type) -> str:
    """``name(x: Tensor, n: int = 3) -> Tensor``."""
    from tscript.definitions.absent import REQUIRED
    from tscript.types import spoken

    parts: list[str] = []
    slash = False
    for param in params:
        if slash and not param.positional_only:
            parts.append("/")
        slash = param.positional_only
        if param.keyword_only and "*" not in parts:
            parts.append("*")
        default = "" if param.default is REQUIRED else f" = {_shown(param.default)}"
        parts.append(f"{param.name}: {spoken(param.type)}{default}")
    if slash:
        parts.append("/")
    return f"{name}({', '.join(parts)}) -> {spoken(result)}"


def _shown(default: object) -> str:
    return "..." if isinstance(default, np.ndarray) else repr(default)
