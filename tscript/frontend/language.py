"""The language as a record: what lowers each class of syntax, and the operations of each kind of value.

All of it is imported when a program uses it.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import Any

from tscript.diagnostics import Span
from tscript.frontend.kinds import KINDS
from tscript.frontend.lowering import arithmetic, conversions, numbers_of_tensors, operators
from tscript.frontend.lowering.bodies import lower_function as lower_body
from tscript.frontend.lowering.expressions import EXPRESSIONS
from tscript.frontend.lowering.function import FunctionLowering
from tscript.frontend.lowering.language import Language
from tscript.frontend.lowering.program import Contents, Instance, LanguageProgram
from tscript.frontend.lowering.scopes import Bound
from tscript.frontend.lowering.statements import STATEMENTS
from tscript.frontend.source.classes import MethodSymbol
from tscript.frontend.source.functions import VectorizedSymbol
from tscript.frontend.source.object_types import TypeContext
from tscript.frontend.source.resolver import Resolver
from tscript.frontend.source.symbols import (
    ExceptionSymbol,
    ForkSymbol,
    NumpySymbol,
    NumpyTypeSymbol,
    OperatorSymbol,
    PythonSymbol,
    Symbol,
    TypeSymbol,
    WaitSymbol,
)
from tscript.ir.graph import Value
from tscript.once import LateTable
from tscript.types import CallableType, ClassType, Type, members_of

Statement = Callable[[FunctionLowering, Any], None]
Expression = Callable[[FunctionLowering, Any], Value]
Expected = Callable[[FunctionLowering, Any, Type | None], Value]
OfSymbol = Callable[[FunctionLowering, ast.Call, Any], Value]


def _lower_augmented() -> Statement:
    from tscript.frontend.lowering.augmented import lower_augmented

    return lower_augmented


def _lower_for() -> Statement:
    from tscript.frontend.lowering.sources import lower_for

    return lower_for


def _lower_raise() -> Statement:
    from tscript.frontend.values.exceptions import lower_raise

    return lower_raise


def _lower_with() -> Statement:
    from tscript.frontend.lowering.contexts import lower_with

    return lower_with


def _lower_delete() -> Statement:
    from tscript.frontend.lowering.subscripts import lower_delete

    return lower_delete


def _define() -> Statement:
    from tscript.frontend.values.local_functions import define

    return define


def _lower_match() -> Statement:
    from tscript.frontend.lowering.matching import lower_match

    return lower_match


def _lower_lambda() -> Expression:
    from tscript.frontend.values.callables import lower_lambda

    return lower_lambda


def _lower_fstring() -> Expression:
    from tscript.frontend.values.formatting import lower_fstring

    return lower_fstring


def _lower_expected() -> Expected:
    from tscript.frontend.values.containers import lower_expected

    return lower_expected


def _lower_function() -> Expected:
    from tscript.frontend.values.callables import lower_function

    return lower_function


_LITERALS: tuple[type[ast.expr], ...] = (
    ast.List,
    ast.Tuple,
    ast.Dict,
    ast.Set,
    ast.ListComp,
    ast.SetComp,
    ast.DictComp,
    ast.IfExp,
    ast.Subscript,
)


def _literal(literal: type[ast.expr]) -> Expected:
    from tscript.frontend.lowering.container_literals import EXPECTED

    return EXPECTED[literal]


@cache
def _calls() -> Mapping[type[Symbol], OfSymbol]:
    from tscript.frontend.lowering.calls import CALLS

    return LateTable({}, CALLS) | LateTable(
        {
            ForkSymbol: _fork,
            WaitSymbol: _wait,
            MethodSymbol: _call_of_class,
            OperatorSymbol: _call_operator,
            ExceptionSymbol: _call_exception,
            NumpySymbol: _call_numpy,
            VectorizedSymbol: _call_vectorized,
            NumpyTypeSymbol: _call_numpy_type,
            PythonSymbol: _call_builtin,
            TypeSymbol: _call_type_symbol,
        }
    )


def _fork() -> OfSymbol:
    from tscript.frontend.lowering.forks import fork

    return fork


def _wait() -> OfSymbol:
    from tscript.frontend.lowering.forks import wait

    return wait


def _call_of_class() -> OfSymbol:
    from tscript.frontend.lowering.method_calls import call_of_class

    return call_of_class


def _call_operator() -> OfSymbol:
    from tscript.frontend.values.tensors import call_operator

    return call_operator


def _call_exception() -> OfSymbol:
    from tscript.frontend.values.exceptions import call_exception

    return call_exception


def _call_numpy() -> OfSymbol:
    from tscript.frontend.values.array_functions import call_numpy

    return call_numpy


def _call_vectorized() -> OfSymbol:
    from tscript.frontend.values.vectorized import call_vectorized

    return call_vectorized


def _call_numpy_type() -> OfSymbol:
    from tscript.frontend.values.array_functions import call_type

    return call_type


def _call_builtin() -> OfSymbol:
    from tscript.frontend.values.builtins import lower_builtin

    return lower_builtin


def _call_type_symbol() -> OfSymbol:
    from tscript.frontend.values.options import call_type_symbol

    return call_type_symbol


def _name(lowering: FunctionLowering, node: ast.expr, target: Type | None) -> Value:
    """A name that takes its type from its place if it is a function."""
    if target is None or not any(isinstance(member, CallableType) for member in members_of(target)):
        return lowering.value(node)
    return _lower_function()(lowering, node, target)


def _cached(lowering: FunctionLowering, node: ast.Call) -> Value | None:
    from tscript.frontend.values.caches import member

    return member(lowering, node)


def _type_call(lowering: FunctionLowering, node: ast.Call) -> Value | None:
    from tscript.frontend.values.written_builtins import type_call

    return type_call(lowering, node)


def _class_call(lowering: FunctionLowering, node: ast.Call) -> Value | None:
    if not isinstance(node.func, ast.Call | ast.Attribute):
        return None
    from tscript.frontend.values.type_tests import class_call

    return class_call(lowering, node)


def _lower_compare() -> Callable[[FunctionLowering, Any], Value]:
    from tscript.frontend.values.type_tests import lower_compare

    return lower_compare


def _super(lowering: FunctionLowering, node: ast.Call) -> Value | None:
    from tscript.frontend.values.inheritance import lower_super

    return lower_super(lowering, node)


def _super_attribute(lowering: FunctionLowering, node: ast.Attribute) -> Value | None:
    from tscript.frontend.values.inheritance import super_attribute

    return super_attribute(lowering, node)


def _class_name(lowering: FunctionLowering, node: ast.Attribute) -> Value | None:
    from tscript.frontend.values.class_names import class_name

    return class_name(lowering, node)


def _function_named(lowering: FunctionLowering, symbol: Symbol, node: ast.expr) -> Value | None:
    from tscript.frontend.values.callables import named_function

    return named_function(lowering, symbol, node)


def _condition(lowering: FunctionLowering, node: ast.expr) -> Value:
    from tscript.frontend.lowering.conditions import lower_condition

    return lower_condition(lowering, node)


def _value_for(lowering: FunctionLowering, target: ast.expr, node: ast.expr) -> Value | None:
    from tscript.frontend.lowering.container_literals import lower_into

    return lower_into(lowering, target, node)


def _assign_from(lowering: FunctionLowering, target: ast.expr, node: ast.expr) -> None:
    from tscript.frontend.lowering.container_literals import assign_from

    assign_from(lowering, target, node)


def _store(lowering: FunctionLowering, target: ast.Subscript | ast.Attribute, value: Value) -> None:
    from tscript.frontend.lowering.subscripts import store

    store(lowering, target, value)


def _broadcast(lowering: FunctionLowering, value: Value, count: int, span: Span) -> Value:
    from tscript.frontend.lowering.broadcasting import broadcast

    return broadcast(lowering, value, count, span)


def _unassigned(lowering: FunctionLowering, type: Type | None, span: Span) -> Value:
    from tscript.frontend.lowering.unassigned import unassigned

    return unassigned(lowering, type, span)


def _assigned(lowering: FunctionLowering, name: str, found: Bound, span: Span) -> Value:
    from tscript.frontend.lowering.unassigned import assigned

    return assigned(lowering, name, found, span)


def _narrowing_of(lowering: FunctionLowering, node: ast.expr, holds: bool) -> Callable[[], None]:
    from tscript.frontend.lowering.refinement import narrowing_of

    return narrowing_of(lowering, node, holds)


def _abandoned(lowering: FunctionLowering, node: ast.AST) -> None:
    from tscript.frontend.lowering.unreached import look

    look(lowering, node)


def _silenced(lowering: FunctionLowering, node: ast.expr) -> None:
    from tscript.frontend.lowering.unreached import silence

    silence(lowering, node)


def _annotated_attribute(
    lowering: FunctionLowering, target: ast.Attribute, declared: Type, node: ast.expr | None
) -> None:
    from tscript.frontend.values.fields import annotated_field

    annotated_field(lowering, target, declared, node)


def _finish(lowering: FunctionLowering) -> None:
    from tscript.frontend.values.fields import finish_init

    finish_init(lowering)


def _fail_assert(lowering: FunctionLowering, message: ast.expr | None, span: Span) -> None:
    from tscript.frontend.values.exceptions import lower_failed_assert

    lower_failed_assert(lowering, message, span)


def _exception_class(lowering: FunctionLowering, node: ast.expr) -> ClassType:
    from tscript.frontend.lowering.messages import exception_class

    return exception_class(lowering, node)


LANGUAGE = Language(
    kinds=KINDS,
    statements=STATEMENTS
    | LateTable(
        {
            ast.AugAssign: _lower_augmented,
            ast.For: _lower_for,
            ast.Raise: _lower_raise,
            ast.With: _lower_with,
            ast.Delete: _lower_delete,
            ast.FunctionDef: _define,
            ast.Match: _lower_match,
        }
    ),
    expressions=EXPRESSIONS
    | LateTable({ast.Compare: _lower_compare, ast.Lambda: _lower_lambda, ast.JoinedStr: _lower_fstring}),
    expected=LateTable(
        {
            **{literal: partial(_literal, literal) for literal in _LITERALS},
            ast.Call: _lower_expected,
            ast.Lambda: _lower_function,
        },
        {ast.Name: _name, ast.Attribute: _name, ast.BinOp: arithmetic.lower_joined},
    ),
    calls=_calls,
    special_calls=(_cached, _type_call, _class_call, _super),
    special_attributes=(_super_attribute, _class_name),
    function_named=_function_named,
    apply=operators.apply,
    scalar=operators.scalar,
    condition=_condition,
    coerce=conversions.coerce,
    number_of=numbers_of_tensors.number_of,
    unify=conversions.unify,
    value_for=_value_for,
    assign_from=_assign_from,
    store=_store,
    broadcast=_broadcast,
    unassigned=_unassigned,
    assigned=_assigned,
    narrowing_of=_narrowing_of,
    abandoned=_abandoned,
    silenced=_silenced,
    annotated_attribute=_annotated_attribute,
    finish=_finish,
    fail_assert=_fail_assert,
    exception_class=_exception_class,
)


def lower_whole(program: LanguageProgram, instance: Instance, context: TypeContext) -> Contents:
    """Lower the body of a function of the language."""
    lowering = FunctionLowering(LANGUAGE, program, instance.function, instance.graph, instance.returns, context)
    if instance.function.cache is None:
        found = lower_body(lowering, instance)
    else:
        from tscript.frontend.values import shared_caches

        found = lower_body(lowering, instance, partial(shared_caches.lower, lowering, instance))
    if lowering.kept:
        from tscript.frontend.lowering.module_containers import check_kept

        check_kept(lowering, instance.graph)
    return found


def language_program(resolver: Resolver) -> LanguageProgram:
    """An empty program of the language."""
    return LanguageProgram(resolver, lower_whole)
