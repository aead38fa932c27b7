"""Python source to IR.

`lower` compiles a function of the language, `lower_dialect` one of the low-level dialect.
`PythonFunction` is a function with its source; `module_functions` reads the functions of a file that is never run.
Errors arrive as one `tscript.diagnostics.CompileError` with every diagnostic of the function and of the functions it
calls.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from tscript.definitions.table import OperatorTable
from tscript.diagnostics import Diagnostic, Span
from tscript.frontend.language_resolver import LanguageResolver
from tscript.frontend.source.canonical import canonical_source
from tscript.frontend.source.functions import PythonFunction
from tscript.frontend.source.resolver import Resolver
from tscript.frontend.source.source_modules import module_function, module_functions
from tscript.ir.graph import Program
from tscript.types import Type

if TYPE_CHECKING:
    from tscript.dialect.linkage import Linkage
    from tscript.frontend.checking import Template


def lower(
    function: PythonFunction,
    names: Resolver | OperatorTable | None = None,
    *,
    types: Mapping[str, Type] | None = None,
    name: str | None = None,
    call: Span | None = None,
) -> Program:
    """A function of the language, and all functions it calls, as IR.

    Args:
        function: From `PythonFunction.from_callable`, `module_function` or `module_functions`.
        names: Resolves global names: a resolver, or the operators for a `LanguageResolver`; by default, all operators.
        types: Types of parameters by name, before their annotations: for bodies of composite operators, and for
            parameters whose types come from the call.
        name: Name of its graph; the function's qualified name when left out.
        call: The call that it is lowered for, which errors name.

    Returns:
        A program whose entry is the function. Tensor values have unknown dtype and rank.

    Raises:
        CompileError: With every error found; also of the natural Python class of the first.

    Example:
        >>> f, = module_functions("def double(x: float) -> float:\\n    return x + x\\n", "d.py")
        >>> print(lower(f).entry)
        graph @double(%x: float) -> float {
          %0: float = add.float(%x, %x)
          return %0
        }
    """
    from tscript.frontend.guessing import lowered
    from tscript.frontend.lowering.program import graph_name, instance_key

    resolver = LanguageResolver(names) if isinstance(names, OperatorTable | None) else names
    entry = name or graph_name(function)
    key = instance_key(function, types)
    return lowered(
        resolver, lambda made: made.program(made.lower_instance(function, key, entry, call, types=types).graph.name)
    )


def template(function: PythonFunction, names: Resolver) -> Template | None:
    """What is known of a function without a call; None if none of its parameters is open.

    Args:
        function: The function.
        names: Resolves global names.
    """
    from tscript.frontend.source.opened import open_parameters

    if not open_parameters(function, names):
        return None
    from tscript.frontend.checking import template_of

    return template_of(function, names)


def template_errors(function: PythonFunction, names: Resolver) -> list[Diagnostic]:
    """The errors of a function that do not depend on the types of its open parameters."""
    from tscript.frontend.checking import check_template

    return check_template(function, names)


def can_share_cache(function: PythonFunction, names: Resolver) -> bool:
    """Whether threads can share a cache of compiled code for a function: its arguments and its result are immutable."""
    from tscript.frontend.values.shared_caches import fits

    return fits(names, function)


def check_functions(functions: Iterable[PythonFunction], names: Resolver) -> list[Diagnostic]:
    """Every error in functions of the language and in those they call, by file, line and column.

    Each function is lowered once, however many call it. An error says what its function is called from only if the
    function is not one of `functions`.
    """
    from tscript.frontend.checking import check_all

    return check_all(functions, (), names).diagnostics


def check_class(cls: type, names: Resolver) -> None:
    """Lower all functions of a class, for their errors.

    Args:
        cls: The class.
        names: Resolves global names.

    Raises:
        CompileError: With every error found.
    """
    from tscript.frontend.checking import check_definition

    check_definition(cls, names)


def lower_method(
    cls: type,
    name: str,
    source: PythonFunction,
    names: Resolver,
    types: Mapping[str, Type] = MappingProxyType({}),
    call: Span | None = None,
) -> tuple[Program, PythonFunction]:
    """A method of a class, with all functions it calls, as IR, and its source.

    Args:
        cls: The class.
        name: What the class has it as, or something that calls it.
        source: The method.
        names: Resolves global names.
        types: Types of parameters that come from the call, by name.
        call: The call, which errors name.

    Raises:
        CompileError: With every error found; the class cannot be compiled.
    """
    from tscript.frontend import checking

    return checking.lower_method(cls, name, source, names, types, call)


def method_template(cls: type, name: str, source: PythonFunction, names: Resolver) -> Template | None:
    """As `template`, of a method of a class.

    Raises:
        CompileError: The class cannot be compiled.
    """
    from tscript.frontend.checking import template_of_method

    return template_of_method(cls, name, source, names)


def overloads(source: PythonFunction, template: Template, names: Resolver) -> list[dict[str, Type]]:
    """See `tscript.frontend.checking.overloads_of`."""
    from tscript.frontend.checking import overloads_of

    return overloads_of(source, template, names)


def lower_dialect(
    fn: Callable[..., Any], bindings: Mapping[str, Type], name: str, outside: Container[tuple[str, str]] = ()
) -> Program:
    """A function of the low-level dialect, and all functions it calls, as IR of machine operators.

    Args:
        fn: The function object.
        bindings: Types of its type variables (``T``, ``U``, ``V``) and type parameters.
        name: Name of its graph.
        outside: Functions that are called by symbol, by their names and files: their graphs only raise.

    Raises:
        CompileError: With every error found.

    Example:
        >>> from tscript.dialect import T
        >>> from tscript.types import F32
        >>> def twice(x: T) -> T:
        ...     return x + x
        >>> lower_dialect(twice, {"T": F32}, "twice").entry.result      # doctest: +SKIP
        MachineType(dtype=tscript.float32)
    """
    from tscript.frontend.dialect.program import DialectProgram
    from tscript.frontend.dialect.shapes import DialectResolver, dialect_function
    from tscript.frontend.dialect.syntax import lower_whole

    builder = DialectProgram(DialectResolver(), lower_whole, outside)
    instance = builder.bound_instance(dialect_function(fn), bindings, None, name)
    return builder.program(instance.graph.name)


def lower_functions(functions: Iterable[Callable[..., Any]]) -> tuple[Program, Mapping[str, Linkage]]:
    """Functions of the low-level dialect in C's calling convention, and all they call, as one program.

    Args:
        functions: What it exports, or takes the address of; none has type variables.

    Returns:
        The program, and how the function of each graph is linked.

    Raises:
        CompileError: With every error found.
    """
    from tscript.dialect.linkage import linkage_of
    from tscript.frontend.dialect.program import DialectProgram
    from tscript.frontend.dialect.shapes import DialectResolver, dialect_function
    from tscript.frontend.dialect.syntax import lower_whole

    builder = DialectProgram(DialectResolver(), lower_whole)
    instances = [builder.bound_instance(dialect_function(fn), {}, None) for fn in functions]
    program = builder.program(instances[0].graph.name)
    linkage = {
        name: linkage_of(function.callable)
        for name, function in builder.by_graph().items()
        if function.callable is not None and name in program.graphs
    }
    return program, linkage


__all__ = [
    "LanguageResolver",
    "PythonFunction",
    "Resolver",
    "can_share_cache",
    "canonical_source",
    "check_class",
    "check_functions",
    "lower",
    "lower_dialect",
    "lower_functions",
    "lower_method",
    "method_template",
    "module_function",
    "module_functions",
    "template",
    "template_errors",
]
