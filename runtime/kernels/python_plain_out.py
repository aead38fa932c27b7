"""Tier 3: native values that hold no others as Python objects."""

from __future__ import annotations

from typing import Final

from tscript.abi.signature import Seen
from tscript.dialect import (
    Marshal,
    Object,
    Ptr,
    Str,
    TypeInfo,
    Void,
    address,
    i32,
    i64,
    memcpy,
    pointer_cast,
    symbol,
    u8,
)
from tscript.runtime.kernels import kinds
from tscript.runtime.kernels import python_api as api
from tscript.runtime.kernels.marshal import find_native, remember
from tscript.runtime.kernels.objects import object_release, object_retain
from tscript.runtime.kernels.python_classes import ask

SEEN_ARRAY: Final = Seen.ARRAY
SHARED: Final = Seen.ARRAY | Seen.TORCH


def check_error() -> None:
    """Set MemoryError after a failure without an exception."""
    if address(api.error_there()) == 0:
        api.error_memory()


def none() -> Ptr[Void]:
    """None, owned."""
    found = symbol("_Py_NoneStruct", Void)
    api.incref(found)
    return found


def truth(cell: i64) -> Ptr[Void]:
    """True or False, owned."""
    found = symbol("_Py_FalseStruct", Void)
    if cell != 0:
        found = symbol("_Py_TrueStruct", Void)
    api.incref(found)
    return found


def no_form(info: Ptr[TypeInfo]) -> Ptr[Void]:
    """Set the exception for a value that Python has no form of; null."""
    number = api.long_from(address(info))
    if address(number) != 0:
        ask(api.RETURN_HOOK, number)
        api.decref(number)
    return api.null()


def function_out(native: Ptr[Object]) -> Ptr[Void]:
    """The Python form of a function as a value; null with an exception set."""
    number = api.long_from(address(native))
    if address(number) == 0:
        return api.null()
    object_retain(native)
    made = api.call_one(api.hook(api.FUNCTION_OUT_HOOK), number)
    api.decref(number)
    if address(made) == 0:
        object_release(native)
    return made


def tensor_out(m: Ptr[Marshal], info: Ptr[TypeInfo], native: Ptr[Object]) -> Ptr[Void]:
    """The Python form of a tensor, a Size or a future."""
    if info.kind == kinds.TENSOR and (info.flags == 0 or info.flags & kinds.TENSOR_KNOWN != 0):
        return box_tensor(m, native)
    if info.kind == kinds.TENSOR and info.flags & kinds.TENSOR_ARRAY != 0:
        return shared_out(m, native, SEEN_ARRAY)
    object_retain(native)
    if info.kind == kinds.TENSOR and info.flags & kinds.TENSOR_GENERATOR != 0:
        return api.generator_out(pointer_cast(native, u8))
    if info.kind == kinds.TENSOR:
        return api.box_size(pointer_cast(native, u8))
    return api.box_future(pointer_cast(native, u8))


def box_tensor(m: Ptr[Marshal], native: Ptr[Object]) -> Ptr[Void]:
    """The Python form of a tensor: as what those of the call came."""
    if m.seen & SHARED == 0:
        return api.wrap_borrowed(pointer_cast(native, u8))
    return shared_out(m, native, m.seen)


def shared_out(m: Ptr[Marshal], native: Ptr[Object], seen: i64) -> Ptr[Void]:
    """An array or a tensor of PyTorch over the memory of a tensor, which stays the same object in all of a result."""
    found = find_native(m, address(native))
    if found >= 0:
        o = (m.entries + found).object
        api.incref(o)
        return o
    object_retain(native)
    made = api.box_tensor(pointer_cast(native, u8), seen)
    if address(made) != 0:
        if remember(m, made, native, native.typeinfo, 0) != 0:
            api.decref(made)
            return api.null()
    return made


def str_out(text: Ptr[Str]) -> Ptr[Void]:
    """The Python str of a native one."""
    data = pointer_cast(text + 1, u8)
    length = text.length
    if length < 2 or text.width > 2:
        return api.unicode_from(text.width, data, length)
    most = 65535
    offset = api.python_word(api.COMPACT_DATA)
    if text.width == 1:
        most = 255
        if text.ascii != 0:
            most = 127
            offset = api.python_word(api.ASCII_DATA)
    made = api.unicode_new(length, i32(most))
    if address(made) != 0:
        memcpy(made + offset, data, length * i64(text.width))
    return made
