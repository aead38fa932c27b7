"""Which parameters of a function are open: their types come from the call."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from tscript.frontend.source.array_annotations import array_annotation, in_text, symbol_of
from tscript.frontend.source.object_types import GENERIC, is_in
from tscript.frontend.source.symbols import PythonSymbol
from tscript.types import OPEN, OpenType

if TYPE_CHECKING:
    from tscript.frontend.source.functions import PythonFunction
    from tscript.frontend.source.resolver import Resolver

_BARE = frozenset({"list", "dict", "set", "tuple", "Callable"})
"""Types of Python that take the types of their elements from the call where they stand alone."""


def open_parameters(function: PythonFunction, resolver: Resolver) -> dict[str, OpenType]:
    """The parameters of a function that take their types from the call, by name, with what is declared of them.

    Those without annotation are among them, those declared as a bare ``list``, ``dict``, ``set``, ``tuple`` or
    ``Callable``, and arrays whose dtype or dimensions are not declared. A function with a cache has none, nor has
    ``*args``.
    """
    if function.cache is not None:
        return {}
    arguments = function.tree.args
    found: dict[str, OpenType] = {}
    for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
        opened = OPEN if argument.annotation is None else open_annotation(function, resolver, argument.annotation)
        if opened is not None:
            found[argument.arg] = opened
    return found


def open_annotation(function: PythonFunction, resolver: Resolver, node: ast.expr) -> OpenType | None:
    """What an annotation that leaves something to the call declares; None for others."""
    array = array_annotation(function, resolver, node)
    if array is not None:
        return OpenType("ndarray", array.dtype) if array.rank is None or array.dtype is None else None
    written = in_text(node)
    symbol = None if written is None else symbol_of(function, resolver, written)
    value = symbol.value if isinstance(symbol, PythonSymbol) else None
    name = GENERIC[value] if is_in(value, GENERIC) else ""
    return OpenType(name) if name in _BARE else None


__all__ = ["open_annotation", "open_parameters"]
