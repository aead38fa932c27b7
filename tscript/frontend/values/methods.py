"""Methods of strings, bytes, lists, dicts, sets and tuples: operators whose first parameter is of that kind."""

from __future__ import annotations

import ast

from tscript.abi.python import PYTHON
from tscript.definitions.rules import receiver_types
from tscript.frontend.diagnostics import container_errors, elsewhere, errors, type_errors
from tscript.frontend.diagnostics.advice import narrowing
from tscript.frontend.diagnostics.type_names import kind_of_receiver, shown
from tscript.frontend.lowering import holding, iterables, method_names
from tscript.frontend.lowering.arguments import refuse_stars, wrong
from tscript.frontend.lowering.conversions import as_sequence
from tscript.frontend.lowering.function import FunctionLowering
from tscript.frontend.lowering.method_names import methods_of, missing
from tscript.ir.graph import Value
from tscript.types import (
    NEVER,
    NONE,
    ListType,
    SetType,
    TupleType,
    members_of,
)
from tscript.types.inference import is_open, is_open_within


def lower_method(lowering: FunctionLowering, node: ast.Call, receiver: Value) -> Value:
    """A call of a method of a value that is neither a tensor nor an instance."""
    assert isinstance(node.func, ast.Attribute)
    name, kind = node.func.attr, kind_of_receiver(receiver.type)
    if isinstance(receiver.type, TupleType) and name in ("index", "count"):
        receiver = as_sequence(lowering, receiver, lowering.span(node))
    special = lowering.kind(receiver).methods().get(name)
    if special is not None:
        refuse_stars(lowering, node)
        found = special(lowering, node, receiver)
        if found is not None:
            return found
    candidates = methods_of(lowering, kind).get(name, [])
    if not candidates:
        raise _no_method(lowering, node, receiver, name, kind)
    refuse_stars(lowering, node)
    args = [receiver]
    for i, argument in enumerate(node.args):
        kinds = {op.schema.parameters[i + 1].kind for op in candidates if len(op.schema.parameters) > i + 1}
        args.append(_argument(lowering, argument, receiver, kinds))
    kwargs = {}
    for keyword in node.keywords:
        assert keyword.arg is not None
        _check_keyword(lowering, keyword, kind, name)
        kinds = {p.kind for op in candidates for p in op.schema.parameters if p.name == keyword.arg}
        kwargs[keyword.arg] = _argument(lowering, keyword.value, receiver, kinds)
    return lowering.apply(name, args, lowering.span(node), kwargs, f"{kind}.{name}")


_KEYWORDS = frozenset({"split", "rsplit", "splitlines", "expandtabs", "encode", "decode", "hex"})
"""The methods that take keyword arguments in Python."""


def _check_keyword(lowering: FunctionLowering, keyword: ast.keyword, kind: str, name: str) -> None:
    """Refuse a keyword argument that Python refuses."""
    if name in _KEYWORDS:
        return
    if (kind, name, keyword.arg) == ("str", "replace", "count"):
        if PYTHON >= 313:
            return
        raise wrong(lowering, keyword, "str.replace", "takes 'count' by name since Python 3.13", "give it by position")
    raise wrong(lowering, keyword, f"{kind}.{name}", "takes no keyword arguments", "give them by position")


def _argument(lowering: FunctionLowering, node: ast.expr, receiver: Value, kinds: set[str]) -> Value:
    """An argument of a method; an element is converted to the element type of the container."""
    if len(kinds) == 1:
        (kind,) = kinds
        known = receiver_types(receiver.type).get(kind)
        if known is not None and kind != "self" and known != NEVER:
            given = lowering.value_as(node, known)
            if isinstance(receiver.type, ListType) and is_open_within(receiver.type):
                lowering.settle(receiver, ListType(given.type))
            return holding.element(
                lowering,
                node,
                given,
                known,
                "key" if kind == "K" else shown(receiver.type),
            )
        if known is not None and kind == "self":
            value = lowering.value_as(node, known)
            lowering.settle(value, known)
            lowering.settle(receiver, value.type)
            return value
        value = lowering.value(node)
        _settle_by(lowering, receiver, kind, value, node)
        return value
    return lowering.value(node)


def _settle_by(lowering: FunctionLowering, receiver: Value, kind: str, value: Value, node: ast.expr) -> None:
    """Infer the type of an empty container from the first element."""
    if not is_open(receiver.type) or kind not in ("T", "K", "V"):
        return
    match receiver.type:
        case ListType():
            lowering.settle(receiver, ListType(value.type))
        case SetType():
            lowering.settle(receiver, SetType(holding.hashable(lowering, value.type, lowering.span(node))))


def _no_method(lowering: FunctionLowering, node: ast.Call, receiver: Value, name: str, kind: str) -> Exception:
    nothing = container_errors.nothing_said([receiver], lowering.span(node.func))
    if nothing is not None:
        return lowering.failure(nothing)
    names = [
        *method_names.number_methods(receiver.type),
        *methods_of(lowering, kind),
        *lowering.kind(receiver).methods(),
    ]
    assert isinstance(node.func, ast.Attribute)
    instead = ""
    if NONE in members_of(receiver.type):
        instead = elsewhere.gives_none(lowering.function.tree, node.func.value)
    instead = instead or narrowing([receiver.type])
    if not instead and receiver.type != NONE:
        instead = missing(lowering, node.func.value, kind, name, names)
    return lowering.failure(
        type_errors.NoAttribute(lowering.span(node.func), shown(receiver.type), "method", name, instead)
    )


# ---- methods that take what a loop can go over


def only(lowering: FunctionLowering, node: ast.Call, name: str) -> ast.expr:
    if len(node.args) != 1 or node.keywords:
        problem = f"takes one argument, {len(node.args) + len(node.keywords)} given"
        raise lowering.failure(errors.BuiltinArguments(lowering.span(node), name, problem, f"see Python's {name}()"))
    return node.args[0]


def is_value(lowering: FunctionLowering, node: ast.expr) -> bool:
    """Whether an argument is a value, not an iterator."""
    if isinstance(node, ast.GeneratorExp):
        return False
    return not iterables.is_iterator(lowering, node)
