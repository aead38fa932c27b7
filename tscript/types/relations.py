"""Relations between types: subtype and join (the least type that holds both)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tscript.types import dtypes
from tscript.types.base import MAX_MEMBERS, Type, TypeLimitError
from tscript.types.dtypes import DType
from tscript.types.lifetime import kept_by_type
from tscript.types.types import (
    ANY,
    BOOL,
    BYTES,
    COMPLEX,
    DTYPE,
    FLOAT,
    GENERATOR,
    INT,
    NEVER,
    NONE,
    NUMBER,
    OPTIONS,
    SIZE,
    STR,
    ArrayType,
    CallableType,
    ClassType,
    DictType,
    EnumType,
    FutureType,
    ListType,
    OptionalType,
    ScalarType,
    SetType,
    SizeType,
    TensorType,
    TupleType,
    UnionType,
)


def is_heap(type: Type) -> bool:
    """Whether a value of `type` is the address of one heap object (for a union, of any or of none)."""
    if isinstance(type, OptionalType):
        return is_heap(type.value)
    return type in (STR, BYTES, ANY, GENERATOR) or isinstance(
        type,
        ListType | DictType | SetType | ClassType | UnionType | CallableType | TensorType | SizeType | FutureType,
    )


@kept_by_type
def references_in(type: Type) -> int:
    """How many references to heap objects a value of `type` holds.

    Example:
        >>> references_in(TupleType((STR, INT, OptionalType(STR))))
        2
    """
    if isinstance(type, TupleType):
        return sum(map(references_in, type.elements))
    if is_heap(type):
        return 1
    return references_in(type.value) if isinstance(type, OptionalType) else 0


def is_counted(type: Type) -> bool:
    """Whether values of `type` own references: heap values, and tuples and optionals with one inside."""
    return references_in(type) > 0


def optional(type: Type) -> Type:
    """`type` or None.

    Example:
        >>> str(optional(optional(INT))), str(optional(ANY))
        ('Optional[int]', 'Any')
    """
    if type in (NONE, ANY) or isinstance(type, OptionalType):
        return type
    return union([*type.members, NONE]) if isinstance(type, UnionType) else OptionalType(type)


def is_instance_of(type: Type, wanted: Type) -> bool:
    """Whether `isinstance` says of all values of a type that they are of another one: bools are ints, and members of an
    IntEnum or a StrEnum are ints or strings.

    Example:
        >>> is_instance_of(BOOL, INT), is_instance_of(INT, BOOL)
        (True, False)
    """
    if isinstance(type, EnumType) and type.info.kind:
        return wanted in (type, INT if type.info.kind == "int" else STR)
    if type == ScalarType(dtypes.float64) and wanted == FLOAT:
        return True
    return is_subtype(type, wanted) or (wanted == INT and type == BOOL)


def instances_of(type: Type) -> tuple[Type, ...]:
    """The types whose values are found by `isinstance` of `type` in a value that may be anything.

    Example:
        >>> [str(t) for t in instances_of(union([INT, STR]))]
        ['int', 'str', 'bool']
    """
    members = members_of(type)
    return (*members, BOOL) if INT in members and BOOL not in members else tuple(members)


def union(members: Sequence[Type]) -> Type:
    """The type of values of any of `members`: flat, without repetitions; `NONE` comes last.

    Example:
        >>> str(union([INT, NONE])), str(union([NONE, STR, INT, STR]))
        ('Optional[int]', 'Union[str, int, None]')
    """
    flat: dict[Type, None] = {}
    for member in members:
        if isinstance(member, UnionType):
            flat |= dict.fromkeys(member.members)
        elif isinstance(member, OptionalType):
            flat |= {member.value: None, NONE: None}
        else:
            flat[member] = None
    if ANY in flat:
        return ANY
    if len(flat) > 2 * MAX_MEMBERS:  # each is compared with each
        raise TypeLimitError(f"a union has at most {MAX_MEMBERS} members, this one would be made of {len(flat)}")
    found = [m for m in flat if m != NONE and not any(m != o and is_subtype(m, o) for o in flat)]
    if {*found} == {*NUMBER.members}:
        found = [*NUMBER.members]
    if NONE not in flat:
        return found[0] if len(found) == 1 else UnionType(tuple(found))
    if not found:
        return NONE
    return OptionalType(found[0]) if len(found) == 1 else UnionType((*found, NONE))


def is_subtype(a: Type, b: Type) -> bool:
    """Whether every value of `a` is one of `b`: a tensor of known dtype is a tensor, a tuple of ints is a Size."""
    if a in (b, NEVER):
        return True
    return _is_known_subtype(a, b) if a.parts > LARGE else _is_subtype(a, b)


LARGE = 64
"""Parts of a type from which on what was found out about it is kept for a while."""


def _is_subtype(a: Type, b: Type) -> bool:
    match a, b:
        case TensorType(), ArrayType():
            return False
        case TensorType(), TensorType():
            return b.facts.holds(a.facts)
        case TupleType(), TupleType():
            return len(a.elements) == len(b.elements) and all(map(is_subtype, a.elements, b.elements))
        case TupleType(), SizeType():
            return all(e == INT for e in a.elements)
        case FutureType(), FutureType():
            return is_subtype(a.value, b.value) and has_same_form(a.value, b.value)
        case ListType(element=TensorType(), frozen=True), ListType(element=TensorType(), frozen=True):
            return is_subtype(a.element, b.element) and not isinstance(a.element, ArrayType)
        case _, UnionType():
            return all(any(is_subtype(x, y) for y in b.members) for x in members_of(a))
        case _, OptionalType():
            return all(x == NONE or is_subtype(x, b.value) for x in members_of(a))
        case ClassType(), ClassType():
            return a.info.derives_from(b.info)
    return b == ANY


_is_known_subtype = kept_by_type(_is_subtype)


def is_given(type: Type) -> bool:
    """Whether a task may give values of `type` to whoever waits for it: what it may take, and lists of that. Everyone
    who waits gets a list of their own.

    Example:
        >>> is_given(TupleType((INT, ListType(STR)))), is_given(DictType(STR, INT))
        (True, False)
    """
    match type:
        case TupleType(elements=elements, named=None):
            return all(map(is_given, elements))
        case ListType(element=element):
            return is_taken(element)
    return is_taken(type)


def is_taken(type: Type) -> bool:
    """Whether a task may be given values of `type`: numbers, tensors, texts, futures and whatever else never changes;
    two threads that change one list would write over each other's memory.

    Example:
        >>> is_taken(OptionalType(STR)), is_taken(ListType(INT))
        (True, False)
    """
    match type:
        case TensorType() | SizeType() | EnumType():
            return True
        case TupleType(elements=elements):
            return all(map(is_taken, elements))
        case OptionalType(value=value):
            return is_taken(value)
        case ListType(element=element, frozen=True):
            return is_taken(element)
        case FutureType(value=value):
            return is_given(value)
    return type in (INT, FLOAT, BOOL, NUMBER, COMPLEX, STR, BYTES, DTYPE, NONE, NEVER, *OPTIONS)


def waited(type: Type) -> Type:
    """What waiting for a task gives: lists that nobody changes in the place of lists.

    Example:
        >>> str(waited(TupleType((INT, ListType(STR)))))
        'tuple[int, tuple[str, ...]]'
    """
    match type:
        case TupleType(elements=elements, named=None):
            return TupleType(tuple(map(waited, elements)))
        case ListType(element=element, frozen=False):
            return ListType(element, frozen=True)
    return type


def spoken(type: Type) -> str:
    """A type as messages name it: without the numbers that tell classes of one name apart, ``model.Color`` for the
    third class of that name.

    Example:
        >>> spoken(FLOAT)
        'float'
    """
    return re.sub(r"\.\d+\.(?=\w)", ".", str(type))


def members_of(type: Type) -> tuple[Type, ...]:
    """The types a value may have: the members of a union, the value of an optional and `NONE`, else the type itself."""
    match type:
        case UnionType():
            return type.members
        case OptionalType():
            return (type.value, NONE)
    return (type,)


def has_same_form(a: Type, b: Type) -> bool:
    """Whether a value of `a` is one of its supertype `b` as it lies in memory: a value that is not there yet cannot be
    converted."""
    if isinstance(a, TupleType):
        return isinstance(b, TupleType) and all(map(has_same_form, a.elements, b.elements))
    if isinstance(b, UnionType) and a in NUMBER.members:
        return False
    return not isinstance(b, TupleType | SizeType) or a in (b, NEVER)


def passes_as(a: Type, b: Type) -> bool:
    """Whether a value of `a` may stand in IR where one of its supertype `b` is wanted, without an operator that
    converts
    it: native code gives both the same form, or knows how to make one of the other.

    Example:
        >>> passes_as(INT, optional(INT)), passes_as(STR, optional(STR))
        (False, True)
    """
    if a in (b, NEVER):
        return True
    return _is_known_to_pass(a, b) if a.parts > LARGE else _passes_as(a, b)


def _passes_as(a: Type, b: Type) -> bool:
    if isinstance(a, TensorType) and isinstance(b, ArrayType):
        return b.facts.holds(a.facts)
    if not is_subtype(a, b):
        return False
    if isinstance(a, TupleType) and isinstance(b, TupleType):
        return all(map(passes_as, a.elements, b.elements))
    return (
        isinstance(a, TensorType | FutureType)
        or (isinstance(a, TupleType) and b == SIZE)
        or (is_heap(a) and is_heap(b))
    )


def refines(a: Type, b: Type) -> bool:
    """Whether `a` is `b`, or says more of dtypes, ranks and sizes than it. Nothing else about a value is found out by
    passes: what is declared as `Any` stays that.

    Example:
        >>> refines(TupleType((INT, INT)), SIZE), refines(STR, ANY)
        (True, False)
    """
    if a in (b, NEVER):
        return True
    match a, b:
        case TupleType(), TupleType():
            return (
                a.named == b.named and len(a.elements) == len(b.elements) and all(map(refines, a.elements, b.elements))
            )
        case FutureType(), FutureType():
            return refines(a.value, b.value) and is_subtype(a, b)
        case ListType(frozen=True), ListType(frozen=True):
            return is_subtype(a, b)
    return isinstance(b, TensorType | SizeType) and is_subtype(a, b)


def general(type: Type) -> Type:
    """`type` without dtypes and ranks."""
    if isinstance(type, TensorType):
        return TensorType(facts=type.facts.general())
    if isinstance(type, TupleType):
        return TupleType(tuple(map(general, type.elements)), type.named)
    if isinstance(type, ListType) and type.frozen and not isinstance(type.element, ArrayType):
        return ListType(general(type.element), frozen=True)
    return type


_is_known_to_pass = kept_by_type(_passes_as)


def join(a: Type, b: Type) -> Type | None:
    """The least type that holds values of both, or None when there is none.

    Example:
        >>> from tscript.types import TensorType, dtypes
        >>> str(join(TensorType(dtypes.float32, 1), TensorType(dtypes.float32, 2)))
        'Tensor[float32, ?]'
    """
    if is_subtype(a, b):
        return b
    if is_subtype(b, a):
        return a
    match a, b:
        case (ScalarType(), _) | (_, ScalarType()):
            return _join_scalars(a, b)
        case FutureType(), FutureType():
            value = join(a.value, b.value)
            same = value is not None and has_same_form(a.value, value) and has_same_form(b.value, value)
            return FutureType(value) if same and value is not None else None
        case TensorType(), TensorType():
            facts = a.facts.join(b.facts)
            return None if facts is None else TensorType(facts=facts)
        case ListType(element=TensorType(), frozen=True), ListType(element=TensorType(), frozen=True):
            element = join(a.element, b.element)
            return None if element is None else ListType(element, frozen=True)
        case TupleType(), TupleType():
            if len(a.elements) == len(b.elements):
                joined = [join(x, y) for x, y in zip(a.elements, b.elements, strict=True)]
                if all(t is not None for t in joined):
                    named = a.named if a.named == b.named else None
                    return TupleType(tuple(t for t in joined if t is not None), named)
            if is_subtype(a, SIZE) and is_subtype(b, SIZE):
                return SIZE
        case (OptionalType(), _) | (_, OptionalType()):
            inner = join(*(t.value if isinstance(t, OptionalType) else t for t in (a, b)))
            return None if inner is None else optional(inner)
        case ClassType(), ClassType():
            return next((ClassType(info) for info in a.info.bases if b.info.derives_from(info)), None)
    if NONE in (a, b) and NEVER not in (a, b):
        return optional(b if a == NONE else a)
    return None


_WEAK: dict[Type, DType] = {INT: dtypes.int64, FLOAT: dtypes.float64, BOOL: dtypes.bool_}


def _join_scalars(a: Type, b: Type) -> Type | None:
    """The type of a NumPy scalar or a number: the dtype that arithmetic with both has."""
    if NONE in (a, b):
        return optional(b if a == NONE else a)
    found = scalar_dtype((a, b))
    return None if found is None else ScalarType(found)


def scalar_dtype(operands: Sequence[Type]) -> DType | None:
    """The dtype of arithmetic with arrays, NumPy scalars and numbers, as NEP 50 says: numbers of Python only change it
    by their category. None: an operand is something else, or all are numbers of Python.

    Example:
        >>> scalar_dtype((ScalarType(dtypes.float32), FLOAT)), scalar_dtype((ScalarType(dtypes.int32), FLOAT))
        (tscript.float32, tscript.float64)
    """
    strong: DType | None = None
    weak: DType | None = None
    for type in operands:
        if isinstance(type, ScalarType | TensorType) and type.dtype is not None:
            strong = type.dtype if strong is None else dtypes.promote_numpy(strong, type.dtype)
        elif type in _WEAK:
            weak = _WEAK[type] if weak is None else dtypes.promote_numpy(weak, _WEAK[type])
        else:
            return None
    if strong is None or weak is None:
        return strong
    return strong if weak.category <= strong.category else weak
