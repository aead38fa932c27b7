"""Two ways to run a kernel on NumPy arrays: `Model`, under CPython over checked memory, and `Native`, compiled.

Both check that what was allocated is given back, on errors too.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import inspect
from collections.abc import Callable, Iterator, Sequence
from typing import Any, get_args

import numpy as np
import pytest

from tscript.abi.layout import CONTEXT, MAX_DEPTH, STORAGE_CONSTANT, STORAGE_READONLY, TENSOR_STRUCT
from tscript.abi.symbols import kernel_symbol
from tscript.definitions.constant_arrays import is_constant_array
from tscript.definitions.values import numpy_dtype
from tscript.dialect import PointerTo, Ptr, TensorImpl, TypeName, b8, f64, i32, i64, memory_model, pointer, u8
from tscript.dialect import machine as leaves
from tscript.runtime.kernels import tensor as headers
from tscript.runtime.session.build import kernels
from tscript.runtime.session.process import current
from tscript.types import MACHINE, StructType, dtypes


class KernelError(Exception):
    """What a kernel raised, with its message filled in."""

    def __init__(self, error: Exception) -> None:
        message, *args = error.args or ("",)
        super().__init__(str(message).format(*args))
        self.kind: type[BaseException] = type(error)


def name_of(dtype: Any) -> str:
    """The name of a NumPy dtype, or of what stands for one: bfloat16 is a record of its bits."""
    if isinstance(dtype, str):
        return dtype
    found = np.dtype(dtype)
    return "bfloat16" if found == numpy_dtype(dtypes.bfloat16) else found.name


def code(dtype: Any) -> int:
    """The dtype code of a NumPy dtype."""
    return dtypes.BY_NAME[name_of(dtype)].code


@functools.cache
def bound(kernel: Callable[..., Any], types: tuple[str, ...]) -> Callable[..., Any]:
    """A kernel for these dtypes, to run under CPython."""
    names = {v: TypeName(MACHINE[dtypes.BY_NAME[t].machine]) for v, t in zip("TUV", types, strict=False)}
    return memory_model.bind(kernel, **names)


def _locked(array: np.ndarray[Any, Any]) -> int:
    """Flags of the storage of a read-only array."""
    return STORAGE_READONLY | (STORAGE_CONSTANT if is_constant_array(array) else 0)


class Model:
    """One empty address space and the calls of kernels in it.

    Tensor arguments are NumPy arrays (with any strides), `int[]` arguments are tuples or lists, optional ones None.
    """

    Error = KernelError
    types = frozenset(dtypes.BY_NAME)

    def __init__(self) -> None:
        self.space = memory_model.reset()
        self.heap = memory_model._symbol("ts_heap_v1", StructType("Heap"))
        self.allocations: int | None = None

    @contextlib.contextmanager
    def limited(self) -> Iterator[None]:
        """Give kernels at most `allocations` blocks of memory."""
        real = memory_model.RUN[leaves.MALLOC]
        left = self.allocations

        def malloc(nbytes: int) -> Any:
            nonlocal left
            if left is not None:
                left -= 1
                if left < 0:
                    return pointer(0, u8)
            return real(nbytes)

        memory_model.RUN[leaves.MALLOC] = malloc
        try:
            yield
        finally:
            memory_model.RUN[leaves.MALLOC] = real

    def tensor(self, array: np.ndarray[Any, Any], flags: int = 0) -> Any:
        """A tensor over a copy of the memory under `array`, with its strides."""
        low, high = np.lib.array_utils.byte_bounds(array)
        itemsize = array.dtype.itemsize
        span = max(high - low, itemsize)
        memory: Any = memory_model.allocate(span, u8, "array")
        start = array.__array_interface__["data"][0] - low if array.size else 0
        sizes, strides = self.ints(array.shape), self.ints(tuple(s // itemsize for s in array.strides))
        owner: Any = memory_model.allocate(8, u8, "owner")
        impl: Any = headers.tensor_from_memory(
            memory, span, owner, flags, code(array.dtype), array.ndim, sizes, strides, start
        )
        if array.size:
            self.view(impl)[...] = array
        return impl

    def ints(self, values: Sequence[int]) -> Any:
        """An array of int64 in checked memory."""
        out = memory_model.allocate(8 * len(values), i64, "ints")
        for k, v in enumerate(values):
            out[k] = v
        return out

    def pointers(self, values: Sequence[Any]) -> Any:
        """An array of pointers to tensors."""
        out = memory_model.allocate(8 * len(values), Ptr[TensorImpl], "tensors")
        for k, v in enumerate(values):
            out[k] = v
        return out

    def view(self, impl: Any) -> np.ndarray[Any, Any]:
        """A NumPy view of a tensor's elements; every element is checked to lie inside its storage."""
        sizes = [headers.sizes_of(impl)[i] for i in range(impl.ndim)]
        strides = [headers.strides_of(impl)[i] for i in range(impl.ndim)]
        dtype = numpy_dtype(dtypes.dtype_of_code(impl.dtype))
        data = impl.data
        region = data._region
        assert impl.numel == np.prod(sizes, dtype=object)
        if impl.numel == 0:
            return np.empty(sizes, dtype)
        low = data._offset + dtype.itemsize * sum((n - 1) * s for n, s in zip(sizes, strides, strict=True) if s < 0)
        high = data._offset + dtype.itemsize * sum((n - 1) * s for n, s in zip(sizes, strides, strict=True) if s > 0)
        assert low >= 0
        assert high + dtype.itemsize <= len(region.data)
        base = np.frombuffer(region.data, np.uint8)[data._offset :]
        steps = [s * dtype.itemsize for s in strides]
        return np.ndarray(sizes, dtype, region.data, data._offset, steps) if base.size else np.empty(sizes, dtype)

    def check_header(self, impl: Any) -> None:
        """The contiguous flag must be true to the strides."""
        array = self.view(impl)
        assert bool(impl.flags & 1) == (array.flags.c_contiguous or array.size == 0)

    def call(self, name: str, *args: Any, types: Sequence[Any] = ()) -> Any:
        """Run the kernel `name` of the library; `types` are the NumPy dtypes of ``T``, ``U``, ``V``.

        Returns arrays for tensors. Everything allocated must be given back, on errors too.
        """
        run = bound(kernels()[name], tuple(map(name_of, types)))
        before = self.heap.live_blocks
        owned: list[Any] = []
        flat: list[Any] = []
        for arg in args:
            flat.extend(self.marshal(arg, owned))
        try:
            with np.errstate(all="ignore"), self.limited():
                result = run(*flat)
        except (ArithmeticError, LookupError, RuntimeError, ValueError, TypeError, MemoryError) as error:
            for impl in owned:
                headers.tensor_release(impl)
            assert self.heap.live_blocks == before, "leak on an error path"
            raise KernelError(error) from error
        results = result if isinstance(result, tuple) else (result,)
        out = [self.unmarshal(r) for r in results]
        for arg, impl in zip([a for a in args if isinstance(a, np.ndarray)], owned, strict=False):
            if arg.size and arg.flags.writeable:
                arg[...] = self.view(impl)
        for r in results:
            if isinstance(r, memory_model.Pointer):
                owned.append(r)
        for impl in owned:
            headers.tensor_release(impl)
        assert self.heap.live_blocks == before, "leak"
        return tuple(out) if isinstance(result, tuple) else out[0]

    def run(self, name: str, *types: str) -> Callable[..., Any]:
        """The kernel `name` for these dtypes, on tensors of this address space."""
        return bound(kernels()[name], types)

    def marshal(self, arg: Any, owned: list[Any]) -> list[Any]:
        match arg:
            case np.ndarray():
                owned.append(self.tensor(arg, 0 if arg.flags.writeable else _locked(arg)))
                return [owned[-1]]
            case list() if arg and isinstance(arg[0], np.ndarray):
                impls = [self.tensor(a) for a in arg]
                owned.extend(impls)
                return [self.pointers(impls), len(impls)]
            case list() | tuple() if any(isinstance(v, float) for v in arg):
                out = memory_model.allocate(8 * len(arg), f64, "floats")
                for k, v in enumerate(arg):
                    out[k] = v
                return [out, len(arg)]
            case list() | tuple():
                return [self.ints(arg), len(arg)]
        return [arg]

    def unmarshal(self, result: Any) -> Any:
        if not isinstance(result, memory_model.Pointer):
            return result
        self.check_header(result)
        return self.view(result).copy()


class Native:
    """The same calls of compiled kernels."""

    Error = KernelError
    types = frozenset(dtypes.BY_NAME)

    def __init__(self) -> None:
        self.runtime = current()
        self.held: list[Any] = []

    def tensor(self, array: np.ndarray[Any, Any]) -> tuple[Any, int]:
        """A tensor over a copy of the memory under `array`, with its strides; what keeps it alive and its address."""
        low, high = np.lib.array_utils.byte_bounds(array)
        memory = np.zeros(max(high - low, 8), np.uint8)
        start = array.__array_interface__["data"][0] - low if array.size else 0
        copy = np.ndarray(array.shape, array.dtype, memory, start, array.strides)
        if array.size:
            copy[...] = array
        copy.flags.writeable = array.flags.writeable
        wrapped = self.runtime.tensors.from_array(copy, dtypes.BY_NAME[name_of(array.dtype)])
        return wrapped, self.runtime.native.tensors.impl_of(wrapped)

    def call(self, name: str, *args: Any, types: Sequence[Any] = ()) -> Any:
        """See `Model.call`."""
        kernel = kernels()[name]
        symbol = kernel_symbol(name, [dtypes.BY_NAME[name_of(t)] for t in types])
        hints = inspect.get_annotations(kernel, eval_str=True)
        before = self.runtime.live_blocks()
        keep: list[Any] = []
        flat: list[Any] = []
        for arg in args:
            flat.extend(self.marshal(arg, keep))
        parameters = [hints[p] for p in inspect.signature(kernel).parameters]
        converted = [ctype_of(h)(a) for h, a in zip(parameters, flat, strict=True)]
        result = hints.get("return")
        results = list(get_args(result)) or [result]
        if result is None:  # `item`
            results = [{"f": f64, "b": b8}.get(numpy_dtype(dtypes.BY_NAME[name_of(types[0])]).kind, i64)]
        outs = [ctype_of(h)() for h in results]
        context = CONTEXT.ctype()
        context.depth = MAX_DEPTH
        # Without the GIL: a kernel that has it may give it away, and leaves it to the stub to take it back.
        run = ctypes.CFUNCTYPE(ctypes.c_int)(self.runtime.library.address(symbol))
        status = run(ctypes.byref(context), *converted, *map(ctypes.byref, outs))
        try:
            if status:
                error = self.runtime.errors.exception_of(ctypes.addressof(context))
                wrapped = KernelError(RuntimeError())
                wrapped.args, wrapped.kind = (str(error),), type(error)
                raise wrapped
            found = [self.unmarshal(h, o) for h, o in zip(results, outs, strict=True)]
            for arg, held in zip([a for a in args if isinstance(a, np.ndarray)], keep, strict=False):
                if arg.size and arg.flags.writeable:
                    arg[...] = self.read(held[1])
            held = None
        finally:
            keep.clear()
            assert self.runtime.live_blocks() == before, "leak"
        return tuple(found) if len(found) > 1 else found[0]

    def marshal(self, arg: Any, keep: list[Any]) -> list[Any]:
        match arg:
            case np.ndarray():
                keep.append(self.tensor(arg))
                return [keep[-1][1]]
            case list() if arg and isinstance(arg[0], np.ndarray):
                impls = [self.tensor(a) for a in arg]
                keep.extend(impls)
                return [self.array(ctypes.c_void_p, [i for _, i in impls]), len(impls)]
            case list() | tuple() if any(isinstance(v, float) for v in arg):
                return [self.array(ctypes.c_double, arg), len(arg)]
            case list() | tuple():
                return [self.array(ctypes.c_int64, arg), len(arg)]
        return [arg]

    def array(self, kind: Any, values: Sequence[Any]) -> int:
        made = (kind * max(len(values), 1))(*values)
        self.held.append(made)
        return ctypes.addressof(made)

    def unmarshal(self, hint: Any, out: Any) -> Any:
        if not isinstance(hint, PointerTo):
            return bool(out.value) if hint is b8 else out.value
        try:
            return self.read(out.value)
        finally:
            self.runtime.library.call("tensor_release", ctypes.c_void_p(out.value))

    def read(self, impl: int) -> np.ndarray[Any, Any]:
        """A copy of the elements of a tensor."""
        head = TENSOR_STRUCT.ctype.from_address(impl)
        numbers = (ctypes.c_int64 * (2 * head.ndim)).from_address(impl + TENSOR_STRUCT.size)
        sizes, strides = list(numbers[: head.ndim]), list(numbers[head.ndim :])
        dtype = numpy_dtype(dtypes.dtype_of_code(head.dtype))
        if head.numel == 0:
            return np.empty(sizes, dtype)
        low = sum((n - 1) * s for n, s in zip(sizes, strides, strict=True) if s < 0) * dtype.itemsize
        high = sum((n - 1) * s for n, s in zip(sizes, strides, strict=True) if s > 0) * dtype.itemsize + dtype.itemsize
        memory = (ctypes.c_char * (high - low)).from_address(head.data + low)
        array = np.ndarray(sizes, dtype, memory, -low, [s * dtype.itemsize for s in strides])
        assert bool(head.flags & 1) == array.flags.c_contiguous
        return array.copy()


def ctype_of(hint: Any) -> Any:
    """The C type of a parameter of the dialect."""
    if isinstance(hint, PointerTo):
        return ctypes.c_void_p
    return {i32: ctypes.c_int32, i64: ctypes.c_int64, f64: ctypes.c_double, b8: ctypes.c_uint8}[hint]


@pytest.fixture
def model() -> Iterator[Model]:
    """An empty address space."""
    yield Model()
    memory_model.reset()


class NativeFloats(Native):
    """Only kernels for float32: building the others takes its time."""

    types = frozenset({"float32"})


@pytest.fixture
def make_model() -> Callable[[], Model]:
    """Makes empty address spaces, one per drawn example."""
    return Model


class NativeOthers(Native):
    """Kernels for dtypes that differ from float32 in kind: wide, unsigned and narrow, bool."""

    types = frozenset({"float64", "uint8", "bool"})


@pytest.fixture(
    params=[Model, NativeFloats, pytest.param(NativeOthers, marks=pytest.mark.slow)], ids=["model", "native", "others"]
)
def machine(request: pytest.FixtureRequest) -> type[Model] | type[Native]:
    """Makes what kernels run on, one per drawn example."""
    made: type[Model] | type[Native] = request.param
    return made
