"""Calls of methods, dispatched on the class of the receiver."""

from __future__ import annotations

import ast
from collections.abc import Collection, Sequence

from tscript.definitions.absent import REQUIRED
from tscript.diagnostics import Span
from tscript.frontend.diagnostics import class_errors, errors, type_errors
from tscript.frontend.diagnostics.abandoned import Abandoned
from tscript.frontend.diagnostics.type_names import article
from tscript.frontend.lowering import calls, common, conversions, keywords, receivers
from tscript.frontend.lowering.arguments import in_source_order, match_arguments
from tscript.frontend.lowering.function import FunctionLowering
from tscript.frontend.lowering.merging import merge
from tscript.frontend.lowering.program import Instance
from tscript.frontend.lowering.receivers import (
    assume,
    definition_of,
    is_exact,
    named,
    placed,
    usable_or_reading,
    values_named,
)
from tscript.frontend.source.classes import ClassDefinition, Method, MethodSymbol
from tscript.ir.graph import Call, Unreachable, Value
from tscript.operators.python.conversions import IS_INSTANCE
from tscript.types import BOOL, TYPE, ClassType, ListType, TupleType, Type, is_subtype
from tscript.types.inference import is_open


def call_static(lowering: FunctionLowering, node: ast.Call, owner: ClassDefinition, method: Method) -> Value:
    """A call of a static or class method."""
    if method.mark == "ignore" and method.kind != "class":
        return calls.python_method(lowering, node, method, owner.type if method.kind == "method" else None)
    method, node = keywords.of_method(lowering, method, node)
    instance = calls.instance_of(lowering, owner, method, lowering.span(node), node)
    return _emit(lowering, node, instance)


def call_directly(
    lowering: FunctionLowering, node: ast.Call, owner: ClassDefinition, method: Method, receiver: Value
) -> Value:
    """A call of one method, whatever class the receiver is of."""
    if method.mark == "ignore":
        with values_named(lowering, [receiver], node.func) as names:
            call = ast.copy_location(ast.Call(node.func, [*names, *node.args], node.keywords), node)
            return calls.python_method(lowering, call, method, receiver.type)
    method, node = keywords.of_method(lowering, method, node)
    instance = calls.instance_of(lowering, owner, method, lowering.span(node), node, 1)
    with values_named(lowering, [receiver], node.func) as names:
        return _emit(
            lowering, ast.copy_location(ast.Call(node.func, [*names, *node.args], node.keywords), node), instance
        )


def _emit(lowering: FunctionLowering, node: ast.Call, instance: Instance) -> Value:
    graph, inputs, result = calls.bound_to(lowering, node, instance.function, instance)
    return lowering.emit(Call(graph, inputs, result, lowering.span(node)))


def call_method(
    lowering: FunctionLowering,
    node: ast.Call,
    definition: ClassDefinition,
    name: str,
    receiver: Value,
    *,
    exact: bool = False,
) -> Value:
    """A call of a method by name, dispatched on the class of the receiver."""
    found = definition.method(name)
    assert found is not None
    owner, method = found
    if not isinstance(receiver.type, ClassType):
        return call_directly(lowering, node, owner, method, receiver)
    others: list[tuple[ClassDefinition, Method]] = []
    if not exact:
        assume(definition, name)
        others = [(d, d.methods[name]) for d in definition.known_derived if name in d.methods]
    if not others:
        return call_directly(lowering, node, owner, method, receiver)
    return _dispatch(lowering, node, owner, method, receiver, others)


def _dispatch(
    lowering: FunctionLowering,
    node: ast.Call,
    owner: ClassDefinition,
    method: Method,
    receiver: Value,
    others: list[tuple[ClassDefinition, Method]],
) -> Value:
    span = lowering.span(node)
    base = calls.instance_of(lowering, owner, method, span)
    if not base.signature.valid:
        raise Abandoned
    targets = [(d, m, calls.instance_of(lowering, d, m, span)) for d, m in others]
    skip_base = method.is_abstract
    result = base.result
    if skip_base or (base.finished and base.returns.first is None and base.returns.declared is None):
        returning = [
            t for _, _, t in targets if not (t.finished and t.returns.first is None and t.returns.declared is None)
        ]
        result = returning[0].result if returning else result
        if base.returns.declared is not None:
            result = base.result
    if result is None:
        raise lowering.failure(errors.RecursionWithoutType(span, base.function.name, base.function.header))
    wanted = result
    with values_named(lowering, [receiver], node.func) as (first,):
        call = _with_values(
            lowering, ast.copy_location(ast.Call(node.func, [first, *node.args], node.keywords), node), base
        )

        def run(instance: Instance, definition: ClassDefinition) -> Value:
            args = list(call.args)
            if definition is not owner:
                args[0] = named(lowering, conversions.narrow(lowering, receiver, definition.type, span), node.func)
            _check_override(lowering, base, instance, definition, owner, span, {k.arg for k in node.keywords})
            value = _emit(lowering, ast.copy_location(ast.Call(call.func, args, call.keywords), node), instance)
            converted = lowering.coerce(value, wanted, span)
            if converted is None:
                if _raises_only(instance):
                    lowering.block.nodes.append(Unreachable(span))
                    return value
                why = f"it gives {article(value.type)}, not {article(wanted)}"
                raise lowering.failure(
                    class_errors.OverrideDiffers(
                        instance.function.header,
                        f"{definition.name}.{instance.function.name}",
                        f"{owner.name}.{base.function.name}",
                        why,
                        "give both the same result type",
                        span,
                    )
                )
            return converted

        def choose(position: int) -> Value:
            if position == len(targets):
                return run(base, owner)
            definition, _, instance = targets[position]
            if position + 1 == len(targets) and skip_base:
                return run(instance, definition)
            test = lowering.leaf(IS_INSTANCE, [receiver, lowering.const(definition.type, TYPE, span)], BOOL, span)
            then = lowering.branch(lambda: run(instance, definition))
            orelse = lowering.branch(lambda: choose(position + 1))
            out = merge(lowering, test, then, orelse, span, wanted)
            if out is None:
                raise Abandoned
            return out

        found = choose(0)
        for name in call.args:
            if isinstance(name, ast.Name) and name.id.startswith("."):
                lowering.scope.pop(name.id, None)
    return found


def _raises_only(instance: Instance) -> bool:
    return instance.finished and instance.returns.first is None and instance.returns.declared is None


def _with_values(lowering: FunctionLowering, node: ast.Call, instance: Instance) -> ast.Call:
    """A call whose arguments are values of the declared types."""
    given = match_arguments(lowering, node, instance.function, instance.signature)
    values: dict[int, ast.expr] = {}
    for i in in_source_order(given, node):
        argument, parameter = given[i], instance.signature.parameters[i]
        assert argument is not None
        if parameter.variadic:
            continue
        value = lowering.value(argument) if parameter.type is None else lowering.value_as(argument, parameter.type)
        values[id(argument)] = named(lowering, value, argument)
    args = [values.get(id(a), a) for a in node.args]
    keywords = [ast.copy_location(ast.keyword(k.arg, values.get(id(k.value), k.value)), k) for k in node.keywords]
    return ast.copy_location(ast.Call(node.func, args, keywords), node)


def _check_override(
    lowering: FunctionLowering,
    base: Instance,
    instance: Instance,
    definition: ClassDefinition,
    owner: ClassDefinition,
    span: Span,
    by_name: Collection[str | None],
) -> None:
    if instance is base:
        return
    ours, theirs = base.signature.parameters[1:], instance.signature.parameters[1:]
    names, others = [p.name for p in ours], [p.name for p in theirs]
    renamed = any(
        a.name != b.name and (not a.positional or a.name in by_name) for a, b in zip(ours, theirs, strict=False)
    )
    if (
        renamed
        or len(others) < len(names)
        or any(p.default is REQUIRED for p in theirs[len(names) :] if not p.variadic)
    ):
        why = f"it takes ({', '.join(others)}), not ({', '.join(names)})"
    else:
        wrong = next(
            (
                (a, b)
                for a, b in zip(ours, theirs, strict=False)
                if a.type is not None and b.type is not None and not is_subtype(a.type, b.type)
            ),
            None,
        )
        if wrong is None:
            return
        assert wrong[0].type is not None and wrong[1].type is not None
        why = f"'{wrong[0].name}' is {article(wrong[1].type)}, not {article(wrong[0].type)}"
    raise lowering.failure(
        class_errors.OverrideDiffers(
            instance.function.header,
            f"{definition.name}.{instance.function.name}",
            f"{owner.name}.{base.function.name}",
            why,
            "give both the same parameters",
            span,
        )
    )


def special_call(
    lowering: FunctionLowering, value: Value, name: str, args: Sequence[Value], span: Span
) -> Value | None:
    """The call of a special method that a class defines; None if it has none, or if that does not take the
    arguments."""
    definition = definition_of(value)
    if definition is None:
        return None
    usable_or_reading(lowering, definition)
    found = definition.method(name)
    if found is None:
        return None
    if name == "__exit__":
        args = [args[1], args[1], args[2]]
    node = placed(lowering, span)
    instance = calls.instance_of(lowering, *found, span)
    parameters = instance.signature.parameters[1:]
    for argument, parameter in zip(args, parameters, strict=False):
        wanted = parameter.type
        if wanted is None:
            raise Abandoned
        if parameter.variadic and isinstance(wanted, ListType):
            wanted = wanted.element
        if not takes(argument.type, wanted):
            return None
    with values_named(lowering, args, node) as names:
        call = ast.copy_location(ast.Call(node.func, list(names), []), node)
        return call_method(lowering, call, definition, name, value, exact=is_exact(value))


def takes(found: Type, wanted: Type) -> bool:
    """Whether a value of a type may be an argument where another type is declared."""
    return (
        is_subtype(found, wanted)
        or (found, wanted) in common.IMPLICIT
        or is_open(found)
        or (isinstance(found, TupleType) and isinstance(wanted,
                                                        TupleType) and len(found.elements) == len(wanted.elements)
            and all(map(takes, found.elements, wanted.elements)))
    )  # fmt: skip


def call_of_class(lowering: FunctionLowering, node: ast.Call, symbol: MethodSymbol) -> Value:
    """``Class.name(...)``."""
    definition, method = symbol.definition, symbol.method
    receivers.usable_or_reading(lowering, definition)
    if method.kind == "property":
        instead = f"read it from an instance: 'x.{method.name}'"
        raise lowering.failure(
            type_errors.NotCallable(lowering.span(node.func), f"the property '{method.name}'", instead)
        )
    return call_static(lowering, node, definition, method)
