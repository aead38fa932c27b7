"""Batches from samples: `default_collate` and `default_convert`.

Arrays of equal shape are written once, into the buffer that becomes the tensor. Where that buffer comes from is said by
`ALLOCATE`: in a worker process it is memory the parent sees too (`tscript.data.shared`), else NumPy's.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from functools import reduce
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tscript.types import DType, dtypes

Array = npt.NDArray[Any]
Wrap = Callable[[Array], Any]
"""Makes of an array what the batch holds: a tensor, or in a worker a `TensorLeaf`."""

ALLOCATE: ContextVar[Callable[[tuple[int, ...], np.dtype[Any]], Array]] = ContextVar("ALLOCATE", default=np.empty)
"""Makes the buffer of a batch."""

# Tuples, because each sample is tested and a union takes several times as long.
_ARRAYS = (np.ndarray, np.generic)
_TEXTS = (str, bytes)

_SUPPORTED = ", ".join(d.name for d in dtypes.EVERY)


class TensorLeaf(NamedTuple):
    """An array that becomes a tensor in the parent process; so workers need no native runtime."""

    array: Array


def default_collate(batch: Sequence[Any]) -> Any:
    """Put samples together to a batch.

    =============================  ==============================================================
    samples                        batch
    =============================  ==============================================================
    tensors, arrays, NumPy scalars tensor with a new first dimension
    float, int, bool               tensor of float64, int64, bool
    str, bytes                     list, unchanged
    mappings                       mapping of the same type, each value collated
    named tuples                   the same type, each field collated
    tuples, lists                  list, each position collated
    =============================  ==============================================================

    Args:
        batch: The samples, at least one; all of one kind and shape.

    Raises:
        ValueError: There are no samples.
        TypeError: They are something else, or of different kinds.
        RuntimeError: Shapes or lengths differ.
        KeyError: Mappings have different keys.

    Example:
        >>> from tscript.data import default_collate
        >>> default_collate([{"x": 1.0, "name": "a"}, {"x": 2.0, "name": "b"}])
        {'x': tensor([1., 2.], dtype=tscript.float64), 'name': ['a', 'b']}
    """
    from tscript.runtime.session.process import from_numpy

    return collate(batch, from_numpy)


def default_convert(data: Any) -> Any:
    """Make tensors of the arrays and NumPy scalars in one sample, over their memory; the rest stays as it is.

    Example:
        >>> import numpy as np
        >>> from tscript.data import default_convert
        >>> default_convert((np.arange(2), "name", 3))
        [tensor([0, 1]), 'name', 3]
    """
    from tscript.runtime.session.process import from_numpy

    return convert(data, from_numpy)


def tensor_type() -> type | None:
    """The native `Tensor` type; None while this process has no runtime, for then nothing can be a tensor."""
    process = sys.modules.get("tscript.runtime.session.process")
    if process is None or not process.current.cache_info().currsize:
        return None
    found: type = process.current().native.Tensor
    return found


def collate(batch: Sequence[Any], wrap: Wrap) -> Any:
    """`default_collate` with another way to make tensors."""
    if not batch:
        raise ValueError("default_collate expects at least one sample")
    first = batch[0]
    kind = type(first)
    tensor = tensor_type()
    if kind is tensor or isinstance(first, _ARRAYS):
        return _stack(batch, tensor, wrap)
    if isinstance(first, bool | int | float):
        return wrap(_numbers(batch))
    if isinstance(first, _TEXTS):
        _expect(batch, _TEXTS)
        return list(batch)
    if isinstance(first, Mapping):
        _expect(batch, Mapping)
        for i, sample in enumerate(batch):
            if sample.keys() != first.keys():
                raise KeyError(
                    f"each mapping of a batch should have the same keys: entry 0 has {list(first)}, entry {i} has "
                    f"{list(sample)}"
                )
        return _like_mapping(first, {key: collate([sample[key] for sample in batch], wrap) for key in first})
    if isinstance(first, Sequence):
        _expect(batch, Sequence)
        for i, sample in enumerate(batch):
            if len(sample) != len(first):
                raise RuntimeError(
                    f"each element in list of batch should be of equal size: entry 0 has {len(first)}, entry {i} has "
                    f"{len(sample)}"
                )
        return _like_sequence(first, [collate(column, wrap) for column in zip(*batch, strict=True)])
    raise TypeError(
        "default_collate: batch must contain tensors, numpy arrays, numbers, str, dicts or lists; found "
        f"{kind.__module__}.{kind.__qualname__}; give the DataLoader a collate_fn for it"
    )


def convert(data: Any, wrap: Wrap) -> Any:
    """`default_convert` with another way to make tensors."""
    if isinstance(data, _ARRAYS):
        if data.dtype.kind in "USO":
            return data
        _check_dtype(data.dtype)
        array = np.asarray(data)
        in_place = array.flags.aligned and not any(s % array.itemsize for s in array.strides)
        return wrap(array if in_place else array.copy())
    if isinstance(data, Mapping):
        return _like_mapping(data, {key: convert(value, wrap) for key, value in data.items()})
    if isinstance(data, Sequence) and not isinstance(data, _TEXTS):
        return _like_sequence(data, [convert(value, wrap) for value in data])
    return data


def _like_mapping(example: Mapping[Any, Any], content: dict[Any, Any]) -> Any:
    if type(example) is dict:
        return content
    try:
        return type(example)(content)  # type: ignore[call-arg]
    except TypeError:  # the type is made from something else
        return content


def _like_sequence(example: Sequence[Any], content: list[Any]) -> Any:
    if isinstance(example, tuple):
        return type(example)(*content) if hasattr(example, "_fields") else content
    if type(example) in (list, range):
        return content
    try:
        return type(example)(content)  # type: ignore[call-arg]
    except TypeError:  # the type is made from something else
        return content


def _expect(batch: Sequence[Any], kind: Any) -> None:
    first = type(batch[0])
    for i, sample in enumerate(batch):
        if type(sample) is not first and not isinstance(sample, kind):
            raise _mixed(batch[0], sample, i)


def _mixed(first: Any, other: Any, i: int) -> TypeError:
    return TypeError(
        f"default_collate: the samples of a batch must be of one kind; entry 0 is a {type(first).__name__}, entry {i} "
        f"a {type(other).__name__}"
    )


def _numbers(batch: Sequence[Any]) -> Array:
    dtype: np.dtype[Any]
    kinds = set(map(type, batch))
    if kinds <= {bool}:
        dtype = np.dtype(np.bool_)
    elif kinds <= {int}:
        dtype = np.dtype(np.int64)
    else:
        for i, x in enumerate(batch):
            if isinstance(x, bool) != isinstance(batch[0], bool) or not isinstance(x, bool | int | float):
                raise _mixed(batch[0], x, i)
        dtype = np.dtype(np.float64 if any(isinstance(x, float) for x in batch) else np.int64)
    out = ALLOCATE.get()((len(batch),), dtype)
    out[:] = batch
    return out


def _stack(batch: Sequence[Any], tensor: type | None, wrap: Wrap) -> Any:
    arrays: Sequence[Any] = batch
    if tensor is not None:
        arrays = [np.asarray(x) if type(x) is tensor else x for x in batch]
    shape: tuple[int, ...] = arrays[0].shape
    dtype: np.dtype[Any] = arrays[0].dtype
    _check_dtype(dtype)
    is_mixed = False
    for i, x in enumerate(arrays):
        if not isinstance(x, _ARRAYS):
            raise _mixed(batch[0], x, i)
        if x.shape != shape:
            raise RuntimeError(
                f"stack expects each tensor to be equal size, but got {list(shape)} at entry 0 and {list(x.shape)} at "
                f"entry {i}"
            )
        if x.dtype != dtype:
            is_mixed = True
    if is_mixed:
        dtype = np.dtype(reduce(dtypes.promote_dtypes, [_check_dtype(x.dtype) for x in arrays]).name)
    out = ALLOCATE.get()((len(arrays), *shape), dtype.newbyteorder("="))
    for i, x in enumerate(arrays):
        out[i] = x
    return wrap(out)


def _check_dtype(dtype: np.dtype[Any]) -> DType:
    found = dtypes.BY_NAME.get(dtype.name)
    if found is None:
        raise TypeError(f"default_collate: no tensor has dtype {dtype}; the supported ones are: {_SUPPORTED}")
    return found
