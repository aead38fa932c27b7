"""`Tensor`: the Python side of the native type: NumPy and DLPack both ways, attributes, methods, `repr`.

The type itself, its memory and its operator slots are native (`tscript.runtime.boundary.native`); its methods are the
eager operators. This module dresses it, once per process, when it is first imported.
"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from tscript.abi.layout import STORAGE, STORAGE_READONLY, TENSOR_CONTIGUOUS, TENSOR_STRUCT
from tscript.operators.python.tensor_text import format_tensor
from tscript.runtime.session.eager import operator, operator_of
from tscript.runtime.session.process import Runtime, current
from tscript.runtime.session.tracebacks import hidden
from tscript.runtime.session.usage import log_api_usage_once
from tscript.runtime.values.indexing import getitem, setitem
from tscript.types import DType, dtypes

Array = npt.NDArray[Any]

_SUPPORTED = ", ".join(d.name for d in dtypes.DTYPES)

if TYPE_CHECKING:
    Tensor = Any


def from_numpy(array: Array) -> Tensor:
    """A tensor over the memory of a NumPy array: writes are seen on both sides, and the tensor keeps the array alive.

    Args:
        array: Any shape and strides; dtype one of float32, float64, int8, int16, int32, int64, uint8, bool, in native
            byte order. A read-only array gives a tensor that refuses in-place writes.

    Raises:
        TypeError: It is not an array, or of another dtype.
        ValueError: Its strides are not multiples of the element size, or its elements are not aligned.

    Example:
        >>> import numpy as np, tscript
        >>> a = np.zeros(2, np.float32)
        >>> t = tscript.from_numpy(a)
        >>> t[0] = 5
        >>> a
        array([5., 0.], dtype=float32)
    """
    log_api_usage_once("tscript.from_numpy")
    return _over(array)


def _over(array: Array) -> Tensor:
    if not isinstance(array, np.ndarray):
        raise TypeError(f"expected np.ndarray (got {type(array).__name__})")
    dtype = dtypes.BY_NAME.get(array.dtype.name)
    if dtype is None or not array.dtype.isnative:
        raise TypeError(
            f"can't convert np.ndarray of type {array.dtype!r}. The only supported types are: {_SUPPORTED}."
        )
    if any(s % dtype.itemsize for s in array.strides):
        raise ValueError("given numpy array strides are not a multiple of the element byte size")
    if not array.flags.aligned:
        raise ValueError("given numpy array is not aligned; copy it first")
    return current().tensor_from_array(array, dtype)


def from_dlpack(source: Any) -> Tensor:
    """A tensor over the memory of any CPU object with ``__dlpack__``.

    Raises:
        TypeError, ValueError: As `from_numpy`.
        BufferError: The producer refuses.

    Example:
        >>> import numpy as np, tscript
        >>> tscript.from_dlpack(np.array([1.0, 2.0], np.float32))
        tensor([1., 2.])
    """
    log_api_usage_once("tscript.from_dlpack")
    return _over(np.from_dlpack(source))


def tensor(data: Any, *, dtype: DType | None = None) -> Tensor:
    """A new tensor with a copy of `data`.

    Args:
        data: A number, nested lists or tuples of numbers, a NumPy array or a tensor.
        dtype: Element type; without it Python floats give float32, ints int64, bools bool, arrays their own.

    Raises:
        ValueError: Nested sequences of different lengths.
        TypeError: Elements that are no numbers.

    Example:
        >>> import tscript
        >>> tscript.tensor([[1, 2], [3, 4]])
        tensor([[1, 2],
                [3, 4]])
    """
    if isinstance(data, current().native.Tensor):
        data = data.numpy()
    own = isinstance(data, np.ndarray | np.generic)
    try:
        array = np.array(data)
    except ValueError as error:
        raise ValueError(f"expected sequences of equal length: {error}") from None
    if dtype is not None:
        array = array.astype(dtype.name)
    elif not own:
        kinds = {"f": np.float32, "i": np.int64, "b": np.bool_}
        wanted = np.float32 if array.size == 0 and array.dtype == np.float64 else kinds.get(array.dtype.kind)
        if array.dtype.kind in "ufO" and _has_large_ints(array, data):
            raise OverflowError("an int does not fit into 64 bits: give it as a float")
        if wanted is None:
            raise TypeError(f"expected numbers, found elements of type {array.dtype}")
        array = array.astype(wanted)
    return _over(np.ascontiguousarray(array).reshape(array.shape))


def _has_large_ints(array: npt.NDArray[Any], data: object) -> bool:
    """Whether numbers were ints only and do not fit into 64 bits: NumPy holds such as objects, unsigned, or as
    floats."""
    if array.dtype.kind == "f" and not (np.abs(array) >= 2.0**63).any():
        return False
    return array.size > 0 and all(isinstance(v, int) for v in np.array(data, dtype=object).reshape(-1).tolist())


def _index(x: Any) -> int:
    """``operator.index(x)``."""
    if x.numel() != 1 or x.dtype.is_floating_point:
        raise TypeError("only integer tensors of a single element can be converted to an index")
    return int(x.item())


tensor.__module__ = from_numpy.__module__ = from_dlpack.__module__ = "tscript"


class _Header:
    """The native header of a tensor, read through ctypes."""

    __slots__ = ("address", "fields", "ndim")

    def __init__(self, x: Any) -> None:
        self.address = current().native.impl_of(x)
        self.fields: Any = TENSOR_STRUCT.ctype.from_address(self.address)
        self.ndim: int = self.fields.ndim

    def _array(self, start: int) -> tuple[int, ...]:
        at = self.address + TENSOR_STRUCT.size + 8 * start
        return tuple((ctypes.c_int64 * self.ndim).from_address(at))

    @property
    def sizes(self) -> tuple[int, ...]:
        return self._array(0)

    @property
    def strides(self) -> tuple[int, ...]:
        return self._array(self.ndim)

    @property
    def dtype(self) -> DType:
        return dtypes.BY_CODE[self.fields.dtype]

    @property
    def storage(self) -> Any:
        return STORAGE.ctype.from_address(self.fields.storage)


class _Attributes:
    """Attributes and methods of `Tensor` that are no operators."""

    @property
    def itemsize(self) -> int:
        """Bytes of one element."""
        return _Header(self).dtype.itemsize

    @property
    def nbytes(self) -> int:
        """Bytes of all elements."""
        header = _Header(self)
        return int(header.fields.numel) * header.dtype.itemsize

    @property
    def T(self) -> Tensor:  # noqa: N802 - PyTorch's name
        """The view with all dimensions reversed."""
        return operator("T")(self)

    @property
    def mT(self) -> Tensor:  # noqa: N802 - PyTorch's name
        """The view with the last two dimensions swapped."""
        return operator("mT")(self)

    @property
    def _version(self) -> int:
        return int(_Header(self).storage.version)

    def size(self, dim: int | None = None) -> int | tuple[int, ...]:
        """All sizes, or the one of dimension `dim`.

        Raises:
            IndexError: There is no such dimension.
        """
        sizes: tuple[int, ...] = self.shape  # type: ignore[attr-defined]
        if dim is None:
            return sizes
        rank = len(sizes)
        if not rank:
            raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
        if not -rank <= dim < rank:
            raise IndexError(
                f"Dimension out of range (expected to be in range of [{-rank}, {rank - 1}], but got {dim})"
            )
        return sizes[dim]

    def stride(self, dim: int | None = None) -> int | tuple[int, ...]:
        """All strides, in elements, or the one of dimension `dim`."""
        strides = _Header(self).strides
        return strides if dim is None else strides[dim]

    def dim(self) -> int:
        """Number of dimensions."""
        rank: int = self.ndim  # type: ignore[attr-defined]
        return rank

    def numel(self) -> int:
        """Number of elements."""
        return int(_Header(self).fields.numel)

    def element_size(self) -> int:
        """Bytes of one element."""
        return _Header(self).dtype.itemsize

    def is_contiguous(self) -> bool:
        """Whether the elements lie row by row without gaps."""
        return bool(_Header(self).fields.flags & TENSOR_CONTIGUOUS)

    def is_floating_point(self) -> bool:
        """Whether the elements are floating-point numbers."""
        return _Header(self).dtype.is_floating_point

    def storage_offset(self) -> int:
        """Elements from the start of the storage to the first element."""
        header = _Header(self)
        return int(header.fields.data - header.storage.data) // header.dtype.itemsize

    def data_ptr(self) -> int:
        """Address of the first element."""
        return int(_Header(self).fields.data or 0)

    def numpy(self) -> Array:
        """A NumPy array over the same memory; it keeps the tensor alive."""
        return np.asarray(self)

    def tolist(self) -> Any:
        """The elements as nested lists; of a 0-d tensor, the number."""
        return np.asarray(self).tolist()

    @property
    def __array_interface__(self) -> dict[str, Any]:
        header = _Header(self)
        size = header.dtype.itemsize
        return {
            "version": 3,
            "typestr": np.dtype(header.dtype.name).str,
            "shape": header.sizes,
            "strides": tuple(s * size for s in header.strides),
            "data": (header.fields.data or 0, bool(header.storage.flags & STORAGE_READONLY)),
        }

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        array = np.asarray(_Interface(self))
        if dtype is not None and array.dtype != dtype:
            if copy is False:
                raise ValueError("a tensor becomes an array of another dtype only by a copy")
            return array.astype(dtype)
        return array.copy() if copy else array

    def __dlpack__(self, **options: Any) -> Any:
        return np.asarray(self).__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)

    def __repr__(self) -> str:
        return format_tensor(np.asarray(self), _Header(self).dtype)

    def __format__(self, spec: str) -> str:
        if spec and _Header(self).ndim == 0:
            return format(np.asarray(self).item(), spec)
        return format(repr(self), spec)

    def __len__(self) -> int:
        header = _Header(self)
        if header.ndim == 0:
            raise TypeError("len() of a 0-d tensor")
        return header.sizes[0]

    def __iter__(self) -> Any:
        header = _Header(self)
        if header.ndim == 0:
            raise TypeError("iteration over a 0-d tensor")
        select = operator("select")
        return (select(self, 0, i) for i in range(header.sizes[0]))

    def __reduce__(self) -> tuple[Any, ...]:
        return tensor, (np.array(self),)

    def __deepcopy__(self, memo: Any) -> Tensor:
        return operator("clone")(self)

    def __hash__(self) -> int:
        return id(self)


class _Interface:
    """Only the array interface of a tensor, so that NumPy does not ask for ``__array__`` again."""

    def __init__(self, x: Any) -> None:
        self.tensor = x
        self.__array_interface__ = x.__array_interface__


class _Method:
    """A tensor method that becomes the native operator when it is first looked up."""

    def __init__(self, kind: Any, name: str, op: str) -> None:
        self.kind, self.name, self.op = kind, name, op

    def __get__(self, instance: Any, owner: Any) -> Any:
        found = operator(self.op)
        setattr(self.kind, self.name, found)
        return getattr(self.kind if instance is None else instance, self.name)


SLOTS: dict[str, str] = {
    "__add__": "add",
    "__sub__": "sub",
    "__mul__": "mul",
    "__truediv__": "div",
    "__floordiv__": "floor_divide",
    "__mod__": "remainder",
    "__pow__": "pow",
    "__matmul__": "matmul",
    "__and__": "bitwise_and",
    "__or__": "bitwise_or",
    "__xor__": "bitwise_xor",
    "__lshift__": "bitwise_left_shift",
    "__rshift__": "bitwise_right_shift",
    "__iadd__": "add_",
    "__isub__": "sub_",
    "__imul__": "mul_",
    "__itruediv__": "div_",
    "__ifloordiv__": "floor_divide_",
    "__imod__": "remainder_",
    "__ipow__": "pow_",
    "__iand__": "bitwise_and_",
    "__ior__": "bitwise_or_",
    "__ixor__": "bitwise_xor_",
    "__neg__": "neg",
    "__pos__": "positive",
    "__abs__": "abs",
    "__invert__": "bitwise_not",
    "__bool__": "bool",
    "__int__": "int",
    "__float__": "float",
    "__eq__": "eq",
    "__ne__": "ne",
    "__lt__": "lt",
    "__le__": "le",
    "__gt__": "gt",
    "__ge__": "ge",
}
"""Special method, behind a native type slot, to operator."""


def dress(runtime: Runtime) -> None:
    """Give the native Tensor type its attributes and operators.

    Its methods need the vocabulary, which a process that only runs an archive never loads. So they come when the first
    of them is asked for: until then the type has a ``__getattr__``, which adds them all and goes.
    """
    kind = runtime.native.Tensor
    for name, value in vars(_Attributes).items():
        if name not in ("__module__", "__dict__", "__weakref__", "__doc__", "__annotations__", "__qualname__"):
            setattr(kind, name, value)
    for slot, op in SLOTS.items():
        runtime.native.set_slot(slot, operator_of(runtime, op))
    runtime.native.set_slot("__getitem__", hidden(runtime.native, getitem))
    runtime.native.set_slot("__setitem__", hidden(runtime.native, setitem))
    runtime.native.set_slot("__index__", _index)

    def find(x: Any, name: str) -> Any:
        if name.startswith("__") or "__getattr__" not in vars(kind):
            raise AttributeError(f"'Tensor' object has no attribute {name!r}")
        add_methods(runtime)
        return getattr(x, name)

    kind.__getattr__ = find


def add_methods(runtime: Runtime) -> None:
    """Give the native Tensor type its methods; see `dress`."""
    kind = runtime.native.Tensor
    if "__getattr__" in vars(kind):
        del kind.__getattr__
        for name, op in runtime.compiler.table.methods.items():
            if name not in vars(kind):
                setattr(kind, name, _Method(kind, name, op))


def __getattr__(name: str) -> Any:
    # Not at import: the runtime imports this module while it is made.
    if name == "Tensor":
        add_methods(current())
        return current().native.Tensor
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
