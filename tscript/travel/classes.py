"""Classes apart and together again: bases and what makes them, then the attributes that were written in them.

A class is made without running its body: from its bases, and the values that its attributes have now.
"""

from __future__ import annotations

import builtins
import contextlib
import dataclasses
import enum
import inspect
import types
from collections import namedtuple
from collections.abc import Mapping
from typing import Any

from tscript.frontend.source.class_places import NAMES, place_of
from tscript.frontend.source.class_table import KNOWN
from tscript.frontend.source.classes import GENERATED
from tscript.travel.functions import annotated_names

_MADE = frozenset(
    {
        *(KNOWN, NAMES),
        *("__module__", "__qualname__", "__dict__", "__weakref__", "__annotations__", "__slots__", "__match_args__"),
        *("__dataclass_fields__", "__dataclass_params__", "__abstractmethods__", "_abc_impl", "__parameters__"),
        *("__orig_bases__", "__firstlineno__", "__static_attributes__", "__annotate__", "__annotations_cache__"),
        *("__annotate_func__", "__non_callable_proto_members__", "__protocol_attrs__", "_is_protocol"),
        *("_is_runtime_protocol", "__subclasshook__", "__type_params__", "__slotnames__"),
    }
)
"""Attributes that Python makes."""

_PARAMETERS = ("init", "repr", "eq", "order", "unsafe_hash", "frozen", "match_args", "kw_only", "slots", "weakref_slot")
_FIELD = ("default", "default_factory", "init", "repr", "hash", "compare", "metadata", "kw_only")


def kind_of(cls: type) -> str:
    """How a class is made: ``enum``, ``named tuple`` or ``class``."""
    if isinstance(cls, enum.EnumMeta):
        return "enum"
    return "named tuple" if cls.__bases__ == (tuple,) and hasattr(cls, "_fields") else "class"


def taken_apart(cls: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """What a class is made with, and what is put into it afterwards."""
    head, body = {"class": _class, "enum": _enum, "named tuple": _named_tuple}[kind_of(cls)](cls)
    body["annotations"] = dict(inspect.get_annotations(cls))
    return head, body


def put_together(kind: str, module: str, qualname: str, head: Mapping[str, Any]) -> Any:
    """A class without what comes later."""
    made = {"class": _class_made, "enum": _enum_made, "named tuple": _named_tuple_made}[kind](module, qualname, head)
    made.__qualname__ = qualname
    return made


def fill(cls: Any, body: Mapping[str, Any]) -> None:
    """Put into a class what was written in it."""
    annotations: Mapping[str, Any] = body["annotations"]
    if annotations:
        cls.__annotations__ = dict(annotations)
    if body["names"]:
        type.__setattr__(cls, NAMES, body["names"])
    for name, value in body["attributes"].items():
        put(cls, name, value)
    options = body.get("options")
    if options is not None:
        members = {n: v for n, v in vars(cls).items() if isinstance(v, types.MemberDescriptorType)}
        for name, field in body["fields"].items():
            type.__setattr__(cls, name, dataclasses.field(**field))
        dataclasses.dataclass(**options)(cls)
        for name, member in members.items():
            type.__setattr__(cls, name, member)
    if hasattr(cls, "__abstractmethods__"):
        import abc

        abc.update_abstractmethods(cls)


def names_of(cls: type) -> dict[str, object]:
    """The names in the annotations of a class that are strings."""
    found: dict[str, object] = {}
    environment = place_of(cls).environment
    for annotation in inspect.get_annotations(cls).values():
        for name in annotated_names(annotation):
            with contextlib.suppress(KeyError):
                value = environment.lookup(name)
                if value is not cls and vars(builtins).get(name, cls) is not value:
                    found[name] = value
    return found


def put(cls: type, name: str, value: Any) -> None:
    """Set an attribute of a class, as its body does."""
    type.__setattr__(cls, name, value)
    tell = getattr(type(value), "__set_name__", None)
    if tell is not None:
        tell(value, cls, name)


def written(cls: type) -> dict[str, Any]:
    """The attributes that were written in a class, or set later."""
    found = {}
    for name, value in vars(cls).items():
        if name in _MADE or isinstance(value, types.MemberDescriptorType | types.GetSetDescriptorType):
            continue
        if name in GENERATED and "__dataclass_params__" in vars(cls) and _is_generated(value):
            continue
        if name == "__init__" and getattr(cls, "_is_protocol", False) and value.__module__ == "typing":
            continue
        if name == "__class_getitem__" or (name == "__doc__" and value is None):
            if not isinstance(value, classmethod):
                continue
        found[name] = value
    return found


def _is_generated(value: Any) -> bool:
    code = getattr(getattr(value, "__wrapped__", value), "__code__", None)
    return code is None or code.co_filename.startswith("<string") or code.co_filename == dataclasses.__file__


def _class(cls: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    own = vars(cls)
    attributes = written(cls)
    head: dict[str, Any] = {"metaclass": type(cls), "name": cls.__name__, "bases": cls.__bases__}
    head["space"] = {n: own[n] for n in ("__slots__", "__orig_bases__") if n in own}
    body: dict[str, Any] = {"attributes": attributes}
    params = own.get("__dataclass_params__")
    if params is not None:
        body["options"] = {
            n: bool(getattr(params, n))
            for n in _PARAMETERS
            if n not in ("slots", "weakref_slot") and hasattr(params, n)
        }
        annotations = inspect.get_annotations(cls)
        fields = {n: f for n, f in own["__dataclass_fields__"].items() if n in annotations}
        # A plain default is found as an attribute; that of a class variable is one.
        kept = {n: f for n, f in fields.items() if f._field_type is not dataclasses._FIELD_CLASSVAR}  # type: ignore[attr-defined]
        body["fields"] = {n: _field(f) for n, f in kept.items()}
        for name in kept:
            attributes.pop(name, None)
    return head, body


def _field(found: Any) -> dict[str, Any]:
    given = {n: getattr(found, n) for n in _FIELD}
    given["metadata"] = dict(found.metadata)
    # A class that cloudpickle carried has a `MISSING` of its own.
    missing = type(dataclasses.MISSING)
    return {n: v for n, v in given.items() if not isinstance(v, missing) and not (n == "metadata" and not v)}


def _class_made(module: str, qualname: str, head: Mapping[str, Any]) -> Any:
    space = {"__module__": module, "__qualname__": qualname, **head["space"]}
    return head["metaclass"](head["name"], head["bases"], space)


def _enum(cls: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    values = {name: member._value_ for name, member in cls.__members__.items()}
    functions = {n: v for n, v in _beside(cls).items() if n not in values}
    head = {"metaclass": type(cls), "name": cls.__name__, "bases": cls.__bases__, "members": values, "space": functions}
    return head, {"attributes": {}}


_OF_ENUM = frozenset(
    {
        *(
            "_generate_next_value_",
            "_new_member_",
            "_use_args_",
            "_member_names_",
            "_member_map_",
            "_value2member_map_",
        ),
        *("_unhashable_values_", "_member_type_", "_value_repr_", "__new__", "_boundary_", "_flag_mask_", "_all_bits_"),
        *("_singles_mask_", "_inverted_", "_hashable_values_", "_unhashable_values_map_", "__reduce_ex__"),
    }
)


def _beside(cls: Any) -> dict[str, Any]:
    """What stands in an enum beside its members."""
    found = {}
    for name, value in written(cls).items():
        inner = getattr(value, "__func__", value)
        if name in _OF_ENUM or isinstance(value, enum.property | cls):
            continue
        if isinstance(inner, types.FunctionType) and inner.__module__ != cls.__module__:
            continue  # what the standard library adds
        if isinstance(value, types.BuiltinFunctionType | types.MethodDescriptorType | types.WrapperDescriptorType):
            continue
        found[name] = value
    return found


def _enum_made(module: str, qualname: str, head: Mapping[str, Any]) -> Any:
    kind, bases = head["metaclass"], head["bases"]
    space = kind.__prepare__(head["name"], bases)
    space["__module__"], space["__qualname__"] = module, qualname
    for name, value in {**head["space"], **head["members"]}.items():
        space[name] = value
    return kind(head["name"], bases, space)


def _named_tuple(cls: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    plain = vars(namedtuple("Plain", cls._fields))
    head = {"name": cls.__name__, "fields": cls._fields, "defaults": tuple(cls._field_defaults.values())}
    attributes = {n: v for n, v in vars(cls).items() if n not in _MADE and (n not in plain or n == "__doc__")}
    for name, value in vars(cls).items():
        if name in plain and isinstance(value, types.FunctionType) and value.__module__ == cls.__module__:
            if value.__code__.co_filename != namedtuple.__code__.co_filename and not _is_generated(value):
                attributes[name] = value
    head["space"] = {n: vars(cls)[n] for n in ("__orig_bases__",) if n in vars(cls)}
    return head, {"attributes": attributes}


def _named_tuple_made(module: str, qualname: str, head: Mapping[str, Any]) -> Any:
    made = namedtuple(head["name"], head["fields"], defaults=head["defaults"], module=module)  # type: ignore[misc]
    for name, value in head["space"].items():
        setattr(made, name, value)
    return made


__all__ = ["fill", "kind_of", "put", "put_together", "taken_apart", "written"]
