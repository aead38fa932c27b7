"""What source functions of the language use: bodies of composite operators, and the functions of the library in it.

Such functions are read by the frontend and never imported for their effects. They name what users name: `Tensor` and
`Size` in annotations, operators as functions of `torch` (and of `tscript`, where PyTorch has none). A function whose
parameters have no annotations is `generic`.
"""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import TYPE_CHECKING, Any

from tscript import types

if TYPE_CHECKING:
    Generator = Any
    Size = Any
    Tensor = Any
else:  # what the frontend reads in annotations
    Generator, Size, Tensor = types.GENERATOR, types.SIZE, types.TENSOR

torch = ModuleType("torch", "The operators by PyTorch's names: the frontend recognises a module called torch.")
tscript = ModuleType("tscript", "The same, with the operators that PyTorch does not have.")
np: Any = ModuleType("numpy", "The functions of arrays by NumPy's names.")


class Generic:
    """A source function that is lowered anew for the types of its arguments. It is never run.

    Args:
        function: The function; one that the compiler lowers itself has no body.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.__name__ = function.__name__
        self.__doc__ = function.__doc__

    def __call__(self, *args: Any) -> Any:
        """Called in compiled code only."""
        raise NotImplementedError(self.__name__)


generic = Generic
"""Marks a source function with parameters that have no annotations."""
