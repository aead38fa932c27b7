"""Operators on values: what the `semantics` of tensor operators are made of.

A tensor is a NumPy array here (a 0-d array for a 0-d tensor), a shape or an index a tuple of ints, a dtype a `DType`.
`ValueArg` shows a value to a type rule, so that a rule written once decides the dtypes of types and of values alike.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from types import NoneType
from typing import Any

from tscript.abi.layout import MAX_ERROR_ARGS
from tscript.arrays import Array, np
from tscript.definitions.absent import MISSING
from tscript.late import dataclass
from tscript.types import (
    ANY,
    BOOL,
    BYTES,
    COMPLEX,
    DTYPE,
    FLOAT,
    INT,
    NONE,
    OPTIONS,
    STR,
    TYPE,
    ClassInfo,
    ClassType,
    DictType,
    DType,
    EnumMember,
    EnumType,
    ListType,
    OptionalType,
    ScalarType,
    SetType,
    TensorType,
    TupleType,
    Type,
    UnionType,
    dtypes,
)


@cache
def numpy_dtype(dtype: DType) -> np.dtype[Any]:
    """NumPy's dtype for `dtype`; for bfloat16, which it lacks, a record of its bits, which has no arithmetic."""
    return np.dtype([("bfloat16", np.uint16)] if dtype is dtypes.bfloat16 else dtype.name)


def is_bfloat16(array: Array) -> bool:
    """Whether an array holds elements of bfloat16."""
    return array.dtype.names == ("bfloat16",)


def widen(array: Array) -> Array:
    """An array of a float of 16 bits as float32; any other as it is."""
    if is_bfloat16(array):
        bits = np.ascontiguousarray(array).view(np.uint16).astype(np.uint32) << 16
        return np.asarray(bits, np.uint32).view(np.float32).reshape(array.shape)
    return array.astype(np.float32) if array.dtype == np.float16 else array


def _narrow(array: Array, target: np.dtype[Any]) -> Array:
    """An array as one of float16 or bfloat16: by way of float32, as in native code."""
    with np.errstate(all="ignore"):
        single = np.ascontiguousarray(array, np.float32)
        if target == np.float16:
            return single.astype(np.float16).reshape(array.shape)
        bits = single.view(np.uint32)
        rounded = (bits.astype(np.uint64) + 0x7FFF + (bits >> 16 & 1)) >> 16
        found = np.where(np.isnan(single), 0x7FC0, rounded).astype(np.uint16)
    return found.view(target).reshape(array.shape)


def dtype_of_array(array: Array) -> DType:
    """The element type of an array.

    Raises:
        TypeError: The array has an element type that tensors do not have.
    """
    if is_bfloat16(array):
        return dtypes.bfloat16
    try:
        return dtypes.BY_NAME[array.dtype.name]
    except KeyError:
        raise TypeError(f"a tensor cannot hold NumPy's {array.dtype}") from None


def tensor_type_of(array: Array) -> TensorType:
    """The type of a tensor that is an array.

    Raises:
        TypeError: The array has an element type that tensors do not have.
    """
    return TensorType(dtype_of_array(array), array.ndim)


SIMPLE_TYPES: Mapping[type, Type] = {
    bool: BOOL,
    int: INT,
    float: FLOAT,
    complex: COMPLEX,
    str: STR,
    bytes: BYTES,
    NoneType: NONE,
    DType: DTYPE,
    **{kind: type for type, kind in OPTIONS.items()},
}
"""Classes of Python whose values are all of one type."""


def _array_or_subclass(value: object) -> Type | None:
    """What the interpreter has besides: arrays, NumPy scalars as 0-d tensors, instances of subclasses."""
    if isinstance(value, np.ndarray | np.generic):
        return tensor_type_of(np.asarray(value))
    return next((type for base, type in SIMPLE_TYPES.items() if isinstance(value, base)), None)


def type_of_value(
    value: object,
    other: Callable[[object], Type | None] = _array_or_subclass,
    simple: Mapping[type, Type] = SIMPLE_TYPES,
) -> Type:
    """The type of a Python value: by its class, of a tuple by its elements.

    Args:
        value: The value.
        other: Gives the types of values of other classes, and None for those that have none. If left out, the values
            are those of the interpreter: tensors are NumPy arrays (or NumPy scalars, as 0-d ones).
        simple: The types of values of simple classes.

    Raises:
        TypeError: The value has no type in the language.

    Example:
        >>> str(type_of_value((1, np.zeros((2, 3), np.float32))))
        'tuple[int, Tensor[float32, 2]]'
    """
    found = simple.get(type(value))
    if found is None and isinstance(value, tuple):
        found = TupleType(tuple(type_of_value(v, other, simple) for v in value))
    if found is None:
        found = other(value)
    if found is None:
        raise TypeError(f"a value of type {type(value).__name__} has no meaning in scripted code")
    return found


def constant_type(value: object) -> Type:
    """The type of a constant of the language: besides simple values types, members of enums, and arrays for tensors.

    Raises:
        TypeError: `value` is none.

    Example:
        >>> str(constant_type((1, 2.0)))
        'tuple[int, float]'
    """
    return type_of_value(value, _constant)


def _constant(value: object) -> Type:
    if isinstance(value, Type):
        return TYPE
    if isinstance(value, EnumMember):
        return value.type
    if isinstance(value, np.ndarray):
        return tensor_type_of(value)
    raise TypeError(f"a {type(value).__name__} is not a constant of the language")


def plain_default(value: object) -> object:
    """A default as it is written down: numbers of Python in place of NumPy scalars, plain tuples."""
    if isinstance(value, np.generic):
        return value.item()
    return tuple(map(plain_default, value)) if isinstance(value, tuple) else value


def typed_default(value: object, type: Type) -> object:
    """A default that was written down as a value of the type of its parameter.

    Example:
        >>> from tscript.types import parse_type
        >>> typed_default((1, 2.5), parse_type("tuple[int, numpy.float32]"))
        (1, np.float32(2.5))
    """
    match type:
        case ScalarType(dtype=dtype) if isinstance(value, bool | int | float):
            return np.asarray(value).astype(numpy_dtype(dtype))[()]
        case TupleType() if isinstance(value, tuple) and len(value) == len(type.elements):
            parts = tuple(map(typed_default, value, type.elements))
            made = None if type.named is None else type.named.python
            return parts if made is None else tuple.__new__(made, parts)
    return value


def is_value_of(value: object, type: Type) -> bool:
    """Whether a Python value, as the interpreter holds it, is one of a type; of containers all elements are looked at.

    Example:
        >>> from tscript.types import parse_type
        >>> is_value_of([1, 2], parse_type("list[int]")), is_value_of(True, INT)
        (True, False)
        >>> is_value_of(None, parse_type("Optional[str]"))
        True
    """
    match type:
        case OptionalType():
            return value is None or is_value_of(value, type.value)
        case UnionType():
            return any(is_value_of(value, m) for m in type.members)
        case ListType():
            wanted = tuple if type.frozen else list
            return isinstance(value, wanted) and all(is_value_of(v, type.element) for v in value)
        case SetType():
            return isinstance(value, set) and all(is_value_of(v, type.element) for v in value)
        case DictType():
            return isinstance(value, dict) and all(
                is_value_of(k, type.key) and is_value_of(v, type.value) for k, v in value.items()
            )
        case TupleType():
            return (
                isinstance(value, tuple)
                and len(value) == len(type.elements)
                and all(map(is_value_of, value, type.elements))
            )
        case TensorType():
            return isinstance(value, np.ndarray | np.generic)
        case ClassType():
            info = getattr(value, "__tscript_class__", None)
            if isinstance(info, ClassInfo):
                return info.derives_from(type.info)
            return type.info.python is not None and isinstance(value, type.info.python)
        case EnumType():
            return type.info.python is not None and isinstance(value, type.info.python)
    if type == ANY:
        return True
    try:
        return type_of_value(value) == type
    except TypeError:
        return False


@dataclass(frozen=True, slots=True)
class ValueArg:
    """A value as the argument of a type rule."""

    value: object

    @property
    def type(self) -> Type:
        """Type of the value."""
        return type_of_value(self.value)

    @property
    def constant(self) -> object:
        """The value itself, unless it is a tensor."""
        return MISSING if isinstance(self.value, np.ndarray | np.generic) else self.value


def cast(array: object, dtype: DType) -> Array:
    """An array (or number) converted to `dtype`: a new array unless it has that dtype already.

    Integers wrap; floats become integers by truncation, saturating, with NaN as 0.
    """
    if isinstance(array, int) and not isinstance(array, bool):
        array = (array + 2**63) % 2**64 - 2**63
    found = np.asarray(array)
    target = numpy_dtype(dtype)
    if found.dtype == target:
        return found
    if dtype.is_half:
        return _narrow(widen(found), target)
    found = widen(found)
    if dtype.is_integer and found.dtype.kind == "f":
        low, high = np.iinfo(target).min, np.iinfo(target).max
        whole = np.trunc(found.astype(np.float64))
        inside = (whole >= low) & (whole < float(high) + 1)
        with np.errstate(all="ignore"):
            out = np.where(inside, whole, 0.0).astype(target)
        ends = np.where(whole < low, np.array(low, target), np.where(whole > 0, np.array(high, target), target.type(0)))
        return np.where(inside, out, ends)
    if found.dtype.kind not in "fc" or np.can_cast(found.dtype, target):
        return found.astype(target)
    with np.errstate(all="ignore"):
        return found.astype(target)


def broadcast_shape(shapes: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    """The shape that all `shapes` broadcast to.

    Raises:
        RuntimeError: Two sizes differ and neither is 1, in PyTorch's words.
    """
    out: tuple[int, ...] = shapes[0] if shapes else ()
    for shape in shapes[1:]:
        rank = max(len(out), len(shape))
        a, b = (1,) * (rank - len(out)) + out, (1,) * (rank - len(shape)) + shape
        for i in reversed(range(rank)):
            if a[i] != b[i] and a[i] != 1 and b[i] != 1:
                raise RuntimeError(
                    f"The size of tensor a ({a[i]}) must match the size of tensor b ({b[i]}) at non-singleton "
                    f"dimension {i}"
                )
        out = tuple(y if x == 1 else x for x, y in zip(a, b, strict=True))
    return out


def wrap_dim(dim: int, rank: int) -> int:
    """`dim` counted from the front; a 0-d tensor has a dimension 0 for this purpose.

    Raises:
        IndexError: Out of range, in PyTorch's words.
    """
    limit = max(rank, 1)
    if not -limit <= dim < limit:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-limit}, {limit - 1}], but got {dim})")
    return dim + limit if dim < 0 else dim


def wrap_dims(dims: Sequence[int], rank: int) -> tuple[int, ...]:
    """`wrap_dim` of each.

    Raises:
        RuntimeError: A dimension is named twice.
    """
    out: list[int] = []
    for dim in dims:
        found = wrap_dim(dim, rank)
        if found in out:
            raise RuntimeError(f"dim {found} appears multiple times in the list of dims")
        out.append(found)
    return tuple(out)


def check_distinct(target: object) -> None:
    """Raise RuntimeError when the elements of `target` may not be written one by one: the memory is read-only, or a
    dimension was expanded."""
    assert isinstance(target, np.ndarray)
    if not target.flags.writeable:
        raise RuntimeError("the memory of this tensor is read-only: clone() it before writing to it")
    repeats = any(stride == 0 and size > 1 for stride, size in zip(target.strides, target.shape, strict=True))
    if repeats and target.size:
        raise RuntimeError(
            "unsupported operation: more than one element of the written-to tensor refers to a single memory location. "
            "Please clone() the tensor before performing the operation."
        )


def check_stored(target: object, shape: tuple[int, ...], same_shape: bool = False) -> None:
    """Refuse to write a value of `shape` into `target`; see `stored_message`.

    Raises:
        RuntimeError: It is not the shape of `target`.
    """
    assert isinstance(target, np.ndarray)
    if shape != target.shape:
        raise RuntimeError(stored_message(target.shape, shape, same_shape))


def stored_message(target: Sequence[object], shape: Sequence[object], same_shape: bool) -> str:
    """What is said where a value cannot be written into a tensor of another shape.

    Args:
        target: The sizes of the tensor, or what stands for them.
        shape: The same of the value.
        same_shape: Whether the tensor was given as ``out=``.

    Example:
        >>> stored_message((3,), ("{0}", "{1}"), False)
        "output with shape [3] doesn't match the broadcast shape [{0}, {1}]"
    """
    left, right = (f"[{', '.join(map(str, sizes))}]" for sizes in (target, shape))
    shown = len(target) + len(shape) <= MAX_ERROR_ARGS
    if same_shape:
        what = f"shape {left}, the result has shape {right}" if shown else "another shape than the result"
        return f"the tensor given as out has {what}: give a tensor of that shape, none is resized"
    if not shown:
        return "the shape of the output doesn't match the shape that the operands broadcast to"
    return f"output with shape {left} doesn't match the broadcast shape {right}"


def store(target: Array, value: Array, shape: tuple[int, ...]) -> None:
    """Write `value` into `target`; `shape` is what the operands broadcast to.

    Raises:
        RuntimeError: It is not the shape of `target`.
    """
    check_stored(target, shape)
    np.copyto(target, value, casting="unsafe")
