"""Signatures: parameters with types and defaults, and the declared result."""

from __future__ import annotations

import ast
import inspect
import typing
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

from tscript.arrays import is_array
from tscript.definitions.absent import REQUIRED
from tscript.definitions.values import constant_type
from tscript.diagnostics import Span
from tscript.frontend.diagnostics import errors, type_errors
from tscript.frontend.diagnostics.type_names import conversion_help, shown
from tscript.frontend.source.annotations import annotation_type, broadcast_count
from tscript.frontend.source.classes import MemberSymbol
from tscript.frontend.source.constants import NotConstant
from tscript.frontend.source.descriptions import shown_symbol
from tscript.frontend.source.functions import FunctionSymbol, PythonFunction, in_annotations
from tscript.frontend.source.object_types import TypeContext
from tscript.frontend.source.opened import open_annotation
from tscript.frontend.source.symbols import (
    ConstantSymbol,
    ContainerSymbol,
    NumpySymbol,
    NumpyTypeSymbol,
    OperatorSymbol,
    PythonSymbol,
    Symbol,
    UnknownSymbol,
)
from tscript.ir.graph import Param
from tscript.late import dataclass
from tscript.types import (
    ANY,
    DEVICE,
    FLOAT,
    INT,
    NONE,
    STR,
    TENSOR,
    TYPE,
    EnumMember,
    EnumType,
    KnownType,
    ListType,
    OptionalType,
    TensorType,
    TupleType,
    Type,
    UnionType,
    members_of,
    optional,
    union,
)
from tscript.types.inference import weaken
from tscript.types.options import Device


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter.

    Attributes:
        name: Its name.
        type: Its type; None after an error.
        default: A constant of that type, or `REQUIRED`.
        positional, keyword: How an argument may be passed.
        declared: Whether it is annotated.
        span: Where it stands.
        variadic: Whether it takes all further arguments, as a tuple.
        broadcast: How many elements of a list a number stands for that is given for it; 0 if for none.
    """

    name: str
    type: Type | None
    default: object
    positional: bool
    keyword: bool
    declared: bool
    span: Span
    variadic: bool = False
    broadcast: int = 0

    @property
    def is_passed(self) -> bool:
        """Whether calls pass a value for it."""
        return self.type != TYPE and not isinstance(self.type, KnownType)

    @property
    def param(self) -> Param:
        """The parameter of the graph."""
        type = TENSOR if self.type is None else self.type
        by_position = not self.keyword and not self.variadic
        return Param(self.name, type, self.default, not self.positional, by_position, self.variadic)


@dataclass(frozen=True, slots=True)
class Signature:
    """Parameters and declared result of a function.

    Attributes:
        parameters: In order.
        result: Declared type, None when there is no annotation (or a wrong one), or it leaves something open.
        result_span: The annotation, None when there is none.
        valid: Whether no error was found in it.
        open_result: A declared type that leaves something to what is returned.
    """

    parameters: tuple[Parameter, ...]
    result: Type | None
    result_span: Span | None
    valid: bool
    open_result: Type | None = None

    def text(self, function: PythonFunction) -> str:
        """As the user wrote it: ``f(x, n: int = 3) -> int``."""
        result = "" if function.tree.returns is None else f" -> {ast.unparse(function.tree.returns)}"
        return f"{function.name}({ast.unparse(function.tree.args)}){result}"


def read_signature(
    context: TypeContext, function: PythonFunction, unannotated: Type, types: Mapping[str, Type | None]
) -> Signature:
    """The signature of a function; errors are reported.

    Args:
        context: Resolves names and takes errors.
        function: Whose signature.
        unannotated: Type of a parameter without annotation and without default.
        types: Types of parameters by name, which come before annotations; None: unknown, and nothing is said of it.
    """
    if function.stored is not None:
        span, stored = function.header, function.stored.version(types)
        known = [
            Parameter(p.name, p.type, p.default, not p.keyword_only, not p.positional_only, True, span, p.variadic)
            for p in stored.params
        ]
        return Signature(tuple(known), stored.result, span, True)
    tree = function.tree
    arguments = tree.args
    valid = True
    if arguments.kwarg is not None:
        held = "Tensor" if arguments.kwarg.annotation is None else ast.unparse(arguments.kwarg.annotation)
        context.report(errors.VariadicParameter(function.span(arguments.kwarg), arguments.kwarg.arg, held))
        valid = False
    parameters: list[Parameter] = []
    for argument, default, positional, keyword in _arguments(arguments):
        span = function.span(argument)
        if argument is arguments.vararg:
            parameters.append(_variadic(context, function, argument, unannotated, types))
            valid = valid and parameters[-1].type is not None
            continue
        type: Type | None = unannotated
        broadcast = 0
        if argument.arg in types:
            type = types[argument.arg]
        elif argument.annotation is None and default is not None:
            type = _type_of_default(context, function, argument.arg, default, unannotated)
        elif argument.annotation is not None:
            evaluated = function.annotations.get(argument.arg)
            broadcast = broadcast_count(argument.annotation) if function.mentions("BroadcastingList") else 0
            type = annotation_type(context, function, argument.annotation, evaluated, broadcasts=broadcast > 0)
            if type == FLOAT and (argument.arg in _asked_for_ints(function) or function.is_typed()):
                type = union([INT, FLOAT])
            type = _or_none(function, argument.arg, default, type)
        value: object = REQUIRED
        if default is not None:
            value = _default(context, function, argument.arg, default, type, argument.arg in types)
            if isinstance(value, _Wrong):
                valid, value = False, REQUIRED
        valid = valid and type is not None
        parameters.append(
            Parameter(
                argument.arg,
                type,
                value,
                positional,
                keyword,
                argument.annotation is not None,
                span,
                broadcast=broadcast,
            )
        )
    result: Type | None = None
    result_span: Span | None = None
    open_result: Type | None = None
    if tree.returns is not None and not _says_never(function, tree.returns):
        evaluated = function.annotations.get("return")
        open_result = open_annotation(function, context.resolver, tree.returns, evaluated)
        if open_result is None:
            result_span = function.span(tree.returns)
            result = annotation_type(context, function, tree.returns, evaluated)
            valid = valid and result is not None
    return Signature(tuple(parameters), result, result_span, valid, open_result)


def _says_never(function: PythonFunction, node: ast.expr) -> bool:
    """Whether an annotation of a result is ``NoReturn`` or ``Never``: what it is follows from the body."""
    name = node.value if isinstance(node, ast.Constant) else node.attr if isinstance(node, ast.Attribute) else None
    name = node.id if isinstance(node, ast.Name) else name
    if not isinstance(name, str) or name.rpartition(".")[2] not in ("NoReturn", "Never"):
        return False
    if isinstance(node, ast.Name):
        with suppress(KeyError):
            return in_annotations(function.environment, name) in (typing.NoReturn, typing.Never)
    return True


def _or_none(function: PythonFunction, name: str, default: ast.expr | None, type: Type | None) -> Type | None:
    """The declared type of a parameter. The default None makes it optional: ``x: int = None``."""
    if default is None or type is None or type == ANY or NONE in members_of(type):
        return type
    return optional(type) if _default_object(function, name, default) is None else type


def _asked_for_ints(function: PythonFunction) -> set[str]:
    """The names that a function tests with ``isinstance(x, int)``. As in Python, this holds for a float parameter that
    got an int."""
    if not function.mentions("isinstance"):
        return set()
    found: set[str] = set()
    for node in ast.walk(function.tree):
        match node:
            case ast.Call(func=ast.Name(id="isinstance"), args=[ast.Name(id=name), classes]):
                named = {n.id for n in ast.walk(classes) if isinstance(n, ast.Name)}
                if "int" in named and "float" not in named:
                    found.add(name)
    return found


def _variadic(
    context: TypeContext,
    function: PythonFunction,
    argument: ast.arg,
    unannotated: Type,
    types: Mapping[str, Type | None],
) -> Parameter:
    """``*args``: a tuple of any length."""
    type: Type | None = types.get(argument.arg, unannotated)
    if argument.annotation is not None and argument.arg not in types:
        type = annotation_type(context, function, argument.annotation, function.annotations.get(argument.arg))
    found = None if type is None else ListType(type, frozen=True)
    return Parameter(argument.arg, found, (), True, False, True, function.span(argument), variadic=True)


def _arguments(arguments: ast.arguments) -> Iterator[tuple[ast.arg, ast.expr | None, bool, bool]]:
    """Each parameter with its default and whether it is given by position and by name."""
    plain = [*arguments.posonlyargs, *arguments.args]
    defaults: list[ast.expr | None] = [None] * (len(plain) - len(arguments.defaults)) + list(arguments.defaults)
    for i, (argument, default) in enumerate(zip(plain, defaults, strict=True)):
        yield argument, default, True, i >= len(arguments.posonlyargs)
    if arguments.vararg is not None:
        yield arguments.vararg, None, True, False
    for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        yield argument, default, False, True


class _Wrong:
    """A default that was refused."""


def _type_of_default(
    context: TypeContext, function: PythonFunction, name: str, node: ast.expr, unannotated: Type
) -> Type:
    """The type of a parameter without annotation that has a default."""
    given = _default_object(function, name, node)
    symbol = _constant_symbol(context, given)
    if is_function(symbol):
        return KnownType(given)
    if not isinstance(symbol, ConstantSymbol):
        return unannotated
    return weaken(constant_type(symbol.value)) if symbol.type is None else symbol.type


def _default(
    context: TypeContext, function: PythonFunction, name: str, node: ast.expr, type: Type | None, is_given: bool
) -> object:
    """The default of a parameter. One that is of another type than the call gives is left out."""
    given = _default_object(function, name, node)
    if isinstance(type, KnownType):
        return given
    symbol = _constant_symbol(context, given)
    if is_given and is_function(symbol):
        return REQUIRED
    if not isinstance(symbol, ConstantSymbol):
        what = symbol.what if isinstance(symbol, UnknownSymbol) else shown_symbol(symbol)
        span = function.span(node)
        if what in ("a list", "a dict", "a set"):
            declared = "..." if type is None else shown(type)
            instead = f"calls would share it; make it in the function: '{name}: {declared} | None = None'"
            context.report(errors.ParameterClash(span, name, what, instead))
        else:
            context.report(errors.ParameterClash(span, name, what))
        return _Wrong()
    if symbol.type is not None and type == symbol.type:
        return symbol.value if is_array(symbol.value) else given
    if type is None:
        return symbol.value if is_given else _Wrong()
    too_large = errors.IntegerTooLarge.check(function.span(node), symbol.value)
    if too_large is not None:
        context.report(too_large)
        return _Wrong()
    value = converted_constant(symbol.value, type)
    if isinstance(value, _Wrong):
        if is_given:
            return REQUIRED
        found = constant_type(symbol.value)
        instead = conversion_help(found, type)
        context.report(type_errors.DefaultType(function.span(node), name, shown(type), shown(found), instead))
    return value


def is_function(symbol: Symbol) -> bool:
    """Whether a name stands for a function or a dtype, which a parameter without declared type can stand for."""
    return isinstance(symbol, FunctionSymbol | NumpySymbol | NumpyTypeSymbol | OperatorSymbol) or (
        isinstance(symbol, PythonSymbol) and callable(symbol.value)
    )


def _constant_symbol(context: TypeContext, value: object) -> Symbol:
    """The value of a default; enum members, and tuples with some, are constants here."""
    symbol = context.resolver.symbol(value)
    if isinstance(symbol, MemberSymbol):
        assert isinstance(symbol.definition.type, EnumType)
        return ConstantSymbol(EnumMember(symbol.definition.type, symbol.member))
    if isinstance(value, tuple) and isinstance(symbol, ContainerSymbol | UnknownSymbol):
        parts = [_constant_symbol(context, v) for v in value]
        if all(isinstance(p, ConstantSymbol) for p in parts):
            return ConstantSymbol(tuple(p.value for p in parts if isinstance(p, ConstantSymbol)))
    return symbol


def _default_object(function: PythonFunction, name: str, node: ast.expr) -> object:
    function = function.calls or function
    fn = function.callable
    if fn is None:
        environment: Any = function.environment
        try:
            if not hasattr(environment, "constant"):  # of an inner function, which computes other defaults itself
                return ast.literal_eval(node)
            return environment.constant(node)
        except NotConstant as reason:
            return UnknownSymbol(str(reason), "")
        except (ValueError, TypeError):
            return UnknownSymbol("computed", "")
    fn = inspect.unwrap(fn)  # a cache around the function has no defaults of its own
    keyword: dict[str, object] = getattr(fn, "__kwdefaults__", None) or {}
    if name in keyword:
        return keyword[name]
    plain = [a.arg for a in (*function.tree.args.posonlyargs, *function.tree.args.args)]
    defaults: tuple[object, ...] = getattr(fn, "__defaults__", None) or ()
    position = plain.index(name) - len(plain)
    if -position <= len(defaults):
        return defaults[position]
    return UnknownSymbol("no longer there", "")


def _device(name: str) -> object:
    try:
        return Device(name)
    except RuntimeError:
        return _Wrong()


def converted_constant(value: object, type: Type) -> object:
    """A constant converted to `type`; a `_Wrong` if that is impossible. An int converts to float, a bool to int, a
    member of an IntEnum or StrEnum to int or str, a tuple to a list, the name of a device to the device."""
    match value, type:
        case None, OptionalType() | UnionType():
            return None if NONE in members_of(type) else _Wrong()
        case _, OptionalType() | UnionType():
            if constant_type(value) in members_of(type):
                return value
            found = [converted_constant(value, m) for m in members_of(type)]
            return next((f for f in found if not isinstance(f, _Wrong)), _Wrong())
        case tuple(), TupleType():
            if len(value) != len(type.elements):
                return _Wrong()
            parts = [converted_constant(v, t) for v, t in zip(value, type.elements, strict=True)]
            return _Wrong() if any(isinstance(p, _Wrong) for p in parts) else tuple(parts)
        case tuple(), ListType():
            parts = [converted_constant(v, type.element) for v in value]
            return _Wrong() if any(isinstance(p, _Wrong) for p in parts) else tuple(parts)
        case str(), _ if type == DEVICE:
            return _device(value)
        case bool() | int(), _ if type == FLOAT:
            return float(value)
        case bool(), _ if type == INT:
            return int(value)
        case EnumMember(), _ if type in (INT, FLOAT, STR) and value.type.info.kind:
            return converted_constant(value.value, type)
        case _, TensorType():
            return value if is_array(value) else _Wrong()
    if type == ANY:
        return value
    return value if constant_type(value) == type else _Wrong()
