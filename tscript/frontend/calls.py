"""Calls of the language: operators, tensor methods, scripted functions, builtins.

`_CALLS` maps a class of meaning to the function that lowers its call, `_BUILTINS` a builtin object to its own.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from tscript.frontend import errors, type_errors
from tscript.frontend.annotations import annotation_type
from tscript.frontend.lowering import Abandoned
from tscript.frontend.meanings import (
    ForkMeaning,
    FunctionMeaning,
    KnownMeaning,
    LeafMeaning,
    Meaning,
    OperatorMeaning,
    PythonMeaning,
    WaitMeaning,
)
from tscript.frontend.methods import lower_method
from tscript.frontend.names import describe
from tscript.frontend.scopes import Bound, article, conversion_help, shown, weaken
from tscript.frontend.signature import in_source_order, match_arguments, refuse_stars
from tscript.ir.graph import Call, Fork, Value
from tscript.ops.futures import WAIT
from tscript.ops.opdef import OperatorTypeError
from tscript.types import BOOL, FLOAT, INT, STR, FutureType, SizeType, TensorType, TupleType, Type

if TYPE_CHECKING:
    from tscript.diagnostics import Span
    from tscript.frontend.language import LanguageLowering
    from tscript.frontend.source import PythonFunction


def lower_call(lowering: LanguageLowering, node: ast.Call) -> Value:
    """The value of a call."""
    meaning = lowering.static(node.func)
    if meaning is not None:
        handler = _CALLS.get(type(meaning))
        if handler is None:
            instead = "call a function"
            raise lowering.failure(type_errors.NotCallable(lowering.span(node.func), describe(meaning), instead))
        return handler(lowering, node, meaning)
    if isinstance(node.func, ast.Attribute):
        return _method(lowering, node, node.func)
    found = article(lowering.value(node.func).type)
    instead = "functions are called by their name; they are no values"
    raise lowering.failure(type_errors.NotCallable(lowering.span(node.func), found, instead))


def operator_argument(lowering: LanguageLowering, node: ast.expr) -> Value:
    """An argument of an operator, where a list stands for a tuple."""
    if isinstance(node, ast.List | ast.Tuple) and not any(isinstance(e, ast.Starred) for e in node.elts):
        return lowering.make_tuple([operator_argument(lowering, e) for e in node.elts], lowering.span(node))
    return lowering.value(node)


def _operator_call(
    lowering: LanguageLowering, node: ast.Call, name: str, first: Sequence[Value], written: str
) -> Value:
    refuse_stars(lowering, node)
    args = [*first, *(operator_argument(lowering, a) for a in node.args)]
    kwargs: dict[str, Value] = {}
    for keyword in node.keywords:
        assert keyword.arg is not None
        if keyword.arg in kwargs:
            raise lowering.failure(errors.RepeatedArgument(lowering.span(keyword), written, keyword.arg))
        kwargs[keyword.arg] = operator_argument(lowering, keyword.value)
    return lowering.apply(name, args, lowering.span(node), kwargs, written)


def _operator(lowering: LanguageLowering, node: ast.Call, meaning: OperatorMeaning) -> Value:
    return _operator_call(lowering, node, meaning.name, (), meaning.shown)


def _method(lowering: LanguageLowering, node: ast.Call, function: ast.Attribute) -> Value:
    return lower_method_of(lowering, node, lowering.value(function.value))


def lower_method_of(lowering: LanguageLowering, node: ast.Call, receiver: Value) -> Value:
    """The call of a method of a value."""
    function = node.func
    assert isinstance(function, ast.Attribute)
    name = function.attr
    methods = lowering.program.resolver.table.methods
    span = lowering.span(function)
    if isinstance(receiver.type, FutureType) and name == "wait" and not node.args and not node.keywords:
        return _waited(lowering, receiver, span)
    if not isinstance(receiver.type, TensorType):
        return lower_method(lowering, node, receiver)
    operator = methods.get(name)
    if operator is None:
        close = get_close_matches(name, methods, n=1)
        instead = f"did you mean '{close[0]}'?" if close else "it is not among the operators that can be compiled"
        raise lowering.failure(type_errors.NoAttribute(span, "Tensor", "method", name, instead))
    return _operator_call(lowering, node, operator, (receiver,), name)


def function_value(lowering: LanguageLowering, node: ast.expr) -> Callable[[Sequence[Value], Span], Value]:
    """A function that is called where it is written: a lambda, a function or a builtin by its name."""
    if isinstance(node, ast.Lambda):
        return _inline_lambda(lowering, node)

    def call(args: Sequence[Value], span: Span) -> Value:
        names = [lowering.fresh_hidden() for _ in args]
        for name, value in zip(names, args, strict=True):
            lowering.scope[name] = Bound(value, span)
        arguments: list[ast.expr] = [ast.copy_location(ast.Name(name, ast.Load()), node) for name in names]
        found = lower_call(lowering, ast.copy_location(ast.Call(node, arguments, []), node))
        for name in names:
            lowering.scope.pop(name, None)
        return found

    return call


def _inline_lambda(lowering: LanguageLowering, node: ast.Lambda) -> Callable[[Sequence[Value], Span], Value]:
    arguments = node.args
    names = [a.arg for a in (*arguments.posonlyargs, *arguments.args)]

    def call(args: Sequence[Value], span: Span) -> Value:
        if len(args) != len(names) or arguments.vararg or arguments.kwonlyargs or arguments.kwarg:
            problem = f"is called with {len(args)} argument{'' if len(args) == 1 else 's'}, and takes {len(names)}"
            raise lowering.failure(
                errors.BuiltinArguments(lowering.span(node), "lambda", problem, "give it as many parameters")
            )
        kept = {n: lowering.scope[n] for n in names if n in lowering.scope}
        for name, value in zip(names, args, strict=True):
            lowering.scope[name] = Bound(value, span)
        found = lowering.value(node.body)
        for name in names:
            lowering.scope.pop(name, None)
        lowering.scope.update(kept)
        return found

    return call


def _leaf(lowering: LanguageLowering, node: ast.Call, meaning: LeafMeaning) -> Value:
    refuse_stars(lowering, node)
    if node.keywords:
        raise lowering.failure(errors.StarredArgument(lowering.span(node.keywords[0]), "keywords"))
    args = [lowering.value(a) for a in node.args]
    span = lowering.span(node)
    try:
        found = meaning.op.type_rule(args)
    except (OperatorTypeError, IndexError) as error:
        raise lowering.failure(
            type_errors.OperatorRefused(span, str(error) or f"'{meaning.op.name}' misses an argument")
        ) from None
    return lowering.leaf(meaning.op, args, weaken(found), span)


def _known(lowering: LanguageLowering, node: ast.Call, meaning: KnownMeaning) -> Value:
    for argument in [*node.args, *(k.value for k in node.keywords)]:
        lowering.value(argument)
    return lowering.constant(meaning.result, lowering.span(node))


def _scripted(lowering: LanguageLowering, node: ast.Call, meaning: FunctionMeaning) -> Value:
    graph, inputs, result = _bound_call(lowering, node, meaning.function)
    return lowering.emit(Call(graph, inputs, result, lowering.span(node)))


def _bound_call(lowering: LanguageLowering, node: ast.Call, function: PythonFunction) -> tuple[str, list[Value], Type]:
    """A call of a scripted function: its graph, one input per parameter, the type of its result."""
    span = lowering.span(node)
    instance = lowering.program.instance(function, span)
    if instance is None or not instance.signature.valid:
        raise Abandoned
    given = match_arguments(lowering, node, function, instance.signature)
    values: dict[int, Value] = {}
    for i in in_source_order(given, node):
        argument = given[i]
        assert argument is not None
        declared = instance.signature.parameters[i].type
        values[i] = lowering.value(argument) if declared is None else lowering.value_as(argument, declared)
    inputs: list[Value] = []
    for i, parameter in enumerate(instance.signature.parameters):
        wanted = parameter.type
        assert wanted is not None
        argument = given[i]
        if argument is None:
            inputs.append(lowering.const(parameter.default, wanted, span))
            continue
        at = lowering.span(argument)
        value = lowering.coerce(values[i], wanted, at)
        if value is None:
            found = values[i].type
            raise lowering.failure(
                errors.ArgumentType(
                    at,
                    function.name,
                    parameter.name,
                    shown(wanted),
                    shown(found),
                    _argument_help(function.name, parameter.name, parameter.declared, found, wanted),
                )
            )
        inputs.append(value)
    result = instance.result
    if result is None:
        if instance.finished:
            raise Abandoned
        raise lowering.failure(errors.RecursionWithoutType(span, function.name, function.header))
    return instance.graph.name, inputs, result


def _fork(lowering: LanguageLowering, node: ast.Call, meaning: ForkMeaning) -> Value:
    """``fork(function, arguments)``."""
    refuse_stars(lowering, node)
    span = lowering.span(node)
    if not node.args:
        problem, instead = "takes a function first", "fork(f, x) runs f(x)"
        raise lowering.failure(errors.BuiltinArguments(span, "fork", problem, instead))
    first = node.args[0]
    target = lowering.static(first)
    if not isinstance(target, FunctionMeaning):
        found = article(lowering.value(first).type) if target is None else describe(target)
        instead = "write a function that does it, and fork that"
        at = lowering.span(first)
        raise lowering.failure(errors.BuiltinArguments(at, "fork", f"takes a function first, not {found}", instead))
    called = ast.copy_location(ast.Call(first, node.args[1:], node.keywords), node)
    graph, inputs, result = _bound_call(lowering, called, target.function)
    if has_text(result):
        problem, instead = f"cannot give a Future of {article(result)}: texts are constants", "return a number instead"
        raise lowering.failure(errors.BuiltinArguments(span, "fork", problem, instead))
    return lowering.emit(Fork(graph, inputs, FutureType(result), span))


def has_text(type: Type) -> bool:
    """Whether values of `type` hold a text."""
    return type == STR or (isinstance(type, TupleType) and any(map(has_text, type.elements)))


def _wait(lowering: LanguageLowering, node: ast.Call, meaning: WaitMeaning) -> Value:
    """``wait(future)``."""
    (value,) = _arguments(lowering, node, "wait", 1, 1)
    return _waited(lowering, value, lowering.span(node))


def _waited(lowering: LanguageLowering, value: Value, span: Span) -> Value:
    if not isinstance(value.type, FutureType):
        problem, instead = f"takes a Future, not {article(value.type)}", "fork(f, x) gives one"
        raise lowering.failure(errors.BuiltinArguments(span, "wait", problem, instead))
    return lowering.leaf(WAIT, [value], value.type.value, span)


def _argument_help(function: str, name: str, declared: bool, found: Type, wanted: Type) -> str:
    if not declared:
        return f"a parameter without annotation is a Tensor: annotate it in '{function}': '{name}: {shown(found)}'"
    return conversion_help(found, wanted)


# ---- builtins


def _python(lowering: LanguageLowering, node: ast.Call, meaning: PythonMeaning) -> Value:
    handler = _BUILTINS.get(meaning.value)
    if handler is None:
        name = getattr(meaning.value, "__name__", str(meaning.value))
        instead = _BUILTIN_HELP.get(meaning.value, "leave it out, or do it in the caller")
        raise lowering.failure(errors.UnsupportedBuiltin(lowering.span(node.func), name, instead))
    refuse_stars(lowering, node)
    return handler(lowering, node)


def _arguments(lowering: LanguageLowering, node: ast.Call, name: str, low: int, high: int) -> list[Value]:
    """The positional arguments of a builtin, between `low` and `high` of them."""
    if node.keywords:
        problem = "takes no keyword arguments here"
        raise lowering.failure(
            errors.BuiltinArguments(lowering.span(node.keywords[0]), name, problem, "give them by position")
        )
    count = len(node.args)
    if not low <= count <= high:
        wanted = f"{low}" if low == high else f"{low} to {high}" if high < 100 else f"{low} or more"
        problem = f"takes {wanted} argument{'' if wanted == '1' else 's'}, {count} given"
        raise lowering.failure(errors.BuiltinArguments(lowering.span(node), name, problem, f"see Python's {name}()"))
    return [lowering.value(a) for a in node.args]


def _plain(name: str, low: int, high: int) -> Callable[[LanguageLowering, ast.Call], Value]:
    """A builtin that is an operator of the same name."""

    def lower(lowering: LanguageLowering, node: ast.Call) -> Value:
        return lowering.apply(name, _arguments(lowering, node, name, low, high), lowering.span(node))

    return lower


def _len(lowering: LanguageLowering, node: ast.Call) -> Value:
    (value,) = _arguments(lowering, node, "len", 1, 1)
    span = lowering.span(node)
    match value.type:
        case TupleType(elements=elements):
            return lowering.const(len(elements), INT, span)
        case SizeType() | TensorType():
            return lowering.apply("len", [value], span)
    if isinstance(value.constant, str):
        return lowering.const(len(value.constant), INT, span)
    problem, instead = f"does not take {article(value.type)}", "tensors, tuples and shapes have a length"
    raise lowering.failure(errors.BuiltinArguments(span, "len", problem, instead))


def _bool(lowering: LanguageLowering, node: ast.Call) -> Value:
    values = _arguments(lowering, node, "bool", 0, 1)
    span = lowering.span(node)
    return lowering.truth(values[0], span) if values else lowering.const(False, BOOL, span)


def _int(lowering: LanguageLowering, node: ast.Call) -> Value:
    values = _arguments(lowering, node, "int", 0, 1)
    span = lowering.span(node)
    if not values:
        return lowering.const(0, INT, span)
    text = values[0].constant
    if isinstance(text, str):
        try:
            return lowering.constant(int(text), span)
        except ValueError:
            raise lowering.failure(type_errors.InvalidText(span, text, "an int")) from None
    return lowering.apply("int", values, span)


def _float(lowering: LanguageLowering, node: ast.Call) -> Value:
    values = _arguments(lowering, node, "float", 0, 1)
    span = lowering.span(node)
    if not values:
        return lowering.const(0.0, FLOAT, span)
    text = values[0].constant
    if isinstance(text, str):
        try:
            return lowering.const(float(text), FLOAT, span)
        except ValueError:
            raise lowering.failure(type_errors.InvalidText(span, text, "a float")) from None
    return lowering.apply("float", values, span)


def _extremum(name: str, tensor_name: str) -> Callable[[LanguageLowering, ast.Call], Value]:
    """``min`` and ``max`` of two or more numbers, or of a tuple of them."""

    def lower(lowering: LanguageLowering, node: ast.Call) -> Value:
        values = _arguments(lowering, node, name, 1, 1000)
        span = lowering.span(node)
        if len(values) == 1 and isinstance(values[0].type, TupleType) and values[0].type.elements:
            values = lowering.tuple_elements(values[0], span)
        for i, value in enumerate(values):
            if value.type not in (INT, FLOAT, BOOL) or len(values) == 1:
                instead = f"it takes two or more numbers; for tensors use x.{name}() or torch.{tensor_name}(x, y)"
                at = lowering.span(node.args[i]) if i < len(node.args) else span
                raise lowering.failure(
                    errors.BuiltinArguments(at, name, f"does not take {article(value.type)}", instead)
                )
        out = values[0]
        for value in values[1:]:
            out = lowering.apply(name, [out, value], span)
        return out

    return lower


def _round(lowering: LanguageLowering, node: ast.Call) -> Value:
    values = _arguments(lowering, node, "round", 1, 2)
    return lowering.apply("round", values, lowering.span(node))


def _tuple(lowering: LanguageLowering, node: ast.Call) -> Value:
    values = _arguments(lowering, node, "tuple", 0, 1)
    span = lowering.span(node)
    if not values:
        return lowering.make_tuple([], span)
    if isinstance(values[0].type, TupleType | SizeType):
        return values[0]
    problem, instead = f"does not take {article(values[0].type)}", "write the elements out: (a, b)"
    raise lowering.failure(errors.BuiltinArguments(span, "tuple", problem, instead))


def _isinstance(lowering: LanguageLowering, node: ast.Call) -> Value:
    if len(node.args) != 2 or node.keywords:
        problem = f"takes 2 arguments, {len(node.args) + len(node.keywords)} given"
        raise lowering.failure(
            errors.BuiltinArguments(lowering.span(node), "isinstance", problem, "see Python's isinstance()")
        )
    value, span = lowering.value(node.args[0]), lowering.span(node)
    classes = node.args[1]
    found = weaken(value.type)
    for written in classes.elts if isinstance(classes, ast.Tuple) else [classes]:
        meaning = lowering.static(written)
        if isinstance(meaning, PythonMeaning) and meaning.value is tuple:
            if isinstance(found, TupleType | SizeType):
                return lowering.const(True, BOOL, span)
            continue
        type = annotation_type(lowering.context, lowering.function, written)
        if type is None:
            raise Abandoned
        if type == found or (type == INT and found == BOOL):
            return lowering.const(True, BOOL, span)
    return lowering.const(False, BOOL, span)


def _range(lowering: LanguageLowering, node: ast.Call) -> Value:
    instead = "it stands only in a loop: 'for i in range(n):'"
    raise lowering.failure(errors.UnsupportedBuiltin(lowering.span(node.func), "range", instead))


_BUILTINS: dict[Any, Callable[[LanguageLowering, ast.Call], Value]] = {
    abs: _plain("abs", 1, 1),
    bool: _bool,
    divmod: _plain("divmod", 2, 2),
    float: _float,
    int: _int,
    isinstance: _isinstance,
    len: _len,
    max: _extremum("max", "maximum"),
    min: _extremum("min", "minimum"),
    pow: _plain("pow", 2, 3),
    range: _range,
    round: _round,
    tuple: _tuple,
}

_BUILTIN_HELP: dict[Any, str] = {
    print: "return the value and print it in the caller",
    enumerate: "write 'for i in range(...):' and index with i",
    zip: "write 'for i in range(...):' and index with i",
    reversed: "write 'for i in range(n - 1, -1, -1):'",
    sum: "write the sum out, or use x.sum() on a tensor",
    list: "use a tuple or a tensor",
    dict: "keep each value in a name of its own",
    set: "use a tuple",
    sorted: "sort in the caller",
    any: "use x.any() on a tensor, or 'or'",
    all: "use x.all() on a tensor, or 'and'",
    map: "write a loop",
    filter: "write a loop with 'if'",
    str: "texts are constants only",
    repr: "texts are constants only",
    type: "use isinstance(x, T), which is answered when the function is compiled",
    hasattr: "types are known when the function is compiled: leave it out",
    getattr: "write the attribute: x.name",
    input: "take the value as a parameter",
    open: "read the file in the caller",
    complex: "complex numbers cannot be compiled yet",
}

_CALLS: dict[type[Meaning], Callable[[LanguageLowering, ast.Call, Any], Value]] = {
    OperatorMeaning: _operator,
    LeafMeaning: _leaf,
    KnownMeaning: _known,
    FunctionMeaning: _scripted,
    ForkMeaning: _fork,
    WaitMeaning: _wait,
    PythonMeaning: _python,
}
