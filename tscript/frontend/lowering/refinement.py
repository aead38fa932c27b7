"""Narrowing of types by conditions: ``x is None``, ``isinstance(x, T)``, ``x`` itself, with ``and``, ``or`` and
``not``.

In a branch, a narrowed name is bound to the same value with the narrower type. Where branches meet, it has its old
type.

An attribute of a name (``self.x``, ``o.a.b``) is narrowed too, also by assignments to it, until a call or a store may
change it. The narrowed type belongs to the value to which the name is bound, and flows with control like the bindings
of names (`tscript.frontend.lowering.scopes.Facts`). Where paths meet, it holds if all of them agree. A loop that
changes it is lowered again without it.
"""

from __future__ import annotations

import ast
import collections.abc
import typing
from collections.abc import Callable, Sequence
from typing import Any

from tscript.frontend.lowering.conversions import narrow
from tscript.frontend.lowering.function import FunctionLowering
from tscript.frontend.lowering.names import static
from tscript.frontend.lowering.scopes import FACTS, Bound, Facts, Narrowings, Place, facts_in
from tscript.frontend.source.annotations import annotation_type
from tscript.frontend.source.classes import defines
from tscript.frontend.source.symbols import PythonSymbol, Symbol
from tscript.ir.graph import Value
from tscript.late import replace
from tscript.operators.python.conversions import is_object
from tscript.types import (
    ANY,
    BOOL,
    BYTES,
    FLOAT,
    INT,
    NONE,
    STR,
    ArrayType,
    ClassType,
    DictType,
    ListType,
    OptionalType,
    SetType,
    SizeType,
    TensorType,
    TupleType,
    Type,
    UnionType,
    instances_of,
    is_instance_of,
    is_subtype,
    members_of,
    union,
)


def facts_of(lowering: FunctionLowering, test: ast.expr, holds: bool) -> Narrowings:
    """The narrowed types where `test`, which has just been lowered, holds (or does not)."""
    match test:
        case ast.UnaryOp(op=ast.Not()):
            return facts_of(lowering, test.operand, not holds)
        case ast.BoolOp():
            if isinstance(test.op, ast.And) is holds:
                return [fact for part in test.values for fact in facts_of(lowering, part, holds)]
            return []
        case ast.Compare(ops=[ast.Is() | ast.IsNot() | ast.Eq() | ast.NotEq()]):
            return _none_facts(lowering, test, holds)
        case ast.Call(func=ast.Name() | ast.Attribute(attr="isinstance"), args=[subject, classes], keywords=[]):
            symbol = static(lowering, test.func)
            if isinstance(symbol, PythonSymbol) and symbol.value is isinstance:
                return _instance_facts(lowering, subject, classes, holds)
            return []
    node, found = _subject(lowering, test)
    if found == BOOL and isinstance(node, ast.Name):
        binding = lowering.scope[node.id]
        return binding.says[not holds] if isinstance(binding, Bound) else []
    if found is None or not holds or NONE not in members_of(found):
        return []
    return _narrowing(lowering, node, _without_none(found))


def remember(lowering: FunctionLowering, name: str, test: ast.expr) -> None:
    """A name that has just been bound to a test says what the test says, as long as the names in it keep their values:
    ``has = x is not None``. Attributes may change, so nothing is remembered of them."""
    binding = lowering.scope.get(name)
    if isinstance(binding, Bound) and binding.value.type == BOOL:
        true, false = (
            [fact for fact in facts_of(lowering, test, holds) if isinstance(fact[0], ast.Name) and fact[0].id != name]
            for holds in (True, False)
        )
        if true or false:
            lowering.scope[name] = replace(binding, says=(true, false))


def _narrowing(lowering: FunctionLowering, node: ast.expr, type: Type) -> Narrowings:
    return [(node, _root(lowering, node), type)]


def _subject(lowering: FunctionLowering, node: ast.expr) -> tuple[ast.expr, Type | None]:
    """The name or attribute that is tested, and its type; None if there is none, or if a later part of the test may
    have changed it."""
    if isinstance(node, ast.NamedExpr):
        node = node.target
    return node, type_at(lowering, node) if path_of(node) and lowering.reads.is_as_read(node, lowering.scope) else None


def type_at(lowering: FunctionLowering, node: ast.expr) -> Type | None:
    """The type of a name, or of an attribute, as far as known at this point; None for everything else."""
    if isinstance(node, ast.Name):
        binding = lowering.scope.get(node.id)
        return binding.value.type if isinstance(binding, Bound) else None
    if not isinstance(node, ast.Attribute):
        return None
    owner = type_at(lowering, node.value)
    if not isinstance(owner, ClassType) or node.attr not in owner.info.fields:
        return None
    return facts_in(lowering.scope).types.get(_place(lowering, node), owner.info.fields[node.attr])


def _root(lowering: FunctionLowering, node: ast.expr) -> Value:
    """The binding of the name in front of an attribute."""
    while isinstance(node, ast.Attribute):
        node = node.value
    assert isinstance(node, ast.Name)
    binding = lowering.scope[node.id]
    assert isinstance(binding, Bound)
    return binding.base.value


def _place(lowering: FunctionLowering, node: ast.Attribute) -> Place:
    return _root(lowering, node), path_of(node).partition(".")[2]


def path_of(node: ast.expr) -> str:
    """``x`` or ``x.y.z`` as a string; empty for any other expression."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        owner = path_of(node.value)
        return f"{owner}.{node.attr}" if owner else ""
    return ""


def _none_facts(lowering: FunctionLowering, test: ast.Compare, holds: bool) -> Narrowings:
    left, right = test.left, test.comparators[0]
    if isinstance(left, ast.Constant) and left.value is None:
        left, right = right, left
    if not (isinstance(right, ast.Constant) and right.value is None):
        return []
    node, found = _subject(lowering, left)
    if found is None or NONE not in members_of(found):
        return []
    is_none = isinstance(test.ops[0], ast.Is | ast.Eq) is holds
    return _narrowing(lowering, node, NONE if is_none else _without_none(found))


def _without_none(type: Type) -> Type:
    return union([m for m in members_of(type) if m != NONE])


def _instance_facts(lowering: FunctionLowering, subject: ast.expr, classes: ast.expr, holds: bool) -> Narrowings:
    node, found = _subject(lowering, subject)
    if found is None:
        return []
    wanted: list[Type] = []
    for written in classes_of(classes):
        symbol = static(lowering, written)
        if (is_one := bare_test(symbol)) is not None:
            wanted += filter(is_one, members_of(found))
            continue
        type = annotation_type(lowering.context, lowering.function, written)
        if type is None:
            return []
        wanted += members_of(type)
    if not holds:
        rest = [m for m in members_of(found) if not _is_one_of(m, wanted)]
        says_nothing = found == ANY or not rest or len(rest) == len(members_of(found))
        return [] if says_nothing else _narrowing(lowering, node, union(rest))
    if found == ANY:
        return _narrowing(lowering, node, union(instances_of(union(wanted)))) if wanted else []
    kept: list[Type] = []
    for member in members_of(found):
        if _is_one_of(member, wanted):
            kept.append(member)
        else:
            kept += [w for w in wanted if isinstance(w, ClassType) and is_subtype(w, member)]
    return _narrowing(lowering, node, union(kept)) if kept and union(kept) != found else []


def _is_one_of(member: Type, wanted: Sequence[Type]) -> bool:
    return any(is_instance_of(member, w) for w in wanted)


def apply(lowering: FunctionLowering, narrowings: Narrowings, at: ast.AST) -> None:
    """Narrow names and attributes in the current branch."""
    span = lowering.span(at)
    for node, root, type in narrowings:
        if isinstance(node, ast.Attribute):
            place, known = (root, path_of(node).partition(".")[2]), facts_in(lowering.scope).types
            lowering.scope[FACTS] = Facts({**known, place: _both(known.get(place, type), type)})
            continue
        assert isinstance(node, ast.Name)
        binding = lowering.scope.get(node.id)
        if not isinstance(binding, Bound) or binding.base.value is not root:
            continue
        wanted = _both(binding.value.type, type)
        if binding.value.type != wanted and _can_narrow(binding.value.type, wanted):
            narrowed = narrow(lowering, binding.value, wanted, span)
            lowering.scope[node.id] = Bound(narrowed, binding.span, binding.base)


def _both(found: Type, narrowed: Type) -> Type:
    """The type of a value that has both types. The parts of a condition each narrow the type from before the
    condition."""
    if found == ANY or is_subtype(narrowed, found):
        return narrowed
    members = [m for m in members_of(narrowed) if is_subtype(m, found)]
    members += [m for m in members_of(found) if m not in members and is_subtype(m, narrowed)]
    return union(members) if members else found


def refined(lowering: FunctionLowering, node: ast.Attribute, value: Value) -> Value:
    """An attribute that has just been read, with its narrowed type."""
    lowering.reads.note(node, lowering.scope)
    known = type_at(lowering, node) if path_of(node) else None
    if known is None or known == value.type or not _can_narrow(value.type, known):
        return value
    return narrow(lowering, value, known, lowering.span(node))


def assigned(lowering: FunctionLowering, target: ast.Attribute, value: Value) -> None:
    """An attribute that has just been set has the type of the value, if that is narrower than its declared type."""
    declared = type_at(lowering, target) if path_of(target) else None
    if not isinstance(declared, OptionalType | UnionType):
        return
    found = value.type
    if found in (INT, BOOL) and found not in members_of(declared) and FLOAT in members_of(declared):
        found = FLOAT
    if found != declared and all(member in members_of(declared) for member in members_of(found)):
        apply(lowering, _narrowing(lowering, target, found), target)


def _can_narrow(found: Type, wanted: Type) -> bool:
    """Whether native code has one operator that makes a value of `found` one of `wanted`."""
    if isinstance(found, OptionalType):
        return wanted in (NONE, found.value) or (isinstance(found.value, ClassType) and isinstance(wanted, ClassType))
    return is_object(found) or isinstance(found, UnionType | ClassType)


def classes_of(node: ast.expr) -> Sequence[ast.expr]:
    """The classes that the second argument of `isinstance` names."""
    if isinstance(node, ast.Tuple):
        return [one for part in node.elts for one in classes_of(part)]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return [*classes_of(node.left), *classes_of(node.right)]
    return [node]


def _is_iterable(type: Type) -> bool:
    containers = DictType | SetType | TensorType | ArrayType
    has_method = isinstance(type, ClassType) and defines(type, ["__iter__"])
    return _is_sequence(type) or isinstance(type, containers) or has_method


def _is_sequence(type: Type) -> bool:
    return isinstance(type, TupleType | SizeType | ListType) or type in (STR, BYTES)


_BARE: dict[Any, Callable[[Type], bool]] = {
    tuple: lambda type: isinstance(type, TupleType | SizeType) or (isinstance(type, ListType) and type.frozen),
    list: lambda type: isinstance(type, ListType) and not type.frozen,
    dict: lambda type: isinstance(type, DictType),
    set: lambda type: isinstance(type, SetType),
    **dict.fromkeys((collections.abc.Iterable, typing.Iterable), _is_iterable),
    **dict.fromkeys((collections.abc.Sequence, typing.Sequence), _is_sequence),
    **dict.fromkeys(
        (collections.abc.Mapping, collections.abc.MutableMapping, typing.Mapping, typing.MutableMapping),
        lambda type: isinstance(type, DictType),
    ),
}
"""What the abstract classes of containers, and builtin ones without their parameters, have as instances."""


def bare_test(symbol: Symbol | None) -> Callable[[Type], bool] | None:
    """Which types are of a builtin container named without its parameters; None for any other name."""
    return _BARE.get(symbol.value) if isinstance(symbol, PythonSymbol) else None


def refine_name(lowering: FunctionLowering, name: str, type: Type, node: ast.AST) -> None:
    """Give a name a narrower type in the current branch."""
    binding = lowering.scope.get(name)
    if isinstance(binding, Bound):
        apply(lowering, [(ast.Name(name, ast.Load()), binding.base.value, type)], node)


def narrowing_of(lowering: FunctionLowering, test: ast.expr, holds: bool) -> Callable[[], None]:
    """How a condition narrows types; calling the result applies it."""
    found = facts_of(lowering, test, holds)
    return lambda: apply(lowering, found, test)
