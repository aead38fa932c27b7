"""Operators on exceptions as values."""

from __future__ import annotations

from collections.abc import Sequence
from types import FunctionType
from typing import Any

from tscript.abi.exceptions import is_exception, is_raisable
from tscript.arrays import np
from tscript.definitions.define import native
from tscript.definitions.opdef import RAISES, Arg, Effects, OpDef, OperatorTypeError, Structural
from tscript.definitions.schema import parse_schema
from tscript.definitions.tensor_printing import array_repr, shown
from tscript.operators.python.blank import fill
from tscript.types import ANY, NONE, STR, ClassType, ListType, OptionalType, Type, is_heap

WORLD = Effects(world=True)


def _class(args: Sequence[Arg]) -> Type:
    found = args[1].constant
    if not isinstance(found, ClassType) or not is_raisable(found):
        raise OperatorTypeError("the second operand is a class of exceptions that can be raised")
    if args[0].type != NONE and not is_heap(args[0].type):
        raise OperatorTypeError(f"the arguments are None or an object, not a {args[0].type}")
    return found


def _none(args: Sequence[Arg]) -> Type:
    exception, cause = (a.type for a in args)
    held = cause.value if isinstance(cause, OptionalType) else cause
    if not is_exception(exception) or not is_exception(held):
        raise OperatorTypeError("both operands are exceptions, the second may be None")
    return NONE


def _text(args: Sequence[Arg]) -> Type:
    if not is_exception(args[0].type):
        raise OperatorTypeError("the operand is an exception")
    return STR


def _args(args: Sequence[Arg]) -> Type:
    _text(args)
    return ListType(ANY, frozen=True)


def _new(args: object, type: object) -> object:
    assert isinstance(type, ClassType) and type.info.python is not None
    cls: Any = type.info.python
    given = arguments_of(args)
    if isinstance(cls.__init__, FunctionType):
        made: Any = cls.__new__(cls, *given)
        made.args = given
    else:
        made = cls(*given)
    fill(made, type)
    return made


def arguments_of(whole: object) -> tuple[object, ...]:
    """The arguments of an exception from the one value that stands for them."""
    return () if whole is None else whole if isinstance(whole, tuple) else (whole,)


def _builtin(exception: object, name: str) -> object:
    """What a special method of the nearest builtin class gives."""
    cls: Any = next(c for c in type(exception).__mro__ if c.__module__ == "builtins")
    args = exception.args if isinstance(exception, BaseException) else ()
    if name == "__str__" and cls.__str__ is BaseException.__str__ and len(args) == 1:
        return shown(args[0])
    with np.printoptions(override_repr=array_repr):
        return getattr(cls, name)(exception)


def _str(exception: object) -> object:
    return _builtin(exception, "__str__")


def _repr(exception: object) -> object:
    return _builtin(exception, "__repr__")


def _chain(exception: object, cause: object) -> None:
    assert isinstance(exception, BaseException) and (cause is None or isinstance(cause, BaseException))
    exception.__cause__ = cause


NEW = OpDef(
    parse_schema("new.exception(Any args, type type) -> Any"),
    _class,
    _new,
    Structural(),
    WORLD,
    "A new exception: `args` is None for no arguments, a tuple for several, else the only one.",
    portable=True,
)
CHAIN = OpDef(
    parse_schema("chain.exception(Any exception, Any cause) -> None"),
    _none,
    _chain,
    Structural(),
    WORLD,
    "Sets the cause of an exception, or takes it away.",
    portable=True,
)
TEXT = native(
    "str.exception(object self) -> str",
    _str,
    "exceptions.exception_str",
    "``str()`` of an exception.",
    rule=_text,
    effects=RAISES,
)
REPR = native(
    "repr.exception(object self) -> str",
    _repr,
    "exceptions.exception_repr",
    "``repr()`` of an exception.",
    rule=_text,
    effects=RAISES,
)
ARGS = native(
    "args.exception(object self) -> list",
    lambda e: e.args,
    "exceptions.exception_args",
    "The arguments of an exception.",
    rule=_args,
    effects=RAISES,
    typed=True,
)
EXCEPTION_OPERATORS: tuple[OpDef, ...] = (NEW, CHAIN, TEXT, REPR, ARGS)
