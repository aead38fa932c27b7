"""Signatures of types: how values of the language cross the boundary (`tscript.abi.signature`)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tscript.abi.cells import kind_of
from tscript.abi.leaves import leaves
from tscript.abi.signature import SCALARS, Item, Signature, is_object, letters, spelled
from tscript.types import (
    BOOL,
    DTYPE,
    FLOAT,
    INT,
    NONE,
    NUMBER,
    SIZE,
    ArrayType,
    FutureType,
    ScalarType,
    SizeType,
    TensorType,
    TupleType,
    Type,
    is_heap,
)

_SCALARS: dict[Type, str] = {ScalarType(dtype): letter for letter, dtype in SCALARS.items()}
_PARAMETERS: dict[Type, str] = {**_SCALARS, INT: "i", FLOAT: "f", BOOL: "b", DTYPE: "d", NONE: "_"}
_RESULTS: dict[Type, str] = {**_SCALARS, INT: "i", FLOAT: "f", BOOL: "b", DTYPE: "d", NONE: "N", SIZE: "S"}
_LEAVES: dict[Type, str] = {**_SCALARS, INT: "i", FLOAT: "f", BOOL: "b", DTYPE: "d"}


def object_item(type: Type, mutable: bool = False) -> Item:
    """The item of a value that is converted by its type.

    Raises:
        ValueError: The type has no Python form here (pointers, structs, a Size).

    Example:
        >>> from tscript.types import STR, OptionalType
        >>> object_item(STR), object_item(OptionalType(INT))
        ('O<p>', 'O<bi>')
    """
    try:
        kind_of(type)
        known = type != SIZE
    except KeyError:
        known = False
    if not known:
        raise ValueError(f"a value of type {type} does not cross the boundary")
    return f"{'M' if mutable else 'O'}<{''.join(_LEAVES.get(leaf, 'p') for leaf in leaves(type))}>"


def _item(type: Type, scalars: dict[Type, str], mutable: bool = False) -> Item:
    match type:
        case ArrayType():
            return "A"
        case TensorType():
            return "T"
        case FutureType():
            return "F"
        case TupleType(named=None):
            return tuple(_item(e, scalars, mutable) for e in type.elements)
    return scalars.get(type) or object_item(type, mutable)


def has_objects(type: Type) -> bool:
    """Whether values of a type are converted by their type, all or in part.

    Example:
        >>> from tscript.types import STR
        >>> has_objects(TupleType((INT, STR))), has_objects(TupleType((INT, FLOAT)))
        (True, False)
    """
    return any(map(is_object, letters(_item(type, _RESULTS))))


def object_types(types: Sequence[Type], items: Sequence[Item]) -> Iterator[tuple[int, Type]]:
    """The types of the values among `items` that are converted, in order, each with the number of its item."""
    for position, (type, item) in enumerate(zip(types, items, strict=True)):
        if is_object(item):
            yield position, type
        elif isinstance(item, tuple) and isinstance(type, TupleType):
            yield from ((position, inner) for _, inner in object_types(type.elements, item))


def signature_of(
    parameters: Sequence[Type], result: Type, static: Sequence[bool] = (), mutable: Sequence[bool] = ()
) -> Signature:
    """The signature of a graph with these parameter and result types.

    Args:
        parameters: Types of all parameters, static ones included.
        result: Type of the result.
        static: For each parameter, whether its value is part of the key and so not passed; missing ones are False.
        mutable: For each parameter, whether what it refers to may be changed; missing ones are False.

    Raises:
        ValueError: A type has no Python form (pointers, structs).

    Example:
        >>> str(signature_of([TensorType(), INT, BOOL], TensorType(), [False, False, True]))
        'Ti_:T'
    """
    skip = [*static, *[False] * len(parameters)]
    changed = [*mutable, *[False] * len(parameters)]
    items = ("_" if skip[i] else _item(t, _PARAMETERS, changed[i]) for i, t in enumerate(parameters))
    return Signature(tuple(items), _item(result, _RESULTS))


def result_kinds(type: Type) -> bytes:
    r"""What a `Future` says of its result: the letters of the leaves, NUL, the type, NUL. X is an object with a count
    or null, a number in a box for instance. Behind a * the type says what the letters together are.

    Example:
        >>> from tscript.types import STR
        >>> result_kinds(TupleType((TensorType(), INT))), result_kinds(STR)
        (b'(Ti)\x00tuple[Tensor, int]\x00', b'*X\x00str\x00')
    """
    item = _item(type, {**_RESULTS, NUMBER: "X"})
    if any(map(is_object, letters(item))):
        return f"*{''.join(map(_kind, leaves(type)))}\0{type}\0".encode()
    return f"{spelled(item)}\0{type}\0".encode()


def _kind(leaf: Type) -> str:
    """The letter of a leaf of a result that its type says."""
    match leaf:
        case TensorType():
            return "T"
        case SizeType():
            return "S"
        case FutureType():
            return "F"
    return "X" if is_heap(leaf) else "i"
