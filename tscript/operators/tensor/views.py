"""Operators that give another view of the same elements, and `contiguous`, `reshape`, `flatten`, which copy if they
must."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from tscript.arrays import Array, np, numpy_function
from tscript.definitions.define import view
from tscript.definitions.opdef import MAY_BE_SELF, Arg, OpDef, OperatorIndexError, OperatorRuntimeError
from tscript.definitions.rules import check_dim, constant_dtype, constant_int, constant_ints, int_count, tensor_of
from tscript.definitions.values import numpy_dtype, wrap_dim, wrap_dims
from tscript.types import DType, TensorType, Type


def _same(args: Sequence[Arg]) -> Type:
    return tensor_of(args[0])


def _with_rank(change: Callable[[int, Sequence[Arg]], int | None]) -> Callable[[Sequence[Arg]], Type]:
    """A rule that keeps the dtype and computes the rank from the rank of the first argument."""

    def rule(args: Sequence[Arg]) -> Type:
        found = tensor_of(args[0])
        return TensorType(found.dtype, None if found.rank is None else change(found.rank, args))

    return rule


def _as_dtype(args: Sequence[Arg]) -> Type:
    return TensorType(constant_dtype(args[1], None), tensor_of(args[0]).rank)


def _view_dtype(x: Array, dtype: DType) -> Array:
    target = numpy_dtype(dtype)
    old, new = x.itemsize, target.itemsize
    if old != new:
        if x.ndim == 0:
            raise RuntimeError(
                f"view: a tensor without dimensions cannot be viewed as a dtype of another element size: {new} bytes, "
                f"not {old}"
            )
        strides = [s // old for s in x.strides]
        how = f"to view elements of {old} bytes as elements of {new} bytes, but got"
        if strides[-1] != 1 and x.shape[-1] > 1:
            raise RuntimeError(f"view: self.stride(-1) must be 1 {how} {strides[-1]}")
        ratio = new // old
        if ratio > 1:
            owner = x
            while isinstance(owner.base, np.ndarray):
                owner = owner.base
            offset = (x.__array_interface__["data"][0] - owner.__array_interface__["data"][0]) // old
            for what, found in (
                ("size(-1)", x.shape[-1]),
                ("storage_offset()", offset),
                *((f"stride({d})", s) for d, s in enumerate(strides[:-1])),
            ):
                if found % ratio and (x.size or what == "size(-1)"):
                    raise RuntimeError(f"view: self.{what} must be divisible by {ratio} {how} {found}")
    return x.view(target)


def _transpose(rank: int, args: Sequence[Arg]) -> int:
    for arg in args[1:3]:
        check_dim(constant_int(arg), rank)
    return rank


def _reversed_rank(rank: int, args: Sequence[Arg]) -> int:
    check_dim(constant_int(args[1]), rank)
    return rank


def _at_most_two(rank: int, args: Sequence[Arg]) -> int:
    if rank > 2:
        raise OperatorRuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {rank}D")
    return rank


def _matrix(rank: int, args: Sequence[Arg]) -> int:
    if rank < 2:
        raise OperatorRuntimeError(
            f"tensor.mT is only supported on matrices or batches of matrices. Got {rank}-D tensor."
        )
    return rank


def _permute(args: Sequence[Arg]) -> Type:
    found = tensor_of(args[0])
    n = int_count(args[1])
    if found.rank is not None and n is not None and n != found.rank:
        raise OperatorRuntimeError(
            "permute(sparse_coo): number of dimensions in the tensor input does not match the length of the desired "
            f"ordering of dimensions i.e. input.dim() = {found.rank} is not equal to len(dims) = {n}"
        )
    if (dims := constant_ints(args[1])) is not None and found.rank is not None:
        seen = [check_dim(d, found.rank) for d in dims]
        if len(set(seen)) != len(seen):
            raise OperatorRuntimeError("permute(): duplicate dims are not allowed.")
    return TensorType(found.dtype, n if found.rank is None else found.rank)


def _new_shape(args: Sequence[Arg]) -> Type:
    return TensorType(tensor_of(args[0]).dtype, int_count(args[1]))


def _expand(args: Sequence[Arg]) -> Type:
    found = tensor_of(args[0])
    n = int_count(args[1])
    if found.rank is not None and n is not None and n < found.rank:
        raise OperatorRuntimeError(
            f"expand: the number of sizes provided ({n}) must be greater or equal to the number of dimensions in the "
            f"tensor ({found.rank})"
        )
    return TensorType(found.dtype, n)


def _like_other(args: Sequence[Arg]) -> Type:
    return TensorType(tensor_of(args[0]).dtype, tensor_of(args[1]).rank)


def _unsqueeze(rank: int, args: Sequence[Arg]) -> int:
    check_dim(constant_int(args[1]), rank + 1)
    return rank + 1


def _squeezed(rank: int, args: Sequence[Arg]) -> int | None:
    """Which sizes are 1 is not known to the compiler; only a 0-d tensor keeps its rank for certain."""
    if len(args) > 1:
        for dim in constant_ints(args[1]) or ():
            check_dim(dim, rank)
    return 0 if rank == 0 else None


def _flatten(rank: int, args: Sequence[Arg]) -> int | None:
    start, end = (check_dim(constant_int(a), rank) for a in args[1:3])
    if rank == 0:
        return 1
    if start is None or end is None:
        return None
    if start > end:
        raise OperatorRuntimeError("flatten() has invalid args: start_dim cannot come after end_dim")
    return rank - (end - start)


def _unflatten(rank: int, args: Sequence[Arg]) -> int | None:
    check_dim(constant_int(args[1]), rank)
    n = int_count(args[2])
    if n == 0:
        raise OperatorRuntimeError("unflatten: sizes must be non-empty")
    return None if n is None else rank + n - 1


def _diagonal(rank: int, args: Sequence[Arg]) -> int:
    first, second = (check_dim(constant_int(a), rank) for a in args[2:4])
    if rank < 2:
        raise OperatorIndexError(
            f"Dimension out of range (expected to be in range of [{-max(rank, 1)}, {max(rank, 1) - 1}], but got 1)"
        )
    if first is not None and first == second:
        raise OperatorRuntimeError(f"diagonal dimensions cannot be identical {first}, {second}")
    return rank - 1


# ---- on arrays


def infer_size(shape: Sequence[int], numel: int) -> tuple[int, ...]:
    """`shape` with its -1 filled in.

    Raises:
        RuntimeError: It does not hold `numel` elements, in PyTorch's words.
    """
    known = math.prod(s for s in shape if s != -1)
    if any(s < -1 for s in shape):
        raise RuntimeError(f"invalid shape dimension {min(shape)}")
    if list(shape).count(-1) > 1:
        raise RuntimeError("only one dimension can be inferred")
    if -1 in shape:
        if known == 0 and numel == 0:
            raise RuntimeError(
                f"cannot reshape tensor of 0 elements into shape {list(shape)} because the unspecified dimension size "
                "-1 can be any value and is ambiguous"
            )
        if known and numel % known == 0:
            return tuple(numel // known if s == -1 else s for s in shape)
    elif known == numel:
        return tuple(shape)
    raise RuntimeError(f"shape '{list(shape)}' is invalid for input of size {numel}")


def view_as(array: Array, shape: Sequence[int]) -> Array:
    """`Tensor.view` of an array.

    Raises:
        RuntimeError: Another number of elements, or the strides do not allow a view.
    """
    wanted = infer_size(shape, array.size)
    out = array.reshape(wanted)
    if array.size and out.ctypes.data != array.ctypes.data:
        raise RuntimeError(
            "view size is not compatible with input tensor's size and stride (at least one dimension spans across two "
            "contiguous subspaces). Use .reshape(...) instead."
        )
    return out


def reshape(array: Array, shape: Sequence[int]) -> Array:
    """`Tensor.reshape`: a view where possible, else a copy."""
    return array.reshape(infer_size(shape, array.size))


def expand(array: Array, size: Sequence[int]) -> Array:
    """`Tensor.expand`: a view with stride 0 along repeated dimensions.

    Raises:
        RuntimeError: A size does not fit, in PyTorch's words.
    """
    lead = len(size) - array.ndim
    if lead < 0:
        raise RuntimeError(
            f"expand: the number of sizes provided ({len(size)}) must be greater or equal to the number of dimensions "
            f"in the tensor ({array.ndim})"
        )
    wanted = []
    for i, s in enumerate(size):
        have = array.shape[i - lead] if i >= lead else 1
        if s == -1 and i < lead:
            raise RuntimeError(
                f"The expanded size of the tensor (-1) isn't allowed in a leading, non-existing dimension {i}"
            )
        if s != -1 and s != have and have != 1:
            raise RuntimeError(
                f"The expanded size of the tensor ({s}) must match the existing size ({have}) at non-singleton "
                f"dimension {i}."
            )
        wanted.append(have if s == -1 else s)
    strides = (0,) * lead + tuple(
        0 if have != want else stride
        for have, want, stride in zip(array.shape, wanted[lead:], array.strides, strict=True)
    )
    return np.lib.stride_tricks.as_strided(array, wanted, strides, writeable=bool(array.flags.writeable))


def _transposed(array: Array, dim0: int, dim1: int) -> Array:
    first, second = wrap_dim(dim0, array.ndim), wrap_dim(dim1, array.ndim)
    return array.view() if array.ndim == 0 else np.swapaxes(array, first, second)


def _t(array: Array) -> Array:
    if array.ndim > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {array.ndim}D")
    return array.T


def _permuted(array: Array, dims: Sequence[int]) -> Array:
    if len(dims) != array.ndim:
        raise RuntimeError(
            "permute(sparse_coo): number of dimensions in the tensor input does not match the length of the desired "
            f"ordering of dimensions i.e. input.dim() = {array.ndim} is not equal to len(dims) = {len(dims)}"
        )
    order = [wrap_dim(d, array.ndim) for d in dims]
    if len(set(order)) != len(order):
        raise RuntimeError("permute(): duplicate dims are not allowed.")
    return array.transpose(order)


def _squeeze_dims(array: Array, dims: Sequence[int]) -> Array:
    dims = wrap_dims(dims, array.ndim)
    return array.view().squeeze(tuple(d for d in dims if array.ndim and array.shape[d] == 1))


def _unsqueezed(array: Array, dim: int) -> Array:
    return np.expand_dims(array, wrap_dim(dim, array.ndim + 1))


def _reversed_dim(array: Array, dim: int) -> Array:
    at = wrap_dim(dim, array.ndim)
    return np.flip(array, at) if array.ndim else array.view()


def _flattened(array: Array, start: int, end: int) -> Array:
    first, last = wrap_dim(start, array.ndim), wrap_dim(end, array.ndim)
    if array.ndim == 0:
        return array.reshape(1)
    if first > last:
        raise RuntimeError("flatten() has invalid args: start_dim cannot come after end_dim")
    if first == last:
        return array
    middle = math.prod(array.shape[first : last + 1])
    return array.reshape((*array.shape[:first], middle, *array.shape[last + 1 :]))


def _unflattened(array: Array, dim: int, sizes: Sequence[int]) -> Array:
    at = wrap_dim(dim, array.ndim)
    if not sizes:
        raise RuntimeError("unflatten: sizes must be non-empty")
    if array.ndim == 0:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    try:
        inner = infer_size(sizes, array.shape[at])
    except RuntimeError:
        raise RuntimeError(
            f"unflatten: Provided sizes {list(sizes)} don't multiply up to the size of dim {at} ({array.shape[at]}) in "
            "the input tensor"
        ) from None
    return view_as(array, (*array.shape[:at], *inner, *array.shape[at + 1 :]))


def _diagonal_of(array: Array, offset: int, dim1: int, dim2: int) -> Array:
    first, second = wrap_dim(dim1, array.ndim), wrap_dim(dim2, array.ndim)
    if first == second:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    out = np.diagonal(array, offset, first, second)
    if array.flags.writeable:
        out.flags.writeable = True
    return out


def _contiguous(array: Array) -> Array:
    return array if array.flags.c_contiguous else np.array(array, order="C")


def _matrix_transposed(array: Array) -> Array:
    if array.ndim < 2:
        raise RuntimeError(
            f"tensor.mT is only supported on matrices or batches of matrices. Got {array.ndim}-D tensor."
        )
    return np.swapaxes(array, -2, -1)


OPERATORS: tuple[OpDef, ...] = (
    view(
        "transpose(Tensor self, int dim0, int dim1) -> Tensor",
        _with_rank(_transpose),
        _transposed,
        "views.transpose",
        "Two dimensions exchanged.",
        names="transpose swapaxes swapdims axis0=dim0 axis1=dim1",
    ),
    view(
        "t(Tensor self) -> Tensor",
        _with_rank(_at_most_two),
        _t,
        "views.t",
        "The transposed matrix; a vector is left as it is.",
    ),
    view(
        "T(Tensor self) -> Tensor",
        _same,
        numpy_function(lambda: np.transpose),
        "views.reverse_dims",
        "All dimensions in reverse order, ``x.T``.",
        names="Tensor.T",
    ),
    view(
        "mT(Tensor self) -> Tensor",
        _with_rank(_matrix),
        _matrix_transposed,
        "views.matrix_transpose",
        "The last two dimensions exchanged, ``x.mT``.",
        names="Tensor.mT",
    ),
    view(
        "permute(Tensor self, int[] dims) -> Tensor",
        _permute,
        _permuted,
        "views.permute",
        "The dimensions in another order.",
    ),
    view(
        "view(Tensor self, int[] size) -> Tensor",
        _new_shape,
        view_as,
        "views_reshape.view",
        "The same elements in another shape; -1 is inferred.",
        names="tscript.view Tensor.view",
    ),
    view(
        "view.dtype(Tensor self, dtype dtype) -> Tensor",
        _as_dtype,
        _view_dtype,
        "views_strided.view_dtype",
        "The same memory, read as elements of another dtype; of other sizes, the last dimension is longer or shorter.",
        names="tscript.view Tensor.view",
    ),
    view(
        "view_as(Tensor self, Tensor other) -> Tensor",
        _like_other,
        lambda x, y: view_as(x, y.shape),
        "views_reshape.view_as",
        "A view in the shape of `other`.",
        names="tscript.view_as Tensor.view_as",
    ),
    view(
        "reshape(Tensor self, int[] shape) -> Tensor",
        _new_shape,
        reshape,
        "views_reshape.reshape",
        "Another shape; a view where the strides allow one, else a copy.",
    ),
    view(
        "reshape_as(Tensor self, Tensor other) -> Tensor",
        _like_other,
        lambda x, y: reshape(x, y.shape),
        "views_reshape.reshape_as",
        "Reshaped to the shape of `other`.",
        names="tscript.reshape_as Tensor.reshape_as",
    ),
    view(
        "flatten(Tensor self, int start_dim=0, int end_dim=-1) -> Tensor",
        _with_rank(_flatten),
        _flattened,
        "views_reshape.flatten",
        "Dimensions start_dim..end_dim made one; itself where they are one dimension.",
        (MAY_BE_SELF,),
    ),
    view(
        "ravel(Tensor self) -> Tensor",
        _with_rank(lambda rank, args: 1),
        lambda x: x.reshape(-1),
        "views_reshape.ravel",
        "One dimension, contiguous.",
    ),
    view(
        "unflatten(Tensor self, int dim, int[] sizes) -> Tensor",
        _with_rank(_unflatten),
        _unflattened,
        "views_reshape.unflatten",
        "One dimension split into several.",
    ),
    view(
        "squeeze(Tensor self) -> Tensor",
        _with_rank(_squeezed),
        lambda x: x.view().squeeze(),
        "views.squeeze",
        "Without the dimensions of size 1.",
    ),
    view(
        "squeeze.dims(Tensor self, int[1] dim) -> Tensor",
        _with_rank(_squeezed),
        _squeeze_dims,
        "views.squeeze_dims",
        "Without these dimensions where their size is 1.",
    ),
    view(
        "unsqueeze(Tensor self, int dim) -> Tensor",
        _with_rank(_unsqueeze),
        _unsqueezed,
        "views.unsqueeze",
        "With a dimension of size 1 inserted.",
    ),
    view(
        "numpy_reverse(Tensor self, int dim) -> Tensor",
        _with_rank(_reversed_rank),
        _reversed_dim,
        "views_slice.reverse",
        "A dimension from its end, which NumPy alone has.",
        names="",
    ),
    view(
        "expand(Tensor self, int[] size, *, bool implicit=False) -> Tensor",
        _expand,
        lambda x, size, implicit: expand(x, size),
        "views_expand.expand",
        "Repeated along dimensions of size 1, without a copy; -1 keeps a size.",
        names="tscript.expand Tensor.expand",
    ),
    view(
        "expand_as(Tensor self, Tensor other) -> Tensor",
        _like_other,
        lambda x, y: expand(x, y.shape),
        "views_expand.expand_as",
        "Expanded to the shape of `other`.",
        names="tscript.expand_as Tensor.expand_as",
    ),
    view(
        "broadcast_to(Tensor self, int[] size) -> Tensor",
        _expand,
        expand,
        "views_expand.broadcast_to",
        "Expanded to `size`.",
    ),
    view(
        "diagonal(Tensor self, int offset=0, int dim1=0, int dim2=1) -> Tensor",
        _with_rank(_diagonal),
        _diagonal_of,
        "views_slice.diagonal",
        "The diagonal of two dimensions, as the last dimension.",
    ),
    view(
        "contiguous(Tensor self) -> Tensor",
        _same,
        _contiguous,
        "copy.contiguous",
        "Itself if contiguous, else a contiguous copy.",
        (MAY_BE_SELF,),
        names="tscript.contiguous Tensor.contiguous",
    ),
    view(
        "detach(Tensor self) -> Tensor",
        _same,
        lambda x: x.view(),
        "views.alias",
        "Another tensor over the same elements.",
    ),
    view(
        "alias(Tensor self) -> Tensor",
        _same,
        lambda x: x.view(),
        "views.alias",
        "Another tensor over the same elements.",
        names="tscript.alias Tensor.alias",
    ),
)
"""All operators of this module."""
