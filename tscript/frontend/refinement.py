"""What a condition says of types: ``x is None``, ``isinstance(x, T)``, ``x`` itself, with ``and``, ``or`` and ``not``.

In a branch a refined name stands for the same value as one of the narrower type; where branches meet it is what it was. An
attribute of a name (``self.x``) is refined too, until something is called or stored that could change it.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tscript.frontend.annotations import annotation_type
from tscript.frontend.builtins import BARE, classes_of
from tscript.frontend.conversions import narrow
from tscript.frontend.meanings import PythonMeaning
from tscript.frontend.scopes import Bound
from tscript.ir.graph import Value
from tscript.ops.conversions import is_object
from tscript.types import (
    ANY,
    BOOL,
    INT,
    NONE,
    ClassType,
    OptionalType,
    Type,
    UnionType,
    is_subtype,
    members_of,
    union,
)

if TYPE_CHECKING:
    from tscript.frontend.language import LanguageLowering

Facts = list[tuple[str, Type]]
"""Names, or dotted names, with the types they have where a condition holds, or does not."""


def facts_of(lowering: LanguageLowering, test: ast.expr, holds: bool) -> Facts:
    """What is known where `test`, which has been lowered, holds (or does not)."""
    match test:
        case ast.UnaryOp(op=ast.Not()):
            return facts_of(lowering, test.operand, not holds)
        case ast.BoolOp():
            if isinstance(test.op, ast.And) is holds:
                return [fact for part in test.values for fact in facts_of(lowering, part, holds)]
            return []
        case ast.Compare(ops=[ast.Is() | ast.IsNot() | ast.Eq() | ast.NotEq()]):
            return _none_facts(lowering, test, holds)
        case ast.Call(func=ast.Name(id="isinstance"), args=[subject, classes], keywords=[]):
            meaning = lowering.static(test.func)
            if isinstance(meaning, PythonMeaning) and meaning.value is isinstance:
                return _instance_facts(lowering, subject, classes, holds)
            return []
    path, found = _subject(lowering, test)
    if found is None or not holds or NONE not in members_of(found):
        return []
    return [(path, _without_none(found))]


def _subject(lowering: LanguageLowering, node: ast.expr) -> tuple[str, Type | None]:
    """The name that a test is about, and its type; None when it is about no name."""
    if isinstance(node, ast.NamedExpr):
        node = node.target
    path = path_of(node)
    if not path:
        return "", None
    if isinstance(node, ast.Name):
        binding = lowering.scope.get(node.id)
        return path, binding.value.type if isinstance(binding, Bound) else None
    return path, lowering.attribute_types.get(path)


def path_of(node: ast.expr) -> str:
    """``x`` or ``x.y.z`` as a text; empty for any other expression."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        owner = path_of(node.value)
        return f"{owner}.{node.attr}" if owner else ""
    return ""


def _none_facts(lowering: LanguageLowering, test: ast.Compare, holds: bool) -> Facts:
    left, right = test.left, test.comparators[0]
    if isinstance(left, ast.Constant) and left.value is None:
        left, right = right, left
    if not (isinstance(right, ast.Constant) and right.value is None):
        return []
    path, found = _subject(lowering, left)
    if found is None or NONE not in members_of(found):
        return []
    is_none = isinstance(test.ops[0], ast.Is | ast.Eq) is holds
    return [(path, NONE if is_none else _without_none(found))]


def _without_none(type: Type) -> Type:
    return union([m for m in members_of(type) if m != NONE])


def _instance_facts(lowering: LanguageLowering, subject: ast.expr, classes: ast.expr, holds: bool) -> Facts:
    path, found = _subject(lowering, subject)
    if found is None:
        return []
    wanted: list[Type] = []
    for written in classes_of(classes):
        meaning = lowering.static(written)
        if isinstance(meaning, PythonMeaning) and meaning.value in BARE:
            wanted += [m for m in members_of(found) if isinstance(m, BARE[meaning.value])]
            continue
        type = annotation_type(lowering.context, lowering.function, written)
        if type is None:
            return []
        wanted += members_of(type)
    if not holds:
        rest = [m for m in members_of(found) if not _is_one_of(m, wanted)]
        return [] if found == ANY or not rest or len(rest) == len(members_of(found)) else [(path, union(rest))]
    if found == ANY:
        return [(path, union(wanted))] if wanted else []
    kept: list[Type] = []
    for member in members_of(found):
        if _is_one_of(member, wanted):
            kept.append(member)
        else:
            kept += [w for w in wanted if isinstance(w, ClassType) and is_subtype(w, member)]
    return [(path, union(kept))] if kept and union(kept) != found else []


def _is_one_of(member: Type, wanted: Sequence[Type]) -> bool:
    return any(is_subtype(member, w) or (w == INT and member == BOOL) for w in wanted)


def apply(lowering: LanguageLowering, facts: Facts, node: ast.AST) -> None:
    """Refine names in the current branch."""
    span = lowering.span(node)
    for path, type in facts:
        if "." in path:
            lowering.attribute_types[path] = type
            continue
        binding = lowering.scope.get(path)
        if not isinstance(binding, Bound) or binding.value.type == type or not _can_narrow(binding.value.type, type):
            continue
        narrowed = narrow(lowering, binding.value, type, span)
        lowering.scope[path] = Bound(narrowed, binding.span, binding.origin or binding)


def refined(lowering: LanguageLowering, node: ast.Attribute, value: Value) -> Value:
    """An attribute that has been read, as what conditions say it is."""
    path = path_of(node)
    if not path:
        return value
    known = lowering.attribute_types.setdefault(path, value.type)
    if known == value.type or not _can_narrow(value.type, known):
        return value
    return narrow(lowering, value, known, lowering.span(node))


def _can_narrow(found: Type, wanted: Type) -> bool:
    """Whether native code has one operator that makes a value of `found` one of `wanted`."""
    if isinstance(found, OptionalType):
        return wanted in (NONE, found.value) or (isinstance(found.value, ClassType) and isinstance(wanted, ClassType))
    return is_object(found) or isinstance(found, UnionType | ClassType)
