"""Relations between types: subtype and join (the least type that holds both)."""

from __future__ import annotations

from tscript.types.types import INT, NEVER, SIZE, FutureType, SizeType, TensorType, TupleType, Type


def is_subtype(a: Type, b: Type) -> bool:
    """Whether every value of `a` is one of `b`: a tensor of known dtype is a tensor, a tuple of ints is a Size."""
    if a in (b, NEVER):
        return True
    match a, b:
        case TensorType(), TensorType():
            return b.dtype in (None, a.dtype) and b.rank in (None, a.rank)
        case TupleType(), TupleType():
            return len(a.elements) == len(b.elements) and all(map(is_subtype, a.elements, b.elements))
        case TupleType(), SizeType():
            return all(e == INT for e in a.elements)
        case FutureType(), FutureType():
            return is_subtype(a.value, b.value) and has_same_form(a.value, b.value)
    return False


def has_same_form(a: Type, b: Type) -> bool:
    """Whether a value of `a` is one of its supertype `b` as it lies in memory: a value that is not there yet cannot be
    converted."""
    if isinstance(a, TupleType):
        return isinstance(b, TupleType) and all(map(has_same_form, a.elements, b.elements))
    return not isinstance(b, TupleType | SizeType) or a in (b, NEVER)


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
        case FutureType(), FutureType():
            value = join(a.value, b.value)
            same = value is not None and has_same_form(a.value, value) and has_same_form(b.value, value)
            return FutureType(value) if same and value is not None else None
        case TensorType(), TensorType():
            return TensorType(
                a.dtype if a.dtype is b.dtype else None,
                a.rank if a.rank == b.rank else None,
            )
        case TupleType(), TupleType():
            if len(a.elements) == len(b.elements):
                joined = [join(x, y) for x, y in zip(a.elements, b.elements, strict=True)]
                if all(t is not None for t in joined):
                    return TupleType(tuple(t for t in joined if t is not None))
            if is_subtype(a, SIZE) and is_subtype(b, SIZE):
                return SIZE
    return None
