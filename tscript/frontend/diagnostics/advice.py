"""Help lines about types: how to narrow a union, what an operator takes instead."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence

from tscript.frontend.diagnostics.type_names import article
from tscript.types import (
    ANY,
    BOOL,
    BYTES,
    COMPLEX,
    DTYPE,
    FLOAT,
    INT,
    NONE,
    STR,
    ClassType,
    DictType,
    EnumType,
    ListType,
    OptionalType,
    SetType,
    SizeType,
    TensorType,
    TupleType,
    Type,
    UnionType,
    members_of,
)

_SPECIAL = {
    "+": "__add__",
    "-": "__sub__",
    "*": "__mul__",
    "/": "__truediv__",
    "//": "__floordiv__",
    "%": "__mod__",
    "**": "__pow__",
    "@": "__matmul__",
    "&": "__and__",
    "|": "__or__",
    "^": "__xor__",
    "<<": "__lshift__",
    ">>": "__rshift__",
    "==": "__eq__",
    "!=": "__ne__",
    "<": "__lt__",
    "<=": "__le__",
    ">": "__gt__",
    ">=": "__ge__",
}
"""The special method of each sign."""

NUMBERS = (INT, FLOAT, BOOL, COMPLEX)


def narrowing(types: Iterable[Type]) -> str:
    """What to do before a value of a union can be used; empty when none of the types is one."""
    for type in types:
        if isinstance(type, OptionalType):
            return "it may be None: test it first, with 'is not None'"
        if isinstance(type, UnionType) and type.members:
            *most, last = map(article, members_of(type))
            return f"it may be {', '.join(most)} or {last}: test it first, with 'isinstance'"
        if type == ANY:
            return "it may be anything: test it first, with 'isinstance'"
    return ""


def narrowing_owner(type: Type, target: ast.expr) -> str:
    """`narrowing` of the value whose attribute is assigned to: an attribute itself may change while the new value is
    made."""
    if isinstance(type, OptionalType) and isinstance(target, ast.Attribute) and isinstance(target.value, ast.Attribute):
        name, owner = target.value.attr, ast.unparse(target.value)
        return f"it may be None: keep it in a name, '{name} = {owner}', and test that, with 'is not None'"
    return narrowing([type])


def counted(type: Type, node: ast.expr) -> str:
    """How to make an int of a number of another type."""
    if found := narrowing([type]):
        return found
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
        return "a whole number is 'a // b', or int(...)"
    if isinstance(node, ast.Constant) and type == FLOAT:
        return "count with ints, and compute the float from them: 'x = start + i * step'"
    return "convert it: int(...)" if type in NUMBERS or isinstance(type, TensorType) else ""


def defining(type: Type, method: str) -> str:
    """The special method to define in a class; empty for other types."""
    return f"define '{method}' in the class" if isinstance(type, ClassType) else ""


def operands(sign: str, types: Sequence[Type]) -> str:
    """How to fix operands that an operator sign does not take."""
    compares = sign in ("<", "<=", ">", ">=", "==", "!=")
    if found := narrowing(types):
        return found
    if NONE in types:
        return "None can only be compared: 'is None'"
    if any(isinstance(t, ClassType) for t in types):
        name = _SPECIAL.get(sign) if len(types) > 1 else {"-": "__neg__", "+": "__pos__", "~": "__invert__"}.get(sign)
        return f"define '{name}' in the class" if name else "give its attributes to the operator"
    if any(isinstance(t, EnumType) for t in types):
        return "use the value of the member: '.value'"
    if any(isinstance(t, TensorType) for t in types):
        return "write '*' for a number" if sign == "@" else "the other operand must be a tensor or a number"
    if BYTES in types and STR in types:
        return "convert one of them: s.encode() gives bytes, b.decode() a str"
    if DTYPE in types:
        return "compare with a dtype: x.dtype == tscript.float32" if compares else ""
    if STR in types:
        return _text_operands(sign, types, compares)
    if compares and any(isinstance(t, DictType | SetType) for t in types):
        return "dicts have only '==', and sets compare with sets of the same type"
    if compares and any(isinstance(t, ListType | TupleType) for t in types):
        return "both must have the same type, with comparable elements"
    if any(isinstance(t, SetType) for t in types):
        return "sets have '|', '&', '-' and '^' with sets of the same type: make one, set(...)"
    if any(isinstance(t, DictType) for t in types):
        return "dicts have '|' with dicts of the same type"
    if any(isinstance(t, ListType) for t in types):
        return _list_operands(sign, types)
    if any(isinstance(t, TupleType | SizeType) for t in types):
        return "work on the elements: t[0], or unpack it: 'a, b = t'"
    if all(t in NUMBERS for t in types):
        if COMPLEX in types:
            return "complex numbers have no order: compare their abs(...)" if compares else ""
        if sign in ("&", "|", "^", "<<", ">>", "~"):
            return "it takes ints: int(...)" + ("; a power is 'x ** y'" if sign == "^" else "")
        return "convert one of them: int(...), float(...)"
    return "work on numbers, strings, lists or tensors"


def _text_operands(sign: str, types: Sequence[Type], compares: bool) -> str:
    if compares:
        return "compare two strings, or two numbers: str(...), int(...) and float(...) convert"
    if sign == "+":
        return "a str can only be joined with a str: convert it, str(...), or write an f-string"
    return "strings have '+' with a str, '*' with an int and '%'; int(...) and float(...) read a number"


def _list_operands(sign: str, types: Sequence[Type]) -> str:
    if sign == "+" and all(isinstance(t, ListType) and not t.frozen for t in types):
        return "both must have the same element type: convert one, [float(x) for x in xs]"
    if sign == "+":
        return "a list can only be joined with a list: [x], or list(...)"
    return "lists have '+' with a list and '*' with an int; loop over the elements: [x * 2 for x in xs]"
