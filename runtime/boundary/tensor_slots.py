"""`TensorSlots`: what stands behind the special methods of tensors."""

from __future__ import annotations

import ctypes
from collections.abc import Callable

from tscript.runtime.boundary.callables import Callables
from tscript.runtime.boundary.native.special_methods import SLOTS
from tscript.runtime.boundary.native_module import NativeModule, leak


class TensorSlots:
    """Fills the slots of the tensor type.

    Args:
        module: The boundary module.
        callables: Knows which functions are native.

    Attributes:
        kernel: Gives the address of what makes views of keys (`VIEW_AT`).
    """

    def __init__(self, module: NativeModule, callables: Callables) -> None:
        self._module = module
        self._callables = callables
        self.kernel: Callable[[], int] | None = None
        self._set = module.bind("tsb_slot_set", None, ctypes.c_int64, ctypes.py_object, ctypes.c_int)
        self.set_numbers((int, float, complex))

    def set_numbers(self, types: tuple[type, ...]) -> None:
        """Say which types (and their subclasses) number slots take as the other operand besides tensors.

        Args:
            types: Usually ``(int, float, numpy.generic)``.
        """
        self._module.set_pointer("tsb_numbers", types)

    def set(self, name: str, function: Callable[..., object]) -> None:
        """Put a callable behind a special method of `Tensor`, in its native slot.

        Args:
            name: One of `special_methods.SLOTS`: ``__add__``, ``__iadd__``, ``__neg__``, ``__eq__``, ``__getitem__`` …
                Reflected forms share the slot of the plain one: ``1.0 + x`` calls the function with ``(1.0, x)``.
            function: A native callable (fast) or any other.

        Raises:
            KeyError: There is no such slot.
            TypeError: `function` cannot be called.
        """
        if name not in SLOTS:
            raise KeyError(f"tensors have no slot {name!r}")
        if not callable(function):
            raise TypeError(f"a slot needs a callable, not {function!r}")
        leak(function)
        self._set(SLOTS.index(name), function, self._callables.is_callable(function))

    def connect(self) -> None:
        """Let native code make the views that ``x[key]`` gives."""
        assert self.kernel is not None
        ctypes.c_void_p.from_address(self._module.address("tsb_view_at")).value = self.kernel()
