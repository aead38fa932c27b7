"""Conversions of all tensors of a module: `Conversion`, and the arguments of `Module.to`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tscript import Tensor
from tscript.nn.parameter import Parameter
from tscript.types import DType
from tscript.types.options import MemoryFormat


class Conversion:
    """A function of tensors that is called once for each: tensors and parameters that stand in several places stay
    one.

    Args:
        function: The function.
    """

    def __init__(self, function: Callable[[Tensor], Tensor]) -> None:
        self._function = function
        self._known: dict[int, tuple[Tensor, Tensor]] = {}
        self._parameters: dict[int, Parameter] = {}

    def __call__(self, tensor: Tensor) -> Tensor:
        known = self._known.get(id(tensor))
        if known is None:
            known = self._known[id(tensor)] = (tensor, self._function(tensor))  # which keeps the id taken
        return known[1]

    def parameter(self, parameter: Parameter) -> Parameter:
        """The parameter itself if the function leaves it as it is, else a new one."""
        made = self(parameter)
        if made is parameter:
            return parameter
        found = self._parameters.get(id(parameter))
        if found is None:
            found = self._parameters[id(parameter)] = Parameter(made, parameter.requires_grad)
        return found


def parse_to(args: Sequence[Any], kwargs: Mapping[str, Any]) -> Callable[[Tensor], Tensor]:
    """What `Module.to` does to each tensor.

    Raises:
        TypeError: An argument of another kind, or a dtype of ints.
    """
    options = dict(kwargs)
    dtype = options.pop("dtype", None)
    device = options.pop("device", None)
    options.pop("non_blocking", None)
    memory_format = options.pop("memory_format", None)
    if "tensor" in options:
        args = (options.pop("tensor"), *args)
    if options:
        raise TypeError(f"to() got an unexpected keyword argument {next(iter(options))!r}")
    for arg in args:
        if isinstance(arg, DType):
            dtype = arg
        elif isinstance(arg, Tensor):
            dtype = arg.dtype
        elif isinstance(arg, MemoryFormat):
            memory_format = arg
        elif isinstance(arg, bool):  # non_blocking
            continue
        elif arg is not None:
            device = arg
    if dtype is not None and not (dtype.is_floating_point or dtype.is_complex):
        raise TypeError(f"nn.Module.to only accepts floating point or complex dtypes, found {dtype}")

    def convert(tensor: Tensor) -> Tensor:
        if device is not None:
            tensor = tensor.to(device)
        if dtype is not None and (tensor.is_floating_point() or tensor.is_complex()):
            tensor = tensor.to(dtype)
        if memory_format is not None and tensor.dim() in (4, 5):
            tensor = tensor.contiguous(memory_format=memory_format)
        return tensor

    return convert
