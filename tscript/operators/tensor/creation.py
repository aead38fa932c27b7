"""Operators that make tensors: from a shape, a number, a range, a literal, or by joining others.

A ``dtype`` of None means the default one, `tscript.get_default_dtype`, or what the numbers given suggest (int64 for
ints, bool for bools).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from tscript.arrays import Array, np
from tscript.definitions.absent import MISSING
from tscript.definitions.array_errors import check_sizes
from tscript.definitions.define import composite, kernel
from tscript.definitions.language import Size, Tensor, generic, torch
from tscript.definitions.names import Names
from tscript.definitions.opdef import (
    FACTORY,
    RAISES,
    Arg,
    Effects,
    ForArrays,
    Kernel,
    OpDef,
    OperatorRuntimeError,
    OperatorTypeError,
    OperatorValueError,
    Structural,
)
from tscript.definitions.promotion import NUMBERS, Kind, Operand, number_dtype, result_type
from tscript.definitions.rules import check_dim, constant_dtype, constant_int, int_count, tensor_of
from tscript.definitions.schema import parse_schema
from tscript.definitions.values import cast, dtype_of_array, numpy_dtype, tensor_type_of, wrap_dim
from tscript.late import replace
from tscript.types import NONE, DType, TensorType, TupleType, Type, dtypes

NEW = Effects(raises=True)
"""A fresh tensor each time; merging two equal calls is still right while neither is written."""


def _given(arg: Arg, default: DType | None) -> DType | None:
    """The dtype a ``dtype?`` argument names; None while it is not known."""
    if arg.type != NONE and arg.constant is MISSING:
        return None
    return constant_dtype(arg, default)


def _shaped(args: Sequence[Arg]) -> Type:
    return TensorType(_given(args[-1], dtypes.default_float()), int_count(args[0]))


def _number_dtype(*args: Arg) -> DType:
    """The dtype that numbers suggest."""
    found = [number_dtype(a.type) for a in args if a.type in NUMBERS]
    if len(found) != len(args):
        raise OperatorTypeError("expected numbers")
    return result_type([Operand(d, Kind.NUMBER) for d in found])


def _full(args: Sequence[Arg]) -> Type:
    return TensorType(_given(args[-1], _number_dtype(args[1])), int_count(args[0]))


def _like(args: Sequence[Arg]) -> Type:
    found = tensor_of(args[0])
    return TensorType(_given(args[-1], found.dtype), found.rank)


def _new(args: Sequence[Arg]) -> Type:
    return TensorType(_given(args[-1], tensor_of(args[0]).dtype), int_count(args[1]))


def _matrix(args: Sequence[Arg]) -> Type:
    return TensorType(_given(args[-1], dtypes.default_float()), 2)


def _range(args: Sequence[Arg]) -> Type:
    suggested = _number_dtype(*args[:-1])
    if suggested is dtypes.bool_:
        suggested = dtypes.int64
    return TensorType(_given(args[-1], suggested), 1)


def _spaced(args: Sequence[Arg]) -> Type:
    return TensorType(_given(args[-1], dtypes.default_float()), 1)


# ---- literals


def literal_shape(type: Type) -> tuple[tuple[int, ...], tuple[Type, ...]]:
    """The shape and the types of the leaves, in row-major order, of a nested tuple of numbers (or of one number).

    Raises:
        OperatorTypeError: Something is neither tuple nor number.
        OperatorValueError: Tuples at one depth differ in length.

    Example:
        >>> from tscript.types import INT
        >>> literal_shape(TupleType((INT, INT)))
        ((2,), (SimpleType(name='int'), SimpleType(name='int')))
    """
    if type in NUMBERS:
        return (), (type,)
    if not isinstance(type, TupleType):
        raise OperatorTypeError(f"a tensor is made of numbers in nested tuples or lists, not of {type}")
    shapes: list[tuple[int, ...]] = []
    leaves: list[Type] = []
    for element in type.elements:
        shape, inner = literal_shape(element)
        shapes.append(shape)
        leaves += inner
    for shape in shapes:
        if shape != shapes[0]:
            at = next((i for i, (m, n) in enumerate(zip(shapes[0], shape, strict=False)) if m != n), 0)
            want, have = (s[at] if at < len(s) else 0 for s in (shapes[0], shape))
            raise OperatorValueError(f"expected sequence of length {want} at dim {at + 1} (got {have})")
    return (len(shapes), *(shapes[0] if shapes else ())), tuple(leaves)


def _literal(args: Sequence[Arg]) -> Type:
    shape, leaves = literal_shape(args[0].type)
    suggested = (
        result_type([Operand(number_dtype(t), Kind.NUMBER) for t in leaves]) if leaves else dtypes.default_float()
    )
    return TensorType(_given(args[1], suggested), len(shape))


def _flat(data: object) -> list[Any]:
    if not isinstance(data, tuple):
        return [data]
    return [leaf for element in data for leaf in _flat(element)]


def _make_literal(data: object, dtype: DType | None) -> Array:
    from tscript.definitions.values import type_of_value

    shape, leaves = literal_shape(type_of_value(data))
    found = result_type([Operand(number_dtype(t), Kind.NUMBER) for t in leaves]) if leaves else dtypes.default_float()
    return _from_values([cast(leaf, dtype or found) for leaf in _flat(data)], shape, dtype or found)


def _from_values(values: Sequence[object], shape: Sequence[int], dtype: DType) -> Array:
    flat = [cast(v, dtype) for v in values]
    return np.array(flat, numpy_dtype(dtype)).reshape(tuple(shape))


def _from_values_rule(args: Sequence[Arg]) -> Type:
    return TensorType(constant_dtype(args[2], None), int_count(args[1]))


# ---- joining


def _tensors(args: Sequence[Arg]) -> tuple[TensorType, ...]:
    found = args[0].type
    if not isinstance(found, TupleType) or not all(isinstance(e, TensorType) for e in found.elements):
        raise OperatorTypeError(f"expected a tuple or list of Tensors, not {found}")
    return tuple(e for e in found.elements if isinstance(e, TensorType))


def _common_dtype(found: Sequence[TensorType]) -> DType | None:
    choices: set[DType] = set()
    for zero_dim in (False, True):
        operands: list[Operand] = []
        for t in found:
            if t.dtype is None:
                return None
            operands.append(Operand(t.dtype, Kind(int(t.rank == 0 if t.rank is not None else zero_dim))))
        choices.add(result_type(operands))
    return choices.pop() if len(choices) == 1 else None


def _cat(args: Sequence[Arg]) -> Type:
    found = _tensors(args)
    if not found:
        raise OperatorValueError("torch.cat(): expected a non-empty list of Tensors")
    for i, t in enumerate(found):
        if t.rank == 0:
            raise OperatorRuntimeError(f"zero-dimensional tensor (at position {i}) cannot be concatenated")
    ranks = {t.rank for t in found if t.rank not in (None, 1)}
    if len(ranks) > 1:
        first, *rest = [t.rank for t in found if t.rank not in (None, 1)]
        other = next(r for r in rest if r != first)
        raise OperatorRuntimeError(f"Tensors must have same number of dimensions: got {first} and {other}")
    known = all(t.rank is not None for t in found)
    rank = max(t.rank or 0 for t in found) if known else None
    check_dim(constant_int(args[1]), rank)
    return TensorType(_common_dtype(found), rank)


def _stack(args: Sequence[Arg]) -> Type:
    found = _tensors(args)
    if not found:
        raise OperatorRuntimeError("stack expects a non-empty TensorList")
    ranks = {t.rank for t in found if t.rank is not None}
    if len(ranks) > 1:
        raise OperatorRuntimeError(f"stack expects each tensor to be equal size, but got ranks {sorted(ranks)}")
    rank = ranks.pop() + 1 if ranks else None
    check_dim(constant_int(args[1]), rank)
    return TensorType(_common_dtype(found), rank)


def joined(arrays: Sequence[Array], dim: int) -> Array:
    """`torch.cat` of arrays."""
    if not arrays:
        raise ValueError("torch.cat(): expected a non-empty list of Tensors")
    for i, array in enumerate(arrays):
        if array.ndim == 0:
            raise RuntimeError(f"zero-dimensional tensor (at position {i}) cannot be concatenated")
    dtype = _common_dtype([tensor_type_of(a) for a in arrays])
    assert dtype is not None
    kept = [(i, a) for i, a in enumerate(arrays) if a.shape != (0,)] or [(0, arrays[0])]
    first = kept[0][1]
    axis = wrap_dim(dim, first.ndim)
    for i, array in kept:
        if array.ndim != first.ndim:
            raise RuntimeError(f"Tensors must have same number of dimensions: got {first.ndim} and {array.ndim}")
        for d, (want, have) in enumerate(zip(first.shape, array.shape, strict=True)):
            if d != axis and want != have:
                raise RuntimeError(
                    f"Sizes of tensors must match except in dimension {axis}. Expected size {want} but got size {have} "
                    f"for tensor number {i} in the list."
                )
    return np.concatenate([cast(a, dtype) for _, a in kept], axis)


def stacked(arrays: Sequence[Array], dim: int) -> Array:
    """`torch.stack` of arrays."""
    if not arrays:
        raise RuntimeError("stack expects a non-empty TensorList")
    for i, array in enumerate(arrays):
        if array.shape != arrays[0].shape:
            raise RuntimeError(
                f"stack expects each tensor to be equal size, but got {list(arrays[0].shape)} at entry 0 and "
                f"{list(array.shape)} at entry {i}"
            )
    dtype = _common_dtype([tensor_type_of(a) for a in arrays])
    assert dtype is not None
    return np.stack([cast(a, dtype) for a in arrays], wrap_dim(dim, arrays[0].ndim + 1))


# ---- on values


def _check_sizes(size: Sequence[int]) -> tuple[int, ...]:
    for s in size:
        if s < 0:
            raise RuntimeError(f"Trying to create tensor with negative dimension {s}")
    return tuple(size)


def _filled(size: Sequence[int], value: Any, dtype: DType) -> Array:
    return np.full(_check_sizes(size), cast(value, dtype), numpy_dtype(dtype))


def _suggested(value: object) -> DType:
    return (
        dtypes.bool_ if isinstance(value, bool) else dtypes.int64 if isinstance(value, int) else dtypes.default_float()
    )


def _default(dtype: DType | None) -> DType:
    return dtype or dtypes.default_float()


def _arange(start: float, end: float, step: float, dtype: DType | None) -> Array:
    whole = all(isinstance(v, int) for v in (start, end, step))
    found = dtype or (dtypes.int64 if whole else dtypes.default_float())
    if step == 0 or (found is dtypes.int64 and int(step) == 0):
        raise RuntimeError("step must be nonzero")
    if not (math.isfinite(start) and math.isfinite(end)):
        raise RuntimeError(f"unsupported range: {start} -> {end}")
    if (end - start) * step < 0:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    if found is dtypes.int64:
        n = max(0, -((int(start) - int(end)) // int(step)))
    else:
        n = max(0, math.ceil((float(end) - float(start)) / float(step)))
    index = np.arange(n)
    if found.is_integer:
        return cast(int(start) + index * int(step), found)
    with np.errstate(all="ignore"):
        return cast(np.float64(start) + index.astype(np.float64) * np.float64(step), found)


def _identity(n: int, m: int, dtype: DType | None) -> Array:
    if n < 0:
        raise RuntimeError(f"n must be greater or equal to 0, got {n}")
    if m < 0:
        raise RuntimeError(f"m must be greater or equal to 0, got {m}")
    return cast(np.eye(n, m), _default(dtype))


def _linspace(start: float, end: float, steps: int, dtype: DType | None) -> Array:
    found = _default(dtype)
    if steps < 0:
        raise RuntimeError("number of steps must be non-negative")
    if found.is_integer:
        start, end = (float(cast(np.array([float(x)]), found)[0]) for x in (start, end))
    if steps == 1:
        return cast(np.array([float(start)]), found)
    step = (float(end) - float(start)) / (steps - 1) if steps else 0.0
    index = np.arange(steps)
    forward, backward = float(start) + step * index, float(end) - step * (steps - 1 - index)
    return cast(np.where(index < steps // 2, forward, backward), found)


def _like_of(array: Array, dtype: DType | None) -> DType:
    return dtype or dtype_of_array(array)


@generic
def complex_default():  # type: ignore[no-untyped-def]
    """The dtype of new tensors of complex numbers."""
    return torch.complex128 if torch.get_default_dtype() == torch.float64 else torch.complex64


def full_complex(size: Size, fill_value: complex, dtype: DType | None) -> Tensor:
    return torch.empty(size, dtype=complex_default() if dtype is None else dtype).fill_(fill_value)


def full_like_complex(self: Tensor, fill_value: complex, dtype: DType | None) -> Tensor:
    return torch.empty_like(self, dtype=dtype).fill_(fill_value)


def new_full_complex(self: Tensor, size: Size, fill_value: complex, dtype: DType | None) -> Tensor:
    return self.new_empty(size, dtype=dtype).fill_(fill_value)


@generic
def scalar_dtype(value):  # type: ignore[no-untyped-def]
    """The dtype that the number in a tensor without dimensions suggests."""
    if value.is_complex():
        return complex_default()
    if value.is_floating_point():
        return torch.get_default_dtype()
    return torch.bool if value.dtype == torch.bool else torch.int64


def full_tensor(size: Size, fill_value: Tensor, dtype: DType | None) -> Tensor:
    return torch.empty(size, dtype=scalar_dtype(fill_value) if dtype is None else dtype).fill_(fill_value)


def full_like_tensor(self: Tensor, fill_value: Tensor, dtype: DType | None) -> Tensor:
    return torch.empty_like(self, dtype=dtype).fill_(fill_value)


def new_full_tensor(self: Tensor, size: Size, fill_value: Tensor, dtype: DType | None) -> Tensor:
    return self.new_empty(size, dtype=dtype).fill_(fill_value)


_COMPLEX = frozenset({"zeros", "ones", "empty", "full", "eye"})


def _creation(
    schema: str,
    rule: Callable[[Sequence[Arg]], Type],
    semantics: Callable[..., object],
    doc: str,
    *,
    body: str = "",
    by_result: bool = False,
    exact: bool = True,
    names: str | None = None,
    for_arrays: ForArrays | None = None,
) -> OpDef:
    body = body or f"creation.{schema.partition('(')[0].replace('.', '_')}"
    generic = (-1,) if by_result else ()
    complex = schema.partition("(")[0].partition(".")[0].removesuffix("_like").removeprefix("new_") in _COMPLEX
    tags = (FACTORY,)
    made = kernel(
        schema,
        rule,
        semantics,
        body,
        doc,
        generic=generic,
        effects=NEW,
        exact=exact,
        names=names,
        tags=tags,
        complex=complex,
    )
    return made if for_arrays is None else replace(made, implementation=Kernel(body, generic, for_arrays=for_arrays))


_BY_SHAPE = (
    _creation(
        "zeros(int[] size, *, dtype? dtype=None) -> Tensor",
        _shaped,
        lambda s, d: _filled(s, 0, _default(d)),
        "Zeros.",
        for_arrays=ForArrays("array_forms.zeros_of_array", check_sizes),
    ),
    _creation(
        "ones(int[] size, *, dtype? dtype=None) -> Tensor",
        _shaped,
        lambda s, d: _filled(s, 1, _default(d)),
        "Ones.",
        for_arrays=ForArrays("array_forms.ones_of_array", check_sizes),
    ),
    _creation(
        "empty(int[] size, *, dtype? dtype=None) -> Tensor",
        _shaped,
        lambda s, d: _filled(s, 0, _default(d)),
        "Elements of any value.",
        exact=False,
        for_arrays=ForArrays("array_forms.empty_of_array", check_sizes),
    ),
    _creation(
        "full(int[] size, Scalar fill_value, *, dtype? dtype=None) -> Tensor",
        _full,
        lambda s, v, d: _filled(s, v, d or _suggested(v)),
        "One number everywhere.",
        by_result=True,
    ),
    _creation(
        "zeros_like(Tensor self, *, dtype? dtype=None) -> Tensor",
        _like,
        lambda x, d: _filled(x.shape, 0, _like_of(x, d)),
        "Zeros in the shape of another tensor.",
        names="zeros_like out=no",
    ),
    _creation(
        "ones_like(Tensor self, *, dtype? dtype=None) -> Tensor",
        _like,
        lambda x, d: _filled(x.shape, 1, _like_of(x, d)),
        "Ones in the shape of another tensor.",
        names="ones_like out=no",
    ),
    _creation(
        "empty_like(Tensor self, *, dtype? dtype=None) -> Tensor",
        _like,
        lambda x, d: _filled(x.shape, 0, _like_of(x, d)),
        "Any elements in the shape of another tensor.",
        names="empty_like out=no",
        exact=False,
    ),
    _creation(
        "full_like(Tensor self, Scalar fill_value, *, dtype? dtype=None) -> Tensor",
        _like,
        lambda x, v, d: _filled(x.shape, v, _like_of(x, d)),
        "One number in the shape of another tensor.",
        names="full_like out=no",
        by_result=True,
    ),
    _creation(
        "new_zeros(Tensor self, int[] size, *, dtype? dtype=None) -> Tensor",
        _new,
        lambda x, s, d: _filled(s, 0, _like_of(x, d)),
        "Zeros of the same dtype.",
        names="tscript.new_zeros Tensor.new_zeros",
    ),
    _creation(
        "new_ones(Tensor self, int[] size, *, dtype? dtype=None) -> Tensor",
        _new,
        lambda x, s, d: _filled(s, 1, _like_of(x, d)),
        "Ones of the same dtype.",
        names="tscript.new_ones Tensor.new_ones",
    ),
    _creation(
        "new_empty(Tensor self, int[] size, *, dtype? dtype=None) -> Tensor",
        _new,
        lambda x, s, d: _filled(s, 0, _like_of(x, d)),
        "Any elements of the same dtype.",
        exact=False,
        names="tscript.new_empty Tensor.new_empty",
    ),
    _creation(
        "new_full(Tensor self, int[] size, Scalar fill_value, *, dtype? dtype=None) -> Tensor",
        _new,
        lambda x, s, v, d: _filled(s, v, _like_of(x, d)),
        "One number, of the same dtype.",
        by_result=True,
        names="tscript.new_full Tensor.new_full",
    ),
)

_FILLED = (
    composite(
        "full.complex(int[] size, complex fill_value, *, dtype? dtype=None) -> Tensor",
        full_complex,
        "One complex number everywhere.",
        names="full",
        tags=(FACTORY,),
    ),
    composite(
        "full_like.complex(Tensor self, complex fill_value, *, dtype? dtype=None) -> Tensor",
        full_like_complex,
        "One complex number in the shape of another tensor.",
        names="full_like out=no",
        tags=(FACTORY,),
    ),
    composite(
        "new_full.complex(Tensor self, int[] size, complex fill_value, *, dtype? dtype=None) -> Tensor",
        new_full_complex,
        "One complex number, of the same dtype.",
        names="tscript.new_full Tensor.new_full",
        tags=(FACTORY,),
    ),
)

_FILLED_BY_TENSORS = (
    composite(
        "full.Tensor(int[] size, Tensor fill_value, *, dtype? dtype=None) -> Tensor",
        full_tensor,
        "The number of a tensor without dimensions everywhere.",
        names="full",
        tags=(FACTORY,),
    ),
    composite(
        "full_like.Tensor(Tensor self, Tensor fill_value, *, dtype? dtype=None) -> Tensor",
        full_like_tensor,
        "The number of a tensor without dimensions in the shape of another tensor.",
        names="full_like out=no",
        tags=(FACTORY,),
    ),
    composite(
        "new_full.Tensor(Tensor self, int[] size, Tensor fill_value, *, dtype? dtype=None) -> Tensor",
        new_full_tensor,
        "The number of a tensor without dimensions, of the same dtype.",
        names="tscript.new_full Tensor.new_full",
        tags=(FACTORY,),
    ),
)

_RANGES = (
    _creation(
        "arange(Scalar end, *, dtype? dtype=None) -> Tensor",
        _range,
        lambda end, d: _arange(0, end, 1, d),
        "0, 1 … below `end`.",
        body="creation.arange_end",
        by_result=True,
    ),
    _creation(
        "arange.start(Scalar start, Scalar end, *, dtype? dtype=None) -> Tensor",
        _range,
        lambda start, end, d: _arange(start, end, 1, d),
        "start, start + 1 … below `end`.",
        by_result=True,
    ),
    _creation(
        "arange.start_step(Scalar start, Scalar end, Scalar step, *, dtype? dtype=None) -> Tensor",
        _range,
        _arange,
        "start, start + step … below `end`.",
        by_result=True,
    ),
    _creation(
        "linspace(Scalar start, Scalar end, int steps, *, dtype? dtype=None) -> Tensor",
        _spaced,
        _linspace,
        "`steps` numbers from `start` to `end`, both included.",
        by_result=True,
        exact=False,
    ),
    _creation(
        "eye(int n, *, dtype? dtype=None) -> Tensor", _matrix, lambda n, d: _identity(n, n, d), "The identity matrix."
    ),
    _creation(
        "eye.m(int n, int m, *, dtype? dtype=None) -> Tensor",
        _matrix,
        _identity,
        "Ones on the diagonal of n x m zeros.",
    ),
)

_LITERALS = (
    OpDef(
        parse_schema("tensor(Any data, *, dtype? dtype=None) -> Tensor"),
        _literal,
        _make_literal,
        Structural(),
        NEW,
        "A tensor from a number or from nested tuples or lists of numbers.",
        tags=frozenset({FACTORY}),
        portable=True,
        names=Names(("torch.tensor",)),
    ),
    _creation(
        "tensor_of_ints(int[] values, int[] shape, dtype dtype) -> Tensor",
        _from_values_rule,
        _from_values,
        "A tensor from the ints of a literal, row by row.",
        names="",
    ),
    _creation(
        "tensor_of_floats(float[] values, int[] shape, dtype dtype) -> Tensor",
        _from_values_rule,
        _from_values,
        "A tensor from the floats of a literal, row by row.",
        names="",
    ),
)

_JOINED = (
    kernel(
        "cat(Tensor[] tensors, int dim=0) -> Tensor",
        _cat,
        joined,
        "join.cat",
        "Joined along a dimension.",
        complex=True,
        effects=RAISES,
        names="cat concat concatenate out=cast",
    ),
    kernel(
        "stack(Tensor[] tensors, int dim=0) -> Tensor",
        _stack,
        stacked,
        "join.stack_",
        "Joined along a new dimension.",
        complex=True,
        effects=RAISES,
        names="stack out=cast",
    ),
)

OPERATORS: tuple[OpDef, ...] = (*_BY_SHAPE, *_FILLED, *_FILLED_BY_TENSORS, *_RANGES, *_LITERALS, *_JOINED)
"""All operators of this module."""
