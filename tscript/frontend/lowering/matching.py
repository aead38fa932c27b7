"""``match``: the cases are tried in turn inside a loop that runs once. The first case that matches leaves it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from functools import partial

from tscript.diagnostics import Span
from tscript.frontend.diagnostics import errors
from tscript.frontend.diagnostics.abandoned import Abandoned
from tscript.frontend.diagnostics.type_names import article
from tscript.frontend.lowering import exits
from tscript.frontend.lowering.bodies import lower_statements
from tscript.frontend.lowering.comparisons import are_equal
from tscript.frontend.lowering.conversions import by_member, is_none, narrow
from tscript.frontend.lowering.expressions import attribute
from tscript.frontend.lowering.function import FunctionLowering
from tscript.frontend.lowering.hidden import fresh_hidden, hidden_value
from tscript.frontend.lowering.instance_tests import instance_test, value_one_of
from tscript.frontend.lowering.merging import refine_in, when
from tscript.frontend.lowering.names import bind, static
from tscript.frontend.lowering.refinement import bare_test, refine_name
from tscript.frontend.lowering.scopes import Bound, assigned_names
from tscript.frontend.source.annotations import annotation_type
from tscript.frontend.source.classes import matched_names
from tscript.frontend.source.symbols import PythonSymbol
from tscript.ir.graph import Unreachable, Value
from tscript.types import (
    ANY,
    BOOL,
    COMPLEX,
    FLOAT,
    INT,
    NONE,
    ClassType,
    OptionalType,
    Type,
    UnionType,
    instances_of,
    is_instance_of,
    members_of,
    union,
)

Success = Callable[[Value], None]
"""Lowers the body for a matching pattern, with the value narrowed to the type of the pattern."""


def lower_match(lowering: FunctionLowering, node: ast.Match) -> None:
    """A ``match`` statement."""
    span = lowering.span(node)
    subject = lowering.value(node.subject)
    path = node.subject.id if isinstance(node.subject, ast.Name) else ""
    assigned = assigned_names([node], lowering.function.has_walrus)
    around = exits.Once(lowering, span, "a branch", in_loop=False)
    taken: list[Type] = []
    for case in node.cases:
        if not lowering.is_alive:
            break

        def body(case: ast.match_case = case) -> None:
            lower_statements(lowering, case.body)
            if lowering.is_alive:
                around.leave()

        def guarded(_: Value, case: ast.match_case = case, run: Callable[[], None] = body) -> None:
            if case.guard is None:
                run()
                return
            condition = lowering.condition(case.guard)
            refine_in(lowering, case.guard, condition, run, lowering.span(case.guard))

        try_pattern(lowering, case.pattern, subject, guarded, path)
        if case.guard is None and lowering.is_alive:
            taken += _whole_types(lowering, case.pattern, subject.type)
            subject = _without(lowering, taken, subject, lowering.span(case.pattern))
            rest = [m for m in members_of(subject.type) if m not in taken]
            if path and rest and lowering.is_alive:
                refine_name(lowering, path, union(rest), case.pattern)
    around.finish(assigned)


def _without(lowering: FunctionLowering, taken: Sequence[Type], subject: Value, span: Span) -> Value:
    """The subject without the types that earlier patterns match completely. If no type is left, the rest is
    unreachable."""
    rest = [m for m in members_of(subject.type) if m not in taken]
    if not rest:
        lowering.block.nodes.append(Unreachable(span))
        return subject
    return narrow(lowering, subject, rest[0], span) if len(rest) == 1 else subject


def _whole_types(lowering: FunctionLowering, pattern: ast.pattern, found: Type) -> list[Type]:
    """The members of a union type all of whose values match a pattern."""
    match pattern:
        case ast.MatchSingleton(value=None):
            return [NONE]
        case ast.MatchAs(pattern=ast.pattern() as inner):
            return _whole_types(lowering, inner, found)
        case ast.MatchOr():
            return [t for p in pattern.patterns for t in _whole_types(lowering, p, found)]
        case ast.MatchClass(kwd_patterns=[]) if all(
            isinstance(p, ast.MatchAs) and p.pattern is None for p in pattern.patterns
        ):
            type = _narrowed(lowering, pattern.cls, found)
            return [] if type is None else [m for m in members_of(type) if m in members_of(found)]
    return []


def try_pattern(
    lowering: FunctionLowering, pattern: ast.pattern, value: Value, success: Success, path: str = ""
) -> None:
    """Lower `success` where `value` matches `pattern`, with the names of the pattern bound."""
    match pattern:
        case ast.MatchAs(pattern=None, name=name):
            if name is not None:
                bind(lowering, name, value, lowering.span(pattern))
            success(value)
        case ast.MatchAs(pattern=ast.pattern() as inner, name=str() as name):
            try_pattern(lowering, inner, value, lambda found: _bind(lowering, name, found, pattern, success), path)
        case ast.MatchValue():
            _try_value(lowering, pattern, value, success)
        case ast.MatchSingleton(value=wanted):
            _try_singleton(lowering, pattern, value, wanted, success, path)
        case ast.MatchSequence():
            _try_sequence(lowering, pattern, value, success)
        case ast.MatchMapping():
            _try_mapping(lowering, pattern, value, success)
        case ast.MatchClass():
            _try_class(lowering, pattern, value, success, path)
        case ast.MatchOr():
            _try_any(lowering, pattern, value, success)
        case _:
            raise lowering.failure(errors.UnsupportedStatement(lowering.span(pattern), "this pattern", "write 'if'"))


def _bind(lowering: FunctionLowering, name: str, value: Value, node: ast.AST, success: Success) -> None:
    bind(lowering, name, value, lowering.span(node))
    success(value)


def _try_value(lowering: FunctionLowering, pattern: ast.MatchValue, value: Value, success: Success) -> None:
    """A literal or a dotted name."""
    span = lowering.span(pattern)
    wanted = lowering.value(pattern.value)
    kinds = [m for m in members_of(value.type) if _comparable(m, wanted.type)]
    if len(kinds) > 1:

        def equal(member: Value) -> Value:
            if member.type in kinds:
                return are_equal(lowering, member, wanted, lowering.span(pattern))
            return lowering.const(False, BOOL, span)

        when(lowering, by_member(lowering, value, equal, BOOL, span), lambda: success(value), span)
        return
    if len(members_of(value.type)) > 1 and kinds:
        test = value_one_of(lowering, value, kinds[:1], span)
        when(
            lowering,
            test,
            lambda: _when_equal(lowering, narrow(lowering, value, kinds[0], span), wanted, pattern, success),
            span,
        )
        return
    if kinds:
        _when_equal(lowering, value, wanted, pattern, success)


def _when_equal(
    lowering: FunctionLowering, value: Value, wanted: Value, pattern: ast.pattern, success: Success
) -> None:
    when(
        lowering,
        are_equal(lowering, value, wanted, lowering.span(pattern)),
        lambda: success(value),
        lowering.span(pattern),
    )


def _try_singleton(
    lowering: FunctionLowering, pattern: ast.pattern, value: Value, wanted: object, success: Success, path: str
) -> None:
    span = lowering.span(pattern)
    if wanted is None:
        test = is_none(lowering, value, span)
    elif value.type == BOOL:
        test = are_equal(lowering, value, lowering.constant(wanted, span), span)
    else:
        return
    when(lowering, test, lambda: success(value), span)
    if wanted is None and path and NONE in members_of(value.type) and lowering.is_alive:
        rest = union([m for m in members_of(value.type) if m != NONE])
        refine_name(lowering, path, rest, pattern)


def _try_sequence(lowering: FunctionLowering, pattern: ast.MatchSequence, value: Value, success: Success) -> None:
    span = lowering.span(pattern)
    wanted = [m for m in members_of(value.type) if lowering.kinds.of(m).pattern is not None]
    if not wanted:
        return
    if len(members_of(value.type)) > 1:
        test = value_one_of(lowering, value, wanted[:1], span)
        when(
            lowering,
            test,
            lambda: _try_sequence(lowering, pattern, narrow(lowering, value, wanted[0], span), success),
            span,
        )
        return
    stars = [i for i, p in enumerate(pattern.patterns) if isinstance(p, ast.MatchStar)]
    count = len(pattern.patterns) - len(stars)
    how = lowering.kind(value).pattern
    found = None if how is None else how(lowering, value, count, bool(stars), span)
    if found is None:
        return
    fits, elements_of = found

    def parts() -> None:
        elements = lowering.unpack_starred(value, stars[0], count - stars[0], span) if stars else elements_of()
        _try_parts(lowering, list(zip(pattern.patterns, elements, strict=True)), lambda: success(value))

    when(lowering, fits, parts, span)


def _try_parts(lowering: FunctionLowering, parts: list[tuple[ast.pattern, Value]], success: Callable[[], None]) -> None:
    """All of several patterns."""
    if not parts:
        success()
        return
    (pattern, value), *rest = parts
    if isinstance(pattern, ast.MatchStar):
        if pattern.name is not None:
            bind(lowering, pattern.name, value, lowering.span(pattern))
        _try_parts(lowering, rest, success)
        return
    try_pattern(lowering, pattern, value, lambda _: _try_parts(lowering, rest, success))


def _try_mapping(lowering: FunctionLowering, pattern: ast.MatchMapping, value: Value, success: Success) -> None:
    span = lowering.span(pattern)
    if not lowering.kind(value).has_keys or pattern.rest is not None:
        what = "'**' in a pattern" if pattern.rest is not None else f"a pattern of a dict for {article(value.type)}"
        raise lowering.failure(
            errors.UnsupportedStatement(span, what, "test keys with 'in', and read entries with d[k]")
        )
    keys = [lowering.value(key) for key in pattern.keys]

    def under(i: int) -> None:
        if i == len(keys):
            success(value)
            return
        there = lowering.apply("contains", [value, keys[i]], span)

        def found() -> None:
            item = lowering.apply("getitem", [value, keys[i]], span)
            try_pattern(lowering, pattern.patterns[i], item, lambda _: under(i + 1))

        when(lowering, there, found, span)

    under(0)


_CAPTURE_SELF = frozenset({int, float, bool, str, bytes, list, dict, set, tuple})
"""Builtins whose only positional pattern is the value itself."""


def _try_class(lowering: FunctionLowering, pattern: ast.MatchClass, value: Value, success: Success, path: str) -> None:
    span = lowering.span(pattern)
    test = instance_test(lowering, value, pattern.cls, span)
    type = _narrowed(lowering, pattern.cls, value.type)
    if test.constant is False or type is None:
        return

    def fits() -> None:
        inner = value if type == value.type else narrow(lowering, value, type, span)
        if path and inner is not value:
            refine_name(lowering, path, type, pattern)
        symbol = static(lowering, pattern.cls)
        captures = isinstance(symbol, PythonSymbol) and symbol.value in _CAPTURE_SELF
        parts: list[tuple[ast.pattern, Value]] = []
        if captures and pattern.patterns:
            parts.append((pattern.patterns[0], inner))
        elif pattern.patterns:
            names = matched_names(type)
            if len(pattern.patterns) > len(names):
                what = f"{len(pattern.patterns)} patterns by position for {article(type)}"
                raise lowering.failure(
                    errors.UnsupportedStatement(span, what, f"it has {len(names)} attributes that match by position")
                )
            for name, part in zip(names, pattern.patterns, strict=False):
                parts.append((part, attribute(lowering, inner, name, span)))
        for name, part in zip(pattern.kwd_attrs, pattern.kwd_patterns, strict=True):
            parts.append((part, attribute(lowering, inner, name, span)))
        _try_parts(lowering, parts, lambda: success(inner))

    when(lowering, test, fits, span)


def _narrowed(lowering: FunctionLowering, written: ast.expr, found: Type) -> Type | None:
    """The type that a value has where it is an instance of a class."""
    symbol = static(lowering, written)
    if (is_bare := bare_test(symbol)) is not None:
        kept = [m for m in members_of(found) if is_bare(m)]
        return union(kept) if kept else None
    type = annotation_type(lowering.context, lowering.function, written)
    if type is None:
        raise Abandoned
    if isinstance(found, OptionalType | UnionType):
        kept = [m for m in members_of(found) if any(is_instance_of(m, w) for w in members_of(type))]
        kept += [
            type for m in members_of(found) if isinstance(m, ClassType) and isinstance(type, ClassType) and m != type
        ]
        return union(kept) if kept else None
    if isinstance(found, ClassType) and isinstance(type, ClassType) and found.info.derives_from(type.info):
        return found
    if is_instance_of(found, type):
        return found
    return union(instances_of(type)) if found == ANY else type


def _try_any(lowering: FunctionLowering, pattern: ast.MatchOr, value: Value, success: Success) -> None:
    """Any of several patterns, which bind no names."""
    span = lowering.span(pattern)
    if assigned_names([pattern], False) or any(isinstance(n, ast.MatchAs) and n.name for n in ast.walk(pattern)):
        what = "names in the patterns around '|'"
        raise lowering.failure(errors.UnsupportedStatement(span, what, "write a case for each pattern"))
    found = fresh_hidden(lowering)
    lowering.scope[found] = Bound(lowering.const(False, BOOL, span), span)

    def set_found(_: Value) -> None:
        lowering.scope[found] = Bound(lowering.const(True, BOOL, span), span)

    for inner in pattern.patterns:
        missing = lowering.apply("not", [hidden_value(lowering, found)], span)
        when(lowering, missing, partial(try_pattern, lowering, inner, value, set_found), span)
    test = hidden_value(lowering, found)
    lowering.scope.pop(found, None)
    when(lowering, test, lambda: success(value), span)


def _comparable(first: Type, second: Type) -> bool:
    """Whether values of two types may be equal."""
    numbers = (INT, FLOAT, BOOL, COMPLEX)
    return first == second or (first in numbers and second in numbers) or ANY in (first, second)
