"""`functools.lru_cache` and `cache` around an inner function: the cache is a dict of the enclosing function.
Other cached functions and methods stay with Python's caches.

A cached inner function ``f`` becomes two: its body, with a name of its own, and a function that looks up the dict and
calls the body on a miss. A new cache begins at the ``def``, as in Python. The cache is written in the language itself
(`_UNBOUNDED`, `_BOUNDED`).
"""

from __future__ import annotations

import ast
import copy
import functools
from collections.abc import Sequence
from typing import Any

from tscript.definitions.shared import LRU_CACHE
from tscript.frontend.diagnostics import errors
from tscript.frontend.diagnostics.abandoned import Abandoned
from tscript.frontend.diagnostics.type_names import shown
from tscript.frontend.lowering import holding
from tscript.frontend.lowering.function import FunctionLowering
from tscript.frontend.lowering.names import bind, static
from tscript.frontend.lowering.program import CachedFunction, Instance
from tscript.frontend.source import hashing
from tscript.frontend.source.annotations import annotation_type
from tscript.frontend.source.classes import ClassDefinition, ClassSymbol, MethodSymbol
from tscript.frontend.source.functions import FunctionSymbol, PythonFunction, cache_of
from tscript.frontend.source.symbols import LocalFunction
from tscript.frontend.values import shared_caches, tuples
from tscript.ir.graph import Value
from tscript.late import dataclass, replace
from tscript.operators.python.caches import CacheInfo
from tscript.parsing import parse
from tscript.types import INT, NONE, DictType, ListType, Type

_UNBOUNDED = """
key = given
if key in held:
    counts[0] += 1
    return held[key]
counts[1] += 1
found = body
held[key] = found
return found
"""

_BOUNDED = """
key = given
if key in held:
    counts[0] += 1
    at = held[key]
    before = links[2 * at]
    after = links[2 * at + 1]
    links[2 * before + 1] = after
    links[2 * after] = before
    last = links[0]
    links[2 * last + 1] = at
    links[2 * at] = last
    links[2 * at + 1] = 0
    links[0] = at
    return values[at - 1]
counts[1] += 1
found = body
if key not in held:
    if len(values) < maxsize:
        at = len(values) + 1
        values.append(found)
        keys.append(key)
        links.append(0)
        links.append(0)
    else:
        at = links[1]
        after = links[2 * at + 1]
        links[1] = after
        links[2 * after] = 0
        del held[keys[at - 1]]
        values[at - 1] = found
        keys[at - 1] = key
    last = links[0]
    links[2 * last + 1] = at
    links[2 * at] = last
    links[2 * at + 1] = 0
    links[0] = at
    held[key] = at
return found
"""
"""Order of use by links: first the pair of the last and the first entry to evict, then for each entry those before and
after it."""

_NOTHING = """
counts[1] += 1
return body
"""

_UNHASHABLE = """
raise TypeError(reason)
"""

_CLEAR = """
held.clear()
values.clear()
keys.clear()
links.clear()
links.append(0)
links.append(0)
counts[0] = 0
counts[1] = 0
"""

_CONTAINERS = ("counts", "held", "values", "keys", "links")


def define(lowering: FunctionLowering, node: ast.FunctionDef, decorator: ast.expr) -> None:
    """``@lru_cache`` around an inner ``def``: an empty cache, and the function."""
    span = lowering.span(node)
    arguments = node.args
    plain = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    wrong = "" if all(a.annotation for a in plain) else "whose parameters have no types"
    if node.returns is None:
        wrong = wrong or "that does not say what it returns"
    if arguments.vararg is not None or arguments.kwarg is not None:
        wrong = "with '*' parameters"
    if wrong:
        instead = "annotate its parameters and its result" if "'*'" not in wrong else "give it a tuple"
        what = f"a cache around a function {wrong}"
        raise lowering.failure(errors.UnsupportedStatement(lowering.span(decorator), what, instead))
    assert node.returns is not None
    made = replace(lowering.function, name=node.name, tree=node, callable=None, annotations={})
    read = [annotation_type(lowering.context, made, a) for a in (*(a.annotation for a in plain), node.returns) if a]
    if None in read:
        raise Abandoned
    *types, result = [t for t in read if t is not None]
    changing = next((found for t in types if (found := hashing.unhashable_part(t)) is not None), None)
    name = "" if changing is None else shared_caches.unhashable(changing)
    if changing is not None and not name:
        holding.hashable(lowering, changing, lowering.span(decorator))
    parts, key = shared_caches.key_of(
        [(a.arg, t) for a, t in zip(plain, types, strict=True)], _is_typed(lowering, decorator)
    )
    if name:
        key = INT
    known = lowering.program.caches.get(node)
    if known is None:
        maxsize = _maxsize(lowering, decorator)
        known = lowering.program.caches[node] = _halves(lowering, node, maxsize, name, parts)
    slot = _is_bounded(known)
    held: Type = DictType(key, INT if slot else result)
    empty: dict[str, tuple[ast.expr, Type]] = {
        "counts": (ast.List([ast.Constant(0), ast.Constant(0)], ast.Load()), ListType(INT)),
        "held": (ast.Dict([], []), held),
        "values": (ast.List([], ast.Load()), ListType(result)),
        "keys": (ast.List([], ast.Load()), ListType(key)),
        "links": (ast.List([ast.Constant(0), ast.Constant(0)], ast.Load()), ListType(INT)),
    }
    for part in _CONTAINERS if slot else _CONTAINERS[:2]:
        written, type = empty[part]
        for inner in ast.walk(written):
            if isinstance(inner, ast.expr):
                ast.copy_location(inner, node)
        bind(lowering, _hidden(node.name, part), lowering.value_as(written, type), span)
    lowering.scope[_hidden(node.name, "body")] = known.body
    lowering.scope[node.name] = known.outer


def _is_bounded(cached: CachedFunction) -> bool:
    """Whether a cache keeps an order of use."""
    return bool(cached.maxsize)


def member(lowering: FunctionLowering, node: ast.Call) -> Value | None:
    """``f.cache_info()`` and ``f.cache_clear()``; None for every other call."""
    if isinstance(node.func, ast.Attribute) and node.func.attr in ("cache_info", "cache_clear") and not node.args:
        attribute, program = node.func.attr, lowering.program
        match static(lowering, node.func.value):
            case FunctionSymbol(function) if function.cache is not None:
                return _of_shared(lowering, node, attribute, program.instance(function, lowering.span(node)))
            case MethodSymbol(definition, method) if method.mark != "ignore":
                builder: Any = program
                instance = builder.method_instance(definition, method, lowering.span(node))
                if instance.function.cache is not None:
                    return _of_shared(lowering, node, attribute, instance)
    match node:
        case ast.Call(ast.Attribute(ast.Name(name), "cache_info" | "cache_clear" as attribute), [], []):
            local = lowering.scope.get(name)
        case _:
            return None
    found = next((c for c in lowering.program.caches.values() if c.outer is local), None)
    if found is None:
        return None
    if attribute == "cache_clear":
        text = _CLEAR if _is_bounded(found) else "held.clear()\ncounts[0] = 0\ncounts[1] = 0\n"
        for statement in _written(text, name, node, {}):
            assert isinstance(statement, ast.Expr | ast.Assign)
            if isinstance(statement, ast.Expr):
                lowering.value(statement.value)
            else:
                lowering.assign_from(statement.targets[0], statement.value)
        return lowering.constant(None, lowering.span(node))

    size = ast.Constant(found.maxsize)
    (made,) = _written("info(counts[0], counts[1], maxsize, len(held))", name, node, {"maxsize": size})
    assert isinstance(made, ast.Expr) and isinstance(made.value, ast.Call)
    return tuples.construct(lowering, made.value, _info(lowering))


def _info(lowering: FunctionLowering) -> ClassDefinition:
    symbol = lowering.program.resolver.symbol(CacheInfo)
    assert isinstance(symbol, ClassSymbol)
    return symbol.definition


@dataclass(frozen=True, slots=True)
class _Info:
    """``cache_info`` of one of Python's caches, as a `CacheInfo`."""

    cache: Any

    def __call__(self) -> CacheInfo:
        return CacheInfo(*LRU_CACHE.cache_info(self.cache))


def _of_python(lowering: FunctionLowering, node: ast.Call, attribute: str, function: PythonFunction) -> Value:
    clear = attribute == "cache_clear"
    result = NONE if clear else _info(lowering).type
    called = LRU_CACHE.cache_clear.__get__(function.callable) if clear else _Info(function.callable)
    op = lowering.program.resolver.python.operator(f"{function.qualname}.{attribute}", called, (), result)
    return lowering.leaf(op, [], result, lowering.span(node))


def _of_shared(lowering: FunctionLowering, node: ast.Call, attribute: str, instance: Instance) -> Value:

    function, span = instance.function, lowering.span(node)
    cache = function.cache
    assert cache is not None
    python = None if cache.python is None else _of_python(lowering, node, attribute, cache.body)
    if python is not None and not shared_caches.keeps(instance):
        return python
    if attribute == "cache_clear":
        return shared_caches.clear(lowering, instance, node)
    bind(lowering, _hidden(function.name, "counts"), shared_caches.counts(lowering, instance, node), span)
    parts: dict[str, ast.expr] = {"maxsize": ast.Constant(cache.maxsize)}
    text = "counts[0], counts[1], maxsize, counts[2]"
    if python is not None:
        bind(lowering, _hidden(function.name, "python"), python, span)
        text = "python.hits + counts[0], python.misses + counts[1], maxsize, python.currsize + counts[2]"
        if cache.is_in_front:
            text = "python.hits + counts[0], python.misses, maxsize, python.currsize"
    (made,) = _written(f"info({text})", function.name, node, parts)
    assert isinstance(made, ast.Expr) and isinstance(made.value, ast.Call)
    return tuples.construct(lowering, made.value, _info(lowering))


def _halves(
    lowering: FunctionLowering, node: ast.FunctionDef, maxsize: int | None, unhashable: str, key: Sequence[str]
) -> CachedFunction:
    span = lowering.span(node)
    body = copy.copy(node)
    body.decorator_list = []
    outer = copy.copy(body)
    arguments = node.args
    plain = [a.arg for a in (*arguments.posonlyargs, *arguments.args)]
    named = [a.arg for a in arguments.kwonlyargs]
    called = ast.Call(
        ast.Name(_hidden(node.name, "body"), ast.Load()),
        [ast.Name(n, ast.Load()) for n in plain],
        [ast.keyword(n, ast.Name(n, ast.Load())) for n in named],
    )
    parts: dict[str, ast.expr] = {
        "given": parse(key[0] if len(key) == 1 else f"({', '.join(key)})", mode="eval").body,
        "body": called,
        "maxsize": ast.Constant(maxsize),
        "reason": ast.Constant(f"unhashable type: '{unhashable}'"),
    }
    text = _UNHASHABLE if unhashable else _UNBOUNDED if maxsize is None else _BOUNDED if maxsize else _NOTHING
    outer.body = _written(text, node.name, node, parts)
    return CachedFunction(LocalFunction(outer, span), LocalFunction(body, span), maxsize)


class _Names(ast.NodeTransformer):
    """Names in the enclosing function for those of the strings above, and replacements of some of them."""

    def __init__(self, function: str, parts: dict[str, ast.expr]) -> None:
        self._function = function
        self._parts = parts

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """See `ast.NodeTransformer`."""
        if node.id in self._parts:
            return copy.deepcopy(self._parts[node.id])
        return node if node.id in ("len", "TypeError") else ast.Name(_hidden(self._function, node.id), node.ctx)


def _written(text: str, function: str, at: ast.AST, parts: dict[str, ast.expr]) -> list[ast.stmt]:
    tree = _Names(function, parts).visit(parse(text))
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt | ast.expr | ast.keyword):
            ast.copy_location(node, at)
    body: list[ast.stmt] = tree.body
    return body


def _hidden(function: str, name: str) -> str:
    return f"_cache_{name}_of_{function}"


def _maxsize(lowering: FunctionLowering, decorator: ast.expr) -> int | None:
    """The size of the cache in a decorator."""
    if not isinstance(decorator, ast.Call):
        return None if cache_of(lowering.function.environment, decorator) is functools.cache else 128
    given: list[ast.expr] = [*decorator.args[:1], *(k.value for k in decorator.keywords if k.arg == "maxsize")]
    if not given:
        return 128
    value = lowering.value(given[0])
    constant = value.constant
    if constant is None and shown(value.type) == "None":
        return None
    if isinstance(constant, int):
        return max(0, int(constant))
    what, instead = "a cache of a size that is not a constant", "write the number"
    raise lowering.failure(errors.UnsupportedStatement(lowering.span(given[0]), what, instead))


def _is_typed(lowering: FunctionLowering, decorator: ast.expr) -> bool:
    """Whether a decorator has ``typed=True``."""
    if not isinstance(decorator, ast.Call):
        return False
    given = [*decorator.args[1:], *(k.value for k in decorator.keywords if k.arg == "typed")]
    return bool(given) and lowering.value(given[0]).constant is True


def cache_around(lowering: FunctionLowering, decorators: Sequence[ast.expr]) -> ast.expr | None:
    """The only decorator of a function, if it is a cache."""
    if len(decorators) == 1 and cache_of(lowering.function.environment, decorators[0]) is not None:
        return decorators[0]
    return None


__all__ = [
    "cache_around",
    "define",
    "member",
]
