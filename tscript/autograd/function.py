"""The class that functions with gradients of their own derive from, as ``torch.autograd.function``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn, TypeVar

F = TypeVar("F", bound=Callable[..., Any])


class FunctionMeta(type):
    """The class of `Function` and of what derives from it, by which the compiler knows them."""


class Function(metaclass=FunctionMeta):
    """The base of a function with gradients of its own. Classes that derive from it can be defined and their static
    methods called; `apply` cannot.

    Example:
        >>> import tscript
        >>> class Double(tscript.autograd.Function):
        ...     @staticmethod
        ...     def forward(ctx, x):
        ...         return 2 * x
        >>> Double.apply(tscript.ones(2))
        Traceback (most recent call last):
            ...
        NotImplementedError: Double.apply: no gradients are computed; call Double.forward(None, ...), or the operators \
in it
    """

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> NoReturn:
        """Not there: there are no gradients.

        Raises:
            NotImplementedError: Always.
        """
        name = cls.__name__
        raise NotImplementedError(
            f"{name}.apply: no gradients are computed; call {name}.forward(None, ...), or the operators in it"
        )


def once_differentiable(function: F) -> F:
    """The function itself: no gradients are computed."""
    return function


__all__ = ["Function", "FunctionMeta", "once_differentiable"]
