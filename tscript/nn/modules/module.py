"""`Module`: the base of networks and of their layers."""

from __future__ import annotations

import warnings
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Self, TypeVar

from tscript import Tensor
from tscript.nn.hooks import RemovableHandle, add_hook
from tscript.nn.modules.conversions import Conversion, parse_to
from tscript.nn.modules.stateful import Stateful
from tscript.nn.parameter import Buffer, Parameter, is_persistent

_Found = TypeVar("_Found")


class Module(Stateful):
    """The base class of networks and of their layers, as ``torch.nn.Module``.

    A derived class calls ``super().__init__()`` first, sets its layers, parameters and buffers as attributes, and has a
    method ``forward``, which a call of the module runs. No gradients are computed.

    Attributes:
        training: Whether the module is in training mode, which layers such as `Dropout` ask for; `train` and `eval` set
            it.

    Example:
        >>> import tscript
        >>> from tscript import nn
        >>> class Double(nn.Module):
        ...     def __init__(self):
        ...         super().__init__()
        ...         self.scale = nn.Parameter(tscript.tensor(2.0))
        ...     def forward(self, x):
        ...         return x * self.scale
        >>> Double()(tscript.ones(2))
        tensor([2., 2.])
    """

    dump_patches: bool = False
    call_super_init: bool = False
    """Whether ``__init__`` calls that of the next class, with its arguments: for classes with several bases."""

    training: bool
    _parameters: dict[str, Parameter | None]
    _buffers: dict[str, Tensor | None]
    _non_persistent_buffers_set: set[str]
    _modules: dict[str, Module | None]
    _forward_hooks: OrderedDict[int, Callable[..., Any]]
    _forward_hooks_with_kwargs: OrderedDict[int, bool]
    _forward_hooks_always_called: OrderedDict[int, bool]
    _forward_pre_hooks: OrderedDict[int, Callable[..., Any]]
    _forward_pre_hooks_with_kwargs: OrderedDict[int, bool]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if not self.call_super_init and (args or kwargs):
            found = f"{len(args) + 1} were given" if args else f"the keyword {next(iter(kwargs))!r} was"
            raise TypeError(f"{type(self).__name__}.__init__() takes 1 positional argument, the module, but {found}")
        put = super().__setattr__
        put("training", True)
        put("_parameters", {})
        put("_buffers", {})
        put("_non_persistent_buffers_set", set())
        put("_modules", {})
        for name in _HOOKS:
            put(name, OrderedDict())
        if self.call_super_init:
            super().__init__(*args, **kwargs)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """What a call of the module computes; every module has its own.

        Raises:
            NotImplementedError: This one has none.
        """
        raise NotImplementedError(f'Module [{type(self).__name__}] is missing the required "forward" function')

    # -- registering -------------------------------------------------------------------------------------------------

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """Add a parameter, which is an attribute from then on.

        Args:
            name: Its name, without dots.
            param: The parameter; None for one that the module could have and has not.

        Raises:
            AttributeError: ``super().__init__()`` was not called.
            KeyError: The name is empty, has a dot, or is that of another attribute.
            TypeError: The name is no string, or `param` no parameter.
        """
        self._check_name(name, "_parameters", "parameter")
        if param is not None and not isinstance(param, Parameter):
            raise TypeError(
                f"cannot assign {_described(param)} as parameter {name!r}: tscript.nn.Parameter or None is expected"
            )
        self._parameters[name] = param

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Add a buffer: a tensor that is part of the module and no parameter.

        Args:
            name: Its name, without dots.
            tensor: The tensor, or None.
            persistent: Whether the buffer is part of the `state_dict`.

        Raises:
            AttributeError, KeyError, TypeError: As `register_parameter`.
        """
        self._check_name(name, "_buffers", "buffer")
        if tensor is not None and not isinstance(tensor, Tensor):
            raise TypeError(
                f"cannot assign {_described(tensor)} as buffer {name!r}: tscript.Tensor or None is expected"
            )
        self._buffers[name] = tensor
        if persistent:
            self._non_persistent_buffers_set.discard(name)
        else:
            self._non_persistent_buffers_set.add(name)

    def add_module(self, name: str, module: Module | None) -> None:
        """Add a submodule, which is an attribute from then on.

        Args:
            name: Its name, without dots.
            module: The module; None for one that this module could have and has not.

        Raises:
            AttributeError, KeyError, TypeError: As `register_parameter`.
        """
        if not isinstance(module, Module) and module is not None:
            raise TypeError(f"{_described(module)} is not a Module subclass")
        self._check_name(name, "_modules", "module")
        self._modules[name] = module

    def register_module(self, name: str, module: Module | None) -> None:
        """`add_module`."""
        self.add_module(name, module)

    def _check_name(self, name: object, kind: str, word: str) -> None:
        if kind not in self.__dict__:
            raise AttributeError(f"cannot assign {word} before Module.__init__() call: write super().__init__() first")
        if not isinstance(name, str):
            raise TypeError(f"{word} name should be a string, found {type(name).__name__}")
        if "." in name:
            raise KeyError(f'{word} name can\'t contain ".", found {name!r}')
        if not name:
            raise KeyError(f'{word} name can\'t be empty string ""')
        if name not in self.__dict__[kind] and hasattr(self, name):
            raise KeyError(f"attribute '{name}' already exists")

    def __setattr__(self, name: str, value: Any) -> None:
        state = self.__dict__
        parameters = state.get("_parameters")
        if isinstance(value, Parameter):
            if parameters is None:
                raise AttributeError("cannot assign parameters before Module.__init__() call")
            self._forget(name, "_buffers", "_modules")
            self.register_parameter(name, value)
        elif parameters is not None and name in parameters:
            if value is not None:
                raise TypeError(
                    f"cannot assign {_described(value)} as parameter {name!r}: tscript.nn.Parameter or None is expected"
                )
            self.register_parameter(name, value)
        elif isinstance(value, Module):
            modules = state.get("_modules")
            if modules is None:
                raise AttributeError("cannot assign module before Module.__init__() call")
            self._forget(name, "_parameters", "_buffers")
            modules[name] = value
        elif name in state.get("_modules", ()):
            if value is not None:
                raise TypeError(
                    f"cannot assign {_described(value)} as child module {name!r}: tscript.nn.Module or None is expected"
                )
            state["_modules"][name] = value
        elif isinstance(value, Buffer) and "_buffers" in state:
            self._forget(name, "_parameters", "_modules")
            self.register_buffer(name, value, is_persistent(value))
        elif name in state.get("_buffers", ()):
            if value is not None and not isinstance(value, Tensor):
                raise TypeError(
                    f"cannot assign {_described(value)} as buffer {name!r}: "
                    "tscript.nn.Buffer, tscript.Tensor or None is expected"
                )
            state["_buffers"][name] = value
        else:
            super().__setattr__(name, value)

    def _forget(self, name: str, *kinds: str) -> None:
        """Remove an attribute that becomes one of another kind."""
        state = self.__dict__
        state.pop(name, None)
        state["_non_persistent_buffers_set"].discard(name)
        for kind in kinds:
            state[kind].pop(name, None)

    def __getattr__(self, name: str) -> Any:
        state = self.__dict__
        for kind in _KINDS:
            if kind in state and name in state[kind]:
                return state[kind][name]
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __delattr__(self, name: str) -> None:
        for kind in _KINDS:
            if name in self.__dict__.get(kind, ()):
                del self.__dict__[kind][name]
                self._non_persistent_buffers_set.discard(name)
                return
        super().__delattr__(name)

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        self.__dict__.update(state)
        for name in _HOOKS:
            self.__dict__.setdefault(name, OrderedDict())
        self.__dict__.setdefault("_non_persistent_buffers_set", set())

    def __dir__(self) -> list[str]:
        names = {*dir(type(self)), *self.__dict__}
        for kind in _KINDS:
            names.update(self.__dict__.get(kind, ()))
        return sorted(name for name in names if not name[:1].isdigit())

    # -- calling -----------------------------------------------------------------------------------------------------

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if not self._forward_pre_hooks and not self._forward_hooks:
            return self.forward(*args, **kwargs)
        return self._call_with_hooks(args, kwargs)

    def _call_with_hooks(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        called: set[int] = set()
        try:
            for number, hook in [*self._forward_pre_hooks.items()]:
                if number in self._forward_pre_hooks_with_kwargs:
                    found = hook(self, args, kwargs)
                    if found is None:
                        continue
                    if not (isinstance(found, tuple) and len(found) == 2):
                        raise RuntimeError(
                            "forward pre-hook must return None or a tuple of (new_args, new_kwargs), but got "
                            f"{_described(found)}"
                        )
                    args, kwargs = found
                elif (found := hook(self, args)) is not None:
                    args = found if isinstance(found, tuple) else (found,)
            result = self.forward(*args, **kwargs)
            for number, hook in [*self._forward_hooks.items()]:
                called.add(number)
                result = self._after(number, hook, args, kwargs, result)
            return result
        except Exception:
            for number, hook in [*self._forward_hooks.items()]:
                if number in self._forward_hooks_always_called and number not in called:
                    try:
                        self._after(number, hook, args, kwargs, None)
                    except Exception as error:  # noqa: BLE001 - the first error is the one to report
                        warnings.warn(
                            "module forward hook with ``always_call=True`` raised an exception that was silenced as "
                            f"another error was raised in forward: {error}",
                            stacklevel=2,
                        )
            raise

    def _after(
        self, number: int, hook: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], result: Any
    ) -> Any:
        with_kwargs = number in self._forward_hooks_with_kwargs
        found = hook(self, args, kwargs, result) if with_kwargs else hook(self, args, result)
        return result if found is None else found

    def register_forward_pre_hook(
        self, hook: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool = False
    ) -> RemovableHandle:
        """Call a hook before each `forward`.

        Args:
            hook: ``hook(module, args)``, which returns None, the new argument or a tuple of the new arguments.
            prepend: Whether it is called before all other hooks.
            with_kwargs: Whether it is ``hook(module, args, kwargs)`` and returns None or the new ``(args, kwargs)``.

        Returns:
            A handle with `remove`.
        """
        notes = (self._forward_pre_hooks_with_kwargs,) if with_kwargs else ()
        return add_hook(self._forward_pre_hooks, hook, *notes, prepend=prepend)

    def register_forward_hook(
        self, hook: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool = False, always_call: bool = False
    ) -> RemovableHandle:
        """Call a hook after each `forward`.

        Args:
            hook: ``hook(module, args, output)``, which returns None or the new output.
            prepend: Whether it is called before all other hooks.
            with_kwargs: Whether it is ``hook(module, args, kwargs, output)``.
            always_call: Whether it is called also where `forward` raises.

        Returns:
            A handle with `remove`.
        """
        notes = (
            *((self._forward_hooks_with_kwargs,) if with_kwargs else ()),
            *((self._forward_hooks_always_called,) if always_call else ()),
        )
        return add_hook(self._forward_hooks, hook, *notes, prepend=prepend)

    def register_full_backward_hook(self, hook: object, prepend: bool = False) -> RemovableHandle:
        """Not there.

        Raises:
            RuntimeError: Always: no gradients are computed.
        """
        raise RuntimeError("hooks of gradients are never called: no gradients are computed")

    def register_full_backward_pre_hook(self, hook: object, prepend: bool = False) -> RemovableHandle:
        """Not there, as `register_full_backward_hook`."""
        return self.register_full_backward_hook(hook, prepend)

    def register_backward_hook(self, hook: object) -> RemovableHandle:
        """Not there, as `register_full_backward_hook`."""
        return self.register_full_backward_hook(hook)

    # -- what it has -------------------------------------------------------------------------------------------------

    def get_submodule(self, target: str) -> Module:
        """The submodule at a path, ``"encoder.layers.0"``; this module at the empty one.

        Raises:
            AttributeError: There is none.
        """
        found = self
        for name in target.split(".") if target else ():
            if not hasattr(found, name):
                raise AttributeError(f"{type(found).__name__} has no attribute `{name}` (in the path {target!r})")
            found = getattr(found, name)
            if not isinstance(found, Module):
                raise AttributeError(f"`{name}` is not an nn.Module (in the path {target!r})")
        return found

    def set_submodule(self, target: str, module: Module, strict: bool = False) -> None:
        """Put a module at a path.

        Args:
            target: The path; all of it but the last name is that of a submodule.
            module: The module.
            strict: Whether one must be there already.

        Raises:
            ValueError: The path is empty, or `module` is no module.
            AttributeError: A submodule of the path is missing.
        """
        if not target:
            raise ValueError("cannot set the submodule without a target name: the path is empty")
        if not isinstance(module, Module):
            raise ValueError(f"{_described(module)} is not an nn.Module")
        path, _, name = target.rpartition(".")
        parent = self.get_submodule(path)
        if strict and not hasattr(parent, name):
            raise AttributeError(f"{type(parent).__name__} has no attribute `{name}` (in the path {target!r})")
        if hasattr(parent, name) and not isinstance(getattr(parent, name), Module):
            raise AttributeError(f"`{name}` is not an nn.Module (in the path {target!r})")
        setattr(parent, name, module)

    def get_parameter(self, target: str) -> Parameter:
        """The parameter at a path, ``"encoder.weight"``.

        Raises:
            AttributeError: There is none.
        """
        path, _, name = target.rpartition(".")
        module = self.get_submodule(path)
        if not hasattr(module, name):
            raise AttributeError(f"{type(module).__name__} has no attribute `{name}` (in the path {target!r})")
        found = getattr(module, name)
        if not isinstance(found, Parameter):
            raise AttributeError(f"`{name}` is not an nn.Parameter (in the path {target!r})")
        return found

    def get_buffer(self, target: str) -> Tensor:
        """The buffer at a path, ``"norm.running_mean"``.

        Raises:
            AttributeError: There is none.
        """
        path, _, name = target.rpartition(".")
        module = self.get_submodule(path)
        if not hasattr(module, name):
            raise AttributeError(f"{type(module).__name__} has no attribute `{name}` (in the path {target!r})")
        found = module._buffers.get(name)
        if found is None:
            raise AttributeError(f"`{name}` is not a buffer (in the path {target!r})")
        return found

    def named_modules(
        self, memo: set[Any] | None = None, prefix: str = "", remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Module]]:
        """This module and all below it with their paths, each one once.

        Args:
            memo: Modules to leave out; those found are added.
            prefix: Path of this module.
            remove_duplicate: Whether a module that stands in several places is listed once.
        """
        if memo is None:
            memo = set()
        if self in memo:
            return
        if remove_duplicate:
            memo.add(self)
        yield prefix, self
        for name, module in self._modules.items():
            if module is not None:
                yield from module.named_modules(memo, _join(prefix, name), remove_duplicate)

    def modules(self) -> Iterator[Module]:
        """This module and all below it, each one once."""
        return (module for _, module in self.named_modules())

    def named_children(self) -> Iterator[tuple[str, Module]]:
        """The submodules of this module alone, with their names, each one once."""
        seen: set[Module] = set()
        for name, module in self._modules.items():
            if module is not None and module not in seen:
                seen.add(module)
                yield name, module

    def children(self) -> Iterator[Module]:
        """The submodules of this module alone, each one once."""
        return (module for _, module in self.named_children())

    def _named_members(
        self,
        get_members_fn: Callable[[Module], Iterable[tuple[str, _Found | None]]],
        prefix: str = "",
        recurse: bool = True,
        remove_duplicate: bool = True,
    ) -> Iterator[tuple[str, _Found]]:
        """What a function finds in this module and those below it, with paths."""
        seen: set[int] = set()
        places = self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate) if recurse else [(prefix, self)]
        for path, module in places:
            for name, member in get_members_fn(module):
                if member is None or id(member) in seen:
                    continue
                if remove_duplicate:
                    seen.add(id(member))
                yield _join(path, name), member

    def named_parameters(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Parameter]]:
        """The parameters with their paths.

        Args:
            prefix: Path of this module.
            recurse: Whether those of submodules are listed too.
            remove_duplicate: Whether a parameter that stands in several places is listed once.
        """
        return self._named_members(lambda module: module._parameters.items(), prefix, recurse, remove_duplicate)

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        """The parameters, each one once; without `recurse` those of this module alone."""
        return (parameter for _, parameter in self.named_parameters(recurse=recurse))

    def named_buffers(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Tensor]]:
        """The buffers with their paths; arguments as `named_parameters`."""
        return self._named_members(lambda module: module._buffers.items(), prefix, recurse, remove_duplicate)

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        """The buffers, each one once; without `recurse` those of this module alone."""
        return (buffer for _, buffer in self.named_buffers(recurse=recurse))

    # -- changing all of it ------------------------------------------------------------------------------------------

    def apply(self, fn: Callable[[Module], object]) -> Self:
        """Call a function with all modules below this one, then with this one."""
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    def train(self, mode: bool = True) -> Self:
        """Put this module and all below it into training mode, or out of it.

        Raises:
            ValueError: `mode` is no bool.
        """
        if not isinstance(mode, bool):
            raise ValueError(f"training mode is expected to be boolean, found {mode!r}")
        self._check_mode(mode, "")
        self.training = mode
        for module in self.children():
            module.train(mode)
        return self

    def _check_mode(self, mode: bool, path: str) -> None:
        """Raise if this module or one below it has no such mode, before any of them is changed.

        Args:
            mode: The mode.
            path: Where this module stands in the one whose mode is set.
        """
        for name, module in self._modules.items():
            if module is not None:
                module._check_mode(mode, f"{path}.{name}" if path else name)

    def eval(self) -> Self:
        """``train(False)``."""
        return self.train(False)

    def requires_grad_(self, requires_grad: bool = True) -> Self:
        """Set `requires_grad` of all parameters. No gradients are computed."""
        for parameter in self.parameters():
            parameter.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Nothing: there are no gradients."""

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> Self:
        """Put what a function makes of each tensor in its place.

        Parameters become new ones; one that stands in several places stays one.
        """
        convert = fn if isinstance(fn, Conversion) else Conversion(fn)
        if recurse:
            for module in self.children():
                module._apply(convert)
        for name, parameter in self._parameters.items():
            if parameter is not None:
                self._parameters[name] = convert.parameter(parameter)
        for name, buffer in self._buffers.items():
            if buffer is not None:
                self._buffers[name] = convert(buffer)
        return self

    def to(self, *args: Any, **kwargs: Any) -> Self:
        """Convert all parameters and buffers: ``to(dtype)``, ``to(device)``, ``to(device, dtype)``, ``to(tensor)``,
        ``to(memory_format=...)``. Only tensors of floating-point and complex dtype change their dtype.

        Raises:
            TypeError: The dtype is neither of these.
            RuntimeError: There is no such device.
        """
        return self._apply(parse_to(args, kwargs))

    def type(self, dst_type: Any) -> Self:
        """Convert all parameters and buffers to a dtype, those of ints too."""
        return self._apply(lambda tensor: tensor.to(dst_type))

    def float(self) -> Self:
        """Convert tensors of floating-point numbers to float32."""
        return self._apply(lambda tensor: tensor.float() if tensor.is_floating_point() else tensor)

    def double(self) -> Self:
        """Convert tensors of floating-point numbers to float64."""
        return self._apply(lambda tensor: tensor.double() if tensor.is_floating_point() else tensor)

    def half(self) -> Self:
        """Convert tensors of floating-point numbers to float16."""
        return self._apply(lambda tensor: tensor.half() if tensor.is_floating_point() else tensor)

    def bfloat16(self) -> Self:
        """Convert tensors of floating-point numbers to bfloat16."""
        return self._apply(lambda tensor: tensor.bfloat16() if tensor.is_floating_point() else tensor)

    def cpu(self) -> Self:
        """The module itself, whose tensors lie on the CPU."""
        return self._apply(lambda tensor: tensor.cpu())

    def cuda(self, device: Any = None) -> Self:
        """Refused, as there is no such device.

        Raises:
            RuntimeError: The module has tensors.
        """
        return self._apply(lambda tensor: tensor.cuda(device))

    def to_empty(self, *, device: Any, recurse: bool = True) -> Self:
        """Put tensors of the same sizes in place of all, without values."""
        from tscript import empty_like

        return self._apply(lambda tensor: empty_like(tensor).to(device), recurse)

    def share_memory(self) -> Self:
        """Not there.

        Raises:
            NotImplementedError: Always: tensors are not shared with other processes.
        """
        raise NotImplementedError("tensors are not shared with other processes: a forked process has copies of them")

    # -- text --------------------------------------------------------------------------------------------------------

    def _get_name(self) -> str:
        return self.__class__.__name__

    def extra_repr(self) -> str:
        """What `repr` shows of this module besides its submodules; derived classes have their own."""
        return ""

    def __repr__(self) -> str:
        extra = self.extra_repr()
        extra_lines = extra.split("\n") if extra else []
        children = [f"({name}): {_indented(repr(module))}" for name, module in self._modules.items()]
        lines = extra_lines + children
        if not lines:
            return f"{self._get_name()}()"
        if not children and len(extra_lines) == 1:
            return f"{self._get_name()}({extra_lines[0]})"
        return f"{self._get_name()}(\n  " + "\n  ".join(lines) + "\n)"


_KINDS = ("_parameters", "_buffers", "_modules")

_HOOKS = (
    "_forward_hooks",
    "_forward_hooks_with_kwargs",
    "_forward_hooks_always_called",
    "_forward_pre_hooks",
    "_forward_pre_hooks_with_kwargs",
    "_state_dict_hooks",
    "_state_dict_pre_hooks",
    "_load_state_dict_pre_hooks",
    "_load_state_dict_post_hooks",
)


def _join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _indented(text: str) -> str:
    first, *rest = text.split("\n")
    return "\n".join([first, *(f"  {line}" for line in rest)])


def _described(value: object) -> str:
    return f"a value of type {type(value).__name__}"
