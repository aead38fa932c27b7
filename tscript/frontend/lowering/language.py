"""`Language`: the rules of the language as one record, an argument of lowering.

`tscript.frontend.language` makes it, so the modules of this package depend only on its type. `L` is the class that
lowers a function.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic, TypeVar

from tscript.definitions.opdef import OpDef
from tscript.diagnostics import Span
from tscript.frontend.lowering.kinds import Kinds
from tscript.frontend.lowering.scopes import Bound
from tscript.frontend.source.symbols import Symbol
from tscript.ir.graph import Value
from tscript.late import dataclass
from tscript.types import ClassType, Type

L = TypeVar("L")


@dataclass(frozen=True, slots=True)
class Language(Generic[L]):
    """The rules of the language.

    Attributes:
        kinds: The operations of values.
        statements: What lowers each class of statement.
        expressions: What lowers each class of expression.
        expected: What lowers expressions that take their type from the context.
        calls: Imports what lowers a call of a symbol.
        special_calls: Calls with a meaning of their own, tried one after the other.
        special_attributes: The same of attributes.
        function_named: A named function as a value; None for other names.
        apply: An operator of the table by its name.
        scalar: One operator, inputs complete.
        condition: The truth of an expression.
        coerce: A value as one of a type, where that is implicit.
        number_of: The element of a tensor where a number is wanted; None for other values and types.
        unify: The common type of two values.
        value_for: An expression that takes its type from the element or attribute it is assigned to; None for others.
        assign_from: An expression that is assigned to a target.
        store: ``x[index] = value`` and ``x.name = value``.
        broadcast: A number as a list that holds it that many times; another value as it is.
        unassigned: The value of a name before one of a type is assigned to it.
        assigned: The value of a name that may not have been assigned, after a test.
        narrowing_of: How a condition narrows types; calling the result applies it.
        abandoned: Checks the parts of a statement or expression that were not reached.
        silenced: Poisons the names that a condition with an error may narrow.
        annotated_attribute: ``x.name: T = value``.
        finish: The end of a function.
        fail_assert: What happens when an ``assert`` fails.
        exception_class: The class of exceptions that an expression names.
    """

    kinds: Kinds[L]
    statements: Mapping[type[ast.stmt], Callable[[L, Any], None]]
    expressions: Mapping[type[ast.expr], Callable[[L, Any], Value]]
    expected: Mapping[type[ast.expr], Callable[[L, Any, Type | None], Value]]
    calls: Callable[[], Mapping[type[Symbol], Callable[[L, ast.Call, Any], Value]]]
    special_calls: Sequence[Callable[[L, ast.Call], Value | None]]
    special_attributes: Sequence[Callable[[L, ast.Attribute], Value | None]]
    function_named: Callable[[L, Symbol, ast.expr], Value | None]
    apply: Callable[[L, str, Sequence[Value], Span, Mapping[str, Value] | None, str], Value]
    scalar: Callable[[L, OpDef, Sequence[Value], Span], Value]
    condition: Callable[[L, ast.expr], Value]
    coerce: Callable[[L, Value, Type, Span], Value | None]
    number_of: Callable[[L, Value, Type, Span], Value | None]
    unify: Callable[[L, Value, Value], Type | None]
    value_for: Callable[[L, ast.expr, ast.expr], Value | None]
    assign_from: Callable[[L, ast.expr, ast.expr], None]
    store: Callable[[L, ast.Subscript | ast.Attribute, Value], None]
    broadcast: Callable[[L, Value, int, Span], Value]
    unassigned: Callable[[L, Type | None, Span], Value]
    assigned: Callable[[L, str, Bound, Span], Value]
    narrowing_of: Callable[[L, ast.expr, bool], Callable[[], None]]
    abandoned: Callable[[L, ast.AST], None]
    silenced: Callable[[L, ast.expr], None]
    annotated_attribute: Callable[[L, ast.Attribute, Type, ast.expr | None], None]
    finish: Callable[[L], None]
    fail_assert: Callable[[L, ast.expr | None, Span], None]
    exception_class: Callable[[L, ast.expr], ClassType]
