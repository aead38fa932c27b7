"""Checking a class by itself: all of its functions, whether something calls them or not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tscript.diagnostics import compile_error
from tscript.frontend import class_errors
from tscript.frontend.class_reading import class_span, place_of
from tscript.frontend.classes import PROCESS, ClassMeaning
from tscript.frontend.lowering import Abandoned
from tscript.frontend.meanings import UnknownMeaning
from tscript.frontend.program import LanguageProgram

if TYPE_CHECKING:
    from tscript.frontend.names import Resolver


def check_definition(cls: type, resolver: Resolver) -> None:
    """Lower all functions of a class. Those whose parameters are not annotated are left to their calls.

    Raises:
        CompileError: With every error found.
    """
    builder = LanguageProgram(resolver)
    meaning = PROCESS.meaning(cls, resolver)
    if isinstance(meaning, ClassMeaning):
        definition = meaning.definition
        for problem in definition.problems:
            builder.report(problem)
        for method in definition.methods.values() if not definition.problems else ():
            for one in (method, method.setter):
                if one is None:
                    continue
                try:
                    builder.method_instance(definition, one, None)
                except Abandoned:
                    continue
    else:
        what = meaning.what if isinstance(meaning, UnknownMeaning) else cls.__name__
        instead = meaning.instead if isinstance(meaning, UnknownMeaning) else "leave the decorator out"
        raise compile_error([class_errors.UnsupportedClass(class_span(place_of(cls), cls.__name__), what, instead)])
    if builder.diagnostics:
        builder.program("")
