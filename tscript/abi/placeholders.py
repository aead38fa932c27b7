"""Python classes that stand for those that are not there: of a text that is not run, or of an archive."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

from tscript.abi.layout import CLASS_EQ, CLASS_FROZEN, CLASS_ORDER, CLASS_OWN_KEYS, CLASS_REPR
from tscript.types import ClassInfo

_ORDER = (("__lt__", operator.lt), ("__le__", operator.le), ("__gt__", operator.gt), ("__ge__", operator.ge))

DEFAULTS = "__tscript_defaults__"
"""The attribute of a class that holds what makes the values of fields that it is called without."""


def dress(cls: Any, info: ClassInfo, defaults: Mapping[str, Callable[[], object]] | None = None) -> None:
    """Give a class what a dataclass with these fields and flags has. It is called with the fields, by position or by
    name.

    Args:
        cls: The class.
        info: Its fields and flags.
        defaults: What makes the values of fields that it is called without.
    """
    names = tuple(info.fields)
    makers = dict(defaults or {})

    def init(self: object, *args: object, **kwargs: object) -> None:
        given = dict(zip(names, args, strict=False)) | kwargs
        given |= {n: make() for n, make in makers.items() if n not in given}
        missing, unknown = [n for n in names if n not in given], [n for n in given if n not in names]
        if len(args) > len(names) or missing or unknown:
            shown = ", ".join(f"{n}={makers[n]()!r}" if n in makers else n for n in names)
            raise TypeError(f"{cls.__name__}() takes the arguments {shown or '(none)'}")
        for name in names:
            object.__setattr__(self, name, given[name])

    def key(self: object) -> tuple[object, ...]:
        return tuple(getattr(self, n) for n in names)

    def equal(self: object, other: object) -> Any:
        return key(self) == key(other) if type(other) is type(self) else NotImplemented

    def ordered(compare: Callable[[Any, Any], bool]) -> Callable[[object, object], Any]:
        def method(self: object, other: object) -> Any:
            return compare(key(self), key(other)) if type(other) is type(self) else NotImplemented

        return method

    def refuse(self: object, name: str, *value: object) -> None:
        from dataclasses import FrozenInstanceError

        raise FrozenInstanceError(f"cannot {'assign to' if value else 'delete'} field {name!r}")

    def text(self: object) -> str:
        return f"{cls.__qualname__}({', '.join(f'{n}={getattr(self, n)!r}' for n in names)})"

    cls.__init__ = init
    setattr(cls, DEFAULTS, makers)
    setattr(cls, "__match_args__", names)  # noqa: B010 - of any class
    if info.flags & (CLASS_EQ | CLASS_FROZEN | CLASS_ORDER | CLASS_REPR):
        cls.__dataclass_fields__ = _Fields(info)
    if info.flags & CLASS_REPR:
        cls.__repr__ = text
    if info.flags & CLASS_EQ:
        cls.__eq__ = equal
        cls.__hash__ = (lambda self: hash(key(self))) if info.flags & (CLASS_FROZEN | CLASS_OWN_KEYS) else None
    if info.flags & CLASS_ORDER:
        for name, compare in _ORDER:
            setattr(cls, name, ordered(compare))
    if info.flags & CLASS_FROZEN:
        cls.__setattr__ = refuse
        cls.__delattr__ = refuse


class _Fields:
    """What the module `dataclasses` asks of a class, made when it does.

    Args:
        info: The fields of the class.
    """

    def __init__(self, info: ClassInfo) -> None:
        self._info = info

    def __get__(self, instance: object, owner: type) -> Any:
        import dataclasses

        made: Any = dataclasses.make_dataclass(
            "Fields", [(name, str(type)) for name, type in self._info.fields.items()]
        )
        return made.__dataclass_fields__
