"""Definitions of Python classes.

A definition is read from the class object. Annotations are evaluated as `typing.get_type_hints` does. Types of
attributes that are not declared are inferred by lowering ``__init__`` into a discarded program.
"""

from __future__ import annotations

import abc
import dataclasses
import enum
import types
import typing
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, replace
from typing import Any

from tscript.abi.exceptions import EXCEPTIONS
from tscript.definitions.shared import LRU_CACHE
from tscript.frontend.diagnostics import class_errors
from tscript.frontend.source.annotations import annotation_type
from tscript.frontend.source.class_fields import finish
from tscript.frontend.source.class_places import NAMES, Namespace, class_span, place_of
from tscript.frontend.source.class_table import KNOWN, ClassTable
from tscript.frontend.source.classes import (
    GENERATED,
    REFUSED,
    ClassDefinition,
    FieldSpec,
    Method,
    adopted,
    plain_function,
)
from tscript.frontend.source.exception_bases import main_base
from tscript.frontend.source.functions import PythonFunction, cached_function
from tscript.frontend.source.lines import is_generated
from tscript.frontend.source.marks import mark_of, without_body
from tscript.frontend.source.modules import ROOTS
from tscript.frontend.source.object_types import TypeContext, object_type
from tscript.frontend.source.open_tuples import open_tuple
from tscript.frontend.source.resolver import Resolver
from tscript.frontend.source.symbols import ExceptionSymbol, UnknownSymbol
from tscript.ir.analysis import builtin_exception
from tscript.parsing import parse
from tscript.types import (
    NONE,
    OPEN,
    ClassInfo,
    ClassType,
    EnumInfo,
    EnumType,
    NamedTupleInfo,
    TupleType,
    Type,
    leaves_open,
)

_COMPILED = (types.WrapperDescriptorType, types.MethodDescriptorType)
_IGNORED_BASES: frozenset[Any] = frozenset({object, abc.ABC, typing.Generic, typing.Protocol})
_METACLASSES: tuple[type, ...] = (type, abc.ABCMeta, type(typing.Protocol))
UNSEEN: frozenset[str] = frozenset(
    {
        *(KNOWN, NAMES),
        *("__module__", "__qualname__", "__dict__", "__weakref__", "__doc__", "__annotations__", "__slots__"),
        *("__match_args__", "__dataclass_fields__", "__dataclass_params__", "__abstractmethods__", "_abc_impl"),
        *("__parameters__", "__orig_bases__", "__firstlineno__", "__static_attributes__", "__annotate__", "__final__"),
        *("__annotations_cache__", "__annotate_func__", "__non_callable_proto_members__", "_is_protocol"),
        *("_is_runtime_protocol", "__protocol_attrs__", "__subclasshook__"),
    }
)


def read_class(table: ClassTable, cls: type, resolver: Resolver) -> ClassDefinition | UnknownSymbol:
    """The definition of a Python class, or an `UnknownSymbol` with the reason why it cannot be compiled."""
    if issubclass(cls, enum.Enum):
        return _enum(table, cls, resolver)
    if issubclass(cls, tuple) and hasattr(cls, "_fields"):
        return _named_tuple(table, cls, resolver)
    if type(cls).__name__ == "FunctionMeta" and type(cls).__module__.partition(".")[0] in ROOTS:
        return _instances(table, cls, None, resolver)  # an `autograd.Function`: its static methods can be called
    if type(cls) not in _METACLASSES:
        what = f"the class {cls.__name__}, which has the metaclass {type(cls).__name__},"
        return UnknownSymbol(what, "leave the metaclass out")
    bases = [b for b in cls.__bases__ if b not in _IGNORED_BASES]
    if issubclass(cls, BaseException) and dataclasses.is_dataclass(cls):
        return UnknownSymbol(f"the exception class {cls.__name__}, which is a dataclass,", "write '__init__'")
    if len(bases) > 1:
        return _several(table, cls, bases, resolver)
    if bases and bases[0].__module__ == "builtins" and issubclass(bases[0], BaseException):
        if builtin_exception(bases[0].__name__) is None or bases[0].__name__ not in EXCEPTIONS:
            return UnknownSymbol(
                f"the exception class {cls.__name__}", "derive it from an exception that can be raised"
            )
        return _instances(table, cls, None, resolver, EXCEPTIONS[bases[0].__name__].info)
    if bases and bases[0].__module__ in ("builtins", "collections", "typing"):
        what = f"the class {cls.__name__}, which derives from {bases[0].__name__},"
        return UnknownSymbol(what, f"keep a {bases[0].__name__} in an attribute instead")
    base: ClassDefinition | None = None
    if bases:
        found = resolver.class_symbol(bases[0])
        if isinstance(found, UnknownSymbol):
            return found
        # Reading a class also reads its derived classes.
        known = table.of_class(cls)
        if known is not None:
            return known
        base = table.of_class(bases[0])
    return _instances(table, cls, base, resolver)


def _several(
    table: ClassTable, cls: type, bases: Sequence[type], resolver: Resolver
) -> ClassDefinition | UnknownSymbol:
    """A class with several bases."""
    names = " and ".join(b.__name__ for b in bases)
    refused = UnknownSymbol(
        f"the class {cls.__name__}, which derives from {'both ' if len(bases) == 2 else ''}{names},",
        "derive from one class, and keep an instance of the other in an attribute",
    )
    if not issubclass(cls, BaseException):
        return refused
    found: list[ClassDefinition | ClassInfo] = []
    for base in bases:
        symbol = resolver.class_symbol(base) if base.__module__ != "builtins" else resolver.symbol(base)
        known = table.of_class(base)
        if known is not None:
            found.append(known)
        elif isinstance(symbol, ExceptionSymbol) and symbol.name in EXCEPTIONS:
            found.append(EXCEPTIONS[symbol.name].info)
        else:
            return symbol if isinstance(symbol, UnknownSymbol) else refused
    already = table.of_class(cls)
    if already is not None:
        return already
    chosen = main_base(found)
    if chosen is None:
        return refused
    base_found, beside = chosen
    if isinstance(base_found, ClassInfo):
        return _instances(table, cls, None, resolver, base_found)
    return _instances(table, cls, base_found, resolver, beside=beside)


def _instances(
    table: ClassTable,
    cls: type,
    base: ClassDefinition | None,
    resolver: Resolver,
    builtin: ClassInfo | None = None,
    beside: ClassInfo | None = None,
) -> ClassDefinition | UnknownSymbol:
    """A class of instances; `builtin` is the exception class it derives from, `beside` the one besides
    its base."""
    written = {n: v for n, v in vars(cls).items() if n not in UNSEEN and not _is_generated(cls, n, v)}
    if written.get("__hash__", cls) is None:  # the class has '__eq__' without it
        del written["__hash__"]
    for name, (what, instead) in REFUSED.items():
        if name in written:
            return UnknownSymbol(f"the class {cls.__name__}, which defines {what},", instead)
    if any(isinstance(v, _COMPILED) and v.__objclass__ is cls for v in written.values()):
        return UnknownSymbol(
            f"the class {cls.__name__}, which is not written in Python,", "keep it out of compiled code"
        )
    name = table.unique_name(cls.__module__, cls.__qualname__)
    info = ClassInfo(name, cls, builtin if base is None else base.info, beside=beside)
    definition = ClassDefinition(cls.__name__, ClassType(info), base, python=cls, is_reading=True)
    definition.is_final = bool(vars(cls).get("__final__"))
    definition.place = place_of(cls)
    definition.has_no_hash = vars(cls).get("__hash__", cls) is None
    read_members(table, definition, written)
    params = vars(cls).get("__dataclass_params__")
    if params is not None:
        definition.options = {
            n: bool(getattr(params, n)) for n in ("init", "repr", "eq", "order", "frozen", "unsafe_hash")
        }
    definition.frozen = bool(getattr(getattr(cls, "__dataclass_params__", None), "frozen", False))
    if dataclasses.is_dataclass(cls):
        definition.fields = [_field(f, table) for f in cls.__dataclass_fields__.values()]
        definition.fields = [f for f in definition.fields if f.name not in _class_variables(cls)]
    table.add(definition)
    info.fields.update({} if info.base is None else info.base.fields)
    declared = hints(cls, definition, resolver)
    finish(definition, declared, resolver)
    derived: list[type] = cls.__subclasses__()
    for other in derived:
        resolver.class_symbol(other)
    return definition


def _class_variables(cls: type) -> set[str]:
    fields: dict[str, Any] = vars(cls).get("__dataclass_fields__", {})
    return {n for n, f in fields.items() if getattr(f, "_field_type", None) is dataclasses._FIELD_CLASSVAR}  # type: ignore[attr-defined]


def _is_generated(cls: type, name: str, value: object) -> bool:
    if name not in GENERATED or "__dataclass_params__" not in vars(cls):
        return False
    function = getattr(value, "__wrapped__", value)
    code = getattr(function, "__code__", None)
    return code is None or is_generated(code)


def _field(found: Any, table: ClassTable) -> FieldSpec:
    kw_only = bool(found.kw_only) if found.kw_only is not MISSING else False
    spec = FieldSpec(found.name, found.default, found.default_factory, found.init, found.repr, found.compare, kw_only)
    spec.hash = found.hash
    if found._field_type is dataclasses._FIELD_INITVAR:  # type: ignore[attr-defined]
        spec.only_init = NONE
    return spec


def read_members(table: ClassTable, definition: ClassDefinition, written: Mapping[str, object]) -> None:
    """Add the functions and other attributes of a class to its definition."""
    for name, value in written.items():
        match value:
            case types.FunctionType() if value.__module__ == "functools":
                definition.total_order = True
            case types.FunctionType():
                definition.methods[name] = _method(table, definition, name, "method", value)
            case _ if _is_cached(value):
                kind = "static" if isinstance(value, staticmethod) else "method"
                definition.methods[name] = _cached(table, definition, name, kind, getattr(value, "__func__", value))
            case _ if _is_scripted(value):
                definition.methods[name] = _method(table, definition, name, "method", value)
            case staticmethod():
                definition.methods[name] = _method(table, definition, name, "static", value.__func__)
            case classmethod():
                definition.methods[name] = _method(table, definition, name, "class", value.__func__)
            case property() if value.fget is not None:
                found = _method(table, definition, name, "property", value.fget)
                if value.fset is not None:
                    found.setter = _method(table, definition, name, "method", value.fset)
                definition.methods[name] = found
            case types.MemberDescriptorType():
                pass
            case _:
                definition.constants[name] = value


def _is_scripted(value: object) -> bool:
    return isinstance(getattr(value, "__tscript_function__", None), PythonFunction)


def _method(table: ClassTable, definition: ClassDefinition, name: str, kind: str, value: Any) -> Method:
    fn = getattr(value, "__wrapped__", value) if _is_scripted(value) else value

    def read() -> PythonFunction:
        function = PythonFunction.from_callable(getattr(fn, "__tscript_function__", None) or fn)
        function = plain_function(function)
        return adopted(definition, without_body(function) if mark == "unused" else function, kind)

    mark = mark_of(fn)
    return Method(name, kind, read, is_abstract=bool(getattr(fn, "__isabstractmethod__", False)), mark=mark)


def _is_cached(value: object) -> bool:
    inner = value.__func__ if isinstance(value, staticmethod) else value
    return type(inner) is LRU_CACHE and cached_function(inner) is not None


def _cached(table: ClassTable, definition: ClassDefinition, name: str, kind: str, cache: Any) -> Method:
    """A method inside of `functools.lru_cache`."""

    def read() -> PythonFunction:
        function = plain_function(PythonFunction.from_callable(cached_function(cache) or cache))
        return adopted(definition, replace(function, callable=cache), kind)

    return Method(name, kind, read, is_cached=True)


def hints(cls: type, definition: ClassDefinition, resolver: Resolver) -> dict[str, Type]:
    """The types that the annotations of a class itself declare."""
    own: dict[str, Any] = dict(vars(cls).get("__annotations__", {}))
    assert definition.place is not None
    place = definition.place
    names = Namespace(place.environment)
    found: dict[str, Type] = {}
    context = TypeContext(resolver, definition.problems.append, is_open=True)
    for name, written in own.items():
        evaluated = written
        if isinstance(written, str) or _has_forward(written):
            try:
                holder = type("_", (), {"__annotations__": {name: written}})
                # Two namespaces: with one, `typing` may return the annotation of another class of the same name.
                evaluated = typing.get_type_hints(holder, dict(names), names, include_extras=True)[name]
            except Exception:  # noqa: BLE001 - whatever an annotation raises, it is read as text next
                evaluated = written
        if _is_class_variable(evaluated):
            continue
        if isinstance(evaluated, dataclasses.InitVar):
            evaluated = evaluated.type
            spec = next((f for f in definition.fields or () if f.name == name), None)
        else:
            spec = None
        read = (
            annotation_type(context, place, parse(evaluated, mode="eval").body)
            if isinstance(evaluated, str)
            else object_type(context, evaluated)
        )
        if read is None:
            if not definition.problems:
                shown = written if isinstance(written, str) else getattr(written, "__name__", str(written))
                definition.problems.append(
                    class_errors.UnsupportedClass(
                        class_span(place, definition.name),
                        f"the attribute '{name}' of type {shown} in the class {definition.name}",
                        "write a type of the language: int, str, list[int], a class",
                    )
                )
        elif spec is not None:
            spec.only_init = read
        else:
            found[name] = read
    return found


def _has_forward(value: object) -> bool:
    return isinstance(value, typing.ForwardRef) or any(
        isinstance(a, str) or _has_forward(a)
        for a in typing.get_args(value)
        if typing.get_origin(value) is not typing.Literal
    )


def _is_class_variable(value: object) -> bool:
    return value in (typing.ClassVar, typing.Final) or typing.get_origin(value) is typing.ClassVar


# ---- enums and named tuples


def _enum(table: ClassTable, cls: Any, resolver: Resolver) -> ClassDefinition | UnknownSymbol:
    if issubclass(cls, enum.Flag):
        return UnknownSymbol(f"the flag enum {cls.__name__}", "use an Enum, or ints with names")
    mixed = [b for b in cls.__mro__ if b.__module__ == "builtins" and b is not object]
    if mixed and mixed[0] not in (int, str):
        what = f"the enum {cls.__name__}, whose members are {mixed[0].__name__}s,"
        return UnknownSymbol(what, "derive from Enum, IntEnum or StrEnum")
    if not len(cls):
        return UnknownSymbol(f"the enum {cls.__name__}, which has no members,", "give it members")
    kind = mixed[0].__name__ if mixed else ""
    members = {m.name: m.value for m in cls}
    name = table.unique_name(cls.__module__, cls.__qualname__)
    definition = ClassDefinition(cls.__name__, EnumType(EnumInfo(name, members, cls, kind)), python=cls)
    definition.place = place_of(cls)
    members_too = set(cls.__members__)
    written = {
        n: v
        for n, v in vars(cls).items()
        if (n not in UNSEEN and not n.startswith("_") and n not in members_too)
        or (n.startswith("__") and isinstance(v, types.FunctionType) and v.__module__ == cls.__module__)
    }
    for refused in ("__new__", "__init__"):
        if isinstance(vars(cls).get(refused), types.FunctionType) and vars(cls)[refused].__module__ == cls.__module__:
            return UnknownSymbol(f"the enum {cls.__name__}, which defines '{refused}',", "keep the values in a dict")
    read_members(table, definition, {n: v for n, v in written.items() if not n.startswith("_generate")})
    table.add(definition)
    return definition


def _named_tuple(table: ClassTable, cls: Any, resolver: Resolver) -> ClassDefinition | UnknownSymbol:
    base = cls.__bases__[0]
    if base is not tuple:
        return UnknownSymbol(
            f"the class {cls.__name__}, which derives from a named tuple,", "put its methods into the named tuple"
        )
    fields: tuple[str, ...] = cls._fields
    name = table.unique_name(cls.__module__, cls.__qualname__)
    info = NamedTupleInfo(name, fields, dict(cls._field_defaults), cls)
    definition = ClassDefinition(cls.__name__, NONE, python=cls)
    definition.place = place_of(cls)
    known = hints(cls, definition, resolver)
    if not known and not definition.problems:
        known = dict.fromkeys(fields, OPEN)
    if len(known) < len(fields) and not definition.problems:
        what = f"the named tuple {cls.__name__}, whose fields have no types,"
        return UnknownSymbol(what, f"write 'class {cls.__name__}(NamedTuple):' with 'name: type' for each field")
    if definition.problems:
        from tscript.types import NEVER

        known = {n: known.get(n, NEVER) for n in fields}
    unseen = {*UNSEEN, *fields}
    written = {n: v for n, v in vars(cls).items() if n not in unseen and _is_written(cls, v)}

    def complete(one: ClassDefinition) -> None:
        one.fields = [FieldSpec(f, cls._field_defaults.get(f, MISSING), MISSING) for f in fields]
        read_members(table, one, written)

    declared = tuple(known[f] for f in fields)
    if any(map(leaves_open, declared)):
        open_tuple(table, definition, info, declared, complete)
        return definition
    definition.type = TupleType(declared, info)
    complete(definition)
    table.add(definition)
    return definition


def _is_written(cls: type, value: Any) -> bool:
    """Whether something in a named tuple is a function of its own body."""
    function = getattr(value, "fget", None) or getattr(value, "__func__", value)
    function = function.__wrapped__ if _is_scripted(function) else function
    code = getattr(function, "__code__", None)
    if code is None or getattr(function, "__module__", "") != cls.__module__:
        return False
    return not is_generated(code)
