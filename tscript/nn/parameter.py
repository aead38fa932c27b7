"""`Parameter` and `Buffer`: tensors that modules find by themselves when they are set as attributes.

A parameter is a `tscript.Tensor` with a mark, not an object of another class, so that operators and scripted functions
take it at full speed. ``isinstance(p, Parameter)`` tells it from other tensors; what operators give is a plain tensor.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tscript import Tensor
from tscript.abi.layout import TENSOR_BUFFER, TENSOR_PARAMETER, TENSOR_TRANSIENT, TENSOR_WANTS_GRADIENT
from tscript.runtime.values.roles import check_differentiable, give_role, role_of

if TYPE_CHECKING:

    class Parameter(Tensor):
        """A tensor that is a parameter of the modules it is an attribute of."""

        requires_grad: bool

        def __init__(self, data: Tensor | None = None, requires_grad: bool = True) -> None: ...

    class Buffer(Tensor):
        """A tensor that is a buffer of the modules it is an attribute of."""

        def __init__(self, data: Tensor | None = None, *, persistent: bool = True) -> None: ...

else:

    class _Marked(type):
        """The class of classes whose objects are tensors with a mark."""

        mark: int

        def __instancecheck__(cls, value: object) -> bool:
            return type(value) is Tensor and role_of(value) & cls.mark != 0

        def __subclasscheck__(cls, other: type) -> bool:
            return other is cls

    class Parameter(metaclass=_Marked):
        """A tensor that is a parameter of the modules it is an attribute of.

        Args:
            data: The tensor, whose memory the parameter shares; an empty one if left out.
            requires_grad: What the attribute of this name says. No gradients are computed.

        Raises:
            TypeError: `data` is no tensor.
            RuntimeError: The tensor holds ints, and `requires_grad` is True.

        Example:
            >>> import tscript
            >>> p = tscript.nn.Parameter(tscript.ones(2))
            >>> isinstance(p, tscript.nn.Parameter), isinstance(p + 1, tscript.nn.Parameter), p.requires_grad
            (True, False, True)
        """

        mark = TENSOR_PARAMETER

        def __new__(cls, data: Any = None, requires_grad: bool = True) -> Any:
            return as_parameter(_over(cls, data), requires_grad)

        def __init_subclass__(cls) -> None:
            raise TypeError("Parameter has no subclasses: its objects are tensors with a mark")

    class Buffer(metaclass=_Marked):
        """A tensor that is a buffer of the modules it is an attribute of.

        Args:
            data: The tensor, whose memory the buffer shares; an empty one if left out.
            persistent: Whether the buffer is part of the `state_dict`.

        Raises:
            TypeError: `data` is no tensor.

        Example:
            >>> import tscript
            >>> class Counter(tscript.nn.Module):
            ...     def __init__(self):
            ...         super().__init__()
            ...         self.count = tscript.nn.Buffer(tscript.zeros(()))
            >>> dict(Counter().state_dict())
            {'count': tensor(0.)}
        """

        mark = TENSOR_BUFFER

        def __new__(cls, data: Any = None, *, persistent: bool = True) -> Any:
            made = _over(cls, data)
            give_role(made, TENSOR_BUFFER | (0 if persistent else TENSOR_TRANSIENT))
            return made

        def __init_subclass__(cls) -> None:
            raise TypeError("Buffer has no subclasses: its objects are tensors with a mark")

    def _over(cls: type, data: object) -> Any:
        """A new tensor over the memory of another."""
        if data is None:
            from tscript import empty

            return empty(0)
        if not isinstance(data, Tensor):
            raise TypeError(f"{cls.__name__} takes a tensor, found {type(data).__name__}: write tscript.tensor(...)")
        return data.alias()


def as_parameter(tensor: Any, requires_grad: bool) -> Any:
    """A tensor that nothing else refers to, marked as a `Parameter`.

    Raises:
        RuntimeError: It holds ints, and `requires_grad` is True.
    """
    if requires_grad:
        check_differentiable(tensor)
    give_role(tensor, TENSOR_PARAMETER | (TENSOR_WANTS_GRADIENT if requires_grad else 0))
    return tensor


def is_persistent(buffer: Tensor) -> bool:
    """Whether a `Buffer` is part of the `state_dict`."""
    return not role_of(buffer) & TENSOR_TRANSIENT
