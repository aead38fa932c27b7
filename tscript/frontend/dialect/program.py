"""`DialectProgram`: the functions of one compilation of the low-level dialect."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Container, Mapping

from tscript.diagnostics import Span
from tscript.frontend.lowering.program import Contents, Instance, ProgramBuilder, graph_name
from tscript.frontend.source.functions import PythonFunction
from tscript.frontend.source.object_types import TypeContext
from tscript.frontend.source.resolver import Resolver
from tscript.ir.graph import Raise
from tscript.types import INT, TYPE, Type


class DialectProgram(ProgramBuilder):
    """A program of the low-level dialect: one graph per function and binding of its type variables.

    Args:
        resolver: Says what names mean.
        lower: Lowers the body of an instance.
        outside: Functions that are called by symbol, by the names of their graphs and their files; their bodies only
            raise.
    """

    def __init__(
        self,
        resolver: Resolver,
        lower: Callable[[DialectProgram, Instance, TypeContext], Contents],
        outside: Container[tuple[str, str]] = (),
    ) -> None:
        super().__init__(resolver)
        self._lower = lower
        self._outside = outside

    def leaves_out(self, instance: Instance) -> bool:
        """See `ProgramBuilder`."""
        graph = instance.graph
        if instance.signature.result is None or (graph.name, graph.span.source.name) not in self._outside:
            return False
        graph.body.nodes.append(Raise("NotImplementedError", None, (), graph.span))
        return True

    def lower_function(self, instance: Instance, context: TypeContext) -> Contents:
        """See `ProgramBuilder`."""
        return self._lower(self, instance, context)

    def bound_instance(
        self, function: PythonFunction, bindings: Mapping[str, Type], call: Span | None, name: str = ""
    ) -> Instance:
        """The instance of a function for `bindings` of its type variables and type parameters, lowered now if
        necessary."""
        key = (function.callable or function, tuple(sorted(bindings.items(), key=_first)))
        found = self.known(key)
        if found is not None:
            return found
        if not name:
            name = "__".join([graph_name(function), *(re.sub(r"\W+", "_", str(t)).strip("_") for _, t in key[1])])
        arguments = function.tree.args
        types = {a.arg: TYPE for a in (*arguments.posonlyargs, *arguments.args) if is_type_parameter(a)}
        return self.lower_instance(function, key, name, call, bindings, bindings.get("T", INT), types)


def _first(item: tuple[str, Type]) -> str:
    return item[0]


TYPE_PARAMETER = "type"
"""Annotation of a parameter that takes a type: ``def zero(dtype: type)``."""


def is_type_parameter(argument: ast.arg) -> bool:
    """Whether a parameter takes a type."""
    return isinstance(argument.annotation, ast.Name) and argument.annotation.id == TYPE_PARAMETER
