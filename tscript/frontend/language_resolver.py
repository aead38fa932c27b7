"""`LanguageResolver`: what names mean in programs of the language."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from tscript.diagnostics import CompileError
from tscript.frontend.diagnostics.abandoned import Abandoned
from tscript.frontend.source.classes import ClassDefinition, Method
from tscript.frontend.source.names import NameResolver
from tscript.frontend.source.resolver import Assigned
from tscript.types import Type


class LanguageResolver(NameResolver):
    """A resolver that finds the attributes of classes by lowering ``__init__`` into a program that is thrown away."""

    def assigned(
        self,
        definition: ClassDefinition,
        method: Method,
        declared: Mapping[str, Type],
        given: Mapping[str, Type | None] = MappingProxyType({}),
    ) -> Assigned:
        """See `Resolver`."""
        from tscript.frontend.language import language_program

        program = language_program(self)
        program.discovering = definition
        program.declared_fields = dict(declared)
        try:
            program.method_instance(definition, method, None, lambda _: given)
            problems = program.diagnostics
        except CompileError as error:
            problems = list(error.diagnostics)
        except Abandoned:
            problems = program.diagnostics
        return Assigned(program.found_fields, problems)
