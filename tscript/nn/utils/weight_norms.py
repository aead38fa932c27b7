"""Weights as a direction and a length: `weight_norm` and `remove_weight_norm`."""

from __future__ import annotations

from typing import Any, TypeVar

from tscript import Tensor
from tscript.nn.modules.module import Module
from tscript.nn.parameter import Parameter

_Module = TypeVar("_Module", bound=Module)


class WeightNorm:
    """The hook that computes a weight before each call.

    Args:
        name: Name of the weight.
        dim: The dimension whose slices have lengths of their own; -1 for one length.
    """

    def __init__(self, name: str, dim: int) -> None:
        self.name, self.dim = name, dim

    def lengths(self, direction: Tensor) -> Tensor:
        """The lengths of the slices, of a shape that fits."""
        dims = [d for d in range(direction.dim()) if d != self.dim % direction.dim() or self.dim == -1]
        return direction.norm(2, dims, self.dim != -1) if dims else direction.abs()

    def compute_weight(self, module: Module) -> Tensor:
        """The weight."""
        length: Tensor = getattr(module, f"{self.name}_g")
        direction: Tensor = getattr(module, f"{self.name}_v")
        return direction * (length / self.lengths(direction))

    def __call__(self, module: Module, inputs: Any) -> None:
        setattr(module, self.name, self.compute_weight(module))


def weight_norm(module: _Module, name: str = "weight", dim: int | None = 0) -> _Module:
    """Put a direction and a length in place of a weight, which is computed of these before each call.

    Args:
        module: The module.
        name: Name of the weight.
        dim: The dimension whose slices have lengths of their own; None for one length.

    Raises:
        RuntimeError: The weight has been replaced already.

    Example:
        >>> from tscript import nn
        >>> [*nn.utils.weight_norm(nn.Linear(3, 2)).state_dict()]
        ['bias', 'weight_g', 'weight_v']
    """
    if any(isinstance(hook, WeightNorm) and hook.name == name for hook in module._forward_pre_hooks.values()):
        raise RuntimeError(f"Cannot register two weight_norm hooks on the same parameter {name}")
    hook = WeightNorm(name, -1 if dim is None else dim)
    weight = getattr(module, name)
    del module._parameters[name]
    module.register_parameter(f"{name}_g", Parameter(hook.lengths(weight)))
    module.register_parameter(f"{name}_v", Parameter(weight.alias()))
    setattr(module, name, hook.compute_weight(module))
    module.register_forward_pre_hook(hook)
    return module


def remove_weight_norm(module: _Module, name: str = "weight") -> _Module:
    """Make the weight a parameter again.

    Raises:
        ValueError: `weight_norm` has not replaced it.
    """
    for number, hook in module._forward_pre_hooks.items():
        if isinstance(hook, WeightNorm) and hook.name == name:
            weight = hook.compute_weight(module)
            delattr(module, name)
            del module._parameters[f"{name}_g"], module._parameters[f"{name}_v"]
            setattr(module, name, Parameter(weight))
            del module._forward_pre_hooks[number]
            return module
    raise ValueError(f"weight_norm of '{name}' not found in {module}")
