"""Methods of strings, bytes, lists, dicts, sets and tuples: operators whose first parameter is of that kind."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import TYPE_CHECKING

from tscript.abi.python import PYTHON
from tscript.diagnostics.suggest import meant
from tscript.frontend.diagnostics import container_errors, elsewhere, errors, type_errors
from tscript.frontend.diagnostics.advice import narrowing
from tscript.frontend.diagnostics.type_names import kind_of_receiver, shown
from tscript.frontend.lowering import sources
from tscript.frontend.lowering.arguments import call_function, refuse_stars, wrong
from tscript.frontend.lowering.hints import unannotated
from tscript.frontend.values import builtins, conversions, displays, enums, library, tuples
from tscript.frontend.values import strings as texts
from tscript.ir.graph import Value
from tscript.operators.core.define import receiver_types
from tscript.operators.core.opdef import Native, OpDef
from tscript.operators.core.table import OperatorTable
from tscript.operators.python.functions import strings
from tscript.operators.python.functions.containers import update_dict
from tscript.types import (
    NEVER,
    NONE,
    DictType,
    EnumType,
    ListType,
    SetType,
    TupleType,
    Type,
    members_of,
)
from tscript.types.inference import is_open, is_open_within

if TYPE_CHECKING:
    from tscript.diagnostics import Span
    from tscript.frontend.language import LanguageLowering


ATTRIBUTES: dict[str, str] = {"shape": "size", "ndim": "dim", "dtype": "dtype", "T": "T", "mT": "mT"}
"""Attributes of tensors that are operators; `H` and `data` are not."""


def lower_method(lowering: LanguageLowering, node: ast.Call, receiver: Value) -> Value:
    """A call of a method of a value that is no tensor and no instance of a class."""
    assert isinstance(node.func, ast.Attribute)
    name, kind = node.func.attr, kind_of_receiver(receiver.type)
    number = library.number_method(lowering, node, receiver)
    if number is not None:
        return number
    if isinstance(receiver.type, TupleType) and name in ("index", "count"):
        receiver = as_sequence(lowering, receiver, lowering.span(node))
    special = _SPECIAL.get((kind, name))
    if special is not None:
        refuse_stars(lowering, node)
        found = special(lowering, node, receiver)
        if found is not None:
            return found
    found = tuples.method(lowering, node, receiver)
    if found is not None:
        return found
    if isinstance(receiver.type, EnumType) and receiver.type.info.kind == "str":
        return lower_method(lowering, node, enums.plain(lowering, receiver, lowering.span(node)))
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
"""The methods among the operators of which Python takes arguments by name."""


def _check_keyword(lowering: LanguageLowering, keyword: ast.keyword, kind: str, name: str) -> None:
    """Refuse an argument by name that Python refuses."""
    if name in _KEYWORDS:
        return
    if (kind, name, keyword.arg) == ("str", "replace", "count"):
        if PYTHON >= 313:
            return
        raise wrong(lowering, keyword, "str.replace", "takes 'count' by name since Python 3.13", "give it by position")
    raise wrong(lowering, keyword, f"{kind}.{name}", "takes no keyword arguments", "give them by position")


def as_sequence(lowering: LanguageLowering, value: Value, span: Span) -> Value:
    """A tuple whose elements are all of one type as a ``tuple[T, ...]``; any other value itself."""
    if isinstance(value.type, TupleType) and len(set(value.type.elements)) == 1:
        found = lowering.coerce(value, ListType(value.type.elements[0], frozen=True), span)
        return value if found is None else found
    return value


def methods_of(lowering: LanguageLowering, kind: str) -> dict[str, list[OpDef]]:
    """The operators that are methods of a kind of receiver, by name."""
    return _methods_of(lowering.program.resolver.table, kind)


@lru_cache(maxsize=64)
def _methods_of(table: OperatorTable, kind: str) -> dict[str, list[OpDef]]:
    found: dict[str, list[OpDef]] = {}
    wanted = "list" if kind == "tuple" else kind
    for op in table.operators:
        if (
            kind
            and isinstance(op.implementation, Native)
            and op.schema.parameters
            and op.schema.overload.partition("_")[0] == wanted
            and (op.schema.name not in NOT_METHODS or (kind, op.schema.name) == ("set", "add"))
            and (kind != "tuple" or op.schema.name in ("index", "count"))
        ):
            found.setdefault(op.schema.name, []).append(op)
    return found


NOT_METHODS = frozenset(
    {
        *(
            "add",
            "sub",
            "mul",
            "div",
            "floor_divide",
            "remainder",
            "pow",
            "eq",
            "ne",
            "lt",
            "le",
            "gt",
            "ge",
            "iadd",
            "imul",
        ),
        *(
            "getitem",
            "setitem",
            "delitem",
            "slice",
            "set_slice",
            "delete_slice",
            "len",
            "contains",
            "bool",
            "int",
            "float",
            "str",
        ),
        *(
            "bitwise_and",
            "bitwise_or",
            "bitwise_xor",
            "min",
            "max",
            "sum",
            "sorted",
            "argsort",
            "argmin",
            "argmax",
            "permute",
        ),
        *(
            "next_entry",
            "entry_key",
            "entry_value",
            "set",
            "list",
            "dict",
            "to_tuple",
            "format",
            "repr",
            "hash",
            "ord",
            "chr",
        ),
        *(
            "ascii",
            "print",
            "percent_format",
            "to_list",
            "to_set",
            "to_dict",
            "take",
            "ior",
            "iand",
            "isub",
            "ixor",
            "fromkeys",
        ),
    }
)
"""Operators over strings and containers that are signs and builtins."""


def _argument(lowering: LanguageLowering, node: ast.expr, receiver: Value, kinds: set[str]) -> Value:
    """An argument of a method; one that goes into the container is made what the container holds."""
    if len(kinds) == 1:
        (kind,) = kinds
        known = receiver_types(receiver.type).get(kind)
        if known is not None and kind != "self" and known != NEVER:
            given = displays.lower_as(lowering, node, known)
            if isinstance(receiver.type, ListType) and is_open_within(receiver.type):
                lowering.settle(receiver, ListType(given.type))
            return displays.element(
                lowering,
                node,
                given,
                known,
                "key" if kind == "K" else shown(receiver.type),
            )
        if known is not None and kind == "self":
            value = displays.lower_as(lowering, node, known)
            lowering.settle(value, known)
            lowering.settle(receiver, value.type)
            return value
        value = lowering.value(node)
        _settle_by(lowering, receiver, kind, value, node)
        return value
    return lowering.value(node)


def _settle_by(lowering: LanguageLowering, receiver: Value, kind: str, value: Value, node: ast.expr) -> None:
    """Let the first element say what an empty container holds."""
    if not is_open(receiver.type) or kind not in ("T", "K", "V"):
        return
    match receiver.type:
        case ListType():
            lowering.settle(receiver, ListType(value.type))
        case SetType():
            lowering.settle(receiver, SetType(displays.hashable(lowering, value.type, lowering.span(node))))


def _no_method(lowering: LanguageLowering, node: ast.Call, receiver: Value, name: str, kind: str) -> Exception:
    nothing = container_errors.nothing_said([receiver], lowering.span(node.func))
    if nothing is not None:
        return lowering.failure(nothing)
    names = [
        *library.number_methods(receiver.type),
        *methods_of(lowering, kind),
        *(n for k, n in _SPECIAL if k == kind),
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


def missing(lowering: LanguageLowering, node: ast.expr | None, kind: str, name: str, names: Iterable[str]) -> str:
    """What to write for a method or attribute that a value does not have; empty where nothing is known.

    Args:
        lowering: Of the function around.
        node: The value as written, if it is.
        kind: What schemas call it, or "Tensor".
        name: What it does not have.
        names: What it has of that sort.
    """
    if kind == "Tensor" and isinstance(node, ast.Name):
        of = next((k for k in elsewhere.KINDS if name in methods_of(lowering, k)), "")
        if of and (found := unannotated(lowering.function, lowering.scope, node, elsewhere.KINDS[of])):
            return found
    if found := elsewhere.method(kind, name):
        return found
    close = meant(name, names)
    if not close and kind == "tuple":
        return "a tuple does not change and has no methods but 'count' and 'index'; use a list"
    return f"did you mean '{close}'?" if close else ""


# ---- methods that take what a loop can go over


def _only(lowering: LanguageLowering, node: ast.Call, name: str) -> ast.expr:
    if len(node.args) != 1 or node.keywords:
        problem = f"takes one argument, {len(node.args) + len(node.keywords)} given"
        raise lowering.failure(errors.BuiltinArguments(lowering.span(node), name, problem, f"see Python's {name}()"))
    return node.args[0]


def _is_value(lowering: LanguageLowering, node: ast.expr) -> bool:
    """Whether an argument is a value of its own, not something that only a loop goes over."""
    if isinstance(node, ast.GeneratorExp):
        return False
    return not sources.is_iterator(lowering, node)


def _extend(lowering: LanguageLowering, node: ast.Call, receiver: Value) -> Value | None:
    argument = _only(lowering, node, "list.extend")
    span = lowering.span(node)
    if _is_value(lowering, argument):
        value = displays.lower_as(lowering, argument, receiver.type)
        lowering.settle(receiver, value.type)
        lowering.settle(value, receiver.type)
        if value.type == receiver.type:
            return lowering.apply("extend", [receiver, value], span)
        source = sources.value_source(lowering, value, argument)
    else:
        source = sources.source_of(lowering, argument)
    displays.run_into(lowering, source, lambda x: displays.append(lowering, receiver, x, argument), argument)
    return lowering.constant(None, span)


def _get(lowering: LanguageLowering, node: ast.Call, receiver: Value) -> Value | None:
    """``d.get(key, None)`` is ``d.get(key)``."""
    last = node.args[-1] if len(node.args) == 2 else None
    if not isinstance(last, ast.Constant) or last.value is not None or node.keywords:
        return None
    plain = ast.copy_location(ast.Call(node.func, node.args[:1], []), node)
    return lower_method(lowering, plain, receiver)


def _index_of_tuple(lowering: LanguageLowering, node: ast.Call, receiver: Value) -> Value | None:
    """``t.index(x)``, whose message names a tuple."""
    if not isinstance(receiver.type, ListType) or node.keywords or not node.args:
        return None
    element = receiver.type.element
    item = displays.element(lowering, node.args[0], lowering.value(node.args[0]), element, "tuple")
    return lowering.apply(
        "tuple_index", [receiver, item, *(lowering.value(a) for a in node.args[1:])], lowering.span(node)
    )


def _setdefault(lowering: LanguageLowering, node: ast.Call, receiver: Value) -> Value | None:
    if is_open(receiver.type) and len(node.args) == 2:
        key, value = lowering.value(node.args[0]), lowering.value(node.args[1])
        lowering.settle(
            receiver, DictType(displays.hashable(lowering, key.type, lowering.span(node.args[0])), value.type)
        )
        return lowering.apply("setdefault", [receiver, key, value], lowering.span(node))
    return None


def _gather_set(name: str) -> Callable[[LanguageLowering, ast.Call, Value], Value | None]:
    """A method of sets that takes anything a loop can go over."""

    def lower(lowering: LanguageLowering, node: ast.Call, receiver: Value) -> Value | None:
        span = lowering.span(node)
        out = receiver
        in_place = name == "update" or name.endswith("_update")
        if not node.args:
            return lowering.constant(None, span) if in_place else lowering.apply("copy", [receiver], span)
        for argument in node.args:
            value = as_set(lowering, argument, receiver.type)
            lowering.settle(receiver, value.type)
            found = lowering.apply(name, [receiver if in_place else out, value], span)
            out = receiver if in_place else found
        return lowering.constant(None, span) if in_place else out

    return lower


def as_set(lowering: LanguageLowering, node: ast.expr, wanted: Type) -> Value:
    """What a loop can go over, as a set."""
    if _is_value(lowering, node):
        value = displays.lower_as(lowering, node, wanted)
        if isinstance(value.type, SetType):
            lowering.settle(value, wanted)
            return value
        source = sources.value_source(lowering, value, node)
    else:
        source = sources.source_of(lowering, node)
    out = lowering.make_set(wanted if isinstance(wanted, SetType) else SetType(NEVER), [], lowering.span(node))
    displays.run_into(lowering, source, lambda x: displays.add(lowering, out, x, node), node)
    return out


def _update_dict(lowering: LanguageLowering, node: ast.Call, receiver: Value) -> Value | None:
    span = lowering.span(node)
    assert isinstance(receiver.type, DictType)
    for argument in node.args[:1]:
        if _is_value(lowering, argument):
            value = displays.lower_as(lowering, argument, receiver.type)
            lowering.settle(receiver, value.type)
            lowering.settle(value, receiver.type)
            if value.type == receiver.type:
                lowering.apply("update", [receiver, value], span)
                continue
            if conversions.becomes(value.type, receiver.type):
                call_function(lowering, update_dict, [receiver, value], span)
                continue
            source = sources.value_source(lowering, value, argument)
        else:
            source = sources.source_of(lowering, argument)

        def store(pair: Value, at: ast.expr = argument) -> None:
            key, item = lowering.unpack(pair, 2, span)
            displays.put(lowering, receiver, key, item, at, at)

        displays.run_into(lowering, source, store, argument)
    for keyword in node.keywords:
        key = lowering.constant(keyword.arg, span)
        displays.put(lowering, receiver, key, lowering.value(keyword.value), keyword.value, keyword.value)
    return lowering.constant(None, span)


def _join(lowering: LanguageLowering, node: ast.Call, receiver: Value) -> Value | None:
    argument = _only(lowering, node, "str.join")
    if _is_value(lowering, argument):
        value = displays.lower_as(lowering, argument, ListType(receiver.type))
        lowering.settle(value, ListType(receiver.type))
        if value.type == ListType(receiver.type):
            return lowering.apply("join", [receiver, value], lowering.span(node))
        source = sources.value_source(lowering, value, argument)
    else:
        source = sources.source_of(lowering, argument)
    items = lowering.make_list(ListType(receiver.type), [], lowering.span(node))
    displays.run_into(lowering, source, lambda x: displays.append(lowering, items, x, argument), argument)
    return lowering.apply("join", [receiver, items], lowering.span(node))


def _sort(lowering: LanguageLowering, node: ast.Call, receiver: Value) -> Value | None:
    if node.args:
        raise wrong(lowering, node, "list.sort", "takes no arguments by position")
    builtins.sort(lowering, node, receiver, "list.sort")
    return lowering.constant(None, lowering.span(node))


def _views(what: str) -> Callable[[LanguageLowering, ast.Call, Value], Value | None]:
    def lower(lowering: LanguageLowering, node: ast.Call, receiver: Value) -> Value | None:
        instead = f"loop over it, or make a list: 'list({ast.unparse(node)})'"
        raise lowering.failure(
            errors.UnsupportedExpression(lowering.span(node), f"'.{what}()' of a dict as a value", instead)
        )

    return lower


_Special = Callable[["LanguageLowering", ast.Call, Value], "Value | None"]

_SPECIAL: dict[tuple[str, str], _Special] = {
    ("list", "extend"): _extend,
    ("dict", "setdefault"): _setdefault,
    ("dict", "update"): _update_dict,
    ("dict", "keys"): _views("keys"),
    ("dict", "values"): _views("values"),
    ("dict", "items"): _views("items"),
    ("str", "join"): _join,
    ("str", "format"): texts.lower_format,
    ("str", "format_map"): texts.lower_format_map,
    ("str", "startswith"): library.starts_or_ends(strings.starts_with_any, strings.bytes_start_with_any),
    ("str", "endswith"): library.starts_or_ends(strings.ends_with_any, strings.bytes_end_with_any),
    ("bytes", "startswith"): library.starts_or_ends(strings.starts_with_any, strings.bytes_start_with_any),
    ("bytes", "endswith"): library.starts_or_ends(strings.ends_with_any, strings.bytes_end_with_any),
    ("str", "translate"): library.translate,
    ("bytes", "hex"): library.bytes_hex,
    **{("bytes", name): library.byte_found for name in ("find", "rfind", "index", "rindex", "count")},
    ("list", "sort"): _sort,
    ("tuple", "index"): _index_of_tuple,
    ("dict", "get"): _get,
    ("bytes", "join"): _join,
    **{
        ("set", name): _gather_set(name)
        for name in (
            *("update", "union", "intersection", "difference", "symmetric_difference", "intersection_update"),
            *("difference_update", "symmetric_difference_update", "issubset", "issuperset", "isdisjoint"),
        )
    },
}
"""Methods whose arguments are no plain values; None: the operator of the same name does it after all."""
