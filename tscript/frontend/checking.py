"""Checks all functions of a class, including those that nothing calls."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, get_overloads

from tscript.diagnostics import CompileError, Diagnostic, Span, compile_error
from tscript.frontend.diagnostics import class_errors
from tscript.frontend.diagnostics.abandoned import Abandoned
from tscript.frontend.diagnostics.errors import FrontendError
from tscript.frontend.guessing import lowered
from tscript.frontend.language import language_program
from tscript.frontend.lowering.program import LanguageProgram, own_types, place
from tscript.frontend.source.class_places import class_span, place_of
from tscript.frontend.source.classes import ClassDefinition, ClassSymbol, Method, adopted, owner_of, plain_function
from tscript.frontend.source.functions import PythonFunction
from tscript.frontend.source.modules import SourceClass
from tscript.frontend.source.object_types import TypeContext
from tscript.frontend.source.opened import open_parameters
from tscript.frontend.source.signatures import read_signature
from tscript.frontend.source.symbols import Symbol, UnknownSymbol
from tscript.ir.graph import Graph, Param, Program
from tscript.late import dataclass, replace
from tscript.types import OPEN, TENSOR, Type, leaves_open

if TYPE_CHECKING:
    from tscript.frontend.source.resolver import Resolver


@dataclass(frozen=True, slots=True)
class Checked:
    """The result of a check of functions and classes.

    Attributes:
        diagnostics: The errors, by file, line and column.
        functions: All checked functions: the requested ones, and those that they call.
        classes: Names of the requested classes, and of classes with checked functions, each with its file.
        graphs: The graphs of the functions; what has errors is left out of them.
    """

    diagnostics: list[Diagnostic]
    functions: frozenset[PythonFunction]
    classes: frozenset[tuple[str, str]]
    graphs: Mapping[PythonFunction, Graph]


def check_all(functions: Iterable[PythonFunction], classes: Iterable[SourceClass], names: Resolver) -> Checked:
    """Check functions of the language, those they call, and all functions of some classes.

    Each function is lowered once for the same types, however many call it. An error says what its function is called
    from only if the function is not one of `functions`, or takes types from the call.
    """
    builder = language_program(names)
    found: list[Diagnostic] = []
    looked: set[PythonFunction] = set()
    wanted = list(functions)
    opened = {f for f in wanted if open_parameters(f, names)}
    for function in wanted:
        try:
            _lower_open(builder, function, names) if function in opened else builder.instance(function, None)
        except CompileError:  # it is nested too deeply, and its callers are left incomplete
            found += builder.diagnostics
            looked |= builder.functions()
            builder = language_program(names)
    named: set[tuple[str, str]] = set()
    for text in classes:
        named.add((text.tree.name, text.module.source.name))
        try:
            _lower_class(builder, text, names)
        except CompileError as error:
            found += error.diagnostics
    looked |= builder.functions()
    headers = {f.source.name: {g.name for g in wanted if g.source is f.source and g not in opened} for f in wanted}
    reported: dict[object, Diagnostic] = {}
    for diagnostic in [*found, *builder.diagnostics]:
        span = diagnostic.span
        if isinstance(diagnostic, FrontendError) and span.function in headers.get(span.source.name, ()):
            diagnostic = replace(diagnostic, called_from=())
        reported.setdefault((diagnostic.code, span, diagnostic.message()), diagnostic)
    owners = {(owner.name, f.source.name) for f in looked if (owner := owner_of(f)) is not None}
    return Checked(sorted(reported.values(), key=place), frozenset(looked), frozenset(named | owners), builder.graphs())


def _unknown(types: Mapping[str, None], function: PythonFunction) -> Mapping[str, None]:
    """The types of open parameters of a method, of which nothing is known."""
    return types


def _lower_open(builder: LanguageProgram, function: PythonFunction, resolver: Resolver) -> None:
    """Lower a function with open parameters: with types that go without saying, or else without any."""
    opened = open_parameters(function, resolver)
    before = builder.findings.mark()
    if all(type == OPEN for type in opened.values()):
        builder.instance(function, None)
        if not builder.findings.has_errors(before):
            return
        builder.findings.take_back(before)
    builder.lower_template(function, opened)


@dataclass(frozen=True, slots=True)
class Template:
    """A function with open parameters.

    Attributes:
        params: The parameters. Those that are open keep their defaults.
        usual: Types of the open parameters where no call says more: of the default, or `TENSOR`; None where the
            annotation names another type, without its elements.
    """

    params: tuple[Param, ...]
    usual: tuple[Type | None, ...]


def template_of(
    function: PythonFunction, resolver: Resolver, known: Mapping[str, Type] = MappingProxyType({})
) -> Template | None:
    """What is known of a function without a call; None if none of its parameters is open.

    Args:
        function: The function.
        resolver: Resolves names.
        known: Types of parameters that have no annotation and are not open.
    """
    opened = {name: type for name, type in open_parameters(function, resolver).items() if name not in known}
    if not opened:
        return None
    bare = {name: None for name, declared in opened.items() if declared != OPEN}
    read = read_signature(TypeContext(resolver, lambda error: None), function, TENSOR, {**known, **bare})
    found = [(p.param, p.type) for p in read.parameters]
    params = tuple(replace(p, type=opened[p.name]) if p.name in opened else p for p, _ in found)
    return Template(params, tuple(type for p, type in found if p.name in opened))


def overloads_of(function: PythonFunction, template: Template, resolver: Resolver) -> list[dict[str, Type]]:
    """The types that the overloads of a function (`typing.overload`) declare for its open parameters, by name.

    Overloads whose annotations are no types of the language are left out. A parameter that one does not have is as
    where no call says more.
    """
    opened = {p.name: usual for p, usual in zip(_opened(template.params), template.usual, strict=True)}
    found: list[dict[str, Type]] = []
    for overload in get_overloads(function.callable) if function.callable is not None else ():
        errors: list[Diagnostic] = []
        try:
            declared = read_signature(
                TypeContext(resolver, errors.append), PythonFunction.from_callable(overload), TENSOR, {}
            )
        except CompileError:
            continue
        types = {**opened, **{p.name: p.type for p in declared.parameters if p.name in opened}}
        known = {name: type for name, type in types.items() if type is not None and not leaves_open(type)}
        if not errors and len(known) == len(opened) and known not in found:
            found.append(known)
    return found


def _opened(params: Iterable[Param]) -> list[Param]:
    return [p for p in params if leaves_open(p.type)]


def check_template(function: PythonFunction, resolver: Resolver) -> list[Diagnostic]:
    """The errors of a function that do not depend on the types of its open parameters: what uses these is left out."""
    builder = language_program(resolver)
    try:
        builder.lower_template(function, open_parameters(function, resolver))
    except CompileError as error:
        return list(error.diagnostics)
    return builder.diagnostics


def check_definition(cls: type, resolver: Resolver) -> None:
    """Lower all functions of a class. Those whose parameters are not annotated are left to their calls.

    Raises:
        CompileError: With every error found.
    """
    builder = language_program(resolver)
    _lower_class(builder, cls, resolver)
    if builder.diagnostics:
        builder.program("")


def lower_method(
    cls: type,
    name: str,
    source: PythonFunction,
    resolver: Resolver,
    types: Mapping[str, Type] = MappingProxyType({}),
    call: Span | None = None,
) -> tuple[Program, PythonFunction]:
    """A method of a class, with all functions it calls, as IR, and its source.

    Raises:
        CompileError: With every error found; the class cannot be compiled.
    """
    definition, method = _method_of(cls, name, source, resolver)
    return _lowered_method(definition, method, resolver, types, call)


def lower_own_method(definition: ClassDefinition, method: Method, resolver: Resolver) -> Program:
    """A function that a class has, with all functions it calls, as IR.

    Raises:
        CompileError: With every error found; the class cannot be compiled.
    """
    return _lowered_method(definition, method, resolver, {}, None)[0]


def _lowered_method(
    definition: ClassDefinition, method: Method, resolver: Resolver, types: Mapping[str, Type], call: Span | None
) -> tuple[Program, PythonFunction]:
    def lower(builder: LanguageProgram) -> tuple[Program, PythonFunction]:
        for problem in definition.problems:
            builder.report(problem)
        try:
            instance = builder.method_instance(definition, method, call, (lambda _: types) if types else None)
        except Abandoned:
            return builder.program(""), method.function()
        return builder.program(instance.graph.name), instance.function

    return lowered(resolver, lower)


def template_of_method(cls: type, name: str, source: PythonFunction, resolver: Resolver) -> Template | None:
    """What is known of a method without a call; None if none of its parameters is open.

    Raises:
        CompileError: The class cannot be compiled.
    """
    definition, method = _method_of(cls, name, source, resolver)
    function = method.function()
    known = own_types(definition, method, function)
    return template_of(function, resolver, {name: type for name, type in known.items() if not leaves_open(type)})


def _method_of(cls: type, name: str, source: PythonFunction, resolver: Resolver) -> tuple[ClassDefinition, Method]:
    """The class of a method, and the method."""
    symbol = resolver.symbol(cls)
    if not isinstance(symbol, ClassSymbol):
        raise compile_error([_unsupported(cls, symbol)])
    definition = symbol.definition
    method = definition.methods.get(name)
    if method is None or method.is_cached or method.function().callable is not source.callable:
        # what the class has is a cache or a function around it, or it is the setter of a property
        method = Method(name, "method", lambda: adopted(definition, plain_function(source), "method"))
    return definition, method


def source_class_span(cls: SourceClass) -> Span:
    """The first line of a class in its source."""
    tree, source = cls.tree, cls.module.source
    return Span(source, tree.lineno, tree.col_offset, tree.lineno, len(source.line(tree.lineno)))


def _unsupported(cls: type | SourceClass, symbol: Symbol) -> Diagnostic:
    """The error of a class that cannot be compiled."""
    name = cls.__name__ if isinstance(cls, type) else cls.tree.name
    what = symbol.what if isinstance(symbol, UnknownSymbol) else name
    instead = symbol.instead if isinstance(symbol, UnknownSymbol) else "leave the decorator out"
    at = class_span(place_of(cls), name) if isinstance(cls, type) else source_class_span(cls)
    return class_errors.UnsupportedClass(at, what, instead)


def _lower_class(builder: LanguageProgram, cls: type | SourceClass, resolver: Resolver) -> None:
    """Lower all functions of a class; raises a `CompileError` if the class cannot be compiled."""
    symbol = resolver.symbol(cls)
    if not isinstance(symbol, ClassSymbol):
        raise compile_error([_unsupported(cls, symbol)])
    definition = symbol.definition
    for problem in definition.problems:
        builder.report(problem)
    if leaves_open(definition.type):  # its functions are checked when there is an instance
        return
    chosen = cls.module.scripted_methods(cls) if isinstance(cls, SourceClass) else frozenset()
    for method in definition.methods.values() if not definition.problems else ():
        if chosen and method.name not in chosen:
            continue
        for one in (method, method.setter):
            if one is None or one.is_cached:
                continue
            before = builder.findings.mark()
            try:
                function = builder.method_instance(definition, one, None).function
                if builder.findings.has_errors(before) and (unknown := open_parameters(function, resolver)):
                    builder.findings.take_back(before)
                    builder.method_instance(definition, one, None, partial(_unknown, dict.fromkeys(unknown)))
            except Abandoned:
                continue
