"""Operators between a type and a wider one: optionals, unions, `Any`, base classes. All are the identity on values.

A value of a union (or of `Any`) is the address of a heap object or null for None; what does not live on the heap is put
in a box. So there are two pairs: `UPCAST` and `DOWNCAST` change nothing but the type, `BOX` makes a new object and
`UNBOX` reads one. `widen_operator` and `narrow_operator` say which of them a conversion takes.
"""

from __future__ import annotations

from collections.abc import Sequence

from tscript.definitions.opdef import PURE, RAISES, Arg, Effects, OpDef, OperatorTypeError, Structural
from tscript.definitions.schema import parse_schema
from tscript.types import (
    ANY,
    BOOL,
    NEVER,
    NONE,
    SIZE,
    TENSOR,
    TYPE,
    OptionalType,
    TensorType,
    Type,
    UnionType,
    has_same_form,
    is_heap,
    is_subtype,
    passes_as,
)


def is_object(type: Type) -> bool:
    """Whether values of `type` are addresses of objects of which only the header says what they are."""
    return type == ANY or isinstance(type, UnionType)


def _to_type(args: Sequence[Arg]) -> Type:
    found = args[1].constant
    if not isinstance(found, Type):
        raise OperatorTypeError("the second operand is a type")
    return found


def _refuse(source: Type, target: Type) -> OperatorTypeError:
    return OperatorTypeError(f"a {source} does not become a {target} in this way")


def _up(args: Sequence[Arg]) -> Type:
    """The forms are the same, or the target has a flag beside."""
    target, source = _to_type(args), args[0].type
    same = passes_as(source, target) and has_same_form(source, target)
    flagged = (
        isinstance(target, OptionalType) and passes_as(source, target.value) and has_same_form(source, target.value)
    )
    absent = source == NONE and (isinstance(target, OptionalType) or is_object(target)) and is_subtype(NONE, target)
    if not (same or flagged or absent):
        raise _refuse(source, target)
    return target


def _down(args: Sequence[Arg]) -> Type:
    """What an optional holds, or an object that says itself what it is."""
    target, source = _to_type(args), args[0].type
    if isinstance(source, TensorType) and isinstance(target, TensorType) and is_subtype(source, target):
        return source  # what was an optional when the target was named is known by now
    held = isinstance(source, OptionalType) and source.value == target
    absent = target == NONE and is_subtype(NONE, source) and (isinstance(source, OptionalType) or is_object(source))
    told = is_heap(source) and is_heap(target) and is_subtype(target, source) and not tells_of_tensors(target)
    if source != target and not (held or absent or told):
        raise _refuse(source, target)
    return target


def tells_of_tensors(type: Type) -> bool:
    """Whether `type` is a Size, or a tensor of a dtype or rank: objects only say of themselves that they are
    tensors."""
    return type == SIZE or (isinstance(type, TensorType) and type != TENSOR)


def _boxed(args: Sequence[Arg]) -> Type:
    target, source = _to_type(args), args[0].type
    if not (is_subtype(source, target) and is_object(target)) or not is_boxed(source):
        raise _refuse(source, target)
    return target


def _unboxed(args: Sequence[Arg]) -> Type:
    target, source = _to_type(args), args[0].type
    if not (is_subtype(target, source) and is_object(source)) or not is_boxed(target):
        raise _refuse(source, target)
    return target


def is_boxed(type: Type) -> bool:
    """Whether values of `type` are put in a box as they are: optionals go by cases."""
    return type not in (NONE, NEVER, TYPE) and not isinstance(type, OptionalType) and not is_heap(type)


def _bool(args: Sequence[Arg]) -> Type:
    found = args[0].type
    if found not in (NONE, NEVER) and not isinstance(found, OptionalType) and not is_heap(found):
        raise OperatorTypeError(f"a {found} is never None")
    return BOOL


def _tested(args: Sequence[Arg]) -> Type:
    target = _to_type(args)
    if not is_heap(args[0].type):
        raise _refuse(args[0].type, target)
    return BOOL


def _same(value: object, type: object) -> object:
    return value


def _is_none(value: object) -> bool:
    return value is None


def _is_instance(value: object, type: object) -> bool:
    from tscript.definitions.values import is_value_of

    assert isinstance(type, Type)
    return is_value_of(value, type)


UPCAST = OpDef(
    parse_schema("upcast(Any value, type type) -> Any"),
    _up,
    _same,
    Structural(),
    doc="A value of a wider type.",
    portable=True,
)
DOWNCAST = OpDef(
    parse_schema("downcast(Any value, type type) -> Any"),
    _down,
    _same,
    Structural(),
    RAISES,
    "A value known to be one.",
    portable=True,
)
BOX = OpDef(
    parse_schema("box(Any value, type type) -> Any"),
    _boxed,
    _same,
    Structural(),
    Effects(world=True),
    doc="A value that does not live on the heap as one of a union.",
    portable=True,
)
UNBOX = OpDef(
    parse_schema("unbox(Any value, type type) -> Any"),
    _unboxed,
    _same,
    Structural(),
    RAISES,
    "What was put in a box.",
    portable=True,
)
IS_NONE = OpDef(
    parse_schema("is_none(Any value) -> bool"),
    _bool,
    _is_none,
    Structural(),
    PURE,
    "Whether an optional is None.",
    portable=True,
)
IS_INSTANCE = OpDef(
    parse_schema("is_instance(Any value, type type) -> bool"),
    _tested,
    _is_instance,
    Structural(),
    PURE,
    "Whether a value of a union, of `Any` or of a class is one of a type.",
    portable=True,
)
CONVERSIONS: tuple[OpDef, ...] = (UPCAST, DOWNCAST, BOX, UNBOX, IS_NONE, IS_INSTANCE)


def widen_operator(source: Type, target: Type) -> OpDef:
    """What makes a value of `source` one of its supertype `target`."""
    return BOX if is_object(target) and source != NONE and not is_heap(source) else UPCAST


def narrow_operator(source: Type, target: Type) -> OpDef:
    """What makes a value of `source` one of `target`, which it is known to be."""
    inner = source.value if isinstance(source, OptionalType) else source
    return UNBOX if is_object(inner) and target != NONE and not is_heap(target) else DOWNCAST
