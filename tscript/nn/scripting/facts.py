"""`Facts`: what is known of the modules that one class stands for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from tscript.late import dataclass
from tscript.types import Type


@dataclass(frozen=True, slots=True)
class Layout:
    """Which attributes of a module are what.

    Attributes:
        parameters, buffers, modules: Their names, in order.
        transient: Names of the buffers that are not part of the state dict.
        stored: Names of attributes that compiled code assigns.
    """

    parameters: tuple[str, ...]
    buffers: tuple[str, ...]
    modules: tuple[str, ...]
    transient: frozenset[str]
    stored: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, eq=False)
class Facts:
    """What is known of scripted modules of one class.

    Attributes:
        source: The class of the modules that they were made of.
        base: The class ``Module`` that it derives from.
        classes: Those that they get their methods from, nearest first.
        layout: Which attributes are what.
        types: Of the attributes that may change.
        constants: The others.
        members: Names of what it holds, if it is a list or dict of modules or parameters.
        fits: Whether a value is of a type.
        method: Makes the scripted function of a method.
        settle: Gives a module the class for the types that its attributes have now.
        reduce: What `pickle` asks of a module.
        adopt: A value that is not of a type as one that is, or None, and why there is none.
        other: A module of any class, scripted, if an attribute of this name may become one; else None.
    """

    source: type
    base: type
    classes: tuple[type, ...]
    layout: Layout
    types: Mapping[str, Type]
    constants: Mapping[str, Any]
    members: tuple[str, ...]
    fits: Callable[[Any, Type], bool]
    method: Callable[[type, str, Any], Any]
    settle: Callable[[Any], None]
    reduce: Callable[[Any], tuple[Any, ...]]
    adopt: Callable[[Any, Type], tuple[Any, str]]
    other: Callable[[str, Any], Any] = lambda name, value: None


@dataclass(frozen=True, slots=True, eq=False)
class Origin:
    """What a loaded archive has besides its modules.

    Attributes:
        metadata: The strings kept with it.
        extra_files: The files kept with it, by name.
        classes: The dataclasses, enums, named tuples and other classes that its functions name, by the names that the
            archive has for them.
    """

    metadata: Mapping[str, str]
    extra_files: Mapping[str, Any]
    classes: Mapping[str, type]

    def __deepcopy__(self, memo: object) -> Origin:
        return self


NO_ORIGIN = Origin(MappingProxyType({}), MappingProxyType({}), MappingProxyType({}))
ORIGIN = "<archive>"
"""The place in the ``__dict__`` of a root: no attribute has such a name."""

HOLDERS = "<holders>"
"""The place in the ``__dict__`` of a module for those that it is an attribute of: their types follow its own."""

HIDDEN = frozenset({ORIGIN, HOLDERS})
"""What lies in the ``__dict__`` of a module and is no attribute."""

IMPORTED = "__tscript_imported__"
"""The attribute of classes of modules that no process can import: they are those of an archive of TorchScript."""
