"""`Tensor`: the Python side of the native type: NumPy and DLPack, attributes, methods, `repr`.

The type itself, its memory and its operator slots are native (`tscript.runtime.boundary.boundary`); its methods are the
eager operators. `Dress` gives it all these, once per process.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from types import GetSetDescriptorType
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from tscript.abi.layout import STORAGE, STORAGE_READONLY, TENSOR_STRUCT
from tscript.abi.printing import PrintOptions
from tscript.arrays import Array
from tscript.definitions.values import numpy_dtype, widen
from tscript.runtime.values.arguments import complex_as_tensors
from tscript.runtime.values.numpy_protocol import NumPyProtocol
from tscript.runtime.values.tracebacks import raises_user_errors
from tscript.types import DType, dtypes
from tscript.types.options import CPU, STRIDED

if TYPE_CHECKING:
    from tscript.runtime.values.conversion import Hide
    from tscript.runtime.values.storages import Storage


def _with_complex(over: Callable[[Any], Any]) -> Callable[[Callable[[Any, Any], Any], Any, Any], Any]:
    """What calls operators of two operands of which one is a complex number."""

    @raises_user_errors
    def call(operator: Callable[[Any, Any], Any], a: Any, b: Any) -> Any:
        first, second = complex_as_tensors((a, b))
        return operator(over(first), b) if type(a) is complex else operator(a, over(second))

    return call


def _length(x: Any) -> int:
    """``len(x)`` of a tensor without dimensions."""
    raise TypeError("len() of a 0-d tensor")


def _index(x: Any) -> int:
    """``operator.index(x)``."""
    if x.numel() != 1 or x.dtype.is_floating_point:
        raise TypeError("only integer tensors of a single element can be converted to an index")
    return int(x.item())


class _Header:
    """The native header of a tensor, read through ctypes."""

    __slots__ = ("address", "fields", "ndim")

    def __init__(self, x: Any) -> None:
        native = getattr(type(x), "_impl", None)
        if type(native) is not GetSetDescriptorType:  # which only native types have, and which checks the object
            raise TypeError(f"expected a tensor, found {type(x).__name__}")
        self.address = int(x._impl)
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


def _known(value: object, doc: str) -> Any:
    """An attribute that is the same for all tensors."""
    return property(lambda self: value, doc=doc)


class _Attributes:
    """Attributes and methods of `Tensor` that are not operators."""

    data = property(lambda self: self, doc="The tensor itself: no gradients are computed.")
    device = _known(CPU, "Where the elements lie: ``device(type='cpu')``.")
    layout = _known(STRIDED, "How the elements lie: ``torch.strided``.")
    grad = _known(None, "None: no gradients are computed.")
    grad_fn = _known(None, "None: no gradients are computed.")
    is_cpu = _known(True, "True: the elements lie on the CPU.")
    is_leaf = _known(True, "True: no gradients are computed.")
    is_cuda = is_mps = is_meta = is_xpu = is_sparse = is_sparse_csr = is_quantized = is_nested = _known(
        False, "False: elements lie on the CPU, in strides."
    )
    is_mkldnn = is_vulkan = is_xla = is_hpu = is_ipu = retains_grad = is_nested

    @property
    def requires_grad(self) -> bool:
        """A note on parameters of modules, which is True at first; False elsewhere. No gradients are computed."""
        from tscript.runtime.values.roles import wants_gradient

        return wants_gradient(self)

    @requires_grad.setter
    def requires_grad(self, value: object) -> None:
        from tscript.runtime.values.roles import set_wants_gradient

        set_wants_gradient(self, value)

    def requires_grad_(self, requires_grad: bool = True) -> Any:
        """Set `requires_grad` of a parameter; the tensor itself.

        Raises:
            RuntimeError: It should be True of a tensor that is no parameter: no gradients are computed.
        """
        if requires_grad or self._role:  # type: ignore[attr-defined]
            self.requires_grad = requires_grad
        return self

    def _size(self, dim: int | None = None) -> int | tuple[int, ...]:
        """``size`` where `dim` is named, None or no dimension.

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

    def _stride(self, dim: int | None = None) -> int | tuple[int, ...]:
        """The same for ``stride``."""
        strides = _Header(self).strides
        if dim is None:
            return strides
        rank = len(strides)
        if not -rank <= dim < rank:
            low, high = -max(rank, 1), max(rank - 1, 0)
            raise IndexError(f"Dimension out of range (expected to be in range of [{low}, {high}], but got {dim})")
        return strides[dim]

    _size.__qualname__, _stride.__qualname__ = "Tensor.size", "Tensor.stride"

    def untyped_storage(self) -> Storage:
        """The memory under the tensor and all views of it, as bytes."""
        from tscript.runtime.values.storages import Storage

        storage = _Header(self).storage
        return Storage(self, storage.data or 0, storage.nbytes)

    def storage(self) -> Storage:
        """The memory under the tensor and all views of it, in elements."""
        from tscript.runtime.values.storages import Storage

        header = _Header(self)
        return Storage(self, header.storage.data or 0, header.storage.nbytes, header.dtype.itemsize)

    def is_set_to(self, tensor: Any) -> bool:
        """Whether both are the same elements of the same memory: storage, offset, sizes and strides are equal.

        Raises:
            TypeError: The argument is no tensor.
        """
        mine, other = _Header(self), _Header(tensor)
        same = (mine.fields.storage, mine.fields.data, mine.dtype) == (
            other.fields.storage, other.fields.data, other.dtype
        )  # fmt: skip
        return same and mine.sizes == other.sizes and mine.strides == other.strides

    def dim_order(self) -> tuple[int, ...]:
        """The dimensions from the one with the longest steps in memory on."""
        strides = _Header(self).strides
        return tuple(sorted(range(len(strides)), key=lambda d: -strides[d]))

    def is_shared(self) -> bool:
        """False: no memory is shared with other processes."""
        return False

    def get_device(self) -> int:
        """-1: the number of the CPU."""
        return -1

    def backward(self, *args: Any, **kwargs: Any) -> None:
        """Not there.

        Raises:
            RuntimeError: Always: no gradients are computed.
        """
        raise RuntimeError("element 0 of tensors does not require grad: no gradients are computed")

    def retain_grad(self) -> None:
        """Not there.

        Raises:
            RuntimeError: Always: no gradients are computed.
        """
        raise RuntimeError("can't retain_grad on Tensor that has requires_grad=False: no gradients are computed")

    def register_hook(self, hook: object) -> None:
        """Not there.

        Raises:
            RuntimeError: Always: no gradients are computed.
        """
        raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient: none are computed")

    def _raw_array(self) -> Array:
        return raw_array(self)

    def numpy(self) -> Array:
        """A NumPy array over the same memory; it keeps the tensor alive.

        Raises:
            TypeError: NumPy has no such dtype: bfloat16.
        """
        return np.asarray(self)

    def tolist(self) -> Any:
        """The elements as nested lists; of a 0-d tensor, the number."""
        is_ours = self.dtype is dtypes.bfloat16  # type: ignore[attr-defined]
        return (widen(raw_array(self)) if is_ours else np.asarray(self)).tolist()

    @property
    def __array_interface__(self) -> dict[str, Any]:
        header = _Header(self)
        if not header.dtype.letter:
            raise TypeError(f"NumPy has no {header.dtype.name}: convert the tensor with .float() first")
        return _interface(header)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        array = np.asarray(_Interface(self))
        if dtype is not None and array.dtype != dtype:
            if copy is False:
                raise ValueError("a tensor becomes an array of another dtype only by a copy")
            return array.astype(dtype)
        return array.copy() if copy else array

    def __dlpack__(self, **options: Any) -> Any:
        from tscript.runtime.values.dlpack import exported

        device = options.get("dl_device")
        if device is not None and tuple(device) != (1, 0):
            raise BufferError(f"tensors lie on the CPU, DLPack's device (1, 0): they are not copied to {device}")
        array = raw_array(self)
        is_bfloat = array.dtype.names is not None
        return exported(array.view(np.uint16) if is_bfloat else array, is_bfloat, options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)

    def __array_namespace__(self, *, api_version: str | None = None) -> Any:
        """The functions of the array API standard: the module `tscript.array_api`.

        Raises:
            ValueError: It is asked for another version of the standard.
        """
        found = import_module(f"{type(self).__module__}.array_api")  # beside the public name of the type
        if api_version is not None and api_version not in found.VERSIONS:
            raise ValueError(f"tscript has the array API of {', '.join(found.VERSIONS)}, not of {api_version}")
        return found

    def to_device(self, device: Any, /, *, stream: Any = None) -> Any:
        """The tensor itself: there is one device.

        Raises:
            ValueError: It is another one.
        """
        if str(device).partition(":")[0] != "cpu" or stream is not None:
            raise ValueError(f"there is one device, 'cpu', without streams: not {device!r}")
        return self

    def __format__(self, spec: str) -> str:
        if spec and _Header(self).ndim == 0:
            return format(self.tolist(), spec)
        return format(repr(self), spec)

    def __hash__(self) -> int:
        return id(self)

    def __complex__(self) -> complex:
        return complex(self.item())  # type: ignore[attr-defined]

    def __contains__(self, element: Any) -> bool:
        if isinstance(element, (bool, int, float, complex)) or type(element) is type(self):
            return bool((element == self).any())  # type: ignore[attr-defined]
        raise RuntimeError(f"Tensor.__contains__ only supports Tensor or scalar, but you passed in a {type(element)}.")


def _interface(header: _Header) -> dict[str, Any]:
    """NumPy's array interface."""
    dtype = numpy_dtype(header.dtype)
    found = {
        "version": 3,
        "typestr": dtype.str,
        "shape": header.sizes,
        "strides": tuple(s * dtype.itemsize for s in header.strides),
        "data": (header.fields.data or 0, bool(header.storage.flags & STORAGE_READONLY)),
    }
    return found if dtype.names is None else {**found, "descr": dtype.descr}


def raw_array(x: Any) -> Array:
    """The array that stands for a tensor in the interpreter, over its memory: also where NumPy lacks the dtype."""
    return np.asarray(_Interface(x))


def _set_part(name: str) -> Callable[[Any, Any], None]:
    def store(x: Any, value: Any) -> None:
        getattr(x, name)[...] = value

    return store


class _Interface:
    """Only the array interface of a tensor, so that NumPy does not ask for ``__array__`` again."""

    def __init__(self, x: Any) -> None:
        self.tensor = x
        self.__array_interface__ = _interface(_Header(x))


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
    "x[int]": "row",
    "x[Tensor]": "index_one",
    "x[Tensor] = v": "index_one_",
    "x[view] = number": "fill_",
    "x[view] = Tensor": "copy_",
    "x[parts]": "index_read",
    "x[parts] = Tensor": "index_write",
    "x[parts] = number": "index_fill_parts",
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


class Slots(Protocol):
    """Puts functions into the native slots of tensors; the implementation is
    `tscript.runtime.boundary.tensor_slots`."""

    def set(self, name: str, function: Callable[..., object]) -> None:
        """Put a function behind a special method."""

    def connect(self) -> None:
        """Let native code make views."""


class _Method:
    """A tensor method that becomes the native operator when it is first looked up."""

    def __init__(self, kind: Any, name: str, operator: Callable[[], Any]) -> None:
        self.kind, self.name, self.operator = kind, name, operator

    def __get__(self, instance: Any, owner: Any) -> Any:
        found = self.operator()
        setattr(self.kind, self.name, found)
        return getattr(self.kind if instance is None else instance, self.name)


class Dress:
    """Gives the native Tensor type its attributes and operators.

    Its methods need the operator table, which a process that only runs an archive never loads. So they are added at the
    first use of one of them: until then the type has a ``__getattr__``, which adds all of them and removes itself.

    Args:
        kind: The type.
        operator: Returns an eager operator by its name.
        methods: Returns the operators by the names of methods.
    """

    def __init__(self, kind: Any, operator: Callable[[str], Any], methods: Callable[[], Mapping[str, str]]) -> None:
        self._kind = kind
        self._operator = operator
        self._methods = methods

    def put_on(
        self,
        slots: Slots,
        hide: Hide,
        tensor: Callable[[Any], Any],
        over: Callable[[Any], Any],
        restore: Callable[..., Any],
        options: Callable[[], PrintOptions],
    ) -> None:
        """Add everything except the methods to the type.

        Args:
            slots: Takes the operators.
            hide: Makes native callables.
            tensor: Makes a tensor of an array.
            over: Makes one over the memory of an array.
            restore: Makes one of what a pickle holds, which refers to it.
            options: Returns the options for printing.
        """
        kind, operator = self._kind, self._operator
        protocol = {name: hide(f) for name, f in NumPyProtocol(kind, operator, over).methods.items()}
        for name, value in {**vars(_Attributes), **self._with_operators(restore, options), **protocol}.items():
            if name not in ("__module__", "__dict__", "__weakref__", "__doc__", "__annotations__", "__qualname__"):
                setattr(kind, name, value)
        first = hide(self._first_use(slots))
        for slot in SLOTS:
            slots.set(slot, partial(first, slot))
        first_index = hide(self._first_index(slots, hide, tensor))
        for slot in ("__getitem__", "__setitem__"):
            slots.set(slot, partial(first_index, slot))
        slots.set("__index__", _index)
        slots.set("__len__", hide(_length))
        slots.set("x op complex", hide(_with_complex(over)))
        kind.__getattr__ = self._find()

    def _first_index(
        self, slots: Slots, hide: Callable[[Callable[..., Any]], Any], tensor: Callable[[Any], Any]
    ) -> Callable[..., Any]:
        """What answers the first ``x[key]`` or ``x[key] = value``: many processes have none."""

        @raises_user_errors
        def first(slot: str, *args: Any) -> Any:
            from tscript.runtime.values.indexing import Indexing

            indexing = Indexing(self._operator, self._kind, tensor)
            found = {"__getitem__": hide(indexing.getitem), "__setitem__": hide(indexing.setitem)}
            for name, function in found.items():
                slots.set(name, function)
            slots.connect()
            return found[slot](*args)

        return first

    def _first_use(self, slots: Slots) -> Callable[..., Any]:
        """What answers the first use of each special method, which is the operator from then on."""

        @raises_user_errors
        def first(slot: str, *args: Any) -> Any:
            operator = self._operator(SLOTS[slot])
            slots.set(slot, operator)
            return operator(*args)

        return first

    def _with_operators(self, restore: Callable[..., Any], options: Callable[[], PrintOptions]) -> dict[str, object]:
        operator = self._operator

        def transposed(x: Any) -> Any:
            """The view with all dimensions reversed."""
            return operator("T")(x)

        def matrix_transposed(x: Any) -> Any:
            """The view with the last two dimensions swapped."""
            return operator("mT")(x)

        def conjugate(x: Any) -> Any:
            """The conjugate of a matrix with its dimensions exchanged."""
            return operator("H")(x)

        def conjugate_matrices(x: Any) -> Any:
            """The conjugates of matrices with the last two dimensions exchanged."""
            return operator("adjoint")(x)

        def elements(x: Any) -> Any:
            header = _Header(x)
            if header.ndim == 0:
                raise TypeError("iteration over a 0-d tensor")
            select = operator("select")
            return (select(x, 0, i) for i in range(header.sizes[0]))

        def pickled(x: Any) -> tuple[Any, ...]:
            from tscript.runtime.values.roles import role_of
            from tscript.runtime.values.storages import reduced

            return reduced(raw_array(x), restore, role_of(x))

        def deep_copy(x: Any, memo: Any) -> Any:
            """A copy; of views of one storage, views of one copy."""
            header = _Header(x)
            key = ("storage", int(header.fields.storage), header.dtype.name)
            view = operator("as_strided")
            if key not in memo:
                room = header.storage.nbytes // header.dtype.itemsize
                memo[key] = operator("clone")(view(x, (room,), (1,), 0))
            return with_role_of(x, view(memo[key], header.sizes, header.strides, x.storage_offset()))

        def alias(x: Any) -> Any:
            """Another tensor over the same memory."""
            return with_role_of(x, operator("alias")(x))

        def with_role_of(x: Any, made: Any) -> Any:
            from tscript.runtime.values.roles import give_role, role_of

            give_role(made, role_of(x))
            return made

        def shown(x: Any) -> str:
            from tscript.definitions.tensor_printing import format_tensor
            from tscript.runtime.values.roles import shown_as

            return shown_as(x, format_tensor(raw_array(x), _Header(x).dtype, options()))

        def real(x: Any) -> Any:
            """The real parts, as a view; of a tensor that is not complex the tensor itself."""
            return operator("real")(x)

        def imag(x: Any) -> Any:
            """The imaginary parts of a complex tensor, as a view."""
            return operator("imag")(x)

        return {
            "T": property(transposed),
            "real": property(real, _set_part("real")),
            "imag": property(imag, _set_part("imag")),
            "mT": property(matrix_transposed),
            "H": property(conjugate),
            "mH": property(conjugate_matrices),
            "__iter__": elements,
            "__reduce__": pickled,
            "__array_priority__": 1000,
            "__repr__": shown,
            "__copy__": alias,
            "__deepcopy__": deep_copy,
        }

    def _find(self) -> Callable[[Any, str], Any]:
        def find(x: Any, name: str) -> Any:
            if name.startswith("__") or "__getattr__" not in vars(self._kind):
                raise AttributeError(f"'Tensor' object has no attribute {name!r}")
            self.add_methods()
            return getattr(x, name)

        return find

    def add_methods(self) -> None:
        """Give the type its methods."""
        kind = self._kind
        if "__getattr__" in vars(kind):
            del kind.__getattr__
            for name, op in self._methods().items():
                if name not in vars(kind):
                    setattr(kind, name, _Method(kind, name, partial(self._operator, op)))
