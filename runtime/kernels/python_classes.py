"""Tier 3: the types of Python objects: what the hooks say, and which class derives from which."""

from __future__ import annotations

from tscript.dialect import (
    Ptr,
    TypeInfo,
    Void,
    address,
    b8,
    i64,
)
from tscript.runtime.kernels import python_api as api


def class_of(o: Ptr[Void]) -> i64:
    """The address of the `TypeInfo` of an object's class; 0 when the language does not know it, -1 with an exception
    set."""
    kind = api.type_of(o)
    found = api.dict_get(api.hook(api.CLASSES), kind)
    if address(found) != 0:
        return api.long_address(found)
    if address(api.error_there()) != 0:
        return -1
    return ask(api.CLASS_HOOK, kind)


def ask(which: i64, o: Ptr[Void]) -> i64:
    """The result of a hook for an object: an address or 0; -1 with an exception set."""
    said = api.call_one(api.hook(which), o)
    if address(said) == 0:
        return -1
    found = api.long_address(said)
    api.decref(said)
    return found


def derives(info: Ptr[TypeInfo], base: Ptr[TypeInfo]) -> b8:
    """Whether a class is another one, or derived from it."""
    at = info
    while address(at) != 0:
        if address(at) == address(base):
            return True
        at = at.base
    return False
