"""`dataclass`: the standard one, whose methods are made when they are worth it.

The standard decorator compiles up to seven methods for each class, which takes half a millisecond: more than all else
that an import does. Most processes make objects of a third of the classes that they import, and few of most of those.
So the first objects are made, compared and hashed by functions for all classes. What of that is done often with one
class is compiled for it, each function by itself. All methods are made, by the standard decorator, when an object is
shown or the fields are asked for.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import dataclass, field, replace
else:

    def dataclass(cls: type | None = None, /, **options: bool) -> object:
        """`dataclasses.dataclass`, with the same options."""
        return _late(cls, options) if cls is not None else lambda cls: _late(cls, options)

    def field(**options: object) -> object:
        """`dataclasses.field`, with the same options."""
        return _Written(options)

    def replace(thing: object, /, **changes: object) -> object:
        """`dataclasses.replace`."""
        known = vars(type(thing)).get(_FIELDS)
        if isinstance(known, _Fields):
            given = [name for name, f in known.plain.items() if f.is_given]
            if changes.keys() <= set(given):
                return type(thing)(**{n: changes[n] if n in changes else getattr(thing, n) for n in given})
        import dataclasses

        return dataclasses.replace(thing, **changes)


FEW = 24
"""Objects that are made, comparisons and hashes, without a function of their class."""

_FIELDS = "__dataclass_fields__"
_NOT_FIELDS = ("ClassVar", "InitVar", "KW_ONLY")
_SUPPORTED = frozenset({"frozen", "slots", "eq", "repr", "weakref_slot"})

_put = object.__setattr__

_COMPARES_TUPLES = sys.version_info < (3, 13)
"""Whether two objects are equal when the tuples of their values are, so that one NaN is equal to itself."""


_ABSENT: Any = object()
"""In place of a default."""


class _Plain:
    """A field, as far as objects are made of it."""

    __slots__ = ("default", "factory", "is_compared", "is_given", "is_hashed", "is_keyword")

    def __init__(
        self,
        default: Any = _ABSENT,
        factory: Any = _ABSENT,
        is_given: bool = True,
        is_keyword: bool = False,
        is_compared: bool = True,
        is_hashed: bool | None = None,
    ) -> None:
        self.default, self.factory, self.is_given, self.is_keyword = default, factory, is_given, is_keyword
        self.is_compared, self.is_hashed = is_compared, is_compared if is_hashed is None else is_hashed


class _Written:
    """What `field` gives. It is a field of the standard decorator's when that one is used."""

    __slots__ = ("options",)

    def __init__(self, options: dict[str, Any]) -> None:
        self.options = options

    def plain(self) -> _Plain:
        """The same, as far as objects are made of it."""
        options = self.options
        return _Plain(
            options.get("default", _ABSENT), options.get("default_factory", _ABSENT), options.get("init", True),
            options.get("kw_only", False) is True, options.get("compare", True), options.get("hash"),
        )  # fmt: skip


def _standard(cls: type, options: Mapping[str, bool]) -> type:
    """What the standard decorator makes of a class."""
    import dataclasses

    for name, value in list(vars(cls).items()):
        if isinstance(value, _Written):
            setattr(cls, name, dataclasses.field(**value.options))
    return dataclasses.dataclass(**options)(cls)


class _Fields:
    """Stands for the fields of a class until they are asked for: by `dataclasses.fields`, or for a derived class.

    Attributes:
        complete: Gives the class its methods.
        plain: Its fields and those of its bases.
    """

    __slots__ = ("complete", "plain")

    def __init__(self, complete: Callable[[], type], plain: Mapping[str, _Plain]) -> None:
        self.complete, self.plain = complete, plain

    def __get__(self, instance: object, owner: type | None = None) -> object:
        return getattr(self.complete(), _FIELDS)


def _late(cls: type, options: dict[str, bool]) -> type:
    """`cls` as a data class without its methods. Two threads that complete it at once set equal ones."""
    written = {name: value for name, value in vars(cls).items() if name not in ("__dict__", "__weakref__")}
    own = [name for name, type in written.get("__annotations__", {}).items() if not type.startswith(_NOT_FIELDS)]
    plain = _plain_fields(cls, written, own)
    if "__init__" in written or plain is None or not options.keys() <= _SUPPORTED:
        return _standard(cls, options)
    made = _with_slots(cls, written, own, options) if options.get("slots") else _with_defaults(cls, written, own)

    def complete() -> type:
        if isinstance(vars(made)[_FIELDS], _Fields):
            template = type(cls)(cls.__name__, cls.__bases__, {"__doc__": cls.__name__, **written})
            template.__qualname__ = cls.__qualname__
            known = {name: value for name, value in options.items() if name not in ("slots", "weakref_slot")}
            _standard(template, known)
            for name, value in _added(template, written).items():
                setattr(made, name, value)
            setattr(made, _FIELDS, getattr(template, _FIELDS))  # the last: now it is complete
        return made

    if "__match_args__" not in written:
        made.__match_args__ = tuple(name for name, f in plain.items() if f.is_given and not f.is_keyword)  # type: ignore[misc, attr-defined]
    made.__init__ = _first_objects(made, complete, plain, options)  # type: ignore[misc]
    for name, method in _methods(made, complete, plain, options, written).items():
        setattr(made, name, method)
    setattr(made, _FIELDS, _Fields(complete, plain))
    return made


def _plain_fields(cls: type, written: Mapping[str, Any], own: list[str]) -> dict[str, _Plain] | None:
    """The fields of a class and of its bases; None if one is of a kind that only the standard decorator knows."""
    found: dict[str, _Plain] = {}
    for base in reversed(cls.__mro__[1:]):
        known = vars(base).get(_FIELDS)
        if isinstance(known, _Fields):
            found.update(known.plain)
        elif known is not None:
            if any(f._field_type is not sys.modules["dataclasses"]._FIELD for f in known.values()):
                return None
            found.update({name: plain for name, f in known.items() if (plain := _plain(f)) is not None})
    for name in own:
        default = written.get(name, _ABSENT)
        found[name] = _plain(default) or _Plain(default)
    return found


def _plain(value: Any) -> _Plain | None:
    """A field, as far as objects are made of it; None: the value is no field."""
    if isinstance(value, _Written):
        return value.plain()
    standard = sys.modules.get("dataclasses")
    if standard is None or not isinstance(value, standard.Field):
        return None
    default, factory = (_ABSENT if v is standard.MISSING else v for v in (value.default, value.default_factory))
    return _Plain(default, factory, value.init, value.kw_only is True, value.compare, value.hash)


def _first_objects(
    made: Any, complete: Callable[[], type], plain: Mapping[str, _Plain], options: Mapping[str, bool]
) -> Callable[..., None]:
    """``__init__`` until there is the real one."""
    given = [name for name, f in plain.items() if f.is_given and not f.is_keyword]
    known = {name for name, f in plain.items() if f.is_given}
    left = FEW

    def __init__(self: Any, *args: object, **kwargs: object) -> None:  # noqa: N807 - it is one
        nonlocal left
        left -= 1
        if left < 0:
            _compiled_init(made, plain, options.get("frozen", False))(self, *args, **kwargs)
            return
        values = dict(zip(given, args, strict=False))
        if len(args) > len(given) or not kwargs.keys() <= known - values.keys():
            complete().__init__(self, *args, **kwargs)  # type: ignore[misc]
            return
        values |= kwargs
        for name, f in plain.items():  # in this order, in which `vars` has them
            if name in values:
                _put(self, name, values[name])
            elif f.default is not _ABSENT:
                _put(self, name, f.default)
            elif f.factory is not _ABSENT:
                _put(self, name, f.factory())
            elif f.is_given:  # it is missing, which the real one says
                complete().__init__(self, *args, **kwargs)  # type: ignore[misc]
                return
        if (after := getattr(self, "__post_init__", None)) is not None:
            after()

    return __init__


def _compiled_init(made: Any, plain: Mapping[str, _Plain], is_frozen: bool) -> Any:
    """Give a class its ``__init__``."""
    names: dict[str, object] = {"__put": _put, "__absent": _ABSENT}
    positional = ["self"]
    keywords: list[str] = []
    lines: list[str] = []
    for i, (name, f) in enumerate(plain.items()):
        value = name
        if f.default is not _ABSENT:
            names[f"__{i}"] = f.default
            default = f"=__{i}"
        elif f.factory is not _ABSENT:
            names[f"__{i}"] = f.factory
            default = "=__absent"
            value = f"__{i}() if {name} is __absent else {name}"
        else:
            default = ""
        if f.is_given:
            (keywords if f.is_keyword else positional).append(name + default)
        elif default:
            value = f"__{i}()" if f.default is _ABSENT else f"__{i}"
        else:
            continue
        lines.append(f"__put(self, {name!r}, {value})" if is_frozen else f"self.{name} = {value}")
    if hasattr(made, "__post_init__"):
        lines.append("self.__post_init__()")
    parameters = ", ".join([*positional, "*", *keywords] if keywords else positional)
    return _compiled(made, "__init__", parameters, lines or ["pass"], names)


def _compiled_eq(made: Any, names: list[str]) -> Any:
    """Give a class its ``__eq__``."""
    ours, theirs = ("(" + "".join(f"{owner}.{name}, " for name in names) + ")" for owner in ("self", "other"))
    same = f"{ours} == {theirs}"
    if not _COMPARES_TUPLES:
        same = " and ".join(f"self.{name} == other.{name}" for name in names) or "True"
        same = f"self is other or ({same})"
    lines = [f"return ({same}) if other.__class__ is self.__class__ else NotImplemented"]
    return _compiled(made, "__eq__", "self, other", lines)


def _compiled_hash(made: Any, names: list[str]) -> Any:
    """Give a class its ``__hash__``."""
    inside = "".join(f"self.{name}, " for name in names)
    return _compiled(made, "__hash__", "self", [f"return hash(({inside}))"])


def _compiled(
    made: Any, name: str, parameters: str, lines: list[str], names: dict[str, object] | None = None
) -> Callable[..., Any]:
    """A function from its text, which becomes a method of a class."""
    found: dict[str, object] = {} if names is None else names
    exec(f"def {name}({parameters}):\n " + "\n ".join(lines), found)  # noqa: S102 - the text is our own
    method: Any = found[name]
    method.__qualname__, method.__module__ = f"{made.__qualname__}.{name}", made.__module__
    setattr(made, name, method)
    return method  # type: ignore[no-any-return]


def _methods(
    made: Any,
    complete: Callable[[], type],
    plain: Mapping[str, _Plain],
    options: Mapping[str, bool],
    written: Mapping[str, Any],
) -> dict[str, Any]:
    """The methods that a data class has, but for ``__init__``; those that have to be compiled complete the class."""

    def __repr__(self: object) -> str:  # noqa: N807 - like those below, it is one
        found: str = _call(complete(), "__repr__", self)
        return found

    left = FEW
    compared = [name for name, f in plain.items() if f.is_compared]
    hashed = [name for name, f in plain.items() if f.is_hashed]

    def __eq__(self: object, other: object) -> bool:  # noqa: N807
        nonlocal left
        left -= 1
        if left < 0:
            found: bool = _compiled_eq(made, compared)(self, other)
            return found
        if other.__class__ is not self.__class__:
            return NotImplemented
        if _COMPARES_TUPLES:
            return tuple([getattr(self, n) for n in compared]) == tuple([getattr(other, n) for n in compared])
        return self is other or all(getattr(self, n) == getattr(other, n) for n in compared)

    def __hash__(self: object) -> int:  # noqa: N807
        nonlocal left
        left -= 1
        if left < 0:
            found: int = _compiled_hash(made, hashed)(self)
            return found
        return hash(tuple([getattr(self, n) for n in hashed]))

    found: dict[str, Any] = {}
    is_frozen = options.get("frozen", False)
    if options.get("repr", True) and "__repr__" not in written:
        found["__repr__"] = __repr__
    if options.get("eq", True):
        if "__eq__" not in written:
            found["__eq__"] = __eq__
        if "__hash__" not in written or (written["__hash__"] is None and "__eq__" in written):
            found["__hash__"] = __hash__ if is_frozen else None
    if is_frozen:

        def __setattr__(self: Any, name: str, value: object) -> None:  # noqa: N807
            if type(self) is made or name in plain:
                raise frozen(f"cannot assign to field {name!r}")
            super(made, self).__setattr__(name, value)

        def __delattr__(self: Any, name: str) -> None:  # noqa: N807
            if type(self) is made or name in plain:
                raise frozen(f"cannot delete field {name!r}")
            super(made, self).__delattr__(name)

        found["__setattr__"], found["__delattr__"] = __setattr__, __delattr__
    return found


def frozen(message: str) -> AttributeError:
    """The standard error for an attribute of a frozen object."""
    from dataclasses import FrozenInstanceError

    return FrozenInstanceError(message)


def _call(cls: type, name: str, *arguments: object) -> Any:
    """Call the method of a class that is complete now."""
    return getattr(cls, name)(*arguments)


def _added(template: type, written: Mapping[str, Any]) -> dict[str, Any]:
    """What the standard decorator added to `template`, but for the fields and what a class has from the beginning."""
    kept = {"__dict__", "__weakref__", "__doc__", "__setattr__", "__delattr__", _FIELDS, *written} - {"__hash__"}
    return {name: value for name, value in vars(template).items() if name not in kept}


def _with_defaults(cls: type, written: Mapping[str, Any], own: list[str]) -> type:
    """`cls` whose attributes of that name are the defaults of its fields."""
    for name in own:
        if (plain := _plain(written.get(name))) is not None:
            if plain.default is _ABSENT:
                delattr(cls, name)
            else:
                setattr(cls, name, plain.default)
    return cls


def _with_slots(cls: type, written: Mapping[str, Any], own: list[str], options: Mapping[str, bool]) -> type:
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
    from dataclasses import fields

    return [getattr(self, f.name) for f in fields(self)]


def _set_state(self: Any, state: list[Any]) -> None:
    from dataclasses import fields

    for f, value in zip(fields(self), state, strict=True):
        _put(self, f.name, value)


__all__ = ["dataclass", "field", "frozen", "replace"]
