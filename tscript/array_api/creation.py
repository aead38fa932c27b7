"""The array API standard: functions that make arrays."""

from __future__ import annotations

from typing import Any

import tscript
from tscript.array_api.data_types import check_device


def _options(dtype: Any, device: Any) -> dict[str, Any]:
    check_device(device)
    return {} if dtype is None else {"dtype": dtype}


def _sizes(shape: Any) -> tuple[int, ...]:
    return (shape,) if isinstance(shape, int) else tuple(shape)


def arange(start: Any, /, stop: Any = None, step: Any = 1, *, dtype: Any = None, device: Any = None) -> Any:
    """Numbers from `start`, or 0 if it is the only one, to before `stop`.

    Example:
        >>> import tscript.array_api as xp
        >>> xp.arange(3).tolist()
        [0, 1, 2]
    """
    first, last = (0, start) if stop is None else (start, stop)
    options = _options(dtype, device)
    if (last - first) * step <= 0:  # which PyTorch refuses
        whole = all(isinstance(v, int) for v in (first, last, step))
        return tscript.empty((0,), dtype=dtype or (tscript.int64 if whole else tscript.get_default_dtype()))
    return tscript.arange(first, last, step, **options)


def asarray(obj: Any, /, *, dtype: Any = None, device: Any = None, copy: bool | None = None) -> Any:
    """An array of the elements of an object: a number, a list of lists, an array of NumPy, or one that has DLPack.

    Args:
        obj: The object.
        dtype: Of the result.
        device: ``cpu`` or None.
        copy: True: it never shares memory with the object; False: it does, or ValueError is raised.
    """
    check_device(device)
    given = isinstance(obj, tscript.Tensor)
    if copy is False and not given and not hasattr(obj, "__array_interface__") and not hasattr(obj, "__dlpack__"):
        raise ValueError("asarray: elements of Python objects cannot be shared: leave copy out")
    found = obj if given else tscript.asarray(obj)
    if dtype is not None and found.dtype != dtype:
        if copy is False:
            raise ValueError(f"asarray: {found.dtype} cannot become {dtype} without a copy")
        return found.to(dtype)
    if copy is True:
        return found.clone()
    return found


def empty(shape: Any, *, dtype: Any = None, device: Any = None) -> Any:
    """An array that is not initialised."""
    return tscript.empty(_sizes(shape), **_options(dtype, device))


def empty_like(x: Any, /, *, dtype: Any = None, device: Any = None) -> Any:
    """One of the shape of `x`."""
    return tscript.empty_like(x, **_options(dtype, device))


def eye(n_rows: int, n_cols: int | None = None, /, *, k: int = 0, dtype: Any = None, device: Any = None) -> Any:
    """A matrix with ones on its diagonal `k`, counted upwards.

    Example:
        >>> import tscript.array_api as xp
        >>> xp.eye(2, 3, k=1).tolist()
        [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    """
    columns = n_rows if n_cols is None else n_cols
    found = tscript.zeros((n_rows, columns), **_options(dtype, device))
    if -n_rows < k < columns:
        found.diagonal(k).fill_(1)
    return found


def from_dlpack(x: Any, /, *, device: Any = None, copy: bool | None = None) -> Any:
    """A tensor over the memory of an array of another library; with ``copy=True`` over its own."""
    check_device(device)
    found = tscript.from_dlpack(x)
    return found.clone() if copy else found


def full(shape: Any, fill_value: Any, *, dtype: Any = None, device: Any = None) -> Any:
    """An array of one number."""
    return tscript.full(_sizes(shape), fill_value, **_options(dtype, device))


def full_like(x: Any, /, fill_value: Any, *, dtype: Any = None, device: Any = None) -> Any:
    """One of the shape of `x`."""
    return tscript.full_like(x, fill_value, **_options(dtype, device))


def linspace(
    start: Any, stop: Any, /, num: int, *, dtype: Any = None, device: Any = None, endpoint: bool = True
) -> Any:
    """Numbers at equal distances, with or without the last.

    Example:
        >>> import tscript.array_api as xp
        >>> xp.linspace(0.0, 1.0, 4, endpoint=False).tolist()
        [0.0, 0.25, 0.5, 0.75]
    """
    if not endpoint:
        return linspace(start, stop, num + 1, dtype=dtype, device=device)[:num]
    if isinstance(start, complex) or isinstance(stop, complex):
        check_device(device)
        steps = tscript.linspace(0.0, 1.0, num, dtype=tscript.float64)
        return (steps * (stop - start) + start).to(dtype or tscript.complex64)
    return tscript.linspace(start, stop, num, **_options(dtype, device))


def meshgrid(*arrays: Any, indexing: str = "xy") -> Any:
    """Arrays of coordinates, as a list."""
    return list(tscript.meshgrid(*arrays, indexing=indexing)) if arrays else []


def ones(shape: Any, *, dtype: Any = None, device: Any = None) -> Any:
    """An array of ones."""
    return tscript.ones(_sizes(shape), **_options(dtype, device))


def ones_like(x: Any, /, *, dtype: Any = None, device: Any = None) -> Any:
    """One of the shape of `x`."""
    return tscript.ones_like(x, **_options(dtype, device))


def tril(x: Any, /, *, k: int = 0) -> Any:
    """Lower triangles of matrices, up to the diagonal `k`."""
    return tscript.tril(x, k)


def triu(x: Any, /, *, k: int = 0) -> Any:
    """Upper triangles."""
    return tscript.triu(x, k)


def zeros(shape: Any, *, dtype: Any = None, device: Any = None) -> Any:
    """An array of zeros."""
    return tscript.zeros(_sizes(shape), **_options(dtype, device))


def zeros_like(x: Any, /, *, dtype: Any = None, device: Any = None) -> Any:
    """One of the shape of `x`."""
    return tscript.zeros_like(x, **_options(dtype, device))
