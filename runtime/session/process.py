"""The process: `current`, its only `Runtime`, and the functions that make tensors in it.

All parts of the runtime get the objects they use as arguments. Only functions that users call without an object use
`current`: those of this module, which pickled tensors name, and the modules of `tscript.runtime.public` and above.
"""

from __future__ import annotations

import threading
from functools import cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from tscript.abi.generator import BLOCKS, SEED, begin
from tscript.arrays import Array
from tscript.definitions.values import numpy_dtype
from tscript.room import elsewhere
from tscript.runtime.boundary.hidden_functions import hidden
from tscript.runtime.session.generators import SeededGenerator
from tscript.runtime.session.runtime import Runtime
from tscript.runtime.session.usage import log_api_usage_once
from tscript.types import DType, dtypes

if TYPE_CHECKING:
    from tscript.definitions.dtype_limits import FloatInfo, IntInfo

    Tensor = Any

_MAKING = threading.RLock()
"""Held while the runtime is made, because threads may request it at the same time."""


@cache
def current() -> Runtime:
    """The runtime of this process, made at the first call.

    Raises:
        ImportError: This interpreter is not supported (`UnsupportedInterpreterError`).
    """
    with _MAKING:
        return _only()


@cache
def _only() -> Runtime:
    log_api_usage_once("tscript.runtime.start")
    # Other threads may have little stack, which cannot be measured yet.
    runtime = Runtime() if threading.current_thread() is threading.main_thread() else elsewhere(Runtime)
    runtime.library.generator = Generator
    runtime.native.module.set_pointer("tsb_generator_at", Generator.at)
    runtime.dress.put_on(
        runtime.native.slots,
        partial(hidden, runtime.native.callables),
        tensor,
        runtime.tensors.over,
        restored,
        lambda: runtime.printing.options,
    )
    runtime.native.callables.type.__reduce__ = _reduced
    return runtime


def _reduced(function: Any) -> tuple[Any, ...]:
    """What `pickle` asks of a native function: an eager operator is its name."""
    name = getattr(function, "__tscript_operator__", None)
    if name is None:
        raise TypeError(f"cannot pickle the native function {function.__name__!r}")
    return eager_operator, (name,)


def eager_operator(name: str) -> Any:
    """The eager operator of a name, which pickles hold."""
    return current().eager.of(name)


def from_numpy(array: Array) -> Any:
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
    return current().tensors.over(array)


def restored(array: Any, order: tuple[int, ...] | None = None, role: int = 0) -> Any:
    """The tensor of which a pickle holds the elements, in the order of its memory, and its role in modules."""
    from tscript.abi.layout import TENSOR_ROLE
    from tscript.runtime.values.roles import give_role
    from tscript.runtime.values.storages import laid_out

    made = current().tensors.over(laid_out(array, order))
    if role:
        give_role(made, role & TENSOR_ROLE)
    return made


def from_dlpack(ext_tensor: Any, *, device: Any = None, copy: bool | None = None) -> Any:
    """A tensor over the memory of any CPU object with ``__dlpack__``, of bfloat16 too.

    Args:
        ext_tensor: The object.
        device: ``cpu``, or None.
        copy: True for a tensor with memory of its own.

    Raises:
        TypeError, ValueError: As `from_numpy`.
        BufferError: The producer refuses.

    Example:
        >>> import numpy as np, tscript
        >>> tscript.from_dlpack(np.array([1.0, 2.0], np.float32))
        tensor([1., 2.])
    """
    from tscript.runtime.values.dlpack import imported

    log_api_usage_once("tscript.from_dlpack")
    if not (device is None or device == "cpu"):
        _check(device=device)
    array, is_bfloat = imported(ext_tensor)
    found = current().tensors.over(array.view(numpy_dtype(dtypes.bfloat16)) if is_bfloat else array)
    return found.clone() if copy else found


def tensor(
    data: Any, *, dtype: DType | None = None, device: Any = None, requires_grad: bool = False, pin_memory: bool = False
) -> Any:
    """A new tensor with a copy of `data`.

    Args:
        data: A number, nested lists or tuples of numbers, a NumPy array or a tensor.
        dtype: Element type; without it Python floats give float32, ints int64, bools bool, arrays their own.
        device: ``cpu``, or None.
        requires_grad, pin_memory: False.

    Raises:
        RuntimeError: There is no such device, or no gradients.
        ValueError: Nested sequences of different lengths.
        TypeError: Elements that are no numbers.

    Example:
        >>> import tscript
        >>> tscript.tensor([[1, 2], [3, 4]])
        tensor([[1, 2],
                [3, 4]])
    """
    if not (device is None or device == "cpu") or requires_grad or pin_memory:
        _check(device=device, requires_grad=requires_grad, pin_memory=pin_memory)
    return current().tensors.make(data, dtype)


def as_tensor(data: Any, dtype: DType | None = None, device: Any = None) -> Any:
    """A tensor with the elements of `data`, without a copy where that can be.

    Args:
        data: A tensor, a NumPy array, whose memory it shares, a number, or nested lists or tuples of numbers.
        dtype: Element type; that which the data has if left out.
        device: ``cpu``, or None.

    Raises:
        RuntimeError: There is no such device.
        ValueError, TypeError: As `tensor`.

    Example:
        >>> import tscript
        >>> x = tscript.ones(2)
        >>> tscript.as_tensor(x) is x, tscript.as_tensor([1, 2], dtype=tscript.float32)
        (True, tensor([1., 2.]))
    """
    if not (device is None or device == "cpu"):
        _check(device=device)
    runtime = current()
    if type(data) is runtime.native.Tensor:
        return data if dtype is None or data.dtype is dtype else data.to(dtype)
    if not isinstance(data, np.ndarray):
        return runtime.tensors.make(data, dtype)
    made = runtime.tensors.over(data)
    return made if dtype is None or made.dtype is dtype else made.to(dtype)


def asarray(
    obj: Any, *, dtype: DType | None = None, device: Any = None, copy: bool | None = None, requires_grad: bool = False
) -> Any:
    """As `as_tensor`; with ``copy=True`` always a new tensor, with ``copy=False`` never.

    Raises:
        ValueError: A copy would be needed.

    Example:
        >>> import numpy as np, tscript
        >>> tscript.asarray(np.array([1, 2]), copy=True)
        tensor([1, 2])
    """
    if requires_grad:
        _check(requires_grad=requires_grad)
    tensor_type = current().native.Tensor
    if type(obj) is tensor_type and dtype is None and device is None and not copy:
        return obj
    shares = isinstance(obj, tensor_type | np.ndarray)
    made = as_tensor(obj, dtype, device)
    if copy is False and not (shares and (dtype is None or dtype.name == as_tensor(obj).dtype.name)):
        raise ValueError("can't alias arbitrary data without copying, when copy=False")
    return made.clone() if copy and shares else made


def is_tensor(obj: Any) -> bool:
    """Whether an object is a tensor.

    Example:
        >>> import tscript
        >>> tscript.is_tensor(tscript.ones(1)), tscript.is_tensor(1)
        (True, False)
    """
    return isinstance(obj, current().native.Tensor)


def finfo(type: DType) -> FloatInfo:
    """What a dtype of floats can hold.

    Raises:
        TypeError: It is no such dtype.

    Example:
        >>> import tscript
        >>> tscript.finfo(tscript.float32).eps
        1.1920928955078125e-07
    """
    try:
        return _float_info(type)
    except (TypeError, AttributeError):  # the operator says what is wrong
        found: FloatInfo = current().eager.of("finfo")(type)
        return found


def iinfo(type: DType) -> IntInfo:
    """What a dtype of ints can hold.

    Raises:
        TypeError: It is no such dtype.

    Example:
        >>> import tscript
        >>> tscript.iinfo(tscript.int8).max
        127
    """
    try:
        return _int_info(type)
    except (TypeError, AttributeError):
        found: IntInfo = current().eager.of("iinfo")(type)
        return found


@cache
def _float_info(type: DType) -> FloatInfo:
    from tscript.definitions.dtype_limits import float_info

    return float_info(type)


@cache
def _int_info(type: DType) -> IntInfo:
    from tscript.definitions.dtype_limits import int_info

    return int_info(type)


def _check(**options: Any) -> None:
    """Refuse what means nothing here of the keywords of functions that make tensors."""
    from tscript.definitions import factory
    from tscript.definitions.opdef import OperatorTypeError, natural
    from tscript.runtime.values.arguments import describe, plain

    for name, value in options.items():
        try:
            factory.check(name, describe(plain(value), current().native.Tensor, static_bool=True))
        except OperatorTypeError as error:
            raise natural(error) from None


class Generator(SeededGenerator):
    """A stream of random numbers of its own.

    Operators that draw take one as ``generator=``. The numbers follow from the seed and the draws before. A process
    that is forked has a copy: both then draw the same numbers, as in PyTorch.

    Args:
        device: Must be ``cpu``.

    Raises:
        RuntimeError: It is another device.

    Example:
        >>> import tscript
        >>> g = tscript.Generator().manual_seed(3)
        >>> x = tscript.rand(2, generator=g)
        >>> tscript.equal(x, tscript.rand(2, generator=g.manual_seed(3)))
        True
    """

    __slots__ = ()

    def get_state(self) -> Any:
        """The state as a tensor of uint8, for `set_state`."""
        return from_numpy(self.state_bytes())

    def set_state(self, new_state: Any) -> Generator:
        """Go on from a state that `get_state` gave; gives the generator.

        Raises:
            TypeError: It is no tensor of uint8.
            RuntimeError: It is no state of a generator.
        """
        if not isinstance(new_state, current().native.Tensor):
            raise TypeError(f"expected a tensor of uint8, but got {type(new_state).__name__}")
        self.put_bytes(new_state.numpy())
        return self

    def __reduce__(self) -> tuple[object, ...]:
        return restored_generator, (int(self.words[SEED]), int(self.words[BLOCKS]))


def restored_generator(seed: int, blocks: int) -> Generator:
    """A generator that was pickled."""
    made = Generator()
    begin(made.words, seed, blocks)
    return made


for _function in (tensor, as_tensor, asarray, is_tensor, finfo, iinfo, from_numpy, from_dlpack, Generator):
    _function.__module__ = "tscript"


def __getattr__(name: str) -> Any:
    if name == "Tensor":
        runtime = current()
        runtime.dress.add_methods()
        return runtime.native.Tensor
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = [
    "Generator",
    "Runtime",
    "as_tensor",
    "asarray",
    "current",
    "finfo",
    "from_dlpack",
    "from_numpy",
    "iinfo",
    "is_tensor",
    "tensor",
]
