"""What a tensor is made of: sizes, strides, dtype, the value of a one-element tensor."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from tscript.arrays import Array, np, numpy_function
from tscript.definitions.define import composite, kernel
from tscript.definitions.language import Tensor
from tscript.definitions.opdef import (
    PURE,
    RAISES,
    READS_ELEMENTS,
    Arg,
    OpDef,
    OperatorIndexError,
    OperatorTypeError,
    OperatorValueError,
    Structural,
)
from tscript.definitions.rules import check_dim, constant_int, fixed, tensor_of
from tscript.definitions.schema import parse_schema
from tscript.definitions.values import dtype_of_array, widen, wrap_dim
from tscript.types import (
    BOOL,
    COMPLEX,
    DTYPE,
    FLOAT,
    INT,
    NONE,
    SIZE,
    DType,
    SizeType,
    TensorType,
    TupleType,
    Type,
    dtypes,
    is_subtype,
)
from tscript.types.dtypes import Category


def _sizes(args: Sequence[Arg]) -> Type:
    """A tuple of ints while the rank is known, else a `Size`."""
    rank = tensor_of(args[0]).rank
    return SIZE if rank is None else TupleType((INT,) * rank)


def _one_size(args: Sequence[Arg]) -> Type:
    check_dim(constant_int(args[1]), tensor_of(args[0]).rank)
    return INT


def scalar_type(dtype: DType) -> Type:
    """The language's scalar type for elements of `dtype`.

    Example:
        >>> from tscript.types import dtypes
        >>> str(scalar_type(dtypes.uint8)), str(scalar_type(dtypes.float32))
        ('int', 'float')
    """
    return {Category.BOOL: BOOL, Category.INTEGER: INT, Category.FLOAT: FLOAT, Category.COMPLEX: COMPLEX}[
        dtype.category
    ]


def _item(args: Sequence[Arg]) -> Type:
    """The scalar type of the dtype. While that is unknown a 0-d tensor stands for the number."""
    found = tensor_of(args[0])
    return TensorType(None, 0) if found.dtype is None else scalar_type(found.dtype)


def _get_size(args: Sequence[Arg]) -> Type:
    if not isinstance(args[0].type, SizeType):
        index = constant_int(args[1])
        if is_shape(args[0].type) and index is not None and not -_rank(args[0]) <= index < _rank(args[0]):
            raise OperatorIndexError("tuple index out of range")
        raise OperatorTypeError(f"expected a Size, not {args[0].type}")
    if args[1].type != INT:
        raise OperatorTypeError(f"the index must be an int, not {args[1].type}")
    return INT


def _get_element(args: Sequence[Arg]) -> Type:
    found = args[0].type
    if not isinstance(found, TupleType):
        raise OperatorTypeError(f"expected a tuple, not {found}")
    index = constant_int(args[1])
    if index is None:
        if args[1].type == INT and not found.elements:
            return INT  # in a loop that never runs
        if args[1].type == INT and all(e == found.elements[0] for e in found.elements):
            return found.elements[0]
        raise OperatorTypeError("the index of a tuple must be a constant, as its elements differ in type")
    if not -len(found.elements) <= index < len(found.elements):
        raise OperatorTypeError("tuple index out of range")
    return found.elements[index]


def is_shape(type: Type) -> bool:
    """Whether values of `type` are shapes: a `Size`, or a tuple of ints."""
    return is_subtype(type, SIZE)


def _rank(arg: Arg) -> int:
    assert isinstance(arg.type, TupleType)
    return len(arg.type.elements)


def _shapes(args: Sequence[Arg]) -> None:
    for arg in args:
        if not is_shape(arg.type):
            raise OperatorTypeError(f"expected a Size or a tuple of ints, not {arg.type}")


def slice_of(args: Sequence[Arg]) -> slice | None:
    """The slice that arguments ``start, end, step`` make, or None when it is not known."""
    bounds = [None if a.type == NONE else a.constant for a in args]
    if not all(b is None or isinstance(b, int) for b in bounds):
        return None
    if bounds[2] == 0:
        raise OperatorValueError("slice step cannot be zero")
    return slice(*bounds)


def _slice_size(args: Sequence[Arg]) -> Type:
    """A tuple of known length where the shape has one and the bounds are known, else a `Size`."""
    _shapes(args[:1])
    if isinstance(args[0].type, SizeType):
        return SIZE
    bounds = slice_of(args[1:])
    return SIZE if bounds is None else TupleType(args[0].type.elements[bounds])  # type: ignore[attr-defined]


def _add_sizes(args: Sequence[Arg]) -> Type:
    _shapes(args)
    lengths = [len(a.type.elements) for a in args if isinstance(a.type, TupleType)]
    return TupleType((INT,) * sum(lengths)) if len(lengths) == 2 else SIZE


def _equal_sizes(args: Sequence[Arg]) -> Type:
    _shapes(args)
    return BOOL


def _len_of_tuple(args: Sequence[Arg]) -> Type:
    if not isinstance(args[0].type, TupleType | SizeType):
        raise OperatorTypeError(f"a value of type {args[0].type} has no length")
    return INT


def checked(array: Array, dim: int) -> int:
    """`dim` from the front; unlike `wrap_dim` a 0-d tensor has no dimension.

    Raises:
        IndexError: Out of range.
    """
    if array.ndim == 0:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    return wrap_dim(dim, array.ndim)


def one_element(array: Array) -> Any:
    """The element of a one-element array.

    Raises:
        RuntimeError: It has another number of elements, in PyTorch's words.
    """
    if array.size != 1:
        raise RuntimeError(f"a Tensor with {array.size} elements cannot be converted to Scalar")
    return widen(array.reshape(())).item()


def number(self: Tensor) -> int | float | bool:
    """``x.item()``: the number that the only element is, of the kind of its dtype."""
    if self.numel() != 1:
        raise RuntimeError(f"a Tensor with {self.numel()} elements cannot be converted to Scalar")
    if self.is_floating_point():
        return float(self)
    if self.dtype == dtypes.bool_:
        return bool(self)
    return int(self)


def _bool(array: Array) -> bool:
    if array.size == 0:
        raise RuntimeError("Boolean value of Tensor with no values is ambiguous")
    if array.size > 1:
        raise RuntimeError("Boolean value of Tensor with more than one value is ambiguous")
    return bool(one_element(array))


def _number(array: Array) -> int | float | bool:
    if array.size != 1:
        raise ValueError("only one element tensors can be converted to Python scalars")
    found: int | float | bool = one_element(array)
    return found


def _int(array: Array) -> int:
    from tscript.dialect.limits import int_float

    found = _number(array)
    return int(int_float(found)) if isinstance(found, float) else int(found)


def _item_of(type: Type) -> Callable[[Array], int | bool]:
    """The meaning of ``item()`` where it is declared to give a value of a type."""

    def meaning(array: Array) -> int | bool:
        found = one_element(array)
        if isinstance(found, float) or (type == BOOL and not isinstance(found, bool)):
            raise TypeError(
                f"item() is declared to give {'an int' if type == INT else 'a bool'}, but the dtype is "
                f"{array.dtype.name}"
            )
        return bool(found) if type == BOOL else int(found)

    return meaning


def _length(array: Array) -> int:
    if array.ndim == 0:
        raise TypeError("len() of a 0-d tensor")
    return int(array.shape[0])


def _strides(array: Array) -> tuple[int, ...]:
    if array.size == 0:
        return tuple(math.prod(max(n, 1) for n in array.shape[i + 1 :]) for i in range(array.ndim))
    return tuple(int(s) // array.itemsize for s in array.strides)


def _is_contiguous(array: Array) -> bool:
    return bool(array.flags.c_contiguous)


def _tensor_to(
    result: Type,
    doc: str,
    name: str,
    semantics: object,
    raises: bool = False,
    tags: Sequence[str] = (),
    *,
    names: str | None = None,
) -> OpDef:
    def rule(args: Sequence[Arg]) -> Type:
        tensor_of(args[0])
        return result

    effects = RAISES if raises else PURE
    body = f"scalars.{name.partition('(')[0].replace('.', '_').lower()}"
    return kernel(name, rule, semantics, body, doc, effects=effects, tags=tags, names=names, complex=result == BOOL)  # type: ignore[arg-type]


def _fact(which: str, type: Type, doc: str) -> OpDef:
    def semantics(dtype: DType) -> object:
        return getattr(dtype, which)

    schema = parse_schema(f"{which}.dtype(dtype self) -> {type}")
    return OpDef(schema, fixed(type, ["dtype"]), semantics, Structural(), doc=doc, portable=True)


_READS = (READS_ELEMENTS,)

OPERATORS: tuple[OpDef, ...] = (
    kernel(
        "size(Tensor self) -> Size",
        _sizes,
        lambda x: tuple(x.shape),
        "scalars.size",
        "The sizes, ``x.shape``.",
        effects=PURE,
        names="Tensor.size",
    ),
    kernel(
        "size.int(Tensor self, int dim) -> int",
        _one_size,
        lambda x, d: x.shape[checked(x, d)],
        "scalars.size_int",
        "One size.",
        names="Tensor.size",
    ),
    kernel(
        "stride(Tensor self) -> Size",
        _sizes,
        _strides,
        "scalars.stride",
        "The strides, in elements.",
        effects=PURE,
        names="Tensor.stride",
    ),
    kernel(
        "stride.int(Tensor self, int dim) -> int",
        _one_size,
        lambda x, d: _strides(x)[checked(x, d)],
        "scalars.stride_int",
        "One stride.",
        names="Tensor.stride",
    ),
    _tensor_to(
        INT,
        "The number of dimensions, ``x.ndim``.",
        "dim(Tensor self) -> int",
        numpy_function(lambda: np.ndim),
        names="Tensor.dim Tensor.ndimension",
    ),
    _tensor_to(
        INT,
        "The number of elements.",
        "numel(Tensor self) -> int",
        numpy_function(lambda: np.size),
        names="numel Tensor.nelement",
    ),
    _tensor_to(
        INT,
        "Where the first element lies in the storage, in elements.",
        "storage_offset(Tensor self) -> int",
        lambda x: 0,
        names="tscript.storage_offset Tensor.storage_offset",
    ),
    _tensor_to(
        INT,
        "Bytes of one element.",
        "element_size(Tensor self) -> int",
        lambda x: x.itemsize,
        names="tscript.element_size Tensor.element_size",
    ),
    _tensor_to(
        BOOL,
        "Whether rows follow each other without gaps.",
        "is_contiguous(Tensor self) -> bool",
        _is_contiguous,
        names="tscript.is_contiguous Tensor.is_contiguous",
    ),
    _tensor_to(DTYPE, "The element type.", "dtype(Tensor self) -> dtype", dtype_of_array, names="Tensor.dtype"),
    _tensor_to(
        BOOL,
        "Whether elements are floats.",
        "is_floating_point(Tensor self) -> bool",
        lambda x: dtype_of_array(x).is_floating_point,
        names="is_floating_point",
    ),
    _tensor_to(
        BOOL,
        "Whether elements are complex numbers.",
        "is_complex(Tensor self) -> bool",
        lambda x: x.dtype.kind == "c",
        names="is_complex",
    ),
    _fact("is_complex", BOOL, "Whether it is a complex dtype."),
    _fact("is_floating_point", BOOL, "Whether it is a floating-point dtype."),
    _fact("is_signed", BOOL, "Whether it is a signed dtype."),
    _fact("itemsize", INT, "Bytes of an element."),
    kernel(
        "item(Tensor self) -> Scalar",
        _item,
        one_element,
        "scalars.item",
        "The only element as a number.",
        complex=True,
        generic=(0,),
        tags=_READS,
        names="tscript.item Tensor.item",
    ),
    _tensor_to(
        INT,
        "The only element as the int that it is.",
        "item.int(Tensor self) -> int",
        _item_of(INT),
        True,
        _READS,
        names="",
    ),
    _tensor_to(
        BOOL,
        "The only element as the bool that it is.",
        "item.bool(Tensor self) -> bool",
        _item_of(BOOL),
        True,
        _READS,
        names="",
    ),
    _tensor_to(
        FLOAT,
        "The only element as a float, where one is declared.",
        "item.float(Tensor self) -> float",
        lambda x: float(one_element(x)),
        True,
        _READS,
        names="",
    ),
    composite(
        "item.number(Tensor self) -> Scalar",
        number,
        "The only element as the number that it is.",
        exact=True,
        tags=_READS,
        names="",
    ),
    _tensor_to(
        BOOL, "The truth of a one-element tensor.", "bool.Tensor(Tensor self) -> bool", _bool, True, _READS, names=""
    ),
    _tensor_to(
        INT, "The only element as an int, towards zero.", "int.Tensor(Tensor self) -> int", _int, True, _READS, names=""
    ),
    _tensor_to(
        FLOAT,
        "The only element as a float.",
        "float.Tensor(Tensor self) -> float",
        lambda x: float(_number(x)),
        True,
        _READS,
        names="",
    ),
    _tensor_to(INT, "The first size.", "len.Tensor(Tensor self) -> int", _length, True, names=""),
    OpDef(
        parse_schema("len.tuple(Any self) -> int"),
        _len_of_tuple,
        len,
        Structural(),
        doc="How many elements.",
        portable=True,
    ),
    OpDef(
        parse_schema("getitem.tuple(Any self, int index) -> Any"),
        _get_element,
        lambda t, i: t[i],
        Structural(),
        RAISES,
        "An element of a tuple.",
        portable=True,
    ),
    OpDef(
        parse_schema("getitem.Size(Any self, int index) -> int"),
        _get_size,
        lambda t, i: t[i],
        Structural(),
        RAISES,
        "One size.",
        portable=True,
    ),
)
"""All operators of this module."""

HIDDEN: tuple[OpDef, ...] = (
    kernel(
        "slice.Size(int[] self, int? start, int? end, int step) -> Size",
        _slice_size,
        lambda sizes, start, end, step: tuple(sizes[start:end:step]),
        "scalars.size_slice",
        "Part of a shape, ``x.shape[1:]``.",
    ),
    kernel(
        "add.Size(int[] self, int[] other) -> Size",
        _add_sizes,
        lambda a, b: (*a, *b),
        "scalars.size_add",
        "One shape and then another, ``x.shape + (1,)``.",
        effects=PURE,
    ),
    kernel(
        "eq.Size(int[] self, int[] other) -> bool",
        _equal_sizes,
        lambda a, b: tuple(a) == tuple(b),
        "scalars.size_eq",
        "Whether two shapes are equal.",
        effects=PURE,
    ),
)
"""Python's operators on shapes: the frontend applies them, they are no operators of tensors."""
