"""`Boundary`: where Python objects meet native code. The Python half of the module that `native_module` loads.

    >>> native = Boundary(load, Errors(), Futures().adopt, target)
    >>> def miss(fn, args, kwargs):
    ...     key = native.callables.key_of(fn, args)
    ...     native.callables.add_row(fn, key, "ff:f", compile_for(args), keepalive)
    ...     return fn(*args, **kwargs)
    >>> f = native.callables.new("f", 2, b"", miss)
    >>> f(2.0, 3.0)             # the first call misses, later ones run the native code at once

A process needs one `Boundary`; it is never unloaded. Its methods are called with the GIL held and are safe to call from
several threads.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from tscript.backend.loader.prebuilt import Prebuilt
from tscript.once import once
from tscript.runtime.boundary.array_objects import ArrayObjects
from tscript.runtime.boundary.callables import Callables
from tscript.runtime.boundary.native_module import Loader, NativeModule
from tscript.runtime.boundary.stubs import Stubs
from tscript.runtime.boundary.tensor_objects import TensorObjects
from tscript.runtime.boundary.tensor_slots import TensorSlots
from tscript.runtime.values.errors import Errors, trace_through
from tscript.runtime.values.tracebacks import Refused

if TYPE_CHECKING:
    from tscript.backend.llvm.target import Target
    from tscript.runtime.boundary.converter import Converter
    from tscript.runtime.boundary.dispatch import Dispatch
    from tscript.runtime.boundary.dispatch_values import DispatchValues


class Boundary:
    """The boundary of this process, part by part.

    Args:
        load: Compiles and loads the boundary module and stubs.
        errors: Gives the exceptions that native code leaves.
        adopt: Makes the Python objects of futures; see `Futures.adopt`.
        target: What they are for.
        prebuilt: Has what need not be compiled.

    Attributes:
        module: The boundary module.
        symbols: Addresses of the runtime symbols that native code may reference (``ts_safepoint_v1`` …).
        tensors: Tensors as Python objects.
        arrays: ndarrays as tensors, and tensors as ndarrays.
        Tensor: The tensor type.
        stubs: Calls of native code.
        callables: Native callables and their tables.
        slots: The special methods of tensors.
        operators: Runs an operator for native code, ``operators(name, arguments)``; None: there are none.

    Raises:
        UnsupportedInterpreterError: The running Python is not one it knows.
    """

    def __init__(
        self,
        load: Loader,
        errors: Errors,
        adopt: Callable[[int], object],
        target: Target,
        prebuilt: Prebuilt | None = None,
    ) -> None:
        module = self.module = NativeModule(load, target, prebuilt)
        self.symbols: Mapping[str, int] = module.symbols
        self.tensors = TensorObjects(module)
        self.arrays = ArrayObjects(module)
        self.Tensor: Any = self.tensors.type
        self.stubs = Stubs(module, self.tensors.type, self.arrays)
        self.callables = Callables(module, self.stubs)
        self.slots = TensorSlots(module, self.callables)
        self.operators: Callable[[str, tuple[Any, ...]], object] | None = None
        self._errors = errors
        self._kernel: Callable[[str], int] | None = None
        module.set_pointer("tsb_dispatch_hook", self._dispatch)
        module.set_pointer("tsb_refused", Refused)
        module.set_pointer("tsb_raise_hook", errors.exception_of)
        module.set_pointer("tsb_trace_hook", trace_through)
        module.set_pointer("tsb_future_hook", adopt)

    @once
    def converter(self) -> Converter:
        """Values of all types as Python objects."""
        from tscript.runtime.boundary.converter import Converter

        return Converter(self._errors, lambda: self._kernel)

    @once
    def values(self) -> DispatchValues:
        """Values of known kinds as Python objects."""
        from tscript.runtime.boundary.dispatch_values import DispatchValues

        return DispatchValues(self.tensors, self.arrays, self.converter)

    @once
    def dispatch(self) -> Dispatch:
        """Calls of Python by native code."""
        from tscript.runtime.boundary.dispatch import Dispatch

        return Dispatch(lambda: self.operators, self.values, self.converter, self.tensors.retain, self.arrays.as_tensor)

    def _dispatch(self, context: int, name: int, count: int, kinds: int, values: int, out: int) -> None:
        self.dispatch.run(context, name, count, kinds, values, out)

    def set_fetch(self, fetch: Callable[[int, BaseException], None]) -> None:
        """Say what makes a Python exception one of native code: ``fetch(address of the context, exception)``."""
        self.module.set_pointer("tsb_fetch_hook", fetch)

    def set_kernels(self, address: Callable[[str], int]) -> None:
        """Say what gives the addresses of the kernels that convert values by their types."""
        self.stubs.kernel = self._kernel = address
