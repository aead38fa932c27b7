"""Operators of instances, enums and named tuples, which nobody calls by name. The first operand of those that make one
is its type.

Instances are Python's own to the interpreter; their fields are read and set past whatever their class has to say about
it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tscript.abi.exceptions import RECORD_FIELD
from tscript.definitions.define import native
from tscript.definitions.opdef import PURE, RAISES, Arg, Effects, OpDef, OperatorTypeError, Structural
from tscript.definitions.schema import parse_schema
from tscript.operators.python.blank import fill
from tscript.operators.python.exceptions import arguments_of
from tscript.types import BOOL, INT, NEVER, NONE, OPTIONS, STR, ClassType, EnumType, TupleType, Type, is_heap, passes_as
from tscript.types.options import Option


def field_type(owner: Type, name: object) -> Type:
    """The type of a field.

    Raises:
        OperatorTypeError: There is none of that name.
    """
    if (
        not isinstance(owner, ClassType)
        or not isinstance(name, str)
        or name not in owner.info.fields
        or name == RECORD_FIELD
    ):
        raise OperatorTypeError(f"{owner} has no field {name!r}")
    return owner.info.fields[name]


def _new_rule(args: Sequence[Arg]) -> Type:
    found = args[0].constant
    if not isinstance(found, ClassType):
        raise OperatorTypeError("the operand is the type of the instance")
    return found


def _new(type: Any) -> object:
    cls = type.info.python
    made: object = cls.__new__(cls)
    fill(made, type)
    return made


def _get_rule(args: Sequence[Arg]) -> Type:
    return field_type(args[0].type, args[1].constant)


def _get(self: object, name: str) -> object:
    return object.__getattribute__(self, name)


def _set_rule(args: Sequence[Arg]) -> Type:
    wanted = field_type(args[0].type, args[1].constant)
    if not passes_as(args[2].type, wanted):
        raise OperatorTypeError(f"field {args[1].constant!r} must be {wanted}, not {args[2].type}")
    return NONE


def _set(self: object, name: str, value: object) -> None:
    if name == "args" and isinstance(self, BaseException):
        value = arguments_of(value)
    object.__setattr__(self, name, value)


def _class_name_rule(args: Sequence[Arg]) -> Type:
    for arg in args:
        if not isinstance(arg.type, ClassType):
            raise OperatorTypeError(f"the operand is an instance, not {arg.type}")
    return STR


def _same_class_rule(args: Sequence[Arg]) -> Type:
    _class_name_rule(args)
    return BOOL


def _is_class_rule(args: Sequence[Arg]) -> Type:
    _class_name_rule(args[:1])
    if not isinstance(args[1].constant, ClassType):
        raise OperatorTypeError("the second operand is the type of a class")
    return BOOL


def _is_class(self: object, type: Any) -> bool:
    return self.__class__ is type.info.python


def _same_rule(args: Sequence[Arg]) -> Type:
    for arg in args:
        if not is_heap(arg.type) and arg.type != NEVER:
            raise OperatorTypeError(f"a {arg.type} is no object")
    return BOOL


def _is_same(value: object, other: object) -> bool:
    return value is other


def _named_rule(args: Sequence[Arg]) -> Type:
    found = args[0].constant if args else None
    if not isinstance(found, TupleType) or found.named is None or len(found.elements) != len(args) - 1:
        raise OperatorTypeError(
            "the first operand is the type of the named tuple, and it has one element for each other"
        )
    for arg, wanted in zip(args[1:], found.elements, strict=True):
        if not passes_as(arg.type, wanted):
            raise OperatorTypeError(f"an element of {found} must be {wanted}, not {arg.type}")
    return TupleType(tuple(arg.type for arg in args[1:]), found.named)


def _named(type: Any, *elements: object) -> object:
    return tuple.__new__(type.named.python, elements)


def _index_rule(args: Sequence[Arg]) -> Type:
    if not isinstance(args[0].type, EnumType) and args[0].type not in OPTIONS:
        raise OperatorTypeError(f"{args[0].type} is no enum")
    return INT


def _index(value: Any) -> int:
    if isinstance(value, Option):
        return value.number
    members: list[object] = list(value.__class__)
    return members.index(value)


NO_MEMBER = "there is no member of this number"


def _member_rule(args: Sequence[Arg]) -> Type:
    found = args[0].constant
    if not isinstance(found, EnumType) and found not in OPTIONS:
        raise OperatorTypeError("the first operand is the type of the enum")
    assert isinstance(found, Type)
    return found


def _member(type: Any, index: int) -> object:
    members = OPTIONS[type].members if type in OPTIONS else list(type.info.python)
    if not 0 <= index < len(members):
        raise IndexError(NO_MEMBER)
    return members[index]


OBJECT_NEW = OpDef(
    parse_schema("object.make(type type) -> Any"),
    _new_rule,
    _new,
    Structural(),
    Effects(raises=True, world=True),
    "A new instance whose fields are not set: late ones are missing; other numbers are 0, what may be None is.",
    portable=True,
)
GET_FIELD = native(
    "get_field.object(object self, str name) -> Any",
    _get,
    None,
    "A field; AttributeError before a late one is set.",
    rule=_get_rule,
    effects=RAISES,
)
SET_FIELD = native(
    "set_field.object(object self, str name, Any value) -> None",
    _set,
    None,
    "Sets a field.",
    rule=_set_rule,
    effects=Effects(raises=True, world=True),
)
IS_SAME = OpDef(
    parse_schema("is_same(Any value, Any other) -> bool"),
    _same_rule,
    _is_same,
    Structural(),
    PURE,
    "Whether two heap objects are the same.",
    portable=True,
)
NAMED_MAKE = OpDef(
    parse_schema("named.make(type type, Any elements) -> Any"),
    _named_rule,
    _named,
    Structural(),
    PURE,
    "A named tuple.",
    variadic=True,
    portable=True,
)
ENUM_INDEX = OpDef(
    parse_schema("enum.index(Any value) -> int"),
    _index_rule,
    _index,
    Structural(),
    PURE,
    "The number of a member.",
    portable=True,
)
ENUM_MEMBER = OpDef(
    parse_schema("enum.member(type type, int index) -> Any"),
    _member_rule,
    _member,
    Structural(),
    RAISES,
    "The member with a number.",
    portable=True,
)
CLASS_NAME = native(
    "class_name.object(object self) -> str",
    lambda self: type(self).__name__,
    "exceptions.object_class_name",
    "The name of the class of an instance.",
    rule=_class_name_rule,
    effects=RAISES,
)
SAME_CLASS = native(
    "same_class.object(object self, object other) -> bool",
    lambda self, other: type(self) is type(other),
    "exceptions.object_same_class",
    "Whether two instances are of one class.",
    rule=_same_class_rule,
    effects=PURE,
)
IS_CLASS = OpDef(
    parse_schema("is_class.object(object self, type type) -> bool"),
    _is_class_rule,
    _is_class,
    Structural(),
    PURE,
    "Whether an instance is one of exactly this class, and of none derived from it.",
    portable=True,
)
CLASSES: tuple[OpDef, ...] = (
    OBJECT_NEW, GET_FIELD, SET_FIELD, IS_SAME, NAMED_MAKE, ENUM_INDEX, ENUM_MEMBER, CLASS_NAME, SAME_CLASS, IS_CLASS
)  # fmt: skip
