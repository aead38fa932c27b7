"""Elements of arrays in registers: reading, writing, and conversion of NumPy scalars.

The frontend writes `ELEMENT` and `SET_ELEMENT`, which check their indices. The pass `check_indices` makes `INDEX` of
each index, so that checks can be removed one by one, and `ELEMENT_IN` and `SET_ELEMENT_IN` of positions. The pass
`address_elements` makes `ELEMENT_AT` and `SET_ELEMENT_AT` of these, whose addresses are made of `DATA` and `STRIDE`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tscript.arrays import Array, np
from tscript.definitions.opdef import PURE, Arg, Effects, OpDef, OperatorTypeError, Structural
from tscript.definitions.rules import tensor_of
from tscript.definitions.schema import parse_schema
from tscript.definitions.values import numpy_dtype
from tscript.types import (
    BOOL,
    FLOAT,
    INT,
    NONE,
    U8,
    DType,
    PtrType,
    ScalarType,
    TensorType,
    Type,
    dtype_of,
    machine_type,
)
from tscript.types.dtypes import Category

READS = Effects(raises=True)
"""An element may be another one the next time."""
WRITES = Effects(writes=(0,), raises=True)


def _array(arg: Arg) -> tuple[DType, int]:
    found = arg.type
    if not isinstance(found, TensorType) or found.dtype is None or found.rank is None:
        raise OperatorTypeError(f"expected a tensor of known dtype and rank, not {found}")
    return found.dtype, found.rank


def _indexed(args: Sequence[Arg], at: int) -> DType:
    """The dtype of a tensor whose indices begin at an argument."""
    dtype, rank = _array(args[0])
    if len(args) - at != rank:
        raise OperatorTypeError(f"an element of {rank} dimensions has {rank} indices, not {len(args) - at}")
    for arg in args[at:]:
        if arg.type != INT:
            raise OperatorTypeError(f"an index is an int, not {arg.type}")
    return dtype


def _element(args: Sequence[Arg]) -> Type:
    return ScalarType(_indexed(args, 1))


def _set_element(args: Sequence[Arg]) -> Type:
    dtype = _indexed(args, 2)
    if args[1].type != ScalarType(dtype):
        raise OperatorTypeError(f"an element of {dtype.name} cannot be {args[1].type}")
    return NONE


def _read(x: Array, *index: int) -> object:
    return np.asarray(x[index])


def _write(x: Array, value: Any, *index: int) -> None:
    x[index] = value


def _operator(
    schema: str,
    rule: Callable[[Sequence[Arg]], Type],
    semantics: Callable[..., object],
    doc: str,
    effects: Effects = READS,
    *,
    variadic: bool = True,
    portable: bool = False,
) -> OpDef:
    return OpDef(
        parse_schema(schema), rule, semantics, Structural(), effects, doc, variadic=variadic, portable=portable
    )


ELEMENT = _operator("element(Tensor x, int index) -> Any", _element, _read, "An element.", portable=True)
SET_ELEMENT = _operator(
    "set_element(Tensor(a!) x, Any value, int index) -> None",
    _set_element,
    _write,
    "Sets an element.",
    WRITES,
    portable=True,
)


def _index_rule(args: Sequence[Arg]) -> Type:
    _, rank = _array(args[0])
    dim = args[1].constant
    if not isinstance(dim, int) or not 0 <= dim < rank or args[2].type != INT:
        raise OperatorTypeError("expected a dimension and an index")
    return INT


def _index(x: Array, dim: int, index: int) -> int:
    return _index_in(index, x.shape[dim], dim)


INDEX = _operator(
    "element_index(Tensor x, int dim, int index) -> int",
    _index_rule,
    _index,
    "An index, which may count from the end, as a position; IndexError outside of the dimension.",
    variadic=False,
)


def _index_in_rule(args: Sequence[Arg]) -> Type:
    if any(a.type != INT for a in args):
        raise OperatorTypeError("expected an index, a size and a dimension")
    return INT


def _within(dimension: str) -> Callable[[int, int, int], int]:
    """How an index of a dimension, which messages call so, becomes a position."""

    def position(index: int, size: int, number: int) -> int:
        if not -size <= index < size:
            raise IndexError(f"index {index} is out of bounds for {dimension} {number} with size {size}")
        return index + size if index < 0 else index

    return position


_index_in, _select_in = _within("axis"), _within("dimension")

INDEX_IN = _operator(
    "element_index.size(int index, int size, int dim) -> int",
    _index_in_rule,
    _index_in,
    "The same of a dimension whose size is known.",
    Effects(raises=True),
    variadic=False,
)


def _select_rule(args: Sequence[Arg]) -> Type:
    if not isinstance(args[3].constant, int):
        raise OperatorTypeError("expected the dimension that messages name")
    return _index_rule(args)


def _select(x: Array, dim: int, index: int, shown: int) -> int:
    return _select_in(index, x.shape[dim], shown)


SELECT_INDEX = _operator(
    "select_index(Tensor x, int dim, int index, int shown) -> int",
    _select_rule,
    _select,
    "`INDEX` of a tensor: the dimension was number `shown` of the view that ``select`` was applied to.",
    variadic=False,
)


SELECT_IN = _operator(
    "select_index.size(int index, int size, int shown) -> int",
    _index_in_rule,
    _select_in,
    "The same of a dimension whose size is known.",
    Effects(raises=True),
    variadic=False,
)
ELEMENT_IN = _operator("element_in(Tensor x, int index) -> Any", _element, _read, "An element at a position.")
SET_ELEMENT_IN = _operator(
    "set_element_in(Tensor(a!) x, Any value, int index) -> None",
    _set_element,
    _write,
    "Sets one at a position.",
    WRITES,
)
ELEMENT_DENSE = _operator(
    "element_in.dense(Tensor x, int index) -> Any",
    _element,
    _read,
    "An element at a position, of an array whose last stride is 1.",
)
SET_DENSE = _operator(
    "set_element_in.dense(Tensor(a!) x, Any value, int index) -> None",
    _set_element,
    _write,
    "Sets one at a position, in an array whose last stride is 1 and that may be written.",
    WRITES,
)
SET_WRITABLE = _operator(
    "set_element_in.writable(Tensor(a!) x, Any value, int index) -> None",
    _set_element,
    _write,
    "Sets one at a position, in an array that may be written.",
    WRITES,
)


def _check_writable(args: Sequence[Arg]) -> Type:
    tensor_of(args[0])
    return NONE


def _refuse_readonly(x: Array) -> None:
    if not x.flags.writeable:
        raise RuntimeError(READONLY)


READONLY = "the memory of this tensor is read-only: clone() it before writing to it"
CHECK_WRITABLE = _operator(
    "check_writable(Tensor x) -> None",
    _check_writable,
    _refuse_readonly,
    "RuntimeError if the memory of a tensor is read-only.",
    Effects(raises=True),
    variadic=False,
)

# ---- addresses


def _pointer(args: Sequence[Arg]) -> Type:
    tensor_of(args[0])
    return PtrType(U8)


def _of_dimension(args: Sequence[Arg]) -> Type:
    _array(args[0])
    return INT


def _at(args: Sequence[Arg]) -> Type:
    return ScalarType(_array(args[0])[0])


def _set_at(args: Sequence[Arg]) -> Type:
    return NONE


def _cell(x: Array, data: object, offset: int) -> Array:
    """A 0-d array over the element at an offset: the interpreter has no addresses, and looks from the array."""
    both = np.lib.stride_tricks.as_strided(x, (2,), (offset * x.itemsize,))
    return both[1:].reshape(())


def _read_at(x: Array, data: object, offset: int) -> Array:
    return _cell(x, data, offset).copy()


def _write_at(x: Array, value: Any, data: object, offset: int) -> None:
    _cell(x, data, offset)[()] = value


DATA = _operator(
    "tensor.data(Tensor x) -> Any", _pointer, lambda x: x, "The address of the first element.", PURE, variadic=False
)
STRIDE = _operator(
    "tensor.stride(Tensor x, int dim) -> int",
    _of_dimension,
    lambda x, dim: x.strides[dim] // x.itemsize,
    "Elements between two neighbours.",
    PURE,
    variadic=False,
)
SIZE_OF = _operator(
    "tensor.size(Tensor x, int dim) -> int",
    _of_dimension,
    lambda x, dim: x.shape[dim],
    "The size of a dimension.",
    PURE,
    variadic=False,
)


def _writable(args: Sequence[Arg]) -> Type:
    tensor_of(args[0])
    return BOOL


WRITABLE = _operator(
    "tensor.writable(Tensor x) -> bool",
    _writable,
    lambda x: bool(x.flags.writeable),
    "Whether the memory may be written.",
    PURE,
    variadic=False,
)
ELEMENT_AT = _operator(
    "element_at(Tensor x, Any data, int offset) -> Any", _at, _read_at, "An element at an offset.", variadic=False
)
SET_ELEMENT_AT = _operator(
    "set_element_at(Tensor(a!) x, Any value, Any data, int offset) -> None",
    _set_at,
    _write_at,
    "Sets one at an offset.",
    WRITES,
    variadic=False,
)

# ---- arrays in the frame of a function


def _local_rule(args: Sequence[Arg]) -> Type:
    if not isinstance(args[0].constant, int) or not isinstance(args[1].constant, ScalarType):
        raise OperatorTypeError("expected a number of elements and their type")
    return PtrType(U8)


def _local(count: int, type: Type) -> Array:
    dtype = dtype_of(type)
    assert dtype is not None
    return np.zeros(count, numpy_dtype(dtype))


def _local_element(args: Sequence[Arg]) -> Type:
    found = args[1].constant
    if not isinstance(found, ScalarType) or args[0].type != PtrType(U8) or args[2].type != INT:
        raise OperatorTypeError("expected an address, the type of its elements and an offset")
    return found


def _set_local_element(args: Sequence[Arg]) -> Type:
    if not isinstance(args[1].type, ScalarType) or args[0].type != PtrType(U8) or args[2].type != INT:
        raise OperatorTypeError("expected an address, an element and an offset")
    return NONE


def _write_local(data: Array, value: Any, offset: int) -> None:
    data[offset] = value


IN_FRAME = Effects(world=True)
"""No two of these are one: memory is written in between."""
LOCAL = _operator(
    "local(int count, type type) -> Any",
    _local_rule,
    _local,
    "Zeros in the frame of the function, the same memory each time.",
    IN_FRAME,
    variadic=False,
)
LOCAL_ELEMENT = _operator(
    "local.element(Any data, type type, int offset) -> Any",
    _local_element,
    lambda data, type, offset: np.asarray(data[offset]).copy(),
    "An element in the frame.",
    IN_FRAME,
    variadic=False,
)
SET_LOCAL_ELEMENT = _operator(
    "local.set_element(Any data, Any value, int offset) -> None",
    _set_local_element,
    _write_local,
    "Sets one in the frame.",
    IN_FRAME,
    variadic=False,
)

# ---- scalars


NUMBERS = (INT, FLOAT, BOOL)


def _convert_rule(args: Sequence[Arg]) -> Type:
    found, target = args[0].type, args[1].constant
    if not isinstance(target, ScalarType) and target not in NUMBERS:
        raise OperatorTypeError("the second operand is the type of a number")
    if not isinstance(found, ScalarType) and found not in NUMBERS:
        raise OperatorTypeError(f"expected a number, not {found}")
    assert isinstance(target, Type)
    return target


def _convert(value: Any, target: Type) -> object:
    dtype = dtype_of(target)
    assert dtype is not None
    with np.errstate(all="ignore"):
        found = np.asarray(value).astype(numpy_dtype(dtype))
    return found if isinstance(target, ScalarType) else found.item()


CONVERT = _operator(
    "scalar.convert(Any value, type type) -> Any",
    _convert_rule,
    _convert,
    "A number as one of another type, as a cast of tensors converts it.",
    PURE,
    variadic=False,
    portable=True,
)


def _number_of(kind: int, number: Type) -> Callable[[Sequence[Arg]], Type]:
    """The rule of a conversion to a number of Python: dtypes of a higher category are refused."""

    def rule(args: Sequence[Arg]) -> Type:
        found = args[0].type
        if not isinstance(found, ScalarType) or found.dtype.category > kind:
            raise OperatorTypeError(f"a {found} is no {number}")
        return number

    return rule


BOOL_OF = _operator(
    "scalar.bool(Any value) -> bool",
    _number_of(Category.FLOAT, BOOL),
    bool,
    "Whether a NumPy scalar is not 0.",
    PURE,
    variadic=False,
    portable=True,
)
INT_OF = _operator(
    "scalar.int(Any value) -> int",
    _number_of(Category.INTEGER, INT),
    int,
    "A NumPy integer as an int.",
    PURE,
    variadic=False,
    portable=True,
)
FLOAT_OF = _operator(
    "scalar.float(Any value) -> float",
    _number_of(Category.FLOAT, FLOAT),
    float,
    "A NumPy scalar as a float.",
    PURE,
    variadic=False,
    portable=True,
)
CONVERSIONS: frozenset[OpDef] = frozenset({CONVERT, BOOL_OF, INT_OF, FLOAT_OF})
"""Operators that only change the type of a number."""


def _in_register(args: Sequence[Arg]) -> Type:
    found = args[0].type
    if not isinstance(found, ScalarType):
        raise OperatorTypeError(f"expected a NumPy scalar, not {found}")
    return machine_type(found.dtype)


def _as_scalar(args: Sequence[Arg]) -> Type:
    dtype = dtype_of(args[0].type)
    if dtype is None:
        raise OperatorTypeError(f"expected a number, not {args[0].type}")
    return ScalarType(dtype)


MACHINE_OF = _operator(
    "scalar.machine(Any value) -> Any",
    _in_register,
    lambda value: np.asarray(value).item(),
    "A NumPy scalar as the number of the dialect that it is.",
    PURE,
    variadic=False,
)


def _scalar_of(value: object) -> Array:
    return np.asarray(value)


SCALAR_OF = _operator(
    "scalar.of(Any value) -> Any", _as_scalar, _scalar_of, "The opposite of `MACHINE_OF`.", PURE, variadic=False
)

OPERATORS: tuple[OpDef, ...] = (
    ELEMENT,
    SET_ELEMENT,
    INDEX,
    INDEX_IN,
    SELECT_INDEX,
    SELECT_IN,
    ELEMENT_IN,
    SET_ELEMENT_IN,
    ELEMENT_DENSE,
    SET_DENSE,
    SET_WRITABLE,
    CHECK_WRITABLE,
    DATA,
    STRIDE,
    SIZE_OF,
    WRITABLE,
    ELEMENT_AT,
    SET_ELEMENT_AT,
    LOCAL,
    LOCAL_ELEMENT,
    SET_LOCAL_ELEMENT,
    CONVERT,
    BOOL_OF,
    INT_OF,
    FLOAT_OF,
    MACHINE_OF,
    SCALAR_OF,
)
"""All operators of this module; nobody calls them by name."""

__all__ = [
    "BOOL_OF",
    "CHECK_WRITABLE",
    "CONVERSIONS",
    "CONVERT",
    "DATA",
    "ELEMENT",
    "ELEMENT_AT",
    "ELEMENT_DENSE",
    "ELEMENT_IN",
    "FLOAT_OF",
    "INDEX",
    "INDEX_IN",
    "INT_OF",
    "LOCAL",
    "LOCAL_ELEMENT",
    "MACHINE_OF",
    "OPERATORS",
    "READONLY",
    "SCALAR_OF",
    "SELECT_IN",
    "SELECT_INDEX",
    "SET_DENSE",
    "SET_ELEMENT",
    "SET_ELEMENT_AT",
    "SET_ELEMENT_IN",
    "SET_LOCAL_ELEMENT",
    "SET_WRITABLE",
    "SIZE_OF",
    "STRIDE",
    "WRITABLE",
]
