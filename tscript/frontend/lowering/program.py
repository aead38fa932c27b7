"""`ProgramBuilder`: the functions of one compilation, each lowered once, their graphs and all their errors."""

from __future__ import annotations

import ast
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence

from tscript.abi.exceptions import BASE_EXCEPTION
from tscript.diagnostics import Diagnostic, Span, compile_error
from tscript.frontend.diagnostics import callable_errors, container_errors, errors, type_errors
from tscript.frontend.diagnostics.abandoned import Abandoned
from tscript.frontend.diagnostics.errors import FrontendError
from tscript.frontend.lowering.effort import Effort, TooMuchEffortError
from tscript.frontend.lowering.findings import Findings, reachable
from tscript.frontend.lowering.frames import MAX_WIDENINGS, ReturnState
from tscript.frontend.lowering.held_modules import hold
from tscript.frontend.lowering.scopes import Scope
from tscript.frontend.source.classes import ClassDefinition, Method, method_function, owner_of
from tscript.frontend.source.comment_errors import type_comments
from tscript.frontend.source.functions import FunctionSymbol, PythonFunction
from tscript.frontend.source.keyword_parameters import without_keywords
from tscript.frontend.source.object_types import TypeContext
from tscript.frontend.source.resolver import Resolver
from tscript.frontend.source.signatures import Signature, read_signature
from tscript.frontend.source.source_modules import SourceEnvironment
from tscript.frontend.source.stored import adopt
from tscript.frontend.source.symbols import LocalFunction, Symbol
from tscript.ir.graph import Graph, Param, Program, Value, walk
from tscript.late import dataclass, field, replace
from tscript.room import with_room
from tscript.types import (
    ANY,
    NEVER,
    NONE,
    TENSOR,
    ClassType,
    Type,
    TypeLimitError,
    inference,
    optional,
)
from tscript.types.inference import is_open

Contents = Mapping[Span | str, Type]
"""Types of containers that began empty, by place or name."""


@dataclass(frozen=True, slots=True)
class CachedFunction:
    """A function with a cache, as two functions.

    Attributes:
        outer: The function with the cache.
        body: The function itself.
        maxsize: The maximum number of entries; None: no limit.
    """

    outer: LocalFunction
    body: LocalFunction
    maxsize: int | None


@dataclass(slots=True)
class Unassigned:
    """Names of a function that are read where they may not have been assigned.

    Attributes:
        names: Those that begin as None, each with the error of leaving it out.
        found: Those that the current lowering has found.
        types: What is assigned to names first.
    """

    names: dict[str, FrontendError] = field(default_factory=dict)
    found: dict[str, FrontendError] = field(default_factory=dict)
    types: dict[str, Type] = field(default_factory=dict)

    def take(self) -> bool:
        """Let the names that were found begin as None; returns whether there are any."""
        new = self.found.keys() - self.names.keys()
        self.names |= self.found
        self.found = {}
        return bool(new)


@dataclass(slots=True)
class Instance:
    """One graph of the program.

    Attributes:
        function: The source function.
        graph: Complete once `finished`.
        signature: Its parameters and declared result.
        returns: What it returns, as far as known.
        finished: Whether its body has been lowered.
        is_lost: Whether an error in a return hides the result type.
        functions: Inner functions of the enclosing function, by name.
        contents: Types of the containers that begin empty, by place or name, as far as an earlier lowering found them.
        closed: Names that function values made in it capture.
        unassigned: Names that are read where they may not have been assigned.
        findings: Its errors, and the functions that it uses.
    """

    function: PythonFunction
    graph: Graph
    signature: Signature
    returns: ReturnState
    findings: Findings
    finished: bool = False
    is_lost: bool = False
    functions: Scope = field(default_factory=dict)
    contents: dict[Span | str, Type] = field(default_factory=dict)
    closed: frozenset[str] = frozenset()
    unassigned: Unassigned = field(default_factory=Unassigned)

    @property
    def result(self) -> Type | None:
        """Type of the result; None while it has to be inferred, and after an error."""
        if self.returns.declared is not None or not self.finished or self.is_lost:
            return self.signature.result
        return self.graph.result


class ProgramBuilder(ABC):
    """Lowers functions on demand, each once.

    Args:
        resolver: Says what names mean.

    Attributes:
        caches: Inner functions with a cache.
        reads: Names that inner functions read and do not bind.
        apart: Inner functions that capture nothing, as functions by themselves.
        raising: Names of the graphs of functions that neither return nor reach their ends.
        is_template: Whether a function is lowered for its errors, with parameters of unknown types.
    """

    is_template: bool = False

    def __init__(self, resolver: Resolver) -> None:
        self.resolver = resolver
        self._graphs: dict[str, tuple[Graph, Findings]] = {}
        self.effort = Effort()
        self._instances: dict[object, Instance] = {}
        self.raising: set[str] = set()
        self.caches: dict[ast.FunctionDef, CachedFunction] = {}
        self.reads: dict[ast.FunctionDef | ast.Lambda, list[str]] = {}
        self.apart: dict[ast.FunctionDef | ast.Lambda, PythonFunction] = {}
        self.keyworded: dict[tuple[PythonFunction, tuple[str, ...]], PythonFunction] = {}
        self.keyworded_inner: dict[tuple[LocalFunction, tuple[str, ...]], LocalFunction] = {}
        self._calls: list[Span | None] = []
        self._found = [Findings()]

    @property
    def findings(self) -> Findings:
        """The findings of the function that is being lowered; outside of functions, those of the program."""
        return self._found[-1]

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """Every error in the functions that the program uses."""
        return self._found[0].errors()

    def functions(self) -> set[PythonFunction]:
        """The functions lowered so far."""
        return {instance.function for instance in self._instances.values()}

    def graphs(self) -> Mapping[PythonFunction, Graph]:
        """The graphs of the functions lowered so far: of each the last."""
        return {instance.function: instance.graph for instance in self._instances.values()}

    def graph_named(self, name: str) -> Graph | None:
        """A graph that has been begun; None if there is none of this name."""
        found = self._graphs.get(name)
        return None if found is None else found[0]

    def new_graph(self, name: str, params: Sequence[Param], result: Type, span: Span) -> Graph:
        """An empty graph that no function of the source is lowered to, used by the one that is being lowered. A number
        is added to the name when it is taken."""
        findings = Findings()
        self.findings.uses.append(findings)
        graph = Graph(self._unique(name), params, result, span)
        self._graphs[graph.name] = graph, findings
        return graph

    def by_graph(self) -> Mapping[str, PythonFunction]:
        """The functions lowered so far, by the names of their graphs."""
        return {instance.graph.name: instance.function for instance in self._instances.values()}

    @abstractmethod
    def lower_function(self, instance: Instance, context: TypeContext) -> Contents:
        """Lower the body of an instance. Returns the types of the containers that began empty."""

    def leaves_out(self, instance: Instance) -> bool:
        """Whether the body of a function of a module or class is not needed."""
        return False

    def report(self, diagnostic: Diagnostic) -> None:
        """Record an error, with the calls for which its function is compiled."""
        if isinstance(diagnostic, FrontendError):
            calls = tuple(call for call in reversed(self._calls) if call is not None)
            diagnostic = replace(diagnostic, called_from=calls)
        self.findings.diagnostics.append(diagnostic)

    def own_symbol(self, function: PythonFunction) -> Symbol:
        """The symbol of a function in its own body."""
        return FunctionSymbol(function)

    def program(self, main: str) -> Program:
        """The finished program.

        Raises:
            CompileError: Errors were found; all of them.
            InternalError: A part of a function was left out and no error says why.
        """
        if found := self.diagnostics:
            distinct = {(d.code, str(d.span), d.message()): d for d in found}
            raise compile_error(sorted(distinct.values(), key=place))
        self._found[0].check_nothing_lost()
        used = {id(f) for f in reachable(self._found[:1])}
        return hold(Program(main, [graph for graph, findings in self._graphs.values() if id(findings) in used]))

    def lower_instance(
        self,
        function: PythonFunction,
        key: object,
        name: str,
        call: Span | None,
        bindings: Mapping[str, Type] | None = None,
        unannotated: Type = TENSOR,
        types: Mapping[str, Type | None] | None = None,
        functions: Scope | None = None,
        result: Type | None = None,
    ) -> Instance:
        """Lower a function that has not been lowered yet.

        Args:
            function: What to lower.
            key: Names the instance.
            name: Of the graph; a number is added when it is taken.
            call: The call it is lowered for, None for the entry.
            bindings: Of type variables.
            unannotated: Type of parameters without annotation.
            types: Of parameters by name; before annotations. None: unknown; what depends on it is left out.
            functions: Inner functions of the enclosing function, by name.
            result: The result type if it has no annotation.
        """
        findings = Findings()
        self.findings.uses.append(findings)
        self._calls.append(call)
        self._found.append(findings)
        self.effort.extend(function.tree)
        try:
            if function.stored is not None:
                return self._stored(function, types or {}, key, name, findings)
            context = TypeContext(self.resolver, self.report, bindings or {})
            self._check_decorators(function)
            self.check_source(function)
            signature = read_signature(context, function, unannotated, types or {})
            if result is not None:
                signature = replace(signature, result=result, result_span=function.header)
            params = [p.param for p in signature.parameters if p.is_passed]
            graph = Graph(self._unique(name), params, NONE, function.header, function.fastmath)
            if signature.result is not None:
                graph.result = signature.result
            returns = ReturnState(signature.result, signature.result_span, open=signature.open_result)
            instance = Instance(function, graph, signature, returns, findings, functions=functions or {})
            self._instances[key] = instance
            self._graphs[graph.name] = graph, findings
            if functions is None and self.leaves_out(instance):
                return instance
            wide: Type | None = None
            known = findings.mark()
            for _ in range(MAX_WIDENINGS):
                found = with_room(self.lower_function, instance, context)
                if returns.widened is not None:
                    # A return needs a wider type than those before it: lower all again with that type.
                    wide = returns.widened
                    returns = instance.returns = ReturnState(wide, None, returns.first, open=returns.open)
                elif findings.has_errors(known) and instance.unassigned.take():
                    declared = wide or signature.result
                    returns = ReturnState(declared, signature.result_span, open=signature.open_result)
                    instance.returns = returns
                elif (findings.has_errors(known) or _reads_nothing(graph)) and found.keys() - instance.contents.keys():
                    # A container was read before its type was known: lower again with the type.
                    instance.contents.update(found)
                    declared = wide or signature.result
                    returns = ReturnState(declared, signature.result_span, open=signature.open_result)
                    instance.returns = returns
                else:
                    wide = inference.usual(graph.result)
                    if wide is None or signature.result is not None or findings.has_errors(known):
                        break
                    returns = instance.returns = ReturnState(wide, None, returns.first, open=returns.open)
                findings.take_back(known)
                instance.finished = False
                params = [replace(p, type=_contained(p.type, instance.contents.get(p.name))) for p in params]
                graph.body = Graph(graph.name, params).body
            self._close_parameters(instance)
            if instance.finished and returns.first is None and returns.declared is None and not instance.is_lost:
                self.raising.add(graph.name)
            return instance
        except RecursionError:
            instead = "split it into several statements or functions"
            self.report(errors.UnsupportedExpression(function.header, "code nested this deeply", instead))
            raise compile_error(self.diagnostics) from None
        except TooMuchEffortError:
            self.report(errors.UnsupportedExpression(function.header, "code that is repeated this often", _LESS))
            raise compile_error(self.diagnostics) from None
        except TypeLimitError as error:
            self.report(errors.too_large(function.header, error))
            raise compile_error(self.diagnostics) from None
        finally:
            findings.is_clean = not findings.has_errors() and all(
                f.is_clean for f in findings.uses if f is not findings
            )
            self._calls.pop()
            self._found.pop()

    def _stored(
        self, function: PythonFunction, types: Mapping[str, Type | None], key: object, name: str, findings: Findings
    ) -> Instance:
        """The instance of a function whose program is there, for types of parameters."""
        assert function.stored is not None
        stored = function.stored.version(types)

        def add(wanted: str, make: Callable[[str], Graph]) -> str:
            unique = self._unique(wanted)
            self._graphs[unique] = make(unique), findings
            return unique

        graph = adopt(stored.program(), name, add)
        signature = read_signature(TypeContext(self.resolver, self.report), function, TENSOR, types)
        returns = ReturnState(stored.result, None)
        made = self._instances[key] = Instance(function, graph, signature, returns, findings, finished=True)
        return made

    def _close_parameters(self, instance: Instance) -> None:
        """Give parameters that are empty containers the types that the body found."""
        graph, signature = instance.graph, instance.signature
        types = {p.name: v.type for p, v in zip(graph.params, graph.body.params, strict=True) if is_open(p.type)}
        if not types:
            return
        graph.params = tuple(replace(p, type=types.get(p.name, p.type)) for p in graph.params)
        known = tuple(replace(p, type=types.get(p.name, p.type)) for p in signature.parameters)
        instance.signature = replace(signature, parameters=known)
        if not instance.findings.has_errors():
            for value, parameter in zip(graph.body.params, [p for p in known if p.is_passed], strict=False):
                if (wrong := container_errors.nothing_said([value], parameter.span)) is not None:
                    self.report(wrong)

    def known(self, key: object) -> Instance | None:
        """The instance with this key, lowered or being lowered, which the function being lowered uses from now on."""
        found = self._instances.get(key)
        if found is not None:
            self.findings.uses.append(found.findings)
        return found

    def instance(
        self, function: PythonFunction, call: Span | None, given: Mapping[str, Type] | None = None
    ) -> Instance:
        """The only instance of a function, apart from the types `given` to parameters; lowered now if necessary."""
        key = instance_key(function, given)
        found = self.known(key)
        if found is not None:
            return found
        return self.lower_instance(function, key, graph_name(function), call, types=given)

    def always_raises(self, name: str) -> bool:
        """Whether the function of a graph is known to neither return nor reach its end."""
        return False

    def check_source(self, function: PythonFunction) -> None:
        """Report errors in the source of a function that lowering does not find."""
        return

    def _check_decorators(self, function: PythonFunction) -> None:
        """If source is read and not run, only decorators that mark a function for compilation are supported."""
        environment = function.environment
        if isinstance(environment, SourceEnvironment):
            for decorator in function.tree.decorator_list:
                known = environment.is_script(decorator) or environment.is_neutral(decorator)
                if not known and environment.cache(decorator) is None:
                    self.report(errors.UnknownDecorator(function.span(decorator), ast.unparse(decorator)))

    def _unique(self, name: str) -> str:
        if name not in self._graphs:
            return name
        n = 2
        while f"{name}_{n}" in self._graphs:
            n += 1
        return f"{name}_{n}"


_LESS = (
    "loops over tuples of mixed types, final statements, functions inside functions and loops whose names "
    "change their types are "
    "compiled several times, and inside each other their numbers multiply: make inner parts functions of the module"
)


_FOLLOWING = (container_errors.OpenContainer, type_errors.MissingReturn, callable_errors.CapturedRebound)
"""Errors of functions in which something is left out that may not be errors of the whole function."""


class LanguageProgram(ProgramBuilder):
    """A program of the language.

    Args:
        resolver: Says what names mean.
        lower: Lowers the body of an instance.

    Attributes:
        discovering: The class whose attributes are being found.
        declared_fields: What its body declares.
        found_fields: What its ``__init__`` has assigned so far.
        touched: The classes that the program uses.
        assigned: Types of values that were assigned to attributes whose guessed types they are not, by class and name.
    """

    discovering: ClassDefinition | None = None

    def __init__(self, resolver: Resolver, lower: Callable[[LanguageProgram, Instance, TypeContext], Contents]) -> None:
        super().__init__(resolver)
        self._lower = lower
        self.declared_fields: dict[str, Type] = {}
        self.found_fields: dict[str, Value] = {}
        self.touched: set[ClassDefinition] = set()
        self.assigned: dict[tuple[ClassDefinition, str], Type] = {}

    def lower_function(self, instance: Instance, context: TypeContext) -> Contents:
        """See `ProgramBuilder`."""
        return self._lower(self, instance, context)

    def lower_template(self, function: PythonFunction, names: Iterable[str]) -> None:
        """Lower a function for its errors, with parameters of unknown types.

        What depends on these is left out. Errors that may come of that are left out too.

        Args:
            function: The function.
            names: Of the parameters.
        """
        self.is_template = True
        try:
            key = (function, "template")
            found = self.lower_instance(function, key, graph_name(function), None, types=dict.fromkeys(names)).findings
            found.diagnostics = [d for d in found.diagnostics if not isinstance(d, _FOLLOWING)]
        finally:
            self.is_template = False

    def leaves_out(self, instance: Instance) -> bool:
        """See `ProgramBuilder`. The program that finds the attributes of a class is thrown away: of the functions that
        ``__init__`` calls, it needs only the type of the result. So in a chain of classes that make each other, each is
        lowered once for its attributes."""
        if self.discovering is None or len(self._calls) == 1:
            return False
        if instance.function.name == "__init__" and owner_of(instance.function) is not None:
            instance.signature = replace(instance.signature, result=NONE)
        return instance.signature.result is not None

    def always_raises(self, name: str) -> bool:
        """See `ProgramBuilder`."""
        return name in self.raising

    def check_source(self, function: PythonFunction) -> None:
        """See `ProgramBuilder`."""
        for problem in type_comments(function):
            self.report(problem)

    def method_instance(
        self,
        definition: ClassDefinition,
        method: Method,
        call: Span | None,
        given: Callable[[PythonFunction], Mapping[str, Type | None]] | None = None,
    ) -> Instance:
        """The instance of a function of a class, lowered now if necessary, with the types `given` to some of its
        parameters; None: unknown.

        Raises:
            Abandoned: It cannot be read; the error has been reported.
        """
        function = method_function(method, self.report)
        if function is None:
            raise Abandoned
        if method.is_cached:
            is_shared = method.kind == "static" or not is_by_identity(definition.type)
            function = self.resolver.own_cache(function, in_front=is_shared)
        if call is None:
            function = without_keywords(function)
        types = own_types(definition, method, function)
        more = {} if given is None else {n: t for n, t in given(function).items() if n not in types}
        key = (function, tuple(more.items())) if more else function
        found = self.known(key)
        if found is not None:
            return found
        return self.lower_instance(function, key, graph_name(function), call, types={**types, **more})


def own_types(definition: ClassDefinition, method: Method, function: PythonFunction) -> dict[str, Type]:
    """The types of the parameters of a method that its class determines."""
    types: dict[str, Type] = {}
    arguments = [*function.tree.args.posonlyargs, *function.tree.args.args]
    if method.kind in ("method", "property") and arguments:
        types[arguments[0].arg] = definition.type
        if method.name == "__exit__":
            types |= _exit_types(function, arguments)
        elif method.name in DUNDERS and len(arguments) == 2:
            annotation = arguments[1].annotation
            if annotation is None or (isinstance(annotation, ast.Name) and annotation.id in ("object", "Any")):
                types[arguments[1].arg] = definition.type
    return types


def _exit_types(function: PythonFunction, arguments: Sequence[ast.arg]) -> dict[str, Type]:
    """The types of the parameters of ``__exit__``: the exception itself in place of its class, and no traceback."""
    given: list[Type] = [optional(BASE_EXCEPTION), optional(BASE_EXCEPTION), NONE]
    found = {a.arg: t for a, t in zip(arguments[1:], given, strict=False)}
    if function.tree.args.vararg is not None:
        found[function.tree.args.vararg.arg] = ANY
    return found


DUNDERS = frozenset(
    {
        *("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__"),
        *(f"__{r}{n}__" for r in ("", "r", "i") for n in (
            "add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor", "lshift", "rshift"
        )),
    }
)  # fmt: skip
"""Special methods whose other operand, without annotation, is an instance of the class too."""


def is_by_identity(type: Type) -> bool:
    """Whether instances of a Python class are distinguished only by identity: compiled code returns new objects to
    Python."""
    python = type.info.python if isinstance(type, ClassType) else None
    return getattr(python, "__hash__", None) is object.__hash__


def instance_key(function: PythonFunction, given: Mapping[str, Type] | None = None) -> object:
    """The key of the instance of a function for the types `given` to parameters."""
    is_made = function.cache is not None or function.elements is not None or function.fastmath
    is_made = is_made or function.keywords is not None
    key = function if function.callable is None or is_made else function.callable
    return (key, tuple(given.items())) if given else key


def graph_name(function: PythonFunction) -> str:
    """The name of the graph of a function: its qualified name without characters that IR names cannot have."""
    name = re.sub(r"[^A-Za-z0-9_.]", "_", function.qualname.replace("<locals>.", ""))
    return name if name[:1].isalpha() or name[:1] == "_" else f"_{name}"


def place(diagnostic: Diagnostic) -> tuple[str, int, int]:
    """File, line and column of an error: the order in which errors are reported."""
    return diagnostic.span.source.name, diagnostic.span.line, diagnostic.span.col


def _contained(type: Type, found: Type | None) -> Type:
    """The type of a parameter: if it is an empty container, the one that an earlier lowering found."""
    return found if found is not None and is_open(type) and found.__class__ is type.__class__ else type


def _reads_nothing(graph: Graph) -> bool:
    """Whether a value comes from a container of unknown type."""
    return any(v.type == NEVER for node in walk(graph.body) for v in node.outputs)
