"""`dataclass`: the standard one, whose methods are made when the first object is.

The standard decorator compiles up to seven methods for each class, which takes half a millisecond: more than all else
that an import does. Most processes make objects of a third of the classes that they import.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import dataclass
else:

    def dataclass(cls: type | None = None, /, **options: bool) -> object:
        """`dataclasses.dataclass`, with the same options."""
        return _late(cls, options) if cls is not None else lambda cls: _late(cls, options)


_FIELDS = "__dataclass_fields__"
_NOT_FIELDS = ("ClassVar", "InitVar", "KW_ONLY")


class _Fields:
    """Stands for the fields of a class until they are asked for: by `dataclasses.fields`, or for a derived class."""

    __slots__ = ("complete",)

    def __init__(self, complete: Callable[[], type]) -> None:
        self.complete = complete

    def __get__(self, instance: object, owner: type | None = None) -> object:
        return getattr(self.complete(), _FIELDS)


def _late(cls: type, options: dict[str, bool]) -> type:
    """`cls` as a data class without its methods. Two threads that complete it at once set equal ones."""
    written = {name: value for name, value in vars(cls).items() if name not in ("__dict__", "__weakref__")}
    if "__init__" in written or not options.get("init", True):
        return dataclasses.dataclass(**options)(cls)
    own = [name for name, type in written.get("__annotations__", {}).items() if not type.startswith(_NOT_FIELDS)]
    made = _with_slots(cls, written, own, options) if options.get("slots") else _with_defaults(cls, written, own)

    def complete() -> type:
        if isinstance(vars(made)[_FIELDS], _Fields):
            template = type(cls)(cls.__name__, cls.__bases__, {"__doc__": cls.__name__, **written})
            template.__qualname__ = cls.__qualname__
            plain = {name: value for name, value in options.items() if name not in ("slots", "weakref_slot")}
            dataclasses.dataclass(**plain)(template)
            for name, value in _added(template, written).items():
                setattr(made, name, value)
            setattr(made, _FIELDS, getattr(template, _FIELDS))  # the last: now it is complete
        return made

    def __init__(self: Any, *args: object, **kwargs: object) -> None:  # noqa: N807 - until there is the real one
        complete().__init__(self, *args, **kwargs)  # type: ignore[misc]

    made.__init__ = __init__  # type: ignore[misc]
    setattr(made, _FIELDS, _Fields(complete))
    return made


def _added(template: type, written: dict[str, Any]) -> dict[str, Any]:
    """What the standard decorator added to `template`, but for the fields."""
    kept = {"__dict__", "__weakref__", "__doc__", _FIELDS, *written} - {"__hash__"}
    return {name: value for name, value in vars(template).items() if name not in kept}


def _with_defaults(cls: type, written: dict[str, Any], own: list[str]) -> type:
    """`cls` whose attributes of that name are the defaults of its fields."""
    for name in own:
        if isinstance(default := written.get(name), dataclasses.Field):
            if default.default is dataclasses.MISSING:
                delattr(cls, name)
            else:
                setattr(cls, name, default.default)
    return cls


def _with_slots(cls: type, written: dict[str, Any], own: list[str], options: dict[str, bool]) -> type:
    """`cls` once more, with a slot for each field: only a new class can have them."""
    taken = {slot for base in cls.__mro__[1:] for slot in vars(base).get("__slots__", ())}
    slots = [name for name in own if name not in taken]
    if options.get("weakref_slot") and getattr(cls.__base__, "__weakrefoffset__", 0) == 0:
        slots.append("__weakref__")
    namespace = {name: value for name, value in written.items() if name not in own}
    if options.get("frozen"):
        namespace = {"__getstate__": _state, "__setstate__": _set_state, **namespace}
    made = type(cls)(cls.__name__, cls.__bases__, {**namespace, "__slots__": tuple(slots)})
    made.__qualname__ = cls.__qualname__
    return made


def _state(self: Any) -> list[Any]:
    """What `copy` and `pickle` keep of a frozen object with slots."""
    return [getattr(self, f.name) for f in dataclasses.fields(self)]


def _set_state(self: Any, state: list[Any]) -> None:
    for f, value in zip(dataclasses.fields(self), state, strict=True):
        object.__setattr__(self, f.name, value)


__all__ = ["dataclass"]
