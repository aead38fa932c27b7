"""Which parameters of a function are open: their types come from the call."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from tscript.frontend.source.annotations import annotation_type
from tscript.frontend.source.array_annotations import symbol_of
from tscript.frontend.source.object_types import PLAIN, TypeContext, is_in
from tscript.frontend.source.symbols import NumpySymbol, PythonSymbol, TypeSymbol
from tscript.types import OPEN, Type, leaves_open

if TYPE_CHECKING:
    from tscript.diagnostics import Diagnostic
    from tscript.frontend.source.functions import PythonFunction
    from tscript.frontend.source.resolver import Resolver


def open_parameters(function: PythonFunction, resolver: Resolver) -> dict[str, Type]:
    """The parameters of a function that take their types from the call, by name, with what is declared of them.

    Those without annotation are among them, those declared as a bare ``list``, ``dict``, ``set``, ``tuple`` or
    ``Callable``, and arrays whose dtype or dimensions are not declared, also inside of other types. A function with a
    cache has none, nor has ``*args``.
    """
    if function.cache is not None:
        return {}
    arguments = function.tree.args
    found: dict[str, Type] = {}
    for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
        opened = OPEN if argument.annotation is None else _declared(function, resolver, argument)
        if opened is not None:
            found[argument.arg] = opened
    return found


def _declared(function: PythonFunction, resolver: Resolver, argument: ast.arg) -> Type | None:
    assert argument.annotation is not None
    return open_annotation(function, resolver, argument.annotation, function.annotations.get(argument.arg))


def open_annotation(
    function: PythonFunction, resolver: Resolver, node: ast.expr, evaluated: object = None
) -> Type | None:
    """The type that an annotation declares which leaves something to values; None for others.

    Args:
        function: Whose annotation it is.
        resolver: Resolves names.
        node: The annotation.
        evaluated: The object Python kept for it, if any.
    """
    symbol = symbol_of(function, resolver, node)
    if isinstance(symbol, TypeSymbol) or (isinstance(symbol, PythonSymbol) and is_in(symbol.value, PLAIN)):
        return None
    if symbol == NumpySymbol("dtype"):
        return OPEN
    found = annotation_type(TypeContext(resolver, _ignored, is_open=True), function, node, evaluated)
    return found if found is not None and leaves_open(found) else None


def _ignored(error: Diagnostic) -> None:
    pass


__all__ = ["open_annotation", "open_parameters"]
