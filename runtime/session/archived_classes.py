"""Methods, properties and constructors of classes that came in an archive: compiled code of it, made when it is used.

What an archive keeps of classes is written by `tscript.runtime.session.archiving_classes`.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from tscript.abi.placeholders import DEFAULTS
from tscript.archive import EntryPoint
from tscript.archive.classes import ABSENT, CONSTRUCTOR, KINDS, MODULE, SPECIAL
from tscript.types import ClassType


class ArchivedMethod:
    """A method of a class that came in an archive; compiled code that is made when it is first asked for.

    Args:
        name: Its name.
        entry: Returns the function of the archive.
        make: Makes the function that is called, of its name and of that.
    """

    def __init__(self, name: str, entry: Callable[[], EntryPoint], make: Callable[[str, EntryPoint], Any]) -> None:
        self.__name__ = name
        self.entry = entry
        self._make = make
        self._made: Any = None

    @property
    def function(self) -> Any:
        """The function; the same one each time."""
        if self._made is None:
            self._made = self._made or self._make(self.__name__, self.entry())
        return self._made

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        if instance is None:
            return self.function
        if self.__name__ in SPECIAL and (wanted := self._wanted()) is not None:
            return lambda other: self.function(instance, other) if isinstance(other, wanted) else NotImplemented
        return types.MethodType(self.function, instance)

    def _wanted(self) -> type | None:
        """The class of the other operand, where it has to be an instance: others are for Python to decide about."""
        params = self.entry().params
        other = params[1].type if len(params) == 2 else None
        python: type | None = other.info.python if isinstance(other, ClassType) else None
        return python if self.__name__ not in _TAKE_ARGUMENTS else None

    def __call__(self, instance: object) -> Any:
        """The value of the property of this name."""
        return self.function(instance)

    def set(self, instance: object, value: object) -> None:
        """Set the property of this name."""
        self.function(instance, value)


_TAKE_ARGUMENTS = ("__call__", "__getitem__", "__contains__", "__delitem__")
"""Special methods whose argument is no operand."""


class _Constructor:
    """`__init__` of a class that came in an archive: compiled code makes an instance, the new one gets its attributes.

    Args:
        method: The function that makes one.
    """

    def __init__(self, method: ArchivedMethod) -> None:
        self.method = method

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self if instance is None else lambda *args, **kwargs: self(instance, *args, **kwargs)

    def __call__(self, instance: Any, *args: Any, **kwargs: Any) -> None:
        """Give an instance the attributes of one that is made of these arguments."""
        makers = getattr(instance.__class__, DEFAULTS, None)
        if makers:
            behind = self.method.entry().params[len(args) :]
            kwargs |= {p.name: makers[p.name]() for p in behind if p.name in makers and p.name not in kwargs}
        made = self.method.function(*args, **kwargs)
        for name, value in vars(made).items():
            object.__setattr__(instance, name, value)
        if isinstance(made, BaseException):
            instance.args = made.args


class Factory:
    """Makes the default of an attribute, by compiled code of an archive.

    Args:
        method: The function that does it.
    """

    def __init__(self, method: ArchivedMethod) -> None:
        self.method = method

    def __call__(self) -> Any:
        """A new default."""
        return self.method.function()


def has_own_constructor(cls: Any) -> bool:
    """Whether the ``__init__`` of a class was written out, so that its parameters need not be the attributes."""
    init = getattr(cls, CONSTRUCTOR, None)
    archived = "__tscript_archived__" in vars(cls)
    return isinstance(init, _Constructor) or not (archived or hasattr(cls, "__dataclass_fields__"))


class _Absent:
    """A method that an archive has no code for.

    Args:
        name: Its name.
        owner: That of its class.
    """

    def __init__(self, name: str, owner: str) -> None:
        self.name, self._owner = name, owner

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        what = (
            f"the archive has no code of {self._owner}.{self.name}(): it does not compile by itself, its parameters "
            "are not annotated, or it calls what stays in Python; import the class before the archive is loaded"
        )
        if self.name not in SPECIAL:
            raise AttributeError(what)

        def refuse(*args: object) -> Any:
            raise TypeError(what)

        return refuse


def attach(
    specs: Sequence[Mapping[str, Any]],
    classes: Mapping[str, Any],
    entry: Callable[[str], EntryPoint],
    make: Callable[[str, EntryPoint], Any],
) -> None:
    """Give classes that came in an archive the methods that it has for them.

    Args:
        specs: What the archive says of classes.
        classes: The Python classes, by their names in it.
        entry: Returns a function of the archive.
        make: Makes a function that can be called, of its name and of that.
    """
    for spec in specs:
        cls = classes.get(spec["name"])
        if spec["kind"] == MODULE or cls is None or "__tscript_archived__" not in vars(cls):
            continue
        own = {(kind, name) for name, kind, _ in held(cls)}
        for kind, key in KINDS.items():
            for name, (function, _) in spec.get(key, {}).items():
                if (kind, name) not in own:
                    _ATTACH[kind](cls, name, ArchivedMethod(name, lambda n=function: entry(n), make))  # type: ignore[misc]
                    if name == "__eq__" and "__hash__" not in spec[key]:
                        cls.__hash__ = None
        for name in spec.get(ABSENT, ()):
            if isinstance(name, str) and (name in SPECIAL or not name.startswith("__")) and name not in vars(cls):
                type.__setattr__(cls, name, _Absent(name, cls.__name__))


class _OfClass:
    """A static method or class method of a class that came in an archive.

    Args:
        method: The function that calls it.
    """

    def __init__(self, method: ArchivedMethod) -> None:
        self.method = method

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        return self.method.function


def _put(made: Callable[[ArchivedMethod], Any]) -> Callable[[Any, str, ArchivedMethod], None]:
    return lambda cls, name, method: type.__setattr__(cls, name, made(method))


def _put_setter(cls: Any, name: str, method: ArchivedMethod) -> None:
    own = vars(cls).get(name)
    above = own if isinstance(own, property) else property()
    type.__setattr__(cls, name, property(above.fget, method.set))


def _put_factory(cls: Any, name: str, method: ArchivedMethod) -> None:
    getattr(cls, DEFAULTS)[name] = Factory(method)


_ATTACH: Mapping[str, Callable[[Any, str, ArchivedMethod], None]] = {
    "method": _put(lambda method: method),
    "property": _put(property),
    "static": _put(lambda method: _Constructor(method) if method.__name__ == CONSTRUCTOR else _OfClass(method)),
    "setter": _put_setter,
    "factory": _put_factory,
}
"""How a class gets a function of the archive, by its kind."""


def held(cls: type) -> Iterator[tuple[str, str, ArchivedMethod]]:
    """The names and kinds of the functions of an archive that a class has, with these."""
    for name, value in vars(cls).items():
        match value:
            case ArchivedMethod():
                yield name, "method", value
            case property(fget=getter, fset=setter):
                if isinstance(getter, ArchivedMethod):
                    yield name, "property", getter
                if isinstance(owner := getattr(setter, "__self__", None), ArchivedMethod):
                    yield name, "setter", owner
            case _Constructor(method=method) | _OfClass(method=method):
                yield name, "static", method
    for name, value in vars(cls).get(DEFAULTS, {}).items():
        if isinstance(value, Factory):
            yield name, "factory", value.method


def without_code(cls: type) -> Iterator[str]:
    """The names of the methods of a class that its archive has no code for."""
    return (name for name, value in vars(cls).items() if isinstance(value, _Absent))


__all__ = ["ArchivedMethod", "attach", "has_own_constructor", "held", "without_code"]
