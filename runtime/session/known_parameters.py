"""Parameters that stand for functions or dtypes of the call: a program is made for them, without the parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tscript.ir.graph import Param
from tscript.late import replace
from tscript.types import KnownType, Type


def known_parameters(params: Sequence[Param], types: Mapping[str, Type]) -> dict[int, Param]:
    """Those among the parameters of a function, for types of its open parameters by name; by position."""
    found = ((i, p, types.get(p.name)) for i, p in enumerate(params))
    return {i: replace(p, type=type) for i, p, type in found if isinstance(type, KnownType)}


def with_known(params: Sequence[Param], known: Mapping[int, Param]) -> tuple[Param, ...]:
    """All parameters of a function, of which a program has those that are passed."""
    rest = iter(params)
    return tuple(known[i] if i in known else next(rest) for i in range(len(params) + len(known)))


__all__ = ["known_parameters", "with_known"]
