"""Operators of values of any type."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tscript.abi.layout import CLASS_ORDER
from tscript.definitions.opdef import Arg, KernelBody, OpDef, OperatorTypeError
from tscript.definitions.tensor_printing import shown, value_repr
from tscript.operators.python.lists import reads
from tscript.types import BOOL, BYTES, FLOAT, INT, STR, ClassType, EnumType, ListType, TupleType, Type, general


def _compared(args: Sequence[Arg]) -> Type:
    """Native code compares values of one type, cell by cell."""
    value, other = args
    if value.type != other.type and general(value.type) != general(other.type):
        raise OperatorTypeError(f"'{value.type}' is not compared with '{other.type}'")
    return BOOL


def _ordered(args: Sequence[Arg]) -> Type:
    """The rule of comparisons by order: two values of one type that has one.

    Elements of tuples behind the first may be of any type: a heap of ``(priority, count, task)`` never compares tasks.
    Those without an order raise TypeError when they are compared.
    """
    if not _has_order(args[0].type):
        raise OperatorTypeError(f"values of type {args[0].type} have no order")
    return _compared(args)


def _has_order(type: Type) -> bool:
    match type:
        case TupleType():
            return not type.elements or _has_order(type.elements[0])
        case ListType():
            return _has_order(type.element)
        case ClassType():
            return bool(type.info.flags & CLASS_ORDER)
        case EnumType():
            return bool(type.info.kind)
    return type in (INT, FLOAT, BOOL, STR, BYTES)


def _compares(schema: str, semantics: Callable[..., object], body: KernelBody, doc: str) -> OpDef:
    rule = _compared if schema.startswith(("eq.", "ne.")) else _ordered
    return reads(schema, semantics, body, doc, rule=rule)


OPERATORS: tuple[OpDef, ...] = (
    reads(
        "hash.any(Any value) -> int",
        hash,
        "values_any.any_hash",
        "The hash of a value; CPython's for numbers and tuples of them.",
        exact=False,
    ),
    _compares(
        "eq.any(Any value, Any other) -> bool",
        lambda a, b: a == b,
        "values_any.any_eq",
        "Whether two values are equal.",
    ),
    _compares(
        "ne.any(Any value, Any other) -> bool",
        lambda a, b: a != b,
        "values_any.any_ne",
        "Whether two values are not equal.",
    ),
    _compares(
        "lt.any(Any value, Any other) -> bool",
        lambda a, b: a < b,
        "values_any.any_lt",
        "Whether a value comes before another.",
    ),
    _compares(
        "le.any(Any value, Any other) -> bool",
        lambda a, b: a <= b,
        "values_any.any_le",
        "Whether it does not come after.",
    ),
    _compares(
        "gt.any(Any value, Any other) -> bool",
        lambda a, b: a > b,
        "values_any.any_gt",
        "Whether a value comes after another.",
    ),
    _compares(
        "ge.any(Any value, Any other) -> bool",
        lambda a, b: a >= b,
        "values_any.any_ge",
        "Whether it does not come before.",
    ),
    reads("repr.any(Any value) -> str", value_repr, "representation.repr_value", "The value as text."),
    reads(
        "str.any(Any value) -> str",
        shown,
        "representation.str_value",
        "``str()`` of a value that is no str and no exception: another text than its repr for members of enums.",
    ),
)
