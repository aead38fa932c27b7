"""`ScriptModule`: a module whose methods are native code."""

from __future__ import annotations

import copy
import io
import os
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, MutableMapping
from types import FunctionType
from typing import Any, BinaryIO, ClassVar, Self
from weakref import WeakSet

from tscript import Tensor, save
from tscript.nn.modules.conversions import Conversion
from tscript.nn.modules.module import Module
from tscript.nn.scripting.facts import HIDDEN, HOLDERS, NO_ORIGIN, ORIGIN, Facts, Origin
from tscript.types import TensorType


class Part(MutableMapping[str, Any]):
    """The parameters, buffers or submodules of a scripted module by name, as `Module` keeps them.

    Args:
        module: The module.
        names: Their names.
    """

    __slots__ = ("_module", "_names")

    def __init__(self, module: ScriptModule, names: tuple[str, ...]) -> None:
        self._module, self._names = module, names

    def __getitem__(self, name: str) -> Any:
        if name not in self._names:
            raise KeyError(name)
        return getattr(self._module, name)

    def __setitem__(self, name: str, value: Any) -> None:
        if name not in self._names or (value is None) != (name not in self._module.__dict__):
            raise KeyError(f"a scripted module has the tensors and submodules it was compiled with, not {name!r}")
        self._module.__dict__[name] = value
        self._module._hold(value)

    def __delitem__(self, name: str) -> None:
        raise KeyError(f"{name!r} belongs to a scripted module, whose attributes are fixed")

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


class _Late:
    """An attribute that one of the module of the same name comes before.

    Args:
        get: Computes it.
    """

    def __init__(self, get: Callable[[Any], Any]) -> None:
        self._get = get
        self.__doc__ = get.__doc__

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self if instance is None else self._get(instance)


class ScriptModule(Module):
    """A module whose `forward` and other methods are native code; `tscript.script` makes it of a module.

    Parameters, buffers and submodules are attributes as before and share their memory with those of the module it was
    made of. Other attributes can be read, and set to values of their types. What the module had none of when it was
    compiled cannot be added.

    A module of PyTorch or of `tscript.nn` becomes a `ScriptModule` with all those below it; modules of one class whose
    attributes have the same types share their code.

    Attributes:
        original_name: Name of the class that it was made of.
        graph: IR of `forward`, before types of arguments are known.
        code: The same as text of the language.

    Raises:
        AttributeError: An attribute is set that the module does not have.
        TypeError: An attribute is set to a value of another type.

    Example:
        >>> import tscript
        >>> from tscript import nn
        >>> class Scale(nn.Module):
        ...     def __init__(self, by: float):
        ...         super().__init__()
        ...         self.by = by
        ...     def forward(self, x: tscript.Tensor) -> tscript.Tensor:
        ...         return x * self.by
        >>> scale = tscript.script(Scale(2.0))
        >>> scale(tscript.ones(2))
        tensor([2., 2.])
        >>> scale.by = 3.0
        >>> scale(tscript.ones(2))
        tensor([3., 3.])
    """

    __tscript_named__: ClassVar[bool] = True
    """Compiled code may name its instances: calls pass them."""

    _facts: ClassVar[Facts]
    """What is known of all its instances; each class that stands for modules has its own."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Refused: `tscript.script` makes them.

        Raises:
            TypeError: Always.
        """
        raise TypeError(
            f"{type(self).__name__} cannot be made like this: derive the class from nn.Module instead of ScriptModule, "
            "and compile an instance, tscript.script(module)"
        )

    # -- attributes --------------------------------------------------------------------------------------------------

    def __setattr__(self, name: str, value: Any) -> None:
        facts = self._facts
        wanted = facts.types.get(name)
        if wanted is None:
            if name in facts.constants:
                raise AttributeError(
                    f"'{name}' of {self.original_name} is a constant of compiled code: set it before the module is "
                    "scripted"
                )
            raise AttributeError(
                f"a scripted {self.original_name} has no attribute {name!r}: assign it before the module is scripted"
            )
        if not facts.fits(value, wanted):
            adopted, why = facts.adopt(value, wanted)
            if adopted is None and (other := facts.other(name, value)) is not None:
                self.__dict__[name] = other
                self._hold(other)
                facts.settle(self)
                self._settle_holders()
                return
            if adopted is None:
                what = f"'{name}' of a scripted {self.original_name} must be {wanted}, not {_described(value)}"
                raise TypeError(f"{what}{why}")
            value = adopted
        self.__dict__[name] = value
        self._hold(value)

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"attributes of a scripted {self.original_name} cannot be deleted")

    def __getattr__(self, name: str) -> Any:
        source = self._facts.source
        for cls in self._facts.classes:
            found = vars(cls).get(name)
            if isinstance(found, FunctionType) and not name.startswith("__"):
                type(self)._scripted_method(name, found)
                return getattr(self, name)
            if isinstance(found, property) and found.fget is not None:
                return found.fget(self)
            if found is not None:
                return found.__get__(self, type(self)) if hasattr(found, "__get__") else found
        raise AttributeError(f"a scripted {source.__name__} has no attribute {name!r}")

    @classmethod
    def _scripted_method(cls, name: str, function: FunctionType) -> Any:
        """The scripted function of a method, which instances find from then on."""
        found = vars(cls).get(name)
        if found is None:
            found = cls._facts.method(cls, name, function)
            setattr(cls, name, found)
            if name == "forward":
                setattr(cls, "__call__", found)  # noqa: B010 - a method
        return found

    def __dir__(self) -> list[str]:
        own = {n for c in self._facts.classes for n in vars(c)}
        return sorted({*dir(type(self)), *self.__dict__, *own} - HIDDEN)

    @_Late
    def _parameters(self) -> Part:
        return Part(self, self._facts.layout.parameters)

    @_Late
    def _buffers(self) -> Part:
        return Part(self, self._facts.layout.buffers)

    @_Late
    def _modules(self) -> Part:
        return Part(self, self._facts.layout.modules)

    @_Late
    def _non_persistent_buffers_set(self) -> frozenset[str]:
        return self._facts.layout.transient

    # -- calls -------------------------------------------------------------------------------------------------------

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.forward(*args, **kwargs)

    @_Late
    def forward(self) -> Any:
        """What a call of the module computes, as a scripted function."""
        return self.__getattr__("forward")

    @_Late
    def original_name(self) -> str:
        """Name of the class that it was made of."""
        return self._facts.source.__name__

    @_Late
    def metadata(self) -> Mapping[str, str]:
        """The strings kept in the archive that it was loaded from."""
        found: Mapping[str, str] = self._archive_origin.metadata
        return found

    @_Late
    def extra_files(self) -> Mapping[str, Any]:
        """The files kept in the archive that it was loaded from; see `tscript.load`."""
        found: Mapping[str, Any] = self._archive_origin.extra_files
        return found

    @_Late
    def classes(self) -> Mapping[str, type]:
        """The dataclasses, enums and named tuples of the archive that it was loaded from, by the names that the archive
        has for them: ``net.classes["model.Config"](size=3)``."""
        found: Mapping[str, type] = self._archive_origin.classes
        return found

    @_Late
    def _archive_origin(self) -> Origin:
        """What it has besides modules from an archive; it is kept beside the attributes of the root."""
        found: Origin = self.__dict__.get(ORIGIN, NO_ORIGIN)
        return found

    @_Late
    def graph(self) -> Any:
        """IR of `forward`, before types of arguments are known."""
        return self.forward.graph

    @_Late
    def code(self) -> str:
        """The same as text of the language."""
        text: str = self.forward.code
        return text

    @_Late
    def inlined_graph(self) -> Any:
        """`graph`, with the methods and functions that it calls put where they are called."""
        return self.forward.inlined_graph

    @_Late
    def code_with_constants(self) -> tuple[str, Mapping[str, Any]]:
        """`code`, which has its constants in it, and none beside it."""
        return self.code, {}

    def get_debug_state(self) -> Any:
        """Refused: what is known of each kind of call is asked for by arguments.

        Raises:
            RuntimeError: Always.
        """
        raise RuntimeError(f"{self.original_name}.graph_for(x) is the optimised IR for calls with x")

    def define(self, src: str) -> None:
        """Refused: methods of a scripted module are those of its class.

        Raises:
            RuntimeError: Always.
        """
        raise RuntimeError(
            f"cannot add a method to a scripted {self.original_name}: write it in the class of the module, marked with "
            "@tscript.export, and script it again"
        )

    def graph_for(self, *args: Any, **kwargs: Any) -> Any:
        """IR of `forward` for arguments, after all optimisations."""
        return self.forward.graph_for(self, *args, **kwargs)

    # -- archives ----------------------------------------------------------------------------------------------------

    def save(
        self, f: str | os.PathLike[str] | BinaryIO, *, _extra_files: Mapping[str, bytes | str] | None = None
    ) -> None:
        """Write it to an archive.

        Args:
            f: The file; or a binary file object, which is written to from its position on.
            _extra_files: Files to keep with it, by name; see `tscript.save`.

        Raises:
            ArchiveError: An attribute is nothing that an archive can keep.
            OSError: The file cannot be written.
        """
        save(self, f, extra_files=_extra_files)

    def save_to_buffer(self, _extra_files: Mapping[str, bytes | str] | None = None) -> bytes:
        """Its archive as bytes.

        Args:
            _extra_files: Files to keep with it, by name; see `tscript.save`.

        Raises:
            ArchiveError: An attribute is nothing that an archive can keep.
        """
        file = io.BytesIO()
        save(self, file, extra_files=_extra_files)
        return file.getvalue()

    # -- changing all of it ------------------------------------------------------------------------------------------

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> Self:
        changed: list[ScriptModule] = []
        self._convert(fn if isinstance(fn, Conversion) else Conversion(fn), recurse, changed)
        for each in changed:
            each._settle_holders()
        return self

    def _convert(self, convert: Conversion, recurse: bool, changed: list[ScriptModule]) -> None:
        """Convert it and what is below it; modules above learn of those that changed their types when all are."""
        if recurse:
            for child in self.children():
                child._convert(convert, True, changed) if isinstance(child, ScriptModule) else child._apply(convert)
        before = type(self)
        super()._apply(convert, recurse=False)
        self._facts.settle(self)
        if type(self) is not before:
            changed.append(self)

    def _put(self, name: str, tensor: Tensor) -> None:
        """Put a tensor of any dtype in the place of a parameter or buffer; `_settle` then finds the code for it."""
        self.__dict__[name] = tensor

    def _settle(self) -> None:
        before = type(self)
        self._facts.settle(self)
        if type(self) is not before:
            self._settle_holders()

    def _settle_holders(self) -> None:
        """Give the modules above it the classes for the types that it and others below them have now."""
        for holder in (*self.__dict__.get(HOLDERS, ()),):
            before = type(holder)
            holder._facts.settle(holder)
            if type(holder) is not before:
                holder._settle_holders()

    def _hold(self, value: object) -> None:
        """Let an attribute know that it belongs to this module, if it is a module."""
        if isinstance(value, ScriptModule):
            value.__dict__.setdefault(HOLDERS, WeakSet()).add(self)

    def _receive(self, attributes: Mapping[str, Any]) -> None:
        """Get attributes, which are of the types that its class has for them."""
        self.__dict__.update(attributes)
        for name in self._facts.layout.modules:
            self._hold(attributes.get(name))

    def register_parameter(self, name: str, param: Any) -> None:
        """Refused: attributes of a scripted module are fixed.

        Raises:
            RuntimeError: Always.
        """
        raise RuntimeError(f"cannot add {name!r} to a scripted {self.original_name}: add it before it is scripted")

    def register_buffer(self, name: str, tensor: Any, persistent: bool = True) -> None:
        """Refused, as `register_parameter`."""
        self.register_parameter(name, tensor)

    def add_module(self, name: str, module: Any) -> None:
        """Refused, as `register_parameter`."""
        self.register_parameter(name, module)

    def register_forward_hook(self, hook: Any, **options: Any) -> Any:
        """Refused: native code calls no hooks.

        Raises:
            RuntimeError: Always.
        """
        raise RuntimeError("native code calls no hooks: put the call into a module of Python around this one")

    def register_forward_pre_hook(self, hook: Any, **options: Any) -> Any:
        """Refused, as `register_forward_hook`."""
        return self.register_forward_hook(hook)

    # -- copies ------------------------------------------------------------------------------------------------------

    def __copy__(self) -> Self:
        made = type(self).__new__(type(self))
        made._receive({name: value for name, value in self.__dict__.items() if name != HOLDERS})
        return made

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        made = type(self).__new__(type(self))
        memo[id(self)] = made
        made._receive({name: copy.deepcopy(value, memo) for name, value in self.__dict__.items() if name != HOLDERS})
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        return self._facts.reduce(self)

    # -- text --------------------------------------------------------------------------------------------------------

    def _get_name(self) -> str:
        return "RecursiveScriptModule"

    def extra_repr(self) -> str:
        """See `Module`."""
        return f"original_name={self.original_name}"


for _name in (
    *("_forward_hooks", "_forward_hooks_with_kwargs", "_forward_hooks_always_called", "_forward_pre_hooks"),
    *("_forward_pre_hooks_with_kwargs", "_state_dict_hooks", "_state_dict_pre_hooks"),
    *("_load_state_dict_pre_hooks", "_load_state_dict_post_hooks"),
):
    setattr(ScriptModule, _name, OrderedDict())


class ScriptList(ScriptModule):
    """A scripted list of modules or parameters."""

    def __len__(self) -> int:
        return len(self._facts.members)

    def __iter__(self) -> Iterator[Any]:
        return iter([getattr(self, name) for name in self._facts.members])

    def __getitem__(self, index: Any) -> Any:
        return [*self][index]

    def __setitem__(self, index: int, value: Any) -> None:
        setattr(self, self._facts.members[index], value)


class ScriptDict(ScriptModule):
    """A scripted dict of modules or parameters."""

    def __len__(self) -> int:
        return len(self._facts.members)

    def __iter__(self) -> Iterator[str]:
        return iter(self._facts.members)

    def __contains__(self, name: object) -> bool:
        return name in self._facts.members

    def __getitem__(self, name: str) -> Any:
        if name not in self._facts.members:
            raise KeyError(name)
        return getattr(self, name)

    def __setitem__(self, name: str, value: Any) -> None:
        if name not in self._facts.members:
            raise KeyError(name)
        setattr(self, name, value)

    def keys(self) -> list[str]:
        """The names."""
        return [*self._facts.members]

    def values(self) -> list[Any]:
        """The members."""
        return [getattr(self, name) for name in self._facts.members]

    def items(self) -> list[tuple[str, Any]]:
        """The names with the members."""
        return [(name, getattr(self, name)) for name in self._facts.members]


def _described(value: object) -> str:
    if isinstance(value, Tensor):
        return str(TensorType(value.dtype, value.dim()))
    return type(value).__name__
