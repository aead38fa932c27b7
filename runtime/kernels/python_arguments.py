"""Tier 3: the arguments of a call as native values."""

from __future__ import annotations

from tscript.dialect import (
    Marshal,
    Ptr,
    TypeInfo,
    Void,
    address,
    i64,
)
from tscript.runtime.kernels import python_api as api
from tscript.runtime.kernels.marshal import (
    excuse,
)
from tscript.runtime.kernels.python_in import value_in


def object_in(
    m: Ptr[Marshal],
    o: Ptr[Void],
    info: Ptr[TypeInfo],
    label: Ptr[Void],
    frame: Ptr[i64],
    mutable: i64,
) -> i64:
    """Convert an argument of a call.

    Args:
        m: The call's.
        o: The argument.
        info: The type of its parameter.
        label: A str that says which one it is, for errors.
        frame: Where it goes: two words, then the cells of the value, which are the call's until `marshal_end`.
        mutable: Whether what it refers to may be changed.

    Returns:
        0, or -1 with an exception set.
    """
    cells = frame + 2
    for k in range(info.cells):
        cells[k] = 0
    frame[0] = address(m.arguments)
    frame[1] = address(info)
    m.arguments = frame
    m.mutable = mutable
    if value_in(m, o, info, cells) == 0:
        return 0
    if address(m.failed) != 0:
        refuse_argument(m, label)
    elif address(api.error_there()) == 0:
        api.error_memory()
    excuse(m)
    return -1


def refuse_argument(m: Ptr[Marshal], label: Ptr[Void]) -> None:
    """Set the exception for the value that did not fit."""
    given = api.tuple_new(4)
    expected = api.long_from(address(m.expected))
    if address(m.path) == 0:
        m.path = api.list_new(0)
    if address(given) != 0 and address(expected) != 0 and address(m.path) != 0:
        items = api.tuple_items(given)
        api.incref(label)
        items[0] = address(label)
        items[1] = address(expected)
        items[2] = address(m.failed)
        items[3] = address(m.path)
        m.failed = api.null()
        m.path = api.null()
        api.xdecref(api.call_tuple(api.hook(api.FAIL_HOOK), given, api.null()))
    else:
        api.xdecref(expected)
    api.xdecref(given)
    excuse(m)
