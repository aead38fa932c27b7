"""The interface for the scalar bodies of pointwise operators, which the caller of the backend provides as IR."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from tscript.ir.graph import Graph
from tscript.types import Type


class BodyLibrary(Protocol):
    """Gives bodies of operators as graphs."""

    def scalar_graph(self, body: Callable[..., object], types: tuple[Type, ...]) -> Graph:
        """The body of a `Pointwise` operator with its type variables bound to `types`, in order.

        The graph is straight-line code of machine operators and externs. It is shared, so it must not be changed.
        """
