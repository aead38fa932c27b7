"""What compiled code knows of classes that came in an archive: constructors and methods, by code of the archive."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, replace
from functools import partial
from typing import Any

from tscript.abi.layout import CLASS_EQ, CLASS_FROZEN, CLASS_ORDER, CLASS_REPR
from tscript.abi.placeholders import DEFAULTS
from tscript.archive.classes import CONSTRUCTOR
from tscript.definitions.absent import REQUIRED
from tscript.frontend import PythonFunction
from tscript.frontend.source.class_places import place_of
from tscript.frontend.source.classes import FieldSpec, Method, class_definition
from tscript.ir.graph import Param
from tscript.runtime.session.archived_classes import ArchivedMethod, held
from tscript.types import ClassType, TupleType, Type


def describe(type: Type, python: Any) -> None:
    """Let compiled code make instances of a class that came in an archive, and call its methods.

    Args:
        type: Its type.
        python: The class, with what the archive has for it.
    """
    definition = class_definition(type)
    if definition is None or issubclass(python, BaseException):
        return
    definition.place = definition.place or place_of(python)
    if isinstance(type, TupleType):
        defaults: Mapping[str, Any] = {n: partial(_same, v) for n, v in python._field_defaults.items()}
        definition.fields = [_field(name, defaults.get(name)) for name in python._fields]
        return
    if not isinstance(type, ClassType):
        return
    makers = getattr(python, DEFAULTS, {})
    functions = {(kind, name): method for name, kind, method in held(python)}
    constructor = functions.pop(("static", CONSTRUCTOR), None)
    for (kind, name), method in functions.items():
        if kind in ("method", "property", "static"):
            setter = functions.get(("setter", name)) if kind == "property" else None
            definition.methods[name] = _method(name, kind, method, setter)
    if constructor is not None:
        definition.maker = Method(CONSTRUCTOR, "static", partial(_making, constructor, makers))
        return
    definition.fields = [_field(name, makers.get(name)) for name in type.info.fields]
    flags = type.info.flags
    definition.frozen = bool(flags & CLASS_FROZEN)
    definition.options = {
        "init": True,
        "repr": bool(flags & CLASS_REPR),
        "eq": bool(flags & CLASS_EQ),
        "order": bool(flags & CLASS_ORDER),
    }


def _method(name: str, kind: str, method: ArchivedMethod, setter: ArchivedMethod | None) -> Method:
    own = None if setter is None else Method(name, kind, partial(_source, setter))
    return Method(name, kind, partial(_source, method), own)


def _source(method: ArchivedMethod) -> PythonFunction:
    """The function that compiled code calls."""
    found: PythonFunction = method.function.__tscript_function__
    return found


def _making(method: ArchivedMethod, makers: Mapping[str, Callable[[], Any]]) -> PythonFunction:
    """The function that makes instances, with the defaults that are constants."""
    found = _source(method)
    stored = found.stored
    assert stored is not None
    params = tuple(_with_default(p, makers.get(p.name)) for p in stored.params)
    return PythonFunction.from_program(found.name, replace(stored, params=params))


def _with_default(param: Param, make: Callable[[], Any] | None) -> Param:
    value = None if make is None else make()
    if param.default is not REQUIRED or make is None or not isinstance(value, bool | int | float | str | None):
        return param
    return replace(param, default=value)


def _field(name: str, make: Any) -> FieldSpec:
    """An attribute, with what makes its default."""
    if make in (list, dict, set):
        return FieldSpec(name, MISSING, make)
    if make is None:
        return FieldSpec(name, MISSING, MISSING)
    factory = getattr(make, "method", None)
    return FieldSpec(name, make(), MISSING) if factory is None else FieldSpec(name, MISSING, factory.function)


def _same(value: object) -> object:
    return value
