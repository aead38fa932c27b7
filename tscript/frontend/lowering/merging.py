"""Merging of branches: the bindings of names after an ``if``, and their common types."""

from __future__ import annotations

import ast
from collections.abc import Callable

from tscript.diagnostics import Span
from tscript.frontend.diagnostics import type_errors
from tscript.frontend.diagnostics.elsewhere import gives_none
from tscript.frontend.diagnostics.type_names import same_type_help, shown
from tscript.frontend.lowering.frames import LoopExits, Lowered
from tscript.frontend.lowering.lowering import Lowering
from tscript.frontend.lowering.scopes import (
    POISONED,
    Binding,
    Bound,
    Conflicting,
    Facts,
    PartlyBound,
    Poisoned,
    Scope,
)
from tscript.frontend.source.symbols import LocalFunction
from tscript.ir.graph import If, Unreachable, Value, Yield
from tscript.types import NONE, ClassType, ListType, OptionalType, TupleType, Type, UnionType, members_of, union


def when(lowering: Lowering, cond: Value, run: Callable[[], None], span: Span) -> None:
    """Lower something that only happens when a condition holds."""
    if isinstance(cond.constant, bool):
        if cond.constant:
            run()
        return
    then, orelse = lowering.branch(run), lowering.branch(lambda: None)
    merge(lowering, cond, then, orelse, span)


def refine_in(lowering: Lowering, test: ast.expr, cond: Value, run: Callable[[], None], span: Span) -> None:
    """Lower something where a condition holds, with its narrowed types."""

    def refined() -> None:
        lowering.refine(test, True)
        run()

    when(lowering, cond, refined, span)


def merge(
    lowering: Lowering, cond: Value, then: Lowered, orelse: Lowered, span: Span, value_type: Type | None = None
) -> Value | None:
    """Append the `If` of two branches; afterwards names assigned in them have the values they yield.

    Args:
        cond: The condition.
        then, orelse: From `branch`.
        value_type: Type of the expression's value, when the branches have one.

    Returns:
        The value of the expression, or None without one.
    """
    node = If(cond, then.block, orelse.block, (), span)
    lowering.block.nodes.append(node)
    alive = [b for b in (then, orelse) if b.scope is not None]
    if not alive:
        lowering.block.nodes.append(Unreachable(span))
        return None
    yields = [Yield((), span) for _ in alive]
    for branch, end in zip(alive, yields, strict=True):
        branch.block.nodes.append(end)
    out: Value | None = None
    if value_type is not None:
        for branch, end in zip(alive, yields, strict=True):
            assert branch.value is not None
            end.inputs.append(branch.value)
        out = node.add_output(value_type)
    before = lowering.scope
    merged = alive[0].scope if len(alive) == 1 else None
    if merged is not None:
        for name, binding in merged.items():
            if isinstance(binding, Bound) and binding is not before.get(name):
                yields[0].inputs.append(binding.value)
                merged[name] = Bound(node.add_output(binding.value.type, name), binding.span)
        lowering.scope = merged
        return out
    assert then.scope is not None and orelse.scope is not None
    first, second = then.scope, orelse.scope
    scope: Scope = {**first, **second}
    for name in [n for n in scope if first.get(n) is not second.get(n)]:
        a, b = first.get(name), second.get(name)
        found: Binding | None = None
        match a, b:
            case Bound(), Bound() if a.base is b.base:
                found = a.base
            case Facts(), Facts():
                found = a.together(b)
            case Bound(), Bound():
                wide = None if a.value.type == b.value.type else joined(lowering, name, a.value, b.value)
                if wide is not None:
                    for branch, end, binding in zip((then, orelse), yields, (a, b), strict=True):
                        end.inputs.append(_widened(lowering, branch, end, name, binding, wide))
                    found = Bound(node.add_output(wide, name), b.span)
                elif a.value.type == b.value.type:
                    yields[0].inputs.append(a.value)
                    yields[1].inputs.append(b.value)
                    at = a.span if b is before.get(name) else b.span
                    found = Bound(node.add_output(a.value.type, name), at)
                elif isinstance(before.get(name), Bound):
                    changed, other = (a, b) if b is before.get(name) else (b, a)
                    report_change(lowering, name, other, changed, "a branch")
                    found = POISONED
                else:
                    found = Conflicting(a, b)
            case (Poisoned(), _) | (_, Poisoned()):
                found = POISONED
            case (LocalFunction() as only, _) | (_, LocalFunction() as only):
                found = PartlyBound(only.span, in_loop=False)
            case (Bound() as only, None) | (None, Bound() as only):
                found = PartlyBound(only.span, in_loop=False)
            case (PartlyBound() | Conflicting() as kept, _) | (_, PartlyBound() | Conflicting() as kept):
                found = kept
        if found is None:
            del scope[name]
        else:
            scope[name] = found
    lowering.scope = scope
    return out


def _widened(lowering: Lowering, branch: Lowered, end: Yield, name: str, binding: Bound, wide: Type) -> Value:
    """The value of a name at the end of a branch, converted to type `wide`."""
    outer, lowering.block = lowering.block, branch.block
    lowering.block.nodes.pop()
    found = _converted(lowering, binding.value, wide, binding.span)
    if found is None:  # an empty container whose type cannot be decided here
        found = Value(wide)
        report_change(lowering, name, binding, Bound(found, binding.span), "a branch")
    lowering.block.nodes.append(end)
    lowering.block = outer
    return found


def as_declared(lowering: Lowering, exits: LoopExits, name: str, type: Type, found: Bound) -> Value | None:
    """A value assigned to `name` of type `type`; None if it does not fit. Then a wider type that fits is recorded."""
    wide = joined(lowering, name, Value(type), found.value)
    if wide is None:
        return None
    if wide == type:
        converted = _converted(lowering, found.value, wide, found.span)
        return found.value if converted is None else converted
    earlier = exits.widened.get(name)
    exits.widened[name] = wide if earlier is None else wider(lowering, earlier, wide)
    return None


def joined(lowering: Lowering, name: str, first: Value, second: Value) -> Type | None:
    """The type of a name that holds one of two values: a part of the union that is declared for it, or see
    `unified`."""
    declared = lowering.declared.get(name)
    if isinstance(declared, OptionalType | UnionType):
        held = union([first.type, second.type])
        if {*members_of(held)} <= {*members_of(declared)}:
            return held
    if isinstance(declared, ListType) and any(is_listed(v.type, declared) for v in (first, second)):
        if all(v.type == declared or is_listed(v.type, declared) for v in (first, second)):
            return declared
    if name in lowering.several and (found := _of_classes(union([first.type, second.type]))) is not None:
        return found
    return lowering.unified(first, second)


def is_listed(type: Type, declared: Type) -> bool:
    """Whether it is a tuple of what a list is declared to hold: TorchScript assigns one to the name of a list."""
    if not isinstance(declared, ListType) or declared.frozen or declared == type:
        return False
    is_tuple = isinstance(type, TupleType) and type.named is None and {*type.elements} == {declared.element}
    return is_tuple or type == ListType(declared.element, frozen=True)


def _converted(lowering: Lowering, value: Value, wide: Type, span: Span) -> Value | None:
    """A value of a name where paths meet, as one of the type that the name has then."""
    if not isinstance(wide, ListType) or not is_listed(value.type, wide):
        return lowering.coerce(value, wide, span)
    return lowering.listed(value, wide, span)


def _of_classes(type: Type) -> Type | None:
    """A type if it is that of instances."""
    return type if all(isinstance(member, ClassType) for member in members_of(type)) else None


def wider(lowering: Lowering, first: Type, second: Type) -> Type:
    """The type that takes values of both types, for names of a loop."""
    return lowering.unified(Value(first), Value(second)) or _of_classes(union([first, second])) or second


def report_change(lowering: Lowering, name: str, before: Bound, after: Bound, where: str) -> None:
    """Report that `name` changes its type in a branch or loop."""
    a, b = before.value.type, after.value.type
    if name in lowering.unassigned.names and NONE in (*members_of(a), *members_of(b)):
        lowering.report(lowering.unassigned.names[name])
        return
    instead = gives_none(lowering.function.tree, ast.Name(name)) if b == NONE else ""
    instead = instead or same_type_help(name, a, b, before.value.constant)
    lowering.report(type_errors.TypeChanged(after.span, name, shown(a), shown(b), where, instead, before.span))
