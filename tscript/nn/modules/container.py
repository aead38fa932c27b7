"""`Sequential`, `ModuleList`, `ModuleDict`, `ParameterList`, `ParameterDict`."""

from __future__ import annotations

import operator
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any, Self, overload

from tscript import Tensor
from tscript.nn.modules.module import Module
from tscript.nn.parameter import Parameter


def _at(index: Any, length: int) -> int:
    """The place that an index means.

    Raises:
        IndexError: There is none.
    """
    place = operator.index(index)
    if not -length <= place < length:
        raise IndexError(f"index {place} is out of range")
    return place % length


class Sequential(Module):
    """Modules that are called one after the other, each with the result of the one before.

    Args:
        args: The modules, or one ordered dict of them.

    Example:
        >>> import tscript
        >>> from tscript import nn
        >>> net = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2))
        >>> net(tscript.ones(5, 3)).shape, len(net[:2])
        ((5, 2), 2)
    """

    def __init__(self, *args: Any) -> None:
        super().__init__()
        if len(args) == 1 and isinstance(args[0], OrderedDict):
            for name, module in args[0].items():
                self.add_module(name, module)
        else:
            for number, module in enumerate(args):
                self.add_module(str(number), module)

    def _key(self, index: Any) -> str:
        return [*self._modules][_at(index, len(self))]

    @overload
    def __getitem__(self, idx: slice) -> Self: ...
    @overload
    def __getitem__(self, idx: int) -> Any: ...
    def __getitem__(self, idx: Any) -> Any:
        if isinstance(idx, slice):
            return self.__class__(OrderedDict([*self._modules.items()][idx]))
        return self._modules[self._key(idx)]

    def __setitem__(self, idx: int, module: Module) -> None:
        setattr(self, self._key(idx), module)

    def __delitem__(self, idx: int | slice) -> None:
        names = [*self._modules][idx] if isinstance(idx, slice) else [self._key(idx)]
        for name in names:
            delattr(self, name)
        self._renumber([*self._modules.values()])

    def _renumber(self, modules: Iterable[Module | None]) -> None:
        self._modules = {str(number): module for number, module in enumerate(modules)}

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._modules.values())

    def __add__(self, other: Sequential) -> Sequential:
        if not isinstance(other, Sequential):
            raise ValueError(f"add operator supports only objects of Sequential class, but {type(other)} is given.")
        return Sequential(*self, *other)

    def __iadd__(self, other: Sequential) -> Self:
        if not isinstance(other, Sequential):
            raise ValueError(f"add operator supports only objects of Sequential class, but {type(other)} is given.")
        return self.extend(other)

    def __mul__(self, other: int) -> Sequential:
        return Sequential(*self._repeated(other))

    def __rmul__(self, other: int) -> Sequential:
        return self * other

    def __imul__(self, other: int) -> Self:
        more = self._repeated(other)[len(self) :]
        return self.extend(more)

    def _repeated(self, count: int) -> list[Any]:
        if not isinstance(count, int):
            raise TypeError(f"unsupported operand type(s) for *: {type(self)} and {type(count)}")
        if count <= 0:
            raise ValueError(f"Non-positive multiplication factor {count} for {type(self)}")
        return [*self] * count

    def __dir__(self) -> list[str]:
        return [key for key in super().__dir__() if not key.isdigit()]

    def forward(self, input):  # type: ignore[no-untyped-def]  # as the first module takes it
        """The result of the last module."""
        for module in self:
            input = module(input)
        return input

    def append(self, module: Module) -> Self:
        """Add a module at the end."""
        self.add_module(str(len(self)), module)
        return self

    def insert(self, index: int, module: Module) -> Self:
        """Add a module before a place.

        Raises:
            AssertionError: It is no module.
            IndexError: There is no such place.
        """
        if not isinstance(module, Module):
            raise AssertionError(f"module should be of type: {Module}")
        length = len(self)
        if not -length <= index <= length:
            raise IndexError(f"Index out of range: {index}")
        modules = [*self]
        modules.insert(index + length if index < 0 else index, module)
        self._renumber(modules)
        return self

    def extend(self, sequential: Iterable[Module]) -> Self:
        """Add modules at the end."""
        for module in [*sequential]:
            self.append(module)
        return self

    def pop(self, key: int | slice) -> Any:
        """Remove a module and return it."""
        found = self[key]
        del self[key]
        return found


class ModuleList(Module):
    """A list of modules.

    Args:
        modules: The modules.

    Example:
        >>> from tscript import nn
        >>> layers = nn.ModuleList([nn.Linear(2, 2) for _ in range(3)])
        >>> len(layers), [*layers.state_dict()][:2]
        (3, ['0.weight', '0.bias'])
    """

    def __init__(self, modules: Iterable[Module] | None = None) -> None:
        super().__init__()
        if modules is not None:
            self += modules

    @overload
    def __getitem__(self, idx: slice) -> Self: ...
    @overload
    def __getitem__(self, idx: int) -> Any: ...
    def __getitem__(self, idx: Any) -> Any:
        if isinstance(idx, slice):
            return self.__class__([*self][idx])
        return self._modules[str(_at(idx, len(self)))]

    def __setitem__(self, idx: int, module: Module) -> None:
        setattr(self, str(_at(idx, len(self))), module)

    def __delitem__(self, idx: int | slice) -> None:
        modules = [*self]
        del modules[idx if isinstance(idx, slice) else _at(idx, len(self))]
        self._modules = {str(number): module for number, module in enumerate(modules)}

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._modules.values())

    def __iadd__(self, modules: Iterable[Module]) -> Self:
        return self.extend(modules)

    def __add__(self, other: Iterable[Module]) -> ModuleList:
        return ModuleList(chain(self, other))

    def __repr__(self) -> str:
        if not len(self):
            return f"{self._get_name()}()"
        groups: list[tuple[int, int, str]] = []  # first and last number of modules with the same text
        for number, module in enumerate(self):
            text = repr(module)
            if groups and groups[-1][2] == text:
                groups[-1] = (groups[-1][0], number, text)
            else:
                groups.append((number, number, text))
        lines = []
        for first, last, text in groups:
            shown = f"({first}): {text}" if first == last else f"({first}-{last}): {last - first + 1} x {text}"
            lines.append("\n  ".join(shown.split("\n")))
        return f"{self._get_name()}(\n  " + "\n  ".join(lines) + "\n)"

    def __dir__(self) -> list[str]:
        return [key for key in super().__dir__() if not key.isdigit()]

    def insert(self, index: int, module: Module) -> None:
        """Add a module before a place."""
        modules = [*self]
        modules.insert(index, module)
        self._modules = {str(number): module for number, module in enumerate(modules)}

    def append(self, module: Module | None) -> Self:
        """Add a module at the end."""
        self.add_module(str(len(self)), module)
        return self

    def pop(self, key: int | slice) -> Any:
        """Remove a module and return it."""
        found = self[key]
        del self[key]
        return found

    def extend(self, modules: Iterable[Module]) -> Self:
        """Add modules at the end.

        Raises:
            TypeError: It is not iterable.
        """
        if not isinstance(modules, Iterable):
            raise TypeError(f"ModuleList.extend should be called with an iterable, but got {type(modules).__name__}")
        for module in [*modules]:
            self.append(module)
        return self


class ModuleDict(Module):
    """Modules by name.

    Args:
        modules: A mapping, or pairs.

    Example:
        >>> from tscript import nn
        >>> nn.ModuleDict({"relu": nn.ReLU(), "tanh": nn.Tanh()})["tanh"]
        Tanh()
    """

    def __init__(self, modules: Mapping[str, Module] | Iterable[tuple[str, Module]] | None = None) -> None:
        super().__init__()
        if modules is not None:
            self.update(modules)

    def __getitem__(self, key: str) -> Any:
        return self._modules[key]

    def __setitem__(self, key: str, module: Module) -> None:
        self.add_module(key, module)

    def __delitem__(self, key: str) -> None:
        del self._modules[key]

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __contains__(self, key: object) -> bool:
        return key in self._modules

    def clear(self) -> None:
        """Remove all."""
        self._modules.clear()

    def pop(self, key: str) -> Any:
        """Remove a module and return it."""
        found = self[key]
        del self[key]
        return found

    def keys(self) -> Iterable[str]:
        """The names."""
        return self._modules.keys()

    def items(self) -> Iterable[tuple[str, Any]]:
        """Names and modules."""
        return self._modules.items()

    def values(self) -> Iterable[Any]:
        """The modules."""
        return self._modules.values()

    def update(self, modules: Mapping[str, Module] | Iterable[tuple[str, Module]]) -> None:
        """Add modules, or put them in the place of others.

        Raises:
            TypeError: It is no mapping, and not iterable.
            ValueError: Something in it is no pair.
        """
        if not isinstance(modules, Iterable):
            raise TypeError(
                "ModuleDict.update should be called with an iterable of key/value pairs, but got "
                f"{type(modules).__name__}"
            )
        for name, module in _pairs(modules, "ModuleDict"):
            self[name] = module


def _pairs(given: Any, name: str) -> list[tuple[str, Any]]:
    """The pairs of a mapping, or of something iterable that has pairs."""
    if isinstance(given, Mapping | ModuleDict | ParameterDict):
        return [*given.items()]
    found: list[tuple[str, Any]] = []
    for number, pair in enumerate(given):
        if not isinstance(pair, Iterable):
            raise TypeError(f"{name} update sequence element #{number} should be Iterable; is {type(pair).__name__}")
        pair = [*pair]
        if len(pair) != 2:
            raise ValueError(f"{name} update sequence element #{number} has length {len(pair)}; 2 is required")
        found.append((pair[0], pair[1]))
    return found


class ParameterList(Module):
    """A list of parameters, and of other values; tensors become parameters.

    Args:
        values: The values.
    """

    def __init__(self, values: Iterable[Any] | None = None) -> None:
        super().__init__()
        self._size = 0
        if values is not None:
            self += values

    @overload
    def __getitem__(self, idx: slice) -> Self: ...
    @overload
    def __getitem__(self, idx: int) -> Any: ...
    def __getitem__(self, idx: Any) -> Any:
        if isinstance(idx, slice):
            return self.__class__([self[number] for number in range(*idx.indices(len(self)))])
        return getattr(self, str(_at(idx, len(self))))

    def __setitem__(self, idx: int, param: Any) -> None:
        setattr(self, str(_at(idx, len(self))), _as_parameter(param))

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[Any]:
        return iter([self[number] for number in range(len(self))])

    def __iadd__(self, parameters: Iterable[Any]) -> Self:
        return self.extend(parameters)

    def __dir__(self) -> list[str]:
        return [key for key in super().__dir__() if not key.isdigit()]

    def append(self, value: Any) -> Self:
        """Add a value at the end."""
        number = len(self)
        self._size += 1
        self[number] = value
        return self

    def extend(self, values: Iterable[Any]) -> Self:
        """Add values at the end.

        Raises:
            TypeError: It is not iterable.
        """
        if not isinstance(values, Iterable) or isinstance(values, Tensor):
            raise TypeError(f"ParameterList.extend should be called with an iterable, but got {type(values).__name__}")
        for value in [*values]:
            self.append(value)
        return self

    def extra_repr(self) -> str:
        return "\n".join(f"  ({number}): {_text(value)}" for number, value in enumerate(self))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise RuntimeError("ParameterList should not be called.")


class ParameterDict(Module):
    """Parameters by name, and other values; tensors become parameters.

    Args:
        parameters: A mapping, or pairs.
    """

    def __init__(self, parameters: Any = None) -> None:
        super().__init__()
        self._keys: dict[str, None] = {}
        if parameters is not None:
            self.update(parameters)

    def _key_to_attr(self, key: str) -> str:
        if not isinstance(key, str):
            raise TypeError(
                f"Index given to ParameterDict cannot be used as a key as it is not a string (type is "
                f"'{type(key).__name__}')."
            )
        return key

    def __getitem__(self, key: str) -> Any:
        name = self._key_to_attr(key)
        if name not in self._keys:
            raise KeyError(key)
        return getattr(self, name)

    def __setitem__(self, key: str, value: Any) -> None:
        name = self._key_to_attr(key)
        self._keys[name] = None
        setattr(self, name, _as_parameter(value))

    def __delitem__(self, key: str) -> None:
        del self._keys[key]
        delattr(self, self._key_to_attr(key))

    def __or__(self, other: ParameterDict) -> ParameterDict:
        made = self.copy()
        made.update(other)
        return made

    def __ror__(self, other: ParameterDict) -> ParameterDict:
        made = other.copy()
        made.update(self)
        return made

    def __ior__(self, other: ParameterDict) -> Self:
        self.update(other)
        return self

    def copy(self) -> ParameterDict:
        """Another dict of the same values."""
        return ParameterDict([(key, self[key]) for key in self._keys])

    def __len__(self) -> int:
        return len(self._keys)

    def __reversed__(self) -> Iterator[str]:
        return reversed([*self._keys])

    def __contains__(self, key: object) -> bool:
        return key in self._keys

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys)

    def setdefault(self, key: str, default: Any = None) -> Any:
        """The value of a name, which is `default` from now on if there is none."""
        if key not in self:
            self[key] = default
        return self[key]

    def clear(self) -> None:
        """Remove all."""
        for key in [*self._keys]:
            del self[key]

    def pop(self, key: str) -> Any:
        """Remove a value and return it."""
        found = self[key]
        del self[key]
        return found

    def popitem(self) -> tuple[str, Any]:
        """Remove the last name and value and return them."""
        key, _ = self._keys.popitem()
        self._keys[key] = None  # so that it is removed as others are
        return key, self.pop(key)

    def get(self, key: str, default: Any = None) -> Any:
        """The value of a name; `default` if there is none."""
        return self[key] if key in self._keys else default

    def fromkeys(self, keys: Iterable[str], default: Any = None) -> ParameterDict:
        """A new dict with one value for all names."""
        return ParameterDict([(key, default) for key in keys])

    def keys(self) -> Iterable[str]:
        """The names."""
        return self._keys.keys()

    def items(self) -> Iterable[tuple[str, Any]]:
        """Names and values."""
        return [(key, self[key]) for key in self._keys]

    def values(self) -> Iterable[Any]:
        """The values."""
        return [self[key] for key in self._keys]

    def update(self, parameters: Any) -> None:
        """Add values, or put them in the place of others.

        Raises:
            TypeError: It is no mapping, and not iterable.
            ValueError: Something in it is no pair.
        """
        if not isinstance(parameters, Iterable):
            raise TypeError(
                "ParameterDict.update should be called with an iterable of key/value pairs, but got "
                f"{type(parameters).__name__}"
            )
        for key, value in _pairs(parameters, "ParameterDict"):
            self[key] = value

    def extra_repr(self) -> str:
        return "\n".join(f"  ({key}): {_text(value)}" for key, value in self.items())

    def __call__(self, input: Any) -> Any:
        raise RuntimeError("ParameterDict should not be called.")


def _as_parameter(value: Any) -> Any:
    return Parameter(value) if isinstance(value, Tensor) and not isinstance(value, Parameter) else value


def _text(value: Any) -> str:
    """What a list or dict of parameters shows of a value."""
    if isinstance(value, Tensor):
        sizes = "x".join(str(size) for size in value.shape)
        kind = "Parameter" if isinstance(value, Parameter) else "Tensor"
        return f"{kind} containing: [{value.dtype} of size {sizes}]"
    return f"Object of type: {type(value).__name__}"
