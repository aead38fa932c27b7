"""Traces of modules of PyTorch: PyTorch records them, what it recorded is read like an archive of TorchScript."""

from __future__ import annotations

import io
import sys
import warnings
from collections.abc import Callable, Mapping
from typing import Any

import tscript
from tscript import Tensor
from tscript.nn.scripting.attributes import Tensors
from tscript.nn.torchscript.loading import load_torchscript


def is_pytorch(module: object) -> bool:
    """Whether a module is one of PyTorch, which then is imported."""
    torch = sys.modules.get("torch")
    return torch is not None and torch is not tscript and isinstance(module, torch.nn.Module)


def traced(
    module: Any, methods: Mapping[str, tuple[tuple[Any, ...], dict[str, Any]]], strict: bool
) -> tuple[Any, bool]:
    """What PyTorch records of a module: a scripted module over its tensors, and whether random numbers were drawn.

    Args:
        module: A module of PyTorch.
        methods: The arguments of each method: tensors of either library.
        strict: Whether lists and dicts among the results are refused.

    Raises:
        RuntimeError: PyTorch cannot trace it, or not save what it traced.
    """
    import torch

    before = torch.random.get_rng_state()
    with warnings.catch_warnings(), torch.no_grad():
        warnings.filterwarnings("ignore", category=DeprecationWarning)
        inputs = {
            name: (*map(to_pytorch, args), *map(to_pytorch, kwargs.values()))
            for name, (args, kwargs) in methods.items()
        }
        kwargs = methods["forward"][1] if set(methods) == {"forward"} else {}
        if kwargs:
            found = torch.jit.trace(
                module,
                example_kwarg_inputs={**_by_name(module, methods["forward"][0]), **_mapped(kwargs, to_pytorch)},
                check_trace=False,
                strict=strict,
            )
        else:
            found = torch.jit.trace_module(module, inputs, check_trace=False, strict=strict)
        buffer = io.BytesIO()
        torch.jit.save(found, buffer)
    drew = not torch.equal(before, torch.random.get_rng_state())
    made = load_torchscript(buffer.getvalue(), type(module).__name__)
    _share(made, module)
    return made, drew


def _by_name(module: Any, args: tuple[Any, ...]) -> dict[str, Any]:
    import inspect

    names = inspect.signature(module.forward).parameters
    return {name: to_pytorch(value) for name, value in zip(names, args, strict=False)}


def _share(made: Any, module: Any) -> None:
    """Put the tensors of the module in the place of the copies that the archive had."""
    tensors = Tensors()
    parameters = dict(module.named_parameters(remove_duplicate=False))
    held = {**parameters, **dict(module.named_buffers(remove_duplicate=False))}
    for path, owner in made.named_modules(remove_duplicate=False):
        for kind in (owner._parameters, owner._buffers):
            for name in list(kind):
                whole = f"{path}.{name}" if path else name
                if whole in held and kind[name] is not None:
                    kind[name] = tensors.plain(held[whole], is_parameter=whole in parameters)


def calling(run: Callable[..., Any]) -> Callable[..., Any]:
    """A module or method of PyTorch that takes and gives tensors of tscript."""

    def called(*args: Any, **kwargs: Any) -> Any:
        import torch

        with torch.no_grad():
            return _mapped(run(*map(to_pytorch, args), **_mapped(kwargs, to_pytorch)), _from_pytorch)

    return called


def to_pytorch(value: Any) -> Any:
    """A value with PyTorch's tensors over the memory of those of tscript."""
    import torch

    return _mapped(value, lambda v: torch.from_dlpack(v) if isinstance(v, Tensor) else v)


def to_tscript(value: Any) -> Any:
    """A value with tensors of tscript over the memory of those of PyTorch."""
    return _mapped(value, _from_pytorch)


def _from_pytorch(value: Any) -> Any:
    import torch

    return tscript.from_dlpack(value.detach()) if isinstance(value, torch.Tensor) else value


def _mapped(value: Any, change: Callable[[Any], Any]) -> Any:
    """A value with its parts changed."""
    if isinstance(value, tuple):
        parts = [_mapped(v, change) for v in value]
        return getattr(type(value), "_make", tuple)(parts)
    if isinstance(value, list):
        return [_mapped(v, change) for v in value]
    if isinstance(value, dict):
        return {key: _mapped(v, change) for key, v in value.items()}
    return change(value)
