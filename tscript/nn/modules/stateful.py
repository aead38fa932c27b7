"""`Stateful`: what `Module` does with state dicts."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from tscript import Tensor
from tscript.nn.hooks import RemovableHandle, add_hook
from tscript.nn.parameter import Parameter
from tscript.nn.state import EXTRA_STATE, IncompatibleKeys, Messages, as_tensor, check_is_mapping, later, quoted, within


class Stateful:
    """The base of `Module` that gives and takes state dicts."""

    _version: int = 1
    """Version of what the state dict holds of this class; it is kept in the state dict."""

    _parameters: dict[str, Any]
    _buffers: dict[str, Tensor | None]
    _non_persistent_buffers_set: set[str]
    _modules: dict[str, Any]
    _state_dict_hooks: OrderedDict[int, Callable[..., Any]]
    _state_dict_pre_hooks: OrderedDict[int, Callable[..., Any]]
    _load_state_dict_pre_hooks: OrderedDict[int, Callable[..., Any]]
    _load_state_dict_post_hooks: OrderedDict[int, Callable[..., Any]]

    # -- giving ------------------------------------------------------------------------------------------------------

    def get_extra_state(self) -> Any:
        """What the state dict holds besides tensors; derived classes may have their own.

        Raises:
            RuntimeError: This class has none.
        """
        raise RuntimeError(f"{type(self).__name__} has no extra state: give the class a method get_extra_state")

    def set_extra_state(self, state: Any) -> None:
        """Take what `get_extra_state` gave.

        Raises:
            RuntimeError: This class has none.
        """
        raise RuntimeError(f"{type(self).__name__} takes no extra state: give the class a method set_extra_state")

    def state_dict(self, *args: Any, destination: Any = None, prefix: str = "", keep_vars: bool = False) -> Any:
        """All parameters and persistent buffers by their paths, as plain tensors over the same memory.

        Args:
            args: `destination`, `prefix` and `keep_vars` by position.
            destination: The dict to add to; a new ordered one if left out.
            prefix: What the keys begin with.
            keep_vars: Whether parameters stay parameters.

        Returns:
            `destination`. Its attribute `_metadata` has the versions of the modules.

        Example:
            >>> from tscript import nn
            >>> list(nn.Sequential(nn.Linear(2, 3), nn.ReLU()).state_dict())
            ['0.weight', '0.bias']
        """
        if args:
            destination = args[0] if destination is None else destination
            prefix = args[1] if len(args) > 1 and not prefix else prefix
            keep_vars = args[2] if len(args) > 2 and not keep_vars else keep_vars
        if destination is None:
            destination = OrderedDict()
            destination._metadata = OrderedDict()
        metadata: dict[str, Any] = {"version": self._version}
        if hasattr(destination, "_metadata"):
            destination._metadata[prefix[:-1]] = metadata
        for hook in self._state_dict_pre_hooks.values():
            hook(self, prefix, keep_vars)
        self._save_to_state_dict(destination, prefix, keep_vars)
        for name, module in self._modules.items():
            if module is not None:
                module.state_dict(destination=destination, prefix=f"{prefix}{name}.", keep_vars=keep_vars)
        for hook in self._state_dict_hooks.values():
            found = hook(self, destination, prefix, metadata)
            if found is None:
                continue
            if isinstance(hook, _PostHook):
                raise RuntimeError("state_dict post-hook must return None")
            destination = found
        return destination

    def _save_to_state_dict(self, destination: Any, prefix: str, keep_vars: bool) -> None:
        """Add what this module alone has to a state dict."""
        for name, tensor in self._persistent():
            destination[prefix + name] = tensor if keep_vars else tensor.alias()
        if type(self).get_extra_state is not Stateful.get_extra_state:
            destination[prefix + EXTRA_STATE] = self.get_extra_state()

    def _persistent(self) -> list[tuple[str, Tensor]]:
        """Parameters and persistent buffers of this module alone."""
        buffers = [(n, b) for n, b in self._buffers.items() if n not in self._non_persistent_buffers_set]
        return [(name, tensor) for name, tensor in [*self._parameters.items(), *buffers] if tensor is not None]

    # -- taking ------------------------------------------------------------------------------------------------------

    def load_state_dict(
        self, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False
    ) -> IncompatibleKeys:
        """Copy the values of a state dict into the parameters and buffers.

        Nothing is written if the state dict does not fit.

        Args:
            state_dict: Tensors by path: those of `state_dict`, NumPy arrays (such as ``safetensors.numpy.load_file``
                gives), or anything with ``__dlpack__``.
            strict: Whether the keys must be exactly those of this module.
            assign: Whether the tensors themselves take the place of those of the module, with their dtypes.

        Returns:
            The keys that one has and the other lacks.

        Raises:
            TypeError: It is no mapping.
            RuntimeError: Keys are missing or unexpected, or shapes differ: all of them are listed.

        Example:
            >>> import numpy as np
            >>> from tscript import nn
            >>> layer = nn.Linear(2, 1)
            >>> layer.load_state_dict({"weight": np.ones((1, 2), np.float32), "bias": np.zeros(1, np.float32)})
            <All keys matched successfully>
        """
        check_is_mapping(state_dict)
        given: OrderedDict[str, Any] = OrderedDict(state_dict)
        metadata = getattr(state_dict, "_metadata", None)
        if metadata is not None:
            given._metadata = metadata  # type: ignore[attr-defined]
        found = IncompatibleKeys([], [])
        messages = Messages()
        visited: list[Stateful] = []
        self._load_below(given, metadata or {}, "", assign, found, messages, visited)
        has_hooks = any(module._load_state_dict_post_hooks for module in visited)
        if not messages and (has_hooks or not strict or not any(found)):
            for step in messages.steps:
                step()
            for module in visited if assign else ():
                module._settle()
        for module in visited if has_hooks and not messages else ():
            for hook in module._load_state_dict_post_hooks.values():
                if hook(module, found) is not None:
                    raise RuntimeError("load_state_dict post-hook must return None: it changes the lists it is given")
        if strict and found.unexpected_keys:
            messages.insert(0, f"Unexpected key(s) in state_dict: {quoted(found.unexpected_keys)}. ")
        if strict and found.missing_keys:
            messages.insert(0, f"Missing key(s) in state_dict: {quoted(found.missing_keys)}. ")
        if messages:
            lines = "\n\t".join(messages)
            raise RuntimeError(f"Error(s) in loading state_dict for {type(self).__name__}:\n\t{lines}")
        return found

    def _load_below(
        self,
        state_dict: dict[str, Any],
        metadata: Mapping[str, Any],
        prefix: str,
        assign: bool,
        found: IncompatibleKeys,
        messages: Messages,
        visited: list[Stateful],
    ) -> None:
        """Take the part of a state dict that is for this module and those below it."""
        local = dict(metadata.get(prefix[:-1], {}))
        local["assign_to_params_buffers"] = assign
        self._load_from_state_dict(state_dict, prefix, local, True, found.missing_keys, found.unexpected_keys, messages)
        for name, module in self._modules.items():
            if module is not None:
                part = within(state_dict, f"{prefix}{name}.")
                module._load_below(part, metadata, f"{prefix}{name}.", assign, found, messages, visited)
        visited.append(self)

    def _load_from_state_dict(
        self,
        state_dict: dict[str, Any],
        prefix: str,
        local_metadata: Mapping[str, Any],
        strict: bool,
        missing_keys: list[str],
        unexpected_keys: list[str],
        error_msgs: list[str],
    ) -> None:
        """Take what a state dict has for this module alone. Classes whose older state dicts differ have their own,
        which changes the dict and calls this one.

        Args:
            state_dict: The state dict.
            prefix: What the keys of this module begin with.
            local_metadata: What is known of the module; ``version`` is that of the state dict, if it has one.
            strict: Whether keys are noted that one has and the other lacks.
            missing_keys, unexpected_keys: Where they are noted.
            error_msgs: Where problems are noted. Nothing is written before the whole state dict is known to fit.
        """
        for hook in self._load_state_dict_pre_hooks.values():
            hook(state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)
        assign = bool(local_metadata.get("assign_to_params_buffers", False))
        own = dict(self._persistent())
        for name, tensor in own.items():
            key = prefix + name
            if key in state_dict:
                self._take(name, key, tensor, state_dict[key], assign, error_msgs)
            elif strict:
                missing_keys.append(key)
        extra = prefix + EXTRA_STATE
        takes_extra = type(self).set_extra_state is not Stateful.set_extra_state
        if takes_extra and extra in state_dict:
            later(error_msgs, partial(self.set_extra_state, state_dict[extra]))
        elif strict and takes_extra:
            missing_keys.append(extra)
        elif strict and extra in state_dict:
            unexpected_keys.append(extra)
        for key in state_dict if strict else ():
            if not key.startswith(prefix) or key == extra:
                continue
            name, dot, _ = key[len(prefix) :].partition(".")
            if name not in self._modules if dot else name not in own:
                unexpected_keys.append(key)

    def _take(self, name: str, key: str, tensor: Tensor, value: Any, assign: bool, error_msgs: list[str]) -> None:
        """Copy a value into a parameter or buffer, or put it in its place, if it fits."""
        try:
            given = as_tensor(value)
        except (TypeError, ValueError, BufferError) as error:
            error_msgs.append(f'While reading "{key}", an exception occurred: {error}.')
            return
        if given is None:
            error_msgs.append(
                f'While copying the parameter named "{key}", expected a tensor or an array, '
                f"found {type(value).__name__}."
            )
            return
        if not tensor.shape and tuple(given.shape) == (1,) and not assign:
            given = given[0]  # as scalars of old state dicts are
        if given.shape != tensor.shape:
            error_msgs.append(
                f"size mismatch for {key}: copying a param with shape {tuple(given.shape)} from checkpoint, "
                f"the shape in current model is {tuple(tensor.shape)}."
            )
            return
        if not assign:
            later(error_msgs, partial(tensor.copy_, given))
            return
        if isinstance(tensor, Parameter):
            try:
                given = Parameter(given, tensor.requires_grad)
            except RuntimeError as error:
                error_msgs.append(f'While assigning "{key}", an exception occurred: {error}.')
                return
        later(error_msgs, partial(self._put, name, given))

    def _put(self, name: str, tensor: Tensor) -> None:
        """Put a tensor in the place of a parameter or buffer."""
        setattr(self, name, tensor)

    def _settle(self) -> None:
        """Take notice that tensors of this module were replaced."""

    # -- hooks -------------------------------------------------------------------------------------------------------

    def register_state_dict_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(module, prefix, keep_vars)`` before `state_dict` collects what this module has."""
        return add_hook(self._state_dict_pre_hooks, hook)

    def register_state_dict_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(module, state_dict, prefix, local_metadata)`` after that; it may change the state dict."""
        return add_hook(self._state_dict_hooks, _PostHook(hook))

    def _register_state_dict_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """The same; what the hook returns, if not None, takes the place of the state dict."""
        return add_hook(self._state_dict_hooks, hook)

    def register_load_state_dict_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(module, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)``
        before this module takes its part of a state dict; it may change it."""
        return self._register_load_state_dict_pre_hook(hook, with_module=True)

    def _register_load_state_dict_pre_hook(
        self, hook: Callable[..., Any], with_module: bool = False
    ) -> RemovableHandle:
        """The same; without `with_module` the hook is not given the module."""
        return add_hook(self._load_state_dict_pre_hooks, _PreHook(hook, self) if with_module else hook)

    def register_load_state_dict_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(module, incompatible_keys)`` when the values are written; it may change the lists of keys, which
        are checked afterwards."""
        return add_hook(self._load_state_dict_post_hooks, hook)


class _PostHook:
    """A hook that returns nothing."""

    def __init__(self, hook: Callable[..., Any]) -> None:
        self.hook = hook

    def __call__(self, *args: Any) -> Any:
        return self.hook(*args)


class _PreHook:
    """A hook that is given its module first. A copy of the module has hooks with the copy."""

    def __init__(self, hook: Callable[..., Any], module: Stateful) -> None:
        self.hook, self.module = hook, module

    def __call__(self, *args: Any) -> Any:
        return self.hook(self.module, *args)
