"""Samples of views, and of what is asked about the shape and the memory of tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.samples.base import ALL, COMPLEX, HALVES, WIDE, Array, Call, Name, Samples, T, Wrong

EVERY = (*ALL, *HALVES, *WIDE, *COMPLEX)


def _viewed(x: Array, *size: Any, dtype: Any = None) -> Array:
    target = size[0] if size and isinstance(size[0], type) else dtype
    return x.reshape(_sizes(x, *size)) if target is None else x.view(target)


def _sizes(x: Array, size: Any, *more: int) -> tuple[int, ...]:
    return (size, *more) if isinstance(size, int) else tuple(size)


def _expanded(x: Array, *size: Any) -> Array:
    wanted = _sizes(x, *size)
    own = (1,) * (len(wanted) - x.ndim) + x.shape
    return np.broadcast_to(x, [o if w == -1 else w for w, o in zip(wanted, own, strict=True)])


def _flatten(x: Array, start: int = 0, end: int = -1) -> Array:
    if not x.ndim:
        return x.reshape(1)
    start, end = start % x.ndim, end % x.ndim
    return x.reshape(*x.shape[:start], -1, *x.shape[end + 1 :])


def _unflatten(x: Array, dim: int, sizes: tuple[int, ...]) -> Array:
    dim %= x.ndim
    return x.reshape(*x.shape[:dim], *sizes, *x.shape[dim + 1 :])


def _squeezed(x: Array, dim: int | tuple[int, ...] | None = None) -> Array:
    dims = range(x.ndim) if dim is None else (dim,) if isinstance(dim, int) else dim
    return np.squeeze(x, tuple(d % x.ndim for d in dims if x.ndim and x.shape[d] == 1))


def _sliced(x: Array, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1) -> Array:
    return np.moveaxis(np.moveaxis(x, dim, 0)[start:end:step], 0, dim)


def _strides(x: Array, dim: int | None = None) -> Any:
    found = tuple(s // x.itemsize for s in x.strides)
    return found if dim is None else found[dim]


def _dimension(x: Array, d: int) -> int:
    return x.shape[d]


OUT_OF_RANGE = Wrong(IndexError, "Dimension out of range", T(2, 3), 2)

SAMPLES = (
    Samples(
        "Tensor.alias", lambda x: x, Call(T(2, 3, layout="t")), dtypes=EVERY, torch=False, why="torch has no method"
    ),
    Samples(
        "detach", lambda x: x, Call(T(2, 3, layout="t")), Call(T()), Call(T(0, 2)), Call(T(4, layout="r")), dtypes=EVERY
    ),
    Samples(
        "Tensor.view",
        _viewed,
        Call(T(2, 6), (3, 4)),
        Call(T(2, 6), -1, 2),
        Call(T(), (1, 1)),
        Call(T(0, 3), (3, 0)),
        Call(T(4, 6, layout="s"), (2, 2, 6)),
        Call(T(6, layout="r"), (2, 3)),
        Call(T(1), ()),
        Call(T(2, 6, low=1), Name("int32")),
        Call(T(3, 2, layout="t"), Name("int32")),
        Call(T(2, 6, low=1), Name("float64")),
        Call(T(2, 6), dtype=Name("uint8")),
        Call(T(), Name("int32")),
        Call(T(3, 2, dtype="complex64"), Name("float32")),
        Call(T(3, 2, dtype="int8"), Name("uint16")),
        dtypes=EVERY,
        wrong=(
            Wrong(RuntimeError, "another element size", T(), Name("float64")),
            Wrong(RuntimeError, r"self.stride(-1) must be 1", T(3, 2, layout="t"), Name("int16")),
            Wrong(RuntimeError, r"self.size(-1) must be divisible by 2", T(2, 3), Name("float64")),
            Wrong(RuntimeError, "invalid for input of size 6", T(2, 3), (4,)),
            Wrong(RuntimeError, "only one dimension can be inferred", T(2, 3), (-1, -1)),
            Wrong(RuntimeError, "invalid shape dimension -2", T(2, 3), (-2, 3)),
            Wrong(RuntimeError, "stride", T(3, 2, layout="t"), (6,)),
            Wrong(RuntimeError, "", T(2, 3), (2**62, 2**62)),
        ),
    ),
    Samples(
        "Tensor.view_as",
        lambda x, other: x.reshape(other.shape),
        Call(T(2, 6), T(3, 4, dtype="int8")),
        Call(T(1), T()),
        Call(T(0, 2), T(4, 0)),
        dtypes=EVERY,
        wrong=(Wrong(RuntimeError, "invalid for input of size 6", T(2, 3), T(4)),),
    ),
    Samples(
        "reshape",
        lambda x, size: x.reshape(size),
        Call(T(2, 6), (3, 4)),
        Call(T(3, 2, layout="t"), (-1,)),
        Call(T(), (1,)),
        Call(T(0, 3), (0, 5)),
        Call(T(4, 6, layout="s"), (3, 8)),
        Call(T(2, 3, layout="r"), (3, 2)),
        Call(T(64, 32, layout="t"), (32, 64)),
        dtypes=EVERY,
        wrong=(
            Wrong(RuntimeError, "invalid for input of size 6", T(2, 3), (4, 2)),
            Wrong(RuntimeError, "ambiguous", T(0, 3), (0, -1)),
        ),
    ),
    Samples(
        "Tensor.reshape_as",
        lambda x, other: x.reshape(other.shape),
        Call(T(3, 2, layout="t"), T(6)),
        Call(T(1), T()),
        dtypes=EVERY,
        wrong=(Wrong(RuntimeError, "invalid for input of size 6", T(2, 3), T(5)),),
    ),
    Samples(
        "flatten",
        _flatten,
        Call(T(2, 3, 4)),
        Call(T(2, 3, 4, layout="t"), 1),
        Call(T(2, 3, 4), 0, 1),
        Call(T()),
        Call(T(2, 0)),
        Call(T(2, 3, layout="r"), -1),
        dtypes=EVERY,
        wrong=(OUT_OF_RANGE, Wrong(RuntimeError, "start_dim cannot come after end_dim", T(2, 3), 1, 0)),
    ),
    Samples(
        "ravel", np.ravel, Call(T(2, 3, layout="t")), Call(T()), Call(T(0, 2)), Call(T(3, layout="r")), dtypes=EVERY
    ),
    Samples(
        "unflatten",
        _unflatten,
        Call(T(6, 2), 0, (2, 3)),
        Call(T(2, 6, layout="t"), -1, (-1, 2)),
        Call(T(0, 2), 0, (0, 3)),
        dtypes=EVERY,
        wrong=(
            Wrong(RuntimeError, "", T(6), 0, (2, 2)),
            Wrong(IndexError, "Dimension out of range", T(6), 1, (6,)),
        ),
    ),
    Samples(
        "Tensor.expand",
        _expanded,
        Call(T(3, 1), (2, 3, 4)),
        Call(T(3, 1), -1, 4),
        Call(T(), (2, 2)),
        Call(T(1, 3, layout="s"), (0, 3)),
        Call(T(3, layout="r"), (2, 3)),
        dtypes=EVERY,
        wrong=(
            Wrong(RuntimeError, "must match the existing size", T(3), (4,)),
            Wrong(RuntimeError, "", T(2, 3), (3,)),
            Wrong(RuntimeError, "", T(3), (-1, 3)),
            Wrong(RuntimeError, "", T(1), (-2,)),
        ),
    ),
    Samples(
        "Tensor.expand_as",
        lambda x, other: np.broadcast_to(x, other.shape),
        Call(T(3, 1), T(2, 3, 4, dtype="bool")),
        Call(T(), T(2)),
        dtypes=EVERY,
        wrong=(Wrong(RuntimeError, "must match the existing size", T(3), T(4)),),
    ),
    Samples(
        "broadcast_to",
        np.broadcast_to,
        Call(T(3, 1), (2, 3, 4)),
        Call(T(), (0,)),
        Call(T(4, layout="s"), (3, 4)),
        dtypes=EVERY,
        wrong=(Wrong(RuntimeError, "must match the existing size", T(3), (4,)),),
    ),
    Samples(
        "permute",
        lambda x, dims: np.transpose(x, dims) if dims else x,
        Call(T(2, 3, 4), (2, 0, 1)),
        Call(T(2, 3, 4, layout="t"), (-1, 0, 1)),
        Call(T(), ()),
        Call(T(0, 2, layout="s"), (1, 0)),
        dtypes=EVERY,
        wrong=(
            Wrong(RuntimeError, "", T(2, 3), (0,)),
            Wrong(RuntimeError, "", T(2, 3), (0, 0)),
            Wrong(IndexError, "Dimension out of range", T(2, 3), (0, 2)),
        ),
    ),
    Samples(
        "transpose",
        lambda x, a, b: np.swapaxes(x, a, b) if x.ndim else x,
        Call(T(2, 3, 4), 0, -1),
        Call(T(2, 3, layout="r"), 1, 0),
        Call(T(), 0, -1),
        Call(T(0, 2), 0, 1),
        dtypes=EVERY,
        wrong=(Wrong(IndexError, "Dimension out of range", T(2, 3), 0, 2),),
    ),
    Samples("swapaxes", np.swapaxes, Call(T(2, 3, 4), 0, 2)),
    Samples("swapdims", np.swapaxes, Call(T(2, 3, 4), 1, 2)),
    Samples(
        "t",
        np.transpose,
        Call(T(2, 3)),
        Call(T(3)),
        Call(T()),
        Call(T(0, 2)),
        Call(T(2, 3, layout="r")),
        dtypes=EVERY,
        wrong=(Wrong(RuntimeError, "<= 2", T(2, 3, 4)),),
    ),
    Samples(
        "squeeze",
        _squeezed,
        Call(T(1, 3, 1)),
        Call(T(1, 3, 1, layout="t"), 0),
        Call(T(1, 3, 1), (0, -1)),
        Call(T(2, 3), 1),
        Call(T()),
        Call(T(1, 0)),
        dtypes=EVERY,
        wrong=(OUT_OF_RANGE,),
    ),
    Samples(
        "unsqueeze",
        np.expand_dims,
        Call(T(2, 3), 1),
        Call(T(2, 3, layout="t"), -1),
        Call(T(), 0),
        Call(T(0), -2),
        dtypes=EVERY,
        wrong=(Wrong(IndexError, "Dimension out of range", T(2, 3), 3),),
    ),
    Samples(
        "select",
        lambda x, dim, index: np.take(x, index, dim),
        Call(T(3, 4), 0, 1),
        Call(T(3, 4, layout="t"), -1, -4),
        Call(T(3, layout="r"), 0, 2),
        Call(T(2, 0), 0, 1),
        dtypes=EVERY,
        wrong=(
            Wrong(IndexError, "index 3", T(3, 4), 0, 3),
            Wrong(IndexError, "Dimension out of range", T(3, 4), 2, 0),
            Wrong(IndexError, "0-dim", T(), 0, 0),
        ),
    ),
    Samples(
        "Tensor.slice",
        _sliced,
        Call(T(5, 4), 0, 1, 4, 2),
        Call(T(5, 4, layout="t"), 1, -3),
        Call(T(5, layout="r"), 0, None, -1),
        Call(T(0, 2), 0, 3, 9),
        Call(T(4), 0, 2**62, -(2**62)),
        dtypes=EVERY,
        wrong=(
            Wrong(ValueError, "step", T(3), 0, 0, 3, 0),
            Wrong(IndexError, "Dimension out of range", T(3), 1),
        ),
        torch=False,
        why="torch has no method",
    ),
    Samples(
        "diagonal",
        np.diagonal,
        Call(T(3, 4)),
        Call(T(3, 4, layout="t"), 1),
        Call(T(2, 3, 4), -1, 1, 2),
        Call(T(3, 4, layout="r"), 9),
        Call(T(0, 3)),
        dtypes=EVERY,
        wrong=(
            Wrong(IndexError, "Dimension out of range", T(3)),
            Wrong(RuntimeError, "identical", T(2, 3), 0, 1, 1),
        ),
    ),
    Samples(
        "Tensor.size",
        lambda x, dim=None: x.shape if dim is None else x.shape[dim],
        Call(T(2, 0, 3)),
        Call(T(2, 3, layout="t"), -1),
        Call(T()),
        dtypes=EVERY,
        wrong=(OUT_OF_RANGE, Wrong(IndexError, "", T(), 0)),
    ),
    Samples(
        "Tensor.stride",
        _strides,
        Call(T(2, 3)),
        Call(T(2, 3, layout="t"), 0),
        Call(T(2, 3, layout="s")),
        Call(T()),
        dtypes=EVERY,
        wrong=(OUT_OF_RANGE,),
    ),
    Samples("Tensor.storage_offset", lambda x: 0, Call(T(2, 3)), Call(T()), dtypes=EVERY),
    Samples("numel", np.size, Call(T(2, 3)), Call(T()), Call(T(2, 0)), dtypes=EVERY),
    Samples("Tensor.nelement", np.size, Call(T(2, 3)), dtypes=EVERY),
    Samples("Tensor.dim", np.ndim, Call(T(2, 3)), Call(T()), dtypes=EVERY),
    Samples("Tensor.ndimension", np.ndim, Call(T(2, 3)), dtypes=EVERY),
    Samples("Tensor.element_size", lambda x: x.itemsize, Call(T(2, 3)), Call(T()), dtypes=(*ALL, *WIDE, *COMPLEX)),
    Samples("is_floating_point", lambda x: x.dtype.kind == "f", Call(T(2, 3)), Call(T()), dtypes=EVERY),
    Samples(
        "Tensor.item",
        lambda x: x.item(),
        Call(T()),
        Call(T(1, 1)),
        dtypes=EVERY,
        wrong=(Wrong(RuntimeError, "cannot be converted to Scalar", T(2)), Wrong(RuntimeError, "", T(0))),
    ),
    *(
        Samples(
            f"Tensor.{name}",
            function,
            Call(T(2, 3)),
            Call(T(2, 3, layout="t")),
            Call(T(0, 2)),
            Call(T(2, 3, layout="r")),
            *further,
            dtypes=EVERY,
            attribute=True,
        )
        for name, function, further in (
            ("T", np.transpose, ()),
            ("mT", lambda x: np.swapaxes(x, -1, -2), (Call(T(2, 3, 4)),)),
            ("H", lambda x: np.conj(x.T), (Call(T(2, 3, dtype="complex64")),)),
        )
    ),
    Samples(
        "Tensor.dtype",
        None,
        Call(T(2)),
        attribute=True,
        torch=False,
        scripted=False,
        random=True,
        why="the dtype of each result is compared",
    ),
    Samples(
        "Tensor.cuda",
        None,
        wrong=(Wrong(RuntimeError, "there is no device 'cuda'", T(2), torch=False),),
        why="there is no such device",
    ),
    Samples(
        "cat",
        lambda x, dim=0: np.concatenate(x, dim),
        Call([T(2, 3), T(1, 3)]),
        Call((T(2, 3, layout="t"), T(2, 1)), -1),
        Call([T(2, dtype="int32"), T(2, dtype="float64")]),
        Call([T(0, 2), T(3, 2, layout="s")]),
        Call([T(3, layout="r"), T(1)], dim=0),
        Call([T(40, 30), T(40, 50)], 1),
        dtypes=EVERY,
        wrong=(
            Wrong(RuntimeError, "Sizes of tensors must match except in dimension 0", [T(2, 3), T(2, 4)]),
            Wrong(RuntimeError, "zero-dimensional", [T(), T()]),
            Wrong(IndexError, "Dimension out of range", [T(2)], 1),
            Wrong(RuntimeError, "", [T(2), T(2, 2)]),
        ),
    ),
    Samples("concat", lambda x, dim=0: np.concatenate(x, dim), Call([T(2, 3), T(1, 3)])),
    Samples("concatenate", lambda x, dim=0: np.concatenate(x, dim), Call([T(2, 3), T(1, 3)])),
    Samples(
        "stack",
        lambda x, dim=0: np.stack(x, dim),
        Call([T(2, 3), T(2, 3)]),
        Call((T(2, 3, layout="t"), T(2, 3)), -1),
        Call([T(), T()]),
        Call([T(0, 2)], 1),
        Call([T(3, layout="r"), T(3, layout="s")], dim=1),
        Call([T(2, dtype="uint8"), T(2, dtype="int8")]),
        dtypes=EVERY,
        wrong=(
            Wrong(RuntimeError, "stack expects each tensor to be equal size", [T(2), T(3)]),
            Wrong(IndexError, "Dimension out of range", [T(2)], 3),
        ),
    ),
)
"""All samples of this module."""
